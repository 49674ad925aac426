"""The adjustments: affine maps, exact at their fixed points."""

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import for_each
from oracles import optimum_of
from rankconst.catalogue.metrics import TABULATED, Metric, parse_metric
from rankconst.errors import UndefinedError
from rankconst.moments import Moments, compute_moments
from rankconst.tasks import Histogram
from rankconst.values.affine import ADJUSTMENTS, Affine, map_corners
from rankconst.values.published import Interval

# Metrics that rankers differ in.
VARYING = [metric for metric in TABULATED if metric.optimum is not None]

HISTOGRAM = Histogram.from_counts([1, 5, 9, 9, 40, 200, 1000])
MOMENTS = {metric: compute_moments(metric, HISTOGRAM) for metric in TABULATED}

# What a random ranker's and a perfect ranker's values become; None: depends on the tasks.
FIXED_POINTS: dict[str, tuple[float, float | None]] = {
    "normalised": (1.0, None), "index": (0.0, 1.0), "z": (0.0, None),
}  # fmt: skip

EVERY = for_each(
    ("adjustment", "metric"),
    [(adjustment, metric) for adjustment in ADJUSTMENTS for metric in VARYING],
)

REALS = st.floats(-1e6, 1e6, allow_subnormal=False)
UNITS = st.floats(1e-6, 1e6) | st.floats(-1e6, -1e-6)


def make(adjustment: str, metric: Metric) -> Affine:
    return ADJUSTMENTS[adjustment](metric, MOMENTS[metric])


@EVERY
def test_fixed_points_are_exact(adjustment: str, metric: Metric) -> None:
    form = make(adjustment, metric)
    random, perfect = FIXED_POINTS[adjustment]
    chance = form(MOMENTS[metric].expectation)
    assert (chance, math.copysign(1.0, chance)) == (random, 1.0)  # no -0.0
    assert metric.optimum is not None
    assert perfect is None or form(metric.optimum) == perfect


@EVERY
def test_formulas(adjustment: str, metric: Metric) -> None:
    """The three formulas of Hoyt et al. 2022, section 3, in fractions."""
    moments = MOMENTS[metric]
    assert metric.optimum is not None
    mean, optimum = Fraction(moments.expectation), Fraction(metric.optimum)
    sign = 1 if metric.increasing else -1
    formulas: dict[str, Callable[[Fraction], float]] = {
        "normalised": lambda value: float(value / mean),
        "index": lambda value: float((value - mean) / (optimum - mean)),
        "z": lambda value: sign * float(value - mean) / math.sqrt(moments.variance),
    }
    for value in (0.0, 0.25, 1.0, 3.5, 1234.5):
        expected = formulas[adjustment](Fraction(value))
        assert make(adjustment, metric)(value) == pytest.approx(expected, rel=1e-14, abs=1e-300)


@given(REALS, UNITS, REALS)
def test_scale_offset_and_inverse_agree_with_the_call(
    origin: float, unit: float, value: float
) -> None:
    form = Affine(origin, unit)
    size = 1e-15 * (abs(value) + abs(origin))
    assert abs(form.scale * value + form.offset - form(value)) <= size / abs(unit)
    assert abs(form.invert(form(value)) - value) <= size
    assert form(origin) == 0.0


@EVERY
def test_corners_bound_the_form(adjustment: str, metric: Metric) -> None:
    own = MOMENTS[metric]
    corners = [
        replace(own, expectation=own.expectation * mean, variance=own.variance * variance)
        for mean in (0.9, 1.0, 1.1)
        for variance in (0.5, 2.0)
    ]
    ends = Interval(own.expectation * 0.7, own.expectation * 0.8)
    every = [ADJUSTMENTS[adjustment](metric, moments)(end) for moments in corners for end in ends]
    assert map_corners(adjustment, metric, corners, ends) == Interval(min(every), max(every))
    # Columns are mapped in the same way, as intervals of arrays.
    lower, upper = (cast("Any", np.full(2, end)) for end in ends)
    arrays = Interval(lower, upper)
    found: Any = map_corners(adjustment, metric, corners, arrays)
    assert [end.tolist() for end in found] == [[min(every)] * 2, [max(every)] * 2]


@pytest.mark.parametrize("means", [(0.9, 1.1), (1.1, 0.9)])
def test_between_corners_a_form_may_be_undefined(means: tuple[float, float]) -> None:
    """The index of MRR divides by the distance to 1, a perfect ranker's; dividing by 1 is no harm."""
    metric, ends = parse_metric("mrr"), Interval(0.5, 0.6)
    corners = [Moments(mean, 0.0, 0.1, 0.0, "closed_form") for mean in means]
    with pytest.raises(UndefinedError, match="of its moments, the index of MRR is undefined"):
        map_corners("index", metric, corners, ends)
    assert map_corners("normalised", metric, corners, ends) == Interval(0.5 / 1.1, 0.6 / 0.9)


@for_each("metric", TABULATED)
def test_what_is_undefined_is_said(metric: Metric) -> None:
    sure = compute_moments(metric, Histogram.from_counts([1, 1, 1]))
    assert sure.expectation == optimum_of(metric, 3)
    for adjustment, moments, name in (
        ("index", sure, "adjusted index"),
        ("z", replace(sure, variance=0.0), "z-score"),
        ("normalised", replace(sure, expectation=0.0), "normalised"),
    ):
        with pytest.raises(UndefinedError, match=rf"{name}( of)? {metric.label} is undefined"):
            ADJUSTMENTS[adjustment](metric, moments)
    assert ADJUSTMENTS["normalised"](metric, replace(sure, expectation=1.0))(0.25) == 0.25
