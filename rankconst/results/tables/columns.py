"""What the heading of a column means: a metric, an adjusted metric, or something about the ranking tasks."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from rankconst.catalogue.baselines import INFORMED
from rankconst.catalogue.metrics import CATALOGUE, parse_adjusted_metric, parse_metric
from rankconst.catalogue.protocols import LINK_SIDES, RANK_TYPES, SPLITS, find_protocol
from rankconst.catalogue.tools import parse_tool
from rankconst.errors import UnknownNameError
from rankconst.names import read_count, squash
from rankconst.results.tables.cells import is_number

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping, Sequence

    from rankconst.catalogue.metrics import Metric


ROLES: dict[str, tuple[str, ...]] = {
    "dataset": (
        "data",
        "data set",
        "data name",
        "dataset name",
        "benchmark",
        "graph",
        "kg",
        "knowledge graph",
        "datasets",
        "data sets",
        "benchmarks",
        "test dataset",
        "eval dataset",
        "evaluation dataset",
        "target dataset",
    ),
    "model": ("method", "approach", "interaction", "model name", "system", "models", "methods"),
    "split": ("subset", "evaluation split", "mode"),
    "side": ("target",),
    "protocol": ("evaluation protocol",),
    "aggregation": ("averaging",),
    "tool": ("source", "source repo", "repository", "repo", "library", "framework"),
    "rank_type": ("type", "tie policy", "ties", "tie breaking", "tie handling", "tie method"),
    "num_tasks": ("count", "num ranks", "number of tasks", "number of ranks", "rank count", "n", "n ranks"),
    "metric": ("measure", "metric name"),
    "value": ("score", "result", "metric value"),
    "k": (),
}
"""Role of a column that is no metric to its other headings; compared in lower case without punctuation."""

_BY_SPELLING = {squash(name): role for role, names in ROLES.items() for name in (role, *names)}
_SPLIT_WORDS = {word: split for split, words in SPLITS.items() for word in (split, *words)}
# In a name "relation" may say anything: only a column of sides says that relations are ranked.
_SIDE_WORDS = {word: side for side, words in LINK_SIDES.items() for word in (side, *words) if len(word) > 1}
# LibKGE's queries: sp_ asks for the object, _po for the subject.
_SIDE_WORDS |= {"sp": "tail", "po": "head"}
_FILTERED = {"filtered", "filter", "filt", "fil", "flt", "filtering"}
_SAID_BY_NAMES = "|".join((*_SPLIT_WORDS, *_SIDE_WORDS, *_FILTERED, "raw", "unfiltered", "unfilt"))
# The last word of a name, and one that is set apart.
_LAST_SAID = re.compile(
    rf"(?<=[^\s_.,/:|\-\u2013\u2014])([\s_.,/:|\-\u2013\u2014]++)({_SAID_BY_NAMES})\W*$", re.IGNORECASE
)
_APART = re.compile(
    r"(.*\S)(?:\s*[(\[]([^()\[\]]*)[)\]]|(?:\s*[,/:|]\s*|\s+[-\u2013\u2014]\s+)([^,/:|()]*))", re.DOTALL
)
# Words that say nothing about the ranking tasks: "Test set", "eval/mrr", "Tail prediction".
_NOISE = {
    "paper",
    "ours",
    "reported",
    "reproduced",
    "original",
    "published",
    "official",
    "set",
    "split",
    "eval",
    "evaluation",
    "metrics",
    "ranking",
    "results",
    "prediction",
    "pred",
    "predicting",
    "link",
    "setting",
}
# Further ones that say nothing in a heading: "Entity prediction", "final MRR"; in a cell they may be names.
_HEADED = {"entity", "entities", "transductive", "all", "overall", "final", "micro", "standard", "base", "peak"}
# Columns next to a metric's own: its spread over runs, its rank, its gain.
SPREADS = {"std", "sd", "stdev", "stddev", "sem", "se", "stderr", "var", "ci"}
_STATISTICS = SPREADS | {"rank", "gain", "delta", "diff", "improvement", "min", "max", "median"}
_RUNS = {"runs", "seeds", "trials", "numruns", "numseeds", "numtrials", "nruns", "nseeds", "repetitions"}
_MEANS = {"mean", "average"}

_WORD = re.compile(r"([A-Za-z]+)[.\s_/:-]+(?=\S)")
_SPLITTER = re.compile(r"[.\s_/,-]+")
_BARS = re.compile(r"\s+/\s+|\s*[:|]\s*")
_ARROWS = re.compile(r"[(\[]\s*[↑↓⬆⬇]\ufe0f?\s*[)\]]|[↑↓⬆⬇]\ufe0f?")
_PERCENT = re.compile(
    r"\s*+(?:[(\[]\s*+(?:in\s+)?%\s*[)\]]|,?\s*+\bin\s+%|%|[(\[]\s*[×x*]\s?100\s*[)\]]|(?<=[\s\d])[×x*]\s?100)$"
)
# Means with their spreads in one cell: "MRR (mean ± std)".
_SPREAD = re.compile(
    r"\s*+[(\[]?\s*+\bmean\s*+(?:±|\+/-|\+-)\s*(?:std\.?|sd|s\.d\.|stdev|stddev)\s*[)\]]?$", re.IGNORECASE
)
_MARKS = re.compile(r"(?:[\s*†‡§¶]|\^\{[^{}]{0,8}\}|\^.)+$")
_LAST_WORD = re.compile(r"(.*\S)[.\s_-]+([A-Za-z]+)\.?", re.DOTALL)
_PARENTHESES = re.compile(r"(.*\S)\s*[(\[]([^()\[\]]*)[)\]]", re.DOTALL)
_LEADING = re.compile(r"(.*\S)(?:\s+/\s+|\s*[:|]\s*)(\S.*)", re.DOTALL)
# Only plain names: names are compared without punctuation, and ΔMRR is no MRR.
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9@_ .\-]*")
_LONGEST = 200


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a heading says."""

    role: str  # a key of ROLES, or "measured" for a column of a metric
    metric: Metric | None = None
    adjustment: str | None = None  # "normalised", "index" or "z" if its values are adjusted already
    # What the heading says besides the metric: "MRR (WN18RR)", "test_mrr", "both.realistic.hits_at_10".
    split: str | None = None
    side: str | None = None
    rank_type: str | None = None
    protocol: str | None = None
    dataset: str | None = None
    filtered: str | None = None  # "filtered" if the heading says so, though the text above says raw
    percent: bool = False  # True if the heading has the percent sign of its values: "Hits@10 (%)"
    reason: str | None = None  # why such values cannot be adjusted, as half a sentence
    spread: bool = False  # True if a value without a deviation is one itself: "MRR (std)"


