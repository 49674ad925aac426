"""Find a set of tables: in a folder or a zip file, at a URL or a DOI.

A zip file is read in place. What is on the network is downloaded once, checked as a whole, and
cached in ``tables/`` of the cache folder (``RANKCONST_CACHE``, or the folder that the OS has for
caches). From then on it is read from there without a request, until you delete that file:
``rankconst.load(url).path`` names it.
"""

from __future__ import annotations

import hashlib
import os
import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from rankconst.errors import (
    DownloadError,
    TablesError,
    UsageError,
    explain_write_errors,
    first_line,
)
from rankconst.files import exists
from rankconst.names import shorten
from rankconst.tables.descriptor import DESCRIPTOR, check_size, check_whole

if TYPE_CHECKING:
    from rankconst.tables.descriptor import Folder

# What downloads and zip files need is imported for them alone.


def find_location(place: str | os.PathLike[str]) -> tuple[Path, Folder]:
    """Return the path of a set of tables, which may be downloaded, and the folder with its files.

    The path is that of the folder, or of the zip file with the folder in it.
    """
    text = os.fspath(place) if isinstance(place, (str, os.PathLike)) else None
    if not isinstance(text, str):
        raise _refuse(shorten(repr(place)))
    if text.lower().startswith(("doi:", "http://", "https://")):
        return _find_copy(text)

    try:
        if "://" not in text and "\0" not in text:
            path = Path(text)
            exists(path)  # raises the errors that `is_zip` would hide
            if is_zip(path):
                return path, find_set(path, text)
            return path, path
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
    """A set on the network."""

    address: str
    name: str
    sha256: str | None

    @property
    def file_name(self) -> str:
        """The name in the cache, which is readable and differs for every address and hash."""
        readable = re.sub(r"[^A-Za-z0-9.]+", "-", self.name)[-100:].strip("-.")
        key = hashlib.sha256(f"{self.name}#{self.sha256}".encode()).hexdigest()[:16]
        return f"{readable}-{key}.zip"

    def open(self, archive: Path) -> ZipPath:
        """Check a downloaded zip file, and return the folder in it."""
        if self.sha256 is not None:
            _check_digest(archive, self.name, f"sha256:{self.sha256}", "was asked for")
        folder = find_set(archive, self.name)
        check_whole(folder)
        return folder


def _check_digest(path: Path, name: str, expected: str, described: str) -> None:
    """Refuse a download with another hash than one such as ``md5:...``."""
    from rankconst.download import hash_file

    kind = expected.partition(":")[0]
    got = f"{kind}:{hash_file(path, kind)}"
    if got != expected:
        raise DownloadError(
            f"{name} is not the file that {described}: expected {expected}, got {got}. "
            "Nothing was kept. Try again, or ask its publisher for the hash."
        )


def _parse(text: str) -> _Remote:
    """Read an address, which may have a hash: ``#sha256=...``."""
    from rankconst.download import hide_login

    if not text.isprintable():
        raise UsageError(
            f"{text!r} is not an address: it has characters that are not text. "
            "Type or copy it again."
        )

    address, mark, fragment = text.partition("#")
    match = re.fullmatch(r"sha256=([0-9a-f]{64})", fragment, re.IGNORECASE)
    if mark and match is None:
        raise UsageError(
            f"what follows # in {hide_login(text)!r} is not a hash: "
            f"expected #sha256= and 64 hexadecimal digits, got #{fragment}."
        )

    sha256 = None if match is None else match[1].lower()
    return _Remote(address, hide_login(address), sha256)


def _find_copy(text: str) -> tuple[Path, ZipPath]:
    """Return the cached copy of the set at an address, and its folder in that zip file."""
    import tempfile

    from rankconst.download import cache_folder, download, require_module
    from rankconst.progress import Reporter

    remote = _parse(text)
    require_module("pooch", f"getting tables from {remote.name}")
    copy = cache_folder() / "tables" / remote.file_name
    if copy.is_file():
        with suppress(TablesError, DownloadError):  # damaged since: it is downloaded again
            return copy, remote.open(copy)

    deposited = None
    if text.lower().startswith("doi:"):
        deposited = _find_deposited(remote.address)

    url = remote.address if deposited is None else deposited.url
    try:
        with explain_write_errors(
            f"to the cache {copy.parent}", "Set RANKCONST_CACHE to another folder.", DownloadError
        ):
            copy.parent.mkdir(parents=True, exist_ok=True)
            # A folder of its own, so that simultaneous downloads do not meet.
            with tempfile.TemporaryDirectory(dir=copy.parent, prefix=".incoming-") as incoming:
                fresh = Path(incoming) / "tables.zip"
                download(url, fresh, Reporter(), remedy=f"Check the address, or {_REMEDY}.")
                if deposited is not None:
                    name = f"{remote.name} ({deposited.name})"
                    _check_digest(fresh, name, deposited.digest, "its deposit describes")
                remote.open(fresh)  # which checks the whole set
                fresh.replace(copy)
    except TablesError as error:
        raise DownloadError(f"{error} Nothing was kept.") from error

    return copy, find_set(copy, remote.name)


