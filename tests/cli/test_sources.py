"""``rankconst sources``: the listing, and the page of one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rankconst.catalogue.tools import TOOLS

if TYPE_CHECKING:
    from cli.conftest import Run


def test_every_source_is_listed(run: Run) -> None:
    screen = run("sources", "-f", "json")
    assert (screen.code, screen.err) == (0, "")
    assert [row["source"] for row in screen.records] == list(TOOLS)
    for row in screen.records:
        source = TOOLS[row["source"]]
        fields = ("protocol", "ties", "whole_ranks", "batch")
        assert [row[field] for field in fields] == [getattr(source, field) for field in fields]
        assert row["evidence"] == list(source.evidence)
    shown = run("sources").out
    for source in TOOLS.values():
        for fact in (source.key, source.title, source.protocol, source.ties, source.reference):
            assert fact in shown


def test_csv_equals_json(run: Run) -> None:
    rows, records = run("sources", "-f", "csv").rows, run("sources", "-f", "json").records
    assert [list(row) for row in rows] == [list(record) for record in records]
    assert [row["caveats"] for row in rows] == ["; ".join(record["caveats"]) for record in records]


@pytest.mark.parametrize("key", TOOLS)
def test_every_source_has_a_page(run: Run, key: str) -> None:
    source, screen = TOOLS[key], run("sources", key)
    assert (screen.code, screen.err) == (0, "")
    shown = " ".join(screen.out.split())
    for fact in (source.title, source.protocol, source.ties, source.reference):
        assert fact in shown
    for facts in (source.repositories, source.caveats, source.evidence, source.refused.values()):
        for fact in facts:
            assert fact in shown
    assert run("sources", source.repositories[0], "-f", "json").records == [
        row for row in run("sources", "-f", "json").records if row["source"] == key
    ]


def test_unknown_sources_are_refused(run: Run) -> None:
    screen = run("sources", "convee")
    assert (screen.code, screen.out) == (4, "")
    assert "Did you mean conve?" in screen.err
