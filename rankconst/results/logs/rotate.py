"""The logs of RotatE and HAKE.

``2020-01-01 00:00:00 INFO     Test MRR at step 99999: 0.337000``, six decimals, both sides pooled.
With ``--evaluate_train`` the results on train are printed as ``Test``: only the line above says so.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from rankconst.catalogue.protocols import SPLITS
from rankconst.evaluation import Question
from rankconst.results.logs.lines import VALUE, LogFormat, LogNumber, rule


def _identify(number: LogNumber) -> tuple[object, ...]:
    """Return the metric and the evaluation of a number."""
    fields = number.fields
    return number.heading, fields["split"], number.name, fields["step"], fields.get("dataset")


def _settle(numbers: list[LogNumber]) -> list[LogNumber]:
    """Mark numbers of the training triples, and ask about names and metrics that come twice.

    Forks print the numbers of parts, such as relations of a kind, as those of the whole.
    """
    counts = Counter(_identify(number) for number in numbers)
    settled = []
    for number in numbers:
        fields, questions = number.fields, number.questions
        more = (fields.get("more") or "").strip(" .=-")
        if more:
            questions += (Question("part", more, more.lower(), "a line above"),)
        step = fields["step"]
        if number.heading and step and counts[_identify(number)] > 1:
            text = f"{number.name} again at step {step}"
            questions += (Question("part", text, step, "its line"),)
        settled.append(replace(number, questions=questions))
        if fields["split"] == "test" and fields.get("evaluated") == "Training":
            settled[-1] = settled[-1].say(split="train")
    return settled


READER = LogFormat(
    key="rotate",
    tool="rotate",
    values=rule(
        r"\b(?P<split>Test|Valid) (?P<name>[^\s|\"]{1,40}?)(?:_list)? at step (?P<step>\d{1,12}):"
        + VALUE,
        *("Test ", "Valid "),
    ),
    headings=(
        rule(
            r"Evaluating on (?P<evaluated>Training|Valid|Test) Dataset(?P<more>.{0,200})",
            "Evaluating on ",
        ),
        rule(r"\bModel: (?P<model>\S{1,100})\s*$", "Model: "),
        *(
            rule(rf": (?P<{split}_triples>\d{{1,12}})\s*$", f"#{split}: ", f"Num {split.title()}: ")
            for split in SPLITS
        ),
    ),
    sign=rule(
        r"\b(?:Test|Valid) (?:MRR|MR|HITS@\d{1,9}|auc_pr|(?:mrr|hits@\d{1,9})_list) at step \d+:",
        "Test ",
        "Valid ",
    ),
    decimals=6,
    refine=_settle,
).reader
