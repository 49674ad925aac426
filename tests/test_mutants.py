"""The changes that mutants/mutate.py tries, how it tells how each one ended, and its figures."""

from __future__ import annotations

import ast
import json
import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import mutate
import pytest
from mutations import change, list_mutations

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SOURCE = '''
"""A module."""
LIMIT = 3

def clip(value: int, least: int = 0) -> int:
    """Do it."""
    if value < least and not LIMIT:
        raise ValueError(f"{value + 1}")
    return min(value, LIMIT)
'''


def test_one_place_is_changed_at_a_time() -> None:
    found = list_mutations(SOURCE)
    assert [(each.line, each.owner, each.before, each.after) for each in found] == [
        (3, None, "3", "4"),
        (5, None, "0", "1"),
        (7, "clip", "value < least and (not LIMIT)", "not (value < least and (not LIMIT))"),
        (7, "clip", "value < least and (not LIMIT)", "value < least or not LIMIT"),
        (7, "clip", "value < least", "value <= least"),
        (7, "clip", "value < least", "value > least"),
        (7, "clip", "value < least and (not LIMIT)", "value < least and LIMIT"),
        (8, "clip", "raise ValueError(f'{value + 1}')", "pass"),
        (9, "clip", "min(value, LIMIT)", "max(value, LIMIT)"),
    ]
    original = ast.unparse(ast.parse(SOURCE))
    assert ast.unparse(change(SOURCE, None)) == original
    texts = [ast.unparse(change(SOURCE, each.number)) for each in found]
    assert len({*texts, original}) == len(found) + 1
    assert texts[-1] == original.replace("min", "max")


def _survive(write: Callable[[str, str], None]) -> None:
    write("test", "a")


def _fail(write: Callable[[str, str], None]) -> None:
    write("test", "a")
    write("test", "b")
    mutate.Watch(write).end("1 != 2")


def _loop(write: Callable[[str, str], None]) -> None:
    write("test", "a")
    mutate.limit_time(0)
    while True:
        pass


def _wait(write: Callable[[str, str], None]) -> None:
    write("test", "a")
    mutate.limit_time(0)
    time.sleep(60)


def _err(write: Callable[[str, str], None]) -> None:
    write("test", "a")
    raise KeyError("of the runner")


def _leave(write: Callable[[str, str], None]) -> None:
    write("test", "a")
    os._exit(1)


def _die(write: Callable[[str, str], None]) -> None:
    write("test", "a")
    os.kill(os.getpid(), signal.SIGKILL)


def test_what_is_no_failed_test_is_no_kill(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mutate, "LEAST", 0.05)
    monkeypatch.setattr(mutate, "CLOCK", 0.5)
    tasks = [_survive, _fail, _loop, _wait, _err, _leave, _die]
    found = dict(mutate.run_forked(tasks))
    ended = {task.__name__: (found[place].status, found[place].tests) for place, task in enumerate(tasks)}
    assert ended == {
        "_survive": ("survived", ("a",)),
        "_fail": ("killed", ("a", "b")),
        "_loop": ("timed out", ("a",)),
        "_wait": ("timed out", ("a",)),
        "_err": ("error", ("a",)),
        "_leave": ("error", ("a",)),
        "_die": ("error", ("a",)),
    }
    assert "KeyError: 'of the runner'" in found[4].text
    assert found[1].text == "1 != 2"


TINY = """
import functools

LIMIT = 3
UNSEEN = 5

def grow(value):
    while value < LIMIT:
        value += 1
    return value

def tell(value):
    return value > 1

def leave(value):
    return value * UNSEEN

@functools.cache
def keep():
    return 7 + 2
"""
TESTS = """
import tiny

def test_limit():
    assert tiny.LIMIT == 3

def test_grow():
    assert tiny.grow(0) == 3

def test_tell():
    assert tiny.tell(2)
    assert not tiny.tell(-2)

def test_keep():
    assert tiny.keep()

def test_what_is_kept():
    assert tiny.keep() == 9
"""
# Passes without a change, with each of two changes of the module's own code and when it is measured; never again.
SELDOM = """
import pathlib, tiny

def test_seldom():
    tiny.tell(2)
    with pathlib.Path("runs").open("a") as stream:
        stream.write("x")
        assert stream.tell() < 5
"""


