"""Which ranking tasks each evaluation of a file is from: what file and user say, completed by its own numbers.

Adjusted values and numbers of ranks decide what is not said, whole: dataset, split, side, protocol and aggregation.
Where several sets of tasks with different constants fit, or none, the evaluation gets a question.
"""

from __future__ import annotations

import functools
import itertools
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from rankconst.catalogue.aggregations import DEFAULT_AGGREGATION
from rankconst.catalogue.metrics import parse_metric
from rankconst.catalogue.protocols import RELATION_SIDE, find_protocol
from rankconst.checks.identify.evidence import Evidence, collect_evidence
from rankconst.checks.identify.matches import Match, agrees, prefer, preference, rank
from rankconst.checks.identify.relations import rank_relations
from rankconst.checks.identify.search import CERTAIN, describe_nearest, gather, list_names, select
from rankconst.errors import RankconstError
from rankconst.evaluation import NAMES, Ask, Stated, list_parsers, parse_stated, settle
from rankconst.moments import compute_moments
from rankconst.names import list_first
from rankconst.results.adjust import name_relations
from rankconst.results.reading import Entries, Group, Reading, group_entries
from rankconst.tables.search import TaskSets
from rankconst.tasks import Histogram

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from rankconst.tables.tables import Tables
    from rankconst.tasks import Tasks


@dataclass(frozen=True)
class Completed:
    """The evaluations of a file with what is known about their ranking tasks."""

    # With completed contexts.
    reading: Reading
    # As in the file, and the completed context of each.
    groups: tuple[Group, ...] = ()
    contexts: tuple[Stated, ...] = ()
    # The places of groups that are asked about as a number fits nothing, or not what is usual: it may be a slip.
    unfit: frozenset[int] = frozenset()
    # How numbers were understood, where that is not what file, user and tool say.
    note: str = ""


@dataclass(frozen=True)
class _Part:
    """Evaluations that differ in the tie policy only, and what their numbers say."""

    context: Stated
    places: tuple[int, ...]
    evidence: Evidence
    # What file and user name, as keys; None where nothing is searched for.
    names: Mapping[str, str] | None
    # Those that fit: whole sets, or else those of a few relations.
    matches: tuple[Match, ...] = ()
    # How many candidates each task has, where nothing fits and all have equally many.
    equal: int | None = None
    # Why nothing fits.
    ask: Ask | None = None

    @property
    def tells(self) -> bool:
        """True if some adjusted value tells: a number of ranks, and what is vague, may only contradict."""
        return any(piece.metric is not None for piece in self.evidence.pieces)

    @property
    def is_restricted(self) -> bool:
        """True if only a few relations fit."""
        return any(match.tasks.relations for match in self.matches)


def complete_reading(reading: Reading, tables: Tables, user: Stated) -> Completed:
    """Find the ranking tasks of every evaluation; `user` in any spelling."""
    user = parse_stated(user, tables)
    reading = name_relations(reading, user, tables)
    if not _tells(reading):
        return Completed(reading)
    search, groups = _Search(reading, tables, user), group_entries(reading)
    # A file may tell evaluations on the same tasks apart by model and side.
    frames: dict[Stated, list[_Part]] = {}
    for context, places in gather(groups, reading.layout):
        part = search.find(context, tuple(places), [groups[at] for at in places])
        frames.setdefault(replace(context, model=None, side=None, num_tasks=None), []).append(part)
    search.find_counted(itertools.chain(*frames.values()))
    contexts = [group.context for group in groups]
    told: dict[Match, None] = {}
    unfit: set[int] = set()
    for part, context, match in itertools.chain(*map(search.settle, frames.values())):
        for place in part.places:
            contexts[place] = replace(context, rank_type=groups[place].context.rank_type)
        if match is not None:
            told[match] = None
        if context.asks != part.context.asks and not (part.tells and part.matches):
            unfit.update(part.places)
    known = {
        (entry.row, entry.column, group.context): context
        for group, context in zip(groups, contexts, strict=True)
        for entry in (group.entries if context != group.context else ())
    }
    entries = Entries(
        entry._replace(context=known.get((entry.row, entry.column, entry.context), entry.context))
        for entry in reading.entries
    )
    completed = replace(reading, entries=entries) if known else reading
    return Completed(completed, tuple(groups), tuple(contexts), frozenset(unfit), search.describe(told))


def _tells(reading: Reading) -> bool:
    """Tell whether there are adjusted values or numbers of ranks, without a look at each of a million entries."""
    return any(head.adjustment is not None or head.metric.scale == "count" for head in reading.entries.heads) or any(
        context.num_tasks is not None for context in reading.entries.contexts
    )


