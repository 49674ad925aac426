"""Why nothing fits, in words."""

from __future__ import annotations

from rankconst.catalogue.metrics import parse_metric
from rankconst.checks.identify.evidence import Dropped, Evidence
from rankconst.checks.identify.search import describe_lack
from rankconst.results.reading import Entry


def test_the_first_reasons_are_given() -> None:
    entry = Entry(parse_metric("mr"), "1", 0, "MR", 1)
    dropped = tuple(Dropped(entry, reason) for reason in ("a", "b", "a", "c", "d"))
    assert describe_lack(Evidence((), dropped)) == "nothing tells the ranking tasks: a; b; c."
    assert "the number of ranks, is needed" in describe_lack(Evidence(()))
