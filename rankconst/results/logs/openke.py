"""What OpenKE prints: a table of both sides and their mean, raw and filtered.

``l`` predicts heads, ``r`` tails. Its ``type constraint results`` rank among fewer candidates, and relation prediction
prints a similar table without ``l`` and ``r``, which may as well have been cut off: neither is adjusted. Sums are kept
in 32 bits, so the last of the six decimals of a mean rank are uncertain.
"""

from __future__ import annotations

import re
from dataclasses import replace

from rankconst.results.logs.lines import Found, LogFormat, Rule, make_reader

CONSTRAINED = (
    "under the type constraint only entities of the relation's type are ranked; "
    "rankconst.from_counts takes the counts of such candidates"
)
_RELATIONS = (
    "a table without l and r lines is of relation prediction: adjust its values one by one with --side relation"
)


def _refuse_other_candidates(found: list[Found]) -> list[Found]:
    sided = {each.heading for each in found if each.side != "both"}

    def judge(each: Found) -> str:
        return CONSTRAINED if each.said.get("constraint") == "" else _RELATIONS * (each.heading not in sided)

    return [replace(each, why=each.why or judge(each)) for each in found]


READER = make_reader(
    LogFormat(
        key="openke",
        tool="openke",
        values=Rule(
            ("(raw)", "(filter)"),
            re.compile(r"(?:^|[\s#])(?P<side>l|r|averaged)\((?P<protocol>raw|filter)\):(?P<values>(?:[ \t]+[^\s|]+)*)"),
        ),
        headings=(
            Rule(("type constraint results:",), re.compile(r"(?P<constraint>(?:no )?)type constraint results:")),
            Rule(("metric",), re.compile(r"^[\s#>]*metric:?[ \t](?P<names>.*\b(?:MRR|MR|hit@\d{1,9})\b.*)")),
            Rule(("Files Path : ",), re.compile(r"Input Files Path : (?P<dataset>\S{1,300})")),
            Rule(
                ("The total of test triples is ",),
                re.compile(r"The total of test triples is (?P<test_triples>\d{1,12})", re.ASCII),
            ),
        ),
        tests=True,
        decimals=6,
        sides={"l": "head", "r": "tail", "averaged": "both"},
        protocols={"raw": "raw", "filter": None},
        refine=_refuse_other_candidates,
    )
)
