"""Constants as long tables that other tools read, one row a number.

A format is a row of :data:`FORMATS`: it says which columns there are and turns tables into rows. How rows become a file
is decided by the ending of its name: :mod:`rankconst.tables.encode`. A new format is a new row.

References
----------
The format ``pykeen`` has the columns, keys, order and file name of what PyKEEN's ``expected-metrics`` writes
(``metric_adjustments.tsv.gz``, deposited as doi:10.5281/zenodo.6331629). Its values are ours: PyKEEN's are of one
candidate too few.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rankconst.catalogue.benchmarks import pykeen_keys
from rankconst.catalogue.metrics import CATALOGUE, Metric
from rankconst.catalogue.names import resolve_name
from rankconst.catalogue.protocols import LINK_SIDES, SPLITS, parse_protocol
from rankconst.errors import UnknownNameError, UsageError
from rankconst.tables.encode import ENCODERS
from rankconst.tables.schema import COLUMNS, schema_of
from rankconst.tasks import Tasks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import PurePath

    import pyarrow as pa

    from rankconst.tables.tables import Tables

    Rows = list[tuple[Any, ...]]


PYKEEN_SPLITS = {"train": "training", "valid": "validation", "test": "testing"}
"""Our name of a split to PyKEEN's."""

# What PyKEEN's table lacks is to the right, where a script that does not know of it is not disturbed.
_VALUES = ("variance", "expectation_error", "variance_error", "num_tasks")
_PYKEEN_COLUMNS = ("dataset", "metric", "side", "split", "value", *_VALUES, "protocol", "table_version")


@dataclass(frozen=True, slots=True)
class ExportFormat:
    """A layout of the constants."""

    key: str  # its name
    summary: str  # one sentence for users
    columns: tuple[str, ...]  # the names of the columns, in their order
    suffixes: tuple[str, ...]  # the endings that a file of it may have; the first is that of what is printed
    # The evaluation protocol that it is of by default; None for a format that holds those of all.
    protocol: str | None
    sorted_by: int  # by how many leading columns the rows are sorted; 0 for the order of the tables
    # ``collect(tables, dataset, protocol)``: the rows of a dataset, given by its key, under a protocol (None: under
    # all). No rows if the tables hold none.
    collect: Callable[[Tables, str, str | None], Rows]


def _pykeen_metrics(num_entities: int) -> list[Metric]:
    # PyKEEN's own list of k, which goes on beyond the number of entities, where every ranker gets 1: a script that asks
    # for any of them shall find it.
    ks = (1, 3, 5, 10, *(10**power for power in range(2, math.ceil(math.log(num_entities)))))
    rows = [row for row in CATALOGUE.values() if row.in_pykeen_table]
    return [metric for row in rows for metric in (map(row.at, ks) if row.takes_k else [row])]


def _collect_pykeen(tables: Tables, dataset: str, protocol: str | None) -> Rows:
    if protocol is None:
        raise UsageError("format pykeen names no protocol in its key columns: export one protocol at a time.")
    splits = [split for split in SPLITS if tables.sides(Tasks(dataset, protocol, split))]
    if not splits:
        return []
    entities = tables.datasets[dataset]["entities_train"]
    if entities is None:  # ranked among sampled negatives: nothing but their number is known
        entities = int(tables.histogram(Tasks(dataset, protocol, splits[0])).num_candidates.max())
    name = pykeen_keys().get(dataset, dataset)
    looked_up = [
        tables.look_up(Tasks(dataset, protocol, split, side), metric)
        for metric in _pykeen_metrics(entities)
        for side in LINK_SIDES
        for split in splits
    ]
    return [
        (
            name,
            constants.metric.key,
            constants.tasks.side,
            PYKEEN_SPLITS[constants.tasks.split],
            constants.expectation,
            *(getattr(constants, each) for each in _VALUES),
            constants.tasks.protocol,
            constants.table_version,
        )
        for constants in looked_up
    ]


def _collect_long(tables: Tables, dataset: str, protocol: str | None) -> Rows:
    stored = tables.read("constants", dataset)
    names = [column.name for column in COLUMNS["constants"]]
    place = names.index("protocol")
    columns = [stored.column(name).to_pylist() for name in names]
    rows = zip(*columns, itertools.repeat(tables.version), strict=False)
    return [row for row in rows if protocol in {None, row[place]}]


FORMATS: dict[str, ExportFormat] = {
    form.key: form
    for form in (
        ExportFormat(
            key="pykeen",
            summary="PyKEEN's table of expected values, with variances and errors to the right of its columns.",
            columns=_PYKEEN_COLUMNS,
            suffixes=(".tsv", ".tsv.gz"),
            protocol="pykeen",
            sorted_by=4,
            collect=_collect_pykeen,
        ),
        ExportFormat(
            key="long",
            summary="Every row and column of our table of constants.",
            columns=(*(column.name for column in COLUMNS["constants"]), "table_version"),
            suffixes=(".csv", ".csv.gz", ".tsv", ".tsv.gz", ".parquet"),
            protocol=None,
            sorted_by=0,
            collect=_collect_long,
        ),
    )
}
"""The formats, by name."""


def parse_format(name: str) -> ExportFormat:
    """Read a format's name."""
    try:
        return FORMATS[resolve_name("format", name, dict.fromkeys(FORMATS, ()))]
    except UnknownNameError as error:
        # A wrong --format is a wrong option, here as in every other command.
        raise UsageError(str(error)) from None


def suffix_of(form: ExportFormat, path: PurePath) -> str:
    """Return the ending of a file's name, which says how its content is written."""
    for suffix in sorted(form.suffixes, key=len, reverse=True):
        if path.name.lower().endswith(suffix):
            return suffix
    raise UsageError(f"a file of format {form.key} must end in {', '.join(form.suffixes)}; got {path.name!r}.")


def export_rows(
    tables: Tables, form: ExportFormat, datasets: Iterable[str] | None = None, protocol: str | None = None
) -> Rows:
    """Turn tables into the rows of a format."""
    wanted = form.protocol if protocol is None else parse_protocol(protocol).key
    named = None if datasets is None else list(dict.fromkeys(map(tables.resolve_dataset, datasets)))
    found = {key: form.collect(tables, key, wanted) for key in (tables.datasets if named is None else named)}
    lacking = [key for key, rows in found.items() if not rows]
    if (named and lacking) or len(lacking) == len(found):
        what = f"constants of {', '.join(lacking)}" if named else "constants"
        where = f" under protocol {wanted}" if wanted else ""
        raise UnknownNameError(f"the tables ({tables.version}) hold no {what}{where}.")
    rows = [row for part in found.values() for row in part]
    return sorted(rows, key=lambda row: row[: form.sorted_by])


def _schema(columns: Sequence[str]) -> pa.Schema:
    """Return the types of columns of ours; others hold text."""
    import pyarrow as pa

    stored = schema_of("constants")
    return pa.schema([stored.field(name) if name in stored.names else pa.field(name, pa.string()) for name in columns])


def encode(form: ExportFormat, rows: Rows, suffix: str) -> bytes:
    """Return the content of a file of a format, from at least one row and one of the format's endings."""
    columns = dict(zip(form.columns, map(list, zip(*rows, strict=True)), strict=True))
    blocks = ENCODERS[suffix](columns, _schema(form.columns) if suffix == ".parquet" else None)
    return b"".join(block.encode() if isinstance(block, str) else block for block in blocks)
