"""What a command waits for before it begins: the modules it loads, and how plain values are read
without pydantic.
"""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
import typer

from rankconst.cli.app import COMMANDS, _Plain, make_app
from rankconst.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("typer._coercion", reason="this Typer converts values without pydantic")

TYPED = (
    "a", "0.338", "0.5458 ± 0.0052", "", "json", "JSON", "12", "x\udcff", "a\0b", "no/such/file", "/",
)  # fmt: skip


def list_parameters(command: Any) -> list[Any]:
    """Return the parameters of a command and of those below it."""
    below = [
        param
        for each in getattr(command, "commands", {}).values()
        for param in list_parameters(each)
    ]
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
        values = (
            [(each, "b") for each in TYPED]
            if several
            else [*TYPED, *[True] * getattr(param, "is_flag", False)]
        )
        for value in (*values, () if several else None, param.get_default(ctx)):
            found = outcome(_Plain(), value, param, ctx)
            assert found == outcome(param.get_runtime_param(), value, param, ctx), (
                param.name,
                value,
            )


WITHOUT_PANDAS = """
import contextlib, io, sys

class Refusal:
    def find_spec(self, name, path=None, target=None):
        assert name not in {"pandas", "numpy.ma"}, f"{name} was imported"

sys.meta_path.insert(0, Refusal())
import rankconst.__main__

for arguments in (
    "adjust 0.975 -d nations -m hits@10 --tool pykeen",
    "adjust paper.csv --out adjusted.csv",
    "adjust paper.csv --details -f json",
    "check mr=470 amri=0.934",
    "check paper.csv",
    "compare paper.csv",
    "show datasets",
    "show fb15k237",
    "show nations mrr",
):
    sys.argv = ["rankconst", *arguments.split()]
    with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
        rankconst.__main__.main()
rankconst.adjust('paper.csv'), rankconst.check('paper.csv'), rankconst.compare('paper.csv')
rankconst.adjust({'MRR': 0.5, 'Hits@10': 0.99}, dataset='nations')
rankconst.load().constants('nations', 'mrr').adjust([0.5, 0.6])
"""
PAPER = "model,dataset,MRR,Hits@10\nTransE,Nations,0.403,0.975\nTuckER,Nations,0.756,0.990\n"


def test_nothing_waits_for_pandas_but_frames(tmp_path: Path) -> None:
    """Where pandas is installed, some of pyarrow's functions import it only to ask whether they
    were given a Series; numpy's `unique` imports masked arrays to ask the same.
    """
    (tmp_path / "paper.csv").write_text(PAPER)
    script = [sys.executable, "-c", WITHOUT_PANDAS]
    done = subprocess.run(script, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "pandas" not in done.stderr, done.stderr


def list_loaded(arguments: str, folder: Path, **variables: str) -> set[str]:
    """Return the modules that a command has loaded when it ends."""
    script = (
        "import sys, rankconst.__main__\n"
        "try: rankconst.__main__.main()\n"
        "finally: print(*sys.modules, file=sys.stderr)"
    )
    command = [sys.executable, "-c", script, *arguments.split()]
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stderr.splitlines()[-1].split())


def list_ours(loaded: set[str]) -> set[str]:
    return {name for name in loaded if name.startswith("rankconst.")}


def test_the_version_waits_for_nothing(tmp_path: Path) -> None:
    loaded = list_loaded("--version", tmp_path)
    heavy = {"typer", "numpy", "pyarrow", "rich", "json", "dataclasses"}
    assert not {name.partition(".")[0] for name in loaded} & heavy
    assert list_ours(loaded) == {"rankconst.__main__", "rankconst.cli", "rankconst.version"}


@pytest.mark.parametrize(
    ("arguments", "most"),
    [("adjust 0.338 -d fb15k237 -m mrr", 36), ("adjust paper.csv", 67)],
)
def test_numbers_wait_for_few_modules(arguments: str, most: int, tmp_path: Path) -> None:
    """What reads other files, checks, or compares is loaded for no plain number."""
    (tmp_path / "paper.csv").write_text("model,dataset,MRR\nTuckER,FB15k-237,0.358\n")
    assert len(list_ours(list_loaded(arguments, tmp_path))) <= most


@pytest.mark.parametrize("arguments", ["0.338 -d fb15k237 -m mrr", "0.9 -d nations -m hits@10"])
def test_a_number_waits_for_neither_arrays_nor_tables(arguments: str, tmp_path: Path) -> None:
    assert not list_loaded(f"adjust {arguments}", tmp_path) & {"numpy", "pyarrow", "pandas", "rich"}


def test_a_completion_waits_for_its_command_alone(tmp_path: Path) -> None:
    asked = {"COMP_WORDS": "rankconst adjust 0.338 --data", "COMP_CWORD": "3"}
    loaded = list_loaded("", tmp_path, _RANKCONST_COMPLETE="complete_bash", **asked)
    assert "rankconst.cli.adjust" in loaded
    assert not loaded & {"rankconst.cli.show", "rankconst.cli.check", "rankconst.cli.build"}


def test_names_of_datasets_are_completed_without_arrays_and_tables(tmp_path: Path) -> None:
    asked = {"COMP_WORDS": "rankconst adjust 0.338 --dataset fb", "COMP_CWORD": "4"}
    loaded = list_loaded("", tmp_path, _RANKCONST_COMPLETE="complete_bash", **asked)
    assert "rankconst.tables.archive" in loaded
    assert not loaded & {"numpy", "pyarrow", "pandas", "rich"}


def test_garbage_of_a_run_is_collected() -> None:
    """It is not looked for while modules are imported: a long run must not go on like that."""
    script = (
        "import gc, rankconst.__main__, rankconst.cli.app\n"
        "rankconst.cli.app.run = lambda *_: print(gc.isenabled())\n"
        "rankconst.__main__.main()"
    )
    command = [sys.executable, "-c", script, "adjust", "0.338"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"
