"""Evaluations of some relations, which are asked about, or among equally many candidates, which numbers show."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from carried import open_once
from cases import for_each, take_turns
from rankconst.checks.completing import complete_reading
from rankconst.errors import AskedError, DataError
from rankconst.evaluation import Stated
from rankconst.results.adjust import adjust_reading
from rankconst.results.formats import read_document
from readings import OPEN

if TYPE_CHECKING:
    from rankconst.results.adjusted import AdjustedReading

TABLES = open_once()


def list_counts(*relations: str, dataset: str = "nations", split: str = "test") -> dict[str, list[int]]:
    """Return the number of candidates of each task, by side."""
    sides = {}
    for side in ("head", "tail"):
        histogram = TABLES.histogram(dataset, split=split, side=side, protocol="pykeen", relations=relations or None)
        sides[side] = np.repeat(histogram.num_candidates, histogram.num_tasks).tolist()
    return sides | {"both": sides["head"] + sides["tail"]}


def describe(counts: list[int], rng: np.random.Generator) -> dict[str, float]:
    """Return what PyKEEN writes of random ranks, its adjusted values from plain sums over the tasks."""
    ranks = np.array([rng.integers(1, n, endpoint=True) for n in counts])
    expectations = {
        "arithmetic_mean_rank": sum((n + 1) / 2 for n in counts) / len(counts),
        "inverse_harmonic_mean_rank": sum(sum(1 / j for j in range(1, n + 1)) / n for n in counts) / len(counts),
    }
    row = {"count": float(len(counts)), "arithmetic_mean_rank": float(ranks.mean())}
    row["inverse_harmonic_mean_rank"] = float((1 / ranks).mean())
    row["adjusted_arithmetic_mean_rank"] = row["arithmetic_mean_rank"] / expectations["arithmetic_mean_rank"]
    mean = expectations["inverse_harmonic_mean_rank"]
    row["adjusted_inverse_harmonic_mean_rank"] = (row["inverse_harmonic_mean_rank"] - mean) / (1 - mean)
    return row


def write(sides: dict[str, list[int]], digits: int = 17) -> str:
    rng = np.random.default_rng(3)
    return json.dumps(
        {
            "metrics": {
                side: {"realistic": {key: float(f"{value:.{digits}g}") for key, value in describe(each, rng).items()}}
                for side, each in sides.items()
            }
        }
    )


def adjust(text: str, user: Stated = OPEN) -> AdjustedReading:
    reading = read_document("results.json", text)
    return adjust_reading(complete_reading(reading, TABLES, user).reading, TABLES, user)


SIDES = ("head", "tail", "both")


def name(adjusted: AdjustedReading) -> set[str]:
    return {str(done.batch.tasks) for done in adjusted.done}


NATIONS, THREE, FITS_NOT = Stated("nations"), ("embassy", "exports3", "treaties"), "fit no ranking tasks"

# Numbers of candidates by side, what the user says, and the tasks that are found, or why none are.
ANSWERS: list[tuple[dict[str, list[int]], Stated, list[str] | str]] = [
    (list_counts(*THREE), OPEN, f"{FITS_NOT} .*: add --dataset, and --"),
    (list_counts(*THREE), NATIONS, "n = 48: .* nearest nations .*: 402; .*: add --relation NAME for each"),
    (list_counts(*THREE), replace(NATIONS, relations=THREE), [f"nations/test/{{}}/pykeen ({', '.join(THREE)})"]),
    # All tasks have as many; not where another side has others, nor where so few tasks may by chance.
    ({"head": [6] * 201, "both": [6] * 402}, OPEN, ["201 tasks/both/sampled:5", "402 tasks/both/sampled:5"]),
    ({"head": [6] * 201, "tail": [5, 7] * 100 + [6]}, OPEN, FITS_NOT),
    ({"head": [6] * 20}, OPEN, FITS_NOT),
    # The number of ranks tells their split.
    ({"both": [6] * 398}, NATIONS, ["nations/valid/{}/sampled:5"]),
    ({"both": [6] * 402}, NATIONS, ["nations/test/{}/sampled:5"]),
    # Numbers have to be those of what is named.
    (list_counts("embassy"), replace(NATIONS, relations=("treaties",)), "n = 36, expected 8"),
    ({"both": [6] * 36}, replace(NATIONS, relations=("embassy",)), r"E\[MR\] = 3.5 .*, expected 2.625"),
    ({"both": [6] * 402}, replace(NATIONS, protocol="sampled:4"), r"E\[MR\] = 3.5 .*, expected 3"),
    ({"both": [6] * 398}, replace(NATIONS, protocol="sampled:5"), "n = 398, expected 402"),
]


@for_each(("sides", "user", "expected"), ANSWERS)
def test_what_is_found_or_asked(sides: dict[str, list[int]], user: Stated, expected: list[str] | str) -> None:
    if isinstance(expected, str):
        with pytest.raises(AskedError, match=expected):
            adjust(write(sides), user)
    else:
        assert name(adjust(write(sides), user)) == {each.format(side) for each in expected for side in sides}


@pytest.mark.parametrize(("seed", "user"), take_turns(range(3), [OPEN, Stated(dataset="nations")]))
def test_some_other_part_of_the_split_is_refused(seed: int, user: Stated) -> None:
    rng = np.random.default_rng(seed)
    sides = {side: rng.choice(each, 12, replace=False).tolist() for side, each in list_counts().items()}
    sides["both"] = sides["head"] + sides["tail"]
    with pytest.raises(DataError, match="fit no ranking tasks"):
        adjust(write(sides), user)
    # One side that fits does not make up for the others.
    with pytest.raises(DataError, match="fit no ranking tasks"):
        adjust(write(sides | {"head": list_counts("commonbloc1")["head"]}), user)
