"""Lines with ``name: value`` or ``name = value``, of any tool: what no reader of one tool's log recognises.

Lines without numbers may say what those below are of: ``Dev set``, ``-- test result --``.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from rankconst.catalogue.protocols import SPLITS
from rankconst.catalogue.tools import parse_tool
from rankconst.results.logs.below import leave_told_below
from rankconst.results.logs.labels import find_line_task
from rankconst.results.logs.lines import (
    MOST_NUMBERS,
    Found,
    LogFormat,
    Rule,
    find_dataset,
    make_reader,
    name_unknown,
)
from rankconst.results.logs.options import tell_settings
from rankconst.results.logs.phrases import list_phrases, prepare, read_phrase
from rankconst.results.logs.statements import (
    APART,
    DIFFERS,
    MANY,
    ONLY,
    REVERSED,
    VALUE,
    read_heading,
    read_line,
    read_pair,
    settle_steps,
    tell_heading,
)
from rankconst.results.reading import NO_SPLIT, Entries, Notes, Reader, Skipped, tell_open_split
from rankconst.results.tables.columns import INVERTED, WHICH_SIDES, find_inverted, is_retrieval
from rankconst.results.tables.surroundings import MAY_BE_RAW
from rankconst.results.tables.text import find_headings, find_lines, is_table
from rankconst.results.tables.units import (
    drop_contradictions,
    find_family,
    leave_small,
    name_percentages,
    settle_units,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rankconst.results.document import Document
    from rankconst.results.reading import Reading

# The protocol that each of them names; filtered is that of the tool.
_PROTOCOLS = {"raw": "raw", "time-aware": "time-aware"}
_BEST = "the best on which split? Other lines name theirs"
_SO_FAR = "the best so far, next to other values: on which split?"
_SEVERAL = "its line names several datasets"
_TWO = "its line names two splits or sides"
_NO_FILTER = (
    "it does not say whether it is raw or filtered; where a filtered value is next to it, it is raw: add --protocol"
)
_NO_SIDE = "it may be of the side that the heading above names, or of both"


def _scan(lines: Iterator[tuple[int, str]]) -> Iterator[Found]:
    """Find the numbers on lines that name a metric, a split or a side."""
    state: dict[str, str] = {}
    heading, carried, last, named = 0, "", -9, 0  # `named`: the line that names the dataset
    given = set[tuple[str, str | None, str | None]]()  # the numbers that have the carried split
    fresh = False  # a step was named since the last number
    sides = _Sides()
    for number, text in lines:
        numbers, rest, own = read_line(text)
        if not numbers:
            said = _read_above(text, rest, own, state, numbered=last > named)
            named = number if said.get("dataset") else named
            sides.apart = sides.apart or not text.strip()
            sides.end(text, ended=not said)
            if said:
                fresh = fresh or "step" in said
                state = _hold_filter(state, said, numbered=last > heading) | _go_on(state, said, fresh=fresh)
                if said.keys() - {"step"}:
                    heading, carried = number, ""
                    sides.begin()
            continue
        state.pop("unlike" if sides.apart or "step" in numbers[0][1] else "", None)
        # Lines below each other are of the split that is said before their numbers, until another or a step is named.
        measured = {(name, said.get("side"), said.get("filter")) for name, said, _, _ in numbers}
        # Behind a line in between, the same metric again is of another evaluation.
        apart = number - last == 2 and not given.isdisjoint(measured)
        follows = carried and number - last <= 2 and "step" not in numbers[0][1] and not apart
        given = given | measured if follows else measured
        around = state | ({"split": carried} if follows else {})
        splits = {said["split"] for _, said, _, _ in numbers if "split" in said}
        validated = {name for name, said, _, _ in numbers if said.get("split") == "valid"}
        for name, said, value, reason in numbers:
            about = {**around, **said}
            about |= {"above": "filter"} if "filter" in around and "filter" not in said else {}
            about.pop(_OPEN if "filter" in said else "", None)
            about.pop(_OPEN_SPLIT if about.get("split") else "", None)
            split = about.get("split") or None
            if split and state.get("split", split) != split:
                about["under"] = state["split"]
            if "task" not in said and split is not None and state.get("tied", split) != split:
                about.pop("task", None)  # that was about another split
            side, open_side = sides.tell(name, about.get("side", "both"), said, text)
            about |= {"side": side} if "side" in about else {}
            protocol = about.get("protocol") or _PROTOCOLS.get(about.get("filter", ""))
            why = reason or (_SEVERAL if said.get("dataset") == "" else _TWO if "" in said.values() else open_side)
            if split is None and name in validated:
                why = why or ONLY.format("split")  # Keras: mrr, next to val_mrr, is of train
            why = why or about.get("unclear") or (DIFFERS.format(about["unlike"]) if "unlike" in about else "")
            if "split" in said:
                about.pop("best", None)
            yield Found(number, heading, name, value, split, side or "both", protocol, None, about, why=why)
        stays = carried if not splits and follows else ""
        carried = own.get("split", "") if len(splits) == 1 else stays
        last, fresh, sides.apart = number, False, False


def _read_above(text: str, rest: str, own: dict[str, str], state: dict[str, str], *, numbered: bool) -> dict[str, str]:
    """Return what a line without numbers says of those below; drop from the state what it ends.

    `numbered` says whether there are numbers below the line that names the dataset.
    """
    said = read_heading(rest) | {key: each for key, each in own.items() if key in {"step", "steps"}}
    said = tell_heading(text) | settle_steps(said, current="split" in said)
    if _FINAL.search(rest) and "split" in state and "split" not in said:
        said["split"] = ""  # no longer that of the heading above
    if len(text) < _LONGEST_NOTE and (task := find_line_task(text) or read_pair(text)) is not None:
        said.setdefault("task", task)  # before a number: "candidates per query: 1000"
    if _LINKS.search(rest):
        state.pop("task", None)
        state.pop("unclear", None)
    if said.get("dataset") and (unknown := name_unknown(text)):
        said["dataset"] = unknown  # "dataset='yoochoose', kg='FB15k-237'"
    if (
        "dataset" in state
        and "dataset" not in said
        and _names_other(rest)
        and not _goes_on(rest, said, numbered=numbered)
    ):
        said["dataset"] = ""
    unlike = _UNLIKE_HEADING.fullmatch(rest)
    if unlike is not None:
        state["unlike"] = unlike[1]
    elif said or _HEADS.search(rest):
        state.pop("unlike", None)
    return said


def _go_on(state: dict[str, str], said: dict[str, str], *, fresh: bool) -> dict[str, str]:
    """Return the state below a heading: what it says, and what holds on."""
    other = said.get("split", state.get("split")) != state.get("split")
    # What another split was evaluated after is another matter.
    keep = {"step", "unlike"} if fresh or not other else {"unlike"}
    keep |= {"dataset", "among", "task", "unclear"}
    keep |= set() if "split" in said else {"split", "tied"}
    if "dataset" in said or ("split" in said and "tied" in state):
        keep -= {"among", "task", "unclear"}
    return {key: each for key, each in state.items() if key in keep} | said


def _hold_filter(state: dict[str, str], said: dict[str, str], *, numbered: bool) -> dict[str, str]:
    """Return what holds on of ``Raw:`` below a further heading, which may divide its section, or end it.

    It divides it where it says the side, and the first such heading is right below: ``Raw:``, ``Head:``.
    """
    if "filter" in said:
        return {}
    if state.get("filter", "filtered") == "filtered":
        open_on = state.get(_OPEN) == MAY_BE_RAW and "dataset" not in said
        return {_OPEN: MAY_BE_RAW} if open_on else {}
    if "side" in said and said.keys() <= {"side", "step"} and ("outer" in state or not numbered):
        return {"filter": state["filter"], "outer": "filter"}
    return {_OPEN: MAY_BE_RAW} if numbered or said.keys() - {"step", "steps"} else {}


_OPEN = "missing protocol"
_OPEN_SPLIT = "missing split"
_FINAL = re.compile(r"\bfinal (?:evaluation|results?|performance|metrics|scores?)\b", re.IGNORECASE)


class _Sides:
    """Tells the sides of numbers below a heading of one side, where lines may end its section without a word."""

    def __init__(self) -> None:
        self.apart = False  # True if an empty line is above
        self._below: dict[str, set[str]] = {}  # the sides that lines of a metric say themselves
        self._ever: dict[str, set[str]] = {}  # the same, below all headings
        self._kinds = set[bool]()  # whether lines below the heading say their split
        self._ended = False  # True below another heading, of which it is not known what it says

    def begin(self) -> None:
        """Begin the section of a heading."""
        self._below, self._kinds, self._ended = {}, set(), False

    def end(self, text: str, *, ended: bool) -> None:
        """End the section where a line of a few words follows its numbers, and one of them is not understood."""
        if ended and self._kinds and _FEW_WORDS.fullmatch(text) and not read_phrase(text.strip(" :#*=-")).understood:
            self._ended = True

    def tell(self, name: str, side: str, said: Mapping[str, str], text: str) -> tuple[str, str]:
        """Return the side of a number, and why it is left out: it may be of the heading's side, or of both."""
        own = said.get("side")
        ends = self._ended or (self.apart and self._kinds == {False} and "split" in said)
        self._kinds.add("split" in said)
        if own:
            self._below.setdefault(name, set()).add(own)
            self._ever.setdefault(name, set()).add(own)
        elif side in {"head", "tail"} and (ends or side in self._below.get(name, ())):
            whole = _WHOLE.search(text) is not None and self._ever.get(name, set()) >= {"head", "tail"}
            return ("both", "") if whole else (side, _NO_SIDE)
        return side, ""


