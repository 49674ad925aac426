"""Adjust the numbers of a pandas DataFrame; pandas is imported by whoever passes one in."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from rankconst.catalogue.metrics import parse_metric
from rankconst.constants.affine import ADJUSTMENTS
from rankconst.constants.published import read_published
from rankconst.errors import DataError, RankconstError, UsageError
from rankconst.results.adjust import adjust_values
from rankconst.results.evaluation import NOTHING, Setting, Settled, check_setting, settle
from rankconst.results.tables.columns import Meaning, parse_column
from rankconst.tables.tables import load

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    import pandas as pd
    from numpy.typing import NDArray

    from rankconst.catalogue.metrics import Metric
    from rankconst.constants.constants import Adjusted, Constants
    from rankconst.tables.tables import Tables

    Numbers = NDArray[np.float64]


_CONTEXT = ("dataset", "split", "side", "protocol", "aggregation", "source")
# What a heading can say beside the metric.
_SAID = ("dataset", "split", "side", "protocol")
_BLANKS = {"", "-", "–", "—", "--", "---"}


def adjust(
    frame: pd.DataFrame,
    *,
    dataset: str | None = None,
    split: str | None = None,
    side: str | None = None,
    protocol: str | None = None,
    source: str | None = None,
    aggregation: str | None = None,
    percent: bool | Collection[str] = False,
    decimals: int | Mapping[str, int] | None = None,
    tables: Tables | None = None,
    errors: Literal["raise", "note"] = "raise",
) -> pd.DataFrame:
    """Adjust every published number of a DataFrame for chance.

    Parameters
    ----------
    frame
        Wide, a column for each metric (``MRR``, ``Hits@10``, ``test_mrr`` ...), or long, with columns ``metric`` and
        ``value`` (and ``k`` for ``hits_at_k``). Columns ``dataset``, ``split``, ``side``, ``protocol``, ``source``,
        ``aggregation``, in any usual spelling, say which ranking tasks a row is about. Numbers may be text as printed
        (``"0.338"``, ``"53.3%"``, ``"0.5458 ± 0.0052"``), which gives intervals, or floats, which are exact. A
        missing value (NaN, None) stays missing.
    dataset, split, side, protocol, source, aggregation
        What the columns leave open; without any word, split ``test``, side ``both``, protocol ``standard``.
    percent
        True if shares are percentages without a sign; or the metrics of which that is so.
    decimals
        To how many decimals numbers were rounded, for all metrics or for each by name; None to go by the text.
    tables
        The constants; the newest that came along if None.
    errors
        ``"raise"``, or ``"note"`` to leave rows alone whose ranking tasks are unknown or whose source is refused; a
        column ``note`` says why. Numbers that cannot be are refused either way.

    Returns
    -------
    pandas.DataFrame
        The same rows and columns, with further columns. Long: ``value_lower``, ``value_upper``, ``expectation``,
        ``variance``, and each of ``normalised``, ``index``, ``z`` with its ``_lower`` and ``_upper`` end. Wide: for
        each metric's column the same, named after the adjusted metric (``AMRR``, ``AMRR_lower``, ``ZMRR`` ...).
        Both: ``num_tasks``, ``protocol`` where there was no such column, and the version of the ``tables``.

    Raises
    ------
    DataError
        If no column holds a metric, or a number cannot be.
    UnknownNameError
        For datasets, metrics or sources that nobody knows.
    UsageError
        If a column and an argument contradict each other, or a column would be there twice.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"dataset": ["FB15k-237", "WN18RR"], "MRR": ["0.338", "0.476"]})  # Sun et al. 2019
    >>> adjust(frame)[["dataset", "MRR", "AMRR"]].round(4)
         dataset    MRR    AMRR
    0  FB15k-237  0.338  0.3375
    1     WN18RR  0.476  0.4759
    """
    if not hasattr(frame, "columns"):
        raise UsageError(f"expected a DataFrame, got {type(frame).__name__}; for one metric use Constants.adjust.")
    if getattr(frame.columns, "nlevels", 1) > 1:
        raise UsageError(
            "the columns have several levels; join them first: frame.columns = [' / '.join(c) for c in frame.columns]."
        )
    opened = load() if tables is None else tables
    setting = Setting(dataset, split, side, protocol, source, aggregation)
    shares = percent if isinstance(percent, bool) else frozenset(map(parse_metric, percent))
    rounded = (
        {parse_metric(name): digits for name, digits in decimals.items()} if isinstance(decimals, Mapping) else decimals
    )
    check_setting(setting, opened)
    meanings = {place: parse_column(str(name)) for place, name in enumerate(frame.columns)}
    roles = _gather_roles(frame, meanings)
    measured = {place: meaning for place, meaning in meanings.items() if meaning is not None and _is_base(meaning)}
    long = {"metric", "value"} <= roles.keys()
    if not long and not measured:
        raise DataError(
            f"no column holds a metric; there are: {', '.join(map(str, frame.columns)) or 'none'}. "
            "Name columns MRR, MR, Hits@10 ..., or metric and value."
        )
    work = _Work(frame, roles, _Reading(setting, opened, shares, rounded, errors == "note"))
    blocks = work.adjust_long() if long else work.adjust_wide(measured)
    added: dict[str, Any] = {}
    taken = set(map(str, frame.columns))
    for name, column in itertools.chain(*(block.items() for block in blocks), [("tables", opened.version)]):
        if name in taken or name in added:
            raise UsageError(f"there would be two columns {name!r}; rename or drop one that is there.")
        added[name] = column
    if errors == "note":
        added["note"] = [work.notes.get(row, "") for row in range(len(frame))]
    import pandas as pd

    # Not assign, which copies every array once more.
    return pd.concat([frame, pd.DataFrame(added, index=frame.index, copy=False)], axis=1)


def _is_base(meaning: Meaning) -> bool:
    return meaning.metric is not None and meaning.adjustment is None and meaning.metric.optimum is not None


def _gather_roles(frame: pd.DataFrame, meanings: Mapping[int, Meaning | None]) -> dict[str, int]:
    """Return role to place of its column, refusing two columns of one role."""
    roles: dict[str, int] = {}
    for place, meaning in meanings.items():
        if meaning is None or meaning.role == "measured":
            continue
        if meaning.role in roles and meaning.role in (*_CONTEXT, "metric", "value"):
            one, two = frame.columns[roles[meaning.role]], frame.columns[place]
            raise UsageError(f"columns {one!r} and {two!r} both say the {meaning.role}; rename one.")
        roles.setdefault(meaning.role, place)
    return roles


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


def _is_blank(cell: object) -> bool:
    return isinstance(cell, str) and cell.strip() in _BLANKS


@dataclass(frozen=True, slots=True)
class _Reading:
    """How the cells of a frame are read: which tasks, which constants, what is a percentage, how it was rounded."""

    setting: Setting
    tables: Tables
    percent: bool | frozenset[Metric]
    decimals: int | Mapping[Metric, int] | None
    noting: bool

    def is_percentage(self, metric: Metric) -> bool:
        """Tell whether values of a metric are percentages without a sign; a mean rank never is."""
        return metric.is_share and (self.percent if isinstance(self.percent, bool) else metric in self.percent)

    def decimals_of(self, metric: Metric) -> int | None:
        """Return to how many decimals values of a metric were rounded; None to go by the text."""
        return self.decimals.get(metric) if isinstance(self.decimals, Mapping) else self.decimals


class _Work:
    """The columns of a frame that are read, and the ranking tasks of its rows."""

    def __init__(self, frame: pd.DataFrame, roles: Mapping[str, int], reading: _Reading) -> None:
        self.frame, self.roles, self.reading = frame, roles, reading
        self.notes: dict[int, str] = {}
        names = [role for role in _CONTEXT if role in roles]
        self._stated = [
            (
                {role: str(key) for role, key in zip(names, keys, strict=True) if key is not None and str(key).strip()},
                rows,
            )
            for keys, rows in _split_rows(frame, [roles[role] for role in names])
        ]

    def adjust_long(self) -> list[dict[str, Any]]:
        columns = _Columns(len(self.frame), "value", "", {form: form for form in ADJUSTMENTS})
        at = [self.roles[role] for role in ("metric", "k") if role in self.roles]
        settled = self._settle(Meaning("measured"))
        for tasks, rows in settled:
            for (name, *ks), inner in _split_rows(self.frame.iloc[rows], at):
                meaning = None if name is None else _read_name(str(name), ks[0] if ks else None)
                if meaning is not None and meaning.metric is not None and _is_base(meaning):
                    self._fill(columns, tasks, meaning, rows[inner], self.roles["value"])
        return [columns.filled, self._describe(settled, "")]

    def adjust_wide(self, measured: Mapping[int, Meaning]) -> list[dict[str, Any]]:
        counts = Counter(meaning.metric for meaning in measured.values())
        blocks, plain = [], None
        for place, meaning in measured.items():
            metric, name = meaning.metric, str(self.frame.columns[place])
            if metric is None:
                continue
            heading = name if counts[metric] > 1 else None
            prefix = heading or metric.label
            names = {form: metric.column_of(form, heading) for form in ADJUSTMENTS}
            columns = _Columns(len(self.frame), prefix, f"{prefix}_", names)
            settled = self._settle(meaning)
            for tasks, rows in settled:
                self._fill(columns, tasks, meaning, rows, place)
            blocks.append(columns.filled)
            if any(getattr(meaning, field) for field in _SAID):
                blocks.append(self._describe(settled, f"{prefix}_"))
            else:
                plain = settled
        return blocks if plain is None else [*blocks, self._describe(plain, "")]

    def _settle(self, meaning: Meaning) -> list[tuple[Settled, NDArray[np.intp]]]:
        """Return sets of ranking tasks with the positions of their rows, for a column with that heading."""
        own = {field: getattr(meaning, field) for field in _SAID if getattr(meaning, field)}
        settled, failed = [], []
        for stated, rows in self._stated:
            try:
                context = replace(NOTHING, **{**stated, **own})
                settled.append((settle(context, self.reading.setting, self.reading.tables), rows))
            except RankconstError as error:
                failed.append(error)
                self.notes.update(dict.fromkeys(rows.tolist(), str(error)))
        if failed and not self.reading.noting:
            # All at once, so that a table is mended in one go.
            raise type(failed[0])("\n".join(dict.fromkeys(map(str, failed))))
        return settled

    def _describe(self, settled: Sequence[tuple[Settled, NDArray[np.intp]]], prefix: str) -> dict[str, Any]:
        """Return the number of tasks and the protocol of every row."""
        num_tasks = np.zeros(len(self.frame), dtype=np.int64)
        protocols = np.full(len(self.frame), None, dtype=object)
        for tasks, rows in settled:
            histogram = self.reading.tables.histogram(tasks.dataset, tasks.split, tasks.side, tasks.protocol)
            num_tasks[rows], protocols[rows] = histogram.total, tasks.protocol
        described: dict[str, Any] = {f"{prefix}num_tasks": num_tasks}
        if "protocol" not in self.roles:
            used = {tasks.protocol for tasks, _ in settled}
            # A single text is stored much faster than as many copies.
            described[f"{prefix}protocol"] = used.pop() if len(used) == 1 else protocols
        return described

    def _fill(self, columns: _Columns, settled: Settled, meaning: Meaning, rows: NDArray[np.intp], place: int) -> None:
        if meaning.metric is None:
            return
        value, lower, upper = self._read(self.frame.iloc[rows, place], meaning, str(self.frame.columns[place]))
        there = np.isfinite(value)
        if not there.all():
            rows, value, lower, upper = rows[there], value[there], lower[there], upper[there]
        constants = settled.constants(self.reading.tables, meaning.metric)
        columns.put(rows, constants, adjust_values(settled.source, constants, value, lower, upper))

    def _read(self, cells: pd.Series[Any], meaning: Meaning, name: str) -> tuple[Numbers, Numbers, Numbers]:
        """Return values and their bounds; NaN where there is none."""
        metric = meaning.metric
        if metric is None:
            raise DataError(f"column {name} holds no metric.")
        decimals = self.reading.decimals_of(metric)
        percent = meaning.percent or self.reading.is_percentage(metric)
        if cells.dtype.kind in "fiu" and metric.is_share >= percent:
            value = cells.to_numpy(dtype=np.float64, na_value=np.nan)
            infinite = np.flatnonzero(np.isinf(value))
            if infinite.size:
                raise DataError(f"column {name}, row {cells.index[infinite[0]]}: {value[infinite[0]]} is no result.")
            self._check_percentages(metric, meaning, value, name)
            value = value / 100 if percent else value
            open_by = 0.0 if decimals is None else 0.5 * 10.0 ** -(decimals + 2 * percent)
            return value, value - open_by, value + open_by
        codes, uniques = cells.factorize()
        found = np.full((len(uniques) + 1, 3), np.nan)  # the last row, for code -1, stays NaN
        plain = np.zeros(len(uniques), dtype=bool)
        if decimals is None and metric.is_share >= percent:
            plain, found[:-1] = _read_plain(uniques, percent)
        for place in np.flatnonzero(~plain).tolist():
            cell: Any = uniques[place]
            if not _is_blank(cell):
                where = f"column {name}, row {cells.index[int(np.argmax(codes == place))]}"
                each = read_published(metric, cell, decimals=decimals, percent=percent, place=where)
                found[place] = each.value, each.lower, each.upper
        value, lower, upper = found[codes].T
        if self.reading.percent is True:
            signed = np.array([isinstance(cell, str) and "%" in cell for cell in uniques] + [False])
            self._check_percentages(metric, meaning, np.where(signed[codes], np.nan, value * 100), name)
        return value, lower, upper

    def _check_percentages(self, metric: Metric, meaning: Meaning, written: Numbers, name: str) -> None:
        """Refuse to take a column of fractions for percentages below one."""
        if meaning.percent or self.reading.percent is not True or not metric.is_share:
            return
        there = written[np.isfinite(written)]
        if there.size and there.max() <= 1:
            raise DataError(
                f"column {name}: every value is at most 1, as fractions are. Name the metrics that are percentages: "
                "percent=['hits@10']."
            )


def _read_name(name: str, k: object) -> Meaning | None:
    """Read the name of a metric in a cell, its k in another; None for what is no metric's own value."""
    if k is not None:
        number = float(str(k)) if re.fullmatch(r"\d{1,15}(\.0*)?", str(k)) else None
        if number is None:
            raise DataError(f"metric {name}: k is {k!r}; expected a whole number.")
        return Meaning("measured", parse_metric(name, int(number)))
    meaning = parse_column(name)
    # What no heading means is no metric either: the message names the nearest.
    return Meaning("measured", parse_metric(name)) if meaning is None else meaning


