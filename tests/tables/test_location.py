"""Sets of tables in folders, zip files, at URLs and in deposits: the same constants, and every way it can fail.

Nothing here leaves the machine: servers are on the loopback, and a DOI is resolved by one of them.
"""

from __future__ import annotations

import contextlib
import functools
import gzip
import hashlib
import json
import re
import socket
import threading
import zipfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import rankconst
from cases import choose
from few_tables import few_tables
from rankconst.errors import (
    DownloadError,
    MissingExtraError,
    TablesError,
    UnknownNameError,
    UsageError,
)
from rankconst.tables.descriptor import COLUMNS

if TYPE_CHECKING:
    from pytest_httpserver import HTTPServer

    Serve = Callable[[str, bytes], str]
    Deposit = Callable[..., None]

# pooch leaves the connection of an error answer to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")

NAMES = ("datapackage.json", *(f"{name}.parquet" for name in COLUMNS))
DOI = "10.5281/zenodo.123"


@functools.cache
def files() -> dict[str, bytes]:
    """Return the files of a small set."""
    return {name: (few_tables().path / name).read_bytes() for name in NAMES}


def is_right(place: Path | str) -> bool:
    """Load a set; tell whether it gives what the small set gives."""
    return rankconst.load(place).constants("fb15k237", "mrr") == few_tables().constants(
        "fb15k237", "mrr"
    )


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def write_zip(
    path: Path, files: Mapping[str, bytes], top: str = "", packing: int = zipfile.ZIP_DEFLATED
) -> Path:
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
        server.expect_request(path).respond_with_data(
            content, content_type="application/octet-stream"
        )
        return str(server.url_for(path))

    return respond


@pytest.fixture
def deposit(server: HTTPServer, monkeypatch: pytest.MonkeyPatch) -> Deposit:
    """Put files into a deposit: a server that answers as the resolver, as Zenodo's API, and with
    the files.
    """
    import pooch
    import requests

    def resolve(doi: str, **_: Any) -> str:
        answer = requests.get(server.url_for(f"/resolver/{doi}"), timeout=5)
        answer.raise_for_status()
        return answer.text

    monkeypatch.setattr(pooch.downloaders, "doi_to_url", resolve)
    monkeypatch.setattr(
        pooch.downloaders.ZenodoRepository, "base_api_url", server.url_for("/api/records")
    )

    def put(
        files: Mapping[str, bytes],
        checksums: Mapping[str, str] | None = None,
        answer: Any = None,
        place: str = "",
    ) -> None:
        listed = []
        for name, content in files.items():
            md5 = hashlib.md5(content, usedforsecurity=False).hexdigest()
            path = f"/api/records/123/files/{name}/content"
            server.expect_request(path).respond_with_data(content)
            links = {"self": server.url_for(path)}
            listed.append(
                {"key": name, "checksum": (checksums or {}).get(name, f"md5:{md5}"), "links": links}
            )
        server.expect_request(f"/resolver/{DOI}").respond_with_data(
            place or "https://zenodo.org/records/123"
        )
        server.expect_request("/api/records/123").respond_with_json(
            answer or {"id": 123, "files": listed}
        )

    return put


@pytest.fixture
def everywhere(serve: Serve, deposit: Deposit, zipped: Path) -> dict[str, tuple[bytes, int]]:
    """Addresses of a whole set, with the content that a hash in the address is of, and the number
    of requests.
    """
    whole = zipped.read_bytes()
    deposit({"README.md": b"Tables.", "code.zip": b"other", "tables.zip": whole})
    top = write_zip(zipped.with_name("top.zip"), files()).read_bytes()
    return {
        serve("/files/rankconst-tables-1.0.0.zip", whole): (whole, 1),
        serve("/top.zip", top): (top, 1),
        f"DOI:{DOI}/tables.zip": (whole, 3),
    }


# The same numbers, wherever they are.


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "top", "packing"),
    [
        ("tables.ZIP", "rankconst-tables-1.0.0/", zipfile.ZIP_DEFLATED),
        ("tables.bin", "", zipfile.ZIP_STORED),  # known by its content
    ],
)
def test_a_zip_file_gives_the_constants_of_its_folder(
    tmp_path: Path, name: str, top: str, packing: int
) -> None:
    others = dict.fromkeys(
        ("README.md", "deep/er/datapackage.json", "__MACOSX/._datapackage.json"), b""
    )
    path = write_zip(tmp_path / name, {**others, **twice(top)}, "", packing)
    tables = rankconst.load(path)
    assert (tables.path, tables.descriptor) == (path, few_tables().descriptor)
    assert all(tables.read(each) == few_tables().read(each) for each in COLUMNS)
    assert is_right(str(path))
    assert [*tmp_path.rglob("*")] == [path]
    path.unlink()  # nothing keeps it open


