"""Oracles of the builder's tests: protocols and baselines in plain loops, sets and Counters.

Nothing here imports the code under test, but for a type. Labels may be of any hashable type; a
dataset is a mapping of split to the rows of its file in their order. Of a protocol only the
attributes that its class documents are read.
"""

import functools
import itertools
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from rankconst.catalogue.protocols import Protocol

Row = tuple[Hashable, ...]  # head, relation, tail; in temporal graphs also the time
Rows = Sequence[Row]
Dataset = Mapping[str, Rows]

ORDER = ("train", "valid", "test")


@dataclass(frozen=True)
class BruteCounts:
    """Ranked rows, and the number of candidates of each on either side."""

    rows: list[int]
    head: list[int]
    tail: list[int]
    num_entities: int
    # Of tasks (h, ?, t), row by row; in temporal graphs, those of (t, ?, h) follow. Empty if there
    # are none.
    relation: list[int]


def entities_of(rows: Iterable[Row]) -> set[Hashable]:
    return {entity for h, _, t, *_ in rows for entity in (h, t)}


def relations_of(rows: Iterable[Row]) -> set[Hashable]:
    return {row[1] for row in rows}


def everything(dataset: Dataset) -> list[Row]:
    return [row for split in ORDER for row in dataset[split]]


def count_brute_force(dataset: Dataset, protocol: Protocol, split: str) -> BruteCounts:
    """Count candidates one by one."""
    rows, candidates = list_candidates(dataset, protocol, split)
    if protocol.negatives is not None:
        same = [protocol.negatives + 1] * len(rows)
        return BruteCounts(rows, same, same, protocol.negatives + 1, [])
    heads, tails = [], []
    for head, tail in candidates:
        heads.append(len(head))
        tails.append(len(tail))
    relations = count_relations(dataset, protocol, split, rows)
    return BruteCounts(rows, heads, tails, len(ranked_entities(dataset, protocol)), relations)


def count_with_sets(
    dataset: Dataset, context: Iterable[Hashable] = (), stated: tuple[int, int] = (0, 0)
) -> Callable[[Protocol, str], BruteCounts]:
    """Return what counts as above for graphs of real size: answers are gathered in sets, query by query.

    Relations of a context are seen, too; the numbers of entities and relations may be stated. Many
    protocols and splits have the same known facts, which are gathered once.
    """
    asked: dict[str, Protocol] = {}
    temporal = any(len(row) > 3 and not isinstance(row[3], tuple) for row in everything(dataset))

    @functools.cache
    def rank(candidates: str) -> tuple[set[Hashable], set[Hashable]]:
        protocol = asked[candidates]
        return ranked_entities(dataset, protocol), ranked_relations(dataset, protocol)

    @functools.cache
    def gather(
        candidates: str, names: frozenset[str], end: int | None
    ) -> list[dict[Hashable, set[Hashable]]]:
        entities, kinds = rank(candidates)
        heads, tails, relations = found = [defaultdict[Any, set[Any]](set) for _ in range(3)]
        for h, r, t, *more in (row[:end] for name in names for row in dataset[name]):
            if not {h, t} <= entities:
                continue
            heads[r, t, *more].add(h)
            tails[h, r, *more].add(t)
            if r in kinds:
                relations[h, t, *more].add((r, False))
                if temporal:
                    relations[t, h, *more].add((r, True))
        return [dict(one) for one in found]

    @functools.cache
    def list_once(tasks: str, distinct: bool, split: str) -> list[int]:
        return list_rows(dataset, asked[f"{tasks} {distinct}"], split, context)

    @functools.cache
    def count_rows(
        candidates: str,
        tasks: str,
        distinct: bool,
        names: frozenset[str],
        end: int | None,
        split: str,
    ) -> BruteCounts:
        entities, kinds = rank(candidates)
        rows, size = list_once(tasks, distinct, split), stated[0] or len(entities)
        heads, tails, relations = gather(candidates, names, end)
        ranked, none = [dataset[split][place][:end] for place in rows], frozenset[Any]()
        return BruteCounts(
            rows,
            [size - count_others(heads.get((r, t, *more), none), h) for h, r, t, *more in ranked],
            [size - count_others(tails.get((h, r, *more), none), t) for h, r, t, *more in ranked],
            size,
            count_kinds(stated[1] or len(kinds), relations, ranked),
        )

    def count_kinds(size: int, relations: Any, ranked: Sequence[Any]) -> list[int]:
        tasks = [((h, t, *more), (r, False)) for h, r, t, *more in ranked]
        if temporal:
            tasks += [((t, h, *more), (r, True)) for h, r, t, *more in ranked]
        size *= 1 + temporal
        return [size - count_others(relations.get(pair, set()), true) for pair, true in tasks]

    def count(protocol: Protocol, split: str) -> BruteCounts:
        if protocol.negatives is not None:
            return count_brute_force(dataset, protocol, split)
        asked[protocol.candidates] = asked[f"{protocol.tasks} {protocol.distinct}"] = protocol
        filters = filter_splits(protocol, split)
        names = frozenset({split, *filters} if filters else ())
        end = None if protocol.time == "same" else 3
        return count_rows(protocol.candidates, protocol.tasks, protocol.distinct, names, end, split)

    return count


