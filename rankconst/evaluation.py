"""Find the ranking tasks of a number from what its file, the user and the tool say.

What nobody says is assumed and shown, or asked if only the user can answer.
"""

from __future__ import annotations

import functools
import itertools
import re
import shlex
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from rankconst.catalogue.baselines import DEFAULT_BASELINE, parse_baseline
from rankconst.catalogue.literature import has_own_tasks
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
from rankconst.errors import AskedError, DataError, UnknownNameError, UsageError
from rankconst.names import require_text, squash
from rankconst.tasks import Histogram, Tasks, sampled_histogram

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from rankconst.catalogue.literature import Suite
    from rankconst.catalogue.metrics import Metric
    from rankconst.catalogue.tools import Tool
    from rankconst.tables.archive import Tables
    from rankconst.values.constants import Constants


@dataclass(frozen=True, slots=True)
class Question:
    """A question that only the user can answer, and the numbers that it is about."""

    field: str  # the field that it asks for, such as ``split``
    text: str  # the words around the word, or the question itself
    # The word that raises the question, or stands for what does; empty if you cannot accept it.
    word: str = ""
    place: str = ""  # the place of the word, such as ``the caption``; empty if it is in no text
    option: str = ""  # the option that answers it; :attr:`remedy` has all ways on
    kind: str = ""  # the kind of benchmark that answers it, such as ``temporal``
    # What the word says of its field: an option with another value does not answer the question.
    says: str = ""
    choices: tuple[str, ...] = ()  # the datasets that may be meant
    # The positions of the numbers in ``entries`` of a file, or among the rows of a DataFrame.
    numbers: tuple[int, ...] = ()
    total: int = 0  # for how many numbers an option holds; 0 if for these alone
    in_python: bool = False  # True if the remedy names arguments in place of options

    @property
    def remedy(self) -> str:
        """The options that answer it.

        "--side tail, or --accept tail if it says nothing about these numbers".
        """
        answers = [self.option] if self.option else []
        # An option is for all numbers of a file, --accept for these alone. Options for a column
        # say so themselves, and so do those for a dataset without a word.
        fields = NAMES if self.word else NAMES[1:]
        is_for_column = "column" in self.option
        if self.option and self.total and self.field in fields and not is_for_column:
            answers = [f"{self.option} for all {self.total:,} numbers"]
            if self.word:
                value = self.option.split()[1]
                meaning = shlex.quote(f"{self.word}={value}")
                answers.append(f"--accept {meaning} for these")

        if self.word:
            word = shlex.quote(self.word)
            answers.append(f"--accept {word} if it says nothing about these numbers")

        remedy = ", or ".join(answers)
        return name_arguments(remedy) if self.in_python else remedy

    def __str__(self) -> str:
        question = self.text.rstrip(".")
        if self.place:
            question = f'"{self.word}" in {self.place}'
            if self.text.lower() != self.word:
                question += f', "{self.text}"'
        return f"{question}: add {self.remedy}" if self.remedy else question

    def to_dict(self) -> dict[str, str]:
        """Return word, place, text and remedy for JSON."""
        return {"word": self.word, "place": self.place, "text": self.text, "remedy": self.remedy}


@dataclass(frozen=True, slots=True)
class Address:
    """The ranking tasks of numbers as a file or a user describes them, in any spelling.

    Fields are None if they are not named.
    """

    dataset: str | None = None
    split: str | None = None
    side: str | None = None
    protocol: str | None = None
    aggregation: str | None = None
    tool: str | None = None  # the tool or repository that the numbers come from
    model: str | None = None  # the name of the evaluated model
    rank_type: str | None = None  # the rank of ties: realistic, optimistic, pessimistic ...
    num_tasks: int | None = None  # the number of ranks, counted over both sides for side both
    num_triples: int | None = None  # the number of test triples
    num_entities: int | None = None
    relations: tuple[str, ...] = ()
    percent: bool = False  # True if shares are percentages without a sign
    questions: tuple[Question, ...] = ()
    # A kind of benchmark, such as inductive, that chooses one of several with the same name.
    kind: str | None = None
    suites: tuple[str, ...] = ()  # the suites that a mean may be over, by the text around it
    # Answers of a user: a harmless word, "sample"; a word with its meaning, "sample=sampled:50"; a
    # name of several graphs with the one that is meant, "NELL-995=nell995".
    accepted: tuple[str, ...] = ()


def assign_numbers(
    places: Mapping[Question, Iterable[int]], total: int, *, in_python: bool
) -> tuple[Question, ...]:
    """Return the questions with the positions of their numbers, out of `total` in the file."""
    assigned = []
    for question, positions in places.items():
        numbers = tuple(sorted(positions))
        others = total if len(numbers) < total else 0
        assigned.append(replace(question, numbers=numbers, total=others, in_python=in_python))
    return tuple(assigned)


