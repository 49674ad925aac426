"""The catalogue of metrics, with everything that other modules know of them.

A metric turns the ranks of n ranking tasks into one number. To add one, add a row here and its
formulas to ``formulas.toml``. A mean over tasks of a function of the rank needs no more. For
another metric, the row names the function of :mod:`rankconst.moments` that computes its expectation
and variance.

References
----------
Hoyt, Berrendorf, Galkin, Tresp and Gyori 2022, *A unified framework for rank-based evaluation
metrics for link prediction in knowledge graphs*, arXiv:2203.07544, section 2. Keys and names of
adjusted forms follow PyKEEN.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple

from rankconst.catalogue import read_rows
from rankconst.doubles import np
from rankconst.errors import UndefinedError, UnknownNameError
from rankconst.names import Names, require_text, squash

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from rankconst.doubles import Counts, Values

TABULATED_KS = (1, 3, 5, 10, 50, 100)
"""The k of Hits@k for which tables carry rows; any other k is computed from the histogram."""

FORMS = ("normalised", "index", "z")
"""The adjusted forms."""

_LARGEST_K = 2**53  # every smaller whole number is exact as a double

# What tools put before a metric's name: "both.realistic.hits_at_10", "test_mrr", "Filtered MRR".
_PREFIX = re.compile(
    r"^(?:(?:both|head|tail|realistic|optimistic|pessimistic|avg|best|worst|test|testing|valid"
    r"|validation|train|training|filtered|filt|fil)[.\s_/:-]+)+",
    re.IGNORECASE,
)
# A name, one separator, a whole number: "hits@10", "H @ 10", "hits_at_10", R's "Hits.10", but
# neither "hits@1.5" nor "hits@-3".
_NUMBERED = re.compile(
    r"^([a-z][a-z\s_-]*?)(?<!\s)\s*+(?:[@_-]\s*+|(?<=hits)\.)?(\d{1,20})$", re.IGNORECASE | re.ASCII
)


class _Scale(NamedTuple):
    """What the values of a metric are."""

    increasing: bool  # whether larger is better
    optimum: float | None
    lower: float
    upper: float


_SCALES = {
    "rank": _Scale(increasing=False, optimum=1.0, lower=1.0, upper=math.inf),
    "share": _Scale(increasing=True, optimum=1.0, lower=0.0, upper=1.0),
    "spread": _Scale(increasing=False, optimum=0.0, lower=0.0, upper=math.inf),
    "count": _Scale(increasing=True, optimum=None, lower=0.0, upper=math.inf),
}


# -- what metrics make of the ranks ----------------------------------------------------------------


def _mean(values: Values, weights: Values) -> float:
    """Return the weighted mean."""
    return float(np.sum(values * weights) / np.sum(weights))


def _quadratic_mean(ranks: Values, weights: Values) -> float:
    """Return the root of the mean square."""
    return float(np.sqrt(_mean(ranks * ranks, weights)))


def _take_rank(ranks: Values, _: int | None) -> Values:
    """Return the ranks."""
    return ranks


def _take_reciprocal(ranks: Values, _: int | None) -> Values:
    """Return 1 over the rank."""
    return 1.0 / ranks


def _take_gain(ranks: Values, _: int | None) -> Values:
    """Return the gain of a rank in nDCG, 1/log2(1 + r)."""
    return math.log(2) / np.log1p(ranks)


def require_k(k: int | None) -> int:
    """Return the k of a metric with a cut-off, or raise UnknownNameError for None."""
    if k is None:
        raise UnknownNameError(
            "a metric with a cut-off needs a k: write hits@10 or mrr@10, for example."
        )
    return k


def _take_hit(ranks: Values, k: int | None) -> Values:
    """Return 1 for ranks of at most k."""
    return (ranks <= require_k(k)).astype(np.float64)


def _cut(term: Callable[[Values, int | None], Values]) -> Callable[[Values, int | None], Values]:
    """Return a function of the rank that is 0 for ranks beyond k."""
    return lambda ranks, k: np.where(ranks <= require_k(k), term(ranks, None), 0.0)


def _median(ranks: Values, weights: Values) -> float:
    """Return the weighted median, which is the mean of two middle ranks."""
    order = np.argsort(ranks)
    below = np.cumsum(weights[order])
    half = below[-1] / 2
    # The ranks at positions n/2 and n/2 + 1; one and the same if n is odd.
    lower = ranks[order][np.searchsorted(below, half, side="left")]
    upper = ranks[order][min(int(np.searchsorted(below, half, side="right")), ranks.size - 1)]
    return float((lower + upper) / 2)


def _variance(ranks: Values, weights: Values) -> float:
    """Return the variance."""
    return _mean(np.square(ranks - _mean(ranks, weights)), weights)


def _largest_variance(sizes: Values, tasks: Values) -> float:
    """Return the largest variance that ranks can have.

    The tasks with the most candidates are at their last rank, all others at rank 1. With m tasks of
    a size at the last rank, the variance is a parabola in m, whose vertex is the best m.
    """
    n = float(np.sum(tasks))
    # From the largest size to the smallest, so that sums are over the larger sizes.
    span = sizes[::-1] - 1.0
    count = tasks[::-1]
    larger = np.cumsum(count * span) - count * span
    larger_square = np.cumsum(count * span**2) - count * span**2
    with np.errstate(divide="ignore", invalid="ignore"):
        vertex = np.nan_to_num(n / 2 - larger / span)

    neighbours = [vertex]  # if weights are not whole, any share may be at the last rank
    if (count == np.round(count)).all():
        neighbours = [np.floor(vertex), np.ceil(vertex)]

    variances = []
    for neighbour in neighbours:
        m = np.clip(neighbour, 0.0, count)
        mean = (larger + m * span) / n
        variances.append((larger_square + m * span**2) / n - mean**2)

    return float(np.max(variances))


NORMAL_QUARTILE = 0.6744897501960817
"""The upper quartile of the standard normal distribution, the divisor of the MAD."""


def _median_absolute_deviation(ranks: Values, weights: Values) -> float:
    """Return the median distance from the median, divided by the normal quartile."""
    return _median(np.abs(ranks - _median(ranks, weights)), weights) / NORMAL_QUARTILE


def _largest_median_deviation(sizes: Values, _: Values) -> float:
    """Return a bound of the MAD, which ranks may not reach."""
    return float(sizes.max() - 1) / 2 / NORMAL_QUARTILE


# -- the metrics -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Metric:
    """A rank-based metric, a function of the ranks r_1 ... r_n.

    Attributes
    ----------
    family
        The key in PyKEEN's snake case; ``hits_at_k`` is the family of all k.
    symbol, title
        The short name that papers print, with ``{k}`` for the k; and the name in words.
    scale
        The kind of its values: a ``rank`` (1 is best), a ``share`` (0 to 1, larger is better), the
        ``spread`` of the ranks (0 is best) or a ``count`` (the same for every ranker).
    definition
        The formula over the ranks.
    moments
        Module and function of :mod:`rankconst.moments` that compute its expectation and variance;
        empty for the mean of a smooth and positive `term`, or of one that is cut off at k.
    spellings
        Further names, compared in lower case without punctuation.
    normalised_name, index_name, z_name
        The names of the adjusted forms in PyKEEN and the paper; empty without one.
    k
        The rank at which Hits@k, MRR@k and nDCG@k cut off; None for a family as a whole, and for
        other metrics.
    bound
        ``bound(num_candidates, num_tasks)``: the value that no ranker can pass; None if it is the
        value of the ranker that puts every true answer last.
    exponent
        The exponent of a power mean of the ranks, 0 for the geometric mean; None for other metrics.
    inverse_of, square_of
        Key of the metric x if this one is 1/x or x^2.
    term
        ``term(ranks, k)``: what each task adds to a mean over tasks, which is monotone in the rank.
        None for other metrics.
    statistic
        ``statistic(values, weights)``: the metric as a function of the terms, or of the ranks if
        there are none, each counted `weights` times.
    is_counted
        Whether n times the metric is a whole number.
    weighted
        Whether the constants of tasks of unequal weights are computed, not sampled.
    tabulated
        Whether tables have it. Other constants are computed from the numbers of candidates.
    """

    family: str
    symbol: str
    title: str
    scale: Literal["rank", "share", "spread", "count"]
    definition: str
    moments: str = ""
    spellings: tuple[str, ...] = ()
    normalised_name: str = ""
    index_name: str = ""
    z_name: str = ""
    k: int | None = None
    bound: Callable[[Values, Values], float] | None = None
    exponent: int | None = None
    inverse_of: str = ""
    square_of: str = ""
    term: Callable[[Values, int | None], Values] | None = None
    statistic: Callable[[Values, Values], float] = _mean
    is_counted: bool = False
    weighted: bool = False
    tabulated: bool = True

    @property
    def increasing(self) -> bool:
        """Whether larger is better."""
        return _SCALES[self.scale].increasing

    @property
    def optimum(self) -> float | None:
        """The value if every true answer is first, or None if all rankers get the same."""
        return _SCALES[self.scale].optimum

    @property
    def lower(self) -> float:
        """The smallest value that any ranks give."""
        return _SCALES[self.scale].lower

    @property
    def upper(self) -> float:
        """The largest value that any ranks give."""
        return _SCALES[self.scale].upper

    @property
    def takes_k(self) -> bool:
        """Whether this is a family that needs a k."""
        return "{k}" in self.symbol

    @property
    def is_mean(self) -> bool:
        """Whether it is a mean over tasks of a function of the rank."""
        return self.term is not None

    @property
    def is_share(self) -> bool:
        """Whether values are between 0 and 1, and may be percentages."""
        return self.scale == "share"

    @property
    def is_of_answers(self) -> bool:
        """Whether it is a metric of queries with several right answers."""
        return False

    @property
    def hits_k(self) -> int | None:
        """The k of Hits@k, or None for other metrics."""
        return self.k if self.is_share and self.is_counted else None

    @property
    def key(self) -> str:
        """PyKEEN's key with the k: ``hits_at_10``."""
        return self.family if self.k is None else self.family.removesuffix("k") + str(self.k)

    @property
    def label(self) -> str:
        """The symbol with the k: ``Hits@10``."""
        return self._fill(self.symbol)

    @property
    def inverse(self) -> Metric | None:
        """The metric that is 1 over this one; None if there is none."""
        return _INVERSE.get(self.family)

    def name_of(self, adjustment: str) -> str:
        """Return the name of an adjusted form in the field, such as ``AMRR``, or nothing."""
        template: str = getattr(self, f"{adjustment}_name")
        return self._fill(template)

    def column_of(self, adjustment: str) -> str:
        """Name the column of an adjusted form: ``AMRR``, or ``MRR_normalised`` without a name."""
        return self.name_of(adjustment) or f"{self.label}_{adjustment}"

    def at(self, k: int) -> Metric:
        """Return this family with a k.

        Raises
        ------
        UnknownNameError
            If the metric takes no k, or if `k` is not a positive whole number.
        """
        if not self.takes_k:
            raise UnknownNameError(f"{self.symbol} takes no k (got k={k}).")
        if k < 1:
            raise UnknownNameError(f"{self.label} needs a k of at least 1 (got {k}).")
        if k > _LARGEST_K:
            raise UnknownNameError(f"{self.label} needs a k of at most 2**53 (got {k}).")
        return _recall(self.family, int(k))

    def take(self, ranks: Values) -> Values:
        """Return what each rank adds to a mean over tasks.

        Raises
        ------
        UndefinedError
            If the metric is not such a mean.
        """
        if self.term is None:
            raise UndefinedError(f"{self.label} is not a mean over tasks.")
        return self.term(ranks, self.k)

    def evaluate(self, ranks: Values, weights: Values) -> float:
        """Return the metric of the ranks, in any order, each counted `weights` times."""
        if self.is_mean:
            return self.statistic(self.take(ranks), weights)
        return self.statistic(ranks, weights)

    def worst(self, num_candidates: Counts, num_tasks: Counts | Values) -> float:
        """Return the value that no ranker can pass, usually that of true answers at the end.

        For weighted tasks, `num_tasks` is the sum of their weights.
        """
        find = self.evaluate if self.bound is None else self.bound
        return find(num_candidates.astype(np.float64), num_tasks.astype(np.float64))

    def _fill(self, template: str) -> str:
        k = "k" if self.k is None else self.k
        return template.format(k=k)

    def __str__(self) -> str:
        return self.key

    def __hash__(self) -> int:
        return hash((self.family, self.k))

    def __reduce__(self) -> tuple[Callable[[str, int | None], Metric], tuple[str, int | None]]:
        return _recall, (self.family, self.k)  # lambdas cannot be pickled


