"""Test the difference of two results, published numbers or ranks, on the same ranking tasks.

Task i adds w_i x_i to the first result and w_i y_i to the second; D_i = w_i (x_i - y_i). If the
models are equally good, each D_i is as likely below 0 as above. Then sum D_i, given the sizes of
the D_i, has mean 0 and variance sum D_i^2:

    z = |sum D_i| / sqrt(sum D_i^2)

For Hits@k this is McNemar's z, and the exact test is the sign test: the tasks that only one of the
models hits are like tosses of a coin. Two published numbers give sum D_i, but only bounds on sum
D_i^2, so z lies between two ends.

**The least z.** Let p_i and q_i be how far w_i x_i and w_i y_i are from the best value of the task,
and s_i how far the worst is: both p_i and q_i are in [0, s_i]. As |p - q| <= s, |p - q| <= p + q
and |p - q| <= (s - p) + (s - q),

    (p_i - q_i)^2 <= s_i |p_i - q_i| <= s_i min(u_i, 2 s_i - u_i),    u_i = p_i + q_i,

and the sum of the u_i follows from the two numbers. The right side is concave in u_i, with slope
s_i up to s_i and -s_i from there, so its sum over the tasks is largest if the largest slopes are
used first. For n tasks, Hits@k of A and B, and more than k candidates everywhere, this is n min(A +
B, 2 - A - B), the largest number of tasks that one model alone can hit; the bound is reached. For
MRR it is a little smaller, as no task adds less than 1/N_i, and is also reached.

**The least z without negative correlation.** If the tasks on which one model does well are not
those on which the other does badly, sum p_i q_i >= (sum p_i)(sum q_i) / n. Then sum D_i^2 = sum
p_i^2 + sum q_i^2 - 2 sum p_i q_i is at most sum s_i p_i + sum s_i q_i - 2 (sum p_i)(sum q_i) / n.
For Hits@k this is n (A + B - 2 A B).

**The least z with known deviations.** If the ranks of the models have standard deviations s and t,
that of the D_i is at most s + t, so sum D_i^2 is at most n (s + t)^2 + (sum D_i)^2 / n.

**The largest z.** By Cauchy and Schwarz z <= sqrt(n). Hits differ by w_i or not at all, so for them
sum D_i^2 is also at least the least w_i times |sum D_i|.

**p.** With random signs, sum D_i is close to normal if no task adds much. It is moved towards 0 by
the most that one task adds, so that p is no smaller than that of the sign test. If fewer than 100
tasks can make up the largest sum D_i^2, p is taken as 1 / (4 Phi(-sqrt 2)) = 3.18 times that of the
normal distribution, which is a bound for any D_i.

**Rounding.** The bound G of sum D_i^2 is concave in the sum of the u_i, and 0 at both ends, where
the difference d is also 0. So |G'| d <= 2 G, and d / sqrt(G) falls if either number moves towards
the other. The least z is that of the two nearest numbers within rounding, and the largest z that of
the two farthest.

References
----------
McNemar 1947, Note on the sampling error of the difference between correlated proportions or
percentages.
Bentkus and Dzindzalieta 2015, A tight Gaussian bound for weighted sums of Rademacher random
variables.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankconst.catalogue.metrics import CATALOGUE
from rankconst.errors import DataError, UndefinedError, UsageError
from rankconst.names import write_html
from rankconst.tails.combinatorics import bound_sign_tests
from rankconst.tasks import weights_of
from rankconst.values.published import (
    Interval,
    show_enough,
    show_number,
    show_rounded,
    show_uncertain,
)
from rankconst.values.significance import attain, show_probability

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from rankconst.catalogue.metrics import Metric
    from rankconst.tasks import Histogram, Tasks

    Places = NDArray[np.intp]
    Values = NDArray[np.float64]

LEVEL = 0.05
"""A difference with a larger p is called open to chance."""

SIGNS_FACTOR = 1 / (2 * math.erfc(1.0))
"""A sum of random signs is as far from 0 with at most so many times the normal probability.

