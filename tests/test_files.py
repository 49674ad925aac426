"""Files are replaced at once, and what is no file stays what it is."""

import ctypes
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from rankconst import files
from rankconst.files import exchange_folder, exists, replace_file


def test_a_file_is_replaced_at_once(tmp_path: Path) -> None:
    path = tmp_path / ("n" * 255 if os.name == "posix" else "name")  # as long as names may be
    replace_file(path, b"old")

    def look() -> Iterator[bytes]:
        yield b"n"
        assert path.read_bytes() == b"old"
        yield b"ew"

    replace_file(path, look())
    assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(os.name != "posix", reason="elsewhere a file has no such mode")
def test_who_may_read_a_file_stays(tmp_path: Path) -> None:
    path = tmp_path / "name"
    path.touch(0o600)
    replace_file(path, b"new")
    assert path.read_bytes() == b"new"
    assert path.stat().st_mode & 0o777 == 0o600


def test_links_and_devices_stay(tmp_path: Path) -> None:
    (tmp_path / "target").write_bytes(b"old")
    (tmp_path / "link").symlink_to(tmp_path / "target")
    replace_file(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_bytes() == b"new"
    if not hasattr(os, "mkfifo"):
        return
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(OSError, match="nothing reads from it"):
        replace_file(pipe, b"new")  # does not wait for a reader
    with os.fdopen(os.open(pipe, os.O_RDONLY | os.O_NONBLOCK), "rb") as reader:
        replace_file(pipe, [b"n", b"ew"])
        assert reader.read() == b"new"
    assert pipe.is_fifo()


@pytest.mark.skipif(not Path("/dev/fd").is_dir(), reason="the system has no paths of open files")
def test_what_is_open_is_written_to(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as reader:
        with os.fdopen(writing, "wb"):
            replace_file(Path(f"/dev/fd/{writing}"), b"new")
        assert reader.read() == b"new"
    gone = tmp_path / "gone"
    with gone.open("w+b") as stream:
        gone.unlink()
        replace_file(Path(f"/dev/fd/{stream.fileno()}"), b"new")
        assert stream.read() == b"new"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("swaps", [True, False])
def test_folders_change_places(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, swaps: bool
) -> None:
    if not swaps:  # as on Windows, and on file systems without such a call
        monkeypatch.setattr(files, "_swap", lambda *_: False)
    for name, content in (("fresh", "new"), ("target", "old")):
        (tmp_path / name).mkdir()
        (tmp_path / name / content).touch()
    exchange_folder(tmp_path / "fresh", tmp_path / "target")
    assert [path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*")] == [
        "target",
        "target/new",
    ]


def test_a_system_without_libraries_by_no_name_has_no_swap(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(name: str | None) -> None:
        assert "/" in name  # type: ignore[operator] # None, as in Python's own code for Windows

    monkeypatch.setattr(ctypes, "CDLL", refuse)
    for name in ("fresh", "target"):
        (tmp_path / name).mkdir()
    (tmp_path / "fresh" / "new").touch()
    exchange_folder(tmp_path / "fresh", tmp_path / "target")
    assert [path.name for path in (tmp_path / "target").iterdir()] == ["new"]


def test_folders_without_a_swap_keep_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rename = Path.rename

    def fail(path: Path, target: Path) -> Path:
        if path.name == "fresh":
            raise PermissionError
        return rename(path, target)

    monkeypatch.setattr(files, "_swap", lambda *_: False)
    monkeypatch.setattr(Path, "rename", fail)
    for name in ("fresh", "target"):
        (tmp_path / name).mkdir()
    (tmp_path / "target" / "old").touch()
    with pytest.raises(PermissionError):
        exchange_folder(tmp_path / "fresh", tmp_path / "target")
    assert (tmp_path / "target" / "old").is_file()


@pytest.mark.skipif(os.name != "posix", reason="names and messages are others here")
def test_whether_anything_is_at_a_path(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "loop").symlink_to("loop")
    assert exists(tmp_path)
    assert exists(tmp_path / "file")
    assert not any(exists(tmp_path / name) for name in ("none", "file/none", "loop", "zero\0byte"))
    with pytest.raises(OSError, match="File name too long"):
        exists(tmp_path / ("x" * 300))