_UNLIKE_HEADING = re.compile(rf"\W{{0,9}}({APART})\W{{0,9}}", re.IGNORECASE)
_WHOLE = re.compile(r"\bfinal\b", re.IGNORECASE)
_FEW_WORDS = re.compile(r"[\s#*=-]*[A-Za-z]+(?:[ -][A-Za-z]+){0,2}[\s:#*=-]*")
# What ends a section: a heading of any words, or the mean next to a spread.
_HEADS = re.compile(r":\s*$|^\s*#|\b(?:mean|average|avg)\b", re.IGNORECASE)
# What begins a section, or names something else that was evaluated.
_OTHER = re.compile(
    r"^\s*#+\s|^==> .* <==$"
    r"|\b(?:on|dataset:?) (?!(?:the )?(?:test|valid|train|dev|gpu|cpu|cuda))[\w-]{2,40}\s?(?:\.{3}|…)\s{0,9}$",
    re.IGNORECASE,
)
_OTHER_WORDS = re.compile(r"\b(?:on|for|dataset)\b", re.IGNORECASE)


def _names_other(text: str) -> bool:
    """Tell whether a line may name something else that was evaluated."""
    return bool(_OTHER.search(text) or (text.rstrip().endswith(":") and _OTHER_WORDS.search(text)))


