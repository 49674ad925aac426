"""What was found is put into one reading."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import for_each
from rankconst.catalogue.metrics import parse_metric
from rankconst.errors import DataError
from rankconst.evaluation import Address
from rankconst.results.formats import read_document
from rankconst.results.reading import (
    Entry,
    Notes,
    Skipped,
    count_digits,
    group_entries,
    make_entries,
    measure,
    name_reasons,
)
from rankconst.values.published import NOISE
from readings import make_reading as write_reading


def test_notes_in_order_then_counts() -> None:
    notes = Notes()
    for line in range(1, 1_013):
        notes.add(line, "loss", "no metric")
    notes.add(7, "x" * 100, "no number")
    skipped = notes.skipped()
    assert [skip.line for skip in skipped[:10]] == list(range(1, 11))
    assert skipped[10:] == (
        Skipped(7, "x" * 80, "no number"),
        Skipped(None, "loss", "no metric, in 1,002 more places"),
    )


@for_each(
    ("reasons", "expected"),
    [
        (["wrong"], "line 1: a: wrong"),
        (["It is empty. Save it again."], "line 1: a: It is empty. Save it again"),
        (["b", "c", "d"], "line 1: a: b; line 1: a: c; line 1: a: d"),
        (["b", "c", "d", "e"], "line 1: a: b; line 1: a: c; line 1: a: d; and 1 other reason"),
    ],
)
def test_the_first_reasons_are_named(reasons: list[str], expected: str) -> None:
    assert name_reasons(Skipped(1, "a", reason) for reason in reasons) == expected


def entry(metric: str, text: str, adjustment: str | None = None, *, exact: bool = False) -> Entry:
    return Entry(parse_metric(metric), text, 0, metric, None, adjustment=adjustment, exact=exact)


@for_each(
    ("text", "exact", "in_full", "half"),
    [
        ("0.338", False, True, 0.0005), ("0.338", True, False, 0.0005), ("0.338", True, True, 0.0),
        ("0.5458 ± 0.0052", False, True, 0.00525), ("53.3%", False, True, 0.0005),
    ],
)  # fmt: skip
def test_every_number_is_granted_the_noise_of_32_bits(
    text: str, exact: bool, in_full: bool, half: float
) -> None:
    m = measure(entry("mrr", text, exact=exact), in_full=in_full)
    assert m.interval.half_width == pytest.approx(half + NOISE * m.value, rel=1e-9)
    assert m.averaged == ("±" in text)


def test_percentages() -> None:
    assert measure(entry("mrr", "33.8"), percent=True).value == pytest.approx(0.338)
    assert measure(entry("mrr", "33.7", "index"), percent=True).value == pytest.approx(0.337)
    assert measure(entry("mr", "33.8"), percent=True).value == 33.8
    assert measure(entry("mrr", "6.1", "z"), percent=True).value == 6.1
    with pytest.raises(DataError, match=r"17% is a percentage, but MR is not a share\."):
        measure(entry("mr", "17%"))
    # An index is 1 at most, whatever its metric.
    assert measure(entry("mr", "93.4%", "index")).value == pytest.approx(0.934)


@given(st.integers(-(10**12), 10**12).filter(bool), st.integers(0, 12))
def test_scaling_by_ten_shows_no_further_digit(number: int, decimals: int) -> None:
    assert count_digits(str(number)) == len(str(abs(number)))
    assert count_digits(f"{Decimal(number).scaleb(-decimals):f}") == len(str(abs(number)))


# RotatE and pRotatE, Sun et al. 2019, arXiv:1902.10197, table 5.
ROTATE = {"MRR": "0.338", "Hits@10": "0.533"}
PROTATE = {"MRR": "0.328", "Hits@10": "0.524"}


def test_a_row_of_a_wide_table_is_a_group() -> None:
    context = [Address(model=model, dataset="FB15k-237") for model in ("RotatE", "pRotatE")]
    groups = group_entries(write_reading(ROTATE, PROTATE, context=context))
    assert [group.rows for group in groups] == [(0,), (1,)]
    texts = [[entry.text for entry in group.entries] for group in groups]
    assert texts == [["0.338", "0.533"], ["0.328", "0.524"]]
    assert [group.label for group in groups] == ["RotatE, FB15k-237", "pRotatE, FB15k-237"]
    assert [group.context for group in groups] == context


@for_each(
    ("between", "one", "other"),
    [("side", "head", "tail"), ("rank_type", "realistic", "optimistic"), ("split", "valid", "test"),
     ("model", "A", "B"), ("epoch", "1", "2"), ("note", "1", "2")],
)  # fmt: skip
def test_rows_of_a_long_table_that_differ_elsewhere_are_apart(
    between: str, one: str, other: str
) -> None:
    rows = f"{one},mrr,,0.30\n{other},mrr,,0.40\n{one},hits,10,0.32\n{other},hits,10,0.42\n"
    groups = group_entries(read_document("long.csv", f"{between},metric,k,value\n{rows}"))
    texts = [[entry.text for entry in group.entries] for group in groups]
    assert texts == [["0.30", "0.32"], ["0.40", "0.42"]]


def test_entries_are_the_sequence_that_was_added() -> None:
    mrr, hits = parse_metric("mrr"), parse_metric("hits@10")
    one = Address(dataset="umls")
    added = [
        Entry(mrr, "0.3", 0, "MRR", 2, one),
        Entry(hits, "0.4", 0, "Hits@10", None, one, "index", exact=True),
        Entry(mrr, "0.5", 1, "MRR", 3),
    ]
    entries = make_entries(added)
    assert list(entries) == added
    assert (entries[-1], entries[1:]) == (added[-1], tuple(added[1:]))
    assert [head.column for head in entries.heads] == ["MRR", "Hits@10"]
    assert [entries.heads[each].metric for each in entries.head_codes] == [mrr, hits, mrr]
    assert list(entries.keep(entries.values > 0.35)) == added[1:]
    signed = entries.rewrite(entries.rows == 0, percent=True)
    assert [each.text for each in signed] == ["0.3%", "0.4%", "0.5"]
    with pytest.raises(IndexError):
        entries[3]
