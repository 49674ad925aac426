"""Read the files of a set of tables, from a folder or from inside a zip file; nothing is unpacked."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankconst.errors import TablesError, first_line
from rankconst.tables.schema import COLUMNS, SINCE

if TYPE_CHECKING:
    from typing import TypeAlias

    Folder: TypeAlias = "Path | ZipPath"


DESCRIPTOR = "datapackage.json"
"""The file that names the version of a set of tables, and the SHA-256 of each of its files."""

# Most sets are folders: what zip files need is imported for those alone, so that tables open quickly.


def _damage(*others: type[Exception]) -> tuple[type[Exception], ...]:
    """Return what :mod:`zipfile` raises of a damaged, encrypted or strangely packed file, and `others`."""
    import zipfile
    import zlib

    return zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, UnicodeError, *others


@dataclass(frozen=True, slots=True)
class ZipPath:
    """A folder or a file inside a zip file; unlike :class:`zipfile.Path` it keeps no file open."""

    archive: Path
    at: str  # a folder with a slash at its end; empty for the top of the zip file
    label: str  # what messages call the zip file

    def __str__(self) -> str:
        return f"{self.label}/{self.at}".rstrip("/")

    def __truediv__(self, name: str, /) -> ZipPath:
        return ZipPath(self.archive, f"{self.at}{name}", self.label)

    def read_bytes(self) -> bytes:
        """Return the content; FileNotFoundError if there is no such file, TablesError if it is damaged."""
        import zipfile

        try:
            with zipfile.ZipFile(self.archive) as archive:
                return archive.read(self.at)
        except KeyError as error:
            raise FileNotFoundError(f"{self.label} has no member {self.at}") from error
        except FileNotFoundError:
            raise
        except _damage(OSError) as error:  # a wrong offset in the listing is an OSError
            raise TablesError(f"{self} cannot be read: {first_line(error)}. Get the zip file again.") from error


def read_descriptor(folder: Folder) -> dict[str, Any]:
    """Return the descriptor of a set; TablesError if there is none, or it names no version and files."""
    try:
        descriptor = json.loads((folder / DESCRIPTOR).read_bytes().decode("utf-8"))
    except (FileNotFoundError, NotADirectoryError) as error:
        raise TablesError(
            f"{folder} holds no tables: {DESCRIPTOR} is missing. `rankconst build --out DIR` makes them."
        ) from error
    except ValueError as error:
        raise TablesError(f"{folder / DESCRIPTOR} is not JSON ({error}). Build the set again.") from error
    resources = descriptor.get("resources") if isinstance(descriptor, dict) else None
    whole = isinstance(resources, list) and all(isinstance(resource, dict) for resource in resources)
    if not isinstance(descriptor, dict) or not whole or not isinstance(descriptor.get("version"), str):
        raise TablesError(
            f"{folder / DESCRIPTOR} is not the descriptor of a set of tables: expected a version and a list of "
            "resources. Build the set again."
        )
    return descriptor


def read_table_file(folder: Folder, name: str, expected: str | None) -> bytes:
    """Return the Parquet file of a table; TablesError if it is missing, or has another hash than the descriptor says.

    If `expected` is None, the descriptor names no such file, and none is accepted.
    """
    file = folder / f"{name}.parquet"
    try:
        content = file.read_bytes()
    except FileNotFoundError as error:
        raise TablesError(f"{file} is missing; the set in {folder} is not whole. Build it again.") from error
    got = f"sha256:{hashlib.sha256(content).hexdigest()}"
    if got != expected:
        remedy = "Restore it, or build the set again with --force." if isinstance(file, Path) else "Get the set again."
        raise TablesError(
            f"{file} is not the file that {DESCRIPTOR} describes: expected {expected}, got {got}. {remedy}"
        )
    return content


def check_whole(folder: Folder) -> None:
    """Check every table of a set; TablesError if one is not as the descriptor says."""
    hashes = {resource.get("name"): resource.get("hash") for resource in read_descriptor(folder)["resources"]}
    lacking = [name for name in COLUMNS if name not in hashes and name not in SINCE]
    if lacking:
        raise TablesError(f"{folder / DESCRIPTOR} names no {', '.join(lacking)}; a set of tables has them.")
    for name in COLUMNS:
        if name in hashes:
            read_table_file(folder, name, hashes[name])


def is_zip(path: Path) -> bool:
    """Tell whether a path is that of a zip file, by its name or its content."""
    if path.is_dir():
        return False
    import zipfile

    return path.suffix.lower() == ".zip" or zipfile.is_zipfile(path)


def find_set(archive: Path, label: str) -> ZipPath:
    """Return the one folder of a zip file that holds tables: its top, or a folder at its top."""
    import zipfile

    try:
        with archive.open("rb") as stream:
            head = stream.read(16)
        with zipfile.ZipFile(archive) as opened:
            names = opened.namelist()
    except FileNotFoundError as error:
        raise TablesError(f"there is no file {label}. Check the path.") from error
    except _damage() as error:
        if not head.startswith(b"PK"):
            raise TablesError(
                f"{label} is not a zip file: expected it to begin with {b'PK'!r}, got {head!r}. Name the zip file "
                "itself, not a page about it."
            ) from error
        raise TablesError(f"{label} was cut off or damaged: {first_line(error)}. Get the zip file again.") from error
    except OSError as error:
        raise TablesError(f"cannot read {label}: {error.strerror or error}. Check its permissions.") from error
    descriptors = [name for name in names if name.count("/") < 2 and name.rpartition("/")[2] == DESCRIPTOR]
    if not descriptors:
        shown = f"{', '.join(names[:5])}{', ...' if len(names) > 5 else ''}" or "nothing"
        raise TablesError(
            f"{label} holds no tables: expected {DESCRIPTOR} at its top or in one folder there, got {shown}. "
            "Zip a folder written by `rankconst build --out DIR`."
        )
    if len(descriptors) > 1:
        raise TablesError(
            f"{label} holds several sets of tables: expected one {DESCRIPTOR}, got {', '.join(descriptors)}. "
            "Zip each set by itself, or unpack it and name a folder."
        )
    return ZipPath(archive, descriptors[0].removesuffix(DESCRIPTOR), label)
