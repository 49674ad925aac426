"""rankconst and PyKEEN on the same candidate counts: time, memory, and how far their numbers are apart.

Run: python tests/benchmarks/pykeen_metrics.py --pykeen PYTHON [--dataset fb15k237] [--rounds 3]

PYTHON is an interpreter that has PyKEEN:

    python -m venv pykeen && pykeen/bin/pip install torch==2.13.0 pykeen

Either library runs in processes of its own, which alternate, on the counts of test, both sides,
protocol standard; what is timed is the processor time of its own calls, neither imports nor the
reading of tables. rankconst forms expectation and variance in one call, with its caches emptied
before each one; PyKEEN's ``expected_value`` and ``variance`` are two calls, each of which samples
again where it has no closed form. Fast calls are repeated; the median of a process is taken, and of
these the least. Memory is the peak resident set of a process.
"""

import argparse
import functools
import importlib
import json
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

# PyKEEN's interpreter, which has no rankconst, runs this file too, and a child's peak memory begins
# with its parent's: nothing but the standard library here.

REPEATS = 5
# Calls that take longer than the first are not repeated, fast ones until they have taken the
# second.
_LONG, _SHORT = 1.0, 0.02
SAMPLES = 10_000  # as many as `pykeen expected-metrics` draws
MEMORY = 8 * 2**30  # samples that take more are drawn one by one


# The workers: each in its own process; they write one JSON object a line, so that a stopped one has
# said something.


def report(**fields: Any) -> None:
    """Write one object to the parent, with the peak resident set of this process in MiB."""
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({**fields, "memory": memory}), flush=True)


def time_call(
    call: Callable[[], Any], prepare: Callable[[], object] = lambda: None
) -> tuple[float, Any]:
    """Return the seconds that a call takes, the median of some unless it is long, and what it
    returned.
    """
    seconds: list[float] = []
    while sum(seconds) < (_LONG if len(seconds) < REPEATS else _SHORT):
        prepare()
        start = time.process_time()
        value = call()
        seconds.append(time.process_time() - start)
    return statistics.median(seconds), value


def work_rankconst(options: dict[str, Any]) -> None:
    """Take the counts from the bundled tables, and compute every metric from them."""
    import rankconst
    from rankconst.catalogue.metrics import TABULATED
    from rankconst.moments import compute_moments

    for metric in TABULATED:
        importlib.import_module(f"rankconst.moments.{metric.moments.partition('.')[0]}")

    def empty_caches() -> None:
        for name in [name for name in sys.modules if name.startswith("rankconst.moments.")]:
            for cached in vars(sys.modules[name]).values():
                if hasattr(cached, "cache_clear"):
                    cached.cache_clear()

    histogram = rankconst.load().histogram(options["dataset"])
    report(
        num_candidates=histogram.num_candidates.tolist(),
        num_tasks=histogram.num_tasks.tolist(),
        families=sorted({metric.family for metric in TABULATED}),
        ks=[metric.k for metric in TABULATED if metric.k is not None],
    )
    for metric in TABULATED:
        compute = functools.partial(compute_moments, metric, histogram)
        seconds, moments = time_call(compute, empty_caches)
        numbers = moments.expectation, moments.variance
        report(metric=metric.key, method=moments.method, seconds=seconds, numbers=numbers)


def work_pykeen(options: dict[str, Any]) -> None:
    """Ask PyKEEN for expectation and variance of those of its base metrics that rankconst has too."""
    import numpy as np

    ranking = importlib.import_module("pykeen.metrics.ranking")
    counts = np.repeat(np.array(options["num_candidates"]), options["num_tasks"])
    report()
    found = [ranking.HitsAtK(k) for k in options["ks"]]
    kinds = set(ranking.rank_based_metric_resolver.lookup_dict.values()) - {ranking.HitsAtK}
    others = [kind() for kind in kinds if not issubclass(kind, ranking.DerivedRankBasedMetric)]
    found += [one for one in others if one.key in options["families"]]

    def ask(method: Callable[..., Any], *, closed: bool) -> float:
        if closed:
            return float(method(num_candidates=counts))
        # From our seed: its own would be another one every time.
        generator = np.random.default_rng(0)
        fits = counts.size * SAMPLES * 8 <= MEMORY
        drawn = {"num_samples": SAMPLES, "generator": generator, "memory_intense": fits}
        return float(method(num_candidates=counts, **drawn))

    # What is quick and certain first: the time may run out.
    for metric in sorted(
        found, key=lambda one: not (one.closed_expectation and one.closed_variance)
    ):
        closed = bool(metric.closed_expectation and metric.closed_variance)
        methods = (metric.expected_value, metric.variance)
        timed = [time_call(functools.partial(ask, method, closed=closed)) for method in methods]
        seconds, numbers = zip(*timed, strict=True)
        method = "closed" if closed else "sampled"
        report(metric=metric.key, method=method, seconds=sum(seconds), numbers=numbers)


