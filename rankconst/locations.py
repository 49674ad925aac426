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
import tempfile
import zipfile
import zlib
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urljoin

from rankconst.errors import DownloadError, MissingExtraError, TablesError, UsageError
from rankconst.schemas import COLUMNS, SINCE

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "DESCRIPTOR",
    "KINDS",
    "File",
    "Folder",
    "Kind",
    "Location",
    "ZippedFile",
    "ZippedFolder",
    "find_location",
    "read_descriptor",
    "read_table_file",
]

DESCRIPTOR = "datapackage.json"
"""The file that names the version of a set of tables, and the SHA-256 of each of its files."""

_DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, UnicodeError)
"""What :mod:`zipfile` raises of a damaged, encrypted or strangely packed file."""


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
        # Opened for each read, so that nothing is left open: there are few reads, and the listing is short.
        try:
            with zipfile.ZipFile(self.archive) as archive:
                return archive.read(self.member)
        except KeyError as error:
            raise FileNotFoundError(f"{self.label} has no member {self.member}") from error
        except FileNotFoundError:
            raise
        except (*_DAMAGE, OSError) as error:  # a wrong offset in the listing is an OSError
            raise TablesError(f"{self} cannot be read: {_first_line(error)}. Get the zip file again.") from error


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
        One of :data:`~rankconst.schemas.COLUMNS`.
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


def _check_whole(folder: Folder) -> None:
    """Check every table of a set; TablesError if one is not as the descriptor says."""
    hashes = {resource.get("name"): resource.get("hash") for resource in read_descriptor(folder)["resources"]}
    lacking = [name for name in COLUMNS if name not in hashes and name not in SINCE]
    if lacking:
        raise TablesError(f"{folder / DESCRIPTOR} names no {', '.join(lacking)}; a set of tables has them.")
    for name in COLUMNS:
        if name in hashes:
            read_table_file(folder, name, hashes[name])


# On this machine.


def _is_zip(text: str) -> bool:
    path = Path(text)
    return not path.is_dir() and (path.suffix.lower() == ".zip" or zipfile.is_zipfile(path))


def _locate_zip(text: str) -> Location:
    return Location(Path(text), _find_set(Path(text), text))


def _find_set(archive: Path, label: str) -> ZippedFolder:
    """Return the one folder of a zip file that holds tables: its top, or a folder at its top."""
    try:
        with archive.open("rb") as stream:
            head = stream.read(16)
        with zipfile.ZipFile(archive) as opened:
            names = opened.namelist()
    except FileNotFoundError as error:
        raise TablesError(f"there is no file {label}. Check the path.") from error
    except _DAMAGE as error:
        if not head.startswith(b"PK"):
            raise TablesError(
                f"{label} is not a zip file: expected it to begin with {b'PK'!r}, got {head!r}. Name the zip file "
                "itself, not a page about it."
            ) from error
        raise TablesError(f"{label} was cut off or damaged: {_first_line(error)}. Get the zip file again.") from error
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


# On the network. What is imported inside needs the extra ``rankconst[builder]``.


@dataclass(frozen=True, slots=True)
class _Remote:
    """What a user asked for: the address, and the SHA-256 that may follow it."""

    address: str
    sha256: str | None

    @property
    def label(self) -> str:
        """What messages call the set."""
        return self.address.removesuffix(f"/{DESCRIPTOR}")

    @property
    def file_name(self) -> str:
        """The name in the cache: readable, and another one for every address and hash."""
        readable = re.sub(r"[^A-Za-z0-9.]+", "-", self.address)[-100:].strip("-.")
        return f"{readable}-{hashlib.sha256(f'{self.address}#{self.sha256}'.encode()).hexdigest()[:16]}.zip"

    def check(self, file: Path) -> None:
        """Refuse a file with another SHA-256 than was asked for."""
        got = hashlib.sha256(file.read_bytes()).hexdigest()
        if self.sha256 not in {None, got}:
            raise DownloadError(
                f"{self.address} is not the file that was asked for: expected SHA-256 {self.sha256}, got {got}. "
                "Nothing was kept. Check the hash with the publisher."
            )


