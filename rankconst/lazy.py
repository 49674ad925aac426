"""Names of a package that are imported when first asked for (PEP 562), so that importing the package is quick."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping


def attach(
    package: str, homes: Mapping[str, str], modules: Collection[str] = ()
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` of a package.

    Parameters
    ----------
    package
        Its ``__name__``.
    homes
        Name to the module of the package that defines it, ``"results.readers"`` for one in a package of its own. No
        name may be that of a module, which would hide it.
    modules
        Further modules that are to be had as attributes; those of `homes` are.
    """
    known = {*(home.partition(".")[0] for home in homes.values()), *modules}

    def get(name: str) -> object:
        owner = sys.modules[package]
        if name in homes:
            value: object = getattr(import_module(f"{package}.{homes[name]}"), name)
            setattr(owner, name, value)  # the next access does not come here
            return value
        if name in known:
            return import_module(f"{package}.{name}")
        # With name and obj, Python itself adds "Did you mean" to a traceback.
        raise AttributeError(f"module {package!r} has no attribute {name!r}", name=name, obj=owner)

    def list_names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *homes, *known})

    return get, list_names
