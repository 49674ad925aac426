"""What is found: sets of ranking tasks that evidence fits, and the adjusted values that are wrong on them."""

from __future__ import annotations

import functools
import itertools
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankconst.catalogue.aggregations import AGGREGATIONS, DEFAULT_AGGREGATION
from rankconst.catalogue.metrics import TABULATED_KS
from rankconst.catalogue.protocols import DEFAULT_PROTOCOL, PROTOCOLS, SIDES, SPLITS
from rankconst.catalogue.tools import parse_tool
from rankconst.checks.defects import Checked, bound_cancellation, check_entries
from rankconst.errors import UnknownNameError
from rankconst.values.published import NOISE

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from rankconst.catalogue.metrics import Metric
    from rankconst.checks.evidence import Evidence, Piece
    from rankconst.evaluation import Stated
    from rankconst.results.reading import Entry
    from rankconst.tables.search import TaskSets
    from rankconst.tables.tables import Tables
    from rankconst.tasks import Tasks
    from rankconst.values.published import Interval


EXACT = 1e-8
"""Numbers that are met as exactly as this were not formed with 32 bits."""


class Comparison(NamedTuple):
    """A piece of evidence and the constant that a set of tasks has."""

    piece: Piece
    expected: float
    agrees: bool
    explained: bool  # a known defect of adjusted values says why it does not agree

    @property
    def difference(self) -> float:
        """The relative difference of the two."""
        return abs(self.piece.value - self.expected) / abs(self.expected) if self.expected else float("inf")

    @property
    def open_by(self) -> float:
        """What the piece leaves open, relative to itself: less where it is met as only numbers of 64 bits are."""
        exact = self.piece.kind in {"expectation", "deviation"} and self.difference <= EXACT
        return min(self.piece.precision, EXACT) if exact else self.piece.precision


@dataclass(frozen=True, slots=True)
class Match:
    """A set of tasks that the evidence fits."""

    # Of several with the same constants, the one that the tool makes likely; and the others, which nothing tells apart.
    tasks: Tasks
    same: tuple[Tasks, ...]
    num_tasks: int
    # One for each piece of evidence.
    comparisons: tuple[Comparison, ...]
    # How many sets of the tables would fit as well by chance, if the numbers were of a graph that is not in them; known
    # of the first of several.
    by_chance: float = 1.0

    @property
    def every(self) -> tuple[Tasks, ...]:
        """All that it may be: the likely set first."""
        return (self.tasks, *self.same)

    @property
    def unusual(self) -> tuple[bool, ...]:
        """How it differs from what most results are of: test, both sides, the default protocol."""
        protocols = {each.protocol for each in self.every}
        return self.tasks.split != "test", self.tasks.side != "both", DEFAULT_PROTOCOL not in protocols

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
    line: int | None = None
    # Every adjusted value and the right one, unless too many sets fit; right on any of them is right.
    checked: tuple[Checked, ...] = ()

    def __repr__(self) -> str:
        return f"Identified({self.label or 'numbers'}: {', '.join(str(match.tasks) for match in self.matches)})"

    @property
    def match(self) -> Match | None:
        """The one match; None if there is none, or several differ."""
        return self.matches[0] if len(self.matches) == 1 else None

    @property
    def mismatches(self) -> tuple[Checked, ...]:
        """The adjusted values that do not belong to their base values."""
        return tuple(each for each in self.checked if not each.belongs)

    @property
    def label(self) -> str:
        """What tells the numbers from others: ``RotatE, wn18rr, both``; empty if nothing does."""
        context = self.evidence.context
        parts = (context.model, context.dataset, context.split, context.side, context.protocol)
        return ", ".join(filter(None, parts))


# -- agreement --------------------------------------------------------------------------------------------------------


def bound_constant(piece: Piece, candidates: TaskSets) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Bound the constant that a piece speaks of, in each set."""
    if piece.kind == "expectation" and piece.metric is not None:
        return candidates.find(piece.metric)
    if piece.kind == "adjusted" and piece.metric is not None and piece.base is not None:
        return _predict(piece.metric, piece.form, piece.base, candidates)
    exact = candidates.num_tasks.astype(np.float64) if piece.metric is None else candidates.deviation(piece.metric)
    lost = bound_cancellation(candidates.num_tasks) / 2 if piece.is_noisy else 0.0
    return exact * (1 - lost), exact * (1 + lost)


def _predict(
    metric: Metric, form: str, base: Interval, candidates: TaskSets
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Bound the adjusted value of a base value in each set; NaN where the tables have no constant."""
    least, most = candidates.find(metric)
    expectation = np.where(least == most, least, np.nan)
    optimum = np.nan if metric.optimum is None else metric.optimum
    deviation = candidates.deviation(metric) * (1 if metric.increasing else -1)
    ends = []
    with np.errstate(invalid="ignore", divide="ignore"):
        for end, mean in itertools.product(base, (expectation * (1 - NOISE), expectation * (1 + NOISE))):
            unit = {"normalised": mean, "index": optimum - mean}.get(form, deviation)
            ends.append((end - (0.0 if form == "normalised" else mean)) / unit)
    known = np.isfinite(ends).all(axis=0)
    return np.where(known, np.min(ends, axis=0), np.nan), np.where(known, np.max(ends, axis=0), np.nan)


