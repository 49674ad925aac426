"""The errors: exit codes, and names resolved with a hint."""

from __future__ import annotations

import pytest

from rankconst import errors
from rankconst.catalogue.names import resolve_name
from rankconst.errors import UnknownNameError
from rankconst.names import squash

EXIT_CODES = {
    "RankconstError": 1,
    "UsageError": 2,
    "MissingExtraError": 3,
    "UnknownNameError": 4,
    "DownloadError": 5,
    "DataError": 6,
    "AskedError": 8,
    "UndefinedError": 6,
    "TablesError": 6,
    "VerificationError": 7,
}

FRUIT = {"apple": ("Malus domestica",), "pear": ("Pyrus",), "fig": ()}


def test_every_error_has_its_documented_exit_code() -> None:
    found = {
        name: value.exit_code
        for name, value in vars(errors).items()
        if isinstance(value, type) and issubclass(value, errors.RankconstError)
    }
    assert found == EXIT_CODES
    documented = errors.__doc__ or ""
    for code in set(EXIT_CODES.values()):
        assert f"\n{code}    " in documented


@pytest.mark.parametrize(
    ("error", "builtin"),
    [(errors.UnknownNameError, LookupError), (errors.DataError, ValueError), (errors.TablesError, ValueError)],
)
def test_errors_are_caught_by_the_builtin_of_their_kind(error: type[Exception], builtin: type[Exception]) -> None:
    assert issubclass(error, builtin)


@pytest.mark.parametrize(
    ("name", "squashed"),
    [("FB15k-237", "fb15k237"), ("Hits @ 10", "hits10"), ("CoDEx_S", "codexs"), ("É٣²x", "x"), ("--", "")],
)
def test_squash_keeps_ascii_letters_and_digits(name: str, squashed: str) -> None:
    assert squash(name) == squashed


@pytest.mark.parametrize("given", ["apple", "APPLE", "malus-domestica", "Malus  Domestica"])
def test_resolve_name_finds_keys_and_spellings(given: str) -> None:
    assert resolve_name("fruit", given, FRUIT) == "apple"


def test_resolve_name_prefers_the_first_key_of_a_shared_spelling() -> None:
    assert resolve_name("fruit", "x", {"a": ("x",), "b": ("x",)}) == "a"


def test_resolve_name_suggests_the_key_of_a_near_spelling() -> None:
    with pytest.raises(UnknownNameError, match=r"^unknown fruit 'mallus domestica'\. Did you mean apple\? See shop\.$"):
        resolve_name("fruit", "mallus domestica", FRUIT, "See shop.")


def test_resolve_name_suggests_several_names_once_each() -> None:
    with pytest.raises(UnknownNameError, match=r"Did you mean pear or peas\?$|Did you mean peas or pear\?$"):
        resolve_name("fruit", "peaz", {"pear": ("pears",), "peas": (), "kiwi": ()})


def test_resolve_name_lists_a_short_catalogue_where_nothing_is_near() -> None:
    with pytest.raises(UnknownNameError, match=r"Known: apple, pear, fig\.$"):
        resolve_name("fruit", "zzzzzz", FRUIT)


def test_resolve_name_does_not_list_a_long_catalogue() -> None:
    with pytest.raises(UnknownNameError, match=r"^unknown number 'zzzzzz'\. See book\.$"):
        resolve_name("number", "zzzzzz", {str(number): () for number in range(13)}, "See book.")


@pytest.mark.parametrize("given", ["", "   ", "--"])
def test_resolve_name_refuses_nothing(given: str) -> None:
    with pytest.raises(UnknownNameError, match="unknown fruit"):
        resolve_name("fruit", given, FRUIT)
