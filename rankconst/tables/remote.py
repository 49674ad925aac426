"""Sets of tables on the network: brought once, checked as a whole, and kept in the cache as one zip file.

What is imported inside functions needs the extra ``rankconst[builder]``.
"""

from __future__ import annotations

import hashlib
import re
import tempfile
import zipfile
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urljoin

from rankconst.errors import DownloadError, MissingExtraError, TablesError, UsageError
from rankconst.tables.location import (
    DESCRIPTOR,
    Location,
    ZippedFolder,
    check_whole,
    find_set,
    first_line,
    is_descriptor_url,
    is_doi,
    is_url,
    read_descriptor,
)
from rankconst.tables.schema import COLUMNS


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


def locate_in_cache(text: str) -> Location:
    """Return the cached copy of what lies on the network; where there is none that is whole, download it.

    Parameters
    ----------
    text
        A DOI, or the URL of a descriptor or of a zip file, and perhaps ``#sha256=`` with the hash of that file.

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
            folder = find_set(kept, remote.label)
            check_whole(folder)
        except TablesError:
            pass  # damaged since: it is downloaded again
        else:
            return Location(kept, folder)
    try:
        kept.parent.mkdir(parents=True, exist_ok=True)
        # A folder of its own, so that others who download the same do not meet; what is there is replaced at once.
        with tempfile.TemporaryDirectory(dir=kept.parent, prefix=".incoming-") as incoming:
            fresh = _bring(remote, Path(incoming))
            check_whole(find_set(fresh, remote.label))
            fresh.replace(kept)
    except TablesError as error:
        raise DownloadError(f"{error} Nothing was kept.") from error
    except OSError as error:
        raise DownloadError(
            f"cannot write to the cache {kept.parent}: {error.strerror or error}. Set RANKCONST_CACHE to another one."
        ) from error
    return Location(kept, find_set(kept, remote.label))


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
    downloader = pooch.HTTPDownloader if is_url(address) else pooch.DOIDownloader
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


def _bring(remote: _Remote, folder: Path) -> Path:
    """Download into a folder that exists, and return a zip file there."""
    if is_doi(remote.address):
        return _bring_from_deposit(remote, folder)
    return _bring_folder(remote, folder) if is_descriptor_url(remote.address) else _bring_zip(remote, folder)


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
    remote.check(path)
    return path


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
    reason = first_line(error) if len(str(error)) < 200 else type(error).__name__
    while cause is not None:
        if isinstance(cause, OSError) and cause.strerror:
            reason = cause.strerror
        cause = cause.__cause__ or cause.__context__
    return reason
