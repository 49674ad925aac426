"""The rules: each is one function under ``@rule``, applied and listed in the order of this file.

A function gets one evaluation (a :class:`~rankconst.checks.lint.case.Case`), or all of a file, and yields what breaks
the rule. Every comparison grants a number the interval of its rounding.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from rankconst.catalogue.metrics import CATALOGUE, INVERSES, POWER_MEANS, SQUARES
from rankconst.checks.identify.defects import UNKNOWN, check_entries
from rankconst.checks.lint.case import Finding, Severity, invert, pick_own
from rankconst.errors import DataError, UndefinedError
from rankconst.results.reading import Measured, count_digits
from rankconst.values.bounds import (
    bound_mean_rank_by_hits,
    bound_reciprocal_by_hits,
    exceeds,
    holds_multiple,
    largest_reciprocal,
    least_mean_rank,
)
from rankconst.values.constants import TIED_RANKS
from rankconst.values.published import Interval, show_number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from rankconst.catalogue.metrics import Metric
    from rankconst.checks.identify.defects import Checked
    from rankconst.checks.lint.case import Case
    from rankconst.values.constants import Constants


@dataclass(frozen=True, slots=True)
class Rule:
    """A law that numbers obey: its key, the law in words and as a formula, why it holds, and what finds breaches.

    `mended_by_swap`: two columns that changed places break it, and it holds if they change back.
    """

    key: str
    title: str
    inequality: str
    why: str
    find: Callable[[Any], Iterable[Finding]]
    whole_file: bool
    mended_by_swap: bool

    def apply(self, cases: Sequence[Case]) -> Iterator[Finding]:
        """Yield the findings in the evaluations of a file."""
        if self.whole_file:
            yield from (replace(finding, rule=self.key) for finding in self.find(cases))
            return
        for case in cases:
            for finding in self.find(case):
                yield replace(finding, rule=self.key, label=case.group.label)


RULES: dict[str, Rule] = {}

_Find = TypeVar("_Find", bound="Callable[[Any], Iterable[Finding]]")


def rule(
    key: str, *, title: str, inequality: str, why: str, whole_file: bool = False, mended_by_swap: bool = False
) -> Callable[[_Find], _Find]:
    """Register what finds the breaches of a rule in a case, or in all cases of a file."""

    def register(find: _Find) -> _Find:
        RULES[key] = Rule(key, title, inequality, why, find, whole_file, mended_by_swap)
        return find

    return register


def _name_tasks(case: Case) -> str:
    """Name the tasks of a case, behind a blank; nothing if they are not known."""
    if (tasks := case.tasks) is None:
        return ""
    return f" on {tasks.dataset} {tasks.split} {tasks.side}, protocol {tasks.protocol}{' (assumed)' * case.assumed}"


# -- ranges and columns -----------------------------------------------------------------------------------------------


@rule(
    "range",
    title="a value that its metric can take",
    inequality="worst <= M <= optimum; M / E[M] >= 0; index <= 1",
    why="The worst ranker puts every true answer last, the best one first, with index 1; shares are at most 1.",
    whole_file=True,
    mended_by_swap=True,
)
def find_impossible_values(cases: Sequence[Case]) -> Iterator[Finding]:
    """Find what is not a number or beyond the best or worst ranker; percentages are one finding for a column."""
    percentages: dict[tuple[str, str], list[Measured]] = {}
    for case in cases:
        for entry, reason in case.unreadable:
            nothing = Measured(entry, math.nan, Interval(math.nan, math.nan))
            statement = f"under {entry.column}: {reason}"
            yield Finding((nothing,), f"{nothing.label} is a number", statement, label=case.group.label)
        for m in case.measured:
            adjustment = m.entry.adjustment
            if adjustment == "z" or m.entry.metric.optimum is None:
                continue
            share = adjustment == "index" or (adjustment is None and m.entry.metric.is_share)
            if share and exceeds(m.interval.lower, 1) and m.value <= 100:
                percentages.setdefault((m.label, m.entry.column), []).append(m)
            elif adjustment is not None:
                yield from _find_adjusted_outside(case, m)
            else:
                yield from _find_outside(case, m)
    for (label, column), found in percentages.items():
        largest = max(found, key=lambda m: m.value)
        yield Finding(
            tuple(found),
            f"{label} <= 1" if largest.entry.adjustment else f"0 <= {label} <= 1",
            f"{len(found):,} {'value' if len(found) == 1 else 'values'} under {column} beyond 1, "
            f"up to {largest.entry.text}.",
            f"Percentages without a sign{' (--percent)' * largest.entry.metric.is_share}, or another metric under that "
            "name.",
        )


def _find_outside(case: Case, m: Measured) -> Iterator[Finding]:
    metric = m.entry.metric
    low, high = metric.lower, metric.upper
    histogram = case.widest
    if histogram is not None:
        worst = metric.worst(histogram.num_candidates, histogram.row_weights)
        low, high = sorted((worst, worst if metric.optimum is None else metric.optimum))
    if not (exceeds(m.interval.lower, high) or exceeds(low, m.interval.upper)):
        return
    beyond_worst = (m.value < low) == metric.increasing
    is_open = histogram is not None and case.assumed and metric.lower <= m.value <= metric.upper
    yield Finding(
        (m,),
        f"{low:.6g} <= {metric.label} <= {high:.6g}",
        f"{m} is impossible{_name_tasks(case)}.",
        _guess(m, beyond_worst=beyond_worst),
        # Beyond the worst ranker there may be other tasks; beyond the best there are none.
        "warning" if is_open and beyond_worst else "error",
        case.group.label,
    )


def _find_adjusted_outside(case: Case, m: Measured) -> Iterator[Finding]:
    low, high = (-math.inf, 1.0) if m.entry.adjustment == "index" else (0.0, math.inf)
    if exceeds(m.interval.lower, high) or exceeds(low, m.interval.upper):
        inequality = f"{m.label} <= 1" if high == 1 else f"{m.label} >= 0"
        cause = "A slip, or another metric under that name."
        yield Finding((m,), inequality, f"{m} is impossible on any tasks.", cause, label=case.group.label)


def _guess(m: Measured, *, beyond_worst: bool) -> str:
    if m.entry.metric.lower == 1 and m.value < 1:
        return "A mean of ranks is at least 1: an MRR or a share under the wrong name?"
    if m.entry.metric.is_share and m.value > 1:
        return "A share is at most 1: a mean of ranks under the wrong name?"
    if beyond_worst:
        return "Another dataset, split, side or protocol: here even the worst ranker does better."
    return "A slip, or another metric under that name."


SWAPPED = "swapped-columns"

# In one evaluation several exchanges may mend a slip.
_FEWEST_SWAPPED = 2


@rule(
    SWAPPED,
    title="no two columns changed places",
    inequality="the rules of hits, MR and MRR together",
    why="All evaluations break them as they are, and none if two metrics are exchanged.",
    whole_file=True,
)
def find_swapped_columns(cases: Sequence[Case]) -> Iterator[Finding]:
    """Find two metrics such that every evaluation with both is impossible, and possible with the two exchanged."""
    mended = [rule.key for rule in RULES.values() if rule.mended_by_swap]
    tables = [(case, dict.fromkeys(m.entry.metric for m in _list_plain(case))) for case in cases]
    wrong = [(case, metrics) for case, metrics in tables if not _is_possible(case, {})]
    for one, other in dict.fromkeys(pair for _, metrics in wrong for pair in itertools.combinations(metrics, 2)):
        both = [case for case, metrics in tables if {one, other} <= metrics.keys()]
        broken = [case for case, metrics in wrong if {one, other} <= metrics.keys()]
        if len(both) < _FEWEST_SWAPPED or len(broken) < len(both):
            continue
        if all(_is_possible(case, {one: other, other: one}) for case in broken):
            yield Finding(
                tuple(m for case in broken for m in _list_plain(case) if m.entry.metric in {one, other}),
                f"{', '.join(mended[:-1])} and {mended[-1]} together",
                f"{one.label} and {other.label} are exchanged: all {len(both):,} evaluations are impossible "
                "as they are, and possible with the two exchanged.",
                "Two headings, or two columns, changed places.",
            )


def _list_plain(case: Case) -> list[Measured]:
    return [m for m in case.measured if m.entry.adjustment is None and m.entry.metric.optimum is not None]


def _is_possible(case: Case, exchanged: Mapping[Metric, Metric]) -> bool:
    """Tell whether some ranks have these values, on whatever tasks, as far as the rules tell."""
    measured = [
        replace(m, entry=m.entry._replace(metric=exchanged.get(m.entry.metric, m.entry.metric)))
        for m in _list_plain(case)
    ]
    bare = replace(case, measured=tuple(measured), unreadable=(), own=pick_own(measured), tasks=None)
    return not any(any(rule.apply([bare])) for rule in RULES.values() if rule.mended_by_swap)


def _overlap(one: Interval, other: Interval) -> bool:
    return not (exceeds(one.lower, other.upper) or exceeds(other.lower, one.upper))


# -- hits and means ---------------------------------------------------------------------------------------------------


@rule(
    "hits-monotone",
    title="hits grow with k",
    inequality="Hits@j <= Hits@k for j < k",
    why="A rank of at most j is at most k.",
    mended_by_swap=True,
)
def find_decreasing_hits(case: Case) -> Iterator[Finding]:
    """Find shares of hits that fall as k grows: one finding for each k below an earlier one."""
    largest = None
    for m in case.hits.values():
        if largest is not None and exceeds(largest.interval.lower, m.interval.upper):
            inequality = f"{largest.label} <= {m.label}"
            cause = "A slip in one of the two, or the two are exchanged."
            yield Finding((largest, m), inequality, f"{largest} is above {m}.", cause)
        if largest is None or m.interval.lower > largest.interval.lower:
            largest = m


@rule(
    "mrr-from-hits",
    title="MRR within what the hits allow",
    inequality="sum (H_i - H_(i-1)) / k_i + (1 - H_m) / N <= MRR <= sum (H_i - H_(i-1)) / (k_(i-1) + 1)"
    " + (1 - H_m) / (k_m + 1)",
    why="Each share of ranks is last, or first, in its range; 1/2 instead of 1 if ranks can be halves.",
    mended_by_swap=True,
)
def find_reciprocals_against_hits(case: Case) -> Iterator[Finding]:
    """Find an MRR outside what the shares of hits allow."""
    yield from _compare_with_hits(case, "MRR", bound_reciprocal_by_hits)


@rule(
    "mr-from-hits",
    title="MR within what the hits allow",
    inequality="sum (H_i - H_(i-1)) (k_(i-1) + 1) + (1 - H_m) (k_m + 1) <= MR <= sum (H_i - H_(i-1)) k_i + (1 - H_m) N",
    why="As for the MRR; there is an upper bound only where N, the most candidates, is known.",
    mended_by_swap=True,
)
def find_means_against_hits(case: Case) -> Iterator[Finding]:
    """Find an MR outside what the shares of hits allow."""
    yield from _compare_with_hits(case, "MR", bound_mean_rank_by_hits)


# What an inverse cannot tell from a slip.
_OR_RUNS = ", or a mean over several runs"


def _list_growing_hits(case: Case) -> dict[int, Interval]:
    """Return shares of hits by their k; none if one falls, since then they bound nothing."""
    return {} if any(find_decreasing_hits(case)) else {k: m.interval for k, m in case.hits.items()}


def _compare_with_hits(case: Case, label: str, find_bound: Callable[..., Interval]) -> Iterator[Finding]:
    """Find a mean beyond a bound: the surest one, which holds for any candidates and for means over several runs."""
    found, hits = case.mean(label), _list_growing_hits(case)
    if found is None or not hits:
        return
    mosts = dict.fromkeys((math.inf, case.most) if case.assumed else (case.most,))
    intervals = dict.fromkeys((found.over_runs,) if case.averaged else (found.over_runs, found.interval))
    for interval, most in itertools.product(intervals, mosts):
        bound = find_bound(hits, case.step, most)
        too_large, too_small = exceeds(interval.lower, bound.upper), exceeds(bound.lower, interval.upper)
        if too_large or too_small:
            break
    else:
        return
    # MRR is largest, and MR least, with all ranks at the first of their range.
    at_last = too_large != (label == "MRR")
    ranks = [*(min(k, most) for k in hits), most] if at_last else [1.0, *(min(k + case.step, most) for k in hits)]
    formula = _write_mean([case.hits[k] for k in hits], ranks, reciprocal=label == "MRR")
    limit, word = (bound.upper, "most") if too_large else (bound.lower, "least")
    by_most = at_last and math.isfinite(most)
    runs = interval != found.over_runs
    yield Finding(
        (found.measured, *case.hits.values()),
        f"{label} {'<=' if too_large else '>='} {formula}",
        f"{found.measured} is impossible: {', '.join(map(str, case.hits.values()))} allow "
        f"{f'an {label} of ' if found.inverted else ''}at {word} {limit:.6g}"
        + (f" with at most {most:,.0f} candidates." if by_most else "."),
        f"One of these numbers is of another evaluation, or a slip{_OR_RUNS * runs}.",
        "warning" if (by_most and case.assumed) or runs else "error",
    )


def _write_mean(hits: list[Measured], ranks: list[float], *, reciprocal: bool) -> str:
    """Write the mean that puts each share at one rank: Hits@1 + (Hits@3 - Hits@1)/2 + (1 - Hits@3)/4."""
    names = [m.label for m in hits]
    shares = [names[0], *(f"({after} - {before})" for before, after in itertools.pairwise([*names, "1"]))]
    return " + ".join(
        share if rank == 1 else f"{share}/{rank:g}" if reciprocal else f"{rank:g} {share}"
        for share, rank in zip(shares, ranks, strict=True)
        if math.isfinite(rank)
    )


@rule(
    "mr-from-mrr",
    title="MR at least what the MRR allows",
    inequality="MR >= 2 r + 1 - r (r + 1) MRR >= 1 / MRR, r = floor(1 / MRR)",
    why="The lower convex hull of the points (1/r, r), which is above the bound 1 / MRR of the means.",
    mended_by_swap=True,
)
def find_small_mean_ranks(case: Case) -> Iterator[Finding]:
    """Find an MR below every MR that the MRR allows, which is an MRR below every MRR that the MR allows."""
    mean, reciprocal = case.mean("MR"), case.mean("MRR")
    if mean is None or reciprocal is None or reciprocal.interval.upper <= 0:
        return
    mrr, mr = reciprocal.interval.upper, mean.interval.upper
    least = least_mean_rank(mrr, case.step)
    # Means over several runs obey it too; one of an inverse the bound of the means only; two of inverses none.
    sure = (least, 1 / mrr, 1.0)[mean.inverted + reciprocal.inverted]
    runs = not exceeds(sure, mr)
    if exceeds(least, mr) and not (runs and case.averaged):
        rank = 1 + case.step * math.floor((1 / mrr - 1) / case.step)
        yield Finding(
            (mean.measured, reciprocal.measured),
            f"MR >= {2 * rank + case.step:g} - {rank * (rank + case.step):g} MRR >= 1/MRR",
            f"{mean.measured} is impossible: {reciprocal.measured} needs a mean rank of at least {least:.6g}.",
            f"MR and MRR are of different evaluations, or one of them is a slip{_OR_RUNS * runs}.",
            "warning" if runs else "error",
        )


@rule(
    "mrr-from-mr",
    title="MRR at most what the MR allows",
    inequality="MRR <= 1 - (1/n) sum (r_i - 1) / N_i, tasks with many candidates first",
    why="The chord 1/r <= 1 - (r - 1)/N over 1..N; needs the candidates.",
)
def find_reciprocals_too_large(case: Case) -> Iterator[Finding]:
    """Find an MRR above every MRR that the MR allows with the candidates of the tasks."""
    mean, reciprocal, histogram = case.mean("MR"), case.mean("MRR"), case.widest
    if mean is None or reciprocal is None or histogram is None:
        return
    largest = largest_reciprocal(mean.over_runs.lower, histogram)
    if exceeds(reciprocal.over_runs.lower, largest):
        yield Finding(
            (mean.measured, reciprocal.measured),
            "MRR <= 1 - (1/n) sum (r_i - 1)/N_i",
            f"{reciprocal.measured} is impossible: {mean.measured} allows an MRR of at most {largest:.6g} "
            f"with at most {case.most:,.0f} candidates.",
            "MR and MRR are of different evaluations or of another dataset, or one of them is a slip.",
            "warning" if case.assumed else "error",
        )


@rule(
    "power-means",
    title="power means in their order",
    inequality="1 / MRR = HMR <= GMR <= MR <= QMR",
    why="Power means grow with the exponent: Hardy, Littlewood, Polya 1934, Inequalities, theorem 16.",
)
def find_unordered_means(case: Case) -> Iterator[Finding]:
    """Find a power mean above one with a larger exponent."""
    for low, high in itertools.combinations([metric.label for metric in POWER_MEANS], 2):
        less, more = case.mean(low), case.mean(high)
        # mr-from-mrr is sharper for that pair.
        if less is None or more is None or (low, high) == ("HMR", "MR"):
            continue
        # The means of two inverses over several runs are in order, too; that of one bounds a mean from below.
        runs = more.inverted > less.inverted
        if exceeds(less.interval.lower, more.interval.upper) and not (runs and case.averaged):
            yield Finding(
                (less.measured, more.measured),
                f"{low} <= {high}",
                f"{less.measured} and {more.measured} are not of the same ranks: {low} is at least "
                f"{less.interval.lower:.6g}, {high} at most {more.interval.upper:.6g}.",
                f"The two are of different evaluations, or one of them is a slip{_OR_RUNS * runs}.",
                "warning" if runs else "error",
            )


@rule(
    "median-from-hits",
    title="median rank on the right side of k",
    inequality="Hits@k > 1/2 only if MdR <= k; Hits@k < 1/2 only if MdR > k",
    why="More than half of the ranks lie on that side, so both middle ones do.",
)
def find_medians_against_hits(case: Case) -> Iterator[Finding]:
    """Find a median rank on the wrong side of a k. A share of exactly one half says nothing: n may be even."""
    median = case.mean("MdR")
    if median is None or case.averaged:
        return
    m, interval = median.measured, median.interval
    for k, hits in case.hits.items():
        if exceeds(hits.interval.lower, 0.5) and exceeds(interval.lower, k):
            inequality, share = f"{hits.label} > 1/2 only if MdR <= {k}", "more"
        elif exceeds(0.5, hits.interval.upper) and exceeds(k + case.step, interval.upper):
            inequality, share = f"{hits.label} < 1/2 only if MdR >= {k + case.step:g}", "less"
        else:
            continue
        yield Finding(
            (m, hits),
            inequality,
            f"{m} is impossible: {hits} says that {share} than half of the ranks are at most {k}.",
            "The two are of different evaluations, or the median is a mean of several medians.",
            "warning",
        )


@rule(
    "inverse-pairs",
    title="a metric and its inverse",
    inequality="MR IAMR = HMR MRR = GMR IGMR = QMR IQMR = MdR IMdR = 1; VR = SDR^2",
    why="By definition.",
)
def find_unequal_inverses(case: Case) -> Iterator[Finding]:
    """Find a metric and its inverse whose product is not 1, or a variance that is not the square of the deviation."""
    own = case.own
    pairs = [
        (own[metric], own[inverse], invert(own[inverse].interval), "{} {} = 1")
        for metric, inverse in INVERSES
        if metric in own and inverse in own
    ]
    pairs += [
        (own[square], own[root], Interval(*(end**2 for end in own[root].interval)), "{} = {}^2")
        for root, square in SQUARES
        if square in own and root in own
    ]
    for m, other, expected, inequality in pairs:
        # Over several runs the mean of 1/x is at least 1 over the mean of x, and that of x^2 at least its square.
        runs = m.value > expected.upper
        if not _overlap(m.interval, expected) and not (runs and case.averaged):
            yield Finding(
                (m, other),
                inequality.format(m.label, other.label),
                f"{m} and {other} are not of the same ranks: {other.label} makes {m.label} "
                f"{expected.lower:.6g} to {expected.upper:.6g}.",
                "The two are of different evaluations or sides, or a mean over several of them.",
                "warning" if runs else "error",
            )


@rule(
    "ndcg-from-mrr",
    title="nDCG at least the MRR",
    inequality="nDCG >= MRR >= Hits@1",
    why="1 / log2(1 + r) >= 1/r: equal at r = 1, from where on r grows faster than log2(1 + r).",
)
def find_small_gains(case: Case) -> Iterator[Finding]:
    """Find an nDCG below MRR or Hits@1."""
    gain = case.own.get(CATALOGUE["ndcg"])
    for name in ("MRR", "Hits@1"):
        less = case.mean(name)
        if gain is not None and less is not None and exceeds(less.over_runs.lower, gain.interval.upper):
            statement = f"{gain} is impossible: {less.measured} needs at least {less.over_runs.lower:.6g}."
            yield Finding(
                (gain, less.measured),
                f"nDCG >= {name}",
                statement,
                "A slip, or an nDCG with a cut-off or with several relevant answers.",
            )
            return


# -- shares and means of n ranks --------------------------------------------------------------------------------------


@rule(
    "multiple-of-1/n",
    title="hits are whole multiples of 1/n",
    inequality="n Hits@k is whole",
    why="It counts tasks; checked where 1/n is wider than the rounding, and not for means over several runs.",
)
def find_broken_hits(case: Case) -> Iterator[Finding]:
    """Find shares of hits that no number of hits among n gives: one finding for an evaluation."""
    yield from _find_broken(case, list(case.hits.values()), 1.0, "n {} is whole")


@rule(
    "sum-of-ranks",
    title="the sum of the ranks is whole",
    inequality="n MR is whole, or 2 n MR where ranks can be halves",
    why="It sums ranks; checked where 1/n is wider than the rounding, and not for means over several runs.",
)
def find_broken_ranks(case: Case) -> Iterator[Finding]:
    """Find an MR that no n ranks give; ranks that are means of the best and the worst may be halves."""
    m = case.own.get(CATALOGUE["arithmetic_mean_rank"])
    if m is not None:
        yield from _find_broken(case, [m], case.step, "n {} is whole" if case.step == 1 else "2 n {} is whole")


def _find_broken(case: Case, measured: list[Measured], step: float, inequality: str) -> Iterator[Finding]:
    n = None if case.averaged else case.num_tasks
    broken = [m for m in measured if n is not None and not holds_multiple(m.interval, step / n)]
    if n is None or not broken:
        return
    others = _name_fitting(case, measured, step)
    stated = case.group.context.num_tasks is not None
    yield Finding(
        tuple(broken),
        " and ".join(inequality.format(m.label) for m in broken),
        f"no {n:,} ranks have {', '.join(map(str, broken))}"
        + (" (the file states their number)." if stated else f": that is n{_name_tasks(case)}."),
        f"They fit {others}." if others else "A mean over several runs or over sides, or other ranking tasks.",
        # The authors may have ranked other tasks; but a number that the file states is of the same program.
        "error" if stated and not case.asks else "warning",
    )


def _name_fitting(case: Case, measured: list[Measured], step: float) -> str:
    """Name up to three other counts of the dataset's tasks that all values fit, where not just any count would."""
    found: dict[int, str] = {}
    for other in case.others:
        n = case.count(other)
        if n is None or n in found:
            continue
        # An interval wider than the unit fits any n.
        telling = any(m.interval.upper - m.interval.lower < step / n for m in measured)
        if telling and all(holds_multiple(m.interval, step / n) for m in measured):
            found[n] = f"n = {n:,} of {other.split} {other.side} under protocol {other.protocol}"
    return ", or ".join(list(found.values())[:3])