@lru_cache(maxsize=4096)
def _recall(family: str, k: int | None) -> Metric:
    """Return a metric by family and k."""
    return replace(CATALOGUE[family], k=k)


_MRR = Metric(
    family="inverse_harmonic_mean_rank",
    symbol="MRR",
    title="mean reciprocal rank",
    scale="share",
    spellings=("mean reciprocal rank", "reciprocal rank", "IHMR", "mean RR"),
    index_name="AMRR",
    z_name="ZMRR",
    definition="(1/n) sum 1/r_i",
    term=_take_reciprocal,
    moments="means.mean_reciprocal_rank",
    inverse_of="harmonic_mean_rank",
    weighted=True,
)
_NDCG = Metric(
    family="ndcg",
    symbol="nDCG",
    title="normalised discounted cumulative gain, one relevant answer",
    scale="share",
    spellings=("normalized discounted cumulative gain", "normalised discounted cumulative gain"),
    definition="(1/n) sum 1/log2(1 + r_i)",
    term=_take_gain,
    weighted=True,
)


def _cut_off(row: Metric, *further: str) -> Metric:
    """Return a metric that counts only ranks up to k."""
    symbol = row.symbol
    return Metric(
        family=f"{row.family}_at_k",
        symbol=f"{symbol}@{{k}}",
        title=f"{row.title}, cut off: 0 for ranks beyond k",
        scale="share",
        spellings=(f"{symbol} at", f"{symbol} at k", f"{symbol} k", f"{row.family} at", *further),
        definition=row.definition.replace("sum", "sum over r_i <= k of"),
        term=_cut(row.term or _take_rank),
        weighted=True,
        tabulated=False,
    )


