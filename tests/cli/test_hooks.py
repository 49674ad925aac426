"""The hook of pre-commit and the action of GitHub run ``rankconst check`` on results files."""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from cases import choose
from cli.conftest import Run, child_environment

ROOT = Path(__file__).resolve().parents[2]
HOOKS, ACTION = ROOT / ".pre-commit-hooks.yaml", ROOT / "action.yml"
if not (HOOKS.is_file() and ACTION.is_file()):
    pytest.skip("both are in checkouts only", allow_module_level=True)

HEADING = "model,dataset,MRR,Hits@1,Hits@10\n"
FILES = {
    "results/good.csv": f"{HEADING}RotatE,FB15k-237,0.338,0.241,0.533\n",
    "results/bad.csv": f"{HEADING}RotatE,WN18RR,0.476,0.571,0.428\n",
    "other.csv": "day,mood\n1,good\n",
}


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "results").mkdir()
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("checkout")
def test_the_hook(run: Run) -> None:
    (hook,) = yaml.safe_load(HOOKS.read_text(encoding="utf-8"))
    assert hook["language"] == "python"
    program, *command = shlex.split(hook["entry"])
    assert program == "rankconst"
    files = [name for name in FILES if re.search(hook["files"], name)]
    assert files == ["results/good.csv", "results/bad.csv"]
    assert not re.search(hook["files"], "docs/no_results.txt")
    found = run(*command, *files)
    assert (found.code, "results/bad.csv:2: error: hits-monotone" in found.out) == (6, True)
    assert run(*command, *files[:1]).code == 0


BASH = shutil.which("bash")


@pytest.mark.slow
@pytest.mark.skipif(BASH is None or sys.platform == "win32", reason="the steps are of bash")
@pytest.mark.parametrize(
    ("files", "options", "code"),
    choose(
        [("results/*.csv", "--tool rotate", 6)],
        [("results/*.csv", "--tool rotate", 6), ("*/good.csv", "", 0)],
    ),
)
def test_the_action(checkout: Path, cache: Path, files: str, options: str, code: int) -> None:
    setup, install, check = yaml.safe_load(ACTION.read_text(encoding="utf-8"))["runs"]["steps"]
    workflow = ROOT / ".github" / "workflows" / "ci.yml"
    assert not workflow.is_file() or setup["uses"] in workflow.read_text(encoding="utf-8")
    assert install["run"].endswith('"$GITHUB_ACTION_PATH"')
    program = checkout / "bin" / "rankconst"
    program.parent.mkdir()
    program.write_text(
        f"#!/bin/sh\nexec '{sys.executable}' -m rankconst \"$@\"\n", encoding="utf-8"
    )
    program.chmod(0o755)
    given = {"${{ inputs.files }}": files, "${{ inputs.options }}": options}
    environment = child_environment(
        cache, {name: given[value] for name, value in check["env"].items()}
    )
    environment["PATH"] = f"{program.parent}:{environment['PATH']}"
    done = subprocess.run(
        [str(BASH), "-e", "-c", check["run"]], env=environment, capture_output=True, check=False
    )
    assert done.returncode == code, done.stderr
