"""rankconst and PyKEEN on the same candidate counts: time, memory, and how far their numbers are apart.

Run: python tests/benchmarks/pykeen_metrics.py --pykeen PYTHON [--dataset fb15k237] [--split test] [--side both]

PYTHON is an interpreter that has PyKEEN. Either library runs in processes of its own, which alternate, on the same
counts; what is timed is the processor time of its own calls, neither imports nor the reading of tables. rankconst forms
expectation and variance in one call, with its caches emptied before each one ("alone") or before the first one only
("in turn", where the second of the two medians finds the law of the first); PyKEEN's ``expected_value`` and
``variance`` are two calls, each of which samples again where it has no closed form. Fast calls are repeated; the median
of a process is taken, and of these the least. Memory is the peak resident set of a process.

Where there is no such interpreter, rankconst's half is printed and the way to install the other.
"""

from __future__ import annotations

import argparse
import functools
import importlib
import json
import math
import resource
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from rankconst.moments import compute_moments

# PyKEEN's interpreter runs this file too, and a child's peak memory begins with its parent's: nothing big here.
if TYPE_CHECKING:
    from collections.abc import Callable

INSTALL = """\
PyKEEN was not found ({reason}), so only rankconst was measured. To compare:
  python -m venv pykeen && pykeen/bin/pip install torch==2.13.0 pykeen
  python tests/benchmarks/pykeen_metrics.py --pykeen pykeen/bin/python"""

REPEATS = 5
# Calls that take longer than the first are not repeated, fast ones until they have taken the second.
_LONG, _SHORT = 1.0, 0.02


@dataclass(frozen=True)
class Result:
    """What a library says about one metric.

    Attributes
    ----------
    metric
        PyKEEN's key: ``hits_at_10``.
    label
        The short name; empty in PyKEEN's half.
    method
        ``closed``, ``sampled``, rankconst's own word, or why the metric was left out.
    seconds
        PyKEEN's for the expectation and for the variance; rankconst's for both, alone and in turn. Empty where the
        metric was left out, and so are the numbers.
    numbers
        Expectation and variance; after a sampled variance, its standard error.
    """

    metric: str
    label: str
    method: str
    seconds: tuple[float, ...]
    numbers: tuple[float, ...]


@dataclass(frozen=True)
class Half:
    """What one process reported: its results, and its peak MiB after the imports and at the end."""

    results: list[Result]
    memory: tuple[float, float]
    version: str
    ending: str = ""


# The workers: each in its own process; they write one JSON object a line, so that a stopped one has said something.


