"""Everything in the README is run: its commands print what it shows, its numbers are those of the tables."""

from __future__ import annotations

import doctest
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import rankconst
from rankconst.catalogue.metrics import CATALOGUE
from rankconst.cli import main

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
CONSOLE = re.findall(r"```console\n\$ (.+)\n((?:.*\n)*?)```", README)
FILES = re.findall(r"```csv (\S+)\n((?:.*\n)*?)```", README)
PYTHON = re.findall(r"```python\n((?:.*\n)*?)```", README)


@pytest.mark.parametrize(("command", "shown"), CONSOLE, ids=[command for command, _ in CONSOLE])
def test_command_prints_what_is_shown(
    command: str,
    shown: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    request: pytest.FixtureRequest,
) -> None:
    program, *arguments = shlex.split(command)
    assert program == "rankconst"
    if arguments[0] == "build":
        pytest.importorskip("pooch", reason="the extra rankconst[builder] is not installed")
        monkeypatch.setenv("RANKCONST_MIRROR", str(request.getfixturevalue("mirror")))
    monkeypatch.chdir(tmp_path)
    for name, content in FILES:
        Path(name).write_text(content, encoding="utf-8")
    monkeypatch.setattr(sys, "argv", [program, *arguments])
    with pytest.raises(SystemExit) as stopped:
        main()
    # The file that lint is shown with has a fault.
    assert stopped.value.code == (6 if arguments[0] == "lint" else 0)
    printed = capsys.readouterr().out.strip("\n").splitlines()
    expected = shown.strip("\n").splitlines()
    assert expected, "the README shows no output"
    # A caption may be left out in the README.
    assert printed[: len(expected)] == expected


def test_own_graph(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("pooch", reason="the extra rankconst[builder] is not installed")
    block = re.search(r"## A graph of your own\n.*?```sh\n(.*?)```", README, re.DOTALL)
    assert block
    monkeypatch.chdir(tmp_path)
    for split, text in {"train": "a\tr\tb\nb\tr\tc\n", "valid": "c\tr\ta\n", "test": "a\tr\tc\n"}.items():
        Path(f"{split}.tsv").write_text(text, encoding="utf-8")
    for command in block[1].splitlines():
        monkeypatch.setattr(sys, "argv", shlex.split(command))
        with pytest.raises(SystemExit) as stopped:
            main()
        assert stopped.value.code == 0, command
    assert "mykg" in capsys.readouterr().out


def test_surprises() -> None:
    tables = rankconst.load()
    mrr = tables.constants("fb15k237", "mrr")
    assert round(0.0005 / mrr.variance**0.5) == 9
    hits = tables.constants("wn18rr", "hits@1")
    assert (round(hits.expectation * hits.num_tasks, 2), hits.num_tasks) == (0.15, 6268)
    # PyKEEN's count leaves the true answer out: every N one too small.
    nations = tables.histogram("nations", protocol="pykeen")
    short = [(int(n) - 1, int(c)) for n, c in zip(nations.num_candidates, nations.num_tasks, strict=True)]
    wrong = sum(c * sum(1 / j for j in range(1, n + 1)) / n for n, c in short) / nations.total
    assert round(100 * (wrong / tables.constants("nations", "mrr", protocol="pykeen").expectation - 1)) == 14


def test_every_format_of_results_files_is_listed() -> None:
    from rankconst.results.formats import READERS

    listed = set(re.findall(r"`(\w+)`", "".join(re.findall(r"^\| (`.+?) \|", README, re.MULTILINE))))
    assert set(READERS) <= listed


def test_published_lines_are_what_the_script_writes(reference: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not (ROOT / "docs").is_dir():
        pytest.skip("the scripts are in a checkout only")
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    import adjust_published

    adjusted = adjust_published.adjust_published(reference / "published_results.csv")
    lines = adjust_published.render_lines(adjusted)
    assert lines.count("\n") == 1 + 10
    assert lines in README, "run: python docs/adjust_published.py FILE"


def test_python_examples() -> None:
    assert PYTHON
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner()
    for number, text in enumerate(PYTHON):
        runner.run(parser.get_doctest(text, {}, f"README block {number}", "README.md", 0))
    assert runner.tries > 3
    assert runner.failures == 0


def render_included() -> str:
    """Write the table of what the carried tables hold."""
    tables = rankconst.load()
    rows = [
        "| dataset | entities | train / valid / test | MR | MRR | Hits@1 | Hits@10 |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for key, row in tables.datasets.items():
        held = tables.protocols(key)
        protocol = "standard" if "standard" in held else held[0]
        shown = ("mr", "mrr", "hits@1", "hits@10")
        values = [tables.constants(key, metric, protocol=protocol).expectation for metric in shown]
        counts = [row["entities"], *(row[f"triples_{split}"] for split in ("train", "valid", "test"))]
        entities, *triples = ("–" if count is None else f"{count:,}" for count in counts)
        numbers = " | ".join(f"{value:,.2f}" if value > 1 else f"{value:.3g}" for value in values)
        rows.append(f"| {row['title']} (`{key}`) | {entities} | {' / '.join(triples)} | {numbers} |")
    return "\n".join(rows)


def test_included_table() -> None:
    match = re.search(r"<!-- included -->\n(.*)\n<!-- /included -->", README, re.DOTALL)
    assert match
    assert match[1] == render_included()


def test_every_metric_is_named() -> None:
    table = README[README.index("| metric | adjusted |") :]
    for metric in CATALOGUE.values():
        assert re.search(rf"\b{metric.label}\b", table), metric.label


def test_commands_that_ci_runs_are_marked() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    for mark in ("main job", "tests"):
        assert f"<!-- {mark} -->\n```sh\n" in README
        assert f'"{mark}"' in script


def test_benchmark_runs() -> None:
    script = ROOT / "benchmarks" / "lookup_speed.py"
    assert f"benchmarks/{script.name}" in README
    printed = subprocess.run([sys.executable, script, "--runs", "1"], check=True, capture_output=True, text=True).stdout
    assert re.search(r"\| first constant \| \d+ ms \|", printed)


def test_links_lead_to_files() -> None:
    links = [link for link in re.findall(r"\]\(([^)#]+)\)", README) if "://" not in link]
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_picture_shows_the_published_values(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib", reason="the extra rankconst[plot] is not installed")
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    import draw_chance

    adjusted, chance = draw_chance.adjust_published()
    assert chance["nations"] == pytest.approx(0.946930, abs=5e-7)
    # Hits@10 of ComplEx on Nations: (0.9652 - 0.946930) / (1 - 0.946930).
    assert adjusted["nations"][1] == pytest.approx((0.9652 - 0.946930) / (1 - 0.946930), abs=2e-5)
    picture = tmp_path / "chance.svg"
    draw_chance.draw(picture)
    text = picture.read_text(encoding="utf-8")
    shipped = (ROOT / "docs" / "chance.svg").read_text(encoding="utf-8")
    for word in ("Nations", "WN18RR", *draw_chance.MODELS, "0.947"):
        assert word in text
        assert word in shipped
