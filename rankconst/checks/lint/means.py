"""Means of ranks against one another, and against shares of hits."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

from rankconst.catalogue.metrics import INVERSES, POWER_MEANS, SQUARES
from rankconst.checks.lint.bounds import (
    bound_mean_rank_by_hits,
    bound_reciprocal_by_hits,
    exceeds,
    largest_reciprocal,
    least_mean_rank,
)
from rankconst.checks.lint.cases import invert
from rankconst.checks.lint.findings import Finding
from rankconst.checks.lint.shares import has_growing_hits
from rankconst.constants.published import Interval

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rankconst.checks.lint.cases import Case
    from rankconst.results.reading import Measured


def find_reciprocals_against_hits(cases: Sequence[Case]) -> Iterable[Finding]:
    """Find an MRR outside what the shares of hits allow."""
    for case in cases:
        found = case.mean("HMR")
        if found is None or not has_growing_hits(case):
            continue
        m, harmonic = found
        bound = bound_reciprocal_by_hits(_hits(case), case.step, case.most)
        yield from _compare(case, "MRR", m, invert(harmonic), bound)


def find_means_against_hits(cases: Sequence[Case]) -> Iterable[Finding]:
    """Find an MR outside what the shares of hits allow."""
    for case in cases:
        found = case.mean("MR")
        if found is None or not has_growing_hits(case):
            continue
        m, interval = found
        bound = bound_mean_rank_by_hits(_hits(case), case.step, case.most)
        yield from _compare(case, "MR", m, interval, bound)


def _hits(case: Case) -> dict[int, Interval]:
    return {k: m.interval for k, m in case.hits.items()}


def _compare(case: Case, label: str, m: Measured, interval: Interval, bound: Interval) -> Iterable[Finding]:
    """Compare MRR or MR with what hits allow."""
    most, hits = case.most, case.hits
    too_large, too_small = exceeds(interval.lower, bound.upper), exceeds(bound.lower, interval.upper)
    if not (too_large or too_small):
        return
    # MRR is largest, and MR least, with all ranks at the first of their range.
    at_last = too_large != (label == "MRR")
    ranks = [*(min(k, most) for k in hits), most] if at_last else [1.0, *(min(k + case.step, most) for k in hits)]
    formula = _write_mean(list(hits.values()), ranks, reciprocal=label == "MRR")
    limit, word = (bound.upper, "most") if too_large else (bound.lower, "least")
    yield Finding(
        rule=f"{label.lower()}-from-hits",
        severity="warning" if at_last and case.assumed and math.isfinite(most) else "error",
        values=(m, *hits.values()),
        label=case.group.label,
        inequality=f"{label} {'<=' if too_large else '>='} {formula}",
        statement=f"{m} is impossible: {', '.join(map(str, hits.values()))} allow at {word} {limit:.6g}"
        + (f" with at most {most:,.0f} candidates." if at_last and math.isfinite(most) else "."),
        cause="One of these numbers is of another evaluation, or a slip.",
    )


def _write_mean(hits: list[Measured], ranks: list[float], *, reciprocal: bool) -> str:
    """Write the mean that puts each share at one rank: Hits@1 + (Hits@3 - Hits@1)/2 + (1 - Hits@3)/4."""
    names = [m.label for m in hits]
    shares = [names[0], *(f"({after} - {before})" for before, after in itertools.pairwise([*names, "1"]))]
    return " + ".join(
        share if rank == 1 else f"{share}/{rank:g}" if reciprocal else f"{rank:g} {share}"
        for share, rank in zip(shares, ranks, strict=True)
        if math.isfinite(rank)
    )


def find_small_mean_ranks(cases: Sequence[Case]) -> Iterable[Finding]:
    """Find an MR below every MR that the MRR allows, which is an MRR below every MRR that the MR allows."""
    for case in cases:
        mean, harmonic = case.mean("MR"), case.mean("HMR")
        if mean is None or harmonic is None or math.isinf(harmonic[1].lower):
            continue
        least = least_mean_rank(1 / harmonic[1].lower, case.step)
        if not exceeds(least, mean[1].upper):
            continue
        rank = 1 + case.step * math.floor((harmonic[1].lower - 1) / case.step)
        yield Finding(
            rule="mr-from-mrr",
            severity="error",
            values=(mean[0], harmonic[0]),
            label=case.group.label,
            inequality=f"MR >= {2 * rank + case.step:g} - {rank * (rank + case.step):g} MRR >= 1/MRR",
            statement=f"{mean[0]} is impossible: {harmonic[0]} needs a mean rank of at least {least:.6g}.",
            cause="MR and MRR are of different evaluations, or one of them is a slip.",
        )


def find_reciprocals_too_large(cases: Sequence[Case]) -> Iterable[Finding]:
    """Find an MRR above every MRR that the MR allows; for that the numbers of candidates must be known."""
    for case in cases:
        mean, harmonic, histogram = case.mean("MR"), case.mean("HMR"), case.widest
        if mean is None or harmonic is None or histogram is None:
            continue
        largest = largest_reciprocal(mean[1].lower, histogram)
        if exceeds(1 / harmonic[1].upper, largest):
            yield Finding(
                rule="mrr-from-mr",
                severity="warning" if case.assumed else "error",
                values=(mean[0], harmonic[0]),
                label=case.group.label,
                inequality="MRR <= 1 - (1/n) sum (r_i - 1)/N_i",
                statement=f"{harmonic[0]} is impossible: {mean[0]} allows an MRR of at most {largest:.6g} "
                f"with at most {case.most:,.0f} candidates.",
                cause="MR and MRR are of different evaluations or of another dataset, or one of them is a slip.",
            )


def find_unordered_means(cases: Sequence[Case]) -> Iterable[Finding]:
    """Find a power mean above one with a larger exponent."""
    names = [metric.label for metric in POWER_MEANS]
    for case in cases:
        for low, high in itertools.combinations(names, 2):
            less, more = case.mean(low), case.mean(high)
            # mr-from-mrr is sharper for that pair.
            if less is None or more is None or (low, high) == ("HMR", "MR"):
                continue
            if exceeds(less[1].lower, more[1].upper):
                yield Finding(
                    rule="power-means",
                    severity="error",
                    values=(less[0], more[0]),
                    label=case.group.label,
                    inequality=f"{low} <= {high}",
                    statement=f"{less[0]} and {more[0]} are not of the same ranks: {low} is at least "
                    f"{less[1].lower:.6g}, {high} at most {more[1].upper:.6g}.",
                    cause="The two are of different evaluations, or one of them is a slip.",
                )


def find_medians_against_hits(cases: Sequence[Case]) -> Iterable[Finding]:
    """Find a median rank on the wrong side of a k. A share of exactly one half says nothing: n may be even."""
    for case in cases:
        median = case.mean("MdR")
        if median is None or median[0].averaged:
            continue
        m, interval = median
        for k, hits in case.hits.items():
            if hits.averaged:
                continue
            if exceeds(hits.interval.lower, 0.5) and exceeds(interval.lower, k):
                inequality, share = f"{hits.label} > 1/2 only if MdR <= {k}", "more"
            elif exceeds(0.5, hits.interval.upper) and exceeds(k + case.step, interval.upper):
                inequality, share = f"{hits.label} < 1/2 only if MdR >= {k + case.step:g}", "less"
            else:
                continue
            yield Finding(
                rule="median-from-hits",
                severity="error",
                values=(m, hits),
                label=case.group.label,
                inequality=inequality,
                statement=f"{m} is impossible: {hits} says that {share} than half of the ranks are at most {k}.",
                cause="The two are of different evaluations, or the median is a mean of several medians.",
            )


def find_unequal_inverses(cases: Sequence[Case]) -> Iterable[Finding]:
    """Find a metric and its inverse whose product is not 1, or a variance that is not the square of the deviation."""
    for case in cases:
        for pair in INVERSES:
            m, other = map(case.own.get, pair)
            if m is not None and other is not None and not (m.averaged or other.averaged):
                expected = invert(other.interval)
                yield from _compare_same(case, m, other, expected, f"{m.label} {other.label} = 1")
        for pair in SQUARES:
            root, square = map(case.own.get, pair)
            if root is not None and square is not None and not (root.averaged or square.averaged):
                squared = Interval(*(end**2 for end in root.interval))
                yield from _compare_same(case, square, root, squared, f"{square.label} = {root.label}^2")


def _compare_same(case: Case, m: Measured, other: Measured, expected: Interval, inequality: str) -> Iterable[Finding]:
    if exceeds(m.interval.lower, expected.upper) or exceeds(expected.lower, m.interval.upper):
        yield Finding(
            rule="inverse-pairs",
            severity="error",
            values=(m, other),
            label=case.group.label,
            inequality=inequality,
            statement=f"{m} and {other} are not of the same ranks: {other.label} makes {m.label} "
            f"{expected.lower:.6g} to {expected.upper:.6g}.",
            cause="The two are of different evaluations or sides, or a mean over several of them.",
        )
