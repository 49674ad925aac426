"""Which ranking tasks published numbers come from: dataset, split, side and protocol, found by their own constants.

The number of ranks and the expectations that adjusted values give away (:mod:`.evidence`) are compared with those of
every set of tasks in the tables. What is found is shown, with the adjusted values that are wrong (:mod:`.defects`); or
it completes what file and user say, whole. Where several sets with different constants fit, or none, there is a
question.
"""

from __future__ import annotations

import functools
import itertools
import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rankconst.catalogue.aggregations import DEFAULT_AGGREGATION
from rankconst.catalogue.protocols import RELATION_SIDE, find_protocol
from rankconst.checks.identify.evidence import Evidence, collect_evidence
from rankconst.checks.identify.matches import (
    COUNTS,
    Comparisons,
    Identified,
    Match,
    check_evaluations,
    describe_nearest,
    prefer,
    preference,
    rank,
)
from rankconst.checks.identify.partial import contradict, find_equal, find_relations
from rankconst.errors import RankconstError, UnknownNameError
from rankconst.evaluation import NAMES, NOTHING, Ask, Stated, list_parsers, parse_stated, settle
from rankconst.names import list_first
from rankconst.results.adjust import name_relations
from rankconst.results.reading import Entries, Entry, Group, Reading, group_entries
from rankconst.tables.search import TaskSets

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from rankconst.tables.tables import Tables
    from rankconst.tasks import Tasks


CERTAIN = 1e-3
"""What is found is certain if fewer sets than this would fit by chance."""


@dataclass(frozen=True)
class Part:
    """Evaluations that share their ranking tasks, as they differ in the tie policy only, and what their numbers say."""

    context: Stated
    # Of the evaluations, in the file.
    places: tuple[int, ...]
    evaluations: tuple[tuple[Entry, ...], ...]
    evidence: Evidence
    # What file and user name, as keys.
    names: Mapping[str, str] = field(default_factory=dict)
    # What fits; or else the protocol that equal numbers of candidates show, or why nothing fits.
    matches: tuple[Match, ...] = ()
    sampled: str = ""
    ask: Ask | None = None

    @property
    def is_certain(self) -> bool:
        """True if what fits cannot fit by chance."""
        return bool(self.matches) and self.matches[0].by_chance < CERTAIN

    @property
    def is_partial(self) -> bool:
        """True if only a few relations fit, or sampled candidates."""
        return bool(self.sampled) or any(match.tasks.relations for match in self.matches)

    @property
    def tells(self) -> bool:
        """True if some adjusted value tells: a number of ranks, and what is vague, may only contradict."""
        return any(piece.metric is not None for piece in self.evidence.pieces)


def gather(groups: Sequence[Group], reading: Reading, user: Stated) -> list[Part]:
    """Gather the evaluations that share their ranking tasks."""
    found: dict[tuple[Stated, tuple[int, ...]], list[int]] = {}
    for place, group in enumerate(groups):
        # Rows of a table that say the same of themselves may still be of different tasks.
        rows = group.rows if reading.layout == "wide" else ()
        found.setdefault((replace(group.context, rank_type=None), rows), []).append(place)
    parts = []
    for (context, _), places in found.items():
        evaluations = tuple(groups[place].entries for place in places)
        evidence = collect_evidence(evaluations, tool=reading.tool, percent=user.percent)
        parts.append(Part(context, tuple(places), evaluations, evidence))
    return parts


def identify_reading(reading: Reading, tables: Tables, user: Stated = NOTHING) -> list[Identified]:
    """Find the ranking tasks that the numbers of a file come from, and the adjusted values that are wrong on them.

    Each is of numbers that share their tasks, in the order of the file.
    """
    sets, parts = TaskSets.of(tables), gather(group_entries(reading), reading, user)
    groups = []
    for part in parts:
        found = identify(part.evidence, tables, user, part.evaluations)
        groups.append(replace(found, line=part.evaluations[0][0].line))
    sure = {group.match for group in groups if group.match is not None and group.match.by_chance < CERTAIN}
    for place, (group, part) in enumerate(zip(groups, parts, strict=True)):
        # A slip may be why nothing fits: then the numbers are of the tasks of others with the same number of ranks.
        counts = {piece.value for piece in group.evidence.pieces if piece.metric is None}
        alike = {match.tasks: match for match in sure if counts == {match.num_tasks}}
        if not group.matches and len(alike) == 1:
            (match,) = alike.values()
            wrong = check_evaluations(part.evaluations, [match], tables, percent=user.percent)
            own = Comparisons.of(group.evidence, sets, np.array([sets.sets.index(match.tasks)])).list_at(0)
            likely = replace(match, comparisons=own)
            groups[place] = replace(group, matches=(likely,), reason="", note=_LIKE_OTHERS, checked=wrong)
    return groups


