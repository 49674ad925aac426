"""What a person should know of a graph that was read: how much it holds, and what about it looks wrong."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from rankconst.catalogue.benchmarks import STAT
from rankconst.catalogue.protocols import SPLITS
from rankconst_builder.triples import BOM
from rankconst_builder.words import mark

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from rankconst.catalogue.benchmarks import Benchmark
    from rankconst_builder.graph import Graph
    from rankconst_builder.statistics import Statistics


def compare(
    source: Benchmark, graph: Graph, statistics: Statistics, local: Mapping[str, Path], columns: str | None
) -> list[str]:
    """Say what differs from what is documented; of a graph of the user's own also what may not be meant."""
    if not local:
        return _compare_with_pykeen(source, statistics)
    found = [*_compare_labels(graph, statistics)]
    if columns is None:
        found += _compare_columns(graph)
    return [*found, *_compare_first(graph)]


def summarise(source: Benchmark, graph: Graph, statistics: Statistics) -> str:
    """Say in a line how much a graph holds, and what is repeated, unseen or in two splits."""
    facts = "quadruples" if graph.temporal else "statements" if graph.qualified else "triples"
    counted = " + ".join("no file" if split in graph.missing else f"{statistics.rows[split]:,}" for split in SPLITS)
    parts = [
        f"{source.key}: {counted} {facts} (train + valid + test), entities: {statistics.entities:,}, "
        f"relations: {statistics.relations:,}" + (f", times: {graph.num_times:,}" if graph.temporal else "")
    ]
    occurring = statistics.entities if graph.entity_labels is None else len(graph.entity_labels)
    if occurring < statistics.entities:
        parts.append(f"{occurring:,} of the entities occur in the files; {STAT}.txt states all, and all are ranked")
    for split in SPLITS:
        if statistics.duplicates(split):
            parts.append(f"{statistics.duplicates(split):,} rows of {split} repeat an earlier one")
        if statistics.rows[split] > statistics.seen[split] and "train" not in graph.missing:
            dropped = statistics.rows[split] - statistics.seen[split]
            parts.append(f"{dropped:,} rows of {split} have something unseen in train")
    for (later, earlier), common in statistics.overlaps.items():
        if common:
            parts.append(f"{common:,} {facts} of {later} are also in {earlier}")
    return "; ".join(parts)


def _compare_with_pykeen(source: Benchmark, statistics: Statistics) -> list[str]:
    """Say where the files differ from what PyKEEN documents, unless the registry explains it."""
    found = {
        "entities": statistics.entities_train,
        "relations": statistics.relations_train,
        **{split: statistics.seen_distinct[split] for split in SPLITS},
    }
    if source.pykeen.get("mismatch"):
        return []
    return [
        f"PyKEEN documents {source.pykeen[name]:,} {name}, the files have {value:,}"
        for name, value in found.items()
        if name in source.pykeen and source.pykeen[name] != value
    ]


def _compare_columns(graph: Graph) -> Iterator[str]:
    """Say if relations look like entities: if there are more of them than heads or tails, and most are entities."""
    heads, relations, tails = (
        np.flatnonzero(np.logical_or.reduce([mark(size, triples, part) for triples in graph.splits.values()]))
        for part, size in (
            ("head", graph.num_entities),
            ("relation", graph.num_relations),
            ("tail", graph.num_entities),
        )
    )
    few, place = min((heads.size, "heads"), (tails.size, "tails"))
    if relations.size <= few:
        return
    if graph.relation_labels is None or graph.entity_labels is None:
        entities = np.isin(relations, np.union1d(heads, tails))
    else:
        named: Any = graph.relation_labels.take(relations)
        entities = pc.is_in(named, value_set=graph.entity_labels).to_numpy(zero_copy_only=False)
    if 2 * np.count_nonzero(entities) > relations.size:
        yield (
            f"{relations.size:,} different relations, most of which are entities, too, and {few:,} different {place}: "
            "are the columns head, relation, tail? Say which is which with --columns, for example --columns htr."
        )


def _compare_first(graph: Graph) -> Iterator[str]:
    """Say which files may begin with a heading or a comment: all labels of their first line occur nowhere else."""
    files = [triples for triples in graph.splits.values() if len(triples)]
    for split, triples in graph.splits.items():
        if len(files) < 2 or not len(triples):
            continue
        head, relation, tail = (int(codes[0]) for codes in triples.codes[:3])
        places = ((relation, ("relation",)), (head, ("head", "tail")), (tail, ("head", "tail")))
        if all(
            sum(np.count_nonzero(getattr(each, part) == code) for each in files for part in parts) == 1
            for code, parts in places
        ):
            yield (
                f"relation {graph.name_relation(relation)!r} of the first line of {split} occurs nowhere else, nor do "
                "its entities. If the line is a heading or a comment, delete it."
            )


_AROUND = " \t\r\v\f\0\x1a\"'()[]{}<>"


def _compare_labels(graph: Graph, statistics: Statistics) -> Iterator[str]:
    """Say what looks as if the files were not of one graph, or written in two ways."""
    for split, rows in statistics.rows.items():
        if rows and not statistics.seen[split]:
            yield f"every row of {split} has something unseen in train. Are these files of one graph?"
    for kind, labels in (("entities", graph.entity_labels), ("relations", graph.relation_labels)):
        odd = [] if labels is None else _find_alike(labels)
        if len(odd):
            yield (
                f"{len(odd):,} {kind}, such as {odd[0].as_py()!r}, differ from others only in the blanks, quotes, "
                "brackets or control characters around them, in no-break spaces or in how Unicode composes letters "
                "(NFC or NFD), and count as others. Write all files in the same way if they are meant to be the same."
            )


def _find_alike(labels: pa.BinaryArray) -> Any:
    """Return the labels that would equal others, composed, without what is around them and a byte order mark."""
    written = bytes(labels.buffers()[2] or b"")
    if written.isascii() and not any(sign in written for sign in map(str.encode, _AROUND)):
        return []  # as in most graphs
    texts: Any = labels.view(pa.string())
    bare: Any = pc.replace_substring(texts, BOM.decode(), "")
    with contextlib.suppress(pa.ArrowInvalid):  # not UTF-8
        composed = pc.call_function("utf8_normalize", [bare], pc.Utf8NormalizeOptions("NFC"))
        bare = pc.replace_substring(composed, "\N{NO-BREAK SPACE}", " ")
    bare = pc.ascii_trim(bare, characters=_AROUND)
    changed: Any = pc.not_equal(bare, texts)
    if not pc.any(changed).as_py():
        return []
    odd, bare = labels.filter(changed), bare.filter(changed)
    counts: Any = pc.value_counts(bare)
    repeated = counts.field("values").filter(pc.greater(counts.field("counts"), pa.scalar(1)))
    return odd.filter(pc.or_(pc.is_in(bare, value_set=texts), pc.is_in(bare, value_set=repeated)))
