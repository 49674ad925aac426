"""``rankconst adjust``: the numbers, the spellings, and every way to get it wrong."""

from __future__ import annotations

import json
import math
import shutil
from fractions import Fraction
from typing import TYPE_CHECKING

import pytest

from carried import open_once
from rankconst.catalogue.metrics import parse_metric
from rankconst.moments import compute_moments
from rankconst.version import bundled_versions

if TYPE_CHECKING:
    from pathlib import Path

    from cli.conftest import Run

FIELDS = (
    "dataset",
    "protocol",
    "split",
    "side",
    "aggregation",
    "relations",
    "metric",
    "value",
    "num_tasks",
    "expectation",
    "variance",
    "normalised",
    "index",
    "z",
    "table_version",
)

SHIPPED = ("codexmedium", "codexsmall", "fb15k237", "kinships", "nations", "umls", "wn18", "wn18rr")

DECREASING = ("mr", "gmr")

VALUES = {"mr": 5.5, "gmr": 4.25, "mrr": 0.625, "igmr": 0.5, "hits@1": 0.375, "hits@10": 0.953, "hits@7": 0.875}


@pytest.mark.slow
@pytest.mark.parametrize("metric", VALUES)
@pytest.mark.parametrize("dataset", ["nations", "fb15k237"])
def test_numbers_follow_their_definitions(run: Run, dataset: str, metric: str) -> None:
    value = VALUES[metric]
    (row,) = run("adjust", value, "--dataset", dataset, "--metric", metric, "--format", "json").records
    expectation, variance = row["expectation"], row["variance"]
    sign = -1 if metric in DECREASING else 1
    assert row["value"] == value
    assert row["normalised"] == pytest.approx(value / expectation, rel=1e-14)
    assert row["index"] == pytest.approx((value - expectation) / (1 - expectation), rel=1e-13)
    assert row["z"] == pytest.approx(sign * (value - expectation) / math.sqrt(variance), rel=1e-13)


