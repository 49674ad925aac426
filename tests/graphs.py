"""Graphs for the builder's tests: small ones to draw and to write, and those of the mirror."""

from __future__ import annotations

import itertools
import random
from typing import TYPE_CHECKING, Literal

import numpy as np
from hypothesis import strategies as st

from brute import ORDER, entities_of, everything, relations_of
from rankconst.catalogue.benchmarks import CONTEXT, find_benchmark
from rankconst.catalogue.protocols import PROTOCOLS, SPLITS, Protocol, parse_protocol
from rankconst_builder.fetch import Fetcher
from rankconst_builder.graph import Graph, Triples, encode_labels
from rankconst_builder.triples import Labels, read_triples

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

Row = tuple[int, int, int]
Dataset = dict[str, list[Row]]

# Every protocol of the catalogue, whatever is in it, and sampled ones.
CATALOGUE = [*PROTOCOLS.values(), parse_protocol("sampled:1"), parse_protocol("sampled:500")]

# Every row of attributes that makes sense: where only seen entities are ranked, a task needs a seen answer.
ENTITIES: tuple[Literal["all", "seen"], ...] = ("all", "seen")
KNOWN: tuple[Literal["all", "up_to", "none"], ...] = ("all", "up_to", "none")
WRITABLE = [
    Protocol(f"{entities}-{tasks}-{distinct}-{known}", entities, tasks, distinct, known, summary="")
    for entities, tasks, distinct, known in itertools.product(ENTITIES, ENTITIES, (False, True), KNOWN)
    if not (entities == "seen" and tasks == "all")
]


def make_graph(dataset: Mapping[str, Sequence[Row]]) -> Graph:
    """Code a dataset so that entities and relations are 0, 1, ... in the order of their numbers."""
    entities = {name: code for code, name in enumerate(sorted(entities_of(everything(dataset))))}  # type: ignore[type-var]  # one sortable type a call
    relations = {name: code for code, name in enumerate(sorted(relations_of(everything(dataset))))}  # type: ignore[type-var]  # likewise
    return Graph(
        {
            split: Triples(
                np.array([entities[h] for h, _, _ in dataset[split]], dtype=np.int64),
                np.array([relations[r] for _, r, _ in dataset[split]], dtype=np.int64),
                np.array([entities[t] for _, _, t in dataset[split]], dtype=np.int64),
            )
            for split in ORDER
        },
        len(entities),
        len(relations),
    )


def rows(entities: int, relations: int, size: int) -> st.SearchStrategy[list[Row]]:
    entity = st.integers(0, entities - 1)
    return st.lists(st.tuples(entity, st.integers(0, relations - 1), entity), max_size=size)


# Few entities and relations: duplicates, overlaps and self-loops are the rule. Train uses only some of them, so that
# the other splits have unseen ones; any split can be empty.
DATASETS: st.SearchStrategy[Dataset] = st.fixed_dictionaries(
    {
        "train": rows(5, 2, 14),
        "valid": rows(7, 3, 7),
        "test": rows(7, 3, 7),
    }
).filter(lambda dataset: any(dataset.values()))


def random_dataset(seed: int, entities: int, relations: int, size: int) -> Dataset:
    generator = random.Random(seed)  # noqa: S311 - test data
    return {
        split: [
            (generator.randrange(entities), generator.randrange(relations), generator.randrange(entities))
            for _ in range(size if split == "train" else size // 4)
        ]
        for split in ORDER
    }


def read_labels(mirror: Path, key: str, roles: tuple[str, ...]) -> dict[str, Labels]:
    source = find_benchmark(key)
    fetcher = Fetcher(mirror / "no-cache", mirror=str(mirror), offline=True)
    return {role: read_triples(fetcher.read(source.files[role]).data, source.format, f"{key} {role}") for role in roles}


def read_context(mirror: Path, key: str) -> Labels | None:
    inductive = CONTEXT in find_benchmark(key).files
    return read_labels(mirror, key, (CONTEXT,))[CONTEXT] if inductive else None


def read_graph(mirror: Path, key: str) -> Graph:
    return encode_labels(read_labels(mirror, key, tuple(SPLITS)), read_context(mirror, key))
