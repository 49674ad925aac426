"""The programs in benchmarks/ and docs/scripts/: they start, and what they ask for is there."""

import importlib
import importlib.util
import sys
from pathlib import Path

import pytest

from pages import ROOT

BENCHMARKS = sorted((ROOT / "tests" / "benchmarks").glob("*.py"))
SCRIPTS = [*BENCHMARKS, *sorted((ROOT / "docs" / "scripts").glob("*.py"))]

pytestmark = pytest.mark.skipif(not SCRIPTS, reason="the programs are in a checkout only")


@pytest.mark.parametrize("path", BENCHMARKS, ids=lambda path: path.stem)
def test_a_benchmark_prints_its_options(
    path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its module runs, and so does what reads its arguments."""
    for needed in ("pandas", "pooch", "scipy"):
        pytest.importorskip(needed, reason="benchmarks need the builder")
    spec = importlib.util.spec_from_file_location(f"benchmark_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)
    spec.loader.exec_module(module)
    if not hasattr(module, "argparse"):
        return  # it has none
    monkeypatch.setattr(sys, "argv", [path.name, "--help"])
    with pytest.raises(SystemExit) as ended:
        module.main()
    assert ended.value.code == 0
    assert path.name in capsys.readouterr().out
