"""Numbers of queries with several right answers: the metric of each name, or a question."""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from rankconst.catalogue.answers import (
    FAMILIES,
    AnswersMetric,
    Meaning,
    define_metric,
    load_libraries,
    parse_library,
)
from rankconst.catalogue.metrics import parse_metric
from rankconst.errors import AskedError, DataError, UnknownNameError
from rankconst.evaluation import Question
from rankconst.names import join_words
from rankconst.results.labels import ADJUSTED, find_name
from rankconst.results.reading import Notes, make_entries
from rankconst.tables.archive import are_of_answers

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rankconst.catalogue.metrics import Metric
    from rankconst.evaluation import Address
    from rankconst.results.reading import Entry, Reading
    from rankconst.tables.archive import Tables
    from rankconst.tables.counts_file import AnswerTables

_LOGS_AND_OBJECTS = {"generic", "objects"}  # logs; JSON and YAML
_RECALL_FAMILIES = {"recall_of_answers"}  # families that other libraries call Hits@k
_MOST_LIBRARIES = 2  # libraries that a question names; the others are counted
_NEEDS_COUNTS = (
    "{} is of queries with several right answers: add --counts FILE, with columns num_candidates "
    "and relevant."
)


def assume_unit(percent: bool | None, tables: Tables) -> bool | None:
    """Return `percent`, True if shares are percentages; None if that is not known.

    If the user does not tell (None), shares are fractions where the tables are for a library that
    prints numbers of hits, which are above 1 as percentages are.
    """
    if percent is not None or not are_of_answers(tables) or not tables.library:
        return percent
    return False if "num_hits" in parse_library(tables.library).metrics else None


def name_metrics(names: Iterable[str], tables: Tables) -> tuple[Metric, ...]:
    """Parse the metrics that a user names; AskedError if a name differs between libraries."""
    if not are_of_answers(tables):
        return tuple(parse_metric(name) for name in names)
    return tuple(_parse_name(name, tables) for name in names)


def _parse_name(name: str, tables: AnswerTables) -> AnswersMetric:
    """Parse the name of a metric; AskedError with the meanings if libraries differ on it."""
    libraries_of = tables.list_meanings(name)
    meaning, *others = libraries_of
    if isinstance(meaning, Meaning) and not others:
        return define_metric(*meaning)

    key_of = {row.title: key for key, row in load_libraries().items()}
    texts, options = [], []
    for meaning, titles in libraries_of.items():
        more = (
            f" and {len(titles) - _MOST_LIBRARIES} others" if len(titles) > _MOST_LIBRARIES else ""
        )
        texts.append(f"{_describe_meaning(meaning)} ({', '.join(titles[:_MOST_LIBRARIES])}{more})")
        if isinstance(meaning, Meaning):
            key = next((key_of[title] for title in titles if title in key_of), "LIBRARY")
            options.append(f"--tool {key}")

    text = f"{name} differs: {', or '.join(texts)}"
    question = Question("tool", text, option=" or ".join(options))
    raise AskedError(f"{question}.", (question,))


def find_answers(reading: Reading, tables: Tables) -> dict[int, DataError]:
    """Map the numbers of queries with several right answers to errors, if tables lack the counts.

    A metric such as MAP tells such queries, also for the numbers next to it in a log or JSON.
    """
    if are_of_answers(tables):
        return {}

    heads = reading.entries.heads
    families = {head.metric.family for head in heads}
    head_codes = reading.entries.head_codes
    is_of_answers = np.array([isinstance(head.metric, AnswersMetric) for head in heads], np.bool_)
    needs = is_of_answers[head_codes]
    if reading.form in _LOGS_AND_OBJECTS and families != _RECALL_FAMILIES:
        # MRR and Hits@k next to such a metric are of the same queries, unless only one of them may
        # be of a task such as classification.
        is_other = reading.entries.flag_contexts(_is_of_other_task)
        needs = np.where(is_other, needs[is_other].any(), needs[~is_other].any())

    # What logs call nDCG@k is of recommenders.
    if reading.form == "generic" and "ndcg_at_k" in families:
        needs = np.ones_like(needs)

    if not needs.any():
        return {}

    places = np.flatnonzero(needs)
    advice = _advise_renaming(head.metric for head in heads)
    errors = [DataError(_NEEDS_COUNTS.format(head.metric.label) + advice) for head in heads]
    return {place: errors[head_codes[place]] for place in places.tolist()}


def _is_of_other_task(address: Address) -> bool:
    """Tell whether numbers may be of a task such as classification."""
    return any(question.field == "task" for question in address.questions)


def _advise_renaming(metrics: Iterable[Metric]) -> str:
    """Advise names of metrics for tasks with one right answer; empty if no metric has one."""
    ways = []
    for metric in metrics:
        is_hit = isinstance(metric, AnswersMetric) and metric.k == 1
        if is_hit or metric.family in _RECALL_FAMILIES:
            ways.append(f"{metric.label} Hits@{metric.k or 'k'}")

    if not ways:
        return ""
    return f" Where each ranking task has one right answer, call {join_words(ways)}."


def _describe_meaning(meaning: Meaning | str) -> str:
    """Describe a meaning of a name."""
    if isinstance(meaning, str):
        return "cut off at a k that is not printed"
    cut = "" if meaning.k is None else f", k = {meaning.k}"
    return f"{FAMILIES[meaning.key].title}{cut}"


def name_answers(reading: Reading, tables: Tables) -> Reading:
    """Return a file with the metrics that its names mean for tables of several right answers."""
    if not are_of_answers(tables):
        return reading
    notes = Notes()
    entries = make_entries(_define_metrics(reading, tables, notes))
    return replace(
        reading, entries=entries, skipped=(*reading.skipped, *notes.skipped()), tool=None
    )


def _define_metrics(reading: Reading, tables: AnswerTables, notes: Notes) -> Iterator[Entry]:
    """Yield the numbers with the metric that the name of each means, or with a question."""
    parse = functools.lru_cache(maxsize=4_096)(functools.partial(_parse_name, tables=tables))
    for entry in reading.entries:
        name = _find_written(entry, reading)
        if entry.adjustment is not None:
            notes.add(entry.line, name, ADJUSTED)
            continue
        try:
            metric = parse(name)
            # What units are is told by all shares together; a number of hits is none.
            text = entry.text if metric.is_share else entry.text.rstrip("%")
            yield entry._replace(metric=metric, text=text)
        except UnknownNameError as error:
            notes.add(entry.line, name, str(error))
        except AskedError as error:
            questions = (*entry.context.questions, *error.questions)
            yield entry._replace(context=replace(entry.context, questions=questions))


def _find_written(entry: Entry, reading: Reading) -> str:
    """Return the name of a metric as the column or the row of its number writes it."""
    for text in (entry.column, *reading.rows[entry.row].values()):
        span = find_name(text, entry.metric)
        if span is not None:
            return text[slice(*span)]
    return entry.metric.label
