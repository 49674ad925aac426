"""From grids of cells to numbers, without any format around them."""

from __future__ import annotations

import pytest

from rankconst.catalogue.metrics import parse_metric
from rankconst.errors import DataError
from rankconst.evaluation import Stated
from rankconst.results.document import Document
from rankconst.results.reading import Entry, Reading
from rankconst.results.tables.cells import Row
from rankconst.results.tables.grid import Dialect, read_tables
from rankconst.results.tables.near import Printed, read_near


def read_rows(*lines: str) -> list[Row]:
    """Split rows with bars between cells."""
    cells = [tuple(line.split("|")) for line in lines]
    return [Row(i, row, tuple(cell.strip() for cell in row)) for i, row in enumerate(cells, start=1)]


def read(*lines: str, groups: bool = False) -> Reading:
    return read_tables(Document("results", ""), "test", [Printed(read_rows(*lines))], Dialect(even=not groups))


def found(reading: Reading) -> list[tuple[str, str | None, str]]:
    return [(entry.metric.label, entry.context.dataset, entry.text) for entry in reading.entries]


def test_an_entry_in_full() -> None:
    reading = read(
        "Method|Benchmark|Subset|Side|Rank type|n ranks|repo|averaging|protocol|AMRI",
        "RotatE|WN18RR|validation|left|best|6,268|uma-pi1/kge|micro|raw|0.8",
    )
    context = Stated("WN18RR", "valid", "left", "raw", "micro", "uma-pi1/kge", "RotatE", "optimistic", num_tasks=6268)
    assert [*reading.entries] == [Entry(parse_metric("MR"), "0.8", 0, "AMRI", 2, context, "index", exact=False)]
    assert (reading.name, reading.form, reading.layout, reading.tool) == ("results", "test", "wide", None)
    assert read("Method|n|MRR", "RotatE|3|0.3").entries[0].context.num_tasks is None  # of seeds, as likely


@pytest.mark.parametrize(
    "text",
    ["0.33.8", "3.38×10^{-1}", "3x10^3", "2×10³", "1.77 · 10²",
     "10^{3}", "10^3", "10³", "0.338 (0.340)", "0.3 0.4", "nan", "NaN", "inf", "-inf", "high", "0,338", "1/3",
     "~0.3", ">0.3", "0.3-0.4", "*", "**", "^{1}", "0.3^{-1}", "0.3_{1}", "9" * 500],
)  # fmt: skip
def test_what_may_be_part_of_a_number_is_not(text: str) -> None:
    reading = read("Model|MR", f"RotatE|{text}", "TransE|357")
    assert [entry.text for entry in reading.entries] == ["357"]
    assert [(skip.line, skip.what) for skip in reading.skipped] == [(2, text[:80])]
    assert reading.skipped[0].why.startswith("not a number")


def test_tables_without_metrics_are_passed_over_if_another_has_one() -> None:
    others = [Printed(read_rows(f"a{i}|b", "1|2")) for i in range(30)]
    document = Document("results", "")
    reading = read_tables(document, "test", [*others, Printed(read_rows("a|MRR", "b|0.3"))])
    assert (len(reading.rows), len(reading.entries), len(reading.skipped)) == (1, 1, 30)
    with pytest.raises(DataError, match="no column is a metric among a0, b"):
        read_tables(document, "test", others)


def test_another_number_of_tasks_is_reported() -> None:
    reading = read("MRR|count", "0.3|402.5")
    assert reading.entries[0].context.num_tasks is None
    assert [skip.what for skip in reading.skipped] == ["402.5"]


def test_a_heading_again_over_other_datasets() -> None:
    lines = ("|FB15k-237|", "Model|MRR|MR", "RotatE|0.338|177", "|WN18RR|", "Model|MRR|MR", "RotatE|0.476|3340")
    assert found(read(*lines, groups=True)) == [
        ("MRR", "FB15k-237", "0.338"), ("MR", "FB15k-237", "177"),
        ("MRR", "WN18RR", "0.476"), ("MR", "WN18RR", "3340"),
    ]  # fmt: skip


def test_an_empty_cell_of_a_document_repeats_the_side_and_the_protocol_above() -> None:
    reading = read("Setting|Side|Model|MRR", "Raw|head|A|.1", "||B|.2", "Filtered|tail|A|.3", "||B|.4", groups=True)
    said = [(entry.context.protocol, entry.context.side) for entry in reading.entries]
    assert said == [("raw", "head"), ("raw", "head"), ("filtered", "tail"), ("filtered", "tail")]


def test_a_column_that_has_fractions_under_a_percent_sign_is_left_out() -> None:
    reading = read("Model|MRR|Hits@10 (%)", "A|0.338|0.533", "B|0.3|0.4")
    assert [entry.column for entry in reading.entries] == ["MRR", "MRR"]
    assert "0.533" in str(reading.skipped)
    assert "column Hits@10 (%)" in str(reading.skipped)
    reading = read("Model|MRR (x100)|Hits@10 (%)", "A|0.8|0.533", "B|0.3|2.4")
    assert [entry.text for entry in reading.entries] == ["0.8%", "0.533%", "0.3%", "2.4%"]


def test_columns_that_look_like_metrics_are_named_where_they_are_not_read() -> None:
    reading = read("Model|MRR|MRR_20|Hits1*MR|MRR std|hits|time", "A|0.338|0.3|1|0.01|2|3")
    assert [entry.column for entry in reading.entries] == ["MRR"]
    assert [skip.what for skip in reading.skipped] == ["MRR_20", "Hits1*MR", "MRR std"]
    # With a cut-off, and what may be a second run.
    reading = read("Model|MRR@20|NDCG@10|MRR_2", "A|0.3|0.4|0.338")
    assert [entry.metric.label for entry in reading.entries] == ["MRR@20", "nDCG@10"]


def test_a_share_among_percentages_of_a_column_printed_otherwise_is_left_out() -> None:
    reading = read("Model|H@10 (FB15k-237)|H@10 (WN18RR)", "A|.533|57.1", "B|.5|50.1")
    assert [entry.text for entry in reading.entries] == ["57.1%", "50.1%"]


# Names over other columns than the first of theirs, in tables that have lost their spans.


def test_means_before_the_columns_of_datasets() -> None:
    rows = ("Model|||UMLS||Nations|", "|MRR|H@10|MRR|H@10|MRR|H@10", "A|.1|.2|.3|.4|.5|.6")
    found = [entry.context.dataset for entry in read(*rows, groups=True).entries]
    assert found == [None, None, "UMLS", "UMLS", "Nations", "Nations"]


# Several metrics in a cell.


@pytest.mark.parametrize(
    ("caption", "words"),
    [("Hits@3 of all models", ["hits@3"]), ("We compare by Hits@10.", ["hits@10"]), ("MRR of all models", []),
     ("All models", []), ("Mean rank", ["mr"])],
)  # fmt: skip
def test_a_metric_that_is_near_is_asked_about_if_the_user_names_another(caption: str, words: list[str]) -> None:
    printed = Printed(read_rows("Model|UMLS|Nations", "RotatE|.3|.4"), (read_near("the caption", caption),))
    (first, _) = read_tables(Document("results", "", metric=parse_metric("MRR")), "test", [printed]).entries
    assert [ask.word for ask in first.context.asks if ask.field == "metric"] == words
