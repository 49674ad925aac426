"""What rules see of a group: intervals, metrics that can be compared, the grid of ranks, the tasks."""

from __future__ import annotations

from dataclasses import replace

import pytest

from carried import open_once
from rankconst.catalogue.metrics import parse_metric
from rankconst.catalogue.tools import TOOLS
from rankconst.checks.case import Archive, Case, build_case
from rankconst.evaluation import Stated
from rankconst.results.reading import group_entries
from rankconst.tasks import Tasks
from readings import OPEN, make_reading

TABLES = open_once()
MRR = parse_metric("mrr")


def build(
    row: dict[str, str],
    context: Stated = OPEN,
    user: Stated = Stated(),  # noqa: B008 - frozen
    exact: bool = False,
    tool: str | None = None,
) -> Case:
    reading = make_reading(row, context=context, exact=exact, tool=tool)
    (group,) = group_entries(reading)
    return build_case(group, reading, user, Archive(TABLES))


@pytest.mark.parametrize(
    ("rank_type", "tool", "step"),
    [
        (None, None, 0.5),
        ("realistic", None, 0.5),
        ("optimistic", None, 1.0),
        (None, "pykeen", 0.5),
        (None, "libkge", 1.0),
        (None, "rotate", 1.0),
        (None, "ampligraph", 1.0),
        (None, "ogb", 0.5),
    ],
)
def test_ranks_are_halves_unless_the_tie_policy_says_otherwise(
    rank_type: str | None, tool: str | None, step: float
) -> None:
    context = Stated(dataset="wn18rr", rank_type=rank_type, tool=tool)
    assert build({"MRR": "0.4"}, context).step == step


def test_a_tool_that_ranks_whole_batches_has_fewer_tasks() -> None:
    archive = Archive(TABLES)
    for side, expected in (("tail", 24 * 128), ("both", 2 * 24 * 128)):
        assert archive.count(Tasks("wn18rr", side=side), replace(TOOLS["rotate"], batch=128)) == expected


def test_where_no_batch_is_whole_nothing_was_ranked() -> None:
    """Countries has 24 triples; of NELL v1 ind the 100 of test make no batch, the 101 of valid neither."""
    for dataset in ("countries_s1", "nell_v1_ind"):
        case = build({"Hits@1": "0.123456"}, Stated(dataset=dataset, tool="conve"))
        assert (case.tasks, case.num_tasks) == (None, None)
        assert case.note.endswith(f"ConvE ranks whole batches of 128 triples only, and {dataset} test has fewer.")
