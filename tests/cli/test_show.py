"""``rankconst show``: lists, pages found by name, the constants of a dataset, and the sentence that
cites one.
"""

import math
import re
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from carried import open_once
from cases import for_each
from cli.conftest import Run, RunInTerminal, Screen
from rankconst.catalogue.answers import load_libraries
from rankconst.catalogue.baselines import BASELINES, DEFAULT_BASELINE
from rankconst.catalogue.benchmarks import load_benchmarks
from rankconst.catalogue.literature import load_suites
from rankconst.catalogue.metrics import (
    CATALOGUE,
    TABULATED,
    describe_metric,
    parse_metric,
)
from rankconst.catalogue.protocols import (
    AGGREGATIONS,
    OWN_COUNTS,
    PROTOCOLS,
    UNTABLED,
    find_protocol,
    parse_protocol,
    rate_protocol,
)
from rankconst.catalogue.tools import load_tools
from rankconst.checks.checking import RULES

TOOLS = load_tools()
COUNTS = ("entities", "relations", "triples_train", "triples_valid", "triples_test")

# List to the keys in it; in what is listed, the key is in the first column that JSON has.
LISTS: dict[str, Mapping[str, Any]] = {
    "metrics": CATALOGUE, "tools": TOOLS, "libraries": load_libraries(), "protocols": PROTOCOLS,
    "baselines": BASELINES, "aggregations": AGGREGATIONS, "suites": load_suites(), "rules": RULES,
}  # fmt: skip
LADDER = open_once().list_baselines("all")


def check_csv(screen: Screen, records: list[dict[str, Any]]) -> None:
    """Compare what CSV and JSON say."""
    write: dict[type, Callable[[Any], str]] = {list: "; ".join, type(None): lambda _: ""}
    expected = [
        {name: write.get(type(value), str)(value) for name, value in record.items()}
        for record in records
    ]
    assert screen.rows == expected


# -- lists -----------------------------------------------------------------------------------------


@for_each("plural", LISTS)
def test_every_list_is_whole(run: Run, plural: str) -> None:
    screen = run("show", plural)
    assert (screen.code, screen.err) == (0, "")
    records = run("show", plural[:-1], "-f", "json").records
    assert [next(iter(row.values())) for row in records] == list(LISTS[plural])
    first = [cells[0] for cells in screen.cells]
    for key, row in zip(LISTS[plural], records, strict=True):
        assert row.get("label", key) in first
    check_csv(run("show", plural, "-f", "csv"), records)


@pytest.mark.slow
@for_each("plural", ["datasets", *LISTS])
def test_at_80_columns_every_key_is_whole(
    run: Run, run_in_terminal: RunInTerminal, plural: str
) -> None:
    screen = run_in_terminal("show", plural, columns=80)
    lines = re.sub(r"\x1b\[[0-9;]*m", "", screen.out).splitlines()
    starts = {line.split()[0] for line in lines if line.split()}
    records = run("show", plural, "-f", "json").records
    listed = [row for row in records if row.get("status") != "unavailable"]
    assert {row.get("label", next(iter(row.values()))) for row in listed} <= starts
    # The captions below, which are sentences, wrap as the terminal likes.
    assert all(len(line) <= 80 for line in lines[: len(lines) - 6])


def test_datasets_are_those_of_the_tables_and_of_the_registry(run: Run) -> None:
    rows = {row["dataset"]: row for row in run("show", "datasets", "-f", "json").records}
    tables, registry = open_once(), load_benchmarks()
    assert list(rows)[: len(tables.datasets)] == list(tables.datasets)
    assert set(rows) == {*registry, *tables.datasets}
    for key, row in rows.items():
        assert row["title"]
        assert bool(row["reason"]) == (row["status"] == "unavailable")
        if row["status"] == "included":
            fields = (
                *COUNTS, "title", "licence", "citation", "citation_url", "source_urls", "aliases",
                "verified",
            )  # fmt: skip
            assert [row[field] for field in fields] == [
                tables.datasets[key][field] for field in fields
            ]
        else:
            assert re.fullmatch(r"can be built|unavailable|copy of \w+", row["status"])
            assert all(row[field] is None for field in COUNTS)
    for key in tables.datasets:
        usual = min(tables.protocols(key), key=rate_protocol)
        chance = tables.constants(key, "mrr", protocol=usual).expectation
        assert rows[key]["expectation_inverse_harmonic_mean_rank"] == chance
    assert {"yago310", "wikidata5m", "codexlarge"} <= {
        key for key in rows if rows[key]["status"] == "can be built"
    }
    check_csv(run("show", "datasets", "-f", "csv"), [*rows.values()])


@pytest.mark.slow
@pytest.mark.usefixtures("no_builder")
def test_without_the_extra_datasets_are_listed(run: Run) -> None:
    rows = run("show", "datasets", "-f", "json").records
    assert {"fb15k237", "wn18rr"} <= {row["dataset"] for row in rows}
    assert "rankconst[builder]" in run("show", "datasets").out


# -- pages -----------------------------------------------------------------------------------------


