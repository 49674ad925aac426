"""Put the commands together with Typer, which shows their help and serves the shells."""

from __future__ import annotations

import inspect
import os
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from rankconst.cli.words import (
    COMMANDS,
    COMPLETION,
    EVERYTHING,
    find_command,
    import_command,
    list_parameters,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rankconst.cli.words import Declared, Function


def _show_no_types(params: list[Any]) -> list[Any]:
    """Hide the values of flags and the Python types of arguments from the help."""
    for param in params:
        if getattr(param, "is_flag", False):
            param.metavar = ""
        elif param.param_type_name == "argument":
            param.display_type_rich = lambda **_: ""
    return params


class _Command(TyperCommand):
    def get_params(self, ctx: Any) -> list[Any]:  # types of click, which typer renames
        return _show_no_types(super().get_params(ctx))


class _Group(TyperGroup):
    def get_params(self, ctx: Any) -> list[Any]:
        # --install-completion does what --show-completion shows.
        params = [each for each in super().get_params(ctx) if each.name != "show_completion"]
        return _show_no_types(params)


def make_app(commands: Sequence[str], *, everything: bool = False) -> typer.Typer:
    """Return the program with some of its commands, and with hidden options if `everything`."""
    app = typer.Typer(name="rankconst", cls=_Group, pretty_exceptions_enable=False)
    app.callback()(_root)
    group = typer.Typer(
        cls=_Group, help="Verify, release and show sets of tables, for those who publish them."
    )
    for command in commands:
        *above, name = command.split()
        target = group if above else app
        function = import_command(command)
        add = target.command(
            name,
            cls=_Command,
            help=_read_help(function),
            epilog=f"{EVERYTHING} lists rare options, too.",
        )
        add(_declare(function, everything=everything))

    if group.registered_commands:
        app.add_typer(group, name="tables")

    return app


def _declare(function: Function, *, everything: bool) -> Callable[..., None]:
    """Return a function that declares the parameters of a command for Typer."""

    def declared(**_: Any) -> None:
        """Do nothing: commands are not run from here."""

    parameters = []
    for parameter in list_parameters(function):
        kind = parameter.annotation
        default = parameter.default
        if default is ...:
            default = inspect.Parameter.empty
        elif parameter.is_repeatable:
            default = default or None

        parameters.append(
            inspect.Parameter(
                parameter.name,
                inspect.Parameter.KEYWORD_ONLY,
                default=default,
                annotation=Annotated[kind, _describe(parameter, everything=everything)],
            )
        )

    declared.__annotations__ = {each.name: each.annotation for each in parameters}
    as_typer = inspect.Signature(parameters)
    setattr(declared, "__signature__", as_typer)  # noqa: B010 - no type of functions has it
    return declared


def _describe(parameter: Declared, *, everything: bool) -> Any:
    """Return Typer's description of a parameter."""
    declaration = parameter.declaration
    known: dict[str, Any] = {
        "metavar": declaration.metavar,
        "help": declaration.help,
        "hidden": declaration.hidden and not everything,
        "autocompletion": declaration.offer,
    }
    if declaration.names:
        return typer.Option(*declaration.names, **known)
    return typer.Argument(show_default=False, **known)


def _read_help(function: Function) -> str:
    """Return the help of a command, with each paragraph on one line."""
    paragraphs = (inspect.getdoc(function) or "").split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


def _root(
    _version: Annotated[bool, typer.Option("--version", "-V", help="Print the versions.")] = False,
) -> None:
    """Make MR, MRR and Hits@k comparable: adjust published numbers, look up the constants."""


def find_typer_call(words: Sequence[str]) -> Callable[[], int | None]:
    """Return the call by which Typer shows help or answers a shell."""
    is_completing = COMPLETION in os.environ
    named = words
    if is_completing:
        # The shell has the line to complete in a variable: "rankconst adjust 0.3 -d fb".
        line = os.environ.get("COMP_WORDS") or os.environ.get("_TYPER_COMPLETE_ARGS", "")
        named = line.split()[1:]

    # The command that is named is enough: the others need not be imported.
    command = find_command(named)
    path, commands = command.split(), [command]
    if not command and named[:1] == ["tables"]:
        path, commands = ["tables"], [each for each in COMMANDS if each.startswith("tables ")]
    elif not command:
        commands = [*COMMANDS]

    app = make_app(commands, everything=EVERYTHING in words)
    if is_completing or words[:1] == ["--install-completion"]:
        return lambda: app(words, prog_name="rankconst", standalone_mode=False)
    return lambda: _print_help(app, path)


def _print_help(app: typer.Typer, path: Sequence[str]) -> None:
    """Print the help of the program, or of a group or command in it."""
    shown: Any = typer.main.get_command(app)
    context = typer.Context(shown, info_name="rankconst", help_option_names=["-h", "--help"])
    for name in path:
        if hasattr(shown, "commands"):  # Typer makes of one command the whole program
            shown = shown.commands[name]
        context = typer.Context(shown, info_name=name, parent=context)
    shown.format_help(context, context.make_formatter())
