"""Oracles of the builder's tests: the definitions of design.md in plain loops, sets and Counters.

Nothing here imports the code under test. Labels may be of any hashable type; a dataset is a mapping of split to the
rows of its file in their order. Of a protocol only the attributes that its class documents are read.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping, Sequence

    Row = tuple[Hashable, Hashable, Hashable]
    Rows = Sequence[Row]
    Dataset = Mapping[str, Rows]

__all__ = [
    "ORDER",
    "BruteCounts",
    "ProtocolRow",
    "count_brute_force",
    "describe_brute_force",
    "read_rows",
    "weigh_brute_force",
]

ORDER = ("train", "valid", "test")


class ProtocolRow(Protocol):
    """What the brute force reads of a protocol."""

    @property
    def candidates(self) -> str: ...
    @property
    def tasks(self) -> str: ...
    @property
    def distinct(self) -> bool: ...
    @property
    def known(self) -> str: ...
    @property
    def negatives(self) -> int | None: ...


@dataclass(frozen=True)
class BruteCounts:
    """Ranked rows, and the number of candidates of each on either side."""

    rows: list[int]
    head: list[int]
    tail: list[int]
    num_entities: int

    def histogram(self, side: str) -> dict[int, int]:
        return dict(sorted(Counter(self.head if side == "head" else self.tail).items()))


def entities_of(rows: Iterable[Row]) -> set[Hashable]:
    return {entity for h, _, t in rows for entity in (h, t)}


def relations_of(rows: Iterable[Row]) -> set[Hashable]:
    return {r for _, r, _ in rows}


def everything(dataset: Dataset) -> list[Row]:
    return [row for split in ORDER for row in dataset[split]]


def count_brute_force(dataset: Dataset, protocol: ProtocolRow, split: str) -> BruteCounts:
    """Count candidates one by one: an entity is a candidate if it is the true answer, or is no known answer."""
    seen_entities, seen_relations = entities_of(dataset["train"]), relations_of(dataset["train"])
    entities = {"all": entities_of(everything(dataset)), "seen": seen_entities}[protocol.candidates]
    rows: list[int] = []
    before: set[Row] = set()
    for place, (h, r, t) in enumerate(dataset[split]):
        repeated = (h, r, t) in before
        before.add((h, r, t))
        unseen = not (h in seen_entities and r in seen_relations and t in seen_entities)
        if (protocol.tasks == "seen" and unseen) or (protocol.distinct and repeated):
            continue
        rows.append(place)
    if protocol.negatives is not None:
        same = [protocol.negatives + 1] * len(rows)
        return BruteCounts(rows, same, same, protocol.negatives + 1)
    filters = {
        "none": (),
        "up_to": ORDER[: ORDER.index(split) + 1],
        "all": ORDER,
    }[protocol.known]
    known = {row for name in filters for row in dataset[name]}
    if filters:
        known |= set(dataset[split])
    heads, tails = [], []
    for place in rows:
        h, r, t = dataset[split][place]
        heads.append(sum(1 for other in entities if other == h or (other, r, t) not in known))
        tails.append(sum(1 for other in entities if other == t or (h, r, other) not in known))
    return BruteCounts(rows, heads, tails, len(entities))


def weigh_brute_force(rows: Rows, side: str, group: str) -> list[Fraction]:
    """Weigh ranked rows of one side: 1 / how many of them share the query, or the relation."""
    queries: list[Hashable] = [(r, t) if side == "head" else (h, r) for h, r, t in rows]
    groups = queries if group == "query" else [r for _, r, _ in rows]
    return [Fraction(1, groups.count(one)) for one in groups]


def describe_brute_force(dataset: Dataset) -> dict[str, Any]:
    """Count what :class:`rankconst_builder.graph.Statistics` holds, under the same names."""
    rows = everything(dataset)
    train = dataset["train"]
    seen_entities, seen_relations = entities_of(train), relations_of(train)
    seen = {
        split: [row for row in dataset[split] if {row[0], row[2]} <= seen_entities and row[1] in seen_relations]
        for split in ORDER
    }
    return {
        "entities": len(entities_of(rows)),
        "entities_train": len(seen_entities),
        "relations": len(relations_of(rows)),
        "relations_train": len(seen_relations),
        "rows": {split: len(dataset[split]) for split in ORDER},
        "distinct": {split: len(set(dataset[split])) for split in ORDER},
        "overlaps": {
            (later, earlier): len(set(dataset[later]) & set(dataset[earlier]))
            for later, earlier in (("valid", "train"), ("test", "train"), ("test", "valid"))
        },
        "seen": {split: len(seen[split]) for split in ORDER},
        "seen_distinct": {split: len(set(seen[split])) for split in ORDER},
        "self_loops_train": sum(1 for h, _, t in set(train) if h == t),  # distinct, as STATISTICS.csv has it
    }


def read_rows(content: bytes, columns: str = "hrt", delimiter: bytes = b"\t") -> list[tuple[bytes, bytes, bytes]]:
    """Read a well-formed file of triples, with no count line, one line after the other."""
    rows = []
    for line in content.removesuffix(b"\n").split(b"\n"):
        parts = dict(zip(columns, line.removesuffix(b"\r").split(delimiter), strict=True))
        rows.append((parts["h"], parts["r"], parts["t"]))
    return rows