@lru_cache(maxsize=64)
def find_run_columns(columns: tuple[str, ...]) -> tuple[str, ...]:
    """Return the columns that say how many runs rows average, or how far these are spread."""
    ends = {column: _SPLITTER.split(column.lower().strip())[-1] for column in columns}
    return tuple(column for column, end in ends.items() if end in SPREADS or squash(column) in _RUNS)


def tells_runs(column: str, cell: str) -> bool:
    """Tell whether a cell of such a column says that there are several."""
    if squash(column) in _RUNS:
        return (read_count(cell) or 0) > 1
    return is_number(cell)


@lru_cache(maxsize=4096)
def parse_column(heading: str, k: int | None = None) -> Meaning | None:
    """Read the heading of a column, without markup; `k` if the heading leaves it open. None if it means nothing here.

    A dataset may be given in parentheses behind the metric, or before it and a colon, a bar or a spaced slash:
    ``MRR (WN18RR)``, ``FB15k-237 / MRR``.
    """
    if len(heading) > _LONGEST:
        return None
    heading = _STORED.sub("", join_levels(" ".join(heading.split())))  # runs of blanks make patterns slow
    text, bare = _strip_signs(heading)
    text, bare = (_BRACED.sub(r"@\1", split_glued(each)) for each in (text, bare))
    role = _BY_SPELLING.get(squash(bare)) if _NAME.fullmatch(bare) else None
    found = _parse_measured(bare, k) if role is None else Meaning(role)
    if found is None and (mean := _DEVIATING.fullmatch(bare) or _MEAN.fullmatch(bare)) is not None:
        inner = _parse_measured((mean[1] or mean[2]).strip(), k)
        found = inner if inner is None or mean.re is _MEAN else replace(inner, spread=mean[2] is not None)
    if found is None and (skill := _SKILL.fullmatch(bare)) is not None:
        inner = _parse_measured(skill[1], k)
        found = inner and replace(inner, reason="it is compared with a baseline already")
    if found is None and (kind := _LAST_KIND.fullmatch(bare)) is not None:
        inner = _parse_measured(_LAST_SIDE.sub("", kind[1]), k)
        found = inner and replace(inner, reason=OF_KIND.format(kind[2]).rstrip("."))
    if found is not None and found.metric is not None and _is_transformed(heading):
        found = replace(found, reason=found.reason or f"it is not {found.metric.label} itself")
    if found is not None and found.side is not None and _LEFT.search(bare) is not None:
        found = replace(found, reason=found.reason or WHICH_SIDES)
    return replace(found, percent=True) if found is not None and bare != text else found


def _is_transformed(heading: str) -> bool:
    """Tell whether a heading is of a function of a metric or in another unit: ``log10(MR)``, ``MR^2``, ``MR (k)``."""
    return not _FUNCTIONS.isdisjoint(re.findall("[a-z]+", heading.lower())) or _POWER.search(heading) is not None


_FUNCTIONS = {
    *("exp", "ln", "log", "normalised", "normalized", "rel", "relative", "scaled", "sqrt", "thousand", "thousands"),
}
_POWER = re.compile(r"10\^|\^\s*\{?(?:2\b|-)|\(k\)", re.IGNORECASE)


def join_levels(text: str) -> str:
    """Write a heading of several levels, as pandas prints it, with slashes: ``('FB15k-237', 'MRR')``."""
    return " / ".join(filter(None, _LEVEL.findall(text))) if _LEVELS.fullmatch(text) else text


_LEVELS = re.compile(r"\('[^']*+'(?:, '[^']*+')+\)")
_LEVEL = re.compile(r"'([^']*+)'")


def split_glued(text: str) -> str:
    """Write the letter before a metric's name that says how it is filtered as a word: fmrr."""
    return _GLUED.sub(lambda found: "filtered_" if found[1] else "raw_", text)


# What Optuna puts before the names of what was stored with a trial.
_STORED = re.compile(r"^user_attrs_(?=[A-Za-z])")
# "Hits@{10}".
_BRACED = re.compile(r"@ ?\{(\d{1,9})\}")
# What `rankconst adjust --baseline` writes: "MRR_skill_frequency", "MRR skill (frequency)".
_SKILL = re.compile(rf"(.*[^\s_])[\s_]+(?:skill|z)[\s_]+\(?(?:{'|'.join(INFORMED)})\)?", re.IGNORECASE)


