"""Texts that only one tool prints, of tools without a module of their own, and what they leave open or rule out."""

from __future__ import annotations

from typing import NamedTuple


class Sign(NamedTuple):
    """What a text in a log gives away."""

    text: str
    says: str  # why none of its numbers can be adjusted, or what only the user knows
    field: str = ""  # what it leaves open; empty if it rules all out


_GRAPHSTORM = (
    "GraphStorm ranks true edges among sampled ones, and does not print how many: find out M and the number N of "
    "ranks, then adjust the number with --protocol sampled:M --num-tasks N"
)
_MARIUS = "Marius ranks among all entities only if its configuration says filtered: true, which it does not print: add "
_TAILS = "{} ranks tails only and prints so, programs made from it may rank heads, too: add --side tail or --side both"
_PART = "{} leaves out triples with entities that the training set lacks: add --protocol pykeen if it filtered by all"

SIGNS = (
    Sign("Best test mrr: ", _GRAPHSTORM),
    Sign("pos_rank: ", "PyTorch-BigGraph ranks among sampled entities, and does not print how many"),
    Sign("mean_rank={'best': ", "PyKEEN before 1.5 prints three ways to break ties so: adjust its results.json"),
    Sign("mean_reciprocal_rank_filtered_with_test: ", "a part of LibKGE's record: keep all of it, with its event"),
    Sign(" (filt.): ", "LibKGE prints raw values and, in parentheses, filtered ones so: adjust its trace"),
    Sign("test_m {'mrr'", "tkbi prints tails, heads and their mean so: write the line that you want as MRR: 0.166"),
    Sign("   h5: ", "PathCon prints so, and it predicts relations"),
    Sign(
        "MRR | Hits@1 | Hits@5 | Hits@10 :",
        "GraIL prints so, and ranks among sampled negatives, by default 50",
    ),
    Sign(" edges evaluated", f"{_MARIUS}--protocol standard, or --protocol sampled:M", "protocol"),
    Sign("Avg Ranks: ", f"{_MARIUS}--protocol sampled:M, or --protocol standard", "protocol"),
    Sign("effective triplets: ", _PART.format("GraphVite"), "protocol"),
    Sign("triples containing invalid keys skipped", _PART.format("AmpliGraph"), "protocol"),
    Sign("Dev set performance: (correct evaluation)", _TAILS.format("MultiHopKG"), "side"),
    Sign("set performance:\nHits@1 = ", _TAILS.format("MultiHopKG"), "side"),
    Sign("Score for iteration ", _TAILS.format("MINERVA"), "side"),
    Sign("\nauc: ", _TAILS.format("MINERVA"), "side"),
)

TOOLS = {
    ".realistic.hits_at_": "pykeen",
    ".realistic.inverse_harmonic_mean_rank": "pykeen",
    "_list at step ": "ogb",
}
"""A sign to the tool that prints it, and has a protocol of its own."""

RECOMMENDER = (
    "recall@k, ndcg@k and precision@k are of recommenders such as RecBole: they rank several right answers of a user; "
    "these are not Hits@k and MRR of link prediction, where each task has one; give their counts (rankconst adjust "
    "--counts FILE), with a column relevant"
)
"""Why no number of such a log can be adjusted."""


def is_recommender(text: str) -> bool:
    """Tell whether a log has metrics of several right answers."""
    lower = text.lower()
    kinds = {kind for kind in ("recall", "ndcg", "precision", "map", "hit", "mrr") if f"{kind}@" in lower}
    return bool(kinds & {"ndcg", "precision", "map"}) or ("recall" in kinds and len(kinds) > 1)
