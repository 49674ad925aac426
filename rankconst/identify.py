"""Which ranking tasks published numbers come from: dataset, split, side and protocol, found by their own constants.

The number of ranks and the expectations that adjusted values give away (:mod:`rankconst.evidence`) are compared with
those of every set of tasks in the tables. What is then known to be the right adjusted value tells which published
ones are wrong (:mod:`rankconst.mismatches`).
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rankconst.aggregations import DEFAULT_AGGREGATION, parse_aggregation
from rankconst.errors import UnknownNameError
from rankconst.evidence import Evidence, Piece, collect_evidence
from rankconst.mismatches import CAUSES, Checked, check_entries
from rankconst.protocols import PROTOCOLS, SIDES, SPLITS, parse_protocol, parse_side, parse_split
from rankconst.results.grouping import group_entries
from rankconst.results.numbers import NOISE
from rankconst.settling import Setting
from rankconst.sources import parse_source
from rankconst.tasksets import TaskSet, TaskSets

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from rankconst.results.reading import Entry, Reading
    from rankconst.settling import Context
    from rankconst.tables import Tables

__all__ = [
    "Comparison",
    "Identification",
    "Identified",
    "Match",
    "identify",
    "identify_evaluations",
    "identify_reading",
    "suggest_dataset",
]

# Of a metric without rows in the tables, the constants of so many sets are computed at most.
_MOST_COMPUTED = 100
# Where more sets fit than this, adjusted values are checked against none.
_MOST_CHECKED = 8

# No constant is farther from what a piece says, in units of the logarithm: one that agrees outweighs closeness.
_FAR = 10.0
# Nothing said about a file.
_OPEN = Setting()


@dataclass(frozen=True, slots=True)
class Comparison:
    """A piece of evidence beside the constant of a set of tasks.

    Attributes
    ----------
    piece
        What the numbers say.
    expected
        What these tasks have.
    agrees
        True if it lies within the piece's interval.
    """

    piece: Piece
    expected: float
    agrees: bool

    @property
    def difference(self) -> float:
        """The relative difference of both."""
        return abs(self.piece.value - self.expected) / abs(self.expected) if self.expected else float("inf")


@dataclass(frozen=True, slots=True)
class Match:
    """A set of tasks that the evidence fits.

    Attributes
    ----------
    tasks
        The set; of several with the same constants, the one that the source of the numbers makes likely.
    same
        Further sets with the same number of tasks and the same constants: nothing can tell them apart.
    comparisons
        One for each piece of evidence.
    """

    tasks: TaskSet
    same: tuple[TaskSet, ...]
    comparisons: tuple[Comparison, ...]

    @property
    def dataset(self) -> str:
        """The key of the dataset."""
        return self.tasks.dataset

    @property
    def split(self) -> str:
        """The key of the split."""
        return self.tasks.split

    @property
    def side(self) -> str:
        """The key of the side."""
        return self.tasks.side

    @property
    def protocol(self) -> str:
        """The key of the protocol."""
        return self.tasks.protocol

    @property
    def agreeing(self) -> int:
        """How many pieces agree."""
        return sum(each.agrees for each in self.comparisons)

    @property
    def total(self) -> int:
        """How many pieces there are."""
        return len(self.comparisons)

    @property
    def largest_difference(self) -> float:
        """The largest relative difference among the pieces that agree."""
        return max((each.difference for each in self.comparisons if each.agrees), default=0.0)


@dataclass(frozen=True, slots=True)
class Identified:
    """What was found out about numbers that share their ranking tasks.

    Attributes
    ----------
    evidence
        What the numbers say.
    matches
        The sets of tasks that fit best, all equally well; none if nothing fits.
    reason
        Why nothing fits, with the nearest; empty otherwise.
    note
        What to know about a match, such as a contradiction to the file's own words; empty if nothing.
    context, line
        What the file says about the numbers, and the line of the first, where there are lines.
    checked
        Every adjusted value beside the right one; empty if too many sets fit. Where several do, a value that is right
        for one of them is right.
    """

    evidence: Evidence
    matches: tuple[Match, ...]
    reason: str = ""
    note: str = ""
    context: Context | None = None
    line: int | None = None
    checked: tuple[Checked, ...] = ()

    @property
    def match(self) -> Match | None:
        """The one match; None if there is none, or several differ."""
        return self.matches[0] if len(self.matches) == 1 else None

    @property
    def mismatches(self) -> tuple[Checked, ...]:
        """The adjusted values that do not belong to their base values."""
        return tuple(each for each in self.checked if not each.belongs)

    @property
    def largest_difference(self) -> float | None:
        """The largest relative difference of an adjusted value that belongs; None if there is none."""
        return max((each.difference for each in self.checked if each.belongs), default=None)


@dataclass(frozen=True, slots=True)
class Identification:
    """What was found out about the numbers of a file.

    Attributes
    ----------
    groups
        Numbers that share their ranking tasks, in the order of the file.
    table_version
        The version of the tables.
    """

    groups: tuple[Identified, ...]
    table_version: str

    @property
    def mismatches(self) -> tuple[Checked, ...]:
        """The adjusted values that do not belong to their base values."""
        return tuple(each for group in self.groups for each in group.mismatches)


def identify(
    evidence: Evidence, tables: Tables, setting: Setting = _OPEN, *, candidates: TaskSets | None = None
) -> Identified:
    """Find the sets of ranking tasks that evidence fits.

    A set fits if at least half of the number of tasks and the expectations agree with it, those of MR and Hits@k
    before all others; the best are those with which most agree.

    Parameters
    ----------
    evidence
        What the numbers say.
    tables
        Whose sets of tasks are searched.
    setting
        Narrows the search. Names that the file states do so as well, unless nothing fits then.
    candidates
        The sets of these tables, where they have been read already.

    Raises
    ------
    UnknownNameError
        For a name in the setting that nobody knows, or that leaves no set of tasks.
    """
    found = candidates or TaskSets.of(tables)
    asked = _select(found, _asked(setting, tables))
    if not asked.any():
        raise UnknownNameError(f"the tables ({tables.version}) hold no such tasks: {_list(_asked(setting, tables))}.")
    stated, notes = _stated(evidence, setting, tables)
    if not evidence.pieces:
        return Identified(evidence, (), _say_nothing(evidence), " ".join(notes))
    matches: tuple[Match, ...] = ()
    # The file's own words may be wrong, or name what the tables lack; few files say that they hold macro averages.
    for names in (stated, _only_aggregation(stated), {}):
        chosen = asked & _select(found, names)
        matches = _rank(evidence, found, chosen, setting)
        if not matches:
            matches = _rank_by_defects(evidence, found, chosen, setting)
            notes += ["only the number of ranks agrees: the adjusted values have a known defect."] if matches else []
        if matches:
            break
    if 1 < len(matches) <= _MOST_CHECKED:
        _, matches = _explain(evidence, matches, found, setting)
    against = {name: key for name, key in stated.items() if name in evidence.stated and not _holds(matches, name, key)}
    if matches and against:
        notes.append(f"the file says {_list(against)}; its numbers are of another set of tasks.")
    reason = "" if matches else _describe_nearest(evidence, found, asked, setting)
    return Identified(evidence, matches, reason, " ".join(notes))


def _asked(setting: Setting, tables: Tables) -> dict[str, str]:
    parsers: dict[str, Callable[[str], str]] = _parsers(tables)
    given = {name: getattr(setting, name) for name in parsers}
    return {name: parsers[name](text) for name, text in given.items() if text is not None}


def _parsers(tables: Tables) -> dict[str, Callable[[str], str]]:
    return {
        "dataset": tables.resolve_dataset,
        "split": parse_split,
        "side": parse_side,
        "protocol": lambda name: parse_protocol(name).key,
        "aggregation": lambda name: parse_aggregation(name).key,
    }


def _stated(evidence: Evidence, setting: Setting, tables: Tables) -> tuple[dict[str, str], list[str]]:
    """Return the names that the file states, and notes on those that nobody knows."""
    found, notes = {}, []
    for name, parse in _parsers(tables).items():
        text = evidence.stated.get(name)
        if text is None:
            continue
        try:
            found[name] = parse(text)
        except UnknownNameError:
            notes.append(f"the file says {name} {text}, which the tables do not have.")
    # Numbers of macro averages say so, or their user does.
    if setting.aggregation is None:
        found.setdefault("aggregation", DEFAULT_AGGREGATION)
    return found, notes


def _only_aggregation(stated: Mapping[str, str]) -> dict[str, str]:
    return {name: key for name, key in stated.items() if name == "aggregation"}


def _holds(matches: Iterable[Match], name: str, key: str) -> bool:
    return any(getattr(tasks, name) == key for match in matches for tasks in (match.tasks, *match.same))


def _list(names: Mapping[str, str]) -> str:
    shown = [f"{name} {key}" for name, key in names.items() if (name, key) != ("aggregation", DEFAULT_AGGREGATION)]
    return ", ".join(shown)


def _select(candidates: TaskSets, names: Mapping[str, str]) -> NDArray[np.bool_]:
    chosen = np.ones(len(candidates.sets), dtype=bool)
    for name, key in names.items():
        chosen &= candidates.names[name] == key
    return chosen


def _bounds(piece: Piece, candidates: TaskSets) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return between which numbers the constant lies that a piece speaks of, in each set."""
    if piece.metric is None:
        return candidates.num_tasks.astype(np.float64), candidates.num_tasks.astype(np.float64)
    if piece.kind == "expectation":
        return candidates.find(piece.metric)
    deviation = candidates.deviation(piece.metric)
    return deviation, deviation


