#!/usr/bin/env bash
# pyRankMCDA: of three judges with one opinion five methods answer with the order and six with the ranks, in one table as opposites.
#
# Seen 2026-11-30 with Python 3.11.7: pyRankMCDA 2.1.8; numpy 2.4.6, pandas 2.3.3, scipy 1.17.1.
# Guess before running: unanimous rankings come out as they went in, by every method (75 %); the table of run_methods has equal
#   columns (40 %, after the first had failed).
# Behaviour: Borda, Copeland, median, reciprocal rank fusion and Schulze list the numbers of the alternatives from best to worst. Kemeny,
#   footrule, PageRank and Plackett-Luce give the rank of each alternative. The table names its rows after the alternatives in both
#   cases, and metrics() correlates the columns.
# Documented? No: there are no docstrings, and the README calls all of them rankings. Where the order is its own inverse, as in the README's
#   example of three, nothing is to be seen.
# Why it matters: the table is how one combines ranks of models over benchmarks. Half of its columns name another winner, and the library
#   itself reports that Borda and Kemeny disagree with -0.8 where all agree.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile --prefer-binary \
  'pyRankMCDA==2.1.8' 'numpy==2.4.6' 'pandas==2.3.3' 'scipy==1.17.1'

cat > "$tmp/seen" <<'END'
models: a1 a2 a3 a4 a5
ranks by each judge: 3 1 5 2 4
Borda Method: 2 4 1 5 3
Copeland Method: 2 4 1 5 3
Median Rank: 2 4 1 5 3
Reciprocal Rank Fusion: 2 4 1 5 3
Schulze Method: 2 4 1 5 3
Fast Footrule Rank: 3 1 5 2 4
Fast Kemeny-Young: 3 1 5 2 4
Footrule Rank: 3 1 5 2 4
Kemeny-Young: 3 1 5 2 4
Page Rank: 3 1 5 2 4
Plackett-Luce: 3 1 5 2 4
Kendall Tau Corr of Borda and Kemeny-Young: -0.6
Spearman Rank of Borda and Kemeny-Young: -0.8
END
cat > "$tmp/program.py" <<'END'
import numpy as np
from pyRankMCDA.algorithm import rank_aggregation

one = np.array([3, 1, 5, 2, 4])
judges = rank_aggregation(np.column_stack([one, one, one]))
table = judges.run_methods()
print("models:", " ".join(table.index))
print("ranks by each judge:", *one)
for name, column in table.items():
    print(f"{name}: {' '.join(str(int(value)) for value in column)}")
measures = judges.metrics(table)
for name in ("Kendall Tau Corr", "Spearman Rank"):
    print(f"{name} of Borda and Kemeny-Young: {measures[name].loc['Borda Method', 'Kemeny-Young']:.1f}")
END
"$tmp/venv/bin/python" -W ignore "$tmp/program.py" > "$tmp/now"
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: the aggregated ranks are no longer as seen"; exit 1; }
echo "as seen"
