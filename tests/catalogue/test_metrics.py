"""The catalogue: names in every usual spelling, and laws that hold for each metric."""

import importlib
import itertools
import math
import pickle
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, note
from hypothesis import strategies as st

import rankconst
from cases import for_each
from oracles import EVALUATED, optimum_of, relative_error
from rankconst.catalogue.metrics import (
    CATALOGUE,
    TABULATED,
    TABULATED_KS,
    Metric,
    parse_adjusted_metric,
    parse_metric,
)
from rankconst.errors import UnknownNameError

CUT_OFF = tuple(row for row in CATALOGUE.values() if not row.tabulated)
KEYED = (*TABULATED, CATALOGUE["hits_at_k"].at(7), *(row.at(7) for row in CUT_OFF))

# A name, and what it reads as: prefixes of tools, separators and cut-offs. Names of rows are in the
# law below.
WRITTEN = {
    "arithmetic_mean_rank": ("mean_rank", "Test MR", "valid MR", "avg.mean_rank", "head.best.mr"),
    "inverse_harmonic_mean_rank": (" mrr ", "Mrr", "mean-reciprocal-rank",
         "testing.both.realistic.inverse_harmonic_mean_rank", "Filt. MRR",
         "validation.head.pessimistic.inverse_harmonic_mean_rank", "fil_mrr", "test_mrr", "tail.optimistic.mrr"),
    "hits_at_10": ("Hits @10", "Hits @ 10", "hits_at_10", "Hits at 10", "hits10", "hits-10", "h10", "HR@10",
         "Filt. Hit@10", "testing.both.avg.hits_at_10", "fil_hits@10"),
    "inverse_harmonic_mean_rank_at_10": ("MRR @ 10", "MRR_at_10", "mrr at 10", "Filtered MRR@10"),
    "ndcg_at_5": ("NDCG@5", "nDCG_at_5", "test_ndcg@5"),
}  # fmt: skip


@for_each(("key", "name"), [(key, name) for key, names in WRITTEN.items() for name in names])
def test_names_as_tools_and_people_write_them(key: str, name: str) -> None:
    assert str(parse_metric(name)) == key


@for_each("metric", CATALOGUE.values())
def test_every_spelling_of_a_row_is_read(metric: Metric) -> None:
    k = "" if not metric.takes_k else "@7" if metric.is_counted else " at 7"
    for name in (
        metric.symbol.removesuffix("@{k}"),
        *(each.removesuffix(" k") for each in metric.spellings),
    ):
        bare = name.removesuffix(" at") if k.startswith(" at") else name
        for written in (bare, bare.upper(), bare.replace(" ", "_"), f"both.realistic.{bare}"):
            assert parse_metric(written + k).family == metric.family, written
    assert metric.family in EVALUATED


@for_each(
    ("name", "message"),
    [
        (
            "z_hits_at_10",
            "z_hits_at_10 is an adjusted form of Hits@10; name the metric whose value",
        ),
        ("raw mrr", "unknown metric 'raw mrr': write MRR, and add --protocol raw or"),
        ("mmr", r"unknown metric 'mmr'\. Did you mean MRR or MR"),
        ("htis@10", r"Did you mean Hits@10"),
        ("hits", "needs a k: write hits@1, hits@10"),
        ("mrr10", r"unknown metric 'mrr10': write MRR@10 for the MRR cut off at rank 10\."),
        ("MRR@k", r"needs a k: write mrr@1, mrr@10"),
        ("mrr@0", "MRR@k needs a k of at least 1"),
        ("gmr@10", "GMR cut off at rank 10 is another metric"),
        ("map", "unknown metric 'map': mean average precision is the MRR only if"),
        ("mr@10", "unknown metric 'mr@10'.*another metric"),
        ("hits@0", "at least 1"),
        ("", "unknown metric"),
        ("accuracy", "`rankconst show metrics` lists them all"),
    ],
)
def test_unknown_metrics_get_a_hint(name: str, message: str) -> None:
    with pytest.raises(UnknownNameError, match=message) as refused:
        parse_metric(name)
    assert not re.search("another metric|is the MRR only if", message) or "Did you mean" not in str(
        refused.value
    )


def test_what_takes_a_k() -> None:
    families = ["hits_at_k", "inverse_harmonic_mean_rank_at_k", "ndcg_at_k"]
    assert [family for family, metric in CATALOGUE.items() if metric.takes_k] == families
    assert [metric.hits_k for metric in KEYED if metric.k == 7] == [7, None, None]
    one, hits = np.ones(1), CATALOGUE["hits_at_k"]
    for use, said in (
        (lambda: hits.at(-1), "at least 1 .got -1"),
        (lambda: hits.at(2**53 + 1), r"at most 2\*\*53"),
        (lambda: hits.evaluate(one, one), "needs a k"),
        (lambda: CATALOGUE["ndcg_at_k"].evaluate(one, one), "needs a k"),
        (lambda: parse_metric("mrr").at(10), "MRR takes no k"),
    ):
        with pytest.raises(UnknownNameError, match=said):
            use()


