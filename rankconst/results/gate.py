"""Decide which labels and texts declare fields of ranking tasks, and which raise questions.

Labels of nothing but vocabulary declare, the nearer before the farther. A word of the lexicon that
no declaration answers is asked about. No sentence is understood. What nothing declares is assumed
later, by :func:`rankconst.evaluation.settle`; counts in a file that contradict the assumption are
asked about.

With a heading "Test MRR" and a caption "valid, filtered", the split is test and the protocol
filtered.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from rankconst.catalogue.benchmarks import KINDS, list_namesakes
from rankconst.catalogue.literature import is_mean, suggest_suites
from rankconst.catalogue.mentions import find_mentions, names_known
from rankconst.catalogue.protocols import (
    ENTITY_SIDES,
    RELATION_SIDE,
    SPLITS,
    find_protocol,
    is_sampled,
)
from rankconst.evaluation import Question, name_suites
from rankconst.names import squash
from rankconst.results.vocabulary import FIELDS, FOREIGN, REMEDIES, VOCABULARY, Word

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from rankconst.evaluation import Address
    from rankconst.results.labels import Label
    from rankconst.tables.archive import Tables
    from rankconst.tasks import Tasks


_SNIPPET_LENGTH = 60  # characters of the text around a word


class Text(NamedTuple):
    """A label or a text that belongs to a number."""

    label: Label
    scope: str  # column, row, name or text
    place: str  # for messages: "the caption"
    # True for a heading above the nearest one: it counts as a label, or for other tasks only.
    farther: bool = False

    def ask(self, word: Word) -> Question:
        """Return the question about a word, with the text around it, and its option as remedy.

        In a heading, a word without option and reason is answered by --accept WORD=VALUE.
        """
        text = " ".join(self.label.text.split())
        start = max(
            text.lower().find(word.text.split("-", maxsplit=1)[0]) - _SNIPPET_LENGTH // 2, 0
        )
        end = start + _SNIPPET_LENGTH
        before = "... " if start else ""
        behind = " ..." if end < len(text) else ""
        shown = f"{before}{text[start:end]}{behind}"
        option = word.option
        is_foreign = word.text == FOREIGN
        if is_foreign or (self.scope == "column" and not (word.reason or option)):
            example = "valid" if is_foreign else _find_example(word)
            accepted = shlex.quote(f"{word.text}=VALUE")
            option = f"--accept {accepted} for what it says, such as {example}"

        if is_foreign:
            question = f'{self.place} is not in English, "{shown}"'
            return Question(word.field, question, word.text, option=option)
        return Question(word.field, shown, word.text, self.place, option, word.kind, word.says)


def _find_example(word: Word) -> str:
    """Return an example of what a word may mean, for a remedy: "head or tail" of a side."""
    for spelling, (name, value) in VOCABULARY.values.items():
        if name in FIELDS and len(word.text) > 1 and spelling.startswith(word.text):
            return "head or tail" if name == "side" else value
    return "head or tail" if word.field == "side" else "valid"


FILE_NAME = "the name of the file"
"""The place of the text that is the name of a file."""

CORNER = "the heading of its row"
"""The place of the heading above the names of the rows."""

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
    """The fields that the labels and texts of a number declare, and the questions they raise."""

    declared: Mapping[str, str]  # field to value
    questions: tuple[Question, ...] = ()
    origins: Mapping[str, str] = field(default_factory=dict)  # field to place: "the caption"
    suites: tuple[str, ...] = ()  # what a mean over graphs may be over
    num_triples: int | None = None  # the number of test triples in a text


def gather(texts: Sequence[Text]) -> Declarations:
    """Gather what texts around a number declare and ask; the nearest text comes first."""
    dataset = _find_heading_of_mean(texts) or _find_dataset(texts)
    declared: dict[str, str] = {}
    origins: dict[str, str] = {}
    if dataset.name:
        declared["dataset"] = dataset.name
        origins["dataset"] = dataset.place

    questions: dict[tuple[str, str], Question] = {}
    setting = ""  # inductive or transductive, as the nearest label says
    for text in texts:
        is_training = _may_be_training(text)
        for name, value in text.label.declared.items():
            # Datasets are not in FIELDS: they were found above.
            if name not in FIELDS or name in declared:  # by a nearer text
                continue
            if name == "split" and is_training:
                continue
            declared[name] = value
            origins[name] = text.place

        for word in _list_asking(text, is_training=is_training):
            is_other = word.kind in _SETTINGS and setting not in {"", word.kind}
            if not is_other and not _is_answered(declared, word):
                # The label of another graph would contradict --dataset.
                is_second = word.field == "dataset" and bool(dataset.name)
                asked = replace(word, remedy=_IN_A_COLUMN) if is_second else word
                questions.setdefault((word.field, word.text), text.ask(asked))

        setting = setting or _find_setting(text)

    if dataset.name and list_namesakes(dataset.name, typed=False):
        kind = _find_kind(texts)
        if kind:
            declared["kind"] = kind

    questions |= {("dataset", ask.word): ask for ask in dataset.questions}
    suites = _find_suites(texts)[0]
    counts = [text.label.num_triples for text in texts if len(text.label.graphs) < 2]
    num_triples = next(filter(None, counts), None)
    return Declarations(declared, tuple(questions.values()), origins, suites, num_triples)


def _may_be_training(text: Text) -> bool:
    """Tell whether a text may be about training or about a filter, as a caption "train" is."""
    is_apart = text.scope == "text" or text.place == CORNER or "protocol" in text.label.values
    return is_apart and text.label.declared.get("split") == "train"


def _list_asking(text: Text, *, is_training: bool) -> Iterator[Word]:
    """Yield the words of a text that the user has to explain.

    Those are words that are open by themselves, a metric as the name of a row, and the first of
    several values of one field.
    """
    label = text.label
    for word in label.words:
        # "Head and tail" is an answer, though each word alone asks. Relations are another task.
        is_of_both = label.both and word.field == "side" and word.says != RELATION_SIDE
        if not is_of_both and _is_asking(text, word, is_training):
            yield word

    if not label.is_vocabulary:  # a sentence declares nothing
        return

    if text.scope == "name" and label.metric is not None:  # a row called "Standard deviation"
        yield Word(label.text.lower(), "metric")

    for name, values in label.values.items():
        if len(values) > 1 and name in FIELDS and name not in label.declared:
            yield Word(values[0], name, remedy=list_ways(name, values))


def _is_asking(text: Text, word: Word, is_training: bool) -> bool:
    """Tell whether a word is asked about where its text is; the scopes of the word say so.

    "train" is asked about in a heading, but not in a sentence, which may be about how a model was
    trained. `is_training` says that the text's own split is not declared.
    """
    if text.farther:  # only such a field, or a word with a value, may be about all below
        return "text" in word.scopes and (word.field in _FIELDS_ASKED_FARTHER or bool(word.says))
    if text.scope in word.scopes or (is_training and word.field == "split"):
        return True

    # A caption of nothing but vocabulary is a label, as a heading of a column is: "Left".
    is_label = text.scope == "text" and text.label.is_vocabulary and word.field != "metric"
    if is_label and "column" in word.scopes:
        return True
    if text.scope == "text" and word.text == text.label.leading:
        return True
    return text.scope == "name" and _begins_with_metric(text.label, word)


def list_ways(name: str, values: Iterable[str]) -> str:
    """List the options that set a field to each of some values: "--side head or --side tail"."""
    # "filtered" is no protocol that the option takes; by default it is standard.
    keys = ("standard" if value == "filtered" else value for value in values)
    return " or ".join(f"--{name} {shlex.quote(key)}" for key in keys)


def _begins_with_metric(label: Label, word: Word) -> bool:
    """Tell whether a name begins with a word that makes it no model: "Improvement over TransE"."""
    if word.field != "metric":
        return False
    spellings = "|".join(re.escape(text) for text in (word.text, word.text.replace("-", " ")))
    return label.is_vocabulary or re.match(rf"(?:{spellings})[ .:]", label.text.lower()) is not None


def _is_answered(declared: Mapping[str, str], word: Word) -> bool:
    """Tell whether the declared fields answer the question about a word.

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


