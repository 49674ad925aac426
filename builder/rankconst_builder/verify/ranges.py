"""Checks of ranges: what no number of candidates and no constant can leave."""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from rankconst.catalogue.baselines import DEFAULT_BASELINE
from rankconst.catalogue.metrics import CATALOGUE
from rankconst.catalogue.protocols import RELATION_SIDE, SPLITS, parse_protocol
from rankconst.catalogue.ranks import NORMAL_QUARTILE
from rankconst_builder.tabulate import HISTOGRAM_TABLES
from rankconst_builder.verify.checks import Checked, Finding, check, point_out
from rankconst_builder.verify.structure import TASKS, count_tasks
from rankconst_builder.verify.tableset import code_rows, is_protocol, read_metric, read_tasks, sum_tasks

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from rankconst.tasks import Histogram, Tasks
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
def check_statistics(tables: TableSet) -> Checked:
    """Look for statistics of datasets that contradict one another."""
    findings = []
    for key, row in tables.datasets.items():
        named = {"dataset": key}
        partial = key not in tables.counted and key not in tables.restricted
        # What may be missing, another check says.
        unclear = any(pd.isna(row[name]) for name in ("entities_train", "relations", "relations_train"))
        facts = key in tables.temporal, key in tables.qualified
        for column, low, high in () if partial or unclear or tables.lacks(key) else _bound_statistics(row, *facts):
            if pd.isna(row[column]):
                continue
            value = int(row[column])
            if not low <= value <= high:
                findings.append(
                    Finding(
                        "a statistic contradicts the others",
                        "datasets",
                        {"dataset": key},
                        column,
                        f"{low} to {high}",
                        value,
                    )
                )
        hashes = row["sha256"]
        if len(hashes) != (0 if partial else len(SPLITS)) or not all(
            value is None or _HASH.fullmatch(value) for value in hashes
        ):
            findings.append(
                Finding("this is not a SHA-256 for each split", "datasets", named, "sha256", None, list(hashes))
            )
    return Checked.of(len(tables.datasets), findings)


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


def _count_ranked(tables: TableSet, kind: str) -> dict[tuple[str, str], int]:
    """Return, for each dataset and protocol, how many entities or relations are ranked when nothing is filtered."""
    found = {}
    for key in filter(is_protocol, tables.whole["candidates"]["protocol"].cat.categories):
        rule = parse_protocol(key)
        column = f"{kind}_train" if rule.candidates == "seen" else kind
        for dataset, row in tables.datasets.items():
            if rule.negatives is not None:
                found[dataset, key] = rule.negatives + 1
            elif not pd.isna(row[column]):
                # Temporal graphs rank the inverses of relations, too.
                doubled = kind == "relations" and dataset in tables.temporal
                found[dataset, key] = int(row[column]) * (2 if doubled else 1)
    return found


@check("candidates", "1 <= N <= number of entities; weights from 0 to 1", "datasets", "candidates")
def check_candidates(tables: TableSet) -> Checked:
    """Look for numbers of candidates, of tasks and weights that cannot be."""
    entities, relations = _count_ranked(tables, "entities"), _count_ranked(tables, "relations")
    rows, findings = 0, []
    for name in HISTOGRAM_TABLES:
        if name not in tables.sound:
            continue
        frame = tables.sound[name]
        rows += len(frame)
        related = (frame["side"] == RELATION_SIDE).to_numpy()
        largest = np.where(related, _look_up(frame, relations), _look_up(frame, entities))
        sizes = frame["num_candidates"].to_numpy()
        above = frame["offset"].to_numpy() if "offset" in frame else np.zeros_like(sizes)
        protocols = frame["protocol"]
        fixed = protocols.isin(
            [key for key in protocols.cat.categories if is_protocol(key) and parse_protocol(key).known == "none"]
        ).to_numpy()
        # Restricted to some entities, even without a filter not all of them are ranked.
        fixed = fixed & (related | ~(frame["dataset"].isin(tables.restricted) & (protocols == "raw")).to_numpy())
        fixed = fixed & ("offset" not in frame)
        known = ~np.isnan(largest)
        findings += point_out(
            frame, name, ~fixed & known & ((sizes < 1) | (above + sizes > largest)), "num_candidates",
            expected=[f"1 to {value:.0f}" for value in largest], message="a number of candidates is out of range",
        )  # fmt: skip
        findings += point_out(
            frame, name, fixed & known & (sizes != largest), "num_candidates", expected=largest,
            message="without a filter, every task has the same number of candidates",
        )  # fmt: skip
        findings += point_out(
            frame, name, frame["num_tasks"] < 1, "num_tasks", expected="1 or more", message="a row without tasks"
        )
        if "offset" in frame:
            message = "an offset is negative"
            findings += point_out(frame, name, above < 0, "offset", expected="0 or more", message=message)
        if "weight" in frame:
            weights = frame["weight"].to_numpy()
            wrong = ~((weights > 0) & (weights <= 1)) & frame["weight"].notna().to_numpy()
            findings += point_out(
                frame, name, wrong, "weight", expected="above 0, up to 1", message="a weight is out of range"
            )
    return Checked.of(rows, findings)


