"""The probability that a random ranker does at least as well as an observed value.

Task i ranks its true answer at r_i ~ Uniform{1 .. N_i}, independently of the others. A z-score
turns an observed value into such a probability through the normal distribution. That fails where
hits are rare (Hits@1 of a random ranker on WN18RR: 0.15 expected among 6,268, so that Hits@1 >=
0.001 has a chance of 10^-9.5 while z = 15.6 says 10^-54.6), and everywhere far from the mean. Here
the distribution itself is used. Under a baseline other than chance, only the distributions of
Hits@k, MR and IAMR are known.

Limits: the distribution of MRR over a few tasks of very many candidates (n much below max N) is a
scatter of atoms; its tail is only bracketed, and the stated error says how loosely. So is GMR's
over a few ranks and a few tasks.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, cast

import numpy as np

from rankconst.catalogue.metrics import CATALOGUE, require_k
from rankconst.doubles import UNIT_ROUNDOFF
from rankconst.errors import DataError, UndefinedError
from rankconst.tails.combinatorics import count_exceedances, count_rank_sums, enumerate_sums
from rankconst.tails.distributions import (
    HitsDistribution,
    LogRankDistribution,
    MixedDistribution,
    RankDistribution,
    ReciprocalDistribution,
    SumDistribution,
    Tail,
)
from rankconst.tails.inversion import invert
from rankconst.tasks import split_offsets, split_weights

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from rankconst.catalogue.answers import AnswersMetric
    from rankconst.catalogue.metrics import Metric
    from rankconst.doubles import Values
    from rankconst.tasks import Histogram

FEW_ULPS = Fraction(8, 2**53)
"""Counts of hits and sums of ranks that a value misses by less, relatively, count as reached."""

# The same for sums of reciprocals and logarithms, which carry the roundings of n terms.
_SUM_SLACK = 1e-12
# With more tasks, that slack is no longer small against the step of a single rank.
_MOST_TASKS = 10**11


def tail_probability(metric: Metric, histogram: Histogram, value: float) -> Tail:
    """Compute the probability that a random ranker does at least as well as `value`.

    That is P(M >= value) for a metric that is better when larger, else P(M <= value). A value that
    no ranks give counts as the next better one that some do: Hits@10 >= 0.533 of 40,932 tasks means
    at least 21,817 hits. A value rounded in print deserves :func:`tail_probabilities` of it and
    both ends of its interval.

    Equality is forgiving: 8 ulps for Hits@k and MR, 1e-12 relative for the others.

    >>> from rankconst.tasks import Histogram
    >>> from rankconst.catalogue.metrics import parse_metric
    >>> tail = tail_probability(parse_metric("hits@1"), Histogram.from_counts([10, 10]), 0.5)
    >>> round(tail.probability, 12)
    0.19
    """
    return tail_probabilities(metric, histogram, [value])[0]


def tail_probabilities(metric: Metric, histogram: Histogram, values: Iterable[float]) -> list[Tail]:
    """Compute :func:`tail_probability` of several values on the same tasks at once."""
    lack = explain_lack(metric, histogram)
    if lack:
        raise UndefinedError(lack)

    if metric.takes_k:
        require_k(metric.k)

    observed = [float(value) for value in values]
    for value in observed:
        if not math.isfinite(value) or not metric.lower <= value <= metric.upper:
            raise DataError(
                f"{metric.label} = {value} is outside its range, "
                f"{metric.lower:g} to {metric.upper:g}."
            )

    rule = TAILS[metric.family]
    if rule.best is not None and histogram.is_weighted:
        # The sum of all terms that gives a value, less the largest possible one.
        mixed, top = _mix(rule, rule.best, histogram, metric)
        sums = [rule.best * histogram.total_weight * value - top for value in observed]
        slack = _SUM_SLACK * histogram.total_weight
        return [_settle(mixed, total, lambda x: invert(mixed, x), slack) for total in sums]

    distribution = rule.make(histogram, metric)
    return [rule.compute(distribution, histogram, value) for value in observed]


def _mix(
    rule: TailRule, best: float, histogram: Histogram, metric: Metric
) -> tuple[MixedDistribution, float]:
    """Return the distribution of sum w_i f(r_i) over weighted tasks, and the largest such sum.

    The metric is the mean of f, or of -f, and `best` is f(1).
    """
    parts, top = [], 0.0
    for weight, part in split_weights(histogram):
        distribution = rule.make(part, metric)
        # The n tasks of a part add at most weight (n best - lost). What is lost are the tasks that
        # cannot hit, or of ranks on blocks, a + 1 .. a + T, the sum of all a.
        if isinstance(distribution, HitsDistribution):
            lost = distribution.missed
        else:
            _, lost = split_offsets(part)

        if len(distribution.tasks):
            parts.append((weight, distribution))

        top += weight * (best * part.total - lost)

    return MixedDistribution(parts), top


def explain_lack(metric: Metric, histogram: Histogram) -> str:
    """Return the reason why there is no tail probability; empty if there is one."""
    label, rule = metric.label, TAILS.get(metric.family)
    if histogram.is_weighted and (rule is None or rule.best is None):
        known = _list_labels(family for family, row in TAILS.items() if row.best is not None)
        return (
            f"no tail probability of {label} is known for tasks of unlike weights, only of {known}."
        )
    if histogram.total > _MOST_TASKS:
        return (
            f"no tail probability is computed for more than {_MOST_TASKS:,} tasks; "
            f"here are {histogram.total:,}."
        )

    if rule is None:
        known = "HitRatio@k of several right answers"
        if metric.family in CATALOGUE:
            known = _list_labels(TAILS)
        return f"no tail probability of {label} is known, only of {known}."

    if histogram.offsets is not None and not rule.blocks:
        known = _list_labels(family for family, row in TAILS.items() if row.blocks)
        return (
            f"no tail probability of {label} is known for baselines other than chance, only of "
            f"{known}."
        )
    if histogram.shared and not (metric.is_share and metric.is_counted):
        return (
            f"no tail probability of {label} is known for tasks that share their negatives, only "
            "of Hits@k."
        )
    return ""


def _list_labels(families: Iterable[str]) -> str:
    """Name families of metrics by their labels."""
    *most, last = (CATALOGUE[family].label for family in families if family in CATALOGUE)
    return f"{', '.join(most)} and {last}"


def _hits_at_k(distribution: SumDistribution, histogram: Histogram, value: float) -> Tail:
    """Return P(hits >= ceil(n value)) of n tasks: Poisson-binomial, or beta-binomial."""
    hits = cast("HitsDistribution", distribution)
    num_needed = math.ceil(Fraction(value) * histogram.total * (1 - FEW_ULPS))
    if histogram.shared:
        return count_exceedances(histogram, hits.k, num_needed)
    num_possible = histogram.total - hits.missed  # all tasks but those that cannot hit
    return _settle(hits, float(num_needed - num_possible), lambda x: invert(hits, x))


def _mean_rank(
    distribution: SumDistribution, histogram: Histogram, value: float | Fraction
) -> Tail:
    """Return P(mean rank <= value) of n tasks, which is P(sum of ranks <= floor(n value))."""
    # Ranks on a block begin behind its offset, and are counted from there.
    from_offsets, sum_of_offsets = split_offsets(histogram)
    largest = math.floor(Fraction(value) * histogram.total * (1 + FEW_ULPS)) - sum_of_offsets

    def find_tail(x: float) -> Tail:
        return count_rank_sums(from_offsets, largest) or invert(distribution, x)

    # The distribution is of minus the sum of ranks, whose largest value is -n.
    return _settle(distribution, float(histogram.total - largest), find_tail)


def _mean_reciprocal_rank(
    distribution: SumDistribution, histogram: Histogram, value: float | Fraction
) -> Tail:
    """Return P(sum of 1/r >= n value) of n tasks."""
    return _few_or_many(
        distribution, float(histogram.total * (Fraction(value) - 1)), histogram.total
    )


def _geometric_mean_rank(
    distribution: SumDistribution, histogram: Histogram, value: float | Fraction
) -> Tail:
    """Return P(sum of ln r <= n ln value) of n tasks."""
    return _few_or_many(distribution, -histogram.total * math.log(value), histogram.total)


def _of_inverse(
    compute: Callable[[SumDistribution, Histogram, Fraction], Tail],
) -> Callable[[SumDistribution, Histogram, float], Tail]:
    """Return the function for the tail of 1 over a metric, given the function for the metric."""

    def compute_inverse(distribution: SumDistribution, histogram: Histogram, value: float) -> Tail:
        """1/M is at least as good as `value` if M is at least as good as 1/value."""
        if value == 0:
            return Tail(0.0, 0.0, "exact")  # any ranker is as good as 0
        return compute(distribution, histogram, 1 / Fraction(value))

    return compute_inverse


def _few_or_many(distribution: SumDistribution, x: float, n: int) -> Tail:
    """Return P(S - top >= x) of n tasks: by enumeration of the sums if they are few, or inversion.

    S is the sum and top its largest value. If all sums are multiples of ``distribution.span``, x is
    moved up to the next one.
    """
    slack = _SUM_SLACK * n
    if distribution.span is not None:
        slack = min(slack, 0.25 * distribution.span)  # far less than from one sum to the next
        x = math.ceil((x - slack) / distribution.span) * distribution.span

    def find_tail(x: float) -> Tail:
        return enumerate_sums(distribution, x, slack) or invert(distribution, x)

    return _settle(distribution, x, find_tail, slack)


def _settle(
    distribution: SumDistribution, x: float, compute: Callable[[float], Tail], slack: float = 0.0
) -> Tail:
    """Return P(S - top >= x) for the sum S with the largest value top.

    S - top lies in -width .. 0, and `compute` gives the probability between these ends. It is 0
    above 0, and 1 at -width and below, or if nothing varies. At 0, within the slack, all ranks must
    be the best.
    """
    if x > slack:
        return Tail(-math.inf, 0.0, "exact")
    if not len(distribution.tasks) or x <= slack - distribution.width:
        return Tail(0.0, 0.0, "exact")
    if x >= -slack:
        error = 4 * UNIT_ROUNDOFF * abs(distribution.log_best) + distribution.off
        return Tail.from_log(distribution.log_best, error, "exact")
    return compute(x)


def _for_all_k(
    distribution: Callable[[Histogram], SumDistribution],
) -> Callable[[Histogram, Metric], SumDistribution]:
    """Return a distribution that does not depend on the metric's k in the form of a rule."""
    return lambda histogram, _: distribution(histogram)


