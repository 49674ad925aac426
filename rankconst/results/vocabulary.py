"""The vocabulary of ranking tasks: spellings of the registries, and words of vocabulary.toml."""

from __future__ import annotations

import itertools
import re
import tomllib
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple

from rankconst.arrow import fold_digits
from rankconst.catalogue.answers import list_spellings
from rankconst.catalogue.mentions import list_graph_names
from rankconst.catalogue.metrics import CATALOGUE, list_adjusted_names
from rankconst.catalogue.protocols import AGGREGATIONS, PROTOCOLS, RANK_TYPES, SIDES, SPLITS
from rankconst.names import squash

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

EVERYWHERE = frozenset({"column", "row", "name", "text"})
"""The scopes of a word that is asked about wherever it is."""

FIELDS = ("split", "side", "protocol", "rank_type", "aggregation")
"""The fields of a number's address that words declare; names of datasets are the registry's."""

REMEDIES = {
    "split": "--split valid or --split test",
    "side": "--side head or --side tail",
    "protocol": "--protocol sampled:M",
    "aggregation": "--aggregation macro-relation or --aggregation macro-query",
}
"""Maps fields to the options that answer questions about them."""

FOREIGN = "not-english"
"""The word of the lexicon that stands for a text in another language."""

OTHER_SCRIPTS = "\u0400-\u052f\u0590-\u08ff\u0900-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
"""The letters of other scripts, in a class of a pattern; Greek letters are signs."""

_LETTER_RUNS = re.compile(r"[^\W\d_]+")
_NUMBERED_NAME = re.compile(r"([A-Za-z_]{1,40}?)[_\W]?(\d{1,9})", re.ASCII)  # epoch_100
_ACCENTED_WORDS = re.compile(r"\b[a-z]*[ß-öø-ÿ][a-zß-öø-ÿ]*\b")  # names begin with a capital letter
_OTHER_SCRIPTS = re.compile(f"[{OTHER_SCRIPTS}]")


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


_NO_WORD = Word("", "")


class FieldValue(NamedTuple):
    """A value of a field that a spelling means: split, valid."""

    field: str
    value: str


@dataclass(frozen=True)
class Vocabulary:
    """All words that are known; `values` and `models` are without punctuation and capitals."""

    values: Mapping[str, FieldValue]  # by spelling
    lexicon: Mapping[str, Word]  # the words that are asked about, with their hyphens
    roles: Mapping[str, str]  # heading of a column, or key, to what its cells are
    flags: Mapping[str, bool]  # True for words that affirm the heading above them
    fillers: frozenset[str]  # not about ranking tasks
    nouns: frozenset[str]  # for what ranking tasks are made of, such as entities
    numbered: frozenset[str]  # that are parts of the data if a number follows: relation 7
    technical: frozenset[str]  # saying nothing next to such a noun: size, path
    ordinary: frozenset[str]  # names of graphs that are ordinary words
    models: frozenset[str]
    remarks: frozenset[str]  # headings of columns with remarks
    foreign: frozenset[str]  # of other languages of Latin letters
    foreign_fillers: frozenset[str]

    @cached_property
    def measures(self) -> frozenset[str]:
        """The names of metrics and their adjusted forms, without a k and punctuation."""
        names = set(list_spellings())
        for metric in CATALOGUE.values():
            spelt = (metric.family, metric.symbol.format(k=""), *metric.spellings)
            names.update(squash(name) for name in (*spelt, *list_adjusted_names(metric)))
        return frozenset(names)

    @cached_property
    def beginnings(self) -> frozenset[str]:
        """The beginnings of all names, without punctuation: m, mr and mrr of MRR."""
        names = {*self.measures, *self.values, *(f"{name}at" for name in list_spellings())}
        names.update(squash(word) for word in (*self.lexicon, *self.fillers))
        names.update(f"{name[:-3]}k" for name in list_spellings() if name.endswith("atk"))  # MAP@K
        return frozenset(name[:end] for name in names for end in range(1, len(name) + 1))

    @cached_property
    def _known(self) -> frozenset[str]:
        """The words, of any language, that are not about ranking tasks."""
        return self.fillers | self.foreign_fillers

    @cached_property
    def _other_scripts(self) -> re.Pattern[str]:
        """A pattern of the known words of other scripts, the longest first."""
        names = itertools.chain(self.fillers, self.lexicon, self.roles)
        known = sorted((word for word in names if not word.isascii()), key=len, reverse=True)
        return re.compile("|".join(re.escape(word) for word in known))

    def is_foreign(self, text: str) -> bool:
        """Tell whether a text has unknown words of another script, accented, or in `foreign`."""
        lower = text.lower()
        if not lower.isascii() and _OTHER_SCRIPTS.search(lower):
            return _OTHER_SCRIPTS.search(self._other_scripts.sub(" ", lower)) is not None
        words = {word.lower() for word in _LETTER_RUNS.findall(text)}
        is_accented = any(word not in self._known for word in _ACCENTED_WORDS.findall(text))
        return not words <= self._known and (is_accented or not words.isdisjoint(self.foreign))

    def is_plain(self, word: str) -> bool:
        """Tell whether a word is filler or names a value."""
        return word in self.fillers or word in self.values

    def names_part(self, noun: str, *, numbered: bool) -> bool:
        """Tell whether a noun before a name, or a number, names a part: relation 7, not seed 1."""
        lower = noun.lower()
        if self.match_role(lower) == "relations":
            return True
        is_single = not self.lexicon.get(lower, _NO_WORD).scopes.isdisjoint({"names", "beside"})
        return is_single or (numbered and lower in self.numbered - self.values.keys())

    def knows(self, text: str) -> bool:
        """Tell whether a text has letters of another script, and is of known words."""
        return _OTHER_SCRIPTS.search(text) is not None and not self.is_foreign(text)

    def find_step(self, name: str) -> re.Match[str] | None:
        """Match the noun and the number of a name such as epoch_100; None for other names."""
        numbered = _NUMBERED_NAME.fullmatch(name)
        is_step = numbered is not None and self.match_role(numbered[1]) == "step"
        return numbered if is_step else None

    def match_role(self, heading: str) -> str:
        """Return the role of the cells below a heading; empty if it names none."""
        return self.roles.get(_write_role(heading), "")


