"""Every adjusted number of the real files, kept to the last bit in ``results/recorded_run.parquet``.

``python tests/record_run.py`` shows how the code differs from the record; with ``--write`` it is
written anew. A number is known by its file, the options, its line, metric, text and rank type, in
whatever order and rows a reader has it.
"""

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from rankconst.adjusting import ENDS, FORMS, fill_columns
from rankconst.results.adjusted import AdjustedReading
from rankconst.tasks import Tasks
from real_files import RESULTS, adjust_file, find_reference, read_rows

RECORD = RESULTS / "recorded_run.parquet"
FLOATS = (*(f"{form}{end}" for form in FORMS for end in ENDS), "expectation", "variance")
_TEXT = pa.dictionary(pa.int32(), pa.string())
SCHEMA = pa.schema(
    [
        *((name, _TEXT) for name in ("file", "options")),
        ("line", pa.int32()),
        *((name, _TEXT) for name in ("metric", "text", "rank_type")),
        *((name, _TEXT) for name in ("dataset", "split", "side", "protocol", "aggregation")),
        ("relations", _TEXT),
        ("num_tasks", pa.int64()),
        *((name, pa.float64()) for name in FLOATS),
        ("table_version", _TEXT),
    ]
)


class Place(NamedTuple):
    """Which number of which run."""

    file: str
    options: str
    line: int | None
    metric: str
    text: str
    rank_type: str | None


class Number(NamedTuple):
    """What became of it."""

    dataset: str
    split: str
    side: str
    protocol: str
    aggregation: str
    relations: str
    num_tasks: int
    floats: tuple[str, ...]  # in hexadecimal, which is exact
    table_version: str

    @property
    def tasks(self) -> str:
        """The address, as the contract has it."""
        relations = tuple(self.relations.split("\t")) if self.relations else ()
        return str(
            Tasks(self.dataset, self.protocol, self.split, self.side, self.aggregation, relations)
        )

    @property
    def address(self) -> tuple[object, ...]:
        """All that names its tasks."""
        return self[: self._fields.index("floats")]


Run = dict[Place, list[Number]]


@dataclass
class Differences:
    """Numbers before and now; those of another address may be of a file that was wrong about it."""

    moved: list[tuple[Place, Number, Number]] = field(default_factory=list)
    changed: list[tuple[Place, Number, Number]] = field(default_factory=list)
    gone: list[tuple[Place, Number]] = field(default_factory=list)
    new: list[tuple[Place, Number]] = field(default_factory=list)


def record_run(reference: Path) -> Run:
    """Adjust all files that are at hand, without options and with those of the contract."""
    run: Run = defaultdict(list)
    for row in read_rows():
        path = row.find(reference)
        for options in row.runs if path.is_file() else ():
            adjusted = adjust_file(path, options)
            for place, number in _list_numbers(adjusted) if adjusted else ():
                run[place._replace(file=row.file, options=options)].append(number)
    return run


def _list_numbers(adjusted: AdjustedReading) -> Iterator[tuple[Place, Number]]:
    entries = adjusted.reading.entries
    for each in adjusted.done:
        size = each.published.index.size
        alone = replace(each.published, index=np.arange(size), where=None)
        filled = fill_columns(size, [replace(each, published=alone)])
        floats = np.column_stack([filled[name] for name in FLOATS])
        tasks, constants = each.published.tasks, each.constants
        names = (
            tasks.dataset, tasks.split, tasks.side, tasks.protocol, tasks.aggregation,
            "\t".join(tasks.relations),
        )  # fmt: skip
        for at, numbers in zip(each.published.index.tolist(), floats.tolist(), strict=True):
            entry, found = entries[at], tuple(map(float.hex, numbers))
            place = Place(
                "", "", entry.line, entry.metric.label, entry.text, entry.context.rank_type
            )
            yield place, Number(*names, constants.num_tasks, found, constants.table_version)


def write_run(run: Run) -> None:
    """Write the record, in an order of its own."""
    rows = [
        {
            **place._asdict(),
            **number._asdict(),
            **dict(zip(FLOATS, map(float.fromhex, number.floats), strict=True)),
        }
        for place, numbers in sorted(run.items(), key=lambda item: str(item[0]))
        for number in sorted(numbers)
    ]
    texts = [each.name for each in SCHEMA if each.type == _TEXT]
    pq.write_table(
        pa.Table.from_pylist([{name: row[name] for name in SCHEMA.names} for row in rows], SCHEMA),
        RECORD,
        compression="zstd",
        compression_level=19,
        use_dictionary=texts,  # type: ignore[arg-type]  # the stubs know of no names
        use_byte_stream_split=list(FLOATS),  # type: ignore[arg-type]  # nor here
    )


def read_run() -> Run:
    """Read the record."""
    run: Run = defaultdict(list)
    for row in pq.read_table(RECORD).to_pylist():
        row["floats"] = tuple(float.hex(row[name]) for name in FLOATS)
        place, number = (
            [row[name] for name in fields] for fields in (Place._fields, Number._fields)
        )
        run[Place(*place)].append(Number(*number))
    return run


def compare(before: Run, now: Run) -> Differences:
    """Tell what became of each number: those of one place are paired by their addresses, then in
    their order.
    """
    found = Differences()
    for place in sorted(before.keys() | now.keys(), key=str):
        then, today = (
            Counter(each._replace(table_version="") for each in run.get(place, ()))
            for run in (before, now)
        )
        gone, new = sorted((then - today).elements()), sorted((today - then).elements())
        for number in [*new]:
            same = next((each for each in gone if each.address == number.address), None)
            if same is not None:
                found.changed.append((place, same, number))
                gone.remove(same)
                new.remove(number)
        paired = [*zip(gone, new, strict=False)]
        found.moved += [(place, *pair) for pair in paired]
        found.gone += [(place, number) for number in gone[len(paired) :]]
        found.new += [(place, number) for number in new[len(paired) :]]
    return found


def list_untrue(run: Run) -> dict[tuple[str, str], Counter[str]]:
    """Return the addresses that the contract does not have, or not as often, by file and options."""
    truth = {row.file: row.tasks for row in read_rows()}
    found: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for (file, options, *_), numbers in run.items():
        found[file, options].update(number.tasks for number in numbers)
    return {key: counts - truth[key[0]] for key, counts in found.items()}


def main() -> None:
    """Show the differences, or write the record."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--write", action="store_true", help="write the record")
    parser.add_argument(
        "--reference", type=Path, default=find_reference(), help="folder of the files"
    )
    given = parser.parse_args()
    run = record_run(given.reference)
    if given.write:
        write_run(run)
        return
    for name, found in vars(compare(read_run(), run)).items():
        print(f"{name}: {len(found):,}")
        for place, *numbers in found:
            print("  ", *place, "->".join(f" {number.tasks} " for number in numbers))


if __name__ == "__main__":
    main()
