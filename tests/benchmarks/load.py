"""Time and memory of ``rankconst adjust`` as its input doubles: ``python tests/benchmarks/load.py [CASE ...]``.

Each file is read by a process of its own. Growth is the time of a file by that of half of it: 2 or less is in
proportion. What is over a limit has the message in place of its numbers.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

HEAD = "model,dataset,MRR,MR,Hits@1,Hits@3,Hits@10\n"


def _repeat(line: str) -> Callable[[int], Iterator[str]]:
    return lambda size: (line.format(i=i, d=i % 7 + 2) for i in range(size))


def _rows(size: int) -> Iterator[str]:
    yield HEAD
    yield from _repeat("M{i},nations,0.{d}5,{d}.25,0.{d}1,0.{d}6,0.{d}9\n")(size)


def _columns(size: int) -> Iterator[str]:
    yield "model,dataset," + ",".join(f"Hits@{k}" for k in range(1, size + 1))
    yield "\nA,nations" + ",0.5" * size + "\n"


def _unknown_columns(size: int) -> Iterator[str]:
    yield "model,dataset,MRR," + ",".join(f"thing{k}" for k in range(size))
    yield "\nA,nations,0.5" + ",x" * size + "\n"


def _unknown_names(size: int) -> Iterator[str]:
    yield "model,dataset,MRR\nA,nations,0.5\n"
    yield from _repeat("A,some unknown dataset {i},0.5\n")(size)


def _markdown(size: int) -> Iterator[str]:
    yield "| model | dataset | MRR |\n|---|---|---|\n"
    yield from _repeat("| M{i} | nations | 0.{d}5 |\n")(size)


def _latex(size: int) -> Iterator[str]:
    yield "\\begin{tabular}{lll}\nmodel & dataset & MRR \\\\\n"
    yield from _repeat("M{i} & nations & 0.{d}5 \\\\\n")(size)
    yield "\\end{tabular}\n"


def _prose(size: int) -> Iterator[str]:
    yield from _markdown(1)
    yield "\n" + "A line of prose of about eighty characters, as there are many in long documents.\n" * size


def _long_line(size: int) -> Iterator[str]:
    yield "| model | dataset | MRR |\n|---|---|---|\n| " + "ab " * size + "| nations | 0.5 |\n"


CASES: dict[str, tuple[str, int, Callable[[int], Iterator[str]]]] = {
    "rows of five metrics": (".csv", 62_500, _rows),
    "columns": (".csv", 1_250, _columns),
    "columns that are unknown": (".csv", 2_500, _unknown_columns),
    "datasets that are unknown": (".csv", 1_250, _unknown_names),
    "rows of Markdown": (".md", 5_000, _markdown),
    "rows of LaTeX": (".tex", 5_000, _latex),
    "lines of prose": (".md", 25_000, _prose),
    "a line of Markdown": (".md", 700_000, _long_line),
    "lines of a log": (".log", 31_250, _repeat("epoch {i}: MRR: 0.{d}5\n")),
    "lines that end in a carriage return": (".log", 31_250, _repeat("MRR: 0.{d}5\r")),
    "lines of JSON": (".jsonl", 31_250, _repeat('{{"dataset": "nations", "model": "M{i}", "mrr": 0.{d}5}}\n')),
}
"""Name of a case to the ending of its files, its smallest size, and what writes the text of a size."""


def measure(path: Path) -> dict[str, Any]:
    """Adjust a file; return the seconds of the processor, the largest memory, and what was said at the end."""
    out = path.with_name("out.csv")
    command = [sys.executable, "-m", "rankconst", "adjust", str(path), "-d", "nations", "-o", str(out), "--force"]
    with tempfile.TemporaryFile() as said:
        child = subprocess.Popen(command, stdout=said, stderr=said)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        last = said.read().decode("utf-8", "replace").strip().rpartition("\n")[2]
    return {
        "bytes": path.stat().st_size,
        "seconds": round(used.ru_utime + used.ru_stime, 2),
        "megabytes": used.ru_maxrss // 1024,
        "refused": "" if child.returncode == 0 else last,
    }


def main() -> None:
    """Measure some cases and print a table; with --out write the figures, too."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", nargs="*", help=f"of: {', '.join(CASES)}")
    parser.add_argument("--doublings", type=int, default=3)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    print("| input | size | MB | seconds | memory, MB | growth |\n|---|---:|---:|---:|---:|---:|")
    figures: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        for name in options.cases or CASES:
            suffix, smallest, make = CASES[name]
            path, before = Path(folder, f"a{suffix}"), 0.0
            for size in (smallest * 2**i for i in range(options.doublings + 1)):
                with path.open("w", encoding="utf-8", newline="") as file:
                    file.writelines(make(size))
                found = measure(path)
                growth = f"{found['seconds'] / before:.1f}" if before else ""
                before = found["seconds"]
                figures.append({"input": name, "size": size, **found, "date": time.strftime("%Y-%m-%d", time.gmtime())})
                told = found["refused"] or f"{found['seconds']} | {found['megabytes']} | {growth}"
                print(f"| {name} | {size:,} | {found['bytes'] / 1e6:.1f} | {told} |", flush=True)
    if options.out is not None:
        options.out.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
