"""Pipe tables: as READMEs print them, what is refused, and random tables that are read back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankconst.errors import DataError
from rankconst.results.document import Document
from rankconst.results.formats import read_document
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
        ("0.338<sub>2</sub>", "0.338_{2}"), ("0.338<sub>±0.002</sub>", "0.338±0.002"),
        ("MRR<sub>test</sub>", "MRR test"),
        ("Hits<sub>10</sub>", "Hits10"), ("<s>0.338</s>", "~~0.338~~"), ("<del>0.3</del> 0.4", "~~0.3~~ 0.4"),
        ("0.338 [[1]](http://x/y)", "0.338 [1]"),
        ("0.338[^1]", "0.338"), ("0.5&nbsp;&plusmn;&nbsp;0.1", "0.5\u00a0±\u00a00.1"), ("$0.5 \\pm 0.1$", "0.5 ±0.1"),
        ("a \\| b", "a | b"), ("~~0.3~~", "~~0.3~~"), ("2 * 3", "2 * 3"), ("0.338*", "0.338*"),
        ("$\\mathbf{0.338}$", "0.338"), ("0.338<sub>-0.01</sub>", "0.338_{-0.01}"), ("h<sub>t</sub>", "ht"),
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
def test_many_tables_of_many_columns_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Side by side they would be as many cells as rows times columns."""
    monkeypatch.setattr("rankconst.results.tables.grid.MOST_CELLS", 100_000)
    with pytest.raises(DataError, match=r"results\.txt: more than 100,000 cells"):
        read("".join(f"| a{i} | MRR |\n|---|---|\n| x | 1 |\n\n" for i in range(500)))


def _write(heading: str, *rows: str) -> str:
    return "\n".join([heading, "|" + "---|" * (heading.count("|") - 1), *rows, ""])


_DIALECTS = {
    # Several numbers in a cell, whose names share what one of them says.
    _write("| Model | WN18RR MRR (valid/test) |", "| A | .1/.2 |"): [
        "A WN18RR valid - MRR .1", "A WN18RR test - MRR .2",
    ],
    _write("| WN18 | Mean Rank (Raw/Filt) |", "| A | 9/8 |"): ["- WN18 - raw MR 9", "- WN18 - - MR 8"],
    _write("| WN18 | Test MRR / H@10 | MRR / H@10 (valid) |", "| A | .1 / .2 | .3 / .4 |"): [
        "- WN18 test - MRR .1", "- WN18 test - Hits@10 .2", "- WN18 valid - MRR .3", "- WN18 valid - Hits@10 .4",
    ],
    # Names with an enumeration, general words, or a version that leaves two graphs open.
    _write("| Model | (a) UMLS dataset | |", "| | MRR | H@10 |", "| A | .1 | .2 |"): [
        "A UMLS - - MRR .1", "A UMLS - - Hits@10 .2",
    ],
    _write("| Model | Dataset | MRR |", "| A | WN18RR v1 | .1 |", "| A | wn18rr_v1 | .2 |"): [
        "A - - - MRR .1", "A wn18rr_v1 - - MRR .2",
    ],
    # Words behind the last pipe; the first column of names.
    _write("| Dataset | MRR |", "| UMLS | .1 | % 3618847"): ["- UMLS - - MRR .1"],
    _write("| | | MRR |", "| WN18RR | A | .1 |", "| UMLS | B | .2 |"): ["A WN18RR - - MRR .1", "B UMLS - - MRR .2"],
    # What is filtered, on graphs whose facts have a time.
    f"## ICEWS18\n\nTime-aware filtered results:\n\n{_write('| Model | MRR |', '| A | .1 |')}": [
        "A ICEWS18 - time-aware MRR .1"
    ],
    f"## ICEWS18\n\nOur time-aware encoder:\n\n{_write('| Model | MRR |', '| A | .1 |')}": ["A ICEWS18 - - MRR .1"],
    f"Hyper-relational facts of WD50K:\n\n{_write('| Model | MRR |', '| A | .1 |')}": [
        "A wd50k_statements - - MRR .1"
    ],
    f"## WN18RR\n\nZero-shot inference:\n\n{_write('| Model | MRR |', '| A | .1 |')}": ["A WN18RR - - MRR .1"],
}  # fmt: skip


