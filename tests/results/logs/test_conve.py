"""Output of ConvE and TuckER."""

from __future__ import annotations

from log_samples import CONVE, TUCKER
from rankconst.results.logs.conve import READER
from readings import reading_of

read = reading_of(READER, "conve.log")


def test_headings_say_which_tool_it_was() -> None:
    assert {entry.context.tool for entry in read(CONVE.text).entries} == {"conve"}
    assert {entry.context.tool for entry in read(TUCKER.text).entries} == {"tucker"}


def test_without_headings_only_sides_do() -> None:
    both = "Hits @10: 0.49\n"
    assert [entry.context.tool for entry in read(both).entries] == [None]
    assert [entry.context.tool for entry in read(both + "Hits left @10: 0.5\n").entries] == ["conve", "conve"]


def test_tucker_counts_both_directions() -> None:
    assert {(entry.context.split, entry.context.num_tasks) for entry in read(TUCKER.text).entries} == {
        ("valid", 2 * 17535),
        ("test", 2 * 20466),
    }


def test_every_digit_counts_where_none_was_left_out() -> None:
    assert all(entry.exact for entry in read(CONVE.text).entries)
    # As the tools' pages quote them.
    rounded = read("Hits @10: 0.49\nMean rank: 246.3\nMean reciprocal rank: 0.32\n").entries
    assert [entry.exact for entry in rounded] == [False] * 3


def test_an_epoch_holds_until_the_next_one_only() -> None:
    later = "no epoch\nhere\nat all\nValidation:\nHits @10: 0.5\n"
    rows = read(TUCKER.text + later).rows
    assert [row["step"] for row in rows] == ["454"] * 5 + [""]
