"""A file completed by its own numbers: dataset, split, side and protocol of every evaluation, or a question.

What numbers fit completes what file and user say, whole. Where several sets with different constants fit, or none,
there is a question.
"""

from __future__ import annotations

import functools
import itertools
import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rankconst.catalogue.aggregations import DEFAULT_AGGREGATION
from rankconst.catalogue.metrics import CATALOGUE
from rankconst.catalogue.protocols import RELATION_SIDE, find_protocol
from rankconst.checks.matches import COUNTS, Match, agrees, describe_nearest, prefer, preference
from rankconst.checks.search import CERTAIN, Part, Search, describe_matches, gather, list_names
from rankconst.errors import RankconstError
from rankconst.evaluation import NAMES, Question, Stated, parse_stated, settle
from rankconst.moments import compute_moments
from rankconst.results.reading import Entries, Group, Reading, group_entries
from rankconst.results.relations import name_relations
from rankconst.tasks import Histogram

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from rankconst.checks.evidence import Evidence, Piece
    from rankconst.tables.tables import Tables
    from rankconst.tasks import Tasks


@dataclass(frozen=True)
class Completed:
    """The evaluations of a file with what is known about their ranking tasks."""

    # With completed contexts.
    reading: Reading
    # As in the file, and the completed context of each; none if no number tells, as none of the rest.
    groups: tuple[Group, ...] = ()
    contexts: tuple[Stated, ...] = ()
    parts: tuple[Part, ...] = ()
    # The question about the numbers of a group that fit several sets of tasks, or none, by its place.
    asked: Mapping[int, Question] = field(default_factory=dict)
    # How numbers were understood, where that is not what file, user and tool say.
    note: str = ""


def complete_reading(reading: Reading, tables: Tables, user: Stated) -> Completed:
    """Find the ranking tasks of every evaluation; `user` in any spelling."""
    user = parse_stated(user, tables)
    reading = name_relations(reading, user, tables)
    # Whether any number tells, without a look at each of a million entries.
    told = any(head.adjustment is not None or head.metric.scale == "count" for head in reading.entries.heads)
    if not told and all(context.num_tasks is None for context in reading.entries.contexts):
        return Completed(reading)
    search, groups = _Completion(reading, tables, user), group_entries(reading)
    parts = gather(groups, reading, user)
    contexts = [group.context for group in groups]
    asked: dict[int, Question] = {}
    for part, said in search.answer(parts):
        for place in part.places:
            contexts[place] = replace(contexts[place], **said)
            asked |= {place: said["asks"][-1]} if "asks" in said else {}
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
    return Completed(completed, tuple(groups), tuple(contexts), tuple(parts), asked, search.describe())


