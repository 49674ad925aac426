"""What a rule is, and what it finds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from rankconst.checks.lint.cases import Case
    from rankconst.results.reading import Measured, Reading


Severity = Literal["error", "warning", "info"]


@dataclass(frozen=True, slots=True)
class Finding:
    """Numbers that cannot be, or that call for a look.

    Attributes
    ----------
    rule
        The key of the rule that they break.
    severity
        ``error`` for what no ranks can give, ``warning`` for what can be only if an assumption on the ranking tasks is
        wrong, ``info`` for what is possible but unlikely.
    values
        The numbers, each with its interval and its place.
    label
        The evaluation that they are of: ``RotatE, FB15k-237, test``; empty if the file names none.
    inequality
        What they break, with this finding's metrics put in: ``Hits@1 <= Hits@3``.
    statement
        A sentence with the numbers.
    cause
        What is likely to have happened, as a sentence; empty if nothing is more likely than another.
    """

    rule: str
    severity: Severity
    values: tuple[Measured, ...]
    label: str
    inequality: str
    statement: str
    cause: str = ""

    @property
    def line(self) -> int | None:
        """The first line that it concerns, counted from 1; None where there are no lines to speak of."""
        return min((m.entry.line for m in self.values if m.entry.line is not None), default=None)


@dataclass(frozen=True, slots=True)
class Rule:
    """One thing that numbers have to obey.

    Attributes
    ----------
    key
        What users type.
    title
        What it says, in a few words.
    inequality
        The formula, in general.
    derivation
        Why it holds, or where that is shown.
    find
        Returns the findings in the evaluations of a file.
    """

    key: str
    title: str
    inequality: str
    derivation: str
    find: Callable[[Sequence[Case]], Iterable[Finding]]


@dataclass(frozen=True, slots=True)
class Lint:
    """The findings in a file.

    Attributes
    ----------
    reading
        The file.
    findings
        In the order of the file's lines.
    num_groups
        How many evaluations were looked at.
    notes
        What could not be checked, and why, each once.
    """

    reading: Reading
    findings: tuple[Finding, ...]
    num_groups: int
    notes: tuple[str, ...] = ()

    @property
    def num_errors(self) -> int:
        """How many findings are of severity ``error``."""
        return sum(finding.severity == "error" for finding in self.findings)
