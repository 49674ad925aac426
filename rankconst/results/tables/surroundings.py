"""What the text around a table says about it: caption, sentences and headings name the dataset, the split, the task."""

from __future__ import annotations

import re
from collections.abc import Iterable  # noqa: TC003  # of a named tuple
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from rankconst.catalogue.aggregations import MACRO
from rankconst.catalogue.mentions import Mention, find_joined, find_mentions, list_graphs
from rankconst.catalogue.protocols import RELATION_PREDICTION
from rankconst.results.tables.columns import parse_column, read_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankconst.results.tables.cells import Row


class Above(NamedTuple):
    """A text that belongs to a table."""

    kind: str  # "caption", "sentence", "note" (right below the table), FOOTNOTE or "heading"
    text: str  # without markup
    beside: tuple[str, ...] = ()  # of a heading: those of the same level under the same one


FOOTNOTE = "footnote"
"""The kind of a text right below a table that begins with a mark."""


class Printed(NamedTuple):
    """A table with the texts that belong to it: its captions, then sentences and headings, the nearest first."""

    rows: Iterable[Row]
    above: tuple[Above, ...] = ()
    commas: bool = False  # True if decimals may have a comma before them
    reports: tuple[str, ...] = ()  # what sections around that of the table say of all numbers in them


@dataclass(frozen=True, slots=True)
class Told:
    """What the texts of a table say."""

    dataset: str | None = None
    among: tuple[str, ...] = ()  # the datasets that they name, where it is open which one is meant
    split: str | None = None
    side: str | None = None
    protocol: str | None = None
    rank_type: str | None = None  # how tied ranks are counted
    task: str | None = None  # what is evaluated, if it is no ranking of all entities on a benchmark's own split
    percent: bool = False  # True if it is said that the numbers are percentages
    averaged: bool = False  # True if it is said that the numbers are means over several runs
    origin: str = ""  # what names the dataset, for messages
    num_triples: int | None = None  # how many triples were evaluated, if a setting says so
    missing: tuple[tuple[str, str], ...] = ()  # what only the user can say, each with why, as half a sentence
    unclear: str = ""  # why the tasks are not known, whatever else is told


NOTHING_TOLD = Told()
"""A table without text around it."""

