"""Constants of one metric: what they accept, refuse and return."""

import functools
import itertools
import math
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from carried import open_once
from cases import for_each
from oracles import TERMS, optimum_of
from rankconst.catalogue.metrics import TABULATED
from rankconst.errors import DataError, UndefinedError, UnknownNameError
from rankconst.moments import Moments
from rankconst.tables.own_counts import from_counts
from rankconst.tails import TAILS
from rankconst.values.affine import ADJUSTMENTS
from rankconst.values.constants import Constants
from rankconst.values.published import Interval, Published


def make(name: str, counts: Sequence[int]) -> Constants:
    return from_counts(counts, name="mykg").constants(name)


# About the size of FB15k-237: a reciprocal of the last place is far below three decimals.
LARGE = [14000, 14541, 14541, 13000]
NAMES = [str(metric) for metric in TABULATED if metric.optimum is not None]


def optimum(constants: Constants) -> float:
    """What a perfect ranker gets."""
    return optimum_of(constants.metric, constants.num_tasks)


@for_each(
    ("name", "value", "message"),
    [
        ("hits@10", 53.3, r"^53\.3 is not a possible Hits@10 on mykg .*: expected 0 to 1\. If it is a percentage, write "
         r"0\.533, or add --percent"),
        ("hits@10", 100.5, r"Check the metric"),
        ("mrr", -0.0001, r"Check the metric"),
        ("mr", 0.3, r"0\.3 is not a possible MR .*A mean of ranks is at least 1"),
        ("mr", 14021.5, r"expected 1 to 14020\.5\. Check the metric, dataset"),
        ("mrr", math.nan, r"nan is not a possible MRR.*Leave out results that are missing"),
        ("mr", math.inf, r"inf is not a possible MR.*Leave out"),
        # In an array the first one is named.
        ("hits@10", np.array([0.3, 53.3, 88.0]), "^53.3 is not"),
        ("hits@10", np.array([[0.1, math.nan, 2.0]]), "^2 is not"),
        ("hits@10", [0.1, math.inf], "^inf is not"),
    ],
)  # fmt: skip
def test_impossible_values_are_refused_with_a_hint(name: str, value: Any, message: str) -> None:
    constants = make(name, LARGE)
    for use in (constants.adjust, *(getattr(constants, form) for form in ADJUSTMENTS)):
        with pytest.raises(DataError, match=message):
            use(value)


@for_each(
    ("name", "value", "accepted"),
    [
        ("mrr", 0.0, True),  # the worst is 0.0000714
        ("mrr", 7.1e-05, True),  # the worst as printed with six decimals
        ("mrr", 7.0e-05, True),  # with five
        ("mrr", 7.0001e-05, False), ("mr", 14020.5, True), ("mr", 14021.0, True),  # 14020.5 rounded to a whole number
        ("mr", 14020.6, False), ("hits@10", 0.0, True),
    ],
)  # fmt: skip
def test_a_worst_value_may_have_been_rounded(name: str, value: float, accepted: bool) -> None:
    with nullcontext() if accepted else pytest.raises(DataError):
        make(name, LARGE).adjust(value)


_COLUMNS: dict[str, Callable[[list[Any]], Any]] = {
    "a list": lambda values: [math.nan if value is None else value for value in values],
    "an array": lambda values: np.array(values, dtype=float),
    "an array of Arrow": pa.array,
    "chunks of Arrow": lambda values: pa.chunked_array([values[:1], values[1:]]),
    "polars": lambda values: pytest.importorskip("polars").Series(values),
}


@pytest.mark.parametrize("kind", _COLUMNS)
@for_each("values", [[0.125, None, 1.0], ["0.125", None, "1"], [1, None, 0]])
def test_columns_of_any_kind_give_arrays(kind: str, values: list[Any]) -> None:
    """What is missing stays missing."""
    constants, is_text = make("mrr", LARGE), isinstance(values[0], str)
    if kind == "an array" and is_text:
        return
    column = _COLUMNS[kind](values)
    adjusted = constants.adjust(column)
    for form in ("value", *ADJUSTMENTS):
        known = [getattr(constants.adjust(values[place]), form) for place in (0, 2)]
        alone = [known[0], math.nan, known[1]]
        assert type(getattr(adjusted, form)) is np.ndarray
        np.testing.assert_array_equal(getattr(adjusted, form), alone)
        if form != "value":
            np.testing.assert_array_equal(getattr(constants, form)(column), alone)
    ends = adjusted.value_interval
    assert np.greater(ends.upper, ends.lower).tolist() == [is_text, False, is_text]


@pytest.mark.parametrize("sparse", [False, True])
def test_a_series_is_a_series(sparse: bool) -> None:
    constants, pandas = make("mrr", LARGE), pytest.importorskip("pandas")
    dense = pandas.Series([0.338, math.nan, 1.0], index=["a", "b", "c"])
    given = dense.astype("Sparse") if sparse else dense
    for form in ADJUSTMENTS:
        expected = pandas.Series(getattr(constants, form)(dense.to_numpy()), dense.index)
        for found in (getattr(constants.adjust(given), form), getattr(constants, form)(given)):
            pandas.testing.assert_series_equal(found, expected)


