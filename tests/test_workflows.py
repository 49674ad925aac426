"""The workflows trust nothing that can change under them, and may do no more than they need."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from cases import for_each

FOLDER = Path(__file__).resolve().parents[1] / ".github"
WORKFLOWS = sorted((FOLDER / "workflows").glob("*.yml"))
if not WORKFLOWS:
    pytest.skip("the workflows are in checkouts only", allow_module_level=True)

# Job to what it may do beyond reading.
ALLOWED = {
    ("pages", "deploy"): {"pages": "write", "id-token": "write"},
    ("tables", "rebuild"): {"contents": "write", "pull-requests": "write"},
    ("release", "publish"): {"id-token": "write"},
    ("release", "attach"): {"contents": "write"},
}
_USED = re.compile(r"^\s*(?:- )?uses:\s*(\S+?)@(\S+)\s*(.*)$", re.MULTILINE)


def read(path: Path) -> dict[Any, Any]:
    found = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert isinstance(found, dict)
    return found


def list_steps(path: Path) -> list[dict[str, Any]]:
    return [step for job in read(path)["jobs"].values() for step in job["steps"]]


@for_each("path", WORKFLOWS)
def test_actions_are_pinned_by_commit(path: Path) -> None:
    used = _USED.findall(path.read_text(encoding="utf-8"))
    assert len(used) == sum("uses" in step for step in list_steps(path))
    for name, commit, comment in used:
        assert re.fullmatch(r"[0-9a-f]{40}", commit), name
        assert re.fullmatch(r"# v\d+\.\d+\.\d+", comment), name


def test_an_action_is_the_same_everywhere() -> None:
    used = {
        found for path in WORKFLOWS for found in _USED.findall(path.read_text(encoding="utf-8"))
    }
    assert len(used) == len({name for name, _, _ in used})
    assert "github-actions" in {
        each["package-ecosystem"] for each in read(FOLDER / "dependabot.yml")["updates"]
    }


@for_each("path", WORKFLOWS)
def test_permissions_are_least(path: Path) -> None:
    workflow = read(path)
    assert workflow["permissions"] == {"contents": "read"}
    for name, job in workflow["jobs"].items():
        more = {
            what: right for what, right in job.get("permissions", {}).items() if right != "read"
        }
        assert more == ALLOWED.get((path.stem, name), {}), name
        # A job that names some rights has no others, and checks out nothing without this one.
        checks_out = any(
            step.get("uses", "").startswith("actions/checkout@") for step in job["steps"]
        )
        assert not checks_out or "contents" in job.get("permissions", workflow["permissions"]), name
        assert job["timeout-minutes"] <= 180
    triggers = workflow[True]  # what YAML makes of "on"
    assert "pull_request_target" not in triggers
    assert "workflow_run" not in triggers


@for_each("path", WORKFLOWS)
def test_steps_run_nothing_of_others_keep_no_token_and_fail_where_their_command_does(
    path: Path,
) -> None:
    assert "secrets." not in path.read_text(encoding="utf-8")
    for step in list_steps(path):
        run, used = step.get("run", ""), step.get("uses", "")
        # An expression in a script is replaced before the shell sees it: only what these files say
        # may be there.
        assert "${{" not in run
        if used.startswith("actions/checkout@"):
            assert step["with"]["persist-credentials"] is False
        if "git push" in run:
            assert "gh auth setup-git" in run
            assert "GH_TOKEN" in step["env"]
        # GitHub's shell ignores the left side of a pipe unless it is asked for by name; uploads
        # leave out .folders.
        assert step.get("shell") == "bash" or not any(" | " in line for line in run.splitlines())
        if used.startswith("actions/upload-artifact@") and re.search(
            r"(^|[/\s])\.", step["with"]["path"]
        ):
            assert step["with"]["include-hidden-files"] is True


def test_a_release_has_attestations_and_a_list_of_dependencies() -> None:
    jobs = read(FOLDER / "workflows" / "release.yml")["jobs"]
    *_, publish = jobs["publish"]["steps"]
    assert publish["uses"].startswith("pypa/gh-action-pypi-publish@")
    assert publish["with"] == {"attestations": True}
    assert jobs["publish"]["environment"] == "pypi"
    commands = "\n".join(step.get("run", "") for job in jobs.values() for step in job["steps"])
    assert "cyclonedx-py environment" in commands
    for tool in ("build", "cyclonedx-bom"):
        assert re.search(rf"pip install {tool}==[\d.]+$", commands, re.MULTILINE)


def test_dependencies_are_audited_every_week() -> None:
    audit = read(FOLDER / "workflows" / "audit.yml")
    assert audit[True]["schedule"]
    assert "pip-audit --strict" in audit["jobs"]["dependencies"]["steps"][-1]["run"]


def test_what_pushes_leave_out_is_run_every_week() -> None:
    """Tests skip, or shorten, by this variable what repeats what others show."""
    thorough = read(FOLDER / "workflows" / "thorough.yml")
    assert thorough[True]["schedule"]
    job = thorough["jobs"]["test"]
    assert job["env"] == {"RANKCONST_THOROUGH": "1", "HYPOTHESIS_PROFILE": "thorough"}
    # The same command.
    pushed = read(FOLDER / "workflows" / "ci.yml")["jobs"]["test"]["steps"]
    assert job["steps"][-1]["run"] == pushed[-1]["run"]