NOTHING = Address()
"""The address of a file without any word about its tasks."""

_PARSERS: dict[str, Callable[[str], str]] = {
    "split": parse_split,
    "side": parse_side,
    "protocol": lambda name: parse_protocol(name).key,
    "aggregation": lambda name: parse_aggregation(name).key,
}

NAMES = ("dataset", *_PARSERS)
"""The fields that name ranking tasks."""

_SPLITS = {word: split for split, others in SPLITS.items() for word in (split, *others)}


def complete_by_name(name: str, from_user: Address) -> Address:
    """Add the split, side and rank type in a metric's name to a user's address.

    ``both.realistic.mrr`` adds side both and rank type realistic, ``test_mrr`` adds split test.

    Raises UsageError if the user names another split or side.
    """
    fields: dict[str, Any] = {}
    for word in list_prefixes(name):
        if word in {"both", *ENTITY_SIDES}:
            fields["side"] = word
        elif word in _SPLITS:
            fields["split"] = _SPLITS[word]
        # PyKEEN 1.0 has best and worst behind a side; alone, "best" may be about a run.
        elif word in {"optimistic", "pessimistic"} or (word in RANK_TYPES and "side" in fields):
            fields["rank_type"] = RANK_TYPES[word]

    for role, parse in (("split", parse_split), ("side", parse_side)):
        option = getattr(from_user, role)
        if option and role in fields and parse(option) != fields[role]:
            raise UsageError(
                f"{name} is of {role} {fields[role]}, but {parse(option)} was asked for; "
                "leave out one of the two."
            )

    return replace(from_user, **fields)


def _list_parsers(tables: Tables) -> dict[str, Callable[[str], str]]:
    """Return the functions that turn the spellings of each field into keys."""
    return {"dataset": tables.resolve_dataset, **_PARSERS}


def parse_address(from_user: Address, tables: Tables) -> Address:
    """Replace all names in a user's address by keys.

    If several graphs have the name of the dataset, the tool or the protocol may decide which is
    meant. A kind of benchmark, such as inductive, moves to the field `kind`.

    Raises UnknownNameError for an unknown name, DataError for a dataset that the tool's numbers
    cannot be adjusted on.
    """
    tool = read_tool(from_user.tool)
    if from_user.dataset is not None:
        require_text(from_user.dataset)
        # This comes before an unknown name: the numbers of the tool on this dataset are of no use.
        if tool is not None:
            _refuse_dataset(tool, from_user.dataset)
            from_user = replace(from_user, dataset=_choose_by_tool(from_user.dataset, tool))
        if from_user.dataset not in tables.titles:
            from_user = _read_kind(from_user)

    keys: dict[str, Any] = {}
    for name, parse in _list_parsers(tables).items():
        value = getattr(from_user, name)
        if value is not None:
            keys[name] = parse(value)

    from_user = replace(from_user, **keys)
    # A suite may have a tool of its own.
    if from_user.dataset is not None and from_user.dataset not in tables.titles:
        from rankconst.catalogue.literature import load_suites

        suite = load_suites().get(from_user.dataset)
        if suite is not None:
            tool = _require_tool(suite, tool)

    return replace(from_user, tool=None if tool is None else tool.key)


def read_tool(name: str | None) -> Tool | None:
    """Return the tool with a name, or None without a name."""
    if name is None:
        return None
    from rankconst.catalogue.tools import parse_tool

    return parse_tool(name)


def _refuse_dataset(tool: Tool, dataset: str) -> None:
    """Refuse a dataset on which the numbers of a tool cannot be adjusted."""
    reason = tool.refusal(dataset)
    if reason is not None:
        raise DataError(reason)


def _read_kind(from_user: Address) -> Address:
    """Move a kind of benchmark to the field `kind`, and let the protocol decide a shared name."""
    from rankconst.catalogue.benchmarks import KINDS, list_namesakes

    name = from_user.dataset or ""
    if name in KINDS:
        return replace(from_user, dataset=None, kind=name)
    benchmarks = _choose_by_protocol(list_namesakes(name), from_user.protocol)
    return replace(from_user, dataset=benchmarks[0]) if len(benchmarks) == 1 else from_user


def _require_tool(suite: Suite, tool: Tool | None) -> Tool | None:
    """Return the tool of a suite or else the given one, None for neither; refuse two tools."""
    if suite.tool is None or tool is None or tool is suite.tool:
        return suite.tool or tool
    raise UsageError(
        f"{suite.key} averages over graphs as {suite.tool.title} ranks them: "
        f"leave out --tool {tool.key}."
    )


