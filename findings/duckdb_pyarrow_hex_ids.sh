#!/usr/bin/env bash
# Entities called 0x10, 0x0010 and 16 are three in pandas and polars, and one in pyarrow and duckdb.
#
# Seen 2026-11-29 with Python 3.11.7: pyarrow 26.0.1, duckdb 2.0.1, polars 2.1.0, pandas 3.1.1.
# Guess before running, with a question mark behind it, as we were not sure: ids with 0x are text.
# Behaviour: pyarrow and duckdb take a column of hexadecimal ids for integers when they guess its type, also among decimal
#   ones; duckdb takes binary 0b1 as well, but leaves 0016, with zeros in front, as text. pandas does what its engine does.
# Documented? We found it in neither manual of the readers; DuckDB's has hexadecimal numbers in SQL.
# Why it matters: addresses of code and of contracts, and hashes, name the entities of graphs. Written again, as 16, they match no
#   label of the other files, and entities whose names differ in zeros or in base are merged: a task has fewer candidates.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile --prefer-binary \
  'pyarrow==26.0.1' 'duckdb==2.0.1' 'polars==2.1.0' 'pandas==3.1.1' 'numpy==2.4.6'

cat > "$tmp/seen" <<'END'
0x10 0x0010 16 0xff
  pyarrow: 2 entities, 16 16 16 255
  duckdb: 2 entities, 16 16 16 255
  polars: 4 entities, 0x10 0x0010 16 0xff
  pandas: 4 entities, 0x10 0x0010 16 0xff
  pandas, engine pyarrow: 2 entities, 16 16 16 255
0b1 0b01 1
  pyarrow: 3 entities, 0b1 0b01 1
  duckdb: 1 entities, 1 1 1
  polars: 3 entities, 0b1 0b01 1
  pandas: 3 entities, 0b1 0b01 1
  pandas, engine pyarrow: 3 entities, 0b1 0b01 1
END
"$tmp/venv/bin/python" - "$tmp/triples.csv" > "$tmp/now" <<'END'
import sys
from pathlib import Path

import duckdb
import pandas as pd
import polars as pl
from pyarrow import csv

file = Path(sys.argv[1])
readers = {
    "pyarrow": lambda: csv.read_csv(file)["head"].to_pylist(),
    "duckdb": lambda: [row[0] for row in duckdb.sql(f"select head from '{file}'").fetchall()],
    "polars": lambda: pl.read_csv(file)["head"].to_list(),
    "pandas": lambda: pd.read_csv(file)["head"].tolist(),
    "pandas, engine pyarrow": lambda: pd.read_csv(file, engine="pyarrow")["head"].tolist(),
}
for names in (["0x10", "0x0010", "16", "0xff"], ["0b1", "0b01", "1"]):
    file.write_text("".join(f"{line}\n" for line in ["head,relation,tail", *(f"{name},calls,main" for name in names)]))
    print(*names)
    for name, read in readers.items():
        found = read()
        print(f"  {name}: {len(set(found))} entities,", *found)
END
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: ids are no longer read as seen"; exit 1; }
echo "as seen"