# Fields of words that are asked about above the nearest heading, too.
_FIELDS_ASKED_FARTHER = {"part", "protocol", "rank_type", "task"}
_SETTINGS = {"inductive", "transductive"}  # kinds of benchmarks that exclude each other


def _find_setting(text: Text) -> str:
    """Find the setting, inductive or transductive, that a label names; empty for both or none."""
    settings = {word.kind for word in text.label.words} & _SETTINGS
    is_label = text.label.is_vocabulary and text.scope != "name"
    return settings.pop() if is_label and len(settings) == 1 else ""


def _find_kind(texts: Sequence[Text]) -> str:
    """Find the kind of benchmark in the nearest text with one; empty if that text has several."""
    for text in texts:
        kinds = {word.kind for word in text.label.words if word.kind in KINDS}
        if kinds and text.scope != "name":
            return kinds.pop() if len(kinds) == 1 else ""
    return ""


class _Dataset(NamedTuple):
    """The dataset that texts name, or questions about it."""

    name: str = ""
    place: str = ""
    questions: tuple[Question, ...] = ()


_LONGEST_NAME = 20  # characters of a name with its version
_VERSION_AT_END = re.compile(r"(?<!\W)\W*+v\d$", re.IGNORECASE)  # the nearest version counts


def _find_dataset(texts: Sequence[Text]) -> _Dataset:
    """Find the dataset in the texts up to the nearest that is a label, such as a heading "WN18RR".

    Its version may be in another text: "FB" in one and "v1" in another. Without a graph, the
    version is the name. Return a question if texts name several, or only an ordinary word such as
    "nations".
    """
    version = _find_version(texts)
    datasets: dict[str, _Dataset] = {}
    for text in texts:
        label, graphs = text.label, _list_graphs(text.label, version)
        for graph in graphs:
            datasets.setdefault(name_graph(graph), _Dataset(graph, text.place))
        if graphs and (label.is_vocabulary or not label.graphs):
            break

    if len(datasets) > 1:
        names = tuple(dataset.name for dataset in datasets.values())
        asked = f"it may be of {' or '.join(names)}"
        return _Dataset(questions=(Question("dataset", asked, option=_NAME_IT, choices=names),))

    if not datasets:
        named = _Dataset(questions=tuple(_ask_ordinary(texts)))
        if version is not None and version.place != FILE_NAME:
            named = named._replace(name=version.label.version, place=version.place)
        return named

    (dataset,) = datasets.values()
    if version is None or is_mean(dataset.name):
        return dataset

    versioned = f"{_VERSION_AT_END.sub('', dataset.name)} {version.label.version}"
    is_known = names_known(versioned)
    is_of_file = version.place == FILE_NAME
    if is_of_file and not is_known:  # the v2 of paper_v2.csv is that of the paper
        return dataset
    if is_known and not is_of_file:
        return dataset._replace(name=versioned)

    remedy = f"{versioned} in {_IN_A_COLUMN}" if is_known else ""
    question = version.ask(Word(version.label.version.lower(), "graph", remedy=remedy))
    return dataset._replace(questions=(question,))


