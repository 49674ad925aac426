"""Comparisons: what is drawn is asked of the figure's own artists."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

pytest.importorskip("matplotlib", reason="the extra rankconst[plot] is not installed")

from carried import open_once
from cases import mark_rest
from rankconst.catalogue.metrics import parse_metric
from rankconst.errors import DataError, UsageError
from rankconst.evaluation import Stated
from rankconst.plots.arrangement import FURTHER, MOST_MODELS, choose_looks, collect_points
from rankconst.plots.comparison import FORMS, find_further_models, plot_comparison, plot_standings
from rankconst.plots.style import render_figure
from rankconst.results.adjust import adjust_reading
from rankconst.results.reading import Entries, Entry, Reading
from rankconst.values.published import parse_value
from rankconst.values.standings import rank_models

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from rankconst.results.adjusted import AdjustedReading

# Sun et al. 2019, RotatE, arXiv:1902.10197, table 5.
SUN: tuple[dict[str, str], ...] = (
    {"dataset": "WN18RR", "model": "TransE", "MRR": "0.226", "MR": "3384"},
    {"dataset": "WN18RR", "model": "RotatE", "MRR": "0.476", "MR": "3340"},
    {"dataset": "FB15k-237", "model": "TransE", "MRR": "0.294", "MR": "357"},
    {"dataset": "FB15k-237", "model": "RotatE", "MRR": "0.338", "MR": "177"},
)


def adjust(rows: Iterable[Mapping[str, str]], *, exact: bool = False, **said: Any) -> AdjustedReading:
    """Adjust a wide table, as a reader would return it."""
    rows, entries = tuple(rows), []
    about = ("dataset", "model", "split", "side", "tool", "rank_type")
    for place, row in enumerate(rows):
        known: dict[str, Any] = {key: row.get(key) for key in about}
        context = Stated(**known)
        entries += [
            Entry(parse_metric(name), text, place, name, place + 2, context, exact=exact)
            for name, text in row.items()
            if name not in about and text
        ]
    reading = Reading("results.csv", "delimited", "wide", tuple(rows[0]), rows, Entries(entries))
    return adjust_reading(reading, open_once(), Stated(**said))


def panels(figure: Figure) -> list[Axes]:
    return list(figure.axes)


def draw(adjusted: AdjustedReading, *metrics: str, **options: Any) -> Figure:
    return plot_comparison(adjusted, [parse_metric(name) for name in metrics] or None, **options)


def offsets(axes: Axes) -> dict[str, list[tuple[float, float]]]:
    """Return what a panel shows: model to its points."""
    return {
        str(each.get_label()): [(float(x), float(y)) for x, y in np.asarray(each.get_offsets())]
        for each in axes.collections
        if not str(each.get_label()).startswith("_")
    }


def ticks(axes: Axes) -> list[str]:
    """Return the labels of the columns; they stand below the lowest panels only."""
    figure = axes.get_figure()
    assert figure is not None
    return [label.get_text() for label in figure.axes[-1].get_xticklabels()]


def column_of(axes: Axes, x: float) -> str:
    """Return the dataset whose column holds a place."""
    centres = axes.get_xticks()
    return ticks(axes)[int(np.argmin(np.abs(np.asarray(centres) - x)))].split("\n")[0]


GAPS = ({"dataset": "nations", "model": "A", "MRR": "0.43", "MR": ""}, {"dataset": "wn18rr", "MRR": "", "MR": "3340"})
SAME = tuple({"dataset": "fb15k237", "model": "TransE", "MRR": text, "MR": "99"} for text in ("0.294", "0.313", "0.31"))
WORSE = ({"dataset": "nations", "model": "m", "MRR": "0.35", "MR": "9"}, {"dataset": "wn18rr", "MRR": "0.4", "MR": "9"})


@pytest.mark.slow
@pytest.mark.parametrize("rows", [SUN, GAPS, SAME, WORSE])
def test_points_are_the_numbers(rows: tuple[dict[str, str], ...]) -> None:
    """In the column of its dataset, inside the picture, none upon another; models without a name are their file's."""
    adjusted = adjust(rows)
    figure = draw(adjusted, "mrr", "mr")
    for place, axes in enumerate(panels(figure)):
        form, label = FORMS[place % 3], ("MRR", "MR")[place // 3]
        drawn = sorted((model, column_of(axes, x), y) for model, points in offsets(axes).items() for x, y in points)
        expected = sorted(
            (each.entry.context.model or "results", each.constants.tasks.dataset, getattr(each.adjusted, form))
            for each in adjusted.entries
            if each.entry.metric.label == label and each.constants is not None
        )
        assert [point[:2] for point in drawn] == [point[:2] for point in expected]
        assert [point[2] for point in drawn] == pytest.approx([point[2] for point in expected])
        xs = [x for points in offsets(axes).values() for x, _ in points]
        assert len({*xs}) == len(xs)
        for tick in axes.get_xticks():  # around the middle of their column
            own = [x for x in xs if column_of(axes, x) == column_of(axes, tick)]
            assert not own or np.mean(own) == pytest.approx(tick)
        low, high = axes.get_ylim()
        assert all(low < y < high for _, _, y in drawn)
    if rows == SUN:
        scales = [axes.get_yscale() for axes in panels(figure)]
        assert scales == ["linear", "linear", "symlog", "log", "linear", "symlog"]
        titles = [f"{axes.get_title(loc='left')}, {axes.get_ylabel()}" for axes in panels(figure)]
        assert titles[1:4] == [
            "adjusted for chance: AMRR, index (0 random, 1 perfect)",
            "z-score: ZMRR, z (sd better than random)",
            "as published: MR, MR (ranks, lower is better)",
        ]


@pytest.mark.slow
@pytest.mark.parametrize("rows", [SUN, ({"dataset": "nations", "model": "RotatE", "MRR": "0"},)])
def test_bars_are_the_intervals_that_rounding_leaves(rows: tuple[dict[str, str], ...]) -> None:
    adjusted = adjust(rows)
    figure = draw(adjusted, "mrr")
    for form, axes in zip(FORMS, panels(figure), strict=True):
        bars = [
            np.asarray(segment)[:, 1]
            for container in axes.containers
            for lines in container.lines[2]  # type: ignore[attr-defined]
            for segment in lines.get_segments()
        ]
        intervals = [
            getattr(each.adjusted, f"{form}_interval") for each in adjusted.entries if each.entry.metric.label == "MRR"
        ]
        assert np.sort(bars, axis=0) == pytest.approx(np.sort(intervals, axis=0))
        if form == "value" and len(rows) > 1:
            assert np.min(bars, axis=0) == pytest.approx([0.2255, 0.2265])
    assert all(not axes.containers for axes in panels(draw(adjust(rows, exact=True))))


def test_datasets_stand_in_the_order_of_their_size_whatever_the_table() -> None:
    rows = [{"dataset": key, "model": "m", "MRR": "0.5"} for key in ("wn18rr", "nations", "fb15k237", "kinships")]
    for table in (rows, rows[::-1]):
        figure = draw(adjust(table), titles={"nations": "Nations"})
        for axes in panels(figure):
            assert ticks(axes) == ["Nations\n(8)", "kinships\n(94)", "fb15k237\n(14,306)", "wn18rr\n(40,928)"]
            assert list(axes.get_xticks()) == sorted(axes.get_xticks())
    said = "datasets by mean number of candidates (in brackets), ascending; test, both sides"
    assert figure.legends[0].get_title().get_text() == said


def test_chance_is_marked() -> None:
    adjusted = adjust([{"dataset": key, "model": "m", "MRR": "0.5", "MR": "2"} for key in ("nations", "kinships")])
    value, index, z, rank, *_ = panels(draw(adjusted, "mrr", "mr"))
    tables = open_once()
    for axes, metric in ((value, "mrr"), (rank, "mr")):
        marks = [
            float(np.asarray(segment)[0, 1])
            for each in axes.collections
            if hasattr(each, "get_segments")
            for segment in each.get_segments()
            if len({float(y) for y in np.asarray(segment)[:, 1]}) == 1
        ]
        for key in ("nations", "kinships"):
            assert any(mark == pytest.approx(tables.constants(key, metric).expectation) for mark in marks)
    for axes in (index, z):
        assert any(
            line.get_linestyle() == "--" and set(np.asarray(line.get_ydata()).tolist()) == {0.0} for line in axes.lines
        )
    (band,) = z.patches
    assert band.get_extents().y0 == pytest.approx(z.transData.transform((0.0, -1.96))[1])


def test_undefined_forms_are_left_out() -> None:
    """Hits@50 on Nations: every ranker hits, so there is neither index nor z."""
    rows = [
        {"dataset": "nations", "model": "m", "Hits@50": "1"},
        {"dataset": "kinships", "model": "m", "Hits@50": "0.9"},
    ]
    value, index, z = panels(draw(adjust(rows)))
    assert [len(next(iter(offsets(axes).values()))) for axes in (value, index, z)] == [2, 1, 1]
    titles = [axes.get_title(loc="left").partition("\n")[2] for axes in (value, index, z)]
    assert titles == ["", "1 of 2 undefined", "1 of 2 undefined"]


@pytest.mark.slow
def test_models_with_the_fewest_values_share_a_sign() -> None:
    rows = [
        {"dataset": dataset, "model": f"model {place}", "MRR": "0.3"}
        for place in range(25)
        for dataset in ("fb15k237", "wn18rr")[: 1 if place < 5 else 2]
    ]
    adjusted = adjust(rows)
    assert find_further_models(adjusted) == [f"model {place}" for place in range(5)]
    looks = [look for look in choose_looks(collect_points(adjusted, None)).values() if look != FURTHER]
    assert len({look[:2] for look in looks}) == MOST_MODELS
    assert all(len(set(parts)) == 10 for parts in list(zip(*looks[:10], strict=True))[:2])
    figure = draw(adjusted)
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert "5 further models" in labels
    assert "model 0" not in labels
    assert len(offsets(panels(figure)[0])) == 25
    assert "model 0" in str(figure.get_label())


def test_splits_sides_and_tie_policies_have_columns_of_their_own() -> None:
    rows = [
        {"dataset": "nations", "model": "m", "MRR": "0.5", "side": side, "split": split, "rank_type": kind}
        for side, split, kind in (
            ("both", "test", "realistic"),
            ("head", "test", "realistic"),
            ("both", "valid", "realistic"),
            ("both", "test", "optimistic"),
        )
    ]
    figure = draw(adjust(rows))
    names = {label.split(" (")[0].split("\n(")[0] for label in ticks(panels(figure)[0])}
    assert names == {
        "nations, realistic",
        "nations, head, realistic",
        "nations, valid, realistic",
        "nations, optimistic",
    }
    assert figure.legends[0].get_title().get_text().endswith("; test unless named, both sides unless named")


@pytest.mark.slow
def test_names_are_no_markup() -> None:
    rows = [{"dataset": "nations", "model": name, "MRR": "0.5"} for name in ("a$b", "$\\frac$", "_hidden", "p<RotatE&")]
    figure = draw(adjust(rows))
    assert b"p&lt;RotatE&amp;" in render_figure(figure, ".svg")
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert labels[:4] == ["a\\$b", "\\$\\frac\\$", " _hidden", "p<RotatE&"]


def test_what_cannot_be_drawn_is_refused() -> None:
    adjusted = adjust(SUN)
    with pytest.raises(DataError, match=r"results\.csv has no value to draw"):
        plot_comparison(adjusted, [parse_metric("hits@10")])
    with pytest.raises(DataError, match=r"results\.csv has no value of Hits@10 that could be adjusted"):
        plot_comparison(adjusted, [parse_metric("mrr"), parse_metric("hits@10")])
    many = [{"dataset": "nations", "model": "m", **{f"Hits@{k}": "0.9" for k in range(1, 10)}}]
    with pytest.raises(UsageError, match=r"9 metrics are too many for one picture \(Hits@1, .*choose up to 8"):
        plot_comparison(adjust(many))


SHORT, LONG = "m{}", "a model with a long name, number {}"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("models", "datasets", "name"),
    mark_rest(
        itertools.product([2, 20, 25], [1, 6], [SHORT, LONG]),
        (2, 6, LONG),
        (20, 1, LONG),
        (25, 6, SHORT),
    ),
)
def test_nothing_leaves_the_picture_and_no_labels_collide(models: int, datasets: int, name: str) -> None:
    keys = ("nations", "umls", "kinships", "fb15k237", "wn18rr", "wn18")[:datasets]
    rows = [{"dataset": key, "model": name.format(place), "MRR": "0.5"} for key in keys for place in range(models)]
    figure = draw(adjust(rows))
    figure.draw_without_rendering()
    whole = figure.bbox
    legend = figure.legends[0].get_window_extent()
    # Side by side, or below each other where they are wide.
    across = len({round(axes.get_position().x0, 3) for axes in panels(figure)})
    assert across == (3 if models * datasets < 100 else 1)
    assert whole.x0 - 1 <= legend.x0
    assert legend.x1 <= whole.x1 + 1
    assert legend.y0 >= whole.y0 - 1
    for axes in panels(figure):
        box = axes.get_tightbbox()
        assert box is not None
        assert box.y0 >= legend.y1 - 1
        assert box.x0 >= whole.x0 - 1


