"""The rules that count ranking tasks, and those that compare numbers with chance.

They are written like the laws in :mod:`.laws`.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from rankconst.catalogue.baselines import FLOOR
from rankconst.catalogue.literature import Literature, find_literature
from rankconst.catalogue.metrics import CATALOGUE
from rankconst.checks.case import Finding, Severity, rule
from rankconst.checks.defects import UNKNOWN, find_cause, pair_up
from rankconst.checks.laws import overlap
from rankconst.errors import UndefinedError
from rankconst.results.reading import Measured, count_digits
from rankconst.values.bounds import holds_multiple
from rankconst.values.constants import TIED_RANKS
from rankconst.values.published import Interval, show_number

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankconst.checks.case import Case
    from rankconst.checks.defects import Cause


@rule(
    "multiple-of-1/n",
    title="hits are whole multiples of 1/n",
    inequality="n Hits@k is whole",
    why="It counts tasks. Not for means over several runs, nor if the rounding is wider than 1/n.",
)
def _find_broken_hits(case: Case) -> Iterator[Finding]:
    yield from _find_broken(case, list(case.hits.values()), 1.0, "n {} is whole")


@rule(
    "sum-of-ranks",
    title="the sum of the ranks is whole",
    inequality="n MR is whole, or 2 n MR where ranks can be halves",
    why="It sums ranks. Not for means over several runs, nor if the rounding is wider than 1/n.",
)
def _find_broken_ranks(case: Case) -> Iterator[Finding]:
    number = case.base_values.get(CATALOGUE["arithmetic_mean_rank"])
    if number is not None:
        inequality = "n {} is whole" if case.step == 1 else "2 n {} is whole"
        yield from _find_broken(case, [number], case.step, inequality)


def _find_broken(
    case: Case, measured: list[Measured], step: float, inequality: str
) -> Iterator[Finding]:
    """Find means over n ranks that are not multiples of step / n."""
    n = case.num_tasks
    if n is None or case.averaged:  # means over runs are multiples of a smaller number
        return

    broken = [number for number in measured if not holds_multiple(number.interval, step / n)]
    if not broken:
        return

    cause = "A mean over several runs or over sides, or other ranking tasks."
    where = f": that is n{case.where}."
    severity: Severity = "warning"
    if case.group.context.num_tasks is not None:
        where = " (the file states their number)."
        # A number that the file states is of the same program.
        severity = "warning" if case.questions else "error"

    listed = ", ".join(str(number) for number in broken)
    yield Finding(
        values=tuple(broken),
        inequality=" and ".join(inequality.format(number.label) for number in broken),
        statement=f"no {n:,} ranks have {listed}{where}",
        cause=cause,
        severity=severity,
    )


# -- chance ----------------------------------------------------------------------------------------


_FORMULAS = {
    "normalised": "{adjusted} = {base} / E[{base}]",
    "index": "{adjusted} = ({base} - E[{base}]) / (optimum - E[{base}])",
    "z": "{adjusted} = {sign}({base} - E[{base}]) / sqrt(Var[{base}])",
}

# A value with at least this many digits that repeats another was copied.
_ENOUGH_DIGITS = 4

# Below this z-score a ranker is worse than random beyond doubt.
_LEAST_Z = -5.0


@rule(
    "adjusted-mismatch",
    title="adjusted values belong to their base values",
    inequality="M / E, (M - E) / (optimum - E), +-(M - E) / sqrt(Var)",
    why="Hoyt et al. 2022, arXiv:2203.07544; E and Var of the tables.",
)
def _find_mismatches(case: Case) -> Iterator[Finding]:
    """Find adjusted values that do not belong to their base values."""
    if case.tasks is None:
        yield from _find_unscaled(case)
        return

    measured = {number.entry: number for number in case.measured}
    for pair in pair_up(measured, percent=case.percent):
        # A metric with two different values has no base value.
        if pair.metric not in case.base_values:
            continue
        constants = case.constants(pair.metric)
        cause = find_cause(pair, constants)
        if constants is not None and cause is not None:
            expected = pair.compute_expected(constants)
            yield _describe_mismatch(measured[pair.adjusted.entry], expected, cause, case)


def _describe_mismatch(number: Measured, expected: float, cause: Cause, case: Case) -> Finding:
    """Report a wrong adjusted value, as a warning if its ranking tasks are assumed."""
    base = case.base_values[number.entry.metric]
    sentence = f"{cause.summary[:1].upper()}{cause.summary[1:]}."
    if cause is UNKNOWN:
        sentence = "Of another protocol? Name it with --protocol." if case.assumed else ""

    statement = (
        f"{number} does not belong to {base}: expected {show_number(expected, 8)}{case.where}."
    )
    severity: Severity = "error"
    if cause.harmless:
        severity = "info"
    elif case.assumed:
        severity = "warning"

    return Finding(
        values=(number, base),
        inequality=_write_formula(number),
        statement=statement,
        cause=sentence,
        severity=severity,
    )


def _find_unscaled(case: Case) -> Iterator[Finding]:
    """Find z-scores that repeat their base value, except for the sign."""
    cause = "It repeats the base value: it was never scaled."
    for number in case.measured:
        base = case.base_values.get(number.entry.metric)
        if base is None or number.entry.adjustment != "z":
            continue
        # Two numbers of few digits may be equal by chance.
        if count_digits(number.entry.text) < _ENOUGH_DIGITS:
            continue
        is_repeated = abs(number.value) == abs(base.value)
        if is_repeated and number.value != 0:  # two numbers near 0 may agree by chance
            yield Finding(
                values=(number, base),
                inequality=_write_formula(number),
                statement=f"{number} is not a z-score of {base}.",
                cause=cause,
            )


def _write_formula(number: Measured) -> str:
    """Write the formula of an adjusted value: ``ZMR = -(MR - E[MR]) / sqrt(Var[MR])``."""
    metric = number.entry.metric
    sign = "" if metric.increasing else "-"
    return _FORMULAS[number.entry.adjustment or ""].format(
        adjusted=number.label, base=metric.label, sign=sign
    )


@rule(
    "worse-than-random",
    title="not worse than a random ranker",
    inequality=f"z-score of at least {_LEAST_Z:g}",
    why="Possible, but a sign of scores sorted the wrong way, or of another dataset.",
)
def _find_worse_than_random(case: Case) -> Iterator[Finding]:
    """Find numbers far below those of a random ranker."""
    scores = {number: _score(case, number) for number in case.base_values.values()}
    defined = {number: score for number, score in scores.items() if score is not None}
    worse = {number: score for number, score in defined.items() if score < _LEAST_Z}
    if not worse:
        return

    numbers = ", ".join(
        f"{number} (z at most {show_number(score, 3)})" for number, score in worse.items()
    )
    statement = f"worse than a random ranker{case.where}: {numbers}."
    cause = ""
    # One or two metrics may be worse for other reasons.
    if len(worse) > 2 and len(worse) == len(defined):
        cause = "All metrics are: are scores sorted the wrong way?"

    yield Finding(
        values=tuple(worse), inequality="", statement=statement, cause=cause, severity="info"
    )


@rule(
    "below-counting",
    title="not below a ranker that only counts",
    inequality="no worse than a ranker that only counts training triples",
    why="Possible, and common on small graphs: it has counted, and learnt nothing.",
)
def _find_below_counting(case: Case) -> Iterator[Finding]:
    """Find numbers below those of a ranker that only counts."""
    counting = find_counting(case)
    below = {
        number: expected
        for number, expected in counting.items()
        if _is_below(case, number, expected)
    }
    if not below:
        return

    ordered = sorted(
        below, key=lambda number: number.entry.metric != CATALOGUE["inverse_harmonic_mean_rank"]
    )
    numbers = ", ".join(f"{number}; counting {show_number(below[number], 4)}" for number in ordered)
    statement = f"worse than counting{case.where}: {numbers}."
    if len(below) > _FEW:
        first = ordered[0]
        how_many = f"{len(below)} of {len(counting)}"
        if len(below) == len(counting):
            how_many = f"all {len(below)}"
        value = show_number(first.value, 4)
        by_counting = show_number(below[first], 4)
        statement = (
            f"worse than counting in {how_many} metrics{case.where} ({first.label} {value}; "
            f"counting {by_counting})."
        )

    yield Finding(values=tuple(below), inequality="", statement=statement, severity="info")


# Up to this many numbers are listed; of more, only the first.
_FEW = 3


def find_counting(case: Case) -> dict[Measured, float]:
    """Return what counting gets for the numbers of an evaluation, where the tables have it."""
    # PyKEEN's files repeat an evaluation for three rank types: one of them is enough.
    if case.group.context.rank_type not in {None, "realistic"}:
        return {}
    # For macro averages and single relations only the archive has counting, not the package.
    if case.tasks is None or not case.tasks.is_micro or case.tasks.relations:
        return {}

    tasks = replace(case.tasks, baseline=FLOOR)
    expectations = {}
    for measured in case.base_values.values():
        if measured.entry.metric.scale == "spread":  # no ranker aims at a small spread
            continue
        constants = case.archive.constants(tasks, measured.entry.metric)
        if constants is not None:
            expectations[measured] = constants.expectation

    return expectations


def _is_below(case: Case, measured: Measured, by_counting: float) -> bool:
    """Return True if a number is below that of counting, whatever its rounding."""
    z_score = _score(case, measured)  # None if undefined
    if z_score is not None and z_score < _LEAST_Z:  # in standard deviations; chance is 0
        return False
    if measured.entry.metric.increasing:  # larger is better, as of an MRR
        return measured.interval.upper < by_counting
    return measured.interval.lower > by_counting


_FAR = 0.25
"""New best results are nearer to the best of the others than this share of the others' range."""


