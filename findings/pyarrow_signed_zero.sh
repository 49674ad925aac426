#!/usr/bin/env bash
# Arrow: 0.0 and -0.0 share a rank, but are two groups; so in a pandas column of Arrow type and not in one of NumPy's.
#
# Seen 2026-11-28 with Python 3.11.7: pyarrow 26.0.1, pandas 3.1.1, numpy 2.4.6.
# Guess before running: equal numbers, so one group everywhere, as in NumPy, pandas, polars and DuckDB (which do so).
# Behaviour: pc.rank and == take the two zeros as tied. group_by, count_distinct, and in pandas nunique, groupby and merge of
#   float64[pyarrow] keep them apart; pandas' duplicated, of the same column, does not.
# Documented? No: the docstrings of rank, count_distinct and group_by do not mention signed zeros.
# Why it matters: scores that are masked by a product with 0, or rounded, are full of -0.0. Ranks by sorting and ranks by
#   counting how many candidates share a score then differ, and so do the tied ranks of two columns of one frame.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile 'pyarrow==26.0.1' 'pandas==3.1.1' 'numpy==2.4.6'

cat > "$tmp/seen" <<'END'
pyarrow: ranks [3, 3, 1, 4], distinct 4, sizes of groups [1, 1, 1, 1]
pandas float64: ranks [2.5, 2.5, 1.0, 4.0], nunique 3, not duplicated 3, rows of a join with itself 6
pandas float64[pyarrow]: ranks [2.5, 2.5, 1.0, 4.0], nunique 4, not duplicated 3, rows of a join with itself 4
END
"$tmp/venv/bin/python" - > "$tmp/now" <<'END'
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

scores = [0.0, -0.0, 1.0, -1.0]
array = pa.array(scores)
sizes = pa.table({"score": array}).group_by("score").aggregate([([], "count_all")])["count_all"].to_pylist()
ranks = pc.rank(array, sort_keys="descending", tiebreaker="max").to_pylist()
print(f"pyarrow: ranks {ranks}, distinct {pc.count_distinct(array)}, sizes of groups {sizes}")
for dtype in ("float64", "float64[pyarrow]"):
    column = pd.Series(scores, dtype=dtype, name="score")
    joined = len(pd.merge(column, column, on="score"))
    ranks = column.rank(ascending=False).tolist()
    distinct = f"nunique {column.nunique()}, not duplicated {(~column.duplicated()).sum()}"
    print(f"pandas {dtype}: ranks {ranks}, {distinct}, rows of a join with itself {joined}")
END
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: signed zeros are no longer grouped as seen"; exit 1; }
echo "as seen"
