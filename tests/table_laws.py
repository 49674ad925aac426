"""Laws that the rows of a set of tables obey, each by its definition: what breaks one is listed.

``rankconst tables verify`` looks at files, keys and three further laws; these are tested on the set
that is shipped.
"""

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd

from rankconst.catalogue.baselines import BASELINES
from rankconst.catalogue.metrics import (
    CATALOGUE,
    INVERSES,
    TABULATED,
    list_metrics,
)
from rankconst.catalogue.protocols import SIDES, SPLITS, parse_protocol, shares_negatives
from rankconst_builder.tabulate import CARRIED, list_macros

Frames = dict[str, Any]
"""The rows of one dataset as DataFrames, by table."""

LAWS: dict[str, Callable[[Frames], Iterator[str]]] = {}

TASKS = ["protocol", "split", "side"]
ROUNDING = 8 * float(np.finfo(np.float64).eps)


def law(check: Callable[[Frames], Iterator[str]]) -> Callable[[Frames], Iterator[str]]:
    """Register a law by its name."""
    LAWS[check.__name__] = check
    return check


def count_rows(row: Any, protocol: str, split: str) -> int | None:
    """Return how many rows of a split a protocol ranks, by the statistics; None if they do not say."""
    rule, rows = parse_protocol(protocol), row[f"triples_{split}"]
    if rule.tasks == "all" and not rule.distinct:
        return None if pd.isna(rows) else int(rows)
    dropped = row["duplicates_train"] if split == "train" else row[f"dropped_{split}"]
    return None if pd.isna(rows) or pd.isna(dropped) else int(rows - dropped)


@law
def words_are_known(frames: Frames) -> Iterator[str]:
    known = {"split": {*SPLITS}, "side": {*SIDES}, "metric": {*CATALOGUE}, "baseline": {*BASELINES}}
    for name, frame in frames.items():
        for column in known.keys() & {*frame.columns}:
            odd = {*frame[column].unique()} - known[column]
            yield from (f"{name}: {column} {word}" for word in odd)
        protocols = frame["protocol"].unique() if "protocol" in frame else ()
        yield from (f"{name}: {word}" for word in protocols if parse_protocol(word).key != word)


@law
def statistics_do_not_conflict(frames: Frames) -> Iterator[str]:
    """What is in two splits is no more than what is in one, and what is unseen is not in train."""
    (row,) = frames["datasets"].to_dict("records")
    distinct = {split: row[f"triples_{split}"] - row[f"duplicates_{split}"] for split in SPLITS}
    limits = {f"duplicates_{split}": row[f"triples_{split}"] - 1 for split in SPLITS}
    for later, earlier in (("valid", "train"), ("test", "train"), ("test", "valid")):
        limits[f"{later}_in_{earlier}"] = min(distinct[later], distinct[earlier])
    limits |= {
        f"dropped_{split}": row[f"triples_{split}"] - row[f"{split}_in_train"]
        for split in ("valid", "test")
    }
    limits |= {"entities_train": row["entities"], "relations_train": row["relations"]}
    limits |= {"self_loops_train": distinct["train"]}
    for column, most in limits.items():
        if row[column] > max(most, 0):
            yield f"{column} is {row[column]}, at most {most}"


@law
def candidates_are_entities(frames: Frames) -> Iterator[str]:
    """From 1 to the number of entities that a protocol ranks; all of them without a filter."""
    (row,) = frames["datasets"].to_dict("records")
    frame = frames["candidates"]
    for (protocol, side), part in frame[frame["side"] != "relation"].groupby(["protocol", "side"]):
        rule = parse_protocol(protocol)
        most = row["entities_train" if rule.candidates == "seen" else "entities"]
        if rule.negatives is not None:
            most = rule.negatives + 1
        if (part["num_candidates"] < 1).any() or (part["num_candidates"] > most).any():
            yield f"{protocol} {side}: beyond 1 to {most}"
        if rule.known == "none" and (part["num_candidates"] < most).any():
            yield f"{protocol} {side}: fewer than {most} without a filter"


