"""Files as text: what is refused before any reader sees it."""

import gzip
import io
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankconst.errors import DataError
from rankconst.results.document import LARGEST, Document, list_files, open_document

TABLE = "model,MRR\nRotatE,0.338\n"


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"\xef\xbb\xbf" + TABLE.replace("\n", "\r\n").encode(), TABLE),
        # A byte order mark says the encoding.
        (TABLE.replace("\n", "\r\n").replace("RotatE", "Modèle").encode("UTF-16"), TABLE.replace("RotatE", "Modèle")),
        (TABLE.encode("UTF-32"), TABLE),
        # Carriage returns end lines only where nothing else does.
        (b"a\rb\rc", "a\nb\nc"),
        (b"10%\r50%\rdone\nnext\n", "10%\r50%\rdone\nnext\n"),
    ],
)  # fmt: skip
def test_text_of_any_encoding_with_its_lines(tmp_path: Path, data: bytes, text: str) -> None:
    path = tmp_path / "results.csv"
    path.write_bytes(data)
    document = open_document(path)
    assert (document.text, document.lines) == (text, tuple(text.split("\n")))
    assert (document.suffix, document.at(2_000)) == (".csv", f"{path}, line 2,000")
    assert document.source.removeprefix("\ufeff").replace("\r\n", "\n").replace(
        "\r", "\n"
    ) == text.replace("\r", "\n")


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"", "is empty"),
        (b"\xff\xfe\x00\xd8a", "begins like UTF-16 text, but is not"),
        (TABLE.encode("utf-16-le"), "is not text in UTF-8: it contains zero bytes"),
        ("model,MRR\nModèle,0.338\n".encode("latin-1"), "line 2: byte 0xe8 is not UTF-8"),
        (b"%PDF-1.7\n%\xe2\xe3", "is a PDF. Copy the table from it into a text file"),
        (gzip.compress(TABLE.encode(), mtime=0), "is compressed; expected text. Run: gunzip -c /"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0", "old .xls workbook, or one with a password. Save it as .xlsx"),
    ],
)  # fmt: skip
def test_what_is_no_text_is_named(tmp_path: Path, data: bytes, told: str) -> None:
    path = tmp_path / "results.csv"
    path.write_bytes(data)
    with pytest.raises(DataError) as refused:
        open_document(path)
    assert str(path) in str(refused.value)
    assert told in str(refused.value)


@pytest.mark.parametrize("encoding", ["UTF-16LE", "UTF-16BE", "WINDOWS-1252"])
def test_the_remedy_makes_a_file_that_is_read(tmp_path: Path, encoding: str) -> None:
    shell = shutil.which("sh")
    if shell is None or shutil.which("iconv") is None:
        pytest.skip("there is no shell or no iconv here")
    table = "model,MRR\nRotatE,0.338\nModèle,0.338\n"
    path = tmp_path / "it's results.csv"
    path.write_bytes(table.encode(encoding))
    with pytest.raises(DataError) as refused:
        open_document(path)
    subprocess.run(
        [shell, "-c", str(refused.value).partition("Run: ")[2]], cwd=tmp_path, check=True
    )
    assert open_document(tmp_path / "NEW").text == table


def test_the_remedy_for_standard_input_names_no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TABLE.encode("utf-16-be"))))
    with pytest.raises(
        DataError,
        match=r"^standard input is not text .* Pass it through: iconv -f UTF-16BE -t UTF-8$",
    ):
        open_document("-")


def test_a_huge_file_is_refused_without_being_read(tmp_path: Path) -> None:
    path = tmp_path / "train.log"
    with path.open("wb") as file:
        file.truncate(LARGEST + 1)
    with pytest.raises(DataError, match=r"larger than 64 MiB.*grep"):
        open_document(path)


def test_places_without_a_file(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="there is no file"):
        open_document(tmp_path / "nope.csv")
    with pytest.raises(DataError, match="is a folder without files"):
        list_files(tmp_path)


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / "any"
    path.write_bytes(data)
    try:
        assert isinstance(open_document(path), Document)
    except DataError as refused:
        assert str(path) in str(refused)
