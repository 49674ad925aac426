"""Tables that have their metrics elsewhere than in the heading: in rows, or in the text above; tables side by side."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from rankconst.catalogue.mentions import find_joined, find_mentions, names_known
from rankconst.results.tables.cells import Row, is_missing, is_number, strip_marks
from rankconst.results.tables.columns import find_qualifier, is_vague, read_dataset, read_words
from rankconst.results.tables.settings import names_setting, parse_heading, tell_setting
from rankconst.results.tables.surroundings import OTHER_METRIC, Above, Printed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rankconst.results.tables.columns import Meaning
    from rankconst.results.tables.grid import Dialect

_FEW = 50
_DEEPEST = 5


GAIN = re.compile(
    r"(?:(?:rel(?:ative|\.)|abs(?:olute|\.)|%|avg\.?|average)\s*)?"
    r"(?:improv(?:ements?|e|\.)|impr\.?|gain|Δ|delta|p-value|significance|diff(?:erence|\.)|std\.?)(?:[\s(%].*)?$"
    r"|(?:(?:rel(?:ative|\.)|abs(?:olute|\.)|%)\s*)?(?:drop|decrease|decline|reduction|degradation|change|increase)"
    r"(?:\s*\(.*|\s(?:in|vs\.?|from|of|over|to|w\.r\.t\.?)\s.*)?$"
    r"|(?:sd|stdev|avg\.?|average|overall)$"
    r"|(?:平均|相对|绝对)?(?:提升|增益|差值|差异|下降|变化|平均)(?:值|率|幅度)?(?:\W.*)?$",
    re.IGNORECASE,
)
"""What rows, or columns, are called that compare others or sum them up."""
COMPARED = "a row of differences, deviations or averages over datasets"
"""Why such a row is left out."""


# Columns of numbers that are of no model: "Year", "Time (s)", "#Params", "Entities", "AUC".
_OF_NO_MODEL = re.compile(
    r"(?:#|(?:num(?:ber)?|no|best|total|wall|peak|train(?:ing)?|test|valid)(?:\.|_|\b))?\s*+(?:of\s)?"
    r"(?:years?|dates?|seeds?|runs?|trials?|epochs?|steps?|iterations?|"
    r"(?:train(?:ing)?|infer(?:ence)?|run|eval(?:uation)?|wall)?[ _-]?"
    r"(?:times?|seconds|secs?|minutes|hours|speed)|duration|speed-?up|param(?:eter)?s?|memory|ram|vram|gpus?|"
    r"(?:embedding |batch |model |hidden )?(?:size|dim(?:ension)?s?)|learning rate|lr|flops|rank|"
    r"entit(?:y|ies)|rel(?:ation)?s?|triples?|triplets|facts|nodes?|edges?|"
    r"dropout|margin|gamma|alpha|beta|lambda|temperature|weight decay|layers?|negatives?|negative samples?|density|"
    r"accuracy|acc|auc(?:-\w+)?|au-?(?:roc|prc?)|f1|precision|recall|loss|top-?k|k|n|#|"
    r"(?:训练|推理)?(?:时间|耗时)|参数|实体|关系|三元组|轮数|年份|内存|显存)(?:数|量|数量)?(?:\W.*)?$",
    re.IGNORECASE | re.DOTALL,
)


def names_other(label: str) -> bool:
    """Tell whether a row is of a setting or a count, ``--lr`` or ``Entities``, where others are of models."""
    return _OF_NO_MODEL.match(label) is not None or _OPTION.match(label) is not None


_OPTION = re.compile(r"--[a-z_]", re.IGNORECASE)


def _is_of_model(heading: str) -> bool:
    """Tell whether a column of numbers may be of a model, or of what else was evaluated."""
    patterns = (_OF_NO_MODEL.match, GAIN.match, _SAYS_METRIC.search, OTHER_METRIC.search)
    return not any(says(heading) for says in patterns)


# "H-MRR", "Hits@10 (ours)": a metric that is not understood is none of the text above either.
_SAYS_METRIC = re.compile(r"(?<![a-z])(?:mrr|hits?\W?\d|hits?@|h@\d)", re.IGNORECASE)


def pivot(rows: Sequence[Row], dialect: Dialect) -> list[Row] | None:
    """Turn a table with a metric in each row into one with a column for each; None if it is none.

    Columns of numbers are then rows: of a dataset if their headings name graphs, of a model otherwise. A metric that
    comes again begins a new block, and so does a change in the columns left of it. Rows of settings become columns.
    """
    head, *body = rows[0], *(row for row in rows[1:] if any(row.plain))
    width = len(head.plain)
    body = [row for row in body if len(row.plain) == width]
    place = next((j for j in range(min(width, 4)) if _holds_metrics(body, j, dialect)), None)
    if place is None or not body:
        return None
    measured = [row for row in body if dialect.names_metric(row.plain[place])]
    numbers = [j for j in range(place + 1, width) if head.plain[j] and _holds_numbers(measured, j)]
    labels = [j for j in range(width) if j != place and j not in numbers]
    numbers = [j for j in numbers if not _OF_NO_MODEL.match(head.plain[j])]
    # Next to values, other numbers are steps or times.
    values = [j for j in numbers if _is_value(dialect.parse(head.plain[j], None))]
    labels, numbers = sorted({*labels, *numbers} - {*values}) if values else labels, values or numbers
    if not numbers:
        return None
    names = [head.plain[j] for j in numbers]
    # What columns of "head" and "tail" say is found by their cells, as that of any column of such words is.
    graphs = (read_dataset(name)[0] for name in names)
    kind = "dataset" if any(map(names_known, graphs)) else "columns" if find_qualifier("", names) else "model"
    metrics = list(dict.fromkeys(row.plain[place] for row in measured))
    set_by_head = any(tell_setting(head.plain[place], name) for name in names)
    settings = _find_settings([head, *body] if set_by_head else body, place, metrics, dialect)
    # Where rows have names of models, the columns tell more of them: "RotatE (reproduced)".
    roles = {j: meaning.role for j in labels if (meaning := dialect.parse(head.plain[j], None)) is not None}
    models = [j for j, role in roles.items() if role == "model"] if kind == "model" and not values else []
    named = kind == "model" and any(_find_role(name, dialect) == kind for name in settings)
    told_by_rows = bool(models) or named or (len(values) == 1 and bool(labels or settings))
    blocks = _list_blocks(head, body, _Parts(place, labels, numbers, metrics, settings))
    if blocks is None:
        return None
    first = (*settings, *(head.plain[j] for j in labels), *([] if told_by_rows else [kind]), *metrics)
    splits = any(block.split for block in blocks)
    first = ("split", *first) if splits else first
    turned = [Row(head.line, first, first)]
    for split, said, set_to, found in blocks:
        for j in numbers:
            written = [found[name].cells[j] if name in found else "" for name in metrics]
            plain = [found[name].plain[j] if name in found else "" for name in metrics]
            told, column = dict(zip(labels, said, strict=True)), head.plain[j]
            told |= {model: column if GAIN.match(column) else f"{told[model]} ({column})" for model in models}
            own = [set_to[name].plain[j] if name in set_to else "" for name in settings]
            cells = (*own, *told.values(), *([] if told_by_rows else [column]))
            cells = (split, *cells) if splits else cells
            turned.append(Row(next(iter(found.values())).line, (*cells, *written), (*cells, *plain)))
    return turned


class _Block(NamedTuple):
    """Rows of a table that have a metric each, and what is said of all of them."""

    split: str
    said: tuple[str, ...]  # in the columns of names
    set_to: dict[str, Row]  # the row of each setting
    found: dict[str, Row]  # the row of each metric


class _Parts(NamedTuple):
    """The parts of a table with metrics in its rows."""

    place: int  # the column of metrics
    labels: list[int]  # the columns of names
    numbers: list[int]
    metrics: list[str]
    settings: list[str]


def _list_blocks(head: Row, rows: Sequence[Row], parts: _Parts) -> list[_Block] | None:
    """Divide the rows of a table where something else is said of them, or a metric comes again.

    A setting is of the rows with its own names, or of all if it has none; where it is said again, of those below it.
    None if settings that change may be of the rows above them.
    """
    place, labels = parts.place, parts.labels
    last, split = [""] * len(head.plain), _read_split(head.plain[place])
    listed: list[tuple[str, str, tuple[str, ...], Row]] = []
    values: dict[tuple[tuple[str, ...], str], dict[tuple[str, ...], Row]] = {}
    for row in rows:
        name = row.plain[place]
        if name in parts.metrics or name in parts.settings:
            last = [cell or above for cell, above in zip(row.plain, last, strict=True)]
            said = tuple(last[j] for j in labels)
            listed.append((name, split, said, row))
            if name in parts.settings:
                values.setdefault((said, name), {})[tuple(row.plain[j] for j in parts.numbers)] = row
        elif all(row.plain[j] == head.plain[j] for j in parts.numbers):  # the heading of a table right below
            split = _read_split(name)
    changing = {said for (said, _), own in values.items() if len(own) > 1}
    first, final = ({said: name for name, _, said, _ in each} for each in (listed[::-1], listed))
    if any(first[said] in parts.metrics and final[said] in parts.settings for said in changing):
        return None
    of_all = ("",) * len(labels)
    own = {head.plain[place]: head} if head.plain[place] in parts.settings else {}
    set_to: dict[tuple[str, ...], dict[str, Row]] = {of_all: own}
    for (said, name), each in values.items():
        if said not in changing:  # it is of those above it, too
            set_to.setdefault(said, {})[name] = next(iter(each.values()))
    blocks: list[_Block] = []
    for name, split, said, row in listed:
        if name in parts.settings:
            set_to[said] = {**set_to.get(said, {}), name: row}
            continue
        own = {**set_to[of_all], **set_to.get(said, {})}
        if not blocks or blocks[-1][:3] != (split, said, own) or name in blocks[-1].found:
            blocks.append(_Block(split, said, own, {}))
        blocks[-1].found[name] = row
    return blocks


def _find_settings(rows: Sequence[Row], place: int, metrics: Sequence[str], dialect: Dialect) -> list[str]:
    """Return the names of rows that are no metric but say something of ranking tasks: ``filtered``, ``dataset``."""
    names = {row.plain[place]: [*row.plain[:place], *row.plain[place + 1 :]] for row in reversed(rows)}
    return [
        name
        for name, cells in reversed(names.items())
        if name and name not in metrics and (is_setting(name, dialect) or _qualifies(name, cells))
    ]


def _qualifies(name: str, cells: Sequence[str]) -> bool:
    """Tell whether the cells of a row that is no metric are splits, sides or protocols, whatever its name."""
    return find_qualifier(name, [cell for cell in cells if cell]) is not None


# Roles of rows that say what the numbers of a table are of.
_TOLD = {"dataset", "model", "split", "side", "protocol", "aggregation", "tool", "relations"}


def is_setting(name: str, dialect: Dialect) -> bool:
    """Tell whether a name is that of a setting, or of anything else that says which ranking tasks numbers are of."""
    return names_setting(name) or (bool(name) and is_vague(name)) or _find_role(name, dialect) in _TOLD


def _find_role(name: str, dialect: Dialect) -> str | None:
    meaning = dialect.parse(name, None)
    return None if meaning is None else meaning.role


def _read_split(heading: str) -> str:
    """Return the split that the heading over the metrics names, as Lightning's ``Validate metric``."""
    said = read_words(re.sub(r"\b(?:metrics?|measures?|results?)\b", "", heading.lower()).strip())
    return (said or {}).get("split") or ""


