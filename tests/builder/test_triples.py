"""Reading triples: labels are bytes compared exactly, and what is no triple is refused with its place."""

from __future__ import annotations

import functools
import re
import sys
import threading
from typing import TYPE_CHECKING, Any, cast

import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cases import choose
from rankconst.catalogue.benchmarks import LineFormat, load_benchmarks
from rankconst.errors import DataError
from rankconst_builder.remarks import _find_alike
from rankconst_builder.triples import read_triples

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankconst_builder.triples import Labels

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


def write(rows: Sequence[Row], form: LineFormat, newline: bytes = b"\n", final: bool = True) -> bytes:
    """Write rows as the format says, with filler in the columns it ignores."""
    delimiter = form.delimiter.encode()
    lines = [
        delimiter.join(dict(zip("hrt-", (*row, b"filler"), strict=True))[letter] for letter in form.columns)
        for row in rows
    ]
    if form.count_line:
        lines.insert(0, str(len(rows)).encode())
    return newline.join(lines) + newline * final


def refused(content: bytes, form: LineFormat = TSV, name: str = "train.txt") -> str:
    with pytest.raises(DataError) as caught:
        read_triples(content, form, name)
    assert caught.value.exit_code == 6
    return str(caught.value)


# ---- what is accepted --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "content",
    [
        b"a\tr\tb\nc\ts\td\n",
        b"a\tr\tb\nc\ts\td",
        b"a\tr\tb\r\nc\ts\td\r\n",
        b"a\tr\tb\r\nc\ts\td",
        b"a\tr\tb\r\nc\ts\td\n",
        b"a\tr\tb\nc\ts\td\r\n",
        BOM + b"a\tr\tb\nc\ts\td\n",
        BOM + b"a\tr\tb\r\nc\ts\td",
        b"a\tr\tb\nc\ts\td\n\n",
        b"a\tr\tb\nc\ts\td\n\n\n\n",
        b"a\tr\tb\r\nc\ts\td\r\n\r\n",
    ],
)
def test_line_ends_and_bom(content: bytes) -> None:
    assert read(content) == [(b"a", b"r", b"b"), (b"c", b"s", b"d")]


@pytest.mark.parametrize(
    ("form", "content"),
    [
        (LineFormat(columns="htr"), b"a\tb\tr\nc\td\ts\n"),
        (LineFormat(columns="trh"), b"b\tr\ta\nd\ts\tc\n"),
        (LineFormat(delimiter=","), b"a,r,b\nc,s,d\n"),
        (LineFormat(delimiter=" "), b"a r b\nc s d\n"),
        (LineFormat(delimiter=" ", columns="htr", count_line=True), b"2\na b r\nc d s\n"),
        (LineFormat(delimiter="\t", columns="htr", count_line=True), b"2\r\na\tb\tr\r\nc\td\ts\r\n"),
        (LineFormat(columns="hrt", count_line=True), BOM + b"2\na\tr\tb\nc\ts\td"),
        (LineFormat(columns="hrt-"), b"a\tr\tb\t1\nc\ts\td\t\n"),
        (LineFormat(columns="hrt---"), b"a\tr\tb\tHQ\t\tx y\nc\ts\td\t\t\t\n"),
        (LineFormat(columns="-h-rt"), b"1\ta\t\tr\tb\n2\tc\t\ts\td\n"),
    ],
)
def test_columns_are_data(form: LineFormat, content: bytes) -> None:
    assert read(content, form) == [(b"a", b"r", b"b"), (b"c", b"s", b"d")]


LABELS = [
    *(b"New York", b"a,b", b'"', b'"quoted"', b'half"', b"'", b"''", b'"a,b"', b"\\", b"\\n", b"\\t"),
    *(b" ", b"  x", b"x  ", b" x ", b"x\xc2\xa0", b"\xe2\x80\xa8", b"\x0b", b"\x0c", b"\x1c", b"\x85"),
    *(
        b"NA",
        b"N/A",
        b"null",
        b"NULL",
        b"nan",
        b"NaN",
        b"None",
        b"-",
        b"''",
        b'""',
        b"#N/A",
        b"true",
        b"0",
        b"00",
        b"1.0",
        b"1",
    ),
    *("Zürich".encode(), "Zu\u0308rich".encode(), "東京".encode(), b"\xff\xfex", b"\xc3\x28", b"\xed\xa0\x80"),
    *(b"Paris", b"paris", b"PARIS", b"\x00", b"a\x00b", b"a\x00", b"a", b"#comment", b"%", b"h", b"head"),
    *("ﬁ".encode(), b"fi", "İ".encode(), b"I", b"i", BOM, BOM + b"x", b"x"),
]


