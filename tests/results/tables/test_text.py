"""Text copied from a PDF: columns by blanks, captions above or below, rows that cannot be told apart."""

from __future__ import annotations

import pytest
from hypothesis import given

from rankconst.errors import DataError
from rankconst.results.document import Document
from rankconst.results.formats import read_document
from rankconst.results.tables.text import READER
from readings import check_indices, check_refusal, documents, reading_of

read = reading_of(READER)

_ABOVE = """Table 4: Results on the FB15k-237
dataset.
Model MRR MR Hits@1 Hits@10
TransE 0.294 357 - 0.465
RotatE (Sun et al., 2019) 0.338 177 0.241 0.533

Table 5: Results on WN18RR.
Model MRR MR Hits@1 Hits@10
TransE 0.226 3384 - 0.501
As we can see, the second table is shorter.
"""


def test_captions_above() -> None:
    assert READER.recognise(Document("paper.txt", _ABOVE))
    reading = read(_ABOVE)
    assert [(entry.line, entry.context.dataset, entry.metric.label, entry.text) for entry in reading.entries] == [
        (4, "FB15k-237", "MRR", "0.294"), (4, "FB15k-237", "MR", "357"), (4, "FB15k-237", "Hits@10", "0.465"),
        (5, "FB15k-237", "MRR", "0.338"), (5, "FB15k-237", "MR", "177"), (5, "FB15k-237", "Hits@1", "0.241"),
        (5, "FB15k-237", "Hits@10", "0.533"),
        (9, "WN18RR", "MRR", "0.226"), (9, "WN18RR", "MR", "3384"), (9, "WN18RR", "Hits@10", "0.501"),
    ]  # fmt: skip
    check_indices(reading)


def test_captions_below() -> None:
    table = "Model MRR MR\nRotatE 0.338 177\n"
    reading = read(f"{table}Table 1: FB15k-237.\n\n{table}Table 2: WN18RR.\n")
    assert [entry.context.dataset for entry in reading.entries] == ["FB15k-237"] * 2 + ["WN18RR"] * 2


def test_datasets_over_metrics_and_rows_too_short() -> None:
    reading = read(
        "             FB15k-237        WN18RR\nModel      MRR    H@10    MRR    H@10\n"
        "TransE     .294   .465    .226   .501\nRotational models\n"
        "RotatE 0.338 ± 0.002 .533 .476 .571\nConvE 0.3 0.4 0.5\n"
    )
    assert [(entry.context.dataset, entry.text) for entry in reading.entries] == [
        ("FB15k-237", ".294"), ("FB15k-237", ".465"), ("WN18RR", ".226"), ("WN18RR", ".501"),
        ("FB15k-237", "0.338±0.002"), ("FB15k-237", ".533"), ("WN18RR", ".476"), ("WN18RR", ".571"),
    ]  # fmt: skip
    # Which of its four cells is empty cannot be told.
    assert [(skip.line, skip.what) for skip in reading.skipped] == [
        (4, "Rotational models"), (6, "ConvE | 0.3 | 0.4 | 0.5"),
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["", "MRR and MR are metrics.\n", "Model MRR MR\n\nfar below 0.1 2\n", "a b\n1 2\n"])
def test_what_is_no_table(text: str) -> None:
    assert not READER.recognise(Document("notes.txt", text))


@given(documents)
def test_any_text_is_read_or_refused(document: Document) -> None:
    check_refusal(READER, document)


_FRAME = """
    model    dataset    MRR  Hits@10
0  TransE  FB15k-237  0.294    0.465
1  RotatE     WN18RR  0.476    0.571
"""


def test_the_index_of_a_printed_frame_is_no_cell() -> None:
    said = [(entry.context.model, entry.context.dataset, entry.text) for entry in read(_FRAME).entries]
    assert said[::2] == [("TransE", "FB15k-237", "0.294"), ("RotatE", "WN18RR", "0.476")]


def _describe(text: str) -> list[str]:
    assert READER.recognise(Document("out.txt", text))
    reading = read(text)
    check_indices(reading)
    return [
        f"{about.dataset or '-'} {about.side or '-'} {about.model or '-'} {each.metric.label} {each.text}"
        for each in reading.entries
        for about in [each.context]
    ]


