"""The vocabulary of ranking tasks: spellings of the registries, and words of vocabulary.toml."""

from __future__ import annotations

import functools
import itertools
import re
import tomllib
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from rankconst.catalogue.libraries import list_spellings
from rankconst.catalogue.metrics import CATALOGUE, list_adjusted_names
from rankconst.catalogue.protocols import AGGREGATIONS, PROTOCOLS, RANK_TYPES, SIDES, SPLITS
from rankconst.names import squash

if TYPE_CHECKING:
    from collections.abc import Mapping

EVERYWHERE = frozenset({"column", "row", "name", "text"})
"""The scopes of a word that is asked about wherever it is."""

FIELDS = ("split", "side", "protocol", "rank_type", "aggregation")
"""The fields of a number's address that words declare; names of datasets are the registry's."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word of the lexicon."""

    text: str
    # One of FIELDS; part, graph, task or language, which --accept alone settles; metric, which
    # nothing does.
    field: str
    scopes: frozenset[str] = EVERYWHERE
    reason: str = ""  # why it matters
    remedy: str = ""  # the option that answers it, where the field alone does not tell
    kind: str = ""  # of benchmarks, for which it says nothing: temporal
    says: str = ""  # the value that it may mean; an option with another one contradicts it

    @property
    def option(self) -> str:
        """The option that answers the question about the word; empty where only --accept does."""
        if self.remedy or self.field == "rank_type" or not self.says:
            return self.remedy or REMEDIES.get(self.field, "")
        value = "sampled:M" if self.says == "sampled" else self.says
        return f"--{self.field} {value}"


REMEDIES = {
    "split": "--split valid or --split test",
    "side": "--side head or --side tail",
    "protocol": "--protocol sampled:M",
    "aggregation": "--aggregation macro-relation or --aggregation macro-query",
}
"""Field to the options that answer a question about it."""


@functools.cache
def _load() -> Mapping[str, Any]:
    return tomllib.loads(
        files("rankconst.results").joinpath("vocabulary.toml").read_text(encoding="utf-8")
    )


@functools.cache
def list_values() -> Mapping[str, tuple[str, str]]:
    """Return each spelling of a value, without punctuation, with its field and the value."""
    registries: dict[str, dict[str, tuple[str, ...]]] = {
        "split": SPLITS,
        "side": SIDES,
        "protocol": {key: row.spellings for key, row in PROTOCOLS.items()} | {"filtered": ()},
        "aggregation": {key: row.spellings for key, row in AGGREGATIONS.items()},
        "version": dict.fromkeys(_load()["version"], ()),
    }
    spellings = {word: ("rank_type", kind) for word, kind in RANK_TYPES.items()}
    for field, values in registries.items():
        for value, others in values.items():
            further = _load().get(field, {}).get(value, ())
            for spelling in (value, *others, *further):
                spellings[squash(spelling)] = field, value
    for word in _load()["apart"]["words"]:
        spellings.pop(word, None)
    return spellings


@functools.cache
def list_lexicon() -> Mapping[str, Word]:
    """Return the words that are asked about, in lower case, with their hyphens."""
    words = {}
    for row in _load()["lexicon"]:
        group = Word(
            "",
            row["field"],
            frozenset(row["scopes"]),
            reason=row.get("reason", ""),
            remedy=row.get("remedy", ""),
            kind=row.get("kind", ""),
            says=row.get("says", ""),
        )
        for name in row["words"]:
            for text in _vary(name):
                field, value = list_values().get(squash(text), ("", ""))
                says = value if field == group.field else group.says
                words[text] = replace(group, text=text, says=says)
    return words


def _vary(text: str) -> tuple[str, ...]:
    """Return a word with its other spellings: 1-to-n is 1ton and 1:n, many-to-many is many2many."""
    first, _, last = text.partition("-to-")
    if not last:
        first, _, last = text.partition("-") if len(text) == len("1-n") else ("", "", "")
    if not last or (first.isdigit() and last.isdigit()):
        return (text,)
    spellings = [text, f"{first}to{last}", f"{first}:{last}"]
    if not (first.isdigit() or last.isdigit()):
        spellings.append(f"{first}2{last}")
    return tuple(dict.fromkeys(spellings))


@functools.cache
def list_fillers() -> frozenset[str]:
    """Return the words that are not about ranking tasks."""
    return frozenset(_load()["filler"]["words"])


@functools.cache
def list_nouns() -> frozenset[str]:
    """Return the words for what ranking tasks are made of, such as entities."""
    return frozenset(_load()["nouns"]["words"])


