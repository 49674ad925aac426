"""Numbers typed by hand: laid out next to those of rankers without learning, and turned back.

:class:`AdjustedValue` and its collections are what :func:`rankconst.adjust` returns for such
numbers, :class:`TurnedBack` what it returns with ``to``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

from rankconst.adjusting import add_significance, tabulate
from rankconst.catalogue.baselines import BASELINES, DEFAULT_BASELINE, FLOOR, SINGLE_STEP
from rankconst.catalogue.literature import find_literature
from rankconst.catalogue.metrics import parse_adjusted_metric, parse_metric
from rankconst.errors import UsageError
from rankconst.evaluation import (
    NOTHING,
    complete_by_name,
    describe_assumed,
    gather_assumed,
    look_up_named,
)
from rankconst.listing import (
    Column,
    Listing,
    fixed,
    print_text,
    show_html,
    show_interval,
    show_tail,
)
from rankconst.names import join_versions, join_words, write_html
from rankconst.values.published import parse_value, show_number
from rankconst.verdicts import explain, find_floor, show_expected, summarise

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    import pandas as pd

    from rankconst.adjusting import AdjustedBatch
    from rankconst.catalogue.metrics import Metric
    from rankconst.evaluation import Address
    from rankconst.tables.archive import Tables
    from rankconst.tasks import Tasks
    from rankconst.values.affine import Adjusted
    from rankconst.values.constants import Constants

Row = tuple[str, str, str]
"""The name of a number, the number, and its meaning."""

CountingOf = Mapping["AdjustedBatch", "AdjustedBatch | None"]
"""Numbers compared with chance, to the same compared with counting; None if that is unknown."""

# Up to this many numbers have a sentence each; one sentence sums up more.
_MOST_SENTENCES = 3


def compare_with_counting(batches: Sequence[AdjustedBatch], tables: Tables) -> CountingOf:
    """Compare the numbers that are compared with chance with counting, too."""
    over_chance = [batch for batch in batches if batch.published.tasks.is_chance]
    return {batch: find_floor(batch, tables) for batch in over_chance}


def lay_out(
    batches: Sequence[AdjustedBatch],
    tables: Tables,
    assumed: Mapping[str, Sequence[str]],
    *,
    full: bool = False,
    more: str = "",
) -> Listing:
    """List typed values with their adjusted forms, chance and counting.

    If `full`, all columns are shown. Further baselines have rows of their own. `more` ends the
    caption.
    """
    counting_of = compare_with_counting(batches, tables)
    others = [batch for batch in batches if batch not in counting_of]
    data: dict[str, Any] = tabulate(batches)
    if not others:
        data[FLOOR] = [_expect(batch) for batch in counting_of.values()]

    caption = ["In brackets: the effect of rounding."] if full else []
    caption.append(_explain_numbers(counting_of))
    if assumed:
        caption.append(f"Assumed: {describe_assumed(assumed)}.")

    versions = join_versions(batch.constants.table_version for batch in batches)
    if versions:
        more = f"{more} Tables {versions}.".lstrip()

    caption.append(more)
    first, *further = counting_of
    card = ""
    if not full and not further:
        card = write_rows(list_rows(first, others, counting_of[first], tables))

    columns = _list_columns(batches, data, tables, full=full, by_baseline=bool(others))
    return Listing(
        columns=list(columns),
        data=data,
        title=write_title(batches, tables),
        caption="\n".join(filter(None, caption)),
        card=card,
        upright=full,
    )


def _expect(batch: AdjustedBatch | None) -> float | None:
    """Return what the baseline of a batch is expected to get; None without a batch."""
    return None if batch is None else batch.constants.expectation


def _explain_numbers(counting_of: CountingOf) -> str:
    """Explain the numbers one by one, or all in one sentence if there are many."""
    if len(counting_of) > _MOST_SENTENCES:
        return summarise(counting_of)

    datasets = [batch.published.tasks.dataset for batch in counting_of]
    labels = [batch.published.metric.label for batch in counting_of]
    sentences = [explain(batch, over_counting) for batch, over_counting in counting_of.items()]
    for names in (labels, datasets):
        if len({*names}) > 1:  # say which number each sentence is about
            named = zip(names, sentences, strict=True)
            sentences = [f"{name}: {sentence}" for name, sentence in named]

    return "\n".join(sentences)


def _list_columns(
    batches: Sequence[AdjustedBatch],
    data: Mapping[str, Sequence[Any]],
    tables: Tables,
    *,
    full: bool,
    by_baseline: bool,
) -> Iterator[Column]:
    """Yield the columns of values; if `by_baseline`, their rows have what each baseline gets."""
    metrics = list(dict.fromkeys(batch.published.metric for batch in batches))
    label, index, chance, ranker = "published", "index", "chance", "a random ranker"
    if len(metrics) == 1:
        label = metrics[0].label
        index = metrics[0].name_of("index") or index

    if by_baseline:
        index, chance, ranker = "skill", "expected", "the baseline"

    yield from _list_names(metrics, data, tables)
    yield Column("baseline", _title_if(by_baseline, "baseline"))
    yield Column("value", label, right=True, show_row=lambda row: str(row["text"]))
    if full:
        yield Column("value_lower")
        yield Column("value_upper")
        yield Column("num_tasks")

    yield from _list_forms(index, full=full, by_baseline=by_baseline)
    yield Column("expectation", chance, show_expected, right=True)
    if not by_baseline:
        is_known = any(cell is not None for cell in data[FLOOR])
        yield Column(FLOOR, _title_if(is_known, FLOOR), show_expected, right=True)

    if full:
        for key in ("expectation_error", "variance", "variance_error", "method"):
            yield Column(key)
        title = _title_if(any(data["p_method"]), "p")
        meaning = f"probability that {ranker} does as well"
        show_p = show_tail("log10_p")
        yield Column("log10_p", title, right=True, show_row=show_p, meaning=meaning)
        for key in ("log10_p_lower", "log10_p_upper", "p_method"):
            yield Column(key)

    yield Column("table_version")


def _title_if(condition: bool, title: str) -> str | None:
    """Return the title of a column, or None to show the column in files only."""
    return title if condition else None


def _list_names(
    metrics: Iterable[Metric], data: Mapping[str, Sequence[Any]], tables: Tables
) -> Iterator[Column]:
    """Yield the columns that name the tasks and the metric; one that does not vary is for files."""
    labels = {metric.key: metric.label for metric in metrics}
    shown: dict[str, Callable[[Any], str]] = {
        "dataset": lambda key: tables.titles.get(key, key),
        "metric": lambda key: labels[key],
    }
    for key in ("dataset", "protocol", "split", "side", "aggregation", "relations", "metric"):
        varies = len({str(value) for value in data[key]}) > 1
        yield Column(key, _title_if(varies, key), shown.get(key, str))


def _list_forms(index: str, *, full: bool, by_baseline: bool) -> Iterator[Column]:
    """Yield the columns of the normalised value, index and z, or only of the index."""
    against = ranker = "chance"
    normalised: str | None = "normalised"
    if by_baseline:
        against, ranker = "as the baseline", "the baseline"
        normalised = None

    meaning = f"0 = {against}, 1 = perfect"
    if not full:
        yield Column("index", index, fixed, right=True, meaning=meaning)
        return

    better = f"standard deviations better than {ranker}"
    columns = [
        Column("normalised", normalised, drop=2, meaning=f"1 = {against}"),
        Column("index", index, meaning=meaning),
        Column("z", "z", drop=1, meaning=better),
    ]
    for column in columns:
        yield column._replace(show=fixed, right=True, show_row=show_interval(column.key))
        # The ends of its interval have no title: the screen shows them within the cell.
        yield Column(f"{column.key}_lower")
        yield Column(f"{column.key}_upper")


def write_title(batches: Sequence[AdjustedBatch], tables: Tables) -> str:
    """Name the metrics and the tasks of all numbers."""
    labels = join_words(list(dict.fromkeys(batch.published.metric.label for batch in batches)))
    datasets = {batch.published.tasks.dataset for batch in batches}
    if len(datasets) > 1:
        return f"{labels} on {len(datasets)} datasets"

    tasks = replace(batches[0].constants.tasks, baseline=DEFAULT_BASELINE)
    return name_results(labels, tasks, tables)


def name_results(labels: str, tasks: Tasks, tables: Tables) -> str:
    """Name metrics and their tasks: ``MRR on UMLS (test, ...)``."""
    suite = tables.find_suite(tasks.dataset)
    if suite is not None:
        return f"{labels}, mean over {suite.title}"
    name = tables.titles.get(tasks.dataset, tasks.dataset)
    on = "on" if tasks.split else "of"
    return f"{labels} {on} {name} ({tasks.describe()})"


def list_rows(
    chance: AdjustedBatch,
    others: Sequence[AdjustedBatch],
    over_counting: AdjustedBatch | None,
    tables: Tables,
) -> list[Row]:
    """List a published number, its index, and the expectations of rankers that do not learn.

    The number comes compared with chance, with `others`, and with counting. A row is a name, a
    number and its meaning: ("chance", "0.0007", "a random ranker").
    """
    tasks, metric = chance.published.tasks, chance.published.metric
    rows = [("published", chance.published.text, "")]
    index = chance.adjust().index
    if index is not None:
        meaning = "0 = chance, 1 = perfect"
        name = metric.name_of("index")
        if name:
            meaning = f"{name}: {meaning}"
        rows.append(("adjusted", f"{index:.4f}", meaning))

    # Chance comes first, the baselines that know something from the triples last.
    compared: list[AdjustedBatch | None] = [chance]
    compared += [other for other in others if _name_baseline(other) not in {FLOOR, SINGLE_STEP}]
    counting = tables.find_counting(tasks.dataset)
    if over_counting is not None:
        compared.append(over_counting)
        # Counting by recency forecasts: others may see all facts before the time of the query.
        if counting is not None and counting.key == "recency":
            compared.append(find_floor(chance, tables, SINGLE_STEP))

    titles = {DEFAULT_BASELINE: "chance", SINGLE_STEP: "single-step"}
    for batch in compared:
        if batch is None:
            continue

        baseline = _name_baseline(batch)
        brief = BASELINES[baseline].brief
        if baseline == FLOOR and counting is not None:
            brief = counting.brief
        rows.append((titles.get(baseline, baseline), show_expected(_expect(batch)), brief))

    literature = find_literature(chance.constants.tasks, metric)
    if literature is not None:
        lowest = show_number(literature.values[0], 3)
        highest = show_number(literature.values[-1], 3)
        spread = f"{lowest} to {highest}"
        rows.append(("others", spread, literature.describe(chance.published.value)))

    return rows


def _name_baseline(batch: AdjustedBatch) -> str:
    return batch.published.tasks.baseline


def write_rows(rows: Sequence[Row]) -> str:
    """Write rows below each other, with names, numbers and meanings in columns."""
    name_width = max(len(name) for name, _, _ in rows)
    value_width = max(len(value) for _, value, _ in rows)
    lines = []
    for name, value, meaning in rows:
        line = f"  {name:<{name_width}}   {value:<{value_width}}   {meaning}"
        lines.append(f"{line.rstrip()}\n")

    return "".join(lines)


# -- the objects of Python -------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False)
class _Adjusted:
    """Values typed by hand, with a batch for each value and baseline."""

    done: tuple[AdjustedBatch, ...]
    _tables: Tables
    _assumed: Mapping[str, Sequence[str]] = field(default_factory=dict)
    _full: bool = False  # True to show all columns

    @cached_property
    def table(self) -> dict[str, list[Any]]:
        """Columns with a row for each value and baseline: value, adjusted forms and tasks."""
        return tabulate(self.done)

    @cached_property
    def _values(self) -> list[AdjustedValue]:
        """The values with their batches."""
        batches: dict[int, list[AdjustedBatch]] = {}
        for batch in self.done:
            batches.setdefault(batch.published.index, []).append(batch)
        shared = (self._tables, self._assumed, self._full)
        return [AdjustedValue(tuple(of_value), *shared) for of_value in batches.values()]

    def to_pandas(self) -> pd.DataFrame:
        """Return :attr:`table` as a DataFrame (needs pandas)."""
        import pandas as pd

        return pd.DataFrame(self.table)

    def _lay_out(self) -> Listing:
        return lay_out(self.done, self._tables, self._assumed, full=self._full)

    def __str__(self) -> str:
        return print_text(self._lay_out())

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return show_html(self._lay_out())


@dataclass(frozen=True, eq=False, repr=False)
class AdjustedValue(_Adjusted):
    """A published number with its adjusted forms, chance and counting.

    ``print`` shows the screen of ``rankconst adjust``.
    """

    @cached_property
    def forms(self) -> Adjusted:
        """The value and its adjusted forms, each with the interval that rounding leaves open."""
        return self.done[0].adjust()

    @property
    def constants(self) -> Constants:
        """The constants of chance on these ranking tasks."""
        return self.done[0].constants

    @cached_property
    def _floor(self) -> AdjustedBatch | None:
        """The number against counting; None if counting is not tabulated for its tasks."""
        return find_floor(self.done[0], self._tables)

    @property
    def counting(self) -> float | None:
        """The expectation of a ranker that only counts training triples; None if it is unknown."""
        return _expect(self._floor)

    @property
    def sentence(self) -> str:
        """The verdict in words."""
        return explain(self.done[0], self._floor)

    @property
    def value(self) -> float:
        """The published number, in units of the metric: a percentage is a fraction here."""
        return float(self.forms.value)

    @property
    def index(self) -> float | None:
        """The number between chance, 0, and perfect, 1; None where that is undefined."""
        index: float | None = self.forms.index
        return index

    @property
    def z(self) -> float | None:
        """The distance from chance in standard deviations; None where undefined."""
        z: float | None = self.forms.z
        return z

    @property
    def chance(self) -> float:
        """The expectation of a random ranker, in units of the metric."""
        return self.constants.expectation

    @property
    def p(self) -> float | None:
        """The probability that a random ranker does at least as well; None where it is not known.

        It is 0 below the smallest double: ``constants.significance(value)`` has its logarithm and
        its interval.
        """
        significance = add_significance(self.done[0]).significance
        if not significance or significance[0] is None:
            return None
        return significance[0].probability

    def _repr_html_(self) -> str:
        listing = lay_out(self.done, self._tables, self._assumed)
        rows = list_rows(self.done[0], self.done[1:], self._floor, self._tables)
        names, values, meanings = zip(*rows, strict=True)
        columns = {"": names, self.constants.metric.label: values, "meaning": meanings}
        return write_html(columns, " ".join(f"{listing.title}.\n{listing.caption}".split("\n")))


@dataclass(frozen=True, eq=False, repr=False)
class AdjustedValues(_Adjusted, Mapping[str, AdjustedValue]):
    """Adjusted values by the names of their metrics.

    ``print`` shows the screen of ``rankconst adjust``.
    """

    names: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> AdjustedValue:
        """Return the value of a metric, by its name as it was typed.

        Raises
        ------
        KeyError
            If no value has that name.
        """
        if name not in self.names:
            raise KeyError(f"no value is called {name!r}; there are {', '.join(self.names)}")
        return self._values[self.names.index(name)]

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)


@dataclass(frozen=True, eq=False, repr=False)
class AdjustedList(_Adjusted, Sequence[AdjustedValue]):
    """Adjusted values of one metric, in their order.

    ``print`` shows the screen of ``rankconst adjust``.
    """

    @overload
    def __getitem__(self, index: int) -> AdjustedValue: ...
    @overload
    def __getitem__(self, index: slice) -> list[AdjustedValue]: ...
    def __getitem__(self, index: int | slice) -> AdjustedValue | list[AdjustedValue]:
        """Return the value at an index."""
        return self._values[index]

    def __len__(self) -> int:
        return len(self._values)


# -- from adjusted values back ---------------------------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False)
class TurnedBack(Sequence[float]):
    """The values of a metric before adjustment, in their order.

    ``print`` shows the screen of ``rankconst adjust --to``.
    """

    listing: Listing

    @property
    def values(self) -> tuple[float, ...]:
        """The values, in units of the metric."""
        return tuple(self.listing.data["value"])

    @property
    def lower(self) -> tuple[float, ...]:
        """The least values within the rounding of the adjusted ones, in units of the metric."""
        return tuple(self.listing.data["value_lower"])

    @property
    def upper(self) -> tuple[float, ...]:
        """The largest values within the rounding of the adjusted ones, in units of the metric."""
        return tuple(self.listing.data["value_upper"])

    def __getitem__(self, index: Any) -> Any:
        """Return the value at an index, in units of the metric."""
        return self.values[index]

    def __len__(self) -> int:
        return len(self.listing)

    def __str__(self) -> str:
        return print_text(self.listing)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return show_html(self.listing)


def turn_values_back(
    values: Sequence[Any], name: str, to: str, user: Address, tables: Tables
) -> TurnedBack:
    """Turn values of an adjusted metric `name` back into values of the metric `to`.

    Raises UsageError if no dataset is named, or `name` is the adjusted form of another metric.
    """
    if user.dataset is None:
        raise UsageError(
            "which dataset is it? Add --dataset fb15k237, for example (in Python: dataset=)."
        )

    target = parse_metric(to)
    metric, form = parse_adjusted_metric(name)
    if metric != target:
        raise UsageError(
            f"{name} is the adjusted form of {metric.label}, not of {target.label}: --to "
            f"{metric.label} (in Python: to={metric.label!r})."
        )

    constants = look_up_named(to, user, tables)
    invert = getattr(constants, form).invert
    rows = []
    for value in values:
        number = parse_value(value, percent=bool(user.percent))
        lower, upper = sorted(float(invert(end)) for end in number.interval)
        row = {
            "dataset": constants.tasks.dataset,
            "text": str(value),
            "adjusted": number.value,
            "value": float(invert(number.value)),
            "value_lower": lower,
            "value_upper": upper,
        }
        rows.append(row)

    adjusted = metric.name_of(form) or form
    by_rounding = f"{metric.label} (by rounding)"
    columns = [
        Column("dataset", "dataset"),
        Column("adjusted", adjusted, right=True, show_row=lambda row: row["text"]),
        Column("value", by_rounding, right=True, show_row=show_interval("value")),
        Column("value_lower"),
        Column("value_upper"),
    ]
    title = name_results(metric.label, constants.tasks, tables)
    caption = _write_caption(constants, complete_by_name(to, user), tables)
    return TurnedBack(Listing.of(columns, rows, title=title, caption=caption))


def _write_caption(constants: Constants, address: Address, tables: Tables) -> str:
    """Name the assumed tasks, the graphs of a suite, and the tables."""
    lines = []
    assumed = gather_assumed([(address, constants.tasks)], NOTHING)
    if assumed:
        lines.append(f"Assumed: {describe_assumed(assumed)}.")

    coverage = tables.explain_coverage(constants.tasks)
    if coverage:
        lines.append(f"Note: {coverage}")

    if constants.table_version:
        lines.append(f"Tables {constants.table_version}.")

    return "\n".join(lines)