def _is_value(meaning: Meaning | None) -> bool:
    return meaning is not None and meaning.role == "value"


def name_metric(rows: Sequence[Row], metric: str, outer: Sequence[str] = ()) -> list[Row] | None:
    """Put a metric over the columns that are headed by datasets, and return all rows of the heading.

    If rows are headed by datasets, it is put over all columns of numbers. None if neither is so, or columns are divided
    further. `outer` are names around the table: ``v1`` may be a part of one.
    """
    head, below = rows[0], rows[1] if len(rows) > 1 else Row(rows[0].line, (), ())
    if _spans(head):
        if _spans(below):
            return None
        over = zip(below.plain, _spread(head), strict=False)
        level = tuple(
            metric if _is_part(label, [upper]) or (read_words(label) and find_mentions(upper)) else ""
            for label, upper in over
        )
        return [Row(head.line, level, level, {}), head, below] if any(level) else None
    mentions = [find_mentions(label) for label in head.plain]
    named = [len(each) == 1 for each in mentions]
    if not any(own and each[0].known for own, each in zip(named, mentions, strict=True)):
        named = [_is_part(label, outer) for label in head.plain]
    if not any(named) and all(names_known(row.plain[0]) for row in rows[1:]):
        named = [bool(label) and _is_of_model(label) for label in head.plain]
        named = _leave_counts([own and _holds_numbers(rows[1:], j) for j, own in enumerate(named)], rows[1:], metric)
    words = (label and not is_missing(label) and not is_number(strip_marks(label)) for label in below.plain)
    divided = len(below.plain) == len(named) and any(own and word for own, word in zip(named, words, strict=True))
    if not any(named) or divided:
        return None
    level = tuple(metric if own else "" for own in named)
    return [Row(head.line, level, level, {}), head]


