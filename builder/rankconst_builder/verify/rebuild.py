"""Compute everything again: the constants from the histograms, the histograms from the files of triples."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from rankconst.catalogue.benchmarks import CONTEXT, ROLES, load_benchmarks
from rankconst.catalogue.protocols import RELATION_SIDE, parse_protocol
from rankconst.download import MissingSourceError, cache_folder, is_url
from rankconst.errors import RankconstError
from rankconst.moments import compute_moments
from rankconst.progress import Reporter
from rankconst.tables.schema import baselines_of
from rankconst_builder.changes import STANDARD_ERRORS
from rankconst_builder.fetch import Fetcher
from rankconst_builder.package import KEYS
from rankconst_builder.pipeline import READ, encode_benchmark
from rankconst_builder.statistics import describe_graph
from rankconst_builder.tabulate import tabulate_histograms
from rankconst_builder.tallies import count_histograms
from rankconst_builder.verify.checks import Finding, check, point_out
from rankconst_builder.verify.ranges import ROUNDING
from rankconst_builder.verify.tableset import WEIGHED, read_metrics, read_tasks

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from rankconst.catalogue.benchmarks import Benchmark
    from rankconst.catalogue.metrics import Metric
    from rankconst.moments import Moments
    from rankconst.tasks import Histogram
    from rankconst_builder.fetch import Content
    from rankconst_builder.verify.checks import Findings
    from rankconst_builder.verify.tableset import TableSet


@dataclass(frozen=True)
class Means:
    """What rebuilding may use."""

    # A folder or URL with a copy of the sources. If None, only the cache; the sources themselves are never asked.
    mirror: str | None = None
    cache: Path | None = None  # where downloads are kept. If None, the folder that ``rankconst build`` uses
    reporter: Reporter = field(default_factory=Reporter)  # told how far it is


# Constants.


def _compute(histogram: Histogram | None, metric: Metric | None) -> Moments | str:
    """Compute constants; the reason where there are none."""
    if metric is None:
        return "the metric does not take this k"
    if histogram is None:
        return "there is no histogram to compute it from"
    try:
        return compute_moments(metric, histogram)
    except RankconstError as error:
        return str(error)


@check("rebuild", "constants computed from the histograms", "candidates", "constants", rebuild=True)
def _rebuild_constants(tables: TableSet, means: Means) -> Findings:
    frame = tables.sound["constants"]
    every, numbers = read_tasks(frame, (*WEIGHED, "baseline"))
    metrics, kinds = read_metrics(frame)
    # The set has no weights of the tasks of a macro average under a baseline.
    known = np.array([tasks.is_chance or tasks.is_micro for tasks in every], dtype=np.bool_)[numbers]
    parts = {str(key): part for key, part in frame[known].groupby("dataset", observed=True, sort=False)}
    for place, (key, part) in enumerate(parts.items(), start=1):
        means.reporter.say(f"[{place}/{len(parts)}] {key}: constants computed from the histograms")
        compute = cache(_compute)  # protocols often agree on some tasks
        results = [compute(tables.histograms.get(every[numbers[row]]), metrics[kinds[row]]) for row in part.index]
        yield from _compare_constants(part.reset_index(drop=True), results)
    return len(frame)


def _compare_constants(frame: pd.DataFrame, results: Sequence[Moments | str]) -> Iterator[Finding]:
    reasons = [result if isinstance(result, str) else "" for result in results]
    for reason in dict.fromkeys(filter(None, reasons)):
        lacking = [each == reason for each in reasons]
        yield from point_out(frame, "constants", lacking, "expectation", f"cannot be computed: {reason}")
    moments = [result for result in results if not isinstance(result, str)]
    frame = frame[[not reason for reason in reasons]].reset_index(drop=True)
    method = np.array([one.method for one in moments], dtype=object)
    differs = frame["method"].astype(object) != method
    yield from point_out(frame, "constants", differs, "method", "the method is another", expected=method)
    sampled = (frame["method"] == "sampled").to_numpy()
    # A released sample stays when later versions take another number of draws.
    same = sampled & (frame["num_draws"] == np.array([one.num_draws or np.nan for one in moments], dtype=np.float64))
    for column in ("expectation", "variance"):
        value, own = (
            np.array([(getattr(one, column), getattr(one, f"{column}_error")) for one in moments], dtype=np.float64)
            .reshape(-1, 2)
            .T
        )
        error, apart = frame[f"{column}_error"].to_numpy(), np.abs(frame[column].to_numpy() - value)
        rounding = ROUNDING * np.abs(value)
        slack = np.where(sampled, STANDARD_ERRORS * np.hypot(error, own), error + own) + rounding
        message = f"the {column} is not what the histogram gives, within both errors"
        yield from point_out(frame, "constants", apart > slack, column, message, expected=value)
        drifted = same & (apart <= slack) & (apart > rounding)
        message = f"the {column} of this sample is not reproduced, but within {STANDARD_ERRORS} standard errors"
        yield from point_out(frame, "constants", drifted, column, message, expected=value, level="warning")


# Histograms.


def _count(
    source: Benchmark, tables: TableSet, means: Means, baselines: Sequence[str]
) -> tuple[dict[str, Any], dict[str, pd.DataFrame]] | str:
    """Return statistics by column, and the rows of the histogram tables; the reason where the files are not at hand."""
    key, candidates = source.key, tables.sound["candidates"]
    try:
        contents = _read_contents(_list_fetchers(means), source, tables.lacks(key))
        graph = encode_benchmark(source, {role: content.data for role, content in contents.items()})
    except RankconstError as error:
        return str(error)
    hashes = [contents[role].sha256 if role in contents else None for role in ROLES]
    protocols = [*map(parse_protocol, candidates["protocol"][candidates["dataset"] == key].unique())]
    histograms = count_histograms(key, graph, protocols, baselines, tables.splits_of(key))
    kept = {one: each for one, each in histograms.items() if key in tables.related or one.side != RELATION_SIDE}
    rows = {name: table.to_pandas() for name, table in tabulate_histograms(kept).items() if len(table)}
    return {**describe_graph(graph).tabulate(graph.missing), "sha256": hashes}, rows


def _list_fetchers(means: Means) -> list[Fetcher]:
    """Return what reads from the mirror, and from the cache; the network is asked for a mirror at a URL only."""
    fetch, mirror = partial(Fetcher, means.cache or cache_folder(), reporter=means.reporter), means.mirror
    local = fetch(offline=True)
    return [local] if mirror is None else [fetch(mirror=mirror, offline=not is_url(mirror)), local]


def _read_contents(fetchers: Sequence[Fetcher], source: Benchmark, lacking: Sequence[str]) -> dict[str, Content]:
    """Read files by role from the first that has them all; the context, which seldom matters, may be missing."""
    *others, last = fetchers
    for fetcher in others:
        with contextlib.suppress(RankconstError):
            return _read_contents([fetcher], source, lacking)
    found = {}
    for role in (role for role in READ if role in source.files and role not in lacking):
        with contextlib.suppress(*([MissingSourceError] if role == CONTEXT else [])):
            found[role] = last.read(source.files[role])
    return found


@check("sources", "histograms counted from the triples", "datasets", "candidates", rebuild=True)
def _rebuild_histograms(tables: TableSet, means: Means) -> Findings:
    known = load_benchmarks()
    reasons = dict.fromkeys(tables.datasets, "the registry has no files of it")
    reasons |= dict.fromkeys(tables.restricted & tables.datasets.keys(), "its evaluation is restricted")
    rows = 0
    for key in tables.datasets.keys() & known.keys() - tables.counted.keys():
        if sampled := known[key].sampled:
            rows += 1
            del reasons[key]
            statistics = {"triples_valid": sampled.valid, "triples_test": sampled.test}
            yield from _compare_statistics(key, tables.datasets[key], statistics)
    frames = [frame for name, frame in tables.sound.items() if name.startswith("baseline_candidates")]
    ranked = {baseline for frame in frames for baseline in frame["baseline"].unique()}
    baselines = [baseline for baseline in baselines_of(tables.version) if baseline in ranked]
    counted_again = [key for key in tables.counted if key in known and known[key].files and not known[key].not_offered]
    for place, key in enumerate(counted_again, start=1):
        means.reporter.say(f"[{place}/{len(counted_again)}] {key}: candidates counted from the files")
        counted = _count(known[key], tables, means, baselines)
        if isinstance(counted, str):
            reasons[key] = counted
            continue
        del reasons[key]
        statistics, tabulated = counted
        rows += sum(map(len, tabulated.values()))
        yield from _compare_statistics(key, tables.datasets[key], statistics)
        for name, expected in tabulated.items():
            if name in tables.sound:
                yield from _compare_rows(name, expected, tables.sound[name], key)
    for key, reason in sorted(reasons.items()):
        yield Finding(f"not compared with sources: {reason}", "", {"dataset": key}, level="note")
    return rows


def _compare_statistics(key: str, row: Mapping[str, Any], statistics: Mapping[str, Any]) -> Iterator[Finding]:
    for column, expected in statistics.items():
        got = row[column] if isinstance(row[column], list) else None if pd.isna(row[column]) else int(row[column])
        if got != expected:
            message = "its files, or the registry, give something else"
            yield Finding(message, "datasets", {"dataset": key}, column, expected, got)


def _compare_rows(name: str, expected: pd.DataFrame, stored: pd.DataFrame, key: str) -> list[Finding]:
    # Sets of the form before 2.0.0 have no weights of single relations.
    columns = [column for column in KEYS[name] if not stored[column].isna().all()]
    got = stored[stored["dataset"] == key]
    if name == "macro_candidates":  # where it follows from single relations, a law compares it with them
        got = got[(got["aggregation"] != "macro-relation") | (got["split"] == "train")]
    words = {column: object for column in columns if isinstance(got[column].dtype, pd.CategoricalDtype)}
    # Labels that look alike as text share their name.
    whole = expected.astype(words).groupby(columns, sort=False)["num_tasks"].sum().reset_index()
    joined = whole.merge(got.astype(words), on=columns, how="outer", suffixes=("_expected", ""))
    wanted = joined["num_tasks_expected"].to_numpy()
    message = "the files of the dataset give another number of tasks"
    return point_out(joined, name, ~(wanted == joined["num_tasks"]), "num_tasks", message, expected=wanted)
