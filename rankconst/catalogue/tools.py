"""Tools that publish results, read from ``tools.toml``: how each evaluates, with the evidence."""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rankconst.catalogue import freeze_lists, read_rows
from rankconst.catalogue.protocols import PROTOCOLS
from rankconst.errors import DataError, UnknownNameError
from rankconst.names import Names, require_text, squash

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool, or a collection of results, with the way it evaluates."""

    key: str  # what users type
    title: str  # its own name
    reference: str  # the publication or page to cite
    protocol: str = "standard"  # the key of its protocol
    # How it ranks a true answer among others of the same score.
    ties: str = "the order that sorting leaves, which is not deterministic"
    nan_scores: str = ""  # how it ranks scores that are not numbers, where that was tried
    # False if ties can make its ranks halves, as the mean of the best and the worst one.
    whole_ranks: bool = True
    # the repositories whose numbers are evaluated so, as owner/name
    repositories: tuple[str, ...] = ()
    caveats: tuple[str, ...] = ()  # whole sentences on what users of its numbers must know
    # The caveat that can change a number today, in a few words; None if none can.
    effect: str | None = None
    # Where its own text or code says so: addresses of files at a commit, and of issues.
    evidence: tuple[str, ...] = ()
    # The side that it ranks, where its output does not say; None if it ranks both.
    side: str | None = None
    # What is added to its numbers by the label of the metric, such as 1 to a mean rank counted from
    # 0.
    shifts: Mapping[str, float] = field(default_factory=dict, hash=False)
    # If it ranks whole batches only, their size; the last, incomplete batch is left out.
    batch: int | None = None
    # Dataset, squashed, to the reason why the tool's numbers on that dataset cannot be adjusted.
    refused: Mapping[str, str] = field(default_factory=dict, hash=False)
    # Key of a benchmark to that of another that the tool calls by its names.
    means: Mapping[str, str] = field(default_factory=dict, hash=False)
    # Key of a benchmark to what the tool's test set is there; to the side that it ranks there.
    test_sets: Mapping[str, str] = field(default_factory=dict, hash=False)
    sides: Mapping[str, str] = field(default_factory=dict, hash=False)
    programs: tuple[str, ...] = ()  # the names of others that evaluate by its code
    # Side to the reason why the tool has no numbers for it; the same for protocols.
    unranked: Mapping[str, str] = field(default_factory=dict, hash=False)
    unfit: Mapping[str, str] = field(default_factory=dict, hash=False)
    # The labels of metrics that its macro averages leave unweighted; of others, why they cannot
    # be adjusted there.
    unweighted: tuple[str, ...] = ()
    unmade: Mapping[str, str] = field(default_factory=dict, hash=False)

    def refusal(self, dataset: str) -> str | None:
        """Return the reason why numbers on a dataset cannot be adjusted; None if they can."""
        return self.refused.get(squash(dataset))

    def find_split(self, dataset: str, split: str) -> str:
        """Return the split of a benchmark that the tool means by `split`.

        Raises DataError for other splits than test if the tool's test set is another split.
        """
        test_set = self.test_sets.get(dataset)
        if test_set is None or split == test_set:
            return split
        if split == "test":
            return test_set

        raise DataError(
            f"{self.title} evaluates {test_set} of {dataset} as its test set, "
            "and validates on the graph that models are trained on. "
            "Leave out the tool to adjust numbers of another program."
        )

    def find_side(self, dataset: str) -> str:
        """Return the side that the tool ranks on a benchmark, given by its key."""
        return self.sides.get(dataset) or self.side or "both"

    def find_usual(self, dataset: str, split: str, side: str) -> tuple[str, str]:
        """Return the usual names of the tool's own test split and side on a benchmark."""
        if split == self.test_sets.get(dataset):
            split = "test"
        if side == self.find_side(dataset):
            side = "both"
        return split, side


@functools.cache
def load_tools() -> Mapping[str, Tool]:
    """Read the tools, by key."""
    return {key: _read_tool(key, row) for key, row in read_rows("tools").items()}


def _read_tool(key: str, row: dict[str, Any]) -> Tool:
    """Return the tool of a row, whose `refused` has groups of datasets with a reason."""
    refused: dict[str, str] = {}
    for group in row.pop("refused", ()):
        refused |= dict.fromkeys(group["datasets"], group["reason"])
    return Tool(key, refused=refused, **freeze_lists(row))


@functools.cache
def _list_names() -> Names:
    spellings = {
        key: (tool.title, *tool.programs, *tool.repositories) for key, tool in load_tools().items()
    }
    return Names(
        "tool",
        spellings,
        "`rankconst show tools` lists them all. "
        "For a program of your own name its protocol: `rankconst show protocols`.",
    )


def parse_tool(name: str) -> Tool:
    """Read the name of a tool or of one of its repositories."""
    protocol = {squash(key): key for key in PROTOCOLS}.get(squash(require_text(name)))
    if protocol and _list_names().find(name) is None:
        raise UnknownNameError(
            f"{name} is a protocol, not a tool: --protocol {protocol} "
            f"(in Python: protocol={protocol!r})."
        )
    return load_tools()[_list_names().resolve(name)]


def is_tool(name: str) -> bool:
    """Return True for the name of a tool or of one of its repositories."""
    return _list_names().find(name) is not None
