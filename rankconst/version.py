"""The version of the program, and those of the sets of tables that came with it."""

from __future__ import annotations

import re
from pathlib import Path

__version__ = "0.4.0"

VERSION = r"(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})"
"""The pattern of a released version; every other set is ``unreleased``."""


def parse_version(version: str) -> tuple[int, ...] | None:
    """Return the three numbers of a released version; None for any other text."""
    found = re.fullmatch(VERSION, version)
    return None if found is None else tuple(int(number) for number in found.groups())


def precedes(version: str, other: str) -> bool:
    """Return True if a version is released, and earlier than `other`."""
    one, two = parse_version(version), parse_version(other)
    return one is not None and two is not None and one < two


def bundle_folders() -> dict[str, Path]:
    """Return the folders of the sets of tables in the package by version, oldest first."""
    package = Path(__file__).resolve().parent
    inside = package / "data"
    # A wheel carries the tables inside the package; in a checkout they are next to it.
    root = inside if inside.is_dir() else package.parent / "data"
    found = {
        parse_version(path.parent.name): path.parent for path in root.glob("*.*.*/datapackage.json")
    }
    return {found[version].name: found[version] for version in sorted(filter(None, found))}


def bundled_versions() -> tuple[str, ...]:
    """Return the versions of the tables in the package, oldest first."""
    return tuple(bundle_folders())


def describe_versions() -> str:
    """Return the versions of the program and of its tables in one line."""
    return f"rankconst {__version__} (tables {', '.join(bundled_versions()) or 'none'})"