@dataclass(frozen=True, slots=True)
class TailRule:
    """The functions that compute the tail of a metric."""

    make: Callable[[Histogram, Metric], SumDistribution]  # the distribution of a sum S over tasks
    compute: Callable[[SumDistribution, Histogram, float], Tail]
    # Where S is on no lattice: takes a value of the metric to (S - its largest value) / n.
    transform: Callable[[Values], Values] | None = None
    blocks: bool = False  # True if it is right for ranks on blocks, too
    # f(1), if the metric is the mean of f, or of -f: tasks may have weights.
    best: float | None = None


def _make_hits_of_answers(_: Histogram, metric: Metric) -> HitsDistribution:
    """Return the distribution of the queries with a hit."""
    hit, miss, tasks, off, missed = cast("AnswersMetric", metric).chances
    return HitsDistribution(hit, miss, tasks, off, missed=missed)


TAILS: dict[str, TailRule] = {
    "hits_at_k": TailRule(
        lambda histogram, metric: HitsDistribution.at(metric.k or 1, histogram),
        _hits_at_k,
        blocks=True,
        best=1.0,
    ),
    "hit_ratio_of_answers": TailRule(_make_hits_of_answers, _hits_at_k),
    "arithmetic_mean_rank": TailRule(
        _for_all_k(RankDistribution), _mean_rank, blocks=True, best=-1.0
    ),
    "inverse_harmonic_mean_rank": TailRule(
        _for_all_k(ReciprocalDistribution),
        _mean_reciprocal_rank,
        transform=lambda value: value - 1.0,
        best=1.0,
    ),
    "geometric_mean_rank": TailRule(
        _for_all_k(LogRankDistribution),
        _geometric_mean_rank,
        transform=lambda value: -np.log(value),
    ),
    "inverse_geometric_mean_rank": TailRule(
        _for_all_k(LogRankDistribution), _of_inverse(_geometric_mean_rank), transform=np.log
    ),
    "inverse_arithmetic_mean_rank": TailRule(
        _for_all_k(RankDistribution), _of_inverse(_mean_rank), blocks=True
    ),
    "harmonic_mean_rank": TailRule(
        _for_all_k(ReciprocalDistribution),
        _of_inverse(_mean_reciprocal_rank),
        transform=lambda value: 1.0 / value - 1.0,
    ),
}
"""Maps families of metrics to the rules of their tails; other families have none."""
