#!/usr/bin/env bash
# Of five folds that skfold-kge stratifies by relation, the first has twice as many triples as any other, and all rare relations.
#
# Seen 2026-12-01 with Python 3.11.7: skfold-kge 0.1.0, scikit-learn 1.9.1, pandas 3.1.1, numpy 2.4.6.
# Guess before running: of 1,000 triples, 800 of one relation and 200 of a relation each, between 190 and 210 in a fold (80 %).
# Behaviour: the triples of each relation are dealt to the folds in turn, and each relation begins with the first fold. A relation
#   of one triple is in fold 1, one of two in folds 1 and 2. scikit-learn's StratifiedKFold deals on from one class to the next.
# Documented? Not the sum: sizes "slightly different" are expected, with one triple between folds in a stratum at most, and a
#   relation with fewer triples than folds is reported as one that cannot be in each.
# Why it matters: in graphs with many rare relations, and most are like that, four of five folds test frequent relations only, and
#   half of the first has relations that its training set lacks. The mean of the five folds weighs each alike, so metrics come
#   out too high, and their deviation is between kinds of test sets, not between samples of one.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile --prefer-binary \
  'skfold-kge==0.1.0' 'scikit-learn==1.9.1' 'pandas==3.1.1' 'numpy==2.4.6'

cat > "$tmp/seen" <<'END'
800 triples of one relation, 200 of a relation each
  skfold-kge:   360 160 160 160 160; rare 200 0 0 0 0; mean share of rare 0.11
  scikit-learn: 200 200 200 200 200; rare 40 40 40 40 40; mean share of rare 0.20
800 triples of one relation, 100 relations of two
  skfold-kge:   260 260 160 160 160; rare 100 100 0 0 0; mean share of rare 0.15
  scikit-learn: 200 200 200 200 200; rare 40 40 40 40 40; mean share of rare 0.20
END
cat > "$tmp/program.py" <<'END'
import warnings

import pandas as pd
from sklearn.model_selection import StratifiedKFold
from skfold_kge import StratifiedPartitioner


def show(name, folds):
    """Print the sizes of the folds and how many triples in each have a rare relation."""
    rare = [int((fold["relation"] != "likes").sum()) for fold in folds]
    share = sum(count / len(fold) for count, fold in zip(rare, folds, strict=True)) / len(folds)
    sizes = " ".join(str(len(fold)) for fold in folds)
    print(f"  {name:13} {sizes}; rare {' '.join(map(str, rare))}; mean share of rare {share:.2f}")


for each, title in ((1, "200 of a relation each"), (2, "100 relations of two")):
    relations = ["likes"] * 800 + [f"r{place // each}" for place in range(200)]
    triples = [(f"h{place}", relation, f"t{place}") for place, relation in enumerate(relations)]
    graph = pd.DataFrame(triples, columns=["head", "relation", "tail"])
    print("800 triples of one relation,", title)
    parts = StratifiedPartitioner(k=5, stratify_by="relation", seed=42).fit_transform(graph)
    show("skfold-kge:", list(parts))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        splits = list(StratifiedKFold(5, shuffle=True, random_state=42).split(graph, graph["relation"]))
    show("scikit-learn:", [graph.iloc[test] for _, test in splits])
END
"$tmp/venv/bin/python" "$tmp/program.py" > "$tmp/now"
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: folds with rare relations are no longer as seen"; exit 1; }
echo "as seen"
