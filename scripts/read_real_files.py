"""Read real results files, as tools and people wrote them, and write docs/real_files.md: what came of each.

Run: python scripts/read_real_files.py FOLDER. Every file below FOLDER is read and adjusted without any option.
"""

from __future__ import annotations

import argparse
import re
import textwrap
from collections import Counter
from pathlib import Path

from marked import replace_lines

import rankconst
from rankconst.checks.identify.completion import complete_reading
from rankconst.errors import RankconstError
from rankconst.evaluation import Stated
from rankconst.results.adjust import AdjustedReading, adjust_reading

PAGE = Path(__file__).resolve().parents[1] / "docs" / "real_files.md"

# They describe the files.
_DESCRIPTIONS = {"README.md", "PUBLIC.csv"}
_MOST_TASKS = 3
_LONGEST = 140


def list_files(folder: Path) -> list[Path]:
    """Return the results files below a folder."""
    return sorted(path for path in folder.rglob("*") if path.is_file() and path.name not in _DESCRIPTIONS)


def render_lines(folder: Path) -> str:
    """Return a Markdown table with a row for each file."""
    head = ["| file | read as | numbers | adjusted | of | the others |", "|---|---|---:|---:|---|---|"]
    tables = rankconst.load()
    return "\n".join([*head, *(_render(path, folder, tables) for path in list_files(folder))])


def _render(path: Path, folder: Path, tables: rankconst.Tables) -> str:
    name = f"`{path.relative_to(folder).as_posix()}`"
    try:
        reading = rankconst.read_results(path)
    except RankconstError as error:
        return _join(name, "–", "–", "0", "–", f"refused: {_shorten(str(error), path)}")
    heads = [reading.entries.heads[place] for place in reading.entries.head_of]
    numbers = sum(head.adjustment is None and head.metric.optimum is not None for head in heads)
    try:
        completed = complete_reading(reading, tables, Stated())
        adjusted = adjust_reading(completed.reading, tables, Stated())
    except RankconstError as error:
        return _join(name, reading.form, f"{numbers:,}", "0", "–", f"refused: {_shorten(str(error), path)}")
    done = int((adjusted.batch_of >= 0).sum())
    return _join(name, reading.form, f"{numbers:,}", f"{done:,}", _list_tasks(adjusted), _list_reasons(adjusted, path))


def _list_tasks(adjusted: AdjustedReading) -> str:
    tasks = dict.fromkeys(f"{each.batch.tasks}" for each in adjusted.done)
    more = len(tasks) - _MOST_TASKS
    return ", ".join(list(tasks)[:_MOST_TASKS]) + (f" and {more} more" if more > 0 else "") or "–"


def _list_reasons(adjusted: AdjustedReading, path: Path) -> str:
    """Return why numbers were not adjusted, the commonest reason first."""
    lacking = (note for place, note in adjusted.notes.items() if adjusted.batch_of[place] < 0)
    counts = Counter(_shorten(note, path) for note in lacking)
    reasons = [f"{count:,}: {reason}" for reason, count in counts.most_common(2)]
    skipped = len(adjusted.reading.skipped)
    return "; ".join([*reasons, *([f"notes on what was left out: {skipped:,}"] if skipped else [])]) or "–"


def _shorten(text: str, path: Path) -> str:
    """Return the beginning of a message, without the file's own name."""
    text = re.sub(r"\s+", " ", text.replace(f"{path}: ", "").replace(str(path), path.name)).replace("|", "\\|")
    return textwrap.shorten(text, _LONGEST, placeholder=" ...")


def _join(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folder", type=Path, help="folder of results files")
    replace_lines(PAGE, "files", render_lines(parser.parse_args().folder))


if __name__ == "__main__":
    main()
