"""Change the code that numbers depend on, one place at a time, and look whether a test fails.

Run: python mutants/mutate.py [MODULE ...] [--most N]; without modules, all of them. Figures go to
``mutants/figures.json`` and docs/robustness.md. The tests are collected once; for each mutant a forked process gives
the function its changed code and runs the tests that reach the line, the fastest first, until one fails, then those
that reach the function.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import gc
import importlib.machinery
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
import types
import warnings
from collections import Counter
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pytest
from mutations import Mutation, list_mutations

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
FIGURES = HERE / "figures.json"
# Module to the tests that are to notice its changes.
MODULES = tomllib.loads((HERE / "modules.toml").read_text(encoding="utf-8"))
_WORKERS = 2
_PATIENCE, _LEAST = 10, 5  # how many times as long as without a change a test may take, and seconds more
_SURVIVED, _KILLED = 0, 1


class Runner:
    """A plugin of pytest that runs the tests collected once for each mutant."""

    def __init__(self, path: Path, mutations: list[Mutation]) -> None:
        self.path, self.mutations, self.survivors = path, mutations, list[Mutation]()
        self.killed_controls = 0
        self.lines: dict[str, set[int]] = {}
        self.seconds: dict[str, float] = {}

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Measure what each test reaches, then run all mutants."""
        items = {item.nodeid: item for item in session.items}
        self._measure(session.items)
        own = [mutation for mutation in self.mutations if mutation.owner is not None]
        print(f"{len(items)} tests, {sum(self.seconds.values()):.0f} s; {len(own)} mutants of functions", flush=True)
        functions = _find_functions(self.path)
        tasks = [(each, self._prepare(each, items, functions)) for each in own]
        # Without a change all has to pass, or what kills is the machine.
        same = ast.parse(self.path.read_text(encoding="utf-8"))
        controls = [replace(each, tree=same) for each in own[::15]]
        tasks += [(each, self._prepare(each, items, functions)) for each in controls]
        random.Random(0).shuffle(tasks)  # noqa: S311 - no secret
        alive = [each for each, status in run_forked(tasks) if status == _SURVIVED]
        self.survivors += [each for each in alive if each.tree is not same]
        self.killed_controls = len(controls) - sum(each.tree is same for each in alive)
        return True

    def _measure(self, items: list[pytest.Item]) -> None:
        """Find out in a process of its own which lines each test runs, and how long it takes."""
        reading, writing = os.pipe()
        if not _fork():
            failed: list[str] = []
            self._run(items, lambda report: failed.append(report.nodeid))
            with os.fdopen(writing, "w") as stream:
                json.dump([{name: [*lines] for name, lines in self.lines.items()}, self.seconds, failed], stream)
            os._exit(0)
        os.close(writing)
        with os.fdopen(reading) as stream:
            lines, self.seconds, failed = json.load(stream)
        os.wait()
        self.lines = {name: set(each) for name, each in lines.items()}
        # A test that fails without any change tells nothing.
        for name in failed:
            print("fails without a change:", name)
            del self.lines[name]

    def _run(self, items: list[pytest.Item], on_failure: Callable[[Any], object], *, trace: bool = True) -> None:
        path = str(self.path)

        def enter(frame: Any, _event: str, _value: object) -> Any:
            return note if frame.f_code.co_filename == path else None

        def note(frame: Any, _event: str, _value: object) -> Any:
            self.lines[name].add(frame.f_lineno)
            return note

        class Listener:
            @staticmethod
            def pytest_runtest_logreport(report: pytest.TestReport) -> None:
                if report.failed:
                    on_failure(report)

        for item, after in zip(items, [*items[1:], None], strict=False):
            if not trace:
                signal.setitimer(signal.ITIMER_REAL, _PATIENCE * self.seconds[item.nodeid] + _LEAST)
            item.config.pluginmanager.register(Listener())
            name = item.nodeid
            self.lines.setdefault(name, set())
            begin = time.monotonic()
            sys.settrace(enter if trace else None)
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=after)
            sys.settrace(None)
            if trace:
                self.seconds[name] = time.monotonic() - begin

    def _prepare(
        self, mutation: Mutation, items: dict[str, pytest.Item], functions: list[types.FunctionType]
    ) -> Callable[[], None]:
        def reach(lines: Iterable[int]) -> list[str]:
            wanted = set(lines)
            return sorted((name for name, seen in self.lines.items() if seen & wanted), key=self.seconds.__getitem__)

        def run() -> None:
            code = {
                (each.co_qualname, each.co_firstlineno): each
                for each in _list_codes(compile(mutation.tree, str(self.path), "exec"))
            }
            lines: set[int] = set()
            for function in functions:
                old = function.__code__
                if old.co_qualname == mutation.owner:
                    lines |= {line for each in _list_codes(old) for *_, line in each.co_lines() if line}
                    function.__code__ = code[old.co_qualname, old.co_firstlineno]
            first = reach(mutation.lines)
            chosen = dict.fromkeys([*first, *reach(lines - {min(lines, default=0)})])
            self._run([items[name] for name in chosen], lambda _: os._exit(_KILLED), trace=False)

        return run


