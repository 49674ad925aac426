"""Draw a table of results as published, adjusted for chance, and over the counting baseline.

The first two panels are Figure 1 of Hoyt et al. 2022 (arXiv:2203.07544) for any table. Matplotlib
is in the extra ``rankconst[plot]``, and is only imported to draw.
"""

from __future__ import annotations

import io
import itertools
from collections import Counter
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, NamedTuple
from xml.sax.saxutils import escape

from rankconst.catalogue.baselines import FLOOR
from rankconst.catalogue.protocols import DEFAULT_AGGREGATION
from rankconst.errors import DataError, MissingExtraError, UsageError, first_line
from rankconst.names import show_controls
from rankconst.results.reading import name_models
from rankconst.values.published import show_number

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from rankconst.catalogue.metrics import Metric
    from rankconst.results.adjusted import AdjustedReading
    from rankconst.tasks import Tasks
    from rankconst.values.affine import Adjusted
    from rankconst.values.constants import Constants

MOST_RESULTS = 300
"""How many results fit into one picture: more cannot be told apart, and take minutes to draw."""

COLOURS = (
    *("#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7"),
    *("#56b4e9", "#000000", "#882255", "#999933", "#332288"),
)
"""Ten colours that people with any kind of colour vision can tell apart.

Those of Okabe and Ito (2008, Color Universal Design) without yellow, which is lost on white, and
three of the muted scheme of Tol (2021, Colour Schemes, SRON/EPS/TN/09-002).
"""

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "p", "<", ">")
"""A marker for each colour, so that no picture depends on colour."""

CHANCE, FAINT = "#777777", "#dddddd"
"""The colours of what chance gets, and of lines that guide the eye."""

_CHANCE: dict[str, Any] = {"color": CHANCE, "lw": 1.6}
_COUNTING: dict[str, Any] = {"color": "#222222", "linestyle": "dashed", "lw": 1.3}

_STYLE = Path(__file__).with_suffix(".mplstyle")


# -- points ----------------------------------------------------------------------------------------

FORMS = {"value": "as published", "index": "adjusted for chance", "skill": f"over {FLOOR}"}
"""The panels, from left to right, and their titles."""


class Mark(NamedTuple):
    """A number as a panel shows it: its height, and the ends of its interval."""

    height: float
    lower: float
    upper: float


class Point(NamedTuple):
    """A result of a model, drawn as a point in the column of its dataset."""

    model: str
    metric: Metric
    column: str  # its dataset, with split and side unless they are the usual ones: "WN18RR, valid"
    constants: Constants
    counting: Constants | None  # of the counting baseline, where there are any
    marks: Mapping[str, Mark]  # by form; without those that are undefined


def collect_points(
    adjusted: AdjustedReading, metrics: Sequence[Metric] | None, titles: Mapping[str, str]
) -> list[Point]:
    """Return the results that could be adjusted, of some metrics or, if None, of all.

    A result without a model has the name of its file. DataError if there are none.
    """
    results = adjusted.entries
    over_counting = None
    if FLOOR in adjusted.against:
        over_counting = adjusted.against_baseline(FLOOR).entries

    models = name_models(adjusted.reading)
    points = []
    for index, result in enumerate(results):
        metric, constants = result.entry.metric, result.constants
        if constants is None or result.adjusted is None:
            continue
        if metrics is not None and metric not in metrics:
            continue

        marks = _list_marks(result.adjusted, value="value", index="index")
        counting = None
        if over_counting is not None:
            counting = over_counting[index].constants
            marks |= _list_marks(over_counting[index].adjusted, skill="index")

        point = Point(
            model=models[index] or PurePath(adjusted.reading.name).stem,
            metric=metric,
            column=_name_column(constants.tasks, result.entry.context.rank_type, titles),
            constants=constants,
            counting=counting,
            marks=marks,
        )
        points.append(point)

    if not points:
        reason = next((f" {result.note}" for result in results if result.note), "")
        raise DataError(f"{adjusted.reading.name} has no value to draw.{reason}")
    return points


def _name_column(tasks: Tasks, rank_type: str | None, titles: Mapping[str, str]) -> str:
    """Name the column of a result by its dataset and unusual tasks: "WN18RR, valid"."""
    names = [tasks.split, tasks.side, tasks.aggregation, rank_type or ""]
    usual = {"test", "both", DEFAULT_AGGREGATION, ""}
    unusual = [name for name in names if name not in usual]
    return ", ".join([titles.get(tasks.dataset, tasks.dataset), *unusual])


