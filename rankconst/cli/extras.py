"""Which optional parts are installed."""

from __future__ import annotations

from importlib.util import find_spec

from rankconst.errors import MissingExtraError

_BUILDER_NEEDS = ("pooch",)


def has_builder() -> bool:
    """Tell whether the extra ``rankconst[builder]`` is installed; imports nothing."""
    return all(find_spec(module) is not None for module in _BUILDER_NEEDS)


def require_builder(command: str) -> None:
    """Refuse to go on with a command without the extra.

    Raises
    ------
    MissingExtraError
        With the command that installs it.
    """
    if not has_builder():
        missing = ", ".join(module for module in _BUILDER_NEEDS if find_spec(module) is None)
        raise MissingExtraError(
            f"`rankconst {command}` needs {missing}, which is missing. Run: pip install 'rankconst[builder]'"
        )