def test_labels_are_compared_exactly() -> None:
    distinct = list(dict.fromkeys(LABELS))
    rows = [(label, b"r", distinct[-1 - place]) for place, label in enumerate(distinct)]
    assert read(write([(b"start", b"r", b"x"), *rows], TSV))[1:] == rows
    # As relations, too; and equal labels stay equal.
    labels = read_triples(write([(b"a", label, b"b") for label in distinct * 2], TSV), TSV, "f")
    assert decode(labels.relation) == distinct * 2
    assert len(set(decode(labels.relation))) == len(distinct)


def label(delimiter: str, alphabet: bytes | None = None) -> st.SearchStrategy[bytes]:
    forbidden = {ord(delimiter), 10, 13}
    allowed = [byte for byte in (alphabet or bytes(range(256))) if byte not in forbidden]
    # One draw a label: a list of drawn bytes takes ten times as long.
    return st.binary(min_size=1, max_size=12).map(lambda raw: bytes(allowed[byte % len(allowed)] for byte in raw))


@pytest.mark.slow
@pytest.mark.parametrize(("delimiter", "columns", "count_line"), FORMATS)
@settings(max_examples=choose(40, 100), deadline=None)
@given(data=st.data(), crlf=st.booleans(), final=st.booleans(), bom=st.booleans())
def test_round_trip(
    delimiter: str, columns: str, count_line: bool, data: st.DataObject, crlf: bool, final: bool, bom: bool
) -> None:
    form = LineFormat(delimiter, columns, count_line)
    one = label(delimiter) | label(delimiter, b" \"',\t;aA\\\0N\xef\xbb\xbf")
    rows = data.draw(st.lists(st.tuples(one, one, one), min_size=1, max_size=8))
    content = write(rows, form, b"\r\n" if crlf else b"\n", final)
    # A mark at the start of a file names its encoding; there it cannot be part of a label.
    if bom or content.startswith((BOM, b"\xff\xfe", b"\xfe\xff")):
        content = BOM + content
    assert read(content, form) == rows


def test_lines_longer_than_a_block_of_the_parser() -> None:
    long = [bytes([65 + place]) * size for place, size in enumerate((3, (1 << 20) - 5, (1 << 20) + 1, 3_000_000))]
    rows = [(long[0], b"r", long[1]), (b"a", b"r", b"b"), (long[2], long[3], b"b"), (b"c", b"r", b"d")]
    assert read(write(rows, TSV)) == rows
    assert read(write(rows[:3], TSV, final=False)) == rows[:3]


@functools.lru_cache(1)
def make_large(lines: int) -> list[Row]:
    return [(b"entity %d" % (place % 5003), b"relation %d" % (place % 37), b"e%d" % place) for place in range(lines)]


@pytest.mark.slow
def test_a_machine_without_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    with pytest.raises(DataError, match=r"start no thread, and reading triples needs two.*ulimit -u"):
        read_triples(b"a\tr\tb\n", TSV, "train.txt")


def test_file_of_several_blocks() -> None:
    rows = make_large(120_000)
    content = write(rows, TSV)
    assert len(content) > 3 << 20
    assert read(content) == rows


# ---- what is refused ---------------------------------------------------------------------------------------------


COUNTED = LineFormat(delimiter=" ", columns="htr", count_line=True)


@pytest.mark.parametrize(
    ("content", "line", "got", "text"),
    [
        (b"a\tr\tb\na\tr\n", 2, 2, r"'a\tr'"),
        (b"a\tr\tb\na\tr\tb\tc\n", 2, 4, r"'a\tr\tb\tc'"),
        (b"a\n", 1, 1, "'a'"),
        (b"a\tr\tb\na\tr\tb\t\n", 2, 4, r"'a\tr\tb\t'"),
        (b"a\tr\tb\nc\tr\td\ne\tr\tf\nx", 4, 1, "'x'"),
        (BOM + b"a\tr\tb\r\na\tr\r\n", 2, 2, r"'a\tr'"),
        (b"a\tr\tb\n  \n", 2, 1, "'  '"),
        (b"a\tr\tb\nsch\xc3\xb6n\n", 2, 1, "'schön'"),
        (b"a\tr\tb\n\xff\xfe\n", 2, 1, r"'\\xff\\xfe'"),
        (b"a\tr\tb\n" + b"x" * 500, 2, 1, "'" + "x" * 120 + "…'"),
        (b"a\tr\tb\nc\td\ne\n", 2, 2, r"'c\td'"),
    ],
)
def test_wrong_number_of_columns(content: bytes, line: int, got: int, text: str) -> None:
    message = refused(content, name="valid.txt")
    assert message.startswith(
        f"valid.txt, line {line}: expected 3 columns (hrt) separated by a tab, got {got}: {text}."
    )


