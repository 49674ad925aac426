"""What there is to say of a graph before its candidates are counted: rows, repetitions, overlaps, what is unseen."""

from __future__ import annotations

import io
import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyarrow.json import ParseOptions, read_json

from rankconst.catalogue.benchmarks import ROLES
from rankconst.tables.schema import schema_of
from rankconst_builder.packing import Packing
from rankconst_builder.words import Triples, drop_repeats, locate

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import pyarrow as pa

    from rankconst.catalogue.benchmarks import Benchmark
    from rankconst_builder.fetch import Content
    from rankconst_builder.graph import Graph
    from rankconst_builder.words import Words


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

    def tabulate(self, missing: Iterable[str] = ()) -> dict[str, int | None]:
        """Return the columns of the datasets table that follow from triples; None for what needs a missing file."""
        columns = {
            "entities": self.entities,
            "entities_train": self.entities_train,
            "relations": self.relations,
            "relations_train": self.relations_train,
            **{f"triples_{split}": rows for split, rows in self.rows.items()},
            **{f"duplicates_{split}": self.duplicates(split) for split in self.rows},
            **{f"{later}_in_{earlier}": common for (later, earlier), common in self.overlaps.items()},
            "self_loops_train": self.self_loops_train,
            **{f"dropped_{split}": self.rows[split] - self.seen_distinct[split] for split in ("valid", "test")},
        }
        return {
            name: None if any(needs(name, split) for split in missing) else value for name, value in columns.items()
        }


def needs(column: str, split: str) -> bool:
    """Tell whether a column of the datasets table follows from a split."""
    return split in column.split("_") or (split == "train" and column.startswith("dropped"))


def describe_graph(graph: Graph, room: int | None = None) -> Statistics:
    """Count rows, labels, duplicates, overlaps and unseen entities of a dataset; in `room` bytes, if given."""
    rows = {name: len(triples) for name, triples in graph.splits.items()}
    packing = Packing.plan(graph, "tail", max(rows.values()), room)
    parts = (
        describe_part(packing, {name: packing.sort([triples], part) for name, triples in graph.splits.items()}, part)
        for part in packing.parts
    )
    return add_parts(graph, rows, parts)


@dataclass(frozen=True, slots=True)
class PartStatistics:
    """What a part of the facts contributes to the statistics."""

    distinct: Counter[str]
    seen_distinct: Counter[str]
    overlaps: Counter[tuple[str, str]]
    self_loops_train: int


def describe_part(packing: Packing, files: Mapping[str, Words], part: int) -> PartStatistics:
    """Count the words of a part of every split, which are of tails, ascending."""
    words = {name: drop_repeats(found) for name, found in files.items()}
    names, train = [*words], words["train"]
    loops = packing.find_anchors(packing.find_keys(train), part) == packing.find_answers(train)
    return PartStatistics(
        Counter({name: found.size for name, found in words.items()}),
        Counter(
            # What train has is seen.
            {name: each.size if name == "train" else _count_seen(packing, each, part) for name, each in words.items()}
        ),
        Counter(
            {
                (later, earlier): int(locate(words[earlier], words[later])[0].size)
                for place, later in enumerate(names)
                for earlier in names[:place]
            }
        ),
        int(loops.sum()),
    )


def add_parts(graph: Graph, rows: Mapping[str, int], parts: Iterable[PartStatistics]) -> Statistics:
    """Return the statistics of a graph from those of the parts of its facts, and the rows of each split."""
    distinct, seen_distinct, overlaps, loops = Counter[str](), Counter[str](), Counter[tuple[str, str]](), 0
    for part in parts:
        distinct.update(part.distinct)
        seen_distinct.update(part.seen_distinct)
        overlaps.update(part.overlaps)
        loops += part.self_loops_train
    names = [*graph.splits]
    return Statistics(
        entities=int(graph.entities.sum()),
        entities_train=int(graph.seen_entities.sum()),
        relations=int(graph.relations.sum()),
        relations_train=int(graph.train_relations.sum()),
        rows=rows,
        distinct={name: distinct[name] for name in names},
        overlaps={
            (later, earlier): overlaps[later, earlier] for place, later in enumerate(names) for earlier in names[:place]
        },
        seen={
            name: rows[name] if name == "train" else int(graph.is_seen(triples).sum())
            for name, triples in graph.splits.items()
        },
        seen_distinct={name: seen_distinct[name] for name in names},
        self_loops_train=loops,
    )


def _count_seen(packing: Packing, words: Words, part: int) -> int:
    """Count the facts that have nothing unseen in train."""
    keys = packing.find_keys(words)
    facts = Triples(packing.find_anchors(keys, part), packing.find_given(keys), packing.find_answers(words))
    return int(packing.graph.is_seen(facts).sum())


def describe_dataset(
    source: Benchmark, statistics: Statistics, contents: Mapping[str, Content], missing: Iterable[str] = ()
) -> pa.Table:
    """Return the row of a dataset; without contents, that of one that is in memory only."""
    row = {
        **describe_source(source),
        **statistics.tabulate(missing),
        "sha256": [contents[role].sha256 if role in contents else None for role in ROLES],
        "verified": bool(contents) and all(content.verified for content in contents.values()),
    }
    return make_row(row, schema_of("datasets"))


def make_row(row: Mapping[str, Any], schema: pa.Schema) -> pa.Table:
    """Return a table of one row; pyarrow's own way from Python's values would import pandas."""
    line = io.BytesIO(json.dumps(row).encode())
    return read_json(line, parse_options=ParseOptions(explicit_schema=schema)).select(schema.names).cast(schema)


def describe_source(source: Benchmark) -> dict[str, Any]:
    """Return what the registry says of a dataset."""
    return {
        "dataset": source.key,
        "title": source.title,
        "aliases": list(source.aliases),
        "source_urls": list(dict.fromkeys(file.remote.url for file in source.files.values())),
        "licence": source.licence,
        "citation": source.citation,
        "citation_url": source.citation_url,
    }