@rule(
    "task-count",
    title="the number of ranks is that of the tasks",
    inequality="n stated = n of dataset, split, side and protocol",
    why="Counted from the benchmark's files.",
)
def find_other_counts(case: Case) -> Iterator[Finding]:
    """Find a stated number of ranks that is not that of the dataset's tasks."""
    stated, expected = case.group.context.num_tasks, case.count()
    if stated is None or expected is None or expected == stated or not case.measured:
        return
    others = (
        f"It is that of {other.split} {other.side} under protocol {other.protocol}."
        for other in case.others
        if case.count(other) == stated
    )
    yield Finding(
        case.measured[:1],
        "n stated = n of the ranking tasks",
        f"the file counts {stated:,} ranks; there are {expected:,}{_name_tasks(case)}.",
        next(others, "Another dataset, or some tasks were left out."),
        "warning",
    )


# -- chance -----------------------------------------------------------------------------------------------------------


_FORMULAS = {
    "normalised": "{adjusted} = {base} / E[{base}]",
    "index": "{adjusted} = ({base} - E[{base}]) / (optimum - E[{base}])",
    "z": "{adjusted} = {sign}({base} - E[{base}]) / sqrt(Var[{base}])",
}

# A value of so many digits that repeats another was copied.
_TELLING = 4

