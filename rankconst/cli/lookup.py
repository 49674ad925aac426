"""Find a dataset in the tables, and say what to do about one that is not there."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rankconst.errors import UnknownNameError
from rankconst.tables.tables import load

if TYPE_CHECKING:
    from rankconst.tables.tables import Tables


def resolve_dataset(tables: Tables, name: str, place: str | None) -> str:
    """Return the key of a dataset of the tables.

    Parameters
    ----------
    tables
        The open tables.
    name
        What the user wrote.
    place
        What the user named with ``--tables``; None for the carried tables.

    Raises
    ------
    UnknownNameError
        If it is not in them. A benchmark that could be built is told from a name nobody knows: without that, the
        nearest name would be suggested for a dataset that merely has no constants yet.
    """
    try:
        return tables.resolve_dataset(name)
    except UnknownNameError as error:
        from rankconst.catalogue.benchmarks import find_benchmark

        try:
            source = find_benchmark(name)
        except UnknownNameError:
            own = " For tables of your own add --tables DIR." if place is None else ""
            raise UnknownNameError(f"{error}{own}") from None
    missing = f"the tables ({tables.version}) hold no {source.title} ({source.key})."
    if source.same_graph_as:
        raise UnknownNameError(f"{missing} Use {source.same_graph_as}, of which it is another copy.")
    if source.not_offered:
        raise UnknownNameError(f"{missing} It is not offered: {source.not_offered}")
    if place is not None and source.key in load().datasets:
        raise UnknownNameError(f"{missing} The tables that came with rankconst do: leave out --tables.")
    # Only a folder can be added to; for a zip file or a download, tables of one's own are built beside it.
    folder = place if place is not None and Path(place).is_dir() else None
    out = "" if folder is None else f" --out {folder}"
    raise UnknownNameError(
        f"{missing} Run: rankconst build --dataset {source.key}{out}; then add --tables {folder or 'rankconst-tables'}."
    )
