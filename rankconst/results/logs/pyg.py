"""The output of PyTorch Geometric's KGE examples: ``Val Mean Rank: 200.25, Val MRR: 0.25``.

KGEModel.test ranks tails only, removes no known answers and counts ranks from 0
(examples/kge_fb15k_237.py), which the catalogue of tools knows.
"""

from __future__ import annotations

from rankconst.results.logs.lines import VALUE, LogFormat, rule

READER = LogFormat(
    key="pyg",
    tool="pyg",
    values=rule(
        r"(?:^|[\s,])(?P<split>Val|Test) (?P<name>Mean Rank|MRR|Hits@\d{1,9}):"
        + VALUE.replace(r"(?!\S)", r"(?=[\s,]|$)"),
        *("Mean Rank:", "MRR:", "Hits@"),
    ),
    headings=(rule(r"(?:^|\s)Epoch: (?P<step>\d{1,12}), ", "Epoch: "),),
    sign=rule(r"(?:^|[\s,])(?:Val|Test) Mean Rank: \d", "Mean Rank: "),
    sides={None: "tail"},
    protocols={None: "raw"},
).reader