# Below it a ranker is worse than random beyond doubt.
_LEAST_Z = -5.0


MISMATCH = "adjusted-mismatch"


@rule(
    MISMATCH,
    title="adjusted values belong to their base values",
    inequality="M / E, (M - E) / (optimum - E), +-(M - E) / sqrt(Var)",
    why="Hoyt et al. 2022, arXiv:2203.07544; E and Var of the tables.",
)
def find_mismatches(case: Case) -> Iterator[Finding]:
    """Find adjusted values that do not belong to their base values, with the known defect that made them."""
    if case.tasks is None:
        yield from _find_unscaled(case)
        return
    found = {m.entry: m for m in case.measured}
    # A metric with two different values has no base value.
    entries = [entry for entry in found if entry.adjustment is not None or entry.metric in case.own]

    def find_constants(metric: Metric) -> Constants:
        constants = case.constants(metric)
        if constants is None:
            raise DataError(f"no constants of {metric.label}")
        return constants

    doubt = "Of another protocol? Name it with --protocol." if case.assumed else ""
    for checked in check_entries(entries, find_constants, percent=case.percent):
        if checked.cause is not None:
            m, base = found[checked.entry], case.own[checked.base.metric]
            yield describe_mismatch(checked, m, base, _name_tasks(case), doubt, certain=not case.assumed)


