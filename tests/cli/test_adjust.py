"""``rankconst adjust``: the numbers, the spellings, and every way to get it wrong."""

from __future__ import annotations

import json
import math
import re
import shutil
from fractions import Fraction
from typing import TYPE_CHECKING

import pytest

from carried import open_once
from rankconst.catalogue.metrics import parse_metric
from rankconst.moments import compute_moments
from rankconst.version import bundled_versions

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from cli.conftest import Run

SHIPPED = ("codexmedium", "codexsmall", "fb15k237", "kinships", "nations", "umls", "wn18", "wn18rr")

TASKS = ("dataset", "protocol", "split", "side", "aggregation", "relations", "metric", "baseline")
RANKERS = ("expectation", "counting")

DECREASING = ("mr", "gmr")

VALUES = {"mr": 5.5, "gmr": 4.25, "mrr": 0.625, "igmr": 0.5, "hits@1": 0.375, "hits@10": 0.953, "hits@7": 0.875}


@pytest.mark.slow
@pytest.mark.parametrize("metric", VALUES)
def test_numbers_follow_their_definitions(run: Run, metric: str) -> None:
    value = VALUES[metric]
    for row in run("adjust", value, "-d", "nations", "-d", "fb15k237", "-m", metric, "--json").records:
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
        assert (row["dataset"], row["split"], row["side"], row["protocol"]) == (dataset, *where)
        assert row["metric"] == str(constants.metric)
        for field in ("num_tasks", "expectation", "expectation_error", "variance", "variance_error", "method"):
            assert row[field] == getattr(constants, field)
        assert row["counting"] == tables.constants(dataset, metric, *where, baseline="counting").expectation
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
     ("--split", "training", "train"), ("--protocol", "LibKGE", "libkge"), ("-a", "query", "macro-query"),
     ("--aggregation", "Macro_Relation", "macro-relation")],
)  # fmt: skip
def test_usual_spellings_of_tasks(run: Run, option: str, spelt: str, key: str) -> None:
    (row,) = run("adjust", 0.5, "-d", "wnrr", "-m", "MRR", option, spelt, "--json").records
    field = "aggregation" if option == "-a" else option.removeprefix("--")
    constants = open_once().constants("wn18rr", "mrr", **{field: key})
    assert (row["dataset"], row[field], row["index"]) == ("wn18rr", key, constants.index(0.5))
    assert key in run("adjust", 0.5, "-d", "wnrr", "-m", "MRR", option, spelt).cells[0][0]


def test_csv_equals_json(run: Run) -> None:
    args = ("adjust", 0.9, 0.953, "-d", "nations", "-d", "umls", "-m", "hits@10")
    records, rows, brief = (
        run(*args, "--json").records,
        *(run(*args, *more, "-f", "csv").rows for more in (["--details"], [])),
    )
    assert len(rows) == len(brief) == len(records) == 4
    assert [*brief[0]] == [*TASKS, "value", "index", "index_lower", "index_upper", *RANKERS, "table_version"]
    for row, few, record in zip(rows, brief, records, strict=True):
        assert [*row, "assumed", "meaning"] == list(record)
        assert few.items() <= row.items()
        for field, value in ((field, record[field]) for field in row):
            assert row[field] == ("; ".join(value) if isinstance(value, list) else str(value))
            if isinstance(value, float):
                assert float(row[field]) == value


def test_a_card_says_what_one_number_is_worth(run: Run) -> None:
    args = ("adjust", 0.338, "-d", "fb15k237", "-m", "mrr")
    title, *lines, said, assumed, last = run(*args).cells
    assert title == ["MRR on FB15k-237 (test, both sides, protocol standard)"]
    assert lines == [
        ["published", "0.338"],
        ["adjusted", "0.3375", "AMRR: 0 = chance, 1 = perfect"],
        ["chance", "0.0007", "a random ranker"],
        ["counting", "0.2345", "a ranker that only counts training triples"],
    ]
    (row,) = run(*args, "--json").records
    assert said == [row["meaning"]]
    assert assumed == ["Assumed: test split, both sides, standard protocol."]
    assert last == [f"More: --details. Tables {bundled_versions()[-1]}."]
    assert run(*args, "-f", "json") == run(*args, "--json")


