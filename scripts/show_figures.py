"""Write figures that other scripts keep as JSON into tests/robustness.md: of attacks, fuzzing and platforms.

Run: python scripts/show_figures.py
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from marked import replace_lines

ROOT = Path(__file__).resolve().parents[1]
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
    "hostile": Section(
        "Hostile inputs",
        "scripts/attack.json",
        ("class", "tried", "refused", "accepted", "failures", "found", "mended"),
        "[scripts/attack.py](../scripts/attack.py) throws inputs that are damaged, strange or meant to do harm at the\n"
        "command line, and machines that lack something. Each ends in an error with its exit code, in what a signal\n"
        "asks for, or is accepted, as where the command does not need what is damaged. A failure is a traceback, a\n"
        "crash, an error without a message, a temporary file, a file in another folder, something damaged that is\n"
        "taken for whole, other numbers than those of a plain file, or more than a minute or 1.5 GB. *Found* are the\n"
        "most failures of an attack in that class.",
    ),
    "fuzzing": Section(
        "Fuzzing",
        "fuzz/figures.json",
        ("target", "executions", "accepted", "seconds", "processor", "failures"),
        "[fuzz/run.py](../fuzz/run.py) feeds every reader inputs that follow the lines of code that they reach\n"
        "(atheris). Only the project's own errors may come out, within ten seconds of the processor. The last run of\n"
        "each target, with seconds by the clock, and of the processor where they were counted; its failures have been\n"
        "mended since, and their inputs are tests.",
    ),
    "platforms": Section(
        "Platforms",
        "scripts/platforms.json",
        ("platform", "tables that differ", "numbers", "largest difference", "of the stated errors"),
        "[scripts/compare_platforms.py](../scripts/compare_platforms.py) builds five benchmarks, baselines\n"
        "included, with the newest dependencies, with the oldest that are allowed, and with one and two threads.\n"
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
