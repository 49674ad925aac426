"""What was found is put into one reading."""

from __future__ import annotations

from rankconst.catalogue.metrics import parse_metric
from rankconst.results.document import Document
from rankconst.results.reading import Entry, Reading, Skipped, make_reading


def test_rows_are_aligned() -> None:
    """Columns that no row fills go; each row has all others."""
    reading = make_reading(Document("f", ""), "ogb", "long", [{"a": "", "b": "1"}, {"c": "2", "b": "3"}], [])
    assert reading.columns == ("b", "c")
    assert reading.rows == ({"b": "1", "c": ""}, {"b": "3", "c": "2"})


def test_all_else_is_kept() -> None:
    entry, skip = Entry(parse_metric("mrr"), "0.3", 0, "value", 2), Skipped(3, "loss", "no metric")
    reading = make_reading(
        Document("f", ""), "libkge", "long", [{"value": "0.3"}], iter([entry]), skipped=iter([skip]), tool="libkge"
    )
    assert reading == Reading("f", "libkge", "long", ("value",), ({"value": "0.3"},), (entry,), (skip,), "libkge")
    assert make_reading(Document("f", ""), "ogb", "wide", [], []) == Reading("f", "ogb", "wide", (), (), ())
