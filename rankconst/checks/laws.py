"""The laws that any ranks obey, each as one function under ``@rule``.

Laws are applied and listed in the order of this file. A function gets one evaluation
(a :class:`~rankconst.checks.case.Case`), or all evaluations of a file, and yields the numbers that
break the law. Every comparison allows for the rounding of the numbers.
"""

from __future__ import annotations

import functools
import itertools
import math
from typing import TYPE_CHECKING

import numpy as np

from rankconst.catalogue.metrics import CATALOGUE
from rankconst.checks.case import Finding, Mean, rule
from rankconst.names import count_of
from rankconst.results.reading import Measured
from rankconst.values.bounds import (
    PERFECT,
    bound_by_hits,
    exceeds,
    largest_reciprocal,
    least_mean_rank,
)
from rankconst.values.published import Interval

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rankconst.catalogue.metrics import Metric
    from rankconst.checks.case import Case, Severity


DIVERGED = "not-a-number"
"""The key of the rule on scores that are no numbers."""

_MRR = CATALOGUE["inverse_harmonic_mean_rank"]


@rule(
    DIVERGED,
    title="scores that are numbers",
    inequality="not MR 0 or 1/2, nor MRR 2 or infinite",
    why="No rank is below 1; tools rank scores that are not numbers (NaN) 0 or 1/2, or first.",
)
def _find_no_scores(case: Case) -> Iterator[Finding]:
    """Find numbers, such as an MR of 0, that scores which are not numbers give."""
    for number in case.of_no_scores:
        statement = (
            f"{number.label} {number.entry.text}: the scores were not numbers (NaN), and nothing "
            "of this evaluation counts."
        )
        cause = (
            "Training diverged, or scores overflowed: PyKEEN, OGB, TGB, TorchKGE and OpenKE rank "
            "such scores first."
        )
        yield Finding(values=(number,), inequality="", statement=statement, cause=cause)

    reciprocal, first = case.base_values.get(_MRR), case.hits.get(1)
    if case.diverged or reciprocal is None or first is None:
        return

    if reciprocal.value == first.value == 1:
        yield Finding(values=(reciprocal, first), inequality="", statement=PERFECT, severity="info")


# -- ranges and columns ----------------------------------------------------------------------------


@rule(
    "range",
    title="a value that its metric can take",
    inequality="worst <= M <= optimum; M / E[M] >= 0; index <= 1",
    why="The worst ranker puts every true answer last, the best one first, with index 1.",
    whole_file=True,
)
def _find_impossible_values(cases: Sequence[Case]) -> Iterator[Finding]:
    """Find texts that are not numbers, and numbers out of the range of their metric."""
    # Shares above 1 of a whole column are one finding, so the rule is about the whole file.
    percentages: dict[tuple[str, str], list[Measured]] = {}
    for case in cases:
        yield from _find_no_numbers(case)
        for number in case.measured:
            adjustment = number.entry.adjustment
            if adjustment == "z" or number.entry.metric.optimum is None:
                continue
            if _looks_like_percentage(number):
                percentages.setdefault((number.label, number.entry.column), []).append(number)
            elif adjustment is not None:
                yield from _find_adjusted_outside(case, number)
            else:
                yield from _find_outside(case, number)

    for shares in percentages.values():
        yield _describe_percentages(shares)


def _find_no_numbers(case: Case) -> Iterator[Finding]:
    """Report texts that cannot be read as numbers."""
    for entry, reason in case.unreadable:
        nothing = Measured(entry, math.nan, Interval(math.nan, math.nan))
        inequality = f"{nothing.label} is a number"
        statement = f"under {entry.column}: {reason}"
        yield Finding((nothing,), inequality, statement, label=case.group.label)


def _looks_like_percentage(number: Measured) -> bool:
    """Return True for a share above 1 that may be a percentage without a sign."""
    adjustment = number.entry.adjustment
    share = adjustment == "index" or (adjustment is None and number.entry.metric.is_share)
    return share and exceeds(number.interval.lower, 1) and number.value <= 100


def _describe_percentages(shares: Sequence[Measured]) -> Finding:
    """Return one finding for all shares of a column that may be percentages."""
    largest = max(shares, key=lambda number: number.value)
    label, entry = largest.label, largest.entry
    inequality = f"{label} <= 1" if entry.adjustment else f"0 <= {label} <= 1"
    values = count_of(len(shares), "value")
    statement = f"{values} under {entry.column} beyond 1, up to {entry.text}."
    option = " (--percent)" if entry.metric.is_share else ""
    cause = f"Percentages without a sign{option}, or another metric under that name."
    return Finding(values=tuple(shares), inequality=inequality, statement=statement, cause=cause)


