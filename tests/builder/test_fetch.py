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
from rich.console import Console
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


def test_downloads_once_then_reads_the_cache(httpserver: HTTPServer, fetcher: Fetcher) -> None:
    httpserver.expect_request("/data/train.txt").respond_with_data(DATA)
    file = known(httpserver.url_for("/data/train.txt"))
    expected = Content(DATA, sha256(DATA), verified=True)
    assert fetcher.read(file) == expected
    assert printed(fetcher) == f"downloading {file.remote.url}\n"
    assert files_in(fetcher.cache) == [f"sources/{httpserver.host}:{httpserver.port}/data/train.txt"]
    assert fetcher.read(file) == expected
    assert Fetcher(fetcher.cache, offline=True).read(file) == expected
    assert requests_of(httpserver) == 1
    assert printed(fetcher).count("\n") == 1


def test_second_read_opens_no_socket(httpserver: HTTPServer, fetcher: Fetcher, request: pytest.FixtureRequest) -> None:
    httpserver.expect_request("/train.txt").respond_with_data(DATA)
    file = known(httpserver.url_for("/train.txt"))
    fetcher.read(file)
    request.getfixturevalue("no_network")
    assert fetcher.read(file).data == DATA


def test_damaged_copy_in_the_cache_is_downloaded_again(httpserver: HTTPServer, fetcher: Fetcher) -> None:
    httpserver.expect_request("/train.txt").respond_with_data(DATA)
    file = known(httpserver.url_for("/train.txt"))
    fetcher.read(file)
    at(fetcher.cache, file.remote.url).write_bytes(OTHER)
    assert fetcher.read(file).data == DATA
    assert requests_of(httpserver) == 2


def test_damaged_copy_in_the_cache_is_refused_offline(httpserver: HTTPServer, fetcher: Fetcher) -> None:
    httpserver.expect_request("/train.txt").respond_with_data(DATA)
    file = known(httpserver.url_for("/train.txt"))
    fetcher.read(file)
    at(fetcher.cache, file.remote.url).write_bytes(OTHER)
    with pytest.raises(HashMismatchError, match="Delete it and build again"):
        Fetcher(fetcher.cache, offline=True).read(file)


def test_files_with_queries_do_not_meet(httpserver: HTTPServer, fetcher: Fetcher) -> None:
    for name, data in (("a", DATA), ("b", OTHER)):
        httpserver.expect_request("/fetch", query_string=f"media=en:{name}").respond_with_data(data)
    base = httpserver.url_for("/fetch")
    assert fetcher.read(known(f"{base}?media=en:a", DATA)).data == DATA
    assert fetcher.read(known(f"{base}?media=en:b", OTHER)).data == OTHER
    assert fetcher.read(known(f"{base}?media=en:a", DATA)).data == DATA
    assert requests_of(httpserver) == 2


def test_cache_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RANKCONST_CACHE", str(tmp_path / "mine"))
    assert cache_folder() == tmp_path / "mine"
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("RANKCONST_CACHE", "~/mine")
    assert cache_folder() == tmp_path / "mine"
    for unset in ("", None):
        if unset is None:
            monkeypatch.delenv("RANKCONST_CACHE")
        else:
            monkeypatch.setenv("RANKCONST_CACHE", unset)
        assert cache_folder().is_absolute()
        assert "rankconst" in cache_folder().name


def test_no_home_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANKCONST_CACHE", "~nobody-here/x")
    with pytest.raises(UsageError, match=r"no home folder for '~nobody-here/x'\. Write the whole path\."):
        cache_folder()
    with pytest.raises(UsageError, match=r"no home folder for '~nobody-here/x'"):
        check_mirror("~nobody-here/x")
    monkeypatch.delenv("RANKCONST_CACHE")

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
    monkeypatch.setenv("RANKCONST_CACHE", str(tmp_path))
    assert cache_folder() == tmp_path
    monkeypatch.delenv("RANKCONST_CACHE")
    with pytest.raises(MissingExtraError, match="finding the folder for downloads needs pooch"):
        cache_folder()


