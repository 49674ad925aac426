"""What every test may ask for: the folders of real files, where they are at hand."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

# The same examples in every run and no folder left behind; time limits are for benchmarks.
settings.register_profile("rankconst", deadline=None, derandomize=True, database=None)
settings.load_profile("rankconst")

_BESIDE = Path(__file__).resolve().parents[2] / "shared" / "mirror"


def _mirror() -> Path:
    return Path(os.environ.get("RANKCONST_MIRROR") or _BESIDE)


@pytest.fixture(scope="session")
def mirror() -> Path:
    """The folder with copies of the benchmarks' files, laid out as ``host/path``."""
    folder = _mirror()
    if not (folder / "MANIFEST.csv").is_file():
        pytest.skip(f"no mirror of the benchmarks at {folder}; RANKCONST_MIRROR names another folder")
    return folder


@pytest.fixture(scope="session")
def reference() -> Path:
    """The folder with published results, beside the mirror."""
    folder = _mirror().parent / "reference"
    if not (folder / "published_adjusted_rows.csv").is_file():
        pytest.skip(f"no published results at {folder}; they are looked for beside RANKCONST_MIRROR")
    return folder


@pytest.fixture
def few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let sampled constants rest on few random rankings, for tests in which they are beside the point."""
    monkeypatch.setattr("rankconst.moments.median_deviation.MOST_DRAWS", 2**8)
