"""What fuzzing has found stays mended, and its targets let nothing but the project's own errors
out.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

for _name in ("pooch", "openpyxl"):
    pytest.importorskip(_name, reason="the targets read with every extra")
fuzz_seeds, fuzz_targets = (
    pytest.importorskip(name, reason="the folder fuzz is in checkouts only")
    for name in ("fuzz_seeds", "fuzz_targets")
)

REGRESSIONS = sorted(
    path for path in (Path(__file__).parent / "regressions").glob("*/*") if path.is_file()
)
_SEEDS = 12


@pytest.fixture(scope="module", autouse=True)
def _clean() -> Iterator[None]:
    yield
    fuzz_targets.clean()


@pytest.mark.parametrize("path", REGRESSIONS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_inputs_that_failed_once(path: Path) -> None:
    fuzz_targets.check(path.parent.name, path.read_bytes())


@pytest.mark.parametrize("content", [b'\2h,r,t\na,b\n"' + b"x" * 140_000, b"\2" + b"x" * 140_000])
def test_cells_beyond_all_size(content: bytes) -> None:
    assert not fuzz_targets.check("graph", content)
    assert not fuzz_targets.check("counts", content)


@pytest.mark.slow
@pytest.mark.parametrize("target", fuzz_targets.TARGETS)
def test_targets_run_on_their_first_inputs(target: str) -> None:
    seeds = fuzz_seeds.list_seeds(target)
    assert len(seeds) > 1
    accepted = [fuzz_targets.check(target, seed) for seed in seeds[:: max(len(seeds) // _SEEDS, 1)]]
    assert any(accepted) or len(seeds) > _SEEDS
