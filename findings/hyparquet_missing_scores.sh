#!/usr/bin/env bash
# hyparquet: ordered by score, missing scores are among the zeros, and one NaN leaves nothing in order; of ids, >= 2 finds four, in [2, 3] none.
#
# Seen 2026-11-30 with Node.js 20.20 and Python 3.11.7: hyparquet 1.33.0 (npm); pyarrow 26.0.1, duckdb 2.0.1.
# Guess before running: filters by lists of whole numbers find them in columns of 64-bit integers (60 %), and rows with NaN or null pass
#   filters as in pyarrow (75 %, and they do). Of orderBy there was no guess.
# Behaviour: parquetQuery orders by < and >. To JavaScript null is 0 there, and NaN neither above nor below anything, so the sort stops
#   comparing around it. Where all scores are negative, missing ones are last of an ascending order, that is the best. Integers of
#   64 bits are read as BigInt, which is >= 2 and not equal to 2; 2n finds it, or filterStrict: false.
# Documented? Of filterStrict, in the types, that it is on and compares strictly. Of orderBy, that it is slow.
# Why it matters: the scores of distance models are negative, and the last ten rows of such an order are their ten best candidates.
#   A model without a score is then above all others, and one NaN puts any row anywhere, with no error.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile --prefer-binary 'pyarrow==26.0.1' 'duckdb==2.0.1'
npm install --prefix "$tmp" --silent --no-audit --no-fund --ignore-scripts hyparquet@1.33.0 > "$tmp/log" 2>&1 ||
  { cat "$tmp/log"; exit 1; }

cat > "$tmp/seen" <<'END'
a to e with scores 0.5, -0.2, missing, 0.1, -0.4
  {"orderBy": "score"}: hyparquet e b c d a; DuckDB c e b d a
a to e with scores -5, -2, missing, -1, -4
  {"orderBy": "score"}: hyparquet a e b d c; DuckDB c a e b d
a to e with scores 0.5, NaN, 0.2, 0.1, 0.4
  {"orderBy": "score"}: hyparquet a b d c e; DuckDB d c e a b
a to e with ids 1 to 5
  {"filter": {"id": {"$gte": 2}}}: hyparquet b c d e; DuckDB b c d e
  {"filter": {"id": {"$in": [2, 3]}}}: hyparquet none; DuckDB b c
  {"filter": {"id": {"$in": [2, 3]}}, "filterStrict": false}: hyparquet b c; DuckDB b c
END
cat > "$tmp/ask.mjs" <<'END'
import {asyncBufferFromFile, parquetQuery} from 'hyparquet';

const [path, questions] = process.argv.slice(2);
const file = await asyncBufferFromFile(path);
for (const question of JSON.parse(questions)) {
  const rows = await parquetQuery({file, ...question});
  console.log(rows.map((row) => row.name).join(' '));
}
END
cat > "$tmp/program.py" <<'END'
import json
import math
import subprocess
import sys

import duckdb
import pyarrow as pa
import pyarrow.parquet

_, script, folder = sys.argv


def ask(table, questions):
    """Show the names that hyparquet and DuckDB find in a table, for options of the one and conditions of the other."""
    path = f"{folder}/scores.parquet"
    pa.parquet.write_table(table, path)
    command = ["node", script, path, json.dumps([options for options, _ in questions])]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    for (options, condition), line in zip(questions, lines, strict=True):
        rows = duckdb.sql(f"SELECT name FROM '{path}' {condition}").fetchall()
        print(f"  {json.dumps(options)}: hyparquet {line or 'none'}; DuckDB {' '.join(name for (name,) in rows)}")


orders = [({"orderBy": "score"}, "ORDER BY score NULLS FIRST")]
for label, scores in (
    ("scores 0.5, -0.2, missing, 0.1, -0.4", [0.5, -0.2, None, 0.1, -0.4]),
    ("scores -5, -2, missing, -1, -4", [-5.0, -2.0, None, -1.0, -4.0]),
    ("scores 0.5, NaN, 0.2, 0.1, 0.4", [0.5, math.nan, 0.2, 0.1, 0.4]),
):
    print(f"a to e with {label}")
    ask(pa.table({"name": list("abcde"), "score": scores}), orders)
print("a to e with ids 1 to 5")
filters = [
    ({"filter": {"id": {"$gte": 2}}}, "WHERE id >= 2"),
    ({"filter": {"id": {"$in": [2, 3]}}}, "WHERE id IN (2, 3)"),
    ({"filter": {"id": {"$in": [2, 3]}}, "filterStrict": False}, "WHERE id IN (2, 3)"),
]
ask(pa.table({"name": list("abcde"), "id": [1, 2, 3, 4, 5]}), filters)
END
"$tmp/venv/bin/python" "$tmp/program.py" "$tmp/ask.mjs" "$tmp" > "$tmp/now"
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: queries are no longer answered as seen"; exit 1; }
echo "as seen"
