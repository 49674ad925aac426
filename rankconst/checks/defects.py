"""Wrong adjusted values, and the known defects of tools that give them."""

from __future__ import annotations

import functools
import itertools
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankconst.catalogue.metrics import CATALOGUE
from rankconst.errors import DataError, UndefinedError
from rankconst.moments import compute_moments
from rankconst.results.reading import are_in_full, measure
from rankconst.values.affine import ADJUSTMENTS
from rankconst.values.published import NOISE, Interval, parse_value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from rankconst.catalogue.metrics import Metric
    from rankconst.moments import Moments
    from rankconst.results.reading import Entry, Measured
    from rankconst.tasks import Histogram
    from rankconst.values.affine import Affine
    from rankconst.values.constants import Constants


# The largest error of a sampled constant, in standard errors.
_STANDARD_ERRORS = 6.0


@dataclass(frozen=True, slots=True)
class Cause:
    """A defect of adjusted values."""

    key: str
    # The end of a sentence about the adjusted value.
    summary: str
    # False if it gives the same value on all ranking tasks, and so is no evidence of these.
    tells: bool = True
    # True for a loss of digits that matters to no conclusion.
    harmless: bool = False


UNKNOWN = Cause("unknown", "unknown", tells=False)
"""The cause of an adjusted value that no known defect gives."""


def find_cause(pair: Pair, constants: Constants | None) -> Cause | None:
    """Return the defect that explains an adjusted value, or `UNKNOWN`.

    Of several defects, a harmless one comes first, then the one with the nearest value. None means
    that the value is right or cannot be checked.
    """
    if constants is None:
        return None

    value, published = pair.base.interval, pair.adjusted
    try:
        right = _span(constants.metric, pair.form, constants.moments, value)
    except UndefinedError:
        return None

    if _have_common(right, published.interval):
        return None

    ranks: dict[Cause, tuple[bool, float]] = {}
    for cause, adjust in CAUSES.items():
        try:
            theirs = adjust(constants, pair.form, value)
        except UndefinedError:
            continue
        if theirs is not None and _have_common(theirs, published.interval):
            ranks[cause] = not cause.harmless, abs(sum(theirs) / 2 - published.value)

    return min(ranks, key=ranks.__getitem__, default=UNKNOWN)


def _have_common(first: Interval, second: Interval) -> bool:
    """Return True if two intervals have a number in common."""
    return first.lower <= second.upper and second.lower <= first.upper


def _span(metric: Metric, adjustment: str, moments: Moments, value: Interval) -> Interval:
    """Adjust an interval, allowing for the 32-bit noise of the constants."""
    ends: list[float] = []
    for affine in _list_maps(metric, adjustment, moments):
        ends += affine.map_interval(*value)
    return Interval(min(ends), max(ends))


# Many files, and many numbers of a file, have the same tasks.
@functools.lru_cache(4096)
def _list_maps(metric: Metric, adjustment: str, moments: Moments) -> tuple[Affine, ...]:
    """Return the maps of an adjustment with the moments at either end of their noise."""
    shift = NOISE * abs(moments.expectation)
    # Twice, as it is made of squares of numbers with this noise.
    stretch = 2 * NOISE * moments.variance
    if moments.method == "sampled":
        shift = max(shift, _STANDARD_ERRORS * moments.expectation_error)
        stretch = max(stretch, _STANDARD_ERRORS * moments.variance_error)

    maps = []
    stretches = (-1, 1) if adjustment == "z" else (0,)  # other forms do not use the variance
    for up, out in itertools.product((-1, 1), stretches):
        noisy = replace(
            moments,
            expectation=moments.expectation + up * shift,
            variance=max(moments.variance + out * stretch, 0.0),
        )
        maps.append(ADJUSTMENTS[adjustment](metric, noisy))

    return tuple(maps)


# -- known defects ---------------------------------------------------------------------------------

# PyKEEN takes the square of E[GMR], a product of n rounded factors, from E[GMR^2]: the loss,
# relative to the variance, has never been seen beyond this many units of double precision times n^2
# (4.5e-3 on FB15k-237 train).
_CANCELLED = 100 * 2.0**-52


def bound_cancellation(num_tasks: Any) -> Any:
    """Bound the relative error of PyKEEN's variance of GMR by cancellation."""
    return _CANCELLED * np.square(num_tasks, dtype=np.float64)


def _negate(span: Interval | None) -> Interval | None:
    """Return the interval with the opposite sign; None stays None."""
    return None if span is None else Interval(-span.upper, -span.lower)


def _leave_unscaled(constants: Constants, form: str, value: Interval) -> Interval | None:
    """Return the base value as its own z-score, negative where less is better; else None."""
    if form != "z":
        return None
    return value if constants.metric.increasing else _negate(value)


def _cancel_digits(constants: Constants, form: str, value: Interval) -> Interval | None:
    """Return the z-scores of a GMR whose variance lost digits in PyKEEN; None for others."""
    is_geometric = constants.metric.exponent == 0
    if form != "z" or not is_geometric:
        return None

    # At most one half, so that no variance is 0.
    error = min(float(bound_cancellation(constants.num_tasks)), 0.5)
    ends: list[float] = []
    for variance in (constants.variance * (1 - error), constants.variance * (1 + error)):
        ends += _span(constants.metric, form, replace(constants.moments, variance=variance), value)

    return Interval(min(ends), max(ends))


