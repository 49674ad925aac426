"""JSON, JSON Lines and YAML: what keys and texts declare, every digit kept, everything unsafe or
broken refused.
"""

import itertools
import json
import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cases import SIGNS, choose, for_each
from rankconst.arrow import join_texts
from rankconst.catalogue.answers import load_libraries
from rankconst.catalogue.benchmarks import load_benchmarks
from rankconst.catalogue.metrics import CATALOGUE
from rankconst.errors import DataError
from rankconst.results import objects
from rankconst.results.columns import Rows
from rankconst.results.document import Document
from rankconst.results.formats import read_document
from rankconst.results.labels import read_label
from rankconst.results.objects import READER
from rankconst.results.structured import (
    DEEPEST,
    LARGEST_YAML,
    Number,
    Value,
    parse_yaml,
    read_records,
)
from rankconst.results.tables.layout import FEW
from rankconst.results.tools import libkge, ogb, pykeen
from rankconst.results.vocabulary import VOCABULARY, screen, screen_measures
from readings import check_refusal

_FIELDS = (
    "model", "dataset", "split", "side", "protocol", "aggregation", "rank_type", "num_tasks", "relations",
)  # fmt: skip


def _describe(text: str, name: str = "a.json") -> list[str]:
    """Return each number with what is said of it; a question is its field behind a question mark."""
    reading = read_document(name, text)
    assert (reading.form, reading.tool) == ("objects", None)
    described = []
    for entry in reading.entries:
        fields = filter(None, (getattr(entry.context, field) for field in _FIELDS))
        asked = (f"?{ask.field} {ask.word}".strip() for ask in entry.context.questions)
        described.append(
            " ".join([f"{entry.metric.label} {entry.text}", *map(str, fields), *asked])
        )
    return described


