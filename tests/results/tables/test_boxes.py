"""Boxes of every kind are written with the signs of text, sign by sign."""

from __future__ import annotations

import unicodedata

from rankconst.results.tables.boxes import plain_boxes


def test_signs_are_told_by_their_names() -> None:
    """The names of Unicode are independent of the lists."""
    for code in range(0x2500, 0x2580):
        name, sign = unicodedata.name(chr(code)), plain_boxes(chr(code))
        words = {*name.removeprefix("BOX DRAWINGS ").split()} - {"LIGHT", "HEAVY", "AND", "DASH", "SINGLE", "DOUBLE"}
        words -= {"TRIPLE", "QUADRUPLE"}
        if "DIAGONAL" in words:
            assert sign == chr(code)
        elif words <= {"HORIZONTAL", "LEFT", "RIGHT"}:
            assert sign == "-", name
        elif words == {"VERTICAL"} or words == {"UP", "DOWN"}:
            assert sign == "|", name
        elif words in ({"UP"}, {"DOWN"}):
            assert sign == " ", name
        else:
            assert sign == "+", name


def test_other_text_stays() -> None:
    assert plain_boxes("a | b – ±") == "a | b – ±"
