"""Measure how long many published numbers take, and how much longer than a program by hand.

    python tests/benchmarks/adjust_speed.py

The medians of five runs, in processor time, in turn with the program by hand: DataFrames of a million
rows with five metrics, as text of four decimals and as floats, of five graphs and of 76, each with a
column of datasets and one of distinct names of models; and a CSV file of 80,000 rows on the command
line. By hand, pandas merges the rows with two constants for each metric, parses the numbers, and
writes what ``rankconst.adjust`` does: a column for each metric, and the protocol. A file is read,
multiplied and written. It checks nothing. A line compares JSON Lines of 80,000 numbers with the same
numbers as CSV. The last lines compare commands, and calls, with others on the same input.
"""

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import csv

import rankconst

ROWS, LINES, RUNS = 1_000_000, 80_000, 5
DATASETS = ("FB15k-237", "wn18rr", "kinships", "umls", "codexsmall")
MANY = 76
METRICS = ("MRR", "Hits@1", "Hits@3", "Hits@10", "Hits@50")


def make_frame(rows: int, datasets: Sequence[str] = DATASETS) -> pd.DataFrame:
    """Return a table of results that ranks may have."""
    random = np.random.default_rng(20261121)
    one, three, ten, fifty = np.sort(random.uniform(0.3, 0.9, (4, rows)), axis=0)
    mrr = one + 0.4 * (three - one) + 0.18 * (ten - three) + 0.05 * (fifty - ten)
    named = np.array(datasets)[random.integers(0, len(datasets), rows)]
    frame = pd.DataFrame({"dataset": named})
    frame["model"] = [f"model-{i:07d}" for i in range(rows)]
    for name, values in zip(METRICS, (mrr, one, three, ten, fifty), strict=True):
        frame[name] = [f"{value:.4f}" for value in values]
    return frame


def adjust_least(frame: pd.DataFrame) -> pd.DataFrame:
    """Merge with the constants of each metric, parse, and form a column for each metric."""
    constants = pd.DataFrame({"dataset": frame["dataset"].unique()})
    for name in METRICS:
        constants[f"{name}_scale"], constants[f"{name}_offset"] = 1.1, 0.1
    merged = frame.merge(constants, on="dataset", how="left")
    added: dict[str, Any] = {}
    for name in METRICS:
        value = pd.to_numeric(merged[name])
        added[f"A{name}"] = value * merged[f"{name}_scale"] + merged[f"{name}_offset"]
    added["protocol"] = "standard"
    return pd.concat([frame, pd.DataFrame(added, index=frame.index)], axis="columns")


def write_least(source: str, target: str) -> None:
    """Read, multiply and write."""
    table = csv.read_csv(source)
    datasets = table["dataset"].combine_chunks().dictionary_encode().indices.to_numpy()
    scale, offset = np.linspace(1.0, 1.1, len(DATASETS)), np.linspace(0.0, 0.1, len(DATASETS))
    for name in METRICS:
        formed = table[name].to_numpy() * scale[datasets] + offset[datasets]
        table = table.append_column(f"A{name}", pa.array(formed))
    csv.write_csv(table, target)


def adjust(source: str, target: str) -> float:
    """Return the processor time of a command that adjusts a file."""
    Path(target).unlink(missing_ok=True)
    return run("-m", "rankconst", "adjust", source, "-f", "csv", "-o", target)