@for_each(
    ("text", "expected"),
    [
        # The keys of a path are labels; those that are not of vocabulary name the model.
        ('{"WN18RR": {"ComplEx": {"mrr": 0.5}}}', ["MRR 0.5 ComplEx WN18RR"]),
        ('{"ComplEx": {"WN18RR": {"mrr": 0.5}}, "TransE": {"mrr": 0.4}}',
         ["MRR 0.5 ComplEx WN18RR", "MRR 0.4 TransE"]),
        ('{"test": {"mrr": 0.1}, "valid_mrr": 0.2, "validation": {"raw_mrr": 0.3}}',
         ["MRR 0.1 test", "MRR 0.2 valid", "MRR 0.3 valid raw"]),
        ('{"WN18RR": {"mrr": 0.4, "head": {"mrr": 0.3}, "tail_prediction": {"mrr": 0.5}}}',
         ["MRR 0.4 WN18RR", "MRR 0.3 WN18RR head", "MRR 0.5 WN18RR tail"]),
        ('{"test_metrics": {"raw": {"mr": 20}, "filtered": {"mr": 10}}}', ["MR 20 test raw", "MR 10 test filtered"]),
        # Keys with a role, beside the number or above.
        ('{"dataset": "umls", "model": "TransE", "mrr": 0.5}', ["MRR 0.5 TransE umls"]),
        ('[{"method": "A", "data": "WN18RR", "mrr": 0.5}, {"data": "data/own", "mrr": 0.6}]',
         ["MRR 0.5 A WN18RR", "MRR 0.6"]),
        ('{"split": ["valid", "test"], "mrr": 0.3}', ["MRR 0.3 ?split valid"]),
        ('{"dataset": {"name": "WN18RR", "split": "valid", "train": 86835}, "mrr": 0.3}', ["MRR 0.3 WN18RR valid"]),
        ('{"dataset": {"name": "WN18RR", "version": "v1"}, "mrr": 0.3}', ["MRR 0.3 WN18RR v1"]),
        ('{"mrr": {"test": 0.3}, "test": {"filtered": true, "mr": 9}}', ["MRR 0.3 test", "MR 9 test filtered"]),
        # A metric's numbers by k, split, side, dataset, or over runs.
        ('{"Hits": {"@1": 0.2, "10": 0.5}, "mrr": 0.3}', ["Hits@1 0.2", "Hits@10 0.5", "MRR 0.3"]),
        ('{"MRR": {"train": 0.9, "valid": 0.4, "test": 0.3}}', ["MRR 0.9 train", "MRR 0.4 valid", "MRR 0.3 test"]),
        ('{"test": {"MRR": {"head": 0.2, "tail": 0.4, "avg": 0.3}}}',
         ["MRR 0.2 test head", "MRR 0.4 test tail", "MRR 0.3 test both"]),
        ('{"MRR": {"FB15k-237": 0.3, "WN18RR": 0.4}}', ["MRR 0.3 FB15k-237", "MRR 0.4 WN18RR"]),
        ('{"mrr": {"mean": 0.3, "std": 0.1}}', ["MRR 0.3 ± 0.1"]),
        ('[{"name": "MRR", "value": 0.3}, {"key": "hits@3", "value": 0.5}]', ["MRR 0.3", "Hits@3 0.5"]),
        # Two spellings of a metric are two numbers.
        ('{"mrr": 0.3, "MRR": 0.4}', ["MRR 0.3 ?part twice", "MRR 0.4 ?part twice"]),
        ('{"MRR": 33.8, "MR": 20, "Hits@1": 24.1}', ["MRR 33.8%", "MR 20", "Hits@1 24.1%"]),
        # What a program ran with holds no results; AmpliGraph keeps it beside them.
        ('{"mr": 204, "H@1": 0.22, "hyperparams": {"k": 350, "mrr": 1}}', ["MR 204", "Hits@1 0.22"]),
        ('{"model_name": "ComplEx", "model_params": {"k": 50}, "results": {"mrr": 0.3, "hits_1": 0.2}}',
         ["MRR 0.3 ComplEx", "Hits@1 0.2 ComplEx"]),
        ('{"hits_at_k": {"test": {"1": 0.4, "10": 0.5}}}', ["Hits@1 0.4 test", "Hits@10 0.5 test"]),
        # Nor has it numbers of its settings, which may name the tasks.
        ('{"args": {"data": "WN18RR", "mrr": 1}, "mrr": 0.3}', ["MRR 0.3 WN18RR"]),
        ('{"config": {"eval": {"split": "val"}, "lr": 0.1, "train": {"epochs": 9}}, "test": {"mr": 9}, "mrr": 0.3}',
         ["MR 9 test", "MRR 0.3 valid"]),
        ('{"params": {"max_queries": 500, "filtered": false}, "mrr": 0.3}', ["MRR 0.3 raw ?part max-queries"]),
        ('{"args": {"group_by_length": false, "fp16_full_eval": false}, "mrr": 0.3}', ["MRR 0.3"]),
        # A flag declares or asks.
        ('{"filtered": false, "mrr": 0.3}', ["MRR 0.3 raw"]),
        ('{"filtered": true, "mrr": 0.3}', ["MRR 0.3 filtered"]),
        ('{"inductive": true, "mrr": 0.3}', ["MRR 0.3 ?task inductive"]),
        ('{"type_constraint": true, "mrr": 0.3}', ["MRR 0.3 ?protocol constraint"]),
        ('{"remove_duplicates": true, "mrr": 0.3}', ["MRR 0.3 ?graph duplicates"]),
        ('{"few_shot": 5, "mrr": 0.3}', ["MRR 0.3 ?part few-shot"]),
        # The value 1 of a metric is no flag.
        ('{"valid_mrr": 1, "hits@1": 0.3}', ["MRR 1 valid", "Hits@1 0.3 ?split"]),
        ('{"valid_mrr": 1, "hits@1": 0.3, "config": {}}', ["MRR 1 valid", "Hits@1 0.3 ?split"]),
        # What is not declared is asked.
        ('{"forward": {"mrr": 0.3}, "backward": {"mrr": 0.2}, "average": {"mrr": 0.25}}',
         ["MRR 0.3 ?side forward", "MRR 0.2 ?side backward", "MRR 0.25 both"]),
        ('{"ckpt_1000": {"mrr": 0.3}}', ["MRR 0.3 ckpt_1000 ?split ckpt"]),
        ('{"category": "1-N", "mrr": 0.3}', ["MRR 0.3 ?part 1-n ?part category"]),
        ('{"std": {"mrr": 0.01}}', ["MRR 0.01 ?metric std"]),
        # Head entities are the frequent ones, and no side.
        *((f'{{"{key}": "head", "mrr": 0.3}}', [f"MRR 0.3 head ?{field} {key}"])
          for key, field in (("subset", "part"), ("group", "part"), ("bucket", "aggregation"), ("popularity", "part"))),
        ('{"filter": "raw", "mrr": 0.3}', ["MRR 0.3 raw"]),
        ('{"[0, 5)": {"mrr": 0.3}}', ["MRR 0.3 [0, 5) ?part [0, 5)"]),
        ('{"2014-10": {"mrr": 0.3}}', ["MRR 0.3 2014-10 ?part 2014-10"]),
        ('{"relation_7": {"mrr": 0.3}, "seed_7": {"mrr": 0.2}}', ["MRR 0.3 relation_7 ?part relation_7", "MRR 0.2 seed_7"]),
        # A median of metrics is no median rank, and no metric itself.
        ('{"mean": {"mrr": 0.3}, "median": {"mrr": 0.2}}', ["MRR 0.3", "MRR 0.2 ?metric median"]),
        ('{"test": {"median": {"mrr": 0.2}}}', ["MRR 0.2 test ?metric median"]),
        ('{"MRR": {"mean": 0.3, "median": 0.2}}', ["MRR 0.3"]),
        ('[{"model": "median", "mrr": 0.2}]', ["MRR 0.2 ?metric median"]),
        ('{"25%": {"mrr": 0.2}, "count": {"mrr": 0.5}}', ["MRR 0.2 25% ?part 25%", "MRR 0.5 ?metric count"]),
        # The first key of the rows of a table heads their names.
        ('[{"Cluster": "A", "mrr": 0.3}]', ["MRR 0.3 ?part cluster"]),
        ('[{"entity": "/m/0a", "mrr": 0.3}]', ["MRR 0.3 ?part entity"]),
        ('[{"mrr": 0.3, "user": "root"}]', ["MRR 0.3"]),
        ('[{"mrr": 0.3, "node_id": 7}]', ["MRR 0.3 ?part node-id"]),
        ('[{"mrr": 0.3, "relation_id": 7}]', ["MRR 0.3 ?part relation-id"]),
        ('{"mrr": 0.3, "shard": 2, "rank_side": "o"}', ["MRR 0.3 o ?part shard"]),
        ('{"entity": {"mrr": 0.3}}', ["MRR 0.3"]),
        ('[{"Cluster": "A", "model": "TransE", "mrr": 0.3}]', ["MRR 0.3 TransE"]),
        ('[{"type": "mrr", "value": 0.3}]', ["MRR 0.3"]),
        ('[{"run name": "A", "mrr": 0.3}, {"comment": "A", "mrr": 0.3}]', ["MRR 0.3"] * 2),
        ('{"notes": "measured on the dev set", "results": {"RotatE": {"mrr": 0.3}}}', ["MRR 0.3 RotatE ?split dev"]),
        ('{"model": "RotatE (valid)", "mrr": 0.476}', ["MRR 0.476 RotatE (valid) ?split valid"]),
        ('{"mrr": 0.2, "filtered_mrr": 0.3}', ["MRR 0.2 ?protocol", "MRR 0.3 filtered"]),
        ('{"mrr": 0.2, "fmrr": 0.3}', ["MRR 0.2 ?protocol", "MRR 0.3 filtered"]),
        ('{"mrr": 0.3, "hmrr": 0.2}', ["MRR 0.3", "MRR 0.2 ?side h"]),
        ('{"last_test_mrr": 0.2}', ["MRR 0.2 test"]),
        ('[{"mrr": 0.2}, {"mrr": 0.3, "note": "filtered"}]', ["MRR 0.2", "MRR 0.3 filtered"]),
        # Lines of a training.
        ('{"_step": 1, "test_mrr": 0.1}\n{"_step": 2, "test_mrr": "0.2 ± 0.1"}\n', ["MRR 0.1 test", "MRR 0.2 ± 0.1 test"]),
        ('{"epoch": 1, "mrr": 0.1}\n{"epoch": 2, "mrr": 0.2}\n', ["MRR 0.1 ?split", "MRR 0.2 ?split"]),
        ('{"training_iteration": 1, "mrr": 0.1}\n{"training_iteration": 2, "mrr": 0.2}\n', ["MRR 0.1 ?split", "MRR 0.2 ?split"]),
        ('{"epoch": 1, "A": {"mrr": 0.1}}\n{"epoch": 2, "A": {"mrr": 0.2}}\n', ["MRR 0.1 ?split", "MRR 0.2 ?split"]),
    ],
)  # fmt: skip
def test_what_keys_and_texts_say(text: str, expected: list[str]) -> None:
    assert _describe(text) == expected


