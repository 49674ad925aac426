"""``rankconst adjust --to``: from adjusted values back to the published numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankconst.catalogue.metrics import parse_adjusted_metric, parse_metric
from rankconst.cli.notes import report_assumed
from rankconst.errors import DataError, UsageError
from rankconst.evaluation import NOTHING, complete_by_name, find_assumed, look_up
from rankconst.listing import Column, Listing, show_interval
from rankconst.values.published import parse_value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankconst.evaluation import Address
    from rankconst.tables.archive import Tables


def turn_back(
    values: Sequence[str], names: Sequence[str], to: str, user: Address, opened: Tables
) -> Listing:
    """List the values of a metric that adjusted values are from, with what rounding leaves open."""
    pairs = [value.rpartition("=") for value in values]
    names = [*names, *dict.fromkeys(name for name, _, _ in pairs if name)]
    values = [value for _, _, value in pairs]
    if len(names) != 1 or not values:
        raise UsageError(
            "--to turns values of one metric back: rankconst adjust VALUE --metric AMRI --to "
            f"{to} ..."
        )
    if user.dataset is None:
        raise UsageError("which dataset is it? Add --dataset, as in --dataset fb15k237.")
    wanted = parse_metric(to)
    metric, form = parse_adjusted_metric(names[0])
    if metric != wanted:
        raise UsageError(
            f"{names[0]} is the adjusted form of {metric.label}, not of {wanted.label}: --to "
            f"{metric.label}"
        )
    constants = look_up(to, user, opened)
    affine = getattr(constants, form)
    rows = list[dict[str, Any]]()
    for text in values:
        try:
            given = parse_value(text, percent=bool(user.percent))
        except DataError as error:
            raise UsageError(str(error)) from None
        ends = sorted(float(affine.invert(end)) for end in given.interval)
        row = {"dataset": constants.tasks.dataset, "text": text, "adjusted": given.value}
        rows.append(
            row
            | {
                "value": float(affine.invert(given.value)),
                "value_lower": ends[0],
                "value_upper": ends[1],
            }
        )
    assumed = find_assumed(complete_by_name(to, user), NOTHING, constants.tasks)
    assumed.pop("aggregation", None)
    report_assumed({name: (value,) for name, value in assumed.items()})
    columns = [
        Column("dataset", "dataset"),
        Column(
            "adjusted", metric.name_of(form) or form, right=True, show_row=lambda row: row["text"]
        ),
        Column(
            "value", f"{metric.label} (by rounding)", right=True, show_row=show_interval("value")
        ),
        *map(Column, ("value_lower", "value_upper")),
    ]
    versions = f"Tables {constants.table_version}." if constants.table_version else ""
    title = (
        f"{metric.label} on {opened.titles.get(constants.tasks.dataset, '')} "
        f"({constants.tasks.describe()})"
    )
    return Listing.of(columns, rows, title=title, caption=versions)
