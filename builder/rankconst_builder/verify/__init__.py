"""Check a set of tables: its files, its structure, its numbers, and the laws that tie them together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankconst_builder.verify.checks import CHECKS as CHECKS
from rankconst_builder.verify.checks import Finding as Finding
from rankconst_builder.verify.checks import Result as Result
from rankconst_builder.verify.checks import run_check as run_check

# Importing the modules registers their checks, in the order in which they are run: not sorted, nor used by name.
from rankconst_builder.verify import files, structure, ranges, laws, rebuild  # isort: skip # noqa: F401
from rankconst_builder.verify.rebuild import Means as Means  # noqa: TC001 - its public address
from rankconst_builder.verify.tableset import TableSet as TableSet  # noqa: TC001 - its public address
from rankconst_builder.verify.tableset import read_set as read_set

if TYPE_CHECKING:
    from collections.abc import Iterator


def run_checks(tables: TableSet, means: Means | None = None) -> Iterator[Result]:
    """Run the checks that a set of this version has something for; nothing is rebuilt without `means`."""
    for check in CHECKS.values():
        if not check.rebuild:
            yield run_check(check, tables)
        elif means is not None:
            yield run_check(check, tables, means)
