"""From figures to files: valid, the same in every run, with words for those who cannot see them."""

from __future__ import annotations

import itertools
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import pytest

from rankconst.errors import UsageError
from rankconst.plots.style import COLOURS, SUFFIXES, apply_style, render_figure

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.figure import Figure

needs_matplotlib = pytest.mark.skipif(
    find_spec("matplotlib") is None, reason="the extra rankconst[plot] is not installed"
)

SVG = "{http://www.w3.org/2000/svg}"

DRAW = """
import sys
from rankconst.plots.style import apply_style, describe, render_figure
with apply_style():
    from matplotlib.figure import Figure
    figure = Figure(figsize=(2, 2), layout="constrained")
    axes = figure.subplots()
    axes.errorbar([1, 2], [1, 2], yerr=[0.1, 0.2], fmt="o", label="RotatE < & >")
    axes.fill_between([1, 2], 0, 1, alpha=0.2)
    figure.legend(loc="outside lower center")
    describe(figure, "A title & more", "Two points < three.")
assert "matplotlib.pyplot" not in sys.modules
"""


def make_figure() -> Figure:
    scope: dict[str, Any] = {}
    exec(DRAW.replace('assert "matplotlib.pyplot" not in sys.modules', ""), scope)  # noqa: S102 - the text above
    figure: Figure = scope["figure"]
    return figure


@pytest.mark.slow
@needs_matplotlib
def test_files_have_title_description_and_text() -> None:
    svg, png, pdf = files = [render_figure(make_figure(), suffix) for suffix in SUFFIXES]
    root = ET.fromstring(svg)  # noqa: S314 - our own
    assert root.findtext(f"{SVG}title") == "A title & more"
    assert root.findtext(f"{SVG}desc") == "Two points < three."
    assert "RotatE < & >" in ["".join(each.itertext()).strip() for each in root.iter(f"{SVG}text")]
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    assert b"Title\x00A title & more" in png
    assert b"Description\x00Two points < three." in png
    assert pdf.startswith(b"%PDF-")
    assert b"/Title (A title & more)" in pdf
    assert b"/CreationDate" not in pdf
    # The same picture, the same bytes.
    assert files == [render_figure(make_figure(), suffix) for suffix in SUFFIXES]


@pytest.mark.slow
@needs_matplotlib
def test_same_bytes_in_another_process_whatever_the_hash_seed(tmp_path: Path) -> None:
    script = f"{DRAW}\nsys.stdout.buffer.write(render_figure(figure, '.svg'))"
    written = subprocess.run(
        [sys.executable, "-W", "error", "-c", script],
        env={"PYTHONHASHSEED": "2", "MPLCONFIGDIR": str(tmp_path), "PATH": "", "HOME": str(tmp_path)},
        check=True,
        capture_output=True,
    ).stdout
    assert written == render_figure(make_figure(), ".svg")


@needs_matplotlib
@pytest.mark.parametrize("epoch", ["x", "9" * 30, "-1e9"])
def test_a_date_that_is_none_is_said(epoch: str, monkeypatch: pytest.MonkeyPatch) -> None:
    figure = make_figure()
    monkeypatch.setenv("SOURCE_DATE_EPOCH", epoch)
    for suffix in SUFFIXES:
        with pytest.raises(UsageError, match="SOURCE_DATE_EPOCH is not a number of seconds"):
            render_figure(figure, suffix)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    assert render_figure(figure, ".svg")


def test_style_leaves_no_trace() -> None:
    import matplotlib as mpl

    before = dict(mpl.rcParams)
    with mpl.rc_context({"font.size": 33.0}):
        with apply_style():
            assert mpl.rcParams["font.size"] == 9.0
            assert mpl.rcParams["svg.fonttype"] == "none"
        assert mpl.rcParams["font.size"] == 33.0
    assert dict(mpl.rcParams) == before


def _linear(channel: float) -> float:
    return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4


# Machado, Oliveira and Fernandes 2009, A Physiologically-based Model for Simulation of Color Vision Deficiency,
# severity 1.0, on linear RGB.
DEFICIENCIES = {
    "none": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protan": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deutan": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
}


def _lab(colour: str, matrix: tuple[tuple[float, ...], ...]) -> tuple[float, float, float]:
    """Return CIE L*a*b* (D65) of a colour as seen."""
    rgb = [_linear(int(colour[start : start + 2], 16) / 255) for start in (1, 3, 5)]
    seen = [min(max(sum(w * c for w, c in zip(row, rgb, strict=True)), 0.0), 1.0) for row in matrix]
    to_xyz = ((0.4124564, 0.3575761, 0.1804375), (0.2126729, 0.7151522, 0.0721750), (0.0193339, 0.1191920, 0.9503041))
    white = (0.95047, 1.0, 1.08883)
    x, y, z = (
        t ** (1 / 3)
        if (t := sum(w * c for w, c in zip(row, seen, strict=True)) / of) > 0.008856
        else 7.787 * t + 16 / 116
        for row, of in zip(to_xyz, white, strict=True)
    )
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


@pytest.mark.parametrize("deficiency", DEFICIENCIES)
def test_colours_differ_for_every_kind_of_vision(deficiency: str) -> None:
    """A difference of 10 in L*a*b* is seen at a glance; markers differ beside."""
    seen = [_lab(colour, DEFICIENCIES[deficiency]) for colour in COLOURS]
    for (one, first), (other, second) in itertools.combinations(zip(COLOURS, seen, strict=True), 2):
        distance = sum((a - b) ** 2 for a, b in zip(first, second, strict=True)) ** 0.5
        assert distance > 10, (one, other)


@pytest.mark.slow
def test_a_variable_that_matplotlib_refuses(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "rankconst", "adjust", "0.3", "-d", "nations", "-m", "mrr", "--out", "a.svg"]
    environment = {**os.environ, "MPLBACKEND": "nonsense"}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert re.search(
        r"^error: matplotlib does not start: .*'nonsense'.* unset MPLBACKEND.*\n\Z", done.stderr, re.MULTILINE
    )
