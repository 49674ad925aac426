"""The tables that the package carries: published anchors, and independent oracles over every row.

`rankconst tables verify` checks files, keys, and how sides, protocols and relations fit together;
the other laws are in table_laws.py.
"""

import functools
import math
from collections import defaultdict
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.compute as pc
import pytest

import rankconst
from cases import choose, for_each
from oracles import PRECISE, SAMPLED, absolute_error, hash_lines, lines_of, relative_error
from rankconst.catalogue.baselines import DEFAULT_BASELINE, FLOOR, SINGLE_STEP
from rankconst.catalogue.metrics import CATALOGUE, Metric, list_metrics
from rankconst.moments import compute_moments
from rankconst.tables.descriptor import COLUMNS
from rankconst.tasks import Tasks as Address
from table_laws import LAWS, Frames

Row = dict[str, Any]
Tasks = tuple[str, str, str, str]

TABLES = rankconst.load()
DATASETS: dict[str, Row] = {row["dataset"]: row for row in TABLES.read("datasets").to_pylist()}


# Whose constants are computed again here; `rankconst tables verify --rebuild` does so for all.
AGAIN = choose(
    ("nations", "fb15k237_v1_ind"),
    ("nations", "umls", "wn18rr", "fb15k237", "fb15k237_v1_ind", "ogbwikikg2"),
)
SOME = choose(
    [
        "nations",
        "icews14_regcn",
        "wd50k_100",
        "fb15k237_v1_ind",
        "ogbwikikg2",
        "ogblppa",
        "dbpedia50",
    ],
    [*DATASETS],
)
"""Of each kind of graph one; all of them every week."""
UNIT = 10**60
REBUILD = "the tables in data/ are not those of this code: a new version is due"

# Stated before the first tables were built, to the digits given here.
ANCHORS = [
    ("nations", "standard", "mr", 4.477612),
    ("nations", "standard", "mrr", 0.384441),
    ("nations", "standard", "hits@10", 0.946930),
    ("nations", "standard", "gmr", 3.468879),
    ("wn18rr", "standard", "mr", 20464.501914),
    ("wn18rr", "pykeen", "mr", 20272.547965),
    ("fb15k237", "standard", "gmr", 5257.419441),
]
SIZES = [
    ("nations", "standard", 14, 402),
    ("fb15k237", "standard", 14541, 40932),
    ("fb15k237", "pykeen", 14505, 40876),
    ("wn18rr", "standard", 40943, 6268),
    ("wn18rr", "pykeen", 40559, 5848),
]


def metric_of(row: Row) -> Metric:
    family = CATALOGUE[row["metric"]]
    return family if row["k"] is None else family.at(row["k"])


def tasks_of(row: Row) -> Tasks:
    return row["dataset"], row["protocol"], row["split"], row["side"]


@functools.cache
def table_of(name: str) -> Any:
    return TABLES.read(name)


@functools.cache
def rows_of(name: str) -> list[Row]:
    rows: list[Row] = table_of(name).to_pylist()
    return rows


@functools.cache
def chance_rows() -> list[Row]:
    return [row for row in rows_of("constants") if row["baseline"] == DEFAULT_BASELINE]


@functools.cache
def counts_by_tasks() -> dict[Tasks, dict[int, int]]:
    found: dict[Tasks, dict[int, int]] = defaultdict(dict)
    for row in rows_of("candidates"):
        for side in {row["side"]} if row["side"] == "relation" else {row["side"], "both"}:
            tasks = found[row["dataset"], row["protocol"], row["split"], side]
            tasks[row["num_candidates"]] = tasks.get(row["num_candidates"], 0) + row["num_tasks"]
    return found


@pytest.fixture(scope="module", autouse=True)
def forget_rows() -> Iterator[None]:
    """Let go of the rows after the last test: with them in memory every collection of garbage takes
    long.
    """
    yield
    table_of.cache_clear()
    rows_of.cache_clear()
    counts_by_tasks.cache_clear()


# Anchors.


@pytest.mark.slow
def test_anchors() -> None:
    for dataset, protocol, metric, expectation in ANCHORS:
        found = TABLES.constants(dataset, metric, protocol=protocol).expectation
        assert round(found, 6) == expectation
    assert round(TABLES.histogram("nations").mean, 6) == 7.955224
    for dataset, protocol, entities, tasks in SIZES:
        assert sum(counts_by_tasks()[dataset, protocol, "test", "both"].values()) == tasks
        assert TABLES.constants(dataset, "mrr", protocol=protocol).num_tasks == tasks
        column = "entities_train" if protocol == "pykeen" else "entities"
        assert DATASETS[dataset][column] == entities
    # A name that a benchmark got later.
    assert TABLES.resolve_dataset("ICEWS14s") == "icews14_regcn"


# Baselines.


