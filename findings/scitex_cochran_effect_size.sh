#!/usr/bin/env bash
# SciTeX Stats: hits of 0.6, 0.6 and 0.5 have a small effect size in Cochran's test on ten queries, and 1.0, "large", with p = 0.24 on a hundred.
#
# Seen 2026-12-01 with Python 3.11.7: scitex-stats 1.0.0, numpy 2.4.6, scipy 1.17.1, pandas 3.1.1, matplotlib 3.11.2.
# Guess before running: the effect size of three models with 60, 55 and 50 hits in 100 queries is below 0.1 (85 %;
#   it had been seen to be 1.0 on four queries).
# Behaviour: the effect size is named Kendall's W for binary data and is not Q / (n (k - 1)), which W of ranked 0s and 1s is. It grows
#   with the number of queries and is cut at 1, so the same rates are small on ten queries and large on a hundred. Three random models
#   of a thousand queries are medium.
# Documented? The docstring says Kendall's W, 0 for no agreement and 1 for perfect agreement. No issue found.
# Why it matters: Cochran's Q is the test of hits of several models on the same queries, and reviewers ask for the effect size so that
#   a large test set does not decide. Here it does, and W of 0.014 is reported as 1.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile --prefer-binary 'scipy==1.17.1' 'numpy==2.4.6' 'pandas==3.1.1' 'matplotlib==3.11.2'
"$tmp/venv/bin/pip" install -q --no-compile --no-deps 'scitex-stats==1.0.0'  # its other requirements are not needed here

cat > "$tmp/seen" <<'END'
10 queries, rates 0.600, 0.600, 0.500: Q = 0.286, p = 0.8669, effect size 0.133 (small); Q / (n (k - 1)) = 0.0143, W of the ranks 0.0143
100 queries, rates 0.600, 0.600, 0.500: Q = 2.857, p = 0.2397, effect size 1.000 (large); Q / (n (k - 1)) = 0.0143, W of the ranks 0.0143
1000 queries, rates 0.600, 0.600, 0.500: Q = 28.571, p = 0.0000, effect size 1.000 (large); Q / (n (k - 1)) = 0.0143, W of the ranks 0.0143
10000 queries, rates 0.600, 0.600, 0.500: Q = 285.714, p = 0.0000, effect size 1.000 (large); Q / (n (k - 1)) = 0.0143, W of the ranks 0.0143
100 random queries, rates 0.510, 0.540, 0.520: Q = 0.192, p = 0.9086, effect size 0.093 (negligible); Q / (n (k - 1)) = 0.0010, W of the ranks 0.0010
1000 random queries, rates 0.507, 0.486, 0.494: Q = 0.865, p = 0.6488, effect size 0.449 (medium); Q / (n (k - 1)) = 0.0004, W of the ranks 0.0004
10000 random queries, rates 0.501, 0.498, 0.501: Q = 0.187, p = 0.9108, effect size 0.094 (negligible); Q / (n (k - 1)) = 0.0000, W of the ranks 0.0000
END
cat > "$tmp/program.py" <<'END'
import numpy as np
import scitex_stats
from scipy import stats

# Hits of three models in blocks of ten queries: rates 0.6, 0.6 and 0.5 in each block
BLOCK = np.array([[1, 1, 1], [1, 1, 0], [1, 0, 1], [0, 1, 1], [1, 1, 0], [1, 0, 1], [0, 1, 1], [1, 1, 0], [0, 0, 0], [0, 0, 0]])


def concordance(hits):
    """Return Kendall's W of the hits ranked within each query, with the correction for ties."""
    queries, models = hits.shape
    sums = np.apply_along_axis(stats.rankdata, 1, hits).sum(axis=0)
    spread = ((sums - sums.mean()) ** 2).sum()
    ties = sum((counts**3 - counts).sum() for counts in (np.unique(row, return_counts=True)[1] for row in hits))
    return 12 * spread / (queries**2 * (models**3 - models) - queries * ties)


def show(name, hits):
    answer = scitex_stats.test_cochran_q(hits)
    q, queries, models = answer["statistic"], *hits.shape
    rates = ", ".join(f"{rate:.3f}" for rate in answer["proportions"])
    print(f"{name}, rates {rates}: Q = {q:.3f}, p = {answer['pvalue']:.4f}, effect size {answer['effect_size']:.3f}", end="")
    expected = q / (queries * (models - 1))
    print(f" ({answer['effect_size_interpretation']}); Q / (n (k - 1)) = {expected:.4f}, W of the ranks {concordance(hits):.4f}")


for blocks in (1, 10, 100, 1000):
    show(f"{10 * blocks} queries", np.tile(BLOCK, (blocks, 1)))
random = np.random.RandomState(3)
for queries in (100, 1000, 10_000):
    show(f"{queries} random queries", (random.rand(queries, 3) < 0.5).astype(int))
END
"$tmp/venv/bin/python" -W ignore "$tmp/program.py" 2> "$tmp/log" > "$tmp/now" || { cat "$tmp/log"; exit 1; }
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: effect sizes are no longer as seen"; exit 1; }
echo "as seen"
