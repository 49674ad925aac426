"""Detect how the files of a user's own graph are written, and refuse those that are unclear.

All rules about headings are here: of text files, of named columns, and of rows in memory.
"""

from __future__ import annotations

import io
import re
import shlex
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
import pyarrow.compute as pc

from rankconst.catalogue.benchmarks import LineFormat
from rankconst.errors import DataError
from rankconst.names import join_words, shorten, squash
from rankconst_builder.codes import mark
from rankconst_builder.triples import (
    BOM,
    NAMES,
    UTF16,
    Labels,
    advise_filtering,
    read_triples,
    show_line,
    split_cells,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from rankconst_builder.codes import Mask
    from rankconst_builder.graph import Graph

HEADING = "If the line is a heading, delete it; if it is a triple, move it to another line."
"""The remedy for a first line that can be either."""

ORDER = "hrt"
"""The order of columns that is assumed by default: head, relation, tail."""

_PACKED = {".gz", ".bz2", ".xz", ".zst"}


def _unpack_name(name: str) -> PurePath:
    path = PurePath(name)
    return path.with_suffix("") if path.suffix.lower() in _PACKED else path


def strip_endings(name: str) -> str:
    """Return the name of a file without its folder and endings."""
    return _unpack_name(name).stem


def find_delimiter(name: str) -> str:
    """Return the delimiter of a file by its name: a comma for .csv, a tab for others."""
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
"""The headings of each kind of column, in lower case without signs."""

_COUNT = re.compile(rb"\s*\d+\s*")
# A line of N-Triples, or the beginning of Turtle.
_RDF = re.compile(
    rb"\s*(@?(prefix\s+\S*:|base)\s+<|(<[^>]*>|_:\S+)\s+<[^>]*>\s.*[>\s\"]\.\s*(#.*)?$)",
    re.IGNORECASE,
)


def name_columns(cells: Sequence[str], columns: str | None = None) -> str | None:
    """Return the letters of the columns that a line names, or None if it is not a heading.

    "subject,weight,predicate,object" names the columns h-rt. Columns that `columns`, the value of
    ``--columns``, ignores or reads as a time may have any name.
    """
    letters = [_find_letter(cell) for cell in cells]
    if columns is not None and len(columns) == len(cells):
        for index, letter in enumerate(columns):
            if letter == "-" or (letter == "d" and letters[index] == "-"):
                letters[index] = letter
    parts = sorted(letter for letter in letters if letter not in {"-", "d"})
    return "".join(letters) if parts == ["h", "r", "t"] else None


def place_columns(cells: Sequence[str]) -> str | None:
    """Return the letters of named columns, or None if the names leave the order open.

    Three names without a meaning are taken for head, relation and tail.
    """
    letters = name_columns(cells)
    if letters is not None or len(cells) != 3:
        return letters
    for cell, letter in zip(cells, ORDER, strict=True):
        if _find_letter(cell) not in {"-", letter}:
            return None
    return ORDER


def _find_letter(cell: str) -> str:
    """Return the letter of the column with a heading: "h" for "subject", "-" for unknown words."""
    word = squash(cell)
    return next((letter for letter, words in _WORDS.items() if words.fullmatch(word)), "-")


def order_columns(path: Path | str, names: Sequence[str], columns: str | None) -> str:
    """Return the letters of named columns, as ``--columns`` or the names give them."""
    if columns is None:
        letters = place_columns(names)
        if letters is None:
            ignored = "-" * max(len(names) - 3, 0)
            raise DataError(
                f"{path} has columns {shorten(', '.join(names))}; expected head, relation and tail."
                f" Say which is which with --columns, a letter for each, such as hrt{ignored}."
            )
        return letters

    if len(columns) != len(names):
        raise DataError(
            f"{path} has {len(names)} columns ({shorten(', '.join(names))}), "
            f"--columns {columns} names {len(columns)}. Name each, those to ignore with -."
        )
    return columns


def begin_alike(paths: Iterable[Path]) -> bool:
    """Return True if two files begin with the same line, which may be a heading."""
    first_lines = []
    for path in paths:
        with path.open("rb") as stream:
            first_lines.append(stream.readline(1 << 16))

    return len(set(first_lines)) < len(first_lines)


def refuse_headings(files: Mapping[str, Labels]) -> None:
    """Raise DataError for a split with a heading whose words are not labels of other rows."""
    headings, rest = {}, []
    for split, labels in files.items():
        first = [column[0].as_py() for column in (labels.head, labels.relation, labels.tail)]
        if name_columns([label.decode() for label in first]):
            headings[split] = first
            rest.append(labels.without_first())
        else:
            rest.append(labels)

    for split, first in headings.items():
        if not find_in_graph(first, rest):
            raise DataError(
                f"row 0 of {split} is a heading: {b', '.join(first).decode()}. Leave it out."
            )


def find_in_graph(heading: Sequence[bytes], files: Iterable[Labels]) -> list[bytes]:
    """Return the words of a heading of head, relation and tail that are labels in the graph."""
    graph = list(files)
    entities = [column for labels in graph for column in (labels.head, labels.tail)]
    relations = [labels.relation for labels in graph]
    pairs = zip(heading, (entities, relations, entities), strict=True)
    return [word for word, columns in pairs if _holds(columns, word)]


def _holds(columns: Iterable[Any], label: bytes) -> bool:
    """Return True if one of some columns has a label."""
    for column in columns:
        for chunk in column.chunks:
            code = pc.index(chunk.dictionary, label).as_py()
            if code >= 0 and pc.index(chunk.indices, code).as_py() >= 0:
                return True
    return False


@dataclass(frozen=True, slots=True)
class _Layout:
    """How a file is written, judged by its first lines."""

    name: str
    form: LineFormat
    first: bytes  # the first line
    named: bool  # whether a heading names the columns
    certain: bool  # whether the first line cannot be a triple

    @property
    def cells(self) -> list[bytes]:
        """The head, relation and tail of the first line."""
        cells = split_cells(self.first, self.form)
        return [cells[self.form.columns.index(letter)] for letter in "hrt"]


class OwnFiles(NamedTuple):
    """The files of a user's own graph."""

    labels: dict[str, Labels]  # by role
    note: str  # assumptions about the format, for the user; empty without any
    order: str  # the assumed order of columns; empty if it is known


def read_own(
    contents: Mapping[str, bytes], names: Mapping[str, str], columns: str | None = None
) -> OwnFiles:
    """Read the files of a user's own graph, and refuse unclear formats."""
    for role, content in contents.items():
        _refuse_binary(content, names[role])

    layouts = {role: _find_layout(text, names[role], columns) for role, text in contents.items()}
    _check_order(layouts, columns)
    files = {}
    for role, content in contents.items():
        files[role] = read_triples(content, layouts[role].form, names[role])

    _check_headings(layouts, files)
    _check_repeated(layouts, files, contents)
    orders = dict.fromkeys(row.form.columns for row in layouts.values() if not row.named)
    order = ", ".join(orders) if columns is None else ""
    return OwnFiles(files, "; ".join(_list_notes(layouts, columns)), order)


def _list_notes(layouts: Mapping[str, _Layout], columns: str | None) -> Iterator[str]:
    """Yield the assumptions about the files that the user should check."""
    headed = [layout for layout in layouts.values() if layout.form.header]
    if headed:
        lines = [f"{show_line(layout.first)} ({layout.form.columns})" for layout in headed]
        where = ", ".join(layout.name for layout in headed)
        yield (
            f"line 1 of {where} is read as a heading (if it is a triple, "
            f"move it to another line): {', '.join(dict.fromkeys(lines))}"
        )

    timed = any("d" in layout.form.columns for layout in layouts.values())
    if timed and columns is None:
        yield (
            "d is the time of a fact, so this is a temporal graph (--columns hrt- ignores the time)"
        )

    forms = {layout.name: layout.form for layout in layouts.values()}
    spaced = [name for name, form in forms.items() if form.delimiter == " " and not form.count_line]
    if spaced:
        yield f"columns of {', '.join(spaced)} are separated by spaces"

    if any(form.quoted for form in forms.values()):
        yield "quotes around labels are left out, as in CSV"


def is_plain(begin: bytes, name: str) -> bool:
    """Return True if a file begins with a triple whose labels are separated by tabs."""
    return not begin.startswith(BOM) and _find_layout(begin, name, None).form == LineFormat()


def _refuse_binary(content: bytes, name: str) -> None:
    """Refuse a file whose first line has zero bytes, such as a database or a tar archive."""
    first = content[: 1 + content.find(b"\n")] or content
    if b"\0" in first and not content.startswith(UTF16):
        raise DataError(
            f"{name} is not text: line 1 holds zero bytes, {show_line(first[:40])}. Unpack an "
            f"archive (tar -xf {shlex.quote(name)}); export what another program wrote as text."
        )


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


def _choose_delimiter(body: bytes, name: str) -> str:
    """Return the delimiter of a file: by its name, or a space if line 1 is three or four words."""
    delimiter = find_delimiter(name)
    if delimiter == "\t" and b"\t" not in body:
        cells = body.partition(b"\n")[0].rstrip(b"\r").split(b" ")
        has_commas = cells[0].endswith(b",")  # "a, r, b"
        if len(cells) in {3, 4} and all(cells) and not has_commas:
            return " "
    return delimiter


def _find_layout(content: bytes, name: str, columns: str | None) -> _Layout:
    """Detect the delimiter, heading and quotes of a file of triples, and its order of columns.

    `columns` is the order that the user gave, such as "hrt" for head, relation, tail, or None.
    """
    body = content.removeprefix(BOM)
    lines = io.BytesIO(body)
    first = lines.readline().rstrip(b"\r\n")
    second = lines.readline().rstrip(b"\r\n")
    delimiter = _choose_delimiter(body, name)
    if columns is None:
        _refuse_rdf(body, first, name)

    if _COUNT.fullmatch(first):  # the number of triples, as OpenKE writes it
        return _find_openke_layout(first, second, delimiter, name, columns)

    form = LineFormat(delimiter, columns or ORDER)
    form = replace(form, quoted=_is_quoted(body, form, name))
    cells = [cell.decode("utf-8", "replace") for cell in split_cells(first, form)]
    named_columns = name_columns(cells, columns)  # None if line 1 is not a heading
    has_time = named_columns is not None and "d" in named_columns
    if columns is None and not has_time:
        _refuse_negatives(body, delimiter, name)

    # pandas writes an empty heading above row numbers (",a,b,c").
    has_row_numbers = columns is None and len(cells) == 4 and not cells[0]
    if named_columns is not None:
        if columns not in {None, named_columns}:
            raise DataError(
                f"{name}, line 1: {show_line(first)} says that the columns are {named_columns}, "
                f"--columns {columns}. Leave out --columns. {HEADING}"
            )
        form = replace(form, columns=named_columns, header=True)
    elif has_row_numbers:
        form = replace(form, columns="-hrt", header=True)
    elif _is_numbered(cells, len(form.columns)):
        form = replace(form, header=True)

    return _Layout(name, form, first, named=named_columns is not None, certain=has_row_numbers)


def _find_openke_layout(
    first: bytes, second: bytes, delimiter: str, name: str, columns: str | None
) -> _Layout:
    """Return the layout of OpenKE's files: a number of triples, then ids of head, tail, relation.

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
    return _Layout(name, form, first, named=False, certain=True)


def _refuse_rdf(body: bytes, first: bytes, name: str) -> None:
    """Refuse a file that begins with a comment or is RDF."""
    line = first
    is_comment = first.lstrip().startswith(b"#") and b"\t" not in first  # a triple may begin with #
    if is_comment:  # the first other line shows whether the file is RDF
        lines = (line for line in io.BytesIO(body) if line.strip() and not line.startswith(b"#"))
        line = next(lines, b"").rstrip(b"\r\n")

    if _RDF.match(line) and find_delimiter(name) == "\t":
        raise DataError(
            f"{name} is RDF: {show_line(line)}. Expected a triple a line, its parts separated "
            "by tabs. Convert N-Triples so, without literals: "
            'awk \'/^[<_]/ {sub(/[ \\t]*\\.[ \\t]*$/, ""); if ($3 !~ /^"/) '
            'print $1 "\\t" $2 "\\t" $3}\' FILE.nt > FILE.tsv; '
            "other RDF to N-Triples first: riot --output=nt FILE."
        )
    if is_comment:
        raise DataError(
            f"{name}, line 1 is a comment: {show_line(first)}. {advise_filtering('#', name)}"
        )


def _is_numbered(cells: Sequence[str], size: int) -> bool:
    """Return True if cells number the columns, as pandas does: "0,1,2" or ",0,1,2"."""
    if not cells[0]:
        cells, size = cells[1:], size - 1
    return list(cells) == [str(number) for number in range(size)]


def _is_quoted(body: bytes, form: LineFormat, name: str) -> bool:
    """Return True if labels of a CSV file are in quotes, and refuse malformed quotes."""
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
                "If quotes or line breaks are part of labels, write Parquet."
            )

    return True


def _check_order(layouts: Mapping[str, _Layout], columns: str | None) -> None:
    """Refuse an unusual order of columns in one file if another file leaves its order open."""
    unusual = [row for row in layouts.values() if row.form.columns.replace("-", "") != ORDER]
    unordered = [row for row in layouts.values() if not row.named and not row.certain]
    if columns is None and unusual and unordered:
        raise DataError(
            f"the columns of {unusual[0].name} are {unusual[0].form.columns}, "
            f"as its first line shows; {unordered[0].name} does not show their order. "
            "Add --columns, or give every file the same heading."
        )


def _check_headings(layouts: Mapping[str, _Layout], files: Mapping[str, Labels]) -> None:
    """Refuse a heading whose words are labels of the graph, as it may be a triple."""
    for layout in layouts.values():
        if not layout.form.header or layout.certain:
            continue
        repeated = find_in_graph(layout.cells, files.values())
        if repeated:
            words = ", ".join(show_line(word) for word in repeated)
            raise DataError(
                f"{layout.name}, line 1: {show_line(layout.first)} reads like a heading, "
                f"but the graph has {words} elsewhere. {HEADING}"
            )


def _check_repeated(
    layouts: Mapping[str, _Layout], files: Mapping[str, Labels], contents: Mapping[str, bytes]
) -> None:
    """Refuse a first line that several files share and whose labels occur nowhere else."""
    roles_by_line: dict[bytes, list[str]] = {}
    for role, layout in layouts.items():
        if not (layout.form.header or layout.form.count_line):
            roles_by_line.setdefault(layout.first, []).append(role)

    for first, roles in roles_by_line.items():
        if len({contents[role] for role in roles}) < 2:  # one file, given for several splits
            continue
        rest = [labels for role, labels in files.items() if role not in roles]
        rest += [files[role].without_first() for role in roles]
        layout = layouts[roles[0]]
        if not find_in_graph(layout.cells, rest):
            order = ", ".join(NAMES[letter] for letter in layout.form.columns if letter in NAMES)
            raise DataError(
                f"{join_words([layouts[role].name for role in roles])} begin with the same line, "
                f"whose labels occur nowhere else: {show_line(first)}. {HEADING} "
                f"Columns are read as {order} (--columns changes that)."
            )


def refuse_other_order(graph: Graph, remedy: str) -> None:
    """Refuse an assumed order of columns if relations look more like entities than entities do.

    Most entities are both heads and tails. In lines (a, b, r) and (b, c, r), read as head,
    relation and tail, no tail is a head, but relation b is one. Graphs of few entities or of ids
    can pass in a wrong order, and so can those whose heads and tails changed places. The
    likely order is put into `remedy` for {order}.
    """
    occurring = []
    for part in ("head", "tail"):
        marks = [mark(graph.num_entities, triples, part) for triples in graph.splits.values()]
        occurring.append(np.logical_or.reduce(marks))

    heads, tails = occurring
    relations = _mark_relations(graph)
    heads_and_tails = np.count_nonzero(heads & tails)
    for entities, columns, order in (
        (heads, "The first two columns", "htr"),
        (tails, "The last two columns", "rht"),
    ):
        also_relations = np.count_nonzero(entities & relations)
        if also_relations > heads_and_tails:
            raise DataError(
                f"are the columns head, relation, tail? {columns} share {also_relations:,} labels, "
                f"as heads and tails do, but the first and the last share {heads_and_tails:,}. "
                f"{remedy.format(order=order)}"
            )


def _mark_relations(graph: Graph) -> Mask:
    """Mark the entities whose label or id is also that of a relation. Shape (num_entities,)."""
    if graph.entity_labels is None or graph.relation_labels is None:
        marks = np.zeros(graph.num_entities, dtype=np.bool_)
        marks[np.flatnonzero(graph.relations[: graph.num_entities])] = True
        return marks
    labels: Any = graph.entity_labels
    found: Any = pc.is_in(labels, value_set=graph.relation_labels)
    return cast("Mask", found.to_numpy(zero_copy_only=False))
