"""Where a set of tables can be: in a folder, in a zip file, at a URL, in a deposit with a DOI.

A zip file is read in place. What is on the network is downloaded once, checked as a whole, and cached as one zip file
in ``tables/`` of the cache folder (``RANKCONST_CACHE``, or the folder that the OS has for caches). From then on it is
read from there without a request, until you delete that file: ``rankconst.load(url).path`` names it.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from rankconst.errors import TablesError, UsageError
from rankconst.files import exists
from rankconst.names import shorten
from rankconst.tables.folder import DESCRIPTOR, find_set, is_zip

if TYPE_CHECKING:
    from collections.abc import Callable

    from rankconst.tables.folder import Folder


OUTPUT = "rankconst-tables"
"""The folder that builds write to, and in which the command line looks for what the other sets lack."""


class Kind(NamedTuple):
    """A way to say where a set of tables is."""

    name: str
    recognise: Callable[[str], bool]  # asks nothing of the network
    fetch: str = ""  # the function of :mod:`rankconst.tables.remote` that downloads it; empty for what is here


def _is_url(text: str) -> bool:
    # Downloads are seldom: what they need is imported for them alone.
    from rankconst.download import is_url

    return is_url(text)


KINDS = (
    Kind("a DOI", lambda text: text.lower().startswith("doi:"), "fetch_deposit"),
    Kind(
        f"the URL of a {DESCRIPTOR}",
        lambda text: _is_url(text) and text.partition("#")[0].partition("?")[0].endswith(f"/{DESCRIPTOR}"),
        "fetch_folder",
    ),
    Kind("the http or https URL of a zip file", _is_url, "fetch_zip"),
    Kind("a zip file", lambda text: "://" not in text and is_zip(Path(text))),
    Kind("a folder", lambda text: "://" not in text and "\0" not in text),
)
"""The ways to say where tables are; the first that recognises a text is taken."""


def find_location(place: str | os.PathLike[str]) -> tuple[Path, Folder]:
    """Return the folder or zip file of a set on this machine, downloaded if need be, and what reads its files.

    The forms of `place` and the errors are those of :func:`rankconst.load`.
    """
    text = read_place(place)
    try:
        if "://" not in text:
            exists(Path(text))  # raises what is said of it
        found = next((kind for kind in KINDS if kind.recognise(text)), None)
    except PermissionError as error:
        raise TablesError(f"cannot read {text}: {error.strerror}. Check its permissions.") from error
    except (OSError, ValueError):  # too long for a name, a loop of links, a zero byte
        found = None
    if found is not None and found.fetch:
        from rankconst.tables import remote

        return remote.find_copy(text, getattr(remote, found.fetch))
    if found is not None:
        return Path(text), find_set(Path(text), text) if is_zip(Path(text)) else Path(text)
    from rankconst.download import hide_login

    raise _refuse(repr(shorten(hide_login(text))))


def read_place(place: object) -> str:
    """Return a place as text; UsageError if it is neither that nor a path."""
    text = os.fspath(place) if isinstance(place, (str, os.PathLike)) else None
    if isinstance(text, str):
        return text
    raise _refuse(shorten(repr(place)))


def _refuse(shown: str) -> UsageError:
    return UsageError(
        f"{shown} is not a place that tables can be read from: expected {', '.join(kind.name for kind in KINDS)}."
    )
