#!/usr/bin/env bash
# scikit-posthocs: Dunn's, Conover's and Nemenyi's test of Hits@1 go blind once 2.1 million values are equal.
#
# Seen 2026-11-29 with Python 3.11.7: scikit-posthocs 0.17.1; numpy 2.4.6, scipy 1.17.1, pandas 3.1.1.
# Guess before running, of 3 million queries (70 %): as at any other size, more data in the same proportions have smaller p-values.
#   scipy's tests, of which the same was guessed (85 %), do so.
# Behaviour: the correction for ties cubes the number of equal values as a 64-bit integer, which wraps around from 2,097,152 on. What is
#   left corrects little or nothing, so the variance of the ranks is too large by the share of ties, and p too near to 1: 3 % more
#   queries take Dunn's p from 0.037 to 0.71. From there on the tests are as blind as without a correction, or nearly.
# Documented? That all three correct for ties, yes. No limit on them.
# Why it matters: the hits of three models on 700,000 queries have 2.1 million zeros, and so have the ranks of good models ones. Only such
#   a size shows it, and there is no warning: p is a plausible number.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile --prefer-binary \
  'scikit-posthocs==0.17.1' 'numpy==2.4.6' 'scipy==1.17.1' 'pandas==3.1.1' 'statsmodels==0.15.0' 'matplotlib==3.11.2' 'seaborn==0.13.2'

cat > "$tmp/seen" <<'END'
700,000 queries, 2,056,950 values are 0: a and b differ with p =
  posthoc_dunn: 0.037
  posthoc_conover: 0.037
  posthoc_nemenyi: 0.11
  scipy's mannwhitneyu: 0.036
720,000 queries, 2,115,720 values are 0: a and b differ with p =
  posthoc_dunn: 0.71
  posthoc_conover: 0.6
  posthoc_nemenyi: 0.87
  scipy's mannwhitneyu: 0.033
END
cat > "$tmp/program.py" <<'END'
import numpy as np
import pandas as pd
import scikit_posthocs
from scipy import stats

for queries in (700_000, 720_000):
    # Hits@1 of three models: 2.0 %, 2.05 % and 2.1 % of the queries.
    hits = {name: np.arange(queries) < queries * share // 10_000 for name, share in (("a", 200), ("b", 205), ("c", 210))}
    values = np.concatenate(list(hits.values())).astype(float)
    table = pd.DataFrame({"hit": values, "model": np.repeat(list(hits), queries)})
    print(f"{queries:,} queries, {int((table['hit'] == 0).sum()):,} values are 0: a and b differ with p =")
    for test in ("posthoc_dunn", "posthoc_conover", "posthoc_nemenyi"):
        p = getattr(scikit_posthocs, test)(table, val_col="hit", group_col="model")
        print(f"  {test}: {p.loc['a', 'b']:.2g}")
    print(f"  scipy's mannwhitneyu: {stats.mannwhitneyu(hits['a'] * 1.0, hits['b'] * 1.0).pvalue:.2g}")
END
"$tmp/venv/bin/python" -W ignore "$tmp/program.py" > "$tmp/now"
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: the correction for ties is no longer as seen"; exit 1; }
echo "as seen"
