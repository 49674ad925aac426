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

    # What is computed here gains nothing from its threads, and each of them reserves memory.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        # While modules are imported, an exception would show their code.
        signal.signal(signal.SIGINT, lambda *_: os._exit(130))
    except ValueError:  # not in the main thread, which alone is interrupted
        before = None
    try:
        try:
            from rankconst.cli.app import prepare, run

            app = prepare()
        except (ImportError, MemoryError) as error:
            from rankconst.errors import lacks_memory

            if not lacks_memory(error):
                raise
            os.write(2, b"error: there is not enough memory to start.\n")
            os._exit(6)
        if before is not None:
            signal.signal(signal.SIGINT, interrupt)
        run(app, interrupts)
    finally:
        if before is not None:
            signal.signal(signal.SIGINT, before)
