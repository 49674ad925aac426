"""The pages of the metrics: every formula that they show is evaluated and held against the code."""

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import mpmath
import pytest

from carried import open_once
from cases import choose, for_each
from rankconst.catalogue.metrics import (
    TABULATED,
    Metric,
    describe_metric,
    load_formulas,
    parse_metric,
)
from rankconst.moments import compute_moments
from rankconst.tasks import Histogram

SETS = ([1, 3, 4, 4], [2, 5, 7])
MP = mpmath.MPContext()
MP.dps = 20


def _mean(values: Iterable[Any]) -> Any:
    listed = list(values)
    return sum(listed, MP.mpf(0)) / len(listed)


def _median(values: Sequence[Any]) -> Any:
    ordered = sorted(values)
    return (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / MP.mpf(2)


def _integral(function: Any) -> Any:
    # t = s^2 takes a root out of the integrand at 0.
    return MP.quad(lambda s: 2 * s * function(s * s), [0, 0.5, 1, 2, 4, 8, 16])


def evaluate(formula: str, sizes: Sequence[int], **names: Any) -> Any:
    def ranks(size: Any) -> list[Any]:
        return [MP.mpf(j) for j in range(1, int(size) + 1)]

    names |= {name: getattr(MP, name) for name in ("sqrt", "exp", "log", "gamma")}
    names |= {"mean": _mean, "prod": math.prod, "median": _median, "integral": _integral}
    names |= {"ranks": ranks, "H": lambda size, p: sum(j**-p for j in ranks(size))}
    names["tasks"] = [(MP.mpf(size), count) for size, count in sorted(Counter(sizes).items())]
    names["rankings"] = list(itertools.product(*map(ranks, sizes)))
    return eval(formula, {"n": MP.mpf(len(sizes)), **names})  # noqa: S307 - our own, which is tested


@pytest.mark.slow
@pytest.mark.parametrize("sizes", choose([SETS[1]], [*SETS]), ids=str)
@pytest.mark.parametrize("metric", [m for m in TABULATED if m.k in {None, 3}], ids=str)
def test_formulas_give_the_constants(metric: Metric, sizes: list[int]) -> None:
    moments = compute_moments(metric, Histogram.from_counts(sizes))
    formula = load_formulas()[metric.family]
    expectation = evaluate(formula.expectation, sizes, k=metric.k)
    variance = evaluate(formula.variance, sizes, k=metric.k, E=expectation)
    if moments.method == "sampled":
        assert abs(moments.expectation - float(expectation)) < 5 * moments.expectation_error
        assert abs(moments.variance - float(variance)) < 5 * moments.variance_error
    else:
        assert moments.expectation == pytest.approx(float(expectation), rel=1e-10)
        assert moments.variance == pytest.approx(float(variance), rel=1e-9, abs=1e-15)
    words = {"closed_form": "closed form", "numerical": "numerical", "sampled": "sampled"}
    assert formula.method.startswith(words[moments.method])


@for_each("metric", ["mr", "mrr", "gmr", "igmr", "hits@10", "mdr"])
def test_the_three_formulas_give_the_adjusted_values(metric: str) -> None:
    known, page = open_once().constants("nations", metric), describe_metric(parse_metric(metric))
    value = 0.97 * (known.metric.optimum or 0.0) + 0.03 * known.expectation
    names = {"expectation": known.expectation, "variance": known.variance, "sqrt": math.sqrt}
    for form in ("normalised", "index", "z"):
        formula = page[form].rpartition("; ")[0].rpartition(" = ")[2]
        formula = formula.replace(known.metric.label, "value")
        expected = eval(formula, {}, {**names, "value": value})  # noqa: S307 - our own pages
        assert getattr(known, form)(value) == pytest.approx(expected, rel=1e-12), page[form]