CATALOGUE: dict[str, Metric] = {
    metric.family: metric
    for metric in (
        Metric(
            family="arithmetic_mean_rank",
            symbol="MR",
            title="mean rank",
            scale="rank",
            spellings=("mean rank", "average rank"),
            normalised_name="AMR",
            index_name="AMRI",
            z_name="ZMR",
            definition="(1/n) sum r_i",
            term=_take_rank,
            moments="means.mean_rank",
            exponent=1,
            is_counted=True,
            weighted=True,
        ),
        _MRR,
        Metric(
            family="hits_at_k",
            symbol="Hits@{k}",
            title="share of tasks whose true answer is among the first k",
            scale="share",
            spellings=(
                *("hits at", "hits", "hit", "hit at", "h", "hr", "hits k", "hit k", "h k"),
                *("recall at", "recall", "recall k"),
            ),
            index_name="AH@{k}",
            z_name="ZH@{k}",
            definition="(1/n) #{i : r_i <= k}",
            term=_take_hit,
            moments="means.hits_at_k",
            is_counted=True,
            weighted=True,
        ),
        Metric(
            family="geometric_mean_rank",
            symbol="GMR",
            title="geometric mean rank",
            scale="rank",
            normalised_name="AGMR",
            index_name="AGMRI",
            z_name="ZGMR",
            definition="(prod r_i)^(1/n)",
            statistic=lambda ranks, weights: float(np.exp(_mean(np.log(ranks), weights))),
            moments="means.geometric_mean_rank",
            exponent=0,
            weighted=True,
        ),
        Metric(
            family="inverse_geometric_mean_rank",
            symbol="IGMR",
            title="inverse geometric mean rank",
            scale="share",
            definition="(prod r_i)^(-1/n)",
            statistic=lambda ranks, weights: float(np.exp(-_mean(np.log(ranks), weights))),
            moments="means.inverse_geometric_mean_rank",
            inverse_of="geometric_mean_rank",
            weighted=True,
        ),
        Metric(
            family="inverse_arithmetic_mean_rank",
            symbol="IAMR",
            title="inverse mean rank",
            scale="share",
            spellings=("inverse mean rank", "IMR"),
            definition="n / sum r_i",
            statistic=lambda ranks, weights: 1.0 / _mean(ranks, weights),
            moments="powers.inverse_mean_rank",
            inverse_of="arithmetic_mean_rank",
            weighted=True,
        ),
        Metric(
            family="harmonic_mean_rank",
            symbol="HMR",
            title="harmonic mean rank",
            scale="rank",
            definition="n / sum 1/r_i",
            statistic=lambda ranks, weights: 1.0 / _mean(1.0 / ranks, weights),
            moments="powers.harmonic_mean_rank",
            exponent=-1,
            weighted=True,
        ),
        Metric(
            family="quadratic_mean_rank",
            symbol="QMR",
            title="quadratic mean rank",
            scale="rank",
            spellings=("root mean square rank",),
            definition="sqrt((1/n) sum r_i^2)",
            statistic=_quadratic_mean,
            moments="powers.quadratic_mean_rank",
            exponent=2,
            weighted=True,
        ),
        Metric(
            family="inverse_quadratic_mean_rank",
            symbol="IQMR",
            title="inverse quadratic mean rank",
            scale="share",
            definition="1 / sqrt((1/n) sum r_i^2)",
            statistic=lambda ranks, weights: 1.0 / _quadratic_mean(ranks, weights),
            moments="powers.inverse_quadratic_mean_rank",
            inverse_of="quadratic_mean_rank",
            weighted=True,
        ),
        Metric(
            family="median_rank",
            symbol="MdR",
            title="median rank",
            scale="rank",
            spellings=("median rank", "median", "MedR"),
            definition="median of r_i; of the two middle ranks the mean",
            statistic=_median,
            moments="median.median_rank",
        ),
        Metric(
            family="inverse_median_rank",
            symbol="IMdR",
            title="inverse median rank",
            scale="share",
            spellings=("inverse median rank", "inverse median"),
            definition="1 / median of r_i",
            statistic=lambda ranks, weights: 1.0 / _median(ranks, weights),
            moments="median.inverse_median_rank",
            inverse_of="median_rank",
        ),
        _NDCG,
        _cut_off(_MRR, "mean reciprocal rank at"),
        _cut_off(_NDCG),
        Metric(
            family="variance",
            symbol="VR",
            title="variance of the ranks",
            scale="spread",
            spellings=("rank var", "rank variance", "variance of ranks", "var"),
            definition="(1/n) sum (r_i - mean r)^2",
            statistic=_variance,
            bound=_largest_variance,
            moments="deviation.rank_variance",
            square_of="standard_deviation",
            weighted=True,
        ),
        Metric(
            family="standard_deviation",
            symbol="SDR",
            title="standard deviation of the ranks",
            scale="spread",
            spellings=("rank std", "std", "standard deviation of ranks"),
            definition="sqrt((1/n) sum (r_i - mean r)^2)",
            statistic=lambda ranks, weights: float(np.sqrt(_variance(ranks, weights))),
            bound=lambda sizes, tasks: float(np.sqrt(_largest_variance(sizes, tasks))),
            moments="deviation.standard_deviation",
        ),
        Metric(
            family="median_absolute_deviation",
            symbol="MAD",
            title="median absolute deviation of the ranks",
            scale="spread",
            spellings=("rank mad",),
            definition="median of |r_i - median r|, over 0.67449",
            statistic=_median_absolute_deviation,
            bound=_largest_median_deviation,
            moments="median_deviation.median_absolute_deviation",
        ),
        Metric(
            family="count",
            symbol="count",
            title="number of ranks",
            scale="count",
            spellings=("rank count", "number of ranks"),
            definition="n",
            statistic=lambda _, weights: float(np.sum(weights)),
            moments="means.num_ranks",
        ),
    )
}
"""Family key to metric, in the order in which tables list them."""


