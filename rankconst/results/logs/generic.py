"""Lines with ``name: value`` or ``name = value``, of any tool: what no reader of one tool's log recognises.

The words before a number say what it is: a metric, a split, a side, ``raw`` or ``filtered``, an epoch. What comes
before the metric holds for the rest of the line, what comes behind it for that number only (``MRR: Tail : 0.2, Head :
0.1``). What comes behind numbers, in parentheses or at the end of the line, holds for those before it: ``MRR: 0.3
(WN18RR)``. Lines without numbers may say it for those below: ``Dev set``, ``-- test result --``. A word next to a
metric that is not understood leaves the number out: ``mrr_type`` is of other tasks.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice, pairwise
from typing import TYPE_CHECKING

from rankconst.catalogue.mentions import describe_dataset, find_mentions, find_within, list_graphs
from rankconst.catalogue.protocols import SPLITS
from rankconst.catalogue.tools import parse_tool
from rankconst.results.logs.lines import (
    MOST_NUMBERS,
    SETTINGS,
    Found,
    LogFormat,
    Rule,
    find_dataset,
    list_benchmarks,
    make_reader,
    name_unknown,
    strip_colours,
)
from rankconst.results.reading import NO_SPLIT, Entries, Notes, Reader, Skipped
from rankconst.results.tables.columns import (
    CONSTRAINED,
    WHICH_SIDES,
    Meaning,
    find_other_tasks,
    is_retrieval,
    parse_column,
    split_glued,
)
from rankconst.results.tables.settings import read_setting
from rankconst.results.tables.surroundings import Above, find_task, tell
from rankconst.results.tables.text import find_headings
from rankconst.results.tables.units import (
    drop_contradictions,
    find_family,
    leave_small,
    name_percentages,
    settle_units,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from rankconst.results.document import Document
    from rankconst.results.reading import Reading

_SPLITS = {word: split for split, words in SPLITS.items() for word in (split, *words)} | {"tst": "test"}
_SIDES = {
    **dict.fromkeys(("head", "heads", "subject", "subjects", "lhs", "backward", "po"), "head"),
    **dict.fromkeys(("tail", "tails", "object", "objects", "rhs", "forward", "sp"), "tail"),
    **dict.fromkeys(
        ("both", "all", "avg", "average", "averaged", "overall", "total", "cumulative", "combined", "pooled", "merged"),
        "both",
    ),
}
_FILTERS = {"raw": "raw", "unfiltered": "raw"} | dict.fromkeys(("filtered", "filter", "filt", "fil", "flt"), "filtered")
_FILTERS["timefiltered"] = "time-aware"
# The protocol that each of them names; filtered is that of the tool.
_PROTOCOLS = {"raw": "raw", "time-aware": "time-aware"}
_TIES = {"realistic", "optimistic", "pessimistic"}
_CONTEXT = {"split": _SPLITS, "side": _SIDES, "filter": _FILTERS, "rank_type": dict(zip(_TIES, _TIES, strict=True))}
# The last ones may also be how many there were, as in settings.
_STEPS = dict.fromkeys(("epoch", "step", "iter", "iteration"), "step") | dict.fromkeys(("epochs", "steps"), "steps")
_COUNTS = {"n", "num", "number", "max", "total", "of"}
_NOISE = {
    "a", "an", "and", "are", "at", "best", "current", "data", "dataset", "debug", "end", "ent", "entities", "entity",
    "eval", "evaling", "evaluate", "evaluated", "evaluating", "evaluation", "evaluations", "final", "finished", "for",
    "from", "has", "in", "info", "is", "link", "loading", "metric", "metrics", "model", "of", "on", "only",
    "performance", "predict", "predicting", "prediction", "predictions", "print", "ranking", "replace", "replaced",
    "replacing", "result", "results", "root", "running", "score", "scores", "set", "setting", "split", "start",
    "started", "starting", "starts", "stats", "tester", "the", "trainer", "triples", "values", "with",
}  # fmt: skip
# Which of them tells that train is evaluated, not trained on.
_EVALUATED = {word for word in _NOISE if word.startswith(("eval", "result", "metric", "stat", "perform", "score"))}

_NO_K = "it does not say which k"
_BEST = "the best on which split? Other lines name theirs"
_SO_FAR = "the best so far, next to other values: on which split?"
_BETWEEN = "its line names a dataset between its numbers"
_SEVERAL = "its line names several datasets"
_TWO = "its line names two splits or sides"
_ONLY = "its line says the {} of other numbers only"
_NO_FILTER = (
    "it does not say whether it is raw or filtered; where a filtered value is next to it, it is raw: add --protocol"
)
_MANY = "several numbers are behind its name"
_REVERSED = "its line has names behind the numbers"
_NO_SIDE = "it may be of the side that the heading above names, or of both"
_BEHIND = "{!r} behind it is not understood"

_NUMBER = r"(?>[-+]?(?:\d{1,3}(?:,\d{3})+(?![\d,])(?:\.\d+)?|\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?)"
# A number behind a sign, or behind a blank if it has a point; a number before a sign is part of a name.
_VALUE = re.compile(
    r"(?:(?P<sign>[:=]|\b(?:are|is)\b)[\s({]*+(?:(?:tensor|array|(?:np|numpy)\.\w{1,9})\()?[\s(]*+|\s)"
    rf"(?P<value>\[\s*{_NUMBER}(?:\s*,\s*{_NUMBER})*\s*\]"
    rf"|{_NUMBER}(?:\s*(?:±|\+/-|\+-)\s*{_NUMBER})?\s?%|{_NUMBER}(?:\s*(?:±|\+/-|\+-)\s*{_NUMBER})?[^\s,;:=|()\[\]{{}}]*+"
    r"|(?i:nan|-?inf|none|null)\b)(?!\s*[:=])",
    re.ASCII,
)
_BREAK = re.compile(r"[:=|,;\[\]{}!?]|->|>>|\s-+\s|-{2,}|\bare\b")
_PIECE = re.compile(rf"{_BREAK.pattern}|[()]")
# Words in parentheses behind a number, or "on FB15k-237 and"; what is in brackets is about the next one: [VALID] MRR:
# 0.3 [TEST] MRR: 0.3.
_NOTE = re.compile(
    r"\s*+(?:\((?=[^()A-Za-z]*+[A-Za-z])([^()]*+)\)"
    r"|((?:on|for|in)\s[^,;|:=()]{1,60}?)(?=\s{0,3}(?:[,;|]|\band\b|\.?\s{0,9}$)))"
)
# A number that another one is compared with.
_COMPARED = re.compile(r"\b(?:vs|versus|than|compared|baseline|from|was|instead|over|against)\b", re.IGNORECASE)
_WORD = re.compile(r"[A-Za-z]+|\d+(?:/\d+)*|@", re.ASCII)
_KS = re.compile(r"@\s*(?:\[([\d,\s]+)\]|(\d+(?:\s?,\s?\d+)+)(?=\s*[:=]))", re.ASCII)
_QUOTES = str.maketrans(dict.fromkeys("'\"`*", " "))
_PAIR = (
    r"\{'rhs': (\S+), 'lhs': (\S+)\},? \{'rhs': tensor\((\[[^\[\]]*\])[^()]*\), 'lhs': tensor\((\[[^\[\]]*\])[^()]*\)\}"
    r"(?:, \{'rhs': [^{}]{0,40}\})?"  # ranks one by one, in ssl-relation-prediction
)


def _write_hits(found: re.Match[str]) -> str:
    """Write what a dict of Hits@k by k holds, ``HITS: {1: 0.2, 10: 0.5}``, with its names."""
    return ", ".join(f"hits@{k}: {value}" for k, value in re.findall(r"(?<!\d)(\d+)['\"]?\s*:\s*([^\s,]+)", found[1]))


_WIDE = str.maketrans("：，；（）【】｜％", ":,;()[]|%")
_CHINESE = {
    "验证": "valid", "驗證": "valid", "测试": "test", "測試": "test", "训练": "train", "訓練": "train", "原始": "raw",
    "未过滤": "raw", "未過濾": "raw", "非过滤": "raw", "无过滤": "raw", "不过滤": "raw",
    "过滤": "filtered", "過濾": "filtered", "头实体": "head", "尾实体": "tail",
    "关系预测": "relation prediction", "实体对齐": "entity alignment", "三元组分类": "triple classification",
}  # fmt: skip
_IDEOGRAMS = re.compile("|".join(_CHINESE))
# The split on which a model was chosen is not the one on which its numbers are.
_CHOSEN = re.compile(
    r"\b(?:(?:at|with|by|from|using|for)\s+(?:the\s+)?best|selected\s+(?:on|by))[\s_-]+(?:val|valid|validation|dev)\b"
    r"(?:[\s_]+(?:mrr|set|split|epoch|step|score|loss|metric|model|checkpoint)\b)?"
    r"|\(best (?:val|valid|validation|dev)(?: (?:epoch|model|checkpoint))?\)",
    re.IGNORECASE,
)


def _prepare(text: str) -> str:
    """Return a log without colours, and with the few Chinese words that say what was evaluated in English."""
    text = strip_colours(text)
    if text.isascii():
        return text
    return _IDEOGRAMS.sub(lambda found: f" {_CHINESE[found[0]]} ", text.translate(_WIDE))


# What is written in a way of its own, and the same in words.
_REWRITTEN: tuple[tuple[str, re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = (
    # OGB's examples: what its evaluator lists, averaged.
    ("_list at step", re.compile(r"_list(?= at step )"), ""),
    ("->", re.compile(r"\bt,r->h\b"), " head "),
    ("->", re.compile(r"\bh,r->t\b"), " tail "),
    # kbc: MRR first, then the share of hits at 1, 3 and 10, each for both sides.
    ("rhs", re.compile(_PAIR), r"MRR: rhs : \1, lhs : \2, hits@1/3/10: rhs : \3, lhs : \4"),
    ("{", re.compile(r"\bhits?\s?@?k?['\"]?\s*[:=]\s*\{([^{}]*)\}", re.IGNORECASE), _write_hits),
    ("@", _KS, lambda found: "@" + "/".join((found[1] or found[2]).replace(",", " ").split())),
    ("/", re.compile(r"(?<=\d)\s{1,4}/\s{1,4}(?=[\d.])", re.ASCII), "/"),
    # MorsE: valid is ranked among 50 candidates, and only test says among how many.
    ("valid on ind", re.compile(r"\bvalid on ind-test-graph"), "valid, sample 50"),
    ("valid on valid", re.compile(r"\bvalid on valid subgraphs"), "valid, sample of the validation set"),
    ("?", re.compile(r"\(\s?h\s?,\s?r\s?,\s?\?\s?\)"), " tail "),
    ("?", re.compile(r"\(\s?\?\s?,\s?r\s?,\s?t\s?\)"), " head "),
    (
        "time",
        re.compile(r"\btime[_ -](?:filter(?:ed)?|aware[_ -]filter(?:ed)?)(?=[_\W])", re.IGNORECASE),
        " timefiltered ",
    ),
    # 1 - MRR is a loss.
    ("-", re.compile(r"(?<![\w.-])1 ?- ?(?=mrr|hits?\b|hits?@|h@)", re.IGNORECASE), "negated_"),
    # pykg2vec's issues: the raw value, and the filtered one.
    (
        "iltered",
        re.compile(
            r"\b(MRR|MR|hits?@\d+)/\W{0,4}filtered\W{1,4}\1\W{0,4}:\W{0,4}([\d.]+)\s?/\W{0,4}([\d.]+)",
            re.ASCII | re.IGNORECASE,
        ),
        r"raw \1: \2, filtered \1: \3",
    ),
    # A line of a logger: metric=mrr value=0.3.
    (
        "metric",
        re.compile(
            r"\bmetric(?:_name)?['\"]?\s?[=:]\s?['\"]?([\w@./-]{1,40})['\"]?,?\s{1,4}['\"]?(?:value|score)['\"]?(?=\s?[=:])",
            re.IGNORECASE,
        ),
        r"\1",
    ),
    (
        "ilter",
        re.compile(r"\b(?:non|not|no|without|w/o)[-_ ]{0,2}filter(?:ed|ing|s)?\b", re.IGNORECASE),
        " raw ",
    ),
    # scikit-kge: the raw value, and the filtered one.
    (
        "Mean Rank = ",
        re.compile(r"(MRR|Mean Rank|Hits@\d+) = ([\d.]+)/([\d.]+)", re.ASCII),
        r"raw \1 = \2, filtered \1 = \3",
    ),
)
# The last word of every metric that logs print, but for those with a k.
_LAST = {"mrr", "mr", "rank", "mdr", "gmr", "hmr", "meanrank", "meanreciprocalrank"}
_HITS = {"hits", "hit", "h", "hr", "recall"}
_SHORT_HITS = re.compile(r"(?<![a-z\d])h(?=\d+(?![a-z\d]))")


_PART = re.compile(r"[A-Za-z0-9]+_[A-Za-z0-9]+")


@dataclass(frozen=True, slots=True)
class _Phrase:
    """What words next to each other say."""

    names: tuple[str, ...] = ()  # the metric's usual name; several for hits@[1,3,10]
    before: tuple[tuple[str, str], ...] = ()  # said before the metric's name, or without one
    behind: tuple[tuple[str, str], ...] = ()
    why: str = ""  # why its numbers are left out
    understood: bool = True  # False if a word means nothing here
    apart: bool = False  # True if the word that is not understood is before the name, and no part of it


def _say(words: tuple[str, ...]) -> tuple[tuple[tuple[str, str], ...], str]:
    """Return what words say about the tasks, and the first word that says nothing."""
    said: dict[str, str] = {}
    unknown = ""
    if "testing" in words and not _SPLITS.keys().isdisjoint({*words} - {"testing"}):
        words = tuple(word for word in words if word != "testing")  # a verb
    for word in words:
        key = next((key for key, known in _CONTEXT.items() if word in known), None)
        if key is not None:
            # The averaged stats for heads are of heads.
            if said.get(key, "both") == "both":
                said[key] = _CONTEXT[key][word]
            elif _CONTEXT[key][word] not in {said[key], "both"}:
                said[key] = ""
        elif word not in _NOISE and word not in _STEPS and not word.isdecimal():
            unknown = unknown or word
    return tuple(said.items()), unknown


@lru_cache(maxsize=8192)
def _read_phrase(text: str) -> _Phrase:
    words = tuple(_WORD.findall(_SHORT_HITS.sub("h@", text.lower())))
    option = _OPTION.search(text.lower()) is not None
    step: tuple[tuple[str, str], ...] = ()
    place = next(
        (
            place
            for place, pair in enumerate(pairwise(words))
            if _is_step(words, place) and _NUMBERED.fullmatch(pair[1])
        ),
        None,
    )
    if place is not None and not option:
        step = ((_STEPS[words[place]], words[place + 1].partition("/")[0].lstrip("0") or "0"),)
        words = words[:place] + words[place + 2 :]
    start, end, names, between = _find_metric(words)
    if not names:
        said, unknown = _say(words)
        trained = ("split", "train") in said and _EVALUATED.isdisjoint(words)
        part = _PART.fullmatch(text)  # "test_e1" may rank heads only, "test_r" ranks relations
        odd = f"{part[0]!r} is not understood" if part is not None and said and unknown not in {"", "loss"} else ""
        odd = WHICH_SIDES if words in {("left",), ("right",)} else odd
        return _Phrase(before=said + step, understood=not unknown and not trained, why=odd)
    before, behind = words[:start], (*between, *words[end:])
    # Of the words before, only the next one belongs to the name.
    twice = _find_metric(behind)
    if twice[2] == names:  # Mean reciprocal rank (MRR)
        behind = (*behind[: twice[0]], *twice[3], *behind[twice[1] :])
    near, unknown = _say(before[-1:])[1], _say(behind)[1] or next((word for word in behind if word.isdecimal()), "")
    why = ""
    if unknown == "type":
        why = CONSTRAINED
    elif {"left", "right", "l", "r"} & {*before[-1:], *behind}:
        why = WHICH_SIDES
    elif (near and near not in list_benchmarks()) or unknown:
        why = f"{unknown or near!r} next to its name is not understood"
    elif names == ("Hits@",):
        why = _NO_K
    ahead, after = _say(before)[0], _say(behind)[0]
    if not re.search(r"\s", text):  # head_mrr is of heads; the mrr behind it may be of both
        own = {pair for pair in ahead if pair[0] in {"side", "filter"}}
        ahead, after = tuple(pair for pair in ahead if pair not in own), (*after, *own)
    # "best_mrr" may be of another split than the numbers around it.
    best = (("best", "best"),) if "best" in {*words[max(start - 1, 0) : end], *behind[:1]} else ()
    apart = before[-1:] != () and (near or why == WHICH_SIDES) and re.search(rf"{before[-1]}\W*\s", text.lower())
    return _Phrase(names, ahead + step + best, after, why, apart=bool(why and apart))


def _find_metric(words: tuple[str, ...]) -> tuple[int, int, tuple[str, ...], tuple[str, ...]]:
    """Return where a metric's name is, the usual one, and the words between hits and its k."""
    for start, word in enumerate(words):
        if word in _HITS and (word[:2] == "hi" or "@" in words[start + 1 : start + 2]):
            end = next((place for place in range(start + 1, len(words)) if words[place][0].isdecimal()), None)
            if end is None:
                return (start, start + 1, ("Hits@",), ()) if word.startswith("hit") else (0, 0, (), ())
            between = tuple(each for each in words[start + 1 : end] if each not in {"@", "at"})
            return start, end + 1, tuple(f"Hits@{k}" for k in words[end].split("/")), between
    for length in (5, 4, 3, 2, 1):
        for start in range(len(words) - length + 1):
            run = words[start : start + length]
            meaning = parse_column(" ".join(run)) if run[-1] in _LAST else None
            if meaning is not None and meaning.metric is not None and meaning == Meaning("measured", meaning.metric):
                return start, start + length, (meaning.metric.label,), ()
    return 0, 0, (), ()


