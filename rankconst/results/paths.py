"""Read the numbers of metrics in nested objects, each with its keys and the texts around it.

{"test": {"MRR": 0.3}} has the number 0.3 with the key "MRR" and the path ("test",).
"""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from rankconst.catalogue.literature import is_mean
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
    doubt,
    join_k,
    list_others,
    read_label,
    weaken,
)
from rankconst.results.model_names import name_model, names_model
from rankconst.results.structured import Number, read_number
from rankconst.results.tables.contexts import ask_about_heading, declare
from rankconst.results.tables.layout import (
    COUNTS,
    OPEN_ROLES,
    ask_whole,
    fits_role,
    heads_models,
    names_role,
)
from rankconst.results.vocabulary import VOCABULARY, Word

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from rankconst.results.structured import Value

SETTINGS = {
    *("args", "cfg", "config", "hparams", "hyperparameters", "hyperparams"),
    *("model_params", "params", "settings"),
}
"""Keys of the settings of a program: its numbers are not results, but may be about them."""

_EVALUATION_KEY = re.compile(r"eval(?:uation|uator)?(?![a-z])", re.IGNORECASE)
"""Keys of the settings of an evaluation, which are about the numbers next to them."""

ADDRESS = ("version", *NAMES, "rank_type")
"""Roles of keys whose texts name the tasks of the numbers, in the order in which they count."""

_RANK_OF_OTHERS = len(ADDRESS) + 1  # texts without a role come last
_K_AS_KEY = re.compile(r"@?(\d{1,9})", re.ASCII)  # 10, @10
# The last word of a key is its noun: "mrr_epoch" is an epoch.
_LAST_WORD = re.compile(r"(.*[^\W_])[\W_]+([^\W_]+)")
_EXPECTED_BELOW = "below a metric, expected a number, or one for each k, split, side or dataset"
_IS_MEDIAN = "it is a median over runs"
_ABOVE, _NEXT = "a key above it", "a key next to it"


class Place(NamedTuple):
    """An object on the way to numbers, with the keys and texts around it."""

    path: tuple[str, ...] = ()
    model: str | None = None  # the model that its keys name
    nearer: tuple[Text, ...] = ()  # texts nearer to its numbers than the names of their metrics
    above: tuple[Text, ...] = ()  # texts farther away, the nearest first
    beside: tuple[Text, ...] = ()  # the texts of its own level, as objects below it see them
    facts: tuple[tuple[str, Any], ...] = ()  # further fields of the address
    steps: tuple[tuple[str, Number], ...] = ()  # epoch: 10
    is_row: bool = False  # True for an object of a list, which is a row of a table

    def enter(self, key: str, *, is_mean: bool = False, beside: Iterable[str] = ()) -> Place:
        """Return the place of the object below a key, which is a text above its numbers.

        `is_mean` says that the key names a mean over graphs. `beside` has the other keys over
        objects.
        """
        label = declare("dataset", key) if is_mean else ask_alone(read_label(key), "row")
        is_model = find_role(self.path[-1]) == "model" if self.path else False
        if not is_model and _is_unknown(key, label, beside):
            label = ask_whole(label)

        outer = (*self.beside, *self.above)
        above = (*keep(_doubt_other_graph(Text(label, "row", _ABOVE), outer)), *outer)
        step = VOCABULARY.find_step(key)
        steps = self.steps if step is None else ((step[1], Number(step[2])),)
        path = (*self.path, key)
        return self._replace(
            path=path, above=above, is_row=False, nearer=(), beside=(), steps=steps
        )

    def choose(self, key: str, *, is_mean: bool = False) -> Place:
        """Return the place of a number below its metric: of "valid" in {"MRR": {"valid": 0.3}}."""
        label = declare("dataset", key) if is_mean else read_label(key)
        text = Text(label, "row", "its key")
        return self._replace(
            path=(*self.path, key), nearer=(text, *self.nearer), beside=(text, *self.beside)
        )


_RANGE_OF_VALUES = re.compile(
    r".*[<>≤≥]|[^A-Za-z]*\d[^A-Za-z\d]+\d[^A-Za-z]*$"
)  # freq > 10, [0, 5), 2014-10
_LOWER_CASE_WORDS = re.compile(r"[a-z]+(?:[\s_.-]+[a-z]+)*")  # lower case, in several words