_LIKE_OTHERS = "its adjusted values fit nothing; its number of ranks is that of other numbers in the file."


def identify(
    evidence: Evidence, tables: Tables, user: Stated = NOTHING, evaluations: Sequence[Sequence[Entry]] = ()
) -> Identified:
    """Find the sets of ranking tasks that evidence fits, and the adjusted values that are wrong on them.

    A set fits if nothing contradicts it, or nothing but known defects of adjusted values and slips, each outvoted by
    pieces as precise as itself: however much coarse evidence agrees, a precise piece decides. Names that the file
    states narrow the search, unless nothing fits then.
    """
    sets, given = TaskSets.of(tables), {name: key for name in NAMES if (key := getattr(user, name)) is not None}
    asked = select(sets, given)
    if not asked.any():
        return Identified(evidence, (), f"the tables ({tables.version}) hold no such tasks: {list_names(given)}.")
    stated, notes = _read_stated(evidence.context, tables)
    if not evidence.pieces:
        return Identified(evidence, (), _describe_lack(evidence), " ".join(notes))
    # The file's own words may be wrong, or name what the tables lack; few files say that they hold macro averages.
    usual = {} if user.aggregation else {"aggregation": stated.get("aggregation", DEFAULT_AGGREGATION)}
    chosen = (asked & select(sets, names) for names in (stated | usual, usual, {}))
    matches = find_first(evidence, sets, chosen, user)
    compared = matches[0].comparisons if matches else ()
    if any(each.explained for each in compared) and not any(each.agrees and each.piece.metric for each in compared):
        notes.append("only the number of ranks agrees: the adjusted values have a known defect.")
    if matches and matches[0].by_chance > CERTAIN and "dataset" not in given | stated:
        notes.append("so few digits can fit by chance: the numbers may come from a graph that is not in the tables.")
    against = {name: key for name, key in stated.items() if not _holds(matches, name, key)}
    if matches and against:
        notes.append(f"the file says {list_names(against)}; its numbers come from other tasks.")
    if not matches:
        partial = find_relations(evidence, tables, stated | given, user)
        matches = partial if len(partial) == 1 and partial[0].by_chance < CERTAIN else ()
    reason = "" if matches else f"{describe_nearest(evidence, sets, asked, user)[0]}."
    wrong = check_evaluations(evaluations, matches, tables, percent=user.percent)
    return Identified(evidence, matches, reason, " ".join(notes), checked=wrong)


def find_first(
    evidence: Evidence, sets: TaskSets, attempts: Iterable[NDArray[np.bool_]], user: Stated
) -> tuple[Match, ...]:
    """Return what evidence fits among some sets or, if it fits none, among the next ones."""
    return next(filter(None, (rank(evidence, sets, chosen, user) for chosen in attempts)), ())


def _read_stated(said: Stated, tables: Tables) -> tuple[dict[str, str], list[str]]:
    """Return the keys of the names that the file states, and notes on unknown ones."""
    found, notes = {}, []
    for name, parse in list_parsers(tables).items():
        text = getattr(said, name)
        if text is None:
            continue
        try:
            found[name] = parse(text)
        except UnknownNameError:
            notes.append(f"the file says {name} {text}, which the tables do not have.")
    return found, notes


def _holds(matches: Iterable[Match], name: str, key: str) -> bool:
    """Tell whether any of the sets that fit has this key under that name."""
    return any(getattr(tasks, name) == key for match in matches for tasks in match.every)


def list_names(names: Mapping[str, str]) -> str:
    """List names for messages; the usual aggregation goes without saying."""
    shown = [f"{name} {key}" for name, key in names.items() if (name, key) != ("aggregation", DEFAULT_AGGREGATION)]
    return ", ".join(shown)


def select(candidates: TaskSets, names: Mapping[str, str]) -> NDArray[np.bool_]:
    """Return which sets have all of these keys."""
    chosen = np.ones(len(candidates.sets), dtype=bool)
    for name, key in names.items():
        chosen &= candidates.names[name] == key
    return chosen


