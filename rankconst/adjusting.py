"""Adjust numbers for chance in batches: typed numbers, and those of files and DataFrames."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from rankconst.catalogue.baselines import DEFAULT_BASELINE
from rankconst.catalogue.protocols import find_protocol
from rankconst.doubles import NUMBERS, np
from rankconst.errors import DataError, RankconstError, UndefinedError, UnknownNameError, UsageError
from rankconst.evaluation import weigh
from rankconst.moments import compute_moments
from rankconst.tasks import sampled_histogram
from rankconst.values.affine import ADJUSTMENTS, Adjusted
from rankconst.values.constants import Constants
from rankconst.values.published import Interval

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from rankconst.catalogue.metrics import Metric
    from rankconst.catalogue.tools import Tool
    from rankconst.tables.archive import Tables
    from rankconst.tasks import Tasks
    from rankconst.values.published import Published
    from rankconst.values.significance import Significance

    Numbers = NDArray[np.float64]
    Places = NDArray[np.intp]

FORMS = ("value", *ADJUSTMENTS)
"""The keys of a number and its adjusted forms."""

ENDS = ("", "_lower", "_upper")
"""What follows such a key: nothing for the number, then the ends of its interval."""

BESIDE = ("expectation", "variance")
"""The attributes of constants that details list next to these forms."""

# One batch.


class Where(NamedTuple):
    """Where some numbers of a file are. Each array is in ascending order."""

    column: int  # index of their column in Entries.columns
    positions: Places  # in that column
    rows: Places  # of the table
    places: Places  # among all numbers of the file

    def take(self, index: NDArray[np.bool_] | Places) -> Where:
        """Return the numbers that a mask or an array of indices selects."""
        return Where(self.column, *(each[index] for each in self[1:]))


@dataclass(frozen=True, slots=True, eq=False)
class PublishedBatch:
    """Numbers of one metric on the same ranking tasks, from the same tool.

    Numbers of files and frames are arrays of the same shape; a typed number is a float.
    """

    tasks: Tasks
    metric: Metric
    tool: Tool | None
    value: Any
    lower: Any
    upper: Any
    index: Any  # their places among the entries of a file, ascending; or that of a typed value
    num_tasks: int | None = None  # how many ranks the file counts
    text: str = ""  # as it was typed by hand
    where: Any = None  # of those of a file: Where

    def take(self, mask: NDArray[np.bool_] | Places) -> PublishedBatch:
        """Return the numbers that a mask or an array of indices selects."""
        where = None if self.where is None else self.where.take(mask)
        return replace(
            self,
            value=self.value[mask],
            lower=self.lower[mask],
            upper=self.upper[mask],
            index=self.index[mask],
            where=where,
        )

    def shift(self, step: float | Numbers) -> PublishedBatch:
        """Return the numbers and their intervals with something added."""
        return replace(
            self, value=self.value + step, lower=self.lower + step, upper=self.upper + step
        )


@dataclass(frozen=True, eq=False)
class AdjustedBatch:
    """A batch of possible numbers, with its constants."""

    published: PublishedBatch
    all_constants: Constants  # over all tasks
    constants: Constants  # over the tasks that the tool ranks: the same object if that is all
    significance: tuple[Significance | None, ...] = ()
    # Why a number, by its position, has no probability.
    unattained: Mapping[int, str] = field(default_factory=dict)

    def take(self, mask: NDArray[np.bool_]) -> AdjustedBatch:
        """Return the numbers that a mask selects, without `unattained`."""
        if mask.all():
            return self
        significance = tuple(itertools.compress(self.significance, mask.tolist()))
        batch = self.published.take(mask)
        return replace(self, published=batch, significance=significance, unattained={})

    @property
    def is_partial(self) -> bool:
        """Whether the tool leaves out tasks, so that no tail probability is known."""
        return self.constants is not self.all_constants

    def adjust(self) -> Adjusted:
        """Compute all adjusted forms, each time anew, as keeping them would take memory."""
        batch = self.published
        numbers = (batch.value, batch.lower, batch.upper)
        if batch.tool is None or batch.tool.batch is None:
            return self.all_constants.adjust_between(*numbers)
        from rankconst.values.whole_batches import adjust_dropped

        return adjust_dropped(self.all_constants, *numbers, batch.tool.batch)

    @cached_property
    def undefined(self) -> Mapping[str, str]:
        """The forms that are undefined on these tasks, with the reasons."""
        # The reasons follow from the constants alone, so one number is enough.
        first = self.published
        if not isinstance(first.value, float):
            first = first.take(np.zeros(1, dtype=np.intp))
        return replace(self, published=first).adjust().undefined

    def compute_index(self) -> Numbers | None:
        """Compute the index of each number, or return None if it is undefined."""
        if "index" in self.undefined:
            return None
        form = ADJUSTMENTS["index"](self.constants.metric, self.constants.moments)
        index: Numbers = form(self.published.value)
        return index


def adjust_batch(batch: PublishedBatch, all_constants: Constants) -> AdjustedBatch:
    """Pair a batch of numbers with the constants that adjust it.

    Known errors of the tool are corrected: 1 is added to mean ranks that count from 0, and tasks of
    an incomplete last batch, which the tool drops, do not count. `all_constants` are those on all
    tasks. Raises ImpossibleError for values that no ranks have.
    """
    tool = batch.tool
    constants = all_constants
    if tool is not None:
        shift = tool.shifts.get(batch.metric.label)
        if shift:
            batch = batch.shift(shift)

        if tool.batch is not None:
            from rankconst.values.whole_batches import draw_evenly

            constants = draw_evenly(all_constants, tool.batch)

    reasons = constants.find_impossible(batch.value, batch.lower, batch.upper)
    if reasons:
        raise ImpossibleError(reasons)
    return AdjustedBatch(batch, all_constants, constants)


class ImpossibleError(DataError):
    """Some numbers of a batch are impossible. `reasons` are by position in the batch."""

    def __init__(self, reasons: Mapping[int, str]) -> None:
        super().__init__(next(iter(reasons.values())))
        self.reasons = reasons


def find_constants(
    tasks: Tasks, metric: Metric, num_tasks: int | None, tables: Tables
) -> Constants:
    """Return the constants of a metric on ranking tasks.

    If the protocol samples negatives, all tasks are alike, and `num_tasks`, the number of ranks in
    a file, replaces that of the tables.
    """
    negatives = find_protocol(tasks.protocol).negatives
    if negatives is not None and num_tasks is not None:
        if tasks.dataset in tables.titles:
            constants = tables.look_up(tasks, metric)
            if num_tasks == constants.num_tasks:
                return constants
        histogram = sampled_histogram(tasks.protocol, num_tasks)
        return Constants(
            tasks, metric, histogram, compute_moments(metric, histogram), tables.version
        )

    return tables.look_up(tasks, metric)


def adjust_under(baseline: str, batch: PublishedBatch, tables: Tables) -> AdjustedBatch:
    """Adjust numbers by the constants of a baseline, given by its key."""
    batch = replace(batch, tasks=replace(batch.tasks, baseline=baseline))
    return adjust_batch(batch, tables.look_up(batch.tasks, batch.metric))


def compare_with(
    batches: Iterable[AdjustedBatch], tables: Tables, baselines: Iterable[str]
) -> tuple[dict[str, tuple[AdjustedBatch, ...]], dict[int, str]]:
    """Adjust batches by the constants of further baselines.

    Returns the batches by baseline, and a note for each number without constants, by its index.
    Raises the error of a baseline that has no constants for any batch.
    """
    all_published = [batch.published for batch in batches]
    against: dict[str, tuple[AdjustedBatch, ...]] = {}
    notes: dict[int, str] = {}
    for baseline in baselines:
        adjusted: list[AdjustedBatch] = []
        errors: list[RankconstError] = []
        for published in all_published:
            try:
                adjusted.append(adjust_under(baseline, published, tables))
            except (UnknownNameError, UndefinedError, UsageError) as error:
                errors.append(error)  # tasks of train, or among sampled negatives
                for index in published.index.tolist():
                    notes.setdefault(index, f"no skill: {error}")

        if errors and not adjusted:
            raise errors[0]
        against[baseline] = tuple(adjusted)

    return against, notes


def add_significance(batch: AdjustedBatch) -> AdjustedBatch:
    """Return the batch with its tail probabilities, if these are known."""
    from rankconst.values.significance import compute_significance

    if batch.is_partial or batch.constants.explain_lack():
        return batch

    metric, histogram = batch.constants.metric, batch.constants.ranking
    adjusted = batch.adjust()
    arrays = (adjusted.value, *adjusted.value_interval)
    columns = [np.ravel(array).tolist() for array in arrays]
    numbers = list(zip(*columns, strict=True))  # (value, lower, upper) each

    # Equal numbers are computed once.
    significance_of: dict[tuple[float, ...], Significance] = {}
    reason_of: dict[tuple[float, ...], str] = {}
    for number in dict.fromkeys(numbers):
        value, lower, upper = number
        interval = Interval(lower, upper)
        try:
            significance_of[number] = compute_significance(metric, histogram, value, interval)
        except UndefinedError as error:
            reason_of[number] = f"no p: {error}"

    unattained = {}
    for index, number in enumerate(numbers):
        if number in reason_of:
            unattained[index] = reason_of[number]

    significance = tuple(significance_of.get(number) for number in numbers)
    return replace(batch, significance=significance, unattained=unattained)


def leave_out(
    batches: Iterable[AdjustedBatch], is_left_out: NDArray[np.bool_]
) -> Iterator[AdjustedBatch]:
    """Yield batches without the numbers of the file that `is_left_out` flags."""
    for batch in batches:
        is_kept = ~is_left_out[batch.published.index]
        if is_kept.any():
            yield batch.take(is_kept)


def list_contradictions(
    batches: Iterable[AdjustedBatch], evaluations: Iterable[Places], show: Callable[[int], str]
) -> dict[int, str]:
    """Return the reasons why numbers contradict each other, by their indices.

    `evaluations` has an array of integers for each batch. Equal integers mark numbers of the same
    model and rank type. Only numbers of the same tasks and tool are compared. `show` returns the
    text of the number with an index.
    """
    from rankconst.values.bounds import Results, find_contradictions, is_bounded

    comparable: dict[tuple[Tasks, Tool | None], list[Results]] = {}
    for batch, evaluation in zip(batches, evaluations, strict=True):
        published = batch.published
        if is_bounded(published.metric):
            lower, upper, index = np.atleast_1d(published.lower, published.upper, published.index)
            results = Results(published.metric, evaluation, lower, upper, index)
            comparable.setdefault((published.tasks, published.tool), []).append(results)

    reasons: dict[int, str] = {}
    for results_of_metrics in comparable.values():
        reasons |= find_contradictions(results_of_metrics, show)

    return reasons


TIES = {
    "optimistic": (
        "optimistic ranks: where scores tie, the model gets the best rank, "
        "and chance a random one. If there are ties, index and z are too high."
    ),
    "pessimistic": (
        "pessimistic ranks: where scores tie, the model gets the worst rank, "
        "and chance a random one. If there are ties, index and z are too low."
    ),
}
"""Tie policies that favour or harm a model, and the direction of the error."""


# Columns.


def fill_columns(
    size: int,
    batches: Iterable[AdjustedBatch],
    against: Mapping[str, Iterable[AdjustedBatch]] | None = None,
    *,
    wanted: Collection[str] | None = None,
) -> dict[str, Any]:
    """Return columns of `size` rows with the numbers of some batches, and NaN elsewhere.

    There is a column for each form, for the ends of its interval, such as ``index_lower``, and for
    :data:`BESIDE`; with significance also ``log10_p`` and ``p_method``. Columns for a further
    baseline have its name added: ``index@frequency``. If `wanted` has keys, only these columns and
    those of significance are filled.
    """
    columns: dict[str, Any] = {}
    for key in [*(f"{form}{end}" for form in FORMS for end in ENDS), *BESIDE]:
        if wanted is None or key in wanted:
            columns[key] = np.full(size, np.nan)

    for batch in batches:
        _fill_batch(columns, batch, size)

    for baseline, compared in (against or {}).items():
        ending = f"@{baseline}"
        wanted_keys = None
        if wanted is not None:
            wanted_keys = {key.removesuffix(ending) for key in wanted if key.endswith(ending)}

        for key, values in fill_columns(size, compared, wanted=wanted_keys).items():
            columns[f"{key}{ending}"] = values

    return columns


def _fill_batch(columns: dict[str, Any], adjusted: AdjustedBatch, size: int) -> None:
    """Write the numbers of a batch into the rows of some columns."""
    batch = adjusted.published
    rows = batch.index if batch.where is None else batch.where.rows
    if [*columns] == ["index"]:
        numbers: dict[str, Any] = {"index": adjusted.compute_index()}
    else:
        numbers = _list_numbers(adjusted)

    for key, values in numbers.items():
        if key in columns and values is not None:
            columns[key][rows] = values

    if adjusted.significance:
        _fill_significance(columns, adjusted, rows, size)


def _list_numbers(batch: AdjustedBatch) -> dict[str, Any]:
    """Return expectation, variance and the defined forms, such as ``index_lower``."""
    constants, adjusted = batch.constants, batch.adjust()
    numbers = {key: getattr(constants, key) for key in BESIDE}
    for form in FORMS:
        interval = getattr(adjusted, f"{form}_interval")
        if interval is not None:
            numbers[form] = getattr(adjusted, form)
            numbers[f"{form}_lower"], numbers[f"{form}_upper"] = interval

    return numbers


def _fill_significance(
    columns: dict[str, Any], batch: AdjustedBatch, rows: Places, size: int
) -> None:
    """Write the tail probabilities of a batch into the rows of `columns`; add missing columns."""
    if "p_method" not in columns:
        columns["p_method"] = [None] * size
        for end in ENDS:
            columns[f"log10_p{end}"] = np.full(size, np.nan)

    for row, probability in zip(rows.tolist(), batch.significance, strict=True):
        if probability is None:
            continue
        lower, upper = probability.interval
        columns["log10_p"][row] = probability.log10
        columns["log10_p_lower"][row] = lower
        columns["log10_p_upper"][row] = upper
        columns["p_method"][row] = probability.method


# Values typed by hand.


def adjust_on(
    tasks: Tasks,
    tool: Tool | None,
    values: Sequence[tuple[Metric, Published]],
    tables: Tables,
    baselines: Iterable[str] = (DEFAULT_BASELINE,),
) -> list[AdjustedBatch]:
    """Adjust values of models on ranking tasks of `tables`, as :func:`adjust_values` does."""

    def look_up_under(metric: Metric, baseline: str) -> Constants:
        weighed = weigh(tasks, metric, tool)
        return tables.look_up(replace(weighed, baseline=baseline), metric)

    return adjust_values(values, tool, look_up_under, baselines)


def adjust_values(
    values: Sequence[tuple[Metric, Published]],
    tool: Tool | None,
    look_up: Callable[[Metric, str], Constants],
    baselines: Iterable[str] = (DEFAULT_BASELINE,),
) -> list[AdjustedBatch]:
    """Adjust values of models on the same ranking tasks: a batch for each baseline and value.

    `look_up` returns the constants of a metric under a baseline. Raises DataError for a value that
    is impossible, alone or together with others. Two values of one metric belong to two models, so
    they cannot contradict each other.
    """
    by_metric: dict[Metric, list[tuple[int, Published]]] = {}
    for index, (metric, published) in enumerate(values):
        by_metric.setdefault(metric, []).append((index, published))

    batches = []
    for baseline, metric in itertools.product(baselines, by_metric):
        constants = look_up(metric, baseline)
        for index, published in by_metric[metric]:
            batch = PublishedBatch(
                constants.tasks,
                metric,
                tool,
                value=published.value,
                lower=published.lower,
                upper=published.upper,
                index=index,
                text=published.text,
            )
            batches.append(adjust_batch(batch, constants))

    is_one_model = len(by_metric) == len(values)
    if is_one_model and len(values) > 1:
        under_first_baseline = batches[: len(values)]
        evaluations = itertools.repeat(np.zeros(1, dtype=np.intp), len(values))  # all of the same
        reasons = list_contradictions(
            under_first_baseline, evaluations, lambda index: values[index][1].text
        )
        for reason in reasons.values():
            raise DataError(reason)

    return batches


def tabulate(batches: Sequence[AdjustedBatch]) -> dict[str, list[Any]]:
    """Return columns with a row for each typed value: its adjusted forms, and its tasks."""
    table: dict[str, list[Any]] = {}
    for batch in batches:
        for key, cell in _list_cells(batch).items():
            table.setdefault(key, []).append(cell)
    return table


def _list_cells(batch: AdjustedBatch) -> dict[str, Any]:
    """Return the cells of a typed value, by column; None for an undefined one."""
    constants, adjusted = batch.constants, batch.adjust()
    cells: dict[str, Any] = {"text": batch.published.text, "metric": constants.metric.key}
    for form in FORMS:
        lower, upper = getattr(adjusted, f"{form}_interval") or (None, None)
        cells |= {form: getattr(adjusted, form), f"{form}_lower": lower, f"{form}_upper": upper}

    cells |= dict.fromkeys(("log10_p", "log10_p_lower", "log10_p_upper", "p_method"))
    probability = batch.significance[0] if batch.significance else None
    if probability is not None:
        cells["log10_p"] = probability.log10
        cells["log10_p_lower"], cells["log10_p_upper"] = probability.interval
        cells["p_method"] = probability.method

    cells |= constants.tasks.to_dict()
    cells["baseline"] = constants.tasks.baseline
    for key in (*NUMBERS, "num_tasks", "method", "table_version"):
        cells[key] = getattr(constants, key)

    return cells


def pick(adjusted: Adjusted, index: int) -> Adjusted:
    """Return the adjusted value at one index of arrays, as floats; an undefined form stays None."""
    picked: dict[str, Any] = {}
    for form in FORMS:
        values, interval = getattr(adjusted, form), getattr(adjusted, f"{form}_interval")
        picked[form] = None if values is None else float(values[index])
        picked[f"{form}_interval"] = None
        if interval is not None:
            picked[f"{form}_interval"] = Interval(*(float(end[index]) for end in interval))

    return Adjusted(**picked, undefined=adjusted.undefined)
