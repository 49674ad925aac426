"""One test of many cases, and which of many cases run every time."""

import functools
import inspect
import itertools
import os
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import strategies as st

THOROUGH = (
    bool(os.environ.get("RANKCONST_THOROUGH")) or os.environ.get("HYPOTHESIS_PROFILE") == "thorough"
)
"""Whether every case is to run, as every week."""

thorough = pytest.mark.skipif(
    not THOROUGH, reason="more of the same, every week; RANKCONST_THOROUGH=1 runs it"
)
"""Marks a case, or a test, that repeats what a cheaper one shows."""

SIGNS = st.characters(exclude_categories=["Cs"])
"""All that text may hold: to find out what UTF-8 can write takes hypothesis two seconds."""

_T = TypeVar("_T")


def choose(usual: _T, thorough: _T) -> _T:
    """Return how many, or which, are enough every time, or all of them every week."""
    return thorough if THOROUGH else usual


def take_turns(*lists: Iterable[Any]) -> list[Any]:
    """Return the parameters of a test of several arguments, every combination of their values.

    Usually each value goes with those of the other arguments by turns; all combinations run every
    week.
    """
    values = [[*each] for each in lists]
    longest = max(map(len, values))
    usual = zip(*(itertools.islice(itertools.cycle(each), longest) for each in values), strict=True)
    return choose([*usual], [*itertools.product(*values)])


def read_cases(path: Path) -> list[tuple[str, list[str]]]:
    """Read texts and what each is read as, a line each: ``=====`` and why begin a case."""
    _, *cases = re.split(r"^=====.*\n", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert cases, path
    parts = [case.partition("----- is read as\n") for case in cases]
    return [(text, expected.splitlines()) for text, _, expected in parts]


def for_each(
    names: str | Sequence[str], cases: Iterable[Any]
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Run a test for one case after the other, where a test for each would take longer to begin and end than to run.

    The arguments are those of pytest.mark.parametrize; an error names its case.
    """
    listed = [names] if isinstance(names, str) else [*names]
    given: list[dict[str, Any]] = [
        dict(zip(listed, [case] if isinstance(names, str) else case, strict=True)) for case in cases
    ]

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(test)
        def run(**others: Any) -> None:
            assert given, "there is no case"
            for case in given:
                try:
                    test(**case, **others)
                except BaseException as error:
                    error.add_note(
                        f"where {', '.join(f'{name} is {value!r}' for name, value in case.items())}"
                    )
                    raise

        signature = inspect.signature(test)
        left = [one for name, one in signature.parameters.items() if name not in listed]
        setattr(run, "__signature__", signature.replace(parameters=left))  # noqa: B010 - what pytest asks fixtures for
        del run.__wrapped__  # of functools.wraps: pytest would ask it
        return run

    return decorate
