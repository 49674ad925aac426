"""``rankconst adjust --out figure.svg``: a results table, or what chance gets on one dataset, as a picture."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from rankconst.catalogue.baselines import DEFAULT_BASELINE
from rankconst.catalogue.metrics import parse_metric
from rankconst.cli.adjust_file import adjust_file, read_file, report_answers
from rankconst.cli.notes import NO_OPTION, explain_ties, report_assumed
from rankconst.cli.output import count_of, say
from rankconst.errors import UndefinedError, UsageError
from rankconst.evaluation import NOTHING, complete_by_name, gather_assumed, parse_stated, settle
from rankconst.plots.arrangement import MOST_MODELS
from rankconst.plots.comparison import FORMS, find_further_models, plot_comparison
from rankconst.plots.distribution import plot_distribution
from rankconst.values.batches import count_ranked

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.figure import Figure

    from rankconst.catalogue.tools import Tool
    from rankconst.cli.adjust_file import Work
    from rankconst.cli.adjust_values import Query
    from rankconst.results.adjusted import AdjustedReading
    from rankconst.values.constants import Constants
    from rankconst.values.published import Published


def draw_file(work: Work) -> Figure:
    """Draw published number, index and z of every model of a file, dataset by dataset."""
    adjusted = adjust_file(read_file(work), work)
    chosen = list(work.metrics) or None
    figure = plot_comparison(adjusted, chosen, titles=work.tables.titles)
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


def draw_values(typed: Mapping[str, Sequence[Published]], query: Query) -> Figure:
    """Draw how a random ranker's values are distributed on one dataset, with the published ones marked."""
    if len(query.datasets) != 1 or len(typed) != 1 or query.num_tasks is not None:
        raise UsageError("a picture of values is of one dataset and one metric: --dataset nations --metric mrr.")
    ((name, values),) = typed.items()
    user = complete_by_name(name, replace(query.user, dataset=query.datasets[0]))
    explain_ties(user)
    tasks, tool = settle(NOTHING, parse_stated(replace(user, rank_type=None), query.tables), query.tables)
    report_assumed(gather_assumed([(user, tasks)], NOTHING, ()), NO_OPTION, NOTHING, ())
    metric = parse_metric(name)
    constants = query.tables.look_up(tasks, metric)
    _check_whole(tool, constants)
    further = (key for key in query.baselines if key != DEFAULT_BASELINE)
    ranked = {each: query.tables.look_up(replace(tasks, baseline=each), metric) for each in further}
    levels = {each: found.expectation for each, found in ranked.items()}
    marked = [("", value) for value in values]
    return plot_distribution(constants, marked, title=query.tables.titles[tasks.dataset], levels=levels)


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
