"""What PyTorch Geometric's examples of knowledge graph embeddings print: ``Val Mean Rank: 200.25, Val MRR: 0.25``.

KGEModel.test ranks tails only, removes no known answers and counts ranks from 0 (examples/kge_fb15k_237.py), which the
catalogue of tools knows.
"""

from __future__ import annotations

import re

from rankconst.results.logs.lines import VALUE, LogFormat, Rule, make_reader

READER = make_reader(
    LogFormat(
        key="pyg",
        tool="pyg",
        values=Rule(
            ("Mean Rank:", "MRR:", "Hits@"),
            re.compile(
                r"(?:^|[\s,])(?P<split>Val|Test) (?P<name>Mean Rank|MRR|Hits@\d{1,9}):"
                + VALUE.replace(r"(?!\S)", r"(?=[\s,]|$)"),
                re.ASCII,
            ),
        ),
        headings=(Rule(("Epoch: ",), re.compile(r"(?:^|\s)Epoch: (?P<step>\d{1,12}), ", re.ASCII)),),
        sign=Rule(("Mean Rank: ",), re.compile(r"(?:^|[\s,])(?:Val|Test) Mean Rank: \d", re.ASCII)),
        sides={None: "tail"},
        protocols={None: "raw"},
    )
)
