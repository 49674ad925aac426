"""``rankconst adjust``: published numbers in, their adjusted forms out."""

from __future__ import annotations

import functools
import itertools
import math
import re
import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rankconst.catalogue.baselines import DEFAULT_BASELINE, list_baselines
from rankconst.catalogue.metrics import parse_metric
from rankconst.cli.options import (
    AcceptOption,
    AggregationOption,
    BaselineOption,
    DecimalOption,
    ForceOption,
    InputFormatOption,
    MetricsOption,
    PercentOption,
    ProtocolOption,
    RelationOption,
    SideOption,
    SplitOption,
    StrictOption,
    TablesOption,
    ToolOption,
    complete_dataset,
    count_option,
    names_file,
    open_tables,
)
from rankconst.cli.output import (
    RANGES,
    SUFFIXES,
    Column,
    Format,
    Listing,
    check_target,
    choose_columns,
    count_of,
    drop_intervals,
    join_words,
    name_lines,
    number,
    on_screen,
    print_listing,
    render,
    report_reading,
    say,
    show_interval,
    show_power,
    show_tail,
    write_whole,
)
from rankconst.errors import DataError, UsageError
from rankconst.evaluation import NOTHING, Stated, complete_by_name, parse_stated, settle

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from rankconst.adjusting import Done
    from rankconst.catalogue.metrics import Metric
    from rankconst.catalogue.protocols import Protocol
    from rankconst.catalogue.tools import Tool
    from rankconst.constants.constants import Constants
    from rankconst.constants.published import Published
    from rankconst.results.adjust import AdjustedReading, Block
    from rankconst.results.document import Document
    from rankconst.results.reading import Reading
    from rankconst.tables.tables import Tables
    from rankconst.tasks import Tasks


