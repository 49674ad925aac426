"""Comparisons: what is drawn is asked of the figure's own artists."""

from __future__ import annotations

import csv
import itertools
import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

pytest.importorskip("matplotlib", reason="the extra rankconst[plot] is not installed")

from matplotlib.lines import Line2D

from carried import open_once
from cases import mark_rest
from rankconst.catalogue.metrics import parse_metric
from rankconst.errors import DataError, UsageError
from rankconst.evaluation import Stated
from rankconst.plots.arrangement import MOST_MODELS
from rankconst.plots.comparison import FORMS, find_further_models, plot_comparison
from rankconst.plots.style import render_figure
from rankconst.results.adjust import adjust_reading
from rankconst.results.reading import Entries, Entry, Reading

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

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


def test_points_are_the_numbers() -> None:
    adjusted = adjust(SUN)
    figure = draw(adjusted, "mrr")
    assert len(panels(figure)) == 3
    for form, axes in zip(FORMS, panels(figure), strict=True):
        drawn = {(model, column_of(axes, x)): y for model, points in offsets(axes).items() for x, y in points}
        expected = {
            (each.entry.context.model, each.constants.tasks.dataset): getattr(each.adjusted, form)
            for each in adjusted.entries
            if each.entry.metric.label == "MRR" and each.constants is not None
        }
        assert drawn == pytest.approx(expected)


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


def test_exact_values_have_no_bars() -> None:
    assert all(not axes.containers for axes in panels(draw(adjust(SUN, exact=True))))


@pytest.mark.slow
def test_datasets_stand_in_the_order_of_their_size_whatever_the_table() -> None:
    rows = [{"dataset": key, "model": "m", "MRR": "0.5"} for key in ("wn18rr", "nations", "fb15k237", "kinships")]
    for table in (rows, rows[::-1]):
        for axes in panels(draw(adjust(table))):
            assert ticks(axes) == ["nations\n(8)", "kinships\n(94)", "fb15k237\n(14,306)", "wn18rr\n(40,928)"]
            assert list(axes.get_xticks()) == sorted(axes.get_xticks())
    legend = draw(adjust(rows)).legends[0]
    assert legend.get_title().get_text() == (
        "datasets by mean number of candidates (in brackets), ascending; test, both sides"
    )


def test_titles_replace_keys() -> None:
    figure = draw(adjust(SUN), titles={"wn18rr": "WN18RR"})
    assert ticks(panels(figure)[0]) == ["fb15k237\n(14,306)", "WN18RR\n(40,928)"]


@pytest.mark.slow
def test_a_row_of_panels_for_each_metric() -> None:
    figure = draw(adjust(SUN), "mr", "mrr")
    titles = [axes.get_title(loc="left") for axes in panels(figure)]
    assert titles == [
        "as published: MR",
        "adjusted for chance: AMRI",
        "z-score: ZMR",
        "as published: MRR",
        "adjusted for chance: AMRR",
        "z-score: ZMRR",
    ]
    labels = [axes.get_ylabel() for axes in panels(figure)]
    assert labels[0] == "MR (ranks, lower is better)"
    assert labels[3:] == ["MRR (higher is better)", "index (0 random, 1 perfect)", "z (sd better than random)"]
    assert len(panels(draw(adjust(SUN)))) == 6


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


@pytest.mark.slow
def test_scales_follow_the_span() -> None:
    near = panels(draw(adjust([{"dataset": "nations", "model": "m", "MRR": "0.42"}])))
    assert [axes.get_yscale() for axes in near] == ["linear", "linear", "linear"]
    far = panels(draw(adjust(SUN), "mrr", "mr"))
    assert [axes.get_yscale() for axes in far] == ["linear", "linear", "symlog", "log", "linear", "symlog"]
    for axes in (*near, *far):
        low, high = axes.get_ylim()
        assert all(low < y < high for points in offsets(axes).values() for _, y in points)


def test_values_worse_than_chance_are_in_the_picture() -> None:
    rows = [{"dataset": "nations", "model": "m", "MRR": "0.35"}, {"dataset": "wn18rr", "model": "m", "MRR": "0.4"}]
    for axes in panels(draw(adjust(rows))):
        low, high = axes.get_ylim()
        assert all(low < y < high for points in offsets(axes).values() for _, y in points)


def test_values_of_one_model_and_dataset_stand_apart() -> None:
    rows = [{"dataset": "fb15k237", "model": "TransE", "MRR": text} for text in ("0.294", "0.313", "0.31")]
    (points,) = offsets(panels(draw(adjust(rows)))[0]).values()
    assert len({x for x, _ in points}) == 3
    assert sorted(y for _, y in points) == [0.294, 0.31, 0.313]


