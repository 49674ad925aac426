"""Checks of laws: what ties rows to one another, whatever their values are."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from rankconst.catalogue.metrics import CATALOGUE, INVERSES, POWER_MEANS, SQUARES, TABULATED, parse_metric
from rankconst.catalogue.protocols import ENTITY_SIDES, PROTOCOLS, RELATION_SIDE, SPLITS
from rankconst.tables.schema import list_lacking
from rankconst.tasks import Tasks
from rankconst_builder.verify.checks import Finding, check, point_out
from rankconst_builder.verify.ranges import ROUNDING
from rankconst_builder.verify.structure import count_tasks
from rankconst_builder.verify.tableset import TASKS, code_rows, read_metrics, read_tasks, sum_tasks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from rankconst.tasks import Histogram
    from rankconst_builder.verify.checks import Findings
    from rankconst_builder.verify.tableset import TableSet

    Values = NDArray[np.float64]


@check("pooling", "both sides pool head and tail", "candidates", "constants")
def _check_pooling(tables: TableSet) -> Findings:
    frame = tables.sound["constants"]
    numbers, first = code_rows([name for name in (*_SERIES, "metric", "k") if name != "side"], frame)
    places = {side: np.full(len(first), -1) for side in ("both", *ENTITY_SIDES)}
    for side, found in places.items():
        own = np.flatnonzero(frame["side"] == side)
        found[numbers[own]] = own
    whole = np.logical_and.reduce([found >= 0 for found in places.values()])
    both, *sides = (frame.iloc[found[whole]].reset_index(drop=True) for found in places.values())
    tasks = sum(part["num_tasks"] for part in sides)
    message = "the tasks of both sides are not those of head and tail together"
    yield from point_out(both, "constants", both["num_tasks"] != tasks, "num_tasks", message, expected=tasks)
    # Means over tasks: those of both sides follow from those of each, by the part of the weight that it has.
    every, which = read_tasks(both)
    totals = {tasks: histogram.total_weight for tasks, histogram in tables.histograms.items()}
    weights = np.array([[totals.get(side, np.nan) for side in tasks.sides] for tasks in every]).reshape(-1, 2)
    shares = (weights / weights.sum(axis=1, keepdims=True))[which].T
    known = both["metric"].isin([family for family, metric in CATALOGUE.items() if metric.is_mean])
    for column, power in (("expectation", 1), ("variance", 2)):
        parts = [(share**power, part) for share, part in zip(shares, sides, strict=True)]
        expected = sum(share * part[column] for share, part in parts)
        error = both[f"{column}_error"] + sum(share * part[f"{column}_error"] for share, part in parts)
        # Sums of thousands of weights are rounded, too.
        wrong = known & (np.abs(both[column] - expected) > error + 4 * ROUNDING * np.abs(expected))
        message = f"the {column} of both sides does not follow from those of head and tail"
        yield from point_out(both, "constants", wrong, column, message, expected=expected)
    return len(both)


_SERIES = (*TASKS, "aggregation", "baseline")

_WIDER = (
    ("standard", "libkge"),
    ("libkge", "raw"),
    ("static", "time-aware"),
    ("time-aware", "raw"),
    ("stare", "qualified"),
    ("qualified", "raw"),
)
"""Pairs of protocols of which the first filters all that the second does."""


@check("filters", "a wider filter never leaves more candidates", "datasets", "candidates")
def _check_filters(tables: TableSet) -> Findings:
    rows = 0
    for dataset, split, side in itertools.product(tables.datasets, SPLITS, (*ENTITY_SIDES, RELATION_SIDE)):
        every = {protocol: Tasks(dataset, protocol, split, side) for protocol in PROTOCOLS}
        parts = {key: tables.histograms[tasks] for key, tasks in every.items() if tasks in tables.histograms}
        rows += sum(map(len, parts.values()))
        equal = [("standard", "libkge")] if split == "test" else []
        row = tables.counted.get(dataset)
        if row is not None and not tables.lacks(dataset) and row["entities"] == row["entities_train"]:
            # Protocol pykeen ranks every entity; if every row, too, it is libkge.
            whole = count_tasks(row, "pykeen", split) == row[f"triples_{split}"]
            equal += [("pykeen", "libkge")] if whole else []
        for pairs, is_equal in ((_WIDER, False), (equal, True)):
            for one, other in pairs:
                if one in parts and other in parts:
                    yield from _compare_filters(every[one], parts[one], other, parts[other], is_equal)
    return rows


def _compare_filters(tasks: Tasks, one: Histogram, other: str, many: Histogram, is_equal: bool) -> Iterator[Finding]:
    """Compare, for each number of candidates, how many tasks have that, or no more than that."""
    sizes = np.union1d(one.num_candidates, many.num_candidates)
    got, wanted = np.zeros((2, len(sizes)), dtype=np.int64)
    for counts, part in ((got, one), (wanted, many)):
        counts[np.searchsorted(sizes, part.num_candidates)] = part.num_tasks
    message = f"the tasks differ from those of protocol {other}, which are the same"
    if not is_equal:
        got, wanted = got.cumsum(), wanted.cumsum()
        message = f"fewer tasks have this number of candidates or less than under protocol {other}, which filters less"
    for place in np.flatnonzero(got != wanted if is_equal else got < wanted):
        key = {**{name: getattr(tasks, name) for name in TASKS}, "num_candidates": int(sizes[place])}
        expected = int(wanted[place]) if is_equal else f"{wanted[place]} or more"
        yield Finding(message, "candidates", key, "num_tasks", expected, int(got[place]))


def _compare_sums(
    table: str, columns: list[str], expected: pd.DataFrame, got: pd.DataFrame, message: str, **named: str
) -> list[Finding]:
    """Compare numbers of tasks, summed by key; a key that only one side has counts as 0 on the other."""
    (wanted, found), first = sum_tasks(columns, expected, got)
    wrong = wanted != found
    if not wrong.any():
        return []
    rows = pd.concat([side[columns] for side in (expected, got)]).iloc[first].assign(num_tasks=found, **named)
    return point_out(rows, table, wrong, "num_tasks", message, expected=wanted)


def _share_tasks(frame: pd.DataFrame, other: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of `frame` whose set of tasks has rows in `other`, too."""
    numbers, _ = code_rows(TASKS, frame, other)
    return frame[np.isin(numbers[: len(frame)], numbers[len(frame) :])]