def _parse_remote(text: str) -> _Remote:
    address, mark, fragment = text.partition("#")
    found = re.fullmatch(r"sha256=([0-9a-f]{64})", fragment, re.IGNORECASE)
    if mark and found is None:
        raise UsageError(
            f"what follows # in {text!r} is not a hash: expected #sha256= and 64 hexadecimal digits, got #{fragment}."
        )
    return _Remote(address, found[1].lower() if found else None)


def _is_doi(text: str) -> bool:
    return text.lower().startswith("doi:")


def _is_url(text: str) -> bool:
    return text.lower().startswith(("http://", "https://"))


def _is_descriptor_url(text: str) -> bool:
    return _is_url(text) and re.split("[?#]", text, maxsplit=1)[0].endswith(f"/{DESCRIPTOR}")


def _locate_in_cache(text: str, bring: Callable[[_Remote, Path], Path]) -> Location:
    """Return the cached copy of what lies on the network; where there is none that is whole, have one brought.

    Parameters
    ----------
    text
        The address, and perhaps ``#sha256=`` with its hash.
    bring
        Downloads into a folder that exists, and returns a zip file there.

    Raises
    ------
    DownloadError
        If it cannot be had, or is no whole set of tables with the hash that was asked for.
    """
    remote = _parse_remote(text)
    if find_spec("pooch") is None:
        raise MissingExtraError(
            f"getting tables from {remote.address} needs pooch, which is missing. Run: pip install 'rankconst[builder]'"
        )
    from rankconst_builder.fetch import cache_folder

    kept = cache_folder() / "tables" / remote.file_name
    if kept.is_file():
        try:
            folder = _find_set(kept, remote.label)
            _check_whole(folder)
        except TablesError:
            pass  # damaged since: it is downloaded again
        else:
            return Location(kept, folder)
    try:
        kept.parent.mkdir(parents=True, exist_ok=True)
        # A folder of its own, so that others who download the same do not meet; what is there is replaced at once.
        with tempfile.TemporaryDirectory(dir=kept.parent, prefix=".incoming-") as incoming:
            fresh = bring(remote, Path(incoming))
            _check_whole(_find_set(fresh, remote.label))
            fresh.replace(kept)
    except TablesError as error:
        raise DownloadError(f"{error} Nothing was kept.") from error
    except OSError as error:
        raise DownloadError(
            f"cannot write to the cache {kept.parent}: {error.strerror or error}. Set RANKCONST_CACHE to another one."
        ) from error
    return Location(kept, _find_set(kept, remote.label))


def _download(address: str, path: Path, known: str | None = None) -> None:
    """Download a file, given by a URL or by ``doi:DOI/NAME``, with retries; `known` is its hash, as pooch writes it."""
    import pooch
    import requests

    from rankconst_builder.fetch import RETRIES, TIMEOUT
    from rankconst_builder.progress import Reporter

    pooch.get_logger().setLevel("ERROR")  # our own messages say it better
    keeper = pooch.create(
        path.parent, base_url="", registry={path.name: known}, urls={path.name: address}, retry_if_failed=RETRIES
    )
    downloader = pooch.HTTPDownloader if _is_url(address) else pooch.DOIDownloader
    reporter = Reporter()
    reporter.say(f"downloading {address}")
    try:
        with reporter.download(address.rpartition("/")[2]) as bar:
            keeper.fetch(path.name, downloader=downloader(progressbar=bar or False, timeout=TIMEOUT))
    except requests.RequestException as error:
        raise DownloadError(
            f"could not download {address}: {_reason(error)}. Check the address and the network, or get the file in "
            "another way and name that."
        ) from error
    except ValueError as error:
        reason = str(error).partition(" Deleted download")[0].rstrip(".")
        raise DownloadError(f"{address} is not the file that its deposit describes: {reason}. Try again.") from error