def test_details_have_ranges_deviations_and_p(run: Run) -> None:
    screen = run("adjust", 0.338, "-d", "fb15k237", "-m", "mrr", "--details")
    assert screen.cells[1] == ["dataset", "MRR", "normalised", "AMRR", "z", "chance", "counting", "p"]
    assert screen.cells[3][1:] == [
        *("0.338", "475.3 (474.6–476.1)", "0.3375 (0.3370–0.3381)", "6,368 (6,358–6,378)"),
        *("0.0007", "0.2345", "< 1e-300"),
    ]
    assert "±" not in screen.out
    assert "p: the probability that a random ranker does at least as well (inversion)." in screen.out
    where = ("-d", "wn18rr", "--split", "valid", "--side", "tail", "-p", "raw", "-m", "mr", "--details")
    assert run("adjust", 100, *where).cells[0] == ["MR on WN18RR (valid, tail side, protocol raw)"]
    assert run("adjust", 100, 200, *where).cells[1][1:5] == ["MR", "normalised", "AMRI", "z"]


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


# -- what is refused -------------------------------------------------------------------------------------------------

REFUSED = {
    # names
    "0.5 -d fb15k238 -m mrr": (4, "unknown dataset 'fb15k238'", "Did you mean fb15k237", "rankconst show datasets"),
    "0.5 -d umls -d zzz -m mrr": (4, "unknown dataset 'zzz'", "hold 90", "rankconst show datasets"),
    "0.5 -d kinshops -m mrr": (4, "unknown dataset 'kinshops'", "Did you mean kinships"),
    "0.5 -d umls -m mmr": (4, "unknown metric 'mmr'", "Did you mean", "rankconst show metrics"),
    "0.5 -d umls -m hist@10": (4, "unknown metric 'hist@10'", "Did you mean", "Hits@10"),
    "0.5 -d umls -m mrr10": (4, "unknown metric 'mrr10'"),
    "0.5 -d umls -m hits": (4, "'hits'", "needs a k", "hits@10"),
    "0.5 -d umls -m hits@0": (4, "needs a k", "0"),
    **{f"0.5 -d umls -m {k}": (4, k) for k in ("hits@1.5", "hits@-1", "hits@1,3,10", "hits@1-10")},
    "0.5 -d umls -m AMRR": (4, "adjusted form of MRR"),
    "0.5 -d umls -m mrr -p pykeeen": (4, "unknown protocol 'pykeeen'", "Did you mean pykeen"),
    "0.5 -d umls -m mrr -p sampled": (4, "unknown protocol 'sampled'", "sampled:M"),
    "0.5 -d umls -m mrr -p sampled:0": (4, "'sampled:0'", "at least one", "sampled:500"),
    "0.5 -d umls -m mrr -p RotatE": (4, "evaluates under protocol standard"),
    "0.5 -d umls -m mrr -p ampligraph": (4, "evaluates under protocol pykeen"),
    "0.5 -d umls -m mrr --split tset": (4, "unknown split 'tset'", "Did you mean test"),
    "0.5 -d umls -m mrr --split all": (4, "unknown split 'all'"),
    "0.5 -d umls -m mrr --side hed": (4, "unknown side 'hed'", "Did you mean head"),
    "0.5 -d umls -m mrr --side zzz": (4, "unknown side 'zzz'", "head, tail, both"),
    "0.3 -d nations -m mrr -a weighted": (4, "unknown aggregation 'weighted'"),
    "0.3 -d nations -m mrr -a macro": (4, "'macro'. Did you mean macro-query or macro-relation?"),
    "0.5 -d nations -m mrr -r embasy": (
        *(4, "no test task of nations has relation 'embasy' under protocol standard. Did you mean embassy?"),
    ),
    "0.5 -d nations -m mrr -r embassy,treaties": (
        4,
        "'embassy,treaties' under protocol",
        "Name each relation by itself",
    ),
    f"0.5 -d nations -m mrr -r {'x' * 700}": (4, f"has relation '{'x' * 80}...' under"),
    "0.5 -d nations -m mrr -r embassy --split train": (4, "hold no relations of nations train"),
    "0.5 -d nations -m mrr -r embassy -a query": (2, "averages are over all relations"),
    "0.5 -d nations -m tail.realistic.mrr --side head": (
        *(2, "tail.realistic.mrr is of side tail, but head was asked for; leave out one of the two."),
    ),
    # values
    "53.3 -d fb15k237 -m hits@10": (6, "53.3", "Hits@10", "fb15k237", "standard", "expected 0 to 1", "0.533"),
    "33.8 -d fb15k237 -m mrr": (6, "33.8", "MRR", "expected 0 to 1", "percentage", "0.338"),
    "0.00001 -d fb15k237 -m mrr": (6, "expected 7.0e-05 to 1. Check"),
    "0.3 -d fb15k237 -m mr": (6, "0.3 is not a possible MR ", "at least 1: is this an MRR, or a share?"),
    "0.3 -d fb15k237 -m gmr": (6, "0.3 is not a possible GMR ", "expected 1 to 14285.3"),
    "99999 -d fb15k237 -m mr": (6, "99999", "MR", "expected", "14305.6", "Check"),
    "1.00001 -d fb15k237 -m mrr": (6, "MRR", "expected"),
    "0.5 50 -d umls -m mrr --json": (6, "50", "0.5"),
    "0.166 -d nations -m mrr": (6, "expected 0.167127 to 1"),
    "0.98 -d nations -m hits@50": (6, "expected 1, which every ranker gets"),
    "-d umls -m mrr -- -0.3": (6, "-0.3 is not a possible MRR"),
    "-0.3 -d umls -m mrr": (6, "-0.3 is not a possible MRR"),
    **{f"{text} -d umls -m mrr": (2, f"'{text}' is not a number") for text in ("abc", "53.3x", "0,338", "nan", "inf")},
    f"{'x' * 400} -d umls -m mrr": (2, "is not a number"),  # too long for the name of a file
    # the rest of the line
    "0.3 -m mrr": (2, "which dataset is it? Add --dataset", "rankconst show datasets"),
    "0.3 -d umls": (2, "which metric is it? Add --metric"),
    "0.3 mrr=0.4 -d umls -m mrr": (2, "mrr= and --metric both name the metric: write 0.4, or leave out --metric"),
    "0.3 -d umls -m mrr -m mr": (2, "name one metric for values"),
    "0.3 -d umls -m mrr -f xml": (2, "'table', 'json', 'csv'", "rankconst adjust --help"),
    "0.3 -d umls -m mrr --foo": (2, "no such option: --foo. See `rankconst adjust --help`."),
    "0.3 -d umls -m mrr --accept dev": (2, "--accept does not go with values"),
    "": (2, "mrr=0.338 hits@10=0.533 --dataset", "rankconst adjust results.csv"),
}


