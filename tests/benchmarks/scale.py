"""What reading and counting cost as graphs grow, in CPU seconds and memory, next to pandas, Polars, DuckDB and PyKEEN.

Run: python tests/benchmarks/scale.py [--sizes fb15k237,yago310] [--methods build,count,pandas]
[--form ids] [--runs 3] [--labels numbered,uuids] [--splits train,valid,test] [--folder DIR]
[--pykeen PYTHON]

Graphs are made up, from a fixed seed: relations and entities as skewed as those of the benchmarks
that they are named after, and as large. ``wikidata5m/10`` is a tenth of wikidata5m. Every method
reads the same files, of labels in TSV or of ids in Parquet, in a process of its own; all but
``build`` count the candidates of some splits, valid and test unless told otherwise, under protocol
standard, on both sides, and must agree: the histograms are the same whatever the labels are.
Methods whose package is missing are left out. Methods take turns, and of the runs of each the one
that took least CPU is told. The result is JSON, a line a size, kind of labels and method.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import itertools
import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq


@dataclass(frozen=True)
class Size:
    """How large a graph is."""

    entities: int
    relations: int
    triples: int
    held_out: int  # triples of valid, and of test

    def shrink(self, divisor: int) -> Size:
        """Return a graph with a fraction of the entities and triples, the same density, relations
        and skew.
        """
        return Size(
            self.entities // divisor, self.relations, self.triples // divisor, self.held_out
        )


SIZES = {
    "fb15k237": Size(14_541, 237, 272_115, 20_000),
    "yago310": Size(123_182, 37, 1_079_040, 5_000),
    "wikidata5m": Size(4_594_485, 822, 20_614_279, 5_000),
    "wikikg2": Size(2_500_604, 535, 16_109_182, 500_000),
    "freebase86m": Size(86_054_151, 14_824, 338_586_276, 30_000),
}
"""Size to the graph that it resembles. The last one needs 9 GB of disk."""

SEED = 20
CHUNK = 1 << 20


def make(size: Size, folder: Path, form: str, labels: str) -> None:
    """Write a graph as train, valid and test."""
    generator = np.random.default_rng(SEED)
    if form == "tsv":
        entities, relations = (
            LABELS[labels](size.entities, "Q"),
            LABELS[labels](size.relations, "P"),
        )
        named = (entities, relations, entities)
    for name, rows in (("train", size.triples), ("valid", size.held_out), ("test", size.held_out)):
        partial = folder / f"{name}.part"
        schema = pa.schema(
            [(column, pa.string() if form == "tsv" else pa.int32()) for column in "hrt"]
        )
        options = pa_csv.WriteOptions(include_header=False, delimiter="\t", quoting_style="none")
        with (
            pa_csv.CSVWriter(partial, schema, write_options=options)
            if form == "tsv"
            else pq.ParquetWriter(partial, schema, compression="lz4", use_dictionary=False)
        ) as writer:
            for start in range(0, rows, CHUNK):
                triples = draw(size, min(CHUNK, rows - start), generator)
                columns = [
                    named[place].take(pa.array(codes))
                    if form == "tsv"
                    else pa.array(codes.astype(np.int32))
                    for place, codes in enumerate(triples)
                ]
                writer.write_table(pa.table(columns, schema=schema))
        partial.rename(folder / f"{name}.{form}")


def draw(size: Size, rows: int, generator: np.random.Generator) -> tuple[np.ndarray, ...]:
    """Draw triples: few relations and entities make up most of them, tails more so than heads."""
    relation = (size.relations * generator.random(rows) ** 4).astype(np.int64)
    head = (size.entities * generator.random(rows) ** 1.5).astype(np.int64)
    # Each relation has its own range of tails, the larger the rarer it is.
    span = np.maximum(size.entities // (1 + size.relations - relation), 2)
    local = (span * generator.random(rows) ** 3).astype(np.int64)
    tail = (
        np.where(generator.random(rows) < 0.5, local * 31 + relation * 7919, head * 3 + local)
        % size.entities
    )
    # Labels must not follow frequency.
    return head * 2_654_435_761 % size.entities, relation, tail


def name_uuids(count: int, letter: str) -> pa.StringArray:
    """Return labels of 36 characters."""
    numbers = (
        np.random.default_rng(ord(letter)).integers(0, 1 << 64, (count, 2), np.uint64).tolist()
    )
    return pa.array([str(uuid.UUID(int=high << 64 | low)) for high, low in numbers])


LABELS = {
    "numbered": lambda count, letter: pa.array([f"{letter}{number}" for number in range(count)]),
    "uuids": name_uuids,
}  # fmt: skip
"""Kind of labels to what makes as many, of entities (Q) or relations (P)."""


AGREED = """
import hashlib, sys
import numpy as np
from pathlib import Path
folder, form, splits = Path(sys.argv[1]), sys.argv[2], sys.argv[3].split(",")
roles = ("train", "valid", "test")
def agree(histograms):
    # Histograms: of each split, of head and tail, as two columns each, the most candidates first.
    digest = hashlib.sha256()
    for sizes, tasks in histograms:
        digest.update(np.ascontiguousarray(sizes, np.int64).tobytes() + np.ascontiguousarray(tasks, np.int64).tobytes())
    print(digest.hexdigest()[:16])
