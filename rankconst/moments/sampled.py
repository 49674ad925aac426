"""Moments from random rankings, of weighted tasks where nothing better is known."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from rankconst.doubles import UNIT_ROUNDOFF, Moments
from rankconst.tasks import offsets_of, weights_of

if TYPE_CHECKING:
    from rankconst.catalogue.metrics import Metric
    from rankconst.doubles import Values
    from rankconst.tasks import Histogram

SEED = 20_220_315
"""The seed of every sample, so that results depend on the histogram alone."""

# Bounds on the number of draws; draws times tasks may reach _WORK, but for the fewest draws.
FEWEST_DRAWS, MOST_DRAWS, _WORK = 2**5, 2**13, 2**22
# If fewer draws than the first differ from the commonest value (a number that is chosen), the
# second is how many more are taken to be unseen: their error is 3 gaps over the number of draws S,
# and what has a chance of 3 / S goes unseen with a probability of e^-3 = 5 %.
_RARE, UNSEEN = 30, 9


def make_generator() -> np.random.RandomState:
    """Return the source of all samples; its streams are frozen (NEP 19)."""
    return np.random.RandomState(np.random.PCG64(SEED))


def count_rare(values: Values) -> int:
    """Count the values that differ from the median by more than rounding: 1 of 2, 2, 2, 2 and 5."""
    off = np.abs(values - np.median(values))
    return int(np.count_nonzero(off > 1e-9 * np.max(np.abs(values))))


def is_rare(times: int, draws: int) -> bool:
    """Tell whether `times` draws that differ are so few that more may be unseen."""
    return times < _RARE and 2 * times < draws


def sample_moments(histogram: Histogram, metric: Metric) -> Moments:
    """Estimate the moments of a metric of weighted tasks, with errors, from random rankings.

    If nearly all draws give the same value, the errors allow for nine more draws that were not
    seen, as far off as any ranks are.
    """
    offsets = np.repeat(offsets_of(histogram), histogram.num_tasks).astype(np.float64)
    sizes = np.repeat(histogram.num_candidates, histogram.num_tasks).astype(np.float64)
    weights = np.repeat(weights_of(histogram), histogram.num_tasks).astype(np.float64)
    is_alone = metric.scale == "spread" and histogram.total == 1
    if sizes.max() == 1 or metric.optimum is None or is_alone:
        value = metric.evaluate(offsets + 1, weights)
        return Moments(value, 4 * UNIT_ROUNDOFF * value, 0.0, 0.0, "closed_form")

    draws = min(max(_WORK // sizes.size, FEWEST_DRAWS), MOST_DRAWS)
    rng = make_generator()
    values = np.empty(draws)
    for draw in range(draws):
        ranks = 1 + offsets + np.floor(rng.random_sample(sizes.size) * sizes)
        values[draw] = metric.evaluate(ranks, weights)

    gap = 0.0  # how far off values may be that were not seen
    if is_rare(count_rare(values), draws):
        # The largest distance of two shares, or of two ranks.
        gap = 1.0 if metric.is_share else float((offsets + sizes).max() - offsets.min() - 1)

    moments = estimate(values, gap)
    rounding = 4 * UNIT_ROUNDOFF * float(np.abs(values).max())
    return replace(
        moments,
        expectation_error=moments.expectation_error + rounding,
        variance_error=moments.variance_error + rounding**2,
        num_draws=draws,
    )


def estimate(values: Values, gap: float) -> Moments:
    """Return the mean and the variance of S drawn values v, with standard errors.

    The errors are sqrt(sum (v - mean)^2) / S for the mean, and sqrt(sum ((v - mean)^2 -
    variance)^2) / S for the variance. Nine more draws that were not seen, each `gap` off, are added
    to either sum.
    """
    expectation = float(values.mean())
    squares = np.square(values - expectation)
    variance = float(squares.mean())
    of_squares = float(np.sum(np.square(squares - variance)))
    return Moments(
        expectation=expectation,
        expectation_error=math.sqrt(float(squares.sum()) + UNSEEN * gap**2) / values.size,
        variance=variance,
        variance_error=math.sqrt(of_squares + UNSEEN * gap**4) / values.size,
        method="sampled",
    )