@pytest.mark.slow
@pytest.mark.parametrize("side", ["head", "tail", "both"])
@pytest.mark.parametrize("protocol", ["standard", "pykeen", "libkge", "raw"])
def test_constants_follow_from_the_counts(run: Run, side: str, protocol: str) -> None:
    histogram = open_once().histogram("nations", split="valid", side=side, protocol=protocol)
    pairs = list(zip(histogram.num_candidates.tolist(), histogram.num_tasks.tolist(), strict=True))
    total = sum(tasks for _, tasks in pairs)
    where = ("-d", "nations", "--split", "valid", "--side", side, "-p", protocol, "-f", "json")

    def mean(moment: dict[int, Fraction], power: int) -> float:
        return float(sum((tasks * moment[size] for size, tasks in pairs), Fraction()) / total**power)

    ranks = {size: [Fraction(j) for j in range(1, size + 1)] for size, _ in pairs}
    shares = {size: [Fraction(j <= 3) for j in range(1, size + 1)] for size, _ in pairs}
    reciprocals = {size: [1 / j for j in ranks[size]] for size in ranks}
    for metric, values in (("mr", ranks), ("hits@3", shares), ("mrr", reciprocals)):
        first = {size: sum(of, Fraction()) / size for size, of in values.items()}
        second = {size: sum((v * v for v in of), Fraction()) / size - first[size] ** 2 for size, of in values.items()}
        (row,) = run("adjust", 1, *where, "-m", metric).records
        assert row["num_tasks"] == total
        assert row["expectation"] == pytest.approx(mean(first, 1), rel=1e-12)
        assert row["variance"] == pytest.approx(mean(second, 2), rel=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("metric", VALUES)
def test_agrees_with_the_python_interface(run: Run, metric: str) -> None:
    tables = open_once()
    split, side, protocol = where = ("valid", "tail", "pykeen")
    datasets = [word for dataset in SHIPPED for word in ("-d", dataset)]
    args = ("adjust", "1", *datasets, "-m", metric, "--split", split, "--side", side, "-p", protocol, "-f", "json")
    for dataset, row in zip(SHIPPED, run(*args).records, strict=True):
        constants = tables.constants(dataset, metric, *where)
        adjusted = constants.adjust(1)
        assert tuple(field for field in row if field in FIELDS) == FIELDS
        assert row["dataset"] == dataset
        assert (row["split"], row["side"], row["protocol"]) == where
        assert row["metric"] == str(constants.metric)
        for field in ("num_tasks", "expectation", "expectation_error", "variance", "variance_error", "method"):
            assert row[field] == getattr(constants, field)
        assert (row["normalised"], row["index"], row["z"]) == (adjusted.normalised, adjusted.index, adjusted.z)
        assert row["table_version"] == tables.version


@pytest.mark.parametrize(
    ("dataset", "protocol", "metric", "expectation"),
    [
        ("nations", "standard", "mr", 4.477612),
        ("nations", "standard", "mrr", 0.384441),
        ("nations", "standard", "hits@10", 0.946930),
        ("nations", "standard", "gmr", 3.468879),
        ("wn18rr", "standard", "mr", 20464.501914),
        ("wn18rr", "pykeen", "mr", 20272.547965),
    ],
)
def test_known_constants(run: Run, dataset: str, protocol: str, metric: str, expectation: float) -> None:
    (row,) = run("adjust", 1, "-d", dataset, "-m", metric, "-p", protocol, "-f", "json").records
    assert row["expectation"] == pytest.approx(expectation, abs=5.1e-7)


def test_a_perfect_ranker_has_index_one_and_chance_has_zero(run: Run) -> None:
    expectation = open_once().constants("umls", "mrr").expectation
    perfect, chance = run("adjust", 1, repr(expectation), "-d", "umls", "-m", "mrr", "-f", "json").records
    assert perfect["index"] == 1
    assert (chance["normalised"], chance["index"], chance["z"]) == (1, 0, 0)


@pytest.mark.slow
def test_every_value_meets_every_dataset(run: Run) -> None:
    args = ("adjust", 0.338, 0.5, 0.75, "-d", "fb15k237", "-d", "wn18rr", "-m", "mrr")
    rows = run(*args, "-f", "json").records
    expected = [(dataset, value) for dataset in ("fb15k237", "wn18rr") for value in (0.338, 0.5, 0.75)]
    assert [(row["dataset"], row["value"]) for row in rows] == expected
    shown = [cells[:2] for cells in run(*args).cells if cells[0] in SHIPPED]
    assert shown == [[dataset, str(value)] for dataset, value in expected]


@pytest.mark.parametrize(
    "spelt",
    [
        ("--dataset", "FB15k-237", "--metric", "hits@10"),
        ("--dataset", "fb15k-237", "--metric", "H@10"),
        ("--dataset", "FB15K237", "--metric", "Hits@10"),
        ("-d", "fb15k_237", "-m", "hits_at_10"),
        ("-d", "fb15k237", "-m", "both.realistic.hits_at_10"),
        ("-d", "fb15k237", "-m", "h10", "--split", "testing", "--side", "BOTH", "--protocol", "Standard"),
    ],
)
def test_usual_spellings_are_accepted(run: Run, spelt: tuple[str, ...]) -> None:
    plain = run("adjust", 0.533, "-d", "fb15k237", "-m", "hits@10", "-f", "csv")
    assert run("adjust", 0.533, *spelt, "-f", "csv").out == plain.out


@pytest.mark.parametrize(
    ("option", "spelt", "key"),
    [("--side", "left", "head"), ("--side", "object", "tail"), ("--split", "validation", "valid"),
     ("--split", "training", "train"), ("--split", "testing", "test"), ("--protocol", "LibKGE", "libkge")],
)  # fmt: skip
def test_usual_spellings_of_tasks(run: Run, option: str, spelt: str, key: str) -> None:
    (row,) = run("adjust", 0.5, "-d", "wnrr", "-m", "MRR", option, spelt, "-f", "json").records
    assert row["dataset"] == "wn18rr"
    assert row[option.removeprefix("--")] == key


def test_csv_equals_json(run: Run) -> None:
    args = ("adjust", 0.9, 0.953, "-d", "nations", "-d", "umls", "-m", "hits@10")
    rows, records = run(*args, "-f", "csv").rows, run(*args, "-f", "json").records
    assert len(rows) == len(records) == 4
    for row, record in zip(rows, records, strict=True):
        assert [*row, "assumed"] == list(record)
        for field, value in ((field, record[field]) for field in row):
            assert row[field] == ("; ".join(value) if isinstance(value, list) else str(value))
            if isinstance(value, float):
                assert float(row[field]) == value


def test_the_table_has_the_facts(run: Run) -> None:
    screen = run("adjust", 0.338, "-d", "fb15k237", "-m", "mrr")
    for fact in ("fb15k237", "MRR", "AMRR", "ZMRR", "standard", "test", "0.338", "0.00071106", "474.6–476.1",
                 "0.3370–0.3381", "6,358–6,378", bundled_versions()[-1]):  # fmt: skip
        assert fact in screen.out
    screen = run("adjust", 100, "-d", "wn18rr", "-m", "mr", "--split", "valid", "--side", "tail", "-p", "raw")
    for fact in ("wn18rr", "(AMR)", "(AMRI)", "(ZMR)", "valid", "tail", "raw"):
        assert fact in screen.out


@pytest.mark.parametrize(
    ("options", "assumed"),
    [
        ((), "test split, both sides, standard protocol"),
        (("--split", "valid"), "both sides, standard protocol"),
        (("--side", "tail", "--tool", "pykeen"), "test split, pykeen protocol"),
        (("--split", "test", "--side", "both", "--protocol", "raw"), ""),
        (("-d", "ogbl-wikikg2"), "test split, both sides, standard and sampled:500 protocols"),
    ],
)
def test_what_was_assumed_is_said_once(run: Run, options: tuple[str, ...], assumed: str) -> None:
    command = ("adjust", "0.5", "-d", "umls", "-m", "mrr", *options)
    told = f"assumed: {assumed} (no option says otherwise).\n" if assumed else ""
    for form in ("json", "csv"):
        assert run(*command, "-f", form).err.startswith(told)
    assert "assumed" not in run(*command).err  # the title says it
    for row in run(*command, "-f", "json").records:
        assert all(row[field] == value for field, value in row["assumed"].items())
        assert bool(row["assumed"]) == bool(assumed)
    assert run("adjust", 0.5, "-m", "mrr", "-n", 9, "-p", "sampled:5", "-f", "csv").err == ""


# -- names ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (("-d", "fb15k238", "-m", "mrr"), ("unknown dataset", "'fb15k238'", "Did you mean fb15k237",
                                           "rankconst show datasets")),
        (("-d", "umls", "-d", "zzz", "-m", "mrr"), ("unknown dataset", "'zzz'")),
        (("-d", "kinshops", "-m", "mrr"), ("unknown dataset", "'kinshops'", "Did you mean kinships")),
        (("-d", "zzz", "-m", "mrr"), ("unknown dataset", "'zzz'", "hold 90", "rankconst show datasets")),
        (("-d", "umls", "-m", "mmr"), ("unknown metric", "'mmr'", "Did you mean", "rankconst show metrics")),
        (("-d", "umls", "-m", "hist@10"), ("unknown metric", "'hist@10'", "Did you mean", "Hits@10")),
        (("-d", "umls", "-m", "mrr10"), ("unknown metric", "'mrr10'")),
        (("-d", "umls", "-m", "hits"), ("'hits'", "needs a k", "hits@10")),
        (("-d", "umls", "-m", "hits@0"), ("needs a k", "0")),
        (("-d", "umls", "-m", "mrr", "-p", "pykeeen"), ("unknown protocol", "'pykeeen'", "Did you mean pykeen")),
        (("-d", "umls", "-m", "mrr", "-p", "sampled"), ("unknown protocol", "'sampled'", "sampled:M")),
        (("-d", "umls", "-m", "mrr", "-p", "sampled:0"), ("'sampled:0'", "at least one", "sampled:500")),
        (("-d", "umls", "-m", "mrr", "--split", "tset"), ("unknown split", "'tset'", "Did you mean test")),
        (("-d", "umls", "-m", "mrr", "--split", "all"), ("unknown split", "'all'")),
        (("-d", "umls", "-m", "mrr", "--side", "hed"), ("unknown side", "'hed'", "Did you mean head")),
        (("-d", "umls", "-m", "mrr", "--side", "zzz"), ("unknown side", "'zzz'", "head, tail, both")),
    ],
)  # fmt: skip
def test_unknown_names(run: Run, args: tuple[str, ...], told: tuple[str, ...]) -> None:
    screen = run("adjust", 0.5, *args)
    assert (screen.code, screen.out) == (4, "")
    assert screen.err.startswith("error: ")
    for fact in told:
        assert fact in screen.message


