"""Adjusted values that do not belong: each known defect, formed here from the counts alone, is
named.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from carried import open_once
from rankconst.catalogue.metrics import Metric, parse_metric
from rankconst.checks.defects import CAUSES, Cause, find_cause, pair_up
from rankconst.moments import compute_moments
from rankconst.results.reading import Entry
from rankconst.tasks import Histogram, Tasks
from rankconst.values.constants import Constants
from rankconst.values.published import Interval

if TYPE_CHECKING:
    from collections.abc import Callable

TABLES = open_once()


def look_up(metric: Metric, dataset: str = "nations") -> Constants:
    return TABLES.constants(dataset, metric, "test", "both", "pykeen")


def check(
    metric: str, value: float, adjusted: float, adjustment: str, *, digits: int | None = None
) -> Cause | None:
    parsed = parse_metric(metric)
    texts = [repr(each) if digits is None else f"{each:.{digits}f}" for each in (value, adjusted)]
    entries = [
        Entry(parsed, text, 0, metric, None, adjustment=form, exact=digits is None)
        for text, form in zip(texts, (None, adjustment), strict=True)
    ]
    (pair,) = pair_up(entries)
    assert pair.adjusted.value == pytest.approx(adjusted, rel=1e-3, abs=1e-4)
    return find_cause(pair, look_up(parsed))


def moments(metric: str, less: int = 0) -> tuple[float, float]:
    """Mean and standard deviation over the tasks, from sums over every rank."""
    histogram = TABLES.histogram("nations", protocol="pykeen")
    scores_of: dict[str, Callable[[int], float]] = {
        "mr": float,
        "mrr": lambda rank: 1 / rank,
        "hits@3": lambda rank: float(rank <= 3),
    }
    score = scores_of[metric]
    mean = variance = 0.0
    for size, tasks in zip(
        histogram.num_candidates.tolist(), histogram.num_tasks.tolist(), strict=True
    ):
        scores = [score(rank) for rank in range(1, size - less + 1)]
        first = math.fsum(scores) / len(scores)
        mean += tasks * first
        variance += tasks * math.fsum((each - first) ** 2 for each in scores) / len(scores)
    return mean / histogram.total, math.sqrt(variance) / histogram.total


VALUES = {"mr": 3.5323383808135986, "mrr": 0.4026779250719061, "hits@3": 0.6616915422885572}


@pytest.mark.parametrize("metric", VALUES)
def test_right_values_belong_and_known_defects_are_named(metric: str) -> None:
    value, (mean, deviation), (less, spread) = (
        VALUES[metric], moments(metric), moments(metric, less=1),
    )  # fmt: skip
    sign = -1 if metric == "mr" else 1
    z, theirs = sign * (value - mean) / deviation, sign * (value - less) / spread
    right = {"normalised": value / mean, "index": (value - mean) / (1 - mean), "z": z}
    for form, adjusted in right.items():
        assert check(metric, value, adjusted, form) is None
        assert check(metric, value, adjusted, form, digits=4) is None
    for cause, form, adjusted in (
        ("unscaled", "z", sign * value),
        ("sign", "z", -z),
        ("one_less", "z", theirs),
        ("one_less", "index", (value - less) / (1 - less)),
        ("one_less_sign", "z", -theirs),
        ("unknown", "z", 1.1 * z),
    ):
        found = check(metric, value, adjusted, form)
        assert found is not None
        assert found.key == cause


def test_a_task_with_one_candidate_cannot_lose_it() -> None:
    metric = parse_metric("mr")
    histogram = Histogram.from_counts([1, 10, 10])
    constants = Constants(
        Tasks("own"), metric, histogram, compute_moments(metric, histogram), table_version=""
    )
    two = Interval(2.0, 2.0)
    given = {
        (cause.key, form): give(constants, form, two)
        for cause, give in CAUSES.items()
        for form in ("z", "index")
    }
    assert (
        given["one_less", "z"] is given["one_less_sign", "z"] is given["unscaled", "index"] is None
    )
    assert given["unscaled", "z"] == Interval(-2.0, -2.0)
