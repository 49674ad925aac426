"""Constants of one metric: what they accept, refuse and return."""

from __future__ import annotations

import functools
import math
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from carried import open_once
from oracles import optimum_of
from rankconst.catalogue.metrics import TABULATED, parse_metric
from rankconst.errors import DataError, UndefinedError, UnknownNameError
from rankconst.moments import Moments, compute_moments
from rankconst.tails import TAILS
from rankconst.tasks import Histogram, Tasks
from rankconst.values.affine import ADJUSTMENTS
from rankconst.values.constants import Constants
from rankconst.values.published import Interval, Published

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import ModuleType


def make(name: str, counts: Sequence[int]) -> Constants:
    metric = parse_metric(name)
    histogram = Histogram.from_counts(counts)
    return Constants(
        tasks=Tasks("mykg"),
        metric=metric,
        histogram=histogram,
        moments=compute_moments(metric, histogram),
        table_version="9.9.9",
    )


# About the size of FB15k-237: a reciprocal of the last place is far below three decimals.
LARGE = [14000, 14541, 14541, 13000]
NAMES = [str(metric) for metric in TABULATED if metric.optimum is not None]


def optimum(constants: Constants) -> float:
    """What a perfect ranker gets."""
    return optimum_of(constants.metric, constants.num_tasks)


@pytest.mark.parametrize("name", NAMES)
def test_adjust_gives_every_form(name: str) -> None:
    constants = make(name, LARGE)
    value = (constants.expectation + optimum(constants)) / 2
    adjusted = constants.adjust(value)
    assert adjusted.value == value
    for form in ADJUSTMENTS:
        assert getattr(adjusted, form) == getattr(constants, form)(value)
    assert adjusted.index == pytest.approx(0.5)
    assert adjusted.z > 0


@pytest.mark.parametrize("name", NAMES)
def test_the_ends_of_the_range_are_accepted(name: str) -> None:
    constants = make(name, LARGE)
    for value in (optimum(constants), constants.expectation, constants.worst):
        constants.check(value)
    assert constants.adjust(optimum(constants)).index == 1.0
    assert constants.adjust(constants.expectation).z == 0.0


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("hits@10", 53.3, r"^53\.3 is not a possible Hits@10 on mykg \(test, both sides, "),
        ("hits@10", 53.3, r"protocol standard\): expected 0 to 1\. "),
        ("hits@10", 53.3, r"If it is a percentage, write 0\.533, or add --percent"),
        ("hits@10", 100.0, r"write 1, or"),
        ("hits@10", 100.5, r"Check the metric"),
        ("hits@10", -0.1, r"Check the metric"),
        ("mrr", 33.8, r"expected .* to 1\. If it is a percentage, write 0\.338, or add --percent"),
        ("mrr", 1.001, r"percentage"),
        ("mrr", -0.0001, r"Check the metric"),
        ("igmr", 50.0, r"write 0\.5, or"),
        ("mr", 0.3, r"0\.3 is not a possible MR .*A mean of ranks is at least 1"),
        ("mr", 0.0, r"at least 1"),
        ("mr", -5.0, r"at least 1"),
        ("gmr", 0.99, r"at least 1"),
        ("mr", 14541.0, r"expected 1 to 14020\.5\. Check the metric, dataset"),
        ("mr", 14021.5, r"expected 1 to 14020\.5"),
        ("gmr", 20000.0, r"Check the metric"),
        ("mrr", float("nan"), r"nan is not a possible MRR.*Leave out results that are missing"),
        ("mr", float("inf"), r"inf is not a possible MR.*Leave out"),
        ("mr", float("-inf"), r"Leave out"),
        ("hits@10", float("nan"), r"Leave out"),
    ],
)  # fmt: skip
def test_impossible_values_are_refused_with_a_hint(name: str, value: float, message: str) -> None:
    constants = make(name, LARGE)
    with pytest.raises(DataError, match=message):
        constants.check(value)
    with pytest.raises(DataError, match=message):
        constants.adjust(value)


