"""The evaluation logs of SimKGC: ``forward metrics: {"mrr": 0.4251, ...}``.

There is a line for each side, and one for their mean. Forward ranks tails, backward heads. Values
are rounded to four decimals, without zeros at their end. Only the name of the file may tell the
split (evaluate.py).
"""

from __future__ import annotations

from functools import partial

from rankconst.results.logs.lines import LogFormat, pad_decimals, rule

READER = LogFormat(
    key="simkgc",
    tool="simkgc",
    values=rule(
        r"\b(?P<side>forward|backward|average|Averaged) metrics: (?P<pairs>\{.*)", " metrics: {"
    ),
    sign=rule(r"\b(?:forward|backward) metrics: \{[\"']mean_rank[\"']: ", " metrics: {"),
    in_json=True,
    sides={"forward": "tail", "backward": "head", "average": "both", "Averaged": "both"},
    restore=partial(pad_decimals, decimals=4),
).reader