def adjust(
    values: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="VALUE|FILE",
            help="Published numbers: mrr=0.338 hits@10=53.3%, or 0.338 and '0.5458 ± 0.0052' with --metric. Or a file "
            "of results: a table, a log, a tool's own file; - for stdin.",
            show_default=False,
        ),
    ] = None,
    input: Annotated[
        str | None,
        typer.Option(
            "--input",
            "-i",
            help="A results file whose name could be read as a number.",
            metavar="FILE",
        ),
    ] = None,
    dataset: Annotated[
        list[str] | None,
        typer.Option(
            "--dataset", "-d", help="Dataset, any spelling; repeatable.", metavar="KEY", autocompletion=complete_dataset
        ),
    ] = None,
    metric: MetricsOption = None,
    split: SplitOption = None,
    side: SideOption = None,
    protocol: ProtocolOption = None,
    tool: ToolOption = None,
    aggregation: AggregationOption = None,
    relation: RelationOption = None,
    num_tasks: Annotated[
        int | None,
        count_option("--num-tasks", "-n", help="Number of ranks, in place of a dataset: protocol sampled:M."),
    ] = None,
    counts: Annotated[
        Path | None,
        typer.Option("--counts", help="Candidate counts of your own tasks, in place of a dataset.", metavar="FILE"),
    ] = None,
    baseline: BaselineOption = None,
    percent: PercentOption = None,
    strict: StrictOption = False,
    accept: AcceptOption = None,
    decimal: DecimalOption = None,
    replacing: Annotated[
        list[str] | None,
        typer.Option(
            "--replace",
            metavar="NAME",
            help="Write the same document with adjusted numbers: AMRR, AH@k ...; index or z for all metrics; "
            "both for 'published / index'; skill over a baseline. Repeatable.",
        ),
    ] = None,
    significance: Annotated[
        bool | None,
        typer.Option(
            "--significance/--no-significance",
            help="The probability that a random ranker does as well. Default: for values, not for files.",
        ),
    ] = None,
    input_format: InputFormatOption = None,
    tables: TablesOption = None,
    format: Annotated[
        Format | None, typer.Option("--format", "-f", help="How to print the result; table, or by the file's ending.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Write to this file instead of the screen.", metavar="FILE")
    ] = None,
    force: ForceOption = False,
    long: Annotated[bool, typer.Option("--long", help="Write a row for each number of a file.")] = False,
    columns: Annotated[
        list[str] | None,
        typer.Option("--columns", metavar="NAMES", help="Only these columns, separated by commas."),
    ] = None,
    plain: Annotated[bool, typer.Option("--plain", help="Numbers without their ranges.")] = False,
    digits: Annotated[
        int | None,
        count_option("--digits", help="Plain numbers with N digits after the point.", least=0, most=15),
    ] = None,
) -> None:
    """Adjust published numbers for chance: some values, or a file of results.

    Every number comes with the interval that its rounding leaves open: 0.338 means 0.3375 to 0.3385.

    Example: rankconst adjust results.csv

    Example: rankconst adjust 0.338 --dataset fb15k237 --metric mrr

    Example: rankconst adjust 0.338 --dataset fb15k237 --metric mrr --baseline all

    Example: rankconst adjust paper.tex --replace AMRR --out adjusted.tex
    """
    if out is not None:
        check_target(out, force)
    if replacing:
        _refuse(
            {"--format": format, "--significance": significance, "--long": long, "--columns": columns},
            "--replace, which keeps the document as it is",
        )
    form = format or (Format.table if out is None or replacing else _form_of(out))
    metrics = tuple(map(parse_metric, metric or ()))
    # Negative values start with a dash, too: what is no option has become a VALUE.
    for option in (value for value in values or () if value[:1] == "-" and value.lstrip("-")[:1].isalpha()):
        raise UsageError(f"no such option: {option}. See rankconst adjust -h.")
    file, values = (input, values) if input is not None else _find_file(values or [])
    if counts is not None and num_tasks is not None:
        raise typer.BadParameter("--counts says how many tasks there are; leave out --num-tasks.")
    counted = None if file is None else num_tasks
    opened, given = _open(tables, dataset or [], counts, counted, protocol, tool)
    user = Stated(
        given[0] if given else None,
        split,
        side,
        protocol,
        aggregation,
        tool,
        relations=tuple(relation or ()),
        percent=bool(percent),
        accepted=tuple(accept or ()),
    )
    further = [key for key in list_baselines(baseline) if key != DEFAULT_BASELINE]
    if file is not None:
        _refuse({"VALUE": values, "a second --dataset": given[1:]}, "a file")
        if replacing:
            if len(further) > 1:
                raise typer.BadParameter(f"--replace is over one baseline: {join_words(further)}?")
            from rankconst.results.document import open_document

            document = open_document(file, decimal, percent)
            over = further[0] if further else None
            _rewrite(
                document,
                input_format,
                replacing,
                metrics,
                user,
                opened,
                out,
                over,
                digits=digits,
                strict=strict,
                force=force,
            )
            return
        from rankconst.results.formats import read_results

        # The reading is not held: what is written next takes as much memory.
        listing = _list_file(
            read_results(file, input_format, decimal=decimal, percent=percent),
            metrics,
            user,
            opened,
            form,
            significance=bool(significance),
            strict=strict,
            long=long,
            baselines=further,
        )
    else:
        _refuse({"--replace": replacing, "--long": long}, "values, but with a file")
        typed = _read_values(values or [], metric or [], bool(percent))
        explain_names(typed)
        if num_tasks is None:
            done = _adjust_values(typed, given, user, opened, list_baselines(baseline))
        else:
            _refuse({"--baseline": baseline}, "--num-tasks, which is all that is known")
            done = _adjust_counted(typed, given, user, num_tasks)
        listing = _list_values(done, significance=significance is not False, ladder=baseline is not None)
    shown = drop_intervals(listing, digits) if plain or digits is not None else listing
    listing = choose_columns(shown, columns or ())
    if out is None:
        print_listing(listing, form)
    else:
        write_whole(out, render(listing, form), force)
        say(f"{out}: {len(listing):,} rows, tables {opened.version}")


def _open(
    places: list[str] | None,
    datasets: list[str],
    counts: Path | None,
    num_tasks: int | None,
    protocol: str | None,
    tool: str | None,
) -> tuple[Tables, list[str]]:
    """Open the tables, with what takes the place of a dataset; return also the names of the datasets that are meant."""
    opened = open_tables(places)
    if counts is None and num_tasks is None:
        return opened, datasets
    from rankconst.tables.counts_file import make_tables, read_counts
    from rankconst.tables.tables import join_tables
    from rankconst.tasks import Tasks, sampled_histogram

    if num_tasks is not None:
        if datasets:
            raise typer.BadParameter("--num-tasks replaces --dataset; leave one out.")
        rule = _parse_counted(protocol, tool)
        own = make_tables({Tasks(f"{num_tasks:,} tasks", rule.key): sampled_histogram(rule, num_tasks)})
    elif counts is not None:
        own = read_counts(counts)
    named = list(own.datasets)
    if others := [name for name in datasets if name.lower() not in named]:
        raise typer.BadParameter(
            f"the counts are of {', '.join(named)}, not of {', '.join(others)}; leave one out.",
            param_hint="--counts",
        )
    return join_tables([own, opened]), datasets or (named if len(named) == 1 else [])


def _refuse(stated: Mapping[str, object], what: str) -> None:
    """Refuse options that do not go with something."""
    for option in (option for option, value in stated.items() if value):
        raise typer.BadParameter(f"{option} does not go with {what}.")


