"""Count what comes of real results files, from tests/results/real_files.csv.

Run: python docs/scripts/read_real_files.py [FOLDER]. With the folder of the files, they are counted
anew first.
"""

from __future__ import annotations

import argparse
import csv
import sys
from pathlib import Path

from marked import replace_lines

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests"))

# It is in the folder that was added above.
from real_files import CATEGORIES, CONTRACT, Row, read_rows  # noqa: E402

PAGE = ROOT / "tests" / "results" / "real_files.md"


def render_totals(rows: list[Row]) -> str:
    """Return a table of numbers and files, by family and category."""
    head = [
        f"| family | files | {' | '.join(CATEGORIES)} |",
        f"|---|{'---:|' * (1 + len(CATEGORIES))}",
    ]
    for family in (*sorted({row.family for row in rows}), "all"):
        counts = [row.count() for row in rows if family in {row.family, "all"}]
        cells = (
            f"{sum(each[name] for each in counts):,} in {sum(each[name] > 0 for each in counts)}"
            for name in CATEGORIES
        )
        head.append(f"| {family} | {len(counts)} | {' | '.join(cells)} |")
    return "\n".join(head)


def render_files(rows: list[Row]) -> str:
    """Return a table with a row for each file."""
    head = [
        f"| file | {' | '.join(CATEGORIES)} | option | why |",
        f"|---|{'---:|' * len(CATEGORIES)}---|---|",
    ]
    return "\n".join([*head, *map(_render, rows)])


def _render(row: Row) -> str:
    options = ", ".join(f"`{options}`" for options in row.runs[1:])
    counts = " | ".join(f"{count:,}" for count in row.count().values())
    return f"| `{row.file}` | {counts} | {options} | {row.cells['why']} |"


def main() -> None:
    """Write the page, and the counts before that."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument(
        "folder", type=Path, nargs="?", help="folder reference, with real and pykeen_results"
    )
    folder = parser.parse_args().folder
    rows = read_rows()
    if folder:
        for row in rows:
            row.cells.update({name: str(count) for name, count in row.judge(folder).items()})
        with CONTRACT.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, rows[0].cells, lineterminator="\n")
            writer.writeheader()
            writer.writerows(row.cells for row in rows)
    print(render_totals(rows))
    replace_lines(PAGE, "totals", render_totals(rows))
    replace_lines(PAGE, "files", render_files(rows))


if __name__ == "__main__":
    main()