# "Hits@10(filter)_head_1-1": of one side, and of the relations of one kind.
_LAST_KIND = re.compile(r"(.*[^\s_])[\s_]+\(?((?:1|n|m)-(?:1|n|m))\)?", re.IGNORECASE)
_LAST_SIDE = re.compile(r"(?<=[^\s_])[\s_]+(?:head|tail)$", re.IGNORECASE)


# A mean over runs, with its deviation: "MRR (mean ± std)", "MRR (std)".
_DEVIATION = r"(?:std|sd|stdev|stddev|s\.d\.|se|sem|err|error|(?:95\s*%\s*)?ci)\.?"
_DEVIATING = re.compile(
    rf"(.*?\S)[\s_(\[]*+(?:(?:mean|avg)\s*+)?(?:±|\+/-|\+-)\s*+(?:{_DEVIATION})?\s*+[)\]]?"
    rf"|(.*\S)\s*+[(\[]\s*+{_DEVIATION}\s*+[)\]]",
    re.IGNORECASE | re.DOTALL,
)
_MEAN = re.compile(r"(.*[^\s_.])[\s_.]+mean|mean[\s_.]+(.*)", re.IGNORECASE | re.DOTALL)
_BEFORE = re.compile(r"[\s._/:|-]+")
_BEHIND = re.compile(r"(?<!\s)(?:\s*[(\[↑↓%]|\s+/\s|\s*$)")
_COUNTED = re.compile(r"(.* / )?[^/]* / \d+$")


def clean_heading(heading: str) -> str:
    """Return a heading without what is only true of the published values: arrows and percent signs."""
    return " / ".join(_strip_signs(part)[1] or part for part in heading.split(" / "))


def name_adjusted(heading: str, metric: Metric, adjustment: str) -> str:
    """Return the heading of a metric with the name of an adjusted form in the metric's place.

    >>> from rankconst.catalogue.metrics import parse_metric
    >>> name_adjusted("FB15k-237 / MRR", parse_metric("mrr"), "index")
    'FB15k-237 / AMRR'
    """
    name = metric.column_of(adjustment)
    for start in (0, *(found.end() for found in _BEFORE.finditer(heading))):
        for end in (found.start() for found in _BEHIND.finditer(heading, start)):
            word = heading[start:end]
            first = _WORD.match(word)
            if first is not None and _read_word(first[1].lower()) is not None:
                continue  # the split or side next to the metric
            if _NAME.fullmatch(word) and _parse_name(word, None) == (metric, None):
                return f"{heading[:start]}{name}{heading[end:]}"
    counted = _COUNTED.match(heading) if metric.takes_k else None
    return f"{heading}_{adjustment}" if counted is None else f"{counted[1] or ''}{name}"


def add_part(meaning: Meaning, part: str) -> Meaning | None:
    """Add a part next to or above a metric's name: a split, a side, a tie policy, ``raw``, or else a dataset.

    What the name itself says is kept. None if the part changes the meaning: "MRR std" is no MRR.
    """
    text, bare = _strip_signs(" ".join(part.split()))
    said: dict[str, Any] = {"percent": True} if bare != text else {}
    reason = next((reason for pattern, reason in _OTHERS if pattern.search(bare)), None)
    if is_kind(bare):
        reason = OF_KIND.format(bare).rstrip(".")
    elif reason is None and bare.lower() not in _WHOLE and (other := find_other_tasks(bare)) is not None:
        reason = f"it says {other}, as numbers of other tasks or of a part of them do"
    if reason is not None:
        return replace(meaning, reason=reason)
    if _INDUCTIVE.fullmatch(bare) and not _is_inductive(meaning.dataset or ""):
        return replace(meaning, reason="it is of an inductive setting, which ranks the entities of another graph")
    for piece in _BARS.split(bare):
        name, fields = piece, read_words(_ONLY.sub("", piece))
        inner = _PARENTHESES.fullmatch(piece)
        if fields is None and inner is not None and (inside := read_words(_strip_signs(inner[2])[0])) is not None:
            # "FB15k-237 (test)", but "WD50K (100)" is one.
            said |= inside
            name, fields = inner[1], read_words(inner[1])
        if not _STATISTICS.isdisjoint(_SPLITTER.split(piece.lower())):
            return None
        if squash(name) not in _BY_SPELLING and name.lower() not in _MEANS and not _is_headed(name):
            if fields is None:
                graph, fields = read_dataset(name)
                fields = {"dataset": graph, **fields}
            said |= fields
    return replace(meaning, **{name: value for name, value in said.items() if not getattr(meaning, name)})


CONSTRAINED = "it ranks entities of the relation's type only; rankconst.from_counts takes the counts of such candidates"
WHICH_SIDES = "left and right are head and tail in some tools, tail and head in others"
"""Why a number of a side by such a name is left out."""
INVERTED = "it may be of one side: inverse queries are counted apart from it"
"""Why a number is left out next to one of the same name with ``inv``."""


def find_inverted(names: Iterable[str]) -> set[str]:
    """Return the names that come again with ``inv``, as ``filter_MRR`` does where there is ``filter_inv_MRR``."""
    plain = {squash(name): name for name in names}
    return {
        plain[bare]
        for name in plain.values()
        if _INVERSE.search(name) and (bare := squash(_INVERSE.sub("", name))) in plain
    }


