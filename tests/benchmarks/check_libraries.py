"""Run the libraries of libraries.toml that are installed on random scores: ``python check_libraries.py [LIBRARY...]``.

For each of twelve sets of candidates N, right answers R and k, the value of every query is held
against the definition that the registry names, or that of ten queries alone where a library only
has means; mean and variance over all queries against the constants, within four standard errors.
Then a query without right answers is added, for what it counts. Prints a line for each library, and
what differs; ends with 1 if anything does. RecBole 1.2.1 wants an environment of its own, with numpy
1.23.5, pandas 1.5.3, scipy 1.10.1 and setuptools below 80, and rankconst by PYTHONPATH.
"""

import importlib
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import packages_distributions, version
from typing import Any, NamedTuple, TypeAlias

import numpy as np

import rankconst
from rankconst.catalogue.answers import FAMILIES, LEFT_OUT, Places, parse_library, read_meaning

Run: TypeAlias = Callable[["Queries", int], dict[str, Any]]

SETS = [
    (5, 1, 1), (5, 2, 3), (9, 4, 3), (3, 2, 5), (20, 20, 5), (20, 1, 10), (50, 12, 10), (50, 3, 10),
]  # fmt: skip
SETS += [(100, 20, 10), (100, 5, 100), (200, 5, 10), (200, 20, 10)]
QUERIES = 400
ALONE = 10
OTHERS = 20_000
# float32, in which some of them compute, and the five decimals of mteb.
TOLERANCE = 6e-6
ERRORS = 4.0


class Queries(NamedTuple):
    """Scores of all candidates of each query, distinct, and which are right; shape (queries, N)."""

    scores: Any
    right: Any

    def rank(self) -> Places:
        """Return the places of the right answers; all queries have the same number of them."""
        order = np.argsort(-self.scores, axis=1)
        places = 1 + np.nonzero(np.take_along_axis(self.right, order, axis=1))[1]
        rights = self.right.sum(axis=1)
        return Places(places.astype(float), np.cumsum(rights) - rights, rights)

    def name(self) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
        """Return right answers and scores of each query by names of documents, as trec_eval has
        them.
        """
        truth, run = {}, {}
        for q, (scores, right) in enumerate(zip(self.scores, self.right, strict=True)):
            truth[f"q{q:04}"] = {
                f"d{d}": int(each) for d, each in enumerate(right.tolist()) if each
            } or {"none": 0}
            run[f"q{q:04}"] = {f"d{d}": each for d, each in enumerate(scores.tolist())}
        return truth, run


Values = dict[str, Any]

# Each returns the values of every query, or their mean, by the library's names.


def run_ranx(queries: Queries, k: int) -> Values:
    from ranx import Qrels, Run, evaluate

    truth, run = queries.name()
    names = [
        f"{name}@{k}"
        for name in ("recall", "precision", "f1", "hit_rate", "hits", "mrr", "ndcg", "map")
    ]
    names += ["mrr", "ndcg", "map"]
    if not queries.right.any(axis=1).all():
        names.remove(f"f1@{k}")  # 0 / 0
    found: Values = evaluate(Qrels(truth), Run(run), names, return_mean=False)
    return found


def run_trec_eval(queries: Queries, k: int) -> Values:
    import pytrec_eval

    truth, run = queries.name()
    measures = {f"{name}.{k}" for name in ("recall", "P", "success", "ndcg_cut", "map_cut")}
    found = pytrec_eval.RelevanceEvaluator(
        truth, measures | {"recip_rank", "ndcg", "map"}
    ).evaluate(run)
    return {name: np.array([found[query][name] for query in truth]) for name in found["q0000"]}


def run_ir_measures(queries: Queries, k: int) -> Values:
    import ir_measures

    truth, run = queries.name()
    measures = [
        ir_measures.parse_measure(f"{name}@{k}")
        for name in ("R", "P", "Success", "nDCG", "AP", "RR")
    ]
    measures += [ir_measures.RR, ir_measures.AP, ir_measures.nDCG]
    found: Values = {}
    for metric in ir_measures.iter_calc(measures, truth, run):
        found.setdefault(str(metric.measure), {})[metric.query_id] = metric.value
    return {name: np.array([values[query] for query in truth]) for name, values in found.items()}


