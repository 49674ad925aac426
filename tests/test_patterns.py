"""No regular expression takes longer than in proportion to its text, whatever the text."""

import ast
import dataclasses
import functools
import importlib
import itertools
import pkgutil
import re
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import rankconst
import rankconst_builder
from cases import THOROUGH
from rankconst.results.logs.lines import Rule

signs: Any = importlib.import_module("re._constants")
parser: Any = importlib.import_module("re._parser")

SEARCHED = ("search", "sub", "subn", "split", "finditer", "findall")
METHODS = ("match", "fullmatch", *SEARCHED)
SHORT = (10, 15, 20, 25, 30)
LENGTHS = (128, 512, 2048)
NOTICED = 0.002  # seconds
NOTICED_EARLY = 0.01  # a bounded repetition shows its bound in what is short
GROWTH = 9  # times longer for four times the text: 4 is linear, 16 quadratic
# Patterns for texts that are cut, or refused, beyond so many characters: what a quadratic one costs
# there is little.
BOUNDED = {
    "rankconst.catalogue.mentions._BEFORE": 40,
    "rankconst.results.labels._TRAILING_MARKS": 200,
    "rankconst.results.labels._PLUS_MINUS": 200,
    "rankconst.results.tables.cells._MARK": 400,
    "rankconst.results.tables.xlsx._FORMATTING": 255,
}
PROBES = " \t\na0A_-.,:/@([{<|\\\"'$*=+"


def _modules() -> Iterator[Any]:
    for package in (rankconst, rankconst_builder):
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not found.name.endswith("__main__"):
                yield importlib.import_module(found.name)


def _hold(value: Any, name: str) -> Iterator[tuple[str, re.Pattern[Any]]]:
    """Yield the patterns in something, however deep in tuples, dicts and dataclasses, each with its
    place there.
    """
    value = value.args if isinstance(value, functools.partial) else value
    if isinstance(value, re.Pattern):
        yield name, value
    elif isinstance(value, Rule):  # compiled when it is first used
        yield f"{name}.pattern", value.pattern
    elif isinstance(value, dict):
        for key, each in value.items():
            yield from () if str(key).startswith("__") else _hold(each, f"{name}.{key}".lstrip("."))
    elif isinstance(value, (tuple, list)):
        for place, each in enumerate(value):
            yield from _hold(each, f"{name}[{place}]")
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            yield from _hold(getattr(value, field.name, None), f"{name}.{field.name}")


def collect() -> dict[str, tuple[re.Pattern[Any], frozenset[str]]]:
    """Return every pattern of the package with the methods that are called on it, by the place
    where it is written.
    """
    found: dict[str, tuple[re.Pattern[Any], frozenset[str]]] = {}
    for module in _modules():
        source = Path(module.__file__).read_text(encoding="utf-8")
        held = dict(_hold(vars(module), ""))
        if not held and "import re\n" not in source:
            continue  # to walk all of the code takes long
        nodes = [*ast.walk(ast.parse(source))]
        called: dict[str, set[str]] = defaultdict(set)
        for node in nodes:
            if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name):
                continue
            called[node.value.id].add(node.attr)
        for node in nodes:
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
                continue
            if getattr(node.func.value, "id", "") != "re" or node.func.attr not in METHODS:
                continue
            text: Any = getattr(node.args[0], "value", None)
            if isinstance(node.args[0], ast.Name):  # compiled when it is first used
                text = vars(module).get(node.args[0].id)
            if isinstance(text, (str, bytes)):
                name = f"{module.__name__}: {text!r}"
                methods_of = found.get(name, (0, frozenset()))[1] | {node.func.attr}
                found[name] = (re.compile(text, _flags(node)), methods_of)
        for name, value in held.items():
            # One that is passed on may be used in any way.
            inner = re.match(r"\w*[.\[]", name) is not None
            names = [each for each in called if each not in vars(module)] if inner else [name]
            methods = {*METHODS}.intersection(
                method for each in names for method in called[each]
            ) or {*METHODS}
            found[f"{module.__name__}.{name}"] = (value, frozenset(methods))
    return found


def _flags(node: ast.Call) -> int:
    names = {
        each.attr
        for arg in (*node.args[1:], *(k.value for k in node.keywords))
        for each in ast.walk(arg)
        if isinstance(each, ast.Attribute) and getattr(each.value, "id", "") == "re"
        if each.attr.isupper()  # not re.sub
    }
    return functools.reduce(lambda flags, name: flags | getattr(re, name), names, 0)


def attacks(pattern: re.Pattern[Any]) -> list[tuple[str, str]]:
    """Return beginnings and what to repeat after them, from each repetition of a pattern and from
    single signs.
    """
    tree = parser.parse(
        pattern.pattern,
        pattern.flags & ~re.UNICODE if isinstance(pattern.pattern, bytes) else pattern.flags,
    )
    found: list[tuple[str, str]] = []
    _walk(list(tree), "", found)
    if not found:
        return []  # what repeats nothing without end takes time in proportion
    starts = dict.fromkeys(start for start, _ in found)
    whole = _example(list(tree))
    found += [(start, sign) for start in ("", *starts) for sign in PROBES]
    found += [("", f"\\{sign}") for sign in PROBES]
    found += [("", text) for text in (whole, whole[:-1], *starts) if text]
    return list(dict.fromkeys(found))