@pytest.mark.parametrize(
    ("name", "value", "accepted"),
    [
        ("mrr", 0.0, True),  # the worst is 0.0000714
        ("mrr", 0.0001, True),
        ("mrr", 7.1e-05, True),  # the worst as printed with six decimals
        ("mrr", 7.0e-05, True),  # with five
        ("mrr", 7.0001e-05, False),
        ("mrr", 6.0e-05, False),
        ("igmr", 0.0, True),
        ("mr", 14020.5, True),
        ("mr", 14021.0, True),  # 14020.5 rounded to a whole number
        ("mr", 14020.6, False),
        ("hits@10", 0.0, True),
    ],
)
def test_a_worst_value_may_have_been_rounded(name: str, value: float, accepted: bool) -> None:
    constants = make(name, LARGE)
    if accepted:
        constants.check(value)
    else:
        with pytest.raises(DataError):
            constants.check(value)


@pytest.mark.parametrize(
    ("values", "named"), [([0.3, 53.3, 88.0], "53.3"), ([0.1, math.nan, 2.0], "2"), ([0.1, math.inf], "inf")]
)
def test_the_first_offender_of_an_array_is_named(values: list[float], named: str) -> None:
    constants = make("hits@10", LARGE)
    series: ModuleType = pytest.importorskip("pandas")
    for number in (values, np.array(values), np.array([values]), series.Series(values)):
        with pytest.raises(DataError, match=f"^{named} is not a possible Hits@10"):
            constants.check(number)


@pytest.mark.parametrize("form", ["normalised", "index", "z"])
def test_formulas_refuse_what_cannot_be(form: str) -> None:
    apply = getattr(make("mrr", LARGE), form)
    for value in (33.8, np.array([0.338, 33.8])):
        with pytest.raises(
            DataError, match=r"33\.8 is not a possible MRR .* percentage, write 0\.338, or add --percent"
        ):
            apply(value)
    with pytest.raises(DataError, match="nan is not a possible MRR"):
        apply(math.nan)
    with pytest.raises(DataError, match=r"0\.3 is not a possible MR .* at least 1"):
        getattr(make("mr", LARGE), form)(0.3)


def test_missing_values_of_an_array_stay_missing() -> None:
    constants = make("mrr", LARGE)
    values = np.array([0.338, math.nan, 1.0])
    constants.check(values)
    adjusted = constants.adjust(values)
    for form in ("value", "normalised", "index", "z"):
        found = getattr(adjusted, form)
        alone = [getattr(constants.adjust(value), form) for value in (0.338, 1.0)]
        assert np.isnan(found).tolist() == [False, True, False]
        assert found[[0, 2]].tolist() == alone
        for end in getattr(adjusted, f"{form}_interval"):
            assert np.isnan(end).tolist() == [False, True, False]
        if form != "value":
            assert getattr(constants, form)(values)[[0, 2]].tolist() == alone
    series: ModuleType = pytest.importorskip("pandas")
    assert constants.adjust(series.Series(values)).z.isna().tolist() == [False, True, False]


def test_arrays_and_series_are_adjusted_as_they_are() -> None:
    constants = make("mrr", LARGE)
    values = [0.1, 0.338]
    array = constants.adjust(np.array(values))
    assert type(array.z) is np.ndarray
    assert array.index.tolist() == [constants.index(value) for value in values]
    pandas: ModuleType = pytest.importorskip("pandas")
    series = constants.adjust(pandas.Series(values, index=["TransE", "RotatE"]))
    for result in (series.normalised, series.index, series.z):
        assert type(result) is pandas.Series
        assert result.index.tolist() == ["TransE", "RotatE"]
    assert series.z.tolist() == array.z.tolist()
    assert type(constants.adjust(0.338).z) is float


_COLUMNS: dict[str, Callable[[list[Any]], Any]] = {
    "a list": list,
    "an array of Arrow": pa.array,
    "chunks of Arrow": lambda values: pa.chunked_array([values[:1], values[1:]]),
    "polars": lambda values: pytest.importorskip("polars").Series(values),
}


@pytest.mark.parametrize("kind", _COLUMNS)
@pytest.mark.parametrize("values", [[0.125, math.nan, 1.0], [0.125, None, 1.0], ["0.125", None, "1"], [1, None, 0]])
def test_columns_of_polars_and_arrow_give_arrays(kind: str, values: list[Any]) -> None:
    constants = make("mrr", LARGE)
    if kind == "a list":
        values = [math.nan if value is None else value for value in values]
    column = _COLUMNS[kind](values)
    expected = np.array([math.nan if value is None else float(value) for value in values])
    constants.check(column)
    for found in (constants.adjust(column).z, constants.z(column)):
        assert type(found) is np.ndarray
        np.testing.assert_array_equal(found, constants.z(expected))
    ends = constants.adjust(column).value_interval
    assert np.greater(ends.upper, ends.lower).tolist() == [isinstance(value, str) for value in values]


