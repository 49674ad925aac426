"""Compute the archive again in another way, and compare: ``python tests/benchmarks/check_independently.py``.

Candidates are counted with dictionaries of sets, as in the tests; expectations and variances come
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
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import rankconst
from rankconst.catalogue.benchmarks import CONTEXT, load_benchmarks
from rankconst.catalogue.protocols import PROTOCOLS, SPLITS
from rankconst.download import MissingSourceError, cache_folder
from rankconst.tasks import Tasks
from rankconst_builder.fetch import Fetcher

sys.path.append(str(Path(__file__).resolve().parents[1]))

# They are in a folder that was added above.
from brute import count_with_sets, read_rows, relations_of
from graphs import read_plainly

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from brute import BruteCounts
    from rankconst.catalogue.benchmarks import Benchmark
    from rankconst.catalogue.protocols import Protocol
    from rankconst.tables.archive import Tables as Archive

    Values = NDArray[np.float64]

KS = (1, 3, 5, 10, 50, 100)
METRICS = ("mr", "mrr", "gmr", "igmr", "iamr", "hmr", *(f"hits@{k}" for k in KS))


def read(source: Benchmark, fetcher: Fetcher) -> Callable[[Protocol, str], BruteCounts]:
    """Return what counts the candidates of a benchmark."""
    contents = {}
    for role, file in source.files.items():
        try:
            contents[role] = fetcher.read(file).data
        except MissingSourceError:
            # The build has made sure that a missing context makes no difference.
            if not (file.optional or role == CONTEXT):
                raise
    context = relations_of(read_rows(contents[CONTEXT])) if CONTEXT in contents else ()
    stated = [int(number) for number in contents.get("stat", b"0 0").split()[:2]]
    return count_with_sets(read_plainly(source.key, contents), context, (stated[0], stated[1]))


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


def count_sides(
    archive: Archive, tasks: Tasks, count: Callable[[Protocol, str], BruteCounts]
) -> dict[str, collections.Counter[int]]:
    """Count the tasks of each size, by side; nothing if the archive does not hold the split."""
    if not archive.holds(tasks):
        return {}
    found = count(PROTOCOLS[tasks.protocol], tasks.split)
    sides = {"head": found.head, "tail": found.tail, "both": found.head + found.tail}
    if "relation" in archive.sides(tasks):
        sides["relation"] = found.relation
    return {side: collections.Counter(sizes) for side, sizes in sides.items()}


def differ(ours: float, theirs: float) -> float:
    """Return the relative difference, or the absolute one where ours is 0 but for rounding."""
    return abs(ours - theirs) / (ours if ours > 1e-30 else 1)


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
        count = read(sources[key], fetcher)
        asked = itertools.product(archive.protocols(key), arguments.split or SPLITS)
        for tasks in (Tasks(key, protocol, split) for protocol, split in asked):
            for side, counts in count_sides(archive, tasks, count).items():
                names = {"split": tasks.split, "side": side, "protocol": tasks.protocol}
                held = archive.histogram(key, **names)
                pairs = zip(held.num_candidates.tolist(), held.num_tasks.tolist(), strict=True)
                if dict(pairs) != dict(counts):
                    sys.exit(f"{tasks} {side}: other candidates")
                distribution = tuple(sorted(counts.items()))
                if distribution not in done:
                    done[distribution] = compute(counts, tables)
                for metric in METRICS:
                    constants = archive.constants(key, metric, **names)
                    expectation, variance = done[distribution][metric]
                    for kind, ours, theirs in (
                        ("expectation", constants.expectation, expectation),
                        ("variance", constants.variance, variance),
                    ):
                        worst[metric, kind] = max(worst[metric, kind], differ(ours, theirs))
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
