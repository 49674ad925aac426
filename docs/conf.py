"""The documentation as pages of the site, from what GitHub shows: ``sphinx-build -W docs DIR``."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import rankconst

if TYPE_CHECKING:
    from sphinx.application import Sphinx

project = "rankconst"
project_copyright = author = "The rankconst developers"
release = version = rankconst.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
root_doc = "README"
html_theme = "furo"
html_title = "rankconst"
html_favicon = "../builder/rankconst_builder/site/static/icon.svg"
html_copy_source = False
myst_heading_anchors = 3
# Consoles and shells hold more than lexers know.
suppress_warnings = ["misc.highlighting_failure"]
autodoc_typehints = "none"


def prepare(_: Sphinx, name: str, source: list[str]) -> None:
    """Turn what GitHub shows into what Sphinx reads."""
    # What is beyond this folder is not on the site.
    text = re.sub(r"\[([^\]]+)\]\(\.\./[^)]+\)", r"\1", source[0])
    text = text.replace("```console", "```text")  # screens are no shell
    if name == root_doc:
        pages = dict.fromkeys(re.findall(r"\]\((\w+)\.md\b", text))
        text += "\n".join(["", "```{toctree}", ":hidden:", "", *pages, "reference", "```", ""])
    source[0] = text


def finish(app: Sphinx, error: Exception | None) -> None:
    """Let the folder open at its first page."""
    if error is None:
        first = (
            '<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; '
            'url=README.html">'
        )
        Path(app.outdir, "index.html").write_text(
            f'{first}<a href="README.html">Documentation</a>\n', encoding="utf-8"
        )


def setup(app: Sphinx) -> None:
    """Connect what changes the source, and what is written at the end."""
    app.connect("source-read", prepare)
    app.connect("build-finished", finish)
