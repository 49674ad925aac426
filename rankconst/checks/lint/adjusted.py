"""Adjusted values against their base values, and base values against chance."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankconst.checks.lint.findings import Finding
from rankconst.constants.published import show_number
from rankconst.errors import DataError, UndefinedError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rankconst.catalogue.metrics import Metric
    from rankconst.checks.lint.cases import Case
    from rankconst.constants.constants import Constants
    from rankconst.results.reading import Measured


_FORMULAS = {
    "normalised": "{adjusted} = {base} / E[{base}]",
    "index": "{adjusted} = ({base} - E[{base}]) / (optimum - E[{base}])",
    "z": "{adjusted} = {sign}({base} - E[{base}]) / sqrt(Var[{base}])",
}

_LEAST_Z = -5.0
"""Below it a ranker is worse than random beyond doubt."""


def find_mismatches(cases: Sequence[Case]) -> Iterable[Finding]:
    """Find adjusted values that do not belong to the base value beside them, with the known defect that made them."""
    for case in cases:
        yield from _find_unscaled(case) if case.tasks is None else _find_mismatched(case)


def _find_unscaled(case: Case) -> Iterable[Finding]:
    """Find z-scores that repeat their base value; that can be told without knowing the ranking tasks."""
    for m in case.measured:
        base = case.own.get(m.entry.metric)
        if m.entry.adjustment == "z" and base is not None and abs(m.value) == abs(base.value) != 0:
            yield Finding(
                rule="adjusted-mismatch",
                severity="error",
                values=(m, base),
                label=case.group.label,
                inequality=_write_formula(m),
                statement=f"{m} is no z-score of {base}.",
                cause="It repeats the base value: it was never scaled.",
            )


def _find_mismatched(case: Case) -> Iterable[Finding]:
    from rankconst.checks.identify.defects import UNKNOWN, check_entries

    found = {m.entry: m for m in case.measured}
    # A metric with two values has none to compare with.
    entries = [entry for entry in found if entry.adjustment is not None or entry.metric in case.own]

    def find_constants(metric: Metric) -> Constants:
        constants = case.constants(metric)
        if constants is None:
            raise DataError(f"no constants of {metric.label}")
        return constants

    for checked in check_entries(entries, find_constants, percent=case.percent):
        if checked.belongs:
            continue
        m, base = found[checked.entry], case.own[checked.base.metric]
        cause = f"{checked.reason[:1].upper()}{checked.reason[1:]}."
        if checked.cause == UNKNOWN:
            cause = "Of another protocol? Name it with --protocol." if case.assumed else ""
        yield Finding(
            rule="adjusted-mismatch",
            severity="warning" if case.assumed else "error",
            values=(m, base),
            label=case.group.label,
            inequality=_write_formula(m),
            statement=f"{m} does not belong to {base}: expected {show_number(checked.expected, 8)}{_name_tasks(case)}.",
            cause=cause,
        )


def _write_formula(m: Measured) -> str:
    metric = m.entry.metric
    sign = "" if metric.increasing else "-"
    return _FORMULAS[m.entry.adjustment or ""].format(adjusted=m.label, base=metric.label, sign=sign)


def _name_tasks(case: Case) -> str:
    tasks = case.tasks
    if tasks is None:
        return ""
    assumed = " (assumed)" if case.assumed else ""
    return f" on {tasks.dataset} {tasks.split} {tasks.side}, protocol {tasks.protocol}{assumed}"


def find_worse_than_random(cases: Sequence[Case]) -> Iterable[Finding]:
    """Find evaluations in which a metric is worse than chance by more than five standard deviations."""
    for case in cases:
        scores = {m: score for m in case.own.values() if (score := _score(case, m)) is not None}
        worse = {m: score for m, score in scores.items() if score < _LEAST_Z}
        if worse:
            listed = ", ".join(f"{m} (z at most {show_number(score, 3)})" for m, score in worse.items())
            yield Finding(
                rule="worse-than-random",
                severity="info",
                values=tuple(worse),
                label=case.group.label,
                inequality=f"z >= {_LEAST_Z:g}",
                statement=f"worse than a random ranker{_name_tasks(case)}: {listed}.",
                cause="All metrics are: are scores sorted the wrong way?" if 2 < len(worse) == len(scores) else "",
            )


def _score(case: Case, m: Measured) -> float | None:
    """Return the largest z-score that the interval allows; None where it is not defined or says nothing."""
    if m.entry.metric.scale == "spread":  # a small one is not what a ranker is after
        return None
    constants = case.constants(m.entry.metric)
    if constants is None:
        return None
    try:
        return constants.z.map_interval(*m.interval).upper
    except UndefinedError:
        return None