def describe_mismatch(
    checked: Checked, m: Measured, base: Measured, where: str, doubt: str = "", *, certain: bool
) -> Finding:
    """Return what is wrong with an adjusted value; `doubt` is said where no known defect is the cause."""
    known = checked.cause or UNKNOWN
    cause = doubt if known is UNKNOWN else f"{known.summary[:1].upper()}{known.summary[1:]}."
    statement = f"{m} does not belong to {base}: expected {show_number(checked.expected, 8)}{where}."
    severity: Severity = "info" if known.harmless else "error" if certain else "warning"
    return Finding((m, base), _write_formula(m), statement, cause, severity)


def _find_unscaled(case: Case) -> Iterator[Finding]:
    """Find z-scores that repeat their base value, which needs no ranking tasks."""
    for m in case.measured:
        base = case.own.get(m.entry.metric)
        # Of few digits, the two may well be equal by chance.
        telling = count_digits(m.entry.text) >= _TELLING
        if m.entry.adjustment == "z" and telling and base is not None and abs(m.value) == abs(base.value) != 0:
            cause = "It repeats the base value: it was never scaled."
            yield Finding((m, base), _write_formula(m), f"{m} is not a z-score of {base}.", cause)


def _write_formula(m: Measured) -> str:
    metric = m.entry.metric
    sign = "" if metric.increasing else "-"
    return _FORMULAS[m.entry.adjustment or ""].format(adjusted=m.label, base=metric.label, sign=sign)


