"""What was left out is noted, ten times each and then counted."""

from __future__ import annotations

from rankconst.results.reading import Notes, Skipped


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


def test_nothing_noted() -> None:
    assert Notes().skipped() == ()
