"""What the first rows of a table make its columns."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankconst.results.document import Document
from rankconst.results.tables.cells import Row
from rankconst.results.tables.columns import parse_column
from rankconst.results.tables.headings import Dialect, Heading, explain_missing, find_heading, find_roles


def split(*lines: str) -> list[Row]:
    """Split rows with bars between cells."""
    cells = [tuple(line.split("|")) for line in lines]
    return [Row(i, row, tuple(cell.strip() for cell in row)) for i, row in enumerate(cells, start=1)]


def find(*lines: str) -> Heading:
    heading = find_heading(split(*lines), Dialect())
    assert heading is not None
    return heading


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["Model|FB15k-237|  |WN18RR| ", "|MRR|H@1|MRR|H@1"], ["FB15k-237", "FB15k-237", "WN18RR", "WN18RR"]),
        (["|FB15k-237|FB15k-237|WN18RR|WN18RR", "Model|MRR|H@1|MRR|H@1"], ["FB15k-237"] * 2 + ["WN18RR"] * 2),
        (["|MRR| |Hits@1| ", "Model|FB15k-237|WN18RR|FB15k-237|WN18RR"], ["FB15k-237", "WN18RR"] * 2),
        (["Model|FB15k-237 (test)| | | ", "|MRR|MR|H@1|H@3"], ["FB15k-237"] * 4),
        (["Model|WD50K (100)| | | ", "|MRR|MR|H@1|H@3"], ["WD50K (100)"] * 4),
        (["Model|Results| | | ", "|MRR|MR|H@1|H@3"], [None] * 4),
        (["Model|WN18RR| | | ", "|MR|Hits| | ", "||@1|@3|@10"], ["WN18RR"] * 4),
    ],
)
def test_datasets_over_metrics_or_below(lines: list[str], expected: list[str | None]) -> None:
    heading = find(*lines, "RotatE|0.1|0.2|0.3|0.4")
    assert len(heading.levels) == len(lines)
    assert heading.measured == [1, 2, 3, 4]
    assert [heading.datasets[j] for j in heading.measured] == expected


@pytest.mark.parametrize(
    ("heading", "datasets"),
    [
        ("WN18RR MRR|H@1|H@10|UMLS MRR|H@1", ["WN18RR", "WN18RR", "WN18RR", "UMLS", "UMLS"]),
        ("WN18RR MRR|UMLS MRR|H@10", ["WN18RR", "UMLS", None]),
        ("WN18RR MRR|H@1|UMLS MRR|MR", ["WN18RR", None, "UMLS", None]),
        ("MR|WN18RR MRR|H@1|UMLS MRR|H@1", [None, "WN18RR", None, "UMLS", None]),
        ("WN18RR MRR|H@1", ["WN18RR", None]),
    ],
)
def test_a_dataset_next_to_a_metric_goes_on_where_the_same_metrics_come_again(
    heading: str, datasets: list[str | None]
) -> None:
    found = find(f"Model|{heading}", "A|0.1|0.2|0.3|0.4|0.5"[: 1 + 4 * len(datasets)])
    assert [meaning.dataset for meaning in found.meanings[1:] if meaning is not None] == datasets


@pytest.mark.parametrize(
    ("heading", "raw"),
    [
        ("MR|Filtered MR|MRR (filtered)|MRR|H@1", [True, False, False, True, False]),
        ("MR|valid filtered MR", [False, False]),
        ("WN18 MR|UMLS filtered MR", [False, False]),
    ],
)
def test_a_metric_is_raw_where_it_is_there_again_filtered(heading: str, raw: list[bool]) -> None:
    found = find(f"Model|{heading}", "A|0.1|0.2|0.3|0.4|0.5"[: 1 + 4 * len(raw)])
    assert [meaning.protocol == "raw" for meaning in found.meanings[1:] if meaning is not None] == raw


@pytest.mark.parametrize(
    ("line", "left"),
    [
        ("filter_MRR|filter_inv_MRR|filter_all_MRR", ["filter_MRR"]),
        ("MRR|MRR (inverse)|MR|all MRR", ["MRR"]),
        ("H@1|inv_H@1|H@10", ["H@1"]),
        ("MRR|inv MR|H@1", []),
        ("mean_rank|inverse_mean_rank|harmonic_mean_rank|inverse_harmonic_mean_rank", []),
        ("MRR|revision|H@1", []),
    ],
)
def test_a_metric_next_to_one_of_inverse_queries_may_be_of_one_side(line: str, left: list[str]) -> None:
    heading = find(f"Model|{line}", "a|0.4|0.3|0.5|0.6")
    plain = [
        key
        for key, each in zip(heading.keys, heading.meanings, strict=True)
        if each and "inverse" in (each.reason or "")
    ]
    assert [key for key in plain if "inv" not in key] == left


def test_keys_join_the_levels() -> None:
    assert find("Model|FB15k-237|", "|MRR|MR").keys == ("Model", "FB15k-237 / MRR", "FB15k-237 / MR")
    assert find("MRR|MRR|MRR (2)").keys == ("MRR", "MRR (3)", "MRR (2)")


def test_splits_and_sides_over_metrics() -> None:
    heading = find("Model|Tail prediction||Test|", "|MRR|Raw|MRR|MRR (std)", "RotatE|0.1|x|0.3|0.4")
    said = [None if meaning is None else (meaning.side, meaning.split) for meaning in heading.meanings]
    assert said == [(None, None), ("tail", None), None, (None, "test"), (None, "test")]
    assert [meaning is not None and meaning.spread for meaning in heading.meanings] == [False] * 4 + [True]


@pytest.mark.parametrize(
    "lines",
    [
        ("Model|Hits@10| ", "RotatE|10|3"),
        ("Model|MRR|", "RotatE||0.3", "TransE|0.2|0.3"),
        ("Model|MRR|", "RotatE|0.3*|0.2"),
        ("MRR|metric|Hits@", "-|MRR|3"),
    ],
)
def test_the_first_row_of_numbers_is_no_heading(lines: tuple[str, ...]) -> None:
    assert len(find(*lines).levels) == 1


def test_a_k_below_makes_a_metric() -> None:
    heading = find("Model|MRR|Hits@|", "||1|10", "RotatE|0.338|0.241|0.533")
    labels = [meaning.metric.label for meaning in heading.meanings if meaning is not None and meaning.metric]
    assert labels == ["MRR", "Hits@1", "Hits@10"]


@pytest.mark.parametrize(
    ("line", "labels"),
    [
        ("Model|MRR|@1|@10", ["MRR", "Hits@1", "Hits@10"]),
        ("Model|MRR|P@1|@10", ["MRR"]),  # of precision
        ("Model|@1|@10", []),
    ],
)
def test_a_k_alone_is_of_hits_where_no_other_metric_has_one(line: str, labels: list[str]) -> None:
    heading = find_heading(split(line, "A|0.4|0.3|0.5"), Dialect())
    meanings = [] if heading is None else heading.meanings
    assert [meaning.metric.label for meaning in meanings if meaning and meaning.metric] == labels


def test_letters_in_parentheses_are_sides_where_both_are_there() -> None:
    both = find("Model|MRR (h)|MRR (t)|MRR", "A|0.3|0.5|0.4").meanings[1:]
    assert [meaning and (meaning.side, meaning.dataset) for meaning in both] == [
        ("head", None), ("tail", None), (None, None),
    ]  # fmt: skip
    assert [meaning and meaning.side for meaning in find("Model|MRR (t)|MRR", "A|0.5|0.4").meanings[1:]] == [None] * 2


def test_a_long_table() -> None:
    heading = find("metric|k|value|split")
    assert heading.long
    assert not heading.measured
    assert find_roles(heading) == {"metric": 0, "k": 1, "value": 2, "split": 3}


def test_the_column_called_so_has_the_role() -> None:
    assert find_roles(find("method|Model|data|MRR")) == {"model": 1, "dataset": 2}
    assert find_roles(find("method|approach|MRR")) == {"model": 0}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "MRR",
            "f.csv, line 1: one column, 'MRR'; expected at least two, such as model and MRR. Is the delimiter right?",
        ),
        ("Model|MMR", "f.csv, line 1: no column is a metric among Model, MMR. Did you mean "),
        ("|", "f.csv, line 1: no column is a metric among empty headings. Expected columns such as MRR, MR or Hits@10"),
    ],
)
def test_what_is_no_heading_is_explained(line: str, message: str) -> None:
    rows = split(line)
    assert find_heading(rows, Dialect()) is None
    assert explain_missing(Document("f.csv", line), rows[0]).startswith(message)


@given(st.lists(st.sampled_from(["", "a", "a (2)", "a (3)", "(2)", "MRR", "MRR (2)"]), min_size=1, max_size=9))
def test_keys_are_unique(headings: list[str]) -> None:
    keys = find("|".join(["MR", *headings])).keys
    assert len(set(keys)) == len(headings) + 1
    assert all(key.startswith(heading) for key, heading in zip(keys[1:], headings, strict=True))


@pytest.mark.parametrize("family", ["Hits" + " " * 400 + "x", "Hits" + " @" * 200, "Hits" + " (%" * 130])
def test_a_long_label_over_a_number_takes_no_time(family: str) -> None:
    started = time.process_time()
    find_heading([Row(1, ("Model", family), ("Model", family)), Row(2, ("", "10"), ("", "10"))], Dialect())
    parse_column(family[:200])
    assert time.process_time() - started < 1
