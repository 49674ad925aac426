"""Checks of ranges: what no number of candidates and no constant can leave."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from rankconst.catalogue.baselines import DEFAULT_BASELINE
from rankconst.catalogue.protocols import RELATION_SIDE, SPLITS, parse_protocol
from rankconst.catalogue.ranks import NORMAL_QUARTILE
from rankconst_builder.tabulate import HISTOGRAM_TABLES
from rankconst_builder.verify.checks import Finding, check, point_out
from rankconst_builder.verify.structure import count_tasks
from rankconst_builder.verify.tableset import TASKS, code_rows, read_metrics, read_tasks, sum_tasks

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from rankconst.tasks import Histogram, Tasks
    from rankconst_builder.verify.checks import Findings
    from rankconst_builder.verify.tableset import TableSet

    Values = NDArray[np.float64]


ROUNDING = 8 * float(np.finfo(np.float64).eps)
"""Relative difference that arithmetic in another order may make."""

LARGEST_EXPECTATION_ERROR = 1e-10
LARGEST_VARIANCE_ERROR = 1e-6
LARGEST_SAMPLED_ERROR = 0.1
"""What errors may be at most, in parts of the number they belong to."""

NEGLIGIBLE_DEVIATION = 1e-3
"""A standard deviation, in parts of the expectation, that a sample need not tell from none."""

UNSEEN, WITHIN, WITHIN_SEEN = 3, 6.0, 1 / NORMAL_QUARTILE
"""Where all draws of a sample are equal, 3 in their number may have gone unseen, each off by up to 6 ranks.

Where few differ, they do by a rank, which is 1 / 0.67449 of the median absolute deviation. S draws, of which none is
farther than d from the mean, tell the variance V with a standard error of up to d sqrt(V / S); those unseen add to V.
"""

OF_BASELINES = {
    "expectation": 1e-4,
    "variance": 2e-2,
    "sampled": 0.5,
    "deviation": 1e-4,
    "sampled deviation": 2.0,
    "rank": 0.05,
}
"""The same of baselines that know something, whose medians are all but certain at times, and otherwise interpolated.

