"""Published adjusted values and numbers of ranks, held against the declared or assumed tasks.

What contradicts them is asked about, and the right tasks are named among the benchmark's own. If a
file names no dataset, the question names the one that its numbers are of.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rankconst.arrow import wrap_text
from rankconst.catalogue.baselines import DEFAULT_BASELINE
from rankconst.catalogue.metrics import CATALOGUE
from rankconst.catalogue.protocols import (
    AGGREGATIONS,
    LINK_SIDES,
    POOLED_SPLITS,
    RELATION_SIDE,
    SPLITS,
    find_protocol,
)
from rankconst.checks.case import Archive
from rankconst.checks.defects import (
    UNKNOWN,
    Pair,
    count_ranks,
    find_cause,
    find_expectation,
    pair_up,
)
from rankconst.errors import RankconstError
from rankconst.evaluation import NAMES, Address, Question, settle
from rankconst.names import list_first
from rankconst.results.columns import combine, encode
from rankconst.results.reading import number_evaluations
from rankconst.tasks import Tasks
from rankconst.values.published import NOISE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from rankconst.catalogue.metrics import Metric
    from rankconst.catalogue.tools import Tool
    from rankconst.checks.defects import Cause
    from rankconst.results.reading import Entry, Reading
    from rankconst.tables.archive import Tables
    from rankconst.values.published import Interval


SLIP = "slip"
"""What a question is about where no tasks of the benchmark fit: a number may be wrong."""


@dataclass(frozen=True)
class Evidence:
    """What the numbers of some evaluations say about the ranking tasks that they share."""

    counts: frozenset[int]
    pairs: tuple[Pair, ...]

    @property
    def word(self) -> str:
        """The word by which you accept that it says nothing."""
        return "adjusted" if self.pairs else "count"


def ask_contradicted(reading: Reading, tables: Tables, user: Address) -> Reading:
    """Put a question to each number of a file whose evidence contradicts its ranking tasks."""
    entries = reading.entries
    contexts, context_of = [*entries.contexts], entries.context_of.copy()
    for places, question in find_questions(reading, tables, user):
        for code in np.unique(context_of[places]).tolist():
            context_of[places[context_of[places] == code]] = len(contexts)
            contexts.append(
                replace(contexts[code], questions=(*contexts[code].questions, question))
            )
    if len(contexts) == len(entries.contexts):
        return reading
    return replace(reading, entries=replace(entries, contexts=contexts, context_of=context_of))


def find_questions(
    reading: Reading, tables: Tables, user: Address
) -> Iterator[tuple[NDArray[np.intp], Question]]:
    """Yield the places of numbers that contradict their tasks, with what is asked about them."""
    judge = _Judge(tables, user, reading.tool)
    asked = [
        (places, judge.ask(address, evidence))
        for places, address, evidence in _gather(reading, percent=user.percent)
    ]
    waiting = sum(len(places) for places, question in asked if question is not None)
    # An option is for the whole file.
    differ = reading.layout == "wide" and waiting < len(reading.entries)
    for places, question in asked:
        if question is not None and differ:
            yield places, replace(question, option=_name_columns(question.option))
        elif question is not None:
            yield places, question


def _gather(
    reading: Reading, *, percent: bool
) -> Iterator[tuple[NDArray[np.intp], Address, Evidence]]:
    """Yield the places of numbers on the same ranking tasks, with what the file says of these.

    With them comes the evidence: counts of ranks, and adjusted values with their base values.
    Places without any are left out.
    """
    entries = reading.entries
    by_number = reading.has_telling_numbers
    codes, contexts = encode(replace(context, rank_type=None) for context in entries.contexts)
    address_of = codes[entries.context_of]
    part_of = combine(address_of, reading.part_of, len(reading.parts))
    if by_number:
        part_of = combine(part_of, entries.model_of, len(entries.models))
    if by_number and reading.layout == "wide":
        # Rows of a table that say the same of themselves may still be of different tasks.
        part_of = combine(part_of, entries.rows, len(reading.rows))
    evaluation_of = number_evaluations(reading)
    order = np.argsort(part_of, kind="stable")
    for places in np.split(order, np.flatnonzero(np.diff(part_of[order])) + 1):
        evaluations: defaultdict[int, list[Entry]] = defaultdict(list)
        for place in places.tolist() if by_number else places[:1].tolist():
            evaluations[int(evaluation_of[place])].append(entries[place])
        counted = [count_ranks(entry) for each in evaluations.values() for entry in each]
        counts = {count for count in counted if count is not None}
        pairs = [pair for each in evaluations.values() for pair in pair_up(each, percent=percent)]
        if counts or pairs:
            yield places, contexts[address_of[places[0]]], Evidence(frozenset(counts), tuple(pairs))


# How well ranking tasks fit: nothing contradicts them; known defects of adjusted values explain
# what does; not at all.
_FITS, _DEFECT, _CONTRADICTED = 2, 1, 0

_TOLD = CATALOGUE["arithmetic_mean_rank"], CATALOGUE["inverse_harmonic_mean_rank"]
# One metric alone may agree with equally many candidates by chance.
_FEWEST_METRICS = 2

_SOME = (
    "--relation NAME for each relation that was evaluated, or --counts FILE if you counted the "
    "candidates"
)
_OTHERS = (
    "--protocol sampled:M if candidates were sampled, --protocol pykeen-train+test if PyKEEN ran "
    "with filter_validation_when_testing=False, or --counts FILE if you counted the candidates"
)


class _Judge:
    """The tables, asked whether they bear out what numbers say.

    Answers are remembered, as thousands of rows may ask the same.
    """

    def __init__(self, tables: Tables, user: Address, implied: str | None) -> None:
        self.tables, self.user, self.implied = tables, user, implied
        self.archive = Archive(tables)
        self.settle = functools.cache(self._settle)
        self.list_own = functools.cache(self._list_own)
        self.list_constants = functools.cache(self._list_constants)

    def ask(self, address: Address, evidence: Evidence) -> Question | None:
        """Return what is to be asked about numbers; None if nothing contradicts their tasks."""
        tasks, tool = self.settle(address)
        if tasks is None:
            named = address.dataset or self.user.dataset
            return None if named or address.questions else self._suggest_dataset(address, evidence)
        if tasks.dataset not in self.tables.titles:
            return _ask_size(tasks, evidence)
        return None if tasks.side == RELATION_SIDE else self._ask_tasks(tasks, tool, evidence)

    def _ask_tasks(self, tasks: Tasks, tool: Tool | None, evidence: Evidence) -> Question | None:
        held = self._grade(tasks, tool, evidence)
        if held in {None, _FITS}:
            return None
        others = self.list_own(tasks, _find_size(evidence))
        grades = [self._grade(each, tool, evidence) for each in others]
        # If nothing but a known defect contradicts the tasks, only better ones are asked about.
        for grade in (_FITS, _DEFECT):
            if held == grade:
                return None
            fitting = [each for each, own in zip(others, grades, strict=True) if own == grade]
            if fitting:
                return _name_others(tasks, self._choose_nearest(tasks, fitting), evidence)
        return self._find_nothing(tasks, tool, evidence)

    def _settle(self, address: Address) -> tuple[Tasks | None, Tool | None]:
        """Return the tasks declared or assumed, and the tool; two Nones if they need an answer."""
        try:
            return settle(address, self.user, self.tables, tool=self.implied)
        except RankconstError:
            return None, None

    def _find_cause(self, tasks: Tasks, pair: Pair) -> Cause | None:
        """Return what makes an adjusted value wrong on some tasks."""
        return find_cause(pair, self.archive.constants(tasks, pair.metric))

    def _grade(self, tasks: Tasks, tool: Tool | None, evidence: Evidence) -> int | None:
        """Return how well tasks fit; None if the tables do not hold them."""
        count = self.archive.count(tasks, tool)
        if count is None:
            return None
        # Numbers among sampled candidates are adjusted for as many tasks as the file counts.
        sampled = find_protocol(tasks.protocol).negatives is not None
        if evidence.counts - {count} and (evidence.pairs or not sampled):
            return _CONTRADICTED
        grade = _FITS
        for pair in evidence.pairs:
            cause = self._find_cause(tasks, pair)
            if cause is UNKNOWN:
                return _CONTRADICTED
            if cause is not None and cause.tells and not cause.harmless:
                grade = _DEFECT
        return grade

    # -- other tasks of the benchmark --------------------------------------------------------------

    def _list_own(self, tasks: Tasks, size: int | None) -> tuple[Tasks, ...]:
        """Return the other tasks of the benchmark, with those among `size` candidates."""
        sampled = () if size is None else (f"sampled:{size - 1}",)
        protocols = (*self.tables.protocols(tasks.dataset), *sampled)
        names = itertools.product(protocols, (*SPLITS, *POOLED_SPLITS), LINK_SIDES, AGGREGATIONS)
        every = (Tasks(tasks.dataset, *rest, relations=tasks.relations) for rest in names)
        return tuple(
            each for each in every if each != tasks and self.archive.histogram(each) is not None
        )

    def _choose_nearest(self, tasks: Tasks, fitting: Iterable[Tasks]) -> list[Tasks]:
        """Return the tasks that differ in the fewest names, one for each set of constants."""
        apart = {each: len(_list_apart(each, tasks)) for each in fitting}
        nearest = [each for each in apart if apart[each] == min(apart.values())]
        distinct: dict[object, Tasks] = {}
        for each in nearest:
            known = [self.archive.constants(each, metric) for metric in _TOLD]
            told = tuple((one.num_tasks, one.expectation) for one in known if one is not None)
            distinct.setdefault(told, each)
        return [*distinct.values()]

    def _find_nothing(self, tasks: Tasks, tool: Tool | None, evidence: Evidence) -> Question:
        """Say what contradicts where no other tasks of the benchmark fit."""
        why, remedy = self._find_reason(tasks, tool, evidence)
        where = f"{tasks.dataset} {tasks.split} under {tasks.protocol}"
        text = f"its numbers are not those of {where}: {why}"
        return Question(SLIP, text, evidence.word, option=remedy)

    def _find_reason(self, tasks: Tasks, tool: Tool | None, evidence: Evidence) -> tuple[str, str]:
        """Return what contradicts tasks, and the options that may mend it."""
        found = self._search(evidence) if evidence.pairs else []
        elsewhere = {each.dataset for each in found}
        if len(elsewhere) == 1:
            dataset = elsewhere.pop()
            return f"they are those of {dataset}", f"--dataset {dataset}"
        count = self.archive.count(tasks, tool)
        if others := evidence.counts - {count}:
            return f"there are {count:,} ranks, not {min(others):,}", _SOME
        for pair in evidence.pairs:
            if self._find_cause(tasks, pair) is UNKNOWN:
                expected = pair.compute_expected(self.tables.look_up(tasks, pair.metric))
                wrong = f"{pair.adjusted} does not belong to {pair.base}"
                return f"{wrong}, expected {expected:.6g}", _OTHERS
        return "", _OTHERS

    # -- a file that names no dataset --------------------------------------------------------------

    def _suggest_dataset(self, address: Address, evidence: Evidence) -> Question | None:
        """Name the one benchmark that numbers are of, and how its tasks differ from those assumed.

        Return None if they fit no benchmark, or several.
        """
        found = self._search(evidence)
        if len({each.dataset for each in found}) != 1:
            return None
        dataset = found[0].dataset
        tasks, _ = self.settle(replace(address, dataset=dataset))
        apart: list[tuple[str, str]] = []
        if tasks is not None and tasks not in found:
            apart = _list_apart(self._choose_nearest(tasks, found)[0], tasks)
        named = [("dataset", dataset), *apart]
        keys = " ".join(key for _, key in named)
        text = f"no dataset is named; its numbers are those of {keys}"
        return Question("tasks", text, option=_write_options(named))

    def _search(self, evidence: Evidence) -> list[Tasks]:
        """Return the tasks of all benchmarks that numbers fit."""
        graded = {each: self._grade(each, None, evidence) for each in self._list_near(evidence)}
        exact = [each for each, grade in graded.items() if grade == _FITS]
        return exact or [each for each, grade in graded.items() if grade == _DEFECT]

    def _list_near(self, evidence: Evidence) -> list[Tasks]:
        """Return the tasks of all benchmarks with that number of ranks and that expectation.

        The expectation is that of the metric for which numbers tell it most precisely. Where they
        tell neither, no tasks are near; tasks of relations never are.
        """
        spans: dict[Metric, Interval] = {}
        for pair in evidence.pairs:
            span = find_expectation(pair)
            if span is not None:
                spans[pair.metric] = span
        if not spans and not evidence.counts:
            return []
        widths = {each: span.half_width / span.upper for each, span in spans.items()}
        metric = min(widths, key=widths.__getitem__, default=_TOLD[0])
        found = []
        for row in self.list_constants(metric):
            if row["side"] == RELATION_SIDE:
                continue
            if evidence.counts and row["num_tasks"] not in evidence.counts:
                continue
            if metric not in spans or _holds(spans[metric], row["expectation"]):
                found.append(Tasks(row["dataset"], row["protocol"], row["split"], row["side"]))
        return found

    def _list_constants(self, metric: Metric) -> list[dict[str, Any]]:
        """Return the rows of a metric under chance."""
        import pyarrow.compute as pc

        table = self.tables.read("constants")
        is_chance = pc.equal(table["baseline"], wrap_text(DEFAULT_BASELINE))
        chosen = pc.and_(is_chance, pc.equal(table["metric"], wrap_text(metric.family)))
        columns = ["dataset", "protocol", "split", "side", "k", "num_tasks", "expectation"]
        rows = table.filter(chosen).select(columns).to_pylist()
        return [row for row in rows if row["k"] == metric.k]


def _find_size(evidence: Evidence) -> int | None:
    """Return the number of candidates if all tasks have the same; None if nothing tells.

    E[MR] is then (size + 1) / 2. One metric alone does not tell.
    """
    if len({pair.metric for pair in evidence.pairs}) < _FEWEST_METRICS:
        return None
    for pair in evidence.pairs:
        span = find_expectation(pair) if pair.metric == _TOLD[0] else None
        if span is not None:
            size = round(span.lower + span.upper - 1)
            fits = span.lower <= (size + 1) / 2 <= span.upper
            return size if fits and size > 1 else None
    return None


def _holds(span: Interval, expectation: float) -> bool:
    """Tell whether an expectation is within an interval, but for the noise of programs."""
    return span.lower * (1 - NOISE) <= expectation <= span.upper * (1 + NOISE)


def _ask_size(tasks: Tasks, evidence: Evidence) -> Question | None:
    """Ask about tasks of which only the number of candidates is known, if it is not the one used.

    Return None unless adjusted values show that they were formed with another number.
    """
    negatives, size = find_protocol(tasks.protocol).negatives, _find_size(evidence)
    if negatives is None or size in {None, negatives + 1}:
        return None
    return _name_others(tasks, [replace(tasks, protocol=f"sampled:{size - 1}")], evidence)


def _name_columns(option: str) -> str:
    """Add to options the columns that say it of some rows only."""
    names = [word.removeprefix("--") for word in option.split() if word.startswith("--")]
    if not {*names} <= {*NAMES}:
        return option
    return f"{option}, or where rows differ a column {' and one '.join(dict.fromkeys(names))}"


def _list_apart(tasks: Tasks, others: Tasks) -> list[tuple[str, str]]:
    """Return the names of tasks, with their keys, that are not those of others."""
    names = [(name, getattr(tasks, name)) for name in NAMES]
    return [(name, key) for name, key in names if key != getattr(others, name)]


def _write_options(named: Iterable[tuple[str, str]]) -> str:
    """Return the options that name tasks: ``--split valid --protocol raw``."""
    return " ".join(f"--{name} {key}" for name, key in named)


def _name_others(tasks: Tasks, others: list[Tasks], evidence: Evidence) -> Question:
    """Say which tasks numbers are of, and which options say so."""
    apart = [_list_apart(each, tasks) for each in others]
    differing = {name for each in apart for name, _ in each}
    own = ", ".join(getattr(tasks, name) for name in NAMES if name in differing)
    options = [_write_options(each) for each in apart]
    text = f"its numbers are those of {_name_choices(apart)}, not of {own}"
    return Question("tasks", text, evidence.word, option=" or ".join(options[:3]))


def _name_choices(apart: list[list[tuple[str, str]]]) -> str:
    """Name tasks to choose from: ``head or tail, protocol pykeen`` where any key goes with any."""
    keys: dict[str, list[str]] = defaultdict(list)
    for name, key in itertools.chain(*apart):
        if key not in keys[name]:
            keys[name].append(key)
    sizes = [len(own) for own in keys.values()]
    if len(apart) < math.prod(sizes) or any(len(each) < len(keys) for each in apart):
        return list_first([", ".join(f"{name} {key}" for name, key in each) for each in apart])
    named = []
    for name, own in keys.items():
        named.append(f"{name} {own[0]}" if len(own) == 1 else " or ".join(own))
    return ", ".join(named)
