"""What findings say, rule by rule, where the planted faults leave it open."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from carried import open_once
from rankconst.checks.case import pick_own
from rankconst.checks.checking import RULES
from rankconst.evaluation import Stated
from rankconst.results.formats import read_document
from rankconst.results.reading import measure as measure_entry
from readings import OPEN, apply_rules, make_reading, measure

if TYPE_CHECKING:
    from rankconst.checks.case import Finding

TABLES = open_once()

# RotatE, Sun et al. 2019, arXiv:1902.10197.
FB15K237 = {"MR": "177", "MRR": "0.338", "Hits@1": "0.241", "Hits@3": "0.375", "Hits@10": "0.533"}
WN18RR = {"MR": "3340", "MRR": "0.476", "Hits@1": "0.428", "Hits@3": "0.492", "Hits@10": "0.571"}


def find(
    *rows: dict[str, str], rule: str = "", context: Stated = OPEN, user: Stated = OPEN, exact: bool = False
) -> tuple[Finding, ...]:
    reading = make_reading(*rows, context=context, exact=exact)
    rules = [rule] if rule else [rule for rule in RULES if rule != "below-counting"]
    return apply_rules(reading, user, rules=rules).findings


KNOWN = Stated(dataset="FB15k-237")
RAW = Stated(dataset="FB15k-237", protocol="raw")
PYKEEN = Stated(dataset="nations", tool="pykeen")
WN = Stated(dataset="WN18RR")
TWO = {"Hits@1": f"{2501 / 5848:.8f}", "Hits@10": f"{3333 / 5848:.8f}"}
HALF = {"MR": f"{1686.5 / 402:.9f}"}
COMPLEX = {"MR": "469.7251281738281", "AMRI": "0.9343031751454628"}
WORST = TABLES.constants("fb15k237", "mr").worst
NO_DATASET = Stated(dataset="no such graph")
PERCENT = Stated(percent=True)

# Numbers, where they are from, and what the one finding says: severity, inequality, statement, cause; none without.
FOUND: list[tuple[dict[str, str], Stated, str, tuple[str, ...]]] = [
    ({"MR": "0.338"}, KNOWN, "range", ("error", "A mean of ranks is at least 1: an MRR or a share under the wrong")),
    ({"MRR": "177"}, KNOWN, "range", ("error", "A share is at most 1: a mean of ranks under the wrong name?")),
    # There are 14,541 entities; on average 7,113 are candidates.
    ({"MR": "14600"}, KNOWN, "range", ("warning", "split, side or protocol: here even the worst ranker does better.")),
    ({"MRR": "0.00001"}, KNOWN, "range", ("warning", "Another dataset")),
    ({"MR": "seven"}, KNOWN, "range", ("error",)),
    ({"MR": f"{WORST:.3f}"}, replace(KNOWN, protocol="standard"), "range", ()),
    ({"MR": f"{WORST + 1:.3f}"}, replace(KNOWN, protocol="standard"), "range", ("error", ", protocol standard")),
    ({"MR": "4.196517467498779", "z MR": "-4.196517467498779"}, OPEN, "",
     ("ZMR -4.1965175 is not a z-score of MR 4.1965175.", "It repeats the base value: it was never scaled.")),
    ({"Hits@1": "0.50", "Hits@3": "0.60", "Hits@10": "0.40"}, OPEN, "hits-monotone", ("Hits@3 <= Hits@10", "is above")),
    # What no tasks allow is an error without any.
    *[
        (row, context, "", ("error", inequality))
        for context in (OPEN, NO_DATASET)
        for row, inequality in (
            ({"AMRI": "1.002"}, "AMRI <= 1"), ({"AMRR": "1.31"}, "AMRR <= 1"), ({"AH@10": "104.1"}, "AH@10 <= 1"),
            ({"AMR": "-0.02"}, "AMR >= 0"), ({"MRR": "0.338", "AMRR": "0.340"}, "AMRR <= MRR"),
            ({"Hits@10": "0.533", "AH@10": "0.54"}, "AH@10 <= Hits@10"),
            ({"nDCG": "0.336", "MRR": "0.338"}, "nDCG >= MRR"), ({"nDCG": "0.23", "Hits@1": "0.241"}, "nDCG >= Hits@1"),
            ({"nDCG": "0.40", "HMR": "2.4"}, "nDCG >= MRR"),
        )
    ],
    *[
        ({"MRR": "0.30", "Hits@1": "0.50"}, context, "", ("error", "MRR >= Hits@1"))
        for context in (OPEN, KNOWN, replace(KNOWN, tool="rotate"))
    ],
    ({"AMRI": "1.0000000001", "AMR": "0.000", "AMRR": "-0.2"}, OPEN, "", ()),
    ({"MRR": "1", "AMRR": "1", "Hits@1": "1", "nDCG": "1", "AH@1": "1"}, OPEN, "", ()),
    ({"MRR": "0.338", "AMRR": "0.338"}, OPEN, "", ()),
    # Upper bounds need the number of candidates; under another protocol there could be more.
    ({"MR": "9000", "Hits@10": "0.533"}, OPEN, "", ()),
    ({"MR": "9000", "Hits@10": "0.533"}, KNOWN, "mr-from-hits",
     ("warning", "MR <= 10 Hits@10 + 14541 (1 - Hits@10)", "with at most 14,541 candidates.")),
    ({"MR": "9000", "Hits@10": "0.533"}, RAW, "mr-from-hits", ("error",)),
    ({"MR": "4.9", "Hits@10": "0.533"}, KNOWN, "mr-from-hits", ("error", "MR >= Hits@10 + 10.5 (1 - Hits@10)")),
    ({"MRR": "0.9", "Hits@10": "0.533"}, OPEN, "mrr-from-hits", ("error", "MRR <= Hits@10 + (1 - Hits@10)/10.5")),
    # A share of one half, or a mean over runs, says nothing about the median.
    ({"Hits@10": "0.6", "MdR": "12"}, OPEN, "", ("warning", "MdR")),
    ({"Hits@10": "0.5", "MdR": "12"}, OPEN, "", ()), ({"Hits@10": "0.6 ± 0.01", "MdR": "12"}, OPEN, "", ()),
    # WN18RR has 6,268 ranks under protocol standard, and 5,848 under pykeen; three digits fit any number.
    (TWO, WN, "", ("warning", "no 6,268 ranks have Hits@1", "They fit n = 5,848 of test both under protocol pykeen")),
    (TWO, replace(WN, tool="pykeen"), "", ()), ({name: text[:5] for name, text in TWO.items()}, WN, "", ()),
    (TWO, replace(WN, tool="pykeen", num_tasks=5847), "multiple-of-1/n", ("error", "the file states their number")),
    ({"Hits@1": "0.229111"}, PYKEEN, "", ("warning", "n Hits@1 is whole")),
    ({"Hits@1": "0.229111 ± 0.000001"}, PYKEEN, "", ()),
    ({"Hits@1": "0.229111"}, replace(PYKEEN, aggregation="macro_relation"), "", ()),
    (HALF, replace(PYKEEN, rank_type="optimistic"), "", ("warning", "n MR is whole")),
    (HALF, replace(PYKEEN, rank_type="realistic"), "", ()),
    *[(HALF, Stated("nations", tool=tool), "sum-of-ranks", ("; n MR is whole",)) for tool in ("libkge", "kbc")],
    *[(HALF, Stated("nations", tool=tool), "sum-of-ranks", ()) for tool in ("pykeen", "ogb")],
    ({"MRR": "0.3"}, replace(KNOWN, protocol="standard", num_tasks=40876), "",
     ("warning", "n stated", "It is that of test both under protocol pykeen.")),
    # PyKEEN's AMRI of ComplEx (arXiv:2203.07544), of protocol pykeen whatever is assumed; and a slip.
    (COMPLEX, KNOWN, "", ()), (COMPLEX, replace(KNOWN, protocol="pykeen"), "", ()),
    (COMPLEX | {"AMRI": "0.9433031751454628"}, KNOWN, "", ("warning", "Of another protocol? Name it with --protocol.")),
    # One impossible value: what it breaks beside other numbers follows from it.
    ({"MR": "177.3", "MRR": "0.43", "Hits@1": "0.23", "Hits@3": "0.50", "Hits@10": "0.97"}, PYKEEN, "", ("MR 177.3",)),
    ({"MR": "9000", "MRR": "0.0003", "Hits@10": "0.00000"}, KNOWN, "worse-than-random",
     ("info", "All metrics are: are scores sorted the wrong way?")),
    ({"MR": "9000", "MRR": "0.0003", "Hits@10": "0.4"}, KNOWN, "worse-than-random", ("info", "MR")),
]  # fmt: skip


@pytest.mark.parametrize(("row", "context", "rule", "words"), FOUND)
def test_findings(row: dict[str, str], context: Stated, rule: str, words: tuple[str, ...]) -> None:
    found = find(row, rule=rule, context=context)
    shown = [f"{each.severity}; {each.inequality}; {each.statement}; {each.cause}" for each in found]
    assert len(shown) == bool(words)
    assert all(word in text for text in shown for word in words), shown


def test_percentages_are_one_finding_for_a_column() -> None:
    rows = [{**row, "Hits@10": f"{100 * float(row['Hits@10']):.1f}"} for row in (FB15K237, WN18RR)]
    (finding,) = find(*rows)
    assert (finding.statement, len(finding.values)) == ("2 values under Hits@10 beyond 1, up to 57.1.", 2)
    assert "--percent" in finding.cause
    assert find({**FB15K237, "MRR": "33.8%"}) == ()
    (finding,) = find({"AMRI": "97.5"}, {"AMRI": "98.1"})
    assert (finding.inequality, len(finding.values)) == ("AMRI <= 1", 2)
    assert finding.cause.startswith("Percentages without a sign, or")  # --percent is for shares
    assert find({"AMRI": "97.5%"}) == find({"AMRR": "33.8"}, user=PERCENT) == ()
    user = replace(PERCENT, dataset="nations", protocol="pykeen")
    expected = TABLES.constants("nations", "hits@10", protocol="pykeen").index(0.9652)
    row = {"Hits@10": "96.52", "AH@10": f"{100 * expected:.2f}"}
    assert find(row, user=user) == ()
    assert [each.rule for each in find({**row, "AH@10": "96.52"}, user=user)] == ["adjusted-mismatch"]


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
    found = apply_rules(read_document("results.csv", text), rules=["multiple-of-1/n"])
    assert sum(finding.severity == "error" for finding in found.findings) == expected


@pytest.mark.parametrize("dataset", ["countries_s1", "nell_v1_ind"])
def test_where_no_batch_is_whole_nothing_was_ranked(dataset: str) -> None:
    """Countries has 24 triples; of NELL v1 ind the 100 of test make no batch."""
    found = apply_rules(make_reading({"Hits@1": "0.123456"}, context=Stated(dataset=dataset, tool="conve")))
    (note,) = found.notes
    assert note.endswith(f"ConvE ranks whole batches of 128 triples only, and {dataset} test has fewer.")
    # Of WN18RR's 3,134 triples 24 batches are ranked, on both sides: 6,144 ranks.
    row, context = {"Hits@1": f"{2501 / 6144:.8f}"}, Stated(dataset="wn18rr", tool="conve")
    assert find(row, rule="multiple-of-1/n", context=context) == ()
    assert find({"Hits@1": f"{2501 / 6268:.8f}"}, rule="multiple-of-1/n", context=context) != ()


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
    # Few digits tell nothing.
    for few in ({"Hits@1": "0.000"}, {"Hits@1": "0", "Hits@10": "1.0"}, {"MRR": "0.3"}, {"MRR": "1.000"}):
        assert find(few, rule="all-tied", context=Stated(dataset="nations")) == ()


def test_values_are_cut_at_their_range_and_two_of_one_metric_are_none() -> None:
    first, *others = [measure_entry(entry) for entry in make_reading({"Hits@1": "0.00", "MR": "1.2"}).entries]
    own = pick_own([first, *others])
    assert [m.interval.lower for m in own.values()] == pytest.approx([0, 1.15], abs=1e-5)
    for text, kept in (("0.00", 2), ("0.3", 1)):
        again = measure_entry(first.entry._replace(text=text, column="hits at one"))
        assert len(pick_own([first, *others, again])) == kept
