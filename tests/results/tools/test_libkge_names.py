"""Names as LibKGE's evaluation job forms them."""

from __future__ import annotations

import itertools

import pytest

from rankconst.results.tools.libkge import parse_libkge_name

METRICS = {"mean_rank": "MR", "mean_reciprocal_rank": "MRR", "hits_at_1": "Hits@1", "hits_at_1000": "Hits@1000"}
FILTERS = {"": "raw", "_filtered": "libkge", "_filtered_with_test": "standard"}
PARTS = {
    "": ("both", ""), "_head": ("head", ""), "_tail": ("tail", ""), "_1-to-N": ("both", "1-to-N"),
    "_M-to-N_tail": ("tail", "M-to-N"), "_relation_25%": ("both", "relation_25%"),
}  # fmt: skip


@pytest.mark.parametrize(("metric", "kept", "part"), list(itertools.product(METRICS, FILTERS, PARTS)))
def test_every_name_of_the_evaluation_job(metric: str, kept: str, part: str) -> None:
    found = parse_libkge_name(metric + kept + part)
    assert found is not None
    assert (found.metric.label, found.protocol, found.side, found.part) == (
        METRICS[metric], FILTERS[kept], *PARTS[part],
    )  # fmt: skip
    assert (found.reason is None) == (not found.part)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("raw_mrr", ("MRR", "raw")),
        ("fil_hits@10", ("Hits@10", "libkge")),
        ("fwt_hits@3", ("Hits@3", "standard")),
        ("fwt_mr", ("MR", "standard")),
    ],
)
def test_names_of_key_files(name: str, expected: tuple[str, str]) -> None:
    found = parse_libkge_name(name)
    assert found is not None
    assert (found.metric.label, found.protocol) == expected


@pytest.mark.parametrize(
    "name", ["", "avg_loss", "epoch", "hits_at_k", "hits_at_0", "mean_ranks", "MRR", "rank_filtered", "emb_e_dim"]
)
def test_what_is_no_metric(name: str) -> None:
    assert parse_libkge_name(name) is None