def _list_marks(numbers: Adjusted | None, **names: str) -> dict[str, Mark]:
    """Return the marks of a number's defined forms, given the attribute of each: skill="index"."""
    marks = {}
    for form, name in names.items():
        height = getattr(numbers, name, None)
        if height is not None:
            marks[form] = Mark(height, *getattr(numbers, f"{name}_interval"))
    return marks


def draw_results(
    adjusted: AdjustedReading,
    metrics: Iterable[Metric] | None = None,
    *,
    titles: Mapping[str, str] | None = None,
) -> Figure:
    """Draw the results of a table as published, adjusted for chance, and over counting.

    Datasets are on the x axis, by the mean number of candidates of their tasks. Bars show the
    effect of rounding.

    Parameters
    ----------
    adjusted
        The ``numbers`` of the result of :func:`rankconst.adjust` for a file, with
        ``baseline="counting"``. Without this baseline, the last panel is empty.
    metrics
        The metrics to draw; all if None.
    titles
        The names of datasets in the picture, by key.

    Returns
    -------
    matplotlib.figure.Figure
        Its ``savefig`` writes a file; in a notebook it shows itself.

    Raises
    ------
    DataError
        If a metric has no adjusted value.
    UsageError
        If there are too many results for one picture, or matplotlib does not start.
    MissingExtraError
        If matplotlib is not installed, the extra ``rankconst[plot]``.
    """
    only = None if metrics is None else tuple(dict.fromkeys(metrics))
    points = collect_points(adjusted, only, titles or {})
    chosen = only or tuple(dict.fromkeys(point.metric for point in points))
    drawn = {point.metric for point in points}
    lacking = [metric.label for metric in chosen if metric not in drawn]
    if lacking:
        raise DataError(
            f"{adjusted.reading.name} has no value of {', '.join(lacking)} that could be adjusted."
        )
    if len(points) > MOST_RESULTS:
        raise UsageError(
            f"{len(points):,} results are too many for one picture, "
            f"which has room for {MOST_RESULTS}. Choose a metric (--metric mrr), or leave out rows."
        )

    with apply_style():
        figure = _draw(chosen, points)
        names = ", ".join(metric.label for metric in chosen)
        title = f"{names} as published and adjusted for chance"
        describe(figure, title, _describe_points(chosen, points))

    return figure


# -- panels ----------------------------------------------------------------------------------------

# Widths in inches.
_RESULT = 0.11
_NARROWEST, _WIDEST = 2.6, 10.5  # of a panel
_SIDE_BY_SIDE = 3.6  # panels up to this width are next to each other


def _draw(metrics: Sequence[Metric], points: Sequence[Point]) -> Figure:
    """Return a figure with a panel for each metric and form."""
    from matplotlib.figure import Figure

    sizes = {point.column: point.constants.histogram.mean for point in points}
    spans = _arrange(points, sizes)
    end = max(span.stop for span in spans.values())
    width = min(max(_RESULT * end, _NARROWEST), _WIDEST)
    num_rows, num_columns = len(metrics), len(FORMS)
    if width > _SIDE_BY_SIDE:  # all panels below each other
        num_rows, num_columns = num_rows * num_columns, 1

    handles = _make_handles(points)
    # Widths and heights, in inches, are estimates that leave room for the letters.
    longest_label = max(len(str(handle.get_label())) for handle in handles)
    handle_width = 0.4 + 0.07 * longest_label
    room = int(num_columns * width / handle_width)
    handles_a_line = max(1, min(len(handles), room))
    legend_height = 1.1 + 0.19 * len(handles) / handles_a_line

    figsize = (num_columns * (width + 0.85), 2.2 * num_rows + legend_height)
    figure = Figure(figsize=figsize, layout="constrained")
    panels = figure.subplots(num_rows, num_columns, squeeze=False, sharex=True).ravel()
    centres = [(span.start + span.stop) / 2 for span in spans.values()]
    labels = [plain(f"{column} ({sizes[column]:,.0f})") for column in spans]
    for axes, (metric, form) in zip(panels, itertools.product(metrics, FORMS), strict=True):
        _draw_panel(axes, metric, form, points, spans)
        axes.set_xticks(centres, labels, rotation=30, ha="right", rotation_mode="anchor")
        axes.tick_params(axis="x", length=0)
        axes.set_xlim(0, end)

    title = "datasets by mean number of candidates (in brackets), ascending"
    figure.legend(handles=handles, loc="outside lower center", ncols=handles_a_line, title=title)
    return figure


