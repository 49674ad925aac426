"""Represent a dataset as integer triples, and restrict its evaluation.

An evaluation can be restricted as in PyKEEN (``evaluation_relation_whitelist``,
``restrict_entities_to`` and ``additional_filter_triples``). If it is restricted to relations,
triples of other relations are not ranked. If it is restricted to entities, only these are
candidates, and triples with another head or tail are not ranked. Further known triples are removed
by every protocol that filters, as far as the graph has their entities and relations.
"""

from __future__ import annotations

import contextlib
import difflib
import functools
import hashlib
import itertools
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from rankconst.arrow import fill_nulls
from rankconst.catalogue.protocols import SPLITS, explain_unfit
from rankconst.errors import DataError, UnknownNameError, UsageError
from rankconst.names import shorten
from rankconst_builder.codes import NO_TRIPLES, Triples, is_new, mark, pack
from rankconst_builder.triples import Size

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from rankconst.catalogue.protocols import Protocol
    from rankconst_builder.codes import Codes, Mask, Words
    from rankconst_builder.fetch import Content
    from rankconst_builder.triples import Labels


class Marks(NamedTuple):
    """Masks over the codes of a graph."""

    entities: Mask
    relations: Mask


@dataclass(frozen=True)
class Graph:
    """A dataset with integer codes for its entities, relations and times."""

    splits: Mapping[str, Triples]  # train, valid and test, with the rows in the order of the file
    num_entities: int  # above all codes; a dataset may state more than occur
    num_relations: int
    num_times: int = 1  # distinct times of a temporal graph, or sets of qualifiers
    missing: frozenset[str] = frozenset()  # splits without a file
    forecasting: bool = False  # whether all times of a split are later than those before
    qualified: bool = False  # whether facts have qualifiers in place of a time
    # Inductive datasets only: the relations of the graph that models are trained on. PyKEEN takes
    # these for seen when its train is the inference graph.
    trained_relations: Codes = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    # The labels by code, as bytes; None for ids.
    entity_labels: pa.BinaryArray | None = None
    relation_labels: pa.BinaryArray | None = None
    # The entities and relations that an evaluation is restricted to, if it is.
    allowed_entities: Mask | None = None
    allowed_relations: Mask | None = None
    known: Triples = field(default_factory=lambda: NO_TRIPLES)  # known triples in no split
    gaps: bool = False  # whether codes are ids, so that some may be unused
    train_marks: Marks | None = None  # what occurs in train if its triples are elsewhere
    inductive: bool = False  # whether models are trained on another graph than train

    @property
    def temporal(self) -> bool:
        """Whether facts have a time."""
        return self.splits["train"].time is not None and not self.qualified

    @property
    def ranks_relations(self) -> bool:
        """Whether there are tasks (h, ?, t); not for inductive graphs."""
        return not (self.qualified or self.inductive)

    @cached_property
    def timeless(self) -> Graph:
        """The same facts without their times or qualifiers, as triples that may repeat."""
        if self.splits["train"].time is None:
            return self
        splits = {name: replace(triples, time=None) for name, triples in self.splits.items()}
        return replace(self, splits=splits, num_times=1)

    def explain_uncounted(self, protocol: Protocol, split: str) -> str:
        """Explain why a split cannot be counted under a protocol; empty if it can."""
        unfit = explain_unfit(protocol, self.temporal, self.qualified)
        if unfit:
            return unfit

        needed = {split, *protocol.known_splits(split)}
        if protocol.time == "same" and self.forecasting:
            needed = {split}  # no other split has facts of its times

        if "seen" in {protocol.candidates, protocol.tasks}:
            needed.add("train")

        lacking = [name for name in SPLITS if name in needed & self.missing]
        if not lacking:
            return ""
        return f"Protocol {protocol.key} needs {' and '.join(lacking)}, whose file is missing."

    def name_relation(self, code: int) -> str:
        """Return a relation as text, with escapes for bytes that are not UTF-8."""
        if self.relation_labels is None:
            return str(code)
        return bytes(self.relation_labels[code].as_py()).decode(errors="backslashreplace")

    @cached_property
    def entities(self) -> Mask:
        """Which codes are entities. Shape (num_entities,)."""
        return self.placed_entities if self.gaps else np.ones(self.num_entities, dtype=np.bool_)

    @cached_property
    def relations(self) -> Mask:
        """Which codes are relations. Shape (num_relations,)."""
        if not self.gaps:
            return np.ones(self.num_relations, dtype=np.bool_)
        marked = (mark(self.num_relations, triples, "relation") for triples in self._held_out)
        return functools.reduce(np.logical_or, marked, self.seen_relations)

    @cached_property
    def placed_entities(self) -> Mask:
        """The entities that are head or tail of a fact, not only in qualifiers."""
        marked = (mark(self.num_entities, triples, "head", "tail") for triples in self._held_out)
        return functools.reduce(np.logical_or, marked, self.seen_entities)

    @property
    def _held_out(self) -> list[Triples]:
        return [triples for split, triples in self.splits.items() if split != "train"]

    @cached_property
    def seen_entities(self) -> Mask:
        """The entities that occur in train. Shape (num_entities,)."""
        if self.train_marks is not None:
            return self.train_marks.entities
        return mark(self.num_entities, self.splits["train"], "head", "tail")

    @cached_property
    def train_relations(self) -> Mask:
        """The relations that occur in train. Shape (num_relations,)."""
        if self.train_marks is not None:
            return self.train_marks.relations
        return mark(self.num_relations, self.splits["train"], "relation")

    @cached_property
    def seen_relations(self) -> Mask:
        """The relations that occur in train, or in the graph that models are trained on."""
        relations = self.train_relations.copy()
        relations[self.trained_relations] = True
        return relations

    def is_seen(self, triples: Triples) -> Mask:
        """Mark the triples whose entities and relation all occur in train. Shape (n,)."""
        entities, relations = self.seen_entities, self.seen_relations
        return entities[triples.head] & relations[triples.relation] & entities[triples.tail]

    def is_allowed(self, triples: Triples) -> Mask:
        """Mark the triples that the evaluation is restricted to. Shape (n,)."""
        allowed = np.ones(len(triples), dtype=np.bool_)
        if self.allowed_entities is not None:
            allowed &= self.allowed_entities[triples.head] & self.allowed_entities[triples.tail]
        if self.allowed_relations is not None:
            allowed &= self.allowed_relations[triples.relation]
        return allowed

    def find_firsts(self, split: str) -> Mask:
        """Mark the rows of a split that do not repeat an earlier one."""
        words = self.pack_facts(self.splits[split])
        if is_new(np.sort(words)).all():
            # Nothing repeats. Sorting takes half the time of finding the order.
            return np.ones(words.size, dtype=np.bool_)

        order = np.argsort(words)
        starts = np.flatnonzero(is_new(words[order]))
        # The row of a fact with the smallest index is its first in the file.
        firsts = np.zeros(words.size, dtype=np.bool_)
        firsts[np.minimum.reduceat(order, starts)] = True
        return firsts

    def pack_facts(self, triples: Triples) -> Words:
        """Return facts as one number each, shape (n,). Equal facts have equal numbers.

        Only numbers of the same call can be compared.
        """
        sizes = (self.num_entities, self.num_relations, self.num_entities, self.num_times)
        words = triples.head.astype(np.uint64)
        bound = self.num_entities  # above every word
        # Facts without a time have no codes for the last size.
        for codes, size in zip(triples.codes[1:], sizes[1:], strict=False):
            if bound * size > 1 << 64:
                distinct, ranks = np.unique(words, return_inverse=True)
                words = ranks.astype(np.uint64)
                bound = distinct.size
            words = pack(words, codes, size)
            bound *= size

        return words


