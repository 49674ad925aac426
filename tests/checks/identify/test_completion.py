"""Files are completed by their own numbers: whole, or not at all; real ones as they were evaluated."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import rankconst
from carried import open_once
from rankconst.catalogue.metrics import parse_metric
from rankconst.checks.identify.completion import complete_reading, find_equal
from rankconst.checks.identify.evidence import collect_evidence
from rankconst.checks.lint import lint_reading
from rankconst.constants.constants import Constants
from rankconst.errors import AskedError, DataError
from rankconst.evaluation import Stated
from rankconst.results.adjust import adjust_reading
from rankconst.results.formats import read_document
from rankconst.tasks import Histogram, Tasks

if TYPE_CHECKING:
    from pathlib import Path

    from rankconst.results.adjusted import AdjustedReading

TABLES = open_once()

MEAN = 3.251234567891


def adjust(text: str, user: Stated = Stated()) -> AdjustedReading:  # noqa: B008 - frozen
    reading = read_document("results.csv", text)
    return adjust_reading(complete_reading(reading, TABLES, user).reading, TABLES, user)


def name(adjusted: AdjustedReading) -> set[str]:
    return {str(done.batch.tasks) for done in adjusted.done}


def note(text: str, user: Stated = Stated()) -> str:  # noqa: B008 - frozen
    return complete_reading(read_document("results.csv", text), TABLES, user).note


def write(tasks: Tasks, value: float, *forms: str, metric: str = "mr", digits: int = 12) -> dict[str, str]:
    """Print a value with its adjusted forms, by heading."""
    parsed, constants = parse_metric(metric), TABLES.look_up(tasks, parse_metric(metric))
    row = {parsed.label: f"{value:.{digits}g}"}
    return row | {parsed.name_of(form): f"{getattr(constants, form)(value):.{digits}g}" for form in forms}


def table(*rows: dict[str, str]) -> str:
    return "\n".join([",".join(rows[0]), *(",".join(row.values()) for row in rows)]) + "\n"


# Whole.


@pytest.mark.parametrize("user", [Stated(), Stated(dataset="kinships")])
def test_side_is_taken_too(user: Stated) -> None:
    """Kinships, test, tail: of both sides ZMR would be 67.91."""
    text = "model,MR,AMRI,ZMR\nm,7.7086,0.858004,48.13143\n"
    adjusted = adjust(text, user)
    assert name(adjusted) == {"kinships/test/tail/standard"}
    (entry,) = (each for each in adjusted.entries if each.adjusted)
    assert entry.adjusted is not None
    assert entry.adjusted.z == pytest.approx(48.13143, abs=5e-4)
    assert note(text, user).startswith("no dataset is named; its" if user.dataset is None else "its numbers are")
    assert "kinships test tail under standard = libkge = pykeen" in note(text, user)


@pytest.mark.parametrize(
    "tasks",
    [
        Tasks("fb15k237", "raw"),
        Tasks("fb15k237", "pykeen", "valid"),
        Tasks("wn18rr", "libkge", "valid", "head"),
        Tasks("umls", "pykeen", "train", "tail"),
    ],
    ids=str,
)
def test_every_field_of_a_match_is_taken(tasks: Tasks) -> None:
    text = table(write(tasks, MEAN, "normalised", "index", "z"))
    for user in (Stated(), Stated(dataset=tasks.dataset)):
        (found,) = {done.batch.tasks for done in adjust(text, user).done}
        assert TABLES.histogram(found) == TABLES.histogram(tasks)
    assert not lint_reading(read_document("results.csv", text), TABLES).num_errors


SIDES = ("both", "head", "tail")
UMLS, FB15K237 = Tasks("umls"), Tasks("fb15k237")
TOLD = write(UMLS, MEAN, "index", "z")
SLIP = {"MR": "3.25", "AMRI": "0.91234567", "ZMR": "10.1234567"}
COARSE = write(FB15K237, 177.25, "normalised", digits=4)
FULL = Stated("fb15k237", "test", "both", "standard", "micro")
STANDARD = Stated(protocol="standard")
VALID, TEST = "split,MRR,num_tasks\nvalid,0.3307,35070\n", "test,0.3259,40932\n"

# A table, what its user says, and the tasks of its numbers, or why they are not adjusted.
ANSWERS: list[tuple[str, Stated, set[str] | str]] = [
    (table({"dataset": "umls"} | TOLD), Stated(), {"umls/test/both/standard"}),
    (table(*(write(Tasks("umls", side=side), MEAN, "index", "z") for side in SIDES)), Stated(),
     {f"umls/test/{side}/standard" for side in SIDES}),
    # A row that tells nothing is of what the others are.
    (table(write(Tasks("umls", "raw"), MEAN, "index", "z"), {"MR": "4.5", "AMRI": "", "ZMR": ""}), Stated(),
     {"umls/test/both/raw"}),
    (table(write(Tasks("countries_s3"), 45.72916666666667, "index", "z")), Stated("countries_s3"),
     {"countries_s3/test/both/standard"}),
    # E[MR] of FB15k-237 to three digits.
    (table({"dataset": "FB15k-237"} | COARSE), Stated(),
     r"ranking tasks with different constants: .* for example --split test\.$"),
    (table({"dataset": "FB15k-237"} | COARSE), replace(FULL, dataset=None), {"fb15k237/test/both/standard"}),
    (table(write(FB15K237, 177.25, "normalised", digits=3)), Stated(), "."),
    (table(write(FB15K237, 177.25, "normalised", digits=3)), FULL, {"fb15k237/test/both/standard"}),
    # What is too coarse to tell is of what is usual.
    ("dataset,MRR,AMRR\nFB15k-237,0.338,0.3375\n", Stated(), {"fb15k237/test/both/standard"}),
    ("dataset,MR,AMR\nFB15k-237,177.25,0.0243123456\n", Stated(), "fit no ranking tasks .* nearest fb15k237"),
    (table({"dataset": "wn18rr"} | TOLD), Stated(), "do not fit dataset wn18rr; they are .* umls test both"),
    (table(TOLD), Stated("umls", protocol="raw"), "do not fit dataset umls, protocol raw; they are .* under standard"),
    (table(TOLD, SLIP), Stated("umls"), {"umls/test/both/standard"}),
    # Hits@10 coarse enough for many graphs; MR, of 14,000 entities, for none.
    ("MR,AMRI,Hits@10,AH@10,num_tasks\n152.1234567,0.978412345,0.5,0.4997,40000\n", Stated(), "fit no ranking tasks"),
    ("dataset,MRR,num_tasks\nwn18rr,0.4,5848\n", Stated(), {"wn18rr/test/both/pykeen"}),
    ("dataset,MRR,num_tasks\nwn18rr,0.4,6268\n", Stated(), {"wn18rr/test/both/standard"}),
    ("dataset,MRR,num_tasks\nwn18rr,0.4,2924\n", Stated(), "different constants"),
    ("dataset,MRR,num_tasks\nwn18rr,0.4,17\n", Stated(), "n = 17: no split .*; nearest wn18rr .*: add --relation"),
    # One of 90 benchmarks may share a number of ranks by chance, but none shares those of two splits.
    (VALID, STANDARD, "so few digits can fit by chance"),
    (VALID + TEST, STANDARD, {f"fb15k237/{split}/both/standard" for split in ("valid", "test")}),
    (VALID + TEST.replace("40932", "40931"), STANDARD, "so few digits can fit by chance"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "user", "expected"), ANSWERS)
def test_there_is_one_address_or_a_question(text: str, user: Stated, expected: set[str] | str) -> None:
    """A note says what was found only where it is not what is usual; lint judges by what is found."""
    reading = read_document("results.csv", text)
    if isinstance(expected, str):
        with pytest.raises(AskedError, match=expected):
            adjust(text, user)
        assert lint_reading(reading, TABLES, user).asked
        return
    adjusted = adjust(text, user)
    assert name(adjusted) == expected
    assert (note(text, user) == "") == all(each.endswith("/test/both/standard") for each in expected)
    found = lint_reading(reading, TABLES, user)
    assert (found.num_errors, bool(found.asked)) == (0, bool(adjusted.asked))


# All tasks alike.


def test_equally_many_candidates_are_those_of_sampled_negatives() -> None:
    """51 candidates in each of 300 tasks: nothing else matters."""
    histogram = Histogram.from_counts([51], [300])
    row: dict[str, Any] = {"count": 300.0}
    for key, index, value in (
        ("arithmetic_mean_rank", "adjusted_arithmetic_mean_rank_index", 4.25),
        ("inverse_harmonic_mean_rank", "adjusted_inverse_harmonic_mean_rank", 0.525),
    ):
        metric = parse_metric(key)
        mean = rankconst.compute_moments(metric, histogram).expectation
        row |= {key: value, index: (value - mean) / (1 - mean)}
    text = json.dumps({"metrics": {"both": {"realistic": row}}})
    adjusted = adjust(text)
    assert name(adjusted) == {"300 tasks/both/sampled:50"}
    (entry,) = (
        each for each in adjusted.entries if each.entry.column == "value" and each.adjusted and each.entry.row == 0
    )
    assert entry.adjusted is not None
    assert entry.adjusted.index == pytest.approx(row["adjusted_arithmetic_mean_rank_index"], abs=1e-12)
    assert "the same number of candidates: 51, protocol sampled:50" in note(text)


@pytest.mark.parametrize(
    "counts",
    [
        # As simulated: MR of such tasks is that of 68,625 candidates to six digits.
        np.repeat([68_626, 68_625, 68_600], [620, 10, 12]),
        # The mean is 1,000 to all digits.
        np.repeat([1_000, 999, 1_001], [300, 40, 40]),
        np.repeat([20, 10, 30], [300, 40, 40]),
    ],
    ids=["nearly", "whole mean", "few"],
)
@pytest.mark.parametrize("digits", [17, 8, 6])
def test_nearly_equally_many_candidates_are_not_equally_many(counts: Any, digits: int) -> None:
    histogram = Histogram.from_counts(counts)
    row = {"num_tasks": str(histogram.total)}
    for key, value in (("mr", counts.mean() / 5), ("mrr", 0.31), ("hits@1", 0.25)):
        metric = parse_metric(key)
        constants = Constants(Tasks("own"), metric, histogram, rankconst.compute_moments(metric, histogram))
        row |= {metric.label: f"{value:.{digits}g}"}
        row |= {metric.name_of(form): f"{getattr(constants, form)(value):.{digits}g}" for form in ("index", "z")}
    with pytest.raises(DataError, match="fit no ranking tasks in the tables"):
        adjust(table(row))


def test_equally_many_candidates_are_those_of_all_sides() -> None:
    """Those of both sides have a whole mean by chance."""
    sides = {"head": np.repeat([17_000, 17_445, 17_800], [10, 300, 10])}
    sides["tail"] = sides["head"] + 2
    sides["both"] = np.full(640, 17_446)
    metrics = {}
    for side, counts in sides.items():
        mean = float(np.mean((counts + 1) / 2)), float(np.mean([np.sum(1 / np.arange(1, n + 1)) / n for n in counts]))
        row = {"count": float(counts.size), "arithmetic_mean_rank": 1234.5, "inverse_harmonic_mean_rank": 0.3125}
        row |= {"adjusted_arithmetic_mean_rank": 1234.5 / mean[0]}
        row |= {"adjusted_inverse_harmonic_mean_rank": (0.3125 - mean[1]) / (1 - mean[1])}
        metrics[side] = {"realistic": row}
    with pytest.raises(AskedError, match="fit no ranking tasks"):
        adjust(json.dumps({"metrics": metrics}))
    alone = json.dumps({"metrics": {"both": metrics["both"]}})
    assert name(adjust(alone)) == {"640 tasks/both/sampled:17445"}


def test_one_metric_alone_does_not_tell_that_all_have_equally_many() -> None:
    reading = read_document("results.csv", "MR,AMR,num_tasks\n5,0.2,300\n")
    assert find_equal(collect_evidence([reading.entries])) is None


def test_an_adjusted_hits_at_k_that_does_not_say_its_k_is_left_alone() -> None:
    """PyKEEN's ``adjusted_hits_at_k`` may be of any k: it tells nothing, and is not checked."""
    row = write(Tasks("nations"), 4.25, "index") | {"hits_at_10": "0.9", "adjusted_hits_at_k": "0.1"}
    reading = read_document("results.csv", table(row))
    assert name(adjust(table(row))) == {"nations/test/both/standard"}
    assert not lint_reading(reading, TABLES, rules=["adjusted-mismatch"]).findings


