"""A graph in memory: its constants are those of brute force, and those of a build of the same
triples.
"""

import itertools
from collections import Counter
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankconst
from brute import ORDER, count_brute_force
from cases import choose, for_each
from graphs import EVERYTHING, STATIC, TEMPORAL, TEMPORAL_DATASETS
from oracles import differing_rows
from rankconst.catalogue.benchmarks import Benchmark, LineFormat
from rankconst.catalogue.protocols import MACROS, Protocol, parse_protocol
from rankconst.errors import DataError, UnknownNameError, UsageError
from rankconst.tables.archive import Tables
from rankconst.tables.descriptor import COLUMNS
from rankconst_builder.fetch import Fetcher
from rankconst_builder.pipeline import Build, build_all

Rows = list[tuple[int, int, int]]


def split_of(entities: int, relations: int, size: int) -> st.SearchStrategy[Rows]:
    entity = st.integers(0, entities - 1)
    return st.lists(
        st.tuples(entity, st.integers(0, relations - 1), entity), min_size=1, max_size=size
    )


def as_frame(rows: Rows) -> pd.DataFrame:
    frame = pd.DataFrame(rows, columns=["h", "r", "t"])
    return frame[["t", "h", "r"]].rename(
        columns={"t": "Object", "h": "subject_id", "r": "Predicate"}
    )


def as_labels(rows: Rows) -> list[tuple[str, str, str]]:
    return [(f"e {h}", f"r{r}", f"e {t}") for h, r, t in rows]


def as_factory(rows: Rows) -> SimpleNamespace:
    """What a triples factory of PyKEEN offers: ids of its own, and the labels by id."""
    entities = {f"é{code}": 9 - code for code in range(10)}
    relations = {f"r{code}": code for code in range(3)}
    ids = np.array([(entities[f"é{h}"], relations[f"r{r}"], entities[f"é{t}"]) for h, r, t in rows])
    return SimpleNamespace(mapped_triples=ids, entity_to_id=entities, relation_to_id=relations)


# Entities 0, 1 and 2 are heads and tails. So ids of relations, 0 to 2, look less like heads or tails
# than these do, and the order of columns is not asked about.
CYCLE = [(0, 0, 1), (1, 0, 2), (2, 0, 0)]

SHAPES = {
    "ids": np.array,
    "unsigned": lambda rows: np.array(rows, dtype=np.uint8),
    "rows": list,
    "texts": lambda rows: np.array(as_labels(rows)),
    "objects": lambda rows: np.array(as_labels(rows), dtype=object),
    "mixed": lambda rows: [(np.int64(h), f"r{r}", str(t)) for h, r, t in rows],
    "frame": as_frame,
    "three columns": lambda rows: pd.DataFrame(as_labels(rows), columns=["a", "b", "c"]),
    "categories": lambda rows: pd.DataFrame(as_labels(rows)).astype("category"),
    "factory": as_factory,
    "core factory": lambda rows: SimpleNamespace(mapped_triples=np.array(rows)),
}


def compare(tables: Tables, rows: Any, protocol: Protocol) -> None:
    """Compare every split, on both sides, with what brute force counts."""
    for split, side in itertools.product(ORDER, ("head", "tail")):
        names = {"split": split, "side": side, "protocol": protocol.key}
        expected = Counter(getattr(count_brute_force(rows, protocol, split), side))
        if not expected:
            with pytest.raises(UnknownNameError, match="hold no"):
                tables.histogram("triples", **names)
            continue
        histogram = tables.histogram("triples", **names)
        found = zip(histogram.num_candidates.tolist(), histogram.num_tasks.tolist(), strict=True)
        assert dict(found) == expected


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@settings(max_examples=choose(2, 8))
@given(
    train=split_of(7, 2, 14),
    valid=st.none() | split_of(9, 3, 6),
    test=split_of(9, 3, 6),
    protocol=st.sampled_from([*STATIC, "sampled:7"]),
)
def test_counts_are_those_of_brute_force(
    shape: Any, train: Rows, valid: Rows | None, test: Rows, protocol: str
) -> None:
    train = CYCLE + train
    shaped = [None if split is None else shape(split) for split in (train, valid, test)]
    tables = rankconst.from_triples(*shaped, protocol=protocol)
    compare(tables, {"train": train, "valid": valid or [], "test": test}, parse_protocol(protocol))


