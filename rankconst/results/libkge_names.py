"""LibKGE's names of metrics: ``mean_reciprocal_rank_filtered_with_test_tail``, or short ``fwt_mrr``.

LibKGE writes every metric raw, ``_filtered`` and, for valid, ``_filtered_with_test``, each followed by the part of the
ranks that it is taken over: a side, a type of relations, a percentile of frequency. The short names are those of the
key files that ``kge dump trace`` is called with.

References
----------
LibKGE, github.com/uma-pi1/kge, ``kge/job/eval_entity_ranking.py``; github.com/uma-pi1/kge-iclr20, ``data_dumps``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from rankconst.metrics import parse_metric

if TYPE_CHECKING:
    from rankconst.metrics import Metric

__all__ = ["LibkgeName", "parse_libkge_name"]

_SUFFIXES = {"": "raw", "_filtered": "libkge", "_filtered_with_test": "standard"}
_PREFIXES = {"raw": "raw", "fil": "libkge", "fwt": "standard"}
_LONG = re.compile(
    r"(?P<metric>mean_rank|mean_reciprocal_rank|hits_at_[1-9]\d{0,9})(?P<filter>(?:_filtered(?:_with_test)?)?)(?:_(?P<part>.+))?",
    re.ASCII,
)
_SHORT = re.compile(r"(?P<filter>raw|fil|fwt)_(?P<metric>mrr|mr|hits@[1-9]\d{0,9})(?:_(?P<part>.+))?", re.ASCII)


@dataclass(frozen=True, slots=True)
class LibkgeName:
    """What a name of LibKGE says.

    Attributes
    ----------
    metric
        The metric, its k set.
    protocol
        ``raw``; ``libkge`` for filtered by the splits up to the evaluated one; ``standard`` for filtered by test too.
    side
        ``head``, ``tail`` or ``both``.
    part
        The part of the ranks that it is restricted to: ``1-to-N``, ``relation_25%``; empty for all of them.
    """

    metric: Metric
    protocol: str
    side: str = "both"
    part: str = ""

    @property
    def reason(self) -> str | None:
        """Why such a number cannot be adjusted, as half a sentence; None if it can."""
        return (
            f"{self.part} restricts it to some of the ranks, which have constants of their own" if self.part else None
        )


@lru_cache(maxsize=4096)
def parse_libkge_name(name: str) -> LibkgeName | None:
    """Read a metric's name as LibKGE writes it.

    Parameters
    ----------
    name
        A key of a trace entry, or a column of ``kge dump trace``.

    Returns
    -------
    LibkgeName
        None for what is no metric of entity ranking.

    Examples
    --------
    >>> found = parse_libkge_name("hits_at_10_filtered_with_test_head")
    >>> found.metric.label, found.protocol, found.side
    ('Hits@10', 'standard', 'head')
    >>> parse_libkge_name("avg_loss") is None
    True
    """
    for pattern, protocols in ((_LONG, _SUFFIXES), (_SHORT, _PREFIXES)):
        found = pattern.fullmatch(name)
        if found is not None:
            # A side stands last: "_1-to-N_head".
            part, _, last = (found["part"] or "").rpartition("_")
            if last not in {"head", "tail"}:
                part, last = found["part"] or "", "both"
            return LibkgeName(parse_metric(found["metric"]), protocols[found["filter"]], last, part)
    return None
