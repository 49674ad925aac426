"""Honest tables of random ranking tasks are never understood wrongly, and no honest value is called wrong.

Three kinds: graphs of the tables; graphs that are in no table, of which none is named; tables
without a dataset column whose rows are of both sides and of one.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from carried import open_once
from cases import choose
from rankconst.catalogue.metrics import parse_metric
from rankconst.checks import confirm_reading
from rankconst.checks.checking import check_reading
from rankconst.errors import AskedError, RankconstError
from rankconst.evaluation import Address
from rankconst.moments import compute_moments
from rankconst.results.batches import adjust_reading
from rankconst.results.formats import read_document
from rankconst.tasks import Histogram, Tasks
from rankconst.values.constants import Constants
from readings import write_csv

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

METRICS = ("mr", "mrr", "hits@1", "hits@10")
FORMS = ("normalised", "index", "z")
ALIKE = {"raw", "sam"}  # how the names of protocols begin whose tasks are alike
TABLES = open_once()

Numbers = dict[tuple[str, str], float]
"""Metric and form, empty for the base value, to a number."""


def evaluate(
    histogram: Histogram, find: Callable[[str], Constants], rng: np.random.Generator
) -> Numbers:
    """Return the numbers of a model: ranks drawn for every task, weighed as the tasks are."""
    sizes = np.repeat(histogram.num_candidates, histogram.num_tasks)
    weights = None
    if histogram.weights is not None:
        weights = np.repeat(histogram.weights, histogram.num_tasks)
    ranks = np.maximum(np.ceil(sizes * rng.random(sizes.size) ** rng.uniform(1.5, 6.0)), 1.0)
    numbers: Numbers = {}
    means = (ranks, 1 / ranks, ranks <= 1, ranks <= 10)
    for name, values in zip(METRICS, means, strict=True):
        numbers[name, ""] = float(np.average(values, weights=weights))
        for form in FORMS:
            try:
                numbers[name, form] = float(getattr(find(name), form)(numbers[name, ""]))
            except RankconstError:
                continue
    return numbers


def round_to(value: float, digits: int | None) -> str:
    """Write a number in full, with 32 bits, or to some decimals."""
    if digits is None:
        return repr(value)
    return repr(float(np.float32(value))) if digits == 0 else f"{value:.{digits}f}"


def write_table(
    rows: Sequence[tuple[dict[str, str], Numbers]], rng: np.random.Generator, *, whole: bool = False
) -> str:
    """Write a table with some metrics and their adjusted values, to 3 to 6 decimals or in full.

    If `whole`, as a program does: all metrics and every digit.
    """
    digits = [None, 0, 3, 4, 5, 6][int(rng.integers(2 if whole else 6))]
    keys = []  # of adjusted values with a name
    for name, form in rows[0][1]:
        if form and parse_metric(name).name_of(form):
            keys.append((name, form))
    keys = [key for key in keys if all(key in numbers for _, numbers in rows)]
    size = len(keys) if whole else rng.integers(1, len(keys) + 1)
    chosen = [keys[place] for place in rng.permutation(len(keys))[:size]]
    chosen = [*dict.fromkeys((name, "") for name, _ in chosen), *chosen]
    metrics = [parse_metric(name) for name, _ in chosen]
    labels: list[object] = []
    for metric, (_, form) in zip(metrics, chosen, strict=True):
        labels.append(metric.name_of(form) if form else metric.label)
    texts = [
        [*words.values(), *(round_to(numbers[key], digits) for key in chosen)]
        for words, numbers in rows
    ]
    return write_csv([[*rows[0][0], *labels], *texts])


def judge(text: str, truths: Sequence[Tasks | None], user: Address) -> bool:
    """Check and adjust a file, as a user does who follows each question; tell whether it was adjusted.

    `truths` has the tasks of each row, None for a graph that is in no table.
    """
    reading = read_document("results.csv", text)
    found = check_reading(reading, TABLES, user)
    assert not found.num_errors, (truths, text, found)
    assert None not in truths or not any(ask.field == "tasks" for ask in found.asked), text
    for _ in range(3):
        try:
            adjusted = adjust_reading(confirm_reading(reading, TABLES, user), TABLES, user)
            break
        except AskedError as error:
            options = {ask.option for ask in error.questions}
            if len(options) != 1 or " or " in (words := options.pop()):
                return False
            pairs = zip(words.split()[::2], words.split()[1::2], strict=True)
            answers: dict[str, Any] = {name[2:]: key for name, key in pairs}
            user = replace(user, **answers)
        except RankconstError:
            return False
    else:
        return False
    for each in adjusted.entries:
        if each.constants is not None:
            truth = truths[0] if len(truths) == 1 else truths[each.entry.row]
            assert truth is not None and same_constants(each.constants, truth), (truth, text)
    return True


def same_constants(found: Constants, truth: Tasks) -> bool:
    """Tell whether constants are those of some tasks, but for the last digits."""
    own = TABLES.look_up(truth, found.metric)
    pairs = (found.expectation, own.expectation), (found.variance, own.variance)
    are_close = all(math.isclose(*pair, rel_tol=1e-9) for pair in pairs)
    return found.num_tasks == own.num_tasks and are_close


@lru_cache(maxsize=1)
def list_sets() -> list[Tasks]:
    """Return the sets of tasks that ranks can be drawn for in no time."""
    names = ("dataset", "protocol", "split", "side")
    rows = TABLES.read("constants").select([*names, "num_tasks"]).to_pylist()
    sets = {Tasks(*(row[name] for name in names)) for row in rows if row["num_tasks"] <= 50_000}
    # Among equally many candidates no number tells one split from another.
    plain = (each for each in sets if each.side != "relation" and each.protocol[:3] not in ALIKE)
    return sorted(plain, key=str)


def evaluate_tabled(tasks: Tasks, rng: np.random.Generator) -> Numbers:
    """Return the numbers of a model on tasks of the tables."""
    histogram = TABLES.histogram(tasks)
    return evaluate(histogram, lambda name: TABLES.look_up(tasks, parse_metric(name)), rng)


def simulate_tabled(rng: np.random.Generator) -> bool:
    """Judge a table of a graph of the tables, the dataset given or not."""
    tasks = list_sets()[rng.integers(len(list_sets()))]
    user = Address(dataset=tasks.dataset) if rng.random() < 0.5 else Address()
    # Few numbers of one model are those of several tasks.
    text = write_table([({"model": "m"}, evaluate_tabled(tasks, rng))], rng, whole=True)
    return judge(text, [tasks], user)


def simulate_foreign(rng: np.random.Generator) -> bool:
    """Judge a table of a graph that is in no table: few known answers as a rule, many at times."""
    entities = int(10 ** rng.uniform(1, 5))
    triples = int(10 ** rng.uniform(2, 5) / 2) + 1
    known = rng.pareto(rng.uniform(0.5, 2.0), 2 * triples) * rng.uniform(0.1, 5)
    histogram = Histogram.from_counts(entities - np.minimum(known, entities - 1).astype(int))

    def find(name: str) -> Constants:
        metric = parse_metric(name)
        return Constants(Tasks("own"), metric, histogram, compute_moments(metric, histogram))

    count = {"num_tasks": str(2 * triples)} if rng.random() < 0.5 else {}
    text = write_table([({"model": "m", **count}, evaluate(histogram, find, rng))], rng)
    return judge(text, [None], Address())


def simulate_mixed(rng: np.random.Generator) -> bool:
    """Judge a table whose rows are of both sides and of one, with a column of sides or without."""
    first = list_sets()[rng.integers(len(list_sets()))]
    sides: Iterable[str] = ("both",) if rng.random() < 0.5 else ("both", "head", "tail")
    is_named = rng.random() < 0.5
    truths, rows = [], []
    for model in range(rng.integers(1, 6)):
        tasks = replace(first, side=str(rng.choice([*sides])))
        words = {"model": f"m{model}"} | ({"side": tasks.side} if is_named else {})
        rows.append((words, evaluate_tabled(tasks, rng)))
        truths.append(tasks)
    return judge(write_table(rows, rng), truths, Address())


@pytest.mark.slow
@pytest.mark.parametrize("simulate", [simulate_tabled, simulate_foreign, simulate_mixed])
def test_nothing_is_wrong(simulate: Callable[[np.random.Generator], bool]) -> None:
    files, rng = choose(8, 25), np.random.default_rng(7)
    num_adjusted = sum(simulate(rng) for _ in range(files))
    # Where the tables hold the tasks, most files tell them; a foreign graph is never named.
    if simulate is simulate_foreign:
        assert num_adjusted == 0
    else:
        assert num_adjusted >= 0.4 * files
