"""Describe a graph: its statistics, and its oddities."""

from __future__ import annotations

import contextlib
import io
import itertools
import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow.json import ParseOptions, read_json

from rankconst.catalogue.benchmarks import ROLES, STAT
from rankconst.catalogue.protocols import SPLITS
from rankconst.tables.descriptor import schema_of
from rankconst_builder.codes import Packing, Triples, drop_repeats, locate
from rankconst_builder.triples import BOM, show_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from rankconst.catalogue.benchmarks import Benchmark
    from rankconst_builder.codes import Words
    from rankconst_builder.fetch import Content
    from rankconst_builder.graph import Graph

_LABELS = ("entities", "entities_train", "relations", "relations_train")


@dataclass(frozen=True, slots=True)
class Statistics:
    """The counts of a dataset; mappings go from split to number."""

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
        """Return the number of rows of a split that repeat an earlier one."""
        return self.rows[split] - self.distinct[split]

    def tabulate(self, missing: Iterable[str] = ()) -> dict[str, int | None]:
        """Return the columns of the datasets table, with None where a file is missing."""
        columns: dict[str, int | None] = {}
        for name in (*_LABELS, "self_loops_train"):
            columns[name] = getattr(self, name)

        for split, rows in self.rows.items():
            columns[f"triples_{split}"] = rows
            columns[f"duplicates_{split}"] = self.duplicates(split)

        for (later, earlier), common in self.overlaps.items():
            columns[f"{later}_in_{earlier}"] = common

        for split in ("valid", "test"):
            columns[f"dropped_{split}"] = self.rows[split] - self.seen_distinct[split]

        for name, split in itertools.product(columns, missing):
            if _needs(name, split):
                columns[name] = None

        return columns


def _needs(column: str, split: str) -> bool:
    """Return True if a column of the datasets table, such as test_in_train, needs a split."""
    return split in column.split("_") or (split == "train" and column.startswith("dropped"))


def describe_graph(graph: Graph, room: int | None = None) -> Statistics:
    """Count rows, labels, duplicates, overlaps and unseen entities of a dataset."""
    rows = {name: len(triples) for name, triples in graph.splits.items()}
    packing = Packing.plan(graph, "tail", max(rows.values()), room)
    counts = []
    for part in packing.parts:
        words = {name: packing.sort(triples, part) for name, triples in graph.splits.items()}
        counts.append(describe_part(packing, words, part))
    return add_parts(graph, rows, counts)


def describe_part(
    packing: Packing, files: Mapping[str, Words], part: int
) -> Counter[tuple[str, ...]]:
    """Count the facts of a part, given as the ascending words of each split.

    Keys are ("loops",), ("distinct", split), ("seen", split) and ("overlap", later, earlier): self
    loops of train, distinct triples, those with nothing unseen in train, and those in both splits.
    """
    distinct = {split: drop_repeats(words) for split, words in files.items()}
    splits = [*distinct]

    # The packing is that of side tail: anchors are heads, answers are tails.
    train = distinct["train"]
    is_loop = packing.find_anchors(packing.find_keys(train), part) == packing.find_answers(train)
    counts = Counter[tuple[str, ...]]({("loops",): int(is_loop.sum())})
    for index, later in enumerate(splits):
        words = distinct[later]
        counts["distinct", later] = words.size
        counts["seen", later] = words.size
        if later != "train":  # all that is in train is seen
            keys = packing.find_keys(words)
            heads, relations = packing.find_anchors(keys, part), packing.find_links(keys)
            triples = Triples(heads, relations, packing.find_answers(words))
            counts["seen", later] = int(packing.graph.is_seen(triples).sum())

        for earlier in splits[:index]:
            common = locate(distinct[earlier], words)
            counts["overlap", later, earlier] = common.rows.size

    return counts