def test_tabulated_metrics_cover_the_catalogue_in_its_order() -> None:
    assert list(dict.fromkeys(metric.family for metric in TABULATED)) == [
        family for family, metric in CATALOGUE.items() if metric.tabulated
    ]
    assert tuple(metric.k for metric in TABULATED if metric.k is not None) == TABULATED_KS
    assert len(set(TABULATED)) == len(TABULATED)


def test_no_spelling_names_two_metrics() -> None:
    owners: dict[str, str] = {}
    for metric in CATALOGUE.values():
        symbol = metric.symbol.format(k="" if metric.tabulated else " at")
        for spelling in (metric.family, symbol, *metric.spellings):
            squashed = re.sub("[^a-z0-9]", "", spelling.lower())
            assert owners.setdefault(squashed, metric.family) == metric.family


def test_adjusted_forms_are_called_as_in_pykeen() -> None:
    names = {
        metric.label: tuple(metric.name_of(form) for form in ("normalised", "index", "z"))
        for metric in CATALOGUE.values()
    }
    assert {label: named for label, named in names.items() if any(named)} == {
        "MR": ("AMR", "AMRI", "ZMR"),
        "MRR": ("", "AMRR", "ZMRR"),
        "Hits@k": ("", "AH@k", "ZH@k"),
        "GMR": ("AGMR", "AGMRI", "ZGMR"),
    }


RANKS = st.lists(st.integers(1, 40), min_size=1, max_size=25)


@given(ranks=RANKS)
def test_evaluate_agrees_with_plain_python(ranks: list[int]) -> None:
    for metric in KEYED:
        note(str(metric))
        exact = EVALUATED[metric.family](ranks, metric.k)
        gathered = np.unique(ranks, return_counts=True)
        for values, times in ((np.array(ranks), np.ones(len(ranks))), gathered):
            found = metric.evaluate(values.astype(float), times.astype(float))
            assert relative_error(found, exact) < 1e-14


@given(ranks=RANKS, data=st.data())
def test_laws_of_direction_and_range(ranks: list[int], data: st.DataObject) -> None:
    array, weights = np.array(ranks, dtype=float), np.ones(len(ranks))
    place = data.draw(st.integers(0, len(ranks) - 1))
    better = array.copy()
    better[place] = data.draw(st.integers(1, ranks[place]))
    for metric in KEYED:
        note(str(metric))
        value = metric.evaluate(array, weights)
        assert metric.lower <= value <= metric.upper
        # One task done better never makes the metric worse; but a lone better rank spreads them.
        rise = metric.evaluate(better, weights) - value
        gain = rise if metric.increasing else -rise
        assert gain >= -1e-12 * abs(value) or metric.scale == "spread"
        # A perfect ranker gets the optimum, exactly.
        best = metric.evaluate(np.ones_like(array), weights)
        assert best == (value if metric.optimum is None else metric.optimum)


@for_each("metric", KEYED)
def test_worst_is_that_of_the_last_places(metric: Metric) -> None:
    # Where there is no choice.
    assert metric.worst(np.array([1]), np.array([4])) == optimum_of(metric, 4)
    evaluate = EVALUATED[metric.family]
    worst = metric.worst(np.array([1, 5, 12]), np.array([2, 1, 3]))
    if metric.bound is None:
        assert relative_error(worst, evaluate([1, 1, 5, 12, 12, 12], metric.k)) < 1e-15
        return
    vectors = itertools.product([1], [1], range(1, 6), *[range(1, 13)] * 3)
    largest = float(max(evaluate(vector, metric.k) for vector in vectors))
    if metric.family == "median_absolute_deviation":  # a bound, which need not be reached
        assert largest <= worst <= 1.3 * largest
    else:
        assert worst == pytest.approx(largest, rel=1e-14)


@given(st.sampled_from(list(CATALOGUE.values())), st.integers(1, 2**53))
def test_what_is_printed_is_read_as_itself(family: Metric, k: int) -> None:
    metric = family.at(k) if family.takes_k else family
    for printed in (
        str(metric), metric.key, metric.label, metric.label.lower(), f"both.realistic.{metric}",
    ):  # fmt: skip
        assert parse_metric(printed) == metric


@given(
    st.sampled_from(list(CATALOGUE.values())),
    st.integers(1, 1000),
    st.sampled_from(["normalised", "index", "z"]),
)
def test_names_of_adjusted_forms_are_read_as_themselves(family: Metric, k: int, form: str) -> None:
    metric = family.at(k) if family.takes_k else family
    if name := metric.name_of(form):
        for written in (name, name.lower()):
            assert parse_adjusted_metric(written) == (metric, form)


