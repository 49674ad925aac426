"""What a name with a value says of ranking tasks: a column and its cell, a key of JSON and its text.

``filtered: false``, ``mode: head-batch``, ``num_eval_negatives: 100``, ``task: relation_prediction``. A new kind of
setting is a new row.
"""

from __future__ import annotations

import re
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

from rankconst.names import read_count
from rankconst.results.tables.columns import FLAGS, OF_KIND, contradict, is_kind, is_whole, read_words
from rankconst.results.tables.surroundings import find_task

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

_SAMPLED = "sampled"
_DRAWN = re.compile(r"(?:uni(?:form)?|random|neg(?:ative)?s?|sampled?|popular(?:ity)?)\W?(\d{1,9})", re.IGNORECASE)
_SAMPLES = re.compile(r"(?:random(?:ly)? )?(?:sampled?|sampling)(?: .*)?", re.IGNORECASE)
_AGAINST = re.compile(r"1 ?(?:vs|versus|against|to) ?(all|\d{1,6}k?)(?: .*)?")
_USUAL = {
    "full", "full ranking", "all", "all entities", "standard", "default", "entity", "entities", "link prediction",
    "average", "avg", "mean", "overall", "both sides",
}  # fmt: skip
_TIMES = {"time aware": "time-aware", "time filtered": "time-aware", "time filter": "time-aware", "static": "static"}


# The fields that a value sets; None if it is not understood.
_Said = dict[str, Any] | None


def _read_flag(value: str, *, raw: bool) -> _Said:
    """Return what yes or no says where yes means raw, or where it means filtered; words say it themselves."""
    flag = FLAGS.get(value.lower())
    if flag is None:
        return _read_words(value)
    return {"protocol": "raw"} if flag == raw else {"filtered": "filtered"}


def _read_words(value: str) -> _Said:
    """Return the split, the side or the protocol that a value names."""
    text = _plain(value)
    if (drawn := _DRAWN.fullmatch(text)) is not None:
        return {"protocol": f"sampled:{int(drawn[1])}"}
    if _SAMPLES.fullmatch(text):
        return {"task": _SAMPLED}
    if (against := _AGAINST.fullmatch(text)) is not None:
        return {} if against[1] == "all" else {"task": _SAMPLED}
    if text in _TIMES:
        return {"protocol": _TIMES[text]}
    said = {} if text in _USUAL else read_words(re.sub(r"\b(?:batch|only|corrupt(?:ed|ion)?)\b", "", text))
    return said and {role: word for role, word in said.items() if role in {"split", "side", "protocol", "filtered"}}


def read_mode(value: str) -> _Said:
    """Return what a mode says, as ``head-batch`` does; that of a program that trains is none of its numbers."""
    said = _read_words(value)
    return said and {role: word for role, word in said.items() if word != "train"}


def _read_yes(value: str, *, task: str) -> _Said:
    """Return the task that yes says there is."""
    return {"task": task} if FLAGS.get(value.lower()) else {}


def _read_kind(value: str) -> _Said:
    """Return why numbers of one kind of relations have no constants; a category may be one of anything else."""
    return {"unclear": OF_KIND.format(value)} if is_kind(value) else {} if is_whole(value) else None


def _read_task_of(_: str, *, task: str) -> dict[str, Any]:
    """Return the task that a column says its rows are of, whatever its cells say, a mean included."""
    return {"task": task}


def _read_amount(value: str, *, task: str) -> dict[str, Any]:
    """Return the task that there is if there is any of something."""
    return {} if _NOTHING.fullmatch(value) else {"task": task}


_NOTHING = re.compile(r"0++(?:\.0++)? ?%?|none|no|clean", re.IGNORECASE)


def _read_part(value: str) -> _Said:
    return {} if _plain(value) in _USUAL else {"unclear": f"it is of a part of the tasks, {value}"}


def _read_fold(value: str) -> _Said:
    return {"unclear": f"it is of fold {value} of a cross-validation"}


def _read_test_set(value: str) -> _Said:
    """Return the split that names a set of triples, ``test.txt``; any other name is that of a part of it."""
    said = read_words(re.sub(r"\.(?:txt|tsv|csv|del|triples)$", "", value.strip().lower()))
    return _read_part(value) if said is None else said


