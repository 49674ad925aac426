"""Two laws of every container that results come in, and how many plain sentences are understood or asked about.

A number whose texts hold a word of another address that nothing has declared is never adjusted at
the default address; and the address of a number does not depend on the container that holds its
labels and texts.
"""

import csv
import dataclasses
import tomllib
from collections import Counter
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from cases import choose, for_each
from rankconst.results.vocabulary import VOCABULARY, Word
from results.containers import FIRST, PLACES, Numbers, find_addresses

PLAIN = "fb15k237/test/both/standard"
DATASET = {"Dataset": "FB15k-237"}

# Where a text of each scope stands; a heading above the nearest one asks about parts, candidates,
# ties and other tasks alone.
_PLACES = {
    "column": {"column"},
    "row": {"cell", "key", "group"},
    "name": {"name"},
    "metric": {"column"},
    "text": {"caption", "above", "heading", "below", "file"},
    "alone": set[str](),
    "beside": set[str](),
    "names": set[str](),
    "title": set[str](),
}
# Fields that a label of nothing but vocabulary may settle; no label settles the others.
_DECLARED = {"split", "side", "protocol", "rank_type", "aggregation"}


def _list_places(word: Word) -> frozenset[str]:
    """Return the places where a word is asked about."""
    places = set[str]().union(*(_PLACES[scope] for scope in word.scopes))
    if word.field in {"part", "protocol", "rank_type", "task"} and "text" in word.scopes:
        places.add("farther")
    # Of a path, only the last part is the file's name; and a merged file may be of any graph.
    if "/" in word.text or word.text in {"merge", "merged"}:
        places -= {"file"}
    return frozenset(places)


_FRAMES = (
    "{}",
    "{} results",
    "See {} in Section 4",
    "As one would expect, everything that you find here was produced with the code of the "
    "first author on {}, and it "
    "took three days.",
)
_CASES = (str.lower, str.upper, str.capitalize)


class Asking(NamedTuple):
    """A text that holds a word of a field, and where it is."""

    container: str
    place: str
    field: str
    text: str


@st.composite
def _asking(draw: st.DrawFn) -> Asking:
    # FB15k-237 is transductive and ranks all entities, which answers these words.
    known = {"transductive", "full"}
    words = [word for word in VOCABULARY.lexicon.values() if word.kind not in known]
    words = [word for word in words if _list_places(word)]  # some ask only where they stand alone
    word = draw(st.sampled_from(words))
    container = draw(
        st.sampled_from([name for name, places in PLACES.items() if places & _list_places(word)])
    )
    place = draw(st.sampled_from(sorted(PLACES[container] & _list_places(word))))
    written = draw(st.sampled_from(_CASES))(word.text)
    return Asking(container, place, word.field, draw(st.sampled_from(_FRAMES)).format(written))


@pytest.mark.slow
@settings(max_examples=choose(25, 600))
@example(Asking("markdown", "below", "protocol", "raw"))
@given(_asking())
def test_a_number_with_a_word_that_nothing_has_declared_is_never_adjusted(asking: Asking) -> None:
    numbers = Numbers(labels=DATASET, texts={asking.place: asking.text})
    address = find_addresses(numbers, asking.container)[FIRST]
    assert address is None or (asking.field in _DECLARED and address != PLAIN), address


OPTIONS = {
    "split": ("train", "valid", "test"),
    "side": ("head", "tail", "both"),
    "protocol": ("raw", "standard", "pykeen", "sampled:50"),
    "aggregation": ("micro", "macro-query", "macro-relation"),
}


class Against(NamedTuple):
    """A text that says one value of a field, and an option with another."""

    asking: Asking
    value: str


@st.composite
def _against(draw: st.DrawFn) -> Against:
    """A word that says a value, alone or among others, in a place where it is asked about."""
    words = [word for word in VOCABULARY.lexicon.values() if word.says and word.field in OPTIONS]
    words = [word for word in words if not word.kind]
    word = draw(st.sampled_from(words))
    container = draw(
        st.sampled_from([name for name, places in PLACES.items() if places & _list_places(word)])
    )
    place = draw(st.sampled_from(sorted(PLACES[container] & _list_places(word))))
    assume(place != "file" or "/" not in word.text)  # which would be a folder
    others = [value for value in OPTIONS[word.field] if not value.startswith(word.says)]
    text = draw(st.sampled_from(_FRAMES)).format(draw(st.sampled_from(_CASES))(word.text))
    return Against(Asking(container, place, word.field, text), draw(st.sampled_from(others)))


@pytest.mark.slow
@settings(max_examples=choose(25, 600))
@example(Against(Asking("csv", "cell", "side", "we rank the tail entities"), "head"))
@example(Against(Asking("json", "above", "split", "Measured on the dev set"), "test"))
@example(Against(Asking("latex", "caption", "protocol", "raw"), "standard"))
@example(Against(Asking("csv", "cell", "protocol", "pykeen"), "standard"))
@given(_against())
def test_no_option_overrules_what_the_texts_of_a_number_say(against: Against) -> None:
    container, place, field, text = against.asking
    numbers = Numbers(labels=DATASET, texts={place: text})
    assert find_addresses(numbers, container, **{field: against.value})[FIRST] is None


@pytest.mark.slow
@for_each("container", PLACES)
def test_an_option_changes_no_number_that_declares_another_value(container: str) -> None:
    for heading, declared, option in (
        ("Split", "valid", "test"),
        ("Side", "tail", "both"),
        ("Protocol", "raw", "pykeen"),
    ):
        numbers = Numbers(labels={**DATASET, heading: declared})
        assert {*find_addresses(numbers, container, **{heading.lower(): option}).values()} == {None}
    assert {*find_addresses(Numbers(labels=DATASET), container, dataset="wn18rr").values()} == {
        None
    }