def _goes_on(text: str, said: Mapping[str, str], *, numbered: bool) -> bool:
    """Tell whether a heading divides the section of a dataset: ``# --- Raw results``; an average may be over several.

    Below numbers it must say of which of them those below are.
    """
    divides = not said.keys().isdisjoint({"filter", "split"}) or said.get("side") in {"head", "tail"}
    plain = all(each.understood and not each.why for each in list_phrases(text.strip(" #*=-")))
    return plain and (divides or not numbered)


# What ends a section about another task.
_LINKS = re.compile(r"\b(?:entity|link) prediction\b|\boverall\b|^\W{0,9}micro\b", re.IGNORECASE)
# A line with a metric contains one of these, in lower case.
_MARKS = (
    "mrr", "mr:", "mr(", "mr\t", "mr =", "mr=", "mr ", "mr'", 'mr"', "mr_", "mean rank", "mean_rank", "meanrank",
    "mean rr", "reciprocal", "hit", "h@", "h1", "recall@", "'rhs':",
)  # fmt: skip
_SAMPLED_TRAIN = "kbc evaluates 50,000 random triples of train"
_LONGEST_NOTE = 100
# How many lines above a number may say what it is of.
_ABOVE = 15
_LONGEST = 20_000
_GRAPHSTORM = (
    "GraphStorm ranks true edges among sampled negatives, and does not print how many: find out M and the number N of "
    "ranks, then adjust the number with --protocol sampled:M --num-tasks N"
)
_BIGGRAPH = "PyTorch-BigGraph ranks true edges among sampled ones, and does not print how many"
_PYKEEN = (
    "PyKEEN before 1.5 prints so: its numbers are of three ways to break ties, and it filtered test by train and test "
    "only; adjust its results.json"
)
_TKBI = (
    "tkbi prints so: test is of tails only, test_e1 of heads, test_m their mean; give a column side, or write the line "
    "that you want as MRR: 0.166, side: both"
)
_PATHCON = "PathCon prints so, and it predicts relations"
_LIBKGE = "a part of a record of LibKGE, which does not say its split: keep its lines up to event: eval_completed"
# What the user must say where a log has such a sign: programs that print so evaluate in several ways.
_TAILS = "{} ranks tails only and prints so, programs made from it may rank heads, too: add --side tail or --side both"
_MISSING = {
    " edges evaluated": (
        "protocol",
        "Marius ranks among all entities only if its configuration says filtered: true, which it does not print: add "
        "--protocol standard, or --protocol sampled:M",
    ),
    "Avg Ranks: ": (
        "protocol",
        "Marius ranked among sampled entities by default when it printed so, and does not print how many: add "
        "--protocol sampled:M, or --protocol standard",
    ),
    "effective triplets: ": (
        "protocol",
        "GraphVite ranks the entities of train only, and leaves out triples with others: add --protocol pykeen if test "
        "was filtered by all three splits",
    ),
    "Dev set performance: (correct evaluation)": ("side", _TAILS.format("MultiHopKG")),
    "set performance:\nHits@1 = ": ("side", _TAILS.format("MultiHopKG")),
    "Score for iteration ": ("side", _TAILS.format("MINERVA")),
    "[ Hits@": ("side", _TAILS.format("MINERVA")),
    "\nauc: ": ("side", _TAILS.format("MINERVA")),
    "triples containing invalid keys skipped": (
        "protocol",
        "AmpliGraph leaves out triples with entities that train lacks, and filters only if it is told to: add "
        "--protocol pykeen if the ranks are filtered",
    ),
}
_REFUSED = {
    "Best test mrr: ": _GRAPHSTORM,
    "pos_rank: ": _BIGGRAPH,
    "mean_rank={'best': ": _PYKEEN,
    "MetricResults(mean_rank={": _PYKEEN,
    "mean_reciprocal_rank_filtered_with_test: ": _LIBKGE,
    "test_m {'mrr'": _TKBI,
    "   h5: ": _PATHCON,
}
_QUERIES = re.compile(
    r"(?<![\w.])([1-3]p|[23]i|ip|pi|2u|up)[\s_:\])]{1,3}(?:test |valid )?(?:mrr|hits)\b", re.ASCII | re.IGNORECASE
)
_COMPLEX = "these are answers to complex queries"
# What only one tool prints.
_SIGNS = {
    "'hits@[1,3,10]': tensor(": "kbc",
    "forward metrics: {": "simkgc",
    "_list at step ": "ogb",
    "]: MRR: Tail : ": "compgcn",
    "Val Mean Rank: ": "pyg",
    "Test Mean Rank: ": "pyg",
    " (filt.): ": "libkge",
    ".realistic.hits_at_": "pykeen",
    ".realistic.inverse_harmonic_mean_rank": "pykeen",
}


