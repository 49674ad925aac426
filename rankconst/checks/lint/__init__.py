"""Find impossible numbers, by what the metrics of one evaluation say about one another.

Any set of ranks obeys laws: Hits@1 is at most Hits@10, an MRR lies between bounds that the hits give, a share of n
tasks is a multiple of 1/n. A published number that breaks one is a slip, or is not what its heading says.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rankconst.checks.identify.search import Completed, complete_reading
from rankconst.checks.lint.case import Archive, Case, Finding, Lint, build_case
from rankconst.checks.lint.rules import RULES, SWAPPED
from rankconst.evaluation import Stated, parse_stated
from rankconst.names import resolve_name
from rankconst.results.reading import group_entries

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rankconst.evaluation import Ask
    from rankconst.results.reading import Entry, Reading
    from rankconst.tables.tables import Tables


def lint_reading(
    reading: Reading,
    tables: Tables | None = None,
    user: Stated | None = None,
    *,
    rules: Iterable[str] = (),
) -> Lint:
    """Apply rules, or all if none is named, to a results file; without tables, those that need no ranking tasks."""
    user = user or Stated()
    listed = "`rankconst show rules` lists them all."
    chosen = [RULES[resolve_name("rule", key, dict.fromkeys(RULES, ()), listed)] for key in rules]
    notes: dict[str, None] = {}
    archive, completed = Archive(tables), Completed(reading)
    if tables is not None:
        user = parse_stated(user, tables)
        completed = complete_reading(reading, tables, user)
    cases: list[Case] = []
    asked: dict[Ask, list[Entry]] = {}
    for place, group in enumerate(completed.groups or group_entries(reading)):
        context = completed.contexts[place] if completed.contexts else group.context
        # A slip may be why nothing fits: such numbers are judged by what file and user say.
        ask = completed.asked.get(place)
        case = build_case(group, reading, user, archive, None if ask else context)
        cases.append(replace(case, assumed=user.protocol is None) if ask else case)
        notes[case.note] = None
        for each in filter(None, dict.fromkeys((*case.asks, ask))):
            asked.setdefault(each, []).extend(group.entries)
    found = [finding for rule in chosen or RULES.values() for finding in rule.apply(cases)]
    findings = sorted(_drop_explained(found), key=lambda finding: finding.line or 0)
    questions = {ask: tuple(entries) for ask, entries in asked.items()}
    return Lint(tuple(findings), tuple(cases), tuple(filter(None, notes)), questions)


def _drop_explained(findings: list[Finding]) -> list[Finding]:
    """Drop what only follows from two columns exchanged, or from a value that is impossible by itself."""

    def list_entries(rule: str) -> set[int]:
        # By identity: thousands of entries take long to hash.
        return {id(m.entry) for finding in findings if finding.rule == rule for m in finding.values}

    exchanged, impossible = list_entries(SWAPPED), list_entries("range")

    def is_explained(finding: Finding) -> bool:
        entries = {id(m.entry) for m in finding.values}
        by_exchange = RULES[finding.rule].mended_by_swap and not entries.isdisjoint(exchanged)
        return by_exchange or (finding.rule not in {"range", SWAPPED} and not entries.isdisjoint(impossible))

    return [finding for finding in findings if not is_explained(finding)]