def add_parts(
    graph: Graph, rows: Mapping[str, int], parts: Iterable[Counter[tuple[str, ...]]]
) -> Statistics:
    """Return the statistics of a graph from the counts of its parts."""
    counts = Counter[tuple[str, ...]]()
    for part in parts:
        counts.update(part)

    names = [*graph.splits]
    overlaps, seen_rows, distinct, seen_distinct = {}, {}, {}, {}
    for index, later in enumerate(names):
        distinct[later] = counts["distinct", later]
        seen_distinct[later] = counts["seen", later]
        seen_rows[later] = rows[later]
        if later != "train":
            seen_rows[later] = int(graph.is_seen(graph.splits[later]).sum())
        for earlier in names[:index]:
            overlaps[later, earlier] = counts["overlap", later, earlier]

    return Statistics(
        entities=int(graph.entities.sum()),
        entities_train=int(graph.seen_entities.sum()),
        relations=int(graph.relations.sum()),
        relations_train=int(graph.train_relations.sum()),
        rows=rows,
        distinct=distinct,
        overlaps=overlaps,
        seen=seen_rows,
        seen_distinct=seen_distinct,
        self_loops_train=counts[("loops",)],
    )


def describe_dataset(
    source: Benchmark,
    statistics: Statistics,
    contents: Mapping[str, Content],
    counting: str | None,
    missing: Iterable[str] = (),
) -> pa.Table:
    """Return the row of a dataset in the table of datasets.

    `contents` are its files by role, and empty for a graph in memory. `counting` is how the
    baseline "counting" ranks, or None if it was not computed. `missing` are the splits without a
    file.
    """
    row = {
        **describe_source(source),
        **statistics.tabulate(missing),
        "counting": counting,
        "sha256": list_hashes(contents),
        "verified": bool(contents) and all(content.verified for content in contents.values()),
    }
    return make_row(row, schema_of("datasets"))


def list_hashes(contents: Mapping[str, Content]) -> list[str | None]:
    """List the SHA-256 of each file in the order of the table, None for those that are missing."""
    files = [contents.get(role) for role in ROLES]
    return [None if file is None else file.sha256 for file in files]


def make_row(row: Mapping[str, Any], schema: pa.Schema) -> pa.Table:
    """Return a table of one row, without pandas, which pyarrow would import for Python's values."""
    line = io.BytesIO(json.dumps(row).encode())
    table = read_json(line, parse_options=ParseOptions(explicit_schema=schema))
    return table.select(schema.names).cast(schema)


def describe_source(source: Benchmark) -> dict[str, Any]:
    """Return what the registry knows of a dataset."""
    return {
        "dataset": source.key,
        "title": source.title,
        "aliases": list(source.aliases),
        "source_urls": list(dict.fromkeys(file.remote.url for file in source.files.values())),
        "licence": source.licence,
        "citation": source.citation,
        "citation_url": source.citation_url,
    }


# -- oddities --------------------------------------------------------------------------------------


def compare(source: Benchmark, graph: Graph, statistics: Statistics, *, is_own: bool) -> list[str]:
    """List signs of mixed-up files in a user's own graph, or counts that differ from PyKEEN's."""
    if not is_own:
        return _compare_with_pykeen(source, statistics)
    return [*_warn_of_unseen(statistics), *_warn_of_alike(graph), *_warn_of_headings(graph)]


