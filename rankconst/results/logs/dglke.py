"""What DGL-KE prints: ``Test average MRR : 0.67`` for all processes, ``[0]Test average MR: 47.3`` for one.

Of several processes, each evaluates only a part of the triples. Older versions print the step behind the name:
``Test average MR at [9999/10000]: 48.06``.
"""

from __future__ import annotations

import re
from dataclasses import replace

from rankconst.results.logs.lines import VALUE, Found, LogFormat, Rule, make_reader

_PART = (
    "a process evaluates a part of the triples, and the mean over the processes is not printed for this split; "
    "evaluate with --num_proc 1, or take the lines below 'Test result'"
)


def _refuse_parts(found: list[Found]) -> list[Found]:
    # Processes are counted from 0: any other number means that there are several.
    parted = {each.split for each in found if each.said.get("process", "0") != "0"}
    return [
        replace(each, why=_PART) if each.split in parted and each.said.get("process") is not None else each
        for each in found
    ]


READER = make_reader(
    LogFormat(
        key="dglke",
        title="output of DGL-KE",
        tool="dglke",
        values=Rule(
            ("Test average ", "Valid average "),
            re.compile(
                r"(?:\[(?:proc )?(?P<process>\d{1,6})\]|(?<![\w\]]))(?P<split>Test|Valid) average "
                r"(?P<name>MRR|MR|HITS@\d{1,9})(?: at \[(?P<step>\d{1,12})/\d+\])? ?:" + VALUE,
                re.ASCII,
            ),
        ),
        headings=(Rule(("[Train](",), re.compile(r"\[Train\]\((?P<step>\d{1,12})/\d", re.ASCII)),),
        exact=True,
        refine=_refuse_parts,
    )
)