1 / (4 Phi(-sqrt 2)) = 3.18, however few terms make up the sum (Bentkus and Dzindzalieta 2015).
"""

_QUANTILE = 1.959963984540054  # of the standard normal distribution, two-sided at that level
# A sum that fewer tasks can make up is not normal enough: SIGNS_FACTOR bounds its probability.
_MANY = 100
_BOUND_QUANTILE = NormalDist().inv_cdf(1 - LEVEL / (2 * SIGNS_FACTOR))
_MOST_FLIPPED = 16  # differences, of which all signs are tried

LEFT_OUT = (
    "Not considered: dependence between tasks, "
    "variation between training runs, multiple comparisons."
)
"""What no comparison of two results on the same tasks covers."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """The test of the difference of two results on the same ranking tasks.

    For ranks, z and p are known, and both ends of their intervals are equal. Two published numbers
    do not say on which tasks the models differ: the intervals hold in all cases, and for all values
    within rounding.

    Attributes
    ----------
    metric
        The metric, with its k.
    tasks, num_tasks
        The ranking tasks, or None if only the ranks are known; and their number.
    names, values
        The two results as they were written, and as numbers.
    difference
        The second result minus the first.
    difference_interval
        The differences within the rounding of the two.
    z_interval
        The size of the difference in standard errors, by the sign-flip test; for Hits@k this is
        McNemar's test.
    z_uncorrelated
        The least z unless tasks that are easy for one model are hard for the other. For macro
        averages it is the least z.
    log10_p_interval
        Decimal logarithm of the two-sided p, the probability of such a difference between equally
        good models.
    method
        The method of the larger p: ``exact`` for the sign test of Hits@k and for ranks of few
        tasks; ``normal`` for the normal distribution; ``bound`` for a bound that holds even if few
        tasks make up the difference.
    smallest
        The least difference near these values that is significant at 5 % on these tasks; for
        published numbers, in all cases.
    confidence_interval
        A 95 % confidence interval of the difference; for published numbers, the widest one.
    note
        A remark on a Hits@k that no whole number of hits gives; empty if there is none.
    table_version
        The version of the tables with the candidates of the tasks; empty without tables.
    """

    metric: Metric
    tasks: Tasks | None
    num_tasks: int
    names: tuple[str, str]
    values: tuple[float, float]
    difference: float
    difference_interval: Interval
    z_interval: Interval
    z_uncorrelated: float
    log10_p_interval: Interval
    method: str
    smallest: float
    confidence_interval: Interval
    note: str = ""
    table_version: str = ""

    def __repr__(self) -> str:
        on = "" if self.tasks is None else f" on {self.tasks}"
        return (
            f"Comparison({self.metric.label}{on}, {' and '.join(self.names)}: "
            f"z {show_z(self)}, p {show_p(self)})"
        )

    def _repr_html_(self) -> str:
        first, second = self.names
        shown = {"first": first, "second": second, "difference": self._show_difference()}
        shown |= {"z": show_z(self), "p": show_p(self)}
        return write_html({name: [text] for name, text in shown.items()}, self.describe())

    @property
    def is_significant(self) -> bool | None:
        """True if the difference is significant at 5 %, False if not, None if the bounds differ."""
        level = math.log10(LEVEL)
        if self.log10_p_interval.upper <= level:
            return True
        if self.log10_p_interval.lower > level:
            return False
        return None

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain numbers and text; intervals as ``_lower`` and ``_upper``."""
        row = {} if self.tasks is None else self.tasks.to_dict()
        row["metric"], row["num_tasks"] = self.metric.key, self.num_tasks
        row["first"], row["second"] = self.values
        row["difference"] = self.difference
        for name in ("difference", "confidence", "z", "log10_p"):
            row[f"{name}_lower"], row[f"{name}_upper"] = getattr(self, f"{name}_interval")

        for name in ("z_uncorrelated", "method", "smallest", "is_significant"):
            row[name] = getattr(self, name)

        row["note"], row["table_version"] = self.note, self.table_version
        return row

    def __str__(self) -> str:
        return " ".join(filter(None, (self.describe(), self.note, LEFT_OUT)))

    def describe(self) -> str:
        """Describe in words whether the difference is significant."""
        if self.z_interval.lower == self.z_interval.upper:
            return self._describe_known()
        return self._describe_open()

    def _describe_known(self) -> str:
        """Describe z and p of the ranks of two models."""
        verdict = self._name_better() if self.is_significant else "This may well be chance"
        interval = self._turn(self.confidence_interval)
        ends = show_uncertain(abs(self.difference), interval, ends_only=True)
        errors = f"{show_z(self)} standard errors (p = {show_p(self)})"
        return (
            f"{verdict}: the difference of {self._show_difference()} is {errors}. "
            f"95% confidence interval: {ends}."
        )

    def _describe_open(self) -> str:
        """Describe the bounds of z and p of two published numbers."""
        p = self.log10_p_interval
        enough = f"A difference of {show_enough(self.smallest)} would be enough."
        if self.is_significant:
            return (
                f"{self._name_better()}: p {show_p(self)}, "
                f"whatever the two models have in common. {enough}"
            )
        if self.is_significant is False:
            least = show_rounded(10**p.lower, math.floor)
            return f"This may well be chance: p ≥ {least}, whatever the two models have in common."
        if self.difference_interval.lower <= 0 <= self.difference_interval.upper:
            return (
                "These numbers do not tell which model is better: "
                f"rounded so, they may be equal. {enough}"
            )
        return self._describe_undecided(enough)

    def _describe_undecided(self, enough: str) -> str:
        """Describe bounds of p on both sides of 5 %."""
        sentences = [
            f"Not certain: p {show_p(self)}, depending on what the two models have in common.",
            enough,
        ]
        if self._may_be_less:
            sentences.append("Rounded as it is, this one may be less.")

        quantile = _BOUND_QUANTILE if self.method == "bound" else _QUANTILE
        if self.z_uncorrelated >= quantile:
            sentences.append(
                "Unless their results are negatively correlated, this one is significant."
            )
        elif self.metric.hits_k:
            # If one model alone hits b tasks, z is surplus / sqrt(b). Less 1: hits are whole.
            surplus = max(self.num_tasks * self._least_difference - 1, 0.0)
            most = show_rounded((surplus / _QUANTILE) ** 2, math.floor)
            sentences.append(
                "This one is significant "
                f"if about {most} tasks or fewer are hits of one model only."
            )

        return " ".join(sentences)

    @property
    def _least_difference(self) -> float:
        """The smallest size of the difference within rounding."""
        lower, upper = self.difference_interval
        return min(abs(lower), abs(upper))

    @property
    def _may_be_less(self) -> bool:
        """Whether the difference is large enough as written, but not within all of its rounding."""
        return self._least_difference < self.smallest <= abs(self.difference)

    def _show_difference(self) -> str:
        return show_uncertain(abs(self.difference), self._turn(self.difference_interval), 3)

    def _turn(self, interval: Interval) -> Interval:
        """Return an interval of the difference as one of its size: -3 .. -1 as 1 .. 3."""
        return interval if self.difference > 0 else Interval(-interval.upper, -interval.lower)

    def _name_better(self) -> str:
        is_second = self.metric.increasing == (self.difference > 0)
        better, worse = self.names[::-1] if is_second else self.names
        return f"{better} is better than {worse}"


