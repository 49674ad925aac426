"""Pipe tables and tables in HTML: as pages print them, what is refused, and random tables that are
read back.
"""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cases import SIGNS, for_each
from rankconst.errors import DataError
from rankconst.results.document import Document
from rankconst.results.formats import read_document
from rankconst.results.tables.cells import Placed
from rankconst.results.tables.markdown import READER, find_tables, strip_markdown
from readings import escape_markdown, reading_of

read = reading_of(READER)


@given(st.text(SIGNS, max_size=50) | st.text("\\|*_<>&$`[]ab ", max_size=30))
@example("[^1]")
def test_escaped_text_is_itself(text: str) -> None:
    # An autolink or entity needs characters that are escaped; Markdown knows no zero bytes.
    shown = strip_markdown(escape_markdown(text)).replace("\0", "\ufffd")
    assert shown.split() == text.replace("\0", "\ufffd").split()


@for_each(
    ("cell", "plain"),
    [
        (" **0.338** ", "0.338"), ("__0.338__", "0.338"), ("*0.338*", "0.338"), ("***0.338***", "0.338"),
        ("_RotatE_", "RotatE"), ("hits_at_10", "hits_at_10"), ("test_mrr_x", "test_mrr_x"), ("`0.338`", "0.338"),
        ("<u>0.338</u>", "0.338"), ("<b>0.338</b><sup>1</sup>", "0.338^{1}"), ("[RotatE](http://x/y)", "RotatE"),
        ("0.338<sub>2</sub>", "0.338_{2}"), ("0.338<sub>±0.002</sub>", "0.338±0.002"),
        ("MRR<sub>test</sub>", "MRR test"),
        ("<s>0.338</s>", "~~0.338~~"), ("<del>0.3</del> 0.4", "~~0.3~~ 0.4"), ("~~0.3~~", "~~0.3~~"),
        ("0.338 [[1]](http://x/y)", "0.338 [1]"), ("0.338[^1]", "0.338^{1}"), ("$0.5 \\pm 0.1$", "0.5 ±0.1"),
        ("0.5&nbsp;&plusmn;&nbsp;0.1", "0.5\u00a0±\u00a00.1"), ("a \\| b", "a | b"), ("2 * 3", "2 * 3"),
        ("0.338*", "0.338*"), ("$\\mathbf{0.338}$", "0.338"), ("0.338<sub>-0.01</sub>", "0.338_{-0.01}"),
        ("![valid](http://x)0.3", "0.3"), ("0.3<!-- valid -->", "0.3"),
    ],
)  # fmt: skip
def test_markup(cell: str, plain: str) -> None:
    assert strip_markdown(cell) == plain


_TABLE = "| Model | MRR |\n|---|---|\n| A | .3 |"
_HTML = "<table><tr><th>Model</th><th>MRR</th></tr><tr><td>A<td>.3</table>"
# Pages with T for a table, and what belongs to each table.
_NEAR = {
    "# A\n\n## B\n\nT": "heading B, heading A",
    "---\nlicense: mit\nlibrary_name: pykeen\n---\n\n# A\n\nT": "heading A, heading pykeen",
    "A\n===\n\nB\n---\n\nT\n\n## C\n\nT": "heading B, heading A | heading C, heading A",
    "far\n\nnear **x** [y](valid) `code` ![z](u) http://valid <b>w</b>\n\nT": "paragraph near x y    w, paragraph far",
    "lead:\n\n- one\n- two\n\nT": "paragraph two, paragraph one, paragraph lead:",
    "- one\n\n  T\n\n- two\n\n  T": "paragraph one | paragraph two, paragraph one",
    "T\n\n[^1]: raw\n\\* two\n\nlater": "note later, footnote [^1]: raw * two",
    "[^1]: raw\n[^b]: x\n\nT": "footnote [^1]: raw, footnote [^b]: x",
    "T\n\n* raw": "note * raw",
    "Table 1: a\n\nT\n\nTable 2: b\n\nT": "paragraph Table 1: a | paragraph Table 2: b",
    "T\n\nTable 1: a\n\nT\n\nTable 2: b": "caption Table 1: a | caption Table 2: b",
    "T\n\non WN18\n\nT\n\non UMLS": "note on WN18 | note on UMLS",
    "on FB15k\n\nT\n\non WN18\n\nT\n\non UMLS": "paragraph on FB15k, note on WN18 | paragraph on WN18, note on UMLS",
    "T\n\non WN18\n\nT\n\nWe like UMLS.": "note on WN18 | paragraph on WN18, note We like UMLS.",
    "T\n\non WN18\n\nT": "note on WN18 | paragraph on WN18",
    "~~valid~~ x\n\nT": "paragraph x",
    "> quoted\n>\n> T": "paragraph quoted",
}


