"""The catalogue of metrics: one row a metric; every other module asks it.

A metric turns the ranks of n ranking tasks into one number. A row says how it is called in the field, which
direction is better, what a perfect and a worst ranker get, and what its adjusted forms are called. The chance
expectation and variance of each row live in :mod:`rankconst.moments`.

References
----------
Hoyt, Berrendorf, Galkin, Tresp and Gyori 2022, *A unified framework for rank-based evaluation metrics for link
prediction in knowledge graphs*, arXiv:2203.07544, section 2. Keys and names of adjusted forms follow PyKEEN.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from rankconst.errors import UnknownNameError
from rankconst.names import resolve_name, squash

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Values = NDArray[np.float64]


TABULATED_KS = (1, 3, 5, 10, 50, 100)
"""The k of Hits@k for which tables carry rows; any other k is computed from the histogram."""

_LARGEST_K = 2**53

# Words that tools put before a metric's name: "both.realistic.hits_at_10", "test_mrr", "Filtered MRR".
_PREFIX = re.compile(
    r"^(?:(?:both|head|tail|realistic|optimistic|pessimistic|avg|best|worst|test|testing|valid|validation"
    r"|train|training|filtered|filt|fil)[.\s_/:-]+)+",
    re.IGNORECASE,
)
# A name, one separator, a whole number: "hits@10", "H @ 10", "hits_at_10", but neither "hits@1.5" nor "hits@-3".
_NUMBERED = re.compile(r"^([a-z][a-z\s_-]*?)\s*[@_\s-]?\s*(\d{1,20})$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Metric:
    """A rank-based metric.

    Attributes
    ----------
    family
        The key in PyKEEN's snake case; ``hits_at_k`` stands for every k.
    symbol
        The short name papers print; ``{k}`` stands for the parameter.
    title
        The name in words.
    spellings
        Further names, compared in lower case without punctuation.
    increasing
        True if larger is better.
    optimum
        The value of a ranker that puts every true answer first; None where every ranker gets the same.
    lower, upper
        The interval that no histogram can leave; `upper` is infinite for means of ranks.
    normalised_name, index_name, z_name
        What PyKEEN and the paper call the adjusted forms; an empty string where the field has no name.
    definition
        The formula over the ranks r_1 ... r_n.
    evaluate
        ``evaluate(ranks, weights, k)``: the metric of the ranks, each counted `weights` times. Ranks need not
        be sorted. With ranks equal to the numbers of candidates it is the value of the worst ranker.
    k
        The parameter of Hits@k; None for other metrics, and for the family as a whole.
    bound
        ``bound(num_candidates, num_tasks)``: the value that no ranker can pass, where that is not what the ranker
        gets who puts every true answer last; None elsewhere.
    """

    family: str
    symbol: str
    title: str
    spellings: tuple[str, ...]
    increasing: bool
    optimum: float | None
    lower: float
    upper: float
    normalised_name: str
    index_name: str
    z_name: str
    definition: str
    evaluate: Callable[[Values, Values, int | None], float]
    k: int | None = None
    bound: Callable[[Values, Values], float] | None = None

    @property
    def takes_k(self) -> bool:
        """True for a family that needs a k."""
        return "{k}" in self.symbol

    @property
    def is_share(self) -> bool:
        """True if its values are between 0 and 1, and may be printed as percentages."""
        return self.upper == 1

    @property
    def key(self) -> str:
        """PyKEEN's key with the parameter put in: ``hits_at_10``."""
        return self.family if self.k is None else self.family.removesuffix("k") + str(self.k)

    @property
    def label(self) -> str:
        """The symbol with the parameter put in: ``Hits@10``."""
        return self.symbol.format(k="k" if self.k is None else self.k)

    def name_of(self, adjustment: str) -> str:
        """Return the field's name of an adjusted form (``normalised``, ``index`` or ``z``): ``AMRR``, ``AH@10``."""
        template: str = getattr(self, f"{adjustment}_name")
        return template.format(k="k" if self.k is None else self.k)

    def column_of(self, adjustment: str, heading: str | None = None) -> str:
        """Name the column of an adjusted form: ``AMRR``; ``MRR_normalised`` where the field has no name.

        Parameters
        ----------
        adjustment
            ``normalised``, ``index`` or ``z``.
        heading
            The heading of the original column, where several are of this metric; None otherwise.
        """
        if heading is not None:
            return f"{heading}_{adjustment}"
        return self.name_of(adjustment) or f"{self.label}_{adjustment}"

    def at(self, k: int) -> Metric:
        """Return this family with its parameter set.

        Raises
        ------
        UnknownNameError
            If the metric takes no k, or if `k` is not a positive whole number.
        """
        if not self.takes_k:
            raise UnknownNameError(f"{self.symbol} takes no k (got k={k}).")
        if k < 1:
            raise UnknownNameError(f"Hits@k needs a k of at least 1 (got {k}).")
        if k > _LARGEST_K:
            raise UnknownNameError(f"Hits@k needs a k of at most 2**53 (got {k}).")
        return replace(self, k=int(k))

    def worst(self, num_candidates: NDArray[np.int64], num_tasks: NDArray[np.int64] | Values) -> float:
        """Return the value that no ranker can pass: as a rule, that of putting every true answer last.

        With weighted tasks `num_tasks` is the sum of their weights.
        """
        if self.bound is not None:
            return self.bound(num_candidates.astype(np.float64), num_tasks.astype(np.float64))
        return self.evaluate(num_candidates.astype(np.float64), num_tasks.astype(np.float64), self.k)

    def __str__(self) -> str:
        return self.key