def _phrases(label: str) -> list[_Phrase]:
    return [_read_phrase(part) for part in map(str.strip, _BREAK.split(label)) if part]


def _scan(lines: Iterator[tuple[int, str]]) -> Iterator[Found]:
    """Find the numbers on lines that name a metric, a split or a side."""
    state: dict[str, str] = {}
    heading, carried, last, named = 0, "", -9, 0  # `named`: the line that names the dataset
    given = set[tuple[str, str | None, str | None]]()  # the numbers that have the carried split
    fresh = False  # a step was named since the last number
    sides = _Sides()
    for number, text in lines:
        numbers, rest, own = _read_line(text)
        if not numbers:
            said = _read_above(text, rest, own, state, numbered=last > named)
            named = number if said.get("dataset") else named
            sides.apart = sides.apart or not text.strip()
            sides.end(text, ended=not said)
            if said:
                fresh = fresh or "step" in said
                state = _go_on(state, said, fresh=fresh)
                if said.keys() - {"step"}:
                    heading, carried = number, ""
                    sides.begin()
            continue
        if sides.apart or "step" in numbers[0][1]:
            state.pop("unlike", None)
        # Lines below each other are of the split that is said before their numbers, until another or a step is named.
        measured = {(name, said.get("side"), said.get("filter")) for name, said, _, _ in numbers}
        # Behind a line in between, the same metric again is of another evaluation.
        apart = number - last == 2 and not given.isdisjoint(measured)
        follows = carried and number - last <= 2 and "step" not in numbers[0][1] and not apart
        given = given | measured if follows else measured
        around = state | ({"split": carried} if follows else {})
        splits = {said["split"] for _, said, _, _ in numbers if "split" in said}
        validated = {name for name, said, _, _ in numbers if said.get("split") == "valid"}
        for name, said, value, reason in numbers:
            about = {**around, **said}
            about |= {"above": "filter"} if "filter" in around and "filter" not in said else {}
            split = about.get("split") or None
            if split and state.get("split", split) != split:
                about["under"] = state["split"]
            if "task" not in said and split is not None and state.get("tied", split) != split:
                about.pop("task", None)  # that was about another split
            side, open_side = sides.tell(name, about.get("side", "both"), said, text)
            about |= {"side": side} if "side" in about else {}
            protocol = about.get("protocol") or _PROTOCOLS.get(about.get("filter", ""))
            why = reason or (_SEVERAL if said.get("dataset") == "" else _TWO if "" in said.values() else open_side)
            if split is None and name in validated:
                why = why or _ONLY.format("split")  # Keras: mrr, next to val_mrr, is of train
            if "unlike" in about:
                why = why or _DIFFERS.format(about["unlike"])
            if "split" in said:
                about.pop("best", None)
            yield Found(number, heading, name, value, split, side or "both", protocol, None, about, why=why)
        stays = carried if not splits and follows else ""
        carried = own.get("split", "") if len(splits) == 1 else stays
        last, fresh, sides.apart = number, False, False


