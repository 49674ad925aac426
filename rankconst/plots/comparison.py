"""A results table as a picture: Figure 1 of Hoyt et al. 2022, arXiv:2203.07544, for any table; and results in order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankconst.catalogue.protocols import SIDES
from rankconst.errors import DataError, UsageError
from rankconst.plots.arrangement import FURTHER, arrange, choose_looks, collect_points, dodge, find_common
from rankconst.plots.style import (
    BASELINE_LOOKS,
    CHANCE,
    FAINT,
    apply_style,
    describe,
    estimate_width,
    format_axis,
    plain,
)
from rankconst.values.published import show_number

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from rankconst.catalogue.metrics import Metric
    from rankconst.plots.arrangement import Layout, Look, Point
    from rankconst.results.adjusted import AdjustedReading
    from rankconst.values.standings import Standings


# What the panels show, from left to right.
FORMS = ("value", "index", "z")

# So many metrics fit into one picture, with a row of panels each.
MOST_METRICS = 8

# So many tables of results in order fit into one picture; and how they are laid out, in inches.
MOST_PANELS = 6
_ACROSS, _ROW, _WIDTH, _LETTER = 2, 0.23, 3.2, 0.11

# Random rankers stay within this many standard deviations in 95 % of all cases, by the normal law.
INSIGNIFICANT = 1.96


def plot_comparison(
    adjusted: AdjustedReading,
    metrics: Iterable[Metric] | None = None,
    *,
    titles: Mapping[str, str] | None = None,
) -> Figure:
    """Draw original values, adjusted indices and z-scores of a results table.

    Datasets are on the x axis, by the mean number of candidates of their tasks; bars show the effect of rounding. The
    three panels of a metric are side by side, or below each other in large tables.

    Parameters
    ----------
    adjusted
        What :func:`rankconst.adjust` returns of a file or a dict as tools write it.
    metrics
        Only these; all if None.
    titles
        Key of a dataset to its name in the picture.

    Returns
    -------
    matplotlib.figure.Figure
        Its ``savefig`` writes a file; in a notebook it shows itself.

    Raises
    ------
    DataError
        If a metric has no adjusted value.
    UsageError
        If there are too many metrics for one picture.
    """
    wanted = None if metrics is None else tuple(dict.fromkeys(metrics))
    points = collect_points(adjusted, wanted)
    held = list(dict.fromkeys(point.metric for point in points))
    shown = held if wanted is None else wanted
    lacking = [metric.label for metric in shown if metric not in held]
    if lacking:
        raise DataError(f"{adjusted.reading.name} has no value of {', '.join(lacking)} that could be adjusted.")
    if len(shown) > MOST_METRICS:
        names = ", ".join(metric.label for metric in shown)
        raise UsageError(
            f"{len(shown)} metrics are too many for one picture ({names}); choose up to {MOST_METRICS} (--metric)."
        )
    looks, layout = choose_looks(points), arrange(points, titles or {})
    with apply_style():
        figure, panels = _lay_out(len(shown), layout, _make_handles(points, looks), _name_axis(points))
        for metric, row in zip(shown, panels, strict=True):
            of_metric = [point for point in points if point.metric == metric]
            for form, axes in zip(FORMS, row, strict=True):
                _draw_panel(axes, form, of_metric, layout, looks)
        figure.align_ylabels()
        describe(figure, *_tell(shown, points, layout))
    return figure


def find_further_models(adjusted: AdjustedReading, metrics: Iterable[Metric] | None = None) -> list[str]:
    """Return the models that share one sign, in the order of the table."""
    looks = choose_looks(collect_points(adjusted, None if metrics is None else tuple(metrics)))
    return [model for model, look in looks.items() if look == FURTHER]


# -- panels ---------------------------------------------------------------------------------------------------------


def _lay_out(metrics: int, layout: Layout, handles: Sequence[Artist], title: str) -> tuple[Figure, list[list[Axes]]]:
    """Return a figure with the panels of each metric, their columns labelled, and the legend below."""
    from matplotlib.figure import Figure

    rows, across = (metrics, len(FORMS)) if layout.beside else (metrics * len(FORMS), 1)
    columns = list(layout.columns.values())
    rotate = any(estimate_width(max(each.label, each.size, key=len)) > each.end - each.start for each in columns)
    labels = [f"{plain(each.label)}{' ' if rotate else chr(10)}({each.size})" for each in columns]
    width = across * (layout.width + 0.85)
    entries = _fit([str(handle.get_label()) for handle in handles], width)
    below = 0.7 * max(map(estimate_width, labels)) if rotate else 0.3
    height = rows * (2.5 if layout.beside else 2.0) + below + 0.3 + 0.19 * -(-len(handles) // entries)
    figure = Figure(figsize=(width, height), layout="constrained")
    panels = figure.subplots(rows, across, squeeze=False, sharex=True).reshape(metrics, len(FORMS))
    for axes in figure.axes:
        axes.set_xticks([each.centre for each in columns], labels)
        axes.set_xlim(0.0, layout.width)
        axes.tick_params(axis="x", length=0)
        if rotate:
            for label in axes.get_xticklabels():
                label.set(rotation=38, ha="right", rotation_mode="anchor")
    # A label of the figure as a whole would collide with the legend.
    figure.legend(handles=handles, loc="outside lower center", ncols=entries, title=title)
    return figure, panels.tolist()


def _draw_panel(axes: Axes, form: str, points: Sequence[Point], layout: Layout, looks: Mapping[str, Look]) -> None:
    metric = points[0].metric
    ends = [end for point in points for end in getattr(point.adjusted, f"{form}_interval") or ()]
    levels = [level for point in points for level in (point.constants.expectation, *point.baselines.values())]
    _scale(axes, form, metric, [*ends, *levels] if form == "value" else ends)
    for column in layout.columns.values():
        axes.axvline(column.start, color=FAINT, lw=0.7, zorder=0)
    if form == "value":
        _draw_levels(axes, metric, points, layout)
    else:
        axes.axhline(0.0, color=CHANCE, ls="--", lw=1.3, zorder=1.5)
    if form == "z":
        axes.axhspan(-INSIGNIFICANT, INSIGNIFICANT, color=CHANCE, alpha=0.16, lw=0, zorder=0.5)
    order = {model: place for place, model in enumerate(looks)}
    ranked = sorted(points, key=lambda point: order[point.model])
    placed = list(zip(dodge(ranked, layout), ranked, strict=True))
    for model, look in looks.items():
        drawn = [
            (x, point) for x, point in placed if point.model == model and getattr(point.adjusted, form) is not None
        ]
        if drawn:
            _draw_model(axes, form, drawn, look, layout.slot)
    axes.set_title(_name_panel(metric, form) + _count_undefined(points, form))
    axes.set_ylabel(_name_form(metric, form))
    axes.grid(axis="y")


def _draw_model(axes: Axes, form: str, drawn: Sequence[tuple[float, Point]], look: Look, slot: float) -> None:
    x, y = np.array([(x, getattr(point.adjusted, form)) for x, point in drawn], dtype=np.float64).T
    # Signs as wide as their slot, within what can be seen and told apart.
    size = min(max(0.85 * 72 * slot, 4.2), 6.5) ** 2
    label = drawn[0][1].model
    axes.scatter(x, y, s=size, c=look.face, edgecolors=look.colour, marker=look.marker, lw=0.9, label=label, zorder=3)
    ends = np.array([getattr(point.adjusted, f"{form}_interval") for _, point in drawn], dtype=np.float64).T
    # Exact values have no bar.
    rounded = ends[1] > ends[0]
    if rounded.any():
        axes.errorbar(
            x[rounded],
            ends.mean(axis=0)[rounded],
            yerr=np.diff(ends, axis=0)[0, rounded] / 2,
            fmt="none",
            ecolor=look.colour,
            elinewidth=1.0,
            capsize=min(2.0, 24 * slot),
            label=label,
            zorder=2.5,
        )


def _draw_levels(axes: Axes, metric: Metric, points: Sequence[Point], layout: Layout) -> None:
    """Mark what a random ranker and further baselines get in each column, and shade what is worse than random."""
    worst = axes.get_ylim()[0 if metric.increasing else 1]
    for place, column in layout.columns.items():
        # Protocols differ a little.
        inside, own = (column.start + 0.03, column.end - 0.03), [point for point in points if point.place == place]
        levels = sorted({point.constants.expectation for point in own})
        if levels:
            axes.hlines(levels, *inside, colors=CHANCE, lw=1.6, zorder=1.5)
            surely = levels[0 if metric.increasing else -1]
            axes.fill_between(inside, worst, surely, color=CHANCE, alpha=0.16, lw=0)
        for baseline, level in sorted({item for point in own for item in point.baselines.items()}):
            axes.hlines(level, *inside, lw=1.3, zorder=1.6, **BASELINE_LOOKS[baseline])


def _scale(axes: Axes, form: str, metric: Metric, values: Sequence[float]) -> None:
    """Choose scale and limits of the y axis, logarithmic where values span decades."""
    lowest, highest = min(values, default=0.0), max(values, default=1.0)
    share = form == "index" or (form == "value" and metric.upper == 1)
    if form == "z":
        lowest, highest = min(lowest, -2.5), max(highest, 2.5)
        if max(-lowest, highest) > 60:
            axes.set_yscale("symlog", linthresh=3.0, linscale=0.6)
            powers = [10.0**power for power in range(1, 13)]
            axes.set_yticks([-each for each in powers if -each > lowest] + [0] + [p for p in powers if p < highest])
            axes.set_ylim(1.8 * lowest if lowest < -3 else -3.6, 1.8 * highest)
            axes.minorticks_off()
            format_axis(axes)
            return
    elif form == "value" and not share and lowest > 0 and highest > 30 * lowest:
        axes.set_yscale("log")
        axes.set_ylim(lowest / 1.4, highest * 1.4)
        axes.minorticks_off()
        format_axis(axes)
        return
    elif share:
        lowest, highest = min(lowest, 0.0), 1.0 if highest > 0.5 else highest
    else:
        lowest = min(lowest, 0.0)
    margin = 0.05 * (highest - lowest or 1.0)
    axes.set_ylim(lowest - margin * (share or form == "z"), highest + margin)
    if highest >= 1000:
        format_axis(axes)


# -- words ----------------------------------------------------------------------------------------------------------


def _make_handles(points: Sequence[Point], looks: Mapping[str, Look]) -> list[Artist]:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    named = [(look, plain(_shorten(model))) for model, look in looks.items() if look != FURTHER]
    if len(named) < len(looks):
        named.append((FURTHER, f"{len(looks) - len(named)} further models"))
    handles: list[Artist] = [
        Line2D([], [], ls="", marker=look.marker, color=look.colour, mfc=look.face, ms=5.5, label=label)
        for look, label in named
    ]
    handles.append(Line2D([], [], color=CHANCE, lw=1.6, label="random ranker"))
    drawn = {baseline for point in points for baseline in point.baselines}
    handles += [
        Line2D([], [], lw=1.3, label=f"{baseline} baseline", **look)
        for baseline, look in BASELINE_LOOKS.items()
        if baseline in drawn
    ]
    if any(point.adjusted.z is not None for point in points):
        label = f"worse than random; z within ±{INSIGNIFICANT}"
        handles.append(Patch(color=CHANCE, alpha=0.16, lw=0, label=label))
    return handles


def _fit(labels: Sequence[str], width: float) -> int:
    """Return how many columns of a legend, which is filled column by column, fit into a width in inches."""
    widths = np.array([estimate_width(label) for label in labels])
    for columns in range(len(labels), 1, -1):
        # Beside its widest label a column has its signs and gaps.
        if sum(0.6 + part.max() for part in np.array_split(widths, columns)) <= width:
            return columns
    return 1


def _shorten(label: str) -> str:
    return label if len(label) <= 34 else f"{label[:33]}…"


def _name_panel(metric: Metric, form: str) -> str:
    name = metric.label if form == "value" else metric.name_of(form)
    title = {"value": "as published", "index": "adjusted for chance", "z": "z-score"}[form]
    return f"{title}: {name or metric.label}"


def _count_undefined(points: Sequence[Point], form: str) -> str:
    """Say under a panel's title how many values it lacks; nothing if it has all."""
    lacking = sum(getattr(point.adjusted, form) is None for point in points)
    return f"\n{lacking} of {len(points)} undefined" if lacking else ""