def _mean(values: Values, weights: Values) -> float:
    return float(np.sum(values * weights) / np.sum(weights))


def _arithmetic(ranks: Values, weights: Values, _: int | None) -> float:
    return _mean(ranks, weights)


def _reciprocal(ranks: Values, weights: Values, _: int | None) -> float:
    return _mean(1.0 / ranks, weights)


def _geometric(ranks: Values, weights: Values, _: int | None) -> float:
    return float(np.exp(_mean(np.log(ranks), weights)))


def _inverse_geometric(ranks: Values, weights: Values, _: int | None) -> float:
    return float(np.exp(-_mean(np.log(ranks), weights)))


def _hits(ranks: Values, weights: Values, k: int | None) -> float:
    if k is None:
        raise UnknownNameError("Hits@k needs a k: write hits@10, for example.")
    return _mean((ranks <= k).astype(np.float64), weights)


def _inverse_arithmetic(ranks: Values, weights: Values, _: int | None) -> float:
    return 1.0 / _mean(ranks, weights)


def _harmonic(ranks: Values, weights: Values, _: int | None) -> float:
    return 1.0 / _mean(1.0 / ranks, weights)


def _quadratic(ranks: Values, weights: Values, _: int | None) -> float:
    return float(np.sqrt(_mean(ranks * ranks, weights)))


def _inverse_quadratic(ranks: Values, weights: Values, _: int | None) -> float:
    return 1.0 / _quadratic(ranks, weights, None)


def _median(ranks: Values, weights: Values, _: int | None) -> float:
    order = np.argsort(ranks)
    below = np.cumsum(weights[order])
    half = below[-1] / 2
    # The ranks at positions n/2 and n/2 + 1; one and the same if n is odd.
    lower = ranks[order][np.searchsorted(below, half, side="left")]
    upper = ranks[order][min(int(np.searchsorted(below, half, side="right")), ranks.size - 1)]
    return float((lower + upper) / 2)


def _inverse_median(ranks: Values, weights: Values, _: int | None) -> float:
    return 1.0 / _median(ranks, weights, None)


def _discounted(ranks: Values, weights: Values, _: int | None) -> float:
    return _mean(1.0 / np.log2(1.0 + ranks), weights)


def _variance(ranks: Values, weights: Values, _: int | None) -> float:
    return _mean(np.square(ranks - _mean(ranks, weights)), weights)


def _largest_variance(sizes: Values, tasks: Values) -> float:
    """Return the largest variance that ranks can have.

    It is reached with some tasks, those with the most candidates, at their last rank and the others at rank 1. For each
    size, the number of its tasks at the last rank that is best, given all larger sizes there, solves a parabola.
    """
    n = float(np.sum(tasks))
    span, count = sizes[::-1] - 1.0, tasks[::-1]
    above = np.cumsum(count * span) - count * span
    above_square = np.cumsum(count * span**2) - count * span**2
    with np.errstate(divide="ignore", invalid="ignore"):
        best = np.nan_to_num(n / 2 - above / span)
    chosen = [np.clip(rounded, 0.0, count) for rounded in (np.floor(best), np.ceil(best))]
    values = [(above_square + m * span**2) / n - ((above + m * span) / n) ** 2 for m in chosen]
    return float(np.max(values))


