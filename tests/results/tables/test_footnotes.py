"""Footnotes are about what has their mark."""

from __future__ import annotations

import pytest

import rankconst
from rankconst.errors import DataError
from rankconst.results.formats import read_document
from rankconst.results.tables.footnotes import find_marks

_TABLE = "| model | dataset | MRR |\n|---|---|---|\n| A | UMLS | 0.5 |\n| B | UMLS | 0.6† |\n"
_LATEX = r"""
\begin{table}\caption{Results on UMLS. Models with $\dagger$ are evaluated on the validation set.}
\begin{tabular}{lc}
Model & MRR \\
A & 0.5 \\
B$^\dagger$ & 0.6 \\
\end{tabular}\end{table}
"""


def _adjust(name: str, text: str) -> list[str]:
    """Return the numbers that are adjusted, with split, side and protocol."""
    try:
        entries = rankconst.adjust(read_document(name, text)).entries
    except DataError:
        return []
    done = [(each.entry.text, each.constants.tasks) for each in entries if each.constants]
    return [f"{number} {tasks.split} {tasks.side} {tasks.protocol}" for number, tasks in done]


_USUAL = ["0.5 test both standard"]


@pytest.mark.parametrize(
    "note",
    [
        "† evaluated on the validation set", "†: raw setting", "† denotes results under the raw setting.",
        "† results are from the original paper; tail prediction only",
        "<sup>†</sup> ranked among 50 sampled negatives.",
        "(†) filtered: False", "‡ from the original paper. † on the validation set", "* † only tail prediction",
    ],
)  # fmt: skip
def test_a_footnote_is_about_what_has_its_mark(note: str) -> None:
    assert _adjust("a.md", f"# R\n\n{_TABLE}\n{note}\n") == _USUAL
    rows = _TABLE.replace("†", "").replace("| B |", "| B† |")
    assert _adjust("a.md", f"# R\n\n{rows}\n{note}\n") == _USUAL


@pytest.mark.parametrize(
    ("mark", "note"),
    [
        ("[^1]", "[^1]: on the validation set"), ("[^val]", "[^val]: on the validation set"),
        ("*", "\\* only tail prediction"), ("*", "* only tail prediction"),
        ("<sup>a</sup>", "<sup>a</sup> raw setting"),
        ("^2", "^2 raw setting"), ("²", "² raw setting"), ("‡§", "§: raw setting"),
    ],
)  # fmt: skip
def test_marks(mark: str, note: str) -> None:
    table = _TABLE.replace("| B |", f"| B{mark} |").replace("†", "")
    assert _adjust("a.md", f"# R\n\n{table}\n{note}\n") == _USUAL


def test_emphasis_is_no_mark() -> None:
    table = "| model | dataset | MRR |\n|---|---|---|\n| **A** | UMLS | **0.5** |\n| B | UMLS | 0.6* |\n"
    for table_ in (table, table.replace("**", "*"), table.replace("**0.5**", "***0.5***")):
        assert _adjust("a.md", f"# R\n\n{table_}\n\\* raw setting\n") == _USUAL


def test_a_mark_in_the_heading_is_of_the_column() -> None:
    table = "| model | dataset | Hits@1 | MRR* |\n|---|---|---|---|\n| A | UMLS | 0.5 | 0.6 |\n"
    assert _adjust("a.md", f"# R\n\n{table}\n\\* MRR is measured on the validation set.\n") == _USUAL


def test_a_sentence_of_the_caption_may_be_a_footnote() -> None:
    assert _adjust("a.tex", _LATEX) == _USUAL


@pytest.mark.parametrize(
    ("marked", "note"),
    [
        (r"B\tnote{a}", r"\begin{tablenotes}\item[a] raw setting\end{tablenotes}"),
        (r"B$^\dagger$", r"\begin{tablenotes}\item[$\dagger$] on the validation set\end{tablenotes}"),
        (r"B$^\dagger$", "\\\\\n\\footnotesize $^\\dagger$ tail prediction only"), (r"B\footnote{raw setting}", ""),
        (r"B\textsuperscript{*}", "\n\n* filtered: False"),
    ],
)  # fmt: skip
def test_notes_below_a_table_of_latex(marked: str, note: str) -> None:
    plain = _LATEX.replace(r" Models with $\dagger$ are evaluated on the validation set.", "")
    text = plain.replace(r"B$^\dagger$", marked).replace(r"\end{tabular}", rf"\end{{tabular}}{note}")
    assert text != _LATEX
    assert _adjust("a.tex", text) == _USUAL


