"""HTML and SVG as nested calls: whatever is not :class:`Html` already is escaped."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_VOID = {"input", "link", "meta", "circle", "path", "line"}


class Html(str):
    """Text that is HTML."""

    __slots__ = ()


def tag(name: str, /, *children: str, **attributes: str | float | bool | None) -> Html:
    """Return an element; attributes that are False or None are left out.

    ``class_`` is written without its underscore, ``http_equiv`` with a dash.
    """
    written = "".join(
        f" {key.rstrip('_').replace('_', '-')}"
        + ("" if value is True else f'="{escape(str(value))}"')
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    if name in _VOID:
        return Html(
            f"<{name}{written}>" if name in {"input", "link", "meta"} else f"<{name}{written}/>"
        )
    inner = "".join(
        child if isinstance(child, Html) else escape(child, quote=False) for child in children
    )
    return Html(f"<{name}{written}>{inner}</{name}>")


def link(address: str, text: str) -> Html:
    """Return a link."""
    return tag("a", text, href=address)


def link_safely(address: str | None, text: str) -> str:
    """Return a link; only the text if the address is not one of the web."""
    return link(address, text) if address and address.startswith(("https://", "http://")) else text


def table(headings: Iterable[str], rows: Iterable[Iterable[str]], **attributes: str | None) -> Html:
    """Return a table whose first column names the rows; wide ones scroll inside their frame."""
    head = tag("tr", *(tag("th", heading, scope="col") for heading in headings))
    body = []
    for first, *others in rows:
        body.append(tag("tr", tag("th", first, scope="row"), *(tag("td", cell) for cell in others)))
    return tag("table", tag("thead", head), tag("tbody", *body), **attributes)


def scroll(child: Html, label: str) -> Html:
    """Return a frame in which something wide can be scrolled, with the keyboard too."""
    return tag("div", child, class_="scroll", tabindex="0", role="region", aria_label=label)
