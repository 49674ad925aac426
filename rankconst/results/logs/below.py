"""What lines right below the last numbers of a log say of these: sorted settings, or a label in parentheses.

What is above numbers is about them; a line below may be about what was to follow. So it leaves numbers out that say
nothing of the kind themselves, rather than telling them.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from rankconst.catalogue.protocols import SPLITS
from rankconst.results.logs.labels import drop_stamp
from rankconst.results.logs.statements import take_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rankconst.results.logs.lines import Found

# How many lines are looked at, on either side of the last number.
_NEAR = 30
_LONGEST = 100
_SETTING = re.compile(r"[\s*•-]{0,9}+[A-Za-z][\w ./()@-]{0,40}+(?:[:=]|\s\|)\s{0,40}+\S[^\n]{0,80}")
_FEW_WORDS = 6
# What begins something else, of which the numbers would have come.
_ANNOUNCES = re.compile(
    r"^\s{0,9}(?:#|[=*-]{2})|(?::|\.\.|…)\s{0,9}$"
    r"|\b(?:evaluating|running(?! (?:average|mean))|start\w{0,3}|begin\w{0,4}|loading|saving|saved|testing|validating"
    r"|predicting(?! (?:head|tail))|training(?! (?:set|split|triples|data)))\b",
    re.IGNORECASE,
)
_TOLD = "line {}, below it, says {!r}: write what it is of above it"
# What numbers are told, where they say nothing of the kind.
_ADDED = {"rank_type", *(f"{split}_triples" for split in SPLITS)}


def leave_told_below(found: list[Found], text: str, read: Callable[[str], Mapping[str, str]]) -> list[Found]:
    """Leave out the last numbers of a log where a line right below says of other tasks; `read` reads such a line.

    How they break ties, and how many triples they are of, they are told.
    """
    if not found:
        return found
    last = found[-1].line
    lines = _list_lines(text, max(last - _NEAR, 1))
    block = _find_block(found, lines)
    apart = False
    for number in range(last + 1, min(last + _NEAR, max(lines)) + 1):
        line = drop_stamp(lines[number])
        setting = _SETTING.fullmatch(line) is not None
        apart = apart or not line.strip()
        if apart and not setting and line.strip():
            break
        if not line.strip():
            continue
        begins = re.split("[:=]", line)[0] if setting else line  # "status: running" begins nothing
        said = {} if len(line) > _LONGEST or _ANNOUNCES.search(begins) else _read(line, read, setting=setting)
        if not said and not setting:
            break
        found = [
            _leave(each, said, _TOLD.format(number, line.strip())) if each.line in block else each for each in found
        ]
    return found


def _list_lines(text: str, first: int) -> dict[int, str]:
    """Return the lines around the last number, from `first` on, by their numbers."""
    low, high, left = 0, len(text), first - 1  # `left`: how many line ends there are from `low` to the beginning of it
    while high - low > _FEW:
        middle = (low + high) // 2
        count = text.count("\n", low, middle)
        low, high, left = (low, middle, left) if count >= left else (middle, high, left - count)
    lines: dict[int, str] = {}
    for number in range(first - max(left, 0), first + 2 * _NEAR + 1):
        end = text.find("\n", low)
        lines[number] = text[low : end if end >= 0 else len(text)]
        if end < 0:
            break
        low = end + 1
    return {number: line for number, line in lines.items() if number >= first}


_FEW = 4096


def _find_block(found: list[Found], lines: Mapping[int, str]) -> set[int]:
    """Return the lines of the last numbers, up to another text, or to a metric that is there twice."""
    measured: dict[int, set[tuple[object, ...]]] = {}
    for each in found:
        measured.setdefault(each.line, set()).add((each.name, each.split, each.side, each.protocol))
    block, seen = set[int](), set[tuple[object, ...]]()
    for number in range(found[-1].line, min(lines) - 1, -1):
        own = measured.get(number)
        if own is None and _SETTING.fullmatch(drop_stamp(lines[number])) is None:
            break
        if own is not None and not seen.isdisjoint(own):
            break
        seen |= own or set()
        block |= {number} if own else set()
    return block


def _read(line: str, read: Callable[[str], Mapping[str, str]], *, setting: bool) -> dict[str, str]:
    """Return what a line says that is a setting or a label, and no sentence."""
    if not setting and len(line.split()) > _FEW_WORDS:
        return {}
    _, own, vague = take_settings(line)
    return dict(read(line)) | own | dict.fromkeys(("unclear",) if vague else (), line)


def _leave(found: Found, said: Mapping[str, str], why: str) -> Found:
    """Leave a number out if a line below says of its tasks what it does not say itself; a count of triples is told."""
    silent = {
        "split": found.split is None,
        "side": found.side in {None, "both"} and "side" not in found.said,
        "protocol": found.protocol is None and "filter" not in found.said,
    }
    usual = said.get("split", "test"), said.get("side", "both"), said.get("protocol") or said.get("filter", "filtered")
    other = zip(silent, usual, ("test", "both", "filtered"), strict=True)
    told = {role for role, each, plain in other if each != plain}
    told |= {key.removeprefix("missing ") for key in said if key.startswith("missing ")}
    tasks = "unclear" in said or ("task" in said and "task" not in found.said)
    added = {key: each for key, each in said.items() if key in _ADDED}
    leaves = tasks or any(silent[role] for role in told & silent.keys())
    return replace(found, said={**added, **found.said}, why=found.why or (why if leaves else ""))
