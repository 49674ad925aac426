"""The same labelled numbers and texts in each container that results come in, and the address of
each number there.
"""

import json
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

import rankconst
from rankconst.errors import RankconstError
from rankconst.results.frame import read_given
from rankconst.tasks import Tasks
from readings import escape_latex, write_csv, write_latex, write_markdown

openpyxl, pd = (
    pytest.importorskip(name, reason=f"needs {name}") for name in ("openpyxl", "pandas")
)


METRICS = ("MRR", "Hits@10")
VALUES = {"TransE": (0.294, 0.465), "RotatE": (0.338, 0.533)}
FIRST = ("TransE", "MRR")
"""Model and metric of the first number."""


@dataclass(frozen=True)
class Numbers:
    """The numbers of :data:`VALUES`, with labels in columns and texts at some of :data:`PLACES`.

    A text in a cell, a name or the heading of a column is that of the first row or metric: it is
    about `FIRST`.
    """

    labels: Mapping[str, str] = field(default_factory=dict)  # heading to a label, that of every row
    texts: Mapping[str, str] = field(default_factory=dict)

    @property
    def headings(self) -> list[str]:
        """The headings of all columns."""
        text = self.texts.get("column")
        first = f"{METRICS[0]} ({text})" if text else METRICS[0]
        return [
            "Model",
            *self.labels,
            first,
            *METRICS[1:],
            *(["Note"] if "cell" in self.texts else []),
        ]

    @property
    def rows(self) -> list[list[Any]]:
        """The cells of each row."""
        name, note = self.texts.get("name"), self.texts.get("cell")
        rows = [
            [f"{model} ({name})" if name and not place else model, *self.labels.values(), *values]
            for place, (model, values) in enumerate(VALUES.items())
        ]
        return [[*row, "-" if place else note] if note else row for place, row in enumerate(rows)]

    @property
    def grid(self) -> list[list[Any]]:
        """The headings, the name of a group of rows if it has one, and the rows."""
        group = self.texts.get("group")
        return [
            self.headings,
            *([[group, *[""] * (len(self.headings) - 1)]] if group else []),
            *self.rows,
        ]


def _join(*parts: str) -> str:
    return "\n\n".join(filter(None, parts)) + "\n"


def _place(form: str, text: str | None) -> str:
    return form.format(text) if text else ""


def _write_markdown(numbers: Numbers) -> str:
    """A caption is a paragraph above the table, as in most pages."""
    texts = numbers.texts
    return _join(
        _place("# {}\n\n## Results", texts.get("farther")),
        _place("## {}", texts.get("heading")),
        texts.get("above", ""),
        texts.get("caption", ""),
        write_markdown(numbers.grid),
        texts.get("below", ""),
    )


def _write_latex(numbers: Numbers) -> str:
    texts = {place: escape_latex(text) for place, text in numbers.texts.items()}
    table = [
        r"\begin{table}",
        _place(r"\caption{{{}}}", texts.get("caption")) or r"\centering",
        write_latex([numbers.headings, *numbers.rows], group=numbers.texts.get("group", "")),
        texts.get("below", "") + r"\end{table}",
    ]
    return _join(
        _place("\\section{{{}}}\n\n\\subsection{{Results}}", texts.get("farther")),
        _place(r"\subsection{{{}}}", texts.get("heading")),
        texts.get("above", ""),
        "\n".join(table),
    )


def _make_object(numbers: Numbers) -> dict[str, Any]:
    texts = numbers.texts
    names = {"caption": "caption", "above": "description", "heading": "title", "below": "note"}
    rows = [dict(zip(numbers.headings, row, strict=True)) for row in numbers.rows]
    inner: Any = {texts["key"]: rows} if "key" in texts else rows
    return {key: texts[place] for place, key in names.items() if place in texts} | {
        "results": inner
    }


def _write_records(numbers: Numbers) -> str:
    rows = (dict(zip(numbers.headings, row, strict=True)) for row in numbers.rows)
    return "".join(f"{json.dumps(row)}\n" for row in rows)


