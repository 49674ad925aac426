"""Find a set of tables and read its files: in a folder or a zip file, at a URL or a DOI.

A zip file is read in place. What is on the network is downloaded once, checked as a whole, and
cached in ``tables/`` of the cache folder (``RANKCONST_CACHE``, or the folder that the OS has for
caches). From then on it is read from there without a request, until you delete that file:
``rankconst.load(url).path`` names it.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankconst.errors import (
    DownloadError,
    TablesError,
    UsageError,
    explain_write_errors,
    first_line,
)
from rankconst.files import exists, grows_without_measure
from rankconst.names import shorten
from rankconst.tables.schema import COLUMNS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import TypeAlias

    Folder: TypeAlias = "Path | ZipPath"

# Most sets are folders: what downloads and zip files need is imported for them alone.

OUTPUT = "rankconst-tables"
"""The folder that builds write to, and that commands search after other sets."""


def find_location(place: str | os.PathLike[str]) -> tuple[Path, Folder]:
    """Return the path of a set, downloaded if need be, and the folder, perhaps in a zip file.

    The forms of `place` and the errors are those of :func:`rankconst.load`.
    """
    text = os.fspath(place) if isinstance(place, (str, os.PathLike)) else None
    if not isinstance(text, str):
        raise _refuse(shorten(repr(place)))
    if text.lower().startswith(("doi:", "http://", "https://")):
        return _find_copy(text)
    try:
        if "://" not in text and "\0" not in text:
            path = Path(text)
            exists(path)  # for its errors
            return path, find_set(path, text) if is_zip(path) else path
    except PermissionError as error:
        raise TablesError(
            f"cannot read {text}: {error.strerror}. Check its permissions."
        ) from error
    except OSError:  # too long for a name, a loop of links
        pass
    from rankconst.download import hide_login

    raise _refuse(repr(shorten(hide_login(text))))


def _refuse(shown: str) -> UsageError:
    return UsageError(
        f"{shown} is not a place that tables can be read from: "
        "expected a DOI, the http or https URL of a zip file, a zip file, a folder."
    )


@dataclass(frozen=True, slots=True)
class _Remote:
    """A set on the network: the address, its name in messages, and perhaps a SHA-256."""

    address: str
    name: str
    sha256: str | None

    @property
    def file_name(self) -> str:
        """The name in the cache: readable, and another one for every address and hash."""
        readable = re.sub(r"[^A-Za-z0-9.]+", "-", self.name)[-100:].strip("-.")
        key = hashlib.sha256(f"{self.name}#{self.sha256}".encode()).hexdigest()[:16]
        return f"{readable}-{key}.zip"

    def open(self, archive: Path) -> ZipPath:
        """Return the folder in a downloaded zip file, checked as a whole."""
        sha256 = hashlib.sha256(archive.read_bytes()).hexdigest()
        if self.sha256 not in {None, sha256}:
            raise DownloadError(
                f"{self.name} is not the file that was asked for: expected SHA-256 {self.sha256}, "
                f"got {sha256}. Nothing was kept. Check the hash with the publisher."
            )
        folder = find_set(archive, self.name)
        check_whole(folder)
        return folder


def _parse(text: str) -> _Remote:
    from rankconst.download import hide_login

    if not text.isprintable():
        raise UsageError(
            f"{text!r} is not an address: it has characters that are not text. "
            "Type or copy it again."
        )
    address, mark, fragment = text.partition("#")
    if not mark:
        return _Remote(address, hide_login(address), None)
    match = re.fullmatch(r"sha256=([0-9a-f]{64})", fragment, re.IGNORECASE)
    if match is None:
        raise UsageError(
            f"what follows # in {hide_login(text)!r} is not a hash: "
            f"expected #sha256= and 64 hexadecimal digits, got #{fragment}."
        )
    return _Remote(address, hide_login(address), match[1].lower())


def _find_copy(text: str) -> tuple[Path, ZipPath]:
    """Return the cached copy of the set at an address, downloaded if it is not whole."""
    import tempfile

    from rankconst.download import Remedies, cache_folder, download, require_module
    from rankconst.progress import Reporter

    remote = _parse(text)
    require_module("pooch", f"getting tables from {remote.name}")
    copy = cache_folder() / "tables" / remote.file_name
    if copy.is_file():
        with suppress(TablesError, DownloadError):  # damaged since: it is downloaded again
            return copy, remote.open(copy)
    remedies = Remedies(
        missing="Check the address and the network, or get the file in another way and name that.",
        described="the file that its deposit describes",
        mismatch="Try again.",
    )
    address, file_hash = remote.address, None
    if text.lower().startswith("doi:"):
        address, file_hash = _find_deposited(address)
    where, remedy = f"to the cache {copy.parent}", "Set RANKCONST_CACHE to another folder."
    try:
        with explain_write_errors(where, remedy, DownloadError):
            copy.parent.mkdir(parents=True, exist_ok=True)
            # A folder of its own, so that simultaneous downloads do not meet.
            with tempfile.TemporaryDirectory(dir=copy.parent, prefix=".incoming-") as incoming:
                fresh = Path(incoming) / "tables.zip"
                download(address, fresh, file_hash, remedies, Reporter())
                remote.open(fresh)
                fresh.replace(copy)
    except TablesError as error:
        raise DownloadError(f"{error} Nothing was kept.") from error
    return copy, find_set(copy, remote.name)


_DOI = re.compile(r"doi:(10\.\d{4,9}/.*?[^/])(?:/([^/]+\.zip))?/?", re.IGNORECASE)


def _find_deposited(address: str) -> tuple[str, str]:
    """Return the address and the hash of the zip file of a deposit: named, or the only one."""
    from rankconst.download import explain, strange_answers

    match = _DOI.fullmatch(address)
    if match is None:
        raise UsageError(
            f"{address!r} is not a DOI: expected doi:10.PREFIX/SUFFIX, "
            "or doi:10.PREFIX/SUFFIX/NAME.zip."
        )
    doi, name = match.groups()
    remedy = "get the zip file in another way and name that"
    try:
        files = _list_files(doi)
    except OSError as error:  # of requests
        raise DownloadError(
            f"could not look up doi:{doi}: {explain(error)}. "
            f"Check the DOI and the network, or {remedy}."
        ) from error
    except strange_answers() as error:
        raise DownloadError(
            f"doi:{doi} leads to no deposit whose files can be listed ({type(error).__name__}: "
            f"{shorten(first_line(error))}). Check the DOI, or {remedy}."
        ) from error
    zips = [file for file in files if file.lower().endswith(".zip")]
    matches = [file for file in zips if name in {None, file}]
    if len(matches) != 1:
        problem = f"no {name}" if name else "no zip file"
        if matches:
            problem = "several zip files"
        names = ", ".join([shorten(file) for file in files][:9]) or "none"
        advice = f"Check the DOI, or {remedy}."
        if zips:
            advice = f"Name one of its zip files: doi:{doi}/NAME.zip."
        raise DownloadError(
            f"doi:{doi} has {problem}: expected one, got the files {names}. {advice}"
        )
    return f"doi:{doi}/{matches[0]}", files[matches[0]]


def _list_files(doi: str) -> dict[str, str]:
    """Return the files of a deposit with their hashes."""
    import pooch

    keeper = pooch.create(".", base_url=f"doi:{doi}/")  # nothing is written there
    keeper.load_registry_from_doi()
    pattern = re.compile(r"(md5|sha1|sha256|sha512):[0-9a-f]+")
    for file, file_hash in keeper.registry.items():
        if not isinstance(file, str) or pattern.fullmatch(file_hash) is None:
            raise ValueError(f"{file!r} has no hash of a known kind: {file_hash!r}")
    return dict(keeper.registry)


INDEX = "index.jsonl"
"""A file with the constants that are looked up most; in the descriptor, the key of its hash."""

DESCRIPTOR = "datapackage.json"
"""The file that names the version of a set of tables, and the SHA-256 of each of its files."""

INCOMING = ".incoming"
"""The folder of a set's newer files until these take their places, one after the other."""

