#!/usr/bin/env bash
# statsmodels: one NaN among the p values turns all adjusted ones into NaN by Benjamini-Hochberg, and still rejects.
#
# Seen 2026-11-28 with Python 3.11.7: statsmodels 0.15.0, scipy 1.17.1, pandas 3.1.1, numpy 2.4.6.
# Guess: none was written down; it came up while looking for something else. By habit: only NaN stays NaN.
# Behaviour: so with Bonferroni, Sidak and Holm, which count the NaN as a test. Benjamini-Hochberg, Hochberg and Hommel return
#   NaN for all; the first two take a running minimum from the largest p on, and NaN is sorted last. The other result, which
#   hypotheses to reject, is computed apart and says True for three of them (Benjamini-Hochberg) or one (Hochberg).
# Documented? No: the docstring does not mention NaN. scipy's false_discovery_control refuses it.
# Why it matters: two models with the same ranks have a t statistic of 0/0, so a table of comparisons easily has one NaN.
#   Whether the others are then lost, or significant, depends on the method and on which of the two results one reads.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile --prefer-binary \
  'statsmodels==0.15.0' 'scipy==1.17.1' 'pandas==3.1.1' 'numpy==2.4.6'

cat > "$tmp/seen" <<'END'
bonferroni: adjusted [0.004, 0.08, 0.12, nan], rejected [True, False, False, False]
holm: adjusted [0.004, 0.06, 0.06, nan], rejected [True, False, False, False]
simes-hochberg: adjusted [nan, nan, nan, nan], rejected [True, False, False, False]
hommel: adjusted [nan, nan, nan, nan], rejected [False, False, False, False]
fdr_bh: adjusted [nan, nan, nan, nan], rejected [True, True, True, False]
fdr_by: adjusted [nan, nan, nan, nan], rejected [True, False, False, False]
END
"$tmp/venv/bin/python" -W ignore - > "$tmp/now" <<'END'
from scipy.stats import ttest_rel
from statsmodels.stats.multitest import multipletests

reciprocal_ranks = [1.0, 0.5, 0.25, 1.0]
equal = ttest_rel(reciprocal_ranks, reciprocal_ranks).pvalue
for method in ("bonferroni", "holm", "simes-hochberg", "hommel", "fdr_bh", "fdr_by"):
    rejected, adjusted = multipletests([0.001, 0.02, 0.03, equal], method=method)[:2]
    print(f"{method}: adjusted {[round(float(p), 3) for p in adjusted]}, rejected {rejected.tolist()}")
END
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: NaN among p values is no longer treated as seen"; exit 1; }
echo "as seen"
