"""A dataset as integer triples per split, and what there is to say of it before anything is counted."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pyarrow as pa

from rankconst.catalogue.protocols import SPLITS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from rankconst_builder.triples import Labels

    Codes = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Triples:
    """Triples as integer codes, one entry a row of the file. Arrays of shape (n,), int64."""

    head: Codes
    relation: Codes
    tail: Codes

    def __len__(self) -> int:
        return int(self.head.size)

    def select(self, rows: NDArray[np.int64] | NDArray[np.bool_] | slice) -> Triples:
        """Return the rows of an index, a mask or a slice."""
        return Triples(self.head[rows], self.relation[rows], self.tail[rows])


@dataclass(frozen=True)
class Graph:
    """A dataset, coded: entities are 0 .. num_entities - 1, relations likewise."""

    splits: Mapping[str, Triples]  # ``train``, ``valid`` and ``test``, each the rows of its file in their order
    num_entities: int  # distinct labels over all splits
    num_relations: int
    # Inductive datasets only: codes of the relations that occur in the graph that models are trained on. PyKEEN
    # numbers relations there, so they count as seen when its train is the inference graph.
    trained_relations: Codes = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    # The labels by code, as bytes; None for a graph that was not read from files.
    entity_labels: pa.BinaryArray | None = None
    relation_labels: pa.BinaryArray | None = None
    # To which entities and relations an evaluation is restricted, masks over the
    # codes; None for no restriction.
    allowed_entities: NDArray[np.bool_] | None = None
    allowed_relations: NDArray[np.bool_] | None = None

    @cached_property
    def relation_names(self) -> tuple[str, ...]:
        """The relations by code, as text; bytes that are no UTF-8 are written as escapes."""
        if self.relation_labels is None:
            return tuple(map(str, range(self.num_relations)))
        labels = cast("list[bytes]", self.relation_labels.to_pylist())
        return tuple(label.decode(errors="backslashreplace") for label in labels)

    @cached_property
    def distinct(self) -> dict[str, Triples]:
        """The triples of each split, without repetitions."""
        return {name: triples.select(self.first_occurrences(triples)) for name, triples in self.splits.items()}

    @cached_property
    def seen_entities(self) -> NDArray[np.bool_]:
        """Which entities occur in train. Shape (num_entities,)."""
        train = self.splits["train"]
        seen = np.zeros(self.num_entities, dtype=np.bool_)
        seen[train.head] = True
        seen[train.tail] = True
        return seen

    @cached_property
    def seen_relations(self) -> NDArray[np.bool_]:
        """Which relations occur in train, or in the graph that models are trained on. Shape (num_relations,)."""
        seen = np.zeros(self.num_relations, dtype=np.bool_)
        seen[self.splits["train"].relation] = True
        seen[self.trained_relations] = True
        return seen

    def is_seen(self, triples: Triples) -> NDArray[np.bool_]:
        """Tell which triples have nothing unseen in train. Shape (n,)."""
        entities, relations = self.seen_entities, self.seen_relations
        return entities[triples.head] & relations[triples.relation] & entities[triples.tail]

    def is_allowed(self, triples: Triples) -> NDArray[np.bool_]:
        """Tell which triples an evaluation is not restricted from. Shape (n,)."""
        allowed = np.ones(len(triples), dtype=np.bool_)
        if self.allowed_entities is not None:
            allowed &= self.allowed_entities[triples.head] & self.allowed_entities[triples.tail]
        if self.allowed_relations is not None:
            allowed &= self.allowed_relations[triples.relation]
        return allowed

    def first_occurrences(self, triples: Triples) -> NDArray[np.bool_]:
        """Tell which rows do not repeat an earlier one. Shape (n,)."""
        order = np.lexsort((triples.tail, triples.relation, triples.head))
        ordered = triples.select(order)
        new = np.ones(len(triples), dtype=np.bool_)
        new[1:] = (
            (ordered.head[1:] != ordered.head[:-1])
            | (ordered.relation[1:] != ordered.relation[:-1])
            | (ordered.tail[1:] != ordered.tail[:-1])
        )
        first = np.zeros(len(triples), dtype=np.bool_)
        # lexsort is stable, so the first of equal rows is the earliest.
        first[order[new]] = True
        return first


def encode_labels(files: Mapping[str, Labels], trained: Labels | None = None) -> Graph:
    """Code the labels of a dataset's splits as integers."""
    entities, entity_labels = _encode([column for labels in files.values() for column in (labels.head, labels.tail)])
    context = [] if trained is None else [trained.relation]
    relations, relation_labels = _encode([labels.relation for labels in files.values()] + context)
    num_relations = 1 + max(int(codes.max()) for codes in relations[: len(files)])
    # Codes follow first appearance, so those that only the context has come last.
    known = [codes[codes < num_relations] for codes in relations[len(files) :]]
    none = np.zeros(0, dtype=np.int64)
    splits = dict.fromkeys(SPLITS, Triples(none, none, none))
    for place, name in enumerate(files):
        splits[name] = Triples(entities[2 * place], relations[place], entities[2 * place + 1])
    none_known = known[0] if known else none
    return Graph(
        splits, len(entity_labels), num_relations, none_known, entity_labels, relation_labels.slice(0, num_relations)
    )


