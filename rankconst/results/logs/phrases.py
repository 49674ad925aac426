"""What words next to each other say in a log: a metric, a split, a side, how ranks are filtered, a step."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from rankconst.catalogue.protocols import SPLITS
from rankconst.results.logs.lines import list_benchmarks, strip_colours
from rankconst.results.tables.columns import CONSTRAINED, WHICH_SIDES, Meaning, parse_column, split_glued

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

SPLIT_OF = {word: split for split, words in SPLITS.items() for word in (split, *words)} | {"tst": "test"}
"""The splits by the words for them."""

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
_TIES = {"realistic", "optimistic", "pessimistic"}
_CONTEXT = {"split": SPLIT_OF, "side": _SIDES, "filter": _FILTERS, "rank_type": dict(zip(_TIES, _TIES, strict=True))}

# Of one side alone, if counted apart.
_INVERSE = {"inv", "inverse", "reverse", "reversed", "rev"}

STEPS = dict.fromkeys(("epoch", "step", "iter", "iteration"), "step") | dict.fromkeys(("epochs", "steps"), "steps")
"""Words before the number of a step; the last ones may also be before how many there were, as in settings."""

_COUNTS = {"n", "num", "number", "max", "total", "of"}
_NOISE = {
    "a", "an", "and", "are", "at", "best", "current", "data", "dataset", "debug", "end", "ent", "entities", "entity",
    "eval", "evaling", "evaluate", "evaluated", "evaluating", "evaluation", "evaluations", "final", "finished", "for",
    "from", "has", "in", "info", "is", "link", "loading", "metric", "metrics", "model", "of", "on", "only",
    "performance", "predict", "predicting", "prediction", "predictions", "print", "ranking", "ranks", "replace",
    "replaced", "replacing", "result", "results", "root", "running", "score", "scores", "set", "setting", "split",
    "start", "started", "starting", "starts", "stats", "tester", "the", "trainer", "triples", "values", "with",
}  # fmt: skip

EVALUATED = {word for word in _NOISE if word.startswith(("eval", "result", "metric", "stat", "perform", "score"))}
"""Words that tell that train is evaluated, not trained on."""

_NO_K = "it does not say which k"

BREAK = re.compile(r"[:=|,;\[\]{}!?]|->|>>|\s-+\s|-{2,}|\bare\b")
"""What divides the phrases of a label."""

WORD = re.compile(r"[A-Za-z]+|\d+(?:/\d+)*|@", re.ASCII)
"""What a phrase is made of."""

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
    r"\b(?:(?:at|with|by|from|using|for)\s+(?:the\s+)?best"
    r"|(?:selected\s+(?:on|by)|(?:chosen|tuned|early[ -]stopp(?:ed|ing))\s+(?:on|by|with)))"
    r"[\s_-]+(?:the\s+)?(?:val|valid|validation|dev)\b"
    r"(?:[\s_]+(?:mrr|set|split|epoch|step|score|loss|metric|model|checkpoint)\b)?"
    r"|\(best (?:on (?:the )?)?(?:val|valid|validation|dev)(?: (?:epoch|model|checkpoint|set))?\)",
    re.IGNORECASE,
)


def prepare(text: str) -> str:
    """Return a log without colours, and with the few Chinese words that say what was evaluated in English."""
    text = strip_colours(text).replace("&nbsp;", " ")
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
    # LibKGE's progress: the raw value, and the filtered one in parentheses.
    (
        " (filt.): ",
        re.compile(r"\b(mrr|hits@\d+)(?: \(filt\.\))?: ([\d.]+) \(([\d.]+)\)", re.ASCII),
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
        re.compile(r"\b(?:non|not|no|without|w/o)[-_ ]{0,2}filter(?:ed|ing|s)?(?![A-Za-z])", re.IGNORECASE),
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
_LAST = {"mrr", "mr", "rr", "rank", "mdr", "gmr", "hmr", "meanrank", "meanreciprocalrank"}
_HITS = {"hits", "hit", "h", "hr", "recall"}
_SHORT_HITS = re.compile(r"(?<![a-z\d])h(?=\d+(?![a-z\d]))")
_PART = re.compile(r"[A-Za-z0-9]+_[A-Za-z0-9]+")


@dataclass(frozen=True, slots=True)
class Phrase:
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
    if "testing" in words and not SPLIT_OF.keys().isdisjoint({*words} - {"testing"}):
        words = tuple(word for word in words if word != "testing")  # a verb
    for word in words:
        key = next((key for key, known in _CONTEXT.items() if word in known), None)
        if key is not None:
            # The averaged stats for heads are of heads.
            if said.get(key, "both") == "both":
                said[key] = _CONTEXT[key][word]
            elif _CONTEXT[key][word] not in {said[key], "both"}:
                said[key] = ""
        elif word not in _NOISE and word not in STEPS and not word.isdecimal():
            unknown = unknown or word
            said |= {"inverse": word} if word in _INVERSE else {}
    return tuple(said.items()), unknown


@lru_cache(maxsize=8192)
def read_phrase(text: str) -> Phrase:
    """Return what the words of a text without signs between them say."""
    words = tuple(WORD.findall(_SHORT_HITS.sub("h@", text.lower())))
    option = OPTION.search(text.lower()) is not None
    step: tuple[tuple[str, str], ...] = ()
    place = next(
        (place for place, pair in enumerate(pairwise(words)) if is_step(words, place) and _NUMBERED.fullmatch(pair[1])),
        None,
    )
    if place is not None and not option:
        step = ((STEPS[words[place]], words[place + 1].partition("/")[0].lstrip("0") or "0"),)
        words = words[:place] + words[place + 2 :]
    start, end, names, between = _find_metric(words)
    if not names:
        said, unknown = _say(words)
        trained = ("split", "train") in said and EVALUATED.isdisjoint(words)
        part = _PART.fullmatch(text)  # "test_e1" may rank heads only, "test_r" ranks relations
        known = dict(said).keys() <= {"inverse"} or unknown in {"", "loss"}
        odd = "" if known or part is None else f"{part[0]!r} is not understood"
        odd = WHICH_SIDES if words in {("left",), ("right",)} else odd
        return Phrase(before=said + step, understood=not unknown and not trained, why=odd)
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
    return Phrase(names, ahead + step + best, after, why, apart=bool(why and apart))


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


def list_phrases(label: str) -> list[Phrase]:
    """Return what the parts of a label say, which signs divide."""
    return [read_phrase(part) for part in map(str.strip, BREAK.split(label)) if part]


def simplify(text: str) -> str:
    """Return a line in words, without quotes and what was only chosen."""
    for mark, pattern, words in _REWRITTEN:
        if mark in text:
            text = pattern.sub(words, text)
    return split_glued(_CHOSEN.sub(" ", text.translate(_QUOTES)))


# "Epoch 5", "Epoch 5/100"
_NUMBERED = re.compile(r"\d+(?:/\d+)?", re.ASCII)


def is_step(words: Sequence[str], place: int) -> bool:
    """Tell whether a word says that the number behind it is a step, and not how many there are."""
    return words[place] in STEPS and (place == 0 or words[place - 1] not in _COUNTS)


OPTION = re.compile(r"[a-z]{1,20}(?<!global)(?<!current)(?<!cur)[_-](?:epoch|step|iter(?:ation)?)s?(?![a-z])")
"""The name of an option with such a word: ``max_epochs``, ``valid_epoch``, ``eval-step``."""