@rule(
    "beyond-published",
    title="not far beyond the published results collected here",
    inequality="not far better than all of them",
    why="Possible, but what is far beyond all others is more often a slip, or of other tasks.",
)
def _find_beyond_published(case: Case) -> Iterator[Finding]:
    """Find numbers far better than all published results on the same tasks."""
    if case.tasks is None:
        return

    beyond: dict[Measured, str] = {}
    for number in case.base_values.values():
        published = find_literature(case.tasks, number.entry.metric)
        if published is not None and _is_far_beyond(number, published):
            low = show_number(published.values[0], 3)
            high = show_number(published.values[-1], 3)
            beyond[number] = (
                f"{number.label} {number.entry.text} (of {len(published.values)}, {low} to {high})"
            )

    if not beyond:
        return

    listed = ", ".join(beyond.values())
    statement = f"far better than all published results collected here{case.where}: {listed}."
    cause = "New best results are nearer to the others. How were ties ranked, and which triples?"
    yield Finding(
        values=tuple(beyond), inequality="", statement=statement, cause=cause, severity="info"
    )


def _is_far_beyond(number: Measured, published: Literature) -> bool:
    """Return True if a number beats all published ones by at least a quarter of their range."""
    # The end of its rounding interval that is nearest to what others published counts.
    if number.entry.metric.increasing:
        best, worst = published.values[-1], published.values[0]
        nearest = number.interval.lower
    else:
        best, worst = published.values[0], published.values[-1]
        nearest = number.interval.upper

    num_worse, _ = published.rank(nearest)
    is_best = num_worse == len(published.values)
    published_range = abs(best - worst)
    return is_best and abs(nearest - best) >= _FAR * published_range


