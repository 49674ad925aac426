"""Comments and hidden parts of documents are neither numbers nor texts; doubtful digits are left out."""

from __future__ import annotations

import time

import pytest

from rankconst.errors import DataError
from rankconst.results.formats import read_document
from rankconst.results.hidden import hide_html, hide_latex

SHOWN = "| model | MRR |\n|---|---|\n| A | 0.476 |\n"
OLD = "| model | MRR |\n|---|---|\n| old | 0.9 |\n"
TABULAR = "\\begin{tabular}{lc} model & MRR \\\\ %s \\\\ \\end{tabular}\n"


def numbers(name: str, text: str) -> list[str]:
    return [entry.text for entry in read_document(name, text).entries]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("<!--\n", "-->\n"), ("<!--\n\n", "\n-->\n"), ('<div style="display:none">\n\n', "\n</div>\n"),
        ("<div hidden>\n\n", "\n</div>\n"), ('<section style="visibility: hidden">\n\n', "\n</section>\n"),
        ("<!-- in\n<div>\n", "</div>\n-->\n"), ("<div hidden>\n\n</p></section>\n", "\n</div>\n"),
        ("<div><DIV HIDDEN>\n<div>\n\n", "\n</div></DIV></div>\n"), ("<!--\n```\n", "```\n-->\n"),
    ],
)  # fmt: skip
def test_what_markdown_hides_is_not_read(before: str, after: str) -> None:
    text = f"# WN18RR\n\n{before}{OLD}{after}\n{SHOWN}"
    assert numbers("a.md", text) == ["0.476"]
    assert hide_html(text).count("\n") == text.count("\n")


def test_an_element_that_is_never_closed_hides_the_rest() -> None:
    assert numbers("a.md", f"# WN18RR\n\n{SHOWN}\n<div hidden>\n\n{OLD}") == ["0.476"]


@pytest.mark.parametrize(
    "part", ["<div hidden>x</div>\n", "<!-- a -->\n```\nx\n```\n", "<div>", "</div>", "<!--", "```\n"]
)
def test_hiding_takes_time_in_proportion(part: str) -> None:
    def measure(times: int) -> float:
        text, start = part * times, time.process_time()
        hide_html(text)
        return time.process_time() - start

    small = min(measure(4_000) for _ in range(3))
    assert min(measure(32_000) for _ in range(3)) < 30 * small + 0.05  # 8 times the input; the square would be 64


def test_what_is_shown_stays() -> None:
    for text in (f"<details>\n\n{SHOWN}\n</details>", f"```\n<!-- {SHOWN} -->\n```", "a < b <c", "</div>"):
        assert hide_html(text) == text
    assert numbers("a.md", f"# WN18RR\n\n<div>\n\n{SHOWN}\n</div>\n") == ["0.476"]


@pytest.mark.parametrize(
    "text",
    [
        "{0}\\begin{{comment}}{1}\\end{{comment}}", "{0}\\iffalse {1}\\fi\n",
        "\\iffalse {1}\\else {0}\\fi\n", "{0}\\end{{document}}\n{1}",
        "\\begin{{comment}}{1}\\end{{comment}}{0}",
    ],
)  # fmt: skip
def test_what_latex_does_not_set_is_not_read(text: str) -> None:
    whole = text.format(TABULAR % "A & 0.476", TABULAR % "old & 0.9")
    assert numbers("a.tex", whole) == ["0.476"]
    assert hide_latex(whole).count("\n") == whole.count("\n")


def test_what_is_struck_out_is_no_number() -> None:
    assert numbers("a.tex", TABULAR % "A & \\sout{0.9} \\\\ B & 0.476") == ["0.476"]


@pytest.mark.parametrize(
    "cell", ["1\u200934", "177\u20095", "1\u202f23", "0 338", "0'338", "177(3)", "177(12)", "177^{+30}_{-20}"]
)
def test_digits_that_may_mean_something_else_are_left_out(cell: str) -> None:
    with pytest.raises(DataError, match="contains no value of a metric"):
        read_document("a.csv", f"model,MR\nA,{cell}\n")
    assert numbers("a.csv", "model,MRR\nA,0.338(5)(30)\nB,0.338(5)\n") == ["0.338(5)"]


@pytest.mark.parametrize("cell", ["3 384", "3\u2009384", "3'384", "3\u202f384"])
def test_groups_of_three_digits_are_thousands(cell: str) -> None:
    (entry,) = read_document("a.csv", f"model,MR\nA,{cell}\n").entries
    assert "3" in entry.text
