"""Which ranking tasks a number is from: what file and user say, and what the tool implies.

Also what you are told of it: what was assumed, and what only you can answer.
"""

from __future__ import annotations

import functools
import re
import shlex
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from rankconst.catalogue.baselines import DEFAULT_BASELINE, parse_baseline
from rankconst.catalogue.metrics import list_prefixes, parse_metric
from rankconst.catalogue.protocols import (
    DEFAULT_AGGREGATION,
    DEFAULT_PROTOCOL,
    ENTITY_SIDES,
    MACROS,
    OWN_COUNTS,
    RANK_TYPES,
    SPLITS,
    find_protocol,
    is_either_macro,
    is_filtered,
    is_sampled,
    parse_aggregation,
    parse_protocol,
    parse_side,
    parse_split,
)
from rankconst.catalogue.suites import has_own_tasks
from rankconst.errors import AskedError, DataError, UnknownNameError, UsageError
from rankconst.names import require_text, squash
from rankconst.tasks import Histogram, Tasks, sampled_histogram

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from rankconst.catalogue.metrics import Metric
    from rankconst.catalogue.suites import Suite
    from rankconst.catalogue.tools import Tool
    from rankconst.tables.archive import Tables
    from rankconst.values.constants import Constants


@dataclass(frozen=True, slots=True)
class Question:
    """What only you can answer, and the numbers that wait for it.

    Attributes
    ----------
    field
        The field that it asks for, such as ``split``.
    text
        The words around the word, or the question itself.
    word
        The word that raises the question, or stands for what does; empty if you cannot accept it.
    place
        Where the word is, such as ``the caption``; empty if it is in no text.
    option
        The option that answers it; :attr:`remedy` has all ways on.
    kind
        The kind of benchmark that answers it, such as ``temporal``.
    says
        What the word says of its field: an option with another value does not answer the question.
    choices
        The datasets that may be meant.
    numbers
        The positions of the numbers: in ``entries`` of a file, or the rows of a DataFrame.
    total
        How many numbers an option holds for; 0 if for these alone.
    in_python
        Whether the remedy names arguments in place of options.
    """

    field: str
    text: str
    word: str = ""
    place: str = ""
    option: str = ""
    kind: str = ""
    says: str = ""
    choices: tuple[str, ...] = ()
    numbers: tuple[int, ...] = ()
    total: int = 0
    in_python: bool = False

    @property
    def remedy(self) -> str:
        """The options that answer it: one gives the value, one says that the word is harmless."""
        ways = [self.option] if self.option else []
        if self.option and self.total and self.field in NAMES[1:] and "column" not in self.option:
            ways = [f"{self.option} for all {self.total:,} numbers"]
            if self.word:
                meaning = f"{self.word}={self.option.split()[1]}"
                ways.append(f"--accept {shlex.quote(meaning)} for these")
        if self.word:
            ways.append(f"--accept {shlex.quote(self.word)} if it says nothing about these numbers")
        remedy = ", or ".join(ways)
        return name_arguments(remedy) if self.in_python else remedy

    def __str__(self) -> str:
        around = "" if self.text.lower() == self.word else f', "{self.text}"'
        asked = f'"{self.word}" in {self.place}{around}' if self.place else self.text.rstrip(".")
        return f"{asked}: add {self.remedy}" if self.remedy else asked

    def to_dict(self) -> dict[str, str]:
        """Return word, place, text and remedy, for JSON."""
        return {"word": self.word, "place": self.place, "text": self.text, "remedy": self.remedy}