# Real files.

EXPECTED = {
    "nations_tail": "nations/test/tail/pykeen",
    "nations_valid": "nations/valid/{}/pykeen",
    "pykeen1.10.2_umls": "umls/test/{}/pykeen",
    "pykeen1.5.0_umls": "umls/test/{}/pykeen",
    "umls_unfiltered": "umls/test/{}/raw",
    "umls_onlymetrics": "umls/test/{}/pykeen",
}
REFUSED = {
    "nations_nofiltervalid": r"E\[MR\] = 4.77985 .*\(PyKEEN's filter_validation_when_testing=False\)",
    "pykeen1.0.5_nations": "no constants for pykeen-1.4",
    "pykeen1.4.0_nations": "no constants for pykeen-1.4",
}


def read(reference: Path, file: str) -> Any:
    path = reference / "real" / "pykeen" / "own_runs" / f"{file}.results.json"
    if not path.is_file():
        pytest.skip(f"no file of a real run at {path}")
    return read_document("results.json", path.read_text(encoding="utf-8"))  # under a name that says nothing


@pytest.mark.parametrize(
    ("file", "named"),
    # The numbers of umls_onlymetrics do not show their dataset.
    [(file, named) for file in EXPECTED for named in (True, False) if named or file != "umls_onlymetrics"],
)
def test_real_runs_are_of_what_was_evaluated(reference: Path, file: str, named: bool) -> None:
    user = Stated(dataset=EXPECTED[file].partition("/")[0] if named else None)
    reading = read(reference, file)
    adjusted = adjust_reading(complete_reading(reading, TABLES, user).reading, TABLES, user)
    sides = {entry.context.side for entry in reading.entries}
    assert name(adjusted) == {EXPECTED[file].format(side) for side in sides}
    assert not lint_reading(reading, TABLES, user).num_errors


@pytest.mark.parametrize("file", REFUSED)
def test_real_runs_that_no_table_covers_are_refused(reference: Path, file: str) -> None:
    reading = read(reference, file)
    with pytest.raises(DataError, match=REFUSED[file]):
        rankconst.adjust(reading, dataset="nations")
    assert not lint_reading(reading, TABLES, Stated("nations")).num_errors


def test_a_dataset_with_other_ranks_is_not_taken_for_a_sampled_one(reference: Path) -> None:
    # All tasks of UMLS have 135 candidates under raw, as 134 negatives would give; WN18RR has other ranks.
    with pytest.raises(DataError, match=r"do not fit dataset wn18rr.* they are those of umls test both under raw"):
        rankconst.adjust(read(reference, "umls_unfiltered"), dataset="wn18rr")
