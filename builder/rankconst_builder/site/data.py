"""The data of the site: constants by their addresses, and the names that people use.

With the constants of hits come the levels at which a model is told apart from a baseline: a page
looks p up in them, and computes no distribution.
"""

from __future__ import annotations

import functools
import json
import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankconst.catalogue.baselines import BASELINES, DEFAULT_BASELINE, FLOOR
from rankconst.catalogue.benchmarks import explain_ambiguous, list_ambiguous
from rankconst.catalogue.mentions import list_graph_names
from rankconst.catalogue.metrics import CATALOGUE, FORMS, TABULATED, list_adjusted_names
from rankconst.catalogue.protocols import DEFAULT_PROTOCOL
from rankconst.catalogue.tools import load_tools
from rankconst.names import squash
from rankconst.results.vocabulary import VOCABULARY
from rankconst.tables.citation import identify
from rankconst.tails import explain_lack, tail_probability
from rankconst.tasks import Tasks, offsets_of
from rankconst.values.published import DIGITS, EXPONENT, NOISE, PLUS_MINUS, UNITS
from rankconst.verdicts import LEVEL
from rankconst_builder.package import read_address

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rankconst.catalogue.metrics import Metric
    from rankconst.results.vocabulary import Word
    from rankconst.tables.archive import Tables
    from rankconst.tasks import Histogram

OFFERED = [metric for metric in TABULATED if metric.name_of("index")]
"""The metrics of the calculator: those whose index has a name in the field."""

FIELDS = ("expectation", "expectation_error", "variance", "variance_error", "method", "num_draws")
"""The fields of a constant, in their order."""


def slug(metric: Metric) -> str:
    """Return the last part of a constant's identifier: ``mrr``, ``hits@10``."""
    return metric.label.lower()


def locate(tasks: Tasks) -> str:
    """Return the identifier of ranking tasks without the dataset: ``test/both/standard``."""
    return str(tasks).partition("/")[2]


def describe_dataset(tables: Tables, key: str) -> dict[str, Any]:
    """Return the tasks, constants and levels of a dataset, ready for JSON.

    All three are by path of ranking tasks, such as ``test/both/standard``, with the baseline added
    if it is not chance.

    - ``constants[path]["mrr"]`` is a list with the values of `FIELDS`.
    - ``levels[path]["hits_at_10"]`` has the :class:`Levels` of hits.
    - ``tasks[path]`` has the number of tasks and the worst value of each metric, for chance only.
    """
    tasks: dict[str, dict[str, Any]] = {}
    constants: dict[str, dict[str, list[Any]]] = {}
    levels: dict[str, dict[str, Levels]] = {}
    read_histogram = functools.cache(tables.histogram)
    for row in tables.read("constants", key).to_pylist():
        address, metric = read_address(row)
        path, histogram = locate(address), read_histogram(address)
        if address.is_chance:
            entry = tasks.setdefault(path, {"num_tasks": row["num_tasks"], "worst": {}})
            sizes, weights = histogram.num_candidates, histogram.row_weights
            entry["worst"][slug(metric)] = metric.worst(sizes, weights)
        constants.setdefault(path, {})[slug(metric)] = [row[name] for name in FIELDS]
        if has_levels(address, metric, histogram):
            levels.setdefault(path, {})[slug(metric)] = find_levels(metric, histogram)

    return {
        "id": identify(tables.version, key),
        "version": tables.version,
        "licence": "CC0-1.0",
        "dataset": tables.datasets[key],
        "fields": FIELDS,
        "tasks": tasks,
        "constants": constants,
        "levels": levels,
    }


def write_json(content: Any) -> str:
    """Write compact JSON that is also JavaScript, and safe inside HTML."""
    text = json.dumps(
        content, ensure_ascii=False, separators=(",", ":"), allow_nan=False, default=dict
    )
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


# -- the names -------------------------------------------------------------------------------------


def describe_names(tables: Tables, keys: Iterable[str]) -> dict[str, Any]:
    """Return the names that the calculator understands."""
    datasets = []
    for key in keys:
        row, counting = tables.datasets[key], tables.find_counting(key)
        brief = "" if counting is None else counting.brief
        dataset = {
            "key": key,
            "title": row["title"],
            "aliases": row["aliases"],
            "protocols": list(tables.protocols(key)),
            "counting": brief,
        }
        datasets.append(dataset)

    ambiguous = {}
    for name, keys_of_name in list_ambiguous().items():
        if explain_ambiguous(name):
            ambiguous[squash(name)] = list(keys_of_name)

    units = {sign: unit.adjusted() for sign, unit in UNITS.items()}
    metrics = [_describe_metric(metric) for metric in OFFERED]
    tools = [_pick(tool, *_OF_TOOLS) for tool in load_tools().values()]
    return {
        "version": tables.version,
        "noise": NOISE,
        "numbers": {
            "digits": DIGITS,
            "exponent": EXPONENT,
            "plus_minus": PLUS_MINUS,
            "units": units,
        },
        "protocol": DEFAULT_PROTOCOL,
        "datasets": datasets,
        "ambiguous": ambiguous,
        "metrics": metrics,
        "tools": tools,
        "baselines": [_pick(row, "key", "title", "brief") for row in BASELINES.values()],
    }


_OF_TOOLS = (
    "key", "title", "protocol", "side", "shifts", "batch", "caveats", "refused", "unranked",
)  # fmt: skip


def _pick(row: Any, *traits: str) -> dict[str, Any]:
    """Return some fields of a row of a catalogue by name."""
    return {trait: getattr(row, trait) for trait in traits}