def _settle_size(size: Size, stated: Size | None, missing: Collection[str]) -> Size:
    """Return the size that the dataset states, or that of its files, and refuse a contradiction."""
    if stated is None:
        if missing:
            raise DataError(
                f"without {', '.join(missing)} the number of entities is not known; "
                "the dataset does not state it."
            )
        return size
    if size.entities > stated.entities or size.relations > stated.relations:
        raise DataError(
            f"the dataset states {stated.entities:,} entities and {stated.relations:,} relations; "
            f"its files have {size.entities:,} and {size.relations:,}."
        )
    return stated


def encode_labels(
    files: Mapping[str, Labels],
    trained: Labels | None = None,
    size: Size | None = None,
    *,
    missing: Collection[str] = (),
    forecasting: bool = False,
) -> Graph:
    """Encode the labels of a dataset's splits in the order of their first appearance.

    `missing` are the splits without a file. `trained` is the graph that models are trained on, if
    it is not train; `size` is what the dataset states. `forecasting` says that splits follow each
    other in time; otherwise their times decide.

    Raises DataError for files that contradict each other or what is stated.
    """
    entity_columns = []
    for labels in files.values():
        entity_columns += [labels.head, labels.tail]

    qualifier_values = [labels.values for labels in files.values() if labels.values is not None]
    entities = _encode(entity_columns + qualifier_values)

    relation_columns = [labels.relation for labels in files.values()]
    if trained is not None:
        relation_columns.append(trained.relation)

    relations = _encode(relation_columns)
    # Leave out the relations that only `trained` has, which have the largest codes.
    num_relations = 1 + max(int(codes.max()) for codes in relations.codes[: len(files)])
    trained_relations = NO_TRIPLES.relation
    if trained is not None:
        codes = relations.codes[-1]  # those of `trained`
        trained_relations = codes[codes < num_relations]

    times = _encode_times(files)
    empty = replace(NO_TRIPLES, time=NO_TRIPLES.head) if times else NO_TRIPLES
    splits = dict.fromkeys(SPLITS, empty)
    for index, name in enumerate(files):
        head = entities.codes[2 * index]
        tail = entities.codes[2 * index + 1]
        splits[name] = Triples(head, relations.codes[index], tail, times.get(name))

    if forecasting:
        _require_separate_times(splits)

    found_size = Size(len(entities.labels), num_relations)
    settled_size = _settle_size(found_size, size, missing)
    last_time = max((int(codes.max()) for codes in times.values()), default=0)
    is_qualified = bool(qualifier_values)
    return Graph(
        splits,
        settled_size.entities,
        settled_size.relations,
        last_time + 1,
        missing=frozenset(missing),
        forecasting=forecasting or (not is_qualified and _is_in_order(splits)),
        qualified=is_qualified,
        trained_relations=trained_relations,
        entity_labels=entities.labels,
        relation_labels=relations.labels.slice(0, num_relations),
    )