def _is_unknown(key: str, label: Label, beside: Iterable[str]) -> bool:
    """Tell whether a key over numbers may be of a part of them, such as early_stopping."""
    is_asking = any("row" in word.scopes for word in label.words)
    has_meaning = bool(label.values or label.is_vocabulary or label.metric or find_role(key))
    if is_asking or has_meaning:
        return False
    if _RANGE_OF_VALUES.match(key):
        return True

    others = [read_label(other) for other in beside]
    if not label.graphs and any(other.declared for other in others):
        return True  # as "blind" may be a split next to "train" and "test"

    words = list_others(key)
    names = [*words, *beside]
    if not label.graphs:
        names.append(squash(key))

    # No name of a model is all in lower case.
    return all(_LOWER_CASE_WORDS.fullmatch(word) for word in words) and not names_model(names)


def _doubt_other_graph(text: Text, others: Iterable[Text]) -> Text:
    """Let a text that declares a dataset only ask, if `others` declare another graph."""
    dataset = text.label.declared.get("dataset")
    if not dataset:
        return text
    # The dataset in the name of the file is no other graph, nor is a mean over graphs.
    graphs = [other.label.declared.get("dataset") for other in others if other.place != FILE_NAME]
    keys = {name_graph(graph) for graph in (dataset, *graphs) if graph and not is_mean(graph)}
    return text if len(keys) < 2 else text._replace(label=weaken(text.label))


class Measurement(NamedTuple):
    """A number of a metric, or the reason why it cannot be read."""

    place: Place
    key: str
    value: Value = None
    reason: str = ""  # half a sentence; empty for a number
    deviation: str | None = None  # over several runs


class ObjectList(NamedTuple):
    """A list of objects, each of them a row."""

    place: Place
    value: Value


def keep(*texts: Text) -> tuple[Text, ...]:
    """Keep the texts with a word about tasks, and names of models that are those of a metric."""
    return tuple(
        text
        for text in texts
        if text.label.is_about_tasks or (text.scope == "name" and text.label.metric)
    )


def walk(value: Value, place: Place) -> Iterator[Measurement | ObjectList]:
    """Yield the numbers of metrics in a value, and the lists of objects, which are not entered.

    A metric whose number cannot be read has the reason. `place` is that of the value in its file.
    """
    if isinstance(value, list):
        if is_list(value):
            yield ObjectList(place, value)
            return
        for i, item in enumerate(value, start=1):
            yield from walk(item, place._replace(path=(*place.path, str(i))))

    if not isinstance(value, dict):
        return

    place = _look_around(value, place)
    yield from _read_named(value, place)
    means = _find_means(value)
    for key, inner in value.items():
        lacks_k = any(_name_k(key, k) for k in _list_ks(inner))
        is_metric = lacks_k or read_label(key).metric is not None
        if is_metric and find_role(key) != "num_tasks":
            yield from _read_metric(key, inner, place)
        elif isinstance(inner, Number) and CUT_OFF.search(key):
            yield Measurement(place, key, reason=UNKNOWN)
        elif isinstance(inner, (dict, list)) and key.lower() not in SETTINGS:
            objects = [other for other in value if other != key and _holds_more(value[other])]
            below = place.enter(key, is_mean=key in means, beside=objects)
            names = inner if isinstance(inner, dict) else ()
            if find_role(key) == "relations" and _names_metric(names):
                asked = Label(key, words=(Word(key.lower(), "side", says="relation"),))
                below = below._replace(above=(Text(asked, "row", _ABOVE), *below.above))
            yield from walk(inner, below)


def _list_ks(value: Value) -> tuple[str, ...]:
    """List the keys that may be the k of the key above: of {"1": 0.2} and {"test": {"1": 0.2}}.

    A value that is no object has "1", as any k will do.
    """
    if not isinstance(value, dict):
        return ("1",)
    objects = [inner for inner in value.values() if isinstance(inner, dict)]
    return (*value, *itertools.chain.from_iterable(objects))


