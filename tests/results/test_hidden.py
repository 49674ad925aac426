"""Comments and hidden parts of documents are neither numbers nor texts; hostile documents cost in
proportion.
"""

import contextlib
from collections.abc import Callable
from functools import partial

import pytest

from cases import for_each
from growth import grows_in_proportion
from rankconst.errors import DataError
from rankconst.results.document import Document
from rankconst.results.formats import FORMATS, read_document, read_opened
from rankconst.results.tables.grid import LONGEST_TEXT

SHOWN = "| model | MRR |\n|---|---|\n| A | 0.476 |\n"
OLD = "| model | MRR |\n|---|---|\n| old | 0.9 |\n"
TABULAR = "\\begin{tabular}{lc} model & MRR \\\\ %s \\\\ \\end{tabular}\n"


def numbers(name: str, text: str) -> list[str]:
    return [entry.text for entry in read_document(name, text).entries]


@for_each(
    ("before", "after"),
    [
        ("<!--\n", "-->\n"), ("<!--\n\n", "\n-->\n"), ('<div style="display:none">\n\n', "\n</div>\n"),
        ("<div hidden>\n\n", "\n</div>\n"), ('<section style="visibility: hidden">\n\n', "\n</section>\n"),
        ("<!-- in\n<div>\n", "</div>\n-->\n"), ("<div hidden>\n\n</p></section>\n", "\n</div>\n"),
        ("<div><DIV HIDDEN>\n<div>\n\n", "\n</div></DIV></div>\n"), ("<!--\n```\n", "```\n-->\n"),
        ("<details hidden>\n\n# FB15k-237\n\nvalidation\n\n", "\n</details>\n"),
    ],
)  # fmt: skip
@for_each("table", [OLD, "<table><tr><td>model<td>MRR<tr><td>old<td>.9</table>\n"])
def test_what_markdown_hides_is_not_read(before: str, after: str, table: str) -> None:
    (entry,) = read_document("a.md", f"# WN18RR\n\n{before}{table}{after}\n{SHOWN}").entries
    assert (entry.text, entry.context.dataset, entry.context.questions) == ("0.476", "WN18RR", ())


@pytest.mark.parametrize(
    "row",
    [
        "<tr hidden><td>old<td>.9",
        "<tr style='display: none'><td>old</td><td>.9</td></tr>",
        "<!--<tr><td>.9-->",
    ],
)
def test_rows_that_a_table_hides_are_not_read(row: str) -> None:
    assert numbers("a.md", f"<table><tr><td>model<td>MRR{row}<tr><td>A<td>.4</table>") == [".4"]


def test_an_element_that_is_never_closed_hides_the_rest() -> None:
    assert numbers("a.md", f"# WN18RR\n\n{SHOWN}\n<div hidden>\n\n{OLD}") == ["0.476"]


@for_each(
    "text",
    ["<details>\n\n{}\n</details>", "```\n<!--\n{}-->\n```", "<div>\n\n{}\n</div>", "</div>\n\n{}"],
)
def test_what_is_shown_is_read(text: str) -> None:
    assert numbers("a.md", "# WN18RR\n\n" + text.format(SHOWN)) == ["0.476"]


@for_each(
    "text",
    [
        "{0}\\begin{{comment}}{1}\\end{{comment}}", "{0}\\iffalse {1}\\fi\n", "% {1}\n{0}",
        "\\iffalse {1}\\else {0}\\fi\n", "{0}\\end{{document}}\n{1}", "\\begin{{comment}}{1}\\end{{comment}}{0}",
    ],
)  # fmt: skip
def test_what_latex_does_not_set_is_not_read(text: str) -> None:
    assert numbers("a.tex", text.format(TABULAR % "A & 0.476", TABULAR % "old & 0.9")) == ["0.476"]


