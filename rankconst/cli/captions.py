"""What captions say of adjusted numbers in words: what p means, which are better than chance, or than a baseline."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

from rankconst.cli.output import RANGES, join_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from rankconst.adjusting import Done
    from rankconst.catalogue.metrics import Metric


def explain_tails(methods: Iterable[str | None], who: str, how: str = "at least as well") -> str:
    """Say what p is, and how it was computed."""
    named = " and ".join(dict.fromkeys(method for method in methods if method))
    return f"p: the probability that {who} does {how}; method: {named}."


def tell_ranges(done: Iterable[Done]) -> str:
    """Say what ranges are, if some number has one."""
    return RANGES if any((each.batch.lower < each.batch.upper).any() for each in done) else ""


def count_worse(against: Mapping[str, Iterable[Done]]) -> str:
    """Say in words, after a blank, how many numbers are worse than each further baseline."""
    said = []
    for baseline, done in against.items():
        worse = sum(int((_compare(each) < 0).sum()) for each in done)
        said.append(f"{worse:,} of {sum(each.batch.value.size for each in done):,} are worse than {baseline}")
    return f"\nOf the numbers, {join_words(said)}." if said else ""


def _compare(done: Done) -> NDArray[np.int64]:
    """Return 1 for values that are better than expected however they were rounded, -1 for worse ones, else 0."""
    import numpy as np

    expected, sign = done.constants.expectation, 1 if done.batch.metric.increasing else -1
    above, below = done.batch.lower > expected, done.batch.upper < expected
    return np.asarray(sign * (above.astype(np.int64) - below.astype(np.int64)))


# Results with a smaller p are called better than chance.
_LEVEL = 0.05
_LEAST = -300


def conclude(done: Sequence[Done]) -> str:
    """Say in words, after a blank, which results are better than chance, and whether adjusting changes their order."""
    # The larger end of what the rounding leaves open: what is claimed holds for all of it.
    found = [p.interval.upper for each in done for p in each.significance if p is not None]
    better = [log10 for log10 in found if log10 < math.log10(_LEVEL)]
    if len(found) < 2:
        return ""
    pair = len(found) == 2
    some = " with a p" * (len(found) < sum(each.batch.value.size for each in done))
    if len(better) == len(found):
        power = max(math.floor(max(better)) + 1, _LEAST)
        limit = f"1e{power}" if power < -4 else f"{min(10.0**power, _LEVEL):g}"
        said = f"{'Both' if pair else f'All {len(found):,}'} results{some} are better than chance (p < {limit})"
    else:
        how_many = f"{len(better):,}" if better else "Neither" if pair else "None"
        counted = f"{how_many} of {len(found):,} results{some} {'are' if len(better) > 1 else 'is'}"
        said = f"{counted} better than chance (p < {_LEVEL}) however the digits were rounded"
    orders = _compare_orders(done)
    if not orders:
        return f"\n{said}."
    changed = " and ".join(metric.label for metric, stays in orders.items() if not stays)
    return f"\n{said}; adjusting changes {f'the order by {changed}' if changed else 'no order'}."


def _compare_orders(done: Sequence[Done]) -> dict[Metric, bool]:
    """Tell of each metric with results on several sets of tasks whether the index orders them as they were."""
    import numpy as np

    of_metric: dict[Metric, list[Done]] = {}
    for each in done:
        of_metric.setdefault(each.batch.metric, []).append(each)
    orders = {}
    for metric, own in of_metric.items():
        adjusted = [each.adjust() for each in own]
        if len({each.batch.tasks for each in own}) == 1 or any(each.index is None for each in adjusted):
            continue
        value = np.concatenate([each.batch.value for each in own]) * (1 if metric.increasing else -1)
        index = np.concatenate([each.index for each in adjusted])
        order = np.lexsort((index, value))
        # Where the published values rise, the greatest index below is no greater than the least above.
        orders[metric] = bool(np.all(np.diff(index[order])[np.diff(value[order]) > 0] >= 0))
    return orders


def tell_standing(done: Sequence[Done]) -> str:
    """Say in words, after a blank, which baselines each value is better than, and which it is worse than."""
    standing: dict[tuple[str, str], dict[str, list[str]]] = {}
    mixed = len({each.batch.metric for each in done}) > 1
    for each in done:
        tasks, label = each.batch.tasks, f"{each.batch.metric.label} " * mixed
        for value, found in zip(each.batch.value.tolist(), _compare(each).tolist(), strict=True):
            told = standing.setdefault((f"{label}{value:.6g}", tasks.dataset), {"better": [], "worse": [], "level": []})
            told[("level", "better", "worse")[found]].append(tasks.baseline)
    several = len({dataset for _, dataset in standing}) > 1
    lines = []
    for (value, dataset), found in itertools.islice(standing.items(), _MOST_STANDINGS):
        words = {"better": "better than", "worse": "worse than", "level": "within rounding of"}
        named = {how: f"the {join_words(keys)} baseline{'s' * (len(keys) > 1)}" for how, keys in found.items() if keys}
        said = ", ".join(f"{words[how]} {keys}" for how, keys in named.items())
        lines.append(f"{value}{f' on {dataset}' if several else ''} is {said}.")
    return "\n" + "\n".join(lines)


_MOST_STANDINGS = 8