@pytest.mark.parametrize("metric", ["hits@1.5", "hits@-1", "hits@1,3,10", "hits@1-10"])
def test_a_k_that_is_no_whole_number_is_not_guessed(run: Run, metric: str) -> None:
    screen = run("adjust", 0.5, "-d", "fb15k237", f"--metric={metric}")
    assert (screen.code, screen.out) == (4, "")
    assert metric in screen.message


def test_sampled_negatives_need_only_the_number_of_tasks(run: Run) -> None:
    (row,) = run("adjust", 0.5, "-d", "umls", "-m", "hits@10", "-p", "sampled:500", "-f", "json").records
    assert (row["protocol"], row["num_tasks"]) == ("sampled:500", 1322)
    assert row["expectation"] == pytest.approx(10 / 501, rel=1e-14)


@pytest.mark.parametrize(("tool", "protocol"), [("RotatE", "standard"), ("ampligraph", "pykeen")])
def test_a_tool_leads_to_its_protocol(run: Run, tool: str, protocol: str) -> None:
    screen = run("adjust", 0.5, "-d", "umls", "-m", "mrr", "-p", tool)
    assert (screen.code, screen.out) == (4, "")
    assert f"evaluates under protocol {protocol}" in screen.message


def test_an_adjusted_form_leads_to_its_metric(run: Run) -> None:
    screen = run("adjust", 0.5, "-d", "umls", "-m", "AMRR")
    assert (screen.code, screen.out) == (4, "")
    assert "adjusted form of MRR" in screen.message


