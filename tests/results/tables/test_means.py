"""Rows and columns called Average beside graphs: never adjusted on one of them, and over a suite if it is named."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import rankconst

if TYPE_CHECKING:
    from pathlib import Path

# MRR of ULTRA 3g, zero-shot, on GraIL's graphs from FB15k-237 (Galkin et al. 2024, arXiv:2310.04562), and their mean.
VALUES = (0.498, 0.512, 0.491, 0.486, 0.497)
GRAPHS = [f"FB15k-237 v{version}" for version in range(1, 5)]


def write_rows(word: str) -> str:
    return "dataset,MRR\n" + "".join(f"{name},{value}\n" for name, value in zip([*GRAPHS, word], VALUES, strict=True))


def write_columns(word: str) -> str:
    named = ",".join(f"{name} MRR" for name in [*GRAPHS, word])
    return f"model,{named}\nULTRA,{','.join(map(str, VALUES))}\n"


def write_versions(word: str) -> str:
    return (
        f"## FB15k-237\n\n| Model | v1 | v2 | v3 | v4 | {word} |\n|---|---|---|---|---|---|\n"
        f"| ULTRA | {' | '.join(map(str, VALUES))} |\n"
    )


def write_levels(word: str) -> str:
    names = " & ".join(name.removeprefix("FB15k-237 ") for name in [*GRAPHS, word])
    return (
        "\\begin{tabular}{lrrrrr}\n& \\multicolumn{5}{c}{FB15k-237} \\\\\n"
        f"Model & {names} \\\\\n\\midrule\nULTRA & {' & '.join(map(str, VALUES))} \\\\\n\\end{{tabular}}\n"
    )


WRITERS = {
    "rows.csv": write_rows,
    "columns.csv": write_columns,
    "versions.md": write_versions,
    "levels.tex": write_levels,
}


# A heading Mean, or Total Avg, does not tell that its numbers are of a metric, unless others of its level do.
CASES = [(name, word) for name in WRITERS for word in ("Avg", "Average")]
CASES += [(name, word) for name in ("rows.csv", "levels.tex") for word in ("Mean", "Total Avg")]


@pytest.fixture(params=CASES)
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    name, word = request.param
    path: Path = tmp_path / name
    path.write_text(WRITERS[name](word), encoding="utf-8")
    return path


def find_adjusted(path: Path, dataset: str | None = None, tool: str | None = None) -> dict[str, str]:
    """Return the dataset of each number that was adjusted."""
    found = rankconst.adjust(path, metric="mrr", errors="note", dataset=dataset, tool=tool).numbers
    return {
        text: each.constants.tasks.dataset
        for each in found.done
        for text in (found.reading.entries[place].text for place in each.batch.index.tolist())
    }


def test_a_mean_is_asked_about_and_its_graphs_are_adjusted(path: Path) -> None:
    assert find_adjusted(path, tool="ultra") == {
        str(value): f"fb15k237_v{version}_ind" for version, value in enumerate(VALUES[:4], start=1)
    }
    asked = rankconst.adjust(path, metric="mrr", tool="ultra").asked
    assert any("is a mean over graphs" in str(question) for question in asked)


def test_the_name_of_a_graph_answers_no_mean(path: Path) -> None:
    assert str(VALUES[4]) not in find_adjusted(path, dataset="fb15k237_v1_ind", tool="ultra")


def test_the_name_of_a_suite_does(path: Path) -> None:
    assert find_adjusted(path, dataset="grail_fb15k237") == {str(VALUES[4]): "grail_fb15k237"}


def test_beside_head_and_tail_an_average_is_that_of_both_sides(tmp_path: Path) -> None:
    path = tmp_path / "sides.csv"
    path.write_text("model,head MRR,tail MRR,Avg MRR\nA,0.3,0.4,0.35\n", encoding="utf-8")
    assert find_adjusted(path, dataset="wn18rr") == dict.fromkeys(("0.3", "0.4", "0.35"), "wn18rr")
    path.write_text("model,dataset,Mean Rank,Average Rank\nA,WN18RR,400,410\n", encoding="utf-8")
    assert rankconst.adjust(path, metric="mr", errors="note").numbers.done
