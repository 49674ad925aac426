"""What a name with a value says of ranking tasks: a column and its cell, a key of JSON and its text.

``filtered: false``, ``mode: head-batch``, ``num_eval_negatives: 100``, ``task: relation_prediction``. A new kind of
setting is a new row.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

from rankconst.catalogue.mentions import split_name
from rankconst.catalogue.protocols import RANK_TYPES, RELATION_PREDICTION, SPLITS
from rankconst.names import read_count
from rankconst.results.tables.columns import (
    DIRECTIONS,
    FLAGS,
    OF_KIND,
    VERSIONED,
    contradict,
    find_qualifier,
    is_kind,
    is_mean,
    is_vague,
    is_whole,
    join_levels,
    name_protocol,
    parse_column,
    read_alone,
    read_name,
    read_qualifier,
    read_words,
)
from rankconst.results.tables.surroundings import NOTHING_TOLD, TASKS, find_task, may_tell, tell_row

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Mapping

    from rankconst.results.tables.columns import Meaning

_SAMPLED = "sampled"
_DRAWN = re.compile(r"(?:uni(?:form)?|random|neg(?:ative)?s?|sampled?|popular(?:ity)?)\W?(\d{1,9})", re.IGNORECASE)
_SAMPLES = re.compile(r"(?:random(?:ly)? )?(?:sampled?|sampling)(?: .*)?", re.IGNORECASE)
_AGAINST = re.compile(r"1 ?(?:vs|versus|against|to) ?(all|\d{1,6}k?)(?: .*)?")
_USUAL = {
    "full", "full ranking", "all", "all entities", "standard", "default", "entity", "entities", "link prediction",
    "average", "avg", "mean", "overall", "both sides", "1p",
}  # fmt: skip
_TIMES = {"time aware": "time-aware", "time filtered": "time-aware", "time filter": "time-aware", "static": "static"}


# The fields that a value sets; None if it is not understood.
_Said = dict[str, Any] | None


def _read_flag(value: str, *, raw: bool) -> _Said:
    """Return what yes or no says where yes means raw, or where it means filtered; words say it themselves."""
    text = value.partition("(")[0].strip()
    flag = False if _NOTHING.fullmatch(text) else FLAGS.get(text.lower())
    if flag is None:
        return _read_known(text)
    return {"protocol": "raw"} if flag == raw else {"filtered": "filtered"}


def _read_of_side(value: str, *, side: str) -> _Said:
    """Return the other side where the value says that one is not ranked, or the one that it names."""
    flag = FLAGS.get(value.lower())
    return _read_words(value) if flag is None else {} if flag else {"side": "tail" if side == "head" else "head"}


def _read_only(value: str, *, side: str) -> dict[str, Any]:
    """Return the only side that is ranked, if yes says so."""
    return {"side": side} if FLAGS.get(value.lower()) else {}


def _read_both(value: str) -> dict[str, Any]:
    """Return that the side is open where the value says that it is not both."""
    return {"missing": (("side", _ONE_SIDE),)} if FLAGS.get(value.lower()) is False else {}


_ONE_SIDE = "a setting says that not both sides were ranked: add --side"


def _read_fraction(value: str) -> dict[str, Any]:
    """Return that a part of the triples was evaluated, unless the value says all or none."""
    whole = _NOTHING.fullmatch(value) or _WHOLE.fullmatch(value) or FLAGS.get(value.lower()) is False
    return {} if whole else {_PART: value}


_WHOLE = re.compile(r"1(?:\.0+)?|100(?:\.0+)? ?%?|all|full", re.IGNORECASE)


def _read_share(value: str) -> dict[str, Any]:
    """Return that a part of the triples was evaluated, if the value is a percentage or below one."""
    return {_PART: value} if _SHARE.fullmatch(value.strip()) else {}


_SHARE = re.compile(r"0?\.0*+[1-9]\d*|\d{1,2}(?:\.\d+)? ?%")


def _read_known(value: str) -> _Said:
    """Return what the splits say whose triples are known answers: ``train+valid`` are those of no protocol."""
    words = [word for word in _plain(value).split() if word not in {"and", "set", "sets", "triples"}]
    said = [read_words(word) or {} for word in words]
    splits = {each["split"] for each in said if "split" in each}
    if splits and all("split" in each for each in said) and len(splits) < len(SPLITS):
        return {"unclear": f"known answers of {value} only were removed, and no protocol does that"}
    if splits or _plain(value) in {"all", "full"}:
        return {"filtered": "filtered"}
    return {} if len(words) > _LONGEST_VALUE else _read_words(value)


# A sentence says too much to be a value.
_LONGEST_VALUE = 4


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


def _read_stage(value: str) -> _Said:
    """Return the split of a stage of a program; that of its evaluation is open."""
    return {"missing": (("split", OF_EVAL),)} if _EVAL.fullmatch(_plain(value)) else _read_words(value)


OF_EVAL = "eval is valid or test, whichever the program was given: add --split"
"""Why numbers of a program's evaluation are left to the user."""

