#!/usr/bin/env bash
# MLstatkit: two models that order all candidates alike differ in AUC with p = 0, and with one pair swapped p is 0.48.
#
# Seen 2026-11-30 with Python 3.11.7: MLstatkit 0.1.91; scikit-learn 1.9.1, scipy 1.17.1, numpy 2.4.6.
# Guess before running: DeLong's p, by its formula (75 %: it is that); of a model and itself 1, or nan. That logits and two perfect
#   rankings have p = 0 as well was guessed after this.
# Behaviour: equal orders leave DeLong's variance at 0. The function then takes to a bootstrap, all of whose differences are 0, and answers
#   with z = 0 and p = 0. The permutation test of the same package says 1.
# Documented? The fallback is, "aligned with R pROC::roc.test". Not that no difference at all is the most significant one.
# Why it matters: a model and its calibrated version, or scores and their logits, have one order, and AUC goes by order alone. So do two
#   models that both rank all links above all others. They are reported as different beyond doubt, and no correction changes 0.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile --prefer-binary \
  'MLstatkit==0.1.91' 'scikit-learn==1.9.1' 'scipy==1.17.1' 'numpy==2.4.6'

cat > "$tmp/seen" <<'END'
scores and the same scores: AUC 1.000 and 1.000, DeLong z 0.00, p 0.000 by bootstrap; permutation p 1.000
scores and their logits: AUC 1.000 and 1.000, DeLong z 0.00, p 0.000 by bootstrap; permutation p 1.000
two perfect rankings: AUC 1.000 and 1.000, DeLong z 0.00, p 0.000 by bootstrap; permutation p 1.000
one pair swapped: AUC 1.000 and 0.987, DeLong z -0.71, p 0.480 by delong; permutation p 0.490
END
cat > "$tmp/program.py" <<'END'
import numpy as np
from MLstatkit import Delong_test, Permutation_test

right = np.array([1] * 5 + [0] * 15)
scores = np.linspace(0.95, 0.1, 20)
best_reversed = np.concatenate([scores[4::-1], scores[5:]])
swapped = scores.copy()
swapped[[4, 5]] = scores[[5, 4]]
for title, other in (
    ("scores and the same scores", scores),
    ("scores and their logits", np.log(scores / (1 - scores))),
    ("two perfect rankings", best_reversed),
    ("one pair swapped", swapped),
):
    z, p, _, _, first, second, how = Delong_test(right, scores, other, random_state=1)
    permuted = Permutation_test(right, scores, other, metric_str="roc_auc", n_bootstraps=100, random_state=1)[2]
    print(
        f"{title}: AUC {first:.3f} and {second:.3f}, DeLong z {abs(z) and z:.2f}, p {p:.3f} by {how['method']};"
        f" permutation p {permuted:.3f}"
    )
END
"$tmp/venv/bin/python" -W ignore "$tmp/program.py" > "$tmp/now" 2> /dev/null
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: p of equal models is no longer as seen"; exit 1; }
echo "as seen"
