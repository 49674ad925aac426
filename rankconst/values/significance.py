"""The probability that a random ranker does at least as well as a published value."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from rankconst.errors import UndefinedError
from rankconst.tails import FEW_ULPS, explain_lack, tail_probabilities
from rankconst.values.published import NOISE, Interval, half_unit, round_outwards

if TYPE_CHECKING:
    from rankconst.catalogue.metrics import Metric
    from rankconst.tasks import Histogram

# Below the first power of ten, a probability is written as one. Below the second, as less than it.
_MINUTE, _LEAST = -12.0, -300.0


@dataclass(frozen=True, slots=True)
class Significance:
    """The probability that a random ranker does at least as well as a value.

    Attributes
    ----------
    log10
        Decimal logarithm of the probability for the value itself, or for the nearest one that some
        ranks give: hits and ranks add up to whole numbers. It is finite where the probability
        underflows.
    interval
        The logarithms that the value's rounding leaves open, the error of the computation included.
    method
        The method of the tail: ``exact``, ``convolution`` or ``inversion``; see
        :class:`~rankconst.tails.Tail`.
    """

    log10: float
    interval: Interval
    method: str

    @property
    def probability(self) -> float:
        """10 to the power of `log10`; 0 below the smallest double."""
        return float(10.0**self.log10)

    def __str__(self) -> str:
        return show_probability(self.log10, self.interval)


def show_probability(log10: float, interval: Interval) -> str:
    """Write a probability with the effect of rounding, or a bound if it is tiny.

    >>> show_probability(-2.66, Interval(-2.8, -2.5))
    '0.0015–0.0032'
    >>> show_probability(-45948.7, Interval(-46027.7, -45869.6))
    '< 1e-300'
    """
    if math.isinf(log10):
        return "0"
    if interval.upper < _MINUTE:
        return f"< 1e{max(math.ceil(interval.upper), _LEAST):.0f}"

    ends = [10.0**end for end in interval]
    nearest = {f"{end:.2g}" for end in ends}
    if len(nearest) == 1:
        return nearest.pop()

    lower, upper = round_outwards(ends[0], math.floor), round_outwards(ends[1], math.ceil)
    return f"{lower:.2g}–{upper:.2g}"


def compute_significance(
    metric: Metric, histogram: Histogram, value: float, interval: Interval
) -> Significance:
    """Compute the tail probability of a value in the metric's range, and of its interval.

    If the sum over tasks is a whole number, as for Hits@k and MR, the value is first moved to the
    nearest one that some ranks give. Raises UndefinedError if there is none, or no tail is known.
    """
    is_whole = metric.is_counted and not histogram.is_weighted
    if is_whole and not explain_lack(metric, histogram):  # else tail_probabilities raises it
        value, interval = attain(metric, histogram.total, value, interval)

    # Rounding may carry a number beyond its range.
    numbers = [min(max(number, metric.lower), metric.upper) for number in (value, *interval)]
    tails = tail_probabilities(metric, histogram, dict.fromkeys(numbers))
    of_value = tails[0]
    lower = min(tail.log10 - tail.error for tail in tails)
    upper = max(min(tail.log10 + tail.error, 0.0) for tail in tails)
    return Significance(of_value.log10, Interval(lower, upper), of_value.method)


def attain(metric: Metric, n: int, value: float, interval: Interval) -> tuple[float, Interval]:
    """Return the nearest value that ranks of `n` tasks give, and the extremes in the interval.

    Hits and ranks add up to a whole number, or a half if ranks share ties. Hits@10 of 0.32 to 0.34
    of 40 tasks is 13/40. An exact value that no ranks give is taken for a rounded one.
    Raises UndefinedError if no ranks give a value of the interval.
    """
    half = half_unit(value) if interval.lower == interval.upper else 0.0
    printed = Interval(interval.lower - half, interval.upper + half)
    # As it is, then with the noise of float32, then as an exact value that was rounded.
    attempts = ((interval, FEW_ULPS), (interval, Fraction(NOISE)), (printed, FEW_ULPS))
    divisors = (n,) if metric.is_share else (n, 2 * n)  # of a whole number, and of halves
    for (lower, upper), slack in attempts:
        for divisor in divisors:
            least = math.ceil(Fraction(lower) * divisor * (1 - slack))
            most = math.floor(Fraction(upper) * divisor * (1 + slack))
            if least <= most:
                nearest = min(max(round(Fraction(value) * divisor), least), most)
                return nearest / divisor, Interval(least / divisor, most / divisor)

    noun = "hits" if metric.is_share else "as the sum of ranks"
    sums = " to ".join(dict.fromkeys(f"{n * end:,.2f}" for end in printed))
    raise UndefinedError(
        f"{metric.label} = {value:.10g} of {n:,} tasks would be {sums} {noun}, which "
        "is not a whole number. Is it a mean over several runs or sides, or of other ranking tasks?"
    )
