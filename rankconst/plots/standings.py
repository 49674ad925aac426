"""Results of many models on the same tasks, and which of them are told apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankconst.errors import UsageError
from rankconst.plots.style import apply_style, describe, estimate_width, format_axis, plain

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from rankconst.values.standings import Standings

MOST_PANELS = 6
_ROW, _WIDTH = 0.23, 3.2


def plot_standings(found: Sequence[Standings], *, titles: Mapping[str, str]) -> Figure:
    """Draw the results of each metric and dataset in order, with the letters of the models that each is better than.

    Bars show rounding; in the shaded band are results that a pair of numbers alone does not tell from the best one.
    """
    from matplotlib.figure import Figure

    if len(found) > MOST_PANELS:
        raise UsageError(f"{len(found)} tables are too many for one picture; choose one metric (--metric) or dataset.")
    longest = max(estimate_width(name) for each in found for name in each.names)
    rows = max(len(each.names) for each in found)
    with apply_style():
        size = (len(found) * (_WIDTH + longest), 0.9 + _ROW * rows)
        figure = Figure(figsize=size, layout="constrained")
        for axes, each in zip(figure.subplots(1, len(found), squeeze=False)[0], found, strict=True):
            tasks = each.constants.tasks
            axes.set_title(plain(titles.get(tasks.dataset, tasks.dataset)))
            _draw_panel(axes, each)
        describe(figure, "Results in order", " ".join(each.describe() for each in found))
    return figure


def _draw_panel(axes: Axes, each: Standings) -> None:
    places = range(len(each.names))
    values = [one.value for one in each.published]
    ends = [[one.value - one.lower for one in each.published], [one.upper - one.value for one in each.published]]
    best, sign = values[0], -1 if each.constants.metric.increasing else 1
    axes.axvspan(*sorted((best, best + sign * each.smallest)), color="#dddddd", lw=0)
    axes.errorbar(values, places, xerr=ends, fmt="o", ms=4, color="#222222", lw=1.2, capsize=2)
    letters = each.letters
    labels = [f"{plain(name)}  {letter}" for name, letter in zip(each.names, letters, strict=True)]
    axes.set_yticks(places, labels)
    axes.invert_yaxis()
    axes.set_xlabel(each.constants.metric.label)
    format_axis(axes, "x")
    for place in places:
        worse = " ".join(letters[other] for other in each.list_worse(place))
        axes.annotate(worse, (1.01, place), xycoords=("axes fraction", "data"), va="center", fontsize=7)
