"""Adjust the numbers of a pandas DataFrame; pandas is imported by whoever passes one in."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rankconst.catalogue.metrics import parse_metric
from rankconst.constants.published import read_numbers
from rankconst.errors import DataError, RankconstError, UsageError
from rankconst.names import squash
from rankconst.results.adjust import (
    TASK_FACTS,
    TIES,
    Batch,
    Done,
    adjust_batch,
    fill_columns,
    keep_apart,
    look_up,
    name_blocks,
)
from rankconst.results.evaluation import NOTHING, Stated, parse_stated, settle
from rankconst.results.formats import find_tool
from rankconst.results.tables.cells import is_missing, is_plain_number, strip_marks
from rankconst.results.tables.columns import (
    RANK_TYPES,
    Meaning,
    find_qualifier,
    parse_column,
    read_name,
    read_qualifier,
)
from rankconst.results.tables.grid import are_versions, join_names
from rankconst.results.tables.surroundings import describe_dataset, tell_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    import pandas as pd
    from numpy.typing import NDArray

    from rankconst.catalogue.metrics import Metric
    from rankconst.catalogue.tools import Tool
    from rankconst.tables.tables import Tables
    from rankconst.tasks import Tasks

    Numbers = NDArray[np.float64]

_CONTEXT = ("dataset", "split", "side", "protocol", "aggregation", "tool")
# What a heading can say next to the metric.
_SAID = ("dataset", "split", "side", "protocol")


def adjust_frame(
    frame: pd.DataFrame,
    tables: Tables,
    user: Stated,
    *,
    metrics: Collection[Metric] = (),
    percent: bool | Collection[str] = False,
    decimals: int | Mapping[str, int] | None = None,
    noting: bool = False,
    complete: Callable[[pd.DataFrame], Contexts] | None = None,
) -> pd.DataFrame:
    """Adjust the numbers of a DataFrame; see :func:`rankconst.adjust`. `noting` skips rows whose tasks are unknown.

    `complete` finds what the numbers themselves say about their tasks, where adjusted values or counts are among them.
    """
    if getattr(frame.columns, "nlevels", 1) > 1:
        raise UsageError(
            "the columns have several levels; join them first: frame.columns = [' / '.join(c) for c in frame.columns]."
        )
    user = parse_stated(user, tables)
    shares = percent if isinstance(percent, bool) else frozenset(map(parse_metric, percent))
    rounded = (
        {parse_metric(name): digits for name, digits in decimals.items()} if isinstance(decimals, Mapping) else decimals
    )
    meanings = {place: parse_column(str(name)) for place, name in enumerate(frame.columns)}
    for place, meaning in meanings.items():  # std next to a metric is its spread over runs
        before = meanings.get(place - 1)
        if squash(str(frame.columns[place])) == "std" and before is not None and before.metric is not None and meaning:
            meanings[place] = replace(meaning, metric=None)
    roles = _gather_roles(frame, meanings)
    measured = {
        place: meaning
        for place, meaning in meanings.items()
        if meaning is not None and _is_base(meaning) and (not metrics or meaning.metric in metrics)
    }
    long = {"metric", "value"} <= roles.keys()
    if not long and not measured:
        raise DataError(
            f"no column holds a metric; there are: {', '.join(map(str, frame.columns)) or 'none'}. "
            "Name columns MRR, MR, Hits@10 ..., or metric and value."
        )
    way = _Way(user, tables, shares, rounded, noting, find_tool(map(str, frame.columns)))
    contexts = complete(frame) if complete is not None and _tells(frame, meanings, roles) else {}
    task = _find_task(frame, meanings)
    work = _Work(
        frame,
        roles,
        _find_qualifiers(frame, meanings, roles),
        contexts,
        way,
        task=task,
        part=_find_part(frame, meanings),
    )
    added = work.adjust_long() if long else work.adjust_wide(measured)
    added[keep_apart("table_version", work.taken)] = work.list_versions()
    if noting or work.notes:
        added[keep_apart("note", work.taken)] = [work.notes.get(row, "") for row in range(len(frame))]
    import pandas as pd

    # Not assign, which copies every array once more.
    return pd.concat([frame, pd.DataFrame(added, index=frame.index, copy=False)], axis=1)


def _tells(frame: pd.DataFrame, meanings: Mapping[int, Meaning | None], roles: Mapping[str, int]) -> bool:
    """Tell whether a frame holds adjusted values or numbers of ranks."""
    found = list(meanings.values())
    if "metric" in roles:
        found += [parse_column(str(name)) for name in frame.iloc[:, roles["metric"]].unique()]
    return any(each is not None and (each.adjustment is not None or each.role == "num_tasks") for each in found)


def _is_base(meaning: Meaning) -> bool:
    return meaning.metric is not None and meaning.adjustment is None and meaning.metric.optimum is not None


def _gather_roles(frame: pd.DataFrame, meanings: Mapping[int, Meaning | None]) -> dict[str, int]:
    """Return role to position of its column; refuse two columns of one role."""
    roles: dict[str, int] = {}
    for place, meaning in meanings.items():
        if meaning is None or meaning.role == "measured":
            continue
        if meaning.role in roles and meaning.role in (*_CONTEXT, "metric", "value"):
            one, two = frame.columns[roles[meaning.role]], frame.columns[place]
            raise UsageError(f"columns {one!r} and {two!r} both say the {meaning.role}; rename one.")
        roles.setdefault(meaning.role, place)
    return roles


def _find_qualifiers(
    frame: pd.DataFrame, meanings: Mapping[int, Meaning | None], roles: Mapping[str, int]
) -> dict[str, int]:
    """Return the columns without a meaning that name a split, a side or a protocol in every row."""
    found: dict[str, int] = {}
    for place, meaning in meanings.items():
        if meaning is None and frame.iloc[:, place].dtype.kind not in "fiub":
            cells = frame.iloc[:, place].dropna().unique()
            role = find_qualifier(map(str, cells)) if 0 < len(cells) < _MOST_QUALIFIERS else None
            if role is not None and role not in roles:
                found.setdefault(role, place)
    return found


# Words for splits, sides and protocols; a column of more texts is of something else.
_MOST_QUALIFIERS = 20


def _find_part(frame: pd.DataFrame, meanings: Mapping[int, Meaning | None]) -> int | None:
    """Return the column without a meaning that tells versions of datasets: v1, v2."""
    for place, meaning in meanings.items():
        if meaning is None and are_versions([str(cell) for cell in frame.iloc[:_MOST_QUALIFIERS, place].dropna()]):
            return place
    return None


def _find_task(frame: pd.DataFrame, meanings: Mapping[int, Meaning | None]) -> str | None:
    tasks = (
        tell_rows(str(frame.columns[place]), [str(cell) for cell in frame.iloc[:_MOST_QUALIFIERS, place].dropna()])
        for place, meaning in meanings.items()
        if meaning is None
    )
    return next(filter(None, tasks), None)


def _split_rows(frame: pd.DataFrame, places: Sequence[int]) -> Iterator[tuple[tuple[Any, ...], NDArray[np.intp]]]:
    """Yield the distinct combinations of some columns, in order of appearance, with the positions of their rows.

    What is missing is None.
    """
    codes = np.zeros(len(frame), dtype=np.int64)
    for place in places:
        own, uniques = frame.iloc[:, place].factorize(use_na_sentinel=False)
        codes = codes * max(len(uniques), 1) + own
        _, codes = np.unique(codes, return_inverse=True)
    if not len(frame):
        return
    order = np.argsort(codes, kind="stable")
    starts = np.flatnonzero(np.concatenate(([True], np.diff(codes[order]) != 0)))
    for rows in sorted(np.split(order, starts[1:]), key=lambda part: int(part[0])):
        first = frame.iloc[rows[:1], list(places)]
        missing = first.isna().to_numpy()[0]
        yield tuple(None if missing[i] else first.iloc[0, i] for i in range(len(places))), rows


@dataclass(frozen=True, slots=True)
class _Way:
    """How the cells of a frame are read: which tasks, which constants, what is a percentage, how it was rounded."""

    user: Stated
    tables: Tables
    percent: bool | frozenset[Metric]
    decimals: int | Mapping[Metric, int] | None
    noting: bool
    # The tool that writes such frames, the last to be asked.
    tool: str | None

    def is_percentage(self, metric: Metric) -> bool:
        """Tell whether values of a metric are percentages without a sign; a mean rank never is."""
        return metric.is_share and (self.percent if isinstance(self.percent, bool) else metric in self.percent)

    def decimals_of(self, metric: Metric) -> int | None:
        """Return to how many decimals values of a metric were rounded; None to go by the text."""
        return self.decimals.get(metric) if isinstance(self.decimals, Mapping) else self.decimals


Contexts = dict[tuple[int, str], Stated]
"""Row and column to what is known about the tasks of the number there."""

Settled = list[tuple["Tasks", "Tool | None", "NDArray[np.intp]"]]


class _Work:
    """The columns of a frame that are read, and the ranking tasks of its rows."""

    def __init__(
        self,
        frame: pd.DataFrame,
        roles: Mapping[str, int],
        qualifiers: Mapping[str, int],
        contexts: Contexts,
        way: _Way,
        *,
        task: str | None,
        part: int | None,
    ) -> None:
        self.frame, self.roles, self.contexts, self.way = frame, roles, contexts, way
        self.taken = set(map(str, frame.columns))
        self.notes: dict[int, str] = {}
        self._versions: dict[str, list[NDArray[np.intp]]] = {}
        columns = {role: place for role, place in {**roles, **qualifiers}.items() if role in _CONTEXT}
        if "model" in roles and any(
            read_name(str(name))[1] for name in frame.iloc[:, roles["model"]].dropna().unique()
        ):
            columns["model"] = roles["model"]
        if "dataset" in columns and part is not None:
            columns["version"] = part
        self._stated = [
            (dict(_read_stated(dict(zip(columns, keys, strict=True)), qualifiers, task)), rows)
            for keys, rows in _split_rows(frame, list(columns.values()))
        ]

    def adjust_long(self) -> dict[str, Any]:
        """Return the columns that are added to a long frame."""
        at = [self.roles[role] for role in ("metric", "k") if role in self.roles]
        settled = self._settle(Meaning("measured"), str(self.frame.columns[self.roles["value"]]))
        done: list[Done] = []
        for tasks, tool, rows in settled:
            for (name, *ks), inner in _split_rows(self.frame.iloc[rows], at):
                meaning = None if name is None else _read_name(str(name), ks[0] if ks else None)
                if meaning is not None and _is_base(meaning):
                    done += self._adjust(tasks, tool, meaning, rows[inner], self.roles["value"])
        (block,) = name_blocks({"value": parse_metric("mrr")}, self.taken, long=True).values()
        columns = fill_columns(len(self.frame), done)
        return {name: columns[key] for key, name in block.list_names().items()} | self._describe(settled, "")

    def adjust_wide(self, measured: Mapping[int, Meaning]) -> dict[str, Any]:
        """Return the columns that are added to a wide frame."""
        self._check_signs([place for place, meaning in measured.items() if meaning.percent])
        metrics: dict[str, Metric | None] = {}
        for place, meaning in measured.items():
            name = str(self.frame.columns[place])
            if name in metrics:
                raise UsageError(f"there are two columns {name!r}; rename or drop one.")
            metrics[name] = meaning.metric
        blocks = name_blocks({name: metric for name, metric in metrics.items() if metric}, self.taken, long=False)
        added: dict[str, Any] = {}
        plain = None
        for place, meaning in measured.items():
            name = str(self.frame.columns[place])
            block, settled = blocks[name], self._settle(meaning, name)
            done = [each for tasks, tool, rows in settled for each in self._adjust(tasks, tool, meaning, rows, place)]
            columns = fill_columns(len(self.frame), done)
            added |= {name: columns[key] for key, name in block.list_names().items()}
            if any(getattr(meaning, field) for field in _SAID):
                added |= self._describe(settled, block.prefix)
            else:
                plain = settled
        return added if plain is None else added | self._describe(plain, "")

    def _settle(self, meaning: Meaning, column: str) -> Settled:
        """Return sets of ranking tasks with the positions of their rows, for a column with that heading."""
        own = {field: getattr(meaning, field) for field in _SAID if getattr(meaning, field)}
        settled: Settled = []
        failed: list[RankconstError] = []
        for stated, rows in self._stated:
            for context, inner in self._complete(replace(NOTHING, **{**stated, **own}), rows, column):
                try:
                    tasks, tool = settle(context, self.way.user, self.way.tables, tool=self.way.tool)
                    settled.append((tasks, tool, inner))
                    self._versions.setdefault(self.way.tables.version_of(tasks.dataset), []).append(inner)
                except RankconstError as error:
                    failed.append(error)
                    self.notes.update(dict.fromkeys(inner.tolist(), str(error)))
        if failed and not self.way.noting:
            # All at once, so that a table is mended in one go.
            raise type(failed[0])("\n".join(dict.fromkeys(map(str, failed))))
        return settled

    def list_versions(self) -> Any:
        """Return the version of the tables of every row; a single text is stored much faster than as many copies."""
        if len(self._versions) < 2:
            return next(iter(self._versions), self.way.tables.version)
        versions = np.full(len(self.frame), None, dtype=object)
        for version, parts in self._versions.items():
            versions[np.concatenate(parts)] = version
        return versions

    def _complete(self, said: Stated, rows: NDArray[np.intp], column: str) -> Iterator[tuple[Stated, NDArray[np.intp]]]:
        """Yield what is known about the tasks of some rows that say the same, with the positions of those alike."""
        if not self.contexts:
            yield said, rows
            return
        found: dict[Stated, list[int]] = {}
        for row in rows.tolist():
            known = self.contexts.get((row, column))
            if known is not None:
                found.setdefault(replace(known, model=None, rank_type=None, num_tasks=None), []).append(row)
            elif said.dataset or self.way.user.dataset:  # there is no number, but what it would be of is known
                found.setdefault(said, []).append(row)
        for context, places in found.items():
            yield context, np.array(places, dtype=np.intp)

    def _describe(self, settled: Settled, prefix: str) -> dict[str, Any]:
        """Return the ranking tasks of every row, as far as the frame has no columns of its own for them."""
        num_tasks = np.zeros(len(self.frame), dtype=np.int64)
        for tasks, _, rows in settled:
            num_tasks[rows] = self.way.tables.histogram(replace(tasks, aggregation="micro")).total
        described: dict[str, Any] = {}
        for fact in (fact for fact in TASK_FACTS if fact not in self.roles):
            told = {getattr(tasks, fact) for tasks, _, _ in settled}
            # A single text is stored much faster than as many copies.
            values: Any = told.pop() if len(told) == 1 and num_tasks.all() else self._spread(settled, fact)
            described[keep_apart(f"{prefix}{fact}", self.taken)] = values
        return described | {keep_apart(f"{prefix}num_tasks", self.taken): num_tasks}

    def _spread(self, settled: Settled, fact: str) -> NDArray[Any]:
        values = np.full(len(self.frame), None, dtype=object)
        for tasks, _, rows in settled:
            values[rows] = getattr(tasks, fact)
        return values

    def _adjust(
        self, tasks: Tasks, tool: Tool | None, meaning: Meaning, rows: NDArray[np.intp], place: int
    ) -> Iterator[Done]:
        """Adjust the cells of some rows in one column."""
        if meaning.metric is None:
            return
        numbers = self._read(self.frame.iloc[rows, place], meaning, meaning.metric, str(self.frame.columns[place]))
        there = np.isfinite(numbers[:, 0])
        if there.any():
            value, lower, upper = numbers[there].T
            batch = Batch(tasks, meaning.metric, tool, value, lower, upper, rows[there])
            try:
                whole = look_up(batch, self.way.tables)
            except UsageError as error:  # a metric without constants for such an average
                self.notes.update(dict.fromkeys(batch.index.tolist(), str(error)))
                return
            done = adjust_batch(batch, whole)
            if self.way.noting:
                self._note(done)
            yield done

    def _note(self, done: Done) -> None:
        """Note what is undefined, and ranks that ties favour or harm."""
        told = tuple(dict.fromkeys(done.explain_undefined().values()))
        kinds = self.frame.iloc[:, self.roles["rank_type"]].tolist() if "rank_type" in self.roles else None
        for row in done.batch.index.tolist():
            ties = "" if kinds is None else TIES.get(RANK_TYPES.get(str(kinds[row]).lower(), ""), "")
            before = self.notes.get(row, "")
            if notes := [note for note in (*told, ties) if note and note not in before]:
                self.notes[row] = " ".join(filter(None, (before, *notes)))

    def _read(self, cells: pd.Series[Any], meaning: Meaning, metric: Metric, name: str) -> Numbers:
        """Return values and their ends, shape (n, 3); NaN where there is none."""
        decimals = self.way.decimals_of(metric)
        percent = meaning.percent or self.way.is_percentage(metric)
        if cells.dtype.kind in "fiu" and (metric.is_share or not percent):
            value = cells.to_numpy(dtype=np.float64, na_value=np.nan)
            infinite = np.flatnonzero(np.isinf(value))
            if infinite.size:
                raise DataError(f"column {name}, row {cells.index[infinite[0]]}: {value[infinite[0]]} is no result.")
            self._check_percentages(metric, meaning, value, name)
            value = value / 100 if percent else value
            open_by = 0.0 if decimals is None else 0.5 * 10.0 ** -(decimals + 2 * percent)
            return np.stack((value, value - open_by, value + open_by), axis=1)
        codes, uniques = cells.factorize()
        texts = {place: text for place, cell in enumerate(uniques) if (text := _strip(cell)) is not None}
        known = list(texts)

        def locate(position: int) -> str:
            return f"column {name}, row {cells.index[int(np.argmax(codes == known[position]))]}"

        found = np.full((len(uniques) + 1, 3), np.nan)  # the last row, for code -1, stays NaN
        found[known] = read_numbers(metric, list(texts.values()), decimals=decimals, percent=percent, name=locate)
        numbers: Numbers = found[codes]
        if self.way.percent is True:
            signed = np.array([isinstance(cell, str) and "%" in cell for cell in uniques] + [False])
            self._check_percentages(metric, meaning, np.where(signed[codes], np.nan, numbers[:, 0] * 100), name)
        return numbers

    def _check_signs(self, places: Sequence[int]) -> None:
        """Refuse fractions below headings that say percent."""
        import pandas as pd

        largest = [pd.to_numeric(self.frame.iloc[:, place], errors="coerce").max() for place in places]
        if any(value <= 1 for value in largest) and not any(value > 1 for value in largest):
            raise DataError(
                f"column {self.frame.columns[places[0]]}: the heading says percent, and every value is at most 1, as "
                "fractions are. Rename the column, or multiply by 100."
            )

    def _check_percentages(self, metric: Metric, meaning: Meaning, written: Numbers, name: str) -> None:
        """Refuse to take a column of fractions for percentages below one."""
        if meaning.percent or self.way.percent is not True or not metric.is_share:
            return
        there = written[np.isfinite(written)]
        if there.size and there.max() <= 1:
            raise DataError(
                f"column {name}: every value is at most 1, as fractions are. Name the metrics that are percentages: "
                "percent=['hits@10']."
            )


def _read_stated(
    cells: Mapping[str, Any], qualifiers: Mapping[str, int], task: str | None
) -> Iterator[tuple[str, str]]:
    """Yield what the cells of a row say about its tasks."""
    for role, cell in cells.items():
        text = "" if cell is None else str(cell)
        if role == "model":
            yield from ((role, word) for role, word in read_name(text)[1].items() if not cells.get(role))
            continue
        if role == "version":
            continue
        said = read_qualifier(text, role) if role in qualifiers else text
        if said and role == "dataset":
            said, told = read_name(said)
            yield from ((role, word) for role, word in told.items() if not cells.get(role))
            said = join_names(said, str(cells["version"])) if cells.get("version") else said
            said = describe_dataset(said, task) if said.strip() else said
        if said and said.strip():
            yield role, said


def _strip(cell: Any) -> Any:
    """Return a cell without the marks of footnotes, as files are read; None for words that there is no number."""
    if not isinstance(cell, str) or is_plain_number(cell):
        return cell
    text = cell.strip()
    return None if is_missing(text) else strip_marks(text)


# PyKEEN leaves the k of adjusted hits out; they are no metric's own value either way.
_WITHOUT_K = re.compile(r"(?:adjusted|z)_hits_at_k", re.IGNORECASE)


def _read_name(name: str, k: object) -> Meaning | None:
    """Read the name of a metric in a cell, its k in another; None for what is no metric's own value."""
    if k is not None:
        number = float(str(k)) if re.fullmatch(r"\d{1,15}(\.0*)?", str(k)) else None
        if number is None:
            raise DataError(f"metric {name}: k is {k!r}; expected a whole number.")
        return Meaning("measured", parse_metric(name, int(number)))
    if _WITHOUT_K.fullmatch(name):
        return None
    meaning = parse_column(name)
    # What no heading means is no metric either: the message names the nearest.
    return Meaning("measured", parse_metric(name)) if meaning is None else meaning
