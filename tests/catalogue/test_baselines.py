"""Baselines: names and rows."""

from __future__ import annotations

import pytest

from rankconst.catalogue.baselines import BASELINES, BUILT, DEFAULT_BASELINE, INFORMED, OFFERED, parse_baseline
from rankconst.errors import UnknownNameError


def test_every_baseline_is_whole() -> None:
    assert set(INFORMED) == set(BASELINES) - {DEFAULT_BASELINE}
    assert [*OFFERED] == [DEFAULT_BASELINE, *BUILT] == ["uniform", "frequency", "inverse", "counting"]
    for key, row in BASELINES.items():
        assert {parse_baseline(form(name)) for name in (key, *row.spellings) for form in (str.title, str.upper)} == {
            row
        }
        assert row.summary.endswith(".")
        assert row.reference
    with pytest.raises(UnknownNameError, match=r"unknown baseline 'freqency'\. Did you mean frequency"):
        parse_baseline("freqency")