LARGEST = {".json": 16 * 2**20, ".parquet": 2**30}
"""The largest files of a set that are read, in bytes, by their ending."""


def _damage(*others: type[Exception]) -> tuple[type[Exception], ...]:
    """Return the exceptions of :mod:`zipfile` for damaged or encrypted files, and `others`."""
    import lzma
    import struct
    import zipfile
    import zlib

    broken = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError, IndexError)
    strange = (NotImplementedError, RuntimeError, ValueError, OverflowError, MemoryError)
    return (*broken, *strange, *others)


def check_size(file: Path | ZipPath, size: int, packed: int | None = None) -> None:
    """Refuse a file that is larger than any of a set, or grows without measure when unpacked."""
    most = LARGEST[".json" if str(file).endswith(".json") else ".parquet"]
    if size > most:
        raise TablesError(
            f"{file} has {size:,} bytes; expected at most {most:,}. "
            "That is not a set of tables; name another one."
        )
    if packed is not None and grows_without_measure(packed, size):
        raise TablesError(
            f"{file} grows from {packed:,} to {size:,} bytes when unpacked, more than tables do. "
            "Get the set again, from someone you trust."
        )


def read_file(file: Path | ZipPath) -> bytes:
    """Return the content of a set's file; FileNotFoundError or TablesError if it has none."""
    if isinstance(file, ZipPath):
        return file.read_bytes()
    # If a build was cut off after its new set was whole, that set counts.
    with suppress(FileNotFoundError, NotADirectoryError):
        return _read_one(file.parent / INCOMING / file.name)
    return _read_one(file)


