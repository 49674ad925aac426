"""The logs of Graph4KG: ``h,r->t  |MRR: 0.389 MR: 230.0 HITS@1: 0.283`` below ``valid result``.

``t,r->h`` ranks heads, ``h,r->t`` tails. Of the validation triples, only the share ``valid_percent`` is evaluated.
"""

from __future__ import annotations

import re
from dataclasses import replace

from rankconst.results.logs.lines import VALUE, Found, LogFormat, Rule, make_reader

_PART = "only {} of the validation triples are evaluated, as valid_percent says"


def _complete(found: list[Found]) -> list[Found]:
    """Give the numbers of a line the side before its first, and refuse what is of a part of the triples."""
    sides = {each.line: each.side for each in found if each.name == "MRR"}
    shares = [each.said.get("share") or "1.0" if each.split == "valid" else "1.0" for each in found]
    return [
        replace(each, side=sides.get(each.line), why="" if float(share) == 1 else _PART.format(share))
        for each, share in zip(found, shares, strict=True)
    ]


READER = make_reader(
    LogFormat(
        key="graph4kg",
        title="log of Graph4KG",
        values=Rule(
            ("t,r->h ", "h,r->t ", "average "),
            re.compile(
                r"(?:(?P<side>t,r->h|h,r->t|average) +\||(?<=\d ))(?P<name>MRR|MR|HITS@\d{1,9}):" + VALUE, re.ASCII
            ),
        ),
        headings=(
            Rule((" result -",), re.compile(r"-{3,} (?P<split>valid|test) result -{3,}")),
            Rule(("step: ",), re.compile(r"\bstep: (?P<step>\d{1,12}),", re.ASCII)),
            Rule(("model_name",), re.compile(r"\bmodel_name\s*:(?P<model>\S{1,100})")),
            Rule(("filter_eval",), re.compile(r"\bfilter_eval\s*:(?P<protocol>True|False)")),
            Rule(("valid_percent",), re.compile(r"\bvalid_percent\s*:(?P<share>\d(?:\.\d{1,9})?)\s*$", re.ASCII)),
        ),
        exact=True,
        sides={"t,r->h": "head", "h,r->t": "tail", "average": "both", None: "both"},
        protocols={"True": None, "False": "raw", None: None},
        refine=_complete,
    )
)
