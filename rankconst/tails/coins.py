r"""The sign test: by how much heads and tails of a fair coin differ.

The probability of k heads or more among n tosses is an incomplete beta integral. Taken relative to
that of exactly k,

.. math:: P(X \ge k) = P(X = k)\; k \int_0^1 (1 - u)^{k - 1} (1 + u)^{n - k}\,du,

it has an integrand that falls from 1 where k > n/2. It is below
:math:`e^{-(n - k) u^2 - (2k - n - 1) u}`, and is integrated by Gauss and Legendre's rule up to
where that is negligible.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankconst.doubles import UNIT_ROUNDOFF
from rankconst.tails.exceedances import log_binomial

if TYPE_CHECKING:
    from rankconst.doubles import Values

_NODES = 32  # 24 have the same error, which is that of the rounding
_NEGLIGIBLE = 45.0  # minus the logarithm of what the integrand may be beyond the end


def bound_sign_tests(tosses: Values, surplus: Values) -> Values:
    """Bound log10 of the probability that heads and tails differ by `surplus` or more.

    Whole numbers from 0 to `tosses`, shape (n,).
    """
    found = np.zeros(len(tosses))
    differs = surplus > 0
    size = tosses[differs]
    heads = np.ceil((size + surplus[differs]) / 2)
    log_chance, moved = log_binomial(heads, size, 0.5)
    both_tails = log_chance + np.log(heads * _integrate(heads - 1, size - heads)) + np.log(2.0)
    error = 16 * UNIT_ROUNDOFF * (moved + 64)
    found[differs] = np.minimum((both_tails + error) / np.log(10.0), 0.0)
    return found


def _integrate(falling: Values, rising: Values) -> Values:
    """Integrate (1 - u)^falling (1 + u)^rising over u from 0 to 1, where falling >= rising."""
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    excess = falling - rising
    root = excess + np.sqrt(excess**2 + 4 * _NEGLIGIBLE * rising)
    end = np.minimum(2 * _NEGLIGIBLE / np.maximum(root, _NEGLIGIBLE), 1.0)
    u = end[:, None] * (nodes + 1) / 2
    logs = falling[:, None] * np.log1p(-u) + rising[:, None] * np.log1p(u)
    found: Values = end / 2 * (np.exp(logs) @ weights)
    return found
