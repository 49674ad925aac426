"""``rankconst tables site``: a set of tables as static pages, with a calculator.

Every constant has an address of its own.
"""

from __future__ import annotations

import datetime as dt
import json
import os
import re
import shutil
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankconst.errors import TablesError, UnknownNameError, UsageError, explain_write_errors
from rankconst.files import exchange_folder, write_through
from rankconst.names import list_first
from rankconst.progress import Reporter
from rankconst.results.vocabulary import VOCABULARY
from rankconst.tables.citation import identify
from rankconst.tables.descriptor import COLUMNS
from rankconst.version import __version__
from rankconst_builder.describe import Edition, write_bibtex
from rankconst_builder.package import hold_folder
from rankconst_builder.site.data import (
    FIELDS,
    describe_dataset,
    describe_names,
    describe_words,
    select_offered,
    write_json,
)
from rankconst_builder.site.findings import (
    can_average,
    list_compared,
    read_published,
    write_averages,
    write_results,
)
from rankconst_builder.site.pages import (
    Site,
    write_about,
    write_calculator,
    write_dataset,
    write_list,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from rankconst.tables.archive import Tables

PAGES: dict[str, Callable[[Site], str]] = {
    "index.html": write_calculator,
    "datasets.html": write_list,
    "results.html": write_results,
    "averages.html": write_averages,
    "about.html": write_about,
}
"""File name to the writer of a page; there is one more page for each dataset."""

MARK = "site.json"
"""The file by which a folder is known to be a site."""

_FOLDERS = ("assets", "datasets", "docs", "v1")
_LEFT_ANYWHERE = (".DS_Store", "Thumbs.db", "desktop.ini")  # by systems
_PARTS = {*PAGES, *_FOLDERS, *_LEFT_ANYWHERE, ".nojekyll", MARK}

_IMPORT = re.compile(
    r'^import \{(?P<names>[^{}]+)\} from "\./(?P<module>\w+)\.js";\n', re.MULTILINE
)
# Whole lines of comments. No line of code or text in the scripts begins with these signs.
_COMMENT = re.compile(r"^[ \t]*(?://.*|/\*\*(?s:.*?)\*/)\n", re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|const|class) (?P<name>\w+))", re.MULTILINE)


def write_site(
    tables: Tables,
    out: Path,
    datasets: Sequence[str] = (),
    *,
    url: str = "",
    docs: Path | None = None,
    reporter: Reporter | None = None,
) -> dict[str, int]:
    """Write a site of some datasets, or all; return the size in bytes of each file by path.

    The site is written next to `out`, and replaces the old one in one step. `docs` is a folder of
    built documentation to copy, whose files are not counted.
    """
    check_folder(out)
    if docs is not None and not (docs / "index.html").is_file():
        raise UsageError(
            f"{docs} holds no index.html. Build the documentation: sphinx-build -W docs {docs}"
        )

    target = Path(os.path.realpath(out))  # if `out` is a link, it stays one
    draft = target.with_name(f".{target.name}.incoming")
    sizes = {}
    fresh = draft / "site"
    with hold_folder(draft, reporter or Reporter()):
        try:
            with explain_write_errors(f"to {out}", "Name another folder with --out."):
                shutil.rmtree(fresh, ignore_errors=True)  # of a process that was killed
                site = prepare_site(tables, datasets, url, has_docs=docs is not None)
                for path, text in _list_files(site):
                    content = text.encode()
                    (fresh / path).parent.mkdir(parents=True, exist_ok=True)
                    write_through(fresh / path, content)
                    sizes[path] = len(content)

                if docs is not None:
                    shutil.copytree(docs, fresh / "docs")

                exchange_folder(fresh, target)
        finally:
            shutil.rmtree(draft, ignore_errors=True)

    return sizes


def check_folder(out: Path) -> None:
    """Raise UsageError for a folder that a site cannot replace, as one with other files."""
    if out.exists() and not out.is_dir():
        raise UsageError(f"{out} is a file; name a folder with --out.")

    names = {path.name for path in out.iterdir()} if out.is_dir() else set()
    if names and MARK not in names:
        raise UsageError(f"{out} is not empty and holds no site; name another folder with --out.")

    strange = sorted(names - _PARTS)
    if strange:
        raise UsageError(
            f"the whole folder {out} would be replaced, and it holds other files than a site's: "
            f"{list_first(strange)}. Move them away, or name another folder with --out."
        )

    whole = Path(os.path.realpath(out))
    if not whole.parent.is_dir():
        raise UsageError(
            f"the folder {whole.parent} does not exist. Create it, or name another with --out."
        )
    if Path(os.path.realpath(os.curdir)).is_relative_to(whole):
        raise UsageError(
            f"{whole} would be replaced while you are in it. Go to another folder first: cd .."
        )


def prepare_site(tables: Tables, datasets: Sequence[str], url: str, *, has_docs: bool) -> Site:
    """Read what pages share, and choose the pages for which there is content.

    Raises UnknownNameError if the tables lack a dataset, and TablesError if it has no tasks.
    """
    keys = tuple(datasets or tables.datasets)
    if not keys:
        raise UnknownNameError(f"the tables ({tables.version}) hold no dataset to show.")

    site = Site(
        tables,
        keys,
        bibtex=_cite_tables(tables, url),
        url=url,
        published=read_published(tables, keys),
        described={key: describe_dataset(tables, key) for key in keys},
    )
    for key in keys:
        if not site.list_tasks(key):
            raise TablesError(
                f"the tables ({tables.version}) name {key}, but hold no tasks of it. Build the "
                "set again."
            )

    return replace(site, pages=_choose_pages(site, has_docs=has_docs))


