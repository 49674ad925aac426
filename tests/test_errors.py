"""The errors: exit codes, and names resolved with a hint."""

import pytest

from cases import for_each
from rankconst import errors
from rankconst.errors import UnknownNameError
from rankconst.names import resolve_name, squash

EXIT_CODES = {
    "RankconstError": 1, "UsageError": 2, "MissingExtraError": 3, "UnknownNameError": 4, "DownloadError": 5,
    "DataError": 6, "AskedError": 8, "UndefinedError": 6, "TablesError": 6, "VerificationError": 7,
}  # fmt: skip

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

    # They are caught by the builtin of their kind, too.
    assert issubclass(errors.UnknownNameError, LookupError)
    assert issubclass(errors.TablesError, errors.DataError)
    assert issubclass(errors.DataError, ValueError)


def test_keys_and_spellings_are_found() -> None:
    """Case, punctuation and letters that are not ASCII count nothing."""
    for given in ("apple", "APPLE", "malus-domestica", "Malus  Domestica"):
        assert resolve_name("fruit", given, FRUIT) == "apple"
    shared = {"a": ("x",), "b": ("x",)}
    assert resolve_name("fruit", "x", shared) == "a"
    assert squash("É٣² Hits @ 10") == "hits10"


@for_each(
    ("given", "known", "said"),
    [
        ("mallus domestica", FRUIT, r"^unknown fruit 'mallus domestica'\. Did you mean apple\? See shop\.$"),
        ("peaz", {"pear": ("pears",), "peas": (), "kiwi": ()}, "Did you mean pear or peas|Did you mean peas or pear"),
        ("zzzzzz", FRUIT, r"Known: apple, pear, fig\. See shop\.$"),
        ("zzzzzz", {str(number): () for number in range(13)}, r"^unknown fruit 'zzzzzz'\. See shop\.$"),
        *((nothing, FRUIT, "unknown fruit") for nothing in ("", "   ", "--")),
    ],
)  # fmt: skip
def test_the_nearest_names_are_suggested_or_a_few_listed(
    given: str, known: dict[str, tuple[str, ...]], said: str
) -> None:
    with pytest.raises(UnknownNameError, match=said):
        resolve_name("fruit", given, known, "See shop.")
