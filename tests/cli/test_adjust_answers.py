"""``rankconst adjust --counts`` with a column of right answers: numbers, JSON, and what RecBole prints."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import rankconst

if TYPE_CHECKING:
    from pathlib import Path

    from cli.conftest import Run, Write

RECBOLE = """INFO  best valid : OrderedDict([('recall@10', 0.2171), ('mrr@10', 0.3817)])
INFO test result: OrderedDict([('recall@10', 0.2401), ('mrr@10', 0.4515), ('hit@10', 0.7678), ('precision@10', 0.1926)])
"""
JSON = '{"recall@10": 0.2401, "mrr@10": 0.4515, "hit@10": 0.7678, "precision@10": 0.1926, "epoch": 7}'


@pytest.fixture
def counts(write: Write) -> Path:
    return write("num_candidates,relevant,num_tasks\n1000,5,100\n1000,2,300\n", "counts.csv")


@pytest.mark.parametrize(("name", "content"), [("recbole.log", RECBOLE), ("results.json", JSON)])
def test_a_file_is_adjusted_where_right_answers_are_counted(
    run: Run, write: Write, counts: Path, name: str, content: str
) -> None:
    path = write(content, name)
    screen = run("adjust", path, "--counts", counts, "--json")
    users = rankconst.from_counts([1000] * 400, relevant=[5] * 100 + [2] * 300)
    assert [row["metric"] for row in screen.records] == ["Recall@10", "MRR@10", "HitRatio@10", "Precision@10"]
    for row in screen.records:
        constants = users.constants(row["metric"])
        adjusted = constants.adjust(row["value"])
        assert (row["expectation"], row["index"], row["z"]) == (constants.expectation, adjusted.index, adjusted.z)
        assert (row["index_lower"], row["index_upper"]) == adjusted.index_interval
        assert "PyTorch Geometric" in row["definition"]
    assert ("line 1: left out, as the counts are of the test set: valid." in screen.err) == (name == "recbole.log")
    refused = run("adjust", path, "-d", "nations")
    assert "several right answers of a user" in refused.message or "one right answer" in refused.message


@pytest.mark.parametrize(
    ("args", "rows", "code", "said"),
    [
        (["0.2"], "5,2", 2, "which metric is 0.2? Write it before the value: recall@10=0.2."),
        (["map=0.2", "-d", "nations"], "5,2", 2, "--dataset does not go with counts of right answers"),
        (["recall=0.2"], "5,2", 4, "recall needs a k: write recall@10, for example."),
        (["map=0.2"], f"{2**63},3", 6, "expected at most 2**53"),
        (["map=0.2"], "5,0", 6, "relevant[0] is 0; expected at least 1"),
        (["map=0.2"], "5,x", 6, "line 2: expected whole numbers, one for each of num_candidates, relevant"),
        (["map=0.2"], "5,9", 6, "has 9 right answers among 5 candidates"),
        (["map=0.2"], "", 6, "holds no counts"),
    ],
)
def test_what_is_wrong_is_said(run: Run, write: Write, args: list[str], rows: str, code: int, said: str) -> None:
    path = write(f"num_candidates,relevant\n{rows}\n", "counts.csv")
    screen = run("adjust", *args, "--counts", path)
    assert (screen.code, screen.out) == (code, "")
    assert said in screen.message


@pytest.mark.parametrize(("times", "code"), [(10**12, 0), (0, 6), (-1, 6), (2**53 + 1, 6)])
def test_rows_say_how_many_queries_they_are(run: Run, write: Write, times: int, code: int) -> None:
    path = write(f"num_candidates,relevant,num_tasks\n9,2,{times}\n", "counts.csv")
    screen = run("adjust", "map=0.5", "--counts", path)
    assert screen.code == code
    assert (f"{times:,} queries" if code == 0 else f"line 2: num_tasks is {times}") in screen.out + screen.message


@pytest.mark.parametrize("word", ["valid", "dev", "Validation", "train"])
def test_a_line_of_another_split_is_left_out(run: Run, write: Write, counts: Path, word: str) -> None:
    path = write(f"{word} recall@10 : 0.2\ntest recall@10 : 0.3\n", "run.log")
    screen = run("adjust", path, "--counts", counts, "--json")
    assert [row["value"] for row in screen.records] == ["0.3"]
    assert "line 1: left out, as the counts are of the test set" in screen.err
