"""The public functions on results: they take a path, a dict, a DataFrame or a reading."""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, cast

from rankconst.arrow import as_given, as_pandas, as_values, refuse_lazy, refuse_masked
from rankconst.catalogue.baselines import DEFAULT_BASELINE, INFORMED
from rankconst.catalogue.metrics import find_metric, list_prefixes, parse_metric
from rankconst.catalogue.protocols import OWN_COUNTS
from rankconst.doubles import np
from rankconst.errors import (
    AskedError,
    DataError,
    RankconstError,
    UndefinedError,
    UnknownNameError,
    UsageError,
)
from rankconst.evaluation import (
    NOTHING,
    Address,
    complete_by_name,
    count_alike,
    gather_assumed,
    look_up_named,
    parse_address,
    settle,
)
from rankconst.names import as_names, count_of, require_text
from rankconst.tables.archive import Tables, are_of_answers, load
from rankconst.tasks import Tasks
from rankconst.values.constants import SINGLE
from rankconst.values.published import read_published
from rankconst.values.ranks import Ranks, from_ranks

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from rankconst.catalogue.metrics import Metric
    from rankconst.checks.checking import CheckedReading
    from rankconst.results.adjusted import AdjustedReading
    from rankconst.results.compared import Compared
    from rankconst.results.reading import Reading
    from rankconst.tables.own_counts import Answers, Counts
    from rankconst.typed import AdjustedList, AdjustedValue, AdjustedValues
    from rankconst.values.constants import Constants


