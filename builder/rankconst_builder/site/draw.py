"""Figures as inline SVG, styled by classes alone.

A strict policy shows them, and dark mode recolours them.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankconst.doubles import UNIT_ROUNDOFF
from rankconst.errors import UndefinedError
from rankconst.tails import TAILS, explain_lack, tail_probability
from rankconst.tails.distributions import Tail
from rankconst.values.published import show_number
from rankconst_builder.site.markup import Html, tag

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from rankconst.catalogue.metrics import Metric
    from rankconst.tasks import Histogram
    from rankconst.values.constants import Constants

    Values = NDArray[np.float64]

WIDTH, HEIGHT, FLOOR = 640, 200, 166
"""The size of a drawing, and where its axis is, from the top; in units of its view box."""

_AXIS = tag("line", class_="axis", x1=0, x2=WIDTH, y1=FLOOR, y2=FLOOR)
_BINS = 64  # of a histogram, at most
_SPAN = 4.5  # standard deviations that are drawn to either side of the mean
_DOT = 11  # the diameter of a dot


def draw_candidates(histogram: Histogram) -> Html:
    """Draw the distribution of the number of candidates."""
    sizes, counts = histogram.num_candidates, histogram.num_tasks
    first, last = int(sizes.min()), int(sizes.max())
    edges = np.linspace(first - 0.5, last + 0.5, min(_BINS, last - first + 1) + 1)
    heights, _ = np.histogram(sizes, edges, weights=counts)
    caption = (
        f"{histogram.total:,} ranking tasks by their candidates: {first:,} to {last:,}, "
        f"{show_number(histogram.mean)} on average"
    )
    return _draw(edges, heights / heights.sum(), caption, histogram.mean)


def draw_chance(constants: Constants) -> Html | None:
    """Draw the distribution of a random ranker, or return None if all rankers get the same."""
    deviation = math.sqrt(constants.variance)
    low, high = constants.expectation - _SPAN * deviation, constants.expectation + _SPAN * deviation
    try:
        density = compute_density(constants, low, high)
    except UndefinedError:
        return None

    caption = (
        f"{constants.metric.label} of a random ranker: {show_number(constants.expectation, 5)} "
        f"on average, standard deviation {show_number(deviation, 3)}"
    )
    if not density.exact:
        caption += ", by the normal distribution"

    return _draw(density.edges, density.probabilities, caption, constants.expectation)


def draw_results(
    constants: Constants, baselines: Mapping[str, float], indices: Sequence[float]
) -> Html:
    """Draw results by their index as piled dots, above the distribution of a random ranker."""
    expectation = constants.expectation
    unit = (constants.metric.optimum or 0.0) - expectation
    reach = _SPAN * math.sqrt(constants.variance)
    density = compute_density(constants, expectation - reach, expectation + reach)
    edges = (density.edges - expectation) / unit
    axis = _Axis(min(-0.02, float(edges[0]), *indices, *baselines.values()), 1.0)
    marks = []
    # Names of baselines take turns in three lines, so that neighbours do not overlap.
    for index, name in enumerate(sorted(baselines, key=lambda name: baselines[name])):
        x = axis.place(baselines[name])
        top = 18 + 24 * (index % 3)
        anchor = "start" if x < WIDTH / 2 else "end"
        marks.append(tag("line", class_="mean", x1=x, x2=x, y1=top + 4, y2=FLOOR))
        marks.append(tag("text", name, x=x, y=top, text_anchor=anchor))

    xs = [axis.place(index) for index in indices]
    for x, level in _pile(xs, _DOT):
        y = max(FLOOR + _DOT / 2 - _DOT * level, 0)
        marks.append(tag("circle", class_="result", cx=x, cy=y, r=_DOT / 2 - 1))

    caption = (
        f"{len(indices)} published results by their index: 0 is what chance gets, 1 is perfect"
    )
    return _frame(axis, caption, _step(axis, edges, density.probabilities), *marks)


def _pile(xs: Iterable[float], width: int) -> Iterator[tuple[float, int]]:
    """Yield each x and its level, from 1 on, so that dots in one column are piled up."""
    heights = Counter[int]()
    for x in xs:
        column = round(x / width)
        heights[column] += 1
        yield x, heights[column]


FAMILIES = ("transductive", "inductive", "temporal", "n-ary", "OGB")
"""Kinds of benchmarks, each with a colour."""


class Point(NamedTuple):
    """A dataset in a drawing."""

    key: str
    title: str
    family: str
    value: float  # the MRR of chance
    page: str


def draw_datasets(points: Sequence[Point], results: Sequence[tuple[str, float]]) -> Html:
    """Draw a dot for each dataset by its expected MRR, and published results above.

    `results` are pairs of a dataset and an MRR.
    """
    first = math.floor(math.log10(min(point.value for point in points)))

    def place(value: float) -> float:
        return round(WIDTH * (math.log10(value) - first) / -first, 2)

    above: dict[str, list[str]] = {}  # dots without length, with round ends
    dots = _pile((place(value) for _, value in results), 5)
    for (key, _), (x, level) in zip(results, dots, strict=True):
        # In four lines, 7 apart. Higher piles begin at the first line again.
        above.setdefault(key, []).append(f"M{x},{8 + 7 * ((level - 1) % 4)}h0")

    marks = []
    for key, paths in above.items():
        marks.append(tag("path", class_="published", d="".join(paths), data_key=key))

    shelf = 40 if results else 0
    dots = _pile((place(point.value) for point in points), _DOT)
    for point, (x, level) in zip(points, dots, strict=True):
        title = tag("title", f"{point.title}: {show_number(point.value)}")
        y = max(FLOOR + _DOT / 2 - _DOT * level, shelf)
        dot = tag("circle", cx=x, cy=y, r=_DOT / 2 - 0.5)
        family = _name_class(point.family)
        traits = {"href": point.page, "class_": family, "data_key": point.key, "tabindex": "-1"}
        marks.append(tag("a", title, dot, **traits))

    for decade in range(first, 1):
        anchor = {first: "start", 0: "end"}.get(decade, "middle")
        marks += _draw_tick(place(10.0**decade), _write_decade(decade), anchor, FLOOR + 20)

    used = {point.family for point in points}
    legend = {family: _name_class(family) for family in FAMILIES if family in used}
    caption = "The MRR that a random ranker is expected to get, one dot a dataset"
    if results:
        legend["published results"] = "published"
        caption += "; above, published results on the same scale"

    svg = tag("svg", _AXIS, *marks, viewBox=f"0 0 {WIDTH} {HEIGHT}", aria_hidden="true")
    return _figure(svg, f"{caption}.", legend, "drawn explorer")


def _name_class(family: str) -> str:
    return f"family-{FAMILIES.index(family)}"


class Strip(NamedTuple):
    """A benchmark in a drawing: the MRR of counting, and published results."""

    title: str
    counting: tuple[float, float]  # the least and the largest by protocol
    worse: Sequence[float]
    better: Sequence[float]


_STRIP = 56  # height of the strip of a benchmark


def draw_strips(strips: Sequence[Strip]) -> Html:
    """Draw published MRRs and that of counting, one strip for each benchmark."""
    marks = []
    height = _STRIP * len(strips)
    for number, strip in enumerate(strips, start=1):
        floor = _STRIP * number - 10
        marks.append(tag("text", strip.title, x=0, y=floor - 20))
        marks.append(tag("line", class_="axis", x1=0, x2=WIDTH, y1=floor, y2=floor))
        start, end = (round(WIDTH * mrr, 2) for mrr in strip.counting)
        marks.append(tag("path", class_="floor", d=f"M{start},{floor}H{max(end, start + 1)}"))
        for kind, values in (("worse", strip.worse), ("better", strip.better)):
            dots = "".join(f"M{round(WIDTH * value, 2)},{floor}h0" for value in values)
            marks.append(tag("path", class_=kind, d=dots))

    for value in (0.0, 0.25, 0.5, 0.75, 1.0):
        anchor = {0.0: "start", 1.0: "end"}.get(value, "middle")
        x = round(WIDTH * value, 2)
        marks.append(tag("text", f"{value:g}", x=x, y=height + 14, text_anchor=anchor))

    svg = tag("svg", *marks, viewBox=f"0 0 {WIDTH} {height + 18}", aria_hidden="true")
    legend = {"worse than counting": "worse", "as good or better": "better", "counting": "floor"}
    caption = "Published MRR, a dot a result; the table has the same in numbers."
    return _figure(svg, caption, legend, "drawn strips")


def _figure(svg: Html, caption: str, legend: Mapping[str, str], kind: str) -> Html:
    """Return a drawing with a legend and a caption."""
    names = [tag("li", text, class_=name) for text, name in legend.items()]
    return tag(
        "figure", svg, tag("ul", *names, class_="key"), tag("figcaption", caption), class_=kind
    )


_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def _write_decade(decade: int) -> str:
    """Write a power of ten as 0.01 or, if it is smaller, as 10⁻³."""
    return f"{10.0**decade:g}" if decade > -3 else f"10{str(decade).translate(_RAISED)}"


@dataclass(frozen=True, slots=True)
class _Axis:
    """The values at the left and the right end of a drawing."""

    low: float
    high: float

    def place(self, value: float) -> float:
        """Return the x of a value in the drawing."""
        return round(WIDTH * (value - self.low) / (self.high - self.low), 2)


def _draw(edges: Values, heights: Values, caption: str, mean: float) -> Html:
    """Draw steps over an axis, with a dashed line at the mean."""
    axis = _Axis(float(edges[0]), float(edges[-1]))
    x = axis.place(mean)
    line = tag("line", class_="mean", x1=x, x2=x, y1=0, y2=FLOOR)
    return _frame(axis, caption, _step(axis, edges, heights), line)


def _step(axis: _Axis, edges: Values, heights: Values) -> Html:
    """Return an area under steps, the highest of which ends just below the top."""
    top = float(heights.max())
    places = [axis.place(edge) for edge in edges.tolist()]
    steps = [f"M{places[0]},{FLOOR}"]
    for start, end, height in zip(places, places[1:], heights.tolist(), strict=False):
        level = round(FLOOR - (FLOOR - 8) * height / top, 2)
        steps.append(f"L{start},{level} L{end},{level}")

    steps.append(f"L{places[-1]},{FLOOR}Z")
    return tag("path", class_="area", d=" ".join(steps))


def _frame(axis: _Axis, caption: str, *shapes: Html) -> Html:
    """Return a drawing over its axis, with a caption below."""
    marks = []
    for value in _find_ticks(axis.low, axis.high):
        x, anchor = axis.place(value), "middle"
        if x < 24:  # half a text would leave the drawing
            anchor = "start"
        elif x > WIDTH - 24:
            anchor = "end"
        marks += _draw_tick(x, f"{value:,.6g}", anchor, FLOOR + 18)

    view = f"0 0 {WIDTH} {HEIGHT}"
    svg = tag("svg", tag("title", caption), _AXIS, *shapes, *marks, viewBox=view, role="img")
    return tag("figure", svg, tag("figcaption", f"{caption}."), class_="drawn")


def _draw_tick(x: float, text: str, anchor: str, y: int) -> list[Html]:
    """Return a tick of the axis, and its text."""
    line = tag("line", class_="tick", x1=x, x2=x, y1=FLOOR, y2=FLOOR + 5)
    return [line, tag("text", text, x=x, y=y, text_anchor=anchor)]


def _find_ticks(low: float, high: float) -> Sequence[float]:
    """Return at most seven round numbers between two ends."""
    step = 10.0 ** math.floor(math.log10((high - low) / 4))
    step = next(step * times for times in (1, 2, 5, 10) if (high - low) / (step * times) <= 6)
    return [n * step for n in range(math.ceil(low / step), math.floor(high / step) + 1)]


# -- the distribution of chance --------------------------------------------------------------------

_CELLS = 96  # of the picture of a distribution, at most
# The largest error of a cell, as a share of the likeliest one: less than the width of a line.
_VISIBLE = 0.01
_NEGLIGIBLE = 1e-7  # below it, a value of the characteristic function counts as zero
_TERMS = (64, 256, 1024, 4096)  # numbers of terms of the series, tried one after the other


@dataclass(frozen=True, slots=True)
class Density:
    """The distribution of a random ranker's values."""

    # The ends of cells in units of the metric, shape (C + 1,), ascending; and the probability of
    # each, shape (C,).
    edges: Values
    probabilities: Values
    # False if the distribution is not known, and a normal one with its expectation and variance
    # replaces it.
    exact: bool


