"""What OpenKE until 2018 and Fast-TransX print: lines of a side, ``left(filter) 85.3 0.465``, in blocks of four.

The numbers are mean rank, Hits@10 and, in OpenKE, Hits@3 and Hits@1 (thunlp/OpenKE base/Test.h, thunlp/Fast-TransX
transE/test_transE.cpp). Below its block, Fast-TransX prints another one under the type constraint, without a word.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rankconst.results.logs.lines import Found, LogFormat, Rule, make_reader, strip_colours
from rankconst.results.logs.openke import CONSTRAINED

if TYPE_CHECKING:
    from rankconst.results.document import Document

_LEFT = re.compile(r"^(left|right)(\(filter\))?[ \t]+(\d[\d.]*(?:[ \t]+\d[\d.]*)*)[ \t]*\r?$", re.MULTILINE | re.ASCII)
_OLD_NAMES = ("MR", "hit@10", "hit@3", "hit@1")


def _scan_left(document: Document, _: LogFormat) -> list[Found]:
    """Read lines of a side, ``left(filter) 85.3 0.465``, in blocks of four."""
    text = strip_colours(document.text)
    found: list[Found] = []
    line, counted, last, start = 1, 0, -1, 0
    constrained = False
    for match in _LEFT.finditer(text):
        line += text.count("\n", counted, match.start())
        counted = match.start()
        if line != last + 1 or (match[1], match[2]) == ("left", None):
            constrained, start = line == last + 1, line
        last, values = line, match[3].split()
        why = CONSTRAINED if constrained else ""
        if len(values) not in {2, 4}:
            why = f"{len(values)} numbers; mean rank and Hits@10, or these with Hits@3 and Hits@1, are known"
        side, protocol = ("head" if match[1] == "left" else "tail"), (None if match[2] else "raw")
        for name, value in zip(_OLD_NAMES, values, strict=False):
            found.append(Found(line, start, name, value, None, side, protocol, None, {}, why=why))
    return found


READER = make_reader(
    LogFormat(
        key="openke_old",
        title="output of OpenKE until 2018, and of Fast-TransX",
        tool="openke",
        values=Rule(("left(filter)",), re.compile(r"^left\(filter\)[ \t]+\d", re.MULTILINE)),
        scan=_scan_left,
    )
)
