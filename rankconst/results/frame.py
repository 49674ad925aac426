"""Adjust the numbers of a pandas DataFrame; pandas is imported by whoever passes one in."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from rankconst.adjusting import (
    TIES,
    Batch,
    Done,
    ImpossibleError,
    adjust_batch,
    compare_with,
    fill_columns,
    find_contradictions,
    look_up,
    number_distinct,
)
from rankconst.catalogue.metrics import parse_metric
from rankconst.catalogue.protocols import RANK_TYPES
from rankconst.constants.published import check_decimals, is_number, read_numbers
from rankconst.errors import DataError, RankconstError, UsageError
from rankconst.evaluation import NOTHING, Stated, parse_stated, settle
from rankconst.names import read_count, show_value, spell, tell_apart
from rankconst.results.adjust import are_relations
from rankconst.results.adjusted import TASK_FACTS, keep_apart, name_blocks, tell
from rankconst.results.formats import find_tool
from rankconst.results.tables.cells import Row, is_missing, is_plain_number, is_uncertain, read_deviation, strip_marks
from rankconst.results.tables.columns import (
    CONSTRAINED,
    Meaning,
    contradict,
    find_qualifier,
    find_stems,
    is_constrained,
    is_vague,
    names_tools,
    read_dataset,
    read_flag,
    read_qualifier,
)
from rankconst.results.tables.headings import Dialect, compose_heading, settle_meanings
from rankconst.results.tables.labels import read_title
from rankconst.results.tables.reshape import COMPARED, GAIN
from rankconst.results.tables.settings import (
    OPEN_ROLES,
    add_setting,
    are_settings,
    count_tasks,
    names_setting,
    parse_heading,
    read_cell,
    read_model,
    read_remark,
    tell_setting,
)
from rankconst.results.tables.units import EITHER, count_decimals, tell_units

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Container, Iterator, Sequence

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
    percent: bool | Collection[str] | None = None,
    decimals: int | Mapping[str, int] | None = None,
    errors: str | None = None,
    complete: Callable[[pd.DataFrame], Contexts] | None = None,
    baselines: Collection[str] = (),
) -> pd.DataFrame:
    """Adjust the numbers of a DataFrame; see :func:`rankconst.adjust`, which says what `errors` does.

    `complete` finds what the numbers themselves say about their tasks, where adjusted values or counts are among them.
    """
    original, (frame, headed) = frame, _join_levels(frame)
    frame, meanings = _put_index(_without_objects(frame), headed)
    user = parse_stated(user, tables)
    shares: bool | frozenset[Metric] | None = None if percent is None else bool(percent)
    if isinstance(percent, Iterable):
        shares = frozenset(map(parse_metric, percent))
    rounded = (
        {parse_metric(name): digits for name, digits in decimals.items()} if isinstance(decimals, Mapping) else decimals
    )
    roles = _gather_roles(frame, meanings)
    measured = {
        place: meaning
        for place, meaning in meanings.items()
        if meaning is not None and _is_base(meaning) and (not metrics or meaning.metric in metrics)
    }
    long = {"metric", "value"} <= roles.keys()
    if not long and not measured:
        raise DataError(
            f"no column holds a metric; there are: {', '.join(filter(None, map(str, frame.columns))) or 'none'}. "
            "Name columns MRR, MR, Hits@10 ..., or metric and value."
        )
    way = _Way(user, tables, shares, rounded, errors, find_tool(map(str, frame.columns)), tuple(baselines))
    contexts = complete(frame) if complete is not None and _tells(frame, meanings, roles) else {}
    qualifiers = _find_qualifiers(frame, meanings, roles)
    if "relations" not in qualifiers and (names := _find_relations(frame, meanings, user, tables)) is not None:
        qualifiers["relations"] = names
    work = _Work(frame, roles, qualifiers, contexts, way, meanings=meanings)
    added = work.adjust_long() if long else work.adjust_wide(measured)
    work.check()
    added[keep_apart("table_version", work.taken)] = work.list_versions()
    if errors == "note" or work.notes:
        added[keep_apart("note", work.taken)] = [work.notes.get(row, "") for row in range(len(frame))]
    import pandas as pd

    # Not assign, which copies every array once more.
    found = pd.DataFrame(added, index=frame.index, copy=False)
    if original.columns.nlevels > 1:
        found.columns = _part_names(added, original.columns)
    return pd.concat([original, found], axis=1)


def _join_levels(frame: pd.DataFrame) -> tuple[pd.DataFrame, list[Meaning | None]]:
    """Return a frame with a heading of one level, and what its columns mean, as tables with such headings are read."""
    if frame.columns.nlevels == 1:
        labels = [[str(name)] for name in frame.columns]
        return frame, [meaning for meaning, _ in settle_meanings(labels, lambda each: (parse_heading(each[0]), None))]
    depth = frame.columns.nlevels
    levels = [["" if _EMPTY.fullmatch(str(name[i])) else str(name[i]) for name in frame.columns] for i in range(depth)]
    lowered = [[*filter(None, name)] for name in zip(*levels, strict=True)]
    # As in tables, the name of a column is on the lowest level.
    rows = [
        tuple(name[i - depth + len(name)] if i - depth + len(name) >= 0 else "" for name in lowered)
        for i in range(depth)
    ]
    heading = compose_heading([Row(1, row, row) for row in rows], Dialect())
    if not (heading.measured or heading.long):
        raise DataError(
            f"no column holds a metric; there are: {', '.join(heading.keys)}. Columns of several levels hold a metric "
            "in one of them, and datasets, splits or the like in the others."
        )
    joined = frame.copy(deep=False)
    joined.columns = [*heading.keys]
    return joined, [
        replace(meaning, dataset=upper) if meaning is not None and upper is not None else meaning
        for meaning, upper in zip(heading.meanings, heading.datasets, strict=True)
    ]


# How pandas calls the levels of columns without a name in a file.
_EMPTY = re.compile(r"Unnamed: \d{1,9}_level_\d{1,9}")


def _part_names(names: Iterable[str], columns: pd.Index[Any]) -> pd.MultiIndex:
    """Split names into the levels that columns have; those that a name lacks are empty."""
    import pandas as pd

    depth = columns.nlevels
    parted = [name.split(" / ", depth - 1) for name in names]
    return pd.MultiIndex.from_tuples(
        [(*parts, *[""] * (depth - len(parts))) for parts in parted], names=list(columns.names)
    )


def _put_index(frame: pd.DataFrame, meanings: list[Meaning | None]) -> tuple[pd.DataFrame, dict[int, Meaning | None]]:
    """Return a frame with the levels of its index as first columns, but for those that only count its rows."""
    import pandas as pd

    levels = [frame.index.get_level_values(i) for i in range(frame.index.nlevels)]
    told = [level for level in levels if level.name is not None or level.dtype.kind not in "fiubmM"]
    names = ["" if level.name is None else str(level.name) for level in told]
    own = [
        pd.Series(level.array, index=frame.index, name=name)
        for level, name in zip(told, names, strict=True)
        if not _is_column(frame, name, level)
    ]
    if not own:
        return frame, dict(enumerate(meanings))
    found = [parse_heading(str(level.name)) for level in own]
    return pd.concat([*own, frame], axis=1), dict(enumerate([*found, *meanings]))


def _is_column(frame: pd.DataFrame, name: str, level: pd.Index[Any]) -> bool:
    """Tell whether a frame has a level of its index as a column, too."""
    if not name or name not in frame.columns:
        return False
    column: Any = frame[name]
    return bool(column.ndim == 1 and (column.astype(object).to_numpy() == level.astype(object).to_numpy()).all())


def _tells(frame: pd.DataFrame, meanings: Mapping[int, Meaning | None], roles: Mapping[str, int]) -> bool:
    """Tell whether a frame holds adjusted values or numbers of ranks."""
    found = list(meanings.values())
    if "metric" in roles:
        found += [parse_heading(str(name)) for name in frame.iloc[:, roles["metric"]].unique()]
    told = any(each is not None and (each.adjustment is not None or each.role == "num_tasks") for each in found)
    return told or any(_counts_triples(frame, place) for place, meaning in meanings.items() if meaning is None)


def _counts_triples(frame: pd.DataFrame, place: int) -> bool:
    """Tell whether a column says how many triples were evaluated: ``num_test``."""
    heading, cells = str(frame.columns[place]), frame.iloc[:, place].dropna()
    if not len(cells) or not names_setting(heading):
        return False
    return "num_triples" in (tell_setting(heading, spell(cells.iloc[0], str)) or {})


def _is_base(meaning: Meaning) -> bool:
    plain = meaning.adjustment is None and meaning.reason is None and not meaning.spread
    return plain and meaning.metric is not None and meaning.metric.optimum is not None


def _gather_roles(frame: pd.DataFrame, meanings: Mapping[int, Meaning | None]) -> dict[str, int]:
    """Return role to position of its column; refuse two columns of one role."""
    roles: dict[str, int] = {}
    for place, meaning in meanings.items():
        if meaning is None or meaning.role == "measured":
            continue
        if meaning.role in roles and meaning.role in (*_CONTEXT, "metric", "value"):
            one, two = frame.columns[roles[meaning.role]], frame.columns[place]
            raise UsageError(f"columns {one!r} and {two!r} both say the {meaning.role}; rename one.")
        if meaning.role == "tool" and not _names_tools(frame, place):
            continue
        roles.setdefault(meaning.role, place)
    return roles


def _names_tools(frame: pd.DataFrame, place: int) -> bool:
    return names_tools(str(frame.columns[place]), map(str, frame.iloc[:, place].dropna().unique()))


def _find_qualifiers(
    frame: pd.DataFrame, meanings: Mapping[int, Meaning | None], roles: Mapping[str, int]
) -> dict[str, int]:
    """Return the columns without a meaning that name a split, a side, a protocol or relations."""
    found: dict[str, int] = {}
    for place, meaning in meanings.items():
        heading = str(frame.columns[place])
        telling = frame.iloc[:, place].dtype.kind != "f" or read_flag(heading) is not None
        if telling and (meaning is None or meaning.role == "model"):
            cells = [cell for cell in map(str, frame.iloc[:, place].dropna().unique()) if cell]
            role = find_qualifier(heading, cells[:_MOST_QUALIFIERS])
            if role is not None and role not in roles and (len(cells) < _MOST_QUALIFIERS or role == "relations"):
                found.setdefault(role, place)
    return found


def _find_settings(frame: pd.DataFrame, meanings: Mapping[int, Meaning | None], known: Container[int]) -> list[int]:
    """Return the columns that say how each row was evaluated, but for those that are `known` to."""
    found = []
    for place, meaning in meanings.items():
        if place not in known and (meaning and meaning.role) in OPEN_ROLES:
            cells = map(str, frame.iloc[:, place].dropna().unique()[:_MOST_QUALIFIERS])
            found += [place] if are_settings(str(frame.columns[place]), cells) else []
    return found


def _read_titles(frame: pd.DataFrame) -> dict[str, str]:
    """Return what the names of the index and of the columns say of all rows: ``unseen entities``."""
    levels = [frame.index.get_level_values(i) for i in range(frame.index.nlevels)]
    named = [(str(level.name), [*map(str, level.unique()[:_MOST_QUALIFIERS])]) for level in levels if level.name]
    named += [(str(name), []) for name in frame.columns.names if name]
    titles = (
        name
        for name, cells in named
        if parse_heading(name) is None and not are_settings(name, cells) and not find_qualifier(name, cells)
    )
    return next(filter(None, map(read_title, titles)), {})


# How pandas calls a column without a name in a file.
_UNNAMED = re.compile(r"Unnamed: \d{1,9}|")


def _find_vague(frame: pd.DataFrame, meanings: Mapping[int, Meaning | None], known: Container[int]) -> dict[str, int]:
    """Return the columns that may say anything of their rows, and call one of these ``raw``, or the like."""
    free = [place for place, meaning in meanings.items() if meaning is None and place not in known]
    types = (place for place, meaning in meanings.items() if meaning is not None and meaning.role == "rank_type")
    free += [place for place in types if RANK_TYPES.keys().isdisjoint(frame.iloc[:, place].astype(str).str.lower())]
    headings = ((place, str(frame.columns[place])) for place in free)
    named = {place: name for place, name in headings if _UNNAMED.fullmatch(name) or is_vague(name)}
    return {
        name: place
        for place, name in named.items()
        if frame.iloc[:, place].dtype.kind not in "fiub"
        and any(read_remark(str(cell)) for cell in frame.iloc[:, place].dropna().unique())
    }


def _set_aside(
    frame: pd.DataFrame, meanings: Mapping[int, Meaning | None], known: Container[int]
) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """Yield why rows are no results of their own, or rank other candidates, each with these rows.

    Only the index and the first columns have labels, but for those that are `known` to say something else.
    """
    texts: list[tuple[str, pd.Index[Any] | pd.Series[Any], bool]] = [("", frame.index, frame.index.nlevels == 1)]
    for place, meaning in meanings.items():
        if (meaning and meaning.role) in OPEN_ROLES:
            heading = str(frame.columns[place])
            labels = place < _MOST_LABELS and place not in known and not names_setting(heading)
            texts.append((heading, frame.iloc[:, place], labels))
    for heading, cells, labels in texts:
        names = cells.dropna().unique() if cells.dtype.kind not in "fiubmM" else ()
        typed = [name for name in names if is_constrained(heading, str(name))]
        compared = [name for name in names if labels and GAIN.match(str(name)) and name not in typed]
        for why, found in ((CONSTRAINED, typed), (COMPARED, compared)):
            if found:
                yield why, np.asarray(cells.isin(found), dtype=bool)


_MOST_LABELS = 3


def _find_relations(
    frame: pd.DataFrame, meanings: Mapping[int, Meaning | None], user: Stated, tables: Tables
) -> int | None:
    """Return the first column that holds nothing but relations of the dataset."""
    datasets = [place for place, meaning in meanings.items() if meaning is not None and meaning.role == "dataset"]
    named = {user.dataset} if user.dataset or not datasets else {*frame.iloc[:, datasets[0]].unique()}
    for place, meaning in meanings.items() if len(named) == 1 else ():
        if (meaning is None or meaning.role == "model") and frame.iloc[:, place].dtype.kind not in "fiub":
            cells = map(str, frame.iloc[:, place].dropna().unique())
            if are_relations(cells, next(iter(named)), tables):
                return place
    return None


def _find_names(
    frame: pd.DataFrame, meanings: Mapping[int, Meaning | None], roles: Mapping[str, int], taken: Container[int]
) -> tuple[int, list[str]]:
    """Return the column of models, or else the first of texts without a meaning, and its names; -1 if there is none."""
    texts = (
        place
        for place, meaning in meanings.items()
        if meaning is None and place not in taken and frame.iloc[:, place].dtype.kind not in "fiub"
    )
    place = roles.get("model", next(texts, -1))
    return place, [] if place < 0 else [str(name) for name in frame.iloc[:, place].dropna().unique()]


# Words for splits, sides and protocols; a column of more texts is of something else.
_MOST_QUALIFIERS = 20
# Lines of an error.
_MOST_TOLD = 20


def _split_rows(frame: pd.DataFrame, places: Sequence[int]) -> Iterator[tuple[tuple[Any, ...], NDArray[np.intp]]]:
    """Yield the distinct combinations of some columns, in order of appearance, with the positions of their rows.

    What is missing is None.
    """
    if not len(frame):
        return
    codes = _number_rows(frame, places)
    order = np.argsort(codes, kind="stable")
    starts = np.flatnonzero(np.concatenate(([True], np.diff(codes[order]) != 0)))
    for rows in sorted(np.split(order, starts[1:]), key=lambda part: int(part[0])):
        first = frame.iloc[rows[:1], list(places)]
        missing = first.isna().to_numpy()[0]
        yield tuple(None if missing[i] else first.iloc[0, i] for i in range(len(places))), rows


def _number_rows(frame: pd.DataFrame, places: Iterable[int]) -> NDArray[np.intp]:
    """Return for each row a number of what it has in some columns."""
    codes = np.zeros(len(frame), dtype=np.int64)
    for place in places:
        own, uniques = frame.iloc[:, place].factorize(use_na_sentinel=False)
        codes = codes * max(len(uniques), 1) + own
        _, codes = np.unique(codes, return_inverse=True)
    return codes


@dataclass(frozen=True, slots=True)
class _Way:
    """How the cells of a frame are read: which tasks, which constants, what is a percentage, how it was rounded."""

    user: Stated
    tables: Tables
    percent: bool | frozenset[Metric] | None
    decimals: int | Mapping[Metric, int] | None
    errors: str | None
    # The tool that writes such frames, the last to be asked.
    tool: str | None
    # Further baselines, by key.
    baselines: tuple[str, ...]

    def is_percentage(self, metric: Metric) -> bool:
        """Tell whether values of a metric are percentages without a sign; a mean rank never is."""
        return metric.is_share and (
            metric in self.percent if isinstance(self.percent, frozenset) else bool(self.percent)
        )

    def decimals_of(self, metric: Metric) -> int | None:
        """Return to how many decimals values of a metric were rounded; None to go by the text."""
        found = self.decimals.get(metric) if isinstance(self.decimals, Mapping) else self.decimals
        return None if found is None else check_decimals(found)


Contexts = dict[tuple[int, str], Stated]
"""Row and column to what is known about the tasks of the number there."""

Settled = list[tuple["Tasks", "Tool | None", "NDArray[np.intp]"]]

_Found = list[tuple[int, "str | None", "Done"]]
"""Batches with the place of their column and their tie policy."""


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
        meanings: Mapping[int, Meaning | None],
    ) -> None:
        self.frame, self.roles, self.contexts, self.way = frame, roles, contexts, way
        self.taken = set(map(str, frame.columns))
        self.notes: dict[int, str] = {}
        # What was left out, and whether anything was not.
        self._failed: list[RankconstError] = []
        self._done = False
        self._versions: dict[str, list[NDArray[np.intp]]] = {}
        # Of columns of shares without a sign: which numbers are percentages, and which could be either.
        self._units: dict[int, tuple[NDArray[np.bool_], NDArray[np.bool_]]] = {}
        titled = _read_titles(frame)
        columns = {role: place for role, place in {**roles, **qualifiers}.items() if role in (*_CONTEXT, "relations")}
        settings = _find_settings(frame, meanings, {*qualifiers.values()})
        columns = {role: place for role, place in columns.items() if place not in settings} | {
            str(frame.columns[place]): place for place in settings
        }
        place, names = _find_names(frame, meanings, roles, columns.values())
        stems = find_stems(names)
        if any(read_model(name, {}, stems) for name in names):
            columns["model"] = place
        vague = _find_vague(frame, meanings, {*columns.values()})
        columns |= vague
        headings: dict[str, str | None] = {role: str(frame.columns[place]) for role, place in qualifiers.items()}
        headings |= {str(frame.columns[place]): None for place in settings}
        stated = [
            (titled | count_tasks(_read_stated(dict(zip(columns, keys, strict=True)), headings, stems, vague)), rows)
            for keys, rows in _split_rows(frame, list(columns.values()))
        ]
        for why, left in _set_aside(frame, meanings, {*qualifiers.values(), *settings}):
            parts = ((said, rows[left[rows]], rows[~left[rows]]) for said, rows in stated)
            stated = [
                each
                for said, out, kept in parts
                for each in (({**said, "unclear": f"{why}."}, out), (said, kept))
                if len(each[1])
            ]
        self._stated = stated
        # How ties were ranked, where a row says so elsewhere than in a column of that.
        self._kinds = {
            row: kind for said, rows in stated if (kind := said.get("rank_type")) in TIES for row in rows.tolist()
        }

    def adjust_long(self) -> dict[str, Any]:
        """Return the columns that are added to a long frame."""
        at = [self.roles[role] for role in ("metric", "k") if role in self.roles]
        place = self.roles["value"]
        column = str(self.frame.columns[place])
        found: _Found = []
        settled: Settled = []
        for own, chosen in self._list_said(at):
            for tasks, tool, every in self._settle(own, column):
                rows = every[chosen[every]]
                settled.append((tasks, tool, rows))
                for (name, *ks), inner in _split_rows(self.frame.iloc[rows], at):
                    meaning = None if name is None else _read_name(str(name), ks[0] if ks else None)
                    if meaning is not None and _is_base(meaning):
                        adjusted = self._adjust(tasks, tool, meaning, rows[inner], place)
                        found += ((place, meaning.rank_type, each) for each in adjusted)
        # Rows of one evaluation differ in metric, k and value only.
        others = (j for j in range(self.frame.shape[1]) if j not in {*at, place})
        done = [each for _, _, each in self._keep_possible(found, _number_rows(self.frame, others))]
        baselines = self.way.baselines
        (block,) = name_blocks({"value": parse_metric("mrr")}, self.taken, long=True, baselines=baselines).values()
        columns = self._fill(done)
        return {name: columns[key] for key, name in block.list_names().items()} | self._describe(settled, "")

    def _list_said(self, at: Sequence[int]) -> list[tuple[Meaning, NDArray[np.bool_]]]:
        """Return what names of metrics say of their tasks, ``tail.realistic.mrr``, each with the rows that say it."""
        said: dict[Meaning, NDArray[np.bool_]] = {}
        for (name, *_), rows in _split_rows(self.frame, at):
            meaning = None if name is None else parse_heading(str(name))
            own = {} if meaning is None else {field: getattr(meaning, field) for field in _SAID}
            mask = said.setdefault(Meaning("measured", **own), np.zeros(len(self.frame), dtype=np.bool_))
            mask[rows] = True
        return list(said.items())

    def adjust_wide(self, measured: Mapping[int, Meaning]) -> dict[str, Any]:
        """Return the columns that are added to a wide frame."""
        measured = self._check_signs(measured)
        if self.way.percent is None:
            self._tell_units(measured)
        metrics: dict[str, Metric | None] = {}
        for place, meaning in measured.items():
            name = str(self.frame.columns[place])
            if name in metrics:
                raise UsageError(f"there are two columns {name!r}; rename or drop one.")
            metrics[name] = meaning.metric
        known = {name: metric for name, metric in metrics.items() if metric}
        blocks = name_blocks(known, self.taken, long=False, baselines=self.way.baselines)
        added: dict[str, Any] = {}
        plain = None
        tasks_of = {place: self._settle(meaning, str(self.frame.columns[place])) for place, meaning in measured.items()}
        found = [
            (place, measured[place].rank_type, each)
            for place, settled in tasks_of.items()
            for tasks, tool, rows in settled
            for each in self._adjust(tasks, tool, measured[place], rows, place)
        ]
        done: dict[int, list[Done]] = {}
        for place, _, each in self._keep_possible(found, np.arange(len(self.frame))):
            done.setdefault(place, []).append(each)
        for place, meaning in measured.items():
            name = str(self.frame.columns[place])
            block, settled = blocks[name], tasks_of[place]
            columns = self._fill(done.get(place, []))
            added |= {name: columns[key] for key, name in block.list_names().items()}
            if any(getattr(meaning, field) for field in _SAID):
                added |= self._describe(settled, block.prefix)
            else:
                plain = settled
        return added if plain is None else added | self._describe(plain, "")

    def _fill(self, done: Sequence[Done]) -> dict[str, Any]:
        against, lacks = compare_with(done, self.way.tables, self.way.baselines)
        self.notes.update({row: note for row, note in lacks.items() if row not in self.notes})
        return fill_columns(len(self.frame), done, against=against)

    def _keep_possible(self, found: _Found, evaluations: NDArray[np.intp]) -> _Found:
        """Leave out numbers that contradict each other; `evaluations` numbers the rows, those of one model alike."""
        size = len(self.frame)
        places = number_distinct(place for place, _, _ in found)
        kinds = number_distinct(kind for _, kind, _ in found)
        # Each cell has a number of its own.
        cells = [
            replace(each, batch=replace(each.batch, index=each.batch.index + places[place] * size))
            for place, _, each in found
        ]
        numbers = [evaluations[each.batch.index] * len(kinds) + kinds[kind] for _, kind, each in found]
        listed = [*places]
        wrong = find_contradictions(
            cells, numbers, lambda cell: str(self.frame.iloc[cell % size, listed[cell // size]])
        )
        left = np.zeros(len(places) * size, dtype=np.bool_)
        left[[*wrong]] = True
        for cell, reason in wrong.items():
            self._leave_out(listed[cell // size], {cell % size: reason})
        kept: _Found = []
        for (place, kind, each), own in zip(found, cells, strict=True):
            keep = ~left[own.batch.index]
            if keep.any():
                kept.append((place, kind, replace(each, batch=each.batch.take(keep))))
        self._done = bool(kept)
        return kept

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
        self._failed += failed
        if failed and self.way.errors == "raise":
            self._refuse()
        return settled

    def check(self) -> None:
        """Refuse a frame of which nothing could be adjusted."""
        if self._failed and not self._done and self.way.errors is None:
            self._refuse()

    def _refuse(self) -> NoReturn:
        """Say what is wrong at once, so that a table is mended in one go."""
        told = [*dict.fromkeys(map(str, self._failed))]
        more = [f"And {len(told) - _MOST_TOLD:,} more."] if len(told) > _MOST_TOLD else []
        raise type(self._failed[0])("\n".join([*told[:_MOST_TOLD], *more]))

    def _leave_out(self, place: int, reasons: Mapping[int, str]) -> None:
        """Note why cells of a column are left out, by row."""
        for row, reason in reasons.items():
            error = DataError(f"{self._locate(place, row)}: {reason}")
            if self.way.errors == "raise":
                raise error
            self._failed.append(error)
            self.notes[row] = reason

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
        restricted = ["relations"] if any(tasks.relations for tasks, _, _ in settled) else []
        for fact in (fact for fact in (*TASK_FACTS, *restricted) if fact not in self.roles):
            told = {tell(tasks, fact) for tasks, _, _ in settled}
            # A single text is stored much faster than as many copies.
            values: Any = told.pop() if len(told) == 1 and num_tasks.all() else self._spread(settled, fact)
            described[keep_apart(f"{prefix}{fact}", self.taken)] = values
        return described | {keep_apart(f"{prefix}num_tasks", self.taken): num_tasks}

    def _spread(self, settled: Settled, fact: str) -> NDArray[Any]:
        values = np.full(len(self.frame), None, dtype=object)
        for tasks, _, rows in settled:
            values[rows] = tell(tasks, fact)
        return values

    def _adjust(
        self, tasks: Tasks, tool: Tool | None, meaning: Meaning, rows: NDArray[np.intp], place: int
    ) -> Iterator[Done]:
        """Adjust the cells of some rows in one column."""
        if meaning.metric is None:
            return
        numbers = self._read(rows, place, meaning, meaning.metric)
        if place in self._units:
            percent, doubtful = (each[rows] for each in self._units[place])
            numbers[percent] /= 100
            numbers[doubtful] = np.nan
        there = np.isfinite(numbers[:, 0])
        if there.any():
            value, lower, upper = numbers[there].T
            batch = Batch(tasks, meaning.metric, tool, value, lower, upper, rows[there])
            try:
                whole = look_up(batch.tasks, batch.metric, batch.num_tasks, self.way.tables)
            except UsageError as error:  # a metric without constants for such an average
                self.notes.update(dict.fromkeys(batch.index.tolist(), str(error)))
                return
            try:
                done = adjust_batch(batch, whole)
            except ImpossibleError as error:
                reasons = {int(batch.index[at]): reason for at, reason in error.reasons.items()}
                self._leave_out(place, reasons)
                kept = ~np.isin(batch.index, list(reasons))
                if not kept.any():
                    return
                done = adjust_batch(batch.take(kept), whole)
            self._note(done, meaning)
            yield done

    def _note(self, done: Done, meaning: Meaning) -> None:
        """Note ranks that ties favour or harm, and, where notes are asked for, what is undefined."""
        told = tuple(dict.fromkeys(done.explain_undefined().values())) if self.way.errors == "note" else ()
        kinds = self.frame.iloc[:, self.roles["rank_type"]].tolist() if "rank_type" in self.roles else None
        if not told and kinds is None and meaning.rank_type is None and not self._kinds:
            return
        for row in done.batch.index.tolist():
            own = "" if kinds is None else RANK_TYPES.get(str(kinds[row]).lower(), "")
            kind = meaning.rank_type or own or self._kinds.get(row, "")
            ties = TIES.get(kind, "")
            before = self.notes.get(row, "")
            if notes := [note for note in (*told, ties) if note and note not in before]:
                self.notes[row] = " ".join(filter(None, (before, *notes)))

    def _read(self, rows: NDArray[np.intp], place: int, meaning: Meaning, metric: Metric) -> Numbers:
        """Return values and their ends, shape (n, 3); NaN where there is none."""
        cells, name = self.frame.iloc[rows, place], str(self.frame.columns[place])
        decimals = self.way.decimals_of(metric)
        percent = meaning.percent or self.way.is_percentage(metric)
        if cells.dtype.kind in "fiu" and (metric.is_share or not percent):
            value = cells.to_numpy(dtype=np.float64, na_value=np.nan)
            infinite = rows[np.isinf(value)].tolist()
            self._leave_out(place, {row: f"{self.frame.iloc[row, place]} is no result." for row in infinite})
            value = np.where(np.isinf(value), np.nan, value) if infinite else value
            self._check_percentages(metric, meaning, value, name)
            value = value / 100 if percent else value
            open_by = 0.0 if decimals is None else 0.5 * 10.0 ** -(decimals + 2 * percent)
            return np.stack((value, value - open_by, value + open_by), axis=1)
        codes, uniques = _number_cells(cells)
        found = np.full((len(uniques) + 1, 3), np.nan)  # the last row, for code -1, stays NaN
        texts = {at: text for at, cell in enumerate(uniques) if (text := _strip(cell)) is not None}
        try:
            found[list(texts)] = read_numbers(metric, list(texts.values()), decimals=decimals, percent=percent)
        except DataError:  # one by one, to find which
            reasons: dict[int, str] = {}
            for at, text in texts.items():
                try:
                    found[at] = read_numbers(metric, [text], decimals=decimals, percent=percent)
                except DataError as error:
                    reasons[at] = str(error)
            unread = zip(rows.tolist(), codes.tolist(), strict=True)
            self._leave_out(place, {row: reasons[code] for row, code in unread if code in reasons})
        numbers: Numbers = found[codes]
        if self.way.percent is True:
            signed = np.array([isinstance(cell, str) and "%" in cell for cell in uniques] + [False])
            self._check_percentages(metric, meaning, np.where(signed[codes], np.nan, numbers[:, 0] * 100), name)
        return numbers

    def _check_signs(self, measured: Mapping[int, Meaning]) -> Mapping[int, Meaning]:
        """Refuse fractions below headings that say percent, unless it is said what they are."""
        places = [place for place, meaning in measured.items() if meaning.percent]
        largest = [self._to_numbers(place).max() for place in places]
        if not any(value <= 1 for value in largest) or any(value > 1 for value in largest):
            return measured
        if isinstance(self.way.percent, bool):
            return {
                place: replace(meaning, percent=self.way.percent and meaning.percent)
                for place, meaning in measured.items()
            }
        raise DataError(
            f"column {self.frame.columns[places[0]]}: the heading says percent, and every value is at most 1, as "
            "fractions are. Add percent=True or percent=False."
        )

    def _to_numbers(self, place: int) -> pd.Series[Any]:
        """Return the numbers of a column without a sign, NaN for other cells."""
        import pandas as pd

        cells = self.frame.iloc[:, place]
        if cells.dtype.kind in "fiu":
            return pd.Series(cells.to_numpy(dtype=np.float64, na_value=np.nan), index=cells.index)
        if not _is_text(cells):  # durations and complex numbers would become some number
            cells = cells.astype(object).map(_to_float)
        return pd.to_numeric(cells, errors="coerce")

    def _tell_units(self, measured: Mapping[int, Meaning]) -> None:
        """Tell which shares without a sign are percentages, as in files; refuse or note what could be either."""
        shares = {
            place: (meaning.dataset, metric.key if metric.hits_k is None else "Hits")
            for place, meaning in measured.items()
            if (metric := meaning.metric) is not None and metric.is_share and not meaning.percent
        }
        columns = {place: self._to_numbers(place).to_numpy(dtype=np.float64, na_value=np.nan) for place in shares}
        if not any(np.nanmax(values, initial=0) > 1 for values in columns.values()):
            return
        families = number_distinct(shares.values())
        there = [np.flatnonzero(np.isfinite(values)) for values in columns.values()]
        rows, sizes, places = np.concatenate(there), [each.size for each in there], list(columns)
        column_of = np.repeat(np.arange(len(places)), sizes)
        percent, doubtful = tell_units(
            np.concatenate([values[each] for values, each in zip(columns.values(), there, strict=True)]),
            rows,
            list(families),
            np.array([families[shares[place]] for place in places])[column_of],
            lambda at: count_decimals(str(self.frame.iloc[rows[at], places[column_of[at]]])),
        )
        for n, place in enumerate(places):
            masks = np.zeros((2, len(self.frame)), dtype=np.bool_)
            masks[:, rows[column_of == n]] = percent[column_of == n], doubtful[column_of == n]
            self._units[place] = masks[0], masks[1] | self._find_less(place, measured, columns)
        for place, (_, open_) in self._units.items():
            rows_open = np.flatnonzero(open_).tolist()
            self._leave_out(place, dict.fromkeys(rows_open, f"{EITHER}. Add percent=True, or percent=['hits@10']."))

    def _locate(self, place: int, row: int) -> str:
        return f"column {self.frame.columns[place]}, row {self.frame.index[row]}"

    def _find_less(
        self, place: int, measured: Mapping[int, Meaning], columns: Mapping[int, Numbers]
    ) -> NDArray[np.bool_]:
        """Return which shares up to 1 are less than a percentage of Hits@k for a smaller k."""
        own, less = measured[place], np.zeros(len(self.frame), dtype=np.bool_)
        for other, meaning in measured.items():
            small, large = (None if each.metric is None else each.metric.hits_k for each in (meaning, own))
            alike = all(getattr(own, field) == getattr(meaning, field) for field in _SAID)
            if other in columns and alike and small is not None and large is not None and small < large:
                less |= (columns[place] <= 1) & (columns[other] > 1)
        return less

    def _check_percentages(self, metric: Metric, meaning: Meaning, written: Numbers, name: str) -> None:
        """Refuse to take a column of fractions for percentages below one."""
        if meaning.percent or self.way.percent is not True or not metric.is_share:
            return
        there = written[np.isfinite(written)]
        if there.size and there.max() <= 1:
            raise DataError(
                f"column {name}: every value is at most 1, as fractions are. If they are percentages, name all metrics "
                f"that are: percent=['{metric.label}', ...]."
            )


def _read_stated(
    cells: Mapping[str, Any],
    qualifiers: Mapping[str, str | None],
    stems: Container[tuple[str, str]],
    vague: Container[str],
) -> dict[str, Any]:
    """Return what the cells of a row say about its tasks; `qualifiers` are headings by role, None for settings."""
    texts = {role: str(cell) for role, cell in cells.items() if cell}
    said: dict[str, Any] = {}
    for role, cell in cells.items():
        text = "" if cell is None else str(cell)
        if role in vague:
            said |= read_remark(text, texts)
        elif role in qualifiers:
            heading = qualifiers[role]
            told = read_cell(role, text) if heading is None else read_qualifier(heading, text, role)
            said = add_setting(said, told, text) if heading is None else said | told
        elif role == "model":
            said |= read_model(text, texts, stems)
        elif role == "dataset" and text.strip():
            name, told = read_dataset(text.strip())  # "UMLS (raw)"
            own = {key: each for key, each in told.items() if key not in texts}
            said |= {role: name, **own, **contradict(text, told, texts)}
        elif text.strip():
            said[role] = text
    said.pop("filtered", None)
    return said


def _to_float(cell: object) -> str | float | None:
    """Return a number as a float, text as it is; None for anything else, and for a number that no float is."""
    if isinstance(cell, str):
        return cell
    try:
        return float(cell) if is_number(cell) else None
    except (OverflowError, ValueError):
        return None


def _is_text(cells: pd.Series[Any]) -> bool:
    import pandas as pd

    return pd.api.types.infer_dtype(cells, skipna=True) == "string"


def _number_cells(cells: pd.Series[Any]) -> tuple[NDArray[np.intp], Any]:
    """Return a number for each cell, -1 for a missing one, and the distinct cells in the order of these numbers."""
    if _is_text(cells):
        return cells.factorize()
    import pandas as pd

    # Decimals that are equal may be written otherwise, and True equals 1.
    written = cells.astype(object).map(lambda cell: f"{type(cell).__name__} {tell_apart(cell)}").mask(cells.isna())
    codes = pd.factorize(written)[0]
    _, places = np.unique(codes[codes >= 0], return_index=True)
    return codes, cells.astype(object).to_numpy()[np.flatnonzero(codes >= 0)[places]]


def _without_objects(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame with text in place of lists, dicts and the like, which are neither names nor numbers.

    Numbers are in the machine's own byte order: pandas cannot select rows of others.
    """
    import pandas as pd

    found = frame
    for place in range(frame.shape[1]):
        cells = frame.iloc[:, place]
        if isinstance(cells.dtype, np.dtype) and not cells.dtype.isnative:
            found = frame.copy(deep=False) if found is frame else found
            found.isetitem(place, cells.to_numpy().astype(cells.dtype.newbyteorder("=")))
        if cells.dtype == object and pd.api.types.infer_dtype(cells, skipna=True) == "mixed":
            found = frame.copy(deep=False) if found is frame else found
            shown: Any = cells.map(lambda cell: cell if isinstance(cell, Hashable) else str(cell))
            found.isetitem(place, shown)
    return found


