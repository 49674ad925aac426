"""Does time grow with the input, or with its square? Asked so that a busy machine does not answer."""

import gc
import time
from collections.abc import Callable

FACTOR = 8  # the square would take 64 times as long


def grows_in_proportion(
    work: Callable[[int], Callable[[], object]], size: int, rounds: int = 4
) -> bool:
    """Whether work of eight times the size takes less than 24 times as long, in one round of a few at least.

    ``work(size)`` prepares an input and returns what is timed. What is quadratic fails in every
    round. The collector rests meanwhile: what it takes depends on all the objects that tests before
    this one have left.
    """

    def measure(size: int) -> float:
        run = work(size)
        begin = time.process_time()
        run()
        return time.process_time() - begin

    measure(size)
    gc.disable()
    try:
        return any(
            measure(FACTOR * size) < 3 * FACTOR * max(min(measure(size) for _ in range(3)), 0.002)
            for _ in range(rounds)
        )
    finally:
        gc.enable()