@for_each(
    ("text", "skipped"),
    [
        ('{"mrr": 0.3, "mrr_epoch": 12, "MRR epoch": 12}',
         ["mrr_epoch: 'epoch' behind", "MRR epoch: 'epoch' behind"]),
        ('{"mrr": 0.3, "log10(MR)": 2.1, "MR^2": 9}', ["log10(MR): it is a difference", "MR^2: it is not MR itself"]),
        ('{"mrr": 0.3, "results": {"hits@10": null}}', ["results.hits@10: it is null"]),
        ('{"mrr": 0.3, "test": {"mr": [1, 2]}}', ["test.mr: it is a list, not a number"]),
        ('{"mrr": 0.3, "hits@1": true}', ["hits@1: it is true, not a number"]),
        ('{"mrr": 0.3, "hits@1": NaN}', ["NaN: not a number"]),
        ('{"mrr": 0.3, "hits@1": "abc"}', ["abc: not a number, in column hits@1"]),
        ('{"mrr": 0.3, "hits@1": 1e9999}', ["1e9999: not a number: '1e9999' is too large"]),
        ('{"mrr": 0.3, "hits@5": 1.31}', ["1.31: a fraction or a percentage"]),
    ],
)  # fmt: skip
def test_what_is_no_number_of_a_metric_is_said_and_costs_nothing_else(
    text: str, skipped: list[str]
) -> None:
    reading = read_document("a.json", text)
    assert "0.3" in {entry.text for entry in reading.entries}
    found = [f"{each.what}: {each.reason}" for each in reading.skipped]
    assert [each[: len(start)] for each, start in zip(found, skipped, strict=True)] == skipped