_ORIGINS = {
    "caption": "the caption",
    "sentence": "the sentence above",
    "heading": "the heading above",
    FOOTNOTE: "the footnote",
}
_OF_TRAINING = "(?:scor|train|sampl|loss|negat|strateg)"
_TASKS = {
    # "zero-shot inference" ranks all entities of a benchmark; zero-shot relations are others.
    "few-shot": r"\b(?:few|one|[1-9]\d*)[- ]shot\b|[少小]样本|"
    r"\b(?:zero|0)[- ]shot (?:relation|entit|split|subset|setting|learning|link|knowledge)",
    "sampled": r"\bsample[sd]? \d+$|\b(?:head|tail|candidate|entity) pool(?: size)?\s?[:=]\s?\d|"
    r"\bcandidates per (?:query|triple|task|positive)|"
    r"\bsampled (?:negative|candidate|evaluation|rank|metric|setting)|"
    r"^\W{0,9}\d[\d,]*+ (?:random(?:ly)? )?(?:sampled )?(?:negatives|negative samples|candidates)\W{0,9}$|"
    r"(?<!trained )(?<!training )(?<!train )\b(?:against|among|with|from) \d[\d,]* (?:random(?:ly)? )?"
    r"(?:sampled |hard )?(?:negative|candidate)|\brank(?:ed|ing|s)? (?:against|among|within) (?:only )?"
    r"(?:\d{1,3}(?![\d,.])|\d[\d,]*+ (?:negative|corrupt|random|sampled|other))|"
    r"\b(?:eval|rank)[^.;:]{0,30}?\b\d[\d,]* (?:random(?:ly)? )?(?:sampled )?negative|"
    r"\(\d[\d,]* (?:negative )?samples?\)|\bnegative samples? (?:for|in|during|at) (?:the )?(?:eval|test|rank)",
    "hidden test": r"\bhidden test\b|\btest-challenge\b",
    "triple classification": r"\btripl(?:e|et) classification\b",
    "classification": r"\bentity (?:typing|alignment)\b|"
    r"\brelation (?:extraction|classification)\b|\b(?:node|entity) classification\b",
    "alignment": r"(?<=(?-i:[A-Z0-9]) )alignment\b|\balign(?:ing)? (?:the )?(?:two|both)\b|"
    r"\b(?:KG|graph|ontology) alignment\b|\b(?:entity|ontology) (?:matching|resolution)\b",
    "type prediction": r"\btype (?:prediction|inference|completion)\b|\btyping (?:results|performance|task|on)\b",
    "question answering": r"\bKG-?QA\b|\bKBQA\b|\bquestion[- ]answering\b",
    "recommendation": r"\brecommend(?:ation|er)s?\b",
    "error detection": r"\b(?:error|noise|anomaly|outlier) detection\b",
    "value prediction": r"\b(?:attribute|numeric(?:al)?|literal|value|time(?:stamp)?) prediction\b",
    "continual": r"\b(?:continual|lifelong|incremental) (?:learning|kge?|knowledge|link|embedding|setting)|"
    r"\bsnapshots? \d",
    "federated": r"\bfederated\b|\b(?:per|each|of (?:the )?\d+) clients?\b",
    "unlearning": r"\bunlearn(?:ing|ed)?\b",
    "attack": r"\b(?:target(?:ed)?|attacked) (?:test )?(?:triple|fact)s\b|"
    r"\badversarial (?:attack|addition|deletion|edit|modification)s?\b|\b(?:data|model|graph|after|by) poisoning\b",
    "difference": r"^(?:table(?: \w{1,4})?[.:] ?)?(?:the )?"
    r"(?:(?:relative|absolute|average|mean|percentage|performance) ){0,2}"
    r"(?:drop|decrease|reduction|degradation|change|increase|difference|loss)s? (?:in|of|between|to) |"
    r"^(?:table(?: \w{1,4})?[.:] ?)?(?:the )?(?:(?:relative|absolute|average|test) )?(?:MRR|MR|H(?:its)?@\d+) "
    r"(?:gain|improvement|drop|decrease|degradation|difference|change|delta)s?\b",
    "another graph": r"\b\d+ ?% (?:of )?(?:random )?noise\b|\bnois[ey]+ (?:rate|ratio|level)s?\b|"
    r"\b(?:poisoned|noisy|perturbed|corrupted|translated|sparsified|subsampled|downsampled) (?:versions? of )?"
    r"(?-i:[A-Z])|\b(?:[a-z]{3,12}[ei]se|German|French|Spanish|Italian|Russian|Arabic|reduced|smaller|sparse|modified|"
    r"extended|enriched|augmented|cleaned|balanced|harder) (?:version|variant|translation)s? of\b",
    "another split": r"\bcross-?validat|\bre-?split\b|^\W{0,9}fold \d{1,2}\b|"
    r"\b\d{1,2}-fold\b(?! (?:higher|lower|more|less|better|faster|speed))|"
    r"\b(?:random(?:ly)?|our|own|new|custom)(?: \d\d/\d\d?/\d\d?)? (?:(?:train|test|data)[ /-]?){0,3}split|"
    r"\b\d\d ?[/:] ?\d\d? ?[/:] ?\d\d? (?:random )?split",
    "multi-hop reasoning": r"\b(?:results|performance|mrr|hits\W?\d+|accuracy|evaluation) "
    r"(?:\(\W?\) ?)?(?:of|for|on) multi-?hop (?:reasoning|quer)|"
    r"^(?:table(?: \w{1,4})?[.:] ?)?multi-?hop (?:logical )?(?:reasoning|quer(?:y|ies))",
    RELATION_PREDICTION: r"\brelation prediction\b|\bpredict(?:ing|ed|ion of)?(?: the)? (?:missing )?relations\b|"
    r"[(<\u27e8] ?[a-z]{1,9}, ?\?, ?[a-z]{1,9} ?[)>\u27e9]",
    "complex query": r"\b(?:complex|logical) ?quer(?:y|ies)\b|\bquery answering\b|"
    r"\w(?:Logical|Complex)Query\b|\bEPFO\b",
    "subset": r"\b(?:subset|sample) of (?:\d[\d,]* )?(?:the )?(?:test|valid|evaluation|train)|"
    r"(?<![\d/])(?P<part>\d+)/(?!(?P=part)\b)\d+\]? (?:(?:test|validation) )?(?:triples|facts)\b|"
    r"\bfirst \d[\d,]* (?:test |validation )?(?:triples|facts)\b|"
    r"\b\d+ ?% of (?:the )?[^.;]{0,30}?\b(?:test|validation|evaluation)|"
    r"\b(?:only|restricted to) (?:the )?(?:relations|entities|triples|facts)\b|"
    r"^\W{0,9}seen (?:entities|relations|triples|facts)\W{0,9}$|"
    r"\((?:the )?(?:long[- ]tail(?:ed)?|rare|unpopular|infrequent)\b|"
    r"\b(?:for|on|of|with) (?:the )?(?:long[- ]tail|rare|(?:un)?popular|(?:in)?frequent)\b|"
    r"\b\d[\d,]* (?:random(?:ly)?|sampled) (?:(?:chosen|selected|sampled|test|validation) ){0,3}(?:triples|facts)\b|"
    r"\b(?:sampled|random(?:ly)?(?: (?:sampled|chosen|selected))?) \d[\d,]* "
    r"(?:(?:test|validation|train|training) )?(?:triples|facts)\b|"
    # Round numbers of no benchmark's test triples.
    r"\b(?:[1-9]0|[1-9]00|[1-4],?000) test (?:triples|facts|samples|queries|questions|instances|examples)\b",
    "type-constrained": r"(?<!without )(?<!w/o )(?<!no )\btype[- ]constrain|"
    r"\b(?:candidates|entities) (?:(?:are|were) )?(?:filtered|restricted|limited) (?:by|to) (?:[a-z]+ ){0,3}types?\b",
    # "1-N scoring", and a model "+ 1-N", say how was trained.
    "by relation": rf"(?<!\+ )\b(?:1|n|one|many)[- ]to[- ](?:1|n|m|one|many)\b(?! {_OF_TRAINING})|\bper[- ]relation\b|"
    rf"(?<![\w.:/-])(?<!\+ )(?:[1NM]-[1NM](?![\w.:/-])(?! {_OF_TRAINING})|(?:[NM]-[1NM]|1-[NM]):(?!\d))|"
    r"^\W{0,9}1-1:(?!\d)",
    "averages over datasets": r"^(?:table(?: \w{1,4})?[.:] ?)?(?:the )?(?:macro[- ]?)?(?:averaged?|mean)\b"
    r"(?: [\w@-]+){0,4} (?:across|over) (?:[\w-]+ ){0,4}(?:data ?sets|benchmarks?|graphs|KGs)\b",
    MACRO: r"\bmacro[- ]?averag|^\W{0,9}macro\W{0,9}$|\baveraged? (?:over|across|by) (?:all )?(?:the )?relations\b",
    # The last ones: these are tasks of some benchmarks, which other words may make others.
    "temporal": r"\btemporal\b|\btimestamps?\b|\btime[- ]aware\b|时序",
    "inductive": r"\b(?:unseen|emerging|out-of-(?:kb|kg|sample|graph)) entit|\bOOKB\b|\bout[- ]of[- ]knowledge[- ]|"
    r"\bentit[a-z]+ (?:that (?:are|were) )?unseen|\bopen[- ]world\b",
    "n-ary": r"\bn-ary\b|\bhyper-?relational\b",
}
# What says so where it is a whole label: "Unseen", "Improvement over TransE", "Client 2".
_LABELS = {
    "difference": r"(?:[Δ∆]|(?:(?:relative|absolute|percentage|average|mean) )?"
    r"(?:improvements?|gains?|differences?|deltas?|diffs?)(?: (?:over|to|from|against|vs\.?|in) [\w -]{1,40})?"
    r"|std|standard deviations?)(?: \(?%\)?)?",
    "running": r"(?:(?:best|results?|metrics|average|mean) )?so far|running (?:average|mean|metrics|results?)"
    r"|(?:partial|intermediate|preliminary)(?: (?:results?|metrics|evaluation))?|(?:evaluation )?in progress"
    r"|\d{1,2} ?% (?:done|complete)|(?:batch )?(?P<batch>\d{1,9}) ?/ ?(?!(?P=batch)\b)\d{1,9}(?: batches)?",
    "sampled": r"1 ?vs\.? ?\d[\d,]{0,12}(?: ranking)?|sampled (?:ranking|ranks|protocol)"
    r"|\d[\d,]{0,12} (?:random |sampled ){0,2}(?:negatives|negative samples|candidates)",
    "type-constrained": r"typed? (?:candidates|filter(?:ed|ing)?)|type-filtered",
    "by relation": r"(?:symmetric|asymmetric|antisymmetric|inverse|hierarchical|compositional|transitive) relations|"
    r"relation _\w{1,60}",
    "subset": r"(?:un)?seen(?: (?:entities|relations|triples|facts))?|(?:a )?(?:test )?subset|"
    r"(?:long[- ]tail(?:ed)?|rare|(?:in)?frequent|(?:un)?popular) (?:entities|relations|triples)|long[- ]tail|"
    r"(?:hard|easy) (?:test )?(?:triples|facts|queries)|\d[\d,]{0,12} (?:test )?(?:triples|facts)|test-\d{1,6}k?",
    "few-shot": r"(?:zero|one|few)[- ]shot",
    "another split": r"(?:cv )?fold \d{1,3}",
    "federated": r"client \d{1,4}",
    RELATION_PREDICTION: r"relation ranking",
    "multi-hop reasoning": r"multi-?hop",
    "question answering": r"(?:kg|kb)?-?qa",
    MACRO: r"macro|(?:mean|averages?) (?:over|across|of) (?:all )?relations|per-relation (?:average|mean)|"
    r"over (?:all )?relations",
    "averages over datasets": r"(?:mean|averaged?) (?:over|across|of) (?:all )?(?:the )?(?:data ?sets|benchmarks)",
}
_LABEL_OF = {name: re.compile(rf"\W{{0,9}}(?:{pattern})\W{{0,9}}", re.IGNORECASE) for name, pattern in _LABELS.items()}
_LONGEST_LABEL = 80
TASKS = frozenset((*_TASKS, *_LABELS))
"""The names of other tasks."""
_TASK = {name: re.compile(pattern, re.IGNORECASE) for name, pattern in _TASKS.items()}
_INDUCTIVE = re.compile(
    r"(?<![a-z])inductive\b(?! bias)|归纳|(?-i:(?<=[A-Za-z0-9])[ _]?[({](?:IND|ind)[)}])", re.IGNORECASE
)
# What comes up to the last such word; an inductive setting is told by what comes behind.
_TRANSDUCTIVE = re.compile(r".*(?:\btransductive\b|传导)", re.IGNORECASE | re.DOTALL)
# A part of a word of each of them, in lower case. Few texts have one, and looking for these first is much faster.
_HINT = re.compile(
    r"shot|样本|ampl|negativ|candidate|among|against|within|hidden test|test-challenge|classif|extraction|typ(?:e|ing)|"
    r"align|matching|resolution|answering|[gb]-?qa|recommend|detection|predict|continual|lifelong|incremental|"
    r"snapshot|federated|clients?|unlearn|target|attack|adversarial|poison|gain|improvement|drop(?!out)|decrease|"
    r"degradation|difference|change|delta|across|over|pool|(?:reduction|increase|loss)s? (?:in|of|between|to) |nois|"
    r"perturb|corrupt|translat|sparsif|version|variant|cross-?validat|fold|split|multi|relation|, ?\?,|quer|epfo|"
    r"subset|% of|entities|triples|facts|long[- ]tail|rare|popular|frequent|questions|instances|examples|"
    r"\b(?:1|n|one|many)[- ]to[- ]|(?<![\w.:/-])[1nm]-[1nm]|macro|temporal|timestamp|time[- ]aware|时序|inductive|归纳|"
    r"[({]ind[)}]|seen|emerging|ookb|out[- ]of[- ]|world|n-ary"
)
_RAW = re.compile(
    r"\b(?:raw|unfiltered)\b(?! (?:data|text|file|score|triple|graph))|\b(?:without|no|not) filter(?:ing|ed)?\b",
    re.IGNORECASE,
)
_FILTERED = re.compile(r"(?<!un)filter|过滤|過濾", re.IGNORECASE)
# What is filtered on a graph whose facts have a time; "time-aware" alone may be said of a model.
_KNOWN = {
    "time-aware": r"\btime[- ](?:(?:aware|wise)[- ](?:filter|metric|setting|protocol|evaluation|result)|filter)",
    "static": r"\bstatic(?:ally)?[- ]filter",
}
_PERCENT = re.compile(r"[(\[]\s*(?:in )?%\s*[)\]]|\bin (?:%|per ?cent(?:ages?)?\b)|[×*x] ?100\b", re.IGNORECASE)
# "Δ is the drop relative to the full model (in %)".
_CHANGE = re.compile(
    r"[Δ∆]|\\Delta\b|\b(?:relative|drop|decrease|increase|degradation|reduction|improvement|gain|change|difference|gap)s?\b",
    re.IGNORECASE,
)
_OF_NUMBERS = re.compile(
    r"\b(?:MRR|MR|hits?|H@\d+|results?|numbers|scores?|values?|metrics?|performances?|all)\b", re.IGNORECASE
)
_SEVERAL = (
    "[2-9]|[1-9][0-9]+|two|three|four|five|six|seven|eight|nine|ten|several|multiple|different|random|independent"
)
_RUNS = re.compile(
    rf"\b(?:{_SEVERAL})[- ](?:[a-z]+[- ]){{0,3}}(?:runs|seeds|trials|repetitions|repeats|initiali[sz]ations)\b"
    r"|\bstandard (?:deviation|error)s?\b|(?:±|\+/-) ?(?:std|sd|s\.d\.)",
    re.IGNORECASE,
)
_BEST = re.compile(r"\b(?:best|max(?:imum)?) (?:[a-z]+ ){0,3}(?:of|over|across|among|from)\b", re.IGNORECASE)
_VALID = re.compile(
    r"\b(?<!cross-)(?<!cross )(?:valid|validation|(?<!std )(?<!std. )(?<!standard )dev|development)\b|验证|驗證",
    re.IGNORECASE,
)
_TEST = re.compile(r"\btest|测试|測試", re.IGNORECASE)
# Prose that says what the numbers are, not how models were trained or chosen.
_REPORTS = re.compile(
    r"\b(?:results|numbers|scores|metrics)\b[^.;]{0,40} (?:are|is|were) [^.;]{0,20}\bon (?:the )?(?:valid|dev)"
    r"|\b(?:valid|validation|dev|development)[- ](?:set[- ])?(?:results|numbers|scores|metrics|performance) only\b"
    r"|\breport(?:ed)?\b[^.;]{0,40}\b(?:validation|dev|development) (?:set|results|performance|scores|split)"
    r"|\b(?:report(?:ed)?|use|in|under|are|is) (?:only )?(?:the )?(?:raw|unfiltered)\b(?: \(?(?:raw|unfiltered)\)?)?,? "
    r"(?:setting|metrics|results|ranks?|evaluation|protocol|numbers)",
    re.IGNORECASE,
)
# What a text says that is about relations only, and words for what other texts are about.
_OF_RELATIONS = re.compile(
    r"\brelation prediction\b\W{1,9}(?:(?:i\.e\.|that is|is|to|the task of)\W{1,3}){0,3}predict(?:ing|s)? (?:the |a )?"
    r"(?:missing |correct )?relation\b",
    re.IGNORECASE,
)
_OF_ENTITIES = re.compile(r"\b(?:link|entity|head|tail|subject|object|node) prediction\b", re.IGNORECASE)
_SIDES = {
    side: re.compile(
        rf"\b(?:(?:predict|corrupt)(?:ing|ion of)? (?:the )?(?:{words})|only (?:{words})|"
        rf"(?:{words})[- ](?:entity )?(?:prediction|batch|side|only|quer(?:y|ies)|corrupted|corruption)|"
        rf"corrupted (?:{words}))\b",
        re.IGNORECASE,
    )
    for side, words in {"head": "heads?|subjects?|left", "tail": "tails?|objects?|right"}.items()
}
# In prose, a query of one side may mean both: with inverse relations, (?, r, t) is one like (t, r', ?).
_QUERIES = {
    "head": re.compile(r"[(<\u27e8] ?\?, ?\w{1,9}, ?\w{1,9} ?[)>\u27e9]"),
    "tail": re.compile(r"[(<\u27e8] ?\w{1,9}, ?\w{1,9}, ?\? ?[)>\u27e9]"),
}
_QUERIED = "the text around it names {}, which may be one side or both: add --side"
# How many test triples there are; without the word it may be the size of a dataset.
_TRIPLES = re.compile(r"(\d{1,3}(?:,\d{3})+|\d{1,9}) (test )?(?:triples|facts)", re.ASCII | re.IGNORECASE)
_TIES = re.compile(r"\b(optimistic|pessimistic)\b", re.IGNORECASE)
_TRAIN_ALONE = re.compile(r"train|train(?:ing)? (?:set|split|triples|facts|data)", re.IGNORECASE)
# What was chosen on the validation set is not reported on it.
_CHOOSING = re.compile(
    r"(?:select|tun(?:ed|ing)|stop|hyper|best|chos|search|optimi[sz]|pick|sav(?:ed|ing)|accord|checkpoint)[^.;]{0,200}"
    r"\b(?:valid|dev)|\b(?:valid|dev)[^.;]{0,200}(?:select|tun(?:ed|ing)|chos|hyper)"
    r"|\b(?:valid|dev)\w{0,10} (?:set |split |data )?(?:was|is|were|are) (?:only )?used (?:for|to|in)\b",
    re.IGNORECASE,
)
_TRAIN = re.compile(
    r"\b(?:results?|performance|metrics|scores|evaluat\w+|measured|reported)\b[^.;]{0,40} on (?:the )?"
    r"(?:[\w-]+ ){0,2}train(?:ing)? (?:set|split|data|triples|facts)"
    r"|^\W{0,9}(?:on (?:the )?)?train(?:ing)? (?:set|split|triples|results|performance|metrics)\W{0,9}$",
    re.IGNORECASE,
)
_BOTH_SIDES = re.compile(
    r"\b(?:head|subject|left|tail|object|right)s?(?: entit\w+)? ?(?:and|or|/|&|\+|,) ?(?:the )?"
    r"(?:head|subject|left|tail|object|right)s?\b",
    re.IGNORECASE,
)
# A sentence that leads to the table, and is no prose of its section.
_LEAD = 12
_LABEL = 4
_SENTENCE = re.compile(r"(?<=[.!?])\s+")


