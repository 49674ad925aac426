"""Change the code that numbers depend on, one place at a time, and look whether a test fails.

Run: python mutants/mutate.py [MODULE ...] [--most N]; without modules, all of them. Figures go to
``mutants/figures.json``; scripts/show_figures.py shows them. The tests are collected once; for each mutant a forked
process gives the function its changed code and runs the tests that reach the line, the fastest first, until one fails,
then those that reach the function. Code outside functions is changed before its module is imported, and all tests run.

What ended a mutant has to pass without it: the same tests in the same order are run again with the unchanged code.
Where they fail, or where the runner itself does, the mutant is an error, and the module gets no figures.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import hashlib
import importlib
import importlib.machinery
import itertools
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
import traceback
import types
import warnings
from collections import Counter
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pytest
from mutations import Mutation, change, list_mutations

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
FIGURES = HERE / "figures.json"
# Module to the tests that are to notice its changes, and the survivors that need no test.
MODULES: dict[str, dict[str, Any]] = tomllib.loads((HERE / "modules.toml").read_text(encoding="utf-8"))
_WORKERS = 2
# How many times as long as without a change a test may use the processor, and seconds more; the same on the clock, for
# what waits for ever. A busy machine makes the clock run on, and the processor's time hardly.
PATIENCE, LEAST, CLOCK = 10, 3.0, 300.0
_MEMORY = 8 << 30
_COUNTED = ("possible", "tried", "killed", "timed out", "survived", "explained")


@dataclass(frozen=True)
class Outcome:
    """How a mutant ended: survived, killed, timed out or error; the tests that it saw, the last one it did not pass."""

    status: str
    tests: tuple[str, ...] = ()
    text: str = ""


class Watch:
    """A plugin of pytest that writes down each test that begins, and ends the process when one fails."""

    def __init__(self, write: Callable[[str, str], None]) -> None:
        self.write = write

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Write down what is run."""
        self.write("test", nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """End with what failed."""
        if report.failed:
            self.end(report.longreprtext)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """End with what cannot be imported."""
        if report.failed:
            self.end(str(report.longrepr))

    def end(self, text: str) -> NoReturn:
        """End the process: the mutant is killed."""
        self.write("killed", text)
        os._exit(0)


class Runner:
    """A plugin of pytest that runs the tests collected once for each mutant of a function."""

    def __init__(self, path: Path, mutations: list[Mutation]) -> None:
        self.path, self.mutations, self.outcomes = path, mutations, dict[int, Outcome]()
        self.source = path.read_text(encoding="utf-8")
        self.lines: dict[str, set[int]] = {}
        self.seconds: dict[str, float] = {}  # of the processor

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Measure what each test reaches, run all mutants, and what ended them without a change."""
        self.items = {item.nodeid: item for item in session.items}
        module = importlib.import_module(_name_module(self.path))  # some only when a function is called
        held = [each for each in vars(module).values() if hasattr(each, "cache_clear")]
        self.caches = [each for each in held if each.__module__ == module.__name__]
        self._measure()
        print(f"{len(self.items)} tests, {sum(self.seconds.values()):.0f} s; {len(self.mutations)} mutants", flush=True)
        functions = _find_functions(self.path)
        # What takes long is spread over the run.
        order = random.Random(0).sample(self.mutations, len(self.mutations))  # noqa: S311 - no secret
        tasks = [partial(self._run_mutant, each, functions) for each in order]
        self.outcomes = {order[place].number: outcome for place, outcome in run_forked(tasks)}
        prefixes = sorted({each.tests for each in self.outcomes.values() if each.status in {"killed", "timed out"}})
        # What passes in a row passes up to each place in it.
        longest = [one for one, after in itertools.pairwise([*prefixes, ()]) if one and after[: len(one)] != one]
        for place, outcome in run_forked([partial(self._run_unchanged, functions, each) for each in longest]):
            if outcome.status != "survived":
                self._doubt(longest[place], max(len(outcome.tests) - 1, 0), outcome)
        print(f"{len(longest)} runs without a change", flush=True)
        return True

    def _doubt(self, row: tuple[str, ...], passed: int, outcome: Outcome) -> None:
        """Turn the mutants into errors that were ended by what does not pass without a change either."""
        text = f"without a change: {outcome.status} {outcome.text}"
        for number, one in self.outcomes.items():
            if one.status in {"killed", "timed out"} and passed < len(one.tests) and row[: len(one.tests)] == one.tests:
                self.outcomes[number] = Outcome("error", one.tests, text)

    def _measure(self) -> None:
        """Find out in a process of its own which lines each test runs, and how long it takes."""
        with tempfile.NamedTemporaryFile() as file:
            ((_, outcome),) = run_forked([partial(self._trace, Path(file.name))])
            if outcome.status != "survived":
                raise RuntimeError(f"the tests cannot be measured: {outcome.status} {outcome.text}")
            lines, self.seconds, failed = json.load(file)
        self.lines = {name: set(each) for name, each in lines.items()}
        # A test that fails without any change tells nothing.
        for name in dict.fromkeys(failed):
            print("fails without a change:", name)
            del self.lines[name]
        if not any(self.lines.values()):
            raise LookupError(f"no test reaches {self.path}: is another copy imported?")

    def _trace(self, file: Path, _write: Callable[[str, str], None]) -> None:
        path, failed = str(self.path), list[str]()

        def enter(frame: Any, _event: str, _value: object) -> Any:
            return note if frame.f_code.co_filename == path else None

        def note(frame: Any, _event: str, _value: object) -> Any:
            lines.add(frame.f_lineno)
            return note

        class Listener:
            @staticmethod
            def pytest_runtest_logreport(report: pytest.TestReport) -> None:
                if report.failed:
                    failed.append(report.nodeid)

        items = [*self.items.values()]
        items[0].config.pluginmanager.register(Listener())
        for item, after in zip(items, [*items[1:], None], strict=True):
            lines = self.lines[item.nodeid] = set()
            self._forget()
            begin = time.process_time()
            sys.settrace(enter)
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=after)
            sys.settrace(None)
            self.seconds[item.nodeid] = time.process_time() - begin
        seen = {name: [*lines] for name, lines in self.lines.items()}
        file.write_text(json.dumps([seen, self.seconds, failed]), encoding="utf-8")

    def _run(self, names: Sequence[str], write: Callable[[str, str], None]) -> None:
        items = [self.items[name] for name in names]
        if items:
            items[0].config.pluginmanager.register(Watch(write))
        for item, after in zip(items, [*items[1:], None][: len(items)], strict=True):
            limit_time(self.seconds[item.nodeid])
            self._forget()
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=after)

    def _forget(self) -> None:
        """Clear the module's caches: a test reaches what it would reach alone."""
        for cache in self.caches:
            cache.cache_clear()

    def _run_unchanged(
        self, functions: list[types.FunctionType], names: Sequence[str], write: Callable[[str, str], None]
    ) -> None:
        for owner in {each.__code__.co_qualname for each in functions}:
            self._change(None, owner, functions)
        self._run(names, write)

    def _run_mutant(
        self, mutation: Mutation, functions: list[types.FunctionType], write: Callable[[str, str], None]
    ) -> None:
        lines = self._change(mutation.number, mutation.owner, functions)
        first = self._reach(mutation.lines)
        self._run([*dict.fromkeys([*first, *self._reach(lines - {min(lines)})])], write)

    def _change(self, number: int | None, owner: str | None, functions: list[types.FunctionType]) -> set[int]:
        """Give a function the code that it has in a changed module; return its lines."""
        code = {
            (each.co_qualname, each.co_firstlineno): each
            for each in _list_codes(compile(change(self.source, number), str(self.path), "exec"))
        }
        lines: set[int] = set()
        for function in functions:
            old = function.__code__
            if old.co_qualname == owner:
                lines |= {line for each in _list_codes(old) for *_, line in each.co_lines() if line}
                function.__code__ = code[old.co_qualname, old.co_firstlineno]
        if not lines:
            raise LookupError(f"no function {owner} to change")
        return lines

    def _reach(self, lines: Iterable[int]) -> list[str]:
        wanted = set(lines)
        return sorted((name for name, seen in self.lines.items() if seen & wanted), key=self.seconds.__getitem__)


def limit_time(seconds: float) -> None:
    """End this process when it takes much longer than that from now on."""
    signal.setitimer(signal.ITIMER_PROF, PATIENCE * seconds + LEAST)
    signal.setitimer(signal.ITIMER_REAL, 10 * PATIENCE * seconds + CLOCK)


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
    found = [
        each
        for each in gc.get_objects()
        if isinstance(each, types.FunctionType) and each.__code__.co_filename == str(path)
    ]
    gc.freeze()  # what forked processes do not touch is not copied
    return found


def run_forked(tasks: Sequence[Callable[[Callable[[str, str], None]], None]]) -> Iterator[tuple[int, Outcome]]:
    """Run each task in a process of its own, some at a time; yield its place and how it ended."""
    running: dict[int, int] = {}
    waiting = [*reversed(range(len(tasks)))]
    with tempfile.TemporaryDirectory() as name:
        while waiting or running:
            while waiting and len(running) < _WORKERS:
                folder = Path(name, f"{waiting[-1]}")
                folder.mkdir()
                if pid := _fork():
                    running[pid] = waiting.pop()
                else:
                    _run_child(tasks[waiting[-1]], folder)
            pid, status = os.wait()
            place = running.pop(pid)
            folder = Path(name, f"{place}")
            with contextlib.suppress(ProcessLookupError):
                os.killpg(pid, signal.SIGKILL)  # what a test has started
            yield place, _read_outcome(folder / "records", os.waitstatus_to_exitcode(status))
            shutil.rmtree(folder, ignore_errors=True)


def _run_child(run: Callable[[Callable[[str, str], None]], None], folder: Path) -> NoReturn:
    os.setsid()
    os.environ["PYTEST_DEBUG_TEMPROOT"] = str(folder)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    with (folder / "records").open("w", encoding="utf-8", buffering=1) as stream:

        def write(word: str, text: str) -> None:
            stream.write(json.dumps([word, text]) + "\n")

        try:
            run(write)
            write("survived", "")
        except BaseException:  # noqa: BLE001 - the runner's own error, whatever it is, must not look like a kill
            write("error", traceback.format_exc())
        stream.flush()
        os._exit(0)


def _read_outcome(records: Path, code: int) -> Outcome:
    """Return what a process has written, and how it ended."""
    lines = [json.loads(line) for line in records.read_text(encoding="utf-8").splitlines()] if records.exists() else []
    tests = tuple(text for word, text in lines if word == "test")
    if code in {-signal.SIGPROF, -signal.SIGALRM}:
        return Outcome("timed out", tests)
    if code or not lines or lines[-1][0] == "test":
        return Outcome("error", tests, f"the process ended with {code}")
    status, text = lines[-1]
    return Outcome(status, tests, text)


def _run_imported(
    path: Path, number: int | None, arguments: list[str], seconds: float, write: Callable[[str, str], None]
) -> None:
    """Import the changed module, and run all tests."""
    changed = compile(change(path.read_text(encoding="utf-8"), number), str(path), "exec")
    original = importlib.machinery.SourceFileLoader.get_code

    def get_code(self: Any, fullname: str) -> Any:
        return changed if self.path == str(path) else original(self, fullname)

    importlib.machinery.SourceFileLoader.get_code = get_code  # type: ignore[method-assign] # for the import
    watch = Watch(write)
    limit_time(seconds)
    try:
        importlib.import_module(_name_module(path))
    except Exception:  # noqa: BLE001 - whatever a change makes of it
        watch.end(traceback.format_exc())
    if status := pytest.main([*arguments, "-x"], plugins=[watch]):
        raise RuntimeError(f"pytest ended with {status}")


def _name_module(path: Path) -> str:
    parts = [path.stem] if path.stem != "__init__" else []
    for folder in path.parents:
        if not (folder / "__init__.py").exists():
            break
        parts.insert(0, folder.name)
    return ".".join(parts)


def _run_all_imported(path: Path, mutations: list[Mutation], arguments: list[str]) -> dict[int, Outcome]:
    """Run mutants whose module is imported anew, and once without a change."""
    if not mutations:
        return {}
    begin = time.monotonic()
    ((_, control),) = run_forked([partial(_run_imported, path, None, arguments, CLOCK)])
    if control.status != "survived":
        raise SystemExit(f"{path}: without a change: {control.status} {control.text}")
    seconds = time.monotonic() - begin
    tasks = [partial(_run_imported, path, each.number, arguments, seconds) for each in mutations]
    return {mutations[place].number: outcome for place, outcome in run_forked(tasks)}


def mutate(
    root: Path, module: str, told: dict[str, Any], numbers: Iterable[int] | None = None, *, fresh: bool = False
) -> dict[str, Any]:
    """Run all mutants of a module, or those of some numbers; return its figures.

    `fresh` imports the module anew for each of them: slow, to see whether the fast way comes to the same.
    """
    path, begin = root / module, time.monotonic()
    source = path.read_text(encoding="utf-8")
    every = list_mutations(source)
    chosen = every if numbers is None else [every[number] for number in numbers]
    arguments = [*told["tests"], "-q", "--capture=sys", "-p", "no:cacheprovider", "-p", "no:xdist"]
    arguments += ["-m", told.get("marked", "not slow")]
    outcomes = _run_all_imported(path, [each for each in chosen if fresh or each.owner is None], arguments)
    runner = Runner(path, [each for each in chosen if each.number not in outcomes])
    if runner.mutations and pytest.main(arguments, plugins=[runner]):
        raise SystemExit(f"{module}: the tests cannot be run.")
    outcomes |= runner.outcomes
    counts = Counter(each.status for each in outcomes.values())
    for each in chosen:
        outcome = outcomes[each.number]
        if outcome.status != "killed":
            print(f"{outcome.status}: {module}:{each.line}: {each.before} -> {each.after} {outcome.text}", flush=True)
    print(f"{module}: {dict(counts)}", flush=True)
    if counts["error"]:
        raise SystemExit(f"{module}: {counts['error']} errors of the runner: no figures")
    return {
        "module": module,
        "source": name_source(path),
        "possible": len(every),
        "tried": len(chosen),
        "killed": counts["killed"],
        "timed out": counts["timed out"],
        "seconds": round(time.monotonic() - begin),
        "survivors": [
            dict(zip(("number", "code", "change"), (each.number, *describe(each, source)), strict=True))
            for each in chosen
            if outcomes[each.number].status == "survived"
        ],
    }


def describe(mutation: Mutation, source: str) -> tuple[str, str]:
    """Return the function and the line of a mutation, and what it makes of it, as modules.toml spells them."""
    line = source.splitlines()[mutation.line - 1].strip()
    return f"{mutation.owner or 'module'}: {line}", f"{mutation.before} -> {mutation.after}"


def name_source(path: Path) -> str:
    """Return the beginning of what ``git hash-object`` says of a file."""
    content = path.read_bytes()
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()[:12]


def list_changed() -> list[str]:
    """Return the modules whose figures are of another text than theirs today, or that have none."""
    figures = read_figures()
    return [each for each in MODULES if figures.get(each, {}).get("source") != name_source(ROOT / each)]


def is_explained(told: dict[str, Any], survivor: dict[str, Any]) -> bool:
    """Tell whether modules.toml says why a survivor needs no test."""
    return any([survivor["code"], survivor["change"]] in each["changes"] for each in told.get("explained", ()))


def read_figures() -> dict[str, dict[str, Any]]:
    """Return the figures of each module that has some."""
    found = json.loads(FIGURES.read_text(encoding="utf-8")) if FIGURES.exists() else []
    return {each["module"]: each for each in found if each["module"] in MODULES}


def main() -> None:
    """Run the modules, each in a process of its own, and write the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("modules", nargs="*", default=[*MODULES])
    parser.add_argument("--most", type=int, default=10_000, help="mutants of a module, a sample if it has more")
    parser.add_argument("--again", action="store_true", help="unexplained survivors too, after tests were added")
    parser.add_argument("--fresh", action="store_true", help="import the module anew for each; slow, writes nothing")
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        os.chdir(ROOT)
        for name in ("numpy", "pandas", "pyarrow.compute", "pyarrow.parquet", "scipy.special", "scipy.stats"):
            importlib.import_module(name)  # once, for all mutants that import their module anew
        numbers, file = json.loads(given.one[0]), Path(given.one[1])
        module = given.modules[0]
        file.write_text(json.dumps(mutate(ROOT, module, MODULES[module], numbers, fresh=given.fresh)), encoding="utf-8")
        return
    for module in given.modules:
        path = ROOT / module
        before = {} if given.fresh else read_figures().get(module, {})
        possible = len(list_mutations(path.read_text(encoding="utf-8")))
        if (before.get("source"), before.get("possible")) != (name_source(path), possible):
            before = {"tried": 0, "killed": 0, "timed out": 0, "seconds": 0, "survivors": []}
        # A larger sample contains a smaller one, which need not be run again.
        order = random.Random(0).sample(range(possible), possible)  # noqa: S311 - no secret
        alive = before["survivors"]
        again = [one for one in alive if given.again and not is_explained(MODULES[module], one)]
        numbers = [*(one["number"] for one in again), *order[before["tried"] : given.most]]
        new = _run_alone(module, numbers, fresh=given.fresh)
        if not given.fresh:
            added = {name: before[name] + new[name] for name in ("killed", "timed out", "seconds")}
            left = [one for one in alive if one not in again]
            survivors = sorted([*left, *new["survivors"]], key=lambda one: one["number"])
            tried = max(before["tried"], min(given.most, possible))
            write_figures({**read_figures(), module: {**new, "tried": tried, **added, "survivors": survivors}})


def _run_alone(module: str, numbers: list[int], *, fresh: bool) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        written = Path(folder, "figures")
        command = [sys.executable, __file__, module, "--one", json.dumps(numbers), str(written)]
        command += ["--fresh"] if fresh else []
        # This checkout's code, whatever is installed.
        paths = os.pathsep.join([str(ROOT), str(ROOT / "builder")])
        own = {"HYPOTHESIS_PROFILE": "mutants", "TMPDIR": folder, "PYTHONPATH": paths}
        if subprocess.run(command, check=False, env={**os.environ, **own}).returncode:
            raise SystemExit(f"{module}: no figures")
        found: dict[str, Any] = json.loads(written.read_text("utf-8"))
        return found


def write_figures(figures: dict[str, dict[str, Any]]) -> None:
    """Write them in the order of modules.toml, with what it explains, and with their sums."""
    for module, each in figures.items():
        each["survived"] = len(each["survivors"])
        each["explained"] = sum(is_explained(MODULES[module], one) for one in each["survivors"])
    rows = [figures[name] for name in MODULES if name in figures]
    total = {name: sum(row[name] for row in rows) for name in _COUNTED}
    for row in [*rows, total]:
        noticed = row["killed"] + row["timed out"]
        row["noticed"] = f"{noticed / (row['tried'] or 1):.1%}"
        row["of those not explained"] = f"{noticed / ((row['tried'] - row['explained']) or 1):.1%}"
    rows.append({"module": "all", **total})
    FIGURES.write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