def _read_one(file: Path) -> bytes:
    try:
        if file.exists() and not file.is_file():
            raise TablesError(f"{file} is not a file. Remove it, and build the set again.")
        check_size(file, file.stat().st_size)
        return file.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        raise
    except OSError as error:
        raise TablesError(
            f"cannot read {file}: {error.strerror or error}. Check its permissions."
        ) from error


def holds_set(folder: Path) -> bool:
    """Return True if a folder holds a set of tables."""
    return (folder / DESCRIPTOR).is_file() or (folder / INCOMING / DESCRIPTOR).is_file()


def is_of_set(file: Path) -> bool:
    """Return True if a path, or the target of a link, is that of a file of a set of tables."""
    real = Path(os.path.realpath(file))
    names = {DESCRIPTOR, *(f"{name}.parquet" for name in COLUMNS)}
    return real.name in names and holds_set(real.parent)


@dataclass(frozen=True, slots=True)
class ZipPath:
    """A folder or a file inside a zip file; unlike :class:`zipfile.Path` it keeps no file open."""

    archive: Path
    at: str  # a folder with a slash at its end; empty for the top of the zip file
    label: str  # the name of the zip file in messages

    def __str__(self) -> str:
        return f"{self.label}/{self.at}".rstrip("/")

    def __truediv__(self, name: str, /) -> ZipPath:
        return ZipPath(self.archive, f"{self.at}{name}", self.label)

    def read_bytes(self) -> bytes:
        """Return the content; FileNotFoundError if it is missing, TablesError if it is damaged."""
        import zipfile

        try:
            with zipfile.ZipFile(self.archive) as archive:
                member = archive.getinfo(self.at)
                check_size(self, member.file_size, member.compress_size)
                with archive.open(member) as stream:
                    return stream.read(member.file_size + 1)
        except KeyError as error:
            raise FileNotFoundError(f"{self.label} has no member {self.at}") from error
        except (FileNotFoundError, TablesError):
            raise
        except _damage(OSError) as error:  # a wrong offset in the listing is an OSError
            raise TablesError(
                f"{self} cannot be read: {first_line(error)}. Get the zip file again."
            ) from error


def parse_json(text: str) -> Any:
    """Parse JSON; ValueError for NaN and Infinity, too, which are not JSON."""

    def refuse(name: str) -> None:
        raise ValueError(f"{name} is no JSON")

    return json.loads(text, parse_constant=refuse)


def read_descriptor(folder: Folder) -> dict[str, Any]:
    """Return the descriptor of a set; TablesError if it is missing, or names no files."""
    try:
        descriptor = parse_json(read_file(folder / DESCRIPTOR).decode("utf-8"))
    except (FileNotFoundError, NotADirectoryError) as error:
        raise TablesError(
            f"{folder} holds no tables: {DESCRIPTOR} is missing. "
            "`rankconst build --out DIR` makes them."
        ) from error
    except TablesError:
        raise
    except RecursionError as error:
        raise TablesError(
            f"{folder / DESCRIPTOR} is nested too deeply. Build the set again."
        ) from error
    except ValueError as error:
        raise TablesError(
            f"{folder / DESCRIPTOR} is not JSON ({error}). Build the set again."
        ) from error
    if not _is_descriptor(descriptor):
        raise TablesError(
            f"{folder / DESCRIPTOR} is not the descriptor of a set of tables: expected a version, "
            "a list of resources with names and hashes, and a list of provenance. "
            "Build the set again."
        )
    created = descriptor.get("created", "")
    try:
        date.fromisoformat(str(created)[:10] or "1970-01-01")
    except ValueError:
        raise TablesError(
            f"{folder / DESCRIPTOR}: created is {created!r:.40}; "
            "expected a date such as 2026-11-30. Build the set again."
        ) from None
    return dict(descriptor)


def _is_descriptor(descriptor: Any) -> bool:
    if not isinstance(descriptor, dict):
        return False
    version = descriptor.get("version")
    if not isinstance(version, str) or _VERSION.fullmatch(version) is None:
        return False
    return _are_rows(descriptor.get("resources"), ("name", "hash")) and _are_rows(
        descriptor.get("provenance", []), ("dataset",)
    )


