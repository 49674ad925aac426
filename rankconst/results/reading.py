"""What readers return: the original table, and every number that was found in it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from rankconst.settling import NOTHING, Context

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from rankconst.metrics import Metric
    from rankconst.results.document import Document

__all__ = ["Entry", "Reader", "Reading", "Skipped", "make_reading"]


@dataclass(frozen=True, slots=True)
class Entry:
    """One number of a results file.

    Attributes
    ----------
    metric
        The metric; its k set where it takes one.
    text
        The number as written, markup removed.
    row
        The index into :attr:`Reading.rows` of the row that it stands in.
    column
        The key of that row that it stands under.
    line
        The line of the file, counted from 1; None where there are no lines to speak of.
    context
        What the file says about it.
    adjustment
        None for the metric's own value; ``normalised``, ``index`` or ``z`` for one that was adjusted already.
    exact
        True if a program wrote every digit; False if the number was rounded for print.
    """

    metric: Metric
    text: str
    row: int
    column: str
    line: int | None
    context: Context = NOTHING
    adjustment: str | None = None
    exact: bool = False


@dataclass(frozen=True, slots=True)
class Skipped:
    """What a reader left out.

    Attributes
    ----------
    line
        Where, counted from 1; None for the file as a whole.
    what
        The cell, key or line, as written.
    why
        The reason, as half a sentence.
    """

    line: int | None
    what: str
    why: str


@dataclass(frozen=True, slots=True)
class Reading:
    """The content of a results file.

    Attributes
    ----------
    name
        The file's name, for messages.
    form
        The key of the format, in :data:`rankconst.results.readers.READERS`.
    layout
        ``wide``: a row holds several metrics, each under its own column; ``long``: a row holds one number.
    columns
        The original columns, in order.
    rows
        The original cells, a mapping from column to text for each row; of a file that is no table, one row is made
        for each number.
    entries
        Every number found, in the order of the file.
    skipped
        What was left out, and why.
    source
        The tool that writes such files, where the format is of one tool; see :mod:`rankconst.sources`.
    tolerant
        True for a collection by many hands: a number that cannot be is left out with its reason, and does not make the
        whole file doubtful.
    """

    name: str
    form: str
    layout: Literal["wide", "long"]
    columns: tuple[str, ...]
    rows: tuple[Mapping[str, str], ...]
    entries: tuple[Entry, ...]
    skipped: tuple[Skipped, ...] = field(default=())
    source: str | None = None
    tolerant: bool = False


def make_reading(
    document: Document,
    form: str,
    layout: Literal["wide", "long"],
    rows: Sequence[Mapping[str, str]],
    entries: Iterable[Entry],
    *,
    skipped: Iterable[Skipped] = (),
    source: str | None = None,
    tolerant: bool = False,
) -> Reading:
    """Put together what was found in a file that is no table.

    Parameters
    ----------
    document
        The file.
    form, layout, entries, skipped, source, tolerant
        As in :class:`Reading`.
    rows
        The cells of each row, whichever it has. The columns are those that any row fills, in the order in which rows
        name them first; each row of the reading has exactly these.
    """
    filled = {key for row in rows for key, cell in row.items() if cell}
    columns = tuple(key for key in dict.fromkeys(key for row in rows for key in row) if key in filled)
    aligned = tuple({key: row.get(key, "") for key in columns} for row in rows)
    return Reading(document.name, form, layout, columns, aligned, tuple(entries), tuple(skipped), source, tolerant)


@dataclass(frozen=True, slots=True)
class Reader:
    """A format of results files.

    Attributes
    ----------
    key
        What users type to force it.
    title
        What it is, in a few words.
    recognise
        Tells whether a document looks like it, without reading all of it.
    read
        Reads a document, or raises :class:`DataError` with the place and a remedy.
    """

    key: str
    title: str
    recognise: Callable[[Document], bool]
    read: Callable[[Document], Reading]