def run_sklearn(queries: Queries, k: int) -> Values:
    from sklearn.metrics import label_ranking_average_precision_score, ndcg_score

    pairs = [
        (right[None].astype(int), scores[None]) for scores, right in zip(*queries, strict=True)
    ]
    found = {
        "label_ranking_average_precision_score": [
            label_ranking_average_precision_score(*each) for each in pairs
        ],
        f"ndcg_score@{k}": [ndcg_score(*each, k=k) for each in pairs],
    }
    return {name: np.array(values) for name, values in found.items()}


def run_cornac(queries: Queries, k: int) -> Values:
    from cornac import metrics

    rows = [
        metrics.Recall(k), metrics.Precision(k), metrics.FMeasure(k), metrics.HitRatio(k),
        metrics.MRR(),
    ]  # fmt: skip
    rows += [metrics.NDCG(k), metrics.MAP()]
    if k > queries.scores.shape[1]:  # it raises
        rows = [metrics.MRR(), metrics.MAP()]
    found: Values = {row.name: [] for row in rows}
    for scores, right in zip(*queries, strict=True):
        gt, order = np.flatnonzero(right), np.argsort(-scores)
        for row in rows:
            value = row.compute(
                gt_pos=gt, gt_neg=np.flatnonzero(~right), pd_rank=order, pd_scores=scores,
                item_indices=np.arange(scores.size),
            )  # fmt: skip
            found[row.name].append(value)
    return {name: np.array(values) for name, values in found.items()}


def run_rectools(queries: Queries, k: int) -> Values:
    import pandas as pd
    from rectools.metrics import MAP, MRR, NDCG, F1Beta, HitRate, Precision, Recall

    users, items = np.nonzero(queries.right)
    truth = pd.DataFrame({"user_id": users, "item_id": items})
    order = np.argsort(-queries.scores, axis=1)
    rows, places = np.indices(order.shape)
    columns = {"user_id": rows.ravel(), "item_id": order.ravel(), "rank": places.ravel() + 1}
    reco = pd.DataFrame(columns)
    asked = {"recall": Recall(k), "precision": Precision(k), "f1": F1Beta(k)}
    asked |= {"hit_rate": HitRate(k), "mrr": MRR(k), "map": MAP(k), "ndcg": NDCG(k)}
    return {
        f"{name}@{k}": metric.calc_per_user(reco, truth).sort_index().to_numpy()
        for name, metric in asked.items()
    }


def run_rexmex(queries: Queries, k: int) -> Values:
    from rexmex.metrics import ranking

    pairs = [
        (np.flatnonzero(right).tolist(), np.argsort(-scores).tolist())
        for scores, right in zip(*queries, strict=True)
    ]
    found: Values = {
        f"{name}@{k}": np.array([getattr(ranking, name)(*pair, k) for pair in pairs])
        for name in ("hits_at_k", "average_precision_at_k")
    }
    mean = np.array([ranking.mean_reciprocal_rank(*pair) for pair in pairs])
    return found | {"mean_reciprocal_rank": mean}


def run_recommenders(queries: Queries, k: int) -> Values:
    import pandas as pd
    from recommenders.evaluation import python_evaluation as of

    users, items = np.nonzero(queries.right)
    truth = pd.DataFrame({"userID": users, "itemID": items, "rating": 1.0})
    rows, places = np.indices(queries.scores.shape)
    columns = {
        "userID": rows.ravel(),
        "itemID": places.ravel(),
        "prediction": queries.scores.ravel(),
    }
    pred = pd.DataFrame(columns)
    names = ("recall_at_k", "precision_at_k", "ndcg_at_k", "map", "map_at_k")
    return {
        f"{name}@{k}": getattr(of, name)(truth, pred, col_prediction="prediction", k=k)
        for name in names
    }


def run_lightgbm(queries: Queries, k: int) -> Values:
    import lightgbm

    number, size = queries.scores.shape
    data = lightgbm.Dataset(
        np.zeros((queries.scores.size, 1)),
        queries.right.ravel().astype(int),
        group=[size] * number,
        init_score=queries.scores.ravel(),
        params={"verbose": -1, "feature_pre_filter": False},
    )
    how = {
        "objective": "lambdarank", "metric": ["ndcg", "map"], "eval_at": [k], "verbose": -1,
        "learning_rate": 1e-30,
    }  # fmt: skip
    booster = lightgbm.Booster(how, data)
    return {name: value for _, name, value, _ in booster.eval_train()}


