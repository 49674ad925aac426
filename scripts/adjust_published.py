"""Compare published results with chance and counting: the tables of docs/baselines.md and docs/plots.md, the picture.

Run: python scripts/adjust_published.py, with the extra ``rankconst[plot]``. docs/published.csv has a line for each
result, all on test and both sides; docs/published_sources.csv says where each was found, and what was left out.
"""

from __future__ import annotations

import csv
import io
import math
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from marked import replace_lines

import rankconst
from rankconst.constants.published import Interval, show_uncertain
from rankconst.evaluation import Stated
from rankconst.results.adjust import adjust_reading
from rankconst.results.formats import read_document

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankconst.results.adjusted import AdjustedReading

DOCS = Path(__file__).resolve().parents[1] / "docs"
RESULTS = DOCS / "published.csv"
SOURCES = DOCS / "published_sources.csv"
BASELINES = ("counting", "frequency")
METRICS = ("mr", "gmr", "mrr", "hits@1", "hits@3", "hits@5", "hits@10")
PAPER = "pykeen/ranking-metrics-manuscript"
FEW = 3
"""Benchmarks with fewer results share a line."""

CHOSEN = (
    ("nations", "TransE", "ffabious/pykeen-kge-bench"),
    ("nations", "ConvE", "TimDettmers/ConvE"),
    ("kinships", "ConvE", "TimDettmers/ConvE"),
    ("codexsmall", "ComplEx", "uma-pi1/kge"),
    ("fb15k237", "TransE", "Accenture/AmpliGraph"),
    ("fb15k237", "ComplEx", "uma-pi1/kge"),
    ("fb15k237", "TuckER", "ibalazevic/TuckER"),
    ("wn18rr", "RotatE", "DeepGraphLearning/KnowledgeGraphEmbedding"),
    ("wn18rr", "HAKE", "MIRALab-USTC/KGE-HAKE"),
    ("ogbwikikg2", "AutoSF", "paperswithcode/sota-extractor"),
)
"""Dataset, model and source of the lines of docs/plots.md."""


class Compared(NamedTuple):
    """A published number beside what the baselines get, in the order of BASELINES."""

    dataset: str
    source: str
    value: float
    expected: tuple[float, ...]
    # How much better the better end of its rounding is than expected, and the standard deviation of what is expected.
    gain: tuple[float, ...]
    deviation: tuple[float, ...]


def adjust_published(*metrics: str) -> AdjustedReading:
    """Adjust the published results in some metrics, and compare them with the baselines."""
    return _adjust(RESULTS.read_text(encoding="utf-8"), metrics)


def adjust_those_of_tools() -> AdjustedReading:
    """Adjust the MRR of the results that a tool computed of which the protocol is known."""
    with RESULTS.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.reader(file) if row[-2]]
    csv.writer(kept := io.StringIO(), lineterminator="\n").writerows(rows)
    return _adjust(kept.getvalue(), ("mrr",))


def _adjust(text: str, metrics: Sequence[str]) -> AdjustedReading:
    reading = read_document(RESULTS.name, text)
    chosen = [rankconst.parse_metric(metric) for metric in metrics]
    said = Stated(split="test", side="both", accepted=("noisy",))
    return adjust_reading(reading, rankconst.load(), said, metrics=chosen, baselines=BASELINES)


def read_sources() -> dict[int, str]:
    """Return the source of the result on each line."""
    with RESULTS.open(encoding="utf-8", newline="") as file:
        return {line: row["source"] for line, row in enumerate(csv.DictReader(file), start=2)}


def compare(adjusted: AdjustedReading) -> list[Compared]:
    """Return the numbers for which the baselines have constants."""
    sources = read_sources()
    beside: dict[int, list[tuple[float, float, float]]] = {}
    value_of: dict[int, tuple[str, str, float]] = {}
    for baseline in BASELINES:
        for done in adjusted.against[baseline]:
            batch, constants = done.batch, done.constants
            expected, deviation = constants.expectation, math.sqrt(constants.variance)
            gains = batch.upper - expected if batch.metric.increasing else expected - batch.lower
            for place, value, gain in zip(batch.index.tolist(), batch.value.tolist(), gains.tolist(), strict=True):
                value_of[place] = batch.tasks.dataset, sources[adjusted.reading.entries[place].line or 0], value
                beside.setdefault(place, []).append((expected, gain, deviation))
    return [Compared(*value_of[place], *zip(*found, strict=True)) for place, found in beside.items()]


def count_below(numbers: Sequence[Compared], deviations: int = 0) -> tuple[int, ...]:
    """Return how many numbers lie below each baseline, by more than some standard deviations."""
    return tuple(
        sum(each.gain[place] < -deviations * each.deviation[place] for each in numbers)
        for place in range(len(BASELINES))
    )


