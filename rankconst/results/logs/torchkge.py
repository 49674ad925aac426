"""The output of TorchKGE's ``print_results``: raw and filtered values on one line.

Hits and MRR of one print are rounded to the same number of decimals, without trailing zeros: these
are restored as far as a neighbour shows them. The mean rank is cut to a whole number, so 400 means
400 to 401.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import replace

from rankconst.results.logs.lines import VALUE, LogFormat, LogNumber, pad_decimals, rule


def _restore(numbers: list[LogNumber]) -> list[LogNumber]:
    """Restore trailing zeros, and the interval of a mean rank that was cut."""
    # A print ends with the line of its MRR.
    ends = sorted({number.line for number in numbers if number.name == "MRR"})
    print_of = [bisect_left(ends, number.line) for number in numbers]
    decimals = dict.fromkeys(print_of, 0)
    for place, number in zip(print_of, numbers, strict=True):
        fraction = number.text.partition(".")[2]
        if number.name != "Mean Rank" and fraction.isdecimal():
            decimals[place] = max(decimals[place], len(fraction))
    restored = []
    for place, number in zip(print_of, numbers, strict=True):
        text = pad_decimals(number.text, decimals[place])
        if number.name == "Mean Rank":
            # Half a unit of the last decimal is open already: together, 400 to 401.
            text = f"{number.text}.5 ± 0.45" if number.text.isdecimal() else ""
        restored.append(replace(number, restored=text))
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