def find_task(text: str, ignored: str = "") -> str | None:
    """Return what is evaluated, if a text says that it is no ranking of all entities; one task may be ignored.

    A text about link prediction may name what else there is, such as question answering.
    """
    if (labelled := _find_label(text, ignored)) is not None:
        return labelled
    if _HINT.search(text.casefold()) is None:
        return None
    transductive = _TRANSDUCTIVE.match(text)
    inductive = _INDUCTIVE.search(text, 0 if transductive is None else transductive.end())
    told = (name for name, pattern in _TASK.items() if pattern.search(text) or (name == "inductive" and inductive))
    linked = {name for pattern, names in _LINKS if pattern.search(text) for name in names}
    return next((name for name in told if name != ignored and name not in linked), None)


def _find_label(text: str, ignored: str = "") -> str | None:
    """Return the task whose label a whole text is."""
    if len(text) > _LONGEST_LABEL:
        return None
    return next((name for name, label in _LABEL_OF.items() if name != ignored and label.fullmatch(text)), None)


def _list_parts(text: str) -> list[str]:
    """Return what a text says in parentheses or next to the name of a dataset: ``WN18RR - unseen entities (raw)``."""
    if len(text) > _LONGEST_CAPTION:
        return []
    for mention in find_mentions(text):
        text = text.replace(mention.text, " ; ")
    parts = (_trim(part) for part in _PARTS.split(_RESULTS.sub(" ", text)))
    return [part for part in parts if part]


