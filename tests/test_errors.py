"""The errors: exit codes, and names resolved with a hint."""

import pytest

from cases import for_each
from rankconst import errors
from rankconst.errors import UnknownNameError
from rankconst.names import resolve_name, squash

FRUIT = {"apple": ("Malus domestica",), "pear": ("Pyrus",), "fig": ()}


def test_every_error_has_its_documented_exit_code() -> None:
    codes = {each.exit_code for each in vars(errors).values() if hasattr(each, "exit_code")}
    documented = errors.__doc__ or ""
    assert all(f"\n{code}    " in documented for code in codes)
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
