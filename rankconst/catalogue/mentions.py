"""Which graphs a heading, a caption or a sentence names, in any spelling of the registry."""

from __future__ import annotations

import functools
import itertools
import re
from typing import TYPE_CHECKING, NamedTuple

from rankconst.catalogue.aggregations import MACRO
from rankconst.catalogue.benchmarks import list_ambiguous, list_elsewhere, list_meant, load_benchmarks
from rankconst.catalogue.protocols import RELATION_PREDICTION
from rankconst.names import squash

if TYPE_CHECKING:
    from collections.abc import Mapping


class Mention(NamedTuple):
    """A graph that a text names."""

    text: str  # as it is spelt there
    key: str  # what is the same for all spellings of one graph
    known: bool  # False if its ranking tasks are none of the registry's


# Most words of a name: "WordNet-18 (RR)", "Unified Medical Language System", "ogbl - wikikg2".
_MOST_WORDS = 5
_TOKEN = re.compile(r"[A-Za-z0-9]+(?:[-_.\u2010-\u2013][A-Za-z0-9]+)*")
_GAP = re.compile(r"[\s(]{1,3}|\s?[-\u2010-\u2013]\s?")
_PART = re.compile(r"[-_.\u2010-\u2013]")
# A capital, or a figure, within a name: not "results", "GPU" or "RotatE", but OpenBG-IMG, ICEWS18 and CN3l.
_SHAPE = re.compile(r"(?=.*[A-Z])(?:[A-Za-z]+\d+[A-Za-z0-9-]*|[A-Za-z0-9]+-[A-Z0-9][A-Za-z0-9-]*)")
_LEADS = re.compile(
    r"\b(?:on|in|over|dataset|datasets|benchmark|data\s+set)\s*:?\s+(?:the\s+)?[\"'\u201c(]?$", re.IGNORECASE
)
_NEAR = 80  # how far back it is looked for; from the beginning each time, a long text would take minutes
_FOLLOWS = re.compile(r"[\"'\u201d)]?\s+(?:data\s?sets?|benchmarks?|graph|KG)\b", re.IGNORECASE)
_ADDED = {"test", "testing", "valid", "validation", "dev", "train", "raw", "filtered", "dataset", "results", "based"}


def find_mentions(text: str) -> tuple[Mention, ...]:
    """Return the graphs that a text names, each once.

    A name with something attached, ``FB15k-237-OWE``, ``WN18RR*`` or ``WN18RR+``, is another name. What benchmarks are
    drawn from counts only where nothing else is named, and a word of an unknown graph's shape only where the sentence
    says that something was done on it.
    """
    found: dict[str, Mention] = {}
    tokens = list(_TOKEN.finditer(text))
    i = 0
    while i < len(tokens):
        mention, i = _read_at(text, tokens, i)
        if mention is not None:
            found.setdefault(mention.key, mention)
    strong = tuple(mention for key, mention in found.items() if key not in _sources())
    return strong or tuple(found.values())[:1]


def find_joined(inner: str, outer: str) -> tuple[Mention, ...]:
    """Return the graphs that two headings name together, one below the other: ``CoDEx`` and ``S``."""
    words = [token[0] for token in _TOKEN.finditer(inner) if re.fullmatch(r"[A-Za-z]+|[vV]\d(?:_ind)?", token[0])]
    tokens = list(_TOKEN.finditer(outer))
    joined: dict[str, Mention] = {}
    for i, token in enumerate(tokens):
        for j in range(i, min(i + _MOST_WORDS, len(tokens))):
            upper = outer[token.start() : tokens[j].end()]
            for word in words:
                key = _registered().get(squash(upper) + squash(word))
                if key is not None and key != _registered().get(squash(word)):
                    joined[key] = Mention(load_benchmarks()[key].title, key, known=True)
    return tuple(joined.values())


def find_within(text: str) -> str | None:
    """Return the only known graph that a path or the name of a run holds: ``results/WN18RR/transe.json``."""
    found = find_mentions(_JOINTS.sub(" ", text))
    return found[0].text if len(found) == 1 and found[0].known else None


