#!/usr/bin/env bash
# AmpliGraph: a perfect model has an unfiltered MRR of 0.5, and a filtered one of infinity if ties are counted for it.
#
# Seen 2026-11-30 with Python 3.11.7: ampligraph 2.2.0, tensorflow 2.15.1, numpy 1.26.4.
# Guess before running: the rank is 1 plus the number of better candidates, unfiltered (80 %), and filtered by the training set alone (70 %);
#   of equal scores the rank is at most the number of entities (55 %). The last two strategies were not guessed.
# Behaviour: the right entity is among the candidates that it is compared with, and a filter takes it out only if it has the test set.
#   By "worst", the default, it loses against itself where it is in: each rank is one too large, and 11th of ten. By "best" it wins
#   against itself where it is out: each rank is one too small, and the first is 0. So each strategy is right in one case alone.
#   By "middle" ten equal scores have rank 6 and 5, where the mean is 5.5.
# Documented? No: of the strategy it says that it breaks ties between a test triple and a corruption, and the filter may be False.
# Why it matters: raw and filtered MRR are printed together, and a validation set is often filtered by the training set alone. Then
#   Hits@1 is 0 whatever the model, and MRR is at most 0.5. A comparison of strategies, to show that ties matter, finds an infinite MRR.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile --prefer-binary 'ampligraph==2.2.0' 'tensorflow==2.15.1' 'numpy==1.26.4'

cat > "$tmp/seen" <<'END'
perfect model
  no filter, worst: Hits@1 0.00, MRR 0.500, mean rank 2.00
  no filter, middle: Hits@1 0.00, MRR 0.500, mean rank 2.00
  no filter, best: Hits@1 1.00, MRR 1.000, mean rank 1.00
  filter train, worst: Hits@1 0.00, MRR 0.500, mean rank 2.00
  filter train, middle: Hits@1 0.00, MRR 0.500, mean rank 2.00
  filter train, best: Hits@1 1.00, MRR 1.000, mean rank 1.00
  filter test, worst: Hits@1 1.00, MRR 1.000, mean rank 1.00
  filter test, middle: Hits@1 1.00, MRR 1.000, mean rank 1.00
  filter test, best: Hits@1 1.00, MRR inf, mean rank 0.00
  filter train and test, worst: Hits@1 1.00, MRR 1.000, mean rank 1.00
  filter train and test, middle: Hits@1 1.00, MRR 1.000, mean rank 1.00
  filter train and test, best: Hits@1 1.00, MRR inf, mean rank 0.00
all scores equal
  no filter, worst: Hits@1 0.00, MRR 0.091, mean rank 11.00
  no filter, middle: Hits@1 0.00, MRR 0.167, mean rank 6.00
  no filter, best: Hits@1 1.00, MRR 1.000, mean rank 1.00
  filter train, worst: Hits@1 0.00, MRR 0.091, mean rank 11.00
  filter train, middle: Hits@1 0.00, MRR 0.167, mean rank 6.00
  filter train, best: Hits@1 1.00, MRR 1.000, mean rank 1.00
  filter test, worst: Hits@1 0.00, MRR 0.100, mean rank 10.00
  filter test, middle: Hits@1 0.00, MRR 0.200, mean rank 5.00
  filter test, best: Hits@1 1.00, MRR inf, mean rank 0.00
  filter train and test, worst: Hits@1 0.00, MRR 0.100, mean rank 10.00
  filter train and test, middle: Hits@1 0.00, MRR 0.200, mean rank 5.00
  filter train and test, best: Hits@1 1.00, MRR inf, mean rank 0.00
END
cat > "$tmp/program.py" <<'END'
import sys
from pathlib import Path

import numpy as np
from ampligraph.evaluation import hits_at_n_score, mr_score, mrr_score
from ampligraph.latent_features import ScoringBasedEmbeddingModel

entities = [f"e{number}" for number in range(10)]
chain = np.array([[head, "next", tail] for head, tail in zip(entities, entities[1:])])
test = chain[2:7]
loop = np.array([["e0", "other", "e5"], ["e9", "other", "e4"]])
model = ScoringBasedEmbeddingModel(k=1, eta=1, scoring_type="TransE", seed=0)
model.compile(optimizer="adam", loss="nll")
model.fit(np.concatenate([chain, loop]), batch_size=11, epochs=1, verbose=0)
train = np.concatenate([chain[:2], chain[7:], loop])


def place_entities(step):
    """Put the entities on a line at 0, step, 2 * step, ... and let the relation lead from each to the next."""
    rows = model.get_indexes(entities, "e", "raw2ind")
    places = np.zeros((len(entities), 1), dtype=np.float32)
    places[rows, 0] = step * np.arange(len(entities))
    model.encoding_layer.ent_emb.assign(places)
    model.encoding_layer.rel_emb.assign(np.full((2, 1), step, dtype=np.float32))


lines = []
for title, step in (("perfect model", 1), ("all scores equal", 0)):
    place_entities(step)
    lines.append(title)
    for label, known in (
        ("no filter", False),
        ("filter train", {"train": train}),
        ("filter test", {"test": test}),
        ("filter train and test", {"train": train, "test": test}),
    ):
        for strategy in ("worst", "middle", "best"):
            ranks = model.evaluate(
                test, use_filter=known, corrupt_side="s,o", ranking_strategy=strategy, verbose=0
            )
            lines.append(
                f"  {label}, {strategy}: Hits@1 {hits_at_n_score(ranks, 1):.2f}, MRR {mrr_score(ranks):.3f}, "
                f"mean rank {mr_score(ranks):.2f}"
            )
Path(sys.argv[1]).write_text("\n".join([*lines, ""]))
END
cd "$tmp"
TF_CPP_MIN_LOG_LEVEL=3 "$tmp/venv/bin/python" "$tmp/program.py" "$tmp/now" > "$tmp/log" 2>&1 || { cat "$tmp/log"; exit 1; }
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: unfiltered ranks are no longer as seen"; exit 1; }
echo "as seen"
