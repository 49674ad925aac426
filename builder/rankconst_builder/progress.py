"""How the pipeline tells what it does: lines on stderr, bars on a terminal, nothing on stdout."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

if TYPE_CHECKING:
    from collections.abc import Iterator

from contextlib import contextmanager


@dataclass
class Bar:
    """A download bar, as pooch drives it: it sets `total` and calls the methods."""

    progress: Progress
    name: str
    total: int = 0
    done: int = 0
    task: int | None = None

    def update(self, amount: int) -> None:
        """Add `amount` bytes."""
        if self.task is None:
            self.task = self.progress.add_task(self.name, total=self.total or None)
        self.done += amount
        self.progress.update(self.progress.task_ids[-1], completed=min(self.done, self.total or self.done))

    def reset(self) -> None:
        """Start again."""
        self.done = 0

    def close(self) -> None:
        """End; the bar goes away with its progress display."""


@dataclass(frozen=True)
class Reporter:
    """Tells a person at a terminal, or a log file, what is going on.

    Attributes
    ----------
    console
        Where to; stderr by default.
    quiet
        True to print warnings only.
    """

    console: Console = field(default_factory=lambda: Console(stderr=True, highlight=False, soft_wrap=True))
    quiet: bool = False

    def say(self, text: str) -> None:
        """Print a line."""
        if not self.quiet:
            self.console.print(text, markup=False)

    def warn(self, text: str) -> None:
        """Print a line that must not be overlooked."""
        self.console.print(f"warning: {text}", style="bold yellow", markup=False)

    @contextmanager
    def download(self, name: str) -> Iterator[Bar | None]:
        """Show a bar for a download on a terminal; elsewhere there is none."""
        if self.quiet or not self.console.is_terminal:
            yield None
            return
        columns = (TextColumn("  {task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
        with Progress(*columns, console=self.console, transient=True) as progress:
            yield Bar(progress, name)
