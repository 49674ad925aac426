#!/usr/bin/env bash
# gensim's evaluation of Poincaré embeddings gives a perfect one a mean rank of 2 and a MAP of 0.5, and one without any
# distances a mean rank of 1 and a MAP of 1.
#
# Seen 2026-12-01 with Python 3.11.7: gensim 4.4.0, numpy 2.4.6, scipy 1.17.1.
# Guess before running: a mean rank of 1 and a MAP of 1, if each entity is nearer to its right answers than to any other entity
#   (85 %), in reconstruction and in link prediction alike.
# Behaviour: the candidates are all entities, the query itself too. It is at distance 0 from itself, no right answer, and so
#   above every one: each rank is one too high. Only candidates that are strictly nearer count, so if all are at one point the
#   query is a tie as well and every rank is 1. Known links are left out of the candidates, as is usual.
# Documented? No: "compute mean rank and MAP". Nickel and Kiela, whom it follows, rank among the entities that are not linked,
#   without the query.
# Why it matters: the mean rank is one too high and the MAP of entities with one right answer is 1 / (rank + 1), at most half of
#   what others publish for the same embedding. Both are in tables next to numbers of libraries that leave the query out.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile --prefer-binary 'gensim==4.4.0' 'numpy==2.4.6' 'scipy==1.17.1'

cat > "$tmp/seen" <<'END'
right answer is the nearest other entity of 4 of 4 entities
reconstruction: mean rank 2.00, MAP 0.50
link prediction: mean rank 2.00, MAP 0.50
the same without the query as a candidate: mean rank 1.00, MAP 1.00
all entities at one point
reconstruction: mean rank 1.00, MAP 1.00
link prediction: mean rank 1.00, MAP 1.00
END
cat > "$tmp/program.py" <<'END'
import sys

import numpy as np
from gensim.models.poincare import LinkPredictionEvaluation, PoincareModel, ReconstructionEvaluation

folder = sys.argv[1]
LINKS = [("Lyon", "France"), ("Bonn", "Germany"), ("France", "Europe"), ("Germany", "Europe")]
PLACES = {"Europe": (0, 0), "France": (0.3, 0), "Germany": (-0.3, 0), "Lyon": (0.7, 0), "Bonn": (-0.7, 0)}


def write(name, links):
    """Write a file of links and return its path."""
    path = f"{folder}/{name}.tsv"
    with open(path, "w", encoding="utf-8") as file:
        file.writelines("\t".join(link) + "\n" for link in links)
    return path


everything, train, test = write("all", LINKS), write("train", LINKS[:2]), write("test", LINKS[2:])
vectors = PoincareModel(LINKS, size=2, negative=1, seed=1).kv


def show():
    """Print what both evaluations say."""
    reconstruction = ReconstructionEvaluation(everything, vectors).evaluate()
    prediction = LinkPredictionEvaluation(train, test, vectors).evaluate()
    for name, found in (("reconstruction", reconstruction), ("link prediction", prediction)):
        print(f"{name}: mean rank {found['mean_rank']:.2f}, MAP {found['MAP']:.2f}")


for name, place in PLACES.items():
    vectors.vectors[vectors.get_index(name)] = place
nearest, ranks = 0, []
for head, tail in LINKS:
    others = {name: vectors.distance(head, name) for name in PLACES if name != head}
    nearest += min(others, key=others.get) == tail
    ranks.append(1 + sum(value < others[tail] for value in others.values()))
print(f"right answer is the nearest other entity of {nearest} of {len(LINKS)} entities")
show()
means = np.mean(ranks), np.mean(1 / np.array(ranks))
print(f"the same without the query as a candidate: mean rank {means[0]:.2f}, MAP {means[1]:.2f}")
print("all entities at one point")
vectors.vectors[:] = 0.1
show()
END
"$tmp/venv/bin/python" "$tmp/program.py" "$tmp" > "$tmp/now"
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: ranks of Poincaré embeddings are no longer as seen"; exit 1; }
echo "as seen"
