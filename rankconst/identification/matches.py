"""What is found about numbers: sets of tasks that fit, what fits them, and adjusted values that are wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rankconst.evidence import Evidence, Piece
    from rankconst.mismatches import Checked
    from rankconst.settling import Context
    from rankconst.tasksets import TaskSet

__all__ = ["Comparison", "Identification", "Identified", "Match"]


@dataclass(frozen=True, slots=True)
class Comparison:
    """A piece of evidence beside the constant of a set of tasks.

    Attributes
    ----------
    piece
        What the numbers say.
    expected
        What these tasks have.
    agrees
        True if it lies within the piece's interval.
    """

    piece: Piece
    expected: float
    agrees: bool

    @property
    def difference(self) -> float:
        """The relative difference of both."""
        return abs(self.piece.value - self.expected) / abs(self.expected) if self.expected else float("inf")


@dataclass(frozen=True, slots=True)
class Match:
    """A set of tasks that the evidence fits.

    Attributes
    ----------
    tasks
        The set; of several with the same constants, the one that the source of the numbers makes likely.
    same
        Further sets with the same number of tasks and the same constants: nothing can tell them apart.
    comparisons
        One for each piece of evidence.
    """

    tasks: TaskSet
    same: tuple[TaskSet, ...]
    comparisons: tuple[Comparison, ...]

    @property
    def dataset(self) -> str:
        """The key of the dataset."""
        return self.tasks.dataset

    @property
    def split(self) -> str:
        """The key of the split."""
        return self.tasks.split

    @property
    def side(self) -> str:
        """The key of the side."""
        return self.tasks.side

    @property
    def protocol(self) -> str:
        """The key of the protocol."""
        return self.tasks.protocol

    @property
    def agreeing(self) -> int:
        """How many pieces agree."""
        return sum(each.agrees for each in self.comparisons)

    @property
    def total(self) -> int:
        """How many pieces there are."""
        return len(self.comparisons)

    @property
    def largest_difference(self) -> float:
        """The largest relative difference among the pieces that agree."""
        return max((each.difference for each in self.comparisons if each.agrees), default=0.0)


@dataclass(frozen=True, slots=True)
class Identified:
    """What was found out about numbers that share their ranking tasks.

    Attributes
    ----------
    evidence
        What the numbers say.
    matches
        The sets of tasks that fit best, all equally well; none if nothing fits.
    reason
        Why nothing fits, with the nearest; empty otherwise.
    note
        What to know about a match, such as a contradiction to the file's own words; empty if nothing.
    context, line
        What the file says about the numbers, and the line of the first, where there are lines.
    checked
        Every adjusted value beside the right one; empty if too many sets fit. Where several do, a value that is right
        for one of them is right.
    """

    evidence: Evidence
    matches: tuple[Match, ...]
    reason: str = ""
    note: str = ""
    context: Context | None = None
    line: int | None = None
    checked: tuple[Checked, ...] = ()

    @property
    def match(self) -> Match | None:
        """The one match; None if there is none, or several differ."""
        return self.matches[0] if len(self.matches) == 1 else None

    @property
    def mismatches(self) -> tuple[Checked, ...]:
        """The adjusted values that do not belong to their base values."""
        return tuple(each for each in self.checked if not each.belongs)

    @property
    def largest_difference(self) -> float | None:
        """The largest relative difference of an adjusted value that belongs; None if there is none."""
        return max((each.difference for each in self.checked if each.belongs), default=None)


@dataclass(frozen=True, slots=True)
class Identification:
    """What was found out about the numbers of a file.

    Attributes
    ----------
    groups
        Numbers that share their ranking tasks, in the order of the file.
    table_version
        The version of the tables.
    """

    groups: tuple[Identified, ...]
    table_version: str

    @property
    def mismatches(self) -> tuple[Checked, ...]:
        """The adjusted values that do not belong to their base values."""
        return tuple(each for group in self.groups for each in group.mismatches)