class _Search:
    """The search for the ranking tasks of one file."""

    def __init__(self, reading: Reading, tables: Tables, user: Stated) -> None:
        self.reading, self.tables, self.user = reading, tables, user
        self.sets = TaskSets.of(tables)
        # Thousands of rows may say nothing but the same number.
        self._by_count: dict[Stated, _Part] = {}
        # The dataset that the numbers of ranks of several splits show together.
        self._counted = ""
        # Numbers of candidates that every task of some evaluation has.
        self._equal: dict[int, None] = {}

    def _name(self, context: Stated) -> Mapping[str, str] | None:
        """Return what file and user name; None if it is unknown, contradicts itself or is not of these tables."""
        names: dict[str, str] = {}
        dataset = self.user.dataset or context.dataset or next(iter(self.tables.datasets))
        try:
            for name, parse in list_parsers(self.tables).items():
                said, asked = getattr(context, name), getattr(self.user, name)
                if found := asked or (parse(said) if said else None):
                    names[name] = found
            tasks = settle(replace(context, dataset=dataset), self.user, self.tables, tool=self.reading.tool)[0]
        except RankconstError:
            return None
        known = tasks.dataset in self.sets.names["dataset"]  # not the user's own counts
        counted_elsewhere = not known or tasks.relations or tasks.side == RELATION_SIDE
        return None if counted_elsewhere or find_protocol(tasks.protocol).negatives is not None else names

    def find(self, context: Stated, places: tuple[int, ...], groups: Sequence[Group]) -> _Part:
        """Search for the sets of tasks that the numbers of some groups fit."""
        entries = [group.entries for group in groups]
        evidence = collect_evidence(entries, tool=self.reading.tool, percent=self.user.percent)
        names = self._name(context)
        part = _Part(context, places, evidence, names)
        if names is None or not (evidence.pieces or evidence.vague):
            return part
        if not part.tells and not evidence.vague:
            key = replace(context, model=None)
            if key not in self._by_count:
                self._by_count[key] = self._find_whole(part, names)
            found = self._by_count[key]
            return replace(part, matches=found.matches, ask=found.ask)
        found = self._find_whole(part, names)
        if found.matches:
            return found
        if "protocol" not in names and self._may_hold(part, names) and (size := find_equal(evidence)) is not None:
            return replace(found, equal=size)
        elsewhere = rank(evidence, self.sets, select(self.sets, {}), self.user) if names else ()
        if elsewhere and elsewhere[0].by_chance < CERTAIN:
            text = f"its numbers do not fit {list_names(names)}; they are those of {_describe(elsewhere[:1])}"
            return replace(part, ask=Ask("tasks", text))
        attempts = (rank_relations(evidence, self.tables, asked, self.user) for asked in _widen(names, self.user))
        return replace(found, matches=next(filter(None, attempts), ()))

    def _find_whole(self, part: _Part, names: Mapping[str, str]) -> _Part:
        """Search whole sets; what is called both sides may be one side alone that was evaluated."""
        for asked in _widen(names, self.user):
            if matches := rank(part.evidence, self.sets, select(self.sets, asked), self.user):
                return replace(part, matches=matches)
        return replace(part, ask=self._ask_nearest(part.evidence, names))

    def _may_hold(self, part: _Part, names: Mapping[str, str]) -> bool:
        """Tell whether the named dataset has that number of ranks: sampling limits the candidates, not the ranks."""
        if "dataset" not in names:
            return True
        stated = [piece.value for piece in part.evidence.pieces if piece.metric is None]
        chosen = select(self.sets, {name: key for name, key in names.items() if name in {"dataset", "split", "side"}})
        return bool(np.isin(self.sets.num_tasks[chosen], stated).any())

    def _ask_nearest(self, evidence: Evidence, names: Mapping[str, str]) -> Ask:
        """Return what is nearest where nothing fits, and what may be the reason."""
        chosen = select(self.sets, names)
        if not chosen.any():
            return Ask("tasks", f"the tables ({self.tables.version}) hold no such tasks: {list_names(names)}")
        evidence = evidence if evidence.pieces else replace(evidence, pieces=evidence.vague)
        nearest, remedy = describe_nearest(evidence, self.sets, chosen, self.user)
        text = f"its numbers fit no ranking tasks in the tables: {nearest}"
        return Ask("tasks", text, remedy=remedy if "dataset" in names else "--dataset")

    def find_counted(self, parts: Iterable[_Part]) -> None:
        """Find the one dataset whose splits have the numbers of ranks that evaluations count, if that is no chance."""
        unnamed = (part for part in parts if not part.tells and part.names is not None and "dataset" not in part.names)
        fits = {tuple(each.value for each in part.evidence.pieces): part.matches for part in unnamed if part.matches}
        common = set.intersection(*({one.tasks.dataset for one in each} for each in fits.values())) if fits else set()
        if len(common) == 1 and math.prod(matches[0].by_chance for matches in fits.values()) < CERTAIN:
            self._counted = common.pop()

    # -- evaluations that share what the file says ---------------------------------------------------------------------

    def settle(self, parts: Sequence[_Part]) -> Iterator[tuple[_Part, Stated, Match | None]]:
        """Yield the completed context of each part, and the match that says more than the file does.

        All are of one dataset, split and protocol if they can be.
        """
        telling = [part for part in parts if part.tells and part.names is not None]
        shared = _share(telling)
        # A few relations have to be those of all sides.
        if any(part.is_restricted for part in telling) and not (shared and all(part.matches for part in telling)):
            parts = [replace(part, matches=()) if part.is_restricted else part for part in parts]
            telling = [part for part in parts if part.tells and part.names is not None]
            shared = _share(telling)
        certain = min((part.matches[0].by_chance for part in telling if part.matches), default=1.0) < CERTAIN
        # Equally many candidates have to be those of all sides, too.
        equal = all(part.equal for part in telling)
        for part in parts:
            named = "dataset" in (part.names or {}) and not part.is_restricted
            if part.names is None:
                yield part, part.context, None
            elif part.equal and equal:
                self._equal[part.equal] = None
                yield part, replace(part.context, protocol=f"sampled:{part.equal - 1}"), None
            elif part.tells:
                alone = bool(part.matches) and part.matches[0].by_chance < CERTAIN
                sure = named or (certain if shared else alone)
                yield part, *self._conclude(part, _restrict(part.matches, shared) or part.matches, sure=sure)
            elif shared and (certain or named):
                matches = part.matches or self._list_shared(shared, part)
                yield part, *self._conclude(part, _restrict(matches, shared), sure=True)
            else:
                yield part, *self._settle_usual(part, named=named)

    def _settle_usual(self, part: _Part, *, named: bool) -> tuple[Stated, Match | None]:
        """Complete what has no adjusted value that tells: as is usual, if its number of ranks allows that."""
        if not (part.evidence.pieces or part.evidence.vague):
            return part.context, None
        usual = tuple(match for match in part.matches if match.tasks.aggregation == DEFAULT_AGGREGATION)
        default, protocol = self._default(part), prefer(part.evidence, self.user)
        if any(default in (match.tasks, *match.same) for match in usual):
            return part.context, None
        likely = tuple(match for match in usual if protocol in {one.protocol for one in (match.tasks, *match.same)})
        matches = likely or usual or part.matches
        sure = named or {match.tasks.dataset for match in matches} == {self._counted}
        return self._conclude(part, matches, sure=sure or bool(matches and matches[0].by_chance < CERTAIN))

    def _list_shared(self, shared: Iterable[Tasks], part: _Part) -> tuple[Match, ...]:
        """Return the tasks of the other evaluations, of the side of a part; those with the same candidates as one."""
        side = (part.names or {}).get("side", "both")
        order = functools.partial(preference, protocol=prefer(part.evidence, self.user))
        alike: dict[object, list[Tasks]] = {}
        for tasks in sorted((replace(each, side=side) for each in shared), key=order):
            alike.setdefault((self.tables.histogram(tasks), tasks.aggregation), []).append(tasks)
        return tuple(Match(first, tuple(others), 0, ()) for first, *others in alike.values())

    def _default(self, part: _Part) -> Tasks | None:
        """Return the tasks that are assumed where no number tells."""
        try:
            return settle(part.context, self.user, self.tables, tool=self.reading.tool)[0]
        except RankconstError:
            return None

    def _conclude(self, part: _Part, matches: tuple[Match, ...], *, sure: bool) -> tuple[Stated, Match | None]:
        """Complete a context by the one match; without it, ask."""
        ask = None
        if not matches:
            ask = part.ask or Ask("tasks", "its numbers fit other ranking tasks than those beside them")
        elif len(matches) > 1:
            ask = _ask_which(matches)
        elif not sure:
            text = f"no dataset is named; its numbers fit {_describe(matches)}, but so few digits can fit by chance"
            ask = Ask("dataset", text, remedy="--dataset")
        if ask is not None:
            return replace(part.context, asks=(*part.context.asks, ask)), None
        default, every = self._default(part), (matches[0].tasks, *matches[0].same)
        tasks = default if default in every and default is not None else every[0]
        said = {name: getattr(tasks, name) for name in (*NAMES, "relations")}
        return replace(part.context, **said), None if tasks == default else matches[0]

    def describe(self, told: Iterable[Match]) -> str:
        """Say how numbers were understood."""
        sentences = []
        if found := list(told):
            named = self.user.dataset or any(context.dataset for context in self.reading.entries.contexts)
            start, more = ("its", "") if named else ("no dataset is named; its", " Add --dataset to be sure.")
            sentences.append(f"{start} numbers are those of {_describe(found)} (`rankconst identify` shows why).{more}")
        if self._equal:
            sizes = " and ".join(f"{size:,}, protocol sampled:{size - 1}" for size in self._equal)
            sentences.append(f"its numbers show that all tasks have the same number of candidates: {sizes}.")
        return " ".join(sentences)


