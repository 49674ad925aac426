"""What a table over several graphs ends with, on the screen and in print."""

import statistics
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import rankconst
from rankconst.catalogue.metrics import parse_metric
from rankconst.errors import DataError
from rankconst.results.graph_means import ModelAverage, _Setting, describe_averages
from rankconst.values.averages import Average

GRAPHS = ("FB15k-237", "WN18RR", "NELL-995")
NAMES = [f"{graph} v{version}" for graph in GRAPHS for version in range(1, 5)]
# MRR of ULTRA 3g and of TRIX, zero-shot, in the order of NAMES: a public re-run of both checkpoints,
# https://github.com/LckyLke/sotaKGFMs/tree/bec8a92edf8d2670c15ef0e1b6429692127c7aab/reports
FIRST = [0.4863, 0.5006, 0.4821, 0.4769, 0.5929, 0.6205, 0.3712, 0.4839, 0.7166, 0.5247, 0.5112, 0.4903]  # fmt: skip
SECOND = [0.5148, 0.5250, 0.5010, 0.4926, 0.6986, 0.6804, 0.4240, 0.6491, 0.8061, 0.5704, 0.5585, 0.5396]  # fmt: skip


def show(path: Path, text: str, dataset: str | None = None, tool: str | None = None) -> list[str]:
    path.write_text(text, encoding="utf-8")
    lines = str(rankconst.adjust(path, dataset=dataset, tool=tool)).splitlines()
    return [line for line in lines if "mean over" in line or line[:2] == "  "]


def write_rows(**models: list[float]) -> str:
    lines = ["model,dataset,MRR"]
    for model, own in models.items():
        lines += [f"{model},{name},{value}" for name, value in zip(NAMES, own, strict=False)]
    return "\n".join(lines)


def write_models(first: Sequence[object], second: Sequence[object]) -> str:
    rows = [f"{name},{a},{b}" for name, a, b in zip(NAMES, first, second, strict=True)]
    return "\n".join(["dataset,ULTRA MRR,TRIX MRR", *rows])


def expect(split: str = "test", baseline: str = "uniform") -> list[float]:
    """List the expectations of MRR on the graphs of NAMES."""
    keys = [f"{graph}_v{v}_ind" for graph in ("fb15k237", "wn18rr", "nell") for v in range(1, 5)]
    constants = [rankconst.constants(key, "mrr", split=split, baseline=baseline) for key in keys]
    return [each.expectation for each in constants]


@pytest.mark.parametrize("tool", [None, "ultra"])
def test_one_model_has_one_line(tmp_path: Path, tool: str | None) -> None:
    text = write_rows(A=FIRST).replace("A,", "").replace("model,", "")
    (line,) = show(tmp_path / "own.csv", text, None if tool else "inductive", tool)
    split, mean = "valid+test" if tool else "test", statistics.fmean(FIRST)
    chance, counting = (statistics.fmean(expect(split, name)) for name in ("uniform", "counting"))
    error = statistics.stdev(FIRST) / len(FIRST) ** 0.5
    assert line.startswith(
        f"MRR, mean over 12 datasets: {mean:.4f}, chance {chance:.4f}, counting {counting:.4f}, "
        f"index {(mean - chance) / (1 - chance):.4f} (mean of indices "
    )
    assert f", ±{error:.4f} over datasets; largest share of chance: NELL-995 v1 (" in line


@pytest.mark.parametrize("layout", ["rows", "models as columns", "graphs as columns"])
def test_several_models_share_what_chance_gets(tmp_path: Path, layout: str) -> None:
    text = write_rows(ULTRA=FIRST, TRIX=SECOND)
    if layout == "models as columns":
        text = write_models(FIRST, SECOND)
    elif layout == "graphs as columns":
        heads = ",".join(f"{name} MRR" for name in NAMES)
        first, second = (",".join(map(str, own)) for own in (FIRST, SECOND))
        text = f"model,{heads}\nULTRA,{first}\nTRIX,{second}"
    title, *lines = show(tmp_path / "own.csv", text, dataset="inductive")
    chance, counting = (statistics.fmean(expect("test", name)) for name in ("uniform", "counting"))
    start = f"MRR, mean over 12 datasets: chance {chance:.4f}, counting {counting:.4f}; largest "
    assert title.startswith(f"{start}share of chance: ")
    assert [line.split(",")[0] for line in lines] == [
        f"  ULTRA: {statistics.fmean(FIRST):.4f}",
        f"  TRIX: {statistics.fmean(SECOND):.4f}",
    ]


