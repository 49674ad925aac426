#!/usr/bin/env bash
# cute-ranking: a query whose answer was not found counts as rank 0, so the model that finds nothing has the best mean rank.
#
# Seen 2026-11-28 with Python 3.11.7: cute-ranking 0.0.3, numpy 2.4.6 (installed without what it asks for, an old numpy).
# Guess before running: 0 for the reciprocal rank of such a query (right). For mean_rank none: its code was read before.
# Behaviour: mean_rank adds 0 and divides by all queries. A miss is better than the first place, and missing more queries
#   improves the mean. mean_reciprocal_rank, of the same lists, falls as it should.
# Documented? No: "mean rank of the first relevant item", and "first element is rank 1".
# Why it matters: lists are cut off at k, so misses are common. MR and MRR of one table then order the models in
#   opposite ways, and a mean rank below 1 is the only sign.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile --no-deps 'cute-ranking==0.0.3' 'numpy==2.4.6'

cat > "$tmp/seen" <<'END'
finds all: mean rank 2.00, mean reciprocal rank 0.50
finds two: mean rank 1.00, mean reciprocal rank 0.25
finds nothing: mean rank 0.00, mean reciprocal rank 0.00
END
"$tmp/venv/bin/python" - > "$tmp/now" <<'END'
from cute_ranking.core import mean_rank, mean_reciprocal_rank

miss, second = [0, 0, 0, 0], [0, 1, 0, 0]  # whether each of the four best candidates is right
models = {"finds all": [second] * 4, "finds two": [second, second, miss, miss], "finds nothing": [miss] * 4}
for name, lists in models.items():
    print(f"{name}: mean rank {mean_rank(lists):.2f}, mean reciprocal rank {mean_reciprocal_rank(lists):.2f}")
END
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: misses are no longer counted as seen"; exit 1; }
echo "as seen"
