"""Compare published adjusted values and numbers of ranks with the declared or assumed tasks.

Contradictions become questions, which name the right tasks of the benchmark. If a file names no
dataset, the question names the one that its numbers are of.
"""

from __future__ import annotations

import functools
import itertools
from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from rankconst.adjusting import find_constants
from rankconst.arrow import wrap_numbers
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
from rankconst.results.columns import group_by_code, pair_codes
from rankconst.results.reading import number_addresses, number_evaluations
from rankconst.tables.parquet import select_rows
from rankconst.tasks import Tasks
from rankconst.values.published import NOISE

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from numpy.typing import NDArray

    from rankconst.catalogue.metrics import Metric
    from rankconst.catalogue.tools import Tool
    from rankconst.checks.defects import Cause
    from rankconst.results.reading import Entry, Reading
    from rankconst.tables.archive import Tables
    from rankconst.values.published import Interval


SLIP = "slip"
"""The field of a question about numbers that fit no tasks of the benchmark: one may be wrong."""


@dataclass(frozen=True)
class Evidence:
    """Numbers of evaluations that depend on their ranking tasks."""

    counts: frozenset[int]
    pairs: tuple[Pair, ...]

    @property
    def word(self) -> str:
        """The word for ``--accept`` if the evidence is harmless."""
        return "adjusted" if self.pairs else "count"


def ask_contradicted(reading: Reading, tables: Tables, user: Address) -> Reading:
    """Add a question to each number of a file that contradicts its ranking tasks."""
    entries = reading.entries
    judge = _Judge(tables, user, reading.tool)
    questions = []
    if reading.has_evidence:
        for places, address, evidence in _gather(reading, percent=user.percent):
            question = judge.ask(address, evidence)
            if question is not None:
                questions.append((places, question))
    else:
        questions += _ask_shares(reading, judge)

    if not questions:
        return reading

    # An option is for the whole file, a column for some rows of a table.
    num_asked = sum(len(places) for places, _ in questions)
    is_part = reading.layout == "wide" and num_asked < len(entries)
    contexts, context_codes = [*entries.contexts], entries.context_codes.copy()
    for places, question in questions:
        option = _name_columns(question.option) if is_part else question.option
        for code in np.unique(context_codes[places]).tolist():
            context_codes[places[context_codes[places] == code]] = len(contexts)
            asked = (*contexts[code].questions, replace(question, option=option))
            contexts.append(replace(contexts[code], questions=asked))

    return replace(reading, entries=entries.readdress(contexts, context_codes))


def _gather(
    reading: Reading, *, percent: bool
) -> Iterator[tuple[NDArray[np.intp], Address, Evidence]]:
    """Yield the places of numbers on the same ranking tasks, their address and their evidence."""
    entries = reading.entries
    by_number = reading.has_checkable_numbers
    address_of, addresses = number_addresses(entries)
    part_of = pair_codes(address_of, reading.part_of, len(reading.parts))
    if by_number:
        part_of = pair_codes(part_of, entries.model_codes, len(entries.models))
        if reading.layout == "wide":
            # Rows of a table with the same address may still be of different tasks.
            part_of = pair_codes(part_of, entries.rows, len(reading.rows))

    evaluation_of = number_evaluations(reading)
    for places in group_by_code(part_of):
        evaluations: defaultdict[int, list[Entry]] = defaultdict(list)
        # Without such numbers only the context is evidence, and the whole part has the same.
        telling = places if by_number else places[:1]
        for place in telling.tolist():
            evaluations[int(evaluation_of[place])].append(entries[place])

        counts: set[int] = set()
        pairs: list[Pair] = []
        for evaluation in evaluations.values():
            stated = [count_ranks(entry) for entry in evaluation]
            counts.update(count for count in stated if count is not None)
            pairs += pair_up(evaluation, percent=percent)

        if counts or pairs:
            evidence = Evidence(frozenset(counts), tuple(pairs))
            yield places, addresses[address_of[places[0]]], evidence


# Shares are of other tasks by chance alone with a smaller probability than this; a single share
# may be 1/3 of any number.
_UNLIKELY = 1e-6
_FEWEST_SHARES = 2