def test_the_only_zip_file_of_a_deposit(deposit: Deposit, zipped: Path) -> None:
    deposit({"README.md": b"Tables.", "tables.zip": zipped.read_bytes(), "train.txt.gz": b"x"})
    assert is_right(f"doi:{DOI}")


@pytest.mark.slow
def test_a_set_is_downloaded_once_with_the_hash_that_was_asked_for(
    everywhere: dict[str, tuple[bytes, int]], server: HTTPServer, cache: Path
) -> None:
    copies, version = [], few_tables().version
    for address, (hashed, requests) in everywhere.items():
        asked = len(server.log)
        assert is_right(address)
        assert len(server.log) == asked + requests
        copies.append(rankconst.load(address).path)
        for case in (str.lower, str.upper):
            pinned = f"{address}#{case('sha256')}={case(sha256(hashed))}"
            assert rankconst.load(pinned, version=version).version == version
        # A copy that came without a hash does not stand in for one with it.
        differs = rf"expected sha256:0{{64}}, got sha256:{sha256(hashed)}\. Nothing was kept\."
        with pytest.raises(DownloadError, match=rf"{address} is not the file .*{differs}"):
            rankconst.load(f"{address}#sha256={'0' * 64}")
        with pytest.raises(UnknownNameError, match=rf"holds table version {version}, not 9\.9\.9"):
            rankconst.load(address, version="9.9.9")
    asked = len(server.log)
    assert [rankconst.load(address).path for address in everywhere] == copies
    assert len(server.log) == asked
    assert len(kept(cache)) == 2 * len(everywhere)
    assert set(copies) < set(kept(cache))
    assert all("#" not in request.url for request, _ in server.log)


# The cache.


@pytest.mark.slow
def test_a_deleted_damaged_or_exchanged_copy_is_downloaded_again(
    serve: Serve, server: HTTPServer, zipped: Path, tmp_path: Path
) -> None:
    pinned = f"{serve('/tables.zip', zipped.read_bytes())}#sha256={sha256(zipped.read_bytes())}"
    copy = rankconst.load(pinned).path
    whole = copy.read_bytes()
    # Another set, which is as its own descriptor says.
    other = {
        **files(),
        "datapackage.json": json.dumps({**few_tables().descriptor, "title": "other"}).encode(),
    }
    exchanged = write_zip(tmp_path / "other.zip", other).read_bytes()
    for content in (None, b"", b"<html>", whole[:-9], damage(whole), exchanged):
        copy.unlink()
        if content is not None:
            copy.write_bytes(content)
        asked = len(server.log)
        assert is_right(pinned)
        assert len(server.log) > asked


def test_addresses_do_not_meet_in_the_cache_and_suit_every_file_system(
    server: HTTPServer, tmp_path: Path, cache: Path
) -> None:
    urls, place = [], "/" + "long/" * 60 + "täbles.zip"
    for number in "012":
        descriptor = json.dumps({**few_tables().descriptor, "version": f"7.0.{number}"}).encode()
        archive = write_zip(tmp_path / "some.zip", {**files(), "datapackage.json": descriptor})
        query = {"v": number, "b": "..\\..\\c:d*"}
        answer = server.expect_request(place, query_string=query)
        answer.respond_with_data(archive.read_bytes())
        urls.append(f"{server.url_for(place)}?v={number}&b=..\\..\\c:d*")
    for _ in range(2):
        assert [rankconst.load(url).version for url in urls] == ["7.0.0", "7.0.1", "7.0.2"]
    assert len(kept(cache)) == len(server.log) == 3
    for file in kept(cache):
        assert re.fullmatch(r"[a-zA-Z0-9.-]{1,128}", file.name)


def test_a_cache_that_cannot_be_written_is_said(serve: Serve, zipped: Path, cache: Path) -> None:
    url = serve("/tables.zip", zipped.read_bytes())
    cache.parent.write_text("a file where the folder should be", encoding="utf-8")
    with pytest.raises(DownloadError, match=r"write to the cache .*: .*\. Set RANKCONST_CACHE"):
        rankconst.load(url)


# Zip files that are none, or not whole.


def wrong(name: str) -> dict[str, bytes]:
    return {**files(), name: damage(files()[name])}


