"""What every test may ask for: the folders of real files, where they are at hand; a set as a zip
file; a server.
"""

from __future__ import annotations

import gc
import importlib.util
import os
import shutil
import sys
import time
import zipfile
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from few_tables import few_tables
from placeholders import compute_once, fill_in
from real_files import find_mirror, find_reference

if TYPE_CHECKING:
    from pytest_httpserver import HTTPServer

# The same examples in every run and no folder left behind; time limits are for benchmarks. For a
# long look set HYPOTHESIS_PROFILE=thorough.
settings.register_profile(
    "rankconst", deadline=None, derandomize=True, database=None, max_examples=15
)
settings.register_profile("thorough", deadline=None, database=None, max_examples=1000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "rankconst"))

# Files that take long, the longest first. What `--dist loadfile` hands out last should be short: it
# leaves the other processes without work.
_LONGEST = [
    "faults/test_faults.py", "builder/test_site_browser.py", "results/test_real_files.py", "tails/test_tails.py",
    "test_docs.py", "test_shipped_tables.py", "builder/test_rankers.py", "builder/test_mirror.py",
    "builder/test_verify.py", "moments/test_moments.py", "cli/test_build.py", "moments/test_median.py", "test_api.py",
]  # fmt: skip


def pytest_configure(config: pytest.Config) -> None:
    """Let the files be handed out in the order below, not by their numbers of tests; collect no
    garbage meanwhile.
    """
    gc.disable()
    if sys.dont_write_bytecode and (cache := getattr(config, "cache", None)) is not None:
        # Dozens of child processes would compile all that they import. Nothing is written beside
        # the sources.
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix = str(cache.mkdir("bytecode"))
        sys.dont_write_bytecode = False
    if hasattr(config.option, "loadscopereorder"):
        config.option.loadscopereorder = False


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Let every other process begin with the last file: what one has compiled, the others need not."""
    report = yield
    if isinstance(collector, pytest.Dir) and os.environ.get("PYTEST_XDIST_WORKER", "")[-1:] in set(
        "13579"
    ):
        report.result.reverse()
    return report


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the files first that take longest, the others in the order of their names."""
    places = {Path(__file__).parent / name: place for place, name in enumerate(_LONGEST)}
    items.sort(key=lambda item: (places.get(item.path, len(places)), item.path))


def pytest_collection_finish() -> None:
    """Let the garbage collector leave the thousands of tests alone, and look at the rest more
    seldom.
    """
    gc.freeze()
    gc.enable()
    gc.set_threshold(100_000, 50, 50)


@pytest.fixture(scope="session")
def mirror() -> Path:
    """The folder with copies of the benchmarks' files, laid out as ``host/path``."""
    folder = find_mirror()
    if not (folder / "MANIFEST.csv").is_file():
        pytest.skip(
            f"no mirror of the benchmarks at {folder}; RANKCONST_MIRROR names another folder"
        )
    return folder


@pytest.fixture(scope="session")
def reference() -> Path:
    """The folder with published results, next to the mirror."""
    folder = find_reference()
    if not (folder / "published_adjusted_rows.csv").is_file():
        pytest.skip(
            f"no published results at {folder}; they are looked for next to RANKCONST_MIRROR"
        )
    return folder


@pytest.fixture
def few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let sampled constants rest on few random rankings, for tests whose subject is something else."""
    monkeypatch.setattr("rankconst.moments.median_deviation.MOST_DRAWS", 2**8)


@pytest.fixture
def cheap_constants(few_draws: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let builds compute the constants of a histogram once a test run, and compress little, where
    neither matters.
    """
    del few_draws
    if importlib.util.find_spec("rankconst_builder"):
        monkeypatch.setattr("rankconst_builder.release.DENSE", 1)
        monkeypatch.setattr("rankconst_builder.tabulate.compute_moments", compute_once)


@pytest.fixture
def placeholders(cheap_constants: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let builds put the mean rank in the place of what takes long, for tests that look at no such
    number.
    """
    del cheap_constants
    if importlib.util.find_spec("rankconst_builder"):
        monkeypatch.setattr("rankconst_builder.tabulate.compute_moments", fill_in)


@pytest.fixture
def true_constants(placeholders: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compute all constants in one test of a module whose others have placeholders."""
    del placeholders
    if importlib.util.find_spec("rankconst_builder"):
        monkeypatch.setattr("rankconst_builder.tabulate.compute_moments", compute_once)


@pytest.fixture(scope="session")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small set of tables in a zip file, in a folder there, as a release packs them."""
    path, tables = tmp_path_factory.mktemp("packed") / "rankconst-tables.zip", few_tables()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in tables.path.iterdir():
            archive.write(file, f"rankconst-tables-{tables.version}/{file.name}")
    return path


@pytest.fixture
def zipped(packed: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return Path(shutil.copy(packed, tmp_path))


@pytest.fixture
def loopback(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[float]]:
    """Ask loopback directly whatever proxies the machine has; return the pauses between retries, which take no time.

    To be used with a filter for ResourceWarning: pooch leaves the connection of an error answer to
    the garbage collector, which is called here lest the next test be blamed. It looks at what the
    test left behind only.
    """
    gc.freeze()
    for name in (
        "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy",
    ):  # fmt: skip
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NO_PROXY", "*")
    slept: list[float] = []
    monkeypatch.setattr(time, "sleep", slept.append)
    yield slept
    gc.collect()


@pytest.fixture
def server(request: pytest.FixtureRequest) -> HTTPServer:
    """A server on the loopback, asked as :func:`loopback` says; skips where nothing could ask it."""
    pytest.importorskip("pooch", reason="downloads need pooch: pip install 'rankconst[builder]'")
    pytest.importorskip("pytest_httpserver", reason="needs pytest-httpserver")
    request.getfixturevalue("loopback")
    found: HTTPServer = request.getfixturevalue("httpserver")
    return found
