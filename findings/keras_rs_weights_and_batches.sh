#!/usr/bin/env bash
# A weighted MRR of keras-rs depends on how the queries are cut into batches, once one of them has no right answer.
#
# Seen 2026-11-29 with Python 3.11.7: keras-rs 0.4.0, keras 3.15.1; torch 2.13.0 (CPU), numpy 2.4.6.
# Guess before running, of one batch: 0.6 = 3 / (3 + 1 + 1) for weights 3, 1, 1 and reciprocal ranks 1, 0, 0. We had not
#   thought of batches; that they matter we saw afterwards.
# Behaviour: the weight of a query without a right answer is not the one that was given, but the mean weight of the queries of
#   its batch that have one; in a batch without any, it is 1. With equal weights nothing shows.
# Documented? Half: the rule is in a helper's docstring, to which the metric's own refers for weights of items. For weights of
#   queries the metric says that they are straightforward. That batches matter is said nowhere.
# Why it matters: weights make a macro average, or undo the sampling of queries. The number then depends on the batch size.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile --prefer-binary \
  'keras-rs==0.4.0' 'keras==3.15.1' 'torch==2.13.0' 'numpy==2.4.6'

cat > "$tmp/seen" <<'END'
MeanReciprocalRank, weights 3 1 1: one batch 0.500, two and one 0.429, one and two 0.600, one by one 0.600
MeanReciprocalRank, weights 1 1 3: one batch 0.167, two and one 0.200, one and two 0.143, one by one 0.200
MeanReciprocalRank, weights 1 1 1: one batch 0.333, two and one 0.333, one and two 0.333, one by one 0.333
RecallAtK, weights 3 1 1: one batch 0.500, two and one 0.429, one and two 0.600, one by one 0.600
RecallAtK, weights 1 1 3: one batch 0.167, two and one 0.200, one and two 0.143, one by one 0.200
RecallAtK, weights 1 1 1: one batch 0.333, two and one 0.333, one and two 0.333, one by one 0.333
END
KERAS_BACKEND=torch "$tmp/venv/bin/python" -W ignore - > "$tmp/now" <<'END'
import numpy as np
from keras_rs.metrics import MeanReciprocalRank, RecallAtK

right = np.array([[1, 0, 0], [0, 0, 0], [0, 0, 1]], dtype="float32")  # the first, none, the last
scores = np.array([[0.9, 0.5, 0.1]] * 3, dtype="float32")
cuts = {"one batch": [3], "two and one": [2, 1], "one and two": [1, 2], "one by one": [1, 1, 1]}
for kind in (MeanReciprocalRank, RecallAtK):
    for weights in ([3, 1, 1], [1, 1, 3], [1, 1, 1]):
        found = []
        for name, sizes in cuts.items():
            metric, start = kind(k=1), 0
            for size in sizes:
                batch = slice(start, start + size)
                given = np.array(weights[batch], dtype="float32")
                metric.update_state(right[batch], scores[batch], sample_weight=given)
                start += size
            found.append(f"{name} {float(metric.result()):.3f}")
        print(f"{kind.__name__}, weights {' '.join(map(str, weights))}:", ", ".join(found))
END
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: weights and batches no longer meet as seen"; exit 1; }
echo "as seen"
