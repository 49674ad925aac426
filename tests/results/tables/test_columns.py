"""What headings mean, as papers and programs write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankconst.catalogue.metrics import TABULATED, parse_metric
from rankconst.results.tables.columns import (
    ROLES,
    Meaning,
    add_part,
    find_qualifier,
    find_stems,
    name_adjusted,
    parse_column,
    read_name,
    read_qualifier,
)


def describe(meaning: Meaning | None) -> tuple[str, ...] | None:
    """Return a measured column's metric and whatever else is said."""
    if meaning is None or meaning.metric is None:
        return None
    said = ("adjustment", "dataset", "split", "side", "rank_type", "protocol", "filtered")
    return (meaning.metric.label, *(value for name in said if (value := getattr(meaning, name))))


@pytest.mark.parametrize(
    ("heading", "expected"),
    [
        ("MRR", ("MRR",)),
        ("MRR ↑", ("MRR",)),
        ("DDB14 (MRR)", ("MRR", "DDB14")),
        ("Improvement (MRR)", None),
        ("v2 (MRR)", None),
        ("MR (↓)", ("MR",)),
        ("MR\u2193", ("MR",)),
        ("MRR*", ("MRR",)),
        ("MRR^{†}", ("MRR",)),
        ("Hits @ 10", ("Hits@10",)),
        ("H@10", ("Hits@10",)),
        ("Mean Rank (MR)", ("MR",)),
        ("MRR (2)", ("MRR",)),
        ("Hist@10", ("Hits@10",)),
        ("Test MRR (Mean+/-Std)", ("MRR", "test")),
        ("MRR mean ± sd", ("MRR",)),
        ("MRR (mean)", ("MRR",)),
        ("test_mrr", ("MRR", "test")),
        ("Test set: MRR", ("MRR", "test")),
        ("eval/mrr", ("MRR",)),
        ("best.valid.mrr", ("MRR", "valid")),
        ("MRR (raw)", ("MRR", "raw")),
        ("raw_mrr", ("MRR", "raw")),
        ("Filt. MRR", ("MRR", "filtered")),
        ("MRR (filtered)", ("MRR", "filtered")),
        ("both.realistic.hits_at_10", ("Hits@10", "both", "realistic")),
        ("testing.head.pessimistic.hits_at_10", ("Hits@10", "test", "head", "pessimistic")),
        ("Hits@{10}", ("Hits@10",)),
        ("('FB15k-237', 'test', 'MRR')", ("MRR", "FB15k-237", "test")),
        ("('mrr', 'mean')", ("MRR",)),
        ("MRR (h, r, ?)", ("MRR", "tail")),
        ("MRR (time-aware)", ("MRR", "time-aware")),
        ("Time-aware MRR", ("MRR", "time-aware")),
        ("Static Hits@10", ("Hits@10", "static")),
        ("MRR (tail-only)", ("MRR", "tail")),
        ("MRR (w/o filter)", ("MRR", "raw")),
        ("MRR (with filter)", ("MRR", "filtered")),
        ("Entity MRR", ("MRR",)),
        ("Standard MRR", ("MRR",)),
        ("base MRR", ("MRR",)),
        ("Peak test MRR", ("MRR", "test")),
        ("standard deviation", ("SDR",)),
        ("Final test MRR", ("MRR", "test")),
        ("Transductive MRR", ("MRR",)),
        ("MRR (all)", ("MRR",)),
        ("MRR on FB15k-237", ("MRR", "FB15k-237")),
        # Of a model, as the names of datasets in rows tell.
        ("TransE MRR", ("MRR", "TransE")),
        ("CompGCN_Hits@10", ("Hits@10", "CompGCN")),
        ("AMRI", ("MR", "index")),
        ("AH@10", ("Hits@10", "index")),
        ("ZMRR", ("MRR", "z")),
        ("adjusted_arithmetic_mean_rank", ("MR", "normalised")),
        ("MRR (WN18RR)", ("MRR", "WN18RR")),
        ("MRR [WN18RR]", ("MRR", "WN18RR")),
        ("FB15k-237: H@1", ("Hits@1", "FB15k-237")),
        ("FB15k-237 / test / MRR", ("MRR", "FB15k-237", "test")),
        ("WN18RR | MRR", ("MRR", "WN18RR")),
        ("WN18RR MRR", ("MRR", "WN18RR")),
        ("MRR FB15k-237", ("MRR", "FB15k-237")),
        ("WN18RR (MRR)", ("MRR", "WN18RR")),
        ("FB15k-237 (H@10)", ("Hits@10", "FB15k-237")),
        ("WN18RR (raw MRR)", ("MRR", "WN18RR", "raw")),
        ("MRR (flt)", ("MRR", "filtered")),
        ("MR (filt.)", ("MR", "filtered")),
        ("MRR raw", ("MRR", "raw")),
        ("Raw MRR", ("MRR", "raw")),
        ("MeanRank(Raw)", ("MR", "raw")),
        ("Hits@10(Filter)(%)", ("Hits@10", "filtered")),
        ("Valid(MRR)", ("MRR", "valid")),
        ("Hits@10 filtered", ("Hits@10", "filtered")),
    ],
)
def test_headings_of_metrics(heading: str, expected: tuple[str, ...]) -> None:
    assert describe(parse_column(heading)) == expected


