"""Files of tools and people, as they are: what each holds, read by eye and written down in ``real_files.csv``.

They are in the folder ``reference/real`` next to the mirror of the benchmarks, and not in this repository. The first
and the last number of each are given: line, dataset, split, side, protocol, step, metric, value, - where the file does
not say; or the refusal, without a format.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rankconst.errors import DataError
from rankconst.results.formats import read_results

if TYPE_CHECKING:
    from rankconst.results.reading import Entry, Reading

with Path(__file__).with_name("real_files.csv").open(encoding="utf-8", newline="") as file:
    FILES = {row["file"]: row for row in csv.DictReader(file)}


def _show(reading: Reading, entry: Entry) -> str:
    about, step = entry.context, reading.rows[entry.row].get("step")
    said = (entry.line, about.dataset, about.split, about.side, about.protocol, step, entry.metric.label, entry.text)
    return " ".join(str(each or "-") for each in said)


@pytest.mark.parametrize("name", FILES)
def test_a_real_file_is_read_as_its_lines_say(name: str, reference: Path) -> None:
    path, expected = reference / "real" / name, FILES[name]
    if not path.is_file():
        pytest.skip(f"no file {path}")
    if not expected["format"]:
        with pytest.raises(DataError) as caught:
            read_results(path)
        assert expected["first"] in str(caught.value)
        return
    reading = read_results(path)
    found = {
        "file": name,
        "format": reading.form,
        "tool": " ".join(sorted({entry.context.tool or reading.tool or "-" for entry in reading.entries})),
        "numbers": str(len(reading.entries)),
        "left_out": str(len(reading.skipped)),
        "first": _show(reading, reading.entries[0]),
        "last": _show(reading, reading.entries[-1]),
    }
    assert found == expected
