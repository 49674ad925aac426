#!/usr/bin/env bash
# Cornac: the AUC of equal scores is 0, and the MRR of the same scores is set by the order of the items.
#
# Seen 2026-11-30 with Python 3.11.7: cornac 3.0.1; scikit-learn 1.9.1, numpy 2.4.6.
# Guess before running: 0.5, as of a random order (80 %).
# Behaviour: AUC counts the pairs in which the right item is above the wrong one, and a tie as a defeat. MAP gives each of the tied items
#   the worst of their places. MRR, in the same report, goes by the list of ranks, in which ties have been put in some order.
# Documented? By the paper that the docstring refers to, which counts the pairs with a greater score and is silent on equal ones. Not for
#   MAP and MRR.
# Why it matters: a baseline of popularity has many ties, and one that scores all items the same is reported as worse than any random
#   order, by as much as the best model is better. Rounded or half-precision scores lose AUC for the same reason.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile --prefer-binary 'cornac==3.0.1' 'scikit-learn==1.9.1' 'numpy==2.4.6'

cat > "$tmp/seen" <<'END'
all equal: AUC 0.000, MAP 0.333, MRR 0.500; scikit-learn AUC 0.500
one wrong item tied: AUC 0.875, MAP 0.833, MRR 1.000; scikit-learn AUC 0.938
no tie: AUC 1.000, MAP 1.000, MRR 1.000; scikit-learn AUC 1.000
END
cat > "$tmp/program.py" <<'END'
import numpy as np
from cornac.metrics import AUC, MAP, MRR
from sklearn.metrics import roc_auc_score

items = np.arange(6)
right = np.array([1, 4])
wrong = np.setdiff1d(items, right)
for title, scores in (
    ("all equal", [0.5, 0.5, 0.5, 0.5, 0.5, 0.5]),
    ("one wrong item tied", [0.5, 0.9, 0.2, 0.1, 0.5, 0.3]),
    ("no tie", [0.5, 0.9, 0.2, 0.1, 0.6, 0.3]),
):
    scores = np.array(scores)
    order = np.argsort(-scores, kind="stable")
    values = []
    for metric in (AUC(), MAP(), MRR()):
        value = metric.compute(gt_pos=right, gt_neg=wrong, pd_rank=order, pd_scores=scores, item_indices=items)
        values.append(f"{metric.name} {value:.3f}")
    print(f"{title}: {', '.join(values)}; scikit-learn AUC {roc_auc_score(np.isin(items, right), scores):.3f}")
END
"$tmp/venv/bin/python" "$tmp/program.py" > "$tmp/now"
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: the AUC of equal scores is no longer as seen"; exit 1; }
echo "as seen"
