"""The gate: what labels and texts declare of ranking tasks, and what they leave to be asked.

Labels that wholly consist of vocabulary declare, the nearer before the farther. A word of the
lexicon that no declaration has consumed is asked about. No sentence is understood. What nothing
declares is assumed later, by :func:`rankconst.evaluation.settle`; counts in a file that contradict
it are asked about.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from rankconst.catalogue.benchmarks import KINDS, list_namesakes
from rankconst.catalogue.mentions import find_mentions, names_known
from rankconst.catalogue.protocols import ENTITY_SIDES, SPLITS, find_protocol, is_sampled
from rankconst.catalogue.suites import is_mean, suggest_suites
from rankconst.evaluation import Question, name_suites
from rankconst.names import squash
from rankconst.results.vocabulary import (
    FIELDS,
    FOREIGN,
    REMEDIES,
    Word,
    list_ordinary,
    list_values,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from rankconst.evaluation import Address
    from rankconst.results.labels import Label
    from rankconst.tables.archive import Tables
    from rankconst.tasks import Tasks


_SNIPPET = 60


class Text(NamedTuple):
    """A label or a text that belongs to a number."""

    label: Label
    scope: str  # column, row, name or text
    place: str  # what it is, for messages: "the caption"
    # True for a heading above the nearest one: it counts as a label, or for other tasks only.
    farther: bool = False

    def ask(self, word: Word) -> Question:
        """Return the question about a word of the text."""
        text = " ".join(self.label.text.split())
        start = max(text.lower().find(word.text.split("-", maxsplit=1)[0]) - _SNIPPET // 2, 0)
        before, behind = "... " if start else "", " ..." if start + _SNIPPET < len(text) else ""
        shown = f"{before}{text[start : start + _SNIPPET]}{behind}"
        option = word.option
        if word.text == FOREIGN or (self.scope == "column" and not (word.reason or option)):
            example = "valid" if word.text == FOREIGN else _find_example(word)
            option = f"--accept {shlex.quote(word.text)}=VALUE for what it says, such as {example}"
        if word.text == FOREIGN:
            told = f'{self.place} is not in English, "{shown}"'
            return Question(word.field, told, word.text, option=option)
        return Question(word.field, shown, word.text, self.place, option, word.kind, word.says)


def _find_example(word: Word) -> str:
    """Return values that a word may mean: of a spelling that it begins, such as subject."""
    for spelling, (name, value) in list_values().items():
        if name in FIELDS and len(word.text) > 1 and spelling.startswith(word.text):
            return "head or tail" if name == "side" else value
    return "head or tail" if word.field == "side" else "valid"


FILE_NAME = "the name of the file"
"""The place of what a file is called."""

CORNER = "the heading of its row"
"""The place of what heads the column that names the rows."""

NO_SPLIT = Question("split", "it names no split", option="--split test or --split valid")
"""The question about a number of a log that may be of any split."""

STEPS = Question(
    "split",
    "rows of several steps, as of the log of a training, name no split",
    option="--split valid, --split test, or a column split",
)
"""The question about numbers of several steps without a split."""


@dataclass(frozen=True, slots=True)
class Declarations:
    """What the labels and texts of a number say."""

    declared: Mapping[str, str]  # field to value
    questions: tuple[Question, ...] = ()
    origins: Mapping[str, str] = field(default_factory=dict)  # field to what says it: "the caption"
    suites: tuple[str, ...] = ()  # what a mean over graphs may be over


def gather(texts: Sequence[Text]) -> Declarations:
    """Return what texts say, given from the nearest to the farthest."""
    dataset = _find_dataset(texts)
    declared = {"dataset": dataset.name} if dataset.name else {}
    origins = {"dataset": dataset.place} if dataset.name else {}
    questions: dict[tuple[str, str], Question] = {}
    for text in texts:
        # What is called training may hold any results, be what models are trained on, or what they
        # are filtered by.
        apart = text.scope == "text" or text.place == CORNER or "protocol" in text.label.values
        train = apart and text.label.declared.get("split") == "train"
        for name, value in text.label.declared.items():
            if name in FIELDS and name not in declared and not (train and name == "split"):
                declared[name], origins[name] = value, text.place
        for word in _list_asking(text, train=train):
            if not _consumes(declared, word):
                # The label of another graph would contradict --dataset.
                is_other = word.field == "dataset" and dataset.name
                asked = replace(word, remedy=_IN_A_COLUMN) if is_other else word
                questions.setdefault((word.field, word.text), text.ask(asked))
    if dataset.name and list_namesakes(dataset.name, typed=False) and (kind := _find_kind(texts)):
        declared["kind"] = kind
    questions |= {("dataset", ask.word): ask for ask in dataset.questions}
    suites = _find_suites(texts)[0] if is_mean(dataset.name) else ()
    return Declarations(declared, tuple(questions.values()), origins, suites)


def _list_asking(text: Text, *, train: bool) -> Iterator[Word]:
    """Yield the words of a text to ask about where nothing nearer declares their field."""
    label = text.label
    for word in label.words:
        asking = text.scope in word.scopes or (train and word.field == "split")
        # A caption of nothing but vocabulary is a label, as a heading of a column is: "Left".
        label_only = text.scope == "text" and label.whole and word.field != "metric"
        asking = asking or (label_only and "column" in word.scopes)
        asking = asking or (text.scope == "name" and _begins(label, word))
        if text.farther:  # what says a value is said of all that follows
            asking = "text" in word.scopes and (word.field in _FARTHER or bool(word.says))
        if asking and not (label.both and word.field == "side"):
            yield word
    if not label.whole:
        return
    if text.scope == "name" and label.metric is not None:  # a row called "Standard deviation"
        yield Word(label.text.lower(), "metric")
    for name, values in label.values.items():
        if len(values) > 1 and name in FIELDS and label.declared.get(name) is None:
            yield Word(values[0], name, remedy=list_ways(name, values))


def list_ways(name: str, values: Iterable[str]) -> str:
    """Return the options that give a field each of some values."""
    keys = ("standard" if value == "filtered" else value for value in values)
    return " or ".join(f"--{name} {shlex.quote(key)}" for key in keys)


def _begins(label: Label, word: Word) -> bool:
    """Tell whether a name begins with a word that makes it no model: "Improvement over TransE"."""
    name, spelt = label.text.lower(), (word.text, word.text.replace("-", " "))
    begins = any(name.startswith((f"{each} ", f"{each}.", f"{each}:")) for each in spelt)
    return word.field == "metric" and (label.whole or begins)


def _consumes(declared: Mapping[str, str], word: Word) -> bool:
    """Tell whether what is declared answers a word.

    A word about which entities are ranked is answered by a sampled protocol only, the name of a
    graph by that graph. What is filtered is not raw, but may be ranked in any other way.
    """
    if word.field == "dataset":
        return name_graph(declared.get("dataset", "")) == word.says
    if word.option == REMEDIES["protocol"] or word.option.startswith("--counts"):
        return is_sampled(declared.get("protocol", ""))
    if word.field == "protocol" and word.says != "raw":
        return declared.get("protocol", "filtered") != "filtered"
    return word.field in declared


_FARTHER = {"part", "task"}


def _find_kind(texts: Sequence[Text]) -> str:
    """Return the kind of benchmark in the nearest text that has one.

    Return nothing if that text names several.
    """
    for text in texts:
        kinds = {word.kind for word in text.label.words if word.kind in KINDS}
        if kinds and text.scope != "name":
            return kinds.pop() if len(kinds) == 1 else ""
    return ""


class _Dataset(NamedTuple):
    """What texts say of the dataset."""

    name: str = ""
    place: str = ""
    questions: tuple[Question, ...] = ()


_LONGEST_NAME = 20
_VERSIONED = re.compile(r"(?<!\W)\W*+v\d$", re.IGNORECASE)  # the nearest version counts


def _find_dataset(texts: Sequence[Text]) -> _Dataset:
    """Return the dataset of the texts up to the nearest label of vocabulary.

    Its version may be in another text than its name. Return questions if it may be one of several,
    or if only an ordinary word may name it.
    """
    named: dict[str, tuple[str, str]] = {}  # key to the name as written, and where
    version = next((text for text in texts if text.label.version and not text.farther), None)
    for text in texts:
        label, graphs = text.label, text.label.graphs
        if not label.whole:
            graphs = tuple(graph for graph in graphs if squash(graph) not in list_ordinary())
        if not graphs and version is not None:
            joined = f"{label.text} {version.label.version}"
            if len(joined) < _LONGEST_NAME and names_known(joined):  # FB above v1
                graphs = (label.text,)
        for graph in graphs:
            named.setdefault(name_graph(graph), (graph, text.place))
        if graphs and (label.whole or not label.graphs):
            break
    if len(named) > 1:
        among = tuple(name for name, _ in named.values())
        question = f"it may be of {' or '.join(among)}"
        return _Dataset(questions=(Question("dataset", question, option=_NAME_IT, choices=among),))
    if not named:
        return _Dataset(questions=tuple(_ask_ordinary(texts)))
    ((name, place),) = named.values()
    if version is None:
        return _Dataset(name, place)
    whole = f"{_VERSIONED.sub('', name)} {version.label.version}"
    if names_known(whole):
        return _Dataset(whole, place)
    return _Dataset(name, place, (version.ask(Word(version.label.text.lower(), "graph")),))


def name_graph(name: str) -> str:
    """Return the key of the graph that a text names, or the text without punctuation."""
    found = find_mentions(name)
    return found[0].key if len(found) == 1 else squash(name)


def _ask_ordinary(texts: Sequence[Text]) -> Iterator[Question]:
    """Yield the question whether an ordinary word in a text is the dataset that no label names."""
    for text in texts:
        graphs = text.label.graphs if text.scope == "text" and text.place != FILE_NAME else ()
        for graph in graphs:
            found = find_mentions(graph)
            if len(found) == 1:
                said = f'no dataset is named, but "{graph}" is in {text.place}'
                yield Question("dataset", said, option=f"--dataset {found[0].key} if it is that")
                return
    suites, place = _find_suites(texts)
    if suites:
        said = f"no dataset is named, but {place} speaks of a number of graphs"
        yield Question("dataset", said, option=f"{name_suites(suites)} if it is their mean")


def _find_suites(texts: Sequence[Text]) -> tuple[tuple[str, ...], str]:
    """Return the suites that the nearest text suggests which suggests any, and its place."""
    for text in texts:
        if text.scope == "text" and (suites := suggest_suites(text.label.text)):
            return suites, text.place
    return (), ""


_IN_A_COLUMN = "a column dataset"
_NAME_IT = f"--dataset, or {_IN_A_COLUMN}"


_WHAT = {"num_triples": "test triples", "num_entities": "entities"}


def ask_counts(
    address: Address, user: Address, tasks: Tasks, tables: Tables
) -> tuple[Question, ...]:
    """Ask about counts of triples or entities that are not those of the ranking tasks."""
    named = {name: getattr(address, name) for name in _WHAT}
    counts = {name: each for name, each in named.items() if each and str(each) not in user.accepted}
    fitting = not tasks.relations and find_protocol(tasks.protocol).negatives is None
    if not counts or not fitting or not tables.holds(tasks):
        return ()
    questions = [_ask(name, count, tasks, tables) for name, count in counts.items()]
    return tuple(question for question in questions if question is not None)


def _ask(name: str, count: int, tasks: Tasks, tables: Tables) -> Question | None:
    """Ask about a count that the ranking tasks do not have, and name those that have it.

    Return None if the count fits.
    """
    own = _count(name, tasks, tables)
    known = tables.datasets[tasks.dataset]
    general = known["entities"] if name == "num_entities" else known[f"triples_{tasks.split}"]
    if count in {own, general}:
        return None
    ways = [
        way for way, other in _list_others(tasks, tables) if _count(name, other, tables) == count
    ]
    text = f"{count:,} {_WHAT[name]}; {tasks.dataset} has {own:,} under protocol {tasks.protocol}"
    return Question("protocol", text, str(count), "a count of the file", " or ".join(ways))


def _list_others(tasks: Tasks, tables: Tables) -> Iterator[tuple[str, Tasks]]:
    """Yield the ranking tasks of every protocol and split, with the option that names them."""
    for key in tables.protocols(tasks.dataset):
        yield f"--protocol {key}", replace(tasks, protocol=key)
    for split in SPLITS:
        yield f"--split {split}", replace(tasks, split=split)


def _count(name: str, tasks: Tasks, tables: Tables) -> int | None:
    """Return how many triples are ranked, or among how many entities.

    Return None where the tables hold no such tasks.
    """
    side = tasks.side if tasks.side in ENTITY_SIDES else ENTITY_SIDES[0]
    one = replace(tasks, side=side, aggregation="micro")
    if not tables.holds(one):
        return None
    histogram = tables.histogram(one)
    return histogram.total if name == "num_triples" else int(histogram.num_candidates.max())