def _rewrite(
    document: Document,
    input_format: str | None,
    names: Sequence[str],
    metrics: Sequence[Metric],
    user: Stated,
    tables: Tables,
    out: Path | None,
    baseline: str | None,
    *,
    digits: int | None,
    strict: bool,
    force: bool,
) -> None:
    """Write a document with its numbers replaced, and say on stderr what stays."""
    from rankconst.results.adjust import describe_assumed
    from rankconst.results.formats import read_opened
    from rankconst.results.rewrite import choose_metrics, parse_exchange, rewrite

    exchanges = [parse_exchange(name, baseline) for name in names]
    reading = read_opened(document, input_format)
    report_reading(reading, strict=strict)
    chosen, baselines = metrics or choose_metrics(reading, exchanges), [baseline] if baseline else []
    adjusted = _adjust_file(reading, chosen, user, tables, strict=strict, baselines=baselines)
    adjusted = adjusted.against_baseline(baseline) if baseline else adjusted
    _report_file(adjusted, user)
    command = shlex.join(["rankconst", *sys.argv[1:]]).replace("\n", " ").encode(errors="backslashreplace").decode()
    if assumed := describe_assumed(adjusted.assumed):
        command = f"{command}; assumed: {assumed}"
    done = rewrite(document, adjusted, exchanges, digits=digits, percent=user.percent, command=command)
    _report_notes(reading.name, done.notes)
    if out is None:
        sys.stdout.write(on_screen(done.source))
        return
    write_whole(out, done.source.encode(), force)
    say(f"{out}: {count_of(done.replaced, 'number')} replaced, tables {tables.version}")


def _form_of(path: Path) -> Format:
    form = SUFFIXES.get(path.suffix.lower())
    if form is None:
        raise UsageError(f"{path}: the ending does not say the format; known: {', '.join(SUFFIXES)}. Or add --format.")
    return form


# Words apart by a slash, or an ending.
_ENDING = re.compile(r"\.[A-Za-z]\w*$")


def _find_file(values: Sequence[str]) -> tuple[str | None, list[str]]:
    """Return the file among what was typed, and the rest; a name is no number and is there, or looks like a path."""
    from rankconst.constants.published import parse_value

    others: list[str] = []
    files: list[str] = []
    for value in values:
        try:
            parse_value(value)
            others.append(value)
        except DataError:
            slashed = re.search("[A-Za-z]", value) is not None and re.search(r"[/\\]", value) is not None
            path = slashed or _ENDING.search(value) is not None or names_file(value)
            (files if path else others).append(value)
    if len(files) > 1:
        raise UsageError(f"{' and '.join(files)}: one file at a time, please; its rows may be of several datasets.")
    return (files[0] if files else None), others


# -- values ---------------------------------------------------------------------------------------------------------


def _read_values(values: Sequence[str], names: Sequence[str], percent: bool) -> dict[str, list[Published]]:
    """Return the values of each metric, by its name as it was typed: before a value and =, or by --metric."""
    from rankconst.constants.published import read_published

    if not values:
        raise UsageError(
            "give numbers or a file of results: rankconst adjust mrr=0.338 hits@10=0.533 --dataset fb15k237, or "
            "rankconst adjust results.csv --tool rotate."
        )
    found: dict[str, list[Published]] = {}
    for name, value in (typed.rpartition("=")[::2] for typed in values):
        if name and names:
            raise UsageError(f"{name}={value} names its metric; leave out --metric, or write {value}.")
        if not name and len(names) != 1:
            missing = "name one metric for values." if names else "missing: which metric is it?"
            raise typer.BadParameter(f"{missing} Or write it before the value: mrr={value}.", param_hint="--metric")
        metric = name.strip() or names[0]
        parsed = parse_metric(metric)
        shares = percent and (parsed.is_share or not name)  # of several metrics, those that can be percentages
        try:
            found.setdefault(metric, []).append(read_published(parsed, value, percent=shares))
        except DataError as error:
            raise typer.BadParameter(str(error), param_hint="VALUE") from None
    return found


def _adjust_values(
    typed: Mapping[str, Sequence[Published]],
    datasets: Sequence[str],
    user: Stated,
    tables: Tables,
    baselines: Sequence[str],
) -> list[Done]:
    """Adjust values on each of some datasets, against each of some baselines."""
    from rankconst.adjusting import adjust_values

    if not datasets:
        raise typer.BadParameter("missing: which dataset is it?", param_hint="--dataset")
    of_tasks: dict[tuple[Tasks, Tool | None], list[tuple[Metric, Published]]] = {}
    for dataset, (name, published) in itertools.product(dict.fromkeys(datasets), typed.items()):
        named = complete_by_name(name, replace(user, dataset=dataset))
        explain_ties(named)
        settled = settle(NOTHING, parse_stated(replace(named, rank_type=None), tables), tables)
        of_tasks.setdefault(settled, []).extend((parse_metric(name), each) for each in published)
    return [
        done
        for (tasks, tool), values in of_tasks.items()
        for done in adjust_values(values, tool, functools.partial(_look_up, tables, tasks), baselines)
    ]