def compute_density(constants: Constants, lower: float, upper: float) -> Density:
    r"""Compute how probable a random ranker's values between two ends are, in fewer than 200 cells.

    The probabilities are differences of tail probabilities (:mod:`rankconst.tails`). For sums on no
    lattice these are slow, and the cells of width D/C that split a period D come from one Fourier
    series,

    .. math:: P(a \le S < b) = \frac{b - a}{D} + \frac{2}{D} \operatorname{Re} \sum_{m \ge 1}
              \varphi(w_m) \frac{e^{-i w_m a} - e^{-i w_m b}}{i w_m}, \qquad
              w_m = \frac{2 \pi m}{D},

    with the characteristic function of S; what lies outside the period is negligible (Abate and
    Whitt 1992, *Queueing Systems* 10, 5, section 5). Where it does not fall, the tasks are few, and
    the tails are quick.

    What the metric cannot reach is left out. Raises UndefinedError if every ranker gets the same.
    """
    if constants.variance == 0:
        raise UndefinedError(
            f"no distribution can be drawn: every ranker gets {constants.metric.label} = "
            f"{constants.expectation:g} on {constants.tasks.dataset} "
            f"({constants.tasks.describe()})."
        )

    edges = _cut_cells(constants, lower, upper)
    probabilities = _compute_cells(constants, edges)
    if probabilities is not None:
        return Density(edges, probabilities, exact=True)

    deviation = math.sqrt(2.0 * constants.variance)
    below = [0.5 * math.erfc((constants.expectation - edge) / deviation) for edge in edges.tolist()]
    return Density(edges, np.diff(below), exact=False)


