"""What files of tools and people hold, read by eye in ``results/real_files.csv``, and what the code makes of them.

A row is a file of the folder ``reference``, which is not in this repository, or of
``results/files`` (``tests/...``).

``tasks``    the truth: the address and number of the values of metrics; - where the tables hold
             none. Adjusted values do not count, nor values of parts of a split.
``options``  the options that say what the file leaves open; | stands between runs if the numbers
             need several.
``asks``     of numbers that need an option: ``vain`` where labels, names or the tool's format say
             what the option says, else ``rightly``.

The other columns count what the code makes of the numbers. Adjusted with the right tasks are
``right`` without an option and ``asked`` with one; adjusted with wrong tasks are ``silent`` without
an option and ``misled`` with one. All that are not ``right``, ``asked`` or ``silent`` count as
refused. ``docs/scripts/read_real_files.py`` counts them anew.
"""

import csv
import os
import shlex
from collections import Counter
from dataclasses import dataclass
from functools import cache, reduce
from pathlib import Path
from typing import Any

import rankconst
from rankconst.errors import RankconstError
from rankconst.results.adjusted import AdjustedReading

RESULTS = Path(__file__).parent / "results"
CONTRACT = RESULTS / "real_files.csv"
COUNTS = ("right", "asked", "silent", "misled")
CATEGORIES = ("right", "asked rightly", "asked in vain", "silent", "refused", "misled")
# They describe the files.
_DESCRIPTIONS = {"README.md", "PUBLIC.csv"}
_FAMILIES = {"markdown": "tables", "latex": "tables", "pykeen_results": "pykeen"}


def find_mirror() -> Path:
    """Return the folder with copies of the benchmarks' files, which need not be there."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "mirror"
    return Path(os.environ.get("RANKCONST_MIRROR") or beside)


def find_reference() -> Path:
    """Return the folder with published results, which need not be there."""
    return find_mirror().parent / "reference"


@dataclass(frozen=True)
class Row:
    """A file: what it holds, and how many of its numbers are right, asked and silent."""

    file: str
    cells: dict[str, str]

    @property
    def tasks(self) -> Counter[str]:
        """The truth: address to number of values."""
        pairs = (each.rpartition(":") for each in self.cells["tasks"].split("; "))
        return Counter({address: int(count) for address, _, count in pairs})

    @property
    def runs(self) -> tuple[str, ...]:
        """The options of each run; the first has none."""
        return ("", *filter(None, map(str.strip, self.cells["options"].split("|"))))

    @property
    def family(self) -> str:
        """The kind of the file, by its folder."""
        folder = self.file.removeprefix("tests/").partition("/")[0]
        return _FAMILIES.get(folder, folder)

    @property
    def is_ours(self) -> bool:
        """True for a sample of this repository."""
        return self.file.startswith("tests/")

    def find(self, reference: Path) -> Path:
        """Return where the file is."""
        if self.is_ours:
            return RESULTS / "files" / self.file.removeprefix("tests/")
        return reference / ("" if self.file.startswith("pykeen_results/") else "real") / self.file

    def count(self) -> dict[str, int]:
        """Return the number of values by category."""
        right, asked, silent, misled = (int(self.cells[name]) for name in COUNTS)
        vain = asked if self.cells["asks"] == "vain" else 0
        refused = self.tasks.total() - right - asked - silent
        return dict(
            zip(CATEGORIES, (right, asked - vain, vain, silent, refused, misled), strict=True)
        )

    def judge(self, reference: Path) -> dict[str, int]:
        """Return what the code makes of the file now."""
        path = self.find(reference)
        found = [count_tasks(adjust_file(path, options)) for options in self.runs]
        true = [each & self.tasks for each in found]
        silent, *misled = ((each - self.tasks).total() for each in found)
        right, best = true[0].total(), reduce(Counter.__or__, true).total()
        counts = (right, max(0, best - right - silent), silent, max(misled, default=0))
        return dict(zip(COUNTS, counts, strict=True))


def read_rows() -> list[Row]:
    """Return the rows of the contract."""
    with CONTRACT.open(encoding="utf-8", newline="") as file:
        return [Row(cells["file"], cells) for cells in csv.DictReader(file)]


def list_files(reference: Path) -> set[str]:
    """Return the names of all results files at hand, as the contract has them."""
    ours, real = RESULTS / "files", reference / "real"
    roots = (
        (ours, "tests/", ours),
        (real, "", real),
        (reference / "pykeen_results", "", reference),
    )
    return {
        prefix + path.relative_to(base).as_posix()
        for folder, prefix, base in roots
        for path in folder.rglob("*")
        if path.is_file() and path.name not in _DESCRIPTIONS
    }


@cache
def adjust_file(path: Path, options: str = "") -> AdjustedReading | None:
    """Adjust a file with the options of a command line; None if it is refused."""
    names = shlex.split(options)
    stated: dict[str, Any] = {
        name.removeprefix("--"): value for name, value in zip(names[::2], names[1::2], strict=True)
    }
    stated |= {name: stated[name].split(",") for name in stated.keys() & {"accept"}}
    try:
        adjusted: AdjustedReading = rankconst.adjust(path, **stated).numbers
    except RankconstError:
        return None
    return adjusted


def count_tasks(adjusted: AdjustedReading | None) -> Counter[str]:
    """Return how many numbers were adjusted on which ranking tasks."""
    found: Counter[str] = Counter()
    for each in adjusted.done if adjusted else ():
        found[str(each.published.tasks)] += each.published.index.size
    return found
