"""The protocols, splits and sides: rows of attributes, and their names."""

from collections import defaultdict
from fractions import Fraction
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import for_each
from oracles import TERMS, moments_of
from rankconst import errors
from rankconst.catalogue.metrics import parse_metric
from rankconst.catalogue.protocols import (
    DEFAULT_PROTOCOL,
    DEFAULT_SAMPLING,
    PROTOCOLS,
    SIDES,
    SPLITS,
    UNTABLED,
    Protocol,
    explain_unfit,
    find_protocol,
    load_samplings,
    parse_protocol,
    parse_side,
    parse_split,
    shares_negatives,
)
from rankconst.moments import compute_moments
from rankconst.tasks import sampled_histogram

# Candidates, tasks, distinct, known answers of valid, known answers of test.
EXPECTED = {
    "standard": ("all", "all", False, ("train", "valid", "test"), ("train", "valid", "test")),
    "libkge": ("all", "all", False, ("train", "valid"), ("train", "valid", "test")),
    "pykeen": ("seen", "seen", True, ("train", "valid"), ("train", "valid", "test")),
    "raw": ("all", "all", False, (), ()),
    "static": ("all", "all", False, ("train", "valid", "test"), ("train", "valid", "test")),
    "time-aware": ("all", "all", False, ("train", "valid", "test"), ("train", "valid", "test")),
    "qualified": ("all", "all", False, ("train", "valid", "test"), ("train", "valid", "test")),
    "stare": ("placed", "all", False, ("train", "valid", "test"), ("train", "valid", "test")),
    "train+test": ("all", "all", False, ("train", "valid"), ("train", "test")),
    "pykeen-train+test": ("seen", "seen", True, ("train", "valid"), ("train", "test")),
}


def test_every_protocol_is_as_intended() -> None:
    found = {
        key: (p.candidates, p.tasks, p.distinct, p.known_splits("valid"), p.known_splits("test"))
        for key, p in {**PROTOCOLS, **UNTABLED}.items()
    }
    assert found == EXPECTED
    assert not any(p.shared or p.negatives for p in PROTOCOLS.values())
    assert DEFAULT_PROTOCOL == "standard"
    assert {key: (p.time, p.qualified) for key, p in PROTOCOLS.items() if p.time} == {
        "static": ("any", False), "time-aware": ("same", False), "qualified": ("same", True), "stare": ("same", True)
    }  # fmt: skip


def test_every_protocol_says_which_graphs_it_is_for() -> None:
    for facts, expected in (
        ((False, False), {"standard", "libkge", "pykeen", "raw"}),
        ((True, False), {"static", "time-aware", "raw"}),
        ((False, True), {"qualified", "stare", "raw"}),
    ):
        assert {key for key, protocol in PROTOCOLS.items() if protocol.fits(*facts)} == expected
        assert parse_protocol("sampled:500").fits(*facts)
        unfit = {key for key, protocol in PROTOCOLS.items() if explain_unfit(protocol, *facts)}
        assert unfit == {*PROTOCOLS} - expected
    # Facts have no qualifiers unless one says so.
    assert PROTOCOLS["standard"].fits(False)
    assert explain_unfit(PROTOCOLS["static"], False) == explain_unfit(
        PROTOCOLS["static"], False, False
    )


UNFIT = [
    ("standard", (True, False), "standard is for graphs without time; this is a temporal graph"),
    ("qualified", (True, False), "qualified is for statements; this is a temporal graph"),
    ("time-aware", (False, True), "time-aware is for temporal graphs; the facts of this graph have qualifiers"),
    ("standard", (False, True), "standard is for graphs without qualifiers; the facts of this graph have qualifiers"),
    ("static", (False, False), "needs the time of every fact, and the facts of this graph have none"),
    ("stare", (False, False), "needs the qualifiers of every fact, and the facts of this graph have none"),
]  # fmt: skip
RANKED = {
    "standard": ("Every relation is ranked; other", "of the pair in all three splits"),
    "libkge": ("Every relation is ranked; other", "of the pair up to the evaluated split"),
    "pykeen": ("Relations of the training set are ranked", "of the pair up to the evaluated split"),
    "raw": ("Every relation is ranked,", "no known one is removed"),
    "static": ("Every relation and its inverse is ranked", "of the pair in all three splits"),
    "time-aware": ("Every relation and its inverse is ranked", "of the pair at the same time in all three splits"),
}  # fmt: skip


def test_what_does_not_fit_and_what_is_ranked_is_said() -> None:
    for key, facts, text in UNFIT:
        assert text in explain_unfit(PROTOCOLS[key], *facts)
    for key, texts in RANKED.items():
        assert all(text in PROTOCOLS[key].relation_summary for text in texts)
    assert {key for key, protocol in PROTOCOLS.items() if protocol.ranks_relations} == {*RANKED}
    assert not parse_protocol("sampled:500").ranks_relations


def test_a_true_answer_is_a_candidate() -> None:
    with pytest.raises(errors.UsageError, match="a task's true answer must be a candidate"):
        Protocol(key="x", candidates="seen", tasks="all", distinct=False, known="all", summary="")


def test_every_filter_tells_who_evaluates_so() -> None:
    assert all(
        p.used_by or p.reference
        for p in (*PROTOCOLS.values(), *UNTABLED.values())
        if p.known != "none"
    )