@pytest.mark.usefixtures("builder")
@pytest.mark.parametrize(("spelt", "key"), [("yago310", "yago310"), ("YAGO3-10", "yago310"), ("FB15k", "fb15k")])
def test_dataset_without_constants_says_how_to_build_them(run: Run, spelt: str, key: str) -> None:
    screen = run("adjust", 0.5, "-d", spelt, "-m", "mrr")
    assert (screen.code, screen.out) == (4, "")
    assert f"rankconst build --dataset {key}" in screen.message
    assert "rankconst.load('rankconst-tables')" in screen.message
    assert "Did you mean" not in screen.message
    assert "unknown" not in screen.message


@pytest.mark.usefixtures("builder")
def test_dataset_that_nobody_can_build_says_why(run: Run) -> None:
    screen = run("adjust", 0.5, "-d", "OpenEA", "-m", "mrr")
    assert (screen.code, screen.out) == (4, "")
    assert "not offered" in screen.message
    assert "rankconst build" not in screen.message


@pytest.mark.usefixtures("builder")
def test_another_copy_of_a_shipped_graph_leads_to_it(run: Run) -> None:
    screen = run("adjust", 0.5, "-d", "openke_fb15k237", "-m", "mrr")
    assert screen.code == 4
    words = screen.message.replace("openke_fb15k237", "").replace(",", " ").replace(".", " ").split()
    assert any(word.strip("()`'") == "fb15k237" for word in words)


