"""Reading triples: labels are bytes compared exactly, and what is no triple is refused with its
place.
"""

from __future__ import annotations

import re
import sys
import threading
from collections.abc import Sequence
from typing import Any, cast

import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cases import choose, for_each
from rankconst.catalogue.benchmarks import LineFormat, load_benchmarks
from rankconst.errors import DataError
from rankconst_builder.facts import _find_alike
from rankconst_builder.triples import Labels, read_triples

Row = tuple[bytes, bytes, bytes]

TSV = LineFormat()
BOM = b"\xef\xbb\xbf"
FORMATS = sorted(
    {
        (s.format.delimiter, s.format.columns, s.format.count_line)
        for s in load_benchmarks().values()
        if not (s.format.temporal or s.format.qualified)
    }
    | {(";", "trh", False), ("|", "-h-rt-", True), ('"', "hrt", False), ("-", "thr", False)}
)


def decode(column: pa.ChunkedArray[Any]) -> list[bytes]:
    return cast("list[bytes]", column.to_pylist())


def read(content: bytes, form: LineFormat = TSV, name: str = "train.txt") -> list[Row]:
    return rows_of(read_triples(content, form, name))


def rows_of(labels: Labels) -> list[Row]:
    rows = list(zip(decode(labels.head), decode(labels.relation), decode(labels.tail), strict=True))
    assert len(labels) == len(rows)
    return rows


def write(
    rows: Sequence[Row], form: LineFormat, newline: bytes = b"\n", final: bool = True
) -> bytes:
    """Write rows as the format says, with filler in the columns it ignores."""
    delimiter, places = form.delimiter.encode(), ["hrt-".index(each) for each in form.columns]
    lines = [delimiter.join((*row, b"filler")[place] for place in places) for row in rows]
    if form.count_line:
        lines.insert(0, str(len(rows)).encode())
    return newline.join(lines) + newline * final


def refused(content: bytes, form: LineFormat = TSV, name: str = "train.txt") -> str:
    with pytest.raises(DataError) as caught:
        read_triples(content, form, name)
    assert caught.value.exit_code == 6
    return str(caught.value)


# ---- what is accepted ----------------------------------------------------------------------------


@for_each(
    ("form", "content"),
    [
        (LineFormat(columns="trh"), b"b\tr\ta\nd\ts\tc\n"),
        (LineFormat(delimiter=" ", columns="htr", count_line=True), b"2\na b r\nc d s\n"),
        (LineFormat(delimiter="\t", columns="htr", count_line=True), b"2\r\na\tb\tr\r\nc\td\ts\r\n"),
        (LineFormat(columns="hrt", count_line=True), BOM + b"2\na\tr\tb\nc\ts\td"),
        (LineFormat(columns="hrt---"), b"a\tr\tb\tHQ\t\tx y\nc\ts\td\t\t\t\n"),
        (LineFormat(columns="-h-rt"), b"1\ta\t\tr\tb\n2\tc\t\ts\td\n"),
        (LineFormat(delimiter="|", padded=True), b" a | r |b\nc|s|d\n"),
        (TSV, BOM + b"a\tr\tb\r\nc\ts\td"),
        (TSV, b"a\tr\tb\r\nc\ts\td\n\n"),
        (TSV, b"a\tr\tb\nc\ts\td\r\n\r\n\r\n"),
    ],
)  # fmt: skip
def test_columns_and_line_ends(form: LineFormat, content: bytes) -> None:
    assert read(content, form) == [(b"a", b"r", b"b"), (b"c", b"s", b"d")]


# What a careless reader takes for missing, for numbers, for one another or for the marks of a
# format.
LABELS = [
    *(b"NA", b"N/A", b"#N/A", b"null", b"nan", b"NaN", b"None", b"true", b"0", b"00", b"1.0", b"1", b"x", b"X", b" x "),
    *(b'"a,b"', b'half"', b"''", b"\\n", b"#comment", b"%", b"-", b"head", BOM, BOM + b"x", b"\xff\xfex", b"x\xc2\xa0"),
    *(text.encode() for text in ("Zürich", "Zu\u0308rich", "ﬁ", "fi", "İ", "I", "\u2028", "\x85", "\x0b")),
]  # fmt: skip


def label(delimiter: str, alphabet: bytes | None = None) -> st.SearchStrategy[bytes]:
    forbidden = {ord(delimiter), 10, 13}
    allowed = [byte for byte in (alphabet or bytes(range(256))) if byte not in forbidden]
    # One draw a label: a list of drawn bytes takes ten times as long.
    return st.binary(min_size=1, max_size=12).map(
        lambda raw: bytes(allowed[byte % len(allowed)] for byte in raw)
    )


