"""The adjustments: affine maps, exact at their fixed points."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

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

if TYPE_CHECKING:
    from types import ModuleType

# Metrics that rankers differ in.
VARYING = [metric for metric in TABULATED if metric.optimum is not None]

HISTOGRAM = Histogram.from_counts([1, 5, 9, 9, 40, 200, 1000])
MOMENTS = {metric: compute_moments(metric, HISTOGRAM) for metric in TABULATED}

# What a random ranker's and a perfect ranker's values become; None: depends on the tasks.
FIXED_POINTS: dict[str, tuple[float, float | None]] = {"normalised": (1.0, None), "index": (0.0, 1.0), "z": (0.0, None)}

EVERY = for_each(
    ("adjustment", "metric"),
    [(adjustment, metric) for adjustment in ADJUSTMENTS for metric in VARYING],
)

REALS = st.floats(-1e6, 1e6, allow_subnormal=False)
UNITS = st.floats(1e-6, 1e6) | st.floats(-1e6, -1e-6)


def make(adjustment: str, metric: Metric) -> Affine:
    return ADJUSTMENTS[adjustment](metric, MOMENTS[metric])


def test_every_adjustment_has_its_fixed_points() -> None:
    """A new adjustment fails here until its laws are stated."""
    assert set(FIXED_POINTS) == set(ADJUSTMENTS)


@EVERY
def test_fixed_points_are_exact(adjustment: str, metric: Metric) -> None:
    form = make(adjustment, metric)
    random, perfect = FIXED_POINTS[adjustment]
    chance = form(MOMENTS[metric].expectation)
    assert (chance, math.copysign(1.0, chance)) == (random, 1.0)  # no -0.0
    assert metric.optimum is not None
    assert perfect is None or form(metric.optimum) == perfect


@EVERY
def test_sign(adjustment: str, metric: Metric) -> None:
    """Index and z grow as the ranker gets better; the normalised form keeps the metric's own direction."""
    form = make(adjustment, metric)
    better = MOMENTS[metric].expectation * (1.01 if metric.increasing else 0.99)
    change = form(better) - form(MOMENTS[metric].expectation)
    assert (change > 0) == (metric.increasing or adjustment != "normalised")
    assert change != 0


@EVERY
def test_formulas(adjustment: str, metric: Metric) -> None:
    """The three formulas of Hoyt et al. 2022, section 3, in fractions."""
    moments = MOMENTS[metric]
    assert metric.optimum is not None
    for value in (0.0, 0.25, 1.0, 3.5, 1234.5):
        mean, optimum, given_value = (Fraction(x) for x in (moments.expectation, metric.optimum, value))
        formulas = {
            "normalised": float(given_value / mean),
            "index": float((given_value - mean) / (optimum - mean)),
            "z": float(given_value - mean) / math.sqrt(moments.variance) * (1 if metric.increasing else -1),
        }
        assert make(adjustment, metric)(value) == pytest.approx(formulas[adjustment], rel=1e-14, abs=1e-300)


@given(REALS, UNITS, REALS)
def test_scale_and_offset_agree_with_the_call(origin: float, unit: float, value: float) -> None:
    form = Affine(origin, unit)
    size = (abs(value) + abs(origin)) / abs(unit)
    assert abs(form.scale * value + form.offset - form(value)) <= 1e-15 * size
    assert form(origin) == 0.0


@given(REALS, UNITS, REALS)
def test_invert_undoes_the_call(origin: float, unit: float, value: float) -> None:
    form = Affine(origin, unit)
    assert abs(form.invert(form(value)) - value) <= 1e-15 * (abs(value) + abs(origin))


@EVERY
def test_arrays_come_back_as_arrays(adjustment: str, metric: Metric) -> None:
    form = make(adjustment, metric)
    values = np.array([[0.1, 0.2], [0.3, 0.4]])
    for there, back in ((form(values), form.invert(form(values))),):
        assert type(there) is np.ndarray
        assert there.shape == values.shape
        assert there.tolist() == [[form(x) for x in row] for row in values.tolist()]
        assert np.allclose(back, values, rtol=1e-12, atol=1e-12 * max(1.0, abs(form.origin)))


