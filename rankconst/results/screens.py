"""Screens for many texts at once, by Arrow: all texts with vocabulary pass, and some more."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from rankconst.arrow import fold_digits
from rankconst.catalogue.mentions import list_spellings
from rankconst.results.vocabulary import OTHER_SCRIPTS, VOCABULARY


def screen(texts: Any) -> Any:
    """Tell which texts of an Arrow array may have words of the vocabulary, or names of graphs."""
    import pyarrow.compute as pc

    folded = fold_digits(texts).dictionary_encode()  # model-1, model-2 ... are one
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
    names = {re.sub("[0-9]", "0", name) for name in (*list_spellings(), *VOCABULARY.values)}
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