def adjust(
    results: Any = None,
    *,
    metric: str | Iterable[str] = (),
    to: str | None = None,
    dataset: str | None = None,
    split: str | None = None,
    side: str | None = None,
    protocol: str | None = None,
    tool: str | None = None,
    aggregation: str | None = None,
    relations: Iterable[str] = (),
    percent: bool | Collection[str] | None = None,
    strict: bool = False,
    accept: Iterable[str] = (),
    decimals: int | Mapping[str, int] | None = None,
    details: bool = False,
    tables: Tables | Counts | Answers | Sequence[Tables] | None = None,
    errors: Literal["raise", "note"] | None = None,
    baseline: str | None = None,
    **values: Any,
) -> Any:
    """Adjust published numbers for chance: single values, a dict, a results file or a DataFrame.

    Parameters
    ----------
    results
        Any of these:

        - a number, or a list or array of numbers, with their `metric`
        - a dict of numbers by metric
        - the path of a file or folder of results, or a list of paths
        - a dict as PyKEEN's ``to_dict()`` or the JSON of another tool has it
        - what :func:`read` or :func:`from_ranks` returns
        - a wide DataFrame, with a column for each metric (``MRR``, ``Hits@10``, ``test_mrr`` ...)
        - a long DataFrame, with columns ``metric`` and ``value`` (and ``k`` for ``hits_at_k``)

        In a DataFrame, columns ``dataset``, ``split``, ``side``, ``protocol``, ``tool`` and
        ``aggregation`` say which ranking tasks a row is about. A number may be text as it was
        printed (``"0.338"``, ``"53.3%"``, ``"0.5458 ± 0.0052"``), which gives intervals. Floats are
        exact. Other text with a letter is a path. Missing values, ``n/a`` and the like stay
        missing.
    metric
        The metric of a single number. For results that name their metrics, the ones to adjust; all
        of them if empty.
    to
        The metric that adjusted values of `metric` are turned back into:
        ``adjust("0.9343", metric="AMRI", to="MR", dataset="FB15k-237")``.
    dataset, split, side, protocol, tool, aggregation
        The ranking tasks of the numbers, where the results do not say. The defaults are split
        ``test``, side ``both``, and the only protocol of the dataset, or the tool's, or
        ``standard``; a tool may have a split and a side of its own. The result's ``assumed`` names
        the defaults that were used. Numbers whose adjusted values or numbers of ranks contradict
        these tasks are asked about. Numbers whose labels name other tasks are left out.
    relations
        The relations whose tasks count; all if empty.
    percent
        Whether shares without a sign are percentages; for a DataFrame also the metrics that are. If
        None, the numbers of a table decide: it has percentages if most rows have a number above 1.
        Numbers that could be either are left out.
    strict
        Whether to refuse results if anything in them cannot be read, is impossible or is asked
        about. By default the rest is adjusted.
    accept
        Words that say nothing about the numbers. A number near a word that may mean other ranking
        tasks, such as ``dev``, is asked about: the result's ``asked`` names the word, its place and
        possible answers. ``dev=valid`` says what a word means, and ``NELL-995=nell995`` which of
        several graphs with the same name.
    decimals
        To how many decimals numbers were rounded, for all metrics or for each by name; as printed
        if None. Not for files.
    details
        Whether to compute everything: expectation, variance, normalised, z, their intervals, the
        ranking tasks and, except in a DataFrame, the probability that a random ranker does as well.
    tables
        The constants; the newest in the package if None. From several sets, ``[mykg,
        rankconst.load()]``, each dataset is taken from the first that holds it. If there is only
        one dataset, numbers and ranks need not name it. This may also be what :func:`from_counts`
        returns. For queries with several right answers, `tool` is then the library that named the
        metrics.
    errors
        What to do with impossible numbers and those of unknown tasks. If None, they are left out
        with the reason in a column ``note``, and it is an error if no number remains. ``"note"``
        returns the result even then. ``"raise"`` raises an error for the first of them.
    baseline
        ``"frequency"``, ``"counting"``, ``"counting_single_step"`` or ``"all"``, to compare with
        this ranker, too: ``MRR_skill_frequency`` is 0 for the baseline and 1 for perfect results,
        and ``MRR_z_frequency`` is the z-score.
    values
        Values by metric, in place of `results`: ``adjust(mrr=0.338, dataset="WN18RR")``.

    Returns
    -------
    AdjustedValue
        For a single number: its ``index``, ``chance``, ``counting``, ``z``, ``p``, a ``sentence``
        and ``forms`` with intervals. ``print`` shows the screen of the command.
    AdjustedList or AdjustedValues
        For a list or a dict of numbers: a sequence or a mapping of AdjustedValue, whose
        ``to_pandas()`` has a row for each. With `to`, a sequence of the values before adjustment,
        with ``lower`` and ``upper``.
    pandas.DataFrame
        For a DataFrame: the same with further columns, ``AMRR`` for each metric, or ``index`` if it
        is long, and ``protocol``. With `details`, every form with its interval, ``num_tasks``,
        ``table_version`` and the other names of the tasks.
    AdjustedFile
        For anything else. Its ``table`` and ``to_pandas()`` have such columns. Its ``assumed`` maps
        ``split``, ``side`` ... to the assumed values, and its ``asked`` lists questions for you;
        both are in the ``attrs`` of a DataFrame.

    Raises
    ------
    AskedError
        If all numbers wait for an answer; its ``questions`` are the questions.
    DataError
        If there is no metric, a number is impossible, or the file cannot be read.
    UnknownNameError
        If a name is unknown.
    UsageError
        If a column contradicts an argument, or an option does not go with the results.
    MissingExtraError
        If a package that reads the file or the table is not installed.

    Examples
    --------
    >>> round(adjust("0.338", metric="mrr", dataset="FB15k-237").index, 4)  # Sun et al. 2019
    0.3375
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"dataset": ["FB15k-237", "WN18RR"], "MRR": ["0.338", "0.476"]})
    >>> adjust(frame)[["dataset", "MRR", "AMRR"]].round(4)
         dataset    MRR    AMRR
    0  FB15k-237  0.338  0.3375
    1     WN18RR  0.476  0.4759
    """
    results = _take_values(results, values)
    opened = _open(tables)
    names = as_names(metric)
    of_answers = are_of_answers(opened)
    if are_of_answers(opened) and tool:  # the library decides what the names of metrics mean
        opened, tool = opened.name_library(tool), None

    is_number = _is_value(results) or _are_values(results)
    is_typed = is_number or _is_typed(results)
    if of_answers or (tables is not None and (is_typed or isinstance(results, Ranks))):
        dataset = dataset or _find_only(opened)

    user = Address(
        dataset=dataset,
        split=split,
        side=side,
        protocol=protocol,
        aggregation=aggregation,
        tool=tool,
        relations=as_names(relations),
        accepted=as_names(accept),
    )
    if isinstance(results, Ranks):
        _require_possible(results, parse_address(user, opened), opened)

    if to is not None:
        if not is_number or of_answers:
            got = "those of several right answers" if of_answers else type(results).__name__
            raise UsageError(
                f"to turns numbers back, not {got}: adjust(0.9343, metric='AMRI', to='MR', ...)."
            )
        from rankconst.typed import turn_values_back

        numbers = _list_numbers(results)
        user = replace(parse_address(user, opened), percent=bool(percent))
        return turn_values_back(numbers, _require_one(numbers[0], names), to, user, opened)

    _check_errors(errors, strict=strict, is_typed=is_typed and not of_answers)
    if strict:
        errors = "raise"

    request = _Request(
        tables=opened,
        user=user,
        names=names,
        metrics=_name_metrics(names, opened),
        baselines=tuple(key for key in opened.list_baselines(baseline) if key in INFORMED),
        percent=percent,
        decimals=decimals,
        details=details,
        errors=errors,
    )
    if of_answers and is_number:
        return _adjust_answers(results, request)
    if is_typed and not of_answers:
        return _adjust_typed(results, request)

    from rankconst.results.frame import is_frame

    frame = as_pandas(results)
    if is_frame(frame):
        return as_given(_adjust_frame(frame, request), results)
    return _adjust_file(frame, request)