@dataclass(frozen=True, slots=True)
class Address:
    """What a file or a user says about numbers, in any spelling; None where nothing is said."""

    dataset: str | None = None
    split: str | None = None
    side: str | None = None
    protocol: str | None = None
    aggregation: str | None = None
    tool: str | None = None  # or repository that the numbers come from
    model: str | None = None  # what was evaluated
    rank_type: str | None = None  # how ties were ranked: realistic, optimistic, pessimistic ...
    num_tasks: int | None = None  # the number of ranks, counted over both sides for side both
    num_triples: int | None = None  # the number of test triples
    num_entities: int | None = None
    relations: tuple[str, ...] = ()
    percent: bool = False  # True if shares are percentages without a sign
    questions: tuple[Question, ...] = ()  # what only the user can answer
    # Of its benchmark, such as inductive: of several with the same name, that one is meant.
    kind: str | None = None
    suites: tuple[str, ...] = ()  # what a mean over graphs may be over, by the texts around it
    # Of a user: the words that say nothing; "sample=sampled:50", what one says; "NELL-995=nell995",
    # which of several graphs with that name it is.
    accepted: tuple[str, ...] = ()


def locate(
    places: Mapping[Question, Iterable[int]], total: int, *, in_python: bool
) -> tuple[Question, ...]:
    """Return questions with the numbers that wait for them, of `total` in the file."""
    located = []
    for ask, own in places.items():
        numbers = tuple(sorted(own))
        others = total if len(numbers) < total else 0
        located.append(replace(ask, numbers=numbers, total=others, in_python=in_python))
    return tuple(located)


NOTHING = Address()
"""A file that says nothing."""

NAMES = ("dataset", "split", "side", "protocol", "aggregation")
"""The fields that name ranking tasks."""


_SPLITS = {word: split for split, others in SPLITS.items() for word in (split, *others)}


def complete_by_name(name: str, user: Address) -> Address:
    """Add what a metric's name says of its tasks, ``tail.mrr``; UsageError if the user differs."""
    declared: dict[str, Any] = {}
    for word in list_prefixes(name):
        if word in {"both", *ENTITY_SIDES}:
            declared["side"] = word
        elif word in _SPLITS:
            declared["split"] = _SPLITS[word]
        # PyKEEN 1.0 has best and worst behind a side; alone, such a word may be about a run.
        elif word in {"optimistic", "pessimistic"} or (word in RANK_TYPES and "side" in declared):
            declared["rank_type"] = RANK_TYPES[word]
    for role, parse in (("split", parse_split), ("side", parse_side)):
        asked = getattr(user, role)
        if asked and role in declared and parse(asked) != declared[role]:
            raise UsageError(
                f"{name} is of {role} {declared[role]}, but {parse(asked)} was asked for; "
                "leave out one of the two."
            )
    return replace(user, **declared)


_PARSERS: dict[str, Callable[[str], str]] = {
    "split": parse_split,
    "side": parse_side,
    "protocol": lambda name: parse_protocol(name).key,
    "aggregation": lambda name: parse_aggregation(name).key,
}


def list_parsers(tables: Tables) -> dict[str, Callable[[str], str]]:
    """Return what turns each name of :data:`NAMES` into its key, or raises UnknownNameError."""
    return {"dataset": tables.resolve_dataset, **_PARSERS}


def parse_address(user: Address, tables: Tables) -> Address:
    """Return what a user says with every name as its key; users' names are read here only.

    Raises UnknownNameError for an unknown name, DataError for a dataset that the tool's numbers
    cannot be adjusted on.
    """
    tool = read_tool(user.tool)
    if user.dataset is not None:
        require_text(user.dataset)
    # Whether the dataset is known matters less than that the tool's numbers on it are of no use.
    if tool is not None and user.dataset is not None:
        if (reason := tool.refusal(user.dataset)) is not None:
            raise DataError(reason)
        user = replace(user, dataset=_find_own(user.dataset, tool))
    if user.dataset is not None and user.dataset not in tables.titles:
        from rankconst.catalogue.benchmarks import KINDS, list_meant

        fitting = _list_fitting(list_meant(user.dataset), user.protocol)
        if user.dataset in KINDS:
            user = replace(user, dataset=None, kind=user.dataset)
        elif len(fitting) == 1:
            user = replace(user, dataset=fitting[0])
    keys: dict[str, Any] = {"tool": None if tool is None else tool.key}
    for name, parse in list_parsers(tables).items():
        given = getattr(user, name)
        if given is not None:
            keys[name] = parse(given)
    return _take_tool(replace(user, **keys), tables)