def render_lines(adjusted: AdjustedReading) -> str:
    """Return the chosen lines as a Markdown table."""
    lines = [
        "| dataset | model | published in | random | MRR | AMRR | ZMRR |",
        "|---|---|---|---:|---:|---:|---:|",
    ]
    titles = {key: row["title"] for key, row in rankconst.load().datasets.items()}
    sources, rows = read_sources(), {}
    for each in adjusted.entries:
        if each.adjusted is None or each.constants is None:
            continue
        said = each.entry.context
        rows[said.dataset, said.model, sources[each.entry.line or 0]] = (
            f"{each.constants.expectation:.2g}",
            _shorten(each.entry.text),
            _show(each.adjusted.index, each.adjusted.index_interval),
            _show(each.adjusted.z, each.adjusted.z_interval),
        )
    lines += (f"| {' | '.join((titles[key[0]], *key[1:], *rows[key]))} |" for key in CHOSEN)
    return "\n".join(lines)


def compare_all(adjusted: AdjustedReading) -> str:
    """Return what :func:`render_ladder` makes of all published results."""
    in_full = compare(adjust_published(*METRICS))
    paper = [each for each in in_full if (each.dataset, each.source) == ("nations", PAPER)]
    return render_ladder(compare(adjusted), compare(adjust_published("hits@10")), paper)


def render_ladder(mrr: Sequence[Compared], hits: Sequence[Compared], paper: Sequence[Compared]) -> str:
    """Return how the MRR of published results compares with the baselines, by benchmark, between sentences on all."""
    titles = {key: row["title"] for key, row in rankconst.load().datasets.items()}
    counts = Counter(each.dataset for each in mrr)
    few = {key for key, count in counts.items() if count < FEW}
    groups: dict[str, list[Compared]] = {}
    for each in mrr:
        groups.setdefault(f"{len(few)} others" if each.dataset in few else titles[each.dataset], []).append(each)
    (counting, frequency), sources = count_below(mrr), len({each.source for each in mrr})
    lines = [
        f"Of {len(mrr)} published results on test, {counting} are worse than counting, and {frequency} are worse than",
        f"frequency. They are on {len(counts)} benchmarks and from {sources} sources:",
        "",
        "| dataset | results | counting | lowest MRR | highest MRR | below counting | below frequency |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for title, group in sorted(groups.items(), key=lambda item: (item[0].endswith("others"), -len(item[1]))):
        expected, values = [each.expected[0] for each in group], [each.value for each in group]
        ends = dict.fromkeys(f"{end:.4f}" for end in (min(expected), max(expected)))
        cells = (title, len(group), "–".join(ends), f"{min(values):.4g}", f"{max(values):.4g}", *count_below(group))
        lines.append(f"| {' | '.join(map(str, cells))} |")
    in_hits, in_paper, clearly = count_below(hits), count_below(paper), count_below(paper, 2)
    return "\n".join(
        [
            *lines,
            "",
            f"In Hits@10, {in_hits[0]} of {len(hits)} are worse than counting, and {in_hits[1]} than frequency.",
            f"Of the {len(paper)} numbers of Hoyt et al. 2022 on Nations (four models, seven metrics),",
            f"{in_paper[0]} are worse than counting, {clearly[0]} of them by more than two standard deviations,",
            f"and {in_paper[1]} than frequency, {clearly[1]} by more than two.",
            count_left_out(),
        ]
    )


def count_left_out() -> str:
    """Say how many results were left out."""
    with SOURCES.open(encoding="utf-8", newline="") as file:
        counts = [int(row["left_out"]) for row in csv.DictReader(file)]
    return f"Left out are {sum(counts)} more results of {sum(map(bool, counts))} sources."


def _shorten(text: str) -> str:
    """Return a number as printed; of the digits of a float four are enough for a page."""
    return text if len(text) <= 8 else f"{float(text):.4f}..."


def _show(value: float, interval: Interval | None) -> str:
    return show_uncertain(value, interval or Interval(value, value))


def draw(adjusted: AdjustedReading) -> bytes:
    """Return the picture."""
    from rankconst.plots.comparison import plot_comparison
    from rankconst.plots.style import render_figure

    return render_figure(plot_comparison(adjusted), ".svg")


def main() -> None:
    """Write picture and lines."""
    adjusted = adjust_published("mrr")
    replace_lines(DOCS / "plots.md", "published", render_lines(adjusted))
    replace_lines(DOCS / "baselines.md", "ladder", ladder := compare_all(adjusted))
    (DOCS / "published.svg").write_bytes(draw(adjust_those_of_tools()))
    print(ladder)


if __name__ == "__main__":
    main()
