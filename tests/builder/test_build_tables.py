"""The script of the workflow that builds where there is an internet: against a server on loopback."""

from __future__ import annotations

import hashlib
import importlib.util
import itertools
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import rankconst
from rankconst.catalogue.benchmarks import Benchmark, Remote, load_benchmarks
from rankconst.progress import Reporter
from rankconst_builder.fetch import Fetcher

if TYPE_CHECKING:
    from pytest_httpserver import HTTPServer
    from rich.console import Console


SCRIPT = Path(__file__).resolve().parents[2] / ".github" / "build_tables.py"

pytestmark = [
    pytest.mark.usefixtures("cheap_constants", "loopback"),
    # pooch leaves the connection of an error answer to the garbage collector.
    pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning"),
    pytest.mark.skipif(not SCRIPT.is_file(), reason="the workflow is in the repository only"),
]

TRAIN, VALID, TEST = b"a\tr\tb\nb\tr\tc\nc\tr\td\n", b"a\tr\tc\n", b"b\tr\td\n"
CONTENT = {"train": TRAIN, "valid": VALID, "test": TEST}
SHA256 = {role: hashlib.sha256(data).hexdigest() for role, data in CONTENT.items()}
HEADS = '[format.tsv_hrt]\ndelimiter = "\\t"\ncolumns = "hrt"\n'
COPIES = {"equal": SHA256["test"], "other": "0" * 64}


def write_entry(key: str) -> str:
    files = {role: f'url = "https://x.invalid/{key}/{role}.txt"' for role in CONTENT}
    if key == "known":
        files = {
            role: f'{url}, bytes = {len(CONTENT[role])}, sha256 = "{SHA256[role]}"'
            for role, url in files.items()
        }
    if key in COPIES:
        files["test"] += f', copy_sha256 = "{COPIES[key]}", copy = "o/r"'
    listed = "".join(f"{role} = {{ {text} }}\n" for role, text in files.items())
    return (
        f'[dataset.{key}]\ntitle = "{key.title()} KG"\nsplit = "published"\n[dataset.{key}.files]\n'
        f"{listed}"
    )


KEYS = ("known", "equal", "other", "gone", "wrong")
REGISTRY = HEADS + "".join(map(write_entry, KEYS))


@pytest.fixture(scope="module")
def script() -> Any:
    specification = importlib.util.spec_from_file_location("build_tables", SCRIPT)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


@pytest.fixture
def sources(tmp_path: Path) -> Mapping[str, Benchmark]:
    path = tmp_path / "benchmarks.toml"
    path.write_text(REGISTRY, encoding="utf-8")
    return load_benchmarks(path)


@pytest.fixture
def fetcher(httpserver: HTTPServer, tmp_path: Path, screen: Console) -> Fetcher:
    for key, (role, data) in itertools.product({*KEYS} - {"gone"}, CONTENT.items()):
        content = b"no triple\n" if (key, role) == ("wrong", "test") else data
        place = f"/copy/x.invalid/{key}/{role}.txt"
        httpserver.expect_request(place).respond_with_data(content)
    mirror = httpserver.url_for("/copy")
    return Fetcher(tmp_path / "cache", mirror=mirror, reporter=Reporter(screen))


@pytest.mark.slow
def test_what_can_be_built_is_built_reported_and_pinned(
    script: Any, sources: Mapping[str, Benchmark], fetcher: Fetcher, tmp_path: Path, screen: Console
) -> None:
    outcome = script.build(list(sources.values()), fetcher, tmp_path / "out")
    assert outcome.built == ("known", "equal", "other")
    assert set(outcome.failures) == {"gone", "wrong"}
    built = rankconst.load(tmp_path / "out").datasets
    # Train and valid of equal have no copy.
    verified = {"equal": False, "known": True, "other": False}
    assert {key: row["verified"] for key, row in built.items()} == verified
    warned: str = screen.file.getvalue()  # type: ignore[attr-defined]  # a StringIO
    assert (
        f"other/test.txt is not verified: its SHA-256 is {SHA256['test']}, that of the copy in o/r"
        in warned
    )
    assert "equal/test.txt is not verified" not in warned
    found = script.list_found(sources.values(), fetcher)
    report = script.describe(outcome, found)
    assert "3 benchmarks were built." in report
    assert re.search("(?s)- `gone`: .*/copy/x.invalid/gone/train.txt", report)
    assert "- `wrong`: wrong test.txt, line 1: expected 3 columns" in report
    rows = {
        line.split(" | ")[0].removeprefix("| "): line
        for line in report.splitlines()
        if line.startswith("| https")
    }
    assert not any("/known/" in url or "/gone/" in url for url in rows)
    for key, role, told in (
        ("equal", "test", "equals the copy in o/r"),
        ("other", "test", "DIFFERS FROM the copy in o/r"),
        ("other", "train", "nothing to compare with"),
    ):
        assert (
            f"| {len(CONTENT[role])} | `{SHA256[role]}` | {told} |"
            in rows[f"https://x.invalid/{key}/{role}.txt"]
        )
    archive = '[dataset.packed.archive]\nurl = "https://x.invalid/packed.zip"\n'
    zipped = script.Found(Remote("https://x.invalid/packed.zip"), 7, "f" * 64)
    pinned, before = (
        tomllib.loads(text)["dataset"]
        for text in (script.pin(REGISTRY + archive, [*found, zipped]), REGISTRY)
    )
    for key, (role, data) in itertools.product(("equal", "other"), CONTENT.items()):
        entry = pinned[key]["files"][role]
        assert (entry["bytes"], entry["sha256"]) == (len(data), SHA256[role])
    assert all(pinned[key] == before[key] for key in ("known", "gone"))
    archived = {"url": "https://x.invalid/packed.zip", "bytes": 7, "sha256": "f" * 64}
    assert pinned["packed"]["archive"] == archived
