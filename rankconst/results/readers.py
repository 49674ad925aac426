"""The registry of formats, and how a file's format is recognised."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankconst.errors import DataError, resolve_name
from rankconst.results import (
    ampligraph,
    conve,
    delimited,
    dglke,
    latex,
    libkge,
    libkge_csv,
    markdown,
    nbfnet,
    ogb,
    openke,
    paperswithcode,
    pykeen,
    pykeen_csv,
    rotate,
    torchkge,
)
from rankconst.results.document import Document, open_document
from rankconst.results.structured import looks_structured

if TYPE_CHECKING:
    from pathlib import Path

    from rankconst.results.reading import Reader, Reading

__all__ = ["READERS", "read_results"]


READERS: dict[str, Reader] = {
    module.READER.key: module.READER
    for module in (
        pykeen,
        paperswithcode,
        libkge,
        ogb,
        ampligraph,
        pykeen_csv,
        libkge_csv,
        rotate,
        openke,
        dglke,
        torchkge,
        nbfnet,
        conve,
        markdown,
        latex,
        delimited,
    )
}
"""Format key to its reader, in the order in which they are tried."""

_BY_SUFFIX = {".csv": "csv", ".tsv": "csv", ".md": "markdown", ".tex": "latex", ".yaml": "pykeen", ".yml": "pykeen"}


def read_results(path: str | Path, form: str | None = None) -> Reading:
    """Read a results file of any known format.

    Parameters
    ----------
    path
        A file, or ``-`` for standard input.
    form
        The key of its format; if None, it is recognised by the content.

    Raises
    ------
    DataError
        If the file cannot be read, no format fits, or nothing in it is a metric's value.
    UnknownNameError
        If there is no such format.
    """
    document = open_document(path)
    if form is not None:
        reader = READERS[
            resolve_name("format", form, dict.fromkeys(READERS, ()), f"Known formats: {', '.join(READERS)}.")
        ]
    else:
        reader = _recognise(document)
    reading = reader.read(document)
    if not reading.entries:
        reasons = "".join(f" {_place(skip.line)}{skip.what}: {skip.why}." for skip in reading.skipped[:3])
        raise DataError(f"{document.name} (read as {reader.key}) holds no value of a metric.{reasons}")
    return reading


def _recognise(document: Document) -> Reader:
    found = next((reader for reader in READERS.values() if reader.recognise(document)), None)
    if found is not None:
        return found
    if document.suffix in _BY_SUFFIX:
        # Its reader can say best what is wrong with it.
        return READERS[_BY_SUFFIX[document.suffix]]
    looks = "JSON without a key that is a metric; " if looks_structured(document) else ""
    raise DataError(
        f"the format of {document.name} is not recognised: {looks}expected a table, a log or a results file. "
        f"Known formats: {', '.join(READERS)}; name one with --input-format."
    )


def _place(line: int | None) -> str:
    return "" if line is None else f"Line {line:,}: "