@pytest.mark.slow
@pytest.mark.parametrize(("delimiter", "columns", "count_line"), FORMATS)
@settings(max_examples=choose(15, 100))
@given(data=st.data(), crlf=st.booleans(), final=st.booleans(), bom=st.booleans())
def test_round_trip(
    delimiter: str,
    columns: str,
    count_line: bool,
    data: st.DataObject,
    crlf: bool,
    final: bool,
    bom: bool,
) -> None:
    form = LineFormat(delimiter, columns, count_line)
    words = st.sampled_from([each for each in LABELS if delimiter.encode() not in each])
    one = label(delimiter) | label(delimiter, b" \"',\t;aA\\\0N\xef\xbb\xbf") | words
    rows = data.draw(st.lists(st.tuples(one, one, one), min_size=1, max_size=8))
    content = write(rows, form, b"\r\n" if crlf else b"\n", final)
    # A mark at the start of a file names its encoding; there it cannot be part of a label.
    if bom or content.startswith((BOM, b"\xff\xfe", b"\xfe\xff")):
        content = BOM + content
    assert read(content, form) == rows


def test_lines_longer_than_a_block_of_the_parser() -> None:
    long = [
        bytes([65 + place]) * size
        for place, size in enumerate((3, (1 << 20) - 5, (1 << 20) + 1, 3_000_000))
    ]
    rows = [
        (long[0], b"r", long[1]), (b"a", b"r", b"b"), (long[2], long[3], b"b"), (b"c", b"r", b"d"),
    ]  # fmt: skip
    for count in (4, 3):
        assert read(write(rows[:count], TSV, final=count > 3)) == rows[:count]


@pytest.mark.slow
def test_a_machine_without_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    with pytest.raises(DataError, match=r"start threads, and reading triples needs two.*ulimit -u"):
        read_triples(b"a\tr\tb\n", TSV, "train.txt")


# ---- what is refused -----------------------------------------------------------------------------

COUNTED = LineFormat(count_line=True)
OPENKE = LineFormat(" ", "htr", count_line=True)
COLUMNS = "expected 3 columns (hrt) separated by a tab, got "
BLANK, EMPTY = "the line is blank; expected 3 columns", " is empty: "
CR = "there is a carriage return inside the line"
NUMBER = "expected the number of triples that follow, got "
REFUSED: list[tuple[bytes, LineFormat, int, str]] = [
    *(
        (content, TSV, line, f"{COLUMNS}{got}: {text}.")
        for content, line, got, text in (
            (b"a\tr\tb\na\tr\n", 2, 2, r"'a\tr'"),
            (b"a\tr\tb\na\tr\tb\tc\n", 2, 4, r"'a\tr\tb\tc'"),
            (b"a\n", 1, 1, "'a'"),
            (b"a\tr\tb\nc\tr\td\ne\tr\tf\nx", 4, 1, "'x'"),
            (BOM + b"a\tr\tb\r\na\tr\r\n", 2, 2, r"'a\tr'"),
            (b"a\tr\tb\nsch\xc3\xb6n\n", 2, 1, "'schön'"),
            (b"a\tr\tb\n\xff\xfe\n", 2, 1, r"'\\xff\\xfe'"),
            (b"a\tr\tb\n" + b"x" * 500, 2, 1, "'" + "x" * 120 + "…'"),
            (b"2\na\tr\tb\nc\tr\td\n", 1, 1, "'2'"),
        )
    ),
    (b"2\na\tr\tb\nc\tr\n", COUNTED, 3, COLUMNS),
    (b"2\na\tr\tb\n\nc\tr\td\n", COUNTED, 3, BLANK),
    (BOM + b"2\r\na\tr\tb\r\n\tr\td\r\n", COUNTED, 3, f"the head{EMPTY}"),
    (b"\tr\tb\n", TSV, 1, f"the head{EMPTY}"),
    (b"a\tr\tb\na\t\tb\n", TSV, 2, f"the relation{EMPTY}"),
    (b"a\tr\tb\na\tr\t", TSV, 2, f"the tail{EMPTY}"),
    (b"a\tr\tb\r\na\tr\t\r\n", TSV, 2, f"the tail{EMPTY}"),
    (b"2\na b r\nc d \n", OPENKE, 3, f"the relation{EMPTY}"),
    (b"a | r | b\na |  | b\n", LineFormat("|", padded=True), 2, f"the relation{EMPTY}"),
    (b"\na\tr\tb\n", TSV, 1, BLANK),
    (b"a\tr\tb\n  \n", TSV, 2, BLANK),
    (b"a\tr\tb\r\n\r\nc\tr\td\r\n", TSV, 2, BLANK),
    (b"a\tr\tb\rc\tr\td\r", TSV, 1, CR),
    (b"a\tr\tb\nc\rd\tr\te\n", TSV, 2, CR),
    (b"a\tr\tb\r\r\nc\tr\td\r\n", TSV, 1, CR),
    (b"a\tr\tb\n\rc\tr\td\n", TSV, 2, CR),
    (b"a\tr\tb\r\nc\tr\td\r", TSV, 2, CR),
    *((first + b"\na\tr\tb\n", COUNTED, 1, NUMBER) for first in (b"x", b"2.0", b"", b"2 2", "²".encode(), b"2\0")),
]  # fmt: skip


@for_each(("content", "form", "line", "told"), REFUSED)
def test_what_is_no_triple_is_refused_with_its_place(
    content: bytes, form: LineFormat, line: int, told: str
) -> None:
    assert refused(content, form, "valid.txt").startswith(f"valid.txt, line {line}: {told}")


