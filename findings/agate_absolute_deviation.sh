#!/usr/bin/env bash
# agate: the median absolute deviation of 0.331, 0.338, 0.335, 0.342 and 0.329 is 0: that of any odd number of scores is.
#
# Seen 2026-11-30 with Python 3.11.7: agate 1.14.2; scipy 1.17.1, numpy 2.4.6.
# Guess before running: 1, of 1, 1, 2, 2, 4, 6, 9 (72 %).
# Behaviour: the deviations from the median are taken of the sorted column, so they fall to the middle and rise again, and the one
#   in the middle, the smallest, is reported in place of their median. That is 0 for an odd number of scores, and half the
#   distance of the middle two for an even one. agate's median, mean and standard deviation are right.
# Documented? No: "the median absolute deviation of a column", and a link to Wikipedia.
# Why it matters: the deviation of five runs is the spread beside the median in a table, and scores of 0.338 ± 0.000 look exact. An outlier
#   more than three deviations away is then every run that is not the median.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile --prefer-binary 'agate==1.14.2' 'scipy==1.17.1' 'numpy==2.4.6'

cat > "$tmp/seen" <<'END'
[1, 1, 2, 2, 4, 6, 9]: median 2.000, agate 0.000, scipy 1.000
[0.331, 0.338, 0.335, 0.342, 0.329]: median 0.335, agate 0.000, scipy 0.004
[0.1, 0.3, 0.9]: median 0.300, agate 0.000, scipy 0.200
[0.1, 0.3, 0.4, 0.9]: median 0.350, agate 0.050, scipy 0.150
END
cat > "$tmp/program.py" <<'END'
import agate
from scipy import stats

for scores in ([1, 1, 2, 2, 4, 6, 9], [0.331, 0.338, 0.335, 0.342, 0.329], [0.1, 0.3, 0.9], [0.1, 0.3, 0.4, 0.9]):
    table = agate.Table([[score] for score in scores], ["score"], [agate.Number()])
    deviation = float(table.aggregate(agate.MAD("score")))
    median = float(table.aggregate(agate.Median("score")))
    print(f"{scores}: median {median:.3f}, agate {deviation:.3f}, scipy {stats.median_abs_deviation(scores):.3f}")
END
"$tmp/venv/bin/python" -W ignore "$tmp/program.py" > "$tmp/now"
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: the deviations are no longer as seen"; exit 1; }
echo "as seen"
