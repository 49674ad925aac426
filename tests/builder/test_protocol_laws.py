"""What holds whatever the graph and the protocol: who knows more ranks fewer, and names and orders
do not matter.
"""

from __future__ import annotations

import functools
import itertools
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brute import ORDER, entities_of, everything, relations_of
from cases import choose
from graphs import (
    CATALOGUE,
    DATASETS,
    TEMPORAL,
    TEMPORAL_DATASETS,
    WRITABLE,
    Dataset,
    count_candidates,
    make_graph,
    sizes_of,
)
from rankconst.catalogue.metrics import parse_metric
from rankconst.catalogue.protocols import PROTOCOLS, Protocol
from rankconst.moments import compute_moments
from rankconst.tasks import Histogram
from rankconst_builder.candidates import count_protocols

if TYPE_CHECKING:
    import random


# Both kinds of graphs, each with the protocols that rank all candidates of it.
GRAPHS = st.tuples(DATASETS, st.just([*CATALOGUE, *WRITABLE])) | st.tuples(
    TEMPORAL_DATASETS, st.just([*TEMPORAL.values()])
)


@settings(max_examples=choose(5, 15))
@given(DATASETS)
def test_who_knows_more_ranks_fewer(dataset: Dataset) -> None:
    counted = count_protocols(make_graph(dataset), WRITABLE)
    for protocol, split in itertools.product(WRITABLE, ORDER):
        for known in ("up_to", "own", "none"):
            key = protocol.key.removesuffix(protocol.known) + known
            if (
                protocol.known == "all"
                or (protocol.known == "up_to" and known != "up_to")
                or known == "none"
            ):
                pairs = zip(
                    sizes_of(counted[protocol.key, split]),
                    sizes_of(counted[key, split]),
                    strict=True,
                )
                assert all(
                    few <= more
                    for one, other in pairs
                    for few, more in zip(one, other, strict=True)
                )


@settings(max_examples=choose(7, 20))
@given(GRAPHS, st.sampled_from(ORDER), st.data())
def test_a_further_known_triple_takes_one_candidate_at_most(
    drawn: tuple[Dataset, list[Protocol]], split: str, data: st.DataObject
) -> None:
    dataset, protocols = drawn
    rows = everything(dataset)
    entity = st.sampled_from(sorted(entities_of(rows)))  # type: ignore[type-var] # one sortable type a call
    columns = [entity, st.sampled_from(sorted(relations_of(rows))), entity]  # type: ignore[type-var] # likewise
    if len(rows[0]) == 4:
        columns.append(st.sampled_from(sorted({row[3] for row in rows})))  # type: ignore[type-var] # likewise
    further = data.draw(st.tuples(*columns))
    more = {**dataset, split: [*dataset[split], further]}
    # In a temporal graph relations have inverses: of a loop, both are known.
    most = {
        "head": 1,
        "tail": 1,
        "relation": 2 if len(further) == 4 and further[0] == further[2] else 1,
    }
    # An entity that comes into train becomes a candidate where those of train are ranked.
    before, after = (count_protocols(make_graph(each), protocols) for each in (dataset, more))
    for (key, counted), old in before.items():
        protocol = next(each for each in protocols if each.key == key)
        if (
            split == "train" and "seen" in (protocol.candidates, protocol.tasks)
        ) or protocol.negatives is not None:
            continue
        new = after[key, counted]
        kept = old.tasks.rows.size
        for side, one, other in zip(old.blocks, sizes_of(old), sizes_of(new), strict=True):
            assert all(
                0 <= many - fewer <= most[side]
                for many, fewer in zip(one, other[:kept], strict=True)
            )
        if protocol.known == "none":
            assert [each[:kept] for each in sizes_of(new)] == sizes_of(old)


def rows_with_counts(
    dataset: Dataset, protocols: list[Protocol]
) -> dict[tuple[str, str], Counter[tuple[Any, ...]]]:
    """Return the ranked rows of each split under each protocol, each with its numbers of
    candidates.
    """
    counted = count_protocols(make_graph(dataset), protocols)
    return {
        (key, split): Counter(
            zip(
                (dataset[split][place] for place in counts.tasks.rows),
                *sizes_of(counts),
                strict=True,
            )
        )
        for (key, split), counts in counted.items()
    }


@settings(max_examples=choose(5, 15))
@given(GRAPHS, st.randoms(use_true_random=False))
def test_the_order_of_the_rows_does_not_matter(
    drawn: tuple[Dataset, list[Protocol]], shuffler: random.Random
) -> None:
    dataset, protocols = drawn
    shuffled = {split: shuffler.sample(rows, len(rows)) for split, rows in dataset.items()}
    assert rows_with_counts(shuffled, protocols) == rows_with_counts(dataset, protocols)


@settings(max_examples=choose(5, 15))
@given(GRAPHS, st.data())
def test_names_do_not_matter(drawn: tuple[Dataset, list[Protocol]], data: st.DataObject) -> None:
    dataset, protocols = drawn
    entities, relations = (
        dict(zip(names, data.draw(st.permutations(names)), strict=True))
        for names in ([*entities_of(everything(dataset))], [*relations_of(everything(dataset))])
    )
    renamed: Any = {
        split: [(entities[h], relations[r], entities[t], *time) for h, r, t, *time in rows]
        for split, rows in dataset.items()
    }
    ours, others = (count_protocols(make_graph(each), protocols) for each in (dataset, renamed))
    for key, one in ours.items():
        assert others[key].tasks.rows.tolist() == one.tasks.rows.tolist()
        assert sizes_of(others[key]) == sizes_of(one)


def pool(parts: list[Histogram]) -> Histogram:
    return functools.reduce(Histogram.pool, parts)


@pytest.mark.parametrize("name", ["mean rank", "mrr", "hits@1", "hits@3"])
@settings(max_examples=choose(3, 8))
@given(dataset=DATASETS)
def test_a_pooled_mean_is_the_weighted_sum_of_its_parts(name: str, dataset: Dataset) -> None:
    metric = parse_metric(name)
    graph = make_graph(dataset)
    for key, split in itertools.product(("standard", "raw", "pykeen"), ORDER):
        counts = count_candidates(graph, PROTOCOLS[key], split)
        if not counts.tasks.rows.size:
            assert not any(
                counts.blocks[side].tally.relation_histograms() for side in ("head", "tail")
            )
            continue
        heads, tails = (
            counts.blocks["head"].tally.histogram(),
            counts.blocks["tail"].tally.histogram(),
        )
        relations = [counts.blocks[side].tally.relation_histograms() for side in ("head", "tail")]
        assert [pool([*each.values()]) for each in relations] == [heads, tails]
        whole = compute_moments(metric, heads.pool(tails))
        for parts in ([heads, tails], [part for each in relations for part in each.values()]):
            moments = [(part.total, compute_moments(metric, part)) for part in parts]
            total = sum(size for size, _ in moments)
            mean = sum(size * each.expectation for size, each in moments) / total
            # The parts are independent.
            variance = sum(size**2 * each.variance for size, each in moments) / total**2
            assert (whole.expectation, whole.variance) == pytest.approx((mean, variance), rel=1e-12)