def _largest_deviation(sizes: Values, tasks: Values) -> float:
    return float(np.sqrt(_largest_variance(sizes, tasks)))


def _standard_deviation(ranks: Values, weights: Values, _: int | None) -> float:
    return float(np.sqrt(_variance(ranks, weights, None)))


NORMAL_QUARTILE = 0.6744897501960817
"""The upper quartile of the standard normal law, by which the median absolute deviation is divided."""


def _median_absolute_deviation(ranks: Values, weights: Values, _: int | None) -> float:
    return _median(np.abs(ranks - _median(ranks, weights, None)), weights, None) / NORMAL_QUARTILE


def _largest_median_deviation(sizes: Values, _: Values) -> float:
    """Return a bound: the nearer half of the ranks lies within half the range of the median."""
    return float(sizes.max() - 1) / 2 / NORMAL_QUARTILE


def _count(_: Values, weights: Values, __: int | None) -> float:
    return float(np.sum(weights))


CATALOGUE: dict[str, Metric] = {
    metric.family: metric
    for metric in (
        Metric(
            family="arithmetic_mean_rank",
            symbol="MR",
            title="mean rank",
            spellings=("mean rank", "average rank"),
            increasing=False,
            optimum=1.0,
            lower=1.0,
            upper=np.inf,
            normalised_name="AMR",
            index_name="AMRI",
            z_name="ZMR",
            definition="(1/n) sum r_i",
            evaluate=_arithmetic,
        ),
        Metric(
            family="inverse_harmonic_mean_rank",
            symbol="MRR",
            title="mean reciprocal rank",
            spellings=("mean reciprocal rank", "reciprocal rank", "IHMR"),
            increasing=True,
            optimum=1.0,
            lower=0.0,
            upper=1.0,
            normalised_name="",
            index_name="AMRR",
            z_name="ZMRR",
            definition="(1/n) sum 1/r_i",
            evaluate=_reciprocal,
        ),
        Metric(
            family="hits_at_k",
            symbol="Hits@{k}",
            title="share of tasks whose true answer is among the first k",
            spellings=("hits at", "hits", "hit", "hit at", "h", "hr", "hits k", "hit k", "h k"),
            increasing=True,
            optimum=1.0,
            lower=0.0,
            upper=1.0,
            normalised_name="",
            index_name="AH@{k}",
            z_name="ZH@{k}",
            definition="(1/n) #{i : r_i <= k}",
            evaluate=_hits,
        ),
        Metric(
            family="geometric_mean_rank",
            symbol="GMR",
            title="geometric mean rank",
            spellings=(),
            increasing=False,
            optimum=1.0,
            lower=1.0,
            upper=np.inf,
            normalised_name="AGMR",
            index_name="AGMRI",
            z_name="ZGMR",
            definition="(prod r_i)^(1/n)",
            evaluate=_geometric,
        ),
        Metric(
            family="inverse_geometric_mean_rank",
            symbol="IGMR",
            title="inverse geometric mean rank",
            spellings=(),
            increasing=True,
            optimum=1.0,
            lower=0.0,
            upper=1.0,
            normalised_name="",
            index_name="",
            z_name="",
            definition="(prod r_i)^(-1/n)",
            evaluate=_inverse_geometric,
        ),
        Metric(
            family="inverse_arithmetic_mean_rank",
            symbol="IAMR",
            title="inverse mean rank",
            spellings=("inverse mean rank", "IMR"),
            increasing=True,
            optimum=1.0,
            lower=0.0,
            upper=1.0,
            normalised_name="",
            index_name="",
            z_name="",
            definition="n / sum r_i",
            evaluate=_inverse_arithmetic,
        ),
        Metric(
            family="harmonic_mean_rank",
            symbol="HMR",
            title="harmonic mean rank",
            spellings=(),
            increasing=False,
            optimum=1.0,
            lower=1.0,
            upper=np.inf,
            normalised_name="",
            index_name="",
            z_name="",
            definition="n / sum 1/r_i",
            evaluate=_harmonic,
        ),
        Metric(
            family="quadratic_mean_rank",
            symbol="QMR",
            title="quadratic mean rank",
            spellings=("root mean square rank", "power mean rank 2"),
            increasing=False,
            optimum=1.0,
            lower=1.0,
            upper=np.inf,
            normalised_name="",
            index_name="",
            z_name="",
            definition="sqrt((1/n) sum r_i^2)",
            evaluate=_quadratic,
        ),
        Metric(
            family="inverse_quadratic_mean_rank",
            symbol="IQMR",
            title="inverse quadratic mean rank",
            spellings=(),
            increasing=True,
            optimum=1.0,
            lower=0.0,
            upper=1.0,
            normalised_name="",
            index_name="",
            z_name="",
            definition="1 / sqrt((1/n) sum r_i^2)",
            evaluate=_inverse_quadratic,
        ),
        Metric(
            family="median_rank",
            symbol="MdR",
            title="median rank",
            spellings=("median rank", "median", "MedR"),
            increasing=False,
            optimum=1.0,
            lower=1.0,
            upper=np.inf,
            normalised_name="",
            index_name="",
            z_name="",
            definition="median of r_i; of the two middle ranks the mean",
            evaluate=_median,
        ),
        Metric(
            family="inverse_median_rank",
            symbol="IMdR",
            title="inverse median rank",
            spellings=("inverse median rank", "inverse median"),
            increasing=True,
            optimum=1.0,
            lower=0.0,
            upper=1.0,
            normalised_name="",
            index_name="",
            z_name="",
            definition="1 / median of r_i",
            evaluate=_inverse_median,
        ),
        Metric(
            family="ndcg",
            symbol="nDCG",
            title="normalised discounted cumulative gain, one relevant answer",
            spellings=("normalized discounted cumulative gain", "normalised discounted cumulative gain"),
            increasing=True,
            optimum=1.0,
            lower=0.0,
            upper=1.0,
            normalised_name="",
            index_name="",
            z_name="",
            definition="(1/n) sum 1/log2(1 + r_i)",
            evaluate=_discounted,
        ),
        Metric(
            family="variance",
            symbol="VR",
            title="variance of the ranks",
            spellings=("rank var", "rank variance", "variance of ranks", "var"),
            increasing=False,
            optimum=0.0,
            lower=0.0,
            upper=np.inf,
            normalised_name="",
            index_name="",
            z_name="",
            definition="(1/n) sum (r_i - mean r)^2",
            evaluate=_variance,
            bound=_largest_variance,
        ),
        Metric(
            family="standard_deviation",
            symbol="SDR",
            title="standard deviation of the ranks",
            spellings=("rank std", "std", "standard deviation of ranks"),
            increasing=False,
            optimum=0.0,
            lower=0.0,
            upper=np.inf,
            normalised_name="",
            index_name="",
            z_name="",
            definition="sqrt((1/n) sum (r_i - mean r)^2)",
            evaluate=_standard_deviation,
            bound=_largest_deviation,
        ),
        Metric(
            family="median_absolute_deviation",
            symbol="MAD",
            title="median absolute deviation of the ranks",
            spellings=("rank mad",),
            increasing=False,
            optimum=0.0,
            lower=0.0,
            upper=np.inf,
            normalised_name="",
            index_name="",
            z_name="",
            definition="median of |r_i - median r|, over 0.67449",
            evaluate=_median_absolute_deviation,
            bound=_largest_median_deviation,
        ),
        Metric(
            family="count",
            symbol="count",
            title="number of ranks",
            spellings=("rank count", "number of ranks"),
            increasing=True,
            optimum=None,
            lower=0.0,
            upper=np.inf,
            normalised_name="",
            index_name="",
            z_name="",
            definition="n",
            evaluate=_count,
        ),
    )
}
"""Family key to metric, in the order in which tables list them."""

