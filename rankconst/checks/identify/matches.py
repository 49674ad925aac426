"""What is found about numbers: sets of tasks that fit, what fits them, and adjusted values that are wrong."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rankconst.catalogue.protocols import PROTOCOLS, SIDES, SPLITS
from rankconst.catalogue.tools import parse_tool
from rankconst.errors import UnknownNameError
from rankconst.results.reading import NOISE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rankconst.checks.identify.defects import Checked
    from rankconst.checks.identify.evidence import Evidence, Piece
    from rankconst.results.evaluation import Stated
    from rankconst.tables.search import TaskSets
    from rankconst.tasks import Tasks


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

    tasks: Tasks
    same: tuple[Tasks, ...]
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
    context: Stated | None = None
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


# Of a metric without rows in the tables, the constants of so many sets are computed at most.
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
    # What the tables have no rows of is computed, for those sets only that the rest leaves open.
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
        matches.append(Match(first, tuple(others), comparisons))
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


def bound_constant(piece: Piece, candidates: TaskSets) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return between which numbers the constant lies that a piece speaks of, in each set."""
    if piece.metric is None:
        return candidates.num_tasks.astype(np.float64), candidates.num_tasks.astype(np.float64)
    if piece.kind == "expectation":
        return candidates.find(piece.metric)
    deviation = candidates.deviation(piece.metric)
    return deviation, deviation


def agrees(piece: Piece, lower: Any, upper: Any) -> Any:
    """Tell whether something between two numbers may be what a piece says; NaN is not."""
    slack = NOISE if piece.metric is not None else 0.0
    with np.errstate(invalid="ignore"):
        return (upper * (1 + slack) >= piece.interval.lower) & (lower * (1 - slack) <= piece.interval.upper)


def weigh(evidence: Evidence) -> NDArray[np.float64]:
    """Return what each piece counts in deciding whether a set fits: doubtful ones nothing, unless all are."""
    weights = np.array([0.0 if piece.doubtful else 1.0 for piece in evidence.pieces])
    return weights if weights.any() else np.ones(len(weights))


def find_best(evidence: Evidence, agreement: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the sets with which most agrees: sound pieces first, then the number of tasks, then all pieces."""
    counts = np.array([piece.metric is None for piece in evidence.pieces])
    scores = np.stack([weigh(evidence) @ agreement, counts @ agreement, agreement.sum(axis=0)])
    best = np.ones(agreement.shape[1], dtype=bool)
    for score in scores:
        best &= score == score[best].max(initial=0)
    return best & agreement.any(axis=0)
