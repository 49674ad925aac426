"""What numbers typed by hand are worth beyond what rankers without learning get."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from rankconst.adjusting import add_significance, pick, tabulate
from rankconst.catalogue.baselines import (
    ALL_BASELINES,
    BASELINES,
    DEFAULT_BASELINE,
    FLOOR,
    SINGLE_STEP,
)
from rankconst.catalogue.literature import find_literature
from rankconst.evaluation import describe_assumed
from rankconst.listing import (
    Column,
    Listing,
    fixed,
    number,
    print_text,
    show_html,
    show_interval,
    show_tail,
)
from rankconst.names import join_versions, join_words, write_html
from rankconst.values.published import show_number
from rankconst.verdicts import explain, find_floor, show_expected, summarise

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pandas as pd

    from rankconst.adjusting import AdjustedBatch
    from rankconst.catalogue.metrics import Metric
    from rankconst.tables.archive import Tables
    from rankconst.tasks import Tasks
    from rankconst.values.affine import Adjusted
    from rankconst.values.constants import Constants

Row = tuple[str, str, str]
"""What a number is called, the number, and what it means."""

Floors = Mapping["AdjustedBatch", "AdjustedBatch | None"]
"""Numbers held to chance, and the same held to counting; None where that is not known."""

# Up to this many numbers have a sentence each; one sentence sums up more.
_MOST_SENTENCES = 3


@dataclass(frozen=True, eq=False, repr=False)
class AdjustedValue:
    """One published number and what it is worth.

    ``print`` shows what the screen of ``rankconst adjust`` does.

    Attributes
    ----------
    forms : Adjusted
        The value and its adjusted forms, each with the interval that rounding leaves open.
    constants : Constants
        What chance gets on these ranking tasks.
    counting : float or None
        What a ranker gets that only counts training triples, in units of the metric; None where
        that is not known.
    sentence : str
        What the number is worth, in words.
    """

    forms: Adjusted
    constants: Constants
    counting: float | None
    sentence: str
    _done: Sequence[AdjustedBatch]
    _tables: Tables
    _assumed: Mapping[str, Sequence[str]]
    _full: bool  # whether what is shown has all that was computed

    @property
    def value(self) -> float:
        """The published number, in units of the metric: a percentage is a fraction here."""
        return float(self.forms.value)

    @property
    def index(self) -> float | None:
        """How far the number is from chance, 0, to perfect, 1; None where that is undefined."""
        index: float | None = self.forms.index
        return index

    @property
    def z(self) -> float | None:
        """By how many standard deviations it is better than chance; None where undefined."""
        z: float | None = self.forms.z
        return z

    @property
    def chance(self) -> float:
        """What a random ranker gets on average, in units of the metric."""
        return self.constants.expectation

    @property
    def p(self) -> float | None:
        """The probability that a random ranker does at least as well; None where it is not known.

        It is 0 below the smallest double: ``constants.significance(value)`` has its logarithm and
        its interval.
        """
        found = add_significance(self._done[0]).significance
        return found[0].probability if found and found[0] is not None else None

    def __str__(self) -> str:
        return print_text(lay_out(self._done, self._tables, self._assumed, full=self._full))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        listing = lay_out(self._done, self._tables, self._assumed)
        chance, *others = self._done
        floor = find_floor(chance, self._tables)
        names, values, meanings = zip(*list_rows(chance, others, floor, self._tables), strict=True)
        columns = {"": names, self.constants.metric.label: values, "meaning": meanings}
        return write_html(columns, " ".join(f"{listing.title}.\n{listing.caption}".split("\n")))


@dataclass(frozen=True, eq=False, repr=False)
class _Adjusted:
    """Values typed by hand with what they are worth.

    Attributes
    ----------
    done : tuple of Done
        A batch for each metric and baseline.
    """

    done: tuple[AdjustedBatch, ...]
    _tables: Tables
    _assumed: Mapping[str, Sequence[str]] = field(default_factory=dict)
    _full: bool = False

    @cached_property
    def table(self) -> dict[str, list[Any]]:
        """Columns with a row for each value and baseline.

        They are value, index, z ... with their ends, and the tasks.
        """
        return tabulate(self.done)

    def to_pandas(self) -> pd.DataFrame:
        """Return :attr:`table` as a DataFrame (needs pandas)."""
        import pandas as pd

        return pd.DataFrame(self.table)

    def _pick(self, index: int) -> AdjustedValue:
        """Return what a value is worth, by its place among those that were typed."""
        own = [each for each in self.done if index in each.batch.index]
        place = int(np.flatnonzero(own[0].batch.index == index)[0])
        chance, *others = [take(each, place) for each in own]
        floor = find_floor(chance, self._tables)
        return AdjustedValue(
            forms=pick(chance.adjust(), 0),
            constants=chance.constants,
            counting=None if floor is None else floor.constants.expectation,
            sentence=explain(chance, floor),
            _done=[chance, *others],
            _tables=self._tables,
            _assumed=self._assumed,
            _full=self._full,
        )

    def _lay_out(self) -> Listing:
        return lay_out(self.done, self._tables, self._assumed, full=self._full)

    def __str__(self) -> str:
        return print_text(self._lay_out())

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return show_html(self._lay_out())


@dataclass(frozen=True, eq=False, repr=False)
class AdjustedValues(_Adjusted, Mapping[str, AdjustedValue]):
    """Values by the names of their metrics, with what they are worth.

    ``print`` shows what the screen does.
    """

    names: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> AdjustedValue:
        """Return what a value is worth, by its name as it was typed.

        Raises
        ------
        KeyError
            If no value has that name.
        """
        if name not in self.names:
            raise KeyError(f"no value is called {name!r}; there are {', '.join(self.names)}")
        return self._pick(self.names.index(name))

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)


@dataclass(frozen=True, eq=False, repr=False)
class AdjustedList(_Adjusted, Sequence[AdjustedValue]):
    """Values of one metric with what they are worth, in their order.

    ``print`` shows what the screen does.
    """

    @overload
    def __getitem__(self, place: int) -> AdjustedValue: ...
    @overload
    def __getitem__(self, place: slice) -> list[AdjustedValue]: ...
    def __getitem__(self, place: int | slice) -> AdjustedValue | list[AdjustedValue]:
        """Return what a value is worth."""
        places = range(len(self))[place]
        if isinstance(places, int):
            return self._pick(places)
        return [self._pick(each) for each in places]

    def __len__(self) -> int:
        return self.done[0].batch.index.size


def take(done: AdjustedBatch, place: int) -> AdjustedBatch:
    """Return one number of a batch, by its position."""
    texts = done.batch.texts[place : place + 1]
    batch = replace(done.batch.take(np.array([place])), texts=texts)
    significance = done.significance[place : place + 1]
    return replace(done, batch=batch, significance=significance, unattained={})


# -- what is shown ---------------------------------------------------------------------------------


def find_floors(done: Sequence[AdjustedBatch], tables: Tables) -> Floors:
    """Find what counting gets for the numbers that are held to chance."""
    return {each: find_floor(each, tables) for each in done if each.batch.tasks.is_chance}


def lay_out(
    done: Sequence[AdjustedBatch],
    tables: Tables,
    assumed: Mapping[str, Sequence[str]],
    *,
    full: bool = False,
    more: str = "",
) -> Listing:
    """List values that were typed with what they are worth: all that was computed if `full`.

    Batches of further baselines have rows of their own.
    """
    floors = find_floors(done, tables)
    others = [each for each in done if each not in floors]
    data: dict[str, Any] = tabulate(done)
    if not others:
        data[FLOOR] = []
        for each, floor in floors.items():
            gets = None if floor is None else floor.constants.expectation
            data[FLOOR] += [gets for _ in each.batch.texts]
    caption = ["In brackets: the effect of rounding."] if full else []
    caption.append(_explain_numbers(floors))
    if assumed:
        caption.append(f"Assumed: {describe_assumed(assumed)}.")
    versions = join_versions(each.constants.table_version for each in done)
    last = [more, f"Tables {versions}." if versions else ""]
    caption.append(" ".join(filter(None, last)))
    chance, *further = floors
    card = ""
    if not full and not further and len(chance.batch.texts) == 1:
        card = write_rows(list_rows(chance, others, floors[chance], tables))
    return Listing(
        [*_list_columns(done, data, tables, full=full, ladder=bool(others))],
        data,
        write_title(done, tables),
        "\n".join(filter(None, caption)),
        card,
        upright=full,
    )


def explain_each(floors: Floors) -> Iterator[str]:
    """Yield a sentence about each number."""
    for each, floor in floors.items():
        for place in range(each.batch.index.size):
            yield explain(each, floor, place)


def _explain_numbers(floors: Floors) -> str:
    """Say what the numbers mean: a sentence each, or one for all."""
    datasets, labels = [], []
    for each in floors:
        datasets += [each.batch.tasks.dataset for _ in each.batch.texts]
        labels += [each.batch.metric.label for _ in each.batch.texts]
    if len(datasets) > _MOST_SENTENCES:
        return summarise(floors)
    sentences = [*explain_each(floors)]
    for heads in (labels, datasets):
        if len({*heads}) > 1:
            pairs = zip(heads, sentences, strict=True)
            sentences = [f"{head}: {sentence}" for head, sentence in pairs]
    return "\n".join(sentences)


def _list_columns(
    done: Sequence[AdjustedBatch],
    data: Mapping[str, Sequence[Any]],
    tables: Tables,
    *,
    full: bool,
    ladder: bool,
) -> Iterator[Column]:
    """Yield the columns: what tells rows apart, what was published, and what comes of it.

    Yield all of them if `full`.
    """
    metrics = list(dict.fromkeys(each.batch.metric for each in done))
    labels = {metric.key: metric.label for metric in metrics}
    single = metrics[0] if len(metrics) == 1 else None
    shown: dict[str, Callable[[Any], str]] = {
        "dataset": lambda key: tables.titles.get(key, key),
        "metric": lambda key: labels[key],
    }
    for key in ("dataset", "protocol", "split", "side", "aggregation", "relations", "metric"):
        # A column that tells no rows apart is for files.
        title = key if len({*map(str, data[key])}) > 1 else None
        yield Column(key, title, shown.get(key, str))
    yield Column("baseline", "baseline" if ladder else None)
    label = single.label if single else "published"
    yield Column("value", label, right=True, show_row=lambda row: str(row["text"]))
    if full:
        yield Column("value_lower")
        yield Column("value_upper")
        yield Column("num_tasks")
    yield from _list_forms(single, full=full, ladder=ladder)
    yield Column("expectation", "expected" if ladder else "chance", show_expected, right=True)
    if not ladder:
        title = FLOOR if any(cell is not None for cell in data[FLOOR]) else None
        yield Column(FLOOR, title, show_expected, right=True)
    if full:
        for key in ("expectation_error", "variance", "variance_error", "method"):
            yield Column(key)
        ranker = "the baseline" if ladder else "a random ranker"
        yield Column(
            "log10_p",
            "p" if any(data["p_method"]) else None,
            number(4),
            right=True,
            show_row=show_tail("log10_p"),
            meaning=f"probability that {ranker} does as well",
        )
        for key in ("log10_p_lower", "log10_p_upper", "p_method"):
            yield Column(key)
    yield Column("table_version")


def _list_forms(single: Metric | None, *, full: bool, ladder: bool) -> Iterator[Column]:
    """Yield the columns of the adjusted forms; without `full`, that of the index alone.

    Their `drop` is the order in which they leave a narrow terminal.
    """
    against, ranker, index = "chance", "chance", (single and single.name_of("index")) or "index"
    normalised: str | None = "normalised"
    if ladder:
        against, ranker, index, normalised = "as the baseline", "the baseline", "skill", None
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
    for each in columns:
        yield replace(each, show=fixed, right=True, show_row=show_interval(each.key))
        yield Column(f"{each.key}_lower")
        yield Column(f"{each.key}_upper")


def write_title(done: Sequence[AdjustedBatch], tables: Tables) -> str:
    """Name the metrics, and the tasks that all numbers share."""
    labels = join_words(list(dict.fromkeys(each.batch.metric.label for each in done)))
    datasets = {each.batch.tasks.dataset for each in done}
    if len(datasets) > 1:
        return f"{labels} on {len(datasets)} datasets"
    return name_results(labels, replace(done[0].constants.tasks, baseline=DEFAULT_BASELINE), tables)


def name_results(labels: str, tasks: Tasks, tables: Tables) -> str:
    """Name metrics, and the tasks that their numbers are of: ``MRR on UMLS (test, ...)``."""
    if (suite := tables.find_suite(tasks.dataset)) is not None:
        return f"{labels}, mean over {suite.title}"
    name = tables.titles.get(tasks.dataset, tasks.dataset)
    return f"{labels} {'on' if tasks.split else 'of'} {name} ({tasks.describe()})"


def list_rows(
    chance: AdjustedBatch,
    others: Sequence[AdjustedBatch],
    floor: AdjustedBatch | None,
    tables: Tables,
) -> list[Row]:
    """List a published number, its index, and what rankers without learning get."""
    tasks, metric, index = chance.batch.tasks, chance.batch.metric, chance.adjust().index
    rows = [("published", chance.batch.texts[0], "")]
    if index is not None:
        name, meaning = metric.name_of("index"), "0 = chance, 1 = perfect"
        rows.append(
            ("adjusted", f"{float(index[0]):.4f}", f"{name}: {meaning}" if name else meaning)
        )
    rankers = [chance]
    rankers += [each for each in others if each.batch.tasks.baseline not in {FLOOR, SINGLE_STEP}]
    if floor is not None:
        rankers.append(floor)
        if SINGLE_STEP in tables.list_baselines(ALL_BASELINES, tasks.dataset):
            single_step = find_floor(chance, tables, SINGLE_STEP)
            rankers += [single_step] if single_step is not None else []
    counting = tables.find_counting(tasks.dataset)
    titles = {DEFAULT_BASELINE: "chance", SINGLE_STEP: "single-step"}
    for each in rankers:
        key = each.batch.tasks.baseline
        brief = BASELINES[key].brief
        if key == FLOOR and counting is not None:
            brief = counting.brief
        rows.append((titles.get(key, key), show_expected(each.constants.expectation), brief))
    literature = find_literature(chance.constants.tasks, metric)
    if literature is not None:
        lowest, *_, highest = literature.values
        spread = f"{show_number(lowest, 3)} to {show_number(highest, 3)}"
        rows.append(("others", spread, literature.describe(float(chance.batch.value[0]))))
    return rows


def write_rows(rows: Sequence[Row]) -> str:
    """Write rows one below the other, their numbers in line."""
    names = max(len(name) for name, _, _ in rows)
    values = max(len(value) for _, value, _ in rows)
    lines = (f"  {name:<{names}}   {value:<{values}}   {meaning}" for name, value, meaning in rows)
    return "".join(f"{line.rstrip()}\n" for line in lines)
