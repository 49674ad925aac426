"""A table of results: what is told apart is, whatever the ranks have in common, and however many
pairs there are.
"""

import itertools
from collections import Counter

import numpy as np
import pytest

import rankconst
from rankconst.errors import UsageError
from rankconst.values.comparison import LEVEL
from rankconst.values.published import parse_value
from rankconst.values.standings import correct_for_many, rank_models


def hits_of(num_tasks: int, metric: str = "hits@1") -> rankconst.Constants:
    return rankconst.from_counts([100] * num_tasks).constants(metric)


def order(constants: rankconst.Constants, *values: float | str) -> list[tuple[int, ...]]:
    found = rank_models(constants, [(str(k), parse_value(value)) for k, value in enumerate(values)])
    return [found.list_worse(place) for place in range(len(values))]


def test_correction_is_that_of_holm() -> None:
    """Beside the definition, step by step; ties and certainties too."""
    rng = np.random.default_rng(1)
    for size in (2, 3, 5):
        pairs = list(itertools.combinations(range(size), 2))
        p = rng.choice([1e-9, 0.001, 0.02, 0.02, 0.3, 1.0], len(pairs))
        found, running = correct_for_many(np.log10(p), size), 0.0
        for step, place in enumerate(np.argsort(p, kind="stable")):
            running = min(max(running, p[place] * (len(pairs) - step)), 1.0)
            assert 10 ** found[pairs[place]] == pytest.approx(running)
        assert (found == found.T).all()


@pytest.mark.slow
@pytest.mark.parametrize(("single", "double"), [(8, 0), (0, 14), (6, 6), (21, 0)])
@pytest.mark.parametrize("metric", ["hits@1", "mrr"])
def test_the_correction_holds_over_all_tables_of_equal_models(
    metric: str, single: int, double: int
) -> None:
    """Three models, tasks that one or two of them get right, whichever these are: all tables that
    this makes.
    """
    sums: Counter[tuple[int, ...]] = Counter({(0, 0, 0): 1})
    for right in [(1, 0, 0)] * single + [(1, 1, 0)] * double:
        steps: Counter[tuple[int, ...]] = Counter()
        for way, (known, count) in itertools.product(
            {*itertools.permutations(right)}, sums.items()
        ):
            added = sorted(map(sum, zip(known, way, strict=True)))  # whichever model is which
            steps[tuple(added)] += count
        sums = steps
    tasks, low = single + double, 0.0 if metric == "hits@1" else 0.01
    constants = hits_of(tasks, metric)
    wrong = 0
    for hits, count in sums.items():
        if any(order(constants, *(low + (1 - low) * each / tasks for each in hits))):
            wrong += count
    assert (tasks > 20) <= wrong <= LEVEL * sums.total()


def test_large_differences_are_told_apart_and_small_ones_are_not() -> None:
    constants = hits_of(1000)
    assert order(constants, "0.80", "0.50", "0.505", "0.20") == [(1, 2, 3), (3,), (3,), ()]
    ranked = hits_of(1000, "mr")
    assert order(ranked, "90", "5", "80")[0] == (1, 2)  # of a mean rank the smallest is best
    # Spread over runs is open as rounding is.
    assert order(constants, "0.60", "0.50")[0] == (1,)
    assert order(constants, "0.60 ± 0.03", "0.50 ± 0.03")[0] == ()


def test_deviations_of_the_ranks_bound_what_mean_ranks_leave_open() -> None:
    """All pairs of rank vectors of three tasks: no larger a bound than without them, and one that
    holds.
    """
    sizes, sharper = (3, 6, 6), 0
    constants = rankconst.from_counts(sizes).constants("mr")
    vectors = [np.array(ranks) + 1 for ranks in np.ndindex(sizes)]
    signs = np.array(list(itertools.product((-1, 1), repeat=len(sizes))))
    for one, other in itertools.product(vectors[::9], vectors[::7]):
        models = [(name, parse_value(float(r.mean()))) for name, r in (("A", one), ("B", other))]
        spreads = {"A": float(one.std()), "B": float(other.std())}
        known, alone = (
            rank_models(constants, models, each).log10_p[0, 1] for each in (spreads, None)
        )
        p = np.mean(np.abs(signs @ (one - other)) >= abs(np.sum(one - other)) - 1e-9)
        assert p - 1e-9 <= 10**known
        assert known <= alone + 1e-12
        sharper += known < alone - 0.1
    assert sharper > 20


def test_every_model_has_a_letter() -> None:
    many = rank_models(hits_of(50), [(str(k), parse_value("0.5")) for k in range(30)])
    assert many.letters[24:29] == ("y", "z", "aa", "ab", "ac")
    with pytest.raises(UsageError, match="expected 2 to"):
        rank_models(hits_of(50), [("A", parse_value("0.5"))])
