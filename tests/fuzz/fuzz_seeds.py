"""First inputs of each target: what the tests read, taken from their own texts."""

import ast
import gzip
import io
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import fuzz_targets
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from cases import read_cases

TESTS = Path(__file__).resolve().parents[1]

_TABLES = "results/tables"
_SOURCES: dict[str, tuple[str, ...]] = {
    "csv": (f"{_TABLES}/test_delimited.py", f"{_TABLES}/test_grid.py", "results/tools"),
    "markdown": (f"{_TABLES}/test_markdown.py", "results/test_hidden.py", "results/test_rewrite.py"),
    "html": (f"{_TABLES}/test_markdown.py", "results/test_hidden.py"),
    "yaml": ("results/test_objects.py", "results/tools"),
    "frame": (f"{_TABLES}/test_delimited.py", "results/test_frame.py"),
    "latex": (f"{_TABLES}/test_latex.py", f"{_TABLES}/test_cells.py", "results/test_rewrite.py"),
    "text": (f"{_TABLES}/test_printed.py",),
    "structured": ("results/test_objects.py", "results/tools"),
    "logs": ("results/logs",),
    "workbook": (f"{_TABLES}/test_xlsx.py",),
    "adjusting": ("cli/test_adjust_files.py", "results/test_batches.py", "results/test_rewrite.py"),
    "graph": ("builder/test_triples.py", "builder/test_statements.py"),
    "archive": (),
    "tables": (),
    "descriptor": (),
    "counts": ("cli/test_counts_file.py",),
    "locations": ("tables/test_location.py",),
    "names": ("catalogue", "test_tasks.py"),
    "arguments": ("cli/test_one_answer.py", "cli/test_app.py", "cli/test_check.py", "cli/test_show.py"),
}  # fmt: skip
_SHORT = {"names", "locations", "arguments", "counts", "graph"}
_NO_OPTION = {"names", "locations", "counts", "descriptor"}


def list_seeds(target: str) -> list[bytes]:
    """Return the first inputs of a target; each but those without options is there with several
    first bytes.
    """
    found = [
        text.encode("utf-8", "surrogateescape")
        for text in dict.fromkeys(_list_texts(target))
        if len(text) < 20_000
    ]
    if target in _MADE:
        return list(_MADE[target]())
    if target in _NO_OPTION:
        return found
    return [
        bytes([option]) + content
        for i, content in enumerate(found)
        for option in (0, i % 16, i * 7 % 256)
    ]


def _list_texts(target: str) -> Iterator[str]:
    """Yield the texts in the code of some tests: single ones, and the fixed parts of formatted
    ones.
    """
    for source in _SOURCES.get(target, ()):
        path = TESTS / source
        yield from (file.read_text(encoding="utf-8") for file in sorted(path.glob("samples/*.txt")))
        for file in sorted(path.glob("*.py")) if path.is_dir() else [path]:
            if (cases := file.with_suffix(".txt")).is_file():
                yield from (text for text, _ in read_cases(cases))
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                text = _text_of(node)
                if target == "arguments" and isinstance(node, ast.Call):
                    text = "\n".join(filter(None, map(_text_of, node.args[1:])))
                if text and (target in _SHORT or "\n" in text or len(text) > 30):
                    yield text


def _text_of(node: ast.AST) -> str | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes)):
        return (
            node.value
            if isinstance(node.value, str)
            else node.value.decode("utf-8", "surrogateescape")
        )
    if isinstance(node, ast.JoinedStr):
        return "".join(_text_of(part) or "0.5" for part in node.values)
    return None


def _make_archives() -> Iterator[bytes]:
    content = b"a\tr\tb\nb\tr\tc\n"
    for packing in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", packing) as archive:
            archive.writestr("d/train.txt", content)
            archive.writestr("datapackage.json", "{}")
        yield b"\0" + packed.getvalue()
    for form in (tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT):
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w", format=form) as archive:
            for name, size in (("d/train.txt", len(content)), ("é" * 45, len(content))):
                info = tarfile.TarInfo(name)
                info.size = size
                archive.addfile(info, io.BytesIO(content))
            link = tarfile.TarInfo("d/test.txt")
            link.type, link.linkname = tarfile.SYMTYPE, "d/test.txt"
            archive.addfile(link)
        yield b"\1" + packed.getvalue()
        yield b"\2" + gzip.compress(packed.getvalue(), mtime=0)


def _make_tables() -> Iterator[bytes]:
    for i, content in enumerate(fuzz_targets.list_tables().values()):
        yield bytes([i]) + content


def _make_descriptors() -> Iterator[bytes]:
    yield fuzz_targets.describe_tables(fuzz_targets.list_tables())
    yield (
        b'{"version": "1.0.0", "resources": [], "provenance": [{"dataset": "a", "parts": [1, '
        b"null]}]}"
    )


def _make_workbooks() -> Iterator[bytes]:
    parts = fuzz_targets.list_parts()
    for i, content in enumerate(parts.values()):
        yield bytes([i]) + content
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    yield bytes([len(parts)]) + packed.getvalue()


def _make_columns() -> Iterator[bytes]:
    ids = [[1, 0, 2], [2, 1, 3], [1, 0, 2]]
    for kind in (pa.int32(), pa.int64(), pa.string(), pa.dictionary(pa.int32(), pa.string())):
        for packing in ("none", "snappy", "zstd"):
            stream = io.BytesIO()
            parts = [pa.array([str(row[place]) for row in ids]).cast(kind) for place in range(3)]
            pq.write_table(pa.table(parts, names=["h", "r", "t"]), stream, compression=packing)
            yield stream.getvalue()
    for dtype in ("<i8", ">u4", "<f8"):
        stream = io.BytesIO()
        np.save(stream, np.array(ids, dtype=dtype))
        yield stream.getvalue()
    yield b"Q1\tP0\tQ2\nQ2\tP1\tQ3\nQ1\tP0\tQ2\n"
    yield b"1\t0\t2\n2\t1\t3\n1\t0\t2"


_MADE = {
    "columns": _make_columns,
    "archive": _make_archives,
    "tables": _make_tables,
    "descriptor": _make_descriptors,
    "workbook": _make_workbooks,
}
