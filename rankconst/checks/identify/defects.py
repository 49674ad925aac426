"""Adjusted values beside the right ones: sets of tasks on which only known defects give what was published."""

from __future__ import annotations

import functools
import itertools
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from rankconst.catalogue.metrics import CATALOGUE
from rankconst.checks.identify.matches import rank
from rankconst.constants.affine import ADJUSTMENTS
from rankconst.constants.published import Interval
from rankconst.errors import DataError, UndefinedError
from rankconst.moments import compute_moments
from rankconst.results.reading import NOISE, are_in_full, measure
from rankconst.tasks import Histogram, WeightedHistogram

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from rankconst.catalogue.metrics import Metric
    from rankconst.checks.identify.evidence import Evidence
    from rankconst.checks.identify.matches import Match
    from rankconst.constants.constants import Constants
    from rankconst.moments import Moments
    from rankconst.results.evaluation import Stated
    from rankconst.results.reading import Entry, Measured
    from rankconst.tables.search import TaskSets


MOST_CHECKED = 8
"""Where more sets fit than this, adjusted values are checked against none."""


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


def explain(
    evidence: Evidence, matches: Sequence[Match], candidates: TaskSets, user: Stated
) -> tuple[int, tuple[Match, ...]]:
    """Return how many adjusted values are right or wrong in a known way, and those of the matches where most are."""
    pairs = [piece.entries for piece in evidence.pieces if piece.entries]
    scores = []
    for match in matches[:MOST_CHECKED]:
        checked = check_evaluations(pairs, [match], candidates, percent=user.percent)
        scores.append(sum(each.belongs or (each.cause in CAUSES and CAUSES[each.cause].tells) for each in checked))
    best = max(scores, default=0)
    return best, tuple(match for match, score in zip(matches, scores, strict=False) if score == best)


def check_evaluations(
    evaluations: Iterable[Sequence[Entry]], matches: Sequence[Match], candidates: TaskSets, *, percent: bool
) -> tuple[Checked, ...]:
    """Check adjusted values against every set that fits: one that is right for any of them is right."""
    if not 0 < len(matches) <= MOST_CHECKED:
        return ()
    each_match = []
    for match in matches:
        find = functools.partial(candidates.tables.look_up, match.tasks)
        each_match.append([one for each in evaluations for one in check_entries(each, find, percent=percent)])
    return tuple(max(verdicts, key=lambda one: one.belongs) for verdicts in zip(*each_match, strict=True))


# How many standard errors a sampled constant may be off.
_STANDARD_ERRORS = 6.0


@dataclass(frozen=True, slots=True)
class Checked:
    """An adjusted value beside the one that its base value has.

    Attributes
    ----------
    entry, base
        The adjusted number and the base value, as found.
    adjustment
        ``normalised``, ``index`` or ``z``.
    found, expected
        The adjusted value as published, and as these tasks give it.
    interval
        Between which numbers the right one lies, by the writing of the base value.
    belongs
        True if the published one does, within its own writing.
    cause
        If not: the key of the likely cause, of :data:`CAUSES` or :data:`UNKNOWN`; empty otherwise.
    reason
        The cause in words; empty if it belongs.
    """

    entry: Entry
    base: Entry
    adjustment: str
    found: float
    expected: float
    interval: Interval
    belongs: bool
    cause: str = ""
    reason: str = ""

    @property
    def difference(self) -> float:
        """The relative difference of the two."""
        if self.found == self.expected:
            return 0.0
        return abs(self.found - self.expected) / max(abs(self.found), abs(self.expected))


@dataclass(frozen=True, slots=True)
class Cause:
    """A defect of adjusted values.

    Attributes
    ----------
    key
        Its name.
    summary
        What was done, without its subject: the adjusted value.
    span
        ``span(constants, adjustment, value)``: between which numbers the defect would have put the adjusted value of
        a base value between two numbers; None where it cannot have happened.
    tells
        False if it gives the same on all ranking tasks, so that nothing about them can be concluded.
    """

    key: str
    summary: str
    span: Callable[[Constants, str, Interval], Interval | None]
    tells: bool = True


def _span(metric: Metric, adjustment: str, moments: Moments, value: Interval) -> Interval:
    """Adjust what lies between two numbers, granting the noise of 32 bits to the constants."""
    shift = max(NOISE * abs(moments.expectation), _errors(moments, moments.expectation_error))
    stretch = max(2 * NOISE * moments.variance, _errors(moments, moments.variance_error))
    ends: list[float] = []
    for up, out in itertools.product((-1, 1), (-1, 1) if adjustment == "z" else (0,)):
        moved = replace(
            moments,
            expectation=moments.expectation + up * shift,
            variance=max(moments.variance + out * stretch, 0.0),
        )
        ends += ADJUSTMENTS[adjustment](metric, moved).map_interval(*value)
    return Interval(min(ends), max(ends))


def _errors(moments: Moments, error: float) -> float:
    return _STANDARD_ERRORS * error if moments.method == "sampled" else 0.0