@pytest.mark.slow
@pytest.mark.usefixtures("placeholders")
def test_it_is_the_same_as_a_build_of_the_files(tmp_path: Path) -> None:
    generator = np.random.default_rng(5)
    rows = {
        split: generator.integers(0, [9, 2, 9], (size, 3))
        for split, size in (("train", 12), ("test", 4))
    }
    rows["valid"] = generator.integers(0, [11, 3, 11], (4, 3))
    paths = {split: tmp_path / f"{split}.tsv" for split in ORDER}
    for split, path in paths.items():
        pd.DataFrame(rows[split]).to_csv(path, sep="\t", header=False, index=False)
    own = Benchmark("mykg", "MyKG", (), LineFormat(), {}, "own")
    fetcher, local = Fetcher(tmp_path / "cache"), {"mykg": paths}
    build_all(Build([own], tmp_path / "out", fetcher, local=local, **EVERYTHING))
    built = rankconst.load(tmp_path / "out")
    splits = [rows[split] for split in ORDER]
    made, unmade = (rankconst.from_triples(*splits, name="MyKG") for _ in range(2))
    for name in COLUMNS:
        ours, theirs = (tables.read(name).to_pylist() for tables in (made, built))
        for row in theirs if name == "datasets" else []:
            row["sha256"] = [None] * 3
        assert differing_rows(ours, theirs) == []
    for protocol, metric in itertools.product(STATIC, ("mrr", "hits@7", "gmr")):
        constants = built.constants("mykg", metric, protocol=protocol)
        for tables in (made, unmade):
            assert tables.constants("mykg", metric, protocol=protocol) == constants
    assert "constants" not in vars(unmade)["_made"]
    macros: list[dict[str, Any]] = [{"aggregation": key} for key in MACROS]
    for names in ({"relations": [built.relations("mykg")[0]]}, *macros):
        assert made.constants("mykg", "mrr", **names) == built.constants("mykg", "mrr", **names)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["number", "date", "text", "ends"])
@settings(max_examples=choose(2, 4))
@given(dataset=TEMPORAL_DATASETS.filter(lambda dataset: dataset["train"] and dataset["test"]))
def test_quadruples_are_counted_as_brute_force_does(kind: str, dataset: Any) -> None:
    def shape(rows: Any) -> pd.DataFrame | None:
        frame = pd.DataFrame(rows, columns=["head", "relation", "tail", "time"])
        if kind == "date":
            frame["time"] = pd.Timestamp("2014-01-01") + pd.to_timedelta(frame["time"], unit="D")
        if kind == "text":
            frame["time"] = "t" + frame["time"].astype(str)
        if kind == "ends":
            frame = frame.rename(columns={"time": "begin"}).assign(end_time=frame["time"] * 7)
        return frame if rows else None

    tables = rankconst.from_triples(*(shape(dataset[split]) for split in ORDER))
    assert tables.protocols("triples") == tuple(TEMPORAL)
    for protocol in TEMPORAL.values():
        compare(tables, dataset, protocol)
    with pytest.raises(UnknownNameError, match="add --protocol time-aware"):
        tables.constants("triples", "mrr")


def test_times_that_cannot_be() -> None:
    timed = pd.DataFrame(
        [("a", "r", "b", pd.Timestamp("2014-01-01"))], columns=["head", "relation", "tail", "date"]
    )
    with pytest.raises(DataError, match="different numbers of columns: train in 1, test in 0"):
        rankconst.from_triples(timed, None, GOOD)
    with pytest.raises(DataError, match="the times of test: row 0 holds None"):
        rankconst.from_triples(
            timed, None, timed.assign(date=np.array(["NaT"], dtype="datetime64[ns]"))
        )
    with pytest.raises(
        UsageError, match="standard is for graphs without time; this is a temporal graph"
    ):
        rankconst.from_triples(timed, None, timed, protocol="standard")
    with pytest.raises(UsageError, match="time-aware needs the time of every fact"):
        rankconst.from_triples(GOOD, None, GOOD, protocol="time-aware")


GOOD = [("a", "r", "b"), ("b", "r", "c")]