def average(sizes: Sequence[int], values: Sequence[float], rounding: float) -> Average:
    """Average Hits@1, which is 1 / N by chance, over graphs of five tasks."""
    metric, found = parse_metric("hits@1"), np.array(values)
    names = tuple(f"v{place + 1}" for place in range(len(sizes)))
    constants = [rankconst.from_counts([size] * 5).constants("hits@1") for size in sizes]
    return Average(metric, names, found, found - rounding, found + rounding, constants)


SETTING = _Setting(parse_metric("hits@1"), "standard", "test", "both", "micro", "", "")


def describe(mean: Average, *, details: bool = False, total: int = 0) -> str:
    """Describe the mean of a model without a name."""
    (line,) = describe_averages([ModelAverage(SETTING, "", mean, total)], details=details)
    return line


@pytest.mark.parametrize(
    ("sizes", "values", "rounding", "said"),
    [
        ((20, 20, 20), (0.4, 0.5, 0.6), 0.05, "0.5000, chance 0.0500, index 0.4737, ±0.0577 over datasets"),
        # The mean of indices, unless it differs by no more than rounding or the last decimal.
        ((2, 20, 20), (0.9, 0.2, 0.2), 0.01, "0.4333, chance 0.2000, index 0.2917 (mean of indices 0.3719), "
         "±0.2333 over datasets; largest share of chance: v1 (83%)"),
        ((2, 20, 20), (0.9, 0.2, 0.2), 0.09, "0.4333, chance 0.2000, index 0.2917, ±0.2333 over datasets; largest share of chance: v1 (83%)"),
        ((10, 10, 15), (0.4, 0.6, 0.5), 0, "0.5000, chance 0.0889, index 0.4512 (mean of indices 0.4511), ±0.0577 over datasets"),
        ((10, 15, 19), (0.6, 0.5, 0.6), 0, "0.5667, chance 0.0731, index 0.5325, ±0.0333 over datasets"),
        # The largest share of chance, if it is twice the equal one.
        ((20, 20, 11, 20), (0.5,) * 4, 0.05, "0.5000, chance 0.0602, index 0.4680, ±0.0000 over datasets"),
        ((4, 8, 16, 16), (0.5,) * 4, 0.05, "0.5000, chance 0.1250, index 0.4286, ±0.0000 over datasets; largest share of chance: v1 (50%)"),
        # All are right, whatever the model.
        ((1, 1, 1), (1, 1, 1), 0, "1.0000, chance 1.0000, ±0.0000 over datasets"),
    ],
)  # fmt: skip
def test_what_is_said_of_a_mean(
    sizes: tuple[int, ...], values: tuple[float, ...], rounding: float, said: str
) -> None:
    mean = average(sizes, values, rounding)
    assert describe(mean) == f"Hits@1, mean over {len(sizes)} datasets: {said}."
    detailed = describe(mean, details=True, total=20)
    assert detailed.startswith(f"Hits@1, mean over {len(sizes)} of 20 datasets: ")
    z = mean.chance.z
    assert ", z " not in detailed if np.isnan(z) else f", z {z:,.4g}, p " in detailed


def test_settings_are_named_where_they_differ() -> None:
    mean = average((20, 20, 20), (0.4, 0.5, 0.6), 0.05)
    other = SETTING._replace(split="valid", side="head")
    lines = describe_averages(
        [ModelAverage(setting, "A", mean, 3) for setting in (SETTING, other)], details=False
    )
    assert [line.partition(":")[0] for line in lines] == [
        "Hits@1, test, both sides, mean over 3 datasets, A",
        "Hits@1, valid, head side, mean over 3 datasets, A",
    ]