def _name_form(metric: Metric, form: str) -> str:
    if form == "index":
        return "index (0 random, 1 perfect)"
    if form == "z":
        return "z (sd better than random)"
    unit = "ranks, " if metric.lower == 1 else ""
    return f"{metric.label} ({unit}{'higher' if metric.increasing else 'lower'} is better)"


def _name_axis(points: Sequence[Point]) -> str:
    """Say how datasets are ordered, and what all columns have in common."""
    common = find_common(points)
    # What most tables have in common goes without saying where it is not all the table has.
    named = {each for point in points for each in point.place.words} - set(common)
    usual = [each for each in ("test", "both") if each in named]
    said = ["both sides" if each == "both" else f"{each} side" if each in SIDES else each for each in common]
    said += [f"{'both sides' if each == 'both' else each} unless named" for each in usual]
    name = "datasets by mean number of candidates (in brackets), ascending"
    return f"{name}; {', '.join(said)}" if said else name


def _tell(shown: Sequence[Metric], points: Sequence[Point], layout: Layout) -> tuple[str, str]:
    """Return title and description for those who cannot see the picture."""
    names = ", ".join(metric.label for metric in shown)
    told = [
        f"Panels with the values as published, the adjusted index and the z-score of {len(points)} results on "
        f"{len(layout.columns)} datasets, by mean number of candidates: "
        f"{', '.join(f'{column.label} ({column.size})' for column in layout.columns.values())}.",
        f"Models: {', '.join(dict.fromkeys(point.model for point in points))}.",
    ]
    for metric in shown:
        of_metric = [point for point in points if point.metric == metric]
        spans = []
        for form in FORMS:
            values = [value for point in of_metric if (value := getattr(point.adjusted, form)) is not None]
            if values:
                title = metric.label if form == "value" else metric.name_of(form) or f"{form} of {metric.label}"
                undefined = _count_undefined(of_metric, form).replace("\n", ", ")
                spans.append(f"{title} {show_number(min(values))} to {show_number(max(values))}{undefined}")
        scores = [abs(point.adjusted.z) for point in of_metric if point.adjusted.z is not None]
        close = sum(score < INSIGNIFICANT for score in scores)
        told.append(f"{'; '.join(spans)}; {close} of {len(scores)} within {INSIGNIFICANT} sd of chance.")
        for baseline in BASELINE_LOOKS:
            held = [point for point in of_metric if baseline in point.baselines]
            if held:
                ends = [(*point.adjusted.value_interval, point.baselines[baseline]) for point in held]
                below = sum(high < level if metric.increasing else low > level for low, high, level in ends)
                told.append(f"{below} of {len(held)} are worse than the {baseline} baseline.")
    return f"{names} as published and adjusted for chance", " ".join(told)


# -- results in order -------------------------------------------------------------------------------------------------


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
            _draw_order(axes, each)
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


def _draw_order(axes: Axes, each: Standings) -> None:
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