def _check_errors(errors: object, *, strict: bool, is_typed: bool) -> None:
    """Refuse a value of `errors` that is unknown, or does not go with the other arguments."""
    if errors not in (None, "raise", "note"):
        raise UsageError(f"errors is {errors!r}; expected 'raise', 'note' or None.")
    if is_typed and errors is not None:
        raise UsageError(
            "errors is for files and frames: a value that cannot be adjusted is an error anyway."
        )
    if strict and errors == "note":
        raise UsageError(
            "strict=True refuses what errors='note' leaves out with a note; "
            "give only one of the two."
        )


@dataclass(frozen=True, slots=True)
class _Request:
    """The arguments of :func:`adjust`, parsed."""

    tables: Tables
    user: Address
    names: tuple[str, ...]  # of metrics, as they were given
    metrics: tuple[Metric, ...]  # the only ones to adjust; all if empty
    baselines: tuple[str, ...] = ()  # further ones than chance
    percent: bool | Collection[str] | None = None
    decimals: int | Mapping[str, int] | None = None
    details: bool = False
    errors: Literal["raise", "note"] | None = None

    @property
    def only(self) -> Metric | None:
        """The only metric to adjust; None for several or all."""
        return self.metrics[0] if len(self.metrics) == 1 else None

    def adjust(
        self,
        reading: Reading,
        decimals: int | Mapping[Metric, int] | None = None,
        *,
        is_frame: bool = False,
    ) -> AdjustedReading:
        """Adjust the numbers of a reading, and ask about those that contradict their tasks."""
        from rankconst.checks import confirm_reading
        from rankconst.results.batches import adjust_reading
        from rankconst.results.meanings import name_answers

        user = replace(self.user, percent=self.percent is True)
        reading = confirm_reading(name_answers(reading, self.tables), self.tables, user)
        errors = self.errors
        if is_frame and not len(reading.entries):
            errors = "note"

        adjusted = adjust_reading(
            reading,
            self.tables,
            user,
            metrics=self.metrics,
            significance=self.details and not is_frame,
            errors=errors,
            baselines=self.baselines,
            decimals=decimals,
            in_python=True,
        )
        return replace(adjusted, details=self.details)


def _adjust_answers(results: Any, request: _Request) -> Any:
    """Adjust one or several numbers of a metric of queries with several right answers."""
    _require_one(results, request.names)
    user, decimals = request.user, cast("int | None", request.decimals)
    tasks = request.tables.tasks(
        str(user.dataset), split=user.split or "test", protocol=OWN_COUNTS.key
    )
    constants = request.tables.look_up(tasks, request.metrics[0])
    adjusted = [
        constants.adjust(value, decimals=decimals, percent=bool(request.percent))
        for value in _list_numbers(results)
    ]
    return adjusted[0] if _is_value(results) else adjusted


