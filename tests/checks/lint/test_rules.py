"""What findings say, rule by rule, where the planted faults leave it open."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from carried import open_once
from cases import mark_rest
from rankconst.checks.lint import lint_reading
from rankconst.checks.lint.rules import RULES
from rankconst.evaluation import Stated
from rankconst.results.formats import read_document
from readings import OPEN, make_reading, measure

if TYPE_CHECKING:
    from rankconst.checks.lint.case import Finding

TABLES = open_once()

# RotatE, Sun et al. 2019, arXiv:1902.10197.
FB15K237 = {"MR": "177", "MRR": "0.338", "Hits@1": "0.241", "Hits@3": "0.375", "Hits@10": "0.533"}
WN18RR = {"MR": "3340", "MRR": "0.476", "Hits@1": "0.428", "Hits@3": "0.492", "Hits@10": "0.571"}


def find(
    *rows: dict[str, str], rule: str = "", context: Stated = OPEN, user: Stated | None = None, exact: bool = False
) -> tuple[Finding, ...]:
    reading = make_reading(*rows, context=context, exact=exact)
    rules = [rule] if rule else [rule for rule in RULES if rule != "below-frequency"]
    return lint_reading(reading, TABLES, user, rules=rules).findings


def test_percentages_are_one_finding_for_a_column() -> None:
    rows = [{**row, "Hits@10": f"{100 * float(row['Hits@10']):.1f}"} for row in (FB15K237, WN18RR)]
    (finding,) = find(*rows)
    assert finding.statement == "2 values under Hits@10 beyond 1, up to 57.1."
    assert "--percent" in finding.cause
    assert len(finding.values) == 2
    every = [{name: f"{100 * float(text):.1f}" if name != "MR" else text for name, text in row.items()} for row in rows]
    assert {f.inequality for f in find(every[0])} >= {"0 <= MRR <= 1", "0 <= Hits@1 <= 1"}
    assert find({**FB15K237, "MRR": "33.8%"}) == ()


@pytest.mark.parametrize(
    ("metric", "text", "severity", "cause"),
    [
        ("MR", "0.338", "error", "A mean of ranks is at least 1: an MRR or a share under the wrong name?"),
        ("MRR", "177", "error", "A share is at most 1: a mean of ranks under the wrong name?"),
        # There are 14,541 entities; on average 7,113 are candidates.
        ("MR", "14600", "warning", "Another dataset, split, side or protocol: here even the worst ranker does better."),
        ("MRR", "0.00001", "warning", "Another dataset"),
        ("MR", "seven", "error", ""),
    ],
)
def test_impossible_values(metric: str, text: str, severity: str, cause: str) -> None:
    (finding,) = find({metric: text}, rule="range", context=Stated(dataset="FB15k-237"))
    assert (finding.severity, finding.label) == (severity, "FB15k-237")
    assert finding.cause.startswith(cause)


@pytest.mark.parametrize(
    ("row", "inequality"),
    [
        ({"AMRI": "1.002"}, "AMRI <= 1"),
        ({"AMRR": "1.31"}, "AMRR <= 1"),
        ({"AH@10": "104.1"}, "AH@10 <= 1"),
        ({"AMR": "-0.02"}, "AMR >= 0"),
        ({"MRR": "0.338", "AMRR": "0.340"}, "AMRR <= MRR"),
        ({"Hits@10": "0.533", "AH@10": "0.54"}, "AH@10 <= Hits@10"),
        ({"nDCG": "0.336", "MRR": "0.338"}, "nDCG >= MRR"),
        ({"nDCG": "0.23", "Hits@1": "0.241"}, "nDCG >= Hits@1"),
        ({"nDCG": "0.40", "HMR": "2.4"}, "nDCG >= MRR"),
    ],
)
@pytest.mark.parametrize("context", [OPEN, Stated(dataset="no such graph")])
def test_what_no_tasks_allow_is_an_error_without_any(row: dict[str, str], inequality: str, context: Stated) -> None:
    (finding,) = find(row, context=context)
    assert (finding.severity, finding.inequality) == ("error", inequality)


@pytest.mark.parametrize(
    "row",
    mark_rest(
        [
            {"AMRI": "1.0000000001", "AMR": "0.000", "AMRR": "-0.2"},
            {"MRR": "1", "AMRR": "1", "Hits@1": "1", "nDCG": "1", "AH@1": "1"},
            {"MRR": "0.338", "AMRR": "0.338"},
        ],
        {"AMRI": "1.0000000001", "AMR": "0.000", "AMRR": "-0.2"},
        {"MRR": "0.338", "AMRR": "0.338"},
    ),
)
def test_what_some_tasks_allow_is_none(row: dict[str, str]) -> None:
    assert find(row) == ()


def test_percentages_of_an_index_are_one_finding() -> None:
    (finding,) = find({"AMRI": "97.5"}, {"AMRI": "98.1"})
    assert (finding.inequality, len(finding.values)) == ("AMRI <= 1", 2)
    assert finding.cause.startswith("Percentages without a sign, or")  # --percent is for shares
    assert find({"AMRI": "97.5%"}) == ()
    (finding,) = find({"AMRR": "33.8"})
    assert "--percent" in finding.cause
    assert find({"AMRR": "33.8"}, user=Stated(percent=True)) == ()


@pytest.mark.parametrize("context", [OPEN, Stated(dataset="FB15k-237"), Stated(dataset="FB15k-237", tool="rotate")])
def test_what_no_number_of_candidates_allows_is_an_error_on_any_dataset(context: Stated) -> None:
    (finding,) = find({"MRR": "0.30", "Hits@1": "0.50"}, context=context)
    assert (finding.rule, finding.severity) == ("mrr-from-hits", "error")


@pytest.mark.parametrize(
    ("row", "severity"),
    [
        # Two runs, all ranks 1 and all ranks 2: HMR 1.5, MRR 0.75, IAMR 0.75, MR 1.5, MdR 1.5, IMdR 0.75.
        ({"HMR": "1.5", "MRR": "0.75"}, "warning"),
        ({"HMR": "1.2", "MRR": "0.75"}, "error"),
        ({"MR": "1.5", "IAMR": "0.75"}, "warning"),
        ({"MR": "1.5", "IAMR": "0.6"}, "error"),
        ({"HMR": "1.5", "Hits@1": "0.5", "Hits@2": "1.0"}, "warning"),
        ({"HMR": "1.1", "Hits@1": "0.5", "Hits@2": "1.0"}, "error"),
        ({"IAMR": "0.85", "Hits@1": "0.5", "Hits@2": "1.0"}, "warning"),
        ({"GMR": "1.6", "IAMR": "0.75"}, "warning"),
        ({"IGMR": "0.6", "IAMR": "0.75"}, "error"),
        ({"MR": "1.4", "HMR": "1.5"}, "error"),
        ({"MR": "1.72", "HMR": "1.7"}, "warning"),
        ({"IAMR": "0.76", "MRR": "0.75"}, "error"),
        ({"IAMR": "0.9", "HMR": "1.5"}, "warning"),
        ({"VR": "4", "SDR": "1"}, "warning"),
        ({"VR": "4", "SDR": "3"}, "error"),
    ],
)
def test_what_means_over_runs_can_be_is_no_error(row: dict[str, str], severity: str) -> None:
    exact = {name: f"{float(text):.7f}" for name, text in row.items()}
    found = find(exact)
    assert {finding.severity for finding in found} == {severity}
    assert severity != "warning" or find({name: f"{text} ± 0.000001" for name, text in exact.items()}) == ()


def test_an_impossible_value_is_one_finding() -> None:
    """What it breaks beside other numbers follows from it."""
    row = {"MR": "177.3", "MRR": "0.43", "Hits@1": "0.23", "Hits@3": "0.50", "Hits@10": "0.97"}
    (finding,) = find(row, context=Stated(dataset="Nations", tool="pykeen"))
    assert (finding.rule, [m.label for m in finding.values]) == ("range", ["MR"])


def test_the_worst_value_of_a_known_protocol_is_an_error() -> None:
    worst = TABLES.constants("fb15k237", "mr").worst
    context = Stated(dataset="FB15k-237", protocol="standard")
    assert find({"MR": f"{worst:.3f}"}, rule="range", context=context) == ()
    (finding,) = find({"MR": f"{worst + 1:.3f}"}, rule="range", context=context)
    assert finding.severity == "error"
    assert "under protocol standard" in finding.statement


@pytest.mark.parametrize(("one", "other"), [("Hits@1", "Hits@10"), ("MR", "MRR"), ("Hits@3", "Hits@10")])
def test_exchanged_columns_are_one_finding(one: str, other: str) -> None:
    rows = [{**row, one: row[other], other: row[one]} for row in (FB15K237, WN18RR)]
    (finding,) = find(*rows)
    assert finding.rule == "swapped-columns"
    names = {f"{one} and {other}", f"{other} and {one}"}
    assert finding.statement.partition(" are exchanged")[0] in names
    assert len(finding.values) == 4


def test_one_row_or_one_good_row_does_not_make_an_exchange() -> None:
    swapped = {**FB15K237, "Hits@1": "0.533", "Hits@10": "0.241"}
    for rows in ((swapped,), (swapped, WN18RR)):
        assert {finding.rule for finding in find(*rows)} >= {"hits-monotone"}
        assert "swapped-columns" not in {finding.rule for finding in find(*rows)}


def test_hits_are_compared_with_the_largest_before() -> None:
    (first, second) = find({"Hits@1": "0.50", "Hits@3": "0.30", "Hits@10": "0.40"}, rule="hits-monotone")
    assert [first.inequality, second.inequality] == ["Hits@1 <= Hits@3", "Hits@1 <= Hits@10"]
    assert first.statement == "Hits@1 0.50 (0.495 to 0.505) is above Hits@3 0.30 (0.295 to 0.305)."


def test_upper_bounds_need_the_number_of_candidates() -> None:
    row = {"MR": "9000", "Hits@10": "0.533"}
    assert find(row) == ()
    (finding,) = find(row, rule="mr-from-hits", context=Stated(dataset="FB15k-237"))
    assert finding.inequality == "MR <= 10 Hits@10 + 14541 (1 - Hits@10)"
    assert finding.statement.endswith("with at most 14,541 candidates.")
    assert finding.severity == "warning"  # under another protocol there could be more candidates
    context = Stated(dataset="FB15k-237", protocol="raw")
    assert [f.severity for f in find(row, rule="mr-from-hits", context=context)] == ["error"]
    (finding,) = find({**row, "MR": "4.9"}, context=Stated(dataset="FB15k-237"), rule="mr-from-hits")
    assert finding.inequality == "MR >= Hits@10 + 10.5 (1 - Hits@10)"
    (finding,) = find({"MRR": "0.9", "Hits@10": "0.533"}, rule="mrr-from-hits")
    assert finding.inequality == "MRR <= Hits@10 + (1 - Hits@10)/10.5"


@pytest.mark.parametrize(("hits", "median", "found"), [("0.6", "12", 1), ("0.5", "12", 0), ("0.6 ± 0.01", "12", 0)])
def test_a_share_of_one_half_or_a_mean_over_runs_says_nothing_about_the_median(
    hits: str, median: str, found: int
) -> None:
    assert len(find({"Hits@10": hits, "MdR": median})) == found


def test_hits_of_another_protocol_name_it() -> None:
    """WN18RR has 6,268 ranks under protocol standard, and 5,848 under pykeen."""
    context = Stated(dataset="WN18RR")
    row = {"Hits@1": f"{2501 / 5848:.8f}", "Hits@10": f"{3333 / 5848:.8f}"}
    (finding,) = find(row, context=context)
    assert (finding.rule, finding.severity) == ("multiple-of-1/n", "warning")
    assert finding.cause.startswith("They fit n = 5,848 of test both under protocol pykeen")
    assert "no 6,268 ranks have Hits@1" in finding.statement
    assert find(row, context=replace(context, tool="pykeen")) == ()
    # Rounded to three digits they fit any n.
    assert find({name: text[:5] for name, text in row.items()}, context=context) == ()
    (finding,) = find(row, context=replace(context, tool="pykeen", num_tasks=5847), rule="multiple-of-1/n")
    assert finding.severity == "error"
    assert "the file states their number" in finding.statement


def test_the_mean_over_several_runs_is_no_multiple() -> None:
    context = Stated(dataset="nations", tool="pykeen")
    assert len(find({"Hits@1": "0.229111"}, context=context)) == 1
    assert find({"Hits@1": "0.229111 ± 0.000001"}, context=context) == ()
    assert find({"Hits@1": "0.229111"}, context=replace(context, aggregation="macro_relation")) == ()


def test_whole_ranks_have_a_whole_sum() -> None:
    context = Stated(dataset="nations", tool="pykeen", rank_type="optimistic")
    row = {"MR": f"{1686.5 / 402:.9f}"}
    (finding,) = find(row, context=context)
    assert (finding.rule, finding.inequality) == ("sum-of-ranks", "n MR is whole")
    assert find(row, context=replace(context, rank_type="realistic")) == ()


def test_a_count_of_other_tasks_names_them() -> None:
    context = Stated(dataset="FB15k-237", protocol="standard", num_tasks=40876)
    (finding,) = find({"MRR": "0.3"}, context=context)
    assert (finding.rule, finding.cause) == ("task-count", "It is that of test both under protocol pykeen.")


def test_a_z_score_that_was_never_scaled_is_found_without_the_dataset() -> None:
    row = {"MR": "4.196517467498779", "z MR": "-4.196517467498779"}
    reading = make_reading(row, exact=True)
    (finding,) = lint_reading(reading).findings
    assert finding.cause == "It repeats the base value: it was never scaled."
    assert finding.statement == "ZMR -4.1965175 is no z-score of MR 4.1965175."


def test_percentages_are_understood_beside_adjusted_values() -> None:
    user = Stated(dataset="nations", protocol="pykeen", percent=True)
    expected = TABLES.constants("nations", "hits@10", protocol="pykeen").index(0.9652)
    row = {"Hits@10": "96.52", "AH@10": f"{100 * expected:.2f}"}
    assert find(row, user=user) == ()
    (finding,) = find({**row, "AH@10": "96.52"}, user=user)
    assert finding.rule == "adjusted-mismatch"


def test_adjusted_values_under_an_assumed_protocol_are_warnings() -> None:
    """PyKEEN's AMRI of ComplEx on FB15k-237 (arXiv:2203.07544), of protocol pykeen whatever is assumed; and a slip."""
    row = {"MR": "469.7251281738281", "AMRI": "0.9343031751454628"}
    assert find(row, context=Stated(dataset="FB15k-237")) == ()
    assert find(row, context=Stated(dataset="FB15k-237", protocol="pykeen")) == ()
    (finding,) = find({**row, "AMRI": "0.9433031751454628"}, context=Stated(dataset="FB15k-237"))
    assert (finding.severity, finding.cause) == ("warning", "Of another protocol? Name it with --protocol.")


