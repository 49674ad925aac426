"""Baselines: the rankers that a published number is compared with.

A baseline scores candidates by what it knows of train, and only of its distinct triples. The protocol removes known
answers as for any other ranker; candidates of equal score are in random order. So the rank of a true answer is uniform
on ``offset + 1 .. offset + size``: `offset` candidates score higher, and `size` candidates, the true answer included,
score the same. A new baseline is a new row, and its scores in the builder.
"""

from __future__ import annotations

from dataclasses import dataclass

from rankconst.names import Names


@dataclass(frozen=True, slots=True)
class Baseline:
    """A ranker whose expected results follow from the triples alone."""

    key: str
    title: str  # in a sentence: "the frequency baseline"
    summary: str  # one sentence for users: how it ranks
    spellings: tuple[str, ...] = ()
    reference: str = ""  # where it is defined or used


BASELINES: dict[str, Baseline] = {
    baseline.key: baseline
    for baseline in (
        Baseline(
            key="uniform",
            title="chance",
            summary="Ranks all candidates in random order.",
            spellings=("random", "chance"),
            reference="Berrendorf et al. 2020; Hoyt et al. 2022",
        ),
        Baseline(
            key="range",
            title="range",
            summary="Ranks entities that occur in that place of the relation in train above the others.",
            spellings=("type", "domain", "seen in place"),
            reference="the candidates of type-constrained ranking under the local closed-world assumption, "
            "Krompass et al. 2015",
        ),
        Baseline(
            key="frequency",
            title="frequency",
            summary="Ranks entities by the number of train triples in which they occur in that place of the relation.",
            spellings=("marginal", "popularity", "degree"),
            reference="PyKEEN's MarginalDistributionBaseline(entity_margin=False, relation_margin=True)",
        ),
        Baseline(
            key="inverse",
            title="inverse",
            summary="Ranks entities first that an inverse relation connects with the query's entity in train.",
            spellings=("inverse model",),
            reference="Dettmers et al. 2018, section 5.2",
        ),
    )
}
"""The baselines by key, from the one that knows least."""

DEFAULT_BASELINE = "uniform"

INFORMED: dict[str, Baseline] = {key: row for key, row in BASELINES.items() if key != DEFAULT_BASELINE}
"""Those that know something of train; they have no constants on train itself."""

_NAMES = Names("baseline", {key: row.spellings for key, row in BASELINES.items()})


def parse_baseline(name: str) -> Baseline:
    """Read a baseline's name in any usual spelling."""
    return BASELINES[_NAMES.resolve(name)]


ALL_BASELINES = "all"
"""What asks for every baseline."""


def list_baselines(name: str | None) -> tuple[str, ...]:
    """Return the keys of the baselines that are asked for: chance if none is."""
    if name is None:
        return (DEFAULT_BASELINE,)
    return tuple(BASELINES) if name == ALL_BASELINES else (parse_baseline(name).key,)
