"""``rankconst tables site``: a static site of a set of tables."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from rankconst.cli.options import ChosenDatasetsOption, OneSetOption, check_url, hide, option
from rankconst.tables.tables import load


def site(
    out: Annotated[
        Path, option("--out", "-o", help="Folder of the site; an older site in it is replaced.", metavar="DIR")
    ],
    tables: OneSetOption = None,
    dataset: Annotated[list[str] | None, hide(ChosenDatasetsOption)] = None,
    url: Annotated[
        str | None,
        option("--url", help="Where the site will be, for search engines.", metavar="URL", hidden=True),
    ] = None,
    docs: Annotated[
        Path | None,
        option("--docs", help="Folder of built documentation, to be part of the site.", metavar="DIR", hidden=True),
    ] = None,
    published: Annotated[
        Path | None,
        option(
            "--published",
            help="Results file with published numbers: the pages of their datasets show them.",
            metavar="FILE",
            hidden=True,
        ),
    ] = None,
) -> None:
    """Write a site: a calculator, a page for each dataset, and an address for every constant.

    It needs no server, and works from a folder: open index.html.

    Example: rankconst tables site --out public
    """
    from rankconst_builder.site import Order, write_site

    address = f"{url.rstrip('/')}/" if check_url(url, "https://example.org/rankconst") and url else ""
    opened = load(tables)
    keys = tuple(dict.fromkeys(opened.resolve_dataset(name) for name in dataset or ()))
    order = Order(opened, out, keys, address, docs, published)
    sizes = write_site(order)
    total = sum(sizes.values()) / 1e6
    order.reporter.say(
        f"{out}: {len(sizes):,} files, {total:,.1f} MB, tables {opened.version}; open {out / 'index.html'}"
    )
