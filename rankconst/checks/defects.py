"""Adjusted values compared with the right ones: which are wrong, and by which known defect."""

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


# How many standard errors a sampled constant may be off.
_STANDARD_ERRORS = 6.0


@dataclass(frozen=True, slots=True)
class Cause:
    """A defect of adjusted values."""

    key: str
    # What was done; the adjusted value is the subject.
    summary: str
    # False if it gives the same on all ranking tasks, so that it says nothing about them.
    tells: bool = True
    # True for a loss of digits that changes nothing about what the value says.
    harmless: bool = False


UNKNOWN = Cause("unknown", "unknown", tells=False)


class Checked(NamedTuple):
    """An adjusted value and the right one, which its base value has on these tasks."""

    entry: Entry
    base: Entry
    found: float
    expected: float
    # Where the right value lies, given the rounding of the base value.
    interval: Interval
    # Why the published value does not lie there, within its own rounding; None if it does.
    cause: Cause | None = None

    @property
    def belongs(self) -> bool:
        """True if the adjusted value is that of its base value."""
        return self.cause is None


def check_entries(
    entries: Iterable[Entry],
    find_constants: Callable[[Metric], Constants],
    *,
    percent: bool = False,
) -> tuple[Checked, ...]:
    """Check an evaluation's adjusted values that have a base value and are defined on its tasks."""
    checked = []
    for pair in pair_up(entries, percent=percent):
        try:
            checked.append(check_pair(pair, find_constants(pair.metric)))
        except DataError:  # an adjustment that is undefined on these tasks
            continue
    return tuple(checked)


def check_pair(pair: Pair, constants: Constants) -> Checked:
    """Compare an adjusted value with the right one, and name what makes it wrong.

    Raises DataError if the adjustment is undefined on these tasks.
    """
    base, adjusted = pair
    expected = float(ADJUSTMENTS[pair.form](constants.metric, constants.moments)(base.value))
    cause, span = (
        find_cause(pair, constants),
        _span(constants.metric, pair.form, constants.moments, base.interval),
    )
    return Checked(adjusted.entry, base.entry, adjusted.value, expected, span, cause)


def find_cause(pair: Pair, constants: Constants) -> Cause | None:
    """Return what makes an adjusted value wrong; None if it is right.

    Of the known defects that give it, a harmless one goes before others, then the nearest, then the
    first in `CAUSES`. If none gives it, the cause is `UNKNOWN`.

    Raises DataError if the adjustment is undefined on these tasks.
    """
    value, adjusted = pair.base.interval, pair.adjusted
    if _meet(_span(constants.metric, pair.form, constants.moments, value), adjusted.interval):
        return None
    fitting: list[tuple[bool, float, Cause]] = []
    for cause, give in CAUSES.items():
        try:
            theirs = give(constants, pair.form, value)
        except UndefinedError:
            continue
        if theirs is not None and _meet(theirs, adjusted.interval):
            fitting.append((not cause.harmless, abs(sum(theirs) / 2 - adjusted.value), cause))
    return min(fitting, key=lambda found: found[:2])[-1] if fitting else UNKNOWN


def _meet(one: Interval, other: Interval) -> bool:
    """Tell whether two intervals have a number in common."""
    return one.lower <= other.upper and other.lower <= one.upper


def _span(metric: Metric, adjustment: str, moments: Moments, value: Interval) -> Interval:
    """Adjust all that lies between two numbers, granting the noise of 32 bits to the constants."""
    ends: list[float] = []
    for each in _list_maps(metric, adjustment, moments):
        ends += each.map_interval(*value)
    return Interval(min(ends), max(ends))


# Many files, and many numbers of one, are of the same tasks.
@functools.lru_cache(4096)
def _list_maps(metric: Metric, adjustment: str, moments: Moments) -> tuple[Affine, ...]:
    """Return the maps of an adjustment with the moments at both ends of their noise."""
    shift, stretch = NOISE * abs(moments.expectation), 2 * NOISE * moments.variance
    if moments.method == "sampled":
        shift = max(shift, _STANDARD_ERRORS * moments.expectation_error)
        stretch = max(stretch, _STANDARD_ERRORS * moments.variance_error)
    maps = []
    for up, out in itertools.product((-1, 1), (-1, 1) if adjustment == "z" else (0,)):
        moved = replace(
            moments,
            expectation=moments.expectation + up * shift,
            variance=max(moments.variance + out * stretch, 0.0),
        )
        maps.append(ADJUSTMENTS[adjustment](metric, moved))
    return tuple(maps)


# -- known defects ---------------------------------------------------------------------------------

# PyKEEN takes the square of E[GMR], a product of n rounded factors, from E[GMR^2]: what is lost,
# relative to the variance, has never been seen beyond this many units of double precision times n^2
# (4.5e-3 on FB15k-237 train).
_CANCELLED = 100 * 2.0**-52


def bound_cancellation(num_tasks: Any) -> Any:
    """Bound what PyKEEN's variance of GMR loses by cancellation, relative to it."""
    return _CANCELLED * np.square(num_tasks, dtype=np.float64)


def _negate(span: Interval | None) -> Interval | None:
    """Return the interval with the opposite sign."""
    return None if span is None else Interval(-span.upper, -span.lower)


