#!/usr/bin/env bash
# scipy's xi correlation of two independent columns is 0.9, with p = 1e-90, if the table is sorted by one and the other has ties.
#
# Seen 2026-11-29 with Python 3.11.7: scipy 1.17.1, numpy 2.4.6.
# Guess before running: the same value for shuffled rows, as for every correlation, with ties in x as well.
# Behaviour: xi sorts the rows by x and sees how much y jumps from row to row. Rows of equal x stay more or less as they lie in the
#   table: sorted by y, they do not jump. How much of the order survives depends on NumPy's sort and with it on the machine;
#   we saw 0.90, and values around 0 for shuffled rows. Spearman's rho is the same in any order, and so is xi without ties in x.
# Documented? Yes, in the notes: ties in x are "broken arbitrarily by the implementation", and noise is advised. Not that a sorted
#   table makes independent columns dependent.
# Why it matters: "does the reciprocal rank depend on the relation" is a question for xi, as the relation is a code without an order,
#   and of few values. Tables of results are sorted by score, so the answer is always yes, beyond doubt.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile 'scipy==1.17.1' 'numpy==2.4.6'

cat > "$tmp/seen" <<'END'
one of 4 relations, sorted by score: xi above 0.5, p below 1e-20; rho as shuffled
one of 4 relations, shuffled: xi below 0.3, p above 1e-5
200 different values, sorted by score: xi below 0.3, p above 1e-5; rho as shuffled
200 different values, shuffled: xi below 0.3, p above 1e-5
END
cat > "$tmp/program.py" <<'END'
import numpy as np
from scipy.stats import chatterjeexi, spearmanr

random = np.random.default_rng(0)
scores = random.random(200)
columns = {"one of 4 relations": random.integers(1, 5, 200) * 1.0, "200 different values": random.permutation(200) * 1.0}
for name, column in columns.items():
    rho = spearmanr(column, scores).statistic
    for order, rows in (("sorted by score", np.argsort(scores)), ("shuffled", random.permutation(200))):
        result = chatterjeexi(column[rows], scores[rows])
        if result.statistic > 0.5 and result.pvalue < 1e-20:
            shown = "xi above 0.5, p below 1e-20"
        elif result.statistic < 0.3 and result.pvalue > 1e-5:
            shown = "xi below 0.3, p above 1e-5"
        else:
            shown = str(result)
        if order != "shuffled" and np.isclose(rho, spearmanr(column[rows], scores[rows]).statistic):
            shown += "; rho as shuffled"
        print(f"{name}, {order}: {shown}")
END
"$tmp/venv/bin/python" "$tmp/program.py" > "$tmp/now"
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: xi no longer depends on the order of rows as seen"; exit 1; }
echo "as seen"
