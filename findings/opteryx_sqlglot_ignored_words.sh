#!/usr/bin/env bash
# opteryx, sqlglot's executor: the best candidate of each query is every candidate; in opteryx, Hits@1 counted by FILTER is 1.
#
# Seen 2026-11-30 with Python 3.11.7: opteryx 0.26.8, sqlglot 30.30.0, duckdb 2.0.1, pyarrow 22.0.0.
# Guess before running: counts by FILTER, and rows by QUALIFY, as in DuckDB in each engine that reads them (75 %); FETCH FIRST and DISTINCT
#   ON in opteryx as in SQL (70 %).
# Behaviour: both parse QUALIFY and leave it out of the plan. opteryx also leaves out FILTER of COUNT(*), DISTINCT in SUM and AVG, and
#   FETCH FIRST; FILTER of SUM raises an error, and DISTINCT in COUNT is kept. sqlglot's executor takes DISTINCT ON for DISTINCT.
# Documented? Not that we found: the descriptions of the packages and the docstrings name none of these words as unread. sqlglot's
#   says that the executor is not made to be fast.
# Why it matters: these are the usual ways to take the first candidate of each query, and the share of ranks up to k. All rows are
#   returned, or all counted, so a model without a single hit has Hits@1 of 1.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile --prefer-binary 'opteryx==0.26.8' 'sqlglot==30.30.0' 'duckdb==2.0.1' 'pyarrow==22.0.0'

cat > "$tmp/seen" <<'END'
SELECT query, entity FROM scores QUALIFY ROW_NUMBER() OVER (PARTITION BY query ORDER BY score DESC) = 1
  DuckDB: q1 a; q2 c
  opteryx: q1 a; q1 b; q2 c; q2 d; q2 e
  sqlglot: q1 a; q1 b; q2 c; q2 d; q2 e
SELECT DISTINCT ON (query) query, entity FROM scores ORDER BY query, score DESC
  DuckDB: q1 a; q2 c
  opteryx: q1 a; q2 c
  sqlglot: q1 a; q1 b; q2 c; q2 d; q2 e
SELECT query, entity FROM scores ORDER BY score DESC FETCH FIRST 2 ROWS ONLY
  DuckDB: q1 a; q2 c
  opteryx: q1 a; q1 b; q2 c; q2 d; q2 e
  sqlglot: raises AttributeError
SELECT COUNT(*) FILTER (WHERE place <= 1) AS hits FROM scores
  DuckDB: 0
  opteryx: 5
  sqlglot: raises ExecuteError
SELECT SUM(DISTINCT place) AS s, AVG(DISTINCT place) AS a, COUNT(DISTINCT place) AS n FROM scores
  DuckDB: 14 3.5 4
  opteryx: 16 3.2 4
  sqlglot: 14 3.5 4
END
cat > "$tmp/program.py" <<'END'
import duckdb
import opteryx
import pyarrow as pa
from sqlglot.executor import execute

scores = pa.table({
    "query": ["q1", "q1", "q2", "q2", "q2"],
    "entity": ["a", "b", "c", "d", "e"],
    "score": [0.9, 0.5, 0.7, 0.2, 0.1],
    "place": [2, 5, 3, 2, 4],
})
opteryx.register_arrow("scores", scores)


engines = {
    "DuckDB": lambda question: duckdb.sql(question).fetchall(),
    "opteryx": lambda question: [tuple(row.values()) for row in opteryx.query(question).arrow().to_pylist()],
    "sqlglot": lambda question: execute(question, tables={"scores": scores.to_pylist()}, dialect="duckdb").rows,
}
best = "ROW_NUMBER() OVER (PARTITION BY query ORDER BY score DESC) = 1"
for question in (
    f"SELECT query, entity FROM scores QUALIFY {best}",
    "SELECT DISTINCT ON (query) query, entity FROM scores ORDER BY query, score DESC",
    "SELECT query, entity FROM scores ORDER BY score DESC FETCH FIRST 2 ROWS ONLY",
    "SELECT COUNT(*) FILTER (WHERE place <= 1) AS hits FROM scores",
    "SELECT SUM(DISTINCT place) AS s, AVG(DISTINCT place) AS a, COUNT(DISTINCT place) AS n FROM scores",
):
    print(question)
    for name, ask in engines.items():
        try:
            answer = "; ".join(" ".join(map(str, row)) for row in sorted(ask(question)))
        except Exception as error:
            answer = f"raises {type(error).__name__}"
        print(f"  {name}: {answer}")
END
"$tmp/venv/bin/python" -W ignore "$tmp/program.py" > "$tmp/now" 2> "$tmp/log" || { cat "$tmp/log"; exit 1; }
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: words of SQL are no longer ignored as seen"; exit 1; }
echo "as seen"