_LABELS = {
    "Dataset": ("FB15k-237", "WN18RR", "fb15k237"),
    "Split": ("test", "valid", "validation", "dev"),
    "Side": ("head", "tail", "both"),
    "Protocol": ("raw", "filtered"),
}
_COMPARED = ("csv", "markdown", "latex", "workbook", "json", "jsonl", "frame")


@st.composite
def _labelled(draw: st.DrawFn) -> Numbers:
    """Numbers with labels and texts, of which one at most is around the table: JSON has no order of
    those.
    """
    labels: dict[str, str] = {}
    texts: dict[str, list[str]] = {}
    around = draw(st.sampled_from(["caption", "heading", "below", "file"]))
    places = st.sampled_from([around, "column", "name", "cell"])
    for heading, values in _LABELS.items():
        value = draw(st.sampled_from(values))
        where = draw(st.sampled_from(["", "label", "text"]))
        if where == "label" or (heading == "Dataset" and not where):
            labels[heading] = value
        elif where:
            texts.setdefault(draw(places), []).append(value)
    if draw(st.booleans()):
        texts.setdefault(draw(places), []).append(draw(_asking()).text)
    return Numbers(labels=labels, texts={place: " ".join(parts) for place, parts in texts.items()})


@pytest.mark.slow
@settings(max_examples=choose(15, 300))
@example(Numbers(labels=DATASET, texts={"caption": "valid"}))
@given(_labelled())
def test_the_address_of_a_number_does_not_depend_on_its_container(numbers: Numbers) -> None:
    found = {
        name: find_addresses(numbers, name)
        for name in _COMPARED
        if PLACES[name] >= numbers.texts.keys()
    }
    assert all(addresses == next(iter(found.values())) for addresses in found.values()), found


class Sentence(NamedTuple):
    """What someone wrote beside numbers on FB15k-237; no field if it says nothing of their address."""

    sentence: str
    field: str
    word: str
    means: str

    @property
    def address(self) -> str | None:
        """The address that it says, if one can be written."""
        if not self.means:
            return None
        field, value = self.means.split("=")
        said = {"split": "test", "side": "both", "protocol": "standard"} | {field: value}
        address = f"fb15k237/{said['split']}/{said['side']}/{said['protocol']}"
        ends = {"aggregation": f"/{value}", "rank_type": f" {value}"}
        return address + ends.get(field, "")


with Path(__file__).with_name("sentences.csv").open(encoding="utf-8", newline="") as file:
    _SENTENCES = [Sentence(**row) for row in csv.DictReader(file)]
_TELLING = [each for each in _SENTENCES if each.field]
_HARMLESS = [each for each in _SENTENCES if not each.field]


def _adjust(sentence: Sentence) -> str | None:
    """Return the address of the first number below a sentence, the dataset in the heading above."""
    numbers = Numbers(texts={"heading": "FB15k-237", "above": sentence.sentence})
    return find_addresses(numbers, "markdown")[FIRST]


def _list(what: str, sentences: list[Sentence]) -> str:
    return "\n".join(
        [f"{len(sentences)} {what}:", *(f"{each.field}: {each.sentence}" for each in sentences)]
    )


def test_a_sentence_in_another_language_is_never_passed_over() -> None:
    foreign = [each for each in _TELLING if each.field == "language"]
    assert [each.sentence for each in foreign if _adjust(each) is not None] == []
    harmless = [each for each in _HARMLESS if not each.sentence.isascii()]
    assert [each.sentence for each in harmless if _adjust(each) != PLAIN] == []


@pytest.mark.slow
def test_few_sentences_that_tell_of_other_tasks_are_passed_over_in_silence() -> None:
    silent = [each for each in _TELLING if _adjust(each) not in {None, each.address}]
    assert len(silent) <= 0.08 * len(_TELLING), _list("silent", silent)


@pytest.mark.slow
def test_few_sentences_that_say_nothing_are_asked_about() -> None:
    asked = [each for each in _HARMLESS if _adjust(each) != PLAIN]
    assert len(asked) <= 0.08 * len(_HARMLESS), _list("asked", asked)


def test_the_lexicon_has_no_misspelled_keys() -> None:
    text = files("rankconst.results").joinpath("vocabulary.toml").read_text(encoding="utf-8")
    known = {"words", *(field.name for field in dataclasses.fields(Word))}
    for groups in tomllib.loads(text)["lexicon"].values():
        for group in groups:
            assert {"words", "reason"} <= group.keys() <= known


def test_the_sentences_are_many_and_of_every_field() -> None:
    fields = Counter(each.field for each in _TELLING)
    assert set(fields) == {word.field for word in VOCABULARY.lexicon.values()} - {"metric"}
    assert min(fields[field] for field in ("split", "side", "protocol", "part", "task")) >= 6
    assert min(len(_TELLING), len(_HARMLESS)) >= 60
    assert len({each.sentence for each in _SENTENCES}) == len(_SENTENCES)
    for each in _TELLING:
        assert each.word.casefold() in each.sentence.casefold()
        assert 3 <= len(each.sentence.split()) <= 35 or not each.sentence.isascii()


@for_each("container", PLACES)
def test_without_a_text_the_address_is_that_of_the_labels(container: str) -> None:
    assert set(find_addresses(Numbers(labels=DATASET), container).values()) == {PLAIN}
    labels = {"Dataset": "WN18RR", "Split": "valid", "Side": "tail"}
    assert set(find_addresses(Numbers(labels=labels), container).values()) == {
        "wn18rr/valid/tail/standard"
    }