def _leave_counts(named: list[bool], rows: Sequence[Row], metric: str) -> list[bool]:
    """Return which columns may hold a share: not those of counts, nor of whole numbers next to others with decimals."""
    meaning = parse_heading(metric)
    if meaning is None or meaning.metric is None or not meaning.metric.is_share:
        return named
    cells = [[row.plain[j] for row in rows if j < len(row.plain)] for j in range(len(named))]
    named = [own and not any(map(_COUNT.fullmatch, each)) for own, each in zip(named, cells, strict=True)]
    shares = [own and any("." in cell for cell in each) for own, each in zip(named, cells, strict=True)]
    return shares if any(shares) else named


# No percentage.
_COUNT = re.compile(r"(?!100$)[1-9]\d?(?:\d|,\d{3})+")


def _spans(row: Row) -> bool:
    return any(width > 1 for width in (row.spans or {}).values())


def _is_part(label: str, outer: Iterable[str]) -> bool:
    """Tell whether a label is a part of a benchmark that another one names."""
    return bool(label) and any(len(find_joined(label, each)) == 1 for each in outer)


def _spread(row: Row) -> list[str]:
    """Return the labels over each column."""
    spread, label, left = [], "", 0
    for j, own in enumerate(row.plain):
        if own:
            label, left = own, (row.spans or {}).get(j, 1)
        spread.append(label if left > 0 else "")
        left -= 1
    return spread


