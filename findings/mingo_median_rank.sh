#!/usr/bin/env bash
# mingo: the median of the ranks 2, 9 and 10 is 2, and the lower quartile of twelve ranks is above the upper one.
#
# Seen 2026-11-30 with Node.js 20.20 and Python 3.11.7: mingo 7.2.7 (npm).
# Guess before running: the percentiles 25, 50 and 90 of 1, 2, 3 and 10 are 1, 2 and 10 (70 %); $median in a window is right (55 %).
#   Both are 3 throughout.
# Behaviour: $percentile and $median sort the values as texts, so 10 comes before 2 and 1e-7 after 0.5. Both methods do so, as
#   accumulators, in windows and in expressions. $avg, $min, $max and the stage $sort compare numbers.
# Documented? No. MongoDB's page, which the library follows, has percentiles of numbers. The changelog only says that both were added.
# Why it matters: a median rank is right as long as all ranks have equally many digits, as in most small tests, and else any rank.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
npm install --prefix "$tmp" --silent --no-audit --no-fund --ignore-scripts mingo@7.2.7 > "$tmp/log" 2>&1 ||
  { cat "$tmp/log"; exit 1; }

cat > "$tmp/seen" <<'END'
ranks 1,2,3: median 2, quartiles 1 and 3, mean 2; in Python median 2
ranks 2,9,10: median 2, quartiles 2 and 9, mean 7; in Python median 9
ranks 1,2,3,4,5,6,7,8,9,10,11,12: median 10, quartiles 9 and 6, mean 6.5; in Python median 6.5
ranks 1,3,8,15,104: median 15, quartiles 8 and 104, mean 26.2; in Python median 8
ranks 0.5,1e-7,0.25: median 0.5, quartiles 0.25 and 0.5, mean 0.25; in Python median 0.25
END
cat > "$tmp/ask.cjs" <<'END'
const {aggregate} = require('mingo');
const percentiles = {$percentile: {input: '$rank', p: [0.25, 0.75], method: 'approximate'}};
const median = {$median: {input: '$rank', method: 'approximate'}};
for (const ranks of JSON.parse(process.argv[2])) {
  const rows = ranks.map((rank) => ({rank}));
  const [row] = aggregate(rows, [{$group: {_id: null, median, quartiles: percentiles, mean: {$avg: '$rank'}}}]);
  console.log(`ranks ${ranks}: median ${row.median}, quartiles ${row.quartiles.join(' and ')}, mean ${+row.mean.toFixed(2)}`);
}
END
cat > "$tmp/program.py" <<'END'
import json
import statistics
import subprocess
import sys

RANKS = [[1, 2, 3], [2, 9, 10], list(range(1, 13)), [1, 3, 8, 15, 104], [0.5, 1e-7, 0.25]]
command = ["node", sys.argv[1], json.dumps(RANKS)]
lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
for ranks, line in zip(RANKS, lines, strict=True):
    print(f"{line}; in Python median {statistics.median(ranks):g}")
END
python3 "$tmp/program.py" "$tmp/ask.cjs" > "$tmp/now"
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: percentiles are no longer as seen"; exit 1; }
echo "as seen"
