"""What an adjusted number means, in words: whether it is better than chance, and counting."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from rankconst.adjusting import add_significance, adjust_batch
from rankconst.catalogue.baselines import FLOOR
from rankconst.doubles import np
from rankconst.errors import UndefinedError, UnknownNameError, UsageError
from rankconst.values.published import show_number

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from rankconst.adjusting import AdjustedBatch
    from rankconst.tables.archive import Tables
    from rankconst.values.significance import Significance

LEVEL = 0.05
"""A number is better than a baseline that does as well with a smaller probability than this."""

# Slightly below the level, so that errors of floating point do not decide.
_BELOW = LEVEL * (1 - 1e-9)

# Any random number is this many standard deviations above its mean, or more, with at most that
# probability (Cantelli's inequality).
_CERTAIN = math.sqrt(1 / _BELOW - 1)

# A change that is smaller is within what is published of most results.
_SMALL = 0.005


def find_floor(
    chance: AdjustedBatch, tables: Tables, baseline: str = FLOOR
) -> AdjustedBatch | None:
    """Return numbers held to what counting gets; None where there are no such constants."""
    batch = replace(chance.batch, tasks=replace(chance.batch.tasks, baseline=baseline))
    try:
        return adjust_batch(batch, tables.look_up(batch.tasks, batch.metric))
    except (UnknownNameError, UndefinedError, UsageError):  # training, archived
        return None


def judge(done: AdjustedBatch) -> NDArray[np.int64]:
    """Judge numbers: 1 is better than the baseline, -1 is worse, 0 is not certain.

    Better means that, however the number was rounded, the baseline gets as much with a probability
    below :data:`LEVEL`, and worse that it gets as little: by Cantelli's inequality, or by the
    distribution of the baseline's results where that is known.
    """
    if isinstance(done.batch.value, float):
        return np.array([judge_one(done)])
    adjusted, expected = done.adjust(), done.constants.expectation
    if adjusted.z_interval is None:  # the baseline always gets the same
        sign = 1 if done.batch.metric.increasing else -1
        above, below = done.batch.lower > expected, done.batch.upper < expected
        return np.asarray(sign * (above.astype(int) - below))
    lower, upper = (np.asarray(end) for end in adjusted.z_interval)
    side = (lower > 0).astype(int) - (upper < 0)
    found = np.where(np.maximum(lower, -upper) >= _CERTAIN, side, 0)
    for sign in (1, -1):
        is_open = (found == 0) & (side == sign)
        if is_open.any():
            part = replace(done, batch=done.batch.take(is_open), significance=(), unattained={})
            found[is_open] = _judge_by_distribution(part, sign)
    return found


def judge_one(one: AdjustedBatch) -> int:
    """Judge a number that was typed by hand, as :func:`judge` does: 1, 0 or -1."""
    batch, expected = one.batch, one.constants.expectation
    interval = one.adjust().z_interval
    if interval is None:  # the baseline always gets the same
        sign = 1 if batch.metric.increasing else -1
        return sign * (int(batch.lower > expected) - int(batch.upper < expected))
    side = int(interval.lower > 0) - int(interval.upper < 0)
    if side == 0 or max(interval.lower, -interval.upper) >= _CERTAIN:
        return side
    return _judge_by_distribution(one, side)[0]


def _judge_by_distribution(done: AdjustedBatch, side: int) -> list[int]:
    """Judge numbers that are above (1) or below (-1) the expectation by their probabilities.

    The tail is the probability of doing at least as well. That of doing at most as well is 1 less
    the tail of the next better value, where values have steps. One verdict is for all numbers where
    no tail is known.
    """
    batch, metric = done.batch, done.batch.metric
    if side < 0 and metric.is_counted and not done.constants.histogram.is_weighted:
        step = 1 / done.constants.num_tasks
        batch = batch.shift(step if metric.increasing else -step)
    tails = add_significance(replace(done, batch=batch)).significance
    return [_judge_tail(tail, side) for tail in tails or (None,)]


def _judge_tail(tail: Significance | None, side: int) -> int:
    """Judge a number by the probability of doing at least as well; 0 where it is not known."""
    if tail is None:
        return 0
    if side > 0:
        return int(tail.interval.upper <= math.log10(_BELOW))
    return -int(tail.interval.lower >= math.log10(1 - _BELOW))


def explain(chance: AdjustedBatch, floor: AdjustedBatch | None) -> str:
    """Say in one or two sentences what chance and counting get, and what that leaves of a value."""
    text = chance.batch.text
    sentence = _explain_chance(chance)
    if floor is None:
        return sentence
    gets = show_expected(floor.constants.expectation)
    verdict = judge_one(floor)
    if verdict > 0:
        return f"{sentence} Counting gets {gets}; {text} is {_show_way(floor)}."
    if verdict == 0 and _is_better(floor):
        return f"{sentence} {text} cannot be distinguished from counting, which gets {gets}."
    does = "does better" if verdict < 0 else "is no worse"
    return f"{sentence} Counting {does}: it gets {gets}."


def _is_better(one: AdjustedBatch) -> bool:
    """Tell whether a number, as it is written, is better than what the baseline gets."""
    sign = 1 if one.batch.metric.increasing else -1
    return bool(sign * one.batch.value > sign * one.constants.expectation)


def _explain_chance(one: AdjustedBatch) -> str:
    gets, metric, text = show_expected(one.constants.expectation), one.batch.metric, one.batch.text
    verdict, index = judge_one(one), one.adjust().index
    if verdict == 0:
        return f"{text} cannot be distinguished from chance: a random ranker gets {gets}."
    if verdict < 0:
        return f"{text} is worse than chance: a random ranker gets {gets}."
    if index is None:
        return f"A random ranker gets {gets}."
    change = abs(index - one.batch.value)
    if (metric.lower, metric.optimum) != (0, 1):
        return f"A random ranker gets {gets}; {text} is {_show_way(one)}."
    if change < _SMALL:
        return f"Chance hardly matters here: it changes {text} by {show_expected(change)}."
    return f"Chance matters here: a random ranker gets {gets}; {text} is {_show_way(one)}."


def _show_way(one: AdjustedBatch) -> str:
    index = one.adjust().index
    if index is None:
        return "better"
    return f"{100 * index:.1f}% of the way from there to perfect"


def show_expected(value: float | None) -> str:
    """Write what a ranker gets: to four decimals, or to four digits above 1, or two if tiny."""
    if value is None:
        return "–"
    if 0 < value < 0.00005:
        return f"{value:.1e}"
    return f"{value:.4f}" if value <= 1 else show_number(value)


def summarise(floors: Mapping[AdjustedBatch, AdjustedBatch | None]) -> str:
    """Say of many numbers how many are better than chance, and than counting if that is known."""
    verdicts = np.concatenate([judge(each) for each in floors])
    held = [judge(each) for each in floors.values() if each is not None]
    if not held:
        return _count(verdicts, "chance")
    over = np.concatenate(held)
    if over.size == verdicts.size and (verdicts > 0).all() and (over > 0).all():
        return _count(verdicts, "chance and than counting")
    better = int((over > 0).sum())
    some = f"{better:,}" if better else "None"
    if over.size < verdicts.size:
        some += f" of {over.size:,}"
    verb = "are" if better > 1 else "is"
    return f"{_count(verdicts, 'chance')} {some} {verb} better than counting (p < {LEVEL})."


def _count(verdicts: NDArray[np.int64], baseline: str) -> str:
    better, size = int((verdicts > 0).sum()), verdicts.size
    if better == size:
        some = {1: "The number is", 2: "Both numbers are"}.get(size, f"All {size:,} numbers are")
        return f"{some} better than {baseline} (p < {LEVEL})."
    verb = "is" if better == 1 else "are"
    counted = f"{better:,} of {size:,} numbers {verb} better than {baseline} (p < {LEVEL})"
    worse = int((verdicts < 0).sum())
    unclear = size - better - worse
    rest = []
    if worse:
        rest.append(f"{worse:,} worse")
    if unclear:
        rest.append(f"{unclear:,} cannot be distinguished from it")
    return f"{counted}; {', '.join(rest)}."