def test_a_ranker_turned_round_is_worse_than_random() -> None:
    row = {"MR": "9000", "MRR": "0.0003", "Hits@10": "0.00000"}
    context = Stated(dataset="FB15k-237")
    (finding,) = find(row, rule="worse-than-random", context=context)
    assert [m.label for m in finding.values] == list(row)
    assert finding.cause == "All metrics are: are scores sorted the wrong way?"
    (finding,) = find({**row, "Hits@10": "0.4"}, rule="worse-than-random", context=context)
    assert ([m.label for m in finding.values], finding.cause) == (["MR", "MRR"], "")


# 92.1 hits of 402, on average.
@pytest.mark.parametrize(
    ("column", "cell", "expected"),
    [
        ("Hits@1 std", "0.004", 0),
        ("hits_at_1_std", "0.004", 0),
        ("Hits@1 std", "", 1),
        ("runs", "5", 0),
        ("num_seeds", "3", 0),
        ("runs", "1", 1),
        ("seed", "5", 1),
        ("MRR", "0.31 ± 0.02", 0),
        ("MRR gain", "", 1),
    ],
)
def test_what_a_column_says_of_several_runs_counts(column: str, cell: str, expected: int) -> None:
    text = f"dataset,Hits@1,{column},num_tasks\nNations,0.2291045,{cell},402\n"
    found = lint_reading(read_document("results.csv", text), TABLES, rules=["multiple-of-1/n"])
    assert found.num_errors == expected


