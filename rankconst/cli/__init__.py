"""The command line: one module a command group.

Results go to stdout, everything else to stderr. Exit codes are those of :mod:`rankconst.errors`.
"""

# Nothing else at the top: until main runs, an interrupt shows a traceback.
import os
import signal


def main() -> None:
    """Run the command line and exit with its code; an interrupt exits with 130."""
    before, interrupts = signal.getsignal(signal.SIGINT), list[int]()

    def interrupt(number: int, _: object) -> None:
        interrupts.append(number)
        raise KeyboardInterrupt

    try:
        # While modules are imported, an exception would show their code.
        signal.signal(signal.SIGINT, lambda *_: os._exit(130))
    except ValueError:  # not in the main thread, which alone is interrupted
        before = None
    try:
        from rankconst.cli.app import prepare, run

        app = prepare()
        if before is not None:
            signal.signal(signal.SIGINT, interrupt)
        run(app, interrupts)
    finally:
        if before is not None:
            signal.signal(signal.SIGINT, before)