WHOLE: list[tuple[bytes, LineFormat, str]] = [
    *((content, TSV, "f is empty; expected a triple on each line") for content in (b"", b"\n\n", b"\r\n", BOM + b"\n")),
    *(("\ufeffa\tr\tb\n".encode(codec), TSV, "f is UTF-16.*iconv") for codec in ("utf-16-le", "utf-16-be")),
    *((b"%d\na\tr\tb\n" % n, COUNTED, f"f: line 1 states {n} triples, but 1 follow") for n in (0, 2, -2, 10**30)),
    *((content, COUNTED, "f has a count line and no triple") for content in (b"1\n", b"0", b"1\r\n")),
    (b"e1\tr\te2\n", LineFormat(header=True), "f has a heading and no triple"),
    (b"a\tb\nb\tc\n", TSV, r"'a.tb'\. If the graph has no relations, add a column between the two that is the same"),
    (b"a,r,b\n", TSV, r"The line has 3 columns if a comma separates them\. Rename the file to end in \.csv\.$"),
    (b"a r b\n", TSV, r"3 columns if a space separates them\. Separate them by tabs: tr -s ' ' '\\t' < "),
    (b"a\tr\tb\n", LineFormat(","), r"3 columns if a tab separates them\. Rename the file to end in \.tsv\.$"),
    (b",head,relation,tail\n0,a,r,b\n", TSV,
     r"4 columns if a comma separates them\. Rename the file to end in \.csv\.$"),
    (b"a\tr\tb\nc\tr\td\tp\ta\tq\tb\n", TSV, r"got 7: .* If qualifiers follow, a relation and an entity each: hrtq\."),
    (b"a\tr\tb\t1\tx\nc\tr\td\t0\ty\n", TSV, r"name them with -: hrt--\.$"),
    (b"a\tr\tb\n" + b"9" * 5000 + b"\ta\tr\tb\n", TSV, r"line 2: expected 3 columns"),
]  # fmt: skip


@for_each(("content", "form", "told"), WHOLE)
def test_what_is_wrong_with_a_file_is_said(content: bytes, form: LineFormat, told: str) -> None:
    assert re.search(told, refused(content, form, "f"))


def test_large_files() -> None:
    """They are read in several blocks, and what is wrong with a later one has its place."""
    numbers = range(30_000)
    rows = [
        (b"a long entity %d" % (each % 5003), b"relation %d" % (each % 37), b"e%d" % each)
        for each in numbers
    ]
    content = write(rows, TSV)
    assert len(content) > 1 << 20
    assert read(content) == rows
    lines = content.split(b"\n")
    for line, told in ((b"only-one-column", COLUMNS), (b"a\t\tb", "the relation is empty")):
        lines[29_000] = line
        assert refused(b"\n".join(lines), TSV, "big.tsv").startswith(f"big.tsv, line 29001: {told}")


@pytest.mark.slow
@settings(max_examples=choose(80, 300))
@example(content=b"a\tr\tb\n\n\na\tr\tb")
@example(content=b"\xef\xbb\xbf\xef\xbb\xbfa\tr\tb")
@example(content=b"a\tr\tb\r")
@given(
    content=st.lists(
        st.sampled_from([b"a", b"\t", b"\n", b"\r\n", b"\r", b'"', b" ", BOM, b"a\tr\tb\n"])
    ).map(b"".join)
)
def test_anything_is_read_whole_or_refused_with_its_place(content: bytes) -> None:
    body = content.removeprefix(BOM)
    lines = body.replace(b"\r\n", b"\n").rstrip(b"\n").split(b"\n")
    expected = [tuple(line.split(b"\t")) for line in lines]
    fine = all(len(row) == 3 and all(row) for row in expected) and not any(
        b"\r" in line for line in lines
    )
    if fine:
        assert read(content) == expected
    else:
        assert re.match(r"train\.txt(, line [1-9][0-9]*: | is empty)", refused(content))


@pytest.mark.slow
def test_no_thread_holds_the_bytes_that_were_read() -> None:
    """One that lets go of them while the interpreter ends aborts the process."""
    for number in range(choose(100, 300)):
        content = b"a\tr\tb\nb\tr\tc\nc\tr\t%d" % number
        before = sys.getrefcount(content)
        read_triples(content, TSV, "train.txt")
        assert sys.getrefcount(content) == before


def test_labels_that_look_alike() -> None:
    """In whichever way Unicode composes them, with any kind of space; if not UTF-8, as far as ASCII
    goes.
    """
    labels = ["Ren\u00e9", "Rene\u0301", "New York", "New\xa0York", "x\u00b2", "x2"]
    for texts, alike in (
        ([label.encode() for label in labels], [labels[1].encode(), labels[3].encode()]),
        ([b"\xff", b"x ", b"x"], [b"x "]),
        (["Ren\u00e9".encode(), b"Rene"], []),
    ):
        assert [each.as_py() for each in _find_alike(pa.array(texts, pa.binary()))] == alike