TABULATED: tuple[Metric, ...] = tuple(
    instance
    for metric in CATALOGUE.values()
    for instance in ([metric.at(k) for k in TABULATED_KS] if metric.takes_k else [metric])
)
"""The metrics for which tables carry rows."""

MACRO_TABULATED: tuple[Metric, ...] = tuple(
    metric
    for metric in TABULATED
    if metric.family in {"arithmetic_mean_rank", "inverse_harmonic_mean_rank", "hits_at_k", "geometric_mean_rank"}
)
"""The metrics for which tables carry rows of macro averages."""


def _adjusted_names(metric: Metric) -> list[str]:
    return [name for form in ("normalised", "index", "z") if (name := metric.name_of(form))]


def parse_metric(name: str | Metric, k: int | None = None) -> Metric:
    """Read a metric's name in any usual spelling.

    Parameters
    ----------
    name
        ``"mrr"``, ``"Hits@10"``, ``"H@10"``, ``"hits_at_10"``, ``"both.realistic.hits_at_10"``; a :class:`Metric`
        passes through.
    k
        The parameter, where `name` leaves it open (``hits_at_k``).

    Returns
    -------
    Metric
        With its k set if it takes one. ``parse_metric(str(metric)) == metric``.

    Raises
    ------
    UnknownNameError
        For a name that no metric has, or a Hits without k.

    Examples
    --------
    >>> str(parse_metric("H@10"))
    'hits_at_10'
    >>> parse_metric("both.realistic.inverse_harmonic_mean_rank").label
    'MRR'
    """
    if isinstance(name, Metric):
        return name
    bare = _PREFIX.sub("", name.strip())
    numbered = _NUMBERED.match(bare)
    # Only a family with a parameter may carry a number: "mrr10" is not a spelling of MRR.
    families = {
        metric.family: (metric.symbol.format(k=""), *metric.spellings)
        for metric in CATALOGUE.values()
        if metric.takes_k or not numbered
    }
    try:
        family = resolve_name("metric", numbered[1] if numbered else bare, families)
    except UnknownNameError:
        adjusted = {squash(name): metric for metric in TABULATED for name in _adjusted_names(metric)}
        base = adjusted.get(squash(bare))
        if base is not None:
            raise UnknownNameError(
                f"{name} is an adjusted form of {base.label}; name the metric whose value was published: {base.label}."
            ) from None
        every = {metric.label: (metric.key, *metric.spellings) for metric in TABULATED}
        resolve_name("metric", name, every, "`rankconst metrics` lists them all.")
        raise
    metric = CATALOGUE[family]
    if not metric.takes_k:
        return metric
    if numbered:
        k = int(numbered[2])
    if k is None:
        raise UnknownNameError(f"metric {name!r} needs a k: write hits@1, hits@10 or any other k.")
    return metric.at(k)


