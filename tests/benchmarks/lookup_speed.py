"""What the first number costs: import, first constant, and the command line, from a cold start, in processor time.

Run: python tests/benchmarks/lookup_speed.py [--runs 15]

Each program runs in a process of its own, in turn with a bare Python start, and the median is given with the
difference to that start and its target; numpy alone is timed, too. One run before the others is not counted: it
compiles what has no bytecode yet, as an installation does.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass


@dataclass(frozen=True)
class Program:
    """What is timed."""

    arguments: tuple[str, ...]  # of Python
    target: int | None = None  # milliseconds that the median should stay below; None for programs to compare with
    over_bare: bool = True  # whether the target is for the difference to a bare start


BARE = "bare Python"
PROGRAMS = {
    BARE: Program(("-c", "pass")),
    "import numpy": Program(("-c", "import numpy")),
    "import pyarrow.parquet": Program(("-c", "import pyarrow.parquet")),
    "import rankconst": Program(("-c", "import rankconst"), 60),
    "first constant": Program(("-c", "import rankconst; rankconst.load().constants('fb15k237', 'mrr')"), 150),
    "rankconst adjust": Program(
        ("-m", "rankconst", "adjust", "0.338", "--dataset", "fb15k237", "--metric", "mrr"), 500, over_bare=False
    ),
}


def time_program(program: Program, environment: dict[str, str]) -> float:
    """Return the milliseconds of the processor of one run."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *program.arguments], check=True, stdout=subprocess.DEVNULL, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000


def compare(program: Program, median: float, bare: float) -> str:
    """Say what the target is, and whether the median meets it."""
    if program.target is None:
        return ""
    reached = median - bare if program.over_bare else median
    outcome = "met" if reached < program.target else "missed"
    return f"< {program.target} ms {'over bare' if program.over_bare else 'in all'}: {outcome}"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=15)
    runs = parser.parse_args().runs
    times: dict[str, list[float]] = {name: [] for name in PROGRAMS}
    environment = dict(os.environ)
    with tempfile.TemporaryDirectory() as cache:
        if environment.pop("PYTHONDONTWRITEBYTECODE", ""):
            environment["PYTHONPYCACHEPREFIX"] = cache  # no bytecode where it is not wanted
        for program in PROGRAMS.values():
            time_program(program, environment)
        for _ in range(runs):
            for name, program in PROGRAMS.items():
                times[name].append(time_program(program, environment))
    bare = statistics.median(times[BARE])
    print("| program | median | over bare Python | target |\n|---|---|---|---|")
    for name, program in PROGRAMS.items():
        median = statistics.median(times[name])
        print(f"| {name} | {median:.0f} ms | {median - bare:.0f} ms | {compare(program, median, bare)} |")


if __name__ == "__main__":
    main()
