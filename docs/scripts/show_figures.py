"""Write figures that other scripts keep as JSON into tests/robustness.md: of attacks, fuzzing and platforms.

Run: python docs/scripts/show_figures.py
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from marked import replace_lines

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "tests" / "robustness.md"


@dataclass(frozen=True)
class Section:
    """A table of the page: which figures it shows, and what they mean."""

    title: str
    figures: str  # a JSON file with a list of rows, from the root of the project
    columns: tuple[str, ...]
    text: str

    def render(self) -> str:
        """Return the section as Markdown; empty without figures."""
        file = ROOT / self.figures
        if not file.is_file():
            return ""
        rows: list[dict[str, Any]] = json.loads(file.read_text(encoding="utf-8"))
        first, *others = self.columns
        lines = [
            f"| {' | '.join(self.columns)} |",
            f"|---|{'---:|' * len(others)}",
            *(f"| {' | '.join([f'`{row[first]}`', *(_show(row.get(name)) for name in others)])} |" for row in rows),
        ]
        return "\n".join([f"## {self.title}", "", self.text, "", *lines])


def _show(value: Any) -> str:
    return "–" if value is None else f"{value:,}" if isinstance(value, int) else str(value)


SECTIONS = {
    "fuzzing": Section(
        "Fuzzing",
        "tests/fuzz/figures.json",
        ("target", "executions", "accepted", "seconds", "processor", "failures"),
        "[tests/fuzz/run.py](../tests/fuzz/run.py) feeds every reader inputs that follow the lines of code that\n"
        "they reach (atheris). Only the project's own errors may come out, within ten seconds of the processor. The\n"
        "last run of each target, with seconds by the clock, and of the processor where they were counted; its\n"
        "failures have been mended since, and their inputs are tests.",
    ),
    "platforms": Section(
        "Platforms",
        "tests/benchmarks/platforms.json",
        ("platform", "tables that differ", "numbers", "largest difference", "of the stated errors"),
        "[compare_platforms.py](benchmarks/compare_platforms.py) builds five benchmarks, baselines included,\n"
        "with the newest dependencies, with the oldest that are allowed, and with one and two threads.\n"
        "Histograms are equal everywhere. Constants may differ in their last digits, and stay within the errors that\n"
        "they state: the largest difference is given relative to the number, and relative to the sum of both errors.",
    ),
}


def main() -> None:
    """Write the page."""
    for mark, section in SECTIONS.items():
        replace_lines(PAGE, mark, section.render())


if __name__ == "__main__":
    main()
