"""Count the candidates of all tasks of a split, and make histograms of them."""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankconst.catalogue.baselines import DEFAULT_BASELINE
from rankconst.catalogue.protocols import MACROS, RELATION_SIDE, SPLITS
from rankconst.progress import unseen
from rankconst.tasks import Tasks
from rankconst_builder.candidates import (
    Tally,
    count_protocols,
    count_ranked,
    list_known,
    list_sides,
    list_sources,
    select_candidates,
    select_relations,
    subtract_known,
)
from rankconst_builder.codes import (
    Counts,
    Packing,
    count_runs,
    drop_repeats,
    locate,
    sort_words,
    split_batches,
)
from rankconst_builder.rankers import count_baselines
from rankconst_builder.tabulate import list_macros

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from rankconst.catalogue.protocols import Protocol
    from rankconst.progress import Stage
    from rankconst.tasks import Histogram
    from rankconst_builder.codes import Mask, Triples, Words
    from rankconst_builder.graph import Graph

    Select = Callable[[Triples], Mask]
    # By protocol, split and baseline, then by side.
    Tallies = dict[tuple[str, str, str], dict[str, Tally]]


def tally_protocols(
    graph: Graph,
    protocols: Iterable[Protocol],
    split: str,
    room: int | None = None,
    stage: Stage = unseen,
) -> dict[str, dict[str, Tally]]:
    """Count the candidates of a split by protocol and side, in parts of about `room` bytes."""
    ranked = {}
    for protocol in protocols:
        if not graph.explain_uncounted(protocol, split):
            ranked[protocol] = count_ranked(graph, protocol)

    tallies: dict[str, dict[str, Tally]] = {protocol.key: {} for protocol in ranked}
    sides = list_sides(graph)
    with stage(f"candidates of {split}", len(sides)) as advance:
        for side in sides:
            ranking = [protocol for protocol, sizes in ranked.items() if side in sizes]
            facts = Side.of(graph, split, side, ranking, room=room)
            tallies_of_parts = [facts.tally(part) for part in facts.packing.parts]
            merged = add_tallies(
                protocols=ranking, parts=tallies_of_parts, split=split, side=side, ranked=ranked
            )
            for protocol, tally in merged.items():
                tallies[protocol.key][side] = tally
            advance()

    return tallies


def add_tallies(
    protocols: Iterable[Protocol],
    parts: Iterable[Mapping[str, Tally]],
    split: str,
    side: str,
    ranked: Mapping[Protocol, Mapping[str, int]],
) -> dict[Protocol, Tally]:
    """Merge tallies of known answers, part by part, into tallies of candidates by protocol.

    Each of `parts` has a tally for each protocol, whose sizes are numbers of known answers, the
    true one included. `ranked` says how many entities or relations a protocol ranks on each side.
    Protocols without tasks are left out.
    """
    parts = list(parts)
    candidates = {}
    # Protocols with the same known answers share their tallies, as the same objects.
    merged: dict[tuple[int, ...], Tally] = {}
    for protocol in protocols:
        tallies_of_parts = [part[protocol.key] for part in parts]
        key = tuple(id(tally) for tally in tallies_of_parts)
        if key not in merged:
            merged[key] = Tally.merge(tallies_of_parts)

        tally = merged[key]
        if tally.size.size:
            num_removed = tally.size - 1  # the true answer stays
            where = f"{protocol.key} {split} {side}"
            num_candidates = subtract_known(num_removed, ranked[protocol][side], where)
            candidates[protocol] = replace(tally, size=num_candidates)

    return candidates


