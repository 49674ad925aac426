"""HTML and SVG, as nested calls and in templates: text that is not :class:`Html` is escaped."""

from __future__ import annotations

import functools
from html import escape
from importlib import resources
from string import Template
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_VOID = {"input", "link", "meta"}
_SHAPES = {"circle", "path", "line"}


class Html(str):
    """Text that is HTML."""

    __slots__ = ()


def tag(name: str, /, *children: str, **attributes: str | float | bool | None) -> Html:
    """Return an element. Attributes that are False or None are left out."""
    start = f"<{name}"
    for key, value in attributes.items():
        if value is None or value is False:
            continue
        start += f" {key.rstrip('_').replace('_', '-')}"
        if value is not True:
            start += f'="{escape(str(value))}"'

    if name in _VOID:
        return Html(f"{start}>")
    if name in _SHAPES:
        return Html(f"{start}/>")
    return Html(f"{start}>{join(children)}</{name}>")


def join(children: Iterable[str]) -> Html:
    """Return texts and elements as one piece."""
    return Html("".join([_show(child) for child in children]))


def _show(text: str) -> str:
    return text if isinstance(text, Html) else escape(text, quote=False)


def fill(template: str, parts: Mapping[str, str]) -> Html:
    """Return a template of the folder ``templates`` with the parts that it names."""
    escaped = {}
    for name, part in parts.items():
        escaped[name] = part if isinstance(part, Html) else escape(part)
    return Html(_read_template(template).substitute(escaped))


@functools.cache
def _read_template(name: str) -> Template:
    """Read a template, without its indentation and line breaks."""
    file = resources.files("rankconst_builder").joinpath("templates", name)
    lines = file.read_text(encoding="utf-8").splitlines()
    return Template("".join([line.strip() for line in lines]))


def link(address: str, text: str) -> Html:
    """Return a link."""
    return tag("a", text, href=address)


def link_safely(address: str | None, text: str) -> str:
    """Return a link, or only the text if the address is not one of the web."""
    return link(address, text) if address and address.startswith(("https://", "http://")) else text


def table(headings: Iterable[str], rows: Iterable[Iterable[str]], **attributes: str | None) -> Html:
    """Return a table whose first column has the names of the rows."""
    head = tag("tr", *(tag("th", heading, scope="col") for heading in headings))
    body = []
    for name, *cells in rows:
        body.append(tag("tr", tag("th", name, scope="row"), *(tag("td", cell) for cell in cells)))
    return tag("table", tag("thead", head), tag("tbody", *body), **attributes)


def scroll(child: Html, label: str) -> Html:
    """Return a frame in which wide content scrolls, also with the keyboard."""
    return tag("div", child, class_="scroll", tabindex="0", role="region", aria_label=label)