def _trim(part: str) -> str:
    """Return a part of a text without words that are of any numbers; a setting, ``mode: train``, is read elsewhere."""
    words = [" ".join(_GENERAL_WORDS.sub("", each).split()) for each in part.split(":", 1)]
    return next(filter(None, words), "") if not all(words) or len(words) == 1 else ""


_LONGEST_CAPTION = 400
_PARTS = re.compile(r"[()\[\];]|\s[-\u2013\u2014|/]\s|,\s|(?<=[.!?])\s|\.$")
# Words at the ends of a part that are of any numbers.
_GENERAL_WORDS = re.compile(
    r"^(?:\W*+\b(?:(?:table|tab|figure) \w{1,3}|all|these|the|are|is|on|of|for|in(?! progress)|under|"
    r"notes?|remarks?|comments?|caption)\b)*+\W*+"
    r"|(?: (?:on|of|for|in|the|are|is))*\W*$",
    re.IGNORECASE,
)


# Words for link prediction, and the tasks that a text with them may mention only.
_LINKS = (
    (
        re.compile(r"\b(?:link|entity) prediction\b|\bcompletion\b|\bKGC\b", re.IGNORECASE),
        ("triple classification", "alignment", "type prediction", "question answering", "recommendation",
         "error detection", "value prediction", "multi-hop reasoning"),
    ),
    (re.compile(r"\bentity prediction\b", re.IGNORECASE), (RELATION_PREDICTION,)),
)  # fmt: skip


