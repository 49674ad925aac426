#!/usr/bin/env bash
# ranx: two runs that agree in every place are fused to MRR 1.00, or to 0.11 if their scores were normalised by Borda counts before.
#
# Seen 2026-11-30 with Python 3.11.7: ranx 0.3.21; numba 0.68.1, numpy 2.4.6, pandas 3.1.1, scipy 1.17.1.
# Guess before running: runs in one order are fused to that order, by all of ranx's methods and normalisations (70 %).
# Behaviour: "borda" lists the documents of a query in the order of a Python set. Methods by place (rrf, isr, bordafuse, condorcet, rbc)
#   take a document's place in that list for its rank. The order is another in each process, unless PYTHONHASHSEED is set as here.
# Documented? No: the documentation lists normalisations and methods, any of which may go together; no word that fusion by place needs
#   none. Methods by score (sum, mnz ...) are right.
# Why it matters: a search for the best fusion tries all pairs. Reciprocal rank fusion, the usual baseline, then has the metrics of a
#   random order, and loses to any other.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile --prefer-binary \
  'ranx==0.3.21' 'numpy==2.4.6' 'numba==0.68.1' 'pandas==3.1.1' 'scipy==1.17.1'

cat > "$tmp/seen" <<'END'
sum: MRR after rank 1.00, after borda 1.00
rrf: MRR after rank 1.00, after borda 0.11
END
cat > "$tmp/program.py" <<'END'
from ranx import Run, fuse

documents = [f"d{i:02}" for i in range(50)]
queries = [f"q{i}" for i in range(100)]
scores = {document: 100.0 - i for i, document in enumerate(documents)}
runs = [Run({query: scores for query in queries}) for _ in ("first", "second")]


def find_rank(scores, right):
    """Return the place of a document by its score."""
    return 1 + sum(score > scores[right] for score in scores.values())


for method in ("sum", "rrf"):
    values = []
    for norm in ("rank", "borda"):
        fused = fuse(runs, norm=norm, method=method).to_dict()
        mrr = sum(1 / find_rank(found, "d00") for found in fused.values()) / len(queries)
        values.append(f"after {norm} {mrr:.2f}")
    print(f"{method}: MRR {', '.join(values)}")
END
PYTHONHASHSEED=0 "$tmp/venv/bin/python" -W ignore "$tmp/program.py" > "$tmp/now"
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: the fusion of equal runs is no longer as seen"; exit 1; }
echo "as seen"
