#!/usr/bin/env bash
# McNemar's test in statsmodels finds two models that solve exactly the same tasks different, with p = 0.
#
# Seen 2026-11-29 with Python 3.11.7: statsmodels 0.15.0; scipy 1.17.1, numpy 2.4.6, pandas 3.1.1.
# Guess before running: p = 1 without discordant tasks, exact or not.
# Behaviour: with exact=False the statistic is (|b - c| - 1)^2 / (b + c); without discordant tasks it is 1 / 0, infinite, and p
#   is 0. Without the correction it is 0 / 0, and p is nan. The exact test says 1.
# Documented? No. exact=False is described as the approximation for large samples.
# Why it matters: whoever compares Hits@1 of a model with its own copy, or with a checkpoint that changed no hit, is told that
#   they differ beyond doubt.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile --prefer-binary \
  'statsmodels==0.15.0' 'scipy==1.17.1' 'numpy==2.4.6' 'pandas==3.1.1'

cat > "$tmp/seen" <<'END'
0 discordant: exact p 1, corrected p 0 (statistic inf), uncorrected p nan (statistic nan)
2 discordant: exact p 1, corrected p 0.4795 (statistic 0.5), uncorrected p 1 (statistic 0)
END
"$tmp/venv/bin/python" -W ignore - > "$tmp/now" <<'END'
import numpy as np
from statsmodels.stats.contingency_tables import mcnemar

for discordant in (0, 1):
    table = np.array([[97, discordant], [discordant, 304]])  # hits of both, of one, of the other, of none
    exact, corrected = mcnemar(table), mcnemar(table, exact=False)
    plain = mcnemar(table, exact=False, correction=False)
    print(
        f"{2 * discordant} discordant: exact p {exact.pvalue:.4g},"
        f" corrected p {corrected.pvalue:.4g} (statistic {corrected.statistic:.4g}),"
        f" uncorrected p {plain.pvalue:.4g} (statistic {plain.statistic:.4g})"
    )
END
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: the test of equal models is no longer as seen"; exit 1; }
echo "as seen"
