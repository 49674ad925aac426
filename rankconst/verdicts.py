"""Compare adjusted numbers with chance and counting, in words."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from rankconst.adjusting import add_significance, adjust_under
from rankconst.catalogue.baselines import FLOOR
from rankconst.doubles import np
from rankconst.errors import UndefinedError, UnknownNameError, UsageError
from rankconst.values.published import show_number

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from rankconst.adjusting import AdjustedBatch
    from rankconst.tables.archive import Tables

LEVEL = 0.05
"""A number is better than a baseline that does as well with a smaller probability than this."""

# Slightly below the level, so that errors of floating point do not decide.
_BELOW = LEVEL * (1 - 1e-9)

# Any random number is this many standard deviations above its mean, or more, with at most that
# probability (Cantelli's inequality).
_CERTAIN = math.sqrt(1 / _BELOW - 1)

# A smaller change is less than the rounding of most published results.
_SMALL = 0.005


def find_floor(
    chance: AdjustedBatch, tables: Tables, baseline: str = FLOOR
) -> AdjustedBatch | None:
    """Compare numbers with counting, or another baseline; None if it has no constants there."""
    try:
        return adjust_under(baseline, chance.published, tables)
    # The training set has no constants of counting, and some are in the archive only.
    except (UnknownNameError, UndefinedError, UsageError):
        return None


def judge(batch: AdjustedBatch) -> NDArray[np.int64]:
    """Judge numbers: 1 is better than the baseline, -1 is worse, 0 is not certain.

    A number is better if the baseline gets as much with a probability below :data:`LEVEL`, and
    worse if it gets as little, for any number within rounding. The probability is that of the
    baseline's results, or bounded by Cantelli's inequality where their distribution is not known.
    """
    if isinstance(batch.published.value, float):
        return np.array([judge_one(batch)])

    adjusted, expected = batch.adjust(), batch.constants.expectation
    if adjusted.z_interval is None:  # the baseline always gets the same
        sign = 1 if batch.published.metric.increasing else -1
        is_above = batch.published.lower > expected
        is_below = batch.published.upper < expected
        return np.asarray(sign * (is_above.astype(int) - is_below))

    lower, upper = (np.asarray(end) for end in adjusted.z_interval)
    # 1 or -1 where the number is better or worse than expected however it was rounded, else 0.
    side = (lower > 0).astype(int) - (upper < 0)
    verdicts = np.where(np.maximum(lower, -upper) >= _CERTAIN, side, 0)
    for sign in (1, -1):
        is_open = (verdicts == 0) & (side == sign)
        if is_open.any():
            published = batch.published.take(is_open)
            open_batch = replace(batch, published=published, significance=(), unattained={})
            verdicts[is_open] = _judge_by_distribution(open_batch, sign)

    return verdicts


def judge_one(batch: AdjustedBatch) -> int:
    """Judge a number that was typed by hand: better (1), worse (-1) or neither (0)."""
    published, expected = batch.published, batch.constants.expectation
    interval = batch.adjust().z_interval
    if interval is None:  # the baseline always gets the same
        sign = 1 if published.metric.increasing else -1
        return sign * (int(published.lower > expected) - int(published.upper < expected))

    # 1 or -1 if the number is better or worse than expected however it was rounded, else 0.
    side = int(interval.lower > 0) - int(interval.upper < 0)
    if side == 0 or max(interval.lower, -interval.upper) >= _CERTAIN:
        return side

    (verdict,) = _judge_by_distribution(batch, side)
    return verdict


def _judge_by_distribution(batch: AdjustedBatch, side: int) -> list[int]:
    """Judge numbers above (1) or below (-1) the expectation by their probabilities."""
    published, metric = batch.published, batch.published.metric
    if side < 0 and metric.is_counted and not batch.constants.histogram.is_weighted:
        step = 1 / batch.constants.num_tasks
        if not metric.increasing:
            step = -step
        published = published.shift(step)

    with_tails = add_significance(replace(batch, published=published))
    verdicts = []
    for tail in with_tails.significance or (None,):  # None where no probability is known
        if tail is None:
            is_certain = False
        elif side > 0:
            is_certain = tail.interval.upper <= math.log10(_BELOW)
        else:
            is_certain = tail.interval.lower >= math.log10(1 - _BELOW)
        verdicts.append(side if is_certain else 0)

    return verdicts


def explain(chance: AdjustedBatch, over_counting: AdjustedBatch | None) -> str:
    """Compare a value with chance and, if it is known, counting, in a sentence each.

    `over_counting` is the same value with the constants of counting.
    """
    text = chance.published.text
    sentence = _explain_chance(chance)
    if over_counting is None:
        return sentence

    gets = show_expected(over_counting.constants.expectation)
    verdict = judge_one(over_counting)
    if verdict > 0:
        return f"{sentence} Counting gets {gets}; {text} is {_show_way(over_counting)}."

    # A number may be better than what the baseline is expected to get, and not certainly so.
    lead = over_counting.published.value - over_counting.constants.expectation
    if not over_counting.published.metric.increasing:
        lead = -lead

    if verdict == 0 and lead > 0:
        return f"{sentence} {text} cannot be distinguished from counting, which gets {gets}."

    does = "does better" if verdict < 0 else "is no worse"
    return f"{sentence} Counting {does}: it gets {gets}."


def _explain_chance(batch: AdjustedBatch) -> str:
    """Compare a typed number with chance in a sentence."""
    metric, text = batch.published.metric, batch.published.text
    gets = show_expected(batch.constants.expectation)
    verdict, index = judge_one(batch), batch.adjust().index
    if verdict == 0:
        return f"{text} cannot be distinguished from chance: a random ranker gets {gets}."
    if verdict < 0:
        return f"{text} is worse than chance: a random ranker gets {gets}."
    if index is None:
        return f"A random ranker gets {gets}."

    change = abs(index - batch.published.value)
    # Only values on the scale of the index, 0 to 1, can be compared with it: not an MR.
    if (metric.lower, metric.optimum) != (0, 1):
        return f"A random ranker gets {gets}; {text} is {_show_way(batch)}."
    if change < _SMALL:
        return f"Chance hardly matters here: it changes {text} by {show_expected(change)}."
    return f"Chance matters here: a random ranker gets {gets}; {text} is {_show_way(batch)}."


def _show_way(batch: AdjustedBatch) -> str:
    """Return the index in words: ``52.9% of the way from there to perfect``."""
    index = batch.adjust().index
    return "better" if index is None else f"{100 * index:.1f}% of the way from there to perfect"


def show_expected(value: float | None) -> str:
    """Write an expectation to four decimals, four digits if it is above 1, or two if it is tiny."""
    if value is None:
        return "–"
    if 0 < value < 0.00005:
        return f"{value:.1e}"
    return f"{value:.4f}" if value <= 1 else show_number(value)


def summarise(counting_of: Mapping[AdjustedBatch, AdjustedBatch | None]) -> str:
    """Count the numbers that are better than chance and, if it is known, counting.

    `counting_of` maps batches that are compared with chance to the same compared with counting.
    """
    over_chance = np.concatenate([judge(batch) for batch in counting_of])
    known = [batch for batch in counting_of.values() if batch is not None]
    if not known:
        return _count(over_chance, "chance")

    over_counting = np.concatenate([judge(batch) for batch in known])
    is_complete = over_counting.size == over_chance.size
    if is_complete and (over_chance > 0).all() and (over_counting > 0).all():
        return _count(over_chance, "chance and than counting")

    num_better = int((over_counting > 0).sum())
    number = f"{num_better:,}" if num_better else "None"
    verb = "are" if num_better > 1 else "is"
    if not is_complete:
        number += f" of {over_counting.size:,}"

    return f"{_count(over_chance, 'chance')} {number} {verb} better than counting (p < {LEVEL})."


def _count(verdicts: NDArray[np.int64], baseline: str) -> str:
    """Count verdicts in a sentence: ``3 of 5 numbers are better than chance``."""
    total = verdicts.size
    num_better = int((verdicts > 0).sum())
    if num_better == total:
        subjects = {1: "The number is", 2: "Both numbers are"}
        subject = subjects.get(total, f"All {total:,} numbers are")
        return f"{subject} better than {baseline} (p < {LEVEL})."

    verb = "is" if num_better == 1 else "are"
    num_worse = int((verdicts < 0).sum())
    num_unclear = total - num_better - num_worse
    others = []
    if num_worse:
        others.append(f"{num_worse:,} worse")

    if num_unclear:
        others.append(f"{num_unclear:,} cannot be distinguished from it")

    return (
        f"{num_better:,} of {total:,} numbers {verb} better than {baseline} (p < {LEVEL}); "
        f"{', '.join(others)}."
    )