def test_further_columns_are_refused_with_a_hint_that_works() -> None:
    content = b"a\tr\tb\t1\tx\nc\tr\td\t0\ty\n"
    message = refused(content)
    hint = re.search(r"name them with -: (\S+)\.$", message)
    assert hint is not None
    assert hint[1] == "hrt--"
    assert read(content, LineFormat(columns=hint[1])) == [(b"a", b"r", b"b"), (b"c", b"r", b"d")]


@pytest.mark.parametrize(
    ("content", "delimiter", "told"),
    [
        (b"a,r,b\n", "\t", "a comma separates them. Rename the file to end in .csv."),
        (b"a r b\n", "\t", "a space separates them. Separate them by tabs."),
        (b"a\tr\tb\n", ",", "a tab separates them. Rename the file to end in .tsv."),
        (b"a;r;b\n", "\t", "a semicolon separates them. Separate them by tabs."),
    ],
)
def test_another_delimiter_is_suggested(content: bytes, delimiter: str, told: str) -> None:
    message = refused(content, LineFormat(delimiter=delimiter))
    assert message.endswith(f"The line has 3 columns if {told}")


@pytest.mark.parametrize(
    ("content", "line", "part"),
    [
        (b"\tr\tb\n", 1, "head"),
        (b"a\tr\tb\na\t\tb\n", 2, "relation"),
        (b"a\tr\tb\nc\tr\tb\na\tr\t\n", 3, "tail"),
        (b"a\tr\tb\na\tr\t", 2, "tail"),
        (b"a\tr\tb\r\na\tr\t\r\n", 2, "tail"),
        (b"\t\t\n", 1, "head"),
    ],
)
def test_empty_label(content: bytes, line: int, part: str) -> None:
    assert refused(content).startswith(f"train.txt, line {line}: the {part} is empty: ")


@pytest.mark.slow
def test_empty_label_in_a_later_block() -> None:
    lines = write(make_large(120_000), TSV).split(b"\n")
    lines[99_000] = b"a\t\tb"
    assert refused(b"\n".join(lines)).startswith("train.txt, line 99001: the relation is empty")


@pytest.mark.parametrize("newline", [b"\n", b"\r\n"])
@pytest.mark.parametrize(("place", "number"), [(0, 1), (1, 2), (2, 3)])
def test_blank_line_before_the_end(newline: bytes, place: int, number: int) -> None:
    lines = [b"a\tr\tb", b"c\tr\td", b"e\tr\tf"]
    lines.insert(place, b"")
    assert refused(newline.join(lines)).startswith(f"train.txt, line {number}: the line is blank; expected 3 columns")


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b"a\tr\tb\rc\tr\td\r", 1),
        (b"a\tr\tb\nc\rd\tr\te\n", 2),
        (b"a\tr\tb\r\nc\tr\td\re\tr\tf\r\n", 2),
        (b"a\tr\tb\r\r\nc\tr\td\r\n", 1),
        (b"a\tr\tb\n\rc\tr\td\n", 2),
        (b"a\tr\tb\nc\tr\td\r", 2),
        (b"a\tr\tb\r\nc\tr\td\r", 2),
        (b"a\tr\tb\r", 1),
    ],
)
def test_lone_carriage_return(content: bytes, line: int) -> None:
    message = refused(content)
    assert message.startswith(f"train.txt, line {line}: ")
    assert "carriage return" in message


@pytest.mark.parametrize("content", [b"", b"\n", b"\n\n", b"\r\n", BOM, BOM + b"\n"])
def test_empty_file(content: bytes) -> None:
    assert refused(content, name="test.txt").startswith("test.txt is empty; expected a triple on each line")


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_utf_16(codec: str) -> None:
    message = refused("\ufeffa\tr\tb\n".encode(codec))
    assert message.startswith("train.txt is UTF-16")
    assert "iconv" in message


