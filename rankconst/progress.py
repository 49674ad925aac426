"""What a person at a terminal, or a log file, is told of work that takes a while: on stderr.

``rich`` is imported inside functions, for commands that show anything.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankconst.names import show_controls

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console
    from rich.progress import Progress


@dataclass
class Bar:
    """A download bar, as pooch drives it: it sets `total` and calls the methods."""

    progress: Progress
    name: str
    total: int = 0
    done: int = 0

    def update(self, amount: int) -> None:
        """Add `amount` bytes."""
        if not self.progress.task_ids:
            self.progress.add_task(self.name, total=self.total or None)
        self.done += amount
        self.progress.update(
            self.progress.task_ids[-1], completed=min(self.done, self.total or self.done)
        )

    def reset(self) -> None:
        """Start again."""
        self.done = 0

    def close(self) -> None:
        """End; the bar goes away with its progress display."""


@dataclass(frozen=True)
class Reporter:
    """Tells a person at a terminal, or a log file, what is going on: on stderr."""

    screen: Console | None = None

    @functools.cached_property
    def console(self) -> Console:
        """Where it is told: on stderr unless a screen was given."""
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
        """Show on a terminal how many steps are done; yield what is called after each."""
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
    def download(self, name: str) -> Iterator[Bar | None]:
        """Show a bar for a download on a terminal; elsewhere there is none."""
        if not self.console.is_terminal:
            yield None
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
            yield Bar(progress, escape(show_controls(name)))


Stage = Callable[[str, int], AbstractContextManager[Callable[[], None]]]
"""What shows a stage of work, as :meth:`Reporter.stage` does: its name and number of steps."""


@contextmanager
def unseen(name: str, total: int) -> Iterator[Callable[[], None]]:
    """Show nothing of a stage."""
    del name, total
    yield _skip


def _skip() -> None:
    """Show nothing of a step."""
