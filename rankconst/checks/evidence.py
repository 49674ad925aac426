"""What published numbers say about their ranking tasks: their number, and what chance gives.

A base value M and an adjusted value of it give away what the adjustment was formed with:

==============  ==================================
adjustment      gives
==============  ==================================
``normalised``  E[M] = M / A
``index``       E[M] = (M - opt I) / (1 - I)
``z``           sqrt(Var[M]) = +-(M - E[M]) / z
==============  ==================================

These invert the maps of :mod:`rankconst.values.affine`; every number carries its rounding interval.
"""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, NamedTuple

from rankconst.errors import DataError
from rankconst.results.reading import are_in_full, measure
from rankconst.values.published import Interval, parse_value

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rankconst.catalogue.metrics import Metric
    from rankconst.results.reading import Entry, Measured


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
    """Return the number of ranks that an entry is or has beside it; None if it has none."""
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
