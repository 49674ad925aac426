"""Draw the picture of the README: published Hits@10 against chance and counting.

Run: python docs/scripts/draw_chance.py [FILE], with the extra ``rankconst[plot]``; docs/chance.svg
if no file is named.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import rankconst
from rankconst.figures import CHANCE, COLOURS, MARKERS, apply_style, describe, render_figure

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COUNTING = "#222222"

MODELS = ("TransE", "ComplEx", "RotatE", "TuckER")

PUBLISHED = {
    "nations": (0.9751, 0.9652, 0.9776, 0.9900),
    "kinships": (0.9246, 0.9213, 0.9739, 0.9856),
    "fb15k237": (0.4858, 0.4281, 0.2789, 0.5278),
    "wn18rr": (0.5698, 0.4909, 0.5893, 0.5427),
}
"""Hits@10, test, both sides, protocol pykeen, in the order of MODELS.

From the results of Hoyt et al. 2022 (arXiv:2203.07544), repository
pykeen/ranking-metrics-manuscript.
"""


def adjust_published(
    baseline: str = "uniform",
) -> tuple[dict[str, tuple[float, ...]], dict[str, float]]:
    """Return skills of published values over a baseline (AH@10 for chance), and what it gets."""
    tables = rankconst.load()
    constants = {
        key: tables.constants(key, "hits@10", protocol="pykeen", baseline=baseline)
        for key in PUBLISHED
    }
    adjusted = {
        key: tuple(constants[key].adjust(v).index for v in values)
        for key, values in PUBLISHED.items()
    }
    return adjusted, {key: constants[key].expectation for key in PUBLISHED}


def draw(path: Path) -> None:
    """Write the picture; the ending of `path` chooses the format."""
    with apply_style():
        figure = _draw_figure()
    path.write_bytes(render_figure(figure, path.suffix))


def _draw_figure() -> Figure:
    from matplotlib.figure import Figure

    adjusted, chance = adjust_published()
    skill, counting = adjust_published("counting")
    titles = {key: row["title"] for key, row in rankconst.load().datasets.items()}
    figure = Figure(figsize=(10.5, 3.5), layout="constrained")
    left, middle, right = figure.subplots(1, 3, sharey=True)
    _draw_panel(left, PUBLISHED, chance, titles)
    for place, key in enumerate(PUBLISHED):
        label = "counting baseline" if place == 0 else ""
        left.hlines(
            counting[key], place - 0.34, place + 0.34, colors=COUNTING, lw=1.5, ls="--", label=label
        )
    _draw_panel(middle, adjusted, dict.fromkeys(PUBLISHED, 0.0), titles)
    _draw_panel(right, skill, dict.fromkeys(PUBLISHED, 0.0), titles, COUNTING)
    left.set_title("as published: Hits@10")
    middle.set_title("adjusted for chance: AH@10")
    right.set_title("skill over the counting baseline")
    drawn = [value for values in skill.values() for value in values if value is not None]
    left.set_ylim(min(-0.04, min(drawn) - 0.04), 1.04)
    left.annotate(
        "a random\nranker\ngets 0.947",
        xy=(0.0, chance["nations"] - 0.005),
        xytext=(0.0, 0.5),
        ha="center",
        fontsize=8.5,
        arrowprops={"arrowstyle": "-", "color": CHANCE},
        color="#444444",
    )
    figure.legend(*left.get_legend_handles_labels(), loc="outside lower center", ncols=6)
    below = [
        f"{model} on {titles[key]}"
        for key, values in skill.items()
        for model, value in zip(MODELS, values, strict=True)
        if value is not None and value < 0
    ]
    describe(
        figure,
        "Hits@10 as published, adjusted for chance, and as skill over the counting baseline",
        f"Hits@10 of {', '.join(MODELS)} on {', '.join(titles[key] for key in PUBLISHED)}. On "
        "Nations, where a random "
        "ranker gets 0.947, values from 0.965 to 0.990 become 0.34 to 0.81; on large graphs "
        "they hardly change. Below "
        "the counting baseline, which ranks by how often pairs connected in the same way had "
        "the relation: "
        f"{', '.join(below)}. On Nations counting gets 1, and no skill is left.",
    )
    return figure


def _draw_panel(
    axes: Axes,
    values: Mapping[str, tuple[float, ...]],
    levels: Mapping[str, float],
    titles: Mapping[str, str],
    colour: str = CHANCE,
) -> None:
    for place, key in enumerate(values):
        ends = place - 0.34, place + 0.34
        dashed = "--" if colour == COUNTING else "-"
        axes.hlines(
            levels[key],
            *ends,
            colors=colour,
            lw=2,
            ls=dashed,
            label="random ranker" if place == 0 else "",
        )
        axes.fill_between(ends, 0, levels[key], color=CHANCE, alpha=0.16, lw=0)
    for position, (model, own, marker) in enumerate(zip(MODELS, COLOURS, MARKERS, strict=False)):
        x = [place + 0.15 * (position - 1.5) for place in range(len(values))]
        # Skill is undefined where the baseline is perfect.
        axes.scatter(
            x,
            [math.nan if v[position] is None else v[position] for v in values.values()],
            c=own,
            marker=marker,
            s=38,
            label=model,
            zorder=3,
        )
    axes.set_xticks(range(len(values)), [titles[key] for key in values])
    axes.tick_params(axis="x", length=0)
    axes.grid(axis="y")


def main() -> None:
    """Write the picture to the file named on the command line."""
    path = (
        Path(sys.argv[1])
        if len(sys.argv) > 1
        else Path(__file__).resolve().parents[2] / "docs" / "chance.svg"
    )
    draw(path)
    print(path)


if __name__ == "__main__":
    main()