# -- values --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "metric", "told"),
    [
        ("53.3", "hits@10", ("53.3", "Hits@10", "fb15k237", "standard", "0 to 1", "0.533")),
        ("33.8", "mrr", ("33.8", "MRR", "percentage", "0.338")),
        ("0.3", "mr", ("0.3", "MR", "at least 1", "MRR", "share")),
        ("0.3", "gmr", ("0.3", "GMR", "at least 1")),
        ("99999", "mr", ("99999", "MR", "14305.6", "Check")),
        ("1.00001", "mrr", ("MRR",)),
    ],
)
def test_values_outside_the_range(run: Run, value: str, metric: str, told: tuple[str, ...]) -> None:
    screen = run("adjust", value, "-d", "fb15k237", "-m", metric)
    assert (screen.code, screen.out) == (6, "")
    for fact in ("error:", "expected", *told):
        assert fact in screen.message


def test_one_wrong_value_stops_all(run: Run) -> None:
    screen = run("adjust", 0.5, 50, "-d", "umls", "-m", "mrr", "-f", "json")
    assert (screen.code, screen.out) == (6, "")
    assert "50" in screen.message
    assert "0.5" in screen.message


def test_rounded_worst_value_is_granted(run: Run) -> None:
    worst = open_once().constants("nations", "mrr").worst
    assert 0.1671 < worst < 0.16715
    assert run("adjust", 0.1671, "-d", "nations", "-m", "mrr").code == 0
    screen = run("adjust", 0.166, "-d", "nations", "-m", "mrr")
    assert screen.code == 6
    assert "0.167127" in screen.message


def test_negative_value_after_two_dashes(run: Run) -> None:
    screen = run("adjust", "-d", "umls", "-m", "mrr", "--", "-0.3")
    assert (screen.code, screen.out) == (6, "")
    assert "-0.3" in screen.message


@pytest.mark.parametrize("name", ["recall@10", "Recall @ 10", "recall_at_10"])
def test_recall_at_k_is_hits_at_k_with_a_note(run: Run, name: str) -> None:
    hits, recall = (run("adjust", "0.95", "-d", "nations", "-m", each, "-f", "json") for each in ("hits@10", name))
    assert (hits.code, recall.out) == (0, hits.out)
    assert "recall" not in hits.message
    assert "recall@k is read as Hits@k" in recall.message


def test_a_tool_that_counts_from_0_ranks_one_side(run: Run) -> None:
    found = [
        run("adjust", value, "-d", "nations", "-m", "mr", *args, "-f", "csv").out
        for value, args in (("5.5", ("--tool", "pyg")), ("6.5", ("-p", "raw", "--side", "tail")))
    ]
    assert found[0] == found[1]
    assert run("adjust", "0.5", "-d", "nations", "-m", "mrr", "--tool", "pyg", "--side", "head").code == 0


def test_negative_value_is_not_taken_for_an_option(run: Run) -> None:
    screen = run("adjust", "-0.3", "-d", "umls", "-m", "mrr")
    assert screen.code in {2, 6}
    assert "-0.3" in screen.message
    assert "No such option: -0 " not in f"{screen.message} "


@pytest.mark.parametrize("value", ["abc", "53.3x", "0,338", "nan", "inf"])
def test_what_is_no_number_is_named(run: Run, value: str) -> None:
    screen = run("adjust", value, "-d", "umls", "-m", "mrr")
    assert (screen.code, screen.out) == (2, "")
    assert "VALUE" in screen.message
    assert "number" in screen.message
    assert value in screen.message.replace("rankconst adjust [OPTIONS] {VALUE}", "")


def test_what_is_too_long_for_the_name_of_a_file_is_no_file(run: Run) -> None:
    screen = run("adjust", "x" * 400, "-d", "umls", "-m", "mrr")
    assert (screen.code, screen.out) == (2, "")
    assert "is not a number" in screen.message


@pytest.mark.parametrize(
    ("args", "missing"),
    [
        (("0.3", "-m", "mrr"), "--dataset"),
        (("0.3", "-d", "umls"), "--metric"),
        (("0.3", "-d", "umls", "-m", "mrr", "-f", "xml"), "'table', 'json', 'csv'"),
    ],
)
def test_usage(run: Run, args: tuple[str, ...], missing: str) -> None:
    screen = run("adjust", *args)
    assert (screen.code, screen.out) == (2, "")
    assert missing in screen.message
    assert "rankconst adjust -h" in screen.message


