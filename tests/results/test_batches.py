"""Whole files adjusted: every number as it is alone, and a reason for those that are not."""

import re
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

import rankconst
from cases import for_each
from growth import grows_in_proportion
from rankconst.catalogue.metrics import parse_metric
from rankconst.checks.checking import check_reading
from rankconst.errors import AskedError, DataError, UnknownNameError
from rankconst.evaluation import Address, Question, describe_assumed
from rankconst.results.batches import adjust_reading
from rankconst.results.formats import read_document
from rankconst.results.reading import Entry, Reading, make_entries

TABLES = rankconst.load()


def make(*cells: tuple[str, str, Address]) -> Reading:
    """A long reading of (metric, text, context)."""
    entries = [
        Entry(parse_metric(metric), text, row, "value", row + 2, context)
        for row, (metric, text, context) in enumerate(cells)
    ]
    rows = tuple({"metric": metric, "value": text} for metric, text, _ in cells)
    return Reading("results.csv", "csv", "long", ("metric", "value"), rows, make_entries(entries))


DEV = Question("split", "measured on the dev set", "dev", "the caption", "--split valid")
WHICH = Question(
    "dataset", "it may be of Nations or UMLS", option="--dataset", choices=("Nations", "UMLS")
)


HARMLESS = "if it says nothing about these numbers"


@pytest.mark.parametrize(
    ("in_python", "ways"),
    [
        (False, f"--split valid for all 4 numbers, or --accept dev=valid for these, or --accept dev {HARMLESS}"),
        (True, f'split="valid" for all 4 numbers, or accept=["dev=valid"] for these, or accept=["dev"] {HARMLESS}'),
    ],
)  # fmt: skip
def test_what_is_asked_waits_for_an_answer_and_the_rest_is_adjusted(
    in_python: bool, ways: str
) -> None:
    plain, asked = Address("nations"), Address("nations", questions=(DEV,))
    which = Address(questions=(WHICH,))
    reading = make(
        ("mrr", "0.5", asked), ("mrr", "0.5", plain), ("mr", "3.0", asked), ("mrr", "0.4", which)
    )
    done = adjust_reading(reading, TABLES, Address(), in_python=in_python)
    assert [each.adjusted is not None for each in done.entries] == [False, True, False, False]
    first, second = done.asked
    assert first == replace(DEV, numbers=(0, 2), total=4, in_python=in_python)
    assert first.remedy == ways
    assert (second.text, second.numbers) == (WHICH.text, (3,))
    note = f'"dev" in the caption, "measured on the dev set": add {ways}.'
    assert done.entries[2].note == note
    assert done.last_columns["note"] == [note, None, note, f"{second}."]
    with pytest.raises(AskedError, match="dev") as refused:
        adjust_reading(reading, TABLES, Address(), errors="raise", in_python=in_python)
    assert (refused.value.questions, refused.value.exit_code) == (done.asked, 8)
    assert done.answers["asked"] == [[first.to_dict()], None, [first.to_dict()], [second.to_dict()]]
    assumed = {"split": "test", "side": "both", "protocol": "standard"}
    assert done.answers["assumed"] == [None, assumed, None, None]
    assert done.assumed == {name: (value,) for name, value in assumed.items()}


def test_an_answer_lets_numbers_go_on() -> None:
    asked = ("mrr", "0.5", Address("nations", questions=(DEV,)))
    reading = make(asked, ("mrr", "0.5", Address("nations")))
    valid = adjust_reading(reading, TABLES, Address(split="valid"))
    assert {each.published.tasks.split for each in valid.done} == {"valid"}
    assert not valid.asked
    assert not valid.accepted
    assert "split" not in valid.assumed
    accepted = adjust_reading(reading, TABLES, Address(accepted=("DEV", "foo")))
    assert {each.published.tasks.split for each in accepted.done} == {"test"}
    assert accepted.accepted == ("dev",)
    assert [row.get("accepted") for row in accepted.answers["assumed"]] == ["dev", None]
    only = make(asked, ("mrr", "0.5", Address("atlantis")))
    with pytest.raises(UnknownNameError, match="atlantis") as refused:  # not all of it is asked
        adjust_reading(only, TABLES, Address())
    assert [question.word for question in refused.value.questions] == ["dev"]
    with pytest.raises(AskedError, match="--split valid"):
        adjust_reading(only, TABLES, Address(), errors="raise")
    assert adjust_reading(only, TABLES, Address(), errors="note").done == ()


def test_a_file_without_adjusted_numbers_has_no_sentence() -> None:
    results = {"mrr": "0.5", "dataset": "atlantis"}
    assert rankconst.adjust(results, errors="note").sentence == ""


