"""Put the commands together, and turn errors into messages and exit codes."""

from __future__ import annotations

import io
import sys
from typing import Annotated

import typer

import rankconst
from rankconst.cli import adjust, build, datasets, export, listings, release, show, sources, verify
from rankconst.errors import RankconstError

__all__ = ["app", "main"]

app = typer.Typer(
    name="rankconst",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 ok, 1 bug, 2 usage, 3 extra missing, 4 unknown name, 5 download or hash, 6 bad data, "
    "7 verification mismatch, 130 interrupted.",
)

app.command("adjust", context_settings={"ignore_unknown_options": True})(adjust.adjust)
app.command("show")(show.show)
app.command("datasets")(datasets.list_datasets)
app.command("metrics")(listings.list_metrics)
app.command("protocols")(listings.list_protocols)
app.command("aggregations")(listings.list_aggregations)
app.command("sources")(sources.list_sources)
app.command("build")(build.build)
app.command("release")(release.release)
app.command("export")(export.export)
app.command("verify")(verify.verify)


def _print_version(wanted: bool) -> None:
    if wanted:
        versions = ", ".join(rankconst.bundled_versions()) or "none"
        typer.echo(f"rankconst {rankconst.__version__} (tables {versions})")
        raise typer.Exit


@app.callback()
def _root(
    _version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the versions and exit.")
    ] = False,
) -> None:
    """Make MR, MRR and Hits@k comparable: look up chance constants, adjust published numbers, build new tables."""


def main() -> None:
    """Run the command line and exit with its code; an interrupt exits with 130."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a narrow encoding must not lose the numbers
    try:
        app(prog_name="rankconst")
    except RankconstError as error:
        print("\n".join(f"error: {line}" for line in str(error).splitlines()), file=sys.stderr)  # noqa: T201 - the one place where errors become text
        sys.exit(error.exit_code)
