"""Baselines: names and rows."""

from __future__ import annotations

import pytest

from rankconst.catalogue.baselines import BASELINES, BUILT, DEFAULT_BASELINE, INFORMED, OFFERED, parse_baseline
from rankconst.errors import UnknownNameError

SPELLINGS = {
    "uniform": ("uniform", "Uniform", "random", "chance"),
    "range": ("range", "Range", "domain"),
    "frequency": ("frequency", "popularity", "marginal", "Degree"),
    "inverse": ("inverse", "inverse model", "inverse-model"),
    "counting": ("counting", "Recurrency baseline"),
}


@pytest.mark.parametrize(("key", "spelling"), [(key, name) for key, names in SPELLINGS.items() for name in names])
def test_usual_spellings(key: str, spelling: str) -> None:
    assert parse_baseline(spelling).key == key


def test_every_baseline_has_spellings() -> None:
    assert SPELLINGS.keys() == BASELINES.keys()
    assert set(INFORMED) == set(BASELINES) - {DEFAULT_BASELINE}
    assert [*OFFERED] == [DEFAULT_BASELINE, *BUILT] == ["uniform", "frequency", "inverse", "counting"]
    for row in BASELINES.values():
        assert row.summary.endswith(".")
        assert row.reference


def test_unknown_baselines_get_a_hint() -> None:
    with pytest.raises(UnknownNameError, match=r"unknown baseline 'freqency'\. Did you mean frequency"):
        parse_baseline("freqency")
