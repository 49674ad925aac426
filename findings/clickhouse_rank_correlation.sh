#!/usr/bin/env bash
# ClickHouse: a constant column has a rank correlation of 0.5 with any other, and independent columns of hits one of 0.25.
#
# Seen 2026-11-29 with Python 3.11.7: chdb 4.4.0 (chdb-core 26.9.0, the engine in process); scipy 1.17.1, numpy 2.4.6.
# Guess before running (82 %): Spearman's rho with mean ranks for equal values, as in scipy; nan for a constant column (60 %).
# Behaviour: rankCorr does give equal values their mean rank, but then takes 1 - 6 * (sum of squared differences) / (n^3 - n), which
#   is rho only where no two values are equal. With ties the sum is too small: unrelated columns of 0 and 1 have 0.25,
#   opposite ones -0.5, a constant column 0.5. corr, Pearson's, of the same columns is right, and of the constant one nan.
# Documented? No: "rank correlation coefficient of the ranks", from -1 to 1, where 0 denotes no relationship; it refers to
#   Spearman's. Equal values are not mentioned.
# Why it matters: ranks of good models are mostly 1, and hits are 0 or 1. "Do two models solve the same queries" is then answered
#   with yes for models that have nothing in common, and the more so, the more ties there are.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile --prefer-binary \
  'chdb==4.4.0' 'chdb-core==26.9.0' 'scipy==1.17.1' 'numpy==2.4.6' 'pandas==3.1.1' 'pyarrow==25.0.1'

cat > "$tmp/seen" <<'END'
no ties, same order: rankCorr 1.00, Spearman 1.00
no ties, unrelated: rankCorr -0.00, Spearman -0.00
hits, same: rankCorr 1.00, Spearman 1.00
hits, unrelated: rankCorr 0.25, Spearman 0.00
hits, opposite: rankCorr -0.50, Spearman -1.00
ranks, mostly 1, unrelated: rankCorr 0.53, Spearman 0.00
constant and no ties: rankCorr 0.50, Spearman nan
END
cat > "$tmp/program.py" <<'END'
import chdb
import numpy as np
from scipy import stats

numbers = np.arange(10_000)
pairs = {
    "no ties, same order": ("number", "number * number", numbers, numbers**2),
    "no ties, unrelated": ("number", "number * 7919 % 10007", numbers, numbers * 7919 % 10007),
    "hits, same": ("number % 2", "number % 2", numbers % 2, numbers % 2),
    "hits, unrelated": ("number % 2", "intDiv(number, 2) % 2", numbers % 2, numbers // 2 % 2),
    "hits, opposite": ("number % 2", "1 - number % 2", numbers % 2, 1 - numbers % 2),
    "ranks, mostly 1, unrelated": (
        "greatest(number % 100 - 79, 1)",
        "greatest(intDiv(number, 100) - 79, 1)",
        np.maximum(numbers % 100 - 79, 1),
        np.maximum(numbers // 100 - 79, 1),
    ),
    "constant and no ties": ("1", "number", np.ones(10_000), numbers),
}
for name, (first, second, x, y) in pairs.items():
    seen = float(str(chdb.query(f"select rankCorr({first}, {second}) from numbers(10000)", "TSV")))
    print(f"{name}: rankCorr {seen:.2f}, Spearman {stats.spearmanr(x, y).statistic:.2f}")
END
"$tmp/venv/bin/python" -W ignore "$tmp/program.py" > "$tmp/now"
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: the rank correlation of equal values is no longer as seen"; exit 1; }
echo "as seen"