def _list_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines with a metric's name, and those just above; each with its number."""
    lower = text.lower()
    if len(lower) != len(text):
        lower = "".join(map(_lower, text))
    starts = sorted({lower.rfind("\n", 0, place) + 1 for mark in _MARKS for place in _find(lower, mark)})
    line, counted = 1, 0
    for start in starts:
        first = start
        for _ in range(_ABOVE):
            if first <= counted:
                break
            first = text.rfind("\n", 0, first - 1) + 1
        first = max(first, counted)
        line += text.count("\n", counted, first)
        end = text.find("\n", start)
        end = end if end >= 0 else len(text)
        for each in text[first:end].split("\n"):
            if len(each) <= _LONGEST or "\r" in each:
                yield line, each.rpartition("\r")[2][-_LONGEST:]
            line += 1
        counted = end + 1


def _lower(letter: str) -> str:
    """Lower a letter where that leaves one letter."""
    small = letter.lower()
    return small if len(small) == 1 else letter


def _find(text: str, mark: str) -> Iterator[int]:
    """Find a mark, once a line."""
    place = text.find(mark)
    while place >= 0:
        yield place
        end = text.find("\n", place)
        place = text.find(mark, end) if end >= 0 else -1


_AT = re.compile(r"[A-Za-z]{1,20}\s?@\s?\d{1,4}", re.ASCII)