# Few tasks may have equally many candidates by chance: they may be those of a relation.
_FEW = 100
# At least this many metrics have to agree: one may do so by chance.
_FEWEST_EQUAL = 2
# Numbers in full are met to a hundredth of what 32 bits leave open; others leave little room next to whole numbers.
_SHARP, _WIDEST = 0.01, 0.05
_MEAN_RANK = parse_metric("MR")


def find_equal(evidence: Evidence) -> int | None:
    """Return how many candidates each task has, where all have equally many and every piece follows from that."""
    mean = next((p for p in evidence.pieces if p.kind == "expectation" and p.metric == _MEAN_RANK), None)
    counts = [int(piece.value) for piece in evidence.pieces if piece.metric is None]
    if mean is None or len(counts) != 1 or counts[0] < _FEW:
        return None
    size = round(2 * mean.value - 1)
    # Of tasks with different numbers of candidates, the mean number is whole by chance only.
    if size < 2 or 2 * abs(2 * mean.value - 1 - size) >= CERTAIN:
        return None
    histogram = Histogram.from_counts([size], counts)
    told = [piece for piece in evidence.pieces if piece.metric is not None and piece.metric.is_mean]
    farthest = 0.0
    for piece in told:
        moments = compute_moments(piece.metric or _MEAN_RANK, histogram)
        known = moments.expectation if piece.kind == "expectation" else math.sqrt(moments.variance)
        if not agrees(piece, known, known):
            return None
        farthest = max(farthest, abs(piece.value - known) / piece.interval.half_width)
    told_by_mean = 2 * mean.interval.half_width <= _WIDEST
    enough = len({piece.metric for piece in told}) >= _FEWEST_EQUAL
    return size if enough and (farthest <= _SHARP or told_by_mean) else None


