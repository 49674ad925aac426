r"""The three adjustments, each affine in the published number.

==============  =============================  =====================================
adjustment      formula                        reads
==============  =============================  =====================================
``normalised``  M / E[M]                       1 = random
``index``       (M - E[M]) / (opt - E[M])      0 = random, 1 = perfect
``z``           +-(M - E[M]) / sqrt(Var[M])    0 = random, larger is always better
==============  =============================  =====================================

References
----------
Hoyt et al. 2022, arXiv:2203.07544, section 3. Signs follow PyKEEN: the sign of z is
reversed for metrics that are better when smaller.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar, overload

from rankconst.doubles import np
from rankconst.errors import UndefinedError
from rankconst.names import write_html
from rankconst.values.published import Interval, show_range

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from rankconst.catalogue.metrics import Metric
    from rankconst.moments import Moments

    Values = TypeVar("Values", bound=Any)


@dataclass(frozen=True, slots=True)
class Affine:
    """The map M -> (M - origin) / unit.

    In this form, a random ranker's value gives exactly 0 and a perfect one's index exactly 1.

    Attributes
    ----------
    origin
        The value that is mapped to 0, in units of the metric.
    unit
        The change of the metric that is mapped to 1; negative where smaller is better.
    admit
        Reads a value and refuses an impossible one. If None, numbers are not checked.
    """

    origin: float
    unit: float
    admit: Callable[[Any], Any] | None = field(default=None, repr=False, compare=False)

    @property
    def scale(self) -> float:
        """The factor of scale * M + offset."""
        return 1.0 / self.unit

    @property
    def offset(self) -> float:
        """The constant of scale * M + offset."""
        return -self.origin / self.unit

    @overload
    def __call__(self, value: float) -> float: ...
    @overload
    def __call__(self, value: Values) -> Values: ...
    def __call__(self, value: Any) -> Any:
        """Apply the map to a float, a numpy array or a pandas Series, and get the same kind back.

        Text gives a float; a list, or a column of polars or Arrow, an array.

        Raises
        ------
        DataError
            If a value is impossible, such as an MR below 1.
        """
        if self.admit is not None:
            value = self.admit(value)
        return self._apply(value)

    def _apply(self, value: Any) -> Any:
        return (value - self.origin) / self.unit + 0.0  # chance is 0, not -0.0 where less is better

    def map_interval(self, lower: Any, upper: Any) -> Interval:
        """Return the interval between two values after the map, the lower end first."""
        ends = self._apply(lower), self._apply(upper)
        return Interval(*ends) if self.unit > 0 else Interval(*reversed(ends))

    @overload
    def invert(self, adjusted: float) -> float: ...
    @overload
    def invert(self, adjusted: Values) -> Values: ...
    def invert(self, adjusted: Any) -> Any:
        """Return the metric's value that the map takes to `adjusted`."""
        return adjusted * self.unit + self.origin


def bound_error(moments: Moments, error: float) -> float:
    """Return a bound on the error of a moment: twice the standard error if it is sampled."""
    return 2.0 * error if moments.method == "sampled" else error


def _normalised(metric: Metric, moments: Moments) -> Affine:
    """Return the map M -> M / E[M]."""
    if moments.expectation == 0:
        raise UndefinedError(
            f"the normalised {metric.label} is undefined here: its expectation is 0."
        )
    return Affine(0.0, moments.expectation)


def _index(metric: Metric, moments: Moments) -> Affine:
    """Return the map M -> (M - E[M]) / (optimum - E[M])."""
    if metric.optimum is None:  # as of the number of ranks
        raise UndefinedError(
            f"the adjusted index of {metric.label} is undefined: "
            f"every ranker gets {moments.expectation:g}."
        )

    unit = metric.optimum - moments.expectation
    if unit == 0:
        raise UndefinedError(
            f"the adjusted index of {metric.label} is undefined here: its "
            f"expectation is already the optimum {metric.optimum:g}, so there is nothing to adjust."
        )
    return Affine(moments.expectation, unit)