@for_each("value", [200, np.int64(200), np.float32(200), np.array(200.0), [200, 300][0]])
def test_any_number_will_do(value: Any) -> None:
    constants = make("mr", LARGE)
    assert float(constants.adjust(value).index) == pytest.approx(constants.index(200.0), rel=1e-6)
    assert type(constants.adjust(200.0).z) is float


@for_each(
    ("value", "message"),
    [
        *((each, r"^expected numbers, got .*; for text use a list") for each in ({0.338}, frozenset({0.3}), {0.3: 1})),
        (object(), r"^expected numbers, got <object"),
        (None, "there is no value to adjust: got None"),
        (True, "True is not a number"),
        ("", "is not a number"),
        ([0.3, "x"], "'x' is not a number"),
        *((each, "is too large or too small for any metric") for each in (10**400, Decimal("1e1000001"))),
        (1e300, "is not a possible MRR"),
    ],
)  # fmt: skip
def test_what_is_no_number_is_refused(value: Any, message: str) -> None:
    for use in (make("mrr", LARGE).adjust, make("mrr", LARGE).index):
        with pytest.raises(DataError, match=message):
            use(value)


@for_each(
    ("name", "counts"),
    [("hits@50", [14, 14, 12]), ("count", LARGE), *((name, [1, 1]) for name in NAMES)],
)
def test_where_chance_is_perfect_there_is_nothing_to_adjust(name: str, counts: list[int]) -> None:
    constants = make(name, counts)
    best = optimum(constants)
    assert constants.expectation == constants.worst == best
    adjusted = constants.adjust(best)
    assert (adjusted.normalised, adjusted.index, adjusted.z) == (1.0 if best else None, None, None)
    for form, reason in (
        ("index", "is already the opt|every ranker gets 4"),
        ("z", "variance is 0"),
    ):
        with pytest.raises(UndefinedError, match=reason):
            getattr(constants, form)
    with pytest.raises(DataError, match=f"expected {best:g}, which every ranker gets"):
        constants.adjust(best + 2)


make_once = functools.cache(make)


# -- intervals -------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
@given(share=st.floats(0, 1), decimals=st.integers(0, 6))
def test_interval_ends_map_to_interval_ends(name: str, share: float, decimals: int) -> None:
    constants = make_once(name, (300, 140, 140, 120, 90))
    best, worst = optimum(constants), constants.worst
    text = f"{best + share * (worst - best):.{decimals}f}"
    try:
        adjusted = constants.adjust(text)
    except DataError:
        return  # rounded beyond the best
    low, high = sorted((best, worst))
    value, half = float(text), 0.5 * 10.0**-decimals
    printed = max(value - half, low), min(value + half, high)
    assert adjusted.value_interval == pytest.approx(printed, rel=1e-12, abs=1e-12)
    for form in ADJUSTMENTS:
        assert getattr(adjusted, form) == getattr(constants, form)(value)
        ends = [getattr(constants, form)(end) for end in adjusted.value_interval]
        found = getattr(adjusted, f"{form}_interval")
        if constants.method == "sampled":
            # Wider, by what is open about the moments.
            assert found.lower <= min(ends)
            assert found.upper >= max(ends)
        else:
            # Better values are never worse adjusted.
            rises = constants.metric.increasing or form == "normalised"
            assert found == Interval(*(ends if rises else ends[::-1]))
            assert found.lower <= found.upper


def with_moments(moments: Moments) -> Constants:
    return replace(make_once("mdr", tuple(LARGE)), moments=moments)


@for_each(
    "moments",
    [
        *(Moments(6.0, 1e-15, variance, 4e-48, "numerical") for variance in (1e-48, 0.0)),
        *(Moments(6.0, 0.1, variance, 6e-4, "sampled", 300) for variance in (1e-3, 0.0)),
    ],
)
def test_there_is_no_z_where_the_variance_cannot_be_told_from_0(moments: Moments) -> None:
    constants = with_moments(moments)
    adjusted = constants.adjust(7.0)
    assert adjusted.z is adjusted.z_interval is None
    assert adjusted.index == pytest.approx(-0.2)
    reason = "the variance cannot be distinguished from 0, with an error of"
    assert reason in adjusted.undefined["z"]
    with pytest.raises(UndefinedError, match=reason):
        constants.z(7.0)


