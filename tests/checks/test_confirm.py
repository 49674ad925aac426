"""Numbers that contradict their ranking tasks are asked about, with the right ones; those that fit
are confirmed.
"""

import json
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest

from carried import open_once
from cases import for_each, take_turns
from rankconst.catalogue.metrics import parse_metric
from rankconst.checks import confirm_reading
from rankconst.checks.checking import check_reading
from rankconst.checks.confirm import Evidence, _name_others
from rankconst.errors import AskedError, DataError, UnknownNameError
from rankconst.evaluation import Address
from rankconst.results.adjusted import AdjustedReading
from rankconst.results.batches import adjust_reading
from rankconst.results.formats import read_document
from rankconst.tasks import Tasks
from rankconst.verdicts import find_floor
from readings import OPEN

TABLES = open_once()
MEAN = 3.251234567891


def adjust(text: str, user: Address = OPEN, name: str = "results.csv") -> AdjustedReading:
    """Adjust a document, whose numbers have to be those of its tasks."""
    reading = read_document(name, text)
    return adjust_reading(confirm_reading(reading, TABLES, user), TABLES, user)


def name(adjusted: AdjustedReading) -> set[str]:
    return {str(done.published.tasks) for done in adjusted.done}


def put(
    tasks: Tasks, value: float, *forms: str, metric: str = "mr", digits: int = 12
) -> dict[str, str]:
    """Print a value with its adjusted forms, by heading."""
    parsed, constants = parse_metric(metric), TABLES.look_up(tasks, parse_metric(metric))
    row = {parsed.label: f"{value:.{digits}g}"}
    return row | {
        parsed.name_of(form): f"{getattr(constants, form)(value):.{digits}g}" for form in forms
    }


def table(*rows: dict[str, str]) -> str:
    return "\n".join([",".join(rows[0]), *(",".join(row.values()) for row in rows)]) + "\n"


def test_an_adjusted_value_confirms_the_protocol_or_asks_for_it() -> None:
    """ComplEx on FB15k-237, as PyKEEN evaluates: Hoyt et al. 2022, arXiv:2203.07544."""
    text = "dataset,MR,AMRI\nFB15k-237,469.7251281738281,0.9343031751454628\n"
    with pytest.raises(
        AskedError, match=r"those of protocol pykeen, not of standard: add --protocol pykeen, or"
    ):
        adjust(text)
    assert name(adjust(text, Address(protocol="pykeen"))) == {"fb15k237/test/both/pykeen"}
    assert name(adjust(text, Address(accepted=("adjusted",)))) == {"fb15k237/test/both/standard"}


@pytest.mark.parametrize(
    ("tasks", "options"),
    [
        (Tasks("fb15k237", "raw"), "--protocol raw"),
        (Tasks("fb15k237", "pykeen", "valid"), "--split valid --protocol pykeen"),
        (Tasks("wn18rr", "libkge", "valid", "head"), "--split valid --side head --protocol libkge"),
        (Tasks("umls", "libkge", "train", "tail"), "--split train --side tail --protocol libkge"),
        (Tasks("nations", aggregation="macro-query"), "--aggregation macro-query"),
    ],
)
def test_numbers_of_all_that_a_name_can_say_are_asked_about_by_it(
    tasks: Tasks, options: str
) -> None:
    """One option answers, and then nothing is asked."""
    text, user = table(put(tasks, MEAN, "normalised", "index", "z")), Address(tasks.dataset)
    with pytest.raises(AskedError) as asked:
        adjust(text, user)
    (question,) = asked.value.questions
    assert question.option == options
    words = options.split()
    said: Any = {each[2:]: key for each, key in zip(words[::2], words[1::2], strict=True)}
    (constants,) = (done.constants for done in adjust(text, replace(user, **said)).done)
    assert constants.expectation == TABLES.look_up(tasks, parse_metric("mr")).expectation
    # Macro averages are not searched for.
    suggested = f": add --dataset {tasks.dataset} " if tasks.is_micro else "no dataset is named"
    with pytest.raises(DataError, match=suggested):
        adjust(text)


def test_a_question_names_the_choices() -> None:
    """And what is assumed, of every name in which one of them differs."""
    tasks = Tasks("umls")
    choices = [replace(tasks, side="head"), replace(tasks, protocol="raw")]
    question = _name_others(tasks, choices, Evidence(frozenset(), ()), declared=())
    assert question.text == "they are those of side head; protocol raw, not of both, standard"


UMLS = Tasks("umls")
TOLD = put(UMLS, MEAN, "index", "z")
SLIP = {"MR": "3.25", "AMRI": "0.91234567", "ZMR": "10.1234567"}
COARSE = put(Tasks("fb15k237"), 177.25, "normalised", digits=4)
STANDARD = Address(protocol="standard")
DISTMULT = (
    "dataset,hits@1,hits@3,hits@10\n"
    "dbpedia50,0.301909307875895,0.3613365155131265,0.3926014319809069\n"
)

