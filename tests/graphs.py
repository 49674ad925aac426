"""Graphs for the builder's tests: small ones to draw and to write, and those of the mirror."""

import hashlib
import itertools
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from hypothesis import strategies as st

from brute import (
    ORDER,
    entities_of,
    everything,
    read_rows,
    relations_of,
    weigh_brute_force,
)  # fmt: skip
from rankconst.catalogue.baselines import BASELINES, INFORMED, explain_missing
from rankconst.catalogue.benchmarks import (
    CONTEXT,
    FORECASTING,
    Benchmark,
    BenchmarkFile,
    LineFormat,
    Remote,
    find_benchmark,
)
from rankconst.catalogue.protocols import (
    MACROS,
    PROTOCOLS,
    SPLITS,
    UNTABLED,
    Protocol,
    parse_protocol,
)  # fmt: skip
from rankconst.download import MissingSourceError
from rankconst.errors import UndefinedError
from rankconst.tasks import Histogram
from rankconst_builder.candidates import TaskCounts, count_protocols
from rankconst_builder.codes import Triples
from rankconst_builder.fetch import Fetcher
from rankconst_builder.graph import Graph, encode_labels
from rankconst_builder.rankers import count_baselines
from rankconst_builder.triples import Labels, read_triples

Row = tuple[int, ...]  # head, relation, tail; in temporal graphs also the time
Dataset = dict[str, list[Row]]

EVERYTHING: dict[str, Any] = {
    "protocols": tuple(PROTOCOLS.values()),
    "baselines": tuple(INFORMED),
    "splits": tuple(SPLITS),
}
"""What a build covers for a release."""

# The protocols of the catalogue for graphs without time, whatever is in it, those for temporal
# ones, and sampled ones.
STATIC = {key: protocol for key, protocol in PROTOCOLS.items() if protocol.fits(temporal=False)}
TEMPORAL = {key: protocol for key, protocol in PROTOCOLS.items() if protocol.fits(temporal=True)}
SAMPLED = [parse_protocol("sampled:1"), parse_protocol("sampled:500")]
CATALOGUE = [*STATIC.values(), *UNTABLED.values(), *SAMPLED]

# Every row of attributes that makes sense: where only seen entities are ranked, a task needs a seen
# answer.
ENTITIES: tuple[Literal["all", "seen"], ...] = ("all", "seen")
KNOWN: tuple[Literal["all", "up_to", "own", "none"], ...] = ("all", "up_to", "own", "none")
WRITABLE = [
    Protocol(f"{entities}-{tasks}-{distinct}-{known}", "", entities, tasks, distinct, known)
    for entities, tasks, distinct, known in itertools.product(
        ENTITIES, ENTITIES, (False, True), KNOWN
    )
    if not (entities == "seen" and tasks == "all")
]


def make_graph(dataset: Mapping[str, Sequence[Row]]) -> Graph:
    """Code a dataset so that entities, relations and times are 0, 1, ... in the order of their
    numbers.
    """
    every: Any = everything(dataset)
    # Labels can be sorted: those of one dataset are of one type.
    entity_labels: set[Any] = entities_of(every)
    relation_labels: set[Any] = relations_of(every)
    entities, relations = sorted(entity_labels), sorted(relation_labels)
    times = sorted({time for _, _, _, *more in every for time in more})
    splits = {}
    for split in ORDER:
        rows: Any = dataset[split]
        columns = [
            [entities.index(row[0]) for row in rows],
            [relations.index(row[1]) for row in rows],
            [entities.index(row[2]) for row in rows],
            *([[times.index(row[3]) for row in rows]] if times else []),
        ]
        splits[split] = Triples(*(np.array(column, dtype=np.int64) for column in columns))
    return Graph(splits, len(entities), len(relations), max(len(times), 1))


def rows(entities: int, relations: int, size: int) -> st.SearchStrategy[list[Row]]:
    entity = st.integers(0, entities - 1)
    return st.lists(st.tuples(entity, st.integers(0, relations - 1), entity), max_size=size)


# Few entities and relations: duplicates, overlaps and self-loops are the rule. Train uses only some
# of them, so that the other splits have unseen ones; any split can be empty.
DATASETS: st.SearchStrategy[Dataset] = st.fixed_dictionaries(
    {
        "train": rows(5, 2, 14), "valid": rows(7, 3, 7), "test": rows(7, 3, 7),
    }
).filter(lambda dataset: any(dataset.values()))  # fmt: skip