# -- which of several graphs with one name ---------------------------------------------------------


def _choose_graph_of_suite(from_file: Address, from_user: Address) -> Address:
    """Replace a suite that the user names by the one of its graphs that the file names.

    Without exactly one graph of that name in the suite, the result has no dataset, so that the user
    is asked.
    """
    from rankconst.catalogue.literature import is_mean, load_suites

    if not from_user.dataset or not from_file.dataset or is_mean(from_file.dataset):
        return from_user

    suite = load_suites().get(from_user.dataset)
    if suite is None:
        return from_user

    from rankconst.catalogue.benchmarks import list_namesakes

    named = from_file.dataset  # a file may also have a version alone: v1
    namesakes = list_namesakes(named, typed=False)
    graphs = [key for key in suite.graphs if key in namesakes or _is_of_version(key, named)]
    return replace(from_user, dataset=graphs[0] if len(graphs) == 1 else None)


_VERSION = re.compile(r"v\d")  # the name of a dataset of which only the version is known


def _is_of_version(key: str, version: str) -> bool:
    """Tell whether the key of a benchmark has a version, as wn18rr_v1_ind has v1."""
    return _VERSION.fullmatch(version) is not None and version in key.split("_")


def _choose_by_tool(name: str, tool: Tool, *, typed: bool = True) -> str:
    """Return the benchmark that a tool means by a shared name: wn18rr_v1_ind for GraIL."""
    from rankconst.catalogue.benchmarks import list_names, list_namesakes

    benchmarks = {tool.means.get(key, key) for key in list_namesakes(name, typed=typed)}
    if not benchmarks:
        return name
    if len(benchmarks) == 1:
        return benchmarks.pop()
    # A benchmark may have the tool in its title: "NELL-995 (RED-GNN)".
    return list_names().find(f"{name} ({tool.title})") or name


def _choose_by_protocol(keys: Iterable[str], protocol: str | None) -> list[str]:
    """Return the benchmarks that a protocol is for, or nothing if it is for any."""
    if protocol is None or is_filtered(protocol):
        return []

    from rankconst.catalogue.benchmarks import load_benchmarks

    try:
        row = find_protocol(protocol)
    except UnknownNameError:
        return []

    formats = {key: load_benchmarks()[key].format for key in keys}
    return [key for key, form in formats.items() if row.fits(form.temporal, form.qualified)]


def _choose_benchmark(from_file: Address, from_user: Address) -> Address:
    """Replace a shared name of a dataset in a file by the key of the benchmark, or ask for it."""
    from rankconst.catalogue.benchmarks import list_kinds, list_namesakes
    from rankconst.catalogue.literature import is_mean, load_suites

    name, questions = from_file.dataset or "", from_file.questions
    if is_mean(name):
        if from_user.dataset not in load_suites():
            questions = (ask_mean(from_file), *questions)
        return replace(from_file, dataset=None, questions=questions)

    accepted = _find_accepted_graph(from_file, from_user)
    if _VERSION.fullmatch(name) and not accepted:
        if not _is_of_version(from_user.dataset or "", name):
            text = f"{name} is a version of a graph that no label names"
            # An option would overrule the version.
            option = f"the graph in a column dataset, or --accept {name}=GRAPH without --dataset"
            questions = (Question("graph", text, name, option=option), *questions)
        return replace(from_file, dataset=None, questions=questions)

    namesakes = list_namesakes(name, typed=False)
    if accepted or from_user.dataset in namesakes:
        return replace(from_file, dataset=accepted or None)
    if not namesakes:
        return from_file

    kind, protocol = from_user.kind or from_file.kind, from_user.protocol or from_file.protocol
    of_kind = [key for key in namesakes if kind in list_kinds(key)]
    for benchmarks in (of_kind, _choose_by_protocol(namesakes, protocol)):
        if len(benchmarks) == 1:
            return replace(from_file, dataset=benchmarks[0])

    question = _ask_benchmark(name, namesakes)
    return replace(from_file, questions=(question, *questions))


def _find_accepted_graph(from_file: Address, from_user: Address) -> str:
    """Return the graph that ``--accept NELL-995=nell995`` names for a file's dataset, if any."""
    name, accepted = from_file.dataset or "", _list_accepted(from_user)
    if name.lower() not in accepted or not is_open_name(name):
        return ""

    from rankconst.catalogue.benchmarks import list_namesakes

    namesakes = list_namesakes(name, typed=False)
    value = accepted[name.lower()]
    if not namesakes or value in namesakes:
        return value

    got = f"{name}={value}" if value else name
    expected = " or ".join(f"{name}={key}" for key in namesakes)
    raise UsageError(f"--accept {got}: several graphs have this name; expected {expected}.")