"""

COUNT = """
from dataclasses import replace
from rankconst.catalogue.protocols import PROTOCOLS
from rankconst_builder.candidates import count_protocols
from rankconst_builder.columnar import encode_ids, encode_text, open_columns
from rankconst_builder.fetch import read_local
from rankconst_builder.graph import encode_labels
from rankconst_builder.own_files import read_own
from rankconst_builder.tallies import tally_protocols
names = {role: folder / f"{role}.{form}" for role in roles}
columns = {role: open_columns(path) for role, path in names.items()}
graph = (encode_ids(columns) or encode_text(columns)) if all(columns.values()) else None
if graph is None:
    files = {role: read_local(path).data for role, path in names.items()}
    graph = encode_labels(read_own(files, {role: str(path) for role, path in names.items()})[0])
# Nobody else here counts candidates for relations.
graph = replace(graph, inductive=True)
standard = [PROTOCOLS["standard"]]
counts = count_protocols(graph, standard, {*splits} - {"train"})
tallies = {split: count.tallies for (_, split), count in counts.items()}
if "train" in splits:
    tallies["train"] = tally_protocols(graph, standard, "train")["standard"]
found = [tallies[split][side].histogram() for split in splits for side in ("head", "tail")]
agree((one.num_candidates[::-1], one.num_tasks[::-1]) for one in found)
"""

PANDAS = """
import pandas as pd
if form == "parquet":
    read = lambda name: pd.read_parquet(folder / f"{name}.parquet")
else:
    read = lambda name: pd.read_csv(folder / f"{name}.tsv", sep="\\t", names=list("hrt"), na_filter=False)
parts = {name: read(name) for name in roles}
known = pd.concat(parts.values(), ignore_index=True)
entities = pd.concat([known.h, known.t]).nunique()
found = []
for split in splits:
    for side, anchor in (("h", "t"), ("t", "h")):
        asked = parts[split][[anchor, "r"]]
        answers = known.merge(asked.drop_duplicates())[["h", "r", "t"]].drop_duplicates()
        number = answers.groupby([anchor, "r"]).size().rename("n").reset_index()
        sizes = entities + 1 - asked.merge(number).n
        tasks = sizes.value_counts().sort_index(ascending=False)
        found.append((tasks.index.to_numpy(), tasks.to_numpy()))
agree(found)
"""

POLARS = """
import polars as pl
if form == "parquet":
    scan = lambda name: pl.scan_parquet(folder / f"{name}.parquet")
else:
    scan = lambda name: pl.scan_csv(
        folder / f"{name}.tsv", separator="\\t", has_header=False, new_columns=["h", "r", "t"],
        schema_overrides=[pl.String] * 3, quote_char=None,
    )
