#!/usr/bin/env bash
# The geometric mean of 200,000 ranks is 95.06 as bytes and 95.13 as other integers, and nan with weights of 1.
#
# Seen 2026-11-29 with Python 3.11.7: scipy 1.17.1, numpy 2.4.6.
# Guess before running: the same to twelve digits, as integers of any width become doubles first; gmean, hmean and pmean alike.
# Behaviour: hmean is exact. gmean and pmean(p=0) take NumPy's logarithm, which is in half precision for int8 and uint8 and in
#   single for int16 and uint16: the mean of bytes has little more than three digits. With weights that are bytes too, such as
#   the counts of a histogram, the sums pass 65,504, the largest number there is: infinite, then nan.
# Documented? That dtype is the type to cast to before the calculation; not which one it is by default. Of weights, that they
#   are 1 unless given.
# Why it matters: ranks among up to 255 candidates are kept in a byte each. Their geometric mean is off in the digits that are
#   printed, and may be infinite once weights of 1 are written out, while the harmonic mean of the same array is right.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile 'scipy==1.17.1' 'numpy==2.4.6'

cat > "$tmp/seen" <<'END'
200 ranks as uint8: gmean 74.94, pmean(0) 74.94, hmean 34.0250, gmean with weights of 1: 74.9
200 ranks as int64: gmean 74.90, pmean(0) 74.90, hmean 34.0250, gmean with weights of 1: 74.9
20000 ranks as uint8: gmean 94.69, pmean(0) 94.69, hmean 41.4356, gmean with weights of 1: inf
20000 ranks as int64: gmean 94.75, pmean(0) 94.75, hmean 41.4356, gmean with weights of 1: 94.7
200000 ranks as uint8: gmean 95.06, pmean(0) 95.06, hmean 41.6373, gmean with weights of 1: nan
200000 ranks as int64: gmean 95.13, pmean(0) 95.13, hmean 41.6373, gmean with weights of 1: 95.1
END
cat > "$tmp/program.py" <<'END'
import warnings

import numpy as np
from scipy import stats

warnings.simplefilter("ignore")
for n in (200, 20_000, 200_000):
    drawn = np.arange(n) % 255 + 1
    for dtype in (np.uint8, np.int64):
        ranks, weights = drawn.astype(dtype), np.ones(n, dtype)
        means = f"gmean {stats.gmean(ranks):.2f}, pmean(0) {stats.pmean(ranks, 0):.2f}, hmean {stats.hmean(ranks):.4f}"
        print(f"{n} ranks as {ranks.dtype}: {means}, gmean with weights of 1: {stats.gmean(ranks, weights=weights):.1f}")
END
"$tmp/venv/bin/python" "$tmp/program.py" > "$tmp/now"
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: the geometric mean of bytes is no longer as seen"; exit 1; }
echo "as seen"