def _scan_document(document: Document, _: LogFormat) -> list[Found]:
    """Read the numbers of a log, with what the whole of it says: tool, dataset, and whether shares are percentages."""
    text = prepare(document.text)
    tools = {tool for sign, tool in _SIGNS.items() if sign in text}
    refused = next((why for sign, why in _REFUSED.items() if sign in text), "")
    refused = refused or (_COMPLEX if _answers_queries(text) else "")
    tool = parse_tool(*tools) if len(tools) == 1 else None
    missing = {f"missing {name}": why for sign, (name, why) in _MISSING.items() if sign in text}
    if is_retrieval(_AT.findall(text)):
        missing["task"] = "retrieval"
    scanned = list(islice(_scan(_list_lines(text)), MOST_NUMBERS + 1))
    settings = tell_settings(text, list(dict.fromkeys(each.line for each in scanned)))
    found = []
    for each in scanned:
        told = settings[each.line]
        said = missing | _note(told) | dict(each.said)
        side = (tool and tool.side) or each.said.get("side") or told.get("side")
        protocol = None if each.said.get("filter") == "filtered" else told.get("protocol")
        trained = tool is not None and tool.key == "kbc" and each.split == "train"
        own = replace(
            each,
            tool=None if tool is None else tool.key,
            split=each.split or told.get("split"),
            said=said,
            side=side or (None if "missing side" in said else each.side),
            protocol=each.protocol or (None if protocol == "filtered" else protocol),
            why=refused or told.get("unclear") or each.why or (_SAMPLED_TRAIN if trained else ""),
        )
        found.append(own)
    found = _refuse_cut(_refuse_best(_refuse_copies(_ask_side(found))), text)
    found = leave_told_below(found, text, _read_below)
    if any(each.split == "test" for each in found):
        missing = {_OPEN_SPLIT: NO_SPLIT}
        found = [each if each.split else replace(each, said={**each.said, **missing}) for each in found]
    return _tell_raw(found)


def _read_below(text: str) -> dict[str, str]:
    """Return what a line would say of numbers below it; nothing if it has numbers, or says a step."""
    numbers, rest, own = read_line(text)
    said = {} if numbers else _read_above(text, rest, own, {}, numbered=False)
    return {} if "step" in said else said


def _ask_side(found: list[Found]) -> list[Found]:
    """Leave the side to the user where the same metric is there again of inverse queries: ``MRR (raw_inv)``."""
    inverted = find_inverted(map(_name_queries, found))
    told = {"missing side": f"{INVERTED}: add --side"}
    return [
        replace(each, side=None, said={**each.said, **told})
        if not each.said.get("side") and _name_queries(each) in inverted
        else each
        for each in found
    ]


def _name_queries(found: Found) -> str:
    """Return a metric with what its name and line say of how it is filtered, and of inverse queries."""
    return " ".join(filter(None, (found.said.get("filter"), found.name, found.said.get("inverse"))))


def _note(told: Mapping[str, Any]) -> dict[str, str]:
    """Return what settings say besides a split, a side and a protocol: the task, how many triples, what is missing."""
    triples = {f"{split}_triples": str(told["num_triples"]) for split in SPLITS} if "num_triples" in told else {}
    return triples | {
        key: each for key, each in told.items() if key in {"task", "rank_type"} or key.startswith("missing ")
    }


def _answers_queries(text: str) -> bool:
    """Tell whether metrics have the names of complex queries; up alone may be a word."""
    queries = {each.lower() for each in _QUERIES.findall(text)}
    return "1p" in queries or len(queries) > 1


def _refuse_cut(found: list[Found], text: str) -> list[Found]:
    """Leave out a number that ends the file with far fewer digits than its metric has elsewhere."""
    if not found or text.endswith("\n") or found[-1].line != text.count("\n") + 1:
        return found
    last = found[-1]
    others = [_count_decimals(each.text) for each in found[:-1] if each.name == last.name]
    short = bool(others) and _count_decimals(last.text) + 1 < min(others) and text.endswith(last.text)
    if short or ("." not in last.text and text.endswith(f"{last.text}.")):
        return [*found[:-1], replace(last, why=last.why or f"the last line is cut off after {last.text!r}")]
    return found


