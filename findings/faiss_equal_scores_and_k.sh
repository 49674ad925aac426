#!/usr/bin/env bash
# Faiss, inner product: of equal scores, the place of the same document is 1 in the best two, 5 in the best five, and so on.
#
# Seen 2026-11-29 with Python 3.11.7: faiss-cpu 1.15.1, numpy 2.4.6.
# Guess before running: the lowest ids first, in their order, by L2 and by inner product, whatever k is.
# Behaviour: IndexFlatL2 does so. IndexFlatIP keeps the lowest ids of an equal score and lists them in reverse: document 0
#   is first of one, second of two and last of five. The scores, the vectors and the query are the same.
# Documented? The docstring of search has nothing on equal scores; a maintainer wrote in an issue (1201) that no order is
#   guaranteed. That it turns with k, we found nowhere.
# Why it matters: copies of a text, and vectors of few bits, have equal scores. With the first copy as the right answer, MRR
#   falls as k grows, which no list that is merely cut can do, and "MRR@5 from the best 100" is not "MRR@5 from the best 5".
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile 'faiss-cpu==1.15.1' 'numpy==2.4.6'

cat > "$tmp/seen" <<'END'
IndexFlatL2, k = 1: [0], reciprocal rank of document 0 is 1.00
IndexFlatL2, k = 2: [0, 1], reciprocal rank of document 0 is 1.00
IndexFlatL2, k = 5: [0, 1, 2, 3, 4], reciprocal rank of document 0 is 1.00
IndexFlatL2, k = 8: [0, 1, 2, 3, 4, 5, 6, 7], reciprocal rank of document 0 is 1.00
IndexFlatIP, k = 1: [0], reciprocal rank of document 0 is 1.00
IndexFlatIP, k = 2: [1, 0], reciprocal rank of document 0 is 0.50
IndexFlatIP, k = 5: [4, 3, 2, 1, 0], reciprocal rank of document 0 is 0.20
IndexFlatIP, k = 8: [4, 3, 2, 1, 0, 7, 6, 5], reciprocal rank of document 0 is 0.20
END
"$tmp/venv/bin/python" - > "$tmp/now" <<'END'
import faiss
import numpy as np

documents = np.zeros((8, 4), dtype=np.float32)
documents[:5, 0] = 1  # five copies of the right answer
documents[5:, 1] = 1  # three documents that have nothing in common with the query
query = documents[:1]
for name in ("IndexFlatL2", "IndexFlatIP"):
    index = getattr(faiss, name)(4)
    index.add(documents)
    for k in (1, 2, 5, 8):
        found = index.search(query, k)[1][0].tolist()
        print(f"{name}, k = {k}: {found}, reciprocal rank of document 0 is {1 / (1 + found.index(0)):.2f}")
END
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: equal scores are no longer ordered as seen"; exit 1; }
echo "as seen"
