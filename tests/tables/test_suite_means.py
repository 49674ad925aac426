"""Means over graphs: their constants against those of the graphs, and against random rankings."""

import math

import pytest

import rankconst
from rankconst.catalogue.literature import load_suites
from rankconst.catalogue.metrics import parse_metric
from rankconst.errors import UndefinedError, UnknownNameError, UsageError
from rankconst.tables.suite_means import cover_suite
from rankconst.tasks import Tasks

TABLES = rankconst.load()
GRAIL = load_suites()["grail_12"]


def find_graphs(baseline: str = "uniform") -> list[Tasks]:
    return [Tasks(key, split="valid+test", baseline=baseline) for key in GRAIL.graphs]


@pytest.mark.parametrize("metric", ["mrr", "hits@10", "hits@1", "mr", "ndcg"])
@pytest.mark.parametrize("baseline", ["uniform", "counting"])
def test_moments_are_those_of_independent_graphs(metric: str, baseline: str) -> None:
    parsed = parse_metric(metric)
    graphs = [TABLES.look_up(tasks, parsed) for tasks in find_graphs(baseline)]
    mean = TABLES.look_up(Tasks("grail_12", baseline=baseline), parsed)
    assert mean.num_tasks == sum(each.num_tasks for each in graphs) == 30_646
    expectation = math.fsum(each.expectation for each in graphs) / 12
    variance = math.fsum(each.variance for each in graphs) / 144
    assert mean.expectation == pytest.approx(expectation, rel=1e-12)
    assert mean.variance == pytest.approx(variance, rel=1e-10)


def test_every_graph_counts_once_however_many_tasks_it_has() -> None:
    histogram = TABLES.histogram(Tasks("grail_12"))
    assert histogram.weights is not None
    assert histogram.total_weight == pytest.approx(1, rel=1e-12)
    small = TABLES.histogram(Tasks("nell_v1_ind", split="valid+test"))
    assert small.total * histogram.weights.max() == pytest.approx(1 / 12)  # its tasks weigh most


def test_a_mean_is_adjusted_by_name() -> None:
    # The mean over GraIL's graphs of ULTRA 3g, zero-shot: Galkin et al. 2024, arXiv:2310.04562.
    adjusted = rankconst.adjust("0.549", metric="mrr", dataset="GraIL-12")
    mean = TABLES.constants("grail_12", "mrr")
    assert adjusted.index == pytest.approx((0.549 - mean.expectation) / (1 - mean.expectation))


def test_missing_graphs_are_named() -> None:
    covered = cover_suite(load_suites()["ultra_inductive"], Tasks("ultra_inductive"), TABLES)
    assert len(covered.tasks) + len(covered.missing) == 41
    assert "indigobm" in covered.missing
    assert str(covered).startswith(f"{len(covered.tasks)} of 41 graphs; without ")
    assert str(cover_suite(GRAIL, Tasks("grail_12"), TABLES)) == "all 12 graphs"
    assert TABLES.explain_coverage(Tasks("grail_12")) == ""
    with pytest.warns(UserWarning, match=r"of 41 graphs; without .*indigobm"):
        rankconst.constants("ultra_inductive", "mrr")
    with pytest.warns(UserWarning, match=r"of 41 graphs; without .*indigobm"):
        rankconst.compare("0.39", "0.40", metric="mrr", dataset="ultra_inductive")
    (note,) = rankconst.check(mrr="0.39", dataset="ultra_inductive").notes
    assert "of 41 graphs; without" in note


def test_values_turned_back_say_which_graphs_they_are_over() -> None:
    back = str(rankconst.adjust("0.9", metric="amri", to="mr", dataset="ultra_inductive"))
    assert "MR, mean over the 41 inductive graphs of ULTRA" in back
    assert "Note: the constants are of 36 of 41 graphs" in " ".join(back.split())


def test_counting_is_not_compared_where_graphs_lack() -> None:
    """On ULTRA's 41 graphs a mean of 0.37 is below what counting gets on 36, and may be above it on all."""
    with pytest.raises(UndefinedError, match="not known of all graphs: the tables hold 36 of 41"):
        rankconst.constants("ultra_inductive", "mrr", baseline="counting")
    with pytest.warns(UserWarning, match="counting gets there is not known, so it is left out"):
        found = rankconst.adjust("0.37", metric="mrr", dataset="ultra_inductive")
    assert found.counting is None
    assert "Counting" not in str(found)
    assert rankconst.adjust("0.37", metric="mrr", dataset="grail_12").counting is not None


def test_sides_are_those_of_the_tool_unless_one_is_named() -> None:
    suite = load_suites()["ultra_transductive"]
    sides = {
        key: tasks.side for key, tasks in cover_suite(suite, Tasks(suite.key), TABLES).tasks.items()
    }
    assert (sides["nell23k"], sides["codexsmall"]) == ("tail", "both")
    heads = cover_suite(suite, Tasks(suite.key, side="head"), TABLES).tasks
    assert {tasks.side for tasks in heads.values()} == {"head"}


def test_what_has_no_mean_over_graphs_is_refused() -> None:
    with pytest.raises(
        UsageError, match="averages MR, MRR, Hits@k and nDCG; of GMR see its graphs"
    ):
        TABLES.constants("grail_12", "gmr")
    with pytest.raises(UsageError, match="leave out relations and macro averages"):
        TABLES.constants("grail_12", "mrr", aggregation="macro-query")
    with pytest.raises(UnknownNameError, match="no graph of grail_12"):
        cover = rankconst.load()
        object.__setattr__(cover, "titles", {})
        cover.histogram(Tasks("grail_12"))
