"""``rankconst adjust``: a published number in, its adjusted forms out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from rankconst import tables as archive
from rankconst.cli.options import (
    DatasetOption,
    FormatOption,
    MetricOption,
    ProtocolOption,
    SideOption,
    SplitOption,
    TablesOption,
)
from rankconst.cli.output import Column, Format, Listing, count, number, print_listing
from rankconst.errors import UndefinedError
from rankconst.protocols import DEFAULT_PROTOCOL

if TYPE_CHECKING:
    from rankconst.constants import Constants

__all__ = ["adjust"]

_COLUMNS = (
    Column("dataset", "dataset"),
    Column("protocol", "protocol"),
    Column("split", "split"),
    Column("side", "side"),
    Column("metric"),
    Column("value", "value", str, right=True),
    Column("num_tasks", "tasks", count, right=True),
    Column("expectation", "random", number(6), right=True),
    Column("expectation_error"),
    Column("variance"),
    Column("variance_error"),
    Column("method"),
    Column("normalised", "normalised", number(4), right=True),
    Column("index", "index", number(4), right=True),
    Column("z", "z", number(4), right=True),
    Column("table_version"),
)


def adjust(
    values: Annotated[list[float], typer.Argument(metavar="VALUE...", help="The published number; shares as fractions.")],
    dataset: DatasetOption,
    metric: MetricOption,
    split: SplitOption = "test",
    side: SideOption = "both",
    protocol: ProtocolOption = DEFAULT_PROTOCOL,
    tables: TablesOption = None,
    format: FormatOption = Format.table,  # noqa: A002 - the option's name
) -> None:
    """Adjust a published number for chance.

    normalised = value / random (1 = random); index: 0 = random, 1 = perfect; z: standard deviations better than
    random.

    Example: rankconst adjust 0.338 --dataset fb15k237 --metric mrr
    """
    opened = archive.load(tables)
    looked_up = [opened.constants(name, metric, split, side, protocol) for name in dataset]
    rows = [_row(constants, value) for constants in looked_up for value in values]
    first = looked_up[0].metric
    names = [f"{form} = {first.name_of(form)}" for form in ("normalised", "index", "z") if first.name_of(form)]
    print_listing(
        Listing(
            columns=_COLUMNS,
            rows=rows,
            title=f"{first.label}, {first.title} ({'larger' if first.increasing else 'smaller'} is better)",
            caption=f"{', '.join(names)}. " * bool(names) + f"Tables {opened.version}.",
        ),
        format,
    )
    for constants in looked_up:
        _warn_of_undefined(constants)


def _row(constants: Constants, value: float) -> dict[str, Any]:
    adjusted = constants.adjust(value)
    return {
        "dataset": constants.dataset,
        "protocol": constants.protocol,
        "split": constants.split,
        "side": constants.side,
        "metric": constants.metric.key,
        "value": value,
        "num_tasks": constants.num_tasks,
        "expectation": constants.expectation,
        "expectation_error": constants.expectation_error,
        "variance": constants.variance,
        "variance_error": constants.variance_error,
        "method": constants.method,
        "normalised": adjusted.normalised,
        "index": adjusted.index,
        "z": adjusted.z,
        "table_version": constants.table_version,
    }


def _warn_of_undefined(constants: Constants) -> None:
    for form in ("index", "z"):
        try:
            getattr(constants, form)
        except UndefinedError as error:
            typer.echo(f"note: {constants.dataset}: {error}", err=True)
