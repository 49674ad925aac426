"""Logs of each tool, with what they say worked out by hand: ``results/logs/samples/TOOL.txt``.

A line of what is expected has line, split, side, protocol and step, and the numbers with their
metrics. Line shapes are those of the tools' own printing code; values are from the tools' pages
(RotatE on FB15k-237, DGL-KE's TransE_l2 on FB15k) or made up.
"""

from pathlib import Path
from typing import NamedTuple

from rankconst.results.reading import Reading


class Sample(NamedTuple):
    text: str
    expected: str


def describe(reading: Reading, *, asked: bool = False) -> list[str]:
    """Return what a log was read as, with the words or fields that are `asked` about."""
    lines: dict[str, list[str]] = {}
    for entry in reading.entries:
        about, step = entry.context, reading.rows[entry.row].get("step")
        fields = (entry.line, about.split, about.side, about.protocol, step)
        head = " ".join(str(field or "-") for field in fields)
        words = sorted({ask.word or ask.field for ask in about.questions})
        if asked and words:
            head += f" ({', '.join(words)})"
        lines.setdefault(head, []).append(f"{entry.metric.label} {entry.text}")
    return [f"{head}: {', '.join(numbers)}" for head, numbers in lines.items()]


def _read_samples() -> dict[str, list[Sample]]:
    found: dict[str, list[Sample]] = {}
    paths = (Path(__file__).parent / "results" / "logs" / "samples").glob("*.txt")
    for path in sorted(paths, key=lambda path: path.stem):
        text, _, expected = path.read_text(encoding="utf-8").partition("----- is read as\n")
        found.setdefault(path.name.partition(".")[0], []).append(Sample(text, expected))
    return found


SAMPLES = _read_samples()
"""Key of a format to its samples, the usual one first."""
