"""What OGB's evaluator returns."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import for_each
from rankconst.errors import DataError
from rankconst.results.document import Document
from rankconst.results.tools.ogb import READER

if TYPE_CHECKING:
    from rankconst.results.reading import Reading


def _read(text: str) -> Reading:
    document = Document("ogb.json", text)
    assert READER.recognise(document)
    return READER.read(document)


@given(st.lists(st.integers(1, 501), min_size=1, max_size=50))
def test_lists_are_averaged_exactly(ranks: list[int]) -> None:
    reciprocal = [1 / rank for rank in ranks]
    hits = [float(rank <= 10) for rank in ranks]
    value = {"hits@10_list": hits, "mrr_list": reciprocal}
    reading = _read(json.dumps(value))
    assert [entry.metric.key for entry in reading.entries] == [
        "hits_at_10",
        "inverse_harmonic_mean_rank",
    ]
    # The decimals as written, averaged as fractions and rounded once.
    for entry, numbers in zip(reading.entries, (hits, reciprocal), strict=True):
        assert float(entry.text) == float(
            sum(Fraction(repr(number)) for number in numbers) / len(numbers)
        )
        assert entry.context.num_tasks == len(ranks)
        assert entry.exact
    assert reading.tool == "ogb"
    assert reading.rows[0]["num_tasks"] == str(len(ranks))


def test_splits_and_plain_values() -> None:
    reading = _read(
        '{"valid": {"mrr_list": [0.5]}, "test": {"mrr_list": [0.25, 0.75], "hits@50": 0.5, '
        '"loss": 3}}'
    )
    assert [
        (entry.context.split, entry.text, entry.context.num_tasks) for entry in reading.entries
    ] == [
        ("valid", "0.5", 1),
        ("test", "0.5", 2),
        ("test", "0.5", None),
    ]


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
