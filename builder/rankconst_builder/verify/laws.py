"""Checks of laws: what ties rows to one another, whatever their values are."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from rankconst.catalogue.metrics import CATALOGUE, INVERSES, POWER_MEANS, SQUARES, TABULATED, parse_metric
from rankconst.catalogue.protocols import ENTITY_SIDES, PROTOCOLS, RELATION_SIDE, SPLITS
from rankconst.tables.schema import list_lacking
from rankconst.tasks import Tasks
from rankconst_builder.verify.checks import Checked, Finding, check, point_out
from rankconst_builder.verify.ranges import ROUNDING
from rankconst_builder.verify.structure import TASKS
from rankconst_builder.verify.tableset import code_rows, read_k, read_tasks, sum_tasks

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from rankconst.tasks import Histogram
    from rankconst_builder.verify.tableset import TableSet

    Values = NDArray[np.float64]


_ROW = ["dataset", "protocol", "split", "aggregation", "baseline", "metric", "k"]


@check("pooling", "both sides pool head and tail", "candidates", "constants")
def check_pooling(tables: TableSet) -> Checked:
    """Compare both sides with head and tail: tasks add up, and means are means of means."""
    frame = tables.sound["constants"]
    numbers, first = code_rows(_ROW, frame)
    places = {side: np.full(len(first), -1) for side in ("head", "tail", "both")}
    for side, found in places.items():
        own = np.flatnonzero((frame["side"] == side).to_numpy())
        found[numbers[own]] = own
    whole = np.logical_and.reduce([found >= 0 for found in places.values()])
    joined = frame.iloc[places["both"][whole]]
    rows = {
        name + ("" if side == "both" else f"_{side}"): frame[name].to_numpy()[found[whole]]
        for side, found in places.items()
        for name in ("num_tasks", "expectation", "expectation_error", "variance", "variance_error")
    }
    tasks = rows["num_tasks_head"] + rows["num_tasks_tail"]
    message = "the tasks of both sides are not those of head and tail together"
    findings = point_out(joined, "constants", rows["num_tasks"] != tasks, "num_tasks", expected=tasks, message=message)
    shares = _share_out(joined, {tasks: histogram.total_weight for tasks, histogram in tables.histograms.items()})
    # Means over tasks: those of both sides follow from those of each.
    means = [family for family, metric in CATALOGUE.items() if metric.is_mean]
    known = joined["metric"].isin(means).to_numpy() & ~np.isnan(shares["head"]) & ~np.isnan(shares["tail"])
    for column, power in (("expectation", 1), ("variance", 2)):
        expected = sum(shares[side] ** power * rows[f"{column}_{side}"] for side in ("head", "tail"))
        errors = [shares[side] ** power * rows[f"{column}_error_{side}"] for side in ("head", "tail")]
        # Sums of thousands of weights are rounded, too.
        slack = rows[f"{column}_error"] + sum(errors) + 4 * ROUNDING * np.abs(expected)
        wrong = known & (np.abs(rows[column] - expected) > slack)
        message = f"the {column} of both sides does not follow from those of head and tail"
        findings += point_out(joined, "constants", wrong, column, expected=expected, message=message)
    return Checked.of(len(joined), findings)


def _share_out(frame: pd.DataFrame, totals: Mapping[Tasks, float]) -> dict[str, Values]:
    """Return what part of the weight of both sides each side has, a row of `frame`; NaN if unknown."""
    every, numbers = read_tasks(frame)
    weights = {
        side: np.array([totals.get(replace(tasks, side=side), np.nan) for tasks in every], dtype=np.float64)[numbers]
        for side in ("head", "tail")
    }
    whole = weights["head"] + weights["tail"]
    whole = np.where(whole > 0, whole, np.nan)
    return {side: weight / whole for side, weight in weights.items()}


@check("filters", "a wider filter never leaves more candidates", "datasets", "candidates")
def check_filters(tables: TableSet) -> Checked:
    """Compare protocols: a wider filter never leaves more candidates, and equal filters leave the same."""
    findings, rows = [], 0
    for dataset, row in tables.datasets.items():
        for split, side in itertools.product(SPLITS, (*ENTITY_SIDES, RELATION_SIDE)):
            parts = {
                protocol: tables.histograms[tasks]
                for protocol in PROTOCOLS
                if (tasks := Tasks(dataset, protocol, split, side)) in tables.histograms
            }
            rows += sum(map(len, parts.values()))
            for few, more in (
                ("standard", "libkge"),
                ("libkge", "raw"),
                ("static", "time-aware"),
                ("time-aware", "raw"),
                ("stare", "qualified"),
                ("qualified", "raw"),
            ):
                if few in parts and more in parts:
                    findings += _compare_filters(Tasks(dataset, few, split, side), parts[few], more, parts[more])
            for one, other in _equal_protocols(row, split, dataset in tables.counted and not tables.lacks(dataset)):
                if one in parts and other in parts:
                    findings += _compare_equal(Tasks(dataset, one, split, side), parts[one], other, parts[other])
    return Checked.of(rows, findings)


def _equal_protocols(row: dict[str, Any], split: str, counted: bool) -> Iterator[tuple[str, str]]:
    """Return protocols that rank the same tasks among the same candidates."""
    if split == "test":
        yield "standard", "libkge"
    if not counted:
        return
    facts = row["duplicates_train"] if split == "train" else row[f"dropped_{split}"], row["entities_train"]
    if any(map(pd.isna, facts)):
        return
    dropped = int(facts[0])
    if int(row["entities"]) == int(row["entities_train"]) and not dropped:
        yield "pykeen", "libkge"


def _name(tasks: Tasks) -> dict[str, str]:
    return {column: getattr(tasks, column) for column in TASKS}


def _compare_filters(tasks: Tasks, few: Histogram, other: str, more: Histogram) -> list[Finding]:
    """Compare, for each number of candidates, how many tasks have no more than that."""
    sizes = np.union1d(few.num_candidates, more.num_candidates)
    counts = [
        np.cumsum(np.concatenate(([0], part.num_tasks)))[np.searchsorted(part.num_candidates, sizes, "right")]
        for part in (few, more)
    ]
    wrong = np.flatnonzero(counts[0] < counts[1])
    named = _name(tasks)
    return [
        Finding(
            f"fewer tasks have this number of candidates or less than under protocol {other}, which filters less",
            "candidates", {**named, "num_candidates": int(sizes[place])}, "num_tasks",
            f"{counts[1][place]} or more", int(counts[0][place]),
        )
        for place in wrong
    ]  # fmt: skip


def _compare_equal(tasks: Tasks, one: Histogram, other_name: str, other: Histogram) -> list[Finding]:
    got, expected = (
        dict(zip(part.num_candidates.tolist(), part.num_tasks.tolist(), strict=True)) for part in (one, other)
    )
    named = _name(tasks)
    return [
        Finding(
            f"the tasks differ from those of protocol {other_name}, which are the same",
            "candidates", {**named, "num_candidates": size}, "num_tasks", expected.get(size), got.get(size),
        )
        for size in sorted({*got} | {*expected})
        if got.get(size) != expected.get(size)
    ]  # fmt: skip


def _compare_sums(
    table: str, columns: list[str], expected: pd.DataFrame, got: pd.DataFrame, message: str, **named: str
) -> list[Finding]:
    """Compare numbers of tasks, summed by key; a key that only one side has counts as 0 on the other."""
    numbers, first = code_rows(columns, expected, got)
    sums = np.zeros((2, len(first)), dtype=np.int64)
    for total, part, side in zip(sums, (expected, got), np.split(numbers, [len(expected)]), strict=True):
        np.add.at(total, side, part["num_tasks"].to_numpy())
    wrong = sums[0] != sums[1]
    if not wrong.any():
        return []
    rows = pd.concat([side[columns] for side in (expected, got)], ignore_index=True).iloc[first]
    rows = rows.assign(num_tasks=sums[1], **named)
    return point_out(rows, table, wrong, "num_tasks", expected=sums[0], message=message)


def _share_tasks(frame: pd.DataFrame, other: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of `frame` whose set of tasks has rows in `other`, too."""
    numbers, first = code_rows(TASKS, frame, other)
    there = np.zeros(len(first), dtype=np.bool_)
    there[numbers[len(frame) :]] = True
    return frame[there[numbers[: len(frame)]]]


