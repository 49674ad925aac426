"""What PyKEEN's ``to_df().to_csv()`` writes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given

from rankconst.results.document import Document
from rankconst.results.evaluation import Stated
from rankconst.results.tools.pykeen import READER_CSV as READER
from result_tables import check_refusal, documents, reading_of

if TYPE_CHECKING:
    from pathlib import Path

read = reading_of(READER)
TEXT = """Side,Rank_type,Metric,Value
both,realistic,arithmetic_mean_rank,370.4749450683594
head,optimistic,hits_at_10,0.3206
both,realistic,adjusted_hits_at_k,0.953127
tail,pessimistic,z_hits_at_k,2439.96
both,realistic,adjusted_arithmetic_mean_rank_index,0.948
both,realistic,median_absolute_deviation,
"""


def test_every_number_is_exact() -> None:
    assert READER.recognise(Document("x.csv", TEXT))
    reading = read(TEXT)
    assert (reading.tool, reading.layout) == ("pykeen", "long")
    assert all(entry.exact for entry in reading.entries)
    assert [(entry.line, entry.metric.label, entry.adjustment, entry.text) for entry in reading.entries] == [
        (2, "MR", None, "370.4749450683594"), (3, "Hits@10", None, "0.3206"), (4, "Hits@10", "index", "0.953127"),
        (5, "Hits@10", "z", "2439.96"), (6, "MR", "index", "0.948"),
    ]  # fmt: skip
    assert reading.entries[1].context == Stated(side="head", rank_type="optimistic")


@pytest.mark.parametrize("heading", [",Side,Rank_type,Metric,Value", "Side,Type,Metric,Value"])
def test_other_headings_of_it(heading: str) -> None:
    text = heading + "\n" + ",".join(["0"] * heading.startswith(",") + ["both", "realistic", "hits_at_1", "0.5"]) + "\n"
    assert READER.recognise(Document("x.csv", text))
    assert [entry.text for entry in read(text).entries] == ["0.5"]


@pytest.mark.parametrize("text", ["Model,MRR\na,1\n", "metric,value\nMRR,0.1\n", "{}", ""])
def test_what_is_not_recognised(text: str) -> None:
    assert not READER.recognise(Document("x.csv", text))


def test_the_metrics_of_real_results(reference: Path) -> None:
    """The same numbers that results.json holds, as to_df would list them."""
    paths = sorted((reference / "pykeen_results").glob("*.json"))
    if not paths:
        pytest.skip("no results of PyKEEN beside the published ones")
    metrics = json.loads(paths[0].read_text(encoding="utf-8"))["metrics"]
    rows = [
        (side, rank_type, metric, repr(value))
        for side, by_type in metrics.items()
        for rank_type, by_metric in by_type.items()
        for metric, value in by_metric.items()
        if not isinstance(value, dict)
    ]
    reading = read("Side,Rank_type,Metric,Value\n" + "".join(",".join(row) + "\n" for row in rows))
    assert len(reading.rows) == len(rows)
    assert not reading.skipped
    assert [entry.text for entry in reading.entries] == [row[3] for row in rows if row[2] != "count"]
    counts = {row[:2]: float(row[3]) for row in rows if row[2] == "count"}
    for entry in reading.entries:
        row = reading.rows[entry.row]
        assert entry.context.num_tasks == counts[row["Side"], row["Rank_type"]]


@given(documents)
def test_any_text_is_read_or_refused(document: Document) -> None:
    check_refusal(READER, document)