# A table, what its user says, and the tasks of its numbers, or why they are not adjusted.
ANSWERS: list[tuple[str, Address, set[str] | str]] = [
    # PyKEEN's adjusted_hits_at_k may be of any k: it tells nothing, and is not checked.
    (table(put(Tasks("nations"), 4.25, "index") | {"hits_at_10": "0.9", "adjusted_hits_at_k": "0.1"}),
     Address("nations"), {"nations/test/both/standard"}),
    (table({"dataset": "umls"} | TOLD), OPEN, {"umls/test/both/standard"}),
    # Kinships, test, tail: of both sides ZMR would be 67.91.
    ("model,MR,AMRI,ZMR\nm,7.7086,0.858004,48.13143\n", Address("kinships"), "those of side tail, not of both"),
    ("model,MR,AMRI,ZMR\nm,7.7086,0.858004,48.13143\n", OPEN, "kinships tail: add --dataset kinships --side tail"),
    # What is too coarse to tell is of what is usual.
    (table({"dataset": "FB15k-237"} | COARSE), OPEN, {"fb15k237/test/both/standard"}),
    ("dataset,MRR,AMRR\nFB15k-237,0.338,0.3375\n", OPEN, {"fb15k237/test/both/standard"}),
    (table({"dataset": "wn18rr"} | TOLD), OPEN, "not those of wn18rr .* they are those of umls: add --dataset umls"),
    (table(TOLD), Address("umls", protocol="raw"), "protocol standard, not of raw: add --protocol standard"),
    # A number that fits nothing may be a slip.
    ("dataset,MR,AMR\nFB15k-237,177.25,0.0243123456\n", OPEN, r"AMR 0.024312346 does not belong to MR 177.25"),
    ("MR,AMR,num_tasks\n2.389925,0.500000,402\n", Address("nations"), r"expected 0.53375: .* pykeen-train\+test"),
    (table(SLIP), Address("umls", accepted=("adjusted",)), {"umls/test/both/standard"}),
    # Numbers of ranks.
    ("dataset,MRR,num_tasks\nwn18rr,0.4,5848\n", OPEN, "those of protocol pykeen, not of standard"),
    ("dataset,MRR,num_tasks\nwn18rr,0.4,5848\n", Address(protocol="pykeen"), {"wn18rr/test/both/pykeen"}),
    ("dataset,MRR,num_tasks\nwn18rr,0.4,5848\n", Address(accepted=("count",)), {"wn18rr/test/both/standard"}),
    ("dataset,MRR,num_tasks\nwn18rr,0.4,6268\n", OPEN, {"wn18rr/test/both/standard"}),
    ("dataset,MRR,num_tasks\nwn18rr,0.4,2924\n", OPEN, "those of side head, protocol pykeen; side tail, protocol pykeen, not of both, standard: add --side head --protocol pykeen or --side tail"),
    ("dataset,side,MRR,num_tasks\nwn18rr,both,0.4,2924\n", OPEN, "not of both, standard: add --accept count"),
    ("side,MRR,num_tasks\nboth,0.3307,20466\n", STANDARD, "those of fb15k237 head: add --dataset fb15k237[.,]"),
    ("dataset,MRR,num_tasks\nwn18rr,0.4,17\n", OPEN, "there are 6,268 ranks, not 17: add --relation NAME for each"),
    ("MRR,num_tasks\n0.3307,35070\n", STANDARD, "those of fb15k237 valid: add --dataset fb15k237 --split valid"),
    ("MRR,num_tasks\n0.3307,35071\n", STANDARD, "no dataset is named"),
    # The ranks of FB15k's validation set, or the triples of ConceptNet's training set.
    ("MRR,num_tasks\n0.3,100000\n", STANDARD, "those of conceptnet100k train"),
    ("split,MRR,num_tasks\nvalid,0.3,100000\n", STANDARD, "no dataset is named: add --dataset .dataset="),
    # Hits@k are fractions of the number of ranks: 1265, 1514 and 1645 of the 4,190 that PyKEEN has,
    # of DistMult in github.com/ffabious/pykeen-kge-bench, results/complete/benchmark_results.csv.
    (DISTMULT, OPEN, "fractions of the ranks of protocol pykeen, not of standard: add --protocol pykeen, or --accept count"),
    # No option overrules what the file declares.
    (DISTMULT.replace("hits@1,", "protocol,hits@1,", 1).replace("50,", "50,standard,", 1), OPEN,
     "fractions of the ranks of protocol pykeen, not of standard: add --accept count"),
    (DISTMULT, Address(protocol="pykeen"), {"dbpedia50/test/both/pykeen"}),
    (DISTMULT, Address(accepted=("count",)), {"dbpedia50/test/both/standard"}),
    # Of two runs, 2531 of 8,380 and so on, and rounded numbers may be of any.
    ("dataset,hits@1,hits@3,hits@10\ndbpedia50,0.302028639618138,0.3612171837708831,0.3927207637231504\n",
     OPEN, {"dbpedia50/test/both/standard"}),
    # A row may be left out: 0.5 may be a percentage.
    ("dataset,hits@1,hits@3\numls,0.5,0.6\ndbpedia50,30.1909307875895,36.13365155131265\n"
     "dbpedia50,30.1909307875895,36.13365155131265\n", Address(protocol="pykeen"), {"dbpedia50/test/both/pykeen"}),
    # A mean over graphs is not a fraction of the number of ranks.
    ("dataset,tool,hits@10,hits@1\nultra_inductive_e,ultra,0.5612345678,0.4123456789\n", OPEN, {"ultra_inductive_e/test/both/standard"}),
    ("dataset,hits@1,hits@3,hits@10\ndbpedia50,0.301909,0.361337,0.392601\n", OPEN, {"dbpedia50/test/both/standard"}),
]  # fmt: skip