def run_xgboost(queries: Queries, k: int) -> Values:
    import xgboost

    number, size = queries.scores.shape
    data = xgboost.DMatrix(
        np.zeros((queries.scores.size, 1)),
        queries.right.ravel().astype(int),
        group=[size] * number,
        base_margin=queries.scores.ravel(),
    )
    names = [f"ndcg@{k}", f"map@{k}", f"pre@{k}", "ndcg", "map"]
    booster = xgboost.Booster(
        {"objective": "rank:ndcg", "eval_metric": names, "base_score": 0.0}, [data]
    )
    found = (each.split(":") for each in booster.eval(data).split("\t")[1:])
    return {name.removeprefix("eval-"): float(value) for name, value in found}


def run_implicit(queries: Queries, k: int) -> Values:
    from implicit.evaluation import ranking_metrics_at_k
    from scipy.sparse import csr_matrix

    class Model:
        def recommend(self, users: Any, rows: Any, N: int, **_: Any) -> tuple[Any, Any]:  # noqa: ARG002 - as implicit calls it
            order = np.argsort(-queries.scores[users], axis=1)[:, :N]
            return order.astype(np.int32), np.take_along_axis(queries.scores[users], order, axis=1)

    # Its area under the curve divides by 0, and of fewer candidates than k it reads beyond the
    # list.
    if queries.right.all() or k > queries.scores.shape[1]:
        return {}
    test = csr_matrix(queries.right.astype(float))
    found = ranking_metrics_at_k(Model(), csr_matrix(test.shape), test, K=k, show_progress=False)
    return {f"{name}@{k}": found[name] for name in ("precision", "map", "ndcg")}


def run_pyg(queries: Queries, k: int) -> Values:
    import torch
    from torch_geometric import metrics

    rows = [
        metrics.LinkPredRecall(k), metrics.LinkPredPrecision(k), metrics.LinkPredF1(k),
        metrics.LinkPredHitRatio(k), metrics.LinkPredMRR(k), metrics.LinkPredNDCG(k),
        metrics.LinkPredMAP(k),
    ]  # fmt: skip
    order = torch.from_numpy(np.argsort(-queries.scores, axis=1)[:, :k].copy())
    found: Values = {f"{type(row).__name__}@{k}": [] for row in rows}
    for places, right in zip(order, queries.right, strict=True):
        answers = torch.from_numpy(np.flatnonzero(right))
        pairs = torch.stack([torch.zeros_like(answers), answers])
        for row in rows:
            row.reset()
            row.update(places[None], pairs)
            value = row.compute().item() if row.total else np.nan
            found[f"{type(row).__name__}@{k}"].append(value)
    return {name: np.array(values) for name, values in found.items()}


def run_torchmetrics(queries: Queries, k: int) -> Values:
    import torch
    from torchmetrics.functional import retrieval as of

    rows = {
        f"RetrievalRecall@{k}": (of.retrieval_recall, k),
        f"RetrievalPrecision@{k}": (of.retrieval_precision, k),
        f"RetrievalHitRate@{k}": (of.retrieval_hit_rate, k),
        f"RetrievalMRR@{k}": (of.retrieval_reciprocal_rank, k),
        f"RetrievalNormalizedDCG@{k}": (of.retrieval_normalized_dcg, k),
        "RetrievalMAP": (of.retrieval_average_precision, None),
    }
    # It counts right answers with a score of 0 or less as wrong.
    above = torch.from_numpy(1 + queries.scores)
    rights = torch.from_numpy(queries.right)
    found: Values = {}
    for name, (of_query, top_k) in rows.items():
        pairs = zip(above, rights, strict=True)
        found[name] = np.array([of_query(*pair, top_k=top_k).item() for pair in pairs])
    return found


def run_recbole(queries: Queries, k: int) -> Values:
    import torch
    from recbole.evaluator import DataStruct, metrics

    if k > queries.scores.shape[1]:  # no such top k
        return {}
    rights = queries.right.sum(axis=1)
    if not rights.all():
        raise ValueError("its loader leaves out users without test items")
    order = np.argsort(-queries.scores, axis=1)[:, :k]
    hits = np.take_along_axis(queries.right, order, axis=1)
    held = DataStruct()
    held.set("rec.topk", torch.from_numpy(np.column_stack([hits, rights]).astype(int)))
    config = {"topk": [k], "metric_decimal_place": 16}
    found: Values = {}
    for row in (
        metrics.Recall, metrics.Precision, metrics.Hit, metrics.MRR, metrics.NDCG, metrics.MAP,
    ):  # fmt: skip
        metric = row(config)
        hit, count = metric.used_info(held)
        takes_count = row in (metrics.Recall, metrics.NDCG, metrics.MAP)
        values = metric.metric_info(hit, count) if takes_count else metric.metric_info(hit)
        found[f"{row.__name__.lower()}@{k}"] = values[:, -1].astype(float)
    return found


