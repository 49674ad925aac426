"""Count the candidates of a split's tasks all together: how many tasks are alike."""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from rankconst.catalogue.baselines import DEFAULT_BASELINE
from rankconst.catalogue.protocols import MACROS, RELATION_SIDE, SPLITS
from rankconst.progress import unseen
from rankconst.tasks import Tasks
from rankconst_builder.candidates import (
    Tally,
    count_protocols,
    count_ranked,
    leave_out,
    list_known,
    list_sides,
    list_sources,
    select_candidates,
    select_relations,
)
from rankconst_builder.rankers import count_baselines
from rankconst_builder.tabulate import list_macros
from rankconst_builder.words import (
    Packing,
    count_runs,
    drop_repeats,
    locate,
    sort_words,
    split_batches,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from rankconst.catalogue.protocols import Protocol
    from rankconst.progress import Stage
    from rankconst.tasks import Histogram
    from rankconst_builder.graph import Graph
    from rankconst_builder.words import Codes, Triples, Words

    Select = Callable[[Triples], NDArray[np.bool_]]
    # From protocol, split and baseline to side.
    Tallies = dict[tuple[str, str, str], dict[str, Tally]]


def tally_protocols(
    graph: Graph,
    protocols: Iterable[Protocol],
    split: str,
    room: int | None = None,
    stage: Stage = unseen,
) -> dict[str, dict[str, Tally]]:
    """Count the candidates of a split under each protocol, in `room` bytes if given."""
    counted = [each for each in protocols if not graph.explain_uncounted(each, split)]
    ranked = {protocol: count_ranked(graph, protocol) for protocol in counted}
    found: dict[str, dict[str, Tally]] = {protocol.key: {} for protocol in counted}
    sides = list_sides(graph)
    with stage(f"candidates of {split}", len(sides)) as advance:
        for side in sides:
            covered = [protocol for protocol, numbers in ranked.items() if side in numbers]
            looked = Side.of(graph, split, side, covered, room=room)
            parts = (looked.tally(part) for part in looked.packing.parts)
            for protocol, tally in add_tallies(covered, parts, split, side, ranked).items():
                found[protocol.key][side] = tally
            advance()
    return found


def add_tallies(
    protocols: Iterable[Protocol],
    parts: Iterable[Mapping[str, Tally]],
    split: str,
    side: str,
    ranked: Mapping[Protocol, Mapping[str, int]],
) -> dict[Protocol, Tally]:
    """Return the numbers of candidates of a side from the known answers of each part."""
    listed, found = [*parts], {}
    # Protocols that know the same have the same tallies.
    merged: dict[tuple[int, ...], Tally] = {}
    for protocol in protocols:
        tallies, number = [part[protocol.key] for part in listed], ranked[protocol][side]
        same = tuple(id(tally) for tally in tallies)
        if same not in merged:
            merged[same] = Tally.merge(tallies)
        known = merged[same]
        if not known.size.size:
            continue
        # One of the known answers, the true one, is a candidate.
        size = leave_out(known.size - 1, number, f"{protocol.key} {split} {side}")
        found[protocol] = replace(known, size=size)
    return found


@dataclass(frozen=True)
class Side:
    """The facts of a graph, as one side of a split asks for them."""

    packing: Packing
    split: str
    protocols: Sequence[Protocol]
    sources: Mapping[str, Triples]
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
        """Look at the facts of a graph; `rows` is their number if train is elsewhere."""
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
        number = sum(map(len, sources.values())) if rows is None else rows
        return cls(Packing.plan(graph, side, number, room), split, protocols, sources, selections)

    def tally(self, part: int, train: Words | None = None) -> dict[str, Tally]:
        """Return the numbers of known answers in a part; `train` has words from elsewhere."""
        # Tasks of protocols that know the same answers of the same queries are counted once.
        tally = functools.cache(_Part(self, part, train).tally)
        found = {}
        for protocol in self.protocols:
            known = list_known(self.packing.graph, protocol, self.split)
            found[protocol.key] = tally(
                tasks=f"ranked {protocol.tasks}",
                distinct=protocol.distinct,
                known=known,
                inside=f"inside {protocol.candidates}" if known else "",
                timed=not known or protocol.time == "same",
            )
        return found

    @functools.cached_property
    def selective(self) -> frozenset[tuple[str, str]]:
        """Which selections leave out anything of which source."""
        graph = self.packing.graph
        restricted = not (graph.allowed_entities is None and graph.allowed_relations is None)
        found = set()
        for name, select in self.selections.items():
            for source, triples in self.sources.items():
                if source == "train" and not restricted:
                    continue  # what train has is seen
                if not all(select(batch).all() for batch in split_batches(triples)):
                    found.add((name, source))
        return frozenset(found)


class _Part:
    """One part of the facts of a side; what is sorted and counted once serves all plans."""

    def __init__(self, side: Side, part: int, train: Words | None = None) -> None:
        self._side, self._part = side, part
        # Not caches of methods, whose cycles would keep large arrays until Python looks for cycles.
        self._sorted: dict[tuple[str, str, bool], Words] = {}
        if train is not None:
            self._sorted["train", "", True] = train
        self._asked: dict[tuple[str, bool], tuple[Words, Codes]] = {}
        self._known: dict[tuple[str, bool], tuple[Words, Codes]] = {}

    def tally(
        self, *, tasks: str, distinct: bool, known: frozenset[str], inside: str, timed: bool
    ) -> Tally:
        """Return the number of known answers of each query, those alike as one.

        `tasks` and `inside` name what selects those ranked, and the known triples that can be
        removed; `timed` is True if known answers are those of the same time.
        """
        packing = self._side.packing
        asked, frequency = self._count_asked(tasks, distinct)
        relation = np.zeros_like(frequency)
        if packing.side != RELATION_SIDE:
            relation = packing.find_given(asked)
        count = np.ones_like(frequency)
        if known:
            keys, found = self._count_known(known, inside, timed)
            wanted = asked if timed else asked // np.uint64(packing.num_times)
            count = found
            if not np.array_equal(keys, wanted):
                count = found[np.searchsorted(keys, wanted)]
        return Tally.of_queries(count, frequency, relation)

    def _sort(self, source: str, selection: str, *, timed: bool) -> Words:
        packing, keep = self._side.packing, None
        timed = timed or packing.num_times == 1
        if (selection, source) in self._side.selective:
            keep = functools.partial(_keep, self._side.selections[selection])
        key = source, "" if keep is None else selection, timed
        if key not in self._sorted:
            packing = packing if timed else replace(packing, num_times=1)
            self._sorted[key] = packing.sort([self._side.sources[source]], self._part, keep)
        return self._sorted[key]

    def _count_asked(self, tasks: str, distinct: bool) -> tuple[Words, Codes]:
        if (tasks, distinct) not in self._asked:
            words = self._sort(self._side.split, tasks, timed=True)
            words = drop_repeats(words) if distinct else words
            self._asked[tasks, distinct] = count_runs(self._side.packing.find_keys(words))
        return self._asked[tasks, distinct]

    def _count_known(self, known: frozenset[str], inside: str, timed: bool) -> tuple[Words, Codes]:
        """Count the known answers of each query of the split, without its time unless `timed`."""
        own = self._sort(self._side.split, inside, timed=timed)
        if (inside, timed) not in self._known:
            self._known[inside, timed] = count_runs(self._side.packing.find_keys(drop_repeats(own)))
        keys, counts = self._known[inside, timed]
        sources = sorted(known - {self._side.split})
        others = [self._sort(source, inside, timed=timed) for source in sources]
        words = drop_repeats(sort_words(others))
        repeated, _ = locate(own, words)
        _, place = locate(keys, self._side.packing.find_keys(np.delete(words, repeated)))
        return keys, counts + np.bincount(place, minlength=keys.size)


def _is_ranked(graph: Graph, tasks: str, batch: Triples) -> NDArray[np.bool_]:
    allowed = graph.is_allowed(batch)
    return allowed & graph.is_seen(batch) if tasks == "seen" else allowed


def _is_inside(
    entities: NDArray[np.bool_], relations: NDArray[np.bool_] | None, batch: Triples
) -> NDArray[np.bool_]:
    """Tell for each known triple whether its entities and its relation are candidates."""
    inside: NDArray[np.bool_] = entities[batch.head] & entities[batch.tail]
    return inside if relations is None else inside & relations[batch.relation]


def _keep(select: Select, batch: Triples) -> Triples:
    return batch.select(select(batch))


# What all tasks of a graph give: histograms, which are tabulated, and which constants follow from.


def count_histograms(
    key: str,
    graph: Graph,
    protocols: Sequence[Protocol],
    baselines: Iterable[str],
    splits: Collection[str],
    *,
    stage: Stage = unseen,
) -> tuple[dict[Tasks, Histogram], str | None]:
    """Return the histograms of all tasks, with those of macro averages and of each relation.

    Also return what counting ranks by, if it is among the baselines.
    """
    trained = tally_protocols(graph, protocols, "train", stage=stage) if "train" in splits else {}
    counts = count_protocols(graph, protocols, {*splits} - {"train"}, stage)
    informed, choice = count_baselines(graph, counts, baselines, stage)
    tallies = {(protocol, "train", DEFAULT_BASELINE): sides for protocol, sides in trained.items()}
    tallies |= {address: count.tallies for address, count in informed.items()}
    return list_histograms(key, graph, protocols, tallies), choice


def list_histograms(
    key: str,
    graph: Graph,
    protocols: Iterable[Protocol],
    tallies: Tallies,
) -> dict[Tasks, Histogram]:
    """Return the histograms of tallies, by protocol, split and baseline."""
    order = [protocol.key for protocol in protocols]
    found: dict[Tasks, Histogram] = {}
    splits = [*SPLITS]
    addresses = sorted(tallies, key=lambda one: (order.index(one[0]), splits.index(one[1])))
    for protocol, split, baseline in addresses:
        for side, tally in tallies[protocol, split, baseline].items():
            tasks = Tasks(key, protocol, split, side, baseline=baseline)
            found[tasks] = tally.histogram()
            if side == RELATION_SIDE:
                continue
            for macro in list_macros(split) if tasks.is_chance else ():
                found[replace(tasks, aggregation=macro)] = tally.histogram(MACROS[macro].group)
            if split != "train":
                one = tasks if tasks.is_chance else replace(tasks, aggregation="macro-query")
                by_relation = tally.relation_histograms(by_query=not tasks.is_chance)
                for name, histogram in _name_relations(graph, by_relation):
                    found[replace(one, relations=(name,))] = histogram
    return found


def _name_relations(
    graph: Graph, histograms: Mapping[int, Histogram]
) -> list[tuple[str, Histogram]]:
    """Name relations by their labels, in alphabetical order; those that look alike share one."""
    named: dict[str, Histogram] = {}
    for code, histogram in histograms.items():
        name = graph.name_relation(code)
        named[name] = named[name].pool(histogram) if name in named else histogram
    return sorted(named.items())