# -- undefined forms -----------------------------------------------------------------------------------------------


def test_undefined_forms_are_null_with_a_note(run: Run, one_candidate: Path) -> None:
    args = ("adjust", 1, "-d", "single", "-m", "mrr", "--tables", one_candidate)
    screen = run(*args, "-f", "json")
    (row,) = screen.records
    assert (screen.code, row["normalised"], row["index"], row["z"], row["variance"]) == (0, 1, None, None, 0)
    for fact in ("note:", "single", "z-score", "index", "undefined", "variance is 0"):
        assert fact in screen.message
    (cells,) = run(*args, "-f", "csv").rows
    assert (cells["index"], cells["z"]) == ("", "")
    assert "note:" not in run(*args).out
    (defined,) = run(*args, "-p", "raw", "-f", "json").records
    assert defined["z"] is not None


def test_a_k_that_reaches_every_candidate(run: Run) -> None:
    screen = run("adjust", 1, "-d", "nations", "-m", "hits@50", "-f", "json")
    assert (screen.code, screen.records[0]["z"]) == (0, None)
    assert "note: nations" in screen.message
    screen = run("adjust", 0.98, "-d", "nations", "-m", "hits@50")
    assert screen.code == 6
    assert "expected 1, which every ranker gets" in screen.message


def test_a_note_is_given_once(run: Run) -> None:
    screen = run("adjust", 1, 1, "-d", "nations", "-d", "Nations", "-m", "hits@50")
    assert screen.message.count("z-score") == 1


# -- tables --------------------------------------------------------------------------------------------------------


@pytest.fixture
def damaged(tmp_path: Path) -> Path:
    """A copy of the shipped tables, to be damaged."""
    return shutil.copytree(open_once().path, tmp_path / "damaged")


def read_nations(run: Run, folder: Path) -> str:
    """Adjust a number with damaged tables; returns the message."""
    screen = run("adjust", 0.5, "-d", "nations", "-m", "mrr", "--tables", folder)
    assert (screen.code, screen.out) == (6, "")
    assert str(folder) in screen.message
    return screen.message


@pytest.mark.slow
def test_copied_tables_work(run: Run, damaged: Path) -> None:
    args = ("adjust", 0.5, "-d", "nations", "-m", "mrr", "-f", "json")
    assert run(*args, "--tables", damaged) == run(*args)


def test_folder_without_tables(run: Run, tmp_path: Path) -> None:
    assert "rankconst build" in read_nations(run, tmp_path)
    assert "rankconst build" in read_nations(run, tmp_path / "nowhere")


def test_file_instead_of_a_folder(run: Run, damaged: Path) -> None:
    read_nations(run, damaged / "constants.parquet")


@pytest.mark.parametrize("name", ["datasets", "candidates", "constants"])
def test_changed_file(run: Run, damaged: Path, name: str) -> None:
    file = damaged / f"{name}.parquet"
    file.write_bytes(file.read_bytes() + b"x")
    message = read_nations(run, damaged)
    for fact in (file.name, "expected sha256:", "got sha256:"):
        assert fact in message


@pytest.mark.parametrize("name", ["datasets", "candidates", "constants"])
def test_missing_file(run: Run, damaged: Path, name: str) -> None:
    (damaged / f"{name}.parquet").unlink()
    assert f"{name}.parquet is missing" in read_nations(run, damaged)


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "{}", "null", '{"version": "1"}', '{"version": "1", "resources": []}', "\ufeff{}"]
)
def test_nonsense_descriptor(run: Run, damaged: Path, text: str) -> None:
    (damaged / "datapackage.json").write_text(text, encoding="utf-8")
    read_nations(run, damaged)


@pytest.mark.slow
def test_version_of_the_tables_is_reported(run: Run, damaged: Path) -> None:
    descriptor = json.loads((damaged / "datapackage.json").read_text(encoding="utf-8"))
    text = json.dumps({**descriptor, "version": "9.8.7"})
    (damaged / "datapackage.json").write_text(text, encoding="utf-8")
    args = ("adjust", 0.5, "-d", "nations", "-m", "mrr", "--tables", damaged)
    assert run(*args, "-f", "json").records[0]["table_version"] == "9.8.7"
    assert "9.8.7" in run(*args).out


