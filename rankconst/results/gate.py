"""The gate: what the labels and texts of a number declare of its ranking tasks, and what they leave to be asked.

Labels that wholly consist of vocabulary declare, the nearer before the farther. A word of the lexicon that no
declaration has consumed is asked about. No sentence is understood. What nothing declares is assumed later, by
:func:`rankconst.evaluation.settle`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from rankconst.catalogue.mentions import find_mentions
from rankconst.evaluation import Question
from rankconst.names import squash
from rankconst.results.vocabulary import list_ordinary, list_values

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankconst.results.labels import Label

_SNIPPET = 60


class Text(NamedTuple):
    """A label or a text that belongs to a number."""

    label: Label
    scope: str  # column, row, name or text
    place: str  # what it is, for messages: "the caption"
    farther: bool = False  # True for a heading above the nearest one: a label, and otherwise only other tasks

    def ask(self, about: str, word: str, kind: str = "", remedy: str = "") -> Question:
        """Return the question about a word of the text."""
        text = " ".join(self.label.text.split())
        start = max(text.lower().find(word.split("-", maxsplit=1)[0]) - _SNIPPET // 2, 0)
        shown = f"{'... ' * (start > 0)}{text[start : start + _SNIPPET]}{' ...' * (start + _SNIPPET < len(text))}"
        return Question(about, shown, word, self.place, remedy or _name_remedy(about, word), kind)


def _name_remedy(about: str, word: str) -> str:
    """Return the option that says what a word may say; empty where only --accept does."""
    said, value = list_values().get(squash(word), ("", ""))
    if value == "filtered":
        return "--protocol raw"
    if said == about:
        return f"--{about} {value}" if about != "rank_type" else ""
    return _REMEDIES.get(about, "")


_REMEDIES = {
    "split": "--split valid or --split test",
    "side": "--side head or --side tail",
    "protocol": "--protocol sampled:M",
    "aggregation": "--aggregation macro-relation or --aggregation macro-query",
}


NO_SPLIT = Question("split", "it names no split", option="--split test or --split valid")
"""The question about a number of a log that may be of any split."""

STEPS = Question(
    "split",
    "rows of several steps, as of the log of a training, whose split is not said",
    option="--split valid, --split test, or a column split",
)
"""The question about numbers of several steps without a split."""

UNFILTERED = Question(
    "protocol", "the same metric is there as filtered, too, so this one may be raw", option="--protocol raw"
)
"""The question about a metric that comes again as filtered."""


@dataclass(frozen=True, slots=True)
class Told:
    """What the labels and texts of a number say."""

    said: Mapping[str, str]  # field to value
    asks: tuple[Question, ...] = ()
    origins: Mapping[str, str] = field(default_factory=dict)  # field to what says it: "the caption"


def gather(texts: Sequence[Text]) -> Told:
    """Return what texts say, given from the nearest to the farthest."""
    said: dict[str, str] = {}
    origins: dict[str, str] = {}
    asks: dict[tuple[str, str], Question] = {}
    for text in texts:
        declared = text.label.said
        # What is called training may hold any results.
        train = text.scope == "text" and declared.get("split") == "train"
        for name, value in declared.items():
            if name != "dataset" and name not in said and not (train and name == "split"):
                said[name], origins[name] = value, text.place
        for word in text.label.words:
            if word.field == "side" and text.label.both:
                continue
            asking = text.scope in word.scopes or (train and word.field == "split")
            # A row whose whole name is "std" or "Improvement" is not a model.
            asking = asking or (text.scope == "name" and text.label.whole and word.field == "metric")
            matters = asking and (not text.farther or word.field in {"part", "task"})
            if matters and word.field not in said:
                asks.setdefault((word.field, word.text), text.ask(word.field, word.text, word.kind, word.remedy))
        if text.label.whole:
            if text.scope == "name" and text.label.metric is not None:  # a row called "Standard deviation"
                asks.setdefault(("metric", text.label.text), text.ask("metric", text.label.text.lower()))
            for name, values in text.label.values.items():
                if len(values) > 1 and name not in said:
                    asks.setdefault((name, values[0]), text.ask(name, values[0]))
    dataset, among, origin = _find_dataset(texts)
    if among:
        question = f"it may be of {' or '.join(among)}"
        asks["dataset", ""] = Question("dataset", question, option="--dataset, or a column dataset", choices=among)
    if dataset:
        said, origins = {"dataset": dataset, **said}, {"dataset": origin, **origins}
    return Told(said, tuple(asks.values()), origins)


def _find_dataset(texts: Sequence[Text]) -> tuple[str, tuple[str, ...], str]:
    """Return the dataset of the texts up to the nearest label of vocabulary, or those it may be; and what names it."""
    named: dict[str, tuple[str, str]] = {}  # key to the name as written, and where
    for text in texts:
        graphs = text.label.graphs
        if not text.label.whole:
            graphs = tuple(graph for graph in graphs if squash(graph) not in list_ordinary())
        for graph in graphs:
            found = find_mentions(graph)
            named.setdefault(found[0].key if len(found) == 1 else squash(graph), (graph, text.place))
        if graphs and text.label.whole:
            break
    if len(named) == 1:
        ((name, origin),) = named.values()
        return name, (), origin
    return "", tuple(name for name, _ in named.values()), ""
