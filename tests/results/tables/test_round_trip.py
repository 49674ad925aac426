"""Random tables come back from every container of text, and each of their numbers is found at its place."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from cases import choose
from rankconst.results.document import Document
from rankconst.results.formats import FORMATS
from rankconst.results.rewrite import MARKUPS, locate
from rankconst.results.tables.csv import DELIMITERS
from rankconst.results.tables.tex import ENVIRONMENTS
from readings import Table, check_indices, summarise, tables
from results.containers import write_csv, write_latex, write_markdown

if TYPE_CHECKING:
    from collections.abc import Callable

_WRITERS: list[tuple[str, Callable[[list[tuple[str, ...]]], str]]] = [
    *(("csv", partial(write_csv, delimiter=delimiter)) for delimiter in DELIMITERS),
    *(("latex", partial(write_latex, environment=environment)) for environment in ENVIRONMENTS),
    *(("markdown", partial(write_markdown, prefix=prefix)) for prefix in ("", "> ", "   ")),
]
# What stands above the table.
_ABOVE = {"csv": "", "latex": "% \\\\ &\n", "markdown": "1. Results\n"}


@settings(max_examples=choose(60, 2_000))
@given(tables(), st.sampled_from(sorted(_ABOVE)), st.data())
def test_random_tables_come_back(table: Table, form: str, data: st.DataObject) -> None:
    write = data.draw(st.sampled_from([write for own, write in _WRITERS if own == form]))
    name = "results.md" if form == "markdown" else "results.txt"
    document, reader = Document(name, _ABOVE[form] + write(table.grid)), FORMATS[form].load()
    assert reader.recognise(document)
    reading = reader.read(document)
    assert summarise(reading) == table.entries
    check_indices(reading)
    if form not in MARKUPS:
        assert [tuple(row.values()) for row in reading.rows] == list(table.rows)
        return
    located = locate(document, reading)
    assert set(located) == set(range(len(reading.entries)))
    for place, spans in located.items():
        entry = reading.entries[place]
        assert re.findall(r"\d[\d.]*", entry.text.replace(",", "")) == [span.digits for span in spans]
        assert document.text.count("\n", 0, spans[0].start) + 1 == entry.line
