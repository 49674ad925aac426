"""Compute the archive again in another way, and compare: ``python tests/benchmarks/check_independently.py``.

Candidates are counted with dictionaries of sets, triple by triple; expectations and variances come
from tables of cumulative sums over ranks and, for IAMR and HMR, from the trapezoidal rule on a
logarithmic grid. Nothing of the builder's counting or of ``rankconst.moments`` is used. Needs the
benchmarks' files: a mirror (RANKCONST_MIRROR) or the cache.
"""

from __future__ import annotations

import argparse
import collections
import math
import os
import sys
import time
from typing import TYPE_CHECKING, Any

import numpy as np

import rankconst
from rankconst.catalogue.benchmarks import CONTEXT, load_benchmarks
from rankconst.download import MissingSourceError, cache_folder
from rankconst.tasks import Tasks
from rankconst_builder.fetch import Fetcher

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from rankconst.catalogue.benchmarks import Benchmark

    Values = NDArray[np.float64]
    Triple = tuple[Any, ...]

SPLITS = ("train", "valid", "test")
KS = (1, 3, 5, 10, 50, 100)
METRICS = ("mr", "mrr", "gmr", "igmr", "iamr", "hmr", *(f"hits@{k}" for k in KS))


def read(
    source: Benchmark, fetcher: Fetcher
) -> tuple[dict[str, list[Triple]], set[bytes], tuple[int, int]]:
    """Return the facts of each split as head, relation, tail and time; what else counts as seen;
    numbers stated.
    """
    found: dict[str, list[Triple]] = {}
    form, stated = source.format, (0, 0)
    for role, file in source.files.items():
        try:
            content = fetcher.read(file).data
        except MissingSourceError:
            # The build has made sure that a missing context makes no difference.
            if not (file.optional or role == CONTEXT):
                raise
            continue
        if role == "stat":
            stated = int(content.split()[0]), int(content.split()[1])
            continue
        content = content.replace(b"\r\n", b"\n").removeprefix(b"\xef\xbb\xbf")
        lines = content.rstrip(b"\n").split(b"\n")[1 if form.count_line else 0 :]
        places = [
            place
            for wanted in "hrtd"
            for place, column in enumerate(form.columns)
            if column == wanted
        ]
        cells = (line.split(form.delimiter.encode()) for line in lines)
        rows = ([cell.strip() for cell in row] for row in cells) if form.padded else cells
        found[role] = [tuple(row[place] for place in places) for row in rows]
        if form.qualified:
            # The relation of a statement is (relation, qualifier, entity, qualifier, ...): its
            # filter compares all.
            cells = (line.split(form.delimiter.encode()) for line in lines)
            found[role] = [(h, (r, *qualifiers), t) for h, r, t, *qualifiers in cells]
    context = {relation for _, relation, _ in found.get("transductive_train", [])}
    return {split: found[split] for split in SPLITS if split in found}, context, stated


def count_timed(
    splits: Mapping[str, list[Triple]], stated: int, protocol: str, split: str
) -> dict[str, list[int]]:
    """Return the number of candidates of each task of a temporal graph, for heads and tails."""
    size = stated or len({e for rows in splits.values() for h, _, t, *_ in rows for e in (h, t)})
    end = {"time-aware": None, "static": 3}[protocol]
    heads, tails = collections.defaultdict(set), collections.defaultdict(set)
    for h, r, t, *when in (row[:end] for rows in splits.values() for row in rows):
        heads[r, t, *when].add(h)
        tails[h, r, *when].add(t)
    tasks = [row[:end] for row in splits[split]]
    return {
        "head": [size + 1 - len(heads[row[1:]]) for row in tasks],
        "tail": [size + 1 - len(tails[row[:2] + row[3:]]) for row in tasks],
    }


def select(
    splits: Mapping[str, list[Triple]], context: set[bytes], protocol: str, split: str
) -> list[Triple]:
    """Return the facts of a split that are ranked."""
    if protocol != "pykeen":
        return splits[split]
    seen = {entity for h, _, t, *_ in splits["train"] for entity in (h, t)}
    relations = {row[1] for row in splits["train"]} | context
    return [
        row
        for row in dict.fromkeys(splits[split])
        if {row[0], row[2]} <= seen and row[1] in relations
    ]