_EVAL = re.compile(r"eval(?:uat(?:ion|e|ing))?(?: set)?")


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


def _read_number_of(value: str, *, task: str) -> dict[str, Any]:
    """Return the task that a column of numbers says its rows are of, a mean over all of them included."""
    return {"task": task} if any(map(str.isdigit, value)) or is_mean(value) else {}


def _read_mean(value: str) -> dict[str, Any]:
    """Return what a mean is over, if not over all triples: ``macro``, ``over relations``; or that it is none."""
    task = find_task(_plain(value)) or find_task(f"averaged {_plain(value)}")
    return {} if task is None else {"task": task}


def _read_ties(value: str) -> _Said:
    """Return how tied ranks are counted, or what else a type of ranks says: ``raw``."""
    word = _plain(value)
    return {"rank_type": RANK_TYPES[word]} if word in RANK_TYPES else _read_words(value)


def _read_end(value: str) -> dict[str, Any]:
    """Return that numbers are not the last ones where the value says that nothing has ended yet."""
    return {"task": _RUNNING} if FLAGS.get(value.lower()) is False else _read_progress(value)


def _read_state(value: str) -> dict[str, Any]:
    return {"task": _RUNNING} if _plain(value) in _UNFINISHED else {}


def _read_progress(value: str) -> dict[str, Any]:
    """Return that a part of the batches is done: ``10/273``, ``50%``."""
    done = _DONE.fullmatch(value.strip())
    return {"task": _RUNNING} if done is not None and done[1] != (done[2] or "100") else {}


_RUNNING = "running"
_UNFINISHED = {"running", "in progress", "partial", "incomplete", "unfinished", "intermediate", "preliminary"}
_DONE = re.compile(r"(\d{1,9}) ?(?:%|/ ?(\d{1,9}))")


def _read_query(value: str) -> _Said:
    """Return what a kind of query says; those with several edges are complex ones, named as by BetaE."""
    if _COMPLEX.fullmatch(value.strip()):
        return {"task": "complex query"}
    return _read_setting(value)


# "2p", "3i", "ip", "2in", "2u-DNF": Ren and Leskovec, 2020.
_COMPLEX = re.compile(r"(?:[2-9][piu]|ip|pi|up|[23]in|inp|pin|pni)(?:-?(?:dnf|dm))?", re.IGNORECASE)


def _read_amount(value: str, *, task: str) -> dict[str, Any]:
    """Return the task that there is if there is any of something."""
    return {} if _NOTHING.fullmatch(value) else {"task": task}


_NOTHING = re.compile(r"0++(?:\.0++)? ?%?|none|no|clean", re.IGNORECASE)


def _read_part(value: str) -> _Said:
    return {} if _plain(value) in _USUAL | {"any", "none"} else {_PART: value}


_PART = "part"
_OF_PART = "it is of a part of the tasks, {} {}; the tables hold whole splits, and single relations."


def _read_fold(value: str) -> _Said:
    if said := read_words(value):
        return said
    none = value != "0" and FLAGS.get(value.lower()) is False
    return {} if none or _plain(value) in _USUAL else {"unclear": f"it is of fold {value} of a cross-validation"}


def _read_test_set(value: str) -> _Said:
    """Return the split that names a set of triples, ``umls/test.txt``; any other name is that of a part of it."""
    file = value.strip().lower().replace("\\", "/").rpartition("/")[2]
    name = re.sub(r"\.(?:txt|tsv|csv|del|triples)$", "", file)
    said = read_words(split_name(name)[1])
    return _read_part(value) if said is None else said


