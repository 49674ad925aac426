#!/usr/bin/env bash
# scipy's Poisson binomial: the tail stops at 1e-15 although the probabilities of single values go down to 1e-72.
#
# Seen 2026-11-28 with Python 3.11.7: scipy 1.17.1, numpy 2.4.6.
# Guess before running: sf as accurate as binom.sf, to about ten digits even at 1e-40.
# Behaviour: `pmf` agrees with `binom.pmf` to twelve digits or more down to 1e-72, but `sf` is 1 - cdf: 15 % too large at
#   6e-15, then 8.9e-16 for every k, forty orders of magnitude off. With other probabilities it is 0. Summing pmf is right.
# Documented? The general text says that sf is "also defined as 1 - cdf, but sf is sometimes more accurate"; of this
#   distribution the docstring does not say it.
# Why it matters: hits@k of tasks with different candidate numbers are Poisson binomial under chance, and every good model
#   lies far out in that tail. All of them would get the same p, and a Bonferroni factor would multiply noise.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile 'scipy==1.17.1' 'numpy==2.4.6'

cat > "$tmp/seen" <<'END'
more than  5 of 100 hits: sf 5.34534e-04  sum of pmf 5.34534e-04  binom.sf 5.34534e-04
more than 15 of 100 hits: sf 6.99441e-15  sum of pmf 6.08854e-15  binom.sf 6.08854e-15
more than 20 of 100 hits: sf 8.88178e-16  sum of pmf 9.57666e-22  binom.sf 9.57666e-22
more than 30 of 100 hits: sf 8.88178e-16  sum of pmf 3.38889e-37  binom.sf 3.38889e-37
END
"$tmp/venv/bin/python" - > "$tmp/now" <<'END'
import numpy as np
from scipy.stats import binom, poisson_binom

chances = np.full(100, 0.01)  # all alike, so that the binomial distribution is the reference
for k in (5, 15, 20, 30):
    tail = poisson_binom.sf(k, chances)
    summed = poisson_binom.pmf(np.arange(k + 1, 101), chances).sum()
    print(f"more than {k:2} of 100 hits: sf {tail:.5e}  sum of pmf {summed:.5e}  binom.sf {binom.sf(k, 100, 0.01):.5e}")
END
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: poisson_binom.sf no longer gives what was seen"; exit 1; }
echo "as seen"
