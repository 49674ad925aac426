"""``rankconst show metrics``, ``protocols``, ``aggregations``, ``tools``: they agree with what other commands accept."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from rankconst.catalogue.aggregations import AGGREGATIONS, DEFAULT_AGGREGATION
from rankconst.catalogue.metrics import CATALOGUE, describe_metric, parse_metric
from rankconst.catalogue.protocols import DEFAULT_PROTOCOL, PROTOCOLS, find_protocol
from rankconst.catalogue.tools import TOOLS

if TYPE_CHECKING:
    from cli.conftest import Run


def test_every_metric_is_listed(run: Run) -> None:
    screen = run("metrics", "-f", "json")
    assert (screen.code, screen.err) == (0, "")
    rows = {row["metric"]: row for row in screen.records}
    assert list(rows) == list(CATALOGUE)
    assert rows["inverse_harmonic_mean_rank"]["symbol"] == "MRR"
    assert rows["inverse_harmonic_mean_rank"]["normalised"] is None
    assert rows["hits_at_k"]["index"] == "AH@k"
    assert {row["metric"] for row in screen.records if row["better"] == "smaller"} == {
        metric.family for metric in CATALOGUE.values() if not metric.increasing
    }
    assert rows["arithmetic_mean_rank"]["better"] == rows["median_rank"]["better"] == "smaller"


@pytest.mark.slow
def test_listed_names_are_accepted(run: Run) -> None:
    for row in run("metrics", "-f", "json").records:
        for name in (row["metric"], row["symbol"]):
            spelt = name[:-1] + "10" if name.endswith(("_k", "@k")) else name
            value = 1322 if row["metric"] == "count" else 1
            screen = run("adjust", value, "-d", "umls", "-m", spelt, "-f", "json")
            assert screen.code == 0
            assert screen.records[0]["metric"] == row["metric"].replace("_k", "_10")


@pytest.mark.slow
def test_listed_names_are_those_of_the_adjusted_forms(run: Run) -> None:
    for row in run("metrics", "-f", "json").records:
        spelt = row["metric"].replace("_k", "_10")
        value = 1322 if row["metric"] == "count" else 1
        out = run("adjust", value, "-d", "umls", "-m", spelt).out
        for form in ("normalised", "index", "z"):
            if row[form] is not None:
                assert f"({row[form].replace('@k', '@10')})" in out


def test_every_protocol_is_listed(run: Run) -> None:
    screen = run("protocols", "-f", "json")
    assert (screen.code, screen.err) == (0, "")
    rows = {row["protocol"]: row for row in screen.records}
    assert list(rows) == list(PROTOCOLS)
    for key, row in rows.items():
        assert row["used_by"] == list(PROTOCOLS[key].used_by)
        assert row["summary"] == PROTOCOLS[key].summary
    assert rows["pykeen"]["candidates"] == "seen"
    assert "entities seen in train" in run("protocols").out
    assert rows["raw"]["known"] == "none"


@pytest.mark.slow
def test_listed_protocols_are_accepted(run: Run) -> None:
    fit = {"static": "icews14_regcn", "time-aware": "icews14_regcn", "qualified": "jf17k", "stare": "jf17k"}
    for row in run("protocols", "-f", "json").records:
        screen = run(
            "adjust", 1, "-d", fit.get(row["protocol"], "umls"), "-m", "mrr", "-p", row["protocol"], "-f", "json"
        )
        assert [found["protocol"] for found in screen.records] == [row["protocol"]]


def test_the_tables_have_the_facts(run: Run) -> None:
    screen = run("metrics")
    for metric in CATALOGUE.values():
        for fact in (metric.family, metric.label, metric.title, metric.definition):
            assert fact in screen.out
    screen = run("protocols")
    assert f"default is {DEFAULT_PROTOCOL}" in screen.out
    assert "sampled:M" in screen.out
    for protocol in PROTOCOLS.values():
        for fact in (protocol.key, *protocol.used_by):
            assert fact in screen.out


@pytest.mark.parametrize("command", ["metrics", "protocols", "aggregations", "baselines"])
def test_csv_equals_json(run: Run, command: str) -> None:
    rows, records = run(command, "-f", "csv").rows, run(command, "-f", "json").records
    assert len(rows) == len(records)
    for row, record in zip(rows, records, strict=True):
        assert list(row) == list(record)
        for field, value in record.items():
            if not isinstance(value, list):
                assert row[field] == ("" if value is None else str(value))


@pytest.mark.parametrize("command", ["metrics", "protocols", "aggregations", "baselines"])
@pytest.mark.parametrize("form", ["table", "json", "csv"])
def test_nothing_but_the_result(run: Run, command: str, form: str) -> None:
    screen = run(command, "--format", form)
    assert (screen.code, screen.err) == (0, "")
    assert screen.out.endswith("\n")
    assert run(command, "more").code == (2 if command in {"aggregations", "baselines"} else 4)


@pytest.mark.parametrize(
    "name", [*(key for key, row in CATALOGUE.items() if not row.takes_k), "mrr", "hits@7", "mrr@7", "ndcg@7"]
)
def test_every_metric_has_a_page(run: Run, name: str) -> None:
    screen = run("metrics", name)
    assert (screen.code, screen.err) == (0, "")
    page = describe_metric(CATALOGUE[name] if name in CATALOGUE else parse_metric(name))
    for heading, text in page.items():
        if heading != "name":
            assert [heading, text] in screen.cells or re.sub(r"\s{2,}", " ", text) in " ".join(screen.out.split())
    assert run("metrics", name, "-f", "json").records == [page]


@pytest.mark.parametrize("name", [*PROTOCOLS, "sampled:500", "sampled:7:unfiltered", "sampled:500:replacement"])
def test_every_protocol_has_a_page(run: Run, name: str) -> None:
    protocol, screen = find_protocol(name), run("protocols", name)
    assert (screen.code, screen.err) == (0, "")
    shown = " ".join(screen.out.split())
    for fact in (name, protocol.summary, protocol.law, protocol.needs, protocol.reference, *protocol.used_by):
        assert fact in shown
    (page,) = run("protocols", name, "-f", "json").records
    assert (page["protocol"], page["law"], page["needs"]) == (name, protocol.law, protocol.needs)
    assert page["constants"] == (protocol.refused or "yes")
    assert list(run("protocols", name, "-f", "csv").rows[0]) == list(page)


def test_a_protocol_without_constants_is_refused_where_they_are_needed(run: Run) -> None:
    screen = run("adjust", 0.5, "-d", "umls", "-m", "mrr", "-p", "sampled:500:replacement")
    assert (screen.code, screen.out) == (6, "")
    assert "within 1/(P+1)" in " ".join(screen.err.split())
    found = [
        run("adjust", 0.5, "-d", "umls", "-m", "mrr", "-p", name, "-f", "json").records[0]
        for name in ("sampled:20", "sampled:20:unfiltered")
    ]
    assert [row.pop("protocol") for row in found] == ["sampled:20", "sampled:20:unfiltered"]
    assert found[0] == found[1]


def test_aggregations_are_listed_and_accepted(run: Run) -> None:
    rows = run("aggregations", "-f", "json").records
    assert [row["aggregation"] for row in rows] == list(AGGREGATIONS)
    for row in rows:
        found = run("adjust", 0.5, "-d", "umls", "-m", "mrr", "-a", row["aggregation"], "-f", "json").records
        assert found[0]["aggregation"] == row["aggregation"]
    assert f"The default is {DEFAULT_AGGREGATION}" in run("aggregations").out


def test_every_tool_is_listed(run: Run) -> None:
    screen = run("tools", "-f", "json")
    assert (screen.code, screen.err) == (0, "")
    assert [row["tool"] for row in screen.records] == list(TOOLS)
    for row in screen.records:
        tool = TOOLS[row["tool"]]
        fields = ("protocol", "ties", "whole_ranks", "batch")
        assert [row[field] for field in fields] == [getattr(tool, field) for field in fields]
        assert row["evidence"] == list(tool.evidence)
    shown = run("tools").out
    for tool in TOOLS.values():
        for fact in (tool.key, tool.title, tool.protocol, tool.ties, tool.reference):
            assert fact in shown


def test_csv_of_tools_equals_json(run: Run) -> None:
    rows, records = run("tools", "-f", "csv").rows, run("tools", "-f", "json").records
    assert [list(row) for row in rows] == [list(record) for record in records]
    assert [row["caveats"] for row in rows] == ["; ".join(record["caveats"]) for record in records]


@pytest.mark.parametrize("key", TOOLS)
def test_every_tool_has_a_page(run: Run, key: str) -> None:
    tool, screen = TOOLS[key], run("tools", key)
    assert (screen.code, screen.err) == (0, "")
    shown = " ".join(screen.out.split())
    for fact in (tool.title, tool.protocol, tool.ties, tool.reference):
        assert fact in shown
    for facts in (tool.repositories, tool.caveats, tool.evidence, tool.refused.values()):
        for fact in facts:
            assert fact in shown
    assert run("tools", tool.repositories[0], "-f", "json").records == [
        row for row in run("tools", "-f", "json").records if row["tool"] == key
    ]


def test_unknown_tools_are_refused(run: Run) -> None:
    screen = run("tools", "convee")
    assert (screen.code, screen.out) == (4, "")
    assert "Did you mean conve?" in screen.err
