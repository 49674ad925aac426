"""LibKGE's ``trace.yaml``: a record a line, from which the evaluations are taken.

References
----------
LibKGE, github.com/uma-pi1/kge, ``kge/job/eval_entity_ranking.py`` and ``kge/job/trace.py``.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from rankconst.errors import DataError, UnknownNameError
from rankconst.protocols import PROTOCOLS, SPLITS, parse_split
from rankconst.results.libkge_names import parse_libkge_name
from rankconst.results.reading import Entry, Reader, Reading, Skipped, make_reading
from rankconst.results.structured import Number, Value, parse_yaml, read_number
from rankconst.settling import Context

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rankconst.results.document import Document

__all__ = ["READER"]

# What an evaluation's record says, and a line must hold to be parsed at all.
_EVENT = "eval_completed"
_TYPE = "entity_ranking"
_EXAMPLE = "example_rank"
_COLUMNS = ("dataset", "model", "epoch", "split", "filter_splits", "size")


def _recognise(document: Document) -> bool:
    # Both words in one flow mapping, as no other tool writes it.
    found = next((line for line in document.lines if _EVENT in line), "")
    return found.lstrip().startswith("{") and _TYPE in found


def _read(document: Document) -> Reading:
    rows: list[dict[str, str]] = []
    entries: list[Entry] = []
    skipped: list[Skipped] = []
    examples = 0
    for line, text in enumerate(document.lines, start=1):
        if _EVENT not in text:
            examples += _EXAMPLE in text
            continue
        record = parse_yaml(document, text, line)
        if not isinstance(record, dict) or record.get("event") != _EVENT:
            continue
        if record.get("type") != _TYPE:
            skipped.append(Skipped(line, f"type {_text(record, 'type')}", "it is no evaluation of entity ranking"))
            continue
        found, left_out = _read_record(document, line, record, len(entries))
        entries += (entry for entry, _ in found)
        rows += (
            {**{key: _text(record, key) for key in _COLUMNS}, "metric": key, "value": entry.text}
            for entry, key in found
        )
        skipped += left_out
    if examples:
        skipped.append(Skipped(None, f"{examples:,} records {_EXAMPLE}", "each is the rank of one task"))
    return make_reading(document, READER.key, "long", rows, entries, skipped=skipped, source="libkge")


def _read_record(
    document: Document, line: int, record: Mapping[str, Value], first: int
) -> tuple[list[tuple[Entry, str]], list[Skipped]]:
    try:
        split = parse_split(str(record.get("split")))
    except UnknownNameError:
        return [], [Skipped(line, f"split {_text(record, 'split')}", f"it is none of {', '.join(SPLITS)}")]
    protocols = _settle_protocols(record.get("filter_splits"), split)
    size = _read_size(document, line, record)
    found: list[tuple[Entry, str]] = []
    left_out: Counter[str] = Counter()
    for key, value in record.items():
        name = parse_libkge_name(key)
        if name is None:
            continue
        text = read_number(value, f"{document.at(line)}, key {key}")
        protocol = protocols[name.protocol]
        if text is None or name.reason or protocol is None:
            left_out[
                name.reason or "it is null"
                if protocol
                else f"filtered by {_text(record, 'filter_splits')}, for which there are no constants"
            ] += 1
            continue
        context = Context(
            dataset=_text(record, "dataset") or None,
            model=_text(record, "model") or None,
            split=split,
            side=name.side,
            protocol=protocol,
            num_tasks=None if size is None else size * (2 if name.side == "both" else 1),
        )
        found.append((Entry(name.metric, text, first + len(found), "value", line, context, exact=True), key))
    return found, [Skipped(line, f"{count:,} of its metrics", why) for why, count in left_out.items()]


def _settle_protocols(filters: Value, split: str) -> dict[str, str | None]:
    """Return the protocol of metrics by their suffix, under the name of what the suffix means by default.

    LibKGE filters by the splits that `filters` lists; ``_filtered_with_test`` adds test to them.
    """
    known = (
        {str(each) for each in filters} if isinstance(filters, list) else set(PROTOCOLS["libkge"].known_splits(split))
    )
    return {"raw": "raw", "libkge": _match(known, split), "standard": _match({*known, "test"}, split)}


def _match(known: set[str], split: str) -> str | None:
    return next((key for key in ("libkge", "standard") if set(PROTOCOLS[key].known_splits(split)) == known), None)


def _read_size(document: Document, line: int, record: Mapping[str, Value]) -> int | None:
    """Return the number of evaluated triples, each of which is ranked once on either side."""
    size = record.get("size")
    if size is None:
        return None
    if not isinstance(size, Number) or re.fullmatch(r"[1-9]\d{0,14}", size, re.ASCII) is None:
        raise DataError(f"{document.at(line)}, key size: expected a number of triples, at least 1, got {size}.")
    return int(size)


def _text(record: Mapping[str, Value], key: str) -> str:
    value = record.get(key)
    if isinstance(value, list):
        return ", ".join(str(each) for each in value)
    return "" if value is None or isinstance(value, dict) else str(value)


READER = Reader("libkge", "LibKGE: trace.yaml", _recognise, _read)
"""LibKGE's traces."""