def _find_outside(case: Case, number: Measured) -> Iterator[Finding]:
    """Find an unadjusted number that is better than the best ranker or worse than the worst."""
    metric = number.entry.metric
    low, high = metric.lower, metric.upper
    histogram = case.widest
    if histogram is not None:
        worst = metric.worst(histogram.num_candidates, histogram.row_weights)
        optimum = worst if metric.optimum is None else metric.optimum
        low, high = sorted((worst, optimum))

    if not (exceeds(number.interval.lower, high) or exceeds(low, number.interval.upper)):
        return

    beyond_worst = (number.value < low) == metric.increasing  # below an MRR, or above an MR
    is_open = (
        histogram is not None and case.assumed and metric.lower <= number.value <= metric.upper
    )
    yield Finding(
        values=(number,),
        inequality=f"{low:.6g} <= {metric.label} <= {high:.6g}",
        statement=f"{number} is impossible{case.where}.",
        cause=_guess(number, beyond_worst=beyond_worst),
        # A number beyond the worst ranker may be of other tasks. Beyond the best it is of none.
        severity="warning" if is_open and beyond_worst else "error",
        label=case.group.label,
    )


def _find_adjusted_outside(case: Case, number: Measured) -> Iterator[Finding]:
    """Find an index above 1, or a normalised value below 0."""
    if number.entry.adjustment == "index":
        inequality, is_outside = f"{number.label} <= 1", exceeds(number.interval.lower, 1.0)
    else:
        inequality, is_outside = f"{number.label} >= 0", exceeds(0.0, number.interval.upper)

    if is_outside:
        statement = f"{number} is impossible on any tasks."
        cause = "A slip, or another metric under that name."
        yield Finding(
            values=(number,),
            inequality=inequality,
            statement=statement,
            cause=cause,
            label=case.group.label,
        )


def _guess(number: Measured, *, beyond_worst: bool) -> str:
    """Guess why a number is impossible."""
    is_mean_of_ranks = number.entry.metric.lower == 1
    if is_mean_of_ranks and number.value < 1:
        return "A mean of ranks is at least 1: an MRR or a share under the wrong name?"
    if number.entry.metric.is_share and number.value > 1:
        return "A share is at most 1: a mean of ranks under the wrong name?"
    if beyond_worst:
        return "Another dataset, split, side or protocol: here even the worst ranker does better."
    return "A slip, or another metric under that name."


def overlap(first: Interval, second: Interval) -> bool:
    """Return True if two intervals meet within rounding."""
    return not (exceeds(first.lower, second.upper) or exceeds(second.lower, first.upper))


# -- hits and means --------------------------------------------------------------------------------


@rule(
    "hits-monotone",
    title="hits grow with k",
    inequality="Hits@j <= Hits@k for j < k",
    why="A rank of at most j is at most k.",
)
def _find_decreasing_hits(case: Case) -> Iterator[Finding]:
    """Find hits that are below those of a smaller k."""
    largest = None  # of the hits so far, by ascending k, the one that is surely the largest
    for number in case.hits.values():
        if largest is not None and exceeds(largest.interval.lower, number.interval.upper):
            inequality = f"{largest.label} <= {number.label}"
            cause = "One of the two is a slip, or they are exchanged."
            yield Finding(
                values=(largest, number),
                inequality=inequality,
                statement=f"{largest} is above {number}.",
                cause=cause,
            )

        if largest is None or number.interval.lower > largest.interval.lower:
            largest = number


@rule(
    "mrr-from-hits",
    title="MRR within what the hits allow",
    inequality=(
        "sum (H_i - H_(i-1)) / k_i + (1 - H_m) / N <= MRR <= "
        "sum (H_i - H_(i-1)) / (k_(i-1) + 1) + (1 - H_m) / (k_m + 1)"
    ),
    why="Each share of ranks is last in its range, or first: k + 1, or k + 1/2 in case of ties.",
)
def _find_reciprocals_against_hits(case: Case) -> Iterator[Finding]:
    yield from _compare_with_hits(case, "MRR")


@rule(
    "mr-from-hits",
    title="MR within what the hits allow",
    inequality=(
        "sum (H_i - H_(i-1)) (k_(i-1) + 1) + (1 - H_m) (k_m + 1) <= MR <= "
        "sum (H_i - H_(i-1)) k_i + (1 - H_m) N"
    ),
    why="As for the MRR; there is an upper bound only where N, the most candidates, is known.",
)
def _find_means_against_hits(case: Case) -> Iterator[Finding]:
    yield from _compare_with_hits(case, "MR")


def _name_runs(possible: bool) -> str:
    """Name another possible cause of a mean beyond its bound."""
    return ", or a mean over several runs" if possible else ""


