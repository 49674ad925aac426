#!/usr/bin/env bash
# scipy's `expect` of Hits@10 under chance is 0, without a warning.
#
# Seen 2026-11-28 with Python 3.11.7: scipy 1.17.1, numpy 2.4.6.
# Guess before running: 10/N to rounding, as a uniform rank has finitely many values; for 1/r the same, or a warning.
# Behaviour: `expect` sums outwards from the median, 32 values at a time, and stops when a step adds less than 1e-10. A
#   function that is 0 around the median stops it at once, so the ten best ranks are reached at N = 60 and not at 100.
#   1/r gives up after 1,000 values: MRR is 77 times too small on 14,541 candidates, with a warning.
# Documented? The docstring has `maxcount`, `tolerance` and `chunksize`, and warns of heavy tails only, not of this.
# Why it matters: this is the obvious way to get the chance level of Hits@k in one line, and a chance of 0 looks plausible.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile 'scipy==1.17.1' 'numpy==2.4.6'

cat > "$tmp/seen" <<'END'
N=60     Hits@10 0.16667 of 0.16667   MRR 7.79978e-02 of 7.79978e-02   warnings 0
N=100    Hits@10 0.00000 of 0.10000   MRR 5.18738e-02 of 5.18738e-02   warnings 0
N=1000   Hits@10 0.00000 of 0.01000   MRR 7.48547e-03 of 7.48547e-03   warnings 0
N=14541  Hits@10 0.00000 of 0.00069   MRR 9.06180e-06 of 6.98850e-04   warnings 1
END
"$tmp/venv/bin/python" - > "$tmp/now" <<'END'
import warnings

import numpy as np
from scipy.stats import randint

for n in (60, 100, 1000, 14541):
    rank = randint(1, n + 1)  # uniform over 1 ... n
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        hits = rank.expect(lambda r: r <= 10)
        mrr = rank.expect(lambda r: 1 / r)
    exact = np.mean(1 / np.arange(1, n + 1))
    print(f"N={n:<6} Hits@10 {hits:.5f} of {10 / n:.5f}   MRR {mrr:.5e} of {exact:.5e}   warnings {len(caught)}")
END
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: expect() no longer gives what was seen"; exit 1; }
echo "as seen"
