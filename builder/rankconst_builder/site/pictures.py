"""The pictures that links to the site show.

They need matplotlib: the extra ``rankconst[plot]``.
"""

from __future__ import annotations

import io
import textwrap
from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, NamedTuple

from rankconst.catalogue.baselines import FLOOR
from rankconst.catalogue.metrics import parse_metric
from rankconst.verdicts import show_expected
from rankconst_builder.site.foundation import average
from rankconst_builder.site.pages import PICTURE, name_picture

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rankconst_builder.site.pages import Site

_PAPER, _INK, _QUIET = "#fdfdfb", "#1c2127", "#56606b"
_COLOURS = {"chance": "#14507d", "counting": "#1c2127"}
_PUBLISHED = "#c46a16"
_DPI = 100
_LEFT, _RIGHT = 0.07, 0.93
_LETTERS = 46  # in a line of the title
_NEAR = 0.3  # labels that are nearer are above each other


class Card(NamedTuple):
    """A picture: a title, and values of one metric on a line from 0 to 1."""

    title: str
    metric: str
    marks: dict[str, float]
    dots: Sequence[float] = ()  # published results


def can_draw() -> bool:
    """Tell whether pictures can be drawn."""
    return find_spec("matplotlib") is not None


def draw_pictures(site: Site) -> Iterator[tuple[str, bytes]]:
    """Yield the path and the content of each picture."""
    for page, card in _list_cards(site):
        yield f"assets/{name_picture(page)}", draw_card(card)


def _list_cards(site: Site) -> Iterator[tuple[str, Card]]:
    """Yield the page and the card of each page that has one of its own, and of the others."""
    example = "nations" if "nations" in site.keys else site.keys[0]
    yield "index.html", _describe(site, example, "What is your number worth?", "hits@10")
    for key in site.keys:
        title = f"What is a result on {site.title_of(key)} worth?"
        yield f"datasets/{key}.html", _describe(site, key, title, "mrr")
    if "results.html" in site.pages:
        most = max(site.published, key=lambda key: len(site.published[key]))
        yield "results.html", _describe(site, most, "Which published results beat counting?", "mrr")
    if "averages.html" in site.pages:
        metric = "mean MRR over ULTRA's inductive graphs"
        yield "averages.html", Card("What do averages hide?", metric, average(site.tables))


def _describe(site: Site, key: str, title: str, slug: str) -> Card:
    tasks = site.usual_tasks(key)
    marks = {}
    for name, ranked in {"chance": tasks, "counting": replace(tasks, baseline=FLOOR)}.items():
        value = site.expect(ranked, slug)
        if value is not None:
            marks[name] = value
    dots = []
    if slug == "mrr":
        dots = [each.value for each in site.published.get(key, ())]
    metric = f"{parse_metric(slug).label} on {site.title_of(key)}"
    return Card(title, metric, marks, dots)


def draw_card(card: Card) -> bytes:
    """Draw a card as PNG."""
    from matplotlib.figure import Figure

    width, height = PICTURE
    figure = Figure(figsize=(width / _DPI, height / _DPI), dpi=_DPI, facecolor=_PAPER)
    title = "\n".join(textwrap.wrap(card.title, _LETTERS))
    figure.text(_LEFT, 0.86, title, size=34, color=_INK, va="top", family="serif")
    figure.text(_LEFT, 0.66, card.metric, size=22, color=_QUIET)
    figure.text(_LEFT, 0.07, "rankconst", size=22, color=_QUIET, family="serif")
    axes = figure.add_axes((_LEFT, 0.25, _RIGHT - _LEFT, 0.16), facecolor=_PAPER)
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1)
    axes.set_yticks([])
    axes.tick_params(labelsize=16, colors=_QUIET)
    for name, spine in axes.spines.items():
        spine.set_visible(name == "bottom")
    level, before = 0, -1.0
    for name, value in sorted(card.marks.items(), key=lambda mark: mark[1]):
        colour = _COLOURS.get(name, _PUBLISHED)
        axes.plot([value, value], [0, 1], color=colour, linewidth=5, solid_capstyle="butt")
        level = level + 1 if value - before < _NEAR else 0
        axes.annotate(
            f"{name} {show_expected(value)}",
            (value, 1.12 + 0.42 * level),
            color=colour,
            size=20,
            ha="left" if value < 1 - _NEAR else "right",
            annotation_clip=False,
        )
        before = value
    axes.scatter(card.dots, [0.4] * len(card.dots), s=110, color=_PUBLISHED, alpha=0.5, zorder=3)
    if card.dots:
        text = f"{len(card.dots)} published results"
        figure.text(_RIGHT, 0.07, text, size=22, color=_PUBLISHED, ha="right")
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", metadata={"Software": None})
    return buffer.getvalue()