def read_tool(name: str | None) -> Tool | None:
    """Return the tool of a name; None without one."""
    if name is None:
        return None
    from rankconst.catalogue.tools import parse_tool

    return parse_tool(name)


def _take_tool(user: Address, tables: Tables) -> Address:
    """Return what a user says with the tool of a suite; UsageError if that is another."""
    if user.dataset is None or user.dataset in tables.titles:
        return user
    from rankconst.catalogue.suites import load_suites

    suite = load_suites().get(user.dataset)
    if suite is None:
        return user
    tool = _require_tool(suite, read_tool(user.tool))
    return replace(user, tool=None if tool is None else tool.key)


def _require_tool(suite: Suite, tool: Tool | None) -> Tool | None:
    """Return the tool of a suite, if it has one; UsageError if another is named."""
    if suite.tool is None or tool is None or tool is suite.tool:
        return suite.tool or tool
    raise UsageError(
        f"{suite.key} averages over graphs as {suite.tool.title} ranks them: "
        f"leave out --tool {tool.key}."
    )


def _narrow(file: Address, user: Address) -> Address:
    """Return what a user says of one number: of a suite, the file names the graph."""
    from rankconst.catalogue.suites import is_mean, load_suites

    if not user.dataset or not file.dataset or is_mean(file.dataset):
        return user
    suite = load_suites().get(user.dataset)
    if suite is None:
        return user
    from rankconst.catalogue.benchmarks import list_meant

    own = [key for key in list_meant(file.dataset, typed=False) if key in suite.graphs]
    return replace(user, dataset=own[0] if len(own) == 1 else None)


def _find_own(name: str, tool: Tool, *, typed: bool = True) -> str:
    """Return the benchmark that a tool means by a name of several; other names as they are."""
    from rankconst.catalogue.benchmarks import list_meant, list_names

    meant = list_meant(name, typed=typed)
    if not meant:
        return name
    own = {tool.means.get(key, key) for key in meant}
    if len(own) == 1:
        return own.pop()
    return list_names().find(f"{name} ({tool.title})") or name


def _choose_benchmark(file: Address, user: Address) -> Address:
    """Return what a file says with the one benchmark that its name means, or with a question."""
    if not file.dataset:
        return file
    from rankconst.catalogue.benchmarks import list_kinds, list_meant
    from rankconst.catalogue.suites import is_mean, load_suites

    if is_mean(file.dataset):
        questions = file.questions
        if user.dataset not in load_suites():
            questions = (ask_mean(file), *questions)
        return replace(file, dataset=None, questions=questions)
    meant = list_meant(file.dataset, typed=False)
    if not meant:
        return file
    accepted = _find_chosen(file, user)
    if accepted or user.dataset in meant:
        return replace(file, dataset=accepted or None)
    of_kind = [key for key in meant if (user.kind or file.kind) in list_kinds(key)]
    for chosen in (of_kind, _list_fitting(meant, user.protocol or file.protocol)):
        if len(chosen) == 1:
            return replace(file, dataset=chosen[0])
    ask = _ask_benchmark(file.dataset, meant)
    return replace(file, questions=(ask, *file.questions))


def _find_chosen(file: Address, user: Address) -> str:
    """Return the graph for which a user accepts a name that several have; empty for no such name.

    Raises UsageError for a graph without that name.
    """
    name, accepted = file.dataset or "", _list_accepted(user)
    if name.lower() not in accepted:
        return ""
    from rankconst.catalogue.benchmarks import list_meant

    meant = list_meant(name, typed=False)
    if not meant:
        return ""
    value = accepted[name.lower()]
    if value not in meant:
        got = f"{name}={value}" if value else name
        expected = " or ".join(f"{name}={key}" for key in meant)
        raise UsageError(f"--accept {got}: several graphs have this name; expected {expected}.")
    return value