_COUNTS = [*TASKS, "num_candidates"]


@check("macro", "weights are 1 / k, and pool to the candidates", "candidates", "macro_candidates")
def check_macro(tables: TableSet) -> Checked:
    """Compare the weighted tasks with the candidates: the same tasks, and weights 1 / k of groups of k tasks."""
    frame = tables.sound["macro_candidates"]
    sizes, wrong, findings = _find_sizes("macro_candidates", frame)
    for aggregation in frame["aggregation"].cat.categories:
        rows = frame[(frame["aggregation"] == aggregation).to_numpy()]
        # Sets of tasks that have no weights at all are the business of another check.
        expected = _share_tasks(tables.sound["candidates"], rows)
        findings += _compare_sums("macro_candidates", _COUNTS, expected, rows, _POOL, aggregation=aggregation)
    whole = frame.assign(group=sizes)[~wrong]
    for aggregation, columns in (("macro-query", ["num_candidates"]), ("macro-relation", [])):
        rows = whole[(whole["aggregation"] == aggregation).to_numpy()]
        findings += _check_groups("macro_candidates", rows, [*TASKS, "aggregation", *columns])
    if "candidates_by_relation" in tables.sound:
        findings += _check_relation_weights(frame, tables.sound["candidates_by_relation"])
    return Checked.of(len(frame), findings)