@pytest.mark.slow
def test_more_tasks_than_a_tail_is_computed_for(run: Run) -> None:
    screen = run("adjust", 0.5, "-m", "igmr", "-n", 10**12, "-p", "sampled:5")
    assert screen.code == 0
    assert "no tail probability is computed for more than 100,000,000,000 tasks" in screen.message


@pytest.mark.parametrize(("name", "key"), [("query", "macro-query"), ("Macro_Relation", "macro-relation")])
def test_macro_averages(run: Run, name: str, key: str) -> None:
    screen = run("adjust", 0.5, "-d", "nations", "-m", "mrr", "--aggregation", name, "-f", "json")
    (row,) = screen.records
    constants = open_once().constants("nations", "mrr", aggregation=key)
    assert row["aggregation"] == key
    assert (row["expectation"], row["z"]) == (constants.expectation, constants.z(0.5))
    assert f"protocol standard, {key}" in run("adjust", 0.5, "-d", "nations", "-m", "mrr", "-a", name).out
    assert "macro" not in run("adjust", 0.5, "-d", "nations", "-m", "mrr").out


def test_macro_averages_that_are_not_there(run: Run) -> None:
    screen = run("adjust", 3, "-d", "nations", "-m", "median", "-a", "query")
    assert (screen.code, screen.out) == (2, "")
    assert "there are no constants of MdR for macro averages" in screen.message
    screen = run("adjust", 0.3, "-d", "nations", "-m", "mrr", "-a", "weighted")
    assert screen.code == 4
    assert "unknown aggregation 'weighted'" in screen.message
    screen = run("adjust", 0.3, "-d", "nations", "-m", "mrr", "-a", "macro")
    assert (screen.code, screen.out) == (4, "")
    assert "unknown aggregation 'macro'. Did you mean macro-query or macro-relation?" in screen.message


@pytest.mark.slow
def test_results_of_some_relations(run: Run) -> None:
    arguments = ("adjust", 0.5, "-d", "nations", "-m", "mrr", "-r", "embassy", "-r", "treaties")
    (row,) = run(*arguments, "-f", "json").records
    histogram = open_once().histogram("nations", relations=["embassy", "treaties"])
    moments = compute_moments(parse_metric("mrr"), histogram)
    assert row["relations"] == ["embassy", "treaties"]
    assert (row["num_tasks"], row["expectation"]) == (histogram.total, moments.expectation) == (44, row["expectation"])
    assert "only embassy, treaties" in run(*arguments).out


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (
            ("-r", "embasy"),
            4,
            "no test task of nations has relation 'embasy' under protocol standard. Did you mean embassy?",
        ),
        (
            ("-r", "embassy,treaties"),
            4,
            "relation 'embassy,treaties' under protocol standard. Name each relation by itself",
        ),
        (("-r", "x" * 700), 4, f"has relation '{'x' * 80}...' under"),
        (("-r", "embassy", "--split", "train"), 4, "hold no relations of nations train"),
        (("-r", "embassy", "-a", "query"), 2, "averages are over all relations"),
    ],
)
def test_relations_that_cannot_be(run: Run, options: tuple[str, ...], code: int, message: str) -> None:
    screen = run("adjust", 0.5, "-d", "nations", "-m", "mrr", *options)
    assert (screen.code, screen.out) == (code, "")
    assert message in screen.message


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        ("0.338 -d fb15k237 -m mrr", None),
        ("0.338 0.42 -d fb15k237 -m mrr", "Both results are better than chance (p < 1e-300)."),
        ("0.9 0.3 -d wn18rr -d fb15k237 -m hits@10", "(p < 1e-300); adjusting changes no order."),
        # 0.975 of Nations is less than 0.94 of FB15k-237.
        (
            "0.94 0.975 -d fb15k237 -d nations -m hits@10",
            "3 of 4 results are better than chance (p < 0.05) however",
        ),
        (
            "0.94 0.975 -d fb15k237 -d nations -m hits@10",
            "adjusting changes the order by Hits@10.",
        ),
        ("0.975 0.98 -d nations -m hits@10", "Both results are better than chance (p < 0.01)."),
        ("0.95 0.94 -d nations -m hits@10", "Neither of 2 results is better than chance (p < 0.05)"),
        ("3 2 -d nations -d kinships -m mr", "; adjusting changes the order by MR."),
    ],
)
def test_a_last_line_says_it_in_words(run: Run, args: str, sentence: str | None) -> None:
    last = run("adjust", *args.split()).out.splitlines()[-1]
    assert ("better than chance" in last) is (sentence is not None)
    assert sentence is None or sentence in last
    assert "better than chance" not in run("adjust", *args.split(), "-f", "markdown").out
    assert "better than chance" not in run("adjust", *args.split(), "--no-significance").out