def _holds_more(value: Value) -> bool:
    """Tell whether a value is an object or a list of them."""
    return isinstance(value, dict) or is_list(value)


def _find_means(keys: Iterable[str]) -> set[str]:
    """Find the keys of means over graphs, next to keys of several graphs or a version: Average."""
    named = [key for key in keys if is_mean(key)]
    if not named:
        return set()
    labels = [read_label(key) for key in keys]
    has_version = any(label.version for label in labels)
    has_graphs = sum(bool(label.graphs) for label in labels) > 1
    return set(named) if has_version or has_graphs else set()


def _look_around(value: Mapping[str, Value], place: Place) -> Place:
    """Return the place of an object with what its own keys say: its model, facts, steps and texts.

    In {"model": "TransE", "split": "valid", "MRR": 0.3}, the split is a text about the MRR. Texts
    of known roles come first, in the order of ADDRESS. The rest are sentences to objects below.
    """
    flags, pairs = _split_flags(_list_beside(value))
    taken = {squash(key) for key in value}
    has_value = any(find_role(key) == "value" for key in value)
    model, facts = place.model, dict(place.facts)
    texts_of = defaultdict[int, list[Text]](list)  # the rank of their role to texts
    for key, inner in pairs:
        word = str(inner).strip()
        role = find_role(key, word)
        if role != squash(key) and role in taken:  # another key is the name of that role
            role = ""

        fact = _find_fact(role, inner)
        if fact and role == "model":
            model = fact
        elif fact:
            facts[role] = fact

        is_count = bool(fact) and role in COUNTS
        is_text = isinstance(inner, str | bool) and not is_count and role != "hyperparameter"
        if is_text and read_label(key).metric is None:
            is_number = isinstance(inner, Number)
            read = _read_beside(key, word, role, is_number=is_number, is_value=has_value)
            texts_of[read.rank] += read.texts

    others = keep(*texts_of.pop(_RANK_OF_OTHERS, ()))
    ranked = [text for rank in sorted(texts_of) for text in texts_of[rank]]
    declaring = keep(*ranked, *flags)
    if place.is_row and value:
        declaring += keep(*_find_corner(value))

    keys_above = [text for text in place.above if text.place == _ABOVE]
    declaring = tuple(_doubt_other_graph(text, keys_above) for text in declaring)
    return place._replace(
        nearer=(*declaring, *others),
        beside=(*declaring, *(text._replace(scope="text") for text in others)),
        model=model,
        facts=tuple(facts.items()),
        steps=_find_steps(value) or place.steps,
    )


def _split_flags(
    pairs: Iterable[tuple[str, Value]],
) -> tuple[list[Text], list[tuple[str, Value]]]:
    """Return what keys over yes or no say as texts, and the other keys with their values.

    {"filtered": true} says filtered. Keys that are affirmed count together, as one text.
    """
    affirmed: list[str] = []
    texts: list[Text] = []
    others: list[tuple[str, Value]] = []
    for key, inner in pairs:
        label, word = read_label(key), str(inner).strip()
        said = None if label.metric else answer(label, word)
        if said is None:
            others.append((key, inner))
        elif said is not label:
            texts.append(Text(replace(said, text=f"{key}: {word}"), "row", _NEXT))
        elif label.alone:
            texts.append(Text(ask_alone(label, "row"), "row", _NEXT))
        else:
            affirmed.append(key)

    together = Text(read_label(" ".join(affirmed)), "row", _NEXT)
    return [together, *texts], others


def _find_steps(value: Mapping[str, Value]) -> tuple[tuple[str, Number], ...]:
    """Find the numbers of steps in an object, such as ("epoch", 10)."""
    numbers = [(key, inner) for key, inner in value.items() if isinstance(inner, Number)]
    return tuple((key, number) for key, number in numbers if find_role(key) == "step")


def _find_fact(role: str, value: Value) -> Any:
    """Return the count, relations, tool or model that a value is in its role; else None."""
    word = str(value).strip()
    if role in COUNTS:
        return read_count(word)
    if role == "relations" and isinstance(value, list):
        return tuple(str(relation) for relation in value)

    is_name = isinstance(value, str | bool) and not isinstance(value, Number)
    if role not in {"model", "tool", "relations"} or not is_name or read_label(word).metric:
        return None
    if role == "relations":
        return (word,)
    # The text itself, which is known as a leaf by its identity.
    return value if role == "model" and isinstance(value, str) else word


