r"""The variance of the ranks: V = (1/n) sum (r_i - r)^2, with r their mean.

With r_i = mu_i + d_i, delta_i = mu_i - mean mu, and m_2, m_4 the central moments of one task,

.. math:: V = \frac1n \sum_i (\delta_i + d_i)^2 - \Bigl(\frac1n \sum_i d_i\Bigr)^2

.. math:: E[V] = \frac1n \sum \delta_i^2 + \frac{n-1}{n^2} \sum m_{2,i}

.. math:: Var[V] = \frac{1}{n^2} \sum (4 \delta_i^2 m_{2,i} + m_{4,i} - m_{2,i}^2)
          + \frac{1}{n^4} \Bigl(\sum (m_{4,i} - 3 m_{2,i}^2) + 2 \bigl(\sum m_{2,i}\bigr)^2\Bigr)
          - \frac{2}{n^3} \sum (m_{4,i} - m_{2,i}^2)

where odd central moments vanish, the uniform law being symmetric: m_2 = (N^2-1)/12, m_4 = (N^2-1)(3N^2-7)/240.
(Derived here; Hoyt et al. 2022 give no moments of this metric.)
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from rankconst.moments.result import UNIT_ROUNDOFF, Moments

if TYPE_CHECKING:
    from rankconst.tasks import Histogram


def rank_variance(histogram: Histogram, _: int | None = None) -> Moments:
    """Return the moments of the variance of the ranks.

    Sums are formed in whole numbers, so both results are correctly rounded.
    """
    sizes = histogram.num_candidates.astype(object)
    tasks = histogram.num_tasks.astype(object)
    n = histogram.total
    squares = sizes * sizes
    second = squares - 1  # 12 m_2
    fourth = second * (3 * squares - 7)  # 240 m_4
    excess = 3 * fourth - 5 * second * second  # 720 (m_4 - m_2^2)
    # 2 n delta: mu_i = (N_i + 1) / 2, so the ones cancel.
    shift = n * sizes - int(np.dot(tasks, sizes))
    shift_squares = shift * shift
    sum_second = int(np.dot(tasks, second))
    sum_excess = int(np.dot(tasks, excess))
    sum_kurtosis = int(np.dot(tasks, 3 * fourth - 15 * second * second))  # 720 (m_4 - 3 m_2^2)
    expectation = Fraction(int(np.dot(tasks, shift_squares)), 4 * n**3) + Fraction((n - 1) * sum_second, 12 * n * n)
    variance = (
        Fraction(int(np.dot(tasks, shift_squares * second)), 12 * n**4)
        + Fraction(sum_excess, 720 * n * n)
        + Fraction(sum_kurtosis + 10 * sum_second * sum_second, 720 * n**4)
        - Fraction(2 * sum_excess, 720 * n**3)
    )
    mean, spread = float(expectation), float(variance)
    return Moments(mean, UNIT_ROUNDOFF * mean, spread, UNIT_ROUNDOFF * spread, "closed_form")
