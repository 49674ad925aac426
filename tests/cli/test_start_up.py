"""What a command waits for before it begins: the modules it loads."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

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


def run_python(script: str, *arguments: str, folder: Path, **variables: str) -> str:
    """Run a script in a process of its own, and return the last line that it prints."""
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        cwd=folder,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "was imported" not in done.stderr, done.stderr
    return done.stdout.splitlines()[-1] if done.stdout else ""


LIST_LOADED = """
import sys
from rankconst.__main__ import main
try:
    main()
finally:
    print("\\n", *sys.modules)
"""
HEAVY = {"numpy", "pyarrow", "pandas", "rich", "typer"}
READERS = ("rankconst.results", "rankconst.checks")
OTHERS = {
    *(
        "pydantic",
        "tomllib",
        "urllib.request",
        "rankconst_builder",
        "yaml",
        "scipy",
        "pandas",
        "pooch",
    ),
    *("requests", "matplotlib", "mpmath", "openpyxl", "rankconst.catalogue.benchmarks"),
    *("rankconst.catalogue.mentions", "rankconst.download"),
}


@pytest.mark.parametrize(
    "line",
    [
        *("adjust 0.338 -d fb15k237 -m mrr", "adjust -0.3 -dumls -mamrr --to=mrr"),
        "adjust mrr=0.338 -d fb15k237 -f json",
        *("show fb15k237 mrr", "show nations", "show icews14_regcn mrr --side head"),
    ],
)
def test_a_number_waits_for_neither_arrays_nor_tables_nor_typer(line: str, tmp_path: Path) -> None:
    loaded = run_python(LIST_LOADED, *line.split(), folder=tmp_path).split()
    assert "json" in line or not HEAVY & {*loaded}
    if line.startswith("adjust"):
        assert not OTHERS & {*loaded}
        assert not [name for name in loaded if name.startswith(READERS)]
    assert sum(name.startswith("rankconst.") for name in loaded) <= 36 or "adjust 0.3" not in line


def test_a_file_waits_for_few_modules(tmp_path: Path) -> None:
    """What reads other files, checks, or compares is not loaded."""
    (tmp_path / "paper.csv").write_text("model,dataset,MRR\nTuckER,FB15k-237,0.358\n")
    loaded = run_python(LIST_LOADED, "adjust", "paper.csv", folder=tmp_path).split()
    assert sum(name.startswith("rankconst.") for name in loaded) <= 66
    assert "typer" not in loaded


def test_help_waits_for_typer_and_not_for_pydantic(tmp_path: Path) -> None:
    loaded = run_python(LIST_LOADED, "adjust", "--help", folder=tmp_path).split()
    assert "typer" in loaded
    assert "pydantic" not in loaded


def test_constants_in_python_wait_for_neither_arrays_nor_tables(tmp_path: Path) -> None:
    script = "import sys, rankconst; rankconst.constants('umls', 'mrr'); print(*sys.modules)"
    assert not HEAVY & {*run_python(script, folder=tmp_path).split()}


@pytest.mark.parametrize("between", [" ", "\n"])
def test_a_completion_waits_for_its_command_alone(between: str, tmp_path: Path) -> None:
    """Of an option, and of the name of a dataset."""
    words = [
        "rankconst",
        "adjust",
        "0.338",
        *(["--data"] if between == " " else ["--dataset", "fb"]),
    ]
    asked = {"COMP_WORDS": between.join(words), "COMP_CWORD": f"{len(words) - 1}"}
    asked["_RANKCONST_COMPLETE"] = "complete_bash"
    loaded = {*run_python(LIST_LOADED, folder=tmp_path, **asked).split()}
    assert "rankconst.cli.adjust" in loaded
    others = {"rankconst.cli.show", "rankconst.cli.check", "rankconst.cli.build"}
    assert not loaded & (others | HEAVY)


def test_nothing_waits_for_pandas_but_frames(tmp_path: Path) -> None:
    """Where pandas is installed, some of pyarrow's functions import it only to ask whether they
    were given a Series; numpy's `unique` imports masked arrays to ask the same.
    """
    (tmp_path / "paper.csv").write_text(PAPER)
    (tmp_path / "graph.tsv").write_text("a\tr\tb\nb\tr\tc\n")
    run_python(WITHOUT_PANDAS, folder=tmp_path)


def test_garbage_of_a_run_is_collected(tmp_path: Path) -> None:
    """It is not looked for while modules are imported: a long run must not go on like that."""
    script = (
        "import gc, rankconst.__main__, rankconst.cli.run\n"
        "rankconst.cli.run.run = lambda *_: print(gc.isenabled())\n"
        "rankconst.__main__.main()"
    )
    assert run_python(script, "adjust", "0.338", folder=tmp_path) == "True"
