"""Find a dataset in the tables, and say what to do about one that is not there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankconst.cli.extras import has_builder
from rankconst.errors import UnknownNameError

if TYPE_CHECKING:
    from rankconst.tables import Tables

__all__ = ["resolve_dataset"]


def resolve_dataset(tables: Tables, name: str) -> str:
    """Return the key of a dataset of the tables.

    Raises
    ------
    UnknownNameError
        If it is not in them. A benchmark that could be built is told from a name nobody knows: without that, the
        nearest name would be suggested for a dataset that merely has no constants yet.
    """
    try:
        return tables.resolve_dataset(name)
    except UnknownNameError:
        if not has_builder():
            raise
        from rankconst_builder.sources import find_source

        try:
            source = find_source(name)
        except UnknownNameError:
            source = None
        if source is None:
            raise
        remedy = (
            f"It is not offered: {source.not_offered}"
            if source.not_offered
            else f"Run: rankconst build --dataset {source.key}; then add --tables rankconst-tables here."
        )
        raise UnknownNameError(
            f"the tables ({tables.version}) hold no {source.title} ({source.key}). {remedy}"
        ) from None
