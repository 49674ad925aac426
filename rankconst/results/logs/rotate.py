"""The logs of RotatE and HAKE.

``2020-01-01 00:00:00 INFO     Test MRR at step 99999: 0.337000``, six decimals, both sides pooled. With
``--evaluate_train`` the results on train are printed as ``Test``: only the line above says so.
"""

from __future__ import annotations

import re
from dataclasses import replace

from rankconst.catalogue.protocols import SPLITS
from rankconst.results.logs.lines import VALUE, Found, LogFormat, Rule, make_reader


def _find_train(found: list[Found]) -> list[Found]:
    trained = (each.split == "test" and each.said.get("evaluated") == "Training" for each in found)
    return [replace(each, split="train") if train else each for each, train in zip(found, trained, strict=True)]


_COUNTS = tuple(
    Rule((f"#{split}: ", f"Num {split.title()}: "), re.compile(rf": (?P<{split}_triples>\d{{1,12}})\s*$", re.ASCII))
    for split in SPLITS
)

READER = make_reader(
    LogFormat(
        key="rotate",
        tool="rotate",
        values=Rule(
            ("Test ", "Valid "),
            re.compile(
                r"\b(?P<split>Test|Valid) (?P<name>[^\s|\"]{1,40}) at step (?P<step>\d{1,12}):" + VALUE,
                re.ASCII,
            ),
        ),
        headings=(
            Rule(("Evaluating on ",), re.compile(r"Evaluating on (?P<evaluated>Training|Valid|Test) Dataset")),
            Rule(("Model: ",), re.compile(r"\bModel: (?P<model>\S{1,100})\s*$")),
            *_COUNTS,
        ),
        sign=Rule(("Test ", "Valid "), re.compile(r"\b(?:Test|Valid) (?:MRR|MR|HITS@\d{1,9}|auc_pr) at step \d+:")),
        decimals=6,
        refine=_find_train,
    )
)