def _compare_with_hits(case: Case, label: str) -> Iterator[Finding]:
    """Find a mean that is beyond the bound by hits, and report the surest bound."""
    mean = case.mean(label)
    # Hits of which one falls bound nothing.
    if mean is None or not case.hits or any(_find_decreasing_hits(case)):
        return

    lower, upper = zip(*(number.interval for number in case.hits.values()), strict=True)
    # The surest bounds come first.
    mosts = [case.most]
    if case.assumed and math.isfinite(case.most):
        mosts = [math.inf, case.most]

    intervals = [mean.over_runs]
    if not case.averaged and mean.interval != mean.over_runs:
        intervals.append(mean.interval)

    for interval, most in itertools.product(intervals, mosts):
        bounds = bound_by_hits([*case.hits], lower, upper, case.step, most)
        bound = bounds.reciprocal if label == "MRR" else bounds.rank
        is_large = exceeds(interval.lower, bound.upper)
        if is_large or exceeds(bound.lower, interval.upper):
            runs = interval is not mean.over_runs
            yield _describe_beyond(case, label, mean, bound, most, is_large=is_large, runs=runs)
            return


def _describe_beyond(
    case: Case,
    label: str,
    mean: Mean,
    bound: Interval,
    most: float,
    *,
    is_large: bool,
    runs: bool,
) -> Finding:
    """Report a mean beyond the bound by hits. `runs`: a mean over several runs may be there."""
    hits = list(case.hits.values())
    # The bound is reached with all ranks at the first, or the last, of the range between two hits:
    # the least MRR and the largest MR with all at the last.
    reciprocal = label == "MRR"
    at_last = not is_large if reciprocal else is_large
    if at_last:
        ranks = [*(min(k, most) for k in case.hits), most]
    else:
        ranks = [1.0, *(min(k + case.step, most) for k in case.hits)]

    formula = _write_mean([number.label for number in hits], ranks, reciprocal=reciprocal)
    sign, word, limit = (">=", "least", bound.lower)
    if is_large:
        sign, word, limit = ("<=", "most", bound.upper)

    by_most = at_last and math.isfinite(most)
    named = f"an {label} of " if mean.inverted else ""
    candidates = f" with at most {most:,.0f} candidates" if by_most else ""
    # With more candidates, an MRR changes by less than a rounding.
    is_open = case.is_open if reciprocal else case.assumed
    listed = ", ".join(str(number) for number in hits)
    allowed = f"{named}at {word} {limit:.6g}{candidates}"
    return Finding(
        values=(mean.measured, *hits),
        inequality=f"{label} {sign} {formula}",
        statement=f"{mean.measured} is impossible: {listed} allow {allowed}.",
        cause=f"One of these numbers is of another evaluation, or a slip{_name_runs(runs)}.",
        severity="warning" if (by_most and is_open) or runs else "error",
    )


def _write_mean(hits: list[str], ranks: list[float], *, reciprocal: bool) -> str:
    """Write a mean with each share at one rank: Hits@1 + (Hits@3 - Hits@1)/2 + (1 - Hits@3)/4."""
    differences = [f"({after} - {before})" for before, after in itertools.pairwise([*hits, "1"])]
    terms = []
    for share, rank in zip([hits[0], *differences], ranks, strict=True):
        if rank == 1:
            terms.append(share)
        elif math.isfinite(rank):
            terms.append(f"{share}/{rank:g}" if reciprocal else f"{rank:g} {share}")

    return " + ".join(terms)


@rule(
    "mr-from-mrr",
    title="MR at least what the MRR allows",
    inequality="MR >= 2 r + 1 - r (r + 1) MRR >= 1 / MRR, r = floor(1 / MRR)",
    why="The lower convex hull of the points (1/r, r), above the bound 1 / MRR of the means.",
)
def _find_small_mean_ranks(case: Case) -> Iterator[Finding]:
    """Find an MR that is too small for the MRR next to it."""
    mean, reciprocal = case.mean("MR"), case.mean("MRR")
    if mean is None or reciprocal is None or reciprocal.interval.upper <= 0:
        return

    mrr, mr = reciprocal.interval.upper, mean.interval.upper
    least = least_mean_rank(mrr, case.step)
    # Means over several runs have the same bound. If one of the two was computed from its inverse,
    # only MR >= 1 / MRR is sure; if both were, only MR >= 1.
    least_over_runs = least
    if mean.inverted and reciprocal.inverted:
        least_over_runs = 1.0
    elif mean.inverted or reciprocal.inverted:
        least_over_runs = 1 / mrr

    is_possible_over_runs = not exceeds(least_over_runs, mr)
    if exceeds(least, mr) and not (is_possible_over_runs and case.averaged):
        rank = 1 + case.step * math.floor((1 / mrr - 1) / case.step)
        yield Finding(
            values=(mean.measured, reciprocal.measured),
            inequality=(
                f"MR >= {2 * rank + case.step:g} - {rank * (rank + case.step):g} MRR >= 1/MRR"
            ),
            statement=(
                f"{mean.measured} is impossible: {reciprocal.measured} needs a mean rank of at "
                f"least {least:.6g}."
            ),
            cause=(
                "MR and MRR are of different evaluations, or one of them is a "
                f"slip{_name_runs(is_possible_over_runs)}."
            ),
            severity="warning" if is_possible_over_runs else "error",
        )


