"""What metrics make of weighted ranks, and the formulas of their constants."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from rankconst.doubles import np
from rankconst.errors import UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rankconst.doubles import Values


def mean(values: Values, weights: Values) -> float:
    """Return the weighted mean."""
    return float(np.sum(values * weights) / np.sum(weights))


def quadratic_mean(ranks: Values, weights: Values) -> float:
    """Return the root of the mean square."""
    return float(np.sqrt(mean(ranks * ranks, weights)))


def take_rank(ranks: Values, _: int | None) -> Values:
    """Return the ranks."""
    return ranks


def take_reciprocal(ranks: Values, _: int | None) -> Values:
    """Return 1 over the rank."""
    return 1.0 / ranks


def take_gain(ranks: Values, _: int | None) -> Values:
    """Return the gain of a rank in nDCG."""
    return 1.0 / np.log2(1.0 + ranks)


def require_k(k: int | None) -> int:
    """Return the k of Hits@k, or of another metric with a cut-off."""
    if k is None:
        raise UnknownNameError(
            "a metric with a cut-off needs a k: write hits@10 or mrr@10, for example."
        )
    return k


def take_hit(ranks: Values, k: int | None) -> Values:
    """Return 1 for ranks of at most k."""
    return (ranks <= require_k(k)).astype(np.float64)


def cut_off(term: Callable[[Values, int | None], Values]) -> Callable[[Values, int | None], Values]:
    """Return a function of the rank that is 0 beyond k."""
    return lambda ranks, k: np.where(ranks <= require_k(k), term(ranks, None), 0.0)


def median(ranks: Values, weights: Values) -> float:
    """Return the median, of two middle ranks their mean."""
    order = np.argsort(ranks)
    below = np.cumsum(weights[order])
    half = below[-1] / 2
    # The ranks at positions n/2 and n/2 + 1; one and the same if n is odd.
    lower = ranks[order][np.searchsorted(below, half, side="left")]
    upper = ranks[order][min(int(np.searchsorted(below, half, side="right")), ranks.size - 1)]
    return float((lower + upper) / 2)


def variance(ranks: Values, weights: Values) -> float:
    """Return the variance."""
    return mean(np.square(ranks - mean(ranks, weights)), weights)


def largest_variance(sizes: Values, tasks: Values) -> float:
    """Return the largest variance that ranks can have.

    Some tasks, those with the most candidates, are at their last rank and the others at rank 1. For
    each size, the number of its tasks at the last rank that is best, given all larger sizes there,
    solves a parabola.
    """
    n = float(np.sum(tasks))
    # From the largest size to the smallest; sums are over the larger sizes.
    span = sizes[::-1] - 1.0
    count = tasks[::-1]
    above = np.cumsum(count * span) - count * span
    above_square = np.cumsum(count * span**2) - count * span**2
    with np.errstate(divide="ignore", invalid="ignore"):
        best = np.nan_to_num(n / 2 - above / span)
    # Of tasks with weights that are not whole, any share may be there.
    shares = (np.floor(best), np.ceil(best)) if (count == np.round(count)).all() else (best,)
    chosen = [np.clip(share, 0.0, count) for share in shares]
    values = [(above_square + m * span**2) / n - ((above + m * span) / n) ** 2 for m in chosen]
    return float(np.max(values))


NORMAL_QUARTILE = 0.6744897501960817
"""The upper quartile of the standard normal distribution, the divisor of the MAD."""


def median_absolute_deviation(ranks: Values, weights: Values) -> float:
    """Return the median distance from the median, over the normal distribution's quartile."""
    return median(np.abs(ranks - median(ranks, weights)), weights) / NORMAL_QUARTILE


def largest_median_deviation(sizes: Values, _: Values) -> float:
    """Return a bound: the nearer half of the ranks lies within half the range of the median."""
    return float(sizes.max() - 1) / 2 / NORMAL_QUARTILE


class Formula(NamedTuple):
    """How the constants of a metric are computed, in the names that ``formulas.toml`` explains."""

    expectation: str
    variance: str
    method: str  # how they are evaluated, in words
    reference: str = "derived here"


@functools.cache
def load_formulas() -> Mapping[str, Formula]:
    """Read the formulas, by the family of the metric."""
    import tomllib  # only the pages of metrics need them

    text = Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
    return {family: Formula(**row) for family, row in tomllib.loads(text).items()}