_PRINTED = "Model    MRR    Hits@10\nTransE   0.294  0.465\nOur RotatE  0.338  0.533\n"
_SQL = (
    " model  |  mrr  | hits@10\n--------+-------+---------\n"
    " TransE | 0.294 |   0.465\n Our RotatE | 0.338 | 0.533\n(2 rows)\n"
)
_BOX = (
    "+------------+-------+---------+\n| Model      | MRR   | Hits@10 |\n+------------+-------+---------+\n"
    "| TransE     | 0.294 | 0.465   |\n| Our RotatE | 0.338 | 0.533   |\n+------------+-------+---------+\n"
)
_FRAME = (
    "shape: (2, 3)\n┌────────────┬───────┬─────────┐\n│ model      ┆ mrr   ┆ hits@10 │\n"
    "│ ---        ┆ ---   ┆ ---     │\n"
    "│ str        ┆ f64   ┆ f64     │\n╞════════════╪═══════╪═════════╡\n│ TransE     ┆ 0.294 ┆ 0.465   │\n"
    "│ Our RotatE ┆ 0.338 ┆ 0.533   │\n└────────────┴───────┴─────────┘\n"
)


def _tell(text: str) -> list[str]:
    assert READER.recognise(Document("README.md", text))
    return [
        " ".join(
            word or "-"
            for about in [entry.context]
            for word in (about.model, about.dataset, about.split, about.protocol, entry.metric.label, entry.text)
        )
        for entry in read_document("README.md", text).entries
    ]


def _expect(dataset: str, said: str = "- -") -> list[str]:
    return [
        f"{model} {dataset} {said} {metric} {value}"
        for model, values in (("TransE", ("0.294", "0.465")), ("Our RotatE", ("0.338", "0.533")))
        for metric, value in zip(("MRR", "Hits@10"), values, strict=True)
    ]


@pytest.mark.parametrize("table", [_PRINTED, _SQL, _BOX, _FRAME])
@pytest.mark.parametrize("fence", ["```\n{}```\n", "~~~text\n{}~~~\n", "{}"])
def test_code_has_tables_with_what_is_around_them(table: str, fence: str) -> None:
    code = fence.format(table) if fence != "{}" else "".join(f"    {line}\n" for line in table.splitlines())
    text = f"# Results\n\n## UMLS\n\n{code}\n## WN18RR\n\nValidation results (raw):\n\n{code}\nMore words.\n"
    assert _tell(text) == [*_expect("UMLS"), *_expect("WN18RR", "valid raw")]


def test_a_fence_may_have_titles_of_its_own_and_stand_next_to_other_tables() -> None:
    text = (
        "```bash\npython run.py --dataset Kinships --split valid\n```\n\n## UMLS\n\n"
        f"{_write('| Model | MRR |', '| A | .1 |')}\n"
        f"```\nNations:\n{_PRINTED}\nOn WN18RR\n{_BOX}```\n"
    )
    assert _tell(text) == ["A UMLS - - MRR .1", *_expect("Nations"), *_expect("WN18RR")]


@pytest.mark.parametrize(
    ("above", "task"), [("Few-shot link prediction", "few-shot"), ("Relation prediction", "relation prediction")]
)
def test_other_tasks_are_told_of_code_too(above: str, task: str) -> None:
    entries = read_document("README.md", f"## {above}\n\n```\n{_PRINTED}```\n").entries
    assert {entry.context.task for entry in entries} == {task}


def test_a_log_in_code_is_no_table() -> None:
    log = "# UMLS\n\n```\nepoch 1 loss 0.3\nTest MRR: 0.338\n```\n"
    assert not READER.recognise(Document("README.md", log))


@pytest.mark.parametrize("text", _DIALECTS)
def test_dialects(text: str) -> None:
    shown = []
    for entry in read(text).entries:
        about = entry.context
        said = (about.model, about.dataset, about.split, about.protocol, entry.metric.label, entry.text)
        shown.append(" ".join(word or "-" for word in said))
    assert shown == _DIALECTS[text]


