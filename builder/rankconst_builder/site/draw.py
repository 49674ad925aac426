"""Figures as inline SVG: no style but classes, so that a strict policy shows them and dark mode recolours them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from rankconst.constants.published import show_number
from rankconst.errors import UndefinedError
from rankconst.plots.density import compute_density
from rankconst_builder.site.html import Html, tag

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from rankconst.constants.constants import Constants
    from rankconst.tasks import Histogram

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
        f"{constants.metric.label} of a random ranker: {show_number(constants.expectation, 5)} on average, standard "
        f"deviation {show_number(deviation, 3)}" + ("" if density.exact else ", by the normal law")
    )
    return _draw(density.edges, density.probabilities, told, constants.expectation)


def _draw(edges: NDArray[np.float64], heights: NDArray[np.float64], told: str, mean: float) -> Html:
    """Draw steps over an axis, with a dashed line at the mean."""
    left, right = float(edges[0]), float(edges[-1])
    top = float(heights.max())

    def across(value: float) -> float:
        return round(WIDTH * (value - left) / (right - left), 2)

    floor = HEIGHT - FOOT
    steps = [f"M{across(left)},{floor}"]
    for start, end, height in zip(edges.tolist(), edges[1:].tolist(), heights.tolist(), strict=False):
        level = round(floor - (floor - 8) * height / top, 2)
        steps.append(f"L{across(start)},{level} L{across(end)},{level}")
    steps.append(f"L{across(right)},{floor}Z")
    marks = []
    for value in _find_ticks(left, right):
        x = across(value)
        anchor = "start" if x < 24 else "end" if x > WIDTH - 24 else "middle"
        marks.append(tag("line", class_="tick", x1=x, x2=x, y1=floor, y2=floor + 5))
        marks.append(tag("text", f"{value:,.6g}", x=x, y=floor + 18, text_anchor=anchor))
    return tag(
        "figure",
        tag(
            "svg",
            tag("title", told),
            tag("path", class_="area", d=" ".join(steps)),
            tag("line", class_="axis", x1=0, x2=WIDTH, y1=floor, y2=floor),
            tag("line", class_="mean", x1=across(mean), x2=across(mean), y1=0, y2=floor),
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