def _look_up(tables: Tables, tasks: Tasks, metric: Metric, baseline: str) -> Constants:
    return tables.look_up(replace(tasks, baseline=baseline), metric)


def _adjust_counted(
    typed: Mapping[str, Sequence[Published]], datasets: Sequence[str], user: Stated, num_tasks: int
) -> list[Done]:
    """Adjust values of `num_tasks` tasks, all with the same number of candidates."""
    from rankconst.adjusting import adjust_values
    from rankconst.catalogue.tools import parse_tool
    from rankconst.tables.own_counts import Counts
    from rankconst.tasks import sampled_histogram

    if datasets:
        raise typer.BadParameter("--num-tasks replaces --dataset; leave one out.")
    unfit = {
        "--split": user.split,
        "--side": user.side,
        "--aggregation": user.aggregation,
        "--relation": user.relations,
    }
    for option in (option for option, stated in unfit.items() if stated):
        raise typer.BadParameter("does not go with --num-tasks, which is all that is known.", param_hint=option)
    tool = parse_tool(user.tool) if user.tool else None
    protocol = _parse_counted(user.protocol, user.tool)
    counts = Counts(f"{num_tasks:,} tasks", {"both": sampled_histogram(protocol, num_tasks)})

    def look_up(metric: Metric, _: str) -> Constants:
        whole = counts.constants(metric)
        return replace(whole, tasks=replace(whole.tasks, protocol=protocol.key))

    values = [(parse_metric(name), each) for name, published in typed.items() for each in published]
    return adjust_values(values, tool, look_up)


def _parse_counted(name: str | None, tool: str | None) -> Protocol:
    """Return the protocol of tasks that are given by nothing but their number."""
    from rankconst.catalogue.protocols import DEFAULT_PROTOCOL, parse_protocol
    from rankconst.catalogue.tools import parse_tool

    protocol = parse_protocol(name or (parse_tool(tool).protocol if tool else DEFAULT_PROTOCOL))
    if protocol.negatives is None:
        raise typer.BadParameter(
            "the number of tasks is enough only if all have the same number of candidates: --protocol sampled:M. "
            f"Under protocol {protocol.key} name the dataset, or give the numbers of candidates by --counts.",
            param_hint="--num-tasks",
        )
    return protocol


def _list_values(done: list[Done], *, significance: bool, ladder: bool) -> Listing:
    from rankconst.adjusting import add_significance, tabulate

    if significance:
        done = [add_significance(each) for each in done]
    data = tabulate(done)
    _report_values(done, significance=significance)
    significant = any(data["p_method"])
    who = "the baseline" if ladder else "a random ranker"
    explained = f"\n{_explain_tails(data['p_method'], who)}" if significant else ""
    versions = " + ".join(dict.fromkeys(each.constants.table_version for each in done))
    metrics = list(dict.fromkeys(each.batch.metric for each in done))
    tasks = replace(done[0].constants.tasks, baseline=DEFAULT_BASELINE)
    form = metrics[0].name_of("index") if len(metrics) == 1 else None
    chance = f"Against uniform, which is chance, skill is {form or 'the adjusted index'}."
    meaning = f"{_MEANING_OF_SKILL} {chance}" if ladder else _MEANING_OF_INDEX
    labels = join_words([metric.label for metric in metrics])
    return Listing(
        _columns_of_values(metrics, data, significant, ladder),
        data,
        title=f"{labels} {'on' if tasks.split else f'of {tasks.dataset},'} {tasks.describe()}",
        caption=f"{meaning}{_tell_ranges(done)}{explained}{f' Tables: {versions}.' if versions else ''}"
        f"{_tell_standing(done) if ladder else _conclude(done)}",
    )


_MEANING_OF_INDEX = "normalised: 1 = random; index: 0 = random, 1 = perfect; z: standard deviations better than random."
_MEANING_OF_SKILL = "skill: 0 = as the baseline, 1 = perfect; z: standard deviations better than the baseline."


def _tell_standing(done: Sequence[Done]) -> str:
    """Say in words, after a blank, which baselines each value is better than, and which it is worse than."""
    standing: dict[tuple[str, str], dict[str, list[str]]] = {}
    mixed = len({each.batch.metric for each in done}) > 1
    for each in done:
        tasks, label = each.batch.tasks, f"{each.batch.metric.label} " * mixed
        for value, found in zip(each.batch.value.tolist(), _compare(each).tolist(), strict=True):
            told = standing.setdefault((f"{label}{value:.6g}", tasks.dataset), {"better": [], "worse": [], "level": []})
            told[("level", "better", "worse")[found]].append(tasks.baseline)
    several = len({dataset for _, dataset in standing}) > 1
    lines = []
    for (value, dataset), found in itertools.islice(standing.items(), _MOST_STANDINGS):
        words = {"better": "better than", "worse": "worse than", "level": "within rounding of"}
        named = {how: f"the {join_words(keys)} baseline{'s' * (len(keys) > 1)}" for how, keys in found.items() if keys}
        said = ", ".join(f"{words[how]} {keys}" for how, keys in named.items())
        lines.append(f"{value}{f' on {dataset}' if several else ''} is {said}.")
    return "\n" + "\n".join(lines)