@for_each("key", PROTOCOLS)
def test_distributions_of_protocols(key: str) -> None:
    protocol = PROTOCOLS[key]
    assert (protocol.key, protocol.negatives, protocol.refused) == (key, None, "")
    assert protocol.summary.endswith(".")
    assert "uniform on 1 to N_i" in protocol.distribution
    assert find_protocol(key) is protocol
    for name in (key, *protocol.spellings):
        for written in (name, f" {name} ", name.upper(), name.title()):
            assert parse_protocol(written) is protocol
    known = {split: set(protocol.known_splits(split)) for split in SPLITS}
    assert known["train"] <= known["valid"] & known["test"]
    assert key != "libkge" or known["train"] == {"train"}
    assert all(split in answers or not answers for split, answers in known.items())


@for_each("key", load_samplings())
def test_every_way_of_sampling_states_its_distribution(key: str) -> None:
    protocol = find_protocol(f"sampled:500:{key}")
    assert protocol.key == ("sampled:500" if key == DEFAULT_SAMPLING else f"sampled:500:{key}")
    assert find_protocol(protocol.key) == protocol
    assert protocol.negatives == 500
    assert protocol.distribution.endswith(".")
    assert protocol.needs
    texts = (
        protocol.summary,
        protocol.distribution,
        protocol.needs,
        protocol.reference,
        protocol.refused,
    )
    assert not any(sign in text for text in texts for sign in "{}")


@for_each(
    ("name", "key"),
    [
        *((name, "sampled:500") for name in ("sampled500", "Sampled_500", "sampled-500", " sampled 500 ")),
        ("sampled:500:filtered", "sampled:500"), ("sampled:9:without replacement", "sampled:9"),
        ("Sampled:9:Unfiltered", "sampled:9:unfiltered"), ("sampled_9_unfiltered", "sampled:9:unfiltered"),
        ("sampled:9:with-replacement", "sampled:9:replacement"), ("sampled 9 replacement", "sampled:9:replacement"),
        ("sampled:4:one list", "sampled:4:shared"), ("Unfiltered", "raw"), ("train+test", "train+test"),
    ],
)  # fmt: skip
def test_spellings_of_protocols(name: str, key: str) -> None:
    assert find_protocol(name).key == find_protocol(key).key == key
    assert shares_negatives(key) == find_protocol(key).shared == ("shared" in key)


def test_what_a_way_of_sampling_says_of_its_own() -> None:
    assert parse_protocol("sampled:500").used_by == ("OGB",)
    assert parse_protocol("sampled:100").used_by == ()
    assert "binomial(n; k, 5 - k)" in find_protocol("sampled:4:shared").distribution
    assert find_protocol("sampled:4:replacement").needs.startswith(
        "P, the number of other entities"
    )
    with pytest.raises(
        errors.UndefinedError, match=r"depends on P.*within 1/\(P\+1\).*use sampled:500\."
    ):
        parse_protocol("sampled:500:replacement")


def _mix_binomials(pool: int, m: int) -> dict[int, Fraction]:
    """The distribution that the protocol states for draws with replacement."""
    distribution, total = {}, pool**m * (pool + 1)
    for b in range(m + 1):
        ways = sum(comb(m, b) * j**b * (pool - j) ** (m - b) for j in range(pool + 1))
        distribution[1 + b] = Fraction(ways, total)
    return distribution


@given(
    pool=st.integers(1, 60),
    m=st.integers(1, 30),
    name=st.sampled_from(["mr", "mrr", "hits@1", "hits@3", "ndcg"]),
)
def test_bounds_for_draws_with_replacement(pool: int, m: int, name: str) -> None:
    distribution: defaultdict[Fraction, Fraction] = defaultdict(Fraction)
    for rank, chance in _mix_binomials(pool, m).items():
        distribution[TERMS[name](rank)] += chance
    mean, variance = moments_of(distribution)
    moments = compute_moments(parse_metric(name), sampled_histogram(f"sampled:{m}", 1))
    if name == "mr":
        assert mean == Fraction(m + 2, 2) == Fraction(moments.expectation)
        assert variance == Fraction(m * (m + 2), 12) + Fraction(m * (m - 1), 6 * pool)
    else:
        assert abs(float(mean) - moments.expectation) <= 1 / (pool + 1) + 1e-12
        assert abs(float(variance) - moments.variance) <= 3 / (pool + 1) + 1e-12


@for_each(
    ("name", "hint"),
    [
        ("standart", r"Did you mean standard or stare\?"),
        ("???", r"Known: standard, libkge, pykeen, raw, static, time-aware, qualified, stare\. Or sampled:M"),
        ("sampled", "Or sampled:M"),
        ("sampled:1.5", "Or sampled:M"),
        ("sampled:0", "at least one negative"),
        ("sampled:500:unfiltred", r"way of sampling 'unfiltred'\. Did you mean unfiltered"),
        ("TuckER", r"TuckER is a tool, not a protocol: .* protocol standard"),
        *((name, f"^{name} names no protocol: all but raw are filtered") for name in ("filtered", "Filt.", "filter")),
    ],
)  # fmt: skip
def test_unknown_protocols_get_a_hint(name: str, hint: str) -> None:
    with pytest.raises(errors.UnknownNameError, match=hint):
        parse_protocol(name)


def test_every_spelling_of_a_split_and_a_side() -> None:
    for names, parse in ((SPLITS, parse_split), (SIDES, parse_side)):
        for key, others in names.items():
            for name in (key, *others):
                assert parse(name.lower()) == parse(name.upper()) == parse(name.title()) == key
    assert parse_side("average") == "both"
    with pytest.raises(errors.UnknownNameError, match=r"unknown split 'tets'\. Did you mean test"):
        parse_split("tets")
    known = r"unknown side 'xyz'\. Known: head, tail, both, relation\."
    with pytest.raises(errors.UnknownNameError, match=known):
        parse_side("xyz")
