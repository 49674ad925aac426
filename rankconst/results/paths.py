"""The numbers of metrics in nested objects, with what their keys and the texts around them say."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from rankconst.catalogue.suites import is_mean
from rankconst.evaluation import NAMES
from rankconst.names import read_count, squash
from rankconst.results.gate import CORNER, FILE_NAME, Text, name_graph
from rankconst.results.labels import (
    CUT_OFF,
    NO_K,
    UNKNOWN,
    Label,
    answer,
    ask_alone,
    join_k,
    list_others,
    name_model,
    names_model,
    read_label,
    weaken,
)
from rankconst.results.structured import Number, read_number
from rankconst.results.tables.contexts import ask_about_heading, declare
from rankconst.results.tables.layout import (
    COUNTS,
    OPEN_ROLES,
    ask_whole,
    fits_role,
    heads_models,
)
from rankconst.results.vocabulary import Word, list_remarks, list_roles

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from rankconst.results.structured import Value

SETTINGS = {
    *("args", "cfg", "config", "hparams", "hyperparameters", "hyperparams"),
    *("model_params", "params", "settings"),
}
"""Keys of what a program ran with: numbers below them are not results."""

ADDRESS = (*NAMES, "version", "rank_type")
"""Roles of keys whose texts say what the numbers are of, the order in which they count."""

_OTHER = len(ADDRESS) + 1  # what has no role comes last
_K = re.compile(r"@?(\d{1,9})", re.ASCII)
# The last word of a key says what it is: "mrr_epoch" is an epoch.
_LAST = re.compile(r"(.*[^\W_])[\W_]+([^\W_]+)")
_BELOW = "below a metric, expected a number, or one for each k, split, side or dataset"
_MEDIAN = "it is a median over runs"
_ABOVE, _NEXT = "a key above it", "a key next to it"


class Place(NamedTuple):
    """An object on the way to numbers, with what is around it."""

    path: tuple[str, ...] = ()
    names: tuple[str, ...] = ()  # the keys that are not of vocabulary: names of models, of runs
    model: str | None = None  # what its keys say that the model is
    nearer: tuple[Text, ...] = ()  # what is nearer to its numbers than the names of their metrics
    above: tuple[Text, ...] = ()  # what is farther, the nearest first
    beside: tuple[Text, ...] = ()  # the texts of its own level, as those below have them
    facts: tuple[tuple[str, Any], ...] = ()  # further fields of the address
    steps: tuple[tuple[str, Number], ...] = ()  # epoch: 10
    is_row: bool = False  # True for an object of a list, which is a row of a table

    def enter(self, key: str, *, is_mean: bool = False, beside: Iterable[str] = ()) -> Place:
        """Return the place below a key, that of a graph if it is a mean over graphs.

        `beside` are the other keys next to it.
        """
        label = declare("dataset", key) if is_mean else ask_alone(read_label(key), "row")
        names = self.names if label.whole else (*self.names, key)
        if _is_unknown(key, label, beside):
            label = ask_whole(label)
        outer = (*self.beside, *self.above)
        own = keep(_doubt_other_graph(Text(label, "row", _ABOVE), outer))
        above = (*own, *outer)
        inner = self._replace(path=(*self.path, key), names=names, above=above, is_row=False)
        return inner._replace(nearer=(), beside=())

    def choose(self, key: str, *, is_mean: bool = False) -> Place:
        """Return the place of one number of a metric: that of a split, of a side, of a dataset."""
        label = declare("dataset", key) if is_mean else read_label(key)
        text = Text(label, "row", "its key")
        return self._replace(
            path=(*self.path, key), nearer=(text, *self.nearer), beside=(text, *self.beside)
        )


_SMALL = re.compile(r"[a-z]+(?:[\s_.-]+[a-z]+)*")
_GENERAL = {
    "entry",
    "history",
    "info",
    "item",
    "items",
    "log",
    "logs",
    "output",
    "outputs",
    "report",
    "run",
    "stats",
}


def _is_unknown(key: str, label: Label, beside: Iterable[str]) -> bool:
    """Tell whether a key over numbers may be of a part of them, such as early_stopping.

    No model is called so, nor anything next to keys that say an address: train, test and ood.
    """
    if label.tells or label.whole or label.metric is not None or find_role(key):
        return False
    others = [read_label(other) for other in beside]
    if any(other.declared for other in others):
        return True
    words = list_others(key)
    is_general = {squash(word) for word in words} <= _GENERAL
    names = [*words, squash(key), *beside]
    return not is_general and not names_model(names) and _SMALL.fullmatch(key) is not None


def _doubt_other_graph(text: Text, others: Iterable[Text]) -> Text:
    """Return a text that declares no dataset where another one does so for another graph."""
    own = text.label.declared.get("dataset")
    graphs = [other.label.declared.get("dataset") for other in others if other.place != FILE_NAME]
    keys = {name_graph(graph) for graph in (own, *graphs) if graph and not is_mean(graph)}
    return text._replace(label=weaken(text.label)) if own and len(keys) > 1 else text


class Found(NamedTuple):
    """A number of a metric, or why it is none; without a key, a list of objects."""

    place: Place
    key: str
    value: Value = None
    why: str = ""
    deviation: str | None = None  # over several runs


def keep(*texts: Text) -> tuple[Text, ...]:
    """Return the texts that may say something, as a name does that is a statistic."""
    return tuple(
        text for text in texts if text.label.tells or (text.scope == "name" and text.label.metric)
    )


def walk(value: Value, place: Place) -> Iterator[Found]:
    """Yield the numbers of metrics in a value."""
    if isinstance(value, list):
        if is_list(value):
            yield Found(place, "", value)
            return
        for i, each in enumerate(value, start=1):
            yield from walk(each, place._replace(path=(*place.path, str(i))))
    if not isinstance(value, dict):
        return
    place = _look_around(value, place)
    yield from _read_named(value, place)
    means = _find_means(value)
    for key, inner in value.items():
        counts = inner if isinstance(inner, dict) else ("1",)
        by_k = any(_name_k(key, k) for k in counts)
        if (by_k or read_label(key).metric is not None) and find_role(key) != "num_tasks":
            yield from _read_metric(key, inner, place)
        elif isinstance(inner, Number) and CUT_OFF.search(key):
            yield Found(place, key, why=UNKNOWN)
        elif isinstance(inner, (dict, list)) and key.lower() not in SETTINGS:
            beside = [other for other, each in value.items() if other != key and _holds_more(each)]
            yield from walk(inner, place.enter(key, is_mean=key in means, beside=beside))


def _holds_more(value: Value) -> bool:
    """Tell whether a value is an object or a list of them."""
    return isinstance(value, dict) or is_list(value)


def _find_means(keys: Iterable[str]) -> set[str]:
    """Return the keys that are means over graphs, next to several graphs: Average."""
    named = [key for key in keys if is_mean(key)]
    if not named:
        return set()
    graphs = sum(bool(read_label(key).graphs) for key in keys)
    return set(named) if graphs > 1 else set()


def _look_around(value: Mapping[str, Value], place: Place) -> Place:
    """Return an object's place with the texts in it."""
    around = _Surroundings(value, place)
    for key, each in _list_beside(value):
        around.take(key, each)
    corner = _find_corner(value) if place.is_row and value else ()
    own, others = around.list_texts(corner)
    keys = [text for text in place.above if text.place == _ABOVE]
    own = tuple(_doubt_other_graph(text, keys) for text in own)
    steps = [(key, each) for key, each in value.items() if find_role(key) == "step"]
    numbered = tuple((key, each) for key, each in steps if isinstance(each, Number))
    return place._replace(
        nearer=(*own, *others),
        beside=(*own, *(text._replace(scope="text") for text in others)),
        model=around.model,
        facts=tuple(around.facts.items()),
        steps=numbered or place.steps,
    )


