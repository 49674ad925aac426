"""The output of kbc: ``VALID : {'MRR': 0.286, 'hits@[1,3,10]': tensor([0.2089, 0.3107, 0.4430])}``.

The last line, ``TEST :  ({'rhs': 0.380, 'lhs': 0.183}, {'rhs': tensor([...]), 'lhs':
tensor([...])})``, has MRR and then the hits of each side: rhs ranks tails, lhs heads. TRAIN is of
50,000 random triples.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rankconst.catalogue.protocols import parse_split
from rankconst.results.logs.lines import LogFormat, LogNumber, Rule, strip_colours

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankconst.results.document import Document

_NAMES = ("MRR", "Hits@1", "Hits@3", "Hits@10")
_SIDES = {"": "both", "lhs": "head", "rhs": "tail"}
_SAMPLED = "kbc evaluates 50,000 random triples of train"
_LINE = re.compile(
    r"^[^\S\n]*(TRAIN|VALID|TEST)\s?: +(?=\(?\{'(?:MRR|rhs|lhs)': )([^\n]{1,2000})", re.MULTILINE
)
_MRR = re.compile(r"'(MRR|lhs|rhs)': ([\d.e+-]+)", re.ASCII)
_HITS = re.compile(r"'(hits@\[1,3,10\]|lhs|rhs)': tensor\(\[([^\]\n]{1,200})\]", re.ASCII)


def _scan(document: Document, _: LogFormat) -> Iterator[LogNumber]:
    text = strip_colours(document.text)
    line, start = 1, 0
    for match in _LINE.finditer(text):
        line += text.count("\n", start, match.start())
        start = match.start()
        heading, dicts = match.groups()
        values = {_find_side(side): [value] for side, value in _MRR.findall(dicts)}
        for side, hits in _HITS.findall(dicts):
            values.setdefault(_find_side(side), []).extend(hits.replace(" ", "").split(","))
        split = parse_split(heading.lower())
        reason = _SAMPLED if split == "train" else ""
        for side, numbers in values.items():
            for name, value in zip(_NAMES, numbers, strict=False):
                yield LogNumber(
                    line=line,
                    heading=line,
                    name=name,
                    text=value,
                    split=split,
                    side=side,
                    reason=reason,
                )


def _find_side(name: str) -> str:
    return _SIDES.get(name, "both")


READER = LogFormat(
    key="kbc", tool="kbc", values=Rule(("'MRR': ", "'rhs': "), _LINE, {}), scan=_scan
).reader
