"""Put the commands together, and turn errors into messages and exit codes."""

from __future__ import annotations

import errno
import inspect
import io
import os
import sys
from contextlib import suppress
from enum import Enum
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, get_args

import typer
from typer.core import TyperCommand, TyperGroup

from rankconst.cli.options import explain_option, names_file
from rankconst.cli.output import NOTICE
from rankconst.errors import (
    DataError,
    MissingExtraError,
    RankconstError,
    UsageError,
    explain_import,
    lacks_memory,
)
from rankconst.names import show_controls
from rankconst.version import describe_versions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence


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
            args = [*args[:place], "--format", "json", *args[place + 1 :]]
        return super().parse_args(ctx, args)


class _Plain:
    """Takes what was typed as it is.

    What needs more is converted by Typer with pydantic, which takes long to import.
    """

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the value of an option or an argument, as Typer does."""
        several, kind = param.multiple or param.nargs == -1, param.type_descriptor.annotation
        if value is None:
            return () if several else None
        found = (
            [_take(each, get_args(kind)[0]) for each in value] if several else [_take(value, kind)]
        )
        if None in found:
            param._runtime_param = None
            try:
                return param.get_runtime_param().coerce(value, param=param, ctx=ctx)
            finally:
                param._runtime_param = self
        return found if several else found[0]


def _take(value: Any, kind: type[Any]) -> Any:
    """Return an argument as a value of its kind; None if that needs more than a look."""
    if not isinstance(value, str):
        return value if isinstance(value, kind) else None
    if kind is str and value.isprintable():
        return value
    if not issubclass(kind, Enum):
        return None
    try:
        return kind(value)
    except ValueError:
        return None


def _prepare_params(params: list[Any]) -> list[Any]:
    """Show no types of Python, and convert no plain text.

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
        module, function = COMMANDS[command].split(":")
        *above, name = command.split()
        target = group if above else app
        called = getattr(import_module(f"rankconst.cli.{module}"), function)
        add = target.command(
            name,
            cls=_Command,
            help=_read_help(called),
            context_settings=_SETTINGS.get(command),
            epilog="--help-all lists rare options, too.",
        )
        add(called)
    if group.registered_commands:
        app.add_typer(group, name="tables")
    return app


def _read_help(command: Callable[..., None]) -> str:
    """Return the help of a command, each paragraph on one line: terminals break them."""
    paragraphs = (inspect.getdoc(command) or "").split("\n\n")
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


def prepare() -> typer.Typer:
    """Return the program with only the command that is called or completed.

    Most calls need not wait for what the other commands import.
    """
    typed = _read_arguments()
    if _COMPLETION in os.environ:
        line = os.environ.get("COMP_WORDS") or os.environ.get("_TYPER_COMPLETE_ARGS", "")
        typed = line.split()[1:]
    named = _find_command(typed)
    if not named and typed[:1] == ["tables"]:
        named = [command for command in COMMANDS if command.startswith("tables ")]
    return make_app(named or COMMANDS)


def _find_command(typed: Sequence[str]) -> list[str]:
    """Return the command that was typed; an empty list if it is none of ours."""
    return [
        command for command in COMMANDS if command.split() == list(typed[: len(command.split())])
    ]


def _read_arguments() -> list[str]:
    """Return the arguments, with every request for help in one form."""
    typed = sys.argv[1:]
    if typed[:1] == ["help"]:
        return [*typed[1:], "--help"]
    return typed if typed not in ([], ["tables"]) else [*typed, "--help"]


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
    path = " ".join(["rankconst", *_find_command(sys.argv[1:])])
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


# What may take more than a second without a word; builds and verifications tell their stages.
_LONGEST_NOTICE = 70  # letters, on one line of a terminal
_WORK = {"adjust": "adjusting", "compare": "comparing", "check": "checking", "show": "looking up"}