def _adjust_frame(frame: Any, request: _Request) -> Any:
    """Return a DataFrame with the adjusted forms of its numbers in further columns."""
    from rankconst.results.frame import add_columns, read_frame
    from rankconst.results.reading import require_complete

    percent, decimals = request.percent, cast("Any", request.decimals)
    if isinstance(percent, str):
        percent = as_names(percent)

    reading, reasons = read_frame(frame, percent, request.only)
    is_unread = not len(reading.entries) and len(frame) > 0
    if request.errors == "raise" or (request.errors is None and is_unread):
        require_complete(reading)

    if isinstance(decimals, Mapping):
        decimals = {parse_metric(name): digits for name, digits in decimals.items()}

    adjusted = request.adjust(reading, decimals, is_frame=True)
    return add_columns(frame, adjusted, reasons, always=request.errors == "note")


def _adjust_file(results: Any, request: _Request) -> Any:
    """Adjust the numbers of files, or of objects in place of a file."""
    from rankconst.results.frame import read_given
    from rankconst.results.listed import AdjustedFile
    from rankconst.results.meanings import assume_unit

    percent = request.percent
    if request.decimals is not None or not isinstance(percent, bool | None):
        raise UsageError(
            "decimals and a list of percentages are for a DataFrame; a file shows its own digits."
        )

    reading = read_given(
        results,
        strict=request.errors == "raise",
        percent=assume_unit(percent, request.tables),
        metric=request.only,
    )
    return AdjustedFile(request.adjust(reading), request.tables)


def _name_metrics(names: Sequence[str], tables: Tables) -> tuple[Metric, ...]:
    """Parse the names of metrics, as the tables understand them."""
    if not are_of_answers(tables):
        return tuple(parse_metric(name) for name in names)
    from rankconst.results.meanings import name_metrics

    return name_metrics(names, tables)


def _require_possible(ranks: Ranks, user: Address, tables: Tables) -> None:
    """Refuse ranks that are above their numbers of candidates, and ranks of weighted tasks."""
    for side, values in ranks.sides.items():
        try:
            tasks, _ = settle(Address(side=side), user, tables)
            histogram = tables.histogram(tasks)
        except RankconstError:  # adjusting the metrics raises the same error, or asks
            continue

        if histogram.is_weighted:
            raise UsageError(
                "ranks are averaged over tasks that count once each, not with weights. "
                "Average the metric yourself, and give its value."
            )
        sizes = np.repeat(histogram.num_candidates, histogram.num_tasks)[::-1]
        if values.size > sizes.size:  # these are other tasks, and a question follows
            continue
        # It is not known which rank is of which task. If the highest rank is of the task with the
        # most candidates, and so on down, ranks fit the tasks best.
        highest = np.sort(values)[::-1]
        above = np.flatnonzero(highest > sizes[: values.size])
        if above.size:
            rank = highest[above[0]]
            ranks_above = count_of(int((values >= rank).sum()), "rank")
            tasks_above = count_of(int((sizes >= rank).sum()), "task")
            raise DataError(
                f"side {side}: {ranks_above} of {rank:g} or more, but {tasks_above} with that many "
                "candidates; expected no rank above the candidates of its task. Count the right "
                "answer as a candidate, and rank under the filter that the candidates are of."
            )


def _find_only(tables: Tables) -> str | None:
    """Return the only dataset of tables, or None if they hold several."""
    first, *others = tables.datasets
    return None if others else first