class Span(NamedTuple):
    """The place of a column on the x axis: one unit for each result, and a half for each margin."""

    start: int
    stop: int


def _arrange(points: Sequence[Point], sizes: Mapping[str, float]) -> dict[str, Span]:
    """Return the place of each column, in the order of the mean number of candidates."""
    counts = Counter((point.column, point.metric) for point in points)
    spans, start = {}, 0
    for column in sorted(sizes, key=lambda column: (sizes[column], column)):
        most = max(count for (name, _), count in counts.items() if name == column)
        spans[column] = Span(start, start + 1 + most)
        start = spans[column].stop
    return spans


def _draw_panel(
    axes: Axes, metric: Metric, form: str, points: Sequence[Point], spans: Mapping[str, Span]
) -> None:
    """Draw one metric in one form."""
    results = [point for point in points if point.metric == metric]
    _draw_points(axes, results, form, _choose_looks(points), spans)
    for span in spans.values():
        axes.axvline(span.start, color=FAINT, lw=0.7, zorder=0)

    unit = "1 is perfect"
    if form == "value":
        title = metric.label
        better = "higher" if metric.increasing else "lower"
        unit = f"{metric.label} ({better} is better)"
        if metric.lower == 1:  # a mean of ranks, which differ by powers of ten
            axes.set_yscale("log")
        _draw_levels(axes, results, spans)
    elif form == "index":
        title = metric.name_of("index") or metric.label
        axes.axhline(0.0, zorder=1.5, **_CHANCE)
    else:
        title = f"{metric.label} skill"
        axes.axhline(0.0, zorder=1.5, **_COUNTING)

    undefined = sum(form not in point.marks for point in results)
    lacking = f"\n{undefined} of {len(results)} undefined" if undefined else ""
    axes.set_title(f"{FORMS[form]}: {title}{lacking}")
    axes.set_ylabel(unit)
    axes.grid(axis="y")
    format_axis(axes)


def _draw_points(
    axes: Axes,
    results: Sequence[Point],
    form: str,
    looks: Mapping[str, Look],
    spans: Mapping[str, Span],
) -> None:
    """Draw results in one form, centred in their columns and in the order of models."""
    order = list(looks)
    for column, span in spans.items():
        column_points = [point for point in results if point.column == column]
        column_points.sort(key=lambda point: order.index(point.model))
        # The mean of all x, which are 1 apart, is the middle of the column.
        first_x = (span.start + span.stop - len(column_points) + 1) / 2
        for step, point in enumerate(column_points):
            if form not in point.marks:
                continue

            x = first_x + step
            mark, look = point.marks[form], looks[point.model]
            axes.plot(x, mark.height, label=point.model, zorder=3, ms=5, **look)
            axes.vlines(x, mark.lower, mark.upper, colors=look["color"], lw=1.0, zorder=2.5)


def _draw_levels(axes: Axes, points: Sequence[Point], spans: Mapping[str, Span]) -> None:
    """Mark the values of chance and counting in each column."""
    for point in points:
        span = spans[point.column]
        for constants, look in ((point.constants, _CHANCE), (point.counting, _COUNTING)):
            if constants is not None:
                axes.hlines(
                    constants.expectation, span.start + 0.3, span.stop - 0.3, zorder=1.5, **look
                )


Look = dict[str, Any]
"""Colour, marker and fill of a model's points, as options of matplotlib."""


def choose_look(number: int) -> Look:
    """Choose the look of a model by its number. The first hundred differ."""
    turn, place = divmod(number, len(COLOURS))
    # Each turn moves the markers on by 3 of 10, so that a colour gets another one in each of ten
    # turns.
    colour, marker = COLOURS[place], MARKERS[(place + 3 * turn) % len(MARKERS)]
    inside = "white" if turn % 2 else colour
    return {"color": colour, "marker": marker, "mfc": inside}


