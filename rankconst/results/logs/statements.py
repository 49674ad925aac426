"""What a line of a log says: its numbers with their names and tasks, or what holds for the lines below.

The words before a number say what it is: a metric, a split, a side, ``raw`` or ``filtered``, an epoch. What comes
before the metric holds for the rest of the line, what comes behind it for that number only (``MRR: Tail : 0.2, Head :
0.1``). What comes behind numbers, in parentheses or at the end of the line, holds for those before it: ``MRR: 0.3
(WN18RR)``. A word next to a metric that is not understood leaves the number out: ``mrr_type`` is of other tasks.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from rankconst.catalogue.mentions import describe_dataset, find_mentions, find_within, list_graphs
from rankconst.catalogue.protocols import SPLITS
from rankconst.results.logs.labels import PIECE, cut, drop_stamp, find_line_task, list_labels, read_label, tell_labels
from rankconst.results.logs.phrases import (
    EVALUATED,
    OPTION,
    SPLIT_OF,
    STEPS,
    WORD,
    Phrase,
    is_step,
    list_phrases,
    read_phrase,
    simplify,
)
from rankconst.results.tables.columns import WHICH_SIDES, find_other_tasks
from rankconst.results.tables.settings import find_pairs, names_setting, read_setting, tell_program, tell_setting
from rankconst.results.tables.surroundings import Above, find_task, tell

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


_BETWEEN = "its line names a dataset between its numbers"
ONLY = "its line says the {} of other numbers only"
"""Why a number is left out next to others of which more is said."""

MANY = "several numbers are behind its name"
"""Why a number is left out that is one of several behind a name."""

REVERSED = "its line has names behind the numbers"
"""Why numbers with their names behind them are left out."""

_BEHIND = "{!r} behind it is not understood"
_NUMBER = r"(?>[-+]?(?:\d{1,3}(?:,\d{3})+(?![\d,])(?:\.\d+)?|\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?)"
VALUE = re.compile(
    r"(?:(?P<sign>[:=]|\b(?:are|is)\b)[\s({]*+(?:(?:tensor|array|(?:np|numpy)\.\w{1,9})\()?[\s(]*+|\s)"
    rf"(?P<value>\[\s*{_NUMBER}(?:\s*,\s*{_NUMBER})*\s*\]"
    rf"|{_NUMBER}(?:\s*(?:±|\+/-|\+-)\s*{_NUMBER})?\s?%|{_NUMBER}(?:\s*(?:±|\+/-|\+-)\s*{_NUMBER})?[^\s,;:=|()\[\]{{}}]*+"
    r"|(?i:nan|-?inf|none|null)\b)(?!\s*[:=])",
    re.ASCII,
)
"""A number behind a sign, or behind a blank if it has a point; a number before a sign is part of a name."""

# Words in parentheses behind a number, or "on FB15k-237 and"; what is in brackets is about the next one: [VALID] MRR:
# 0.3 [TEST] MRR: 0.3.
_NOTE = re.compile(
    r"\s*+(?:\((?=[^()A-Za-z]*+[A-Za-z])([^()]*+)\)"
    r"|((?:on|for|in)\s[^,;|:=()]{1,60}?)(?=\s{0,3}(?:[,;|]|\band\b|\.?\s{0,9}$)))"
)
# A number that another one is compared with.
_COMPARED = re.compile(r"\b(?:vs|versus|than|compared|baseline|from|was|instead|over|against)\b", re.IGNORECASE)


def read_line(text: str) -> tuple[list[_Number], str, dict[str, str]]:
    """Return the numbers of a line (metric, what is said, value, why it is left out), the text behind, the context."""
    plain, line = _take_setting(simplify(text))
    found: list[_Number] = []
    # A metric whose name comes before those of sides, each with its number; metrics that are named before all of their
    # numbers, but for the first.
    first, queue = Phrase(), list[Phrase]()
    listed = end = told = 0  # `told`: the first number of which nothing was said behind it
    apart = ""  # why numbers behind a word that is not understood are left out
    odd, compared = (
        _RUNNING if _PROGRESS.search(plain) else "",
        False,
    )  # why all numbers of the line are left out; whether the last one is of something else
    behind: dict[str, str] = {}  # what was said behind others
    for match in VALUE.finditer(plain):
        value = match["value"].rstrip(".-")  # the end of a sentence, or a ruler
        label = plain[end : match.start()]
        if match["sign"] is None and "." not in value and not (value[1:] and _RANK.search(label[-_NEAR:])):
            continue
        if match["sign"] is None and not queue and not label.strip(_BETWEEN_COLUMNS):
            found[-1:] = [_leave(number, MANY) for number in found[-1:]]
        note, label = _cut_note(label) if found and plain.lstrip()[:1] != "(" else ("", label)
        told = _tell_behind(found, told, note, behind) if note else told
        label, between = _name_dataset(label, found, line)
        label, labels = _take_labels(label, plain[match.end("value") - 1 :])
        line |= labels
        phrases = list_phrases(_LEFT.sub("", label) if end else label)
        names = [each for each in phrases if each.names]
        odd = labels.get("unclear") or _find_odd(label, phrases, first=not end, numbered=bool(found)) or odd or between
        end = match.end()
        _mark(found, listed, len(queue) if phrases else 0)
        queue = [] if phrases else queue
        if len(names) > 1:
            queue, phrases, listed = names[1:], [*(each for each in phrases if not each.names), names[0]], len(found)
        elif queue:
            phrases = [queue.pop(0)]
        if value.isdecimal() and (key := _name_step(label)):
            line[key] = value.lstrip("0") or "0"
        phrase, after, first = _pick(phrases, line, first)
        compared = phrase is None and _COMPARED.search(label) is not None
        if phrase is None and note and _AND.fullmatch(label) and _cut_note(plain[end:])[0]:
            phrase = Phrase((found[-1][0],))  # MRR: 0.3 (raw), 0.4 (filtered)
        if phrase is None and match["sign"] and names and (aside := _LAST_ASIDE.search(label)) is not None:
            odd = f"{aside[1]!r} behind its name is not understood"
            found += [(name, dict(line), value, odd) for name in names[-1].names]
        if phrase is None:
            about, why = _read_numbered(label, value)
            found[told:] = [_leave(_add(each, about), why) for each in found[told:]]
            line, odd = line | about, why or odd
            continue
        said = line | _join(dict(phrase.before), dict(phrase.behind)) | after
        if again := [own for name, own, _, _ in found if name in phrase.names]:
            said, apart = _drop_carried(said, again, phrases, line)
        found += _expand(phrase, said, value, odd or apart or _find_about(plain[: match.start()]))
        apart = phrase.why if phrase.apart else apart
    _mark(found, listed, len(queue))
    _finish_line(found, told, plain[end:], behind, odd if odd == _BETWEEN else "", compared=compared)
    return _complete(found, plain), plain[end:] if found else _drop_asides(plain, end), line


def _take_labels(label: str, behind: str) -> tuple[str, dict[str, str]]:
    """Return a label without the flags in it, ``[filtered: false]``, and what these and other pieces of it say.

    Its last piece is the name of a number, unless a progress bar is `behind` it: ``few-shot: 100%|###``.
    """
    said = dict(tell_labels(label, named=not behind.startswith("%|")))
    rest, own = _cut_settings(label, _FLAG, "its line")
    return (rest, said | own) if own else (label, said)


def _cut_settings(text: str, pattern: re.Pattern[str], where: str) -> tuple[str, dict[str, str]]:
    """Return a text without the settings in the pieces that a pattern finds, and what these say."""
    said: dict[str, str] = {}
    for piece in pattern.findall(text):
        rest, own, vague = take_settings(piece)
        text = text.replace(piece, rest) if own or vague else text
        said |= own | ({"unclear": _OTHER_SETTING.format(where, *vague.values())} if vague else {})
    return text, said


_OTHER_SETTING = "{} has a setting, {}, as numbers of other tasks or of a part of them have"
_FLAG = re.compile(r"(?<![\w.-])[A-Za-z]\w{1,30}\s{0,3}[:=]\s{0,3}(?:true|false|yes|no)(?!\w)", re.IGNORECASE)


def _read_numbered(label: str, value: str) -> tuple[dict[str, str], str]:
    """Return what a setting with a number says of the numbers of its line, ``(shots=5)``, or why it leaves them out."""
    key = _KEY.search(label)
    if key is None:
        return {}, ""
    told = _tell_setting(key[0], value)
    said, odd = say_told(told)
    if "unclear" in told:
        return said | {"task": "subset"}, ""
    return said, _OTHER_SETTING.format("its line", f"{key[0]}={value}") if odd else ""


_KEY = re.compile(r"(?<![\w-])[A-Za-z][\w-]{1,30}$")


def say_told(told: Mapping[str, Any]) -> tuple[dict[str, str], bool]:
    """Return what a setting says of numbers as a line does, and whether it says more, which leaves them out."""
    said = {role: told[role] for role in ("split", "side", "task", "rank_type") if role in told}
    said |= {"task": "by relation"} if _names_relation(told) else {}
    said |= {f"{split}_triples": str(told["num_triples"]) for split in SPLITS if "num_triples" in told}
    said |= {f"missing {role}": why for role, why in told.get("missing", ())}
    raw = told.get("protocol") == "raw"
    said |= {"filter": "raw"} if raw else {"filter": "filtered"} if "filtered" in told else {}
    said |= {"protocol": told["protocol"]} if "protocol" in told and not raw else {}
    return said, "unclear" in told


def _find_about(text: str) -> str:
    """Return why a number is left out if the text before it says that it is approximate."""
    return _APPROXIMATE if _ABOUT.search(text[-_NEAR:]) else ""


def _drop_asides(plain: str, end: int) -> str:
    """Return a heading without its settings, ``Results on WN18RR (dim = 200):``; of other lines what is behind them."""
    begins, headed = _ASIDE.sub(" ", plain), _HEADED.search(plain) is not None
    if headed:
        begins = _SETTING.sub("", begins)
    values = [match["sign"] for match in VALUE.finditer(begins)]
    return begins if (headed and not any(values)) or (begins != plain and not values) else plain[end:]


def _leave_sideless(found: list[_Number]) -> list[_Number]:
    """Leave out numbers without a side next to a metric of one side only: ``MRR: Tail : 0.4, hits@1 : 0.3``."""
    sides: dict[str, set[str | None]] = {}
    for name, said, _, _ in found:
        sides.setdefault(name, set()).add(said.get("side"))
    if not any(each in ({"head"}, {"tail"}) for each in sides.values()):
        return found
    why = ONLY.format("side")
    return [number if number[1].get("side") else _leave(number, why) for number in found]


# "Hits@10 (50 negatives, as GraIL): 0.8"
_LAST_ASIDE = re.compile(r"\(([^()\n]{1,80})\)\s{0,9}$")
_ASIDE = re.compile(r"[(\[](?=[^()\[\]]{0,200}?[:=]\s?[-+.\d])[^()\[\]]{1,200}[)\]]")
_HEADED = re.compile(r"^\s*+#|:\s{0,9}$")
_SETTING = re.compile(rf"[,;|]\s{{0,3}}[A-Za-z][\w -]{{0,30}}\s?[:=]\s?{_NUMBER}(?=\s{{0,3}}(?:[,;|:]|$))", re.ASCII)


def _complete(found: list[_Number], plain: str) -> list[_Number]:
    """Return the numbers of a line with what all of it says of them: task, number of triples, step."""
    shared: dict[str, str] = {}
    if found and (task := find_line_task(plain) or _find_part(plain)) is not None:
        shared["task"] = task
    if found and (counted := _COUNTED.search(plain)) is not None:
        shared |= {f"{split}_triples": counted[1].replace(",", "") for split in SPLITS}
    own = _leave_sideless(found)
    return [(name, settle_steps(said | shared, current=True), value, why) for name, said, value, why in own]


def _take_setting(plain: str) -> tuple[str, dict[str, str]]:
    """Return a line without the dataset that one of its pairs names, wherever that is, and the dataset."""
    named = list(_PAIR_OF_DATASET.finditer(plain))
    line = _take_dataset(named[0][1])[1] if len(named) == 1 else {}
    if not line.get("dataset"):
        return plain, {}
    return f"{plain[: named[0].start()]} {plain[named[0].end() :]}", line


_PAIR_OF_DATASET = re.compile(r"(?<![\w-])data_?set(?:_?name)?\s{0,2}=\s{0,2}([\w.-]*\w)(?=[\s,;)\]]|$)", re.IGNORECASE)


def _name_dataset(label: str, found: list[_Number], line: dict[str, str]) -> tuple[str, str]:
    """Return a label without the graph of the line, and why the numbers behind another one are left out."""
    if found and _GRAPH.search(label) is None:
        return label, ""
    label, named = _take_dataset(label)
    if not found:
        line |= named
    return label, _BETWEEN if named and named["dataset"] != line.get("dataset") else ""


def _drop_carried(
    said: dict[str, str], again: list[dict[str, str]], phrases: list[Phrase], line: dict[str, str]
) -> tuple[dict[str, str], str]:
    """Return what is said of a metric that the line names again, and why it is left out: its side is not the last one.

    Behind those of both sides, or raw and filtered, the number is of none of the two.
    """
    here = {key for each in phrases for key, _ in (*each.before, *each.behind)}
    carried = [
        key
        for key in ("side", "filter")
        if key in said.keys() - here and said[key] != "both" and said[key] in {own.get(key) for own in again}
    ]
    for key in (*carried, *({"best"} - here)):
        line.pop(key, None)
        said = {each: word for each, word in said.items() if each != key}
    open_key = next((key for key in carried if len({own.get(key) for own in again}) == 1), "")
    return said, ONLY.format(open_key) if open_key else ""


def _find_reversed(label: str) -> str:
    """Return why numbers are left out whose names are behind them: ``0.343 (MRR), 0.543 (H@10)``."""
    named = _NAMED_BEHIND.fullmatch(label) is not None and any(each.names for each in list_phrases(label))
    return REVERSED if named else ""


def _find_part(plain: str) -> str | None:
    """Return the task of a line that counts parts of what is evaluated: ``Client 2, MRR: 0.3``."""
    part = _NUMBERED_PART.search(plain)
    return None if part is None else "continual" if part[1].lower() == "task" else read_pair(f"{part[1]}: {part[2]}")


_NUMBERED_PART = re.compile(
    r"(?<![\w-])(client|snapshot|fold|task)\s?[:=#]?\s?(\d{1,4})(?![\w.%])", re.ASCII | re.IGNORECASE
)
# Of how many triples the numbers of a line are: "test (5,000 triples)".
_COUNTED = re.compile(r"\((\d{1,3}(?:,\d{3})+|\d{1,9}) (?:(?:test|valid(?:ation)?) )?triples\)", re.ASCII)
# A progress bar before its end, with what was computed so far: " 50%|#####     | 50/100 [00:01<00:01, mrr=0.5]".
# LibKGE counts batches: "batch:  10/273, mrr (filt.): 0.201 (0.311)".
_PROGRESS = re.compile(
    r"(?<![\d.])\d{1,2}%\s?\|[^|\n]{0,200}\|\s{0,9}\d{1,12}/\d{1,12}\s\["
    r"|\bbatch:?\s{1,4}(\d{1,12})/(?!\s{0,4}\1(?!\d))\s{0,4}\d{1,12}(?!\d)",
    re.IGNORECASE,
)
_RUNNING = "it is next to a progress bar before its end: it may be of the ranks so far"
# The time that is left.
_LEFT = re.compile(r"^\s{0,3}left\s{0,3}(?=[,;|)\]])", re.IGNORECASE)
# A mean rank may be printed without decimals.
_RANK = re.compile(r"(?:\bMR|\bmean[ _]?rank)\s?$", re.IGNORECASE)
_NEAR = 12
_ABOUT = re.compile(r"(?:[~\u223c\u2248\u2245]|\b(?:about|around|roughly|approx\.?|ca\.))$", re.IGNORECASE)
_APPROXIMATE = "it is approximate, and it is open how far it may be off"
_NAMED_BEHIND = re.compile(r"\s*+\([^()]{1,40}\)[\s,;|&]*+(?:and\b)?\s*+")
# What may be between the numbers of a row.
_BETWEEN_COLUMNS = " \t,/|;->\u2013\u2192\u21d2\u27f6\u279c"
_AND = re.compile(r"[\s,;.&]*+(?:and\b)?[\s,;.&]*+")


def _cut_note(text: str) -> tuple[str, str]:
    """Return what the beginning of a text says of the number before it, and what is behind that."""
    found = _NOTE.match(text[:_NEXT])
    words = "" if found is None else found[1] or (found[2] if _GRAPH.search(found[2]) else "")
    return (words, text[found.end() :]) if words and found is not None else ("", text)


# How far behind a number its own words may end.
_NEXT = 200
_TAG = re.compile(r"\[\s?([A-Za-z][\w -]{0,30})\]\s{0,9}[A-Za-z]", re.ASCII)


def _find_tag(label: str) -> str:
    """Return why numbers behind others are left out: ``[TEST] MRR: 0.3 [Paper] MRR: 0.4``."""
    if (tag := _TAG.search(label)) is None:
        return ""
    phrase = read_phrase(tag[1])
    return "" if phrase.names or phrase.understood else f"{tag[1]!r} before it is not understood"


def _find_odd(label: str, phrases: list[Phrase], *, first: bool, numbered: bool) -> str:
    """Return why the numbers behind a label are left out: it may name other tasks, or a part of them.

    It is the `first` of its line, or not; there may be numbers of metrics before it.
    """
    return (
        _find_part_of(label, phrases)
        or (_find_tag(label) if numbered else "")
        or ("" if first else _find_reversed(label))
    )


def _find_part_of(label: str, phrases: list[Phrase]) -> str:
    odd = next((each.why for each in phrases if each.why and not each.names), "")
    if not any(each.names for each in phrases):
        return odd
    if (unlike := _UNLIKE.search(label)) is not None:
        return odd or DIFFERS.format(unlike[1])
    if (cited := _CITED.search(label)) is not None:
        return odd or _OF_OTHERS.format(cited[0])
    other = find_other_tasks(label)
    return odd or (f"{other!r} before it is not understood" if other is not None and not find_task(label) else "")


APART = (
    r"improvements?|improved|gains?|deltas?|diff(?:erence)?s?|increases?|decreases?|drops?|gap|std|stdev|stddev|sd|sem|"
    r"variance|standard[ _](?:deviations?|errors?)"
)
"""Words for how far values of a metric are apart, as a pattern."""

_UNLIKE = re.compile(
    rf"\b({APART})\b[\s:(_]{{1,4}}(?:(?:in|of|on|for|the|test|valid|validation|dev|filtered|raw|both|head|tail)[\s:_]{{1,3}})"
    r"{0,4}(?=mrr|mr\b|mean[ _]r|hits?\b|hits?[@_]|h@)",
    re.IGNORECASE,
)
DIFFERS = "{!r} says that it is a spread or a difference, not a value"
"""Why a number behind one of these is left out."""

# Before a number that the program did not compute; "paper/train.py" is a file.
_CITED = re.compile(
    r"(?<![\w/\\.-])(?:papers?|published|literature|reported (?:in|by)|references?|sota|state[- ]of[- ]the[- ]art|"
    r"leaderboard|the baselines?)(?![\w/\\.-])",
    re.IGNORECASE,
)
_OF_OTHERS = "{!r} says that it is no result of this run"


def _expand(phrase: Phrase, said: dict[str, str], value: str, why: str) -> list[_Number]:
    """Return the numbers of a phrase, which may name several metrics."""
    mark = "," if value.startswith("[") else "/"
    values = [each.strip() for each in value.strip("[]").split(mark)] if len(phrase.names) > 1 else [value]
    if len(values) != len(phrase.names):
        return [(phrase.names[0], said, value, f"{len(phrase.names)} names for {len(values)} numbers")]
    return [(name, said, each, phrase.why or why) for name, each in zip(phrase.names, values, strict=True)]


_Number = tuple[str, dict[str, str], str, str]
_ONE_EACH = ("dataset", "split", "side", "filter")
_DEFAULTS = {"both", "test", "train", "filtered", ""}  # "train" is in many a line about times


def _join(first: dict[str, str], last: dict[str, str]) -> dict[str, str]:
    """Return what both say, and nothing in particular where they contradict each other."""
    pairs = {key: {first[key], last[key]} - {"both"} for key in _ONE_EACH if key in first and key in last}
    return first | last | {key: next(iter(said or {"both"})) if len(said) < 2 else "" for key, said in pairs.items()}


def _leave(number: _Number, why: str) -> _Number:
    """Leave a number out if there is a reason, unless there was one already."""
    return (*number[:3], number[3] or why)


def _add(number: _Number, said: dict[str, str]) -> _Number:
    """Return a number of which more is said."""
    name, own, value, why = number
    return name, _join(own, said), value, why


def _tell_behind(found: list[_Number], told: int, text: str, behind: dict[str, str], *, compared: bool = False) -> int:
    """Tell the numbers from `told` on what a text behind them says, and return the first that is not told.

    What is said of a number that others are `compared` with leaves open what these are of.
    """
    said, vague = _read_behind(text)
    if compared:
        said, vague = {}, {**vague, **dict.fromkeys(said, text.strip())}
    for place in range(told, len(found)):
        odd = next((piece for key, piece in vague.items() if not found[place][1].get(key)), "")
        found[place] = _leave(_add(found[place], said), _BEHIND.format(odd) if odd else "")
    behind |= said
    return len(found) if said else told


def _finish_line(
    found: list[_Number], told: int, rest: str, behind: dict[str, str], odd: str, *, compared: bool
) -> None:
    """Tell the last numbers of a line what its end says; leave those out that lack what is said behind others.

    `odd` says why it is open which of them the end of the line is about.
    """
    if not found:
        return
    found[:] = [_leave(number, "" if number[1].get("dataset") else odd) for number in found]
    for place in range(_tell_behind(found, told, rest, behind, compared=compared), len(found)):
        lacks = next((key for key in behind if key in _ONE_EACH and not found[place][1].get(key)), "")
        found[place] = _leave(found[place], ONLY.format(lacks) if lacks else "")


@lru_cache(maxsize=8192)
def _read_behind(text: str) -> tuple[dict[str, str], dict[str, str]]:
    """Return what a text behind numbers says of them, and of what it says something that is not understood."""
    if not any(map(str.isalpha, text)):
        return {}, {}
    text, said = _take_dataset(text)
    text, settings, vague = take_settings(text)
    said |= settings
    for part in filter(None, map(str.strip, PIECE.split(text))):
        phrase = read_phrase(part)
        own = {key: each for key, each in phrase.before if key in (*_ONE_EACH, "rank_type")}
        if phrase.understood and not phrase.names:
            said = _join(said, own)
        else:
            vague |= {key: part for key, each in own.items() if each not in _DEFAULTS}
        if phrase.why == WHICH_SIDES:
            vague["side"] = part
    for label in list_labels(text):
        labels = dict(read_label(label))
        vague |= {"part": label} if "unclear" in labels else {}
        vague |= {"split": label} if TRAIN_ALONE.fullmatch(label) else {}
        said = {key: each for key, each in labels.items() if key != "unclear"} | said
    return said, vague


def _tell_setting(name: str, value: str) -> dict[str, Any]:
    """Return what a setting next to numbers says of them; a count of negatives may be that of the training."""
    counts = value.replace(".", "").isdecimal()
    return tell_program(name, value, evaluated=not counts) or (tell_setting(name, value) or {} if counts else {})


def take_settings(text: str) -> tuple[str, dict[str, str], dict[str, str]]:
    """Return a text that is about numbers without its settings, what these say, and which leave the numbers out.

    ``(filtered=False)`` says that they are raw, ``(protocol=sampled)`` that they are of other tasks.
    """
    said, vague = dict[str, str](), dict[str, str]()
    rest, last = "", 0
    for start, end, name, value in find_pairs(text, len(text), set()):
        told = _tell_setting(name, value)
        if not told and not names_setting(name):
            continue
        rest, last = f"{rest}{text[last:start]} ", end
        own, odd = say_told(told)
        said |= own
        vague |= {"part": text[start:end]} if odd else {}
    return rest + text[last:], said, vague


def _pick(phrases: list[Phrase], line: dict[str, str], first: Phrase) -> tuple[Phrase | None, dict[str, str], Phrase]:
    """Return the phrase that names a number, what is said behind it, and the metric for numbers of further sides.

    What is said before it is added to what holds for the line.
    """
    named = next((place for place in reversed(range(len(phrases))) if phrases[place].names), -1)
    for each in phrases if named < 0 else phrases[: named + 1]:
        line |= dict(each.before)
    if named < 0:
        local = dict(phrases[-1].before) if phrases and phrases[-1].understood else {}
        goes_on = bool(first.names) and not local.keys().isdisjoint({"side", "split", "filter"})
        return (first, local, first) if goes_on else (None, {}, Phrase())
    others = phrases[named + 1 :]
    if not all(each.understood for each in others):
        return None, {}, first
    behind = {key: said for each in others for key, said in each.before}
    return phrases[named], behind, phrases[named] if others else Phrase()


def _mark(found: list[_Number], first: int, missing: int) -> None:
    """Leave out the numbers from `first` on if fewer follow than were named before them."""
    if missing:
        why = f"{len(found) - first + missing} names for {len(found) - first} numbers"
        found[first:] = [(name, said, value, why) for name, said, value, _ in found[first:]]


def _name_step(label: str) -> str:
    """Return what the number behind a label is: a step, a step or how many there were, or nothing of that."""
    words = WORD.findall(OPTION.sub("", label.lower()))
    return STEPS[words[-1]] if words and is_step(words, len(words) - 1) and "best" not in words else ""


def settle_steps(said: dict[str, str], *, current: bool) -> dict[str, str]:
    """Return what is said with the number behind "epochs" as the step if it is the `current` one, else without it."""
    steps = {"step": said["steps"]} if current and "steps" in said else {}
    return steps | {key: each for key, each in said.items() if key != "steps"}


def read_heading(text: str) -> dict[str, str]:
    """Return what a line without numbers says of those below."""
    text, said = _take_dataset(_SELECTED.sub(" ", drop_stamp(text.rpartition("\r")[2])))
    text = _FOLDERS.sub(" /", text)
    headed = _SECTION.search(text) is not None
    text = _MODE.sub(" ", _cut_settings(text, _INNER, "")[0]) if headed else text
    if (task := find_line_task(text)) is not None:
        named = {SPLIT_OF[word] for word in WORD.findall(text.lower()) if word in SPLIT_OF and word != "testing"}
        said |= {"task": task} | ({"tied": named.pop()} if len(named) == 1 else {})  # the task of that split only
    split = _SPLIT.search(text)
    named_split = None if split is None else SPLIT_OF.get(split[1].lower())
    stated = {"split": named_split} if named_split in {"valid", "test"} else {}
    if (known := next((key for words, key in _KNOWN_BY.items() if words in text), None)) is not None:
        said["protocol"] = known
    parts = [(part.strip(), end) for part, end in cut(text.rstrip(" :")) if part.strip()]
    free = [
        part for part, end in parts if not _SET.match(text, end) or (_is_evaluated(part) and not _OFF.match(text, end))
    ]
    for part, _ in parts:
        phrase = read_phrase(part)
        alone = headed or all(read_phrase(each).understood for each, _ in parts if each != part)
        if phrase.understood and not phrase.names and part in free:
            whole = len(parts) == 1 or not EVALUATED.isdisjoint(WORD.findall(part.lower()))
            said |= {key: each for key, each in phrase.before if each and (each != "both" or whole)}
        else:
            said |= {key: each for key, each in phrase.before if key in {"step", "steps"}}
            if part in free and alone and phrase.why == WHICH_SIDES:
                said["missing side"] = WHICH_SIDES
            whole = headed or (alone and _RANKED_ALONE.fullmatch(part) is not None)
            if whole and part in free and not phrase.names and "task" not in said:
                said |= _tell_beginning(part, phrase)
    return _guess_split([WORD.findall(part.lower()) for part in free]) | said | stated


# What a program did besides: "Results (mode=train)".
_MODE = re.compile(r"\b(?:mode|phase|stage)\s?[:=]\s?train\w{0,3}", re.IGNORECASE)
# "raw_data: data/raw" is a folder.
_FOLDERS = re.compile(r"(?<=[:=])\s{0,3}+['\"]?[\w.~-]{1,80}+/[\w./~-]*+(?![^\s'\",;)\]])")


def tell_heading(text: str) -> dict[str, str]:
    """Return what labels of a line without numbers say, if it is a heading or says nothing else."""
    text = _take_dataset(drop_stamp(text.rpartition("\r")[2]))[0]
    settings = dict[str, str]()
    if headed := _SECTION.search(text) is not None:
        for pattern in (_INNER, _FLAG):
            text, own = _cut_settings(text, pattern, "the heading above")
            settings |= own
    labels = {each: dict(read_label(each)) for each in list_labels(text)}
    others = (read_phrase(each) for each, told in labels.items() if not told)
    headed = headed or all(each.understood and not each.names for each in others)
    told = {key: each for own in labels.values() for key, each in own.items()} if headed else {}
    return told | settings | _find_train(text, labels, headed=headed)


def _find_train(text: str, labels: Iterable[str], *, headed: bool) -> dict[str, str]:
    """Return that the split is open if a line says train alone, in parentheses, or as what is evaluated."""
    evaluated = headed and not EVALUATED.isdisjoint(WORD.findall(text.lower())) and "%|" not in text
    alone = TRAIN_ALONE.fullmatch(text) or (headed and _TRAIN_INNER.search(text))
    trained = alone or (evaluated and any(map(TRAIN_ALONE.fullmatch, labels)))
    return {"split": "", "missing split": MAY_BE_TRAIN} if trained else {}


_INNER = re.compile(r"[(\[][^()\[\]]{3,200}[)\]]")


# A program may evaluate train there, or begin to train.
_TRAIN = r"(?:on (?:the )?)?(?:train(?: ?(?:set|split|data|triples|facts))?|training (?:set|split|triples|facts))"
TRAIN_ALONE = re.compile(rf"[\W_]{{0,40}}{_TRAIN}[\W_]{{0,40}}", re.IGNORECASE)
"""A line, or a label, of train and nothing else."""

_TRAIN_INNER = re.compile(rf"[(\[]\s?{_TRAIN}\s?[)\]]", re.IGNORECASE)
MAY_BE_TRAIN = "the line above says train, which may be its split: add --split"


def _tell_beginning(part: str, phrase: Phrase) -> dict[str, str]:
    """Return what a heading says with words that are not understood: ``Tail prediction of BERT``, ``corrupted tails``.

    Of the side and the filter that is open, unless it begins with it: then they are left to the user.
    """
    begins = read_phrase(_CONNECTED.split(part, maxsplit=1)[0])
    evaluates = _EVALUATES.search(part) is not None
    role = {"filter": "protocol"} if evaluates or "unfilt" in part.lower() else {}
    role |= {"side": "side"} if _RANKED.search(part) else {}
    told = {key: each for key, each in begins.before if begins.understood and evaluates}
    vague = {key: each for key, each in phrase.before if (key, each) in _OPEN_WORDS and key in role.keys() - told}
    return {key: each for key, each in told.items() if key in role} | {
        f"missing {role[key]}": _VAGUE.format(part, each, role[key]) for key, each in vague.items()
    }


# A line that heads others: "# Tail", "== Tail ==", "Tail:".
_SECTION = re.compile(r"^\s*+(?:#|[=*_-]{2})|:\s{0,9}$")
_CONNECTED = re.compile(r"\s(?:with|of|for|by|using|from|in|v\d)(?![a-z])", re.IGNORECASE)
_EVALUATES = re.compile(
    r"^[\s\w#=*-]{0,40}?(?:prediction|evaluation|eval|results?|metrics|scores|ranking|performance)\b", re.IGNORECASE
)
# "Multi-head attention" and "tail latency" are of no side.
_RANKED = re.compile(
    r"(?<![\w-])(?:head|tail)s?[- ](?:batch|side|quer(?:y|ies)|entit|predict|rank|corrupt|replace)"
    r"|(?:corrupt\w{0,4}|replac\w{1,4}|predict\w{0,4}|over|missing) (?:the )?(?:head|tail)s?(?![\w-])",
    re.IGNORECASE,
)
_RANKED_ALONE = re.compile(rf"(?:{_RANKED.pattern})\w{{0,9}}", re.IGNORECASE)
_OPEN_WORDS = {("side", "head"), ("side", "tail"), ("filter", "raw")}
_VAGUE = "{!r} above it may say {}: add --{}"


# What a model was chosen by, as a setting: "best_on: valid", "early_stopping: valid_mrr".
_SELECTED = re.compile(
    r"\b(?:best[_ -](?:on|by|split|set|metric|key|criterion)|(?:select\w{0,9}|early[_ -]?stop\w{0,5}|monitor\w{0,3}|"
    r"model[_ -]selection|tun(?:ed|ing)|chosen|criterion|checkpoint|ckpt)(?:[_ -][a-z]{1,12}){0,2})\s{0,3}[:=]"
    r"\s{0,3}(?:best[_ -])?(?:val|valid|validation|dev)(?![a-z@])",
    re.IGNORECASE,
)


def read_pair(text: str) -> str | None:
    """Return the task that a line tells which is one name with a value: ``relation: _hypernym``, ``fold: 1``."""
    pair = _PAIR.fullmatch(drop_stamp(text))
    told = (read_setting(pair[1], pair[2]) or {}) if pair is not None else {}
    part = "by relation" if _names_relation(told) else "subset" if "unclear" in told else None
    return told.get("task", part)


def _names_relation(told: Mapping[str, Any]) -> bool:
    """Tell whether a setting names a relation, and not how a model relates entities: ``relation: translation``."""
    return any(each.lower() not in _OPERATORS for each in told.get("relations", ()))


_OPERATORS = {"translation", "rotation", "diagonal", "complex_diagonal", "linear", "affine", "complex", "bilinear"}
# Names of files have points, their paths slashes.
_PAIR = re.compile(r"[\s#*=-]*+([A-Za-z][\w -]{1,30})\s?[:=]\s?(\d+(?:\.\d+)? ?%?|[^\s:=./][^:=./]{0,60})")


# "Dataset: WN18RR   Split: valid   Model: RotatE"
_SPLIT = re.compile(
    r"(?<![\w-])(?:eval(?:uation)?[_ ])?split['\"]?[ \t]{0,20}[:=]\s{0,3}['\"]?([a-z]{3,10})\b", re.IGNORECASE
)
# MultiHopKG says by which splits known answers are known.
_KNOWN_BY = {"(correct evaluation)": "libkge", "(include test set labels)": "standard"}
_LEAST_WORDS = 3


# What is behind a flag.
_OFF = re.compile(r"['\"]?\s*[:=]\s*(?i:true|false|yes|no|none|\d+)\b")


def _is_evaluated(part: str) -> bool:
    """Tell whether a part of a heading says what is evaluated, whatever is behind it: "Evaluate A on train set:".

    "Evaluating:" alone says that of what is behind it.
    """
    words, phrase = WORD.findall(part.lower()), read_phrase(part)
    leads = "evaluating" in words and phrase.understood and not phrase.before
    return leads or (len(words) >= _LEAST_WORDS and not EVALUATED.isdisjoint(words))


def _guess_split(parts: list[list[str]]) -> dict[str, str]:
    """Return the split of a heading with words that mean nothing here: "Test results of TransE", "valid on UMLS"."""
    first = {SPLIT_OF[words[0]] for words in parts if words[1:2] == ["on"] and words[0] in SPLIT_OF} - {"train"}
    words = {word for part in parts for word in part} - {"training"}  # that is a time rather than a split
    named = first or ({SPLIT_OF[word] for word in words if word in SPLIT_OF} if words & EVALUATED else set())
    return dict.fromkeys(("split",), named.pop()) if len(named) == 1 else {}


# "valid : True" and "filtered -----> False" are settings.
_SET = re.compile(
    r"['\"]?\s*+(?:(?::|=(?!=)|-+>)\s*[^\s(:=]|(?:\|\s{0,40})?+(?i:true|false|yes|no|on|off)\s{0,40}(?:\||$))"
)


def _take_dataset(text: str) -> tuple[str, dict[str, str]]:
    """Return a text without the graph that it names, and which one that is: none if it names several."""
    if _GRAPH.search(text) is None:
        return text, {}
    named, dataset = _find_dataset(_TIMES.sub("0", _PRETRAINED.sub(" ", text)))
    for each in named:
        text = text.replace(each, " ")
    return text, {"dataset": dataset} | ({} if dataset else {"among": "\n".join(named)}) if named else {}


# What a model was trained on before, or elsewhere: "--init FB15k-237", "pretrained on WN18RR", "train_dataset: UMLS".
_PRETRAINED = re.compile(
    r"(?:\b(?:train(?:ing)?|source)[_-](?:dataset|graph|kg)|"
    r"\bpre-?train(?:ed|ing)?|--init|\binit(?:ialize)?_from)(?:[_ ]\w{1,20})?(?: (?:on|from|with))?"
    r"['\"]?[\s:=]{1,3}['\"]?[\w./~-]{1,200}",
    re.IGNORECASE,
)


@lru_cache(maxsize=8192)
def _find_dataset(text: str) -> tuple[tuple[str, ...], str]:
    mentions = find_mentions(_FILE.sub(lambda found: find_within(found[0]) or found[0], text))
    graphs = list_graphs(mentions[0]) if len(mentions) == 1 else ()
    task = tell((Above("caption", text),)).task if mentions else None
    return tuple(each.text for each in mentions), " or ".join(describe_dataset(graph, task) for graph in graphs)


# Names of files, which may begin with that of a dataset.
_FILE = re.compile(r"[\w-]{1,80}\.(?:pth?|ckpt|pkl|bin|h5|npz|json|ya?ml|txt|log|csv|tsv)\b", re.ASCII)
# Numbers that make lines differ, and are no part of a name.
_TIMES = re.compile(r"(?<![A-Za-z\d_-])\d[\d.,:]{3,}")
# Names of graphs have a figure, or are among these.
_GRAPH = re.compile(
    r"[a-z]-?[0-9]{2}|yago|codex|nell|wiki|biokg|ogbl|umls|kinship|nations|hetio|freebase|wordnet", re.IGNORECASE
)