def _read_above(text: str, rest: str, own: dict[str, str], state: dict[str, str], *, numbered: bool) -> dict[str, str]:
    """Return what a line without numbers says of those below; drop from the state what it ends.

    `numbered` says whether there are numbers below the line that names the dataset.
    """
    said = _read_heading(rest) | {key: each for key, each in own.items() if key in {"step", "steps"}}
    said = _settle_steps(said, current="split" in said)
    if _FINAL.search(rest) and "split" in state and "split" not in said:
        said["split"] = ""  # no longer that of the heading above
    if len(text) < _LONGEST_NOTE and (task := _find_task(text)) is not None:
        said.setdefault("task", task)  # before a number: "candidates per query: 1000"
    if _LINKS.search(rest):
        state.pop("task", None)
    if said.get("dataset") and (unknown := name_unknown(text)):
        said["dataset"] = unknown  # "dataset='yoochoose', kg='FB15k-237'"
    if (
        "dataset" in state
        and "dataset" not in said
        and _names_other(rest)
        and not _goes_on(rest, said, numbered=numbered)
    ):
        said["dataset"] = ""
    unlike = _UNLIKE_HEADING.fullmatch(rest)
    if unlike is not None:
        state["unlike"] = unlike[1]
    elif said or _HEADS.search(rest):
        state.pop("unlike", None)
    return said


