"""The registry of checks, and running them over a set of tables."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from rankconst_builder.verify import files, laws, ranges, structure
from rankconst_builder.verify.findings import Checked, Finding
from rankconst_builder.verify.layout import tables_of
from rankconst_builder.verify.rebuild import Means, rebuild_constants, rebuild_histograms

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rankconst_builder.verify.tableset import TableSet


@dataclass(frozen=True)
class Check:
    """Something that every set of tables must stand up to.

    Attributes
    ----------
    name
        What it is called.
    covers
        What it looks at, in words.
    examine
        Does it; without side effects, but for reports of a long one's progress.
    needs
        The tables without which there is nothing to look at.
    rebuild
        True if it computes everything anew, and is run only when asked for.
    """

    name: str
    covers: str
    examine: Callable[[TableSet, Means], Checked]
    needs: tuple[str, ...] = ()
    rebuild: bool = False


def _plain(examine: Callable[[TableSet], Checked]) -> Callable[[TableSet, Means], Checked]:
    return lambda tables, _: examine(tables)


CHECKS: dict[str, Check] = {
    check.name: check
    for check in (
        Check("files", "bytes and SHA-256 of every file, nothing else in the folder", _plain(files.check_files)),
        Check("content", "content hash and number of rows of each table", _plain(files.check_contents)),
        Check("descriptor", "datapackage.json against its own form and the tables", _plain(files.check_descriptor)),
        Check("checksums", "every file against checksums.txt", _plain(files.check_checksums)),
        Check("columns", "names, types and descriptions of columns", _plain(structure.check_columns)),
        Check("missing", "no value is missing where none may be", _plain(structure.check_missing)),
        Check("words", "protocols, splits, sides, metrics and methods are known", _plain(structure.check_words)),
        Check("keys", "no row stands twice", _plain(structure.check_keys)),
        Check("order", "rows stand in canonical order", _plain(structure.check_order)),
        Check("datasets", "the tables name the same datasets", _plain(structure.check_datasets), ("datasets",)),
        Check(
            "coverage",
            "every set of tasks has its histograms, and every metric",
            _plain(structure.check_coverage),
            ("datasets", "candidates"),
        ),
        Check(
            "statistics",
            "statistics of datasets do not conflict",
            _plain(ranges.check_statistics),
            ("datasets",),
        ),
        Check(
            "candidates",
            "1 <= N <= number of entities; weights from 0 to 1",
            _plain(ranges.check_candidates),
            ("datasets", "candidates"),
        ),
        Check(
            "tasks",
            "as many tasks as rows of the split that are ranked",
            _plain(ranges.check_tasks),
            ("datasets", "candidates"),
        ),
        Check(
            "constants",
            "expectations between worst and best, variances within",
            _plain(ranges.check_constants),
            ("candidates", "constants"),
        ),
        Check("errors", "errors are small", _plain(ranges.check_errors), ("constants",)),
        Check("pooling", "both sides pool head and tail", _plain(laws.check_pooling), ("candidates", "constants")),
        Check(
            "filters",
            "a wider filter never leaves more candidates",
            _plain(laws.check_filters),
            ("datasets", "candidates"),
        ),
        Check(
            "macro",
            "weights are 1 / k, and pool to the candidates",
            _plain(laws.check_macro),
            ("candidates", "macro_candidates"),
        ),
        Check(
            "relations",
            "relations pool to the candidates",
            _plain(laws.check_relations),
            ("datasets", "candidates", "candidates_by_relation"),
        ),
        Check("inequalities", "Hits@k and means in their order", _plain(laws.check_inequalities), ("constants",)),
        Check(
            "rebuild", "constants computed from the histograms", rebuild_constants, ("candidates", "constants"), True
        ),
        Check(
            "sources",
            "histograms counted from the triples",
            rebuild_histograms,
            ("datasets", "candidates"),
            True,
        ),
    )
}
"""Name to check, in the order in which they are run."""

Status = Literal["ok", "failed", "not run"]


@dataclass(frozen=True)
class Result:
    """What came of a check.

    Attributes
    ----------
    check
        The check.
    status
        ``ok``, also with warnings and notes; ``failed``; or ``not run``, because a table could not be read.
    rows
        How many rows or files were looked at.
    findings
        What is not as it should be.
    seconds
        How long it took.
    """

    check: Check
    status: Status
    rows: int
    findings: tuple[Finding, ...]
    seconds: float


def run_checks(tables: TableSet, means: Means | None = None) -> Iterator[Result]:
    """Run the checks one after another.

    Parameters
    ----------
    tables
        The set.
    means
        For rebuilding. If None, nothing is rebuilt.

    Yields
    ------
    Result
        Of each check; those that a set of this version has nothing for are left out.
    """
    for check in CHECKS.values():
        if check.rebuild and means is None:
            continue
        if not {*check.needs} <= {*tables_of(tables.version)}:
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
                checked = check.examine(tables, means or Means())
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            # Rows of a kind that nobody thought of: the other checks may still tell what is wrong with them.
            reason = Finding(f"the check could not be finished: {type(error).__name__}: {error}")
            checked = Checked(0, (reason,))
        failed = any(finding.level == "failed" for finding in checked.findings)
        seconds = time.perf_counter() - started
        yield Result(check, "failed" if failed else "ok", checked.rows, checked.findings, seconds)