def show_z(comparison: Comparison) -> str:
    """Write z with both ends, rounded outwards."""
    lower, upper = comparison.z_interval
    if lower == upper:
        return show_number(lower, 3)
    return f"{show_rounded(lower, math.floor, 3)} to {show_rounded(upper, math.ceil, 3)}"


def show_p(comparison: Comparison) -> str:
    """Write p or its upper bound, rounded up."""
    lower, upper = comparison.log10_p_interval
    if lower == upper:
        return show_probability(upper, comparison.log10_p_interval)
    if upper < -12:
        return show_probability(upper, Interval(upper, upper))
    return f"≤ {show_rounded(10**upper, math.ceil)}"


def compare_values(
    metric: Metric,
    tasks: Tasks,
    histogram: Histogram,
    *,
    names: tuple[str, str],
    values: tuple[float, float],
    intervals: tuple[Interval, Interval],
) -> Comparison:
    """Compare two values of a metric on the same tasks, known up to their intervals.

    Raises UndefinedError where the metric is not a mean over tasks or the tasks share their
    negatives, UsageError for tasks of another baseline than chance.
    """
    bounds = bound_pairs(metric, tasks, histogram, values, intervals)
    z = Interval(float(bounds.z_lower[0]), float(bounds.z_upper[0]))
    log10_p = Interval(float(bounds.log10_p_lower[0]), float(bounds.log10_p_upper[0]))
    first, second = intervals
    difference = Interval(second.lower - first.upper, second.upper - first.lower)
    smallest = float(bounds.smallest[0])
    return Comparison(
        metric=metric,
        tasks=tasks,
        num_tasks=histogram.total,
        names=names,
        values=values,
        difference=values[1] - values[0],
        difference_interval=difference,
        z_interval=z,
        z_uncorrelated=float(bounds.z_uncorrelated[0]),
        log10_p_interval=log10_p,
        method=str(bounds.method[0]),
        smallest=smallest,
        confidence_interval=Interval(difference.lower - smallest, difference.upper + smallest),
        note=bounds.notes[0] or bounds.notes[1],
    )