@law
def tasks_are_the_rows_of_the_split(frames: Frames) -> Iterator[str]:
    (row,) = frames["datasets"].to_dict("records")
    frame = frames["candidates"]
    for (protocol, split, side), count in frame.groupby(TASKS)["num_tasks"].sum().items():
        expected = count_rows(row, protocol, split)
        if side != "relation" and expected not in {count, None}:
            yield f"{protocol} {split} {side}: {count} tasks, {expected} rows"


@law
def every_split_and_metric_is_there(frames: Frames) -> Iterator[str]:
    """Every protocol has every split that has rows; every set of tasks has a constant of every
    metric.
    """
    (row,) = frames["datasets"].to_dict("records")
    held = {*frames["candidates"][TASKS].itertuples(index=False, name=None)}
    for protocol, side in {(protocol, side) for protocol, _, side in held}:
        for split in SPLITS:
            if (count_rows(row, protocol, split) or 0) > 0 and (protocol, split, side) not in held:
                yield f"no {protocol} {split} {side}"
    tables = [frames["candidates"].assign(baseline="uniform"), frames["baseline_candidates"]]
    ranked = {
        key
        for frame in tables
        for key in frame[["baseline", *TASKS]].itertuples(index=False, name=None)
    }
    ranked |= {(*key[:3], "both") for key in ranked if key[3] != "relation"}
    constants = frames["constants"]
    keys = constants[["baseline", *TASKS]].itertuples(index=False, name=None)
    ks = [None if pd.isna(k) else int(k) for k in constants["k"]]
    found = {*zip(keys, constants["metric"], ks, strict=True)}
    expected = {
        (key, metric.family, metric.k)
        for key in ranked
        for metric in list_metrics(shared=shares_negatives(key[1]))
        if metric in CARRIED.get(key[0], ())
    }
    yield from (f"missing or too many: {key}" for key in sorted(map(str, found ^ expected)))


@law
def constants_count_their_tasks(frames: Frames) -> Iterator[str]:
    totals = frames["candidates"].groupby(TASKS)["num_tasks"].sum().to_dict()
    for key, side in [(key, key[2]) for key in totals]:
        if side in {"head", "tail"}:
            both = (*key[:2], "both")
            totals[both] = sum(totals.get((*key[:2], each), 0) for each in ("head", "tail"))
    for *key, count in (
        frames["constants"][[*TASKS, "num_tasks"]].drop_duplicates().itertuples(index=False)
    ):
        if totals.get(tuple(key)) != count:
            yield f"{key}: {count}, candidates have {totals.get(tuple(key))}"


@law
def constants_are_within_best_and_worst(frames: Frames) -> Iterator[str]:
    most = frames["candidates"].groupby(["protocol", "split"])["num_candidates"].max()
    for row in frames["constants"].to_dict("records"):
        metric = CATALOGUE[row["metric"]]
        if metric.optimum is None:
            continue
        largest = most[row["protocol"], row["split"]]
        low, high = metric.lower, metric.upper
        if not metric.is_share:
            # Of two tasks ranks can be as far apart as of any number.
            low, high = sorted((metric.optimum, metric.worst(np.array([largest]), np.array([2]))))
        slack = row["expectation_error"] + ROUNDING * abs(row["expectation"])
        if not low - slack <= row["expectation"] <= high + slack:
            yield f"{row['metric']} {row['expectation']} beyond {low} to {high}"
        most_variance = (high - low) ** 2 / 4 * (1 + ROUNDING) + row["variance_error"]
        if not 0 <= row["variance"] <= most_variance:
            yield f"{row['metric']}: variance {row['variance']}"


