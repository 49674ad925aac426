"""Read the CSV file of ULTRA's run_many.py, with a row for each run on a dataset.

Datasets have names such as ``FB15k237Inductive:v1``.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from rankconst.results.labels import Label, read_label
from rankconst.results.reading import Reader, Reading
from rankconst.results.tables.delimited import read_delimited
from rankconst.results.tables.grid import Dialect

if TYPE_CHECKING:
    from rankconst.results.document import Document

_HEADING = re.compile(r"dataset(?:,(?:mr|mrr|hits@\d+(?:_\d+)?)(?:-tail)?)+")
# Datasets as only ULTRA and its kin name them, and the file's name as they choose it.
_DATASET = re.compile(
    r"^(?:\w+Inductive:v\d|\w+Ingram:\d+|WikiTopicsMT\d:\w+|HM:\w+|ILPC2022:\w+),", re.MULTILINE
)
_FILE = re.compile(r"\w+_results_\d{4}(?:-\d\d){5}\.csv")  # as ULTRA names it


def _parse_name(name: str, k: int | None) -> Label:
    """Read a heading; a metric is of both sides unless its name ends in -tail."""
    label = read_label(name.removesuffix("-tail"), k)
    if label.role != "measured":
        return label
    side = "tail" if name.endswith("-tail") else "both"
    return replace(label, text=name, values={"side": (side,)}, is_vocabulary=True)


def _recognise(document: Document) -> bool:
    """Tell whether a CSV file has the headings of ULTRA, and its name or one of its datasets."""
    if not _HEADING.fullmatch(document.first_line.rstrip()):
        return False
    named = _FILE.fullmatch(Path(document.name).name) is not None
    return named or _DATASET.search(document.text[:100_000]) is not None


def _read(document: Document) -> Reading:
    """Read the CSV file of ULTRA."""
    dialect = Dialect(_parse_name, exact=True, even=True)
    return read_delimited(document, READER.key, dialect, "ultra")


READER = Reader("ultra", _recognise, _read, "ultra")