# "FB15k-237 (MRR / Hits@10)" and "MRR/Hits@1/3/10".
_JOINT = re.compile(r"(?:(.{0,80}?)\s*+[(\[:]\s*+)?([^()\[\]:]{1,200}?/[^()\[\]:]{1,200}?)(?<!\s)\s*+[)\]]?", re.DOTALL)
# "MRR/Hits@10 (valid)"; a percent sign may be of the last only.
_SAID_OF = re.compile(r"([^()]{1,200}/[^()]{1,200}?)\s*+\(([^()%]{1,80})\)")
_SLASHED = re.compile(
    r"(?<![A-Za-z@\d-])[@\d-]*+([A-Za-z][A-Za-z@\d-]*+(?: ?@? ?\d+)?(?:\s*/\s*[A-Za-z@\d-]+(?: ?@? ?\d+)?)+)"
)


def split_joint(rows: list[Row], above: tuple[Above, ...], dialect: Dialect) -> list[Row]:
    """Return a table whose cells hold several metrics each, ``.338 / .533``, with a column for each of them.

    Their names are in the heading, or in the text above. What has another number of parts stays in one piece.
    """
    slashed = [row for row in rows if any(_count_numbers(text) > 1 for text in row.plain)]
    if not slashed:
        return rows
    top = rows[: rows.index(slashed[0])][:_DEEPEST]
    named = [{j: own for j, text in enumerate(row.plain) if (own := _name_parts(text, dialect))} for row in top]
    last = max((i for i, own in enumerate(named) if own), default=None)
    if last is not None:
        joint, below = named[last], rows[last + 1 :]
        if any((rows[last].spans or {}).get(j, 1) > 1 for j in joint):
            return rows
        split = [_split(row, {}, joint) for row in rows[:last]]
        split.append(_split(rows[last], _label(joint), joint))
    else:
        texts = (found for each in above for found in _SLASHED.findall(each.text))
        names = next((own[1] for text in texts if (own := _name_parts(text, dialect))), [])
        width = len(top[-1].plain) if top else 0
        joint = {
            j: (top[-1].plain[j], names)
            for j in range(width)
            if any(j < len(row.plain) and _count_numbers(row.plain[j]) == len(names) for row in slashed)
        }
        if not names or not joint or any(dialect.names_metric(text) for row in top for text in row.plain):
            return rows
        below = rows[len(top) :]
        split = [_split(top[-1], _label(joint), joint)]
    for row in below:
        parts = {j: _cut_numbers(row.plain[j], len(joint[j][1])) for j in joint if j < len(row.plain)}
        split.append(_split(row, parts, joint) if len(row.cells) > 1 else row)
    return split


