"""Read a heading, a key, a cell, a caption or a sentence word by word.

"Test MRR" names the metric MRR and the split test. A label of nothing but known words, as this one,
declares what it names. Any other label only holds words that the user may be asked about.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple

from rankconst.catalogue.answers import AnswersMetric, find_measure
from rankconst.catalogue.mentions import PERCENT, find_mentions
from rankconst.catalogue.metrics import list_prefixes
from rankconst.names import read_count, squash, write_latin
from rankconst.results.vocabulary import EVERYWHERE, FOREIGN, VOCABULARY, Word

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from rankconst.catalogue.metrics import Metric


@dataclass(frozen=True, slots=True)
class Label:
    """What a text names: a metric, values, graphs, and the words to ask about."""

    text: str = ""
    role: str = ""  # of the cells below it: "measured" for a metric, or one of vocabulary.toml
    metric: Metric | None = None
    adjustment: str | None = None  # "normalised", "index" or "z" if its values are adjusted already
    # Maps fields to the values that it names.
    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    graphs: tuple[str, ...] = ()  # the names of datasets in it
    words: tuple[Word, ...] = ()  # those of the lexicon, with the spellings of values among them
    is_vocabulary: bool = False  # True if it consists of vocabulary
    alone: bool = False  # True if it consists of words that are asked about, and numbers
    leading: str = ""  # the statistic that it begins with, apart from filler: "gain"
    both: bool = False  # True if it names both sides in one breath: "head and tail entities"
    percent: bool = False  # True if it has the sign of its values: "Hits@10 (%)"
    spread: bool = False  # True if a value without a deviation is one itself: "MRR (±)"
    num_triples: int | None = None  # how many test triples it speaks of
    reason: str = ""  # why values of its metric cannot be adjusted, as half a sentence

    @property
    def declared(self) -> dict[str, str]:
        """The fields with a single value, if the label consists wholly of vocabulary."""
        if not self.is_vocabulary:
            return {}

        fields = {name: values[0] for name, values in self.values.items() if len(values) == 1}
        if self.both:
            fields["side"] = "both"

        if len(self.graphs) == 1:
            fields["dataset"] = self.graphs[0]

        return fields

    @property
    def version(self) -> str:
        """The version that the label names, v1; its graph may be in another label."""
        (version, *more) = self.values.get("version", ("",))
        return version if self.is_vocabulary and not more else ""

    @property
    def is_about_tasks(self) -> bool:
        """Whether the label has a value, a graph, or a word that may be about ranking tasks."""
        return bool(self.values or self.words or self.graphs or self.num_triples)

    def has_word_of(self, field: str) -> bool:
        """Tell whether one of the words to ask about is about a field."""
        return any(word.field == field for word in self.words)

    def __hash__(self) -> int:
        return hash(self.text)


UNKNOWN = "an unknown metric"
"""Why a number of another metric is left out."""

NO_K = "it does not say which k"
"""Why a number of a metric without its k is left out."""

ADJUSTED = "it is adjusted already"
"""Why an adjusted number is left out where only published ones are read."""

CUT_OFF = re.compile(r"(?<!\w)[A-Za-z]\w*+\s?@\d{1,6}$", re.ASCII)
"""The name of a metric that is cut off at some place, known or not."""

FILE_ENDINGS = (
    *(".csv", ".json", ".txt", ".tsv", ".yaml", ".yml", ".log", ".npy", ".pkl"),
    *(".ckpt", ".pt", ".pth", ".py", ".sh", ".ipynb", ".md", ".tex", ".pdf", ".html"),
)
"""The endings of files that a text may name; they and addresses on the web say nothing."""

_NOTHING = Label()


@lru_cache(maxsize=65_536)
def read_label(text: str, k: int | None = None) -> Label:
    """Read a text as a label.

    "Test MRR" has the metric MRR and the split test. `k` is that of a metric such as "Hits", if a
    table has it in a column of its own.
    """
    if not text.strip():
        return _NOTHING

    plain = _clean_text(text)
    cleaned = plain.text
    label = _compose_label(text, cleaned, tuple(_scan_names(cleaned, k)), k)
    words = label.words
    mark = _find_mark(text, label.graphs)
    if mark:
        words = (*words, Word(mark, "graph"))

    letters = _LETTERS_IN_BRACKETS.search(cleaned)
    if letters and label.metric is None and cleaned[: letters.start()].endswith(label.graphs[-1:]):
        words = (*words, Word(letters[1].lower(), "part", frozenset({"column", "row"})))

    if not label.is_vocabulary and VOCABULARY.is_foreign(cleaned):
        words = (*words, VOCABULARY.lexicon[FOREIGN])

    label = replace(label, words=words, percent=plain.percent)
    if label.metric is not None:
        return replace(label, role="measured", spread=plain.spread)

    role = VOCABULARY.match_role(cleaned) if len(cleaned) < _LONGEST_ROLE else ""
    return replace(label, role=role)


# -- signs ---------------------------------------------------------------------------------------

_LONGEST_HEADING = 200  # characters; some patterns take quadratic time
_LONGEST_ROLE = 40  # characters
# Which values are better: ↑, (↓), (higher is better), [the lower, the better].
_DIRECTION_SIGNS = re.compile(
    r"[(\[]\s*(?:[↑↓⬆⬇]\ufe0f?|(?:the )?(?:high|low|larg|small)er(?: is|,? the)? better)\s*[)\]]"
    r"|[↑↓⬆⬇]\ufe0f?",
    re.IGNORECASE,
)
_TRAILING_MARKS = re.compile(r"(?:[\s*†‡§¶¹]|\^\{(?![A-Za-z]{3})[^{}]{0,8}\}|\^[a-z*†‡](?!\w))+$")
_MARK_BEHIND_GRAPH = re.compile(r"\s?(?:\^\{?)?([*†‡§])|(['\u2019\u2032\u2033])(?!\w)")
_LETTERS_IN_BRACKETS = re.compile(
    r"\s?[(\[]\s?([A-Za-z]{1,2})\s?[)\]]$"
)  # behind a graph: WN18RR (H)
_QUOTES = {"*", "'", "\u2018"}  # around a name, as in bold
_PERCENT_SIGNS = re.compile(
    r"[(\[]\s*(?:in\s+)?(?:%|[Pp]ercent)\s*[)\]]|\bin\s+(?:%|[Pp]ercent\b)"
    r"|%(?!\s*of\b)|(?<=\d)%|(?<=\d\s)%"
    r"|[(\[]\s*[×x*]\s?100\s*[)\]]|(?:×|(?<=[\s\d])x)\s?100\s*$"
)
_PLUS_MINUS = re.compile(
    r"[(\[]?\s{0,9}(?:mean\s{0,9})?(?:±|\+/-|\+-)\s{0,9}(?:std|sd)?\.?\s{0,9}[)\]]?$"
)
_TABLE_NUMBER = re.compile(
    r"^\s*(?:table|tab\.?|tabelle|表)\s*[A-Z]?\d+(?:\.\d+)?\s*[.:：]?", re.IGNORECASE
)
# A query in any letters: (h, r, ?) asks for tails, as h2t does.
_TRIPLE_QUERY = re.compile(
    r"[(\[{<⟨]\s*(?:(?P<t2h>\?)|\w{1,12})\s*,"
    r"\s*(?:(?P<predicate>\?)|\w{1,12})\s*,"
    r"\s*(?:(?P<h2t>\?)|\w{1,12})\s*[)\]}>⟩]"
)
_ARROWS_TO_COLONS = str.maketrans("→⟶➔⇒", "::::")  # 1→N is 1:N
_ALL_ENTITIES = re.compile(
    r"\ball\s(?:of\s)?(?:the\s)?\d[\d.,]*\s?(?:[kmb]|thousand|million)?\s(entities|relations)\b",
    re.IGNORECASE,
)
# FMRR and FHits@10 are filtered, next to MRR and Hits@10 that are not (Akrami et al. 2020).
_FILTERED_METRIC = re.compile(r"(?<![A-Za-z])F(?=(?:MRR|MR|hits)(?![A-Za-z]))", re.IGNORECASE)
_NUMBER_OF_RUNS = re.compile(
    r"\b\d+\s(?=seeds|runs|repetitions)|(?<=\bmean of) \d+(?=\))"
)  # 5 seeds


class _Cleaned(NamedTuple):
    """A text without marks, units and names of files."""

    text: str
    percent: bool  # True if a sign says that values are percentages
    spread: bool


def _clean_text(text: str) -> _Cleaned:
    """Remove marks, units and files from a text: "Hits@10 (%) ↑" becomes "Hits@10", in percent."""
    cleaned = _DIRECTION_SIGNS.sub("", write_latin(text).replace("\\@", "@"))
    cleaned = _TABLE_NUMBER.sub("", cleaned, count=1)
    if " " in cleaned.strip():
        words = cleaned.split(" ")
        cleaned = " ".join(word for word in words if not _is_file(word))

    percent = any(not _is_amount(sign) for sign in _PERCENT_SIGNS.finditer(cleaned))
    spread = False
    cleaned = _PERCENT_SIGNS.sub(_keep_amount, cleaned)
    if len(cleaned) <= _LONGEST_HEADING:  # these patterns take quadratic time
        spread = _PLUS_MINUS.search(cleaned) is not None
        cleaned = _TRAILING_MARKS.sub("", cleaned)
        cleaned = _PLUS_MINUS.sub("", cleaned) or cleaned

    cleaned = _FILTERED_METRIC.sub("filtered ", cleaned)
    cleaned = _ALL_ENTITIES.sub(r"all \1", name_queries(cleaned).translate(_ARROWS_TO_COLONS))
    return _Cleaned(_NUMBER_OF_RUNS.sub("", cleaned), percent, spread)


def _is_file(word: str) -> bool:
    """Tell whether a word is an address on the web or the name of a file."""
    return "://" in word or word.rstrip(".,;:)]}\"'`").endswith(FILE_ENDINGS)


def _is_amount(sign: re.Match[str]) -> bool:
    """Tell whether a percent sign belongs to an amount, ``25%``, and not to values."""
    return sign[0] == "%" and sign.string[: sign.start()].rstrip()[-1:].isdigit()


def _keep_amount(sign: re.Match[str]) -> str:
    """Replace a percent sign by a blank, unless it belongs to an amount."""
    return PERCENT if _is_amount(sign) else " "


def name_queries(text: str) -> str:
    """Replace each query in a text by a word: (h, r, ?) by h2t."""
    if "?" not in text:
        return text
    return _TRIPLE_QUERY.sub(lambda query: f" {query.lastgroup or query[0]} ", text)


def _find_mark(text: str, graphs: Iterable[str]) -> str:
    """Find the mark behind the name of a graph, as in WN18RR*; empty if there is none."""
    for graph in graphs:
        name = graph.rstrip("*")
        start = text.find(name)
        if start < 0:
            continue
        mark = _MARK_BEHIND_GRAPH.match(text, start + len(name))
        if mark is None or text[max(start - 1, 0) : start] in _QUOTES:
            continue
        is_closing = text.count(mark[0], 0, start) % 2 == 1  # 'data/WN18RR'
        if not is_closing:
            return mark[1] or mark[2]

    return ""


# -- names ---------------------------------------------------------------------------------------

_MOST_WORDS = 8  # of a name
_FEWEST_LETTERS = 3  # letters; a shorter word counts only if it stands alone
_DIGITS = "0123456789"
_TOKEN = re.compile(
    r"[A-Z]+(?![a-z])|[a-z](?=(?:mrr|mr|hits?)(?![a-z]))|[A-Z]?[a-z]+|[^\W\d_a-zA-Z]+|\d+"
)
_WORD_SEPARATORS = re.compile(r"[\s_\u2010-\u2013-]+")  # between the words of a name
_LATIN_WORDS = re.compile(r"[A-Za-z0-9]+")
_GAP_IN_NAME = re.compile(r"[\s_\-./@:()\[\]\u2010-\u2013]{0,3}")  # between the words of one name
# A metric may be joined to the name of a graph.
_MEASURE_FIRST = re.compile(r"(?<![\w-])(?P<name>[A-Za-z]+\d*(?:@\d{1,4})?)[-.\u2013](?=\w)")
_MEASURE_LAST = re.compile(r"(?<=\w)[-.\u2013](?P<name>[A-Za-z]+\d*(?:@\d{1,4})?)(?!\w)")


class Span(NamedTuple):
    """A part of a text."""

    start: int
    end: int


_Kind = Literal["metric", "graph", "value", "word", "filler", ""]
"""What a part of a label is: a value is one of a field, a word is asked about, "" is unknown."""


class _Part(NamedTuple):
    """A name in a label, of one or more words."""

    kind: _Kind
    start: int
    end: int
    text: str

    @property
    def word(self) -> Word | None:
        """The word of the lexicon with this text, or None; a value may be such a word, too."""
        if self.kind not in {"value", "word"}:
            return None
        return VOCABULARY.lexicon.get(_write_plain(self.text))

    @property
    def is_unknown(self) -> bool:
        """Whether it is neither vocabulary of headings, nor a sign, nor a number."""
        if self.kind == "word":
            return self.word is not None and self.word.scopes.isdisjoint({"column", "names"})
        return not self.kind and len(self.text) > 1 and not self.text.isdigit()


def _scan_names(text: str, k: int | None) -> Iterator[_Part]:
    """Divide a text into parts from left to right, each the longest name that begins there."""
    tokens = [Span(*token.span()) for token in _TOKEN.finditer(text)]
    graphs = _find_graphs(text)
    position = 0
    while position < len(tokens):
        if graphs and graphs[0].start <= tokens[position].start:
            start, end = graphs.pop(0)
            part = _Part("graph", start, end, text[start:end])
        else:
            part = _read_name(text, tokens[position : position + _MOST_WORDS], k)
        yield part
        while position < len(tokens) and tokens[position].start < part.end:
            position += 1


def _read_name(text: str, tokens: Sequence[Span], k: int | None) -> _Part:
    """Return the longest name at the first token: "mean reciprocal rank", and not "mean"."""
    start, end = tokens[0]
    longest = _Part("", start, end, text[start:end])
    plain = ""  # the name so far, without the gaps between its words
    for token in tokens:
        if plain and _GAP_IN_NAME.fullmatch(text, end, token.start) is None:
            break
        plain += text[token.start : token.end].lower()
        beginnings = VOCABULARY.beginnings
        if plain not in beginnings and plain.rstrip(_DIGITS) not in beginnings:  # hits10
            break  # no longer name begins so
        end = token.end
        kind = _classify(text[start:end], k)
        is_fragment = (
            kind == "word" and len(plain) < _FEWEST_LETTERS and _is_inside(text, start, end)
        )
        if kind and not is_fragment:
            longest = _Part(kind, start, end, text[start:end])

    return longest


def _is_inside(text: str, start: int, end: int) -> bool:
    """Tell whether a part of a text touches a letter or a digit outside it: 1_1 in dl1_1e-5."""
    return text[max(start - 1, 0) : start].isalnum() or text[end : end + 1].isalnum()


def _classify(name: str, k: int | None) -> _Kind:
    """Classify a name: "MRR" is a metric, "valid" a value, "subset" a word, "on" filler."""
    plain = squash(name)
    if not plain or not name.isascii():  # names are compared without such signs: ΔMRR is not MRR
        return ""

    joined = _write_plain(name)
    word = VOCABULARY.lexicon.get(joined)
    # Such as "std", which is the spread of a metric.
    if word is not None and word.field == "metric":
        return "word"
    if plain[:1].isalpha() and find_measure(name, k) is not None:
        return "metric"
    if plain in VOCABULARY.values:
        return "value"
    if word is not None:
        return "word"
    return "filler" if joined in VOCABULARY.fillers else ""


def _write_plain(name: str) -> str:
    """Write the words of a name in lower case, with hyphens between them."""
    return _WORD_SEPARATORS.sub("-", name.lower())


def _find_graphs(text: str) -> list[Span]:
    """Find the names of graphs, without words or metrics joined to them: WN18RR-valid."""
    graphs = []
    apart = _MEASURE_FIRST.sub(_split_joined, _MEASURE_LAST.sub(_split_joined, text))
    for mention in find_mentions(apart):
        end = mention.end
        if mention.stem > mention.start:
            words = _LATIN_WORDS.findall(text[mention.stem : end].lower())
            if words and all(VOCABULARY.is_plain(word) for word in words):
                end = mention.stem
        graphs.append(Span(mention.start, end))

    return graphs


_JOINABLE = VOCABULARY.values.keys() | VOCABULARY.models | VOCABULARY.fillers


def _split_joined(joined: re.Match[str]) -> str:
    """Replace the sign between a graph and a metric, a value or a model by a blank."""
    name = joined["name"]
    if find_measure(name) is None and name.lower() not in _JOINABLE:
        return joined[0]
    return f" {name}" if joined[0].endswith(name) else f"{name} "


# -- what the names of a label say -----------------------------------------------------------------

# Among how many the answer is ranked: N=50, 1+99, 1 vs. 99, 1:99, 50 neg, _50 of hits@10_50.
_NUM_CANDIDATES = re.compile(
    r"(?<![\w=.])(?:(?:n|m|negs?)\s?=\s?\d[\d,]*|negs?\s?\d+|\d+\s?negs?|top[\s-]?\d{2,}|1:\d{2,})"
    r"(?!\w|[.:]\d)",
    re.IGNORECASE,
)
_NOT_OF_WORK = r"(?!\s(?:the\s|gpu\s)?(?:memory|vram|ram|time|steps?|epochs?|iterations?)\b)"
_NUM_OTHERS = (
    rf"(?<![\w=.@])1[\s-]?(?:\+|vs\.?)[\s-]?\d{{2,}}(?!\w|\.\d){_NOT_OF_WORK}"
    r"|(?:(?<=@\d)|(?<=@\d\d))_\d{2,}\b"
    r"|\b(?:among|against|vs\.?|versus)\s\d[\d,]*\s(?:\w+\s){0,2}(?:others?|entities|options)\b"
    r"|(?<![\w.])\d[\d,]*\srandom\s(?:ones|others|entities|answers|nodes|heads|tails)\b"
)
_OF_THE_TEST = (
    rf"(?<![\d.])\d[\d.]*\s?[%{PERCENT}]\sof\b{_NOT_OF_WORK}"
    rf"|\bfirst\s\d[\d,]{{2,}}+{_NOT_OF_WORK}"
    r"|\b(?:at (?:least|most)|(?:more|less) than)\s\d[\d,]*"
    r"\s(?:[a-z]+\s){0,2}(?:triples|facts|times)\b"
)
AMOUNT = rf"(?i:{_NUM_OTHERS}|{_OF_THE_TEST})"
"""A number of candidates or a share of the test set, with the words that tell; a pattern."""

CANDIDATES = Word(
    "",
    "protocol",
    frozenset({"column", "row"}),
    "it may say among how many the answer is ranked; sentences count runs by it",
)
_PART_OF_TRIPLES = Word("", "part", reason="the numbers may be of a part of the triples")
# A share of the evaluation, as of a running mean: [1000/2034], but 3/3 is all of it. The word is
# what all its lines have: /2034.
_SHARE_OF_EVALUATION = re.compile(
    r"(?<![\w./-])(?<!run )(?<!seed )(?<!trial )(\d+)(?P<word>/(?!\1(?!\d))\d+)(?![\w./-])",
    re.IGNORECASE,
)
_AMOUNT_PATTERNS = (
    (_NUM_CANDIDATES, CANDIDATES),
    (re.compile(_NUM_OTHERS, re.IGNORECASE), replace(CANDIDATES, scopes=EVERYWHERE)),
    (re.compile(_OF_THE_TEST, re.IGNORECASE), _PART_OF_TRIPLES),
    (_SHARE_OF_EVALUATION, replace(_PART_OF_TRIPLES, scopes=frozenset({"row"}))),
)
COUNTED = r"(?:triples|triplets|facts|edges|quadruples|samples|queries|examples)\b"
"""What is ranked, behind a number of them; a pattern."""

_TEST_TRIPLES = re.compile(
    rf"\b(?:on|over|has|have|contains?)\s(\d[\d,]*)\s(?:[a-z-]+\s){{0,3}}{COUNTED}"
    rf"|(?<![\w.,])(\d[\d,]*)\s(?:[a-z-]+\s){{0,3}}test\s{COUNTED}",
    re.IGNORECASE,
)


class _Amounts(NamedTuple):
    """The amounts in a text, such as "1 vs 99", as words to ask about."""

    words: dict[str, Word]
    positions: set[int]  # of their characters


def _find_amounts(cleaned: str) -> _Amounts:
    """Find the amounts in a text: "50 neg", "1 vs 99", "10% of", "100/2034"."""
    words: dict[str, Word] = {}
    positions: set[int] = set()
    for pattern, word in _AMOUNT_PATTERNS:
        for match in pattern.finditer(cleaned):
            # In "100/2034" the pattern names the part that all lines of a log share: "/2034".
            named = match.groupdict().get("word", match[0])
            amount = named.lower().replace(PERCENT, "%")
            words[amount] = replace(word, text=amount)
            positions.update(range(match.start(), match.end()))

    return _Amounts(words, positions)


def _find_unspaced(cleaned: str) -> dict[str, Word]:
    """Find the words of scripts without blanks between words, such as Chinese."""
    if cleaned.isascii():
        return {}
    lower = cleaned.lower()
    lexicon = VOCABULARY.lexicon
    return {name: lexicon[name] for name in lexicon if not name.isascii() and name in lower}


def _compose_label(text: str, cleaned: str, parts: tuple[_Part, ...], k: int | None) -> Label:
    """Compose the label of a text from the parts into which `cleaned` was divided."""
    graphs = tuple(dict.fromkeys(part.text for part in parts if part.kind == "graph"))
    amounts = _find_amounts(cleaned)
    others = [part for part in parts if part.start not in amounts.positions]
    words = {part.word.text: part.word for part in others if part.word is not None}
    words |= _find_unspaced(cleaned) | amounts.words
    unknown = [part for part in others if not part.kind and part.text.lower() not in words]
    is_vocabulary = not unknown if parts else bool(words)
    has_name = any(not part.text.isdigit() for part in unknown)
    are_words = not has_name and all(part.kind in {"word", ""} for part in parts)
    measures = _list_measures(parts, k, is_vocabulary=is_vocabulary)
    asking = tuple(words.values())
    if not measures and not any("column" in word.scopes for word in asking):
        asking += tuple(_ask_compound(cleaned, parts))

    counted = _TEST_TRIPLES.search(cleaned)
    count = "" if counted is None else counted[1] or counted[2]
    if not (measures or is_vocabulary or graphs or asking or count):
        return Label(text)

    label = Label(
        text,
        values=_find_values(parts),
        graphs=graphs,
        words=asking,
        is_vocabulary=is_vocabulary,
        alone=bool(words) and are_words,
        both=_joins_sides(parts),
        leading=_find_leading(cleaned, parts),
        num_triples=read_count(count.replace(",", "")),
    )
    if not measures:
        return label

    metric, adjustment = measures[0]
    reason = _find_reason(asking, metric, cleaned, parts)
    if len(measures) > 1:
        reason = "it names several metrics"

    return replace(label, metric=metric, adjustment=adjustment, reason=reason)


def _list_measures(
    parts: Iterable[_Part], k: int | None, *, is_vocabulary: bool
) -> list[tuple[Metric, str | None]]:
    """List the metrics among the parts of a label, each once, with their adjustment or None."""
    listed: dict[tuple[Metric, str | None], None] = {}
    for part in parts:
        measure = find_measure(part.text, k) if part.kind == "metric" else None
        if measure is None:
            continue
        metric, _ = measure
        # In running text, "map" is a map: such a metric needs a k.
        if is_vocabulary or not isinstance(metric, AnswersMetric) or metric.k:
            listed[measure] = None

    return list(listed)


def _find_reason(
    words: Sequence[Word], metric: Metric, cleaned: str, parts: Iterable[_Part]
) -> str:
    """Return why numbers of a metric cannot be adjusted, as half a sentence; else ""."""
    if _is_transformed(cleaned, parts, words):
        return f"it is not {metric.label} itself"
    statistics = (word for word in words if word.field == "metric" and word.scopes != {"name"})
    return next((word.reason for word in statistics), "")


def _find_values(parts: Iterable[_Part]) -> dict[str, tuple[str, ...]]:
    """Map fields to the values that a label names: {"split": ("valid", "test")}."""
    values: dict[str, tuple[str, ...]] = {}
    for part in parts:
        if part.kind == "value":
            name, value = VOCABULARY.values[squash(part.text)]
            values[name] = tuple(dict.fromkeys((*values.get(name, ()), value)))

    protocols = values.get("protocol", ())
    if len(protocols) > 1 and "raw" not in protocols:  # a time-aware protocol is filtered, too
        values["protocol"] = tuple(value for value in protocols if value != "filtered")

    return values


_MOST_OF_TITLE = 14  # parts; a longer text is no title, nor is one with a verb
_END_OF_PHRASE = re.compile(r"[:.;]\s")
_CONJUNCTIONS = {"and", "or", "with", "in", "by"}  # words behind which a title does not begin
_VERBS = {"is", "are", "was", "were"}  # a text with one is no title


def _find_leading(cleaned: str, parts: Sequence[_Part]) -> str:
    """Return the statistic that a title begins with, as "gains" of "Gains over TransE"; else ""."""
    if len(parts) > _MOST_OF_TITLE:
        return ""

    is_first = True  # nothing but filler is before the part
    for position, part in enumerate(parts):
        if part.text.lower() in _CONJUNCTIONS:
            is_first = False

        if position and _END_OF_PHRASE.search(cleaned, parts[position - 1].end, part.start):
            is_first = True

        is_filler = part.kind in {"filler", "value"} or part.text.isdigit()
        if is_filler or not is_first:
            continue
        is_first = False
        word = part.word
        behind = {other.text.lower() for other in parts[position + 1 :]}
        if word is not None and "title" in word.scopes and behind.isdisjoint(_VERBS):
            return word.text

    return ""


_MOST_OF_COMPOUND = 4  # parts; a longer text is no compound
_ACRONYM = re.compile(r"\b\w+[a-z][A-Z]{2,}\b")  # TripleRE, the name of a model
# One of several, such as "relation 7: born in".
_NUMBERED_NOUN = re.compile(r"\W*((?P<noun>[A-Za-z]{2,20})[\W_]?\s?\d{1,7})(?=\W*$|\s?[(:\[])")
_NOUNS_OF_SIZES = {"rank"}  # in logs that of a process, but "ComplEx-N3 (rank 32)" has one
_SCOPES_OF_COMPOUNDS = frozenset({"column", "row", "name"})


def _ask_compound(cleaned: str, parts: Sequence[_Part]) -> Iterator[Word]:
    """Yield a text as a word to ask about if it is like "Split 2", or a short "New entities"."""
    numbered = _NUMBERED_NOUN.match(cleaned)
    if numbered is not None and numbered["noun"].lower() in VOCABULARY.numbered - _NOUNS_OF_SIZES:
        yield Word(numbered[1].lower(), "part", EVERYWHERE)

    if len(parts) > _MOST_OF_COMPOUND:
        return

    nouns = VOCABULARY.nouns
    tokens = [token[0].lower() for token in _TOKEN.finditer(_ACRONYM.sub("", cleaned))]
    unknown = {part.text.lower() for part in parts if part.is_unknown}
    if unknown - VOCABULARY.technical - nouns and not nouns.isdisjoint(tokens):
        yield Word(cleaned.strip().lower(), "part", _SCOPES_OF_COMPOUNDS)


def _joins_sides(parts: Iterable[_Part]) -> bool:
    """Tell whether only vocabulary is between head and tail: "head and tail entities"."""
    side_before = ""  # empty if a word that is not vocabulary follows it
    for part in parts:
        if part.kind == "value":
            name, side = VOCABULARY.values[squash(part.text)]
            if name == "side":
                if {side_before, side} == {"head", "tail"}:
                    return True
                side_before = side
        elif not part.kind:
            side_before = ""

    return False


# Signs besides the metric of a heading that make it another number: "log(MR)", "MR^2", "MR / 1000".
_METRIC_SIGN = "\0"
_OTHER_UNIT = re.compile(r"^\s*/|/\s*$|\(k\)")  # MR / 1000, MR (k)
_OPERATORS = re.compile(r"[\^*×÷=<>Δδ∆√+#‰%]")
# A number next to the metric; those in GPT-4 and "seed 1" are parts of names.
_FACTOR_AT_METRIC = re.compile(
    rf"{_METRIC_SIGN}(?:[^\w{_METRIC_SIGN}]|_)*+\d|(?<![\w.-])\d+[\W_]*{_METRIC_SIGN}"
)


def _is_transformed(cleaned: str, parts: Iterable[_Part], words: Iterable[Word]) -> bool:
    """Tell whether a heading is of another number than its metric, as in MR^2 or MR / 1000."""
    rest, end = "", 0
    for part in parts:
        text = part.text
        if part.kind:
            text = _METRIC_SIGN if part.kind == "metric" else "word"
        rest += cleaned[end : part.start] + text
        end = part.end

    rest += cleaned[end:]
    if _OPERATORS.search(rest) or _OTHER_UNIT.search(rest):
        return True

    is_among = any(word.field == "protocol" for word in words)  # 50 samples
    return not is_among and _FACTOR_AT_METRIC.search(rest) is not None


# -- headings --------------------------------------------------------------------------------------


def find_name(text: str, metric: Metric, adjustment: str | None = None) -> Span | None:
    """Find the name of a metric in a text, without a side before it: 5 to 8 in ``tail.mrr``.

    None if the text does not name it.
    """
    for k in (None, metric.hits_k):  # in "(h, r, ?) / H@10" both are H with a k, if one is given
        for part in _scan_names(text, k):
            if part.kind == "metric" and find_measure(part.text, k) == (metric, adjustment):
                prefixes = list_prefixes(part.text)
                tokens = _TOKEN.finditer(part.text)
                first = next(token for token in tokens if token[0].lower() not in prefixes)
                return Span(part.start + first.start(), part.end)

    return None


def name_adjusted(heading: str, metric: Metric, adjustment: str) -> str:
    """Name an adjusted form in a heading in place of its metric; drop arrow and unit.

    >>> from rankconst.catalogue.metrics import parse_metric
    >>> name_adjusted("FB15k-237 / MRR (%)", parse_metric("mrr"), "index")
    'FB15k-237 / AMRR'
    """
    cleaned = clean_heading(heading)
    span = find_name(cleaned, metric)
    if span is None:
        name = metric.name_of(adjustment)
        return f"{cleaned} {name}" if name else f"{cleaned}_{adjustment}"

    before, rest = cleaned[: span.start], cleaned[span.end :]
    if re.fullmatch(rf"\W*{metric.hits_k}", rest):  # of two levels, "Hits@ / 10"
        rest = ""

    return f"{before}{metric.column_of(adjustment)}{rest}"


def clean_heading(heading: str) -> str:
    """Remove directions and percent signs, which are true of published values only."""
    return " ".join(_PERCENT_SIGNS.sub(" ", _DIRECTION_SIGNS.sub("", heading)).split()) or heading


def cut_metric(heading: str, metric: Metric, adjustment: str | None = None) -> str:
    """Cut the name of the metric out of a heading, unless nothing else is there.

    >>> from rankconst.catalogue.metrics import parse_metric
    >>> cut_metric("ULTRA (3g) / MRR", parse_metric("mrr")), cut_metric("MRR", parse_metric("mrr"))
    ('ULTRA (3g)', 'MRR')
    """
    cleaned = clean_heading(heading)
    span = find_name(cleaned, metric, adjustment)
    if span is None:
        return cleaned
    rest = f"{cleaned[: span.start]}{cleaned[span.end :]}".replace("()", "")
    return rest.strip(" /|_-:,") or cleaned


_OPEN_K = re.compile(r"@\s*[kn]?(?!\w)", re.IGNORECASE)  # Hits@, Hits@k


def join_k(name: str, k: str) -> str:
    """Join the name of a metric and the k that is written apart from it.

    >>> join_k("Hits@", "10"), join_k("hits@k", "@ 3"), join_k("Hits@N (%)", "N=1")
    ('Hits@10', 'hits@3', 'Hits@1 (%)')
    """
    written = f"@{k.lstrip('@=knKN ')}"
    joined = _OPEN_K.sub(written, name, count=1)
    return f"{name.rstrip()}{written}" if joined == name else joined


def _asks_in_headings(word: Word) -> bool:
    """Tell whether a word is asked about in the heading of a metric, or is filler there."""
    return not word.scopes.isdisjoint({"column", "metric", "names"})


def asks_nowhere(label: Label) -> bool:
    """Tell whether a heading has a word that headings do not ask about: "known" of "known MRR"."""
    of_lexicon = [word for word in label.words if word.text in VOCABULARY.lexicon]
    return not all(_asks_in_headings(word) for word in of_lexicon)


def list_others(text: str) -> list[str]:
    """List the words of a text that are not vocabulary of headings.

    Words without a blank or a bracket between them count as one.

    >>> list_others("RE-GCN MRR")
    ['RE-GCN']
    """
    text = _FILTERED_METRIC.sub("filtered ", text)
    others: list[str] = []
    end = -1  # of the last one, if nothing else follows it
    for part in _scan_names(text, None):
        word = part.word if part.kind == "word" else None
        is_unknown = not part.kind and not VOCABULARY.knows(part.text)
        is_other = is_unknown or (word is not None and not _asks_in_headings(word))
        gap = text[end : part.start] if others and end >= 0 else " "
        if is_other and not re.search(r"[\s()\[\]]", gap):
            others[-1] += gap + part.text
        elif is_other:
            others.append(part.text)
        end = part.end if is_other else -1

    return others


# -- yes and no ------------------------------------------------------------------------------------

OPPOSITES = {"filtered": "raw", "raw": "filtered"}
"""Maps a protocol to the one that its denial means."""


def weaken(label: Label) -> Label:
    """Return the label as one that declares nothing and only asks."""
    return replace(label, is_vocabulary=False)


def doubt(label: Label) -> Label:
    """Turn the values of a label into words to ask about: Filtered over a cell "partly"."""
    ways = {"protocol": "--protocol raw or --protocol standard"}
    doubted = (Word(label.text.lower(), name, remedy=ways.get(name, "")) for name in label.values)
    return replace(label, is_vocabulary=False, words=(*label.words, *doubted))


_USUAL_KINDS = {"full", "transductive"}  # kinds of words that mean another one if they are denied


def answer(label: Label, cell: str) -> Label | None:
    """Return what the heading `label` says of a number whose cell below it is yes or no.

    Filtered over "yes" declares filtered, over "no" it declares raw. Validation over "no" is asked
    about. "Debug" or "debug run 3" over "no" says nothing, but fold over "0" is asked about, as 0
    may be the first fold. Return None if the cell is neither yes nor no. In all other cases, return
    None if the label has unknown words.
    """
    is_yes = VOCABULARY.flags.get(cell.lower())
    if is_yes is None or not (label.values or label.words):
        return None

    if not (is_yes or label.values or cell == "0"):
        denied = (replace(word, kind="") for word in label.words if word.kind in _USUAL_KINDS)
        words = tuple(denied) if label.is_vocabulary else ()
        return replace(label, words=words)

    if not label.is_vocabulary:
        return None
    if is_yes:
        return label

    opposite = OPPOSITES.get(label.declared.get("protocol", ""))
    if opposite and len(label.values) == 1:
        return replace(label, text=f"not {label.text}", values={"protocol": (opposite,)})
    return doubt(label)


_PERCENTAGE = re.compile(r"\d{1,3}(?:\.\d{1,9})?\s?%(?!\sof\b)")  # 25%
_TABLE_SCOPES = {"row", "alone", "beside"}
# Maps where a label is to the scopes of words that ask there if nothing else is in the label.
_SCOPES_ALONE = {"name": {"row", "alone"}, "row": _TABLE_SCOPES, "column": _TABLE_SCOPES}


def ask_alone(label: Label, scope: str) -> Label:
    """Return a label that asks about an amount in it, "25%", or about words without others.

    Some words are asked about in a `scope` (name, row or column) only if they stand alone: no model
    is called "composition".
    """
    amount = _PERCENTAGE.search(label.text)  # of the data, or a quantile
    is_named = any(f"{graph}%" in label.text for graph in label.graphs)  # FB15K-237-10%
    if amount is not None and not is_named:
        return replace(label, words=(*label.words, Word(amount[0], "part")))
    if not label.alone:
        return label

    words = []
    for word in label.words:
        scopes = word.scopes | {scope} if word.scopes & _SCOPES_ALONE[scope] else word.scopes
        words.append(replace(word, scopes=scopes))

    return replace(label, words=tuple(words))
