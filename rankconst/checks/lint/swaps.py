"""Columns under one another's heading."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

from rankconst.catalogue.metrics import CATALOGUE
from rankconst.checks.lint.bounds import (
    bound_mean_rank_by_hits,
    bound_reciprocal_by_hits,
    exceeds,
    least_mean_rank,
)
from rankconst.checks.lint.findings import Finding

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rankconst.catalogue.metrics import Metric
    from rankconst.checks.lint.cases import Case
    from rankconst.constants.published import Interval
    from rankconst.results.reading import Measured


_FEWEST = 2
"""In how many evaluations two metrics have to be exchanged: in one, each of several exchanges may mend a slip."""


def find_swapped_columns(cases: Sequence[Case]) -> Iterable[Finding]:
    """Find two metrics such that every evaluation with both is impossible, and possible with the two exchanged."""
    tables = [(case, _list_values(case)) for case in cases]
    wrong = [(case, values) for case, values in tables if not _is_possible(values, case.step)]
    pairs = dict.fromkeys(pair for _, values in wrong for pair in itertools.combinations(values, 2))
    for one, other in pairs:
        both = [(case, values) for case, values in tables if one in values and other in values]
        broken = [(case, values) for case, values in wrong if one in values and other in values]
        if len(both) < _FEWEST or len(broken) < len(both):
            continue
        if all(_is_possible({**v, one: v[other], other: v[one]}, case.step) for case, v in broken):
            yield Finding(
                rule="swapped-columns",
                severity="error",
                values=tuple(m for case, _ in broken for m in _find_values(case, one, other)),
                label="",
                inequality="range, hits-monotone, mrr-from-hits, mr-from-hits and mr-from-mrr together",
                statement=f"{one.label} and {other.label} are exchanged: all {len(both):,} evaluations are impossible "
                "as they stand, and possible with the two the other way round.",
                cause="Two headings, or two columns, changed places.",
            )


def _list_values(case: Case) -> dict[Metric, Interval]:
    return {
        m.entry.metric: m.interval
        for m in case.measured
        if m.entry.adjustment is None and m.entry.metric.optimum is not None
    }


def _find_values(case: Case, *metrics: Metric) -> Iterable[Measured]:
    return (m for m in case.measured if m.entry.adjustment is None and m.entry.metric in metrics)


def _is_possible(values: Mapping[Metric, Interval], step: float) -> bool:
    """Tell whether some ranks have these values, as far as their ranges, hits, MR and MRR tell."""
    if any(exceeds(v.lower, metric.upper) or exceeds(metric.lower, v.upper) for metric, v in values.items()):
        return False
    hits = {metric.k: v for metric, v in values.items() if metric.k is not None}
    ordered = [hits[k] for k in sorted(hits)]
    if any(exceeds(before.lower, after.upper) for before, after in itertools.combinations(ordered, 2)):
        return False
    mean, reciprocal = (values.get(CATALOGUE[f"{name}_mean_rank"]) for name in ("arithmetic", "inverse_harmonic"))
    if hits and reciprocal is not None and not _overlap(reciprocal, bound_reciprocal_by_hits(hits, step)):
        return False
    if hits and mean is not None and not _overlap(mean, bound_mean_rank_by_hits(hits, step)):
        return False
    if mean is None or reciprocal is None or math.isinf(mean.upper):
        return True
    return not exceeds(least_mean_rank(reciprocal.upper, step), mean.upper)


def _overlap(one: Interval, other: Interval) -> bool:
    return not (exceeds(one.lower, other.upper) or exceeds(other.lower, one.upper))