def _ask_benchmark(name: str, meant: tuple[str, ...]) -> Question:
    """Return the question which of several benchmarks with the same name is meant."""
    from rankconst.catalogue.benchmarks import KINDS, list_kinds, load_benchmarks

    if len(meant) == 1:
        text = f"{name} may be {load_benchmarks()[meant[0]].title} or another graph"
        way = f"--dataset {meant[0]} if it is that"
        return Question("dataset", text, option=way, choices=meant)
    kinds = {key: list_kinds(key) for key in meant}
    # A kind that only one of them is of names that one.
    telling = [kind for kind in KINDS if sum(kind in own for own in kinds.values()) == 1]
    ways = [f"--dataset {kind}" for kind in telling]
    ways += [_name_way(key) for key, own in kinds.items() if own.isdisjoint(telling)]
    option = " or ".join(ways)
    # A kind or a tool answers for other graphs, too; a dataset is that of all numbers.
    if any(f"--dataset {key}" in ways for key in meant):
        option += f", or --accept {shlex.quote(f'{name}=GRAPH')} for this name alone"
    text = f"several graphs have its name: {name} may be {' or '.join(meant)}"
    return Question("dataset", text, option=option, choices=meant)


def _list_fitting(meant: Iterable[str], protocol: str | None) -> list[str]:
    """Return the benchmarks that a protocol is for; none if it leaves that open."""
    if protocol is None or is_filtered(protocol):
        return []
    from rankconst.catalogue.benchmarks import load_benchmarks

    try:
        row = find_protocol(protocol)
    except UnknownNameError:
        return []
    formats = {key: load_benchmarks()[key].format for key in meant}
    return [key for key, form in formats.items() if row.fits(form.temporal, form.qualified)]


def _name_way(key: str) -> str:
    """Return the option for a benchmark: its tool, which answers for its other graphs, too."""
    from rankconst.catalogue.benchmarks import load_benchmarks
    from rankconst.catalogue.tools import load_tools

    title = load_benchmarks()[key].title
    for tool in load_tools().values():
        if title.endswith(f"({tool.title})"):
            return f"--tool {tool.key}"
    return f"--dataset {key}"


def ask_mean(mean: Address, what: str = "") -> Question:
    """Return the question over which graphs a number is a mean."""
    option = name_suites(mean.suites)
    return Question("dataset", f"{mean.dataset} is a mean over graphs{what}", option=option)


def name_suites(keys: Iterable[str]) -> str:
    """Return the options that say over which graphs a mean is."""
    ways = " or ".join(f"--dataset {key}" for key in keys)
    return ways or "--dataset SUITE, one that `rankconst show suites` lists"


def agrees(file: Address, user: Address, tables: Tables) -> bool:
    """Tell whether a file does not contradict what the user asks for; unknown names agree."""
    parsers = list_parsers(tables)
    if not _agree_on_dataset(file, user, parsers["dataset"]):
        return False
    if not _agree_on_protocol(file.protocol, user.protocol, parsers["protocol"]):
        return False
    for name in ("split", "side", "aggregation"):
        declared, asked = getattr(file, name), getattr(user, name)
        if declared and asked and _parse(declared, parsers[name]) not in {asked, None}:
            return False
    if file.relations and user.relations:
        return {*map(squash, file.relations)} <= {*map(squash, user.relations)}
    return True


def _agree_on_dataset(file: Address, user: Address, parse: Callable[[str], str]) -> bool:
    from rankconst.catalogue.benchmarks import list_meant
    from rankconst.catalogue.suites import is_mean, load_suites

    asked = user.dataset
    if not asked:
        return True
    if not file.dataset:
        choices = [name for ask in file.questions for name in ask.choices]
        return not choices or asked in {_parse(name, parse) for name in choices}
    suite = load_suites().get(asked)
    if is_mean(file.dataset):
        return suite is not None
    allowed = {asked} if suite is None else {asked, *suite.graphs}
    meant = list_meant(file.dataset, typed=False)
    if meant:
        return not allowed.isdisjoint(meant)
    return _parse(file.dataset, parse) in {None, *allowed}


def _agree_on_protocol(
    declared: str | None, asked: str | None, parse: Callable[[str], str]
) -> bool:
    if not declared or not asked:
        return True
    key = "filtered" if is_filtered(declared) else _parse(declared, parse)
    if key in {asked, None}:
        return True
    # One way of filtering may be another; raw is not filtered, and sampled is not full.
    return "raw" not in {key, asked} and not str(key).startswith("sampled")