def find_variant(text: str, dataset: str) -> str | None:
    """Return the graph made from a dataset that a text names and nothing else: ``WN18RR-IND`` for WN18RR."""
    stem = squash(dataset)
    named = squash(text) if stem and len(text) <= _LONGEST_NAME else ""
    mentions = find_mentions(text) if stem in named and stem != named else ()
    if len(mentions) != 1 or not squash(mentions[0].text).startswith(stem):
        return None
    alike = mentions[0].key in {stem, *(each.key for each in find_mentions(dataset))}
    return None if alike or re.search(r"\w", text.replace(mentions[0].text, "")) else mentions[0].text


_LONGEST_NAME = 40
_JOINTS = re.compile(r"[/\\_.,=:]+")


def split_name(text: str) -> tuple[str, str]:
    """Return the known graph that other words are joined to, or nothing, and these: ``test/WN18RR_mrr``."""
    parts = [found.span() for found in _WORD.finditer(text)]
    for size in range(_MOST_WORDS, 0, -1):
        for i in range(len(parts) - size + 1):
            start, end = parts[i][0], parts[i + size - 1][1]
            if names_known(text[start:end]):
                rest = f"{text[:start].rstrip(_JOINING)} {text[end:].lstrip(_JOINING)}".strip()
                return text[start:end], rest
    return "", text


_JOINING = " \t_./:|,-"
_WORD = re.compile(rf"[^{re.escape(_JOINING)}]+")


def names_known(text: str) -> bool:
    """Tell whether a whole text is a name that the registry, or the list of others, has."""
    return squash(text) in _registered() or squash(text) in _elsewhere()


def describe_dataset(name: str, task: str | None) -> str:
    """Return what numbers of a task on a dataset are of: the dataset itself, or another name for another task."""
    if task is None or (task == "inductive" and is_inductive(name)):
        return name
    if task in _FORMATS:
        meant = [key for key in list_meant(name) if getattr(load_benchmarks()[key].format, _FORMATS[task])]
        key = _registered().get(squash(name))
        if len(meant) == 1 or (key is not None and getattr(load_benchmarks()[key].format, _FORMATS[task])):
            return meant[0] if len(meant) == 1 else name
    listed = load_benchmarks().get(_registered().get(squash(name), ""))
    if task in _OF_ITEMS and listed is not None and listed.sampled is not None and not listed.sampled.sided:
        return name
    return f"{name} ({task})"


# Tasks of benchmarks that rank items, and have no sides.
_OF_ITEMS = {"recommendation", "retrieval"}

# Tasks that are those of benchmarks with such lines.
_FORMATS = {"temporal": "temporal", "n-ary": "qualified"}


def is_inductive(name: str) -> bool:
    """Tell whether a name is that of the graph on which an inductive benchmark is evaluated."""
    key = _registered().get(squash(name))
    # Of GraIL's, v1 alone is the graph that models are trained on.
    return key is not None and "inductive" in load_benchmarks()[key].split and not re.search(r"_v\d$", key)


_WHY = {
    "temporal": "a temporal graph, whose facts are ranked at their time",
    "few_shot": "a few-shot benchmark, which ranks given candidates for relations with a few examples each",
    "n_ary": "its facts relate more than two entities",
    "other": "a graph that rankconst has no constants for",
    "sources": "a source that benchmarks are drawn from, and no benchmark itself",
}
# What is said around numbers that is no task by itself.
_NO_TASKS = {
    "difference": "the text around says that these are differences",
    "another graph": "the text around says that the graph was changed",
    "another split": "the text around says that the triples are split in another way",
    "by relation": "the text around says that these are of single relations, or of kinds of relations",
    "running": "the text around says that the evaluation had not ended",
    "subset": "the text around says that these are of a part of the triples",
    "averages over datasets": "the text around says that these are averages over datasets",
}
_KIND = re.compile(r"(.+) \(([a-z -]+)\)")
_REMEDIES = {
    RELATION_PREDICTION: ", which --side relation is for",
    MACRO: ", which --aggregation is for",
    "sampled": ", which --protocol sampled:M is for",
}


def explain_elsewhere(name: str) -> str | None:
    """Return why numbers on a graph are of no ranking tasks here, as half a sentence; None if nothing is known.

    The name may say itself that its tasks are others: ``FB15k-237 (few-shot)``.
    """
    if " or " in name and all(map(names_known, name.split(" or "))):
        return "the file leaves open which of them it is"
    if meant := list_meant(name):
        return f"several benchmarks have this name: {', '.join(meant)}"
    listed = list_elsewhere().get(squash(name))
    if listed is not None:
        return _WHY[listed]
    found = _KIND.fullmatch(name)
    if found is None:
        return None
    remedy = _REMEDIES.get(found[2], "")
    what = _NO_TASKS.get(found[2]) or f"these are {found[2]} tasks{remedy}"
    return explain_elsewhere(found[1]) or (what if names_known(found[1]) else None)


