"""Sets of tables on the network: downloaded once, checked as a whole, and cached as one zip file."""

from __future__ import annotations

import functools
import hashlib
import re
import tempfile
import zipfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urljoin

from rankconst.download import (
    Remedies,
    Reporter,
    SlowError,
    cache_folder,
    download,
    explain,
    hide_login,
    require_module,
    strange_answers,
    watch,
)
from rankconst.errors import DownloadError, TablesError, UsageError, explain_write_errors, first_line
from rankconst.names import shorten
from rankconst.tables.folder import DESCRIPTOR, ZipPath, check_whole, find_set, read_descriptor
from rankconst.tables.schema import COLUMNS


@dataclass(frozen=True, slots=True)
class Remote:
    """What a user asked for: the address, and the SHA-256 that may follow it."""

    address: str
    sha256: str | None

    @property
    def name(self) -> str:
        """What messages call the address."""
        return hide_login(self.address)

    @property
    def label(self) -> str:
        """What messages call the set."""
        return self.name.removesuffix(f"/{DESCRIPTOR}")

    @property
    def is_folder(self) -> bool:
        """True for the address of a descriptor, whose tables are beside it."""
        return self.address.partition("?")[0].endswith(f"/{DESCRIPTOR}")

    @property
    def file_name(self) -> str:
        """The name in the cache: readable, and another one for every address and hash."""
        readable = re.sub(r"[^A-Za-z0-9.]+", "-", self.name)[-100:].strip("-.")
        return f"{readable}-{hashlib.sha256(f'{self.name}#{self.sha256}'.encode()).hexdigest()[:16]}.zip"

    def check(self, packed: Path) -> None:
        """Refuse a set of which the file that was asked for has another SHA-256."""
        if self.sha256 is None:
            return
        content = (find_set(packed, self.label) / DESCRIPTOR).read_bytes() if self.is_folder else packed.read_bytes()
        got = hashlib.sha256(content).hexdigest()
        if got != self.sha256:
            raise DownloadError(
                f"{self.name} is not the file that was asked for: expected SHA-256 {self.sha256}, got {got}. "
                "Nothing was kept. Check the hash with the publisher."
            )


def _parse(text: str) -> Remote:
    if not text.isprintable():
        raise UsageError(f"{text!r} is not an address: it has characters that are not text. Type or copy it again.")
    address, mark, fragment = text.partition("#")
    found = re.fullmatch(r"sha256=([0-9a-f]{64})", fragment, re.IGNORECASE)
    if mark and found is None:
        raise UsageError(
            f"what follows # in {hide_login(text)!r} is not a hash: expected #sha256= and 64 hexadecimal digits, "
            f"got #{fragment}."
        )
    return Remote(address, found[1].lower() if found else None)


def find_copy(text: str) -> tuple[Path, ZipPath]:
    """Return the cached copy of what an address means; if there is none that is whole, download it."""
    remote = _parse(text)
    fetch = _fetch_deposit if text.lower().startswith("doi:") else _fetch_folder if remote.is_folder else _fetch_zip
    require_module("pooch", f"getting tables from {remote.name}")
    kept = cache_folder() / "tables" / remote.file_name
    if kept.is_file():
        with suppress(TablesError, DownloadError):  # damaged since: it is downloaded again
            return kept, _check(remote, kept)
    try:
        with explain_write_errors(
            f"to the cache {kept.parent}", "Set RANKCONST_CACHE to another folder.", DownloadError
        ):
            kept.parent.mkdir(parents=True, exist_ok=True)
            # A folder of its own, so that simultaneous downloads do not meet; what is there is replaced at once.
            with tempfile.TemporaryDirectory(dir=kept.parent, prefix=".incoming-") as incoming:
                fresh = fetch(remote, Path(incoming))
                _check(remote, fresh)
                fresh.replace(kept)
    except TablesError as error:
        raise DownloadError(f"{error} Nothing was kept.") from error
    return kept, find_set(kept, remote.label)