def _bring_zip(remote: _Remote, folder: Path) -> Path:
    path = folder / "tables.zip"
    _download(remote.address, path)
    remote.check(path)
    return path


def _bring_folder(remote: _Remote, folder: Path) -> Path:
    """Download a descriptor and the tables beside it, and pack them: one file can be exchanged at once."""
    _download(remote.address, folder / DESCRIPTOR)
    remote.check(folder / DESCRIPTOR)
    path = folder / "tables.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.write(folder / DESCRIPTOR, DESCRIPTOR)
    named = {resource.get("name") for resource in read_descriptor(ZippedFolder(path, "", remote.label))["resources"]}
    for name in (f"{name}.parquet" for name in COLUMNS if name in named):
        _download(urljoin(remote.address, name), folder / name)
        with zipfile.ZipFile(path, "a") as archive:
            archive.write(folder / name, name)
    return path


_DOI = re.compile(r"doi:(10\.\d{4,9}/.*?[^/])(?:/([^/]+\.zip))?/?", re.IGNORECASE)


def _bring_from_deposit(remote: _Remote, folder: Path) -> Path:
    """Download the zip file of a deposit: the one that is named, or the only one."""
    import pooch
    import requests

    parsed = _DOI.fullmatch(remote.address)
    if parsed is None:
        raise UsageError(
            f"{remote.address!r} is not a DOI: expected doi:10.PREFIX/SUFFIX, or doi:10.PREFIX/SUFFIX/NAME.zip."
        )
    doi, name = parsed.groups()
    remedy = "get the zip file in another way and name that"
    keeper = pooch.create(folder, base_url=f"doi:{doi}/")
    try:
        keeper.load_registry_from_doi()
    except requests.RequestException as error:
        raise DownloadError(
            f"could not look up doi:{doi}: {_reason(error)}. Check the DOI and the network, or {remedy}."
        ) from error
    except (LookupError, TypeError, ValueError) as error:
        raise DownloadError(
            f"doi:{doi} leads to no deposit whose files can be listed ({type(error).__name__}: {_first_line(error)}). "
            f"Check the DOI, or {remedy}."
        ) from error
    found = [file for file in keeper.registry if (file == name if name else file.lower().endswith(".zip"))]
    if len(found) != 1:
        zips = any(file.lower().endswith(".zip") for file in keeper.registry)
        raise DownloadError(
            f"doi:{doi} has {'several zip files' if found else f'no {name}' if name else 'no zip file'}: expected one, "
            f"got the files {', '.join(keeper.registry) or 'none'}. "
            + (f"Name one of its zip files: doi:{doi}/NAME.zip." if zips else f"Check the DOI, or {remedy}.")
        )
    path = folder / "tables.zip"
    _download(f"doi:{doi}/{found[0]}", path, keeper.registry[found[0]])
    remote.check(path)
    return path


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0].rstrip(".")


def _reason(error: Exception) -> str:
    """Say in words why a request failed."""
    import requests

    from rankconst_builder.fetch import TIMEOUT

    response = getattr(error, "response", None)
    if response is not None:
        return f"the server answered {response.status_code} {response.reason}"
    if isinstance(error, requests.Timeout):
        return f"the server did not answer within {TIMEOUT} seconds"
    # The system's own words stand at the bottom of a chain of wrappers.
    cause: BaseException | None = error
    reason = _first_line(error) if len(str(error)) < 200 else type(error).__name__
    while cause is not None:
        if isinstance(cause, OSError) and cause.strerror:
            reason = cause.strerror
        cause = cause.__cause__ or cause.__context__
    return reason


# Which is which.

KINDS = (
    Kind("a DOI", _is_doi, lambda text: _locate_in_cache(text, _bring_from_deposit)),
    Kind(f"the URL of a {DESCRIPTOR}", _is_descriptor_url, lambda text: _locate_in_cache(text, _bring_folder)),
    Kind("the http or https URL of a zip file", _is_url, lambda text: _locate_in_cache(text, _bring_zip)),
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
