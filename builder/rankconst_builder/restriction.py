"""Restrict an evaluation to relations or entities, or let its filter know further triples.

Relations restrict which triples are ranked: those of other relations are left out, and nothing else
changes. Entities restrict what is ranked: only they are candidates, and triples with another head
or tail are left out. Known answers are removed as usual, as far as they are candidates. (PyKEEN's
``evaluation_relation_whitelist``, ``restrict_entities_to`` and ``additional_filter_triples``.)

Further known triples are removed by every protocol that filters. Those of an entity or a relation
that the graph does not have change nothing.
"""

from __future__ import annotations

import difflib
import hashlib
import os.path
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from rankconst.arrow import fill_nulls
from rankconst.errors import DataError, UnknownNameError, UsageError
from rankconst.names import shorten
from rankconst_builder.words import Triples

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from rankconst_builder.fetch import Content
    from rankconst_builder.graph import Graph
    from rankconst_builder.triples import Labels
    from rankconst_builder.words import Mask


_SHOWN = 3  # unknown names in a message


@dataclass(frozen=True, slots=True)
class Restriction:
    """What an evaluation is restricted to; None for no restriction."""

    relations: tuple[str, ...] | None = None  # labels, as the files write them
    entities: tuple[str, ...] | None = None
    known: Content | None = None  # a file of further known triples
    known_name: str = ""  # its name, which tells what separates its columns

    def describe(self) -> dict[str, Any]:
        """Return an identifier of the restriction, for the record of where rows come from."""
        described: dict[str, Any] = {}
        if self.relations is not None:
            described["relations"] = sorted(self.relations)
        if self.entities is not None:
            digest = hashlib.sha256("\n".join(sorted(self.entities)).encode()).hexdigest()
            described["entities"] = {"count": len(self.entities), "sha256": digest}
        if self.known is not None:
            described["known"] = {"sha256": self.known.sha256}
        return described

    def apply(self, graph: Graph) -> Graph:
        """Return the graph with the restriction's masks."""
        if self.relations is not None:
            mask = _find("relation", self.relations, graph.relation_labels, graph.num_relations)
            graph = replace(graph, allowed_relations=mask)
        if self.entities is not None:
            mask = _find("entity", self.entities, graph.entity_labels, graph.num_entities)
            graph = replace(graph, allowed_entities=mask)
        return graph


def add_known(graph: Graph, known: Labels) -> Graph:
    """Add known triples to a graph's filters, as far as it has their entities and relation."""
    if graph.temporal or known.time:
        raise UsageError(
            "--known is for graphs of triples; the facts of this one have a time or qualifiers."
        )
    entities, relations = graph.entity_labels, graph.relation_labels
    head, tail = _find_codes(known.head, entities), _find_codes(known.tail, entities)
    relation = _find_codes(known.relation, relations)
    inside = (head >= 0) & (relation >= 0) & (tail >= 0)
    if not inside.any():
        raise DataError(
            f"--known: none of the {len(known):,} triples has entities "
            "and a relation of the graph. Are its columns in another order, or its labels others?"
        )
    return replace(graph, known=Triples(head[inside], relation[inside], tail[inside]))


def _find_codes(column: Any, labels: pa.BinaryArray | None) -> NDArray[np.int64]:
    """Return the code of each label of a column; -1 for labels that the graph does not have."""
    values = cast("pa.BinaryArray", labels)
    places = pc.index_in(column.cast(pa.binary()), value_set=values)
    return np.array(fill_nulls(places, -1), np.int64)


def read_names(option: str, value: str) -> tuple[str, ...]:
    """Return the labels that the value of an option names, each once and in its order.

    It is the path of a UTF-8 file with a label on each line, or else a list with commas. Blank ones
    are skipped. Raises UsageError if none is left or one is not UTF-8, DataError for an unreadable
    file.
    """
    path = Path(value)
    # That of pathlib fails on a list that is too long for a name.
    if os.path.isfile(value):  # noqa: PTH113
        try:
            names = path.read_text(encoding="utf-8-sig").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            raise DataError(
                f"{option}: cannot read {path}: {reason}. Expected UTF-8 with a label on each line."
            ) from error
    else:
        names = value.split(",")
    labels = tuple(dict.fromkeys(name for name in names if name.strip()))
    if not labels:
        raise UsageError(
            f"{option} {value!r} names nothing. Give labels with commas between them, or a file."
        )
    strange = [name for name in labels if name != name.encode(errors="replace").decode()]
    if strange:
        raise UsageError(
            f"{option}: {shorten(strange[0])!r} is not UTF-8 text, as labels have to be."
        )
    return labels


def _find(kind: str, names: Sequence[str], labels: pa.BinaryArray | None, size: int) -> Mask:
    """Mark the codes of the named labels; UnknownNameError if the dataset lacks one of them."""
    if labels is None:  # ids
        labels = pa.array([str(code).encode() for code in range(size)], pa.binary())
    texts = pa.array([name.encode() for name in names], labels.type)
    places = pc.index_in(texts, value_set=labels).to_pylist()
    unknown = [name for name, place in zip(names, places, strict=True) if place is None]
    if unknown:
        spellings = [bytes(label or b"").decode(errors="replace") for label in labels.to_pylist()]
        near = difflib.get_close_matches(unknown[0], spellings)
        hint = f" Did you mean {', '.join(near)}?" if near else ""
        listed = ", ".join(repr(name) for name in unknown[:_SHOWN])
        if len(unknown) > _SHOWN:
            listed += f" and {len(unknown) - _SHOWN} more"
        raise UnknownNameError(
            f"the dataset has no {kind} {listed} ({len(unknown)} of {len(names)} named).{hint}"
        )
    mask = np.zeros(size, dtype=np.bool_)
    mask[np.array(places, np.int64)] = True
    return mask
