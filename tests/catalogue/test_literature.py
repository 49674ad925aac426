"""Published results: where a number stands among them, against counting by hand."""

import csv
from dataclasses import replace

import pytest

import rankconst
from cases import for_each
from rankconst.catalogue.literature import FEWEST_RESULTS, RESULTS, find_literature
from rankconst.catalogue.metrics import parse_metric
from rankconst.tasks import Tasks

FB15K237 = Tasks("fb15k237", "standard", "test", "both")


def list_values(dataset: str, metric: str) -> list[float]:
    """Read the results of test and both sides, unless they are raw."""
    with RESULTS.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["dataset"] == dataset and row[metric]]
    return [
        float(row[metric])
        for row in rows
        if (row["split"], row["side"]) == ("test", "both") and row["protocol"] != "raw"
    ]


def test_a_number_among_the_results_of_fb15k237() -> None:
    found = find_literature(FB15K237, parse_metric("mrr"))
    assert found is not None
    values = list_values("fb15k237", "MRR")
    worse = sum(value < 0.338 for value in values)
    assert found.describe(0.338) == f"better than {worse} of {len(values)} published results here"
    assert found.describe(0.968) == f"better than all {len(values)} published results here"
    assert found.describe(0.01) == f"worse than all {len(values)} published results here"


def test_smaller_ranks_are_better() -> None:
    found = find_literature(FB15K237, parse_metric("mr"))
    assert found is not None
    values = list_values("fb15k237", "MR")
    assert found.rank(177) == (
        sum(value > 177 for value in values),
        sum(value < 177 for value in values),
    )


def test_few_results_and_other_tasks_have_no_place() -> None:
    mrr = parse_metric("mrr")
    assert find_literature(FB15K237, parse_metric("igmr")) is None
    assert find_literature(replace(FB15K237, split="valid"), mrr) is None
    assert find_literature(replace(FB15K237, protocol="raw"), mrr) is None
    assert len(list_values("nations", "MRR")) >= FEWEST_RESULTS


@pytest.mark.parametrize(("value", "said"), [("0.968", True), ("0.376", False)])
def test_check_tells_what_is_beyond_all_of_them(value: str, said: bool) -> None:
    found = rankconst.check({"MRR": value}, dataset="fb15k237").findings
    assert ("beyond-published" in [finding.rule for finding in found]) == said


@for_each("protocol", ["sampled:50", "sampled:50:shared", "static", "qualified"])
def test_numbers_of_other_candidates_are_not_compared(protocol: str) -> None:
    mrr = parse_metric("mrr")
    assert find_literature(replace(FB15K237, protocol=protocol), mrr) is None
    for same in ("libkge", "pykeen"):
        found = find_literature(replace(FB15K237, protocol=same), mrr)
        assert found == find_literature(FB15K237, mrr)
