"""Count a graph whose training set is too large for one machine, on a Dask cluster.

A task reads a row group and writes its triples as words, part by part
(:mod:`~rankconst_builder.codes`); another puts together what all row groups have of a part, and
counts it as one process does (:mod:`~rankconst_builder.tallies`). The words of a part meet on one
worker, no worker sees all of them, and only tallies come back. A task that is lost with its worker
is run again.
"""

from __future__ import annotations

import itertools
import logging
import operator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankconst.catalogue.baselines import DEFAULT_BASELINE
from rankconst.download import hide_login
from rankconst.errors import DataError, MissingExtraError, UsageError, first_line
from rankconst.names import shorten
from rankconst.version import __version__
from rankconst_builder.candidates import count_ranked, list_queries, list_sides
from rankconst_builder.codes import (
    NO_TRIPLES,
    Packing,
    Triples,
    mark,
    sort_words,
    split_batches,
    view,
)
from rankconst_builder.columnar import (
    DAMAGE,
    Columns,
    TripleFile,
    encode_ids,
    hash_file,
    open_parquet,
)
from rankconst_builder.facts import add_parts, describe_part
from rankconst_builder.graph import Marks
from rankconst_builder.package import hash_program
from rankconst_builder.tallies import Side, add_tallies

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from rankconst.catalogue.protocols import Protocol
    from rankconst_builder.candidates import Tally
    from rankconst_builder.codes import Mask, Words
    from rankconst_builder.facts import Statistics
    from rankconst_builder.fetch import Content
    from rankconst_builder.graph import Graph
    from rankconst_builder.tallies import Tallies

_LOGGERS = ("distributed", "distributed.client", "tornado.application")
_PATIENCE = 20  # seconds of a wait for the scheduler, a worker or results
_MOST_WAITS = 15  # one after the other without any worker: five minutes
# Bytes of a part: workers have more memory than caches, and fewer parts are fewer tasks.
_ROOM = 1 << 30
_TOGETHER = 16  # row groups whose marks a task merges


@dataclass(frozen=True)
class _RowGroup:
    """A part of train that one task reads."""

    file: Path | str
    group: int
    names: tuple[str, ...]  # of the columns of heads, relations and tails

    def read(self) -> Triples:
        """Read and check the triples."""
        name = f"{_show(self.file)}, row group {self.group}"
        columns = Columns(
            path=name, rows=0, files=[], order="hrt", read=self._read_batches, is_ids=True
        )
        empty = [np.zeros(0, dtype=np.int64)] * 3  # without any batch there is nothing to join
        heads, relations, tails = zip(empty, *columns.read_ids(), strict=True)
        return Triples(np.concatenate(heads), np.concatenate(relations), np.concatenate(tails))

    def _read_batches(self) -> Iterator[list[Any]]:
        """Yield the columns of heads, relations and tails in batches."""
        try:
            with open_parquet(self.file) as opened:
                table = opened.read_row_group(self.group, columns=[*self.names], use_threads=False)
        except DAMAGE as error:
            raise DataError(
                f"a worker cannot read {_show(self.file)}: {hide_login(first_line(error))[:200]}. "
                "Workers need the same file in the same place."
            ) from error

        for batch in table.to_batches():
            yield [batch.column(name) for name in self.names]


def _show(file: Path | str) -> str:
    return str(file) if isinstance(file, Path) else hide_login(file)


def choose_files(opened: Mapping[str, TripleFile | None]) -> dict[str, Columns]:
    """Return the files of each split, and refuse those without ids."""
    files = {}
    for split, file in opened.items():
        if not isinstance(file, Columns) or not file.is_ids or not file.names:
            raise DataError(
                f"--scheduler counts ids: {split} has to be Parquet of whole numbers. Write it so."
            )
        files[split] = file

    return files


