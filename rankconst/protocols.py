"""Evaluation protocols: which entities are ranked, for which triples, with which known answers removed.

"FB15k-237 test" is not one set of ranking tasks: tools differ in these three choices, and so do the constants. A
protocol is a row of attributes; a new one is a new row.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from rankconst.errors import UnknownNameError, UsageError, resolve_name, squash

__all__ = [
    "DEFAULT_PROTOCOL",
    "PROTOCOLS",
    "SIDES",
    "SPLITS",
    "Protocol",
    "parse_protocol",
    "parse_side",
    "parse_split",
]

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
    """

    key: str
    candidates: Literal["all", "seen"]
    tasks: Literal["all", "seen"]
    distinct: bool
    known: Literal["all", "up_to", "none"]
    summary: str
    used_by: tuple[str, ...] = ()
    negatives: int | None = None

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

_SAMPLED = re.compile(r"^sampled[:_ -]?(\d+)$")


def parse_protocol(name: str) -> Protocol:
    """Read a protocol's name: a key of :data:`PROTOCOLS`, or ``sampled:500`` for 500 sampled negatives.

    Raises
    ------
    UnknownNameError
        For any other name, or for ``sampled`` with no negatives.

    Examples
    --------
    >>> parse_protocol("LibKGE").known
    'up_to'
    >>> parse_protocol("sampled:500").negatives
    500
    """
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
    return Protocol(
        key=f"sampled:{negatives}",
        candidates="all",
        tasks="all",
        distinct=False,
        known="none",
        negatives=negatives,
        used_by=("OGB",) if negatives == 500 else (),
        summary=f"Each true answer is ranked among {negatives} sampled negatives.",
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
