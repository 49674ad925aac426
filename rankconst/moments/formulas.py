"""What is computed, in one line each: the formulas that the pages of the metrics show.

A formula is a Python expression over these names, so that tests can evaluate it and hold it against the code:

==============  =============================================================================
``tasks``       pairs (N, c): c tasks with N candidates
``n``           the number of tasks
``ranks(N)``    1, 2, ... N
``H(N, p)``     the sum of 1/j^p over ranks(N)
``rankings``    all rank vectors r = (r_1 ... r_n), equally likely
``E``           the expectation
``mean``, ``prod``, ``median``, ``sqrt``, ``exp``, ``log``, ``gamma``  as usual
``integral``    of a function of t over t > 0
==============  =============================================================================
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rankconst.catalogue.metrics import Metric


_HOYT = "Hoyt et al. 2022, arXiv:2203.07544"


@dataclass(frozen=True, slots=True)
class Formula:
    """How the constants of a metric come about."""

    expectation: str  # expressions in the names above
    variance: str
    method: str  # how they are evaluated, in words
    reference: str  # where they come from


def _mean_of(mean: str, square: str, method: str, reference: str) -> Formula:
    """Return the formula of a mean over tasks, given the mean and mean square of one."""
    return Formula(
        expectation=f"sum(c * {mean} for N, c in tasks) / n",
        variance=f"sum(c * ({square} - ({mean})**2) for N, c in tasks) / n**2",
        method=method,
        reference=reference,
    )


def _product(sign: str, reference: str) -> Formula:
    return Formula(
        expectation=f"prod(mean(j**({sign}1/n) for j in ranks(N))**c for N, c in tasks)",
        variance=f"prod(mean(j**({sign}2/n) for j in ranks(N))**c for N, c in tasks) - E**2",
        method="closed form: sums over ranks by Euler-Maclaurin, logarithms of factors by log1p and expm1",
        reference=reference,
    )


def _negative_power(exponent: str, power: str) -> Formula:
    """Return the formula of (mean of j^exponent)^-power."""
    transform = f"prod(mean(exp(-t * j**{exponent}) for j in ranks(N))**c for N, c in tasks)"
    return Formula(
        expectation=f"n**{power} / gamma({power}) * integral(lambda t: t**({power} - 1) * {transform})",
        variance=f"n**(2*{power}) / gamma(2*{power}) * integral(lambda t: t**(2*{power} - 1) * {transform}) - E**2",
        method="numerical: the integral by a double-exponential rule, or the series in central moments, "
        "whichever errs less",
        reference="Cressie, Davis, Folks and Policello 1981, The moment-generating function and negative integer "
        "moments; applied here",
    )


_ORDERED = "numerical: from the law of the two middle ranks, a Poisson-binomial tail by contour integrals"

# Metric family to its formulas; k is the parameter of Hits@k.
FORMULAS: dict[str, Formula] = {
    "arithmetic_mean_rank": _mean_of(
        "(N + 1) / 2", "(N + 1) * (2*N + 1) / 6", "closed form, in whole numbers", f"{_HOYT}, eq. 8 and 9"
    ),
    "inverse_harmonic_mean_rank": _mean_of(
        "H(N, 1) / N", "H(N, 2) / N", "closed form: harmonic numbers by their asymptotic series", f"{_HOYT}, appendix"
    ),
    "hits_at_k": _mean_of("min(k / N, 1)", "min(k / N, 1)", "closed form", f"{_HOYT}, eq. 19 and 20"),
    "geometric_mean_rank": _product("", f"{_HOYT}, for the expectation; the variance is derived here"),
    "inverse_geometric_mean_rank": _product("-", "derived here"),
    "inverse_arithmetic_mean_rank": _negative_power("1", "1"),
    "harmonic_mean_rank": _negative_power("-1", "1"),
    "quadratic_mean_rank": Formula(
        expectation="mean(sqrt(sum(x**2 for x in r) / n) for r in rankings)",
        variance="sum(c * (N + 1) * (2*N + 1) / 6 for N, c in tasks) / n - E**2",
        method="numerical: E[S^(1/2)] of the sum S of squares as an integral of its Laplace transform, or the series "
        "in central moments, whichever errs less",
        reference="derived here",
    ),
    "inverse_quadratic_mean_rank": _negative_power("2", "(1/2)"),
    "median_rank": Formula(
        expectation="mean(median(r) for r in rankings)",
        variance="mean((median(r) - E)**2 for r in rankings)",
        method=_ORDERED,
        reference="derived here",
    ),
    "inverse_median_rank": Formula(
        expectation="mean(1 / median(r) for r in rankings)",
        variance="mean((1 / median(r) - E)**2 for r in rankings)",
        method=_ORDERED,
        reference="derived here",
    ),
    "ndcg": _mean_of(
        "mean(log(2) / log(1 + j) for j in ranks(N))",
        "mean((log(2) / log(1 + j))**2 for j in ranks(N))",
        "closed form: sums over ranks, Gauss's rule beyond 1024",
        "Jarvelin and Kekalainen 2002, Cumulated gain-based evaluation of IR techniques, for the metric",
    ),
    "variance": Formula(
        expectation="sum(c * ((N + 1) * (2*N + 1) / 6) for N, c in tasks) / n"
        " - (sum(c * (N**2 - 1) / 12 for N, c in tasks) + sum(c * (N + 1) / 2 for N, c in tasks)**2) / n**2",
        variance="mean((mean(x**2 for x in r) - mean(r)**2 - E)**2 for r in rankings)",
        method="closed form, in whole numbers, from the moments of order up to 4 of each rank",
        reference="derived here",
    ),
    "standard_deviation": Formula(
        expectation="mean(sqrt(mean(x**2 for x in r) - mean(r)**2) for r in rankings)",
        variance="mean(mean(x**2 for x in r) - mean(r)**2 for r in rankings) - E**2",
        method="numerical: the series of sqrt(1 + x) in the central moments of the variance, or an integral of its "
        "Laplace transform for few tasks",
        reference="derived here",
    ),
    "median_absolute_deviation": Formula(
        expectation="mean(median([abs(x - median(r)) for x in r]) / 0.6744897501960817 for r in rankings)",
        variance="mean((median([abs(x - median(r)) for x in r]) / 0.6744897501960817 - E)**2 for r in rankings)",
        method="sampled, with a fixed seed and a linear control variate; closed form where it cannot vary",
        reference="the metric as PyKEEN and scipy scale it: by the upper quartile of the normal law",
    ),
    "count": Formula(expectation="n", variance="0", method="closed form", reference="–"),
}


def describe_metric(metric: Metric) -> dict[str, str]:
    """Return the page of a metric, heading to text in the order of headings; with or without its k.

    >>> from rankconst import parse_metric
    >>> describe_metric(parse_metric("mr"))["expectation"]
    'sum(c * (N + 1) / 2 for N, c in tasks) / n'
    """
    formula = FORMULAS[metric.family]
    adjusted = [name for form in ("normalised", "index", "z") if (name := metric.name_of(form))]
    return {
        "name": f"{metric.label}, {metric.title}",
        "definition": metric.definition,
        "range": f"{metric.lower:g} to {'any size' if math.isinf(metric.upper) else f'{metric.upper:g}'}",
        "direction": "larger is better" if metric.increasing else "smaller is better",
        "optimum": "none: every ranker gets the same" if metric.optimum is None else f"{metric.optimum:g}",
        "adjusted": ", ".join(adjusted) or "normalised, index, z (no names of their own)",
        "expectation": formula.expectation,
        "variance": formula.variance,
        "method": formula.method,
        "reference": formula.reference,
        "key": metric.key,
        "spellings": ", ".join(metric.spellings) or "–",
    }
