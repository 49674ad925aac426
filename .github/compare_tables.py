"""Compare a build with the newest released tables: ``python compare_tables.py FOLDER``.

Prints ``version=X.Y.Z``, the smallest version under which the build may be released, or
``version=`` if it says what the released tables say: the same values, or values that differ
within their stated errors only. What changed goes to stderr.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import rankconst
from rankconst.tables.descriptor import COLUMNS
from rankconst_builder.release import Bump, compare_sets, phrase_changes, smallest_version

if TYPE_CHECKING:
    from rankconst.tables.archive import Tables


def propose_version(released: Tables, built: Tables) -> str:
    """Return the version that a build may be released as; nothing if it brings nothing new."""
    changes = compare_sets(
        {name: released.read(name) for name in COLUMNS},
        {name: built.read(name) for name in COLUMNS},
    )
    print("\n".join(phrase_changes(changes)), file=sys.stderr)
    return "" if changes.bump is Bump.patch else smallest_version(released.version, changes.bump)


if __name__ == "__main__":
    print(f"version={propose_version(rankconst.load(), rankconst.load(sys.argv[1]))}")
