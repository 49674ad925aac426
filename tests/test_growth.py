"""The measure of growth itself: what is quadratic does not pass."""

from __future__ import annotations

import pytest

from growth import grows_in_proportion


@pytest.mark.slow
@pytest.mark.parametrize(("power", "expected"), [(1, True), (2, False)])
def test_growth(power: int, expected: bool) -> None:
    assert grows_in_proportion(lambda size: lambda: sum(range(size**power)), 500 if power == 2 else 10**5) is expected