def _describe_lack(evidence: Evidence) -> str:
    """Say why there is no evidence at all."""
    reasons = dict.fromkeys(each.reason for each in evidence.dropped)
    remedy = "an adjusted value with its base value, or the number of ranks, is needed"
    return f"the numbers do not show their ranking tasks: {'; '.join(list(reasons)[:3]) or remedy}."


# -- completing a file -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Completed:
    """The evaluations of a file with what is known about their ranking tasks."""

    # With completed contexts.
    reading: Reading
    # As in the file, and the completed context of each.
    groups: tuple[Group, ...] = ()
    contexts: tuple[Stated, ...] = ()
    # The question about the numbers of a group that fit several sets of tasks, or none, by its place.
    asked: Mapping[int, Ask] = field(default_factory=dict)
    # How numbers were understood, where that is not what file, user and tool say.
    note: str = ""


def complete_reading(reading: Reading, tables: Tables, user: Stated) -> Completed:
    """Find the ranking tasks of every evaluation; `user` in any spelling."""
    user = parse_stated(user, tables)
    reading = name_relations(reading, user, tables)
    if not tells(reading):
        return Completed(reading)
    search, groups = _Search(reading, tables, user), group_entries(reading)
    # A file may tell evaluations on the same tasks apart by model and side.
    alike: dict[Stated, list[Part]] = {}
    for part in gather(groups, reading, user):
        if (found := search.find(part)) is not None:
            alike.setdefault(replace(part.context, model=None, side=None, num_tasks=None), []).append(found)
    contexts = [group.context for group in groups]
    told: dict[Match, None] = {}
    asked: dict[int, Ask] = {}
    shown: dict[str, None] = {}
    for part, answer in itertools.chain(*map(search.settle, alike.values())):
        if isinstance(answer, Ask):
            asked |= dict.fromkeys(part.places, answer)
            said: dict[str, Any] = {"asks": (*part.context.asks, answer)}
        elif isinstance(answer, str):
            splits = search.list_splits(part, part.names) if "dataset" in part.names else set()
            said = {"protocol": answer} | ({"split": splits.pop()} if len(splits) == 1 else {})
            shown[answer] = None
        else:
            default = search.default(part)
            tasks = default if default in answer.every and default is not None else answer.tasks
            said = {name: getattr(tasks, name) for name in (*NAMES, "relations")}
            told |= {} if tasks == default else {answer: None}
        for place in part.places:
            contexts[place] = replace(contexts[place], **said)
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
    return Completed(completed, tuple(groups), tuple(contexts), asked, search.describe(told, shown))