def tell(above: Sequence[Above], reports: Sequence[str] = ()) -> Told:
    """Return what the texts of a table say about its numbers.

    What sections around it report holds unless a nearer text says otherwise.
    """
    if not above:
        return Told()
    own = [each.text for each in above if each.kind != "heading"]
    headings = [each.text for each in above if each.kind == "heading"]
    if above[0].kind != "caption":  # what has a caption may be far from where it is printed
        own += headings[:1]
    reported = (sentence for text in own for sentence in _SENTENCE.split(text) if _REPORTS.search(sentence))
    leading = [*map(_drop_elsewhere, (*filter(_leads, own), *reported))]
    mentions, origin = _find_dataset([each for each in above if each.kind != "note"])
    captions = [each.text for each in above if each.kind == "caption" or NUMBERED.match(each.text.lstrip("*_ "))][:3]
    leading += [
        text
        for text in reports
        if not any(map((_TEST if _VALID.search(text) else _FILTERED).search, (*own, *captions)))
    ]
    raw = next((text for text in (*leading, *captions) if _RAW.search(text)), None)
    one_sided = [text for text in (*leading, *captions) if not _BOTH_SIDES.search(text)]
    sides = [side for side, pattern in _SIDES.items() if any(map(pattern.search, one_sided))]
    queried = {
        side: found
        for side, pattern in _QUERIES.items()
        if (found := next(filter(None, map(pattern.search, one_sided)), None)) is not None
    }
    sides += [side for side, found in queried.items() if _is_query_only(found) and side not in sides]
    open_side = not sides and len(queried) == 1
    parts = [part for text in dict.fromkeys((*leading, *captions)) for part in _list_parts(text)]
    counts = {found[1].replace(",", "") for found in map(_TRIPLES.fullmatch, parts) if found is not None and found[2]}
    parts = [part for part in parts if _TRIPLES.fullmatch(part) is None]
    ties = {found[1].lower() for text in (*leading, *captions) for found in _TIES.finditer(text)}
    placed = [part for part in parts if part.lower() not in {"left", "right"}]  # where a table is
    alone = next((text for text in (*own, *headings, *placed) if _SIDE_ALONE.fullmatch(text)), None)
    protocols = [key for key, pattern in _KNOWN.items() if any(re.search(pattern, text, re.IGNORECASE) for text in own)]
    protocols += ["raw"] if raw and not _FILTERED.search(_RAW.sub("", raw)) else []
    # The nearest heading that says it counts: "## Raw results" above "### FB15k-237".
    filters = next((text for text in headings if _RAW_SECTION.fullmatch(text) or _FILTERED.search(text)), "")
    may_be_raw = not protocols and not any(map(_FILTERED.search, own)) and _RAW_SECTION.fullmatch(filters) is not None
    task = next(filter(None, map(find_task, own)), None)
    # A text with more to say may explain columns of differences.
    ignored = "difference" if len(parts) > 1 else ""
    task = task or next(filter(None, (_find_label(part, ignored) for part in parts)), None)
    if task is None and any(map(_OF_RELATIONS.search, reports)):
        task = RELATION_PREDICTION
    outer = _tell_outer([each for each in above if each.kind == "heading"], own, captioned=above[0].kind == "caption")
    task = task or outer.task
    graphs = tuple(graph for mention in mentions for graph in list_graphs(mention))
    return Told(
        dataset=graphs[0] if len(graphs) == 1 else None,
        among=graphs if len(graphs) > 1 else (),
        split=_find_split([*leading, *captions]) or ("train" if any(map(_TRAIN_ALONE.fullmatch, parts)) else None),
        side=sides[0] if len(sides) == 1 else None,
        protocol=protocols[0] if len(protocols) == 1 else None,
        rank_type=ties.pop() if len(ties) == 1 else None,
        num_triples=int(counts.pop()) if len(counts) == 1 else None,
        task=task,
        percent=any(
            _PERCENT.search(each) and not _is_of_change(each) for text in own for each in _SENTENCE.split(text)
        ),
        averaged=any(_RUNS.search(text) and not _BEST.search(text) for text in own),
        origin=origin,
        missing=(
            *(("side", _QUERIED.format(each[0])) for each in queried.values() if open_side),
            *((("side", _ALONE.format(alone.strip())),) if alone is not None and not sides and not open_side else ()),
            *((("protocol", MAY_BE_RAW),) if may_be_raw else ()),
            *outer.missing,
        ),
        unclear=_OF_TRAIN if any(map(_FILTERED_BY.search, (*leading, *captions))) else "",
    )


