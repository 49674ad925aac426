"""Where a set of tables can be: in a folder, in a zip file, at a URL, in a deposit with a DOI.

A zip file is read in place; nothing is unpacked. What lies on the network is downloaded once, checked as a whole, and
kept as one zip file in ``tables/`` of the cache folder (``RANKCONST_CACHE``, or the folder that the OS has for caches).
From then on it is read from there without a request, until that file is deleted: ``rankconst.load(url).path`` names it.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from rankconst.errors import TablesError, UsageError
from rankconst.tables.schema import COLUMNS, SINCE

if TYPE_CHECKING:
    from collections.abc import Callable


DESCRIPTOR = "datapackage.json"
"""The file that names the version of a set of tables, and the SHA-256 of each of its files."""

# Most sets are folders: what zip files and downloads need is imported for those alone, so that tables open quickly.


def _damage(*others: type[Exception]) -> tuple[type[Exception], ...]:
    """Return what :mod:`zipfile` raises of a damaged, encrypted or strangely packed file, and `others`."""
    import zipfile
    import zlib

    return zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, UnicodeError, *others


class File(Protocol):
    """A file to read."""

    def read_bytes(self) -> bytes:
        """Return the content; FileNotFoundError if there is no such file."""
        ...


class Folder(Protocol):
    """A folder of files to read: a :class:`pathlib.Path`, or one inside a zip file. Its text is for messages."""

    def __truediv__(self, name: str, /) -> File: ...


@dataclass(frozen=True, slots=True)
class ZippedFile:
    """A file inside a zip file.

    Attributes
    ----------
    archive
        The zip file.
    member
        The name of the file in it.
    label
        What messages call the zip file.
    """

    archive: Path
    member: str
    label: str

    def __str__(self) -> str:
        return f"{self.label}/{self.member}"

    def read_bytes(self) -> bytes:
        """Return the content.

        Raises
        ------
        FileNotFoundError
            If the zip file is gone, or has no such member.
        TablesError
            If it is damaged.
        """
        import zipfile

        # Opened for each read, so that nothing is left open: there are few reads, and the listing is short.
        try:
            with zipfile.ZipFile(self.archive) as archive:
                return archive.read(self.member)
        except KeyError as error:
            raise FileNotFoundError(f"{self.label} has no member {self.member}") from error
        except FileNotFoundError:
            raise
        except _damage(OSError) as error:  # a wrong offset in the listing is an OSError
            raise TablesError(f"{self} cannot be read: {first_line(error)}. Get the zip file again.") from error


@dataclass(frozen=True, slots=True)
class ZippedFolder:
    """A folder inside a zip file.

    Attributes
    ----------
    archive
        The zip file.
    top
        The folder in it, with a slash at its end; empty for the zip file itself.
    label
        What messages call the zip file.
    """

    archive: Path
    top: str
    label: str

    def __str__(self) -> str:
        return f"{self.label}/{self.top}".rstrip("/")

    def __truediv__(self, name: str, /) -> ZippedFile:
        return ZippedFile(self.archive, f"{self.top}{name}", self.label)


@dataclass(frozen=True, slots=True)
class Location:
    """Where a set of tables is on this machine.

    Attributes
    ----------
    path
        The folder, or the zip file.
    folder
        Reads the files of the set.
    """

    path: Path
    folder: Folder


@dataclass(frozen=True, slots=True)
class Kind:
    """A way to say where a set of tables is.

    Attributes
    ----------
    name
        What messages call it.
    recognise
        Tells whether a text is of this kind; asks nothing of the network.
    locate
        Returns the location that such a text means.
    """

    name: str
    recognise: Callable[[str], bool]
    locate: Callable[[str], Location]


# Reading a set, wherever it is.


def read_descriptor(folder: Folder) -> dict[str, Any]:
    """Return the descriptor of a set of tables.

    Raises
    ------
    TablesError
        If there is none, or it does not name a version and its files.
    """
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
    """Return the content of the Parquet file of a table.

    Parameters
    ----------
    folder
        The set.
    name
        One of :data:`~rankconst.tables.schema.COLUMNS`.
    expected
        Its hash, as the descriptor writes it. If None, the descriptor names no such file, and none is accepted.

    Raises
    ------
    TablesError
        If the file is missing, or is not the one that was written.
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


def first_line(error: Exception) -> str:
    """Return the first line of an error's text, to be put into a sentence."""
    return str(error).partition("\n")[0].rstrip(".")


# On this machine.


def _is_zip(text: str) -> bool:
    path = Path(text)
    if path.is_dir():
        return False
    import zipfile

    return path.suffix.lower() == ".zip" or zipfile.is_zipfile(path)


def _locate_zip(text: str) -> Location:
    return Location(Path(text), find_set(Path(text), text))


def find_set(archive: Path, label: str) -> ZippedFolder:
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
    return ZippedFolder(archive, descriptors[0].removesuffix(DESCRIPTOR), label)


def _locate_folder(text: str) -> Location:
    return Location(Path(text), Path(text))


# On the network.


def is_doi(text: str) -> bool:
    """Tell whether a place is that of a deposit."""
    return text.lower().startswith("doi:")


def is_url(text: str) -> bool:
    """Tell whether a place is an address on the network."""
    return text.lower().startswith(("http://", "https://"))


def is_descriptor_url(text: str) -> bool:
    """Tell whether a place is the address of a descriptor with the tables beside it."""
    return is_url(text) and re.split("[?#]", text, maxsplit=1)[0].endswith(f"/{DESCRIPTOR}")


def _locate_remote(text: str) -> Location:
    from rankconst.tables.remote import locate_in_cache

    return locate_in_cache(text)


# Which is which.

KINDS = (
    Kind("a DOI", is_doi, _locate_remote),
    Kind(f"the URL of a {DESCRIPTOR}", is_descriptor_url, _locate_remote),
    Kind("the http or https URL of a zip file", is_url, _locate_remote),
    Kind("a zip file", lambda text: "://" not in text and _is_zip(text), _locate_zip),
    Kind("a folder", lambda text: "://" not in text, _locate_folder),
)
"""The ways to say where tables are; the first that recognises a text is taken."""


def find_location(place: str | os.PathLike[str]) -> Location:
    """Return where a set of tables is, after downloading it if need be.

    Parameters
    ----------
    place
        A folder or zip file; or, as text, the URL of a zip file or of a ``datapackage.json`` that has the tables
        beside it, ``doi:10.PREFIX/SUFFIX`` of a deposit with one zip file, or ``doi:10.PREFIX/SUFFIX/NAME.zip``.
        A URL or DOI can be followed by ``#sha256=`` and the SHA-256 of that file.

    Raises
    ------
    UsageError
        If it is none of these.
    TablesError
        If a zip file is not one, is damaged, or does not hold one set.
    DownloadError
        If a download fails, or brings no whole set with the hash that was asked for.
    MissingExtraError
        If a download needs pooch, which is not installed.
    """
    text = os.fspath(place)
    for kind in KINDS:
        if kind.recognise(text):
            return kind.locate(text)
    raise UsageError(
        f"{text!r} is no place that tables can be read from: expected {', '.join(kind.name for kind in KINDS)}."
    )
