"""Compute everything again: the constants from the histograms, the histograms from the files of triples."""

from __future__ import annotations

import concurrent.futures
import contextlib
import itertools
import multiprocessing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from rankconst.catalogue.benchmarks import CONTEXT, ROLES, load_benchmarks
from rankconst.catalogue.protocols import RELATION_SIDE, parse_protocol
from rankconst.download import MissingSourceError, Reporter, cache_folder
from rankconst.errors import RankconstError
from rankconst.moments import compute_moments
from rankconst.tables.schema import baselines_of
from rankconst_builder.changes import STANDARD_ERRORS
from rankconst_builder.fetch import Fetcher
from rankconst_builder.histograms import count_histograms
from rankconst_builder.package import KEYS
from rankconst_builder.pipeline import READ, encode_benchmark
from rankconst_builder.statistics import describe_graph
from rankconst_builder.tabulate import tabulate_histograms
from rankconst_builder.verify.checks import Checked, Finding, check, point_out
from rankconst_builder.verify.ranges import ROUNDING
from rankconst_builder.verify.tableset import WEIGHED, read_metric, read_tasks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from rankconst.catalogue.benchmarks import Benchmark
    from rankconst.catalogue.metrics import Metric
    from rankconst.moments import Moments
    from rankconst.tasks import Histogram, Tasks
    from rankconst_builder.fetch import Content
    from rankconst_builder.verify.tableset import TableSet

MANY = 4
"""From this many datasets on, two processes share the work."""


@dataclass(frozen=True)
class Means:
    """What rebuilding may use."""

    # A folder or URL with a copy of the sources. If None, only the cache; the sources themselves are never asked.
    mirror: str | None = None
    cache: Path | None = None  # where downloads are kept. If None, the folder that ``rankconst build`` uses
    reporter: Reporter = field(default_factory=Reporter)  # told how far it is


def _work_off(
    work: Callable[[Any], Any], jobs: Mapping[str, Any], means: Means, doing: str
) -> Iterator[tuple[str, Any]]:
    """Yield what `work` makes of each job, in their order; with many, two processes work at once."""

    def say(place: int, key: str) -> None:
        means.reporter.say(f"[{place}/{len(jobs)}] {key}: {doing}")

    if len(jobs) < MANY:
        for place, (key, job) in enumerate(jobs.items(), start=1):
            say(place, key)
            yield key, work(job)
        return
    # Fresh processes: a forked one would inherit the threads' locks, but not the threads.
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
        running = {key: pool.submit(work, job) for key, job in jobs.items()}
        try:
            for place, (key, future) in enumerate(running.items(), start=1):
                result = future.result()
                say(place, key)
                yield key, result
        finally:
            for future in running.values():
                future.cancel()


# Constants.


@dataclass(frozen=True)
class _Constants:
    """The rows of a dataset that are to be computed: which tasks, and which metric; None if it is none."""

    histograms: Mapping[Tasks, Histogram]
    rows: Sequence[tuple[Tasks, Metric | None]]


def _compute(job: _Constants) -> list[Moments | str]:
    """Compute rows of constants; the reason where one has none."""
    # Protocols often agree on some tasks: what is computed once need not be again.
    done: dict[Any, Moments | str] = {}
    results: list[Moments | str] = []
    for tasks, metric in job.rows:
        histogram = job.histograms.get(tasks)
        if histogram is None or metric is None:
            results.append("there is no histogram to compute it from" if metric else "the metric does not take this k")
            continue
        if (histogram, metric) not in done:
            try:
                done[histogram, metric] = compute_moments(metric, histogram)
            except RankconstError as error:
                done[histogram, metric] = str(error)
        results.append(done[histogram, metric])
    return results


@check("rebuild", "constants computed from the histograms", "candidates", "constants", rebuild=True)
def rebuild_constants(tables: TableSet, means: Means) -> Checked:
    """Compute every row of the constants table from the histograms, and compare within the errors that both state."""
    frame = tables.sound["constants"]
    metrics = itertools.starmap(read_metric, zip(frame["metric"].tolist(), frame["k"].tolist(), strict=True))
    rows: dict[str, list[tuple[Tasks, Metric | None]]] = {}
    places: dict[str, list[int]] = {}
    every, numbers = read_tasks(frame, (*WEIGHED, "baseline"))
    for place, (number, metric) in enumerate(zip(numbers.tolist(), metrics, strict=True)):
        tasks = every[number]
        if not tasks.is_chance and not tasks.is_micro:
            continue  # the set has no weights of these tasks
        rows.setdefault(tasks.dataset, []).append((tasks, metric))
        places.setdefault(tasks.dataset, []).append(place)
    jobs = {
        dataset: _Constants(
            {tasks: histogram for tasks, histogram in tables.histograms.items() if tasks.dataset == dataset}, wanted
        )
        for dataset, wanted in rows.items()
    }
    findings: list[Finding] = []
    for dataset, results in _work_off(_compute, jobs, means, "constants computed from the histograms"):
        part = frame.iloc[places[dataset]].reset_index(drop=True)
        findings += _compare_constants(part, results)
    return Checked.of(len(frame), findings)