def tells(reading: Reading) -> bool:
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
        self._by_count: dict[Stated, Part] = {}

    def default(self, part: Part) -> Tasks | None:
        """Return the tasks that are assumed where no number tells."""
        try:
            return settle(part.context, self.user, self.tables, tool=self.reading.tool)[0]
        except RankconstError:
            return None

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

    def find(self, part: Part) -> Part | None:
        """Search for the sets of tasks that the numbers of some evaluations fit; None if there are none to search."""
        names, evidence = self._name(part.context), part.evidence
        if names is None:
            return self._check_named(part)
        if not evidence.pieces and not evidence.vague:
            return replace(part, names=names)
        key = None if part.tells or evidence.vague else replace(part.context, model=None)
        if key in self._by_count:
            known = self._by_count[key]
            return replace(part, names=names, matches=known.matches, ask=known.ask)
        attempts = [names]
        if names.get("side") == "both" and self.user.side is None:
            # A tool may call the one side that was evaluated both.
            attempts.append({name: key for name, key in names.items() if name != "side"})
        matches = find_first(evidence, self.sets, (select(self.sets, asked) for asked in attempts), self.user)
        other = matches or "protocol" in names or ("dataset" in names and not self.list_splits(part, names))
        sampled = "" if other else find_equal(evidence)
        if not matches and not sampled:
            some = (find_relations(evidence, self.tables, asked, self.user) for asked in attempts)
            matches = next(filter(None, some), ())
        ask = None if matches or sampled else self._ask(part, names)
        found = replace(part, names=names, matches=matches, sampled=sampled, ask=ask)
        if key is not None:
            self._by_count[key] = found
        return found

    def _check_named(self, part: Part) -> Part | None:
        """Ask where numbers contradict the relations, or the sampled candidates, that file or user name."""
        tasks = self.default(part)
        if tasks is None or not tasks.is_micro or tasks.side == RELATION_SIDE or not part.tells:
            return None
        some = tasks.relations or find_protocol(tasks.protocol).negatives
        if not some or tasks.dataset not in self.tables.datasets:  # the user counts the ranks
            return None
        if not (text := contradict(part.evidence, self.tables.histogram(tasks))):
            return None
        remedy = f"what was evaluated (--split, --relation), or {COUNTS}"
        return replace(part, ask=Ask("tasks", f"its numbers are not those of {tasks}: {text}", remedy=remedy))

    def list_splits(self, part: Part, names: Mapping[str, str]) -> set[str]:
        """Return the splits of the named dataset with that number of ranks: sampling limits the candidates only."""
        stated = [piece.value for piece in part.evidence.pieces if piece.metric is None]
        chosen = select(self.sets, {name: key for name, key in names.items() if name in {"dataset", "split", "side"}})
        return set(self.sets.names["split"][chosen & np.isin(self.sets.num_tasks, stated)].tolist())

    def _ask(self, part: Part, names: Mapping[str, str]) -> Ask:
        """Return what is nearest where nothing fits, and what may be the reason."""
        chosen, evidence = select(self.sets, names), part.evidence
        if names and (part.tells or evidence.vague):
            elsewhere = rank(evidence, self.sets, select(self.sets, {}), self.user)
            if elsewhere and elsewhere[0].by_chance < CERTAIN:
                text = (
                    f"its numbers do not fit {list_names(names)}; they are those of {describe_matches(elsewhere[:1])}"
                )
                return Ask("tasks", text)
        if not chosen.any():
            return Ask("tasks", f"the tables ({self.tables.version}) hold no such tasks: {list_names(names)}")
        evidence = evidence if evidence.pieces else replace(evidence, pieces=evidence.vague)
        nearest, remedy = describe_nearest(evidence, self.sets, chosen, self.user)
        text = f"its numbers fit no ranking tasks in the tables: {nearest}"
        missing = () if "dataset" in names else ("--dataset",)
        return Ask("tasks", text, remedy=", and ".join(filter(None, (*missing, remedy))))

    @functools.cached_property
    def counted(self) -> str:
        """The one dataset whose splits have the numbers of ranks in the file, if that cannot be chance; else empty."""
        alone = (part for part in self._by_count.values() if part.matches and "dataset" not in part.names)
        fits = {tuple(piece.value for piece in part.evidence.pieces): part.matches for part in alone}
        common = set.intersection(*({one.tasks.dataset for one in each} for each in fits.values())) if fits else set()
        by_chance = math.prod(matches[0].by_chance for matches in fits.values())
        return common.pop() if len(common) == 1 and by_chance < CERTAIN else ""

    # -- evaluations that share what the file says ---------------------------------------------------------------------

    def settle(self, every: Sequence[Part]) -> Iterator[tuple[Part, Match | Ask | str]]:
        """Yield the one match of each part, a question or a protocol; nothing where what is usual fits.

        All are of one dataset, split and protocol if they can be.
        """
        telling = [part for part in every if part.tells]
        if not all(part.is_partial for part in telling):  # a few relations, or sampling, have to be those of all sides
            every = [replace(part, matches=(), sampled="") if part.is_partial else part for part in every]
            telling = [part for part in every if part.tells]
        shared = _share(telling)
        certain = any(part.is_certain for part in telling)
        for part in every:
            named = "dataset" in part.names
            if part.sampled:
                yield part, part.sampled
                continue
            if part.tells:
                matches = _restrict(part.matches, shared) or part.matches
                sure = named or (certain if shared else part.is_certain)
            elif shared and (certain or named):
                matches, sure = _restrict(part.matches or self._list_shared(shared, part), shared), True
            else:
                likely = self._list_likely(part)
                if likely is None:
                    continue
                matches = likely
                sure = named or part.is_certain or {match.tasks.dataset for match in matches} == {self.counted}
            yield part, _conclude(part, matches, sure=sure)

    def _list_likely(self, part: Part) -> tuple[Match, ...] | None:
        """Return what a number of ranks fits, the usual if it can be; None if that is what is assumed in any case."""
        if not (part.evidence.pieces or part.evidence.vague):
            return None
        usual = tuple(match for match in part.matches if match.tasks.aggregation == DEFAULT_AGGREGATION)
        default, protocol = self.default(part), prefer(part.evidence, self.user)
        if any(default in match.every for match in usual):
            return None
        likely = tuple(match for match in usual if protocol in {one.protocol for one in match.every})
        return likely or usual or part.matches

    def _list_shared(self, shared: Iterable[Tasks], part: Part) -> tuple[Match, ...]:
        """Return the tasks of the other evaluations, of the side of a part; those with the same candidates as one."""
        side = part.names.get("side", "both")
        order = functools.partial(preference, protocol=prefer(part.evidence, self.user))
        alike: dict[object, list[Tasks]] = {}
        for tasks in sorted((replace(each, side=side) for each in shared), key=order):
            alike.setdefault((self.tables.histogram(tasks), tasks.aggregation), []).append(tasks)
        return tuple(Match(first, tuple(others), 0, ()) for first, *others in alike.values())

    def describe(self, told: Iterable[Match], sampled: Iterable[str]) -> str:
        """Say how numbers were understood."""
        sentences = []
        if matches := list(told):
            named = self.user.dataset or any(context.dataset for context in self.reading.entries.contexts)
            start, more = ("its", "") if named else ("no dataset is named; its", " Add --dataset to be sure.")
            found = f"{start} numbers are those of {describe_matches(matches)} (`rankconst check` shows why).{more}"
            sentences.append(found)
        if protocols := " and ".join(sampled):
            equal = f"its numbers show that all tasks have the same number of candidates: protocol {protocols}."
            sentences.append(equal)
        return " ".join(sentences)


