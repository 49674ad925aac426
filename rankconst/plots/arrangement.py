"""The columns, points and looks of a comparison, before anything is drawn."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import replace
from pathlib import PurePath
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankconst.catalogue.aggregations import DEFAULT_AGGREGATION
from rankconst.catalogue.baselines import DEFAULT_BASELINE
from rankconst.errors import DataError
from rankconst.plots.style import CHANCE, COLOURS, MARKERS, estimate_width

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from rankconst.catalogue.metrics import Metric
    from rankconst.results.adjusted import AdjustedReading
    from rankconst.tasks import Tasks
    from rankconst.values.affine import Adjusted
    from rankconst.values.constants import Constants


# So many models, those with the most values, have a sign of their own; all others share one.
MOST_MODELS = 20

# Widths in inches: of panels side by side and of panels below each other, from least to most; of a value as a rule and
# at least; of the gap between datasets.
_BESIDE, _BELOW = (2.0, 3.6), (6.0, 10.5)
_SLOT, _LEAST_SLOT, _GAP = 0.12, 0.07, 0.22
# What no picture can do without, however wide it becomes.
_TIGHT_SLOT, _TIGHT_COLUMN = 0.035, 0.24

_USUAL = {"test", "both", DEFAULT_AGGREGATION, ""}


class Place(NamedTuple):
    """All that sets chance apart in a column: its ranking tasks, whatever their protocol, and the tie policy."""

    tasks: Tasks
    rank_type: str

    @property
    def words(self) -> tuple[str, str, str, str]:
        """Split, side, aggregation and tie policy."""
        return self.tasks.split, self.tasks.side, self.tasks.aggregation, self.rank_type


class Point(NamedTuple):
    """A value of a model, drawn once in each panel of its metric."""

    model: str
    metric: Metric
    place: Place
    adjusted: Adjusted
    constants: Constants
    # Further baselines to what they are expected to get.
    baselines: Mapping[str, float]


class Column(NamedTuple):
    """A dataset on the x axis: its name, the mean number of candidates as text, and its ends in inches."""

    label: str
    size: str
    start: float
    end: float

    @property
    def centre(self) -> float:
        """Its middle, in inches."""
        return (self.start + self.end) / 2


class Look(NamedTuple):
    """The sign of a model: a marker in a colour, and the colour of its inside."""

    colour: str
    marker: str
    face: str


# The sign that all further models share.
FURTHER = Look(CHANCE, "*", CHANCE)


class Layout(NamedTuple):
    """The columns of a panel in their order, and its measures in inches."""

    columns: Mapping[Place, Column]
    # The distance of neighbouring values.
    slot: float
    width: float
    # True if the three panels of a metric are side by side, False if they are below each other.
    beside: bool


def collect_points(adjusted: AdjustedReading, metrics: Collection[Metric] | None) -> list[Point]:
    """Return the values of some metrics, or of all, that could be adjusted; DataError if there are none."""
    unnamed = PurePath(adjusted.reading.name).stem
    points = []
    expected: dict[tuple[Tasks, Metric], dict[str, float]] = {}
    for done in itertools.chain.from_iterable(adjusted.against.values()):
        tasks = done.batch.tasks
        own = expected.setdefault((replace(tasks, baseline=DEFAULT_BASELINE), done.batch.metric), {})
        own[tasks.baseline] = done.constants.expectation
    for each in adjusted.entries:
        context, of = each.entry.context, each.constants
        if of is None or each.adjusted is None or (metrics is not None and each.entry.metric not in metrics):
            continue
        place = Place(replace(of.tasks, protocol=""), context.rank_type or "")
        baselines = expected.get((of.tasks, each.entry.metric), {})
        points.append(Point(context.model or unnamed, each.entry.metric, place, each.adjusted, of, baselines))
    if not points:
        reason = next((f" {each.note}" for each in adjusted.entries if each.note), "")
        raise DataError(f"{adjusted.reading.name} has no value to draw.{reason}")
    return points


def choose_looks(points: Sequence[Point]) -> dict[str, Look]:
    """Return the models in the order of the table, each with its look; from the eleventh on signs are hollow."""
    counts = Counter(point.model for point in points)
    named = {model for model, _ in counts.most_common(MOST_MODELS)}
    looks = {}
    for place, model in enumerate(model for model in counts if model in named):
        hollow, colour = divmod(place, len(COLOURS))
        # Neither colour nor marker comes back with the same partner.
        marker, face = MARKERS[(colour + 3 * hollow) % len(MARKERS)], "white" if hollow else COLOURS[colour]
        looks[model] = Look(COLOURS[colour], marker, face)
    return looks | dict.fromkeys((model for model in counts if model not in named), FURTHER)


def arrange(points: Sequence[Point], titles: Mapping[str, str]) -> Layout:
    """Give each dataset a column wide enough for its values."""
    sizes: dict[Place, float] = {}
    for point in points:
        histogram = point.constants.histogram
        size = float(np.average(histogram.num_candidates, weights=histogram.num_tasks))
        # Protocols differ a little.
        sizes[point.place] = min(size, sizes.get(point.place, size))
    places = sorted(sizes, key=lambda place: (sizes[place], place.tasks.dataset, *place.words))
    counts = Counter((point.place, point.metric) for point in points)
    slots = {place: max(n for (at, _), n in counts.items() if at == place) for place in places}
    common = find_common(points)
    labels = {
        place: ", ".join(
            [
                titles.get(place.tasks.dataset, place.tasks.dataset),
                *(word for word in place.words if word not in _USUAL and word not in common),
            ]
        )
        for place in places
    }
    total, number = sum(slots.values()), len(places)
    beside = total * _LEAST_SLOT + number * _GAP <= _BESIDE[1]
    least, most = _BESIDE if beside else _BELOW
    # Room for labels that need not be turned, where there is that much.
    level = number * (max(map(estimate_width, labels.values())) + 0.08)
    width = max(least, total * _SLOT + number * _GAP, level if level <= most else 0.0)
    width = max(min(width, most), total * _TIGHT_SLOT + number * _TIGHT_COLUMN)
    slot = min((width - 0.5 * number * _GAP) / (total + number), 0.2)
    gap = (width - total * slot) / number
    columns, start = {}, 0.0
    for place in places:
        end = start + slots[place] * slot + gap
        columns[place] = Column(labels[place], f"{sizes[place]:,.0f}", start, end)
        start = end
    return Layout(columns, slot, width, beside)


def dodge(ranked: Sequence[Point], layout: Layout) -> list[float]:
    """Return the x positions of points of one metric: in each column next to each other, in their order."""
    counts = Counter(point.place for point in ranked)
    seen: Counter[Place] = Counter()
    positions = []
    for point in ranked:
        middle = (counts[point.place] - 1) / 2
        positions.append(layout.columns[point.place].centre + layout.slot * (seen[point.place] - middle))
        seen[point.place] += 1
    return positions


def find_common(points: Sequence[Point]) -> list[str]:
    """Return split, side, aggregation and tie policy, as far as all points share them."""
    values = (set(each) for each in zip(*(point.place.words for point in points), strict=True))
    return [only for each in values if len(each) == 1 for only in each if only not in {"", DEFAULT_AGGREGATION}]