def _find_heading_of_mean(texts: Sequence[Text]) -> _Dataset | None:
    """Find the heading of a mean over graphs, which counts before the graph of its row; or None."""
    for text in texts:
        if text.scope == "column" and any(is_mean(graph) for graph in text.label.graphs):
            return _Dataset(text.label.graphs[0], text.place)
    return None


def _find_version(texts: Sequence[Text]) -> Text | None:
    """Find the nearest text with a version such as "v1"; None if a nearer graph has its own."""
    for text in texts:
        if text.label.version and not text.farther:
            return text
        if any(_VERSION_AT_END.search(graph) for graph in text.label.graphs):
            return None
    return None


def _list_graphs(label: Label, version: Text | None) -> tuple[str, ...]:
    """List the graphs that a label names, alone or with a `version` nearby: "FB" near "v1".

    In a sentence, an ordinary word such as "nations" names none.
    """
    graphs = label.graphs
    is_sentence = not label.is_vocabulary
    if is_sentence:
        graphs = tuple(graph for graph in graphs if squash(graph) not in VOCABULARY.ordinary)

    if graphs or version is None:
        return graphs

    versioned = f"{label.text} {version.label.version}"
    is_known = len(versioned) < _LONGEST_NAME and names_known(versioned)
    return (label.text,) if is_known else ()


