#!/usr/bin/env bash
# Half-precision scores in a Parquet file: pandas, polars and DuckDB read numbers, fastparquet strings of two bytes.
#
# Seen 2026-11-28 with Python 3.11.7: fastparquet 2026.9.0, pyarrow 26.0.1, polars 2.1.0, duckdb 2.0.1, pandas 3.1.1.
# Guess before running: the same numbers from all four.
# Behaviour: fastparquet ignores the logical type FLOAT16 and returns the two bytes it is stored in, without a warning. The
#   strings can be sorted, low byte first: 0.1 is then the best of 0.1, 0.5 and 2.
# Documented? No, as far as I looked; pandas 3.1 warns that its engine fastparquet will go, for other reasons.
# Why it matters: candidate scores are stored by the million, so in half precision. Sorting works on the bytes and gives a
#   ranking, which is another one.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile \
  'fastparquet==2026.9.0' 'pyarrow==26.0.1' 'polars==2.1.0' 'duckdb==2.0.1' 'pandas==3.1.1' 'numpy==2.4.6'

cat > "$tmp/seen" <<'END'
pandas: [0.0999755859375, 0.5, 2.0], best first [2, 1, 0]
polars: [0.0999755859375, 0.5, 2.0], best first [2, 1, 0]
duckdb: [0.0999755859375, 0.5, 2.0], best first [2, 1, 0]
fastparquet: [b'f.', b'\x008', b'\x00@'], best first [0, 2, 1]
END
cat > "$tmp/program.py" <<'END'
import sys

import duckdb
import fastparquet
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

file = f"{sys.argv[1]}/scores.parquet"
scores = pa.table({"score": pa.array(np.array([0.1, 0.5, 2.0], np.float16))})
pq.write_table(scores, file)
by_duckdb = [row[0] for row in duckdb.connect().execute(f"select score from '{file}'").fetchall()]
columns = {
    "pandas": pd.read_parquet(file)["score"].tolist(),
    "polars": pl.read_parquet(file)["score"].to_list(),
    "duckdb": by_duckdb,
    "fastparquet": fastparquet.ParquetFile(file).to_pandas()["score"].tolist(),
}
for name, values in columns.items():
    order = sorted(range(3), key=values.__getitem__, reverse=True)
    print(f"{name}: {values}, best first {order}")
END
"$tmp/venv/bin/python" "$tmp/program.py" "$tmp" > "$tmp/now"
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: half-precision scores are no longer read as seen"; exit 1; }
echo "as seen"
