"""Arrays of whole numbers and doubles, what a double carries, and numbers with their errors."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    import numpy  # noqa: ICN001 - np is a name of this module, for others to import
    from numpy.typing import NDArray

    np = numpy
    Values = NDArray[np.float64]
    Counts = NDArray[np.int64]
    Complex = NDArray[np.complex128]
else:

    class _Later:
        """Imports numpy when something of it is asked for: a single number needs none of it."""

        def __getattr__(self, name: str) -> Any:
            value = getattr(import_module("numpy"), name)
            setattr(self, name, value)  # found at once from now on
            return value

    np = _Later()

UNIT_ROUNDOFF = 2.0**-53
"""The largest relative error of one correctly rounded operation on doubles."""

TINY = 1e-300
"""Keeps the logarithm of what has vanished finite; what it adds is far below rounding."""

Method = Literal["closed_form", "numerical", "sampled"]


def lift_rounding(variance: Values, error: Values) -> Values:
    """Return variances, with 0 where rounding has left a negative number."""
    if not (variance >= -error).all():
        raise ArithmeticError(f"a variance is {variance.min():g}, further below 0 than its error.")
    return np.where(variance < 0, 0.0, variance)


class Estimate(NamedTuple):
    """A number on the way to moments, with its absolute error."""

    value: float
    error: float


@dataclass(frozen=True, slots=True)
class Moments:
    """Expectation and variance of a metric under chance, or another baseline.

    Attributes
    ----------
    expectation, variance
        The numbers, in units of the metric and of its square.
    expectation_error, variance_error
        Absolute errors: a bound on rounding for ``closed_form``, a bound or convergence estimate
        for ``numerical``, a standard error for ``sampled``.
    method
        How the numbers were obtained.
    num_draws
        How many random rankings were drawn, for ``sampled``; None for other methods.
    """

    expectation: float
    expectation_error: float
    variance: float
    variance_error: float
    method: Method
    num_draws: int | None = None


NUMBERS = ("expectation", "expectation_error", "variance", "variance_error")
"""The numbers of moments, in their order."""
