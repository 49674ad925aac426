"""Values that no ranks can give, each by itself."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rankconst.checks.lint.bounds import exceeds
from rankconst.checks.lint.findings import Finding
from rankconst.constants.published import Interval
from rankconst.results.reading import Measured

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rankconst.checks.lint.cases import Case


def find_impossible_values(cases: Sequence[Case]) -> Iterable[Finding]:
    """Find what is no number, shares that are percentages, and values beyond the best or the worst ranker's.

    Percentages are one finding for all of a column.
    """
    percentages: dict[tuple[str, str], list[Measured]] = {}
    for case in cases:
        yield from _find_unreadable(case)
        for m in case.measured:
            if m.entry.adjustment is not None or m.entry.metric.optimum is None:
                continue
            if m.entry.metric.is_share and m.interval.lower > 1 and m.value <= 100:
                percentages.setdefault((m.label, m.entry.column), []).append(m)
            else:
                yield from _find_outside(case, m)
    for (label, column), found in percentages.items():
        largest = max(found, key=lambda m: m.value)
        yield Finding(
            rule="range",
            severity="error",
            values=tuple(found),
            label="",
            inequality=f"0 <= {label} <= 1",
            statement=f"{len(found):,} {'value' if len(found) == 1 else 'values'} under {column} beyond 1, "
            f"up to {largest.entry.text}.",
            cause="Percentages without a sign (--percent), or another metric under that name.",
        )


def _find_unreadable(case: Case) -> Iterable[Finding]:
    for entry, reason in case.unreadable:
        nothing = Measured(entry, math.nan, Interval(math.nan, math.nan))
        yield Finding(
            rule="range",
            severity="error",
            values=(nothing,),
            label=case.group.label,
            inequality=f"{nothing.label} is a number",
            statement=f"under {entry.column}: {reason}",
        )


def _find_outside(case: Case, m: Measured) -> Iterable[Finding]:
    metric = m.entry.metric
    low, high, assumed, where = metric.lower, metric.upper, False, ""
    histogram = case.widest
    if histogram is not None and case.tasks is not None:
        worst = metric.worst(histogram.num_candidates, histogram.num_tasks * histogram.weights)
        low, high = sorted((worst, worst if metric.optimum is None else metric.optimum))
        assumed = case.assumed
        where = f" on {case.tasks.dataset} {case.tasks.split} {case.tasks.side}"
        where += "" if assumed else f" under protocol {case.tasks.protocol}"
    if not (exceeds(m.interval.lower, high) or exceeds(low, m.interval.upper)):
        return
    beyond_worst = (m.value < low) == metric.increasing
    yield Finding(
        rule="range",
        # Beyond the worst ranker lies a number of other tasks; beyond the best, one of no tasks.
        severity="warning" if assumed and beyond_worst and metric.lower <= m.value <= metric.upper else "error",
        values=(m,),
        label=case.group.label,
        inequality=f"{low:.6g} <= {metric.label} <= {high:.6g}",
        statement=f"{m} is impossible{where}.",
        cause=_guess(m, beyond_worst=beyond_worst),
    )


def _guess(m: Measured, *, beyond_worst: bool) -> str:
    metric = m.entry.metric
    if metric.lower == 1 and m.value < 1:
        return "A mean of ranks is at least 1: an MRR or a share under the wrong name?"
    if metric.is_share and m.value > 1:
        return "A share is at most 1: a mean of ranks under the wrong name?"
    if beyond_worst:
        return "Another dataset, split, side or protocol: here even the worst ranker does better."
    return "A slip, or another metric under that name."
