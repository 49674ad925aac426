"""Fuzz the readers, guided by coverage: ``python tests/fuzz/run.py [TARGET ...] [--seconds N]``; it needs atheris.

Each target runs in a process of its own, for seconds of the processor. What raises anything but a
RankconstError, or takes longer than LIMIT seconds, is written to ``tests/fuzz/found/TARGET``, once
for each place in the code; figures go to ``tests/robustness.md``.
"""

import argparse
import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import time
import traceback
from pathlib import Path
from typing import Any, NoReturn

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))  # for the seeds, which are read with cases.py
PAGE = HERE.parent / "robustness.md"
LIMIT = 10  # seconds of the processor that an input may take
_MEMORY = 3072  # MiB


class Slow(BaseException):
    """An input takes too long; no code that handles errors may handle this."""


def _interrupt(*_: object) -> NoReturn:
    raise Slow


def fuzz(target: str, seconds: int, corpus: Path, found: Path) -> None:
    """Fuzz one target for some time; print figures as a line of JSON, and end the process."""
    import atheris

    with atheris.instrument_imports(include=["rankconst", "rankconst_builder"]):
        import fuzz_targets

    begin, places, done, accepted = time.monotonic(), set[str](), 0, 0
    signal.signal(signal.SIGPROF, _interrupt)

    def run_one(data: bytes) -> None:
        nonlocal done, accepted
        if time.process_time() > seconds:
            fuzz_targets.clean()
            taken, used = round(time.monotonic() - begin), round(time.process_time())
            print(
                "\n"
                + json.dumps(
                    {"executions": done, "accepted": accepted, "seconds": taken, "processor": used}
                ),
                flush=True,
            )
            os._exit(0)
        done += 1
        signal.setitimer(signal.ITIMER_PROF, LIMIT)
        try:
            accepted += fuzz_targets.check(target, data)
        except (Exception, Slow) as error:  # noqa: BLE001 - all of them are what is looked for
            signal.setitimer(signal.ITIMER_PROF, 0)
            keep(error, data)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)

    def keep(error: BaseException, data: bytes) -> None:
        """Write an input and its traceback, unless another failed in the same place."""
        frames = [
            frame
            for frame in traceback.extract_tb(error.__traceback__)
            if "rankconst" in frame.filename
        ]
        place = (
            f"{type(error).__name__} {[(frame.filename, frame.lineno) for frame in frames[-1:]]}"
        )
        if place in places:
            return
        places.add(place)
        name = f"{type(error).__name__}-{hashlib.sha256(data).hexdigest()[:12]}"
        (found / name).write_bytes(data)
        (found / f"{name}.txt").write_text(
            "".join(traceback.format_exception(error)), "utf-8", "backslashreplace"
        )

    flags = [f"-rss_limit_mb={_MEMORY}", "-timeout=300", "-verbosity=0", "-print_final_stats=0"]
    atheris.Setup(
        [sys.argv[0], *flags, "-max_len=40000", f"-artifact_prefix={found}/", str(corpus)], run_one
    )
    atheris.Fuzz()


def fuzz_apart(target: str, seconds: int) -> dict[str, Any]:
    """Fuzz one target in another process, started again where the process itself dies; return
    figures.
    """
    import fuzz_seeds

    corpus, found = HERE / "corpus" / target, HERE / "found" / target
    for folder in (corpus, found):
        folder.mkdir(parents=True, exist_ok=True)
    for seed in fuzz_seeds.list_seeds(target):
        (corpus / hashlib.sha256(seed).hexdigest()[:16]).write_bytes(seed)
    known = len(list(found.glob("*.txt")))
    total, died, used = dict.fromkeys(("executions", "accepted", "seconds", "processor"), 0), 0, 0.0
    while used < seconds and died < 5:
        command = [
            sys.executable, __file__, target, "--seconds", str(seconds - int(used)), "--here",
        ]  # fmt: skip
        before = os.times().children_user
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", check=False
        )
        if done.returncode == 0 and done.stdout.strip():
            figures = json.loads(done.stdout.strip().rpartition("\n")[2])
            total = {key: total[key] + figures[key] for key in total}
            break
        died, used = died + 1, used + os.times().children_user - before
        (found / f"died-{died}.txt").write_text(done.stderr[-20_000:], "utf-8")
    return {**total, "failures": len(list(found.glob("*.txt"))) - known}


def main() -> None:
    """Fuzz some targets, one after the other."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("targets", nargs="*")
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.here:
        (target,) = options.targets
        fuzz(target, options.seconds, HERE / "corpus" / target, HERE / "found" / target)
    from fuzz_targets import TARGETS

    for target in options.targets or TARGETS:
        row = f"| `{target}` | {' | '.join(f'{number:,}' for number in fuzz_apart(target, options.seconds).values())} |"
        print(row)
        others = re.sub(rf"^\| `{target}` \|.*\n", "", PAGE.read_text("utf-8"), flags=re.MULTILINE)
        PAGE.write_text(others.replace("<!-- /fuzzing -->", f"{row}\n<!-- /fuzzing -->"), "utf-8")


if __name__ == "__main__":
    main()
