"""rankconst and PyKEEN on the same candidate counts: time, memory, and how far their numbers are apart.

Run: python tests/benchmarks/pykeen_metrics.py --pykeen PYTHON [--dataset fb15k237] [--split test]
[--side both]

PYTHON is an interpreter that has PyKEEN. Either library runs in processes of its own, which
alternate, on the same counts; what is timed is the processor time of its own calls, neither imports
nor the reading of tables. rankconst forms expectation and variance in one call, with its caches
emptied before each one; PyKEEN's ``expected_value`` and ``variance`` are two calls, each of which
samples again where it has no closed form. Fast calls are repeated; the median of a process is
taken, and of these the least. Memory is the peak resident set of a process.
"""

from __future__ import annotations

import argparse
import functools
import importlib
import json
import resource
import statistics
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

# PyKEEN's interpreter, which has no rankconst, runs this file too, and a child's peak memory begins
# with its parent's: nothing but the standard library here.
if TYPE_CHECKING:
    from collections.abc import Callable

INSTALL = """\
PyKEEN was not found, so only rankconst was measured. To compare:
  python -m venv pykeen && pykeen/bin/pip install torch==2.13.0 pykeen
  python tests/benchmarks/pykeen_metrics.py --pykeen pykeen/bin/python"""

REPEATS = 5
# Calls that take longer than the first are not repeated, fast ones until they have taken the
# second.
_LONG, _SHORT = 1.0, 0.02

Rows = dict[str, dict[str, Any]]
"""Metric to what a worker says of it: label, method, seconds, and expectation and variance as
numbers.
"""


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
    modules = [
        module for name, module in sys.modules.items() if name.startswith("rankconst.moments.")
    ]
    caches = [
        cached
        for module in modules
        for cached in vars(module).values()
        if hasattr(cached, "cache_clear")
    ]

    def empty_caches() -> None:
        for cached in caches:
            cached.cache_clear()

    histogram = rankconst.load().histogram(
        **{name: options[name] for name in ("dataset", "split", "side", "protocol")}
    )
    report(
        num_candidates=histogram.num_candidates.tolist(),
        num_tasks=histogram.num_tasks.tolist(),
        families=sorted({metric.family for metric in TABULATED}),
        ks=[metric.k for metric in TABULATED if metric.k is not None],
    )
    for metric in TABULATED:
        seconds, moments = time_call(
            functools.partial(compute_moments, metric, histogram), empty_caches
        )
        numbers = moments.expectation, moments.variance
        report(
            metric=metric.key,
            label=metric.label,
            method=moments.method,
            seconds=seconds,
            numbers=numbers,
        )


def work_pykeen(options: dict[str, Any]) -> None:
    """Ask PyKEEN for expectation and variance of those of its base metrics that rankconst has too."""
    import numpy as np

    ranking = importlib.import_module("pykeen.metrics.ranking")
    counts = np.repeat(np.array(options["num_candidates"]), options["num_tasks"])
    report()
    found = [ranking.HitsAtK(k) for k in options["ks"]]
    kinds = set(ranking.rank_based_metric_resolver.lookup_dict.values()) - {ranking.HitsAtK}
    others = [kind() for kind in kinds if not issubclass(kind, ranking.DerivedRankBasedMetric)]
    found += sorted(
        (one for one in others if one.key in options["families"]), key=lambda one: str(one.key)
    )

    def ask(method: Callable[..., Any], *, closed: bool) -> Any:
        if closed:
            return method(num_candidates=counts)
        # From our seed: its own would be another one every time. Samples that do not fit are drawn
        # one by one.
        fits = counts.size * options["samples"] * 8 <= options["memory"] * 2**30
        generator = np.random.default_rng(options["seed"])
        return method(
            num_candidates=counts,
            num_samples=options["samples"],
            generator=generator,
            memory_intense=fits,
        )

    # What is quick and certain first: the time may run out.
    for metric in sorted(
        found, key=lambda metric: not (metric.closed_expectation and metric.closed_variance)
    ):
        closed = bool(metric.closed_expectation and metric.closed_variance)
        taken, numbers = [], []
        for method in (metric.expected_value, metric.variance):
            seconds, number = time_call(functools.partial(ask, method, closed=closed))
            taken.append(seconds)
            numbers.append(float(number))
        report(
            metric=metric.key,
            method="closed" if closed else "sampled",
            seconds=sum(taken),
            numbers=numbers,
        )


WORKERS = {"rankconst": work_rankconst, "pykeen": work_pykeen}


# The parent.


def run_worker(
    python: str, worker: str, options: dict[str, Any]
) -> tuple[Rows, float, dict[str, Any]]:
    """Run one worker to its end, or until its time is up; return its rows, its peak MiB and its
    first object.
    """
    command = [python, __file__, "--worker", worker]
    try:
        process = subprocess.run(
            command,
            input=json.dumps(options).encode(),
            capture_output=True,
            timeout=options["timeout"],
            check=False,
        )
        output, ending = (
            process.stdout,
            process.stderr.decode(errors="replace") if process.returncode else "",
        )
    except subprocess.TimeoutExpired as expired:
        output, ending = expired.stdout or b"", "its time is up"
    if ending:
        print(f"{worker} was stopped: {ending.strip()[-200:]}", file=sys.stderr)
    # The last line of a stopped worker may be cut short.
    first, *rows = map(json.loads, output.decode().split("\n")[:-1])
    return {row["metric"]: row for row in rows}, max(row["memory"] for row in (first, *rows)), first