class _Surroundings:
    """Collects what the keys of an object, and the texts in it, say of its numbers."""

    def __init__(self, value: Mapping[str, Value], place: Place) -> None:
        self.model = place.model
        self.facts = dict(place.facts)
        self._keys = {squash(key) for key in value}
        self._has_value = any(find_role(key) == "value" for key in value)
        self._affirmed: list[str] = []  # keys
        self._answered: list[Text] = []
        self._texts: list[tuple[int, Text]] = []  # with the order of their roles

    def take(self, key: str, value: Value) -> None:
        """Take what a key holds."""
        label, word = read_label(key), str(value).strip()
        answered = None if label.metric else answer(label, word)
        role = self._find_role(key, word)
        if answered is label and label.alone:
            self._answered.append(Text(ask_alone(label, "row"), "row", _NEXT))
        elif answered is label:
            self._affirmed.append(key)
        elif answered is not None:
            denied = replace(answered, text=f"{key}: {word}")
            self._answered.append(Text(denied, "row", _NEXT))
        elif role in COUNTS and (number := read_count(word)):
            self.facts[role] = number
        elif role == "relations" and isinstance(value, list) and value:
            self.facts[role] = tuple(str(relation) for relation in value)
        elif isinstance(value, str | bool) and label.metric is None and role != "hyperparameter":
            self._take_text(key, value if isinstance(value, str) else word, role)

    def _find_role(self, key: str, word: str) -> str:
        """Return the role of a key, unless another one is called after that role."""
        role = find_role(key, word)
        return "" if role != squash(key) and role in self._keys else role

    def _take_text(self, key: str, value: str, role: str) -> None:
        """Take a text or a number next to others."""
        word = value.strip()
        is_name = not isinstance(value, Number) and read_label(word).metric is None
        if is_name and role == "model":
            self.model = value
        elif is_name and role == "tool":
            self.facts[role] = word
        elif is_name and role == "relations":
            self.facts[role] = (word,)
        self._texts += _read_beside(key, value, role, is_value=self._has_value)

    def list_texts(self, corner: Iterable[Text]) -> tuple[tuple[Text, ...], tuple[Text, ...]]:
        """Return the texts of keys with a role, and flags; and the texts of other keys."""
        ordered = sorted(self._texts, key=itemgetter(0))
        named = [text for order, text in ordered if order < _OTHER]
        others = [text for order, text in ordered if order == _OTHER]
        flags = Text(read_label(" ".join(self._affirmed)), "row", _NEXT)
        return keep(*named, flags, *self._answered, *corner), keep(*others)


