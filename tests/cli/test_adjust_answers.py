"""``rankconst adjust --counts`` with a column of right answers: what libraries print, in every
container.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import rankconst
from rankconst.errors import AskedError

pd = pytest.importorskip("pandas")

if TYPE_CHECKING:
    from pathlib import Path

    from cli.conftest import Run, Write

RECBOLE = """INFO  best valid : OrderedDict([('recall@10', 0.2171), ('mrr@10', 0.3817)])
INFO test result: OrderedDict([('recall@10', 0.2401), ('mrr@10', 0.4515), ('hit@10', 0.7678), ('precision@10', 0.1926)])
"""
VALUES = {"recall@10": "0.2401", "mrr@10": "0.4515", "hit@10": "0.7678", "precision@10": "0.1926"}
LINES = "model,recall@10,mrr@10,hit@10,precision@10\nBPR,0.2401,0.4515,0.7678,0.1926\n"
# The same four numbers, as RecBole and others write them.
CONTAINERS = {
    "run.log": RECBOLE,
    "epochs.log": "epoch 3\nvalid result: \nrecall@10 : 0.2    mrr@10 : 0.3\ntest result: \n"
    "recall@10 : 0.2401    "
    "mrr@10 : 0.4515    hit@10 : 0.7678    precision@10 : 0.1926\n",
    "results.json": json.dumps({**{name: float(value) for name, value in VALUES.items()}, "epoch": 7}),
    "indented.json": json.dumps({"valid": {"recall@10": 0.1}, "test": dict.fromkeys([]) | VALUES}, indent=1),
    "printed.txt": "{" + ", ".join(f"'{name}': np.float64({value})" for name, value in VALUES.items()) + "}",
    "torch.txt": "{" + ", ".join(f"'{name}': tensor({value})" for name, value in VALUES.items()) + "}",
    "table.csv": LINES,
    "table.md": "| model | recall@10 | mrr@10 | hit@10 | precision@10 |\n|---|---|---|---|---|\n"
    "| BPR | 0.2401 | 0.4515 | 0.7678 | 0.1926 |\n",
    "table.tex": "\\begin{tabular}{lrrrr}\nmodel & recall@10 & mrr@10 & hit@10 & precision@10 \\\\\n"
    "BPR & 0.2401 & 0.4515 & 0.7678 & 0.1926 \\\\\n\\end{tabular}\n",
}  # fmt: skip


@pytest.fixture
def counts(write: Write) -> Path:
    return write("num_candidates,relevant,num_tasks\n1000,5,100\n1000,2,300\n", "counts.csv")


USERS = rankconst.from_counts(
    [1000] * 400, relevant=[5] * 100 + [2] * 300, tool="recbole", name="counts"
)


@pytest.mark.parametrize("name", CONTAINERS)
def test_a_file_is_adjusted_by_the_counts_of_right_answers(
    run: Run, write: Write, counts: Path, name: str
) -> None:
    """Every container gives the same adjusted numbers, of the test set alone; without counts none
    is adjusted.
    """
    path = write(CONTAINERS[name], name)
    screen = run(
        "adjust", path, "--counts", counts, "--tool", "recbole", "--split", "test", "--json"
    )
    found = {
        key: cell
        for row in screen.records
        for key, cell in row.items()
        if key.endswith("index") and cell
    }
    values = {row["metric"]: row["index"] for row in screen.records if row.get("index")}
    expected = {key: USERS.constants(key).adjust(value) for key, value in VALUES.items()}
    labels = {
        "recall@10": "Recall@10", "mrr@10": "MRR@10", "hit@10": "HitRatio@10",
        "precision@10": "Precision@10",
    }  # fmt: skip
    for key, each in expected.items():
        assert (
            found.get(f"{labels[key]}_index", values.get(key, values.get(labels[key])))
            == each.index
        )
    refused = run("adjust", path, "-d", "nations", "--split", "test")
    assert (
        "is of queries with several right answers: add --counts FILE"
        in refused.message + refused.err
    )


def test_python_takes_counts_in_place_of_tables(write: Write) -> None:
    expected = USERS.constants("hit@10").adjust("0.7678")
    assert rankconst.adjust("0.7678", metric="hit@10", tables=USERS, tool="recbole") == expected
    named = rankconst.adjust(VALUES, tables=USERS, tool="recbole")
    frame = rankconst.adjust(pd.DataFrame([VALUES]), tables=USERS, tool="recbole")
    path = rankconst.adjust(write(LINES, "a.csv"), tables=USERS, tool="recbole")
    assert named["HitRatio@10_index"][0] == frame["HitRatio@10_index"][0] == expected.index
    assert path["HitRatio@10_index"][0] == expected.index
    many = rankconst.from_counts(200, relevant=20, name="many")
    with pytest.raises(
        AskedError,
        match=r"map@10 differs: sum of the precision .* over R, k = 10 .*tool=\"trec_eval\"",
    ):
        rankconst.adjust({"map@10": 0.1}, tables=many)


@pytest.mark.parametrize(
    ("tool", "name", "label"),
    [
        ("ranx", "map@10", "MAP_cut@10"),
        ("recbole", "map@10", "MAP@10"),
        ("lenskit", "Recall@10", "Recall_cap@10"),
        ("lenskit", "NDCG@10", "nDCG_clipped@10"),
        ("rectools", "ndcg@10", "nDCG_full@10"),
        ("ranx", "hits@10", "NumHits@10"),
        ("ranx", "hit_rate@10", "HitRatio@10"),
        ("mteb", "hit_rate_at_10", "HitRatio@10"),
        ("pytrec_eval", "P_10", "Precision@10"),
        ("pytrec_eval", "map_cut_10", "MAP_cut@10"),
        ("ir_measures", "R@10", "Recall@10"),
        ("ir_measures", "RR", "MRR"),
        ("pyg", "LinkPredMAP@10", "MAP@10"),
        ("torchmetrics", "RetrievalMRR", "MRR"),
        ("xgboost", "test-ndcg", "nDCG@32"),
        ("implicit", "precision@10", "Precision_pooled@10"),
        ("rexmex", "mrr", "MRR_all"),
    ],
)
def test_the_library_says_what_a_name_means(
    run: Run, write: Write, tool: str, name: str, label: str
) -> None:
    """A random model has the index 0; numbers above 1 that count hits are no percentages."""
    path = write("num_candidates,relevant\n200,20\n", "counts.csv")
    constants = rankconst.from_counts([200], relevant=20, tool=tool).constants(
        name.removeprefix("test-")
    )
    assert constants.metric.label == label
    file = write(json.dumps({name: constants.expectation}), "run.json")
    screen = run("adjust", file, "--counts", path, "--tool", tool, "--json")
    (index,) = (
        cell for row in screen.records for key, cell in row.items() if key == f"{label}_index"
    )
    assert index == pytest.approx(0, abs=1e-9)
    assert (
        f"{label}: {constants.metric.title}"
        in run("adjust", file, "--counts", path, "--tool", tool).out
    )


@pytest.mark.parametrize(("right", "asked"), [(5, False), (20, True)])
def test_a_name_is_asked_about_where_libraries_differ(
    run: Run, write: Write, right: int, asked: bool
) -> None:
    """recall@10 and map@10 are the same everywhere if no query has more than ten right answers."""
    path = write(f"num_candidates,relevant\n200,{right}\n", "counts.csv")
    screen = run("adjust", "recall@10=0.2", "map@10=0.1", "--counts", path)
    assert (screen.code == 8) is asked
    assert (
        "or right answers among the first k, over min(R, k), k = 10 (LensKit)" in screen.err
    ) is asked
    assert ("add --tool pyg or --tool " in screen.err) is asked
    assert run("adjust", "hits@10=0.2", "--counts", path).code == 8


def test_queries_without_right_answers_count_as_the_library_says(run: Run, write: Write) -> None:
    path = write("num_candidates,relevant\n9,0\n9,2\n", "counts.csv")
    found = {}
    for tool in ("lightgbm", "recbole"):
        screen = run("adjust", "map@3=0.7", "--counts", path, "--tool", tool, "--json")
        found[tool] = screen.records[0]["expectation"]
    assert found["lightgbm"] == pytest.approx((1 + found["recbole"]) / 2)
    screen = run("adjust", "map@3=0.4", "--counts", path, "--tool", "ranx", "--json")
    assert screen.records[0]["expectation"] == pytest.approx(found["recbole"] / 2)


@pytest.mark.parametrize(
    ("args", "rows", "code", "said"),
    [
        (["0.2"], "5,2", 2, "which metric is 0.2? Write it before the value: recall@10=0.2."),
        ([], "5,2", 2, "give numbers or a file of results"),
        (["map=0.2", "-d", "nations"], "5,2", 4, "the counts are of counts, not of nations"),
        (["recall=0.2"], "5,2", 6, "recall needs a k: write recall@10"),
        (["recall_at_k=0.2", "--tool", "recommenders"], "5,2", 6,
         "recommenders cuts recall_at_k off at a k that it does not print: write recall_at_k@10"),
        (["RetrievalRecall=0.2"], "5,2", 6, "write RetrievalRecall@10"),
        (["precision=0.2", "--tool", "implicit"], "5,2", 6,
         "implicit cuts precision off at a k that it does not print"),
        (["map=0.2", "--tool", "pykeen"], "5,2", 4, "unknown library 'pykeen'"),
        (["map=0.2"], "5,0", 6, "some queries have no right answers. What does a query without right answers count?"),
        (["map=0.2"], f"{2**62},3", 6, "numbers whole"),
        (["map=0.2"], "5,x", 6, "line 2: 5, x: expected num_candidates, relevant, numbers whole"),
        (["map=0.2"], "5,9", 6, "line 2: 9 right answers among 5 candidates"),
        (["map=0.2"], "", 6, "numbers whole"),
        (["map=1.2", "--tool", "ranx"], "5,2", 6, "1.2 is not a possible MAP_cut"),
        (["recall@3=0.2", "--baseline", "counting"], "5,2", 4, "say what chance gets, and nothing else"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(
    run: Run, write: Write, args: list[str], rows: str, code: int, said: str
) -> None:
    path = write(f"num_candidates,relevant\n{rows}\n", "counts.csv")
    screen = run("adjust", *args, "--counts", path)
    assert (screen.code, screen.out) == (code, "")
    assert said in screen.message + screen.err


def test_counts_of_right_answers_have_no_side(run: Run, write: Write) -> None:
    path = write("num_candidates,relevant,side\n9,2,head\n", "counts.csv")
    assert (
        "queries with several right answers have no side"
        in run("adjust", "map=0.5", "--counts", path).message
    )


@pytest.mark.parametrize(("times", "code"), [(10**12, 0), (0, 6), (-1, 6), (2**53 + 1, 6)])
def test_rows_say_how_many_queries_they_are(run: Run, write: Write, times: int, code: int) -> None:
    path = write(f"num_candidates,relevant,num_tasks\n9,2,{times}\n", "counts.csv")
    screen = run("adjust", "map@3=0.5", "--counts", path, "--json")
    assert screen.code == code
    if code == 0:
        assert screen.records[0]["num_tasks"] == times


@pytest.mark.parametrize("word", ["valid", "dev", "Validation", "train"])
def test_a_line_of_another_split_is_left_out(
    run: Run, write: Write, counts: Path, word: str
) -> None:
    path = write(f"{word} recall@10 : 0.2\ntest recall@10 : 0.3\n", "run.log")
    screen = run("adjust", path, "--counts", counts, "--json", "--tool", "pyg")
    assert [row["value"] for row in screen.records if row["index"] is not None] == [0.3]


def test_what_is_no_value_of_a_metric_is_named(run: Run, write: Write, counts: Path) -> None:
    """Not p-values, nor spreads, nor a threshold; JVMs write 1.0E-4, and 0,12 is not 0."""
    file = write(
        "test Recall@10 = 1.0E-4\ntest recall@20: 0,12\nmonitor = recall@10, 0.001 is the least\n"
        "test precision@10 = 12.5 %\ntest rbp@10 = 0.3\n",
        "run.log",
    )
    screen = run("adjust", file, "--counts", counts, "--json", "--tool", "pyg")
    assert {row["metric"]: row["value"] for row in screen.records} == {
        "Recall@10": 0.0001,
        "precision@10": 0.125,
    }
    for said in (
        "write it with a decimal point, not a comma: 0.12",
        "monitor = recall@10",
        "rbp@10",
    ):
        assert said in screen.err
    report = {
        "a": {"scores": {"map@10": 0.3}, "comparisons": {"b": {"map@10": 2.7e-17}},
             "coverage@10": 0.2},
    }  # fmt: skip
    screen = run(
        "adjust", write(json.dumps(report), "report.json"), "--counts", counts, "--tool", "ranx"
    )
    assert 'report.json (1 number): "comparisons" in a key above it' in screen.err
    assert "coverage@10" in screen.err


def test_advice_about_several_right_answers_names_the_column(run: Run, write: Write) -> None:
    """Only what is Hits@k where each task has one right answer is to be called so."""
    path = write("dataset,P@1,Recall@5,P@5,MRR\nUMLS,.5,.6,.2,.5\n", "results.csv")
    told = run("adjust", path).message
    assert "call P@1 Hits@1 and Recall@5 Hits@5." in told