def twice(*tops: str) -> dict[str, bytes]:
    return {f"{top}{name}": content for top in tops for name, content in files().items()}


def damage_member(name: str, path: Path) -> None:
    write_zip(path, files(), packing=zipfile.ZIP_STORED)
    path.write_bytes(path.read_bytes().replace(files()[name], damage(files()[name])))


AT_TOP = r"holds no tables: expected datapackage\.json at its top.*"
ZIPS: dict[str, tuple[Callable[[Path], object], str]] = {
    "empty": (lambda path: path.write_bytes(b""), r"cannot be read as a zip file: .*itself"),
    "a page": (lambda path: path.write_bytes(b"<!DOCTYPE html><p>Sign in"), r"cannot be read as a zip file: .*itself"),
    "cut": (lambda path: write_zip(path, files()) and path.write_bytes(path.read_bytes()[:-30]),
         r"cannot be read as a zip file: .*or get it again"),
    "deep": (lambda path: write_zip(path, twice("a/b/")),
         rf"{AT_TOP}got a/b/datapackage\.json(, [^,]+){{4}}, \.\.\.\."),
    "two": (lambda path: write_zip(path, twice("1/", "2/")), r"several sets.* 1/datapackage\.json, 2/datapackage"),
    "another hash": (
        lambda path: write_zip(path, wrong("constants.parquet"), "set/"),
        (
            r"/set/constants\.parquet is not the file .*: expected "
            rf"sha256:{sha256(files()['constants.parquet'])}, got"
        ),
    ),
    **{
        f"damaged {name}": (
            functools.partial(damage_member, name),
            rf"/{name} cannot be read: Bad CRC-32.*Get the zip",
        )
        for name in ("datapackage.json", "constants.parquet")
    },
    "none": (lambda _: None, r"^there is no file .*tables\.zip\. Check the path"),
}  # fmt: skip


@pytest.mark.parametrize(("make", "said"), ZIPS.values(), ids=ZIPS)
def test_what_is_no_zip_file_of_one_whole_set_is_refused(
    tmp_path: Path, make: Callable[[Path], object], said: str
) -> None:
    path = tmp_path / "tables.zip"
    make(path)
    with pytest.raises(TablesError, match=said) as caught:
        is_right(path)
    assert "tables.zip" in str(caught.value)


PACKINGS = [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]


@pytest.mark.parametrize("packing", PACKINGS)
def test_no_single_damaged_byte_gets_through(tmp_path: Path, packing: int) -> None:
    """Whatever byte is wrong, there is a message of ours, or the descriptor is the one that was
    written.
    """
    descriptor = {"version": "1.2.3", "resources": []}
    path = write_zip(
        tmp_path / "tables.zip",
        {"datapackage.json": json.dumps(descriptor).encode()},
        "set/",
        packing,
    )
    whole = path.read_bytes()
    for place in range(PACKINGS.index(packing) % 2, len(whole), choose(2, 1)):
        for bits in choose((0xFF,), (0x01, 0xFF)):
            path.write_bytes(whole[:place] + bytes([whole[place] ^ bits]) + whole[place + 1 :])
            with contextlib.suppress(TablesError):
                assert rankconst.load(path).descriptor == descriptor


# Addresses that lead nowhere.


ADDRESSES: list[tuple[type[Exception], str, list[Any]]] = [
    (UsageError, "is not a place that tables can be read from: expected a DOI, .* a zip file, a folder",
     ["ftp://host.invalid/tables.zip", "s3://bucket/tables.zip", "file:///tables.zip", 5, b"tables", [], "a\0b"]),
    (UsageError, r"is not a DOI: expected doi:10\.PREFIX/SUFFIX",
     ["doi:", "doi:10.5281", "doi:10.5281/", "doi:zenodo.1", "doi:https://host.invalid/10.1/a"]),
    (
        UsageError,
        r"is not a hash: expected #sha256= and 64 hexadecimal digits, got #",
        [
            f"{address}#{end}"
            for address in ("https://host.invalid/a.zip", f"doi:{DOI}")
            for end in ("", "sha256=12ab", f"md5={'0' * 32}", f"sha256={'g' * 64}")
        ],
    ),
    (
        DownloadError,
        "could not download http",
        ["http://", "https://[", "http://[::1", "http://a b/x.zip", f"http://{'a' * 64}.invalid/x.zip",
         "http://.a/x", "http://127.0.0.1:99999/x.zip", "http://127.0.0.1:x/x.zip", "http://\u2100.invalid/x"],
    ),
]  # fmt: skip


