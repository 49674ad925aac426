"""What is found: sets of ranking tasks that evidence fits, and the adjusted values that are wrong on them."""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rankconst.catalogue.protocols import PROTOCOLS, SIDES, SPLITS
from rankconst.catalogue.tools import parse_tool
from rankconst.checks.identify.defects import CAUSES, Checked, check_entries
from rankconst.constants.published import NOISE
from rankconst.errors import UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from rankconst.checks.identify.evidence import Evidence, Piece
    from rankconst.results.evaluation import Stated
    from rankconst.results.reading import Entry
    from rankconst.tables.search import TaskSets
    from rankconst.tasks import Tasks


@dataclass(frozen=True, slots=True)
class Comparison:
    """A piece of evidence and the constant that a set of tasks has."""

    piece: Piece
    expected: float
    agrees: bool

    @property
    def difference(self) -> float:
        """The relative difference of the two."""
        return abs(self.piece.value - self.expected) / abs(self.expected) if self.expected else float("inf")


@dataclass(frozen=True, slots=True)
class Match:
    """A set of tasks that the evidence fits."""

    # Of several with the same constants, the one that the tool makes likely; and the others, which nothing tells apart.
    tasks: Tasks
    same: tuple[Tasks, ...]
    num_tasks: int
    # One for each piece of evidence.
    comparisons: tuple[Comparison, ...]

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
    """What was found out about numbers that share their ranking tasks."""

    evidence: Evidence
    # The sets of tasks that fit best, all equally well.
    matches: tuple[Match, ...]
    # Why nothing fits, with the nearest set; empty otherwise.
    reason: str = ""
    # What to know about a match, such as a contradiction to the file's own words.
    note: str = ""
    context: Stated | None = None
    line: int | None = None
    # Every adjusted value and the right one, unless too many sets fit; right on any of them is right.
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
    """What was found out about the numbers of a file: groups that share their ranking tasks, in its order."""

    groups: tuple[Identified, ...]
    table_version: str

    def __repr__(self) -> str:
        return f"Identification({len(self.groups):,} groups of numbers, {len(self.mismatches):,} wrong adjusted values)"

    @property
    def mismatches(self) -> tuple[Checked, ...]:
        """The adjusted values that do not belong to their base values."""
        return tuple(each for group in self.groups for each in group.mismatches)


# -- agreement --------------------------------------------------------------------------------------------------------


def bound_constant(piece: Piece, candidates: TaskSets) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Bound the constant that a piece speaks of, in each set."""
    if piece.kind == "expectation" and piece.metric is not None:
        return candidates.find(piece.metric)
    exact = candidates.num_tasks.astype(np.float64) if piece.metric is None else candidates.deviation(piece.metric)
    return exact, exact


def agrees(piece: Piece, lower: Any, upper: Any) -> Any:
    """Tell whether something between two numbers may be what a piece says; NaN is not."""
    slack = NOISE if piece.metric is not None else 0.0
    with np.errstate(invalid="ignore"):
        return (upper * (1 + slack) >= piece.interval.lower) & (lower * (1 - slack) <= piece.interval.upper)


def weigh(evidence: Evidence) -> NDArray[np.float64]:
    """Weigh the pieces for deciding whether a set fits: doubtful ones count nothing, unless all are doubtful."""
    weights = np.array([0.0 if piece.doubtful else 1.0 for piece in evidence.pieces])
    return weights if weights.any() else np.ones(len(weights))


def find_best(evidence: Evidence, agreement: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the sets that agree with most: sound pieces first, then the number of tasks, then all pieces."""
    counts = np.array([piece.metric is None for piece in evidence.pieces])
    scores = np.stack([weigh(evidence) @ agreement, counts @ agreement, agreement.sum(axis=0)])
    best = np.ones(agreement.shape[1], dtype=bool)
    for score in scores:
        best &= score == score[best].max(initial=0)
    return best & agreement.any(axis=0)


# -- ranking ----------------------------------------------------------------------------------------------------------


# At most this many sets have their constants computed, for a metric without rows in the tables.
_MOST_COMPUTED = 100


