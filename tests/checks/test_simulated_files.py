"""A small, seeded run of tests/benchmarks/simulate_files.py: honest files are never understood wrongly."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.simulate_files import SIMULATIONS
from cases import choose


@pytest.mark.slow
@pytest.mark.parametrize("kind", choose(["foreign", "mixed"], [*SIMULATIONS]))
def test_nothing_is_wrong(kind: str) -> None:
    files = choose(8, 25)
    counts = SIMULATIONS[kind](files, np.random.default_rng(7))
    assert counts.outcomes.keys() <= {"resolved", "partly resolved", "refused"}, counts.examples
    # Where the tables hold the tasks, most files tell them; a foreign graph is never named.
    assert (counts.outcomes["resolved"] >= 0.4 * files) == (kind != "foreign")