_POOL = "the tasks, pooled, are not those of the candidates table"


def _find_sizes(table: str, frame: pd.DataFrame) -> tuple[Values, NDArray[np.bool_], list[Finding]]:
    """Return the k of weights 1 / k, which weights are not that, and the findings."""
    weights = frame["weight"].to_numpy()
    with np.errstate(divide="ignore", invalid="ignore"):
        sizes = np.rint(1.0 / weights)
        wrong = ~((sizes >= 1) & (weights == 1.0 / sizes))
    message = "this is not 1 over a whole number"
    return sizes, wrong, point_out(frame, table, wrong, "weight", expected="1 / k", message=message)


def _check_groups(table: str, frame: pd.DataFrame, columns: list[str]) -> list[Finding]:
    """Check that tasks of weight 1 / k come in groups of k within some columns."""
    sums = sum_tasks(frame, [*columns, "weight", "group"])
    wrong = sums["num_tasks"].to_numpy() % sums["group"].to_numpy() != 0
    expected = [f"a multiple of {one:.0f}" for one in sums["group"].tolist()]
    message = "tasks of this weight do not come in whole groups"
    return point_out(sums, table, wrong, "num_tasks", expected=expected, message=message)


def _check_relation_weights(frame: pd.DataFrame, relations: pd.DataFrame) -> list[Finding]:
    """Derive the weights of macro-relation from the tasks of each relation, and compare."""
    numbers, first = code_rows([*TASKS, "relation"], relations)
    totals = np.zeros(len(first), dtype=np.int64)
    np.add.at(totals, numbers, relations["num_tasks"].to_numpy())
    derived = relations.assign(weight=1.0 / totals[numbers])
    got = frame[(frame["aggregation"] == "macro-relation").to_numpy()]
    expected, found = _share_tasks(derived, got), _share_tasks(got, relations)
    message = "the weighted tasks do not follow from those of the relations"
    columns = [*_COUNTS, "weight"]
    return _compare_sums("macro_candidates", columns, expected, found, message, aggregation="macro-relation")


@check("relations", "relations pool to the candidates", "datasets", "candidates", "candidates_by_relation")
def check_relations(tables: TableSet) -> Checked:
    """Compare the tasks of all relations, pooled, with the candidates of valid and test."""
    frame = tables.sound["candidates_by_relation"]
    expected = _share_tasks(tables.sound["candidates"], frame)
    findings = _compare_sums("candidates_by_relation", _COUNTS, expected, frame, _POOL)
    # As many tasks on either side, relation by relation.
    keys = ["dataset", "protocol", "split", "relation"]
    heads, tails = (frame[(frame["side"] == side).to_numpy()] for side in ("head", "tail"))
    message = "the relation has another number of tasks on the tail side than on the head side"
    findings += _compare_sums("candidates_by_relation", keys, heads, tails, message, side="tail")
    _, first = code_rows(("dataset", "relation"), frame)
    for dataset, count in Counter(frame["dataset"].iloc[first].tolist()).items():
        row = tables.datasets.get(dataset)
        if row is not None and count > row["relations"]:
            findings.append(
                Finding(
                    "there are more relations than the dataset has", "candidates_by_relation",
                    {"dataset": dataset}, "relation", int(row["relations"]), count,
                )
            )  # fmt: skip
    return Checked.of(len(frame), findings)