_ADJUSTED_KEYS = ((r"^adjusted_(.+)_index$", "index"), (r"^adjusted_(.+)$", "normalised"), (r"^z_(.+)$", "z"))
# Where PyKEEN's key has no "_index" though it is one.
_INDEX_FAMILIES = {"inverse_harmonic_mean_rank", "hits_at_k"}


def parse_adjusted_metric(name: str) -> tuple[Metric, str]:
    """Read the name of an adjusted metric.

    Parameters
    ----------
    name
        ``"AMRI"``, ``"AH@10"``, ``"ZMRR"``, or a key of PyKEEN: ``"adjusted_arithmetic_mean_rank_index"``.

    Returns
    -------
    tuple
        The metric whose value was adjusted, and the adjustment: ``normalised``, ``index`` or ``z``.

    Raises
    ------
    UnknownNameError
        For any other name.

    Examples
    --------
    >>> metric, adjustment = parse_adjusted_metric("AMRI")
    >>> metric.label, adjustment
    ('MR', 'index')
    """
    bare = _PREFIX.sub("", name.strip())
    for pattern, form in _ADJUSTED_KEYS:
        found = re.match(pattern, bare, re.IGNORECASE)
        if found is not None:
            metric = parse_metric(found[1])
            return metric, "index" if form == "normalised" and metric.family in _INDEX_FAMILIES else form
    numbered = re.search(r"(\d{1,20})$", bare)
    for metric in CATALOGUE.values():
        if metric.takes_k and numbered is None:
            continue
        # An absurd k is refused by `at`, as everywhere.
        instance = metric.at(int(numbered[1])) if metric.takes_k and numbered is not None else metric
        for form in ("normalised", "index", "z"):
            if (known := instance.name_of(form)) and squash(known) == squash(bare):
                return instance, form
    raise UnknownNameError(f"unknown adjusted metric {name!r}; `rankconst metrics` lists the names.")
