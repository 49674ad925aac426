"""The words that cite a constant of the tables, and the BibTeX entry of a version of them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rankconst.catalogue.baselines import BASELINES, DEFAULT_BASELINE
from rankconst.values.published import show_number
from rankconst.version import __version__, parse_version

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rankconst.tables.archive import Tables
    from rankconst.values.constants import Constants

AUTHORS = "The rankconst developers"
"""The authors of the tables and of the program."""

FRAMEWORK = "Hoyt et al. 2022 (arXiv:2203.07544)"
"""The paper whose framework the tables follow."""

_DIGITS = 6  # as `rankconst show` prints


def identify(version: str, dataset: str, *parts: str) -> str:
    """Return an identifier, such as ``rankconst:1.2.0/fb15k237/test/both/standard/mrr``."""
    return f"rankconst:{version}/{'/'.join((dataset, *parts))}"


def cite_constant(constants: Constants, title: str, *, tabulated: bool) -> str:
    """Return a sentence for a paper: the constant, its tasks and its source."""
    tasks, metric, version = constants.tasks, constants.metric, constants.table_version
    ranker = f"the {BASELINES[tasks.baseline].title} baseline"
    if tasks.is_chance:
        ranker = "a random ranker"

    without_baseline = replace(tasks, baseline=DEFAULT_BASELINE)
    where = f"{without_baseline.describe()}; {constants.num_tasks:,} ranking tasks"
    candidates = identify(version, str(tasks))
    if parse_version(version) is None:
        source = f"computed with rankconst {__version__} from the candidates of {tasks}"
    elif tabulated:
        source = f"constant {candidates}/{metric.label.lower()} of the rankconst tables {version}"
    else:
        source = f"computed from tables {version} of rankconst, candidates {candidates}"

    value = show_number(constants.expectation, _DIGITS)
    return (
        f"The expected {metric.label} of {ranker} on {title} ({where}) is {value}: "
        f"{source}, following {FRAMEWORK}."
    )


def cite_dataset(key: str, title: str, paper: str, version: str) -> str:
    """Return the sentence that cites a dataset and its constants."""
    source = f"rankconst {__version__}, computed from the files"
    if parse_version(version):
        source = f"the rankconst tables {version} ({identify(version, key)})"
    dataset = f"{title} ({paper})" if paper else title
    return f"{dataset}, with what a random ranker gets from {source}, following {FRAMEWORK}."


def find_creator(descriptor: Mapping[str, Any]) -> str:
    """Return who made a released set, as its ``datapackage.json`` says."""
    (creator, *_) = descriptor.get("contributors") or [{"title": AUTHORS}]
    return str(creator["title"])


def write_bibtex(
    title: str, version: str, year: int, url: str | None = None, author: str = AUTHORS
) -> str:
    """Return the BibTeX entry of a version of the tables."""
    fields = {"title": title, "author": f"{{{author}}}", "version": version, "year": str(year)}
    if url:
        fields["url"] = url
    return _write_entry("misc{rankconst_tables", fields)


def _write_entry(head: str, fields: Mapping[str, str]) -> str:
    lines = [f"  {name} = {{{value}}}" for name, value in fields.items()]
    return f"@{head},\n" + ",\n".join(lines) + "\n}"


_HOYT = {
    "title": "A Unified Framework for Rank-based Evaluation Metrics for Link Prediction in "
    "Knowledge Graphs",
    "author": "Hoyt, Charles Tapley and Berrendorf, Max and Galkin, Mikhail and Tresp, Volker and "
    "Gyori, Benjamin M.",
    "journal": "arXiv preprint arXiv:2203.07544",
    "year": "2022",
    "url": "https://arxiv.org/abs/2203.07544",
}


def cite_program() -> str:
    """Return the BibTeX entries of the program and of the paper on its framework."""
    title = "rankconst: chance expectations and variances of ranking metrics on link-prediction"
    program = {"title": f"{title} benchmarks", "author": f"{{{AUTHORS}}}", "version": __version__}
    entries = (("software{rankconst", program), ("article{hoyt2022unified", _HOYT))
    return "\n".join(_write_entry(head, fields) for head, fields in entries)


def cite_tables(tables: Tables) -> str:
    """Return the BibTeX entry of a set; empty for one that was not released."""
    year = str(tables.descriptor.get("created", ""))[:4]
    if parse_version(tables.version) is None or not year.isdecimal():
        return ""
    title, author = str(tables.descriptor["title"]), find_creator(tables.descriptor)
    return write_bibtex(title, tables.version, int(year), author=author)
