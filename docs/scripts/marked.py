"""Replace what scripts write into pages of the documentation."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def replace_lines(page: Path, mark: str, lines: str) -> None:
    """Replace the lines of a page between its two comments with that mark."""
    pattern = rf"(<!-- {mark} -->\n).*?(<!-- /{mark} -->)"
    text = page.read_text(encoding="utf-8")
    page.write_text(
        re.sub(pattern, lambda found: f"{found[1]}{lines}\n{found[2]}", text, flags=re.DOTALL),
        encoding="utf-8",
    )
