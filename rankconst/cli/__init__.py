"""The command line: one module a command group.

Results go to stdout, everything else to stderr. Exit codes are those of :mod:`rankconst.errors`.
"""

# Nothing else at the top: until main runs, an interrupt shows a traceback.
import os
import signal

_LEAST_MEMORY = {"RLIMIT_AS": (640, b"v"), "RLIMIT_DATA": (320, b"d")}
"""What a process needs of each limited kind of memory, in MiB, and the option of ulimit: with less, OpenBLAS and Arrow end
it without an error, or crash it."""


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
    _check_memory()
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


def _check_memory() -> None:
    """Exit with an error if the system allows this process too little memory."""
    try:
        import resource
    except ImportError:  # Windows
        return
    for name, (least, option) in _LEAST_MEMORY.items():
        if not hasattr(resource, name):
            continue
        allowed = resource.getrlimit(getattr(resource, name))[0]
        if allowed != resource.RLIM_INFINITY and allowed >> 20 < least:
            told = b"error: %d MiB of memory are allowed here, and rankconst needs %d. Allow more: ulimit -%b %d\n"
            os.write(2, told % (allowed >> 20, least, option, least << 11))
            os._exit(6)