@rule(
    "mrr-from-mr",
    title="MRR at most what the MR allows",
    inequality="MRR <= 1 - (1/n) sum (r_i - 1) / N_i, tasks with many candidates first",
    why="The chord 1/r <= 1 - (r - 1)/N over 1..N; needs the candidates.",
)
def _find_reciprocals_too_large(case: Case) -> Iterator[Finding]:
    """Find an MRR that is too large for the MR next to it."""
    mean, reciprocal, histogram = case.mean("MR"), case.mean("MRR"), case.widest
    if mean is None or reciprocal is None or histogram is None:
        return

    largest = largest_reciprocal(mean.over_runs.lower, histogram)
    if exceeds(reciprocal.over_runs.lower, largest):
        yield Finding(
            values=(mean.measured, reciprocal.measured),
            inequality="MRR <= 1 - (1/n) sum (r_i - 1)/N_i",
            statement=(
                f"{reciprocal.measured} is impossible: {mean.measured} allows an MRR of at most "
                f"{largest:.6g} with at most {case.most:,.0f} candidates."
            ),
            cause=(
                "MR and MRR are of different evaluations or of another dataset, or one of them "
                "is a slip."
            ),
            severity="warning" if case.assumed else "error",
        )


# Terms of metrics are compared at ranks 1, 1.5, 2 ... up to here, and at powers of 2 beyond any k.
_MOST_RANKS = 10_000
_FAR = 2.0 ** np.arange(1, 54)


@rule(
    "gains-in-order",
    title="nDCG, MRR and Hits, cut at k or not, within each other's bounds",
    inequality=(
        "MRR@k <= nDCG@k <= Hits@k <= k MRR@k; Hits@k <= log2(1 + k) nDCG@k; none falls if k grows"
    ),
    why="For each task 1/r <= 1/log2(1 + r) <= 1, and beyond k each adds 0; so for the means.",
)
def _find_gains_out_of_order(case: Case) -> Iterator[Finding]:
    """Find pairs of nDCG, MRR and Hits of which one is too large for the other."""
    shares = {}
    for metric, number in case.base_values.items():
        if metric.is_mean and metric.is_share:
            shares[metric] = Mean(number, number.interval, number.interval)

    reciprocal = case.mean("MRR")
    if reciprocal is not None:
        shares[_MRR] = reciprocal

    wrong: set[Metric] = set()  # those in a finding: one for each is enough
    for smaller, larger in itertools.permutations(shares, 2):
        pair = {smaller, larger}
        # Hits and the MRR alone have sharper rules.
        if pair & wrong or all(metric == _MRR or metric.hits_k for metric in pair):
            continue
        factor = bound_ratio(smaller, larger)
        limit = factor * shares[larger].over_runs.upper
        if not exceeds(shares[smaller].over_runs.lower, limit):
            continue
        wrong |= pair
        too_large, bound = shares[smaller].measured, shares[larger].measured
        severity: Severity = "error"
        cause = "A slip, an nDCG with a cut-off that is not named, or several right answers a task."
        if any("recall" in number.entry.column.lower() for number in (too_large, bound)):
            severity = "warning"
            cause = "Recall@k is Hits@k only if each task has one right answer."

        scale = "" if factor == 1 else f"{factor:.6g} "
        yield Finding(
            values=(too_large, bound),
            inequality=f"{smaller.label} <= {scale}{larger.label}",
            statement=f"{too_large} is impossible: {bound} allows at most {limit:.6g}.",
            cause=cause,
            severity=severity,
        )


@functools.cache
def bound_ratio(first: Metric, second: Metric) -> float:
    """Return the largest ratio of two metrics for any ranks, which may be infinite.

    Both are means over tasks, so that it is the largest ratio of their terms of a single rank.
    """
    largest_k = max(first.k or 1, second.k or 1)
    # Ranks of ties can be halves. At k + 1/2 a metric that is cut at k adds nothing any more.
    near = np.arange(1, min(largest_k, _MOST_RANKS) + 1.5, 0.5)
    ranks = np.concatenate([near, _FAR, [largest_k, largest_k + 0.5]])
    numerators, denominators = first.take(ranks), second.take(ranks)
    is_zero = denominators == 0  # beyond the k of the second
    if (numerators[is_zero] > 0).any():
        return math.inf

    ratios = numerators[~is_zero] / denominators[~is_zero]
    if ranks[~is_zero][np.argmax(ratios)] == _FAR[-1]:  # the terms still grow far beyond any k
        return math.inf
    return float(ratios.max())