# ---- failures ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("digest", ["sha256", "git_blob"])
def test_wrong_content_is_not_kept(httpserver: HTTPServer, fetcher: Fetcher, digest: str) -> None:
    httpserver.expect_request("/train.txt").respond_with_data(OTHER)
    url = httpserver.url_for("/train.txt")
    hashes: dict[str, Any] = {"sha256": sha256(DATA)} if digest == "sha256" else {"git_blob": git_blob(DATA)}
    with pytest.raises(HashMismatchError) as caught:
        fetcher.read(BenchmarkFile(Remote(url, **hashes)))
    assert caught.value.exit_code == 5
    assert url in str(caught.value)
    assert hashes[digest] in str(caught.value)
    assert files_in(fetcher.cache) == []


def test_wrong_size_is_not_kept(httpserver: HTTPServer, fetcher: Fetcher) -> None:
    httpserver.expect_request("/train.txt").respond_with_data(DATA)
    with pytest.raises(HashMismatchError, match=rf"expected 7 bytes, got {len(DATA)}"):
        fetcher.read(BenchmarkFile(Remote(httpserver.url_for("/train.txt"), bytes=7)))
    assert files_in(fetcher.cache) == []


def test_not_found_names_the_url(httpserver: HTTPServer, fetcher: Fetcher) -> None:
    httpserver.expect_request("/train.txt").respond_with_data("gone", status=404)
    url = httpserver.url_for("/train.txt")
    with pytest.raises(MissingSourceError) as caught:
        fetcher.read(known(url))
    assert f"could not download {url}: the server answered 404 NOT FOUND." in str(caught.value)
    assert "--mirror FOLDER_OR_URL" in str(caught.value)
    assert caught.value.exit_code == 5
    assert files_in(fetcher.cache) == []


def test_refused_connection_names_the_url(fetcher: Fetcher) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    url = f"http://127.0.0.1:{port}/train.txt"
    with pytest.raises(MissingSourceError, match=f"could not download {url}: "):
        fetcher.read(known(url))
    assert files_in(fetcher.cache) == []