def _count_decimals(text: str) -> int:
    return len(text.partition(".")[2])


def _refuse_copies(found: list[Found]) -> list[Found]:
    """Leave out a number of a split that is, below a heading with another split, the same as one of that split.

    Programs test on valid in between, and print what they always print: "Test results".
    """
    lines: dict[tuple[object, ...], list[int]] = {}
    for each in found:
        lines.setdefault((each.name, each.text, each.said.get("filter"), each.side, each.split), []).append(each.line)

    def find_copy(each: Found) -> str:
        under = each.said.get("under")
        near = lines.get((each.name, each.text, each.said.get("filter"), each.side, under), ()) if under else ()
        again = any(abs(line - each.line) <= _ABOVE for line in near) and len(each.text.strip("0.")) >= _TELLING
        return _COPIED.format(each.split, under) if again else ""

    return [replace(each, why=each.why or find_copy(each)) for each in found]


_COPIED = "its line says {}, the heading above it {}, of which the same number is there"
# How many digits two numbers have in common by more than chance.
_TELLING = 3


def _refuse_best(found: list[Found]) -> list[Found]:
    """Leave out the best value so far, where other numbers name their split or are of the same metric."""
    named = any(each.split is not None and "best" not in each.said for each in found)
    current = {each.name for each in found if "best" not in each.said and each.split is None}
    return [
        replace(each, why=each.why or (_BEST if named else _SO_FAR))
        if "best" in each.said and (named or (each.split is None and each.name in current))
        else each
        for each in found
    ]


def _tell_raw(found: list[Found]) -> list[Found]:
    """Take a number for raw if the same metric is there again, filtered: MRR and MRR(filter), as often.

    What lines above say of both, such as an option ``--filtered``, does not tell the two apart.
    """
    if not any(each.said.get("filter") == "filtered" for each in found):
        return found
    pairs: dict[tuple[object, ...], dict[str | None, list[Found]]] = {}
    for each in (each for each in found if not each.why):
        own = None if each.said.get("above") == "filter" else each.said.get("filter")
        pairs.setdefault(_place(each), {}).setdefault(own, []).append(each)
    raw = set[int]()
    for said in pairs.values():
        plain, filtered = said.get(None, []), said.get("filtered", [])
        near = len(plain) == len(filtered) and all(
            abs(one.line - two.line) <= _ABOVE and one.text != two.text
            for one, two in zip(plain, filtered, strict=True)
        )
        raw |= {id(each) for each in plain if near}
    # Plain numbers of other splits may be raw as well.
    names = {each.name for each in found if id(each) in raw}
    told = {"missing protocol": _NO_FILTER}
    return [
        replace(each, protocol="raw")
        if id(each) in raw
        else replace(each, said={**each.said, **told})
        if each.name in names and each.said.get("filter") is None and each.protocol is None
        else each
        for each in found
    ]


def _place(found: Found) -> tuple[object, ...]:
    return found.name, found.heading, found.split, found.side, found.said.get("step"), found.said.get("rank_type")


def _settle_units(reading: Reading, percent: bool | None) -> Reading:
    """Settle which shares are percentages: an evaluation is like a row of a table; MRR and Hits@k may differ."""
    notes = Notes()
    reading = replace(reading, entries=leave_small(reading.entries, find_family, notes, percent=percent))
    settled = settle_units(reading.entries, find_family, notes, rows=_list_evaluations(reading), percent=percent)
    settled = drop_contradictions(settled, notes, _list_evaluations(replace(reading, entries=settled)))
    return replace(reading, entries=settled, skipped=(*reading.skipped, *notes.skipped()))


def _list_evaluations(reading: Reading) -> list[int]:
    return [int(reading.rows[row]["evaluation"]) for row in reading.entries.rows]


def _recognise(document: Document) -> bool:
    if document.suffix in {".csv", ".tsv", ".tex"}:
        return False
    text = prepare(document.text)
    known = _answers_queries(text)
    told = (each for each in _scan(_list_lines(text)) if known or not each.why or _TOLD.search(each.why))
    first = next(told, None)
    if first is None or not is_table(document):
        return first is not None
    # Rows of a table with metrics in its first column may look like lines of a log.
    rows = find_lines(document.lines)
    return first.line not in rows or any(each.line not in rows for each in told)


