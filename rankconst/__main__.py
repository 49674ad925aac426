"""The program: ``python -m rankconst``, and the script that is installed."""

import gc
import os

try:
    import signal

    from rankconst.cli import main as _main
except KeyboardInterrupt:  # main catches those that come later
    os._exit(130)


def main() -> None:
    """Run the command line in a process that does nothing else."""
    # While Python ends, after `_main`, an interrupt would show a traceback; by default it ends the
    # process.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)

    # Imported modules stay anyway. To search them for garbage takes a tenth of a short run.
    gc.disable()
    try:
        _main()
    finally:
        gc.freeze()


if __name__ == "__main__":
    main()