def test_columns_of_other_tasks_are_left_out_with_their_reason() -> None:
    names = ("WN18RR MRR", "UMLS MRR", "Avg. MRR", "MRR (50 negatives)", "MRR (unseen entities)", "MRR (1-to-N)")
    reading = read(_write(f"| Model | {' | '.join(names)} |", "| A | .1 | .2 | .3 | .4 | .5 | .6 |"))
    assert [entry.text for entry in reading.entries] == [".1", ".2"]
    reasons = {skip.what: skip.why for skip in reading.skipped}
    assert list(reasons) == list(names[2:])
    said = (
        "a mean over what?",
        "it ranks sampled candidates",
        "it says unseen",
        "it is of the relations that are 1-to-N",
    )
    assert all(why.startswith(start) for why, start in zip(reasons.values(), said, strict=True))


def _write_html(*rows: str) -> str:
    cells = ("".join(f"<td>{cell}</td>" for cell in row.split(" | ")) for row in ("Model | MRR", *rows))
    return f"<table>{''.join(f'<tr>{each}</tr>' for each in cells)}</table>"


def test_tables_in_html_on_one_line() -> None:
    """Values of Sun et al. 2019 (RotatE, arXiv:1902.10197), Table 5."""
    one, two = _write_html("RotatE | .476"), _write_html("RotatE | .338")
    text = f"# UMLS\n<h2>WN18RR</h2>{one}<h2>FB15k-237</h2><p>On the validation set:</p>{two}\n\nThe end.\n"
    reading = read(text)
    assert [(each.context.dataset, each.context.split, each.text, each.line) for each in reading.entries] == [
        ("WN18RR", None, ".476", 2), ("FB15k-237", "valid", ".338", 2),
    ]  # fmt: skip
    reading = read(f"# WN18RR\n{one}<h1>FB15k-237</h1><table>\n<tr><td>Model<td>MRR\n<tr><td>A<td>.3</table>\n{two}\n")
    assert [(each.context.dataset, each.line) for each in reading.entries] == [
        ("WN18RR", 2), ("FB15k-237", 4), ("FB15k-237", 5),
    ]  # fmt: skip
    (entry,) = read(f"# WN18RR\n{one}<p>Note: all numbers are on the validation set.</p>\n").entries
    assert entry.context.split == "valid"


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        ('<math alttext="0.476_{\\pm 0.002}"><mn>0.476</mn><mo>±</mo><mn>0.002</mn></math>', "0.476 ± 0.002"),
        ("<math><semantics><mn>.4</mn><annotation-xml><cn>.4</cn></annotation-xml></semantics></math>", ".4"),
        ('<math><mn>.4</mn><annotation encoding="application/x-tex">.4^{\\dagger}</annotation></math>', ".4"),
        ("<math><mn>.4</mn><mo>±</mo><mn>.1</mn></math>", ".4 ± .1"),
        # The number of a footnote is no digit of the value.
        ("<math><msup><mn>0.476</mn><mn>1</mn></msup></math>", None),
        ('<math alttext="0.476^{1}"><msup><mn>0.476</mn><mn>1</mn></msup></math>', "0.476"),
    ],
)
def test_formulas_in_html(formula: str, text: str | None) -> None:
    reading = read(f"WN18RR:\n\n{_write_html(f'RotatE | {formula}', 'TransE | .226')}\n")
    found = [each.text for each in reading.entries]
    assert found == ([] if text is None else [found[0]]) + [".226"]
    assert text is None or found[0].replace(" ", "").startswith(text.replace(" ", "")[:5])


def test_what_a_page_hides_is_not_read() -> None:
    rows = "<tr hidden><td>TransE<td>.226<td>.1<tr><td>RotatE<td style='display: none'>.338<td>.476"
    last = '<tr><td>ComplEx<td hidden>.1<td><span style="color: red; display:none">044<b>0</b></span>.440'
    heading = "<tr><th>Model<th style='display:none'>MRR<th>MRR"
    reading = read(f"# WN18RR\n\n<table>{heading}{rows}{last}</table>\n\n<table hidden>{heading}{rows}</table>\n")
    assert [(each.context.model, each.text) for each in reading.entries] == [("RotatE", ".476"), ("ComplEx", ".440")]


def test_the_title_of_a_file_of_org_heads_it() -> None:
    text = "#+TITLE: Validation results on WN18RR\n\n| Model | MRR |\n|-------+-----|\n| RotatE | .476 |\n"
    (entry,) = read(text).entries
    assert (entry.context.dataset, entry.context.split) == ("WN18RR", "valid")
