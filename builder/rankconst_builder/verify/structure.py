"""Checks of structure: columns, words, keys and order, and whether every row has those that belong to it."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from rankconst.catalogue.aggregations import DEFAULT_AGGREGATION, MACROS
from rankconst.catalogue.baselines import DEFAULT_BASELINE
from rankconst.catalogue.metrics import CATALOGUE, list_metrics
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
from rankconst_builder.tabulate import HISTOGRAM_TABLES, list_macros
from rankconst_builder.verify.checks import Checked, Finding, check, point_out
from rankconst_builder.verify.tableset import (
    COUNTED,
    are_words,
    code_rows,
    columns_of,
    metrics_of,
    read_k,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from rankconst_builder.verify.tableset import TableSet


TASKS = ("dataset", "protocol", "split", "side")


@check("columns", "names, types and descriptions of columns")
def check_columns(tables: TableSet) -> Checked:
    """Compare names, types and descriptions of the columns with those of the version."""
    findings = []
    current = not is_former(tables.version)
    for name in tables.names:
        if name not in tables.stored:
            findings.append(Finding("its columns cannot be read", name))
            continue
        got = {field.name: str(field.type) for field in tables.stored[name].schema}
        expected = {c.name: str(schema_of(name).field(c.name).type) for c in columns_of(name, tables.version)}
        for key in dict.fromkeys((*expected, *got)):
            if expected.get(key) != got.get(key):
                message = "a column is not of its type" if key in {*got} & {*expected} else "the columns differ"
                findings.append(Finding(message, name, {}, key, expected.get(key), got.get(key)))
        if list(expected) != list(got) and sorted(expected) == sorted(got):
            findings.append(Finding("the columns are in another order", name, {}, "", [*expected], [*got]))
        for column in COLUMNS[name]:
            if current and column.name in got:
                metadata = tables.stored[name].schema.field(column.name).metadata or {}
                stated = metadata.get(b"description", b"").decode("utf-8", "replace")
                if stated != column.description:
                    findings.append(
                        Finding(
                            "a column is described in other words", name, {}, column.name, column.description, stated
                        )
                    )
    return Checked.of(sum(len(table.schema) for table in tables.stored.values()), findings)


@check("missing", "no value is missing where none may be")
def check_missing(tables: TableSet) -> Checked:
    """Look for missing values where none may be, and for values where there must be none."""
    findings = []
    for name, frame in tables.whole.items():
        for column in COLUMNS[name]:
            values = frame[column.name]
            if column.name in tables.may_lack(name):
                continue
            findings += point_out(frame, name, values.isna(), column.name, message="a value is missing")
            if column.kind == "real":
                infinite = np.isinf(values.to_numpy())
                findings += point_out(frame, name, infinite, column.name, message="a value is not finite")
            if column.kind == "texts":
                # A split without a file has no hash.
                gap = values.map(lambda row: row is not None and None in row) & (column.name != "sha256")
                findings += point_out(frame, name, gap, column.name, message="a value of the list is missing")
    if "datasets" in tables.whole:
        findings += _check_partial(tables.whole["datasets"])
    if "constants" in tables.whole:
        findings += _check_optional(tables.whole["constants"])
    return Checked.of(sum(map(len, tables.whole.values())), findings)


def _check_optional(frame: pd.DataFrame) -> Iterator[Finding]:
    families = [family for family, metric in CATALOGUE.items() if metric.takes_k]
    rules = {"k": ("metric", families), "num_draws": ("method", ["sampled"])}
    for column, (decider, words) in rules.items():
        due, there = frame[decider].isin(words), frame[column].notna()
        yield from point_out(frame, "constants", due & ~there, column, message="a value is missing")
        yield from point_out(
            frame,
            "constants",
            ~due & there,
            column,
            message=f"there must be no {column} with this {decider}",
        )
        yield from point_out(
            frame, "constants", there & (frame[column] < 1), column, message=f"{column} is less than 1"
        )


def _check_partial(frame: pd.DataFrame) -> Iterator[Finding]:
    """Of a benchmark without files, or without one, everything that follows from it is missing, and nothing else."""
    without = frame["entities"].isna() & frame["sha256"].map(lambda row: row is not None and not row).astype(bool)
    # A benchmark among sampled negatives may have a test split only.
    lost = frame["triples_valid"].isna() & ~without
    yield from point_out(frame, "datasets", lost, "triples_valid", message="a value is missing")
    lacks = {}
    for place, split in enumerate(SPLITS):
        unread = frame["sha256"].map(lambda row, at=place: row is not None and len(row) > at and row[at] is None)
        lacks[split] = unread.astype(bool) & frame[f"triples_{split}"].isna() & ~without
    for column in COUNTED:
        partial, there = without.copy(), frame[column].notna()
        for split in SPLITS:
            if needs(column, split):
                partial |= lacks[split]
        yield from point_out(frame, "datasets", ~partial & ~there, column, message="a value is missing")
        message = "there must be no value where there are no files"
        yield from point_out(frame, "datasets", partial & there, column, message=message)


@check("words", "protocols, splits, sides, metrics and methods are known")
def check_words(tables: TableSet) -> Checked:
    """Look for words that no catalogue has, or that are not spelt as it does."""
    findings = []
    for name, frame in tables.whole.items():
        for column in COLUMNS[name]:
            values = frame[column.name]
            if isinstance(values.dtype, pd.CategoricalDtype):
                wrong = values.notna().to_numpy() & ~are_words(name, column.name, values)
                findings += point_out(frame, name, wrong, column.name, message=f"no {column.name} is called that")
    return Checked.of(sum(map(len, tables.whole.values())), findings)


@check("keys", "no row is there twice")
def check_keys(tables: TableSet) -> Checked:
    """Look for repeated rows."""
    findings = []
    for name, frame in tables.whole.items():
        twice = frame.duplicated(list(KEYS[name]))
        findings += point_out(frame, name, twice, KEYS[name][-1], message="a row with this key came before")
    return Checked.of(sum(map(len, tables.whole.values())), findings)


@check("order", "rows are in canonical order")
def check_order(tables: TableSet) -> Checked:
    """Compare the order of the rows with that of their keys."""
    findings = []
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
        findings += point_out(
            frame, name, before, KEYS[name][0], message="this row should come before the one above it"
        )
    return Checked.of(sum(map(len, tables.whole.values())), findings)


@check("datasets", "the tables name the same datasets", "datasets")
def check_datasets(tables: TableSet) -> Checked:
    """Compare the datasets that the tables name."""
    named = {name: set(frame["dataset"].drop_duplicates().dropna().astype(str)) for name, frame in tables.whole.items()}
    described = named.pop("datasets")
    findings = []
    for name, keys in named.items():
        findings += [
            Finding("the table has rows of a dataset that is not described", name, {"dataset": key})
            for key in sorted(keys - described)
        ]
        if name in {"candidates", "constants"}:
            findings += [
                Finding("the table has no rows of this dataset", name, {"dataset": key})
                for key in sorted(described - keys)
            ]
    return Checked.of(len(described), findings)


def count_tasks(row: dict[str, Any], protocol: str, split: str) -> int:
    """Return how many rows of a split a protocol ranks, by what the datasets table states; 0 if it does not.

    What is filtered by a split without a file is not ranked, unless facts of the same time are in one file only.
    """
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
def check_coverage(tables: TableSet) -> Checked:
    """Look for sets of tasks, and rows of them, that are missing, or that nothing else belongs to."""
    sound = tables.sound
    held = _distinct(sound["candidates"], TASKS)
    findings = []
    expected = set()
    for dataset, row in tables.datasets.items():
        if dataset in tables.restricted:
            # Which tasks are left, only the triples tell.
            expected |= {key for key in held if key[0] == dataset}
            continue
        protocols = {key[1] for key in held if key[0] == dataset}
        if parse_version(tables.version) and dataset in tables.counted:
            facts = dataset in tables.temporal, dataset in tables.qualified
            protocols |= {key for key, rule in PROTOCOLS.items() if rule.fits(*facts)}
        for protocol, split in itertools.product(protocols, tables.ranked(dataset)):
            if count_tasks(row, protocol, split) > 0:
                # What ranks edges, or items for users, has no sides.
                alone = dataset not in tables.counted and (dataset, protocol, split, "both") in held
                sides = ("both",) if alone else ENTITY_SIDES
                expected |= {(dataset, protocol, split, side) for side in sides}
                if dataset in tables.related and parse_protocol(protocol).ranks_relations:
                    expected.add((dataset, protocol, split, RELATION_SIDE))
    findings += _compare_keys("candidates", TASKS, expected, held)
    metrics = metrics_of(tables.version)
    # Weights and relations follow from triples.
    known = {key for key in held if key[0] in tables.counted or key[0] in tables.restricted}
    known = {key for key in known if key[3] != RELATION_SIDE}
    if "macro_candidates" in sound:
        former = is_former(tables.version)
        wanted = {(*key, macro) for key in known for macro in (MACROS if former else list_macros(key[2]))}
        got = _distinct(sound["macro_candidates"], (*TASKS, "aggregation"))
        findings += _compare_keys("macro_candidates", (*TASKS, "aggregation"), wanted, got)
    if "candidates_by_relation" in sound:
        wanted = {key for key in known if key[2] != "train"}
        got = _distinct(sound["candidates_by_relation"], TASKS)
        findings += _compare_keys("candidates_by_relation", TASKS, wanted, got)
    informed = [baseline for baseline in baselines_of(tables.version) if baseline != DEFAULT_BASELINE]
    blocks = {
        name: _distinct(sound[name], (*TASKS, "baseline"))
        for name in ("baseline_candidates", "baseline_candidates_by_relation")
        if name in sound
    }
    built = {(key[0], key[-1]) for got in blocks.values() for key in got}
    if blocks and parse_version(tables.version):
        built |= set(itertools.product(tables.counted, informed))
    ranked = {  # tasks and the baseline that ranks them
        (*key, baseline)
        for key in known
        for baseline in informed
        if key[2] != "train"
        and (key[0], baseline) in built
        and parse_protocol(key[1]).negatives is None
        and "train" not in tables.lacks(key[0])
    }
    for name, got in blocks.items():
        findings += _compare_keys(name, (*TASKS, "baseline"), ranked, got)
    if "constants" in sound:
        columns = (*TASKS, "aggregation", "baseline", "metric", "k")
        ranked |= {(*key, DEFAULT_BASELINE) for key in held}
        pooled = {(*key[:3], "both", key[-1]) for key in ranked if key[3] != RELATION_SIDE}
        named = {
            (*carried, shared): [(m.family, m.k) for m in tabulated if m in list_metrics(shared=shared)]
            for carried, tabulated in metrics.items()
            for shared in (False, True)
        }
        rows = {
            (*key[:4], aggregation, baseline, *metric)
            for key in ranked | pooled
            for aggregation, baseline in metrics
            if baseline == key[-1]
            and (aggregation == DEFAULT_AGGREGATION or (key[3] != RELATION_SIDE and (*key[:3], "head") in known))
            for metric in named[aggregation, baseline, shares_negatives(key[1])]
        }
        constants = sound["constants"]
        findings += _compare_keys("constants", columns, rows, _distinct(constants, columns))
    return Checked.of(sum(len(sound[name]) for name in (*HISTOGRAM_TABLES, "constants") if name in sound), findings)


def _distinct(frame: pd.DataFrame, columns: Iterable[str]) -> set[tuple[Any, ...]]:
    _, first = code_rows(columns, frame)
    values = {column: frame[column].iloc[first].tolist() for column in columns}
    if "k" in values:
        values["k"] = list(map(read_k, values["k"]))
    return set(zip(*values.values(), strict=True))


def _compare_keys(
    table: str, columns: tuple[str, ...], expected: Collection[tuple[Any, ...]], got: Collection[tuple[Any, ...]]
) -> list[Finding]:
    def name(key: tuple[Any, ...]) -> dict[str, Any]:
        return {column: value for column, value in zip(columns, key, strict=True) if value is not None}

    def order(keys: Iterable[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
        return sorted(keys, key=lambda key: tuple(map(str, key)))

    return [Finding("rows are missing", table, name(key)) for key in order({*expected} - {*got})] + [
        Finding("nothing that belongs to these rows is in the set", table, name(key))
        for key in order({*got} - {*expected})
    ]
