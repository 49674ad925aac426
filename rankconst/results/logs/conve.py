"""What ConvE and TuckER print, and tools made after them.

ConvE's ``left`` predicts tails, ``right`` heads (``evaluation.py``: the first prediction ranks the
tail entity ``e2`` and is counted as left); in KG-BERT, which prints the same lines, ``left`` is
where heads are corrupted. ConvE's ``Mean rank: {0} 188.8`` comes from a message that was never
filled in. TuckER counts the triples of both directions.
"""

from __future__ import annotations

from dataclasses import replace

from rankconst.results.logs.lines import VALUE, Found, LogFormat, rule

_WHICH_SIDES = "left and right are head and tail in some tools, tail and head in others"


def _find_tool(found: list[Found]) -> list[Found]:
    """Tell ConvE from others that tell the sides apart, by its headings and its unfilled message.

    The sides of others are not read, with the reason: which is which is not known.
    """
    if all(each.side == "both" for each in found):
        return found
    if any(each.tool == "conve" or each.declared.get("unfilled") for each in found):
        return [replace(each, tool=each.tool or "conve") for each in found]
    return [each if each.side == "both" else replace(each, why=_WHICH_SIDES) for each in found]


READER = LogFormat(
    key="conve",
    values=rule(
        r"(?:^|\s)(?P<name>Hits(?=[ a-z]* @)|Mean rank|Mean reciprocal rank)"
        r"(?: (?P<side>left|right))?(?: @(?P<k>\d{1,9}))?:(?P<unfilled> \{0\})?" + VALUE,
        *("Hits ", "Mean r"),
    ),
    headings=(
        rule(r"(?:^|\s)(?P<split>dev|test)_evaluation\s*$", "_evaluation", tool="conve"),
        rule(r"COMPLETED EPOCH: (?P<step>\d{1,12})", "COMPLETED EPOCH"),
        rule(r"^(?P<split>Validation|Test):\s*$", "Validation:", "Test:", tool="tucker"),
        rule(r"^Number of data points: (?P<num_tasks>\d{1,12})\s*$", "Number of data points: "),
        rule(r"\bEvaluated (?P<num_tasks>\d{1,12})(?: samples\.)?\s*$", "Evaluated "),
    ),
    sign=rule(r"(?:^|\s)Hits (?:left |right )?@\d{1,9}: ", "Hits "),
    exact=True,
    sides={None: "both", "left": "tail", "right": "head"},
    refine=_find_tool,
).reader
