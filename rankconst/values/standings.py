"""Results on the same tasks: which of them published numbers alone tell apart.

Two published numbers bound the probability that two equally good models differ by as much, whatever
their ranks have in common (:mod:`rankconst.values.comparison`). Of m pairs the smallest such bound
is multiplied by m, the next one by m - 1, and so on (Holm 1979): the probability that any pair of
equally good models is told apart is at most the level.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rankconst.errors import UsageError
from rankconst.values.comparison import LEVEL, bound_pairs, show_enough
from rankconst.values.published import parse_value

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd
    from numpy.typing import NDArray

    from rankconst.values.constants import Constants
    from rankconst.values.published import Published

_MOST = 200


@dataclass(frozen=True, slots=True, eq=False)
class Standings:
    """Results of one metric on the same tasks, the best one first.

    Attributes
    ----------
    constants
        What the tasks are.
    names, published
        Models, and their results as they were printed.
    log10_p
        Decimal logarithm of a bound on the probability that two equally good models differ as these
        do, Holm's correction included, shape (models, models), symmetric; 0 where they are not told
        apart at all.
    smallest
        A difference that is enough for a pair alone, at the level of the best result.
    uses_spreads
        True if standard deviations of ranks sharpen what mean ranks tell.
    """

    constants: Constants
    names: tuple[str, ...]
    published: tuple[Published, ...]
    log10_p: NDArray[np.float64]
    smallest: float
    uses_spreads: bool = False

    @property
    def letters(self) -> tuple[str, ...]:
        """A letter for each model: a, b ... z, aa ..."""
        return tuple(name_letter(place) for place in range(len(self.names)))

    def list_worse(self, place: int) -> tuple[int, ...]:
        """Return the models that a model is told apart from, and better than."""
        apart = self.log10_p[place] <= math.log10(LEVEL)
        return tuple(other for other in range(place + 1, len(self.names)) if apart[other])

    def describe(self) -> str:
        """Say in a sentence how much the order means."""
        found, others = len(self.list_worse(0)), len(self.names) - 1
        best = self.names[0] or self.published[0].text
        many = f"{found} of the {others}"
        if not found:
            many = f"any of {others}"
        elif found == others:
            many = "both" if others == 2 else f"all {others}"
        whom = f"{many} other models"
        if others == 1:
            whom = self.names[1] or self.published[1].text
        verb, level = "cannot be distinguished from", f"at p = {LEVEL}"
        if found:
            verb, level = "is better than", f"p < {LEVEL}"
        if others > 1:
            level += f", Holm's correction over {math.comb(others + 1, 2)} pairs"
        sentences = [
            f"{best} {verb} {whom} ({level}).",
            f"For a single pair, a difference of {show_enough(self.smallest)} is enough.",
        ]
        if not found and abs(self.published[0].value - self.published[1].value) >= self.smallest:
            sentences.append("Rounded as they are, these may differ by less.")
        if any(parse_value(each.text).deviation is not None for each in self.published):
            sentences.append("Deviations over runs count as rounding does.")
        if self.uses_spreads:
            sentences.append("The deviations of the ranks are used.")
        return " ".join(sentences)

    @property
    def table(self) -> dict[str, list[Any]]:
        """Columns with a row for each model; `better_than` has the letters of those it beats."""
        letters = self.letters
        worse = [self.list_worse(place) for place in range(len(letters))]
        return {
            "letter": list(letters),
            "model": list(self.names),
            "value": [each.value for each in self.published],
            "text": [each.text for each in self.published],
            "better_than": [[letters[other] for other in others] for others in worse],
            "log10_p_next": [*np.diagonal(self.log10_p, 1).tolist(), None],
        }

    def to_pandas(self) -> pd.DataFrame:
        """Return :attr:`table` as a DataFrame (needs pandas)."""
        import pandas as pd

        return pd.DataFrame(self.table)

    def __repr__(self) -> str:
        return (
            f"Standings({self.constants.metric.label} on {self.constants.tasks}, "
            f"{len(self.names)} models)"
        )

    def __str__(self) -> str:
        tasks, cells = self.constants.tasks, self.table
        better = [" ".join(letters) for letters in cells["better_than"]]
        rows = list(zip(cells["letter"], cells["model"], cells["text"], better, strict=True))
        first, second, third, _ = (max(map(len, column)) for column in zip(*rows, strict=True))
        label, size = self.constants.metric.label, self.constants.num_tasks
        lines = [f"{label} on {tasks.dataset} ({tasks.describe()}), {size:,} tasks", ""]
        for letter, model, text, worse in rows:
            line = f"  {letter:<{first}}  {model:<{second}}  {text:>{third}}  {worse}"
            lines.append(line.rstrip())
        return "\n".join([*lines, "", self.describe()])


def name_letter(place: int) -> str:
    """Return the letters of a place: a ... z, aa, ab ..."""
    more, last = divmod(place, 26)
    letter = chr(ord("a") + last)
    return name_letter(more - 1) + letter if more else letter


def rank_models(
    constants: Constants,
    models: Sequence[tuple[str, Published]],
    spreads: Mapping[str, float] | None = None,
) -> Standings:
    """Order results and bound, for each pair, the probability that their difference is chance.

    A deviation over runs, ``0.338 ± 0.002``, is open about a result as its rounding is. `spreads`
    are the standard deviations of the ranks of models, as far as they are known.

    Raises UsageError for fewer than two models, and what
    :func:`~rankconst.values.comparison.bound_pairs` raises.
    """
    if not 2 <= len(models) <= _MOST:
        raise UsageError(
            f"{len(models)} results of {constants.metric.label} on these tasks; "
            f"expected 2 to {_MOST}."
        )
    sign = -1 if constants.metric.increasing else 1
    ordered = sorted(models, key=lambda model: sign * model[1].value)
    published = tuple(value for _, value in ordered)
    names = tuple(name for name, _ in ordered)
    known = None
    if spreads is not None:
        known = np.array([spreads.get(name, math.nan) for name in names])
    bounds = bound_pairs(
        constants.metric,
        constants.tasks,
        constants.ranking,
        [value.value for value in published],
        [value.interval for value in published],
        spreads=known,
    )
    log10_p = correct_for_many(bounds.log10_p[1], len(names))
    used = len({*(spreads or ())} & {*names}) > 1
    return Standings(constants, names, published, log10_p, float(bounds.smallest[0]), used)


def correct_for_many(log10_p: NDArray[np.float64], size: int) -> NDArray[np.float64]:
    """Correct the log10 p of all pairs by Holm; return them as a symmetric matrix."""
    order = np.argsort(log10_p, kind="stable")
    factors = np.log10(np.arange(order.size, 0, -1))
    corrected = np.empty_like(log10_p)
    corrected[order] = np.minimum(np.maximum.accumulate(log10_p[order] + factors), 0.0)
    found = np.zeros((size, size))
    rows, columns = np.triu_indices(size, k=1)
    found[rows, columns] = found[columns, rows] = corrected
    return found
