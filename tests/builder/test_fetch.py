"""Fetching over loopback: cache, mirrors, hashes, retries, archives; and that offline touches no socket."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import lzma
import socket
import tarfile
import threading
import zipfile
from typing import TYPE_CHECKING, Any, NoReturn

import pytest
from werkzeug import Request, Response

from rankconst import download
from rankconst.catalogue.benchmarks import BenchmarkFile, Remote
from rankconst.download import RETRIES, HashMismatchError, MissingSourceError, Reporter, cache_folder, check_mirror
from rankconst.errors import DataError, DownloadError, MissingExtraError, UsageError
from rankconst_builder.fetch import Content, Fetcher, read_local

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_httpserver import HTTPServer
    from rich.console import Console

DATA = b"a\tr\tb\nb\tr\tc\n"
OTHER = b"a\tr\tb\nb\tr\tX\n"


# pooch leaves the connection of an error answer to the garbage collector.
UNCLOSED = pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def git_blob(data: bytes) -> str:
    return hashlib.sha1(b"blob " + str(len(data)).encode() + b"\0" + data, usedforsecurity=False).hexdigest()


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


def requests_of(server: HTTPServer) -> int:
    return len(server.log)


def files_in(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def at(cache: Path, url: str) -> Path:
    """Where a URL without a query lies in a cache."""
    return cache / "sources" / url.partition("://")[2]


# ---- the cache ---------------------------------------------------------------------------------------------------


def test_downloads_once_then_reads_the_cache(
    httpserver: HTTPServer, fetcher: Fetcher, request: pytest.FixtureRequest
) -> None:
    httpserver.expect_request("/data/train.txt").respond_with_data(DATA)
    file = known(httpserver.url_for("/data/train.txt"))
    expected = Content(DATA, sha256(DATA), verified=True)
    assert fetcher.read(file) == expected
    assert printed(fetcher) == f"downloading {file.remote.url}\n"
    assert files_in(fetcher.cache) == [f"sources/{httpserver.host}:{httpserver.port}/data/train.txt"]
    assert requests_of(httpserver) == 1
    request.getfixturevalue("no_network")
    for offline in (False, True):
        assert Fetcher(fetcher.cache, offline=offline).read(file) == expected


@pytest.mark.parametrize("recorded", [False, True])
def test_damaged_copy_in_the_cache(httpserver: HTTPServer, fetcher: Fetcher, recorded: bool) -> None:
    httpserver.expect_request("/train.txt").respond_with_data(DATA)
    url = httpserver.url_for("/train.txt")
    file = BenchmarkFile(Remote(url)) if recorded else known(url)
    fetcher.read(file)
    at(fetcher.cache, url).write_bytes(OTHER)
    with pytest.raises(HashMismatchError, match="build again"):
        Fetcher(fetcher.cache, offline=True).read(file)
    assert fetcher.read(file).data == DATA
    assert requests_of(httpserver) == 2


def test_cache_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for value, folder in ((str(tmp_path / "mine"), "mine"), ("~/yours", "yours")):
        monkeypatch.setenv("RANKCONST_CACHE", value)
        assert cache_folder() == tmp_path / folder
    monkeypatch.setenv("RANKCONST_CACHE", "~nobody-here/x")
    for find in (cache_folder, lambda: check_mirror("~nobody-here/x")):
        with pytest.raises(UsageError, match=r"no home folder for '~nobody-here/x'\. Write the whole path\."):
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


def test_without_the_extra_it_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("rankconst.download.find_spec", lambda _: None)
    told = r"downloading https://example\.invalid/\S+ needs pooch, which is missing\. Run: pip install 'rankconst\[bu"
    with pytest.raises(MissingExtraError, match=told):
        Fetcher(tmp_path / "cache").read(known(URL))
    monkeypatch.delenv("RANKCONST_CACHE", raising=False)
    with pytest.raises(MissingExtraError, match="finding the folder for downloads needs pooch"):
        cache_folder()


# ---- failures ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("stated", "told"),
    [
        ({"sha256": sha256(DATA)}, sha256(DATA)),
        ({"git_blob": git_blob(DATA)}, git_blob(DATA)),
        ({"bytes": 7}, f"expected 7 bytes, got {len(OTHER)}"),
    ],
    ids=["sha256", "git_blob", "bytes"],
)
def test_wrong_content_is_not_kept(httpserver: HTTPServer, fetcher: Fetcher, stated: Any, told: str) -> None:
    httpserver.expect_request("/train.txt").respond_with_data(OTHER)
    url = httpserver.url_for("/train.txt")
    with pytest.raises(HashMismatchError) as caught:
        fetcher.read(BenchmarkFile(Remote(url, **stated)))
    assert caught.value.exit_code == 5
    assert url in str(caught.value)
    assert told in str(caught.value)
    assert files_in(fetcher.cache) == []


def cut(_: Request) -> Response:
    return Response(iter([DATA[:5]]), headers={"Content-Length": str(len(DATA))})


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (lambda _: Response("gone", 404), "the server answered 404 NOT FOUND. .*--mirror FOLDER_OR_URL"),
        (lambda _: Response("busy", 503), "the server answered 503"),
        (cut, "could not download"),
    ],
    ids=["not found", "busy for ever", "cut off"],
)
def test_failures_name_the_url(
    httpserver: HTTPServer, fetcher: Fetcher, answer: Callable[[Request], Response], told: str
) -> None:
    httpserver.expect_request("/train.txt").respond_with_handler(answer)
    url = httpserver.url_for("/train.txt")
    with pytest.raises(MissingSourceError, match=rf"(?s){url}.*{told}|{told}.*{url}") as caught:
        fetcher.read(BenchmarkFile(Remote(url)))
    assert caught.value.exit_code == 5
    assert requests_of(httpserver) == 1 + RETRIES
    assert files_in(fetcher.cache) == []


def test_hosts_that_do_not_answer_are_named(fetcher: Fetcher, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    url = f"http://127.0.0.1:{port}/train.txt"
    with pytest.raises(MissingSourceError, match=f"could not download {url}: "):
        fetcher.read(known(url))
    assert files_in(fetcher.cache) == []

    def fail(*_: Any, **__: Any) -> None:
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", fail)
    with pytest.raises(MissingSourceError, match=r"could not be resolved \(is there a network\?\)"):
        fetcher.read(known("https://host.invalid/train.txt"))


@pytest.mark.parametrize("first", [("busy", 503), (OTHER, 200)])
def test_tries_again(
    httpserver: HTTPServer, fetcher: Fetcher, loopback: list[float], first: tuple[str | bytes, int]
) -> None:
    httpserver.expect_ordered_request("/train.txt").respond_with_data(first[0], status=first[1])
    httpserver.expect_ordered_request("/train.txt").respond_with_data(DATA)
    assert fetcher.read(known(httpserver.url_for("/train.txt"))).data == DATA
    assert requests_of(httpserver) == 2
    assert any(pause > 0 for pause in loopback)


# ---- mirrors -----------------------------------------------------------------------------------------------------

URL = "https://example.invalid/deep/folder/train.txt"


def test_mirror_as_folder(tmp_path: Path, no_network: None, monkeypatch: pytest.MonkeyPatch) -> None:
    del no_network
    monkeypatch.setenv("HOME", str(tmp_path))
    place = tmp_path / "mirror" / "example.invalid" / "deep" / "folder" / "train.txt"
    with pytest.raises(MissingSourceError, match=r"has no example\.invalid/deep/folder/train\.txt.* at host/path"):
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


@pytest.mark.parametrize("slash", ["", "/"])
def test_mirror_as_url(httpserver: HTTPServer, tmp_path: Path, slash: str) -> None:
    httpserver.expect_request("/copy/example.invalid/deep/folder/train.txt").respond_with_data(DATA)
    fetcher = Fetcher(tmp_path / "cache", mirror=httpserver.url_for("/copy") + slash)
    assert fetcher.read(known(URL)) == Content(DATA, sha256(DATA), verified=True)
    # What came from the mirror is the source's own file: it serves without a mirror, too.
    assert Fetcher(tmp_path / "cache", offline=True).read(known(URL)).data == DATA
    assert requests_of(httpserver) == 1


def test_filled_cache_is_a_mirror(httpserver: HTTPServer, fetcher: Fetcher, tmp_path: Path) -> None:
    """Also of addresses that differ in their queries only."""
    files = []
    for name, data in (("a", DATA), ("b", OTHER)):
        httpserver.expect_request("/fetch", query_string=f"media=en:{name}").respond_with_data(data)
        files.append(known(httpserver.url_for("/fetch") + f"?media=en:{name}", data))
    assert [fetcher.read(file).data for file in (*files, *files)] == [DATA, OTHER] * 2
    assert requests_of(httpserver) == 2
    other = Fetcher(tmp_path / "none", mirror=str(fetcher.cache / "sources"), offline=True)
    assert [other.read(file).data for file in files] == [DATA, OTHER]
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize("mirror", [None, "https://mirror.invalid/x"])
def test_offline_without_a_copy(tmp_path: Path, no_network: None, mirror: str | None) -> None:
    del no_network
    told = rf"{URL} is not in the cache {tmp_path / 'cache'}, and --offline forbids"
    with pytest.raises(MissingSourceError, match=told):
        Fetcher(tmp_path / "cache", mirror=mirror, offline=True).read(known(URL))


# ---- git blob ids, and files of which nothing is known -------------------------------------------------------------


@pytest.mark.parametrize("data", [DATA, b"", b"x" * ((1 << 20) + 7)])
def test_git_blob_ids(httpserver: HTTPServer, fetcher: Fetcher, data: bytes) -> None:
    # `printf 'what is up, doc?' | git hash-object --stdin`, from the Git book.
    assert git_blob(b"what is up, doc?") == "bd9dbf5aae1a3862dd1526723246b20206e5fc37"
    httpserver.expect_request("/train.txt").respond_with_data(data)
    file = BenchmarkFile(Remote(httpserver.url_for("/train.txt"), git_blob=git_blob(data)))
    assert fetcher.read(file) == Content(data, sha256(data), verified=True)


def test_unknown_hash_is_recorded_and_enforced(httpserver: HTTPServer, fetcher: Fetcher) -> None:
    for data in (DATA, DATA, OTHER):
        httpserver.expect_ordered_request("/train.txt").respond_with_data(data)
    file = BenchmarkFile(Remote(httpserver.url_for("/train.txt")))
    kept = at(fetcher.cache, file.remote.url)
    for forget in (False, True, True):
        assert fetcher.read(file) == Content(DATA, sha256(DATA), verified=False)
        (record,) = fetcher.cache.rglob("*.sha256")
        assert record.read_text(encoding="ascii").strip() == sha256(DATA)
        if forget:
            kept.unlink()
    with pytest.raises(HashMismatchError, match="recorded at the first download"):
        fetcher.read(file)
    assert requests_of(httpserver) == 3


# ---- archives ----------------------------------------------------------------------------------------------------


def make_tar(members: dict[str, bytes], mode: str = "w:gz") -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode=mode) as archive:  # type: ignore[call-overload]
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
    return Fetcher(folder / "cache", mirror=str(folder / "mirror"), offline=True), f"https://example.invalid/{name}"


@pytest.mark.parametrize("name", ARCHIVES)
def test_members_are_read_without_unpacking(tmp_path: Path, name: str) -> None:
    archive = ARCHIVES[name](MEMBERS)
    fetcher, url = serve(tmp_path, name, archive)
    remote = Remote(url, len(archive), sha256(archive))
    for member, data in (("folder/train.txt", DATA), ("folder/test.txt", OTHER)):
        stated = BenchmarkFile(remote, member, len(data), sha256(data))
        assert fetcher.read(stated) == Content(data, sha256(data), verified=True)
        assert fetcher.read(BenchmarkFile(remote, member)) == Content(data, sha256(data), verified=True)
    assert files_in(tmp_path) == [f"mirror/example.invalid/{name}"]


@pytest.mark.parametrize("name", ARCHIVES)
@pytest.mark.parametrize("member", ["train.txt", "folder/Train.txt", "folder"])
def test_wrong_member(tmp_path: Path, name: str, member: str) -> None:
    fetcher, url = serve(tmp_path, name, ARCHIVES[name](MEMBERS))
    with pytest.raises(DownloadError, match=f"has no member {member}; it has .*folder/train.txt") as caught:
        fetcher.read(BenchmarkFile(Remote(url), member))
    assert not isinstance(caught.value, MissingSourceError)


@pytest.mark.parametrize("name", ARCHIVES)
def test_wrong_size_or_hash_of_a_member(tmp_path: Path, name: str) -> None:
    fetcher, url = serve(tmp_path, name, ARCHIVES[name]({**MEMBERS, "large.txt": bytes(4_000_000)}))
    for size, digest in ((3, None), (len(DATA) + 1, None), (None, "00"), (len(DATA), sha256(OTHER))):
        with pytest.raises(HashMismatchError, match=rf"{name}!folder/train\.txt is not the member the registry names"):
            fetcher.read(BenchmarkFile(Remote(url), "folder/train.txt", size, digest))
    with pytest.raises(HashMismatchError, match="got 11 bytes"):  # it is not read as a whole
        fetcher.read(BenchmarkFile(Remote(url), "large.txt", 10))


NOISE = b"".join(hashlib.sha256(bytes([i % 256, i // 256])).digest() for i in range(4000))


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "cut off": lambda archive: archive[: len(archive) // 2],
    "changed in the middle": lambda archive: (
        archive[: len(archive) // 2] + bytes(200) + archive[len(archive) // 2 + 200 :]
    ),
    "no archive at all": lambda _: b"<html>Please log in</html>" * 40,
    "empty": lambda _: b"",
}


@pytest.mark.parametrize("name", ["data.tar.gz", "data.zip"])
@pytest.mark.parametrize("how", DAMAGES)
def test_damaged_archive(tmp_path: Path, name: str, how: str) -> None:
    fetcher, url = serve(tmp_path, name, DAMAGES[how](ARCHIVES[name]({"train.txt": NOISE})))
    with pytest.raises(DownloadError, match=r"(?s)is damaged: .*Delete it and build again") as caught:
        fetcher.read(BenchmarkFile(Remote(url), "train.txt"))
    assert str(tmp_path) in str(caught.value)


def make_hostile(kind: str) -> tuple[str, bytes]:
    """Return an archive that somebody made to do harm, with its name."""
    stream = io.BytesIO()
    if kind.startswith("zip"):
        whole = make_zip({"train.txt": DATA * 100})
        central = whole.index(b"PK\1\2")
        changed = {
            "zip encrypted": (6, central + 8, b"\1"),
            "zip of an unknown packing": (8, central + 10, b"\x63"),
            "zip of another packing": (8, central + 10, b"\x0e"),
            "zip with a wrong offset": (0, central + 42, b"\xff\xff\xff\x7f"),
            "zip with a name that is no UTF-8": (7, central + 9, b"\x08"),
        }[kind]
        data = bytearray(whole)
        local, far, sign = changed
        if "offset" not in kind:
            data[local : local + 1] = sign
        data[far : far + len(sign)] = sign
        if "UTF-8" in kind:
            data = bytearray(bytes(data).replace(b"train.txt", b"\xff\xferain.tx"))
        return "data.zip", bytes(data)
    with tarfile.open(fileobj=stream, mode="w") as archive:
        info = tarfile.TarInfo("train.txt")
        if "link" in kind:
            info.type, info.linkname = tarfile.SYMTYPE if "symbolic" in kind else tarfile.LNKTYPE, "train.txt"
        if "sparse" in kind:
            info.pax_headers = {"GNU.sparse.map": "x,y", "GNU.sparse.size": "9" * 30, "GNU.sparse.name": "train.txt"}
        archive.addfile(info)
    header = stream.getvalue()[:512]
    if kind == "tar of 8 EB":
        info.size = 8 * 2**60
        header = info.tobuf(tarfile.GNU_FORMAT) + DATA
    elif kind == "tar of nested pax headers":
        info.type, info.name = tarfile.XHDTYPE, "pax"
        header = info.tobuf(tarfile.USTAR_FORMAT) * 5000
    elif kind == "tar of a huge pax header":
        info.type, info.size = tarfile.XHDTYPE, 4 * 2**30
        header = info.tobuf(tarfile.USTAR_FORMAT)
    elif kind == "tar with a negative size":
        header = header[:124] + b"\xff" * 12 + header[136:]
    else:
        header = stream.getvalue()
    if kind == "tar of xz":
        return "data.tar", lzma.compress(stream.getvalue())[:-40] + bytes(40)
    if kind == "tar of bz2":
        return "data.tar", bz2.compress(stream.getvalue())[:-20] + bytes(20)
    return "data.tar", header + bytes(1024)


HOSTILE = (
    "zip encrypted", "zip of an unknown packing", "zip of another packing", "zip with a wrong offset",
    "zip with a name that is no UTF-8", "tar with a hard link to itself", "tar with a symbolic link to itself",
    "tar of 8 EB", "tar of nested pax headers", "tar of a huge pax header", "tar with a negative size",
    "tar with a sparse map", "tar of xz", "tar of bz2",
)  # fmt: skip


@pytest.mark.parametrize("kind", HOSTILE)
def test_archives_made_to_do_harm(tmp_path: Path, kind: str) -> None:
    fetcher, url = serve(tmp_path, *make_hostile(kind))
    with pytest.raises(DownloadError, match=r"is damaged: |has no member train\.txt|is not the member") as caught:
        fetcher.read(BenchmarkFile(Remote(url), "train.txt", len(DATA), sha256(DATA)))
    assert str(caught.value).encode()  # without halves of characters, which cannot be printed


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_files_of_ones_own_that_are_packed(
    tmp_path: Path, pack: Callable[[bytes], bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rankconst_builder.fetch._SMALL", 2**20)
    path, whole = tmp_path / "train.tsv", pack(NOISE)
    path.write_bytes(pack(DATA * 1000))
    assert read_local(path).data == DATA * 1000
    cuts = (whole[:100], whole[: len(whole) // 2], whole[:50] + bytes(60) + whole[110:])
    for content, told in ((pack(bytes(2**21)), r"grows from .* unpack it"), *((cut, "cut off or") for cut in cuts)):
        path.write_bytes(content)
        with pytest.raises(DataError, match=told):
            read_local(path)


# ---- what a person sees ------------------------------------------------------------------------------------------


def test_time_in_which_the_process_was_stopped_is_not_the_servers(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]  # seconds
    monkeypatch.setattr("rankconst.download.time.monotonic", lambda: now[0])
    clock = download.Clock(_last=0)
    for passed in (0.1, 3600, 0.1):  # stopped for an hour in the middle
        now[0] += passed
        clock.tick()
    assert clock.waited == clock.passed < download.PATIENCE
    for _ in range(4 * download.PATIENCE):
        now[0] += 0.5
        clock.tick()
    assert clock.waited > download.PATIENCE


def test_a_server_that_sends_nothing_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(download, "PATIENCE", 0.2)
    with pytest.raises(download.SlowError, match="the server sends less than"):
        download.watch(threading.Event().wait)
