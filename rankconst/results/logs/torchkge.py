"""What TorchKGE's ``print_results`` prints: raw and filtered values on one line.

Hits and MRR of one print are rounded to the same number of decimals, without trailing zeros: these
are restored as far as a neighbour shows them. The mean rank is cut to a whole number, so 400 means
400 to 401.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import replace

from rankconst.results.logs.lines import VALUE, Found, LogFormat, pad_decimals, rule


def _restore(found: list[Found]) -> list[Found]:
    # A print ends with the line of its MRR.
    ends = sorted({each.line for each in found if each.name == "MRR"})
    prints = [bisect_left(ends, each.line) for each in found]
    decimals = dict.fromkeys(prints, 0)
    for number, each in zip(prints, found, strict=True):
        fraction = each.text.partition(".")[2]
        if each.name != "Mean Rank" and fraction.isdecimal():
            decimals[number] = max(decimals[number], len(fraction))
    restored = []
    for number, each in zip(prints, found, strict=True):
        meant = pad_decimals(each.text, decimals[number])
        if each.name == "Mean Rank":
            # Half a unit of the last decimal is open already: together, 400 to 401.
            meant = f"{each.text}.5 ± 0.45" if each.text.isdecimal() else ""
        restored.append(replace(each, meant=meant))
    return restored


READER = LogFormat(
    key="torchkge",
    tool="torchkge",
    values=rule(
        r"(?:^|\s)(?P<protocol>Filt\. )?(?P<name>Hit@\d{1,9}|Mean Rank|MRR) :" + VALUE,
        "Hit@",
        "Mean Rank",
        "MRR",
    ),
    sign=rule(r"(?:^|\s)Filt\. (?:Hit@\d{1,9}|Mean Rank|MRR) : ", "Filt. "),
    tests=True,
    sides={None: None},  # it prints the same of relations
    protocols={None: "raw", "Filt. ": None},
    refine=_restore,
).reader