def _ask_benchmark(name: str, namesakes: tuple[str, ...]) -> Question:
    """Ask for one of the benchmarks with the same name."""
    from rankconst.catalogue.benchmarks import KINDS, list_kinds, load_benchmarks
    from rankconst.catalogue.tools import load_tools

    titles = {key: load_benchmarks()[key].title for key in namesakes}
    if len(namesakes) == 1:  # the other graphs of that name are not in the registry
        text = f"{name} may be {titles[namesakes[0]]} or another graph"
        option = f"--dataset {namesakes[0]} if it is that"
        return Question("dataset", text, option=option, choices=namesakes)

    kinds = {key: list_kinds(key) for key in namesakes}
    num_graphs = Counter(itertools.chain.from_iterable(kinds.values()))
    # These kinds choose one of the graphs. Between the other graphs, a tool may choose.
    choosing = [kind for kind in KINDS if num_graphs[kind] == 1]
    options = [f"--dataset {kind}" for kind in choosing]
    needs_name = False
    for key, title in titles.items():
        if not kinds[key].isdisjoint(choosing):
            continue
        tools = [tool for tool in load_tools().values() if title.endswith(f"({tool.title})")]
        if tools:
            options.append(f"--tool {tools[0].key}")
        else:
            options.append(f"--dataset {key}")
            needs_name = True

    option = " or ".join(options)
    # A kind or a tool may also choose among other graphs; a dataset is that of all numbers.
    if needs_name:
        option += f", or --accept {shlex.quote(f'{name}=GRAPH')} for this name alone"

    text = f"several graphs have its name: {name} may be {' or '.join(namesakes)}"
    return Question("dataset", text, option=option, choices=namesakes)


def ask_mean(mean: Address, what: str = "") -> Question:
    """Ask which suite of graphs a number is a mean over. `what` ends the text."""
    option = name_suites(mean.suites)
    return Question("dataset", f"{mean.dataset} is a mean over graphs{what}", option=option)


def name_suites(keys: Iterable[str]) -> str:
    """Return the options that choose one of some suites, or a hint at the list of suites."""
    options = " or ".join(f"--dataset {key}" for key in keys)
    return options or "--dataset SUITE, one that `rankconst show suites` lists"


# -- the file against the user ---------------------------------------------------------------------


def agrees(from_file: Address, from_user: Address, tables: Tables) -> bool:
    """Return False if a file contradicts the user's keys. Missing and unknown names agree."""
    if not _agree_on_dataset(from_file, from_user, tables):
        return False

    for name, parse in _PARSERS.items():
        declared, option = getattr(from_file, name), getattr(from_user, name)
        if not declared or not option:
            continue
        if name == "protocol" and is_filtered(declared):  # any protocol that removes known answers
            fits = option != "raw"
        else:
            fits = _find_key(declared, parse) in {option, None}
        if not fits:
            return False

    has_tools = from_file.tool and from_user.tool
    if has_tools and read_tool(from_file.tool) is not read_tool(from_user.tool):
        return False
    if from_file.relations and from_user.relations:
        named = {squash(relation) for relation in from_user.relations}
        return all(squash(relation) in named for relation in from_file.relations)
    return True


def _agree_on_dataset(from_file: Address, from_user: Address, tables: Tables) -> bool:
    """Return False if a file's dataset is neither the user's nor a graph of the user's suite."""
    from rankconst.catalogue.benchmarks import list_namesakes
    from rankconst.catalogue.literature import is_mean, load_suites

    option, named = from_user.dataset, from_file.dataset
    if not option:
        return True

    suite = load_suites().get(option)
    if suite is not None and from_file.suites and (not named or is_mean(named)):
        return option in from_file.suites

    if not named:  # the file may ask which of several graphs it means
        choices = set[str | None]()
        for question in from_file.questions:
            choices.update(_find_key(name, tables.resolve_dataset) for name in question.choices)
        return not choices or option in choices

    if is_mean(named):
        return suite is not None

    fitting = {option} if suite is None else {option, *suite.graphs}
    namesakes = list_namesakes(named, typed=False)
    if namesakes:  # several graphs have the name that the file uses
        return not fitting.isdisjoint(namesakes)
    return _find_key(named, tables.resolve_dataset) in {None, *fitting}


def _find_key(name: str, parse: Callable[[str], str]) -> str | None:
    """Return the key of a name, or None if it is unknown."""
    try:
        return parse(name)
    except UnknownNameError:
        return None


