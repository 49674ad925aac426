"""What rules see of a group: intervals, metrics that can be compared, the grid of ranks, the tasks."""

from __future__ import annotations

from dataclasses import replace

import pytest

from carried import open_once
from rankconst.catalogue.metrics import parse_metric
from rankconst.catalogue.tools import TOOLS
from rankconst.checks.case import Archive, Case, build_case, invert
from rankconst.checks.completing import complete_reading
from rankconst.evaluation import Stated
from rankconst.results.reading import Entries, group_entries
from rankconst.tasks import Tasks
from rankconst.values.published import Interval
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


def test_what_cannot_be_compared_is_left_out() -> None:
    reading = make_reading({"MRR": "0.338", "Hits@1": "24.1", "AMRI": "0.9", "count": "40932"})
    entries = (*reading.entries, reading.entries[0]._replace(text="0.340", column="mean reciprocal rank"))
    for text, kept in (("0.340", []), ("0.338", ["0.338"])):
        (group,) = group_entries(replace(reading, entries=Entries([*entries[:-1], entries[-1]._replace(text=text)])))
        own = build_case(group, reading, Stated(), Archive(TABLES)).own
        assert [m.entry.text for m in own.values()] == kept


def test_intervals_are_cut_at_the_range() -> None:
    own = build({"Hits@1": "0.00", "Hits@10": "1.00", "MR": "1.2"}).own
    assert [own[parse_metric(name)].interval.lower for name in ("hits@1", "mr")] == pytest.approx([0, 1.15], abs=1e-5)
    assert own[parse_metric("hits@10")].interval.upper == 1


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


def test_tasks() -> None:
    case = build({"MRR": "0.4"}, Stated(dataset="WN18RR"))
    assert case.assumed
    assert case.num_tasks == 6268
    # Nobody says that known answers were removed.
    assert case.most == 40943
    stated = build({"MRR": "0.4"}, Stated(dataset="WN18RR", tool="pykeen"))
    assert not stated.assumed
    assert stated.num_tasks == 5848
    assert stated.most == TABLES.histogram("wn18rr", protocol="pykeen").num_candidates.max()
    assert build({"MRR": "0.4"}, Stated(dataset="WN18RR", num_tasks=17, protocol="standard")).num_tasks == 17
    for row in ({"MRR": "0.4"}, {"MR": "100"}):
        unknown = build(row)
        assert (unknown.num_tasks, unknown.widest, unknown.most) == (None, None, float("inf"))


def test_the_number_of_ranks_tells_the_protocol() -> None:
    reading = make_reading({"MRR": "0.4"}, context=Stated(dataset="WN18RR", num_tasks=5848))
    (group,), (context,) = group_entries(reading), complete_reading(reading, TABLES, Stated()).contexts
    case = build_case(group, reading, Stated(), Archive(TABLES), context)
    assert case.tasks is not None
    assert (case.tasks.protocol, case.assumed) == ("pykeen", False)


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


def test_a_mean_is_read_from_its_inverse() -> None:
    case = build({"MRR": "0.5", "IAMR": "0.01"})
    for name, ends in (("HMR", (1 / 0.55, 1 / 0.45)), ("MR", (1 / 0.015, 1 / 0.005))):
        found = case.mean(name)
        assert found is not None
        assert tuple(found[1]) == pytest.approx(ends, rel=1e-3)
    assert case.mean("GMR") is None
    assert invert(Interval(0, 0.5)) == (2, float("inf"))