def _tell_outer(headings: Sequence[Above], own: Sequence[str], *, captioned: bool) -> Told:
    """Return what labels say that head the sections around that of a table: ``## Validation results``.

    Their split or side is left to the user; a nearer text that says its own goes first. A table with a caption may be
    in another section than that which it belongs to, and a title that says relation prediction may mean that of links.
    """
    task, missing = None, dict[str, str]()
    texts = [each.text for each in headings]
    near = [*own, *([] if captioned else texts[:1])]
    for place, text in enumerate(texts):
        if place == 0 and not captioned:
            continue
        titled = place == len(texts) - 1 and not headings[place].beside
        words = _RESULTS.sub(" ", text)
        told = tell_row(words) if _is_label(words) and not find_mentions(words) else None
        if told is not None and not told.dataset:
            linked = any(_OF_ENTITIES.search(text) or _TRANSDUCTIVE.match(text) for text in near)
            others = {*_OF_METHODS, RELATION_PREDICTION} if titled else _OF_METHODS
            far = captioned and place > 0
            task = task or (told.task if not linked and not far and told.task not in others else None)
            split = None if told.split == "train" and not _OF_TRAINING_SET.search(words) else told.split
            said = {"split": split, "side": told.side}
            for role, word in said.items():
                if word not in {None, "test", "both"} and not any(map(_SAYS[role].search, near)):
                    missing.setdefault(role, _OUTER.format(text.strip(), role))
        near.append(text)
    return Told(task=task, missing=tuple(missing.items()))


_OUTER = "the heading {0!r} further above may say a {1} that holds for it as well: add --{1}"
# Words around what a section is about.
_RESULTS = re.compile(
    r"\b(?:our|main|full|all|final|detailed|additional|benchmark|link prediction|results?|performance|scores?|metrics|"
    r"experiments?|evaluation|comparison)\b",
    re.IGNORECASE,
)
_OF_TRAINING_SET = re.compile(r"\btrain(?:ing)? (?:set|split|triples|data)|\bon (?:the )?train", re.IGNORECASE)
# What a method may be, too, whatever it is evaluated on.
_OF_METHODS = frozenset({"temporal", "n-ary", "attack", "unlearning", "another graph", "another split"})
_SAYS = {
    "split": re.compile(r"\b(?:test|valid|validation|dev|development|train|training)", re.IGNORECASE),
    "side": re.compile(r"\b(?:head|tail|subject|object|left|right|both|average|overall|lhs|rhs)", re.IGNORECASE),
}


def _drop_elsewhere(text: str) -> str:
    """Return a text without what it says of other tables: ``..., and raw results are in the appendix``."""
    if _ELSEWHERE.search(text) is None:
        return text
    return " ".join(clause for clause in _CLAUSE.split(text) if _ELSEWHERE.search(clause) is None)


_CLAUSE = re.compile(r"(?<=[,;.!?]) |[()]| (?:and|but|while|whereas) ")
_ELSEWHERE = re.compile(r"\bin (?:the |our )?(?:appendix|appendices|supplement)|\belsewhere\b", re.IGNORECASE)


def _is_of_change(sentence: str) -> bool:
    """Tell whether a sentence is about differences only."""
    return _CHANGE.search(sentence) is not None and _OF_NUMBERS.search(sentence) is None


# A text of a side and little else: "### Head", "Tail entities:".
_SIDE_ALONE = re.compile(
    r"\W*(?:table \d{1,3}\W{1,3})?(?:(?:results?|evaluation|metrics|scores) (?:on|of|for) (?:the )?)?"
    r"(?:head|tail|subject|object|left|right|lhs|rhs|source|target|forward|backward|inverse)s?"
    r"(?: (?:side|entit(?:y|ies)|nodes?|results?|only|metrics|scores|queries|direction))?\W*",
    re.IGNORECASE,
)
_ALONE = "the text {!r} above it may say a side: add --side"

_RAW_SECTION = re.compile(
    r"\W*(?:raw|unfiltered)(?: (?:results?|setting|metrics|scores|evaluation|ranks?))?\W*", re.IGNORECASE
)
MAY_BE_RAW = "a heading further above says raw, which may hold for it as well: add --protocol"
"""Why a number is left out below a heading such as ``Raw results`` that another one follows."""


def _is_query_only(found: re.Match[str]) -> bool:
    """Tell whether a text is the label of queries of one side: ``Queries (h, r, ?):``."""
    rest = found.string.replace(found[0], " ")
    return not re.sub(r"(?i:\b(?:quer(?:y|ies)|results?|prediction|on|of|for|the|test|set|filtered)\b)|\W", "", rest)


_FILTERED_BY = re.compile(
    r"\bfilter(?:ed|ing)? (?:by|with|on|using|against) (?:only )?(?:the )?(?:triples of )?(?:the )?train(?:ing)?"
    r"(?: (?:set|split|triples|facts|data))?(?: only\b|[\s.:;]{0,9}$)",
    re.IGNORECASE,
)
_OF_TRAIN = "known answers of train only were removed, and no protocol does that"


def _find_split(texts: Sequence[str]) -> str | None:
    """Return the split that texts about the numbers of a table name, if it is not that of testing."""
    told = next((text for text in texts if _VALID.search(text) or _TRAIN.search(text)), "")
    sentences = [] if _TEST.search(told) else _SENTENCE.split(told)
    if any(_VALID.search(each) and not _CHOOSING.search(each) for each in sentences):
        return "valid"
    return "train" if any(map(_TRAIN.search, sentences)) else None


def tell_row(label: str) -> Told | None:
    """Return what a row says of those below it; ``Test`` and ``Filtered`` end what rows above said."""
    told, words = tell((Above("caption", label),)), read_words(label) or {}
    told = replace(
        told,
        split=told.split or words.get("split"),
        side=told.side or words.get("side"),
        protocol=told.protocol or words.get("protocol"),
        rank_type=told.rank_type or words.get("rank_type"),
    )
    if told.split is None and _TEST.search(label) and not _VALID.search(label):
        return replace(told, split="test")
    names = told.dataset or told.among
    said = told.split or told.side or told.protocol or told.rank_type or told.task or told.missing or told.unclear
    return told if names or said or _FILTERED.search(label) else None


def may_tell(label: str) -> bool:
    """Tell whether a row may say of which split, side, protocol or task it is; few do, and this is much faster."""
    text = label.casefold()
    return _WORDS.search(text) is not None or _HINT.search(text) is not None


