"""What is read without Typer is what Typer reads, and lines that are not plain are left to it."""

from __future__ import annotations

import functools
import inspect
import io
from contextlib import redirect_stdout
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any
from unittest import mock

import pytest
import typer
from hypothesis import given, settings
from hypothesis import strategies as st

from cli.test_start_up import list_parameters
from rankconst.cli import app, plain
from rankconst.cli.plain import COMMANDS, find_call, find_completion, list_declared

if TYPE_CHECKING:
    from collections.abc import Callable

    from cli.conftest import Run

WORDS = (
    *("0.338", "mrr=0.3", "fb15k237", "json", "JSON", "12", "no/such/file", "/", "a=", "=", ""),
    *("-", "--", "-0.3", "-x", "--no-such", "--json", "--help", "-h", "--help-all", "a\0b", "x\udcff"),
)  # fmt: skip


def list_words(command: str) -> list[str]:
    """Return words that mean something behind a command: each of its options in several forms."""
    names = plain._list_options(list_declared(plain.import_command(command)))
    forms = ["{}", "{}=", "{}=json", "{}x"]
    return [form.format(name) for name in names for form in forms] + [*WORDS]


def record(function: Callable[..., Any], calls: list[dict[str, Any]]) -> Callable[..., None]:
    """Return a function with the same parameters that records what it is called with."""
    parameters = inspect.signature(function).parameters
    defaults = {name: each.default for name, each in parameters.items()}

    @functools.wraps(function)
    def recording(**values: Any) -> None:
        calls.append({name: value or None for name, value in (defaults | values).items()})

    return recording


def call_typer(words: list[str]) -> None:
    """Let Typer read a command line; what it refuses fails the test."""
    with redirect_stdout(io.StringIO()):
        app.find_typed_call(words)()


@pytest.mark.parametrize("command", COMMANDS)
@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_plain_words_are_read_as_typer_reads_them(command: str, data: st.DataObject) -> None:
    words = command.split()
    words += data.draw(st.lists(st.sampled_from(list_words(command)), max_size=6))
    calls: list[dict[str, Any]] = []
    recording = record(plain.import_command(command), calls)
    with (
        mock.patch.object(plain, "import_command", lambda _: recording),
        mock.patch.object(app, "import_command", lambda _: recording),
    ):
        call = find_call(words)
        if call is None:
            return
        call()
        call_typer(words)
    ours, theirs = calls
    assert ours == theirs


@pytest.mark.skipif(not find_spec("typer._coercion"), reason="this Typer has no pydantic")
@pytest.mark.parametrize("command", COMMANDS)
def test_typer_takes_values_as_it_does_with_pydantic(command: str) -> None:
    program = typer.main.get_command(app.make_app([command]))
    ctx = typer.Context(program)
    values = ["a", "0.338", "0.5458 ± 0.0052", "", "12", "no/such/file", "/", None]
    for param in list_parameters(program):
        if not hasattr(param, "_runtime_param"):
            continue
        several = param.multiple or param.nargs == -1
        for value in [*values, param.get_default(ctx)]:
            if getattr(param, "is_flag", False) and isinstance(value, str):
                continue
            typed = (value, "b") if several and value is not None else value
            right = param.get_runtime_param().coerce(typed, param=param, ctx=ctx)
            assert app._Plain().coerce(typed, param, ctx) == right, (param.name, typed)


PLAIN = (
    "adjust 0.338 --dataset fb15k237 --metric mrr",
    "adjust mrr=0.3 hits@10=50% -d wn18rr -d nations --split valid --side tail --details",
    "adjust 97.5 -d nations -m hits@10 --tool=pykeen --percent --json",
    "adjust 0.5 --num-tasks 100 --protocol sampled:99 --metric mrr --format csv",
    "show fb15k237 mrr",
    "show wn18rr mrr,hits@10 --protocol all",
    "compare 0.533 0.544 -m hits@10 -d fb15k237",
    "check mr=470 amri=0.934",
)
WRONG = (
    "adjust 0.338 --dataset nosuch --metric mrr",
    "adjust 33.8 -d fb15k237 -m mrr",
    "show fb15k237 nosuch",
    "adjust 0.338 -d fb15k237 -m mrr -f nosuch",
)


@pytest.mark.parametrize("line", [*PLAIN, *WRONG])
def test_a_plain_line_prints_what_it_prints_through_typer(
    run: Run, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    assert find_call(line.split()) is not None
    ours = run(*line.split())
    monkeypatch.setattr("rankconst.cli.run.find_call", lambda _: None)
    assert run(*line.split()) == ours


@pytest.mark.parametrize(
    "line",
    [
        *("adjust -0.3", "adjust 0.3 --tool a --tool b", "adjust 0.3 --dataset", "adjust 0.3 -dwn18rr"),
        *("adjust 0.3 --help", "show a --nosuch", "compare", "nosuch", ""),
    ],
)  # fmt: skip
def test_what_is_not_plain_is_left_to_typer(line: str) -> None:
    assert find_call(line.split()) is None


BEFORE = (
    "--dataset",
    "-d",
    "--tool",
    "--details",
    "--format",
    "0.3",
    "fb15k237",
    "--nosuch",
    "--metric=mrr",
)


@settings(max_examples=60, deadline=None)
@given(
    command=st.sampled_from(["adjust", "show", "compare", "tables verify", "nosuch"]),
    before=st.lists(st.sampled_from(BEFORE), max_size=4),
    begun=st.sampled_from(["", "fb", "wn18", "h", "nosuch", "-", "--da", "FB15"]),
    between=st.sampled_from(["\n", " "]),
)
def test_bash_is_offered_what_typer_offers(
    command: str, before: list[str], begun: str, between: str
) -> None:
    words = ["rankconst", *command.split(), *before]
    asked = {"COMP_WORDS": between.join([*words, begun]), "COMP_CWORD": str(len(words))}
    with mock.patch.dict("os.environ", {plain.COMPLETION: "complete_bash", **asked}):
        offered = find_completion()
        if offered is None:
            return
        with redirect_stdout(io.StringIO()) as ours:
            offered()
        with redirect_stdout(io.StringIO()) as theirs, pytest.raises(SystemExit):
            app.find_typed_call([])()
    assert ours.getvalue() == theirs.getvalue()