_REMEDY = "get the zip file in another way and name that"
_DOI = re.compile(r"doi:(10\.\d{4,9}/.*?[^/])(?:/([^/]+\.zip))?/?", re.IGNORECASE)


class _Deposited(NamedTuple):
    """A file of a deposit, with a hash such as ``md5:...``."""

    name: str
    url: str
    digest: str


def _find_deposited(address: str) -> _Deposited:
    """Find the zip file of a deposit, which may be named."""
    from rankconst.download import explain, list_request_errors

    match = _DOI.fullmatch(address)
    if match is None:
        raise UsageError(
            f"{address!r} is not a DOI: expected doi:10.PREFIX/SUFFIX, "
            "or doi:10.PREFIX/SUFFIX/NAME.zip."
        )

    doi, name = match.groups()
    # pooch reads the answers of repositories unchecked, and raises these.
    unchecked = LookupError, TypeError, AttributeError
    unlisted = list_request_errors() + unchecked
    try:
        files = _list_files(doi)
    except OSError as error:  # of requests
        raise DownloadError(
            f"could not look up doi:{doi}: {explain(error)}. "
            f"Check the DOI and the network, or {_REMEDY}."
        ) from error
    except unlisted as error:
        raise DownloadError(
            f"doi:{doi} leads to no deposit whose files can be listed ({type(error).__name__}: "
            f"{shorten(first_line(error))}). Check the DOI, or {_REMEDY}."
        ) from error

    zips = [file for file in files if file.name.lower().endswith(".zip")]
    matches = [file for file in zips if name in {None, file.name}]
    if len(matches) == 1:
        return matches[0]

    problem = f"no {name}" if name else "no zip file"
    if matches:
        problem = "several zip files"

    names = ", ".join(shorten(file.name) for file in files[:9])
    advice = f"Check the DOI, or {_REMEDY}."
    if zips:
        advice = f"Name one of its zip files: doi:{doi}/NAME.zip."

    raise DownloadError(
        f"doi:{doi} has {problem}: expected one, got the files {names or 'none'}. {advice}"
    )


def _list_files(doi: str) -> list[_Deposited]:
    """List the files of a deposit with their hashes."""
    import pooch

    from rankconst.download import TIMEOUT

    repository = pooch.downloaders.doi_to_repository(
        doi, headers={"User-Agent": "rankconst"}, timeout=TIMEOUT
    )
    keeper = pooch.create(".", base_url="")  # nothing is written there
    repository.populate_registry(keeper)
    pattern = re.compile(r"(md5|sha1|sha256|sha512):[0-9a-f]+")
    files = []
    for name, digest in keeper.registry.items():
        if not isinstance(name, str) or pattern.fullmatch(digest) is None:
            raise ValueError(f"{name!r} has no hash of a known kind: {digest!r}")
        files.append(_Deposited(name, str(repository.download_url(name)), digest))

    return files


def _damage(*others: type[Exception]) -> tuple[type[Exception], ...]:
    """Return the exceptions of :mod:`zipfile` for damaged or encrypted files, and others."""
    import lzma
    import struct
    import zipfile
    import zlib

    broken = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError, IndexError)
    # For unknown methods of compression, missing passwords, and sizes that are impossible.
    strange = (NotImplementedError, RuntimeError, ValueError, OverflowError, MemoryError)
    return (*broken, *strange, *others)


@dataclass(frozen=True, slots=True)
class ZipPath:
    """A folder or a file inside a zip file, which is not kept open."""

    archive: Path
    at: str  # a folder with a slash at its end; empty for the top of the zip file
    label: str  # the name of the zip file in messages

    def __str__(self) -> str:
        return f"{self.label}/{self.at}".rstrip("/")

    def __truediv__(self, name: str, /) -> ZipPath:
        return ZipPath(self.archive, f"{self.at}{name}", self.label)

    def read_bytes(self) -> bytes:
        """Return the content of a file; FileNotFoundError without it, TablesError if damaged."""
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
        except _damage(OSError) as error:  # a wrong offset in the listing raises OSError
            raise TablesError(
                f"{self} cannot be read: {first_line(error)}. Get the zip file again."
            ) from error


def is_zip(path: Path) -> bool:
    """Return True for the path of a zip file, by its name or its content."""
    if path.is_dir():
        return False
    import zipfile

    # A zip file is recognised by its end, which a device may never reach.
    return path.suffix.lower() == ".zip" or (path.is_file() and zipfile.is_zipfile(path))


def find_set(archive: Path, label: str) -> ZipPath:
    """Return the only folder of a zip file that holds tables."""
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

    try:
        with zipfile.ZipFile(archive) as opened:
            return opened.namelist()
    except FileNotFoundError as error:
        raise TablesError(f"there is no file {label}. Check the path.") from error
    except _damage(OSError) as error:
        raise TablesError(
            f"{label} cannot be read as a zip file: {first_line(error)}. Name the zip file itself, "
            "not a page about it, or get it again."
        ) from error
