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
    gather_assumed,
    look_up,
)
from rankconst.listing import Column, Listing, print_text, show_html, show_interval
from rankconst.values.published import parse_value
from rankconst.worth import name_results

if TYPE_CHECKING:
    from rankconst.catalogue.metrics import Metric
    from rankconst.evaluation import Address
    from rankconst.tables.archive import Tables
    from rankconst.values.constants import Constants


@dataclass(frozen=True, eq=False, repr=False)
class TurnedBack(Sequence[float]):
    """The values of a metric before adjustment, in their order.

    ``print`` shows the screen of ``rankconst adjust --to``.
    """

    listing: Listing

    @property
    def values(self) -> tuple[float, ...]:
        """The values, in units of the metric."""
        return tuple(self.listing.data["value"])

    @property
    def lower(self) -> tuple[float, ...]:
        """The least values within the rounding of the adjusted ones, in units of the metric."""
        return tuple(self.listing.data["value_lower"])

    @property
    def upper(self) -> tuple[float, ...]:
        """The largest values within the rounding of the adjusted ones, in units of the metric."""
        return tuple(self.listing.data["value_upper"])

    def __getitem__(self, place: Any) -> Any:
        """Return the value at a place, in units of the metric."""
        return self.values[place]

    def __len__(self) -> int:
        return len(self.listing)

    def __str__(self) -> str:
        return print_text(self.listing)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return show_html(self.listing)


def turn_back(
    values: Sequence[Any], name: str, to: str, user: Address, tables: Tables
) -> TurnedBack:
    """Turn values of an adjusted metric `name` back into values of the metric `to`.

    Raises UsageError if no dataset is named, or `name` is the adjusted form of another metric.
    """
    if user.dataset is None:
        raise UsageError(
            "which dataset is it? Add --dataset fb15k237, for example (in Python: dataset=)."
        )
    metric, form = _parse_form(name, to)
    constants = look_up(to, user, tables)
    rows = [_invert(value, form, constants, percent=bool(user.percent)) for value in values]
    columns = [
        Column("dataset", "dataset"),
        Column(
            "adjusted",
            metric.name_of(form) or form,
            right=True,
            show_row=lambda row: row["text"],
        ),
        Column(
            "value", f"{metric.label} (by rounding)", right=True, show_row=show_interval("value")
        ),
        Column("value_lower"),
        Column("value_upper"),
    ]
    title = name_results(metric.label, constants.tasks, tables)
    caption = _write_caption(constants, complete_by_name(to, user), tables)
    return TurnedBack(Listing.of(columns, rows, title=title, caption=caption))


def _parse_form(name: str, to: str) -> tuple[Metric, str]:
    """Return metric and form of an adjusted value's name; UsageError if `to` is another metric."""
    target = parse_metric(to)
    metric, form = parse_adjusted_metric(name)
    if metric != target:
        raise UsageError(
            f"{name} is the adjusted form of {metric.label}, not of {target.label}: --to "
            f"{metric.label} (in Python: to={metric.label!r})."
        )
    return metric, form


def _invert(adjusted: Any, form: str, constants: Constants, *, percent: bool) -> dict[str, Any]:
    """Return the row of an adjusted value."""
    affine = getattr(constants, form)
    number = parse_value(adjusted, percent=percent)
    lower, upper = sorted(float(affine.invert(end)) for end in number.interval)
    return {
        "dataset": constants.tasks.dataset,
        "text": str(adjusted),
        "adjusted": number.value,
        "value": float(affine.invert(number.value)),
        "value_lower": lower,
        "value_upper": upper,
    }


def _write_caption(constants: Constants, address: Address, tables: Tables) -> str:
    """Name the assumed tasks, the graphs of a suite, and the tables."""
    lines = []
    assumed = gather_assumed([(address, constants.tasks)], NOTHING)
    if assumed:
        lines.append(f"Assumed: {describe_assumed(assumed)}.")
    coverage = tables.explain_coverage(constants.tasks)
    if coverage:
        lines.append(f"Note: {coverage}")
    if constants.table_version:
        lines.append(f"Tables {constants.table_version}.")
    return "\n".join(lines)