@rule(
    "index-above-value",
    title="the index of a share is at most the share",
    inequality="AMRR <= MRR, AH@k <= Hits@k",
    why="(M - E) / (1 - E) <= M, as E (1 - M) >= 0: chance takes away from what is not perfect.",
)
def find_large_indices(case: Case) -> Iterator[Finding]:
    """Find an index above its share."""
    for m in case.measured:
        base = case.own.get(m.entry.metric)
        if m.entry.adjustment != "index" or base is None or not m.entry.metric.is_share:
            continue
        if exceeds(m.interval.lower, base.interval.upper):
            statement = f"{m} is impossible: {base} is less, and chance takes away from it."
            cause = "The two are exchanged, or of different evaluations."
            yield Finding((m, base), f"{m.label} <= {base.label}", statement, cause)


@rule(
    "worse-than-random",
    title="not worse than a random ranker",
    inequality=f"z >= {_LEAST_Z:g}",
    why="Possible, but a sign of scores sorted the wrong way, or of another dataset.",
)
def find_worse_than_random(case: Case) -> Iterator[Finding]:
    """Find evaluations in which a metric is worse than chance by more than five standard deviations."""
    scores = {m: score for m in case.own.values() if (score := _score(case, m)) is not None}
    worse = {m: score for m, score in scores.items() if score < _LEAST_Z}
    if worse:
        listed = ", ".join(f"{m} (z at most {show_number(score, 3)})" for m, score in worse.items())
        yield Finding(
            tuple(worse),
            f"z >= {_LEAST_Z:g}",
            f"worse than a random ranker{_name_tasks(case)}: {listed}.",
            "All metrics are: are scores sorted the wrong way?" if 2 < len(worse) == len(scores) else "",
            "info",
        )


