#!/usr/bin/env bash
# @bunchmark/stats: the Mann-Whitney test sorts ranks as texts, so the ranks 1, 3, 5, ... and 2, 4, 6, ... to 2,000 differ with p = 5e-14.
#
# Seen 2026-12-01 with Node.js 20.20 and Python 3.11.7: @bunchmark/stats 1.0.0-pre-5 (npm); scipy 1.17.1, numpy 2.4.6.
# Guess before running: the test is right up to 65,536 values in all (50 %) or up to U = 2^31 (40 %), as twelve fractions were right.
# Behaviour: both samples are sorted with the default order of JavaScript, 1, 10, 100, 2, and merged as if they were sorted by size. U
#   and p are right if all values have equally many digits before the point and none is written with an exponent.
# Documented? No: the page names the continuity correction and NaN as the limits. No issue found. wilcoxon() of the same package is right.
# Why it matters: the ranks of two models on the same test set, of which most have one to five digits, are what the test is for. Two
#   equally good models differ with any p, and a check with scores from 0 to 1 shows nothing of it.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
npm install --prefix "$tmp" --silent --no-audit --no-fund --ignore-scripts @bunchmark/stats@1.0.0-pre-5 > "$tmp/log" 2>&1 ||
  { cat "$tmp/log"; exit 1; }
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile 'scipy==1.17.1' 'numpy==2.4.6'

cat > "$tmp/seen" <<'END'
scores of 0 to 1: bunchmark U = 93, p = 0.236; SciPy U = 93, p = 0.236
ranks, the first is better throughout: bunchmark U = 144, p = 3.58e-05; SciPy U = 144, p = 3.59e-05
ranks, the first is mostly better: bunchmark U = 100, p = 0.000183; SciPy U = 86, p = 0.00728
the odd and the even numbers to 2,000: bunchmark U = 597372, p = 4.7e-14; SciPy U = 500500, p = 0.969
0, 3, 4, 7, ... and 1, 2, 5, 6, ..., 1,000 of each: bunchmark U = 599074, p = 1.69e-14; SciPy U = 500000, p = 1
END
cat > "$tmp/ask.mjs" <<'END'
import {readFileSync} from 'node:fs';
import {mwu} from '@bunchmark/stats';
const samples = JSON.parse(readFileSync(0, 'utf8'));
console.log(JSON.stringify(samples.map(([first, second]) => mwu(first, second))));
END
cat > "$tmp/program.py" <<'END'
import json
import subprocess
import sys

from scipy import stats

BETTER = [1, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9]  # ranks of two models on twelve queries each
WORSE = [11, 14, 18, 25, 31, 47, 60, 88, 140, 310, 1200, 8000]
SAMPLES = {
    "scores of 0 to 1": ([rank / 10 for rank in BETTER], [(rank + 1.5) / 10.01 for rank in BETTER]),
    "ranks, the first is better throughout": (BETTER, WORSE),
    "ranks, the first is mostly better": ([1, 2, 3, 10, 11, 12, 13, 14, 15, 16], [4, 5, 20, 21, 30, 31, 40, 41, 50, 51]),
    "the odd and the even numbers to 2,000": (list(range(1, 2000, 2)), list(range(2, 2001, 2))),
    "0, 3, 4, 7, ... and 1, 2, 5, 6, ..., 1,000 of each": (
        [2 * i + i % 2 for i in range(1000)],
        [2 * i + 1 - i % 2 for i in range(1000)],
    ),
}
asked = json.dumps(list(SAMPLES.values()))
answers = subprocess.run(["node", sys.argv[1]], check=True, capture_output=True, text=True, input=asked).stdout
for (name, (first, second)), answer in zip(SAMPLES.items(), json.loads(answers), strict=True):
    expected = stats.mannwhitneyu(first, second, method="asymptotic")
    u = max(expected.statistic, len(first) * len(second) - expected.statistic)
    print(f"{name}: bunchmark U = {answer['U']:g}, p = {answer['p']:.3g}; SciPy U = {u:g}, p = {expected.pvalue:.3g}")
END
"$tmp/venv/bin/python" "$tmp/program.py" "$tmp/ask.mjs" > "$tmp/now"
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: p is no longer as seen"; exit 1; }
echo "as seen"