# Not as in "inverse_harmonic_mean_rank", which is a metric.
_INVERSE = re.compile(
    r"(?<![a-z])(?:inv|inverse|reversed?|rev)(?![a-z])"
    r"(?![ _-]{0,2}(?:arithmetic|geometric|harmonic|quadratic|mean|median|rank))",
    re.IGNORECASE,
)
_LEFT = re.compile(r"(?<![a-z])(?:left|right)(?![a-z])", re.IGNORECASE)
_OTHERS = (
    (_LEFT, WHICH_SIDES),
    (
        re.compile(r"^[×x*]\s?10", re.IGNORECASE),
        "its numbers are multiplied by a power of ten: write them out",
    ),
    (re.compile(r"\btype[- ]?constrain", re.IGNORECASE), CONSTRAINED),
    (
        re.compile(r"\b\d[\d,]*k? (?:[a-z]+ ){0,2}(?:samples?|negatives?|candidates?)\b|\bsampled\b", re.IGNORECASE),
        "it ranks sampled candidates: write the protocol, sampled:M for M of them, into a column of its own",
    ),
    (
        re.compile(r"^(?:source|target)s?$", re.IGNORECASE),
        "source and target are sides of a triple in some tables, graphs in others; write head and tail",
    ),
)


_INDUCTIVE = re.compile(
    r"(?:(?:fully|semi)[- ])?inductive(?: (?:setting|link prediction|test|results))?", re.IGNORECASE
)


def _is_inductive(dataset: str) -> bool:
    """Tell whether a graph is one that inductive benchmarks evaluate on; that of a version may be."""
    from rankconst.catalogue.mentions import is_inductive  # reads the registry

    return re.search(r"v\.?\d", dataset) is not None or is_inductive(dataset)


def _is_headed(name: str) -> bool:
    words = _SPLITTER.split(name.lower())
    return all(word in _HEADED or _read_word(word) == {} for word in words)


def read_dataset(cell: str) -> tuple[str, dict[str, str]]:
    """Return a dataset's name without the words next to it, and what these say: ``WN18 (filt.)``, ``WN18RR/valid``."""
    from rankconst.catalogue.mentions import split_name  # reads the registry

    cell = _FOOTNOTES.sub("", cell[:_LONGEST])
    inner = _PARENTHESES.fullmatch(cell)
    name, words = (inner[1], inner[2]) if inner is not None else split_name(cell)
    said = read_words(words if inner is not None else _GENERAL.sub("", words)) if name else None
    if inner is not None and _SIZE.fullmatch(words):
        return name, {}
    if said is None or (inner is not None and not said):
        return cell, {}
    return name, {role: said[role] for role in _ROLES_SAID & said.keys()}


# An enumeration, and words around a dataset's name that say no more: "(a) UMLS dataset".
_GENERAL = re.compile(r"^\(?[a-z]\)?(?=\s|$)|(?<!\w)(?:on|the|data ?set|benchmark)(?!\w)", re.IGNORECASE)
# Behind a name; a star makes another.
_FOOTNOTES = re.compile(
    r"(?<!\s)(?:\^(?:\{[0-9a-z\u2020\u2021\u00a7,]{1,6}\}|[0-9a-z\u2020\u2021])|\s?\[\d{1,3}\]|[\u2020\u2021\u00a7\u00b6\u00b9\u00b2\u00b3])$"
)
_SIZE = re.compile(r"[\d,.]+ ?[kKM]? (?:entities|relations|triples|facts)")
_ROLES_SAID = {"split", "side", "protocol"}


def find_qualifier(heading: str, cells: Iterable[str]) -> str | None:
    """Return what most cells of a column say: ``split``, ``side``, ``protocol`` or ``relations``; None for neither.

    A column ``filtered`` may also say yes or no.
    """
    if _CHOOSING.search(heading):
        return None
    texts = [cell for cell in dict.fromkeys(cells) if not is_mean(cell)]
    if texts and (_names_relations(heading, texts) or 2 * sum(map(is_kind, texts)) > len(texts)):
        return "relations"
    if texts and read_flag(heading) is not None and 2 * sum(text.lower() in FLAGS for text in texts) >= len(texts):
        return "protocol"
    said = [{"protocol" if kind == "filtered" else kind for kind in read_words(text) or ()} for text in texts]
    kinds = set().union(*said)
    if len(kinds) != 1 or not kinds <= {"split", "side", "protocol"} or 2 * sum(map(bool, said)) <= len(said):
        return None
    return kinds.pop()


# On what a model was chosen, and which triples are known answers, is not on what it was evaluated.
_CHOOSING = re.compile(
    r"(?<![a-z])(?:best|selec(?:ted|tion)|chosen|early|stopp(?:ed|ing)|monitor|tuned|tuning|known|filter(?:ed|ing)?)"
    r"[ _-](?:by|on|splits?|sets?|with|using|triples|facts|answers)(?![a-z])|^(?:known|filtering|filter)$"
    r"|early[ _-]?stop|^(?:monitor|(?:model )?selection|pre-?trained|train|job)(?![a-z])",
    re.IGNORECASE,
)


def is_mean(cell: str) -> bool:
    """Tell whether a cell says that its row is the mean of others: ``mean ranking``."""
    words = [word for word in _SPLITTER.split(cell.lower()) if word and word not in _NOISE]
    return len(words) == 1 and words[0] in _MEANS


def _names_relations(heading: str, cells: Sequence[str]) -> bool:
    """Tell whether a column names relations; numbers may as well count those of a dataset, but none has 0."""
    named = _RELATION.fullmatch(heading.strip())
    return named is not None and (named[1] is not None or "0" in cells or not any(map(is_number, cells)))


