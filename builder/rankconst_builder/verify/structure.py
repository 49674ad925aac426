"""Checks of structure: columns, words, keys and order, and whether every row has those that belong to it."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from rankconst.catalogue.aggregations import DEFAULT_AGGREGATION, MACROS
from rankconst.catalogue.baselines import DEFAULT_BASELINE
from rankconst.catalogue.metrics import CATALOGUE, MACRO_METRICS, TABULATED, list_metrics
from rankconst.catalogue.protocols import (
    ENTITY_SIDES,
    PROTOCOLS,
    RELATION_SIDE,
    SPLITS,
    parse_protocol,
    shares_negatives,
)
from rankconst.tables.schema import COLUMNS, baselines_of, is_former, schema_of
from rankconst.version import parse_version
from rankconst_builder.package import KEYS
from rankconst_builder.statistics import needs
from rankconst_builder.tabulate import CARRIED, HISTOGRAM_TABLES, list_macros
from rankconst_builder.verify.checks import Finding, check, point_out
from rankconst_builder.verify.tableset import TASKS, UNCOUNTED, are_words, code_rows, read_k

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rankconst_builder.verify.checks import Findings
    from rankconst_builder.verify.tableset import TableSet

    Keys = set[tuple[Any, ...]]


def _count_rows(tables: TableSet) -> int:
    return sum(map(len, tables.whole.values()))


@check("columns", "names and types of columns")
def _check_columns(tables: TableSet) -> Findings:
    for name in tables.names:
        if name not in tables.stored:
            yield Finding("its columns cannot be read", name)
            continue
        stored = tables.stored[name].schema
        got = {field.name: str(field.type) for field in stored}
        expected = {column.name: str(schema_of(name).field(column.name).type) for column in tables.columns(name)}
        for key in dict.fromkeys((*expected, *got)):
            if expected.get(key) != got.get(key):
                message = "a column is not of its type" if key in {*got} & {*expected} else "the columns differ"
                yield Finding(message, name, {}, key, expected.get(key), got.get(key))
        if list(expected) != list(got) and sorted(expected) == sorted(got):
            yield Finding("the columns are in another order", name, {}, "", [*expected], [*got])
    return sum(len(table.schema) for table in tables.stored.values())


@check("missing", "no value is missing where none may be")
def _check_missing(tables: TableSet) -> Findings:
    for name, frame in tables.whole.items():
        for column in COLUMNS[name]:
            values = frame[column.name]
            if column.name in tables.may_lack(name):
                continue
            yield from point_out(frame, name, values.isna(), column.name, "a value is missing")
            if column.kind == "real":
                yield from point_out(frame, name, np.isinf(values.to_numpy()), column.name, "a value is not finite")
            if column.kind == "texts" and column.name != "sha256":  # a split without a file has no hash
                gap = values.map(lambda row: row is not None and None in row)
                yield from point_out(frame, name, gap, column.name, "a value of the list is missing")
    if "datasets" in tables.whole:
        yield from _check_partial(tables.whole["datasets"])
    if "constants" in tables.whole:
        frame = tables.whole["constants"]
        families = [family for family, metric in CATALOGUE.items() if metric.takes_k]
        for name, decider, words in (("k", "metric", families), ("num_draws", "method", ["sampled"])):
            due, there = frame[decider].isin(words), frame[name].notna()
            yield from point_out(frame, "constants", due & ~there, name, "a value is missing")
            yield from point_out(frame, "constants", ~due & there, name, f"there must be no {name} with this {decider}")
            yield from point_out(frame, "constants", there & (frame[name] < 1), name, f"{name} is less than 1")
    return _count_rows(tables)


def _check_partial(frame: pd.DataFrame) -> Iterator[Finding]:
    """Of a benchmark without files, or without one, everything that follows from it is missing, and nothing else."""
    without = frame["entities"].isna() & frame["sha256"].map(lambda row: row is not None and not row).astype(bool)
    # A benchmark among sampled negatives may have a test split only.
    lost = frame["triples_valid"].isna() & ~without
    yield from point_out(frame, "datasets", lost, "triples_valid", "a value is missing")
    lacks = {}
    for place, split in enumerate(SPLITS):
        unread = frame["sha256"].map(lambda row, at=place: row is not None and len(row) > at and row[at] is None)
        lacks[split] = unread.astype(bool) & frame[f"triples_{split}"].isna() & ~without
    for column in (each.name for each in COLUMNS["datasets"] if each.name not in UNCOUNTED | {"triples_valid"}):
        partial, there = without.copy(), frame[column].notna()
        for split in SPLITS:
            if needs(column, split):
                partial |= lacks[split]
        yield from point_out(frame, "datasets", ~partial & ~there, column, "a value is missing")
        message = "there must be no value where there are no files"
        yield from point_out(frame, "datasets", partial & there, column, message)


@check("words", "protocols, splits, sides, metrics and methods are known")
def _check_words(tables: TableSet) -> Findings:
    for name, frame in tables.whole.items():
        for column, values in ((str(column), values) for column, values in frame.items()):
            if isinstance(values.dtype, pd.CategoricalDtype):
                wrong = values.notna().to_numpy() & ~are_words(name, column, values)
                yield from point_out(frame, name, wrong, column, f"no {column} is called that")
    return _count_rows(tables)


@check("keys", "no row is there twice")
def _check_keys(tables: TableSet) -> Findings:
    for name, frame in tables.whole.items():
        twice = frame.duplicated(list(KEYS[name]))
        yield from point_out(frame, name, twice, KEYS[name][-1], "a row with this key came before")
    return _count_rows(tables)


@check("order", "rows are in canonical order")
def _check_order(tables: TableSet) -> Findings:
    for name, frame in tables.whole.items():
        before = np.zeros(len(frame), dtype=np.bool_)
        equal = np.ones(max(len(frame) - 1, 0), dtype=np.bool_)
        for column in KEYS[name]:
            values: Any = frame[column]
            if isinstance(values.dtype, pd.CategoricalDtype):
                values = values.cat.codes
            numbers = np.nan_to_num(np.asarray(values, dtype=np.float64))
            before[1:] |= equal & (numbers[1:] < numbers[:-1])
            equal &= numbers[1:] == numbers[:-1]
        yield from point_out(frame, name, before, KEYS[name][0], "this row should come before the one above it")
    return _count_rows(tables)


@check("datasets", "the tables name the same datasets", "datasets")
def _check_datasets(tables: TableSet) -> Findings:
    named = {name: set(frame["dataset"].drop_duplicates().dropna().astype(str)) for name, frame in tables.whole.items()}
    described = named.pop("datasets")
    for name, keys in named.items():
        for key in sorted(keys - described):
            yield Finding("the table has rows of a dataset that is not described", name, {"dataset": key})
        for key in sorted(described - keys) if name in {"candidates", "constants"} else ():
            yield Finding("the table has no rows of this dataset", name, {"dataset": key})
    return len(described)


def count_tasks(row: dict[str, Any], protocol: str, split: str) -> int:
    """Return how many rows of a split a protocol ranks, by what the datasets table states; 0 if it does not."""
    rule = parse_protocol(protocol)
    filters = () if rule.time == "same" or rule.negatives is not None else rule.known_splits(split)
    if any(pd.isna(row[f"triples_{each}"]) for each in (split, *(filters if not pd.isna(row["entities"]) else ()))):
        return 0
    rows = int(row[f"triples_{split}"])
    if rule.tasks == "all" and not rule.distinct:
        return rows
    dropped = row["duplicates_train"] if split == "train" else row[f"dropped_{split}"]
    return 0 if pd.isna(dropped) else rows - int(dropped)


@check("coverage", "every set of tasks has its histograms, and every metric", "datasets", "candidates")
def _check_coverage(tables: TableSet) -> Findings:
    coverage = _Coverage(tables)
    expected = {
        "candidates": (TASKS, coverage.candidates),
        "macro_candidates": ((*TASKS, "aggregation"), coverage.weighed),
        "candidates_by_relation": (TASKS, {key for key in coverage.known if key[2] != "train"}),
        **dict.fromkeys(_BLOCKS, ((*TASKS, "baseline"), coverage.informed)),
        "constants": ((*TASKS, "aggregation", "baseline", "metric", "k"), coverage.constants),
    }
    for name, (columns, wanted) in expected.items():
        if name in tables.sound:
            yield from _compare_keys(name, columns, wanted, _distinct(tables.sound[name], columns))
    return sum(len(tables.sound[name]) for name in (*HISTOGRAM_TABLES, "constants") if name in tables.sound)


_BLOCKS = ("baseline_candidates", "baseline_candidates_by_relation")


@dataclass(frozen=True)
class _Coverage:
    """The keys that a set has to have, by what it says of its datasets and by the candidates that it holds."""

    tables: TableSet

    @cached_property
    def held(self) -> Keys:
        """The tasks that there are candidates of."""
        return _distinct(self.tables.sound["candidates"], TASKS)

    @cached_property
    def candidates(self) -> Keys:
        tables, released = self.tables, parse_version(self.tables.version)
        # Which tasks are left of a restricted evaluation, only the triples tell.
        expected = {key for key in self.held if key[0] in tables.restricted and key[0] in tables.datasets}
        for dataset in tables.datasets.keys() - tables.restricted:
            protocols = {key[1] for key in self.held if key[0] == dataset}
            if released and dataset in tables.counted:
                facts = dataset in tables.temporal, dataset in tables.qualified
                protocols |= {key for key, rule in PROTOCOLS.items() if rule.fits(*facts)}
            for protocol, split in itertools.product(protocols, tables.splits_of(dataset)):
                if count_tasks(tables.datasets[dataset], protocol, split) <= 0:
                    continue
                # What ranks edges, or items for users, has no sides.
                alone = dataset not in tables.counted and (dataset, protocol, split, "both") in self.held
                related = dataset in tables.related and parse_protocol(protocol).ranks_relations
                sides = ("both",) if alone else (*ENTITY_SIDES, *([RELATION_SIDE] if related else []))
                expected |= {(dataset, protocol, split, side) for side in sides}
        return expected

    @cached_property
    def known(self) -> Keys:
        """Those whose weights and relations are known: these follow from triples."""
        counted = self.tables.counted.keys() | self.tables.restricted
        return {key for key in self.held if key[0] in counted and key[3] != RELATION_SIDE}

    @property
    def weighed(self) -> Keys:
        former = is_former(self.tables.version)
        return {(*key, macro) for key in self.known for macro in (MACROS if former else list_macros(key[2]))}

    @cached_property
    def informed(self) -> Keys:
        """The tasks that baselines rank, each with its baseline."""
        tables = self.tables
        baselines = [baseline for baseline in baselines_of(tables.version) if baseline != DEFAULT_BASELINE]
        there = [tables.sound[name] for name in _BLOCKS if name in tables.sound]
        built = set().union(*(_distinct(frame, ("dataset", "baseline")) for frame in there))
        if there and parse_version(tables.version):
            built |= {*itertools.product(tables.counted, baselines)}
        return {
            (*key, baseline)
            for key, baseline in itertools.product(self.known, baselines)
            if key[2] != "train"
            and (key[0], baseline) in built
            and parse_protocol(key[1]).negatives is None
            and "train" not in tables.lacks(key[0])
        }

    @property
    def constants(self) -> Keys:
        ranked = self.informed | {(*key, DEFAULT_BASELINE) for key in self.held}
        ranked |= {(*key[:3], "both", key[-1]) for key in ranked if key[3] != RELATION_SIDE}
        carried = {(DEFAULT_AGGREGATION, baseline): metrics for baseline, metrics in CARRIED.items()}
        if is_former(self.tables.version):
            weighed = {DEFAULT_AGGREGATION: TABULATED, **dict.fromkeys(MACROS, MACRO_METRICS)}
            baselines = baselines_of(self.tables.version)
            carried = {(key, each): metrics for key, metrics in weighed.items() for each in baselines}
        named = {
            (pair, shared): [(metric.family, metric.k) for metric in list_metrics(shared=shared) if metric in metrics]
            for pair, metrics in carried.items()
            for shared in (False, True)
        }
        return {
            (*key[:4], aggregation, baseline, *metric)
            for key in ranked
            for aggregation, baseline in carried
            if baseline == key[-1]
            and (aggregation == DEFAULT_AGGREGATION or (key[3] != RELATION_SIDE and (*key[:3], "head") in self.known))
            for metric in named[(aggregation, baseline), shares_negatives(key[1])]
        }


def _distinct(frame: pd.DataFrame, columns: Iterable[str]) -> Keys:
    _, first = code_rows(columns, frame)
    values = {column: frame[column].iloc[first].tolist() for column in columns}
    if "k" in values:
        values["k"] = list(map(read_k, values["k"]))
    return set(zip(*values.values(), strict=True))


def _compare_keys(table: str, columns: tuple[str, ...], expected: Keys, got: Keys) -> Iterator[Finding]:
    for message, keys in (
        ("rows are missing", expected - got),
        ("nothing that belongs to these rows is in the set", got - expected),
    ):
        for key in sorted(keys, key=lambda key: tuple(map(str, key))):
            named = zip(columns, key, strict=True)
            yield Finding(message, table, {column: value for column, value in named if value is not None})