def test_a_printed_frame_may_have_many_columns_on_either_side_of_its_metrics() -> None:
    text = (
        "   dataset   model  dim     mrr  hits@10   time\n"
        "0   WN18RR  RotatE  500  0.4760   0.5710  12.10\n"
        "1  Nations  TransE  500  0.7100      NaN  13.10\n"
    )
    expected = ["WN18RR - RotatE MRR 0.4760", "WN18RR - RotatE Hits@10 0.5710", "Nations - TransE MRR 0.7100"]
    assert _describe(text) == expected
    # The same without an index and with single blanks.
    assert _describe("\n".join(" ".join(line.split()[line[:1].isdigit() :]) for line in text.splitlines())) == expected


def test_a_level_of_an_index_is_blank_where_it_is_as_above() -> None:
    text = (
        "                         mrr  hits@10\ndataset   model  side                 \n"
        "WN18RR    RotatE both  0.4760   0.5710\n                 head  0.4260   0.5010\n"
        "FB15k-237 RotatE both  0.3380   0.5330\n          TransE both  0.2940   0.4650\n"
    )
    assert _describe(text) == [
        "WN18RR both RotatE MRR 0.4760", "WN18RR both RotatE Hits@10 0.5710",
        "WN18RR head RotatE MRR 0.4260", "WN18RR head RotatE Hits@10 0.5010",
        "FB15k-237 both RotatE MRR 0.3380", "FB15k-237 both RotatE Hits@10 0.5330",
        "FB15k-237 both TransE MRR 0.2940", "FB15k-237 both TransE Hits@10 0.4650",
    ]  # fmt: skip


def test_a_printed_frame_may_have_a_row_for_each_metric() -> None:
    text = (
        "Some words above\n     Side    Rank_type                      Metric     Value\n"
        "48   head    realistic  inverse_harmonic_mean_rank  0.047216\n"
        "203  both    realistic                  hits_at_10  0.087523\nAll done now, really\n"
    )
    assert _describe(text) == ["- head - MRR 0.047216", "- both - Hits@10 0.087523"]
    assert not READER.recognise(Document("notes.txt", "the metric value\nis not here\n"))


def test_a_rule_below_the_heading_has_as_many_pieces_as_columns() -> None:
    text = "model     MRR    MR    H@1   H@10\n------  -----  ----  -----  -----\nRotatE  0.476  3340  0.428  0.571\n"
    assert [each.partition(" RotatE ")[2] for each in _describe(text)] == [
        "MRR 0.476", "MR 3340", "Hits@1 0.428", "Hits@10 0.571",
    ]  # fmt: skip


def test_a_printed_frame_may_have_a_column_for_each_split() -> None:
    text = (
        "dataset: UMLS\nmodel: A\n             valid    test\nMRR         0.8512  0.8401\nMean rank     2.12    2.31\n"
    )
    assert READER.recognise(Document("out.txt", text))
    assert {(each.metric.label, each.context.split, each.text) for each in read(text).entries} == {
        ("MRR", "valid", "0.8512"), ("MRR", "test", "0.8401"), ("MR", "valid", "2.12"), ("MR", "test", "2.31"),
    }  # fmt: skip
    assert {each.context.dataset for each in read(text).entries} == {"UMLS"}
    assert not READER.recognise(Document("out.txt", "train test\nhammer 3 4\n"))


@pytest.mark.parametrize(
    ("heading", "said"),
    [
        ("Metric head both", [("-", "head", "-"), ("-", "both", "-")]),
        ("raw filtered", [("-", "-", "raw"), ("-", "-", "-")]),
        ("UMLS Nations", [("UMLS", "-", "-"), ("Nations", "-", "-")]),
    ],
)
def test_what_is_over_rows_of_metrics(heading: str, said: list[tuple[str, ...]]) -> None:
    text = f"{heading}\nMRR 0.45 0.47\nHits@10 0.54 0.57\n"
    assert READER.recognise(Document("out.txt", text))
    found = {
        (c.dataset or "-", c.side or "-", c.protocol or "-", e.text) for e in read(text).entries for c in [e.context]
    }
    assert found == {
        (*each, value)
        for each, values in zip(said, (("0.45", "0.54"), ("0.47", "0.57")), strict=True)
        for value in values
    }


