"""Get the files of a benchmark, checked by hash: from the cache, a mirror or the network.

A mirror is a folder or a URL in which ``https://host/path`` is at ``host/path``. The cache has the
same layout, so a filled cache is a mirror for other machines.
"""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import lzma
import shlex
import struct
import tarfile
import tempfile
import zipfile
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast
from urllib.parse import quote, urlsplit

import pyarrow as pa

from rankconst.download import (
    HashMismatchError,
    MissingSourceError,
    download,
    expand_home,
    hash_file,
    is_url,
)
from rankconst.errors import DataError, DownloadError, explain_write_errors, first_line
from rankconst.files import read_at_most, replace_file
from rankconst.names import shorten
from rankconst.progress import Reporter

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from rankconst.catalogue.benchmarks import BenchmarkFile, Remote


@dataclass(frozen=True, slots=True)
class Content:
    """The bytes of a file of triples."""

    data: bytes
    sha256: str
    verified: bool  # True if the file, or its archive, had a hash that was known beforehand
    # True if it has the triples of the file that the registry names, in another order.
    stands_in: bool = False


@dataclass(frozen=True)
class Fetcher:
    """Gets files."""

    cache: Path  # where downloads are kept
    # A folder or URL that replaces every ``https://``; None to ask the sources themselves.
    mirror: str | None = None
    offline: bool = False  # True to open no socket: only the cache and a mirror folder are used
    reporter: Reporter = field(default_factory=Reporter)

    def read(self, file: BenchmarkFile) -> Content:
        """Return the bytes of a file of triples, which may be inside an archive."""
        path = self.locate(file.remote)
        if file.member is not None:
            data = _read_member(path, file.member, file.bytes)
        else:
            data = path.read_bytes()

        sha256 = hashlib.sha256(data).hexdigest()
        if file.bytes not in {None, len(data)} or file.sha256 not in {None, sha256}:
            raise HashMismatchError(
                f"{file.name} is not the member the registry names: expected {file.bytes} bytes, "
                f"SHA-256 {file.sha256}; got {len(data)} bytes, {sha256}."
            )
        if sha256 == file.remote.stand_in:
            return Content(data, sha256, verified=False, stands_in=True)
        return Content(data, sha256, file.remote.verifiable or self._equals_copy(file.remote))

    def identify(self, remote: Remote) -> str | None:
        """Return the hash of a file in the registry or of its first download; None for neither."""
        record = self._record_of(remote)
        if remote.verifiable or not record.is_file():
            return remote.sha256 or remote.git_blob
        return record.read_text(encoding="ascii", errors="replace").strip()

    def _equals_copy(self, remote: Remote) -> bool:
        """Return True if an unverified file equals the copy in the registry; warn otherwise."""
        if remote.copy_sha256 is None or remote.verifiable:
            return False

        got = self.identify(remote)
        if got != remote.copy_sha256:
            self.reporter.warn(
                f"{remote.url} is not verified: "
                f"its SHA-256 is {got}, that of the copy in {remote.copy} is {remote.copy_sha256}."
            )

        return got == remote.copy_sha256

    def _record_of(self, remote: Remote) -> Path:
        return self.cache / "recorded" / f"{_place_of(remote.url)}.sha256"

    def locate(self, remote: Remote) -> Path:
        """Return the path of a checked local copy of a remote file."""
        place = _place_of(remote.url)
        record = self._record_of(remote)
        if self.mirror is not None and not is_url(self.mirror):
            path = expand_home(self.mirror) / place
            if not path.is_file():
                raise MissingSourceError(
                    f"the mirror {self.mirror} has no {place}. "
                    "A mirror holds https://host/path at host/path."
                )
            _check_file(path, remote, record)
            return path

        path = self.cache / "sources" / place
        if path.is_file():
            try:
                _check_file(path, remote, record)
            except HashMismatchError as error:
                if self.offline:
                    raise
                self.reporter.warn(f"{error} Downloading it again.")
            else:
                return path

        if self.offline:
            raise MissingSourceError(
                f"{remote.url} is not in the cache {self.cache}, and --offline forbids "
                "downloading it. Run once without --offline, or name a folder in RANKCONST_MIRROR."
            )

        self._download(remote, path)
        return path

    def _download(self, remote: Remote, path: Path) -> None:
        """Download a file, and put it into the cache once it is checked."""
        url = remote.url
        if self.mirror is not None:
            url = f"{self.mirror.rstrip('/')}/{quote(_place_of(remote.url))}"

        remedy = "Check the network, or name a copy of the files in RANKCONST_MIRROR."
        with explain_write_errors(
            f"to the cache {self.cache}", "Set RANKCONST_CACHE to another folder.", DownloadError
        ):
            path.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=path.parent, prefix=".incoming-") as incoming:
                fresh = Path(incoming) / path.name
                download(url, fresh, self.reporter, remedy=remedy, size=remote.bytes)
                _check_file(fresh, remote, self._record_of(remote))
                fresh.replace(path)