def _take_values(results: Any, values: dict[str, Any]) -> Any:
    """Return the values given by keyword, or the results, with arrays as lists."""
    for name in values:
        if find_metric(name) is None:
            raise UsageError(f"{name} is neither an argument nor a metric.")

    if values and results is not None:
        raise UsageError(
            f"there are both results and a value, {next(iter(values))}: give one of the two."
        )
    if values:
        return values

    refuse_lazy(results)
    if isinstance(results, SINGLE) or hasattr(results, "columns"):
        return results
    if getattr(results, "name", None) and hasattr(results, "to_frame"):  # a Series: valid_mrr
        return results.to_frame()

    # A Series without a name: an index of text may say splits or datasets.
    labels = getattr(getattr(results, "index", None), "dtype", None)
    if labels is not None and labels.kind not in "iu":
        raise UsageError(
            "the index of a Series is not read, and may say what the numbers are. Give a "
            "DataFrame, whose index is read: series.to_frame('MRR'); or series.tolist()."
        )

    refuse_masked(results, "the numbers")
    array = as_values(results)
    return array.tolist() if hasattr(array, "tolist") else array


def _is_value(results: Any) -> bool:
    """Return True for a single value. Text with letters other than an exponent's is a path."""
    if isinstance(results, str):
        return {sign for sign in results if sign.isalpha()} <= {"e", "E"}
    return isinstance(results, SINGLE)


def _are_values(results: Any) -> bool:
    """Return True for a list of single values."""
    if not isinstance(results, (list, tuple)) or not results:
        return False
    return all(_is_value(value) for value in results)


def _list_numbers(results: Any) -> Sequence[Any]:
    """Return a single value as a list, and a list as it is."""
    return [results] if _is_value(results) else results


def _warn_of_gaps(tasks: Tasks, tables: Tables) -> None:
    """Warn if the tables lack some graphs of a suite."""
    if coverage := tables.explain_coverage(tasks):
        warnings.warn(f"{tasks.dataset}: {coverage}", stacklevel=4)


def _is_file(results: Any) -> bool:
    """Return True for the path of a file."""
    return isinstance(results, os.PathLike) or (isinstance(results, str) and not _is_value(results))


def _require_one(value: Any, names: Sequence[str]) -> str:
    """Return the only name of a metric, or raise UsageError about `value`."""
    if not names:
        raise UsageError(
            f"which metric is {value}? Add metric, as in rankconst.adjust({value}, metric='mrr')."
        )
    if len(names) > 1:
        raise UsageError(f"{value} is of one metric; expected one, got {', '.join(names)}.")
    return names[0]


def _is_typed(results: Any) -> bool:
    """Return True for a dict of single values whose keys are plain names of metrics."""
    if not isinstance(results, Mapping) or not results:
        return False

    try:
        return all(
            parse_metric(name) and not list_prefixes(name) and isinstance(value, SINGLE)
            for name, value in results.items()
        )
    except UnknownNameError:
        return False


def _adjust_typed(results: Any, request: _Request) -> AdjustedValue | AdjustedList | AdjustedValues:
    """Adjust a number, a list of numbers, or the numbers of a dict."""
    from rankconst.typed import AdjustedList, AdjustedValues

    if not isinstance(results, Mapping):
        numbers = _list_numbers(results)
        name = _require_one(numbers[0], request.names)
        values = AdjustedList(**_adjust_values([(name, number) for number in numbers], request))
        return values[0] if _is_value(results) else values

    names = tuple(results)
    if request.metrics:
        names = tuple(name for name in results if parse_metric(name) in request.metrics)

    if not names:
        raise UsageError(
            f"metric leaves out all values, which are of {', '.join(results)}. Leave out metric."
        )

    fields = _adjust_values([(name, results[name]) for name in names], request)
    return AdjustedValues(**fields, names=names)