@law
def weights_come_in_whole_groups(frames: Frames) -> Iterator[str]:
    """A weight is 1 / k, and tasks of that weight come k at a time; together they are the
    candidates.
    """
    frame = frames["macro_candidates"]
    sizes = np.rint(1 / frame["weight"])
    if (frame["weight"] != 1 / sizes).any():
        yield "a weight is not 1 over a whole number"
    query = frame["aggregation"] == "macro-query"
    for keys, part in (
        ([*TASKS, "weight", "num_candidates"], frame[query]),
        ([*TASKS, "weight"], frame[~query]),
    ):
        sums = part.groupby(keys)["num_tasks"].sum().reset_index()
        if (sums["num_tasks"] % np.rint(1 / sums["weight"])).any():
            yield "tasks of a weight do not come in whole groups"
    whole = frames["candidates"].groupby([*TASKS, "num_candidates"])["num_tasks"].sum()
    for aggregation, part in frame.groupby("aggregation"):
        pooled = part.groupby([*TASKS, "num_candidates"])["num_tasks"].sum()
        if not (pooled == whole.reindex(pooled.index)).all():
            yield f"{aggregation}: the tasks, pooled, are not the candidates"
    splits = {
        (aggregation, split)
        for split, aggregation in frame[["split", "aggregation"]].itertuples(index=False)
    }
    yield from (f"too many: {each}" for each in splits if each[0] not in list_macros(each[1]))


@law
def baselines_rank_the_same_tasks(frames: Frames) -> Iterator[str]:
    """On every side, and of every relation, which pool to the whole."""
    whole = frames["candidates"].groupby(TASKS)["num_tasks"].sum()
    frame = frames["baseline_candidates"]
    for baseline, part in frame.groupby("baseline"):
        count = part.groupby(TASKS)["num_tasks"].sum()
        if not (count == whole.reindex(count.index)).all():
            yield f"{baseline}: other tasks"
    single = frames["baseline_candidates_by_relation"]
    keys = ["baseline", *TASKS, "offset", "num_candidates"]
    pooled = single.groupby(keys)["num_tasks"].sum()
    if not pooled.sort_index().equals(frame.groupby(keys)["num_tasks"].sum().sort_index()):
        yield "relations do not pool to the baselines' tasks"
    sums = (
        single.groupby(["baseline", *TASKS, "relation", "weight"])["num_tasks"].sum().reset_index()
    )
    if (sums["num_tasks"] % np.rint(1 / sums["weight"])).any():
        yield "tasks of a weight do not come in whole groups"


@law
def expectations_are_in_their_order(frames: Frames) -> Iterator[str]:
    """Hits@k grow, means grow with the exponent, E[x] E[1/x] >= 1, and E[x]^2 <= E[x^2]."""
    means = [metric for metric in CATALOGUE.values() if metric.exponent is not None]
    means.sort(key=lambda mean: mean.exponent or 0)
    inverses = [mean.inverse for mean in reversed(means) if mean.inverse is not None]
    hits = [metric for metric in TABULATED if metric.takes_k]
    chains = [[metric.key for metric in chain] for chain in (means, inverses, hits)]
    pairs = [pair for chain in chains for pair in itertools.pairwise(chain)]
    mrr, ndcg = "inverse_harmonic_mean_rank", "ndcg"
    pairs += [("hits_at_1", mrr), (mrr, ndcg)]
    for key, part in frames["constants"].groupby([*TASKS, "aggregation", "baseline"]):
        value, error = {}, {}
        rows = part[["metric", "k", "expectation", "expectation_error"]]
        for family, k, expectation, expectation_error in rows.itertuples(index=False):
            metric = CATALOGUE[family]
            name = (metric if pd.isna(k) else metric.at(int(k))).key
            value[name], error[name] = expectation, expectation_error
        for below, above in pairs:
            if below in value and above in value:
                slack = error[below] + error[above] + ROUNDING * abs(value[above])
                if value[below] > value[above] + slack:
                    yield f"{key}: {below} above {above}"
        for one, other in ((base.key, inverse.key) for base, inverse in INVERSES):
            if one in value and other in value:
                product = value[one] * value[other]
                slack = error[one] * value[other] + error[other] * value[one] + ROUNDING * product
                if product < 1 - slack:
                    yield f"{key}: {one} times {other} below 1"
        squares = [metric for metric in CATALOGUE.values() if metric.square_of]
        for root, square in ((metric.square_of, metric.key) for metric in squares):
            if root in value and square in value:
                slack = error[square] + 2 * error[root] * value[root] + ROUNDING * value[square]
                if value[root] ** 2 > value[square] + slack:
                    yield f"{key}: {root} squared above {square}"
