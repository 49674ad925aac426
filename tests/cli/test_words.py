"""Command lines are read as Typer would read the same declarations, and bash is answered alike."""

import functools
import io
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
import typer
from hypothesis import given, settings
from hypothesis import strategies as st

from cases import choose, for_each
from rankconst.cli import app
from rankconst.cli.words import (
    COMMANDS,
    COMPLETION,
    Declared,
    find_completion,
    import_command,
    list_options,
    list_parameters,
    read_words,
)
from rankconst.errors import UsageError

WORDS = (
    *("0.338", "mrr=0.3", "fb15k237", "json", "JSON", "12", "no/such/file", "/", "a=", "=", ""),
    *("-", "--", "--no-such", "a\0b", "x\udcff"),
)


def read(line: str, command: str = "adjust") -> dict[str, Any]:
    return read_words(line.split(), list_parameters(import_command(command)))


def test_words_are_values_and_options() -> None:
    line = "0.338 -0.2 -dumls --metric=mrr --details -- --odd"
    assert read(line) == {
        "values": ["0.338", "-0.2", "--odd"],
        "dataset": ["umls"],
        "metric": ["mrr"],
        "details": True,
    }
    assert read("--percent --no-percent --json -f csv") == {"percent": False, "format": "csv"}


@for_each(
    ("command", "line", "told"),
    [
        ("adjust", "0.3 --datset umls", "no such option: --datset. Did you mean --dataset?"),
        ("adjust", "-x", "no such option: -x."),
        ("adjust", "0.3 --metric", "option '--metric' requires an argument."),
        ("adjust", "0.3 --metric -d umls", "option '--metric' requires an argument."),
        ("adjust", "0.3 --details=yes", "option '--details' does not take a value."),
        ("tables site", "public", "public is one argument too many."),
        ("build", "--json", "no such option: --json."),
    ],
)
def test_a_word_that_fits_nowhere_is_refused(command: str, line: str, told: str) -> None:
    with pytest.raises(UsageError) as refused:
        read(line, command)
    assert str(refused.value) == told


def list_words(parameters: list[Declared]) -> list[str]:
    """Return words that mean something behind a command: each of its options in several forms."""
    forms = ["{}", "{}=", "{}=json", "{}x"]
    return [form.format(name) for name in list_options(parameters) for form in forms] + [*WORDS]


@functools.cache
def prepare(command: str) -> Any:
    """Return Typer's command."""
    program: Any = typer.main.get_command(app.make_app([command]))
    *above, name = command.split()
    for group in above:
        program = program.commands[group]
    return program.commands[name] if hasattr(program, "commands") else program


def read_by_typer(command: str, words: list[str]) -> dict[str, Any]:
    """Return what Typer reads; it leaves values as they are typed."""
    parsed = prepare(command)
    context = typer.Context(parsed, resilient_parsing=True)
    values, _, _ = parsed.make_parser(context).parse_args(args=[*words])
    flat = {key: value for key, value in values.items() if value not in (None, (), [])}
    return {key: [*v] if isinstance(v, tuple) else v for key, v in flat.items()}


@pytest.mark.parametrize("command", COMMANDS)
@settings(max_examples=choose(25, 60), deadline=None)
@given(data=st.data())
def test_words_are_read_as_typer_reads_them(command: str, data: st.DataObject) -> None:
    parameters = list_parameters(import_command(command))
    words = data.draw(st.lists(st.sampled_from(list_words(parameters)), max_size=6))
    try:
        ours = read_words(words, parameters)
    except UsageError:
        return
    kinds = {parameter.name: parameter.kind for parameter in parameters}
    theirs = read_by_typer(command, words)
    assert ours == {
        name: Path(value) if kinds[name] is Path else value for name, value in theirs.items()
    }


@settings(max_examples=choose(8, 20), deadline=None)
@given(
    before=st.lists(st.sampled_from(["0.3", "-d umls", "--tool pykeen", "--details"]), max_size=3),
    last=st.sampled_from(["", "--dataset", "-d", "--tool", "--format", "--to", "--counts"]),
    begun=st.sampled_from(["", "fb", "wn18", "h", "nosuch", "FB15"]),
    between=st.sampled_from(["\n", " "]),
)
def test_bash_is_offered_what_typer_offers(
    before: list[str], last: str, begun: str, between: str
) -> None:
    words = f"rankconst adjust {' '.join(before)} {last}".split()
    asked = {"COMP_WORDS": between.join([*words, begun]), "COMP_CWORD": str(len(words))}
    with mock.patch.dict("os.environ", {COMPLETION: "complete_bash", **asked}):
        call = find_completion()
        assert call is not None
        with redirect_stdout(io.StringIO()) as ours:
            call()
        with redirect_stdout(io.StringIO()) as theirs, pytest.raises(SystemExit):
            app.find_typer_call([])()
    assert ours.getvalue().strip() == theirs.getvalue().strip()
