"""A small, seeded run of tests/benchmarks/simulate_files.py: honest files are never understood wrongly."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cases import choose

_SCRIPT = Path(__file__).resolve().parents[1] / "benchmarks" / "simulate_files.py"
_HARMLESS = {"resolved", "partly resolved", "refused"}


@pytest.fixture(scope="module")
def script() -> Any:
    """The benchmark as a module."""
    if not _SCRIPT.is_file():
        pytest.skip(f"no {_SCRIPT}: it is in the checkout, not in a wheel")
    spec = importlib.util.spec_from_file_location("simulate_files", _SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
@pytest.mark.parametrize("kind", choose(["foreign", "mixed"], ["tabled", "foreign", "mixed"]))
def test_nothing_is_wrong(script: Any, kind: str) -> None:
    files = choose(8, 25)
    counts = script.SIMULATIONS[kind](files, np.random.default_rng(7))
    assert counts.outcomes.keys() <= _HARMLESS, counts.examples
    # Where the tables hold the tasks, most files tell them; a foreign graph is never named.
    assert (counts.outcomes["resolved"] >= 0.4 * files) == (kind != "foreign")