def _fork() -> int:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Arrow's threads do no harm here
        return os.fork()


def _list_codes(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            yield from _list_codes(inner)


def _find_functions(path: Path) -> list[types.FunctionType]:
    """Return the functions of a module, however they are wrapped."""
    gc.unfreeze()
    return [
        each
        for each in gc.get_objects()
        if isinstance(each, types.FunctionType) and each.__code__.co_filename == str(path)
    ]


def run_forked(tasks: Sequence[tuple[Mutation, Callable[[], None]]]) -> Iterator[tuple[Mutation, int]]:
    """Run each task in a process of its own, some at a time; yield how each ended."""
    running: dict[int, Mutation] = {}
    waiting, done = [*reversed(tasks)], 0
    while waiting or running:
        while waiting and len(running) < _WORKERS:
            mutation, run = waiting.pop()
            if pid := _fork():
                running[pid] = mutation
            else:
                _run_child(run)
        pid, status = os.wait()
        mutation = running.pop(pid)
        shutil.rmtree(Path(tempfile.gettempdir(), f"mutant-{pid}"), ignore_errors=True)
        code = os.waitstatus_to_exitcode(status)
        done += 1
        if code == _SURVIVED:
            print(
                f"{done}/{len(tasks)} survived: line {mutation.line}: {mutation.before} -> {mutation.after}", flush=True
            )
        yield mutation, code


def _run_child(run: Callable[[], None]) -> NoReturn:
    folder = Path(tempfile.gettempdir(), f"mutant-{os.getpid()}")
    folder.mkdir()
    os.environ["PYTEST_DEBUG_TEMPROOT"] = str(folder)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    try:
        run()
    except BaseException:  # noqa: BLE001 - also what leaves pytest, as KeyboardInterrupt
        os._exit(_KILLED)
    os._exit(_SURVIVED)


def _run_module_level(mutation: Mutation, path: Path, arguments: list[str]) -> None:
    """Import the changed module, and run all tests."""
    original = importlib.machinery.SourceFileLoader.get_code

    def get_code(self: Any, fullname: str) -> Any:
        return compile(mutation.tree, str(path), "exec") if self.path == str(path) else original(self, fullname)

    importlib.machinery.SourceFileLoader.get_code = get_code  # type: ignore[method-assign] # for the import
    signal.alarm(300)
    os._exit(_KILLED if pytest.main([*arguments, "-x"]) else _SURVIVED)


def mutate(module: str, most: int, before: dict[str, Any] | None) -> dict[str, Any]:
    """Run mutants of a module, only those that survived `before` if that is given; return its figures."""
    path, begin = ROOT / module, time.monotonic()
    source = path.read_text(encoding="utf-8")
    every = list_mutations(source)
    chosen = every if len(every) <= most else sorted(random.Random(0).sample(every, most), key=lambda one: one.line)  # noqa: S311 - no secret
    if before is not None:
        alive = {(one["line"], one["change"]) for one in before["survivors"]}
        chosen = [each for each in every if (each.line, _name(each)) in alive]
    told = MODULES[module]
    arguments = [*told["tests"], "-q", "--capture=sys", "-p", "no:cacheprovider", "-p", "no:xdist"]
    arguments += ["-m", told.get("marked", "not slow")]
    outer = [each for each in chosen if each.owner is None]
    tasks = [(each, partial(_run_module_level, each, path, arguments)) for each in outer]
    for name in ("numpy", "pandas", "pyarrow.compute", "pyarrow.parquet", "scipy.special", "scipy.stats"):
        with contextlib.suppress(ImportError):
            __import__(name)
    if tasks:
        same = Mutation(0, range(0), None, "nothing", "nothing", ast.parse(source))
        tasks.append((same, partial(_run_module_level, same, path, arguments)))
    survivors = [each for each, status in run_forked(tasks) if status == _SURVIVED]
    if tasks:
        survivors.remove(same)  # ValueError if the tests fail without a change
    runner = Runner(path, chosen)
    if pytest.main(arguments, plugins=[runner]):
        raise SystemExit(f"{module}: the tests cannot be run.")
    if runner.killed_controls:
        raise SystemExit(f"{module}: {runner.killed_controls} runs without a change failed: is the machine too busy?")
    lines = source.splitlines()
    found = [
        {"line": each.line, "code": lines[each.line - 1].strip(), "change": _name(each)}
        for each in sorted(survivors + runner.survivors, key=lambda each: each.line)
    ]
    return {
        "module": module,
        "possible": len(every),
        "mutants": len(chosen) if before is None else before["mutants"],
        "seconds": round(time.monotonic() - begin) + (0 if before is None else before["seconds"]),
        "survivors": found,
    }


def _name(mutation: Mutation) -> str:
    return f"{mutation.before} -> {mutation.after}"


def render(figures: list[dict[str, Any]]) -> str:
    """Return a Markdown table with a row for each module, and one for all."""
    rows = ["| module | possible | tried | killed | explained | others | killed | killed of those not explained |"]
    rows += ["|---|---:|---:|---:|---:|---:|---:|---:|"]
    total = Counter[str]()
    for each in figures:
        # A change, or any on that line, to why it does no harm.
        why = MODULES[each["module"]].get("explained", {})
        explained = sum(one["change"] in why or one["code"] in why for one in each["survivors"])
        counts = Counter(possible=each["possible"], tried=each["mutants"], alive=len(each["survivors"]), told=explained)
        total += counts
        rows.append(_render_row(f"`{each['module']}`", counts))
    return "\n".join([*rows, _render_row("all", total)])


def _render_row(title: str, counts: Counter[str]) -> str:
    possible, tried, alive, told = (counts[name] for name in ("possible", "tried", "alive", "told"))
    killed = tried - alive
    shares = f"{killed / tried:.1%} | {killed / (tried - told):.1%}"
    return f"| {title} | {possible:,} | {tried:,} | {killed:,} | {told:,} | {alive - told:,} | {shares} |"


def main() -> None:
    """Run the modules, each in a process of its own, and write the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("modules", nargs="*", default=[*MODULES])
    parser.add_argument("--most", type=int, default=10_000, help="mutants of a module, a sample if it has more")
    parser.add_argument("--again", action="store_true", help="only those that survived, after tests were added")
    parser.add_argument("--page", action="store_true", help="only write the page, after explanations changed")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    given = parser.parse_args()
    figures = {each["module"]: each for each in _read_figures()}
    if given.one:
        os.chdir(ROOT)
        result = mutate(given.modules[0], given.most, figures[given.modules[0]] if given.again else None)
        Path(given.one).write_text(json.dumps(result), encoding="utf-8")
        return
    for module in () if given.page else given.modules:
        with tempfile.TemporaryDirectory() as folder:
            written = Path(folder, "figures")
            again = ["--again"] if given.again else []
            command = [sys.executable, __file__, module, "--most", str(given.most), "--one", str(written), *again]
            subprocess.run(command, check=True, env={**os.environ, "HYPOTHESIS_PROFILE": "mutants", "TMPDIR": folder})
            figures = {each["module"]: each for each in [*_read_figures(), json.loads(written.read_text("utf-8"))]}
        ordered = [figures[name] for name in MODULES if name in figures]
        FIGURES.write_text(json.dumps(ordered, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    sys.path.append(str(ROOT / "scripts"))
    from marked import replace_lines

    replace_lines(ROOT / "docs" / "robustness.md", "mutants", render(_read_figures()))


def _read_figures() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(FIGURES.read_text(encoding="utf-8")) if FIGURES.exists() else []
    return found


if __name__ == "__main__":
    main()
