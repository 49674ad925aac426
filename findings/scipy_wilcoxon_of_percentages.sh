#!/usr/bin/env bash
# Wilcoxon's test of the same ten pairs of MRR: significant at 5 % as percentages, and not as fractions.
#
# Seen 2026-11-28 with Python 3.11.7: scipy 1.17.1, numpy 2.4.6.
# Guess before running: the same p, since ranks do not change with the unit.
# Behaviour: the difference of two doubles is rounded, so differences that are tied in thousandths get different ranks,
#   and others in another unit. Fractions, percentages and thousandths give three statistics and three p.
# Documented? Yes: the page warns of roundoff in x - y and advises rounding the differences. It does not say that the
#   unit decides.
# Why it matters: tables of MRR have three digits, so most differences are tied, and the verdict depends on whether a column
#   is in percent. Whole thousandths have the ties that the table has.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile 'scipy==1.17.1' 'numpy==2.4.6'

cat > "$tmp/seen" <<'END'
fractions: 4 sizes of differences, statistic 9.0, p 0.0684
percentages: 6 sizes of differences, statistic 8.0, p 0.0488
thousandths: 3 sizes of differences, statistic 8.0, p 0.0547
END
"$tmp/venv/bin/python" - > "$tmp/now" <<'END'
import numpy as np
from scipy.stats import wilcoxon

new = np.array([396, 344, 445, 372, 410, 370, 297, 379, 275, 251])  # MRR in thousandths, on ten datasets
old = np.array([393, 338, 442, 363, 404, 364, 291, 370, 281, 254])
for unit, divisor in (("fractions", 1000), ("percentages", 10), ("thousandths", 1)):
    first, second = (new, old) if divisor == 1 else (new / divisor, old / divisor)
    result = wilcoxon(first, second)
    sizes = len(set(np.abs(first - second)))
    print(f"{unit}: {sizes} sizes of differences, statistic {result.statistic:.1f}, p {result.pvalue:.4f}")
END
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: p is no longer as seen"; exit 1; }
echo "as seen"