# Why a number is left out that certainly is one of a metric.
_TOLD = re.compile(
    f"{MANY}|its line names|its line says|has a setting, |known answers of|"
    f"(?:before|behind) it is not understood|{WHICH_SIDES}|{REVERSED}"
)
_FORMAT = LogFormat(
    key="generic",
    title="lines such as MRR: 0.338, of any tool",
    values=Rule((), VALUE),
    scan=_scan_document,
)
# "Evaluating on 500 random negatives": what a line about training says of negatives is another matter.
_AMONG = re.compile(
    r"\b(?:(?:eval|test|valid|rank)\w*\b(?:(?!\btrain)[^\n]){0,80}?\b|(?:among|against|vs\.?) )"
    r"(?<![\d.,])(\d(?:,?\d){0,7}+) "
    r"(?:random(?:ly)? )?(?:sampled )?(?:negative(?:s\b| (?:sample|candidate|entit))|(?:random|sampled) candidates)",
    re.IGNORECASE,
)
_TOLD_BY = ("split", "side", "protocol")
_TABLE = "below it is a table, which is read in a file of its own only"
_SAMPLED = "sampled"
# GraIL's test_ranking.py, and programs made from it, rank among a number of negatives that is an option: 50 by default.
_AMONG_SAMPLED = ("MRR | Hits@1 | Hits@5 | Hits@10 :",)


def _find_negatives(text: str) -> list[int]:
    """Return among how many sampled negatives a log says that true answers were ranked."""
    counts = (int(found[1].replace(",", "")) for found in _AMONG.finditer(text))
    return [count for count in dict.fromkeys(counts) if count]


def _tell_sampled(entries: Entries, text: str) -> Entries:
    """Return numbers with the protocol that a log tells in sentences; as sampled where it leaves open how many."""
    among = {f"{_SAMPLED}:{count}" for count in _find_negatives(text)}
    if not among and not any(sign in text for sign in _AMONG_SAMPLED):
        return entries
    among |= {way for each in entries.contexts if (way := each.protocol or "").startswith(_SAMPLED)}
    protocol, task = (*among, None) if len(among) == 1 else (None, _SAMPLED)
    return Entries(
        entry._replace(context=replace(entry.context, protocol=protocol, task=task))
        if entry.context.protocol in {None, *among} and entry.context.task in {None, _SAMPLED}
        else entry
        for entry in entries
    )


def _read(document: Document) -> Reading:
    reading = _settle_units(make_reader(_FORMAT).read(document), document.percent)
    text = prepare(document.text)
    reading = replace(reading, entries=_tell_sampled(reading.entries, text))
    tables = [Skipped(line, names, _TABLE) for line, names in find_headings(document.lines)]
    reading = replace(reading, skipped=(*reading.skipped, *tables))
    contexts = [entry.context for entry in reading.entries]
    lines = sorted({each.line for each in reading.entries if each.line})
    states = {id(each): each for each in tell_settings(text, lines).values()}.values()
    words = dict.fromkeys(each.get(key, "") for each in states for key in _TOLD_BY)
    said = [word for word in words if word not in {"", "filtered"} and not word.startswith(_SAMPLED)]
    protocols = dict.fromkeys(each.protocol or "" for each in contexts)
    among = [way.partition(":")[2] for way in protocols if way.startswith(_SAMPLED)]
    tools = dict.fromkeys(each.tool for each in contexts if each.tool is not None)
    settings = find_dataset(document.text)
    headed = any(each.dataset not in {None, settings} for each in contexts)
    parts = (
        "lines of names and numbers",
        f"as {' and '.join(tools)} prints them" if tools else "",
        reading.understood,
        "dataset from the lines that name it" if headed else "",
        name_percentages(reading.entries),
        f"{' and '.join(said)} from its settings" if said else "",
        f"ranked among {' and '.join(f'{int(each):,}' for each in among)} sampled negatives" if among else "",
        tell_open_split(reading),
    )
    return replace(reading, understood="; ".join(part for part in parts if part))


READER = Reader(_FORMAT.key, _FORMAT.title, _recognise, _read)