def select_offered(described: dict[str, Any]) -> dict[str, Any]:
    """Return what the calculator reads of a dataset, for the metrics that it offers."""
    slugs = [slug(metric) for metric in OFFERED]
    expectation, variance = FIELDS.index("expectation"), FIELDS.index("variance")
    constants: dict[str, dict[str, list[float]]] = {}
    for path, rows in described["constants"].items():
        constants[path] = {}
        for name in slugs:
            if name in rows:
                constants[path][name] = [rows[name][expectation], rows[name][variance]]

    tasks = {}
    for path, entry in described["tasks"].items():
        worst = {name: entry["worst"][name] for name in slugs if name in entry["worst"]}
        tasks[path] = {"num_tasks": entry["num_tasks"], "worst": worst}

    return {"tasks": tasks, "constants": constants, "levels": described["levels"]}


def describe_words() -> dict[str, dict[str, str]]:
    """Return the dictionary of the page's reader of tables, from spelling to meaning.

    Later meanings of a spelling replace earlier ones.
    """
    words = {squash(word): {"kind": "filler"} for word in VOCABULARY.fillers}
    questions = VOCABULARY.lexicon
    for word in questions.values():
        words[squash(word.text)] = {"kind": "ask", **_ask(word)}

    for spelling, (field, value) in VOCABULARY.values.items():
        words[spelling] = {"kind": "value", "field": field, "value": value}
        if spelling in questions:
            words[spelling] |= _ask(questions[spelling])

    for metric in CATALOGUE.values():
        for spelling in (metric.family, metric.symbol.format(k=""), *metric.spellings):
            if metric.takes_k:
                value = slug(metric.at(10)).removesuffix("10")
                words[f"{squash(spelling)}@"] = {"kind": "metric", "value": value}
            else:
                words[squash(spelling)] = {"kind": "metric", "value": slug(metric)}
        for spelling in list_adjusted_names(metric):
            words[squash(spelling)] = {"kind": "adjusted"}

    for word in questions.values():
        if word.field == "metric":  # such as "std", which is the spread of a metric
            words[squash(word.text)] = {"kind": "ask", **_ask(word)}

    words |= {name: {"kind": "graph"} for name in list_graph_names()}
    words.pop("", None)  # words of languages that the page does not read
    words.pop("recall@", None)  # of several right answers it is another metric
    return dict(sorted(words.items()))


def _ask(word: Word) -> dict[str, str]:
    """Return where the page asks about a word, a letter for each place, and the reason."""
    scopes = "column" if word.field == "metric" else word.scopes
    letters = {"column": "c", "row": "r", "name": "n", "text": "t"}
    places = "".join(letter for scope, letter in letters.items() if scope in scopes)
    return {"scopes": places, "reason": word.reason or "it may say more of the numbers"}


def _describe_metric(metric: Metric) -> dict[str, Any]:
    """Return what the calculator knows of a metric."""
    upper = metric.upper if metric.upper < float("inf") else None
    return {
        "slug": slug(metric),
        **_pick(metric, "key", "label"),
        "share": metric.is_share,
        "increasing": metric.increasing,
        **_pick(metric, "optimum", "lower"),
        "upper": upper,
        "names": {form: metric.name_of(form) for form in FORMS},
    }


_JUDGED_BY = {DEFAULT_BASELINE, FLOOR}  # baselines that a page compares hits with
# So far below the level that errors of floating point do not decide.
_BELOW = LEVEL * (1 - 1e-9)
_QUANTILE = 1.6449  # of the normal distribution at 5 %


def has_levels(tasks: Tasks, metric: Metric, histogram: Histogram) -> bool:
    """Return True for Hits@k on the test set against chance and counting."""
    if metric.hits_k is None or tasks.split != "test" or tasks.baseline not in _JUDGED_BY:
        return False
    return not explain_lack(metric, histogram)


class Levels(NamedTuple):
    """Numbers of hits that tell a model from a baseline (p < 0.05)."""

    better: int  # the fewest that are better
    equal: int  # the fewest that are not worse


@functools.cache
def find_levels(metric: Metric, histogram: Histogram) -> Levels:
    """Find the numbers of hits at which a model is better or worse than a baseline (p < 0.05).

    With X the hits of the baseline, h hits are better if P(X >= h) < 0.05, and worse if
    P(X <= h) < 0.05.
    """

    @functools.cache
    def compute_tail(hits: int) -> float:
        """Return the probability that the baseline gets at least this number of hits."""
        if hits <= 0:
            return 1.0
        if hits > histogram.total:
            return 0.0
        return tail_probability(metric, histogram, hits / histogram.total).probability

    better = _estimate_hits(metric, histogram, _QUANTILE)
    while compute_tail(better) > _BELOW:
        better += 1

    while compute_tail(better - 1) <= _BELOW:
        better -= 1

    equal = _estimate_hits(metric, histogram, -_QUANTILE) - 1
    while compute_tail(equal + 1) >= 1 - _BELOW:
        equal += 1

    while compute_tail(equal) < 1 - _BELOW:
        equal -= 1

    return Levels(better, equal)


def _estimate_hits(metric: Metric, histogram: Histogram, quantile: float) -> int:
    """Estimate a quantile of a baseline's number of hits from three moments (Cornish-Fisher).

    `quantile` is that of the normal distribution.
    """
    free_ranks = (metric.hits_k or 0) - offsets_of(histogram)
    chances = np.clip(free_ranks / histogram.num_candidates, 0.0, 1.0)  # of each row
    variances = histogram.num_tasks * chances * (1 - chances)
    mean = float((histogram.num_tasks * chances).sum())
    variance = float(variances.sum())
    if variance < 1:
        return round(mean)

    third_moment = float((variances * (1 - 2 * chances)).sum())
    skewness = (quantile**2 - 1) * third_moment / (6 * variance)
    return round(mean + quantile * math.sqrt(variance) + skewness + 0.5)
