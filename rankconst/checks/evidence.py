"""What published numbers say about their ranking tasks: how many there are, and what chance gives on them.

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
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from rankconst.errors import DataError
from rankconst.evaluation import NOTHING
from rankconst.results.reading import are_in_full, measure, name_entry
from rankconst.values.published import NOISE, Interval, parse_value

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rankconst.catalogue.metrics import Metric
    from rankconst.evaluation import Stated
    from rankconst.results.reading import Entry


# The most that a piece may be open, as a share of its middle.
_WIDEST = 0.1


@dataclass(frozen=True, slots=True)
class Piece:
    """One thing that numbers say: how many tasks there are, or a metric's expectation or deviation under chance."""

    kind: Literal["num_tasks", "expectation", "deviation", "adjusted"]
    # In units of the metric, with the interval of its rounding.
    value: float
    interval: Interval
    # What it was found from: "AMRI with MR".
    origin: str
    metric: Metric | None = None
    # The base value and the adjusted one.
    entries: tuple[Entry, ...] = ()
    # Of kind "adjusted", which no constant can be solved for: the interval of the base value.
    base: Interval | None = None

    @property
    def form(self) -> str:
        """The adjustment that it was found from."""
        return (self.entries[-1].adjustment or "") if self.entries else ""

    @property
    def is_doubtful(self) -> bool:
        """True for forms that published files often have wrong."""
        return self.metric is not None and bool(self.entries) and (self.form == "z" or not self.metric.is_trusted)

    @property
    def precision(self) -> float:
        """Half of its interval, relative to itself; of a number of tasks, half a task."""
        if self.metric is None:
            return 0.5 / max(self.value, 1.0)
        if self.kind == "adjusted" or not self.value:
            return 1.0
        return min(max(self.interval.half_width / abs(self.value), NOISE), 1.0)

    @property
    def is_noisy(self) -> bool:
        """True for the deviation of GMR, which PyKEEN forms as a difference of nearly equal numbers."""
        return self.kind == "deviation" and self.metric is not None and self.metric.exponent == 0

    @property
    def label(self) -> str:
        """What it is, as formulas name it: ``n``, ``E[MR]``, ``sd[MR]``, or an adjusted value: ``ZMR``."""
        if self.metric is None:
            return "n"
        if self.kind == "adjusted":
            return self.origin.partition(" with ")[0]
        return f"{'E' if self.kind == 'expectation' else 'sd'}[{self.metric.label}]"


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that some numbers say about their common ranking tasks."""

    pieces: tuple[Piece, ...]
    # Why adjusted values say nothing, each as half a sentence.
    dropped: tuple[str, ...] = ()
    # Adjusted values that leave too much open to tell the tasks, and may still contradict some.
    vague: tuple[Piece, ...] = ()
    # What the file says.
    context: Stated = NOTHING


def solve(
    metric: Metric, adjustment: str, value: Interval, adjusted: Interval, expectation: Interval | None = None
) -> Interval:
    """Return the expectation that an adjusted value was formed with; for ``z``, the absolute standard deviation.

    Raises DataError, with the reason as half a sentence, if every number would do.
    """
    optimum = metric.optimum
    if adjustment == "index" and optimum is None:
        raise DataError(f"{metric.label} has no index")
    # Each is linear or a quotient of linear functions in every argument: its extremes lie at the corners.
    divisor = Interval(1 - adjusted.upper, 1 - adjusted.lower) if adjustment == "index" else adjusted
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
        raise DataError(f"the rounding leaves what chance gets open from {found.lower:.3g} to {found.upper:.3g}")
    return found


def collect_evidence(
    evaluations: Iterable[Sequence[Entry]], *, tool: str | None = None, percent: bool = False
) -> Evidence:
    """Gather what the numbers of evaluations on the same ranking tasks say about these."""
    each_evaluation = [tuple(each) for each in evaluations]
    everything = [entry for each in each_evaluation for entry in each]
    counts = {count for entry in everything if (count := _count_tasks(entry)) is not None}
    found = [one for each in each_evaluation for one in _read_evaluation(each, percent=percent)]
    solved = [one for one in found if isinstance(one, Piece)]
    context = everything[0].context if everything else NOTHING
    return Evidence(
        (*map(count_piece, sorted(counts)), *(piece for piece in solved if piece.kind != "adjusted")),
        tuple(one for one in found if isinstance(one, str)),
        tuple(piece for piece in solved if piece.kind == "adjusted"),
        replace(context, tool=context.tool or tool),
    )


def count_piece(num_tasks: int) -> Piece:
    """Return what a number of ranks says."""
    return Piece("num_tasks", num_tasks, Interval(num_tasks, num_tasks), "count")


def _count_tasks(entry: Entry) -> int | None:
    """Return the number of ranks that an entry states or is."""
    if entry.context.num_tasks is not None:
        return entry.context.num_tasks
    if entry.metric.scale != "count" or entry.adjustment is not None:
        return None
    try:
        count = parse_value(entry.text).value
    except DataError:
        return None
    return int(count) if count == math.floor(count) else None


def _read_evaluation(entries: tuple[Entry, ...], *, percent: bool) -> Iterator[Piece | str]:
    """Yield what the adjusted values of one evaluation say, and why some say nothing."""
    bases = {entry.metric: entry for entry in entries if entry.adjustment is None}
    known: dict[Metric, Interval] = {}
    in_full = are_in_full(entries)
    # z last: it needs an expectation.
    for entry in sorted((e for e in entries if e.adjustment is not None), key=lambda entry: entry.adjustment == "z"):
        metric, form, base = entry.metric, entry.adjustment or "", bases.get(entry.metric)
        try:
            if base is None:
                raise DataError(f"no {metric.label} is given with it")
            value, adjusted = (measure(each, percent=percent, in_full=in_full) for each in (base, entry))
            if form == "z" and abs(adjusted.value) == abs(value.value):
                raise DataError(f"it repeats {metric.label} and is not a z-score")
        except DataError as error:
            yield str(error)
            continue
        origin, expectation = f"{name_entry(entry)} with {metric.label}", known.get(metric)
        middle = None if expectation is None else _point(sum(expectation) / 2)
        try:
            ends = solve(metric, form, value.interval, adjusted.interval, expectation)
            centre = solve(metric, form, _point(value.value), _point(adjusted.value), middle).lower
        except DataError as error:
            yield str(error)
            yield Piece("adjusted", adjusted.value, adjusted.interval, origin, metric, (base, entry), value.interval)
            continue
        if form != "z" and (expectation is None or ends.half_width < expectation.half_width):
            known[metric] = ends
        yield Piece("deviation" if form == "z" else "expectation", centre, ends, origin, metric, (base, entry))


def _point(value: float) -> Interval:
    """Return a number as an interval."""
    return Interval(value, value)