def _find_corner(value: Mapping[str, Value]) -> tuple[Text, ...]:
    """Return what the first key says of the name below it, where no key is that of a model."""
    key = next(iter(value))
    label, name = read_label(key), value[key]
    if not isinstance(name, str) or isinstance(name, Number):
        return ()
    if heads_models(key) or squash(key) in list_remarks():
        return ()
    known = label.tells or label.whole or label.metric is not None
    if known or find_role(key, name) or any(find_role(each) == "model" for each in value):
        return ()
    return (Text(ask_whole(label), "row", CORNER),)


def _read_beside(key: str, value: str, role: str, *, is_value: bool) -> Iterator[tuple[int, Text]]:
    """Yield what a text or a number next to others says, with the order of its role.

    A value next to it may be that of the metric that it names.
    """
    word = value.strip()
    label, own, place = read_label(key), read_label(word), f"the {key}"
    asked = [(_OTHER, text) for text in ask_about_heading(label, word, _NEXT)]
    if isinstance(value, Number):
        yield from asked
    elif role in ADDRESS and (role != "dataset" or "/" not in word or own.graphs):
        yield ADDRESS.index(role), Text(declare(role, word), "row", place)
    elif role == "model" and not (is_value and own.metric):
        yield len(ADDRESS), Text(name_model(own), "name", place)
    elif role in {"tool", "relations"} and own.metric is None:
        yield len(ADDRESS), Text(own, "row", place)
    elif not is_path(word):
        yield _OTHER, Text(own, "row", place)
        yield from asked


def _list_beside(value: Mapping[str, Value]) -> Iterator[tuple[str, Value]]:
    """Yield what an object holds; a dataset or a split may be a list, or an object with a name."""
    for key, each in value.items():
        role = find_role(key)
        if role in ADDRESS and isinstance(each, dict):
            yield from _list_inside(key, role, each)
        elif role in ADDRESS and isinstance(each, list):
            yield key, " and ".join(text for text in each if isinstance(text, str))
        else:
            yield key, each


def _list_inside(key: str, role: str, value: Mapping[str, Value]) -> Iterator[tuple[str, Value]]:
    """Yield the texts of an object below the key of a dataset or a split, its name as of the key.

    A version or a configuration makes another graph of it: then its name alone is not the dataset.
    """
    texts = [(inner, text) for inner, text in value.items() if isinstance(text, str)]
    texts = [(inner, text) for inner, text in texts if not is_path(text)]
    is_alone = all(find_role(inner) or isinstance(text, Number) for inner, text in texts)
    for inner, text in texts:
        if find_role(inner) not in {"model", role}:
            yield inner, text
        elif is_alone:
            yield key, text


