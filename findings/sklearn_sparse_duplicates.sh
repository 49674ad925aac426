#!/usr/bin/env bash
# scikit-learn: a user who bought an item three times is similar to himself by a cosine of 1.5, and is others' nearest neighbour.
#
# Seen 2026-11-29 with Python 3.11.7: scikit-learn 1.9.1, scipy 1.17.1, numpy 2.4.6.
# Guess before running: what a sparse matrix holds twice is summed first, as in SciPy, so that sparse and dense are equal.
# Behaviour: normalize, cosine_similarity, NearestNeighbors and TfidfTransformer take the stored entries one by one: norms
#   are too small and document frequencies too large. linear_kernel and the norms l1 and max are right. After sum_duplicates()
#   all are right.
# Documented? SciPy: repeated entries are summed. scikit-learn: not in the docstrings of the four.
# Why it matters: a log of purchases, put into the arrays of a CSR matrix as it comes, has repeated entries. The nearest
#   neighbours are other ones than those of the same table, a similarity exceeds 1, and nothing is said.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile --prefer-binary \
  'scikit-learn==1.9.1' 'scipy==1.17.1' 'numpy==2.4.6'

cat > "$tmp/seen" <<'END'
as logged
  cosine of user 0 with users 0, 1, 2: [1.5, 1.162, 1.095]
  cosine of user 2 with users 0, 1: [1.095, 0.99]
  idf of items 0, 1: [0.595, 1.0]
summed
  cosine of user 0 with users 0, 1, 2: [1.0, 0.949, 0.894]
  cosine of user 2 with users 0, 1: [0.894, 0.99]
  idf of items 0, 1: [1.0, 1.0]
dense
  cosine of user 0 with users 0, 1, 2: [1.0, 0.949, 0.894]
  cosine of user 2 with users 0, 1: [0.894, 0.99]
  idf of items 0, 1: [1.0, 1.0]
END
"$tmp/venv/bin/python" - > "$tmp/now" <<'END'
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.metrics.pairwise import cosine_similarity

# user 0 buys item 0 three times, one by one, and item 1 three times at once; the others buy each item at once
log = csr_matrix(([1, 1, 1, 3, 1, 2, 1, 3], [0, 0, 0, 1, 0, 1, 0, 1], [0, 4, 6, 8]), shape=(3, 2), dtype=float)
summed = log.copy()
summed.sum_duplicates()
for name, matrix in (("as logged", log), ("summed", summed), ("dense", log.toarray())):
    print(name)
    print("  cosine of user 0 with users 0, 1, 2:", cosine_similarity(matrix)[0].round(3).tolist())
    print("  cosine of user 2 with users 0, 1:", cosine_similarity(matrix)[2, :2].round(3).tolist())
    print("  idf of items 0, 1:", TfidfTransformer().fit(matrix).idf_.round(3).tolist())
END
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: repeated entries are no longer taken as seen"; exit 1; }
echo "as seen"
