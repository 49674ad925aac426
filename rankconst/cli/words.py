"""Read command lines: turn the words after a command into the arguments of its function.

Typer shows help and answers other shells than bash. It reads no command line itself: its import
takes longer than most commands.
"""

from __future__ import annotations

import functools
import inspect
import os
import re
from importlib import import_module
from types import UnionType
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, get_args, get_origin

from rankconst.cli.options import Parameter, explain_option, names_file
from rankconst.cli.output import print_text
from rankconst.errors import UsageError
from rankconst.version import describe_versions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    Call = Callable[[], int | None]
    Function = Callable[..., int | None]

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

EVERYTHING = "--help-all"
"""The option that lists rare options, too."""

HELP = {"-h", "--help", EVERYTHING}
"""The options that ask for help."""

# Words that people may type first, with the command that does it.
_LISTS = ("datasets", "metrics", "protocols", "tools", "baselines", "aggregations")
_MEANT = {word: f"show {word}" for word in _LISTS}
_MEANT |= {command.split()[1]: command for command in COMMANDS if " " in command}
_MEANT |= {
    **dict.fromkeys(("lint", "identify", "validate"), "check FILE"),
    **dict.fromkeys(("plot", "draw"), "adjust FILE --out figure.svg"),
    **dict.fromkeys(("list", "info"), "show"),
    **dict.fromkeys(("cite", "citation"), "show --cite"),
    "version": "--version",
}


def find_command(words: Sequence[str]) -> str:
    """Return the command that a line begins with, or nothing."""
    for command in COMMANDS:
        parts = command.split()
        if parts == list(words[: len(parts)]):
            return command
    return ""


def import_command(command: str) -> Function:
    """Import the module of a command, and return the function."""
    module, name = COMMANDS[command].split(":")
    function: Function = getattr(import_module(f"rankconst.cli.{module}"), name)
    return function


def find_call(words: Sequence[str]) -> Call | None:
    """Return the call that a command line asks for, or None for what Typer does, such as help."""
    before = words[: words.index("--")] if "--" in words else words
    command = find_command(words)
    names = before[1:] if before[:1] == ["tables"] else before
    is_known = bool(command) or not names or names[0].startswith("-")
    # A line without a command asks for help, but not one with an unknown command.
    asks_for_help = not HELP.isdisjoint(before) or words in ([], ["tables"])
    if (asks_for_help and is_known) or before[:1] == ["--install-completion"]:
        return None
    if before in (["--version"], ["-V"]):
        return lambda: print_text(describe_versions())
    if not command:
        return functools.partial(_refuse_command, words)

    function = import_command(command)
    return functools.partial(_call, command, function, words[len(command.split()) :])


def _call(command: str, function: Function, words: Sequence[str]) -> int | None:
    """Call the function of a command with the arguments in some words; return its exit code."""
    parameters = list_parameters(function)
    try:
        arguments = _gather(parameters, read_words(words, parameters))
    except UsageError as error:
        raise UsageError(f"{error} See `rankconst {command} --help`.") from None
    return function(**arguments)


# -- parameters ------------------------------------------------------------------------------------


class Group(NamedTuple):
    """A parameter whose fields are options."""

    name: str
    kind: type[Any]


class Declared(NamedTuple):
    """A parameter of a command, or a field of a group."""

    name: str
    declaration: Parameter
    annotation: Any
    group: Group | None = None

    @property
    def kind(self) -> Any:
        """The type of the value: text, a path, a truth value, or a list of text."""
        if get_origin(self.annotation) is UnionType:  # with None
            return get_args(self.annotation)[0]
        return self.annotation

    @property
    def is_repeatable(self) -> bool:
        """Whether it takes several values."""
        return get_origin(self.kind) is list

    @property
    def is_flag(self) -> bool:
        """Whether it is an option without a value."""
        return self.declaration.metavar is None

    @property
    def default(self) -> Any:
        """The default value, or ... if a value is required."""
        if self.declaration.default is None and self.annotation is bool:
            return False
        if self.declaration.default is None and self.is_repeatable:
            return []
        return self.declaration.default


def list_parameters(function: Callable[..., Any], group: Group | None = None) -> list[Declared]:
    """List the parameters of a command, with the fields of groups in their place."""
    parameters = []
    for name, parameter in inspect.signature(function, eval_str=True).parameters.items():
        kind, declaration = parameter.annotation, parameter.default
        if isinstance(declaration, Parameter):
            parameters.append(Declared(name, declaration, kind, group))
        else:
            parameters += list_parameters(kind, Group(name, kind))

    return parameters