def _z(metric: Metric, moments: Moments) -> Affine:
    """Return the map M -> +-(M - E[M]) / sqrt(Var[M]), with - where less is better."""
    if moments.variance <= bound_error(moments, moments.variance_error):
        why = f"is 0: the expected {moments.expectation:g} is certain"
        if moments.variance_error:
            why = f"cannot be distinguished from 0, with an error of {moments.variance_error:.2g}"
        raise UndefinedError(
            f"the z-score of {metric.label} is undefined here: the variance {why}."
        )

    unit = math.sqrt(moments.variance)
    if not metric.increasing:
        unit = -unit

    return Affine(moments.expectation, unit)


ADJUSTMENTS: dict[str, Callable[[Metric, Moments], Affine]] = {
    "normalised": _normalised,
    "index": _index,
    "z": _z,
}
"""Adjustment to the function that forms its map, or raises :class:`UndefinedError`."""

_FEW, _MOST_SHOWN = 3, 50  # values, on a line and in a notebook


@dataclass(frozen=True, slots=True)
class Adjusted:
    """A value of a metric and its adjusted forms, each with its interval.

    Values, forms and the ends of intervals have the type and shape that was passed in: a float, a
    numpy array or a pandas Series. An interval has all values within rounding; its ends are equal
    for an exact value. A form that is undefined on these tasks is None, and so is its interval.

    Attributes
    ----------
    value, value_interval
        The published value in units of the metric: a percentage is a fraction here.
    normalised, normalised_interval
        M / E[M]: 1 is random.
    index, index_interval
        (M - E[M]) / (opt - E[M]): 0 is random, 1 is perfect, less than 0 is worse than random.
    z, z_interval
        The number of standard deviations better than random.
    undefined
        The reasons for the forms that are None, by their keys.

    References
    ----------
    Hoyt et al. 2022, arXiv:2203.07544, section 3.
    """

    value: Any
    normalised: Any
    index: Any
    z: Any
    value_interval: Interval
    normalised_interval: Interval | None
    index_interval: Interval | None
    z_interval: Interval | None
    undefined: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)

    def __repr__(self) -> str:
        forms = [f"{form} {'; '.join(cells)}" for form, cells in self._show(_FEW).items()]
        size = np.size(self.value)
        if size > _FEW:
            forms.append(f"the first {_FEW} of {size:,} values")
        return f"Adjusted({', '.join(forms)})"

    def _repr_html_(self) -> str:
        size = np.size(self.value)
        notes = list(self.undefined.values())
        if size > _MOST_SHOWN:
            notes.append(f"the first {_MOST_SHOWN} of {size:,} values")
        return write_html(self._show(_MOST_SHOWN), "; ".join(notes))

    def _show(self, most: int) -> dict[str, list[str]]:
        """Return the texts of the first values and their intervals in each defined form."""
        shown = {}
        for form in ("value", *ADJUSTMENTS):
            if form in self.undefined:
                continue
            ends = (getattr(self, form), *getattr(self, f"{form}_interval"))
            columns = [np.ravel(each)[:most].astype(float).tolist() for each in ends]
            rows = zip(*columns, strict=True)
            shown[form] = [show_range(*row) for row in rows]

        return shown


def map_corners(
    adjustment: str, metric: Metric, corners: Sequence[Moments], ends: Interval
) -> Interval:
    """Return the interval of an adjusted form over all values and moments within their errors.

    The value lies between `ends`; `corners` are the moments at all combinations of their bounds.
    Each form is monotone in the value, the expectation and the variance, so that it is extreme at
    corners.

    Raises UndefinedError if the form is undefined at a corner, or between two.
    """
    maps = [ADJUSTMENTS[adjustment](metric, moments) for moments in corners]
    units = [each.unit for each in maps]
    if min(units) < 0 < max(units):  # the divisor of the form is 0 for some number between them
        raise UndefinedError(
            f"between the bounds of its moments, the {adjustment} of {metric.label} is undefined."
        )

    mapped: list[tuple[Any, Any]] = [each.map_interval(*ends) for each in maps]
    lowers, uppers = zip(*mapped, strict=True)
    if isinstance(lowers[0], float):
        return Interval(min(lowers), max(uppers))
    return Interval(functools.reduce(np.minimum, lowers), functools.reduce(np.maximum, uppers))
