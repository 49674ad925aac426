"""Relation prediction: tasks (h, ?, t) from triples to adjusted numbers, and where there are none."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import rankconst
from brute import count_brute_force
from carried import open_once
from graphs import (
    STATIC,
    random_dataset,
)
from rankconst.errors import DataError, UnknownNameError, UsageError
from rankconst.tables.archive import Tables

pd = pytest.importorskip("pandas", reason="the tests read frames")

GRAPH = random_dataset(seed=6, entities=7, relations=4, size=60)


@pytest.fixture(scope="module")
def tables() -> Tables:
    return rankconst.from_triples(
        GRAPH["train"], valid=GRAPH["valid"], test=GRAPH["test"], name="toy"
    )


@pytest.mark.parametrize("protocol", STATIC.values(), ids=STATIC)
def test_expectations_are_those_of_loops(tables: Tables, protocol: Any) -> None:
    counts = count_brute_force(GRAPH, protocol, "test").relation
    ranks = tables.constants("toy", "mr", side="relation", protocol=protocol.key)
    shares = tables.constants("toy", "mrr", side="relation", protocol=protocol.key)
    assert ranks.num_tasks == shares.num_tasks == len(counts)
    assert ranks.expectation == pytest.approx(
        float(Fraction(sum(counts) + len(counts), 2 * len(counts))), rel=1e-14
    )
    harmonic = [sum(Fraction(1, j) for j in range(1, size + 1)) / size for size in counts]
    assert shares.expectation == pytest.approx(float(sum(harmonic) / len(counts)), rel=1e-14)
    assert shares.tasks.describe() == (f"test, relation side, protocol {protocol.key}")


def test_both_sides_are_head_and_tail(tables: Tables) -> None:
    head, tail, both = (tables.histogram("toy", side=side) for side in ("head", "tail", "both"))
    assert both == head.pool(tail)
    assert tables.tasks("toy", side="predicate").sides == (tables.tasks("toy", side="relation"),)
    assert tables.sides(tables.tasks("toy")) == ("head", "tail", "both", "relation")
    assert tables.sides(tables.tasks("toy", protocol="sampled:5")) == ("head", "tail", "both")
    assert tables.sides(tables.tasks("toy", protocol="static")) == ()


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"baseline": "frequency"}, "baseline frequency ranks entities"),
    ({"aggregation": "query"}, "no macro-query averages"),
    ({"relations": ["0"]}, "of all relations together"),
    ({"protocol": "sampled:50"}, "its negatives are entities"),
    ({"protocol": "stare"}, "no tool's code says which relations of a statement"),
]


def test_what_ranks_no_relations_is_refused(tables: Tables) -> None:
    for names, said in REFUSED:
        with pytest.raises(UsageError, match=said):
            tables.constants("toy", "mrr", side="relation", **names)
    for dataset, protocol, kind in (
        ("fb15k237_v1_ind", "standard", "an inductive benchmark"),
        ("wd50k_100_statements", "raw", "a statement"),
    ):
        with pytest.raises(UnknownNameError, match=f"which relations of {kind} are ranked"):
            open_once().constants(dataset, "mrr", side="relation", protocol=protocol)


def test_numbers_in_files_and_frames(tables: Tables) -> None:
    own = tables.constants("toy", "mrr", side="relation")
    frame = pd.DataFrame({"dataset": "toy", "side": ["relation", "both"], "MRR": [0.9, 0.9]})
    adjusted = rankconst.adjust(frame, tables=tables)
    assert adjusted["AMRR"].tolist() == [own.index(0.9), tables.constants("toy", "mrr").index(0.9)]
    # A column called relation names relations; no heading says that they are ranked.
    named = rankconst.adjust(
        pd.DataFrame({"dataset": "toy", "relation": ["0"], "MRR": [0.9]}), tables=tables
    )
    assert named["AMRR"].tolist() == [tables.constants("toy", "mrr", relations=["0"]).index(0.9)]
    ranks = rankconst.from_ranks({"head": [1, 2], "tail": [1, 3], "relation": [1, 1, 2]})
    assert ranks.evaluate("mrr") == pytest.approx((1 + 1 / 2 + 1 + 1 / 3) / 4)
    assert ranks.evaluate("mrr", "relation") == pytest.approx(5 / 6)
    assert rankconst.from_ranks({"relation": [1, 1, 2]}).evaluate(
        "hits@1", "predicate"
    ) == pytest.approx(2 / 3)
    counts = rankconst.from_counts({"head": [2], "tail": [3], "relation": [4, 4]})
    assert counts.histogram().total == 2
    assert counts.constants("mr", "relation").expectation == 2.5


@pytest.mark.slow
def test_a_caption_on_relation_prediction_needs_a_word(tables: Tables, tmp_path: Path) -> None:
    path = tmp_path / "results.md"
    path.write_text(
        "Table 1: Relation prediction.\n\n| model | MRR |\n|---|---|\n| A | 0.9 |\n",
        encoding="utf-8",
    )
    with pytest.raises(DataError, match=r"in the paragraph above.* add side=.relation"):
        rankconst.adjust(path, tables=tables, dataset="toy")
    (index,) = rankconst.adjust(path, tables=tables, dataset="toy", side="relation").to_pandas()[
        "AMRR"
    ]
    assert index == tables.constants("toy", "mrr", side="relation").index(0.9)
    told = rankconst.check(
        {"MRR": "0.9", "AMRR": "0.5"}, tables=tables, dataset="toy", side="relation"
    )
    assert ([each.rule for each in told.findings], told.asked) == (["adjusted-mismatch"], ())
