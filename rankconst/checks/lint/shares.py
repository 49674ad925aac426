"""Hits against hits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankconst.checks.lint.bounds import exceeds
from rankconst.checks.lint.findings import Finding

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rankconst.checks.lint.cases import Case


def has_growing_hits(case: Case) -> bool:
    """Tell whether there are shares of hits, and none falls as k grows: only then do they bound anything."""
    return bool(case.hits) and not any(find_decreasing_hits([case]))


def find_decreasing_hits(cases: Sequence[Case]) -> Iterable[Finding]:
    """Find shares of hits that fall as k grows: one finding for each k that lies below an earlier one."""
    for case in cases:
        largest = None
        for m in case.hits.values():
            if largest is not None and exceeds(largest.interval.lower, m.interval.upper):
                yield Finding(
                    rule="hits-monotone",
                    severity="error",
                    values=(largest, m),
                    label=case.group.label,
                    inequality=f"{largest.label} <= {m.label}",
                    statement=f"{largest} is above {m}.",
                    cause="A slip in one of the two, or the two are exchanged.",
                )
            if largest is None or m.interval.lower > largest.interval.lower:
                largest = m