def run_relbench(queries: Queries, k: int) -> Values:
    from relbench import metrics

    if k > queries.scores.shape[1]:  # it takes k predictions of each query
        return {}
    order = np.argsort(-queries.scores, axis=1)[:, :k]
    hits = np.take_along_axis(queries.right, order, axis=1)
    return {f"map@{k}": metrics.map(hits, queries.right.sum(axis=1))}


def run_lenskit(queries: Queries, k: int) -> Values:
    from lenskit import metrics
    from lenskit.data import ItemList
    from lenskit.metrics.ranking import AveragePrecision

    rows = [
        metrics.Recall(k), metrics.Precision(k), metrics.Hit(k), metrics.RecipRank(k),
        metrics.NDCG(k), AveragePrecision(k), metrics.RecipRank(), metrics.NDCG(),
    ]  # fmt: skip
    if not queries.right.any(axis=1).all():
        rows = [row for row in rows if row.label.startswith(("RecipRank", "NDCG", "Hit"))]
    found: Values = {row.label: [] for row in rows}
    for scores, right in zip(*queries, strict=True):
        order = ItemList(item_ids=np.argsort(-scores), ordered=True)
        test = ItemList(item_ids=np.flatnonzero(right))
        for row in rows:
            with np.errstate(invalid="ignore"):  # 0 / 0 without right answers
                found[row.label].append(row.measure_list(order, test))
    return {name: np.array(values, dtype=float) for name, values in found.items()}


def run_mteb(queries: Queries, k: int) -> Values:
    """Return the means over queries by the names of its results files; of its capped recall, each."""
    from mteb._evaluators import retrieval_metrics as of

    truth, run = queries.name()
    rows = of.calculate_retrieval_scores(run, truth, [k])
    found: Values = {}
    for name in ("ndcg", "map", "recall", "precision", "mrr", "hit_rate"):
        found[f"{name}_at_{k}"] = next(iter(getattr(rows, name).values()))
    capped = of.recall_cap(truth, run, [k])[f"R_cap_at_{k}"]
    found[f"R_cap_at_{k}"] = np.array(capped, dtype=float)  # None without right answers
    return found


def run_spark(queries: Queries, k: int) -> Values:
    from pyspark.mllib.evaluation import RankingMetrics
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    pairs = [
        (np.argsort(-scores).tolist(), np.flatnonzero(right).tolist())
        for scores, right in zip(*queries, strict=True)
    ]
    row = RankingMetrics(session.sparkContext.parallelize(pairs, 1).cache())
    found = {f"{name}@{k}": getattr(row, name)(k) for name in _SPARK}
    return found | {"meanAveragePrecision": row.meanAveragePrecision}


_SPARK = ("recallAt", "precisionAt", "ndcgAt", "meanAveragePrecisionAt")


RUNS: dict[str, Run] = {
    name.removeprefix("run_"): run for name, run in globals().items() if name.startswith("run_")
}
MODULES = {"trec_eval": "pytrec_eval", "pyg": "torch_geometric", "spark": "pyspark"}
"""Modules that have another name than their library."""


def draw(rng: Any, size: int, right: int, number: int = QUERIES) -> Queries:
    """Draw distinct scores, which float32 tells apart, and put the right answers first."""
    scores = rng.permuted(np.tile(np.arange(size) / 256.0, (number, 1)), axis=1)
    return Queries(scores, np.tile(np.arange(size) < right, (number, 1)))


class Check(NamedTuple):
    """How far a library is from the registry: in a query's value, and mean and variance in standard
    errors.
    """

    where: str
    difference: float
    mean: float
    variance: float