def split_named(rows: list[Row], dialect: Dialect) -> list[Row]:
    """Return a table whose cells name their metrics, ``MRR: 0.338, Hits@10: 0.533``, with a column for each of them.

    Other numbers in such a column could be of any metric: then the table stays as it is. So does one in which cells
    name ever more metrics, since each would widen every row.
    """
    if not rows or any(dialect.names_metric(text) for row in rows[:_DEEPEST] for text in row.plain):
        return rows
    cells: dict[tuple[int, int], dict[str, str]] = {}
    names: dict[int, dict[str, None]] = {}
    for i, row in enumerate(rows):
        for j, text in enumerate(row.plain):
            if found := _read_named(text, dialect):
                cells[i, j] = found
                names.setdefault(j, {}).update(dict.fromkeys(found))
                if len(names[j]) > _MOST_NAMED:
                    return rows
    others = ((i, j, row.plain[j]) for i, row in enumerate(rows) for j in names if j < len(row.plain))
    if any(i == 0 for i, _ in cells) or any(is_number(text) for i, j, text in others if i and (i, j) not in cells):
        return rows
    head = rows[0]
    joint = {j: (head.plain[j] if j < len(head.plain) else "", [*own]) for j, own in names.items()}
    split = [_split(head, _label(joint), joint)]
    for i, row in enumerate(rows[1:], 1):
        # What names no metric, "n/a", stays in the first column.
        own = ((j, cells[i, j]) for j in joint if (i, j) in cells)
        parts = {j: [each.get(name, "") for name in names[j]] for j, each in own}
        split.append(_split(row, parts, joint) if len(row.cells) > 1 else row)
    return split if names else rows


_APART = re.compile(r"[;|]\s*+|,\s++|(?<!\s)\s++/\s++")
_LONGEST_NAMED = 200
_MOST_NAMED = 50  # metrics of a column


def _read_named(text: str, dialect: Dialect) -> dict[str, str]:
    """Return the metrics that a cell names, with their numbers; nothing if it holds anything else."""
    if len(text) > _LONGEST_NAMED or not any(map(str.isdecimal, text)) or is_number(text):
        return {}
    found = dict(_read_pair(part, dialect) for part in _APART.split(text))
    return found if all(found) else {}


def _read_pair(text: str, dialect: Dialect) -> tuple[str, str]:
    """Return the name of a metric and its number: ``MRR: 0.3``, ``MRR 0.3``, ``0.3 MRR``; or twice nothing."""
    sign = next((sign for sign in ":=" if sign in text), " ")
    pairs = [text.partition(sign)[::2]] if sign != " " else [text.rpartition(sign)[::2], text.partition(sign)[::-2]]
    own = ((name.strip(), number.strip()) for name, number in pairs)
    return next((pair for pair in own if is_number(pair[1]) and dialect.names_metric(pair[0])), ("", ""))


def _label(joint: Mapping[int, tuple[str, Sequence[str]]]) -> dict[int, list[str]]:
    return {j: [f"{label} / {name}" if label else name for name in names] for j, (label, names) in joint.items()}


