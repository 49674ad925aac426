"""Find the models that published numbers alone tell apart, on the same tasks and over graphs.

Two published numbers bound the probability that two equally good models differ by as much, whatever
their ranks have in common (:mod:`rankconst.values.comparison`). The smallest of m such bounds is
multiplied by m, the next one by m - 1, and so on (Holm 1979). Then the probability that any pair of
equally good models is told apart is at most the level.

For means over graphs there are two questions. *Are the models different on these queries?* Each
graph contributes the difference of two published numbers. If the models are equally good, its
variance is at most min(A + B, 2 - A - B) / n for n ranks. Queries are independent, so the bounds
add up over the graphs:

    z >= |sum of differences| / sqrt(sum of min(A + B, 2 - A - B) / n)

The contribution of each query has a random sign if the models are equally good, so p is at most
3.18 times that of the normal distribution, however few queries make up the difference (Bentkus and
Dzindzalieta 2015).

*Would they differ on other graphs like these?* Then each graph is one observation. Two models are
compared by Wilcoxon's signed-rank test with its exact distribution, without the graphs on which
both numbers are equal. Among many models, two differ if their mean ranks differ by the critical
difference of Nemenyi's test.

References
----------
Demsar 2006, Statistical comparisons of classifiers over multiple data sets.
Wilcoxon 1945, Individual comparisons by ranking methods.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np

from rankconst.errors import UsageError
from rankconst.names import join_words
from rankconst.values.comparison import LEVEL, SIGNS_FACTOR, bound_pairs
from rankconst.values.published import parse_value, show_enough, show_number

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd
    from numpy.typing import NDArray

    from rankconst.catalogue.metrics import Metric
    from rankconst.values.constants import Constants
    from rankconst.values.published import Published

    Values = NDArray[np.float64]

_MOST = 200  # models, of which each pair is compared


@dataclass(frozen=True, slots=True, eq=False)
class Standings:
    """Results of one metric on the same tasks, the best one first.

    Attributes
    ----------
    constants
        The constants of chance on the tasks.
    names, published
        The models, and their results as they were printed.
    log10_p
        Decimal logarithm of a bound on the probability that two equally good models differ as these
        do, with Holm's correction. Symmetric, shape (models, models); 0 means no evidence.
    smallest
        The difference that is enough for a single pair near the best result.
    uses_spreads
        True if standard deviations of ranks sharpen the bounds for mean ranks.
    """

    constants: Constants
    names: tuple[str, ...]
    published: tuple[Published, ...]
    log10_p: NDArray[np.float64]
    smallest: float
    uses_spreads: bool = False

    @property
    def letters(self) -> tuple[str, ...]:
        """A letter for each model: a, b ... z, aa ..."""
        return tuple(name_letter(index) for index in range(len(self.names)))

    def list_worse(self, index: int) -> tuple[int, ...]:
        """Return the indices of the models that the model at an index significantly beats."""
        is_worse = self.log10_p[index, index + 1 :] <= math.log10(LEVEL)
        return tuple((np.flatnonzero(is_worse) + index + 1).tolist())

    def describe(self) -> str:
        """Compare the best model with the others in sentences."""
        num_worse, num_others = len(self.list_worse(0)), len(self.names) - 1
        best, second = (
            name or published.text
            for name, published in zip(self.names[:2], self.published, strict=False)
        )
        verb, level = "cannot be distinguished from", f"at p = {LEVEL}"
        if num_worse:
            verb, level = "is better than", f"p < {LEVEL}"

        models = second
        if num_others > 1:
            models = f"{_count_models(num_worse, num_others)} other models"
            level += f", Holm's correction over {math.comb(num_others + 1, 2)} pairs"

        sentences = [
            f"{best} {verb} {models} ({level}).",
            f"For a single pair, a difference of {show_enough(self.smallest)} is enough.",
        ]
        difference = abs(self.published[0].value - self.published[1].value)
        # As printed they are far enough apart, so rounding is the reason.
        if not num_worse and difference >= self.smallest:
            sentences.append("Rounded as they are, these may differ by less.")

        if any(parse_value(result.text).deviation is not None for result in self.published):
            sentences.append("Deviations over runs count as rounding does.")

        if self.uses_spreads:
            sentences.append("The deviations of the ranks are used.")

        return " ".join(sentences)

    @property
    def table(self) -> dict[str, list[Any]]:
        """Columns with a row for each model, the best first.

        ``better_than`` has the letters of the models that are significantly worse, and
        ``log10_p_next`` the log10 p of a model and the next one.
        """
        letters = self.letters
        better_than = []
        for index in range(len(letters)):
            worse = self.list_worse(index)
            better_than.append([letters[each] for each in worse])

        values = [result.value for result in self.published]
        texts = [result.text for result in self.published]
        return {
            "letter": list(letters),
            "model": list(self.names),
            "value": values,
            "text": texts,
            "better_than": better_than,
            "log10_p_next": [*np.diagonal(self.log10_p, 1).tolist(), None],
        }

    def to_pandas(self) -> pd.DataFrame:
        """Return :attr:`table` as a DataFrame (needs pandas)."""
        import pandas as pd

        return pd.DataFrame(self.table)

    def __repr__(self) -> str:
        return (
            f"Standings({self.constants.metric.label} on {self.constants.tasks}, "
            f"{len(self.names)} models)"
        )

    def __str__(self) -> str:
        tasks = self.constants.tasks
        title = f"{self.constants.metric.label} on {tasks.dataset} ({tasks.describe()})"
        lines = [f"{title}, {self.constants.num_tasks:,} tasks", ""]
        cells = self.table
        worse = [" ".join(letters) for letters in cells["better_than"]]
        columns = (cells["letter"], cells["model"], cells["text"], worse)
        return "\n".join([*lines, *_align(columns, right={2}), "", self.describe()])


def _align(columns: Sequence[Sequence[str]], right: set[int]) -> list[str]:
    """Write the lines of a table, in which some columns are aligned to the right."""
    padded = []
    for index, cells in enumerate(columns):
        width = max(len(cell) for cell in cells)
        pad = str.rjust if index in right else str.ljust
        padded.append([pad(cell, width) for cell in cells])
    return [f"  {'  '.join(row)}".rstrip() for row in zip(*padded, strict=True)]


def _count_models(number: int, total: int) -> str:
    """Count some of the other models: ``2 of the 3``, ``both``, ``any of 3``."""
    if not number:
        return f"any of {total}"
    if number < total:
        return f"{number} of the {total}"
    return "both" if total == 2 else f"all {total}"


def name_letter(index: int) -> str:
    """Return the letters of an index from 0 on: a ... z, aa, ab ...

    >>> name_letter(0), name_letter(25), name_letter(26)
    ('a', 'z', 'aa')
    """
    more, last = divmod(index, 26)
    letter = chr(ord("a") + last)
    # Less 1: aa follows z.
    return name_letter(more - 1) + letter if more else letter


def rank_models(
    constants: Constants,
    models: Sequence[tuple[str, Published]],
    spreads: Mapping[str, float] | None = None,
) -> Standings:
    """Order models from the best, and bound p for each pair.

    `models` are pairs of a name and a result. A deviation over runs, ``0.338 ± 0.002``, widens the
    interval of a result. `spreads` are known standard deviations of ranks by model.

    Raises UsageError for fewer than two models or more than 200, and what
    :func:`~rankconst.values.comparison.bound_pairs` raises.
    """
    if not 2 <= len(models) <= _MOST:
        raise UsageError(
            f"{len(models)} results of {constants.metric.label} on these tasks; "
            f"expected 2 to {_MOST}."
        )

    ordered = list(models)
    ordered.sort(key=lambda model: model[1].value, reverse=constants.metric.increasing)
    names, published = zip(*ordered, strict=True)
    deviations = None
    if spreads is not None:
        deviations = np.array([spreads.get(name, math.nan) for name in names])

    values = [result.value for result in published]
    intervals = [result.interval for result in published]
    bounds = bound_pairs(
        constants.metric, constants.tasks, constants.ranking, values, intervals, spreads=deviations
    )
    known_spreads = {*(spreads or ())} & {*names}
    return Standings(
        constants=constants,
        names=names,
        published=published,
        log10_p=correct_for_many(bounds.log10_p_upper, len(names)),
        smallest=float(bounds.smallest[0]),  # of the best and the second
        uses_spreads=len(known_spreads) > 1,  # a bound takes two
    )


def correct_for_many(log10_p: NDArray[np.float64], size: int) -> NDArray[np.float64]:
    """Correct the log10 p of all pairs of `size` models by Holm; return a symmetric matrix.

    The given p are in the order of ``np.triu_indices(size, 1)``. 0.01, 0.04 and 0.03 become 0.03,
    0.06 and 0.06: the smallest of three p times 3, the next one times 2, and none falls.
    """
    order = np.argsort(log10_p, kind="stable")
    log10_factors = np.log10(np.arange(order.size, 0, -1))
    rising = np.maximum.accumulate(log10_p[order] + log10_factors)
    corrected = np.empty_like(log10_p)
    corrected[order] = np.minimum(rising, 0.0)
    matrix = np.zeros((size, size))
    rows, columns = np.triu_indices(size, k=1)
    matrix[rows, columns] = matrix[columns, rows] = corrected
    return matrix


_NORMAL = NormalDist()

_LEAST_GRAPHS = 6
"""With fewer graphs, the signed-rank test has no p below 0.05: of five it is at least 2 / 2^5."""

_FEW = 5
"""Of more datasets a title does not list the names."""


@dataclass(frozen=True, eq=False)
class Across:
    """Models with results on the same graphs, the one with the best mean first.

    Attributes
    ----------
    metric : Metric
        The metric of all results.
    datasets : tuple of str
        The D graphs on which every model has a result.
    names : tuple of str
        The M models.
    means, mean_ranks : numpy.ndarray
        The mean result of each model, in units of the metric, and its mean rank among the models.
        Shape (M,).
    wins : numpy.ndarray
        The number of graphs on which the model of the row is better than that of the column. Shape
        (M, M).
    log10_p_queries : numpy.ndarray or None
        Decimal logarithm of a bound on the probability that two equally good models differ as these
        do on the queries of these graphs, with Holm's correction. Shape (M, M). None for a metric
        that is not between 0 and 1.
    log10_p_graphs : numpy.ndarray
        Decimal logarithm of the p of the signed-rank test over the graphs, with Holm's correction.
        Shape (M, M).
    critical_difference : float
        The difference of two mean ranks that is significant at 5 % (Nemenyi).
    """

    metric: Metric
    datasets: tuple[str, ...]
    names: tuple[str, ...]
    means: Values
    mean_ranks: Values
    wins: NDArray[np.int64]
    log10_p_queries: Values | None
    log10_p_graphs: Values
    critical_difference: float

    def describe(self) -> str:
        """Compare the best model with the others, on these queries and on other graphs."""
        wins = f"it beats {self.names[1]} on {self.wins[0, 1]} of {len(self.datasets)}"
        sentences = [f"On other graphs like these {self._judge(self.log10_p_graphs)}: {wins}."]
        if self.log10_p_queries is not None:
            judged = self._judge(self.log10_p_queries)
            sentences.insert(0, f"On the queries of these graphs {judged}.")

        if len(self.datasets) < _LEAST_GRAPHS:
            sentences.append(f"Fewer than {_LEAST_GRAPHS} graphs cannot tell at p < {LEVEL}.")
        elif len(self.names) > 2:
            sentences.append(
                f"Mean ranks that differ by {self.critical_difference:.2f} are apart (Nemenyi)."
            )

        return "\n".join(sentences)

    def _judge(self, log10_p: Values) -> str:
        """Say which models the best one beats, given the log10 p of all pairs."""
        level = math.log10(LEVEL)
        worse = [name for name, p in zip(self.names, log10_p[0], strict=True) if p <= level]
        best, num_others = self.names[0], len(self.names) - 1
        if not worse:
            models = f"any of the {num_others} other models" if num_others > 1 else self.names[1]
            return f"{best} cannot be distinguished from {models} (p >= {LEVEL})"

        models = join_words(worse)
        if len(worse) > 2:
            models = f"{len(worse)} of the {num_others} other models"

        return f"{best} is better than {models} (p < {LEVEL})"

    def __str__(self) -> str:
        letters = [name_letter(index) for index in range(len(self.names))]
        means = [f"{mean:.4f}" for mean in self.means]
        if self.metric.optimum != 1:  # as MR: four decimals are for shares
            means = [show_number(mean) for mean in self.means]

        ranks = [f"{rank:.2f}" for rank in self.mean_ranks]
        columns = ["", *letters], ["model", *self.names], ["mean", *means], ["mean rank", *ranks]
        title = f"{self.metric.label}, mean over {len(self.datasets)} datasets"
        if len(self.datasets) <= _FEW:
            title += f": {', '.join(self.datasets)}"

        return "\n".join([title, "", *_align(columns, right={2, 3}), "", self.describe()])


@dataclass(frozen=True, eq=False)
class Grid:
    """The results of M models on D graphs.

    Attributes
    ----------
    values, lower, upper : numpy.ndarray
        Results in units of the metric, and the bounds that rounding leaves. Shape (M, D).
    num_tasks : numpy.ndarray
        The number of ranks on each graph. Shape (D,).
    """

    metric: Metric
    datasets: tuple[str, ...]
    names: tuple[str, ...]
    values: Values
    lower: Values
    upper: Values
    num_tasks: Values


def compare_across(grid: Grid) -> Across:
    """Compare models by their results on the same graphs."""
    metric = grid.metric
    sign = 1.0 if metric.increasing else -1.0
    # The models, the best first. Arrays have a row a model, a column a graph.
    order = np.argsort(-sign * grid.values.mean(axis=1), kind="stable")
    values = grid.values[order]
    lower = grid.lower[order]
    upper = grid.upper[order]
    ranks = rank_with_ties(-sign * values.T)  # shape (graphs, models)

    # The probabilities of each pair of models, over graphs and over queries.
    num_models = len(order)
    first, second = np.triu_indices(num_models, k=1)
    differences = np.round(values[first] - values[second], 12)  # equal ones must tie
    log10_p_graphs = np.array([math.log10(p) for p in compute_signed_ranks(differences)])
    corrected_queries = None
    if metric.lower == 0 and metric.optimum == 1:  # the bound is for terms from 0 to 1
        z = bound_z(lower[first], upper[first], lower[second], upper[second], grid.num_tasks)
        log10_p = [math.log10(2 * SIGNS_FACTOR) + log10_normal_tail(of_pair) for of_pair in z]
        corrected_queries = correct_for_many(np.minimum(log10_p, 0.0), num_models)

    # Shape (model, model, graph): whether the first model is better.
    is_better = sign * (values[:, None, :] - values[None, :, :]) > 0
    return Across(
        metric=metric,
        datasets=grid.datasets,
        names=tuple(grid.names[model] for model in order),
        means=values.mean(axis=1),
        mean_ranks=ranks.mean(axis=0),
        wins=is_better.sum(axis=2),
        log10_p_queries=corrected_queries,
        log10_p_graphs=correct_for_many(log10_p_graphs, num_models),
        critical_difference=find_critical_difference(num_models, len(grid.datasets)),
    )


def bound_z(
    lower_a: Values, upper_a: Values, lower_b: Values, upper_b: Values, num_tasks: Values
) -> Values:
    """Bound from below the difference of two models' means over graphs, in standard errors.

    Ends of results are from 0 to 1, of shape (pairs, graphs); `num_tasks` has shape (graphs,), the
    bound (pairs,). It is 0 if the means may be equal within rounding.
    """
    least = (lower_a - upper_b).sum(axis=1)
    most = (upper_a - lower_b).sum(axis=1)
    # The least distance between the means that rounding allows: 0 if least < 0 < most.
    distance = np.maximum(np.maximum(least, -most), 0.0)
    # On a task, models score a and b from 0 to 1, so that (a - b)^2 <= |a - b| <= a + b, and as
    # both may be counted from 1, <= 2 - a - b. Neither is less than the variance of a - b.
    variance = np.minimum(upper_a + upper_b, 2 - lower_a - lower_b)
    errors = np.sqrt((variance / num_tasks).sum(axis=1))
    z: Values = np.divide(distance, errors, out=np.zeros_like(distance), where=errors > 0)
    return z


def log10_normal_tail(z: float) -> float:
    """Return the decimal logarithm of the probability that a standard normal exceeds z >= 0."""
    if z < 30:  # erfc is 0 from about 38 on
        return math.log10(math.erfc(z / math.sqrt(2)) / 2)
    # ln of density / z: Mills' ratio of tail to density is at most 1 / z.
    return (-z * z / 2 - math.log(z) - math.log(2 * math.pi) / 2) / math.log(10)


def rank_with_ties(values: Values) -> Values:
    """Rank the values of each row from the smallest; equal ones share their mean rank.

    >>> rank_with_ties(np.array([[0.3, 0.1, 0.3]]))
    array([[2.5, 1. , 2.5]])
    """
    smaller, equal = np.zeros_like(values), np.zeros_like(values)
    for column in values.T:
        smaller += column[:, None] < values
        equal += column[:, None] == values
    return smaller + (equal + 1) / 2


def compute_signed_ranks(differences: Values) -> list[float]:
    """Compute the exact two-sided p of Wilcoxon's signed-rank test for each row.

    Differences of 0 are left out; p is 1 if nothing is left.

    >>> compute_signed_ranks(np.array([[0.1, 0.2, 0.0, 0.3]]))
    [0.25]
    """
    is_zero = differences == 0
    # Zeros have the lowest ranks: without them, all ranks are lower by the number of zeros.
    ranks = rank_with_ties(np.abs(differences)) - is_zero.sum(axis=1, keepdims=True)
    # Doubled, so that shared ranks are whole numbers.
    doubled = np.where(is_zero, 0, np.rint(2 * ranks)).astype(int)
    positive_sums = np.sum(doubled, axis=1, where=differences > 0)
    negative_sums = doubled.sum(axis=1) - positive_sums
    smaller_sums = np.minimum(positive_sums, negative_sums)
    probabilities = []
    for row, smaller_sum in zip(np.sort(doubled).tolist(), smaller_sums.tolist(), strict=True):
        one_sided = float(_accumulate_sums(tuple(row))[smaller_sum])
        probabilities.append(min(1.0, 2 * one_sided))

    return probabilities


@lru_cache(maxsize=64)
def _accumulate_sums(ranks: tuple[int, ...]) -> Values:
    """Compute P(sum <= 0), P(sum <= 1) ... of ranks that count with probability 1/2 each."""
    chances = np.ones(1)  # of the sums 0, 1, 2 ... of the ranks so far
    for rank in ranks:
        longer = np.zeros(chances.size + rank)
        longer[: chances.size] += chances / 2  # without this rank
        longer[rank:] += chances / 2  # with it
        chances = longer
    return np.cumsum(chances)


@lru_cache(maxsize=64)
def find_critical_difference(models: int, graphs: int) -> float:
    """Compute the difference of mean ranks that is significant at 5 % (Nemenyi)."""
    # The 95 % quantile of the range of `models` standard normals, by bisection.
    low, high = 0.0, 20.0  # the range of 200 is almost never above 10
    for _ in range(60):  # down to the spacing of doubles
        middle = (low + high) / 2
        if _measure_range(models, middle) < 1 - LEVEL:
            low = middle
        else:
            high = middle

    quantile = (low + high) / 2
    return quantile / math.sqrt(2) * math.sqrt(models * (models + 1) / (6 * graphs))


def _measure_range(size: int, width: float) -> float:
    """Compute the probability that the range of `size` standard normals is at most `width`.

    It is size times the integral of phi(x) (Phi(x + width) - Phi(x))^(size - 1) over x, with phi
    the normal density and Phi its integral.
    """
    # By the trapezoidal rule, whose error is below rounding at this step. Beyond -9 .. 9 the
    # density is at most about 1e-18.
    step = 1 / 16
    nodes = step * np.arange(-144, 145)
    below = np.array([_NORMAL.cdf(node) for node in nodes.tolist()])
    within = np.array([_NORMAL.cdf(node + width) for node in nodes.tolist()]) - below
    density = np.exp(-(nodes**2) / 2) / math.sqrt(2 * math.pi)
    return step * float(np.sum(size * density * within ** (size - 1)))