def _strip(cell: Any) -> Any:
    """Return a cell without the marks of footnotes, as files are read; None for words that there is no number."""
    if not isinstance(cell, str) or is_plain_number(cell):
        return cell
    text = cell.strip()
    if is_missing(text):
        return None
    if is_uncertain(text):
        return text  # which is not a number, and is said
    text = strip_marks(text)
    return read_deviation(text) or text


# PyKEEN leaves the k of adjusted hits out; they are no metric's own value either way.
_WITHOUT_K = re.compile(r"(?:adjusted|z)_hits_at_k", re.IGNORECASE)


def _read_name(name: str, k: object) -> Meaning | None:
    """Read the name of a metric in a cell, its k in another; None for what is no metric's own value."""
    if k is not None:
        number = read_count(spell(k, str))
        if number is None:
            raise DataError(f"metric {name}: k is {show_value(k)}; expected a whole number.")
        return Meaning("measured", parse_metric(name, number))
    if _WITHOUT_K.fullmatch(name):
        return None
    meaning = parse_heading(name)
    if meaning is not None and meaning.role in TASK_FACTS:
        raise DataError(f"the column of metrics holds {name!r}, which says what numbers are of: make it a column.")
    # What no heading means is no metric either: the message names the nearest.
    return Meaning("measured", parse_metric(name)) if meaning is None else meaning
