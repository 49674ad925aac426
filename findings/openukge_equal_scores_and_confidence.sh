#!/usr/bin/env bash
# OpenUKGE: equal scores have nDCG 1.37 and MRR 1, and a model that scores the right entity below all others has MRR 1 as well.
#
# Seen 2026-11-30 with Python 3.11.7: openukge 1.0.2; torch 2.14.1 (CPU), scikit-learn 1.9.1, numpy 1.26.4.
# Guess before running: MRR of ranks by score, and nDCG as scikit-learn has it (70 %).
# Behaviour: an entity's rank is 1 plus the number of strictly better ones, so all equal ones are first: nDCG divides three gains at
#   place 1 by gains at places 1 to 3. Link prediction ranks by how near a score is to the confidence of the triple that is asked for,
#   not by the score; its answer, the confidence, is part of the question. Only the "high" variant ranks by score.
# Documented? No: the README names "link prediction (MR, MRR, Hit@k)" and "ranking quality (nDCG)"; the functions have no docstrings.
# Why it matters: both tables carry the names of the usual metrics. A model with one score for all triples beats every published one, and
#   MRR of OpenUKGE and of a library for certain graphs measure different things.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile --prefer-binary \
  'openukge==1.0.2' 'torch==2.14.1' 'scikit-learn==1.9.1' 'scipy==1.17.1' 'numpy==1.26.4'

cat > "$tmp/seen" <<'END'
right order: nDCG 1.00 (scikit-learn 1.00); raw MRR 1.00, filtered MRR 1.00, Hits@1 1.00; of high_link_predict: raw MRR 0.61, filtered MRR 1.00, Hits@1 1.00
all equal: nDCG 1.37 (scikit-learn 0.68); raw MRR 1.00, filtered MRR 1.00, Hits@1 1.00; of high_link_predict: raw MRR 1.00, filtered MRR 1.00, Hits@1 1.00
right ones last: nDCG 0.46 (scikit-learn 0.46); raw MRR 1.00, filtered MRR 1.00, Hits@1 1.00; of high_link_predict: raw MRR 0.14, filtered MRR 0.17, Hits@1 0.00
END
cat > "$tmp/program.py" <<'END'
import numpy as np
import torch
from openukge.evaluation import mean_ndcg, val_high_link_predict, val_link_predict
from openukge.models import UKGE
from sklearn.metrics import ndcg_score

confidence = {1: 0.9, 2: 0.8, 3: 0.7}
triples = torch.tensor([[0, 0, tail] for tail in confidence])
sure = torch.tensor(list(confidence.values()))
known = {(0, 0): list(confidence)}
data = {
    "num_partitions": 1,
    "len_triples": 3,
    "hr2t_partition_mappings": [known],
    "len_high_triples": 3,
    "hr2t_high_score": known,
}


def build(scores):
    """Return a model that gives these scores to the tails of entity 0."""
    model = UKGE(num_ent=8, num_rel=1, emb_dim=1)
    model.ent_emb.weight.data = torch.logit(torch.tensor(scores))[:, None] / torch.logit(torch.tensor(scores[0])) ** 0.5
    model.rel_emb.weight.data = torch.ones(1, 1)
    return model


for title, scores in (
    ("right order", [0.55, 0.9, 0.8, 0.7, 0.6, 0.6, 0.6, 0.6]),
    ("all equal", [0.95] * 8),
    ("right ones last", [0.95, 0.9, 0.8, 0.7, 0.99, 0.99, 0.99, 0.99]),
):
    model = build(scores)
    with torch.no_grad():
        own = mean_ndcg({0: {0: confidence}}, model, "cpu")[0]
        near = [float(value) for value in val_link_predict(triples, sure, model, data)]
        high = [float(value) for value in val_high_link_predict(triples, sure, model, data)]
    gains = [confidence.get(entity, 0) for entity in range(8)]
    print(
        f"{title}: nDCG {own:.2f} (scikit-learn {ndcg_score([gains], [scores]):.2f});"
        f" raw MRR {near[1]:.2f}, filtered MRR {near[6]:.2f}, Hits@1 {near[7]:.2f};"
        f" of high_link_predict: raw MRR {high[1]:.2f}, filtered MRR {high[6]:.2f}, Hits@1 {high[7]:.2f}"
    )
END
"$tmp/venv/bin/python" -W ignore "$tmp/program.py" > "$tmp/now" 2> "$tmp/errors" || cat "$tmp/errors"
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: the metrics of OpenUKGE are no longer as seen"; exit 1; }
echo "as seen"
