"""Evaluation protocols: which entities are ranked, for which triples, with which known answers removed.

"FB15k-237 test" is not one set of ranking tasks: tools differ in these three choices, and so do the constants. A
protocol is a row of attributes; a new one is a new row.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from rankconst.errors import UndefinedError, UnknownNameError, UsageError
from rankconst.names import resolve_name, squash

SPLITS: dict[str, tuple[str, ...]] = {
    "train": ("training",),
    "valid": ("validation", "val", "dev"),
    "test": ("testing",),
}
"""Splits in their order, with the spellings that are accepted."""

SIDES: dict[str, tuple[str, ...]] = {
    "head": ("left", "subject", "h", "s"),
    "tail": ("right", "object", "t", "o"),
    "both": (),
}
"""Sides with the spellings that are accepted; ``both`` pools the ranks of head and tail."""


_FULL_LAW = (
    "A random ranker puts the true answer of task i at a rank uniform on 1 to N_i, N_i being the number of candidates "
    "that remain, the true one included; tasks are independent."
)
_FULL_NEEDS = "the number of candidates of every task: a dataset of the tables, or triples for `rankconst build`"


@dataclass(frozen=True, slots=True)
class Protocol:
    """An evaluation protocol.

    Attributes
    ----------
    key
        Its name.
    candidates
        Whose entities are ranked: those of ``all`` splits, or those ``seen`` in train.
    tasks
        Which rows of the evaluation split are ranked: ``all``, or only those ``seen``: head, relation and tail
        occur in train.
    distinct
        True if an evaluation triple listed twice is ranked once.
    known
        Which splits' triples are removed as known answers: ``all``, those ``up_to`` the evaluated one (valid is
        filtered by train and valid), or ``none``.
    negatives
        If not None, each true answer is ranked among this many sampled negatives, and nothing else matters.
    used_by
        Tools that evaluate in this way.
    summary
        One sentence for users.
    law
        How a random ranker's ranks are distributed.
    needs
        What the constants follow from.
    reference
        Who evaluates so, or where it is defined; empty if nowhere in particular.
    refused
        Why there are no constants; empty if there are.
    """

    key: str
    candidates: Literal["all", "seen"]
    tasks: Literal["all", "seen"]
    distinct: bool
    known: Literal["all", "up_to", "none"]
    summary: str
    used_by: tuple[str, ...] = ()
    negatives: int | None = None
    law: str = _FULL_LAW
    needs: str = _FULL_NEEDS
    reference: str = ""
    refused: str = ""

    def __post_init__(self) -> None:
        if self.candidates == "seen" and self.tasks != "seen":
            raise UsageError(f"protocol {self.key}: a task's true answer must be a candidate; rank seen triples only.")

    def known_splits(self, split: str) -> tuple[str, ...]:
        """Return the splits whose triples are removed when `split` is evaluated."""
        order = tuple(SPLITS)
        return {"all": order, "up_to": order[: order.index(split) + 1], "none": ()}[self.known]


PROTOCOLS: dict[str, Protocol] = {
    protocol.key: protocol
    for protocol in (
        Protocol(
            key="standard",
            candidates="all",
            tasks="all",
            distinct=False,
            known="all",
            used_by=("RotatE", "ConvE", "kbc", "TuckER", "NBFNet", "OpenKE"),
            summary="Every entity is ranked; known answers of all three splits are removed.",
        ),
        Protocol(
            key="libkge",
            candidates="all",
            tasks="all",
            distinct=False,
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
            summary="Entities of train are ranked, triples with anything unseen in train are dropped; "
            "known answers up to the evaluated split are removed.",
        ),
        Protocol(
            key="raw",
            candidates="all",
            tasks="all",
            distinct=False,
            known="none",
            summary="Every entity is ranked; no known answer is removed.",
        ),
    )
}
"""The protocols that every build covers, by key. Beside them stands ``sampled:M`` for any M."""

DEFAULT_PROTOCOL = "standard"


@dataclass(frozen=True, slots=True)
class Sampling:
    """A way of drawing negatives; in its texts ``{m}`` stands for their number a task, ``{total}`` for m + 1.

    Attributes
    ----------
    key
        What follows ``sampled:M:``; left out for :data:`DEFAULT_SAMPLING`.
    spellings
        Further names.
    summary, law, needs, reference, refused
        As for :class:`Protocol`.
    """

    key: str
    spellings: tuple[str, ...]
    summary: str
    law: str
    needs: str = "the number of tasks"
    reference: str = ""
    refused: str = ""


SAMPLINGS: dict[str, Sampling] = {
    sampling.key: sampling
    for sampling in (
        Sampling(
            key="distinct",
            spellings=("filtered", "without replacement"),
            summary="Each true answer is ranked among {m} sampled negatives.",
            law="A random ranker puts the true answer at a rank uniform on 1 to {total}: the {m} negatives are "
            "distinct, drawn without replacement or fixed by the benchmark, none of them a known answer. Tasks are "
            "independent.",
            reference="Hu et al. 2020, Open Graph Benchmark, arXiv:2005.00687, with m = 500",
        ),
        Sampling(
            key="unfiltered",
            spellings=(),
            summary="Each true answer is ranked among {m} distinct other entities, known answers among them.",
            law="A random ranker puts the true answer at a rank uniform on 1 to {total}, as under sampled:{m}: it does "
            "not know which of the {m} distinct other entities are true answers too. A model does, and ranks the true "
            "answer lower for it: its numbers under the two protocols do not compare.",
        ),
        Sampling(
            key="replacement",
            spellings=("with replacement",),
            summary="Each true answer is ranked among {m} entities drawn with replacement.",
            law="Of P other entities j score above the true answer, j uniform on 0 to P for a random ranker; given j, "
            "the rank less 1 is binomial, of {m} draws with probability j/P. Its mean is that of sampled:{m}, its "
            "variance larger by m(m-1)/(6P) with m = {m}; its law tends to that of sampled:{m} as P grows.",
            needs="P, the number of other entities that are drawn from, of every task",
            reference="hits@10_50 of NBFNet's inductive evaluation is the expectation of Hits@10 under such draws, "
            "https://github.com/DeepGraphLearning/NBFNet/blob/eb49ff2770d1629edb04e96c9a6d7fee809097f2/nbfnet/task.py",
            refused="there are no constants of sampled:{m}:replacement: the law of its ranks depends on P, the number "
            "of other entities that are drawn from, and no number of tasks tells it. The expectation of MRR, Hits@k "
            "and nDCG is within 1/(P+1) of that under sampled:{m}, the variance of a single task's value within "
            "3/(P+1), and the expectation of MR is the same. Where that is little beside the numbers, use sampled:{m}.",
        ),
    )
}
"""The ways of drawing negatives, by key.

