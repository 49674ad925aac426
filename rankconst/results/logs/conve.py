"""The output of ConvE and TuckER, and of tools made after them.

ConvE's ``left`` predicts tails, ``right`` heads (``evaluation.py``: the first prediction ranks the
tail entity ``e2`` and is counted as left); in KG-BERT, which prints the same lines, ``left`` is
where heads are corrupted. ConvE's ``Mean rank: {0} 188.8`` comes from a message that was never
filled in. TuckER counts the triples of both directions.
"""

from __future__ import annotations

from dataclasses import replace

from rankconst.results.logs.lines import VALUE, LogFormat, LogNumber, rule

_WHICH_SIDES = "left and right are head and tail in some tools, tail and head in others"


def _find_tool(numbers: list[LogNumber]) -> list[LogNumber]:
    """Mark the numbers of ConvE, known by its headings and its unfilled message, as its own.

    Other tools with a number for each side differ in which of them is left; these are refused.
    """
    if all(number.fields["side"] == "both" for number in numbers):
        return numbers
    tools = {number.fields.get("tool") for number in numbers}
    if "conve" in tools or any("unfilled" in number.fields for number in numbers):
        return [number.say(tool=number.fields.get("tool") or "conve") for number in numbers]
    judged = []
    for number in numbers:
        reason = number.reason if number.fields["side"] == "both" else _WHICH_SIDES
        judged.append(replace(number, reason=reason))
    return judged


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