@contextmanager
def _explaining() -> Iterator[None]:
    """Turn errors of the cluster into errors with a remedy."""
    from distributed import CancelledError, KilledWorker, client
    from distributed.comm.core import CommClosedError

    # Earlier versions lack it.
    closed: type[Exception] = getattr(client, "ClosedClientError", CommClosedError)
    try:
        yield
    except KilledWorker as error:
        raise DataError(
            "workers ended again and again in the same task, perhaps because they lack memory. "
            "Give them more, or write the training set in smaller row groups."
        ) from error
    except (CancelledError, CommClosedError, TimeoutError, closed) as error:
        raise DataError(
            f"the scheduler is lost: {first_line(error)}. Start it, and build again."
        ) from error


def connect(address: str) -> Any:
    """Connect to a Dask scheduler, check its workers, and return a client to be closed.

    Raises UsageError if no scheduler answers at the address, or its workers run another program.
    """
    try:
        from distributed import Client
    except ImportError as error:
        raise MissingExtraError(
            "--scheduler needs Dask. Run: pip install 'rankconst[dask]'"
        ) from error

    for name in _LOGGERS:  # tracebacks of what becomes an error of one line
        logging.getLogger(name).setLevel(logging.CRITICAL)

    try:
        # Dask has no types.
        client: Any = Client(address, timeout=_PATIENCE)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise UsageError(
            f"no scheduler answers at {hide_login(shorten(address))}: {first_line(error)}. "
            "Start one with `dask scheduler`, "
            "workers with `dask worker ADDRESS`, and give the address that it prints."
        ) from error

    try:
        _check_workers(client, address)
    except BaseException:
        client.close()
        raise

    return client


@_explaining()
def count_workers(client: Any) -> int:
    """Return how many workers there are."""
    return len(client.ncores())


@_explaining()
def _check_workers(client: Any, address: str) -> None:
    """Wait for a worker, and refuse workers that run another program."""
    try:
        client.wait_for_workers(1, timeout=_PATIENCE)
    except TimeoutError as error:
        url = hide_login(address)
        raise UsageError(
            f"the scheduler at {url} has no workers. Start some with `dask worker {url}`."
        ) from error

    programs = client.run(hash_program, on_error="return")
    for worker, program in programs.items():
        if program != hash_program():
            reason = first_line(program) if isinstance(program, Exception) else "it has other code"
            raise UsageError(
                f"the worker at {worker} does not run this rankconst: {reason}. "
                f"Install version {__version__} where workers run, "
                "with the extra rankconst[builder,dask], and start them again."
            )


class Distributed(NamedTuple):
    """The counts of a graph that a cluster has."""

    graph: Graph  # without the triples of train
    statistics: Statistics
    tallies: Tallies  # by protocol, split and baseline, then by side


@_explaining()
def count_distributed(
    client: Any,
    files: Mapping[str, Columns],
    protocols: Sequence[Protocol],
    splits: Collection[str],
    room: int | None = None,
) -> Distributed:
    """Count the candidates of splits under each protocol on a cluster, under chance.

    The splits except train are read here and sent to all workers. Then each side is counted in
    parts whose words take about `room` bytes.

    Raises DataError if test is missing, or its ids leave large gaps.
    """
    train = files["train"]
    other_files = {split: columns for split, columns in files.items() if split != "train"}
    graph_without_train = encode_ids(other_files)
    if not other_files or graph_without_train is None:
        raise DataError(
            "--scheduler needs the ids of test, "
            "or of valid and test, counted from 0 without large gaps."
        )

    groups = _list_groups(train)
    graph = _find_trained(client, groups, graph_without_train)
    rows = {split: len(triples) for split, triples in graph.splits.items()}
    rows["train"] = train.rows
    graph_on_cluster = client.scatter(graph, broadcast=True)
    ranked = {protocol: count_ranked(graph, protocol) for protocol in protocols}
    tallies: Tallies = {}
    for protocol, split in itertools.product(protocols, splits):
        tallies[protocol.key, split, DEFAULT_BASELINE] = {}

    statistics: list[Counter[tuple[str, ...]]] = []
    for side in list_sides(graph):
        ranking = tuple(protocol for protocol, sizes in ranked.items() if side in sizes)
        job = _Job(
            side=side,
            protocols=ranking,
            splits=(*splits,),
            rows=sum(rows.values()),
            room=room or _ROOM,
        )
        counts_of_parts = _run(client, job, groups, graph, graph_on_cluster)
        of_parts = [counts.statistics for counts in counts_of_parts]
        statistics += [counted for counted in of_parts if counted is not None]
        for split in splits:
            tallies_of_parts = [counts.tallies[split] for counts in counts_of_parts]
            merged = add_tallies(
                protocols=ranking, parts=tallies_of_parts, split=split, side=side, ranked=ranked
            )
            for protocol, tally in merged.items():
                tallies[protocol.key, split, DEFAULT_BASELINE][side] = tally

    return Distributed(graph, add_parts(graph, rows, statistics), tallies)