def _parse(name: str, parse: Callable[[str], str]) -> str | None:
    """Return the key of a name; None for an unknown one."""
    try:
        return parse(name)
    except UnknownNameError:
        return None


WHICH_MACRO = Question(
    "aggregation",
    "a macro average may be over queries or over relations",
    option="--aggregation macro-query or --aggregation macro-relation, or name it in its column",
)
"""The question about a number that is called a macro average only."""

NO_DATASET = "no dataset is named: add --dataset (dataset= in Python), or a column dataset."
"""Why a number is left out that may be of any dataset."""


def settle(
    file: Address, user: Address, tables: Tables, *, tool: str | None = None
) -> tuple[Tasks, Tool | None]:
    """Return the ranking tasks that a number is from, and the tool whose caveats apply.

    `user` has keys, as :func:`parse_address` returns them; what it says fills in what the file does
    not, and its protocol and tool take precedence. `tool` is what the file's format implies, and
    comes last.

    Raises AskedError for what only the user can answer, UnknownNameError for an unknown name,
    UsageError if user and file contradict each other or sampled numbers are to be taken for full
    ones, DataError if no dataset is named, or the tool's numbers on it, or of that side, cannot be
    adjusted.
    """
    given = user.tool or file.tool or tool
    row = read_tool(given or None)
    chosen = _find_chosen(file, user)
    if row is not None and file.dataset and not chosen:
        file = replace(file, dataset=_find_own(file.dataset, row, typed=False))
    file, user = _answer(file, user)
    named = user.dataset or file.dataset
    sampled = user.protocol or _drop_filtered(file.protocol, row)
    if named is None:
        # All that matters of sampled ranks is how many there are.
        if file.num_tasks and sampled and find_protocol(sampled).negatives is not None:
            return Tasks(f"{file.num_tasks:,} tasks", parse_protocol(sampled).key, split=""), row
        if user.kind:
            raise DataError(
                f"{user.kind} is a kind of dataset: it tells which of several graphs with the same "
                "name a file means. Name the dataset itself; `rankconst show datasets` lists them."
            )
        raise DataError(NO_DATASET)
    if row is not None and (reason := row.refusal(file.dataset or named)) is not None:
        raise DataError(reason)
    parsers = list_parsers(tables)
    dataset, split, side, aggregation = (
        _agree(name, getattr(file, name), getattr(user, name), parsers[name])
        for name in ("dataset", "split", "side", "aggregation")
    )
    dataset, split = dataset or named, split or "test"
    suite = tables.find_suite(dataset)
    if suite is not None:
        row = _require_tool(suite, row)
    if row is not None:
        dataset = tables.resolve_dataset(row.means.get(dataset, dataset))
        split = row.find_split(dataset, split)
        side = side or row.find_side(dataset)
        if chosen and dataset != chosen:
            raise DataError(
                f"it is accepted as {chosen}, but {row.title} evaluates on {dataset}. Accept that, "
                "or leave out the tool."
            )
    asked = sampled and parse_protocol(sampled).key
    tasks = Tasks(
        dataset=dataset,
        protocol=_settle_protocol(asked, row, tables.protocols(dataset)),
        split=split,
        side=side or "both",
        aggregation=aggregation or DEFAULT_AGGREGATION,
        relations=user.relations,
    )
    if row is not None:
        reason = row.unranked.get(tasks.side) or row.unfit.get(tasks.protocol)
        if reason:
            raise DataError(reason)
    if file.relations and not user.relations:
        known = match_relations(file.relations, tables.relations(tasks))
        tasks = replace(tasks, relations=known or file.relations)
    return tasks, row


def _answer(file: Address, user: Address) -> tuple[Address, Address]:
    """Answer what a file leaves open by what the user says; AskedError for what stays open."""
    user = _narrow(file, user)
    file = _choose_benchmark(file, user)
    user = read_words(file, user)
    questions = list_open(file, user)
    if is_either_macro(file.aggregation):
        if user.aggregation not in MACROS:
            questions += (WHICH_MACRO,)
        file = replace(file, aggregation=None)
    if questions:
        raise AskedError("; ".join(map(str, questions)) + ".", questions)
    return file, user