def _load_vocabulary() -> Vocabulary:
    """Load the words of the registries and of vocabulary.toml."""
    text = files("rankconst.results").joinpath("vocabulary.toml").read_text(encoding="utf-8")
    data: Mapping[str, Any] = tomllib.loads(text)
    words = {name: frozenset(listed) for name, listed in data["words"].items()}
    roles: dict[str, str] = {}
    for role, names in data["roles"].items():
        roles |= dict.fromkeys((_write_role(name) for name in (role, *names)), role)

    flags = dict.fromkeys(words.pop("yes"), True) | dict.fromkeys(words.pop("no"), False)
    values = _load_values(data["values"], apart=words.pop("apart"))
    return Vocabulary(values, _load_lexicon(data["lexicon"], values), roles, flags, **words)


def _load_values(
    further: Mapping[str, Mapping[str, list[str]]], apart: Iterable[str]
) -> dict[str, FieldValue]:
    """Map each spelling to the field and the value that it means: "dev" to split and valid.

    Spellings are those of the catalogue and, by field and value, `further` ones of vocabulary.toml.
    Those in `apart`, such as "h" for head, mean too much else in running text, and are left out.
    """
    # "filtered" is not a protocol of the catalogue: it leaves open which known answers are removed.
    registries: dict[str, dict[str, tuple[str, ...]]] = {
        "split": SPLITS,
        "side": SIDES,
        "protocol": {key: row.spellings for key, row in PROTOCOLS.items()} | {"filtered": ()},
        "aggregation": {key: row.spellings for key, row in AGGREGATIONS.items()},
        "version": dict.fromkeys(further["version"], ()),
    }
    # Rank types come first, so that other fields replace them: "avg" means both sides.
    values = {word: FieldValue("rank_type", kind) for word, kind in RANK_TYPES.items()}
    for field, rows in registries.items():
        for value, spellings in rows.items():
            for spelling in (value, *spellings, *further.get(field, {}).get(value, ())):
                values[squash(spelling)] = FieldValue(field, value)

    for word in apart:
        values.pop(word, None)

    return values


def _load_lexicon(
    groups_by_field: Mapping[str, list[dict[str, Any]]], values: Mapping[str, FieldValue]
) -> dict[str, Word]:
    """Map each spelling of the words that are asked about to its Word.

    A group is an entry of vocabulary.toml: words, and what they have in common as fields of Word.
    In field "split", {"words": ["dev"], "says": "valid"} becomes {"dev": Word("dev", "split", ...,
    says="valid")}.
    """
    lexicon = {}
    for field, groups in groups_by_field.items():
        for group in groups:
            for word in group["words"]:
                for text in _list_spellings(word):
                    lexicon[text] = _make_word(text, field, group, values)

    return lexicon