def test_a_sparse_series_is_a_series() -> None:
    constants, pandas = make("mrr", LARGE), pytest.importorskip("pandas")
    dense = pandas.Series([0.338, math.nan, 1.0], index=["a", "b", "c"])
    for found in (constants.adjust(dense.astype("Sparse")).z, constants.z(dense.astype("Sparse"))):
        pandas.testing.assert_series_equal(found, constants.z(dense))


@pytest.mark.parametrize("values", [{0.338}, frozenset({0.338}), {0.338: 1}])
def test_what_has_no_order_is_refused(values: Any) -> None:
    for use in (make("mrr", LARGE).adjust, make("mrr", LARGE).index):
        with pytest.raises(DataError, match=r"^expected numbers, got .*; for text use a list"):
            use(values)


@pytest.mark.parametrize("value", [200, np.int64(200), np.float32(200), np.array(200.0), [200, 300][0]])
def test_any_number_will_do(value: Any) -> None:
    constants = make("mr", LARGE)
    assert float(constants.adjust(value).index) == pytest.approx(constants.index(200.0), rel=1e-6)


def test_k_beyond_all_candidates_leaves_nothing_to_adjust() -> None:
    constants = make("hits@50", [14, 14, 12])
    best = optimum(constants)
    adjusted = constants.adjust(best)
    assert (adjusted.normalised, adjusted.index, adjusted.z) == (1.0 if best else None, None, None)
    with pytest.raises(UndefinedError, match="is already the optimum"):
        _ = constants.index
    with pytest.raises(UndefinedError, match="the variance is 0"):
        _ = constants.z
    with pytest.raises(DataError, match="expected 1, which every ranker gets"):
        constants.check(0.9)


@pytest.mark.parametrize("name", NAMES)
def test_single_candidates_leave_nothing_to_adjust(name: str) -> None:
    constants = make(name, [1, 1])
    assert constants.expectation == constants.worst == optimum(constants)
    best = optimum(constants)
    adjusted = constants.adjust(best)
    assert (adjusted.normalised, adjusted.index, adjusted.z) == (1.0 if best else None, None, None)


def test_where_every_ranker_gets_the_same_there_is_nothing_to_adjust() -> None:
    constants = make("count", LARGE)
    adjusted = constants.adjust(4)
    assert (adjusted.normalised, adjusted.index, adjusted.z) == (1.0, None, None)
    with pytest.raises(UndefinedError, match="index of count is undefined: every ranker gets 4"):
        _ = constants.index
    with pytest.raises(DataError, match=r"5 is not a possible count .* expected 4, which every ranker gets here"):
        constants.check(5)


make_once = functools.cache(make)


# -- intervals ------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
@given(st.data())
def test_interval_ends_map_to_interval_ends(name: str, data: st.DataObject) -> None:
    constants = make_once(name, (300, 140, 140, 120, 90))
    best, worst = optimum(constants), constants.worst
    share = data.draw(st.floats(0, 1))
    decimals = data.draw(st.integers(0, 6))
    text = f"{best + share * (worst - best):.{decimals}f}"
    try:
        adjusted = constants.adjust(text)
    except DataError:
        return  # rounded beyond the best
    low, high = sorted((best, worst))
    half = 0.5 * 10.0**-decimals
    value = float(text)
    lower, upper = adjusted.value_interval
    assert lower == pytest.approx(max(value - half, low), rel=1e-12, abs=1e-12)
    assert upper == pytest.approx(min(value + half, high), rel=1e-12, abs=1e-12)
    for form in ADJUSTMENTS:
        ends = (getattr(constants, form)(lower), getattr(constants, form)(upper))
        found = getattr(adjusted, f"{form}_interval")
        if constants.method == "sampled":
            # Wider, by what is open about the moments.
            assert found.lower <= min(ends)
            assert found.upper >= max(ends)
            continue
        assert found == Interval(*sorted(ends))
        # Better values are never worse adjusted: the index and z grow where the metric does, else where it falls.
        assert found == (
            Interval(*ends) if constants.metric.increasing or form == "normalised" else Interval(*ends[::-1])
        )