def weigh(tasks: Tasks, metric: Metric, tool: Tool | None) -> Tasks:
    """Return ranking tasks as a tool weighs them; DataError where that has no constants."""
    if tool is None or tasks.is_micro:
        return tasks
    if reason := tool.unmade.get(metric.label):
        raise DataError(reason)
    if metric.label in tool.unweighted:
        return replace(tasks, aggregation=DEFAULT_AGGREGATION)
    return tasks


def look_up(
    metric: str, user: Address, tables: Tables, baseline: str = DEFAULT_BASELINE
) -> Constants:
    """Return the constants of a metric on a user's tasks, of which its name may say more."""
    parsed = parse_metric(metric)
    named = replace(complete_by_name(metric, user), rank_type=None)  # ties are ranked alike in both
    tasks, tool = settle(NOTHING, parse_address(named, tables), tables)
    if tool is not None and tool.batch is not None:
        raise UsageError(
            f"{tool.title} leaves out up to {2 * tool.batch - 2:,} tasks, and which is not known. "
            f"To go on as if it did not, leave out the tool; its protocol is {tool.protocol}."
        )
    return tables.look_up(replace(tasks, baseline=parse_baseline(baseline).key), parsed)


def count_alike(metric: Metric, user: Address, num_tasks: int) -> Constants:
    """Return the constants of a metric on tasks of which only the number is known."""
    if replace(user, protocol=None) != NOTHING:
        raise UsageError(
            "with the number of tasks, say nothing else about the tasks but protocol sampled:M."
        )
    protocol = OWN_COUNTS if user.protocol is None else parse_protocol(user.protocol)
    if user.protocol is not None:
        histogram = sampled_histogram(protocol, num_tasks)
    elif metric.is_share:
        # More candidates leave less certain; a histogram takes no more than these.
        histogram = Histogram.from_counts([2**53], [num_tasks])
    else:
        raise UsageError(
            f"{metric.label} also needs the numbers of candidates: "
            "name the dataset, or protocol sampled:M."
        )
    from rankconst.tables.own_counts import Counts

    whole = Counts(f"{num_tasks:,} tasks", {"both": histogram}).constants(metric)
    return replace(whole, tasks=replace(whole.tasks, protocol=protocol.key))


def parse_counted(name: str | None, tool: str | None) -> str:
    """Return the protocol of tasks that are given by nothing but their number."""
    row = read_tool(tool)
    protocol = parse_protocol(name or (row.protocol if row else DEFAULT_PROTOCOL))
    if protocol.negatives is None:
        raise UsageError(
            "--num-tasks: the number of tasks is enough only if all have the same number of "
            f"candidates: add --protocol sampled:M. Under protocol {protocol.key} name the "
            "dataset, or give the numbers of candidates by --counts."
        )
    return protocol.key


def read_words(file: Address, user: Address) -> Address:
    """Return what a user says of a number, with the values of accepted words."""
    accepted = _list_accepted(user)
    declared: dict[str, Any] = {}
    for ask in file.questions:
        if value := accepted.get(ask.word):
            name, key = _parse_value(ask, value)
            declared[name] = key
    return replace(user, **declared)


def _parse_value(ask: Question, value: str) -> tuple[str, str]:
    """Return the field of an address that an accepted word is said to mean, with the key.

    Raises UnknownNameError for no value of the field that is asked for, UsageError for none at all.
    """
    if ask.field in _PARSERS:
        return ask.field, _PARSERS[ask.field](value)
    for name, parse in _PARSERS.items():
        try:
            return name, parse(value)
        except UnknownNameError:
            continue
    raise UsageError(
        f"--accept {ask.word}={value}: expected a split, side, protocol or aggregation after =."
    )