def _encode(columns: Iterable[pa.ChunkedArray[Any]]) -> tuple[list[Codes], pa.BinaryArray]:
    """Give columns of dictionary-encoded bytes one common dictionary; return their codes, and it."""
    columns = list(columns)
    chunks = [chunk for column in columns for chunk in column.chunks]
    unified = cast("list[pa.DictionaryArray[Any, Any]]", pa.chunked_array(chunks).unify_dictionaries().chunks)
    codes = np.concatenate([np.from_dlpack(chunk.indices) for chunk in unified]).astype(np.int64)
    ends = np.cumsum([len(column) for column in columns])
    return np.split(codes, ends[:-1]), cast("pa.BinaryArray", unified[0].dictionary)


@dataclass(frozen=True, slots=True)
class Statistics:
    """What the reader found in a dataset; mappings go from split to number."""

    # Distinct labels over all splits, and in train.
    entities: int
    entities_train: int
    relations: int
    relations_train: int
    rows: Mapping[str, int]  # lines of each file, and how many of them are no repetition
    distinct: Mapping[str, int]
    # (split, other split) to the number of distinct triples that are in both.
    overlaps: Mapping[tuple[str, str], int]
    seen: Mapping[str, int]  # rows with nothing unseen in train; the same without repetitions
    seen_distinct: Mapping[str, int]
    self_loops_train: int  # distinct triples of train whose head is their tail

    def duplicates(self, split: str) -> int:
        """Return how many rows of a split repeat an earlier one."""
        return self.rows[split] - self.distinct[split]


def describe_graph(graph: Graph) -> Statistics:
    """Count rows, labels, duplicates, overlaps and unseen entities of a dataset."""
    distinct, train = graph.distinct, graph.distinct["train"]
    names = list(graph.splits)
    return Statistics(
        entities=graph.num_entities,
        entities_train=int(graph.seen_entities.sum()),
        relations=graph.num_relations,
        relations_train=int(np.unique(train.relation).size),
        rows={name: len(triples) for name, triples in graph.splits.items()},
        distinct={name: len(distinct[name]) for name in names},
        overlaps={
            (later, earlier): _count_common(graph, distinct[later], distinct[earlier])
            for place, later in enumerate(names)
            for earlier in names[:place]
        },
        seen={name: int(graph.is_seen(triples).sum()) for name, triples in graph.splits.items()},
        seen_distinct={name: int(graph.is_seen(triples).sum()) for name, triples in distinct.items()},
        self_loops_train=int((train.head == train.tail).sum()),
    )


def _count_common(graph: Graph, *parts: Triples) -> int:
    """Count the triples that two sets of distinct ones share."""
    both = Triples(
        *(np.concatenate([getattr(part, field) for part in parts]) for field in ("head", "relation", "tail"))
    )
    return len(both) - int(graph.first_occurrences(both).sum())
