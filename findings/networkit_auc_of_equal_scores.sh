#!/usr/bin/env bash
# NetworKit: a link predictor that scores all pairs alike has an AUC of 0.84 or of 0.27, by the numbers that the nodes have.
#
# Seen 2026-11-29 with Python 3.11.7: networkit 11.3, networkx 3.6.1, scikit-learn 1.9.1, numpy 2.4.6.
# Guess before running: 0.5 for equal scores, however the nodes are numbered.
# Behaviour: the ROC curve has a point for every pair, in the order of score and then of node numbers, so equal scores are
#   ranked by node number. scikit-learn has one point for each score. The order of the list of predictions does not matter.
# Documented? No. The docstring of getCurve has a rule for several y at one x, which is another kind of tie.
# Why it matters: common neighbours are small whole numbers, so most pairs are tied, and by the numbering the same predictor on
#   the same graph moves from 0.66 to 0.77. Files often number the hubs first; then even no predictor at all looks good.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile --prefer-binary \
  'networkit==11.3' 'networkx==3.6.1' 'scikit-learn==1.9.1' 'numpy==2.4.6'

cat > "$tmp/seen" <<'END'
equal scores: NetworKit as given 0.550, hubs first 0.845, hubs last 0.267; scikit-learn 0.500
common neighbours: NetworKit as given 0.690, hubs first 0.774, hubs last 0.657; scikit-learn 0.692
END
"$tmp/venv/bin/python" - > "$tmp/now" <<'END'
from itertools import combinations

import networkit
import networkx
from sklearn.metrics import roc_auc_score

club = networkx.karate_club_graph()
by_degree = sorted(club, key=lambda node: -club.degree[node])
predictors = {
    "equal scores": lambda first, second: 1.0,
    "common neighbours": lambda first, second: float(len(set(club[first]) & set(club[second]))),
}


def area(order, scores):
    """Evaluate the scores with the nodes numbered in this order."""
    number = {node: place for place, node in enumerate(order)}
    graph = networkit.Graph(len(order))
    for first, second in club.edges:
        graph.addEdge(number[first], number[second])
    pairs = {tuple(sorted((number[first], number[second]))): score for (first, second), score in scores.items()}
    metric = networkit.linkprediction.ROCMetric(graph)
    metric.getCurve(sorted(pairs.items(), key=lambda pair: -pair[1]))
    return metric.getAreaUnderCurve()


for name, predict in predictors.items():
    scores = {pair: predict(*pair) for pair in combinations(club, 2)}
    right = [club.has_edge(*pair) for pair in scores]
    orders = {"as given": list(club), "hubs first": by_degree, "hubs last": by_degree[::-1]}
    found = ", ".join(f"{key} {area(order, scores):.3f}" for key, order in orders.items())
    print(f"{name}: NetworKit {found}; scikit-learn {roc_auc_score(right, list(scores.values())):.3f}")
END
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: the area of equal scores is no longer as seen"; exit 1; }
echo "as seen"
