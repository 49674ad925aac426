"""Read the names of models: what is spelled like one, and what in a name is about its numbers.

"RotatE (50 neg)" is a model and words to ask about, and "RotatE on v1" names a part of its data.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from rankconst.catalogue.mentions import MOST_WORDS, find_mentions
from rankconst.names import squash
from rankconst.results.labels import CANDIDATES, ask_alone, read_label
from rankconst.results.vocabulary import VOCABULARY, Word

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rankconst.catalogue.mentions import Mention
    from rankconst.results.labels import Label

_IN_BRACKETS = re.compile(r"[(\[]([^()\[\]]+)[)\]]")  # TransE (std)
_BEHIND_NAME = re.compile(r"\S (?P<joint>on|for|[-\u2013\u2212]) (?P<name>.*\S)")  # RotatE on v1
_DIFFERENCE = re.compile(r"(?P<first>.*\S) [-\u2013\u2212] (?P<model>\w[\w.-]*)$")  # Ours - TransE
_OF_NUMBERS = {"part", "metric"}  # fields of words that are about numbers, not about a model


def names_model(words: Iterable[str]) -> bool:
    """Tell whether a word is spelled like the name of a model: RotatE, DRUM, rotate_adv.

    >>> names_model(["RotatE"]), names_model(["rotate_adv"]), names_model(["New"])
    (True, True, False)
    """
    return any(_is_like_model(word) for word in words)


_CAPITAL_INSIDE = re.compile(r"[\W\d_]*[^\W\d_].*[A-Z0-9]")  # RotatE, model2


def _is_like_model(word: str) -> bool:
    """Tell whether a word has a capital or a digit inside, begins with a digit, or is known."""
    if _CAPITAL_INSIDE.match(word) or word[:1].isdigit():
        return True
    spellings = {squash(word), *word.lower().split("_")}
    return not VOCABULARY.models.isdisjoint(spellings) or VOCABULARY.match_role(word) == "model"


def name_model(label: Label) -> Label:
    """Return the label of the name of a model; a version is a part of the name.

    The graph in "RotatE (WN18RR)" is asked about where the numbers are of another graph, and so is
    v1 in "RotatE on v1". "composition", "50 negatives", "25%", "TransE (std)" and "Ours - TransE"
    are no models, and are asked about.
    """
    words = {word.text: word for word in label.words}
    words |= {word.text: word for word in _ask_in_brackets(label.text)}
    words |= {word.text: word for word in _ask_behind_name(label)}
    values = {field: texts for field, texts in label.values.items() if field != "version"}
    of_model = replace(label, graphs=(), values=values, words=tuple(words.values()))
    return ask_alone(of_model, "name")


def _ask_in_brackets(model: str) -> Iterator[Word]:
    """Yield the words to ask about in the brackets behind a model, if they are about its numbers.

    "TransE (std)" yields std, and "RotatE (50 neg)" yields 50 neg; "TransE (ours)" yields nothing.
    """
    for in_brackets in _IN_BRACKETS.findall(model):
        label = read_label(in_brackets)
        if not label.alone:
            continue
        for word in ask_alone(label, "name").words:
            is_of_candidates = word.reason == CANDIDATES.reason
            if is_of_candidates or word.field in _OF_NUMBERS:
                yield word


def _ask_behind_name(label: Label) -> Iterator[Word]:
    """Yield words for what is behind the name of a model.

    "RotatE-WN18RR" asks about the dataset, "RotatE on v1" about a part, "Ours - TransE" about the
    metric.
    """
    behind = _BEHIND_NAME.search(label.text)
    has_place = behind is not None and not _is_detail(behind["name"], behind["joint"])
    names_graph = False
    for graph in find_mentions(label.text):
        registered = graph if graph.known else _find_registered(graph.text)
        if registered is None:
            continue
        # An ordinary word is a graph only where one is expected: "RotatE on countries".
        is_ordinary = squash(registered.text) in VOCABULARY.ordinary
        if is_ordinary and (names_graph or not has_place):
            continue
        names_graph = True
        if graph.text.endswith(registered.text):
            yield Word(registered.text.lower(), "dataset", says=registered.key)
        else:  # FB15k-237-N
            yield Word(graph.text.lower(), "graph")

    is_open = has_place and not names_graph and not label.words
    if behind is not None and is_open:
        yield Word(behind["name"].rstrip(")]").lower(), "part")

    minus = _DIFFERENCE.match(label.text)
    if minus is not None and _is_compared(minus["first"], minus["model"]):
        yield Word("-", "metric")


def _find_registered(name: str) -> Mention | None:
    """Find the longest registered graph in a name, WN18RR in RotatE-WN18RR; None if none is."""
    parts = name.split("-")
    for size in range(MOST_WORDS, 0, -1):  # the longest first
        for first in range(len(parts) - size + 1):
            mentions = find_mentions("-".join(parts[first : first + size]))
            if mentions and mentions[0].known:
                return mentions[0]
    return None


def _is_compared(first: str, model: str) -> bool:
    """Tell whether one result is subtracted from another: Ours - RotatE, Best - ours."""
    if squash(model) in VOCABULARY.models:
        return True
    other = read_label(model)
    return read_label(first).is_vocabulary and other.is_vocabulary and not other.is_about_tasks


def _is_detail(name: str, joint: str) -> bool:
    """Tell whether a name behind a model and a `joint` only says more of the model: TransE - L1.

    A graph or a part of one does not: "TransE on FB15k". Behind "on" and "for", what is spelled
    like a model may be a graph that is not known here, unless it is a known model.
    """
    label = read_label(name)
    if label.graphs or label.version:
        return False

    words = name.split()
    may_be_graph = joint in {"on", "for"}
    if label.is_vocabulary or (not may_be_graph and names_model(words)):
        return True

    known = VOCABULARY.models | VOCABULARY.technical
    return all(word.lower() in known or VOCABULARY.match_role(word) == "model" for word in words)