def _negate(span: Interval | None) -> Interval | None:
    return None if span is None else Interval(-span.upper, -span.lower)


def _never_scaled(constants: Constants, adjustment: str, value: Interval) -> Interval | None:
    if adjustment != "z":
        return None
    return value if constants.metric.increasing else _negate(value)


def _turned(constants: Constants, adjustment: str, value: Interval) -> Interval | None:
    return _negate(_span(constants.metric, adjustment, constants.moments, value)) if adjustment == "z" else None


def _one_less(constants: Constants, adjustment: str, value: Interval) -> Interval | None:
    """Take the true answer off the candidates; where nothing would be left, the defect gave no number."""
    whole = constants.histogram
    if constants.method == "sampled" or int(whole.num_candidates.min()) < 2:
        return None
    reduced: Histogram | WeightedHistogram
    if isinstance(whole, Histogram):
        reduced = Histogram(whole.num_candidates - 1, whole.num_tasks)
    else:
        reduced = WeightedHistogram(whole.num_candidates - 1, whole.weights, whole.num_tasks)
    return _span(constants.metric, adjustment, compute_moments(constants.metric, reduced), value)


def _one_less_turned(constants: Constants, adjustment: str, value: Interval) -> Interval | None:
    return _negate(_one_less(constants, adjustment, value)) if adjustment == "z" else None


def _logarithm_of_mean(constants: Constants, adjustment: str, value: Interval) -> Interval | None:
    histogram = constants.histogram
    if constants.metric != CATALOGUE["inverse_harmonic_mean_rank"] or not isinstance(histogram, Histogram):
        return None
    mean = histogram.mean
    if mean <= 1:
        return None
    theirs = replace(constants.moments, expectation=math.log(mean) / (mean - 1))
    return _span(constants.metric, adjustment, theirs, value)


CAUSES: dict[str, Cause] = {
    cause.key: cause
    for cause in (
        Cause(
            "unscaled",
            "the base value, negative where smaller is better: never scaled",
            _never_scaled,
            tells=False,
        ),
        Cause("sign", "the sign is turned: larger must be better", _turned),
        Cause(
            "logarithm_of_mean",
            "formed with E[MRR] = ln(N)/(N - 1), N the mean number of candidates (PyKEEN before 1.8)",
            _logarithm_of_mean,
        ),
        Cause(
            "one_less",
            "formed with one candidate too few in each task (PyKEEN's get_candidate_set_size)",
            _one_less,
        ),
        Cause(
            "one_less_sign",
            "formed with one candidate too few in each task (PyKEEN's get_candidate_set_size), the sign turned",
            _one_less_turned,
        ),
    )
}
"""The known causes, by key; of several that fit, the nearest is named, of equal ones the first."""

UNKNOWN = "unknown"


def check_entries(
    entries: Iterable[Entry], find_constants: Callable[[Metric], Constants], *, percent: bool = False
) -> tuple[Checked, ...]:
    """Compare the adjusted values of one evaluation with those that its base values have.

    Parameters
    ----------
    entries
        The numbers of the evaluation.
    find_constants
        Returns the constants of a metric on its ranking tasks.
    percent
        True if shares are percentages though no sign says so.

    Returns
    -------
    tuple
        One for each adjusted value that has a base value beside it and is defined on these tasks.
    """
    found = tuple(entries)
    bases = {entry.metric: entry for entry in found if entry.adjustment is None}
    in_full = are_in_full(found)
    checked = []
    for entry in found:
        if entry.adjustment is None or entry.metric not in bases:
            continue
        try:
            value, adjusted = (measure(one, percent=percent, in_full=in_full) for one in (bases[entry.metric], entry))
            each = _check(value, adjusted, find_constants(entry.metric))
        except DataError:  # no number, or an adjustment that is undefined on these tasks
            continue
        checked.append(each)
    return tuple(checked)


def _check(value: Measured, adjusted: Measured, constants: Constants) -> Checked:
    form = adjusted.entry.adjustment or ""
    span = _span(constants.metric, form, constants.moments, value.interval)
    expected = float(ADJUSTMENTS[form](constants.metric, constants.moments)(value.value))
    belongs = _meet(span, adjusted.interval)
    checked = Checked(adjusted.entry, value.entry, form, adjusted.value, expected, span, belongs)
    if checked.belongs:
        return checked
    fitting: list[tuple[float, Cause]] = []
    for cause in CAUSES.values():
        try:
            theirs = cause.span(constants, form, value.interval)
        except UndefinedError:
            continue
        if theirs is not None and _meet(theirs, adjusted.interval):
            fitting.append((abs(sum(theirs) / 2 - adjusted.value), cause))
    if not fitting:
        return replace(checked, cause=UNKNOWN, reason=UNKNOWN)
    _, likely = min(fitting, key=lambda pair: pair[0])
    return replace(checked, cause=likely.key, reason=likely.summary)


def _meet(one: Interval, other: Interval) -> bool:
    return one.lower <= other.upper and other.lower <= one.upper