def _read_negatives(value: str) -> dict[str, Any]:
    return {"protocol": f"sampled:{count}"} if (count := read_count(value) or 0) > 0 else {}


def _read_candidates(value: str) -> dict[str, Any]:
    """Tell that candidates were sampled; whether the true one is among their number is open."""
    return {"task": _SAMPLED} if read_count(value) or _SAMPLES.fullmatch(_plain(value)) else {}


def _read_task(value: str) -> dict[str, Any]:
    task = find_task(_plain(value))
    return {} if task is None else {"task": task}


def _read_setting(value: str) -> _Said:
    """Return what a mode says, or the task that a setting names."""
    said = read_mode(value)
    return (_read_task(value) or None) if said is None else said


def _read_triples(value: str) -> dict[str, Any]:
    return {"num_triples": count} if (count := read_count(value) or 0) > 0 else {}


def _read_relation(value: str) -> dict[str, Any]:
    text = _plain(value)
    return {} if text in {"", "all", "both"} or text.replace(" ", "").isdecimal() else {"relations": (value,)}


_FILTER = r"(?:(?:is|use|apply|with) )?{}(?: (?:eval(?:uation)?|setting|metrics?|ranking|results?))?"
_WHAT = r"(?:mode|type|setting|protocol|side|split|set|entity|target)"
# What the name of a setting looks like, in lower case with blanks; how its value is read; whether such a name says the
# same among the settings of a whole program.
_SETTINGS: tuple[tuple[re.Pattern[str], Callable[[str], _Said], bool], ...] = tuple(
    (re.compile(pattern), read, anywhere)
    for pattern, read, anywhere in (
        (
            rf"{_FILTER.format('filter(?:ed|ing)?')}|eval(?:uation)? filter(?:ed|ing)?",
            lambda value: _read_flag(value, raw=False),
            True,
        ),
        (_FILTER.format("(?:raw|unfiltered)"), lambda value: _read_flag(value, raw=True), True),
        (rf"eval(?:uation)? {_WHAT}", read_mode, True),
        (r"(?:is )?sampled(?: eval(?:uation)?)?", partial(_read_yes, task=_SAMPLED), False),
        (r"(?:is )?inductive", partial(_read_yes, task="inductive"), False),
        (r"(?:relation |rel )?(?:category|kind|mapping)(?: (?:name|type))?", _read_kind, False),
        (
            r"(?:node |entity )?degree|(?:frequency )?bucket|(?:relation )?cardinality"
            r"|(?:relation(?:al)? |query )?pattern"
            r"|(?:head|tail|subject|object|entity|node)(?: entity)? (?:type|class|category|degree|frequency)",
            _read_part,
            False,
        ),
        (r"(?:#|(?:num|n|number of|k) )?shots?", partial(_read_amount, task="few-shot"), False),
        (r"noise(?: (?:rate|ratio|level))?", partial(_read_amount, task="another graph"), False),
        (r"snapshot(?: (?:id|number))?", partial(_read_task_of, task="continual"), False),
        (r"client(?: (?:id|number))?", partial(_read_task_of, task="federated"), False),
        (r"test ?(?:set|file)(?: name)?", _read_test_set, False),
        (r"(?:cv )?fold(?: (?:id|idx|index|number|nr))?", _read_fold, False),
        (rf"eval(?:uation)?|(?:ranking|test)(?: {_WHAT})?|split|subset|partition|phase|stage", _read_words, False),
        (
            rf"(?:mode|type|setting|side|target|direction|corrupt(?:ion|ed)?|predict(?:ion|ed)?)(?: {_WHAT})?",
            _read_setting,
            False,
        ),
        (
            r"(?=.*\b(?:eval(?:uation)?|test|valid(?:ation)?|rank(?:ing)?)\b)(?!.*train).*\bneg\w*\b.*",
            _read_negatives,
            True,
        ),
        (
            r"(?:(?:num|n|nb|number of|num of) )?(?:eval(?:uation)? |test |ranking )?"
            r"candidates?(?: (?:entities|size|set))?",
            _read_candidates,
            False,
        ),
        (r"(?:(?:eval(?:uation)?|target) )?tasks?(?: (?:name|type))?", _read_task, False),
        (
            r"(?:(?:num|n|nb|number of|num of|max|limit) )?(?:test(?:ed|ing)?|eval(?:uation|uated)?) "
            r"(?:triples|facts|size|samples|examples|limit)|n eval",
            _read_triples,
            False,
        ),
        (r"(?:(?:num|n|max) )?eval(?:uation)? (?:sample size|subset(?: size)?|num samples)", _read_triples, True),
        (r"(?:relations?|rel|predicate)(?: name)?", _read_relation, False),
    )
)