def _name_parts(label: str, dialect: Dialect) -> tuple[str, list[str]] | None:
    """Return what a label says before the names of several metrics, and these; None if it is none."""
    found = _JOINT.fullmatch(label) if "/" in label else None
    if found is None:
        behind = _SAID_OF.fullmatch(label)
        own = _name_parts(behind[1], dialect) if behind is not None else None
        return ("", [f"{name} ({behind[2]})" for name in own[1]]) if behind is not None and own else None
    names: list[str] = []
    for part in map(str.strip, found[2].split("/")):
        family = re.match(r"(?:hits?|h)\s?@", names[-1], re.IGNORECASE) if names else None
        names.append(f"{family[0]}{part}" if family is not None and part.lstrip("@").isdecimal() else part)
    if found[1] and (all(map(read_words, names)) or all(map(names_known, names))) and dialect.names_metric(found[1]):
        return "", [f"{found[1]} ({name})" for name in names]  # "MRR (valid/test)", "MRR (FB15k-237 / WN18RR)"
    if not all(map(dialect.names_metric, names)):
        named = names[0].rpartition(" ")
        rest = [named[2], *names[1:]]
        return (named[0], rest) if named[0] and not found[1] and all(map(dialect.names_metric, rest)) else None
    if found[1]:
        return found[1].strip(), names
    # What only the first says of its tasks, or the last, is said of all: "WN18RR MRR/Hits@10", "MRR/Hits@10 (valid)".
    said = [_list_said(dialect.parse(name, None)) for name in names]
    shared = {field: word for each in (said[0], said[-1]) for field, word in each.items()}
    alone = {field for field in shared if sum(field in each for each in said) == 1}
    names = [
        f"{name}{''.join(f' ({shared[field]})' for field in sorted(alone - fields.keys()))}"
        for name, fields in zip(names, said, strict=True)
    ]
    return "", names


def _list_said(meaning: Meaning | None) -> dict[str, str]:
    """Return what the name of a metric says of its tasks."""
    fields = ("dataset", "split", "side", "protocol", "filtered")
    return {field: word for field in fields if (word := getattr(meaning, field, None))}


def _count_numbers(text: str) -> int:
    """Return how many numbers a cell holds, apart by slashes; 0 if it has none, or holds anything else."""
    if "/" not in text:
        return 0
    parts = [strip_marks(part.strip()) for part in text.split("/")]
    return len(parts) if all(is_number(part) or is_missing(part) for part in parts) else 0


def _cut_numbers(text: str, size: int) -> list[str]:
    return [part.strip() for part in text.split("/")] if _count_numbers(text) == size else [text] + [""] * (size - 1)


def _split(row: Row, parts: Mapping[int, Sequence[str]], joint: Mapping[int, tuple[str, Sequence[str]]]) -> Row:
    """Return a row with some cells in several parts, or followed by as many empty cells."""
    cells: list[str] = []
    plain: list[str] = []
    spans: dict[int, int] = {}
    for j, (cell, text) in enumerate(zip(row.cells, row.plain, strict=True)):
        if row.spans is not None and j in row.spans:
            spans[len(cells)] = sum(len(joint[i][1]) if i in joint else 1 for i in range(j, j + row.spans[j]))
        own = parts.get(j, (text,))
        size = len(joint[j][1]) if j in joint else 1
        cells += [*(own if len(own) > 1 else (cell,)), *[""] * (size - len(own))]
        plain += [*own, *[""] * (size - len(own))]
    return Row(row.line, tuple(cells), tuple(plain), None if row.spans is None else spans)


def split_beside(rows: Sequence[Row], dialect: Dialect) -> list[list[Row]]:
    """Return the tables that are next to each other, apart by an empty column or by a heading that begins again.

    Each begins with a column of names; numbers behind an empty column are of the same table. Empty margins are cut off.
    """
    columns: dict[int, list[str]] = {}
    for row in rows:
        for j, text in enumerate(row.plain):
            if text:
                columns.setdefault(j, []).append(text)
    again = _find_repeated(rows, dialect)
    starts = [j for j in sorted(columns) if j - 1 not in columns or j in again]
    ends = [j + 1 for j in sorted(columns) if j + 1 not in columns or j + 1 in again]
    parts = list[tuple[int, int]]()
    for start, end in zip(starts, ends, strict=True):
        measured = any(dialect.names_metric(text) for j in range(start, end) for text in columns[j][:_FEW])
        own = not parts or (measured and not any(map(is_number, columns[start])))
        parts.append((start if own else parts.pop()[0], end))
    return [[_cut(row, *part) for row in rows if any(row.plain[slice(*part)])] for part in parts]


