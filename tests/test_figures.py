"""Pictures: what they show is asked of their own artists; files are valid, and the same in every
run.
"""

from __future__ import annotations

import itertools
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest

import rankconst
from carried import open_once
from cases import choose
from rankconst.catalogue.metrics import parse_metric
from rankconst.errors import DataError, UsageError
from rankconst.figures import (
    FORMS,
    MOST_RESULTS,
    SUFFIXES,
    apply_style,
    choose_look,
    describe,
    draw_results,
    render_figure,
)
from rankconst.results.adjusted import AdjustedReading
from rankconst.results.formats import read_document
from rankconst.values.published import parse_value

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


needs_matplotlib = pytest.mark.skipif(
    find_spec("matplotlib") is None, reason="the extra rankconst[plot] is not installed"
)

SVG = "{http://www.w3.org/2000/svg}"

# Sun et al. 2019, RotatE, arXiv:1902.10197, table 5.
SUN = {
    "dataset": ["WN18RR", "WN18RR", "FB15k-237", "FB15k-237"],
    "model": ["TransE", "RotatE", "TransE", "RotatE"],
    "MRR": ["0.226", "0.476", "0.294", "0.338"],
    "MR": ["3384", "3340", "357", "177"],
}


def adjust(table: dict[str, list[str]]) -> AdjustedReading:
    reading = read_document("results.csv", pd.DataFrame(table).to_csv(index=False))
    adjusted: AdjustedReading = rankconst.adjust(
        reading, baseline="counting", tables=open_once()
    ).numbers
    return adjusted


def list_points(axes: Axes) -> list[tuple[str, str, float]]:
    """Return dataset, model and height of what a panel shows."""
    figure = axes.get_figure()
    assert figure is not None
    names = [label.get_text().rpartition(" (")[0] for label in figure.axes[-1].get_xticklabels()]
    points = []
    for line in axes.lines:
        if line.get_marker() != "None":
            (x,), (y,) = np.asarray(line.get_xdata()), np.asarray(line.get_ydata())
            nearest = int(np.argmin(np.abs(np.asarray(axes.get_xticks()) - x)))
            points.append((names[nearest], str(line.get_label()), float(y)))
    return sorted(points)


@needs_matplotlib
def test_points_are_the_numbers() -> None:
    figure = draw_results(adjust(SUN), [parse_metric("mrr"), parse_metric("mr")])
    index_names = {"MRR": "AMRR", "MR": "AMRI"}
    panels = itertools.product(index_names, FORMS)
    for (name, form), axes in zip(panels, figure.axes, strict=True):
        expected: list[Any] = []
        for dataset, model, text in zip(SUN["dataset"], SUN["model"], SUN[name], strict=True):
            baseline = "counting" if form == "skill" else "uniform"
            constants = open_once().constants(dataset, name, baseline=baseline)
            adjusted = constants.adjust(parse_value(text))
            height = pytest.approx(adjusted.value if form == "value" else adjusted.index)
            expected.append((constants.tasks.dataset, model, height))
        assert list_points(axes) == sorted(expected, key=lambda point: point[:2])
        names = {"value": name, "index": index_names[name], "skill": f"{name} skill"}
        assert axes.get_title(loc="left") == f"{FORMS[form]}: {names[form]}"


@needs_matplotlib
def test_results_are_centred_in_their_column() -> None:
    value, *_ = draw_results(adjust(SUN), [parse_metric("mrr")]).axes
    marked = [line for line in value.lines if line.get_marker() != "None"]
    places = np.sort([float(np.asarray(line.get_xdata())[0]) for line in marked]).reshape(2, 2)
    assert places.mean(axis=1).tolist() == np.asarray(value.get_xticks()).tolist()
    assert np.ptp(places, axis=1).tolist() == [1, 1]
    assert value.get_yscale() == "linear"
    assert draw_results(adjust(SUN), [parse_metric("mr")]).axes[0].get_yscale() == "log"


@needs_matplotlib
def test_chance_and_counting_are_marked() -> None:
    value, index, skill = draw_results(adjust(SUN), [parse_metric("mrr")]).axes
    segments = [
        np.asarray(segment)
        for each in value.collections
        for segment in getattr(each, "get_segments", list)()
    ]
    levels = [each[0, 1] for each in segments if np.ptp(each[:, 1]) == 0]
    for key, baseline in itertools.product(("fb15k237", "wn18rr"), ("uniform", "counting")):
        expected = open_once().constants(key, "mrr", baseline=baseline).expectation
        assert pytest.approx(expected) in levels
    for axes in (index, skill):
        assert any(set(np.asarray(line.get_ydata()).tolist()) == {0.0} for line in axes.lines)


@needs_matplotlib
def test_datasets_are_in_the_order_of_their_size_with_what_is_unusual_of_their_tasks() -> None:
    table = {
        "dataset": ["kinships", "nations", "nations"],
        "split": ["test", "test", "valid"],
        "MRR": ["0.5"] * 3,
    }
    figure = draw_results(adjust(table), titles={"nations": "Nations"})
    labels = [label.get_text() for label in figure.axes[-1].get_xticklabels()]
    assert labels == ["Nations (8)", "Nations, valid (8)", "kinships (94)"]
    title, _, description = str(figure.get_label()).partition("\n")
    assert title == "MRR as published and adjusted for chance"
    assert description.startswith("3 results on 3 datasets (")