# A part of a word of each text that says so, in lower case, next to those of tasks.
_WORDS = re.compile(
    r"train|valid|dev|test|raw|filt|head|tail|subj|obj|left|right|lhs|rhs|source|target|forward|backward|inverse"
    r"|\?|optimistic|pessimistic|static|time|so far|running|partial|intermediate|preliminary|progress|%|batch"
    r"|[δ∆]|std|diff|deviation|mean|average|1 ?vs|pool|hop|qa|shot|hard|easy|验证|驗證|过滤|過濾"
)


def tells_tasks(label: str) -> bool:
    """Tell whether a row says of which split, side or protocol those below it are."""
    told = tell_row(label)
    return told is not None and bool(told.split or told.side or told.protocol)


def find_metrics(above: Iterable[Above]) -> list[str]:
    """Return the metrics of the nearest text that names any: none if it names others only, and these next to them."""
    for each in above:
        text = _CHANGED.sub(" ", each.text)
        words = re.findall(r"[A-Za-z]+(?:@\d+|[-_ ]?@ ?\d+)?|\d+", text)
        found: dict[str, str] = {}
        for i in range(len(words)):
            for j in range(i + 1, min(i + 4, len(words)) + 1):
                meaning = parse_column(" ".join(words[i:j]))
                if meaning is not None and meaning.metric is not None and meaning.adjustment is None:
                    name = " ".join(words[i:j])
                    found[meaning.metric.label] = min(found.get(meaning.metric.label, name), name, key=len)
        if others := OTHER_METRIC.findall(each.text):
            return [*found.values(), *others] if found else []
        if found or text != each.text:
            return list(found.values())
    return []


_CHANGES = "(?:gain|improvement|drop|decrease|degradation|difference|change|delta|increase|reduction)s?"
# "MRR gain", "ΔMRR", "improvement in Hits@10": of no metric's own values.
_CHANGED = re.compile(
    rf"\b(?:MRR|MR|H(?:its?)?@ ?\d+)[ -]{_CHANGES}\b"
    rf"|(?:[Δ∆]|\\Delta\b|\bdelta\b|\b{_CHANGES} (?:in|of)(?: the)?) ?\$?(?:MRR|MR|H(?:its?)?@ ?\d+)\b",
    re.IGNORECASE,
)
OTHER_METRIC = re.compile(
    r"\b(?:AU-?ROC|AU-?PRC?|AUC(?:-?(?:ROC|PRC?))?|ROC|accuracy|precision|recall|F1|ECE|Brier|NDCG|perplexity|RMSE|MAE|"
    r"correlation|coverage|frequency|freq|entropy|calibration)\b|准确率|精确率|召回率",
    re.IGNORECASE,
)
"""Names of what is measured otherwise than by ranks."""


_GENERAL = re.compile(
    r"result|performance|experiment|evaluation|benchmark|leaderboard|comparison|ablation"
    r"|结果|結果|对比|對比|比较|比較|实验|實驗|実験|性能|评估|評估|评测|評価|消融|결과|비교|성능|실험|평가"
    r"|résultat|évaluation|comparaison|expérience|ergebnis|vergleich|auswertung|resultado|comparación|evaluación"
    r"|avaliação|risultat|confronto|результат|сравнение",
    re.IGNORECASE,
)


def _is_label(text: str) -> bool:
    return 0 < len(text.split()) <= _LABEL


def _names_one(text: str) -> bool:
    mentions = find_mentions(text)
    return _is_label(text) and len(mentions) == 1 and mentions[0].known


def _is_name_only(text: str, mention: Mention) -> bool:
    """Tell whether a text is a dataset's name, perhaps with general words: ``On FB15k-237 (test):``."""
    rest = text.replace(mention.text, " ")
    return not re.sub(r"\W|(?i:\b(?:on|the|data ?set|results?|test|valid(?:ation)?|set|filtered|raw)\b)", "", rest)


def _leads(text: str) -> bool:
    return text.rstrip().endswith((":", "：")) or len(text.split()) <= _LEAD


def _find_dataset(above: Sequence[Above]) -> tuple[tuple[Mention, ...], str]:
    """Return the dataset that the nearest text names, or several if it is open, and what kind of text it was.

    Between a sentence and the heading above it, a sentence that leads to the table goes first, but must not
    contradict; prose says less than the heading.
    """
    headings = [each for each in above if each.kind == "heading"]
    headed = _read_headings(headings)
    for each in above:
        if each.kind == "heading":
            break
        mentions = find_mentions(each.text)
        if len(mentions) > 1:
            last = find_mentions(_SENTENCE.split(each.text.strip())[-1])
            mentions = last if each.kind == "sentence" and len(last) == 1 and len(headed) != 1 else mentions
        if not mentions:
            continue
        if each.kind == "sentence" and len(headed) == 1 and headed[0].key not in {one.key for one in mentions[:1]}:
            if len(mentions) > 1 or not _leads(each.text):
                return headed, _ORIGINS["heading"]
            if not _is_name_only(each.text, mentions[0]):
                return (*mentions, *headed), ""
        if each.kind == "sentence" and len(mentions) > 1 and len(headed) == 1:
            return headed, _ORIGINS["heading"]
        return mentions, _ORIGINS[each.kind]
    return headed, _ORIGINS["heading"]


def _read_headings(headings: Sequence[Above]) -> tuple[Mention, ...]:
    """Return the datasets of the nearest heading that names any, alone or with the headings above it."""
    for i, each in enumerate(headings):
        mentions = find_mentions(each.text)
        # "S" below "CoDEx", "v1" below "WN18RR".
        for outer in headings[i + 1 :]:
            joined = find_joined(each.text, outer.text)
            if len(joined) == 1 and (not mentions or not mentions[0].known):
                return joined
        if mentions:
            return mentions
        # Among headings that name datasets, one with another name is of another dataset.
        if _is_label(each.text) and not _GENERAL.search(each.text) and any(map(_names_one, each.beside)):
            return (Mention(each.text.strip(" :#"), each.text, known=False),)
    return ()