def _go_on(state: dict[str, str], said: dict[str, str], *, fresh: bool) -> dict[str, str]:
    """Return the state below a heading: what it says, and what holds on."""
    other = said.get("split", state.get("split")) != state.get("split")
    # What another split was evaluated after is another matter.
    keep = {"step", "unlike"} if fresh or not other else {"unlike"}
    keep |= {"dataset", "among", "task"} if "split" in said else {"dataset", "among", "split", "task", "tied"}
    if "dataset" in said or ("split" in said and "tied" in state):
        keep -= {"among", "task"}
    return {key: each for key, each in state.items() if key in keep} | said


_FINAL = re.compile(r"\bfinal (?:evaluation|results?|performance|metrics|scores?)\b", re.IGNORECASE)


class _Sides:
    """Tells the sides of numbers below a heading of one side, where lines may end its section without a word."""

    def __init__(self) -> None:
        self.apart = False  # True if an empty line is above
        self._below: dict[str, set[str]] = {}  # the sides that lines of a metric say themselves
        self._ever: dict[str, set[str]] = {}  # the same, below all headings
        self._kinds = set[bool]()  # whether lines below the heading say their split
        self._ended = False  # True below another heading, of which it is not known what it says

    def begin(self) -> None:
        """Begin the section of a heading."""
        self._below, self._kinds, self._ended = {}, set(), False

    def end(self, text: str, *, ended: bool) -> None:
        """End the section where a line of a few words follows its numbers, and one of them is not understood."""
        if ended and self._kinds and _FEW_WORDS.fullmatch(text) and not _read_phrase(text.strip(" :#*=-")).understood:
            self._ended = True

    def tell(self, name: str, side: str, said: Mapping[str, str], text: str) -> tuple[str, str]:
        """Return the side of a number, and why it is left out: it may be of the heading's side, or of both."""
        own = said.get("side")
        ends = self._ended or (self.apart and self._kinds == {False} and "split" in said)
        self._kinds.add("split" in said)
        if own:
            self._below.setdefault(name, set()).add(own)
            self._ever.setdefault(name, set()).add(own)
        elif side in {"head", "tail"} and (ends or side in self._below.get(name, ())):
            whole = _WHOLE.search(text) is not None and self._ever.get(name, set()) >= {"head", "tail"}
            return ("both", "") if whole else (side, _NO_SIDE)
        return side, ""


def _simplify(text: str) -> str:
    """Return a line in words, without quotes and what was only chosen."""
    for mark, pattern, words in _REWRITTEN:
        if mark in text:
            text = pattern.sub(words, text)
    return split_glued(_CHOSEN.sub(" ", text.translate(_QUOTES)))


def _read_line(text: str) -> tuple[list[_Number], str, dict[str, str]]:
    """Return the numbers of a line (metric, what is said, value, why it is left out), the text behind, the context."""
    plain, line = _take_setting(_simplify(text))
    found: list[_Number] = []
    first = _Phrase()  # a metric whose name comes before those of sides, each with its number
    queue: list[_Phrase] = []  # further metrics named before the first of as many numbers
    listed = end = told = 0  # `told`: the first number of which nothing was said behind it
    apart = ""  # why numbers behind a word that is not understood are left out
    odd, compared = (
        _RUNNING if _PROGRESS.search(plain) else "",
        False,
    )  # why all numbers of the line are left out; whether the last one is of something else
    behind: dict[str, str] = {}  # what was said behind others
    for match in _VALUE.finditer(plain):
        value = match["value"].rstrip(".-")  # the end of a sentence, or a ruler
        label = plain[end : match.start()]
        if match["sign"] is None and "." not in value and not (value[1:] and _RANK.search(label[-_NEAR:])):
            continue
        if match["sign"] is None and not queue and not label.strip(_BETWEEN_COLUMNS):
            found[-1:] = [_leave(number, _MANY) for number in found[-1:]]
        note = _find_note(label) if found and plain.lstrip()[:1] != "(" else ("", 0)
        if note[0]:
            told, label = _tell_behind(found, told, note[0], behind), label[note[1] :]
        label, between = _name_dataset(label, found, line)
        odd = (_find_reversed(label) if end else "") or odd or between
        phrases = _phrases(_LEFT.sub("", label) if end else label)
        end = match.end()
        names = [each for each in phrases if each.names]
        odd = _find_odd(label, phrases) or (_find_tag(label) if found else "") or odd
        if queue and phrases:
            _mark(found, listed, len(queue))
            queue = []
        if len(names) > 1:
            queue, phrases, listed = names[1:], [*(each for each in phrases if not each.names), names[0]], len(found)
        elif queue:
            phrases = [queue.pop(0)]
        if value.isdecimal() and (key := _name_step(label)):
            line[key] = value.lstrip("0") or "0"
        phrase, after, first = _pick(phrases, line, first)
        compared = phrase is None and _COMPARED.search(label) is not None
        if phrase is None and note[0] and _AND.fullmatch(label) and _find_note(plain[end:])[0]:
            phrase = _Phrase((found[-1][0],))  # MRR: 0.3 (raw), 0.4 (filtered)
        if phrase is None:
            continue
        said = line | _join(dict(phrase.before), dict(phrase.behind)) | after
        if again := [own for name, own, _, _ in found if name in phrase.names]:
            said, apart = _drop_carried(said, again, phrases, line)
        found += _expand(phrase, said, value, odd or apart)
        apart = phrase.why if phrase.apart else apart
    _mark(found, listed, len(queue))
    _finish_line(found, told, plain[end:], behind, odd if odd == _BETWEEN else "", compared=compared)
    return _complete(found, plain), plain[end:], line


def _complete(found: list[_Number], plain: str) -> list[_Number]:
    """Return the numbers of a line with what all of it says of them: task, number of triples, step."""
    shared: dict[str, str] = {}
    if found and (task := _find_task(plain)) is not None:
        shared["task"] = task
    if found and (counted := _COUNTED.search(plain)) is not None:
        shared |= {f"{split}_triples": counted[1].replace(",", "") for split in SPLITS}
    return [(name, _settle_steps(said | shared, current=True), value, why) for name, said, value, why in found]


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
    said: dict[str, str], again: list[dict[str, str]], phrases: list[_Phrase], line: dict[str, str]
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
    return said, _ONLY.format(open_key) if open_key else ""


def _find_reversed(label: str) -> str:
    """Return why numbers are left out whose names are behind them: ``0.343 (MRR), 0.543 (H@10)``."""
    named = _NAMED_BEHIND.fullmatch(label) is not None and any(each.names for each in _phrases(label))
    return _REVERSED if named else ""


# Of how many triples the numbers of a line are: "test (5,000 triples)".
_COUNTED = re.compile(r"\((\d{1,3}(?:,\d{3})+|\d{1,9}) (?:(?:test|valid(?:ation)?) )?triples\)", re.ASCII)
# A progress bar before its end, with what was computed so far: " 50%|#####     | 50/100 [00:01<00:01, mrr=0.5]".
_PROGRESS = re.compile(r"(?<![\d.])\d{1,2}%\s?\|[^|\n]{0,200}\|\s{0,9}\d{1,12}/\d{1,12}\s\[")
_RUNNING = "it is next to a progress bar before its end: it may be of the ranks so far"
# The time that is left.
_LEFT = re.compile(r"^\s{0,3}left\s{0,3}(?=[,;|)\]])", re.IGNORECASE)
# A mean rank may be printed without decimals.
_RANK = re.compile(r"(?:\bMR|\bmean[ _]?rank)\s?$", re.IGNORECASE)
_NEAR = 12
_NAMED_BEHIND = re.compile(r"\s*+\([^()]{1,40}\)[\s,;|&]*+(?:and\b)?\s*+")
# What may be between the numbers of a row.
_BETWEEN_COLUMNS = " \t,/|;->\u2013\u2192\u21d2\u27f6\u279c"
_AND = re.compile(r"[\s,;.&]*+(?:and\b)?[\s,;.&]*+")


