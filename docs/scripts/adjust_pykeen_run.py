"""Adjust a run of PyKEEN by the numbers of candidates that its evaluator counted.

Trains DistMult on Nations for a few epochs, ranks the test triples among all countries and then among those of Asia
only, and prints what rankconst makes of either next to PyKEEN's own adjusted values.

Run: python docs/scripts/adjust_pykeen_run.py, with PyKEEN installed (pip install pykeen; tried with 1.11.1). Nations
comes with PyKEEN, so nothing is downloaded.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING

import numpy as np

import rankconst
from rankconst.errors import DataError
from rankconst.values.published import show_number

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from rankconst.tables.own_counts import Counts

SIDES = ("head", "tail")

METRICS = {
    "mr": ("arithmetic_mean_rank", "adjusted_arithmetic_mean_rank_index", "z_arithmetic_mean_rank"),
    "mrr": ("inverse_harmonic_mean_rank", "adjusted_inverse_harmonic_mean_rank", "z_inverse_harmonic_mean_rank"),
    "hits@1": ("hits_at_1", "", ""),
    "hits@10": ("hits_at_10", "adjusted_hits_at_k", "z_hits_at_k"),
}
"""Metric to PyKEEN's keys of value, index and z. The adjusted hits of every k share one key; k = 10 is written last."""

ASIA = ("burma", "china", "india", "indonesia", "israel", "jordan")


@dataclass(frozen=True)
class Row:
    """A metric of a run: its value, what rankconst makes of it, and PyKEEN's own index and z; None where there is none.

    `log10_p` is the decimal logarithm of the probability that a random ranker does at least as well.
    """

    metric: str
    value: float
    random: float
    index: float | None
    z: float | None
    log10_p: float
    their_index: float | None
    their_z: float | None


def gather_counts(
    num_candidates: Mapping[str, Sequence[ArrayLike]], results: Mapping[str, float]
) -> dict[str, NDArray[np.int64]]:
    """Return the number of candidates of every ranking task, by side.

    Parameters
    ----------
    num_candidates
        Of PyKEEN's ``RankBasedEvaluator``: side to batches of counts, the true answer included.
    results
        The flat dict of the evaluation's results.

    Raises
    ------
    DataError
        If the counts are not there any more, or are not those of the tasks behind the results.
    """
    if not num_candidates:
        raise DataError("the evaluator has dropped its counts: make it with clear_on_finalize=False.")
    counts = {side: np.concatenate([np.asarray(each) for each in batches]) for side, batches in num_candidates.items()}
    for side, each in counts.items():
        ranked = int(results[f"{side}.realistic.count"])
        if each.size != ranked:
            raise DataError(
                f"{side}: the evaluator holds {each.size} counts, the results are of {ranked} ranks. Evaluate once, "
                "and take the counts before the evaluator is used again."
            )
    return counts


def adjust_results(results: Mapping[str, float], tasks: Counts) -> list[Row]:
    """Adjust the values of both sides, realistic ranks, in a flat dict of PyKEEN's results."""
    rows = []
    for metric, keys in METRICS.items():
        value, their_index, their_z = (results.get(f"both.realistic.{key}") for key in keys)
        if value is None:
            raise DataError(f"the results have no both.realistic.{keys[0]}.")
        constants = tasks.constants(metric)
        adjusted = constants.adjust(value)
        rows.append(
            Row(
                metric=constants.metric.label,
                value=value,
                random=constants.expectation,
                index=adjusted.index,
                z=adjusted.z,
                log10_p=constants.significance(value).log10,
                their_index=their_index,
                their_z=their_z,
            )
        )
    return rows


def render(title: str, rows: Sequence[Row]) -> str:
    """Write a table; what is undefined, or what PyKEEN does not give, is a dash."""
    cells = [["metric", "value", "random", "index", "PyKEEN's", "z", "PyKEEN's", "p"]]
    for row in rows:
        numbers = (row.value, row.random, row.index, row.their_index, row.z, row.their_z)
        shown = ("–" if number is None else show_number(number) for number in numbers)
        chance = f"{10**row.log10_p:.2g}" if row.log10_p > -4 else f"10^{row.log10_p:.1f}"
        cells.append([row.metric, *shown, chance])
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = ["  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)) for line in cells]
    return "\n".join([title, *lines])


def main() -> None:
    """Train, evaluate twice, and print both tables."""
    from pykeen.datasets import Nations
    from pykeen.evaluation import RankBasedEvaluator
    from pykeen.pipeline import pipeline

    dataset = Nations()
    evaluator = RankBasedEvaluator(clear_on_finalize=False)
    quiet = {"batch_size": 32, "use_tqdm": False}
    run = pipeline(
        dataset=dataset,
        model="DistMult",
        optimizer_kwargs={"lr": 0.05},
        training_kwargs={"num_epochs": 20, "use_tqdm": False},
        evaluator=evaluator,
        evaluation_kwargs=quiet,
        random_seed=0,
        device="cpu",
    )
    results = run.metric_results.to_flat_dict()
    tasks = rankconst.from_counts(gather_counts(evaluator.num_candidates, results), name="Nations")
    print(f"PyKEEN {version('pykeen')}, torch {version('torch')}, rankconst {rankconst.__version__}\n")
    print(render(f"All 14 countries: {tasks.histogram().total} tasks", adjust_results(results, tasks)))
    ours = {side: rankconst.load().histogram("nations", side=side, protocol="pykeen") for side in SIDES}
    for side in SIDES:
        said = "as in" if tasks.histogram(side) == ours[side] else "NOT as in"
        sizes = tasks.histogram(side).num_candidates
        print(f"{side}: {sizes.min()} to {sizes.max()} candidates, {said} rankconst's table of nations, pykeen, test")

    # Among some entities only: triples with others are dropped, and the evaluator counts what is left.
    results = evaluator.evaluate(
        run.model,
        dataset.testing.mapped_triples,
        restrict_entities_to=[dataset.entity_to_id[name] for name in ASIA],
        pre_filtered_triples=False,
        additional_filter_triples=[dataset.training.mapped_triples, dataset.validation.mapped_triples],
        **quiet,
    ).to_flat_dict()
    tasks = rankconst.from_counts(gather_counts(evaluator.num_candidates, results), name="Nations, Asia")
    print()
    print(render(f"The {len(ASIA)} of Asia: {tasks.histogram().total} tasks", adjust_results(results, tasks)))


if __name__ == "__main__":
    main()