@for_each("text", ["[1, 2]", "{}", '{"loss": 0.1}', '{"a": {"b": [0.1]}}', "mrr: 0.3", '{"k": 10}'])
def test_what_holds_no_metric_is_not_recognised(text: str) -> None:
    assert not READER.recognise(Document("results.json", text))


_WORDS = ("valid", "train_loss", "negative_sample_size", "raw", "head", "queries", "dev")
_SETTINGS = st.dictionaries(
    st.sampled_from(_WORDS),
    st.integers(2, 900) | st.floats(1.5, 9) | st.sampled_from(["./valid.txt", "/data/dev"]),
)


@given(_SETTINGS, _SETTINGS, st.sampled_from(["config", "args", "losses", "stopper"]))
def test_other_keys_and_nested_siblings_say_nothing(
    beside: dict[str, object], inner: dict[str, object], key: str
) -> None:
    own = {"dataset": "WN18RR", "test": {"mrr": 0.3}}
    assert _describe(json.dumps({**beside, **own, key: inner})) == ["MRR 0.3 WN18RR test"]


_TEXTS = st.sampled_from(
    ["WN18RR", "UMLS", "validation", "tail", "raw", "measured on the dev set", "RotatE", "ours"]
)
_NUMBERS_BY_KEY = st.dictionaries(
    st.sampled_from(["mrr", "hits@10", "MR"]), st.integers(1, 40), min_size=1
)
_OBJECTS = st.recursive(
    _NUMBERS_BY_KEY,
    lambda inner: st.fixed_dictionaries(
        {"results": inner},
        optional=dict.fromkeys(("notes", "dataset"), _TEXTS)
        | dict.fromkeys(("test", "valid", "RotatE"), inner),
    ),
    max_leaves=4,
)


