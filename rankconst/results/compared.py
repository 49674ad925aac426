"""Comparisons of results, of one file or several, on the same tasks and over shared graphs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np

from rankconst.catalogue.literature import read_suite
from rankconst.catalogue.metrics import parse_metric
from rankconst.errors import DataError
from rankconst.names import write_preformatted
from rankconst.results.joined import name_files
from rankconst.results.listed import choose_ranks
from rankconst.results.reading import name_models
from rankconst.values.published import show_printed
from rankconst.values.standings import Grid, Standings, compare_across, rank_models

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    import pandas as pd

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


@dataclass
class _Column:
    """The results of a metric on the same ranking tasks."""

    evaluation: _Evaluation
    constants: Constants
    results: list[tuple[str, Published]] = field(default_factory=list)  # each with its model
    tool: Tool | None = None


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
            frame = standings.to_pandas()
            for place, (name, fact) in enumerate(name_evaluation(standings).items()):
                frame.insert(place, name, [fact] * len(frame))
            frames.append(frame)

        return pd.concat(frames, ignore_index=True)

    def __str__(self) -> str:
        texts = [str(table) for table in (*self.standings, *self.across)]
        return "\n\n".join([*texts[:-1], f"{texts[-1]}\n{MEANING}"])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return write_preformatted(str(self))


def name_evaluation(standings: Standings) -> dict[str, Any]:
    """Return the ranking tasks and the metric of the models, by column."""
    constants = standings.constants
    return constants.tasks.to_dict() | {"metric": constants.metric.label}


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
    columns: dict[Hashable, _Column] = {}
    # The standard deviations of ranks by model: they tell how certain its mean rank is.
    spreads: dict[_Evaluation, dict[str, float]] = defaultdict(dict)
    names = name_files([adjusted.reading.name for adjusted in files])
    for adjusted, file_name in zip(files, names, strict=True):
        _add_file(columns, spreads, adjusted, file_name)

    standings = []
    for column in columns.values():
        if len(column.results) > 1:
            is_mean_rank = column.constants.metric.family == _MEAN_RANK
            deviations = spreads.get(column.evaluation) if is_mean_rank else None
            standings.append(rank_models(column.constants, column.results, deviations))

    if not standings:
        readings = " and ".join(adjusted.reading.name for adjusted in files)
        raise DataError(
            f"{readings}: no two results are of one metric on the same tasks, so that they can be "
            "compared: MR, MRR, Hits@k or nDCG. `rankconst adjust` shows what there is."
        )
    return Compared(tuple(standings), tuple(_compare_across(columns.values())))


def _add_file(
    columns: dict[Hashable, _Column],
    spreads: dict[_Evaluation, dict[str, float]],
    adjusted: AdjustedReading,
    file_name: str,
) -> None:
    """Add the numbers of a file to `columns`, and the deviations of its ranks to `spreads`."""
    usual = choose_ranks(adjusted).tolist()  # of PyKEEN's tie policies, one
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
            # The largest deviation claims least, and so does the upper end of a rounded one.
            deviation = published.upper
            if metric.square_of == _SPREAD:  # it is the variance
                deviation = float(np.sqrt(published.upper))
            deviations = spreads[evaluation]
            deviations[name] = max(deviations.get(name, 0.0), deviation)
        elif metric.is_mean:
            column = columns.setdefault((evaluation, metric), _Column(evaluation, constants))
            column.results.append((name, replace(published, text=show_printed(published.text, 4))))
            column.constants = constants
            if len(adjusted.tools) == 1:
                column.tool = adjusted.tools[0]


def _name_model(adjusted: AdjustedReading, entry: Entry, model: str, file_name: str) -> str:
    """Name the model of a number: "a.csv: TransE" of several files, or "TransE" of one."""
    if file_name:
        return f"{file_name}: {model}" if model else file_name
    if model:
        return model
    cells = adjusted.reading.rows[entry.row]
    return next((cells[column] for column in adjusted.reading.columns if cells.get(column)), "")


def _compare_across(columns: Iterable[_Column]) -> Iterable[Across]:
    """Yield a comparison of models for each metric that they share on two graphs or more."""
    groups: dict[Hashable, list[_Column]] = defaultdict(list)
    for column in columns:
        tasks = column.evaluation.tasks
        if read_suite(tasks.dataset) is not None:  # a mean over graphs is none of them
            continue
        split, side = tasks.split, tasks.side
        if column.tool is not None:  # its usual split or side may differ between graphs
            split, side = column.tool.find_usual(tasks.dataset, split, side)
        kind = column.constants.metric, column.evaluation.rank_type, split, side
        groups[*kind, tasks.aggregation].append(column)

    for alike in groups.values():
        grid = _lay_out(alike)
        if grid is not None:
            yield compare_across(grid)


def _lay_out(columns: Sequence[_Column]) -> Grid | None:
    """Arrange the results of a metric by model and graph; None for fewer than two of either."""
    models = list(dict.fromkeys(model for column in columns for model, _ in column.results))
    shared = []
    for column in columns:
        named = [model for model, _ in column.results]
        if sorted(named) == sorted(models):  # each model has exactly one result
            shared.append(column)

    datasets = [column.evaluation.tasks.dataset for column in shared]
    if len(models) < 2 or len(datasets) < 2 or len(set(datasets)) < len(datasets):
        return None

    ends = np.empty((3, len(models), len(shared)))
    for j, column in enumerate(shared):
        published = dict(column.results)
        for i, model in enumerate(models):
            number = published[model]
            ends[:, i, j] = number.value, number.lower, number.upper

    num_tasks = np.array([column.constants.num_tasks for column in shared], dtype=float)
    values, lower, upper = ends
    return Grid(
        metric=columns[0].constants.metric,
        datasets=tuple(datasets),
        names=tuple(models),
        values=values,
        lower=lower,
        upper=upper,
        num_tasks=num_tasks,
    )