@rule(
    "all-tied",
    title="not what equal scores give",
    inequality="another value than that of a model that scores all candidates alike",
    why="Possible, but a sign of scores that overflow or are all 0: the tie policy decides.",
)
def _find_tied(case: Case) -> Iterator[Finding]:
    """Find an evaluation whose numbers are those of equal scores, ranked in one way."""
    declared = case.group.context.rank_type
    for rank_type in (declared,) if declared in TIED_RANKS else TIED_RANKS:
        tied = {}
        for number in case.base_values.values():
            constants = case.constants(number.entry.metric)
            if constants is not None:
                tied[number] = constants.all_tied(rank_type)

        if not all(
            overlap(number.interval, Interval(value, value)) for number, value in tied.items()
        ):
            continue
        # Few digits may be equal by chance.
        digits = [_count_equal_digits(number, value, rank_type) for number, value in tied.items()]
        if sum(digits) < _ENOUGH_DIGITS:
            continue
        listed = ", ".join(str(number) for number in tied)
        statement = (
            f"{listed}: that is what a model gets{case.where} that scores all candidates alike, "
            f"with {rank_type} ranks."
        )
        cause = "Scores that are not a number, infinite or all 0"
        cause += ", or a perfect model." if rank_type == "optimistic" else "."
        yield Finding(
            values=tuple(tied), inequality="", statement=statement, cause=cause, severity="info"
        )
        return


@rule(
    "mean-of-rows",
    title="an average that is the mean of the numbers next to it",
    inequality="Average = (1/D) sum M",
    why="An Average is a plain mean over D graphs; another may be over others, or weighted.",
)
def _find_no_mean(case: Case) -> Iterator[Finding]:
    """Report numbers called Average that are not the mean of those next to them."""
    for average in case.wrong_averages:
        statement = (
            f"{average.measured} is not the mean of the {average.num_parts} numbers next to it, "
            f"which is {show_number(average.mean, 4)}."
        )
        yield Finding(
            values=(average.measured,),
            inequality="",
            statement=statement,
            severity="warning",
        )


def _count_equal_digits(number: Measured, value: float, rank_type: str) -> float:
    """Return in how many digits a number is known to equal the value of all ties, at most 4."""
    if rank_type != "optimistic" and number.entry.metric.is_share and value in {0.0, 1.0}:
        return 0.0
    width = 1.0
    if value:
        width = (number.interval.upper - number.interval.lower) / abs(value)
    return max(-math.log10(max(width, 10.0**-_ENOUGH_DIGITS)), 0.0)


def _score(case: Case, number: Measured) -> float | None:
    """Return the largest z-score that the rounding of a number allows; None if it is not known."""
    if number.entry.metric.scale == "spread":  # no ranker aims at a small spread
        return None

    constants = case.constants(number.entry.metric)
    if constants is None:
        return None

    try:
        return constants.z.map_interval(*number.interval).upper
    except UndefinedError:
        return None
