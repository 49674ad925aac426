"""Compute the archive again in another way, and compare: ``python tests/benchmarks/check_independently.py``.

Candidates are counted with dictionaries of sets, triple by triple; expectations and variances come
from tables of cumulative sums over ranks and, for IAMR and HMR, from the trapezoidal rule on a
logarithmic grid. Nothing of the builder's counting or of ``rankconst.moments`` is used. Needs the
benchmarks' files: a mirror (RANKCONST_MIRROR) or the cache.
"""

from __future__ import annotations

import argparse
import collections
import itertools
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
    from collections.abc import Mapping, Sequence

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
        cells = [line.split(form.delimiter.encode()) for line in lines]
        if form.qualified:
            # The relation of a statement is (relation, qualifier, entity, qualifier, ...): its
            # filter compares all.
            found[role] = [(h, (r, *qualifiers), t) for h, r, t, *qualifiers in cells]
            continue
        if form.padded:
            cells = [[cell.strip() for cell in row] for row in cells]
        letters = [*enumerate(form.columns)]
        places = [place for wanted in "hrtd" for place, letter in letters if letter == wanted]
        found[role] = [tuple(row[place] for place in places) for row in cells]
    context = {relation for _, relation, _ in found.get("transductive_train", [])}
    return {split: found[split] for split in SPLITS if split in found}, context, stated


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
    facts = [row for rows in splits.values() for row in rows]
    among = splits["train"] if protocol == "pykeen" else facts
    entities = {entity for h, _, t, *_ in among for entity in (h, t)}
    if protocol in {"qualified", "raw"}:
        entities |= {value for _, r, *_ in facts if isinstance(r, tuple) for value in r[2::2]}
    size = stated or len(entities)
    # Of a time only where the filter asks for it.
    end = None if protocol == "time-aware" else 3
    tasks = [row[:end] for row in select(splits, context, protocol, split)]
    if protocol == "raw":
        return {side: [size] * len(tasks) for side in ("head", "tail")}
    heads, tails = collections.defaultdict(set), collections.defaultdict(set)
    for h, r, t, *when in (row[:end] for row in list_known(splits, protocol, split)):
        if h in entities and t in entities:
            heads[r, t, *when].add(h)
            tails[h, r, *when].add(t)
    return {
        "head": [size + 1 - len(heads[r, t, *when]) for _, r, t, *when in tasks],
        "tail": [size + 1 - len(tails[h, r, *when]) for h, r, _, *when in tasks],
    }


def list_known(splits: Mapping[str, list[Triple]], protocol: str, split: str) -> list[Triple]:
    """Return the facts that a protocol knows when a split is evaluated."""
    names = SPLITS[: SPLITS.index(split) + 1] if protocol in {"libkge", "pykeen"} else SPLITS
    return [row for name in names for row in splits.get(name, [])]


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
    end = None if protocol == "time-aware" else 3
    known = collections.defaultdict(set)
    for h, r, t, *when in (row[:end] for row in list_known(splits, protocol, split)):
        if r in ranked:
            known[h, t, *when].add((r, ""))
            if timed:
                known[t, h, *when].add((r, "inverse"))
    asked = [(h, t, *when) for h, _, t, *when in (row[:end] for row in tasks)]
    asked += [(t, h, *when) for h, t, *when in asked] if timed else []
    return [size + 1 - len(known[pair]) for pair in asked]


def count_sides(
    splits: Mapping[str, list[Triple]],
    context: set[bytes],
    stated: tuple[int, int],
    protocol: str,
    split: str,
    ranked: Sequence[str],
) -> dict[str, collections.Counter[int]]:
    """Return how many tasks have how many candidates, for each side."""
    sides = count(splits, context, stated[0], protocol, split)
    sides["both"] = sides["head"] + sides["tail"]
    if "relation" in ranked:
        tasks = select(splits, context, protocol, split)
        sides["relation"] = count_relations(splits, stated[1], protocol, split, tasks)
    return {side: collections.Counter(counts) for side, counts in sides.items()}


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
    counted = [key for key in archive.datasets if sources[key].sampled is None]
    for key in arguments.dataset or counted:
        graph = read(sources[key], fetcher)
        asked = itertools.product(archive.protocols(key), arguments.split or SPLITS)
        for protocol, split in asked:
            if not archive.holds(Tasks(key, protocol, split)):
                continue
            ranked = archive.sides(Tasks(key, protocol, split))
            for side, counts in count_sides(*graph, protocol, split, ranked).items():
                names = {"split": split, "side": side, "protocol": protocol}
                held = archive.histogram(key, **names)
                pairs = zip(held.num_candidates.tolist(), held.num_tasks.tolist(), strict=True)
                if dict(pairs) != dict(counts):
                    sys.exit(f"{key} {protocol} {split} {side}: other candidates")
                law = tuple(sorted(counts.items()))
                if law not in done:
                    done[law] = compute(counts, tables)
                for metric in METRICS:
                    constants = archive.constants(key, metric, **names)
                    exact = (constants.expectation, constants.variance)
                    again = done[law][metric]
                    for place, name in enumerate(("expectation", "variance")):
                        ours, theirs = exact[place], again[place]
                        error = abs(ours - theirs) / (ours if ours > 1e-30 else 1)
                        worst[metric, name] = max(worst[metric, name], error)
                compared += len(METRICS)
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