@dataclass(frozen=True, slots=True)
class Bounds:
    """The bounds for each pair of values, as in :class:`Comparison`. Arrays of shape (pairs,)."""

    z_lower: Values
    z_upper: Values
    z_uncorrelated: Values
    log10_p_lower: Values
    log10_p_upper: Values
    method: NDArray[np.str_]
    smallest: Values
    notes: tuple[str, ...]  # one for each value


def bound_pairs(
    metric: Metric,
    tasks: Tasks,
    histogram: Histogram,
    values: Sequence[float],
    intervals: Sequence[Interval],
    *,
    spreads: Values | None = None,
) -> Bounds:
    """Bound z and p of the difference of each pair of values.

    Pairs are in the order of ``np.triu_indices(len(values), 1)``: (0, 1), (0, 2), (1, 2) for three
    values. `spreads` are the standard deviations of the ranks, NaN if unknown.

    The top of this module derives the bounds. A value v has the loss W |best - v|, where W is the
    sum of the weights. The losses of a pair add up to the sum of the u_i.
    """
    _require_comparable(metric, tasks, histogram)
    first, second = np.triu_indices(len(values), 1)
    spans, counts, best = _list_spans(metric, histogram)
    room = Room.from_spans(spans, counts)
    total_weight = histogram.total_weight
    largest_span = float(spans.max())
    lower, upper = np.array(intervals, dtype=np.float64).T
    nearest, farthest = _pair_ends(lower, upper, first, second)

    # The smallest z follows from the nearest values of each pair and the largest sum D_i^2.
    least_sum = total_weight * nearest.distance
    squares = room.bound_squares(total_weight * nearest.add_losses(best))
    if spreads is not None and histogram.weights is None:
        sum_of_spreads = spreads[first] + spreads[second]
        by_spreads = total_weight * sum_of_spreads**2 + least_sum**2 / total_weight
        squares = np.fmin(squares, by_spreads)  # fmin ignores NaN

    z_upper = np.full(len(first), math.sqrt(histogram.total))
    if metric.hits_k:
        least_weight = float(weights_of(histogram).min())
        most_differing = total_weight * farthest.distance / least_weight  # tasks
        z_upper = np.minimum(np.sqrt(most_differing), z_upper)

    z_lower = np.minimum(_divide_by_root(least_sum, squares), z_upper)

    # The smallest and the largest loss of each value.
    losses_at_ends = total_weight * np.abs(best - np.stack([lower, upper]))
    least_loss, largest_loss = np.sort(losses_at_ends, axis=0)
    uncorrelated_squares = squares
    if histogram.weights is None:
        # Without negative correlation: sum s_i p_i + sum s_i q_i - 2 (sum p_i) (sum q_i) / n.
        filled = room.fill(largest_loss)
        scaled = least_loss / math.sqrt(histogram.total)
        without_correlation = filled[first] + filled[second] - 2 * scaled[first] * scaled[second]
        uncorrelated_squares = np.minimum(squares, without_correlation)

    z_uncorrelated = np.minimum(_divide_by_root(least_sum, uncorrelated_squares), z_upper)

    # No test that flips signs has a smaller p than that of equal signs, 2 / 2^n.
    p_lower = np.full(len(first), (1 - histogram.total) * math.log10(2.0))
    p_upper, method = _bound_p(z_lower, squares, largest_span)
    notes = ("",) * len(values)
    if metric.hits_k and not histogram.is_weighted:
        # Values that are shares of whole hits allow an exact test.
        (fewest, most), notes = _list_hits(metric, histogram.total, values, intervals)
        is_exact = ~np.isnan(fewest[first] + fewest[second])
        exact_ends = _pair_ends(fewest, most, first[is_exact], second[is_exact])
        exact_lower, exact_upper = _bound_exact_p(room, total_weight, best, *exact_ends)
        p_lower[is_exact] = exact_lower
        p_upper[is_exact] = exact_upper
        method = np.where(is_exact, "exact", method)

    # The bound of sum D_i^2 is largest where the losses of a pair are half of what they can be, or
    # as near to that as the intervals allow.
    worst_losses = np.clip(
        room.losses[-1],
        least_loss[first] + least_loss[second],
        largest_loss[first] + largest_loss[second],
    )
    largest_squares = room.bound_squares(worst_losses)
    return Bounds(
        z_lower=z_lower,
        z_upper=z_upper,
        z_uncorrelated=np.where(uncorrelated_squares > 0, z_uncorrelated, z_lower),
        log10_p_lower=p_lower,
        log10_p_upper=p_upper,
        method=method,
        smallest=_find_smallest(largest_squares, method, largest_span) / total_weight,
        notes=notes,
    )