Where no draw differs, the error covers what may have gone unseen: up to a part of a rank where it is next to 0.
"""

_HASH = re.compile(r"[0-9a-f]{64}")


@check("statistics", "statistics of datasets do not conflict", "datasets")
def _check_statistics(tables: TableSet) -> Findings:
    for key, row in tables.datasets.items():
        partial = key not in tables.counted and key not in tables.restricted
        # What may be missing, another check says.
        unclear = any(pd.isna(row[name]) for name in ("entities_train", "relations", "relations_train"))
        facts = key in tables.temporal, key in tables.qualified
        for column, low, high in () if partial or unclear or tables.lacks(key) else _bound_statistics(row, *facts):
            if not pd.isna(row[column]) and not low <= row[column] <= high:
                message = "a statistic contradicts the others"
                yield Finding(message, "datasets", {"dataset": key}, column, f"{low} to {high}", int(row[column]))
        hashes = row["sha256"]
        if len(hashes) != (0 if partial else len(SPLITS)) or not all(
            value is None or _HASH.fullmatch(value) for value in hashes
        ):
            message = "this is not a SHA-256 for each split"
            yield Finding(message, "datasets", {"dataset": key}, "sha256", None, list(hashes))
    return len(tables.datasets)


def _bound_statistics(row: dict[str, Any], temporal: bool, qualified: bool) -> Iterator[tuple[str, int, int]]:
    """Return columns with the smallest and largest value that the other columns allow."""
    rows = {split: int(row[f"triples_{split}"]) for split in SPLITS}
    distinct = {split: rows[split] - int(row[f"duplicates_{split}"]) for split in SPLITS}
    if not qualified:  # qualifiers can have any number
        yield "entities", 1, 2 * sum(distinct.values())
    yield "entities_train", 1, min(int(row["entities"]), 2 * distinct["train"])
    yield "relations", 1, sum(distinct.values())
    yield "relations_train", 1, min(int(row["relations"]), distinct["train"])
    for split in SPLITS:
        yield f"duplicates_{split}", 0, max(rows[split] - 1, 0)
    for later, earlier in (("valid", "train"), ("test", "train"), ("test", "valid")):
        yield f"{later}_in_{earlier}", 0, min(distinct[later], distinct[earlier])
    # Of times and qualifiers there may be any number.
    loops = int(row["entities_train"]) * int(row["relations_train"])
    yield "self_loops_train", 0, distinct["train"] if temporal or qualified else min(distinct["train"], loops)
    for split in ("valid", "test"):
        # A triple that is also in train has nothing unseen.
        yield f"dropped_{split}", int(row[f"duplicates_{split}"]), rows[split] - int(row[f"{split}_in_train"])


@check("candidates", "1 <= N <= number of entities; weights from 0 to 1", "datasets", "candidates")
def _check_candidates(tables: TableSet) -> Findings:
    rows = 0
    for name in HISTOGRAM_TABLES:
        if name not in tables.sound:
            continue
        frame = tables.sound[name]
        rows += len(frame)
        largest, fixed = _find_largest(tables, frame)
        known, sizes = ~np.isnan(largest), frame["num_candidates"].to_numpy()
        above = frame["offset"].to_numpy() if "offset" in frame else np.zeros_like(sizes)
        wrong = known & ~fixed & ((sizes < 1) | (above + sizes > largest))
        blame = partial(point_out, frame, name)
        limits = [f"1 to {value:.0f}" for value in largest] if wrong.any() else ""
        yield from blame(wrong, "num_candidates", "a number of candidates is out of range", expected=limits)
        wrong = known & fixed & (sizes != largest)
        message = "without a filter, every task has the same number of candidates"
        yield from blame(wrong, "num_candidates", message, expected=largest)
        yield from blame(frame["num_tasks"] < 1, "num_tasks", "a row without tasks", expected="1 or more")
        yield from blame(above < 0, "offset", "an offset is negative", expected="0 or more")
        if "weight" in frame:
            wrong = ~frame["weight"].between(0, 1, inclusive="right") & frame["weight"].notna()
            yield from blame(wrong, "weight", "a weight is out of range", expected="above 0, up to 1")
    return rows


def _find_largest(tables: TableSet, frame: pd.DataFrame) -> tuple[Values, NDArray[np.bool_]]:
    """Return the number of candidates of each row without a filter, NaN if unknown, and whether the row has it."""
    names = ["dataset", "protocol", "side"]
    kinds, first = code_rows(names, frame)
    found = []
    for dataset, protocol, side in frame[names].iloc[first].itertuples(index=False, name=None):
        rule, kind = parse_protocol(protocol), "relations" if side == RELATION_SIDE else "entities"
        row = tables.datasets.get(dataset, {})
        largest = row.get(f"{kind}_train" if rule.candidates == "seen" else kind, np.nan)
        if kind == "relations" and dataset in tables.temporal:
            largest *= 2  # temporal graphs rank the inverses of relations, too
        if rule.negatives is not None and row:
            largest = rule.negatives + 1
        # Restricted to some entities, even without a filter not all of them are ranked.
        some = kind == "entities" and protocol == "raw" and dataset in tables.restricted
        found.append((largest, rule.known == "none" and not some and "offset" not in frame))
    largest, fixed = np.array(found, dtype=np.float64).reshape(-1, 2)[kinds].T
    return largest, fixed.astype(np.bool_)


@check("tasks", "one task for each row of the split that is ranked", "datasets", "candidates")
def _check_tasks(tables: TableSet) -> Findings:
    frame = tables.sound["candidates"]
    (got,), first = sum_tasks(TASKS, frame)
    sums = frame[[*TASKS]].iloc[first]
    expected = np.full(len(sums), np.nan)
    for place, (dataset, protocol, split, side) in enumerate(sums.itertuples(index=False, name=None)):
        if dataset in tables.datasets:
            # On the relation side of temporal graphs, each fact is asked for in both directions.
            twice = side == RELATION_SIDE and dataset in tables.temporal
            expected[place] = count_tasks(tables.datasets[dataset], protocol, split) * (2 if twice else 1)
    restricted = sums["dataset"].isin(tables.restricted).to_numpy()
    wrong = ~np.isnan(expected) & np.where(restricted, got > expected, got != expected)
    message = "the tasks are not as many as the rows that the protocol ranks"
    yield from point_out(sums.assign(num_tasks=got), "candidates", wrong, "num_tasks", message, expected=expected)
    if "constants" in tables.sound:
        constants = tables.sound["constants"]
        counted = {tasks: histogram.total for tasks, histogram in tables.histograms.items()}
        every, numbers = read_tasks(constants)
        totals = np.array([counted.get(tasks, np.nan) for tasks in every], dtype=np.float64)[numbers]
        wrong = ~np.isnan(totals) & (constants["num_tasks"].to_numpy() != totals)
        message = "the tasks are not as many as their histogram has"
        yield from point_out(constants, "constants", wrong, "num_tasks", message, expected=totals)
    return len(frame)


@check("constants", "expectations between worst and best, variances within", "candidates", "constants")
def _check_constants(tables: TableSet) -> Findings:
    frame = tables.sound["constants"]
    limits = _find_limits(frame, tables.histograms)
    low, high = limits.min(axis=1), limits.max(axis=1)
    known = ~np.isnan(low)
    value, variance = frame["expectation"].to_numpy(), frame["variance"].to_numpy()
    slack = frame["expectation_error"].to_numpy() + ROUNDING * np.abs(value)
    wrong = known & ((value < low - slack) | (value > high + slack))
    message = "the expectation lies beyond the best or the worst ranker"
    expected = [f"{one!r} to {two!r}" for one, two in zip(low.tolist(), high.tolist(), strict=True)]
    yield from point_out(frame, "constants", wrong, "expectation", message, expected=expected)
    largest = np.square(high - low) / 4
    wrong = (variance < 0) | (known & (variance > largest + frame["variance_error"] + ROUNDING * largest))
    message = "the variance is negative, or more than the range allows"
    expected = [f"0 to {one!r}" for one in largest.tolist()]
    yield from point_out(frame, "constants", wrong, "variance", message, expected=expected)
    return len(frame)


def _find_limits(frame: pd.DataFrame, histograms: Mapping[Tasks, Histogram]) -> Values:
    """Return the values of the best and of the worst ranker for each row of the constants table, NaN if unknown."""
    metrics, kinds = read_metrics(frame)
    # No baseline ranks other candidates. Protocols often agree on some tasks, whose limits are computed once.
    every, numbers = read_tasks(frame)
    distinct: dict[Histogram, int] = {}
    held = [distinct.setdefault(histograms[t], len(distinct)) if t in histograms else -1 for t in every]
    ranked = list(distinct)
    cells, places = np.unique(np.array(held, dtype=np.int64)[numbers] * len(metrics) + kinds, return_inverse=True)
    limits = np.full((cells.size, 2), np.nan)
    for place, cell in enumerate(cells.tolist()):
        metric = metrics[cell % len(metrics)]
        if cell >= 0 and metric is not None:
            one = ranked[cell // len(metrics)]
            worst = metric.worst(one.num_candidates, one.row_weights)
            # Of a count, every ranker gets the same.
            limits[place] = worst if metric.optimum is None else metric.optimum, worst
    return limits[places]


@check("errors", "errors are small", "constants")
def _check_errors(tables: TableSet) -> Findings:
    frame = tables.sound["constants"]
    sampled = (frame["method"] == "sampled").to_numpy()
    # Among few candidates, as relations are, medians are all but certain, too.
    few = ((frame["side"] == RELATION_SIDE) & (frame["method"] != "closed_form")).to_numpy()
    chance = (frame["baseline"] == DEFAULT_BASELINE).to_numpy() & ~few
    share = np.where(chance, LARGEST_SAMPLED_ERROR, OF_BASELINES["sampled"])
    ranks = np.where(sampled & ~chance, OF_BASELINES["rank"], 0.0)
    # A sample in which nothing varies has an error all the same.
    near = np.where(sampled, OF_BASELINES["sampled deviation"], OF_BASELINES["deviation"])
    deviation = np.where(chance, np.where(sampled, NEGLIGIBLE_DEVIATION, 0.0), near) * np.abs(frame["expectation"])
    variance, draws = np.abs(frame["variance"].to_numpy()), frame["num_draws"].fillna(np.inf).to_numpy()
    off = np.where(variance == 0, WITHIN, WITHIN_SEEN)
    seldom = np.where(chance & sampled, np.sqrt((variance + np.square(UNSEEN * off) / draws) / draws), 0.0)
    for column, bound, least in (
        ("expectation", LARGEST_EXPECTATION_ERROR, np.fmax(ranks, seldom)),
        ("variance", LARGEST_VARIANCE_ERROR, np.fmax(np.square(deviation + ranks), seldom * off)),
    ):
        error = frame[f"{column}_error"]
        part = np.where(sampled, share, np.where(chance, bound, OF_BASELINES[column]))
        largest = np.fmax(part * np.abs(frame[column]), least)
        expected = [f"0 to {one!r}" for one in largest.tolist()]
        message = f"the error of the {column} is out of range"
        yield from point_out(
            frame, "constants", (error < 0) | (error > largest), f"{column}_error", message, expected=expected
        )
    return len(frame)