def _read_negatives(value: str) -> dict[str, Any]:
    return {"protocol": f"sampled:{count}"} if (count := read_count(value) or 0) > 0 else {}


def _read_candidates(value: str) -> dict[str, Any]:
    """Tell that candidates were sampled; whether the true one is among their number is open."""
    return {"task": _SAMPLED} if read_count(value) or _SAMPLES.fullmatch(_plain(value)) else {}


def _read_task(value: str) -> dict[str, Any]:
    """Return the task that a text is about, or whose name it is."""
    text = _plain(value)
    task = text if text in TASKS else find_task(text)
    return {} if task is None else {"task": task}


def _read_evaluated(value: str) -> dict[str, Any]:
    """Return the task that a text is about, or the side that is predicted."""
    return _read_task(value) or {role: word for role, word in (read_mode(value) or {}).items() if role == "side"}


def _read_subset(value: str) -> _Said:
    """Return that a subset is a part of the triples, or else the split that it is."""
    return _read_task(value) or _read_stage(value)


def _read_direction(value: str) -> _Said:
    """Return the side that a direction says, or that it is left to the user."""
    return {"missing": (("side", _DIRECTED),)} if _plain(value) in DIRECTIONS else _read_setting(value)


_DIRECTED = "a direction may say a side: add --side"


def _read_evaluator(value: str) -> dict[str, Any]:
    """Return what the name of a class tells: ``SampledRankBasedEvaluator``."""
    return _read_task(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", value)) | (
        {"task": _SAMPLED} if value.lower().startswith("sampled") else {}
    )