def agrees(piece: Piece, lower: Any, upper: Any) -> Any:
    """Tell whether something between two numbers may be what a piece says; NaN is not."""
    slack = NOISE if piece.metric is not None else 0.0
    with np.errstate(invalid="ignore"):
        return (upper + slack * np.abs(upper) >= piece.interval.lower) & (
            lower - slack * np.abs(lower) <= piece.interval.upper
        )


def outvotes(evidence: Evidence, agreement: NDArray[np.bool_], against: NDArray[np.bool_]) -> bool:
    """Tell whether what contradicts some tasks are slips, each outvoted twice over by pieces as precise as itself.

    What an adjusted value and the z of the same metric say depends on the same numbers: it is one contradiction. No
    expectation says how many tasks there are.
    """
    precision = np.array([piece.precision for piece in evidence.pieces])
    for place in np.flatnonzero(against):
        as_precise = precision <= _AS_PRECISE * precision[place]
        metrics = {evidence.pieces[each].metric for each in np.flatnonzero(as_precise & against)}
        if None in metrics or np.sum(as_precise & agreement) < _OUTVOTE * len(metrics):
            return False
    return True


# -- ranking ----------------------------------------------------------------------------------------------------------


# A piece that leaves open up to this many times more than another still counts as equally precise.
_AS_PRECISE = 10.0
# How many pieces that agree outvote one that does not.
_OUTVOTE = 2
# At most this many sets have their constants computed, for a metric without rows in the tables.
_MOST_COMPUTED = 100
_APART = 1000.0
# At most this many sets are searched for known defects.
_MOST_SEARCHED = 24
# A set that is this many times closer is the right one.
_CLOSER = 100.0


@dataclass(frozen=True, eq=False)
class Comparisons:
    """Each piece of evidence, a row, beside the constants of each set of tasks, a column."""

    # What is vague is among the pieces, behind the first few, unless nothing else is known.
    evidence: Evidence
    told: int
    expected: NDArray[np.float64]
    agreement: NDArray[np.bool_]
    explained: NDArray[np.bool_]

    @classmethod
    def of(cls, evidence: Evidence, candidates: TaskSets, places: NDArray[np.intp]) -> Comparisons:
        """Compare evidence with the sets at some places."""
        pieces = (*evidence.pieces, *evidence.vague)
        bounds = [tuple(each[places] for each in bound_constant(piece, candidates)) for piece in pieces]
        agreement = np.array([agrees(piece, *ends) for piece, ends in zip(pieces, bounds, strict=True)])
        expected = np.array([sum(ends) / 2 for ends in bounds])
        told = len(evidence.pieces) or len(evidence.vague)
        return cls(replace(evidence, pieces=pieces, vague=()), told, expected, agreement, np.zeros_like(agreement))

    @property
    def against(self) -> NDArray[np.bool_]:
        """What contradicts: what the tables do not say does not."""
        return ~self.agreement & ~np.isnan(self.expected)

    def sort_columns(self) -> NDArray[np.intp]:
        """Return the columns, those first that most agrees with: what agrees weighs its precision, each digit once."""
        precision = [piece.precision for piece in self.evidence.pieces]
        return np.argsort(np.log(precision) @ self.agreement, kind="stable")

    def list_at(self, column: int) -> tuple[Comparison, ...]:
        """Return the comparisons with one set."""
        columns = (each[: self.told, column].tolist() for each in (self.expected, self.agreement, self.explained))
        return tuple(map(Comparison, self.evidence.pieces, *columns))


