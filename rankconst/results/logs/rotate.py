"""The logs of RotatE and HAKE.

``2020-01-01 00:00:00 INFO     Test MRR at step 99999: 0.337000``, six decimals, both sides pooled.
With ``--evaluate_train`` the results on train are printed as ``Test``: only the line above says so.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from rankconst.catalogue.protocols import SPLITS
from rankconst.evaluation import Question
from rankconst.results.logs.lines import VALUE, Found, LogFormat, rule


def _tell_apart(found: Found) -> tuple[object, ...]:
    return (
        found.heading,
        found.split,
        found.name,
        found.declared["step"],
        found.declared.get("dataset"),
    )


def _settle(found: list[Found]) -> list[Found]:
    """Mark numbers of the training triples, and ask about names and metrics that come twice.

    Forks print the numbers of parts, such as relations of a kind, as those of the whole.
    """
    again, settled = Counter(_tell_apart(each) for each in found), list[Found]()
    for each in found:
        train = each.split == "test" and each.declared.get("evaluated") == "Training"
        questions, more = each.questions, (each.declared.get("more") or "").strip(" .=-")
        if more:
            questions += (Question("part", more, more.lower(), "a line above"),)
        if each.heading and again[_tell_apart(each)] > 1 and (step := each.declared["step"]):
            questions += (Question("part", f"{each.name} again at step {step}", step, "its line"),)
        settled.append(replace(each, split="train" if train else each.split, questions=questions))
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
