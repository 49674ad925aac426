"""What a computation of a tail returns: a probability, however small, with its error."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from rankconst.doubles import UNIT_ROUNDOFF

# exact: a counting formula, or the contour integral of a law on a lattice, free of approximation.
# convolution: the law of the sum, merged from the laws of its parts. inversion: the whole integral
# through the saddlepoint, not just its leading term, of a law treated as continuous: what ranks
# give exactly the value count half, which the error covers.
Method = Literal["exact", "convolution", "inversion"]

LN10 = math.log(10.0)


@dataclass(frozen=True, slots=True)
class Tail:
    """The probability that a random ranker does at least as well: its decimal logarithm.

    The absolute error of `log10` is a bound on rounding and discretisation for ``exact`` and
    ``convolution``; for ``inversion`` it also holds an estimate of what the law's granularity adds
    (:mod:`.inversion`), or half the width of a rigorous bracket.
    """

    log10: float
    error: float
    method: Method

    @property
    def probability(self) -> float:
        """The probability itself; 0 where it is below the smallest double."""
        return float(10.0**self.log10)

    @classmethod
    def from_log(cls, log: float, error: float, method: Method) -> Tail:
        """Make a tail from the natural logarithm of the probability and its absolute error."""
        return cls(min(log, 0.0) / LN10, _add_rounding(error, log) / LN10, method)

    @classmethod
    def from_complement(
        cls, log: float, error: float, method: Method, most: float | None = None
    ) -> Tail:
        """Make a tail from the natural logarithm of one minus the probability, and its error.

        An error that is no longer small means a complement between 0 and exp(most), log + error if
        None.
        """
        if log >= 0:
            return cls(0.0, math.inf, method)
        error = _add_rounding(error, log)
        tail = math.log1p(-math.exp(log))
        if error < 1:
            return cls(tail / LN10, 2 * math.exp(log - tail) * error / LN10, method)
        most = log + error if most is None else most
        least = math.log1p(-math.exp(most)) if most < 0 else -math.inf
        return cls(tail / LN10, max(-tail, tail - least) / LN10, method)


def _add_rounding(error: float, log: float) -> float:
    """Return the error of a logarithm with what is lost when it is converted."""
    return error + 4 * UNIT_ROUNDOFF * (1 + abs(log))
