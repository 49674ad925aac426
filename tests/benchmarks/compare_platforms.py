"""Build the same tables with several Pythons, and print how far their numbers are apart, as tests/robustness.md has it.

Run: python tests/benchmarks/compare_platforms.py --mirror DIR PYTHON [PYTHON ...]. Each has
rankconst[builder]; the others are compared with the first. Each builds with one thread of OpenBLAS
and with two.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import rankconst
from rankconst.tables.descriptor import COLUMNS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rankconst.tables.archive import Tables

DATASETS = ("nations", "umls", "countries_s1", "wn18rr_v1", "fb15k237_v1_ind")
_TELL = """
import platform, numpy, pyarrow, pandas, scipy
found = [f"{module.__name__} {module.__version__}" for module in (numpy, pyarrow, pandas, scipy)]
print(", ".join([f"Python {platform.python_version()} ({platform.machine()})", *found]))
"""


def build(python: str, threads: int, mirror: str, out: Path) -> Tables:
    """Build the tables with a Python."""
    command = [python, "-m", "rankconst", "build", *DATASETS, "--out", str(out)]
    environment = {**os.environ, "RANKCONST_MIRROR": mirror, "OPENBLAS_NUM_THREADS": f"{threads}"}
    subprocess.run(command, check=True, capture_output=True, env=environment)
    return rankconst.load(out)


def compare(one: Tables, other: Tables) -> tuple[str, ...]:
    """Return how two sets differ: in which tables, in how many numbers, by how much, and in parts
    of the errors.
    """
    tables = [name for name in COLUMNS if not one.read(name).equals(other.read(name))]
    a, b = (tables.read("constants").to_pandas() for tables in (one, other))
    numbers, relative, stated = 0, 0.0, 0.0
    for name in ("expectation", "variance"):
        apart = np.abs(a[name].to_numpy() - b[name].to_numpy())
        errors = (a[f"{name}_error"] + b[f"{name}_error"]).to_numpy()
        numbers += int((apart > 0).sum())
        relative = max(relative, _largest_share(apart, np.abs(a[name].to_numpy())))
        stated = max(stated, _largest_share(apart, errors))
    return ", ".join(tables) or "none", f"{numbers:,}", f"{relative:.1e}", f"{stated:.1e}"


def _largest_share(apart: NDArray[np.float64], of: NDArray[np.float64]) -> float:
    return float(np.max(np.divide(apart, of, out=np.zeros_like(apart), where=apart > 0)))


def main() -> None:
    """Build, compare, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pythons", nargs="+", metavar="PYTHON")
    parser.add_argument("--mirror", required=True)
    options = parser.parse_args()
    print("| platform | tables that differ | numbers | largest difference | of the stated errors |")
    print("|---|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        first = None
        for place, python in enumerate(options.pythons):
            told = subprocess.run(
                [python, "-c", _TELL], check=True, capture_output=True, text=True
            ).stdout.strip()
            for threads in (1, 2):
                built = build(python, threads, options.mirror, Path(folder) / f"{place}-{threads}")
                first = first or built
                print(
                    f"| `{told}; threads: {threads}` | {' | '.join(compare(first, built))} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
