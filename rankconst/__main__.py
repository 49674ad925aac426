"""The program: ``python -m rankconst``, and the script that is installed."""

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType


def _hide_interrupt(kind: type[BaseException], error: BaseException, trace: "TracebackType | None") -> None:
    """Let an interrupt that comes before main runs end the program without a traceback."""
    if issubclass(kind, KeyboardInterrupt):
        import os

        os._exit(130)
    sys.__excepthook__(kind, error, trace)


sys.excepthook = _hide_interrupt

from rankconst.cli import main  # noqa: E402 - an interrupt may come while it is imported

if __name__ == "__main__":
    main()