def _cut_cells(constants: Constants, lower: float, upper: float) -> Values:
    """Return the edges of cells, which hold equally many values if the metric counts."""
    metric = constants.metric
    # Every rank first is always possible; nothing lies beyond it, or beyond the worst.
    best = constants.worst if metric.optimum is None else metric.optimum
    ends = sorted((constants.worst, best))
    lower, upper = max(lower, ends[0]), min(upper, ends[1])
    if not metric.is_counted or constants.histogram.is_weighted:
        # Half a cell beyond either end, so that what lies on it is counted.
        margin = (upper - lower) / (2 * _CELLS)
        return np.linspace(lower - margin, upper + margin, _CELLS + 1)

    n = constants.num_tasks
    first, last = math.floor(lower * n + 0.5), math.ceil(upper * n - 0.5)
    step = max(1, (last - first + 1) // _CELLS)
    edges: Values = (np.arange(first, last + step + 1, step) - 0.5) / n
    return edges


def _compute_cells(constants: Constants, edges: Values) -> Values | None:
    """Return the probabilities of the cells, or None if an error would be visible."""
    metric, histogram = constants.metric, constants.histogram
    if histogram.is_weighted or explain_lack(metric, histogram):
        return None

    series = _sum_series(constants, edges)
    if series is not None:
        return series

    tails = [_find_tail(metric, histogram, edge) for edge in edges.tolist()]
    probabilities = np.array([tail.probability for tail in tails])
    errors = math.log(10.0) * np.array([tail.error for tail in tails]) * probabilities
    cells: Values = np.abs(np.diff(probabilities))
    if np.any(errors + UNIT_ROUNDOFF >= _VISIBLE * cells.max()):
        return None
    return cells


def _find_tail(metric: Metric, histogram: Histogram, value: float) -> Tail:
    """Compute a tail probability, also for values that the metric cannot have."""
    if value < metric.lower:
        is_certain = metric.increasing
    elif value > metric.upper:
        is_certain = not metric.increasing
    else:
        return tail_probability(metric, histogram, value)

    log10 = 0.0 if is_certain else -math.inf
    return Tail(log10, 0.0, "exact")


def _sum_series(constants: Constants, edges: Values) -> Values | None:
    """Compute the cells by the series of :func:`compute_density`, or return None if it is long."""
    rule, histogram = TAILS[constants.metric.family], constants.histogram
    if rule.transform is None:
        return None

    distribution = rule.make(histogram, constants.metric)
    # A margin may lie below every value that has a logarithm.
    positive = np.maximum(edges, np.finfo(np.float64).tiny)
    # The sums over tasks that metrics follow from, less the largest sum; ascending.
    sums = np.sort(histogram.total * rule.transform(positive))
    # Nothing is folded into the window from two windows away, which is at least nine standard
    # deviations.
    step = 2.0 * math.pi / (3.0 * float(sums[-1] - sums[0]))
    for num_terms in _TERMS:
        frequency = step * np.arange(1.0, num_terms + 1)
        characteristic = np.exp(
            distribution.cgf((1j * frequency).astype(np.complex128), upper=True)
        )
        if np.max(np.abs(characteristic[num_terms // 2 :])) < _NEGLIGIBLE:
            waves = np.exp(-1j * np.outer(sums, frequency)) @ (characteristic / (1j * frequency))
            uniform = step / (2.0 * math.pi) * np.diff(sums)
            cells: Values = uniform - step / math.pi * np.diff(waves.real)
            # Larger sums are better: smaller values, for a metric that decreases.
            return cells if constants.metric.increasing else cells[::-1]

    return None