def rank(evidence: Evidence, candidates: TaskSets, chosen: NDArray[np.bool_], user: Stated) -> tuple[Match, ...]:
    """Return the sets that the evidence fits, those with the same constants as one; the likely protocol first."""
    places = np.flatnonzero(chosen)
    if not places.size:
        return ()
    compared, sets = Comparisons.of(evidence, candidates, places), [candidates.sets[place] for place in places]
    _compute_missing(compared, sets, candidates.tables)
    fits = np.asarray(~compared.against.any(axis=0) & compared.agreement.any(axis=0))
    if not fits.any():
        fits = _excuse(compared, sets, candidates.tables, user)
    fits = _sharpen(compared, fits)
    order = functools.partial(preference, protocol=prefer(evidence, user))
    alike: dict[object, list[int]] = {}
    for column in np.flatnonzero(fits).tolist():
        alike.setdefault(candidates.signature(int(places[column])), []).append(column)
    found: list[tuple[tuple[Any, ...], int, int, Match]] = []
    for column, *more in alike.values():
        first, *others = sorted((sets[each] for each in (column, *more)), key=order)
        place = int(places[column])
        match = Match(first, tuple(others), int(candidates.num_tasks[place]), compared.list_at(column))
        found.append(((*order(first)[:1], *match.unusual, match.largest_difference), len(found), place, match))
    if not found:
        return ()
    # Thousands of sets may fit, and only the first has to be sure.
    (*_, place, best), *rest = sorted(found)
    chance = _estimate_chance(best.comparisons, candidates, place)
    return (replace(best, by_chance=chance), *(match for *_, match in rest))


def _compute_missing(compared: Comparisons, sets: Sequence[Tasks], tables: Tables) -> None:
    """Compute what the tables have no rows of, but only for the sets that the rest leaves."""
    for row, piece in enumerate(compared.evidence.pieces):
        if piece.kind != "expectation" or piece.metric is None or piece.metric.hits_k in {None, *TABULATED_KS}:
            continue
        best = compared.sort_columns()[:_MOST_COMPUTED]
        compared.agreement[row] = False
        for column in best:
            mean = tables.look_up(sets[column], piece.metric).expectation
            compared.expected[row, column], compared.agreement[row, column] = mean, agrees(piece, mean, mean)


def _excuse(compared: Comparisons, sets: Sequence[Tasks], tables: Tables, user: Stated) -> NDArray[np.bool_]:
    """Return the sets that nothing but known defects and outvoted slips contradict, and mark the former."""
    sound_pieces = np.zeros(len(sets))
    # Only where most agrees.
    for column in compared.sort_columns()[:_MOST_SEARCHED]:
        agreement, against = compared.agreement[:, column], compared.against[:, column]
        if not agreement.any():
            continue
        find = functools.partial(tables.look_up, sets[column])
        for row in np.flatnonzero(against):
            checked = check_entries(compared.evidence.pieces[row].entries, find, percent=user.percent)
            compared.explained[row, column] = any(each.cause is not None and each.cause.tells for each in checked)
        sound = agreement | compared.explained[:, column]
        if outvotes(compared.evidence, sound, against & ~sound):
            sound_pieces[column] = np.sum(sound)
    best: NDArray[np.bool_] = (sound_pieces > 0) & (sound_pieces == sound_pieces.max())
    return best


def _estimate_chance(comparisons: Iterable[Comparison], candidates: TaskSets, place: int) -> float:
    """Estimate how many sets would fit by chance: how many are near, times the share of what is near that fits."""
    told = [(each.open_by, each.piece) for each in comparisons if each.agrees or each.explained]
    means = sorted((each for each in told if each[1].kind == "expectation"), key=lambda each: each[0])
    # A deviation tells the number of tasks, whose root it falls with, where expectations tell the rest.
    counts = [(1 if piece.metric is None else 4) * open_by for open_by, piece in told if piece.kind != "expectation"]
    share = 2 * min(counts, default=0.5)
    if not means:
        return candidates.count_near(place, None, counted=True) * share
    open_by, best = means[0]
    share = 2 * open_by * (share if counts else 1.0)
    # Graphs with the same expectation of one metric differ in that of another by about a thousandth.
    others = [open_by for open_by, piece in means if piece.metric != best.metric]
    share *= min(_APART * min(others, default=1.0), 1.0)
    return candidates.count_near(place, best.metric, counted=bool(counts)) * share


