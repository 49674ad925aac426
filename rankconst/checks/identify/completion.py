"""Which ranking tasks each evaluation of a file is from: what file and user say, completed by its own numbers.

Adjusted values and numbers of ranks decide what file and user do not say: dataset, split, side, protocol and
aggregation. Where several sets of tasks with different constants fit, or none, an evaluation is left without tasks,
with the question in :attr:`~rankconst.evaluation.Stated.asks`.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from rankconst.adjusting import look_up
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


OPEN, UNFIT = "tasks", "numbers"
"""The fields of questions: which of several sets of tasks it is; why numbers do not fit those that are named."""


@dataclass(frozen=True)
class Completed:
    """The evaluations of a file with what is known about their ranking tasks."""

    # With completed contexts, or the question why there is none.
    reading: Reading
    # As in the file, and the completed context of each.
    groups: tuple[Group, ...] = ()
    contexts: tuple[Stated, ...] = ()
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
    # How many candidates each task has, where all have equally many.
    equal: int | None = None
    # Why no whole set fits; matches are then of a few relations. And the option that may say why.
    reason: str = ""
    remedy: str = ""

    @property
    def is_telling(self) -> bool:
        """True if some adjusted value tells: a number of ranks, and what is vague, may only contradict."""
        return any(piece.metric is not None for piece in self.evidence.pieces)

    @property
    def is_restricted(self) -> bool:
        """True if nothing fits but a few relations."""
        return bool(self.matches and self.matches[0].tasks.relations)

    @property
    def is_certain(self) -> bool:
        """True if what fits does not do so by chance."""
        return bool(self.matches) and self.matches[0].by_chance < CERTAIN


def complete_reading(reading: Reading, tables: Tables, user: Stated) -> Completed:
    """Find the ranking tasks of every evaluation; `user` in any spelling."""
    user = parse_stated(user, tables)
    reading = name_relations(reading, user, tables)
    if not _tells(reading):
        return Completed(reading)
    search = _Search(reading, tables, user)
    groups = group_entries(reading)
    alike: dict[tuple[Stated, tuple[int, ...]], list[_Part]] = {}
    every = search.cut(groups)
    counted = _find_counted(every)
    for part in every:
        # Rows of a table may be of a few relations each.
        rows = part.groups if part.is_restricted and reading.layout == "wide" else ()
        frame = replace(part.context, model=None, side=None, rank_type=None, num_tasks=None)
        alike.setdefault((frame, rows), []).append(part)
    contexts = [group.context for group in groups]
    for parts in alike.values():
        for part, context in zip(parts, search.settle(parts, counted), strict=True):
            for place in part.groups:
                contexts[place] = replace(context, rank_type=groups[place].context.rank_type)
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
    return Completed(completed, tuple(groups), tuple(contexts), search.describe())


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
        # Those that are searched: not the user's own counts.
        self._datasets = frozenset(self.sets.names["dataset"].tolist())
        self._by_count: dict[Stated, tuple[Match, ...]] = {}
        # What says more than file, user and tool do.
        self._told: dict[Match, None] = {}
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
        """Find the tasks that some evaluations fit, or the reason why there are none."""
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
            reason = f"its numbers do not fit {named}; they are those of {_describe(elsewhere[:1])}"
            return replace(part, equal=equal, reason=reason)
        attempts = (rank_relations(evidence, self.tables, asked, self.user) for asked in _widen(part.names, self.user))
        restricted = next(filter(None, attempts), ())
        reason, remedy = self._explain(evidence, part.names)
        return replace(part, matches=restricted, equal=equal, reason=reason, remedy=remedy)

    def _may_hold(self, part: _Part, names: Mapping[str, str]) -> bool:
        """Tell whether the named dataset has that number of ranks: sampling limits the candidates, not the ranks."""
        if "dataset" not in names:
            return True
        stated = [piece.value for piece in part.evidence.pieces if piece.metric is None]
        chosen = select(self.sets, {name: key for name, key in names.items() if name in {"dataset", "split", "side"}})
        return bool(np.isin(self.sets.num_tasks[chosen], stated).any())

    def _name(self, context: Stated) -> Mapping[str, str] | None:
        """Return what file and user name; None if it is unknown, contradicts itself or is not searched for."""
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
        own = dataset is not None and dataset not in self._datasets
        return None if own or counted_elsewhere or find_protocol(tasks.protocol).negatives is not None else names

    def _rank(self, part: _Part, names: Mapping[str, str]) -> tuple[Match, ...]:
        """Return the sets that fit; what is called both sides may be one side alone that was evaluated."""
        attempts = (select(self.sets, asked) for asked in _widen(names, self.user))
        return next(filter(None, (rank(part.evidence, self.sets, chosen, self.user) for chosen in attempts)), ())

    def _explain(self, evidence: Evidence, names: Mapping[str, str]) -> tuple[str, str]:
        """Say what is nearest where nothing fits, and which option may help."""
        chosen = select(self.sets, names)
        if not chosen.any():
            named = ", ".join(f"{name} {key}" for name, key in names.items())
            return f"the tables ({self.tables.version}) hold no such tasks: {named}", ""
        evidence = evidence if evidence.pieces else replace(evidence, pieces=evidence.vague)
        nearest, remedy = describe_nearest(evidence, self.sets, chosen, self.user)
        return f"its numbers fit no ranking tasks in the tables: {nearest}", remedy

    def _explain_count(self, part: _Part) -> str:
        """Say that no split has that many ranks."""
        counts = " and ".join(f"{piece.value:,.0f}" for piece in part.evidence.pieces)
        where = (part.names or {}).get("dataset", "")
        return f"the file counts {counts} ranks, but no split of {where or 'any dataset'} has that many"

    # -- evaluations that share what the file says ---------------------------------------------------------------------

    def settle(self, parts: Sequence[_Part], counted: str | None) -> Iterator[Stated]:
        """Yield the completed context of each part: all are of one dataset, split and protocol if they can be.

        `counted` is the dataset that the numbers of ranks of the whole file show, if they show one.
        """
        telling = [part for part in parts if part.is_telling and part.names is not None]
        fitting = [part for part in telling if part.matches]
        shared: set[Tasks] = set.intersection(*(_frames(part.matches) for part in fitting)) if fitting else set()
        certain = any(part.is_certain for part in fitting)
        for part in parts:
            kept = _restrict(part.matches, shared)
            if part.names is None:
                yield part.context
            elif part.is_restricted and len(kept) == 1 and certain and len(fitting) == len(telling):
                yield self._conclude(part, kept, sure=True)
            elif part.equal is not None and (part.is_restricted or not part.matches):
                self._equal[part.equal] = None
                yield replace(part.context, protocol=f"sampled:{part.equal - 1}")
            elif part.is_restricted:
                yield self._conclude(part, (), sure=False)
            elif part.is_telling:
                sure = "dataset" in part.names or (certain if kept else part.is_certain)
                yield self._conclude(part, kept or part.matches, sure=sure)
            elif shared and (certain or "dataset" in part.names):
                yield self._conclude(part, kept or self._list_shared(part, shared), sure=True)
            else:
                yield self._settle_counted(part, counted)

    def _list_shared(self, part: _Part, shared: set[Tasks]) -> tuple[Match, ...]:
        """Return the tasks that others of its dataset, split and protocol have, for a part that tells nothing."""
        if part.evidence.pieces or part.evidence.vague:
            return ()
        side = (part.names or {}).get("side", "both")
        order = functools.partial(preference, protocol=prefer(part.evidence, self.user))
        alike: dict[object, list[Tasks]] = {}
        for tasks in sorted((replace(each, side=side) for each in shared), key=order):
            alike.setdefault((self.tables.histogram(tasks), tasks.aggregation), []).append(tasks)
        return tuple(Match(tasks[0], tuple(tasks[1:]), 0, ()) for tasks in alike.values())

    def _settle_counted(self, part: _Part, counted: str | None) -> Stated:
        """Complete what has no telling adjusted value by its number of ranks: of the usual tasks if it can be."""
        if not (part.evidence.pieces or part.evidence.vague):
            return part.context
        default = self._default(part)
        usual = [match for match in part.matches if match.tasks.is_micro]
        if default is not None and any(default in (match.tasks, *match.same) for match in usual):
            return part.context
        protocol = prefer(part.evidence, self.user)
        likely = [match for match in usual if protocol in {tasks.protocol for tasks in (match.tasks, *match.same)}]
        matches = tuple(likely or usual or part.matches)
        sure = "dataset" in (part.names or {}) or part.is_certain
        sure = sure or {match.tasks.dataset for match in matches} == {counted}
        return self._conclude(part, matches, sure=sure, field=UNFIT)

    def _default(self, part: _Part) -> Tasks | None:
        """Return the tasks that are assumed where no number tells."""
        try:
            return settle(part.context, self.user, self.tables, tool=self.reading.tool)[0]
        except RankconstError:
            return None

    def _conclude(self, part: _Part, matches: tuple[Match, ...], *, sure: bool, field: str = OPEN) -> Stated:
        """Complete a context by the one match; without it, ask."""
        if not matches:
            return _ask(
                part.context, part.reason or "its numbers fit no ranking tasks in the tables", UNFIT, part.remedy
            )
        found = _describe(matches)
        if len(matches) > 1:
            question = f"its numbers fit {len(matches):,} sets of ranking tasks with different constants, {found}"
            return _ask(part.context, question, field, _choose(matches))
        if not sure:
            question = f"no dataset is named; its numbers fit {found}, but so few digits can fit by chance"
            return _ask(part.context, question, field, "--dataset")
        tasks, default = matches[0].tasks, self._default(part)
        if default is not None and default in (tasks, *matches[0].same):
            tasks = default
        else:
            self._told[matches[0]] = None
        return replace(part.context, **{name: getattr(tasks, name) for name in (*NAMES, "relations")})

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

    def describe(self) -> str:
        """Say how numbers were understood."""
        sentences = []
        if self._told:
            found = _describe([*self._told])
            unnamed = self.user.dataset is None and not any(
                context.dataset for context in self.reading.entries.contexts
            )
            start, more = ("no dataset is named; its", " Add --dataset to be sure.") if unnamed else ("its", "")
            sentences.append(f"{start} numbers are those of {found} (`rankconst identify` shows why).{more}")
        if self._equal:
            sizes = " and ".join(f"{size:,}, protocol sampled:{size - 1}" for size in self._equal)
            sentences.append(f"its numbers show that all tasks have the same number of candidates: {sizes}.")
        if self._without_k:
            sentences.append(f"{self._without_k:,} of its adjusted Hits@k are left out: which k they have is open.")
        return " ".join(sentences)


def _ask(context: Stated, question: str, field: str, remedy: str = "") -> Stated:
    """Add a question to a context."""
    return replace(context, asks=(*context.asks, Ask(field, question, remedy=remedy)))


def _choose(matches: Sequence[Match]) -> str:
    """Return the options that tell the first set from the others."""
    fields = [name for name in NAMES if len({getattr(match.tasks, name) for match in matches}) > 1]
    options = " ".join(f"--{name} {getattr(matches[0].tasks, name)}" for name in fields)
    return f"for example {options}" if options else ""


def _find_counted(parts: Iterable[_Part]) -> str | None:
    """Return the one dataset whose splits have the numbers of ranks that a file counts, unless by chance."""
    fits = {
        part.evidence.pieces: part
        for part in parts
        if part.names is not None and part.matches and part.evidence.pieces and not part.is_telling
    }
    datasets = [{match.tasks.dataset for match in part.matches} for part in fits.values()]
    common = set.intersection(*datasets) if datasets else set()
    certain = math.prod(part.matches[0].by_chance for part in fits.values()) < CERTAIN
    return common.pop() if certain and len(common) == 1 else None


# Few tasks may have equally many candidates by chance: they may be those of a relation.
_MOST_EQUAL = 100

# At least this many metrics have to agree: one may do so by chance.
_FEWEST_EQUAL = 2
# Numbers in full are met to a hundredth of the noise of 32 bits; others have little room next to whole numbers.
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
    """Return the tasks of all sides that fit."""
    return {_reduce(tasks) for match in matches for tasks in (match.tasks, *match.same)}


def _restrict(matches: Iterable[Match], shared: set[Tasks]) -> tuple[Match, ...]:
    """Keep the tasks that, on some side, fit the other evaluations, too."""
    kept = []
    for match in matches:
        inside = [tasks for tasks in (match.tasks, *match.same) if _reduce(tasks) in shared]
        if inside:
            kept.append(replace(match, tasks=inside[0], same=tuple(inside[1:])))
    return tuple(kept)


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