def _find_repeated(rows: Sequence[Row], dialect: Dialect) -> set[int]:
    """Return where a heading begins again with the same label, each time over metrics."""
    for row in rows[:_DEEPEST]:
        label = next(filter(None, row.plain), "")
        places = [j for j, text in enumerate(row.plain) if text == label and not dialect.names_metric(text)]
        parts = (row.plain[i:j] for i, j in pairwise([*places, len(row.plain)]))
        if len(places) > 1 and all(any(map(dialect.names_metric, part)) for part in parts):
            return {*places[1:]}
    return set()


def _cut(row: Row, first: int, last: int) -> Row:
    """Return the cells of a row from a column on, up to another."""
    pad = ("",) * (last - max(len(row.cells), first))
    spans = row.spans and {j - first: min(width, last - j) for j, width in row.spans.items() if first <= j < last}
    return Row(row.line, row.cells[first:last] + pad, row.plain[first:last] + pad, spans)


def take_titles(rows: Sequence[Row], above: tuple[Above, ...], dialect: Dialect) -> Printed:
    """Return a table with what is above it; its own first lines without a heading are sentences."""
    filled = [list(filter(None, row.plain)) for row in rows]
    body = next((i for i, texts in enumerate(filled) if len(texts) > 1 or any(map(dialect.names_metric, texts))), 0)
    width = len(rows[body].cells) if dialect.even and body < len(rows) else None
    last = max((i for i, texts in enumerate(filled) if len(texts) > 1), default=0)
    if width is not None:
        remarks = [i for i, row in enumerate(rows) if i > body and len(row.cells) != width and _is_remark(row)]
    else:  # a row of a workbook has cells behind its text
        remarks = [i for i, texts in enumerate(filled) if i > last > body and len(texts) == 1 and _is_remark(rows[i])]
    # Between rows, a line is about those below it.
    between = {i: _widen(rows[i].line, ", ".join(filled[i]), width or 1) for i in remarks if i < last}
    below = [i for i in remarks if i not in between]
    left = frozenset(below)
    return Printed(
        [between.get(i, row) for i, row in enumerate(rows) if i >= body and i not in left],
        (
            *(Above("sentence", texts[0]) for texts in filled[:body][::-1]),
            *(Above("note", _NOTE.sub("", ", ".join(filled[i]))) for i in below[:_MOST_NOTES]),
            *above,
        ),
    )


def _widen(line: int, text: str, width: int) -> Row:
    """Return a line as a row of a single cell, without the sign of a comment."""
    empty = ("",) * (width - 1)
    return Row(line, (text, *empty), (text.strip("#/* "), *empty))


_MOST_NOTES = 5
_NOTE = re.compile(r"^\W{0,9}(?:notes?|n\.b\.|remarks?)\s?:\s?", re.IGNORECASE)
_REMARK = re.compile(r"[*\u2020\u2021\u00a7#]|//|(?:notes?|n\.b\.|remarks?|sources?|legend)\b", re.IGNORECASE)
_SENTENCE = 3


def _is_remark(row: Row) -> bool:
    """Tell whether a line of a delimited file is a remark, ``* results from [3]``, and no row that was cut off."""
    first = row.plain[0]
    return not any(map(is_number, row.plain)) and (
        _REMARK.match(first) is not None or (len(row.cells) == 1 and len(first.split()) >= _SENTENCE)
    )


def _holds_metrics(rows: Sequence[Row], j: int, dialect: Dialect) -> bool:
    """Tell whether at least half of a column names metrics but for settings; other rows may have parameters."""
    cells = [row.plain[j] for row in rows[:_FEW] if row.plain[j] and not is_setting(row.plain[j], dialect)]
    return bool(cells) and 2 * sum(map(dialect.names_metric, cells)) >= len(cells)


def _holds_numbers(rows: Sequence[Row], j: int) -> bool:
    cells = [strip_marks(row.plain[j]) for row in rows if j < len(row.plain) and not is_missing(row.plain[j])]
    return bool(cells) and sum(is_number(cell) for cell in cells) * 2 > len(cells)
