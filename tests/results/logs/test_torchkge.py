"""Output of TorchKGE."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from log_samples import TORCHKGE
from rankconst.constants.published import parse_value
from rankconst.results.logs.torchkge import READER
from readings import reading_of

read = reading_of(READER, "torchkge.log")


def test_rows_keep_what_was_printed() -> None:
    rows = read(TORCHKGE.text).rows
    assert [(row["filter"], row["metric"], row["value"]) for row in rows[:6]] == [
        ("raw", "Hit@1", "0.1"),
        ("filtered", "Hit@1", "0.2"),
        ("raw", "Hit@10", "0.303"),
        ("filtered", "Hit@10", "0.45"),
        ("raw", "Mean Rank", "400"),
        ("filtered", "Mean Rank", "250"),
    ]


@given(st.floats(1, 1e5), st.floats(0, 1), st.floats(0, 1), st.integers(1, 6))
def test_the_true_value_is_within_what_is_read(mean_rank: float, raw: float, filtered: float, digits: int) -> None:
    """Printed as the tool does: whole part of the mean rank, the others rounded, trailing zeros lost."""
    text = (
        f"Hit@10 : {round(raw, digits)} \t\t Filt. Hit@10 : {round(filtered, digits)}\n"
        f"Mean Rank : {int(mean_rank)} \t Filt. Mean Rank : {int(mean_rank)}\n"
        f"MRR : {round(raw, digits)} \t\t Filt. MRR : {round(filtered, digits)}\n"
    )
    entries = read(text).entries
    assert len(entries) == 6
    for entry, true in zip(entries, (raw, filtered, mean_rank, mean_rank, raw, filtered), strict=True):
        interval = parse_value(entry.text, exact=entry.exact).interval
        assert interval.lower - 1e-12 <= true <= interval.upper + 1e-9
        if entry.metric.label == "MR":
            assert interval.upper - interval.lower <= 1 + 1e-9


def test_a_mean_rank_with_decimals_was_not_cut() -> None:
    entries = read("Filt. Mean Rank : 250.25\nFilt. MRR : 0.3\n").entries
    assert [entry.text for entry in entries] == ["250.25", "0.3"]
