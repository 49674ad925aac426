"""Evaluations of a few relations, or among equally many candidates: found where numbers in full leave one set."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from carried import open_once
from cases import take_turns
from rankconst.checks.checking import check_reading
from rankconst.checks.completing import complete_reading
from rankconst.checks.partial import combine
from rankconst.errors import AskedError, DataError
from rankconst.evaluation import Stated
from rankconst.results.adjust import adjust_reading
from rankconst.results.formats import read_document
from rankconst.tables.search import RelationSets
from rankconst.tasks import Tasks

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


def adjust(text: str, user: Stated = Stated()) -> AdjustedReading:  # noqa: B008 - frozen
    reading = read_document("results.json", text)
    return adjust_reading(complete_reading(reading, TABLES, user).reading, TABLES, user)


SIDES = ("head", "tail", "both")


def name(adjusted: AdjustedReading) -> set[str]:
    return {str(done.batch.tasks) for done in adjusted.done}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("relations", "user"),
    take_turns([("commonbloc1",), ("embassy",), ("embassy", "treaties")], [Stated(), Stated(dataset="nations")]),
)
def test_relations_are_found(relations: tuple[str, ...], user: Stated) -> None:
    text = write(list_counts(*relations))
    adjusted = adjust(text, user)
    assert name(adjusted) == {f"nations/test/{side}/pykeen ({', '.join(relations)})" for side in SIDES}
    own = [each for each in adjusted.entries if each.entry.adjustment is not None]
    for each, entry in itertools.product(adjusted.entries, own):
        if each.adjusted and (each.entry.metric, each.entry.context) == (entry.entry.metric, entry.entry.context):
            form = entry.entry.adjustment
            assert getattr(each.adjusted, str(form)) == pytest.approx(float(entry.entry.text), rel=1e-9)
    assert set(adjusted.described["relations"]) - {None} == {", ".join(relations)}
    reading = read_document("results.json", text)
    note = complete_reading(reading, TABLES, user).note
    assert f"under pykeen = standard = libkge, only relation {', '.join(relations)}" in note
    assert not check_reading(reading, TABLES, user).num_errors
    found = [group.match for group in check_reading(reading, TABLES, user).groups]
    assert {match.tasks.relations for match in found if match} == {relations}


def test_of_three_relations_or_more_the_names_are_asked_for() -> None:
    text = write(list_counts("embassy", "exports3", "treaties"))
    with pytest.raises(AskedError, match=r"fit no ranking tasks .*: add --dataset, and --"):
        adjust(text)
    with pytest.raises(AskedError, match=r"n = 48: .* nearest nations .*: 402; .*: add --relation NAME for each"):
        adjust(text, Stated("nations"))
    named = adjust(text, Stated("nations", relations=("embassy", "exports3", "treaties")))
    assert name(named) == {f"nations/test/{side}/pykeen (embassy, exports3, treaties)" for side in SIDES}


@pytest.mark.parametrize(("seed", "user"), take_turns(range(3), [Stated(), Stated(dataset="nations")]))
def test_some_other_part_of_the_split_is_refused(seed: int, user: Stated) -> None:
    rng = np.random.default_rng(seed)
    sides = {side: rng.choice(each, 12, replace=False).tolist() for side, each in list_counts().items()}
    sides["both"] = sides["head"] + sides["tail"]
    with pytest.raises(DataError, match="fit no ranking tasks"):
        adjust(write(sides), user)
    # One side that fits does not make up for the others.
    with pytest.raises(DataError, match="fit no ranking tasks"):
        adjust(write(sides | {"head": list_counts("commonbloc1")["head"]}), user)


def test_few_digits_tell_no_relation() -> None:
    with pytest.raises(DataError):
        adjust(write(list_counts("commonbloc1"), digits=4))


def test_few_tasks_name_no_dataset() -> None:
    """Three triples: some set of three of a graph as small has the same candidates."""
    text = write(list_counts("accusation"))
    with pytest.raises(
        AskedError, match="only relation accusation, but so few digits can fit by chance: add --dataset"
    ):
        adjust(text)
    assert {done.batch.tasks.relations for done in adjust(text, Stated("nations")).done} == {("accusation",)}


@pytest.mark.parametrize("size", [1, 2])
def test_every_set_is_tried(size: int) -> None:
    num_tasks = np.array([3, 1, 4, 1, 5, 2, 2])
    for count in range(1, 13):
        every = itertools.combinations(range(num_tasks.size), size)
        expected = [chosen for chosen in every if num_tasks[list(chosen)].sum() == count]
        assert sorted(map(tuple, combine(num_tasks, size, count).tolist())) == expected


def test_columns_are_those_of_the_tables() -> None:
    for side in SIDES:
        relations, *columns = RelationSets.of(TABLES).groups[Tasks("nations", "raw", "valid", side)]
        assert tuple(relations) == TABLES.relations("nations", split="valid")
        for relation, num_tasks, total in zip(relations, *columns, strict=True):
            histogram = TABLES.histogram("nations", split="valid", side=side, protocol="raw", relations=relation)
            counts = np.repeat(histogram.num_candidates, histogram.num_tasks)
            assert (num_tasks, total) == (counts.size, np.sum(counts + 1))


def test_equally_many_candidates_are_found() -> None:
    text = write({"head": [6] * 201, "tail": [6] * 201, "both": [6] * 402})
    assert {done.batch.tasks.protocol for done in adjust(text).done} == {"sampled:5"}
    # Not where another side has others, nor where so few tasks may have as many by chance.
    for sides in ({"head": [6] * 201, "tail": [5, 7] * 100 + [6]}, {"head": [6] * 20}):
        with pytest.raises(DataError, match="fit no ranking tasks"):
            adjust(write(sides))


@pytest.mark.parametrize("split", ["valid", "test"])
def test_the_number_of_ranks_tells_the_split_of_sampled_ones(split: str) -> None:
    counts = {side: [6] * len(each) for side, each in list_counts(split=split).items()}
    done = adjust(write(counts), Stated(dataset="nations")).done
    assert {(each.batch.tasks.split, each.batch.tasks.protocol) for each in done} == {(split, "sampled:5")}


@pytest.mark.parametrize(
    ("counts", "user", "message"),
    [
        (list_counts("embassy"), Stated(relations=("treaties",)), "n = 36, expected 8"),
        ({"both": [6] * 36}, Stated(relations=("embassy",)), r"E\[MR\] = 3.5 .*, expected 2.625"),
        ({"both": [6] * 402}, Stated(protocol="sampled:4"), r"E\[MR\] = 3.5 .*, expected 3"),
        ({"both": [6] * 398}, Stated(protocol="sampled:5"), "n = 398, expected 402"),
    ],
)
def test_numbers_have_to_be_those_of_what_is_named(counts: dict[str, list[int]], user: Stated, message: str) -> None:
    with pytest.raises(AskedError, match=message):
        adjust(write(counts), replace(user, dataset="nations"))
