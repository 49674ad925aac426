"""Sets of tables that are in memory, and several sets as one."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from rankconst.arrow import join_texts
from rankconst.names import join_versions
from rankconst.tables.archive import Tables
from rankconst.tables.parquet import select_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import pyarrow as pa

    from rankconst.catalogue.metrics import Metric
    from rankconst.doubles import Moments
    from rankconst.tasks import Tasks


@dataclass(frozen=True, repr=False)
class TablesInMemory(Tables):
    """A set of tables in memory. Each table is made when it is first read."""

    make: Mapping[str, Callable[[], pa.Table]] = field(default_factory=dict, compare=False)
    _made: dict[str, pa.Table] = field(default_factory=dict, init=False, compare=False)

    def _read(
        self, name: str, columns: tuple[str, ...], dataset: str | None = None, **how: Any
    ) -> pa.Table:
        """Read columns of a table."""
        if name not in self._made:
            self._made[name] = self.make[name]()

        keys = {"dataset": dataset, "baseline": how.get("baseline")}
        given = {column: key for column, key in keys.items() if key is not None}
        table = select_rows(self._made[name], given).select(columns)
        for column in how.get("coded", ()):
            index = table.schema.get_field_index(column)
            table = table.set_column(index, column, table[column].dictionary_encode())

        return table

    def _find_moments(self, tasks: Tasks, metric: Metric) -> Moments | None:
        # It takes longer to make the table of constants than to compute one of them.
        return super()._find_moments(tasks, metric) if "constants" in self._made else None


@dataclass(frozen=True, repr=False)
class JoinedTables(Tables):
    """Several sets as one. A dataset is taken from the first set that holds it.

    Ranking tasks that this set lacks, such as those of another protocol, are taken from the first
    set that has them.
    """

    sets: tuple[Tables, ...] = ()

    @property
    def _index(self) -> bytes:
        return b""  # each set has its own

    @property
    def version(self) -> str:
        """The versions of the sets."""
        return join_versions(single.version for single in self.sets)

    @cached_property
    def _homes(self) -> dict[str, Tables]:
        """The set of each dataset."""
        return {key: single for single in reversed(self.sets) for key in single.titles}

    def set_of(self, dataset: str) -> Tables:
        """Return the set that a dataset, given by its key, is from."""
        return self._homes.get(dataset, self.sets[0])

    def describe(self, dataset: str) -> Mapping[str, Any]:
        """Return title, citation and sizes of a dataset, given by its key."""
        return self.set_of(dataset).describe(dataset)

    def set_for(self, tasks: Tasks) -> Tables:
        """Return the first set with some tasks, or else with their dataset."""
        if self.find_suite(tasks.dataset) is not None:  # its graphs may be of several sets
            return self
        for single in self.sets:
            if tasks.dataset in single.titles and single.holds(tasks):
                return single
        return self.set_of(tasks.dataset)

    def protocols(self, dataset: str) -> tuple[str, ...]:
        """Return the protocols of a dataset in any set."""
        if self.find_suite(dataset) is not None:
            return super().protocols(dataset)
        sets = (single for single in self.sets if dataset in single.titles)
        keys = itertools.chain.from_iterable(single.protocols(dataset) for single in sets)
        return tuple(dict.fromkeys(keys))

    def _read(
        self, name: str, columns: tuple[str, ...], dataset: str | None = None, **how: Any
    ) -> pa.Table:
        """Read columns of a table, of one dataset or of all."""
        if dataset is not None:
            return self.set_of(dataset)._read(name, columns, dataset, **how)

        import pyarrow as pa
        import pyarrow.compute as pc

        parts = []
        for single in self.sets:
            keys = join_texts([key for key, home in self._homes.items() if home is single])
            table = single._read(name, tuple(dict.fromkeys(("dataset", *columns))), **how)
            parts.append(table.filter(pc.is_in(table["dataset"], value_set=keys)).select(columns))

        return pa.concat_tables(parts)


def join_tables(sets: Sequence[Tables]) -> Tables:
    """Return several sets as one. A dataset is taken from the first set that holds it."""
    first = sets[0]
    if len(sets) == 1:
        return first
    return JoinedTables(first.path, first.descriptor, first.folder, first.place, sets=tuple(sets))
