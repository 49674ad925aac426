"""Adjust published results for docs/plots.md and docs/baselines.md: some lines as tables, all of them as a picture.

Run: python scripts/adjust_published.py FILE, with the extra ``rankconst[plot]``. FILE is a table with a row for each
published result and columns model, dataset, split, side, MR, MRR, Hits@1, Hits@3, Hits@10 and source_repo, the
repository that published it. Writes docs/published.svg and replaces the lines on both pages.
"""

from __future__ import annotations

import csv
import io
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from marked import replace_lines

import rankconst
from rankconst.catalogue.baselines import BUILT, DEFAULT_BASELINE
from rankconst.catalogue.metrics import parse_metric
from rankconst.evaluation import Stated
from rankconst.results.adjust import adjust_reading
from rankconst.results.formats import read_document
from rankconst.values.published import Interval, show_uncertain

if TYPE_CHECKING:
    from rankconst.results.adjusted import AdjustedReading

DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGE = DOCS / "plots.md"
LADDER = DOCS / "baselines.md"
PICTURE = DOCS / "published.svg"
COUNTING = "counting"

CHOSEN = (
    ("Nations", "TransE", "ffabious/pykeen-kge-bench"),
    ("Nations", "ConvE", "TimDettmers/ConvE"),
    ("Kinships", "ConvE", "TimDettmers/ConvE"),
    ("CoDEx-S", "ComplEx", "uma-pi1/kge"),
    ("FB15k-237", "TransE", "Accenture/AmpliGraph"),
    ("FB15k-237", "ComplEx", "uma-pi1/kge"),
    ("FB15k-237", "TuckER", "ibalazevic/TuckER"),
    ("WN18RR", "RotatE", "DeepGraphLearning/KnowledgeGraphEmbedding"),
    ("WN18RR", "HAKE", "MIRALab-USTC/KGE-HAKE"),
    ("ogbl-wikikg2", "AutoSF", "paperswithcode/sota-extractor"),
)
"""Dataset, model and repository of the lines on the page; their test results."""


COLUMNS = ("model", "dataset", "split", "side", "MR", "MRR", "Hits@1", "Hits@3", "Hits@10", "source_repo")
"""What is read of a file: its other columns tell in sentences how was evaluated, which would be asked about."""


def keep_columns(path: Path) -> str:
    """Return a table with :data:`COLUMNS` only."""
    with path.open(encoding="utf-8", newline="") as file:
        written = csv.DictWriter(kept := io.StringIO(), COLUMNS, extrasaction="ignore", lineterminator="\n")
        written.writeheader()
        written.writerows(csv.DictReader(file))
    return kept.getvalue()


def adjust_published(path: Path) -> AdjustedReading:
    """Adjust the MRR of every published result, each with the protocol of the tool that computed it."""
    metric = parse_metric("mrr")
    reading = read_document(path.name, keep_columns(path))
    return adjust_reading(reading, rankconst.load(), Stated(), metrics=[metric], baselines=BUILT)


def render_lines(adjusted: AdjustedReading) -> str:
    """Return the chosen lines as a Markdown table."""
    lines = [
        "| dataset | model | published in | random | MRR | AMRR | ZMRR |",
        "|---|---|---|---:|---:|---:|---:|",
    ]
    for dataset, model, tool in CHOSEN:
        each = next(
            each
            for each in adjusted.entries
            if each.adjusted is not None
            and (each.entry.context.dataset, each.entry.context.model) == (dataset, model)
            and (each.entry.context.tool, each.entry.context.split) == (tool, "test")
        )
        if each.adjusted is None or each.constants is None:
            continue
        cells = (
            dataset,
            model,
            tool,
            f"{each.constants.expectation:.2g}",
            _shorten(each.entry.text),
            _show(each.adjusted.index, each.adjusted.index_interval),
            _show(each.adjusted.z, each.adjusted.z_interval),
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def render_ladder(adjusted: AdjustedReading) -> str:
    """Return the results on test that are worse than the counting baseline, after a sentence that counts them."""
    chance = {each.batch.tasks: each for each in adjusted.done}
    rows, total = [], 0
    for done in adjusted.against[COUNTING]:
        batch, expected = done.batch, done.constants.expectation
        if batch.tasks.split != "test":
            continue
        random = chance[replace(batch.tasks, baseline=DEFAULT_BASELINE)].constants.expectation
        total += batch.value.size
        for place, value, upper in zip(batch.index.tolist(), batch.value.tolist(), batch.upper.tolist(), strict=True):
            if upper < expected:
                entry = adjusted.reading.entries[place]
                skill = float(done.constants.index(value))
                rows.append((entry, random, expected, value, skill))
    lines = [
        f"Of {total} results on test, {len(rows)} are worse than the counting baseline:",
        "",
        "| dataset | side | model | published in | random | counting | MRR | skill |",
        "|---|---|---|---|---:|---:|---:|---:|",
    ]
    for entry, random, expected, value, skill in sorted(rows, key=lambda row: (row[0].context.dataset, row[4])):
        said = entry.context
        cells = (said.dataset, said.side or "both", said.model, said.tool, f"{random:.2g}", f"{expected:.4f}")
        lines.append(f"| {' | '.join(map(str, (*cells, f'{value:.4g}', f'{skill:.3f}')))} |")
    return "\n".join(lines)


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
    adjusted = adjust_published(Path(sys.argv[1]))
    lines = render_lines(adjusted)
    replace_lines(PAGE, "published", lines)
    replace_lines(LADDER, "ladder", render_ladder(adjusted))
    PICTURE.write_bytes(draw(adjusted))
    print(lines)


if __name__ == "__main__":
    main()
