"""The numbers of a file with the interval that their writing and 32-bit arithmetic leave open."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankconst.values import Interval, parse_value, read_published

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rankconst.results.reading import Entry

__all__ = ["NOISE", "Measured", "are_in_full", "count_digits", "measure", "name_entry"]

NOISE = 1e-6
"""What is granted to every number, relative to it: many programs sum tens of thousands of ranks in float32, whose own
unit is 6e-8. Beside a rounding to five digits or fewer it does not matter."""

# Nobody rounds to more digits than this.
_MOST_ROUNDED = 7
# The first number of a text, with what may set its thousands apart.
_MANTISSA = re.compile(r"[0-9][0-9.,{}\u2009\u202f]*")


@dataclass(frozen=True, slots=True)
class Measured:
    """A number of a file with the interval that it leaves open.

    Attributes
    ----------
    entry
        Where it stands, and of which metric it is.
    value
        In units of the metric: percentages are divided by 100.
    interval
        Half a unit of the last decimal to either side, what stands after ±, and :data:`NOISE`.
    averaged
        True if ± says that it is a mean over several runs.
    """

    entry: Entry
    value: float
    interval: Interval
    averaged: bool = False

    @property
    def label(self) -> str:
        """What people call it: ``Hits@10``, ``AMRI``, ``z of IMdR``."""
        return name_entry(self.entry)

    def __str__(self) -> str:
        open_by = self.interval.half_width
        if math.isnan(self.value):
            return f"{self.label} {self.entry.text}"
        if open_by <= 2 * NOISE * abs(self.value):
            return f"{self.label} {self.value:.8g}"
        decimals = max(1 - math.floor(math.log10(open_by)), 1)
        lower, upper = (f"{end:.{decimals}f}".rstrip("0").rstrip(".") for end in self.interval)
        return f"{self.label} {self.entry.text} ({lower} to {upper})"


def measure(entry: Entry, *, percent: bool = False, in_full: bool = True) -> Measured:
    """Read a number of a file.

    Parameters
    ----------
    entry
        The number as written.
    percent
        True if shares, and indices of shares, are percentages though no sign says so.
    in_full
        False if the program that wrote it may have rounded before; see :func:`are_in_full`.

    Raises
    ------
    DataError
        If it is no number, or a percentage of a metric that is no share.
    """
    metric, exact = entry.metric, entry.exact and in_full
    percent = percent and metric.is_share
    if entry.adjustment is None:
        published = read_published(metric, entry.text, percent=percent, exact=exact)
    else:
        published = parse_value(entry.text, percent=percent and entry.adjustment == "index", exact=exact)
    slack = NOISE * abs(published.value)
    interval = Interval(published.lower - slack, published.upper + slack)
    return Measured(entry, published.value, interval, averaged=published.deviation is not None)


def are_in_full(entries: Iterable[Entry]) -> bool:
    """Tell whether the program that wrote some numbers wrote them in full: if one is, so are all."""
    return any(count_digits(entry.text) > _MOST_ROUNDED for entry in entries)


def count_digits(text: str) -> int:
    """Count the significant digits of a number as written; zeros at its end count, what stands after ± does not.

    Examples
    --------
    >>> count_digits("0.3375+-0.01"), count_digits("3,340"), count_digits("1.20e-05")
    (4, 4, 3)
    """
    found = _MANTISSA.search(text)
    return 0 if found is None else len(re.sub("[^0-9]", "", found[0]).lstrip("0"))


def name_entry(entry: Entry) -> str:
    """Name what an entry is: ``AMRI``, or ``index of IGMR`` where the field has no name."""
    metric = entry.metric
    if entry.adjustment is None:
        return metric.label
    return metric.name_of(entry.adjustment) or f"{entry.adjustment} of {metric.label}"
