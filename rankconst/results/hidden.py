"""What a document does not show: comments and hidden parts are neither numbers nor texts.

They are blanked out and line ends kept, so that lines and places stay those of the file.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    Spans = list[tuple[int, int]]

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_FENCE = re.compile(r" {0,3}(```+|~~~+)")
# What may stand around a table; its own parts are for the parser of tables.
_AROUND = re.compile(r"<(/?)(div|section|article|details)\b([^<>]*)>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""([a-z-]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'))?""", re.IGNORECASE)
_UNSEEN = re.compile(r"(?<![\w-])(?:display\s*+:\s*+none|visibility\s*+:\s*+hidden)", re.IGNORECASE)
_UNSET = re.compile(
    r"\\begin\{comment\}.*?(?:\\end\{comment\}|\Z)|\\iffalse\b.*?(?:\\else\b|\\fi\b|\Z)|\\end\{document\}.*", re.DOTALL
)
_STRUCK = re.compile(r"\\(?:sout|st|xout)\{([^{}]*)\}")


def is_hidden(attributes: Mapping[str, str | None]) -> bool:
    """Tell whether browsers do not show an element with such attributes."""
    return "hidden" in attributes or _UNSEEN.search(attributes.get("style") or "") is not None


def hide_html(text: str) -> str:
    """Blank out comments and hidden elements of Markdown or HTML; code in fences is shown as it is."""
    if "<" not in text:
        return text
    fences = _find_fences(text)
    starts = [start for start, _ in fences]

    def is_code(place: int) -> bool:
        before = bisect_right(starts, place) - 1
        return before >= 0 and place < fences[before][1]

    text = _blank(text, (found.span() for found in _COMMENT.finditer(text) if not is_code(found.start())))
    return _blank(text, _find_hidden(text))


def _find_fences(text: str) -> Spans:
    """Return where code in fences begins and ends."""
    found: Spans = []
    start, fence, place = 0, "", 0
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if mark is not None and not fence:
            start, fence = place, mark[1]
        elif mark is not None and mark[1].startswith(fence):
            found.append((start, place))
            fence = ""
        place += len(line) + 1
    return [*found, (start, place)] if fence else found


def _find_hidden(text: str) -> Spans:
    """Return where the outermost hidden elements begin and end; one that is never closed ends with the text."""
    found: Spans = []
    opened: list[str] = []
    counts: Counter[str] = Counter()
    start, depth = 0, 0  # of the hidden element, and how many are open with it; 0 if none is
    for tag in _AROUND.finditer(text):
        name = tag[2].lower()
        if not tag[1]:
            opened.append(name)
            counts[name] += 1
            if not depth and is_hidden({key.lower(): one or two for key, one, two in _ATTRIBUTE.findall(tag[3])}):
                start, depth = tag.start(), len(opened)
            continue
        while counts[name]:  # a tag that ends nothing is left alone
            last = opened.pop()
            counts[last] -= 1
            if depth > len(opened):
                found.append((start, tag.end()))
                depth = 0
            if last == name:
                break
    return [*found, (start, len(text))] if depth else found


def _blank(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Write blanks for parts of a text, which are given in their order."""
    pieces, end = list[str](), 0
    for start, behind in spans:
        pieces += (text[end:start], re.sub(r"[^\n]", " ", text[start:behind]))
        end = behind
    return "".join((*pieces, text[end:]))


def hide_latex(text: str) -> str:
    """Blank out what LaTeX does not set, and say of what is struck out that it is."""
    shown = _blank(text, (found.span() for found in _UNSET.finditer(text)))
    return _STRUCK.sub(lambda found: f"struck out: {found[1]}", shown)
