"""Find impossible numbers, by what the metrics of one evaluation say about one another.

Any set of ranks obeys laws: Hits@1 is at most Hits@10, an MRR lies between bounds that the hits give, a share of n
tasks is a multiple of 1/n. A published number that breaks one is a slip, or is not what its heading says.

:mod:`.bounds` has the inequalities as functions of numbers, :mod:`.case` the numbers of an evaluation with their
intervals and ranking tasks, :mod:`.rules` the rules.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rankconst.checks.identify.search import suggest_dataset
from rankconst.checks.lint.case import Archive, Finding, Lint, build_case
from rankconst.checks.lint.rules import RULES, SWAPPED
from rankconst.names import resolve_name
from rankconst.results.evaluation import Stated, parse_stated
from rankconst.results.reading import group_entries

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rankconst.results.reading import Reading
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
    listed = "`rankconst lint --rules` lists them all."
    chosen = [RULES[resolve_name("rule", key, dict.fromkeys(RULES, ()), listed)] for key in rules]
    notes: dict[str, None] = {}
    archive = None
    if tables is not None:
        user, note = _complete(reading, tables, parse_stated(user, tables))
        archive = Archive(tables)
        notes[note] = None
    groups = group_entries(reading)
    built = [build_case(group, reading, user, archive) for group in groups]
    notes.update(dict.fromkeys(note for _, note in built))
    cases = [case for case, _ in built]
    found = [finding for rule in chosen or RULES.values() for finding in rule.apply(cases)]
    findings = sorted(_drop_explained(found), key=lambda finding: finding.line or 0)
    return Lint(reading, tuple(findings), len(groups), tuple(filter(None, notes)))


def _complete(reading: Reading, tables: Tables, user: Stated) -> tuple[Stated, str]:
    """Add the ranking tasks that adjusted values give away, if neither file nor user names a dataset."""
    adjusted = any(entry.adjustment is not None for entry in reading.entries)
    match = suggest_dataset(reading, tables) if adjusted and user.dataset is None else None
    if match is None:
        return user, ""
    tasks = match.tasks
    completed = replace(
        user, dataset=tasks.dataset, split=user.split or tasks.split, protocol=user.protocol or tasks.protocol
    )
    return completed, f"identified by the adjusted values: {tasks.dataset} {tasks.split}, protocol {tasks.protocol}."


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