ADJUSTED = {
    "adjusted_arithmetic_mean_rank": ("MR", "normalised"),
    "adjusted_arithmetic_mean_rank_index": ("MR", "index"),
    "adjusted_mean_rank_index": ("MR", "index"),
    "adjusted_inverse_harmonic_mean_rank": ("MRR", "index"),
    "adjusted_hits_at_7": ("Hits@7", "index"),
    "both.realistic.z_hits_at_10": ("Hits@10", "z"),
    "z_inverse_harmonic_mean_rank": ("MRR", "z"),
}


def test_keys_of_pykeen_for_adjusted_forms() -> None:
    for key, (label, form) in ADJUSTED.items():
        metric, found = parse_adjusted_metric(key)
        assert (metric.label, found) == (label, form)
    for name in ("mrr", "hits@10", "adjusted", "adjusted_", "z_", "AH@", "AMRX", ""):
        with pytest.raises(UnknownNameError):
            parse_adjusted_metric(name)


@for_each("metric", CATALOGUE.values())
def test_rows_are_whole_and_name_what_exists(metric: Metric) -> None:
    assert CATALOGUE[metric.family] is metric
    assert (metric.k, metric.definition != "", metric.title != "") == (None, True, True)
    if metric.optimum is None:
        assert metric.family == "count"
    else:
        assert metric.optimum == (metric.upper if metric.increasing else metric.lower)
        assert math.isinf(metric.upper) == (not metric.increasing)
    if metric.moments:
        module, name = metric.moments.split(".")
        assert callable(getattr(importlib.import_module(f"rankconst.moments.{module}"), name))
    else:
        assert metric.is_mean
    for other in (metric.inverse_of, metric.square_of):
        assert not other or parse_metric(other).key == other
    assert metric.inverse is None or metric.inverse.inverse == metric
    assert pickle.loads(pickle.dumps(metric)) == metric  # noqa: S301 - our own


@pytest.mark.slow
@given(ranks=RANKS)
def test_traits_hold_of_any_ranks(ranks: list[int]) -> None:
    """A wrong trait in a row fails here."""
    n = len(ranks)

    def evaluate(one: Metric, *of: int) -> float:
        return one.evaluate(np.array(of, dtype=float), np.ones(len(of)))

    for metric in KEYED:
        note(str(metric))
        value = evaluate(metric, *ranks)
        if metric.is_mean:
            mean = math.fsum(evaluate(metric, rank) for rank in ranks) / n
            assert value == pytest.approx(mean, rel=1e-12)
        if metric.is_counted:
            assert value * n == pytest.approx(round(value * n), abs=1e-9)
        if metric.inverse is not None:
            assert value * evaluate(metric.inverse, *ranks) == pytest.approx(1, rel=1e-12)
        if metric.square_of:
            root = evaluate(CATALOGUE[metric.square_of], *ranks)
            assert value == pytest.approx(root**2, rel=1e-12)
        if metric.exponent is not None:
            # The mean of r^p over an exponent so small that it is the geometric mean's.
            p = metric.exponent or 1e-7
            expected = (math.fsum(rank**p for rank in ranks) / n) ** (1 / p)
            assert value == pytest.approx(expected, rel=1e-5 if metric.exponent == 0 else 1e-12)


def test_traits_of_metrics_are_in_the_catalogue_alone() -> None:
    """Elsewhere a metric is named to look its row up, CATALOGUE["ndcg"]; no other module lists
    metrics.
    """
    # Two are words of their own in the columns of tables.
    keys = "|".join({*CATALOGUE} - {"variance", "count"})
    labels = "|".join(metric.label for metric in TABULATED)
    listed = re.compile(
        rf'(?<!CATALOGUE\[)"(?:{keys})"|(?:"(?:{labels})"(?:: [^,]*)?,\s*){{2}}"(?:{labels})"'
    )
    examples, package = re.compile(r"(?m)^ *(?:>>>|\.\.\.) .*$"), Path(rankconst.__file__).parent
    folders = package, package.parent / "builder" / "rankconst_builder"
    found = set()
    for path in (path for folder in folders for path in folder.rglob("*.py")):
        if path.name != "metrics.py" and listed.search(examples.sub("", path.read_text("utf-8"))):
            found.add(path.relative_to(package.parent).as_posix())
    assert (
        found
        == {
            "rankconst/catalogue/answers.py",  # metrics of several right answers, some of which have the names of others
            "rankconst/results/logs/toolkits.py",  # the order of the numbers of kbc
            "rankconst/results/meanings.py",  # what recommenders print
            "rankconst/tails/__init__.py",  # the registry of functions: not every metric has a tail
            "builder/rankconst_builder/site/pages.py",  # the groups of the page of metrics
        }
    )