@for_each(("text", "user", "expected"), ANSWERS)
def test_there_is_one_address_or_a_question(
    text: str, user: Address, expected: set[str] | str
) -> None:
    """And check asks the same."""
    found = check_reading(read_document("results.csv", text), TABLES, user)
    if isinstance(expected, str):
        with pytest.raises(DataError, match=expected) as error:
            adjust(text, user)
        assert [str(each) for each in found.asked] == [str(each) for each in error.value.questions]
    else:
        assert name(adjust(text, user)) == expected
        assert (found.num_errors, found.asked) == (0, ())


def test_rows_that_differ_are_asked_about_alone() -> None:
    """An option would move the other rows, too."""
    sides = ("both", "tail")
    rows = [put(Tasks("umls", side=side), MEAN, "index", "z") for side in sides]
    adjusted = adjust(table(*rows), Address("umls"))
    assert name(adjusted) == {"umls/test/both/standard"}
    (question,) = adjusted.asked
    assert question.option == "--side tail, or where rows differ a column side"
    told = [{"side": side} | row for side, row in zip(sides, rows, strict=True)]
    expected = {f"umls/test/{side}/standard" for side in sides}
    assert name(adjust(table(*told), Address("umls"))) == expected


def test_tasks_that_are_in_no_table_can_be_built() -> None:
    """Before 1.5, PyKEEN did not remove the answers of the validation set."""
    old = read_document("results.json", '{"metrics": {"mean_rank": {"both": {"avg": 3.5}}}}')
    with pytest.raises(
        UnknownNameError, match=r"Build them: rankconst build nations -p pykeen-train\+test"
    ):
        adjust_reading(confirm_reading(old, TABLES, Address("nations")), TABLES, Address("nations"))
    assert not check_reading(old, TABLES, Address("nations")).num_errors


# -- random ranks of some relations, or among equally many candidates ------------------------------


def list_counts(*relations: str, split: str = "test") -> dict[str, list[int]]:
    """Return the number of candidates of each task of Nations, by side."""
    known: Any = {"split": split, "protocol": "pykeen", "relations": relations or None}
    find = partial(TABLES.histogram, "nations", **known)
    histograms = {side: find(side=side) for side in ("head", "tail")}
    sides = {
        side: np.repeat(each.num_candidates, each.num_tasks).tolist()
        for side, each in histograms.items()
    }
    return sides | {"both": sides["head"] + sides["tail"]}


def describe(counts: list[int], rng: np.random.Generator) -> dict[str, float]:
    """Return what PyKEEN writes of random ranks, its adjusted values from plain sums over the
    tasks.
    """
    ranks = np.array([rng.integers(1, n, endpoint=True) for n in counts])
    mr, mrr = float(ranks.mean()), float((1 / ranks).mean())
    by_rank = sum((n + 1) / 2 for n in counts) / len(counts)
    by_reciprocal = sum(sum(1 / j for j in range(1, n + 1)) / n for n in counts) / len(counts)
    return {
        "count": float(len(counts)),
        "inverse_harmonic_mean_rank": mrr,
        "arithmetic_mean_rank": mr,
        "adjusted_inverse_harmonic_mean_rank": (mrr - by_reciprocal) / (1 - by_reciprocal),
        "adjusted_arithmetic_mean_rank": mr / by_rank,
    }


def write(sides: dict[str, list[int]]) -> str:
    rng = np.random.default_rng(3)
    metrics = {side: {"realistic": describe(each, rng)} for side, each in sides.items()}
    return json.dumps({"metrics": metrics})


NATIONS, THREE = Address("nations"), ("embassy", "exports3", "treaties")