@check("baselines", "every baseline ranks the tasks that there are", "candidates")
def check_baselines(tables: TableSet) -> Checked:
    """Compare the tasks of each baseline with those of chance: all together, and relation by relation."""
    message = "the number of tasks is another than without the baseline"
    findings, length = [], 0
    for name, of_chance, keys in (
        ("baseline_candidates", "candidates", [*TASKS]),
        ("baseline_candidates_by_relation", "candidates_by_relation", [*TASKS, "relation"]),
    ):
        if name not in tables.sound or of_chance not in tables.sound:
            continue
        frame, whole = tables.sound[name], tables.sound[of_chance]
        length += len(frame)
        for baseline in frame["baseline"].cat.categories:
            rows = frame[(frame["baseline"] == baseline).to_numpy()]
            findings += _compare_sums(name, keys, _share_tasks(whole, rows), rows, message, baseline=baseline)
    pooled, single = (tables.sound.get(name) for name in ("baseline_candidates", "baseline_candidates_by_relation"))
    if pooled is not None and single is not None:
        keys = [*TASKS, "baseline", "offset", "num_candidates"]
        findings += _compare_sums("baseline_candidates", keys, single, pooled, "relations do not pool to these tasks")
    if single is not None and not list_lacking("baseline_candidates_by_relation", tables.version):
        sizes, wrong, found = _find_sizes("baseline_candidates_by_relation", single)
        whole = single.assign(group=sizes)[~wrong]
        findings += found
        findings += _check_groups("baseline_candidates_by_relation", whole, [*TASKS, "baseline", "relation"])
    return Checked.of(length, findings)


def _list_ascending() -> Iterator[tuple[str, str]]:
    """Yield the keys of two metrics of which the first is never above the second, whatever the ranks."""
    inverses = [mean.inverse for mean in reversed(POWER_MEANS)]
    hits = [metric for metric in TABULATED if metric.takes_k]
    for chain in (POWER_MEANS, [metric for metric in inverses if metric is not None], hits):
        yield from itertools.pairwise(metric.key for metric in chain)
    for metric in CATALOGUE.values():
        if metric.never_below:
            yield metric.never_below, metric.key


@check("inequalities", "Hits@k and means in their order", "constants")
def check_inequalities(tables: TableSet) -> Checked:
    """Compare metrics of the same tasks: means of other powers, Hits@k of other k, inverses."""
    frame = tables.sound["constants"]
    numbers, first = code_rows([*TASKS, "aggregation", "baseline"], frame)
    table = frame.iloc[first]
    kinds, where = code_rows(("metric", "k"), frame)
    pairs = zip(frame["metric"].iloc[where].tolist(), map(read_k, frame["k"].iloc[where].tolist()), strict=True)
    names = [family if k is None else f"{family.removesuffix('k')}{k}" for family, k in pairs]
    wide = np.full((2, len(names), len(first)), np.nan)
    for values, column in zip(wide, ("expectation", "expectation_error"), strict=True):
        values[kinds, numbers] = frame[column].to_numpy()
    value, error = (dict(zip(names, values, strict=True)) for values in wide)
    findings: list[Finding] = []

    def blame(name: str, wrong: NDArray[np.bool_], limit: Values, message: str) -> None:
        if wrong.any():
            metric = parse_metric(name)
            k = np.nan if metric.k is None else metric.k
            rows = table.assign(metric=metric.family, k=k, expectation=value[name])
            findings.extend(point_out(rows, "constants", wrong, "expectation", expected=limit, message=message))

    for below, above in _list_ascending():
        if below in value and above in value:
            slack = error[below] + error[above] + ROUNDING * np.abs(value[above])
            wrong = value[below] > value[above] + slack
            blame(below, wrong, value[above], f"it is above {above}, which no ranks make smaller")
    # The expectations of x and 1/x multiply to 1 or more; that of x, squared, is at most that of x^2.
    for one, other in ((base.key, inverse.key) for base, inverse in INVERSES):
        if one in value and other in value:
            product = value[one] * value[other]
            slack = error[one] * value[other] + error[other] * value[one] + ROUNDING * product
            with np.errstate(divide="ignore"):
                blame(one, product < 1 - slack, 1 / value[other], f"multiplied by {other} it is less than 1")
    for one, square in ((root.key, square.key) for root, square in SQUARES):
        if one in value and square in value:
            product, limit = value[one] ** 2, value[square] + error[square]
            wrong = product > limit + (2 * error[one] * value[one] + ROUNDING * product)
            blame(one, wrong, np.sqrt(np.maximum(limit, 0)), f"its square is above {square}")
    return Checked.of(len(frame), findings)
