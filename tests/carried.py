"""The tables that came with the package, opened once: for tests whose subject is something else."""

import functools
from typing import Any

from rankconst.tables.archive import Tables, load

_carried = functools.cache(load)


def open_once(*places: Any) -> Tables:
    """Stand in for load where many commands are run, or many constants looked up."""
    return load(*places) if places else _carried()
