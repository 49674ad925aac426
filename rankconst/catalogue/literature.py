"""What papers report: published results, and the suites of benchmarks that they average over.

A row of ``published.csv`` is a result as it was printed, with its ranking tasks and its source.
``published_sources.csv`` has the address of each source, and the place that states the split, the
sides and the filter. To add a result, add a row to each.

``suites.toml`` has the benchmarks of each suite and their tasks. ``suite_results.csv`` has the
zero-shot results of two checkpoints on every graph of a suite, by a public re-run, with its numbers
of queries. ULTRA 3g:
https://github.com/LckyLke/sotaKGFMs/blob/bec8a92edf8d2670c15ef0e1b6429692127c7aab/reports/ultra.md
and TRIX: reports/trix.md at the same commit.
"""

from __future__ import annotations

import csv
import functools
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from rankconst.catalogue.protocols import DEFAULT_PROTOCOL, find_protocol
from rankconst.names import Names, squash

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from rankconst.catalogue.metrics import Metric
    from rankconst.catalogue.tools import Tool
    from rankconst.tasks import Tasks

# Published results.

RESULTS = Path(__file__).with_name("published.csv")
"""The published results."""

FEWEST_RESULTS = 5
"""Fewer results say little of what is usual."""


class Literature(NamedTuple):
    """The published results of a metric on a benchmark, ascending; at least FEWEST_RESULTS."""

    metric: Metric
    values: tuple[float, ...]

    def rank(self, value: float) -> tuple[int, int]:
        """Count the results that are worse than a value, and those that are better."""
        below = sum(result < value for result in self.values)
        above = sum(result > value for result in self.values)
        return (below, above) if self.metric.increasing else (above, below)

    def describe(self, value: float) -> str:
        """Say how many of the results are worse: "better than 40 of 52 published results here"."""
        worse, better = self.rank(value)
        results = f"{len(self.values):,} published results here"
        if worse == len(self.values):
            return f"better than all {results}"
        if better == len(self.values):
            return f"worse than all {results}"
        return f"better than {worse:,} of {results}"


@functools.cache
def _read_results() -> tuple[dict[str, str], ...]:
    with RESULTS.open(encoding="utf-8", newline="") as file:
        return tuple(csv.DictReader(file))


@functools.cache
def _key_filtering(protocol: str) -> tuple[object, ...]:
    """Return what numbers must have in common to be compared."""
    row = find_protocol(protocol)
    return row.known == "none", row.time, row.negatives, row.shared


@functools.cache
def find_literature(tasks: Tasks, metric: Metric) -> Literature | None:
    """Return the published results of a metric on some tasks, or None if they are few."""
    if not tasks.is_micro or tasks.relations:
        return None

    filtering = _key_filtering(tasks.protocol)
    values = [
        float(row[metric.label])
        for row in _read_results()
        if (row["dataset"], row["split"], row["side"]) == (tasks.dataset, tasks.split, tasks.side)
        and _key_filtering(row["protocol"]) == filtering
        and row.get(metric.label)
    ]
    return Literature(metric, tuple(sorted(values))) if len(values) >= FEWEST_RESULTS else None


_SUITE_RESULTS = Path(__file__).with_name("suite_results.csv")


class SuiteResult(NamedTuple):
    """The results of a model on a graph, as the tool of its suite evaluates."""

    dataset: str  # key of a benchmark
    model: str
    num_tasks: int  # its ranks
    mrr: str  # as printed, like the next
    hits_at_10: str


@functools.cache
def list_suite_results() -> tuple[SuiteResult, ...]:
    """List the results, model by model."""
    with _SUITE_RESULTS.open(encoding="utf-8", newline="") as file:
        rows = [*csv.DictReader(file)]

    return tuple(
        SuiteResult(
            dataset=row["dataset"],
            model=row["model"],
            num_tasks=int(row["tasks"]),
            mrr=row["MRR"],
            hits_at_10=row["Hits@10"],
        )
        for row in rows
    )


# Suites of benchmarks.

_SUITES = Path(__file__).with_name("suites.toml")

FEWEST_GRAPHS = 3
"""Of fewer graphs no mean is formed: papers print the results of two next to each other."""


class Suite(NamedTuple):
    """Benchmarks whose numbers are averaged, each counting once."""

    key: str
    title: str  # in a sentence: "the 41 inductive graphs of ULTRA"
    graphs: tuple[str, ...]  # keys of benchmarks, including those of its parts, each once
    reference: str
    evidence: tuple[str, ...]
    aliases: tuple[str, ...] = ()
    # the tool whose ranking tasks the numbers are for; None for the usual tasks
    tool: Tool | None = None
    note: str = ""

    @property
    def protocol(self) -> str:
        """The key of the protocol of all graphs."""
        return DEFAULT_PROTOCOL if self.tool is None else self.tool.protocol