def is_kind(cell: str) -> bool:
    """Tell whether a text names a kind of relations: 1-to-N."""
    return _KIND.fullmatch(cell.strip()) is not None


_RELATION = re.compile(
    r"(?:(?:relation|predicate)s?|rel\.?)(?:[ _-]?(?:name|type|category|label)|([ _-]?id))?", re.IGNORECASE
)
_KIND = re.compile(r"(?:1|n|m|one|many)(?:[- ]to[- ]|[-:])(?:1|n|m|one|many)", re.IGNORECASE)


def names_tools(heading: str, cells: Iterable[str]) -> bool:
    """Tell whether a column for tools holds any: a source may be a paper, and a framework PyTorch."""
    if squash(heading) not in {"source", "framework", "library"}:
        return True
    for cell in cells:
        with suppress(UnknownNameError):
            return parse_tool(cell) is not None
    return False


def find_split(name: str) -> str | None:
    """Return the split that the name of a run or a file holds, if it holds one, which is not that of training."""
    words = {_SPLIT_WORDS.get(word) for word in re.split(r"[\W_]+", name[:_LONGEST].lower())} - {None}
    return words.pop() if len(words) == 1 and "train" not in words else None


_OTHER_TASKS = re.compile(
    r"(?<![A-Za-z0-9/.-])(?<!\d )(?:relations?|rels?|rp|inverse|direct|(?:un)?seen|emerging|subset|cold[- ]start|"
    r"relation-wise|qualifier values?|all positions|long[- ]tail(?:ed)?|rare|(?:in)?frequent|popular)"
    r"(?![A-Za-z0-9/.-])",
    re.IGNORECASE,
)


def find_other_tasks(text: str) -> str | None:
    """Return a word next to a metric that makes it one of other tasks, or of a part of them; both parts are all."""
    words = {word.lower(): word for word in _OTHER_TASKS.findall(text)}
    for parts in ({"direct", "inverse"}, {"seen", "unseen"}):
        words = {key: word for key, word in words.items() if key not in parts or not parts <= words.keys()}
    return next(iter(words.values()), None)


def is_retrieval(names: Iterable[str]) -> bool:
    """Tell whether names of metrics are those of search engines, which have several of these next to MRR.

    Where a query has one answer, recall@k is Hits@k, and no program prints both.
    """
    listed = list(names)
    of_search = {((found[1] or "mrr").lower(), found[2]) for name in listed if (found := _OF_SEARCH.fullmatch(name))}
    hits = {("recall", found[1]) for name in listed if (found := _HITS_AT.fullmatch(name))}
    return len({kind for kind, _ in of_search}) > 1 or not hits.isdisjoint(of_search)


_OF_SEARCH = re.compile(
    r"(?:.*[/_ .-])?(?:(recall|precision|map|ndcg|hr)(?:[\s@_]{1,3}(?:at_?)?(\d{1,4}|k))?|mrr@\d{1,4})",
    re.IGNORECASE,
)
_HITS_AT = re.compile(r"(?:.*[/_ .-])?hits?[\s@_]{1,3}(?:at_?)?(\d{1,4})", re.IGNORECASE)
OF_KIND = "it is of the relations that are {}; the tables hold single ones, and all of them."
"""Why a number of one kind of relations has no constants."""
_WHOLE = {"all", "overall", "total", "all relations"}


def is_whole(cell: str) -> bool:
    """Tell whether a text says that numbers are of all relations."""
    return cell.lower() in _WHOLE


FLAGS = {
    "x": None,
    **dict.fromkeys(("yes", "y", "true", "on", "1", "1.0", "✓", "✔", "☑", "✅"), True),
    **dict.fromkeys(("no", "n", "false", "off", "0", "0.0", "✗", "✘", "☒", "❌", "×"), False),
}
"""Cells below a heading such as "filtered"; an x may be a cross or a tick."""


def read_flag(heading: str) -> bool | None:
    """Tell whether yes below a heading means raw; None if yes and no mean nothing there."""
    said = read_words(re.sub(r"^is[\s_]", "", heading.lower()))
    return {"raw": True, "filtered": False}.get(next(iter(said.values()))) if said and len(said) == 1 else None


def read_name(cell: str, known: Container[str] = (), stems: Container[tuple[str, str]] = ()) -> dict[str, str]:
    """Return what the end of a row's name says of its split, side and protocol: ``TransE (raw)``, ``TransE - tail``.

    Of a word that may as well be part of the name, ``TransE tail``, another name that has its counterpart tells, see
    :func:`find_stems`; otherwise the name says that it is unclear. What is `known` anyway is not read.
    """
    alone = read_alone(cell, known)
    silent = not any(mark in cell for mark in "([") and _LAST_SAID.search(cell[:_LONGEST]) is None
    if alone or silent or _CHOOSING.search(cell[:_LONGEST]):  # "RotatE (early stopping on valid)"
        return alone
    apart = _APART.fullmatch(cell[:_LONGEST])
    said = None if apart is None else read_words(apart[2] or apart[3] or "")
    if said is not None:
        return {
            role: word for role, word in said.items() if role in {"split", "side", "protocol"} and role not in known
        }
    stem, role, word = _cut_name(cell)
    if not role or role in known:
        return {}
    if (stem, role) in stems or (role == "split" and _SPLIT_WORDS[word] != "train"):
        return {key: value for key, value in (_read_word(word) or {}).items() if key == role}
    if word in {"filtered", "both"} or _COMPOUND.search(stem):
        return {}
    return {"unclear": f"{cell!r} may say {role} {word}, or be a name only: write ({word}), or add a column {role}."}


