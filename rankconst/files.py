"""Files that are there whole or not at all."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def write_through(path: Path, content: bytes | Iterable[bytes]) -> None:
    """Write a file down to the disk, so that what is renamed afterwards is whole even if the power fails."""
    with path.open("wb") as stream:
        stream.writelines([content] if isinstance(content, bytes) else content)
        stream.flush()
        os.fsync(stream.fileno())


def replace_file(path: Path, content: bytes | Iterable[bytes]) -> None:
    """Put a file in its place at once, so that half of it is never seen; if it cannot be written, nothing is left."""
    target = Path(os.path.realpath(path))  # a link stays, and so does a device
    if target.exists() and not target.is_file():
        with target.open("wb") as stream:
            stream.writelines([content] if isinstance(content, bytes) else content)
        return
    # A short name of its own: names may be as long as the system allows, and two processes may write one file.
    fresh = target.with_name(f".rankconst-{os.urandom(6).hex()}")
    try:
        write_through(fresh, content)
        fresh.replace(target)
    except BaseException:
        with suppress(OSError):
            fresh.unlink()
        raise