def list_graphs(mention: Mention) -> tuple[str, ...]:
    """Return the graphs that a name may mean: GraIL's v1 is two, and results are mostly of the one not trained on."""
    if re.search(r"_v\d$", mention.key):
        return tuple(load_benchmarks()[key].title for key in (mention.key, f"{mention.key}_ind"))
    return (mention.text,)


def _read_at(text: str, tokens: list[re.Match[str]], i: int) -> tuple[Mention | None, int]:
    """Return what is named from a token on, and the next token; the longest name wins."""
    longest = i + _MOST_WORDS if squash(tokens[i][0]) in _beginnings() else i
    for j in reversed(range(i, min(longest, len(tokens)))):
        gaps = (text[one.end() : two.start()] for one, two in zip(tokens[i:j], tokens[i + 1 : j + 1], strict=True))
        if not all(_GAP.fullmatch(gap) for gap in gaps):
            continue
        spelt = text[tokens[i].start() : tokens[j].end()]
        if spelt.count("(") > 0 and text[tokens[j].end() : tokens[j].end() + 1] == ")":
            spelt += ")"
        name = squash(spelt)
        key = _registered().get(name)
        if (key is None and name not in _elsewhere()) or (i == j and not _is_name(spelt, tokens)):
            continue
        added = _ATTACHED.match(text, tokens[j].end())
        if added is not None and text[tokens[i].start() - 1 : tokens[i].start()] != "*":
            return Mention(f"{spelt}{added[0]}", f"{name}{added[0]}", known=False), j + 1
        return Mention(spelt, key or name, known=key is not None), j + 1
    return _read_variant(text, tokens[i]), i + 1


# "WN18RR*" and "WN18RR+" are other graphs; "FB15k-237+WN18RR" are two.
_ATTACHED = re.compile(r"[*]|\++(?![\w+])")


def _is_name(word: str, tokens: list[re.Match[str]]) -> bool:
    """Tell a name from a common word such as nations; in a heading of few words it may be in lower case."""
    return not word.isalpha() or not word.islower() or len(tokens) <= 4 or word == "umls"


def _read_variant(text: str, token: re.Match[str]) -> Mention | None:
    """Return a name that a known one begins, or one of an unknown graph that the words around tell."""
    word = token[0]
    parts = _PART.split(word)
    for n in reversed(range(1, len(parts))):
        key = _registered().get(squash("".join(parts[:n])))
        if key is not None:
            rest = [part.lower() for part in parts[n:]]
            stem = word[: sum(map(len, parts[:n])) + n - 1]
            if all(part in _ADDED for part in rest):
                return Mention(stem, key, known=True)
            return Mention(word, squash(word), known=False)
    if not _SHAPE.fullmatch(word) or _is_metric(word):
        return None
    around = _LEADS.search(text, max(token.start() - _NEAR, 0), token.start()) or _FOLLOWS.match(text, token.end())
    return None if around is None else Mention(word, squash(word), known=False)


def _is_metric(word: str) -> bool:
    return re.fullmatch(r"(?i)(?:hits?|h|mrr|mr|top)[-_@]?\d*", word) is not None


@functools.cache
def _registered() -> Mapping[str, str]:
    """Return every spelling of a benchmark, squashed, to its key."""
    rows = load_benchmarks()
    found: dict[str, str] = {}
    for key, row in rows.items():
        bare = re.sub(r" \((?:GraIL|InGram)\)$", "", row.title)
        for spelling in (key, row.title, bare, *row.aliases):
            found.setdefault(squash(spelling), key)
    return found


@functools.cache
def _elsewhere() -> frozenset[str]:
    return frozenset(list_elsewhere()) | frozenset(list_ambiguous())


@functools.cache
def _beginnings() -> frozenset[str]:
    """Return what any name begins with; most words of a text do not, and are told from names at once."""
    names = (*_registered(), *_elsewhere())
    return frozenset(itertools.chain.from_iterable(map(itertools.accumulate, names)))


@functools.cache
def _sources() -> frozenset[str]:
    return frozenset(name for name, kind in list_elsewhere().items() if kind == "sources")