def _are_rows(rows: Any, keys: tuple[str, ...]) -> bool:
    """Tell whether rows are a list of objects, with text or nothing under some keys."""
    if not isinstance(rows, list):
        return False
    for row in rows:
        if not isinstance(row, dict):
            return False
        if not all(isinstance(row.get(key, ""), str) for key in keys):
            return False
    return True


_VERSION = re.compile("[0-9A-Za-z][0-9A-Za-z.+-]{0,99}")  # files are called by it


def read_index(folder: Folder, descriptor: Mapping[str, Any]) -> str:
    """Return the index of a released set; empty for other sets, which have none."""
    if INDEX not in descriptor:
        return ""
    return read_hashed(folder, INDEX, descriptor[INDEX]).decode("utf-8")


def read_hashed(folder: Folder, name: str, expected: str | None) -> bytes:
    """Return a file of a set; TablesError if it is missing, or another one.

    If `expected` is None, the descriptor names no such file, and none is accepted.
    """
    file = folder / name
    remedy = "Get the set again."
    if isinstance(file, Path):
        remedy = f"Restore it, or delete {folder} and build again."
    try:
        content = read_file(file)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise TablesError(
            f"{file} is missing; the set in {folder} is not whole. {remedy}"
        ) from error
    got = f"sha256:{hashlib.sha256(content).hexdigest()}"
    if got != expected:
        if isinstance(folder, Path) and _describe(folder, name).get("hash") == got:
            raise TablesError(
                f"the set in {folder} was replaced while it was read. Run the command again."
            )
        raise TablesError(
            f"{file} is not the file that {DESCRIPTOR} describes: "
            f"expected {expected}, got {got}. {remedy}"
        )
    return content


def _describe(folder: Folder, name: str) -> dict[str, Any]:
    resources = read_descriptor(folder)["resources"]
    return next((resource for resource in resources if resource.get("path") == name), {})


def check_whole(folder: Folder) -> None:
    """Check every table of a set; TablesError if one is not the file of the descriptor."""
    descriptor = read_descriptor(folder)
    hashes = {resource.get("name"): resource.get("hash") for resource in descriptor["resources"]}
    lacking = [name for name in COLUMNS if name not in hashes]
    if lacking:
        raise TablesError(
            f"{folder / DESCRIPTOR} names no {', '.join(lacking)}; a set of tables has them."
        )
    for name in COLUMNS:
        read_hashed(folder, f"{name}.parquet", hashes[name])


def is_zip(path: Path) -> bool:
    """Return True for the path of a zip file, by its name or its content."""
    if path.is_dir():
        return False
    import zipfile

    # The end of a device, at which a zip file is known, may never come.
    return path.suffix.lower() == ".zip" or (path.is_file() and zipfile.is_zipfile(path))


def find_set(archive: Path, label: str) -> ZipPath:
    """Return the one folder of a zip file that holds tables: its top, or a folder at its top."""
    names = _list_names(archive, label)
    descriptors = [
        name for name in names if name.count("/") < 2 and name.rpartition("/")[2] == DESCRIPTOR
    ]
    if not descriptors:
        first = ", ".join(names[:5]) or "nothing"
        if len(names) > 5:
            first += ", ..."
        raise TablesError(
            f"{label} holds no tables: expected {DESCRIPTOR} at its top or in one folder there, "
            f"got {first}. Zip a folder written by `rankconst build --out DIR`."
        )
    if len(descriptors) > 1:
        raise TablesError(
            f"{label} holds several sets of tables: expected one {DESCRIPTOR}, "
            f"got {', '.join(descriptors)}. Zip each set by itself, or unpack it and name a folder."
        )
    return ZipPath(archive, descriptors[0].removesuffix(DESCRIPTOR), label)


def _list_names(archive: Path, label: str) -> list[str]:
    """Return the names of all files in a zip file."""
    import zipfile

    head = b""
    try:
        with archive.open("rb") as stream:
            head = stream.read(16)
        with zipfile.ZipFile(archive) as opened:
            return opened.namelist()
    except FileNotFoundError as error:
        raise TablesError(f"there is no file {label}. Check the path.") from error
    except _damage() as error:
        if not head.startswith(b"PK"):
            raise TablesError(
                f"{label} is not a zip file: expected it to begin with {b'PK'!r}, got {head!r}. "
                "Name the zip file itself, not a page about it."
            ) from error
        raise TablesError(
            f"{label} was cut off or damaged: {first_line(error)}. Get the zip file again."
        ) from error
    except OSError as error:
        raise TablesError(
            f"cannot read {label}: {error.strerror or error}. Check its permissions."
        ) from error