def _mutate(folder: Path, tests: str, before: str = "") -> subprocess.CompletedProcess[str]:
    folder.joinpath("tiny.py").write_text(TINY)
    folder.joinpath("test_tiny.py").write_text(tests)
    told = {"tests": ["test_tiny.py"]}
    code = f"import json, pathlib, mutate\nmutate.LEAST = 0.2\n{before}\nfigures = mutate.mutate(pathlib.Path.cwd(), "
    code += f"'tiny.py', {told})\npathlib.Path('figures.json').write_text(json.dumps(figures))"
    paths = os.pathsep.join([str(folder), str(mutate.HERE)])
    command = [sys.executable, "-c", code]
    environment = {**os.environ, "PYTHONPATH": paths, "TMPDIR": str(folder), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    return subprocess.run(command, cwd=folder, env=environment, check=False, capture_output=True, text=True)


@pytest.mark.slow
def test_a_tiny_module(tmp_path: Path) -> None:
    run = _mutate(tmp_path, TESTS)
    assert run.returncode == 0, run.stdout + run.stderr
    figures: dict[str, Any] = json.loads((tmp_path / "figures.json").read_text())
    assert [(each["code"], each["change"]) for each in figures["survivors"]] == [
        ("module: UNSEEN = 5", "5 -> 6"),
        ("tell: return value > 1", "value > 1 -> value >= 1"),
        ("leave: return value * UNSEEN", "value * UNSEEN -> value / UNSEEN"),
    ]
    del figures["survivors"], figures["seconds"], figures["source"]
    assert figures == {"module": "tiny.py", "possible": 14, "tried": 14, "killed": 9, "timed out": 2}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("tests", "before", "text"),
    [
        (SELDOM, "", "without a change: killed"),
        (TESTS, "mutate._list_codes = lambda code: 1 / 0", "ZeroDivisionError"),
        ("def test_nothing(): pass", "", "no test reaches"),
    ],
    ids=["a test that fails anyway", "an error of the runner", "nothing reached"],
)
def test_no_figures_after_errors(tmp_path: Path, tests: str, before: str, text: str) -> None:
    run = _mutate(tmp_path, tests, before)
    assert run.returncode == 1
    assert text in run.stdout
    assert not (tmp_path / "figures.json").exists()


@pytest.mark.parametrize("module", mutate.MODULES)
def test_explanations_are_of_changes(module: str) -> None:
    told, source = mutate.MODULES[module], (mutate.ROOT / module).read_text(encoding="utf-8")
    assert all((mutate.ROOT / test).exists() for test in told["tests"])
    explained = [(code, change) for each in told.get("explained", ()) for code, change in each["changes"]]
    assert len({*explained}) == len(explained)
    assert {*explained} <= {mutate.describe(each, source) for each in list_mutations(source)}


def test_figures_add_up() -> None:
    figures = mutate.read_figures()
    for module, each in figures.items():
        assert each["killed"] + each["timed out"] + each["survived"] == each["tried"] <= each["possible"]
        assert each["survived"] == len(each["survivors"])
        told = mutate.MODULES[module]
        assert each["explained"] == sum(mutate.is_explained(told, one) for one in each["survivors"])


def test_figures_are_of_the_code_of_today() -> None:
    if changed := mutate.list_changed():
        pytest.skip(f"changed since its mutants were tried: {', '.join(changed)}; run python mutants/mutate.py on it")


def test_a_source_is_named_as_git_does(tmp_path: Path) -> None:
    path = tmp_path / "hello"
    path.write_bytes(b"hello\n")
    assert mutate.name_source(path) == "ce013625030b"
