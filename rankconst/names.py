"""Names as people write them: any usual spelling to its key, with the nearest names for one that is unknown."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rankconst.errors import UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


_LONGEST_SHOWN = 80
_NOT_PLAIN = re.compile("[^a-z0-9]+")


def squash(name: str) -> str:
    """Return `name` in lower case without anything but ASCII letters and digits."""
    return _NOT_PLAIN.sub("", name.lower())


def resolve_name(kind: str, given: str, spellings: Mapping[str, Iterable[str]], remedy: str = "") -> str:
    """Find the key that `given` spells.

    Spellings are compared in lower case without punctuation, so ``FB15k-237`` finds ``fb15k237``.

    Parameters
    ----------
    kind
        What is named, for the message: ``"dataset"``.
    given
        What the user wrote.
    spellings
        Key to its further spellings; the key itself always counts.
    remedy
        A sentence that says where the valid names can be seen.

    Returns
    -------
    str
        A key of `spellings`.

    Raises
    ------
    UnknownNameError
        If nothing matches; the message suggests the nearest names.
    """
    for exact in (given, given.lower()):
        if exact in spellings:
            return exact
    by_spelling: dict[str, str] = {}
    for key, others in spellings.items():
        for spelling in (key, *others):
            by_spelling.setdefault(squash(spelling), key)
    found = by_spelling.get(squash(given))
    if found is not None:
        return found
    import difflib  # only needed here, where speed no longer matters

    shown = given if len(given) <= _LONGEST_SHOWN else f"{given[:_LONGEST_SHOWN]}..."
    near = difflib.get_close_matches(squash(shown), by_spelling, n=8, cutoff=0.6)
    nearest = list(dict.fromkeys(by_spelling[spelling] for spelling in near))[:3]
    if nearest:
        hint = f"Did you mean {' or '.join(nearest)}?"
    elif len(spellings) <= 12:
        hint = f"Known: {', '.join(spellings)}."
    else:
        hint = ""
    raise UnknownNameError(" ".join(part for part in (f"unknown {kind} {shown!r}.", hint, remedy) if part))