def test_how_ties_and_tasks_count_is_said_where_others_say_another() -> None:
    plain = Address("nations")
    stated = (
        plain,
        replace(plain, rank_type="optimistic"),
        replace(plain, aggregation="macro-query"),
    )
    reading = make(*(("mrr", "0.5", each) for each in stated))
    done = adjust_reading(reading, TABLES, Address("nations", "test", "both"))
    assert describe_assumed(done.assumed) == "standard protocol, micro average, realistic ranks"
    assert done.answers["assumed"][1] == {"protocol": "standard", "aggregation": "micro"}


@pytest.mark.parametrize("name", ["fb15k-237_rotate.json", "runs/WN18RR/best.log"])
def test_the_name_of_a_file_suggests_a_dataset_and_settles_none(name: str) -> None:
    reading = replace(make(("mrr", "0.5", Address())), name=name)
    dataset = "fb15k-237" if name.startswith("fb") else "WN18RR"
    with pytest.raises(
        DataError, match=rf"add --dataset .* The name of the file suggests --dataset {dataset}\.$"
    ):
        adjust_reading(reading, TABLES, Address())


def test_what_the_user_asks_for_must_be_there() -> None:
    reading = make(("mrr", "0.5", Address("nations")))
    with pytest.raises(DataError, match=r"you asked for\. It has metrics MRR; datasets nations\."):
        adjust_reading(reading, TABLES, Address(dataset="umls"))
    adjusted = read_document("results.csv", "model,dataset,AMRR\nA,nations,0.3\n")
    with pytest.raises(DataError, match=r"only adjusted numbers\. Name the document"):
        adjust_reading(adjusted, TABLES, Address())


@for_each(
    ("user", "places"),
    [
        (Address(side="both"), [1, 3]),
        (Address(dataset="umls"), [2, 3]),
        (Address(dataset="Nations", side="left"), [0]),
        (Address(), [0, 1, 2, 3]),
    ],
)
def test_only_some_sides_and_datasets(user: Address, places: list[int]) -> None:
    contexts = [
        Address(name, side=side) for name in ("nations", "UMLS") for side in ("head", "both")
    ]
    done = adjust_reading(make(*(("mrr", "0.5", each) for each in contexts)), TABLES, user)
    adjusted = [place for place, each in enumerate(done.entries) if each.adjusted is not None]
    assert adjusted == np.flatnonzero(done.wanted).tolist() == places
    assert done.is_selection == (len(places) < 4)


def test_fractions_are_not_taken_for_percentages() -> None:
    context, user = Address("fb15k237"), Address(percent=True)
    mixed = make(("hits@10", "53.3", context), ("mrr", "0.338", context), ("mr", "177", context))
    done = adjust_reading(mixed, TABLES, user).entries
    assert [each.published and each.published.value for each in done] == [0.533, None, 177.0]
    assert done[1].note.startswith("every MRR is at most 1, as fractions are.")
    with pytest.raises(DataError, match=r"line \d, value: every MRR is at most 1.*Hits@10 \(%\)"):
        adjust_reading(make(("mrr", "0.338", context), ("mrr", "1", context)), TABLES, user)
    good = make(("hits@10", "53.3", context), ("hits@10", "0.9", context), ("mrr", "34%", context))
    done = adjust_reading(good, TABLES, user).entries
    assert [each.published and each.published.value for each in done] == [0.533, 0.009, 0.34]
    # All of a column may be open: 1.465 may be a percentage.
    text = "dataset,MRR,Hits@10\nfb15k237,0.294,1.465\nfb15k237,0.338,0.533\n"
    done = adjust_reading(read_document("results.csv", text), TABLES, Address()).entries
    assert [each.published and each.published.value for each in done] == [0.294, 0.338]


def test_sampled_tasks_are_as_many_as_the_file_counts() -> None:
    (each,) = adjust_reading(
        make(("mrr", "0.5", Address("ogbl-biokg", num_tasks=100))), TABLES, Address()
    ).entries
    assert each.constants is not None
    assert each.constants.num_tasks == 100
    assert each.constants.variance == pytest.approx(
        TABLES.constants("ogbl-biokg", "mrr", protocol="sampled:500").variance * 325_740 / 100
    )