def _expand(metric: Metric) -> list[Metric]:
    """Return the metrics of a family in the tables."""
    return [metric.at(k) for k in TABULATED_KS] if metric.takes_k else [metric]


TABULATED: tuple[Metric, ...] = tuple(
    metric for row in CATALOGUE.values() if row.tabulated for metric in _expand(row)
)
"""The metrics for which tables carry rows."""

HEADLINE = tuple(
    metric
    for metric in TABULATED
    if metric.family in {"arithmetic_mean_rank", "inverse_harmonic_mean_rank"}
    or metric.k in {1, 3, 10}
)
"""The metrics that papers print: MR, MRR, Hits@1, Hits@3 and Hits@10."""


def list_metrics(*, shared: bool = False) -> tuple[Metric, ...]:
    """Return the usual metrics, of which there are fewer if tasks share their negatives."""
    if shared:
        return tuple(metric for metric in TABULATED if metric.is_mean or metric.optimum is None)
    return TABULATED


INVERSES: tuple[tuple[Metric, Metric], ...] = tuple(
    (base, metric)
    for base in CATALOGUE.values()
    for metric in CATALOGUE.values()
    if metric.inverse_of == base.family
)
"""Pairs of a metric x and its inverse 1/x."""

_INVERSE = {base.family: metric for base, metric in INVERSES}
_INVERSE |= {metric.family: base for base, metric in INVERSES}


