"""Pipe tables: as READMEs print them, what is refused, and random tables that are read back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankconst.errors import DataError
from rankconst.results.document import Document
from rankconst.results.tables.markdown import READER, strip_markdown
from readings import Table, check_indices, check_refusal, documents, reading_of, summarise, tables

read = reading_of(READER)

# LibKGE's README of 2020 (github.com/uma-pi1/kge), abridged.
LIBKGE = """# libKGE

Some of the results (mean reciprocal rank | Hits@10):

## FB15K-237

|          | MRR       | Hits@10 |
|----------|-----------|---------|
| [RESCAL](http://www.icml-2011.org/papers/438_icmlpaper.pdf)   | 0.356      | 0.542 |
| [TransE](https://papers.nips.cc/paper/5071)   | 0.310      | 0.493 |
| [DistMult](https://www.microsoft.com/en-us/research/ICLR2015_updated.pdf) | **0.344** | 0.531 |

## WNRR

|          | MRR       | Hits@10 |
|----------|-----------|---------|
| [RESCAL](http://www.icml-2011.org/papers/438_icmlpaper.pdf)   | 0.467      | 0.517 |

# Quick start
"""


def escape(cell: str) -> str:
    """Escape what Markdown would take for markup."""
    return "".join("\\" + character if character in "\\|*_<>&$`[]" else character for character in cell)


def write(table: Table) -> str:
    heading, *rows = ["| " + " | ".join(map(escape, cells)) + " |" for cells in table.grid]
    return "\n".join(["Results", heading, "|" + ":---|" * len(table.grid[0]), *rows, "", "more | text"])


def test_several_tables_with_text_around() -> None:
    reading = read(LIBKGE)
    assert READER.recognise(Document("README.md", LIBKGE))
    assert reading.columns == ("dataset", "", "MRR", "Hits@10")
    assert [row["dataset"] for row in reading.rows] == ["FB15K-237"] * 3 + ["WNRR"]
    assert [entry.context.dataset for entry in reading.entries] == ["FB15K-237"] * 6 + ["WNRR"] * 2
    assert reading.understood == "2 tables; dataset from the heading above; MRR, Hits@10"
    assert [(entry.line, entry.context.model, entry.metric.label, entry.text) for entry in reading.entries] == [
        (9, "RESCAL", "MRR", "0.356"), (9, "RESCAL", "Hits@10", "0.542"),
        (10, "TransE", "MRR", "0.310"), (10, "TransE", "Hits@10", "0.493"),
        (11, "DistMult", "MRR", "0.344"), (11, "DistMult", "Hits@10", "0.531"),
        (17, "RESCAL", "MRR", "0.467"), (17, "RESCAL", "Hits@10", "0.517"),
    ]  # fmt: skip
    assert reading.rows[2]["MRR"] == "**0.344**"
    assert reading.rows[1][""] == "[TransE](https://papers.nips.cc/paper/5071)"


@given(tables())
def test_random_tables_come_back(table: Table) -> None:
    document = Document("results.txt", write(table))
    assert READER.recognise(document)
    reading = READER.read(document)
    assert summarise(reading) == table.entries
    check_indices(reading)


@given(documents)
def test_any_text_is_read_or_refused(document: Document) -> None:
    check_refusal(READER, document)


@given(st.text(max_size=50) | st.text("\\|*_<>&$`[]ab ", max_size=30))
def test_escaped_text_is_itself(text: str) -> None:
    # An autolink or entity needs characters that are escaped.
    assert strip_markdown(escape(text)) == text.strip()


@pytest.mark.parametrize(
    ("cell", "plain"),
    [
        (" **0.338** ", "0.338"), ("__0.338__", "0.338"), ("*0.338*", "0.338"), ("***0.338***", "0.338"),
        ("_RotatE_", "RotatE"), ("hits_at_10", "hits_at_10"), ("test_mrr_x", "test_mrr_x"), ("`0.338`", "0.338"),
        ("<u>0.338</u>", "0.338"), ("<b>0.338</b><sup>1</sup>", "0.338^{1}"), ("[RotatE](http://x/y)", "RotatE"),
        ("0.338[^1]", "0.338"), ("0.5&nbsp;&plusmn;&nbsp;0.1", "0.5\u00a0±\u00a00.1"), ("$0.5 \\pm 0.1$", "0.5 ±0.1"),
        ("a \\| b", "a | b"), ("~~0.3~~", "~~0.3~~"), ("2 * 3", "2 * 3"), ("0.338*", "0.338*"),
        ("$\\mathbf{0.338}$", "0.338"),
    ],
)  # fmt: skip
def test_markup(cell: str, plain: str) -> None:
    assert strip_markdown(cell) == plain


def test_datasets_over_metrics() -> None:
    reading = read(
        "| Model | FB15k-237 |  | WN18RR |  |\n|---|---|---|---|---|\n|  | MRR | H@10 | MRR | H@10 (%) |\n"
        "| **Rotational** |\n| RotatE | 0.338 | 0.533 | 0.476 | 57.1 |\n| | | | | |\n"
        "| RotatE | - | n/a | 0.476<sup>a</sup> | |\n"
    )
    assert [(entry.line, entry.context.dataset, entry.metric.label, entry.text) for entry in reading.entries] == [
        (5, "FB15k-237", "MRR", "0.338"), (5, "FB15k-237", "Hits@10", "0.533"),
        (5, "WN18RR", "MRR", "0.476"), (5, "WN18RR", "Hits@10", "57.1%"), (7, "WN18RR", "MRR", "0.476"),
    ]  # fmt: skip
    assert [(skip.line, skip.what) for skip in reading.skipped] == [(4, "Rotational"), (7, "n/a")]
    assert [row["Model"] for row in reading.rows] == ["**Rotational**", "RotatE", "RotatE"]


def test_tables_without_metrics_are_left_alone() -> None:
    text = (
        "| Option | Default |\n|---|---|\n| dim | 100 |\n\n| a |\n|---|\n| b |\n\n"
        "Model | MRR\n--- | ---\nRotatE | 0.338\n"
    )
    reading = read(text)
    assert [(skip.line, skip.what) for skip in reading.skipped] == [(1, "Option | Default"), (5, "a")]
    assert [(entry.line, entry.text) for entry in reading.entries] == [(11, "0.338")]
    with pytest.raises(DataError, match=r"line 1: no column is a metric among Option, Default"):
        read(text.partition("\nModel")[0])


def test_rows_of_another_width_are_left_out() -> None:
    reading = read(
        "| Model | MRR |\n|---|---|---|\n| RotatE | 0.338 | 1 |\n| TransE | 0.3 | |\n| ConvE | **high** |\n| DistMult |"
    )
    assert [(skip.line, skip.what) for skip in reading.skipped] == [
        (3, "RotatE | 0.338 | 1"), (5, "high"), (6, "DistMult"),
    ]  # fmt: skip
    assert [(entry.line, entry.text) for entry in reading.entries] == [(4, "0.3")]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("| MRR |\n|---|\n| 0.3 |\n", ("line 1", "one column")),
        ("no table\n", ("there is no table",)),
    ],
)
def test_what_is_refused(text: str, parts: tuple[str, ...]) -> None:
    with pytest.raises(DataError) as caught:
        read(text)
    for part in ("results.txt", *parts):
        assert part in str(caught.value)


@pytest.mark.parametrize(
    "text", ["a | b\n\n---\n", "Model,MRR\na,1\n", "---\nmrr: 0.3\n---\n", "a | b\n" * 1000, "-" * 99]
)
def test_what_is_not_recognised(text: str) -> None:
    assert not READER.recognise(Document("results.txt", text))


@pytest.mark.slow
def test_many_tables_of_many_columns_are_refused() -> None:
    """Side by side they would be as many cells as rows times columns."""
    with pytest.raises(DataError, match=r"results\.txt: more than 10,000,000 cells"):
        read("".join(f"| a{i} | MRR |\n|---|---|\n| x | 1 |\n\n" for i in range(5_000)))
