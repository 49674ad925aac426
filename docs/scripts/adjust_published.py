"""Compare published results with chance and counting, for docs/interpreting.md.

Run: python docs/scripts/adjust_published.py, with the extra ``rankconst[plot]``. In
rankconst/catalogue, published.csv has a line for each result; published_sources.csv says where it
was found, and what states its split, side and filter.
"""

from __future__ import annotations

import csv
import math
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pandas as pd
from marked import replace_lines

import rankconst
from rankconst.catalogue.literature import RESULTS
from rankconst.catalogue.metrics import parse_metric
from rankconst.results.formats import read_document

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rankconst.results.adjusted import AdjustedReading

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAPER = "pykeen/ranking-metrics-manuscript"
FEW = 4
"""Benchmarks with fewer results share a line."""


class Compared(NamedTuple):
    """A published number beside what a baseline gets."""

    dataset: str
    metric: str
    source: str
    value: float
    expected: float
    # How much better the better end of its rounding is than expected, and the standard deviation of
    # what is expected.
    gain: float
    deviation: float


def adjust_published() -> AdjustedReading:
    """Adjust the published results for chance and against all baselines."""
    adjusted: AdjustedReading = rankconst.adjust(RESULTS, baseline="all").numbers
    return adjusted


def compare(adjusted: AdjustedReading, baseline: str) -> list[Compared]:
    """Return the numbers for which a baseline has constants."""
    with RESULTS.open(encoding="utf-8", newline="") as file:
        source_on = {line: row["source"] for line, row in enumerate(csv.DictReader(file), start=2)}
    found = []
    for done in adjusted.against[baseline]:
        batch, expected, deviation = (
            done.published,
            done.constants.expectation,
            math.sqrt(done.constants.variance),
        )
        gains = batch.upper - expected if batch.metric.increasing else expected - batch.lower
        for place, value, gain in zip(
            batch.index.tolist(), batch.value.tolist(), gains.tolist(), strict=True
        ):
            source = source_on[adjusted.reading.entries[place].line or 0]
            found.append(
                Compared(
                    batch.tasks.dataset,
                    batch.metric.label,
                    source,
                    value,
                    expected,
                    gain,
                    deviation,
                )
            )
    return found


def count_worse(numbers: Iterable[Compared], deviations: int = 0) -> int:
    """Return how many numbers are worse than the baseline by some standard deviations."""
    return sum(each.gain < -deviations * each.deviation for each in numbers)


def list_titles() -> dict[str, str]:
    """Return what each benchmark is called."""
    return {key: row["title"] for key, row in rankconst.load().datasets.items()}


def render_ladder(adjusted: AdjustedReading) -> str:
    """Return how published results compare with the baselines, by benchmark and over all."""
    counting = compare(adjusted, "counting")
    mrr, hits = (
        [each for each in counting if each.metric == metric] for metric in ("MRR", "Hits@10")
    )
    (commonest, count), *_ = Counter(each.dataset for each in mrr).most_common(1)
    worse = count_worse(each for each in mrr if each.dataset == commonest)
    return "\n".join(
        [
            (
                f"Of {len(mrr)} published results on test sets, {count_worse(mrr)} are worse than "
                "counting in MRR."
            ),
            (
                f"The commonest benchmark is {list_titles()[commonest]}, with {count} results, of "
                f"which {worse} are worse:"
            ),
            "",
            *_list_benchmarks(mrr),
            "",
            (
                f"In Hits@10, {count_worse(hits)} of {len(hits)} are worse. Of the numbers of Hoyt "
                "et al. 2022 on Nations,"
            ),
            f"{_tell_paper(counting, 'counting')},",
            f"and {_tell_paper(compare(adjusted, 'frequency'), 'frequency')}.",
        ]
    )


def _tell_paper(numbers: Iterable[Compared], baseline: str) -> str:
    """Return how many numbers of the paper are worse than a baseline."""
    paper = [each for each in numbers if (each.dataset, each.source) == ("nations", PAPER)]
    worse, clearly = count_worse(paper), count_worse(paper, 2)
    return (
        f"{worse} of {len(paper)} are worse than {baseline}, {clearly} by more than two standard "
        "deviations"
    )


def _list_benchmarks(mrr: Sequence[Compared]) -> list[str]:
    """Return a Markdown table with a line for each benchmark that many results are on."""
    titles = list_titles()
    counts = Counter(each.dataset for each in mrr)
    few = {key for key, count in counts.items() if count < FEW}
    groups: dict[str, list[Compared]] = {}
    for each in sorted(
        mrr, key=lambda each: (each.dataset in few, -counts[each.dataset], each.dataset)
    ):
        groups.setdefault(
            f"{len(few)} others" if each.dataset in few else titles[each.dataset], []
        ).append(each)
    lines = ["| dataset | results | counting | MRR | worse |", "|---|---:|---:|---:|---:|"]
    for title, group in groups.items():
        ranges = (
            _show_range(each.expected for each in group),
            _show_range(each.value for each in group),
        )
        lines.append(
            f"| {' | '.join(map(str, (title, len(group), *ranges, count_worse(group))))} |"
        )
    return lines


def _show_range(values: Iterable[float]) -> str:
    ordered = sorted(values)
    return "–".join(dict.fromkeys(f"{end:.3f}" for end in (ordered[0], ordered[-1])))


def read_drawn() -> pd.DataFrame:
    """Return the results that are drawn: those computed by a tool whose evaluation is known."""
    frame = pd.read_csv(RESULTS, dtype=str, keep_default_na=False)
    return frame[(frame["tool"] != "") & (frame["MRR"] != "")]


def draw() -> bytes:
    """Return the picture."""
    from rankconst.figures import draw_results, render_figure

    reading = read_document(RESULTS.name, read_drawn().to_csv(index=False))
    titles = {key: row["title"] for key, row in rankconst.load().datasets.items()}
    adjusted: AdjustedReading = rankconst.adjust(reading, metric="mrr", baseline="counting").numbers
    return render_figure(draw_results(adjusted, [parse_metric("mrr")], titles=titles), ".svg")


def main() -> None:
    """Write picture and lines."""
    ladder = render_ladder(adjust_published())
    replace_lines(DOCS / "interpreting.md", "ladder", ladder)
    (DOCS / "published.svg").write_bytes(draw())
    print(ladder)


if __name__ == "__main__":
    main()