def _conclude(part: Part, matches: tuple[Match, ...], *, sure: bool) -> Match | Ask:
    """Return the one match; without it, a question."""
    if not matches:
        return part.ask or Ask("tasks", "its numbers do not fit the ranking tasks of the numbers beside them")
    if len(matches) > 1:
        return _ask_which(matches)
    text = f"no dataset is named; its numbers fit {describe_matches(matches)}, but so few digits can fit by chance"
    return matches[0] if sure else Ask("dataset", text, remedy="--dataset")


def _frame(tasks: Tasks) -> Tasks:
    """Return what evaluations of all sides share."""
    return replace(tasks, side="both")


def _share(every: Iterable[Part]) -> set[Tasks]:
    """Return the tasks that, on some side, fit all evaluations that fit any."""
    frames = [{_frame(tasks) for match in one.matches for tasks in match.every} for one in every if one.matches]
    return set.intersection(*frames) if frames else set()


def _restrict(matches: Iterable[Match], shared: set[Tasks]) -> tuple[Match, ...]:
    """Keep the tasks that, on some side, fit the other evaluations, too."""
    inside = ((match, [tasks for tasks in match.every if _frame(tasks) in shared]) for match in matches)
    return tuple(replace(match, tasks=kept[0], same=tuple(kept[1:])) for match, kept in inside if kept)


def _ask_which(matches: Sequence[Match]) -> Ask:
    """Ask which of several sets it is, with the options that would tell them apart."""
    tasks = [match.tasks for match in matches]
    options = [f"--{name} {getattr(tasks[0], name)}" for name in NAMES if len({getattr(t, name) for t in tasks}) > 1]
    text = (
        f"its numbers fit {len(matches):,} sets of ranking tasks with different constants: {describe_matches(matches)}"
    )
    return Ask("tasks", text, remedy=f"what tells them apart, for example {' '.join(options)}")


def describe_matches(matches: Sequence[Match]) -> str:
    """Name sets of tasks: what only sides tell apart together, protocols with the same constants as equal."""
    sides: dict[str, list[str]] = {}
    for match in matches:
        tasks = match.tasks
        alike = [each.protocol for each in match.every if replace(each, protocol="") == replace(tasks, protocol="")]
        more = "" if tasks.is_micro else f", {tasks.aggregation}"
        more += f", only relation {', '.join(tasks.relations)}" if tasks.relations else ""
        key = f"{tasks.dataset} {tasks.split} {{}} under {' = '.join(dict.fromkeys(alike))}{more}"
        sides.setdefault(key, []).append(tasks.side)
    return list_first([key.format(", ".join(sorted(set(each)))) for key, each in sides.items()])
