"""A test of many cases runs all of them, and says which one fails; what is quadratic does not pass
as linear.
"""

import inspect

import pytest

import cases
from cases import choose, for_each, take_turns
from growth import grows_in_proportion


def test_every_case_is_run_and_the_one_that_fails_is_named() -> None:
    seen: list[tuple[int, str, str]] = []

    @for_each("number", [1, 2])
    @for_each(("word", "sign"), [("a", "+"), ("b", "-")])
    def run(number: int, word: str, sign: str, fixture: None = None) -> None:
        del fixture
        seen.append((number, word, sign))
        assert (number, word) != (2, "b")

    assert [*inspect.signature(run).parameters] == ["fixture"]
    with pytest.raises(AssertionError) as caught:
        run()
    assert seen == [(1, "a", "+"), (1, "b", "-"), (2, "a", "+"), (2, "b", "-")]
    assert caught.value.__notes__ == ["where word is 'b', sign is '-'", "where number is 2"]
    with pytest.raises(AssertionError, match="no case"):
        for_each("number", [])(lambda number: number)()


def test_few_cases_are_enough_but_once_a_week(monkeypatch: pytest.MonkeyPatch) -> None:
    every = [(word, number) for word in "ab" for number in (1, 2, 3)]
    for thorough, word, turns in (
        (False, "few", [("a", 1), ("b", 2), ("a", 3)]),
        (True, "all", every),
    ):
        monkeypatch.setattr(cases, "THOROUGH", thorough)
        assert choose("few", "all") == word
        assert take_turns(["a", "b"], [1, 2, 3]) == turns


@pytest.mark.slow
@pytest.mark.parametrize(("power", "size", "expected"), [(1, 10**5, True), (2, 350, False)])
def test_what_is_quadratic_is_noticed(power: int, size: int, expected: bool) -> None:
    assert grows_in_proportion(lambda size: lambda: sum(range(size**power)), size) is expected
