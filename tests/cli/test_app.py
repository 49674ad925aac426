"""The program as a whole: help, exit codes, colours, pipes and interruptions."""

import io
import re
import subprocess
from pathlib import Path

import pytest

import rankconst
from cases import for_each
from cli.conftest import ESCAPE, Run, RunInTerminal, child_command, child_environment
from rankconst.cli.run import _fail
from rankconst.cli.words import COMMANDS, import_command, list_parameters
from rankconst.version import bundled_versions

pytestmark = pytest.mark.usefixtures("few_draws")

EXAMPLES = {
    "adjust": ("adjust", "0.5", "-d", "fb15k237", "-m", "mrr"),
    "show": ("show", "codexmedium"),
}

ARCHIVED = ("build", "countries_s1", "-p", "raw", "--offline", "--out")
"""A small build that falls back on the archive, with a warning; the folder is to follow."""

COLOUR = re.compile(r"\x1b\[(?:\d+;)*(?:3[0-8]|4[0-8]|9\d|10\d)(?:;\d+)*m")


# -- help ------------------------------------------------------------------------------------------


EVERYDAY = ("adjust", "compare", "check", "show", "build")
PUBLISHING = ("tables verify", "tables release", "tables site")


def test_commands_are_the_known_ones(run: Run) -> None:
    assert tuple(COMMANDS) == (*EVERYDAY, *PUBLISHING)
    screen = run()
    assert screen == run("--help") == run("help")
    assert [line.split()[1] for line in screen.out.splitlines() if re.match(r"│ [a-z]", line)] == [
        *EVERYDAY,
        "tables",
    ]
    listed = run("tables").out
    assert all(command.split()[1] in listed for command in PUBLISHING)


@for_each("command", COMMANDS)
def test_every_command_has_help_and_every_option_an_explanation(run: Run, command: str) -> None:
    screen = run(*command.split(), "--help")
    assert (screen.code, screen.err) == (0, "")
    assert screen == run(*command.split(), "-h") == run("help", *command.split())
    text = ESCAPE.sub("", screen.out)
    assert not re.search(r"<(?:bool|str|list)\b", text)  # types of Python
    assert f"rankconst {command}" in text
    lines = [line.strip("│ ") for line in text.splitlines() if re.match(r"│[ *]{1,4}--\w", line)]
    assert lines
    for line in lines:
        assert re.search(r"\s{2,}\S+.*[a-z]{2}", line.partition("  ")[2]), line


def test_options_are_few() -> None:
    every = [each for name in COMMANDS for each in list_parameters(import_command(name))]
    options = [each.declaration for each in every if each.declaration.names]
    assert len(options) <= 80
    assert sum(not option.hidden for option in options) <= 45


def test_help_is_short_and_the_rest_is_under_help_all(run: Run) -> None:
    brief, full = (
        run("adjust", flag, env={"COLUMNS": "80"}).out for flag in ("--help", "--help-all")
    )
    assert len(brief.rstrip().splitlines()) <= 40
    assert max(map(len, full.splitlines())) <= 80
    options, listed = (set(re.findall(r"│ (--[a-z-]+)", text)) for text in (brief, full))
    assert options < listed
    assert listed - options == {
        *("--accept", "--aggregation", "--candidates", "--counts", "--decimal", "--force"),
        *("--num-tasks", "--percent", "--relation", "--strict"),
    }


def test_version(run: Run) -> None:
    screen = run("--version")
    assert screen == run("-V")
    assert (screen.code, screen.err) == (0, "")
    assert screen.out.split()[:2] == ["rankconst", rankconst.__version__]
    assert all(version in screen.out for version in bundled_versions())


# -- exit codes of the process ---------------------------------------------------------------------


def test_a_message_is_no_longer_than_anybody_reads(capsys: pytest.CaptureFixture[str]) -> None:
    assert _fail("\1" * 20_000 + " is not a name. Choose another.", 6) == 6
    told = capsys.readouterr().err
    assert len(told) < 7000
    assert told.startswith("error: \\x01")
    assert told.endswith("\\x01 is not a name. Choose another.\n")


# -- pipes and colours -----------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.usefixtures("builder")
def test_colours_are_for_terminals_that_want_them(
    run: Run, run_in_terminal: RunInTerminal, tmp_path: Path
) -> None:
    for args, warned in ((("--help",), False), ((*ARCHIVED, tmp_path / "out"), True)):
        for env, coloured in (({}, True), ({"NO_COLOR": "1"}, False)):
            out = run_in_terminal(*args, env=env).out
            assert (bool(COLOUR.search(out)), "warning:" in out) == (coloured, warned)
            found = run_in_terminal("check", "mrr=1.2", env=env).out
            assert bool(COLOUR.search(found)) == coloured
        assert not COLOUR.search(run_in_terminal(*EXAMPLES["adjust"]).out)
        piped = run(*args)
        assert piped.code == 0
        assert "\x1b" not in piped.out + piped.err
        assert ("warning:" in piped.err) == warned


@pytest.mark.slow
def test_closed_pipe_is_no_accident(cache: Path) -> None:
    # More output than a pipe holds, so that the writer does notice.
    args = ("show", "fb15k237", "--split", "all", "--side", "all", "--format", "json")
    with subprocess.Popen(
        child_command(*args),
        env=child_environment(cache),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        assert child.stdout.readline() == b"[\n"
        child.stdout.close()
        err = child.stderr.read()
    assert (child.returncode, err) == (141, b"")


@pytest.mark.parametrize("encoding", ["ascii", "cp932"])
@pytest.mark.parametrize("command", EXAMPLES)
def test_terminals_that_know_few_characters(
    run: Run, monkeypatch: pytest.MonkeyPatch, command: str, encoding: str
) -> None:
    written = io.BytesIO()
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(written, encoding=encoding))
    assert (run(*EXAMPLES[command]).code, len(written.getvalue()) > 100) == (0, True)


# -- completion ------------------------------------------------------------------------------------


@for_each(
    ("line", "offered"),
    [
        ("rankconst a", ["adjust"]),
        ("rankconst adjust 0.3 --format js", ["json"]),
        ("rankconst adjust 0.3 --de", ["--details"]),
        ("rankconst adjust 0.3 --dataset kin", ["kinships"]),
        ("rankconst adjust 0.3 -d CoDEx-S", ["CoDEx-S"]),
        ("rankconst adjust 0.3 --aggregation mac", ["macro-query", "macro-relation"]),
        ("rankconst adjust 0.3 --metric mr", ["mr", "mrr"]),
        ("rankconst adjust 0.3 --protocol s", ["standard", "static", "stare", "sampled:500"]),
        ("rankconst adjust 0.3 --protocol a", []),
        ("rankconst show pyk", ["pykeen", "pykeen"]),
        ("rankconst compare .3 .4 --side h", ["head"]),
        ("rankconst build kin", ["kinships"]),
    ],
)
def test_completion(run: Run, line: str, offered: list[str]) -> None:
    """As bash asks for it."""
    words = line.split(" ")
    env = {
        "_RANKCONST_COMPLETE": "complete_bash",
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(words) - 1),
    }
    assert run(env=env).out.split() == offered
