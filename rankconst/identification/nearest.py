"""Why no set of tasks fits: what is missing, or the nearest set and what speaks against it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankconst.aggregations import DEFAULT_AGGREGATION
from rankconst.identification.agreement import agrees, bound_constant

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rankconst.evidence import Evidence
    from rankconst.settling import Setting
    from rankconst.tasksets import TaskSets

__all__ = ["describe_lack", "describe_nearest"]

# No constant is farther from what a piece says, in units of the logarithm: one that agrees outweighs closeness.
_FAR = 10.0


def describe_lack(evidence: Evidence) -> str:
    """Say why there is no evidence at all."""
    reasons = dict.fromkeys(each.reason for each in evidence.dropped)
    remedy = "an adjusted value beside its base value, or the number of ranks, is needed"
    return f"nothing tells the ranking tasks: {'; '.join(list(reasons)[:3]) or remedy}."


def describe_nearest(evidence: Evidence, candidates: TaskSets, chosen: NDArray[np.bool_], setting: Setting) -> str:
    """Say what fits nothing, and name the nearest set of tasks."""
    micro = chosen & (candidates.names["aggregation"] == (setting.aggregation or DEFAULT_AGGREGATION))
    places = np.flatnonzero(micro if micro.any() else chosen)
    sound = [piece for piece in evidence.pieces if not piece.doubtful] or list(evidence.pieces)
    distances = []
    for piece in sound:
        lower, upper = (each[places] for each in bound_constant(piece, candidates))
        with np.errstate(invalid="ignore", divide="ignore"):
            away = np.abs(np.log(np.clip(piece.value, lower, upper) / piece.value))
        distances.append(np.minimum(np.nan_to_num(away, nan=_FAR), _FAR) + _FAR * ~agrees(piece, lower, upper))
    nearest = int(places[int(np.argmin(np.sum(distances, axis=0)))])
    tasks = candidates.sets[nearest]
    where = f"{tasks.dataset} {tasks.split} {tasks.side} under {tasks.protocol}"
    parts = []
    for piece in sound:
        least, most = (float(each[nearest]) for each in bound_constant(piece, candidates))
        if agrees(piece, least, most):
            continue
        if piece.metric is None:
            others = (candidates.num_tasks[places] == piece.value).any()
            none = "only splits of other constants have so many tasks" if others else "no split has so many tasks"
            parts.append(f"n = {piece.value:,.0f}: {none}; nearest {where}: {tasks.num_tasks:,}")
        else:
            parts.append(f"{piece.label} = {piece.value:.6g} ({piece.origin}): nearest {where}: {least:.6g}")
    return "; ".join(dict.fromkeys(parts or [f"nearest {where}"])) + "."