known = pl.concat([scan(name) for name in roles])
entities = pl.concat([known.select(x="h"), known.select(x="t")]).select(pl.col("x").n_unique())
asked = [(scan(split), anchor) for split in splits for anchor in ("t", "h")]
plans = []
for rows, anchor in asked:
    keys = rows.select(anchor, "r")
    answers = known.join(keys.unique(), on=[anchor, "r"], how="semi").unique()
    number = answers.group_by(anchor, "r").agg(n=pl.len())
    plans.append(keys.join(number, on=[anchor, "r"]).group_by("n").agg(c=pl.len()))
total, *tables = pl.collect_all([entities, *plans], engine="streaming")
tables = [table.sort("n") for table in tables]
agree((total.item() + 1 - table["n"].to_numpy().astype(np.int64), table["c"].to_numpy()) for table in tables)
"""

DUCKDB = """
import duckdb
database = duckdb.connect()
database.execute("set enable_progress_bar = false")
text = "header=false, delim='\\t', quote='', escape='', all_varchar=true, names=['h', 'r', 't']"
for name in roles:
    if form == "parquet":
        database.execute(f"create view {name} as from read_parquet('{folder}/{name}.parquet')")
    else:
        database.execute(f"create table {name} as from read_csv('{folder}/{name}.tsv', {text})")
database.execute("create view known as from train union all from valid union all from test")
entities = database.execute("select count(distinct x) from (select h x from known union all select t from known)")
total = entities.fetchall()[0][0]
found = []
for split in splits:
    for anchor in "th":
        rows = database.execute(
            f"with answers as (select distinct h, r, t from known semi join {split} using ({anchor}, r)), "
            f"numbers as (select {anchor}, r, count(*) n from answers group by all) "
            f"select n, count(*) c from {split} join numbers using ({anchor}, r) group by n order by n"
        ).fetchnumpy()
        found.append((total + 1 - rows["n"].astype(np.int64), rows["c"]))
agree(found)
"""

PYKEEN = """
import pandas as pd
import torch
from pykeen.evaluation.evaluator import get_candidate_set_size
if form == "parquet":
    parts = {name: pd.read_parquet(folder / f"{name}.parquet") for name in roles}
else:
    read = lambda name: pd.read_csv(folder / f"{name}.tsv", sep="\\t", names=list("hrt"), na_filter=False)
    parts = {name: read(name) for name in roles}
    rows = pd.concat(parts.values(), ignore_index=True)
    entities = pd.factorize(pd.concat([rows.h, rows.t]))[0].reshape(2, -1)
    coded = pd.DataFrame({"h": entities[0], "r": pd.factorize(rows.r)[0], "t": entities[1]})
    ends = np.cumsum([len(part) for part in parts.values()])[:-1]
    parts = dict(zip(roles, (coded.iloc[each] for each in np.split(np.arange(len(coded)), ends))))
triples = {name: torch.as_tensor(part.to_numpy(np.int64)) for name, part in parts.items()}
found = []
for split in splits:
    others = [triples[name] for name in roles if name != split]
    counts = get_candidate_set_size(triples[split], additional_filter_triples=others)
    for side in ("head", "tail"):
        # PyKEEN leaves out the true answer itself.
        tasks = (counts[f"{side}_candidates"].astype(np.int64) + 1).value_counts().sort_index(ascending=False)
        found.append((tasks.index.to_numpy(), tasks.to_numpy()))
agree(found)
"""

BUILD = "from rankconst.cli import main; main()"

DECODE = """
import pyarrow.parquet as pq
for role in roles:
    file = pq.ParquetFile(folder / f"{role}.parquet", pre_buffer=False)
    rows = sum(len(batch) for batch in file.iter_batches(1 << 20, use_threads=False))
