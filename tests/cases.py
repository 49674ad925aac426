"""One test of many cases."""

from __future__ import annotations

import functools
import inspect
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence


def for_each(names: str | Sequence[str], cases: Iterable[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Run a test for one case after the other, where a test for each would take longer to begin and end than to run.

    The arguments are those of pytest.mark.parametrize; an error names its case.
    """
    listed = [names] if isinstance(names, str) else [*names]
    given: list[dict[str, Any]] = [
        dict(zip(listed, [case] if isinstance(names, str) else case, strict=True)) for case in cases
    ]

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(test)
        def run(**others: Any) -> None:
            assert given, "there is no case"
            for case in given:
                try:
                    test(**case, **others)
                except BaseException as error:
                    error.add_note(f"where {', '.join(f'{name} is {value!r}' for name, value in case.items())}")
                    raise

        signature = inspect.signature(test)
        left = [one for name, one in signature.parameters.items() if name not in listed]
        setattr(run, "__signature__", signature.replace(parameters=left))  # noqa: B010 - what pytest asks fixtures for
        del run.__wrapped__  # of functools.wraps: pytest would ask it
        return run

    return decorate
