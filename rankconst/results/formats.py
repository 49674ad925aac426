"""The registry of formats, and how the format of a file is recognised."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from rankconst.errors import DataError
from rankconst.names import resolve_name
from rankconst.results.document import Document, open_document
from rankconst.results.logs import (
    conve,
    dglke,
    generic,
    graph4kg,
    kbc,
    nbfnet,
    openke,
    openke_torch,
    pyg,
    rotate,
    torchkge,
)
from rankconst.results.reading import NoMetricError, name_reasons
from rankconst.results.structured import looks_structured
from rankconst.results.tables import csv, latex, markdown, text, xlsx
from rankconst.results.tools import ampligraph, libkge, model_card, ogb, pykeen

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from rankconst.results.reading import Reader, Reading


_READERS = (
    pykeen.READER,
    libkge.READER,
    ogb.READER,
    ampligraph.READER,
    pykeen.READER_CSV,
    pykeen.READER_TRACKER,
    pykeen.READER_TRIALS,
    pykeen.READER_RUNS,
    libkge.READER_CSV,
    libkge.READER_LOG,
    rotate.READER,
    openke.READER,
    openke_torch.READER,
    graph4kg.READER,
    dglke.READER,
    torchkge.READER,
    nbfnet.READER,
    pyg.READER,
    kbc.READER,
    conve.READER,
    model_card.READER,
    markdown.READER,
    latex.READER,
    csv.READER,
    xlsx.READER,
    generic.READER,
    text.READER,
)

READERS: dict[str, Reader] = {reader.key: reader for reader in _READERS}
"""Format key to its reader, in the order in which they are tried."""

_BY_SUFFIX = {
    ".csv": "csv",
    ".tsv": "csv",
    ".md": "markdown",
    ".rst": "text",
    ".tex": "latex",
    ".xlsx": "xlsx",
    ".yaml": "pykeen",
    ".yml": "pykeen",
}


_PANDOC = "Run: pandoc -f {} -t gfm"
# Markup with tables that no reader knows, what turns it into one that is read, and whether readers would misread it.
_OTHER_MARKUP = tuple(
    (re.compile(pattern, re.MULTILINE), name, remedy, misread)
    for pattern, name, remedy, misread in (
        (r"^[ \t]*+#?(?:figure|table)\($", "Typst", _PANDOC.format("typst"), False),
        (r"^[|!]={3,}+[ \t]*+$", "AsciiDoc", "Run asciidoctor, which writes HTML", False),
        (r"^\|\|[^|\n]++\|\|", "the markup of Jira or Confluence", _PANDOC.format("jira"), True),
        (r"^\{\|", "the markup of MediaWiki", _PANDOC.format("mediawiki"), True),
        (r"^[ \t]*+\|_[<>=]?\. ", "Textile", _PANDOC.format("textile"), True),
    )
)
# Readers of what has no marks of its own.
_LENIENT = (markdown.READER, generic.READER, text.READER)


def read_results(
    path: str | Path, form: str | None = None, *, decimal: str | None = None, percent: bool | None = None
) -> Reading:
    """Read a results file of any known format.

    Parameters
    ----------
    path
        A file, or ``-`` for standard input.
    form
        The key of its format; if None, it is recognised by the content.
    decimal
        ``"comma"`` or ``"point"``, what sets decimals apart in its tables; if None, its numbers tell.
    percent
        Whether shares that could be fractions or percentages are percentages; if None, they are left out.

    Returns
    -------
    Reading
        Its ``entries`` are the numbers; :func:`rankconst.adjust` and the others take it in place of the path.

    Raises
    ------
    DataError
        If the file cannot be read, no format fits, or nothing in it is a metric's value.
    UnknownNameError
        If there is no such format.
    UsageError
        If `decimal` is something else.
    MissingExtraError
        If the file is a workbook, and the extra ``rankconst[xlsx]`` is not installed.
    """
    return read_opened(open_document(path, decimal, percent), form)


def read_document(name: str, text: str) -> Reading:
    """Read text as the content of a results file; `name` is what messages call it."""
    return read_opened(Document(name, text))


def read_opened(document: Document, form: str | None = None) -> Reading:
    """Read a document as :func:`read_results` does."""
    if document.suffix == ".ipynb":
        raise DataError(
            f"{document.name} is a notebook, which is not read. Save its results from a cell, as with "
            "DataFrame.to_csv, or run: jupyter nbconvert --to markdown FILE"
        )
    if form is not None:
        reader = READERS[
            resolve_name("format", form, dict.fromkeys(READERS, ()), f"Known formats: {', '.join(READERS)}.")
        ]
    else:
        reader = _recognise(document)
    if document.workbook and reader is not xlsx.READER:
        raise DataError(f"{document.name} is an archive, as .xlsx workbooks are, not {form}. Leave --input-format out.")
    if reader.most is not None and len(document.text) > reader.most:
        raise DataError(
            f"{document.name} has {len(document.text):,} characters; as {reader.key} at most {reader.most:,} are read. "
            "Take out the tables, or save them as CSV."
        )
    try:
        reading = reader.read(document)
    except NoMetricError as error:
        if form is not None or (other := _read_lines(document, error)) is None:
            raise
        reader, reading = generic.READER, other
    if not reading.entries:
        reasons = f"; {name_reasons(reading.skipped)}" if reading.skipped else ""
        raise DataError(f"{document.name} (read as {reader.key}) contains no value of a metric{reasons}.")
    return reading if reading.tool or not reading.columns else replace(reading, tool=_find_writer(reading))


def _read_lines(document: Document, error: NoMetricError) -> Reading | None:
    """Return the numbers on the lines between tables without a metric; None if there are none."""
    lines = (line if i not in error.lines else "" for i, line in enumerate(document.lines, 1))
    rest = replace(document, text="\n".join(lines))
    if not generic.READER.recognise(rest):
        return None
    reading = generic.READER.read(rest)
    return replace(reading, skipped=(*error.skipped, *reading.skipped)) if reading.entries else None


def _find_writer(reading: Reading) -> str | None:
    """Return the tool that all columns of a table have their names from, as one made from its output."""
    measured = dict.fromkeys(head.column for head in reading.entries.heads) if reading.layout == "wide" else ()
    return find_tool(reading.columns) if all(find_tool(["", column]) for column in measured) else None


def find_tool(headings: Iterable[str]) -> str | None:
    """Return the tool that writes tables with such headings; None if it is not one tool's."""
    heading = Document("the DataFrame", ",".join(headings) + "\n")
    return next((reader.tool for reader in READERS.values() if reader.tool and reader.recognise(heading)), None)


def _recognise(document: Document) -> Reader:
    found = next((reader for reader in READERS.values() if reader.recognise(document)), None)
    markup = next(
        (
            (name, remedy)
            for pattern, name, remedy, misread in _OTHER_MARKUP
            if (found is None or (misread and found in _LENIENT)) and pattern.search(document.text)
        ),
        None,
    )
    if found is not None and (markup is None or (found is markdown.READER and document.suffix == ".md")):
        return found
    if found is None and document.suffix in _BY_SUFFIX:
        # Its own reader knows best what is wrong with it.
        return READERS[_BY_SUFFIX[document.suffix]]
    if markup is not None:
        raise DataError(
            f"{document.name} looks like {markup[0]}, whose tables are not read. {markup[1]}, and read what it writes."
        )
    looks = "JSON without a key that is a metric; " if looks_structured(document) else ""
    raise DataError(
        f"the format of {document.name} is not recognised: {looks}expected a table, a log or a results file. "
        f"Known formats: {', '.join(READERS)}; name one with --input-format."
    )
