#!/usr/bin/env bash
# fast-kendall-sc: Kendall's tau of scores and three grades is below -10^17, and that of two columns of scores is nan.
#
# Seen 2026-11-30 with Python 3.11.7: fast_kendall_sc 1.0.0; scipy 1.17.1, numpy 2.4.6.
# Guess before running: tau-b, as scipy has it, with ties in both columns (75 %).
# Behaviour: the second column is cut to whole numbers from 0 to 255 and then taken for zeros and ones: the number of ones is its sum. With
#   hits of 0 and 1, tau is right. With grades of 0, 1 and 2 the number of untied pairs comes out wrong and tau is about -10^18;
#   fractions are all cut to 0. There is no warning.
# Documented? No: "Kendall's tau-b correlation between two 1D vectors".
# Why it matters: a table of correlations mixes hits, grades and scores. Averaged, one such value hides all others, and sorted by size
#   it is the strongest of all.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile --prefer-binary 'fast_kendall_sc==1.0.0' 'scipy==1.17.1' 'numpy==2.4.6'

cat > "$tmp/seen" <<'END'
hits [1, 1, 0, 1, 0, 0, 0, 0]: fast_kendall_sc 0.634, scipy 0.634
grades [2, 1, 2, 0, 0, 1, 0, 0]: fast_kendall_sc below -1e17, scipy 0.592
scores [0.5, 0.6, 0.4, 0.3, 0.35, 0.2, 0.1, 0.15]: fast_kendall_sc nan, scipy 0.786
END
cat > "$tmp/program.py" <<'END'
import fast_kendall_sc
import numpy as np
from scipy import stats

scores = np.array([0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2])
for title, column in (
    ("hits", [1, 1, 0, 1, 0, 0, 0, 0]),
    ("grades", [2, 1, 2, 0, 0, 1, 0, 0]),
    ("scores", [0.5, 0.6, 0.4, 0.3, 0.35, 0.2, 0.1, 0.15]),
):
    tau = fast_kendall_sc.kendall_tau_score(scores, np.array(column))
    shown = "below -1e17" if tau < -1e17 else f"{tau:.3f}"
    print(f"{title} {column}: fast_kendall_sc {shown}, scipy {stats.kendalltau(scores, column).statistic:.3f}")
END
"$tmp/venv/bin/python" -W ignore "$tmp/program.py" > "$tmp/now"
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: tau is no longer as seen"; exit 1; }
echo "as seen"
