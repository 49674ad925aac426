"""The logs of pybind11-OpenKE, which goes on from OpenKE: ``INFO:Trainer:2024-05-19 16:26:31:mrr: 0.378``.

All splits are filtered, both sides pooled. Names that end in ``_type`` rank the entities of the relation's type only.
"""

from __future__ import annotations

import re

from rankconst.results.logs.lines import VALUE, LogFormat, Rule, make_reader
from rankconst.results.logs.openke import CONSTRAINED

_LEAD = r"\bINFO:(?:Trainer|Tester):[\d :.-]{8,30}:"

READER = make_reader(
    LogFormat(
        key="openke_torch",
        values=Rule(
            ("INFO:Trainer:", "INFO:Tester:"),
            re.compile(_LEAD + r"(?P<name>(?:mrr|mr|hits@\d{1,9})(?:_type)?):" + VALUE, re.ASCII),
        ),
        headings=(
            Rule(
                (" starts evaluati",),
                re.compile(
                    r"(?:Epoch (?P<step>\d{1,12}) \| )?The model starts evaluati(?:on on|ng in) the "
                    r"(?P<split>validation|test) set",
                    re.ASCII,
                ),
            ),
        ),
        unread=((re.compile(r".*_type"), CONSTRAINED),),
    )
)