def _bound_exact_p(
    room: Room, total_weight: float, best: float, nearest: _Ends, farthest: _Ends
) -> tuple[Values, Values]:
    """Return the least and the largest log10 p of the sign tests of pairs of Hits@k.

    Let one model alone hit a tasks and the other b. For a given a - b, p rises with a + b, which is
    at most `single_hits`. If a - b rises by 1, p falls whether a + b rises or falls by 1. So p is
    largest for the smallest difference.
    """
    single_hits = np.rint(room.bound_squares(total_weight * nearest.add_losses(best)))
    largest = bound_sign_tests(single_hits, np.rint(total_weight * nearest.distance))
    # It is least if only the better model has hits of its own, as few as the difference.
    most_apart = np.rint(total_weight * farthest.distance)
    least = np.minimum((1 - most_apart) * math.log10(2.0), 0.0)
    return least, largest


def _require_comparable(metric: Metric, tasks: Tasks, histogram: Histogram) -> None:
    """Refuse metrics, tasks and baselines on which two values cannot be compared."""
    require_mean(metric)
    if histogram.offsets is not None or not tasks.is_chance:
        raise UsageError(
            "two results are compared on the tasks themselves: leave out the baseline."
        )
    if histogram.shared:
        raise UndefinedError(
            "these tasks share their negatives and so depend on each other: "
            "two published values do not tell how sure their difference is."
        )


def _list_hits(
    metric: Metric, n: int, values: Sequence[float], intervals: Sequence[Interval]
) -> tuple[Values, tuple[str, ...]]:
    """Return the smallest and the largest share of whole hits of each value, and a note on each."""
    hits, notes = [], []
    for value, interval in zip(values, intervals, strict=True):
        note = ""
        try:
            ends = attain(metric, n, value, interval)[1]
        except UndefinedError as error:
            ends, note = Interval(math.nan, math.nan), str(error)
        hits.append(ends)
        notes.append(note)

    return np.transpose(hits), tuple(notes)


def _bound_p(z: Values, squares: Values, largest: float) -> tuple[Values, NDArray[np.str_]]:
    """Bound log10 p from above where only z is bounded, and name the inequality. Shapes (pairs,).

    `squares` is the largest sum D_i^2 of each pair, and `largest` the most that a task adds to a
    difference. ``normal`` is the normal distribution at z, less what the largest task adds.
    ``bound`` is SIGNS_FACTOR times the normal distribution at z, or 1.
    """
    method = _choose_method(squares, largest)
    is_normal = method == "normal"
    z_of_largest = _divide_by_root(np.full(len(z), largest), squares)
    reduced = np.maximum(z - np.where(is_normal, z_of_largest, 0.0), 0.0)
    log10_p = np.array([_log10_normal(each) for each in reduced.tolist()])
    bound = np.minimum(log10_p + math.log10(SIGNS_FACTOR), 0.0)
    return np.where(is_normal, log10_p, bound), method