@for_each("table", [_TABLE, _HTML])
@for_each("text", _NEAR)
def test_the_texts_of_a_table(text: str, table: str) -> None:
    page = "".join(
        line.replace("T", table.replace("\n", "\n" + line[: line.index("T")].replace("-", " "))) + "\n"
        if line.endswith(("T", "T ")) else line + "\n"
        for line in text.split("\n")
    )  # fmt: skip
    found = find_tables(Document("README.md", page))
    shown = []
    for printed in found:
        texts = [f"{text.place.split()[1]} {text.label.text}" for text in printed.above]
        shown.append(", ".join(texts))
    assert " ".join(" | ".join(shown).split()) == " ".join(_NEAR[text].split())


@for_each(
    ("page", "first"),
    [
        # Vocabulary between two tables is about the lower one.
        ("T\n\n**UMLS**\n\nT", "Nations test"), ("T\n\nValidation\n\nT", "Nations test"),
        ("T\n\nWe go on with UMLS.\n\nT", "Nations test"), ("T\n\nNext is the dev set.\n\nT", "Nations dev?"),
        # So it is with other words between it and the table, which ask from so far, too, but name no dataset.
        ("**Validation**\n\nWords.\n\nT", "Nations valid"), ("Next is the dev set.\n\nWords.\n\nT", "Nations dev?"),
        ("We go on with UMLS.\n\nWords.\n\nT", "Nations test"), ("We train it.\n\nWords.\n\nT", "Nations test"),
        ("## What the dev set tells\n\n### Results\n\nT", "Nations dev?"),
        # A section on training may hold any results.
        ("## Training\n\nT", "Nations training?"), ("## Training and evaluation\n\n### Results\n\nT", "Nations test"),
    ],
)  # fmt: skip
def test_what_is_said_of_the_first_table(page: str, first: str) -> None:
    context = read(re.sub(r"(?m)^T$", _TABLE, f"# Nations\n\n{page}")).entries[0].context
    asked = "".join(f"{ask.word}?" for ask in context.questions)
    assert f"{context.dataset} {asked or context.split or 'test'}" == first


def test_a_page_in_html() -> None:
    one = "<caption>Nations</caption><tr><td rowspan=2>A<td>MRR<td>.1<tr><td>MRR<td>.2"
    text = f"<html><body><h2>UMLS</h2><p>near<br>x</p>{_HTML}<div>below</div><table>{one}</table></body></html>"
    first, second = find_tables(Document("page.html", text))
    assert [each.label.text for each in first.above] == ["x", "near", "below", "UMLS"]
    assert [row.plain for row in second.rows] == [("A", "MRR", ".1"), ("A", "MRR", ".2")]
    for row in (*first.rows, *second.rows):
        for cell in row.cells:
            assert isinstance(cell, Placed)
            assert text[cell.start : cell.end] == cell
    assert second.above[0].label.text == "Nations"
    nested = find_tables(Document("page.html", f"<table><tr><td>{_HTML}</td></tr></table>"))
    assert [row.plain for row in nested[0].rows] == [("Model", "MRR"), ("A", ".3")]


@for_each(
    ("notes", "expected"),
    [
        ("[^2]: on dev\n\n[^val]: raw", [["dev", "raw"], ["raw"], []]),  # a name is not kept in the cell
        ("[^2]: on dev\n[^3]: raw", [["dev"], [], ["raw"]]),
        ("[^2]: ours. All on dev", [["dev"], ["dev"], []]), ("[^4]: on dev", [["dev"], ["dev"], ["dev"]]),
    ],
)  # fmt: skip
def test_footnotes_are_about_what_refers_to_them(notes: str, expected: list[list[str]]) -> None:
    rows = "| Model | MRR |\n|---|---|\n| A[^2] | .3 |\n| B | .3[^val] |\n"
    other = "# UMLS\n\n| Model | MR |\n|---|---|\n| A[^3] | 9 |\n"
    entries = read(f"# UMLS\n\n{rows}\n{other}\n# Notes\n\n{notes}\n").entries
    assert [[ask.word for ask in entry.context.questions] for entry in entries] == expected