@pytest.mark.usefixtures("server")
@pytest.mark.parametrize(("error", "said", "places"), ADDRESSES)
def test_what_is_no_address_is_refused(
    error: type[Exception], said: str, places: list[Any]
) -> None:
    for place in places:
        with pytest.raises(error, match=said):
            rankconst.load(place)


@pytest.mark.parametrize("address", ["https://host.invalid/tables.zip", f"doi:{DOI}"])
def test_without_the_extra_it_says_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    monkeypatch.setattr("rankconst.download.find_spec", lambda _: None)
    message = rf"{address} needs pooch, which is missing\. Run: pip install 'rankconst\[builder\]'"
    with pytest.raises(MissingExtraError, match=message):
        rankconst.load(address)


@pytest.mark.parametrize("status", [206, 404])
def test_an_error_answer_is_quoted(server: HTTPServer, cache: Path, status: int) -> None:
    server.expect_request("/tables.zip").respond_with_data("no", status=status)
    url = server.url_for("/tables.zip")
    said = rf"could not download {url}: the server answered {status} .*Check"
    with pytest.raises(DownloadError, match=said):
        rankconst.load(url)
    assert kept(cache) == []
    assert len(server.log) == 1


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


OK = b"HTTP/1.1 200 OK\r\n"
ENDLESS: list[tuple[list[bytes], bytes, tuple[str, float], str]] = [
    ([OK + b"\r\n", bytes(2**17)], b"x", ("LARGEST", 2**16), "has more than 65,536 bytes"),
    ([OK + b"Content-Length: 1000000000000000\r\n\r\n"], b"x", ("LARGEST", 2**16), "has 1,000,000,000,000,000 bytes"),
    ([b""], b"", ("TIMEOUT", 0.2), r"did not answer within 0\.2 seconds"),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.usefixtures("server")
@pytest.mark.parametrize(("sent", "drop", "limit", "said"), ENDLESS)
def test_a_server_that_never_ends_is_left(
    sent: list[bytes],
    drop: bytes,
    limit: tuple[str, float],
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    cache: Path,
) -> None:
    monkeypatch.setattr(f"rankconst.download.{limit[0]}", limit[1])
    said = f"could not download http://127.*: .*{said}"
    with dripping(*sent, drop=drop) as url, pytest.raises(DownloadError, match=said):
        rankconst.load(url)
    assert kept(cache) == []


def test_an_answer_that_grows_without_measure_is_left(
    server: HTTPServer, monkeypatch: pytest.MonkeyPatch, zipped: Path, cache: Path
) -> None:
    monkeypatch.setattr("rankconst.files.SMALL", 2**16)
    for name, content in {"bomb": bytes(2**20), "tables": zipped.read_bytes()}.items():
        answer = server.expect_request(f"/{name}.zip")
        answer.respond_with_data(gzip.compress(content), headers={"Content-Encoding": "gzip"})
    with pytest.raises(DownloadError, match=r"grows from .* to more than .* bytes when unpacked"):
        rankconst.load(server.url_for("/bomb.zip"))
    assert kept(cache) == []
    assert rankconst.load(server.url_for("/tables.zip")).datasets


def test_what_comes_with_a_redirect_is_not_read(serve: Serve, zipped: Path) -> None:
    place = serve("/tables.zip", zipped.read_bytes())
    with dripping(f"HTTP/1.1 302 Found\r\nLocation: {place}\r\n\r\n".encode()) as url:
        assert is_right(url)


def test_a_login_is_not_shown(
    serve: Serve,
    zipped: Path,
    cache: Path,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    def with_login(url: str) -> str:
        return url.replace("://", "://somebody:hidden@")

    loaded = rankconst.load(with_login(serve("/tables.zip", zipped.read_bytes())))
    assert "somebody" not in f"{loaded.path} {loaded.folder}"
    top = serve("/page.zip", b"<!DOCTYPE html>").removesuffix("page.zip")
    messages = [capsys.readouterr().err, caplog.text, *map(str, kept(cache))]
    ends = "page.zip", "missing.zip", "tables.zip#sha256=0", "tables.zip#sha256=" + "0" * 64
    for url in (*(top + end for end in ends), "http://x.zip", "http://[/x.zip", "ftp://host/x.zip"):
        with pytest.raises((DownloadError, UsageError)) as caught:
            rankconst.load(with_login(url))
        messages.append(str(caught.value))
    assert not [message for message in messages if "hidden" in message or "somebody" in message]


@pytest.mark.parametrize("what", ["a page", "cut", "another hash", "lacking"])
def test_a_download_that_is_no_whole_set_is_not_kept(
    serve: Serve, deposit: Deposit, tmp_path: Path, cache: Path, what: str
) -> None:
    descriptor = {"datapackage.json": b'{"version": "1.0.0", "resources": []}'}
    lacking = (
        (lambda path: write_zip(path, descriptor)),
        "names no datasets, candidates, .*constants",
    )
    make, said = {**ZIPS, "lacking": lacking}[what]
    path = tmp_path / "wrong.zip"
    make(path)
    deposit({"tables.zip": path.read_bytes()})
    for address in (serve("/tables.zip", path.read_bytes()), f"doi:{DOI}"):
        with pytest.raises(
            DownloadError, match=rf"{address}.*{said}.*Nothing was kept\.$"
        ) as caught:
            rankconst.load(address)
        assert caught.value.exit_code == 5
        assert kept(cache) == []


# Deposits.


def test_a_file_other_than_its_deposit_says_is_refused(
    deposit: Deposit, zipped: Path, cache: Path
) -> None:
    deposit({"tables.zip": zipped.read_bytes()}, {"tables.zip": "md5:" + "0" * 32})
    message = (
        rf"doi:{DOI} \(tables\.zip\) is not the file that its deposit describes: expected "
        rf"md5:{'0' * 32}, got md5:"
    )
    with pytest.raises(DownloadError, match=message):
        rankconst.load(f"doi:{DOI}")
    assert kept(cache) == []


@pytest.mark.parametrize(
    ("files", "name", "message"),
    [
        (["README.md", "a.csv"], "",
         r"has no zip file: expected one, got the files README\.md, a\.csv\. Check the DOI"),
        ([], "", "has no zip file: expected one, got the files none. Check the DOI"),
        (["a.zip", "b.ZIP"], "", r"has several zip files: expected one, got the files a\.zip, b\.ZIP\. Name one"),
        (["a.zip", "b.csv"], "/c.zip", r"has no c\.zip: .*files a\.zip, b\.csv\. Name one .*: doi:.*/NAME\.zip"),
    ],
)  # fmt: skip
def test_a_deposit_must_have_the_one_zip_file(
    deposit: Deposit, cache: Path, files: list[str], name: str, message: str
) -> None:
    deposit(dict.fromkeys(files, b""))
    with pytest.raises(DownloadError, match=rf"doi:{DOI} {message}"):
        rankconst.load(f"doi:{DOI}{name}")
    assert kept(cache) == []


@pytest.mark.usefixtures("deposit")
def test_a_deposit_that_cannot_be_looked_up_is_said(server: HTTPServer) -> None:
    server.expect_request("/resolver/10.5281/zenodo.404").respond_with_data("", status=404)
    with pytest.raises(
        DownloadError,
        match=r"could not look up doi:10\.5281/zenodo\.404: the server answered 404 .*DOI",
    ):
        rankconst.load("doi:10.5281/zenodo.404")


STRANGE_ANSWERS: list[Any] = [
    *({"status": 410, "message": "deleted"}, {"files": 3}, {"files": [{"id": 1}]}, [0], 3, "text"),
    *({"files": None}, {"files": {"a": None}}, {"files": [None]}, {"files": [{"key": "a.zip", "checksum": None}]}),
    *({"files": [{"key": None, "checksum": "md5:00"}]}, {"files": [{"key": ["a"], "checksum": "md5:00"}]}),
    *({"files": [{"key": "a.zip", "checksum": each}]} for each in ("", "md5:", "md6:00", "crc:../x", 3)),
]  # fmt: skip


def test_a_deposit_that_lists_no_files_is_said(deposit: Deposit, server: HTTPServer) -> None:
    said = rf"doi:{DOI} leads to no deposit whose files can be listed .*Check the DOI"
    for answer in STRANGE_ANSWERS:
        deposit({}, answer=answer)
        with pytest.raises(DownloadError, match=said):
            rankconst.load(f"doi:{DOI}")
        server.clear_all_handlers()
    deposit({}, place=server.url_for("/article"))
    server.expect_request("/api/datasets/:persistentId").respond_with_data("", status=404)
    with pytest.raises(
        DownloadError,
        match=r"leads to no deposit whose files can be listed .*Invalid data repository",
    ):
        rankconst.load(f"doi:{DOI}")