def test_numbers_alone_with_their_digits(run: Run) -> None:
    args = ("adjust", 0.338, "-d", "fb15k237", "-m", "mrr")
    assert run(*args).cells[3][3:6] == ["475.3 (474.6–476.1)", "0.3375 (0.3370–0.3381)", "6,368 (6,358–6,378)"]
    assert run(*args, "--plain").cells[3][3:6] == ["475.3", "0.3375", "6,368"]
    assert run(*args, "--digits", 2).cells[3][3:6] == ["475.34", "0.34", "6,368.04"]
    assert "Ranges" in run(*args).out
    assert "Ranges" not in run(*args, "--plain").out
    both = [run(*args, *plain, "-f", "json").records[0] for plain in ([], ["--plain"])]
    assert both[1] == {key: value for key, value in both[0].items() if not key.endswith(("_lower", "_upper"))}
    assert all("±" not in run(*args, "-f", form).out for form in ("table", "markdown", "latex"))


def test_the_last_line_is_what_the_numbers_say(run: Run) -> None:
    for metric in ("mr", "mrr", "hits@1"):
        values = ("2", "5", "6.5") if metric == "mr" else ("0.3", "0.34", "0.6")
        command = ("adjust", *values, "-d", "nations", "-d", "umls", "-d", "kinships", "-m", metric)
        rows = run(*command, "-f", "json").records
        sign = -1 if metric == "mr" else 1
        changed = any(sign * a["value"] < sign * b["value"] and a["index"] > b["index"] for a in rows for b in rows)
        better = sum(10 ** row["log10_p_upper"] < 0.05 for row in rows)
        last = run(*command).out.splitlines()[-1]
        assert last.startswith("All 9 " if better == 9 else f"{better} of 9 " if better else "None of 9 ")
        assert ("changes the order by" in last) is changed


@pytest.mark.parametrize(
    ("metric", "side", "split", "note"),
    [
        ("tail.pessimistic.mrr", "tail", "test", "pessimistic"), ("both.optimistic.mrr", "both", "test", "optimistic"),
        ("valid_mrr", "both", "valid", ""), ("head.realistic.mrr", "head", "test", ""),
        ("both.best.mrr", "both", "test", "optimistic"),
    ],
)  # fmt: skip
def test_what_the_name_of_the_metric_says_counts(run: Run, metric: str, side: str, split: str, note: str) -> None:
    screen = run("adjust", "0.5", "-d", "nations", "-m", metric, "-f", "csv")
    plain = run("adjust", "0.5", "-d", "nations", "-m", "mrr", "--side", side, "--split", split, "-f", "csv")
    assert screen.out == plain.out
    off = {"optimistic": "too high.", "pessimistic": "too low.", "": ""}[note]
    assert off in screen.err
    assert ("note: " in screen.err) == bool(note)
    assert (f"{note} ranks: where scores tie" in screen.err) == bool(note)


def test_the_name_of_the_metric_must_not_contradict_the_options(run: Run) -> None:
    screen = run("adjust", "0.5", "-d", "nations", "-m", "tail.realistic.mrr", "--side", "head")
    assert screen.code == 2
    assert "tail.realistic.mrr is of side tail, but head was asked for; leave out one of the two." in screen.err
