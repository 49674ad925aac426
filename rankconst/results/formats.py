"""Choose the reader of a results file: the registry of formats, and how one is recognised."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from rankconst.errors import DataError, UsageError
from rankconst.names import resolve_name
from rankconst.results.document import MARKDOWN_ENDINGS, Document, list_files, open_document
from rankconst.results.reading import ADJUST_RANKS, Reading, Skipped, name_reasons

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from rankconst.catalogue.metrics import Metric
    from rankconst.results.reading import Reader


class Format(NamedTuple):
    """A format of results files: its reader, and a quick test for documents that may be of it."""

    module: str
    fits: Callable[[Document], bool]  # at hardly any cost; the reader itself looks closer
    name: str = "READER"

    def load(self) -> Reader:
        """Return the reader; only then is its module imported."""
        reader: Reader = getattr(import_module(f"rankconst.results.{self.module}"), self.name)
        return reader


def _contains(document: Document, *marks: str, within: int | None = None) -> bool:
    """Tell whether a document may contain one of some texts; terminal colours may divide it."""
    text = document.text if within is None else document.text[:within]
    return any(mark in text for mark in marks) or "\x1b" in text


def _begins_with(document: Document, *marks: str) -> bool:
    """Tell whether the first characters of a document are these."""
    return document.text[:65_536].lstrip().startswith(marks)


def _is_object(document: Document) -> bool:
    """Tell whether a document begins as an object does, or is called YAML."""
    return _begins_with(document, "{", "[", "(") or document.suffix in {".yaml", ".yml"}


def _test_marks(*marks: str, within: int | None = None) -> Callable[[Document], bool]:
    """Return a test for documents that may have one of some texts in their first characters."""
    return lambda document: _contains(document, *marks, within=within)


FORMATS: dict[str, Format] = {
    "pykeen": Format("tools.pykeen", _is_object),
    "libkge": Format("tools.libkge", _test_marks("eval_completed")),
    "ogb": Format("tools.ogb", lambda each: _is_object(each) and _contains(each, "_list", "hits@")),
    "objects": Format("objects", _is_object),
    "pykeen_csv": Format("tools.pykeen", _test_marks("Side", "side", within=1_000), "READER_CSV"),
    "pykeen_tracker": Format(
        "tools.pykeen", _test_marks("type,step,key,value", within=200), "READER_TRACKER"
    ),
    "pykeen_trials": Format(
        "tools.pykeen", _test_marks("user_attrs_", within=20_000), "READER_TRIALS"
    ),
    "pykeen_runs": Format(
        "tools.pykeen",
        _test_marks(".realistic.", ".optimistic.", ".pessimistic.", within=20_000),
        "READER_RUNS",
    ),
    "libkge_csv": Format("tools.libkge", _test_marks("job_id", within=10_000), "READER_CSV"),
    "libkge_log": Format("tools.libkge", _test_marks("event: eval_completed"), "READER_LOG"),
    "ultra": Format("tools.ultra", lambda each: _begins_with(each, "dataset,")),
    "rotate": Format("logs.toolkits", _test_marks(" at step "), "ROTATE"),
    "openke": Format("logs.toolkits", _test_marks("(raw)", "(filter)"), "OPENKE"),
    "openke_torch": Format(
        "logs.toolkits", _test_marks("INFO:Trainer:", "INFO:Tester:"), "OPENKE_TORCH"
    ),
    "dglke": Format("logs.toolkits", _test_marks("Test average ", "Valid average "), "DGLKE"),
    "torchkge": Format("logs.toolkits", _test_marks("Filt. "), "TORCHKGE"),
    "nbfnet": Format("logs.toolkits", _test_marks("Evaluate on "), "NBFNET"),
    "grail": Format("logs.toolkits", _test_marks("MRR | Hits@"), "GRAIL"),
    "simkgc": Format("logs.toolkits", _test_marks("ward metrics: {"), "SIMKGC"),
    "pyg": Format("logs.toolkits", _test_marks("Mean Rank: "), "PYG"),
    "kbc": Format("logs.toolkits", _test_marks("'MRR': ", "'rhs': "), "KBC"),
    "conve": Format("logs.toolkits", _test_marks("Hits ", "Mean r"), "CONVE"),
    "markdown": Format(
        "tables.markdown", lambda each: _contains(each, "|", "<") or each.suffix in MARKDOWN_ENDINGS
    ),
    "latex": Format("tables.latex", _test_marks("\\begin")),
    "csv": Format(
        "tables.delimited",
        lambda each: not _begins_with(each, "{", "[") and _contains(each, ",", "\t", ";"),
    ),
    "xlsx": Format("tables.xlsx", lambda each: bool(each.workbook)),
    "generic": Format("logs.generic", lambda each: not each.workbook),
    "text": Format("tables.printed", lambda each: not each.workbook),
}
"""Maps keys of formats to their readers, in the order in which they are tried."""

_BY_SUFFIX = {
    ".csv": "csv",
    ".tsv": "csv",
    ".md": "markdown",
    ".tex": "latex",
    ".xlsx": "xlsx",
    ".yaml": "objects",
    ".yml": "objects",
}


class _Unread(NamedTuple):
    """A kind of text that readers would misread, or read in part."""

    pattern: str
    name: str
    command: str  # that writes a table instead


_UNREAD_MARKUP = (
    _Unread(r"^\|\|[^|\n]++\|\|", "the markup of Jira or Confluence", "pandoc -f jira -t gfm"),
    _Unread(r"^\{\|", "the markup of MediaWiki", "pandoc -f mediawiki -t gfm"),
    _Unread(r"^[ \t]*+\|_[<>=]?\. ", "Textile", "pandoc -f textile -t gfm"),
    _Unread(r"^# A tibble: ", "R's print of a tibble", "write.csv(x, 'x.csv')"),
    _Unread(r"^ ++<char>.*<num>", "R's print of a data.table", "fwrite(x, 'x.csv')"),
    _Unread(r"^ *+\d++×\d++ DataFrame", "Julia's print of a DataFrame", 'CSV.write("x.csv", x)'),
    _Unread(r"^ ++\d++\. \| ", "Stata's print of a list", "export delimited x.csv"),
    _Unread(
        r"^\[\d++ rows x \d++ columns\]", "pandas' print of some rows only", "x.to_csv('x.csv')"
    ),
    _Unread(r"^│ *+[…·]", "a print of some rows only", "x.write_csv('x.csv')"),
)
# A percent sign behind a number or a parenthesis of a row of LaTeX, which begins a comment.
_COMMENTED_CELLS = re.compile(r"(?m)^(?=[^%\n&]*&)[^%\n]*+(?:(?<=[\d(])|(?<=[\d(]\s))%")
# Readers of formats without marks of their own.
_LENIENT_FORMATS = {"markdown", "generic", "text"}


def read(
    path: str | Path | Sequence[str | Path],
    form: str | None = None,
    *,
    decimal: str | None = None,
    percent: bool | None = None,
    metric: Metric | None = None,
) -> Reading:
    """Read a results file of any known format.

    Parameters
    ----------
    path
        A file, a folder or a list of these, or ``-`` for standard input. In a folder, every
        ``results.json`` in and below it is read, or all files in it if there is none. Several files
        make one table with a column ``file``; those that cannot be read are among the ``skipped``.
    form
        The key of its format; if None, it is recognised by the content.
    decimal
        ``"comma"`` or ``"point"``, the sign before decimals in its tables; if None, its numbers
        tell.
    percent
        Whether shares that could be fractions or percentages are percentages; if None, they are
        left out.
    metric
        The metric of tables whose columns are called by sides, splits or datasets only.

    Returns
    -------
    Reading
        Its ``entries`` are the numbers; :func:`rankconst.adjust` and the others take it in place of
        the path.

    Raises
    ------
    DataError
        If the file cannot be read, no format fits, or nothing in it is a metric's value.
    UnknownNameError
        If there is no such format.
    UsageError
        If `decimal` is something else, or `path` is not a path.
    MissingExtraError
        If the file is a workbook, and the extra ``rankconst[xlsx]`` is not installed.
    """
    paths = [path] if isinstance(path, (str, os.PathLike)) else path
    if not is_paths(paths):
        raise UsageError(
            f"expected a path, got {type(path).__name__}; "
            "rankconst.adjust takes numbers, dicts and frames."
        )

    files = list(dict.fromkeys(file for name in paths for file in list_files(os.fspath(name))))
    if len(files) == 1:
        return read_opened(open_document(files[0], decimal, percent, metric), form)

    from rankconst.results.joined import join_readings, name_files

    readings, failed = dict[str, Reading](), dict[str, DataError]()
    for file in files:
        document = open_document(file, decimal, percent, metric)
        try:
            readings[file] = read_opened(document, form)
        except DataError as error:
            failed[file] = error

    if not readings:
        raise next(iter(failed.values()))

    name_of = dict(zip(files, name_files(files), strict=True))
    names = [name_of[file] for file in readings]
    joined = join_readings(list(readings.values()), names, f"{len(files)} files", "file")
    unread = (Skipped(None, file, str(error)) for file, error in failed.items())
    return replace(joined, skipped=(*joined.skipped, *unread))


def is_paths(results: Any) -> bool:
    """Tell whether results are a list of paths."""
    if not isinstance(results, (list, tuple)) or not results:
        return False
    return all(isinstance(item, (str, os.PathLike)) for item in results)


_RANK_LITERAL = re.compile(
    r"[1-9]\d*(?:\.[05]0*)?", re.ASCII
)  # a whole number, or half of one for ties


def _looks_like_ranks(text: str) -> bool:
    """Tell whether a text is nothing but ranks: ``[1, 12, 3.5]``, or one in each line."""
    without_brackets = text.strip().removeprefix("[").removesuffix("]")
    words = without_brackets.replace(",", " ").replace(";", " ").split()
    return bool(words) and all(_RANK_LITERAL.fullmatch(word) for word in words)


def read_document(name: str, text: str) -> Reading:
    """Read text as the content of a results file, which messages call by `name`."""
    return read_opened(Document(name, text))


def read_opened(document: Document, form: str | None = None) -> Reading:
    """Read a document as :func:`read` does; DataError if no number is that of a metric.

    A table with the headings of a tool's output gets that tool, unless a column of metrics has a
    heading that no tool writes.
    """
    reader = _choose_reader(document, form)
    reading = reader.read(document)
    if document.metric is not None:
        from rankconst.results.rewrite import refuse_replaced

        refuse_replaced(document, document.metric)

    if not reading.entries:
        raise DataError(_explain_empty(document, reader, reading))
    if reading.tool or not reading.columns:
        return reading

    # A table made from a tool's output has all its names from it.
    measured = {head.column for head in reading.entries.heads} if reading.layout == "wide" else ()
    if all(find_tool(["", column]) for column in measured):
        return replace(reading, tool=find_tool(reading.columns))
    return reading


def _choose_reader(document: Document, form: str | None) -> Reader:
    """Return the reader of the format `form`, or without one the first that recognises the text."""
    if document.suffix == ".ipynb":
        raise DataError(
            f"{document.name} is a notebook, which is not read. Save its results from a cell, as "
            "with DataFrame.to_csv, or run: jupyter nbconvert --to markdown FILE"
        )

    if form is None:
        reader = _recognise(document)
    else:
        known = dict.fromkeys(FORMATS, ())
        hint = f"Known formats: {', '.join(FORMATS)}."
        reader = FORMATS[resolve_name("format", form, known, hint)].load()

    if document.workbook and reader.key != "xlsx":
        raise DataError(
            f"{document.name} is an archive, as .xlsx workbooks are, not {form}. Leave "
            "its format out."
        )
    if reader.most is not None and len(document.text) > reader.most:
        raise DataError(
            f"{document.name} has {len(document.text):,} characters; as {reader.key} at most "
            f"{reader.most:,} are read. Take out the tables, or save them as CSV."
        )
    return reader


def _explain_empty(document: Document, reader: Reader, reading: Reading) -> str:
    """Return the message for a document in which a reader has found no value of a metric."""
    comment = _COMMENTED_CELLS.search(document.text) if reader.key == "latex" else None
    if comment is not None:
        place = document.at(document.find_line(comment.start()))
        return f"{place}: an unescaped % comments out the rest of a row: write \\%."

    markup = _find_markup(document)
    if markup is not None:
        return markup

    found = name_reasons(reading.skipped) or "expected numbers, such as 0.338 below MRR"
    return f"{document.name} (read as {reader.key}) contains no value of a metric; {found}."


def find_tool(headings: Iterable[str]) -> str | None:
    """Find the tool whose reader recognises a CSV file with such headings; None if none does."""
    heading = Document("the DataFrame", ",".join(headings) + "\n")
    tools = {key: row for key, row in FORMATS.items() if row.module.startswith("tools.")}
    return next((reader.tool for reader in _list_claims(heading, tools) if reader.tool), None)


def _list_claims(document: Document, formats: Mapping[str, Format] = FORMATS) -> Iterator[Reader]:
    """Yield the readers that recognise a document."""
    for row in formats.values():
        if row.fits(document):
            reader = row.load()
            if reader.recognise(document):
                yield reader


def _find_markup(document: Document) -> str | None:
    """Return the error about markup that no reader knows; None if there is none."""
    for kind in _UNREAD_MARKUP:
        if re.search(kind.pattern, document.text, re.MULTILINE):
            return (
                f"{document.name} looks like {kind.name}, which is not read. "
                f"Run: {kind.command}, and read what it writes."
            )
    return None


def _recognise(document: Document) -> Reader:
    """Return the first reader that recognises a document, or the one that its suffix names."""
    reader, markup = next(_list_claims(document), None), None
    # Lenient readers take almost any text with numbers, as Jira's "||model||MRR||" for Markdown.
    # So a known markup goes before them, but not before readers that look for their own marks.
    if reader is None or reader.key in _LENIENT_FORMATS:
        markup = _find_markup(document)

    if reader is not None:
        # A file called .md may show another markup between its own tables.
        is_markdown = reader.key == "markdown" and document.suffix == ".md"
        if markup is None or is_markdown:
            return reader
    elif document.suffix in _BY_SUFFIX:
        # No reader takes it. That of its suffix knows best what is wrong with it.
        return FORMATS[_BY_SUFFIX[document.suffix]].load()

    if markup is not None:
        raise DataError(markup)
    if _looks_like_ranks(document.text):
        raise DataError(f"{document.name} looks like a list of ranks. {ADJUST_RANKS}")

    looks = "JSON without a key that is a metric; " if document.is_structured else ""
    raise DataError(
        f"the format of {document.name} is not recognised: "
        f"{looks}expected a table, a log or a results file (for triples: rankconst build). "
        f"Known formats: {', '.join(FORMATS)}; "
        "an ending such as .csv, .md or .tex names one (in Python: rankconst.read(FILE, form))."
    )
