"""What Python gets of numbers typed by hand: each with what it is worth."""

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
        """Each value, by its place among those that were typed, under each baseline."""
        found: dict[int, list[AdjustedBatch]] = {}
        for each in self.done:
            found.setdefault(each.batch.index, []).append(each)
        return found

    def to_pandas(self) -> pd.DataFrame:
        """Return :attr:`table` as a DataFrame (needs pandas)."""
        import pandas as pd

        return pd.DataFrame(self.table)

    def _pick(self, index: int) -> AdjustedValue:
        """Return what a value is worth, by its place among those that were typed."""
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
        return len(self._by_index)
