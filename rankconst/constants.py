"""The constants of one metric on one set of ranking tasks, and what they do to a published number."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rankconst.affine import ADJUSTMENTS, Affine
from rankconst.aggregations import DEFAULT_AGGREGATION
from rankconst.errors import DataError, UndefinedError

if TYPE_CHECKING:
    from rankconst.metrics import Metric
    from rankconst.moments import Moments

__all__ = ["Adjusted", "Constants"]


@dataclass(frozen=True, slots=True)
class Adjusted:
    """A value of a metric and its adjusted forms; None where a form is undefined.

    Fields hold what was passed in: a float, a numpy array or a pandas Series.
    """

    value: Any
    normalised: Any
    index: Any
    z: Any


@dataclass(frozen=True, slots=True)
class Constants:
    """Chance expectation and variance of a metric on one dataset, protocol, split, side and aggregation.

    Attributes
    ----------
    dataset, protocol, split, side
        Which ranking tasks.
    metric
        The metric, its k set.
    num_tasks
        The number of ranking tasks n; for side ``both`` those of both sides.
    moments
        Expectation and variance with their errors and method.
    worst
        What a ranker gets that puts every true answer last: no value can lie beyond it.
    table_version
        The version of the tables that the numbers come from.
    aggregation
        What each task counts.
    relations
        The relations that the tasks are restricted to; empty for all.

    Examples
    --------
    >>> import rankconst
    >>> mrr = rankconst.load().constants("FB15k-237", "mrr")
    >>> round(mrr.index(0.338), 4)
    0.3375
    """

    dataset: str
    protocol: str
    split: str
    side: str
    metric: Metric
    num_tasks: int
    moments: Moments
    worst: float
    table_version: str
    aggregation: str = DEFAULT_AGGREGATION
    relations: tuple[str, ...] = ()

    @property
    def expectation(self) -> float:
        """What a random ranker gets on average, in units of the metric."""
        return self.moments.expectation

    @property
    def expectation_error(self) -> float:
        """The absolute error of the expectation; see :class:`~rankconst.moments.Moments`."""
        return self.moments.expectation_error

    @property
    def variance(self) -> float:
        """The variance of a random ranker's value, in squared units of the metric."""
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
        """How many random rankings a ``sampled`` number rests on; None for other methods."""
        return self.moments.num_draws

    @property
    def normalised(self) -> Affine:
        """The map M -> M / E[M]; 1 is random.

        Raises
        ------
        UndefinedError
            If the expectation is 0, as for the variance of a single rank that cannot vary.
        """
        return ADJUSTMENTS["normalised"](self.metric, self.moments)

    @property
    def index(self) -> Affine:
        """The map to the adjusted index; 0 is random, 1 is perfect.

        Raises
        ------
        UndefinedError
            If a random ranker is already perfect (every task has one candidate, or k reaches all of them).
        """
        return ADJUSTMENTS["index"](self.metric, self.moments)

    @property
    def z(self) -> Affine:
        """The map to the z-score; 0 is random, larger is better.

        Raises
        ------
        UndefinedError
            If the variance is 0.
        """
        return ADJUSTMENTS["z"](self.metric, self.moments)

    def check(self, value: Any) -> None:
        """Refuse values that the metric cannot take on these tasks.

        Parameters
        ----------
        value
            A number or an array of them, as published: half a unit of the last decimal is granted at the worst end.

        Raises
        ------
        DataError
            For the first value that is not a number or lies outside the range, with a hint at the likely cause.
        """
        numbers = np.atleast_1d(np.asarray(value, dtype=np.float64))
        metric = self.metric
        low, high = sorted((self.worst if metric.optimum is None else metric.optimum, self.worst))
        with np.errstate(invalid="ignore"):
            sure = (numbers >= low) & (numbers <= high)
        for number in numbers[~sure].tolist():
            slack = _half_unit(number)
            beyond_best = number > high if metric.increasing else number < low
            beyond_worst = number < low - slack if metric.increasing else number > high + slack
            outside = number < metric.lower or number > metric.upper
            if math.isfinite(number) and not (beyond_best or beyond_worst or outside):
                continue
            tasks = f"{self.side}, {self.protocol}"
            if self.aggregation != DEFAULT_AGGREGATION:
                tasks += f", {self.aggregation}"
            if self.relations:
                tasks += f", relations {', '.join(self.relations)}"
            raise DataError(
                f"{number:g} is no possible {metric.label} on {self.dataset} {self.split} "
                f"({tasks}): {_expect(low, high)} {_hint(metric, number)}"
            )

    def adjust(self, value: Any) -> Adjusted:
        """Adjust a published value, or an array or Series of them.

        Parameters
        ----------
        value
            In units of the metric; shares as fractions, not percent.

        Returns
        -------
        Adjusted
            The value with its three adjusted forms; None for a form that is undefined on these tasks.

        Raises
        ------
        DataError
            For a value outside the metric's range.
        """
        self.check(value)
        forms: dict[str, Any] = {}
        for name, form in ADJUSTMENTS.items():
            try:
                forms[name] = form(self.metric, self.moments)(value)
            except UndefinedError:
                forms[name] = None
        return Adjusted(value, **forms)


def _half_unit(number: float) -> float:
    """Return half a unit of the last decimal that `number` shows when printed."""
    if not math.isfinite(number):
        return 0.0
    text = repr(number).removesuffix(".0")
    mantissa, _, exponent = text.partition("e")
    decimals = len(mantissa.partition(".")[2]) - int(exponent or 0)
    return 0.5 * 10.0 ** min(-decimals, 0)


def _expect(low: float, high: float) -> str:
    if low == high:
        return f"expected {low:.6g}, which every ranker gets here."
    return f"expected {low:.6g} to {high:.6g}."


def _hint(metric: Metric, number: float) -> str:
    if not math.isfinite(number):
        return "Leave out results that are missing."
    if metric.upper == 1 and 1 < number <= 100:
        return f"If it is a percentage, write {number / 100:.6g}."
    if metric.lower == 1 and number < 1:
        return "A mean of ranks is at least 1: is this an MRR, or a share?"
    return "Check the metric, dataset, split, side and protocol."
