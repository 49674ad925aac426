"""Which ranking tasks a number of a file belongs to: what the file says, what the user says, what the tool implies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankconst.catalogue.aggregations import DEFAULT_AGGREGATION, parse_aggregation
from rankconst.catalogue.protocols import DEFAULT_PROTOCOL, parse_protocol, parse_side, parse_split
from rankconst.catalogue.tools import Tool, parse_tool
from rankconst.errors import DataError, UnknownNameError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from rankconst.catalogue.metrics import Metric
    from rankconst.constants.constants import Constants
    from rankconst.tables.tables import Tables


@dataclass(frozen=True, slots=True)
class Context:
    """What a file says about a number; None where it says nothing. Names are as written, in any spelling.

    Attributes
    ----------
    dataset, split, side, protocol, aggregation
        Which ranking tasks.
    source
        The tool or repository that the number comes from; see :mod:`rankconst.catalogue.tools`.
    model
        What was evaluated.
    rank_type
        How ties were ranked: ``realistic``, ``optimistic``, ``pessimistic`` ...
    num_tasks
        The number of ranks that the number is taken over, counted over both sides for side ``both``.
    """

    dataset: str | None = None
    split: str | None = None
    side: str | None = None
    protocol: str | None = None
    aggregation: str | None = None
    source: str | None = None
    model: str | None = None
    rank_type: str | None = None
    num_tasks: int | None = None


NOTHING = Context()
"""A file that says nothing."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What the user says about a file; None where nothing.

    Attributes
    ----------
    dataset, split, side, protocol, source, aggregation
        As for :class:`Context`, in any spelling.
    percent
        True if shares are written as percentages without a sign.
    """

    dataset: str | None = None
    split: str | None = None
    side: str | None = None
    protocol: str | None = None
    source: str | None = None
    aggregation: str | None = None
    percent: bool = False


@dataclass(frozen=True, slots=True)
class Settled:
    """A set of ranking tasks, all names as keys, with the source whose caveats apply."""

    dataset: str
    split: str
    side: str
    protocol: str
    aggregation: str
    source: Tool | None = None

    def constants(self, tables: Tables, metric: Metric, relations: tuple[str, ...] = ()) -> Constants:
        """Look up the constants of a metric on these tasks, or on those of some relations; all if empty."""
        return tables.constants(
            self.dataset,
            metric,
            self.split,
            self.side,
            self.protocol,
            aggregation=self.aggregation,
            relations=relations or None,
        )


def check_setting(setting: Setting, tables: Tables, resolve: Callable[[str], str] | None = None) -> None:
    """Refuse names that nobody knows, before any file is asked.

    Raises
    ------
    UnknownNameError
        For the first such name.
    """
    source = None if setting.source is None else parse_tool(setting.source)
    checks: tuple[tuple[str | None, Callable[[str], object]], ...] = (
        (setting.split, parse_split),
        (setting.side, parse_side),
        (setting.protocol, parse_protocol),
        (setting.aggregation, parse_aggregation),
    )
    for name, parse in checks:
        if name is not None:
            parse(name)
    # Whether the dataset is known matters less than that the source's numbers on it are of no use.
    if setting.dataset is not None and (source is None or source.refusal(setting.dataset) is None):
        (resolve or tables.resolve_dataset)(setting.dataset)


def agrees(context: Context, setting: Setting, resolve: Callable[[str], str]) -> bool:
    """Tell whether what a file says about a number is not against what the user asks for.

    Names that nobody knows agree: what becomes of them is not decided here.
    """
    pairs: tuple[tuple[str | None, str | None, Callable[[str], object]], ...] = (
        (context.dataset, setting.dataset, resolve),
        (context.split, setting.split, parse_split),
        (context.side, setting.side, parse_side),
        (context.aggregation, setting.aggregation, parse_aggregation),
    )
    for stated, asked, parse in pairs:
        if not stated or not asked or stated == asked:
            continue
        try:
            if parse(stated) != parse(asked):
                return False
        except UnknownNameError:
            continue
    return True


def settle(
    context: Context,
    setting: Setting,
    tables: Tables,
    *,
    tool: str | None = None,
    resolve: Callable[[str], str] | None = None,
) -> Settled:
    """Find out which ranking tasks a number belongs to.

    Parameters
    ----------
    context
        What the file says.
    setting
        What the user says. It fills in what the file leaves open; protocol and source of the user go first.
    tables
        Where the datasets are looked up.
    tool
        The source that the file's format implies, the last to be asked.
    resolve
        Returns the key of a dataset; that of the tables if None.

    Raises
    ------
    UnknownNameError
        For a name that nobody knows.
    UsageError
        If user and file contradict each other, or a number from sampled candidates is to be taken for a full one.
    DataError
        If no dataset is named, or numbers of the source on that dataset cannot be adjusted.
    """
    given = setting.source or context.source or tool
    source = parse_tool(given) if given else None
    named = _agree("dataset", context.dataset, setting.dataset, resolve or tables.resolve_dataset)
    if named is None:
        raise DataError(
            "no dataset is named: say which one it is (--dataset, or dataset= in Python), or add a column dataset."
        )
    reason = None if source is None else source.refusal(named)
    if reason is not None:
        raise DataError(reason)
    dataset = (resolve or tables.resolve_dataset)(named)
    split = parse_split(_agree("split", context.split, setting.split, parse_split) or "test")
    return Settled(
        dataset=dataset,
        split=split,
        side=parse_side(_agree("side", context.side, setting.side, parse_side) or "both"),
        protocol=_settle_protocol(context, setting, source, tables.protocols(dataset)),
        aggregation=parse_aggregation(
            _agree("aggregation", context.aggregation, setting.aggregation, lambda name: parse_aggregation(name).key)
            or DEFAULT_AGGREGATION
        ).key,
        source=source,
    )


def _agree(kind: str, stated: str | None, asked: str | None, parse: Callable[[str], str]) -> str | None:
    """Return what file or user says, refusing a contradiction."""
    if stated and asked and stated != asked and parse(stated) != parse(asked):
        raise UsageError(f"the numbers are said to be of {kind} {stated}, but {asked} was asked for; leave out {kind}.")
    return stated or asked


def _settle_protocol(context: Context, setting: Setting, source: Tool | None, held: tuple[str, ...]) -> str:
    implied = None if source is None else source.protocol
    # A dataset whose candidates come with it has one protocol only, whoever evaluates.
    only = held[0] if len(held) == 1 else None
    asked = setting.protocol or context.protocol
    protocol = parse_protocol(asked or only or implied or DEFAULT_PROTOCOL)
    few = next((key for key in (implied, only) if key and parse_protocol(key).negatives is not None), None)
    if asked and few and protocol.negatives is None:
        whose = f"numbers of {source.title}" if source is not None and few == implied else "numbers on this dataset"
        raise UsageError(
            f"{whose} rank among sampled candidates (protocol {few}); they cannot be turned into numbers of protocol "
            f"{protocol.key}: a rank among few candidates does not say what the rank among all of them is. "
            f"Leave out --protocol to adjust them under {few}."
        )
    return protocol.key
