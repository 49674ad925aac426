"""``rankconst tables site``: a static site of a set of tables."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rankconst.cli.options import QuietOption, complete_dataset
from rankconst.download import Reporter, is_url
from rankconst.errors import UsageError
from rankconst.tables.tables import load


def site(
    out: Annotated[
        Path, typer.Option("--out", "-o", help="Folder of the site; an older site in it is replaced.", metavar="DIR")
    ],
    tables: Annotated[
        str | None,
        typer.Option(
            help="Folder, zip, URL or doi: of the tables. If left out: those that are included.", metavar="PLACE"
        ),
    ] = None,
    dataset: Annotated[
        list[str] | None,
        typer.Option(
            "--dataset", "-d", help="Only this dataset; repeatable.", metavar="KEY", autocompletion=complete_dataset
        ),
    ] = None,
    url: Annotated[str | None, typer.Option(help="Where the site will be, for search engines.", metavar="URL")] = None,
    docs: Annotated[
        Path | None, typer.Option(help="Folder of built documentation, to be part of the site.", metavar="DIR")
    ] = None,
    published: Annotated[
        Path | None,
        typer.Option(
            help="Results file with published numbers: the pages of their datasets show them.", metavar="FILE"
        ),
    ] = None,
    quiet: QuietOption = False,
) -> None:
    """Write a site: a calculator, a page for each dataset, and an address for every constant.

    It needs no server, and works from a folder: open index.html.

    Example: rankconst tables site --out public
    """
    from rankconst_builder.site import Order, write_site

    if url is not None and not is_url(url):
        raise UsageError(f"--url {url!r} must begin with https://: https://example.org/rankconst, for example.")
    opened = load(tables)
    keys = tuple(dict.fromkeys(opened.resolve_dataset(name) for name in dataset or ()))
    reporter = Reporter(quiet=quiet)
    address = f"{url.rstrip('/')}/" if url else ""
    sizes = write_site(Order(opened, out, keys, address, docs, published, reporter))
    total = sum(sizes.values()) / 1e6
    reporter.say(f"{out}: {len(sizes):,} files, {total:,.1f} MB, tables {opened.version}; open {out / 'index.html'}")