@functools.cache
def list_technical() -> frozenset[str]:
    """Return the words that say nothing of the ranking tasks next to such a noun: size, path."""
    return frozenset(_load()["nouns"]["technical"])


@functools.cache
def list_models() -> frozenset[str]:
    """Return names of models, without punctuation and capitals."""
    return frozenset(_load()["models"]["words"])


@functools.cache
def list_flags() -> Mapping[str, bool]:
    """Map the words that affirm or deny the heading above them, in lower case, to True or False."""
    flags = _load()["flags"]
    return dict.fromkeys(flags["yes"], True) | dict.fromkeys(flags["no"], False)


FOREIGN = "not-english"
"""The word of the lexicon that stands for a text in another language."""

OTHER_SCRIPTS = "\u0400-\u052f\u0590-\u08ff\u0900-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
"""The letters of other scripts, in a class of a pattern; Greek letters are signs."""

_WORDS = re.compile(r"[^\W\d_]+")
_ACCENTED = re.compile(r"\b[a-z]*[ß-öø-ÿ][a-zß-öø-ÿ]*\b")  # names begin with a capital letter
_OTHER_SCRIPTS = re.compile(f"[{OTHER_SCRIPTS}]")


def is_foreign(text: str) -> bool:
    """Tell whether a text has words of another language that are not known."""
    lower = text.lower()
    if not lower.isascii() and _OTHER_SCRIPTS.search(lower):
        return _OTHER_SCRIPTS.search(_match_known().sub(" ", lower)) is not None
    filler = _list_known()
    words = {word.lower() for word in _WORDS.findall(text)}
    accented = set(_ACCENTED.findall(text))
    return not words <= filler and bool(words & list_foreign() or accented - filler)


@functools.cache
def list_foreign() -> frozenset[str]:
    """Return the words by which a text is known to be in another language of Latin letters."""
    return frozenset(_load()["foreign"]["words"])


@functools.cache
def _list_known() -> frozenset[str]:
    """Return the words, of any language, that are not about ranking tasks."""
    return list_fillers().union(_load()["foreign"]["filler"])


@functools.cache
def _match_known() -> re.Pattern[str]:
    """Return a pattern of the known words of other scripts, the longest first."""
    names = itertools.chain(list_fillers(), list_lexicon(), *_load()["roles"].values())
    known = {word for word in names if not word.isascii()}
    return re.compile("|".join(re.escape(word) for word in sorted(known, key=len, reverse=True)))


@functools.cache
def list_ordinary() -> frozenset[str]:
    """Return the names of graphs that are ordinary words."""
    return frozenset(_load()["ordinary"]["words"])


@functools.cache
def list_remarks() -> frozenset[str]:
    """Return the headings of columns that hold remarks, squashed."""
    return frozenset(_load()["remarks"]["words"])


@functools.cache
def list_measures() -> frozenset[str]:
    """Return the names of metrics and their adjusted forms, without a k and punctuation."""
    names = set(list_spellings())
    for metric in CATALOGUE.values():
        spelt = (metric.family, metric.symbol.format(k=""), *metric.spellings)
        names.update(squash(name) for name in (*spelt, *list_adjusted_names(metric)))
    return frozenset(names)


@functools.cache
def list_beginnings() -> frozenset[str]:
    """Return the beginnings of all names of the vocabulary, without punctuation."""
    names = {*list_measures(), *list_values(), *(f"{name}at" for name in list_spellings())}
    names.update(squash(word) for word in (*list_lexicon(), *list_fillers()))
    names.update(f"{name[:-3]}k" for name in list_spellings() if name.endswith("atk"))  # MAP@K
    beginnings = set[str]()
    for name in names:
        beginnings.update(name[:end] for end in range(1, len(name) + 1))
    return frozenset(beginnings)


def match_role(heading: str) -> str:
    """Return the role of the cells below a heading; empty if it names none."""
    return list_roles().get(_write_role(heading), "")


@functools.cache
def list_roles() -> Mapping[str, str]:
    """Map the headings of columns with a role, without punctuation, to the roles."""
    roles: dict[str, str] = {}
    for role, names in _load()["roles"].items():
        roles |= dict.fromkeys((_write_role(name) for name in (role, *names)), role)
    return roles


def _write_role(heading: str) -> str:
    """Write a heading without punctuation; Chinese, which would be lost, as it is."""
    return squash(heading) or heading.strip().lower()