def _choose_looks(points: Sequence[Point]) -> dict[str, Look]:
    """Return the look of each model."""
    models = dict.fromkeys(point.model for point in points)
    return {model: choose_look(number) for number, model in enumerate(models)}


def _make_handles(points: Sequence[Point]) -> list[Artist]:
    """Return the entries of the legend."""
    from matplotlib.lines import Line2D

    handles: list[Artist] = [
        Line2D([], [], ls="", ms=5.5, label=plain(model), **look)
        for model, look in _choose_looks(points).items()
    ]
    handles.append(Line2D([], [], label="random ranker", **_CHANCE))
    if any(point.counting is not None for point in points):
        handles.append(Line2D([], [], label=f"{FLOOR} baseline", **_COUNTING))

    return handles


def _describe_points(metrics: Sequence[Metric], points: Sequence[Point]) -> str:
    """Describe the picture for those who cannot see it."""
    columns = dict.fromkeys(point.column for point in points)
    models = ", ".join(dict.fromkeys(point.model for point in points))
    sentences = [
        f"{len(points)} results on {len(columns)} datasets ({', '.join(columns)}).",
        f"Models: {models}.",
    ]
    for metric, (form, title) in itertools.product(metrics, FORMS.items()):
        marks = [point.marks.get(form) for point in points if point.metric == metric]
        heights = [mark.height for mark in marks if mark is not None]
        if heights:
            lowest, highest = show_number(min(heights)), show_number(max(heights))
            sentences.append(f"{metric.label} {title}: {lowest} to {highest}.")

    return " ".join(sentences)


# -- style and files -------------------------------------------------------------------------------


def require_matplotlib() -> None:
    """Raise MissingExtraError, with the command to install it, if matplotlib is missing."""
    if find_spec("matplotlib") is None:
        raise MissingExtraError(
            "pictures need matplotlib, which is missing. Run: pip install 'rankconst[plot]'"
        )


@contextmanager
def apply_style() -> Iterator[None]:
    """Draw in the style of this package, and restore the user's style afterwards."""
    require_matplotlib()
    try:
        from matplotlib import style
    except (ValueError, OSError) as error:  # from its variables or its file of settings
        raise UsageError(
            f"matplotlib does not start: {first_line(error)[:200]}. "
            "Correct or unset MPLBACKEND and MATPLOTLIBRC."
        ) from error

    with style.context(["default", _STYLE]):
        yield


def describe(figure: Figure, title: str, description: str) -> None:
    """Give a picture a title and a description, which are written into its file."""
    figure.set_label(show_controls(f"{title}\n{description}"))


def format_axis(axes: Axes) -> None:
    """Write the numbers of the y axis in full: 1,000 rather than 10³."""
    from matplotlib.ticker import FuncFormatter

    axes.yaxis.set_major_formatter(
        FuncFormatter(lambda value, _: f"{value:,.10g}".replace("-", "\N{MINUS SIGN}"))
    )


def plain(text: str) -> str:
    """Escape a text so that matplotlib draws it as it is."""
    visible = show_controls(text).replace("$", r"\$")
    return f" {visible}" if visible.startswith("_") else visible


SUFFIXES: dict[str, tuple[str, dict[str, None]]] = {
    ".svg": ("Description", {"Date": None}),
    ".png": ("Description", {}),
    ".pdf": ("Subject", {"CreationDate": None}),
}
"""Ending of a file name to the key of a description in its metadata, and to further metadata.

Dates are None, so that equal pictures are equal files.
"""


def render_figure(figure: Figure, suffix: str) -> bytes:
    """Return a picture as the bytes of a file. Equal pictures give equal bytes."""
    title, _, description = str(figure.get_label()).partition("\n")
    about, more = SUFFIXES[suffix]
    buffer = io.BytesIO()
    with apply_style():
        figure.savefig(
            buffer,
            format=suffix[1:],
            metadata={"Title": title, about: description, **more},
            dpi=200,
        )

    if suffix != ".svg":
        return buffer.getvalue()

    # Readers of screens look for the description next to the title.
    title_element = f"<title>{escape(title)}</title>"
    with_description = f"{title_element}\n <desc>{escape(description)}</desc>"
    return buffer.getvalue().decode().replace(title_element, with_description, 1).encode()
