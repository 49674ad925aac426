"""Write parts of docs/pykeen.md and its picture: what one candidate too few does to z.

Run: python docs/scripts/compare_with_pykeen.py [--reference DIR], with the extra
``rankconst[plot]``. The published results (``manuscript_collated.tsv``: collated/collated.tsv of
the repository pykeen/ranking-metrics-manuscript) are read from DIR, by default ``reference`` next
to the mirror of the benchmarks that RANKCONST_MIRROR names.
"""

from __future__ import annotations

import argparse
import csv
import math
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from marked import replace_lines

import rankconst
from rankconst.catalogue.metrics import Metric, parse_metric
from rankconst.errors import UndefinedError
from rankconst.listing import count, number
from rankconst.moments import Moments, compute_moments
from rankconst.tasks import Histogram, Tasks
from rankconst.values.affine import ADJUSTMENTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rankconst.tables.archive import Tables

ROOT = Path(__file__).resolve().parents[2]
PAGE, PICTURE = ROOT / "docs" / "pykeen.md", ROOT / "docs" / "pykeen.svg"
PUBLISHED = "manuscript_collated.tsv"

PROTOCOL = "pykeen"
MRR, MR, HITS, GMR = map(parse_metric, ("mrr", "mr", "hits@10", "gmr"))
SHOWN = (MRR, MR, HITS, GMR)
SCORED = tuple(map(parse_metric, ("mr", "mrr", "hits@1", "hits@3", "hits@5", "hits@10", "gmr")))
"""The metrics of which the published results have z-scores."""

SIGNIFICANT = 1.96
"""A random ranker exceeds this |z| once in twenty cases, by the normal distribution."""

REPRODUCED_TO = 1e-11
REPRODUCED_TO_GMR = 1e-6
"""How far a published z may lie from the one recomputed with N - 1, relative.

PyKEEN's variance of GMR is a small difference of two large numbers, and less precise.
"""
REPRODUCED_TO_AMRR = 1e-7
"""How far a published AMRR may lie from the one formed with ln N / (N - 1); they were computed in
single precision.
"""

LISTED = 0.001
"""From this effect on E[MRR], relative, a dataset is on the page."""

MODELS = {"complex": "ComplEx", "rotate": "RotatE", "transe": "TransE", "tucker": "TuckER"}

VERDICTS = ("worse than random", "not different from random", "better than random")


def take_one_off(histogram: Histogram) -> Histogram:
    """Return the counts without the true answer, and at least 1: metrics need a candidate."""
    return Histogram.from_counts(np.maximum(histogram.num_candidates - 1, 1), histogram.num_tasks)


@dataclass(frozen=True)
class Offset:
    """The constants of a dataset (test, both sides) with N and with N - 1."""

    dataset: str
    title: str
    num_tasks: int
    num_single: int  # of them, those with one candidate, of which N - 1 leaves none
    right: dict[Metric, Moments]
    reduced: dict[Metric, Moments]

    @property
    def effect(self) -> float:
        """How much E[MRR] is too high, relative."""
        return self.reduced[MRR].expectation / self.right[MRR].expectation - 1

    @property
    def z_of_chance(self) -> float | None:
        """The z(MRR) that N - 1 gives a model whose MRR is a random ranker's; right would be 0."""
        try:
            return ADJUSTMENTS["z"](MRR, self.reduced[MRR])(self.right[MRR].expectation)
        except UndefinedError:
            return None


def compare(tables: Tables) -> list[Offset]:
    """Return the offset of each dataset with test tasks of PyKEEN, the largest effect first."""
    found = []
    for key, info in tables.datasets.items():
        if not tables.holds(Tasks(key, PROTOCOL, "test")):
            continue
        histogram = tables.histogram(key, protocol=PROTOCOL)
        reduced = take_one_off(histogram)
        found.append(
            Offset(
                dataset=key,
                title=info["title"],
                num_tasks=histogram.total,
                num_single=int(histogram.num_tasks[histogram.num_candidates == 1].sum()),
                right={
                    metric: tables.constants(key, metric, protocol=PROTOCOL).moments
                    for metric in SHOWN
                },
                reduced={metric: compute_moments(metric, reduced) for metric in SHOWN},
            )
        )
    return sorted(found, key=lambda offset: (-offset.effect, offset.dataset))


