"""Put the commands together, and turn errors into messages and exit codes."""

from __future__ import annotations

import errno
import io
import os
import sys
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer
from typer.core import TyperCommand, TyperGroup

from rankconst.errors import DataError, MissingExtraError, RankconstError, UsageError, explain_import, lacks_memory
from rankconst.names import show_controls
from rankconst.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


COMMANDS = {
    "adjust": "adjust:adjust",
    "lint": "lint:lint",
    "identify": "identify:identify",
    "plot": "plot:plot",
    "compare": "compare:compare",
    "show": "show:show",
    "datasets": "datasets:list_datasets",
    "metrics": "catalogue:list_metrics",
    "protocols": "catalogue:list_protocols",
    "aggregations": "catalogue:list_aggregations",
    "baselines": "catalogue:list_baselines",
    "tools": "catalogue:list_tools",
    "build": "build:build",
    "release": "release:release",
    "export": "export:export",
    "site": "site:site",
    "verify": "verify:verify",
}
"""Command to the module of this package and the function in it, in the order of the help."""


_UsageError: Any = typer.BadParameter.__base__  # typer has no name for it

# A negative value must not be taken for an option; what `build` does not take, it has an answer to.
_SETTINGS = {
    "adjust": {"ignore_unknown_options": True},
    "plot": {"ignore_unknown_options": True},
    "build": {"allow_extra_args": True},
}

_PANELS = {
    "Which numbers": "dataset metric split side protocol tool aggregation relation num-tasks counts baseline",
    "How to read them": "input input-format percent decimal accept strict tables",
    "Output": "replace significance plain digits long columns format out force quiet help",
}
_PANEL_OF = {f"--{name}": panel for panel, names in _PANELS.items() for name in names.split()}


class _Command(TyperCommand):
    """A command whose help lists options in groups; those of one command only may have no group, and go first."""

    def get_params(self, ctx: Any) -> list[Any]:  # types of click, which typer renames
        params = _hide_types(super().get_params(ctx))
        panels = {
            param: param.rich_help_panel or next((_PANEL_OF[name] for name in param.opts if name in _PANEL_OF), "")
            for param in params
        }
        for param in filter(panels.get, params):
            param.rich_help_panel = panels[param]
        return sorted(params, key=lambda param: ["", *_PANELS].index(panels[param]))


def _hide_types(params: list[Any]) -> list[Any]:
    """Show no types of Python: a flag takes no value, and an argument has a name of its own."""
    for param in params:
        if getattr(param, "is_flag", False):
            param.metavar = ""
        elif param.param_type_name == "argument":
            param.display_type_rich = lambda **_: ""
    return params


class _Group(TyperGroup):
    """The program, whose errors show the control characters of what was typed."""

    def get_params(self, ctx: Any) -> list[Any]:
        return _hide_types(super().get_params(ctx))

    def make_context(self, *args: Any, **kwargs: Any) -> Any:
        with _showing_controls():
            return super().make_context(*args, **kwargs)

    def invoke(self, *args: Any) -> Any:
        with _showing_controls():
            return super().invoke(*args)


@contextmanager
def _showing_controls() -> Iterator[None]:
    try:
        yield
    except _UsageError as error:
        error.message = show_controls(error.message)
        raise


def make_app(commands: Iterable[str] = COMMANDS) -> typer.Typer:
    """Return the program with some of its commands; the modules of the others are not imported."""
    app = typer.Typer(
        name="rankconst",
        cls=_Group,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
        epilog="Exit codes: 0 ok, 1 bug, 2 usage, 3 extra missing, 4 unknown name, 5 download or hash, 6 bad data, "
        "7 verification mismatch, 8 asked, 130 interrupted, 141 output closed early, 143 asked to end.",
    )
    app.callback()(_root)
    for command in commands:
        module, function = COMMANDS[command].split(":")
        add = app.command(command, cls=_Command, context_settings=_SETTINGS.get(command))
        add(getattr(import_module(f"rankconst.cli.{module}"), function))
    return app


