"""Evaluations whose scores were not numbers: if one number shows it, none is believed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from rankconst.catalogue.metrics import parse_metric
from rankconst.results.columns import encode
from rankconst.results.reading import number_evaluations
from rankconst.values.bounds import NOT_A_NUMBER, PERFECT

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rankconst.adjusting import AdjustedBatch
    from rankconst.results.reading import Reading

_MRR, _FIRST = parse_metric("mrr"), parse_metric("hits@1")


def find_diverged(reading: Reading, without_scores: Iterable[int]) -> dict[int, str]:
    """Return the places of all numbers of diverged evaluations, each with the reason.

    The numbers at the places `without_scores` show it, whatever the ties of the others. Adjusted
    values are left out.
    """
    entries = reading.entries
    codes, distinct = encode(replace(context, rank_type=None) for context in entries.contexts)
    evaluations = (
        number_evaluations(reading, by_ties=False) * len(distinct) + codes[entries.context_of]
    )
    reasons: dict[int, str] = {}
    for place in without_scores:
        shown = f"{entries[place].metric.label} {entries.text_at(place)}"
        reasons.setdefault(int(evaluations[place]), NOT_A_NUMBER.format(shown))
    base = np.array([head.adjustment is None for head in entries.heads], dtype=np.bool_)
    chosen = np.isin(evaluations, list(reasons)) & base[entries.head_of]
    own = np.flatnonzero(chosen).tolist()
    return {place: reasons[int(evaluations[place])] for place in own}


def find_perfect(done: Iterable[AdjustedBatch], reading: Reading) -> dict[int, str]:
    """Find evaluations whose MRR and Hits@1 are both exactly 1.

    Return the places of these numbers, with what that may mean.
    """
    reciprocal, first = list[int](), list[int]()
    for each in done:
        ones = each.batch.index[each.batch.value == 1].tolist()
        if each.batch.metric == _MRR:
            reciprocal += ones
        elif each.batch.metric == _FIRST:
            first += ones
    if not reciprocal or not first:
        return {}
    evaluations = number_evaluations(reading)
    both = {*evaluations[reciprocal].tolist()} & {*evaluations[first].tolist()}
    return {place: PERFECT for place in (*reciprocal, *first) if int(evaluations[place]) in both}
