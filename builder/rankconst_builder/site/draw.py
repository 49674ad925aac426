"""Figures as inline SVG, styled by classes alone.

A strict policy shows them, and dark mode recolours them.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankconst.errors import UndefinedError
from rankconst.values.published import show_number
from rankconst_builder.site.density import compute_density
from rankconst_builder.site.html import Html, tag

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from rankconst.tasks import Histogram
    from rankconst.values.constants import Constants

WIDTH, HEIGHT, FOOT = 640, 200, 34
_BINS = 64
# Standard deviations to either side.
_SPAN = 4.5


def draw_candidates(histogram: Histogram) -> Html:
    """Draw how many ranking tasks have how many candidates."""
    sizes, counts = histogram.num_candidates, histogram.num_tasks
    first, last = int(sizes.min()), int(sizes.max())
    edges = np.linspace(first - 0.5, last + 0.5, min(_BINS, last - first + 1) + 1)
    heights, _ = np.histogram(sizes, edges, weights=counts)
    shares = heights / heights.sum()
    told = (
        f"{histogram.total:,} ranking tasks by their candidates: {first:,} to {last:,}, "
        f"{show_number(histogram.mean)} on average"
    )
    return _draw(edges, shares, told, histogram.mean)


def draw_chance(constants: Constants) -> Html | None:
    """Draw what a random ranker gets; None if every ranker gets the same."""
    deviation = math.sqrt(constants.variance)
    low, high = constants.expectation - _SPAN * deviation, constants.expectation + _SPAN * deviation
    try:
        density = compute_density(constants, low, high)
    except UndefinedError:
        return None
    told = (
        f"{constants.metric.label} of a random ranker: {show_number(constants.expectation, 5)} "
        f"on average, standard deviation {show_number(deviation, 3)}"
        + ("" if density.exact else ", by the normal law")
    )
    return _draw(density.edges, density.probabilities, told, constants.expectation)


def draw_results(
    constants: Constants, baselines: Mapping[str, float], indices: Sequence[float]
) -> Html:
    """Draw what chance gets, baselines and results by their index: 0 is chance, 1 is perfect."""
    expectation, unit = (
        constants.expectation,
        (constants.metric.optimum or 0.0) - constants.expectation,
    )
    reach = _SPAN * math.sqrt(constants.variance)
    density = compute_density(constants, expectation - reach, expectation + reach)
    edges = (density.edges - expectation) / unit
    floor, axis = (
        HEIGHT - FOOT,
        _Axis(min(-0.02, float(edges[0]), *indices, *baselines.values()), 1.0),
    )
    marks = []
    for place, (name, index) in enumerate(sorted(baselines.items(), key=lambda item: item[1])):
        top, x = 18 + 24 * (place % 3), axis.place(index)
        marks.append(tag("line", class_="mean", x1=x, x2=x, y1=top + 4, y2=floor))
        marks.append(tag("text", name, x=x, y=top, text_anchor="start" if x < WIDTH / 2 else "end"))
    heights: dict[int, int] = {}
    for index in indices:
        x = axis.place(index)
        # Results that are near each other are piled up.
        level = heights[round(x / _DOT)] = heights.get(round(x / _DOT), 0) + 1
        marks.append(
            tag(
                "circle",
                class_="result",
                cx=x,
                cy=max(floor + _DOT / 2 - _DOT * level, 0),
                r=_DOT / 2 - 1,
            )
        )
    told = f"{len(indices)} published results by their index: 0 is what chance gets, 1 is perfect"
    return _frame(axis, told, _step(axis, edges, density.probabilities), *marks)


_DOT = 11

FAMILIES = ("transductive", "inductive", "temporal", "n-ary", "OGB")
"""Kinds of benchmarks, each with a colour."""


class Point(NamedTuple):
    """A dataset in a drawing: what chance gets on it."""

    key: str
    title: str
    family: str
    value: float
    page: str


def draw_datasets(points: Sequence[Point], results: Sequence[tuple[str, float]]) -> Html:
    """Draw a dot for each dataset by its expected MRR, and published results above.

    The table has the same in words.
    """
    first = math.floor(math.log10(min(each.value for each in points)))

    def place(value: float) -> float:
        return round(WIDTH * (math.log10(value) - first) / -first, 2)

    marks, heights = [], Counter[tuple[str, int]]()
    floor, shelf = HEIGHT - FOOT, 40 if results else 0
    above: dict[str, list[str]] = {}  # dots without length, with round ends
    for key, value in results:
        x = place(value)
        level = heights["above", round(x / 5)] = heights["above", round(x / 5)] + 1
        above.setdefault(key, []).append(f"M{x},{8 + 7 * ((level - 1) % 4)}h0")
    marks += [
        tag("path", class_="published", d="".join(dots), data_key=key)
        for key, dots in above.items()
    ]
    for point in points:
        x = place(point.value)
        level = heights["below", round(x / _DOT)] = heights["below", round(x / _DOT)] + 1
        dot = tag("circle", cx=x, cy=max(floor + _DOT / 2 - _DOT * level, shelf), r=_DOT / 2 - 0.5)
        title = tag("title", f"{point.title}: {show_number(point.value)}")
        name = f"family-{FAMILIES.index(point.family)}"
        marks.append(
            tag("a", title, dot, href=point.page, class_=name, data_key=point.key, tabindex="-1")
        )
    for decade in range(first, 1):
        x = place(10.0**decade)
        marks.append(tag("line", class_="tick", x1=x, x2=x, y1=floor, y2=floor + 5))
        anchor = "end" if decade == 0 else "start" if decade == first else "middle"
        marks.append(tag("text", _write_decade(decade), x=x, y=floor + 20, text_anchor=anchor))
    used = [family for family in FAMILIES if any(point.family == family for point in points)]
    legend = [tag("li", family, class_=f"family-{FAMILIES.index(family)}") for family in used]
    legend += [tag("li", "published results", class_="published")] if results else []
    told = "The MRR that a random ranker is expected to get, one dot a dataset" + (
        "; above, published results on the same scale." if results else "."
    )
    axis = tag("line", class_="axis", x1=0, x2=WIDTH, y1=floor, y2=floor)
    drawn = tag("svg", axis, *marks, viewBox=f"0 0 {WIDTH} {HEIGHT}", aria_hidden="true")
    return tag(
        "figure",
        drawn,
        tag("ul", *legend, class_="key"),
        tag("figcaption", told),
        class_="drawn explorer",
    )


class Strip(NamedTuple):
    """A benchmark in a drawing: what counting gets, by protocol, and published results."""

    title: str
    page: str
    counting: tuple[float, float]
    worse: Sequence[float]
    better: Sequence[float]


_STRIP = 56


def draw_strips(strips: Sequence[Strip]) -> Html:
    """Draw published MRRs and what counting gets, one strip for each benchmark."""
    marks = []
    height = _STRIP * len(strips)
    for place, strip in enumerate(strips):
        floor = _STRIP * (place + 1) - 10
        marks.append(tag("text", strip.title, x=0, y=floor - 20))
        marks.append(tag("line", class_="axis", x1=0, x2=WIDTH, y1=floor, y2=floor))
        left, right = (round(WIDTH * end, 2) for end in strip.counting)
        marks.append(tag("path", class_="floor", d=f"M{left},{floor}H{max(right, left + 1)}"))
        for kind, values in (("worse", strip.worse), ("better", strip.better)):
            dots = "".join(f"M{round(WIDTH * value, 2)},{floor}h0" for value in values)
            marks.append(tag("path", class_=kind, d=dots))
    for value in (0.0, 0.25, 0.5, 0.75, 1.0):
        anchor = "start" if value == 0 else "end" if value == 1 else "middle"
        x = round(WIDTH * value, 2)
        marks.append(tag("text", f"{value:g}", x=x, y=height + 14, text_anchor=anchor))
    legend = [
        tag("li", "worse than counting", class_="worse"),
        tag("li", "as good or better", class_="better"),
        tag("li", "counting", class_="floor"),
    ]
    view = f"0 0 {WIDTH} {height + 18}"
    drawn = tag("svg", *marks, viewBox=view, aria_hidden="true")
    caption = tag("figcaption", "Published MRR, a dot a result; the table has the same in numbers.")
    key = tag("ul", *legend, class_="key")
    return tag("figure", drawn, key, caption, class_="drawn strips")


_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def _write_decade(decade: int) -> str:
    """Write a power of ten."""
    return f"{10.0**decade:g}" if decade > -3 else f"10{str(decade).translate(_RAISED)}"


@dataclass(frozen=True, slots=True)
class _Axis:
    left: float
    right: float

    def place(self, value: float) -> float:
        """Return where a value is, in units of the drawing."""
        return round(WIDTH * (value - self.left) / (self.right - self.left), 2)


def _draw(edges: NDArray[np.float64], heights: NDArray[np.float64], told: str, mean: float) -> Html:
    """Draw steps over an axis, with a dashed line at the mean."""
    axis = _Axis(float(edges[0]), float(edges[-1]))
    x = axis.place(mean)
    line = tag("line", class_="mean", x1=x, x2=x, y1=0, y2=HEIGHT - FOOT)
    return _frame(axis, told, _step(axis, edges, heights), line)


def _step(axis: _Axis, edges: NDArray[np.float64], heights: NDArray[np.float64]) -> Html:
    """Return an area under steps."""
    floor, top = HEIGHT - FOOT, float(heights.max())
    steps = [f"M{axis.place(float(edges[0]))},{floor}"]
    for start, end, height in zip(
        edges.tolist(), edges[1:].tolist(), heights.tolist(), strict=False
    ):
        level = round(floor - (floor - 8) * height / top, 2)
        steps.append(f"L{axis.place(start)},{level} L{axis.place(end)},{level}")
    steps.append(f"L{axis.place(float(edges[-1]))},{floor}Z")
    return tag("path", class_="area", d=" ".join(steps))


def _frame(axis: _Axis, told: str, *drawn: Html) -> Html:
    """Return a drawing over its axis, with what it shows below it."""
    floor, marks = HEIGHT - FOOT, []
    for value in _find_ticks(axis.left, axis.right):
        x = axis.place(value)
        anchor = "start" if x < 24 else "end" if x > WIDTH - 24 else "middle"
        marks.append(tag("line", class_="tick", x1=x, x2=x, y1=floor, y2=floor + 5))
        marks.append(tag("text", f"{value:,.6g}", x=x, y=floor + 18, text_anchor=anchor))
    return tag(
        "figure",
        tag(
            "svg",
            tag("title", told),
            tag("line", class_="axis", x1=0, x2=WIDTH, y1=floor, y2=floor),
            *drawn,
            *marks,
            viewBox=f"0 0 {WIDTH} {HEIGHT}",
            role="img",
        ),
        tag("figcaption", f"{told}."),
        class_="drawn",
    )


def _find_ticks(left: float, right: float) -> Sequence[float]:
    """Return four to eight round numbers between two ends."""
    step = 10.0 ** math.floor(math.log10((right - left) / 4))
    step = next(step * times for times in (1, 2, 5, 10) if (right - left) / (step * times) <= 6)
    return [n * step for n in range(math.ceil(left / step), math.floor(right / step) + 1)]