def _spell_symbol(metric: Metric) -> str:
    """Return the symbol without a k."""
    if metric.takes_k and not metric.is_counted:
        return metric.symbol.format(k=" at")
    return metric.symbol.format(k="")


def _list_names(metrics: Iterable[Metric]) -> Names:
    spellings = {metric.family: (_spell_symbol(metric), *metric.spellings) for metric in metrics}
    return Names("metric", spellings)


# Only a family with a parameter may carry a number: "mrr10" is not a spelling of MRR.
_NAMES = _list_names(CATALOGUE.values())
_NAMES_WITH_K = _list_names(metric for metric in CATALOGUE.values() if metric.takes_k)
_LABELS = Names(
    "metric",
    {metric.label: (metric.key, *metric.spellings) for metric in TABULATED},
    "`rankconst show metrics` lists them all.",
)


class Form(NamedTuple):
    """A metric, and one of its :data:`FORMS`; None for the metric itself."""

    metric: Metric
    form: str | None


_ADJUSTED = {
    squash(getattr(metric, f"{form}_name").format(k="")): Form(metric, form)
    for metric in CATALOGUE.values()
    for form in FORMS
    if getattr(metric, f"{form}_name")
}


def parse_metric(name: str | Metric) -> Metric:
    """Read a metric's name in any usual spelling.

    Parameters
    ----------
    name
        ``"mrr"``, ``"Hits@10"``, ``"H@10"``, ``"hits_at_10"``, ``"both.realistic.hits_at_10"``; a
        :class:`Metric` passes through.

    Returns
    -------
    Metric
        The metric with its k. ``parse_metric(str(metric)) == metric``.

    Raises
    ------
    UnknownNameError
        If the name is unknown, or lacks its k.

    Examples
    --------
    >>> str(parse_metric("H@10"))
    'hits_at_10'
    >>> parse_metric("both.realistic.inverse_harmonic_mean_rank").label
    'MRR'
    """
    return name if isinstance(name, Metric) else _parse_name(require_text(name))