def _find_note(text: str) -> tuple[str, int]:
    """Return what the beginning of a text says of the number before it, and where that ends."""
    found = _NOTE.match(text[:_NEXT])
    words = "" if found is None else found[1] or (found[2] if _GRAPH.search(found[2]) else "")
    return (words, found.end()) if words and found is not None else ("", 0)


# How far behind a number its own words may end.
_NEXT = 200


_TAG = re.compile(r"\[\s?([A-Za-z][\w -]{0,30})\]\s{0,9}[A-Za-z]", re.ASCII)


def _find_tag(label: str) -> str:
    """Return why numbers behind others are left out: ``[TEST] MRR: 0.3 [Paper] MRR: 0.4``."""
    if (tag := _TAG.search(label)) is None:
        return ""
    phrase = _read_phrase(tag[1])
    return "" if phrase.names or phrase.understood else f"{tag[1]!r} before it is not understood"


def _find_odd(label: str, phrases: list[_Phrase]) -> str:
    """Return why the numbers behind a label are left out: it may name other tasks, or a part of them."""
    odd = next((each.why for each in phrases if each.why and not each.names), "")
    if not any(each.names for each in phrases):
        return odd
    if (unlike := _UNLIKE.search(label)) is not None:
        return odd or _DIFFERS.format(unlike[1])
    if (cited := _CITED.search(label)) is not None:
        return odd or _OF_OTHERS.format(cited[0])
    other = find_other_tasks(label)
    return odd or (f"{other!r} before it is not understood" if other is not None and not find_task(label) else "")


# What is no metric, but how far values of it are apart.
_APART = (
    r"improvements?|improved|gains?|deltas?|diff(?:erence)?s?|increases?|decreases?|drops?|gap|std|stdev|stddev|sd|sem|"
    r"variance|standard[ _](?:deviations?|errors?)"
)
_UNLIKE = re.compile(
    rf"\b({_APART})\b[\s:(_]{{1,4}}(?:(?:in|of|on|for|the|test|valid|validation|dev|filtered|raw|both|head|tail)[\s:_]{{1,3}})"
    r"{0,4}(?=mrr|mr\b|mean[ _]r|hits?\b|hits?[@_]|h@)",
    re.IGNORECASE,
)
_UNLIKE_HEADING = re.compile(rf"\W{{0,9}}({_APART})\W{{0,9}}", re.IGNORECASE)
_DIFFERS = "{!r} says that it is a spread or a difference, not a value"
# Before a number that the program did not compute; "paper/train.py" is a file.
_CITED = re.compile(
    r"(?<![\w/\\.-])(?:papers?|published|literature|reported (?:in|by)|references?|sota|state[- ]of[- ]the[- ]art|"
    r"leaderboard|the baselines?)(?![\w/\\.-])",
    re.IGNORECASE,
)
_OF_OTHERS = "{!r} says that it is no result of this run"


def _expand(phrase: _Phrase, said: dict[str, str], value: str, why: str) -> list[_Number]:
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


def _tell_behind(found: list[_Number], told: int, text: str, behind: dict[str, str], *, compared: bool = False) -> int:
    """Tell the numbers from `told` on what a text behind them says, and return the first that is not told.

    What is said of a number that others are `compared` with leaves open what these are of.
    """
    said, vague = _read_behind(text)
    if compared:
        said, vague = {}, {**vague, **dict.fromkeys(said, text.strip())}
    for place in range(told, len(found)):
        name, own, value, why = found[place]
        odd = next((piece for key, piece in vague.items() if not own.get(key)), "")
        found[place] = _leave((name, _join(own, said), value, why), _BEHIND.format(odd) if odd else "")
    behind |= said
    return len(found) if said else told


def _finish_line(
    found: list[_Number], told: int, rest: str, behind: dict[str, str], odd: str, *, compared: bool
) -> None:
    """Tell the last numbers of a line what its end says; leave those out that lack what is said behind others.

    `odd` says why it is open which of them the end of the line is about.
    """
    found[:] = [_leave(number, "" if number[1].get("dataset") else odd) for number in found]
    for place in range(_tell_behind(found, told, rest, behind, compared=compared), len(found)):
        lacks = next((key for key in behind if key in _ONE_EACH and not found[place][1].get(key)), "")
        found[place] = _leave(found[place], _ONLY.format(lacks) if lacks else "")


@lru_cache(maxsize=8192)
def _read_behind(text: str) -> tuple[dict[str, str], dict[str, str]]:
    """Return what a text behind numbers says of them, and of what it says something that is not understood."""
    if not any(map(str.isalpha, text)):
        return {}, {}
    text, said = _take_dataset(text)
    vague: dict[str, str] = {}
    for part in filter(None, map(str.strip, _PIECE.split(text))):
        phrase = _read_phrase(part)
        own = {key: each for key, each in phrase.before if key in _ONE_EACH}
        if phrase.understood and not phrase.names:
            said = _join(said, own)
        else:
            vague |= {key: part for key, each in own.items() if each not in _DEFAULTS}
    return said, vague


def _pick(
    phrases: list[_Phrase], line: dict[str, str], first: _Phrase
) -> tuple[_Phrase | None, dict[str, str], _Phrase]:
    """Return the phrase that names a number, what is said behind it, and the metric for numbers of further sides.

    What is said before it is added to what holds for the line.
    """
    named = next((place for place in reversed(range(len(phrases))) if phrases[place].names), -1)
    for each in phrases if named < 0 else phrases[: named + 1]:
        line |= dict(each.before)
    if named < 0:
        local = dict(phrases[-1].before) if phrases and phrases[-1].understood else {}
        goes_on = bool(first.names) and not local.keys().isdisjoint({"side", "split", "filter"})
        return (first, local, first) if goes_on else (None, {}, _Phrase())
    others = phrases[named + 1 :]
    if not all(each.understood for each in others):
        return None, {}, first
    behind = {key: said for each in others for key, said in each.before}
    return phrases[named], behind, phrases[named] if others else _Phrase()


def _mark(found: list[_Number], first: int, missing: int) -> None:
    """Leave out the numbers from `first` on if fewer follow than were named before them."""
    if missing:
        why = f"{len(found) - first + missing} names for {len(found) - first} numbers"
        found[first:] = [(name, said, value, why) for name, said, value, _ in found[first:]]


# "Epoch 5", "Epoch 5/100"
_NUMBERED = re.compile(r"\d+(?:/\d+)?", re.ASCII)


def _is_step(words: Sequence[str], place: int) -> bool:
    """Tell whether a word says that the number behind it is a step, and not how many there are."""
    return words[place] in _STEPS and (place == 0 or words[place - 1] not in _COUNTS)


def _name_step(label: str) -> str:
    """Return what the number behind a label is: a step, a step or how many there were, or nothing of that."""
    words = _WORD.findall(_OPTION.sub("", label.lower()))
    return _STEPS[words[-1]] if words and _is_step(words, len(words) - 1) and "best" not in words else ""


# "max_epochs", "valid_epoch", "eval-step"
_OPTION = re.compile(r"[a-z]{1,20}(?<!global)(?<!current)(?<!cur)[_-](?:epoch|step|iter(?:ation)?)s?(?![a-z])")