def compare_files(folder: Path) -> None:
    """Print how long a CSV file takes, and how much longer the same numbers in JSON Lines."""
    source, target, least = (str(folder / name) for name in ("x.csv", "y.csv", "z.csv"))
    make_frame(LINES).to_csv(source, index=False)
    take_turns(
        f"a file of {LINES:,} rows",
        lambda: adjust(source, target),
        lambda: run(__file__, source, least),
    )
    frame = make_frame(LINES // len(METRICS))
    rows, records = str(folder / "rows.csv"), str(folder / "records.jsonl")
    frame.to_csv(rows, index=False)
    numbers = frame.astype(dict.fromkeys(METRICS, float))
    numbers.to_json(records, orient="records", lines=True)
    take_turns(
        f"JSON Lines of {LINES:,} numbers, over CSV",
        lambda: adjust(records, target),
        lambda: adjust(rows, target),
    )


def write_inputs(folder: Path) -> None:
    """Write the inputs of the commands that are compared."""
    tables = rankconst.load()
    titles = [tables.titles[key] for key in tables.datasets if "standard" in tables.protocols(key)]
    models = make_frame(60 * 15)
    models["dataset"] = titles[:15] * 60
    models["model"] = [f"model-{i // 15}" for i in range(len(models))]
    models.drop(columns=METRICS[-1]).to_csv(folder / "models.csv", index=False)
    rows = make_frame(5_000)
    lines = [" | ".join(cells) for cells in ([*rows], ["---"] * 7, *rows.to_numpy().tolist())]
    (folder / "rows.md").write_text("".join(f"| {line} |\n" for line in lines), encoding="utf-8")
    numbers = make_frame(30_000).astype(dict.fromkeys(METRICS, float)).drop(columns=METRICS[-1])
    numbers.to_json(folder / "records.json", orient="records")
    for run in range(21):
        metrics = {"inverse_harmonic_mean_rank": 0.4 + run / 100, "hits_at_10": 0.9 + run / 1000}
        told = json.dumps({"metrics": {"both": {"realistic": metrics}}})
        (folder / f"{run}.results.json").write_text(told, encoding="utf-8")


def compare_commands(folder: Path) -> None:
    """Print how much longer commands take than others on the same input."""
    write_inputs(folder)
    files = [f"{folder}/{run}.results.json" for run in range(21)]
    pykeen = ("adjust", "--dataset", "nations", "--tool", "pykeen")
    pairs = {
        "compare 60 models on 15 graphs, over adjust": (
            ("compare", f"{folder}/models.csv"),
            ("adjust", f"{folder}/models.csv"),
        ),
        "5,000 rows of Markdown on the screen, over CSV": (
            ("adjust", f"{folder}/rows.md"),
            ("adjust", f"{folder}/rows.md", "-f", "csv"),
        ),
        "verify Nations, over all": (
            ("tables", "verify", "--dataset", "nations"),
            ("tables", "verify"),
        ),
        "21 results.json of PyKEEN, over one": ((*pykeen, *files), (*pykeen, files[0])),
    }
    for what, (command, other) in pairs.items():
        calls = [partial(run, "-m", "rankconst", *each) for each in (command, other)]
        take_turns(what, *calls)


def evaluate_by_hand(ranks: np.ndarray, queries: np.ndarray) -> tuple[float, ...]:
    """Return MRR, recall@10 and average precision with numpy, of two right answers a query."""
    order = np.lexsort((ranks, queries))
    sorted_ranks = ranks[order].reshape(-1, 2)
    recall = (sorted_ranks <= 10).mean()
    return (1 / sorted_ranks[:, 0]).mean(), recall, (np.array([1, 2]) / sorted_ranks).mean()


def evaluate(ranks: np.ndarray, queries: np.ndarray) -> tuple[float, ...]:
    """Return the same by this package."""
    found = rankconst.from_ranks(ranks, queries=queries)
    return tuple(found.evaluate(name) for name in ("mrr", "recall@10", "map"))


def compare_calls(folder: Path) -> None:
    """Print how much longer calls take than a program by hand."""
    source = folder / "records.json"
    queries = np.repeat(np.arange(100_000), 2)
    ranks = 2.0 * np.random.default_rng(1).integers(1, 500, queries.size) - queries.argsort() % 2
    pairs: dict[str, tuple[Callable[[], object], ...]] = {
        "JSON of 30,000 records, over json.load and a DataFrame": (
            lambda: rankconst.adjust(source),
            lambda: rankconst.adjust(pd.DataFrame(json.loads(source.read_text("utf-8")))),
        ),
        "ranks of 100,000 queries, over numpy": (
            lambda: evaluate(ranks, queries),
            lambda: evaluate_by_hand(ranks, queries),
        ),
    }
    for what, (call, other) in pairs.items():
        take_turns(what, partial(time_call, call), partial(time_call, other))


def take_turns(what: str, call: Callable[[], float], other: Callable[[], float]) -> None:
    """Print the medians of what two calls say that they take, in turn."""
    times = [(call(), other()) for _ in range(RUNS)]
    taken, floor = (median(column) for column in zip(*times, strict=True))
    print(f"{what}: {taken:.2f} s, floor {floor:.2f} s, ratio {taken / floor:.1f}")


def time_call(call: Callable[[], object]) -> float:
    """Return the processor time of a call."""
    start = time.process_time()
    call()
    return time.process_time() - start


def run(*command: str) -> float:
    """Return the processor time of a program."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *command], check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def time_frame(what: str, frame: pd.DataFrame) -> None:
    """Print how long a DataFrame takes, and by hand."""
    calls = [partial(time_call, partial(each, frame)) for each in (rankconst.adjust, adjust_least)]
    take_turns(f"{what}, {len(frame):,} rows", *calls)


def main() -> None:
    """Print a line for each frame, one for the file, and one for JSON Lines."""
    tables = rankconst.load()
    standard = (key for key in tables.datasets if "standard" in tables.protocols(key))
    many = [tables.titles[key] for key in standard][:MANY]
    rankconst.adjust(make_frame(10))
    texts = make_frame(ROWS)
    time_frame("text", texts)
    time_frame("floats", texts.astype(dict.fromkeys(METRICS, float)))
    time_frame(f"text of {MANY} graphs", make_frame(ROWS, many))
    with tempfile.TemporaryDirectory() as folder:
        compare_files(Path(folder))
        compare_commands(Path(folder))
        compare_calls(Path(folder))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        write_least(*sys.argv[1:])
    else:
        main()