class _Completion(Search):
    """The search for the ranking tasks of one file, and what it has told."""

    def __init__(self, reading: Reading, tables: Tables, user: Stated) -> None:
        super().__init__(tables, user)
        self.reading = reading
        # Thousands of rows may say nothing but the same number.
        self._by_count: dict[Stated, Part] = {}
        self._told: dict[Match, None] = {}
        self._sampled: dict[str, None] = {}

    def answer(self, parts: Iterable[Part]) -> Iterator[tuple[Part, dict[str, Any]]]:
        """Yield each part with what completes its context: names, a protocol or a question."""
        # A file may tell evaluations on the same tasks apart by model and side.
        alike: dict[Stated, list[Part]] = {}
        for part in parts:
            if (found := self.find(part)) is not None:
                alike.setdefault(replace(part.context, model=None, side=None, num_tasks=None), []).append(found)
        for part, answer in itertools.chain(*map(self.settle, alike.values())):
            if isinstance(answer, Question):
                yield part, {"asks": (*part.context.asks, answer)}
            elif isinstance(answer, str):
                splits = self.list_splits(part, part.names) if "dataset" in part.names else set()
                self._sampled[answer] = None
                yield part, {"protocol": answer} | ({"split": splits.pop()} if len(splits) == 1 else {})
            else:
                default = self.default(part)
                tasks = default if default in answer.every and default is not None else answer.tasks
                self._told |= {} if tasks == default else {answer: None}
                yield part, {name: getattr(tasks, name) for name in NAMES}

    def default(self, part: Part) -> Tasks | None:
        """Return the tasks that are assumed where no number tells."""
        try:
            return settle(part.context, self.user, self.tables, tool=self.reading.tool)[0]
        except RankconstError:
            return None

    def _name(self, part: Part) -> Mapping[str, str] | None:
        """Return what file and user name; None if it is unknown, contradicts itself or is not of these tables."""
        said, unknown = self.read(part.context)
        both = said | self.given
        names = {name: both[name] for name in NAMES if name in both}
        dataset = names.get("dataset", next(iter(self.tables.datasets)))
        tasks = self.default(replace(part, context=replace(part.context, dataset=dataset)))
        if tasks is None or unknown.keys() - self.given.keys():
            return None
        known = tasks.dataset in self.sets.names["dataset"]  # not the user's own counts
        counted_elsewhere = not known or tasks.relations or tasks.side == RELATION_SIDE
        return None if counted_elsewhere or find_protocol(tasks.protocol).negatives is not None else names

    def find(self, part: Part) -> Part | None:
        """Search for the sets of tasks that the numbers of some evaluations fit; None if there are none to search."""
        names, evidence = self._name(part), part.evidence
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
        matches = self.fit(evidence, *attempts)
        other = matches or "protocol" in names or ("dataset" in names and not self.list_splits(part, names))
        sampled = "" if other else _find_equal(evidence)
        ask = None if matches or sampled else self._ask(part, names)
        found = replace(part, names=names, matches=matches, sampled=sampled, ask=ask)
        if key is not None:
            self._by_count[key] = found
        return found

    def _check_named(self, part: Part) -> Part | None:
        """Question where numbers contradict the relations, or the sampled candidates, that file or user name."""
        tasks = self.default(part)
        if tasks is None or not tasks.is_micro or tasks.side == RELATION_SIDE or not part.tells:
            return None
        some = tasks.relations or find_protocol(tasks.protocol).negatives
        if not some or tasks.dataset not in self.tables.datasets:  # the user counts the ranks
            return None
        if not (text := _contradict(part.evidence, self.tables.histogram(tasks))):
            return None
        remedy = f"what was evaluated (--split, --relation), or {COUNTS}"
        return replace(part, ask=Question("tasks", f"its numbers are not those of {tasks}: {text}", option=remedy))

    def list_splits(self, part: Part, names: Mapping[str, str]) -> set[str]:
        """Return the splits of the named dataset with that number of ranks: sampling limits the candidates only."""
        stated = [piece.value for piece in part.evidence.pieces if piece.metric is None]
        chosen = self.select({name: key for name, key in names.items() if name in {"dataset", "split", "side"}})
        return set(self.sets.names["split"][chosen & np.isin(self.sets.num_tasks, stated)].tolist())

    def _ask(self, part: Part, names: Mapping[str, str]) -> Question:
        """Return what is nearest where nothing fits, and what may be the reason."""
        evidence = part.evidence
        if names and (part.tells or evidence.vague):
            elsewhere = self.fit(evidence, {})[:1]
            if elsewhere and elsewhere[0].by_chance < CERTAIN:
                text = f"its numbers do not fit {list_names(names)}; they are those of {describe_matches(elsewhere)}"
                return Question("tasks", text)
        if not (chosen := self.select(names)).any():
            return Question("tasks", self.describe_lack(names))
        evidence = evidence if evidence.pieces else replace(evidence, pieces=evidence.vague)
        nearest, remedy = describe_nearest(evidence, self.sets, chosen, self.user)
        missing = () if "dataset" in names else ("--dataset",)
        text = f"its numbers fit no ranking tasks in the tables: {nearest}"
        return Question("tasks", text, option=", and ".join(filter(None, (*missing, remedy))))

    @functools.cached_property
    def counted(self) -> str:
        """The one dataset whose splits have the numbers of ranks in the file, if that cannot be chance; else empty."""
        alone = (part for part in self._by_count.values() if part.matches and "dataset" not in part.names)
        fits = {tuple(piece.value for piece in part.evidence.pieces): part.matches for part in alone}
        common = set.intersection(*({one.tasks.dataset for one in each} for each in fits.values())) if fits else set()
        by_chance = math.prod(matches[0].by_chance for matches in fits.values())
        return common.pop() if len(common) == 1 and by_chance < CERTAIN else ""

    # -- evaluations that share what the file says ---------------------------------------------------------------------

    def settle(self, every: Sequence[Part]) -> Iterator[tuple[Part, Match | Question | str]]:
        """Yield the one match of each part, a question or a protocol; nothing where what is usual fits.

        All are of one dataset, split and protocol if they can be.
        """
        telling = [part for part in every if part.tells]
        if not all(part.sampled for part in telling):  # sampling has to be that of all sides
            every = [replace(part, sampled="") for part in every]
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

    def describe(self) -> str:
        """Say how numbers were understood."""
        sentences = []
        if self._told:
            named = self.user.dataset or any(context.dataset for context in self.reading.entries.contexts)
            start, more = ("its", "") if named else ("no dataset is named; its", " Add --dataset to be sure.")
            found = describe_matches([*self._told])
            sentences.append(f"{start} numbers are those of {found} (`rankconst check` shows why).{more}")
        if protocols := " and ".join(self._sampled):
            equal = f"its numbers show that all tasks have the same number of candidates: protocol {protocols}."
            sentences.append(equal)
        return " ".join(sentences)