def count_others(known: set[Hashable] | frozenset[Hashable], true: Hashable) -> int:
    """Count the known answers but the true one."""
    return len(known) - (true in known)


def ranked_entities(dataset: Dataset, protocol: Protocol) -> set[Hashable]:
    placed = entities_of(everything(dataset))
    return {
        "all": placed | {value for row in everything(dataset) for value in values_of(row)},
        "seen": entities_of(dataset["train"]),
        "placed": placed,
    }[protocol.candidates]


def ranked_relations(dataset: Dataset, protocol: Protocol) -> set[Hashable]:
    return relations_of(dataset["train"] if protocol.candidates == "seen" else everything(dataset))


def count_relations(dataset: Dataset, protocol: Protocol, split: str, rows: list[int]) -> list[int]:
    """Count what tasks (h, ?, t) rank: relations that are true, or no known answer; no task is of a statement.

    In temporal graphs, (t, ?, h) asks for the inverse of a relation, and inverses are ranked, too.
    """
    facts = [dataset[split][place] for place in rows]
    if any(len(row) > 3 and isinstance(row[3], tuple) for row in everything(dataset)):
        return []
    filters = filter_splits(protocol, split)
    end = None if protocol.time == "same" else 3
    known = (
        {row[:end] for name in dict.fromkeys((*filters, split)) for row in dataset[name]}
        if filters
        else set()
    )
    temporal = any(len(row) > 3 for row in everything(dataset))
    directions = (False, True) if temporal else (False,)
    kinds = [*itertools.product(ranked_relations(dataset, protocol), directions)]
    counts = []
    for inverse, (h, r, t, *time) in itertools.product(directions, facts):
        x, y = (t, h) if inverse else (h, t)
        others = 0
        for kind, turned in kinds:
            fact = (y, kind, x, *time) if turned else (x, kind, y, *time)
            others += (kind, turned) == (r, inverse) or fact[:end] not in known
        counts.append(others)
    return counts


def values_of(row: Row) -> list[Hashable]:
    """List the entities in the qualifiers of a statement, which are pairs of a relation and an
    entity.
    """
    return [value for _, value in row[3]] if len(row) > 3 and isinstance(row[3], tuple) else []


def list_candidates(
    dataset: Dataset, protocol: Protocol, split: str
) -> tuple[list[int], Iterator[tuple[list[Hashable], list[Hashable]]]]:
    """List ranked rows and each one's candidates for head and tail: true answers, and what is no
    known answer.
    """
    entities, rows = ranked_entities(dataset, protocol), list_rows(dataset, protocol, split)
    filters = filter_splits(protocol, split)
    # What a known fact must share with the task, besides two of its three parts: all that follows
    # them, or nothing.
    end = None if protocol.time == "same" else 3
    known = {row[:end] for name in filters for row in dataset[name]}
    if filters:
        known |= {row[:end] for row in dataset[split]}
    ranked = (dataset[split][place] for place in rows)
    return rows, (
        (
            [other for other in entities if other == h or (other, r, t, *time)[:end] not in known],
            [other for other in entities if other == t or (h, r, other, *time)[:end] not in known],
        )
        for h, r, t, *time in ranked
    )