def test_an_impossible_number_is_left_out() -> None:
    reading = make(*(("mrr", text, Address("nations")) for text in ("0.5", "53.3", "0.6", "1.7")))
    done = adjust_reading(reading, TABLES, Address())
    assert [each.adjusted is not None for each in done.entries] == [True, False, True, False]
    assert "53.3 is not a possible MRR" in done.entries[1].note
    assert "1.7 is not a possible MRR" in done.entries[3].note
    with pytest.raises(
        DataError, match=r"^results\.csv, line 3, value: 53\.3 is not a possible MRR.* And 1 more"
    ):
        adjust_reading(reading, TABLES, Address(), errors="raise")
    with pytest.raises(DataError, match=r"1\.7 is not a possible MRR"):  # as nothing is left
        adjust_reading(make(("mrr", "1.7", Address("nations"))), TABLES, Address())


def test_the_first_hits_that_fall_are_named_with_the_largest_before() -> None:
    numbers = {"hits@1": "0.30", "hits@3": "0.50", "hits@5": "0.40", "hits@10": "0.20"}.items()
    reading = make(*((metric, text, Address("umls")) for metric, text in numbers))
    entries = adjust_reading(reading, TABLES, Address(), errors="note").entries
    (note,) = {each.note for each in entries}
    assert note.startswith("Hits@5 0.40 is less than Hits@3 0.50 of the same evaluation")


def test_hits_that_an_evaluation_lacks_hide_no_contradiction() -> None:
    """Of another model, Hits@3 are known."""
    cells = [("a", "hits@1", "0.30"), ("a", "hits@3", "0.40"), ("b", "hits@1", "0.50")]
    cells.append(("b", "hits@10", "0.40"))
    numbers = [(metric, text, Address("umls", model=model)) for model, metric, text in cells]
    notes = adjust_reading(make(*numbers), TABLES, Address()).notes
    assert list(notes) == [2, 3]
    assert notes[2].startswith("Hits@10 0.40 is less than Hits@1 0.50 of the same evaluation")


def test_numbers_of_ranks_contradict_each_other_never() -> None:
    rng = np.random.default_rng(7)
    cells: list[tuple[str, str, Address]] = []
    for number in range(40):
        # Where scores tie, a rank may be half a rank beyond another.
        ranks = rng.integers(1, rng.integers(2, 30), size=5) + rng.integers(0, 2, size=5) / 2
        context = Address("umls", side="head", model=str(number))
        shares = {f"hits@{k}": np.mean(ranks <= k) for k in (1, 2, 3, 10)} | {
            "mrr": np.mean(1 / ranks)
        }
        cells += [(metric, f"{share:.2f}", context) for metric, share in shares.items()]
    # Those of several evaluations that nothing tells apart are compared with none: not the largest
    # MRR with the smallest shares of hits.
    mixed = [(metric, text, Address("umls")) for metric, text, _ in cells]
    mixed.sort(key=lambda cell: float(cell[1]) if cell[0] == "mrr" else -float(cell[1]))
    for numbers in (cells, mixed):
        done = adjust_reading(make(*numbers), TABLES, Address())
        assert not any("no ranks allow" in each.note for each in done.entries)