@pytest.mark.parametrize(
    "heading", ["Hits@10 (%)", "Hits@10 [%]", "MRR(%)", "H@10 (in %)", "MRR (%) ↑", "WN18RR: MRR (%)"]
)
def test_percent_signs(heading: str) -> None:
    meaning = parse_column(heading)
    assert meaning is not None
    assert meaning.percent


@pytest.mark.parametrize(
    "heading",
    [
        "", "-", "1", "nan", "ΔMRR", "Δ MRR", "+MRR", "-MRR", "MRR std", "MRR (FB15k-237 std)", "std_mrr", "H-MRR",
        "Hits@", "Hits@K", "Hit@10 : 0.3", "n_test_used", "Atlantis MRR", "MR (MRR)", "dataset_triples", "M" * 500,
    ],
)  # fmt: skip
def test_headings_that_are_no_metric(heading: str) -> None:
    assert parse_column(heading) is None


def test_roles_in_every_spelling() -> None:
    for role, names in ROLES.items():
        for name in (role, *names, role.upper(), role.replace("_", " ").title()):
            assert parse_column(name) == Meaning(role)


def test_k_from_a_column_of_its_own() -> None:
    assert describe(parse_column("hits_at_k", 10)) == ("Hits@10",)
    assert describe(parse_column("Hits@k", 3)) == ("Hits@3",)
    assert describe(parse_column("adjusted_hits_at_k", 10)) == ("Hits@10", "index")
    assert describe(parse_column("MRR", 10)) == ("MRR",)


@pytest.mark.parametrize("metric", [metric for metric in TABULATED if metric.family != "count"], ids=str)
def test_every_metric_by_its_names(metric: object) -> None:
    for name in (metric.label, metric.key, f"test.{metric.key}"):  # type: ignore[attr-defined]
        meaning = parse_column(name)
        assert meaning is not None
        assert meaning.metric == metric


def test_what_the_name_says_stays() -> None:
    mrr = parse_column("test_mrr")
    assert mrr is not None
    assert describe(add_part(mrr, "valid")) == ("MRR", "test")
    assert describe(add_part(mrr, "YAGO3-10")) == ("MRR", "YAGO3-10", "test")
    assert describe(add_part(mrr, "Link prediction")) == ("MRR", "test")
    assert describe(add_part(mrr, "Method")) == ("MRR", "test")
    assert add_part(mrr, "std") is None


@given(st.text(max_size=300), st.none() | st.integers(-5, 50))
def test_any_text_is_a_heading(heading: str, k: int | None) -> None:
    meaning = parse_column(heading, k)
    assert meaning is None or (meaning.role == "measured") == (meaning.metric is not None)


