"""Rows under their heading."""

from __future__ import annotations

import pytest

from rankconst.results.document import Document
from rankconst.results.reading import Entries, Notes
from rankconst.results.tables.cells import Row
from rankconst.results.tables.headings import Dialect, find_heading
from rankconst.results.tables.rows import RowReader


def make_row_reader(line: str, notes: Notes, dialect: Dialect) -> RowReader:
    heading = find_heading([make_row(line)], dialect)
    assert heading is not None
    return RowReader(Document("f", ""), heading, dialect, notes)


def make_row(line: str) -> Row:
    cells = tuple(line.split("|"))
    return Row(5, cells, cells)


@pytest.mark.parametrize("exact", [True, False])
def test_a_wide_row(exact: bool) -> None:
    notes = Notes()
    reader = make_row_reader("Model|dataset|MRR|Hits@10 (%)|AMRI", notes, Dialect(exact=exact))
    entries = list(reader.read(make_row("RotatE|WN18RR|0.476|57.1|n/a"), 3))
    assert [(each.metric.label, each.text, each.column) for each in entries] == [
        ("MRR", "0.476", "MRR"), ("Hits@10", "57.1%", "Hits@10 (%)"),
    ]  # fmt: skip
    assert {(each.row, each.line, each.exact, each.context.model, each.context.dataset) for each in entries} == {
        (3, 5, exact, "RotatE", "WN18RR")
    }
    assert [(skip.line, skip.what, skip.why) for skip in notes.skipped()] == [(5, "n/a", "no number")]


def test_counts_of_a_long_table_go_with_their_entries() -> None:
    notes = Notes()
    reader = make_row_reader("side|metric|value", notes, Dialect())
    lines = ("head|mrr|0.3", "head|count|20", "tail|mrr|0.4", "both|count|many")
    entries = Entries(entry for place, line in enumerate(lines) for entry in reader.read(make_row(line), place))
    counted = reader.add_counts(entries)
    assert [(each.context.side, each.context.num_tasks) for each in counted] == [("head", 20), ("tail", None)]
    assert [skip.what for skip in notes.skipped()] == ["many"]


def test_the_corner_of_a_printed_table_is_over_models() -> None:
    for groups, model in ((True, "RotatE"), (False, None)):
        (entry,) = make_row_reader("|MRR", Notes(), Dialect(groups=groups)).read(make_row("RotatE|0.338"), 0)
        assert entry.context.model == model


def test_text_among_numbers_is_left_out_with_its_place() -> None:
    notes = Notes()
    reader = make_row_reader("Model|MRR|MR", notes, Dialect())
    assert [entry.text for entry in reader.read(make_row("RotatE|high|177"), 0)] == ["177"]
    assert [(skip.line, skip.what, skip.why) for skip in notes.skipped()] == [(5, "high", "no number, in column MRR")]