def _look_up(frame: pd.DataFrame, values: dict[tuple[str, str], int]) -> Values:
    """Return the value of each row's dataset and protocol, NaN where there is none."""
    first, second = frame["dataset"].cat, frame["protocol"].cat
    grid = np.array(
        [[values.get((one, two), np.nan) for two in second.categories] for one in first.categories], dtype=np.float64
    ).reshape(len(first.categories), len(second.categories))
    return np.asarray(grid[first.codes.to_numpy(), second.codes.to_numpy()], dtype=np.float64)


@check("tasks", "one task for each row of the split that is ranked", "datasets", "candidates")
def check_tasks(tables: TableSet) -> Checked:
    """Compare numbers of tasks with the rows of the splits that the datasets table states."""
    frame = tables.sound["candidates"]
    sums = sum_tasks(frame, TASKS)
    keys = zip(*(sums[column].tolist() for column in TASKS), strict=True)
    expected = np.array(
        [
            # On the relation side of temporal graphs, each fact is asked for in both directions.
            count_tasks(tables.datasets[dataset], protocol, split)
            * (2 if side == RELATION_SIDE and dataset in tables.temporal else 1)
            if dataset in tables.datasets
            else np.nan
            for dataset, protocol, split, side in keys
        ],
        dtype=np.float64,
    )
    restricted = sums["dataset"].isin(tables.restricted).to_numpy()
    got = sums["num_tasks"].to_numpy()
    wrong = ~np.isnan(expected) & np.where(restricted, got > expected, got != expected)
    message = "the tasks are not as many as the rows that the protocol ranks"
    findings = point_out(sums, "candidates", wrong, "num_tasks", expected=expected, message=message)
    if "constants" in tables.sound:
        constants = tables.sound["constants"]
        counted = {tasks: histogram.total for tasks, histogram in tables.histograms.items()}
        every, numbers = read_tasks(constants)
        totals = np.array([counted.get(tasks, np.nan) for tasks in every], dtype=np.float64)[numbers]
        wrong = ~np.isnan(totals) & (constants["num_tasks"].to_numpy() != totals)
        message = "the tasks are not as many as their histogram has"
        findings += point_out(constants, "constants", wrong, "num_tasks", expected=totals, message=message)
    return Checked.of(len(frame), findings)


@check("constants", "expectations between worst and best, variances within", "candidates", "constants")
def check_constants(tables: TableSet) -> Checked:
    """Look for expectations beyond what any ranker can get, and for variances that such a range cannot have."""
    frame = tables.sound["constants"]
    optimum, worst = _find_limits(frame, tables.histograms)
    low, high = np.fmin(optimum, worst), np.fmax(optimum, worst)
    known = ~(np.isnan(low) | np.isnan(high))
    value, variance = frame["expectation"].to_numpy(), frame["variance"].to_numpy()
    slack = frame["expectation_error"].to_numpy() + ROUNDING * np.abs(value)
    findings = point_out(
        frame, "constants", known & ((value < low - slack) | (value > high + slack)), "expectation",
        expected=[f"{one!r} to {two!r}" for one, two in zip(low.tolist(), high.tolist(), strict=True)],
        message="the expectation lies beyond the best or the worst ranker",
    )  # fmt: skip
    largest = np.square(high - low) / 4
    slack = frame["variance_error"].to_numpy() + ROUNDING * largest
    findings += point_out(
        frame, "constants", (variance < 0) | (known & (variance > largest + slack)), "variance",
        expected=[f"0 to {one!r}" for one in largest.tolist()],
        message="the variance is negative, or more than the range allows",
    )  # fmt: skip
    counts = frame["metric"].isin([family for family, metric in CATALOGUE.items() if metric.optimum is None]).to_numpy()
    tasks = frame["num_tasks"].to_numpy()
    findings += point_out(
        frame, "constants", counts & (value != tasks), "expectation", expected=tasks, message="this is no count"
    )
    findings += point_out(
        frame, "constants", counts & (variance != 0), "variance", expected=0, message="a count does not vary"
    )
    return Checked.of(len(frame), findings)