The bounds for draws with replacement: let g(x) = E f(1 + B), B binomial of m draws with probability x. The expectation
of f(rank) is the mean of g over 0, 1/P ... 1; under distinct negatives it is the integral of g. If f decreases from
f(1) to f(m+1), so does g, hence P times the integral lies between the sums of g over the last P and over the first P of
these points, and the two expectations differ by at most (f(1) - f(m+1)) / (P+1). For f within 0 to 1 the same holds of
f^2; the variance adds the difference of the squared expectations, at most twice that of the expectations.
"""

DEFAULT_SAMPLING = "distinct"

_SAMPLED = re.compile(r"^sampled[:_ -]?(\d{1,15})(?:[:_ -]+([a-z][a-z _-]*))?$")


def parse_protocol(name: str) -> Protocol:
    """Read the name of a protocol that has constants.

    Parameters
    ----------
    name
        A key of :data:`PROTOCOLS`; or ``sampled:500`` for 500 sampled negatives, ``sampled:500:unfiltered`` if known
        answers may be among them.

    Raises
    ------
    UnknownNameError
        For any other name, or for ``sampled`` with no negatives.
    UndefinedError
        For a protocol without constants: ``sampled:500:replacement``. The message says why.

    Examples
    --------
    >>> parse_protocol("LibKGE").known
    'up_to'
    >>> parse_protocol("sampled:500").negatives
    500
    """
    protocol = find_protocol(name)
    if protocol.refused:
        raise UndefinedError(protocol.refused)
    return protocol


def find_protocol(name: str) -> Protocol:
    """Read a protocol's name, whether or not it has constants: to describe it.

    Raises
    ------
    UnknownNameError
        For a name that no protocol has.
    """
    if name in PROTOCOLS:
        return PROTOCOLS[name]
    sampled = _SAMPLED.match(name.strip().lower())
    if sampled is None:
        for protocol in PROTOCOLS.values():
            if squash(name) in map(squash, protocol.used_by) and squash(name) not in PROTOCOLS:
                raise UnknownNameError(f"{name} is a tool, no protocol: it evaluates under protocol {protocol.key}.")
        return PROTOCOLS[
            resolve_name("protocol", name, dict.fromkeys(PROTOCOLS, ()), "Or sampled:M, M negatives a task.")
        ]
    negatives = int(sampled[1])
    if negatives < 1:
        raise UnknownNameError(f"protocol {name!r} needs at least one negative: sampled:500, for example.")
    ways = {way.key: way.spellings for way in SAMPLINGS.values()}
    sampling = SAMPLINGS[resolve_name("way of sampling", sampled[2], ways) if sampled[2] else DEFAULT_SAMPLING]
    usual = sampling.key == DEFAULT_SAMPLING
    texts = {
        name: getattr(sampling, name).format(m=negatives, total=negatives + 1)
        for name in ("summary", "law", "needs", "reference", "refused")
    }
    return Protocol(
        key=f"sampled:{negatives}" if usual else f"sampled:{negatives}:{sampling.key}",
        candidates="all",
        tasks="all",
        distinct=False,
        known="none",
        negatives=negatives,
        used_by=("OGB",) if negatives == 500 and usual else (),
        **texts,
    )


def parse_split(name: str) -> str:
    """Return ``train``, ``valid`` or ``test`` for any usual spelling.

    Raises
    ------
    UnknownNameError
        For any other name.
    """
    return resolve_name("split", name, SPLITS)


def parse_side(name: str) -> str:
    """Return ``head``, ``tail`` or ``both`` for any usual spelling.

    Raises
    ------
    UnknownNameError
        For any other name.
    """
    return resolve_name("side", name, SIDES)