def count(
    splits: Mapping[str, list[Triple]], context: set[bytes], stated: int, protocol: str, split: str
) -> dict[str, list[int]]:
    """Return the number of candidates of each task, for heads and tails."""
    if protocol in {"static", "time-aware"}:
        return count_timed(splits, stated, protocol, split)
    train = splits.get("train", [])
    seen = {entity for h, _, t, *_ in train for entity in (h, t)}
    facts = [row for rows in splits.values() for row in rows]
    entities = seen if protocol == "pykeen" else {e for h, _, t, *_ in facts for e in (h, t)}
    if protocol in {"qualified", "raw"}:
        entities |= {value for _, r, *_ in facts if isinstance(r, tuple) for value in r[2::2]}
    tasks = select(splits, context, protocol, split)
    if protocol == "raw":
        return {side: [stated or len(entities)] * len(tasks) for side in ("head", "tail")}
    names = (
        SPLITS
        if protocol in {"standard", "qualified", "stare"}
        else SPLITS[: SPLITS.index(split) + 1]
    )
    heads, tails = collections.defaultdict(set), collections.defaultdict(set)
    for name in names:
        for h, r, t in splits.get(name, []):
            if h in entities and t in entities:
                heads[r, t].add(h)
                tails[h, r].add(t)
    return {
        "head": [len(entities) + 1 - len(heads[r, t]) for _, r, t in tasks],
        "tail": [len(entities) + 1 - len(tails[h, r]) for h, r, _ in tasks],
    }


def count_relations(
    splits: Mapping[str, list[Triple]], stated: int, protocol: str, split: str, tasks: list[Triple]
) -> list[int]:
    """Return the number of candidates of each task (h, ?, t); in temporal graphs, those of (t, ?,
    h) follow.
    """
    every = [row for rows in splits.values() for row in rows]
    timed = any(len(row) > 3 for row in every)
    ranked = {row[1] for row in (splits["train"] if protocol == "pykeen" else every)}
    size = (stated or len(ranked)) * (2 if timed else 1)
    if protocol == "raw":
        return [size] * len(tasks) * (2 if timed else 1)
    names = SPLITS[: SPLITS.index(split) + 1] if protocol in {"libkge", "pykeen"} else SPLITS
    end = None if protocol == "time-aware" else 3
    known = collections.defaultdict(set)
    for h, r, t, *when in (row[:end] for name in names for row in splits.get(name, [])):
        if r in ranked:
            known[h, t, *when].add((r, ""))
            if timed:
                known[t, h, *when].add((r, "inverse"))
    asked = [(h, t, *when) for h, _, t, *when in (row[:end] for row in tasks)]
    asked += [(t, h, *when) for h, t, *when in asked] if timed else []
    return [size + 1 - len(known[pair]) for pair in asked]


def compute(
    counts: collections.Counter[int], tables: Mapping[str, Values]
) -> dict[str, tuple[float, float]]:
    """Return expectation and variance of each metric, from the multiplicities of N."""
    size = np.array(sorted(counts))
    tasks = np.array([counts[int(n)] for n in size], dtype=np.float64)
    total = tasks.sum()
    rank = np.arange(1, size[-1] + 1, dtype=np.float64)

    def mean(values: Values) -> Values:
        taken: Values = np.cumsum(values)[size - 1] / size
        return taken

    def average(first: Values, second: Values) -> tuple[float, float]:
        return float(tasks @ first / total), float(tasks @ (second - first**2) / total**2)

    found = {
        "mr": average((size + 1) / 2, (size + 1) * (2 * size + 1) / 6),
        "mrr": average(tables["1/j"][size - 1] / size, tables["1/j^2"][size - 1] / size),
        **{f"hits@{k}": average(np.minimum(k / size, 1), np.minimum(k / size, 1)) for k in KS},
    }
    for name, sign in (("gmr", 1), ("igmr", -1)):
        # exp(x) - 1 instead of exp(x), in extended precision where there is one: the variance is a
        # small difference.
        logs = sign * np.log(rank.astype(np.longdouble)) / total
        once, twice = (np.log1p(np.cumsum(np.expm1(p * logs))[size - 1] / size) for p in (1, 2))
        first, second = tasks.astype(np.longdouble) @ once, tasks.astype(np.longdouble) @ twice
        found[name] = float(np.exp(first)), float(np.exp(2 * first) * np.expm1(second - 2 * first))
    # E[1/S] and E[1/S^2] are integrals of L and t L; t = exp(x) / E[S].
    for name, scores in (("iamr", rank), ("hmr", 1 / rank)):
        scale = float(tasks @ mean(scores))
        least = float(tasks.sum() if name == "iamr" else tasks @ (1 / size))
        grid = np.arange(-42.0, math.log(60 * scale / least), 1 / 16)
        moments = np.zeros(2)
        for x in grid:
            t = math.exp(x) / scale
            gap = mean(-np.expm1(-t * scores))
            # exp(-t), the largest term, is set apart where everything is small.
            logs = np.log1p(-np.minimum(gap, 0.5))
            far = gap >= 0.5
            if far.any():
                top = scores[0] if name == "iamr" else 1 / size[-1]
                logs = np.where(far, np.log(mean(np.exp(-t * (scores - top)))) - t * top, logs)
            moments += math.exp(float(tasks @ logs)) * np.array([t, t * t]) / 16
        found[name] = float(total * moments[0]), float(total**2 * (moments[1] - moments[0] ** 2))
    return found


