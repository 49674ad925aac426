"""Which ranking tasks each evaluation of a file is from: what file and user say, completed by its own numbers.

Adjusted values and numbers of ranks decide what file and user leave open, whole: dataset, split, side, protocol and
aggregation. Where several sets of tasks with different constants fit, or none, an evaluation is left without tasks,
with the question in :attr:`~rankconst.evaluation.Stated.asks`.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rankconst.adjusting import look_up
from rankconst.catalogue.aggregations import DEFAULT_AGGREGATION
from rankconst.catalogue.metrics import parse_metric
from rankconst.catalogue.protocols import RELATION_SIDE, find_protocol
from rankconst.checks.identify.defects import check_entries
from rankconst.checks.identify.evidence import Evidence, collect_evidence
from rankconst.checks.identify.matches import Match, agrees, prefer, preference, rank
from rankconst.checks.identify.relations import rank_relations
from rankconst.checks.identify.search import CERTAIN, describe_nearest, gather, select
from rankconst.errors import RankconstError
from rankconst.evaluation import NAMES, Ask, Stated, list_parsers, parse_stated, settle
from rankconst.moments import compute_moments
from rankconst.names import list_first
from rankconst.results.adjust import name_relations
from rankconst.results.reading import Entries, Entry, Group, Reading, group_entries
from rankconst.tables.search import TaskSets
from rankconst.tasks import Histogram

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from rankconst.tables.tables import Tables
    from rankconst.tasks import Tasks


@dataclass(frozen=True)
class Completed:
    """The evaluations of a file with what is known about their ranking tasks."""

    # With completed contexts, or the reason why there is none.
    reading: Reading
    # As in the file, and the completed context of each.
    groups: tuple[Group, ...] = ()
    contexts: tuple[Stated, ...] = ()
    # Unclear contexts to what may be assumed of them to look for slips, which may be why nothing fits.
    assumed: Mapping[Stated, Stated] = field(default_factory=dict)
    # How numbers were understood, where that is not what file, user and tool say.
    note: str = ""


@dataclass(frozen=True)
class _Part:
    """Evaluations that differ in the tie policy only, and what their numbers say."""

    context: Stated
    groups: tuple[int, ...]
    evidence: Evidence
    # What file and user name, as keys; None where that is unknown or contradicts itself, which is told elsewhere.
    names: Mapping[str, str] | None
    matches: tuple[Match, ...] = ()
    # Those of a few relations, where nothing else fits.
    restricted: tuple[Match, ...] = ()
    # How many candidates each task has, where all have equally many.
    equal: int | None = None
    reason: str = ""

    @property
    def is_telling(self) -> bool:
        """True if some adjusted value tells: a number of ranks, and what is vague, may only contradict."""
        return any(piece.metric is not None for piece in self.evidence.pieces)


@dataclass(frozen=True)
class _Outcome:
    """The completed context of a part, the match that says more than the file does, and what may be assumed else."""

    context: Stated
    match: Match | None = None
    assumed: Stated | None = None


def complete_reading(reading: Reading, tables: Tables, user: Stated) -> Completed:
    """Find the ranking tasks of every evaluation; `user` in any spelling."""
    user = parse_stated(user, tables)
    reading = name_relations(reading, user, tables)
    if not _tells(reading):
        return Completed(reading)
    search = _Search(reading, tables, user)
    groups = group_entries(reading)
    parts = search.cut(groups)
    frames: dict[Stated, list[_Part]] = {}
    outlines: dict[Stated, list[_Part]] = {}
    for part in parts:
        frames.setdefault(_frame(part.context), []).append(part)
        outlines.setdefault(replace(_frame(part.context), split=None), []).append(part)
    contexts = [group.context for group in groups]
    assumed: dict[Stated, Stated] = {}
    told: dict[Match, None] = {}
    for frame, alike in frames.items():
        for part, outcome in search.settle(alike, _find_counted(outlines[replace(frame, split=None)])):
            for place in part.groups:
                rank_type = groups[place].context.rank_type
                contexts[place] = replace(outcome.context, rank_type=rank_type)
                if outcome.assumed is not None:
                    assumed[contexts[place]] = replace(outcome.assumed, rank_type=rank_type)
            if outcome.match is not None:
                told[outcome.match] = None
    known: dict[tuple[int, str, Stated], Entry | None] = {}
    for place, (group, context) in enumerate(zip(groups, contexts, strict=True)):
        told_k = search.tell_k(group, context)
        if context == group.context and told_k is group.entries:
            continue
        kept = {(entry.row, entry.column): entry for entry in told_k}
        for entry in group.entries:
            own = kept.get((entry.row, entry.column))
            known[entry.row, entry.column, group.context] = own and own._replace(context=context)
        groups[place] = replace(group, entries=told_k)
    changed = (known.get((entry.row, entry.column, entry.context), entry) for entry in reading.entries)
    completed = replace(reading, entries=Entries(entry for entry in changed if entry is not None))
    return Completed(completed, tuple(groups), tuple(contexts), assumed, search.describe(told))


def _tells(reading: Reading) -> bool:
    """Tell whether there are adjusted values or numbers of ranks, without a look at each of a million entries."""
    return any(head.adjustment is not None or head.metric.scale == "count" for head in reading.entries.heads) or any(
        context.num_tasks is not None for context in reading.entries.contexts
    )


def _frame(context: Stated) -> Stated:
    """Return what evaluations share that a file does not tell apart but by model, side and tie policy."""
    return replace(context, model=None, side=None, rank_type=None, num_tasks=None)


class _Search:
    """The search for the ranking tasks of one file."""

    def __init__(self, reading: Reading, tables: Tables, user: Stated) -> None:
        self.reading, self.tables, self.user = reading, tables, user
        self._is_long = reading.layout == "long"
        self.sets = TaskSets.of(tables)
        self._by_count: dict[Stated, tuple[Match, ...]] = {}
        # What was assumed of adjusted values that are too coarse to tell.
        self._taken: dict[Tasks, None] = {}
        # Numbers of candidates that every task of some evaluation has.
        self._equal: dict[int, None] = {}
        # The k of adjusted values that do not say it, which a tool has once, and how many were left out for it.
        self._k_of: dict[Stated, int] = {}
        self._without_k = 0

    def cut(self, groups: Sequence[Group]) -> list[_Part]:
        """Gather evaluations that share their tasks, and search for the tasks of each."""
        return [
            self._search(context, [groups[at] for at in places], places)
            for context, places in gather(groups, self.reading.layout)
        ]

    def _search(self, context: Stated, groups: Sequence[Group], places: Sequence[int]) -> _Part:
        evidence = collect_evidence(
            [group.entries for group in groups], tool=self.reading.tool, percent=self.user.percent
        )
        part = _Part(context, tuple(places), evidence, self._name(context))
        if part.names is None or not (evidence.pieces or evidence.vague):
            return part
        if not part.is_telling and not evidence.vague:
            # Thousands of rows may say nothing but the same number.
            key = replace(context, model=None, rank_type=None)
            if key not in self._by_count:
                self._by_count[key] = self._rank(part, part.names)
            return replace(part, matches=self._by_count[key], reason=self._explain_count(part))
        matches = self._rank(part, part.names)
        if matches:
            return replace(part, matches=matches)
        equal = None
        if "protocol" not in part.names and self._may_hold(part, part.names):
            equal = find_equal(evidence)
            if equal is not None and context.num_tasks not in range(_MOST_EQUAL):
                return replace(part, equal=equal)
        elsewhere = rank(evidence, self.sets, select(self.sets, {}), self.user) if part.names else ()
        if elsewhere and elsewhere[0].by_chance < CERTAIN:
            named = ", ".join(f"{name} {key}" for name, key in part.names.items())
            reason = f"its numbers do not fit {named}; they are those of {_describe(elsewhere[:1])}."
            return replace(part, equal=equal, reason=reason)
        attempts = (rank_relations(evidence, self.tables, asked, self.user) for asked in _widen(part.names, self.user))
        restricted = next(filter(None, attempts), ())
        return replace(part, restricted=restricted, equal=equal, reason=self._explain(evidence, part.names))

    def _may_hold(self, part: _Part, names: Mapping[str, str]) -> bool:
        """Tell whether the named dataset has that number of ranks: sampling limits the candidates, not the ranks."""
        if "dataset" not in names:
            return True
        stated = [piece.value for piece in part.evidence.pieces if piece.metric is None]
        chosen = select(self.sets, {name: key for name, key in names.items() if name in {"dataset", "split", "side"}})
        return bool(np.isin(self.sets.num_tasks[chosen], stated).any())

    def _name(self, context: Stated) -> Mapping[str, str] | None:
        """Return what file and user name; None if it is unknown, contradicts itself or is not of these tables."""
        names: dict[str, str] = {}
        try:
            for name, parse in list_parsers(self.tables).items():
                said, asked = getattr(context, name), getattr(self.user, name)
                key = parse(said) if said else None
                if key and asked and key != asked and name != "protocol":
                    return None
                if found := asked or key:
                    names[name] = found
            dataset = names.get("dataset")
            tasks = settle(
                replace(context, dataset=dataset or next(iter(self.tables.datasets))),
                self.user,
                self.tables,
                tool=self.reading.tool,
            )[0]
        except RankconstError:
            return None
        counted_elsewhere = self.user.relations or context.relations or tasks.side == RELATION_SIDE
        return None if counted_elsewhere or find_protocol(tasks.protocol).negatives is not None else names

    def _rank(self, part: _Part, names: Mapping[str, str]) -> tuple[Match, ...]:
        """Return the sets that fit; what is called both sides may be one side alone that was evaluated."""
        attempts = (select(self.sets, asked) for asked in _widen(names, self.user))
        return next(filter(None, (rank(part.evidence, self.sets, chosen, self.user) for chosen in attempts)), ())

    def _explain(self, evidence: Evidence, names: Mapping[str, str]) -> str:
        """Say what is nearest where nothing fits."""
        chosen = select(self.sets, names)
        if not chosen.any():
            named = ", ".join(f"{name} {key}" for name, key in names.items())
            return f"the tables ({self.tables.version}) hold no such tasks: {named}."
        evidence = evidence if evidence.pieces else replace(evidence, pieces=evidence.vague)
        nearest = describe_nearest(evidence, self.sets, chosen, self.user)
        return f"its numbers fit no ranking tasks in the tables: {nearest}"

    def _explain_count(self, part: _Part) -> str:
        counts = " and ".join(f"{piece.value:,.0f}" for piece in part.evidence.pieces)
        where = (part.names or {}).get("dataset", "")
        return f"the file counts {counts} ranks, but no split of {where or 'any dataset'} has that many."

    # -- evaluations that share what the file says ---------------------------------------------------------------------

    def settle(self, parts: Sequence[_Part], counted: str | None) -> Iterator[tuple[_Part, _Outcome]]:
        """Yield what is known about each part: all are of one dataset, split and protocol if they can be.

        `counted` is the dataset that the numbers of ranks of several splits show, if they show one.
        """
        parts = [self._settle_restricted(part, parts) if part.restricted else part for part in parts]
        fitting = [part for part in parts if part.is_telling and part.matches]
        shared: set[Tasks] = set.intersection(*(_frames(part.matches) for part in fitting)) if fitting else set()
        certain = min((part.matches[0].by_chance for part in fitting), default=1.0) < CERTAIN
        for part in parts:
            if part.names is None:
                yield part, _Outcome(part.context)
            elif part.equal is not None and not part.matches:
                self._equal[part.equal] = None
                yield part, _Outcome(replace(part.context, protocol=f"sampled:{part.equal - 1}"))
            elif part.is_telling:
                matches = _restrict(part.matches, shared) or part.matches
                alone = bool(part.matches) and part.matches[0].by_chance < CERTAIN
                sure = "dataset" in part.names or (certain if shared else alone)
                outcome = self._conclude(part, matches, sure=sure)
                if not part.matches:
                    outcome = replace(outcome, assumed=self._assume(part, shared if certain else set()))
                yield part, outcome
            else:
                outcome = self._settle_counted(part, shared if certain or "dataset" in part.names else set(), counted)
                yield part, replace(outcome, assumed=part.context if outcome.context.asks else None)

    def _settle_restricted(self, part: _Part, parts: Sequence[_Part]) -> _Part:
        """Take the one set of relations that fits with certainty; in a long file, all sides have to show it."""
        alike = [each for each in parts if each.context.model == part.context.model] if self._is_long else [part]
        if any(each.is_telling and each.names is not None and not each.restricted for each in alike):
            return part
        restricted = [each.restricted for each in alike if each.restricted]
        shared = set.intersection(*map(_frames, restricted))
        every = [_restrict(matches, shared) for matches in restricted]
        left = _restrict(part.restricted, shared)
        if len(left) != 1 or min(match.by_chance for matches in every for match in matches) >= CERTAIN:
            return part
        return replace(part, matches=left, reason="")

    def _assume(self, part: _Part, shared: set[Tasks]) -> Stated | None:
        """Return what may be assumed where nothing fits: what file and user say, or what the others are of."""
        if "dataset" in (part.names or {}):
            return part.context
        side = (part.names or {}).get("side", "both")
        tasks = min(shared, key=str, default=None)
        return None if tasks is None else replace(part.context, **_names_of(replace(tasks, side=side)))

    def _settle_counted(self, part: _Part, shared: set[Tasks], counted: str | None) -> _Outcome:
        """Complete what has no adjusted value of its own: by what the others have, or by the number of ranks."""
        names, default = part.names or {}, self._default(part)
        if shared and (part.evidence.pieces or part.evidence.vague):
            return self._conclude(part, _restrict(part.matches, shared), sure=True)
        if shared:
            side = names.get("side", "both")
            every = [
                place for place, tasks in enumerate(self.sets.sets) if tasks.side == side and _reduce(tasks) in shared
            ]
            alike: dict[object, list[Tasks]] = {}
            for place in every:
                alike.setdefault(self.sets.signature(place), []).append(self.sets.sets[place])
            order = functools.partial(preference, protocol=prefer(part.evidence, self.user))
            for tasks in sorted((replace(each, side=side) for each in shared if each.relations), key=order):
                alike.setdefault(self.tables.histogram(tasks), []).append(tasks)
            matches = tuple(Match(tasks[0], tuple(tasks[1:]), 0, ()) for tasks in alike.values())
            return self._conclude(part, matches, sure=True)
        if not (part.evidence.pieces or part.evidence.vague):
            reason = "no dataset is named, and its numbers do not show which one it is: add --dataset."
            return _Outcome(
                part.context
                if default is not None
                else replace(part.context, asks=(*part.context.asks, Ask("tasks", reason)))
            )
        usual = [match for match in part.matches if match.tasks.aggregation == DEFAULT_AGGREGATION]
        if default is not None and any(default in (match.tasks, *match.same) for match in usual):
            if part.evidence.vague and len(part.matches) > 1:
                self._taken[default] = None
            return _Outcome(part.context)
        protocol = prefer(part.evidence, self.user)
        likely = [match for match in usual if protocol in {tasks.protocol for tasks in (match.tasks, *match.same)}]
        matches = tuple(likely or usual or part.matches)
        sure = "dataset" in names or bool(matches and matches[0].by_chance < CERTAIN)
        return self._conclude(part, matches, sure=sure or {match.tasks.dataset for match in matches} == {counted})

    def _default(self, part: _Part) -> Tasks | None:
        """Return the tasks that are assumed where no number tells."""
        try:
            return settle(part.context, self.user, self.tables, tool=self.reading.tool)[0]
        except RankconstError:
            return None

    def _conclude(self, part: _Part, matches: tuple[Match, ...], *, sure: bool) -> _Outcome:
        """Complete a context by the one match; without it, say why there is none."""
        reason = ""
        if not matches:
            reason = part.reason or "its numbers fit no ranking tasks in the tables."
        elif len(matches) > 1:
            reason = self._ask(matches)
        elif not sure:
            reason = (
                f"no dataset is named; its numbers fit {_describe(matches)}, but so few digits can fit by chance: "
                "add --dataset."
            )
        if reason:
            return _Outcome(replace(part.context, asks=(*part.context.asks, Ask("tasks", reason))))
        tasks, default = matches[0].tasks, self._default(part)
        if default is not None and default in (tasks, *matches[0].same):
            return _Outcome(replace(part.context, **_names_of(default)))
        return _Outcome(replace(part.context, **_names_of(tasks)), matches[0])

    def _ask(self, matches: Sequence[Match]) -> str:
        """Say which sets fit, and which options would tell them apart."""
        fields = [name for name in NAMES if len({getattr(match.tasks, name) for match in matches}) > 1]
        first = matches[0].tasks
        options = " ".join(f"--{name} {getattr(first, name)}" for name in fields)
        return (
            f"its numbers fit {len(matches):,} sets of ranking tasks with different constants: "
            f"{_describe(matches)}. Choose one, for example with {options}."
        )

    def tell_k(self, group: Group, context: Stated) -> tuple[Entry, ...]:
        """Put in the k of adjusted values that do not say it, where one fits; leave them out where none or more do."""
        unsaid = [entry for entry in group.entries if entry.metric.takes_k and entry.metric.k is None]
        if not unsaid:
            return group.entries
        if context not in self._k_of:
            bases = {
                entry.metric.hits_k: entry
                for entry in group.entries
                if entry.metric.hits_k and entry.adjustment is None
            }
            fitting = [k for k, base in bases.items() if self._has_k(unsaid, base, k, context)]
            if len(fitting) == 1:
                self._k_of[context] = fitting[0]
        if (k := self._k_of.get(context)) is not None:
            return tuple(
                entry._replace(metric=entry.metric.at(k)) if entry in unsaid else entry for entry in group.entries
            )
        # Of unclear tasks, nothing is adjusted anyway.
        self._without_k += 0 if context.asks else len(unsaid)
        return tuple(entry for entry in group.entries if entry not in unsaid)

    def _has_k(self, unsaid: Iterable[Entry], base: Entry, k: int, context: Stated) -> bool:
        """Tell whether adjusted values without a k are those of a base value."""
        entries = [base, *(entry._replace(metric=entry.metric.at(k)) for entry in unsaid)]
        try:
            tasks = settle(context, self.user, self.tables, tool=self.reading.tool)[0]
            find = functools.partial(look_up, tasks, num_tasks=context.num_tasks, tables=self.tables)
            checked = check_entries(entries, find, percent=self.user.percent)
        except RankconstError:
            return False
        return len(checked) == len(entries) - 1 and all(each.belongs for each in checked)

    def describe(self, told: Iterable[Match]) -> str:
        """Say how numbers were understood."""
        found, coarse = list(told), [Match(tasks, (), 0, ()) for tasks in self._taken]
        sentences = []
        if found:
            unnamed = self.user.dataset is None and not any(
                context.dataset for context in self.reading.entries.contexts
            )
            start, more = ("no dataset is named; its", " Add --dataset to be sure.") if unnamed else ("its", "")
            sentences.append(f"{start} numbers are those of {_describe(found)} (`rankconst identify` shows why).{more}")
        if coarse:
            taken = _describe(coarse)
            sentences.append(f"its adjusted values have too few digits to show the ranking tasks; assumed: {taken}.")
        if self._equal:
            sizes = " and ".join(f"{size:,}, protocol sampled:{size - 1}" for size in self._equal)
            sentences.append(f"its numbers show that all tasks have the same number of candidates: {sizes}.")
        if self._without_k:
            sentences.append(f"{self._without_k:,} of its adjusted Hits@k are left out: which k they have is open.")
        return " ".join(sentences)


# Few tasks may have equally many candidates by chance: they may be those of a relation.
_MOST_EQUAL = 100

# At least this many metrics have to agree: one may do so by chance.
_FEWEST_EQUAL = 2
# Numbers in full are met to a hundredth of what 32 bits leave open; others leave little room next to whole numbers.
_SHARP, _WIDEST = 0.01, 0.05
_MEAN_RANK = parse_metric("MR")


def find_equal(evidence: Evidence) -> int | None:
    """Return how many candidates each task has, where all have equally many and every piece follows from that."""
    mean = next((p for p in evidence.pieces if p.kind == "expectation" and p.metric == _MEAN_RANK), None)
    counts = [int(piece.value) for piece in evidence.pieces if piece.metric is None]
    if mean is None or len(counts) != 1:
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
    # Of few tasks, the mean is whole too often to tell by itself.
    told_by_mean = counts[0] >= _MOST_EQUAL and 2 * mean.interval.half_width <= _WIDEST
    enough = len({piece.metric for piece in told}) >= _FEWEST_EQUAL
    return size if enough and (farthest <= _SHARP or told_by_mean) else None


def _widen(names: Mapping[str, str], user: Stated) -> Iterator[Mapping[str, str]]:
    """Yield what is named; then without the side, where a tool may call the one that was evaluated both."""
    yield names
    if names.get("side") == "both" and user.side is None:
        yield {name: key for name, key in names.items() if name != "side"}


def _reduce(tasks: Tasks) -> Tasks:
    """Return the tasks of all sides."""
    return replace(tasks, side="both")


def _frames(matches: Iterable[Match]) -> set[Tasks]:
    return {_reduce(tasks) for match in matches for tasks in (match.tasks, *match.same)}


def _find_counted(parts: Iterable[_Part]) -> str | None:
    """Return the one dataset whose splits have the numbers of ranks that evaluations count, if that is no chance."""
    fits: dict[tuple[float, ...], tuple[set[str], float]] = {}
    for part in parts:
        if part.names is not None and not part.is_telling and part.evidence.pieces and part.matches:
            counts = tuple(piece.value for piece in part.evidence.pieces)
            fits[counts] = ({match.tasks.dataset for match in part.matches}, part.matches[0].by_chance)
    common = set.intersection(*(datasets for datasets, _ in fits.values())) if fits else set()
    certain = math.prod(chance for _, chance in fits.values()) < CERTAIN
    return common.pop() if certain and len(common) == 1 else None


def _restrict(matches: Iterable[Match], shared: set[Tasks]) -> tuple[Match, ...]:
    """Keep the tasks that, on some side, fit the other evaluations, too."""
    kept = []
    for match in matches:
        inside = [tasks for tasks in (match.tasks, *match.same) if _reduce(tasks) in shared]
        if inside:
            kept.append(replace(match, tasks=inside[0], same=tuple(inside[1:])))
    return tuple(kept)


def _names_of(tasks: Tasks) -> dict[str, Any]:
    return {name: getattr(tasks, name) for name in (*NAMES, "relations")}


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