@for_each(
    ("train", "message"),
    [
        ([("a", "r", "b"), ("a", None, "b")], "the relations of train: row 1 holds None"),
        ([("a", "r", "")], "the tails of train: row 0 holds ''"),
        ([("a", "r", 10**5000)], "the tails of train: row 0 holds <int of more digits than can be written>"),
        ([("a", "r", Fraction(10**5000, 3))], "the tails of train: row 0 holds <Fraction of more digits"),
        ([("a", "r", 1.5)], "the tails of train: row 0 holds 1.5"),
        ([("a", "r", True)], "the tails of train: row 0 holds True"),
        (np.array([[0.0, 1.0, 2.0]]), "the heads of train: row 0 holds .*0.0"),
        (pd.DataFrame({"head": [1, None], "relation": 0, "tail": 1}), "the heads of train: row 1 holds .*nan"),
        (pd.DataFrame({"head": ["a", None], "relation": 0, "tail": 1}), "the heads of train: row 1 holds (None|nan)"),
        (pd.DataFrame({"a": [1], "b": [2], "c": [3], "d": [4]}),
         "columns a, b, c, d; expected head, relation and tail"),
        (pd.DataFrame({"source": ["a"], "target": ["b"], "kind": ["r"]}),
         "columns source, target, kind; expected head"),
        (pd.DataFrame([["a", "b", "c"]], columns=["head", "head", "tail"]),
         "columns head, head, tail; expected head"),
        ([("a", "r", "\ud800")], "the tails of train: row 0 holds"),
        (np.zeros((1, 3), dtype=np.longdouble), "the heads of train: row 0 holds"),
        (np.ma.masked_equal([[0, 0, 1], [1, 0, 9]], 9), "train: 1 of the values are masked; leave them out"),
        ([], "shape"),
        (np.zeros((0, 3), dtype=int), "train holds no triples"),
        (np.zeros((3, 2), dtype=int), r"ndarray of shape \(3, 2\); expected a DataFrame"),
        ("train.tsv", "For files use `rankconst build`"),
        ([("head", "relation", "tail"), *GOOD], "row 0 of train is a heading: head, relation, tail"),
        (SimpleNamespace(mapped_triples=np.array([[0, 0, 5]]), entity_to_id={"a": 0}, relation_to_id={"r": 0}),
         "train has id 5, which the factory has no name for"),
    ],
)  # fmt: skip
def test_what_is_no_triple_is_refused(train: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        rankconst.from_triples(train, None, GOOD)


def test_columns_in_another_order_are_asked_about() -> None:
    turned = [(0, 5, 1), (5, 7, 0), (7, 0, 1)]  # head, tail, relation
    with pytest.raises(
        DataError, match=r"first two columns share 3 labels.* Pass DataFrames with columns head,"
    ):
        rankconst.from_triples(turned, None, turned)
    named = pd.DataFrame(turned, columns=["head", "tail", "relation"])
    tables = rankconst.from_triples(named, None, named)
    assert tables.datasets["triples"]["entities"] == 3


def test_words_of_headings_may_be_labels() -> None:
    tables = rankconst.from_triples([("h", "r", "t"), ("t", "r", "h")], None, [("h", "r", "h")])
    assert tables.datasets["triples"]["triples_train"] == 2


def test_a_factory_that_numbers_more_than_it_trains_on() -> None:
    train, test = as_factory([(0, 0, 1), (1, 0, 2)]), as_factory([(0, 0, 2)])
    train.num_entities = 3
    assert (
        rankconst.from_triples(train, None, test).histogram("triples", protocol="pykeen").total == 2
    )
    train.num_entities = 10
    with pytest.raises(DataError, match="train numbers 10 entities, and 3 of them occur"):
        rankconst.from_triples(train, None, test)
    tables = rankconst.from_triples(train, None, test, protocol=["raw", "standard"])
    assert tables.protocols("triples") == ("standard", "raw")


@for_each(
    ("names", "error", "message"),
    [
        ({"test": None}, UsageError, "needs train and test"),
        ({"name": "FB15k-237"}, UsageError, "is the name of a benchmark"),
        ({"name": "a b"}, UsageError, "must consist of letters"),
        ({"name": "-x"}, UsageError, "must consist of letters"),
        ({"name": "\uff4eations"}, UsageError, "is the name of a benchmark"),  # full width
        ({"name": "n\u0430tions"}, UsageError, "is the name of a benchmark"),  # Cyrillic
        ({"name": 5}, UnknownNameError, "5 is not a name: expected text, got int"),
        ({"name": b"mykg"}, UnknownNameError, "is not a name: expected text, got bytes"),
        ({"protocol": "pykene"}, UnknownNameError, "Did you mean pykeen"),
        ({"protocol": 5}, UnknownNameError, "5 is not a name: expected text, got int"),
    ],
)
def test_names_that_cannot_be(names: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        rankconst.from_triples(**{"train": GOOD, "test": GOOD, **names})