def with_moments(moments: Moments) -> Constants:
    return replace(make_once("mdr", tuple(LARGE)), moments=moments)


@pytest.mark.parametrize(
    "moments",
    [
        Moments(6.0, 1e-15, 1e-48, 4e-48, "numerical"),
        Moments(6.0, 1e-15, 0.0, 4e-48, "numerical"),
        Moments(6.0, 0.1, 1e-3, 6e-4, "sampled", 300),
        Moments(6.0, 0.1, 0.0, 6e-4, "sampled", 300),
    ],
)
def test_there_is_no_z_where_the_variance_cannot_be_told_from_0(moments: Moments) -> None:
    constants = with_moments(moments)
    adjusted = constants.adjust(7.0)
    assert adjusted.z is adjusted.z_interval is None
    assert adjusted.index == pytest.approx(-0.2)
    assert "the variance cannot be told from 0, with an error of" in adjusted.undefined["z"]
    with pytest.raises(UndefinedError, match="cannot be told from 0"):
        constants.z(7.0)


def test_z_has_the_range_that_the_error_of_the_variance_leaves_open() -> None:
    """Of bounds as they are, of standard errors at twice these; errors as small as rounding leave no range."""
    widths: dict[Literal["numerical", "sampled"], float] = {"numerical": 1.0, "sampled": 2.0}
    for method, width in widths.items():
        found = with_moments(Moments(6.0, 1e-3, 0.01, 2e-3, method)).adjust(5.0).z_interval
        assert found is not None
        mean, spread = width * 1e-3, width * 2e-3
        assert found.lower == pytest.approx((1 - mean) / math.sqrt(0.01 + spread))
        assert found.upper == pytest.approx((1 + mean) / math.sqrt(0.01 - spread))
    sharp = with_moments(Moments(6.0, 1e-15, 0.01, 1e-16, "numerical")).adjust(5.0)
    assert sharp.z_interval == Interval(10.0, 10.0)


@pytest.mark.slow
def test_every_z_of_the_tables_has_a_variance_that_is_known() -> None:
    """Medians among few relations are all but certain: their variance is below its own error."""
    tables = open_once()
    for split in ("train", "valid", "test"):
        constants = tables.constants("wn18rr_v3", "mdr", side="relation", split=split)
        known = constants.variance > constants.variance_error
        assert (constants.adjust("7").z is not None) == known
    assert tables.constants("wn18rr_v3", "mdr", side="relation", split="train").adjust("7").z is None


def test_values_as_they_are_written() -> None:
    hits = make("hits@10", LARGE)
    for same in ("53.3%", "0.533", Published("53.3", 0.533, 0.5325, 0.5335)):
        assert hits.adjust(same).value_interval == Interval(0.5325, 0.5335)
    assert hits.adjust(53.3, percent=True, decimals=1).value_interval == pytest.approx((0.5325, 0.5335))
    assert hits.adjust("0.533 ± 0.002").value_interval == Interval(0.5305, 0.5355)
    assert hits.adjust(0.533).value_interval == Interval(0.533, 0.533)
    array = hits.adjust(np.array([0.5, 0.6]), decimals=1)
    assert array.index_interval is not None
    np.testing.assert_allclose(array.value_interval, [[0.45, 0.55], [0.55, 0.65]])


def test_what_no_metric_can_be_is_cut_off_the_interval() -> None:
    assert make("hits@10", LARGE).adjust("1.00").value_interval == Interval(0.995, 1.0)
    assert make("mr", LARGE).adjust("1").value_interval == Interval(1.0, 1.5)
    assert make("hits@10", LARGE).adjust("1.00").index_interval == Interval(make("hits@10", LARGE).index(0.995), 1.0)


def test_percentages_of_what_is_no_share() -> None:
    for percentages in (50.0, np.array([50.0])):
        with pytest.raises(DataError, match="MR is not a share"):
            make("mr", LARGE).adjust(percentages, percent=True)
    with pytest.raises(DataError, match="MR is not a share"):
        make("mr", LARGE).adjust("50%")