@pytest.mark.parametrize("args", REFUSED)
def test_what_is_refused_says_what_to_do(run: Run, args: str) -> None:
    code, *told = REFUSED[args]
    screen = run("adjust", *args.split())
    assert (screen.code, screen.out) == (code, "")
    assert screen.err.startswith("error: ")
    assert screen.err.count("\n") == 1
    for fact in told:
        assert str(fact) in screen.message


@pytest.mark.usefixtures("builder")
@pytest.mark.parametrize(
    ("dataset", "told"),
    [
        ("yago310", "rankconst build --dataset yago310"), ("YAGO3-10", "rankconst build --dataset yago310"),
        ("FB15k", "load('rankconst-tables')"), ("OpenEA", "not offered"), ("openke_fb15k237", " fb15k237"),
    ],
)  # fmt: skip
def test_a_dataset_without_constants_says_how_to_get_them(run: Run, dataset: str, told: str) -> None:
    screen = run("adjust", 0.5, "-d", dataset, "-m", "mrr")
    assert (screen.code, screen.out) == (4, "")
    assert told in screen.message
    assert ("rankconst build" in screen.message) is (dataset not in {"OpenEA", "openke_fb15k237"})
    assert not {"unknown", "Did you mean"} & {*screen.message.split()}


# -- what is read in a special way -----------------------------------------------------------------------------------


def test_sampled_negatives_need_only_the_number_of_tasks(run: Run) -> None:
    (row,) = run("adjust", 0.5, "-d", "umls", "-m", "hits@10", "-p", "sampled:500", "--json").records
    assert (row["protocol"], row["num_tasks"]) == ("sampled:500", 1322)
    assert row["expectation"] == pytest.approx(10 / 501, rel=1e-14)


def test_rounded_worst_value_is_granted(run: Run) -> None:
    assert 0.1671 < open_once().constants("nations", "mrr").worst < 0.16715
    assert run("adjust", 0.1671, "-d", "nations", "-m", "mrr").code == 0


def test_metrics_are_named_before_their_values(run: Run) -> None:
    rows = run("adjust", "mrr=0.338", "hits@10=53.3%", "-d", "fb15k237", "--json").records
    for row, metric, value in zip(rows, ("mrr", "hits@10"), (0.338, "53.3%"), strict=True):
        assert row["index"] == open_once().constants("fb15k237", metric).adjust(value).index
    heads = run("adjust", "mrr=0.338", "hits@10=53.3%", "-d", "fb15k237").cells[1]
    assert heads == ["dataset", "metric", "published", "index", "chance", "counting"]


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