def _compare_constants(frame: pd.DataFrame, results: Sequence[Moments | str]) -> Iterator[Finding]:
    lacking = np.array([isinstance(result, str) for result in results], dtype=np.bool_)
    for place in np.flatnonzero(lacking).tolist():
        one = np.arange(len(frame)) == place
        yield from point_out(frame, "constants", one, "expectation", message=f"cannot be computed: {results[place]}")
    moments = [result for result in results if not isinstance(result, str)]
    frame = frame[~lacking].reset_index(drop=True)
    method = np.array([one.method for one in moments], dtype=object)
    differs = frame["method"].astype(object).to_numpy() != method
    yield from point_out(frame, "constants", differs, "method", expected=method, message="the method is another")
    sampled = frame["method"].isin(["sampled"]).to_numpy()
    # A released sample stays when later versions take another number of draws.
    draws = np.array([one.num_draws or np.nan for one in moments], dtype=np.float64)
    same = sampled & (frame["num_draws"].to_numpy() == draws)
    for column in ("expectation", "variance"):
        got, error = frame[column].to_numpy(), frame[f"{column}_error"].to_numpy()
        value = np.array([getattr(one, column) for one in moments], dtype=np.float64)
        own = np.array([getattr(one, f"{column}_error") for one in moments], dtype=np.float64)
        apart = np.abs(got - value)
        near = STANDARD_ERRORS * np.hypot(error, own) + ROUNDING * np.abs(value)
        slack = np.where(sampled, near, error + own + ROUNDING * np.abs(value))
        message = f"the {column} is not what the histogram gives, within both errors"
        yield from point_out(frame, "constants", apart > slack, column, expected=value, message=message)
        drifted = same & (apart <= slack) & (apart > ROUNDING * np.abs(value))
        message = f"the {column} of this sample is not reproduced, but within {STANDARD_ERRORS} standard errors"
        yield from point_out(frame, "constants", drifted, column, expected=value, message=message, level="warning")


# Histograms.


@dataclass(frozen=True)
class _Files:
    """A dataset whose files are to be read and counted."""

    key: str
    protocols: tuple[str, ...]
    baselines: tuple[str, ...]
    splits: tuple[str, ...]  # those whose triples are ranked
    lacking: frozenset[str]  # roles whose files were missing when the set was built
    related: bool  # True if the set has tasks that rank relations
    mirror: str | None
    cache: Path


@dataclass(frozen=True)
class _Counted:
    """What the files of a dataset give: statistics by column, and the rows of the histogram tables."""

    statistics: Mapping[str, Any]
    rows: Mapping[str, pd.DataFrame]


def _count(job: _Files) -> _Counted | str:
    """Count the candidates of a dataset; the reason where its files are not at hand."""
    source = load_benchmarks()[job.key]
    try:
        contents = _read_contents(job, source)
        graph = encode_benchmark(source, {role: content.data for role, content in contents.items()})
    except RankconstError as error:
        return str(error)
    statistics = {
        **describe_graph(graph).tabulate(graph.missing),
        "sha256": [contents[role].sha256 if role in contents else None for role in ROLES],
    }
    histograms = count_histograms(job.key, graph, [*map(parse_protocol, job.protocols)], job.baselines, job.splits)
    kept = {one: each for one, each in histograms.items() if job.related or one.side != RELATION_SIDE}
    rows = {name: table.to_pandas() for name, table in tabulate_histograms(kept).items() if len(table)}
    return _Counted(statistics, rows)


def _read_contents(job: _Files, source: Benchmark) -> dict[str, Content]:
    """Read the files from the mirror, or from the cache; the network is asked for a mirror at a URL only."""
    remote = job.mirror is not None and job.mirror.startswith(("http://", "https://"))
    quiet = Reporter(quiet=True)
    fetchers = [Fetcher(job.cache, offline=True, reporter=quiet)]
    if job.mirror is not None:
        fetchers.insert(0, Fetcher(job.cache, mirror=job.mirror, offline=not remote, reporter=quiet))
    roles = [role for role in READ if role in source.files and role not in job.lacking]
    *others, last = fetchers
    for fetcher in others:
        with contextlib.suppress(RankconstError):
            return _read_roles(fetcher, source, roles)
    return _read_roles(last, source, roles)


