"""Baselines: the rankers that a published number is compared with.

A baseline scores candidates by distinct facts of the graph. The protocol removes known answers as
for any other ranker, and candidates of equal score are in random order. So the rank of a true
answer is uniform on ``offset + 1 .. offset + size``: `offset` candidates score higher, and `size`
candidates, including the true answer, score the same. The score of candidate e for a query
(h, r, ?), and likewise for (?, r, t) with pairs reversed:

=========  =====================================================================================
uniform    nothing
frequency  the number of triples (x, r, e) in the training set
counting   the highest confidence of the rules with one body atom that hold in the training set,
           then frequency
=========  =====================================================================================

The rules are ::

    r'(x, y) -> r(x, y)    for every other relation r' with (h, r', e)
    r'(y, x) -> r(x, y)    for every relation r' with (e, r', h)
    r(x, z)  -> r(x, e)    which is frequency

Confidence is support / (body + 5). The body is the number of distinct pairs that it connects, or of
heads x that r has; the support is how many of these r connects in the same way. 5 is the constant
of AnyBURL, of whose rules these are the shortest. On the validation set this order is compared with
frequency alone, and counting is the better of the two; :data:`COUNTING` has the choices.

Where splits follow each other in time, counting ranks by the last time at which (h, r, e) was seen,
then by frequency. It knows the facts before the evaluated split (multi-step), or before the time of
the query (single-step).

To add a baseline, add a row here and its ranker in the builder.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rankconst.names import Names

if TYPE_CHECKING:
    from rankconst.catalogue.protocols import Protocol


class Baseline(NamedTuple):
    """A ranker with expected results that follow from the triples alone."""

    key: str
    title: str  # in a sentence: "the frequency baseline"
    summary: str  # one sentence for users: how it ranks
    brief: str  # the same in a few words
    spellings: tuple[str, ...] = ()
    reference: str = ""  # where it is defined or used


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
            key="frequency",
            title="frequency",
            summary=(
                "Ranks entities by how many triples of the training set have them as head, "
                "or tail, of the relation."
            ),
            brief="entities first that the relation has had most often",
            spellings=("marginal", "popularity", "degree"),
            reference=(
                "PyKEEN's MarginalDistributionBaseline(entity_margin=False, relation_margin=True)"
            ),
        ),
        Baseline(
            key="counting",
            title="counting",
            summary=(
                "Ranks each entity by how often, "
                "in training, pairs connected in the same way also had the relation, "
                "or the entity had it at all. Where the splits follow each other in time, it ranks "
                "what was seen most recently before the evaluated split first, then by frequency."
            ),
            brief="a ranker that only counts training triples",
            spellings=("recurrency", "recurrency baseline", "multi-step"),
            reference=(
                "the rules with one body atom of AnyBURL, Meilicke et al. 2019, "
                "Anytime bottom-up rule learning for knowledge graph completion, "
                "counted rather than sampled; in time, "
                "recurrency as in Gastinger et al. 2024, History repeats itself, arXiv:2404.16726"
            ),
        ),
        Baseline(
            key="counting_single_step",
            title="single-step counting",
            summary=(
                "Where the splits follow each other in time: "
                "ranks what was seen most recently before the query's time first, "
                "then by frequency until then; facts of valid and test are among what it sees."
            ),
            brief="the same from all facts before each query's time",
            spellings=("single-step", "single step recurrency"),
            reference=(
                "single-step forecasting, in which most models are evaluated, "
                "as told apart by Gastinger et al. 2023, Comparing apples and oranges?; "
                "recurrency as in Gastinger et al. 2024, arXiv:2404.16726"
            ),
        ),
    )
}
"""The baselines by key, from the one that knows least."""

DEFAULT_BASELINE = "uniform"
"""Chance: all ranks are equally likely."""

FLOOR = "counting"
"""The baseline that every number is held to, besides chance."""

SINGLE_STEP = "counting_single_step"
"""The floor of models that see all facts before a query's time, where splits follow in time."""

INFORMED: dict[str, Baseline] = {
    key: row for key, row in BASELINES.items() if key != DEFAULT_BASELINE
}
"""Those that know something of the training set, on which they have no constants."""


class Counting(NamedTuple):
    """The scores of counting on a graph."""

    key: str
    summary: str  # a sentence
    brief: str  # what counting is there, in a few words


COUNTING: dict[str, Counting] = {
    counting.key: counting
    for counting in (
        Counting(
            "rules",
            "Counting ranks each entity by how often, in training, "
            "pairs connected in the same way also had the relation, or the entity had it at all.",
            BASELINES[FLOOR].brief,
        ),
        Counting(
            "frequency",
            "Counting ranks each entity by how often it occurs with the relation in training; "
            "connections of the pair did worse on the validation set.",
            BASELINES[FLOOR].brief,
        ),
        Counting(
            "recency",
            "The splits follow each other in time, so counting forecasts: "
            "it ranks what was seen most recently first.",
            "a ranker that repeats the latest facts before the split",
        ),
    )
}
"""What counting can rank by: the column `counting` of the datasets says which it is."""

_NAMES = Names("baseline", {key: row.spellings for key, row in BASELINES.items()})


def parse_baseline(name: str) -> Baseline:
    """Read a baseline's name in any usual spelling."""
    return BASELINES[_NAMES.resolve(name)]


ALL_BASELINES = "all"
"""What asks for every baseline."""


def explain_missing(baseline: Baseline, protocol: Protocol, split: str) -> str:
    """Explain why a baseline has no constants under a protocol or on a split, if so."""
    if baseline.key == DEFAULT_BASELINE:
        return ""
    if protocol.negatives is not None:
        return (
            f"baseline {baseline.key} has no constants under protocol {protocol.key}: "
            f"they depend on which negatives are drawn. Use --baseline {DEFAULT_BASELINE}."
        )
    if split == "train":
        return (
            f"baseline {baseline.key} has no constants on the training set, "
            "whose triples it knows. Name split valid or test, or leave out the baseline."
        )
    return ""