def is_path(text: str) -> bool:
    """Tell whether a text is a path or an address on the web, which say nothing."""
    if re.search(r"\s", text):
        return False
    bare = text.replace("\\", "/")
    named = "/" in bare and "." in bare.split("/")[-1]
    return bare.startswith(("/", "./", "../", "~/")) or "://" in bare or named


@lru_cache(maxsize=8192)
def find_role(key: str, text: str | None = None) -> str:
    """Return the role of a key, if a text fits it: not every type is that of ranks."""
    role = list_roles().get(squash(key), "")
    if text is None or role in OPEN_ROLES or role == key.lower():
        return role
    return role if role and fits_role(role, text) else ""


@lru_cache(maxsize=8192)
def _name_k(key: str, inner: str) -> str:
    """Return the name of the metric that a key, without a k, and a k below it name together."""
    k = _K.fullmatch(inner)
    if k is None or read_label(key).metric is not None:
        return ""
    names = (join_k(key, k[1]), re.sub(r"[kK]$", k[1], key))
    return next((name for name in names if read_label(name).metric is not None), "")


def _read_metric(key: str, value: Value, place: Place) -> Iterator[Found]:
    """Yield the number of a metric, or its numbers by k, split, side or dataset."""
    if not isinstance(value, dict):
        yield Found(place, key, value, _explain(key, value))
        return
    below = {read_label(inner).metric for inner in value} - {None}
    if below and "mean" not in value:
        label = read_label(key)
        inside = place.enter(key)
        if label.metric not in below:  # the median of several metrics
            asked = replace(label, words=(Word(key.lower(), "metric"),))
            inside = inside._replace(above=(Text(asked, "row", _ABOVE), *inside.above))
        yield from walk(value, inside)
        return
    own = _look_around(value, place)
    nearer, beside = (*own.nearer, *place.nearer), (*own.beside, *place.beside)
    place = place._replace(nearer=nearer, beside=beside, facts=own.facts, model=own.model)
    if value.keys() >= {"mean", "std"}:  # over runs
        mean, deviation = value["mean"], value["std"]
        spread = deviation if isinstance(mean, str) and isinstance(deviation, str) else None
        yield Found(place, key, mean, _explain(key, mean), deviation=spread)
        return
    means = _find_means(value)
    for inner, each in value.items():
        role = find_role(inner)
        if inner.lower() == "median":  # over runs, and no median rank
            yield Found(place, f"{key}.{inner}", why=_MEDIAN)
        elif name := _name_k(key, inner):
            yield from _read_metric(name, each, place)
        elif role == "value" or inner in means or (read_label(inner).whole and not role):
            chosen = place if role else place.choose(inner, is_mean=inner in means)
            yield from _read_metric(key, each, chosen)
        elif isinstance(each, (Number, dict, list)) and not role:
            yield Found(place, f"{key}.{inner}", why=_BELOW)


def _explain(key: str, value: Value) -> str:
    """Return why a value is no number of the metric of its key; nothing if it may be one."""
    label = read_label(key)
    if label.metric is None:
        return label.reason or NO_K
    if label.reason:
        return label.reason
    found = None if label.whole else _LAST.fullmatch(key)
    behind = found is not None and not read_label(found[2]).whole
    if found is not None and behind and read_label(found[1]).metric == label.metric:
        return f"{found[2]!r} behind a metric is not understood"
    return "" if isinstance(value, str) else read_number(value)[1]


def _read_named(value: Mapping[str, Value], place: Place) -> Iterator[Found]:
    """Yield the number of an object that names its metric: ``{"metric": "MRR", "value": 0.3}``."""
    roles = {find_role(key): each for key, each in value.items()}
    number, named = roles.get("value"), roles.get("metric")
    if not isinstance(number, str):
        return
    # One text may be the name of a metric, as in {"name": "MRR", "value": 0.3}.
    if not isinstance(named, str):
        texts = {each for each in value.values() if isinstance(each, str)}
        names = [text for text in texts if read_label(text).metric is not None]
        named = names[0] if len(names) == 1 else ""
    name = _name_k(named, str(roles.get("k"))) or named
    if read_label(name).metric is not None:
        yield from _read_metric(name, number, place)


def is_list(value: Value) -> bool:
    """Tell whether a value is a list of objects."""
    return isinstance(value, list) and any(isinstance(each, dict) for each in value)