@pytest.mark.parametrize("layout", ["rows", "models as columns"])
def test_a_model_on_fewer_graphs_has_its_own_line(tmp_path: Path, layout: str) -> None:
    text = write_models(FIRST, [*SECOND[:4], *[""] * 8])
    if layout == "rows":
        text = write_rows(ULTRA=FIRST, TRIX=SECOND[:4])
    lines = show(tmp_path / "own.csv", text, dataset="inductive")
    starts = [line.partition(":")[0] for line in lines]
    assert starts == ["MRR, mean over 12 datasets, ULTRA", "MRR, mean over 4 datasets, TRIX"]


@pytest.mark.parametrize(
    "text",
    [
        write_rows(A=FIRST[:2]),
        # Which of the two rows of a graph counts is not said.
        write_rows(A=FIRST) + "\nA,FB15k-237 v1,0.6",
        "model,MRR\nA,0.4\nB,0.5\nC,0.6",
        "dataset,split,MRR\nFB15k-237 v1,test,0.4\nFB15k-237 v2,valid,0.5\nFB15k-237 v3,test,0.5",
        "dataset,side,MRR\nFB15k-237 v1,head,0.4\nFB15k-237 v2,tail,0.5\nFB15k-237 v3,head,0.5",
        "dataset,metric,value\nFB15k-237 v1,MRR,0.4\nFB15k-237 v2,MRR,0.5\nFB15k-237 v3,Hits@10,0.5",
        # Of single relations.
        "dataset,relation,MRR\nNations,embassy,0.5\nUMLS,isa,0.6\nWN18RR,_hypernym,0.2",
    ],
)  # fmt: skip
def test_where_there_is_no_mean(tmp_path: Path, text: str) -> None:
    dataset = "inductive" if "dataset" in text else "wn18rr"
    assert show(tmp_path / "own.csv", text, dataset=dataset) == []


@pytest.mark.parametrize("form", ["csv", "md", "frame"])
def test_columns_called_after_models_are_of_the_metric_that_is_named(
    tmp_path: Path, form: str
) -> None:
    rows = [[name, str(a), str(b)] for name, a, b in zip(NAMES, FIRST, SECOND, strict=True)]
    lines = [["dataset", "ULTRA", "TRIX"], *rows]
    path = tmp_path / f"own.{form}"
    joined = [",".join(line) for line in lines]
    if form == "md":
        joined = [f"| {' | '.join(line)} |" for line in [lines[0], ["---"] * 3, *rows]]
    path.write_text("\n".join(joined), encoding="utf-8")
    given = pd.DataFrame(rows, columns=lines[0]) if form == "frame" else path
    with pytest.raises(DataError, match="metric"):
        rankconst.adjust(given, dataset="inductive")
    found = rankconst.adjust(given, metric="mrr", dataset="inductive")
    for name, printed in (("ULTRA", FIRST), ("TRIX", SECOND)):
        chance = rankconst.constants("fb15k237_v1_ind", "mrr").expectation
        assert found[f"{name} AMRR"][0] == pytest.approx((printed[0] - chance) / (1 - chance))
    shown = rankconst.compare(given, metric="mrr", dataset="inductive")
    assert shown.across[0].names == ("TRIX", "ULTRA")
    assert rankconst.check(given, metric="mrr", dataset="inductive").num_counted > 0


@pytest.mark.parametrize("other", ["epoch", "valid", "MR", "FB15k", "Hits", "note"])
def test_columns_beside_known_words_are_no_models(tmp_path: Path, other: str) -> None:
    path = tmp_path / "own.csv"
    path.write_text(f"dataset,ULTRA,{other}\nWN18RR,0.4,0.5\n", encoding="utf-8")
    try:
        found = rankconst.check(path, metric="mrr").reading.entries
    except DataError:
        return
    assert {each.column for each in found} <= {other}


def test_columns_of_models_may_lack_numbers(tmp_path: Path) -> None:
    path = tmp_path / "own.csv"
    path.write_text("dataset,RotatE,TRIX,TuckER\nWN18RR,0.4,OOM,\nFB15k-237,0.3,0.4,\n", "utf-8")
    entries = rankconst.check(path, metric="mrr").reading.entries
    found = [(each.column, each.text) for each in entries]
    assert found == [("RotatE", "0.4"), ("RotatE", "0.3"), ("TRIX", "0.4")]