def compare(tool: str, run: Run, rng: Any) -> Iterator[Check]:
    """Yield how far each metric is from its definition and constants on each set."""
    for size, right, k in SETS:
        queries = draw(rng, size, right)
        places, others = queries.rank(), draw(rng, size, right, OTHERS).rank()
        known = rankconst.from_counts([size] * QUERIES, relevant=right, tool=tool)
        found = run(queries, k)
        alone = {}
        if not all(map(np.ndim, found.values())):
            # Of what has no value for each query, some are evaluated one by one.
            each = [run(Queries(*(part[i : i + 1] for part in queries)), k) for i in range(ALONE)]
            alone = {name: np.ravel([values[name] for values in each]) for name in found}
        for name, values in found.items():
            constants = known.constants(name)
            expected = evaluate(tool, name, places, size)
            one_by_one = values if np.ndim(values) else alone[name]
            difference = np.abs(one_by_one - expected[: len(one_by_one)]).max()
            difference = max(difference, abs(np.mean(values) - expected.mean()))
            spread = compare_spread(
                values if np.ndim(values) else expected,
                evaluate(tool, name, others, size),
                constants.expectation,
                constants.variance * QUERIES,
            )
            apart = abs(float(np.mean(values)) - constants.expectation)
            yield Check(
                f"{tool} {name}, N = {size}, R = {right}, k = {k}",
                difference,
                count_errors(apart, np.sqrt(constants.variance)),
                spread,
            )


def count_errors(apart: float, error: float) -> float:
    """Return a difference in standard errors, 0 if it is rounding."""
    return 0.0 if apart <= 10 * TOLERANCE else float(np.divide(apart, error))


def compare_spread(values: Any, many: Any, mean: float, variance: float) -> float:
    """Return how far queries' values spread around the mean otherwise than the constant says, in
    standard errors.

    Those are of `many` others: few queries have the values that make most of it.
    """
    apart = abs(((values - mean) ** 2).mean() - variance)
    return count_errors(apart, ((many - mean) ** 2).std() / np.sqrt(len(values)))


def evaluate(tool: str, name: str, held: Places, size: int) -> Any:
    """Return what the registry says of each query."""
    key, k = read_meaning(name, tool)
    row = FAMILIES[key]
    return row.sum_up(held, k) / row.divide(size, held.rights, k)


def compare_empty(tool: str, run: Run, rng: Any) -> Iterator[str]:
    """Yield what differs from what the registry says of a query without right answers."""
    one, k = draw(rng, 20, 3, 1), 5
    queries = Queries(
        np.repeat(one.scores, 2, axis=0), np.concatenate([one.right, np.zeros_like(one.right)])
    )
    row = parse_library(tool)
    try:
        alone, both = run(one, k), run(queries, k)
    except (ValueError, ZeroDivisionError, IndexError) as error:
        print(f"{tool}: refuses a query without right answers: {error}")
        return
    for name, values in both.items():
        meant = row.find(name)
        if meant is None:
            yield f"{tool} {name}: no such name"
            continue
        counts = row.count_empty(meant.key)
        value, first = np.nanmean(values), np.mean(alone[name])
        expected = first if counts == LEFT_OUT else (first + float(counts)) / 2
        if abs(value - expected) > 1e-5:
            yield (
                f"{tool} {name}: with a query without right answers {value:.6f}, expected "
                f"{expected:.6f} ({counts})"
            )


def main(names: list[str]) -> int:
    """Run the libraries that are named, or all that are installed."""
    failed = 0
    packages = packages_distributions()
    print("library | version | sets | largest difference | |z| of mean | of variance")
    for tool in names or RUNS:
        module, run = MODULES.get(tool, tool), RUNS[tool]
        try:
            importlib.import_module(module)
        except ImportError:
            print(f"{tool}: not installed")
            continue
        rng = np.random.default_rng(len(tool))
        checks = list(compare(tool, run, rng))
        wrong = [
            f"{where}: {difference:.1e} | {mean:.1f} | {spread:.1f}"
            for where, difference, mean, spread in checks
            if difference > TOLERANCE or max(mean, spread) > ERRORS
        ]
        wrong += compare_empty(tool, run, rng)
        worst = Check("", *(max(column) for column in list(zip(*checks, strict=True))[1:]))
        sets = len({each.where.partition(",")[2] for each in checks})
        installed = version(packages[module][0])
        numbers = f"{worst.difference:.1e} | {worst.mean:.1f} | {worst.variance:.1f}"
        print(f"{tool} | {installed} | {sets} | {numbers}", *wrong, sep="\n  ")
        if installed not in parse_library(tool).version:
            print(f"  the registry has {parse_library(tool).version}")
        failed += len(wrong)
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
