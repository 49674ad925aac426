"""Time a million published numbers through ``rankconst.adjust(frame)``.

    python benchmarks/adjust_speed.py

Prints medians of several runs in one process, and what one call of ``Constants.adjust`` for each row would take.
"""

from __future__ import annotations

import functools
import statistics
import time
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

import rankconst

if TYPE_CHECKING:
    from collections.abc import Callable

ROWS = 1_000_000
RUNS = 5
TARGET = 3.0
DATASETS = np.array(["FB15k-237", "wn18rr", "dbpedia50", "kinships", "umls", "codexsmall"])
METRICS = np.array(["mrr", "Hits@10", "hits_at_1", "MRR"])


def make_frames() -> dict[str, pd.DataFrame]:
    """Return frames of a million rows by what is special about them."""
    random = np.random.default_rng(20261121)
    values = random.uniform(0.55, 0.95, ROWS)
    long = pd.DataFrame(
        {
            "dataset": DATASETS[random.integers(0, len(DATASETS), ROWS)],
            "split": np.array(["test", "valid"])[random.integers(0, 2, ROWS)],
            "metric": METRICS[random.integers(0, len(METRICS), ROWS)],
            "value": values,
        }
    )
    wide = pd.DataFrame({"dataset": long["dataset"], "MRR": values, "Hits@10": values})
    return {
        "long, floats": long,
        "long, text of 4 decimals": long.assign(value=[f"{value:.4f}" for value in values]),
        "long, text of 16 digits": long.assign(value=[repr(value) for value in values.tolist()]),
        "wide, two metrics": wide,
    }


def measure(call: Callable[[], object]) -> float:
    """Return the median time of a call in seconds."""
    times = []
    for _ in range(RUNS):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def main() -> None:
    """Print a line for each frame."""
    constants = rankconst.load().constants("fb15k237", "mrr")
    single = measure(lambda: [constants.adjust("0.3380") for _ in range(1000)]) / 1000
    for name, frame in make_frames().items():
        taken = measure(functools.partial(rankconst.adjust, frame))
        verdict = "met" if taken < TARGET else "missed"
        print(
            f"{name:28} {taken:5.2f} s for {ROWS:,} rows (target {TARGET:g} s: {verdict}); "
            f"one by one {single * ROWS:,.0f} s, {single * ROWS / taken:,.0f} times as long"
        )


if __name__ == "__main__":
    main()
