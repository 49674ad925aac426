"""What SimKGC writes of an evaluation: ``forward metrics: {"mrr": 0.4251, ...}``.

There is a line for each side, and one for their mean. Forward ranks tails, backward heads. Values
are rounded to four decimals, without zeros at their end. Which split it is, only the name of the
file may say (evaluate.py).
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from rankconst.results.logs.lines import Found, LogFormat, pad_decimals, rule, strip_colours

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankconst.results.document import Document

_SIGN = re.compile(r"\b(?:forward|backward) metrics: \{[\"']mean_rank[\"']: ")
_VALUE = re.compile(r"[\"'](?P<name>[\w@]{1,20})[\"']: ?(?P<value>[^\s,}]{0,40})", re.ASCII)


def _scan(document: Document, log: LogFormat) -> Iterator[Found]:
    for line, text in enumerate(strip_colours(document.text).split("\n"), start=1):
        heading = log.values.pattern.search(text)
        if heading is None:
            continue
        side = log.sides[heading["side"].lower()]
        for name, value in _VALUE.findall(text, heading.end()):
            yield Found(line=line, name=name, text=value, side=side)


def _restore(found: Found) -> Found:
    return replace(found, meant=pad_decimals(found.text, 4))


_LOG = LogFormat(
    key="simkgc",
    tool="simkgc",
    values=rule(r"\b(?P<side>forward|backward|average|Averaged) metrics: (?=\{)", " metrics: {"),
    sides={"forward": "tail", "backward": "head", "average": "both", "averaged": "both"},
    scan=_scan,
    refine=lambda found: [_restore(each) for each in found],
)


def _recognise(document: Document) -> bool:
    """Tell whether a document has such lines; it may be called JSON, and is none."""
    return _SIGN.search(strip_colours(document.text)) is not None


READER = replace(_LOG.reader, recognise=_recognise)
