"""Expectation and variance of every metric under chance, from the histogram alone.

Task i ranks its true answer at r_i ~ Uniform{1 .. N_i}, independently of the others. Each module below holds one
family of formulas; :mod:`.registry` says which metric uses which.

==========================  ======================================================
module                      holds
==========================  ======================================================
:mod:`.result`              the four numbers and how they were obtained
:mod:`.sums`                sums over 1 .. N in constant time: harmonic numbers, powers
:mod:`.means`               metrics that are means over tasks: MR, MRR, Hits@k, nDCG
:mod:`.products`            metrics that are products over tasks: GMR, IGMR
:mod:`.powers`              powers of sums over tasks: IAMR, HMR, the quadratic mean
:mod:`.spread`              the variance of the ranks
:mod:`.deviation`           their standard deviation, by a series or an integral
:mod:`.formulas`            all of these in one line each, for the pages of the metrics
:mod:`.median`              the median rank and its inverse, from the law of the two
                            middle ranks (:mod:`.poisson_binomial`, :mod:`.summation`)
:mod:`.median_deviation`    the median absolute deviation, from random rankings
==========================  ======================================================
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankconst.errors import UsageError
from rankconst.lazy import attach
from rankconst.moments.result import Moments

if TYPE_CHECKING:
    from rankconst.catalogue.metrics import Metric
    from rankconst.moments.registry import MOMENTS, WEIGHTED_MOMENTS
    from rankconst.tasks import Histogram
else:
    # Looking a constant up computes nothing: the formulas are imported when one is needed.
    _MODULES = (
        "deviation",
        "means",
        "median",
        "median_deviation",
        "poisson_binomial",
        "powers",
        "products",
        "spread",
        "summation",
        "sums",
    )
    __getattr__, __dir__ = attach(__name__, {"MOMENTS": "registry", "WEIGHTED_MOMENTS": "registry"}, _MODULES)

__all__ = ["MOMENTS", "WEIGHTED_MOMENTS", "Moments", "compute_moments"]


def compute_moments(metric: Metric, histogram: Histogram) -> Moments:
    """Compute a metric's chance expectation and variance.

    Parameters
    ----------
    metric
        A metric of the catalogue, its k set where it takes one.
    histogram
        The numbers of candidates of the ranking tasks; with weights for macro averages.

    Returns
    -------
    Moments
        Both numbers, each with its error, and the method.

    Raises
    ------
    UsageError
        For weighted tasks and a metric whose weighted form is not covered.
    """
    from rankconst.moments.registry import MOMENTS, WEIGHTED_MOMENTS

    if not histogram.is_weighted:
        return MOMENTS[metric.family](histogram, metric.k)
    if metric.family not in WEIGHTED_MOMENTS:
        raise UsageError(
            f"there are no constants of {metric.label} for macro averages; there are for {', '.join(WEIGHTED_MOMENTS)}."
        )
    return WEIGHTED_MOMENTS[metric.family](histogram, metric.k)
