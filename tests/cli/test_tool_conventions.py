"""What tools compute otherwise than names say: macro averages of PyKEEN, relations of TorchKGE,
AmpliGraph raw.
"""

import json

import pytest

import rankconst
from cli.conftest import Run, Write
from rankconst.errors import DataError

KEYS = {
    "VR": "variance",
    "SDR": "standard_deviation",
    "MAD": "median_absolute_deviation",
    "MR": "arithmetic_mean_rank",
}


def test_pykeens_macro_spreads_are_unweighted(write: Write) -> None:
    """A random ranker's VR and SDR have the index 0 under micro constants, its MR under macro ones;
    MAD is left out.
    """
    pytest.importorskip("pandas")
    micro = {
        label: rankconst.constants("nations", label, tool="pykeen")
        for label in ("VR", "SDR", "MAD")
    }
    mean = rankconst.constants("nations", "mr", tool="pykeen", aggregation="macro-query")
    values = {label: known.expectation for label, known in micro.items()} | {"MR": mean.expectation}
    file = write(
        json.dumps({f"both.realistic.{KEYS[label]}": value for label, value in values.items()}),
        "macro.json",
    )
    found = rankconst.adjust(
        file, dataset="nations", tool="pykeen", aggregation="macro-query"
    ).to_pandas()
    index = dict(zip(found["metric"], found["index"], strict=True))
    notes = dict(zip(found["metric"], found["note"], strict=True))
    averages = dict(zip(found["metric"], found["aggregation"], strict=True))
    assert (averages[KEYS["MR"]], averages[KEYS["VR"]]) == ("macro-query", "micro")
    assert abs(index[KEYS["VR"]]) < 1e-9
    assert abs(index[KEYS["SDR"]]) < 1e-9
    assert abs(index[KEYS["MR"]]) < 1e-9
    assert "leaves MAD unweighted and without the factor 1.4826" in notes[KEYS["MAD"]]
    with pytest.raises(DataError, match="leaves MAD unweighted"):
        rankconst.adjust(
            2.0, metric="MAD", dataset="nations", tool="pykeen", aggregation="macro-query"
        )


@pytest.mark.parametrize("value", ["0", "0.0"])
def test_pykeens_whole_reciprocals_are_left_out(write: Write, value: str) -> None:
    """Its optimistic and pessimistic inverse median rank divides whole numbers: 1 / 7 is 0."""
    keys = {
        "both.pessimistic.inverse_median_rank": float(value),
        "both.realistic.inverse_median_rank": 0.13,
    }
    reading = rankconst.read(write(json.dumps(keys).replace("0.0", value), "ranks.json"))
    assert [entry.context.rank_type for entry in reading.entries] == ["realistic"]
    assert "divides whole numbers" in reading.skipped[0].reason


def test_torchkge_may_have_ranked_relations(run: Run, write: Write) -> None:
    """Its relation evaluator prints the lines of link prediction: the side is assumed, and can be
    said.
    """
    known = rankconst.constants("kinships", "mrr", side="relation")
    text = (
        "Hit@10 : 0.3 \t\t Filt. Hit@10 : 0.4\n"
        f"MRR : 0.1 \t\t Filt. MRR : {known.expectation:.3f}\n"
    )
    path = write(text, "run.log")
    command = ("adjust", path, "-d", "kinships", "--metric", "mrr", "--protocol", "standard")
    assert "both sides" in run(*command).err
    screen = run(*command, "--side", "relation", "--json")
    (row,) = (row for row in screen.records if row["index"] is not None)
    assert row["side"] == "relation"
    assert abs(row["index"]) < 0.002