def read_alone(cell: str, known: Container[str] = ()) -> dict[str, str]:
    """Return why it is unclear what a row is of that is called ``raw`` or ``tail only``, next to names of others."""
    said = read_words(_ONLY.sub(" ", cell)) if len(cell) <= _LONGEST_WORDS else None
    for role, word in (said or {}).items():
        if role in {"split", "side", "protocol"} and word not in {"test", "both"} and role not in known:
            return {"unclear": _OPEN_NAME.format(repr(cell), role, word, role)}
    if cell.lower() in DIRECTIONS and "side" not in known:
        return {"unclear": f"{cell!r} may say a side: write head or tail in a column side."}
    return {}


def is_constrained(heading: str, cell: str) -> bool:
    """Tell whether a cell says that its row ranks entities of the relation's type only, and not how it was trained."""
    return _CONSTRAINED.search(cell) is not None and _OF_TRAINING.search(heading) is None


_OF_TRAINING = re.compile(r"train|sampl|loss|negat|strateg", re.IGNORECASE)
# "Type-constrained TransE" is a model that may have been trained so.
_CONSTRAINED = re.compile(
    r"(?<!without)(?<!w/o)(?<!no)[ (]type[-_ ]?constrain"
    r"|^type[-_ ]?constrain(?:ed|ts?)(?:[-_ ](?:eval(?:uation)?|ranking|ranks?|setting|protocol|candidates))?\W*$",
    re.IGNORECASE,
)
DIRECTIONS = {"forward", "backward", "fwd", "bwd", "inverse", "reverse", "reversed"}
"""What may say a side."""

VERSIONED = re.compile(r"[vV]\.?\d+(?:_ind)?")
"""A version of a benchmark."""


_OPEN_NAME = "{} may say {} {}, or be a name only: add a column {} that says what its row is of."
_ONLY = re.compile(r"\b(?:only|side)\b", re.IGNORECASE)
_LONGEST_WORDS = 40
# Headings of columns whose cells may be of anything, the evaluation included.
_VAGUE = re.compile(
    r"|(?:evaluation |experiment(?:al)? )?(?:setting|variant|ablation|config(?:uration)?|version|condition|scenario|"
    r"experiment|type|setup|component|case|direction|quer(?:y|ie)|prediction|note|comment|remark|description|detail|"
    r"info|evaluation|candidate|part|portion|kind|group|scope|problem|(?:run |exp(?:eriment)? )?(?:name|id)|run|title|"
    r"label|tag|entitie|level|frequencie|frequency|quantile)s?",
    re.IGNORECASE,
)


def is_vague(heading: str) -> bool:
    """Tell whether the cells of a column may say what rows are of, or name variants of a model."""
    return _VAGUE.fullmatch(heading.strip()) is not None


def find_stems(names: Iterable[str]) -> frozenset[tuple[str, str]]:
    """Return the beginnings of names that end in several words of a kind, ``A head`` and ``A tail``, with the kind."""
    found: dict[tuple[str, str], set[str]] = {}
    for stem, role, word in map(_cut_name, names):
        found.setdefault((stem, role), set()).add(word)
    return frozenset(key for key, words in found.items() if key[1] and len(words) > 1)


def _cut_name(cell: str) -> tuple[str, str, str]:
    """Return the beginning of a name, what its last word is about, and that word; empty if it is about nothing."""
    cut = _LAST_SAID.search(cell[:_LONGEST])
    word = "" if cut is None else cut[2].lower()
    role = next((role for role in _read_word(word) or () if role != "rank_type"), "")
    role, word = ("protocol", "filtered") if role == "filtered" else (role, word)
    return cell[: cut.start(1)].lower().strip() if cut is not None else "", role, word


_COMPOUND = re.compile(r"(?:^|\W)(?:multi|single|long|short|two|dual|one|pre|self|heavy|w/o|without|with|no)$")


def _read_relation(heading: str, cell: str) -> dict[str, Any]:
    if is_kind(cell):
        return {"unclear": OF_KIND.format(cell)}
    if not cell.strip():
        return {"unclear": f"its cell in column {heading} is empty: write the relation, or all for all of them."}
    return {} if is_whole(cell) else {"relations": (cell,)}


def read_qualifier(heading: str, cell: str, role: str) -> dict[str, Any]:
    """Return what a cell of such a column says, ``unclear`` and ``filtered`` included; nothing if it leaves it open."""
    if role == "relations":
        return _read_relation(heading, cell)
    said = read_words(cell)
    raw = read_flag(heading) if role == "protocol" and not said else None
    if raw is not None and (yes := FLAGS.get(cell.lower())) is not None:
        return {"protocol": "raw"} if raw == yes else {"filtered": "filtered"}
    if is_mean(cell):  # of both splits, or raw and filtered: of neither
        return {} if role == "side" else {role: cell}
    if said is None or (raw is not None and not said):
        expected = f"a {role}" if raw is None else "yes or no"
        return {"unclear": f"its cell {cell!r} in column {heading} is not understood; expected {expected}."}
    return {key: said[key] for key in (role, *(("filtered",) if role == "protocol" else ())) if key in said}


def _strip_signs(heading: str) -> tuple[str, str]:
    """Return a heading without arrows and marks, then also without a percent sign."""
    text = _SPREAD.sub("", _MARKS.sub("", _ARROWS.sub("", heading[:_LONGEST])).strip())
    return text, _PERCENT.sub("", text)