def _gather(parameters: Iterable[Declared], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a command's function from typed values and defaults."""
    arguments: dict[str, Any] = {}
    fields_of: dict[Group, dict[str, Any]] = {}
    for parameter in parameters:
        value = values.get(parameter.name, parameter.default)
        if value is ...:
            names = parameter.declaration.names
            if names:
                raise UsageError(f"missing option {names[0]!r}.")
            raise UsageError(f"missing argument {parameter.declaration.metavar!r}.")

        if parameter.group is None:
            arguments[parameter.name] = value
        else:
            fields_of.setdefault(parameter.group, {})[parameter.name] = value

    for group, fields in fields_of.items():
        arguments[group.name] = group.kind(**fields)

    return arguments


# -- the words behind a command --------------------------------------------------------------------


def read_words(words: Iterable[str], parameters: Sequence[Declared]) -> dict[str, Any]:
    """Return the values of parameters in some words, by name.

    >>> from rankconst.cli.check import check
    >>> read_words(["mrr=0.5", "-d", "umls"], list_parameters(check))
    {'results': ['mrr=0.5'], 'dataset': ['umls']}
    """
    options = list_options(parameters)
    values: dict[str, Any] = {}
    rest = [*words]
    is_behind_dashes = False
    while rest:
        word = rest.pop(0)
        if word == "--" and not is_behind_dashes:
            is_behind_dashes = True
            continue
        # Neither "-", standard input, nor a negative number is an option.
        is_option = re.match(r"-[^\d.]", word) is not None
        if is_behind_dashes or not is_option:
            argument = find_argument(parameters, values)
            if argument is None:
                raise UsageError(f"{word} is one argument too many.")
            _put(values, argument, word)
            continue

        name, text = _split_option(word, options)
        option = options.get(name)
        if option is None:
            raise UsageError(explain_option(name, [*options]))
        if option.is_flag:
            if text is not None:
                raise UsageError(f"option {name!r} does not take a value.")
            values[option.name] = not name.startswith("--no-")
            continue

        if text is None:
            if not rest or rest[0] in options:
                raise UsageError(f"option {name!r} requires an argument.")
            text = rest.pop(0)

        _put(values, option, text)

    return values


def _split_option(word: str, options: Mapping[str, Declared]) -> tuple[str, str | None]:
    """Split ``--format=csv`` and ``-fcsv`` into name and value."""
    if word == "--json" and "--format" in options:
        return "--format", "json"
    if word.startswith("--"):
        name, sign, text = word.partition("=")
        return (name, text) if sign else (name, None)
    return word[:2], word[2:] or None


def _put(values: dict[str, Any], parameter: Declared, text: str) -> None:
    """Store a value: added to a list, or in place of an earlier one."""
    if parameter.is_repeatable:
        values.setdefault(parameter.name, []).append(text)
    else:
        values[parameter.name] = parameter.kind(text)


def list_options(parameters: Iterable[Declared]) -> dict[str, Declared]:
    """Return the options by all of their names."""
    return {
        name: parameter
        for parameter in parameters
        for names in parameter.declaration.names
        for name in names.split("/")
    }


def find_argument(parameters: Iterable[Declared], values: Mapping[str, Any]) -> Declared | None:
    """Return the argument for the next word, the first without a value or a list; else None."""
    for parameter in parameters:
        if not parameter.declaration.names and (
            parameter.is_repeatable or parameter.name not in values
        ):
            return parameter
    return None


def _refuse_command(words: Sequence[str]) -> NoReturn:
    """Refuse a line without a known command, and suggest one."""
    from difflib import get_close_matches

    first, *further = words
    group, meant = "", ""
    if first == "tables":
        group, first = " tables", further[0]
    else:
        meant = _guess_command(first)

    end = f" See `rankconst{group} --help`."
    if first.startswith("-"):
        raise UsageError(f"no such option: {first}.{end}")
    if meant:
        raise UsageError(f"there is no command {first!r}. Did you mean `rankconst {meant}`?")

    last_words = [command.split()[-1] for command in COMMANDS if bool(group) == (" " in command)]
    close = get_close_matches(first, last_words)
    guess = f" Did you mean {close[0]!r}?" if close else ""
    raise UsageError(f"no such command {first!r}.{guess}{end}")


def _guess_command(word: str) -> str:
    """Return the command that may be meant by another word, or nothing."""
    if word in _MEANT:
        return _MEANT[word]
    if names_file(word):
        return "adjust FILE"
    is_number = word.rstrip("%").replace(".", "", 1).isdigit()
    return f"adjust {word} --dataset KEY --metric mrr" if is_number else ""


# -- completion ------------------------------------------------------------------------------------

COMPLETION = "_RANKCONST_COMPLETE"
"""The variable by which shells ask for completions."""

_SPECIAL = "\"'\\="  # of quoting, and between the name of an option and its value


def find_completion() -> Call | None:
    """Return the call that answers bash if it asks for completions behind a command.

    Bash divides a plain line at blanks, as is done here. For a line with quotes and the like, its
    words are not known, and nothing is returned.
    """
    typed = os.environ.get("COMP_CWORD", "")
    if os.environ[COMPLETION] != "complete_bash" or not typed.isdecimal():
        return None

    line = os.environ.get("COMP_WORDS", "").replace("\n", " ")  # bash joins words by newlines
    if not line.isprintable() or any(sign in line for sign in _SPECIAL):
        return None

    words, cursor = line.split(), int(typed)
    command = find_command(words[1:])
    start = 1 + len(command.split())
    if not command or cursor < start:
        return None

    before = words[start:cursor]
    begun = words[cursor] if cursor < len(words) else ""
    parameters = list_parameters(import_command(command))
    return lambda: print_text("\n".join(list_offers(before, begun, parameters)))


def list_offers(before: Sequence[str], begun: str, parameters: Sequence[Declared]) -> list[str]:
    """List the completions of `begun`, given the words before it."""
    options = list_options(parameters)
    parameter = options.get(before[-1]) if before else None
    if parameter is None or parameter.is_flag:
        try:
            values = read_words(before, parameters)
        except UsageError:
            return []
        if begun.startswith("-"):
            names = [name for name, option in options.items() if not option.declaration.hidden]
            return [name for name in (*names, "--help") if name.startswith(begun)]
        parameter = find_argument(parameters, values)

    if parameter is None or parameter.declaration.offer is None:
        return []
    return parameter.declaration.offer(begun)