def _read_plain(cells: Any, percent: bool) -> tuple[NDArray[np.bool_], Numbers]:
    """Read texts that are digits with at most one point, all at once.

    Returns
    -------
    tuple
        Which texts are such, shape (U,), and value, lower and upper end of each, shape (U, 3); NaN for the others.
        Ends are those of :func:`parse_value`: with up to 15 digits both are the rounded exact quotient.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    found = np.full((len(cells), 3), np.nan)
    try:
        texts = pa.array(cells)
    except (pa.ArrowInvalid, pa.ArrowTypeError):  # cells of several kinds
        return np.zeros(len(cells), dtype=bool), found
    if not (pa.types.is_string(texts.type) or pa.types.is_large_string(texts.type)):
        return np.zeros(len(cells), dtype=bool), found
    plain = np.asarray(pc.match_substring_regex(texts, r"^\d{0,15}\.\d{1,20}$|^\d{1,15}$"))
    chosen = texts.filter(pa.array(plain))
    point = np.asarray(pc.find_substring(chosen, "."))
    decimals = np.where(point < 0, 0, np.asarray(pc.utf8_length(chosen)) - point - 1) + 2 * percent
    digits = np.asarray(pc.replace_substring(chosen, ".", "").cast(pa.decimal128(35)).cast(pa.float64()))
    unit = 10.0**decimals
    # More digits than a double holds are rounded once by reading them, not twice by a quotient.
    whole = np.asarray(chosen.cast(pa.float64())) / (100 if percent else 1)
    value = np.where(digits < 2**53, digits / unit, whole)
    found[plain] = np.stack((value, (2 * digits - 1) / (2 * unit), (2 * digits + 1) / (2 * unit)), axis=1)
    return plain, found


class _Columns:
    """The columns that one column of numbers turns into."""

    def __init__(self, size: int, value: str, prefix: str, names: Mapping[str, str]) -> None:
        self._value, self._prefix, self._names = value, prefix, names
        keys = [f"{value}_lower", f"{value}_upper", f"{prefix}expectation", f"{prefix}variance"]
        keys += [f"{name}{end}" for name in names.values() for end in ("", "_lower", "_upper")]
        self.filled: dict[str, Any] = {key: np.full(size, np.nan) for key in keys}

    def put(self, rows: NDArray[np.intp], constants: Constants, adjusted: Adjusted) -> None:
        filled = self.filled
        filled[f"{self._prefix}expectation"][rows] = constants.expectation
        filled[f"{self._prefix}variance"][rows] = constants.variance
        ends = (("value", self._value), *self._names.items())
        for form, name in ends:
            interval = getattr(adjusted, f"{form}_interval")
            if interval is None:
                continue
            filled[f"{name}_lower"][rows], filled[f"{name}_upper"][rows] = interval
            if form != "value":
                filled[name][rows] = getattr(adjusted, form)
