"""The same labelled numbers and texts in each container that results come in, and the address of each number there."""

from __future__ import annotations

import csv
import io
import json
import math
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import rankconst
from rankconst.errors import RankconstError
from rankconst.results.tables.tex import ENVIRONMENTS
from rankconst.tasks import Tasks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

openpyxl, pd = (pytest.importorskip(name, reason=f"needs {name}") for name in ("openpyxl", "pandas"))


@dataclass(frozen=True)
class Numbers:
    """Numbers of some models, each of them different, with labels in columns and texts at some of :data:`PLACES`.

    A text in a cell, a name or the heading of a column is that of the first row or metric: it is about `first`.
    Metrics are named as the adjusted columns of frames are, as MRR and Hits@10 are and MR is not.
    """

    values: Mapping[str, tuple[float, ...]] = field(
        default_factory=lambda: {"TransE": (0.294, 0.465), "RotatE": (0.338, 0.533)}
    )
    metrics: tuple[str, ...] = ("MRR", "Hits@10")
    # Heading to a label, that of every row.
    labels: Mapping[str, str] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)

    @property
    def first(self) -> tuple[str, str]:
        """Model and metric of the first number."""
        return next(iter(self.values)), self.metrics[0]

    @property
    def headings(self) -> list[str]:
        """The headings of all columns."""
        text = self.texts.get("column")
        first = f"{self.metrics[0]} ({text})" if text else self.metrics[0]
        return ["Model", *self.labels, first, *self.metrics[1:], *(["Note"] if "cell" in self.texts else [])]

    @property
    def rows(self) -> list[list[Any]]:
        """The cells of each row."""
        name, note = self.texts.get("name"), self.texts.get("cell")
        rows = [
            [f"{model} ({name})" if name and not place else model, *self.labels.values(), *values]
            for place, (model, values) in enumerate(self.values.items())
        ]
        return [[*row, "-" if place else note] if note else row for place, row in enumerate(rows)]

    @property
    def grid(self) -> list[list[Any]]:
        """The headings, the name of a group of rows if it has one, and the rows."""
        group = self.texts.get("group")
        return [self.headings, *([[group, *[""] * (len(self.headings) - 1)]] if group else []), *self.rows]


def _join(*parts: str) -> str:
    return "\n\n".join(filter(None, parts)) + "\n"


def _place(form: str, text: str | None) -> str:
    return form.format(text) if text else ""


def write_csv(grid: Iterable[Sequence[object]], delimiter: str = ",") -> str:
    """Write rows of cells as delimited text."""
    buffer = io.StringIO()
    csv.writer(buffer, delimiter=delimiter, lineterminator="\n").writerows(grid)
    return buffer.getvalue()


def escape_markdown(cell: object) -> str:
    """Escape what Markdown would take for markup."""
    return "".join("\\" + sign if sign in "\\|*_<>&$`[]~" else sign for sign in str(cell))


def write_markdown(grid: Sequence[Sequence[object]], prefix: str = "") -> str:
    """Write rows of cells, the first of them the heading, as a pipe table."""
    heading, *rows = ("| " + " | ".join(map(escape_markdown, row)) + " |" for row in grid)
    return "\n".join(prefix + line for line in [heading, "|" + ":---|" * len(grid[0]), *rows])


_ESCAPES = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "±": r"$\pm$"} | {s: f"\\{s}" for s in "&%_#${}"}


def _escape_latex(cell: object) -> str:
    return "".join(_ESCAPES.get(sign, sign) for sign in str(cell))


def write_latex(grid: Sequence[Sequence[object]], environment: str = "tabular", group: str = "") -> str:
    """Write rows of cells, the first of them the heading, perhaps with a row for the name of a group below."""
    arguments = "{X}" * (ENVIRONMENTS[environment] - 1) + "{l" + "r" * len(grid[0]) + "}"
    rows = [" & ".join(map(_escape_latex, cells)) + r" \\" for cells in grid]
    rows[0] += r" \midrule"
    rows[1:1] = [rf"\multicolumn{{{len(grid[0])}}}{{l}}{{{_escape_latex(group)}}} \\"] if group else []
    begin = rf"\begin{{{environment}}}{arguments}"
    return "\n".join([begin, r"\toprule", *rows, r"\bottomrule", rf"\end{{{environment}}}"])


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
    texts = {place: _escape_latex(text) for place, text in numbers.texts.items()}
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
    return {key: texts[place] for place, key in names.items() if place in texts} | {"results": inner}


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
    ends = [[[numbers.texts[place]]] if place in numbers.texts else [] for place in ("caption", "below")]
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
    "aligned": _write_aligned,
}


def _write(numbers: Numbers, container: str, folder: Path) -> Path:
    stem = "_".join(numbers.texts.get("file", "results").split())
    path = folder / f"{stem}.{_SUFFIX.get(container, container)}"
    if container == "workbook":
        _write_workbook(numbers, path)
    else:
        path.write_text(_WRITERS[container](numbers), encoding="utf-8")
    return path


_FIELDS = ("dataset", "split", "side", "protocol", "aggregation")
Addresses = dict[tuple[str, str], str | None]
"""Model and metric to the ranking tasks of the number, with its rank type unless it is realistic; None if asked."""


def find_addresses(numbers: Numbers, container: str) -> Addresses:
    """Adjust the numbers in a container, without an option, and return the address that each was adjusted at."""
    if container == "frame":
        return _read_frame(numbers)
    found: dict[float, str] = {}
    with tempfile.TemporaryDirectory() as folder:
        try:
            entries = rankconst.adjust(_write(numbers, container, Path(folder))).entries
        except RankconstError:
            entries = ()
    for each in entries:
        if each.constants is not None:
            found[float(each.entry.text)] = _name(each.constants.tasks, each.entry.context.rank_type)
    return {
        (model, metric): found.get(value)
        for model, values in numbers.values.items()
        for metric, value in zip(numbers.metrics, values, strict=True)
    }


def _name(tasks: Tasks, rank_type: str | None) -> str:
    return str(tasks) if rank_type in {None, "realistic"} else f"{tasks} {rank_type}"


def _read_frame(numbers: Numbers) -> Addresses:
    found: Addresses = {(model, metric): None for model in numbers.values for metric in numbers.metrics}
    for metric in numbers.metrics:
        try:
            out = rankconst.adjust(_make_frame(numbers), metric=metric, details=True)
        except RankconstError:
            continue
        for model, row in zip(numbers.values, out.to_dict("records"), strict=True):
            if not math.isnan(row.get(f"{metric}_normalised", math.nan)):
                found[model, metric] = _read_row({str(key).casefold(): cell for key, cell in row.items()}, metric)
    return found


def _read_row(row: Mapping[str, Any], metric: str) -> str:
    """Return what a row says of the one metric that was adjusted, in columns of its own or of all metrics."""
    said = {key: row.get(f"{metric}_{key}".casefold(), row.get(key)) for key in _FIELDS}
    dataset = rankconst.load().resolve_dataset(str(said.pop("dataset")))
    # A frame's own column keeps its words, and filtered is the usual protocol.
    tasks = Tasks.parse(dataset, **{key: str(name) for key, name in said.items() if name not in {None, "filtered"}})
    kinds = (kind for kind in ("optimistic", "pessimistic") if f"{kind} ranks" in str(row.get("note")))
    return _name(tasks, next(kinds, None))
