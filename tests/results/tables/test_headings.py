"""What the first rows of a table make its columns."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankconst.results.document import Document
from rankconst.results.tables.cells import Row
from rankconst.results.tables.headings import Heading, explain_missing, find_heading, find_reason


def split(*lines: str) -> list[Row]:
    """Split rows with bars between cells."""
    cells = [tuple(line.split("|")) for line in lines]
    return [Row(i, row, tuple(cell.strip() for cell in row)) for i, row in enumerate(cells, start=1)]


def find(*lines: str) -> Heading:
    heading = find_heading(split(*lines))
    assert heading is not None
    return heading


@pytest.mark.parametrize(
    "lines",
    [
        ("Model|Hits@10| ", "RotatE|10|3"),
        ("Model|MRR|", "RotatE||0.3", "TransE|0.2|0.3"),
        ("Model|MRR|", "RotatE|0.3*|0.2"),
    ],
)
def test_the_first_row_of_numbers_is_no_heading(lines: tuple[str, ...]) -> None:
    assert len(find(*lines).levels) == 1


@pytest.mark.parametrize(
    ("lines", "centred"),
    [
        (["Model| |UMLS| | |Nations|", "|MRR|H@1|H@3|MRR|H@1|H@3"], True),
        (["|Model| |UMLS| |Nations|", "|MRR|H@1|H@3|MRR|H@1"], True),
        (["UMLS| | |Nations|", "Model|MRR|H@1|MRR|H@1"], False),
        (["Model|UMLS| |Nations|", "|MRR|H@1|MRR|H@1"], False),
        (["Results| | ", "Model|MRR|H@1"], False),
    ],
)
def test_names_above_the_middle_of_their_columns_name_none(lines: list[str], centred: bool) -> None:
    heading = find(*lines)
    assert {find_reason(heading, j).startswith("which columns are of") for j in heading.measures} == {centred}


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
    assert find_heading(rows) is None
    assert explain_missing(Document("f.csv", line), rows[0]).startswith(message)


@given(st.lists(st.sampled_from(["", "a", "a (2)", "a (3)", "(2)", "MRR", "MRR (2)"]), min_size=1, max_size=9))
def test_keys_are_unique(headings: list[str]) -> None:
    keys = find("|".join(["MR", *headings])).keys
    assert len(set(keys)) == len(headings) + 1
    assert all(key.startswith(heading) for key, heading in zip(keys[1:], headings, strict=True))


@pytest.mark.parametrize(
    ("lines", "levels"),
    [
        (["Model|FB15k-237|  |WN18RR| ", "|MRR|H@1|MRR|H@1"], 2),
        (["|MRR| |Hits@1| ", "Model|FB15k-237|WN18RR|FB15k-237|WN18RR"], 2),
        (["Model|WN18RR| | | ", "|MR|Hits| | ", "||@1|@3|@10"], 3),
        (["|MRR|MRR|MR|MR", "|mean|std|mean|std"], 2),
        (["Model|MRR|MR|H@1|H@3"], 1),
    ],
)
def test_what_is_above_or_below_the_metrics_is_of_the_heading(lines: list[str], levels: int) -> None:
    heading = find(*lines, "RotatE|0.1|0.2|0.3|0.4")
    assert (len(heading.levels), [*heading.measures]) == (levels, [1, 2, 3, 4])
