#!/usr/bin/env bash
# DuckDB finds a NaN score in its own table, and not in the Parquet file that the table was read from.
#
# Seen 2026-11-28 with Python 3.11.7: duckdb 1.4.4 and 2.0.1; the file is from pyarrow 26.0.1.
# Guess before running: the same count from the file as from memory.
# Behaviour: DuckDB holds NaN to be greater than all numbers, so `score > 0.5` counts it. But Parquet's statistics leave NaN
#   out, and DuckDB trusts them: it drops the row group, or the comparison. 1.4.4 did so with `>`; 2.0.1 also answers
#   `isnan(score)` with 0 rows. As a FILTER of an aggregate, the same condition counts the NaN in both.
# Documented? That NaN is the greatest, yes. That a file and a table differ, no.
# Why it matters: "how many candidates score better than the answer" is how one ranks in SQL. Whether a diverged model's NaN
#   outranks the answer depends on where the scores lie, and asking the file for NaN says that there are none.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT

cat > "$tmp/seen" <<'END'
1.4.4  score > 0.5: file 1, memory 2, filter on file 2
1.4.4  isnan(score): file 1, memory 1, filter on file 1
2.0.1  score > 0.5: file 1, memory 2, filter on file 2
2.0.1  isnan(score): file 0, memory 1, filter on file 1
END
cat > "$tmp/write.py" <<'END'
import sys

import pyarrow as pa
import pyarrow.parquet as pq

scores = pa.table({"score": [float("nan"), 0.1, 0.9, 0.2, 0.3, 0.4]})
pq.write_table(scores, sys.argv[1], row_group_size=2)
END
cat > "$tmp/count.py" <<'END'
import sys

import duckdb

file = sys.argv[1]
connection = duckdb.connect()
connection.execute(f"create table memory as select * from '{file}'")


def first(query):
    return connection.execute(query).fetchall()[0][0]


for condition in ("score > 0.5", "isnan(score)"):
    from_file = first(f"select count(*) from '{file}' where {condition}")
    from_memory = first(f"select count(*) from memory where {condition}")
    filtered = first(f"select count(*) filter (where {condition}) from '{file}'")
    print(f"{duckdb.__version__}  {condition}: file {from_file}, memory {from_memory}, filter on file {filtered}")
END
python3 -m venv "$tmp/venv"
python="$tmp/venv/bin/python"
"$python" -m pip install -q --no-compile 'pyarrow==26.0.1'
"$python" "$tmp/write.py" "$tmp/scores.parquet"
for duckdb in 1.4.4 2.0.1; do
  "$python" -m pip install -q --no-compile "duckdb==$duckdb"
  "$python" "$tmp/count.py" "$tmp/scores.parquet" >> "$tmp/now"
done
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: file and memory no longer differ as seen"; exit 1; }
echo "as seen"
