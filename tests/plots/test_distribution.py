"""Pictures of chance: the law, what is expected, and published values in their places."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

pytest.importorskip("matplotlib", reason="the extra rankconst[plot] is not installed")

from matplotlib.container import ErrorbarContainer
from matplotlib.patches import ConnectionPatch, StepPatch
from matplotlib.text import Annotation

import rankconst
from carried import open_once
from rankconst.errors import DataError, UndefinedError, UsageError
from rankconst.plots.distribution import MOST_VALUES, plot_distribution
from rankconst.plots.style import MARKERS, render_figure
from rankconst.values.published import parse_value

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from rankconst.values.constants import Constants


def look_up(dataset: str, metric: str, **where: Any) -> Constants:
    return open_once().constants(dataset, metric, **where)


def draw(constants: Constants, *values: str, **options: Any) -> Figure:
    parts = (value.rpartition("=") for value in values)
    return plot_distribution(constants, [(name, parse_value(text)) for name, _, text in parts], **options)


def law_of(axes: Axes) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    (filled,) = (each for each in axes.patches if isinstance(each, StepPatch) and each.get_fill())
    heights, edges, _ = filled.get_data()
    return np.asarray(heights), np.asarray(edges)


def bars_of(axes: Axes) -> list[tuple[float, float, float]]:
    """Return value and ends of each row, from the top."""
    values = [float(np.asarray(line.get_xdata())[0]) for line in axes.lines if line.get_marker() in MARKERS]
    found = []
    for value, container in zip(values, axes.containers, strict=True):
        assert isinstance(container, ErrorbarContainer)
        _, _, (bars,) = container.lines
        (segment,) = bars.get_segments()
        found.append((value, *np.asarray(segment)[:, 0].tolist()))
    return found


def texts_of(axes: Axes) -> list[str]:
    return [each.get_text() for each in axes.texts if isinstance(each, Annotation)]


def test_law_of_hits_is_drawn_as_probabilities_of_counts() -> None:
    """Of two tasks with 4 candidates, Hits@1 is 0, 1/2 or 1 with 9/16, 6/16, 1/16."""
    (axes,) = draw(rankconst.from_counts([4, 4]).constants("hits@1")).axes
    heights, edges = law_of(axes)
    assert heights == pytest.approx([9 / 16, 6 / 16, 1 / 16])
    assert edges == pytest.approx([-0.25, 0.25, 0.75, 1.25])
    assert axes.get_ylabel() == "probability of each value"
    assert axes.get_xlabel() == "Hits@1, higher is better"


@pytest.mark.parametrize("metric", ["mrr", "mr", "hits@10", "median_rank"])
def test_expectation_and_band_are_those_of_the_tables(metric: str) -> None:
    constants = look_up("nations", metric)
    deviation = math.sqrt(constants.variance)
    (axes,) = draw(constants).axes
    (line,) = (each for each in axes.lines if each.get_linestyle() == "--")
    assert np.asarray(line.get_xdata()).tolist() == [constants.expectation] * 2
    band = next(each for each in axes.patches if each.get_label() == "±2 sd").get_extents()
    to_pixels = axes.transData.transform
    assert band.x0 == pytest.approx(to_pixels((constants.expectation - 2 * deviation, 0))[0])
    assert band.x1 == pytest.approx(to_pixels((constants.expectation + 2 * deviation, 0))[0])


def test_a_density_has_area_one() -> None:
    constants = look_up("fb15k237", "mrr")
    heights, edges = law_of(draw(constants).axes[0])
    assert float(np.dot(heights, np.diff(edges))) / math.sqrt(constants.variance) == pytest.approx(1.0, abs=1e-3)


def test_values_near_chance_are_in_both_panels() -> None:
    constants = look_up("nations", "hits@10")
    upper, lower = draw(constants, "ComplEx=0.9652", "TuckER=0.99").axes
    assert bars_of(lower) == [
        pytest.approx((0.9652, 0.96515, 0.96525)),
        pytest.approx((0.99, 0.985, 0.995)),
    ]
    solid = [np.asarray(line.get_xdata()).tolist() for line in upper.lines if line.get_linestyle() == "-"]
    assert solid == [[0.9652, 0.9652], [0.99, 0.99]]
    assert upper.get_xlim() == lower.get_xlim()
    assert [label.get_text() for label in lower.get_yticklabels()] == ["ComplEx  0.9652", "TuckER  0.99"]
    assert not texts_of(upper)
    title, _, description = str(upper.get_figure().get_label()).partition("\n")  # type: ignore[union-attr]  # a Figure
    assert title == "Hits@10 of a random ranker on nations"
    for said in ("402 tasks", "expectation 0.9469", "ComplEx: 0.9652, z = "):
        assert said in description


@pytest.mark.slow
def test_the_law_and_the_tasks_are_named() -> None:
    for metric, law in (("median_rank", "random ranker (normal law)"), ("mrr", "random ranker")):
        figure = draw(look_up("nations", metric, split="valid", side="head", protocol="pykeen"), title="Nations")
        assert law in [text.get_text() for text in figure.legends[0].get_texts()]
        titled = figure.axes[0].get_title(loc="left")
        assert titled.endswith(" of a random ranker: Nations, valid, head side, protocol pykeen")
    figure = draw(look_up("nations", "mrr"), "near=0.4", "far=0.9", "$x$=0.39")
    assert render_figure(figure, ".png").startswith(b"\x89PNG")


@pytest.mark.parametrize("text", ["0", "-0"])
def test_a_value_that_cannot_be_but_as_rounded_lies_beside_its_interval(text: str) -> None:
    constants = look_up("nations", "mrr")
    _, lower = draw(constants, text).axes
    assert bars_of(lower) == [pytest.approx((0.0, constants.worst, 0.5))]


def test_rows_tell_z_and_probability() -> None:
    constants = look_up("nations", "hits@10")
    _, lower = draw(constants, "ComplEx=0.97").axes
    (caption,) = texts_of(lower)
    found = re.fullmatch(r"z = 1\.7 to 2\.8, p = (\S+) to (\S+)", caption)
    assert found
    ends = [float(end.replace("\N{MINUS SIGN}", "-")) for end in found.groups()]
    interval = constants.significance("0.97").interval
    assert ends == pytest.approx([10.0**end for end in interval], rel=0.05)
    _, lower = draw(look_up("nations", "median_rank"), "2").axes
    assert all("p = " not in caption for caption in texts_of(lower))


@pytest.mark.slow
@pytest.mark.parametrize(("metric", "value", "arrow"), [("mrr", "0.338", "→"), ("mr", "177", "←")])
def test_values_far_away_leave_the_law_visible(metric: str, value: str, arrow: str) -> None:
    constants = look_up("fb15k237", metric)
    deviation = math.sqrt(constants.variance)
    figure = draw(constants, f"RotatE={value}")
    upper, lower = figure.axes
    left, right = upper.get_xlim()
    assert right - left < 12 * deviation
    z = constants.adjust(value).z
    (text,) = texts_of(upper)
    assert f"RotatE: {z:,.0f} sd away" in text
    assert arrow in text
    assert len([each for each in figure.artists if isinstance(each, ConnectionPatch)]) == 2
    ends = lower.get_xlim()
    assert ends[0] < min(left, float(value))
    assert ends[1] > max(right, float(value))


def test_many_values_far_away_are_summed_up() -> None:
    values = [f"m{place}=0.3{place}" for place in range(6)]
    upper, lower = draw(look_up("fb15k237", "hits@1"), *values).axes
    assert [text.split(":")[0].rstrip(" →") for text in texts_of(upper)] == ["m0", "m1", "m2", "and 3 more"]
    assert len(texts_of(lower)) == 6


def test_values_stand_as_they_were_written() -> None:
    _, lower = draw(look_up("nations", "hits@10"), "a=97.5%", "b=0.980", "0.99").axes
    assert [label.get_text() for label in lower.get_yticklabels()] == ["a  0.9750", "b  0.980", "0.99"]
    assert [bar[0] for bar in bars_of(lower)] == [0.975, 0.98, 0.99]


def test_refusals() -> None:
    constants = look_up("nations", "mrr")
    with pytest.raises(DataError, match="not a possible MRR on nations"):
        draw(constants, "1.2")
    with pytest.raises(UsageError, match=f"{MOST_VALUES + 1} values are too many"):
        draw(constants, *["0.5"] * (MOST_VALUES + 1))
    with pytest.raises(UndefinedError, match="no distribution to draw"):
        draw(rankconst.from_counts([1]).constants("mrr"))