def _choose(name: str, from_file: Address, from_user: Address, tables: Tables) -> str | None:
    """Return the key of a field by the user or the file, None for neither; refuse two keys."""
    declared, option = getattr(from_file, name), getattr(from_user, name)
    key = None
    if declared and declared != option:
        key = _list_parsers(tables)[name](declared)

    if key and option and key != option:
        raise UsageError(
            f"the file says {name} {declared}, but {option} was asked for; leave out {name}."
        )
    return option or key


# -- the tasks -------------------------------------------------------------------------------------

WHICH_MACRO = Question(
    "aggregation",
    "a macro average may be over queries or over relations",
    option="--aggregation macro-query or --aggregation macro-relation, or name it in its column",
)
"""The question about a number that is called a macro average only."""

NO_DATASET = "no dataset is named: add --dataset (dataset= in Python), or a column dataset."
"""The error of a number that may be of any dataset."""


def settle(
    from_file: Address, from_user: Address, tables: Tables, *, tool: str | None = None
) -> tuple[Tasks, Tool | None]:
    """Return the ranking tasks of a number, and the tool that it is from, if known.

    `from_user` has keys, as :func:`parse_address` returns them; its protocol and tool take
    precedence. `tool` is that of the file format, and comes last. Other fields get defaults, such
    as split test.

    Raises
    ------
    AskedError
        If only the user can say which tasks they are.
    UnknownNameError
        If a name is unknown.
    UsageError
        If user and file contradict each other, or sampled numbers are taken for full ones.
    DataError
        If no dataset is named, or the tool's numbers cannot be adjusted.
    """
    row = read_tool(from_user.tool or from_file.tool or tool or None)
    accepted = _find_accepted_graph(from_file, from_user)
    if row is not None and from_file.dataset and not accepted:
        benchmark = _choose_by_tool(from_file.dataset, row, typed=False)
        from_file = replace(from_file, dataset=benchmark)

    from_user = _choose_graph_of_suite(from_file, from_user)
    if from_file.dataset:
        from_file = _choose_benchmark(from_file, from_user)

    from_user = read_words(from_file, from_user)
    from_file = _require_answers(from_file, from_user)
    named = from_user.dataset or from_file.dataset
    protocol = from_user.protocol or _drop_filtered(from_file.protocol, row)
    if named is None:
        return _settle_without_dataset(from_file.num_tasks, protocol, from_user.kind), row

    if row is not None:
        _refuse_dataset(row, from_file.dataset or named)

    chosen = Address(
        dataset=_choose("dataset", from_file, from_user, tables) or named,
        split=_choose("split", from_file, from_user, tables),
        side=_choose("side", from_file, from_user, tables),
        aggregation=_choose("aggregation", from_file, from_user, tables),
        protocol=protocol,
        relations=from_user.relations,
    )
    suite = tables.find_suite(chosen.dataset or named)
    if suite is not None:
        row = _require_tool(suite, row)

    tasks = _complete(chosen, row, tables, accepted)
    if from_file.relations and not from_user.relations:
        known = match_relations(from_file.relations, tables.relations(tasks))
        tasks = replace(tasks, relations=known or from_file.relations)

    return tasks, row


def _complete(named: Address, tool: Tool | None, tables: Tables, accepted: str) -> Tasks:
    """Fill in what is not named, as the tool ranks, whose datasets and splits may be others.

    `accepted` is the dataset that the user accepts for its name, if any.
    """
    dataset, split, side = named.dataset or "", named.split or "test", named.side
    if tool is not None:
        dataset = tables.resolve_dataset(tool.means.get(dataset, dataset))
        split = tool.find_split(dataset, split)
        side = side or tool.find_side(dataset)
        if accepted and dataset != accepted:
            raise DataError(
                f"it is accepted as {accepted}, but {tool.title} evaluates on {dataset}. Accept "
                "that, or leave out the tool."
            )

    option = None if named.protocol is None else parse_protocol(named.protocol).key
    tasks = Tasks(
        dataset=dataset,
        protocol=_choose_protocol(option, tool, tables.protocols(dataset)),
        split=split,
        side=side or "both",
        aggregation=named.aggregation or DEFAULT_AGGREGATION,
        relations=named.relations,
    )
    if tool is not None:
        reason = tool.unranked.get(tasks.side) or tool.unfit.get(tasks.protocol)
        if reason:
            raise DataError(reason)

    return tasks


def _require_answers(from_file: Address, from_user: Address) -> Address:
    """Return what a file says, or raise AskedError if it leaves questions."""
    questions = list_open(from_file, from_user)
    if is_either_macro(from_file.aggregation):
        if from_user.aggregation not in MACROS:
            questions += (WHICH_MACRO,)
        from_file = replace(from_file, aggregation=None)

    if questions:
        raise AskedError("; ".join(str(question) for question in questions) + ".", questions)
    return from_file


