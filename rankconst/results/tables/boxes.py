"""Lines of boxes, as terminals show them, written with the signs that grids in text have."""

from __future__ import annotations

_UPRIGHT = "│┃┆┇┊┋╎╏║╽╿"
_LEVEL = "─━┄┅┈┉╌╍═╴╶╸╺╼╾"
# Ends of upright lines, where nothing is to their sides.
_ENDS = "╵╷╹╻"
_FIRST, _LAST = 0x2500, 0x257F
_CORNERS = {code: "+" for code in range(_FIRST, _LAST + 1) if chr(code) not in "╱╲╳"}
_PLAIN = _CORNERS | {
    ord(sign): plain for signs, plain in ((_UPRIGHT, "|"), (_LEVEL, "-"), (_ENDS, " ")) for sign in signs
}
SIGNS = "\u2500-\u257f"
"""The signs of boxes, for a class of a pattern."""


def plain_boxes(text: str) -> str:
    """Write boxes with ``|``, ``-`` and ``+``."""
    return text if text.isascii() else text.translate(_PLAIN)
