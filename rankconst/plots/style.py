"""How pictures look, and how they become the bytes of a file (needs matplotlib, the extra ``rankconst[plot]``)."""

from __future__ import annotations

import datetime as dt
import io
import os
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape

from rankconst.errors import MissingExtraError, UsageError, first_line
from rankconst.names import show_controls

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


# Ten colours that people with any kind of colour vision can tell apart: those of Okabe and Ito (2008, Color Universal
# Design) without yellow, which is lost on white, and three of the muted scheme of Tol (2021, Colour Schemes,
# SRON/EPS/TN/09-002).
COLOURS = ("#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9", "#000000", "#882255", "#999933", "#332288")

# One for each colour, so that no picture depends on colour.
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "p", "<", ">")

# The colours of chance, and of grids.
CHANCE = "#777777"
FAINT = "#dddddd"

# Of the baselines that know something of the training set.
BASELINE_LOOKS: dict[str, dict[str, Any]] = {
    "range": {"color": "#8a8a8a", "linestyle": "dotted"},
    "frequency": {"color": "#222222", "linestyle": "solid"},
    "inverse": {"color": "#222222", "linestyle": "dashdot"},
    "counting": {"color": "#222222", "linestyle": "dashed"},
}

_STYLE: dict[str, Any] = {
    "font.family": "sans-serif",
    "font.size": 9.0,
    "axes.axisbelow": True,
    "axes.edgecolor": "#444444",
    "axes.labelsize": 9.0,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 9.5,
    "axes.titleweight": "bold",
    "axes.unicode_minus": True,
    "figure.facecolor": "white",
    "grid.color": FAINT,
    "grid.linewidth": 0.7,
    "legend.fontsize": 8.5,
    "legend.frameon": False,
    "xtick.labelsize": 8.5,
    "ytick.labelsize": 8.5,
    # Text stays text, and nothing depends on the hour.
    "pdf.fonttype": 42,
    "svg.fonttype": "none",
    "svg.hashsalt": "rankconst",
}


def require_matplotlib() -> None:
    """Raise MissingExtraError, with the command that installs it, if matplotlib is missing; imports nothing."""
    if find_spec("matplotlib") is None:
        raise MissingExtraError("pictures need matplotlib, which is missing. Run: pip install 'rankconst[plot]'")


@contextmanager
def apply_style() -> Iterator[None]:
    """Draw in this package's style, whatever the user's own is; it is restored afterwards."""
    require_matplotlib()
    try:
        from matplotlib import style
    except (ValueError, OSError) as error:  # its variables and its own file of settings are read by the import
        raise UsageError(
            f"matplotlib does not start: {first_line(error)[:200]}. Correct or unset MPLBACKEND and MATPLOTLIBRC."
        ) from error

    with style.context(["default", _STYLE]):
        yield


def describe(figure: Figure, title: str, description: str) -> None:
    """Give a picture a title and a description for those who cannot see it; files carry both.

    A figure has one label, which nothing draws: its first line is the title.
    """
    figure.set_label(show_controls(f"{title}\n{description}"))


def format_axis(axes: Axes, ticks: str = "y") -> None:
    """Write the numbers of an axis, ``x`` or ``y``, in full: 1,000 rather than 10³."""
    from matplotlib.ticker import FuncFormatter

    getattr(axes, f"{ticks}axis").set_major_formatter(FuncFormatter(lambda value, _: _write(value)))


def _write(value: float) -> str:
    return f"{value:,.10g}".replace("-", "\N{MINUS SIGN}") if abs(value) < 1e7 else f"{value:g}"


def plain(text: str) -> str:
    """Return text for drawing as it is: dollar signs start no formula, and no leading underscore hides it."""
    return f"{' ' * text.startswith('_')}{show_controls(text)}".replace("$", r"\$")


def estimate_width(text: str) -> float:
    """Estimate the width of a text in inches, before it is drawn."""
    return 0.0083 * 8.5 * len(text)


def render_figure(figure: Figure, suffix: str) -> bytes:
    """Return a picture as the bytes of a file: the same picture, the same bytes."""
    try:  # matplotlib reads it, whatever the metadata say
        dt.datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH") or 0), dt.UTC)
    except (ValueError, OverflowError, OSError) as error:
        raise UsageError(f"SOURCE_DATE_EPOCH is not a number of seconds: {first_line(error)}. Unset it.") from error
    title, _, description = str(figure.get_label()).partition("\n")
    about, more = SUFFIXES[suffix]
    buffer = io.BytesIO()
    with apply_style():
        figure.savefig(buffer, format=suffix[1:], metadata={"Title": title, about: description, **more}, dpi=200)
    if suffix != ".svg":
        return buffer.getvalue()
    # Readers of screens look for the description next to the title.
    found = f"<title>{escape(title)}</title>"
    content = buffer.getvalue().decode().replace(found, f"{found}\n <desc>{escape(description)}</desc>", 1)
    return content.encode()


# Ending of a file name to what its metadata call a description, and what keeps the hour out of it.
SUFFIXES: dict[str, tuple[str, dict[str, None]]] = {
    ".svg": ("Description", {"Date": None}),
    ".png": ("Description", {}),
    ".pdf": ("Subject", {"CreationDate": None}),
}
