"""Output of ConvE and TuckER."""

from __future__ import annotations

from log_samples import CONVE, TUCKER
from rankconst.results.logs.conve import READER
from rankconst.results.tables.columns import WHICH_SIDES
from readings import reading_of

read = reading_of(READER, "conve.log")


def test_headings_say_which_tool_it_was() -> None:
    assert {entry.context.tool for entry in read(CONVE.text).entries} == {"conve"}
    assert {entry.context.tool for entry in read(TUCKER.text).entries} == {"tucker"}


def test_sides_are_those_of_conve_where_it_is_known() -> None:
    both, left = "Hits @10: 0.49\n", "Hits left @10: 0.5\n"
    assert [entry.context.tool for entry in read(both).entries] == [None]
    for sign in ("test_evaluation\n", "Mean rank: {0} 188.8\n"):
        last = read(sign + left).entries[-1].context
        assert (last.tool, last.side) == ("conve", "tail")
    # KG-BERT prints such lines, too, and its left is where heads are corrupted.
    unknown = read(both + left)
    assert [entry.context.side for entry in unknown.entries] == ["both"]
    assert [each.why for each in unknown.skipped] == [WHICH_SIDES]


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
