"""Sets of tables on the network: downloaded once, checked as a whole, and cached as one zip file."""

from __future__ import annotations

import hashlib
import re
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from rankconst.download import Remedies, Reporter, cache_folder, download, explain, require_pooch
from rankconst.errors import DownloadError, TablesError, UsageError, explain_write_errors, first_line
from rankconst.tables.folder import DESCRIPTOR, ZipPath, check_whole, find_set, read_descriptor
from rankconst.tables.schema import COLUMNS

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, slots=True)
class Remote:
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

    def check(self, file: Path) -> Path:
        """Refuse a file with another SHA-256 than was asked for."""
        if self.sha256 is None:
            return file
        got = hashlib.sha256(file.read_bytes()).hexdigest()
        if got != self.sha256:
            raise DownloadError(
                f"{self.address} is not the file that was asked for: expected SHA-256 {self.sha256}, got {got}. "
                "Nothing was kept. Check the hash with the publisher."
            )
        return file


def _parse(text: str) -> Remote:
    if not text.isprintable():
        raise UsageError(f"{text!r} is no address: it has characters that are no text. Type or copy it again.")
    address, mark, fragment = text.partition("#")
    found = re.fullmatch(r"sha256=([0-9a-f]{64})", fragment, re.IGNORECASE)
    if mark and found is None:
        raise UsageError(
            f"what follows # in {text!r} is not a hash: expected #sha256= and 64 hexadecimal digits, got #{fragment}."
        )
    return Remote(address, found[1].lower() if found else None)


def find_copy(text: str, fetch: Callable[[Remote, Path], Path]) -> tuple[Path, ZipPath]:
    """Return the cached copy of what an address means; if there is none that is whole, download it.

    `fetch` downloads into a folder, and returns a zip file there.
    """
    remote = _parse(text)
    require_pooch(f"getting tables from {remote.address}")
    kept = cache_folder() / "tables" / remote.file_name
    if kept.is_file():
        try:
            folder = find_set(kept, remote.label)
            check_whole(folder)
        except TablesError:
            pass  # damaged since: it is downloaded again
        else:
            return kept, folder
    try:
        with explain_write_errors(
            f"to the cache {kept.parent}", "Set RANKCONST_CACHE to another folder.", DownloadError
        ):
            kept.parent.mkdir(parents=True, exist_ok=True)
            # A folder of its own, so that simultaneous downloads do not meet; what is there is replaced at once.
            with tempfile.TemporaryDirectory(dir=kept.parent, prefix=".incoming-") as incoming:
                fresh = fetch(remote, Path(incoming))
                check_whole(find_set(fresh, remote.label))
                fresh.replace(kept)
    except TablesError as error:
        raise DownloadError(f"{error} Nothing was kept.") from error
    return kept, find_set(kept, remote.label)


_REMEDIES = Remedies(
    missing="Check the address and the network, or get the file in another way and name that.",
    described="the file that its deposit describes",
    mismatch="Try again.",
)


def _download(address: str, path: Path, known: str | None = None) -> None:
    download(address, path, known, _REMEDIES, Reporter())


def fetch_zip(remote: Remote, folder: Path) -> Path:
    """Download a zip file."""
    path = folder / "tables.zip"
    _download(remote.address, path)
    return remote.check(path)


def fetch_folder(remote: Remote, folder: Path) -> Path:
    """Download a descriptor and the tables next to it, and pack them: one file can be replaced at once."""
    _download(remote.address, folder / DESCRIPTOR)
    remote.check(folder / DESCRIPTOR)
    path = folder / "tables.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.write(folder / DESCRIPTOR, DESCRIPTOR)
    named = {resource.get("name") for resource in read_descriptor(ZipPath(path, "", remote.label))["resources"]}
    for name in (f"{name}.parquet" for name in COLUMNS if name in named):
        _download(urljoin(remote.address, name), folder / name)
        with zipfile.ZipFile(path, "a") as archive:
            archive.write(folder / name, name)
    return path


_DOI = re.compile(r"doi:(10\.\d{4,9}/.*?[^/])(?:/([^/]+\.zip))?/?", re.IGNORECASE)


def fetch_deposit(remote: Remote, folder: Path) -> Path:
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
            f"could not look up doi:{doi}: {explain(error)}. Check the DOI and the network, or {remedy}."
        ) from error
    except (LookupError, TypeError, ValueError) as error:
        raise DownloadError(
            f"doi:{doi} leads to no deposit whose files can be listed ({type(error).__name__}: {first_line(error)}). "
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
    return remote.check(path)
