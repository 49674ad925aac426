"""Fetching over loopback: cache, mirrors, hashes, retries, archives; and that offline touches no
socket.
"""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import lzma
import socket
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pytest
from werkzeug import Response

from rankconst.catalogue.benchmarks import BenchmarkFile, Remote
from rankconst.download import (
    RETRIES,
    HashMismatchError,
    MissingSourceError,
    cache_folder,
    find_mirror,
)
from rankconst.errors import DataError, DownloadError, MissingExtraError, UsageError
from rankconst.progress import Reporter
from rankconst_builder.fetch import Content, Fetcher, read_local

if TYPE_CHECKING:
    from pytest_httpserver import HTTPServer
    from rich.console import Console

DATA = b"a\tr\tb\nb\tr\tc\n"
OTHER = b"a\tr\tb\nb\tr\tX\n"


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


# pooch leaves the connection of an error answer to the garbage collector.
UNCLOSED = pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")


def git_blob(data: bytes) -> str:
    return hashlib.sha1(
        b"blob " + str(len(data)).encode() + b"\0" + data, usedforsecurity=False
    ).hexdigest()


def known(url: str, data: bytes = DATA) -> BenchmarkFile:
    return BenchmarkFile(Remote(url, len(data), sha256(data)))


pytestmark = [pytest.mark.usefixtures("loopback"), UNCLOSED]


@pytest.fixture
def fetcher(tmp_path: Path, screen: Console) -> Fetcher:
    return Fetcher(tmp_path / "cache", reporter=Reporter(screen))


def printed(fetcher: Fetcher) -> str:
    stream = fetcher.reporter.console.file
    assert isinstance(stream, io.StringIO)
    return stream.getvalue()


def files_in(folder: Path) -> list[str]:
    return sorted(
        path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()
    )


# ---- the cache -----------------------------------------------------------------------------------


def test_downloads_once_then_reads_the_cache(
    httpserver: HTTPServer, fetcher: Fetcher, request: pytest.FixtureRequest
) -> None:
    httpserver.expect_request("/data/train.txt").respond_with_data(DATA)
    file = known(httpserver.url_for("/data/train.txt"))
    expected = Content(DATA, sha256(DATA), verified=True)
    assert fetcher.read(file) == expected
    assert printed(fetcher) == f"downloading {file.remote.url}\n"
    assert files_in(fetcher.cache) == [
        f"sources/{httpserver.host}:{httpserver.port}/data/train.txt"
    ]
    assert len(httpserver.log) == 1
    request.getfixturevalue("no_network")
    for offline in (False, True):
        assert Fetcher(fetcher.cache, offline=offline).read(file) == expected


@pytest.mark.parametrize("recorded", [False, True])
def test_damaged_copy_in_the_cache(
    httpserver: HTTPServer, fetcher: Fetcher, recorded: bool
) -> None:
    httpserver.expect_request("/train.txt").respond_with_data(DATA)
    url = httpserver.url_for("/train.txt")
    file = BenchmarkFile(Remote(url)) if recorded else known(url)
    fetcher.read(file)
    (copy,) = fetcher.cache.rglob("train.txt")
    copy.write_bytes(OTHER)
    with pytest.raises(HashMismatchError, match="build again"):
        Fetcher(fetcher.cache, offline=True).read(file)
    assert fetcher.read(file).data == DATA
    assert len(httpserver.log) == 2


def test_cache_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for value, folder in ((str(tmp_path / "mine"), "mine"), ("~/yours", "yours")):
        monkeypatch.setenv("RANKCONST_CACHE", value)
        assert cache_folder() == tmp_path / folder
    monkeypatch.setenv("RANKCONST_CACHE", "~nobody-here/x")
    monkeypatch.setenv("RANKCONST_MIRROR", "~nobody-here/x")
    for find in (cache_folder, find_mirror):
        with pytest.raises(
            UsageError, match=r"no home folder for '~nobody-here/x'\. Write the whole path\."
        ):
            find()
    monkeypatch.setenv("RANKCONST_CACHE", "")
    assert cache_folder().is_absolute()
    monkeypatch.delenv("RANKCONST_CACHE")
    assert "rankconst" in cache_folder().name

    def fail(_: str) -> NoReturn:
        raise RuntimeError("could not determine the home directory")

    monkeypatch.setattr("pooch.os_cache", fail)
    with pytest.raises(UsageError, match=r"Name a folder with RANKCONST_CACHE\."):
        cache_folder()
    monkeypatch.setattr("rankconst.download.find_spec", lambda _: None)
    with pytest.raises(MissingExtraError, match="finding the folder for downloads needs pooch"):
        cache_folder()