def _conclude(part: Part, matches: tuple[Match, ...], *, sure: bool) -> Match | Question:
    """Return the one match; without it, a question."""
    if not matches:
        return part.ask or Question("tasks", "its numbers do not fit the tasks of the numbers next to them")
    if len(matches) > 1:
        return _ask_which(matches)
    text = f"no dataset is named; its numbers fit {describe_matches(matches)}, but so few digits can fit by chance"
    return matches[0] if sure else Question("dataset", text, option="--dataset")


def _share(every: Iterable[Part]) -> set[Tasks]:
    """Return the tasks that, on some side, fit all evaluations that fit any, as those of both sides."""
    told = (part.matches for part in every if part.matches)
    frames = [{replace(tasks, side="both") for match in each for tasks in match.every} for each in told]
    return set.intersection(*frames) if frames else set()


def _restrict(matches: Iterable[Match], shared: set[Tasks]) -> tuple[Match, ...]:
    """Keep the tasks that, on some side, fit the other evaluations, too."""
    inside = ((match, [tasks for tasks in match.every if replace(tasks, side="both") in shared]) for match in matches)
    return tuple(replace(match, tasks=kept[0], same=tuple(kept[1:])) for match, kept in inside if kept)


def _ask_which(matches: Sequence[Match]) -> Question:
    """Question which of several sets it is, with the options that would tell them apart."""
    tasks = [match.tasks for match in matches]
    options = [f"--{name} {getattr(tasks[0], name)}" for name in NAMES if len({getattr(t, name) for t in tasks}) > 1]
    text = (
        f"its numbers fit {len(matches):,} sets of ranking tasks with different constants: {describe_matches(matches)}"
    )
    return Question("tasks", text, option=f"what tells them apart, for example {' '.join(options)}")


# -- one number of candidates, and what contradicts what is named -----------------------------------------------------

# The largest relative error of what numbers in full tell, which tools form with 32 bits; nothing coarser is tried.
_FULL = 1e-5
# One metric alone may agree by chance.
_FEWEST_METRICS = 2
# Few tasks may have equally many candidates by chance: they may be those of a relation.
_FEW = 100
_MEAN_RANK = CATALOGUE["arithmetic_mean_rank"]


def _read_full(evidence: Evidence) -> tuple[int, Piece, list[Piece]] | None:
    """Return the number of ranks, E[MR], and every expectation in full; None if they are not all there."""
    counts = [int(piece.value) for piece in evidence.pieces if piece.metric is None]
    full = [piece for piece in evidence.pieces if piece.kind == "expectation" and piece.precision < _FULL]
    means = [piece for piece in full if piece.metric == _MEAN_RANK]
    enough = len({piece.metric for piece in full}) >= _FEWEST_METRICS
    return (counts[0], means[0], full) if len(counts) == 1 and means and enough else None


def _find_equal(evidence: Evidence) -> str:
    """Return the protocol if all tasks have equally many candidates, from which all expectations follow; else empty."""
    if (told := _read_full(evidence)) is None or told[0] < _FEW:
        return ""
    count, mean, full = told
    if (size := round(2 * mean.value - 1)) < 2:
        return ""
    histogram = Histogram.from_counts([size], [count])
    known = ((piece, compute_moments(piece.metric or _MEAN_RANK, histogram).expectation) for piece in full)
    return f"sampled:{size - 1}" if all(agrees(piece, expected, expected) for piece, expected in known) else ""


def _contradict(evidence: Evidence, histogram: Histogram) -> str:
    """Return what numbers in full have otherwise than tasks with these candidates; nothing if they fit."""
    if (told := _read_full(evidence)) is None:
        return ""
    count, mean, expected = told[0], told[1], (histogram.mean + 1) / 2
    if count != histogram.total:
        return f"n = {count:,}, expected {histogram.total:,}"
    fits = agrees(mean, expected, expected)
    return "" if fits else f"{mean.label} = {mean.value:.6g} ({mean.origin}), expected {expected:.6g}"
