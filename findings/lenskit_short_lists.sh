#!/usr/bin/env bash
# A recommender that lists one right item of ten has the best AveragePrecision@10; each wrong item that it adds lowers it.
#
# Seen 2026-11-28 with Python 3.11.7: lenskit 2025.8.1; numpy 2.4.6, pandas 2.3.3, torch 2.13.0 (CPU).
# Guess before running: 0.1 for one right item of ten, at k = 10, with or without wrong ones below it, and 0 for an empty list.
# Behaviour: AveragePrecision divides by the number of right items or by the length of the list, whichever is less, and
#   Precision by the length of the list: a list of one right item has 1 by both. An empty list has no value (nan), which is
#   0 in the mean.
# Documented? Precision: yes, as an uncommon case. AveragePrecision: no, it is "the average of the precision at each relevant
#   item".
# Why it matters: a model that recommends only what it is sure of beats one with the same items on top of a full list.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile --prefer-binary \
  'lenskit==2025.8.1' 'torch==2.13.0' 'numpy==2.4.6' 'pandas==2.3.3'

cat > "$tmp/seen" <<'END'
1 right: AveragePrecision@10 1.0, Precision@10 1.0, Recall@10 0.1
1 right, 1 wrong: AveragePrecision@10 0.5, Precision@10 0.5, Recall@10 0.1
1 right, 9 wrong: AveragePrecision@10 0.1, Precision@10 0.1, Recall@10 0.1
empty: AveragePrecision@10 nan, Precision@10 nan, Recall@10 0.0
mean over the four users: AveragePrecision@10 0.400, Precision@10 0.400, Recall@10 0.075
END
"$tmp/venv/bin/python" -W ignore - > "$tmp/now" <<'END'
import numpy as np
from lenskit.data import ItemList, ItemListCollection
from lenskit.metrics import Precision, Recall, RunAnalysis
from lenskit.metrics.ranking import AveragePrecision

lists = {"1 right": [0], "1 right, 1 wrong": [0, 100], "1 right, 9 wrong": [0, *range(100, 109)], "empty": []}
run, truth = ItemListCollection.empty(["user"]), ItemListCollection.empty(["user"])
for name, items in lists.items():
    run.add(ItemList(item_ids=np.array(items, dtype=int), ordered=True), user=name)
    truth.add(ItemList(item_ids=np.arange(10)), user=name)
found = RunAnalysis(AveragePrecision(10), Precision(10), Recall(10)).measure(run, truth)
for name, row in found.list_metrics(fill_missing=False).iterrows():
    print(f"{name}:", ", ".join(f"{metric} {value:.1f}" for metric, value in row.items()))
means = found.list_summary()["mean"]
print("mean over the four users:", ", ".join(f"{metric} {value:.3f}" for metric, value in means.items()))
END
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: short lists are no longer as seen"; exit 1; }
echo "as seen"