def test_ranks_of_tied_scores_have_means_of_their_own(tmp_path: Path) -> None:
    rows = [f"{name},{kind},{value}" for name, value in zip(NAMES[:3], FIRST, strict=False)
            for kind in ("realistic", "optimistic")]  # fmt: skip
    lines = show(tmp_path / "own.csv", "\n".join(["dataset,rank type,MRR", *rows]), "inductive")
    assert [line.partition(":")[0] for line in lines] == [
        f"MRR, {kind}, mean over 3 datasets" for kind in ("realistic", "optimistic")
    ]


def test_what_is_below_counting_is_named(tmp_path: Path) -> None:
    low = [0.4, 0.1, *FIRST[2:]]
    (line,) = show(tmp_path / "own.csv", write_rows(A=low), dataset="inductive")
    assert low[1] < expect(baseline="counting")[1]
    assert "FB15k-237 v2" in line.partition("below counting: ")[2]


def test_splits_have_means_of_their_own(tmp_path: Path) -> None:
    rows = [
        "FB15k-237,0.375,0.368", "WN18RR,0.478,0.480", "CoDEx-M,0.374,0.372", "Average,0.409,0.407",
    ]  # fmt: skip
    path = tmp_path / "own.csv"
    valid, test = show(path, "\n".join(["dataset,Valid MRR,Test MRR", *rows]), tool="ultra")
    keys = ("fb15k237", "wn18rr", "codexmedium")
    for line, split in ((valid, "valid"), (test, "test")):
        found = [rankconst.constants(key, "mrr", split=split, baseline="counting") for key in keys]
        counting = statistics.fmean(each.expectation for each in found)
        assert line.startswith(f"MRR, {split}, mean over 3 datasets: ")
        assert f", counting {counting:.4f}, " in line
    means = [
        each.constants.tasks
        for each in rankconst.adjust(path, tool="ultra").numbers.entries
        if each.constants is not None and each.constants.tasks.dataset == "ultra_pretraining"
    ]
    assert [tasks.split for tasks in means] == ["valid", "test"]


def test_graphs_without_constants_are_counted_and_other_rows_are_not(tmp_path: Path) -> None:
    rows = [f"{name},{value}" for name, value in zip(NAMES, FIRST, strict=True)]
    rows += ["HM:indigo,0.4361", "Std,0.09", "Median,0.49"]
    text = "\n".join(["dataset,MRR", *rows])
    (line,) = show(tmp_path / "own.csv", text, tool="ultra")
    assert line.startswith("MRR, mean over 12 of 13 datasets: ")
    (line,) = show(tmp_path / "own.csv", text, dataset="ultra_inductive")
    assert line.startswith("MRR, mean over 12 of 41 datasets: ")


def test_what_a_mean_is_over_counting_and_its_p(tmp_path: Path) -> None:
    path = tmp_path / "own.csv"
    path.write_text(write_rows(A=FIRST), encoding="utf-8")
    lines = str(rankconst.adjust(path, tool="ultra", details=True)).splitlines()
    (line,) = (line for line in lines if "mean over" in line)
    mean = statistics.fmean(FIRST)
    counting = rankconst.constants("grail_12", "mrr", baseline="counting")
    skill = (mean - counting.expectation) / (1 - counting.expectation)
    assert f", p < 1e-300, skill over counting {skill:.4f} (mean of skills " in line
    z = (mean - counting.expectation) / counting.variance**0.5
    assert f"), z {z:,.4g}, ±" in line


def test_a_file_is_checked_whose_means_are_of_another_split(tmp_path: Path) -> None:
    """The options leave none of its means."""
    path = tmp_path / "own.csv"
    path.write_text("dataset,Valid MRR,Test MRR\nWN18RR,.478,.480\nAverage,.409,.407\n")
    assert rankconst.check(path, dataset="wn18rr").num_errors == 0