@pytest.mark.parametrize(
    ("heading", "said"),
    [
        # The words between two metrics are of the one that the others show.
        ("Model Test MRR Valid MRR", ["test MRR", "valid MRR"]),
        ("Model MRR test MRR valid", ["test MRR", "valid MRR"]),
        ("Model name  Test MRR  Valid MRR", ["test MRR", "valid MRR"]),
        ("Model  MRR (test)  MRR (valid)", ["test MRR", "valid MRR"]),
    ],
)
def test_words_around_metrics(heading: str, said: list[str]) -> None:
    reading = read(f"{heading}\nRotatE  0.476  0.471\n")
    assert [f"{entry.context.split} {entry.metric.label}" for entry in reading.entries] == said


def test_words_that_may_be_of_either_metric_leave_no_heading() -> None:
    assert not READER.recognise(Document("out.txt", "Model MR raw MR filt Hits@10\nA 1 2 0.3\n"))
    assert not READER.recognise(Document("out.txt", "Model Test MRR Hits@10 test\nA 0.1 0.2\n"))


def test_cells_are_told_by_their_places() -> None:
    text = (
        "Model     MR    MRR    Hits@10\n--------  ----  -----  -------\nConvE 2         0.294  0.465\n"
        "RotatE    177   0.338\nA B C     12    0.4    0.5\n"
    )
    assert _describe(text) == [
        "- - ConvE 2 MRR 0.294", "- - ConvE 2 Hits@10 0.465", "- - RotatE MR 177", "- - RotatE MRR 0.338",
        "- - A B C MR 12", "- - A B C MRR 0.4", "- - A B C Hits@10 0.5",
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["UMLS", "valid"])
def test_a_word_below_a_heading_is_no_level_of_an_index(name: str) -> None:
    other = {"UMLS": "Nations", "valid": "test"}[name]
    reading = read(f"Model    MRR    MR\n{name}\nA        0.1    2\n{other}\nB        0.3    4\n")
    said = [(each.context.model, each.context.dataset or each.context.split, each.text) for each in reading.entries]
    assert said == [("A", name, "0.1"), ("A", name, "2"), ("B", other, "0.3"), ("B", other, "4")]


def test_datasets_above_a_rule() -> None:
    reading = read(
        "           UMLS           Nations\n         -----------    -----------\n"
        "Model    MRR    MR    MRR    MR\nA  .1  2  .3  4\n"
    )
    assert [(each.context.dataset, each.text) for each in reading.entries] == [
        ("UMLS", ".1"), ("UMLS", "2"), ("Nations", ".3"), ("Nations", "4"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "Metric    head    both\nMRR       0.294   0.347\nHits@10   0.465   0.483\n",
        "  Metric    head    both\n ────────────────────────\n  MRR       0.294   0.347\n  Hits@10   0.465   0.483\n",
        "|════════╦══════╦══════|\n| Metric ║ head ║ both |\n|════════╬══════╬══════|\n| MRR ║ 0.294 ║ 0.347 |\n"
        "| Hits@10 ║ 0.465 ║ 0.483 |\n|════════╩══════╩══════|\n",
    ],
)
def test_a_table_of_sides_is_no_log(text: str) -> None:
    reading = read_document("out.txt", text)
    assert {(each.context.side, each.metric.label, each.text) for each in reading.entries} == {
        ("head", "MRR", "0.294"), ("both", "MRR", "0.347"), ("head", "Hits@10", "0.465"), ("both", "Hits@10", "0.483"),
    }  # fmt: skip


def test_bars_without_rules() -> None:
    assert _describe("| Model | dataset | mrr | hits@10 |\n| A B | UMLS | 0.3 |  |\n") == ["UMLS - A B MRR 0.3"]


def test_more_numbers_than_metrics_leave_no_row() -> None:
    """As pandas prints columns of two levels: the last two of four numbers are of one metric."""
    text = "           mrr        hits@10\n         valid  test   valid  test\nA          .1    .2     .3    .4\n"
    assert not READER.recognise(Document("out.txt", text))
    with pytest.raises(DataError):
        read_document("out.txt", text)


def test_a_row_of_something_else_is_left_out() -> None:
    assert _describe("Model    MRR    MR\nA        .338   53\nEpochs   50\n") == ["- - A MRR .338", "- - A MR 53"]
