"""The protocols, splits and sides: rows of attributes, and their names."""

from __future__ import annotations

import pytest

from rankconst import errors
from rankconst.protocols import DEFAULT_PROTOCOL, PROTOCOLS, SIDES, SPLITS, parse_protocol, parse_side, parse_split

# design.md section 3: candidates, tasks, distinct, known answers of valid, known answers of test.
EXPECTED = {
    "standard": ("all", "all", False, ("train", "valid", "test"), ("train", "valid", "test")),
    "libkge": ("all", "all", False, ("train", "valid"), ("train", "valid", "test")),
    "pykeen": ("seen", "seen", True, ("train", "valid"), ("train", "valid", "test")),
    "raw": ("all", "all", False, (), ()),
}


def test_every_protocol_is_as_designed() -> None:
    found = {
        key: (p.candidates, p.tasks, p.distinct, p.known_splits("valid"), p.known_splits("test"))
        for key, p in PROTOCOLS.items()
    }
    assert found == EXPECTED
    assert DEFAULT_PROTOCOL == "standard"


@pytest.mark.parametrize("key", PROTOCOLS)
def test_laws_of_protocols(key: str) -> None:
    protocol = PROTOCOLS[key]
    assert protocol.key == key
    assert protocol.negatives is None
    assert protocol.summary.endswith(".")
    for name in (key, key.upper(), f" {key} ", key.title()):
        assert parse_protocol(name) is protocol
    known = [set(protocol.known_splits(split)) for split in SPLITS]
    assert known[0] <= known[1] <= known[2]
    assert all(split in answers or not answers for split, answers in zip(SPLITS, known, strict=True))


def test_up_to_filters_train_by_train_alone() -> None:
    assert PROTOCOLS["libkge"].known_splits("train") == ("train",)
    assert PROTOCOLS["standard"].known_splits("train") == ("train", "valid", "test")


@pytest.mark.parametrize("name", ["sampled:500", "sampled500", "Sampled_500", "sampled-500", " sampled 500 "])
def test_sampled_takes_any_number_of_negatives(name: str) -> None:
    protocol = parse_protocol(name)
    assert (protocol.key, protocol.negatives, protocol.known) == ("sampled:500", 500, "none")
    assert protocol.used_by == ("OGB",)
    assert parse_protocol(protocol.key) == protocol
    assert parse_protocol("sampled:100").used_by == ()


def test_sampled_needs_negatives() -> None:
    with pytest.raises(errors.UnknownNameError, match="at least one negative"):
        parse_protocol("sampled:0")


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("standart", r"Did you mean standard\?"),
        ("pykeeen", r"Did you mean pykeen\?"),
        ("???", r"Known: standard, libkge, pykeen, raw\. Or sampled:M"),
        ("sampled", "Or sampled:M"),
        ("sampled:", "Or sampled:M"),
        ("sampled:-5", "Or sampled:M"),
        ("sampled:1.5", "Or sampled:M"),
    ],
)
def test_unknown_protocols_get_a_hint(name: str, hint: str) -> None:
    with pytest.raises(errors.UnknownNameError, match=hint):
        parse_protocol(name)


@pytest.mark.parametrize(
    ("given", "split"),
    [
        ("train", "train"), ("Training", "train"), ("valid", "valid"), ("validation", "valid"), ("VAL", "valid"),
        ("dev", "valid"), ("test", "test"), ("testing", "test"), ("TEST", "test"),
    ],
)  # fmt: skip
def test_splits(given: str, split: str) -> None:
    assert parse_split(given) == split


@pytest.mark.parametrize(
    ("given", "side"),
    [
        ("head", "head"), ("left", "head"), ("subject", "head"), ("h", "head"), ("S", "head"), ("tail", "tail"),
        ("Right", "tail"), ("object", "tail"), ("t", "tail"), ("o", "tail"), ("both", "both"), ("BOTH", "both"),
    ],
)  # fmt: skip
def test_sides(given: str, side: str) -> None:
    assert parse_side(given) == side


def test_orders_are_fixed() -> None:
    assert list(SPLITS) == ["train", "valid", "test"]
    assert list(SIDES) == ["head", "tail", "both"]


def test_unknown_splits_and_sides_get_a_hint() -> None:
    with pytest.raises(errors.UnknownNameError, match=r"unknown split 'tets'\. Did you mean test"):
        parse_split("tets")
    with pytest.raises(errors.UnknownNameError, match=r"unknown side 'xyz'\. Known: head, tail, both\."):
        parse_side("xyz")