def _print_version(wanted: bool) -> None:
    if wanted:
        from rankconst.tables.tables import bundled_versions

        versions = ", ".join(bundled_versions()) or "none"
        typer.echo(f"rankconst {__version__} (tables {versions})")
        raise typer.Exit


def _root(
    _version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the versions and exit.")
    ] = False,
) -> None:
    """Make MR, MRR and Hits@k comparable: look up chance constants, adjust published numbers, build new tables."""


def prepare() -> typer.Typer:
    """Return the program with the command that was called; most calls need not wait for what the others import."""
    named = [word for word in sys.argv[1:2] if word in COMMANDS]
    return make_app(named or COMMANDS)


_COMPLETION = "_RANKCONST_COMPLETE"  # the variable by which shells ask for completions
_NO_MEMORY = "there is not enough memory for that; give it less at once."
_NO_READER = 128 + 13  # SIGPIPE, which Windows has not


def run(app: typer.Typer, interrupts: Sequence[int]) -> None:
    """Run the program and exit; whatever fails on the way, interrupts included, is a line on stderr and a code."""
    _open_streams()
    try:
        try:
            app(prog_name="rankconst")
        finally:
            sys.stdout.flush()
    except KeyboardInterrupt:
        code = 130
    except RankconstError as error:
        code = _fail(str(error), error.exit_code)
    except (BrokenPipeError, SystemExit) as stopped:
        if (found := _find_code(stopped)) is None:
            raise
        code = found
    except OSError as error:
        code = _fail(_tell(error), DataError.exit_code)
    except Exception as error:  # libraries raise many things when they are interrupted or lack memory
        if interrupts:
            code = 128 + interrupts[0]
        elif (told := _explain(error)) is not None:
            code = _fail(*told)
        else:
            raise
    else:
        return
    _leave(code)


def _find_code(stopped: BaseException) -> int | None:
    """Return our exit code where Typer has another one; None elsewhere."""
    if isinstance(stopped, BrokenPipeError) or isinstance(stopped.__context__, BrokenPipeError):
        return _NO_READER
    unknown = isinstance(stopped, SystemExit) and stopped.code == 1 and _COMPLETION in os.environ
    return UsageError.exit_code if unknown else None  # it knows no such shell, and says so


def _tell(error: OSError) -> str:
    """Return a message for what the system refuses; without a file's name, it is standard output."""
    if lacks_memory(error):
        return _NO_MEMORY
    why = "standard output is closed" if error.errno == errno.EBADF else error.strerror or error
    return f"{error.filename}: {why}." if error.filename else f"cannot write the output: {why}. Send it elsewhere."


def _explain(error: Exception) -> tuple[str, int] | None:
    """Return a message and an exit code for what a library raises of a bad machine; None for a bug."""
    if lacks_memory(error):
        return _NO_MEMORY, DataError.exit_code
    if (told := explain_import(error)) is not None:
        return told, MissingExtraError.exit_code
    if isinstance(error, Warning):
        told = f"warnings are errors here, and a library warns: {error}. Unset PYTHONWARNINGS, or leave out -W."
        return told, UsageError.exit_code
    if _COMPLETION in os.environ:
        told = f"{_COMPLETION} is for shells, which also set COMP_WORDS and COMP_CWORD: {error!r}."
        return told, UsageError.exit_code
    return None


def _open_streams() -> None:
    """Make the streams usable: one that is closed is replaced, and a narrow encoding must not lose the numbers.

    What is printed to a standard output that is closed would be lost: its replacement cannot be written to.
    """
    for name, flags, mode in (("stdin", os.O_RDONLY, "r"), ("stdout", os.O_RDONLY, "w"), ("stderr", os.O_WRONLY, "w")):
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
    with suppress(OSError):
        print("\n".join(f"error: {line}" for line in message.splitlines()), file=sys.stderr, flush=True)  # noqa: T201 - the one place where errors become text
    return code


def _leave(code: int) -> NoReturn:
    """Exit; what could not be written is given up, or Python would complain about it."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            with suppress(OSError, ValueError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    sys.exit(code)