def _read_setting(value: str) -> _Said:
    """Return what a mode says, or the task that a setting names."""
    if _plain(value) in {"relation", "relations"}:
        return {"task": RELATION_PREDICTION}
    said = read_mode(value)
    return said or _read_task(value) or said


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
        (
            r"(?:no|without|skip|disable) (?:eval(?:uation)? )?filter(?:ed|ing|s)?(?: eval(?:uation)?)?",
            lambda value: _read_flag(value, raw=True),
            True,
        ),
        (
            r"(?:filter|remove|mask|exclude)(?: out)? (?:all |the )?(?:known|true|flag|triples|positives|facts|answers)"
            r"(?: (?:triples|facts|answers))?",
            partial(_read_flag, raw=False),
            True,
        ),
        (
            r"(?:(?:eval(?:uate)?|test|predict|rank) )(?:heads?|subjects?|lhs)",
            partial(_read_of_side, side="head"),
            True,
        ),
        (
            r"(?:(?:eval(?:uate)?|test|predict|rank) )(?:tails?|objects?|rhs)",
            partial(_read_of_side, side="tail"),
            True,
        ),
        (r"(?:only (?:heads?|subjects?)|(?:heads?|subjects?) only)", partial(_read_only, side="head"), True),
        (r"(?:only (?:tails?|objects?)|(?:tails?|objects?) only)", partial(_read_only, side="tail"), True),
        (r"(?:(?:eval(?:uate)?|test|predict|rank) )?both sides", _read_both, True),
        (
            r"(?:test|eval(?:uation)?) (?:fraction|frac|percent(?:age)?|portion|share)|fast test(?:ing)?",
            _read_fraction,
            True,
        ),
        (r"(?:filter(?:ed|ing)? (?:splits?|with|by|on|using)|known(?: (?:answers|triples|facts))?)", _read_known, True),
        (r"eval(?:uation)? (?:split|set)|eval(?:uated|uation) on", _read_words, True),
        (rf"eval(?:uation)? {_WHAT}|eval(?:uat(?:e|ed|ion))? on", read_mode, True),
        (
            r"(?:(?:is|use) )?type (?:constrain(?:ed|ts?)|filter(?:ed|s)?)(?: (?:eval(?:uation)?|ranking))?",
            partial(_read_yes, task="type-constrained"),
            True,
        ),
        (r"rank type|tie(?:s|breaking)?(?: (?:policy|break(?:ing)?|handling|method|mode))?", _read_ties, False),
        (
            r"(?:metric )?(?:average|averag(?:ing|ed)|avg|reduction|aggregat(?:e|ed|ion)|agg)"
            r"(?: (?:type|mode|method|over|by|level))?",
            _read_mean,
            True,
        ),
        (r"stat(?:istic)?|quantity", _read_mean, False),
        (r"(?:is |run )?(?:complete|completed|finished|done)", _read_end, False),
        (r"(?:is )?(?:partial|running|in progress|incomplete|unfinished)", partial(_read_yes, task=_RUNNING), False),
        (r"(?:run )?(?:status|state)", _read_state, False),
        (r"batch|progress|percent done", _read_progress, False),
        (r"evaluator(?: (?:name|type|class))?", _read_evaluator, True),
        (r"(?:is )?sampled(?: eval(?:uation)?)?", partial(_read_yes, task=_SAMPLED), False),
        (r"(?:is )?inductive", partial(_read_yes, task="inductive"), True),
        (r"(?:relation |rel )?(?:category|kind|mapping)(?: (?:name|type))?|rel(?:ation)? types?", _read_kind, False),
        (
            r"(?:node |entity )?degree|(?:frequency )?bucket|(?:relation )?cardinality"
            r"|(?:relation(?:al)? |query )?pattern"
            r"|(?:head|tail|subject|object|entity|node)(?: entity)? (?:type|class|category|degree|frequency)",
            _read_part,
            False,
        ),
        (r"(?:#|(?:num|n|number of|k) )?shots?", partial(_read_amount, task="few-shot"), True),
        (r"noise(?: (?:rate|ratio|level))?", partial(_read_amount, task="another graph"), False),
        (r"snapshot(?: (?:id|number))?", partial(_read_number_of, task="continual"), True),
        (r"client(?: (?:id|number))?", partial(_read_number_of, task="federated"), True),
        (r"(?:num|n|nb|number of) clients?", partial(_read_amount, task="federated"), True),
        (r"test ?(?:set|file)(?: name)?", _read_test_set, False),
        (r"(?:cv )?fold(?: (?:id|idx|index|number|nr))?", _read_fold, True),
        (rf"eval(?:uation)?|(?:rank(?:ing)?|metrics?|filter(?:ing)?|test)(?: {_WHAT})?", _read_words, True),
        (r"query (?:type|structure)|structure", _read_query, True),
        (r"quer(?:y|ies)", _read_query, False),
        (r"subset|partition", _read_subset, True),
        (r"(?:data ?|data ?set )?split(?: name)?|(?:data ?)?set|eval(?:uation)? data|phase|stage", _read_stage, False),
        (r"(?:(?:query|prediction) )?direction", _read_direction, False),
        (
            r"(?:batch |ranking )?(?:mode|type|setting|sides?|target|corrupt(?:ion|ed)?|predict(?:ion|ed)?|"
            rf"replaced)(?: {_WHAT})?",
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
            r"(?:candidates?|pool)(?: (?:entities|size|set|pool))?|rank(?:ed|ing) (?:against|among)",
            _read_candidates,
            False,
        ),
        (r"(?:(?:eval(?:uation)?|target) )?tasks?(?: (?:name|type))?", _read_evaluated, True),
        (
            r"(?:(?:num|n|nb|number of|num of|max|limit) )?(?:test(?:ed|ing)?|eval(?:uation|uated)?) "
            r"(?:triples|facts|size|samples|examples|queries|limit)|(?:n|num|max|limit) (?:eval(?:uated)?|test)",
            _read_triples,
            True,
        ),
        (r"(?:(?:num|n|max) )?eval(?:uation)? (?:sample size|subset(?: size)?|num samples)", _read_triples, True),
        (r"subset size|sample size|(?:num|n|max|limit) (?:triples|facts|queries)|limit", _read_triples, False),
        (r"(?:test|eval(?:uation)?) ratio|sample", _read_share, False),
        (r"(?:relations?|rel|predicate)(?: name)?", _read_relation, False),
    )
)