def timed(entities: int, size: int) -> st.SearchStrategy[list[Row]]:
    entity = st.integers(0, entities - 1)
    return st.lists(st.tuples(entity, st.integers(0, 1), entity, st.integers(0, 2)), max_size=size)


# Few times, too: of most triples some are known at the same time, and some at another.
TEMPORAL_DATASETS: st.SearchStrategy[Dataset] = st.fixed_dictionaries(
    {"train": timed(4, 14), "valid": timed(6, 7), "test": timed(6, 7)}
).filter(lambda dataset: any(dataset.values()))


def spread_times(dataset: Dataset) -> Dataset:
    """Return a temporal dataset for forecasting: valid is later than train, and test than valid."""
    return {
        split: [(h, r, t, time + 3 * place) for h, r, t, time in rows]
        for place, (split, rows) in enumerate(dataset.items())
    }


def count_candidates(graph: Graph, protocol: Protocol, split: str) -> TaskCounts:
    """Count the candidates of every ranking task of a split, on every side."""
    if reason := graph.explain_uncounted(protocol, split):
        raise UndefinedError(reason)
    return count_protocols(graph, [protocol], [split])[protocol.key, split]


def count_baseline(graph: Graph, protocol: Protocol, split: str, baseline: str) -> TaskCounts:
    """Count where a baseline ranks the true entity of every task of a split, on both sides."""
    if missing := explain_missing(BASELINES[baseline], protocol, split):
        raise UndefinedError(missing)
    counts = {(protocol.key, split): count_candidates(graph, protocol, split)}
    return count_baselines(graph, counts, [baseline])[0][protocol.key, split, baseline]


def blocks_of(counts: TaskCounts) -> dict[str, list[tuple[int, int]]]:
    """Return offset and size of each task that ranks entities, by side."""
    found = {}
    for side in ("head", "tail"):
        blocks = counts.blocks[side]
        offset = np.zeros_like(blocks.size) if blocks.offset is None else blocks.offset
        found[side] = list(
            zip(offset[blocks.of_task].tolist(), blocks.size[blocks.of_task].tolist(), strict=True)
        )
    return found


def sizes_of(counts: TaskCounts) -> list[list[int]]:
    """Return how many candidates tie in each row's head, in its tail, and in its relation where
    that is ranked.
    """
    return [
        blocks.size[blocks.of_task[: counts.tasks.rows.size]].tolist()
        for blocks in counts.blocks.values()
    ]


def rows_of(histogram: Histogram) -> dict[tuple[int, int, float], int]:
    """Map offset, size and weight to the number of tasks."""
    offsets = np.zeros_like(histogram.num_tasks) if histogram.offsets is None else histogram.offsets
    weights = np.ones(len(histogram)) if histogram.weights is None else histogram.weights
    rows = zip(offsets.tolist(), histogram.num_candidates.tolist(), weights.tolist(), strict=True)
    return dict(zip(rows, histogram.num_tasks.tolist(), strict=True))


def compare_histograms(
    got: TaskCounts, side: str, blocks: Sequence[tuple[int, int]], ranked: Sequence[Row]
) -> None:
    """Compare the histograms of a side with offset and size of each ranked row."""
    tally = got.blocks[side].tally
    assert rows_of(tally.histogram()) == Counter((*block, 1.0) for block in blocks)
    for aggregation in MACROS.values():
        weights = map(float, weigh_brute_force(ranked, side, aggregation.group))
        counted = Counter((*block, weight) for block, weight in zip(blocks, weights, strict=True))
        assert rows_of(tally.histogram(aggregation.group)) == counted
    by_relation: dict[int, Counter[tuple[int, int, float]]] = {}
    for (_, relation, *_), block in zip(ranked, blocks, strict=True):
        by_relation.setdefault(relation, Counter())[*block, 1.0] += 1
    # Codes follow the numbers of the relations.
    found = [rows_of(one) for _, one in sorted(tally.relation_histograms().items())]
    assert found == [rows for _, rows in sorted(by_relation.items())]


