"""Report the progress of long work on stderr.

``rich`` is imported inside functions, for commands that show anything.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rankconst.names import show_controls

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console


@dataclass(frozen=True)
class Reporter:
    """Reports progress on stderr, to a terminal or a log file."""

    screen: Console | None = None

    @functools.cached_property
    def console(self) -> Console:
        """The console to write to, on stderr unless a screen was given."""
        from rich.console import Console

        return self.screen or Console(stderr=True, highlight=False, soft_wrap=True)

    def say(self, text: str) -> None:
        """Print a line."""
        self.console.print(show_controls(text), markup=False)

    def warn(self, text: str) -> None:
        """Print a warning."""
        self.console.print(f"warning: {show_controls(text)}", style="bold yellow", markup=False)

    @contextmanager
    def stage(self, name: str, total: int) -> Iterator[Callable[[], None]]:
        """Show on a terminal how many steps are done; yield a function to call after each."""
        if not self.console.is_terminal or not total:
            yield _skip
            return

        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

        columns = (
            TextColumn("  {task.description}"),
            BarColumn(),
            MofNCompleteColumn(separator=" of "),
        )
        with Progress(*columns, console=self.console, transient=True) as progress:
            yield functools.partial(progress.advance, progress.add_task(name, total=total))

    @contextmanager
    def download(self, name: str, size: int | None) -> Iterator[Callable[[int], None]]:
        """Show a progress bar on a terminal; yield a function to call with numbers of bytes."""
        if not self.console.is_terminal:
            yield _skip
            return

        from rich.markup import escape
        from rich.progress import (
            BarColumn,
            DownloadColumn,
            Progress,
            TextColumn,
            TransferSpeedColumn,
        )

        columns = (
            TextColumn("  {task.description}"),
            BarColumn(),
            DownloadColumn(),
            TransferSpeedColumn(),
        )
        with Progress(*columns, console=self.console, transient=True) as progress:
            task = progress.add_task(escape(show_controls(name)), total=size)
            yield functools.partial(progress.advance, task)


Stage = Callable[[str, int], AbstractContextManager[Callable[[], None]]]
"""What shows a stage of work, as :meth:`Reporter.stage` does: its name and number of steps."""


@contextmanager
def unseen(name: str, total: int) -> Iterator[Callable[[], None]]:
    """Show nothing."""
    del name, total
    yield _skip


def _skip(*_: Any) -> None:
    """Show nothing of a step."""
