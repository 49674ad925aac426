"""``rankconst adjust --counts`` with a column of right answers: what libraries print, in every
container.
"""

import json
from pathlib import Path

import pytest

import rankconst
from cases import for_each
from cli.conftest import Run, Write
from rankconst.errors import AskedError

pd = pytest.importorskip("pandas")


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


@for_each(
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
def test_the_library_says_what_a_name_means(tool: str, name: str, label: str) -> None:
    """A random model has the index 0; numbers above 1 that count hits are no percentages."""
    tables = rankconst.from_counts([200], relevant=20, tool=tool)
    constants = tables.constants(name.removeprefix("test-"))
    assert constants.metric.label == label
    adjusted = rankconst.adjust({name: constants.expectation}, tables=tables, tool=tool)
    assert adjusted[f"{label}_index"][0] == pytest.approx(0, abs=1e-9)


def test_recall_of_a_classifier_says_nothing_of_numbers_apart_from_it(
    run: Run, write: Write
) -> None:
    """As in results/results.json of github.com/arnold117/PrimeKG-RGCN-LinkPrediction."""
    classification = '"classification": {"precision": 0.927, "recall": 0.979}'
    text = f'{{"dataset": "wn18rr", {classification}, "ranking": {{"mrr": 0.45}}}}'
    classified, ranked = run("adjust", write(text, "results.json"), "--json").records
    assert classified["asked"][0]["word"] == "classification"
    assert ranked["AMRR"] == rankconst.adjust(0.45, dataset="wn18rr", metric="mrr").index
