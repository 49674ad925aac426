"""What the field has names for, as rows of data: metrics, protocols, tools, benchmarks.

Every other module asks a row; a new metric, protocol, tool or benchmark is a new row.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any


def read_rows(name: str) -> dict[str, Any]:
    """Read a registry, a TOML file next to this one: key to its row."""
    import tomllib  # most commands need none

    text = Path(__file__).with_name(f"{name}.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)