def read_setting(name: str, value: str, *, anywhere: bool = False) -> _Said:
    """Return the fields that a name with a value sets: those of what is stated about numbers, or ``num_triples``.

    None if the value is not understood. Only what is said of an evaluation counts `anywhere`, as among the settings
    of a program.
    """
    told = _tell(name, value, anywhere=anywhere)
    return told and {role: word for role, word in told.items() if role != "filtered"}


def _tell(name: str, value: str, *, anywhere: bool = False) -> _Said:
    """Return the same with ``filtered`` where numbers are, which sets no field and is not raw."""
    read, whole = _find_reader(name)
    return {} if read is None or (anywhere and not whole) else read(value)


def names_setting(name: str) -> bool:
    """Tell whether a name may be that of a setting."""
    return _find_reader(name)[0] is not None


# Roles of columns that may hold a setting all the same, or say more.
OPEN_ROLES = frozenset({None, "rank_type", "split", "side", "model"})
# Sampled candidates are a task where their number is unknown.
_KINDS = {"task": "protocol", "filtered": "protocol"}


def are_settings(name: str, cells: Iterable[str]) -> bool:
    """Tell whether the cells of a column say one thing of how their rows were evaluated, most of them understood."""
    # "full" may as well be the model without ablations.
    open_cells = {cell for cell in cells if _plain(cell) not in _USUAL} if names_setting(name) else ()
    told = [_tell(name, cell) for cell in open_cells]
    kinds = {_KINDS.get(key, key) for each in told for key in each or ()}
    return len(kinds) == 1 and 2 * told.count(None) < len(told)


def add_setting(
    said: Mapping[str, Any], name: str, cell: str, role: str = ""
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return what is said of a row with what the cell of a setting tells, and the fields that it sets.

    In place of a `role` of its column if it tells anything else; ``unclear`` is set if it contradicts the others, or is
    not understood where the column has no role. ``filtered`` is set for the settings behind.
    """
    told = _tell(name, cell) if cell.strip() else {}
    if told is None and not role:
        told = {"unclear": f"its cell {cell!r} in column {name} is not understood."}
    others = {key: each for key, each in said.items() if key != role}
    if not told or told.keys() == {role}:
        return {**said}, ()
    if told.get("protocol") == "raw" and str(others.get("protocol")).startswith("sampled:"):
        return {**said}, ()  # among sampled candidates, filtered or not
    named = {"protocol": others.get("filtered"), **others}
    fields = tuple(key for key in told if key not in {"unclear", "filtered"})
    return others | told | contradict(cell, told, named), fields


@lru_cache(maxsize=4096)
def _find_reader(name: str) -> tuple[Callable[[str], _Said] | None, bool]:
    """Return how the value of a setting is read, and whether it says the same anywhere."""
    text = _plain(name)
    return next(((read, anywhere) for pattern, read, anywhere in _SETTINGS if pattern.fullmatch(text)), (None, False))


def count_tasks(said: dict[str, Any]) -> dict[str, Any]:
    """Turn a number of triples into one of ranks: a triple is ranked on one side, or on both."""
    count = said.pop("num_triples", None)
    return said if count is None else {"num_tasks": count * (1 if said.get("side") in {"head", "tail"} else 2), **said}


def _plain(text: str) -> str:
    return " ".join(re.split(r"[\W_]+", text[:200].lower())).strip()