def _walk(nodes: list[Any], before: str, found: list[tuple[str, str]]) -> None:
    for i, (op, value) in enumerate(nodes):
        here = before + _example(nodes[:i])
        if op in (signs.MAX_REPEAT, signs.MIN_REPEAT, signs.POSSESSIVE_REPEAT):
            _, most, inner = value
            if most > 8:
                found += [(here, text) for text in _examples(list(inner))]
            _walk(list(inner), here, found)
        elif op is signs.SUBPATTERN:
            _walk(list(value[-1]), here, found)
        elif op is signs.BRANCH:
            for each in value[1]:
                _walk(list(each), here, found)
        elif op is signs.ATOMIC_GROUP:
            _walk(list(value), here, found)
        elif op in (signs.ASSERT, signs.ASSERT_NOT):
            _walk(list(value[1]), here, found)


def _examples(nodes: list[Any]) -> list[str]:
    """Return a few texts that nodes match: one for each sign of the first class, each branch."""
    options = [_options(op, value) for op, value in nodes]
    return list(
        dict.fromkeys(
            "".join(each) for each in itertools.islice(itertools.product(*options), 12) if any(each)
        )
    )


def _example(nodes: list[Any]) -> str:
    return "".join(_options(op, value)[0] for op, value in nodes)


def _options(op: Any, value: Any) -> list[str]:
    if op is signs.LITERAL:
        return [chr(value)]
    if op in (signs.NOT_LITERAL, signs.ANY, signs.IN):
        single = re.compile(".", re.DOTALL) if op is signs.ANY else None
        return [sign for sign in "a1 A_-.,@" + PROBES if (single or _matches(op, value, sign))][
            :4
        ] or _listed(value)
    if op is signs.SUBPATTERN:
        return _examples(list(value[-1])) or [""]
    if op is signs.ATOMIC_GROUP:
        return _examples(list(value)) or [""]
    if op is signs.BRANCH:
        return [text for each in value[1] for text in (_examples(list(each)) or [""])]
    if op in (signs.MAX_REPEAT, signs.MIN_REPEAT, signs.POSSESSIVE_REPEAT):
        least, most, inner = value
        return [text * max(least, min(most, 1)) for text in _examples(list(inner)) or [""]]
    return [""]


def _matches(op: Any, value: Any, sign: str) -> bool:
    if op is signs.NOT_LITERAL:
        return bool(ord(sign) != value)
    negated, hit = False, False
    for kind, inner in value:
        negated |= kind is signs.NEGATE
        hit |= kind is signs.LITERAL and inner == ord(sign)
        hit |= kind is signs.RANGE and inner[0] <= ord(sign) <= inner[1]
        if kind is signs.CATEGORY:
            name = str(inner).rpartition("_")[2]
            belongs = {
                "SPACE": sign.isspace(),
                "DIGIT": sign.isdigit(),
                "WORD": sign.isalnum() or sign == "_",
            }
            hit |= belongs[name] is not ("NOT" in str(inner))
    return bool(hit is not negated)


def _listed(value: Any) -> list[str]:
    there = [
        inner if kind is signs.LITERAL else inner[0]
        for kind, inner in value
        if kind in {signs.LITERAL, signs.RANGE}
    ]
    return list(map(chr, there[:3]))


def _use(pattern: re.Pattern[Any], method: str) -> Callable[[Any], object]:
    if method in SEARCHED:
        empty: Any = b"" if isinstance(pattern.pattern, bytes) else ""
        return functools.partial(pattern.sub, empty)
    called: Callable[[Any], object] = getattr(pattern, method)
    return called


def _time(call: Callable[[Any], object], text: Any, repeats: int = 1) -> float:
    best = float("inf")
    for _ in range(repeats):
        begin = time.thread_time()
        call(text)
        best = min(best, time.thread_time() - begin)
    return best


def find_slow(pattern: re.Pattern[Any], methods: frozenset[str], longest: int | None) -> str | None:
    """Return an attack on which a pattern takes longer than in proportion, or None."""
    called = {"sub" if each in SEARCHED else each for each in methods}
    if "sub" in called:
        called.discard("match")  # what a search tries first
    return next(
        filter(None, (_find_slow(pattern, method, longest) for method in sorted(called))), None
    )


@functools.cache  # several modules hold the same pattern
def _find_slow(pattern: re.Pattern[Any], method: str, longest: int | None) -> str | None:
    ends = LENGTHS if longest is None else (longest // 16, longest // 4, longest)
    call = _use(pattern, method)
    tried = itertools.product(attacks(pattern), ("\x00", ""))
    # What ends as it should is tried every week: it is where nothing fits that all ways are gone.
    for (start, pump), end in tried if THOROUGH else (each for each in tried if each[1]):

        def write(length: int, start: str = start, pump: str = pump, end: str = end) -> Any:
            text = start + pump * (length // len(pump)) + end
            return text.encode() if isinstance(pattern.pattern, bytes) else text

        for before, length in itertools.pairwise(
            (*(each for each in SHORT if each < ends[0]), *ends)
        ):
            noticed = NOTICED if length >= LENGTHS[-1] or length == longest else NOTICED_EARLY
            if _time(call, write(length)) < noticed:
                continue
            # Where other programs run, a short time may come out long: what is slow is so every
            # time.
            for _ in range(5):
                took, less = _time(call, write(length), 3), _time(call, write(before), 3)
                if took <= noticed or took <= less * GROWTH:
                    break
            else:
                return (
                    f"{method}: {start!r}, {pump!r} to {length}, {end!r}: {took:.4f} s after "
                    f"{less:.6f} s"
                )
    return None


def _bound(name: str) -> int | None:
    return BOUNDED.get(name, BOUNDED.get(name.rpartition(".")[0]))  # of all in a dict


@pytest.mark.slow
def test_patterns_take_time_in_proportion() -> None:
    slow = {name: find_slow(*each, _bound(name)) for name, each in sorted(collect().items())}
    assert {name: attack for name, attack in slow.items() if attack is not None} == {}
