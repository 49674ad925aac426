"""What a random ranker gets on one dataset, and published values."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rankconst.errors import UndefinedError, UsageError
from rankconst.plots.density import compute_density
from rankconst.plots.style import BASELINE_LOOKS, CHANCE, COLOURS, MARKERS, apply_style, describe, format_axis, plain
from rankconst.values.published import parse_value, show_number, show_uncertain
from rankconst.values.significance import compute_significance, show_probability

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from rankconst.plots.density import Density
    from rankconst.values.affine import Adjusted
    from rankconst.values.constants import Constants
    from rankconst.values.published import Published


# So many values fit into one picture, with a row each.
MOST_VALUES = 20

# Standard deviations to either side that are always drawn, and up to which values widen the view.
_ALWAYS, _AT_MOST = 4.5, 12.0
_NEAR = "#e8e8e8"


@dataclass(frozen=True, slots=True)
class _Mark:
    """A published value with its look and what is said of it."""

    label: str
    text: str
    colour: str
    marker: str
    adjusted: Adjusted
    caption: str


def plot_distribution(
    constants: Constants,
    values: Sequence[tuple[str, Published]] = (),
    *,
    title: str | None = None,
    levels: Mapping[str, float] | None = None,
) -> Figure:
    """Draw how a random ranker's values are distributed, and published values, as pairs of a label and a value.

    The upper panel shows the law, the lower one has a row for each value. If a value is far from chance, the lower
    panel has an axis of its own, and lines show where in it the upper one lies. `levels` are what further baselines are
    expected to get: lines in the lower panel.
    """
    if len(values) > MOST_VALUES:
        raise UsageError(f"{len(values)} values are too many for one picture: at most {MOST_VALUES} can be read.")
    with apply_style():
        from matplotlib.figure import Figure

        marks = [_mark(constants, place, *value) for place, value in enumerate(values)]
        known = levels or {}
        expectation, deviation = constants.expectation, math.sqrt(constants.variance)
        # Those so far away that they would flatten the law are not drawn next to it.
        near = [mark for mark in marks if abs(mark.adjusted.value - expectation) <= _AT_MOST * deviation]
        far = [mark for mark in marks if mark not in near]
        seen = [mark.adjusted.value for mark in near]
        density = compute_density(
            constants,
            min([expectation - _ALWAYS * deviation, *(value - deviation for value in seen)]),
            max([expectation + _ALWAYS * deviation, *(value + deviation for value in seen)]),
        )
        rows, lower = 0.24 * len(marks) + 0.35, bool(marks or known)
        apart = bool(far) or not all(density.edges[0] < level < density.edges[-1] for level in known.values())
        figure = Figure(figsize=(7.2, 2.9 + (rows + 0.4 * apart) * lower), layout="constrained")
        ratios = [2.2, rows] if lower else [1.0]
        panels = figure.subplots(len(ratios), 1, squeeze=False, height_ratios=ratios, sharex=not apart)[:, 0]
        _draw_law(panels[0], constants, density)
        for mark in near:
            panels[0].axvline(mark.adjusted.value, color=mark.colour, lw=1.4, zorder=3)
            panels[0].axvspan(*mark.adjusted.value_interval, color=mark.colour, alpha=0.25, lw=0)
        if lower:
            _draw_rows(panels[1], constants, marks, known)
        if far:
            _point_at(panels[0], far, expectation)
        if apart:
            _connect(panels[0], panels[1])
            # The engine is the constrained one that the figure was made with.
            figure.get_layout_engine().set(hspace=0.12)  # type: ignore[union-attr, call-arg]
        metric = constants.metric
        unit = " (ranks)" if metric.lower == 1 else ""
        panels[-1].set_xlabel(f"{metric.label}{unit}, {'higher' if metric.increasing else 'lower'} is better")
        name = title or constants.tasks.dataset
        panels[0].set_title(plain(f"{metric.label} of a random ranker: {name}, {constants.tasks.describe()}"))
        figure.legend(loc="outside lower center", ncols=4 if len(known) < 2 else 3)
        told = _tell(constants, marks, density, known)
        describe(figure, f"{metric.label} of a random ranker on {name}", told)
    return figure


def _mark(constants: Constants, place: int, label: str, published: Published) -> _Mark:
    adjusted = constants.adjust(published)
    caption = ""
    if adjusted.z is not None and adjusted.z_interval is not None:
        caption = f"z = {show_uncertain(adjusted.z, adjusted.z_interval, 3, ends_only=True)}"
        try:
            found = compute_significance(constants.metric, constants.histogram, adjusted.value, adjusted.value_interval)
        except UndefinedError:
            pass
        else:
            caption += f", p = {show_probability(found.log10, found.interval)}"
    colour, marker = COLOURS[place % len(COLOURS)], MARKERS[place % len(MARKERS)]
    caption = caption.replace("\N{EN DASH}", " to ").replace("-", "\N{MINUS SIGN}")
    return _Mark(label, _write_value(published), colour, marker, adjusted, caption)


def _write_value(published: Published) -> str:
    """Return a value as it was written, or a percentage as the share that the axis shows."""
    text = published.text.strip()
    plain = "%" not in text and parse_value(text).value == published.value
    return text if plain else show_number(published.value)


def _draw_law(axes: Axes, constants: Constants, density: Density) -> None:
    expectation, deviation = constants.expectation, math.sqrt(constants.variance)
    law = "random ranker" if density.exact else "random ranker (normal law)"
    axes.axvspan(expectation - 2 * deviation, expectation + 2 * deviation, color=_NEAR, lw=0, label="±2 sd", zorder=0)
    # Wide cells hold more: what is drawn is a density where there is more than one value to a cell.
    width = np.diff(density.edges)
    heights = density.probabilities if density.single else density.probabilities * deviation / width
    axes.stairs(heights, density.edges, fill=True, color=CHANCE, alpha=0.45, lw=0, label=law)
    axes.stairs(heights, density.edges, color=CHANCE, lw=1.0)
    mean = f"expectation {show_number(expectation)}, sd {show_number(deviation, 3)}"
    axes.axvline(expectation, color="#333333", lw=1.2, ls="--", label=mean)
    axes.set_xlim(density.edges[0], density.edges[-1])
    axes.set_ylim(0, 1.12 * heights.max())
    axes.set_ylabel("probability of each value" if density.single else "density (per sd)")
    format_axis(axes, "x")
    axes.xaxis.set_tick_params(labelbottom=True)


def _draw_rows(axes: Axes, constants: Constants, marks: Sequence[_Mark], levels: Mapping[str, float]) -> None:
    expectation, deviation = constants.expectation, math.sqrt(constants.variance)
    axes.axvspan(expectation - 2 * deviation, expectation + 2 * deviation, color=_NEAR, lw=0, zorder=0)
    axes.axvline(expectation, color="#333333", lw=1.2, ls="--")
    for baseline, level in levels.items():
        axes.axvline(level, lw=1.3, label=f"{baseline} baseline {show_number(level)}", **BASELINE_LOOKS[baseline])
    for row, mark in enumerate(marks):
        value, (lower, upper) = mark.adjusted.value, mark.adjusted.value_interval
        # A value that is possible only as a rounded one, such as an MRR of 0, lies outside its interval.
        axes.plot(value, row, color=mark.colour, marker=mark.marker, markersize=5.5, ls="none")
        axes.errorbar((lower + upper) / 2, row, xerr=(upper - lower) / 2, fmt="none", ecolor=mark.colour, capsize=2.5)
        axes.annotate(
            mark.caption,
            (1.0, row),
            xytext=(6, 0),
            xycoords=("axes fraction", "data"),
            textcoords="offset points",
            va="center",
            fontsize=8.5,
        )
    labels = [plain(f"{mark.label}  {mark.text}" if mark.label else mark.text) for mark in marks]
    axes.set_yticks(range(len(marks)), labels)
    axes.set_ylim(max(len(marks), 1) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="y")
    format_axis(axes, "x")


def _point_at(axes: Axes, far: Sequence[_Mark], expectation: float) -> None:
    """Name the values beyond the edges of the law's panel."""
    for right in (False, True):
        beyond = [mark for mark in far if (mark.adjusted.value > expectation) == right]
        for row, mark in enumerate(beyond[:4]):
            more = len(beyond) - 3
            last = row == 3 and more > 1
            text = (
                f"and {more} more" if last else f"{plain(mark.label or mark.text)}: {abs(mark.adjusted.z):,.0f} sd away"
            )
            axes.annotate(
                f"{text} \N{RIGHTWARDS ARROW}" if right else f"\N{LEFTWARDS ARROW} {text}",
                (1.0 if right else 0.0, 0.93 - 0.11 * row),
                xytext=(-4 if right else 4, 0),
                xycoords="axes fraction",
                textcoords="offset points",
                ha="right" if right else "left",
                va="center",
                color=CHANCE if last else mark.colour,
                fontsize=8.5,
                bbox={"facecolor": "white", "alpha": 0.85, "edgecolor": "none", "pad": 1.0},
                zorder=4,
            )