_MOST_STANDINGS = 8


def _report_values(done: Sequence[Done], *, significance: bool) -> None:
    """Say on stderr what is undefined, what the tool does, and why there is no p."""
    for each in done:
        for reason in dict.fromkeys(each.explain_undefined().values()):
            say(f"note: {each.constants.tasks.dataset}: {reason}")
    first, tool = done[0].constants, done[0].batch.tool
    if tool is not None:
        report_caveats([tool])
    for reason in dict.fromkeys(reason for each in done for reason in each.unattained.values()):
        say(f"note: {reason}")
    if significance and any(not each.significance for each in done if each.batch.tasks.is_chance):
        leaves = tool is not None and tool.batch is not None
        reason = f"{tool.title} leaves out tasks, and which is not known." if tool and leaves else ""
        say(f"note: no p: {reason or first.explain_lack()}")


def report_caveats(tools: Iterable[Tool]) -> None:
    """Say on stderr what there is to know about tools."""
    for tool in tools:
        for caveat in tool.caveats:
            say(f"note: {tool.title}: {caveat}")


def _explain_tails(methods: Iterable[str | None], who: str, how: str = "at least as well") -> str:
    named = " and ".join(dict.fromkeys(method for method in methods if method))
    return f"p: the probability that {who} does {how}; method: {named}."


def _tell_ranges(done: Iterable[Done]) -> str:
    return RANGES if any((each.batch.lower < each.batch.upper).any() for each in done) else ""


def _count_worse(adjusted: AdjustedReading) -> str:
    """Say in words, after a blank, how many numbers are worse than each further baseline."""
    said = []
    for baseline, done in adjusted.against.items():
        worse = sum(int((_compare(each) < 0).sum()) for each in done)
        said.append(f"{worse:,} of {sum(each.batch.value.size for each in done):,} are worse than {baseline}")
    return f"\nOf the numbers, {join_words(said)}." if said else ""


def _compare(done: Done) -> NDArray[np.int64]:
    """Return 1 for values that are better than expected however they were rounded, -1 for worse ones, else 0."""
    import numpy as np

    expected, sign = done.constants.expectation, 1 if done.batch.metric.increasing else -1
    above, below = done.batch.lower > expected, done.batch.upper < expected
    return np.asarray(sign * (above.astype(np.int64) - below.astype(np.int64)))


# Results with a smaller p are called better than chance.
_LEVEL = 0.05
_LEAST = -300


def _conclude(done: Sequence[Done]) -> str:
    """Say in words, after a blank, which results are better than chance, and whether adjusting changes their order."""
    # The larger end of what the rounding leaves open: what is claimed holds for all of it.
    found = [p.interval.upper for each in done for p in each.significance if p is not None]
    better = [log10 for log10 in found if log10 < math.log10(_LEVEL)]
    if len(found) < 2:
        return ""
    pair = len(found) == 2
    some = " with a p" * (len(found) < sum(each.batch.value.size for each in done))
    if len(better) == len(found):
        power = max(math.floor(max(better)) + 1, _LEAST)
        limit = f"1e{power}" if power < -4 else f"{min(10.0**power, _LEVEL):g}"
        said = f"{'Both' if pair else f'All {len(found):,}'} results{some} are better than chance (p < {limit})"
    else:
        how_many = f"{len(better):,}" if better else "Neither" if pair else "None"
        counted = f"{how_many} of {len(found):,} results{some} {'are' if len(better) > 1 else 'is'}"
        said = f"{counted} better than chance (p < {_LEVEL}) however the digits were rounded"
    orders = _compare_orders(done)
    if not orders:
        return f"\n{said}."
    changed = " and ".join(metric.label for metric, stays in orders.items() if not stays)
    return f"\n{said}; adjusting changes {f'the order by {changed}' if changed else 'no order'}."


def _compare_orders(done: Sequence[Done]) -> dict[Metric, bool]:
    """Tell of each metric with results on several sets of tasks whether the index orders them as they were."""
    import numpy as np

    of_metric: dict[Metric, list[Done]] = {}
    for each in done:
        of_metric.setdefault(each.batch.metric, []).append(each)
    orders = {}
    for metric, own in of_metric.items():
        adjusted = [each.adjust() for each in own]
        if len({each.batch.tasks for each in own}) == 1 or any(each.index is None for each in adjusted):
            continue
        value = np.concatenate([each.batch.value for each in own]) * (1 if metric.increasing else -1)
        index = np.concatenate([each.index for each in adjusted])
        order = np.lexsort((index, value))
        # Where the published values rise, the greatest index below is no greater than the least above.
        orders[metric] = bool(np.all(np.diff(index[order])[np.diff(value[order]) > 0] >= 0))
    return orders


