#!/usr/bin/env bash
# pandas: one NaN among six Arrow scores, and the best four are an empty list, the best five three scores.
#
# Seen 2026-11-29 with Python 3.11.7: pandas 3.1.1, pyarrow 26.0.1, numpy 2.4.6.
# Guess before running: written for ranks, where NaN of an Arrow column would have none, as in NumPy's columns. It is ranked
#   last, above and below. The lists of nlargest came out of the same run; for them we had not thought of a guess.
# Behaviour: in float64[pyarrow] NaN is a value and not a missing one. nlargest and nsmallest then return fewer scores than
#   asked for, or none, by where the NaN stands and by n. float64 and Float64 return n scores; so does sort_values with head.
# Documented? That NaN and NA differ in Arrow columns: yes. nlargest: no, it is said to equal sort_values and head.
# Why it matters: a Parquet file of scores, read with dtype_backend="pyarrow", gives such columns. Of a query whose list is
#   empty no metric is computed, and a list that lacks its end has fewer hits.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile 'pandas==3.1.1' 'pyarrow==26.0.1' 'numpy==2.4.6'

cat > "$tmp/seen" <<'END'
Float64: ranks [5.0, <NA>, 4.0, 3.0, 2.0, 1.0]
  best 3: nlargest [5.0, 4.0, 3.0], sort_values and head [5.0, 4.0, 3.0]
  best 4: nlargest [5.0, 4.0, 3.0, 2.0], sort_values and head [5.0, 4.0, 3.0, 2.0]
  best 5: nlargest [5.0, 4.0, 3.0, 2.0, 1.0], sort_values and head [5.0, 4.0, 3.0, 2.0, 1.0]
double[pyarrow]: ranks [5.0, 6.0, 4.0, 3.0, 2.0, 1.0]
  best 3: nlargest [5.0, 4.0, 3.0], sort_values and head [5.0, 4.0, 3.0]
  best 4: nlargest [], sort_values and head [5.0, 4.0, 3.0, 2.0]
  best 5: nlargest [5.0, 4.0, 3.0], sort_values and head [5.0, 4.0, 3.0, 2.0, 1.0]
END
"$tmp/venv/bin/python" - "$tmp/scores.parquet" > "$tmp/now" <<'END'
import sys

import pandas as pd
import pyarrow as pa
from pyarrow import parquet

scores = [1.0, float("nan"), 2.0, 3.0, 4.0, 5.0]
parquet.write_table(pa.table({"score": scores}), sys.argv[1])
for backend in ("numpy_nullable", "pyarrow"):
    column = pd.read_parquet(sys.argv[1], dtype_backend=backend)["score"]
    print(f"{column.dtype}: ranks {column.rank(ascending=False).tolist()}")
    for n in (3, 4, 5):
        print(f"  best {n}: nlargest {column.nlargest(n).tolist()},", end=" ")
        print(f"sort_values and head {column.sort_values(ascending=False).head(n).tolist()}")
END
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: the best scores are no longer as seen"; exit 1; }
echo "as seen"
