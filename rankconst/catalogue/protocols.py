"""Evaluation protocols: what is ranked, without which known answers, and how it is averaged.

"FB15k-237 test" is not one set of ranking tasks: tools differ in these three choices, and so do the
constants. To add a protocol, add a row.

The facts of a temporal graph have a head, a relation, a tail and a time. Each fact is a task on
either side, with its time given. Protocols differ in whether a known answer of another time is
removed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple

from rankconst.catalogue import read_rows
from rankconst.errors import UndefinedError, UnknownNameError, UsageError
from rankconst.names import Names, require_text, resolve_name, squash

if TYPE_CHECKING:
    from collections.abc import Sequence

SPLITS: dict[str, tuple[str, ...]] = {
    "train": ("training",),
    "valid": ("validation", "val", "dev", "development", "validate"),
    "test": ("testing",),
}
"""Splits in their order, with the spellings that are accepted."""

POOLED_SPLITS: dict[str, tuple[str, ...]] = {"valid+test": ("valid", "test")}
"""Splits whose tasks are evaluated together, each with the candidates that it has alone."""

SIDES: dict[str, tuple[str, ...]] = {
    "head": ("left", "lhs", "subject", "h", "s"),
    "tail": ("right", "rhs", "object", "t", "o"),
    "both": (),
    "relation": ("predicate", "rel"),
}
"""Sides with their further spellings; ``both`` pools the ranks of head and tail."""

ENTITY_SIDES = ("head", "tail")
"""The sides that ``both`` pools."""

RELATION_SIDE = "relation"
"""The side of tasks (h, ?, t)."""

LINK_SIDES: dict[str, tuple[str, ...]] = {
    side: words for side, words in SIDES.items() if side != RELATION_SIDE
}
"""The sides of link prediction, which ranks entities; files mean these."""

RANK_TYPES: dict[str, str] = {
    "realistic": "realistic",
    "avg": "realistic",
    "optimistic": "optimistic",
    "best": "optimistic",
    "pessimistic": "pessimistic",
    "worst": "pessimistic",
    "nondeterministic": "nondeterministic",
}
"""Spelling of a tie policy to its name in PyKEEN since 1.5."""

_FULL_DISTRIBUTION = (
    "A random ranker puts the true answer of task i at a rank uniform on 1 to N_i, "
    "N_i being the number of candidates that remain, the true one included; tasks are independent."
)
_FULL_NEEDS = (
    "the number of candidates of every task: "
    "a dataset of the tables, or triples for `rankconst build`"
)

# What protocols differ in: each value of a field of Protocol, with the words that describe it.

CANDIDATES = {
    "all": "all entities",
    "seen": "entities seen in training",
    "placed": "heads and tails",
}
TASKS = {"all": "all rows", "seen": "rows with nothing unseen"}
KNOWN = {
    "all": "in all three splits",
    "up_to": "up to the evaluated split",
    "own": "in train and the evaluated split",
    "none": "none",
}
TIMES = {"any": "at any time", "same": "at the same time"}


@dataclass(frozen=True, slots=True)
class Protocol:
    """An evaluation protocol."""

    key: str
    summary: str  # one sentence for users
    # Which entities are ranked. Heads and tails are those of all splits.
    candidates: Literal["all", "seen", "placed"] = "all"
    # Which rows are ranked: all, or those whose head, relation and tail occur in train.
    tasks: Literal["all", "seen"] = "all"
    distinct: bool = False  # True if an evaluation triple listed twice is ranked once
    # Which triples are removed as known answers; for valid, up_to means those of train and valid.
    known: Literal["all", "up_to", "own", "none"] = "all"
    used_by: tuple[str, ...] = ()
    # In temporal graphs, the time of the known answers that are removed; None for graphs without
    # time.
    time: Literal["any", "same"] | None = None
    qualified: bool = False  # True for statements; known answers have the same qualifiers
    spellings: tuple[str, ...] = ()
    # How many sampled entities the true answer is ranked among; None for all.
    negatives: int | None = None
    shared: bool = False  # True if these are the same for all tasks
    distribution: str = _FULL_DISTRIBUTION  # how a random ranker's ranks are distributed
    needs: str = _FULL_NEEDS  # what the constants follow from
    reference: str = ""  # who evaluates so, or where it is defined
    refused: str = ""  # why there are no constants; empty if there are

    def __post_init__(self) -> None:
        if self.candidates == "seen" and self.tasks != "seen":
            raise UsageError(
                f"protocol {self.key}: a task's true answer must be a candidate; "
                "rank seen triples only."
            )

    def known_splits(self, split: str) -> tuple[str, ...]:
        """Return the splits whose triples are removed when `split` is evaluated."""
        order = tuple(SPLITS)
        if self.known == "none":
            return ()
        if self.known == "own":
            return tuple(dict.fromkeys(("train", split)))
        if self.known == "up_to":
            return order[: order.index(split) + 1]
        return order

    @property
    def ranks_relations(self) -> bool:
        """Whether there are tasks (h, ?, t)."""
        return self.negatives is None and not self.qualified

    @property
    def relation_summary(self) -> str:
        """The `summary` of tasks (h, ?, t)."""
        ranked = "Every relation is ranked"
        if self.candidates == "seen":
            ranked = (
                "Relations of the training set are ranked, "
                "triples with anything unseen in it are dropped"
            )
        elif self.time is not None:
            ranked = (
                "Every relation and its inverse is ranked, "
                "and each fact asked for in both directions"
            )

        if self.known == "none":
            return f"{ranked}, in temporal graphs its inverse, too; no known one is removed."

        when = " at the same time" if self.time == "same" else ""
        return f"{ranked}; other relations of the pair{when} {KNOWN[self.known]} are removed."

    def fits(self, temporal: bool, qualified: bool = False) -> bool:
        """Return True if the protocol is for graphs with times, qualifiers or neither."""
        if self.known == "none":  # nothing that is removed depends on times or qualifiers
            return True
        # Protocols for qualifiers also have a time: qualifiers are in its place.
        return (self.time is not None, self.qualified) == (temporal or qualified, qualified)


PROTOCOLS: dict[str, Protocol] = {
    protocol.key: protocol
    for protocol in (
        Protocol(
            key="standard",
            used_by=("RotatE", "ConvE", "kbc", "TuckER", "NBFNet", "OpenKE"),
            summary="Every entity is ranked; known answers of all three splits are removed.",
        ),
        Protocol(
            key="libkge",
            known="up_to",
            used_by=("LibKGE", "CoDEx"),
            summary="Every entity is ranked; known answers up to the evaluated split are removed.",
        ),
        Protocol(
            key="pykeen",
            candidates="seen",
            tasks="seen",
            distinct=True,
            known="up_to",
            used_by=("PyKEEN", "AmpliGraph"),
            summary=(
                "Entities of the training set are ranked, triples with anything "
                "unseen in it are dropped; known answers up to the evaluated split are removed."
            ),
        ),
        Protocol(
            key="raw",
            known="none",
            summary="Every entity is ranked; no known answer is removed.",
            spellings=("unfiltered",),
        ),
        Protocol(
            key="static",
            time="any",
            spellings=("static filter", "time-unaware", "time-independent"),
            summary=(
                "For temporal graphs: every entity is ranked; "
                "known answers of any time and all three splits are removed."
            ),
            reference=(
                "Bordes et al. 2013 with the time left out, as in Gastinger et al. 2023, Comparing "
                "apples and oranges?, https://github.com/nec-research/TKG-Forecasting-Evaluation"
            ),
        ),
        Protocol(
            key="time-aware",
            time="same",
            used_by=("RE-GCN", "xERTE", "TNTComplEx", "ATiSE"),
            spellings=(
                "time-aware filter",
                "time filter",
                "time-filtered",
                "time-wise",
                "time-dependent",
            ),
            summary=(
                "For temporal graphs: every entity is ranked; "
                "known answers of the same time and all three splits are removed."
            ),
            reference=(
                "Goel et al. 2020, Diachronic embedding, arXiv:1907.03143; Han et al. 2021, xERTE, "
                "openreview.net/forum?id=pGIHq1m7PU"
            ),
        ),
        Protocol(
            key="qualified",
            time="same",
            qualified=True,
            used_by=("HAHE",),
            spellings=("statements",),
            summary=(
                "For statements: every entity is ranked, also those in qualifiers only; known "
                "answers of all three splits with the same relation and qualifiers are removed."
            ),
            reference=(
                "Luo et al. 2023, HAHE, https://github.com/LHRLAB/HAHE/blob/"
                "a97ac5b7d7dc7911df873dd3106cbb42a9021d4e/src/evaluation.py; "
                "StarE on JF17K, where it ranks its padding token, too"
            ),
        ),
        Protocol(
            key="stare",
            candidates="placed",
            time="same",
            qualified=True,
            used_by=("StarE on WD50K",),
            summary=(
                "For statements: entities that are head or tail of a statement are ranked; known "
                "answers of all three splits with the same relation and qualifiers are removed."
            ),
            reference=(
                "Galkin et al. 2020, StarE, with ENT_POS_FILTERED, its default, "
                "https://github.com/migalkin/StarE/blob/"
                "d2a2f5d8a02c992f9a2a3eb337ba6388acd85337/run.py and loops/evaluation.py"
            ),
        ),
    )
}
"""The protocols that builds cover, by key; there is also ``sampled:M`` for any M."""

OWN_COUNTS = Protocol(
    key="own counts",
    known="none",
    summary="Candidates are as you counted them.",
)
"""The protocol of constants from candidate counts that the user gives; never offered."""

UNTABLED: dict[str, Protocol] = {
    "train+test": Protocol(
        key="train+test",
        known="own",
        used_by=("ULTRA with merge_valid_test=False",),
        summary=(
            "As standard, but only known answers of train and the evaluated split are removed: "
            "for test, those of valid stay."
        ),
        reference=(
            "ULTRA evaluates so on GraIL's graphs if you ask it not to merge valid and test: "
            "https://github.com/DeepGraphLearning/ULTRA/blob/"
            "04d5c13a440a1b72be3a0208fcc92e7242cab7a5/ultra/datasets.py"
        ),
    ),
    "pykeen-train+test": Protocol(
        key="pykeen-train+test",
        candidates="seen",
        tasks="seen",
        distinct=True,
        known="own",
        used_by=("PyKEEN 1.0 to 1.4", "PyKEEN with filter_validation_when_testing=False"),
        summary=(
            "As pykeen, but only known answers of train and the evaluated split are removed: "
            "for test, those of valid stay."
        ),
        reference="PyKEEN 1.0 to 1.4, https://github.com/pykeen/pykeen/issues/397",
    ),
}
"""Protocols that results may be of but that only tables of your own hold, by key."""

DEFAULT_PROTOCOL = "standard"
"""The protocol of numbers without a declared one."""


class Sampling(NamedTuple):
    """A way of drawing negatives, from ``samplings.toml``, which explains the fields."""

    key: str
    summary: str
    distribution: str
    spellings: Sequence[str] = ()
    needs: str = "the number of tasks"
    reference: str = ""
    refused: str = ""
    shared: bool = False


@cache
def load_samplings() -> dict[str, Sampling]:
    """Read the ways of drawing negatives, by key."""
    return {key: Sampling(key, **row) for key, row in read_rows("samplings").items()}


DEFAULT_SAMPLING = "distinct"
"""The way in which ``sampled:M`` draws its negatives."""

_SAMPLED = re.compile(r"^sampled[:_ -]?(\d{1,15})(?:[:_ -]+([a-z][a-z _-]*))?$", re.ASCII)

_NAMES = Names(
    "protocol",
    {key: row.spellings for key, row in PROTOCOLS.items()},
    "Or sampled:M, M negatives a task.",
)
_SPLIT_NAMES = Names("split", {**SPLITS, "valid+test": ("validation+test", "test+valid")})
# The words for the mean of both sides; in a name of a metric, they may be about something else.
_MEANS = ("average", "avg", "mean")
_SIDE_NAMES = Names("side", {**SIDES, "both": (*SIDES["both"], *_MEANS)})


def parse_protocol(name: str) -> Protocol:
    """Read the name of a protocol, or raise UndefinedError if it has no constants."""
    protocol = find_protocol(require_text(name))
    if protocol.refused:
        raise UndefinedError(protocol.refused)
    return protocol


def is_filtered(name: str) -> bool:
    """Return True for the word filtered, which does not say what was removed."""
    return squash(name) in {"filtered", "filter", "filt"}


def is_sampled(name: str) -> bool:
    """Return True for the name of a protocol with sampled negatives."""
    return squash(name).startswith("sampled")


@lru_cache(maxsize=256)
def find_protocol(name: str) -> Protocol:
    """Read the name of a protocol, which may have no constants.

    Raises UnknownNameError for unknown names, for names of tools, and for "filtered", which may
    mean several protocols.
    """
    exact = {**PROTOCOLS, **UNTABLED, OWN_COUNTS.key: OWN_COUNTS}.get(name)
    if exact is not None:
        return exact
    if is_filtered(name):
        raise UnknownNameError(
            f"{name} names no protocol: all but raw are filtered, each in its own way. "
            f"Leave it out for that of the tool, or for {DEFAULT_PROTOCOL}; a temporal graph has "
            "time-aware and static."
        )

    sampled = _SAMPLED.match(name.strip().lower())
    if sampled is not None:
        return _sample(name, int(sampled[1]), sampled[2])

    plain = squash(name)
    for protocol in PROTOCOLS.values():
        tools = {squash(tool) for tool in protocol.used_by}
        if plain in tools and plain not in PROTOCOLS:
            raise UnknownNameError(
                f"{name} is a tool, not a protocol: it evaluates under protocol {protocol.key}."
            )

    return PROTOCOLS[_NAMES.resolve(name)]


def check_negatives(protocol: Protocol, dataset: str, num_entities: int) -> None:
    """Raise UsageError if a protocol draws more distinct negatives than there are entities.

    Negatives that tasks share are pairs of entities, which are many more.
    """
    negatives = protocol.negatives or 0
    if negatives >= num_entities and not protocol.shared:
        raise UsageError(
            f"{protocol.key} takes {negatives:,} distinct negatives, but {dataset} has only "
            f"{num_entities - 1:,} other entities. If entities were drawn more than once: "
            f"rankconst show sampled:{negatives}:replacement"
        )


def _sample(name: str, negatives: int, way: str | None) -> Protocol:
    """Return the protocol that ranks among so many negatives, drawn in a way or the usual one."""
    if negatives < 1:
        raise UnknownNameError(
            f"protocol {name!r} needs at least one negative: sampled:500, for example."
        )

    samplings = load_samplings()
    spellings = {key: row.spellings for key, row in samplings.items()}
    sampling = samplings[resolve_name("way of sampling", way or DEFAULT_SAMPLING, spellings)]
    texts = {
        name: getattr(sampling, name).format(m=negatives, total=negatives + 1)
        for name in ("summary", "distribution", "needs", "reference", "refused")
    }
    key = f"sampled:{negatives}"
    used_by: tuple[str, ...] = ()
    if sampling.key != DEFAULT_SAMPLING:
        key += f":{sampling.key}"
    elif negatives == 500:
        used_by = ("OGB",)

    return Protocol(
        key=key,
        known="none",
        negatives=negatives,
        shared=sampling.shared,
        used_by=used_by,
        **texts,
    )


def explain_unfit(protocol: Protocol, temporal: bool, qualified: bool = False) -> str:
    """Explain why a protocol does not fit a graph, and name those that do; empty if it fits."""
    if protocol.fits(temporal, qualified):
        return ""
    if not temporal and not qualified:
        part = "qualifiers" if protocol.qualified else "time"
        return (
            f"Protocol {protocol.key} needs the {part} of every fact, "
            "and the facts of this graph have none. Choose another protocol."
        )

    if qualified:
        kind = "graphs without qualifiers"
        remedy = (
            "the facts of this graph have qualifiers. Add --protocol qualified (entities in "
            "qualifiers only are ranked), stare (they are not) or raw (nothing is filtered)."
        )
    else:
        kind = "graphs without time"
        remedy = (
            "this is a temporal graph: add --protocol time-aware (known answers of the same time "
            "are removed), static (of any time) or raw (none)."
        )

    if protocol.qualified:
        kind = "statements"
    elif protocol.time:
        kind = "temporal graphs"

    return f"Protocol {protocol.key} is for {kind}; {remedy}"


def rate_protocol(key: str) -> int:
    """Rate a protocol for undeclared numbers: 0 for the default, 1 if tools use it, else 2."""
    if key == DEFAULT_PROTOCOL:
        return 0
    return 1 if find_protocol(key).used_by else 2


def shares_negatives(key: str) -> bool:
    """Return True if all tasks under a protocol, given by its key, share their negatives."""
    return _SAMPLED.match(key) is not None and find_protocol(key).shared


def parse_split(name: str) -> str:
    """Return ``train``, ``valid``, ``test`` or ``valid+test`` for any usual spelling."""
    return _SPLIT_NAMES.resolve(name)


def parse_side(name: str) -> str:
    """Return ``head``, ``tail``, ``both`` or ``relation`` for any usual spelling."""
    return _SIDE_NAMES.resolve(name)


def count_tasks(triples: int, side: str) -> int:
    """Return the number of ranks of some triples: two each, if both sides are ranked.

    >>> count_tasks(20_466, "both"), count_tasks(20_466, "tail")
    (40932, 20466)
    """
    return 2 * triples if side == "both" else triples


class Aggregation(NamedTuple):
    """A rule for the weights of ranking tasks."""

    key: str
    # The group that counts once; a query is an entity with a relation, and a time or qualifiers if
    # facts have them, on one side. A task's weight is 1 / the number of ranking tasks of its group
    # on its side.
    group: Literal["task", "query", "relation"]
    summary: str  # one sentence for users
    spellings: tuple[str, ...] = ()
    used_by: tuple[str, ...] = ()


AGGREGATIONS: dict[str, Aggregation] = {
    aggregation.key: aggregation
    for aggregation in (
        Aggregation(
            key="micro",
            group="task",
            summary="Every ranking task counts once.",
            spellings=("task",),
            used_by=("most tools",),
        ),
        Aggregation(
            key="macro-query",
            group="query",
            summary=(
                "Every query (h, r, ?) or (?, r, t), with its time or qualifiers if it has any, "
                "counts once: tasks weigh 1 / tasks of their query."
            ),
            spellings=("query",),
            used_by=("PyKEEN's MacroRankBasedEvaluator",),
        ),
        Aggregation(
            key="macro-relation",
            group="relation",
            summary=(
                "Every relation counts once on each side: tasks weigh 1 / tasks of their relation."
            ),
            spellings=("relation",),
        ),
    )
}
"""The aggregations, by key, in the order of the tables."""

DEFAULT_AGGREGATION = "micro"
"""The mean in which every task counts once."""

MACROS: dict[str, Aggregation] = {
    key: row for key, row in AGGREGATIONS.items() if row.group != "task"
}
"""Those that weigh tasks unequally."""

_EITHER = "macro"

_AGGREGATION_NAMES = Names("aggregation", {key: row.spellings for key, row in AGGREGATIONS.items()})


def parse_aggregation(name: str) -> Aggregation:
    """Read an aggregation's name in any usual spelling."""
    return AGGREGATIONS[_AGGREGATION_NAMES.resolve(name)]


def is_either_macro(name: str | None) -> bool:
    """Return True for the word macro, which may be over queries or over relations."""
    return squash(name or "") == _EITHER