@pytest.mark.parametrize(("method", "width"), [("numerical", 1.0), ("sampled", 2.0)])
def test_z_has_the_range_that_the_error_of_the_variance_leaves_open(
    method: Any, width: float
) -> None:
    """Of bounds as they are, of standard errors at twice these; errors as small as rounding leave
    no range.
    """
    found = with_moments(Moments(6.0, 1e-3, 0.01, 2e-3, method)).adjust(5.0).z_interval
    lower = (1 - width * 1e-3) / math.sqrt(0.01 + width * 2e-3)
    upper = (1 + width * 1e-3) / math.sqrt(0.01 - width * 2e-3)
    assert found == pytest.approx((lower, upper))
    sharp = with_moments(Moments(6.0, 1e-15, 0.01, 1e-16, "numerical")).adjust(5.0)
    assert sharp.z_interval == Interval(10.0, 10.0)


@for_each(
    ("name", "value", "options", "ends"),
    [
        ("hits@10", Published("53.3", 0.533, 0.5325, 0.5335), {}, (0.5325, 0.5335)),
        ("hits@10", 53.3, {"percent": True, "decimals": 1}, (0.5325, 0.5335)),
        ("hits@10", "0.533 ± 0.002", {}, (0.5305, 0.5355)),
        ("hits@10", np.array([0.5, 0.6]), {"decimals": 1}, ([0.45, 0.55], [0.55, 0.65])),
        # What no metric can be is cut off.
        ("hits@10", "1.00", {}, (0.995, 1.0)), ("mr", "1", {}, (1.0, 1.5)), ("hits@3", "0", {}, (0.0, 0.5)),
    ],
)  # fmt: skip
def test_values_as_they_are_written(
    name: str, value: Any, options: dict[str, Any], ends: Any
) -> None:
    constants = make(name, LARGE)
    found = constants.adjust(value, **options)
    np.testing.assert_allclose(found.value_interval, ends, rtol=1e-14)
    mapped = np.sort([constants.index(np.asarray(end)) for end in ends], axis=0)
    assert found.index_interval is not None
    np.testing.assert_allclose(found.index_interval, mapped, rtol=1e-12)


def test_an_interval_beyond_the_worst_is_refused() -> None:
    mrr = make("mrr", [4, 4])  # at worst 0.25
    assert mrr.adjust("0.2").value_interval == Interval(0.25, 0.25)
    with pytest.raises(DataError, match=r"0\.2 is not a possible MRR"):
        mrr.adjust("0.20")
    for percentages in (50.0, np.array([50.0]), "50"):
        with pytest.raises(DataError, match="MR is not a share"):
            make("mr", LARGE).adjust(percentages, percent=True)


@for_each("name", ["mr", "mrr", "gmr", "igmr", "hits@10", "hmr", "variance"])
def test_single_precision_may_carry_a_number_beyond_its_range(name: str) -> None:
    """As a mean of equal ranks does that is summed in float32."""
    constants = make(name, LARGE)
    best, up = optimum(constants), 1 if constants.metric.increasing else -1
    for end, beyond in ((constants.worst, -up), (best, up)):
        if end == 0:
            continue
        next_one = float(np.nextafter(np.float32(end), np.float32(beyond * np.inf)))
        for number in (next_one, end * (1 + beyond * 9e-7)):
            assert constants.adjust(number).value == number
        with pytest.raises(DataError, match="is not a possible"):
            constants.adjust(f"{end * (1 + beyond * 1.1e-6):.12g}")
    if constants.metric.family in TAILS:
        found = constants.significance(best * (1 + up * 1e-7))
        assert found.log10 == constants.significance(best).log10 < 0


TABLES = open_once()


RANKS_OF_TIES: dict[str, Callable[[int], Fraction]] = {
    "optimistic": lambda _: Fraction(1),
    "realistic": lambda size: Fraction(size + 1, 2),
    "pessimistic": Fraction,
}


@pytest.mark.parametrize("aggregation", ["micro", "macro-query"])
def test_what_a_model_gets_that_scores_everything_alike(aggregation: str) -> None:
    """Ranks 1, (N + 1) / 2 and N, averaged as fractions."""
    histogram = TABLES.histogram("nations", aggregation=aggregation)
    weights = [Fraction(weight) for weight in histogram.row_weights.tolist()]
    for name, (rank_type, rank_of) in itertools.product(
        ("mr", "mrr", "hits@3"), RANKS_OF_TIES.items()
    ):
        constants = TABLES.constants("nations", name, aggregation=aggregation)
        terms = [TERMS[name](rank_of(size)) for size in histogram.num_candidates.tolist()]
        total = sum(weight * each for weight, each in zip(weights, terms, strict=True))
        expected = float(total / sum(weights))
        assert constants.all_tied(rank_type) == pytest.approx(expected, rel=1e-13)
        assert rank_type != "pessimistic" or constants.worst == pytest.approx(expected)
    mean_rank = TABLES.constants("nations", "mr", aggregation=aggregation)
    assert mean_rank.all_tied() == pytest.approx(mean_rank.expectation, rel=1e-13)
    with pytest.raises(UnknownNameError, match=r"unknown rank type 'realist'\. .* realistic"):
        mean_rank.all_tied("realist")