@needs_matplotlib
def test_what_cannot_be_drawn_is_refused() -> None:
    mrr, hits, names = parse_metric("mrr"), parse_metric("hits@10"), ["nations"]
    many = {"dataset": names * (MOST_RESULTS + 1), "MRR": ["0.5"] * (MOST_RESULTS + 1)}
    for table, metrics, error, message in (
        (SUN, [hits], DataError, "has no value to draw"),
        (SUN, [mrr, hits], DataError, "has no value of Hits@10 that could be adjusted"),
        (many, None, UsageError, "301 results are too many for one picture.*--metric mrr"),
    ):
        with pytest.raises(error, match=message):
            draw_results(adjust(table), metrics)


@needs_matplotlib
def test_undefined_numbers_are_counted() -> None:
    """Hits@50 on Nations: every ranker hits, so there is no index."""
    table = {"dataset": ["nations", "kinships"], "Hits@50": ["1", "0.9"]}
    titles = [axes.get_title(loc="left") for axes in draw_results(adjust(table)).axes]
    assert ["1 of 2 undefined" in title for title in titles] == [False, True, True]


@needs_matplotlib
def test_names_are_no_markup() -> None:
    names = ["a$b", "$\\frac$", "_hidden", "p<RotatE&"]
    figure = draw_results(adjust({"dataset": ["nations"] * 4, "model": names, "MRR": ["0.5"] * 4}))
    assert b"p&lt;RotatE&amp;" in render_figure(figure, ".svg")
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert labels[:4] == ["a\\$b", "\\$\\frac\\$", " _hidden", "p<RotatE&"]


@pytest.mark.slow
@needs_matplotlib
@pytest.mark.parametrize(
    ("models", "datasets"), choose([(2, 6), (40, 1)], [(2, 6), (40, 1), (40, 6)])
)
def test_nothing_leaves_the_picture(models: int, datasets: int) -> None:
    keys = ["nations", "umls", "kinships", "fb15k237", "wn18rr", "wn18"][:datasets]
    names = [f"a model with a long name, {place}" for place in range(models)]
    table = {
        "dataset": [key for key in keys for _ in names],
        "model": names * datasets,
        "MRR": ["0.5"] * (models * datasets),
    }
    figure = draw_results(adjust(table))
    figure.draw_without_rendering()
    legend = figure.legends[0].get_window_extent()
    assert figure.bbox.x0 - 1 <= legend.x0
    assert legend.x1 <= figure.bbox.x1 + 1
    assert legend.y0 >= figure.bbox.y0 - 1
    boxes = [axes.get_tightbbox() for axes in figure.axes]
    assert all(box is not None and box.y0 >= legend.y1 - 1 for box in boxes)


def test_models_have_signs_of_their_own() -> None:
    looks = [choose_look(number) for number in range(100)]
    assert len({(look["color"], look["marker"]) for look in looks}) == 100


def make_figure() -> Figure:
    with apply_style():
        from matplotlib.figure import Figure

        figure = Figure(figsize=(2, 2), layout="constrained")
        axes = figure.subplots()
        axes.errorbar([1, 2], [1, 2], yerr=[0.1, 0.2], fmt="o", label="RotatE < & >")
        axes.fill_between([1, 2], 0, 1, alpha=0.2)
        figure.legend(loc="outside lower center")
        describe(figure, "A title & more", "Two points < three.")
    return figure


@pytest.mark.slow
@needs_matplotlib
def test_files_have_title_description_and_text() -> None:
    figure = make_figure()
    svg, png, pdf = files = [render_figure(figure, suffix) for suffix in SUFFIXES]
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
    again = make_figure()
    assert files == [render_figure(again, suffix) for suffix in SUFFIXES]


def test_style_leaves_no_trace() -> None:
    import matplotlib as mpl

    before = dict(mpl.rcParams)
    with mpl.rc_context({"font.size": 33.0}):
        with apply_style():
            assert mpl.rcParams["font.size"] == 9.0
            assert mpl.rcParams["svg.fonttype"] == "none"
        assert mpl.rcParams["font.size"] == 33.0
    assert dict(mpl.rcParams) == before


@pytest.mark.slow
def test_a_variable_that_matplotlib_refuses(tmp_path: Path) -> None:
    adjust = ("adjust", "a.csv", "-d", "nations", "--out", "a.svg")
    command = [sys.executable, "-m", "rankconst", *adjust]
    (tmp_path / "a.csv").write_text("model,MRR\nA,0.5\n", encoding="utf-8")
    environment = {**os.environ, "MPLBACKEND": "nonsense"}
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert re.search(
        r"^error: matplotlib does not start: .*'nonsense'.* unset MPLBACKEND.*\n\Z",
        done.stderr,
        re.MULTILINE,
    )
