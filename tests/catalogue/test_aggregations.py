"""Aggregations and baselines: names, rows, and what the tables give for macro averages."""

from collections.abc import Callable

import pytest

import rankconst
from rankconst.catalogue.baselines import (
    BASELINES,
    DEFAULT_BASELINE,
    FLOOR,
    INFORMED,
    SINGLE_STEP,
    parse_baseline,
)
from rankconst.catalogue.metrics import HEADLINE, parse_metric
from rankconst.catalogue.protocols import (
    AGGREGATIONS,
    DEFAULT_AGGREGATION,
    MACROS,
    is_either_macro,
    parse_aggregation,
)
from rankconst.errors import UnknownNameError
from rankconst.moments import compute_moments
from rankconst.tables.archive import Tables


def test_every_aggregation_is_whole() -> None:
    assert set(MACROS) == {key for key in AGGREGATIONS if key != DEFAULT_AGGREGATION}
    for key, row in AGGREGATIONS.items():
        names = (key, key.replace("-", "_"), key.replace("-", " ").title(), *row.spellings)
        assert {parse_aggregation(name) for name in names} == {row}
        assert row.summary.endswith(".")


@pytest.mark.parametrize(
    ("parse", "name", "said"),
    [
        (parse_aggregation, "macro-qurey", r"unknown aggregation .*\. Did you mean macro-query"),
        (parse_aggregation, "macro", r"Did you mean macro-query or macro-relation\?"),
        (parse_baseline, "freqency", r"unknown baseline 'freqency'\. Did you mean frequency"),
    ],
)
def test_unknown_names_get_a_hint(parse: Callable[[str], object], name: str, said: str) -> None:
    with pytest.raises(UnknownNameError, match=said):
        parse(name)


def test_a_macro_average_may_be_of_either_kind() -> None:
    names = ("macro", "Macro", "macro-query", "micro", "", None)
    assert [*map(is_either_macro, names)] == [True] * 2 + [False] * 4


def test_every_baseline_is_whole() -> None:
    assert set(INFORMED) == set(BASELINES) - {DEFAULT_BASELINE}
    assert next(iter(BASELINES)) == DEFAULT_BASELINE
    assert {FLOOR, SINGLE_STEP} <= {*BASELINES}
    for key, row in BASELINES.items():
        for name in (key, *row.spellings):
            assert parse_baseline(name.title()) == parse_baseline(name.upper()) == row
        assert row.summary.endswith(".")
        assert row.reference


@pytest.fixture(scope="module")
def tables() -> Tables:
    return rankconst.load()


@pytest.mark.parametrize("aggregation", MACROS)
@pytest.mark.parametrize("side", ["head", "tail", "both"])
def test_rows_of_macro_averages_follow_from_their_histograms(
    tables: Tables, aggregation: str, side: str
) -> None:
    histogram = tables.histogram("nations", aggregation=aggregation, side=side)
    assert histogram.total == tables.histogram("nations", side=side).total
    for metric in (*HEADLINE, parse_metric("gmr"), parse_metric("ndcg")):
        constants = tables.constants("nations", metric, side=side, aggregation=aggregation)
        assert constants.tasks.aggregation == aggregation
        assert constants.moments == compute_moments(metric, histogram)
        micro = tables.constants("nations", metric, side=side).expectation
        assert metric.k is not None or constants.expectation != micro


@pytest.mark.parametrize("side", ["head", "tail"])
def test_weights_add_up_to_the_groups(tables: Tables, side: str) -> None:
    """Each query counts once: a side's weights add up to its number of distinct queries."""
    queries, relations = (
        tables.histogram("fb15k237", aggregation=aggregation, side=side).total_weight
        for aggregation in ("macro-query", "macro-relation")
    )
    assert queries == pytest.approx(round(queries), rel=1e-12)
    assert relations == pytest.approx(224, rel=1e-12)  # relations with a test triple


def test_sampled_negatives_keep_the_weights(tables: Tables) -> None:
    sampled = tables.histogram("nations", aggregation="macro-query", protocol="sampled:13")
    raw = tables.histogram("nations", aggregation="macro-query", protocol="raw")
    assert set(sampled.num_candidates.tolist()) == {14}
    assert sampled.total == raw.total
    assert sampled.total_weight == pytest.approx(raw.total_weight, rel=1e-15)


def test_without_weights_there_is_an_error_with_a_remedy(tables: Tables) -> None:
    with pytest.raises(
        UnknownNameError, match=r"hold no weights of ogbbiokg test for macro-query\. Leave out the"
    ):
        tables.constants("ogbbiokg", "mrr", protocol="sampled:500", aggregation="query")