def read_setting(name: str, value: str, *, anywhere: bool = False) -> _Said:
    """Return the fields that a name with a value sets: those of what is stated about numbers, or ``num_triples``.

    None if the value is not understood. Only what is said of an evaluation counts `anywhere`, as among the settings
    of a program.
    """
    told = tell_setting(name, value, anywhere=anywhere)
    return told and {role: word for role, word in told.items() if role != "filtered"}


def tell_setting(name: str, value: str, *, anywhere: bool = False) -> _Said:
    """Return the same with ``filtered`` where something is: that sets no field, and is not raw."""
    read, whole = _find_reader(name)
    said = {} if read is None or (anywhere and not whole) else read(value)
    return {"unclear": _OF_PART.format(name, said[_PART])} if said and _PART in said else said


def tell_program(name: str, value: str, *, evaluated: bool = False) -> dict[str, Any]:
    """Return what a setting of a program says of its evaluation, ``filtered`` included; nothing if it says nothing.

    Where all settings are of what is `evaluated`, more of them count.
    """
    role = _plain(name)
    if role in {"protocol", "side"}:
        word = name_protocol(value) if role == "protocol" else (read_words(value) or {}).get(role)
        return _read_setting(value) or {} if word is None else {"filtered" if word == "filtered" else role: word}
    own = tell_setting(name, value) or {}
    of_evaluation = (tell_setting(f"evaluation {name}", value), own) if evaluated else ()
    told: dict[str, Any] = next(filter(None, (*of_evaluation, tell_setting(name, value, anywhere=True))), {})
    if not told:  # a mode may be one of training; a split is evaluated
        told = {role: word for role, word in own.items() if role == "split"}
    # Programs load "split: train"; one that evaluates it says so.
    named = _plain(name).startswith("eval")
    return {} if told.get("split") == "train" and not named else dict(told)


def tell_beside(name: str, value: str) -> dict[str, Any]:
    """Return what a setting next to numbers says, of whatever name if its value is a split, a side or a protocol."""
    told = tell_setting(name, value)
    if told is None and _PARTITION.fullmatch(name):
        return {"unclear": f"it is of {name} {value}, which is not understood"}
    role = None if told else find_qualifier(name, [value])
    if role is None or role == "relations":
        return told or (_read_task(value) if is_vague(name) else {})
    return {key: word for key, word in read_qualifier(name, value, role).items() if word != "train"}


_PARTITION = re.compile(r"subset|partition", re.IGNORECASE)


# "--eval-side tail", "--raw", "filtered=False", "num_eval_negatives: 100", "filtered .... False", "filtered -> False",
# "filtered   False".
_PAIR = re.compile(
    r"(?<![\w.-])(?:"
    r"--(?P<option>[A-Za-z][\w-]{1,30})(?:(?:=|[ \t]{1,3})['\"]?(?P<given>(?!-)[\w-]{1,30})(?!\w|\.\w)"
    r"|(?=[ \t]{0,3}(?:--|\\|\n|\Z)))"
    r"|-{0,2}(?P<name>[A-Za-z]\w{1,30})['\"]?[ \t]{0,20}[:=]"
    r"(?:[ \t]{0,3}|[ \t]?\n[ \t]{1,2}(?=(?i:true|false|yes|no)\b|\d))"
    r"(?:['\"](?P<quoted>[\w ,+%?()/-]{1,60})['\"]|['\"]?(?P<value>\d{1,9}(?:/\d{1,9}|%)|\d{0,3}\.\d{1,9}|[\w-]{1,30}))"
    r"(?!\w|\.\w|[ \t]{0,9}[:=])"
    r"|(?P<key>[A-Za-z]\w{1,30})[ \t]{0,40}(?:\.{3,60}|-{1,9}>|=>|(?P<bar>\|)|(?<=[ \t])(?=(?i:true|false)\b))"
    r"[ \t]{0,40}(?P<cell>[\w-]{1,30})"
    r"(?=[ \t]{0,40}\|?[ \t]{0,9}(?:\n|\Z)))"
)
# What a table next to numbers has in its heading: "filtered | raw".
_HEADED = {"raw", "filtered", "filter"}


class Pair(NamedTuple):
    """A setting in a text."""

    start: int  # where it is in the text
    end: int
    name: str
    value: str  # "true" for an option without one