def list_prefixes(name: str) -> list[str]:
    """Return the words that a tool put before a metric, such as ``both`` and ``realistic``."""
    match = _PREFIX.match(name.strip())
    return [] if match is None else re.findall("[a-z]+", match[0].lower())


def strip_prefixes(name: str) -> str:
    """Return a metric's name without the words of :func:`list_prefixes`."""
    return _PREFIX.sub("", name.strip())


@lru_cache(maxsize=4096)
def _parse_name(name: str) -> Metric:
    """Read the name of a metric."""
    bare = strip_prefixes(name)
    metric, k = _find_family(bare)
    if metric is None:
        advice = _advise(name, bare)
        if advice:
            raise UnknownNameError(advice)
        _LABELS.resolve(name)  # suggests names as people write them
        metric = CATALOGUE[_NAMES.resolve(bare)]

    if not metric.takes_k:
        return metric
    if k is None:
        short = metric.label.lower().removesuffix("k")
        raise UnknownNameError(
            f"metric {name!r} needs a k: write {short}1, {short}10 or any other k."
        )
    return metric.at(k)


def _find_family(name: str) -> tuple[Metric | None, int | None]:
    """Return the family and the k of a name, as far as it has them."""
    numbered = _NUMBERED.match(name)
    if numbered is None:
        return CATALOGUE.get(_NAMES.find(name) or ""), None

    stem = numbered[1]
    family = _NAMES_WITH_K.find(stem)
    if family is None and "@" in name:
        family = _NAMES_WITH_K.find(f"{stem} at")

    return CATALOGUE.get(family or ""), int(numbered[2])


