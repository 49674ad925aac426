"""What you are told of the address of numbers: what was assumed, and what only you can answer."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankconst.catalogue.protocols import OWN_COUNTS
from rankconst.evaluation import Ask, say_question

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from rankconst.evaluation import Stated
    from rankconst.tasks import Tasks

# Only where other numbers say another is it worth a word that each task counts the same.
_ALWAYS = ("split", "side", "protocol")

_OPTION = re.compile(r"--([a-z]+)(?: (?:'([^']*)'|(?!(?:or|in|if)\b)([\w:.@+-]+)))?")


@dataclass(frozen=True, slots=True)
class Question:
    """What only you can answer, and the numbers that wait for it.

    Attributes
    ----------
    word
        The word that raises the question; empty if no single word does.
    place
        Where the word is, such as ``the caption``.
    text
        The words around it, or the question itself.
    remedy
        What answers it.
    numbers
        The positions of the numbers: in ``entries`` of a file, or the rows of a DataFrame.
    """

    word: str
    place: str
    text: str
    remedy: str
    numbers: tuple[int, ...] = ()

    @classmethod
    def of(cls, ask: Ask, numbers: Iterable[int] = (), *, in_python: bool = False) -> Question:
        """Return the question about some numbers, whose remedy names options, or arguments in Python."""
        ways = name_arguments(ask.ways) if in_python else ask.ways
        return cls(ask.word, ask.place, ask.text, ways, tuple(numbers))

    def __str__(self) -> str:
        return say_question(self.word, self.place, self.text, self.remedy)

    def to_dict(self) -> dict[str, str]:
        """Return word, place, text and remedy, for JSON."""
        return {"word": self.word, "place": self.place, "text": self.text, "remedy": self.remedy}


# The options that are arguments in Python, too.
_ARGUMENTS = {"dataset", "split", "side", "protocol", "tool", "aggregation", "accept", "percent", "tables"}


def name_arguments(text: str) -> str:
    """Return a text with arguments of Python in place of options.

    >>> name_arguments("add --split valid, or --accept dev")
    'add split="valid", or accept=["dev"]'
    """

    def name(found: re.Match[str]) -> str:
        value = found[2] or found[3]
        if found[1] not in _ARGUMENTS:
            return found[0]
        if value is None:
            return f"{found[1]}="
        return f'accept=["{value}"]' if found[1] == "accept" else f'{found[1]}="{value}"'

    return _OPTION.sub(name, text)


def find_assumed(said: Stated, user: Stated, tasks: Tasks) -> dict[str, str]:
    """Return what was assumed of a number, by field: what neither it nor the user says."""
    if tasks.protocol == OWN_COUNTS.key:
        return {}
    return {
        name: getattr(tasks, name)
        for name in (*_ALWAYS, "aggregation")
        if getattr(tasks, name) and not getattr(said, name) and not getattr(user, name)
    }


def gather_assumed(
    settled: Iterable[tuple[Stated, Tasks]], user: Stated, rank_types: Collection[str | None]
) -> dict[str, tuple[str, ...]]:
    """Return what was assumed of some numbers, by field, with the distinct values of each.

    How tasks were weighted and how ties were ranked is left out where no number says another.
    """
    pairs = list(settled)
    assumed: dict[str, dict[str, None]] = {}
    for said, tasks in pairs:
        for name, value in find_assumed(said, user, tasks).items():
            assumed.setdefault(name, {})[value] = None
    if not any(said.aggregation for said, _ in pairs):
        assumed.pop("aggregation", None)
    if None in rank_types and len(rank_types) > 1:
        assumed["rank_type"] = {"realistic": None}
    return {name: tuple(values) for name, values in assumed.items()}


def describe_assumed(assumed: Mapping[str, Sequence[str]]) -> str:
    """Return what was assumed in plain words.

    >>> describe_assumed({"split": ("test",), "side": ("both",), "protocol": ("standard", "sampled:500")})
    'test split, both sides, standard and sampled:500 protocols'
    """
    return ", ".join(
        f"{' and '.join(values)} {_NOUNS[name]}{'s' * (len(values) > 1 or values[0] in _PLURAL)}"
        for name, values in assumed.items()
    )


_NOUNS = {"split": "split", "side": "side", "protocol": "protocol", "aggregation": "average", "rank_type": "rank"}
_PLURAL = {"both", "realistic"}
