"""What OGB's evaluator returns."""

import json
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import for_each
from rankconst.catalogue.metrics import parse_metric
from rankconst.errors import DataError
from rankconst.results.document import Document
from rankconst.results.reading import Reading
from rankconst.results.tools.ogb import READER


def _read(text: str) -> Reading:
    document = Document("ogb.json", text)
    assert READER.recognise(document)
    return READER.read(document)


@given(st.lists(st.integers(1, 501), min_size=1, max_size=50))
def test_lists_are_averaged_exactly(ranks: list[int]) -> None:
    lists = {"hits@10": [float(rank <= 10) for rank in ranks], "mrr": [1 / rank for rank in ranks]}
    reading = _read(json.dumps({f"{name}_list": values for name, values in lists.items()}))
    # The decimals as written, averaged as fractions and rounded once.
    for entry, (name, values) in zip(reading.entries, lists.items(), strict=True):
        total = sum(Fraction(repr(value)) for value in values)
        assert entry.metric == parse_metric(name)
        assert float(entry.text) == float(total / len(values))
        assert (entry.context.num_tasks, entry.exact) == (len(ranks), True)
    assert reading.tool == "ogb"
    assert reading.rows[0]["num_tasks"] == str(len(ranks))


def test_splits_and_plain_values() -> None:
    test = '{"mrr_list": [0.25, 0.75], "hits@50": 0.5, "loss": 3}'
    reading = _read(f'{{"valid": {{"mrr_list": [0.5]}}, "test": {test}}}')
    found = [(each.context.split, each.text, each.context.num_tasks) for each in reading.entries]
    assert found == [("valid", "0.5", 1), ("test", "0.5", 2), ("test", "0.5", None)]


@for_each(
    ("text", "message"),
    [
        ('{"mrr_list": [0.5], "hits@1_list": [1.0, 0.0]}', "2 values, the list before it 1"),
        ('{"hits@0_list": [1.0]}', "key hits@0_list"),
    ],
)
def test_bad_lists_are_refused_with_their_place(text: str, message: str) -> None:
    with pytest.raises(DataError, match=f"ogb.json.*{message}"):
        READER.read(Document("ogb.json", text))


@for_each(
    ("value", "why"),
    [
        ("[]", "expected a list with a value for each ranking task"),
        ("null", "it is null"),
        ("[0.5, null]", "its value 2 is 'None'; expected a number from 0 to 1"),
        ("[0.5, 7.0]", "its value 2 is '7.0'; expected a number from 0 to 1"),
    ],
)
def test_a_list_that_is_no_mean_costs_nothing_else(value: str, why: str) -> None:
    reading = READER.read(
        Document("ogb.json", f'{{"mrr_list": {value}, "hits@1_list": [1.0, 0.0]}}')
    )
    assert [(entry.metric.label, entry.text) for entry in reading.entries] == [("Hits@1", "0.5")]
    assert [(skip.what, skip.reason) for skip in reading.skipped] == [("mrr_list", why)]