def keep_least(halves: list[tuple[Rows, float]]) -> tuple[Rows, float]:
    """Return what the first process reported, with the least seconds and the largest memory of all."""
    rows = {
        metric: {
            **row,
            "seconds": min(each[metric]["seconds"] for each, _ in halves if metric in each),
        }
        for metric, row in halves[0][0].items()
    }
    return rows, max(memory for _, memory in halves)


def show_time(seconds: float) -> str:
    """Return a time with three digits and its unit."""
    unit, scale = next(
        ((u, s) for u, s in (("s", 1.0), ("ms", 1e3)) if seconds * s >= 1), ("µs", 1e6)
    )
    return (
        f"{seconds * scale:,.3g} {unit}"
        if seconds * scale < 999.5
        else f"{seconds * scale:,.0f} {unit}"
    )


def show_difference(theirs: float, ours: float) -> str:
    """Return the relative difference."""
    return (
        f"{theirs / ours - 1:+.1e}" if ours else ("0" if theirs == ours else f"{theirs:.1e} for 0")
    )


def print_metrics(ours: Rows, theirs: Rows) -> None:
    """Print what each metric took, and how far the numbers are apart, as a Markdown table."""
    print("| metric | PyKEEN | | rankconst | | ratio | expectations differ by | variances by |")
    print("|---|---|---:|---|---:|---:|---:|---:|")
    for metric, our in ours.items():
        cells = [our["label"], "–", "–", our["method"], show_time(our["seconds"]), "–", "–", "–"]
        if their := theirs.get(metric):
            cells[1:3] = their["method"], show_time(their["seconds"])
            cells[5] = f"{their['seconds'] / our['seconds']:,.2g}"
            cells[6:] = map(show_difference, their["numbers"], our["numbers"])
        print(f"| {' | '.join(cells)} |")


def print_totals(ours: Rows, theirs: Rows) -> None:
    """Print times of all metrics that both have, sampled and closed ones apart."""
    for method in ("sampled", "closed"):
        # A count is nothing to compute; that PyKEEN samples it is not to our credit.
        both = [
            metric
            for metric, row in theirs.items()
            if row["method"] == method and metric != "count"
        ]
        first, second = (sum(rows[metric]["seconds"] for metric in both) for rows in (theirs, ours))
        if both:
            told = f"{show_time(first)} to {show_time(second)}, {first / second:,.2g} times"
            print(f"{len(both)} {method} by PyKEEN, without count: {told}")


def parse_options() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--pykeen",
        default="pykeen/bin/python",
        metavar="PYTHON",
        help="interpreter that has PyKEEN",
    )
    parser.add_argument("--dataset", default="fb15k237")
    parser.add_argument("--split", default="test")
    parser.add_argument("--side", default="both")
    parser.add_argument("--protocol", default="standard")
    parser.add_argument(
        "--samples", type=int, default=10_000, help="as many as `pykeen expected-metrics` draws"
    )
    parser.add_argument("--seed", type=int, default=0, help="of PyKEEN's samples")
    parser.add_argument(
        "--memory", type=float, default=8.0, help="GiB; samples of more are drawn one by one"
    )
    parser.add_argument(
        "--timeout", type=float, default=900.0, help="seconds after which PyKEEN is stopped"
    )
    parser.add_argument("--rounds", type=int, default=3, help="how often the programs take turns")
    parser.add_argument("--worker", choices=WORKERS, help=argparse.SUPPRESS)
    return parser.parse_args()


def main() -> None:
    """Print the table and the totals."""
    options = parse_options()
    if options.worker:
        WORKERS[options.worker](json.load(sys.stdin))
        return
    own, other = list[tuple[Rows, float]](), list[tuple[Rows, float]]()
    for _ in range(options.rounds):
        rows, memory, counts = run_worker(sys.executable, "rankconst", vars(options))
        own.append((rows, memory))
        try:
            other.append(run_worker(options.pykeen, "pykeen", vars(options) | counts)[:2])
        except (OSError, ValueError):  # no such interpreter, or nothing that it says
            continue
    ours, peak = keep_least(own)
    theirs, their_peak = keep_least(other) if other else ({}, 0.0)
    print(f"{options.dataset}, {options.split}, {options.side}, protocol {options.protocol}\n")
    print_metrics(ours, theirs)
    print(
        f"\npeak memory: rankconst {peak:,.0f} MiB"
        + (f", PyKEEN {their_peak:,.0f} MiB" if other else "")
    )
    if not other:
        print(INSTALL)
    print_totals(ours, theirs)


if __name__ == "__main__":
    main()