@pytest.mark.slow
def test_baselines_follow_from_their_histograms() -> None:
    """MR and Hits@10 of sets of tasks, by whole numbers from the table of histograms."""
    names = ["dataset", "protocol", "split", "side", "baseline"]
    counting = pc.field("baseline").isin([FLOOR, SINGLE_STEP]) & pc.field("dataset").isin(SOME)
    frame = table_of("baseline_candidates").filter(counting).to_pandas(categories=names)
    above, same, count = (
        frame[name].to_numpy() for name in ("offset", "num_candidates", "num_tasks")
    )
    frame["ranks"] = count * (2 * above + same + 1)
    frame["hits"] = count * np.clip(10 - above, 0, same) / same
    summed = ["num_tasks", "ranks", "hits"]
    sides = frame.groupby(names, observed=True)[summed].sum().reset_index()
    sums = pd.concat([sides, sides.assign(side="both")]).groupby(names)[summed].sum()
    rows = table_of("constants").filter(counting).to_pandas().set_index(names)
    mean, share = (
        rows[chosen].loc[sums.index]
        for chosen in (rows["metric"] == "arithmetic_mean_rank", rows["k"] == 10)
    )
    assert len(sums) > choose(100, 1000)
    assert (mean["num_tasks"] == sums["num_tasks"]).all()
    assert (share["num_tasks"] == sums["num_tasks"]).all()
    assert (mean["expectation"] == sums["ranks"] / (2 * sums["num_tasks"])).all()
    np.testing.assert_allclose(
        share["expectation"], sums["hits"] / sums["num_tasks"], rtol=1e-14, atol=0
    )


# Constants.


@pytest.mark.slow
def test_errors_are_as_small_as_the_readme_says() -> None:
    """At most 3e-14 of the expectation and 5e-11 of the variance; of MAD, which is sampled, 0.2 %
    and 9 %.
    """
    promised = {"expectation": 3e-14, "variance": 5e-11}
    for row in chance_rows():
        if row["side"] == "relation" and row["method"] != "closed_form":
            # Among few relations medians and MAD are all but certain: errors are small next to the
            # ranks themselves.
            few = {"numerical": (1e-13, 1e-6, 0.0), "sampled": (0.5, 2.0, 0.05)}[row["method"]]
            assert row["expectation_error"] <= max(few[0] * row["expectation"], few[2])
            assert row["variance_error"] <= (few[1] * row["expectation"] + few[2]) ** 2
            continue
        if row["method"] == "sampled":
            assert row["metric"] == "median_absolute_deviation"
            assert row["expectation_error"] <= 0.002 * row["expectation"]
            # No draw differed: Nations train, and Pinterest among a hundred candidates each.
            alike = row["variance"] == 0 and row["variance_error"] < (
                3e-7 if row["dataset"] == "nations" else 0.02
            )
            assert row["variance_error"] <= 0.09 * row["variance"] or alike
            continue
        # MAD is closed where it cannot vary.
        assert (
            row["method"] == ("closed_form" if row["metric"] in PRECISE else "numerical")
            or row["metric"] in SAMPLED
        )
        for name, bound in promised.items():
            assert 0 <= row[f"{name}_error"] <= bound * row[name], row


@pytest.mark.slow
def test_constants_follow_from_the_candidates() -> None:
    """Rows of chance again, by this code on this machine: within the errors that they state."""
    find_histogram, again = functools.cache(TABLES.histogram), functools.cache(compute_moments)
    for row in chance_rows():
        # Of large ones test alone.
        splits = ("valid", "test") if row["dataset"] in {"nations", "umls"} else ("test",)
        if row["dataset"] not in AGAIN or row["split"] not in splits:
            continue
        histogram = find_histogram(Address(*tasks_of(row), row["aggregation"]))
        moments = again(metric_of(row), histogram)
        # Samples are the same everywhere, but for the last digits of logarithms; released ones of
        # more draws stay.
        is_sampled = row["method"] == "sampled"
        for name in ("expectation", "variance"):
            error = 1e-9 * row[name] if is_sampled else row[f"{name}_error"]
            if is_sampled and moments.num_draws != row["num_draws"]:
                error = 5 * math.hypot(row[f"{name}_error"], getattr(moments, f"{name}_error"))
            assert abs(getattr(moments, name) - row[name]) <= error, REBUILD
        assert moments.method == row["method"], REBUILD


