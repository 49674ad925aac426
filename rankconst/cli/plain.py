"""Command lines of plain words, read without Typer, whose import takes longer than most of them.

Nothing is refused here. What takes more than a look is left to Typer, such as an unknown option,
one that is given twice, a wrong value, or a request for help.
"""

from __future__ import annotations

import functools
import inspect
import os
from importlib import import_module
from types import UnionType
from typing import TYPE_CHECKING, Any, NamedTuple, get_args, get_origin

from rankconst.cli.output import print_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from rankconst.cli.options import Offer, Parameter

COMMANDS = {
    "adjust": "adjust:adjust",
    "compare": "compare:compare",
    "check": "check:check",
    "show": "show:show",
    "build": "build:build",
    "tables verify": "tables:verify",
    "tables release": "tables:release",
    "tables site": "tables:site",
}
"""Command to the module of this package and the function in it, in the order of the help."""

JSON = "--format=json"
"""What --json is short for."""


def find_command(words: Sequence[str]) -> str:
    """Return the command that a line begins with; empty if it is none of ours."""
    for command in COMMANDS:
        parts = command.split()
        if parts == list(words[: len(parts)]):
            return command
    return ""


def import_command(command: str) -> Callable[..., int | None]:
    """Import the module of a command, and return its function."""
    module, function = COMMANDS[command].split(":")
    found: Callable[..., int | None] = getattr(import_module(f"rankconst.cli.{module}"), function)
    return found


def find_call(words: Sequence[str]) -> Callable[[], int | None] | None:
    """Return the call of a command's function; None for a line that is not plain."""
    command = find_command(words)
    if not command:
        return None
    function = import_command(command)
    values = read_words(words[len(command.split()) :], list_declared(function))
    return None if values is None else functools.partial(function, **values)


class Declared(NamedTuple):
    """A parameter of a command's function: how it is typed, and what the function takes."""

    name: str
    declaration: Parameter
    kind: type[Any]  # of one value: text, a path or, of a flag, a truth value
    is_repeatable: bool
    is_required: bool

    @property
    def is_flag(self) -> bool:
        """True for an option without a value."""
        return self.declaration.metavar is None

    def take(self, text: str) -> Any:
        """Return the value of what was typed; None for what may be an option."""
        return None if text.startswith("-") else self.kind(text)


def list_declared(function: Callable[..., Any]) -> list[Declared]:
    """List the parameters of a command's function."""
    declared = []
    for name, described in inspect.signature(function, eval_str=True).parameters.items():
        kind, parameter = get_args(described.annotation)
        if get_origin(kind) is UnionType:  # with None
            kind = get_args(kind)[0]
        is_repeatable = get_origin(kind) is list
        if is_repeatable:
            kind = get_args(kind)[0]
        is_required = described.default is described.empty
        declared.append(Declared(name, parameter, kind, is_repeatable, is_required))
    return declared


def read_words(words: Iterable[str], declared: Sequence[Declared]) -> dict[str, Any] | None:
    """Return what the words behind a command give its function; None if they are not plain."""
    options = _list_options(declared)
    values: dict[str, Any] = {}
    rest = iter(words)
    for word in rest:
        name, sign, text = (JSON if word == "--json" else word).partition("=")
        if not word.startswith("-"):
            target = _find_argument(declared, values)
            value = None if target is None else target.take(word)
        else:
            target = options.get(name)
            value = _read_option(target, name, text if sign else None, rest)
        if target is None or value is None:
            return None
        if target.is_repeatable:
            values.setdefault(target.name, []).append(value)
        elif target.name in values:
            return None
        else:
            values[target.name] = value
    if any(parameter.is_required and parameter.name not in values for parameter in declared):
        return None
    return values


def _read_option(option: Declared | None, name: str, text: str | None, rest: Iterator[str]) -> Any:
    """Return the value of an option, behind its name or in the next word; None if not plain."""
    if option is None or (text is not None and not name.startswith("--")):
        return None
    if option.is_flag:
        return not name.startswith("--no-") if text is None else None
    return option.take(next(rest, "-") if text is None else text)


def _list_options(declared: Iterable[Declared]) -> dict[str, Declared]:
    """Return the options by each of their names, and of --yes/--no by both."""
    return {
        name: parameter
        for parameter in declared
        for names in parameter.declaration.names
        for name in names.split("/")
    }


def _find_argument(declared: Iterable[Declared], values: Mapping[str, Any]) -> Declared | None:
    """Return the argument that a further word is, behind those with values; None without one."""
    for parameter in declared:
        if not parameter.declaration.names and (
            parameter.is_repeatable or parameter.name not in values
        ):
            return parameter
    return None


# -- completion ------------------------------------------------------------------------------------

COMPLETION = "_RANKCONST_COMPLETE"
"""The variable by which shells ask for completions."""

_SPECIAL = "\"'\\="  # quotes, and between the name of an option and its value


def find_completion() -> Callable[[], None] | None:
    """Return what answers a shell that asks what completes a word; None for what is not plain."""
    line = os.environ.get("COMP_WORDS", "").replace("\n", " ")  # between words
    place = os.environ.get("COMP_CWORD", "")
    is_asked = os.environ[COMPLETION] == "complete_bash" and place.isdecimal()
    if not is_asked or not line.isprintable() or any(sign in line for sign in _SPECIAL):
        return None
    words = line.split()
    before = words[1 : int(place)]
    behind = words[int(place) :]
    begun = behind[0] if behind else ""
    command = find_command(before)
    if not command or begun.startswith("-"):
        return None
    declared = list_declared(import_command(command))
    offer = _find_offer(before[len(command.split()) :], declared)
    return None if offer is None else lambda: print_text("\n".join(offer(begun)))


def _find_offer(before: Sequence[str], declared: Sequence[Declared]) -> Offer | None:
    """Return what completes the word behind others; None where that is not plain."""
    options = _list_options(declared)
    last = options.get(before[-1]) if before else None
    if last is not None and not last.is_flag:
        return last.declaration.offer
    values = read_words(before, [parameter._replace(is_required=False) for parameter in declared])
    argument = None if values is None else _find_argument(declared, values)
    return None if argument is None else argument.declaration.offer
