"""Jupyter notebooks: what their cells printed, each line where it is in the file as Jupyter lays it out."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

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


# Other programs write a text as one string, a list in one line, or everything in one line.
_TOGETHER = re.compile(r'"(?:cells|outputs|text|text/plain|source)"\s*:\s*(?:"|\[[ \t]*["{])')
_WRITTEN_KEYS = {"text", "text/plain", "source"}


def is_notebook(document: Document) -> bool:
    """Tell whether a document is a notebook."""
    return document.suffix == ".ipynb" and _BEGINNING.match(document.text) is not None


def take_outputs(document: Document) -> Document:
    """Return what the cells of a notebook printed, and the headings between them, with empty lines for all others."""
    if any(map(_TOGETHER.search, document.lines)):
        document = _lay_out(document)
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


def _lay_out(document: Document) -> Document:
    """Return a notebook as Jupyter writes it: each line of a text on a line of its own."""
    try:
        written = json.dumps(_split_texts(json.loads(document.text)), indent=1, sort_keys=True, ensure_ascii=False)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{document.name}: expected a notebook in JSON, as Jupyter writes it; {error}.") from None
    return replace(document, text=written)


def _split_texts(part: Any, key: str = "") -> Any:
    """Return a part of a notebook with its texts as lists of lines."""
    if isinstance(part, dict):
        return {name: _split_texts(each, name) for name, each in part.items()}
    if key in _WRITTEN_KEYS and isinstance(part, (str, list)):
        return [f"{line}\n" for line in "".join(map(str, part) if isinstance(part, list) else part).split("\n")]
    return [_split_texts(each) for each in part] if isinstance(part, list) else part


def _decode(line: str, document: Document, place: int) -> str:
    """Return a line of a text without its quotes."""
    try:
        text = str(json.loads(line.strip().removesuffix(","))).rstrip("\n")
    except ValueError:
        text = "\n"
    if "\n" in text:
        raise DataError(f"{document.at(place)}: expected one line of text in quotes, as Jupyter writes it.")
    return text