def _cite_tables(tables: Tables, url: str) -> str:
    """Return the BibTeX entry of the tables, with today's date if they have none."""
    created = str(tables.descriptor.get("created", ""))[:10]  # the day of a time in ISO 8601
    date = dt.date.fromisoformat(created) if created else dt.datetime.now(tz=dt.UTC).date()
    return write_bibtex(
        Edition(
            version=tables.version,
            date=date,
            tables={},
            descriptor=tables.descriptor,
            url=url or None,
        )
    )


def _choose_pages(site: Site, *, has_docs: bool) -> tuple[str, ...]:
    """Return the pages of the navigation, without results or averages if there are none."""
    pages = list(PAGES)
    if not list_compared(site):
        pages.remove("results.html")

    if not can_average(site.tables):
        pages.remove("averages.html")

    if has_docs:
        pages.append("docs/index.html")

    return tuple(pages)


def _list_files(site: Site) -> Iterator[tuple[str, str]]:
    """Yield the path and the content of every file."""
    version = site.tables.version
    for key in site.keys:
        yield f"v1/{version}/{key}.json", write_json(site.described[key])
        offered = write_json(select_offered(site.described[key]))
        yield f"assets/{version}/{key}.js", f"rankconst.sets[{write_json(key)}]={offered};\n"
        yield f"datasets/{key}.html", write_dataset(site, key)

    # Indented, unlike the other JSON: people read it first, to learn what the others hold.
    yield f"v1/{version}/index.json", json.dumps(_describe_set(version, site.keys), indent=1)
    yield "v1/index.json", write_json({"versions": [f"{version}/index.json"]})
    for name, write in PAGES.items():
        if name in site.pages:
            yield name, write(site)

    yield from _list_scripts(site)
    for name in ("style.css", "icon.svg"):
        yield f"assets/{name}", _read_static(name)

    yield ".nojekyll", ""  # tells GitHub Pages to serve the files as they are
    # By this file the next build knows that the folder is a site, and may be replaced.
    yield MARK, write_json({"generator": f"rankconst {__version__}", "tables": version})


def _describe_set(version: str, keys: Sequence[str]) -> dict[str, Any]:
    """Return the index of a set of tables, which explains its files."""
    address = identify(version, "DATASET", "TASKS", "METRIC")
    descriptions = {column.name: column.description for column in COLUMNS["constants"]}
    fields = {name: descriptions[name] for name in FIELDS}
    listed = ", ".join(FIELDS)
    return {
        "version": version,
        "licence": "CC0-1.0",
        "fields": fields,
        "address": f"{address} is constants[TASKS][METRIC] of DATASET.json, a list of {listed}",
        "datasets": {key: f"{key}.json" for key in keys},
    }


# -- scripts ---------------------------------------------------------------------------------------


def _list_scripts(site: Site) -> Iterator[tuple[str, str]]:
    """Yield the path and the content of each script."""
    names = write_json(describe_names(site.tables, site.keys))
    # The script of each dataset adds its constants to the sets when it is loaded.
    yield "assets/names.js", f"globalThis.rankconst={{names:{names},sets:{{}}}};\n"
    start = '"use strict";\nconst modules = {};\n'
    calculator = list_modules("calculator")
    for name in ("calculator", "search"):
        yield f"assets/{name}.js", f"{start}{join_modules(list_modules(name))}"

    reader = [name for name in list_modules("pasted") if name not in calculator]
    yield (
        "assets/reader.js",
        f'"use strict";\nrankconst.words={write_json(describe_words())};\n'
        f"rankconst.roles={write_json(dict(VOCABULARY.roles))};\n{join_modules(reader)}",
    )


def list_modules(first: str) -> list[str]:
    """List a module and all that it imports, each after what it imports itself."""
    modules: dict[str, None] = {}

    def add(name: str) -> None:
        if name not in modules:
            for match in _IMPORT.finditer(_read_static(f"{name}.js")):
                add(match["module"])
            modules[name] = None

    add(first)
    return list(modules)


def join_modules(names: Iterable[str]) -> str:
    """Join modules into one classic script, as pages opened from a folder load no modules.

    Each module becomes a function that returns its exports: ``export function f`` of text.js is
    ``modules.text.f``.
    """
    joined = []
    for name in names:
        source = _COMMENT.sub("", _read_static(f"{name}.js"))
        exported = ", ".join(match["name"] for match in _EXPORT.finditer(source))
        body = _EXPORT.sub("", _IMPORT.sub(r"const { \g<names> } = modules.\g<module>;\n", source))
        joined.append(f"modules.{name} = (() => {{\n{body}return {{ {exported} }};\n}})();\n")
    return "".join(joined)


def _read_static(name: str) -> str:
    file = resources.files("rankconst_builder.site").joinpath("static", name)
    return file.read_text(encoding="utf-8")