# ---- failures ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("stated", "told"),
    [
        ({"sha256": sha256(DATA)}, sha256(DATA)),
        ({"git_blob": git_blob(DATA)}, git_blob(DATA)),
        ({"bytes": 7}, "expected 7 bytes, got more"),
    ],
    ids=["sha256", "git_blob", "bytes"],
)
def test_wrong_content_is_not_kept(
    httpserver: HTTPServer, fetcher: Fetcher, stated: Any, told: str
) -> None:
    httpserver.expect_request("/train.txt").respond_with_data(OTHER)
    url = httpserver.url_for("/train.txt")
    with pytest.raises(HashMismatchError) as caught:
        fetcher.read(BenchmarkFile(Remote(url, **stated)))
    assert caught.value.exit_code == 5
    assert url in str(caught.value)
    assert told in str(caught.value)
    assert files_in(fetcher.cache) == []


def test_what_cannot_be_had_is_named(
    httpserver: HTTPServer, fetcher: Fetcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What servers may answer, the tests of locations say."""
    url = httpserver.url_for("/train.txt")
    httpserver.expect_request("/train.txt").respond_with_handler(
        lambda _: Response(iter([DATA[:5]]), headers={"Content-Length": str(len(DATA))})
    )
    with pytest.raises(
        MissingSourceError, match=rf"could not download {url}: (?s:.*)RANKCONST_MIRROR"
    ) as caught:
        fetcher.read(BenchmarkFile(Remote(url)))
    assert caught.value.exit_code == 5
    assert len(httpserver.log) == 1 + RETRIES
    assert files_in(fetcher.cache) == []

    def fail(*_: Any, **__: Any) -> None:
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", fail)
    with pytest.raises(MissingSourceError, match=r"Name or service not known\. Check the network"):
        fetcher.read(known("https://host.invalid/train.txt"))


def test_tries_again(httpserver: HTTPServer, fetcher: Fetcher, loopback: list[float]) -> None:
    httpserver.expect_ordered_request("/train.txt").respond_with_data("busy", status=503)
    httpserver.expect_ordered_request("/train.txt").respond_with_data(DATA)
    assert fetcher.read(known(httpserver.url_for("/train.txt"))).data == DATA
    assert len(httpserver.log) == 2
    assert any(pause > 0 for pause in loopback)


# ---- mirrors -------------------------------------------------------------------------------------

URL = "https://example.invalid/deep/folder/train.txt"


def test_mirror_as_folder(
    tmp_path: Path, no_network: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    del no_network
    monkeypatch.setenv("HOME", str(tmp_path))
    place = tmp_path / "mirror" / "example.invalid" / "deep" / "folder" / "train.txt"
    with pytest.raises(
        MissingSourceError, match=r"has no example\.invalid/deep/folder/train\.txt.* at host/path"
    ):
        Fetcher(tmp_path / "cache", mirror=str(tmp_path / "mirror")).read(known(URL))
    place.parent.mkdir(parents=True)
    place.write_bytes(DATA)
    for offline, mirror in ((False, str(tmp_path / "mirror")), (True, "~/mirror")):
        fetcher = Fetcher(tmp_path / "cache", mirror=mirror, offline=offline)
        assert fetcher.read(known(URL)) == Content(DATA, sha256(DATA), verified=True)
    # A mirror can be read-only, and is often shared: a hash that is learnt does not belong there.
    assert fetcher.read(BenchmarkFile(Remote(URL))) == Content(DATA, sha256(DATA), verified=False)
    place.write_bytes(OTHER)
    with pytest.raises(HashMismatchError, match=sha256(DATA)):
        fetcher.read(known(URL))
    assert files_in(tmp_path / "mirror") == ["example.invalid/deep/folder/train.txt"]
    assert place.read_bytes() == OTHER


def test_a_stand_in_takes_the_place_of_a_file_and_nothing_else_does(tmp_path: Path) -> None:
    place = tmp_path / "mirror" / "example.invalid" / "deep" / "folder" / "train.txt"
    place.parent.mkdir(parents=True)
    fetcher = Fetcher(tmp_path / "cache", mirror=str(tmp_path / "mirror"))
    file = BenchmarkFile(Remote(URL, git_blob=git_blob(DATA), stand_in=sha256(OTHER)))
    for content, expected in ((DATA, True), (OTHER, False)):
        place.write_bytes(content)
        assert fetcher.read(file) == Content(
            content, sha256(content), verified=expected, stands_in=not expected
        )
    place.write_bytes(DATA + OTHER)
    with pytest.raises(HashMismatchError, match=git_blob(DATA)):
        fetcher.read(file)


@pytest.mark.parametrize("slash", ["", "/"])
def test_mirror_as_url(httpserver: HTTPServer, tmp_path: Path, slash: str) -> None:
    httpserver.expect_request("/copy/example.invalid/deep/folder/train.txt").respond_with_data(DATA)
    fetcher = Fetcher(tmp_path / "cache", mirror=httpserver.url_for("/copy") + slash)
    assert fetcher.read(known(URL)) == Content(DATA, sha256(DATA), verified=True)
    # What came from the mirror is the source's own file: it serves without a mirror, too.
    assert Fetcher(tmp_path / "cache", offline=True).read(known(URL)).data == DATA
    assert len(httpserver.log) == 1


def test_filled_cache_is_a_mirror(httpserver: HTTPServer, fetcher: Fetcher, tmp_path: Path) -> None:
    """Also of addresses that differ in their queries only."""
    files = []
    for name, data in (("a", DATA), ("b", OTHER)):
        httpserver.expect_request("/fetch", query_string=f"media=en:{name}").respond_with_data(data)
        files.append(known(httpserver.url_for("/fetch") + f"?media=en:{name}", data))
    assert [fetcher.read(file).data for file in (*files, *files)] == [DATA, OTHER] * 2
    assert len(httpserver.log) == 2
    other = Fetcher(tmp_path / "none", mirror=str(fetcher.cache / "sources"), offline=True)
    assert [other.read(file).data for file in files] == [DATA, OTHER]
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize("mirror", [None, "https://mirror.invalid/x"])
def test_offline_without_a_copy(tmp_path: Path, no_network: None, mirror: str | None) -> None:
    del no_network
    told = rf"{URL} is not in the cache {tmp_path / 'cache'}, and --offline forbids"
    with pytest.raises(MissingSourceError, match=told):
        Fetcher(tmp_path / "cache", mirror=mirror, offline=True).read(known(URL))


# ---- git blob ids, and files of which nothing is known -------------------------------------------


def test_unknown_hash_is_recorded_and_enforced(httpserver: HTTPServer, fetcher: Fetcher) -> None:
    for data in (DATA, DATA, OTHER):
        httpserver.expect_ordered_request("/train.txt").respond_with_data(data)
    file = BenchmarkFile(Remote(httpserver.url_for("/train.txt")))
    for forget in (False, True, True):
        assert fetcher.read(file) == Content(DATA, sha256(DATA), verified=False)
        (record,) = fetcher.cache.rglob("*.sha256")
        assert record.read_text(encoding="ascii").strip() == sha256(DATA)
        if forget:
            next(fetcher.cache.rglob("train.txt")).unlink()
    with pytest.raises(HashMismatchError, match="recorded at the first download"):
        fetcher.read(file)
    assert len(httpserver.log) == 3


# ---- archives ------------------------------------------------------------------------------------


def make_tar(members: dict[str, bytes], mode: Any = "w:gz") -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode=mode) as archive:
        folder = tarfile.TarInfo("folder")
        folder.type = tarfile.DIRTYPE
        archive.addfile(folder)
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return stream.getvalue()


def make_zip(members: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return stream.getvalue()


def make_header(**traits: Any) -> bytes:
    """Return the header of a member of a tar archive."""
    info = tarfile.TarInfo("train.txt")
    for name, value in traits.items():
        setattr(info, name, value)
    return info.tobuf(tarfile.PAX_FORMAT if "pax_headers" in traits else tarfile.GNU_FORMAT)


def put(archive: bytes, *changes: tuple[int, bytes]) -> bytes:
    """Write over some places."""
    for place, sign in changes:
        at = place % len(archive)
        archive = archive[:at] + sign + archive[at + len(sign) :]
    return archive


MEMBERS = {"folder/train.txt": DATA, "folder/test.txt": OTHER, "../../evil.txt": b"evil"}
ARCHIVES: dict[str, Callable[[dict[str, bytes]], bytes]] = {
    "data.tar.gz": make_tar,
    "data.tgz": make_tar,
    "data.tar": lambda members: make_tar(members, "w"),
    "data.zip": make_zip,
}


def serve(folder: Path, name: str, archive: bytes) -> tuple[Fetcher, str]:
    """Lay an archive into a mirror folder; return a fetcher that uses it, and the archive's URL."""
    place = folder / "mirror" / "example.invalid" / name
    place.parent.mkdir(parents=True)
    place.write_bytes(archive)
    return Fetcher(
        folder / "cache", mirror=str(folder / "mirror"), offline=True
    ), f"https://example.invalid/{name}"


@pytest.mark.parametrize("name", ARCHIVES)
def test_members_are_read_without_unpacking(tmp_path: Path, name: str) -> None:
    archive = ARCHIVES[name]({**MEMBERS, "large.txt": bytes(400_000)})
    fetcher, url = serve(tmp_path, name, archive)
    remote = Remote(url, len(archive), sha256(archive))
    for member, data in (("folder/train.txt", DATA), ("folder/test.txt", OTHER)):
        for stated in ((len(data), sha256(data)), ()):
            file = BenchmarkFile(remote, member, *stated)
            assert fetcher.read(file) == Content(data, sha256(data), verified=True)
    for member in ("train.txt", "folder/Train.txt", "folder"):
        with pytest.raises(
            DownloadError, match=f"has no member {member}; it has .*folder/train.txt"
        ) as caught:
            fetcher.read(BenchmarkFile(remote, member))
        assert not isinstance(caught.value, MissingSourceError)
    for size, digest in (
        (3, None), (len(DATA) + 1, None), (None, "00"), (len(DATA), sha256(OTHER)),
    ):  # fmt: skip
        with pytest.raises(
            HashMismatchError,
            match=rf"{name}!folder/train\.txt is not the member the registry names",
        ):
            fetcher.read(BenchmarkFile(remote, "folder/train.txt", size, digest))
    with pytest.raises(HashMismatchError, match="got 11 bytes"):  # it is not read as a whole
        fetcher.read(BenchmarkFile(remote, "large.txt", 10))
    assert files_in(tmp_path) == [f"mirror/example.invalid/{name}"]


NOISE = b"".join(hashlib.sha256(bytes([i % 256, i // 256])).digest() for i in range(4000))


ZIP = make_zip({"train.txt": DATA * 100})
LIST = ZIP.index(b"PK\1\2")  # of the members, behind them

# Archives that are damaged, and those that somebody made to do harm.
WHOLE = {ending: ARCHIVES[f"data{ending}"]({"train.txt": NOISE}) for ending in (".tar.gz", ".zip")}

DAMAGED = {
    **{f"cut off{ending}": archive[: len(archive) // 2] for ending, archive in WHOLE.items()},
    **{f"changed{ending}": put(archive, (len(archive) // 2, bytes(200))) for ending, archive in WHOLE.items()},
    **{f"a page{ending}": b"<html>Please log in</html>" * 40 for ending in WHOLE},
    **{f"empty{ending}": b"" for ending in WHOLE},
}  # fmt: skip

HOSTILE = {
    "encrypted.zip": put(ZIP, (6, b"\1"), (LIST + 8, b"\1")),
    "unknown packing.zip": put(ZIP, (8, b"\x63"), (LIST + 10, b"\x63")),
    "no UTF-8.zip": put(ZIP, (7, b"\x08"), (LIST + 9, b"\x08")).replace(b"train.txt", b"\xff\xferain.tx"),
    "symbolic link to itself.tar": make_header(type=tarfile.SYMTYPE, linkname="train.txt"),
    "8 EB.tar": make_header(size=8 * 2**60) + DATA,
    "nested headers.tar": make_header(type=tarfile.XHDTYPE, name="pax") * 5000,
    "huge header.tar": make_header(type=tarfile.XHDTYPE, size=4 * 2**30),
}  # fmt: skip


@pytest.mark.parametrize("name", [*DAMAGED, *HOSTILE])
def test_archives_that_are_no_good(tmp_path: Path, name: str) -> None:
    told = rf"(?s){tmp_path}.* is damaged: .*Delete it and build again"
    stated: tuple[Any, ...] = ()
    archive = DAMAGED.get(name) or HOSTILE.get(name, b"")
    if name in HOSTILE:
        told = rf"{told}|has no member train\.txt|is not the member"
        stated = (len(DATA), sha256(DATA))
        archive += bytes(1024 if name.endswith(".tar") else 0)
    fetcher, url = serve(tmp_path, name, archive)
    with pytest.raises(DownloadError, match=told) as caught:
        fetcher.read(BenchmarkFile(Remote(url), "train.txt", *stated))
    assert str(caught.value).encode()  # without halves of characters, which cannot be printed


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_files_of_ones_own_that_are_packed(
    tmp_path: Path, pack: Callable[[bytes], bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rankconst_builder.fetch._LEAST_LIMIT", 2**20)
    path, whole = tmp_path / "train.tsv", pack(NOISE)
    path.write_bytes(pack(DATA * 1000))
    assert read_local(path).data == DATA * 1000
    cuts = (whole[:100], whole[: len(whole) // 2], whole[:50] + bytes(60) + whole[110:])
    for content, told in (
        (pack(bytes(2**21)), r"grows from .* unpack it"),
        *((cut, "cut off or") for cut in cuts),
    ):
        path.write_bytes(content)
        with pytest.raises(DataError, match=told):
            read_local(path)