def random_dataset(seed: int, entities: int, relations: int, size: int) -> Dataset:
    generator = random.Random(seed)  # noqa: S311 - test data
    found: Dataset = {}
    for split, number in zip(ORDER, (size, size // 4, size // 4), strict=True):
        sizes = (entities, relations, entities)
        found[split] = [tuple(map(generator.randrange, sizes)) for _ in range(number)]
    return found


def read_labels(mirror: Path, key: str, roles: tuple[str, ...]) -> dict[str, Labels]:
    source = find_benchmark(key)
    fetcher = Fetcher(mirror / "no-cache", mirror=str(mirror), offline=True)
    return {
        role: read_triples(fetcher.read(source.files[role]).data, source.format, f"{key} {role}")
        for role in roles
        if role in source.files
    }


def read_contents(mirror: Path, key: str) -> dict[str, bytes]:
    """Return the files of a benchmark by role, without the optional ones that the mirror lacks."""
    fetcher, found = Fetcher(mirror / "no-cache", mirror=str(mirror), offline=True), {}
    for role, file in find_benchmark(key).files.items():
        try:
            found[role] = fetcher.read(file).data
        except MissingSourceError:
            assert file.optional
    return found


def read_plainly(key: str, contents: Mapping[str, bytes]) -> dict[str, Sequence[tuple[Any, ...]]]:
    """Read the splits of a benchmark by splitting lines."""
    form = find_benchmark(key).format
    sign = form.delimiter.encode()
    found: dict[str, Sequence[tuple[Any, ...]]] = {split: [] for split in SPLITS}
    for split in SPLITS:
        if split not in contents:
            continue
        content = contents[split].replace(b"\r\n", b"\n").removeprefix(b"\xef\xbb\xbf")
        lines = content.partition(b"\n")[2] if form.count_line else content
        if not form.qualified:
            found[split] = read_rows(lines, form.columns, sign, padded=form.padded)
            continue
        cells = [line.split(sign) for line in lines.splitlines()]
        found[split] = [
            (h, r, t, tuple(zip(more[::2], more[1::2], strict=True))) for h, r, t, *more in cells
        ]
    return found


def read_context(mirror: Path, key: str) -> Labels | None:
    try:
        return read_labels(mirror, key, (CONTEXT,)).get(CONTEXT)
    except MissingSourceError:  # it makes no difference where a build does without it
        return None


def read_graph(mirror: Path, key: str) -> Graph:
    return encode_labels(read_labels(mirror, key, tuple(SPLITS)), read_context(mirror, key))


def write_benchmark(folder: Path, key: str, files: Mapping[str, str], **traits: Any) -> Benchmark:
    """Write the files of a benchmark as a mirror has them, and describe them as the registry does."""
    found = {}
    for role, text in files.items():
        url, content = f"https://example.invalid/{key}/{role}.txt", text.encode()
        path = folder / url.partition("://")[2]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        found[role] = BenchmarkFile(Remote(url, len(content), hashlib.sha256(content).hexdigest()))
    kept: dict[str, Any] = {
        "aliases": (), "format": LineFormat(), "split": "published", "licence": "none", **traits,
    }  # fmt: skip
    return Benchmark(key=key, title=key.title(), files=found, citation="Nobody 2020", **kept)


def write_forecasting(folder: Path, *, train: bool) -> Benchmark:
    """Write a small temporal benchmark split by time, with or without its train; stat.txt states
    two entities more.
    """
    generator = random.Random(7)  # noqa: S311 - test data
    files = {"stat": "12\t3\t9\n"}
    for place, split in enumerate(ORDER):
        sizes = 7 + place, 3, 10 - place
        rows = [
            [*map(generator.randrange, sizes), 3 * place + time % 3]
            for time in range((9, 3, 4)[place])
        ]
        files[split] = "".join("\t".join(map(str, row)) + "\t0\n" for row in rows)
    traits = {
        "format": LineFormat(columns="hrtd-"),
        "split": FORECASTING,
        "citation_url": "https://example.invalid",
    }
    source = write_benchmark(folder, "forecast", files, **traits)
    if not train:
        (folder / "example.invalid" / "forecast" / "train.txt").unlink()
    return replace(
        source, files={**source.files, "train": replace(source.files["train"], optional=True)}
    )
