"""``rankconst adjust --counts`` where queries have several right answers: numbers, JSON, or what RecBole prints."""

from __future__ import annotations

import csv
import re
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankconst.catalogue.answers import FAMILIES, parse_answers_metric
from rankconst.cli.output import say
from rankconst.errors import DataError, UndefinedError, UnknownNameError, UsageError
from rankconst.listing import Column, Listing, number, show_interval, show_tail
from rankconst.results.vocabulary import list_values

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rankconst.tables.own_counts import Answers

_COLUMNS = ("num_candidates", "relevant", "num_tasks")
_NUMBER = re.compile(r"([A-Za-z_][\w]{0,30}(?:@\d{1,6})?)['\"]?\s{0,9}[,:=]\s{0,9}(\d{0,9}\.?\d+(?:e-?\d{1,3})?%?)")


def read_answers(path: Path) -> Answers | None:
    """Read numbers of candidates and of right answers; None if the file has no column ``relevant``."""
    from rankconst.tables.own_counts import gather_answers

    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError):
        return None  # what reads counts says why
    reader = csv.DictReader(lines, delimiter="\t" if lines and "\t" in lines[0] else ",")
    names = [name.strip() for name in reader.fieldnames or ()]
    if "relevant" not in names:
        return None
    reader.fieldnames = names
    if not {*_COLUMNS[:2]} <= {*names} <= {*_COLUMNS}:
        raise DataError(f"{path}, line 1: got columns {', '.join(names)}; expected {', '.join(_COLUMNS)}.")
    rows = list[tuple[int, ...]]()
    for line, row in enumerate(reader, start=2):
        try:
            rows.append(tuple(int(row.get(name, "1")) for name in _COLUMNS))
        except (TypeError, ValueError):
            raise DataError(
                f"{path}, line {line}: expected whole numbers, one for each of {', '.join(names)}."
            ) from None
        if not 1 <= rows[-1][2] <= 2**53:
            raise DataError(f"{path}, line {line}: num_tasks is {rows[-1][2]}; expected 1 to 2**53.")
    if not rows:
        raise DataError(f"{path} holds no counts: expected a row for each query below its heading.")
    sizes, right, times = zip(*rows, strict=True)
    return gather_answers(sizes, right, None, path.stem, times)


def list_answers(answers: Answers, file: str | None, typed: Sequence[str], metrics: Sequence[str]) -> Listing:
    """List numbers with what chance gets on these queries, and their adjusted forms."""
    rows: list[dict[str, Any]] = []
    for line, name, text in _read_file(Path(file)) if file is not None else _read_typed(typed, metrics):
        constants = answers.constants(name)
        found = constants.adjust(text)
        row = {"line": line, "metric": constants.metric.label, "value": text, "expectation": constants.expectation}
        for form in ("index", "z"):
            ends = getattr(found, f"{form}_interval")
            lower, upper = ends if ends is not None else (None, None)
            row |= {form: getattr(found, form), f"{form}_lower": lower, f"{form}_upper": upper}
        row |= dict.fromkeys(("log10_p", "log10_p_lower", "log10_p_upper"))
        if not constants.explain_lack():
            try:
                p = constants.significance(text)
                row |= {"log10_p": p.log10, "log10_p_lower": p.interval.lower, "log10_p_upper": p.interval.upper}
            except UndefinedError as error:
                say(f"note: no p: {error}")
        rows.append(row | {"definition": FAMILIES[parse_answers_metric(name)[0]].source})
    columns = [
        Column("line", "line" if file is not None else None),
        Column("metric", "metric"),
        Column("value", "published", right=True),
        Column("expectation", "chance", number(4), right=True),
        Column("index", "index", right=True, show_row=show_interval("index")),
        Column("z", "z", right=True, show_row=show_interval("z")),
        Column("log10_p", "p", right=True, show_row=show_tail("log10_p")),
        *map(Column, ("index_lower", "index_upper", "z_lower", "z_upper", "log10_p_lower", "log10_p_upper")),
        Column("definition", "as defined by", drop=1),
    ]
    count = int(answers.weights[:, 0].sum())
    caption = f"{count:,} queries of {answers.name}. Index: 0 = chance, 1 = all right answers on top."
    return Listing.of(columns, rows, caption=caption)


def _read_typed(typed: Sequence[str], metrics: Sequence[str]) -> Iterator[tuple[None, str, str]]:
    for name, text in (each.rpartition("=")[::2] for each in typed):
        if not name and len(metrics) != 1:
            raise UsageError(f"which metric is {text}? Write it before the value: recall@10={text}.")
        yield None, name or metrics[0], text


def _read_file(path: Path) -> Iterator[tuple[int, str, str]]:
    """Yield the numbers of metrics with their lines; what a line says of the validation set is left out."""
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"cannot read {path}: {error}.") from error
    found = 0
    for line, content in enumerate(lines, start=1):
        known = [(name, text) for name, text in _NUMBER.findall(content) if _is_known(name)]
        found += len(known)
        words = (list_values().get(word, ("", "")) for word in re.findall("[a-z]+", content.lower()))
        splits = {value for field, value in words if field == "split"}
        if known and splits - {"test"}:
            say(f"note: {path}, line {line}: left out, as the counts are of the test set: {', '.join(sorted(splits))}.")
        else:
            yield from ((line, name, text) for name, text in known)
    if not found:
        raise DataError(
            f"{path} holds no number of {', '.join(row.symbol.format(k='k') for row in FAMILIES.values())}."
        )


def _is_known(name: str) -> bool:
    with suppress(UnknownNameError):
        return bool(parse_answers_metric(name))
    return False