_COUNTS = [*TASKS, "num_candidates"]

_POOL = "the tasks, pooled, are not those of the candidates table"


@check("macro", "weights are 1 / k, and pool to the candidates", "candidates", "macro_candidates")
def _check_macro(tables: TableSet) -> Findings:
    frame = tables.sound["macro_candidates"]
    for aggregation in frame["aggregation"].cat.categories:
        rows = frame[frame["aggregation"] == aggregation]
        # Sets of tasks that have no weights at all are the business of another check.
        expected = _share_tasks(tables.sound["candidates"], rows)
        yield from _compare_sums("macro_candidates", _COUNTS, expected, rows, _POOL, aggregation=aggregation)
        query = ["num_candidates"] if aggregation == "macro-query" else []
        yield from _check_groups("macro_candidates", rows, [*TASKS, "aggregation", *query])
    if (relations := tables.sound.get("candidates_by_relation")) is not None:
        # The weights of macro-relation follow from the tasks of each relation.
        numbers, _ = code_rows([*TASKS, "relation"], relations)
        (totals,), _ = sum_tasks([*TASKS, "relation"], relations)
        rows = frame[frame["aggregation"] == "macro-relation"]
        expected, found = (
            _share_tasks(relations.assign(weight=1.0 / totals[numbers]), rows),
            _share_tasks(rows, relations),
        )
        message, columns = "the weighted tasks do not follow from those of the relations", [*_COUNTS, "weight"]
        yield from _compare_sums("macro_candidates", columns, expected, found, message, aggregation="macro-relation")
    return len(frame)


def _check_groups(table: str, frame: pd.DataFrame, columns: list[str]) -> Iterator[Finding]:
    """Check that weights are 1 / k, and that tasks of such a weight come in groups of k within some columns."""
    with np.errstate(divide="ignore", invalid="ignore"):
        sizes = np.rint(1.0 / frame["weight"])
        right = (sizes >= 1) & (frame["weight"] == 1.0 / sizes)
    yield from point_out(frame, table, ~right, "weight", "this is not 1 over a whole number", expected="1 / k")
    (sums,), first = sum_tasks([*columns, "weight"], frame[right])
    rows = frame[right].iloc[first].assign(num_tasks=sums)
    group = np.rint(1.0 / rows["weight"])
    expected = [f"a multiple of {one:.0f}" for one in group]
    message = "tasks of this weight do not come in whole groups"
    yield from point_out(
        rows[[*columns, "weight", "num_tasks"]], table, sums % group != 0, "num_tasks", message, expected=expected
    )