def name_graph(name: str) -> str:
    """Return the key of the graph that a text names, or the text without punctuation."""
    mentions = find_mentions(name)
    return mentions[0].key if len(mentions) == 1 else squash(name)


def _ask_ordinary(texts: Sequence[Text]) -> Iterator[Question]:
    """Ask about the nearest word or mean that may name the dataset, as "nations" in a caption."""
    for text in texts:
        graphs = text.label.graphs if text.scope == "text" and text.place != FILE_NAME else ()
        for graph in graphs:
            mentions = find_mentions(graph)
            if len(mentions) == 1:
                reason = f'no dataset is named, but "{graph}" is in {text.place}'
                yield Question(
                    "dataset", reason, option=f"--dataset {mentions[0].key} if it is that"
                )
                return

    suites, place = _find_suites(texts)
    if suites:
        reason = f"no dataset is named, but {place} speaks of a number of graphs"
        yield Question("dataset", reason, option=f"{name_suites(suites)} if it is their mean")


def _find_suites(texts: Sequence[Text]) -> tuple[tuple[str, ...], str]:
    """Find the suites of graphs that a text suggests, the nearest first, and its place."""
    for text in texts:
        suites = suggest_suites(text.label.text) if text.scope != "name" else ()
        if suites:
            return suites, text.place
    return (), ""


_IN_A_COLUMN = "a column dataset"
_NAME_IT = f"--dataset, or {_IN_A_COLUMN}"


_COUNTED_NOUNS = {"num_triples": "test triples", "num_entities": "entities"}


def ask_counts(
    address: Address, user: Address, tasks: Tasks, tables: Tables
) -> tuple[Question, ...]:
    """Return the questions about counts in the file that its ranking tasks do not have.

    "Evaluated on 3,000 triples" does not fit 20,466 test triples. Counts that the user accepts are
    not asked about. Tasks of some relations or sampled candidates have no counts to compare with.
    """
    counts: dict[str, int] = {}
    for name in _COUNTED_NOUNS:
        count = getattr(address, name)
        if count and str(count) not in user.accepted:
            counts[name] = count

    if not counts or tasks.relations or find_protocol(tasks.protocol).negatives is not None:
        return ()
    if not tables.holds(tasks):
        return ()

    questions = [_ask_count(name, count, tasks, tables) for name, count in counts.items()]
    return tuple(question for question in questions if question is not None)


def _ask_count(name: str, count: int, tasks: Tasks, tables: Tables) -> Question | None:
    """Return the question about a count, with the options under which it fits; None if it fits."""
    expected = _count_in_tables(name, tasks, tables)
    dataset = tables.datasets[tasks.dataset]
    in_all = {dataset["entities"]}
    if name == "num_triples":  # logs also print those of its split, of train, and of all splits
        triples = [dataset[f"triples_{split}"] for split in SPLITS]
        in_all = {dataset[f"triples_{tasks.split}"], dataset["triples_train"], sum(triples)}

    if count == expected or count in in_all:
        return None

    protocols = tables.protocols(tasks.dataset)
    tasks_of = {f"--protocol {key}": replace(tasks, protocol=key) for key in protocols}
    tasks_of |= {f"--split {key}": replace(tasks, split=key) for key in SPLITS}
    options = []
    for option, tasks_under_option in tasks_of.items():
        if _count_in_tables(name, tasks_under_option, tables) == count:
            options.append(option)

    under = f"{tasks.dataset} has {expected:,} under protocol {tasks.protocol}"
    text = f"{count:,} {_COUNTED_NOUNS[name]}; {under}"
    return Question("protocol", text, str(count), "a count of the file", " or ".join(options))


def _count_in_tables(name: str, tasks: Tasks, tables: Tables) -> int | None:
    """Count the triples of ranking tasks, or their entities; None if the tables lack the tasks."""
    side = tasks.side if tasks.side in ENTITY_SIDES else ENTITY_SIDES[0]
    of_side = replace(tasks, side=side, aggregation="micro")
    if not tables.holds(of_side):
        return None
    histogram = tables.histogram(of_side)
    return histogram.total if name == "num_triples" else int(histogram.num_candidates.max())