WORKERS = {"rankconst": work_rankconst, "pykeen": work_pykeen}


# The parent.


def run_worker(python: str, worker: str, options: dict[str, Any]) -> list[dict[str, Any]]:
    """Run one worker to its end, or until its time is up; return what it reported."""
    given = {"input": json.dumps(options).encode(), "timeout": options["timeout"]}
    command = [python, __file__, "--worker", worker]
    try:
        output = subprocess.run(command, stdout=subprocess.PIPE, check=True, **given).stdout
    except subprocess.TimeoutExpired as expired:
        print(f"{worker} was stopped: its time is up", file=sys.stderr)
        output = expired.stdout or b""
    # The last line of a stopped worker may be cut short.
    return [json.loads(line) for line in output.decode().split("\n")[:-1]]


def keep_least(rounds: list[list[dict[str, Any]]]) -> dict[str, dict[str, Any]]:
    """Return the row of each metric that took the least seconds in any round."""
    found: dict[str, dict[str, Any]] = {}
    for row in [row for reported in rounds for row in reported if "metric" in row]:
        known = found.setdefault(row["metric"], row)
        if row["seconds"] < known["seconds"]:
            found[row["metric"]] = row
    return found


def print_table(ours: dict[str, dict[str, Any]], theirs: dict[str, dict[str, Any]]) -> None:
    """Print what each metric took, and how far the numbers are apart; then all that both have."""
    print("| metric | PyKEEN | s | rankconst | s | ratio | expectations differ by | variances by |")
    print("|---|---|---:|---|---:|---:|---:|---:|")
    for metric, our in ours.items():
        cells = ["–", "–", our["method"], f"{our['seconds']:.3g}", "–", "–", "–"]
        if their := theirs.get(metric):
            cells[:2] = their["method"], f"{their['seconds']:.3g}"
            cells[4] = f"{their['seconds'] / our['seconds']:,.2g}"
            pairs = zip(their["numbers"], our["numbers"], strict=True)
            cells[5:] = [
                f"{one / two - 1:+.1e}" if two else f"{one:.1e} for 0" for one, two in pairs
            ]
        print(f"| {' | '.join([metric, *cells])} |")
    for method in ("sampled", "closed"):
        # A count is nothing to compute; that PyKEEN samples it is not to our credit.
        both = [key for key, row in theirs.items() if row["method"] == method and key != "count"]
        first, second = (sum(rows[metric]["seconds"] for metric in both) for rows in (theirs, ours))
        if both:
            told = f"{first:.3g} s to {second:.3g} s, {first / second:,.2g} times"
            print(f"{len(both)} {method} by PyKEEN, without count: {told}")


def main() -> None:
    """Print the table and the totals."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pykeen", default="pykeen/bin/python", metavar="PYTHON")
    parser.add_argument("--dataset", default="fb15k237")
    parser.add_argument("--timeout", type=float, default=900.0, help="seconds of a process")
    parser.add_argument("--rounds", type=int, default=3, help="how often the programs take turns")
    parser.add_argument("--worker", choices=WORKERS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        WORKERS[options.worker](json.load(sys.stdin))
        return
    own: list[list[dict[str, Any]]] = []
    other: list[list[dict[str, Any]]] = []
    for _ in range(options.rounds):
        own.append(run_worker(sys.executable, "rankconst", vars(options)))
        other.append(run_worker(options.pykeen, "pykeen", vars(options) | own[-1][0]))
    print_table(keep_least(own), keep_least(other))
    for name, rounds in (("rankconst", own), ("PyKEEN", other)):
        print(
            f"peak memory of {name}: {max(row['memory'] for each in rounds for row in each):,.0f} MiB"
        )


if __name__ == "__main__":
    main()
