"""``rankconst plot``: a results table, or what chance gets on one dataset, as a picture."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rankconst.answers import gather_assumed
from rankconst.catalogue.baselines import INFORMED
from rankconst.catalogue.metrics import parse_metric
from rankconst.cli.notes import NO_OPTION, explain_ties, report_assumed
from rankconst.cli.options import (
    AcceptOption,
    AggregationOption,
    BaselineOption,
    DatasetOption,
    DecimalOption,
    ForceOption,
    InputFormatOption,
    MetricsOption,
    PercentOption,
    ProtocolOption,
    SideOption,
    SplitOption,
    StrictOption,
    TablesOption,
    ToolOption,
    names_file,
    open_tables,
)
from rankconst.cli.output import check_target, count_of, say, write_whole
from rankconst.errors import DataError, UndefinedError
from rankconst.evaluation import NOTHING, Stated, complete_by_name, parse_stated, settle
from rankconst.plots.arrangement import MOST_MODELS
from rankconst.plots.comparison import FORMS, find_further_models, plot_comparison
from rankconst.plots.distribution import plot_distribution
from rankconst.plots.style import check_suffix, render_figure, require_matplotlib
from rankconst.values.batches import count_ranked
from rankconst.values.published import parse_value, read_published

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from rankconst.catalogue.metrics import Metric
    from rankconst.catalogue.tools import Tool
    from rankconst.cli.adjust_file import Work
    from rankconst.results.adjusted import AdjustedReading
    from rankconst.tables.tables import Tables
    from rankconst.values.constants import Constants


# A label and a value have fewer characters.
_LONGEST = 200


def plot(
    out: Annotated[
        Path, typer.Option("--out", "-o", help="The picture: a file that ends in .svg, .png or .pdf.", metavar="FILE")
    ],
    given: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="FILE|VALUE",
            help="A file with results, or published numbers: 0.338, RotatE=0.338, '53.3%'.",
            show_default=False,
        ),
    ] = None,
    dataset: DatasetOption = None,
    metric: MetricsOption = None,
    label: Annotated[
        list[str] | None,
        typer.Option("--label", "-l", help="Name of a value, in the order of the values; repeatable.", metavar="NAME"),
    ] = None,
    split: SplitOption = None,
    side: SideOption = None,
    protocol: ProtocolOption = None,
    tool: ToolOption = None,
    aggregation: AggregationOption = None,
    baseline: BaselineOption = None,
    percent: PercentOption = None,
    strict: StrictOption = False,
    accept: AcceptOption = None,
    decimal: DecimalOption = None,
    input_format: InputFormatOption = None,
    tables: TablesOption = None,
    force: ForceOption = False,
) -> None:
    """Draw a results table, or what chance gets on one dataset.

    From a file: original value, adjusted index and z of every model, dataset by dataset.

    From values, or none: the distribution of a random ranker's value, with the published ones marked, and what
    baselines are expected to get.

    Example: rankconst plot results.csv --metric mrr --out figure.svg

    Example: rankconst plot results.csv --baseline all --out ladder.svg

    Example: rankconst plot RotatE=0.338 --dataset fb15k237 --metric mrr --out chance.svg
    """
    require_matplotlib()
    suffix = check_suffix(out)
    check_target(out, force)
    user = Stated(
        dataset, split, side, protocol, aggregation, tool, percent=bool(percent), accepted=tuple(accept or ())
    )
    metrics = tuple(dict.fromkeys(map(parse_metric, metric or ())))
    file = _find_file(given or ())
    opened = open_tables(tables)
    further = tuple(key for key in opened.list_baselines(baseline) if key in INFORMED)
    if file is None:
        if input_format is not None:
            raise typer.BadParameter("goes with a file, and none is named.", param_hint="--input-format")
        if metric:
            user = complete_by_name(metric[0], user)
            explain_ties(user)
        figure = _draw_values(given or (), label or (), metrics, user, opened, further)
    else:
        if label:
            raise typer.BadParameter("goes with values; models of a file are named in it.", param_hint="--label")
        from rankconst.cli.adjust_file import Work

        figure = _draw_file(Work(file, input_format, decimal, percent, user, opened, metrics, further, strict))
    write_whole(out, render_figure(figure, suffix), force)
    say(f"{out}: tables {opened.version}")


# -- files ----------------------------------------------------------------------------------------------------------


def _find_file(given: Sequence[str]) -> str | None:
    """Return the file that the arguments name; None if they are values."""
    for each in given:
        # Unknown options end up here too, since a negative value must not be taken for one.
        if each.startswith("--"):
            raise typer.BadParameter(f"no such option: {each}; see --help.")
    files = [each for each in given if names_file(each)]
    if files and len(given) > 1:
        raise typer.BadParameter("name one file, or values; not both, and not several files.", param_hint="FILE")
    return files[0] if files else None


def _draw_file(work: Work) -> Figure:
    from rankconst.cli.adjust_file import adjust_file, read_file, report_answers

    adjusted = adjust_file(read_file(work), work)
    chosen = list(work.metrics) or None
    figure = plot_comparison(adjusted, chosen, titles=_titles(work.tables))
    report_answers(adjusted)
    _report(adjusted, find_further_models(adjusted, chosen))
    return figure


def _report(adjusted: AdjustedReading, further: Sequence[str]) -> None:
    """Say on stderr what the picture does not show."""
    left = Counter(note for place, note in adjusted.notes.items() if adjusted.batch_of[place] < 0)
    left -= Counter(adjusted.notes[place] for place in adjusted.waiting)
    for note, times in left.items():
        say(f"left out: {count_of(times, 'value')} of {adjusted.reading.name}: {note}")
    reasons = Counter(
        (form, reason) for each in adjusted.entries if each.adjusted for form, reason in each.adjusted.undefined.items()
    )
    for (form, reason), times in reasons.items():
        if form in FORMS:
            say(f"left out of the panel {form}: {count_of(times, 'value')}: {reason}")
    if further:
        say(
            f"note: the {MOST_MODELS} models with the most values have their own markers; these share one: "
            f"{', '.join(further)}.",
        )


# -- values ---------------------------------------------------------------------------------------------------------


def _draw_values(
    given: Sequence[str],
    labels: Sequence[str],
    metrics: Sequence[Metric],
    user: Stated,
    opened: Tables,
    baselines: Sequence[str],
) -> Figure:
    # A mistyped file name ends up here too, and is reported before a dataset is asked for.
    named = _name_values(given, labels)
    if user.dataset is None:
        raise typer.BadParameter("missing: which dataset is it? Or name a file.", param_hint="--dataset")
    if len(metrics) != 1:
        missing = "name one metric." if metrics else "missing: which metric is it?"
        raise typer.BadParameter(missing, param_hint="--metric")
    tasks, tool = settle(NOTHING, parse_stated(replace(user, rank_type=None), opened), opened)
    report_assumed(gather_assumed([(user, tasks)], NOTHING, ()), NO_OPTION, NOTHING, ())
    constants = opened.look_up(tasks, metrics[0])
    _check_whole(tool, constants)
    values = [(name, read_published(metrics[0], value, percent=user.percent)) for name, value in named]
    ranked = {each: opened.look_up(replace(tasks, baseline=each), metrics[0]) for each in baselines}
    levels = {each: found.expectation for each, found in ranked.items()}
    return plot_distribution(constants, values, title=_titles(opened)[tasks.dataset], levels=levels)


def _name_values(given: Sequence[str], labels: Sequence[str]) -> list[tuple[str, str]]:
    """Return values with what they are called: ``RotatE=0.338``, or by ``--label``."""
    if labels and len(labels) != len(given):
        raise typer.BadParameter(f"{len(labels)} for {len(given)} values; name each or none.", param_hint="--label")
    found = []
    labels = [label.encode(errors="replace").decode() for label in labels]
    for place, text in enumerate(each.encode(errors="replace").decode() for each in given):
        name, equals, value = text.rpartition("=")
        if equals and labels:
            raise typer.BadParameter(f"{text} is named already; leave out --label.", param_hint="VALUE")
        if len(text) > _LONGEST:
            told = f"{text[:40]}... is not a file, and {len(text):,} characters are not a value such as RotatE=0.338."
            raise typer.BadParameter(told, param_hint="VALUE")
        try:
            parse_value(value)
        except DataError as error:
            raise typer.BadParameter(f"there is no file {text}, and as a value: {error}", param_hint="VALUE") from None
        found.append((labels[place] if labels else name.strip(), value))
    return found


def _check_whole(tool: Tool | None, constants: Constants) -> None:
    """Refuse numbers of a tool that ranks whole batches only, where that leaves tasks out: they have no one law."""
    if tool is None or tool.batch is None:
        return
    if count_ranked(constants.num_tasks, constants.tasks.side, tool.batch) != constants.num_tasks:
        raise UndefinedError(
            f"{tool.title} leaves out the last, incomplete batch of {tool.batch} triples. Which triples are in it is "
            "not known, and neither is what a random ranker gets on the others. Leave out the tool and name its "
            f"protocol (--protocol {constants.tasks.protocol}) to draw as if all had been ranked; `rankconst adjust` "
            "gives intervals that hold in every case."
        )


def _titles(opened: Tables) -> dict[str, str]:
    return {key: row["title"] for key, row in opened.datasets.items()}
