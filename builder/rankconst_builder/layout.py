"""See how the files of a user's own graph are written, and refuse what does not tell."""

from __future__ import annotations

import io
import itertools
import re
import shlex
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import pyarrow.compute as pc

from rankconst.catalogue.benchmarks import LineFormat
from rankconst.catalogue.protocols import SPLITS
from rankconst.errors import DataError
from rankconst.names import squash
from rankconst_builder.triples import (
    BOM,
    NAMES,
    Labels,
    leave_out,
    read_triples,
    show_line,
    split_cells,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence


HEADING = "If the line is a heading, delete it; if it is a triple, move it to another line."
"""What to do about a first line that can be either."""

ORDER = "columns are read as {} (--columns changes that)"
"""What is said of an order of columns that no --columns names."""

_PACKED = {".gz", ".bz2", ".xz", ".zst"}


def _unpack_name(name: str) -> PurePath:
    path = PurePath(name)
    return path.with_suffix("") if path.suffix.lower() in _PACKED else path


def strip_endings(name: str) -> str:
    """Return the name of a file without its folder and without its endings."""
    return _unpack_name(name).stem


def find_delimiter(name: str) -> str:
    """Return the delimiter of a file: a comma if its name ends in .csv, else a tab."""
    return "," if _unpack_name(name).suffix.lower() == ".csv" else "\t"


_ENDINGS = "(id|ids|idx|index|label|name|uri|iri)?"
_HEADS = (
    "h|head|headentity|s|subj|subject|src|source|sourcenode|from|fromnode|start|startnode"
    "|entity1|node1|e1"
)
_RELATIONS = (
    "r|rel|relation|relationship|relationtype|reltype|p|pred|predicate|property|edge|edgetype"
    "|link|linktype|type|label"
)
_TAILS = (
    "t|tail|tailentity|o|obj|object|dst|dest|destination|target|targetnode|to|tonode|end|endnode"
    "|entity2|node2|e2"
)
_TIMES = (
    "d|time|timestamp|timestep|ts|date|datetime|day|month|year|begin|begintime|starttime"
    "|startdate|since|validfrom|endtime|enddate|until|validto"
)
_WORDS = {
    "h": re.compile(f"({_HEADS}){_ENDINGS}"),
    "r": re.compile(f"({_RELATIONS}){_ENDINGS}"),
    "t": re.compile(f"({_TAILS}){_ENDINGS}"),
    "d": re.compile(f"({_TIMES}){_ENDINGS}"),
}
"""Letter of a column to the words that head it, squashed."""

_COUNT = re.compile(rb"\s*\d+\s*")
_RDF = re.compile(
    rb"\s*(#|@prefix|@base|prefix |base |(<[^>]*>|_:\S+)\s+<[^>]*>\s.*\.\s*(#.*)?$)", re.IGNORECASE
)
# With tabs, as in a file that was converted, only what ends in a dot of its own is RDF.
_TABBED_RDF = re.compile(rb"\s*(<[^>]*>|_:\S+)\s+<[^>]*>\s.*[>\s\"]\.\s*(#.*)?$")


def _begins_rdf(body: bytes) -> bool:
    """Tell whether the first line of a file that is not a comment is RDF."""
    for line in body.split(b"\n"):
        if line.strip() and not line.startswith(b"#"):
            return (_TABBED_RDF if b"\t" in line else _RDF).match(line) is not None
    return False


def name_columns(cells: Sequence[str], columns: str | None = None) -> str | None:
    """Return the letters of columns that a heading names; None if it heads no triple."""
    letters = [_find_letter(cell) for cell in cells]
    if columns is not None and len(columns) == len(cells):
        for place, given in enumerate(columns):
            if given == "-" or (given == "d" and letters[place] == "-"):
                letters[place] = given
    parts = sorted(letter for letter in letters if letter not in {"-", "d"})
    return "".join(letters) if parts == ["h", "r", "t"] else None


def place_columns(cells: Sequence[str]) -> str | None:
    """Return the letters of columns that a heading names; hrt for three others, or None."""
    named = name_columns(cells)
    if named is not None or len(cells) != 3:
        return named
    pairs = zip(cells, "hrt", strict=True)
    return "hrt" if all(_find_letter(cell) in {"-", letter} for cell, letter in pairs) else None


def _find_letter(cell: str) -> str:
    return next((letter for letter, words in _WORDS.items() if words.fullmatch(squash(cell))), "-")


def _holds(columns: Iterable[Any], label: bytes) -> bool:
    """Tell whether a label is in any of some columns of labels."""
    for column in columns:
        for chunk in column.chunks:
            code = pc.index(chunk.dictionary, label).as_py()
            if code >= 0 and pc.index(chunk.indices, code).as_py() >= 0:
                return True
    return False


def find_in_graph(heading: Sequence[bytes], files: Iterable[Labels]) -> list[bytes]:
    """Tell for the words of a first line whether they label something in the graph."""
    graph = list(files)
    entities = [column for labels in graph for column in (labels.head, labels.tail)]
    relations = [labels.relation for labels in graph]
    return [
        label
        for label, columns in zip(heading, (entities, relations, entities), strict=True)
        if _holds(columns, label)
    ]


@dataclass(frozen=True, slots=True)
class _Seen:
    """How a file is written, as far as its first lines show."""

    form: LineFormat
    first: bytes  # the first line
    ordered: bool  # True if the file shows the order of its columns
    certain: bool  # True if the heading can be nothing else

    @property
    def cells(self) -> list[bytes]:
        """Head, relation and tail of the first line."""
        cells = split_cells(self.first, self.form)
        return [cells[self.form.columns.index(letter)] for letter in "hrt"]


def read_own(
    contents: Mapping[str, bytes], names: Mapping[str, str], columns: str | None = None
) -> tuple[dict[str, Labels], str]:
    """Read the files of a graph by role, and say in a line how they are written."""
    seen = {role: _see(content, names[role], columns) for role, content in contents.items()}
    _check_order(seen, names, columns)
    files = {}
    for role, content in contents.items():
        files[role] = read_triples(content, seen[role].form, names[role])
    _check_headings(seen, files, names)
    _check_repeated(seen, files, contents, names)
    _check_openke(seen, files, names, columns)
    return files, "; ".join(_describe_forms(seen, names, columns))


def _describe_forms(
    seen: Mapping[str, _Seen], names: Mapping[str, str], columns: str | None
) -> Iterator[str]:
    """Say how files are read that do not tell it by themselves."""
    headed = [role for role, one in seen.items() if one.form.header]
    if headed:
        lines = ", ".join(dict.fromkeys(show_line(seen[role].first) for role in headed))
        where = ", ".join(names[role] for role in headed)
        yield (
            f"line 1 of {where} is read as a heading (if it is a triple, "
            f"move it to another line): {lines}"
        )
    orders, spaced = {}, []
    for role, one in seen.items():
        if one.ordered or role in SPLITS:
            orders[one.form.columns] = role
        if one.form.delimiter == " " and not one.form.count_line:
            spaced.append(names[role])
    if orders and columns is None:
        yield ORDER.format(", ".join(orders))
    if any("d" in order for order in orders) and columns is None:
        yield (
            "d is the time of a fact, so this is a temporal graph (--columns hrt- ignores the time)"
        )
    if spaced:
        yield f"columns of {', '.join(spaced)} are separated by spaces"
    if any(one.form.quoted for one in seen.values()):
        yield "quotes around labels are left out, as in CSV"


def is_plain(begin: bytes, name: str) -> bool:
    """Tell whether a file begins with a triple, its labels separated by tabs alone."""
    return not begin.startswith(BOM) and _see(begin, name, None).form == LineFormat()


def _refuse_negatives(body: bytes, delimiter: str, name: str) -> None:
    """Refuse a file with false triples, marked by -1 or 0 in a fourth column."""
    sign = delimiter.encode()
    if body.partition(b"\n")[0].count(sign) != 3:
        return
    lines = body.rstrip(b"\r\n").split(b"\n")[1:]  # the first may be a heading
    labels = {line.removesuffix(b"\r").rpartition(sign)[2] for line in lines}
    if labels in ({b"1", b"-1"}, {b"1", b"0"}):
        separator, parts = delimiter.replace("\t", "\\t"), '$1 "\\t" $2 "\\t" $3'
        raise DataError(
            f"the last column of {name} has labels, and false triples are among its lines. "
            f"Keep the true ones: tr -d '\\r' < {shlex.quote(name)} | "
            f"awk -F'{separator}' '$4 == 1 {{print {parts}}}' > FILE.tsv"
        )


def _find_sign(body: bytes, name: str) -> str:
    """Return the delimiter of a file; a space if its first line is three or four words."""
    delimiter = find_delimiter(name)
    if delimiter == "\t" and b"\t" not in body:
        cells = body.partition(b"\n")[0].rstrip(b"\r").split(b" ")
        if len(cells) in {3, 4} and all(cells):
            return " "
    return delimiter


def _see(content: bytes, name: str, columns: str | None) -> _Seen:
    body = content.removeprefix(BOM)
    lines = [line.rstrip(b"\r\n") for line in itertools.islice(io.BytesIO(body), 2)]
    first, second, *_ = (*lines, b"", b"")
    delimiter = _find_sign(body, name)
    if columns is None:
        _refuse_rdf(body, first, name)
        _refuse_negatives(body, delimiter, name)
    if _COUNT.fullmatch(first):
        return _see_counted(first, second, delimiter, name, columns)
    form = LineFormat(delimiter, columns or "hrt")
    form = replace(form, quoted=_is_quoted(body, form, name))
    cells = [cell.decode("utf-8", "replace") for cell in split_cells(first, form)]
    named = name_columns(cells, columns)
    # pandas heads its row numbers with nothing; columns without names, with their numbers.
    numbered = len(cells) == 4 and not cells[0] and columns is None
    if named is not None:
        if columns not in {None, named}:
            raise DataError(
                f"{name}, line 1: {show_line(first)} says that the columns are {named}, "
                f"--columns {columns}. Leave out --columns. {HEADING}"
            )
        form = replace(form, columns=named, header=True)
    elif numbered:
        form = replace(form, columns="-hrt", header=True)
    elif _is_numbered(cells, len(form.columns)):
        form = replace(form, header=True)
    return _Seen(form, first, ordered=named is not None or numbered, certain=numbered)


def _see_counted(
    first: bytes, second: bytes, delimiter: str, name: str, columns: str | None
) -> _Seen:
    """Return the form of OpenKE: the number of triples, then head, tail, relation as numbers.

    Source: base/Reader.h of thunlp/OpenKE, 35bc6a9.
    """
    is_ids = all(_COUNT.fullmatch(cell) for cell in second.split())
    if columns is None and not is_ids:
        raise DataError(
            f"{name}, line 1 is a number of triples, "
            f"as OpenKE writes it, but line 2 holds no three numbers: {show_line(second)}. "
            "Name the order of the columns, for example --columns hrt."
        )
    sign = delimiter if delimiter.encode() in second else " "
    form = LineFormat(sign, columns or "htr", count_line=True)
    return _Seen(form, first, ordered=columns is None, certain=True)


def _refuse_rdf(body: bytes, first: bytes, name: str) -> None:
    """Refuse a file that begins with a comment, or with RDF."""
    rdf = _TABBED_RDF.match(first) if b"\t" in first else _RDF.match(first)
    if rdf is None:
        return
    if first.startswith(b"#") and not _begins_rdf(body):
        raise DataError(f"{name}, line 1 is a comment: {show_line(first)}. {leave_out('#', name)}")
    if find_delimiter(name) == "\t":
        raise DataError(
            f"{name} is RDF: {show_line(first)}. Expected a triple a line, its parts separated "
            "by tabs. Convert N-Triples so, without literals: "
            'awk \'/^[<_]/ {sub(/[ \\t]*\\.[ \\t]*$/, ""); if ($3 !~ /^"/) '
            'print $1 "\\t" $2 "\\t" $3}\' FILE.nt > FILE.tsv; '
            "other RDF to N-Triples first: riot --output=nt FILE."
        )


def _is_numbered(cells: Sequence[str], size: int) -> bool:
    """Tell whether cells are the numbers of columns, perhaps behind an empty one."""
    if not cells[0]:
        cells, size = cells[1:], size - 1
    return list(cells) == [str(number) for number in range(size)]


def _is_quoted(body: bytes, form: LineFormat, name: str) -> bool:
    """Tell whether labels of a CSV file are in quotes; refuse it if only some can be."""
    if form.delimiter != "," or b'"' not in body:
        return False
    sign = re.escape(form.delimiter).encode()
    if not re.search(rb"(^|" + sign + rb')"', body, re.MULTILINE):
        return False
    cell = rb'(?:"(?:[^"\r\n]|"")*"|[^"\r\n' + sign + rb"][^\r\n" + sign + rb"]*|)"
    line = re.compile(cell + rb"(?:" + sign + cell + rb")*\r?")
    for number, text in enumerate(body.split(b"\n"), start=1):
        if b'"' in text and not line.fullmatch(text):
            raise DataError(
                f"{name}, line {number}: the quotes are not those of CSV: {show_line(text)}. "
                "If quotes are part of labels, separate the columns by tabs."
            )
    return True


def _check_order(seen: Mapping[str, _Seen], names: Mapping[str, str], columns: str | None) -> None:
    """Refuse files if some show another order of columns than the one that the rest is read in."""
    orders = {role: one.form.columns.replace("-", "") for role, one in seen.items()}
    is_shown = all(one.ordered for one in seen.values())
    if columns is None and len(set(orders.values())) > 1 and not is_shown:
        shown = next(role for role, one in seen.items() if one.ordered and orders[role] != "hrt")
        other = next(role for role, one in seen.items() if not one.ordered)
        raise DataError(
            f"the columns of {names[shown]} are {seen[shown].form.columns}, "
            f"as its first line shows; {names[other]} does not show their order. "
            "Add --columns, or give every file the same heading."
        )


def _check_headings(
    seen: Mapping[str, _Seen], files: Mapping[str, Labels], names: Mapping[str, str]
) -> None:
    """Refuse a heading made of labels of the graph."""
    for role, one in seen.items():
        if not one.form.header or one.certain:
            continue
        found = find_in_graph(one.cells, files.values())
        if found:
            raise DataError(
                f"{names[role]}, line 1: {show_line(one.first)} reads like a heading, "
                f"but the graph has {', '.join(map(show_line, found))} elsewhere. {HEADING}"
            )


def _check_repeated(
    seen: Mapping[str, _Seen],
    files: Mapping[str, Labels],
    contents: Mapping[str, bytes],
    names: Mapping[str, str],
) -> None:
    """Refuse a first line that several files share and that occurs nowhere else."""
    plain = [role for role, one in seen.items() if not (one.form.header or one.form.count_line)]
    for first in {seen[role].first for role in plain}:
        sharing = [role for role in plain if seen[role].first == first]
        if len({contents[role] for role in sharing}) < 2:
            continue
        others = [
            labels.without_first() if role in sharing else labels for role, labels in files.items()
        ]
        if not find_in_graph(seen[sharing[0]].cells, others):
            letters = seen[sharing[0]].form.columns
            order = ", ".join(NAMES[letter] for letter in letters if letter in NAMES)
            raise DataError(
                f"{' and '.join(names[role] for role in sharing)} begin with the same line, "
                f"whose labels occur nowhere else: {show_line(first)}. {HEADING} "
                f"Columns are read as {order} (--columns changes that)."
            )


def _check_openke(
    seen: Mapping[str, _Seen],
    files: Mapping[str, Labels],
    names: Mapping[str, str],
    columns: str | None,
) -> None:
    """Refuse files with a count line and columns that cannot be in OpenKE's order."""
    counted = [role for role, one in seen.items() if one.form.count_line and columns is None]
    if not counted:
        return
    relations = _list_labels(files[role].relation for role in counted)
    tails = _list_labels(files[role].tail for role in counted)
    if len(relations) > len(tails):
        raise DataError(
            f"{names[counted[0]]} begins with a number of triples, so its columns should be head, "
            f"tail, relation, as in OpenKE's files; but the third column has {len(relations):,} "
            f"labels and the second {len(tails):,}. Name the order, for example --columns hrt."
        )


def _list_labels(columns: Iterable[Any]) -> set[Any]:
    chunks = [chunk for column in columns for chunk in column.chunks]
    return {label for chunk in chunks for label in chunk.dictionary}