@for_each(
    ("formula", "text"),
    [
        ('<math alttext="0.476_{\\pm 0.002}"><mn>0.476</mn><mo>±</mo><mn>0.002</mn></math>', "0.476 ±0.002"),
        ("<math><semantics><mn>.4</mn><annotation-xml><cn>.4</cn></annotation-xml></semantics></math>", ".4"),
        ("<math><mn>.4</mn><mo>±</mo><mn>.1</mn></math>", ".4 ± .1"),
        # What is raised, or another paragraph, is no digit of the value.
        ("<math><msup><mn>.4</mn><mn>1</mn></msup></math>", ".4 1"),
        ("<p>.4</p><p>1</p>", ".4 1"), (".4<br>1", ".4 1"), (".4<sup>1</sup>", ".4^{1}"),
    ],
)  # fmt: skip
def test_cells_in_html(formula: str, text: str) -> None:
    (table,) = find_tables(Document("a.md", f"<table><tr><td>MRR<tr><td>{formula}</table>"))
    assert list(table.rows)[1].plain == (text,)


_PRINTED = "Model    MRR    Hits@10\nTransE   0.294  0.465\nRotatE   0.338  0.533\n"
_BOX = (
    "+--------+-------+---------+\n| Model  | MRR   | Hits@10 |\n+--------+-------+---------+\n"
    + ("| TransE | 0.294 | 0.465   |\n| RotatE | 0.338 | 0.533   |\n+--------+-------+---------+\n")
)


@for_each("table", [_PRINTED, _BOX, _BOX.replace("+", "|")])
@for_each("fence", ["```\n{}```\n", "~~~text\n{}~~~\n", "    {}"])
def test_code_has_tables_with_what_is_around_them(table: str, fence: str) -> None:
    code = fence.format(table)
    if fence == "    {}":
        code = "".join(f"    {line}\n" for line in table.splitlines())
    text = f"# UMLS\n\n{code}\n## WN18RR\n\nValidation results:\n\n{code}\nMore words.\n"
    assert READER.recognise(Document("README.md", text))
    entries = read_document("README.md", text).entries
    assert [entry.text for entry in entries] == ["0.294", "0.465", "0.338", "0.533"] * 2
    contexts = [(entry.context.dataset, entry.context.split) for entry in entries]
    assert contexts == [("UMLS", None)] * 4 + [("WN18RR", "valid")] * 4
    lines = text.split("\n")
    assert all(entry.text in lines[(entry.line or 0) - 1] for entry in entries)


@for_each(
    ("rows", "left"),
    [
        ("| Model | MRR |\n|---|---|---|\n| A | .3 |", []),  # GitHub would not show a rule of another width as a table
        ("Model | MRR\n--- | ---\nA | .3\n", []),
        ("| Model | MRR |\n|---|---|\n| A | .3 | |\n| B | .4 | 1 |\n| C |", [4]),
        ("| Model | MRR | |\n|---|---|---|\n| A | .3 | paper |", []),
        ("| Model | MRR | MR | Link |\n|---|---|---|---|\n| A | .3 |", []),
        ("| Option | Default |\n|---|---|\n| dim | 1 |\n\n| Model | MRR |\n|---|---|\n| A | .3 |", [1]),
    ],
)  # fmt: skip
def test_rows_and_tables_that_are_left_out(rows: str, left: list[int]) -> None:
    reading = read(rows)
    assert [entry.text for entry in reading.entries] == [".3"]
    assert [skip.line for skip in reading.skipped] == left


def test_results_in_the_metadata_of_a_card_are_read_from_a_file_of_their_own() -> None:
    metadata = """\
model-index:
- name: RotatE
  results:
  - dataset:
      name: UMLS
      type: umls
      split: test
    metrics:
    - type: mrr
      value: 0.5
      name: MRR
"""
    with pytest.raises(DataError, match=r"copy the metadata .* a file that ends in \.yaml"):
        read_document("README.md", f"---\n{metadata}---\n\n# RotatE\n")
    (entry,) = read_document("card.yaml", metadata).entries
    assert (entry.text, entry.context.dataset, entry.context.split) == ("0.5", "UMLS", "test")