def _cancelled(constants: Constants, form: str, value: Interval) -> Interval | None:
    if form != "z" or constants.metric.exponent != 0:
        return None
    lost = min(float(bound_cancellation(constants.num_tasks)), 0.5)
    ends: list[float] = []
    for variance in (constants.variance * (1 - lost), constants.variance * (1 + lost)):
        ends += _span(constants.metric, form, replace(constants.moments, variance=variance), value)
    return Interval(min(ends), max(ends))


def _logarithm_of_mean(constants: Constants, form: str, value: Interval) -> Interval | None:
    histogram = constants.histogram
    if (
        constants.metric != CATALOGUE["inverse_harmonic_mean_rank"]
        or histogram.is_weighted
        or histogram.mean <= 1
    ):
        return None
    theirs = replace(constants.moments, expectation=math.log(histogram.mean) / (histogram.mean - 1))
    return _span(constants.metric, form, theirs, value)


def _one_less(constants: Constants, form: str, value: Interval) -> Interval | None:
    whole = constants.histogram
    # Without candidates there is no number.
    if constants.method == "sampled" or int(whole.num_candidates.min()) < 2:
        return None
    return _span(constants.metric, form, _compute_one_less(constants.metric, whole), value)


# One file asks for the same many times: every adjusted form of a metric, under every set of tasks
# that may be meant.
@functools.lru_cache(256)
def _compute_one_less(metric: Metric, whole: Histogram) -> Moments:
    return compute_moments(metric, replace(whole, num_candidates=whole.num_candidates - 1))


_TOO_FEW = "formed with one candidate too few in each task (PyKEEN's get_candidate_set_size)"

CAUSES: dict[Cause, Callable[[Constants, str, Interval], Interval | None]] = {
    Cause(
        "unscaled", "the base value, negative where smaller is better: never scaled", tells=False
    ): lambda c, form, m: None if form != "z" else m if c.metric.increasing else _negate(m),
    Cause(
        "cancelled",
        "formed with a variance of GMR that lost digits (PyKEEN): the last digits differ",
        harmless=True,
    ): _cancelled,
    Cause("sign", "the sign is turned: larger must be better"): lambda c, form, m: (
        None if form != "z" else _negate(_span(c.metric, form, c.moments, m))
    ),
    Cause(
        "logarithm_of_mean",
        "formed with E[MRR] = ln(N)/(N - 1), N the mean number of candidates (PyKEEN before 1.8)",
    ): _logarithm_of_mean,
    Cause("one_less", _TOO_FEW): _one_less,
    Cause("one_less_sign", f"{_TOO_FEW}, the sign turned"): lambda c, form, m: _negate(
        _one_less(c, form, m)
    ),
}
"""The adjusted value that each defect gives of constants, adjustment and base value, or None."""


# The most that an expectation may be open, as a share of its middle.
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


def pair_up(entries: Iterable[Entry], *, percent: bool = False) -> list[Pair]:
    """Pair each adjusted value of one evaluation with its base value; skip what is not a number."""
    found = tuple(entries)
    bases = {entry.metric: entry for entry in found if entry.adjustment is None}
    in_full = are_in_full(found)
    pairs = []
    for entry in found:
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
    """Return the number of ranks that an entry, or its context, states; None if neither does."""
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
    """Return the expectation that an adjusted value was formed with.

    None if nearly any would do, and for ``z``, which tells the variance only.
    """
    if pair.form == "z":
        return None
    try:
        return solve(pair.metric, pair.form, pair.base.interval, pair.adjusted.interval)
    except DataError:
        return None


def solve(
    metric: Metric,
    adjustment: str,
    value: Interval,
    adjusted: Interval,
    expectation: Interval | None = None,
) -> Interval:
    """Return the expectation that an adjusted value was formed with.

    For ``z``, return the absolute standard deviation, for which `expectation` is needed.

    Raises DataError, with the reason as half a sentence, if there is no such adjustment or its
    rounding leaves nearly every number possible.
    """
    optimum = metric.optimum
    if adjustment == "index" and optimum is None:
        raise DataError(f"{metric.label} has no index")
    # Each is linear or a quotient of linear functions in every argument: its extremes lie at the
    # corners.
    divisor = (
        Interval(1 - adjusted.upper, 1 - adjusted.lower) if adjustment == "index" else adjusted
    )
    if divisor.lower <= 0 <= divisor.upper:
        reached = 1 if adjustment == "index" else 0
        raise DataError(f"it is {reached} within its rounding, whatever chance gives")
    if adjustment == "normalised":
        ends = [m / a for m, a in itertools.product(value, adjusted)]
    elif adjustment == "index":
        ends = [(m - (optimum or 0.0) * i) / (1 - i) for m, i in itertools.product(value, adjusted)]
    elif expectation is None:
        raise DataError(f"nothing given with it tells E[{metric.label}]")
    else:
        ends = [(m - e) / z for m, z, e in itertools.product(value, adjusted, expectation)]
        if max(ends) < 0:
            ends = [-end for end in ends]
    found = Interval(min(ends), max(ends))
    if found.upper <= 0 or found.half_width > _WIDEST * abs(sum(found)) / 2:
        raise DataError(
            f"the rounding leaves what chance gets open from {found.lower:.3g} to {found.upper:.3g}"
        )
    return found