def find_pairs(text: str, end: int, names: set[str]) -> Iterator[Pair]:
    """Find what looks like a setting up to some place of a text; behind it, only such of the `names` known by then."""
    last = 0
    for match in _PAIR.finditer(text, 0, end):
        last = match.end()
        cut = last == end < len(text)  # its value may go on behind the end
        yield from _make_pair(_PAIR.match(text, match.start()) if cut else match)
    if names and end < len(text):
        for place in _compile_names(names).finditer(text, max(last, end)):
            yield from _make_pair(_PAIR.match(text, place.start()))


def _compile_names(names: set[str]) -> re.Pattern[str]:
    """Return a pattern of settings by their names."""
    return re.compile(rf"(?<![\w.-])-{{0,2}}(?:{'|'.join(map(re.escape, sorted(names)))})(?![\w-])")


def _make_pair(match: re.Match[str] | None) -> Iterator[Pair]:
    if match is None:
        return
    value = match["given"] or match["quoted"] or match["value"] or match["cell"] or "true"
    if not match["bar"] or value.lower() not in _HEADED:
        yield Pair(*match.span(), match["option"] or match["name"] or match["key"], value)


def read_pairs(texts: Iterable[str]) -> dict[str, Any]:
    """Return what texts say that are settings only, ``filtered: False``, on their own or in parentheses."""
    said: dict[str, Any] = {}
    for part in (part for text in texts for part in (_drop_head(text), *_INNER.findall(text))):
        if len(part) > _LONGEST_PAIRS or re.search(r"\w", _PAIR.sub(" ", part)):
            continue
        for _, _, name, value in find_pairs(part, len(part), set()):
            said = add_setting(said, tell_program(name, value) or _tell_near(name, value), value)
    return said


def read_lines(texts: Iterable[str]) -> dict[str, Any]:
    """Return what lines near a table say that are a name and a value each: ``- task: relation prediction``."""
    said: dict[str, Any] = {}
    pairs = (found for text in texts for line in text.splitlines() if (found := _LINE.fullmatch(line)) is not None)
    for name, value in (found.groups() for found in pairs):
        said = add_setting(said, tell_program(name, value) or _tell_near(name, value), value)
    return said


def _tell_near(name: str, value: str) -> dict[str, Any]:
    """Return what a setting near a table says; one relation is none of those that its rows may name."""
    if _VERSION.fullmatch(_plain(name)) and VERSIONED.fullmatch(value):
        return {"unclear": _OF_VERSION.format(value)}
    told = tell_beside(name, value)
    return {"task": "by relation"} if "relations" in told else told


_VERSION = re.compile(r"(?:(?:data ?set|data|graph|benchmark) )?version")
_OF_VERSION = "the text around says version {0}: write it behind the name of the dataset"
_LINE = re.compile(r"[\s*+`\u2022#-]*+([A-Za-z][\w -]{1,30}+)\s?[:=]\s{0,3}([^\s:=`*][^:=`]{0,60})`?\s*")


@lru_cache(maxsize=4096)
def parse_heading(heading: str, k: int | None = None) -> Meaning | None:
    """Read the heading of a column as :func:`parse_column` does, settings included: ``MRR (filtered=False)``."""
    name, said = take_settings(heading)
    found = parse_column(name, k) if said else None
    return parse_column(heading, k) if found is None or found.role != "measured" else qualify(found, said)


def take_settings(label: str) -> tuple[str, dict[str, Any]]:
    """Return a label without the settings in it, and what they say."""
    text, said = join_levels(label), dict[str, Any]()
    if len(text) > _LONGEST_LABEL or not any(sign in text for sign in ":="):
        return label, said
    rest, last = list[str](), 0
    for start, end, name, value in find_pairs(text, len(text), set()):
        if told := tell_program(name, value, evaluated=True):
            said = add_setting(said, told, value)
            rest.append(text[last:start])
            last = end
    bare = _EMPTY.sub(" ", "".join((*rest, text[last:]))).strip(" \t,;|/:_-")
    return (bare, said) if said else (label, said)


_EMPTY = re.compile(r"[(\[][\s,;]*+[)\]]")
_LONGEST_LABEL = 200
_OF_HEADINGS = ("split", "side", "protocol", "filtered")
_OTHER_SETTING = "its heading has a setting, {}, as numbers of other tasks or of a part of them have"