def _run(
    client: Any, job: _Job, groups: Sequence[_RowGroup], graph: Graph, shared: Any
) -> list[_PartCounts]:
    """Count each part of a job on the workers, given the graph on the cluster as `shared`."""
    # Futures: of each row group, a list of its words by part; of each part, its counts.
    words_of_groups = [client.submit(job.write, group, shared, pure=False) for group in groups]
    counts = []
    for part in job.plan(graph).parts:
        words_of_part = []
        for words_of_group in words_of_groups:
            words = client.submit(operator.getitem, words_of_group, part, pure=False)
            words_of_part.append(words)

        counts.append(client.submit(job.count, part, shared, words_of_part, pure=False))

    return _gather(client, counts)


def _list_groups(columns: Columns) -> list[_RowGroup]:
    groups = []
    for file in columns.files:
        with open_parquet(file) as opened:
            numbers = range(opened.metadata.num_row_groups)
        place = _make_absolute(file)
        groups += [_RowGroup(place, number, columns.names) for number in numbers]
    return groups


def _make_absolute(file: Path | str) -> Path | str:
    """Return the place of a file as workers in other folders find it."""
    return file.absolute() if isinstance(file, Path) else file


@_explaining()
def hash_files(client: Any, columns: Columns) -> Content:
    """Return the hash of a file that workers read."""
    hashes = [client.submit(hash_file, _make_absolute(file)) for file in columns.files]
    return columns.describe(_gather(client, hashes))


def _find_trained(client: Any, groups: Sequence[_RowGroup], graph: Graph) -> Graph:
    """Mark the entities and relations that occur in train, on a graph of the other splits."""
    marks = [client.submit(_mark, group, pure=False) for group in groups]
    while len(marks) > 1:  # on workers, some at a time: all would be too many for one process
        starts = range(0, len(marks), _TOGETHER)
        parts = [marks[start : start + _TOGETHER] for start in starts]
        marks = [client.submit(_merge, part, pure=False) for part in parts]

    ((packed_entities, packed_relations),) = _gather(client, marks) or [[np.zeros(0, np.uint8)] * 2]
    entities = _fit_marks(np.unpackbits(packed_entities), graph.num_entities)
    relations = _fit_marks(np.unpackbits(packed_relations), graph.num_relations)
    return replace(
        graph,
        num_entities=entities.size,
        num_relations=relations.size,
        train_marks=Marks(entities, relations),
    )


def _fit_marks(marks: NDArray[np.uint8], least: int) -> Mask:
    """Return marks up to the last one that is set, and at least `least` of them."""
    last_mark = int(np.flatnonzero(marks).max(initial=-1))
    fitted = np.zeros(max(least, last_mark + 1), np.bool_)
    fitted[: marks.size] = marks[: fitted.size]
    return fitted