@check("relations", "relations pool to the candidates", "datasets", "candidates", "candidates_by_relation")
def _check_relations(tables: TableSet) -> Findings:
    table, frame = "candidates_by_relation", tables.sound["candidates_by_relation"]
    yield from _compare_sums(table, _COUNTS, _share_tasks(tables.sound["candidates"], frame), frame, _POOL)
    # As many tasks on either side, relation by relation.
    keys = ["dataset", "protocol", "split", "relation"]
    heads, tails = (frame[frame["side"] == side] for side in ENTITY_SIDES)
    message = "the relation has another number of tasks on the tail side than on the head side"
    yield from _compare_sums(table, keys, heads, tails, message, side="tail")
    for dataset, count in frame.groupby("dataset", observed=True)["relation"].nunique().items():
        row = tables.datasets.get(str(dataset))
        if row is not None and count > row["relations"]:
            message, key = "there are more relations than the dataset has", {"dataset": str(dataset)}
            yield Finding(message, table, key, "relation", int(row["relations"]), int(count))
    return len(frame)


@check("baselines", "every baseline ranks the tasks that there are", "candidates")
def _check_baselines(tables: TableSet) -> Findings:
    of_chance = {
        "baseline_candidates": ("candidates", [*TASKS]),
        "baseline_candidates_by_relation": ("candidates_by_relation", [*TASKS, "relation"]),
    }
    frames = {name: tables.sound[name] for name in of_chance if {name, of_chance[name][0]} <= {*tables.sound}}
    for name, frame in frames.items():
        whole, keys = tables.sound[of_chance[name][0]], of_chance[name][1]
        message = "the number of tasks is another than without the baseline"
        for baseline in frame["baseline"].cat.categories:
            rows = frame[frame["baseline"] == baseline]
            yield from _compare_sums(name, keys, _share_tasks(whole, rows), rows, message, baseline=baseline)
    pooled, single = map(tables.sound.get, of_chance)
    if pooled is not None and single is not None:
        keys = [*TASKS, "baseline", "offset", "num_candidates"]
        message = "relations do not pool to these tasks"
        yield from _compare_sums("baseline_candidates", keys, single, pooled, message)
    name = "baseline_candidates_by_relation"
    if single is not None and not list_lacking(name, tables.version):
        yield from _check_groups(name, single, [*TASKS, "baseline", "relation"])
    return sum(map(len, frames.values()))


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
def _check_inequalities(tables: TableSet) -> Findings:
    frame = tables.sound["constants"]
    numbers, first = code_rows(_SERIES, frame)
    metrics, kinds = read_metrics(frame)
    names = [metric.key if metric else "" for metric in metrics]
    wide = np.full((2, len(names), len(first)), np.nan)
    for values, column in zip(wide, ("expectation", "expectation_error"), strict=True):
        values[kinds, numbers] = frame[column].to_numpy()
    value, error = (dict(zip(names, values, strict=True)) for values in wide)

    def blame(name: str, wrong: NDArray[np.bool_], limit: Values, message: str) -> list[Finding]:
        metric = parse_metric(name)
        k = np.nan if metric.k is None else metric.k
        rows = frame.iloc[first].assign(metric=metric.family, k=k, expectation=value[name])
        return point_out(rows, "constants", wrong, "expectation", message, expected=limit)

    for below, above in _list_ascending():
        if below in value and above in value:
            slack = error[below] + error[above] + ROUNDING * np.abs(value[above])
            message = f"it is above {above}, which no ranks make smaller"
            yield from blame(below, value[below] > value[above] + slack, value[above], message)
    # The expectations of x and 1/x multiply to 1 or more; that of x, squared, is at most that of x^2.
    for one, other in ((base.key, inverse.key) for base, inverse in INVERSES):
        if one in value and other in value:
            product = value[one] * value[other]
            slack = error[one] * value[other] + error[other] * value[one] + ROUNDING * product
            with np.errstate(divide="ignore"):
                limit = 1 / value[other]
            yield from blame(one, product < 1 - slack, limit, f"multiplied by {other} it is less than 1")
    for one, square in ((root.key, square.key) for root, square in SQUARES):
        if one in value and square in value:
            product, limit = value[one] ** 2, value[square] + error[square]
            wrong = product > limit + (2 * error[one] * value[one] + ROUNDING * product)
            yield from blame(one, wrong, np.sqrt(np.maximum(limit, 0)), f"its square is above {square}")
    return len(frame)