@EVERY
def test_series_keep_their_index_and_name(adjustment: str, metric: Metric) -> None:
    pandas: ModuleType = pytest.importorskip("pandas")
    form = make(adjustment, metric)
    values = pandas.Series([0.1, 0.2], index=["TransE", "RotatE"], name="x")
    for result in (form(values), form.invert(values)):
        assert type(result) is pandas.Series
        assert result.index.tolist() == ["TransE", "RotatE"]
        assert result.name == "x"
    assert form(values).tolist() == [form(0.1), form(0.2)]


def test_floats_and_integers_come_back_as_floats() -> None:
    form = Affine(1.0, -4.0)
    assert type(form(3)) is float
    assert form(3) == -0.5
    assert form.invert(-0.5) == 3.0


@pytest.mark.parametrize("metric", TABULATED, ids=str)
def test_index_is_undefined_where_chance_is_perfect(metric: Metric) -> None:
    moments = compute_moments(metric, Histogram.from_counts([1, 1, 1]))
    assert moments.expectation == optimum_of(metric, 3)
    with pytest.raises(UndefinedError, match=f"adjusted index of {metric.label} is undefined"):
        ADJUSTMENTS["index"](metric, moments)


@pytest.mark.parametrize("metric", TABULATED, ids=str)
def test_z_is_undefined_without_variance(metric: Metric) -> None:
    with pytest.raises(UndefinedError, match=f"z-score of {metric.label} is undefined.*the variance is 0"):
        ADJUSTMENTS["z"](metric, Moments(0.5, 0.0, 0.0, 0.0, "closed_form"))


@pytest.mark.parametrize("metric", TABULATED, ids=str)
def test_the_normalised_form_is_undefined_where_chance_gets_nothing(metric: Metric) -> None:
    with pytest.raises(UndefinedError, match=f"normalised {metric.label} is undefined here: its expectation is 0"):
        ADJUSTMENTS["normalised"](metric, Moments(0.0, 0.0, 0.1, 0.0, "closed_form"))
    assert ADJUSTMENTS["normalised"](metric, Moments(1.0, 0.0, 0.1, 0.0, "closed_form"))(0.25) == 0.25


@EVERY
def test_corners_bound_the_form(adjustment: str, metric: Metric) -> None:
    own = MOMENTS[metric]
    corners = [
        Moments(own.expectation * mean, 0.0, own.variance * variance, 0.0, "closed_form")
        for mean in (0.9, 1.0, 1.1)
        for variance in (0.5, 2.0)
    ]
    ends = Interval(own.expectation * 0.7, own.expectation * 0.8)
    every = [ADJUSTMENTS[adjustment](metric, moments)(end) for moments in corners for end in ends]
    assert map_corners(adjustment, metric, corners, ends) == Interval(min(every), max(every))
    arrays: Any = (np.full(2, end) for end in ends)
    lower: Any
    upper: Any
    lower, upper = map_corners(adjustment, metric, corners, Interval(*arrays))
    assert lower.tolist() == [min(every)] * 2
    assert upper.tolist() == [max(every)] * 2


@pytest.mark.parametrize("means", [(0.9, 1.1), (1.1, 0.9)])
def test_between_corners_a_form_may_be_undefined(means: tuple[float, float]) -> None:
    """The MRR of a perfect ranker is 1, and its index divides by the distance to it; dividing by 1 is no harm."""
    metric = parse_metric("mrr")
    corners = [Moments(mean, 0.0, 0.1, 0.0, "closed_form") for mean in means]
    with pytest.raises(UndefinedError, match="between the bounds of its moments, the index of MRR is undefined"):
        map_corners("index", metric, corners, Interval(0.5, 0.6))
    assert map_corners("normalised", metric, corners, Interval(0.5, 0.6)) == Interval(0.5 / 1.1, 0.6 / 0.9)