def _adjust_values(typed: Sequence[tuple[str, Any]], request: _Request) -> dict[str, Any]:
    """Adjust pairs of the name of a metric and a value; return the fields of AdjustedValues."""
    from rankconst.adjusting import add_significance, adjust_on

    tables, percent, decimals = request.tables, request.percent, request.decimals
    if not isinstance(percent, bool | None) or not isinstance(decimals, int | None):
        raise UsageError(
            "lists of percentages and of decimals are for a DataFrame; expected one for all values."
        )

    names = list(dict.fromkeys(name for name, _ in typed))
    published = []
    for name, value in typed:
        metric = parse_metric(name)
        # Among several metrics, percent is about the shares; a single one has to be a share.
        is_percent = bool(percent) and (metric.is_share or len(names) == 1)
        number = read_published(metric, value, decimals=decimals, percent=is_percent, place=name)
        published.append((metric, number))

    address = request.user
    if len(names) == 1:
        address = complete_by_name(names[0], address)

    tasks, tool = settle(NOTHING, parse_address(replace(address, rank_type=None), tables), tables)
    _warn_of_gaps(tasks, tables)
    baselines = (DEFAULT_BASELINE, *request.baselines)
    batches = adjust_on(tasks, tool, published, tables, baselines)
    if request.details:
        batches = [add_significance(batch) for batch in batches]

    return {
        "done": tuple(batches),
        "_tables": tables,
        "_assumed": gather_assumed([(address, tasks)], NOTHING),
        "_full": request.details,
    }


def check(
    results: Any = None,
    *,
    metric: str | None = None,
    dataset: str | None = None,
    split: str | None = None,
    side: str | None = None,
    protocol: str | None = None,
    tool: str | None = None,
    aggregation: str | None = None,
    percent: bool | None = None,
    strict: bool = False,
    accept: Iterable[str] = (),
    rules: Iterable[str] = (),
    tables: Tables | Counts | Sequence[Tables] | None = None,
    **values: Any,
) -> CheckedReading:
    """Find impossible numbers, and numbers that must be of other ranking tasks.

    Parameters
    ----------
    results
        As for :func:`adjust`. If both adjusted and base values are there, or numbers of ranks, they
        show whether the ranking tasks are right: ``{"MR": "470", "AMRI": "0.934"}``.
    metric
        The only metric to check; all if None.
    dataset, split, side, protocol, tool, aggregation, percent, strict, accept, tables
        As for :func:`adjust`. Rules that need numbers of candidates or tasks need the dataset.
    rules
        Keys of the rules to apply, as listed by ``rankconst show rules``; all if empty.
    values
        Values by metric, in place of `results`: ``check(mr="470", amri="0.934")``.

    Returns
    -------
    CheckedReading
        Its ``findings`` are the rules that numbers break, in the order of the file; numbers are
        impossible if the ``severity`` is ``"error"``. Its ``notes`` say what was not checked and
        why. Its ``asked`` are questions that only you can answer, such as which tasks numbers are
        from if they contradict those named or assumed. ``to_pandas()`` has a row for each finding.

    Raises
    ------
    DataError, UsageError, MissingExtraError
        As for :func:`adjust`.
    UnknownNameError
        If a name or a rule is unknown.

    Examples
    --------
    >>> found = check({"Hits@1": "0.241", "Hits@3": "0.575", "Hits@10": "0.533"})
    >>> [(finding.inequality, finding.severity) for finding in found.findings]
    [('Hits@3 <= Hits@10', 'error')]
    """
    from rankconst.checks.checking import check_reading
    from rankconst.results.frame import read_given

    results = _take_values(results, values)
    opened = _open(tables)
    if tables is not None and isinstance(results, Ranks):
        dataset = dataset or _find_only(opened)

    user = Address(
        dataset=dataset,
        split=split,
        side=side,
        protocol=protocol,
        aggregation=aggregation,
        tool=tool,
        percent=bool(percent),
        accepted=as_names(accept),
    )
    if isinstance(results, Ranks):
        _require_possible(results, parse_address(user, opened), opened)

    only = None if metric is None else parse_metric(metric)
    reading = read_given(results, strict=strict, percent=percent, metric=only)
    return check_reading(reading, opened, user, metric=only, rules=as_names(rules), in_python=True)