def find_metric(name: str, k: int | None = None) -> Form | None:
    """Return the metric and the adjusted form that a name spells, or None.

    ``hits@10`` is Form(Hits@10, None), ``AH@10`` and PyKEEN's ``adjusted_hits_at_10`` are
    Form(Hits@10, "index"). `k` is for names without one.
    """
    bare = name.strip()
    metric, number = _find_family(bare)
    if metric is not None:
        if not metric.takes_k:
            return Form(metric, None)
        if number is not None:
            k = number
        return Form(metric.at(k), None) if k else None

    for pattern, form in _KEYS_OF_FORMS:
        match = re.match(pattern, bare, re.IGNORECASE)
        base = None if match is None else find_metric(match[1], k)
        if base is None:
            continue
        if base.form is not None:  # adjusted twice: z_adjusted_...
            return None
        # PyKEEN's ``adjusted_hits_at_k`` is an index, without saying so.
        if form == "normalised" and base.metric.index_name and not base.metric.normalised_name:
            return Form(base.metric, "index")
        return Form(base.metric, form)

    return _find_adjusted(bare)


# PyKEEN's keys of adjusted forms.
_KEYS_OF_FORMS = (
    (r"^adjusted_(.+)_index$", "index"),
    (r"^adjusted_(.+)$", "normalised"),
    (r"^z_(.+)$", "z"),
)


def _find_adjusted(name: str) -> Form | None:
    """Return the metric and form of a name such as ``AMRI`` or ``AH@10``, or None."""
    plain = squash(name)
    stem = plain.rstrip("0123456789")
    digits = plain[len(stem) :]
    found = _ADJUSTED.get(stem)
    if found is None or not found.metric.takes_k:
        return None if digits else found
    # A k has at most 20 digits, as in _NUMBERED, and is not 0.
    if len(digits) > 20 or not digits.strip("0"):
        return None
    return found._replace(metric=found.metric.at(int(digits)))


def parse_adjusted_metric(name: str) -> tuple[Metric, str]:
    """Read the name of an adjusted metric, ``AH@10`` or ``z_hits_at_10``."""
    metric, form = find_metric(strip_prefixes(name)) or (None, None)
    if metric is None or form is None:
        raise UnknownNameError(
            f"unknown adjusted metric {name!r}; `rankconst show metrics` lists the names."
        )
    return metric, form


def list_adjusted_names(metric: Metric) -> tuple[str, ...]:
    """Return the names of a metric's adjusted forms without a k."""
    names = [getattr(metric, f"{form}_name") for form in FORMS]
    return (
        *(name.format(k="") for name in names if name),
        f"adjusted_{metric.family}_index",
        f"z_{metric.family}",
    )


_FILTERING = re.compile(
    r"^(?:filtered|raw)[\s_-]+|(?<![\s_-])[\s_-]+(?:filtered|raw)$", re.IGNORECASE
)
_PRECISIONS = {"map", "ap", "averageprecision", "meanaverageprecision"}


