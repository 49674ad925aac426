"""The CSV file of ULTRA's run_many.py."""

from pathlib import Path

import pytest

import rankconst
from rankconst.results.formats import read

# Zero-shot MRR and Hits@10 of ULTRA 3g as its paper prints them (Galkin et al. 2024,
# arXiv:2310.04562).
ROWS = """dataset,mr,mrr,hits@1,hits@3,hits@10,hits@10_50
FB15k237Inductive:v1,51.5,0.498,0.4,0.5,0.656,0.95
WKIngram:25,140.5,0.316,0.2,0.3,0.532,0.9
NELL23k,90.5,0.239,0.16,0.25,0.408,0.9
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "out.csv"
    path.write_text(ROWS, encoding="utf-8")
    return path


def find_tasks(path: Path) -> set[tuple[str, str, int]]:
    done = rankconst.adjust(path).numbers.done
    return {
        (each.constants.tasks.dataset, each.constants.tasks.describe(), each.constants.num_tasks)
        for each in done
    }


def test_each_graph_has_the_tasks_that_ultra_ranks(path: Path) -> None:
    # Its code ranks both sides unless a metric's name ends in -tail.
    assert find_tasks(path) == {
        ("fb15k237_v1_ind", "valid+test, both sides, protocol standard", 822),
        ("ingram_wk25", "test, both sides, protocol standard", 2_262),
        ("nell23k", "test, both sides, protocol standard", 9_904),
    }
    path.write_text(ROWS.replace(",mr,mrr,", ",mr-tail,mrr-tail,"), encoding="utf-8")
    tails = {found for found in find_tasks(path) if "tail side" in found[1]}
    assert tails == {
        ("fb15k237_v1_ind", "valid+test, tail side, protocol standard", 411),
        ("ingram_wk25", "test, tail side, protocol standard", 1_131),
        ("nell23k", "test, tail side, protocol standard", 4_952),
    }


def test_the_name_of_the_file_or_of_a_dataset_shows_whose_it_is(path: Path) -> None:
    assert read(path).form == "ultra"
    plain = ROWS.splitlines()[0] + "\nNELL23k,90.5,0.239,0.16,0.25,0.408,0.9\n"
    for name, form in (("out.csv", "csv"), ("MOTIF_results_2025-01-02-03-04-05.csv", "ultra")):
        other = path.with_name(name)
        other.write_text(plain, encoding="utf-8")
        assert read(other).form == form
    path.write_text(ROWS.replace("hits@10_50", "seconds"), encoding="utf-8")
    assert read(path).form == "csv"


def test_hits_among_sampled_negatives_are_left_out(path: Path) -> None:
    assert {entry.metric.key for entry in read(path).entries} == {
        *(
            "arithmetic_mean_rank", "inverse_harmonic_mean_rank", "hits_at_1", "hits_at_3",
            "hits_at_10",
        )
    }  # fmt: skip
