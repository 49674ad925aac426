"""The output of kbc: ``VALID : {'MRR': 0.286, 'hits@[1,3,10]': tensor([0.2089, 0.3107, 0.4430])}``.

The last line, ``TEST :  ({'rhs': 0.380, 'lhs': 0.183}, {'rhs': tensor([...]), 'lhs':
tensor([...])})``, has MRR and then the hits of each side: rhs ranks tails, lhs heads. TRAIN is of
50,000 random triples.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rankconst.catalogue.protocols import parse_split
from rankconst.results.logs.lines import LogFormat, LogNumber, rule, strip_colours

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankconst.results.document import Document

_NAMES = ("MRR", "Hits@1", "Hits@3", "Hits@10")
_SIDES = {"lhs": "head", "rhs": "tail"}
_SAMPLED = "kbc evaluates 50,000 random triples of train"
_MRR = re.compile(r"'(MRR|lhs|rhs)': ([\d.e+-]+)", re.ASCII)
_HITS = re.compile(r"'(hits@\[1,3,10\]|lhs|rhs)': tensor\(\[([^\]\n]{1,200})\]", re.ASCII)


def _scan(document: Document, log: LogFormat) -> Iterator[LogNumber]:
    for line, text in enumerate(strip_colours(document.text).split("\n"), 1):
        match = log.values.pattern.match(text)
        if match is None:
            continue
        split = parse_split(match["split"].lower())
        values = {side: [value] for side, value in _MRR.findall(match["dicts"])}
        for key, hits in _HITS.findall(match["dicts"]):
            side = key if key in _SIDES else "MRR"  # where the MRR of both sides is
            values.setdefault(side, []).extend(hits.replace(" ", "").split(","))
        for side, numbers in values.items():
            fields = {"split": split, "side": _SIDES.get(side, "both")}
            for name, value in zip(_NAMES, numbers, strict=False):
                yield LogNumber(
                    line=line,
                    heading=line,
                    name=name,
                    text=value,
                    fields=fields,
                    reason=_SAMPLED if split == "train" else "",
                )


READER = LogFormat(
    key="kbc",
    tool="kbc",
    values=rule(
        r"^\s*(?P<split>TRAIN|VALID|TEST)\s?: +(?=\(?\{'(?:MRR|rhs|lhs)': )(?P<dicts>.{1,2000})",
        *("'MRR': ", "'rhs': "),
    ),
    scan=_scan,
).reader
