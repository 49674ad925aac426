"""``rankconst tables export``: the constants as one long table, for other tools."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from rankconst.catalogue.protocols import PROTOCOLS
from rankconst.cli.options import ALL, ChosenDatasetsOption, ForceOption, OneSetOption, complete_from, option
from rankconst.cli.output import check_target, say, write_whole
from rankconst.errors import UsageError
from rankconst.tables import tables as archive
from rankconst.tables.export import FORMATS, encode, export_rows, parse_format, suffix_of


def export(
    format: Annotated[
        str,
        option(
            *("--format", "-f"),
            help="pykeen: PyKEEN's table of expected values. long: all our columns.",
            metavar="FORMAT",
            complete=complete_from(FORMATS),
        ),
    ],
    out: Annotated[
        Path | None,
        option("--out", "-o", help="The file; its ending says how it is written. Stdout if left out.", metavar="FILE"),
    ] = None,
    dataset: ChosenDatasetsOption = None,
    protocol: Annotated[
        str | None,
        option(
            *("--protocol", "-p"),
            help="If left out, pykeen for format pykeen, all for long.",
            metavar="PROTOCOL",
            complete=complete_from((*PROTOCOLS, ALL)),
            hidden=True,
        ),
    ] = None,
    force: ForceOption = False,
    tables: OneSetOption = None,
) -> None:
    """Write the constants as one long table.

    pykeen: the columns that PyKEEN's expected-metrics writes (dataset, metric, side, split, value), with its keys.

    Variance, errors, tasks, protocol and table version are to their right. Tab-separated: .tsv or .tsv.gz.

    long: every row and column of our table of constants: .csv, .tsv (both also with .gz) or .parquet.

    Example: rankconst tables export --format pykeen --out metric_adjustments.tsv.gz
    """
    form = parse_format(format)
    suffix = form.suffixes[0] if out is None else suffix_of(form, out)
    if protocol == ALL and form.protocol is not None:
        raise UsageError(f"format {form.key} has room for one protocol: name it, or export --format long.")
    if out is not None:
        check_target(out, force)
    opened = archive.load(tables)
    keys = [opened.resolve_dataset(name) for name in dataset] if dataset else None
    rows = export_rows(opened, form, keys, None if protocol == ALL else protocol)
    content = encode(form, rows, suffix)
    if out is None:
        sys.stdout.write(content.decode())
    else:
        write_whole(out, content, force)
        say(f"{out}: {len(rows):,} rows, tables {opened.version}")