def _list_accepted(user: Address) -> dict[str, str]:
    """Return the words that a user accepts, each with the value it stands for, if any."""
    accepted = {}
    for text in user.accepted:
        # "n=50=sampled:50" is of the word "n=50".
        word, sign, value = text.rpartition("=")
        if sign:
            accepted[word.lower()] = value
    return accepted | {text.lower(): "" for text in user.accepted}


def list_words(file: Address) -> set[str]:
    """Return what a user can accept of a number: words that are asked about, and shared names."""
    words = {ask.word for ask in file.questions}
    if file.dataset:
        from rankconst.catalogue.benchmarks import list_meant

        if list_meant(file.dataset, typed=False):
            words.add(file.dataset.lower())
    return words


def list_open(file: Address, user: Address) -> tuple[Question, ...]:
    """Return the questions that neither the user nor the kind of the benchmark has answered."""
    if not file.questions:  # to know its kind, the whole registry is read
        return ()
    from rankconst.catalogue.benchmarks import KINDS, list_kinds

    dataset = user.dataset or file.dataset
    # Who says the kind has answered; and without a dataset, that is asked first.
    kinds = list_kinds(dataset) if dataset and not user.kind else {*KINDS, "full"}
    user = read_words(file, user)
    accepted = _list_accepted(user)
    left = (ask for ask in file.questions if ask.word not in accepted and ask.kind not in kinds)
    sides = {ask.says for ask in file.questions if ask.field == "side"}
    opened = list[Question]()
    for ask in left:
        given = getattr(user, ask.field, None)
        if not given:
            opened.append(ask)
        elif not _answers(given, ask, sides):
            place = f"{ask.place}, though you say {ask.field} {given}"
            opened.append(replace(ask, option="", place=place))
    return tuple(opened)


def _answers(given: str, ask: Question, sides: Collection[str]) -> bool:
    """Tell whether an option answers a question; the word must not say another value."""
    if given == "both":  # where a text has heads and tails
        return not ask.says or {*ENTITY_SIDES} <= {*sides}
    if ask.option.endswith("sampled:M"):  # among how many, and no other protocol says that
        return is_sampled(given)
    return not ask.says or given.startswith(ask.says)


def _drop_filtered(name: str | None, tool: Tool | None) -> str | None:
    """Return the name of a protocol; None for one that only says filtered."""
    if name is None or not is_filtered(name):
        return name
    if tool is not None and parse_protocol(tool.protocol).known == "none":
        raise DataError(
            f"it is called {name}, but {tool.title} removes no known answers: name the protocol."
        )
    return None


def match_relations(names: Iterable[str], known: Iterable[str]) -> tuple[str, ...]:
    """Return the relations that names spell, punctuation aside; nothing if one is unknown."""
    spelt = _spell(tuple(known))
    found = [spelt.get(name) or spelt.get(squash(name)) or set() for name in names]
    if any(len(each) != 1 for each in found):
        return ()
    return tuple(one for (one,) in found)


@functools.lru_cache(16)
def _spell(known: tuple[str, ...]) -> Mapping[str, set[str]]:
    """Return each spelling of some relations to those that have it."""
    spelt: dict[str, set[str]] = {}
    for each in known:
        for spelling in (each, squash(each)):
            spelt.setdefault(spelling, set()).add(each)
    return spelt


def _agree(
    name: str, declared: str | None, asked: str | None, parse: Callable[[str], str]
) -> str | None:
    """Return the key of what file or user says; refuse a contradiction."""
    key = parse(declared) if declared and declared != asked else None
    if key and asked and key != asked:
        raise UsageError(
            f"the file says {name} {declared}, but {asked} was asked for; leave out {name}."
        )
    return asked or key