def _settle_without_dataset(num_tasks: int | None, protocol: str | None, kind: str | None) -> Tasks:
    """Return tasks that only their number describes, under a protocol with sampled negatives."""
    if num_tasks and protocol and find_protocol(protocol).negatives is not None:
        return Tasks(f"{num_tasks:,} tasks", parse_protocol(protocol).key, split="")
    if kind:
        raise DataError(
            f"{kind} is a kind of dataset: it tells which of several graphs with the same "
            "name a file means. Name the dataset itself; `rankconst show datasets` lists them."
        )

    raise DataError(NO_DATASET)


def _drop_filtered(name: str | None, tool: Tool | None) -> str | None:
    """Return the name of a protocol, but None for "filtered", which names none."""
    if name is None or not is_filtered(name):
        return name
    if tool is not None and parse_protocol(tool.protocol).known == "none":
        raise DataError(
            f"it is called {name}, but {tool.title} removes no known answers: name the protocol."
        )
    return None


def _choose_protocol(option: str | None, tool: Tool | None, tabulated: tuple[str, ...]) -> str:
    """Return the protocol of the user, the only one of the dataset, the tool's or the usual."""
    tool_protocol = None if tool is None else tool.protocol
    # A dataset whose candidates come with it has one protocol only, whoever evaluates.
    only_protocol = tabulated[0] if len(tabulated) == 1 else None
    key = option or only_protocol or tool_protocol or DEFAULT_PROTOCOL
    if option is None or is_sampled(key):
        return key

    for protocol in (tool_protocol, only_protocol):
        if protocol and is_sampled(protocol):
            numbers = "numbers on this dataset"
            if tool is not None and protocol == tool_protocol:
                numbers = f"numbers of {tool.title}"
            raise UsageError(
                f"{numbers} rank among sampled candidates (protocol {protocol}); they cannot be "
                f"turned into numbers of protocol {key}: a rank among few candidates does not say "
                "what the rank among all of them is. "
                f"Leave out --protocol to adjust them under {protocol}."
            )

    return key


def match_relations(names: Iterable[str], known: Iterable[str]) -> tuple[str, ...]:
    """Return the relations with some names, ignoring punctuation and case, if all are clear."""
    relations_of = _index_spellings(tuple(known))
    matches = list[str]()
    for name in names:
        relations = relations_of.get(name) or relations_of.get(squash(name)) or set()
        if len(relations) != 1:
            return ()
        matches += relations

    return tuple(matches)


@functools.lru_cache(16)
def _index_spellings(relations: tuple[str, ...]) -> Mapping[str, set[str]]:
    """Map each spelling, with and without punctuation, to its relations."""
    spellings: dict[str, set[str]] = {}
    for relation in relations:
        for spelling in (relation, squash(relation)):
            spellings.setdefault(spelling, set()).add(relation)
    return spellings


def weigh(tasks: Tasks, metric: Metric, tool: Tool | None) -> Tasks:
    """Return the tasks with the weights by which a tool averages a metric over them.

    Raises DataError if the tool's average has no constants.
    """
    if tool is None or tasks.is_micro:
        return tasks
    if metric.label in tool.unmade:
        raise DataError(tool.unmade[metric.label])
    if metric.label in tool.unweighted:
        return replace(tasks, aggregation=DEFAULT_AGGREGATION)
    return tasks


# -- the words that raise questions ----------------------------------------------------------------


def list_open(from_file: Address, from_user: Address) -> tuple[Question, ...]:
    """Return the questions of a file that neither the user, the kind nor the tool answers."""
    if not from_file.questions:  # to know its kind, the whole registry is read
        return ()

    from rankconst.catalogue.benchmarks import KINDS, list_kinds
    from rankconst.catalogue.tools import is_tool, parse_tool

    dataset = from_user.dataset or from_file.dataset
    # Without a dataset, that is asked first.
    kinds = list_kinds(dataset) if dataset else {*KINDS, "full"}
    from_user = read_words(from_file, from_user)
    accepted = _list_accepted(from_user)
    sides = {question.says for question in from_file.questions if question.field == "side"}
    tool = from_user.tool or from_file.tool
    implied = parse_tool(tool).protocol if tool and is_tool(tool) else None
    if is_sampled(from_user.protocol or implied or ""):  # where a full ranking is another
        kinds -= {"full"}

    unanswered = list[Question]()
    for question in from_file.questions:
        if question.word in accepted or question.kind in kinds:
            continue
        if implied and (question.field, question.says) == ("protocol", implied):
            continue
        option = getattr(from_user, question.field, None)
        if not option:
            unanswered.append(question)
        elif not _answers(option, question, sides):
            place = f"{question.place}, though you say {question.field} {option}"
            unanswered.append(replace(question, option="", place=place))

    return tuple(unanswered)


