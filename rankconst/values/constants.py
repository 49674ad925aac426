"""The constants of a metric on some ranking tasks, and what they do to a published number."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from decimal import Decimal
from numbers import Real
from typing import TYPE_CHECKING, Any, NamedTuple

from rankconst.arrow import as_values
from rankconst.doubles import np
from rankconst.errors import DataError, UndefinedError
from rankconst.names import resolve_name, show_value
from rankconst.values.affine import ADJUSTMENTS, Adjusted, Affine, bound_error, map_corners
from rankconst.values.published import (
    NOISE,
    Interval,
    Published,
    check_decimals,
    half_unit,
    read_published,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from rankconst.catalogue.metrics import Metric
    from rankconst.moments import Moments
    from rankconst.tasks import Histogram, Tasks
    from rankconst.values.comparison import Comparison
    from rankconst.values.significance import Significance

SINGLE: tuple[type, ...] = (str, Decimal, Real)
"""The types of a single published value."""

_SMALL = 1e-3  # smaller numbers are written with an exponent
_UNORDERED = (bytes, set, frozenset, dict)

TIED_RANKS: dict[str, Callable[[NDArray[np.float64]], NDArray[np.float64]]] = {
    "optimistic": lambda sizes: np.full_like(sizes, 1.0),
    "realistic": lambda sizes: (sizes + 1) / 2,
    "pessimistic": lambda sizes: sizes,
}
"""Rank type to the rank of a true answer that ties with all other candidates, by their number."""


class Indexed(NamedTuple):
    """What an index knows of ranking tasks and a metric, so that no histogram is needed."""

    num_tasks: int
    worst: float  # the value of the worst ranker, in units of the metric
    smallest_difference: float | None


@dataclass(frozen=True, slots=True)
class Constants:
    """Expectation and variance of a metric on some ranking tasks, under chance or another baseline.

    Attributes
    ----------
    tasks
        The ranking tasks and the baseline.
    metric
        The metric, with its k.
    candidates
        The histogram of the tasks, or a function that reads it when it is needed.
    moments
        Expectation and variance with their errors and method.
    table_version
        The version of the tables; empty for counts of your own.

    References
    ----------
    Hoyt et al. 2022, arXiv:2203.07544, section 3.

    Examples
    --------
    >>> import rankconst
    >>> mrr = rankconst.constants("FB15k-237", "mrr")
    >>> round(mrr.index(0.338), 4)
    0.3375
    """

    tasks: Tasks
    metric: Metric
    candidates: Histogram | Callable[[], Histogram] = field(repr=False, compare=False)
    moments: Moments
    table_version: str = ""
    # Reads the blocks on which another baseline than chance ranks the tasks.
    _find_blocks: Callable[[], Histogram] | None = field(default=None, repr=False, compare=False)
    # The number of tasks and the worst value, where an index has them.
    _indexed: Indexed | None = field(default=None, repr=False, compare=False)

    def __repr__(self) -> str:
        return (
            f"Constants({self.metric.label} on {self.tasks}: expectation {self.expectation:.6g}, "
            f"variance {self.variance:.6g}, {self.num_tasks:,} tasks, {self.method})"
        )

    def _repr_html_(self) -> str:
        """Return the constants as a table for notebooks."""
        from html import escape

        rows = {
            "metric": self.metric.label,
            "ranking tasks": f"{self.num_tasks:,} of {self.tasks}",
            "expectation": f"{self.expectation!r} ± {self.expectation_error:.1e}",
            "variance": f"{self.variance!r} ± {self.variance_error:.1e}",
            "worst": repr(self.worst),
            "method": self.method,
            "tables": self.table_version or "none: your own counts",
        }
        cells = (f"<tr><th>{name}</th><td>{escape(text)}</td></tr>" for name, text in rows.items())
        return f"<table>{''.join(cells)}</table>"

    @property
    def histogram(self) -> Histogram:
        """The numbers of candidates of the ranking tasks, weighted for a macro average."""
        return self.candidates() if callable(self.candidates) else self.candidates

    @property
    def num_tasks(self) -> int:
        """The number of ranking tasks n; for side ``both`` those of both sides."""
        return self.histogram.total if self._indexed is None else self._indexed.num_tasks

    @property
    def worst(self) -> float:
        """The value that no ranker can pass, in units of the metric."""
        if self._indexed is not None:
            return self._indexed.worst
        return self.metric.worst(self.histogram.num_candidates, self.histogram.row_weights)

    @property
    def smallest_difference(self) -> float | None:
        """A difference that always tells two models apart (p < 0.05), in units of the metric.

        None where no difference does, where none is known, and under another baseline than chance.
        """
        if not self.tasks.is_chance:
            return None
        if self._indexed is not None:
            return self._indexed.smallest_difference
        from rankconst.values.comparison import find_smallest_difference

        return find_smallest_difference(self.metric, self.histogram)

    def all_tied(self, rank_type: str = "realistic") -> float:
        """Return the value of a model that scores all candidates alike.

        The realistic MR of such a model is that of a random ranker; its MRR and Hits@k are not.

        Parameters
        ----------
        rank_type
            The rank of ties: ``optimistic``, the true answer first; ``pessimistic``, the true
            answer last; or ``realistic``, the mean of the two, (N + 1) / 2.

        Returns
        -------
        float
            In units of the metric, exact except for rounding, whatever the baseline.

        Raises
        ------
        UnknownNameError
            If there is no such rank type.

        Examples
        --------
        >>> import rankconst
        >>> mrr = rankconst.constants("wn18rr", "mrr")
        >>> [round(mrr.all_tied(each), 6) for each in ("optimistic", "realistic", "pessimistic")]
        [1.0, 4.9e-05, 2.4e-05]
        """
        rank_of = TIED_RANKS[resolve_name("rank type", rank_type, dict.fromkeys(TIED_RANKS, ()))]
        ranks = rank_of(self.histogram.num_candidates.astype(np.float64))
        return self.metric.evaluate(ranks, self.histogram.row_weights)

    @property
    def expectation(self) -> float:
        """The expectation of a random ranker, or of the baseline, in units of the metric."""
        return self.moments.expectation

    @property
    def expectation_error(self) -> float:
        """The absolute error of the expectation; see :class:`~rankconst.moments.Moments`."""
        return self.moments.expectation_error

    @property
    def variance(self) -> float:
        """The variance of a random ranker's value, or the baseline's, in squared units."""
        return self.moments.variance

    @property
    def variance_error(self) -> float:
        """The absolute error of the variance; see :class:`~rankconst.moments.Moments`."""
        return self.moments.variance_error

    @property
    def method(self) -> str:
        """``closed_form``, ``numerical`` or ``sampled``."""
        return self.moments.method

    @property
    def num_draws(self) -> int | None:
        """The number of random rankings behind a ``sampled`` number; None for other methods."""
        return self.moments.num_draws

    @property
    def normalised(self) -> Affine:
        """The map M -> M / E[M]; 1 is random.

        Raises
        ------
        UndefinedError
            If the expectation is 0, as for the variance of a single rank that cannot vary.
        """
        return self._map("normalised")

    @property
    def index(self) -> Affine:
        """The map to the adjusted index; 0 is random, 1 is perfect.

        Under another baseline than chance it is the skill.

        Raises
        ------
        UndefinedError
            If a random ranker, or the baseline, is already perfect: if every task has one
            candidate, or k reaches all candidates.
        """
        return self._map("index")

    @property
    def z(self) -> Affine:
        """The map to the z-score; 0 is random, larger is better.

        Raises
        ------
        UndefinedError
            If the variance is 0, or cannot be distinguished from 0.
        """
        return self._map("z")

    def _map(self, adjustment: str) -> Affine:
        """Return a map that refuses values outside the metric's range."""
        return replace(ADJUSTMENTS[adjustment](self.metric, self.moments), admit=self._admit)

    def _admit(self, value: Any) -> Any:
        """Check a value, and return it as a number or an array."""
        value, lower, upper = self._read(value)
        self._check(value, lower, upper)
        return value

    def adjust(self, value: Any, *, decimals: int | None = None, percent: bool = False) -> Adjusted:
        """Adjust a published value, or an array, a list or a Series of them.

        Parameters
        ----------
        value
            The value in units of the metric. Text or a Decimal is read as printed: ``"0.338"``
            means 0.3375 to 0.3385, and ``"53.3%"`` and ``"0.5458 ± 0.0052"`` are understood.
            Floats are exact. A list of values, or a column of polars or Arrow, gives arrays. NaN
            and null are missing values.
        decimals
            The number of decimals that the value was rounded to. If None, text shows it and other
            values are exact.
        percent
            True for a percentage without its sign.

        Returns
        -------
        Adjusted
            The three adjusted forms with their intervals.

        Raises
        ------
        DataError
            If a value is not a number or is outside the range of the metric, or for a percentage
            of a metric that is not a share.
        """
        return self.adjust_between(*self._read(value, decimals, percent))

    def _read(
        self, value: Any, decimals: int | None = None, percent: bool = False
    ) -> tuple[Any, Any, Any]:
        """Return a value as a number, and the ends of its rounding interval; or arrays for many."""
        if isinstance(value, Published):  # it has been read already
            return value.value, value.lower, value.upper
        if isinstance(value, float) and decimals is None and not percent:  # nothing to read
            return value, value, value
        if value is None:
            raise DataError(
                "there is no value to adjust: got None; "
                "expected a number, an array, or text such as 0.338."
            )

        # This comes before the check for sequences, as text is one.
        if isinstance(value, SINGLE):
            published = read_published(self.metric, value, decimals=decimals, percent=percent)
            if percent or not isinstance(value, (float, int)):
                value = published.value
            return value, published.lower, published.upper  # an int stays an int

        value = as_values(value)  # columns of polars and Arrow become arrays or lists
        is_sequence = isinstance(value, Iterable) and not isinstance(value, _UNORDERED)
        if is_sequence and not hasattr(value, "__array__"):  # its items may be rounded differently
            cells = [self._read_cell(cell, decimals, percent) for cell in value]
            rows = np.array([(cell.value, cell.lower, cell.upper) for cell in cells])
            numbers, lower, upper = rows.reshape(-1, 3).T
            return numbers, lower, upper

        # An array or a Series, whose values are all rounded alike. Anything else is refused.
        value = _require_numbers(value)
        if percent and not self.metric.is_share:
            raise DataError(f"these are percentages, but {self.metric.label} is not a share.")

        half_width = 0.0 if decimals is None else 0.5 * 10.0 ** -check_decimals(decimals)
        if percent:
            value, half_width = value / 100, half_width / 100

        return value, value - half_width, value + half_width

    def _read_cell(self, value: Any, decimals: int | None, percent: bool) -> Published:
        """Read an item of a list, which may be NaN."""
        if isinstance(value, float) and math.isnan(value):
            return Published("", math.nan, math.nan, math.nan)
        return read_published(self.metric, value, decimals=decimals, percent=percent)

    def adjust_between(self, value: Any, lower: Any, upper: Any) -> Adjusted:
        """Adjust a value that was rounded from lower .. upper; or arrays or Series of one shape.

        The interval is first cut at the range of the metric on these tasks: an MRR printed as 1.00
        was 0.995 to 1, not to 1.005. The intervals of the forms include the errors of the moments
        where they matter: two standard errors if the moments are sampled, otherwise their bounds.

        Raises
        ------
        DataError
            If a value is outside the metric's range.
        """
        self._check(value, lower, upper)
        smallest, largest = self._range()
        # Each end is cut at the range, but not past the other end: so an exact value (its ends are
        # equal) that is beyond the range by a rounding error keeps itself.
        if isinstance(value, (int, float)):
            cut_lower, cut_upper = max(lower, smallest), min(upper, largest)
            ends = Interval(float(min(cut_lower, upper)), float(max(cut_upper, lower)))
        else:
            cut_lower, cut_upper = np.maximum(lower, smallest), np.minimum(upper, largest)
            ends = Interval(np.minimum(cut_lower, upper), np.maximum(cut_upper, lower))
            if np.ndim(value) == 0:
                ends = Interval(float(ends.lower), float(ends.upper))

        forms: dict[str, Any] = {}
        undefined: dict[str, str] = {}
        for name, form in ADJUSTMENTS.items():
            try:
                forms[name] = form(self.metric, self.moments)(value)
                forms[f"{name}_interval"] = map_corners(name, self.metric, self._corners, ends)
            except UndefinedError as error:  # as z where the variance is 0
                forms[name] = forms[f"{name}_interval"] = None
                undefined[name] = str(error)

        return Adjusted(value, value_interval=ends, **forms, undefined=undefined)

    def significance(
        self, value: Any, *, decimals: int | None = None, percent: bool = False
    ) -> Significance:
        """Compute the probability that a random ranker does at least as well as a value.

        Under another baseline, it is the baseline's probability.

        Parameters
        ----------
        value, decimals, percent
            A single value, as for :meth:`adjust`.

        Returns
        -------
        Significance
            The probability for the value and for both ends of its interval.

        Raises
        ------
        UndefinedError
            If the probability is not known, for the reason that :meth:`explain_lack` gives; or if
            no number of hits, or sum of ranks, gives the value.
        DataError
            As for :meth:`adjust`.
        """
        from rankconst.values.significance import compute_significance

        lack = self.explain_lack()
        if lack:
            raise UndefinedError(lack)

        adjusted = self.adjust(value, decimals=decimals, percent=percent)
        if np.ndim(adjusted.value):
            raise DataError("expected a single value, got several; ask for each by itself.")
        return compute_significance(
            self.metric, self.ranking, float(adjusted.value), adjusted.value_interval
        )

    @property
    def ranking(self) -> Histogram:
        """The candidates among which the baseline ranks the answer; all of them under chance."""
        return self.histogram if self._find_blocks is None else self._find_blocks()

    def explain_lack(self) -> str:
        """Return the reason why :meth:`significance` has no probability; empty if it has one."""
        from rankconst.tails import explain_lack

        lack = explain_lack(self.metric, self.histogram)
        if lack or self._find_blocks is None:
            return lack
        return explain_lack(self.metric, self.ranking)

    def compare(
        self, first: Any, second: Any, *, decimals: int | None = None, percent: bool = False
    ) -> Comparison:
        """Test the difference of two published values of these tasks.

        Parameters
        ----------
        first, second, decimals, percent
            Single values, as for :meth:`adjust`.

        Returns
        -------
        Comparison
            Bounds of z and p that hold for any two models with these values.

        Raises
        ------
        UndefinedError
            If the metric is not a mean over tasks, as Hits@k, MRR, MR and nDCG are.
        UsageError
            If the baseline is another than chance.
        DataError
            As for :meth:`adjust`.
        """
        from rankconst.values.comparison import compare_values, require_mean

        require_mean(self.metric)
        a = read_published(self.metric, first, decimals=decimals, percent=percent)
        b = read_published(self.metric, second, decimals=decimals, percent=percent)
        comparison = compare_values(
            self.metric,
            self.tasks,
            self.histogram,
            names=(a.text, b.text),
            values=(a.value, b.value),
            intervals=(self.adjust(a).value_interval, self.adjust(b).value_interval),
        )
        return replace(comparison, table_version=self.table_version)

    @property
    def _corners(self) -> list[Moments]:
        """The moments at all combinations of their error bounds."""
        moments = self.moments
        # Errors that change z by less than the noise of programs are left out.
        are_errors_small = (
            moments.variance_error <= NOISE * moments.variance
            and moments.expectation_error <= NOISE * math.sqrt(moments.variance)
        )
        is_certain = moments.variance == 0 and moments.variance_error == 0
        if moments.method != "sampled" and (is_certain or are_errors_small):
            return [moments]

        shift = bound_error(moments, moments.expectation_error)
        stretch = bound_error(moments, moments.variance_error)
        corners = []
        for up, out in itertools.product((-shift, shift), (-stretch, stretch)):
            corner = replace(
                moments,
                expectation=moments.expectation + up,
                variance=max(moments.variance + out, 0.0),
                expectation_error=0.0,
                variance_error=0.0,
            )
            corners.append(corner)

        return corners

    def _range(self) -> Interval:
        """Return the values that rankings of these tasks can have, from the worst to the best."""
        worst = self.worst
        # Without an optimum every ranker gets the same value: the worst.
        best = worst if self.metric.optimum is None else self.metric.optimum
        return Interval(min(best, worst), max(best, worst))

    def _check(self, value: Any, lower: Any, upper: Any) -> None:
        """Refuse a value that no ranks give, ignoring missing ones (NaN)."""
        columns = [value, lower, upper]
        if not isinstance(value, (int, float)):
            columns = [np.asarray(column, dtype=np.float64) for column in columns]
            if columns[0].ndim:
                is_given = ~np.isnan(columns[0])
                columns = [column[is_given] for column in columns]

        reasons = self.find_impossible(*columns)
        if reasons:
            raise DataError(next(iter(reasons.values())))

    def find_impossible(self, value: Any, lower: Any, upper: Any) -> dict[int, str]:
        """Return reasons for the numbers that no ranks give, by position.

        `lower` and `upper` are the ends of the rounding intervals. NaN counts as impossible. A
        single number has position 0.
        """
        possible = self._range()
        if isinstance(value, (int, float)):
            reason = self._explain_impossible(possible, value, lower, upper)
            return {0: reason} if reason else {}

        granted = _grant(possible)
        with np.errstate(invalid="ignore"):
            is_inside = np.atleast_1d((value >= granted.lower) & (value <= granted.upper))

        suspects = np.flatnonzero(~is_inside)
        columns = [np.ravel(column)[suspects].tolist() for column in (value, lower, upper)]
        reasons = {}
        for position, *ends in zip(suspects.tolist(), *columns, strict=True):
            reason = self._explain_impossible(possible, *ends)
            if reason:
                reasons[position] = reason

        return reasons

    def _explain_impossible(
        self, possible: Interval, number: float, least: float, most: float
    ) -> str:
        """Explain why no ranks give a number within its interval, or return nothing."""
        if not self._is_impossible(possible, number, least, most):
            return ""

        metric, ends = self.metric, possible
        # For an MRR of 1.2 the message names 0 to 1, the range on any tasks.
        if _is_outside(metric, possible, number) and math.isfinite(metric.upper):
            ends = Interval(metric.lower, metric.upper)

        expected = f"{ends.lower:.6g} to {ends.upper:.6g}."
        if possible.lower == possible.upper:
            expected = f"{possible.lower:.6g}, which every ranker gets here."
        elif 0 < ends.lower < _SMALL:
            expected = f"{ends.lower:.1e} to {ends.upper:.6g}."

        return (
            f"{number:g} is not a possible {metric.label} on {self.tasks.dataset} "
            f"({self.tasks.describe()}): expected {expected} {_hint(metric, number)}"
        )

    def _is_impossible(self, possible: Interval, number: float, least: float, most: float) -> bool:
        """Tell whether no ranks of these tasks give a number.

        `possible` are the least and the largest value that ranks can give; `least` and `most` are
        the ends of the interval of `number`, which are equal if it came without one.
        """
        granted = _grant(possible)  # wider by the noise of programs
        if granted.lower <= number <= granted.upper:
            return False
        if not math.isfinite(number) or _is_outside(self.metric, possible, number):
            return True

        # A number that comes without an interval may still be a printed one.
        slack = half_unit(number) if least == most else 0.0
        if self.metric.increasing:
            return number > granted.upper or most + slack < possible.lower
        return number < granted.lower or least - slack > possible.upper