def main() -> None:
    """Compare every dataset, protocol, split and side, and print the largest differences."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--dataset", action="append", help="only these; all that are counted from files if left out"
    )
    parser.add_argument("--split", action="append", choices=SPLITS, help="only these splits")
    parser.add_argument(
        "--tables", help="a folder of tables; those that come with rankconst if left out"
    )
    arguments = parser.parse_args()
    archive, sources = rankconst.load(arguments.tables), load_benchmarks()
    fetcher = Fetcher(
        cache_folder(), mirror=os.environ.get("RANKCONST_MIRROR") or None, offline=True
    )
    harmonic = 1 / np.arange(1, max(row["entities"] or 1 for row in archive.datasets.values()) + 1)
    tables = {"1/j": np.cumsum(harmonic), "1/j^2": np.cumsum(harmonic**2)}
    worst: dict[tuple[str, str], float] = collections.defaultdict(float)
    started, compared, done = time.perf_counter(), 0, {}
    for key in arguments.dataset or [
        key for key in archive.datasets if sources[key].sampled is None
    ]:
        splits, context, stated = read(sources[key], fetcher)
        for protocol in archive.protocols(key):
            for split in (
                s for s in arguments.split or SPLITS if archive.holds(Tasks(key, protocol, s))
            ):
                sides = count(splits, context, stated[0], protocol, split)
                sides["both"] = sides["head"] + sides["tail"]
                if "relation" in archive.sides(Tasks(key, protocol, split)):
                    ranked = select(splits, context, protocol, split)
                    sides["relation"] = count_relations(splits, stated[1], protocol, split, ranked)
                for side, counted in sides.items():
                    counts = collections.Counter(counted)
                    held = archive.histogram(key, split=split, side=side, protocol=protocol)
                    pairs = zip(held.num_candidates.tolist(), held.num_tasks.tolist(), strict=True)
                    if dict(pairs) != dict(counts):
                        sys.exit(f"{key} {protocol} {split} {side}: other candidates")
                    law = tuple(sorted(counts.items()))
                    if law not in done:
                        done[law] = compute(counts, tables)
                    for metric in METRICS:
                        constants = archive.constants(key, metric, split, side, protocol)
                        exact = (constants.expectation, constants.variance)
                        for name, ours, theirs in zip(
                            ("expectation", "variance"), exact, done[law][metric], strict=True
                        ):
                            error = (
                                abs(ours - theirs) / ours if ours > 1e-30 else abs(ours - theirs)
                            )
                            worst[metric, name] = max(worst[metric, name], error)
                        compared += 1
        print(f"{key}: {time.perf_counter() - started:.0f} s", file=sys.stderr)
    print(
        f"{compared:,} constants compared, {len(done):,} different histograms, all candidates equal"
    )
    print("| metric | largest difference of expectations | of variances |\n|---|---|---|")
    for metric in METRICS:
        print(
            f"| {metric} | {worst[metric, 'expectation']:.1e} | {worst[metric, 'variance']:.1e} |"
        )


if __name__ == "__main__":
    main()