def qualify(meaning: Meaning, said: Mapping[str, Any]) -> Meaning:
    """Return the meaning of a heading with what settings in it say; with a reason if they contradict it."""
    known = {role: word for role in _OF_HEADINGS if (word := getattr(meaning, role))}
    clash = contradict("", said, {"protocol": known.get("filtered"), **known}).get("unclear") or said.get("unclear")
    others = [f"{role} {each}" for role, each in said.items() if role not in {*_OF_HEADINGS, "unclear", "missing"}]
    reasons = (clash, *(why for _, why in said.get("missing", ())), *map(_OTHER_SETTING.format, others))
    reason = next((each.rstrip(".") for each in reasons if each), None)
    own = {role: word for role, word in said.items() if role in _OF_HEADINGS}
    return replace(meaning, **own, reason=meaning.reason or reason)


def read_model(cell: str, known: Mapping[str, Any], stems: Container[tuple[str, str]]) -> dict[str, str]:
    """Return what a row's name says of its tasks, as :func:`read_name` does, settings in parentheses included."""
    said = read_name(cell, known, stems)
    parts = _INNER.findall(cell)
    pairs = add_setting(read_pairs(parts), read_lines(parts), "") if any(sign in cell for sign in ":=") else {}
    if not pairs and not may_tell(cell):
        return said
    if not pairs:
        # Behind the name of a model, "ConvE 1-N", it is part of that.
        name, _, rest = cell.partition(" ")
        parts += [*_DASHED.findall(cell), *((cell,) if name.lower() in _LEADING or not read_remark(rest) else ())]
        # A number of negatives may be that of the training.
        inner = [each for each in parts if _COUNTED.search(each) is None]
        usual = said.keys() <= {"split", "side"} and {*said.values()} <= {"test", "both"}  # "(10% of test)" says more
        return next(filter(None, (read_remark(each, known) for each in inner if usual)), said)
    own = count_tasks({role: each for role, each in pairs.items() if role != "filtered"})
    return {**said, **own, **contradict("", pairs, {"protocol": known.get("filtered"), **known, **said})}


def read_remark(cell: str, known: Container[str] = ()) -> dict[str, str]:
    """Return why it is unclear what a row is of whose cell is a label such as ``tail only`` or ``unseen entities``.

    A cell that says what a model has or lacks, ``w/o inverse relations``, and a sentence say nothing of it.
    """
    alone = read_alone(cell, known)
    words = _plain(cell)
    if alone or not words or words.count(" ") >= _LONGEST_REMARK or not may_tell(cell) or _PART_OF_MODEL.search(cell):
        return alone
    run = _RUN.fullmatch(cell)
    name = "" if run is None else cell.replace("_", " ")
    told = tell_row(cell) or tell_row(name) or NOTHING_TOLD
    if run is not None and told.task is None and _COUNTED.search(name) is None:
        told = replace(told, task=find_task(run[1].replace("_", " ")))
    if told.rank_type is not None and "rank_type" not in known:
        return {"rank_type": told.rank_type}
    if told.task not in _OF_MODELS:
        return {"unclear": _REMARK.format(cell, "another task", told.task)}
    for role in ("split", "side", "protocol"):
        if (word := getattr(told, role)) not in {None, "test", "both"} and role not in known:
            return {"unclear": _REMARK.format(cell, role, word)}
    return {"unclear": told.unclear} if told.unclear else {}


_LEADING = {"on", "for", "in", "the", "results", "performance", "all", "test"}
# "RotatE - unseen entities".
_DASHED = re.compile(r"\s[-\u2013\u2014|]\s+([^()|]{2,60})$")
# "rotate_unseen_entities".
_RUN = re.compile(r"[A-Za-z0-9]{2,20}_([\w-]{3,60})")
_COUNTED = re.compile(r"(?<![\d,])\d[\d,]{0,12} (?:[a-z]{1,12} ){0,2}(?:neg|sample|candidate)", re.IGNORECASE)
_LONGEST_REMARK = 6
_REMARK = "{!r} may say {} {}: write what its row is of into a column of its own."
_PART_OF_MODEL = re.compile(
    r"^\W{0,3}[-+−]|\b(?:w/o|w/|without|with|no|uses?|using|module|loss|layer|encoder)(?!\w)", re.IGNORECASE
)
# What a model may be called, whatever it is evaluated on.
_OF_MODELS = frozenset({None, "temporal", "n-ary", "attack", "multi-hop reasoning"})