# -- undefined forms -----------------------------------------------------------------------------------------------


def test_undefined_forms_are_null_with_a_note(run: Run, one_candidate: Path) -> None:
    args = ("adjust", 1, "-d", "single", "-m", "mrr", "--tables", one_candidate)
    screen = run(*args, "--json")
    (row,) = screen.records
    assert (screen.code, row["normalised"], row["index"], row["z"], row["variance"]) == (0, 1, None, None, 0)
    for fact in ("note:", "single", "z-score", "index", "undefined", "variance is 0"):
        assert fact in screen.message
    (cells,) = run(*args, "--details", "-f", "csv").rows
    assert (cells["index"], cells["z"]) == ("", "")
    assert "note:" not in run(*args).out
    assert [line[0] for line in run(*args).cells[1:3]] == ["published", "chance"]
    (defined,) = run(*args, "-p", "raw", "--json").records
    assert defined["z"] is not None
    screen = run("adjust", 1, 1, "-d", "nations", "-d", "Nations", "-m", "hits@50")  # a k that reaches every candidate
    assert (screen.code, screen.message.count("z-score")) == (0, 1)


# -- tables --------------------------------------------------------------------------------------------------------


def damage(folder: Path) -> Iterator[tuple[str, ...]]:
    """Damage a set of tables in one way after the other; yield what is said of it."""
    descriptor = folder / "datapackage.json"
    described = descriptor.read_bytes()
    for file in (folder / f"{name}.parquet" for name in ("datasets", "candidates", "constants")):
        content = file.read_bytes()
        file.write_bytes(content + b"x")
        yield file.name, "expected sha256:", "got sha256:"
        file.unlink()
        yield (f"{file.name} is missing",)
        file.write_bytes(content)
    for text in ("", "{", "[]", "{}", "null", '{"version": "1"}', '{"version": "1", "resources": []}', "\ufeff{}"):
        descriptor.write_text(text, encoding="utf-8")
        yield ()
    descriptor.write_bytes(described)


@pytest.mark.slow
def test_tables_elsewhere(run: Run, tmp_path: Path) -> None:
    args = ("adjust", 0.5, "-d", "nations", "-m", "mrr", "--tables")
    folder = shutil.copytree(open_once().path, tmp_path / "copy")
    plain = run(*args[:-1])
    assert run(*args, folder) == plain
    for facts in damage(folder):
        screen = run(*args, folder)
        assert (screen.code, screen.out) == (6, "")
        assert all(fact in screen.message for fact in (str(folder), *facts)), screen.message
    assert run(*args, folder) == plain
    descriptor = folder / "datapackage.json"
    described = json.loads(descriptor.read_text(encoding="utf-8"))
    descriptor.write_text(json.dumps({**described, "version": "9.8.7"}), encoding="utf-8")
    assert run(*args, folder, "--json").records[0]["table_version"] == "9.8.7"
    assert "9.8.7" in run(*args, folder).out
    for place, remedy in ((tmp_path, "rankconst build"), (tmp_path / "nowhere", "rankconst build"),
                        (folder / "constants.parquet", "")):  # fmt: skip
        screen = run(*args, place)
        assert (screen.code, screen.out) == (6, "")
        assert str(place) in screen.message
        assert remedy in screen.message


@pytest.mark.slow
def test_more_tasks_than_a_tail_is_computed_for(run: Run) -> None:
    screen = run("adjust", 0.5, "-m", "igmr", "-n", 10**12, "-p", "sampled:5", "--details")
    assert screen.code == 0
    assert "no tail probability is computed for more than 100,000,000,000 tasks" in screen.message


@pytest.mark.slow
def test_results_of_some_relations(run: Run) -> None:
    arguments = ("adjust", 0.5, "-d", "nations", "-m", "mrr", "-r", "embassy", "-r", "treaties")
    (row,) = run(*arguments, "-f", "json").records
    histogram = open_once().histogram("nations", relations=["embassy", "treaties"])
    moments = compute_moments(parse_metric("mrr"), histogram)
    assert row["relations"] == ["embassy", "treaties"]
    assert (row["num_tasks"], row["expectation"]) == (histogram.total, moments.expectation) == (44, row["expectation"])
    assert "only embassy, treaties" in run(*arguments).out


# -- what it means in words -------------------------------------------------------------------------------------------

