"""Comparisons of results, of one file or several, on the same tasks and over shared graphs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np

from rankconst.catalogue.metrics import parse_metric
from rankconst.catalogue.suites import read_suite
from rankconst.errors import DataError
from rankconst.names import write_preformatted
from rankconst.results.joined import name_files
from rankconst.results.listed import choose_ranks
from rankconst.results.reading import name_models
from rankconst.values.published import show_printed
from rankconst.values.standings import Grid, Standings, compare_across, rank_models

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pandas as pd

    from rankconst.catalogue.metrics import Metric
    from rankconst.catalogue.tools import Tool
    from rankconst.results.adjusted import AdjustedReading
    from rankconst.results.reading import Entry
    from rankconst.tasks import Tasks
    from rankconst.values.constants import Constants
    from rankconst.values.published import Published
    from rankconst.values.standings import Across

_SPREAD, _MEAN_RANK = parse_metric("sdr").family, parse_metric("mr").family


class _Evaluation(NamedTuple):
    """The ranking tasks and the tie policy of results that can be compared."""

    tasks: Tasks
    rank_type: str | None


class _Column(NamedTuple):
    """The results of a metric on the same ranking tasks."""

    evaluation: _Evaluation
    metric: Metric


class _Result(NamedTuple):
    """The number of a model."""

    model: str
    published: Published


@dataclass(frozen=True, eq=False, repr=False)
class Compared(Sequence[Standings]):
    """Models in order on each set of ranking tasks, and over the graphs that they share.

    ``print`` shows both.

    Attributes
    ----------
    standings : tuple of Standings
        The models of each metric on the same tasks, the best first.
    across : tuple of Across
        The models of each metric over two graphs or more on which all have a result.
    """

    standings: tuple[Standings, ...]
    across: tuple[Across, ...] = ()

    @overload
    def __getitem__(self, place: int) -> Standings: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Standings, ...]: ...
    def __getitem__(self, place: int | slice) -> Standings | tuple[Standings, ...]:
        """Return the models on one set of tasks."""
        return self.standings[place]

    def __len__(self) -> int:
        return len(self.standings)

    def to_pandas(self) -> pd.DataFrame:
        """Return a row for each model on each set of tasks (needs pandas)."""
        import pandas as pd

        frames = []
        for standings in self.standings:
            constants, frame = standings.constants, standings.to_pandas()
            frame.insert(0, "metric", constants.metric.label)
            frame.insert(0, "dataset", constants.tasks.dataset)
            frames.append(frame)
        return pd.concat(frames, ignore_index=True)

    def __str__(self) -> str:
        texts = [str(table) for table in (*self.standings, *self.across)]
        return "\n\n".join([*texts[:-1], f"{texts[-1]}\n{MEANING}"])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return write_preformatted(str(self))


MEANING = (
    "A letter means: better than that model, by the published numbers alone, "
    "whatever the models have in common."
)
"""The meaning of the letters next to models."""


def compare_files(files: Sequence[AdjustedReading]) -> Compared:
    """Order models on the same tasks, and over graphs, by their published numbers alone.

    Each metric has an order of its own. A model that its file does not name is called by the part
    of the file's path that tells it from the others.

    Raises
    ------
    DataError
        If no two results are of one metric on the same tasks.
    """
    results = _Results()
    names = name_files([adjusted.reading.name for adjusted in files])
    for adjusted, file_name in zip(files, names, strict=True):
        results.add(adjusted, file_name)
    standings = []
    for column, models in results.columns.items():
        if len(models) > 1:
            is_mean_rank = column.metric.family == _MEAN_RANK
            spreads = results.spreads.get(column.evaluation) if is_mean_rank else None
            standings.append(rank_models(results.constants[column], models, spreads))
    if not standings:
        readings = " and ".join(adjusted.reading.name for adjusted in files)
        raise DataError(
            f"{readings}: no two results are of one metric on the same tasks, so that they can be "
            "compared: MR, MRR, Hits@k or nDCG. `rankconst adjust` shows what there is."
        )
    return Compared(tuple(standings), tuple(_compare_across(results)))


class _Results:
    """The results of files, by metric and ranking tasks."""

    def __init__(self) -> None:
        self.columns: dict[_Column, list[_Result]] = defaultdict(list)
        self.constants: dict[_Column, Constants] = {}
        self.tools: dict[_Column, Tool] = {}
        # The standard deviations of ranks by model.
        self.spreads: dict[_Evaluation, dict[str, float]] = defaultdict(dict)

    def add(self, adjusted: AdjustedReading, file_name: str) -> None:
        """Add the numbers of a file; its name is empty if there is no other file."""
        usual = choose_ranks(adjusted).tolist()
        models = name_models(adjusted.reading)
        for number, is_usual, model in zip(adjusted.entries, usual, models, strict=True):
            published, constants = number.published, number.constants
            if published is None or constants is None or not is_usual:
                continue
            entry = number.entry
            metric = entry.metric
            evaluation = _Evaluation(constants.tasks, entry.context.rank_type)
            name = _name_model(adjusted, entry, model, file_name)
            if _SPREAD in {metric.family, metric.square_of}:
                deviation = published.upper
                if metric.family != _SPREAD:  # it is the variance
                    deviation = float(np.sqrt(published.upper))
                spreads = self.spreads[evaluation]
                spreads[name] = max(spreads.get(name, 0.0), deviation)
            elif metric.is_mean:
                column = _Column(evaluation, metric)
                text = show_printed(published.text, 4)
                self.columns[column].append(_Result(name, replace(published, text=text)))
                self.constants[column] = constants
                if len(adjusted.tools) == 1:
                    self.tools[column] = adjusted.tools[0]


def _name_model(adjusted: AdjustedReading, entry: Entry, model: str, file_name: str) -> str:
    """Name the model of a number: as its file does, else by the file, else by its row."""
    if file_name:
        return f"{file_name}: {model}" if model else file_name
    if model:
        return model
    cells = adjusted.reading.rows[entry.row]
    return next((cells[column] for column in adjusted.reading.columns if cells.get(column)), "")


def _compare_across(results: _Results) -> Iterable[Across]:
    """Compare the models of each metric over the graphs on which all of them have one result."""
    groups: dict[tuple[Any, ...], list[_Column]] = defaultdict(list)
    for column in results.columns:
        tasks = column.evaluation.tasks
        if read_suite(tasks.dataset) is not None:  # a mean over graphs is none of them
            continue
        split, side = tasks.split, tasks.side
        tool = results.tools.get(column)
        if tool is not None:
            split, side = tool.find_usual(tasks.dataset, split, side)
        kind = column.metric, column.evaluation.rank_type, split, side, tasks.aggregation
        groups[kind].append(column)
    for (metric, *_), columns in groups.items():
        grid = _lay_out(metric, columns, results)
        if grid is not None:
            yield compare_across(grid)


def _lay_out(metric: Metric, columns: Sequence[_Column], results: _Results) -> Grid | None:
    """Lay out the results of a metric, a row a model and a column a graph.

    Return None unless there are two models with one result on each of two graphs.
    """
    models_of = {column: [result.model for result in results.columns[column]] for column in columns}
    models = dict[str, None]()
    for column in columns:
        models |= dict.fromkeys(models_of[column])
    shared = [column for column in columns if sorted(models_of[column]) == sorted(models)]
    datasets = [column.evaluation.tasks.dataset for column in shared]
    if len(models) < 2 or len(datasets) < 2 or len(set(datasets)) < len(datasets):
        return None
    ends = np.empty((3, len(models), len(shared)))
    for j, column in enumerate(shared):
        published = dict(results.columns[column])
        for i, model in enumerate(models):
            number = published[model]
            ends[:, i, j] = number.value, number.lower, number.upper
    num_tasks = np.array([results.constants[column].num_tasks for column in shared], dtype=float)
    values, lower, upper = ends
    return Grid(metric, tuple(datasets), tuple(models), values, lower, upper, num_tasks)