def read_words(text: str) -> dict[str, str] | None:
    """Return what words say of the ranking tasks; None if one is unknown, so that all may be a dataset's name."""
    if (query := _QUERY.fullmatch(text.strip())) is not None:
        return {"side": "head" if query[1] else "tail"}
    if (without := _WITH_FILTER.fullmatch(text.strip())) is not None:
        return {"protocol": "raw"} if without[1] else {"filtered": "filtered"}
    if (timed := _TIMED.fullmatch(text.strip())) is not None:
        return {"protocol": "static" if timed[1] else "time-aware"}
    said: dict[str, str] = {}
    for word in filter(None, _SPLITTER.split(text.lower())):
        fields = _read_word(word)
        if fields is None:
            return None
        said |= fields
    return said


# What is asked for: "(?, r, t)", "<h, r, ?>".
_QUERY = re.compile(r"[(<\u27e8]?(?:(\?), ?\w{1,9}, ?\w{1,9}|\w{1,9}, ?\w{1,9}, ?\?)[)>\u27e9]?")


_WITH_FILTER = re.compile(r"(?:(w/o|without|no)|w/|with) ?filter(?:ed|ing|s)?", re.IGNORECASE)
# What is filtered on a graph whose facts have a time.
_TIMED = re.compile(
    r"(?:time[- _]aware(?:[- _]filter(?:ed|ing)?)?|time[- _]filter(?:ed|ing)?|(static)(?:ally)?[- _]filter(?:ed|ing)?)",
    re.IGNORECASE,
)


_TIMED_FIRST = re.compile(
    r"(?:time[- _]aware(?:[- _]filter(?:ed|ing)?)?|time[- _]filter(?:ed|ing)?|(static)(?:[- _]filter(?:ed|ing)?)?)"
    r"[\s_/]+(?=[A-Za-z])",
    re.IGNORECASE,
)


def contradict(cell: str, told: Mapping[str, Any], said: Mapping[str, Any]) -> dict[str, str]:
    """Return why tasks are not known if a cell tells another split, side or protocol than the others of its row say.

    ``filtered`` names no protocol, but is not raw. Without a cell, what is told is named as it is understood.
    """
    if "dataset" in told and squash(said.get("dataset") or told["dataset"]) != squash(told["dataset"]):
        return {"unclear": _CONTRADICTED.format("dataset", cell or told["dataset"], said["dataset"])}
    for role in ("split", "side"):
        if role in told and (read_words(said.get(role) or "") or {}).get(role, told[role]) != told[role]:
            return {"unclear": _CONTRADICTED.format(role, cell or told[role], said[role])}
    way = told.get("protocol") or told.get("filtered")
    ways = {way, name_protocol(said.get("protocol") or "")} - {None}
    if len(ways) == 2 and ("raw" in ways or "filtered" not in ways):
        return {"unclear": _CONTRADICTED.format("protocol", cell or way, said["protocol"])}
    return {}


def name_protocol(text: str) -> str | None:
    """Return the protocol that a cell names, or ``filtered``; None if it names none."""
    words = read_words(text)
    if words is not None:
        return words.get("protocol") or words.get("filtered")
    try:
        return find_protocol(text).key
    except UnknownNameError:
        return None


_CONTRADICTED = "its {} is given twice, as {} and {}: correct one of them."


def _read_word(word: str) -> dict[str, str] | None:
    if word in _SPLIT_WORDS:
        return {"split": _SPLIT_WORDS[word]}
    if word in _SIDE_WORDS:
        return {"side": _SIDE_WORDS[word]}
    if word in RANK_TYPES:  # "best" and "avg" may as well be a run's
        return {"rank_type": word} if RANK_TYPES[word] == word else {}
    if word in {"raw", "unfiltered", "unfilt"}:
        return {"protocol": "raw"}
    if word in _FILTERED:
        return {"filtered": "filtered"}
    return {} if word in _NOISE else None


def _qualify(named: tuple[Metric, str | None] | None, said: dict[str, str]) -> Meaning | None:
    if named is None:
        return None
    return replace(Meaning("measured", *named), **said)  # type: ignore[arg-type]  # all of them are text


def _parse_measured(text: str, k: int | None) -> Meaning | None:
    rest, said = text, dict[str, str]()
    if (timed := _TIMED_FIRST.match(rest)) is not None:  # "Time-aware MRR"
        said["protocol"] = "static" if timed[1] else "time-aware"
        rest = rest[timed.end() :]
    while (word := _WORD.match(rest)) is not None:
        headed = word[1].lower() in _HEADED and not _may_be_metric(rest)  # "standard deviation" is one
        fields = {} if headed else _read_word(word[1].lower())
        if fields is None:
            break
        said |= fields
        rest = rest[word.end() :]
    if _NAME.fullmatch(rest):
        found = _parse_words(rest, said, k)
    elif (parts := _PARENTHESES.fullmatch(text)) is not None:
        found = _parse_parentheses(parts[1], parts[2].strip(), k)
    elif (parts := _LEADING.fullmatch(text)) is not None and parts[2].lower() in _STATISTICS | _MEANS:
        found = _parse_measured(parts[1], k) if parts[2].lower() in _MEANS else None  # "MRR / mean", "MRR / std"
    elif parts is not None:
        base = _parse_measured(parts[2], k)
        found = None if base is None else add_part(base, parts[1])
    else:
        found = None
    if found is not None or not _METRIC.search(text):
        return found
    parts = _PARENTHESES.fullmatch(text)
    inner = None if parts is None else _parse_measured(parts[2].strip(), k)
    if parts is None or inner is None:
        return _parse_beside(text, k) or _parse_of_model(text, k)
    outside = f"{parts[1]} {parts[2].strip()}"  # "FB15k-237 (MRR)"
    named = None if inner.dataset or _CODED.fullmatch(parts[1]) is None else add_part(inner, parts[1])
    return _parse_beside(outside, k) or _parse_of_model(outside, k) or named


