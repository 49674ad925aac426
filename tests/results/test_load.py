"""Files that would cost more to read than in proportion to their length: read quickly, or refused."""

from __future__ import annotations

import contextlib
from functools import partial
from typing import TYPE_CHECKING

import pytest

from growth import grows_in_proportion
from rankconst.errors import DataError
from rankconst.results.document import Document
from rankconst.results.formats import FORMATS, read_document, read_opened
from rankconst.results.reading import LONGEST_TEXT

if TYPE_CHECKING:
    from collections.abc import Callable

WIDE = 30_000
ROW = "\\multicolumn{999}{c}{A} & 0.3 \\\\\n"
HTML = "<table><tr><th>Model</th><th>MRR</th></tr>"


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.csv", f"model,MRR\n{'0.3,' * WIDE}\n", "a.csv, line 2: a row with more than 20,000 cells"),
        ("a.csv", f"model,MRR{',x' * WIDE}\nA,0.3\n", "a.csv, line 1: a row with more than 20,000 cells"),
        ("a.md", f"| model | MRR |\n|---|---|\n{'| a ' * WIDE}\n", "a.md, line 3: a row with more than 20,000 cells"),
        (
            "a.tex",
            f"\\begin{{tabular}}{{ll}}\nModel & MRR \\\\\nA {'& .3' * WIDE}\\end{{tabular}}",
            "a.tex, line 2: a row with",
        ),
        (
            "a.tex",
            f"\\begin{{tabular}}{{ll}}\nModel & MRR \\\\\n{ROW * 500}\\end{{tabular}}",
            "a.tex, line 503: up to here",
        ),
        ("a.md", f"{HTML}{'<tr><td colspan=999>A</td></tr>' * 99}</table>", "a.md, line 1: up to here"),
        (
            "a.md",
            f"{HTML}<tr><td colspan=99 rowspan=999>A</td></tr>{'<tr><td>B' * 500}</table>",
            "a.md, line 1: up to here",
        ),
    ],
)
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
)
def test_numbers_of_thousands_of_digits_are_no_crash(name: str, text: str) -> None:
    with contextlib.suppress(DataError):
        read_document(name, text)


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("a.csv", lambda n: f"model,dataset,Hits{' ' * n}10\nA,nations,0.5\n"),
        ("a.csv", lambda n: f"model,dataset,Hits{' _' * n}10\nA,nations,0.5\n"),
        ("a.json", lambda n: "{'a': \"" + '\\"' * n),
        ("a.md", lambda n: f"{'<table' + chr(10)}" * n + "MRR 0.3"),
        ("a.md", lambda n: "| model | MRR |\n|---|---|\n| A | 0.3 " + "|" * min(n, 20_000) + "\n"),
    ],
)
def test_time_is_in_proportion(name: str, write: Callable[[int], str]) -> None:
    def read(text: str) -> None:
        with contextlib.suppress(DataError):
            read_document(name, text)

    assert grows_in_proportion(lambda n: partial(read, write(n)), 1_000)


@pytest.mark.parametrize("form", [key for key, row in FORMATS.items() if row.load().most is not None])
def test_documents_have_a_limit(form: str) -> None:
    start = "| model | MRR |\n|---|---|\n| A | 0.5 |\n"
    text = start + " " * (LONGEST_TEXT + 1 - len(start))
    with pytest.raises(DataError, match=rf"^a.txt has 16,777,217 characters; as {form} at most 16,777,216 are read"):
        read_opened(Document("a.txt", text), form)


@pytest.mark.parametrize("line", ["MRR: 0.5\n", "2020-01-01 00:00:00,000 INFO     Test MRR at step 9: 0.5\n"])
def test_logs_have_a_limit(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rankconst.results.logs.lines.MOST_NUMBERS", 10)
    assert len(read_document("a.log", line * 10).entries) == 10
    with pytest.raises(DataError, match=r"^a.log, line 11: more than 10 numbers up to here"):
        read_document("a.log", line * 1000)