def _sharpen(compared: Comparisons, fits: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Keep the sets that are much closer than the others, where numbers were formed with 64 bits."""
    pieces = compared.evidence.pieces
    told = np.array([piece.kind in {"expectation", "deviation"} and not piece.is_noisy for piece in pieces])
    columns = np.flatnonzero(fits)
    if columns.size <= 1 or not told.any():
        return fits
    values = np.array([piece.value for piece in pieces])[told, np.newaxis]
    away = np.abs(compared.expected[told][:, columns] / values - 1)
    away = np.median(np.where(compared.agreement[told][:, columns], away, 1.0), axis=0)
    if away.min() > EXACT:
        return fits
    kept = np.zeros_like(fits)
    kept[columns[away <= max(_CLOSER * away.min(), EXACT)]] = True
    return kept


def prefer(evidence: Evidence, user: Stated) -> str | None:
    """Return the protocol of the tool that the numbers come from; None if none is known."""
    try:
        tool = user.tool or evidence.context.tool
        return None if tool is None else parse_tool(tool).protocol
    except UnknownNameError:
        return None


def preference(tasks: Tasks, protocol: str | None) -> tuple[Any, ...]:
    """Sort the likely protocol first, then the order in which users think."""
    protocols = [protocol, *PROTOCOLS]
    return (
        tasks.protocol != protocol,
        protocols.index(tasks.protocol) if tasks.protocol in protocols else len(protocols),
        ("both", *SIDES).index(tasks.side),
        ("test", *SPLITS).index(tasks.split),
        [*AGGREGATIONS].index(tasks.aggregation),
        tasks.dataset,
    )


# -- adjusted values on the sets that fit -----------------------------------------------------------------------------


# If more sets fit than this, adjusted values are checked on none.
_MOST_CHECKED = 8


def check_evaluations(
    evaluations: Iterable[Sequence[Entry]], matches: Sequence[Match], tables: Tables, *, percent: bool
) -> tuple[Checked, ...]:
    """Check adjusted values on every set that fits: one that is right on any of them is right."""
    if not 0 < len(matches) <= _MOST_CHECKED:
        return ()
    each_match = []
    for match in matches:
        find = functools.partial(tables.look_up, match.tasks)
        each_match.append([one for each in evaluations for one in check_entries(each, find, percent=percent)])
    return tuple(max(verdicts, key=lambda one: one.belongs) for verdicts in zip(*each_match, strict=True))


# -- what is nearest --------------------------------------------------------------------------------------------------

# No constant is farther from what a piece says, in units of the logarithm: one that agrees outweighs closeness.
_FAR = 10.0

COUNTS = "--counts FILE with your own candidate counts"
_SOME_RELATIONS = f"--relation NAME for each relation, if only some were evaluated, or {COUNTS}, if other tasks were"
_OTHERS = "other datasets, splits or sides"
_OTHER_CANDIDATES = (
    "--protocol sampled:M if candidates were sampled, --protocol pykeen-train+test if PyKEEN ran with "
    f"filter_validation_when_testing=False, or {COUNTS}, if other known answers were removed"
)


def describe_nearest(
    evidence: Evidence, candidates: TaskSets, chosen: NDArray[np.bool_], user: Stated
) -> tuple[str, str]:
    """Say what fits nothing, and name the nearest set of tasks; and the option that may say why, if one does."""
    micro = chosen & (candidates.names["aggregation"] == (user.aggregation or DEFAULT_AGGREGATION))
    places = np.flatnonzero(micro if micro.any() else chosen)
    sound = [piece for piece in evidence.pieces if not piece.is_doubtful] or list(evidence.pieces)
    ends = [tuple(each[places] for each in bound_constant(piece, candidates)) for piece in sound]
    distance = np.zeros(places.size)
    for piece, (lower, upper) in zip(sound, ends, strict=True):
        with np.errstate(invalid="ignore", divide="ignore"):
            away = np.abs(np.log(np.clip(piece.value, lower, upper) / piece.value))
        distance += np.minimum(np.nan_to_num(away, nan=_FAR), _FAR) + _FAR * ~agrees(piece, lower, upper)
    at = int(np.argmin(distance))
    nearest = int(places[at])
    tasks = candidates.sets[nearest]
    where = f"{tasks.dataset} {tasks.split} {tasks.side} under {tasks.protocol}"
    parts: dict[str, str] = {}
    remedy = ""
    for piece, (lower, upper) in zip(sound, ends, strict=True):
        if agrees(piece, lower[at], upper[at]):
            remedy = remedy or _OTHER_CANDIDATES * (piece.metric is None)
            continue
        if piece.metric is None:
            remedy = _SOME_RELATIONS * bool(piece.value < candidates.num_tasks[nearest])
            alike, who = candidates.num_tasks == piece.value, "no split has"
            if alike.any():
                who = f"only {'splits with other constants' if alike[places].any() else _OTHERS} have"
            found = f": {who} that many tasks; nearest {where}: {candidates.num_tasks[nearest]:,}"
            parts[f"n = {piece.value:,.0f}"] = found
        else:
            # AMR and AMRI with the same MR say the same.
            shown = f" ({piece.origin}): nearest {where}: {lower[at]:.6g}"
            parts.setdefault(f"{piece.label} = {piece.value:.6g}", shown)
    return "; ".join(map("".join, parts.items())) or f"nearest {where}", remedy