def _make_word(
    text: str, field: str, group: Mapping[str, Any], values: Mapping[str, FieldValue]
) -> Word:
    """Make a Word of its group; the spelling of a value, such as "tail" of side, says that one."""
    says = group.get("says", "")
    meant = values.get(squash(text))
    if meant is not None and meant.field == field:
        says = meant.value

    return Word(
        text,
        field,
        scopes=frozenset(group.get("scopes", EVERYWHERE)),
        reason=group.get("reason", ""),
        remedy=group.get("remedy", ""),
        kind=group.get("kind", ""),
        says=says,
    )


def _list_spellings(text: str) -> tuple[str, ...]:
    """Return a word with its other spellings, if it is of two ends: 1-to-n, 1-n.

    With two numbers, "1-1", it has no other spelling.

    >>> _list_spellings("1-to-n"), _list_spellings("many-to-many")[1:], _list_spellings("tail")
    (('1-to-n', '1ton', '1:n'), ('manytomany', 'many:many', 'many2many'), ('tail',))
    """
    first, _, last = text.partition("-to-")
    if not last and len(text) == len("1-n"):
        first, _, last = text.partition("-")

    if not last or (first.isdigit() and last.isdigit()):
        return (text,)

    spellings = [text, f"{first}to{last}", f"{first}:{last}"]
    if not (first.isdigit() or last.isdigit()):
        spellings.append(f"{first}2{last}")

    return tuple(dict.fromkeys(spellings))


def _write_role(heading: str) -> str:
    """Write a heading without punctuation; Chinese, which would be lost, as it is."""
    return squash(heading) or heading.strip().lower()


VOCABULARY = _load_vocabulary()
"""All words that are known."""

# Screens for many texts at once, by Arrow: all texts with vocabulary pass, and some more.


def screen(texts: Any) -> Any:
    """Tell which texts of an Arrow array may have words of the vocabulary, or names of graphs.

    Return an Arrow array of flags, of which True may be wrong, and False is certain.
    """
    import pyarrow.compute as pc

    folded = fold_digits(texts).dictionary_encode()  # model-1, model-2 ... are one, tested once
    lower = pc.utf8_lower(folded.dictionary)
    names, words = _list_patterns()
    plain = pc.replace_substring_regex(lower, "[^a-z0-9]+", "")
    has_name = pc.match_substring_regex(plain, names)
    return pc.or_(has_name, pc.match_substring_regex(lower, words)).take(folded.indices)


def screen_measures(texts: Any) -> Any:
    """Tell which texts of an Arrow array may name a metric."""
    import pyarrow.compute as pc

    plain = pc.replace_substring_regex(pc.utf8_lower(texts), "[^a-z0-9]+", "")
    return pc.match_substring_regex(plain, _list_measures())


@cache
def _list_measures() -> str:
    """Return a pattern of the names of metrics without punctuation."""
    names = {re.sub("atk?$", "", name) for name in VOCABULARY.measures}
    words = sorted(name for name in names if len(name) > 1)
    # A letter alone, as in H@10, needs its k; a unit may be between them.
    letters = "".join(sorted(names - set(words)))
    return "|".join((*words, f"[{letters}](?:at|k|in|x100)*[0-9]"))


@cache
def _list_patterns() -> tuple[str, str]:
    """Return a pattern of names and values, and one of the lexicon; all digits are 0 in them."""
    names = {re.sub("[0-9]", "0", name) for name in (*list_graph_names(), *VOCABULARY.values)}
    joint = r"[\s_\x{2010}-\x{2013}-]+"
    lexicon = {re.sub("[0-9]", "0", word) for word in VOCABULARY.lexicon}
    spellings = [re.escape(word).replace(r"\-", joint) for word in lexicon]
    # Queries, arrows from one side to the other, amounts, shares, other languages,
    # and letters that look like Latin ones.
    signs = [re.escape(sign) for sign in "?→⟶➔⇒=+%"]
    behind = r"\s(?:on|for|[\x{2010}-\x{2013}\x{2212}-])\s"
    amounts = (
        r"\bvs\b",
        behind,
        *VOCABULARY.nouns,
        r"\bneg|neg\b",
        r"\b(?:among|against|versus|first)\b",
    )
    others = (*VOCABULARY.foreign, "[à-öø-ÿ]", rf"[{OTHER_SCRIPTS}]")
    lookalikes = r"[\x{ad}\x{370}-\x{4ff}\x{200b}-\x{2060}\x{fb00}-\x{fb06}]"
    variants = r"[\x{ff21}-\x{ff5a}\x{1d400}-\x{1d7ff}]"
    words = (*spellings, *signs, *amounts, *others, lookalikes, variants)
    return "|".join(sorted(filter(None, names))), "|".join(sorted(words))