@dataclass(frozen=True)
class Score:
    """A published value of test, both sides, with its z-scores; of all of them larger is better."""

    dataset: str
    model: str
    metric: Metric
    published: float  # as the collated results have it
    reduced: float  # recomputed from our candidate counts with N - 1
    right: float  # with N

    @property
    def changes(self) -> bool:
        """True if the verdict with N is another one than published."""
        return judge(self.published) != judge(self.right)


def judge(z: float) -> str:
    """Say what a z-score shows at the 5 % level, two-sided."""
    return VERDICTS[1 + (z > SIGNIFICANT) - (z < -SIGNIFICANT)]


def read_scores(tables: Tables, path: Path) -> list[Score]:
    """Read published z-scores and recompute them; raise a ValueError if one is not of N - 1."""
    scores = []
    with path.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines, delimiter="\t"):
            if row["dataset"] not in tables.datasets:
                continue
            histogram = tables.histogram(row["dataset"], protocol=PROTOCOL)
            for metric in SCORED:
                # The file does not turn the z of MR round.
                sign = -1 if metric == MR else 1
                value = float(row[metric.key])
                score = Score(
                    dataset=row["dataset"],
                    model=row["model"],
                    metric=metric,
                    published=sign * float(row[f"z_{metric.key}"]),
                    reduced=ADJUSTMENTS["z"](
                        metric, compute_moments(metric, take_one_off(histogram))
                    )(value),
                    right=tables.constants(row["dataset"], metric, protocol=PROTOCOL).z(value),
                )
                tolerance = REPRODUCED_TO_GMR if metric == GMR else REPRODUCED_TO
                if not math.isclose(score.reduced, score.published, rel_tol=tolerance):
                    raise ValueError(f"not reproduced with N - 1: {score}")
                scores.append(score)
    return scores


# -- the page --------------------------------------------------------------------------------------