def _drop_head(text: str) -> str:
    head = _HEAD.match(text)
    return text if head is None else text[head.end() :]


# What leads to settings: "Note: filtered=False".
_HEAD = re.compile(r"\W*+(?:notes?|n\.b\.|remarks?|settings?|options?|evaluation(?: settings?)?)\s?:", re.IGNORECASE)
_INNER = re.compile(r"[(\[]([^()\[\]]{3,200})[)\]]")
_LONGEST_PAIRS = 2000


def read_test_set(name: str, value: str) -> dict[str, str]:
    """Return why it is unclear what a row is of, if a column of test sets calls its own by an unknown name."""
    found = read_setting(name, value) if _find_reader(name)[0] is _read_test_set else None
    return {"unclear": found["unclear"]} if found and "unclear" in found else {}


def names_setting(name: str) -> bool:
    """Tell whether a name may be that of a setting."""
    return _find_reader(name)[0] is not None


# Roles of columns that may hold a setting all the same, or say more.
OPEN_ROLES = frozenset({None, "rank_type", "split", "side", "model"})
# Sampled candidates are a task where their number is unknown.
_KINDS = {"task": "protocol", "filtered": "protocol", "missing": "split"}


def are_settings(name: str, cells: Iterable[str]) -> bool:
    """Tell whether the cells of a column say one thing of how their rows were evaluated, most of them understood."""
    # "full" may as well be the model without ablations.
    open_cells = {cell for cell in cells if _plain(cell) not in _USUAL} if names_setting(name) else ()
    told = [said for cell in open_cells if (said := tell_setting(name, cell)) is not None or cell.lower() != "none"]
    kinds = {_KINDS.get(key, key) for each in told for key in each or ()}
    return len(kinds) == 1 and 2 * told.count(None) < len(told)


def read_cell(name: str, cell: str) -> dict[str, Any]:
    """Return what a cell of such a column says, ``unclear`` and ``filtered`` included."""
    told = tell_setting(name, cell) if cell.strip() else {}
    return {"unclear": f"its cell {cell!r} in column {name} is not understood."} if told is None else told


def add_setting(said: Mapping[str, Any], told: Mapping[str, Any], text: str) -> dict[str, Any]:
    """Return what is said of numbers with what a setting tells, in a text; ``unclear`` if they contradict each other.

    Take out ``filtered`` after the last one.
    """
    if told.get("protocol") == "raw" and str(said.get("protocol")).startswith("sampled:"):
        told = {role: each for role, each in told.items() if role != "protocol"}  # sampled, filtered or not
    return {**said, **told, **contradict(text, told, {"protocol": said.get("filtered"), **said})}


@lru_cache(maxsize=4096)
def _find_reader(name: str) -> tuple[Callable[[str], _Said] | None, bool]:
    """Return how the value of a setting is read, and whether it says the same anywhere."""
    text = _plain(name)
    prefix = _OF_PROGRAM.match(text)
    inner = text if prefix is None else text[prefix.end() :]
    found = ((read, anywhere) for pattern, read, anywhere in _SETTINGS if pattern.fullmatch(inner))
    return next((each for each in found if inner == text or each[1]), (None, False))


# What trackers of experiments write before the name of a setting: "params.filtered", "config/eval_split".
_OF_PROGRAM = re.compile(r"(?:config|cfg|params?|parameters?|hparams|hyper ?param(?:eter)?s|args|arguments|settings) ")


def count_tasks(said: dict[str, Any]) -> dict[str, Any]:
    """Turn a number of triples into one of ranks: a triple is ranked on one side, or on both."""
    count = said.pop("num_triples", None)
    return said if count is None else {"num_tasks": count * (1 if said.get("side") in {"head", "tail"} else 2), **said}


def _plain(text: str) -> str:
    return " ".join(re.split(r"[\W_]+", text[:200].lower())).strip()