class _Beside(NamedTuple):
    """The texts of a key next to numbers, and their rank: nearer texts have less."""

    rank: int
    texts: list[Text]


def _read_beside(key: str, word: str, role: str, *, is_number: bool, is_value: bool) -> _Beside:
    """Read a key next to numbers and its value, `word`, as texts.

    Their rank is the index of the key's `role` in ADDRESS, then that of models and tools, then that
    of the rest. If `is_value`, a number next to it may be of the metric in it: "MRR" is no model.
    """
    heading, label = read_label(key), read_label(word)
    place = f"the {key}"
    asking = list(ask_about_heading(heading, word, _NEXT))
    if is_number:
        return _Beside(_RANK_OF_OTHERS, asking)

    is_unknown_path = role == "dataset" and "/" in word and not label.graphs
    if role in ADDRESS and not is_unknown_path:
        return _Beside(ADDRESS.index(role), [Text(declare(role, word), "row", place)])
    if role == "model" and not (is_value and label.metric):
        return _Beside(len(ADDRESS), [Text(name_model(label), "name", place)])
    if role in {"tool", "relations"} and label.metric is None:
        return _Beside(len(ADDRESS), [Text(label, "row", place)])

    if "protocol" in heading.declared and "protocol" not in label.declared:  # filter: time
        asking.append(Text(doubt(heading), "row", _NEXT))
        label = weaken(label)

    is_said = not is_path(word) or any("names" in row.scopes for row in heading.words)
    return _Beside(_RANK_OF_OTHERS, [Text(label, "row", place), *asking] if is_said else [])


def _find_corner(value: Mapping[str, Value]) -> tuple[Text, ...]:
    """Return the first key as a text to ask about: "region" of {"region": "north", "MRR": 0.3}."""
    first, name = next(iter(value.items()))
    if not isinstance(name, str) or isinstance(name, Number):
        return ()
    if heads_models(first) or squash(first) in VOCABULARY.remarks or _names_metric([name]):
        return ()

    label = read_label(first)
    if label.is_about_tasks or label.is_vocabulary or label.metric is not None:
        return ()
    if find_role(first, name) or any(find_role(key) == "model" for key in value):
        return ()
    return (Text(ask_whole(label), "row", CORNER),)


def _list_beside(value: Mapping[str, Value]) -> Iterator[tuple[str, Value]]:
    """Yield the keys and values that are about the numbers of an object.

    The settings of its program are among them, {"config": {"filter": true}}. A list of datasets or
    splits, ["WN18", "YAGO"], becomes "WN18 and YAGO", and a list of one text that text.
    """
    for key, inner in value.items():
        role = find_role(key)
        below = inner if isinstance(inner, dict) else {}
        is_evaluation = _EVALUATION_KEY.match(key) is not None and not _names_metric(below)
        if below and (is_evaluation or key.lower() in SETTINGS):
            yield from _list_beside(below)
        elif below and role in ADDRESS:  # {"dataset": {"name": "WN18", "split": "valid"}}
            for name, text in below.items():
                is_name = find_role(name) == "model"
                yield (key if is_name else name), text
        elif isinstance(inner, list) and (
            role in ADDRESS or read_label(key).values or len(inner) == 1
        ):
            yield key, " and ".join(text for text in inner if isinstance(text, str))
        else:
            yield key, inner


def _names_metric(keys: Iterable[str]) -> bool:
    """Tell whether one of some keys names a metric."""
    return any(read_label(key).metric is not None for key in keys)


def is_path(text: str) -> bool:
    """Tell whether a text is a path or an address on the web."""
    if re.search(r"\s", text):
        return False
    bare = text.replace("\\", "/")
    is_file = "/" in bare and "." in bare.split("/")[-1]
    return bare.startswith(("/", "./", "../", "~/")) or "://" in bare or is_file


