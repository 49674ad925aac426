#!/usr/bin/env bash
# PyKEEN: the accuracy of a perfect model is 9 on a hundred candidates with ten answers, and its Matthews correlation is 0.001.
#
# Seen 2026-11-30 with Python 3.11.7: pykeen 1.11.1, torch 2.13.0, scikit-learn 1.9.1, numpy 2.4.6.
# Guess before running: perfect scores have accuracy 1, Matthews correlation 1, and F1 1 (85 %).
# Behaviour: accuracy multiplies the two numbers of right decisions where it should add them, and the correlation is divided by the
#   product of the four sums, without its square root. So accuracy grows with the number of answers and candidates, and the
#   correlation tends to 0 as they grow, for every model. ROC AUC and average precision are right.
# Documented? No: the docstrings give the right formulas, and the ranges [0, 1] and [-1, 1]. Upstream knows (issue 1590, mended after this
#   release) that the matrix is read for the wrong class. Both of these are symmetric in the classes, so that is another matter.
# Why it matters: these are keys of the evaluator's result, next to those of ranking. With one answer a perfect accuracy of 0.9999 looks
#   right; with k answers it is about k, so two data sets, or two sides, differ by their numbers of answers and not by the model.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile --prefer-binary \
  'pykeen==1.11.1' 'torch==2.13.0' 'scikit-learn==1.9.1' 'numpy==2.4.6' 'pandas==3.1.1'

cat > "$tmp/seen" <<'END'
100 candidates, 10 answers: all found: accuracy 9.000 (1.000), correlation 0.001111 (1.000)
100 candidates, 10 answers: half found: accuracy 4.250 (0.900), correlation 0.000494 (0.444)
1000 candidates, 10 answers: all found: accuracy 9.900 (1.000), correlation 0.000101 (1.000)
1000 candidates, 10 answers: half found: accuracy 4.925 (0.990), correlation 0.000050 (0.495)
14541 candidates, 1 answers: all found: accuracy 1.000 (1.000), correlation 0.000069 (1.000)
14541 candidates, 10 answers: all found: accuracy 9.993 (1.000), correlation 0.000007 (1.000)
14541 candidates, 10 answers: half found: accuracy 4.995 (0.999), correlation 0.000003 (0.500)
Nations, test, a model that knows nothing: accuracy of heads 121.38, tails 141.10, both 259.77
END
cat > "$tmp/program.py" <<'END'
import logging

import numpy as np
from pykeen.datasets import Nations
from pykeen.evaluation import ClassificationEvaluator
from pykeen.metrics.classification import Accuracy, MatthewsCorrelationCoefficient
from pykeen.models.mocks import FixedModel
from sklearn.metrics import accuracy_score, matthews_corrcoef

logging.disable(logging.CRITICAL)

for candidates, answers in ((100, 10), (1000, 10), (14541, 1), (14541, 10)):
    right = np.zeros(candidates)
    right[:answers] = 1
    for label, first in (("all found", 0), ("half found", answers // 2)):
        if label == "half found" and answers == 1:
            continue
        found = np.zeros(candidates)
        found[first : first + answers] = 1
        accuracy = Accuracy()(right, found)
        correlation = MatthewsCorrelationCoefficient()(right, found)
        print(
            f"{candidates} candidates, {answers} answers: {label}: "
            f"accuracy {accuracy:.3f} ({accuracy_score(right, found):.3f}), "
            f"correlation {correlation:.6f} ({matthews_corrcoef(right, found):.3f})"
        )

nations = Nations()
result = ClassificationEvaluator().evaluate(
    FixedModel(triples_factory=nations.training),
    nations.testing.mapped_triples,
    additional_filter_triples=[nations.training.mapped_triples, nations.validation.mapped_triples],
    use_tqdm=False,
)
accuracy = {side: result.to_flat_dict()[f"{side}.accuracy"] for side in ("head", "tail", "both")}
print(
    f"Nations, test, a model that knows nothing: accuracy of heads {accuracy['head']:.2f}, "
    f"tails {accuracy['tail']:.2f}, both {accuracy['both']:.2f}"
)
END
"$tmp/venv/bin/python" "$tmp/program.py" > "$tmp/now" 2> "$tmp/log" || { cat "$tmp/log"; exit 1; }
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: accuracy and correlation are no longer as seen"; exit 1; }
echo "as seen"