def _agree(piece: Piece, lower: Any, upper: Any) -> Any:
    """Tell whether something between two numbers may be what a piece says; NaN is not."""
    slack = NOISE if piece.metric is not None else 0.0
    with np.errstate(invalid="ignore"):
        return (upper * (1 + slack) >= piece.interval.lower) & (lower * (1 - slack) <= piece.interval.upper)


def _rank(
    evidence: Evidence,
    candidates: TaskSets,
    chosen: NDArray[np.bool_],
    setting: Setting,
    *,
    share: float = 0.5,
) -> tuple[Match, ...]:
    """Return the sets that fit best, those with the same constants as one; `share` of what counts must agree."""
    places = np.flatnonzero(chosen)
    bounds = [tuple(each[places] for each in _bounds(piece, candidates)) for piece in evidence.pieces]
    agreement = np.array([_agree(piece, *ends) for piece, ends in zip(evidence.pieces, bounds, strict=True)])
    expected = np.array([ends[0] for ends in bounds])
    if not places.size:
        return ()
    # What the tables have no rows of is computed, for those sets only that the rest leaves open.
    for row, (piece, (lower, upper)) in enumerate(zip(evidence.pieces, bounds, strict=True)):
        if piece.metric is None or np.array_equal(lower, upper, equal_nan=True):
            continue
        best = np.flatnonzero(_best(evidence, agreement))
        agreement[row] &= False
        for column in best[:_MOST_COMPUTED]:
            constants = candidates.constants(candidates.sets[places[column]], piece.metric)
            expected[row, column] = constants.expectation
            agreement[row, column] = _agree(piece, constants.expectation, constants.expectation)
    fits = np.flatnonzero(_best(evidence, agreement))
    weights = _weights(evidence)
    if not fits.size or float(weights @ agreement[:, fits[0]]) < share * weights.sum():
        return ()
    groups: dict[tuple[int, bytes, bytes], list[int]] = {}
    for column in fits.tolist():
        groups.setdefault(candidates.signature(int(places[column])), []).append(column)
    prefer = functools.partial(_preference, protocol=_likely_protocol(evidence, setting))
    matches = []
    for columns in groups.values():
        first, *others = sorted((candidates.sets[places[column]] for column in columns), key=prefer)
        comparisons = tuple(
            Comparison(piece, float(expected[row, columns[0]]), bool(agreement[row, columns[0]]))
            for row, piece in enumerate(evidence.pieces)
        )
        matches.append(Match(first, tuple(others), comparisons))
    return tuple(sorted(matches, key=lambda match: (*prefer(match.tasks)[:1], match.largest_difference)))


