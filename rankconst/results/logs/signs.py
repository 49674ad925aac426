"""What lines of tools without a module of their own give away: who printed them, what that leaves open or rules out.

A sign is a text that only one tool prints.
"""

from __future__ import annotations

import re

_SAMPLED = "ranks true edges among sampled ones, and does not print how many"
_TAILS = "{} ranks tails only and prints so, programs made from it may rank heads, too: add --side tail or --side both"
_RECBOLE = (
    "RecBole ranks several right answers for a user; these are not Hits@k and MRR of link prediction, where each task "
    "has one"
)
TOOLS = {
    "forward metrics: {": "simkgc",
    "_list at step ": "ogb",
    "]: MRR: Tail : ": "compgcn",
    " (filt.): ": "libkge",
    ".realistic.hits_at_": "pykeen",
    ".realistic.inverse_harmonic_mean_rank": "pykeen",
}
"""A sign to the tool that prints it."""

REFUSED = {
    "Best test mrr: ": f"GraphStorm {_SAMPLED}: find out M and the number N of ranks, then adjust the number with "
    "--protocol sampled:M --num-tasks N",
    "pos_rank: ": f"PyTorch-BigGraph {_SAMPLED}",
    "mean_rank={'best': ": "PyKEEN before 1.5 prints so: its numbers are of three ways to break ties, and it filtered "
    "test by train and test only; adjust its results.json",
    "mean_reciprocal_rank_filtered_with_test: ": "a part of a record of LibKGE, which does not say its split: keep its "
    "lines up to event: eval_completed",
    "test_m {'mrr'": "tkbi prints so: test is of tails only, test_e1 of heads, test_m their mean; write the line that "
    "you want as MRR: 0.166, side: both",
    "   h5: ": "PathCon prints so, and it predicts relations",
    "MRR | Hits@1 | Hits@5 | Hits@10 :": "GraIL prints so, and ranks among sampled negatives, 50 unless told otherwise",
}
"""A sign to why no number of such a log can be adjusted."""

OPEN = {
    " edges evaluated": (
        "protocol",
        "Marius ranks among all entities only if its configuration says filtered: true, which it does not print: add "
        "--protocol standard, or --protocol sampled:M",
    ),
    "Avg Ranks: ": (
        "protocol",
        "Marius ranked among sampled entities by default when it printed so, and does not print how many: add "
        "--protocol sampled:M, or --protocol standard",
    ),
    "effective triplets: ": (
        "protocol",
        "GraphVite ranks the entities of train only, and leaves out triples with others: add --protocol pykeen if test "
        "was filtered by all three splits",
    ),
    "triples containing invalid keys skipped": (
        "protocol",
        "AmpliGraph leaves out triples with entities that train lacks, and filters only if it is told to: add "
        "--protocol pykeen if the ranks are filtered",
    ),
    "Dev set performance: (correct evaluation)": ("side", _TAILS.format("MultiHopKG")),
    "set performance:\nHits@1 = ": ("side", _TAILS.format("MultiHopKG")),
    "Score for iteration ": ("side", _TAILS.format("MINERVA")),
    "[ Hits@": ("side", _TAILS.format("MINERVA")),
    "\nauc: ": ("side", _TAILS.format("MINERVA")),
}
"""A sign to the field that such a log leaves open, and what to do."""

# What recommenders print: names with a k, such as recall@10, ndcg@10 and mrr@10.
_AT = re.compile(r"\b(recall|ndcg|precision|map|hit|mrr)@\d", re.ASCII)
# Complex queries have names of their own: 1p MRR, 2u_hits@3.
_QUERIES = re.compile(r"(?<![\w.])([1-3]p|[23]i|ip|pi|2u|up)[\s_:\])]{1,3}(?:test |valid )?(?:mrr|hits)\b", re.ASCII)


def find_refusal(text: str) -> str:
    """Return why no number of a log can be adjusted; nothing if there is no such reason."""
    if reason := next((why for sign, why in REFUSED.items() if sign in text), ""):
        return reason
    lower = text.lower()
    kinds = set(_AT.findall(lower))
    if kinds & {"ndcg", "precision", "map"} or {"recall", "mrr"} <= kinds or {"recall", "hit"} <= kinds:
        return _RECBOLE
    queries = set(_QUERIES.findall(lower))
    return "these are answers to complex queries" if "1p" in queries or len(queries) > 1 else ""
