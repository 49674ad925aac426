"""The names that a registry holds: any usual spelling to its key, or the nearest names."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING

from rankconst.errors import UnknownNameError
from rankconst.names import shorten, show_value, squash

if TYPE_CHECKING:
    from collections.abc import Mapping

_LEAST_BEGUN = 4
_MOST_BEGUN = 3


def require_text(name: object) -> str:
    """Return a name; UnknownNameError if it is not text, such as the NaN of an empty cell."""
    if isinstance(name, str):
        return name
    raise UnknownNameError(
        f"{show_value(name)} is not a name: expected text, got {type(name).__name__}."
    )


class Names:
    """Keys with their spellings, compared without case and punctuation: ``FB15k-237``."""

    def __init__(self, kind: str, spellings: Mapping[str, Iterable[str]], remedy: str = "") -> None:
        self._kind = kind  # what is named, for the message: "dataset"
        self._spellings = spellings  # key to its further spellings; the key itself always counts
        self._remedy = remedy  # a sentence that says where the valid names can be seen

    @cached_property
    def _keys(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for key, others in self._spellings.items():
            for spelling in (key, *others):
                found.setdefault(squash(spelling), key)
        return found

    def find(self, given: str) -> str | None:
        """Return the key that `given` spells; None if there is none."""
        require_text(given)
        for each in (given, given.lower()):
            if each in self._spellings:
                return each
        if given.rstrip().endswith("+"):  # "WN18RR+" was made from WN18RR
            return None
        return self._keys.get(squash(given))

    def resolve(self, given: str) -> str:
        """Return the key that `given` spells; UnknownNameError suggests the nearest names."""
        found = self.find(given)
        if found is not None:
            return found
        shown = shorten(given)
        parts = (f"unknown {self._kind} {shown!r}.", self._suggest(shown), self._remedy)
        raise UnknownNameError(" ".join(part for part in parts if part))

    def _suggest(self, shown: str) -> str:
        import difflib  # only needed here, where speed no longer matters

        typed = squash(shown)
        begun = dict.fromkeys(
            key for spelling, key in self._keys.items() if spelling.startswith(typed)
        )
        if len(typed) >= _LEAST_BEGUN and 0 < len(begun) <= _MOST_BEGUN:
            return f"Did you mean {' or '.join(begun)}?"
        near = difflib.get_close_matches(typed, self._keys, n=8, cutoff=0.6)
        # Of exchanged letters, "mmr" or "htis@10", difflib thinks less than of missing ones.
        near.sort(key=lambda spelling: (len(spelling), set(spelling)) != (len(typed), set(typed)))
        nearest = list(dict.fromkeys(self._keys[spelling] for spelling in near))[:3]
        if nearest:
            return f"Did you mean {' or '.join(nearest)}?"
        return f"Known: {', '.join(self._spellings)}." if len(self._spellings) <= 12 else ""


def as_names(names: Iterable[str]) -> tuple[str, ...]:
    """Return several names; a single one is a list of one, not of its letters."""
    if isinstance(names, (str, bytes)) or not isinstance(names, Iterable):
        return (require_text(names),)
    return tuple(map(require_text, names))


def resolve_name(
    kind: str, given: str, spellings: Mapping[str, Iterable[str]], remedy: str = ""
) -> str:
    """Find the key that `given` spells among names that are not known beforehand."""
    return Names(kind, spellings, remedy).resolve(given)