def _settle_steps(said: dict[str, str], *, current: bool) -> dict[str, str]:
    """Return what is said with the number behind "epochs" as the step if it is the `current` one, else without it."""
    steps = {"step": said["steps"]} if current and "steps" in said else {}
    return steps | {key: each for key, each in said.items() if key != "steps"}


def _read_heading(text: str) -> dict[str, str]:
    """Return what a line without numbers says of those below."""
    text, said = _take_dataset(text.rpartition("\r")[2])
    if (task := _find_task(text)) is not None:
        named = {_SPLITS[word] for word in _WORD.findall(text.lower()) if word in _SPLITS and word != "testing"}
        said |= {"task": task} | ({"tied": named.pop()} if len(named) == 1 else {})  # the task of that split only
    split = _SPLIT.search(text)
    named_split = None if split is None else _SPLITS.get(split[1].lower())
    stated = {"split": named_split} if named_split in {"valid", "test"} else {}
    if (known := next((key for words, key in _KNOWN_BY.items() if words in text), None)) is not None:
        said["protocol"] = known
    parts = [(part.strip(), end) for part, end in _cut(text.rstrip(" :")) if part.strip()]
    free = [part for part, end in parts if not _SET.match(text, end) or _is_evaluated(part)]
    for part, _ in parts:
        phrase = _read_phrase(part)
        if phrase.understood and not phrase.names and part in free:
            whole = len(parts) == 1 or not _EVALUATED.isdisjoint(_WORD.findall(part.lower()))
            said |= {key: each for key, each in phrase.before if each and (each != "both" or whole)}
        else:
            said |= {key: each for key, each in phrase.before if key in {"step", "steps"}}
    return _guess_split([_WORD.findall(part.lower()) for part in free]) | said | stated


# "Dataset: WN18RR   Split: valid   Model: RotatE"
_SPLIT = re.compile(
    r"(?<![\w-])(?:eval(?:uation)?[_ ])?split['\"]?[ \t]{0,20}[:=]\s{0,3}['\"]?([a-z]{3,10})\b", re.IGNORECASE
)
# MultiHopKG says by which splits known answers are known.
_KNOWN_BY = {"(correct evaluation)": "libkge", "(include test set labels)": "standard"}
_LEAST_WORDS = 3


def _cut(text: str) -> Iterator[tuple[str, int]]:
    """Yield the pieces of a text, each with the place of its end."""
    start = 0
    for sign in _PIECE.finditer(text):
        yield text[start : sign.start()], sign.start()
        start = sign.end()
    yield text[start:], len(text)


def _is_evaluated(part: str) -> bool:
    """Tell whether a part of a heading says what is evaluated, whatever is behind it: "Evaluate A on train set:"."""
    words = _WORD.findall(part.lower())
    return len(words) >= _LEAST_WORDS and not _EVALUATED.isdisjoint(words)


def _guess_split(parts: list[list[str]]) -> dict[str, str]:
    """Return the split of a heading with words that mean nothing here: "Test results of TransE", "valid on UMLS"."""
    first = {_SPLITS[words[0]] for words in parts if words[1:2] == ["on"] and words[0] in _SPLITS} - {"train"}
    words = {word for part in parts for word in part} - {"training"}  # that is a time rather than a split
    named = first or ({_SPLITS[word] for word in words if word in _SPLITS} if words & _EVALUATED else set())
    return dict.fromkeys(("split",), named.pop()) if len(named) == 1 else {}


# "valid : True" and "filtered -----> False" are settings.
_SET = re.compile(r"['\"]?\s*(?::|=(?!=)|-+>)\s*[^\s(:=]")


# "temporal: False": what is not so.
_OFF = re.compile(r"\b\w{1,40}(?: \w{1,40})?\s{0,3}[:=]\s{0,3}(?:false|none|no|0)\b(?!\.\d)", re.IGNORECASE)


# Search engines are evaluated in the same words; "~/Documents/kge" is a folder.
_RETRIEVAL = re.compile(
    r"(?<![\w/\\.~-])(?:documents?|passages?|ms ?marco|beir|trec|retrievers?)(?![\w/\\-])", re.IGNORECASE
)
_QUESTIONS = re.compile(r"\bquestion[- ]answering\b|\bKGQA\b|\bWebQ(?:uestions)?SP\b|\bMetaQA\b", re.IGNORECASE)


def _find_task(text: str) -> str | None:
    """Return the task of a line; temporal graphs are known by their names, and logs have many a timestamp."""
    found = find_task(_OFF.sub(" ", text), "temporal") or ("retrieval" if _RETRIEVAL.search(text) else None)
    return found or ("question answering" if _QUESTIONS.search(text) else None)


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
_WHOLE = re.compile(r"\bfinal\b", re.IGNORECASE)
_FEW_WORDS = re.compile(r"[\s#*=-]*[A-Za-z]+(?:[ -][A-Za-z]+){0,2}[\s:#*=-]*")
# What ends a section: a heading of any words, or the mean next to a spread.
_HEADS = re.compile(r":\s*$|^\s*#|\b(?:mean|average|avg)\b", re.IGNORECASE)
# What begins a section, or names something else that was evaluated.
_OTHER = re.compile(
    r"^\s*#+\s|^==> .* <==$"
    r"|\b(?:on|dataset:?) (?!(?:the )?(?:test|valid|train|dev|gpu|cpu|cuda))[\w-]{2,40}\s?(?:\.{3}|…)\s{0,9}$",
    re.IGNORECASE,
)
_OTHER_WORDS = re.compile(r"\b(?:on|for|dataset)\b", re.IGNORECASE)


def _names_other(text: str) -> bool:
    """Tell whether a line may name something else that was evaluated."""
    return bool(_OTHER.search(text) or (text.rstrip().endswith(":") and _OTHER_WORDS.search(text)))


def _goes_on(text: str, said: Mapping[str, str], *, numbered: bool) -> bool:
    """Tell whether a heading divides the section of a dataset: ``# --- Raw results``; an average may be over several.

    Below numbers it must say of which of them those below are.
    """
    divides = not said.keys().isdisjoint({"filter", "split"}) or said.get("side") in {"head", "tail"}
    plain = all(each.understood and not each.why for each in _phrases(text.strip(" #*=-")))
    return plain and (divides or not numbered)


# What ends a section about another task.
_LINKS = re.compile(r"\b(?:entity|link) prediction\b|\boverall\b|^\W{0,9}micro\b", re.IGNORECASE)
# Names of graphs have a figure, or are among these.
_GRAPH = re.compile(
    r"[a-z]-?[0-9]{2}|yago|codex|nell|wiki|biokg|ogbl|umls|kinship|nations|hetio|freebase|wordnet", re.IGNORECASE
)

