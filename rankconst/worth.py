"""What numbers typed by hand are worth: what rankers without learning get, and what that leaves of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from rankconst.adjusting import add_significance, pick, tabulate
from rankconst.catalogue.baselines import BASELINES, DEFAULT_BASELINE, FLOOR, SINGLE_STEP
from rankconst.catalogue.literature import find_literature
from rankconst.evaluation import describe_assumed
from rankconst.names import join_words, write_html
from rankconst.values.published import show_number
from rankconst.verdicts import explain, find_floor, show_expected

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pandas as pd

    from rankconst.adjusting import AdjustedBatch
    from rankconst.tables.archive import Tables
    from rankconst.values.affine import Adjusted
    from rankconst.values.constants import Constants

Row = tuple[str, str, str]
"""What a number is called, the number, and what it means."""


@dataclass(frozen=True, eq=False, repr=False)
class AdjustedValue:
    """One published number and what it is worth; ``print`` shows what the screen of ``rankconst adjust`` does.

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
    _chance: AdjustedBatch
    _title: str
    _rows: Sequence[Row]
    _notes: Sequence[str]

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
        """By how many standard deviations it is better than chance; None where that is undefined."""
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
        found = add_significance(self._chance).significance
        return found[0].probability if found and found[0] is not None else None

    def __str__(self) -> str:
        return "\n".join([self._title, "", write_rows(self._rows), *self._notes])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        names, values, meanings = zip(*self._rows, strict=True)
        columns = {"": names, self.constants.metric.label: values, "meaning": meanings}
        return write_html(columns, " ".join([f"{self._title}.", *self._notes]))


@dataclass(frozen=True, eq=False, repr=False)
class AdjustedValues(Mapping[str, AdjustedValue]):
    """Values typed by hand with what they are worth, by the names that they were given.

    Attributes
    ----------
    done : tuple of Done
        A batch for each metric and baseline.
    """

    names: tuple[str, ...]
    done: tuple[AdjustedBatch, ...]
    _tables: Tables
    _assumed: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def __getitem__(self, name: str) -> AdjustedValue:
        """Return what a value is worth, by its name as it was typed.

        Raises
        ------
        KeyError
            If no value has that name.
        """
        if name not in self.names:
            raise KeyError(f"no value is called {name!r}; there are {', '.join(self.names)}")
        index = self.names.index(name)
        own = [each for each in self.done if index in each.batch.index]
        place = int(np.flatnonzero(own[0].batch.index == index)[0])
        return describe_value([take(each, place) for each in own], self._tables, self._assumed)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def table(self) -> dict[str, list[Any]]:
        """Columns with a row for each value and baseline: value, index, z ... with their ends, and the tasks."""
        return tabulate(self.done)

    def to_pandas(self) -> pd.DataFrame:
        """Return :attr:`table` as a DataFrame (needs pandas)."""
        import pandas as pd

        return pd.DataFrame(self.table)

    def __str__(self) -> str:
        return "\n\n".join(str(each) for each in self.values())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return "".join(each._repr_html_() for each in self.values())


def take(done: AdjustedBatch, place: int) -> AdjustedBatch:
    """Return one number of a batch, by its position."""
    texts = done.batch.texts[place : place + 1]
    batch = replace(done.batch.take(np.array([place])), texts=texts)
    significance = done.significance[place : place + 1]
    return replace(done, batch=batch, significance=significance, unattained={})


def describe_value(
    done: Sequence[AdjustedBatch], tables: Tables, assumed: Mapping[str, Sequence[str]]
) -> AdjustedValue:
    """Put together what there is to say of one number: its batches under chance and further baselines."""
    chance, *others = done
    floor = find_floor(chance, tables)
    notes = [sentence := explain(chance, floor)]
    if assumed:
        notes.append(f"Assumed: {describe_assumed(assumed)}.")
    if chance.constants.table_version:
        notes.append(f"Tables {chance.constants.table_version}.")
    return AdjustedValue(
        forms=pick(chance.adjust(), 0),
        constants=chance.constants,
        counting=None if floor is None else floor.constants.expectation,
        sentence=sentence,
        _chance=chance,
        _title=write_title(done, tables),
        _rows=list_rows(chance, others, floor, tables),
        _notes=notes,
    )


def write_title(done: Sequence[AdjustedBatch], tables: Tables) -> str:
    """Name the metrics, and the tasks that all numbers share."""
    labels = join_words(list(dict.fromkeys(each.batch.metric.label for each in done)))
    datasets = {each.batch.tasks.dataset for each in done}
    if len(datasets) > 1:
        return f"{labels} on {len(datasets)} datasets"
    tasks = replace(done[0].constants.tasks, baseline=DEFAULT_BASELINE)
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
    adjusted, metric = chance.adjust(), chance.batch.metric
    rows = [("published", chance.batch.texts[0], "")]
    if adjusted.index is not None:
        name = metric.name_of("index")
        meaning = "0 = chance, 1 = perfect"
        rows.append(
            (
                "adjusted",
                f"{float(adjusted.index[0]):.4f}",
                f"{name}: {meaning}" if name else meaning,
            )
        )
    floors = [] if floor is None else [floor, find_floor(chance, tables, SINGLE_STEP)]
    further = [each for each in others if each.batch.tasks.baseline not in {FLOOR, SINGLE_STEP}]
    counting = tables.find_counting(chance.batch.tasks.dataset)
    titles = {DEFAULT_BASELINE: "chance", SINGLE_STEP: "single-step"}
    for each in [chance, *further, *floors]:
        if each is not None:
            row = BASELINES[each.batch.tasks.baseline]
            brief = counting.brief if row.key == FLOOR and counting is not None else row.brief
            rows.append(
                (titles.get(row.key, row.key), show_expected(each.constants.expectation), brief)
            )
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
