"""The command line: one module a command group.

Results go to stdout, everything else to stderr. Exit codes are those of :mod:`rankconst.errors`.
"""

# Nothing else at the top: until main runs, an interrupt shows a traceback.
import gc
import os
import signal
import time

_LEAST_MEMORY = {"RLIMIT_AS": (640, b"v"), "RLIMIT_DATA": (320, b"d")}
"""What a process needs of each kind of memory, in MiB, and the option of ulimit.

With less, OpenBLAS and Arrow end it without an error, or crash it.
"""

_ONE_PRESS = 1.0
"""Seconds in which further interrupts are the same one.

A key that is pressed twice, or `timeout`, which tells a process and its group, must not interrupt
what the first one left to be cleaned up.
"""


def main() -> None:
    """Run the command line and exit with its code.

    An interrupt exits with 130, a request to end with 143.
    """
    interrupts = list[int]()
    numbers = [
        getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
    ]
    before = {number: signal.getsignal(number) for number in numbers}
    # Signals that nohup or a shell in the background told the process to ignore stay ignored.
    numbers = [
        number
        for number in numbers
        if number == signal.SIGINT or before[number] is not signal.SIG_IGN
    ]

    last = -_ONE_PRESS

    def interrupt(number: int, _: object) -> None:
        nonlocal last
        before = last
        last = time.monotonic()
        if last - before < _ONE_PRESS:
            return

        interrupts.append(number)
        if number == signal.SIGINT:
            raise KeyboardInterrupt

        raise SystemExit(128 + number)

    # What is computed here gains nothing from its threads, and each of them reserves memory.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        # While modules are imported, an exception would show their code.
        for number in numbers:
            signal.signal(number, lambda number, _: os._exit(128 + number))
    except ValueError:  # not in the main thread, which alone is interrupted
        numbers = []

    _check_memory()
    try:
        try:
            from rankconst.cli.run import prepare, run

            call = prepare()
        except (ImportError, MemoryError) as error:
            from rankconst.errors import MissingExtraError, explain_import, lacks_memory

            if lacks_memory(error):
                os.write(2, b"error: there is not enough memory to start.\n")
                os._exit(6)
            if (message := explain_import(error)) is None:
                raise
            os.write(2, f"error: {message}\n".encode())
            os._exit(MissingExtraError.exit_code)
        for number in numbers:
            signal.signal(number, interrupt)
        if not gc.isenabled():  # garbage collection was off during the imports, whose objects stay
            gc.freeze()
            gc.enable()
        run(call, interrupts)
    finally:
        for number in numbers:
            signal.signal(number, before[number])


def _check_memory() -> None:
    """Exit with code 6 if ``ulimit -v`` or ``-d`` allows this process too little memory."""
    try:
        import resource
    except ImportError:  # Windows
        return

    for name, (least, option) in _LEAST_MEMORY.items():
        if not hasattr(resource, name):
            continue
        allowed = resource.getrlimit(getattr(resource, name))[0]
        if allowed != resource.RLIM_INFINITY and allowed >> 20 < least:
            message = (
                b"error: %d MiB of memory are allowed here, and rankconst needs %d. Allow more: "
                b"ulimit -%b %d\n"
            )
            os.write(2, message % (allowed >> 20, least, option, least << 11))
            os._exit(6)
