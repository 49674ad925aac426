#!/usr/bin/env bash
# Bandas: cut at 1, 3 and 10, every rank of 1 is in "(1.0, 3.0]" and every rank of 10 in "(10.0, 100.0]", so Hits@1 from the bins is 0.
#
# Seen 2026-12-01 with Python 3.11.7: bandas-df 0.4.1, pandas 2.3.3, numpy 2.4.6.
# Guess before running: of 110 calls of rank, groupby, quantile, cut, qcut, merge and so on at most two differ from pandas (60 %);
#   after cut was among those that differ, with include_lowest=True it puts a rank of 1 in the bin that ends at 1 (50 %).
# Behaviour: cut and qcut put a value at an edge in the upper interval, and name the intervals with a round bracket on the left and a
#   square one on the right, as pandas does for the other rule. With labels there is no bracket to see it by.
# Documented? No: no docstring at cut, and the page calls the library compatible with pandas. No issue found.
# Why it matters: ranks are whole numbers and pile up at the edges. Hits@1, Hits@3 and Hits@10 are counts of bins that include their
#   right end; here they are Hits below 1, 3 and 10, which are names of other metrics.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile --prefer-binary 'bandas-df==0.4.1' 'pandas==2.3.3' 'numpy==2.4.6'

cat > "$tmp/seen" <<'END'
ranks [1, 1, 1, 2, 3, 3, 7, 10, 10, 50]
bandas cut: (1.0, 3.0], (1.0, 3.0], (1.0, 3.0], (1.0, 3.0], (3.0, 10.0], (3.0, 10.0], (3.0, 10.0], (10.0, 100.0], (10.0, 100.0], (10.0, 100.0]
bandas: Hits@1 from the bins 0.0, from the ranks 0.3
bandas: Hits@3 from the bins 0.4, from the ranks 0.6
bandas: Hits@10 from the bins 0.7, from the ranks 0.9
bandas qcut in two, bin of the ranks of 3, the median: (3.0, 50.000000001]; sizes 4 and 6
pandas cut: (0, 1], (0, 1], (0, 1], (1, 3], (1, 3], (1, 3], (3, 10], (3, 10], (3, 10], (10, 100]
pandas: Hits@1 from the bins 0.3, from the ranks 0.3
pandas: Hits@3 from the bins 0.6, from the ranks 0.6
pandas: Hits@10 from the bins 0.9, from the ranks 0.9
pandas qcut in two, bin of the ranks of 3, the median: (0.999, 3.0]; sizes 6 and 4
END
cat > "$tmp/program.py" <<'END'
import bandas
import pandas as pd

RANKS = [1, 1, 1, 2, 3, 3, 7, 10, 10, 50]
EDGES = [0, 1, 3, 10, 100]
NAMES = ["1", "2-3", "4-10", "11-100"]
columns = {"bandas": bandas.DataFrame({"rank": RANKS})["rank"], "pandas": pd.DataFrame({"rank": RANKS})["rank"]}
print("ranks", RANKS)
for name, library in (("bandas", bandas), ("pandas", pd)):
    intervals = [str(value) for value in library.cut(columns[name], EDGES)]
    print(f"{name} cut: {', '.join(intervals)}")
    labels = [str(value) for value in library.cut(columns[name], EDGES, labels=NAMES)]
    for end, bins in ((1, NAMES[:1]), (3, NAMES[:2]), (10, NAMES[:3])):
        share = sum(label in bins for label in labels) / len(labels)
        exact = sum(rank <= end for rank in RANKS) / len(RANKS)
        print(f"{name}: Hits@{end} from the bins {share:.1f}, from the ranks {exact:.1f}")
    halves = [str(value) for value in library.qcut(columns[name], 2)]
    print(f"{name} qcut in two, bin of the ranks of 3, the median: {halves[4]}; sizes {halves.count(halves[0])} and {halves.count(halves[-1])}")
END
"$tmp/venv/bin/python" "$tmp/program.py" > "$tmp/now"
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: the bins are no longer as seen"; exit 1; }
echo "as seen"