_TABLE = "| a | MRR |\n|---|---|\n| **x** | 0.3 |\n\n"
_HOSTILE = {
    "markdown": [_TABLE, "|", "|a|b|\n", "> ", ">", "<table>\n", "<div hidden>\n\n", "</div>\n", "<!--\n",
         "<!-- a -->\n", "<", "</", '<div x="', "&#", "[", "*a ", "```\n", "<table><tr><td>", "<tr>", "# a\n", "a\n",
         "    MRR MR\n", "    +-+\n", "$", "<div>", "    | a | b |\n", "    === ==\n"],
    "latex": [TABULAR % "A & .3", "\\begin{table}", "\\begin{tabular}", "\\section{a}", "\\section{", "\\caption{a}",
         "%\n", "\\iffalse ", "\\begin{comment}", "\\def\\x{\\x}", "\\section[a]", "a\n\n", "\\sout{", "{",
         "\\multirow{99}{*}{a} &"],
    "text": ["a  MRR\n", "A 0.3\n", "|a|MRR|\n", "+-+\n", "=== ===\n", "a\n===\n"],
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("form", _HOSTILE)
def test_hostile_documents_take_time_in_proportion(form: str) -> None:
    def read(part: str, size: int) -> None:
        around = (
            ("\\begin{tabular}{ll} a & MRR \\\\ ", "\\end{tabular}")
            if part[0] in "{&"
            else ("", "")
        )
        document = Document("a", around[0] + part * (size // len(part)) + around[1])
        FORMATS[form].load().recognise(document)
        with contextlib.suppress(DataError):
            FORMATS[form].load().read(document)

    for part in _HOSTILE[form]:
        assert grows_in_proportion(partial(partial, read, part), 1_000), part


@for_each(
    "cell",
    [
        "1\u200934", "177\u20095", "1\u202f23", "0 338", "0'338", "177(3)", "177(12)", "177^{+30}_{-20}",
    ],
)  # fmt: skip
def test_digits_that_may_mean_something_else_are_left_out(cell: str) -> None:
    with pytest.raises(DataError, match="contains no value of a metric"):
        read_document("a.csv", f"model,MR\nA,{cell}\n")
    assert numbers("a.csv", "model,MRR\nA,0.338(5)(30)\nB,0.338(5)\n") == ["0.338(5)"]


# Files that would cost more to read than in proportion to their length: read quickly, or refused.

WIDE = 30_000
ROW = "\\multicolumn{999}{c}{A} & 0.3 \\\\\n"
HTML = "<table><tr><th>Model</th><th>MRR</th></tr>"


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.csv", f"model,MRR\n{'0.3,' * WIDE}\n", "a.csv, line 2: a row with more than 20,000 cells"),
        ("a.csv", f"model,MRR{',x' * WIDE}\nA,0.3\n", "a.csv, line 1: a row with more than 20,000 cells"),
        ("a.md", f"| model | MRR |\n|---|---|\n{'| a ' * WIDE}\n", "a.md, line 3: a row with more than 20,000 cells"),
        ("a.tex", f"\\begin{{tabular}}{{ll}}\nModel & MRR \\\\\nA {'& .3' * WIDE}\\end{{tabular}}",
         "a.tex, line 2: a row with"),
        ("a.tex", f"\\begin{{tabular}}{{ll}}\nModel & MRR \\\\\n{ROW * 9_000}\\end{{tabular}}",
         "a.tex, line 310: up to here"),
        ("a.md", f"{HTML}{'<tr><td colspan=999>A</td></tr>' * 99}</table>", "a.md, line 1: up to here"),
        ("a.md", f"{HTML}<tr><td colspan=99 rowspan=999>A</td></tr>{'<tr><td>B' * 500}</table>",
         "a.md, line 1: up to here"),
    ],
)  # fmt: skip
def test_rows_of_more_cells_than_any_table_has_are_refused(name: str, text: str, said: str) -> None:
    with pytest.raises(DataError) as error:
        read_document(name, text)
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.log", f"epoch {'1' * 5000}: mrr 0.3\n"),
        ("a.log", f"epoch : {'1' * 5000} mrr: 0.3\n"),
        ("a.md", f"{HTML}<tr><td colspan={'1' * 5000} rowspan={'9' * 5000}>A</td><td>0.3</td></tr></table>"),
    ],
)  # fmt: skip
def test_numbers_of_thousands_of_digits_are_no_crash(name: str, text: str) -> None:
    with contextlib.suppress(DataError):
        read_document(name, text)


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("a.csv", lambda n: f"model,dataset,Hits{' ' * n}10\nA,nations,0.5\n"),
        ("a.csv", lambda n: f"model,dataset,Hits{' _' * n}10\nA,nations,0.5\n"),
        ("a.csv", lambda n: f"model,MRR\nA on WN18-{'b-' * (n // 10)}c,0.5\n"),
        ("a.json", lambda n: '{"a": "' + '\\"' * n),
        ("a.md", lambda n: f"{'<table' + chr(10)}" * n + "MRR 0.3"),
        ("a.md", lambda n: "| model | MRR |\n|---|---|\n| A | 0.3 " + "|" * min(n, 20_000) + "\n"),
    ],
)
def test_time_is_in_proportion(name: str, write: Callable[[int], str]) -> None:
    def read(text: str) -> None:
        with contextlib.suppress(DataError):
            read_document(name, text)

    assert grows_in_proportion(lambda n: partial(read, write(n)), 1_000)


@pytest.mark.parametrize(
    "form", [key for key, row in FORMATS.items() if row.load().most is not None]
)
def test_documents_have_a_limit(form: str) -> None:
    start = "| model | MRR |\n|---|---|\n| A | 0.5 |\n"
    text = start + " " * (LONGEST_TEXT + 1 - len(start))
    with pytest.raises(
        DataError, match=rf"^a.txt has 16,777,217 characters; as {form} at most 16,777,216 are read"
    ):
        read_opened(Document("a.txt", text), form)


@pytest.mark.parametrize(
    "line", ["MRR: 0.5\n", "2020-01-01 00:00:00,000 INFO     Test MRR at step 9: 0.5\n"]
)
def test_logs_have_a_limit(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rankconst.results.logs.lines.MOST_NUMBERS", 10)
    assert len(read_document("a.log", line * 10).entries) == 10
    with pytest.raises(DataError, match=r"^a.log, line 11: more than 10 numbers up to here"):
        read_document("a.log", line * 1000)
