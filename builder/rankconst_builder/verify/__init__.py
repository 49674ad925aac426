"""Check a set of tables: its files, its structure, its numbers, and the laws that tie them together.

Each check is a function registered by :func:`.checks.check`; a check is added by writing one.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from rankconst_builder.verify.checks import CHECKS as CHECKS
from rankconst_builder.verify.checks import Check as Check
from rankconst_builder.verify.checks import Checked as Checked
from rankconst_builder.verify.checks import Finding as Finding

# Importing the modules registers their checks, in the order in which they are run: not sorted, nor used by name.
from rankconst_builder.verify import files, structure, ranges, laws, rebuild  # isort: skip # noqa: F401
from rankconst_builder.verify.rebuild import Means as Means  # noqa: TC001 - its public address
from rankconst_builder.verify.tableset import TableSet as TableSet  # noqa: TC001 - its public address
from rankconst_builder.verify.tableset import read_set as read_set

if TYPE_CHECKING:
    from collections.abc import Iterator

Status = Literal["ok", "failed", "not run"]


@dataclass(frozen=True)
class Result:
    """What came of a check."""

    check: Check
    status: Status  # "ok" also with warnings and notes; "not run" because a table could not be read
    rows: int
    findings: tuple[Finding, ...]
    seconds: float


def run_checks(tables: TableSet, means: Means | None = None) -> Iterator[Result]:
    """Run the checks that a set of this version has something for; nothing is rebuilt without `means`."""
    for check in CHECKS.values():
        if check.rebuild and means is None:
            continue
        started = time.perf_counter()
        lacking = [name for name in check.needs if name not in tables.whole]
        if lacking:
            reason = Finding(f"not run: {', '.join(lacking)} cannot be read", level="note")
            yield Result(check, "not run", 0, (reason,), 0.0)
            continue
        try:
            # Numbers that overflow are out of range, which is what is found.
            with np.errstate(over="ignore"):
                checked = check.examine(tables, means) if check.rebuild else check.examine(tables)
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            # Rows of an unforeseen kind: the other checks may still tell what is wrong with them.
            reason = Finding(f"the check could not be finished: {type(error).__name__}: {error}")
            checked = Checked(0, (reason,))
        failed = any(finding.level == "failed" for finding in checked.findings)
        seconds = time.perf_counter() - started
        yield Result(check, "failed" if failed else "ok", checked.rows, checked.findings, seconds)
