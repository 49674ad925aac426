"""Write files so that they are whole or not there at all."""

from __future__ import annotations

import errno
import os
import stat
import sys
from contextlib import suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_ABSENT = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)


def exists(path: Path) -> bool:
    """Return True if anything is at a path, or raise OSError if the system cannot tell."""
    try:
        path.stat()
    except ValueError:  # a zero byte
        return False
    except OSError as error:
        if error.errno in _ABSENT:
            return False
        raise

    return True


_BLOCK = 1 << 20  # bytes that are read at a time
SMALL = 16 * 2**20
"""The number of bytes that may be unpacked from however few."""


def grows_without_measure(packed: int, size: int) -> bool:
    """Return True for data that unpack to more than 100 times their size, unless they are small."""
    return size > SMALL + 100 * packed


def read_at_most(stream: IO[bytes], limit: int) -> bytes:
    """Read up to one byte more than `limit` from a stream."""
    blocks, remaining = list[bytes](), limit + 1
    while remaining > 0 and (block := stream.read(min(remaining, _BLOCK))):
        blocks.append(block)
        remaining -= len(block)
    return b"".join(blocks)


def write_through(path: Path, content: bytes | Iterable[bytes]) -> None:
    """Write a file to the disk, so that it is whole even after a power failure."""
    with path.open("wb") as stream:
        _write_blocks(stream, content)
        stream.flush()
        os.fsync(stream.fileno())


def _write_blocks(stream: IO[bytes], content: bytes | Iterable[bytes]) -> None:
    """Write bytes, or blocks of them one after the other."""
    blocks = [content] if isinstance(content, bytes) else content
    stream.writelines(blocks)


def replace_file(path: Path, content: bytes | Iterable[bytes], *, force: bool = True) -> None:
    """Write a file in one step, so that no half of it is ever seen.

    Without `force`, raise FileExistsError if a file is there.
    """
    target = Path(os.path.realpath(path))  # a link stays
    # A device or a pipe is not replaced. An open file without a name has a path that is not a link,
    # such as /dev/stdout.
    if path.exists() and not (target.is_file() and target.samefile(path)):
        with open(path, "wb", opener=_open_without_waiting) as stream:
            _write_blocks(stream, content)
        return

    # A short name of its own: names may be as long as the system allows, and two processes may
    # write one file.
    fresh = target.with_name(f".rankconst-{os.urandom(6).hex()}")
    try:
        if force and exists(target):  # who may read it stays
            fresh.touch()
            fresh.chmod(stat.S_IMODE(target.stat().st_mode))
        write_through(fresh, content)
        if not force:
            _name_new(fresh, target)
        else:
            fresh.replace(target)
    except BaseException:
        with suppress(OSError):
            fresh.unlink()
        raise


def _name_new(fresh: Path, target: Path) -> None:
    """Rename a file, unless another one has the name."""
    try:
        os.link(fresh, target)
    except FileExistsError:
        raise
    except (OSError, AttributeError, NotImplementedError):  # a file system without hard links
        if exists(target):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target)) from None
        fresh.replace(target)
    else:
        fresh.unlink()


def _open_without_waiting(path: str, flags: int) -> int:
    """Open a device or a pipe, and raise an error if nothing reads from it."""
    if not hasattr(os, "O_NONBLOCK"):  # Windows
        return os.open(path, flags)

    try:
        opened = os.open(path, flags | os.O_NONBLOCK)
    except OSError as error:
        if error.errno == errno.ENXIO:
            raise OSError(error.errno, "nothing reads from it", path) from None
        raise

    os.set_blocking(opened, True)
    return opened


def exchange_folder(fresh: Path, target: Path) -> None:
    """Replace a folder by another one, so that one of them is there at every moment."""
    import shutil

    if not target.is_dir():
        fresh.rename(target)
        return

    if not _swap(fresh, target):  # here there is no folder for a moment
        old = fresh.with_name(f"{fresh.name}.old")
        shutil.rmtree(old, ignore_errors=True)
        target.rename(old)
        try:
            fresh.rename(target)
        except BaseException:
            old.rename(target)
            raise
        fresh = old

    shutil.rmtree(fresh, ignore_errors=True)


def _swap(first: Path, second: Path) -> bool:
    """Exchange two folders in one step; return False if the system cannot do this."""
    paths = os.fsencode(first), os.fsencode(second)
    # On Windows, CDLL(None) raises the last.
    with suppress(OSError, AttributeError, ImportError, TypeError):
        import ctypes

        system = ctypes.CDLL(None)
        if sys.platform == "darwin":
            return bool(system.renamex_np(*paths, 2) == 0)  # RENAME_SWAP
        # -100 is AT_FDCWD, 2 is RENAME_EXCHANGE.
        return bool(system.renameat2(-100, paths[0], -100, paths[1], 2) == 0)

    return False