def _answers(option: str, question: Question, sides: Collection[str]) -> bool:
    """Return True if the value of an option answers a question and fits the question's word."""
    if option == "both":  # where a text has both heads and tails
        return not question.says or {*ENTITY_SIDES} <= {*sides}
    if question.option.endswith("sampled:M"):  # no other protocol has a number of negatives
        return is_sampled(option) and _fits_counts(option, question)
    return not question.says or option.startswith(question.says)


def _fits_counts(sampled: str, question: Question) -> bool:
    """Tell whether a protocol has the number in a question's word, or before it: 50 negatives."""
    word = re.escape(question.word).replace(r"\-", "[ -]")
    before = rf"(\d+) (?:\w+ )?{word}"
    text = question.text.lower().replace(",", "")
    counts = re.findall(r"\d+", question.word) or re.findall(before, text)
    negatives = find_protocol(sampled).negatives or 0
    return not counts or any(int(digits) in {negatives, negatives + 1} for digits in counts)


def read_words(from_file: Address, from_user: Address) -> Address:
    """Add the values of accepted words, as of ``--accept dev=valid``, to a user's address."""
    accepted = _list_accepted(from_user)
    fields: dict[str, Any] = {}
    for question in from_file.questions:
        value = accepted.get(question.word)
        if value:
            name, key = _parse_value(question, value)
            fields[name] = key

    return replace(from_user, **fields)


def _parse_value(question: Question, value: str) -> tuple[str, str]:
    """Return the field and the key of the value of an accepted word."""
    if question.field in _PARSERS:
        return question.field, _PARSERS[question.field](value)
    if question.field == "dataset":
        from rankconst.catalogue.benchmarks import list_names

        return question.field, list_names().find(value) or value

    for name, parse in _PARSERS.items():
        key = _find_key(value, parse)
        if key is not None:
            return name, key

    raise UsageError(
        f"--accept {question.word}={value}: "
        "expected a split, side, protocol or aggregation after =."
    )


def _list_accepted(from_user: Address) -> dict[str, str]:
    """Map each accepted word to its value: "dev=valid" has one, and "dev" alone has ""."""
    accepted = {}
    for text in from_user.accepted:
        word, sign, value = text.rpartition("=")
        if sign:
            accepted[word.lower()] = value

    # A word may have a "=" itself: the whole of "dev=valid" is accepted, too.
    whole = {text.lower(): "" for text in from_user.accepted}
    return accepted | whole


def list_words(from_file: Address) -> set[str]:
    """Return the words that ``--accept`` can name, in lower case."""
    words = {question.word for question in from_file.questions}
    if from_file.dataset and is_open_name(from_file.dataset):
        words.add(from_file.dataset.lower())
    return words


def is_open_name(name: str) -> bool:
    """Tell whether no benchmark or several have a name, so that ``--accept`` may say which."""
    from rankconst.catalogue.benchmarks import list_names, list_namesakes

    return list_names().find(name) is None or bool(list_namesakes(name, typed=False))


_OPTION = r"--([a-z]+)(?: (?:'([^']*)'|(?!(?:or|in|if)\b)([\w:.@+=%/-]+)))?"

# The space between two arguments.
_NEXT = r"(?<=\") (?=[a-z]+=\")"

# The options whose argument in Python has the same name, and those with another.
_ARGUMENTS = {*NAMES, "tool", "accept", "percent", "tables"}
_RENAMED = {"relation": "relations=[...]", "counts": "tables=rankconst.from_counts(...)"}


def name_arguments(text: str) -> str:
    """Replace the options in a text by arguments of Python.

    >>> name_arguments("add --split valid --side head, or --accept 5/10")
    'add split="valid", side="head", or accept=["5/10"]'
    """

    def name(match: re.Match[str]) -> str:
        option, value = match[1], match[2] or match[3]
        if option not in _ARGUMENTS:
            return _RENAMED.get(option, match[0])
        if value is None:
            return f"{option}="
        return f'accept=["{value}"]' if option == "accept" else f'{option}="{value}"'

    return re.sub(_NEXT, ", ", re.sub(_OPTION, name, text))


# -- constants without a file ----------------------------------------------------------------------


