#!/usr/bin/env bash
# simple-statistics: every z-score from 3.09 on has p = 0.002, so with 30 comparisons none is significant by Bonferroni's rule.
#
# Seen 2026-11-30 with Node.js 20.20 and Python 3.11.7: simple-statistics 7.12.1 (npm).
# Guess before running: the lower tail at -4 is 3.167e-5 (72 %).
# Behaviour: the probability is looked up in a table of four digits for z = 0.00 to 3.09, and of any larger z it is the last entry,
#   0.9990. Below -3.09 it is 0.001. With errorFunction from the same package it goes on falling.
# Documented? In part: it is said to come from a printed table, and how to compute it instead. That the table ends, and what comes then, no.
# Why it matters: two models on thousands of queries differ by z-scores of 5 or 10. Times the number of comparisons, 0.002 is above 0.05
#   from 26 comparisons on, and a sort by p-value finds the clearest differences all equal.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
npm install --prefix "$tmp" --silent --no-audit --no-fund --ignore-scripts simple-statistics@7.12.1 > "$tmp/log" 2>&1 ||
  { cat "$tmp/log"; exit 1; }

cat > "$tmp/seen" <<'END'
z = 1.96: p = 0.05 from the table, 0.05 from errorFunction, 0.05 in Python; times 30 1.5
z = 2.58: p = 0.0098 from the table, 0.01 from errorFunction, 0.01 in Python; times 30 0.29
z = 3.09: p = 0.002 from the table, 0.002 from errorFunction, 0.002 in Python; times 30 0.06
z = 3.5: p = 0.002 from the table, 0.0005 from errorFunction, 0.0005 in Python; times 30 0.06
z = 4: p = 0.002 from the table, 6e-05 from errorFunction, 6e-05 in Python; times 30 0.06
z = 5: p = 0.002 from the table, 6e-07 from errorFunction, 6e-07 in Python; times 30 0.06
z = 10: p = 0.002 from the table, 0 from errorFunction, 0 in Python; times 30 0.06
END
cat > "$tmp/look_up.cjs" <<'END'
const {cumulativeStdNormalProbability, errorFunction} = require('simple-statistics');
const found = JSON.parse(process.argv[2]).map((z) => [
  2 * cumulativeStdNormalProbability(-z), 1 - errorFunction(z / Math.SQRT2)]);
console.log(JSON.stringify(found));
END
cat > "$tmp/program.py" <<'END'
import json
import statistics
import subprocess
import sys

scores = [1.96, 2.58, 3.09, 3.5, 4, 5, 10]
command = ["node", sys.argv[1], json.dumps(scores)]
found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
for z, (table, error_function) in zip(scores, found, strict=True):
    exact = 2 * statistics.NormalDist().cdf(-z)
    print(f"z = {z}: p = {table:.2g} from the table, {error_function:.1g} from errorFunction, {exact:.1g} in Python; times 30 {30 * table:.2g}")
END
python3 "$tmp/program.py" "$tmp/look_up.cjs" > "$tmp/now"
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: probabilities are no longer as seen"; exit 1; }
echo "as seen"