@pytest.mark.parametrize(
    ("heading", "metric", "expected"),
    [
        ("MRR", "mrr", "AMRR"),
        ("FB15k-237 / MRR", "mrr", "FB15k-237 / AMRR"),
        ("MRR (WN18RR)", "mrr", "AMRR (WN18RR)"),
        ("MRR / WN18RR", "mrr", "AMRR / WN18RR"),
        ("MRR (2)", "mrr", "AMRR (2)"),
        ("test_mrr", "mrr", "test_AMRR"),
        ("both.realistic.hits_at_10", "hits@10", "both.realistic.AH@10"),
        ("arithmetic_mean_rank", "mr", "AMRI"),
        ("tail.inverse_harmonic_mean_rank", "mrr", "tail.AMRR"),
        ("WN18RR / Hits@ / 10", "hits@10", "WN18RR / AH@10"),
        ("Mean rank (filtered)", "mr", "AMRI (filtered)"),
        ("x y z", "mrr", "x y z_index"),
    ],
)
def test_an_adjusted_column_is_named_like_its_own(heading: str, metric: str, expected: str) -> None:
    assert name_adjusted(heading, parse_metric(metric), "index") == expected


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["A (tail)", "A [raw]", "A, head", "A - valid", "A/tail", "A: raw", "A | dev"],
         ["side tail", "protocol raw", "side head", "split valid", "side tail", "protocol raw", "split valid"]),
        (["A tail", "A head", "A-raw", "a filtered", "A_both"],
         ["side tail", "side head", "protocol raw", "", "side both"]),
        (["TransE valid", "TransE_test", "TransE train"], ["split valid", "split test", "split train"]),
        (["Multi-head", "Long Tail", "w/o head", "A (ours)", "Raw-GCN", "A filtered", "A both", "test"], [""] * 8),
        (["raw", "head", "tail only", "Only head prediction", "both", "filtered"], ["unclear"] * 4 + ["", ""]),
        (["A tail", "B head", "TransE raw", "TransE", "joint-train"], ["unclear"] * 3 + ["", "unclear"]),
    ],
)  # fmt: skip
def test_what_names_of_rows_say_of_their_tasks(names: list[str], said: list[str]) -> None:
    stems = find_stems(names)
    told = [read_name(name, (), stems) for name in names]
    assert [" ".join(f"{role} {word}" for role, word in each.items()).partition(" '")[0] for each in told] == said
    # What a column says is not read from names.
    assert all(not read_name(name, {"side", "split", "protocol"}, stems) for name in names)


@pytest.mark.parametrize("cells", [("tail", "head", "mean"), ("tail ranking", "head ranking", "mean ranking")])
def test_rows_of_sides_and_of_their_mean(cells: tuple[str, ...]) -> None:
    assert find_qualifier("", cells) == "side"
    assert [read_qualifier("", cell, "side") for cell in cells] == [{"side": "tail"}, {"side": "head"}, {}]


@pytest.mark.parametrize(
    ("heading", "reason"),
    [
        ("hits@10(filter)_head_1-1", "it is of the relations that are 1-1"),
        ("Hits@10_n-1", "it is of the relations that are n-1"),
        ("MR (×10^{3})", "multiplied by a power of ten"),
        ("MR (x1000)", "multiplied by a power of ten"),
    ],
)
def test_what_a_heading_says_against_adjusting_its_numbers(heading: str, reason: str) -> None:
    meaning = parse_column(heading)
    assert meaning is not None
    assert reason in (meaning.reason or "")


@pytest.mark.parametrize(
    "heading",
    [
        "log10(MR)", "log2(MR)", "MR (log10)", "log10(MRR)", "MR^2", "MR (k)", "MR (10^3)", "MR (in thousands)",
        "MR (rel.)", "MR (normalized)", "relative MRR",
    ],
)  # fmt: skip
def test_a_function_of_a_metric_is_not_the_metric(heading: str) -> None:
    meaning = parse_column(heading)
    assert meaning is None or meaning.reason is not None


@pytest.mark.parametrize(
    "heading", ["MRR^*", "MR", "Hits@10 (×100)", "MRR (KG)", "mean_reciprocal_rank", "normalised_x"]
)
def test_marks_and_names_are_no_functions(heading: str) -> None:
    meaning = parse_column(heading)
    assert meaning is None or meaning.reason is None
