"""CSV and TSV: real files, what is refused, and random tables that are read back."""

import pytest

from cases import for_each
from rankconst.errors import DataError
from rankconst.results.tables.delimited import READER
from readings import reading_of

read = reading_of(READER)


def test_lines_are_those_of_the_file() -> None:
    reading = read('\nModel,note,MRR\n\nTransE,"two\nlines",0.294\nRotatE,,0.338\n')
    assert [entry.line for entry in reading.entries] == [4, 6]
    assert reading.rows[0]["note"] == "two\nlines"


def test_cells_stay_as_written() -> None:
    reading = read("Model, MRR ,MRR,,\n RotatE , 0.338*,**,x, y\n".replace("**", "0.34"))
    assert reading.columns == ("Model", "MRR", "MRR (2)", "", "(2)")
    assert list(reading.rows[0].values()) == [" RotatE ", " 0.338*", "0.34", "x", " y"]
    assert [entry.text for entry in reading.entries] == ["0.338", "0.34"]
    assert reading.entries[0].context.model == "RotatE"


@for_each(
    ("text", "parts"),
    [
        ("Model,MRR\nRotatE\n", ("line 2", "expected 2 cells", "got 1")),
        ("Model,MRR\nRotatE,0.3,0.4\n", ("line 2", "expected 2 cells", "got 3")),
        ("MRR\n0.3\n", ("line 1", "one column", "delimiter")),
        ("Model,MMR,Hitz@10\nRotatE,1,2\n",
         ("line 1", "no column is a metric among Model, MMR, Hitz@10", "no column is a metric")),
        ('Model,MRR\nRotatE,"0.3\nTransE,0.4\n', ("line 2", "Close the quote")),
        ('Model,MRR\n"Rot"atE,0.3\n', ("line 2", "closing quote")),
        ('Model,MRR\n"' + "x\n" * 70_000, ("line 2", "131,072", "quote never closed")),
        ("Model,MRR\nRotatE,0.3\nRot\0atE,0.3\n", ("line 3", "zero byte")),
        ("\n \n", ("there is no table",)),
    ],
)  # fmt: skip
def test_what_is_refused(text: str, parts: tuple[str, ...]) -> None:
    with pytest.raises(DataError) as caught:
        read(text)
    for part in ("results.txt", *parts):
        assert part in str(caught.value)


def test_too_many_cells_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rankconst.results.tables.grid.MOST_CELLS", 100)
    assert len(read("Model,MRR\n" + "RotatE,0.3\n" * 50).rows) == 50
    with pytest.raises(DataError, match=r"results.txt: more than 100 cells"):
        read("Model,MRR\n" + "RotatE,0.3\n" * 51)


def test_a_title_before_the_table() -> None:
    reading = read("Results of RotatE\nModel,MRR\nRotatE,0.338\n")
    assert [entry.line for entry in reading.entries] == [3]
    told = read("# dataset: WN18RR\n# split: valid\nModel,MRR\nRotatE,0.338\n").entries[0].context
    assert (told.dataset, told.split) == ("WN18RR", "valid")


_MADE_BY_PEOPLE = {
    # Metrics in rows, datasets over them.
    "model,metric,WN18RR,UMLS\nA,MRR,.1,.2\nA,MR,9,8": [
        "WN18RR MRR .1",
        "WN18RR MR 9",
        "UMLS MRR .2",
        "UMLS MR 8",
    ],
    # What pandas writes of columns with several levels.
    ",WN18RR,UMLS\n,MRR,MRR\nmodel,,\nA,.1,.2": ["WN18RR MRR .1", "UMLS MRR .2"],
    ",mrr,mrr,mr,mr\n,mean,std,mean,std\nmodel,,,,\nA,.2,.01,3,1": ["MRR .2", "MR 3"],
    "model,\"('mrr', 'mean')\",\"('mrr', 'std')\"\nA,.2,.01": ["MRR .2"],
    # Units below the metrics.
    "model,MRR,MR\n,[-],[rank]\nA,.2,3": ["MRR .2", "MR 3"],
}


@for_each("text", _MADE_BY_PEOPLE)
def test_tables_that_people_save(text: str) -> None:
    shown = []
    for entry in read(text).entries:
        assert (entry.context.model, entry.context.split) == ("A", None)
        shown.append(f"{entry.context.dataset or ''} {entry.metric.label} {entry.text}".strip())
    assert shown == _MADE_BY_PEOPLE[text]
