"""Jupyter notebooks: what their cells printed, each line where it is in the file."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from rankconst.errors import DataError

if TYPE_CHECKING:
    from rankconst.results.document import Document

_BEGINNING = re.compile(r'\s*\{\s*"(?:cells|metadata|nbformat)"')
# Jupyter writes each line of a text on a line of its own, in a list.
_OUTPUTS = re.compile(r'\s*"outputs":\s*\[')
_SOURCE = re.compile(r'\s*"(?:source|metadata|cell_type)":')
_TEXT = re.compile(r'\s*"(?:text|text/plain)":\s*\[\s*$')
_END = re.compile(r"\s*\],?\s*$")
# Headings of text between cells say what those below print.
_CELL = re.compile(r'\s*"cell_type":\s*"(\w+)"')
_WRITTEN = re.compile(r'\s*"source":\s*\[\s*$')
_HEADING = re.compile(r'\s*"#{1,6}[ \t]')


def is_notebook(document: Document) -> bool:
    """Tell whether a document is a notebook."""
    return document.suffix == ".ipynb" and _BEGINNING.match(document.text) is not None


def take_outputs(document: Document) -> Document:
    """Return what the cells of a notebook printed, and the headings between them, with empty lines for all others."""
    taken: list[str] = []
    outputs = text = written = printed = False
    kind = ""
    for line in document.lines:
        cell = _CELL.match(line)
        kind = cell[1] if cell is not None else kind
        outputs = bool(_OUTPUTS.match(line)) or (outputs and _SOURCE.match(line) is None)
        text, written = (each and _END.match(line) is None for each in (text, written))
        wanted = text or (written and _HEADING.match(line) is not None)
        taken.append(_decode(line, document, len(taken) + 1) if wanted else "")
        printed = printed or (text and bool(taken[-1]))
        text = text or (outputs and _TEXT.match(line) is not None)
        written = written or (kind == "markdown" and _WRITTEN.match(line) is not None)
    if not printed:
        raise DataError(
            f"{document.name} holds no text that a cell printed, a line each. Run the notebook and save it in Jupyter."
        )
    return replace(document, text="\n".join(taken))


def _decode(line: str, document: Document, place: int) -> str:
    """Return a line of a text without its quotes."""
    try:
        text = str(json.loads(line.strip().removesuffix(","))).rstrip("\n")
    except ValueError:
        text = "\n"
    if "\n" in text:
        raise DataError(f"{document.at(place)}: expected one line of text in quotes, as Jupyter writes it.")
    return text