def list_rows(
    dataset: Dataset, protocol: Protocol, split: str, context: Iterable[Hashable] = ()
) -> list[int]:
    """List the rows of a split that are ranked."""
    seen_entities = entities_of(dataset["train"])
    seen_relations = relations_of(dataset["train"]) | {*context}
    rows: list[int] = []
    before: set[Row] = set()
    for place, row in enumerate(dataset[split]):
        h, r, t = row[:3]
        repeated = row in before
        before.add(row)
        unseen = not (h in seen_entities and r in seen_relations and t in seen_entities)
        if (protocol.tasks == "seen" and unseen) or (protocol.distinct and repeated):
            continue
        rows.append(place)
    return rows


def filter_splits(protocol: Protocol, split: str) -> tuple[str, ...]:
    """List the splits whose triples are removed."""
    up_to = ORDER[: ORDER.index(split) + 1]
    return {"none": (), "own": ("train", split), "up_to": up_to, "all": ORDER}[protocol.known]


# A score of an entity on a side, for a query of the other entity, a relation and perhaps a time.
Score = Callable[[str, "Hashable", "Hashable", "Hashable", Any], Any]


def score_uniform(dataset: Dataset) -> Score:
    del dataset
    return lambda *_: 0


def score_frequency(dataset: Dataset) -> Score:
    train = {row[:3] for row in dataset["train"]}
    often = Counter(("head", r, h) for h, r, _ in train) + Counter(
        ("tail", r, t) for _, r, t in train
    )
    return lambda side, _, relation, answer, *__: often[side, relation, answer]


def score_rules(dataset: Dataset) -> Score:
    """Score by the highest confidence of any rule of one atom, then by frequency."""
    train = {row[:3] for row in dataset["train"]}
    often = score_frequency(dataset)
    pairs: dict[Hashable, set[tuple[Hashable, Hashable]]] = {}
    for h, r, t in train:
        pairs.setdefault(r, set()).add((h, t))

    @functools.cache
    def rate(body: Hashable, relation: Hashable, *, turned: bool) -> Fraction:
        found = {(y, x) if turned else (x, y) for x, y in pairs[body]}
        return Fraction(len(found & pairs.get(relation, set())), len(found) + 5)

    def score(
        side: str, entity: Hashable, relation: Hashable, answer: Hashable, _: Any
    ) -> tuple[Fraction, int]:
        h, t = (answer, entity) if side == "head" else (entity, answer)
        frequency = often(side, entity, relation, answer, None)
        others = {x if side == "tail" else y for x, y in pairs.get(relation, set())}
        confidences = [Fraction(frequency, len(others) + 5)]
        for body, connected in pairs.items():
            if body != relation and (h, t) in connected:
                confidences.append(rate(body, relation, turned=False))
            if (t, h) in connected:
                confidences.append(rate(body, relation, turned=True))
        return max(confidences), frequency

    return score


def score_recency(dataset: Dataset, split: str) -> Score:
    """Score by the last time that the splits before have the fact with, then by frequency in the
    training set.
    """
    last: dict[Hashable, Any] = {}
    for name in ORDER[: ORDER.index(split)]:
        for h, r, t, time in dataset[name]:
            last[h, r, t] = max(time, last.get((h, r, t), time))
    often = score_frequency(dataset)

    def score(
        side: str, entity: Hashable, relation: Hashable, answer: Hashable, _: Any
    ) -> tuple[bool, Any, int]:
        h, t = (answer, entity) if side == "head" else (entity, answer)
        seen = last.get((h, relation, t))
        return seen is not None, seen or 0, often(side, entity, relation, answer, None)

    return score


def score_single_step(dataset: Dataset) -> Score:
    """Score by the last time before the query's that any split has the fact with, then by frequency
    until then.
    """

    def score(
        side: str, entity: Hashable, relation: Hashable, answer: Hashable, now: Any
    ) -> tuple[bool, Any, int]:
        h, t = (answer, entity) if side == "head" else (entity, answer)
        before = [row for row in everything(dataset) if row[3] < now]
        seen: list[Any] = [time for *fact, time in before if fact == [h, relation, t]]
        place = 0 if side == "head" else 2
        facts = {row[:3] for row in before if row[1] == relation and row[place] == answer}
        return bool(seen), max(seen, default=0), len(facts)

    return score


def score_baselines(dataset: Dataset, split: str, choice: str) -> dict[str, Score]:
    """Return the score of every baseline, if counting ranks by `choice`."""
    scores = {"uniform": score_uniform(dataset), "frequency": score_frequency(dataset)}
    if choice == "recency":
        single = score_single_step(dataset)
        return {**scores, "counting": score_recency(dataset, split), "counting_single_step": single}
    counting = scores["frequency"] if choice == "frequency" else score_rules(dataset)
    return {**scores, "counting": counting}