@pytest.mark.parametrize("caption", ["Raw results on UMLS*", "Raw results* on UMLS.", "Raw results on UMLS (MRR)*."])
def test_a_mark_in_a_caption_may_refer_to_a_footnote(caption: str) -> None:
    text = _LATEX.replace(r"Results on UMLS. Models with $\dagger$ are evaluated on the validation set.", caption)
    both = ["0.5 test both raw", "0.6 test both raw"]
    assert _adjust("a.tex", text.replace(r"B$^\dagger$", "B*")) == both


@pytest.mark.parametrize("sentence", ["Results with * are raw.", "The validation set is marked by *.", "* means raw."])
def test_sentences_that_say_what_a_mark_means(sentence: str) -> None:
    text = _LATEX.replace(r"Models with $\dagger$ are evaluated on the validation set.", sentence)
    assert _adjust("a.tex", text.replace(r"B$^\dagger$", "B*")) == _USUAL


def test_other_footnotes_change_nothing() -> None:
    both = [*_USUAL, "0.6 test both standard"]
    for note in ("† from the original paper", "† on the test set", "† ours", "‡ raw setting", ""):
        assert _adjust("a.md", f"# R\n\n{_TABLE}\n{note}\n") == both, note


def test_a_note_with_a_mark_that_nothing_has_is_of_the_whole_table() -> None:
    plain = _TABLE.replace("†", "")
    said = _adjust("a.md", f"# R\n\n{plain}\n\\* All results are on the validation set.\n")
    assert said == ["0.5 valid both standard", "0.6 valid both standard"]


@pytest.mark.parametrize(
    ("text", "marks"),
    [
        ("0.338", ""), ("0.338†", "†"), ("0.338^{a,b}", "a b"), ("†0.338", "†"), ("TransE*", "*"), ("A*Net", ""),
        ("RotatE[^3]", "3"), ("0.338 ‡ §", "‡ §"), ("0.338¹", "1"), ("$10^{3}$", ""), ("ComplEx∗", "*"), ("", ""),
    ],
)  # fmt: skip
def test_marks_at_the_ends_of_cells(text: str, marks: str) -> None:
    assert find_marks(text, text) == set(marks.split())


@pytest.mark.parametrize(
    ("marked", "below"),
    [
        (r"B\\footnotemark[1]", r"\\footnotetext[1]{Raw setting.}"),
        (r"B\\footnotemark", r"\\footnotetext{On the validation set.}"),
        (r"B\\footnote{On the \\emph{validation} set.}", ""),
        (r"B\\footnote{Raw}", ""),
    ],
)
def test_footnotes_of_latex(marked: str, below: str) -> None:
    plain = _LATEX.replace(r" Models with $\dagger$ are evaluated on the validation set.", "")
    text = plain.replace(r"B$^\dagger$", marked.replace("\\\\", "\\")) + below.replace("\\\\", "\\") + "\n"
    assert _adjust("a.tex", text) == _USUAL
    other = text.replace("Raw setting.", "Our run.").replace("On the validation", "On the test")
    other = other.replace(r"\emph{validation}", r"\emph{test}").replace("{Raw}", "{Rerun}")
    assert _adjust("a.tex", other) == [*_USUAL, "0.6 test both standard"]


def test_a_footnote_of_a_caption_is_of_the_whole_table() -> None:
    plain = _LATEX.replace(
        r" Models with $\dagger$ are evaluated on the validation set.", r"\footnote{In the raw setting.}"
    )
    assert _adjust("a.tex", plain) == ["0.5 test both raw", "0.6 test both raw"]
    assert _adjust("a.tex", plain.replace("In the raw setting.", "A part of CoDEx.")) == [
        *_USUAL, "0.6 test both standard",
    ]  # fmt: skip
