"""The results of :func:`rankconst.adjust` for numbers typed by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

from rankconst.adjusting import add_significance, tabulate
from rankconst.listing import Listing, print_text, show_html
from rankconst.names import write_html
from rankconst.verdicts import explain, find_floor
from rankconst.worth import lay_out, list_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd

    from rankconst.adjusting import AdjustedBatch
    from rankconst.tables.archive import Tables
    from rankconst.values.affine import Adjusted
    from rankconst.values.constants import Constants


@dataclass(frozen=True, eq=False, repr=False)
class AdjustedValue:
    """A published number with its adjusted forms, chance and counting.

    ``print`` shows the screen of ``rankconst adjust``.

    Attributes
    ----------
    forms : Adjusted
        The value and its adjusted forms, each with the interval that rounding leaves open.
    constants : Constants
        The constants of chance on these ranking tasks.
    counting : float or None
        The expectation of a ranker that only counts training triples, in units of the metric; None
        if it is unknown.
    sentence : str
        The verdict in words.
    """

    forms: Adjusted
    constants: Constants
    counting: float | None
    sentence: str
    _done: Sequence[AdjustedBatch]
    _tables: Tables
    _assumed: Mapping[str, Sequence[str]]
    _full: bool  # True to show all columns

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
        significance = add_significance(self._done[0]).significance
        if not significance or significance[0] is None:
            return None
        return significance[0].probability

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
    """Values typed by hand with their adjusted forms, chance and counting.

    Attributes
    ----------
    done : tuple of AdjustedBatch
        A batch for each value and baseline.
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

    @cached_property
    def _by_index(self) -> dict[int, list[AdjustedBatch]]:
        """The batches of each value, one a baseline, by the value's place."""
        batches: dict[int, list[AdjustedBatch]] = {}
        for batch in self.done:
            batches.setdefault(batch.batch.index, []).append(batch)
        return batches

    def to_pandas(self) -> pd.DataFrame:
        """Return :attr:`table` as a DataFrame (needs pandas)."""
        import pandas as pd

        return pd.DataFrame(self.table)

    def _pick(self, index: int) -> AdjustedValue:
        """Return the value at a place."""
        chance, *others = self._by_index[index]
        floor = find_floor(chance, self._tables)
        return AdjustedValue(
            forms=chance.adjust(),
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
        return self._pick(self.names.index(name))

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
    def __getitem__(self, place: int) -> AdjustedValue: ...
    @overload
    def __getitem__(self, place: slice) -> list[AdjustedValue]: ...
    def __getitem__(self, place: int | slice) -> AdjustedValue | list[AdjustedValue]:
        """Return the value at a place."""
        if isinstance(place, slice):
            return [self._pick(index) for index in range(len(self))[place]]
        return self._pick(range(len(self))[place])

    def __len__(self) -> int:
        return len(self._by_index)