def _rank_by_defects(
    evidence: Evidence, candidates: TaskSets, chosen: NDArray[np.bool_], setting: Setting
) -> tuple[Match, ...]:
    """Return the sets with that many tasks on which known defects give at least half of the adjusted values."""
    counts = tuple(piece for piece in evidence.pieces if piece.metric is None)
    by_count = _rank(replace(evidence, pieces=counts), candidates, chosen, setting) if counts else ()
    best, explained = _explain(evidence, by_count, candidates, setting)
    if not best or 2 * best < sum(bool(piece.entries) for piece in evidence.pieces):
        return ()
    fitting = np.zeros_like(chosen)
    fitting[[candidates.sets.index(match.tasks) for match in explained]] = True
    same = {match.tasks: match.same for match in explained}
    found = _rank(evidence, candidates, fitting, setting, share=0.0)
    return tuple(replace(match, same=same[match.tasks]) for match in found)


def _explain(
    evidence: Evidence, matches: Sequence[Match], candidates: TaskSets, setting: Setting
) -> tuple[int, tuple[Match, ...]]:
    """Return how many adjusted values are right or wrong in a known way, and those of the matches where most are."""
    pairs = [piece.entries for piece in evidence.pieces if piece.entries]
    scores = []
    for match in matches[:_MOST_CHECKED]:
        checked = _check(pairs, [match], candidates, percent=setting.percent)
        scores.append(sum(each.belongs or (each.cause in CAUSES and CAUSES[each.cause].tells) for each in checked))
    best = max(scores, default=0)
    return best, tuple(match for match, score in zip(matches, scores, strict=False) if score == best)