@given(_OBJECTS)
def test_yaml_and_json_lines_are_read_as_json_is(value: object) -> None:
    yaml = pytest.importorskip("yaml")
    whole = json.dumps(value, indent=1)
    try:
        expected = _describe(whole)
    except DataError:
        return
    assert _describe(yaml.safe_dump(value, sort_keys=False), "a.yaml") == expected
    line = json.dumps(value)
    assert _describe(f"{line}\n{line}\n", "a.jsonl") == expected * 2


_NAMING: dict[str, list[object]] = {
    "model": ["TransE", "RotatE (valid)", "GraIL raw"],
    "data": ["WN18RR", "FB15k-237 v1", "ours"],
    "split": ["test", "validation", "test1"],
    "side": ["head", "both"],
    "protocol": ["raw", "filtered"],
    "epoch": [1, 2],
    "num_tasks": [200, 6268],
    "seed": [1, None],
    "notes": ["ok", "measured on the dev set"],
    "converged": [True, False],
}
_NUMBERS = (
    "MRR", "test_mrr", "filtered_mrr", "hits@1", "Hits@10 (%)", "MR", "std mrr", "valid test MRR", "loss@3",
)  # fmt: skip


@st.composite
def _records(draw: st.DrawFn) -> list[dict[str, object]]:
    named = draw(st.lists(st.sampled_from(sorted(_NAMING)), unique=True, max_size=4))
    measured = draw(st.lists(st.sampled_from(_NUMBERS), unique=True, min_size=1, max_size=3))
    usual = st.sampled_from([0.338, 0.5, 1, 33.8, 1.31, 0.25, 40])
    cells = draw(st.sampled_from([usual, usual, usual | st.sampled_from([None, "0.3", "", True])]))
    texts = {key: st.sampled_from(_NAMING[key]) for key in named}
    numbers = dict.fromkeys(measured, cells)
    record = st.fixed_dictionaries(texts, optional=numbers)
    if draw(st.booleans()):
        record = st.fixed_dictionaries(texts | numbers)
    return draw(st.lists(record, min_size=1, max_size=4))


_FORMS: dict[str, Callable[[list[dict[str, object]]], list[object]]] = {
    "records": lambda records: [*records],
    "below keys": lambda records: [{"results": {"RotatE": record}} for record in records],
    "two of each": lambda records: [{"test": each, "dev": {"mrr": 0.2}} for each in records],
    "in a list": lambda records: [{"dataset": "UMLS", "epoch": 3, "runs": records}],
    "a list": lambda records: [[*records]],
}


def _view(records: list[dict[str, object]], form: str, name: str) -> tuple[object, ...] | str:
    """Return what users see of records: rows, numbers with all that is said, and what is left out."""
    try:
        lines = [json.dumps(each) for each in _FORMS[form](records)]
        reading = read_document(name, "".join(f"{line}\n" for line in lines))
    except DataError as error:
        return str(error)
    rows = [{key: cell for key, cell in row.items() if cell} for row in reading.rows]
    numbers = sorted((entry.row, entry.column, str(entry)) for entry in reading.entries)
    left_out = sorted(map(str, reading.skipped))
    return rows, numbers, left_out, reading.understood, reading.columns, reading.layout