def _settle_protocol(asked: str | None, tool: Tool | None, held: tuple[str, ...]) -> str:
    """Return the protocol that is asked for, the dataset's only one, the tool's or the usual."""
    implied = None if tool is None else tool.protocol
    # A dataset whose candidates come with it has one protocol only, whoever evaluates.
    only = held[0] if len(held) == 1 else None
    key = asked or only or implied or DEFAULT_PROTOCOL
    sampled = [one for one in (implied, only) if one and find_protocol(one).negatives is not None]
    if asked and sampled and find_protocol(key).negatives is None:
        few, whose = sampled[0], "numbers on this dataset"
        if tool is not None and few == implied:
            whose = f"numbers of {tool.title}"
        raise UsageError(
            f"{whose} rank among sampled candidates (protocol {few}); they cannot "
            f"be turned into numbers of protocol {key}: a rank among few candidates does not say "
            f"what the rank among all of them is. Leave out --protocol to adjust them under {few}."
        )
    return key


# -- what you are told of it -----------------------------------------------------------------------

# Only where other numbers say another is it worth a word that each task counts the same.
_ALWAYS = ("split", "side", "protocol")

_OPTION = r"--([a-z]+)(?: (?:'([^']*)'|(?!(?:or|in|if)\b)([\w:.@+=%-]+)))?"

# Between two arguments.
_NEXT = r"(?<=\") (?=[a-z]+=\")"

# The options that are arguments in Python, too.
_ARGUMENTS = {*NAMES, "tool", "accept", "percent", "tables"}


# What is called otherwise in Python.
_OTHERWISE = {
    "relation": "relations=[...]",
    "counts": "tables=rankconst.from_counts(...)",
}


def name_arguments(text: str) -> str:
    """Return a text with arguments of Python in place of options.

    >>> name_arguments("add --split valid --side head, or --accept dev")
    'add split="valid", side="head", or accept=["dev"]'
    """

    def name(found: re.Match[str]) -> str:
        value = found[2] or found[3]
        if found[1] in _OTHERWISE:
            return _OTHERWISE[found[1]]
        if found[1] not in _ARGUMENTS:
            return found[0]
        if value is None:
            return f"{found[1]}="
        return f'accept=["{value}"]' if found[1] == "accept" else f'{found[1]}="{value}"'

    return re.sub(_NEXT, ", ", re.sub(_OPTION, name, text))


def find_assumed(declared: Address, user: Address, tasks: Tasks) -> dict[str, str]:
    """Return what was assumed of a number, by field: what neither it nor the user says."""
    if tasks.protocol == OWN_COUNTS.key or has_own_tasks(tasks.dataset):
        return {}
    user = read_words(declared, user)
    return {
        name: getattr(tasks, name)
        for name in (*_ALWAYS, "aggregation")
        if getattr(tasks, name) and not getattr(declared, name) and not getattr(user, name)
    }


def gather_assumed(
    settled: Iterable[tuple[Address, Tasks]], user: Address, rank_types: Collection[str | None] = ()
) -> dict[str, tuple[str, ...]]:
    """Return what was assumed of some numbers, by field, with the distinct values of each.

    How tasks were weighted and how ties were ranked is left out where no number says another.
    """
    pairs = list(settled)
    assumed: dict[str, dict[str, None]] = {}
    for declared, tasks in pairs:
        for name, value in find_assumed(declared, user, tasks).items():
            assumed.setdefault(name, {})[value] = None
    if not any(declared.aggregation for declared, _ in pairs):
        assumed.pop("aggregation", None)
    if None in rank_types and len(rank_types) > 1:
        assumed["rank_type"] = {"realistic": None}
    return {name: tuple(values) for name, values in assumed.items()}


def describe_assumed(assumed: Mapping[str, Sequence[str]]) -> str:
    """Return what was assumed in plain words.

    >>> assumed = {"split": ("test",), "side": ("both",), "protocol": ("standard", "sampled:500")}
    >>> describe_assumed(assumed)
    'test split, both sides, standard and sampled:500 protocols'
    """
    return ", ".join(_describe_values(name, values) for name, values in assumed.items())


def _describe_values(name: str, values: Sequence[str]) -> str:
    noun = _NOUNS[name]
    if len(values) > 1 or values[0] in _PLURAL:
        noun += "s"
    return f"{' and '.join(values)} {noun}"


_NOUNS = {
    "split": "split",
    "side": "side",
    "protocol": "protocol",
    "aggregation": "average",
    "rank_type": "rank",
}
_PLURAL = {"both", "realistic"}
