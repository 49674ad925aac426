"""The programs in benchmarks/ and docs/scripts/: they start, and what they ask for is there."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from pages import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

BENCHMARKS = sorted((ROOT / "tests" / "benchmarks").glob("*.py"))
SCRIPTS = [*BENCHMARKS, *sorted((ROOT / "docs" / "scripts").glob("*.py"))]
OURS = ("rankconst", "rankconst_builder")

pytestmark = pytest.mark.skipif(not SCRIPTS, reason="the programs are in a checkout only")


def list_names(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield module and name of what is asked of this project, in programs that are strings of the
    program, too.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] in OURS:
            yield from ((str(node.module), alias.name) for alias in node.names)
        if isinstance(node, ast.Import):
            yield from (
                (alias.name, "") for alias in node.names if alias.name.partition(".")[0] in OURS
            )
        if (
            isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id in OURS
        ):
            yield node.value.id, node.attr
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and "import " in node.value
        ):
            try:
                program = ast.parse(node.value)
            except SyntaxError:  # prose
                continue
            yield from list_names(program)


def test_the_interpreter_of_pykeen_needs_no_rankconst() -> None:
    script = ROOT / "tests" / "benchmarks" / "pykeen_metrics.py"
    done = subprocess.run(
        [sys.executable, "-I", "-S", script, "--help"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def is_there(module: str, name: str) -> bool:
    if importlib.util.find_spec(module) is None:
        return False
    return (
        not name
        or hasattr(importlib.import_module(module), name)
        or importlib.util.find_spec(f"{module}.{name}") is not None
    )


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_what_a_script_asks_for_is_there(path: Path) -> None:
    for needed in ("pandas", "pooch", "scipy"):
        pytest.importorskip(needed, reason="programs need the builder")
    asked = {*list_names(ast.parse(path.read_text(encoding="utf-8")))}
    assert [each for each in sorted(asked) if not is_there(*each)] == []


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