@dataclass(slots=True)
class _Heading:
    level: int
    text: str
    parent: _Heading | None
    below: list[_Heading] = field(default_factory=list)
    reports: list[str] = field(default_factory=list)  # sentences of its section that say what numbers are
    of_entities: bool = False  # True if its section names the prediction of entities


# Paragraphs farther away than this are about something else.
_NEAR = 3


NUMBERED = re.compile(r"(?:Table|Tab\.|Tabelle|表)\s*[A-Z]?\d+\s*[.:：]", re.IGNORECASE)
"""What a caption begins with."""


# How a paragraph below a table begins that is about its numbers.
_NOTE = re.compile(
    r"[\s\\*†‡§(]*+(?:(?:please )?note\b|n\.b\.|remarks?:|注"
    r"|(?:all |these |the |our )?(?:above |reported )?(?:results|numbers|scores|metrics|values|ranks|rankings) "
    r"(?:above |here |reported )?(?:are|is|were|have)\b"
    r"|(?:each|every) (?:test )?(?:triple|fact|query)|we (?:only )?(?:evaluate|rank|report)\b"
    r"|evaluat(?:ed|ion) (?:is|was|on|among|against|with)\b)",
    re.IGNORECASE,
)


# What a footnote begins with: "† raw", "^{a} from [5]", "[^1]: on valid".
_MARKED = re.compile(
    r"[\s\\(\[]*+(?:\^\{[^{}]{1,20}\}|\[\^\w{1,20}\]|\^\w(?=\s)|[*†‡§¶⋆∗★☆ᵃᵇᶜᵈᵉ¹²³⁴⁵⁶⁷⁸⁹]{1,3})[)\]]?[\s:.=]*+\S"
)
_MOST_NOTES = 9


def is_note(text: str) -> bool:
    """Tell whether a paragraph below a table is about its numbers."""
    return _NOTE.match(text) is not None


# "- filtered: False".
_PAIR = re.compile(r"[\s*+\u2022-]*[A-Za-z][\w -]{1,30}\s?[:=]\s?[\w.%/-]{1,40}(?: [\w.%/-]{1,20}){0,3}\s*")


def _holds(said: tuple[int | None, str], most: int) -> bool:
    """Tell whether a list item is a setting, indented less than `most`."""
    return said[0] is not None and said[0] < most and _PAIR.fullmatch(said[1]) is not None


class Outline:
    """The headings, list items and paragraphs of a document, told from top to bottom."""

    def __init__(self) -> None:
        self._heading = _Heading(0, "", None)
        self._said: list[tuple[int | None, str]] = []  # the indentation of a list item, None for a paragraph
        self._tables: list[_Pending] = []
        self._captions_above = False  # True if a numbered caption comes before the first table
        self._fresh = False  # True if nothing but notes came since the last table

    def add_heading(self, level: int, text: str) -> None:
        """Begin a section."""
        parent = self._heading
        while parent.level >= level and parent.parent is not None:
            parent = parent.parent
        self._heading, self._fresh = _Heading(level, text, parent), False
        parent.below.append(self._heading)
        self._said.clear()

    def add_text(self, text: str, item: int | None = None, *, mark: str = "") -> None:
        """Add a paragraph, or a list item with its indentation, which ends those indented as far or farther.

        Right below a table, `mark` is that of a footnote.
        """
        if NUMBERED.match(text.lstrip("*_ ")):
            self._captions_above = self._captions_above or not self._tables
            if self._tables and not self._captions_above:
                self._tables[-1].captions += (text,)
                return
        note = f"^{{{mark}}} {text.lstrip(': ')}" if mark else text
        kind = FOOTNOTE if _MARKED.match(note) else "note" if item is None and is_note(text) else ""
        self._fresh = self._fresh and bool(kind)
        if self._fresh and not text.rstrip().endswith((":", "：")):
            self._tables[-1].notes = (*self._tables[-1].notes, Above(kind, note))[:_MOST_NOTES]
        plain = re.sub(r"[*_`]+", "", text)
        self._heading.reports += [
            each for each in _SENTENCE.split(plain) if _REPORTS.search(each) or _OF_RELATIONS.search(each)
        ]
        self._heading.of_entities |= _OF_ENTITIES.search(plain) is not None
        if item is not None:
            most = item + 1 if _PAIR.fullmatch(text) else item  # a list of settings is one of things that hold together
            self._said = [each for each in self._said if (each[0] is not None and each[0] < item) or _holds(each, most)]
        self._said.append((item, text))

    def add_table(self, rows: Iterable[Row], indentation: int = 0, captions: Iterable[str] = ()) -> None:
        """Add a table with all that was said before it; only items that it is indented below outlast it."""
        said = [text for _, text in self._said[::-1]]
        items = [each for each in self._said if each[0] is not None]
        near = said[:_NEAR]
        near += [text for _, text in items[::-1] if text not in near]
        self._said = [each for each in items if each[0] is not None and each[0] < indentation]
        self._tables.append(_Pending(rows, tuple(captions), tuple(near), self._heading))
        self._fresh = True

    def list_tables(self) -> list[Printed]:
        """Return the tables with the texts that belong to them, once all is told."""
        return [table.finish() for table in self._tables]


@dataclass(slots=True)
class _Pending:
    """A table that may get a caption below it, and whose headings may get neighbours."""

    rows: Iterable[Row]
    captions: tuple[str, ...]
    sentences: tuple[str, ...]
    heading: _Heading
    notes: tuple[Above, ...] = ()

    def finish(self) -> Printed:
        above = [Above("caption", text) for text in self.captions]
        above += [Above("sentence", text) for text in self.sentences]
        above += self.notes
        heading: _Heading | None = self.heading
        reports = list[str]()
        of_entities = any(_OF_ENTITIES.search(each.text) for each in above)
        while heading is not None and heading.parent is not None:
            reports += heading.parent.reports
            of_entities |= heading.of_entities or heading.parent.of_entities
            of_entities |= _OF_ENTITIES.search(heading.text) is not None
            beside = tuple(each.text for each in heading.parent.below if each is not heading)
            above.append(Above("heading", heading.text, beside))
            heading = heading.parent
        if of_entities:
            reports = [each for each in reports if not _OF_RELATIONS.search(each)]
        return Printed(self.rows, tuple(above), reports=tuple(reports))
