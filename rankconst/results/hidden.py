"""What a document does not show: comments and hidden parts are neither numbers nor texts.

They are blanked out, line ends kept, so that lines and places stay those of the file.
"""

from __future__ import annotations

import re

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_FENCE = re.compile(r" {0,3}(```+|~~~+)")
_TAG = re.compile(r"<(/?)(div|section|details|span|p|table|tbody|tr|td)\b([^<>]*)>", re.IGNORECASE)
_HIDING = re.compile(
    r"""\shidden\b|style\s*=\s*["'][^"']*(?:display\s*:\s*none|visibility\s*:\s*hidden)""", re.IGNORECASE
)
_LATEX = re.compile(
    r"\\begin\{comment\}.*?(?:\\end\{comment\}|\Z)|\\iffalse\b.*?(?:\\fi\b|\Z)|\\end\{document\}.*", re.DOTALL
)
_STRUCK = re.compile(r"\\(?:sout|st|xout)\{([^{}]*)\}")


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)


def _find_fences(text: str) -> list[tuple[int, int]]:
    """Return where code in fences begins and ends."""
    found, start, fence, place = list[tuple[int, int]](), 0, "", 0
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if mark is not None and not fence:
            start, fence = place, mark[1]
        elif mark is not None and mark[1].startswith(fence):
            found.append((start, place))
            fence = ""
        place += len(line) + 1
    return [*found, (start, place)] if fence else found


def hide_html(text: str) -> str:
    """Blank out comments and hidden elements of Markdown or HTML; code in fences is shown as it is."""
    if "<" not in text:
        return text
    fences = _find_fences(text)
    text = _COMMENT.sub(lambda found: found[0] if _is_within(found.start(), fences) else _blank(found[0]), text)
    hidden: list[tuple[int, int]] = []
    opened: list[tuple[str, int | None]] = []  # name, and where it began if it hides what it holds
    for tag in _TAG.finditer(text):
        name = tag[2].lower()
        if not tag[1]:
            if not tag[3].endswith("/"):
                opened.append((name, tag.start() if _HIDING.search(tag[3]) else None))
            continue
        while opened:
            other, start = opened.pop()
            if other == name:
                hidden += [(start, tag.end())] if start is not None else []
                break
    for start, end in hidden:
        text = text[:start] + _blank(text[start:end]) + text[end:]
    return text


def _is_within(place: int, spans: list[tuple[int, int]]) -> bool:
    return any(start <= place < end for start, end in spans)


def hide_latex(text: str) -> str:
    """Blank out what LaTeX does not set, and mark what is struck out."""
    shown = _LATEX.sub(lambda found: _blank(found[0]), text)
    return _STRUCK.sub(lambda found: f"struck out: {found[1]}", shown)
