"""Readings of wide tables without a file, and the metrics of ranks without rankconst."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from rankconst.catalogue.metrics import parse_adjusted_metric, parse_metric
from rankconst.results.evaluation import Stated
from rankconst.results.reading import Entry, Reading

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from rankconst.catalogue.metrics import Metric

OPEN = Stated()


def parse_heading(heading: str) -> tuple[Metric, str | None]:
    if heading[:2] == "z ":
        return parse_metric(heading[2:]), "z"
    if heading.startswith("A"):
        return parse_adjusted_metric(heading)
    return parse_metric(heading), None


def make_reading(
    *rows: Mapping[str, str],
    context: Stated | Sequence[Stated] = OPEN,
    exact: bool = False,
    tool: str | None = None,
) -> Reading:
    """Return what a reader finds in a table with these rows, the first of them in line 2."""
    contexts = [context] * len(rows) if isinstance(context, Stated) else context
    entries = [
        Entry(metric, text, place, heading, place + 2, one, adjustment, exact)
        for place, (row, one) in enumerate(zip(rows, contexts, strict=True))
        for heading, text in row.items()
        for metric, adjustment in [parse_heading(heading)]
    ]
    columns = tuple(dict.fromkeys(heading for row in rows for heading in row))
    return Reading("results.csv", "csv", "wide", columns, tuple(rows), tuple(entries), tool=tool)


def measure(ranks: NDArray[np.float64], ks: Sequence[int] = (1, 3, 10)) -> dict[str, float]:
    """Compute metrics from ranks by their definitions."""
    values = [float(rank) for rank in ranks]
    n = len(values)
    found = {
        "MR": math.fsum(values) / n,
        "MRR": math.fsum(1 / rank for rank in values) / n,
        "GMR": math.exp(math.fsum(math.log(rank) for rank in values) / n),
        "QMR": math.sqrt(math.fsum(rank**2 for rank in values) / n),
        "MdR": float(np.median(values)),
        "VR": float(np.var(values)),
    }
    found["SDR"] = math.sqrt(found["VR"])
    found |= {
        inverse: 1 / found[name]
        for inverse, name in (("HMR", "MRR"), ("IAMR", "MR"), ("IGMR", "GMR"), ("IQMR", "QMR"), ("IMdR", "MdR"))
    }
    return found | {f"Hits@{k}": sum(rank <= k for rank in values) / n for k in ks}
