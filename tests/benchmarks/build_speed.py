"""How long it takes from a benchmark's archive file to tables, as a whole process.

Run: python tests/benchmarks/build_speed.py [--runs 5]

Each dataset is built from its file for four protocols, three splits and three sides, with the cache
or a mirror (``RANKCONST_MIRROR``) warm, so that no download is timed. In turn with it, in the same
run, a plain Python program counts the same candidates in the usual way, with a dictionary of sets,
for one protocol and one split only. Last, one more small graph is built into a folder that holds 10,
and 1,000. CPU seconds are user plus system time of the process and its
threads; memory is its peak resident set.
"""

import argparse
import multiprocessing
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

import rankconst
from rankconst.tables.descriptor import COLUMNS
from rankconst_builder.package import Part, write_parts

DATASETS = ("fb15k237", "wn18rr")

BUILD = "from rankconst.cli import main; main()"

PLAIN = """
import sys
from collections import defaultdict
from rankconst.download import cache_folder
from rankconst_builder.fetch import Fetcher
from rankconst.catalogue.benchmarks import find_benchmark
source = find_benchmark(sys.argv[1])
fetcher = Fetcher(cache_folder(), mirror=sys.argv[2] or None)
triples = {
    role: [line.rstrip("\\r\\n").split("\\t") for line in fetcher.read(source.files[role]).data.decode().splitlines()]
    for role in ("train", "valid", "test")
}
tails, heads, entities = defaultdict(set), defaultdict(set), set()
for rows in triples.values():
    for h, r, t in rows:
        tails[h, r].add(t)
        heads[r, t].add(h)
        entities.update((h, t))
counts = [len(entities) - len(tails[h, r]) + 1 for h, r, t in triples["test"]]
counts += [len(entities) - len(heads[r, t]) + 1 for h, r, t in triples["test"]]
print(sum(counts) / len(counts))
"""


@dataclass(frozen=True)
class Usage:
    """What one run of a process used: CPU seconds and peak MiB."""

    cpu: float
    memory: float


def measure(*command: str) -> Usage:
    """Run a command to its end and return what it used."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    errors = process.stderr.read() if process.stderr else b""
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(errors.decode())
    return Usage(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def compare(dataset: str, runs: int) -> str:
    """Measure one dataset and return its row of the table."""
    built, plain = [], []
    with tempfile.TemporaryDirectory() as folder:
        chosen = ("--splits", "train,valid,test", "--baseline", "all", "--out", folder)
        build = (sys.executable, "-c", BUILD, "build", dataset, *chosen)
        count = (sys.executable, "-c", PLAIN, dataset, os.environ.get("RANKCONST_MIRROR", ""))
        if "RANKCONST_MIRROR" not in os.environ:
            measure(*build)  # the cache is warm after the first run
        for _ in range(runs):
            for path in Path(folder).glob("*"):
                path.unlink()
            built.append(measure(*build))
            plain.append(measure(*count))
    cpu = statistics.median(usage.cpu for usage in built)
    memory = max(usage.memory for usage in built)
    ratio = statistics.median(b.cpu / p.cpu for b, p in zip(built, plain, strict=True))
    counted = statistics.median(usage.cpu for usage in plain)
    return f"| {dataset} | {cpu:.1f} s | {memory:.0f} MiB | {counted:.1f} s | {ratio:.1f} |"


def build_small(folder: Path, name: str, out: Path) -> Usage:
    """Build a made-up graph of 400 triples into a folder."""
    generator = np.random.default_rng([*name.encode()])
    files = []
    for split, rows in (("train", 320), ("valid", 40), ("test", 40)):
        path = folder / f"{split}.tsv"
        drawn = generator.integers(0, (50, 5, 50), (rows, 3)).tolist()
        path.write_text("".join(f"e{h}\tr{r}\te{t}\n" for h, r, t in drawn), encoding="utf-8")
        files.append(str(path))
    return measure(sys.executable, "-c", BUILD, "build", *files, "--name", name, "--out", str(out))


def repeat_graph(folder: Path, graphs: int, out: Path) -> None:
    """Write a folder of some graphs, all like the one in another folder but for their names."""
    held, parts = rankconst.load(folder), {}
    for key in [f"graph-{place:04d}" for place in range(graphs)]:
        tables = {}
        for name in COLUMNS:
            table = held.read(name)
            place, keys = table.schema.get_field_index("dataset"), pa.array([key] * len(table))
            tables[name] = table.set_column(place, table.schema.field(place), keys)
        parts[key] = Part(tables, {"origin": "files"})
    write_parts(out, None, parts)


def compare_folders(runs: int) -> str:
    """Measure one more graph next to 10 others and next to 1,000, and return a line."""
    used: dict[int, list[Usage]] = {10: [], 1_000: []}
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        build_small(folder, "one", folder / "one")
        for graphs in used:
            # In another process: peak memory is passed on to children.
            process = multiprocessing.get_context("spawn").Process(
                target=repeat_graph, args=(folder / "one", graphs, folder / str(graphs))
            )
            process.start()
            process.join()
        for graphs in [*used] * runs:
            out = shutil.copytree(folder / str(graphs), folder / "out")
            used[graphs].append(build_small(folder, "another", out))
            shutil.rmtree(out)
    few, many = [statistics.median(each.cpu for each in usages) for usages in used.values()]
    memory = max(usage.memory for usage in used[1_000])
    return (
        f"One more graph next to 10 others takes {few:.1f} s, next to 1,000 {many:.1f} s and "
        f"{memory:.0f} MiB: {many / few:.1f} times as long."
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    runs = parser.parse_args().runs
    print(
        "| dataset | CPU | peak memory | plain Python, one protocol and split | ratio |\n"
        "|---|---|---|---|---|"
    )
    for dataset in DATASETS:
        print(compare(dataset, runs), flush=True)
    print(compare_folders(runs))


if __name__ == "__main__":
    main()
