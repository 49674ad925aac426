"""What the settings of a program, as it prints them or is started with, say of the numbers below them in its log.

A setting holds until it is said again: a log may be of several runs. Above its first numbers a split, a side or a
protocol counts under its plain name; among numbers such a word may be a heading, which the lines themselves tell.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankconst.results.logs.lines import SETTINGS
from rankconst.results.tables.settings import find_pairs, tell_program, tell_setting

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

_CHOICES = ("split", "side", "protocol")
_SEVERAL = "the settings above it name {} {}: add --{}"


def tell_settings(text: str, lines: Sequence[int]) -> dict[int, Mapping[str, Any]]:
    """Return what settings say of the numbers on each of some lines, in ascending order.

    The protocol may be ``filtered``, which names none but is not raw. What two settings say in two ways is missing.
    """
    named = list(_list_settings(text, lines[0] if lines else None))
    whole: dict[str, dict[Any, None]] = {}
    for _, told, anywhere in named:
        for key, value in told.items() if anywhere else ():
            whole.setdefault(key, {})[value] = None
    # What is said once may be said below the numbers.
    state: dict[str, Any] = {key: next(iter(values)) for key, values in whole.items() if len(values) == 1}
    found: dict[int, Mapping[str, Any]] = {}
    place = 0
    for line in lines:
        first = place
        while place < len(named) and named[place][0] <= line:
            place += 1
        if place > first:
            own = _settle(told for _, told, _ in named[first:place])
            again = {key.removeprefix(_MISSING) for key in own}
            state = {key: value for key, value in state.items() if key.removeprefix(_MISSING) not in again} | own
        found[line] = state
    return found


_MISSING = "missing "


def _list_settings(text: str, first: int | None) -> Iterator[tuple[int, dict[str, Any], bool]]:
    """Yield the line of each setting that says something, what it says, and whether it does under that name anywhere.

    `first` is the line of the first number. The beginning is read whole; below it, what is named there is looked for.
    """
    line, counted, names = 1, 0, set[str]()
    for start, _, name, value in find_pairs(text, SETTINGS, names):
        anywhere = tell_setting(name, value, anywhere=True) or {}
        line += text.count("\n", counted, start)
        counted = start
        plain = first is None or line <= first or name in names
        told = anywhere or (tell_program(name, value) if plain else {})
        told = _rename(told)
        if told:
            names.add(name)
            yield line, told, bool(anywhere)


def _rename(told: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a setting says with ``filtered`` as a protocol, and each role that it leaves open on its own."""
    renamed = {"protocol" if key == "filtered" else key: said for key, said in told.items() if key != "missing"}
    return renamed | {f"{_MISSING}{role}": why for role, why in told.get("missing", ())}


def _settle(block: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return what the settings between two numbers say together."""
    values: dict[str, dict[Any, None]] = {}
    for told in block:
        for key, value in told.items():
            values.setdefault(key, {})[value] = None
    settled: dict[str, Any] = {}
    for key, each in values.items():
        ways = _join_protocols(list(each)) if key == "protocol" else list(each)
        if len(ways) > 1 and key in _CHOICES:
            settled[f"{_MISSING}{key}"] = _SEVERAL.format(key, " and ".join(ways), key)
        else:
            settled[key] = ways[-1]
    return settled


def _join_protocols(ways: list[str]) -> list[str]:
    """Return the protocols that settings name; what is sampled may be raw, and all but raw is filtered."""
    sampled = any(way.startswith("sampled:") for way in ways)
    rest = [way for way in ways if not (sampled and way == "raw")]
    return [way for way in rest if way != "filtered"] if {*rest} - {"raw", "filtered"} else rest
