"""What a command waits for before it begins: the modules it loads, and how plain values are read without pydantic."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
import typer

from rankconst.cli.app import COMMANDS, _Plain, make_app
from rankconst.errors import UsageError

pytest.importorskip("typer._coercion", reason="this Typer converts values without pydantic")

TYPED = ("a", "0.338", "0.5458 ± 0.0052", "", "json", "JSON", "12", "x\udcff", "a\0b", "no/such/file", "/")


def list_parameters(command: Any) -> list[Any]:
    """Return the parameters of a command and of those below it."""
    below = [param for each in getattr(command, "commands", {}).values() for param in list_parameters(each)]
    return [*command.params, *below]


def outcome(convert: Any, value: Any, param: Any, ctx: Any) -> tuple[str, Any]:
    """Return what becomes of a value, or how it is refused."""
    try:
        return "taken", convert.coerce(value, param=param, ctx=ctx)
    except typer.BadParameter as error:
        return "refused", error.format_message()
    except UsageError as error:
        return "refused", str(error)
    except ValueError as error:  # a zero byte in a path
        return "failed", str(error)


@pytest.mark.parametrize("command", COMMANDS)
def test_plain_values_are_read_as_typer_reads_them(command: str) -> None:
    program = typer.main.get_command(make_app([command]))
    ctx = typer.Context(program)
    for param in list_parameters(program):
        if not hasattr(param, "_runtime_param"):
            continue
        several = param.multiple or param.nargs == -1
        values = [(each, "b") for each in TYPED] if several else [*TYPED, *[True] * getattr(param, "is_flag", False)]
        for value in (*values, () if several else None, param.get_default(ctx)):
            found = outcome(_Plain(), value, param, ctx)
            assert found == outcome(param.get_runtime_param(), value, param, ctx), (param.name, value)


def test_the_version_waits_for_nothing() -> None:
    script = (
        "import sys, rankconst.__main__\n"
        "try: rankconst.__main__.main()\n"
        "except SystemExit: pass\n"
        "print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", script, "--version"], capture_output=True, text=True, check=True)
    loaded = set(done.stderr.splitlines()[-1].split())
    heavy = {"typer", "numpy", "pyarrow", "rich", "json", "dataclasses"}
    assert not {name.partition(".")[0] for name in loaded} & heavy
    ours = {name for name in loaded if name.startswith("rankconst.")}
    assert ours == {"rankconst.__main__", "rankconst.cli", "rankconst.version"}