def test_unknown_host_is_said_in_words(fetcher: Fetcher, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", fail)
    with pytest.raises(MissingSourceError, match=r"could not be resolved \(is there a network\?\)"):
        fetcher.read(known("https://host.invalid/train.txt"))


def test_cut_off_download_is_not_kept(httpserver: HTTPServer, fetcher: Fetcher) -> None:
    def cut(_: Request) -> Response:
        return Response(iter([DATA[:5]]), headers={"Content-Length": str(len(DATA))})

    httpserver.expect_request("/train.txt").respond_with_handler(cut)
    with pytest.raises(MissingSourceError):
        fetcher.read(BenchmarkFile(Remote(httpserver.url_for("/train.txt"))))
    assert files_in(fetcher.cache) == []


@pytest.mark.parametrize("first", [503, "wrong content"])
def test_tries_again(httpserver: HTTPServer, fetcher: Fetcher, loopback: list[float], first: int | str) -> None:
    if isinstance(first, int):
        httpserver.expect_ordered_request("/train.txt").respond_with_data("busy", status=first)
    else:
        httpserver.expect_ordered_request("/train.txt").respond_with_data(OTHER)
    httpserver.expect_ordered_request("/train.txt").respond_with_data(DATA)
    file = known(httpserver.url_for("/train.txt"))
    assert fetcher.read(file).data == DATA
    assert requests_of(httpserver) == 2
    assert len([pause for pause in loopback if pause > 0]) >= 1


def test_gives_up_after_the_last_retry(httpserver: HTTPServer, fetcher: Fetcher) -> None:
    httpserver.expect_request("/train.txt").respond_with_data("busy", status=503)
    with pytest.raises(MissingSourceError, match="the server answered 503"):
        fetcher.read(known(httpserver.url_for("/train.txt")))
    assert requests_of(httpserver) == 1 + RETRIES


# ---- mirrors -----------------------------------------------------------------------------------------------------

URL = "https://example.invalid/deep/folder/train.txt"


def test_mirror_as_folder(tmp_path: Path, no_network: None) -> None:  # noqa: ARG001 - a fixture
    place = tmp_path / "mirror" / "example.invalid" / "deep" / "folder" / "train.txt"
    place.parent.mkdir(parents=True)
    place.write_bytes(DATA)
    for offline in (False, True):
        fetcher = Fetcher(tmp_path / "cache", mirror=str(tmp_path / "mirror"), offline=offline)
        assert fetcher.read(known(URL)) == Content(DATA, sha256(DATA), verified=True)
    place.write_bytes(OTHER)
    with pytest.raises(HashMismatchError, match=sha256(DATA)):
        fetcher.read(known(URL))
    assert place.read_bytes() == OTHER


def test_mirror_in_the_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    place = tmp_path / "copy/example.invalid/deep/folder/train.txt"
    place.parent.mkdir(parents=True)
    place.write_bytes(DATA)
    assert Fetcher(tmp_path / "cache", mirror="~/copy").read(known(URL)).data == DATA


def test_mirror_folder_without_the_file(tmp_path: Path, no_network: None) -> None:  # noqa: ARG001 - a fixture
    mirror = tmp_path / "mirror"
    with pytest.raises(MissingSourceError) as caught:
        Fetcher(tmp_path / "cache", mirror=str(mirror)).read(known(URL))
    assert f"the mirror {mirror} has no example.invalid/deep/folder/train.txt" in str(caught.value)
    assert "https://host/path at host/path" in str(caught.value)


def test_mirror_folder_is_left_alone(tmp_path: Path) -> None:
    # A mirror can be read-only, and is often shared: a hash that is learnt does not belong there.
    place = tmp_path / "mirror/example.invalid/deep/folder/train.txt"
    place.parent.mkdir(parents=True)
    place.write_bytes(DATA)
    content = Fetcher(tmp_path / "cache", mirror=str(tmp_path / "mirror")).read(BenchmarkFile(Remote(URL)))
    assert content == Content(DATA, sha256(DATA), verified=False)
    assert files_in(tmp_path / "mirror") == ["example.invalid/deep/folder/train.txt"]


@pytest.mark.parametrize("slash", ["", "/"])
def test_mirror_as_url(httpserver: HTTPServer, tmp_path: Path, slash: str) -> None:
    httpserver.expect_request("/copy/example.invalid/deep/folder/train.txt").respond_with_data(DATA)
    fetcher = Fetcher(tmp_path / "cache", mirror=httpserver.url_for("/copy") + slash)
    assert fetcher.read(known(URL)) == Content(DATA, sha256(DATA), verified=True)
    # What came from the mirror is the source's own file: it serves without a mirror, too.
    assert Fetcher(tmp_path / "cache", offline=True).read(known(URL)).data == DATA
    assert requests_of(httpserver) == 1


def test_mirror_url_without_the_file_names_the_place_asked(httpserver: HTTPServer, tmp_path: Path) -> None:
    httpserver.expect_request("/copy/example.invalid/deep/folder/train.txt").respond_with_data("", status=404)
    fetcher = Fetcher(tmp_path / "cache", mirror=httpserver.url_for("/copy"))
    with pytest.raises(
        MissingSourceError, match=r"/copy/example\.invalid/deep/folder/train\.txt: the server answered 404"
    ):
        fetcher.read(known(URL))


def test_filled_cache_is_a_mirror(httpserver: HTTPServer, fetcher: Fetcher, tmp_path: Path) -> None:
    for name, data in (("a", DATA), ("b", OTHER)):
        httpserver.expect_request("/fetch", query_string=f"media=en:{name}").respond_with_data(data)
    files = [
        known(httpserver.url_for("/fetch") + f"?media=en:{name}", data) for name, data in (("a", DATA), ("b", OTHER))
    ]
    contents = [fetcher.read(file) for file in files]
    other = Fetcher(tmp_path / "none", mirror=str(fetcher.cache / "sources"), offline=True)
    assert [other.read(file) for file in files] == contents
    assert not (tmp_path / "none").exists()


# ---- offline -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mirror", [None, "https://mirror.invalid/x"])
def test_offline_without_a_copy(tmp_path: Path, no_network: None, mirror: str | None) -> None:  # noqa: ARG001 - a fixture
    with pytest.raises(MissingSourceError) as caught:
        Fetcher(tmp_path / "cache", mirror=mirror, offline=True).read(known(URL))
    assert URL in str(caught.value)
    assert str(tmp_path / "cache") in str(caught.value)
    assert "--offline" in str(caught.value)


# ---- git blob ids, and files of which nothing is known -------------------------------------------------------------


@pytest.mark.parametrize("data", [DATA, b"", b"x" * ((1 << 20) + 7)])
def test_git_blob_ids(httpserver: HTTPServer, fetcher: Fetcher, data: bytes) -> None:
    httpserver.expect_request("/train.txt").respond_with_data(data)
    file = BenchmarkFile(Remote(httpserver.url_for("/train.txt"), git_blob=git_blob(data)))
    assert fetcher.read(file) == Content(data, sha256(data), verified=True)


def test_git_blob_of_a_known_file() -> None:
    # `printf 'what is up, doc?' | git hash-object --stdin`, from the Git book.
    assert git_blob(b"what is up, doc?") == "bd9dbf5aae1a3862dd1526723246b20206e5fc37"


def test_unknown_hash_is_recorded_and_enforced(httpserver: HTTPServer, fetcher: Fetcher) -> None:
    httpserver.expect_ordered_request("/train.txt").respond_with_data(DATA)
    httpserver.expect_ordered_request("/train.txt").respond_with_data(DATA)
    httpserver.expect_ordered_request("/train.txt").respond_with_data(OTHER)
    file = BenchmarkFile(Remote(httpserver.url_for("/train.txt")))
    assert fetcher.read(file) == Content(DATA, sha256(DATA), verified=False)
    records = [path for path in fetcher.cache.rglob("*") if path.is_file() and path.suffix == ".sha256"]
    assert [path.read_text(encoding="ascii").strip() for path in records] == [sha256(DATA)]
    kept = at(fetcher.cache, file.remote.url)
    for _ in range(2):
        assert fetcher.read(file) == Content(DATA, sha256(DATA), verified=False)
        kept.unlink(missing_ok=True)
    with pytest.raises(HashMismatchError, match="recorded at the first download"):
        fetcher.read(file)
    assert requests_of(httpserver) == 3


def test_unknown_hash_of_a_changed_copy(httpserver: HTTPServer, fetcher: Fetcher) -> None:
    httpserver.expect_request("/train.txt").respond_with_data(DATA)
    file = BenchmarkFile(Remote(httpserver.url_for("/train.txt")))
    fetcher.read(file)
    at(fetcher.cache, file.remote.url).write_bytes(OTHER)
    with pytest.raises(HashMismatchError):
        Fetcher(fetcher.cache, offline=True).read(file)
    assert fetcher.read(file).data == DATA


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


def test_archive_is_downloaded_once_for_all_members(httpserver: HTTPServer, fetcher: Fetcher) -> None:
    archive = make_tar(MEMBERS)
    httpserver.expect_request("/data.tar.gz").respond_with_data(archive)
    remote = Remote(httpserver.url_for("/data.tar.gz"), sha256=sha256(archive))
    assert fetcher.read(BenchmarkFile(remote, "folder/train.txt")).data == DATA
    assert fetcher.read(BenchmarkFile(remote, "folder/test.txt")).data == OTHER
    assert requests_of(httpserver) == 1
    assert files_in(fetcher.cache) == [f"sources/{httpserver.host}:{httpserver.port}/data.tar.gz"]


@pytest.mark.parametrize("name", ARCHIVES)
@pytest.mark.parametrize("member", ["train.txt", "folder/Train.txt", "folder"])
def test_wrong_member(tmp_path: Path, name: str, member: str) -> None:
    fetcher, url = serve(tmp_path, name, ARCHIVES[name](MEMBERS))
    with pytest.raises(DownloadError) as caught:
        fetcher.read(BenchmarkFile(Remote(url), member))
    assert not isinstance(caught.value, MissingSourceError)
    assert f"has no member {member}; it has " in str(caught.value)
    assert "folder/train.txt" in str(caught.value)


@pytest.mark.parametrize("name", ARCHIVES)
@pytest.mark.parametrize(
    ("size", "digest"), [(3, None), (len(DATA) + 1, None), (None, "00"), (len(DATA), sha256(OTHER))]
)
def test_wrong_size_or_hash_of_a_member(tmp_path: Path, name: str, size: int | None, digest: str | None) -> None:
    archive = ARCHIVES[name](MEMBERS)
    fetcher, url = serve(tmp_path, name, archive)
    with pytest.raises(HashMismatchError, match=rf"{name}!folder/train\.txt is not the member the registry names"):
        fetcher.read(BenchmarkFile(Remote(url, sha256=sha256(archive)), "folder/train.txt", size, digest))


@pytest.mark.slow
@pytest.mark.parametrize("name", ARCHIVES)
def test_member_larger_than_stated_is_not_read_whole(tmp_path: Path, name: str) -> None:
    fetcher, url = serve(tmp_path, name, ARCHIVES[name]({"train.txt": bytes(40_000_000)}))
    with pytest.raises(HashMismatchError, match="got 11 bytes"):
        fetcher.read(BenchmarkFile(Remote(url), "train.txt", 10))


NOISE = b"".join(hashlib.sha256(bytes([i % 256, i // 256])).digest() for i in range(4000))


def damage(archive: bytes, how: str) -> bytes:
    if how == "cut off":
        return archive[: len(archive) // 2]
    if how == "bytes changed in the middle":
        middle = len(archive) // 2
        return (
            archive[:middle] + bytes(byte ^ 0xFF for byte in archive[middle : middle + 200]) + archive[middle + 200 :]
        )
    if how == "no archive at all":
        return b"<html>Please log in</html>" * 40
    return b""


@pytest.mark.parametrize("name", ["data.tar.gz", "data.zip"])
@pytest.mark.parametrize("text", [NOISE, DATA * 20_000], ids=["incompressible", "text"])
@pytest.mark.parametrize("how", ["cut off", "bytes changed in the middle", "no archive at all", "empty"])
def test_damaged_archive(tmp_path: Path, name: str, text: bytes, how: str) -> None:
    fetcher, url = serve(tmp_path, name, damage(ARCHIVES[name]({"train.txt": text}), how))
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
def test_files_of_ones_own_that_grow_without_measure(
    tmp_path: Path, pack: Callable[[bytes], bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rankconst_builder.fetch._SMALL", 2**20)
    path = tmp_path / "train.tsv"
    path.write_bytes(pack(DATA * 1000))
    assert read_local(path).data == DATA * 1000
    path.write_bytes(pack(bytes(20 * 2**20)))
    with pytest.raises(DataError, match=r"grows from .* unpack it, and name that file"):
        read_local(path)
    for whole in (pack(NOISE),):
        for cut in (whole[:100], whole[: len(whole) // 2], whole[:50] + bytes(60) + whole[110:]):
            path.write_bytes(cut)
            with pytest.raises(DataError, match="cut off or damaged"):
                read_local(path)


def test_archive_of_another_kind(tmp_path: Path) -> None:
    fetcher, url = serve(tmp_path, "data.rar", b"Rar!")
    with pytest.raises(DownloadError, match=r"not an archive that the builder can read; expected \.tar\.gz, "):
        fetcher.read(BenchmarkFile(Remote(url), "train.txt"))


# ---- what a person sees ------------------------------------------------------------------------------------------


def test_bar_on_a_terminal_only(httpserver: HTTPServer, tmp_path: Path) -> None:
    httpserver.expect_request("/train.txt").respond_with_data(DATA * 5000)
    file = known(httpserver.url_for("/train.txt"), DATA * 5000)
    shown = {}
    for terminal in (True, False):
        console = Console(file=io.StringIO(), force_terminal=terminal, width=100)
        Fetcher(tmp_path / f"{terminal}", reporter=Reporter(console)).read(file)
        assert isinstance(console.file, io.StringIO)
        shown[terminal] = console.file.getvalue()
    assert "\x1b" not in shown[False]
    assert "60" in shown[True]
    assert "kB" in shown[True]


def test_quiet(httpserver: HTTPServer, tmp_path: Path, screen: Console, capfd: pytest.CaptureFixture[str]) -> None:
    httpserver.expect_request("/train.txt").respond_with_data(DATA)
    fetcher = Fetcher(tmp_path / "cache", reporter=Reporter(screen, quiet=True))
    fetcher.read(known(httpserver.url_for("/train.txt")))
    assert printed(fetcher) == ""
    assert capfd.readouterr() == ("", "")


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