def _ask_shares(reading: Reading, judge: _Judge) -> Iterator[tuple[NDArray[np.intp], Question]]:
    """Yield places of numbers with a question, if their Hits@k tell of other ranking tasks.

    Hits@k with all its digits is a fraction of the number of ranks. If it is none of the ranks of
    its tasks, but one of those of other tasks, the numbers may be of these.
    """
    entries = reading.entries
    address_of, addresses = number_addresses(entries)
    in_percent = entries.is_percent | judge.user.percent
    shares = np.where(in_percent, entries.values / 100, entries.values)
    evaluation_of = number_evaluations(reading)
    for places in group_by_code(address_of):
        exact = places[entries.is_full_share[places]]
        if not exact.size:
            continue

        address = addresses[address_of[places[0]]]
        tasks, tool = judge.settle(address)
        if tasks is None or tasks.side == RELATION_SIDE or not tasks.is_micro:
            continue
        if judge.tables.find_suite(tasks.dataset) is not None:  # a mean of such shares
            continue

        is_fraction = _are_fractions(shares[exact], judge.archive.count(tasks, tool))
        if is_fraction.all():
            continue

        contradicting = evaluation_of[exact[~is_fraction]]
        in_contradicting = np.isin(evaluation_of[exact], contradicting)
        telling = np.unique(shares[exact[in_contradicting]])
        others = [other for other in judge.list_others(tasks) if other.is_micro]
        fitting = [other for other in others if _tell(telling, judge.archive.count(other, tool))]
        if fitting:
            nearest = judge.choose_nearest(tasks, fitting)
            no_evidence = Evidence(frozenset(), ())
            declared = _list_declared(address)
            question = _name_others(tasks, nearest, no_evidence, declared=declared)
            # A tool may leave out triples as another does, and rank other candidates.
            text = question.text.replace(_THOSE, "its Hits@k are fractions of the ranks of")
            is_asked_about = np.isin(evaluation_of[places], contradicting)
            yield places[is_asked_about], replace(question, text=text)


def _tell(shares: NDArray[np.float64], count: int | None) -> bool:
    """Tell whether distinct shares are fractions of a number of ranks, and hardly by chance."""
    if count is None or shares.size < _FEWEST_SHARES or not _are_fractions(shares, count).all():
        return False
    farthest = np.abs(shares * count - np.rint(shares * count)).max()
    return bool((2 * farthest) ** shares.size < _UNLIKELY)


def _are_fractions(shares: NDArray[np.float64], count: int | None) -> NDArray[np.bool_]:
    """Flag shares that may be fractions of a number of ranks; all, if it is unknown."""
    hits = shares * (count or 0)
    return np.abs(hits - np.rint(hits)) <= NOISE * hits


# Grades of ranking tasks: nothing contradicts them; contradictions are known defects of adjusted
# values; contradictions without such an excuse.
_FITS, _DEFECT, _CONTRADICTED = 2, 1, 0

_MR, _MRR = CATALOGUE["arithmetic_mean_rank"], CATALOGUE["inverse_harmonic_mean_rank"]

_SOME = (
    "--relation NAME for each relation that was evaluated, or --counts FILE if you counted the "
    "candidates"
)
_OTHERS = (
    "--protocol sampled:M if candidates were sampled, --protocol pykeen-train+test if PyKEEN ran "
    "with filter_validation_when_testing=False, or --counts FILE if you counted the candidates"
)


