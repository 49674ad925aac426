#!/usr/bin/env bash
# XGBoost's AUC of a ranking depends on the order of the rows: 1.0 or 0.02 for the same perfect list of 100 documents.
#
# Seen 2026-11-29 with Python 3.11.7: xgboost 3.2.0 (the newest for this Python), numpy 2.4.6, scipy 1.17.1.
#   xgboost 3.4.1 with Python 3.12.1 does the same.
# Guess before running: a query without a right document, or with nothing else, is left out of the mean; equal scores have 0.5
#   (they do). That the AUC of a usual query is the usual AUC was not even asked, and is what turned out wrong.
# Behaviour: within a query, every pair of documents is counted, pairs of equal labels too, in the order of the rows. Sorted by
#   falling score they count as won, by rising score as lost. A query without a right document has 1 or 0 by that order.
#   nDCG and MAP of the same data do not change.
# Documented? The manual says that pairs of documents are compared to count correctly sorted ones, and that averages over queries
#   have issues. Not that pairs of equal labels count.
# Why it matters: one right answer among 99 wrong ones is link prediction. 4,851 of 4,950 pairs are then of two wrong answers, and
#   the AUC says how the file was sorted: near 0.5 if shuffled, however good the model is.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile --no-deps 'xgboost==3.2.0' 'numpy==2.4.6' 'scipy==1.17.1'

cat > "$tmp/seen" <<'END'
right document first of 100, rows by falling score: auc 1.0000, ndcg 1.0000, map 1.0000
right document first of 100, rows by rising score: auc 0.0200, ndcg 1.0000, map 1.0000
right document third of 4, rows by falling score: auc 0.6667, ndcg 0.5000, map 0.3333
right document third of 4, rows by rising score: auc 0.1667, ndcg 0.5000, map 0.3333
no right document of 3, rows by falling score: auc 1.0000, ndcg 1.0000, map 1.0000
no right document of 3, rows by rising score: auc 0.0000, ndcg 1.0000, map 1.0000
END
cat > "$tmp/program.py" <<'END'
import numpy as np
import xgboost


def evaluate(labels, scores, metric):
    query = xgboost.DMatrix(np.zeros((len(labels), 1)), label=labels)
    query.set_group([len(labels)])
    query.set_base_margin(scores)
    parameters = {"objective": "rank:pairwise", "eval_metric": metric, "base_score": 0.5}
    return float(xgboost.Booster(parameters, [query]).eval(query).split(":")[1])


for name, size, place in (("right document first", 100, 0), ("right document third", 4, 2), ("no right document", 3, None)):
    labels = np.array([float(i == place) for i in range(size)])
    scores = np.arange(size, 0, -1.0)
    for order, step in (("falling", 1), ("rising", -1)):
        values = [f"{metric} {evaluate(labels[::step], scores[::step], metric):.4f}" for metric in ("auc", "ndcg", "map")]
        print(f"{name} of {size}, rows by {order} score:", ", ".join(values))
END
"$tmp/venv/bin/python" "$tmp/program.py" > "$tmp/now"
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: AUC no longer depends on the order of rows as seen"; exit 1; }
echo "as seen"