def rank(
    evidence: Evidence,
    candidates: TaskSets,
    chosen: NDArray[np.bool_],
    user: Stated,
    *,
    share: float = 0.5,
) -> tuple[Match, ...]:
    """Return the sets that fit best, those with the same constants as one; `share` of what counts must agree."""
    places = np.flatnonzero(chosen)
    bounds = [tuple(each[places] for each in bound_constant(piece, candidates)) for piece in evidence.pieces]
    agreement = np.array([agrees(piece, *ends) for piece, ends in zip(evidence.pieces, bounds, strict=True)])
    expected = np.array([ends[0] for ends in bounds])
    if not places.size:
        return ()
    # What the tables have no rows of is computed, but only for the sets that the rest leaves open.
    for row, (piece, (lower, upper)) in enumerate(zip(evidence.pieces, bounds, strict=True)):
        if piece.metric is None or np.array_equal(lower, upper, equal_nan=True):
            continue
        best = np.flatnonzero(find_best(evidence, agreement))
        agreement[row] &= False
        for column in best[:_MOST_COMPUTED]:
            constants = candidates.tables.look_up(candidates.sets[places[column]], piece.metric)
            expected[row, column] = constants.expectation
            agreement[row, column] = agrees(piece, constants.expectation, constants.expectation)
    fits = np.flatnonzero(find_best(evidence, agreement))
    weights = weigh(evidence)
    if not fits.size or float(weights @ agreement[:, fits[0]]) < share * weights.sum():
        return ()
    groups: dict[tuple[int, bytes, bytes], list[int]] = {}
    for column in fits.tolist():
        groups.setdefault(candidates.signature(int(places[column])), []).append(column)
    prefer = functools.partial(_preference, protocol=_likely_protocol(evidence, user))
    matches = []
    for columns in groups.values():
        first, *others = sorted((candidates.sets[places[column]] for column in columns), key=prefer)
        comparisons = tuple(
            Comparison(piece, float(expected[row, columns[0]]), bool(agreement[row, columns[0]]))
            for row, piece in enumerate(evidence.pieces)
        )
        matches.append(Match(first, tuple(others), int(candidates.num_tasks[places[columns[0]]]), comparisons))
    return tuple(sorted(matches, key=lambda match: (*prefer(match.tasks)[:1], match.largest_difference)))


def _likely_protocol(evidence: Evidence, user: Stated) -> str | None:
    for tool in (user.tool, evidence.tool):
        if tool is not None:
            try:
                return parse_tool(tool).protocol
            except UnknownNameError:
                continue
    return None


def _preference(tasks: Tasks, protocol: str | None) -> tuple[Any, ...]:
    """Sort the likely protocol first, then the order in which users think."""
    protocols = [protocol, *PROTOCOLS]
    return (
        tasks.protocol != protocol,
        protocols.index(tasks.protocol) if tasks.protocol in protocols else len(protocols),
        ("both", *SIDES).index(tasks.side),
        ("test", *SPLITS).index(tasks.split),
        tasks.dataset,
    )


# -- adjusted values on the sets that fit -----------------------------------------------------------------------------


# If more sets fit than this, adjusted values are checked on none.
MOST_CHECKED = 8


def check_evaluations(
    evaluations: Iterable[Sequence[Entry]], matches: Sequence[Match], candidates: TaskSets, *, percent: bool
) -> tuple[Checked, ...]:
    """Check adjusted values on every set that fits: one that is right on any of them is right."""
    if not 0 < len(matches) <= MOST_CHECKED:
        return ()
    each_match = []
    for match in matches:
        find = functools.partial(candidates.tables.look_up, match.tasks)
        each_match.append([one for each in evaluations for one in check_entries(each, find, percent=percent)])
    return tuple(max(verdicts, key=lambda one: one.belongs) for verdicts in zip(*each_match, strict=True))


def explain(
    evidence: Evidence, matches: Sequence[Match], candidates: TaskSets, user: Stated
) -> tuple[int, tuple[Match, ...]]:
    """Return how many adjusted values are right or wrong in a known way, and the matches with the most of these."""
    pairs = [piece.entries for piece in evidence.pieces if piece.entries]
    scores = []
    for match in matches[:MOST_CHECKED]:
        checked = check_evaluations(pairs, [match], candidates, percent=user.percent)
        scores.append(sum(each.belongs or (each.cause in CAUSES and CAUSES[each.cause].tells) for each in checked))
    best = max(scores, default=0)
    return best, tuple(match for match, score in zip(matches, scores, strict=False) if score == best)


def rank_by_defects(
    evidence: Evidence, candidates: TaskSets, chosen: NDArray[np.bool_], user: Stated
) -> tuple[Match, ...]:
    """Return the sets with that many tasks on which known defects give at least half of the adjusted values."""
    counts = tuple(piece for piece in evidence.pieces if piece.metric is None)
    by_count = rank(replace(evidence, pieces=counts), candidates, chosen, user) if counts else ()
    best, explained = explain(evidence, by_count, candidates, user)
    if not best or 2 * best < sum(bool(piece.entries) for piece in evidence.pieces):
        return ()
    fitting = np.zeros_like(chosen)
    fitting[[candidates.sets.index(match.tasks) for match in explained]] = True
    same = {match.tasks: match.same for match in explained}
    found = rank(evidence, candidates, fitting, user, share=0.0)
    return tuple(replace(match, same=same[match.tasks]) for match in found)
