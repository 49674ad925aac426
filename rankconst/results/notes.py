"""What a reader leaves out, gathered while it reads: the first few times each, then a count."""

from __future__ import annotations

from collections import Counter

from rankconst.results.reading import Skipped

__all__ = ["Notes"]

_EACH = 10
_LONGEST = 80


class Notes:
    """What was left out so far."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, str]] = Counter()
        self._kept: list[Skipped] = []

    def add(self, line: int | None, what: str, why: str) -> None:
        """Note a cell, a heading or a line with the reason, as half a sentence."""
        self._counts[what, why] += 1
        if self._counts[what, why] <= _EACH:
            self._kept.append(Skipped(line, what[:_LONGEST], why))

    def skipped(self) -> tuple[Skipped, ...]:
        """Return them in order, with the number of further places behind."""
        more = [
            Skipped(None, what[:_LONGEST], f"{why}, in {count - _EACH:,} more places")
            for (what, why), count in self._counts.items()
            if count > _EACH
        ]
        return (*self._kept, *more)
