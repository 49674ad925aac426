"""Sets of tables in folders, zip files, at URLs and in deposits: the same constants, and every way it can fail.

Nothing here leaves the machine: servers are on the loopback, and a DOI is resolved by one of them.
"""

from __future__ import annotations

import contextlib
import functools
import gzip
import hashlib
import json
import shutil
import socket
import subprocess
import sys
import threading
import zipfile
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

import rankconst
from few_tables import few_tables
from rankconst.errors import DownloadError, MissingExtraError, TablesError, UnknownNameError, UsageError
from rankconst.tables.location import KINDS
from rankconst.tables.schema import COLUMNS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from pytest_httpserver import HTTPServer

    Serve = Callable[[str, bytes], str]

# pooch leaves the connection of an error answer to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")

NAMES = ("datapackage.json", *(f"{name}.parquet" for name in COLUMNS))
QUESTION = ("fb15k237", "mrr")
DOI = "10.5281/zenodo.123"


@functools.cache
def files() -> dict[str, bytes]:
    """Return the files of a small set."""
    return {name: (few_tables().path / name).read_bytes() for name in NAMES}


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def write_zip(path: Path, files: Mapping[str, bytes], top: str = "", packing: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", packing) as archive:
        for name, content in files.items():
            archive.writestr(f"{top}{name}", content)
    return path


def damage(content: bytes) -> bytes:
    """Flip a bit in the middle."""
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for downloads: empty, and not the user's."""
    monkeypatch.setenv("RANKCONST_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "tables"


def kept(cache: Path) -> list[Path]:
    """Whatever a download left behind."""
    return sorted(cache.iterdir()) if cache.is_dir() else []


@pytest.fixture
def serve(server: HTTPServer) -> Serve:
    """Serve some content at a path; returns the URL."""

    def respond(path: str, content: bytes) -> str:
        server.expect_request(path).respond_with_data(content, content_type="application/octet-stream")
        return str(server.url_for(path))

    return respond


def serve_folder(serve: Serve, files: Mapping[str, bytes], folder: str = "/data/1.0.0") -> str:
    """Serve files beside each other; returns the URL of the descriptor."""
    for name, content in files.items():
        serve(f"{folder}/{name}", content)
    return serve(f"{folder}/datapackage.json", files["datapackage.json"])


@pytest.fixture
def deposit(server: HTTPServer, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Put files into a deposit: a server that answers as the resolver, as Zenodo's API, and with the files."""
    import pooch
    import requests

    def resolve(doi: str, **_: Any) -> str:
        answer = requests.get(server.url_for(f"/resolver/{doi}"), timeout=5)
        answer.raise_for_status()
        return answer.text

    monkeypatch.setattr(pooch.downloaders, "doi_to_url", resolve)
    monkeypatch.setattr(pooch.downloaders.ZenodoRepository, "base_api_url", server.url_for("/api/records"))

    def put(files: Mapping[str, bytes], checksums: Mapping[str, str] | None = None) -> None:
        listed = []
        for name, content in files.items():
            md5 = hashlib.md5(content, usedforsecurity=False).hexdigest()
            path = f"/api/records/123/files/{name}/content"
            server.expect_request(path).respond_with_data(content)
            links = {"self": server.url_for(path)}
            listed.append({"key": name, "checksum": (checksums or {}).get(name, f"md5:{md5}"), "links": links})
        server.expect_request(f"/resolver/{DOI}").respond_with_data("https://zenodo.org/records/123")
        server.expect_request("/api/records/123").respond_with_json({"id": 123, "files": listed})

    return put


# The same numbers, wherever they are.


def test_the_first_kind_that_recognises_a_text_is_taken(zipped: Path) -> None:
    def kind_of(text: str) -> str:
        return next(kind.name for kind in KINDS if kind.recognise(text))

    assert kind_of("doi:10.5281/zenodo.1") == kind_of("DOI:10.5281/zenodo.1/a.zip") == "a DOI"
    assert kind_of("https://host.invalid/a/datapackage.json?x=1#sha256=0") == "the URL of a datapackage.json"
    for url in ("http://host.invalid/a.zip", "HTTPS://host.invalid/", "https://[", "https://h/xdatapackage.json"):
        assert kind_of(url) == "the http or https URL of a zip file"
    for file in (str(zipped), "missing.zip", "missing.ZIP"):
        assert kind_of(file) == "a zip file"
    for folder in ("", ".", "missing", str(zipped.parent), "C:\\tables", "datapackage.json"):
        assert kind_of(folder) == "a folder"
    assert not any(kind.recognise("ftp://host.invalid/a.zip") for kind in KINDS)


@pytest.mark.slow
@pytest.mark.parametrize("top", ["", "rankconst-tables-1.0.0/"])
@pytest.mark.parametrize("packing", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_zip_file_gives_the_constants_of_its_folder(tmp_path: Path, top: str, packing: int) -> None:
    path = write_zip(tmp_path / "tables.zip", files(), top, packing)
    before = sorted(tmp_path.rglob("*"))
    for place in (path, str(path)):
        tables = rankconst.load(place)
        assert tables.path == path
        assert tables.constants(*QUESTION) == few_tables().constants(*QUESTION)
        assert tables.descriptor == few_tables().descriptor
        for name in ("datasets", "candidates", "constants"):
            assert tables.read(name) == few_tables().read(name)
    assert sorted(tmp_path.rglob("*")) == before
    path.unlink()  # nothing keeps it open


def test_a_zip_file_is_known_by_its_content_too(zipped: Path) -> None:
    other = zipped.rename(zipped.with_name("tables.bin"))
    assert rankconst.load(other).constants(*QUESTION) == few_tables().constants(*QUESTION)


def test_a_folder_may_be_named_like_a_zip_file(tmp_path: Path) -> None:
    folder = shutil.copytree(few_tables().path, tmp_path / "tables.zip")
    assert rankconst.load(folder).constants(*QUESTION) == few_tables().constants(*QUESTION)


def test_strange_neighbours_in_a_zip_file_do_no_harm(tmp_path: Path) -> None:
    others = {"README.md": b"x", "deep/er/datapackage.json": b"{}", "__MACOSX/._datapackage.json": b"\0"}
    path = write_zip(tmp_path / "tables.zip", {**{f"set/{name}": file for name, file in files().items()}, **others})
    assert rankconst.load(path).constants(*QUESTION) == few_tables().constants(*QUESTION)


@pytest.mark.parametrize("top", ["", "rankconst-tables-1.0.0/"])
def test_a_zip_file_by_url(serve: Serve, zipped: Path, cache: Path, top: str) -> None:
    url = serve("/files/rankconst-tables-1.0.0.zip", write_zip(zipped, files(), top).read_bytes())
    tables = rankconst.load(url)
    assert tables.constants(*QUESTION) == few_tables().constants(*QUESTION)
    assert kept(cache) == [tables.path]
    assert "files-rankconst-tables-1.0.0.zip" in tables.path.name


def test_a_descriptor_by_url(serve: Serve, server: HTTPServer, cache: Path) -> None:
    url = serve_folder(serve, files())
    tables = rankconst.load(url)
    assert tables.constants(*QUESTION) == few_tables().constants(*QUESTION)
    assert tables.read("candidates") == few_tables().read("candidates")
    assert kept(cache) == [tables.path]
    assert len(server.log) == len(files())


@pytest.mark.parametrize("name", ["", "/rankconst-tables-1.0.0.zip"])
@pytest.mark.usefixtures("cache")
def test_a_deposit(deposit: Callable[..., None], zipped: Path, name: str) -> None:
    deposit({"README.md": b"Tables.", "rankconst-tables-1.0.0.zip": zipped.read_bytes(), "train.txt.gz": b"x"})
    assert rankconst.load(f"doi:{DOI}{name}").constants(*QUESTION) == few_tables().constants(*QUESTION)


def test_one_zip_file_of_several_in_a_deposit(deposit: Callable[..., None], zipped: Path) -> None:
    deposit({"code.zip": b"other", "tables.zip": zipped.read_bytes()})
    assert rankconst.load(f"DOI:{DOI}/tables.zip").version == few_tables().version


def test_the_version_is_checked_everywhere(serve: Serve, zipped: Path) -> None:
    url = serve("/tables.zip", zipped.read_bytes())
    for place in (zipped, url):
        assert rankconst.load(place, version=few_tables().version).version == few_tables().version
        with pytest.raises(
            UnknownNameError, match=rf"tables\.zip\S* holds table version {few_tables().version}, not 9\.9\.9"
        ):
            rankconst.load(place, version="9.9.9")


# The cache.


@pytest.mark.slow
def test_a_cached_set_needs_no_request(
    serve: Serve, server: HTTPServer, deposit: Callable[..., None], zipped: Path, cache: Path
) -> None:
    deposit({"tables.zip": zipped.read_bytes()})
    places = [
        serve("/tables.zip", zipped.read_bytes()),
        serve_folder(serve, files()),
        f"doi:{DOI}",
        f"doi:{DOI}/tables.zip",
    ]
    first = [rankconst.load(place) for place in places]
    asked = len(server.log)
    second = [rankconst.load(place) for place in places]
    assert len(server.log) == asked
    assert [tables.path for tables in second] == [tables.path for tables in first]
    assert len(kept(cache)) == len(places)
    for tables in second:
        assert tables.constants(*QUESTION) == few_tables().constants(*QUESTION)


@pytest.mark.slow
def test_a_deleted_or_damaged_copy_is_downloaded_again(serve: Serve, server: HTTPServer, zipped: Path) -> None:
    url = serve("/tables.zip", zipped.read_bytes())
    copy = rankconst.load(url).path
    whole = copy.read_bytes()
    for number, content in enumerate((None, b"", b"<html>", whole[:-9], damage(whole)), start=2):
        copy.unlink()
        if content is not None:
            copy.write_bytes(content)
        assert rankconst.load(url).constants(*QUESTION) == few_tables().constants(*QUESTION)
        assert len(server.log) == number


@pytest.mark.slow
def test_addresses_do_not_meet_in_the_cache(server: HTTPServer, tmp_path: Path, cache: Path) -> None:
    urls = []
    for number in range(3):
        descriptor = json.dumps({**few_tables().descriptor, "version": f"7.0.{number}"}).encode()
        archive = write_zip(tmp_path / "some.zip", {**files(), "datapackage.json": descriptor})
        server.expect_request("/tables.zip", query_string=f"v={number}").respond_with_data(archive.read_bytes())
        urls.append(f"{server.url_for('/tables.zip')}?v={number}")
    for _ in range(2):
        assert [rankconst.load(url).version for url in urls] == ["7.0.0", "7.0.1", "7.0.2"]
    assert len(kept(cache)) == len(server.log) == 3


def test_names_in_the_cache_suit_every_file_system(serve: Serve, zipped: Path, cache: Path) -> None:
    url = serve("/" + "long/" * 60 + "täbles.zip", zipped.read_bytes())
    rankconst.load(f"{url}?a=%2F..%2F&b=..\\..\\c:d*")
    (file,) = kept(cache)
    assert len(file.name) <= 128
    assert set(file.name) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-")


@pytest.mark.slow
@pytest.mark.usefixtures("server")
def test_simultaneous_downloads_do_not_meet(zipped: Path, cache: Path) -> None:
    from pytest_httpserver import HTTPServer

    crowd = 4
    meeting = threading.Barrier(crowd, timeout=20)

    def answer(_: Any) -> Any:
        from werkzeug import Response

        meeting.wait()  # every one of them has found the cache empty
        return Response(zipped.read_bytes())

    with HTTPServer(threaded=True) as server, ThreadPoolExecutor(crowd) as pool:
        server.expect_request("/tables.zip").respond_with_handler(answer)
        url = server.url_for("/tables.zip")
        found = list(pool.map(lambda _: rankconst.load(url).constants(*QUESTION), range(crowd)))
        assert len(server.log) == crowd
    assert found == [few_tables().constants(*QUESTION)] * crowd
    assert len(kept(cache)) == 1


def test_a_cache_that_cannot_be_written_is_said(serve: Serve, zipped: Path, cache: Path) -> None:
    url = serve("/tables.zip", zipped.read_bytes())
    cache.parent.write_text("a file where the folder should be", encoding="utf-8")
    with pytest.raises(DownloadError, match=r"cannot write to the cache .*: .*\. Set RANKCONST_CACHE"):
        rankconst.load(url)


# Zip files that are none, or not whole.


@pytest.mark.parametrize(
    ("content", "got"), [(b"", "b''"), (b"<!DOCTYPE html><p>Sign in", r"b'<!DOCTYPE html>\<'"), (b"P", "b'P'")]
)
def test_what_is_no_zip_file_is_refused(tmp_path: Path, content: bytes, got: str) -> None:
    path = tmp_path / "tables.zip"
    path.write_bytes(content)
    with pytest.raises(TablesError, match=rf"tables\.zip is not a zip file: expected .*b'PK', got {got}.*itself"):
        rankconst.load(path)


def test_a_zip_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(TablesError, match=r"there is no file .*missing\.zip\. Check the path"):
        rankconst.load(tmp_path / "missing.zip")


@pytest.mark.parametrize(
    ("members", "got"),
    [
        ([], "got nothing"),
        (["README.md"], r"got README\.md\."),
        (["a/b/datapackage.json"], r"got a/b/datapackage\.json\."),
        ([f"{number}.txt" for number in range(9)], r"got 0\.txt, 1\.txt, 2\.txt, 3\.txt, 4\.txt, \.\.\.\."),
    ],
)
def test_a_zip_file_without_tables_says_what_it_holds(tmp_path: Path, members: list[str], got: str) -> None:
    path = write_zip(tmp_path / "other.zip", dict.fromkeys(members, b""))
    message = rf"other\.zip holds no tables: expected datapackage\.json at its top.*{got}.*`rankconst build --out DIR`"
    with pytest.raises(TablesError, match=message):
        rankconst.load(path)


@pytest.mark.parametrize("tops", [("", "old/"), ("0.1.0/", "0.2.0/")])
def test_a_zip_file_with_two_sets_is_refused(tmp_path: Path, tops: tuple[str, str]) -> None:
    path = write_zip(tmp_path / "two.zip", {f"{top}{name}": file for top in tops for name, file in files().items()})
    message = rf"several sets.*expected one datapackage\.json, got {tops[0]}datapackage\.json, {tops[1]}datapackage"
    with pytest.raises(TablesError, match=message):
        rankconst.load(path)


def test_a_file_in_a_zip_file_with_another_hash_is_refused(tmp_path: Path) -> None:
    other = damage(files()["constants.parquet"])
    path = write_zip(tmp_path / "tables.zip", {**files(), "constants.parquet": other}, "set/")
    expected, got = sha256(files()["constants.parquet"]), sha256(other)
    message = rf"tables\.zip/set/constants\.parquet is not the file .*expected sha256:{expected}, got sha256:{got}\."
    with pytest.raises(TablesError, match=message) as caught:
        rankconst.load(path).constants(*QUESTION)
    assert caught.value.exit_code == 6


def test_a_file_missing_in_a_zip_file_is_named(tmp_path: Path) -> None:
    path = write_zip(tmp_path / "tables.zip", {k: v for k, v in files().items() if k != "constants.parquet"})
    with pytest.raises(TablesError, match=r"tables\.zip/constants\.parquet is missing; the set in .*tables\.zip is"):
        rankconst.load(path).constants(*QUESTION)


@pytest.mark.parametrize("name", ["datapackage.json", "datasets.parquet", "candidates.parquet", "constants.parquet"])
def test_a_damaged_member_is_named(tmp_path: Path, name: str) -> None:
    path = write_zip(tmp_path / "tables.zip", files(), packing=zipfile.ZIP_STORED)
    path.write_bytes(path.read_bytes().replace(files()[name], damage(files()[name])))
    with pytest.raises(TablesError, match=rf"tables\.zip/{name} cannot be read: Bad CRC-32.*Get the zip file again"):
        rankconst.load(path).constants(*QUESTION)


@pytest.mark.parametrize("packing", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_no_single_damaged_byte_gets_through(tmp_path: Path, packing: int) -> None:
    """Whatever byte is wrong, there is a message of ours, or the descriptor is the one that was written."""
    descriptor = {"version": "1.2.3", "resources": []}
    path = write_zip(tmp_path / "tables.zip", {"datapackage.json": json.dumps(descriptor).encode()}, "set/", packing)
    whole = path.read_bytes()
    for place in range(len(whole)):
        for bits in (0x01, 0xFF):
            path.write_bytes(whole[:place] + bytes([whole[place] ^ bits]) + whole[place + 1 :])
            with contextlib.suppress(TablesError):
                assert rankconst.load(path).descriptor == descriptor


# Addresses that lead nowhere.


@pytest.mark.parametrize("url", ["ftp://host.invalid/tables.zip", "s3://bucket/tables.zip", "file:///tables.zip"])
def test_an_unknown_scheme_is_refused(url: str) -> None:
    with pytest.raises(
        UsageError, match=f"'{url}' is not a place .*expected a DOI, .*, a zip file, a folder"
    ) as caught:
        rankconst.load(url)
    assert caught.value.exit_code == 2


@pytest.mark.parametrize("place", [5, b"tables", [], "a\0b"])
def test_what_is_no_place_is_refused(place: Any) -> None:
    with pytest.raises(UsageError, match="is not a place that tables can be read from: expected a DOI"):
        rankconst.load(place)


@pytest.mark.parametrize("fragment", ["", "sha256=", "sha256=12ab", "md5=" + "0" * 32, "sha256=" + "g" * 64, "top"])
def test_a_fragment_that_is_no_hash_is_refused(fragment: str) -> None:
    for address in ("https://host.invalid/a.zip", "https://host.invalid/datapackage.json", f"doi:{DOI}"):
        with pytest.raises(UsageError, match=r"is not a hash: expected #sha256= and 64 hexadecimal digits, got #"):
            rankconst.load(f"{address}#{fragment}")


@pytest.mark.parametrize("address", ["https://host.invalid/tables.zip", f"doi:{DOI}"])
def test_without_the_extra_it_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    monkeypatch.setattr("rankconst.download.find_spec", lambda _: None)
    message = rf"{address} needs pooch, which is missing\. Run: pip install 'rankconst\[builder\]'"
    with pytest.raises(MissingExtraError, match=message) as caught:
        rankconst.load(address)
    assert caught.value.exit_code == 3


@pytest.mark.parametrize("status", [206, 304, 403, 404, 500])
def test_an_error_answer_is_quoted(server: HTTPServer, cache: Path, status: int) -> None:
    server.expect_request("/tables.zip").respond_with_data("no", status=status)
    url = server.url_for("/tables.zip")
    with pytest.raises(
        DownloadError, match=rf"could not download {url}: the server answered {status} .*Check"
    ) as caught:
        rankconst.load(url)
    assert caught.value.exit_code == 5
    assert kept(cache) == []
    assert len(server.log) == 3


def test_a_server_that_keeps_silent_is_left(server: HTTPServer, monkeypatch: pytest.MonkeyPatch, cache: Path) -> None:
    monkeypatch.setattr("rankconst.download.TIMEOUT", 0.2)
    given_up = threading.Event()

    def keep_silent(_: Any) -> Any:
        from werkzeug import Response

        given_up.wait(10)
        return Response(b"")

    server.expect_request("/tables.zip").respond_with_handler(keep_silent)
    try:
        with pytest.raises(DownloadError, match=r"the server did not answer within 0\.2 seconds"):
            rankconst.load(server.url_for("/tables.zip"))
    finally:
        given_up.set()
    assert kept(cache) == []


@contextlib.contextmanager
def dripping(*parts: bytes, drop: bytes = b"x") -> Iterator[str]:
    """Serve some bytes at once each, and then the same ones again for as long as somebody listens."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def drip() -> None:
            with contextlib.suppress(OSError), listening.accept()[0] as connection:
                for part in parts:
                    connection.sendall(part)
                while not over.wait(0.02):
                    connection.sendall(drop)

        over = threading.Event()
        thread = threading.Thread(target=drip)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}/tables.zip"
        finally:
            over.set()
            thread.join()


@pytest.mark.usefixtures("server")
@pytest.mark.parametrize(
    ("sent", "limit", "said"),
    [
        ([b"HTTP/1.1 200 OK\r\nX-Slow: "], ("PATIENCE", 0.2), r"sends less than 65,536 bytes in 0\.2 seconds"),
        ([b"HTTP/1.1 200 OK\r\n\r\n"], ("PATIENCE", 0.2), r"sends less than 65,536 bytes in 0\.2 seconds"),
        ([b"HTTP/1.1 200 OK\r\n\r\n"], ("LONGEST", 0.2), "took longer than .* hours"),
        ([b"HTTP/1.1 200 OK\r\n\r\n", bytes(2**17)], ("LARGEST", 2**16), "has more than 65,536 bytes"),
        ([b"HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n", bytes(2**17)], ("PATIENCE", 5), "invalid literal"),
    ],
)
def test_a_server_that_never_ends_is_left(
    sent: list[bytes], limit: tuple[str, float], said: str, monkeypatch: pytest.MonkeyPatch, cache: Path
) -> None:
    monkeypatch.setattr(f"rankconst.download.{limit[0]}", limit[1])
    with dripping(*sent) as url, pytest.raises(DownloadError, match=rf"could not download {url}: .*{said}"):
        rankconst.load(url)
    assert kept(cache) == []


def test_an_answer_that_grows_without_measure_is_left(
    server: HTTPServer, monkeypatch: pytest.MonkeyPatch, zipped: Path, cache: Path
) -> None:
    monkeypatch.setattr("rankconst.download._SMALL", 2**16)
    for name, content in {"bomb": bytes(2**20), "tables": zipped.read_bytes()}.items():
        answer = server.expect_request(f"/{name}.zip")
        answer.respond_with_data(gzip.compress(content), headers={"Content-Encoding": "gzip"})
    with pytest.raises(DownloadError, match=r"it grows from .* to more than .* bytes when unpacked"):
        rankconst.load(server.url_for("/bomb.zip"))
    assert kept(cache) == []
    assert rankconst.load(server.url_for("/tables.zip")).datasets


CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"


@pytest.mark.usefixtures("server")
@pytest.mark.parametrize("timeout", [0.1, 30])
@pytest.mark.parametrize(
    ("sent", "drop"),
    [
        (b"", b""),
        (CONTINUE, b""),
        (CONTINUE, CONTINUE),
        (b"HTTP/1.1 100 Continue\r\nX-Slow: ", b"x"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;", b"x"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", b"X: y\r\n"),
    ],
)
def test_all_tries_together_have_a_limit(
    sent: bytes, drop: bytes, timeout: float, monkeypatch: pytest.MonkeyPatch, cache: Path
) -> None:
    monkeypatch.setattr("rankconst.download.TIMEOUT", timeout)
    monkeypatch.setattr("rankconst.download.PATIENCE", 0.15)
    monkeypatch.setattr("rankconst.download.RETRIES", 10**6)
    monkeypatch.setattr("rankconst.download.time.sleep", lambda _: None)
    with dripping(sent, drop=drop) as url, pytest.raises(DownloadError, match=r"in 0\.15 seconds"):
        rankconst.load(url)
    assert kept(cache) == []


def test_a_host_name_that_is_looked_up_for_ever_is_left(
    server: HTTPServer, monkeypatch: pytest.MonkeyPatch, cache: Path
) -> None:
    monkeypatch.setattr("rankconst.download.PATIENCE", 0.1)
    over = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_: over.wait(10))
    try:
        with pytest.raises(DownloadError, match="the host name could not be resolved"):
            rankconst.load(server.url_for("/tables.zip"))
    finally:
        over.set()
    assert kept(cache) == []


def test_what_comes_with_a_redirect_is_not_read(serve: Serve, zipped: Path) -> None:
    place = serve("/tables.zip", zipped.read_bytes())
    with dripping(f"HTTP/1.1 302 Found\r\nLocation: {place}\r\n\r\n".encode()) as url:
        assert rankconst.load(url).version == few_tables().version


@pytest.mark.usefixtures("deposit")
def test_a_deposit_that_never_answers_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    import pooch

    monkeypatch.setattr("rankconst.download.PATIENCE", 0.2)
    with dripping(b"HTTP/1.1 200 OK\r\n\r\n") as url:
        monkeypatch.setattr(pooch.downloaders, "doi_to_url", lambda *_, **__: "https://zenodo.org/records/123")
        monkeypatch.setattr(pooch.downloaders.ZenodoRepository, "base_api_url", url)
        with pytest.raises(DownloadError, match=rf"could not look up doi:{DOI}: the server sends less than"):
            rankconst.load(f"doi:{DOI}")


def test_a_pinned_hash_is_checked_every_time(serve: Serve, server: HTTPServer, zipped: Path, cache: Path) -> None:
    for url, pinned in (
        (serve("/tables.zip", zipped.read_bytes()), sha256(zipped.read_bytes())),
        (serve_folder(serve, files()), sha256(files()["datapackage.json"])),
    ):
        rankconst.load(f"{url}#sha256={pinned}")
        (copy,) = kept(cache)
        whole, asked = copy.read_bytes(), len(server.log)
        descriptor = json.loads(files()["datapackage.json"])
        # Another set, which is as its own descriptor says.
        other = {**files(), "datapackage.json": json.dumps({**descriptor, "title": "other"}).encode()}
        write_zip(copy, other)
        assert rankconst.load(f"{url}#sha256={pinned}").descriptor == descriptor
        assert len(server.log) > asked
        assert copy.stat().st_size == len(whole)
        copy.unlink()


def test_a_login_is_not_shown(
    serve: Serve, zipped: Path, cache: Path, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    def with_login(url: str) -> str:
        return url.replace("://", "://somebody:hidden@")

    loaded = rankconst.load(with_login(serve("/tables.zip", zipped.read_bytes())))
    assert "somebody" not in f"{loaded.path} {loaded.folder}"
    serve("/page.zip", b"<!DOCTYPE html>")
    messages = [capsys.readouterr().err, caplog.text, *map(str, kept(cache))]
    for url in ("/page.zip", "/missing.zip", "/tables.zip#sha256=0", "/tables.zip#sha256=" + "0" * 64):
        with pytest.raises((DownloadError, UsageError)) as caught:
            rankconst.load(with_login(serve("/other", b"").removesuffix("/other") + url))
        messages.append(str(caught.value))
    for url in ("http://somebody:hidden@/x.zip", "http://somebody:hidden@[/x.zip", "ftp://somebody:hidden@host/x.zip"):
        with pytest.raises((DownloadError, UsageError)) as caught:
            rankconst.load(url)
        messages.append(str(caught.value))
    assert not [message for message in messages if "hidden" in message or "somebody" in message]


@pytest.mark.parametrize(
    "url",
    [
        *("http://", "https://[", "http://[::1", "http://a b/x.zip", f"http://{'a' * 64}.invalid/x.zip", "http://.a/x"),
        *("http://127.0.0.1:99999/x.zip", "http://127.0.0.1:x/x.zip", "http://\u2100.invalid/x"),
    ],
)
@pytest.mark.usefixtures("server")
def test_what_only_looks_like_a_url_is_refused(url: str) -> None:
    with pytest.raises(DownloadError, match="could not download http"):
        rankconst.load(url)


def other_content(zipped: Path) -> dict[str, tuple[bytes, str]]:
    """What a URL may bring in place of a whole set, and what is said of it."""
    return {
        "page": (b"<!DOCTYPE html>", r"is not a zip file: expected .*, got b'<!DOCTYPE html>'\."),
        "cut": (zipped.read_bytes()[:-30], r"was cut off or damaged: .*\. Get the zip file again"),
        "hash": (
            write_zip(
                zipped.with_name("d.zip"), {**files(), "candidates.parquet": damage(files()["candidates.parquet"])}
            ).read_bytes(),
            r"candidates\.parquet is not the file that datapackage\.json describes: expected sha256:.*, got sha256:",
        ),
        "lacking": (
            write_zip(zipped.with_name("e.zip"), {"datapackage.json": b'{"version": "1.0.0", "resources": []}'})
            .read_bytes(),
            "names no datasets, candidates, .*constants",
        ),
    }  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("what", ["page", "cut", "hash", "lacking"])
def test_a_download_that_is_no_whole_set_is_not_kept(
    serve: Serve, deposit: Callable[..., None], zipped: Path, cache: Path, what: str
) -> None:
    content, message = other_content(zipped)[what]
    deposit({"tables.zip": content})
    for address in (serve("/tables.zip", content), f"doi:{DOI}"):
        with pytest.raises(DownloadError, match=rf"{address}.*{message}.*Nothing was kept\.$") as caught:
            rankconst.load(address)
        assert caught.value.exit_code == 5
        assert kept(cache) == []


# Hashes.


@pytest.mark.parametrize("case", [str.lower, str.upper])
def test_a_hash_in_the_address_is_checked(
    serve: Serve, server: HTTPServer, zipped: Path, case: Callable[..., str]
) -> None:
    content = zipped.read_bytes()
    url = serve("/tables.zip", content)
    assert rankconst.load(f"{url}#sha256={case(sha256(content))}").version == few_tables().version
    descriptor = serve_folder(serve, files())
    digest = sha256(files()["datapackage.json"])
    assert rankconst.load(f"{descriptor}#SHA256={case(digest)}").version == few_tables().version
    assert all("#" not in request.url for request, _ in server.log)


@pytest.mark.slow
def test_another_hash_than_the_one_asked_for_is_refused(
    serve: Serve, deposit: Callable[..., None], zipped: Path, cache: Path
) -> None:
    deposit({"tables.zip": zipped.read_bytes()})
    expected = "0" * 64
    for address, got in {
        serve("/tables.zip", zipped.read_bytes()): sha256(zipped.read_bytes()),
        serve_folder(serve, files()): sha256(files()["datapackage.json"]),
        f"doi:{DOI}": sha256(zipped.read_bytes()),
    }.items():
        message = rf"{address} is not the file .*: expected SHA-256 {expected}, got {got}\. Nothing was kept\."
        with pytest.raises(DownloadError, match=message):
            rankconst.load(f"{address}#sha256={expected}")
        assert kept(cache) == []
        # A copy that came without a hash does not stand in for one with it.
        rankconst.load(address)
        with pytest.raises(DownloadError, match=message):
            rankconst.load(f"{address}#sha256={expected}")
        shutil.rmtree(cache)


@pytest.mark.parametrize("name", NAMES[1:])
def test_a_file_beside_a_descriptor_with_another_hash_is_refused(serve: Serve, cache: Path, name: str) -> None:
    url = serve_folder(serve, {**files(), name: damage(files()[name])})
    message = rf"/data/1\.0\.0/{name} is not the file that .*: expected sha256:{sha256(files()[name])}, got sha256:"
    with pytest.raises(DownloadError, match=message):
        rankconst.load(url)
    assert kept(cache) == []


def test_a_file_that_is_not_beside_its_descriptor_is_named(serve: Serve, server: HTTPServer, cache: Path) -> None:
    url = serve("/data/datapackage.json", files()["datapackage.json"])
    server.expect_request("/data/datasets.parquet").respond_with_data("", status=404)
    with pytest.raises(DownloadError, match=r"could not download .*/data/datasets\.parquet: the server answered 404"):
        rankconst.load(url)
    assert kept(cache) == []


def test_a_descriptor_by_url_that_describes_nothing_is_refused(serve: Serve, cache: Path) -> None:
    url = serve("/data/datapackage.json", b"<html>")
    with pytest.raises(DownloadError, match=rf"{url} is not JSON .* Nothing was kept\."):
        rankconst.load(url)
    assert kept(cache) == []


# Deposits.


def test_a_file_other_than_its_deposit_says_is_refused(deposit: Callable[..., None], zipped: Path, cache: Path) -> None:
    deposit({"tables.zip": zipped.read_bytes()}, {"tables.zip": "md5:" + "0" * 32})
    message = rf"doi:{DOI}/tables\.zip is not the file that its deposit describes: expected md5:{'0' * 32}, got md5:"
    with pytest.raises(DownloadError, match=message):
        rankconst.load(f"doi:{DOI}")
    assert kept(cache) == []


@pytest.mark.parametrize(
    ("files", "name", "message"),
    [
        (["README.md", "a.csv"], "", r"has no zip file: expected one, got the files README\.md, a\.csv\."),
        ([], "", "has no zip file: expected one, got the files none"),
        (["a.zip", "b.ZIP"], "", r"has several zip files: expected one, got the files a\.zip, b\.ZIP\. Name one"),
        (["a.zip", "b.csv"], "/c.zip", r"has no c\.zip: expected one, got the files a\.zip, b\.csv\."),
    ],
)
def test_a_deposit_must_have_the_one_zip_file(
    deposit: Callable[..., None], cache: Path, files: list[str], name: str, message: str
) -> None:
    deposit(dict.fromkeys(files, b""))
    with pytest.raises(DownloadError, match=rf"doi:{DOI} {message}") as caught:
        rankconst.load(f"doi:{DOI}{name}")
    has_some = any(file.lower().endswith(".zip") for file in files)
    assert (f"doi:{DOI}/NAME.zip" if has_some else "Check the DOI") in str(caught.value)
    assert kept(cache) == []


@pytest.mark.usefixtures("deposit")
def test_a_doi_that_nobody_knows_is_said(server: HTTPServer) -> None:
    server.expect_request("/resolver/10.5281/zenodo.404").respond_with_data("", status=404)
    with pytest.raises(
        DownloadError, match=r"could not look up doi:10\.5281/zenodo\.404: the server answered 404 .*DOI"
    ):
        rankconst.load("doi:10.5281/zenodo.404")


STRANGE_ANSWERS: list[Any] = [
    *({"status": 410, "message": "deleted"}, {"files": 3}, {"files": [{"id": 1}]}, [], None, 3, "text"),
    *({"files": None}, {"files": {"a": None}}, {"files": [None]}, {"files": [{"key": "a.zip", "checksum": None}]}),
    *({"files": [{"key": None, "checksum": "md5:00"}]}, {"files": [{"key": ["a"], "checksum": "md5:00"}]}),
    *({"files": [{"key": "a.zip", "checksum": each}]} for each in ("", "md5:", "md6:00", "crc:../x", 3)),
]


@pytest.mark.parametrize("answer", STRANGE_ANSWERS)
def test_a_deposit_that_lists_no_files_is_said(deposit: Callable[..., None], server: HTTPServer, answer: Any) -> None:
    deposit({})
    server.clear_all_handlers()
    server.expect_request(f"/resolver/{DOI}").respond_with_data("https://zenodo.org/records/123")
    server.expect_request("/api/records/123").respond_with_json(answer)
    with pytest.raises(
        DownloadError, match=rf"doi:{DOI} leads to no deposit whose files can be listed .*Check the DOI"
    ):
        rankconst.load(f"doi:{DOI}")


def test_a_doi_that_leads_to_a_page_is_said(deposit: Callable[..., None], server: HTTPServer) -> None:
    deposit({})
    server.clear_all_handlers()
    server.expect_request(f"/resolver/{DOI}").respond_with_data(server.url_for("/article"))
    server.expect_request("/api/datasets/:persistentId").respond_with_data("", status=404)
    with pytest.raises(DownloadError, match=r"leads to no deposit whose files can be listed .*Invalid data repository"):
        rankconst.load(f"doi:{DOI}")


@pytest.mark.parametrize(
    "text", ["doi:", "doi:10.5281", "doi:10.5281/", "doi:zenodo.1", "doi:https://host.invalid/10.1/a"]
)
@pytest.mark.usefixtures("server")
def test_what_is_no_doi_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match=rf"'{text}' is not a DOI: expected doi:10\.PREFIX/SUFFIX") as caught:
        rankconst.load(text)
    assert caught.value.exit_code == 2


# What is imported, and when.


@pytest.mark.slow
def test_no_downloader_is_imported_for_files_of_this_machine(zipped: Path) -> None:
    script = (
        "import json, sys, rankconst\n"
        "rankconst.load().constants('nations', 'mrr')\n"
        "rankconst.load(sys.argv[1]).constants('nations', 'mrr')\n"
        "print(json.dumps(sorted({name.partition('.')[0] for name in sys.modules})))"
    )
    done = subprocess.run([sys.executable, "-c", script, zipped], capture_output=True, text=True, check=True)
    assert not set(json.loads(done.stdout)) & {"pooch", "requests", "urllib3", "rankconst_builder"}
