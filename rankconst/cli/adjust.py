"""``rankconst adjust``: a published number in, its adjusted forms out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from rankconst import tables as archive
from rankconst.aggregations import DEFAULT_AGGREGATION
from rankconst.cli.lookup import resolve_dataset
from rankconst.cli.options import (
    AggregationOption,
    DatasetOption,
    FormatOption,
    MetricOption,
    ProtocolOption,
    RelationOption,
    SideOption,
    SplitOption,
    TablesOption,
)
from rankconst.cli.output import Column, Format, Listing, number, print_listing
from rankconst.errors import UndefinedError
from rankconst.protocols import DEFAULT_PROTOCOL

if TYPE_CHECKING:
    from rankconst.constants import Constants
    from rankconst.metrics import Metric

__all__ = ["adjust"]


def _columns(metric: Metric) -> tuple[Column, ...]:
    def adjusted(form: str) -> Column:
        name = metric.name_of(form)
        drop = 1 if form == "normalised" else 0
        return Column(form, f"{form} ({name})" if name else form, number(4), right=True, drop=drop)

    return (
        Column("dataset", "dataset"),
        Column("protocol"),
        Column("split"),
        Column("side"),
        Column("aggregation"),
        Column("relations"),
        Column("metric"),
        Column("value", metric.label, str, right=True),
        Column("num_tasks"),
        Column("expectation", "random", number(5), right=True),
        Column("expectation_error"),
        Column("variance"),
        Column("variance_error"),
        Column("method"),
        adjusted("normalised"),
        adjusted("index"),
        adjusted("z"),
        Column("table_version"),
    )


def _parse_value(text: str) -> float:
    """Read a number as people write it, with a hint where it is written in another way."""
    try:
        return float(text)
    except ValueError:
        pass
    hint = ""
    for sign, remedy in (("%", "a fraction, not percent"), (",", "a decimal point, not a comma")):
        if sign in text:
            hint = f" Write it with {remedy}." if sign == "," else f" Write it as {remedy}."
    if text.startswith("-"):
        hint = " If it is meant as an option: there is none of that name; see --help."
    raise typer.BadParameter(f"{text!r} is not a number.{hint}")


def adjust(
    values: Annotated[
        list[float],
        typer.Argument(metavar="VALUE", parser=_parse_value, help="The published number; fractions, not percent."),
    ],
    dataset: DatasetOption,
    metric: MetricOption,
    split: SplitOption = "test",
    side: SideOption = "both",
    protocol: ProtocolOption = DEFAULT_PROTOCOL,
    aggregation: AggregationOption = DEFAULT_AGGREGATION,
    relation: RelationOption = None,
    tables: TablesOption = None,
    format: FormatOption = Format.table,
) -> None:
    """Adjust a published number for chance.

    Example: rankconst adjust 0.338 --dataset fb15k237 --metric mrr
    """
    opened = archive.load(tables)
    keys = dict.fromkeys(resolve_dataset(opened, name, tables) for name in dataset)
    looked_up = [
        opened.constants(key, metric, split, side, protocol, aggregation=aggregation, relations=relation)
        for key in keys
    ]
    first = looked_up[0]
    print_listing(
        Listing(
            columns=_columns(first.metric),
            rows=[_row(constants, value) for constants in looked_up for value in values],
            title=f"{first.metric.label} on {first.split}, {_SIDES[first.side]}, protocol {first.protocol}"
            + (f", {first.aggregation}" if first.aggregation != DEFAULT_AGGREGATION else "")
            + (f", only {', '.join(first.relations)}" if first.relations else ""),
            caption="normalised: 1 = random; index: 0 = random, 1 = perfect; z: standard deviations better than random."
            f" Tables: {opened.version}.",
        ),
        format,
    )
    for constants in looked_up:
        _warn_of_undefined(constants)


_SIDES = {"head": "head side", "tail": "tail side", "both": "both sides"}


def _row(constants: Constants, value: float) -> dict[str, Any]:
    adjusted = constants.adjust(value)
    return {
        "dataset": constants.dataset,
        "protocol": constants.protocol,
        "split": constants.split,
        "side": constants.side,
        "aggregation": constants.aggregation,
        "relations": list(constants.relations),
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
    for form in ("normalised", "index", "z"):
        try:
            getattr(constants, form)
        except UndefinedError as error:
            typer.echo(f"note: {constants.dataset}: {error}", err=True)