VERDICT = re.compile(
    r"(?:Chance hardly matters here: it changes \S+ by (?P<change>\S+)\."
    r"|(?P<told>\S+ cannot be told from|\S+ is worse than) chance: a random ranker gets (?P<bound>\S+)\."
    r"|(?:Chance matters here: a|A) random ranker gets (?P<gets>[\d.,]+); \S+ is (?P<way>\S+) % of the way from there "
    r"to perfect\.)(?: Counting (?:gets (?P<floor>\S+); \S+ is (?P<rest>\S+) % of the way from there to perfect"
    r"|does (?P<as_good>better|as well): it gets (?P<above>\S+))\.)?"
)


@pytest.mark.parametrize("metric", ["mr", "mrr", "hits@1", "hits@10"])
def test_the_sentences_say_what_the_numbers_say(run: Run, metric: str) -> None:
    values = {"mr": ("2", "3.5", "6.5"), "hits@10": ("0.94", "0.975", "0.99")}.get(metric, ("0.3", "0.7", "0.975"))
    rows = run("adjust", *values, "-d", "nations", "-d", "umls", "-d", "wn18rr", "-m", metric, "--json").records
    sign = -1 if metric == "mr" else 1
    for row in rows:
        found = VERDICT.fullmatch(row["meaning"])
        assert found is not None, row["meaning"]
        value, chance, counting = row["value"], row["expectation"], row["counting"]
        unclear = row["log10_p_upper"] >= math.log10(0.05)
        assert (found["told"] is not None) == unclear
        if found["change"]:
            assert abs(row["index"] - value) == pytest.approx(float(found["change"]), abs=5.1e-5)
            assert abs(row["index"] - value) < 0.005
        else:
            assert float((found["bound"] or found["gets"]).replace(",", "")) == pytest.approx(chance, rel=2e-3)
        if found["way"]:
            assert float(found["way"]) == pytest.approx(100 * row["index"], abs=0.051)
        if found["rest"]:
            assert sign * value > sign * counting
            assert float(found["rest"]) == pytest.approx(100 * (value - counting) / (1 - counting), abs=0.051)
        if found["as_good"] == "better":
            assert sign * value < sign * counting
        assert float((found["floor"] or found["above"]).replace(",", "")) == pytest.approx(counting, rel=2e-3)


@pytest.mark.parametrize(
    ("args", "sentences"),
    [
        (
            "0.338 0.42 -d fb15k237 -m mrr",
            [
                "Chance hardly matters here: it changes 0.338 by 0.0005. Counting gets 0.2345; 0.338 is 13.5 % of the "
                "way from there to perfect.",
                "Chance hardly matters here: it changes 0.42 by 0.0004. Counting gets 0.2345; 0.42 is 24.2 % of the "
                "way from there to perfect.",
            ],
        ),
        (
            "0.95 -d nations -d umls -m hits@10",
            [
                "nations: 0.95 cannot be told from chance: a random ranker gets 0.9469. Counting does better: it gets "
                "0.9788.",
                "umls: Chance matters here: a random ranker gets 0.1033; 0.95 is 94.4 % of the way from there to "
                "perfect. Counting gets 0.8829; 0.95 is 57.3 % of the way from there to perfect.",
            ],
        ),
        (
            "0.94 0.975 -d fb15k237 -d nations -m hits@10",
            ["3 of 4 numbers are better than chance (p < 0.05); 1 cannot be told from it. 2 are better than counting."],
        ),
    ],
)
def test_a_screen_has_a_sentence_each_or_one_for_all(run: Run, args: str, sentences: list[str]) -> None:
    screen = run("adjust", *args.split())
    assumed = screen.out.splitlines().index("Assumed: test split, both sides, standard protocol.")
    assert screen.out.splitlines()[assumed - len(sentences) : assumed] == sentences
    assert screen.cells[1][0] == "dataset"
    assert all(sentences[0] not in run("adjust", *args.split(), "-f", form).out for form in ("csv", "latex"))


def test_each_number_has_its_own_meaning_against_every_baseline(run: Run) -> None:
    args = ("adjust", 0.5, 0.338, "-d", "umls", "-d", "nations", "-m", "mrr", "--json")
    plain = {(row["dataset"], row["value"]): row["meaning"] for row in run(*args).records}
    rows = run(*args, "-b", "all").records
    assert {(row["dataset"], row["value"]): row["meaning"] for row in rows if row["baseline"] == "uniform"} == plain
    assert {row["meaning"] for row in rows if row["baseline"] != "uniform"} == {None}


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