@dataclass(frozen=True)
class Side:
    """The facts of a graph as queries of one side of a split."""

    packing: Packing
    split: str  # whose triples are ranked
    protocols: Sequence[Protocol]
    sources: Mapping[str, Triples]  # known triples by split, and those in no split
    # The triples that protocols rank, and the known ones whose answers are candidates, by name.
    selections: Mapping[str, Select]

    @classmethod
    def of(
        cls,
        graph: Graph,
        split: str,
        side: str,
        protocols: Sequence[Protocol],
        *,
        room: int | None = None,
        rows: int | None = None,
    ) -> Side:
        """Plan how facts are packed and selected.

        Protocols with the same selection share its name, such as "ranked seen", and its counts.
        `rows` is the number of facts if train is elsewhere.
        """
        selections: dict[str, Select] = {}
        for protocol in protocols:
            is_ranked = functools.partial(_is_ranked, graph, protocol.tasks)
            selections[f"ranked {protocol.tasks}"] = is_ranked
            entities = select_candidates(graph, protocol)
            relations = None
            if side == RELATION_SIDE:
                relations = select_relations(graph, protocol)
            is_inside = functools.partial(_is_inside, entities, relations)
            selections[f"inside {protocol.candidates}"] = is_inside

        sources = list_sources(graph)
        if rows is None:
            rows = sum(len(triples) for triples in sources.values())

        return cls(
            packing=Packing.plan(graph, side, rows, room),
            split=split,
            protocols=protocols,
            sources=sources,
            selections=selections,
        )

    def tally(self, part: int, train: Words | None = None) -> dict[str, Tally]:
        """Tally the known answers of each query of a part, by protocol.

        `train` has the words of the training set if they come from elsewhere. Protocols with the
        same tasks and known answers share one object.
        """
        tally = functools.cache(_Part(self, part, train).tally)
        tallies = {}
        for protocol in self.protocols:
            sources = list_known(self.packing.graph, protocol, self.split)
            inside = f"inside {protocol.candidates}" if sources else ""
            tallies[protocol.key] = tally(
                tasks=f"ranked {protocol.tasks}",
                distinct=protocol.distinct,
                sources=sources,
                inside=inside,
                timed=not sources or protocol.time == "same",
            )

        return tallies

    @functools.cached_property
    def selective(self) -> frozenset[tuple[str, str]]:
        """The pairs of a selection and a source that it does not keep completely."""
        graph = self.packing.graph
        restricted = not (graph.allowed_entities is None and graph.allowed_relations is None)
        pairs = set()
        for name, select in self.selections.items():
            for source, triples in self.sources.items():
                if source == "train" and not restricted:
                    continue  # all that is in train is seen
                if not all(select(batch).all() for batch in split_batches(triples)):
                    pairs.add((name, source))

        return frozenset(pairs)


class _Part:
    """One part of the facts of a side, sorted and counted for all protocols."""

    def __init__(self, side: Side, part: int, train: Words | None = None) -> None:
        self._side, self._part = side, part
        # Cached methods would form reference cycles, which keep large arrays in memory for long.
        self._sorted: dict[tuple[str, str, bool], Words] = {}
        if train is not None:
            self._sorted["train", "", True] = train
        self._queries: dict[tuple[str, bool], Counts] = {}
        self._answers: dict[tuple[str, bool], Counts] = {}

    def tally(
        self, *, tasks: str, distinct: bool, sources: frozenset[str], inside: str, timed: bool
    ) -> Tally:
        """Tally the known answers of each query of the split, or 1 each without `sources`.

        `tasks` and `inside` name the selections of ranked triples and of known ones.
        """
        packing = self._side.packing
        queries, frequency = self._count_queries(tasks, distinct)
        relation = np.zeros_like(frequency)
        if packing.side != RELATION_SIDE:
            relation = packing.find_links(queries)

        count = np.ones_like(frequency)
        if sources:
            if not timed:
                queries = queries // np.uint64(packing.num_times)
            keys, count = self._count_answers(sources, inside, timed)
            if not np.array_equal(keys, queries):
                count = count[np.searchsorted(keys, queries)]

        return Tally.of_queries(count, frequency, relation)

    def _sort(self, source: str, selection: str, *, timed: bool) -> Words:
        """Return the sorted words of the selected facts of a source."""
        packing = self._side.packing
        select: Callable[[Triples], Triples] | None = None
        timed = timed or packing.num_times == 1
        if (selection, source) in self._side.selective:
            mark = self._side.selections[selection]

            def select(batch: Triples) -> Triples:
                return batch.select(mark(batch))

        else:
            selection = ""  # it keeps everything

        key = source, selection, timed
        if key not in self._sorted:
            packing = packing if timed else replace(packing, num_times=1)
            self._sorted[key] = packing.sort(self._side.sources[source], self._part, select)

        return self._sorted[key]

    def _count_queries(self, tasks: str, distinct: bool) -> Counts:
        """Count the tasks of each query of the split."""
        if (tasks, distinct) not in self._queries:
            words = self._sort(self._side.split, tasks, timed=True)
            words = drop_repeats(words) if distinct else words
            self._queries[tasks, distinct] = count_runs(self._side.packing.find_keys(words))
        return self._queries[tasks, distinct]

    def _count_answers(self, sources: frozenset[str], inside: str, timed: bool) -> Counts:
        """Count the distinct known answers of each query of the split."""
        packing = self._side.packing
        of_split = self._sort(self._side.split, inside, timed=timed)
        if (inside, timed) not in self._answers:
            distinct = drop_repeats(of_split)
            self._answers[inside, timed] = count_runs(packing.find_keys(distinct))

        queries, counts = self._answers[inside, timed]
        # Add the answers that only other sources have.
        other_sources = sorted(sources - {self._side.split})
        words_of_others = [self._sort(name, inside, timed=timed) for name in other_sources]
        words = drop_repeats(sort_words(words_of_others))
        only_elsewhere = np.delete(words, locate(of_split, words).rows)
        query_of_answer = locate(queries, packing.find_keys(only_elsewhere)).indices
        return Counts(queries, counts + np.bincount(query_of_answer, minlength=queries.size))