def _mark(group: _RowGroup) -> list[NDArray[np.uint8]]:
    """Mark the entities and relations of a row group in bits."""
    triples = group.read()
    last_head, last_relation, last_tail = (
        int(codes.max(initial=-1)) for codes in triples.codes[:3]
    )
    entities = mark(1 + max(last_head, last_tail), triples, "head", "tail")
    relations = mark(1 + last_relation, triples, "relation")
    return [np.packbits(entities), np.packbits(relations)]


def _merge(marks: Sequence[Sequence[NDArray[np.uint8]]]) -> list[NDArray[np.uint8]]:
    """Join the bits of several row groups."""
    merged = []
    for arrays in zip(*marks, strict=True):  # those of entities, then those of relations
        joined = np.zeros(max(bits.size for bits in arrays), np.uint8)
        for bits in arrays:
            joined[: bits.size] |= bits
        merged.append(joined)

    return merged


def _gather(client: Any, futures: Sequence[Any]) -> list[Any]:
    """Wait for results and return them, or give up after five minutes without a worker."""
    from distributed import wait

    waits_without_workers = 0
    while futures:
        try:
            wait(futures, timeout=_PATIENCE)  # type: ignore[no-untyped-call] # Dask has no types
            break
        except TimeoutError:
            waits_without_workers += 1
        if client.scheduler_info()["workers"]:
            waits_without_workers = 0
        if waits_without_workers >= _MOST_WAITS:
            raise DataError("no worker is left. Start some, and build again.")

    return [*client.gather(futures)]


class _PartCounts(NamedTuple):
    """The counts of a part of the facts."""

    statistics: Counter[tuple[str, ...]] | None  # None for parts without all facts
    tallies: dict[str, dict[str, Tally]]  # by split, then by protocol


@dataclass(frozen=True)
class _Job:
    """The work on one side."""

    side: str
    protocols: tuple[Protocol, ...]
    splits: tuple[str, ...]
    rows: int
    room: int

    def plan(self, graph: Graph) -> Packing:
        """Return how words are written."""
        return Packing.plan(graph, self.side, self.rows, self.room)

    def write(self, group: _RowGroup, graph: Graph) -> list[Words]:
        """Return the words of a row group, part by part."""
        packing, triples = self.plan(graph), group.read()
        # Statistics, which need all triples, are counted on side tail.
        if "train" not in self.splits and self.side != "tail":
            triples = _select_answers(graph, self.side, triples)
        return [packing.sort(triples, part) for part in packing.parts]

    def count(self, part: int, graph: Graph, groups: Sequence[Words]) -> _PartCounts:
        """Count the facts of a part.

        `groups` has the words of train in this part, an array for each row group, and `graph` the
        other splits.
        """
        train = sort_words(groups)
        statistics = None
        if self.side == "tail":
            packing = self.plan(graph)
            words = {split: packing.sort(triples, part) for split, triples in graph.splits.items()}
            words["train"] = train
            statistics = describe_part(packing, words, part)

        tallies = {}
        for split in self.splits:
            facts = Side.of(graph, split, self.side, self.protocols, room=self.room, rows=self.rows)
            tallies[split] = facts.tally(part, train)

        return _PartCounts(statistics, tallies)


def _select_answers(graph: Graph, side: str, triples: Triples) -> Triples:
    """Return the training triples that answer a query of valid or test: no others are filtered.

    `graph` has the triples of valid and test alone.
    """
    queries = list_queries(graph, _join(graph.splits.values()), side)
    answers = [NO_TRIPLES]
    for batch in split_batches(triples):
        for facts in view(graph, batch, side):
            matches = queries.match(facts.anchors, facts.links)
            answers.append(batch.select(matches.rows))
    return _join(answers)


def _join(triples: Iterable[Triples]) -> Triples:
    columns = zip(*(part.codes for part in triples), strict=True)
    return Triples(*(np.concatenate(codes) for codes in columns))
