"""What a short text says on its own: a row over others, a key, a comment, the name of a file, a run or an index."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from rankconst.catalogue.mentions import split_name
from rankconst.results.tables.columns import CONSTRAINED, is_constrained
from rankconst.results.tables.settings import add_setting, read_lines, read_pairs, read_remark
from rankconst.results.tables.surroundings import NOTHING_TOLD, Above, Told, find_task, tell, tell_row

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator


def add_settings(told: Told, above: Iterable[Above]) -> Told:
    """Return what is told of a table with what texts near it say that are settings: ``filtered: False``."""
    texts = [each.text for each in above]
    known = {role: word for role in ("split", "side", "protocol") if (word := getattr(told, role))}
    said = add_setting(known, read_pairs(texts), "")
    said = add_setting(said, read_lines(text for text in texts if not read_pairs((text,))), "")
    missing = (*told.missing, *said.get("missing", ()))
    return replace(told, **{role: each for role, each in said.items() if role in _SET_ABOVE}, missing=missing)


def tells_unusual(text: str) -> bool:
    """Tell whether a text says something of the ranking tasks other than what is usual."""
    above = (Above("caption", text),)
    told = add_settings(tell(above), above)
    return told.split not in {None, "test"} or any(getattr(told, role) for role in _SET_ABOVE - {"split"})


_SET_ABOVE = {"split", "side", "protocol", "rank_type", "task", "num_triples", "unclear"}


def tell_label(label: str) -> Told | None:
    """Return what a label says of the numbers below it, as a setting too; None if it says nothing."""
    told = Told(unclear=CONSTRAINED) if is_constrained("", label) else tell_row(label)
    own = add_settings(told or NOTHING_TOLD, (Above("caption", label),))
    return told if own == NOTHING_TOLD else own


def find_title_task(name: str) -> str | None:
    """Return the task that is all that the name of a file, a run or an index says: ``few-shot-wn18rr``, ``fold3``.

    In ``temporal_rotate`` and ``inductive-attention`` it may be that of a model.
    """
    return next(filter(None, map(find_task, _list_whole(name[:_LONGEST]))), None)


def read_title(name: str, known: Container[str] = ()) -> dict[str, str]:
    """Return why it is unclear what numbers are of if a name of theirs is such a label and nothing else."""
    return next((read_remark(words, known) for words in _list_whole(name[:_LONGEST]) if read_remark(words, known)), {})


@lru_cache(maxsize=4096)
def _list_whole(name: str) -> tuple[str, ...]:
    """Return the ways to read a name as a label only."""
    return tuple(words for words in dict.fromkeys(_list_titles(name)) if read_remark(words) and _is_whole(words))


def _list_titles(name: str) -> Iterator[str]:
    """Yield the words of a name without its dataset, as they are, then without general ones and numbers in front."""
    words = split_name(_GLUED.sub(" ", name.replace("_", " ")))[1].strip(" .,:-")
    for each in (words, re.sub(r"[\W_]+", " ", words)):
        yield each
        yield _GENERAL.sub(" ", each).strip(" -")


def _is_whole(words: str) -> bool:
    """Tell whether no word of a label could be left out, but for those that only say of what it is."""
    for parts in (words.split(), re.split(r"[\s-]+", words)):
        rests = (" ".join(parts[:i] + parts[i + 1 :]) for i in range(len(parts)))
        pairs = zip(parts, rests, strict=True)
        if any(read_remark(rest) for part, rest in pairs if not _OF_WHAT.fullmatch(part)):
            return False
    return True


_LONGEST = 100
# "fold3" and "client2"; not "n-1" and "v1".
_GLUED = re.compile(r"(?<=[a-z]{4})(?=\d)", re.IGNORECASE)
_GENERAL = re.compile(
    r"(?:\b(?:results?|metrics?|eval(?:uation)?|test(?:ing)?|runs?|exp(?:eriment)?s?|outputs?|out|final|logs?|tables?|"
    r"scores?|numbers|reports?|summary|full|all|data|kge?|kgc|seed \d{1,9})\b|^(?:\d[\d.-]*\s)+)[ -]?",
    re.IGNORECASE,
)
_OF_WHAT = re.compile(
    r"\d+|first|against|random|sampled?|among|relative|absolute|best|predict(?:ing)?|corrupt|test|long|in|by|ranks?|"
    r"numbers|batch|protocol|entit(?:y|ies)|relations?|triples?|facts?|settings?|splits?|sets?|tasks?|only|fully|semi|"
    r"prediction|average[ds]?|mean|negatives?|candidates?|queries|hard|easy|partial|ranking|evaluation|results?|over|"
    r"all|the|on|of",
    re.IGNORECASE,
)


def find_rank_type(text: str) -> str | None:
    """Return the tie policy that a label names: ``optimistic ranks``."""
    words = text.lower().split() if len(text) <= _LONGEST else []
    found = {_ENDS.sub("", word) for word in words[:_MOST_WORDS]} & {"optimistic", "pessimistic"}
    return found.pop() if len(found) == 1 and len(words) <= _MOST_WORDS else None


_ENDS = re.compile(r"^\W+|\W+$")
_MOST_WORDS = 4