def _columns_of_values(
    metrics: Sequence[Metric], data: Mapping[str, Sequence[Any]], significant: bool, ladder: bool
) -> tuple[Column, ...]:
    labels = {metric.key: metric.label for metric in metrics}

    def told(key: str) -> Column:
        """Return a column that is shown where it tells rows apart."""
        title = key if key in data and len(set(map(str, data[key]))) > 1 else None
        return Column(key, title, (lambda name: labels[name]) if key == "metric" else str)

    def adjusted(form: str) -> tuple[Column, ...]:
        name = metrics[0].name_of(form) if len(metrics) == 1 else None
        drop = {"normalised": 2}.get(form, 0)
        title = f"{form} ({name})" if name else form
        return (
            Column(
                form,
                {"normalised": None, "index": "skill", "z": "z"}[form] if ladder else title,
                number(4),
                right=True,
                drop=drop,
                show_row=show_interval(form),
            ),
            Column(f"{form}_lower"),
            Column(f"{form}_upper"),
        )

    return (
        Column("dataset", "dataset"),
        *map(told, ("protocol", "split", "side", "aggregation", "relations", "metric")),
        Column("baseline", "baseline" if ladder else None),
        Column(
            "value",
            metrics[0].label if len(metrics) == 1 else "published",
            right=True,
            show_row=lambda row: row["text"],
        ),
        *map(Column, ("value_lower", "value_upper", "num_tasks")),
        Column("expectation", "expected" if ladder else "random", number(5), right=True),
        *map(Column, ("expectation_error", "variance", "variance_error", "method")),
        *adjusted("normalised"),
        *adjusted("index"),
        *adjusted("z"),
        Column("log10_p", "p" if significant else None, show_power, right=True, drop=1, show_row=show_tail("log10_p")),
        *map(Column, ("log10_p_lower", "log10_p_upper", "p_method", "table_version")),
    )


# -- files ----------------------------------------------------------------------------------------------------------

_MOST_NOTES = 50

# Of more tools than this, caveats are not recited.
_FEW = 2

_MARKUP = {Format.markdown: "markdown", Format.latex: "latex"}

# What leaves a narrow terminal first: other columns, notes, z, tail probabilities, then the metrics from the last on.
_OTHER, _NOTE, _Z, _P = 400, 300, 200, 100


def _list_file(
    reading: Reading,
    metrics: Sequence[Metric],
    user: Stated,
    tables: Tables,
    form: Format,
    *,
    significance: bool,
    strict: bool,
    long: bool,
    baselines: Sequence[str],
) -> Listing:
    """Adjust the numbers of a file, and say on stderr what was left out."""
    from rankconst.results.reading import lengthen

    report_reading(reading, strict=strict)
    reading = lengthen(reading) if long else reading
    adjusted = _adjust_file(
        reading, metrics, user, tables, strict=strict, significance=significance, baselines=baselines
    )
    kept = _choose_rows(adjusted, form)
    _report_file(adjusted, user, kept[adjusted.rows])
    return _lay_out(adjusted, form, kept)


def _adjust_file(
    reading: Reading,
    metrics: Sequence[Metric],
    user: Stated,
    tables: Tables,
    *,
    strict: bool,
    significance: bool = False,
    baselines: Sequence[str] = (),
) -> AdjustedReading:
    """Adjust the numbers of a file, and say how its tasks were found."""
    from rankconst.checks.identify.completion import complete_reading
    from rankconst.results.adjust import adjust_reading

    completed = complete_reading(reading, tables, user)
    if completed.note:
        say(f"note: {reading.name}: {completed.note}")
    return adjust_reading(
        completed.reading,
        tables,
        user,
        metrics=metrics,
        significance=significance,
        strict=strict,
        track=_track,
        baselines=baselines,
    )


def explain_names(names: Iterable[str]) -> None:
    """Say what a name from another field is taken for."""
    if any("recall" in name.lower() for name in names):
        say(
            "note: recall@k is read as Hits@k; they are the same where each ranking task has one right answer.",
        )


def explain_ties(stated: Stated) -> None:
    """Say which way numbers are off that ties favour or harm."""
    from rankconst.adjusting import TIES

    if (ties := TIES.get(stated.rank_type or "")) is not None:
        say(f"note: {ties}")


