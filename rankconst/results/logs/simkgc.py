"""The evaluation logs of SimKGC: ``forward metrics: {"mrr": 0.4251, ...}``.

There is a line for each side, and one for their mean. Forward ranks tails, backward heads. Values
are rounded to four decimals, without zeros at their end. Only the name of the file may tell the
split (evaluate.py).
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from rankconst.results.logs.lines import LogFormat, LogNumber, pad_decimals, rule, strip_colours

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankconst.results.document import Document

_SIGN = re.compile(r"\b(?:forward|backward) metrics: \{[\"']mean_rank[\"']: ")
_VALUE = re.compile(r"[\"'](?P<name>[\w@]{1,20})[\"']: ?(?P<value>[^\s,}]{0,40})", re.ASCII)


def _scan(document: Document, log: LogFormat) -> Iterator[LogNumber]:
    for line, text in enumerate(strip_colours(document.text).split("\n"), start=1):
        heading = log.values.pattern.search(text)
        if heading is None:
            continue
        side = log.sides[heading["side"].lower()]
        for name, value in _VALUE.findall(text, heading.end()):
            yield LogNumber(line=line, name=name, text=value, side=side)


def _restore(numbers: list[LogNumber]) -> list[LogNumber]:
    return [replace(number, restored=pad_decimals(number.text, 4)) for number in numbers]


_LOG = LogFormat(
    key="simkgc",
    tool="simkgc",
    values=rule(r"\b(?P<side>forward|backward|average|Averaged) metrics: (?=\{)", " metrics: {"),
    sides={"forward": "tail", "backward": "head", "average": "both", "averaged": "both"},
    scan=_scan,
    refine=_restore,
)


def _recognise(document: Document) -> bool:
    """Tell whether a document has such lines; its ending may be that of JSON."""
    return _SIGN.search(strip_colours(document.text)) is not None


READER = replace(_LOG.reader, recognise=_recognise)