@pytest.mark.slow
def test_missing_cells_leave_the_others_in_place() -> None:
    rows = [
        {"dataset": "nations", "model": "ComplEx", "MRR": "0.43", "MR": ""},
        {"dataset": "wn18rr", "model": "RotatE", "MRR": "", "MR": "3340"},
    ]
    figure = draw(adjust(rows), "mrr", "mr")
    assert [list(offsets(axes)) for axes in panels(figure)] == [["ComplEx"]] * 3 + [["RotatE"]] * 3
    for axes in panels(figure):
        ((x, _),) = next(iter(offsets(axes).values()))
        assert column_of(axes, x) == next(iter({"ComplEx": "nations", "RotatE": "wn18rr"}[m] for m in offsets(axes)))


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
def test_models_are_told_apart_by_more_than_colour() -> None:
    rows = [{"dataset": "fb15k237", "model": f"model {place}", "MRR": "0.3"} for place in range(MOST_MODELS)]
    figure = draw(adjust(rows))
    handles = [each for each in figure.legends[0].legend_handles if isinstance(each, Line2D)]
    handles = [each for each in handles if str(each.get_label()).startswith("model")]
    looks = [(each.get_color(), each.get_marker(), each.get_markerfacecolor()) for each in handles]
    assert len(looks) == MOST_MODELS
    assert len(set(looks)) == MOST_MODELS
    assert len({look[0] for look in looks[:10]}) == 10
    assert len({look[1] for look in looks[:10]}) == 10
    assert len({look[:2] for look in looks}) == MOST_MODELS
    assert find_further_models(adjust(rows)) == []


@pytest.mark.slow
def test_models_with_the_fewest_values_share_a_sign() -> None:
    rows = [
        {"dataset": dataset, "model": f"model {place}", "MRR": "0.3"}
        for place in range(25)
        for dataset in ("fb15k237", "wn18rr")[: 1 if place < 5 else 2]
    ]
    adjusted = adjust(rows)
    assert find_further_models(adjusted) == [f"model {place}" for place in range(5)]
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


def test_what_all_columns_share_is_said_once() -> None:
    figure = draw(adjust([{"dataset": "nations", "model": "m", "MRR": "0.5", "split": "valid"}]))
    assert figure.legends[0].get_title().get_text().endswith("ascending; valid, both sides")
    assert ticks(panels(figure)[0]) == ["nations\n(8)"]


def test_models_without_a_name_are_called_as_their_file() -> None:
    figure = draw(adjust([{"dataset": "nations", "MRR": "0.5"}]))
    assert list(offsets(panels(figure)[0])) == ["results"]


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


@pytest.mark.slow
def test_wide_tables_stack_their_panels() -> None:
    rows = [
        {"dataset": key, "model": f"m{place}", "MRR": "0.5"}
        for key in ("nations", "umls", "kinships", "fb15k237", "wn18rr", "wn18")
        for place in range(12)
    ]
    figure = draw(adjust(rows))
    left = {round(axes.get_position().x0, 3) for axes in panels(figure)}
    assert len(left) == 1
    narrow = draw(adjust(SUN), "mrr")
    assert len({round(axes.get_position().x0, 3) for axes in panels(narrow)}) == 3


SHORT, LONG = "m{}", "a model with a long name, number {}"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("models", "datasets", "name"),
    mark_rest(
        itertools.product([2, 20, 25], [1, 6], [SHORT, LONG]),
        (2, 6, LONG),
        (20, 1, LONG),
        (25, 1, SHORT),
        (25, 6, LONG),
    ),
)
def test_nothing_leaves_the_picture_and_no_labels_collide(models: int, datasets: int, name: str) -> None:
    keys = ("nations", "umls", "kinships", "fb15k237", "wn18rr", "wn18")[:datasets]
    rows = [{"dataset": key, "model": name.format(place), "MRR": "0.5"} for key in keys for place in range(models)]
    figure = draw(adjust(rows))
    figure.draw_without_rendering()
    whole = figure.bbox
    legend = figure.legends[0].get_window_extent()
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
def test_published_results_of_the_field(reference: Path) -> None:
    with (reference / "published_results.csv").open(encoding="utf-8") as file:
        rows = [
            {"dataset": row["dataset"], "model": row["model"], "split": row["split"], "MRR": row["MRR"]}
            for row in csv.DictReader(file)
            if row["split"] == "test"
        ]
    adjusted = adjust(rows)
    figure = draw(adjusted, "mrr")
    done = [each for each in adjusted.entries if each.adjusted is not None]
    assert len(done) > 80
    for axes in panels(figure):
        assert sum(map(len, offsets(axes).values())) == len(done)


def test_results_of_pykeen(reference: Path) -> None:
    """Realistic ranks, both sides, of four models on four datasets."""
    rows = []
    for path in sorted((reference / "pykeen_results").glob("*.json")):
        found = json.loads(path.read_text(encoding="utf-8"))["metrics"]["both"]["realistic"]
        dataset, model = path.stem.split("_")
        rows.append({"dataset": dataset, "model": model, "MRR": repr(found["inverse_harmonic_mean_rank"])})
    assert len(rows) == 16
    figure = draw(adjust(rows, exact=True, tool="pykeen"))
    value, index, _ = panels(figure)
    assert ticks(value)[0] == "nations\n(8)"
    on_nations = [(x, y) for points in offsets(index).values() for x, y in points if column_of(index, x) == "nations"]
    assert len(on_nations) == 4
    assert min(y for _, y in on_nations) < 0.1
