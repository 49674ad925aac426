#!/usr/bin/env bash
# xskillscore: with skipna=True, one missing value makes Spearman's correlation nan, and Pearson's is right.
#
# Seen 2026-11-30 with Python 3.11.7: xskillscore 0.0.29, xarray 2026.9.0, scipy 1.15.2, numpy 2.2.3.
# Guess before running: the correlation of the complete pairs (82 %).
# Behaviour: the two columns get the same missing values, as for Pearson's, and are then ranked by scipy's rankdata, which has given nan to
#   every rank of a column with one nan since 1.10. So skipna has been without effect in spearman_r and its p-value, while
#   Pearson's leaves the pair out.
# Documented? "If True, skip NaNs when computing function."
# Why it matters: a table of models by metrics has gaps, and rank correlations of its columns are the ones wanted. Mapped over many pairs
#   of columns, only the complete ones are left, and an average over those is of another set than Pearson's.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile --prefer-binary \
  'xskillscore==0.0.29' 'xarray==2026.9.0' 'scipy==1.15.2' 'numpy==2.2.3' 'pandas==2.2.3'

cat > "$tmp/seen" <<'END'
0 of 6 missing: pearson_r 0.781, spearman_r 0.943, spearman_r_p_value 0.005; scipy of the others 0.943, p 0.005
1 of 6 missing: pearson_r 0.766, spearman_r nan, spearman_r_p_value nan; scipy of the others 0.900, p 0.037
2 of 6 missing: pearson_r 0.651, spearman_r nan, spearman_r_p_value nan; scipy of the others 0.800, p 0.200
END
cat > "$tmp/program.py" <<'END'
import numpy as np
import xarray as xr
import xskillscore
from scipy import stats

mrr = np.array([0.31, 0.33, 0.35, 0.48, 0.47, 0.36])
hits = np.array([0.42, 0.49, 0.50, 0.57, 0.54, 0.55])
for missing in (0, 1, 2):
    column = mrr.copy()
    column[:missing] = np.nan
    pair = xr.DataArray(column, dims="model"), xr.DataArray(hits, dims="model")
    values = []
    for name in ("pearson_r", "spearman_r", "spearman_r_p_value"):
        values.append(f"{name} {float(getattr(xskillscore, name)(*pair, dim='model', skipna=True)):.3f}")
    right = stats.spearmanr(mrr[missing:], hits[missing:])
    print(f"{missing} of 6 missing: {', '.join(values)}; scipy of the others {right.statistic:.3f}, p {right.pvalue:.3f}")
END
"$tmp/venv/bin/python" -W ignore "$tmp/program.py" > "$tmp/now"
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: missing values are no longer as seen"; exit 1; }
echo "as seen"
