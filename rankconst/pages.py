"""The page of a metric: what it is, what chance makes of it, and where that comes from."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rankconst.moments.formulas import FORMULAS

if TYPE_CHECKING:
    from rankconst.metrics import Metric

__all__ = ["describe_metric"]


def describe_metric(metric: Metric) -> dict[str, str]:
    """Return the page of a metric, heading to text.

    Parameters
    ----------
    metric
        A metric of the catalogue, with or without its k.

    Returns
    -------
    dict
        Headings in their order: name, definition, range, direction, optimum, adjusted, expectation, variance, method,
        reference, key, spellings. Expressions are in the names of :mod:`rankconst.moments.formulas`.

    Examples
    --------
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
