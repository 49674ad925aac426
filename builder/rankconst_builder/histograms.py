"""The histograms of all tasks of a graph: what is tabulated, and what constants follow from."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rankconst.catalogue.aggregations import MACROS
from rankconst.catalogue.baselines import DEFAULT_BASELINE
from rankconst.catalogue.protocols import RELATION_SIDE, SPLITS
from rankconst.download import unseen
from rankconst.tasks import Histogram, Tasks
from rankconst_builder.baselines import count_baselines
from rankconst_builder.candidates import count_protocols
from rankconst_builder.tabulate import list_macros
from rankconst_builder.tallies import tally_protocols

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from rankconst.catalogue.protocols import Protocol
    from rankconst.download import Stage
    from rankconst_builder.graph import Graph
    from rankconst_builder.tallies import Tallies


def count_histograms(
    key: str,
    graph: Graph,
    protocols: Sequence[Protocol],
    baselines: Iterable[str],
    splits: Collection[str],
    *,
    stage: Stage = unseen,
) -> dict[Tasks, Histogram]:
    """Return the histograms of all tasks, weighted ones for macro averages, and those of each relation.

    They are in the order of protocols, splits, baselines and sides. `baselines` are covered where they have any,
    besides chance.
    """
    trained = tally_protocols(graph, protocols, "train", stage=stage) if "train" in splits else {}
    counts = count_protocols(graph, protocols, {*splits} - {"train"}, stage)
    informed = count_baselines(graph, counts, baselines, stage)
    return list_histograms(
        key,
        graph,
        protocols,
        {
            **{(protocol, "train", DEFAULT_BASELINE): sides for protocol, sides in trained.items()},
            **{address: count.tallies for address, count in informed.items()},
        },
    )


def list_histograms(
    key: str,
    graph: Graph,
    protocols: Iterable[Protocol],
    tallies: Tallies,
) -> dict[Tasks, Histogram]:
    """Return the histograms that tallies have, which go from protocol, split and baseline to side.

    Those of single relations under a baseline are weighted: all macro averages follow from them.
    """
    order = [protocol.key for protocol in protocols]
    found: dict[Tasks, Histogram] = {}
    for protocol, split, baseline in sorted(tallies, key=lambda one: (order.index(one[0]), [*SPLITS].index(one[1]))):
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


def _name_relations(graph: Graph, histograms: Mapping[int, Histogram]) -> list[tuple[str, Histogram]]:
    """Name relations by their labels, in alphabetical order; labels that look alike as text share their name."""
    named: dict[str, Histogram] = {}
    for code, histogram in histograms.items():
        name = graph.name_relation(code)
        named[name] = named[name].pool(histogram) if name in named else histogram
    return sorted(named.items())