def test_adjust_and_check_withhold_the_same_evaluations() -> None:
    """Ranks with one printed number replaced; what adjust names is what check names."""
    rng = np.random.default_rng(5)
    cells: list[tuple[str, str, Address]] = []
    for number in range(400):
        ranks = 1 + rng.geometric(rng.uniform(0.05, 0.9), size=8) - rng.integers(0, 2, size=8)
        shares = {f"hits@{k}": float(np.mean(ranks <= k)) for k in (1, 3, 10)}
        numbers = {**shares, "mrr": float(np.mean(1 / ranks)), "mr": float(np.mean(ranks))}
        slip = rng.choice([*numbers])
        # None is impossible by itself: the worst ranker has 0.036 Hits@10.
        other = rng.uniform(0.05, 1)
        numbers = {key: max(value, 0.05) for key, value in numbers.items()}
        numbers[slip] = numbers[slip] * (0.5 + other / 2) if slip == "mr" else other
        numbers["mr"] = max(numbers["mr"], 1.0)
        # Of a protocol that is assumed, check tries a wider one, too.
        context = Address("umls", side="head", protocol="standard", model=str(number))
        cells += [(metric, f"{value:.3f}", context) for metric, value in numbers.items()]
    reading = make(*cells)
    notes = adjust_reading(reading, TABLES, Address()).notes
    withheld = {place // 5 for place, note in notes.items() if "no ranks allow" in note}
    blamed: dict[int, set[str]] = {}
    laws = {"hits-monotone", "mrr-from-hits", "mr-from-hits", "mr-from-mrr"}
    for finding in check_reading(reading, TABLES).findings:
        if finding.severity == "error" and finding.rule in laws:
            number = int(finding.values[0].entry.context.model or "")
            named = {f"{m.label} {m.entry.text}" for m in finding.values}
            blamed.setdefault(number, set()).update(named)
    assert withheld == {*blamed}
    assert 100 < len(withheld) < 300
    for number, named in blamed.items():
        own = {notes[place] for place in range(5 * number, 5 * number + 5)}
        words = {word for note in own for word in re.findall(r"(?:MRR?|Hits@\d+) [\d.]+\d", note)}
        assert words <= named


@pytest.mark.slow
def test_contradictions_are_found_in_proportion_to_the_file() -> None:
    def work(size: int) -> Callable[[], object]:
        rows = "umls,0.50,0.40\numls,0.3,0.4\n" * size
        reading = read_document("a.csv", f"dataset,Hits@1,Hits@10\n{rows}")
        notes = adjust_reading(reading, TABLES, Address()).notes.values()
        assert sum("no ranks allow" in note for note in notes) > size
        return lambda: adjust_reading(reading, TABLES, Address())

    assert grows_in_proportion(work, 300)


def test_a_form_that_is_undefined_has_a_note() -> None:
    """ConvE leaves out 146 of the 402 ranks of Nations: those left may all have at most ten
    candidates.
    """
    context = Address("nations", tool="conve")
    hits, mrr = adjust_reading(
        make(("hits@10", "1.000", context), ("mrr", "0.82", context)), TABLES, Address()
    ).entries
    assert hits.adjusted is not None and hits.adjusted.index is None
    assert hits.note.startswith(
        "AH@10 and ZH@10 cannot be computed: which 256 of the 402 tasks were ranked is unknown"
    )
    assert mrr.adjusted is not None and mrr.adjusted.index is not None and not mrr.note


def test_columns_are_named_like_the_original_ones() -> None:
    text = """\\begin{tabular}{lrrr}
 & \\multicolumn{2}{c}{Nations} & UMLS \\\\
model & MRR $\\uparrow$ & Hits@10 (\\%) & MRR \\\\
A & 0.5 & 97 & 0.7 \\\\
\\end{tabular}
"""
    reading = read_document("paper.tex", text)
    done = replace(adjust_reading(reading, TABLES, Address()), details=True)
    names = [block.names["index"] for block in done.blocks.values()]
    assert names == ["Nations / AMRR", "Nations / AH@10", "UMLS / AMRR"]
    # One row holds both: what differs is in columns for each.
    row = {key: values[0] for key, values in done.last_columns.items()}
    assert row == {
        "Nations / MRR_dataset": "nations",
        "Nations / Hits@10_dataset": "nations",
        "UMLS / MRR_dataset": "umls",
        "split": "test",
        "side": "both",
        "protocol": "standard",
        "Nations / MRR_num_tasks": 402,
        "Nations / Hits@10_num_tasks": 402,
        "UMLS / MRR_num_tasks": 1322,
        "table_version": TABLES.version,
        "note": None,
    }


@for_each(
    "heading",
    ["model,MRR,Note", "model,MRR,amrr,ZMRR_Upper", "Value,metric,Z", "MRR,Index,PROTOCOL"],
)
def test_no_two_columns_differ_in_nothing_but_case(heading: str) -> None:
    row = {"metric": "mrr", "protocol": "standard"}
    cells = [row.get(name.lower(), "0.5") for name in heading.split(",")]
    reading = read_document("r.csv", f"{heading}\n{','.join(cells)}\n")
    user = Address("nations")
    table = replace(adjust_reading(reading, TABLES, user), details=True).table
    assert len({name.lower() for name in table}) == len(table)


@pytest.mark.parametrize(
    ("rows", "user", "added"),
    [
        (("a,Nations,testing,0.5", "b,umls,test,0.6"), Address(), []),
        (("a,Nations,testing,0.5", "b,,test,0.6"), Address("nations"), ["dataset_added"]),
        (("a,Nations,,0.5", "b,Nations,test,0.6"), Address(), ["split_added"]),
    ],
)
def test_what_the_file_says_in_any_words_is_not_said_again(
    rows: tuple[str, ...], user: Address, added: list[str]
) -> None:
    text = "\n".join(["model,Dataset,split,MRR", *rows])
    brief = adjust_reading(read_document("r.csv", text), TABLES, user)
    described = replace(brief, details=True).last_columns
    assert list(described) == [*added, "side", "protocol", "num_tasks", "table_version", "note"]
    assert list(brief.last_columns) == [
        *(name for name in added if name != "split_added"),
        "protocol",
        "note",
    ]
    assert all(described[name][1] in {"nations", "test"} for name in added)