# A line with a metric contains one of these, in lower case.
_MARKS = (
    "mrr", "mr:", "mr(", "mr\t", "mr =", "mr=", "mr ", "mr'", 'mr"', "mr_", "mean rank", "mean_rank", "meanrank",
    "reciprocal", "hit", "h@", "h1", "recall@", "'rhs':",
)  # fmt: skip
_SAMPLED_TRAIN = "kbc evaluates 50,000 random triples of train"
_LONGEST_NOTE = 100
# How many lines above a number may say what it is of.
_ABOVE = 15
_LONGEST = 20_000
_GRAPHSTORM = (
    "GraphStorm ranks true edges among sampled negatives, and does not print how many: find out M and the number N of "
    "ranks, then adjust the number with --protocol sampled:M --num-tasks N"
)
_BIGGRAPH = "PyTorch-BigGraph ranks true edges among sampled ones, and does not print how many"
_PYKEEN = (
    "PyKEEN before 1.5 prints so: its numbers are of three ways to break ties, and it filtered test by train and test "
    "only; adjust its results.json"
)
_LIBKGE = "a part of a record of LibKGE, which does not say its split: keep its lines up to event: eval_completed"
# What the user must say where a log has such a sign: programs that print so evaluate in several ways.
_TAILS = "{} ranks tails only and prints so, programs made from it may rank heads, too: add --side tail or --side both"
_MISSING = {
    " edges evaluated": (
        "protocol",
        "Marius ranks among all entities only if its configuration says filtered: true, which it does not print: add "
        "--protocol standard, or --protocol sampled:M",
    ),
    "Avg Ranks: ": (
        "protocol",
        "Marius ranked among sampled entities by default when it printed so, and does not print how many: add "
        "--protocol sampled:M, or --protocol standard",
    ),
    "effective triplets: ": (
        "protocol",
        "GraphVite ranks the entities of train only, and leaves out triples with others: add --protocol pykeen if test "
        "was filtered by all three splits",
    ),
    "Dev set performance: (correct evaluation)": ("side", _TAILS.format("MultiHopKG")),
    "set performance:\nHits@1 = ": ("side", _TAILS.format("MultiHopKG")),
    "Score for iteration ": ("side", _TAILS.format("MINERVA")),
    "[ Hits@": ("side", _TAILS.format("MINERVA")),
    "\nauc: ": ("side", _TAILS.format("MINERVA")),
    "triples containing invalid keys skipped": (
        "protocol",
        "AmpliGraph leaves out triples with entities that train lacks, and filters only if it is told to: add "
        "--protocol pykeen if the ranks are filtered",
    ),
}
_REFUSED = {
    "Best test mrr: ": _GRAPHSTORM,
    "pos_rank: ": _BIGGRAPH,
    "mean_rank={'best': ": _PYKEEN,
    "MetricResults(mean_rank={": _PYKEEN,
    "mean_reciprocal_rank_filtered_with_test: ": _LIBKGE,
}
_QUERIES = re.compile(
    r"(?<![\w.])([1-3]p|[23]i|ip|pi|2u|up)[\s_:\])]{1,3}(?:test |valid )?(?:mrr|hits)\b", re.ASCII | re.IGNORECASE
)
_COMPLEX = "these are answers to complex queries"
# What only one tool prints.
_SIGNS = {
    "'hits@[1,3,10]': tensor(": "kbc",
    "forward metrics: {": "simkgc",
    "_list at step ": "ogb",
    "]: MRR: Tail : ": "compgcn",
    "Val Mean Rank: ": "pyg",
    "Test Mean Rank: ": "pyg",
    ".realistic.hits_at_": "pykeen",
    ".realistic.inverse_harmonic_mean_rank": "pykeen",
}


def _list_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines with a metric's name, and those just above; each with its number."""
    lower = text.lower()
    if len(lower) != len(text):
        lower = "".join(map(_lower, text))
    starts = sorted({lower.rfind("\n", 0, place) + 1 for mark in _MARKS for place in _find(lower, mark)})
    line, counted = 1, 0
    for start in starts:
        first = start
        for _ in range(_ABOVE):
            if first <= counted:
                break
            first = text.rfind("\n", 0, first - 1) + 1
        first = max(first, counted)
        line += text.count("\n", counted, first)
        end = text.find("\n", start)
        end = end if end >= 0 else len(text)
        for each in text[first:end].split("\n"):
            if len(each) <= _LONGEST or "\r" in each:
                yield line, each.rpartition("\r")[2][-_LONGEST:]
            line += 1
        counted = end + 1


def _lower(letter: str) -> str:
    """Lower a letter where that leaves one letter."""
    small = letter.lower()
    return small if len(small) == 1 else letter


def _find(text: str, mark: str) -> Iterator[int]:
    """Find a mark, once a line."""
    place = text.find(mark)
    while place >= 0:
        yield place
        end = text.find("\n", place)
        place = text.find(mark, end) if end >= 0 else -1


_AT = re.compile(r"[A-Za-z]{1,20}\s?@\s?\d", re.ASCII)


def _scan_document(document: Document, _: LogFormat) -> list[Found]:
    """Read the numbers of a log, with what the whole of it says: tool, dataset, and whether shares are percentages."""
    text = _prepare(document.text)
    tools = {tool for sign, tool in _SIGNS.items() if sign in text}
    refused = next((why for sign, why in _REFUSED.items() if sign in text), "")
    refused = refused or (_COMPLEX if _answers_queries(text) else "")
    tool = parse_tool(*tools) if len(tools) == 1 else None
    missing = {f"missing {name}": why for sign, (name, why) in _MISSING.items() if sign in text}
    if is_retrieval(_AT.findall(text)):
        missing["task"] = "retrieval"
    # PGL's graph4kg and DGL-KE print or take it so.
    said = _find_settings(text)
    refused = refused or said.get("unclear", "")
    missing |= {key: said[key] for key in ("task",) if key in said}
    raw = said.get("protocol") == "raw" or "--no_eval_filter" in text[:SETTINGS]
    found = [
        replace(
            each,
            tool=None if tool is None else tool.key,
            split=each.split or said.get("split"),
            said={**missing, **each.said},
            side=(tool and tool.side)
            or each.said.get("side")
            or said.get("side")
            or (None if "missing side" in missing else each.side),
            protocol="raw" if raw and not each.protocol and each.said.get("filter") != "filtered" else each.protocol,
            why=refused
            or each.why
            or (_SAMPLED_TRAIN if tool is not None and tool.key == "kbc" and each.split == "train" else ""),
        )
        for each in islice(_scan(_list_lines(text)), MOST_NUMBERS + 1)
    ]
    found = _refuse_cut(_refuse_best(_refuse_copies(found)), text)
    if any(each.split == "test" for each in found):
        missing = {"missing split": NO_SPLIT}
        found = [each if each.split else replace(each, said={**each.said, **missing}) for each in found]
    return _tell_raw(found)


def _answers_queries(text: str) -> bool:
    """Tell whether metrics have the names of complex queries; up alone may be a word."""
    queries = {each.lower() for each in _QUERIES.findall(text)}
    return "1p" in queries or len(queries) > 1


def _refuse_cut(found: list[Found], text: str) -> list[Found]:
    """Leave out a number that ends the file with far fewer digits than its metric has elsewhere."""
    if not found or text.endswith("\n") or found[-1].line != text.count("\n") + 1:
        return found
    last = found[-1]
    others = [_count_decimals(each.text) for each in found[:-1] if each.name == last.name]
    short = bool(others) and _count_decimals(last.text) + 1 < min(others) and text.endswith(last.text)
    if short or ("." not in last.text and text.endswith(f"{last.text}.")):
        return [*found[:-1], replace(last, why=last.why or f"the last line is cut off after {last.text!r}")]
    return found


def _count_decimals(text: str) -> int:
    return len(text.partition(".")[2])


def _refuse_copies(found: list[Found]) -> list[Found]:
    """Leave out a number of a split that is, below a heading with another split, the same as one of that split.

    Programs test on valid in between, and print what they always print: "Test results".
    """
    lines: dict[tuple[object, ...], list[int]] = {}
    for each in found:
        lines.setdefault((each.name, each.text, each.said.get("filter"), each.side, each.split), []).append(each.line)

    def find_copy(each: Found) -> str:
        under = each.said.get("under")
        near = lines.get((each.name, each.text, each.said.get("filter"), each.side, under), ()) if under else ()
        again = any(abs(line - each.line) <= _ABOVE for line in near) and len(each.text.strip("0.")) >= _TELLING
        return _COPIED.format(each.split, under) if again else ""

    return [replace(each, why=each.why or find_copy(each)) for each in found]