def summarise(source: Benchmark, graph: Graph, statistics: Statistics) -> str:
    """Summarise a graph in one line: its size, and how many triples are repeated or unseen."""
    facts, times = "triples", ""
    if graph.qualified:
        facts = "statements"
    elif graph.temporal:
        facts, times = "quadruples", f", times: {graph.num_times:,}"

    rows = {split: f"{number:,}" for split, number in statistics.rows.items()}
    rows |= dict.fromkeys(graph.missing, "no file")
    parts = [
        f"{source.key}: {' + '.join(rows[split] for split in SPLITS)} {facts} "
        "(train + valid + test), entities: "
        f"{statistics.entities:,}, relations: {statistics.relations:,}{times}"
    ]
    occurring = statistics.entities
    if graph.entity_labels is not None:
        occurring = len(graph.entity_labels)

    if occurring < statistics.entities:
        parts.append(
            f"{occurring:,} of the entities occur in the files; "
            f"{STAT}.txt states all, and all are ranked"
        )

    for split in SPLITS:
        if statistics.duplicates(split):
            parts.append(f"repeated rows of {split}: {statistics.duplicates(split):,}")
        if statistics.rows[split] > statistics.seen[split] and "train" not in graph.missing:
            dropped = statistics.rows[split] - statistics.seen[split]
            parts.append(f"rows of {split} with something unseen in train: {dropped:,}")

    for (later, earlier), common in statistics.overlaps.items():
        if common:
            parts.append(f"{facts} of {later} that are also in {earlier}: {common:,}")

    return "; ".join(parts)


def _compare_with_pykeen(source: Benchmark, statistics: Statistics) -> list[str]:
    """List unexplained differences from the counts that PyKEEN documents."""
    counts = {
        "entities": statistics.entities_train,
        "relations": statistics.relations_train,
        **{split: statistics.seen_distinct[split] for split in SPLITS},
    }
    if source.pykeen.get("mismatch"):  # the registry's explanation of known differences
        return []
    return [
        f"PyKEEN documents {source.pykeen[name]:,} {name}, the files have {value:,}"
        for name, value in counts.items()
        if name in source.pykeen and source.pykeen[name] != value
    ]


def _warn_of_headings(graph: Graph) -> Iterator[str]:
    """Warn of files that may begin with a heading, as its words occur nowhere else."""
    files = {split: triples for split, triples in graph.splits.items() if len(triples)}
    if len(files) < 2:  # there is no other file to look in
        return

    for split, triples in files.items():
        # Rows are in the order of the file: the first may be its heading.
        head, relation, tail = (int(codes[0]) for codes in triples.codes[:3])
        is_unique = (
            _count_code(files.values(), relation, ("relation",)) == 1
            and _count_code(files.values(), head, ("head", "tail")) == 1
            and _count_code(files.values(), tail, ("head", "tail")) == 1
        )
        if is_unique:
            yield (
                f"relation {graph.name_relation(relation)!r} "
                f"of the first line of {split} occurs nowhere else, nor do its entities. "
                "If the line is a heading or a comment, delete it."
            )


def _count_code(files: Iterable[Triples], code: int, parts: tuple[str, ...]) -> int:
    """Count how often a code occurs in some columns, such as ("head", "tail"), of all files."""
    columns = [getattr(triples, part) for triples in files for part in parts]
    return sum(int(np.count_nonzero(column == code)) for column in columns)


_AROUND = " \t\r\v\f\0\x1a\"'()[]{}<>"


def _warn_of_unseen(statistics: Statistics) -> Iterator[str]:
    """Warn of splits in which every row has something unseen in train."""
    for split, rows in statistics.rows.items():
        num_seen_rows = statistics.seen[split]
        if rows and not num_seen_rows:
            yield (
                f"every row of {split} has something unseen in train. Are these files of one graph?"
            )


def _warn_of_alike(graph: Graph) -> Iterator[str]:
    """Warn of labels that may be two spellings of one, such as "a " and "a"."""
    for kind, labels in (("entities", graph.entity_labels), ("relations", graph.relation_labels)):
        odd = [] if labels is None else _find_alike(labels)  # None: the codes are ids
        if len(odd):
            yield (
                f"{kind} that differ from others only in the blanks, quotes, brackets or control "
                "characters around them, in no-break spaces or in how Unicode composes letters: "
                f"{len(odd):,}, such as {show_line(odd[0].as_py())}. They count as different; if "
                "they are the same, write them alike and build again."
            )


def _find_alike(labels: pa.BinaryArray) -> Any:
    """Return the labels that become the same as another one when they are tidied."""
    written = bytes(labels.buffers()[2] or b"")
    if written.isascii() and not any(sign.encode() in written for sign in _AROUND):
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
