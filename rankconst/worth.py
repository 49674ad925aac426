"""Lay out numbers typed by hand next to those of rankers without learning."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rankconst.adjusting import tabulate
from rankconst.catalogue.baselines import (
    BASELINES,
    DEFAULT_BASELINE,
    FLOOR,
    SINGLE_STEP,
)
from rankconst.catalogue.literature import find_literature
from rankconst.evaluation import describe_assumed
from rankconst.listing import (
    Column,
    Listing,
    fixed,
    number,
    show_interval,
    show_tail,
)
from rankconst.names import join_versions, join_words
from rankconst.values.published import show_number
from rankconst.verdicts import explain, find_floor, show_expected, summarise

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rankconst.adjusting import AdjustedBatch
    from rankconst.catalogue.metrics import Metric
    from rankconst.tables.archive import Tables
    from rankconst.tasks import Tasks

Row = tuple[str, str, str]
"""The name of a number, the number, and its meaning."""

Floors = Mapping["AdjustedBatch", "AdjustedBatch | None"]
"""Numbers compared with chance, and the same compared with counting; None if that is unknown."""

# Up to this many numbers have a sentence each; one sentence sums up more.
_MOST_SENTENCES = 3


def find_floors(done: Sequence[AdjustedBatch], tables: Tables) -> Floors:
    """Compare the numbers that are compared with chance with counting, too."""
    return {batch: find_floor(batch, tables) for batch in done if batch.batch.tasks.is_chance}


def lay_out(
    done: Sequence[AdjustedBatch],
    tables: Tables,
    assumed: Mapping[str, Sequence[str]],
    *,
    full: bool = False,
    more: str = "",
) -> Listing:
    """List typed values with their adjusted forms, chance and counting; all columns if `full`.

    Batches of further baselines have rows of their own.
    """
    floors = find_floors(done, tables)
    others = [batch for batch in done if batch not in floors]
    data: dict[str, Any] = tabulate(done)
    if not others:
        data[FLOOR] = [None if floor is None else _expect(floor) for floor in floors.values()]
    caption = ["In brackets: the effect of rounding."] if full else []
    caption.append(_explain_numbers(floors))
    if assumed:
        caption.append(f"Assumed: {describe_assumed(assumed)}.")
    versions = join_versions(batch.constants.table_version for batch in done)
    if versions:
        more = f"{more} Tables {versions}.".lstrip()
    caption.append(more)
    chance, *further = floors
    card = ""
    if not full and not further:
        card = write_rows(list_rows(chance, others, floors[chance], tables))
    return Listing(
        [*_list_columns(done, data, tables, full=full, ladder=bool(others))],
        data,
        write_title(done, tables),
        "\n".join(filter(None, caption)),
        card,
        upright=full,
    )


def _expect(batch: AdjustedBatch) -> float:
    return batch.constants.expectation


def _explain_numbers(floors: Floors) -> str:
    """Explain the numbers: in a sentence each, or in one for all."""
    if len(floors) > _MOST_SENTENCES:
        return summarise(floors)
    datasets = [batch.batch.tasks.dataset for batch in floors]
    labels = [batch.batch.metric.label for batch in floors]
    sentences = [explain(batch, floor) for batch, floor in floors.items()]
    for heads in (labels, datasets):
        if len({*heads}) > 1:
            pairs = zip(heads, sentences, strict=True)
            sentences = [f"{head}: {sentence}" for head, sentence in pairs]
    return "\n".join(sentences)


def _list_columns(
    done: Sequence[AdjustedBatch],
    data: Mapping[str, Sequence[Any]],
    tables: Tables,
    *,
    full: bool,
    ladder: bool,
) -> Iterator[Column]:
    """Yield the columns: the tasks, the published value, its adjusted forms and the constants.

    Some of them are only there if `full`.
    """
    metrics = list(dict.fromkeys(batch.batch.metric for batch in done))
    labels = {metric.key: metric.label for metric in metrics}
    single = metrics[0] if len(metrics) == 1 else None
    titles: dict[str, Callable[[Any], str]] = {
        "dataset": lambda key: tables.titles.get(key, key),
        "metric": lambda key: labels[key],
    }
    for key in ("dataset", "protocol", "split", "side", "aggregation", "relations", "metric"):
        # A column with the same value in all rows is for files.
        is_same = len({str(value) for value in data[key]}) == 1
        yield Column(key, None if is_same else key, titles.get(key, str))
    yield Column("baseline", "baseline" if ladder else None)
    label = single.label if single else "published"
    yield Column("value", label, right=True, show_row=lambda row: str(row["text"]))
    if full:
        yield Column("value_lower")
        yield Column("value_upper")
        yield Column("num_tasks")
    yield from _list_forms(single, full=full, ladder=ladder)
    yield Column("expectation", "expected" if ladder else "chance", show_expected, right=True)
    if not ladder:
        title = FLOOR if any(cell is not None for cell in data[FLOOR]) else None
        yield Column(FLOOR, title, show_expected, right=True)
    if full:
        for key in ("expectation_error", "variance", "variance_error", "method"):
            yield Column(key)
        ranker = "the baseline" if ladder else "a random ranker"
        yield Column(
            "log10_p",
            "p" if any(data["p_method"]) else None,
            number(4),
            right=True,
            show_row=show_tail("log10_p"),
            meaning=f"probability that {ranker} does as well",
        )
        for key in ("log10_p_lower", "log10_p_upper", "p_method"):
            yield Column(key)
    yield Column("table_version")


def _list_forms(single: Metric | None, *, full: bool, ladder: bool) -> Iterator[Column]:
    """Yield the columns of the adjusted forms; without `full`, that of the index alone.

    Their `drop` is the order in which they leave a narrow terminal.
    """
    against, ranker, index = "chance", "chance", (single and single.name_of("index")) or "index"
    normalised: str | None = "normalised"
    if ladder:
        against, ranker, index, normalised = "as the baseline", "the baseline", "skill", None
    meaning = f"0 = {against}, 1 = perfect"
    if not full:
        yield Column("index", index, fixed, right=True, meaning=meaning)
        return
    better = f"standard deviations better than {ranker}"
    columns = [
        Column("normalised", normalised, drop=2, meaning=f"1 = {against}"),
        Column("index", index, meaning=meaning),
        Column("z", "z", drop=1, meaning=better),
    ]
    for column in columns:
        yield column._replace(show=fixed, right=True, show_row=show_interval(column.key))
        yield Column(f"{column.key}_lower")
        yield Column(f"{column.key}_upper")


def write_title(done: Sequence[AdjustedBatch], tables: Tables) -> str:
    """Name the metrics, and the tasks that all numbers share."""
    labels = join_words(list(dict.fromkeys(batch.batch.metric.label for batch in done)))
    datasets = {batch.batch.tasks.dataset for batch in done}
    if len(datasets) > 1:
        return f"{labels} on {len(datasets)} datasets"
    return name_results(labels, replace(done[0].constants.tasks, baseline=DEFAULT_BASELINE), tables)


def name_results(labels: str, tasks: Tasks, tables: Tables) -> str:
    """Name metrics, and the tasks that their numbers are of: ``MRR on UMLS (test, ...)``."""
    suite = tables.find_suite(tasks.dataset)
    if suite is not None:
        return f"{labels}, mean over {suite.title}"
    name = tables.titles.get(tasks.dataset, tasks.dataset)
    return f"{labels} {'on' if tasks.split else 'of'} {name} ({tasks.describe()})"


def list_rows(
    chance: AdjustedBatch,
    others: Sequence[AdjustedBatch],
    floor: AdjustedBatch | None,
    tables: Tables,
) -> list[Row]:
    """List a published number, its index, and the expectations of rankers without learning."""
    tasks, metric, index = chance.batch.tasks, chance.batch.metric, chance.adjust().index
    rows = [("published", chance.batch.text, "")]
    if index is not None:
        meaning = "0 = chance, 1 = perfect"
        name = metric.name_of("index")
        if name:
            meaning = f"{name}: {meaning}"
        rows.append(("adjusted", f"{index:.4f}", meaning))
    # Chance comes first, the baselines that know something from the triples last.
    rankers: list[AdjustedBatch | None] = [chance]
    rankers += [other for other in others if _name_baseline(other) not in {FLOOR, SINGLE_STEP}]
    counting = tables.find_counting(tasks.dataset)
    if floor is not None:
        rankers.append(floor)
        if counting is not None and counting.key == "recency":
            rankers.append(find_floor(chance, tables, SINGLE_STEP))
    titles = {DEFAULT_BASELINE: "chance", SINGLE_STEP: "single-step"}
    for ranker in filter(None, rankers):
        key = _name_baseline(ranker)
        brief = BASELINES[key].brief
        if key == FLOOR and counting is not None:
            brief = counting.brief
        rows.append((titles.get(key, key), show_expected(_expect(ranker)), brief))
    literature = find_literature(chance.constants.tasks, metric)
    if literature is not None:
        lowest = show_number(literature.values[0], 3)
        highest = show_number(literature.values[-1], 3)
        spread = f"{lowest} to {highest}"
        rows.append(("others", spread, literature.describe(chance.batch.value)))
    return rows


def _name_baseline(batch: AdjustedBatch) -> str:
    return batch.batch.tasks.baseline


def write_rows(rows: Sequence[Row]) -> str:
    """Write rows one below the other, their numbers in line."""
    names = max(len(name) for name, _, _ in rows)
    values = max(len(value) for _, value, _ in rows)
    lines = (f"  {name:<{names}}   {value:<{values}}   {meaning}" for name, value, meaning in rows)
    return "".join(f"{line.rstrip()}\n" for line in lines)