_COPIED = "its line says {}, the heading above it {}, of which the same number is there"
# How many digits two numbers have in common by more than chance.
_TELLING = 3


def _refuse_best(found: list[Found]) -> list[Found]:
    """Leave out the best value so far, where other numbers name their split or are of the same metric."""
    named = any(each.split is not None and "best" not in each.said for each in found)
    current = {each.name for each in found if "best" not in each.said and each.split is None}
    return [
        replace(each, why=each.why or (_BEST if named else _SO_FAR))
        if "best" in each.said and (named or (each.split is None and each.name in current))
        else each
        for each in found
    ]


def _tell_raw(found: list[Found]) -> list[Found]:
    """Take a number for raw if the same metric is there again, filtered: MRR and MRR(filter), as often.

    What lines above say of both, such as an option ``--filtered``, does not tell the two apart.
    """
    if not any(each.said.get("filter") == "filtered" for each in found):
        return found
    pairs: dict[tuple[object, ...], dict[str | None, list[Found]]] = {}
    for each in (each for each in found if not each.why):
        own = None if each.said.get("above") == "filter" else each.said.get("filter")
        pairs.setdefault(_place(each), {}).setdefault(own, []).append(each)
    raw = set[int]()
    for said in pairs.values():
        plain, filtered = said.get(None, []), said.get("filtered", [])
        near = len(plain) == len(filtered) and all(
            abs(one.line - two.line) <= _ABOVE and one.text != two.text
            for one, two in zip(plain, filtered, strict=True)
        )
        raw |= {id(each) for each in plain if near}
    # Plain numbers of other splits may be raw as well.
    names = {each.name for each in found if id(each) in raw}
    told = {"missing protocol": _NO_FILTER}
    return [
        replace(each, protocol="raw")
        if id(each) in raw
        else replace(each, said={**each.said, **told})
        if each.name in names and each.said.get("filter") is None and each.protocol is None
        else each
        for each in found
    ]


def _place(found: Found) -> tuple[object, ...]:
    return found.name, found.heading, found.split, found.side, found.said.get("step"), found.said.get("rank_type")


def _settle_units(reading: Reading, percent: bool | None) -> Reading:
    """Settle which shares are percentages: an evaluation is like a row of a table; MRR and Hits@k may differ."""
    notes = Notes()
    reading = replace(reading, entries=leave_small(reading.entries, find_family, notes, percent=percent))
    settled = settle_units(reading.entries, find_family, notes, rows=_list_evaluations(reading), percent=percent)
    settled = drop_contradictions(settled, notes, _list_evaluations(replace(reading, entries=settled)))
    return replace(reading, entries=settled, skipped=(*reading.skipped, *notes.skipped()))


def _list_evaluations(reading: Reading) -> list[int]:
    return [int(reading.rows[row]["evaluation"]) for row in reading.entries.rows]


def _recognise(document: Document) -> bool:
    if document.suffix in {".csv", ".tsv", ".tex"}:
        return False
    text = _prepare(document.text)
    known = _answers_queries(text)
    return any(known or not each.why or _TOLD.search(each.why) for each in _scan(_list_lines(text)))


# Why a number is left out that certainly is one of a metric.
_TOLD = re.compile(
    f"{_MANY}|its line names|its line says|(?:before|behind) it is not understood|{WHICH_SIDES}|{_REVERSED}"
)


_FORMAT = LogFormat(
    key="generic",
    title="lines such as MRR: 0.338, of any tool",
    values=Rule((), _VALUE),
    scan=_scan_document,
)


# "Evaluating on 500 random negatives": what a line about training says of negatives is another matter.
_AMONG = re.compile(
    r"\b(?:(?:eval|test|valid|rank)\w*\b[^\n]{0,80}?\b|(?:among|against|vs\.?) )(\d[\d,]{0,8}) "
    r"(?:random(?:ly)? )?(?:sampled )?(?:negative(?:s\b| (?:sample|candidate|entit))|(?:random|sampled) candidates)",
    re.IGNORECASE,
)
# "filtered=False", "num_eval_negatives: 100", "--eval-side tail".
_SETTING = re.compile(
    r"(?<![\w.-])(?:-{0,2}([A-Za-z]\w{1,30})['\"]?[ \t]{0,20}[:=]\s{0,3}|--([A-Za-z][\w-]{1,30})[ \t]{1,3})['\"]?"
    r"([\w-]{1,30})(?![\w.])"
)


def _find_settings(text: str) -> dict[str, str]:
    """Return what the settings of a log say of its evaluations; nothing of what they say in two ways."""
    found: dict[str, str] = {}
    for name, option, value in _SETTING.findall(text, 0, SETTINGS):
        for key, said in (read_setting(name or option, value, anywhere=True) or {}).items():
            found[key] = said if found.get(key, said) == said else ""
    return {key: said for key, said in found.items() if said}


_TOLD_BY = {"split", "side", "protocol"}
_TABLE = "below it is a table, which is read in a file of its own only"
_SAMPLED = "sampled"
# GraIL's test_ranking.py, and programs made from it, rank among a number of negatives that is an option: 50 by default.
_AMONG_SAMPLED = ("MRR | Hits@1 | Hits@5 | Hits@10 :",)


def _find_negatives(text: str) -> list[int]:
    """Return among how many sampled negatives true answers were ranked: all numbers that the log gives."""
    protocol = _find_settings(text).get("protocol", "")
    counts = [protocol.partition("sampled:")[2], *(each[1].replace(",", "") for each in _AMONG.finditer(text))]
    return [count for count in dict.fromkeys(int(text or 0) for text in counts) if count]


def _read(document: Document) -> Reading:
    reading = _settle_units(make_reader(_FORMAT).read(document), document.percent)
    among = _find_negatives(strip_colours(document.text))
    one = len(among) == 1
    protocol, task = (f"sampled:{among[0]}", None) if one else (None, _SAMPLED)
    if among or any(sign in document.text for sign in _AMONG_SAMPLED):
        own = (
            entry._replace(context=replace(entry.context, protocol=protocol, task=task))
            if entry.context.protocol is None and entry.context.task in {None, _SAMPLED}
            else entry
            for entry in reading.entries
        )
        reading = replace(reading, entries=Entries(own))
    tables = [Skipped(line, names, _TABLE) for line, names in find_headings(document.lines)]
    reading = replace(reading, skipped=(*reading.skipped, *tables))
    contexts = [entry.context for entry in reading.entries]
    said = [
        word for key, word in _find_settings(document.text).items() if key in _TOLD_BY and not word.startswith(_SAMPLED)
    ]
    tools = dict.fromkeys(each.tool for each in contexts if each.tool is not None)
    unsaid = sum(each.split is None for each in contexts)
    settings = find_dataset(document.text)
    headed = any(each.dataset not in {None, settings} for each in contexts)
    parts = (
        "lines of names and numbers",
        f"as {' and '.join(tools)} prints them" if tools else "",
        reading.understood,
        "dataset from the lines that name it" if headed else "",
        name_percentages(reading.entries),
        f"{' and '.join(said)} from its settings" if said else "",
        f"ranked among {among[0]:,} sampled negatives" if one else "",
        f"{unsaid:,} of {len(contexts):,} numbers name no split (test, unless --split names another)" if unsaid else "",
    )
    return replace(reading, understood="; ".join(part for part in parts if part))


READER = Reader(_FORMAT.key, _FORMAT.title, _recognise, _read)