def constants(
    dataset: str,
    metric: str,
    *,
    split: str | None = None,
    side: str | None = None,
    protocol: str | None = None,
    tool: str | None = None,
    aggregation: str | None = None,
    relations: Iterable[str] = (),
    baseline: str = DEFAULT_BASELINE,
    tables: Tables | Sequence[Tables] | None = None,
) -> Constants:
    """Look up the expectation and variance of a metric for a random ranker, or another baseline.

    Parameters
    ----------
    dataset, metric
        In any usual spelling: ``"FB15k-237"``, ``"Hits@10"``; any k.
    split, side, protocol, tool, aggregation, relations, tables
        As for :func:`adjust`.
    baseline
        ``"uniform"`` is chance; ``"frequency"`` and ``"counting"`` know the training set.

    Returns
    -------
    Constants
        Its ``index``, ``z`` and ``adjust`` turn published values into adjusted ones.

    Raises
    ------
    UnknownNameError
        If a name is unknown, or the tables hold no such tasks.
    DataError
        If the tool's numbers cannot be adjusted on the dataset.
    UsageError
        For a tool that leaves out unknown tasks, or a macro average of a metric without one.

    Examples
    --------
    >>> mrr = constants("FB15k-237", "mrr", side="tail")
    >>> mrr.num_tasks, round(mrr.index("0.338"), 4)
    (20466, 0.3375)
    """
    key = require_text(dataset)
    user = Address(
        dataset=key,
        split=split,
        side=side,
        protocol=protocol,
        aggregation=aggregation,
        tool=tool,
        relations=as_names(relations),
    )
    opened = _open(tables)
    result = look_up_named(metric, user, opened, baseline)
    _warn_of_gaps(result.tasks, opened)
    return result


def compare(
    first: Any,
    second: Any = None,
    *,
    metric: str | None = None,
    dataset: str | None = None,
    split: str | None = None,
    side: str | None = None,
    protocol: str | None = None,
    tool: str | None = None,
    aggregation: str | None = None,
    relations: Iterable[str] = (),
    num_tasks: int | None = None,
    decimals: int | None = None,
    percent: bool = False,
    accept: Iterable[str] = (),
    tables: Tables | Sequence[Tables] | None = None,
) -> Any:
    """Test whether results on the same ranking tasks differ significantly.

    Parameters
    ----------
    first, second
        Two published values, as text or as exact floats; the ranks of two models task by task, in
        the same order, as :func:`from_ranks` takes or returns them; or the paths of two files of
        results. Or only `first`: a file, a DataFrame or a dict of results, as for :func:`adjust`.
    metric
        The metric, which two results need: Hits@k, MRR@k or nDCG@k for any k, MRR, MR or nDCG. All
        of these in a table if None.
    dataset, split, side, protocol, tool, aggregation, relations
        The ranking tasks, as for :func:`adjust`. Of these, ranks take only `side`.
    num_tasks
        The number of tasks, in place of a dataset, for metrics between 0 and 1 or protocol
        ``sampled:M``.
    decimals, percent
        As for :meth:`Constants.adjust`.
    accept, tables
        As for :func:`adjust`.

    Returns
    -------
    Comparison, or Compared, a sequence of Standings
        For two values, bounds that hold however similar the two models are; ``print`` explains
        them. For a table, the models of each metric and dataset in order, with those that each is
        significantly better than.

    Raises
    ------
    UndefinedError
        If nothing is known of differences of the metric.
    AskedError
        If numbers of a table are asked about.
    DataError
        If a value is impossible, or ranks are not of the same tasks, or a table has no two results
        to compare.
    UnknownNameError
        If a name is unknown.
    UsageError
        If the tasks of the values are not named, or an option does not go with ranks.

    Examples
    --------
    >>> comparison = compare("0.533", "0.544", metric="hits@10", dataset="FB15k-237")
    >>> round(comparison.z_interval.lower, 2), comparison.is_significant
    (2.11, True)
    """
    user = Address(
        dataset=dataset,
        split=split,
        side=side,
        protocol=protocol,
        aggregation=aggregation,
        tool=tool,
        relations=as_names(relations),
    )
    if second is None or (_is_file(first) and _is_file(second)):
        if num_tasks is not None or decimals is not None:
            raise UsageError(
                "num_tasks and decimals are for two values; a table names its dataset and shows "
                "its digits."
            )
        files = [first] if second is None else [first, second]
        user = replace(user, accepted=as_names(accept))
        return _compare_files(files, metric, user, percent=percent, tables=tables)

    if metric is None:
        raise UsageError("of which metric are the two results? Add metric, as in metric='mrr'.")
    if not isinstance(first, SINGLE):
        if num_tasks is not None or replace(user, side=None) != NOTHING:
            raise UsageError(
                "ranks are compared task by task: leave out what says which tasks, but for the "
                "side."
            )
        return _as_ranks(first).compare(_as_ranks(second), metric, side or "both")

    chance = _find_chance(metric, user, num_tasks, tables)
    return chance.compare(first, second, decimals=decimals, percent=percent)


