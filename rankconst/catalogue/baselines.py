"""Baselines: the rankers that a published number is compared with.

A baseline scores candidates by what it knows of the training set, and only of its distinct triples. The protocol
removes known answers as for any other ranker; candidates of equal score are in random order. So the rank of a true
answer is uniform on ``offset + 1 .. offset + size``: `offset` candidates score higher, and `size` candidates, the true
answer included, score the same. What a query (h, r, ?) gives candidate e, (?, r, t) likewise:

    uniform     nothing
    frequency   the number of triples (x, r, e) in the training set
    inverse     1 if the training set has a triple (e, s, h) and s is an inverse of r, else 0
    counting    what inverse gives; among candidates that it gives the same, what frequency gives

Relations r and s are inverse if, in the training set, at least a share 0.99 - f of the triples (x, r, y) come with
(y, s, x), or of the triples (y, s, x) with (x, r, y), f being the share of valid and test in all triples; s may be r.
The model of Dettmers et al. looks for matches in valid, too, when it evaluates test: it answers somewhat more queries.

On benchmarks for forecasting, counting ranks by the last time at which (h, r, e) was seen in place of inverse: in the
training set for valid, in the training and validation sets for test.

To add a baseline, add a row here and its scores in the builder.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rankconst.catalogue.names import Names

if TYPE_CHECKING:
    from rankconst.catalogue.protocols import Protocol


class Baseline(NamedTuple):
    """A ranker whose expected results follow from the triples alone."""

    key: str
    title: str  # in a sentence: "the frequency baseline"
    summary: str  # one sentence for users: how it ranks
    brief: str  # the same in a few words
    spellings: tuple[str, ...] = ()
    reference: str = ""  # where it is defined or used
    since: str = ""  # the first version of the tables with it; empty if all have it
    until: str = ""  # the first version without it; empty if the newest has it


BASELINES: dict[str, Baseline] = {
    baseline.key: baseline
    for baseline in (
        Baseline(
            key="uniform",
            title="chance",
            summary="Ranks all candidates in random order.",
            brief="a random ranker",
            spellings=("random", "chance"),
            reference="Berrendorf et al. 2020; Hoyt et al. 2022",
        ),
        Baseline(
            key="range",
            title="range",
            summary="Ranks entities first that the training set has as head, or tail, of the relation.",
            brief="entities first that the relation has had",
            spellings=("type", "domain", "seen in place"),
            reference="the candidates of type-constrained ranking under the local closed-world assumption, "
            "Krompass et al. 2015",
            until="2.0.0",
        ),
        Baseline(
            key="frequency",
            title="frequency",
            summary="Ranks entities by how many triples of the training set have them as head, or tail, of the "
            "relation.",
            brief="entities first that the relation has had most often",
            spellings=("marginal", "popularity", "degree"),
            reference="PyKEEN's MarginalDistributionBaseline(entity_margin=False, relation_margin=True)",
        ),
        Baseline(
            key="inverse",
            title="inverse",
            summary="Ranks entities first that an inverse of the relation connects with the query's entity in the "
            "training set.",
            brief="entities first that an inverse relation connects",
            spellings=("inverse model",),
            reference="Inverse Model of Dettmers et al. 2018, arXiv:1707.01476, which looks for matches in valid, too",
        ),
        Baseline(
            key="counting",
            title="counting",
            summary="Ranks entities as inverse does, and breaks its ties by frequency. On benchmarks for forecasting, "
            "the facts seen most recently come first, then frequency.",
            brief="a ranker that only counts training triples",
            spellings=("recurrency", "recurrency baseline"),
            reference="inverse and frequency together; for forecasting, the strict recurrency baseline of Gastinger "
            "et al. 2024, History repeats itself: A baseline for temporal knowledge graph forecasting, "
            "arXiv:2404.16726, which does not look into the test period",
            since="2.0.0",
        ),
    )
}
"""The baselines by key, from the one that knows least."""

DEFAULT_BASELINE = "uniform"

FLOOR = "counting"
"""The baseline that every number is held to, besides chance."""

INFORMED: dict[str, Baseline] = {key: row for key, row in BASELINES.items() if key != DEFAULT_BASELINE}
"""Those that know something of the training set, on which they have no constants."""

OFFERED: dict[str, Baseline] = {key: row for key, row in BASELINES.items() if not row.until}
"""Those that new tables have."""

BUILT: tuple[str, ...] = tuple(key for key in OFFERED if key != DEFAULT_BASELINE)
"""Those that builds cover besides chance."""

_NAMES = Names("baseline", {key: row.spellings for key, row in BASELINES.items()})


def parse_baseline(name: str) -> Baseline:
    """Read a baseline's name in any usual spelling."""
    return BASELINES[_NAMES.resolve(name)]


ALL_BASELINES = "all"
"""What asks for every baseline."""


def explain_missing(baseline: Baseline, protocol: Protocol, split: str) -> str:
    """Say why a baseline has no constants there; empty if it has."""
    if baseline.key == DEFAULT_BASELINE:
        return ""
    if protocol.negatives is not None:
        return (
            f"baseline {baseline.key} has no constants under protocol {protocol.key}: they depend on which negatives "
            f"are drawn. Use --baseline {DEFAULT_BASELINE}."
        )
    if split == "train":
        return (
            f"baseline {baseline.key} has no constants on the training set, whose triples it knows. Name split valid "
            "or test, or leave out the baseline."
        )
    return ""
