"""The changes that mutants/mutate.py tries, and the page that says how many were noticed."""

from __future__ import annotations

import ast
import json
import tomllib
from pathlib import Path

import mutate
from mutations import list_mutations

ROOT = Path(__file__).resolve().parents[1]

SOURCE = '''
"""A module."""
LIMIT = 3

def clip(value: int, least: int = 0) -> int:
    """Do it."""
    if value < least and not LIMIT:
        raise ValueError(f"{value + 1}")
    return min(value, LIMIT)
'''


def test_one_place_is_changed_at_a_time() -> None:
    found = list_mutations(SOURCE)
    assert [(each.line, each.owner, each.before, each.after) for each in found] == [
        (3, None, "3", "4"),
        (5, None, "0", "1"),
        (7, "clip", "value < least and (not LIMIT)", "not (value < least and (not LIMIT))"),
        (7, "clip", "value < least and (not LIMIT)", "value < least or not LIMIT"),
        (7, "clip", "value < least", "value <= least"),
        (7, "clip", "value < least", "value > least"),
        (7, "clip", "value < least and (not LIMIT)", "value < least and LIMIT"),
        (8, "clip", "raise ValueError(f'{value + 1}')", "pass"),
        (9, "clip", "min(value, LIMIT)", "max(value, LIMIT)"),
    ]
    original = ast.unparse(ast.parse(SOURCE))
    texts = [ast.unparse(each.tree) for each in found]
    assert len({*texts, original}) == len(found) + 1


def test_figures_are_those_of_the_page_and_of_the_modules_that_are_there() -> None:
    figures = json.loads(mutate.FIGURES.read_text(encoding="utf-8"))
    assert {each["module"] for each in figures} <= {*mutate.MODULES}
    assert mutate.render(figures) in (ROOT / "docs" / "robustness.md").read_text(encoding="utf-8")
    for each in figures:
        assert len(each["survivors"]) <= each["mutants"] <= each["possible"]
    for module, told in tomllib.loads((ROOT / "mutants" / "modules.toml").read_text(encoding="utf-8")).items():
        assert (ROOT / module).is_file()
        assert all((ROOT / test).exists() for test in told["tests"])