@example([{"MRR": 0.3, "filtered_mrr": 0.4}, {"MRR": 0.3}], "records", "a.jsonl")
@example([{"model": "A", "MRR": 0.3}, {"model": "B", "MRR": 0.4}], "in a list", "a.jsonl")
@example([{"epoch": 1, "MRR": 0.3}, {"epoch": 2, "MRR": 0.4}], "below keys", "a.jsonl")
@given(
    _records(),
    st.sampled_from([*_FORMS]),
    st.sampled_from(["a.jsonl", "fb15k237_test.jsonl", "raw_wn18rr.json"]),
)
def test_records_of_one_shape_say_what_each_says_alone(
    records: list[dict[str, object]], form: str, name: str
) -> None:
    # A key that no other record has, and that says nothing.
    alone = [{**record, f"other {place}": []} for place, record in enumerate(records)]
    assert _view(records, form, name) == _view(alone, form, name)


def test_records_of_single_values_are_held_by_column() -> None:
    lines = "".join(
        f'{{"model": "m{i}", "dataset": "WN18RR", "MRR": 0.4, "Hits@10": 0.5}}\n' for i in range(3)
    )
    reading = read_document("a.jsonl", lines)
    assert isinstance(reading.rows, Rows)
    assert [each.line for each in reading.entries] == [1, 1, 2, 2, 3, 3]
    assert dict(reading.rows[2]) == {
        "line": "3", "model": "m2", "dataset": "WN18RR", "MRR": "0.4", "Hits@10": "0.5",
    }  # fmt: skip


# Files of any tool.

READERS = [module.READER for module in (pykeen, libkge, ogb, objects)]


def _document(text: str, name: str = "results.json") -> Document:
    return Document(name, text)


def _json(text: str) -> Value:
    (record,) = read_records(_document(text))
    return record.value


def _yaml(text: str, line: int = 1) -> Value:
    return parse_yaml(_document(text, "trace.yaml"), text, line)


@for_each(
    "text", ["0.3380", "1e-05", "-0", "12345678901234567890.12345678901234567890", "1" + "0" * 6000]
)
def test_numbers_of_json_keep_every_digit(text: str) -> None:
    value = _json(f'{{"mrr": {text}}}')
    assert value == {"mrr": text}
    assert isinstance(value, dict)
    assert isinstance(value["mrr"], Number)


@for_each(
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
    ],
)
def test_broken_json_is_refused_with_its_place(text: str, places: list[str]) -> None:
    with pytest.raises(DataError) as caught:
        read_records(_document(text))
    for part in ("results.json", *places):
        assert part in str(caught.value)


def test_a_printed_dict_is_read_line_by_line() -> None:
    reading = read_document("a.txt", "{'mrr': np.float64(0.338), 'hits@10': 0.5}\n")
    assert reading.form == "generic"
    assert [entry.text for entry in reading.entries] == ["0.338", "0.5"]


@pytest.mark.parametrize(
    ("texts", "looks"),
    [
        (['{"a": 1}', "\n [\n{", "{", "[", "[[1]]", "{}"], True),
        (["{'a': 1}", "{avg_loss: 0.1}", "[0]Test average MR: 47.3", "{\\bf MRR}", "a,b", "[12]"], False),
        # A log may begin with its settings.
        (["{'model_name': 'TransE'}\n------\nTEST RESULTS\n", "{'a': 'TransE'}\n[Epoch: 1 ] valid: {'mrr': 0.3}\n"],
         False),
    ],
)  # fmt: skip
def test_what_begins_as_json_does_is_structured(texts: list[str], looks: bool) -> None:
    assert [_document(text).is_structured for text in texts] == [looks] * len(texts)


def test_scalars_of_yaml_stay_as_written() -> None:
    value = _yaml('{a: 0.10, b: [1e-05, .nan, yes, 1:30], c: {d: null, e: true}, f: "5", g: ~}')
    assert value == {
        "a": "0.10", "b": ["1e-05", ".nan", "yes", "1:30"], "c": {"d": None, "e": True}, "f": "5", "g": None,
    }  # fmt: skip
    lines: Any = _yaml("- 1\n- '1'\n", line=7)
    assert [isinstance(each, Number) for each in lines] == [True, False]
    assert lines[0].line == 7