@functools.cache
def load_suites() -> Mapping[str, Suite]:
    """Read the suites."""
    import tomllib

    entries: dict[str, dict[str, Any]] = tomllib.loads(_read_text())["suite"]
    return {key: _read_suite(key, entries) for key in entries}


def has_own_tasks(key: str) -> bool:
    """Return True for the key of a suite with a tool, and so with known ranking tasks."""
    # Most keys are those of benchmarks, and reading the registry takes longer than the answer.
    if f"[suite.{key}]" not in _read_text():
        return False
    return load_suites()[key].tool is not None


@functools.cache
def _read_text() -> str:
    return _SUITES.read_text(encoding="utf-8")


def _read_suite(key: str, entries: Mapping[str, dict[str, Any]]) -> Suite:
    """Return the suite of an entry of the file, given all entries."""
    fields = {
        name: value
        for name, value in entries[key].items()
        if name not in {"graphs", "parts", "tool"}
    }
    return Suite(
        key=key,
        graphs=_gather_graphs(key, entries),
        tool=_find_tool(entries[key].get("tool", "")),
        evidence=tuple(fields.pop("evidence")),
        aliases=tuple(fields.pop("aliases", ())),
        **fields,
    )


def _find_tool(key: str) -> Tool | None:
    from rankconst.catalogue.tools import load_tools

    return load_tools().get(key)


def _gather_graphs(key: str, entries: Mapping[str, dict[str, Any]]) -> tuple[str, ...]:
    """Return the graphs of a suite and of its parts, each once."""
    graphs = list(entries[key].get("graphs", ()))
    for part in entries[key].get("parts", ()):
        graphs += _gather_graphs(part, entries)
    return tuple(dict.fromkeys(graphs))


@functools.cache
def _list_names() -> Names:
    spellings = {key: (suite.title, *suite.aliases) for key, suite in load_suites().items()}
    return Names("suite", spellings, "`rankconst show suites` lists them all.")


_MEANS = {"average", "avg", "mean", "overall", "all", "total"}
_MEANS |= {"totalavg", "totalaverage", "avgall", "averageall"}


def is_mean(name: str) -> bool:
    """Return True for a name in the place of a graph that means an average."""
    return squash(name) in _MEANS


def find_suite(name: str) -> Suite | None:
    """Return the suite with a name, or None."""
    key = _list_names().find(name)
    return None if key is None else load_suites()[key]


def parse_suite(name: str) -> Suite:
    """Return the suite with a name, or raise UnknownNameError."""
    return load_suites()[_list_names().resolve(name)]


_FEWEST = 10  # a smaller number in a text about graphs may count anything
_NOT_TELLING = {"as", "is", "not", "of", "on", "that", "the", "them", "with"}


@functools.cache
def suggest_suites(text: str) -> tuple[str, ...]:
    """Return the suites with the number of graphs that a text states, if they share its words.

    Of several, those with the most words in common are returned.
    """
    words = {*re.findall(r"[a-z]+|\d+", text.lower())} - _NOT_TELLING
    shared = {}
    for key, suite in load_suites().items():
        size = len(suite.graphs)
        if size >= _FEWEST and str(size) in words:
            words_of_suite = re.findall(r"[a-z]+", f"{key} {suite.title}".lower())
            common = words.intersection(words_of_suite)
            if any(len(word) > 1 for word in common):  # letters alone are in all texts
                shared[key] = len(common)

    most = max(shared.values(), default=0)
    return tuple(key for key, count in shared.items() if most and count == most)


_AND, _AS = "+", "@"


def read_suite(key: str) -> Suite | None:
    """Return the suite of a key, also of joined graphs, ``a+b@ultra``; None if it is of none."""
    if _AND not in key:
        return load_suites().get(key)

    names, _, tool = key.partition(_AS)
    graphs = tuple(names.split(_AND))
    title = f"the {len(graphs)} graphs {', '.join(graphs)}"
    return Suite(
        key=key, title=title, graphs=graphs, reference="", evidence=(), tool=_find_tool(tool)
    )


def join_graphs(graphs: Iterable[str], tool: Tool | None) -> tuple[str, ...]:
    """Return the keys of the suites of exactly these graphs, the likeliest first.

    Without such a suite in the catalogue these are ("a+b",) or, with a tool, ("a+b", "a+b@ultra").
    """
    keys = tuple(graphs)
    for key, suite in load_suites().items():
        if suite.tool is tool and {*suite.graphs} == {*keys}:
            return (key,)
    plain = _AND.join(keys)
    return (plain,) if tool is None else (plain, f"{plain}{_AS}{tool.key}")
