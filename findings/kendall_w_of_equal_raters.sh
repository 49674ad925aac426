#!/usr/bin/env bash
# kendall-w: three raters who give the same grades agree to 0.28, and three who give the same percentages to 69.
#
# Seen 2026-11-30 with Python 3.11.7: kendall-w 1.0.0; scipy 1.17.1, numpy 2.4.6.
# Guess before running: 1 (90 %).
# Behaviour: the ratings are taken for ranks as they are. That is right of ranks from 1 to the number of items without ties. Grades in which
#   some are equal spread less than ranks, so W falls; percentages spread more, so it exceeds 1. Fractions raise an error.
# Documented? No: it takes "a list of rating lists", and W is from 0, "no agreement", to 1, "unanimous agreement".
# Why it matters: agreement on five grades of relevance is what the coefficient is computed for, and 0.28 is a value that is believed. From
#   Friedman's statistic, which ranks the ratings and corrects for ties, it is 1 in each case.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile --prefer-binary 'kendall-w==1.0.0' 'scipy==1.17.1' 'numpy==2.4.6'

cat > "$tmp/seen" <<'END'
three times the ranks [1, 2, 3, 4, 5]: kendall-w 1.00, by Friedman's statistic 1.00
three times the grades [3, 3, 2, 2, 1]: kendall-w 0.28, by Friedman's statistic 1.00
three times the percentages [31, 33, 35, 48, 62]: kendall-w 68.68, by Friedman's statistic 1.00
END
cat > "$tmp/program.py" <<'END'
import kendall_w
import numpy as np
from scipy import stats

raters = 3
for title, ratings in (
    ("ranks", [1, 2, 3, 4, 5]),
    ("grades", [3, 3, 2, 2, 1]),
    ("percentages", [31, 33, 35, 48, 62]),
):
    found = kendall_w.compute_w([[rating] * raters for rating in ratings])
    right = stats.friedmanchisquare(*np.array([ratings] * raters).T).statistic / (raters * (len(ratings) - 1))
    print(f"three times the {title} {ratings}: kendall-w {found:.2f}, by Friedman's statistic {right:.2f}")
END
"$tmp/venv/bin/python" "$tmp/program.py" > "$tmp/now"
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: W is no longer as seen"; exit 1; }
echo "as seen"