def _require_separate_times(splits: Mapping[str, Triples]) -> None:
    """Raise DataError if two splits have facts of the same time."""
    times = {split: {*triples.codes[-1].tolist()} for split, triples in splits.items()}
    for first, second in itertools.combinations(SPLITS, 2):
        common = times[first] & times[second]
        if common:
            raise DataError(
                f"{first} and {second} share {len(common):,} times, "
                "but the dataset is said to be split by time. Are these its files?"
            )


def _encode_times(files: Mapping[str, Labels]) -> dict[str, Codes]:
    """Encode the times of a temporal graph in their order, by split; {} for another graph.

    A file has a time in one column, or in several, such as year, month and day.
    """
    columns_of_files = {name: labels.time for name, labels in files.items()}
    if len({len(columns) for columns in columns_of_files.values()}) > 1:
        numbers = [f"{name} in {len(columns)}" for name, columns in columns_of_files.items()]
        raise DataError(
            f"the files tell the time in different numbers of columns: {', '.join(numbers)}"
        )
    if not any(columns_of_files.values()):
        return {}

    ends_of_files = np.cumsum([len(labels) for labels in files.values()])
    # The rank of the time of each fact of all files, by the columns so far.
    ranks = np.zeros(ends_of_files[-1], dtype=np.int64)
    for columns in zip(*columns_of_files.values(), strict=True):
        codes, names = _encode(columns)
        rank_of_code = _rank_times(names.to_pylist())
        ranks_with_column = ranks * len(names) + rank_of_code[np.concatenate(codes)]
        _, ranks = np.unique(ranks_with_column, return_inverse=True)

    return dict(zip(files, np.split(ranks, ends_of_files[:-1]), strict=True))


def _rank_times(labels: Sequence[Any]) -> Codes:
    """Return the place of each label in their order: as numbers if all are, else as texts."""
    sort_keys = labels
    with contextlib.suppress(ValueError):
        sort_keys = [int(label) for label in labels]

    order = sorted(range(len(labels)), key=sort_keys.__getitem__)
    return np.argsort(order)  # the inverse of the order


def _is_in_order(splits: Mapping[str, Triples]) -> bool:
    """Return True if all times of each split are later than those of the one before."""
    filled = [triples for triples in splits.values() if len(triples)]
    times = [triples.time for triples in filled if triples.time is not None]
    pairs = itertools.pairwise(times)
    return len(times) > 1 and all(before.max() < after.min() for before, after in pairs)


class _Encoded(NamedTuple):
    """Columns of labels as codes, in the order in which labels first appear."""

    codes: list[Codes]  # of each column
    labels: pa.BinaryArray  # by code


