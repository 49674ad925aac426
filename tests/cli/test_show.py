"""``rankconst show``: the constants of a dataset."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from carried import open_once
from rankconst.catalogue.metrics import MACRO_METRICS, TABULATED
from rankconst.version import bundled_versions

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from cli.conftest import Run, RunInTerminal

ORDER = ("train", "valid", "test")
SIDES = ("head", "tail", "both")


def test_default_is_every_protocol_and_metric_on_test(run: Run) -> None:
    screen = run("show", "FB15k-237", "-f", "json")
    assert (screen.code, screen.err) == (0, "")
    tables = open_once()
    rows = screen.records
    expected = [(protocol, metric.key) for protocol in tables.protocols("fb15k237") for metric in TABULATED]
    assert [(row["protocol"], row["metric"]) for row in rows] == expected
    for row in rows:
        assert (row["dataset"], row["split"], row["side"]) == ("fb15k237", "test", "both")
        constants = tables.constants("fb15k237", row["metric"], protocol=row["protocol"])
        assert row["label"] == constants.metric.label
        fields = ("num_tasks", "expectation", "expectation_error", "variance", "variance_error", "method", "num_draws")
        for field in (*fields, "worst", "table_version"):
            assert row[field] == getattr(constants, field)
        assert row["aggregation"] == constants.tasks.aggregation


def test_every_split_side_and_protocol(run: Run) -> None:
    rows = run("show", "umls", "-m", "mr", "--split", "all", "--side", "all", "-p", "all", "-f", "json").records
    tables = open_once()
    sides = tables.sides(tables.tasks("umls"))
    assert sides[:3] == SIDES
    expected = {(p, split, side) for p in tables.protocols("umls") for split in ORDER for side in sides}
    assert {(row["protocol"], row["split"], row["side"]) for row in rows} == expected
    assert len(rows) == len(expected)
    assert {(row["num_tasks"], row["split"]) for row in rows if row["side"] == "head" and row["protocol"] == "raw"} == {
        (5216, "train"),
        (652, "valid"),
        (661, "test"),
    }


def test_chosen_metrics_in_any_spelling(run: Run) -> None:
    args = ("show", "wnrr", "--metric", "MRR", "--metric", "H@10", "--metric", "hits@7", "-p", "PyKEEN", "-f", "json")
    rows = run(*args).records
    assert [row["label"] for row in rows] == ["MRR", "Hits@10", "Hits@7"]
    assert {row["protocol"] for row in rows} == {"pykeen"}
    assert rows[0]["num_tasks"] == 5848


def test_csv_equals_json(run: Run) -> None:
    args = ("show", "nations", "--side", "all")
    rows, records = run(*args, "-f", "csv").rows, run(*args, "-f", "json").records
    text = {str: str, list: "; ".join, type(None): lambda _: ""}
    assert rows == [{f: text.get(type(value), str)(value) for f, value in record.items()} for record in records]  # type: ignore[operator]


def test_the_table_has_the_facts(run: Run) -> None:
    screen = run("show", "wn18rr", "-m", "mr", "-p", "standard")
    assert (screen.code, screen.err) == (0, "")
    for fact in (
        "WN18RR",
        "40,943",
        "3,134",
        "6,268",
        "20,464.5",
        "standard",
        "closed_form",
        bundled_versions()[-1],
        "Dettmers",
    ):
        assert fact in screen.out


@pytest.mark.slow
@pytest.mark.parametrize("columns", [80, 100])
def test_no_number_is_cut_in_a_terminal(run_in_terminal: RunInTerminal, columns: int) -> None:
    screen = run_in_terminal("show", "wn18rr", "-m", "mr", "-m", "hits@10", "-p", "standard", columns=columns)
    assert screen.code == 0
    assert "…" not in screen.out
    for fact in ("20,464.5", "Hits@10", "0.000244", "standard"):
        assert fact in screen.out


@pytest.mark.parametrize("split", ["testing", "Test", "validation", "dev", "training"])
def test_a_spelling_of_a_split_is_the_split(run: Run, split: str) -> None:
    key = {"t": "test", "v": "valid", "d": "valid"}[split[0].lower()] if split != "training" else "train"
    spelt = run("show", "nations", "--split", split, "-f", "json")
    assert spelt.code == 0
    assert spelt.records == run("show", "nations", "--split", key, "-f", "json").records != []


@pytest.mark.parametrize("option", ["--split", "--side", "--protocol"])
def test_all_is_accepted_in_capitals_or_refused(run: Run, option: str) -> None:
    screen = run("show", "nations", option, "ALL", "-f", "json")
    if screen.code == 0:
        assert screen.records == run("show", "nations", option, "all", "-f", "json").records
    else:
        assert (screen.code, screen.out) == (4, "")


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (("wn18r",), ("unknown dataset", "'wn18r'", "Did you mean wn18rr")),
        (("umls", "-m", "mmr"), ("unknown metric", "'mmr'")),
        (("umls", "-m", "mrr", "-m", "zzz"), ("unknown metric", "'zzz'")),
        (("umls", "--split", "tset"), ("unknown split", "'tset'", "Did you mean test")),
        (("umls", "--split", "tset", "-p", "standard"), ("unknown split", "'tset'", "Did you mean test")),
        (("umls", "--side", "hed"), ("unknown side", "'hed'", "Did you mean head")),
        (("umls", "-p", "standrd"), ("unknown protocol", "'standrd'", "Did you mean standard")),
    ],
)
def test_unknown_names(run: Run, args: tuple[str, ...], told: tuple[str, ...]) -> None:
    screen = run("show", *args)
    assert (screen.code, screen.out) == (4, "")
    for fact in ("error:", *told):
        assert fact in screen.message


def test_usage(run: Run) -> None:
    assert "KEY" in run("show").message
    assert run("show").code == 2
    assert run("show", "umls", "nations").code == 2


@pytest.mark.usefixtures("builder")
def test_dataset_without_constants_says_how_to_build_them(run: Run) -> None:
    screen = run("show", "CoDEx-L")
    assert (screen.code, screen.out) == (4, "")
    assert "rankconst build --dataset codexlarge" in screen.message
    assert "Did you mean" not in screen.message


def test_zero_variance_is_shown(run: Run, one_candidate: Path) -> None:
    args = ("show", "single", "--tables", one_candidate, "-m", "mrr", "-p", "standard")
    (row,) = run(*args, "-f", "json").records
    assert (row["expectation"], row["variance"], row["worst"]) == (1, 0, 1)
    assert "single" in run(*args).out


@pytest.mark.usefixtures("builder")
def test_a_split_that_is_not_there_is_an_error(run: Run, write_graph: Callable[..., list[str]], tmp_path: Path) -> None:
    graph = {"train": [("a", "r", "b")], "valid": [], "test": [("b", "r", "a")]}
    out = tmp_path / "out"
    assert run("build", *write_graph(graph), "--name", "mykg", "--out", out).code == 0
    screen = run("show", "mykg", "--tables", out, "--split", "valid")
    assert (screen.code, screen.out) == (4, "")
    assert "valid" in screen.message
    assert {r["split"] for r in run("show", "mykg", "--tables", out, "--split", "all", "-f", "json").records} == {
        "train",
        "test",
    }


def test_macro_averages_show_what_the_tables_have(run: Run) -> None:
    rows = run("show", "nations", "-a", "macro-query", "-p", "standard", "-f", "json").records
    assert [row["metric"] for row in rows] == [metric.key for metric in MACRO_METRICS]
    assert {row["aggregation"] for row in rows} == {"macro-query"}
    assert "macro-query" in run("show", "nations", "-a", "macro-query").out


def test_relations_are_listed(run: Run) -> None:
    tables = open_once()
    rows = run("show", "nations", "--relations", "-f", "json").records
    assert [row["relation"] for row in rows] == list(tables.relations("nations"))
    assert sum(row["num_tasks"] for row in rows) == tables.histogram("nations").total
    for row in rows[:5]:
        constants = tables.constants("nations", "mrr", relations=row["relation"])
        assert row["expectation_inverse_harmonic_mean_rank"] == constants.expectation
    screen = run("show", "nations", "--relations")
    assert f"Nations: {len(rows)} relations of test, side both, protocol standard" in screen.out
    refused = run("show", "nations", "--relations", "--split", "train")
    assert (refused.code, "they are kept for valid and test" in refused.message) == (4, True)


def test_one_relation(run: Run) -> None:
    (row,) = run("show", "nations", "-r", "embassy", "-m", "mr", "-p", "raw", "-f", "json").records
    assert (row["relations"], row["expectation"]) == (["embassy"], 7.5)


def test_what_equal_scores_get(run: Run) -> None:
    plain, ties = (run("show", "nations", "-p", "standard", "--format", "json", *more) for more in ((), ("--ties",)))
    for before, row in zip(plain.records, ties.records, strict=True):
        tied = [row.pop(f"tied_{each}") for each in ("optimistic", "realistic", "pessimistic")]
        assert row == before
        constants = open_once().constants("nations", row["label"])
        assert tied == [constants.all_tied(each) for each in ("optimistic", "realistic", "pessimistic")]
    screen = run("show", "nations", "-p", "standard", "-m", "mrr", "--ties")
    assert "tied, realistic" in screen.out
    assert "scores all candidates alike" in screen.out
    assert "variance" not in screen.out