def _describe_work(typed: Sequence[str]) -> str:
    """Describe the work of a command, for its notice; empty for one with a notice of its own."""
    if not typed or typed[0] not in _WORK:
        return ""
    words = " ".join([_WORK[typed[0]], *typed[1:2]])
    return f"{show_controls(words)[:_LONGEST_NOTICE]} ..."


_COMPLETION = "_RANKCONST_COMPLETE"  # the variable by which shells ask for completions
_NO_READER = 128 + 13  # SIGPIPE, which Windows has not


def run(app: typer.Typer, interrupts: Sequence[int]) -> None:
    """Run the program and exit.

    Whatever fails on the way, interrupts included, is a line on stderr and a code.
    """
    _open_streams()
    NOTICE.start(_describe_work(sys.argv[1:]))
    # Libraries raise many things when they are interrupted or lack memory.
    try:
        try:
            code = app(_read_arguments(), prog_name="rankconst", standalone_mode=False) or 0
        finally:
            NOTICE.stop()
            sys.stdout.flush()
    except KeyboardInterrupt:
        code = 130
    except _TypedWrong as error:
        code = _fail(_explain_typed(error), UsageError.exit_code)
    except RankconstError as error:
        code = _fail(str(error), error.exit_code)
    except (BrokenPipeError, SystemExit) as stopped:
        # Typer exits with another code when the reader of a pipe is gone.
        if not isinstance(stopped, BrokenPipeError) and not isinstance(
            stopped.__context__, BrokenPipeError
        ):
            raise
        code = _NO_READER
    except Exception as error:
        if interrupts and not isinstance(error, OSError):
            code = 128 + interrupts[0]
        elif (explained := _explain(error)) is not None:
            code = _fail(*explained)
        else:
            raise
    _leave(code)


def _explain(error: Exception) -> tuple[str, int] | None:
    """Return a message and an exit code for an error of the system or a library; None for a bug."""
    if lacks_memory(error):
        return "there is not enough memory for that; give it less at once.", DataError.exit_code
    if isinstance(error, OSError):
        why = "standard output is closed" if error.errno == errno.EBADF else error.strerror or error
        unnamed = f"cannot write the output: {why}. Send it elsewhere."
        return f"{error.filename}: {why}." if error.filename else unnamed, DataError.exit_code
    if (explained := explain_import(error)) is not None:
        return explained, MissingExtraError.exit_code
    if isinstance(error, Warning):
        explained = (
            f"warnings are errors here, and a library warns: {error}. Unset PYTHONWARNINGS, or "
            "leave out -W."
        )
        return explained, UsageError.exit_code
    if _COMPLETION in os.environ:
        explained = (
            f"{_COMPLETION} is for shells, which also set COMP_WORDS and COMP_CWORD: {error!r}."
        )
        return explained, UsageError.exit_code
    return None


def _open_streams() -> None:
    """Make the streams usable.

    One that is closed is replaced, and a narrow encoding must not lose the numbers.

    What is printed to a standard output that is closed would be lost: its replacement cannot be
    written to.
    """
    for name, flags, mode in (
        ("stdin", os.O_RDONLY, "r"),
        ("stdout", os.O_RDONLY, "w"),
        ("stderr", os.O_WRONLY, "w"),
    ):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, flags), mode, encoding="utf-8"))
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


_HEAD, _TAIL = 4000, 2000  # A long message quotes its input in the middle; its end says what to do.


def _fail(message: str, code: int) -> int:
    message = show_controls(message)
    if len(message) > _HEAD + _TAIL:
        message = f"{message[:_HEAD]} [...] {message[-_TAIL:]}"
    lines = "\n".join(f"error: {line}" for line in message.splitlines())
    with suppress(OSError):
        print(lines, file=sys.stderr, flush=True)  # noqa: T201 - errors become text only here
    return code


def _leave(code: int) -> NoReturn:
    """Exit; give up output that could not be written, or Python would complain about it."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            with suppress(OSError, ValueError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    sys.exit(code)