def _turn_sign(constants: Constants, form: str, value: Interval) -> Interval | None:
    """Return the z-score with the opposite sign; None for another form."""
    if form != "z":
        return None
    return _negate(_span(constants.metric, form, constants.moments, value))


def _use_mean_candidates(constants: Constants, form: str, value: Interval) -> Interval | None:
    """Return the adjusted MRR with E[MRR] = ln(N) / (N - 1), N the mean candidates; else None."""
    metric, histogram = constants.metric, constants.histogram
    if metric != CATALOGUE["inverse_harmonic_mean_rank"] or histogram.is_weighted:
        return None

    mean = histogram.mean
    if mean <= 1:
        return None

    theirs = replace(constants.moments, expectation=math.log(mean) / (mean - 1))
    return _span(metric, form, theirs, value)


def _leave_out_answer(constants: Constants, form: str, value: Interval) -> Interval | None:
    """Return the adjusted value with one candidate fewer in each task; None if none is left."""
    whole = constants.histogram
    # Without candidates there is no number.
    if constants.method == "sampled" or int(whole.num_candidates.min()) < 2:
        return None
    return _span(constants.metric, form, _compute_one_less(constants.metric, whole), value)


# One file needs the same many times: for each adjusted form of a metric, under each set of tasks.
@functools.lru_cache(256)
def _compute_one_less(metric: Metric, whole: Histogram) -> Moments:
    return compute_moments(metric, replace(whole, num_candidates=whole.num_candidates - 1))


def _leave_out_answer_and_turn(constants: Constants, form: str, value: Interval) -> Interval | None:
    """Return the adjusted value of :func:`_leave_out_answer` with the opposite sign."""
    return _negate(_leave_out_answer(constants, form, value))


_TOO_FEW = "formed with one candidate too few in each task (PyKEEN's get_candidate_set_size)"

CAUSES: dict[Cause, Callable[[Constants, str, Interval], Interval | None]] = {
    Cause(
        "unscaled", "the base value, negative where smaller is better: never scaled", tells=False
    ): _leave_unscaled,
    Cause(
        "cancelled",
        "formed with a variance of GMR that lost digits (PyKEEN): the last digits differ",
        harmless=True,
    ): _cancel_digits,
    Cause("sign", "the sign is turned: larger must be better"): _turn_sign,
    Cause(
        "logarithm_of_mean",
        "formed with E[MRR] = ln(N)/(N - 1), N the mean number of candidates (PyKEEN before 1.8)",
    ): _use_mean_candidates,
    Cause("one_less", _TOO_FEW): _leave_out_answer,
    Cause("one_less_sign", f"{_TOO_FEW}, the sign turned"): _leave_out_answer_and_turn,
}
"""The adjusted value that each defect gives of constants, adjustment and base value, or None."""


# The widest interval of an expectation, as a share of its middle.
_WIDEST = 0.1


class Pair(NamedTuple):
    """A base value and an adjusted one of the same evaluation."""

    base: Measured
    adjusted: Measured

    @property
    def metric(self) -> Metric:
        """The metric of both."""
        return self.base.entry.metric

    @property
    def form(self) -> str:
        """The adjustment: ``normalised``, ``index`` or ``z``."""
        return self.adjusted.entry.adjustment or ""

    def compute_expected(self, constants: Constants) -> float:
        """Return the adjusted value that belongs to the base value."""
        form = ADJUSTMENTS[self.form](constants.metric, constants.moments)
        return float(form(self.base.value))


def pair_up(entries: Iterable[Entry], *, percent: bool = False) -> list[Pair]:
    """Pair each adjusted value of one evaluation with its base value, if both are numbers."""
    entries = tuple(entries)
    bases = {entry.metric: entry for entry in entries if entry.adjustment is None}
    in_full = are_in_full(entries)
    pairs = []
    for entry in entries:
        if entry.adjustment is None or entry.metric not in bases:
            continue
        try:
            base = measure(bases[entry.metric], percent=percent, in_full=in_full)
            adjusted = measure(entry, percent=percent, in_full=in_full)
        except DataError:
            continue
        pairs.append(Pair(base, adjusted))

    return pairs


def count_ranks(entry: Entry) -> int | None:
    """Return the number of ranks that an entry or its context states; None if neither does."""
    if entry.context.num_tasks is not None:
        return entry.context.num_tasks
    if entry.metric.scale != "count" or entry.adjustment is not None:
        return None

    try:
        count = parse_value(entry.text).value
    except DataError:
        return None

    return int(count) if count == math.floor(count) else None


def find_expectation(pair: Pair) -> Interval | None:
    """Return the expectation behind an adjusted value; None if it leaves that open."""
    value, adjusted, optimum = pair.base.interval, pair.adjusted.interval, pair.metric.optimum
    # The forms are solved for E: index = (base - E) / (optimum - E) gives
    # E = (base - optimum index) / (1 - index). It grows or falls with each of the two numbers, so
    # its extremes are at the ends of their intervals, unless the divisor can be 0.
    corners = list(itertools.product(value, adjusted))
    if pair.form == "normalised":
        if adjusted.lower <= 0 <= adjusted.upper:
            return None
        ends = [base / normalised for base, normalised in corners]
    elif pair.form == "index" and optimum is not None:
        if adjusted.lower <= 1 <= adjusted.upper:
            return None
        ends = [(base - optimum * index) / (1 - index) for base, index in corners]
    else:
        return None

    expectation = Interval(min(ends), max(ends))
    is_wide = expectation.half_width > _WIDEST * abs(sum(expectation)) / 2
    return None if expectation.upper <= 0 or is_wide else expectation