def _divide_by_root(numbers: Values, squares: Values) -> Values:
    """Divide by square roots, with 0 where these are not positive."""
    roots = np.sqrt(np.maximum(squares, 0.0))
    return np.divide(numbers, roots, out=np.zeros_like(roots), where=roots > 0)


def compare_ranks(metric: Metric, first: Values, second: Values) -> Comparison:
    """Compare the ranks of two models on the same tasks, in the same order.

    Raises DataError for a single task, UndefinedError for a metric that is not a mean over tasks.
    """
    require_mean(metric)
    if first.size < 2:
        raise DataError(
            f"got {first.size} task; expected at least 2: "
            "one task does not tell how much they vary."
        )

    first_terms, second_terms = (metric.take(ranks.astype(np.float64)) for ranks in (first, second))
    n = first.size
    differences = second_terms - first_terms
    squares = float(np.sum(differences**2))
    total = float(np.sum(differences))
    z = abs(total) / math.sqrt(squares) if squares else 0.0
    flipped = differences[differences != 0]
    method, step = "exact", 0.0
    if metric.hits_k:  # two hits differ by 1 or not at all
        step = 1.0  # hits are whole
        surplus = float(round(abs(total)))
        sign_tests = bound_sign_tests(np.array([flipped.size], float), np.array([surplus]))
        log10_p = float(sign_tests[0])
    elif flipped.size <= _MOST_FLIPPED:
        log10_p = _log10_flips(flipped)
    else:
        method = "normal"
        log10_p = _log10_normal(z)

    smallest = float(_find_smallest(np.array(squares), np.array(method), step)) / n
    half = _QUANTILE * float(np.std(differences, ddof=1)) / math.sqrt(n)
    difference = total / n
    values = (float(np.mean(first_terms)), float(np.mean(second_terms)))
    return Comparison(
        metric=metric,
        tasks=None,
        num_tasks=n,
        names=(show_number(values[0]), show_number(values[1])),
        values=values,
        difference=difference,
        difference_interval=Interval(difference, difference),
        z_interval=Interval(z, z),
        z_uncorrelated=z,
        log10_p_interval=Interval(log10_p, log10_p),
        method=method,
        smallest=smallest,
        confidence_interval=Interval(difference - half, difference + half),
    )


def require_mean(metric: Metric) -> None:
    """Refuse a metric that is not a mean over tasks, as no bound is known."""
    if not metric.is_mean:
        means = ", ".join(row.symbol.format(k="k") for row in CATALOGUE.values() if row.is_mean)
        raise UndefinedError(
            f"two results cannot be compared by {metric.label}, "
            f"which is not a mean over tasks. Compare {means}."
        )


@dataclass(frozen=True, slots=True)
class Room:
    """The largest sums of squared differences over tasks with losses in [0, span].

    Tasks with the largest spans are used first. `squares` are the sums of span times loss at total
    losses of `losses`, both starting at 0.
    """

    losses: Values
    squares: Values

    @classmethod
    def from_spans(cls, spans: Values, tasks: Values) -> Room:
        """Sum up the losses of `tasks` tasks of each span."""
        order = np.argsort(-spans)
        largest_losses = (spans * tasks)[order]  # of all tasks with the same span
        losses = np.cumsum(largest_losses)
        squares = np.cumsum(spans[order] * largest_losses)
        return cls(np.append(0.0, losses), np.append(0.0, squares))

    def fill(self, losses: Values) -> Values:
        """Return the largest sum of span times loss, given the sum of all losses."""
        return np.interp(losses, self.losses, self.squares)

    def bound_squares(self, losses: Values) -> Values:
        """Return the largest sum of (p - q)^2 over the tasks, given the sum of all p + q."""
        # The sum of p and q first brings each task to its span, at slope span, then away from it.
        return self.fill(np.minimum(losses, 2 * self.losses[-1] - losses))