def _as_ranks(given: Any) -> Ranks:
    """Read ranks, unless they are read already."""
    return given if isinstance(given, Ranks) else from_ranks(given)


def _find_chance(metric: str, user: Address, num_tasks: int | None, tables: Any) -> Constants:
    """Return the constants of chance on the tasks of two values."""
    from rankconst.values.comparison import require_mean

    parsed = parse_metric(metric)
    require_mean(parsed)
    if num_tasks is not None:
        return count_alike(parsed, user, num_tasks)

    opened = _open_comparable(tables)
    if user.dataset is None:
        raise UsageError(
            "of which dataset are the two values? Name it, or give the number of tasks."
        )

    chance = look_up_named(metric, user, opened)
    _warn_of_gaps(chance.tasks, opened)
    return chance


def _compare_files(
    files: Sequence[Any], metric: str | None, user: Address, *, percent: bool, tables: Any
) -> Compared:
    """Compare the results of files, or of objects in place of files."""
    from rankconst.results.compared import compare_files
    from rankconst.results.frame import read_given

    names = (metric,) if metric else ()
    opened = _open_comparable(tables)
    request = _Request(opened, user, names, _name_metrics(names, opened))
    numbers = []
    for results in files:
        reading = read_given(results, percent=percent or None, metric=request.only)
        adjusted = request.adjust(reading)
        if adjusted.asked:
            text = "\n".join(f"{question}." for question in adjusted.asked)
            raise AskedError(text, adjusted.asked)
        numbers.append(adjusted)

    return compare_files(numbers)


def _open_comparable(tables: Any) -> Tables:
    """Open tables, and refuse those of queries with several right answers."""
    opened = _open(tables)
    if are_of_answers(opened):
        raise UndefinedError(
            "results on queries with several right answers cannot be compared: nothing is known of "
            "their differences. rankconst.adjust() adjusts them."
        )
    return opened


_INCLUDED = threading.local()
"""The tables of the package, opened once in each thread."""


def _open(tables: Tables | Counts | Answers | Sequence[Tables] | None) -> Tables:
    """Return the given tables as one set, or those of the package for None."""
    if tables is None:
        if not hasattr(_INCLUDED, "tables"):
            _INCLUDED.tables = load()
        included: Tables = _INCLUDED.tables
        return included

    if isinstance(tables, Tables):
        return tables

    from rankconst.tables.counts_file import make_answer_tables, make_tables
    from rankconst.tables.own_counts import Answers, Counts

    if isinstance(tables, Counts):
        if any(histogram.is_weighted for histogram in tables.sides.values()):
            raise UsageError(
                "tables do not hold weights of tasks. Take the constants of the counts: "
                "rankconst.from_counts(counts, weights).constants('mrr').adjust(0.5)."
            )
        tasks = Tasks(tables.name, OWN_COUNTS.key)
        sides = tables.sides.items()
        return make_tables({replace(tasks, side=side): histogram for side, histogram in sides})

    if isinstance(tables, Answers):
        return make_answer_tables({Tasks(tables.name, OWN_COUNTS.key): tables})

    sets = list(tables) if isinstance(tables, Iterable) else []
    if not sets or not all(isinstance(each, Tables) for each in sets):
        load_them = "rankconst.load() returns"
        if isinstance(tables, (str, os.PathLike)):
            load_them += f": rankconst.load({tables!r})"
        raise UsageError(f"tables is {tables!r}; expected what {load_them}, or several of that.")

    from rankconst.tables.sets import join_tables

    return join_tables(sets)
