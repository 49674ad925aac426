"""Draw the picture of the README: Hits@10 of four models on four benchmarks, as published and adjusted for chance.

Run: python docs/draw_chance.py [FILE], with the extra ``rankconst[plot]``; docs/chance.svg if no file is named.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rankconst

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes

MODELS = ("TransE", "ComplEx", "RotatE", "TuckER")

PUBLISHED = {
    "nations": (0.9751, 0.9652, 0.9776, 0.9900),
    "kinships": (0.9246, 0.9213, 0.9739, 0.9856),
    "fb15k237": (0.4858, 0.4281, 0.2789, 0.5278),
    "wn18rr": (0.5698, 0.4909, 0.5893, 0.5427),
}
"""Hits@10, test, both sides, protocol pykeen, in the order of MODELS.

From the results of Hoyt et al. 2022 (arXiv:2203.07544), repository pykeen/ranking-metrics-manuscript.
"""

COLOURS = ("#4269d0", "#efb118", "#ff725c", "#3ca951")
MARKERS = ("o", "s", "^", "D")


def adjust_published() -> tuple[dict[str, tuple[float, ...]], dict[str, float]]:
    """Return AH@10 of each published value, and what a random ranker gets, by dataset."""
    tables = rankconst.load()
    constants = {key: tables.constants(key, "hits@10", protocol="pykeen") for key in PUBLISHED}
    adjusted = {key: tuple(constants[key].adjust(v).index for v in values) for key, values in PUBLISHED.items()}
    return adjusted, {key: constants[key].expectation for key in PUBLISHED}


def draw(path: Path) -> None:
    """Write the picture; the ending of `path` chooses the format."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    style: dict[Any, Any] = {
        "svg.hashsalt": "rankconst",
        "svg.fonttype": "none",
        "font.family": "sans-serif",
        "font.size": 11,
        "axes.spines.top": False,
        "axes.spines.right": False,
    }
    adjusted, chance = adjust_published()
    titles = {key: row["title"] for key, row in rankconst.load().datasets.items()}
    with mpl.rc_context(style):
        figure, (left, right) = plt.subplots(1, 2, figsize=(9.2, 3.9), sharey=True, layout="constrained")
        _draw_panel(left, PUBLISHED, chance, titles)
        _draw_panel(right, adjusted, dict.fromkeys(PUBLISHED, 0.0), titles)
        left.set_title("as published: Hits@10", loc="left", fontsize=11, fontweight="bold")
        right.set_title("adjusted for chance: AH@10", loc="left", fontsize=11, fontweight="bold")
        left.set_ylim(-0.04, 1.04)
        left.annotate(
            "a random\nranker already\ngets 0.947",
            xy=(0.0, chance["nations"] - 0.005),
            xytext=(0.0, 0.6),
            ha="center",
            fontsize=9,
            arrowprops={"arrowstyle": "-", "color": "#777777"},
            color="#444444",
        )
        figure.legend(*left.get_legend_handles_labels(), loc="outside lower center", ncols=5, frameon=False)
        figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None, dpi=160)
        plt.close(figure)


def _draw_panel(
    axes: Axes, values: Mapping[str, tuple[float, ...]], chance: Mapping[str, float], titles: Mapping[str, str]
) -> None:
    for place, key in enumerate(values):
        axes.hlines(
            chance[key], place - 0.34, place + 0.34, colors="#777777", lw=2, label="random" if place == 0 else ""
        )
        axes.fill_between([place - 0.34, place + 0.34], 0, chance[key], color="#777777", alpha=0.13, lw=0)
    for position, (model, colour, marker) in enumerate(zip(MODELS, COLOURS, MARKERS, strict=True)):
        x = [place + 0.15 * (position - 1.5) for place in range(len(values))]
        axes.scatter(x, [v[position] for v in values.values()], c=colour, marker=marker, s=42, label=model, zorder=3)
    axes.set_xticks(range(len(values)), [titles[key] for key in values])
    axes.tick_params(axis="x", length=0)
    axes.grid(axis="y", color="#dddddd", lw=0.7)
    axes.set_axisbelow(True)


def main() -> None:
    """Write the picture to the file named on the command line."""
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("chance.svg")
    draw(path)
    print(path)


if __name__ == "__main__":
    main()
