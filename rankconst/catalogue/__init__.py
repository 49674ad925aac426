"""Metrics, protocols, tools and benchmarks as rows of data.

To add one, add a row. Other modules know it only by its row.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any


def read_rows(name: str) -> dict[str, Any]:
    """Read a registry, a TOML file next to this one: key to its row."""
    import tomllib  # most commands need none

    text = Path(__file__).with_name(f"{name}.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def freeze_lists(value: Any) -> Any:
    """Return a value of such a file with tuples in place of lists."""
    if isinstance(value, dict):
        return {key: freeze_lists(item) for key, item in value.items()}
    return tuple(value) if isinstance(value, list) else value