def _connect(upper: Axes, lower: Axes) -> None:
    """Show where in the lower panel the upper one lies."""
    from matplotlib.patches import ConnectionPatch

    ends = upper.get_xlim()
    lower.update_datalim([(end, 0.0) for end in ends], updatey=False)
    lower.autoscale_view(scaley=False)
    for fraction, end in zip((0.0, 1.0), ends, strict=True):
        line = ConnectionPatch(
            (fraction, -0.15),
            (end, 1.0),
            coordsA=upper.transAxes,
            coordsB=lower.get_xaxis_transform(),
            color=CHANCE,
            lw=0.7,
        )
        line.set_in_layout(False)
        upper.figure.add_artist(line)


def _tell(constants: Constants, marks: Sequence[_Mark], density: Density, levels: Mapping[str, float]) -> str:
    """Describe the picture for those who cannot see it."""
    law = "its exact law" if density.exact else "a normal law in place of its own"
    told = [
        f"The distribution of {constants.metric.label} of a random ranker on {constants.tasks.dataset} "
        f"({constants.num_tasks:,} tasks), by {law}: expectation {show_number(constants.expectation)}, standard "
        f"deviation {show_number(math.sqrt(constants.variance), 3)}."
    ]
    told += [f"The {baseline} baseline is expected to get {show_number(level)}." for baseline, level in levels.items()]
    told += [f"{mark.label or 'A value'}: {mark.text}, {mark.caption}." for mark in marks]
    return " ".join(told)
