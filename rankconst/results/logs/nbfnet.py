"""The logs of NBFNet, those of TorchDrug and the PyTorch Geometric version alike: ``mrr: 0.415`` below a heading.

Values are printed to six significant digits without trailing zeros, which are restored. The step is the epoch in the
name of the evaluated checkpoint.
"""

from __future__ import annotations

import re
from dataclasses import replace

from rankconst.results.logs.lines import VALUE, LogFormat, Rule, make_reader, pad_digits

READER = make_reader(
    LogFormat(
        key="nbfnet",
        tool="nbfnet",
        values=Rule(
            ("mr: ", "mrr", "mr-", "hits@", "-to-"),
            re.compile(
                r"(?:^|\s)(?P<name>mrr|mr|hits@\d{1,9}(?:_\d{1,9})?|[1n]-to-[1n](?: head| tail)?)"
                r"(?:-(?P<side>head|tail))?:" + VALUE,
                re.ASCII,
            ),
        ),
        headings=(
            Rule(("'dataset': {",), re.compile(r"'dataset': \{'class': '(?P<dataset>[\w-]{1,100})'")),
            Rule(("Evaluate on ",), re.compile(r"\bEvaluate on (?P<split>train|valid|test)\s*$")),
            Rule(("model_epoch_",), re.compile(r"\bmodel_epoch_(?P<step>\d{1,12})\.pth", re.ASCII)),
        ),
        sign=Rule(("Evaluate on ",), re.compile(r"\bEvaluate on (?:train|valid|test)\s*$")),
        sides={None: "both", "head": "head", "tail": "tail"},
        unread=(
            (
                re.compile(r"hits@\d+_\d+"),
                "it is estimated from the rank among all candidates, as if some were drawn: its law under chance is "
                "neither that of the full rank nor that of a rank among sampled candidates",
            ),
            (
                re.compile(r"[1n]-to-[1n](?: head| tail)?"),
                "it is the MRR of the relations of one cardinality; rankconst.from_counts takes their candidates",
            ),
        ),
        refine=lambda found: [replace(each, meant=pad_digits(each.text, 6)) for each in found],
    )
)