def _encode(columns: Iterable[pa.ChunkedArray[Any]]) -> _Encoded:
    """Encode columns of labels with one common dictionary."""
    columns = list(columns)
    chunks = [chunk for column in columns for chunk in column.chunks]
    joined = pa.chunked_array(chunks).unify_dictionaries()
    unified = cast("list[pa.DictionaryArray[Any, Any]]", joined.chunks)
    codes = np.concatenate([np.from_dlpack(chunk.indices) for chunk in unified])
    ends = np.cumsum([len(column) for column in columns])
    labels = cast("pa.BinaryArray", unified[0].dictionary)  # the same in every chunk
    return _Encoded(np.split(codes, ends[:-1]), labels)


# -- restriction -----------------------------------------------------------------------------------

_SHOWN = 3  # unknown names in a message


@dataclass(frozen=True, slots=True)
class Restriction:
    """What an evaluation is restricted to; None for no restriction."""

    relations: tuple[str, ...] | None = None  # labels, as the files write them
    entities: tuple[str, ...] | None = None
    known: Content | None = None  # a file of further known triples
    known_name: str = ""  # its name, which tells what separates its columns

    def describe(self) -> dict[str, Any]:
        """Return what identifies the restriction, for the provenance of the rows."""
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
        """Return the graph with masks for the restriction."""
        if self.relations is not None:
            mask = _mark_named(
                "relation", self.relations, graph.relation_labels, graph.num_relations
            )
            graph = replace(graph, allowed_relations=mask)

        if self.entities is not None:
            labels = graph.entity_labels
            mask = _mark_named("entity", self.entities, labels, graph.num_entities)
            graph = replace(graph, allowed_entities=mask)

        return graph


def add_known(graph: Graph, known: Labels) -> Graph:
    """Return the graph with further known triples, as far as it has their labels.

    Raises DataError if the graph has the labels of none of them.
    """
    if graph.temporal or graph.qualified or known.time:
        raise UsageError(
            "--known is for graphs of triples; the facts of this one have a time or qualifiers."
        )

    entities, relations = graph.entity_labels, graph.relation_labels
    head, tail = _find_codes(known.head, entities), _find_codes(known.tail, entities)
    relation = _find_codes(known.relation, relations)
    is_in_graph = (head >= 0) & (relation >= 0) & (tail >= 0)
    if not is_in_graph.any():
        raise DataError(
            f"--known: none of the {len(known):,} triples has entities "
            "and a relation of the graph. Are its columns in another order, or its labels others?"
        )

    triples = Triples(head[is_in_graph], relation[is_in_graph], tail[is_in_graph])
    return replace(graph, known=triples)


def _find_codes(column: Any, labels: pa.BinaryArray | None) -> NDArray[np.int64]:
    """Return the code of each label of a column, or -1 if the graph does not have it."""
    values = cast("pa.BinaryArray", labels)
    codes = pc.index_in(column.cast(pa.binary()), value_set=values)
    return np.array(fill_nulls(codes, -1), np.int64)


def read_names(option: str, value: str) -> tuple[str, ...]:
    """Return the distinct labels that an option names: a list, or a file with one on each line.

    Raises UsageError if no label is left or one is not UTF-8, DataError for an unreadable file.
    """
    path = Path(value)
    try:
        is_file = path.is_file()
    except OSError:  # a list that is too long for a file name
        is_file = False

    if is_file:
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


def _mark_named(kind: str, names: Sequence[str], labels: pa.BinaryArray | None, size: int) -> Mask:
    """Mark the codes of the named labels. Shape (size,)."""
    if labels is None:
        labels = pa.array([str(code).encode() for code in range(size)], pa.binary())

    texts = pa.array([name.encode() for name in names], labels.type)
    codes = pc.index_in(texts, value_set=labels).to_pylist()
    unknown = [name for name, code in zip(names, codes, strict=True) if code is None]
    if unknown:
        listed = ", ".join(repr(name) for name in unknown[:_SHOWN])
        if len(unknown) > _SHOWN:
            listed += f" and {len(unknown) - _SHOWN} more"

        known = [bytes(label or b"").decode(errors="replace") for label in labels.to_pylist()]
        similar = difflib.get_close_matches(unknown[0], known)
        hint = f" Did you mean {', '.join(similar)}?" if similar else ""
        raise UnknownNameError(
            f"the dataset has no {kind} {listed} ({len(unknown)} of {len(names)} named).{hint}"
        )

    is_named = np.zeros(size, dtype=np.bool_)
    is_named[np.array(codes, np.int64)] = True
    return is_named
