#!/usr/bin/env bash
# Hit rate, precision, recall and reciprocal rank of one query contradict each other, if scores are negative or equal.
#
# Seen 2026-11-28 with Python 3.11.7: torchmetrics 1.9.0; torch 2.13.0 (CPU), numpy 2.4.6.
# Guess, written after a hint at it: all depend on the order of the scores alone, and see the same order among equal ones.
# Behaviour: MRR, MAP, precision and recall count a right document as wrong if its score is 0 or less; hit rate, R-precision
#   and nDCG do not. So a perfect ranking by log-probabilities or by minus a distance has hit rate 1, nDCG 1 and MRR 0. Of
#   equal scores, precision and MRR take the order of topk, hit rate and recall that of argsort: of five equal scores with
#   one right document, hit rate@1 and recall@1 are 1 where precision@1 is 0, and the reverse.
# Documented? In part: the scores are called estimated probabilities; what becomes of others is not said. Ties: no.
# Why it matters: embedding models score by minus a distance, so that all their scores are negative, and the same log has an
#   MRR of 0 beside a hit rate above that of others. A model that scores everything alike has what its order happens to give.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile --prefer-binary \
  'torchmetrics==1.9.0' 'torch==2.13.0' 'numpy==2.4.6'

cat > "$tmp/seen" <<'END'
scores 5 4 3 2 1: hit_rate 1.0, normalized_dcg 1.0, reciprocal_rank 1.0, average_precision 1.0, precision 1.0, recall 0.5
scores -1 -2 -3 -4 -5: hit_rate 1.0, normalized_dcg 1.0, reciprocal_rank 0.0, average_precision 0.0, precision 0.0, recall 0.0
five equal scores, one of them right: hit rate@1, precision@1 and recall@1 differ
END
"$tmp/venv/bin/python" -W ignore - > "$tmp/now" <<'END'
import torch
from torchmetrics.functional import retrieval

right = torch.tensor([True, True, False, False, False])
for scores in (torch.arange(5.0, 0, -1), -torch.arange(1.0, 6)):
    found = []
    for name in ("hit_rate", "normalized_dcg", "reciprocal_rank", "average_precision", "precision", "recall"):
        of = getattr(retrieval, f"retrieval_{name}")
        whole = name in ("reciprocal_rank", "average_precision")
        found.append(f"{name} {float(of(scores, right) if whole else of(scores, right, top_k=1))}")
    print("scores", *(f"{score:.0f}" for score in scores), end=": " + ", ".join(found) + "\n")

differ = set()
for place in range(5):
    right = torch.arange(5) == place
    at_1 = [getattr(retrieval, f"retrieval_{name}") for name in ("hit_rate", "precision", "recall")]
    differ.add(len({float(of(torch.ones(5), right, top_k=1)) for of in at_1}))
print("five equal scores, one of them right: hit rate@1, precision@1 and recall@1", "differ" if max(differ) > 1 else "agree")
END
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: the metrics of a query are no longer as seen"; exit 1; }
echo "as seen"