class _Judge:
    """Compares evidence with the tables, and caches its answers."""

    def __init__(self, tables: Tables, user: Address, format_tool: str | None) -> None:
        self.tables, self.user, self.format_tool = tables, user, format_tool
        self.archive = Archive(tables)
        self.settle = functools.cache(self._settle)
        self.list_others = functools.cache(self._list_others)

    def ask(self, address: Address, evidence: Evidence) -> Question | None:
        """Return the question about numbers, or None if nothing contradicts their tasks."""
        tasks, tool = self.settle(address)
        if tasks is None:
            if address.dataset or self.user.dataset or address.questions:
                return None
            return self._suggest_dataset(address, evidence)
        if tasks.dataset not in self.tables.titles:  # a number of tasks among sampled candidates
            return self._ask_sampled(tasks, evidence)
        if tasks.side == RELATION_SIDE:
            return None
        return self._ask_tasks(address, tasks, tool, evidence)

    def _ask_sampled(self, tasks: Tasks, evidence: Evidence) -> Question | None:
        """Ask about tasks without a dataset; None if all adjusted values fit."""
        num_tasks = max(evidence.counts, default=1)
        for pair in evidence.pairs:
            constants = find_constants(tasks, pair.metric, num_tasks, self.tables)
            if find_cause(pair, constants) is UNKNOWN:
                belongs = f"{pair.adjusted} does not belong to {pair.base}"
                text = f"its numbers are not those of {tasks.protocol}: {belongs}"
                return Question(SLIP, text, evidence.word, option="--protocol sampled:M")

        return None

    def _ask_tasks(
        self, address: Address, tasks: Tasks, tool: Tool | None, evidence: Evidence
    ) -> Question | None:
        """Ask about tasks, naming tasks that fit better or the contradiction; None if they fit."""
        grade = self._grade(tasks, tool, evidence)
        if grade is None or grade == _FITS:
            return None

        others = self.list_others(tasks)
        grades = [self._grade(other, tool, evidence) for other in others]
        for better in (_FITS, _DEFECT):
            graded = zip(others, grades, strict=True)
            fitting = [other for other, grade_of_other in graded if grade_of_other == better]
            if better > grade and fitting:
                nearest = self.choose_nearest(tasks, fitting)
                return _name_others(tasks, nearest, evidence, declared=_list_declared(address))

        return None if grade == _DEFECT else self._ask_slip(tasks, tool, evidence)

    def _settle(self, address: Address) -> tuple[Tasks | None, Tool | None]:
        """Return the declared or assumed tasks and the tool, or None twice if they are open."""
        try:
            return settle(address, self.user, self.tables, tool=self.format_tool)
        except RankconstError:
            return None, None

    def _find_cause(self, tasks: Tasks, pair: Pair) -> Cause | None:
        """Return the defect of an adjusted value on some tasks, or None if it is right."""
        return find_cause(pair, self.archive.constants(tasks, pair.metric))

    def _grade(self, tasks: Tasks, tool: Tool | None, evidence: Evidence) -> int | None:
        """Grade how well tasks fit, or return None if no tables have them."""
        count = self.archive.count(tasks, tool)
        if count is None:
            return None

        # Sampled tasks without adjusted values may have any count: the file is believed.
        is_sampled = find_protocol(tasks.protocol).negatives is not None
        is_free = is_sampled and not evidence.pairs
        has_other_count = bool(evidence.counts - {count})
        if has_other_count and not is_free:
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

    def _list_others(self, tasks: Tasks) -> list[Tasks]:
        """Return the other tasks of the benchmark."""
        protocols = dict.fromkeys((tasks.protocol, *self.tables.protocols(tasks.dataset)))
        splits = (*SPLITS, *POOLED_SPLITS)
        others = []
        for protocol, split in itertools.product(protocols, splits):
            of_split = replace(tasks, protocol=protocol, split=split)
            for side, aggregation in itertools.product(LINK_SIDES, AGGREGATIONS):
                other = replace(of_split, side=side, aggregation=aggregation)
                if other != tasks and self.archive.histogram(other) is not None:
                    others.append(other)

        return others

    def choose_nearest(self, tasks: Tasks, fitting: Iterable[Tasks]) -> list[Tasks]:
        """Return the tasks that differ from `tasks` in the fewest names, such as the split alone.

        Of tasks with the same constants only the first is returned.
        """
        num_differences = {other: len(_list_differences(other, tasks)) for other in fitting}
        fewest = min(num_differences.values())
        by_constants: dict[object, Tasks] = {}
        for other, number in num_differences.items():
            if number == fewest:
                found = [self.archive.constants(other, metric) for metric in (_MR, _MRR)]
                key = tuple((each.num_tasks, each.expectation) for each in found if each)
                by_constants.setdefault(key, other)

        return [*by_constants.values()]

    def _ask_slip(self, tasks: Tasks, tool: Tool | None, evidence: Evidence) -> Question:
        """Ask about numbers that fit no other tasks of the benchmark, naming a contradiction."""
        datasets = set()
        if evidence.pairs:
            datasets = {match.dataset for match in self._search(evidence)}

        count = self.archive.count(tasks, tool)
        wrong_counts = evidence.counts - {count}
        contradiction, remedy = "", _OTHERS
        if len(datasets) == 1:
            dataset = datasets.pop()
            contradiction, remedy = f"they are those of {dataset}", f"--dataset {dataset}"
        elif wrong_counts:
            contradiction = f"there are {count:,} ranks, not {min(wrong_counts):,}"
            remedy = _SOME
        else:
            causes = ((pair, self._find_cause(tasks, pair)) for pair in evidence.pairs)
            wrong = next((pair for pair, cause in causes if cause is UNKNOWN), None)
            if wrong is not None:
                expected = wrong.compute_expected(self.tables.look_up(tasks, wrong.metric))
                belongs = f"{wrong.adjusted} does not belong to {wrong.base}"
                contradiction = f"{belongs}, expected {expected:.6g}"

        where = f"{tasks.dataset} {tasks.split} under {tasks.protocol}"
        text = f"its numbers are not those of {where}: {contradiction}"
        return Question(SLIP, text, evidence.word, option=remedy)

    # -- a file that names no dataset --------------------------------------------------------------

    def _suggest_dataset(self, address: Address, evidence: Evidence) -> Question | None:
        """Name the benchmark that numbers fit; None if they fit none or several."""
        split = address.split
        matches = [each for each in self._search(evidence) if split in {None, each.split}]
        if len({match.dataset for match in matches}) != 1:
            return None

        dataset = matches[0].dataset
        tasks, _ = self.settle(replace(address, dataset=dataset))
        names = {"dataset": dataset}
        if tasks is not None and tasks not in matches:
            nearest, *_ = self.choose_nearest(tasks, matches)
            names |= _list_differences(nearest, tasks)

        options = {name: key for name, key in names.items() if name not in _list_declared(address)}
        text = f"no dataset is named; they are those of {' '.join(names.values())}"
        return Question("tasks", text, option=_write_options(options))

    def _search(self, evidence: Evidence) -> list[Tasks]:
        """Return the tasks of all benchmarks that numbers fit, at best without known defects."""
        grades = {tasks: self._grade(tasks, None, evidence) for tasks in self._list_near(evidence)}
        exact = [tasks for tasks in grades if grades[tasks] == _FITS]
        return exact or [tasks for tasks in grades if grades[tasks] == _DEFECT]

    def _list_near(self, evidence: Evidence) -> list[Tasks]:
        """Return the tasks of all benchmarks with the same number of ranks and expectation."""
        spans: dict[Metric, Interval] = {}
        for pair in evidence.pairs:
            span = find_expectation(pair)
            if span is not None:
                spans[pair.metric] = span

        if not spans and not evidence.counts:
            return []

        widths = {metric: span.half_width / span.upper for metric, span in spans.items()}
        metric = min(widths, key=widths.__getitem__, default=_MR)
        rows = self._list_constants(metric, evidence.counts, spans.get(metric))
        return [Tasks(row["dataset"], row["protocol"], row["split"], row["side"]) for row in rows]

    def _list_constants(
        self, metric: Metric, counts: Collection[int], span: Interval | None
    ) -> list[dict[str, str]]:
        """List the ranking tasks, of entities on all datasets, that fit what is known of them.

        A row has dataset, protocol, split and side. The number of ranks is one of `counts`, if
        there are any. The expectation of the metric under chance is in `span`, if it is given,
        apart from the noise of programs.
        """
        keys = {"metric": metric.family, "baseline": DEFAULT_BASELINE}
        table = select_rows(self.tables.read("constants"), keys)
        fits = table["side"].to_numpy(zero_copy_only=False) != RELATION_SIDE
        if metric.k is not None:
            fits &= table["k"].to_numpy() == metric.k

        if counts:
            fits &= np.isin(table["num_tasks"].to_numpy(), [*counts])

        if span is not None:
            expectations = table["expectation"].to_numpy()
            fits &= span.lower * (1 - NOISE) <= expectations
            fits &= expectations <= span.upper * (1 + NOISE)

        # As an Arrow array: of numpy's flags, Arrow imports pandas.
        chosen = table.filter(wrap_numbers(fits))
        return chosen.select(["dataset", "protocol", "split", "side"]).to_pylist()