# Numbers of candidates by side, what the user says, and the tasks that are confirmed, or what is
# asked.
FILES: list[tuple[dict[str, list[int]], Address, list[str] | str]] = [
    (list_counts(), NATIONS, ["nations/test/{}/pykeen"]),
    (list_counts(split="valid"), NATIONS, "those of split valid, not of test: add --split valid, or"),
    (list_counts(split="valid"), replace(NATIONS, split="valid"), ["nations/valid/{}/pykeen"]),
    (list_counts(*THREE), OPEN, "no dataset is named"),
    (list_counts(*THREE), NATIONS, "not those of nations test under pykeen: .*: add --relation NAME for each"),
    (list_counts(*THREE), replace(NATIONS, relations=THREE), [f"nations/test/{{}}/pykeen ({', '.join(THREE)})"]),
    # All tasks have as many candidates.
    ({"both": [6] * 402}, OPEN, "no dataset is named"),
    ({"both": [6] * 402}, NATIONS, "not those of nations test under pykeen: .*: add --protocol sampled:M if"),
    ({"both": [6] * 402}, replace(NATIONS, protocol="sampled:5"), ["nations/test/{}/sampled:5"]),
    ({"both": [6] * 402}, replace(NATIONS, protocol="sampled:4"), "not those of nations test under sampled:4"),
    ({"both": [6] * 398}, replace(NATIONS, protocol="sampled:5"), "those of split valid, not of test"),
    ({"both": [6] * 402}, Address(protocol="sampled:5"), ["402 tasks/both/sampled:5"]),
    ({"both": [6] * 402}, Address(protocol="sampled:4"), "not those of sampled:4: AMRR .* does not belong to MRR"),
    # Numbers have to be those of what is named.
    (list_counts("embassy"), replace(NATIONS, relations=("treaties",)), "there are 8 ranks, not 36"),
    ({"both": [6] * 36}, replace(NATIONS, relations=("embassy",)), "not those of nations test under pykeen"),
]  # fmt: skip


@for_each(("sides", "user", "expected"), FILES)
def test_what_is_confirmed_or_asked(
    sides: dict[str, list[int]], user: Address, expected: list[str] | str
) -> None:
    if isinstance(expected, str):
        with pytest.raises(DataError, match=expected):
            adjust(write(sides), user, "results.json")
    else:
        found = adjust(write(sides), user, "results.json")
        assert name(found) == {each.format(side) for each in expected for side in sides}


@pytest.mark.parametrize(
    ("seed", "user"), take_turns(range(3), [NATIONS, Address("nations", "valid")])
)
def test_some_other_part_of_the_split_is_asked_about(seed: int, user: Address) -> None:
    rng, whole = np.random.default_rng(seed), list_counts()
    sides = {side: rng.choice(whole[side], 12, replace=False).tolist() for side in ("head", "tail")}
    sides["both"] = sides["head"] + sides["tail"]
    with pytest.raises(AskedError, match="its numbers are not those of nations"):
        adjust(write(sides), user, "results.json")


def test_a_random_ranker_among_sampled_candidates() -> None:
    """PyKEEN 1.11.1, its sampled evaluator with 10 negatives on Kinships."""
    values = {
        "adjusted_arithmetic_mean_rank_index": -0.008938503265380815,
        "adjusted_inverse_harmonic_mean_rank": -0.002127285521737965,
        "arithmetic_mean_rank": 6.044692516326904,
        "count": 2148.0,
        "inverse_harmonic_mean_rank": 0.27299103140830994,
    }
    text = json.dumps({f"both.realistic.{name}": value for name, value in values.items()})
    with pytest.raises(AskedError, match="add --protocol sampled:M if candidates were sampled"):
        adjust(text, Address("kinships"), "results.json")
    for dataset in (None, "kinships"):
        adjusted = adjust(text, Address(dataset, protocol="sampled:10"), "results.json")
        (index, _) = (done.adjust().index for done in adjusted.done)
        assert index == pytest.approx(values["adjusted_arithmetic_mean_rank_index"], rel=1e-6)
        # Of sampled candidates, counting has no constants.
        assert [find_floor(done, TABLES) for done in adjusted.done] == [None, None]


def test_values_by_relation_are_held_against_the_relation() -> None:
    """ExpressivE's result.json, which PyKEEN wrote: relation to values, with a key that PyKEEN's
    own files lack.
    """
    values = {
        "both.realistic.arithmetic_mean_rank": 503.6607142857143,
        "both.realistic.adjusted_arithmetic_mean_rank": 0.024836270376770754,
        "both.realistic.rank_std": 1.0,
    }
    text = json.dumps({"_also_see": values})
    with pytest.raises(
        AskedError, match="those of protocol pykeen, not of standard: add --protocol pykeen"
    ):
        adjust(text, Address("wn18rr"), "result.json")