def _table(head: Sequence[str], align: str, rows: Iterable[Sequence[str]]) -> str:
    rules = {"l": "---", "r": "---:"}
    lines = [head, [rules[letter] for letter in align], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _percent(share: float) -> str:
    return f"{number(3)(100 * share)} %"


def _z(value: float | None) -> str:
    """Show a z-score with two decimals, or with its first digit if they are 0."""
    if value is None:
        return "–"
    shown = f"{value:,.2f}" if abs(value) >= 0.1 else number(1)(value)
    return shown.replace("-", "−")


def render_offsets(tables: Tables) -> str:
    """Write the part of the page that comes from the tables alone."""
    offsets = compare(tables)
    titles = {offset.dataset: offset.title for offset in offsets}
    large = [offset for offset in offsets if offset.effect > 0.01]
    rows = []
    for offset in (offset for offset in offsets if offset.effect >= LISTED):
        pairs = [
            (
                f"{number(6)(offset.right[metric].expectation)} → "
                f"{number(6)(offset.reduced[metric].expectation)}"
            )
            for metric in (MRR, MR, HITS, GMR)
        ]
        rows.append(
            [
                f"{offset.title} (`{offset.dataset}`)",
                count(offset.num_tasks),
                pairs[0],
                _percent(offset.effect),
                _z(offset.z_of_chance),
                *pairs[1:],
            ]
        )
    head = (
        "dataset",
        "tasks",
        "E[MRR]",
        "too high by",
        "z(MRR) of chance",
        "E[MR]",
        "E[Hits@10]",
        "E[GMR]",
    )
    named = ", ".join(f"{titles[offset.dataset]} ({_percent(offset.effect)})" for offset in large)
    single = [f"{offset.num_single:,} of {offset.title}" for offset in offsets if offset.num_single]
    parts = [
        f"Of {len(offsets)} datasets of tables {tables.version}, E[MRR] is more than 1 % too "
        f"high on {len(large)}"
        f"{f': {named}' if large else ''}, and less than {_percent(LISTED)} on the "
        f"{len(offsets) - len(rows)} that are "
        "not listed.",
        _table(head, "lrrrrrrr", rows),
    ]
    if single:
        parts.append(
            "Some tasks have one candidate, of which N − 1 leaves none; they are counted with "
            "one here: "
            f"{', '.join(single)}."
        )
    return "\n\n".join(parts)


def render_published(tables: Tables, scores: Sequence[Score]) -> str:
    """Write the part of the page about published z-scores, small graphs first."""
    order = sorted(
        {score.dataset for score in scores}, key=lambda key: tables.datasets[key]["entities"]
    )
    by_title = {
        tables.datasets[key]["title"]: [score for score in scores if score.dataset == key]
        for key in order
    }
    changed = {title: own for title, own in by_title.items() if any(score.changes for score in own)}
    where = ", ".join(changed)
    parts = [
        f"All z-scores of {where}, published → with N; bold where the verdict changes.",
        *(_render_all(title, own) for title, own in changed.items()),
        (
            f"How many z-scores say what, at the 5 % level, two-sided (|z| > {SIGNIFICANT}); "
            "published → with N:"
        ),
        _table(
            ("dataset", "z-scores", *VERDICTS, "change their verdict"),
            "lrrrrr",
            [
                [
                    title,
                    str(len(own)),
                    *(_tally(own, verdict) for verdict in VERDICTS),
                    str(sum(score.changes for score in own)),
                ]
                for title, own in by_title.items()
            ],
        ),
    ]
    return "\n\n".join(parts)


def read_indices(tables: Tables, path: Path) -> dict[tuple[str, str], tuple[float, float]]:
    """Return dataset and model to the AMRR that was published and the exact one.

    One that was not formed with ln N / (N - 1), N the mean number of candidates, is a ValueError.
    """
    found = {}
    with path.open(encoding="utf-8", newline="") as lines:
        for row in (
            row
            for row in csv.DictReader(lines, delimiter="\t")
            if row["dataset"] in tables.datasets
        ):
            constants = tables.constants(row["dataset"], MRR, protocol=PROTOCOL)
            value, published = float(row[MRR.key]), float(row[f"adjusted_{MRR.key}"])
            mean = constants.ranking.mean
            formed = math.log(mean) / (mean - 1)
            if not math.isclose(
                (value - formed) / (1 - formed), published, rel_tol=REPRODUCED_TO_AMRR
            ):
                raise ValueError(f"not formed with ln N / (N - 1): {row}")
            found[row["dataset"], row["model"]] = published, constants.index(value)
    return found


def render_errata(
    scores: Sequence[Score], indices: dict[tuple[str, str], tuple[float, float]]
) -> str:
    """Write what the sources print that is not so, with what is; each number is recomputed here."""
    nations = [score for score in scores if score.dataset == "nations"]
    before, after = (
        sum(abs(getattr(score, name)) <= SIGNIFICANT for score in nations)
        for name in ("published", "right")
    )
    pairs = {model: indices["nations", model] for model in MODELS}
    amrr = "; ".join(
        f"{MODELS[model]} {old:.3f}, exact {new:.3f}" for model, (old, new) in pairs.items()
    )
    z = {dataset: _find(scores, dataset, "tucker").right for dataset in ("nations", "wn18rr")}
    rows = [
        (
            "Hoyt et al. 2022, figure 1, AMRR",
            "formed with E = ln N / (N − 1), N the mean count",
            f"Nations: {amrr}",
        ),
        ("the same, z and AGMRI", "N − 1 candidates", "above"),
        (
            'the same, "TuckER better on WN18RR than on Nations"',
            (
                f"AMRR {indices['wn18rr', 'tucker'][1]:.3f} on WN18RR, "
                f"{indices['nations', 'tucker'][1]:.3f} on Nations"
            ),
            (
                f"true of z only ({z['wn18rr']:,.0f} and {z['nations']:.1f}), which grows with the "
                "number of tasks"
            ),
        ),
        (
            'the same, "on small graphs most models are not significantly different from random"',
            f"{before} of {len(nations)} on Nations",
            f"{after} of {len(nations)} with N",
        ),
        (
            "the same, equations",
            "8 and 9 for the moments of MR",
            "6 and 7; 8 and 9 are AMR and AMRI. MRR: 12 and 14",
        ),
        (
            "PyKEEN before 1.8, AMRR in results.json",
            "formed with E = ln N / (N − 1)",
            "E = H(N)/N, averaged over tasks",
        ),
    ]
    return _table(("where", "printed", "exact"), "lll", rows)


def _find(scores: Sequence[Score], dataset: str, model: str) -> Score:
    return next(
        each for each in scores if (each.dataset, each.model, each.metric) == (dataset, model, MRR)
    )


def _mark(text: str, changes: bool) -> str:
    return f"**{text}**" if changes else text


def _tally(scores: Sequence[Score], verdict: str) -> str:
    published = sum(judge(score.published) == verdict for score in scores)
    return f"{published} → {sum(judge(score.right) == verdict for score in scores)}"


def _render_all(title: str, scores: Sequence[Score]) -> str:
    rows = []
    for model in dict.fromkeys(score.model for score in scores):
        own = [score for score in scores if score.model == model]
        cells = [
            _mark(f"{_z(score.published)} → {_z(score.right)}", score.changes) for score in own
        ]
        rows.append([MODELS.get(model, model), *cells])
    return _table(
        (title, *(f"z({metric.label})" for metric in SCORED)), "l" + "r" * len(SCORED), rows
    )


# -- the picture -----------------------------------------------------------------------------------


def draw(scores: Sequence[Score], path: Path, dataset: str = "nations") -> None:
    """Draw published and right z-scores of a dataset; the ending of `path` chooses the format."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    style: dict[Any, Any] = {
        "svg.hashsalt": "rankconst",
        "svg.fonttype": "none",
        "font.family": "sans-serif",
        "font.size": 10,
        "axes.spines.top": False,
        "axes.spines.right": False,
    }
    own = [score for score in scores if score.dataset == dataset]
    models = list(dict.fromkeys(score.model for score in own))
    with mpl.rc_context(style):
        figure, panels = plt.subplots(
            1, len(models), figsize=(9.2, 3.2), sharey=True, layout="constrained", squeeze=False
        )
        for axes, model in zip(panels[0], models, strict=True):
            rows = [score for score in own if score.model == model]
            places = range(len(rows))
            published, right = [score.published for score in rows], [score.right for score in rows]
            axes.axvspan(
                -SIGNIFICANT,
                SIGNIFICANT,
                color="#777777",
                alpha=0.18,
                lw=0,
                label="|z| < 1.96: like random",
            )
            axes.hlines(places, published, right, colors="#bbbbbb", lw=1.5, zorder=2)
            axes.scatter(
                published,
                places,
                s=36,
                facecolors="white",
                edgecolors="#d1495b",
                zorder=3,
                label="published",
            )
            axes.scatter(right, places, s=36, c="#30638e", zorder=3, label="with the right N")
            axes.set_title(MODELS.get(model, model), loc="left", fontsize=10, fontweight="bold")
            axes.set_yticks(places, [score.metric.label for score in rows])
            axes.tick_params(axis="y", length=0)
            axes.set_xlabel("z")
            axes.grid(axis="y", color="#eeeeee", lw=0.7)
            axes.set_axisbelow(True)
            axes.margins(x=0.08)
        panels[0][0].invert_yaxis()
        figure.legend(
            *panels[0][0].get_legend_handles_labels(),
            loc="outside lower center",
            ncols=3,
            frameon=False,
        )
        figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None, dpi=160)
        plt.close(figure)


# -- files -----------------------------------------------------------------------------------------


def reference_folder() -> Path:
    """Return where published results are looked for: next to the mirror of the benchmarks."""
    default = ROOT.parent / "shared" / "mirror"
    return Path(os.environ.get("RANKCONST_MIRROR") or default).parent / "reference"


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the parts of the page, and the picture."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--reference", type=Path, default=reference_folder(), help=f"folder with {PUBLISHED}"
    )
    published = parser.parse_args(arguments).reference / PUBLISHED
    if not published.is_file():
        sys.exit(
            f"{published} is missing: name the folder with the published results by --reference."
        )
    tables = rankconst.load()
    scores = read_scores(tables, published)
    replace_lines(PAGE, "offsets", render_offsets(tables))
    replace_lines(PAGE, "published", render_published(tables, scores))
    replace_lines(PAGE, "errata", render_errata(scores, read_indices(tables, published)))
    draw(scores, PICTURE)


if __name__ == "__main__":
    main()
