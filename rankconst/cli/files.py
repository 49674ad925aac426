"""Files that commands write: checked before the work, put in their place at once after it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rankconst.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


def check_target(path: Path, force: bool) -> None:
    """Refuse a place where no file can or may be written.

    Raises
    ------
    UsageError
        If it is a folder, exists already without `force`, or lies in a folder that is not there.
    """
    try:
        found = path.exists()
    except OSError as error:
        raise UsageError(f"{str(path)[:80]}...: {error.strerror}. Name another file.") from error
    if path.is_dir():
        raise UsageError(f"{path} is a folder; name a file in it.")
    if found and not force:
        raise UsageError(f"{path} is there already. Name another file, or add --force to write over it.")
    if not path.parent.is_dir():
        raise UsageError(f"there is no folder {path.parent}. Make it, or name another file.")


def write_whole(path: Path, content: bytes | Iterable[bytes]) -> None:
    """Put a file in its place at once, so that nobody ever reads half of it.

    Raises
    ------
    UsageError
        If it cannot be written; nothing is left behind.
    """
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with fresh.open("wb") as file:
            file.writelines([content] if isinstance(content, bytes) else content)
        fresh.replace(path)
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}.") from error
    finally:
        fresh.unlink(missing_ok=True)