class _Ends(NamedTuple):
    """A number of the first and of the second interval of each pair. Arrays of shape (pairs,)."""

    first: Values
    second: Values

    @property
    def distance(self) -> Values:
        """The distance of the two numbers."""
        return np.abs(self.second - self.first)

    def add_losses(self, best: float) -> Values:
        """Add up the distances of both numbers from the best value."""
        return np.abs(best - self.first) + np.abs(best - self.second)


def _pair_ends(lower: Values, upper: Values, first: Places, second: Places) -> tuple[_Ends, _Ends]:
    """Return the nearest and the farthest numbers of the two intervals of each pair.

    Of 1 .. 2 and 4 .. 7 these are 2 and 4, and 1 and 7. Intervals that overlap have a number in
    common, which is nearest to itself.
    """
    # The nearest numbers if the first interval is below the second, and if it is above it.
    if_below = _Ends(upper[first], lower[second])
    if_above = _Ends(lower[first], upper[second])
    is_below = if_below.distance <= if_above.distance
    common = np.maximum(lower[first], lower[second])
    is_common = common <= np.minimum(upper[first], upper[second])
    nearest, farthest = [], []
    for end_below, end_above in zip(if_below, if_above, strict=True):
        facing = np.where(is_below, end_below, end_above)
        nearest.append(np.where(is_common, common, facing))
        farthest.append(np.where(is_below, end_above, end_below))

    return _Ends(*nearest), _Ends(*farthest)


def _log10_flips(differences: Values) -> float:
    """Return log10 of the probability that differences of random signs add up to as much."""
    sums = np.zeros(1)
    for difference in differences.tolist():
        sums = np.append(sums + difference, sums - difference)
    # Equal sums may differ by roundings, which the 1e-12 forgives.
    return math.log10(np.mean(np.abs(sums) >= abs(np.sum(differences)) * (1 - 1e-12)))


def find_smallest_difference(metric: Metric, histogram: Histogram) -> float | None:
    """Return a difference that is always significant; None if no bound is known."""
    if not metric.is_mean or histogram.shared:
        return None

    spans, counts, _ = _list_spans(metric, histogram)
    room, largest = Room.from_spans(spans, counts), float(spans.max())
    # The largest sum D_i^2: one model is at its best everywhere, the other at its worst.
    squares, method = room.squares[-1:], np.array(["exact"])
    if not metric.hits_k or histogram.is_weighted:  # no exact sign test
        method = _choose_method(squares, largest)

    smallest = float(_find_smallest(squares, method, largest)[0])
    if smallest > room.losses[-1]:  # more than two values can differ by
        return None
    return smallest / histogram.total_weight


def _list_spans(metric: Metric, histogram: Histogram) -> tuple[Values, Values, float]:
    """Return the distances of worst and best, the numbers of tasks, and the best value."""
    weights = weights_of(histogram)
    sizes = histogram.num_candidates.astype(np.float64)
    best, worst = metric.take(np.ones_like(sizes)), metric.take(sizes)
    return weights * np.abs(best - worst), histogram.num_tasks.astype(np.float64), float(best[0])


def _choose_method(squares: Values, largest: float) -> NDArray[np.str_]:
    """Choose ``normal`` if at least 100 tasks make up sum D_i^2, or else ``bound``."""
    many = _MANY * largest**2
    return np.where((squares >= many) & (many > 0), "normal", "bound")


def _find_smallest(squares: Values, method: NDArray[np.str_], step: float) -> Values:
    """Return the smallest significant sums of differences: quantile sqrt(squares) + step."""
    is_bound = method == "bound"
    quantile = np.where(is_bound, _BOUND_QUANTILE, _QUANTILE)
    return np.asarray(quantile * np.sqrt(squares) + np.where(is_bound, 0.0, step), dtype=np.float64)


def _log10_normal(z: float) -> float:
    """Return log10 of the probability that a standard normal number is at least z from 0."""
    x = z / math.sqrt(2.0)
    if x < 25:
        return math.log10(math.erfc(x))
    # erfc underflows; by the first terms of its asymptotic series.
    return math.log10((1 - 1 / (2 * x * x)) / (x * math.sqrt(math.pi))) - x * x / math.log(10.0)