def _find_limits(frame: pd.DataFrame, histograms: Mapping[Tasks, Histogram]) -> tuple[Values, Values]:
    """Return the values of the best and of the worst ranker for each row of the constants table, NaN if unknown."""
    kinds, first = code_rows(("metric", "k"), frame)
    pairs = zip(frame["metric"].iloc[first].tolist(), frame["k"].iloc[first].tolist(), strict=True)
    metrics = list(itertools.starmap(read_metric, pairs))
    # No baseline ranks other candidates. Protocols often agree on some tasks, whose limits are computed once.
    every, numbers = read_tasks(frame)
    distinct: dict[Histogram, int] = {}
    held = [distinct.setdefault(histograms[t], len(distinct)) if t in histograms else -1 for t in every]
    ranked = list(distinct)
    cells, places = np.unique(np.array(held, dtype=np.int64)[numbers] * len(metrics) + kinds, return_inverse=True)
    limits = np.full((cells.size, 2), np.nan)
    for place, cell in enumerate(cells.tolist()):
        metric = metrics[cell % len(metrics)]
        if cell >= 0 and metric is not None and metric.optimum is not None:
            one = ranked[cell // len(metrics)]
            limits[place] = metric.optimum, metric.worst(one.num_candidates, one.row_weights)
    optimum, worst = limits[places].T
    return optimum, worst


@check("errors", "errors are small", "constants")
def check_errors(tables: TableSet) -> Checked:
    """Look for errors that are negative, or larger than constants of their method may have."""
    frame = tables.sound["constants"]
    sampled = frame["method"].isin(["sampled"]).to_numpy()
    # Among few candidates, as relations are, medians are all but certain, too.
    few = ((frame["side"] == RELATION_SIDE) & (frame["method"] != "closed_form")).to_numpy()
    chance = frame["baseline"].isin([DEFAULT_BASELINE]).to_numpy() & ~few
    bounds = {"expectation": LARGEST_EXPECTATION_ERROR, "variance": LARGEST_VARIANCE_ERROR}
    share = np.where(chance, LARGEST_SAMPLED_ERROR, OF_BASELINES["sampled"])
    ranks = np.where(chance, 0.0, OF_BASELINES["rank"])
    mean = np.abs(frame["expectation"].to_numpy())
    # A sample in which nothing varies has an error all the same.
    near = np.where(sampled, OF_BASELINES["sampled deviation"], OF_BASELINES["deviation"])
    deviation = np.where(chance, np.where(sampled, NEGLIGIBLE_DEVIATION, 0.0), near) * mean
    least = {
        "expectation": np.where(sampled, ranks, 0.0),
        "variance": np.square(deviation + np.where(sampled, ranks, 0)),
    }
    variance, draws = np.abs(frame["variance"].to_numpy()), frame["num_draws"].fillna(np.inf).to_numpy()
    off = np.where(variance == 0, WITHIN, WITHIN_SEEN)
    seldom = np.where(chance & sampled, np.sqrt((variance + np.square(UNSEEN * off) / draws) / draws), 0.0)
    for column, power in (("expectation", 0), ("variance", 1)):
        least[column] = np.fmax(least[column], seldom * off**power)
    findings = []
    for column, bound in bounds.items():
        value, error = frame[column].to_numpy(), frame[f"{column}_error"].to_numpy()
        part = np.where(sampled, share, np.where(chance, bound, OF_BASELINES[column]))
        largest = np.fmax(part * np.abs(value), least[column])
        wrong = (error < 0) | (error > largest)
        expected = [f"0 to {one!r}" for one in largest.tolist()]
        findings += point_out(
            frame,
            "constants",
            wrong,
            f"{column}_error",
            expected=expected,
            message=f"the error of the {column} is out of range",
        )
    return Checked.of(len(frame), findings)