def _is_ranked(graph: Graph, tasks: str, batch: Triples) -> Mask:
    """Mark the triples that are ranked."""
    is_allowed = graph.is_allowed(batch)
    if tasks == "seen":
        return is_allowed & graph.is_seen(batch)
    return is_allowed


def _is_inside(entities: Mask, relations: Mask | None, batch: Triples) -> Mask:
    """Mark the known triples whose entities and relation are candidates."""
    is_inside: Mask = entities[batch.head] & entities[batch.tail]
    if relations is None:
        return is_inside
    return is_inside & relations[batch.relation]


# -- the histograms of all tasks of a graph --------------------------------------------------------


class GraphHistograms(NamedTuple):
    """The histograms of a graph."""

    histograms: dict[Tasks, Histogram]  # with those of macro averages and of each relation
    counting: str | None  # the kind of counting, if it is among the baselines


def count_histograms(
    key: str,
    graph: Graph,
    protocols: Sequence[Protocol],
    baselines: Iterable[str],
    splits: Collection[str],
    *,
    stage: Stage = unseen,
) -> GraphHistograms:
    """Count all tasks of a graph under chance, and those of valid and test under baselines."""
    tallies: Tallies = {}
    if "train" in splits:
        trained = tally_protocols(graph, protocols, "train", stage=stage)
        for protocol, sides in trained.items():
            tallies[protocol, "train", DEFAULT_BASELINE] = sides

    counts = count_protocols(graph, protocols, {*splits} - {"train"}, stage)
    informed = count_baselines(graph, counts, baselines, stage)
    tallies |= {address: count.tallies for address, count in informed.counts.items()}
    return GraphHistograms(list_histograms(key, graph, protocols, tallies), informed.counting)


def list_histograms(
    key: str, graph: Graph, protocols: Iterable[Protocol], tallies: Tallies
) -> dict[Tasks, Histogram]:
    """Return the histograms of tallies by tasks, in the order of protocols and splits.

    Besides micro averages, these are macro averages under chance and, except for train, single
    relations, which are averaged by query under a baseline.
    """
    order = [protocol.key for protocol in protocols]
    splits = [*SPLITS]

    def find_place(address: tuple[str, str, str]) -> tuple[int, int]:
        protocol, split, _ = address
        return order.index(protocol), splits.index(split)

    histograms: dict[Tasks, Histogram] = {}
    for protocol, split, baseline in sorted(tallies, key=find_place):
        for side, tally in tallies[protocol, split, baseline].items():
            tasks = Tasks(key, protocol, split, side, baseline=baseline)
            histograms[tasks] = tally.histogram()
            if side == RELATION_SIDE:
                continue
            if tasks.is_chance:
                for macro in list_macros(split):
                    macro_tasks = replace(tasks, aggregation=macro)
                    histograms[macro_tasks] = tally.histogram(MACROS[macro].group)

            if split != "train":
                single = tasks if tasks.is_chance else replace(tasks, aggregation="macro-query")
                by_relation = tally.relation_histograms(by_query=not tasks.is_chance)
                for name, histogram in _name_relations(graph, by_relation).items():
                    histograms[replace(single, relations=(name,))] = histogram

    return histograms


def _name_relations(graph: Graph, by_code: Mapping[int, Histogram]) -> dict[str, Histogram]:
    """Name relations by their labels, in alphabetical order, and pool those of the same name."""
    by_name: dict[str, Histogram] = {}
    for code, histogram in by_code.items():
        name = graph.name_relation(code)
        by_name[name] = by_name[name].pool(histogram) if name in by_name else histogram
    return dict(sorted(by_name.items()))
