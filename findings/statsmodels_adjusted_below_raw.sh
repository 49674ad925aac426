#!/usr/bin/env bash
# One p-value of 0.4 among nine small ones is "adjusted" to 0.04, and its hypothesis rejected.
#
# Seen 2026-11-29 with Python 3.11.7: statsmodels 0.15.0, scipy 1.17.1, pandas 3.1.1, numpy 2.4.6.
# Guess before running: no adjusted p is below the p that it was made of.
# Behaviour: fdr_tsbh and fdr_tsbky estimate how many hypotheses are true, here one or none of ten, and multiply by that share:
#   0.4 becomes 0.04. fdr_gbs lowers it to 0.067. Bonferroni, Holm, and the plain fdr_bh and fdr_by leave it at 0.4 or more.
# Documented? No: "p-values corrected for multiple tests". It is in the nature of these procedures, but is not said.
# Why it matters: a model is held against ten others, and beats nine. With the two-stage correction, which reads like a finer
#   fdr_bh, it is said to beat the tenth too, of which its own test found nothing; leave out the nine, and that is gone.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile --prefer-binary \
  'statsmodels==0.15.0' 'scipy==1.17.1' 'pandas==3.1.1' 'numpy==2.4.6'

cat > "$tmp/seen" <<'END'
9 of 0.001 and one of 0.4
  bonferroni: 0.4 is adjusted to 1.000, kept
  holm: 0.4 is adjusted to 0.400, kept
  fdr_bh: 0.4 is adjusted to 0.400, kept
  fdr_by: 0.4 is adjusted to 1.000, kept
  fdr_tsbh: 0.4 is adjusted to 0.040, rejected
  fdr_tsbky: 0.4 is adjusted to 0.042, rejected
  fdr_gbs: 0.4 is adjusted to 0.067, kept
0 of 0.001 and one of 0.4
  bonferroni: 0.4 is adjusted to 0.400, kept
  holm: 0.4 is adjusted to 0.400, kept
  fdr_bh: 0.4 is adjusted to 0.400, kept
  fdr_by: 0.4 is adjusted to 0.400, kept
  fdr_tsbh: 0.4 is adjusted to 0.400, kept
  fdr_tsbky: 0.4 is adjusted to 0.420, kept
  fdr_gbs: 0.4 is adjusted to 0.667, kept
END
"$tmp/venv/bin/python" - > "$tmp/now" <<'END'
from statsmodels.stats.multitest import multipletests

methods = ("bonferroni", "holm", "fdr_bh", "fdr_by", "fdr_tsbh", "fdr_tsbky", "fdr_gbs")
for others in (9, 0):
    print(f"{others} of 0.001 and one of 0.4")
    for method in methods:
        rejected, adjusted = multipletests([0.001] * others + [0.4], alpha=0.05, method=method)[:2]
        print(f"  {method}: 0.4 is adjusted to {adjusted[-1]:.3f}, {'rejected' if rejected[-1] else 'kept'}")
END
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: the adjusted p-values are no longer as seen"; exit 1; }
echo "as seen"
