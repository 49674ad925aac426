"""Results of many models on the same tasks, and which of them are told apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankconst.errors import UsageError
from rankconst.plots.style import FAINT, apply_style, describe, estimate_width, format_axis, plain

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from rankconst.values.standings import Standings

MOST_PANELS = 6
_ACROSS, _ROW, _WIDTH, _LETTER = 2, 0.23, 3.2, 0.11


def plot_standings(found: Sequence[Standings], *, titles: Mapping[str, str]) -> Figure:
    """Draw the results of each metric and dataset in order, with the letters of the models that each is better than.

    Bars show rounding; in the shaded band are results that a pair of numbers alone does not tell from the best one.
    """
    if len(found) > MOST_PANELS:
        raise UsageError(f"{len(found)} tables are too many for one picture; choose one metric (--metric) or dataset.")
    longest, most = max(estimate_width(name) for each in found for name in each.names), max(len(x.names) for x in found)
    across, down = min(len(found), _ACROSS), -(-len(found) // _ACROSS)
    with apply_style():
        from matplotlib.figure import Figure
        from matplotlib.lines import Line2D
        from matplotlib.patches import Patch

        size = (across * (_WIDTH + longest + _LETTER * most), down * (0.9 + _ROW * most) + 0.65)
        figure = Figure(figsize=size, layout="constrained")
        panels = figure.subplots(down, across, squeeze=False).ravel()
        for axes, each in zip(panels, found, strict=False):
            tasks = each.constants.tasks
            axes.set_title(plain(titles.get(tasks.dataset, tasks.dataset)))
            _draw_panel(axes, each)
        for axes in panels[len(found) :]:
            axes.set_axis_off()
        handles = [
            Line2D([], [], marker="o", ms=4, color="#222222", lw=1.2, label="result and its rounding"),
            Patch(color=FAINT, lw=0, label="not told from the best by two numbers alone"),
            Line2D([], [], ls="", label="letters at the right: models that it is better than"),
        ]
        figure.legend(handles=handles, loc="outside lower center")
        describe(figure, "Results in order", " ".join(each.describe() for each in found))
    return figure


def _draw_panel(axes: Axes, each: Standings) -> None:
    places = range(len(each.names))
    values = [one.value for one in each.published]
    ends = [[one.value - one.lower for one in each.published], [one.upper - one.value for one in each.published]]
    best, sign = values[0], -1 if each.constants.metric.increasing else 1
    axes.axvspan(*sorted((best, best + sign * each.smallest)), color=FAINT, lw=0)
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