@rule(
    "below-counting",
    title="not below a ranker that only counts",
    inequality="M better than E[M] of the counting baseline",
    why="Possible, and common on small graphs: it has counted the training set, and learnt nothing.",
)
def find_below_counting(case: Case) -> Iterator[Finding]:
    """Find evaluations in which a metric is worse than what the counting baseline is expected to get."""
    # Of macro averages and single relations the archive alone has what counting gets.
    if case.tasks is None or not case.tasks.is_micro or case.tasks.relations:
        return
    tasks = replace(case.tasks, baseline="counting")
    below = {}
    for m in case.own.values():
        constants = None if m.entry.metric.scale == "spread" else case.archive.constants(tasks, m.entry.metric)
        if constants is None or (_score(case, m) or 0.0) < _LEAST_Z:
            continue
        expected = constants.expectation
        if m.interval.upper < expected if m.entry.metric.increasing else m.interval.lower > expected:
            below[m] = expected
    if below:
        listed = ", ".join(f"{m} (it gets {show_number(expected, 4)})" for m, expected in below.items())
        statement = f"worse than the counting baseline{_name_tasks(case)}: {listed}."
        yield Finding(tuple(below), "M better than E[M] of the counting baseline", statement, "", "info")


@rule(
    "all-tied",
    title="not what equal scores give",
    inequality="M != M of a model that scores all candidates alike",
    why="Possible, but a sign of scores that overflow or are all 0: then the tie policy decides, not the model.",
)
def find_tied(case: Case) -> Iterator[Finding]:
    """Find evaluations in which all metrics are those of equal scores, printed in digits enough to tell."""
    known = {m: constants for m in case.own.values() if (constants := case.constants(m.entry.metric)) is not None}
    stated = case.group.context.rank_type
    for rank_type in (stated,) if stated in TIED_RANKS else TIED_RANKS:
        tied = {m: constants.all_tied(rank_type) for m, constants in known.items()}
        fitting = all(_overlap(m.interval, Interval(value, value)) for m, value in tied.items())
        if fitting and sum(_count_telling(m, value, rank_type) for m, value in tied.items()) >= _TELLING:
            listed = ", ".join(map(str, tied))
            yield Finding(
                tuple(tied),
                "M != M of a model that scores all candidates alike",
                f"{listed}: that is what a model gets{_name_tasks(case)} that scores all candidates alike, with "
                f"{rank_type} ranks.",
                "Scores that are not a number, infinite or all 0"
                + (", or a perfect model." if rank_type == "optimistic" else "."),
                "info",
            )
            return


def _count_telling(m: Measured, value: float, rank_type: str) -> float:
    """Return to how many digits a number is known; of shares that are 0 or 1 in any case none."""
    if rank_type != "optimistic" and m.entry.metric.is_share and value in {0.0, 1.0}:
        return 0.0
    open_by = (m.interval.upper - m.interval.lower) / abs(value) if value else 1.0
    return max(-math.log10(max(open_by, 10.0**-_TELLING)), 0.0)


def _score(case: Case, m: Measured) -> float | None:
    """Return the largest z-score that the interval allows; None if it is undefined or says nothing."""
    # No ranker aims at a small spread.
    constants = None if m.entry.metric.scale == "spread" else case.constants(m.entry.metric)
    try:
        return None if constants is None else constants.z.map_interval(*m.interval).upper
    except UndefinedError:
        return None