def _read_roles(fetcher: Fetcher, source: Benchmark, roles: Sequence[str]) -> dict[str, Content]:
    """Read files by role; the context, which makes no difference to most, may be missing."""
    found = {role: fetcher.read(source.files[role]) for role in roles if role != CONTEXT}
    with contextlib.suppress(MissingSourceError):
        found |= {role: fetcher.read(source.files[role]) for role in roles if role == CONTEXT}
    return found


@check("sources", "histograms counted from the triples", "datasets", "candidates", rebuild=True)
def rebuild_histograms(tables: TableSet, means: Means) -> Checked:
    """Count the candidates from the files that are at hand, and compare histograms and statistics exactly."""
    frame = tables.sound["candidates"]
    held = frame[["dataset", "protocol"]].drop_duplicates()
    cache = cache_folder() if means.cache is None else means.cache
    known = load_benchmarks()
    frames = [tables.sound[name] for name in tables.sound if name.startswith("baseline_candidates")]
    ranked = {baseline for frame in frames for baseline in frame["baseline"].unique().tolist()}
    baselines = tuple(baseline for baseline in baselines_of(tables.version) if baseline in ranked)
    jobs = {
        key: _Files(
            key,
            tuple(held["protocol"][(held["dataset"] == key).to_numpy()].tolist()),
            baselines,
            tables.ranked(key),
            frozenset(tables.lacks(key)),
            key in tables.related,
            means.mirror,
            cache,
        )
        for key in tables.datasets
        if key in known and key in tables.counted and known[key].files and not known[key].not_offered
    }
    sampled = {key: known[key].sampled for key in tables.datasets if key in known and key not in tables.counted}
    listed = {key: {"triples_valid": one.valid, "triples_test": one.test} for key, one in sampled.items() if one}
    reasons = {key: "the registry has no files of it" for key in tables.datasets if key not in {*jobs, *listed}}
    reasons |= {key: "its evaluation is restricted" for key in tables.restricted if key in tables.datasets}
    findings: list[Finding] = []
    for key, statistics in listed.items():
        findings += _compare_statistics(key, tables.datasets[key], statistics)
    rows = len(listed)
    for key, counted in _work_off(_count, jobs, means, "candidates counted from the files"):
        if isinstance(counted, str):
            reasons[key] = counted
            continue
        rows += sum(map(len, counted.rows.values()))
        findings += _compare_statistics(key, tables.datasets[key], counted.statistics)
        for name, expected in counted.rows.items():
            if name in tables.sound:
                findings += _compare_rows(name, expected, tables.sound[name], key)
    findings += [
        Finding(f"not compared with sources: {reason}", "", {"dataset": key}, level="note")
        for key, reason in sorted(reasons.items())
    ]
    return Checked.of(rows, findings)


def _compare_statistics(key: str, row: Mapping[str, Any], statistics: Mapping[str, Any]) -> Iterator[Finding]:
    for column, expected in statistics.items():
        got = row[column] if isinstance(row[column], list) else None if pd.isna(row[column]) else int(row[column])
        if got != expected:
            yield Finding(
                "its files, or the registry, give something else", "datasets", {"dataset": key}, column, expected, got
            )


def _compare_rows(name: str, expected: pd.DataFrame, stored: pd.DataFrame, key: str) -> list[Finding]:
    # Sets of the form before 2.0.0 have no weights of single relations.
    columns = [column for column in KEYS[name] if not stored[column].isna().all()]
    got = stored[(stored["dataset"] == key).to_numpy()]
    if name == "macro_candidates":  # where it follows from single relations, a law compares it with them
        got = got[((got["aggregation"] != "macro-relation") | (got["split"] == "train")).to_numpy()]
    words = {column: object for column in columns if isinstance(got[column].dtype, pd.CategoricalDtype)}
    # Labels that look alike as text share their name.
    whole = expected.astype(words).groupby(columns, sort=False)["num_tasks"].sum().reset_index()
    joined = whole.merge(got.astype(words), on=columns, how="outer", suffixes=("_expected", ""))
    wrong = ~(joined["num_tasks_expected"] == joined["num_tasks"])
    wanted = joined["num_tasks_expected"].to_numpy()
    return point_out(
        joined,
        name,
        wrong,
        "num_tasks",
        expected=wanted,
        message="the files of the dataset give another number of tasks",
    )