@pytest.mark.parametrize("name", ["mr", "mrr", "gmr", "igmr", "hits@10", "hmr", "variance"])
def test_single_precision_may_carry_a_number_beyond_its_range(name: str) -> None:
    """As a mean of equal ranks does that is summed in float32."""
    constants = make(name, LARGE)
    up = 1 if constants.metric.increasing else -1
    ends = [(constants.worst, -up), (optimum(constants), up)]
    for end, beyond in (pair for pair in ends if pair[0]):
        for number in (float(np.nextafter(np.float32(end), np.float32(beyond * np.inf))), end * (1 + beyond * 9e-7)):
            assert constants.adjust(number).value == number
        with pytest.raises(DataError, match="is not a possible"):
            constants.adjust(f"{end * (1 + beyond * 1.1e-6):.12g}")
    if constants.metric.family in TAILS:
        best = optimum(constants)
        found = constants.significance(best * (1 + up * 1e-7))
        assert found.log10 == constants.significance(best).log10 < 0


def test_an_interval_beyond_the_worst_is_refused() -> None:
    hits = make("hits@3", [4, 4])  # at worst 0
    assert hits.worst == 0.0
    mrr = make("mrr", [4, 4])  # at worst 0.25
    assert mrr.adjust("0.2").value_interval == Interval(0.25, 0.25)
    with pytest.raises(DataError, match=r"0\.2 is not a possible MRR"):
        mrr.adjust("0.20")


@pytest.mark.parametrize("value", [None, True, object(), "", [0.3, "x"], 10**400, Decimal("1e1000001"), 1e300])
def test_what_is_no_number_is_refused(value: object) -> None:
    with pytest.raises((DataError, ValueError, TypeError)) as refused:
        make("mrr", LARGE).adjust(value)
    assert str(refused.value)


TABLES = open_once()


@pytest.mark.parametrize("aggregation", ["micro", "macro-query"])
@pytest.mark.parametrize("dataset", ["nations", "wn18rr"])
def test_what_a_model_gets_that_scores_everything_alike(dataset: str, aggregation: str) -> None:
    """Ranks 1, (N + 1) / 2 and N, averaged as fractions."""
    histogram = TABLES.histogram(dataset, aggregation=aggregation)
    weights = [Fraction(weight) for weight in histogram.row_weights.tolist()]
    ranks = {
        "optimistic": [Fraction(1)] * len(histogram),
        "realistic": [Fraction(size + 1, 2) for size in histogram.num_candidates.tolist()],
        "pessimistic": [Fraction(size) for size in histogram.num_candidates.tolist()],
    }
    means: dict[str, Callable[[Fraction], Fraction]] = {
        "mr": lambda rank: rank,
        "mrr": lambda rank: 1 / rank,
        "hits@3": lambda rank: Fraction(rank <= 3),
    }
    for name, term in means.items():
        constants = TABLES.constants(dataset, name, aggregation=aggregation)
        for rank_type, values in ranks.items():
            found = sum(w * term(value) for w, value in zip(weights, values, strict=True)) / sum(weights)
            assert constants.all_tied(rank_type) == pytest.approx(float(found), rel=1e-13)
        assert constants.all_tied("optimistic") == 1
        assert constants.all_tied("pessimistic") == pytest.approx(constants.worst)
    mean_rank = TABLES.constants(dataset, "mr", aggregation=aggregation)
    assert mean_rank.all_tied() == pytest.approx(mean_rank.expectation, rel=1e-13)
    assert mean_rank.index(mean_rank.expectation) == 0
    with pytest.raises(UnknownNameError, match=r"unknown rank type 'realist'\. Did you mean realistic"):
        mean_rank.all_tied("realist")


def test_equal_scores_are_worse_than_chance_by_mrr() -> None:
    """2 / (N + 1) is below H(N) / N for N > 2, so the realistic rank of equal scores has a negative AMRR."""
    for metric in TABULATED:
        constants = TABLES.constants("nations", metric)
        if metric.optimum is not None:
            assert constants.all_tied("optimistic") == metric.optimum
            assert metric.lower <= constants.all_tied() <= metric.upper
    mrr = TABLES.constants("fb15k237", "mrr")
    assert mrr.index(mrr.all_tied()) < 0
    assert mrr.all_tied() == TABLES.constants("fb15k237", "mrr", baseline="frequency").all_tied()
