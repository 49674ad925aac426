"""Adjust the numbers of a pandas DataFrame; pandas is imported by whoever passes one in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rankconst.errors import DataError, RankconstError, UsageError
from rankconst.metrics import parse_metric
from rankconst.results.adjusting import adjust_values
from rankconst.results.columns import Meaning, parse_column
from rankconst.settling import Context, Setting, Settled, check_setting, settle
from rankconst.tables import load
from rankconst.values import parse_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pandas as pd
    from numpy.typing import NDArray

    from rankconst.constants import Adjusted, Constants
    from rankconst.metrics import Metric
    from rankconst.tables import Tables

    Numbers = NDArray[np.float64]

__all__ = ["adjust"]

_CONTEXT = ("dataset", "split", "side", "protocol", "aggregation", "source")
_FORMS = ("normalised", "index", "z")


def adjust(
    frame: pd.DataFrame,
    *,
    dataset: str | None = None,
    split: str | None = None,
    side: str | None = None,
    protocol: str | None = None,
    source: str | None = None,
    aggregation: str | None = None,
    percent: bool = False,
    decimals: int | Mapping[str, int] | None = None,
    tables: Tables | None = None,
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
        True if shares are percentages without a sign.
    decimals
        To how many decimals numbers were rounded, for all metrics or for each by name; None to go by the text.
    tables
        The constants; the newest that came along if None.

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
    opened = load() if tables is None else tables
    setting = Setting(dataset, split, side, protocol, source, aggregation, percent)
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
    groups = list(_group(frame, roles, setting, opened))
    work = _Work(frame, setting, decimals, opened)
    added = work.adjust_long(groups, roles) if long else work.adjust_wide(groups, measured)
    added["num_tasks"] = work.num_tasks
    if "protocol" not in roles:
        used = {settled.protocol for settled, _ in groups}
        added["protocol"] = used.pop() if len(used) == 1 else work.protocols
    added["tables"] = opened.version
    double = [name for name in added if name in set(map(str, frame.columns))]
    if double:
        raise UsageError(f"the frame has a column {double[0]!r} already; rename or drop it.")
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


def _group(
    frame: pd.DataFrame, roles: Mapping[str, int], setting: Setting, tables: Tables
) -> Iterator[tuple[Settled, NDArray[np.intp]]]:
    """Yield sets of ranking tasks with the positions of their rows."""
    names = [role for role in _CONTEXT if role in roles]
    failed: list[RankconstError] = []
    for keys, rows in _split_rows(frame, [roles[role] for role in names]):
        stated = {role: str(key) for role, key in zip(names, keys, strict=True) if not _is_missing(key)}
        try:
            yield settle(_contextualise(stated), setting, tables), rows
        except RankconstError as error:
            failed.append(error)
    if failed:
        # All at once, so that a table is mended in one go.
        raise type(failed[0])("\n".join(dict.fromkeys(map(str, failed))))


def _contextualise(stated: Mapping[str, str]) -> Context:
    dataset, split, side, protocol, aggregation, source = (stated.get(role) for role in _CONTEXT)
    return Context(dataset, split, side, protocol, aggregation, source)


def _split_rows(frame: pd.DataFrame, places: Sequence[int]) -> Iterator[tuple[tuple[Any, ...], NDArray[np.intp]]]:
    """Yield the distinct combinations of some columns, in order of appearance, with the positions of their rows."""
    codes = np.zeros(len(frame), dtype=np.int64)
    levels = []
    for place in places:
        column = frame.iloc[:, place]
        own, uniques = column.factorize(use_na_sentinel=False)
        codes = codes * max(len(uniques), 1) + own
        _, codes = np.unique(codes, return_inverse=True)
        levels.append(column)
    if not len(frame):
        return
    order = np.argsort(codes, kind="stable")
    starts = np.flatnonzero(np.concatenate(([True], np.diff(codes[order]) != 0)))
    parts = np.split(order, starts[1:])
    for rows in sorted(parts, key=lambda part: int(part[0])):
        yield tuple(column.iloc[rows[0]] for column in levels), rows


def _is_missing(value: object) -> bool:
    return value is None or value != value or (isinstance(value, str) and not value.strip())  # noqa: PLR0124 - NaN


class _Work:
    """What is the same for every cell of a frame, and the columns that describe its rows."""

    def __init__(
        self, frame: pd.DataFrame, setting: Setting, decimals: int | Mapping[str, int] | None, tables: Tables
    ) -> None:
        self.frame, self.setting, self.tables = frame, setting, tables
        self.num_tasks: Any = np.zeros(len(frame), dtype=np.int64)
        self.protocols = np.full(len(frame), None, dtype=object)
        self._decimals: int | Mapping[Metric, int] | None = (
            decimals
            if decimals is None or isinstance(decimals, int)
            else {parse_metric(name): digits for name, digits in decimals.items()}
        )

    def adjust_long(
        self, groups: Sequence[tuple[Settled, NDArray[np.intp]]], roles: Mapping[str, int]
    ) -> dict[str, Any]:
        columns = _Columns(len(self.frame), "value", "", {form: form for form in _FORMS})
        at = [roles[role] for role in ("metric", "k") if role in roles]
        for settled, rows in groups:
            self._describe(settled, rows)
            for (name, *ks), inner in _split_rows(self.frame.iloc[rows], at):
                metric = parse_metric(str(name), int(ks[0]) if ks and not _is_missing(ks[0]) else None)
                if metric.optimum is not None:
                    self._fill(columns, settled, metric, rows[inner], roles["value"])
        return columns.filled

    def adjust_wide(
        self, groups: Sequence[tuple[Settled, NDArray[np.intp]]], measured: Mapping[int, Meaning]
    ) -> dict[str, Any]:
        every = [meaning.metric for meaning in measured.values()]
        added: dict[str, Any] = {}
        for settled, rows in groups:
            self._describe(settled, rows)
        for place, meaning in measured.items():
            metric, name = meaning.metric, str(self.frame.columns[place])
            if metric is None:
                continue
            alone = every.count(metric) == 1
            names = {form: name_form(metric, form, None if alone else name) for form in _FORMS}
            prefix = metric.label if alone else name
            columns = _Columns(len(self.frame), prefix, f"{prefix}_", names)
            for settled, rows in groups:
                self._fill(columns, _specialise(settled, meaning), metric, rows, place)
            added.update(columns.filled)
        return added

    def _describe(self, settled: Settled, rows: NDArray[np.intp]) -> None:
        self.protocols[rows] = settled.protocol
        tasks = self.tables.histogram(settled.dataset, settled.split, settled.side, settled.protocol)
        self.num_tasks[rows] = tasks.total

    def _fill(self, columns: _Columns, settled: Settled, metric: Metric, rows: NDArray[np.intp], place: int) -> None:
        value, lower, upper = self._read(self.frame.iloc[rows, place], metric, str(self.frame.columns[place]))
        there = np.isfinite(value)
        if not there.all():
            rows, value, lower, upper = rows[there], value[there], lower[there], upper[there]
        constants = settled.constants(self.tables, metric)
        columns.put(rows, constants, adjust_values(settled.source, constants, value, lower, upper))

    def _read(self, cells: pd.Series[Any], metric: Metric, name: str) -> tuple[Numbers, Numbers, Numbers]:
        """Return values and their bounds; NaN where there is none."""
        decimals = self._decimals if not isinstance(self._decimals, Mapping) else self._decimals.get(metric)
        percent = self.setting.percent and metric.upper == 1
        if cells.dtype.kind in "fiu":
            value = cells.to_numpy(dtype=np.float64, na_value=np.nan)
            infinite = np.flatnonzero(np.isinf(value))
            if infinite.size:
                raise DataError(f"column {name}, row {cells.index[infinite[0]]}: {value[infinite[0]]} is no result.")
            value = value / 100 if percent else value
            open_by = 0.0 if decimals is None else 0.5 * 10.0 ** -(decimals + 2 * percent)
            return value, value - open_by, value + open_by
        codes, uniques = cells.factorize()
        found = np.full((len(uniques) + 1, 3), np.nan)  # the last row, for code -1, stays NaN
        plain = np.zeros(len(uniques), dtype=bool)
        if decimals is None:
            plain, found[:-1] = _read_plain(list(uniques), percent)
        for place in np.flatnonzero(~plain).tolist():
            if not _is_missing(uniques[place]):
                where = f"column {name}, row {cells.index[int(np.argmax(codes == place))]}"
                found[place] = _read_cell(uniques[place], metric, decimals, percent, where)
        value, lower, upper = found[codes].T
        return value, lower, upper


def _read_plain(cells: Sequence[object], percent: bool) -> tuple[NDArray[np.bool_], Numbers]:
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
    if not all(isinstance(cell, str) for cell in cells):
        return np.zeros(len(cells), dtype=bool), found
    texts = pa.array(cells, type=pa.string())
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


def _read_cell(
    cell: object, metric: Metric, decimals: int | None, percent: bool, where: str
) -> tuple[float, float, float]:
    published = parse_value(cell, decimals=decimals, percent=percent, place=where)  # type: ignore[arg-type]
    if "%" in published.text and metric.upper != 1:
        raise DataError(f"{where}: {published.text} is a percentage, but {metric.label} is no share.")
    return published.value, published.lower, published.upper


def _specialise(settled: Settled, meaning: Meaning) -> Settled:
    """Heed what a heading says beside the metric: ``test_mrr``, ``raw_mrr``."""
    stated = {name: getattr(meaning, name) for name in ("split", "side", "protocol") if getattr(meaning, name)}
    return replace(settled, **stated) if stated else settled


def name_form(metric: Metric, form: str, column: str | None = None) -> str:
    """Name the column of an adjusted metric: ``AMRR``; ``MRR_normalised`` where the field has no name.

    Parameters
    ----------
    metric, form
        The metric, and ``normalised``, ``index`` or ``z``.
    column
        The heading of the original column, where several are of this metric; None otherwise.
    """
    name = metric.name_of(form) or f"{metric.label}_{form}"
    return name if column is None else f"{column}_{form}"


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
