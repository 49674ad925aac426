"""Where published numbers come from: which tool evaluates how, with the evidence.

A source names a protocol, and says what else sets its numbers apart. A new one is a new row.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rankconst.errors import resolve_name, squash

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["SOURCES", "Source", "parse_source"]


@dataclass(frozen=True, slots=True)
class Source:
    """A tool, or a collection of results, with the way it evaluates.

    Attributes
    ----------
    key
        What users type.
    title
        The tool's own name.
    protocol
        The key of its protocol.
    ties
        How it ranks a true answer among others of the same score.
    reference
        The publication or page to cite.
    repositories
        Repositories whose numbers are evaluated so, as ``owner/name``.
    caveats
        Whole sentences on what users of its numbers must know.
    evidence
        Where its own text or code says so: repository, path, commit.
    batch
        If it ranks whole batches only: their size; the last, incomplete batch of evaluation triples is left out.
    refused
        Dataset, squashed, to the reason why its numbers on that dataset cannot be adjusted.
    """

    key: str
    title: str
    protocol: str
    ties: str
    reference: str
    repositories: tuple[str, ...] = ()
    caveats: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    batch: int | None = None
    refused: Mapping[str, str] = field(default_factory=dict)

    def refusal(self, dataset: str) -> str | None:
        """Return why numbers of this source on a dataset, in any spelling, cannot be adjusted; None if they can."""
        return self.refused.get(squash(dataset))


SOURCES: dict[str, Source] = {
    source.key: source
    for source in (
        Source(
            key="rotate",
            title="RotatE",
            protocol="standard",
            ties="the order that argsort leaves, not deterministic",
            reference="Sun et al. 2019, RotatE, arXiv:1902.10197",
            repositories=("DeepGraphLearning/KnowledgeGraphEmbedding",),
        ),
        Source(
            key="libkge",
            title="LibKGE",
            protocol="libkge",
            ties="rounded mean rank",
            reference="Broscheit et al. 2020, LibKGE, EMNLP demonstrations",
            repositories=("uma-pi1/kge",),
        ),
        Source(
            key="pykeen",
            title="PyKEEN",
            protocol="pykeen",
            ties="realistic: the mean of optimistic and pessimistic rank",
            reference="Ali et al. 2021, PyKEEN 1.0, JMLR 22(82)",
            repositories=("pykeen/pykeen",),
        ),
    )
}
"""Source key to source."""


def parse_source(name: str) -> Source:
    """Read the name of a source, or of a repository of one.

    Raises
    ------
    UnknownNameError
        For any other name.

    Examples
    --------
    >>> parse_source("uma-pi1/kge").key
    'libkge'
    """
    spellings = {source.key: (source.title, *source.repositories) for source in SOURCES.values()}
    return SOURCES[resolve_name("source", name, spellings, "`rankconst sources` lists them all.")]
