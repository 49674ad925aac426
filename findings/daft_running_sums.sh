#!/usr/bin/env bash
# daft: a running sum is the sum of all rows, so precision at rank 1 is 2, and average precision 1.33 in place of 0.83.
#
# Seen 2026-11-30 with Python 3.11.7: daft 0.7.26, duckdb 2.0.1, pyarrow 25.0.1.
# Guess before running: with ORDER BY and no frame, a sum goes up to the row and its equals, in every engine (70 %).
# Behaviour: with PARTITION BY and ORDER BY, SUM, MAX, AVG and COUNT take the whole partition, in SQL and in expressions; rank and
#   row_number follow the order. RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW, which is what SQL means by no frame, is taken for
#   ROWS: of equal scores the second is counted and the first is not. ORDER BY without PARTITION BY raises an error.
# Documented? No. The docstring of Window.order_by speaks of the order within each partition, and has examples without sums.
# Why it matters: hits so far, divided by rank, is precision at each rank, and its mean at the hits is average precision. The best score
#   so far is the curve of a search over models. As all that a query finds is counted from the first rank on, precision exceeds 1.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile --prefer-binary 'daft==0.7.26' 'duckdb==2.0.1' 'pyarrow==25.0.1'

cat > "$tmp/seen" <<'END'
SUM(hit) OVER (PARTITION BY query ORDER BY score DESC)
  daft: 2.00 2.00 2.00 2.00 2.00 1.00 1.00
  DuckDB: 1.00 1.00 2.00 2.00 2.00 0.00 1.00
COUNT(hit) OVER (PARTITION BY query ORDER BY score DESC)
  daft: 5.00 5.00 5.00 5.00 5.00 2.00 2.00
  DuckDB: 1.00 2.00 4.00 4.00 5.00 1.00 2.00
MAX(hit) OVER (PARTITION BY query ORDER BY score DESC)
  daft: 1.00 1.00 1.00 1.00 1.00 1.00 1.00
  DuckDB: 1.00 1.00 1.00 1.00 1.00 0.00 1.00
AVG(hit) OVER (PARTITION BY query ORDER BY score DESC)
  daft: 0.40 0.40 0.40 0.40 0.40 0.50 0.50
  DuckDB: 1.00 0.50 0.50 0.50 0.40 0.00 0.50
SUM(hit) OVER (PARTITION BY query ORDER BY score DESC RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
  daft: 1.00 1.00 1.00 2.00 2.00 0.00 1.00
  DuckDB: 1.00 1.00 2.00 2.00 2.00 0.00 1.00
average precision of q1 and q2 from SUM(hit) OVER the first window / RANK()
  daft: 1.33 0.50
  DuckDB: 0.83 0.50
END
cat > "$tmp/program.py" <<'END'
import daft
import duckdb
import pyarrow as pa

scores = {"query": ["q1"] * 5 + ["q2"] * 2, "score": [0.9, 0.8, 0.7, 0.7, 0.5, 0.6, 0.4], "hit": [1, 0, 0, 1, 0, 0, 1]}
table_of_scores = pa.table(scores)
frame = daft.from_arrow(table_of_scores)


def ask(question):
    """Answer a question by both engines, and print the last column of each in the order of the scores."""
    order = "ORDER BY query, score DESC, x"
    from_daft = daft.sql(f"SELECT * FROM ({question}) AS answer {order}", frame=frame).to_pydict()["x"]
    rows = duckdb.sql(f"SELECT * FROM ({question.replace('FROM frame', 'FROM table_of_scores')}) AS answer {order}").fetchall()
    from_duckdb = [row[-1] for row in rows]
    for name, values in (("daft", from_daft), ("DuckDB", from_duckdb)):
        print(f"  {name}:", " ".join(f"{value:.2f}" for value in values))


window = "PARTITION BY query ORDER BY score DESC"
for function in ("SUM(hit)", "COUNT(hit)", "MAX(hit)", "AVG(hit)"):
    print(f"{function} OVER ({window})")
    ask(f"SELECT query, score, {function} OVER ({window}) AS x FROM frame")
between = f"{window} RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"
print(f"SUM(hit) OVER ({between})")
ask(f"SELECT query, score, SUM(hit) OVER ({between}) AS x FROM frame")
print("average precision of q1 and q2 from SUM(hit) OVER the first window / RANK()")
parts = f"SELECT query, hit, SUM(hit) OVER ({window}) AS found, RANK() OVER ({window}) AS place FROM frame"
ask(f"SELECT query, 0 AS score, AVG(1.0 * found / place) AS x FROM ({parts}) AS parts WHERE hit = 1 GROUP BY query")
END
"$tmp/venv/bin/python" "$tmp/program.py" > "$tmp/now" 2> "$tmp/log" || { cat "$tmp/log"; exit 1; }
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: running sums are no longer as seen"; exit 1; }
echo "as seen"
