#!/usr/bin/env bash
# CatBoost gives a query without a right answer recall 1 and nDCG 1, but precision 0, MRR 0 and MAP 0.
#
# Seen 2026-11-29 with Python 3.11.7: catboost 1.2.10; numpy 2.4.6.
# Guess before running: recall 0 like MRR and MAP, nDCG 1 as in LightGBM; PrecisionAt over k, however short the list is.
# Behaviour: of two queries, one of them without a right answer, the other with its right answer last, RecallAt:top=2 is 0.5
#   where precision, MRR and MAP of the first count 0. Two right answers of three candidates have PrecisionAt:top=5 0.67, not 0.4.
# Documented? Its manual has the formulas of RecallAt and PrecisionAt; we have not seen it say what they are of such queries.
#   Nothing in the package does.
# Why it matters: where three of four queries have no right answer, a model that finds nothing has recall 0.75, and the
#   share of such queries is the floor of recall but not of precision in the same row.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile --prefer-binary 'catboost==1.2.10' 'numpy==2.4.6' 'pandas==2.3.3'

cat > "$tmp/seen" <<'END'
no right answer: RecallAt:top=2 1.00, NDCG:top=2 1.00, PrecisionAt:top=2 0.00, MRR:top=2 0.00, MAP:top=2 0.00
right answer last: RecallAt:top=2 0.00, NDCG:top=2 0.00, PrecisionAt:top=2 0.00, MRR:top=2 0.00, MAP:top=2 0.00
three of the first, one of the second: RecallAt:top=2 0.75, NDCG:top=2 0.75, PrecisionAt:top=2 0.00, MRR:top=2 0.00, MAP:top=2 0.00
two right of three candidates: PrecisionAt:top=5 0.67
END
"$tmp/venv/bin/python" - > "$tmp/now" <<'END'
from catboost.utils import eval_metric

METRICS = ("RecallAt:top=2", "NDCG:top=2", "PrecisionAt:top=2", "MRR:top=2", "MAP:top=2")


def show(name, queries, metrics=METRICS):
    """Print metrics of some queries, each the labels of its candidates from the best to the worst."""
    labels = [label for query in queries for label in query]
    scores = [-place for query in queries for place, _ in enumerate(query)]
    groups = [number for number, query in enumerate(queries) for _ in query]
    values = {metric: eval_metric(labels, scores, metric, group_id=groups)[0] for metric in metrics}
    print(f"{name}:", ", ".join(f"{metric} {value:.2f}" for metric, value in values.items()))


nothing, last = [0, 0, 0], [0, 0, 1]
show("no right answer", [nothing])
show("right answer last", [last])
show("three of the first, one of the second", [nothing, nothing, nothing, last])
show("two right of three candidates", [[1, 1, 0]], ["PrecisionAt:top=5"])
END
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: queries without a right answer no longer count as seen"; exit 1; }
echo "as seen"
