"""Honest results files of random ranking tasks are never understood wrongly, and no honest value is called wrong.

Three kinds: graphs of the tables; graphs that are in no table, of which none is named; tables
without a dataset column whose rows are of both sides and of one.
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections import defaultdict
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

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rankconst.evaluation import Question

METRICS = ("mr", "mrr", "hits@1", "hits@10")
FORMS = ("normalised", "index", "z")
# What papers, and what PyKEEN calls adjusted values.
LABELS = {
    (each, form): name
    for each in METRICS
    for form in FORMS
    if (name := parse_metric(each).name_of(form))
}
NAMES = {
    ("mr", "normalised"): "adjusted_arithmetic_mean_rank",
    ("mr", "index"): "adjusted_arithmetic_mean_rank_index",
    ("mr", "z"): "z_arithmetic_mean_rank",
    ("mrr", "index"): "adjusted_inverse_harmonic_mean_rank",
    ("mrr", "z"): "z_inverse_harmonic_mean_rank",
    ("hits@10", "index"): "adjusted_hits_at_k",
    ("hits@10", "z"): "z_hits_at_k",
}

Numbers = dict[tuple[str, str], float]
Outcomes = dict[str, list[str]]
"""What became of files: outcome to examples."""


def evaluate(
    histogram: Histogram, find: Callable[[str], Constants], rng: np.random.Generator
) -> Numbers:
    """Return the numbers of a model: ranks drawn for every task, weighed as the tasks are."""
    sizes = np.repeat(histogram.num_candidates, histogram.num_tasks)
    weights = None
    if histogram.weights is not None:
        weights = np.repeat(histogram.weights, histogram.num_tasks)
    skill = rng.uniform(1.5, 6.0)
    ranks = np.maximum(np.ceil(sizes * rng.random(sizes.size) ** skill), 1.0)
    numbers: Numbers = {}
    means = (ranks, 1 / ranks, ranks <= 1, ranks <= 10)
    for name, values in zip(METRICS, means, strict=True):
        value = float(np.average(values, weights=weights))
        constants = find(name)
        numbers[name, ""] = value
        for form in FORMS:
            try:
                numbers[name, form] = float(getattr(constants, form)(value))
            except RankconstError:
                continue
    return numbers


def round_to(value: float, digits: int | None) -> str:
    """Write a number in full, with 32 bits, or to some decimals."""
    if digits is None:
        return repr(value)
    if digits == 0:
        return repr(float(np.float32(value)))
    return f"{value:.{digits}f}"


def write_pykeen(
    sides: dict[str, tuple[Numbers, int]], rng: np.random.Generator, *, table: bool
) -> tuple[str, str]:
    """Write what PyKEEN does: results.json, or to_df() as CSV."""
    digits = None if rng.random() < 0.7 else 0
    nested: dict[str, Any] = {}
    for side, (numbers, count) in sides.items():
        own = {
            "arithmetic_mean_rank": numbers["mr", ""],
            "inverse_harmonic_mean_rank": numbers["mrr", ""],
        }
        own |= {
            "hits_at_1": numbers["hits@1", ""],
            "hits_at_10": numbers["hits@10", ""],
            "count": float(count),
        }
        own |= {name: numbers[key] for key, name in NAMES.items() if key in numbers}
        nested[side] = {
            "realistic": {key: float(round_to(value, digits)) for key, value in own.items()}
        }
    if not table:
        return "results.json", json.dumps({"metrics": nested})
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["Side", "Rank_type", "Metric", "Value"])
    for side, inner in nested.items():
        writer.writerows(
            [side, "realistic", name, value] for name, value in inner["realistic"].items()
        )
    return "to_df.csv", out.getvalue()


def write_table(
    rows: Sequence[tuple[dict[str, str], Numbers]], rng: np.random.Generator
) -> tuple[str, str]:
    """Write a table with some metrics and their adjusted values, to 3 to 6 decimals or in full."""
    digits = [None, 0, 3, 4, 5, 6][rng.integers(6)]
    held = [key for key in LABELS if all(key in numbers for _, numbers in rows)]
    chosen = [held[place] for place in rng.permutation(len(held))[: rng.integers(1, len(held) + 1)]]
    bases = [name for name in METRICS if name in {metric for metric, _ in chosen}]
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(
        [
            *rows[0][0],
            *(parse_metric(name).label for name in bases),
            *(LABELS[key] for key in chosen),
        ]
    )
    for said, numbers in rows:
        cells = [round_to(numbers[name, ""], digits) for name in bases]
        writer.writerow(
            [*said.values(), *cells, *(round_to(numbers[key], digits) for key in chosen)]
        )
    return "results.csv", out.getvalue()


def same_constants(found: Constants, truth: Tasks) -> bool:
    """Tell whether constants are those of some tasks, or of others with nothing but the last digits
    different.
    """
    own = open_once().look_up(truth, found.metric)
    pairs = (found.expectation, own.expectation), (found.variance, own.variance)
    return found.num_tasks == own.num_tasks and all(
        math.isclose(*pair, rel_tol=1e-9) for pair in pairs
    )


# A dataset, and what is said about its tasks.
_MOST_QUESTIONS = 3


def answer(user: Address, questions: Sequence[Question]) -> Address | None:
    """Return what a user says who follows the questions; None if they leave a choice."""
    options = {ask.option for ask in questions}
    if len(options) != 1 or " or " in (option := options.pop()):
        return None
    words = option.split()
    said: dict[str, Any] = {
        name[2:]: key for name, key in zip(words[::2], words[1::2], strict=True)
    }
    return replace(user, **said)


def judge(
    outcomes: Outcomes, name: str, text: str, truths: Sequence[Tasks | None], user: Address
) -> None:
    """Adjust and check a file; `truths` has the tasks of each row, None for a graph that is in no
    table.
    """
    tables = open_once()
    reading = read_document(name, text)
    found = check_reading(reading, tables, user)
    if found.num_errors:
        outcomes["called wrong"].append(f"{truths}\n{text}\n{found.findings[0]}")
    named = [question for question in found.asked if question.field == "tasks"]
    if None in truths and named:
        outcomes["named by its numbers"].append(f"{named[0]}\n{text}")
    adjusted = None
    for _ in range(_MOST_QUESTIONS):
        try:
            adjusted = adjust_reading(confirm_reading(reading, tables, user), tables, user)
            break
        except AskedError as error:
            if (answered := answer(user, error.questions)) is None:
                break
            user = answered
        except RankconstError:
            break
    if adjusted is None:
        outcomes["refused"].append(text)
        return
    wrong = rest = 0
    for entry in adjusted.entries:
        if entry.entry.adjustment is not None or entry.entry.metric.optimum is None:
            continue
        if entry.constants is None:
            rest += 1
            continue
        truth = truths[0] if len(truths) == 1 else truths[entry.entry.row]
        said = entry.entry.context.side
        if truth is not None and said is not None and name != "results.csv":
            truth = replace(truth, side=truth.side if truth.side != "both" else said)
        wrong += truth is None or not same_constants(entry.constants, truth)
    if wrong:
        outcomes["wrong"].append(
            f"{truths}\n{text}\n{ {str(done.batch.tasks) for done in adjusted.done} }"
        )
    else:
        outcomes["partly resolved" if rest else "resolved"].append(text)


@lru_cache(maxsize=1)
def list_sets(largest: int = 50_000) -> list[Tasks]:
    """Return the sets of tasks that ranks can be drawn for in no time."""
    rows = open_once().read("constants").to_pylist()
    sets = {
        Tasks(*(row[name] for name in ("dataset", "protocol", "split", "side")))
        for row in rows
        if row["num_tasks"] <= largest
        and not row["protocol"].startswith("sampled")
        and row["side"] != "relation"
    }
    return sorted(sets, key=str)


def finder(tasks: Tasks) -> Callable[[str], Constants]:
    """Return what finds the constants of a metric on some tasks."""
    return lambda name: open_once().look_up(tasks, parse_metric(name))


def simulate_tabled(files: int, rng: np.random.Generator) -> Outcomes:
    """Make files of graphs of the tables, as PyKEEN writes them or as tables, the dataset given or
    not.
    """
    found: Outcomes = defaultdict(list)
    tables, sets = open_once(), list_sets()
    for _ in range(files):
        tasks = sets[rng.integers(len(sets))]
        user = Address(dataset=tasks.dataset) if rng.random() < 0.5 else Address()
        if rng.random() < 0.5:
            sides = {}
            wanted = ("both", "head", "tail") if tasks.side == "both" else ("both", tasks.side)
            drawn = None
            for side in wanted:
                own = replace(tasks, side=side if tasks.side == "both" else tasks.side)
                histogram = tables.histogram(own)
                if drawn is None or tasks.side == "both":
                    drawn = evaluate(histogram, finder(own), rng)
                sides[side] = (drawn, histogram.total)
            name, text = write_pykeen(sides, rng, table=rng.random() < 0.5)
        else:
            numbers = evaluate(tables.histogram(tasks), finder(tasks), rng)
            name, text = write_table([({"model": "m"}, numbers)], rng)
        judge(found, name, text, [tasks], user)
    return found


def draw_graph(rng: np.random.Generator) -> dict[str, Histogram]:
    """Return candidate counts that resemble those of a knowledge graph: few known answers as a
    rule, many at times.
    """
    entities = int(10 ** rng.uniform(1, 5))
    triples = int(10 ** rng.uniform(2, 5) / 2) + 1
    sides = {}
    for side in ("head", "tail"):
        known = np.minimum(
            rng.pareto(rng.uniform(0.5, 2.0), triples) * rng.uniform(0.1, 5), entities - 1
        ).astype(int)
        sides[side] = Histogram.from_counts(entities - known)
    return sides | {"both": sides["head"].pool(sides["tail"])}


def simulate_foreign(files: int, rng: np.random.Generator) -> Outcomes:
    """Make files of graphs that are in no table."""
    found: Outcomes = defaultdict(list)
    for _ in range(files):
        sides = draw_graph(rng)
        made: dict[str, tuple[Numbers, int]] = {}
        for side, histogram in sides.items():

            @lru_cache
            def find(name: str, histogram: Histogram = histogram) -> Constants:
                metric = parse_metric(name)
                return Constants(
                    Tasks("own"), metric, histogram, compute_moments(metric, histogram)
                )

            made[side] = (evaluate(histogram, find, rng), histogram.total)
        if rng.random() < 0.5:
            name, text = write_pykeen(made, rng, table=rng.random() < 0.5)
        else:
            count = {"num_tasks": str(made["both"][1])} if rng.random() < 0.5 else {}
            name, text = write_table([({"model": "m", **count}, made["both"][0])], rng)
        judge(found, name, text, [None], Address())
    return found


def simulate_mixed(files: int, rng: np.random.Generator) -> Outcomes:
    """Make tables without a dataset column, a side column at times, whose rows are of both sides
    and of one.
    """
    found: Outcomes = defaultdict(list)
    tables, sets = open_once(), list_sets()
    for _ in range(files):
        first = sets[rng.integers(len(sets))]
        both_only = rng.random() < 0.5
        named = rng.random() < 0.5
        truths, rows = [], []
        for model in range(rng.integers(1, 6)):
            tasks = replace(
                first, side="both" if both_only else ("both", "head", "tail")[rng.integers(3)]
            )
            said = {"model": f"m{model}"} | ({"side": tasks.side} if named else {})
            rows.append((said, evaluate(tables.histogram(tasks), finder(tasks), rng)))
            truths.append(tasks)
        name, text = write_table(rows, rng)
        judge(found, name, text, truths, Address())
    return found


SIMULATIONS = {"tabled": simulate_tabled, "foreign": simulate_foreign, "mixed": simulate_mixed}


@pytest.mark.slow
@pytest.mark.parametrize("kind", choose(["foreign", "mixed"], ["tabled", "foreign", "mixed"]))
def test_nothing_is_wrong(kind: str) -> None:
    files = choose(5, 25)
    found = SIMULATIONS[kind](files, np.random.default_rng(7))
    assert found.keys() <= {"resolved", "partly resolved", "refused"}, found
    # Where the tables hold the tasks, most files tell them; a foreign graph is never named.
    assert (len(found.get("resolved", ())) >= 0.4 * files) == (kind != "foreign")