print("nothing counted")
"""

METHODS = {
    "build": BUILD, "count": COUNT, "duckdb": DUCKDB, "polars": POLARS, "pandas": PANDAS, "pykeen": PYKEEN,
    "decode": DECODE,
}  # fmt: skip
ROLES = ("train", "valid", "test")


def find_size(name: str) -> Size:
    """Return the size of a name such as wikidata5m/10."""
    base, _, divisor = name.partition("/")
    return SIZES[base].shrink(int(divisor or 1))


def prepare(name: str, folder: Path, form: str, labels: str) -> Path:
    """Make a graph unless it is there, in another process: peak memory is passed on to children."""
    home = folder / f"{name.replace('/', '-')}-{labels}"
    home.mkdir(parents=True, exist_ok=True)
    if not all((home / f"{role}.{form}").is_file() for role in ROLES):
        process = multiprocessing.get_context("spawn").Process(
            target=make, args=(find_size(name), home, form, labels)
        )
        process.start()
        process.join()
        if process.exitcode:
            sys.exit(f"{name} could not be made")
    return home


def measure(
    method: str, home: Path, form: str, splits: str, options: list[str], *, python: str
) -> dict[str, Any]:
    """Run a method in a process of its own; return CPU and wall seconds, peak MiB and what it
    agreed on.
    """
    with tempfile.TemporaryDirectory() as out:
        files = [str(home / f"{role}.{form}") for role in ROLES]
        build = ["build", *files, "--name", "scale", "--out", out, "--splits", splits, *options]
        program, arguments = (
            (BUILD, build)
            if method == "build"
            else (AGREED + METHODS[method], [str(home), form, splits])
        )
        start = time.perf_counter()
        with tempfile.TemporaryFile() as printed, tempfile.TemporaryFile() as errors:
            process = subprocess.Popen(
                [python, "-c", program, *arguments], stdout=printed, stderr=errors
            )
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            for stream in (printed, errors):
                stream.seek(0)
            told = printed.read().decode().strip()
            if process.returncode:
                return {"failed": errors.read().decode()[-300:] or f"exit {process.returncode}"}
        histograms = hash_table(Path(out) / "candidates.parquet") if method == "build" else told
    return {
        "cpu": round(usage.ru_utime + usage.ru_stime, 2),
        "wall": round(time.perf_counter() - start, 2),
        "mib": usage.ru_maxrss >> 10,
        "histograms": histograms,
    }


def hash_table(path: Path) -> str:
    """Hash the rows of a table."""
    rows = pq.read_table(path, use_threads=False).to_pylist()
    return hashlib.sha256(json.dumps(rows).encode()).hexdigest()[:16]


def main() -> None:
    """Print a line of JSON for every size and method: of several runs, the one that took least CPU."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", default="fb15k237,yago310", help=", ".join(SIZES))
    parser.add_argument("--methods", default=",".join(METHODS))
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--form", default="tsv", choices=("tsv", "parquet"), help="labels, or ids")
    parser.add_argument("--labels", default="numbered", help=f"of text: {', '.join(LABELS)}")
    parser.add_argument("--splits", default="valid,test", help="whose candidates are counted")
    parser.add_argument("--folder", type=Path, help="where graphs are kept, for the next run, too")
    parser.add_argument("--pykeen", metavar="PYTHON", help="an interpreter that has PyKEEN")
    parser.add_argument("--build", default="", help="further options of rankconst build")
    options = parser.parse_args()
    others = ("duckdb", "polars", "pandas")
    absent = {method for method in others if importlib.util.find_spec(method) is None}
    absent |= {"pykeen"} if options.pykeen is None else set()
    methods = [method for method in options.methods.split(",") if method not in absent]
    with tempfile.TemporaryDirectory() as folder:
        for name, labels in itertools.product(options.sizes.split(","), options.labels.split(",")):
            home = prepare(name, options.folder or Path(folder), options.form, labels)
            runs: dict[str, list[dict[str, Any]]] = {method: [] for method in methods}
            for method in methods * options.runs:
                python = options.pykeen if method == "pykeen" else sys.executable
                asked = (method, home, options.form, options.splits, options.build.split())
                runs[method].append(measure(*asked, python=python))
            what = {"size": name, "triples": find_size(name).triples, "form": options.form}
            what |= {"labels": labels, "splits": options.splits}
            for method in methods:
                best = min(runs[method], key=lambda run: run.get("cpu", float("inf")))
                print(json.dumps({**what, "method": method, **best}), flush=True)


if __name__ == "__main__":
    main()