def peak_memory() -> float:
    """Return the peak resident set of this process in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def time_call(call: Callable[[], Any], prepare: Callable[[], object] = lambda: None) -> tuple[float, Any]:
    """Return the seconds that a call takes, the median of some unless it is long, and what it returned."""
    seconds: list[float] = []
    while sum(seconds) < (_LONG if len(seconds) < REPEATS else _SHORT):
        prepare()
        start = time.process_time()
        value = call()
        seconds.append(time.process_time() - start)
    return statistics.median(seconds), value


def report(**fields: Any) -> None:
    """Write one object to the parent."""
    print(json.dumps(fields), flush=True)


def work_rankconst(options: dict[str, Any]) -> None:
    """Take the counts from the bundled tables, and compute every metric from them."""
    import rankconst
    from rankconst.catalogue.metrics import TABULATED

    for metric in TABULATED:
        importlib.import_module(f"rankconst.moments.{metric.moments.partition('.')[0]}")
    modules = [module for name, module in sys.modules.items() if name.startswith("rankconst.moments.")]
    caches = [cached for module in modules for cached in vars(module).values() if hasattr(cached, "cache_clear")]

    def empty_caches() -> None:
        for cached in caches:
            cached.cache_clear()

    histogram = rankconst.load().histogram(**{name: options[name] for name in ("dataset", "split", "side", "protocol")})
    report(
        version=rankconst.__version__,
        base_memory=peak_memory(),
        num_candidates=histogram.num_candidates.tolist(),
        num_tasks=histogram.num_tasks.tolist(),
        families=sorted({metric.family for metric in TABULATED}),
        ks=[metric.k for metric in TABULATED if metric.k is not None],
    )
    in_turn: dict[str, list[float]] = {metric.key: [] for metric in TABULATED}
    for _ in range(REPEATS):
        empty_caches()
        for metric in TABULATED:
            start = time.process_time()
            compute_moments(metric, histogram)
            in_turn[metric.key].append(time.process_time() - start)
    for metric in TABULATED:
        alone, moments = time_call(functools.partial(compute_moments, metric, histogram), empty_caches)
        report(
            metric=metric.key,
            label=metric.label,
            method=moments.method,
            seconds=(alone, statistics.median(in_turn[metric.key])),
            numbers=(moments.expectation, moments.variance),
            memory=peak_memory(),
        )


def ask(method: Callable[..., Any], keywords: dict[str, Any], seed: int) -> Any:
    """Call a PyKEEN method; where it samples, from our seed: its own would be another one every time."""
    import numpy as np

    return (
        method(**keywords, generator=np.random.default_rng(seed)) if "num_samples" in keywords else method(**keywords)
    )


def keep_samples(metric: Any) -> list[Any]:
    """Let a PyKEEN metric keep the values that it samples, and return the list in which they will be."""
    kept: list[Any] = []
    sample = metric.get_sampled_values

    def sample_and_keep(**keywords: Any) -> Any:
        kept[:] = [sample(**keywords)]
        return kept[0]

    metric.get_sampled_values = sample_and_keep
    return kept


def variance_error(values: Any) -> float:
    """Return the standard error of the variance of a sample, from its fourth moment."""
    deviations = values - values.mean()
    return float(math.sqrt(max((deviations**4).mean() - (deviations**2).mean() ** 2, 0.0) / len(values)))


def work_pykeen(options: dict[str, Any]) -> None:
    """Ask PyKEEN for expectation and variance of those of its base metrics that rankconst has too."""
    import numpy as np

    ranking = importlib.import_module("pykeen.metrics.ranking")
    version = importlib.import_module("importlib.metadata").version("pykeen")
    counts = np.repeat(np.array(options["num_candidates"]), options["num_tasks"])
    report(version=version, base_memory=peak_memory())
    found = [ranking.HitsAtK(k) for k in options["ks"] if "hits_at_k" in options["families"]]
    kinds = set(ranking.rank_based_metric_resolver.lookup_dict.values()) - {ranking.HitsAtK}
    others = [kind() for kind in kinds if not issubclass(kind, ranking.DerivedRankBasedMetric)]
    found += sorted((one for one in others if one.key in options["families"]), key=lambda one: str(one.key))
    # What is quick and certain first: the time may run out.
    for metric in sorted(found, key=lambda metric: not (metric.closed_expectation and metric.closed_variance)):
        closed = metric.closed_expectation and metric.closed_variance
        keywords: dict[str, Any] = {"num_candidates": counts}
        method = "closed" if closed else "sampled"
        cells = counts.size * (counts.max() + 1 if closed else options["samples"])
        if closed and "median" in metric.key and cells * 8 > options["memory"] * 2**30:
            # Versions after 1.11.1 may tabulate P(r_i <= x) for every x and i.
            method = f"left out: its table takes {cells * 8 / 2**30:.0f} GiB"
            report(metric=metric.key, label="", method=method, seconds=(), numbers=(), memory=peak_memory())
            continue
        if not closed:
            keywords.update(num_samples=options["samples"])
            if cells * 8 > options["memory"] * 2**30:
                keywords.update(memory_intense=False)
                method = "sampled, one vector at a time"
        values = keep_samples(metric)
        try:
            first, expectation = time_call(functools.partial(ask, metric.expected_value, keywords, options["seed"]))
            second, variance = time_call(functools.partial(ask, metric.variance, keywords, options["seed"]))
        except MemoryError as error:
            report(metric=metric.key, label="", method=str(error), seconds=(), numbers=(), memory=peak_memory())
            continue
        report(
            metric=metric.key,
            label="",
            method=method,
            seconds=(first, second),
            numbers=(float(expectation), float(variance), *(() if closed else (variance_error(values[-1]),))),
            memory=peak_memory(),
        )


WORKERS = {"rankconst": work_rankconst, "pykeen": work_pykeen}


# The parent.


def run_worker(python: str, worker: str, options: dict[str, Any], timeout: float) -> tuple[Half, dict[str, Any]]:
    """Run one worker to its end, or until its time is up; return what it measured and its first object."""
    ending = ""
    try:
        process = subprocess.run(
            [python, __file__, "--worker", worker],
            input=json.dumps(options).encode(),
            capture_output=True,
            timeout=timeout,
            check=False,
        )
        output = process.stdout
        if process.returncode:
            last = process.stderr.decode(errors="replace").strip().splitlines()[-1:]
            ending = f"{worker} ended with status {process.returncode}: {''.join(last)}"
    except subprocess.TimeoutExpired as expired:
        output = expired.stdout or b""
        ending = f"{worker} was stopped after {timeout:.0f} s"
    # The last line of a stopped worker may be cut short.
    lines = output.decode().split("\n")[:-1]
    if not lines:
        sys.exit(ending or f"{worker} said nothing")
    first, *others = (json.loads(line) for line in lines)
    results = [Result(o["metric"], o["label"], o["method"], tuple(o["seconds"]), tuple(o["numbers"])) for o in others]
    memory = max((o["memory"] for o in others), default=first["base_memory"])
    return Half(results, (first["base_memory"], memory), first["version"], ending), first


def keep_least(halves: list[Half]) -> Half:
    """Return what the first process reported, with the least seconds and the largest memory of all."""
    found: dict[str, list[Result]] = {}
    for result in (result for half in halves for result in half.results):
        found.setdefault(result.metric, []).append(result)
    results = [
        replace(each[0], seconds=tuple(map(min, zip(*(one.seconds for one in each), strict=True))))
        for each in found.values()
    ]
    base, peak = (max(sizes) for sizes in zip(*(half.memory for half in halves), strict=True))
    return replace(
        halves[0], results=results, memory=(base, peak), ending="".join(half.ending for half in halves)[:200]
    )


def find_pykeen(python: str) -> str:
    """Return why an interpreter cannot run PyKEEN; an empty string if it can."""
    find = "import importlib.util, sys; sys.exit(importlib.util.find_spec('pykeen') is None)"
    try:
        status = subprocess.run([python, "-c", find], stderr=subprocess.DEVNULL, check=False).returncode
    except OSError as error:
        return f"{python}: {error.strerror}"
    return f"{python} has no package pykeen" if status else ""


def show_time(seconds: float) -> str:
    """Return a time with three digits and its unit."""
    unit, scale = next(((u, s) for u, s in (("s", 1.0), ("ms", 1e3)) if seconds * s >= 1), ("µs", 1e6))
    return f"{seconds * scale:,.3g} {unit}" if seconds * scale < 999.5 else f"{seconds * scale:,.0f} {unit}"


def show_ratio(ratio: float) -> str:
    """Return a ratio with two digits or more."""
    return f"{ratio:,.0f}" if ratio >= 10 else f"{ratio:.2g}"


def show_difference(theirs: float, ours: float) -> str:
    """Return the relative difference."""
    return f"{theirs / ours - 1:+.1e}" if ours else ("0" if theirs == ours else f"{theirs:.1e} for 0")


def show_noise(difference: float, error: float) -> str:
    """Return a difference in units of its standard error."""
    return f"{difference / error:+.1f}" if error else "–"


def print_table(rows: list[list[str]]) -> None:
    """Print rows as an aligned Markdown table; the first is the heading."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for number, row in enumerate(rows):
        cells = [
            cell.rjust(width) if i else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        print(f"| {' | '.join(cells)} |")
        if number == 0:
            print("|" + "|".join("-" * (width + 2 - bool(i)) + ":" * bool(i) for i, width in enumerate(widths)) + "|")


def print_times(ours: Half, theirs: Half) -> None:
    """Print what each metric took."""
    found = {result.metric: result for result in theirs.results}
    rows = [["metric", "PyKEEN", "expectation", "variance", "rankconst", "alone", "in turn", "ratio"]]
    absent = "–" if theirs.ending or not theirs.results else "not in it"
    for our in ours.results:
        their = found.get(our.metric)
        row = [
            our.label,
            their.method if their else absent,
            "–",
            "–",
            our.method,
            *map(show_time, our.seconds),
            "–",
        ]
        if their and their.seconds:
            row[2:4] = map(show_time, their.seconds)
            row[-1] = show_ratio(sum(their.seconds) / our.seconds[0])
        rows.append(row)
    print_table(rows)


def print_numbers(ours: Half, theirs: Half, samples: int) -> None:
    """Print how far expectations and variances are apart, for sampled ones in units of the noise too.

    The standard error of a mean of samples is that of our exact variance, that of a sample variance its own.
    """
    found = {result.metric: result for result in theirs.results}
    rows = [["metric", "E, PyKEEN", "E, rankconst", "difference", "in std. errors"]]
    rows[0] += ["Var, PyKEEN", "Var, rankconst", "difference", "in std. errors"]
    for our in ours.results:
        row = [our.label]
        their = found.get(our.metric)
        sampled = their is not None and their.method.startswith("sampled") and len(their.numbers) == 3
        errors = (math.sqrt(our.numbers[1] / samples), their.numbers[2]) if their and sampled else (0.0, 0.0)
        for i in range(2):
            mine = our.numbers[i]
            if their and their.numbers:
                noise = show_noise(their.numbers[i] - mine, errors[i]) if sampled else ""
                row += [f"{their.numbers[i]:.9g}", f"{mine:.9g}", show_difference(their.numbers[i], mine), noise]
            else:
                row += ["–", f"{mine:.9g}", "–", ""]
        rows.append(row)
    print_table(rows)


def print_totals(ours: Half, theirs: Half) -> None:
    """Print times of all metrics that both have, sampled and closed ones apart, and peak memories."""
    mine = {result.metric: result for result in ours.results}
    parts = []
    for method in ("sampled", "closed"):
        # A count is nothing to compute; that PyKEEN samples it is not to our credit.
        both = [r for r in theirs.results if r.seconds and r.method.startswith(method) and r.metric != "count"]
        if not both:
            continue
        alone, in_turn = (sum(mine[result.metric].seconds[i] for result in both) for i in range(2))
        first, second = (sum(result.seconds[i] for result in both) for i in range(2))
        part = (
            f"{len(both)} {method} by PyKEEN: {show_time(first + second)} to {show_time(alone)} "
            f"({show_time(in_turn)} in turn), {show_ratio((first + second) / alone)} times "
            f"({show_ratio((first + second) / in_turn)})"
        )
        if method == "sampled":
            part += f", with one sample for both numbers {show_ratio(first / alone)} ({show_ratio(first / in_turn)})"
        parts.append(part)
    (our_base, our_peak), (base, peak) = ours.memory, theirs.memory
    parts.append(
        f"peak memory: PyKEEN {peak:,.0f} MiB ({base:,.0f} after its imports), rankconst {our_peak:,.0f} MiB "
        f"({our_base:,.0f})"
    )
    print(f"Totals without count. {'; '.join(parts)}.")


def parse_options() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pykeen", default="pykeen/bin/python", metavar="PYTHON", help="interpreter that has PyKEEN")
    parser.add_argument("--dataset", default="fb15k237")
    parser.add_argument("--split", default="test")
    parser.add_argument("--side", default="both")
    parser.add_argument("--protocol", default="standard")
    parser.add_argument("--samples", type=int, default=10_000, help="as many as `pykeen expected-metrics` draws")
    parser.add_argument("--seed", type=int, default=0, help="of PyKEEN's samples")
    parser.add_argument("--memory", type=float, default=8.0, help="GiB; samples of more are drawn one by one")
    parser.add_argument("--timeout", type=float, default=900.0, help="seconds after which PyKEEN is stopped")
    parser.add_argument("--rounds", type=int, default=3, help="how often the programs take turns")
    parser.add_argument("--worker", choices=WORKERS, help=argparse.SUPPRESS)
    return parser.parse_args()


def main() -> None:
    """Print the tables and the totals."""
    options = parse_options()
    if options.worker:
        WORKERS[options.worker](json.load(sys.stdin))
        return
    missing = find_pykeen(options.pykeen)
    own, other = list[Half](), list[Half]()
    for _ in range(options.rounds):
        half, counts = run_worker(sys.executable, "rankconst", vars(options), options.timeout)
        if half.ending:
            sys.exit(half.ending)
        own.append(half)
        if not missing:
            other.append(run_worker(options.pykeen, "pykeen", vars(options) | counts, options.timeout)[0])
    ours, theirs = keep_least(own), keep_least(other) if other else Half([], (0.0, 0.0), "–")
    num_tasks = counts["num_tasks"]
    print(
        f"{options.dataset}, {options.split}, {options.side}, protocol {options.protocol}: {sum(num_tasks):,} tasks "
        f"with {len(num_tasks):,} different numbers of candidates; rankconst {ours.version}"
        + ("" if missing else f", PyKEEN {theirs.version} with {options.samples:,} samples from seed {options.seed}")
    )
    print()
    print_times(ours, theirs)
    print()
    print_numbers(ours, theirs, options.samples)
    print()
    if missing:
        print(
            f"rankconst: {show_time(sum(result.seconds[0] for result in ours.results))}, peak {ours.memory[1]:,.0f} MiB"
        )
        print(INSTALL.format(reason=missing))
        return
    if theirs.ending:
        print(f"{theirs.ending}; what it did not reach is left out.")
    print_totals(ours, theirs)


if __name__ == "__main__":
    main()