def _check(remote: Remote, packed: Path) -> ZipPath:
    """Return what reads a zip file that holds all of what was asked for."""
    remote.check(packed)
    folder = find_set(packed, remote.label)
    check_whole(folder)
    return folder


_REMEDIES = Remedies(
    missing="Check the address and the network, or get the file in another way and name that.",
    described="the file that its deposit describes",
    mismatch="Try again.",
)


def _download(address: str, path: Path, known: str | None = None) -> None:
    download(address, path, known, _REMEDIES, Reporter())


def _fetch_zip(remote: Remote, folder: Path) -> Path:
    """Download a zip file."""
    path = folder / "tables.zip"
    _download(remote.address, path)
    return path


def _fetch_folder(remote: Remote, folder: Path) -> Path:
    """Download a descriptor and the tables next to it, and pack them: one file can be replaced at once."""
    _download(remote.address, folder / DESCRIPTOR)
    path = folder / "tables.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.write(folder / DESCRIPTOR, DESCRIPTOR)
    remote.check(path)
    named = {resource.get("name") for resource in read_descriptor(ZipPath(path, "", remote.label))["resources"]}
    for name in (f"{name}.parquet" for name in COLUMNS if name in named):
        _download(urljoin(remote.address, name), folder / name)
        with zipfile.ZipFile(path, "a") as archive:
            archive.write(folder / name, name)
    return path


_DOI = re.compile(r"doi:(10\.\d{4,9}/.*?[^/])(?:/([^/]+\.zip))?/?", re.IGNORECASE)


def _fetch_deposit(remote: Remote, folder: Path) -> Path:
    """Download the zip file of a deposit: the one that is named, or the only one."""
    import requests

    parsed = _DOI.fullmatch(remote.address)
    if parsed is None:
        raise UsageError(
            f"{remote.address!r} is not a DOI: expected doi:10.PREFIX/SUFFIX, or doi:10.PREFIX/SUFFIX/NAME.zip."
        )
    doi, name = parsed.groups()
    remedy = "get the zip file in another way and name that"
    try:
        files = watch(functools.partial(_list_files, doi, folder))
    except (requests.RequestException, SlowError) as error:
        raise DownloadError(
            f"could not look up doi:{doi}: {explain(error)}. Check the DOI and the network, or {remedy}."
        ) from error
    except strange_answers() as error:
        raise DownloadError(
            f"doi:{doi} leads to no deposit whose files can be listed ({type(error).__name__}: "
            f"{shorten(first_line(error))}). Check the DOI, or {remedy}."
        ) from error
    found = [file for file in files if (file == name if name else file.lower().endswith(".zip"))]
    if len(found) != 1:
        zips = any(file.lower().endswith(".zip") for file in files)
        shown = ", ".join([shorten(file) for file in files][:9]) + (", ..." if len(files) > 9 else "")
        raise DownloadError(
            f"doi:{doi} has {'several zip files' if found else f'no {name}' if name else 'no zip file'}: expected one, "
            f"got the files {shown or 'none'}. "
            + (f"Name one of its zip files: doi:{doi}/NAME.zip." if zips else f"Check the DOI, or {remedy}.")
        )
    path = folder / "tables.zip"
    _download(f"doi:{doi}/{found[0]}", path, files[found[0]])
    return path


def _list_files(doi: str, folder: Path) -> dict[str, str]:
    """Return the files of a deposit with their hashes."""
    import pooch

    keeper = pooch.create(folder, base_url=f"doi:{doi}/")
    keeper.load_registry_from_doi()
    for file, known in keeper.registry.items():
        if not isinstance(file, str) or not re.fullmatch(r"(md5|sha1|sha256|sha512):[0-9a-f]+", known):
            raise ValueError(f"{file!r} has no hash of a known kind: {known!r}")
    return dict(keeper.registry)
