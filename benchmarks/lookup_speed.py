"""How long a user waits for the first number: import, first constant, and the command line, from a cold start.

Run: python benchmarks/lookup_speed.py [--runs 15]

Each program runs in a process of its own, in turn with a bare Python start, and the median is given with the
difference to that start.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time

PROGRAMS = {
    "bare Python": "pass",
    "import numpy": "import numpy",
    "import rankconst": "import rankconst",
    "first constant": "import rankconst; rankconst.load().constants('fb15k237', 'mrr').index(0.338)",
    "rankconst adjust": "import sys; sys.argv[1:] = 'adjust 0.338 --dataset fb15k237 --metric mrr'.split(); "
    "from rankconst.cli import main; main()",
}


def time_program(program: str) -> float:
    """Return the milliseconds of one run."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", program], check=True, stdout=subprocess.DEVNULL)
    return (time.perf_counter() - start) * 1000


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=15)
    runs = parser.parse_args().runs
    times: dict[str, list[float]] = {name: [] for name in PROGRAMS}
    for _ in range(runs):
        for name, program in PROGRAMS.items():
            times[name].append(time_program(program))
    bare = statistics.median(times["bare Python"])
    print("| program | median | over bare Python |\n|---|---|---|")
    for name, values in times.items():
        median = statistics.median(values)
        print(f"| {name} | {median:.0f} ms | {median - bare:.0f} ms |")


if __name__ == "__main__":
    main()
