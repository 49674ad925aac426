"""The output of OpenKE: a table of both sides and their mean; and the logs of pybind11-OpenKE.

``l`` predicts heads, ``r`` tails. Its ``type constraint results`` rank among fewer candidates, and
relation prediction prints a similar table without ``l`` and ``r``, which may as well have been cut
off: neither is adjusted. Sums are kept in 32 bits, so the last of the six decimals of a mean rank
are uncertain.

pybind11-OpenKE, which goes on from it, logs ``INFO:Trainer:2024-05-19 16:26:31:mrr: 0.378``: all
splits are filtered, both sides pooled. Names that end in ``_type`` rank the entities of the
relation's type only.
"""

from __future__ import annotations

from dataclasses import replace

from rankconst.results.logs.lines import VALUE, LogFormat, LogNumber, rule

_CONSTRAINED = (
    "under the type constraint only entities of the relation's type are ranked; "
    "rankconst.from_counts takes the counts of such candidates"
)
_RELATIONS = (
    "a table without l and r lines is of relation prediction: adjust its values one by one with "
    "--side relation"
)


def _refuse_other_candidates(numbers: list[LogNumber]) -> list[LogNumber]:
    """Refuse the numbers of relation prediction, and those under the type constraint."""
    with_sides = {number.heading for number in numbers if number.fields["side"] != "both"}
    judged = []
    for number in numbers:
        reason = "" if number.heading in with_sides else _RELATIONS
        if number.fields.get("constraint") == "":
            reason = _CONSTRAINED
        judged.append(replace(number, reason=number.reason or reason))
    return judged


READER = LogFormat(
    key="openke",
    tool="openke",
    values=rule(
        (
            r"(?:^|[\s#])(?P<side>l|r|averaged)\((?P<protocol>raw|filter)\):"
            r"(?P<values>(?:[ \t]+[^\s|]+)*)"
        ),
        *("(raw)", "(filter)"),
    ),
    headings=(
        rule("(?P<constraint>(?:no )?)type constraint results:", "type constraint results:"),
        rule(r"^[\s#>]*metric:?[ \t](?P<names>.*\b(?:MRR|MR|hit@\d{1,9})\b.*)", "metric"),
        rule(r"Input Files Path : (?P<dataset>\S{1,300})", "Files Path : "),
        rule(
            r"The total of test triples is (?P<test_triples>\d{1,12})",
            "The total of test triples is ",
        ),
    ),
    tests=True,
    decimals=6,
    sides={"l": "head", "r": "tail", "averaged": "both"},
    protocols={"raw": "raw", "filter": None},
    refine=_refuse_other_candidates,
).reader


READER_TORCH = LogFormat(
    key="openke_torch",
    values=rule(
        r"\bINFO:(?:Trainer|Tester):[\d :.-]{8,30}:(?P<name>(?:mrr|mr|hits@\d{1,9})(?:_type)?):"
        + VALUE,
        *("INFO:Trainer:", "INFO:Tester:"),
    ),
    headings=(
        rule(
            r"(?:Epoch (?P<step>\d{1,12}) \| )?The model starts evaluati(?:on on|ng in) the "
            r"(?P<split>validation|test) set",
            " starts evaluati",
        ),
    ),
    refused={"_type": _CONSTRAINED},
).reader