def test_the_description_tells_what_is_seen() -> None:
    title, _, description = str(draw(adjust(SUN), "mrr").get_label()).partition("\n")
    assert title == "MRR as published and adjusted for chance"
    assert "4 results on 2 datasets" in description
    assert "Models: TransE, RotatE." in description
    assert "MRR 0.2260 to 0.4760" in description
    assert "0 of 4 within 1.96 sd of chance" in description


@pytest.mark.slow
@pytest.mark.parametrize("count", [1, 4, 5])
def test_tables_of_results_stand_two_in_a_row_over_one_legend(count: int) -> None:
    models = [("a model with a long name", parse_value("0.5")), ("B", parse_value("0.80")), ("C", parse_value("0.51"))]
    constants = [open_once().constants("nations", f"hits@{k}") for k in range(1, count + 1)]
    figure = plot_standings([rank_models(each, models) for each in constants], titles={"nations": "Nations"})
    figure.draw_without_rendering()
    (legend,) = figure.legends
    boxes = [box for axes in panels(figure)[:count] if (box := axes.get_tightbbox()) is not None]
    assert len({round(axes.get_position().x0, 3) for axes in panels(figure)}) == min(count, 2)
    for box, other in itertools.combinations([*boxes, legend.get_window_extent()], 2):
        assert not box.overlaps(other)
    whole = figure.bbox
    for box in [*boxes, legend.get_window_extent()]:
        assert whole.x0 - 1 <= box.x0
        assert box.x1 <= whole.x1 + 1
    with pytest.raises(UsageError, match="7 tables are too many for one picture; choose one metric"):
        plot_standings([rank_models(constants[0], models)] * 7, titles={})
