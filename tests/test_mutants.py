"""The changes that mutants/mutate.py tries."""

from __future__ import annotations

import ast

import mutate
from mutations import list_mutations

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


def test_modules_and_their_tests_are_there() -> None:
    for module, told in mutate.MODULES.items():
        assert (mutate.ROOT / module).is_file()
        assert all((mutate.ROOT / test).exists() for test in told["tests"])
