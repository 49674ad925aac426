"""AmpliGraph's results, and any other JSON object that holds metrics under their names.

References
----------
AmpliGraph 1, github.com/Accenture/AmpliGraph, ``experiments`` and ``ampligraph/evaluation/protocol.py``
(``select_best_model_ranking``).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankconst.results.evaluation import Stated
from rankconst.results.reading import Entry, Reader, Reading, Skipped, make_reading
from rankconst.results.structured import SPLIT_WORDS, Record, Value, looks_structured, read_number, read_records
from rankconst.results.tables.cells import is_number
from rankconst.results.tables.columns import Meaning, parse_column, read_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rankconst.results.document import Document


_ROLES = {
    "dataset": "dataset",
    "dataset_name": "dataset",
    "model": "model",
    "model_name": "model",
    "split": "split",
    "side": "side",
    "protocol": "protocol",
}
_CONTAINERS = {"results", "metrics"}
_SETTINGS = {"hyperparams", "model_params", "best_params", "params", "config"}
# The name of any metric contains one of these; asking the catalogue is slower. A bare "std" belongs to another metric.
_LIKELY = re.compile(r"rank|hit|mr|h.?\d|dcg", re.IGNORECASE)
_BENCHMARK = re.compile(
    r"(?:fb|wn)[-_ ]?1[0-9]|yago|codex|nell|wikidata|wiki-?kg|bio-?kg|umls|kinship|nations|countries|dbpedia|wd50k",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Table:
    """An object with metrics, and what is around it."""

    line: int | None
    where: str
    path: tuple[str, ...]
    stated: Mapping[str, str]
    values: Mapping[str, Value]


def _parse(key: str) -> Meaning | None:
    meaning = parse_column(key) if _LIKELY.search(key) else None
    return meaning if meaning is not None and meaning.role == "measured" and meaning.reason is None else None


def _walk(
    value: Value, where: str, path: tuple[str, ...], stated: Mapping[str, str], line: int | None
) -> Iterator[_Table]:
    if isinstance(value, list):  # as json.dump and DataFrame.to_json(orient="records") write rows
        for place, each in enumerate(value, start=1):
            yield from _walk(each, f"{where}{place}.", path, stated, line)
    if not isinstance(value, dict):
        return
    stated = {**stated, **_read_roles(value)}
    if any(_parse(key) for key in value):
        yield _Table(line, where, path, stated, value)
    for key, inner in value.items():
        if key in _SETTINGS:
            continue
        words = {"split": key} if key in SPLIT_WORDS else read_words(key) or {}
        onward = path if key in _CONTAINERS or words else (*path, key)
        yield from _walk(inner, f"{where}{key}.", onward, {**stated, **words}, line)


def _read_roles(value: Mapping[str, Value]) -> dict[str, str]:
    """Return what an object says about its metrics."""
    texts = {key: str(each) for key, each in value.items() if isinstance(each, str)}
    stated = {role: text for key, text in texts.items() if (role := _find_role(key, text))}
    stated |= {role: texts[key] for key, role in _ROLES.items() if key in texts}
    results = value.get("results")
    # Other tools use the same names of metrics, but do not keep these settings with them.
    if "hyperparams" in value or ("model_params" in value and isinstance(results, dict) and "hits_1" in results):
        stated["tool"] = "ampligraph"
    return stated


def _find_role(key: str, text: str) -> str:
    """Return what a key says of its object, as the heading of a column would; a path or a number is no name."""
    meaning = None if "/" in text or is_number(text) else parse_column(key)
    return meaning.role if meaning is not None and meaning.role in {"dataset", "model"} else ""


def _list_tables(records: tuple[Record, ...]) -> list[_Table]:
    return [table for record in records for table in _walk(record.value, "", (), {}, record.line)]


def _recognise(document: Document) -> bool:
    return looks_structured(document) and any(
        _parse(key) and not isinstance(value, (dict, list))
        for table in _list_tables(read_records(document)[:5])
        for key, value in table.values.items()
    )


def _read(document: Document) -> Reading:
    tables = _list_tables(read_records(document))
    names = _name_levels([table.path for table in tables])
    rows: list[dict[str, str]] = []
    entries: list[Entry] = []
    skipped: list[Skipped] = []
    for table in tables:
        stated = {**dict(zip(names.get(len(table.path), ()), table.path, strict=False)), **table.stated}
        row = {"line": "" if table.line is None else str(table.line)}
        row |= {role: said for role, said in stated.items() if role != "tool"}
        for key, value in table.values.items():
            meaning = _parse(key)
            if meaning is None or meaning.metric is None:
                continue
            place = f"{table.where}{key}"
            text, why = read_number(value)
            if why:
                skipped.append(Skipped(table.line, place, why))
                continue
            if meaning.percent and "%" not in text:
                text = f"{text}%"
            row[key] = text
            context = Stated(
                dataset=stated.get("dataset") or meaning.dataset,
                split=meaning.split or stated.get("split"),
                side=meaning.side or stated.get("side"),
                protocol=meaning.protocol or (None if meaning.filtered else stated.get("protocol")),
                tool=stated.get("tool"),
                model=stated.get("model"),
                rank_type=meaning.rank_type or stated.get("rank_type"),
            )
            # Such files are often rounded, so the last digit is uncertain.
            entries.append(Entry(meaning.metric, text, len(rows), key, table.line, context, meaning.adjustment))
        rows.append(row)
    return make_reading(document, READER.key, "wide", rows, entries, skipped=skipped)


def _name_levels(paths: list[tuple[str, ...]]) -> dict[int, tuple[str, ...]]:
    """Return the names of the keys around a table, by how many there are.

    A level with a benchmark's name holds datasets; without one, AmpliGraph's order is assumed: dataset, then model.
    """
    levels: dict[int, tuple[str, ...]] = {}
    for depth in {len(path) for path in paths}:
        same = [path for path in paths if len(path) == depth]
        found = next((level for level in range(depth) if any(_BENCHMARK.search(path[level]) for path in same)), None)
        if found is None and depth == 2:
            found = 0
        others = iter(("model", *(f"key {place}" for place in range(2, depth + 1))))
        levels[depth] = tuple("dataset" if level == found else next(others) for level in range(depth))
    return levels


READER = Reader("ampligraph", "AmpliGraph, and other JSON objects of metrics", _recognise, _read)