def _weights(evidence: Evidence) -> NDArray[np.float64]:
    """Return what each piece counts in deciding whether a set fits: doubtful ones nothing, unless all are."""
    weights = np.array([0.0 if piece.doubtful else 1.0 for piece in evidence.pieces])
    return weights if weights.any() else np.ones(len(weights))


def _best(evidence: Evidence, agreement: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the sets with which most agrees: sound pieces first, then the number of tasks, then all pieces."""
    counts = np.array([piece.metric is None for piece in evidence.pieces])
    scores = np.stack([_weights(evidence) @ agreement, counts @ agreement, agreement.sum(axis=0)])
    best = np.ones(agreement.shape[1], dtype=bool)
    for score in scores:
        best &= score == score[best].max(initial=0)
    return best & agreement.any(axis=0)


def _likely_protocol(evidence: Evidence, setting: Setting) -> str | None:
    for source in (setting.source, evidence.source):
        if source is not None:
            try:
                return parse_source(source).protocol
            except UnknownNameError:
                continue
    return None


def _preference(tasks: TaskSet, protocol: str | None) -> tuple[Any, ...]:
    """Sort the likely protocol first, then the order in which users think."""
    protocols = [protocol, *PROTOCOLS]
    return (
        tasks.protocol != protocol,
        protocols.index(tasks.protocol) if tasks.protocol in protocols else len(protocols),
        ("both", *SIDES).index(tasks.side),
        ("test", *SPLITS).index(tasks.split),
        tasks.dataset,
    )


def _say_nothing(evidence: Evidence) -> str:
    reasons = dict.fromkeys(each.reason for each in evidence.dropped)
    remedy = "an adjusted value beside its base value, or the number of ranks, is needed"
    return f"nothing tells the ranking tasks: {'; '.join(list(reasons)[:3]) or remedy}."


def _describe_nearest(evidence: Evidence, candidates: TaskSets, chosen: NDArray[np.bool_], setting: Setting) -> str:
    """Say what fits nothing, and name the nearest set of tasks."""
    micro = chosen & (candidates.names["aggregation"] == (setting.aggregation or DEFAULT_AGGREGATION))
    places = np.flatnonzero(micro if micro.any() else chosen)
    sound = [piece for piece in evidence.pieces if not piece.doubtful] or list(evidence.pieces)
    distances = []
    for piece in sound:
        lower, upper = (each[places] for each in _bounds(piece, candidates))
        with np.errstate(invalid="ignore", divide="ignore"):
            away = np.abs(np.log(np.clip(piece.value, lower, upper) / piece.value))
        distances.append(np.minimum(np.nan_to_num(away, nan=_FAR), _FAR) + _FAR * ~_agree(piece, lower, upper))
    nearest = int(places[int(np.argmin(np.sum(distances, axis=0)))])
    tasks = candidates.sets[nearest]
    where = f"{tasks.dataset} {tasks.split} {tasks.side} under {tasks.protocol}"
    parts = []
    for piece in sound:
        least, most = (float(each[nearest]) for each in _bounds(piece, candidates))
        if _agree(piece, least, most):
            continue
        if piece.metric is None:
            others = (candidates.num_tasks[places] == piece.value).any()
            none = "only splits of other constants have so many tasks" if others else "no split has so many tasks"
            parts.append(f"n = {piece.value:,.0f}: {none}; nearest {where}: {tasks.num_tasks:,}")
        else:
            parts.append(f"{piece.label} = {piece.value:.6g} ({piece.origin}): nearest {where}: {least:.6g}")
    return "; ".join(dict.fromkeys(parts or [f"nearest {where}"])) + "."


def identify_reading(reading: Reading, tables: Tables, setting: Setting = _OPEN) -> Identification:
    """Find out which ranking tasks the numbers of a file come from, and which adjusted values are wrong.

    Parameters
    ----------
    reading
        What a reader found.
    tables
        Whose sets of tasks are searched.
    setting
        Narrows the search.

    Raises
    ------
    UnknownNameError
        For a name in the setting that nobody knows, or that leaves no set of tasks.
    """
    candidates = TaskSets.of(tables)
    groups = []
    for (context, _), evaluations in _group(reading).items():
        found = identify_evaluations(evaluations, tables, setting, source=reading.source, candidates=candidates)
        groups.append(replace(found, context=context, line=evaluations[0][0].line))
    return Identification(tuple(groups), tables.version)


def identify_evaluations(
    evaluations: Sequence[Sequence[Entry]],
    tables: Tables,
    setting: Setting = _OPEN,
    *,
    source: str | None = None,
    pieces: Sequence[Piece] = (),
    candidates: TaskSets | None = None,
) -> Identified:
    """Find out which ranking tasks some evaluations share, and which of their adjusted values are wrong.

    Parameters
    ----------
    evaluations
        The numbers of each.
    tables, setting, candidates
        As for :func:`identify`.
    source
        The tool that they come from.
    pieces
        What else is known about the ranking tasks.

    Raises
    ------
    UnknownNameError
        As for :func:`identify`.
    """
    sets = candidates or TaskSets.of(tables)
    evidence = collect_evidence(evaluations, source=source, percent=setting.percent)
    evidence = replace(evidence, pieces=(*evidence.pieces, *pieces))
    found = identify(evidence, tables, setting, candidates=sets)
    return replace(found, checked=_check(evaluations, found.matches, sets, percent=setting.percent))


def _group(reading: Reading) -> dict[tuple[Context, tuple[int, ...]], list[tuple[Entry, ...]]]:
    """Gather evaluations that share their ranking tasks: those that differ in the tie policy only."""
    groups: dict[tuple[Context, tuple[int, ...]], list[tuple[Entry, ...]]] = {}
    for group in group_entries(reading):
        # Rows of a table that say the same of themselves may still be of different datasets.
        rows = group.rows if reading.layout == "wide" else ()
        groups.setdefault((replace(group.context, rank_type=None), rows), []).append(group.entries)
    return groups


def _check(
    evaluations: Iterable[Sequence[Entry]], matches: Sequence[Match], candidates: TaskSets, *, percent: bool
) -> tuple[Checked, ...]:
    """Check adjusted values against every set that fits: one that is right for any of them is right."""
    if not 0 < len(matches) <= _MOST_CHECKED:
        return ()
    each_match = []
    for match in matches:
        find = functools.partial(candidates.constants, match.tasks)
        each_match.append([one for each in evaluations for one in check_entries(each, find, percent=percent)])
    return tuple(max(verdicts, key=lambda one: one.belongs) for verdicts in zip(*each_match, strict=True))


def suggest_dataset(reading: Reading, tables: Tables) -> Match | None:
    """Find the one dataset that the numbers of a file which names none must come from.

    Parameters
    ----------
    reading
        What a reader found.
    tables
        Whose sets of tasks are searched.

    Returns
    -------
    Match
        That of the first numbers in the file; None if the file names a dataset, if some of its numbers fit nothing,
        or if they fit several datasets or splits.
    """
    if any(entry.context.dataset is not None for entry in reading.entries):
        return None
    candidates = TaskSets.of(tables)
    telling = [
        evidence
        for evaluations in _group(reading).values()
        if (evidence := collect_evidence(evaluations, source=reading.source)).pieces
    ]
    found = [identify(evidence, tables, candidates=candidates).matches for evidence in telling]
    likely = None if reading.source is None else parse_source(reading.source).protocol
    shared = functools.reduce(set.__and__, map(_name_splits, found)) if found else set()
    # A file of a tool that evaluates in its own way was evaluated so, where that fits.
    shared = {each for each in shared if each[2] == likely} or shared
    if len({each[:2] for each in shared}) != 1:
        return None
    return next(match for match in found[0] if _name_splits([match]) & shared)


def _name_splits(matches: Iterable[Match]) -> set[tuple[str, str, str]]:
    return {(t.dataset, t.split, t.protocol) for match in matches for t in (match.tasks, *match.same)}
