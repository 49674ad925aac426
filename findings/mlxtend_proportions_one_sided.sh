#!/usr/bin/env bash
# mlxtend: two models with the same accuracy have p = 0.5, and 80 % and 90 % have p = 0.02 or 0.98, by which one comes first.
#
# Seen 2026-11-30 with Python 3.11.7: mlxtend 0.25.0, statsmodels 0.15.0; scipy 1.17.1, numpy 2.4.6, pandas 2.3.3.
# Guess before running: p = 1 for equal proportions (80 %), and the two-sided p-value, nearly 0.05, for 80 and 90 of 100 (78 %).
# Behaviour: z is right; p is the normal distribution function at z, so the lower tail. It is half the two-sided p-value if the
#   first proportion is lower, and 1 minus that half if it is higher. The other tests of the same module are two-sided.
# Documented? No: a "difference of proportions test" that returns "the z-score and the p-value" (its docstring).
# Why it matters: Hits@1 of two models is compared like that. 81 and 90 hits of 100 differ at 0.05 by this p-value, and not by the
#   two-sided one, and with the better model first nothing is ever significant.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile --prefer-binary \
  'mlxtend==0.25.0' 'statsmodels==0.15.0' 'scipy==1.17.1' 'numpy==2.4.6' 'pandas==2.3.3'

cat > "$tmp/seen" <<'END'
90 and 90 of 100: mlxtend z = 0.00, p = 0.500; statsmodels z = 0.00, p = 1.000; lower tail 0.500
80 and 90 of 100: mlxtend z = -2.00, p = 0.023; statsmodels z = -2.00, p = 0.046; lower tail 0.023
90 and 80 of 100: mlxtend z = 2.00, p = 0.977; statsmodels z = 2.00, p = 0.046; lower tail 0.977
81 and 90 of 100: mlxtend z = -1.82, p = 0.034; statsmodels z = -1.82, p = 0.068; lower tail 0.034
END
cat > "$tmp/program.py" <<'END'
from mlxtend.evaluate import proportion_difference
from scipy import stats
from statsmodels.stats.proportion import test_proportions_2indep

for first, second in ((90, 90), (80, 90), (90, 80), (81, 90)):
    z, p = proportion_difference(first / 100, second / 100, 100, 100)
    wald = test_proportions_2indep(first, 100, second, 100, method="wald", correction=False)
    print(
        f"{first} and {second} of 100: mlxtend z = {z:.2f}, p = {p:.3f};"
        f" statsmodels z = {wald.statistic:.2f}, p = {wald.pvalue:.3f}; lower tail {stats.norm.cdf(z):.3f}"
    )
END
"$tmp/venv/bin/python" -W ignore "$tmp/program.py" > "$tmp/now"
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: the p-values are no longer as seen"; exit 1; }
echo "as seen"
