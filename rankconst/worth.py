"""What numbers typed by hand are worth beyond what rankers without learning get."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rankconst.adjusting import tabulate
from rankconst.catalogue.baselines import (
    ALL_BASELINES,
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
"""What a number is called, the number, and what it means."""

Floors = Mapping["AdjustedBatch", "AdjustedBatch | None"]
"""Numbers held to chance, and the same held to counting; None where that is not known."""

# Up to this many numbers have a sentence each; one sentence sums up more.
_MOST_SENTENCES = 3


def find_floors(done: Sequence[AdjustedBatch], tables: Tables) -> Floors:
    """Find what counting gets for the numbers that are held to chance."""
    return {each: find_floor(each, tables) for each in done if each.batch.tasks.is_chance}


def lay_out(
    done: Sequence[AdjustedBatch],
    tables: Tables,
    assumed: Mapping[str, Sequence[str]],
    *,
    full: bool = False,
    more: str = "",
) -> Listing:
    """List values that were typed with what they are worth: all that was computed if `full`.

    Batches of further baselines have rows of their own.
    """
    floors = find_floors(done, tables)
    others = [each for each in done if each not in floors]
    data: dict[str, Any] = tabulate(done)
    if not others:
        held = floors.values()
        data[FLOOR] = [None if floor is None else floor.constants.expectation for floor in held]
    caption = ["In brackets: the effect of rounding."] if full else []
    caption.append(_explain_numbers(floors))
    if assumed:
        caption.append(f"Assumed: {describe_assumed(assumed)}.")
    versions = join_versions(each.constants.table_version for each in done)
    last = [more, f"Tables {versions}." if versions else ""]
    caption.append(" ".join(filter(None, last)))
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


def _explain_numbers(floors: Floors) -> str:
    """Say what the numbers mean: a sentence each, or one for all."""
    if len(floors) > _MOST_SENTENCES:
        return summarise(floors)
    datasets = [each.batch.tasks.dataset for each in floors]
    labels = [each.batch.metric.label for each in floors]
    sentences = [explain(each, floor) for each, floor in floors.items()]
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
    """Yield the columns: what tells rows apart, what was published, and what comes of it.

    Yield all of them if `full`.
    """
    metrics = list(dict.fromkeys(each.batch.metric for each in done))
    labels = {metric.key: metric.label for metric in metrics}
    single = metrics[0] if len(metrics) == 1 else None
    shown: dict[str, Callable[[Any], str]] = {
        "dataset": lambda key: tables.titles.get(key, key),
        "metric": lambda key: labels[key],
    }
    for key in ("dataset", "protocol", "split", "side", "aggregation", "relations", "metric"):
        # A column that tells no rows apart is for files.
        title = key if len({*map(str, data[key])}) > 1 else None
        yield Column(key, title, shown.get(key, str))
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
    for each in columns:
        yield each._replace(show=fixed, right=True, show_row=show_interval(each.key))
        yield Column(f"{each.key}_lower")
        yield Column(f"{each.key}_upper")


def write_title(done: Sequence[AdjustedBatch], tables: Tables) -> str:
    """Name the metrics, and the tasks that all numbers share."""
    labels = join_words(list(dict.fromkeys(each.batch.metric.label for each in done)))
    datasets = {each.batch.tasks.dataset for each in done}
    if len(datasets) > 1:
        return f"{labels} on {len(datasets)} datasets"
    return name_results(labels, replace(done[0].constants.tasks, baseline=DEFAULT_BASELINE), tables)


def name_results(labels: str, tasks: Tasks, tables: Tables) -> str:
    """Name metrics, and the tasks that their numbers are of: ``MRR on UMLS (test, ...)``."""
    if (suite := tables.find_suite(tasks.dataset)) is not None:
        return f"{labels}, mean over {suite.title}"
    name = tables.titles.get(tasks.dataset, tasks.dataset)
    return f"{labels} {'on' if tasks.split else 'of'} {name} ({tasks.describe()})"


def list_rows(
    chance: AdjustedBatch,
    others: Sequence[AdjustedBatch],
    floor: AdjustedBatch | None,
    tables: Tables,
) -> list[Row]:
    """List a published number, its index, and what rankers without learning get."""
    tasks, metric, index = chance.batch.tasks, chance.batch.metric, chance.adjust().index
    rows = [("published", chance.batch.text, "")]
    if index is not None:
        name, meaning = metric.name_of("index"), "0 = chance, 1 = perfect"
        if name:
            meaning = f"{name}: {meaning}"
        rows.append(("adjusted", f"{index:.4f}", meaning))
    rankers = [chance]
    rankers += [each for each in others if each.batch.tasks.baseline not in {FLOOR, SINGLE_STEP}]
    if floor is not None:
        rankers.append(floor)
        if SINGLE_STEP in tables.list_baselines(ALL_BASELINES, tasks.dataset):
            single_step = find_floor(chance, tables, SINGLE_STEP)
            rankers += [single_step] if single_step is not None else []
    counting = tables.find_counting(tasks.dataset)
    titles = {DEFAULT_BASELINE: "chance", SINGLE_STEP: "single-step"}
    for each in rankers:
        key = each.batch.tasks.baseline
        brief = BASELINES[key].brief
        if key == FLOOR and counting is not None:
            brief = counting.brief
        rows.append((titles.get(key, key), show_expected(each.constants.expectation), brief))
    literature = find_literature(chance.constants.tasks, metric)
    if literature is not None:
        lowest, *_, highest = literature.values
        spread = f"{show_number(lowest, 3)} to {show_number(highest, 3)}"
        rows.append(("others", spread, literature.describe(chance.batch.value)))
    return rows


def write_rows(rows: Sequence[Row]) -> str:
    """Write rows one below the other, their numbers in line."""
    names = max(len(name) for name, _, _ in rows)
    values = max(len(value) for _, value, _ in rows)
    lines = (f"  {name:<{names}}   {value:<{values}}   {meaning}" for name, value, meaning in rows)
    return "".join(f"{line.rstrip()}\n" for line in lines)