def _report_file(adjusted: AdjustedReading, user: Stated, listed: NDArray[np.bool_] | None = None) -> None:
    """Say on stderr what was assumed, asked and left out, and what there is to know of the numbers that are listed."""
    reading = adjusted.reading
    if reading.understood and user.dataset is not None:
        _report_others(adjusted)
    report_questions(adjusted, user)
    waiting = {place for places in adjusted.asked.values() for place in places}
    notes = (
        (place, note)
        for place, note in sorted(adjusted.notes.items())
        if place not in waiting and (listed is None or listed[place])
    )
    _report_notes(reading.name, ((reading.entries[place].line, note) for place, note in notes))
    if len(adjusted.tools) > _FEW:
        named = ", ".join(tool.key for tool in adjusted.tools)
        say(f"note: for the caveats of {named} see `rankconst tools NAME`.")
    else:
        report_caveats(adjusted.tools)


def report_questions(adjusted: AdjustedReading, user: Stated) -> None:
    """Say on stderr what was assumed of the numbers of a file, and what is asked about the others."""
    from rankconst.results.adjust import describe_assumed

    reading = adjusted.reading
    accepted = f"; accepted as harmless: {', '.join(user.accepted)}" if user.accepted else ""
    if assumed := describe_assumed(adjusted.assumed):
        say(f"assumed: {assumed} (nothing in {reading.name} says otherwise){accepted}.")
    for ask, places in list(adjusted.asked.items())[:_MOST_NOTES]:
        lines = {line for place in places if (line := reading.entries[place].line) is not None}
        say(f"asked: {reading.name}{name_lines(lines)} ({count_of(len(places), 'number')}): {ask}.")


def _report_notes(name: str, notes: Iterable[tuple[int | None, str]]) -> None:
    """Say notes on stderr, each once with all its lines."""
    lines: dict[str, set[int]] = {}
    for line, note in notes:
        lines.setdefault(note, set()).update({line} if line else ())
    for note, places in list(lines.items())[:_MOST_NOTES]:
        say(f"note: {name}{name_lines(places)}: {note}")
    if len(lines) > _MOST_NOTES:
        more = count_of(len(lines) - _MOST_NOTES, "more note")
        say(f"note: {name}: {more}; files such as --out adjusted.csv have all, in column note.")


def _report_others(adjusted: AdjustedReading) -> None:
    """Say of which other datasets numbers were left out, where a file's own words may not be seen at once."""
    entries = adjusted.reading.entries
    named = [context.dataset for context in entries.contexts]
    asked = {named[each] for each in dict.fromkeys(entries.context_of[adjusted.wanted].tolist())}
    others = dict.fromkeys(dataset for dataset in named if dataset is not None and dataset not in asked)
    if others:
        say(f"note: {adjusted.reading.name}: numbers on other datasets are left out: {', '.join(others)}.")


def _track(done: Sequence[Done]) -> Iterable[Done]:
    """Show progress on a terminal."""
    if not sys.stderr.isatty():
        return done
    from rich.console import Console
    from rich.progress import track

    return track(done, description="significance", console=Console(stderr=True), transient=True)


def _lay_out(adjusted: AdjustedReading, form: Format, kept: NDArray[np.bool_]) -> Listing:
    """Return the original columns with the adjusted numbers to their right.

    A table on a screen leaves out what rankconst knows nothing about; no other format does.
    """
    reading, data = adjusted.reading, adjusted.table
    original = [_original(reading, place, adjusted.blocks, form) for place in range(len(reading.columns))]
    added = [
        column
        for place, (block, names) in enumerate(adjusted.list_added())
        for column in _columns_of(block, place, names)
    ]
    answers: tuple[Column, ...] = ()
    if form is Format.json:
        answers = (Column("assumed"), Column("asked"))
        data = data | {column: adjusted.put_numbers(column) for column in adjusted.blocks} | adjusted.answers
    *facts, note = adjusted.described
    last = Column(
        note,
        "note" if any(itertools.compress(data[note], kept.tolist())) else None,
        lambda value: value or "",
        drop=_NOTE,
    )
    left_out = [column.key for column in original if column.title is None]
    methods = [each.method for done in adjusted.done for each in done.significance if each is not None]
    tails = f" {_explain_tails(methods, 'a random ranker', 'as well')}" if methods else ""
    more = f" Left out here, kept in other formats: {', '.join(left_out)}." if left_out else ""
    columns = [*original, *added, *map(Column, facts), last, *answers]
    if form is Format.table and reading.layout == "wide":
        groups = _group_columns(adjusted)
        columns = [replace(column, group=groups.get(column.key)) for column in columns]
    return Listing(
        columns,
        data if kept.all() else {key: _take(values, kept) for key, values in data.items()},
        caption="index: 0 = random, 1 = perfect; z: standard deviations better than random."
        f"{' skill: 0 = as the baseline, 1 = perfect.' * bool(adjusted.against)}{_tell_ranges(adjusted.done)}{tails} "
        f"Tables: {adjusted.table_version}.{more}{_conclude(adjusted.done)}{_count_worse(adjusted)}",
    )