BILLION = "a: &a [x, x, x]\n" + "".join(
    f"{new}: &{new} [*{old}, *{old}, *{old}]\n"
    for old, new in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize("text", ["a: &b\n  split: valid\nmrr: 1\n", "split: valid\n---\nmrr: 1\n"])
def test_yaml_that_is_refused_is_not_read_as_a_log(text: str) -> None:
    with pytest.raises(DataError, match=r"anchors|second"):
        read_document("a.yaml", text)


@for_each(
    ("text", "places"),
    [
        (BILLION, ["line 10, column 4", "aliases"]),
        ("mrr: 1\nmrr: 2", ["line 11, column 1", "'mrr' occurs twice"]),
        ("a: !!python/object/apply:os.system [ls]", ["line 10, column 4", "the tag"]),
        ("? [a]\n: 1", ["a key is not text; write a plain one"]),
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


_MODELS = [f"model-{i:07d}" for i in range(FEW)]


def _list_telling() -> list[str]:
    """Return names of graphs, metrics, splits and sides, alone and among other words."""
    names = [*VOCABULARY.lexicon, *VOCABULARY.values]
    for row in load_benchmarks().values():
        names += [row.title, *row.aliases]
    measures = [
        name for metric in CATALOGUE.values() for name in (metric.family, *metric.spellings)
    ]
    for library in load_libraries().values():
        measures += itertools.chain(*library.metrics.values())
    cut_off = [name.replace("_at_k", "").replace("_cut", "") + "@10" for name in measures]
    names += measures + cut_off
    return names + [f"tuned {name} (ours)" for name in choose(names[::7], names)]


def test_screens_choose_every_text_that_says_something() -> None:
    names = [*_MODELS, *_list_telling()]
    told = screen(join_texts(names)).to_pylist()
    measured = screen_measures(join_texts(names)).to_pylist()
    assert not any(told[:FEW] + measured[:FEW])
    for name, telling, measure in zip(names, told, measured, strict=True):
        label = read_label(name)
        assert telling or not label.is_about_tasks, name
        assert measure or label.metric is None, name


def test_a_name_of_a_model_among_many_says_what_it_says_alone() -> None:
    lines = [json.dumps({"model": name, "mrr": 0.5}) for name in (*_MODELS, "ours, valid")]
    alone = _describe(lines[-1])
    assert alone == ["MRR 0.5 ours, valid valid"]
    assert _describe("\n".join(lines))[-1:] == alone


_JSON_WORDS = """
metrics results both head realistic avg best hits_at_k hits_at_10 mrr_list hits@1_list mrr MR H@1 count 10 testing
pipeline dataset model split filtered notes value name hyperparams adjusted_hits_at_k event size
"""
_KEYS = st.sampled_from(_JSON_WORDS.split())
_SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(SIGNS, max_size=5)
_VALUES = st.recursive(
    _SCALARS | st.sampled_from(["0.5", "fb15k"]),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(_KEYS, inner, max_size=4)),
    max_leaves=20,
)


@pytest.mark.slow
@settings(max_examples=choose(56, 150))
@given(_VALUES)
@example({"both": {"realistic": {"count": 0}}})
@example({"metrics": {"results": {"both": {"best": {"both": 1.0}}}}})
def test_any_json_is_read_or_refused(value: object) -> None:
    for reader in READERS:
        check_refusal(reader, _document(json.dumps(value)))


def test_the_first_of_several_names_of_a_metric_is_its_column() -> None:
    names = ["MRR", "mrr", "Mrr", "mean reciprocal rank", "Mean Reciprocal Rank"]
    for name in names:
        others = [other for other in names if other != name]
        texts = {f"text {place}": text for place, text in enumerate((name, *others))}
        reading = read_document("a.json", json.dumps([{**texts, "value": 0.3}]))
        assert [head.column for head in reading.entries.heads] == [name]
