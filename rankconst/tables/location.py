"""Where a set of tables can be: in a folder, in a zip file, at a URL, in a deposit with a DOI.

A zip file is read in place. What is on the network is downloaded once, checked as a whole, and cached as one zip file
in ``tables/`` of the cache folder (``RANKCONST_CACHE``, or the folder that the OS has for caches). From then on it is
read from there without a request, until you delete that file: ``rankconst.load(url).path`` names it.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from rankconst.errors import TablesError, UsageError
from rankconst.files import exists
from rankconst.names import shorten
from rankconst.tables.folder import DESCRIPTOR, find_set, is_zip

if TYPE_CHECKING:
    from rankconst.tables.folder import Folder


OUTPUT = "rankconst-tables"
"""The folder that builds write to, and in which the command line looks for what the other sets lack."""


def find_location(place: str | os.PathLike[str]) -> tuple[Path, Folder]:
    """Return the folder or zip file of a set on this machine, downloaded if need be, and what reads its files.

    The forms of `place` and the errors are those of :func:`rankconst.load`.
    """
    text = os.fspath(place) if isinstance(place, (str, os.PathLike)) else None
    if not isinstance(text, str):
        raise _refuse(shorten(repr(place)))
    if text.lower().startswith(("doi:", "http://", "https://")):
        # Downloads are seldom: what they need is imported for them alone.
        from rankconst.tables.remote import find_copy

        return find_copy(text)
    try:
        if "://" not in text and "\0" not in text:
            exists(Path(text))  # raises what is said of it
            return Path(text), find_set(Path(text), text) if is_zip(Path(text)) else Path(text)
    except PermissionError as error:
        raise TablesError(f"cannot read {text}: {error.strerror}. Check its permissions.") from error
    except OSError:  # too long for a name, a loop of links
        pass
    from rankconst.download import hide_login

    raise _refuse(repr(shorten(hide_login(text))))


def _refuse(shown: str) -> UsageError:
    return UsageError(
        f"{shown} is not a place that tables can be read from: expected a DOI, the URL of a {DESCRIPTOR}, the http or "
        "https URL of a zip file, a zip file, a folder."
    )