_PACKINGS: dict[bytes, Callable[[IO[bytes]], Any]] = {
    b"\x1f\x8b": lambda stream: gzip.GzipFile(fileobj=stream),
    b"BZh": bz2.BZ2File,
    b"\xfd7zXZ\0": lzma.LZMAFile,
    b"\x28\xb5\x2f\xfd": lambda stream: pa.CompressedInputStream(
        pa.PythonFile(cast("Any", stream), "r"), "zstd"
    ),
}
"""Signature of a compressed file to the function that opens it."""

_UNREAD = {
    b"PK\x03\x04": (
        "a zip file. Unpack it: unzip {file}; save the sheet of a workbook as CSV, and a tensor of "
        "PyTorch as .npy"
    ),
    b"PAR1": (
        "Parquet, which only the files of a graph can be. "
        "Write its triples as text, separated by tabs"
    ),
    b"\x93NUMPY": (
        "a numpy array, which only the files of a graph can be. Write its triples as text"
    ),
}
"""Signature of a file that is refused to its format and the remedy."""


def read_local(path: Path) -> Content:
    """Read a file of the user's own. The hash is that of the file, packed or not."""
    try:
        if path.is_char_device():
            raise DataError(f"{path} is a device, which may have no end; name a file.")
        raw = path.read_bytes()
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror}.") from error

    for magic, kind in _UNREAD.items():
        if raw.startswith(magic):
            raise DataError(f"{path} is {kind.format(file=shlex.quote(str(path)))}.")

    return Content(_unpack(path, raw), hashlib.sha256(raw).hexdigest(), verified=False)


def _unpack(path: Path, raw: bytes) -> bytes:
    """Return the unpacked content of a file, and refuse one that grows too large."""
    unpack = next((each for magic, each in _PACKINGS.items() if raw.startswith(magic)), None)
    if unpack is None:
        return raw

    limit = max(_LEAST_LIMIT, _MOST_GROWTH * len(raw))
    try:
        data = read_at_most(unpack(io.BytesIO(raw)), limit)
    except DAMAGE as error:
        raise explain_damage(path, error) from error

    if len(data) > limit:
        raise DataError(
            f"{path} grows from {len(raw):,} to more than {limit:,} bytes; "
            "unpack it, and name that file."
        )
    return data


def _place_of(url: str) -> str:
    """Return the path of a URL in a mirror or the cache: ``host/path``."""
    parts = urlsplit(url)
    query = f"%3F{quote(parts.query, safe='')}" if parts.query else ""
    return f"{parts.netloc}{parts.path}{query}"