def _is_outside(metric: Metric, possible: Interval, number: float) -> bool:
    """Return True if a number is out of a metric's range on any tasks."""
    granted = _grant(possible)
    is_below = number < min(metric.lower, granted.lower)
    return is_below or number > max(metric.upper, granted.upper)


def _grant(possible: Interval) -> Interval:
    """Widen a range by NOISE, the relative error of programs that sum in float32."""
    low, high = possible
    return Interval(low - NOISE * abs(low), high + NOISE * abs(high))


def _require_numbers(values: Any) -> Any:
    """Return an array or a Series of numbers, with floats as doubles."""
    dtype = getattr(values, "dtype", np.dtype(float))
    # NumPy's letters for floats, signed and unsigned whole numbers.
    has_numbers = hasattr(values, "__array__") and dtype.kind in "fiu"
    if not has_numbers:
        shown = dtype if hasattr(values, "dtype") else show_value(values)
        raise DataError(
            f"expected numbers, got {shown}; for text use a list, or rankconst.adjust(frame)."
        )
    # In half precision the difference to chance would lose most of its digits, or overflow.
    if dtype.kind == "f" and dtype.itemsize < 8:
        # pandas' Float32 has missing values, which NumPy's float64 has not.
        double = "Float64" if str(dtype) == "Float32" else "float64"
        return values.astype(double)
    return values


def _hint(metric: Metric, number: float) -> str:
    """Return a sentence on what may be wrong with an impossible number."""
    if not math.isfinite(number):
        return "Leave out results that are missing."
    if metric.upper == 1 and 1 < number <= 100:  # a share
        return (
            f"If it is a percentage, write {number / 100:.6g}, "
            "or add --percent (in Python: percent=True)."
        )
    if metric.lower == 1 and number < 1:  # a mean of ranks
        return "A mean of ranks is at least 1: is this an MRR, or a share?"
    if metric.is_of_answers:
        return "Check which library computed it: they do not all divide by the same."
    return "Check the metric, dataset, split, side and protocol."