# A name with a digit, as of a graph that is not known: "DDB14 (MRR)".
_CODED = re.compile(r"[A-Za-z][A-Za-z._-]{2,20}\d[\w.-]{0,20}")


def _parse_words(text: str, said: dict[str, str], k: int | None) -> Meaning | None:
    """Read a metric's name with what words behind it say: ``MRR raw``."""
    while (named := _parse_name(text, k)) is None and (last := _LAST_WORD.fullmatch(text)) is not None:
        fields = _read_word(last[2].lower())
        if not fields:
            return None
        said, text = {**fields, **said}, last[1]
    return _qualify(named, said)


def _parse_parentheses(outside: str, inside: str, k: int | None) -> Meaning | None:
    base = _parse_measured(outside, k)
    if base is None and read_words(outside):  # "Valid (MRR)"
        inner = _parse_measured(inside, k)
        return None if inner is None else add_part(inner, outside)
    if base is None or not inside or inside.isdecimal():  # a number made a repeated heading unique
        return base
    again = _parse_measured(inside, k)
    if again is not None:  # "Mean Rank (MR)"
        return base if again.metric == base.metric else None
    return add_part(base, inside)


# What may be a metric next to the name of a dataset.
_METRIC = re.compile(r"(?<![a-z])(?:mrr|mr|hits?|h@|[a-z]*rank)", re.IGNORECASE)


def _parse_beside(text: str, k: int | None) -> Meaning | None:
    """Read a metric with a known dataset before or behind it: ``WN18RR MRR``, ``FB15k-237_MRR``."""
    from rankconst.catalogue.mentions import find_mentions, split_name  # reads the registry

    mentions = find_mentions(text)
    if len(mentions) > 1:
        return None
    for name, rest in [*((each.text, " ".join(text.split(each.text))) for each in mentions), split_name(text)]:
        alone = _ON.sub("", rest.strip(" -_/,:"))
        base = _parse_measured(alone, k) if len(rest) < len(text) - 1 else None
        if base is not None and not base.dataset:
            return replace(base, dataset=name)
    return None


# "MRR on FB15k-237".
_ON = re.compile(r"(?<=\w) (?:on|for|of)$", re.IGNORECASE)


def _parse_of_model(text: str, k: int | None) -> Meaning | None:
    """Read a metric behind a name with a capital within, as models have, ``TransE MRR``; that name is its dataset.

    Where rows are of datasets it is taken for a model's.
    """
    name, _, rest = text.replace("_", " ").partition(" ")
    pieces = [piece.lower() for piece in _CAPITALS.findall(name)]
    mixed = name[:1].isupper() and len(pieces) > 1 and any(map(str.islower, name))
    if not mixed or any(_read_word(piece) or piece in _TELLING for piece in pieces):
        return None
    base = _parse_measured(rest, k)
    return None if base is None or base.dataset else replace(base, dataset=name)


_CAPITALS = re.compile(r"[A-Z]?[a-z]++|[A-Z]")
_TELLING = {
    "avg", "macro", "relation", "rel", "per", "sampled", "sample", "time", "typed", "type", "seen", "unseen",
    "inductive", "delta", "std", "mean", "best", "top", "cold", "zero", "few", "shot", "rare", "sub", "freq",
}  # fmt: skip


@cache
def _known_stems() -> frozenset[str]:
    """Return the names of metrics without their k, in lower case without punctuation."""
    names = [
        (
            metric.family,
            *metric.spellings,
            *(template.format(k=k) for template in _templates(metric) for k in ("", "k")),
        )
        for metric in CATALOGUE.values()
    ]
    return frozenset(squash(name) for each in names for name in each)


def _templates(metric: Metric) -> tuple[str, ...]:
    return metric.symbol, metric.normalised_name, metric.index_name, metric.z_name


def _may_be_metric(name: str) -> bool:
    """Tell whether to ask the catalogue, which takes half a millisecond to say no."""
    stem = squash(name)
    bare = stem.removeprefix("adjusted").removesuffix("index")
    forms = (stem, bare, stem.removeprefix("z"))
    return any(form in _known_stems() or form.rstrip("0123456789") in _known_stems() for form in forms)


_SLIP = re.compile(r"^hist(?=\W?\d)", re.IGNORECASE)
# "fmrr" and "fhits10" of pykg2vec and others.
_GLUED = re.compile(r"(?<![a-z\d])(?:(f|fil|filt)|raw)(?=(?:mrr?|hits?\W?\d+)(?![a-z\d]))", re.IGNORECASE)


def _parse_name(name: str, k: int | None) -> tuple[Metric, str | None] | None:
    name = _SLIP.sub("hits", name)  # "Hist@10" is in more than one repository
    if not _may_be_metric(name):
        return None
    try:
        return parse_metric(name, k), None
    except UnknownNameError:
        pass
    try:
        return parse_adjusted_metric(name if k is None else re.sub(r"(?<=[_@])k$", str(k), name))
    except UnknownNameError:
        return None
