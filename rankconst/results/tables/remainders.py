"""What headings of metrics have besides the metric: letters of sides, models, parts, means."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from rankconst.catalogue.suites import is_mean
from rankconst.names import squash
from rankconst.results.labels import Label, list_others, read_label
from rankconst.results.tables.contexts import ENDS
from rankconst.results.vocabulary import FIELDS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankconst.results.tables.headings import Heading

SHORT = 3
"""The most letters of a word that may be an abbreviation of a side or a protocol."""

_FEWEST_GRAPHS = 2  # of fewer, a column called Avg is that of both sides


def find_remainders(measures: Mapping[int, Label]) -> dict[int, str]:
    """Return the words besides the metric of each column, unless they are the name of a model."""
    partial = {j: label for j, label in measures.items() if not label.whole}
    plain = {label.metric for label in measures.values() if label.whole}
    counts = Counter(label.metric for label in partial.values())
    remainders: dict[int, str] = {}
    for j, label in partial.items():
        words = list_others(label.text)
        if not words:
            continue
        text, is_repeated = " ".join(words).lower(), counts[label.metric] > 1
        first = text.partition(" ")[0]
        if first in ENDS:  # MRR_h, MRR (t)
            remainders[j] = first
            continue
        is_short = all(word.isalpha() and len(word) <= SHORT for word in words)
        is_contrasted = is_short and (label.metric in plain or is_repeated)
        # TransE MRR, or MRR (DRUM) and MRR (RotatE): names of models.
        is_model = is_repeated or any(sign.isupper() or sign.isdigit() for sign in "".join(words))
        if not is_model or len(text) == 1 or is_contrasted:
            remainders[j] = text
    return remainders


def list_names(labels: Sequence[Label]) -> set[str]:
    """Return what a heading names but a metric and values of an address: models, graphs, parts."""
    names: set[str] = set()
    for label in labels:
        names.update(word.lower() for word in list_others(label.text))
        names.update(word.text for word in label.words if word.field not in FIELDS)
        names.update(squash(graph) for graph in label.graphs)
        names.add(label.version)
    return names


def find_means(heading: Heading) -> dict[int, Label]:
    """Return labels of the columns that are means over the graphs of other columns: Avg MRR."""
    means: dict[int, Label] = {}
    for j in heading.measures:
        for level, label in enumerate(heading.labels[j]):
            name = _find_mean(label)
            if name and len(_list_graphs_beside(heading, j, level)) >= _FEWEST_GRAPHS:
                means.setdefault(j, Label(name, graphs=(name,), whole=True))
    return means


def _find_mean(label: Label) -> str:
    """Return the word of a label for means over graphs; empty if it has none."""
    if is_mean(label.text):
        return label.text
    words = [] if label.metric is None else label.text.split()
    for word in words:
        others = " ".join(other for other in words if other != word)
        # The average rank is a metric.
        if is_mean(word) and read_label(others).metric == label.metric:
            return word
    return ""


def _list_graphs_beside(heading: Heading, j: int, level: int) -> set[tuple[str, ...]]:
    """Return the graphs, or versions, of columns whose headings differ in one level only."""
    own = [label.text for label in heading.labels[j]]
    graphs: set[tuple[str, ...]] = set()
    for k, measure in heading.measures.items():
        labels = heading.labels[k]
        if measure.metric != heading.measures[j].metric or len(labels) != len(own):
            continue
        different = [place for place, label in enumerate(labels) if label.text != own[place]]
        if different == [level]:
            graphs.add((*labels[level].graphs, labels[level].version))
    return graphs - {("",)}
