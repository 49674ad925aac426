"""Shares and means of n ranks: a share of hits is a whole multiple of 1/n, and n MR is whole but for ties."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankconst.catalogue.metrics import CATALOGUE
from rankconst.checks.lint.bounds import holds_multiple
from rankconst.checks.lint.cases import count_tasks
from rankconst.checks.lint.findings import Finding

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rankconst.checks.lint.cases import Case
    from rankconst.results.reading import Measured


_SHOWN = 3
"""How many other sets of tasks a message names."""


def find_broken_hits(cases: Sequence[Case]) -> Iterable[Finding]:
    """Find shares of hits that no number of hits among n gives: one finding for an evaluation."""
    for case in cases:
        yield from _find_broken(case, "multiple-of-1/n", list(case.hits.values()), 1.0, "n {} is whole")


def find_broken_ranks(cases: Sequence[Case]) -> Iterable[Finding]:
    """Find an MR that no n ranks give; ranks that are means of the best and the worst may be halves."""
    for case in cases:
        m = case.own.get(CATALOGUE["arithmetic_mean_rank"])
        if m is not None:
            written = "n {} is whole" if case.step == 1 else "2 n {} is whole"
            yield from _find_broken(case, "sum-of-ranks", [m], case.step, written)


def _find_broken(case: Case, rule: str, measured: list[Measured], step: float, inequality: str) -> Iterable[Finding]:
    n = case.num_tasks
    if n is None:
        return
    single = [m for m in measured if not m.averaged]
    broken = [m for m in single if not holds_multiple(m.interval, step / n)]
    if not broken:
        return
    others = _name_fitting(case, single, step)
    stated = case.group.context.num_tasks is not None
    yield Finding(
        rule=rule,
        # Who published may have ranked other tasks; a number stated beside is of the same program.
        severity="error" if stated else "warning",
        values=tuple(broken),
        label=case.group.label,
        inequality=" and ".join(inequality.format(m.label) for m in broken),
        statement=f"no {n:,} ranks have {', '.join(map(str, broken))}"
        + (" (the file states their number)." if stated else f": that is n {_name_tasks(case)}."),
        cause=f"They fit {others}." if others else "A mean over several runs or over sides, or other ranking tasks.",
    )


def _name_tasks(case: Case) -> str:
    tasks = case.tasks
    if tasks is None:
        return ""
    assumed = ", which is assumed" if case.assumed else ""
    return f"of {tasks.dataset} {tasks.split} {tasks.side} under protocol {tasks.protocol}{assumed}"


def _name_fitting(case: Case, measured: list[Measured], step: float) -> str:
    """Name other tasks of the dataset whose number all values fit, where that is no matter of course."""
    if case.archive is None or case.tasks is None:
        return ""
    found: dict[int, str] = {}
    for other in case.archive.list_others(case.tasks):
        n = count_tasks(case.archive, other, case.tool)
        if n is None or n in found:
            continue
        # An interval wider than the unit fits any n.
        telling = any(m.interval.upper - m.interval.lower < step / n for m in measured)
        if telling and all(holds_multiple(m.interval, step / n) for m in measured):
            found[n] = f"n = {n:,} of {other.split} {other.side} under protocol {other.protocol}"
    return ", or ".join(list(found.values())[:_SHOWN])


def find_other_counts(cases: Sequence[Case]) -> Iterable[Finding]:
    """Find a stated number of ranks that is not that of the dataset's tasks."""
    for case in cases:
        stated = case.group.context.num_tasks
        if stated is None or case.archive is None or case.tasks is None or not case.measured:
            continue
        expected = count_tasks(case.archive, case.tasks, case.tool)
        if expected is None or expected == stated:
            continue
        others = (
            f"It is that of {other.split} {other.side} under protocol {other.protocol}."
            for other in case.archive.list_others(case.tasks)
            if count_tasks(case.archive, other, case.tool) == stated
        )
        yield Finding(
            rule="task-count",
            severity="warning",
            values=case.measured[:1],
            label=case.group.label,
            inequality="n stated = n of the ranking tasks",
            statement=f"the file counts {stated:,} ranks; there are {expected:,} {_name_tasks(case)}.",
            cause=next(others, "Another dataset, or some tasks were left out."),
        )