def check_page(screen: Screen, *facts: str) -> None:
    """Look for facts on a page, however it is broken into lines."""
    assert (screen.code, screen.err) == (0, "")
    shown = " ".join(screen.out.split())
    for fact in facts:
        assert " ".join(fact.split()) in shown, fact


@for_each("name", [*CATALOGUE, "mrr", "Hits@k", "hits@7", "mrr@7", "AMRR"])
def test_every_metric_has_a_page(run: Run, name: str) -> None:
    metric = CATALOGUE.get(name) or {
        "Hits@k": CATALOGUE["hits_at_k"],
        "AMRR": parse_metric("mrr"),
    }.get(name)
    fields = describe_metric(metric or parse_metric(name))
    check_page(run("show", name), *(text for text in fields.values() if text != "–"))
    assert run("show", name, "-f", "json").records == [fields]


SAMPLED = ("sampled:500", "sampled:7:unfiltered", "sampled:500:replacement")


@for_each("name", [*PROTOCOLS, *UNTABLED, OWN_COUNTS.key, *SAMPLED])
def test_every_protocol_has_a_page(run: Run, name: str) -> None:
    protocol = find_protocol(name)
    facts = (
        name, protocol.summary, protocol.distribution, protocol.needs, protocol.reference, protocol.refused,
    )  # fmt: skip
    screen = run("show", "protocol", name)
    check_page(screen, *facts, *protocol.used_by)
    assert ("all entities" in screen.out) == (
        protocol.negatives is None and protocol.candidates == "all"
    )
    (page,) = run("show", "protocols", name, "-f", "json").records
    assert page["protocol"] == name
    assert page["distribution"] == protocol.distribution
    assert page["refused"] == (protocol.refused or None)
    assert list(run("show", "protocols", name, "-f", "csv").rows[0]) == list(page)


@pytest.mark.slow
@for_each("key", TOOLS)
def test_every_tool_has_a_page(run: Run, key: str) -> None:
    tool = TOOLS[key]
    facts = (key, tool.title, tool.protocol, tool.ties, tool.reference, tool.nan_scores)
    lists = (*tool.repositories, *tool.caveats, *tool.evidence, *tool.refused.values())
    summary = parse_protocol(tool.protocol).summary
    check_page(run("show", key), *facts, *lists, tool.effect or "", summary)
    (page,) = run("show", tool.repositories[0], "-f", "json").records
    assert page == {row["tool"]: row for row in run("show", "tools", "-f", "json").records}[key]
    fields = ("protocol", "ties", "whole_ranks", "batch", "effect")
    assert [page[field] for field in fields] == [getattr(tool, field) for field in fields]


# -- constants -------------------------------------------------------------------------------------


def test_programs_get_every_protocol_and_metric_on_test(run: Run) -> None:
    screen = run("show", "FB15k-237", "-f", "json")
    assert (screen.code, screen.err) == (0, "")
    tables = open_once()
    rows = screen.records
    expected = [
        (protocol, metric.key) for protocol in tables.protocols("fb15k237") for metric in TABULATED
    ]
    assert [(row["protocol"], row["metric"]) for row in rows] == expected
    for row in rows:
        assert (row["dataset"], row["split"], row["side"]) == ("fb15k237", "test", "both")
        constants = tables.constants("fb15k237", row["metric"], protocol=row["protocol"])
        assert row["label"] == constants.metric.label
        fields = (
            "num_tasks", "expectation", "expectation_error", "variance", "variance_error", "method",
            "num_draws",
        )  # fmt: skip
        for field in (*fields, "worst", "table_version"):
            assert row[field] == getattr(constants, field)
        assert row["aggregation"] == constants.tasks.aggregation


@pytest.mark.slow
def test_relations_are_listed(run: Run) -> None:
    tables = open_once()
    rows = run("show", "nations", "relations", "-f", "json").records
    assert [row["relation"] for row in rows] == list(tables.relations("nations"))
    assert sum(row["num_tasks"] for row in rows) == tables.histogram("nations").total
    assert {row["baseline"] for row in rows} == {DEFAULT_BASELINE}
    laddered = run("show", "nations", "relations", "-b", "all", "-f", "json")
    if tables.leaves_out("baseline_candidates_by_relation"):
        assert (laddered.code, "Add --tables rankconst-tables-" in laddered.message) == (4, True)
        return
    assert laddered.records[:: len(LADDER)] == rows
    for key in LADDER:  # relations make up the whole
        own = [row for row in laddered.records if row["baseline"] == key]
        total = sum(row["num_tasks"] * row["expectation_inverse_harmonic_mean_rank"] for row in own)
        whole = tables.constants("nations", "mrr", baseline=key)
        assert total / whole.num_tasks == pytest.approx(whole.expectation, rel=1e-12)


def test_a_metric_of_a_suite_has_deviations(run: Run) -> None:
    *_, mean = run("show", "grail_12", "mrr", "--json").records
    for baseline, name in (("uniform", "chance"), ("counting", "counting")):
        found = open_once().constants("grail_12", "mrr", protocol="standard", baseline=baseline)
        key = f"{name}_inverse_harmonic_mean_rank"
        assert (mean[key], mean[f"{key}_sd"]) == (found.expectation, math.sqrt(found.variance))