def look_up_named(
    metric: str, from_user: Address, tables: Tables, baseline: str = DEFAULT_BASELINE
) -> Constants:
    """Return the constants of a metric, such as ``tail.mrr``, on the tasks that a user names.

    Raises UsageError for a tool that leaves out unknown tasks.
    """
    parsed = parse_metric(metric)
    # Constants do not depend on the rank type.
    named = replace(complete_by_name(metric, from_user), rank_type=None)
    tasks, tool = settle(NOTHING, parse_address(named, tables), tables)
    if tool is not None and tool.batch is not None:
        raise UsageError(
            f"{tool.title} leaves out up to {2 * tool.batch - 2:,} tasks, and which is not known. "
            f"To go on as if it did not, leave out the tool; its protocol is {tool.protocol}."
        )
    return tables.look_up(replace(tasks, baseline=parse_baseline(baseline).key), parsed)


def count_alike(metric: Metric, from_user: Address, num_tasks: int) -> Constants:
    """Return the constants of a metric on `num_tasks` tasks with equally many candidates.

    Protocol sampled:50 means 51 of them. Without a protocol only shares have constants.

    Raises UsageError for other metrics and protocols, or if the user says anything else of the
    tasks.
    """
    if replace(from_user, protocol=None) != NOTHING:
        raise UsageError(
            "with the number of tasks, say nothing else about the tasks but protocol sampled:M."
        )

    protocol = OWN_COUNTS if from_user.protocol is None else parse_protocol(from_user.protocol)
    if from_user.protocol is not None:
        histogram = sampled_histogram(protocol, num_tasks)
    elif metric.is_share:
        # With more candidates fewer hits are certain, and a histogram takes no more than these.
        histogram = Histogram.from_counts([2**53], [num_tasks])
    else:
        raise UsageError(
            f"{metric.label} also needs the numbers of candidates: "
            "name the dataset, or protocol sampled:M."
        )

    from rankconst.tables.own_counts import Counts

    whole = Counts(f"{num_tasks:,} tasks", {"both": histogram}).constants(metric)
    return replace(whole, tasks=replace(whole.tasks, protocol=protocol.key))


def choose_sampled_protocol(name: str | None, tool: str | None) -> str:
    """Return the key of the protocol of tasks without a dataset: `name`, the tool's or standard.

    Raises UsageError unless it samples negatives: only then all tasks have equally many candidates,
    so that their number is enough for constants.
    """
    known_tool = read_tool(tool)
    if name is None and known_tool is not None:
        name = known_tool.protocol

    protocol = parse_protocol(name or DEFAULT_PROTOCOL)
    if protocol.negatives is None:
        raise UsageError(
            "--num-tasks: the number of tasks is enough only if all have the same number of "
            f"candidates: add --protocol sampled:M. Under protocol {protocol.key} name the "
            "dataset, or give the numbers of candidates by --counts."
        )
    return protocol.key


# -- the assumptions -------------------------------------------------------------------------------


def find_assumed(declared: Address, from_user: Address, tasks: Tasks) -> dict[str, str]:
    """Return the assumed values of the fields that neither the file nor the user names."""
    if tasks.protocol == OWN_COUNTS.key or has_own_tasks(tasks.dataset):
        return {}

    from_user = read_words(declared, from_user)
    assumed = {}
    for name in _PARSERS:
        value = getattr(tasks, name)
        is_named = getattr(declared, name) or getattr(from_user, name)
        if value and not is_named:
            assumed[name] = value

    return assumed


def gather_assumed(
    settled: Iterable[tuple[Address, Tasks]],
    from_user: Address,
    rank_types: Collection[str | None] = (),
) -> dict[str, tuple[str, ...]]:
    """Return the distinct assumed values of the fields of some numbers.

    `settled` has, for each number, what its file says, and its tasks. `rank_types` are the rank
    types of all numbers, None if unknown.
    """
    pairs = list(settled)
    assumed: dict[str, dict[str, None]] = {}
    for declared, tasks in pairs:
        for name, value in find_assumed(declared, from_user, tasks).items():
            assumed.setdefault(name, {})[value] = None

    if not any(declared.aggregation for declared, _ in pairs):
        assumed.pop("aggregation", None)

    if None in rank_types and len(rank_types) > 1:
        assumed["rank_type"] = {"realistic": None}

    return {name: tuple(values) for name, values in assumed.items()}


_NOUNS = {"aggregation": "average", "rank_type": "rank"}
_PLURAL = {"both", "realistic"}


def describe_assumed(assumed: Mapping[str, Sequence[str]]) -> str:
    """Describe the assumed fields in plain words.

    >>> assumed = {"split": ("test",), "side": ("both",), "protocol": ("standard", "sampled:500")}
    >>> describe_assumed(assumed)
    'test split, both sides, standard and sampled:500 protocols'
    """
    phrases = []
    for name, values in assumed.items():
        noun = _NOUNS.get(name, name)
        if len(values) > 1 or values[0] in _PLURAL:
            noun += "s"
        phrases.append(f"{' and '.join(values)} {noun}")
    return ", ".join(phrases)
