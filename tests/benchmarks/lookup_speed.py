"""What the first number costs: import, first constant, and the command line, from a cold start, in processor time.

Run: python tests/benchmarks/lookup_speed.py [--runs 15]

Each program runs in a process of its own, in turn with a bare Python start, and the median is given
with the difference to that start, also in units of what numpy alone takes. One run before the others is not
counted: it compiles what has no bytecode yet, as an installation does.
"""

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile

BARE, NUMPY = "bare Python", "import numpy"
PROGRAMS = {
    BARE: ("-c", "pass"),
    NUMPY: ("-c", "import numpy"),
    "import pyarrow.parquet": ("-c", "import pyarrow.parquet"),
    "import rankconst": ("-c", "import rankconst"),
    "the standard library": ("-c", "import dataclasses, decimal, enum, hashlib, json, pathlib, re, signal, typing"),
    "rankconst.constants": ("-c", "import rankconst; rankconst.constants('fb15k237', 'mrr')"),
    "rankconst adjust": ("-m", "rankconst", "adjust", "0.338", "--dataset", "fb15k237", "--metric", "mrr"),
    "rankconst show": ("-m", "rankconst", "show", "fb15k237", "mrr"),
    "completion": ("-m", "rankconst"),
}  # fmt: skip
"""Name to the arguments of Python."""

COMPLETED = {
    "_RANKCONST_COMPLETE": "complete_bash",
    "COMP_WORDS": "rankconst\nadjust\n0.338\n--dataset\nfb15",
    "COMP_CWORD": "4",
}
"""What bash sets to ask what completes the name of a dataset."""


def time_program(arguments: tuple[str, ...], environment: dict[str, str]) -> float:
    """Return the milliseconds of the processor of one run."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL, env=environment
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000


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
        environments = dict.fromkeys(PROGRAMS, environment)
        environments["completion"] = environment | COMPLETED
        for name, program in PROGRAMS.items():
            time_program(program, environments[name])
        for _ in range(runs):
            for name, program in PROGRAMS.items():
                times[name].append(time_program(program, environments[name]))
    bare = statistics.median(times[BARE])
    numpy = statistics.median(times[NUMPY]) - bare
    print("| program | median | over bare Python | over import numpy |\n|---|---|---|---|")
    for name in PROGRAMS:
        median = statistics.median(times[name])
        over = median - bare
        print(f"| {name} | {median:.0f} ms | {over:.0f} ms | {over / numpy:.2f} |")


if __name__ == "__main__":
    main()
