"""JSON and YAML: every digit kept, everything unsafe or broken refused with its place."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cases import choose
from rankconst.errors import DataError
from rankconst.results import objects
from rankconst.results.document import Document
from rankconst.results.structured import (
    DEEPEST,
    LARGEST_YAML,
    Number,
    Value,
    looks_structured,
    parse_yaml,
    read_records,
)
from rankconst.results.tools import libkge, ogb, pykeen
from readings import check_refusal

READERS = [module.READER for module in (pykeen, libkge, ogb, objects)]


def _document(text: str, name: str = "results.json") -> Document:
    return Document(name, text)


def _json(text: str) -> Value:
    (record,) = read_records(_document(text))
    return record.value


def _yaml(text: str, line: int = 1) -> Value:
    return parse_yaml(_document(text, "trace.yaml"), text, line)


@pytest.mark.parametrize(
    "text", ["0.3380", "1e-05", "-0", "12345678901234567890.12345678901234567890", "1" + "0" * 6000]
)
def test_numbers_of_json_keep_every_digit(text: str) -> None:
    value = _json(f'{{"mrr": {text}}}')
    assert value == {"mrr": text}
    assert isinstance(value, dict)
    assert isinstance(value["mrr"], Number)


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ('{"mrr": 0.3,\n "mr": 1', ["line 2, column 9", "was it copied whole?"]),
        ('{"mrr": 0.3,\n "m', ["line 2, column 2", "was it copied whole?"]),
        ('{"mrr": 0.3, "mrr": 0.4}', ["'mrr' occurs twice"]),
        ('{"mrr" 0.3}', ["line 1, column 8", "expected JSON"]),
        ('{"a": 1} x', ["line 1, column 10", "expected JSON"]),
        ('{"a": 1}\n\n{"b": 1, "b": 2}', ["line 3: key 'b' occurs twice"]),
        ('{"a": 1}\n{"b": ', ["line 2, column 7", "was it copied whole?"]),
        ("[" * 100_000, ["nested deeper"]),
        ('{"a":' * 5_000 + "1" + "}" * 5_000, ["nested deeper"]),
        ("[" * (DEEPEST + 1) + "]" * (DEEPEST + 1), ["nested deeper"]),
        ('{"a": "\\ud800"}', ["\\ud800 is half a character"]),
        ("{'mrr_list': tensor([0.5])}", ["line 1, column 14", "tolist()"]),
    ],
)
def test_broken_json_is_refused_with_its_place(text: str, places: list[str]) -> None:
    with pytest.raises(DataError) as caught:
        read_records(_document(text))
    for part in ("results.json", *places):
        assert part in str(caught.value)


def test_a_printed_dict_is_read() -> None:
    text = "{'a': [np.float64(0.50), -inf], 3: (True, None), \"it's\": 'say \"None\"'}"
    assert _json(text) == {"a": ["0.50", "-Infinity"], "3": [True, None], "it's": 'say "None"'}


@pytest.mark.parametrize(
    ("texts", "looks"),
    [
        (['{"a": 1}', "\n [\n{", "{'a': 1}", "{", "[", "[[1]]", "{}"], True),
        (["{avg_loss: 0.1}", "[0]Test average MR: 47.3", "{\\bf MRR}", "a,b", "[12]"], False),
        # A log may begin with its settings.
        (
            ["{'model_name': 'TransE'}\n------\nTEST RESULTS\n", "{'a': 'TransE'}\n[Epoch: 1 ] valid: {'mrr': 0.3}\n"],
            False,
        ),
    ],
)
def test_what_begins_as_json_does_looks_structured(texts: list[str], looks: bool) -> None:
    assert [looks_structured(_document(text)) for text in texts] == [looks] * len(texts)


def test_scalars_of_yaml_stay_as_written() -> None:
    value = _yaml('{a: 0.10, b: [1e-05, .nan, yes, 1:30], c: {d: null, e: true}, f: "5", g: ~}')
    assert value == {
        "a": "0.10",
        "b": ["1e-05", ".nan", "yes", "1:30"],
        "c": {"d": None, "e": True},
        "f": "5",
        "g": None,
    }
    lines = _yaml("- 1\n- '1'\n", line=7)
    assert isinstance(lines, list) and isinstance(lines[0], Number) and not isinstance(lines[1], Number)
    assert lines[0].line == 7


BILLION = "a: &a [x, x, x]\n" + "".join(
    f"{new}: &{new} [*{old}, *{old}, *{old}]\n" for old, new in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    ("text", "places"),
    [
        (BILLION, ["line 10, column 4", "aliases"]),
        ("mrr: 1\nmrr: 2", ["line 11, column 1", "'mrr' occurs twice"]),
        ("a: !!python/object/apply:os.system [ls]", ["line 10, column 4", "the tag"]),
        ("? [a]\n: 1", ["a key is not text"]),
        ("a: 1\n---\nb: 2", ["line 11", "second YAML document"]),
        ("a: b: c", ["line 10, column 5", "not YAML"]),
        ("{a: 1\x01}", ["line 10", "not YAML"]),
        ("[" * 5_000, ["nested deeper"]),
        ("x" * (LARGEST_YAML + 1), ["4 MiB"]),
    ],
)
def test_unsafe_or_broken_yaml_is_refused_with_its_place(text: str, places: list[str]) -> None:
    started = time.process_time()
    with pytest.raises(DataError) as caught:
        _yaml(text, line=10)
    assert time.process_time() - started < 5
    for part in ("trace.yaml", *places):
        assert part in str(caught.value)


_WORDS = """
metrics results both head realistic avg best hits_at_k hits_at_10 mrr_list hits@1_list mrr MR H@1 count 10 testing
pipeline dataset model split filtered notes value name hyperparams adjusted_hits_at_k event size
"""
_KEYS = st.sampled_from(_WORDS.split())
_VALUES = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5), st.sampled_from(["0.5", "fb15k"])
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(_KEYS, inner, max_size=4)),
    max_leaves=20,
)


@pytest.mark.slow
@settings(deadline=None, max_examples=choose(56, 150))
@given(_VALUES)
@example({"both": {"realistic": {"count": 0}}})
@example({"metrics": {"results": {"both": {"best": {"both": 1.0}}}}})
def test_any_json_is_read_or_refused(value: object) -> None:
    for reader in READERS:
        check_refusal(reader, _document(json.dumps(value)))
