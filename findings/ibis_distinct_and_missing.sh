#!/usr/bin/env bash
# ibis: a relation has two distinct tails by its DuckDB backend and three by its polars backend, if one tail is missing.
#
# Seen 2026-11-29 with Python 3.11.7: ibis-framework 12.0.0, duckdb 2.0.1, polars 2.1.0; pyarrow 26.0.1, pandas 3.1.1.
# Guess before running: nunique leaves out what is missing, as SQL's COUNT(DISTINCT) and pandas do, with either backend. That
#   rounding might differ, we had guessed without confidence.
# Behaviour: with polars, a missing value is one more distinct value, for text and for numbers, in groups too; with where=, and by
#   approx_nunique, as well. count() leaves it out in both, so there can be more distinct values than values. Of 2.5, round() is 3
#   and 2, and 2.7 as a whole number is 3 and 2.
# Documented? No: "the number of distinct elements in an expression"; missing ones are not mentioned.
# Why it matters: the candidates of a relation are its distinct tails. A missing one, as after an outer join, adds a candidate to
#   every such relation, and an expression that was tried on polars counts otherwise in the warehouse.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile --prefer-binary 'ibis-framework[duckdb,polars]==12.0.0' \
  'duckdb==2.0.1' 'polars==2.1.0' 'pyarrow==26.0.1' 'pandas==3.1.1' 'numpy==2.4.6'

cat > "$tmp/seen" <<'END'
duckdb: 3 distinct tails, 2 distinct scores; distinct tails by relation: border 1 of 1, capital 2 of 2
duckdb: 2.5 rounded 3, 2.7 as int64 3
polars: 4 distinct tails, 3 distinct scores; distinct tails by relation: border 2 of 1, capital 3 of 2
polars: 2.5 rounded 2, 2.7 as int64 2
pandas: 3 distinct tails, 2 distinct scores
END
cat > "$tmp/program.py" <<'END'
from pathlib import Path

import ibis
import pandas as pd

file = Path(__file__).with_name("triples.parquet")
frame = pd.DataFrame(
    {
        "relation": ["capital", "capital", "capital", "border", "border"],
        "tail": ["Vienna", None, "Berlin", "Austria", None],
        "score": [0.5, None, 0.3, 0.3, None],
    }
)
frame.to_parquet(file)
for name in ("duckdb", "polars"):
    triples = getattr(ibis, name).connect().read_parquet(file, table_name="triples")
    tails, scores = triples.tail.nunique().execute(), triples.score.nunique().execute()
    rows = triples.group_by("relation").agg(distinct=triples.tail.nunique(), present=triples.tail.count())
    groups = ", ".join(
        f"{row.relation} {row.distinct} of {row.present}" for row in rows.order_by("relation").execute().itertuples(index=False)
    )
    print(f"{name}: {tails} distinct tails, {scores} distinct scores; distinct tails by relation: {groups}")
    literals = {"2.5 rounded": ibis.literal(2.5).round(), "2.7 as int64": ibis.literal(2.7).cast("int64")}
    connection = getattr(ibis, name).connect()
    values = ", ".join(f"{key} {connection.execute(value)}" for key, value in literals.items())
    print(f"{name}: {values}")
print(f"pandas: {frame['tail'].nunique()} distinct tails, {frame['score'].nunique()} distinct scores")
END
"$tmp/venv/bin/python" -W ignore "$tmp/program.py" > "$tmp/now"
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: missing values no longer count as seen"; exit 1; }
echo "as seen"