def _widen(names: Mapping[str, str], user: Stated) -> Iterator[Mapping[str, str]]:
    """Yield what is named; then without the side, where a tool may call the one that was evaluated both."""
    yield names
    if names.get("side") == "both" and user.side is None:
        yield {name: key for name, key in names.items() if name != "side"}


def _frame(tasks: Tasks) -> Tasks:
    """Return what evaluations of all sides share."""
    return replace(tasks, side="both")


def _share(parts: Iterable[_Part]) -> set[Tasks]:
    """Return the tasks that, on some side, fit all parts that fit any."""
    every = [
        {_frame(tasks) for match in part.matches for tasks in (match.tasks, *match.same)}
        for part in parts
        if part.matches
    ]
    return set.intersection(*every) if every else set()


def _restrict(matches: Iterable[Match], shared: set[Tasks]) -> tuple[Match, ...]:
    """Keep the tasks that, on some side, fit the other evaluations, too."""
    kept = []
    for match in matches:
        inside = [tasks for tasks in (match.tasks, *match.same) if _frame(tasks) in shared]
        if inside:
            kept.append(replace(match, tasks=inside[0], same=tuple(inside[1:])))
    return tuple(kept)


def _ask_which(matches: Sequence[Match]) -> Ask:
    """Ask which of several sets it is, with the options that would tell them apart."""
    tasks = [match.tasks for match in matches]
    options = [f"--{name} {getattr(tasks[0], name)}" for name in NAMES if len({getattr(t, name) for t in tasks}) > 1]
    if len({each.relations for each in tasks}) > 1:
        options.append("--relation")
    text = f"its numbers fit {len(matches):,} sets of ranking tasks with different constants: {_describe(matches)}"
    return Ask("tasks", text, remedy=f"what tells them apart, for example {' '.join(options)}")


def _describe(matches: Sequence[Match]) -> str:
    """Name sets of tasks: what only sides tell apart together, protocols with the same constants as equal."""
    sides: dict[str, list[str]] = {}
    for match in matches:
        every = (match.tasks, *match.same)
        alike = [tasks.protocol for tasks in every if replace(tasks, protocol="") == replace(every[0], protocol="")]
        tasks = match.tasks
        more = "" if tasks.is_micro else f", {tasks.aggregation}"
        if tasks.relations:
            more += f", only relation{'s' * (len(tasks.relations) > 1)} {match.name_relations()}"
        key = f"{tasks.dataset} {tasks.split} {{}} under {' = '.join(dict.fromkeys(alike))}{more}"
        sides.setdefault(key, []).append(tasks.side)
    return list_first([key.format(", ".join(sorted(set(each)))) for key, each in sides.items()])