def _write_aligned(numbers: Numbers) -> str:
    texts = numbers.texts
    rows = [[*map(str, row)] for row in [numbers.headings, *numbers.rows]]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["   ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
    if "group" in texts:
        lines.insert(1, texts["group"])
    return _join(texts.get("caption", ""), "\n".join(lines), texts.get("below", ""))


def _write_workbook(numbers: Numbers, path: Path) -> None:
    """A caption is the row above the table, a note the one below."""
    book = openpyxl.Workbook()
    sheet = book.worksheets[0]
    ends = [
        [[numbers.texts[place]]] if place in numbers.texts else [] for place in ("caption", "below")
    ]
    for row in [*ends[0], *numbers.grid, *ends[1]]:
        sheet.append([None if cell == "" else cell for cell in row])
    book.save(path)


def _make_frame(numbers: Numbers) -> Any:
    """Return the numbers as a DataFrame, a caption among its ``attrs``."""
    frame = pd.DataFrame(numbers.rows, columns=numbers.headings)
    if "caption" in numbers.texts:
        frame.attrs["caption"] = numbers.texts["caption"]
    return frame


_BESIDE = frozenset({"column", "cell", "name"})
_AROUND = frozenset({"caption", "above", "heading", "below"})
_OF_FILES = _BESIDE | {"group", "file"}

PLACES: dict[str, frozenset[str]] = {
    "csv": _OF_FILES,
    "markdown": _OF_FILES | _AROUND | {"farther"},
    "latex": _OF_FILES | _AROUND | {"farther"},
    "workbook": _OF_FILES | {"caption", "below"},
    "json": _BESIDE | _AROUND | {"file", "key"},
    "jsonl": _BESIDE | {"file"},
    "aligned": _OF_FILES | {"caption", "below"},
    "frame": _BESIDE | {"caption"},
}
"""Where each container has room for a text."""

_SUFFIX = {"markdown": "md", "latex": "tex", "workbook": "xlsx", "aligned": "txt"}
_WRITERS: dict[str, Callable[[Numbers], str]] = {
    "csv": lambda numbers: write_csv(numbers.grid),
    "markdown": _write_markdown,
    "latex": _write_latex,
    "json": lambda numbers: json.dumps(_make_object(numbers), indent=1),
    "jsonl": _write_records,
    "aligned": _write_aligned,
}


def _write(numbers: Numbers, container: str, folder: Path) -> Path:
    stem = "_".join(numbers.texts.get("file", "results").replace("/", " ").split())
    path = folder / f"{stem}.{_SUFFIX.get(container, container)}"
    if container == "workbook":
        _write_workbook(numbers, path)
    else:
        path.write_text(_WRITERS[container](numbers), encoding="utf-8")
    return path


Addresses = dict[tuple[str, str], str | None]
"""Model and metric to the ranking tasks of the number, with its rank type unless it is realistic;
None if asked.
"""


def find_addresses(numbers: Numbers, container: str, **options: Any) -> Addresses:
    """Adjust the numbers in a container, with some options, and return the address that each was
    adjusted at.
    """
    with tempfile.TemporaryDirectory() as folder:
        results = (
            _make_frame(numbers)
            if container == "frame"
            else _write(numbers, container, Path(folder))
        )
        try:
            entries = rankconst.adjust(read_given(results), **options).numbers.entries
        except RankconstError:
            entries = ()
    found = {
        float(each.entry.text): _name(each.constants.tasks, each.entry.context.rank_type)
        for each in entries
        if each.constants is not None
    }
    return {
        (model, metric): found.get(value)
        for model, values in VALUES.items()
        for metric, value in zip(METRICS, values, strict=True)
    }


def _name(tasks: Tasks, rank_type: str | None) -> str:
    return str(tasks) if rank_type in {None, "realistic"} else f"{tasks} {rank_type}"
