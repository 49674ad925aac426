"""From adjusted values back to the published numbers, for people and programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rankconst.catalogue.metrics import parse_adjusted_metric, parse_metric
from rankconst.errors import UsageError
from rankconst.evaluation import (
    NOTHING,
    complete_by_name,
    describe_assumed,
    find_assumed,
    look_up,
)
from rankconst.listing import Column, Listing, print_text, show_interval
from rankconst.names import write_preformatted
from rankconst.values.published import parse_value

if TYPE_CHECKING:
    from rankconst.evaluation import Address
    from rankconst.tables.archive import Tables


@dataclass(frozen=True, eq=False, repr=False)
class TurnedBack(Sequence[float]):
    """The values of a metric that adjusted values are from, in their order.

    ``print`` shows what the screen of ``rankconst adjust --to`` does.

    Attributes
    ----------
    lower, upper : tuple of float
        What rounding of the adjusted values leaves open, in units of the metric.
    """

    values: tuple[float, ...]
    lower: tuple[float, ...]
    upper: tuple[float, ...]
    listing: Listing

    def __getitem__(self, place: Any) -> Any:
        """Return the value at a place, in units of the metric."""
        return self.values[place]

    def __len__(self) -> int:
        return len(self.values)

    def __str__(self) -> str:
        return print_text(self.listing)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return write_preformatted(str(self))


def turn_back(
    values: Sequence[Any], name: str, to: str, user: Address, opened: Tables
) -> TurnedBack:
    """Return the values of a metric that adjusted values, of the form that `name` says, are from.

    Raises UsageError if no dataset is named, or `name` is the adjusted form of another metric.
    """
    if user.dataset is None:
        raise UsageError(
            "which dataset is it? Add --dataset fb15k237, for example (in Python: dataset=)."
        )
    wanted = parse_metric(to)
    metric, form = parse_adjusted_metric(name)
    if metric != wanted:
        raise UsageError(
            f"{name} is the adjusted form of {metric.label}, not of {wanted.label}: --to "
            f"{metric.label} (in Python: to={metric.label!r})."
        )
    constants = look_up(to, user, opened)
    affine = getattr(constants, form)
    rows = list[dict[str, Any]]()
    for text in values:
        given = parse_value(text, percent=bool(user.percent))
        lower, upper = sorted(float(affine.invert(end)) for end in given.interval)
        value = float(affine.invert(given.value))
        row = {"dataset": constants.tasks.dataset, "text": str(text), "adjusted": given.value}
        rows.append(row | {"value": value, "value_lower": lower, "value_upper": upper})
    assumed = find_assumed(complete_by_name(to, user), NOTHING, constants.tasks)
    assumed.pop("aggregation", None)
    caption = [f"Assumed: {describe_assumed({name: (own,) for name, own in assumed.items()})}."]
    if not assumed:
        caption.clear()
    if constants.table_version:
        caption.append(f"Tables {constants.table_version}.")
    label = metric.name_of(form) or form
    columns = [
        Column("dataset", "dataset"),
        Column("adjusted", label, right=True, show_row=lambda row: row["text"]),
        Column(
            "value", f"{metric.label} (by rounding)", right=True, show_row=show_interval("value")
        ),
        *map(Column, ("value_lower", "value_upper")),
    ]
    title = (
        f"{metric.label} on {opened.titles.get(constants.tasks.dataset, '')} "
        f"({constants.tasks.describe()})"
    )
    listing = Listing.of(columns, rows, title=title, caption="\n".join(caption))
    parts = [tuple(row[name] for row in rows) for name in ("value", "value_lower", "value_upper")]
    return TurnedBack(parts[0], parts[1], parts[2], listing)