@lru_cache(maxsize=8192)
def find_role(key: str, text: str | None = None) -> str:
    """Return the role of a key, such as split; empty if it has none, or a `text` does not fit it.

    "type" has the role rank_type over "realistic", and none over "table".
    """
    role = VOCABULARY.roles.get(squash(key), "")
    if not role or text is None or role in OPEN_ROLES or names_role(key, role):
        return role
    return role if fits_role(role, text) else ""


@lru_cache(maxsize=8192)
def _name_k(key: str, inner: str) -> str:
    """Join ``hits`` and ``10``, the key below it, to the name Hits@10; else ""."""
    k = _K_AS_KEY.fullmatch(inner)
    if k is None or read_label(key).metric is not None:
        return ""
    names = (join_k(key, k[1]), re.sub(r"[kK]$", k[1], key))
    return next((name for name in names if read_label(name).metric is not None), "")


def _read_metric(key: str, value: Value, place: Place) -> Iterator[Measurement | ObjectList]:
    """Yield the number of a metric, or the numbers in an object below its `key`."""
    if not isinstance(value, dict):
        yield Measurement(place, key, value, _explain_unread(key, value))
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

    inside = _look_around(value, place)
    place = inside._replace(
        nearer=(*inside.nearer, *place.nearer),
        beside=(*inside.beside, *place.beside),
        steps=place.steps,
    )
    if "mean" in value and "std" in value:  # over runs
        mean, deviation = value["mean"], value["std"]
        spread = deviation if isinstance(mean, str) and isinstance(deviation, str) else None
        yield Measurement(place, key, mean, _explain_unread(key, mean), deviation=spread)
    else:
        yield from _read_parts(key, value, place)


def _read_parts(
    key: str, value: Mapping[str, Value], place: Place
) -> Iterator[Measurement | ObjectList]:
    """Yield the numbers of a metric below the keys of its k, splits, sides or graphs."""
    means = _find_means(value)
    for inner, below_key in value.items():
        role = find_role(inner)
        if inner.lower() == "median":  # over runs, and no median rank
            yield Measurement(place, f"{key}.{inner}", reason=_IS_MEDIAN)
        elif name := _name_k(key, inner):
            yield from _read_metric(name, below_key, place)
        elif role == "value" or (role and inner in means):
            yield from _read_metric(key, below_key, place)
        elif inner in means or (read_label(inner).is_vocabulary and not role):
            yield from _read_metric(key, below_key, place.choose(inner, is_mean=inner in means))
        elif isinstance(below_key, (Number, dict, list)) and not role:
            yield Measurement(place, f"{key}.{inner}", reason=_EXPECTED_BELOW)


def _explain_unread(key: str, value: Value) -> str:
    """Explain why a value cannot be read as a number of the metric `key`; empty if it can."""
    label = read_label(key)
    if label.metric is None:
        return label.reason or NO_K
    if label.reason:
        return label.reason

    parts = None if label.is_vocabulary else _LAST_WORD.fullmatch(key)
    if parts is not None:
        before, last = parts.groups()
        if read_label(before).metric == label.metric and not read_label(last).is_vocabulary:
            return f"{last!r} behind a metric is not understood"

    return "" if isinstance(value, str) else read_number(value)[1]


def _read_named(value: Mapping[str, Value], place: Place) -> Iterator[Measurement | ObjectList]:
    """Yield the number of an object that names its metric: ``{"metric": "MRR", "value": 0.3}``."""
    by_role = {find_role(key): inner for key, inner in value.items()}
    number, metric = by_role.get("value"), by_role.get("metric")
    if not isinstance(number, str):
        return

    # One text may be the name of a metric, as in {"name": "MRR", "value": 0.3}.
    if not isinstance(metric, str):
        texts = [text for text in value.values() if isinstance(text, str)]
        names = [text for text in texts if read_label(text).metric is not None]
        metrics = {read_label(text).metric for text in names}
        metric = names[0] if len(metrics) == 1 else ""

    name = _name_k(metric, str(by_role.get("k"))) or metric
    if read_label(name).metric is not None:
        yield from _read_metric(name, number, place)


def is_list(value: Value) -> bool:
    """Tell whether a value is a list of objects."""
    return isinstance(value, list) and any(isinstance(item, dict) for item in value)
