#!/usr/bin/env bash
# A purchase that the test set lists three times: Precision@2 is 1.5 and NDCG 1.16 in RecTools, recall 0.33 in PyTorch Geometric.
#
# Seen 2026-11-29 with Python 3.11.7: rectools 0.19.0, torch-geometric 2.8.1; torch 2.13.0 (CPU), pandas 2.3.3, numpy 1.26.4.
# Guess before running: the test set is a set of pairs of user and item, so that repeating one changes nothing, in both.
# Behaviour: for the same two recommended items, the second one being right, RecTools joins the two tables and counts the hit
#   once per repetition: precision and NDCG grow with them, without a limit at 1, while MRR, MAP, recall and hit rate stay.
#   PyTorch Geometric counts the hit once and the right items three times: recall, MAP and NDCG fall; precision, MRR and
#   hit ratio stay.
# Documented? No: an "interactions table", and "ground-truth indices for every example"; nothing on repeated ones.
# Why it matters: logs of purchases and plays have such rows, and so have the test sets of some graphs. Which of two models is
#   better by NDCG@2 can then depend on who buys again, and the two libraries err in opposite directions.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile --prefer-binary \
  'rectools==0.19.0' 'torch-geometric==2.8.1' 'torch==2.13.0' 'pandas==2.3.3' 'numpy==1.26.4'

cat > "$tmp/seen" <<'END'
listed 1 times, RecTools: Precision 0.50, Recall 1.00, MAP 0.50, NDCG 0.39, MRR 0.50, HitRate 1.00
listed 1 times, PyTorch Geometric: Precision 0.50, Recall 1.00, MAP 0.50, NDCG 0.63, MRR 0.50, HitRatio 1.00
listed 2 times, RecTools: Precision 1.00, Recall 1.00, MAP 0.50, NDCG 0.77, MRR 0.50, HitRate 1.00
listed 2 times, PyTorch Geometric: Precision 0.50, Recall 0.50, MAP 0.25, NDCG 0.39, MRR 0.50, HitRatio 1.00
listed 3 times, RecTools: Precision 1.50, Recall 1.00, MAP 0.50, NDCG 1.16, MRR 0.50, HitRate 1.00
listed 3 times, PyTorch Geometric: Precision 0.50, Recall 0.33, MAP 0.25, NDCG 0.39, MRR 0.50, HitRatio 1.00
END
cat > "$tmp/program.py" <<'END'
import pandas as pd
import torch
from rectools import metrics
from torch_geometric import metrics as links

recommended = pd.DataFrame({"user_id": [0, 0], "item_id": [0, 1], "rank": [1, 2]})
for times in (1, 2, 3):
    bought = pd.DataFrame({"user_id": [0] * times, "item_id": [1] * times})
    values = []
    for name in ("Precision", "Recall", "MAP", "NDCG", "MRR", "HitRate"):
        values.append(f"{name} {getattr(metrics, name)(k=2).calc(recommended, bought):.2f}")
    print(f"listed {times} times, RecTools:", ", ".join(values))
    values = []
    for name in ("Precision", "Recall", "MAP", "NDCG", "MRR", "HitRatio"):
        metric = getattr(links, f"LinkPred{name}")(k=2)
        metric.update(torch.tensor([[0, 1]]), torch.tensor([[0] * times, [1] * times]))
        values.append(f"{name} {float(metric.compute()):.2f}")
    print(f"listed {times} times, PyTorch Geometric:", ", ".join(values))
END
"$tmp/venv/bin/python" -W ignore "$tmp/program.py" > "$tmp/now"
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: repeated right items no longer count as seen"; exit 1; }
echo "as seen"
