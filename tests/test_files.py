"""Files are replaced at once, and what is no file stays what it is."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

import pytest

from rankconst.files import replace_file

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


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


def test_what_fails_leaves_nothing(tmp_path: Path) -> None:
    def fail() -> Iterator[bytes]:
        yield b"half"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        replace_file(tmp_path / "file", fail())
    assert list(tmp_path.iterdir()) == []


def test_links_and_devices_stay(tmp_path: Path) -> None:
    (tmp_path / "target").write_bytes(b"old")
    (tmp_path / "link").symlink_to(tmp_path / "target")
    replace_file(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_bytes() == b"new"
    if not hasattr(os, "mkfifo"):
        return
    pipe, got = tmp_path / "pipe", list[bytes]()
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    replace_file(pipe, [b"n", b"ew"])
    reader.join()
    assert got == [b"new"]
    assert pipe.is_fifo()