def _group_columns(adjusted: AdjustedReading) -> dict[str, str]:
    """Return the dataset in the heading of each column of numbers, and of what is added for it; empty without one."""
    groups: dict[str, str] = {}
    for column, block in adjusted.blocks.items():
        inner = re.search(r"\(([^()A-Za-z]*+[A-Za-z][^()]*+)\)$", column)
        group = column.rpartition(" / ")[0] or (inner[1] if inner is not None else "")
        groups |= dict.fromkeys((column, *block.list_names(significant=adjusted.is_significant).values()), group)
    return groups


def _columns_of(block: Block, place: int, names: Mapping[str, str]) -> list[Column]:
    """Return what is added for the column of numbers at that place among them."""
    shown = {}
    for form, key in block.forms.items():
        # The normalised form says little next to the index; files have it.
        title = None if form == "normalised" else key
        drop = _Z + place if form == "z" else _drop_block(place)
        shown[key] = Column(key, title, number(4), right=True, drop=drop, show_row=show_interval(key))
    for name in (name for key, name in block.skills.items() if key.startswith("index@")):
        title = name.replace("_", " ")
        shown[name] = Column(name, title, number(4), right=True, drop=_drop_block(place), show_row=show_interval(name))
    if "log10_p" in names:
        key, title = names["log10_p"], f"{block.prefix}p".replace("_", " ")
        shown[key] = Column(key, title, show_power, right=True, drop=_P + place, show_row=show_tail(key))
    return [shown.get(name, Column(name)) for name in names.values()]


def _choose_ranks(adjusted: AdjustedReading) -> NDArray[np.bool_]:
    """Return which of PyKEEN's nine evaluations a screen shows: both sides, realistic, unless others were asked for."""
    import numpy as np

    reading, chosen = adjusted.reading, adjusted.wanted.copy()
    contexts = reading.entries.contexts
    if not any(each.rank_type for each in contexts):
        return chosen
    for field, usual in (("rank_type", "realistic"), ("side", "both")):
        said, of = [getattr(each, field) for each in contexts], reading.entries.context_of
        if (chosen & np.array([each == usual for each in said])[of]).any():
            chosen &= np.array([each in {usual, None} for each in said])[of]
    left = int(adjusted.wanted.sum() - chosen.sum())
    if left:
        kept = dict.fromkeys(reading.entries.context_of[chosen].tolist())
        shown = dict.fromkeys(f"{contexts[each].side}.{contexts[each].rank_type}" for each in kept)
        say(
            f"note: {reading.name}: shown: {', '.join(shown)} only; --side head shows another side, and formats "
            f"such as --format csv have the other {left:,} numbers, too.",
        )
    return chosen


def _choose_rows(adjusted: AdjustedReading, form: Format) -> NDArray[np.bool_]:
    """Return which rows are listed: what was not asked for is left out, and on a screen what nothing is said about."""
    import numpy as np

    kept, rows = np.zeros(len(adjusted.reading.rows), dtype=np.bool_), adjusted.rows
    if form is Format.table and adjusted.reading.layout == "long":
        noted = np.zeros_like(adjusted.wanted)
        noted[list(adjusted.notes)] = True
        kept[rows[((adjusted.batch_of >= 0) | noted) & _choose_ranks(adjusted)]] = True
    elif adjusted.is_selection or form is Format.table:
        kept[rows[adjusted.wanted]] = True
    else:
        kept[:] = True
    return kept


def _take(values: Any, kept: NDArray[np.bool_]) -> Any:
    return values[kept] if hasattr(values, "dtype") else list(itertools.compress(values, kept.tolist()))


def _original(reading: Reading, place: int, blocks: Mapping[str, Block], form: Format) -> Column:
    from rankconst.results.labels import read_label

    column = reading.columns[place]
    role = read_label(column).role or None
    # On a screen a wide table shows what was adjusted, and what says what it is: as a rule the first column does.
    first = int(bool(reading.understood) and reading.columns[0] == "dataset")
    named = role in {"model", "dataset"} or (place in {0, first} and role != "measured")
    shown = named or column in blocks or role not in {None, "measured"}
    if column in blocks:
        drop = _drop_block(list(blocks).index(column)) if reading.layout == "wide" else 0
    else:
        drop = 0 if named or reading.layout == "long" else _OTHER
    return Column(
        column,
        column if shown or form is not Format.table or reading.layout == "long" else None,
        lambda value: value or "",
        right=column in blocks,
        drop=drop,
        raw=_MARKUP.get(form) == reading.form,
    )


def _drop_block(place: int) -> int:
    """Return when a column of numbers leaves a narrow terminal, with what was added for it: the last first."""
    return 10 + place if place else 0