def _name_columns(option: str) -> str:
    """Add to options the columns that can replace them for some rows.

    >>> _name_columns("--split valid")
    '--split valid, or where rows differ a column split'
    """
    names = [word.removeprefix("--") for word in option.split() if word.startswith("--")]
    if not {*names} <= {*NAMES}:
        return option
    return f"{option}, or where rows differ a column {' and one '.join(dict.fromkeys(names))}"


def _list_declared(address: Address) -> set[str]:
    """List the fields that a file declares, which no option overrules."""
    return {name for name in NAMES if getattr(address, name) not in {None, "filtered"}}


def _list_differences(tasks: Tasks, others: Tasks) -> dict[str, str]:
    """Return the names in which tasks differ from others, such as {"split": "test"}."""
    return {
        name: getattr(tasks, name)
        for name in NAMES
        if getattr(tasks, name) != getattr(others, name)
    }


def _write_options(names: Mapping[str, str]) -> str:
    """Return the options that name tasks: ``--split valid --protocol raw``."""
    return " ".join(f"--{name} {key}" for name, key in names.items())


_THOSE = "they are those of"


def _name_others(
    tasks: Tasks, others: list[Tasks], evidence: Evidence, *, declared: Collection[str]
) -> Question:
    """Ask about the tasks of numbers, naming those that fit and their options.

    An option does not overrule what the file has `declared`.
    """
    differences = [_list_differences(other, tasks) for other in others]
    names = {*itertools.chain.from_iterable(differences)}
    current = ", ".join(getattr(tasks, name) for name in NAMES if name in names)
    options = [_write_options(keys) for keys in differences if keys.keys().isdisjoint(declared)]
    choices = list_first([_write_choice(keys) for keys in differences])
    text = f"{_THOSE} {choices}, not of {current}"
    return Question("tasks", text, evidence.word, option=" or ".join(options[:3]))


def _write_choice(choice: Mapping[str, str]) -> str:
    """Write tasks to choose: "side head, protocol pykeen"."""
    return ", ".join(f"{name} {key}" for name, key in choice.items())