def choose_counting(dataset: Dataset, protocol: Protocol) -> str:
    """Return by what counting ranks: what has the larger expected MRR on the validation set,
    exactly.
    """
    expected = {}
    for choice in ("rules", "frequency"):
        ranks = rank_brute_force(dataset, protocol, "valid", ["counting"], choice)["counting"]
        places = [*ranks["head"], *ranks["tail"]]
        expected[choice] = sum(
            sum(Fraction(1, rank) for rank in range(above + 1, above + same + 1)) / same
            for above, same in places
        )
    return max(expected, key=expected.__getitem__)


Ranks = dict[str, list[tuple[int, int]]]


def rank_brute_force(
    dataset: Dataset,
    protocol: Protocol,
    split: str,
    baselines: Iterable[str],
    choice: str = "rules",
) -> dict[str, Ranks]:
    """Count for each baseline, side and ranked row how many candidates score above the true answer, and how many the
    same; `choice` is what counting ranks by."""
    known = score_baselines(dataset, split, choice)
    scores = {baseline: known[baseline] for baseline in baselines if baseline in known}
    rows, candidates = list_candidates(dataset, protocol, split)
    found: dict[str, Ranks] = {baseline: {"head": [], "tail": []} for baseline in scores}
    for place, (heads, tails) in zip(rows, candidates, strict=True):
        h, r, t, *time = dataset[split][place]
        for side, entity, answer, others in (("head", t, h, heads), ("tail", h, t, tails)):
            for baseline, score in scores.items():
                own = score(side, entity, r, answer, *time[:1] or [None])
                values = [score(side, entity, r, other, *time[:1] or [None]) for other in others]
                found[baseline][side].append((sum(one > own for one in values), values.count(own)))
    return found


def weigh_brute_force(rows: Rows, side: str, group: str) -> list[Fraction]:
    """Weigh ranked rows of one side: 1 / how many of them share the query, or the relation."""
    queries: list[Hashable] = [
        (r, t, *time) if side == "head" else (h, r, *time) for h, r, t, *time in rows
    ]
    groups = queries if group == "query" else [row[1] for row in rows]
    return [Fraction(1, groups.count(one)) for one in groups]


def describe_brute_force(dataset: Dataset) -> dict[str, Any]:
    """Count what :class:`rankconst_builder.graph.Statistics` holds, under the same names."""
    rows = everything(dataset)
    train = dataset["train"]
    seen_entities, seen_relations = entities_of(train), relations_of(train)
    seen: dict[str, list[Row]] = {split: [] for split in ORDER}
    for split in ORDER:
        for row in dataset[split]:
            if {row[0], row[2]} <= seen_entities and row[1] in seen_relations:
                seen[split].append(row)
    # Distinct, as STATISTICS.csv has it.
    return {
        "entities": len(entities_of(rows)),
        "entities_train": len(seen_entities),
        "relations": len(relations_of(rows)),
        "relations_train": len(seen_relations),
        "rows": {split: len(dataset[split]) for split in ORDER},
        "distinct": {split: len(set(dataset[split])) for split in ORDER},
        "overlaps": {
            (later, earlier): len(set(dataset[later]) & set(dataset[earlier]))
            for later, earlier in (("valid", "train"), ("test", "train"), ("test", "valid"))
        },
        "seen": {split: len(seen[split]) for split in ORDER},
        "seen_distinct": {split: len(set(seen[split])) for split in ORDER},
        "self_loops_train": sum(1 for h, _, t, *_ in set(train) if h == t),
    }


def read_rows(
    content: bytes, columns: str = "hrt", delimiter: bytes = b"\t", *, padded: bool = False
) -> list[Any]:
    """Read a well-formed file of triples or quadruples, with no count line, one line after the
    other.
    """
    rows = []
    for line in content.removesuffix(b"\n").split(b"\n"):
        cells = line.removesuffix(b"\r").split(delimiter)
        if padded:
            cells = [cell.strip(b" ") for cell in cells]
        pairs = list(zip(columns, cells, strict=True))
        rows.append(tuple(cell for wanted in "hrtd" for letter, cell in pairs if letter == wanted))
    return rows