@pytest.mark.parametrize("rank_type", ["optimistic", "realistic", "pessimistic"])
@pytest.mark.parametrize("decimals", [3, 6, None])
def test_numbers_of_equal_scores_are_recognised(rank_type: str, decimals: int | None) -> None:
    """Ranks of every task written out; with the ranks of another tie policy, or one other number, nothing is found."""
    sizes = np.repeat(*(getattr(TABLES.histogram("nations"), name) for name in ("num_candidates", "num_tasks")))
    ranks = {"optimistic": np.ones(len(sizes)), "realistic": (sizes + 1) / 2, "pessimistic": sizes.astype(float)}
    values = measure(ranks[rank_type], [1, 3, 10])
    row = {name: repr(value) if decimals is None else f"{value:.{decimals}f}" for name, value in values.items()}
    for stated in (None, rank_type):
        context = Stated(dataset="nations", rank_type=stated)
        (finding,) = find(row, rule="all-tied", context=context)
        assert finding.statement.endswith(f"scores all candidates alike, with {rank_type} ranks.")
        assert (finding.severity, len(finding.values)) == ("info", len(row))
    other = "realistic" if rank_type == "optimistic" else "optimistic"
    assert find(row, rule="all-tied", context=Stated(dataset="nations", rank_type=other)) == ()
    assert find({**row, "MRR": "0.5"}, rule="all-tied", context=context) == ()


def test_few_digits_tell_nothing_of_equal_scores() -> None:
    for row in ({"Hits@1": "0.000"}, {"Hits@1": "0", "Hits@10": "1.0"}, {"MRR": "0.3"}, {"MRR": "1.000"}):
        assert find(row, rule="all-tied", context=Stated(dataset="nations")) == ()
    # A poor model on a large graph.
    assert find({"MRR": "0.000", "Hits@10": "0.001"}, rule="all-tied", context=Stated(dataset="fb15k237")) == ()
