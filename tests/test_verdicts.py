"""What numbers mean in words: held to the distributions of random rankers, enumerated one by one."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial

import numpy as np
import pytest

import rankconst
from carried import open_once
from cases import for_each, take_turns
from oracles import TERMS, enumerate_distribution
from rankconst.adjusting import AdjustedBatch, PublishedBatch, adjust_batch, adjust_values
from rankconst.catalogue.baselines import FLOOR
from rankconst.catalogue.metrics import Metric, parse_metric
from rankconst.tasks import Tasks
from rankconst.values.constants import Constants
from rankconst.values.published import read_published
from rankconst.verdicts import LEVEL, explain, find_floor, judge, judge_one, summarise

SIZES = ((20,), (2, 3, 4, 5), (4, 4, 4, 4), (1, 9, 30), (7, 8), (1, 1))


def make(
    metric: str, texts: Sequence[str], look_up: Callable[[Metric, str], Constants]
) -> AdjustedBatch:
    """Return published numbers of a metric as one batch of arrays, as those of a file are."""
    parsed = parse_metric(metric)
    read = [read_published(parsed, text) for text in texts]
    value, lower, upper = np.array([(each.value, each.lower, each.upper) for each in read]).T
    whole = look_up(parsed, "uniform")
    batch = PublishedBatch(whole.tasks, parsed, None, value, lower, upper, np.arange(len(texts)))
    return adjust_batch(batch, whole)


def type_value(
    metric: str, text: str, look_up: Callable[[Metric, str], Constants]
) -> AdjustedBatch:
    parsed = parse_metric(metric)
    (done,) = adjust_values([(parsed, read_published(parsed, text))], None, look_up)
    return done


def of_sizes(sizes: tuple[int, ...], metric: Metric, _: str = "") -> Constants:
    return rankconst.from_counts(sizes).constants(metric)


def of_dataset(
    metric: Metric, _: str, *, dataset: str, baseline: str = "uniform", split: str = "test"
) -> Constants:
    return open_once().look_up(Tasks(dataset, split=split, baseline=baseline), metric)


@pytest.mark.slow
@pytest.mark.parametrize(("metric", "sizes"), take_turns(["mr", "mrr", "hits@1", "hits@3"], SIZES))
def test_what_is_called_better_is_rare_by_chance(metric: str, sizes: tuple[int, ...]) -> None:
    """For every value that rounds to what is published; and nothing that is rare beyond doubt is
    missed.
    """
    distribution = enumerate_distribution([(size, 0, 1) for size in sizes], TERMS[metric])
    texts = sorted({f"{float(value):.{digits}f}" for value in distribution for digits in (1, 3)})
    texts = [text for text in texts if min(distribution) <= Fraction(text) <= max(distribution)]
    sign, level = (-1 if metric == "mr" else 1), Fraction(str(LEVEL))
    look_up = partial(of_sizes, sizes)
    for text, stands in zip(texts, judge(make(metric, texts, look_up)).tolist(), strict=True):
        assert judge_one(type_value(metric, text, look_up)) == stands
        half = Fraction(1, 2 * 10 ** len(text.partition(".")[2]))
        ends = [Fraction(text) - half, Fraction(text) + half][::sign]
        as_good = sum(p for value, p in distribution.items() if sign * value >= sign * ends[0])
        # Half a unit off, a mean of reciprocals is printed as another number as often as not.
        worse = sum(
            (p for value, p in distribution.items() if sign * value < sign * ends[1]), Fraction(0)
        )
        if metric != "mrr":
            worse += distribution.get(ends[1], 0)
        if len(distribution) == 1:
            assert stands == 0  # everybody gets that
        else:
            assert stands == int(as_good < level) - int(worse < level), (text, as_good, worse)


@pytest.mark.parametrize(("aggregation", "metric"), [("macro-relation", "mrr"), ("micro", "gmr")])
def test_without_a_known_distribution_only_what_is_certain_counts(
    aggregation: str, metric: str
) -> None:
    constants = open_once().constants("umls", metric, aggregation=aggregation, baseline="counting")
    sign = 1 if constants.metric.increasing else -1
    assert constants.variance is not None
    texts = [
        f"{constants.expectation + sign * z * constants.variance**0.5:.12f}"
        for z in (-4.4, -4.3, 4.3, 4.4)
    ]
    assert judge(make(metric, texts, lambda *_: constants)).tolist() == [-1, 0, 0, 1]


@for_each(
    ("value", "metric", "dataset", "split", "sentence"),
    [
        (
            *("0.86", "hits@10", "umls", "test"),
            "Chance matters here: a random ranker gets 0.1033; 0.86 is 84.4% of the way from "
            "there to perfect. "
            "0.86 cannot be distinguished from counting, which gets 0.8546.",
        ),
        (
            *("0.8520", "hits@10", "umls", "test"),
            "Chance matters here: a random ranker gets 0.1033; 0.8520 is 83.5% of the way from "
            "there to perfect. "
            "Counting is no worse: it gets 0.8546.",
        ),
        (
            *("0.95", "hits@10", "nations", "test"),
            "0.95 cannot be distinguished from chance: a random ranker gets 0.9469. "
            "Counting does better: it gets 1.0000.",
        ),
        (*("0.30", "mrr", "nations", "test"),
         "0.30 is worse than chance: a random ranker gets 0.3844. Counting does better: it gets 0.8333."),
        (*("177", "mr", "fb15k237", "train"),
         "A random ranker gets 7,185; 177 is 97.6% of the way from there to perfect."),
        (*("10.23", "mr", "kinships", "test"),
         "A random ranker gets 47.72; 10.23 is 80.2% of the way from there to perfect. "
         "10.23 cannot be distinguished from counting, which gets 10.24."),
        ("0.5", "mrr", "wn18rr", "train", "Chance hardly matters here: it changes 0.5 by 0.0001."),
    ],
)  # fmt: skip
def test_a_number_in_words(
    value: str, metric: str, dataset: str, split: str, sentence: str
) -> None:
    done = type_value(metric, value, partial(of_dataset, dataset=dataset, split=split))
    assert explain(done, find_floor(done, open_once())) == sentence


def test_many_numbers_in_words() -> None:
    nations = make(
        "hits@10", ["0.94", "0.975", "1.000", "0.90"], partial(of_dataset, dataset="nations")
    )
    floor = find_floor(nations, open_once())
    assert floor is not None
    assert floor.published.tasks.baseline == FLOOR
    assert summarise({nations: floor}) == (
        "2 of 4 numbers are better than chance (p < 0.05); 1 worse, 1 cannot be distinguished "
        "from it. "
        "None is better than counting (p < 0.05)."
    )
    one = replace(nations, published=nations.published.take(np.array([1])))
    assert summarise({one: None}) == "The number is better than chance (p < 0.05)."
    assert (
        summarise({one: None, replace(one): None})
        == "Both numbers are better than chance (p < 0.05)."
    )
    assert summarise({nations: floor, one: None}).endswith(
        " None of 4 is better than counting (p < 0.05)."
    )