def _advise(name: str, bare: str) -> str:
    """Explain an adjusted metric or a name such as ``filtered MRR``, or return nothing."""
    adjusted = find_metric(bare)
    if adjusted is not None:
        label = adjusted.metric.label
        return (
            f"{name} is an adjusted form of {label}; "
            f"name the metric whose value was published: {label}. To turn a value back: "
            f"rankconst adjust VALUE --metric {bare} --to {label} --dataset KEY."
        )

    plain = _FILTERING.sub("", bare)
    unfiltered = find_metric(plain)
    if unfiltered is not None:
        return (
            f"unknown metric {name!r}: write {unfiltered.metric.label}, and add --protocol raw or "
            "--protocol standard, which filters."
        )

    advice = _advise_on_other(bare)
    if advice:
        advice = f"unknown metric {name!r}: {advice} `rankconst show metrics` lists them all."

    return advice


def _advise_on_other(name: str) -> str:
    """Explain a name similar to a metric's, such as "MAP@10", or return nothing."""
    numbered = _NUMBERED.match(name)
    stem, cutoff = (name, "") if numbered is None else (numbered[1], numbered[2])
    if squash(stem) in {"acc", "accuracy"}:
        return "that of multiple choice is Hits@1 among the options: of 4, protocol sampled:3."
    if squash(stem) in _PRECISIONS:
        return (
            "mean average precision is the MRR only if "
            "every task has one right answer and there is no cut-off."
        )

    family = _NAMES.find(re.sub(r"[\s_-]at$", "", stem))  # "mrr_at_10"
    if family is None:
        return ""

    label = CATALOGUE[family].label
    has_cutoff = any(metric.symbol == f"{label}@{{k}}" for metric in CATALOGUE.values())
    if has_cutoff and cutoff:  # "mrr10"
        return f"write {label}@{cutoff} for the {label} cut off at rank {cutoff}."
    if has_cutoff:  # "mrr at"
        return f"{label}@k needs a k."
    return (
        f"{label} cut off at rank {cutoff} is another metric than {label}, "
        "and its constants are not known here."
    )


# -- the pages of the metrics ----------------------------------------------------------------------


class Formula(NamedTuple):
    """How the constants of a metric are computed, in the terms of ``formulas.toml``."""

    expectation: str
    variance: str
    method: str  # how they are evaluated, in words
    reference: str = "derived here"


@cache
def load_formulas() -> Mapping[str, Formula]:
    """Read the formulas by family of metric."""
    return {family: Formula(**row) for family, row in read_rows("formulas").items()}


def _write_formula(metric: Metric, form: str) -> str:
    """Write the formula of an adjusted form, and the meaning of its values."""
    value, optimum = metric.label, metric.optimum
    if form == "normalised":
        formula, meaning = f"{value} / expectation", "1 = random"
    elif optimum is None:
        return "undefined: every ranker gets the same"
    elif form == "index":
        formula = f"({value} - expectation) / ({optimum:g} - expectation)"
        meaning = "0 = random, 1 = perfect"
    else:
        gain = f"{value} - expectation" if metric.increasing else f"expectation - {value}"
        formula, meaning = f"({gain}) / sqrt(variance)", "0 = random, larger is better"

    name = metric.name_of(form)
    return f"{name} = {formula}; {meaning}" if name else f"{formula}; {meaning}"


def describe_metric(metric: Metric) -> dict[str, str]:
    """Return the page of a metric, heading by heading."""
    largest = "any size" if math.isinf(metric.upper) else f"{metric.upper:g}"
    optimum = "none: every ranker gets the same"
    if metric.optimum is not None:
        optimum = f"{metric.optimum:g}"

    direction = "larger" if metric.increasing else "smaller"
    return {
        "metric": metric.label,
        "title": metric.title,
        "definition": metric.definition,
        "range": f"{metric.lower:g} to {largest}",
        "direction": f"{direction} is better",
        "optimum": optimum,
        **{form: _write_formula(metric, form) for form in FORMS},
        **load_formulas()[metric.family]._asdict(),
        "key": metric.key,
        "spellings": ", ".join(metric.spellings) or "–",
    }