COUNTED = LineFormat(count_line=True)


@pytest.mark.parametrize("first", [b"x", b"2.0", b"a\tr\tb", b"", b"2 2", "²".encode(), b"2\0"])
def test_count_line_that_is_no_number(first: bytes) -> None:
    message = refused(first + b"\na\tr\tb\nc\tr\td\n", COUNTED)
    assert message.startswith("train.txt, line 1: expected the number of triples that follow, got ")
    assert "choose another format" in message


@pytest.mark.parametrize("stated", [b"0", b"1", b"3", b"-2", b"99999999999999999999999"])
def test_count_line_that_is_wrong(stated: bytes) -> None:
    message = refused(stated + b"\na\tr\tb\nc\tr\td\n", COUNTED)
    assert message.startswith(f"train.txt: line 1 states {stated.decode()} triples, but 2 follow.")


@pytest.mark.parametrize("content", [b"1\n", b"1", b"0\n", b"1\r\n"])
def test_count_line_and_nothing_else(content: bytes) -> None:
    assert "count line and no triple" in refused(content, COUNTED)


def test_malformed_line_after_a_count_line_keeps_its_number() -> None:
    assert refused(b"2\na\tr\tb\nc\tr\n", COUNTED).startswith("train.txt, line 3: expected 3 columns")
    assert refused(b"2\na\tr\tb\n\nc\tr\td\n", COUNTED).startswith("train.txt, line 3: the line is blank")
    assert refused(BOM + b"2\r\na\tr\tb\r\n\tr\td\r\n", COUNTED).startswith("train.txt, line 3: the head is empty")


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@example(content=b"a\tr\tb\n\n\na\tr\tb")
@example(content=b"\xef\xbb\xbf\xef\xbb\xbfa\tr\tb")
@example(content=b"a\tr\tb\r")
@given(
    content=st.lists(st.sampled_from([b"a", b"\t", b"\n", b"\r\n", b"\r", b'"', b" ", BOM, b"a\tr\tb\n"])).map(b"".join)
)
def test_anything_is_read_whole_or_refused_with_its_place(content: bytes) -> None:
    body = content.removeprefix(BOM)
    lines = body.replace(b"\r\n", b"\n").rstrip(b"\n").split(b"\n")
    expected = [tuple(line.split(b"\t")) for line in lines]
    fine = all(len(row) == 3 and all(row) for row in expected) and not any(b"\r" in line for line in lines)
    if fine:
        assert read(content) == expected
    else:
        assert re.match(r"train\.txt(, line [1-9][0-9]*: | is empty)", refused(content))


def test_no_thread_holds_the_bytes_that_were_read() -> None:
    """One that lets go of them while the interpreter ends aborts the process."""
    for number in range(300):
        content = b"a\tr\tb\nb\tr\tc\nc\tr\t%d" % number
        before = sys.getrefcount(content)
        read_triples(content, TSV, "train.txt")
        assert sys.getrefcount(content) == before


def test_padded_labels_are_bytes_and_never_blank() -> None:
    form = LineFormat(delimiter="|", padded=True)
    labels = read_triples(b" a\xff | r |b\nb|r|a\n", form, "file")
    assert labels.head.to_pylist() == [b"a\xff", b"b"]
    assert labels.tail.to_pylist() == [b"b", b"a"]
    with pytest.raises(DataError, match="file, line 2: the relation is empty"):
        read_triples(b"a | r | b\na |  | b\n", form, "file")


def test_labels_that_look_alike() -> None:
    """In whichever way Unicode composes them, with any kind of space; if not UTF-8, as far as ASCII goes."""
    labels = ["Ren\u00e9", "Rene\u0301", "New York", "New\xa0York", "x\u00b2", "x2"]
    odd = _find_alike(pa.array([label.encode() for label in labels], pa.binary()))
    assert [each.as_py().decode() for each in odd] == [labels[1], labels[3]]
    assert [each.as_py() for each in _find_alike(pa.array([b"\xff", b"x ", b"x"], pa.binary()))] == [b"x "]
    assert len(_find_alike(pa.array(["Ren\u00e9".encode(), b"Rene"], pa.binary()))) == 0