@pytest.mark.slow
def test_mean_ranks_and_hits_are_right_in_every_row() -> None:
    """Over the whole archive, from nothing but the histograms."""
    checked = 0
    for row in chance_rows():
        if row["metric"] == "arithmetic_mean_rank" or row["k"] in {1, 10}:
            counts = counts_by_tasks()[tasks_of(row)]
            if row["metric"] == "arithmetic_mean_rank":
                total = Fraction(sum(c * (size + 1) for size, c in counts.items()), 2)
            else:
                # To 60 places, each rounded down: thousands of fractions would be slow to add.
                total = Fraction(
                    sum(c * UNIT * min(row["k"], size) // size for size, c in counts.items()), UNIT
                )
            assert relative_error(row["expectation"], total / row["num_tasks"]) <= 1e-15
            checked += 1
    assert checked == len(counts_by_tasks()) * 3


@pytest.mark.slow
@for_each("metric", [metric for metric in list_metrics() if metric.family in PRECISE])
@for_each("protocol", choose(["standard"], ["standard", "pykeen"]))
@for_each("dataset", choose(["nations", "umls"], ["nations", "umls", "fb15k237", "wn18rr"]))
def test_rows_equal_precise_sums_within_their_error(
    dataset: str, protocol: str, metric: Metric
) -> None:
    constants = TABLES.constants(dataset, metric, protocol=protocol)
    expectation, variance = PRECISE[metric.family](
        counts_by_tasks()[dataset, protocol, "test", "both"], metric.k
    )
    assert relative_error(constants.expectation, expectation) <= 1e-13
    assert relative_error(constants.variance, variance) <= 1e-12
    assert absolute_error(constants.expectation, expectation) <= constants.expectation_error
    assert absolute_error(constants.variance, variance) <= constants.variance_error


# Laws.


def frames_of(dataset: str) -> Frames:
    return {name: TABLES.read(name, dataset).to_pandas() for name in COLUMNS}


@pytest.mark.slow
@for_each("dataset", SOME)
def test_rows_obey_the_laws(dataset: str) -> None:
    frames = frames_of(dataset)
    assert {name: [*law(frames)] for name, law in LAWS.items()} == {name: [] for name in LAWS}


def first(frame: pd.DataFrame, **where: Any) -> Any:
    """Return where the first row with some values is."""
    chosen = np.logical_and.reduce([frame[name] == value for name, value in where.items()])
    return frame.index[chosen][0]


# A law, and what breaks it: a table, a column, which row, and what comes there of what was there.
PLANTED: list[tuple[str, str, str, dict[str, Any], Callable[[Any], Any]]] = [
    ("words_are_known", "constants", "metric", {"side": "head"}, lambda _: "mean_rank"),
    ("words_are_known", "candidates", "protocol", {"side": "head"}, lambda _: "Standard"),
    ("statistics_do_not_conflict", "datasets", "self_loops_train", {}, lambda _: 10**6),
    ("statistics_do_not_conflict", "datasets", "test_in_train", {}, lambda _: 10**6),
    ("candidates_are_entities", "datasets", "entities", {}, lambda n: n - 1),
    ("candidates_are_entities", "candidates", "num_candidates", {"protocol": "raw", "side": "tail"}, lambda n: n - 1),
    ("tasks_are_the_rows_of_the_split", "datasets", "triples_test", {}, lambda n: n + 1),
    ("every_split_and_metric_is_there", "constants", "metric", {"metric": "ndcg"}, lambda _: "count"),
    ("every_split_and_metric_is_there", "candidates", "split", {"protocol": "raw", "split": "valid"}, lambda _: "test"),
    ("constants_count_their_tasks", "constants", "num_tasks", {"side": "both"}, lambda n: n + 1),
    ("constants_are_within_best_and_worst", "constants", "expectation", {"k": 10}, lambda _: 1.01),
    ("constants_are_within_best_and_worst", "constants", "variance", {"metric": "ndcg"}, lambda _: 0.5),
    ("weights_come_in_whole_groups", "macro_candidates", "weight", {"side": "head"}, lambda x: 0.9 * x),
    ("weights_come_in_whole_groups", "macro_candidates", "num_tasks", {"side": "head"}, lambda n: n + 1),
    ("baselines_rank_the_same_tasks", "baseline_candidates", "num_tasks", {"side": "head"}, lambda n: n + 1),
    ("baselines_rank_the_same_tasks", "baseline_candidates_by_relation", "weight", {"side": "tail"}, lambda _: 0.01),
    ("expectations_are_in_their_order", "constants", "expectation", {"k": 3}, lambda x: 0.3 * x),
    (
        "expectations_are_in_their_order",
        *("constants", "expectation"), {"metric": "geometric_mean_rank"}, lambda x: 0.6 * x,
    ),
]  # fmt: skip


@pytest.mark.slow
def test_every_law_finds_a_planted_fault() -> None:
    assert {law for law, *_ in PLANTED} == {*LAWS}
    whole = frames_of("nations")
    for law, table, column, where, alter in PLANTED:
        frames = {name: frame.copy() for name, frame in whole.items()}
        frame = frames[table]
        place = first(frame, dataset="nations", **where)
        frame.loc[place, column] = alter(frame.loc[place, column])
        assert [*LAWS[law](frames)], (law, column)


# Hashes.


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", choose(["datasets", "candidates"], ["datasets", "candidates", "constants"])
)
def test_content_hashes_are_right(name: str) -> None:
    """Those of the other tables, of a million rows, take long; `rankconst tables verify --rebuild`
    checks all.
    """
    stated = {
        resource["name"]: resource["contentHash"] for resource in TABLES.descriptor["resources"]
    }
    assert hash_lines(lines_of(table_of(name))) == stated[name]
