"""Evaluations of scores that were not numbers: adjust and check withhold the same, and believe
nothing of them.
"""

import json

import numpy as np
import pytest

import rankconst
from cases import for_each
from rankconst.errors import DataError
from rankconst.results.formats import read_document

# What PyKEEN 1.11.1 and TorchKGE 0.17.7 print if all scores are not a number.
PYKEEN = {
    "arithmetic_mean_rank": 0.5,
    "inverse_harmonic_mean_rank": 2.0,
    "hits_at_1": 1.0,
    "hits_at_10": 1.0,
}
PESSIMISTIC = {
    "arithmetic_mean_rank": 0.0,
    "inverse_harmonic_mean_rank": float("inf"),
    "hits_at_10": 1.0,
}
OPTIMISTIC = {"arithmetic_mean_rank": 1.0, "inverse_harmonic_mean_rank": 1.0, "hits_at_10": 1.0}
SOUND = {"arithmetic_mean_rank": 3.5, "inverse_harmonic_mean_rank": 0.45, "hits_at_10": 0.97}
TORCHKGE = "".join(
    f"{line} \t\t Filt. {line}\n" for line in ("Hit@10 : 1.0", "Mean Rank : 0", "MRR : inf")
)

WHOLE: list[tuple[str, str]] = [
    ("results.json", json.dumps({"both.realistic." + name: value for name, value in PYKEEN.items()})),
    ("results.json", json.dumps({"both.pessimistic." + name: value for name, value in PESSIMISTIC.items()})),
    ("nations.txt", TORCHKGE),
    ("results.csv", "MR,MRR,Hits@10\n0.5,0.4,0.97\n"),
    ("results.csv", "MRR,MR\ninf,3.5\n"),
    ("results.md", "| MRR | Hits@10 |\n|---|---|\n| inf | 1.0 |\n"),
    ("results.json", '{"mrr": Infinity, "hits@1": 1.0, "hits@10": 1.0}'),
]  # fmt: skip


@for_each(("name", "text"), WHOLE)
def test_nothing_of_such_an_evaluation_is_adjusted(name: str, text: str) -> None:
    reading = read_document(name, text)
    with pytest.raises(
        DataError, match=r"scores that are not numbers \(NaN\) were ranked, .* And \d more"
    ):
        rankconst.adjust(reading, dataset="nations")
    checked = rankconst.check(reading, dataset="nations")
    assert {finding.rule for finding in checked.findings} == {"not-a-number"}
    assert checked.num_errors == len(checked.findings) > 0


def test_an_infinite_number_does_not_change_the_unit_of_its_column() -> None:
    rows = "A,nations,inf,100\nB,nations,45.1,97.5\nC,nations,44.5,98\n"
    reading = read_document("results.csv", f"model,dataset,MRR,Hits@10\n{rows}")
    adjusted = rankconst.adjust(reading)
    known = rankconst.constants("nations", "mrr").index(np.array([0.451, 0.445]))
    assert np.isnan(adjusted["AMRR"][0])
    assert np.isnan(adjusted["AH@10"][0])
    assert adjusted["AMRR"][1:] == pytest.approx(known)


def test_other_evaluations_are_adjusted_and_other_ties_are_not() -> None:
    """Optimistic ranks of such scores look perfect."""
    sides = {"tail": {"realistic": SOUND}, "head": {"realistic": PYKEEN, "optimistic": OPTIMISTIC}}
    reading = read_document("results.json", json.dumps({"metrics": sides}))
    adjusted = rankconst.adjust(reading, dataset="nations").numbers
    assert {each.published.tasks.side for each in adjusted.done} == {"tail"}
    assert sum(each.published.index.size for each in adjusted.done) == len(SOUND)
    findings = rankconst.check(reading, dataset="nations").findings
    assert {each.label for each in findings if each.rule == "not-a-number"} == {"head, realistic"}
    assert not [each for each in findings if each.label == "head, optimistic"]


def test_what_is_exactly_perfect_has_a_note() -> None:
    """OGB's evaluator gives it to scores that are not numbers."""
    adjusted = rankconst.adjust(read_document("a.csv", "MRR,Hits@1\n1.0,1.0\n"), dataset="nations")
    notes = [note.partition(":")[0] for note in adjusted.numbers.notes.values()]
    assert notes == ["an MRR of exactly 1"]
