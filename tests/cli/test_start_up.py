"""What a command waits for before it begins: the modules it loads."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path


WITHOUT_PANDAS = """
import contextlib, io, sys

class Refusal:
    names = {"pandas", "numpy.ma"}

    def find_spec(self, name, path=None, target=None):
        assert name not in self.names, f"{name} was imported"

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
    "tables verify --dataset nations",
    "build graph.tsv graph.tsv graph.tsv --name mine",
):
    if arguments.startswith("build"):  # which looks for distinct numbers
        Refusal.names = {"pandas"}
    sys.argv = ["rankconst", *arguments.split()]
    with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
        rankconst.__main__.main()
rankconst.adjust('paper.csv'), rankconst.check('paper.csv'), rankconst.compare('paper.csv')
rankconst.adjust({'MRR': 0.5, 'Hits@10': 0.99}, dataset='nations')
rankconst.load().constants('nations', 'mrr').adjust([0.5, 0.6])
"""
PAPER = """\
model,dataset,MRR,Hits@10
TransE,Nations,0.403,0.975
TuckER,Nations,0.756,0.990
TuckER,FB15k-237,0.358,0.544
TuckER,WN18RR,0.470,0.526
"""


def test_nothing_waits_for_pandas_but_frames(tmp_path: Path) -> None:
    """Where pandas is installed, some of pyarrow's functions import it only to ask whether they
    were given a Series; numpy's `unique` imports masked arrays to ask the same.
    """
    (tmp_path / "paper.csv").write_text(PAPER)
    (tmp_path / "graph.tsv").write_text("a\tr\tb\nb\tr\tc\n")
    script = [sys.executable, "-c", WITHOUT_PANDAS]
    done = subprocess.run(script, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "was imported" not in done.stderr, done.stderr


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


@pytest.mark.parametrize(
    ("arguments", "most"),
    [("adjust 0.338 -d fb15k237 -m mrr", 36), ("adjust paper.csv", 66)],
)
def test_numbers_wait_for_few_modules(arguments: str, most: int, tmp_path: Path) -> None:
    """What reads other files, checks, or compares is loaded for no plain number."""
    (tmp_path / "paper.csv").write_text("model,dataset,MRR\nTuckER,FB15k-237,0.358\n")
    assert len(list_ours(list_loaded(arguments, tmp_path))) <= most


HEAVY = {"numpy", "pyarrow", "pandas", "rich", "typer"}


@pytest.mark.parametrize(
    "line",
    [
        *("adjust 0.338 -d fb15k237 -m mrr", "adjust 0.9 -d nations -m hits@10"),
        *("show fb15k237 mrr", "show nations", "show icews14_regcn mrr --side head"),
    ],
)
def test_a_number_waits_for_neither_arrays_nor_tables_nor_typer(line: str, tmp_path: Path) -> None:
    assert not list_loaded(line, tmp_path) & HEAVY


@pytest.mark.parametrize(
    ("words", "number"), [("adjust --help", 0), ("adjust -0.3 -dumls -mamrr --to=mrr", 2)]
)
def test_help_alone_waits_for_typer(words: str, number: int, tmp_path: Path) -> None:
    loaded = list_loaded(words, tmp_path)
    assert ("typer" in loaded) == (number == 0)
    assert "pydantic" not in loaded


def test_constants_in_python_wait_for_neither_arrays_nor_tables() -> None:
    script = "import sys, rankconst; rankconst.constants('umls', 'mrr'); print(*sys.modules)"
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert not {*done.stdout.split()} & HEAVY


def test_a_completion_waits_for_its_command_alone(tmp_path: Path) -> None:
    asked = {"COMP_WORDS": "rankconst adjust 0.338 --data", "COMP_CWORD": "3"}
    loaded = list_loaded("", tmp_path, _RANKCONST_COMPLETE="complete_bash", **asked)
    assert "rankconst.cli.adjust" in loaded
    assert not loaded & {"rankconst.cli.show", "rankconst.cli.check", "rankconst.cli.build"}


def test_names_of_datasets_are_completed_without_arrays_and_tables(tmp_path: Path) -> None:
    asked = {"COMP_WORDS": "rankconst\nadjust\n0.338\n--dataset\nfb", "COMP_CWORD": "4"}
    loaded = list_loaded("", tmp_path, _RANKCONST_COMPLETE="complete_bash", **asked)
    assert "rankconst.tables.archive" in loaded
    assert not loaded & HEAVY


def test_garbage_of_a_run_is_collected() -> None:
    """It is not looked for while modules are imported: a long run must not go on like that."""
    script = (
        "import gc, rankconst.__main__, rankconst.cli.run\n"
        "rankconst.cli.run.run = lambda *_: print(gc.isenabled())\n"
        "rankconst.__main__.main()"
    )
    command = [sys.executable, "-c", script, "adjust", "0.338"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"
