"""Fixtures of the builder's tests; where the extra is not installed, every module is skipped
without an import.
"""

import importlib.util
import io
import socket
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NoReturn

import pytest
from rich.console import Console

LACKING = [name for name in ("pooch", "scipy", "pandas") if importlib.util.find_spec(name) is None]


class _SkippedModule(pytest.Module):
    def collect(self) -> Iterable[pytest.Item | pytest.Collector]:
        pytest.skip(
            f"the builder needs {', '.join(LACKING)}: pip install 'rankconst[builder]'",
            allow_module_level=True,
        )


def pytest_pycollect_makemodule(
    module_path: Path, parent: pytest.Collector
) -> pytest.Module | None:
    """Report a module as skipped where importing it would fail."""
    return _SkippedModule.from_parent(parent, path=module_path) if LACKING else None


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make every attempt to open a socket, or to resolve a name, fail the test."""

    def refuse(*_: Any, **__: Any) -> NoReturn:
        raise AssertionError("the network was touched")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


@pytest.fixture
def screen() -> Console:
    """A console that keeps what is printed; `screen.file.getvalue()` returns it."""
    return Console(file=io.StringIO(), highlight=False, soft_wrap=True, width=80)