def _check_file(path: Path, remote: Remote, record: Path) -> None:
    """Check a copy against its known hash, or record its hash if none is known."""
    size = path.stat().st_size
    if remote.bytes is not None and size != remote.bytes:
        raise HashMismatchError(
            f"{path} is not the file the registry names: expected {remote.bytes} bytes, got {size} "
            f"(from {remote.url}). Delete it and build again."
        )

    sha256 = hash_file(path)
    if sha256 == remote.stand_in:  # the same triples in another order
        return

    expected, got, kind, remedy = remote.sha256, sha256, "SHA-256", " Delete it and build again."
    if expected is None and remote.git_blob is not None:
        # Git names content by SHA-1; it identifies the file here, it does not secure it.
        content = path.read_bytes()
        blob = b"blob %d\0%s" % (len(content), content)
        got = hashlib.sha1(blob, usedforsecurity=False).hexdigest()
        expected, kind = remote.git_blob, "git blob id"

    if expected is None:
        # Nothing is known: what came first is what later downloads must equal.
        if not record.is_file():
            record.parent.mkdir(parents=True, exist_ok=True)
            replace_file(record, sha256.encode())
        expected = record.read_text(encoding="ascii", errors="replace").strip()
        kind = "SHA-256 recorded at the first download"
        remedy = f" If the publisher replaced the file, delete {record} and build again."

    if got != expected:
        raise HashMismatchError(
            f"{path} is not the file the registry names: expected {kind} {expected}, got {got} "
            f"(from {remote.url}).{remedy}"
        )


_LARGEST_MEMBER = 4 * 2**30  # of a member of which the registry knows no size
_BLOCK = 1 << 20  # bytes that are read at a time
# Packing makes files of triples 3 to 20 times smaller: more than 60 times, and more than 256 MiB
# unpacked, is a decompression bomb.
_MOST_GROWTH = 60
_LEAST_LIMIT = 256 * 2**20

DAMAGE = (
    tarfile.TarError,
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    OSError,
    ValueError,
    LookupError,
    OverflowError,
    RuntimeError,  # a password, an unknown packing, headers within headers
    MemoryError,
)
"""Errors of reading packed files that are damaged, encrypted, or made to do harm."""


def explain_damage(path: Path | str, error: Exception) -> DataError:
    """Return the error for a user's file that cannot be read."""
    return DataError(
        f"{path} is cut off or damaged: {first_line(error)[:200]}. Get the file again."
    )


def _read_member(path: Path, member: str, size: int | None) -> bytes:
    """Read a member of an archive, but at most `size` + 1 bytes."""
    limit = _LARGEST_MEMBER if size is None else size
    try:
        if path.name.endswith(".zip"):
            with zipfile.ZipFile(path) as archive:
                _require_member(path, member, archive.namelist())
                with archive.open(member) as stream:
                    data = read_at_most(stream, limit)
        elif path.name.endswith((".tar", ".tar.gz", ".tgz")):
            data = _read_from_tar(path, member, limit)
        else:
            raise DownloadError(
                f"{path} is not an archive that the builder can read; expected .tar, .tar.gz, "
                ".tgz or .zip."
            )
    except DAMAGE as error:
        reason = first_line(error)[:200] or type(error).__name__
        raise DownloadError(f"{path} is damaged: {reason}. Delete it and build again.") from error

    if size is None and len(data) > limit:
        raise DownloadError(
            f"{path} has a member {member} of more than {limit:,} bytes; no benchmark has."
        )
    return data


def _read_from_tar(path: Path, member: str, limit: int) -> bytes:
    """Read up to `limit` + 1 bytes of the last file of a name in a tar archive."""
    opens: Any = gzip.open if path.name.endswith("gz") else open
    with opens(path, "rb") as stream:
        with tarfile.open(fileobj=stream, mode="r:") as archive:
            files = {entry.name: entry for entry in archive if entry.isreg()}
            _require_member(path, member, files)
            content: Any = archive.extractfile(files[member])
            data = read_at_most(content, limit)
        while stream.read(_BLOCK):
            pass  # the checksum of a gzip file is at its end

    return data


def _require_member(path: Path, member: str, names: Collection[str]) -> None:
    """Refuse an archive without a member of some name."""
    if member not in names:
        shown = [shorten(name).encode(errors="replace").decode() for name in [*names][:9]]
        raise DownloadError(f"{path} has no member {member}; it has {', '.join(shown)}.")
