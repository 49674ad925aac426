"""Where a set of tables can be: a folder, a zip file, the URL of one, a deposit with a DOI.

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
from typing import TYPE_CHECKING

from rankconst.errors import (
    DownloadError,
    TablesError,
    UsageError,
    explain_write_errors,
    first_line,
)
from rankconst.files import exists
from rankconst.names import shorten
from rankconst.tables.folder import check_whole, find_set, is_zip

if TYPE_CHECKING:
    from rankconst.tables.folder import Folder, ZipPath

# Most sets are folders: what downloads need is imported for them alone.

OUTPUT = "rankconst-tables"
"""The folder that builds write to, and in which commands look for what other sets lack."""


def find_location(place: str | os.PathLike[str]) -> tuple[Path, Folder]:
    """Return the folder or zip file of a set, downloaded if need be, and what reads its files.

    The forms of `place` and the errors are those of :func:`rankconst.load`.
    """
    text = os.fspath(place) if isinstance(place, (str, os.PathLike)) else None
    if not isinstance(text, str):
        raise _refuse(shorten(repr(place)))
    if text.lower().startswith(("doi:", "http://", "https://")):
        return _find_copy(text)
    try:
        if "://" not in text and "\0" not in text:
            exists(Path(text))  # raises what is said of it
            place = Path(text)
            return place, find_set(place, text) if is_zip(place) else place
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
    """What a user asked for: the address, its name in messages, and perhaps a SHA-256."""

    address: str
    name: str
    sha256: str | None

    @property
    def file_name(self) -> str:
        """The name in the cache: readable, and another one for every address and hash."""
        readable = re.sub(r"[^A-Za-z0-9.]+", "-", self.name)[-100:].strip("-.")
        key = hashlib.sha256(f"{self.name}#{self.sha256}".encode()).hexdigest()[:16]
        return f"{readable}-{key}.zip"

    def open(self, packed: Path) -> ZipPath:
        """Return what reads a zip file that holds all of what was asked for."""
        got = hashlib.sha256(packed.read_bytes()).hexdigest()
        if self.sha256 not in {None, got}:
            raise DownloadError(
                f"{self.name} is not the file that was asked for: expected SHA-256 {self.sha256}, "
                f"got {got}. Nothing was kept. Check the hash with the publisher."
            )
        folder = find_set(packed, self.name)
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
    found = re.fullmatch(r"sha256=([0-9a-f]{64})", fragment, re.IGNORECASE)
    if mark and found is None:
        raise UsageError(
            f"what follows # in {hide_login(text)!r} is not a hash: "
            f"expected #sha256= and 64 hexadecimal digits, got #{fragment}."
        )
    return _Remote(address, hide_login(address), found[1].lower() if found else None)


def _find_copy(text: str) -> tuple[Path, ZipPath]:
    """Return the cached copy of what an address means, downloaded if it is not whole."""
    import tempfile

    from rankconst.download import Remedies, cache_folder, download, require_module
    from rankconst.progress import Reporter

    remote = _parse(text)
    require_module("pooch", f"getting tables from {remote.name}")
    kept = cache_folder() / "tables" / remote.file_name
    if kept.is_file():
        with suppress(TablesError, DownloadError):  # damaged since: it is downloaded again
            return kept, remote.open(kept)
    remedies = Remedies(
        missing="Check the address and the network, or get the file in another way and name that.",
        described="the file that its deposit describes",
        mismatch="Try again.",
    )
    address, known = remote.address, None
    if text.lower().startswith("doi:"):
        address, known = _find_deposited(address)
    where, remedy = f"to the cache {kept.parent}", "Set RANKCONST_CACHE to another folder."
    try:
        with explain_write_errors(where, remedy, DownloadError):
            kept.parent.mkdir(parents=True, exist_ok=True)
            # A folder of its own, so that simultaneous downloads do not meet.
            with tempfile.TemporaryDirectory(dir=kept.parent, prefix=".incoming-") as incoming:
                fresh = Path(incoming) / "tables.zip"
                download(address, fresh, known, remedies, Reporter())
                remote.open(fresh)
                fresh.replace(kept)
    except TablesError as error:
        raise DownloadError(f"{error} Nothing was kept.") from error
    return kept, find_set(kept, remote.name)


_DOI = re.compile(r"doi:(10\.\d{4,9}/.*?[^/])(?:/([^/]+\.zip))?/?", re.IGNORECASE)


def _find_deposited(address: str) -> tuple[str, str]:
    """Return the address and the hash of the zip file of a deposit: named, or the only one."""
    from rankconst.download import explain, strange_answers

    parsed = _DOI.fullmatch(address)
    if parsed is None:
        raise UsageError(
            f"{address!r} is not a DOI: expected doi:10.PREFIX/SUFFIX, "
            "or doi:10.PREFIX/SUFFIX/NAME.zip."
        )
    doi, name = parsed.groups()
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
    found = [file for file in zips if name in {None, file}]
    if len(found) != 1:
        problem = f"no {name}" if name else "no zip file"
        if found:
            problem = "several zip files"
        listed = ", ".join([shorten(file) for file in files][:9]) or "none"
        advice = f"Check the DOI, or {remedy}."
        if zips:
            advice = f"Name one of its zip files: doi:{doi}/NAME.zip."
        raise DownloadError(
            f"doi:{doi} has {problem}: expected one, got the files {listed}. {advice}"
        )
    return f"doi:{doi}/{found[0]}", files[found[0]]


def _list_files(doi: str) -> dict[str, str]:
    """Return the files of a deposit with their hashes."""
    import pooch

    keeper = pooch.create(".", base_url=f"doi:{doi}/")  # nothing is written there
    keeper.load_registry_from_doi()
    hashed = re.compile(r"(md5|sha1|sha256|sha512):[0-9a-f]+")
    for file, known in keeper.registry.items():
        if not isinstance(file, str) or hashed.fullmatch(known) is None:
            raise ValueError(f"{file!r} has no hash of a known kind: {known!r}")
    return dict(keeper.registry)
