"""Put the commands together with Typer, for help and for what only it reads of a command line."""

from __future__ import annotations

import functools
import inspect
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer
from typer.core import TyperCommand, TyperGroup

from rankconst.cli.options import explain_option, names_file
from rankconst.cli.plain import COMMANDS, COMPLETION, JSON, find_command, import_command
from rankconst.errors import UsageError
from rankconst.version import describe_versions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from rankconst.cli.options import Parameter


# Typer has no name for what its errors about the command line share.
_TypedWrong: Any = typer.BadParameter.__base__

# A negative value must not be taken for an option.
_SETTINGS = {"adjust": {"ignore_unknown_options": True}}

_EVERYTHING = "--help-all"

# What people type first to what does it.
_MEANT = {
    **{
        word: f"show {word}"
        for word in ("datasets", "metrics", "protocols", "tools", "baselines", "aggregations")
    },
    **{command.split()[1]: command for command in COMMANDS if " " in command},
    **dict.fromkeys(("lint", "identify", "validate"), "check FILE"),
    **dict.fromkeys(("plot", "draw"), "adjust FILE --out figure.svg"),
    **dict.fromkeys(("list", "info"), "show"),
    **dict.fromkeys(("cite", "citation"), "show --cite"),
    "version": "--version",
}


class _Command(TyperCommand):
    """A command with ``--json`` for ``--format json``.

    It may have options that only ``--help-all`` lists.
    """

    def get_params(self, ctx: Any) -> list[Any]:  # types of click, which typer renames
        return _prepare_params(super().get_params(ctx))

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        own = args[: args.index("--")] if "--" in args else args
        if _EVERYTHING in own:
            params: list[Any] = self.params  # options and arguments: both can be hidden
            for param in params:
                param.hidden = False
            args = ["--help"]
        elif "--json" in own:
            place = own.index("--json")
            args = [*args[:place], JSON, *args[place + 1 :]]
        return super().parse_args(ctx, args)


class _Plain:
    """Takes values as they are typed; to convert them, Typer imports pydantic, which takes long."""

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the value of an option or an argument, as Typer does: text or a path."""
        del ctx
        if param.multiple or param.nargs == -1:
            return [*value] if value is not None else ()
        is_path = param.type_descriptor.annotation is Path
        return Path(value) if is_path and isinstance(value, str) else value


def _prepare_params(params: list[Any]) -> list[Any]:
    """Show no types of Python, and convert no values.

    A flag takes no value, and an argument has its own name.
    """
    for param in params:
        if getattr(param, "_runtime_param", param) is None:
            param._runtime_param = _Plain()
        if getattr(param, "is_flag", False):
            param.metavar = ""
        elif param.param_type_name == "argument":
            param.display_type_rich = lambda **_: ""
    return params


class _Group(TyperGroup):
    """A group of commands."""

    def get_params(self, ctx: Any) -> list[Any]:
        # --install-completion does what --show-completion shows.
        params = [each for each in super().get_params(ctx) if each.name != "show_completion"]
        return _prepare_params(params)


def make_app(commands: Iterable[str] = COMMANDS) -> typer.Typer:
    """Return the program with some of its commands; the modules of the others are not imported."""
    settings = {"help_option_names": ["-h", "--help"]}
    app = typer.Typer(
        name="rankconst", cls=_Group, pretty_exceptions_enable=False, context_settings=settings
    )
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
            context_settings=_SETTINGS.get(command),
            epilog="--help-all lists rare options, too.",
        )
        add(_declare(function))
    if group.registered_commands:
        app.add_typer(group, name="tables")
    return app


def _declare(function: Callable[..., int | None]) -> Callable[..., int | None]:
    """Return the function of a command with its parameters as Typer declares them."""

    @functools.wraps(function)
    def declared(**values: Any) -> int | None:
        return function(**values)

    signature = inspect.signature(function, eval_str=True)
    parameters = []
    for described in signature.parameters.values():
        kind, parameter = get_args(described.annotation)
        parameters.append(described.replace(annotation=Annotated[kind, _describe(parameter)]))
    declared.__annotations__ = {described.name: described.annotation for described in parameters}
    as_typer = signature.replace(parameters=parameters)
    setattr(declared, "__signature__", as_typer)  # noqa: B010 - no type of functions has it
    return declared


def _describe(parameter: Parameter) -> Any:
    """Return Typer's description of a parameter."""
    known: dict[str, Any] = {
        "metavar": parameter.metavar,
        "help": parameter.help,
        "hidden": parameter.hidden,
        "autocompletion": parameter.offer,
    }
    if parameter.names:
        return typer.Option(*parameter.names, **known)
    return typer.Argument(show_default=False, **known)


def _read_help(function: Callable[..., int | None]) -> str:
    """Return the help of a command, each paragraph on one line: terminals break them."""
    paragraphs = (inspect.getdoc(function) or "").split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(describe_versions())
        raise typer.Exit


def _root(
    _version: Annotated[
        bool,
        typer.Option(
            "--version", "-V", callback=_print_version, is_eager=True, help="Print the versions."
        ),
    ] = False,
) -> None:
    """Make MR, MRR and Hits@k comparable: adjust published numbers, look up the constants."""


def find_typed_call(typed: Sequence[str]) -> Callable[[], int | None]:
    """Return the call that Typer makes of a command line; modules of its command are imported.

    Most calls need not wait for what the other commands import.
    """
    named = typed
    if COMPLETION in os.environ:
        line = os.environ.get("COMP_WORDS") or os.environ.get("_TYPER_COMPLETE_ARGS", "")
        named = line.split()[1:]
    command = find_command(named)
    commands = [command] if command else [*COMMANDS]
    if not command and named[:1] == ["tables"]:
        commands = [each for each in COMMANDS if each.startswith("tables ")]
    app = make_app(commands)

    def call() -> int | None:
        try:
            code: int | None = app(typed, prog_name="rankconst", standalone_mode=False)
        except _TypedWrong as error:
            raise UsageError(_explain_typed(error)) from None
        return code

    return call


def _explain_typed(error: Any) -> str:
    """Explain what is wrong with a command line, and what to type instead."""
    # Pydantic's, in typer.
    message = str(error.format_message()).rstrip(".").replace("Value error, ", "")
    context = error.ctx
    word = sys.argv[1] if len(sys.argv) > 1 else ""
    at_top = context is not None and context.parent is None
    if message.startswith("No such command") and at_top and (meant := _guess_command(word)):
        return f"there is no command {word!r}. Did you mean `rankconst {meant}`?"
    if (name := getattr(error, "option_name", "")) and message.startswith("No such option"):
        message = explain_option(name, error.possibilities or ())
    path = f"rankconst {find_command(sys.argv[1:])}".rstrip()
    if context is not None:
        path = context.command_path
    end = "" if message.endswith(("?", ".")) else "."
    return f"{message[:1].lower()}{message[1:]}{end} See `{path} --help`."


def _guess_command(word: str) -> str:
    """Return the command that may be meant by another word; empty if nothing tells."""
    if word in _MEANT:
        return _MEANT[word]
    if names_file(word):
        return "adjust FILE"
    is_number = word.rstrip("%").replace(".", "", 1).isdigit()
    return f"adjust {word} --dataset KEY --metric mrr" if is_number else ""
