#!/usr/bin/env bash
# alasql: ROW_NUMBER() OVER (ORDER BY score DESC) numbers the rows as they come, so the last row of three has rank 3 and the best score.
#
# Seen 2026-11-30 with Node.js 20.20 and Python 3.11.7: alasql 4.19.1 (npm); sqlite3 of Python.
# Guess before running: the row of the higher score has number 1 (72 %).
# Behaviour: ORDER BY within OVER is read and ignored, ascending or descending, without an error or a warning. PARTITION BY starts the
#   count again wherever the value changes from one row to the next: of rows sorted by score, two of a task have number 1 (last
#   lines). RANK and DENSE_RANK raise an error.
# Documented? No: neither the README nor the type declarations in the package name ROW_NUMBER. SQL numbers by that order.
# Why it matters: this is how the rank of the right answer among the candidates of a query is taken from a table of scores. Of rows
#   in the order in which they were scored, the MRR is that of chance, or 1 if the right answer is written first.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
npm install --prefix "$tmp" --silent --no-audit --no-fund --ignore-scripts alasql@4.19.1 > "$tmp/log" 2>&1 ||
  { cat "$tmp/log"; exit 1; }

cat > "$tmp/seen" <<'END'
SELECT task, entity, correct, ROW_NUMBER() OVER (ORDER BY score DESC) AS place FROM scores
  alasql: t1a 1, t1b 2, t1c 3, t2a 4, t2b 5 - mean of 1 / place 0.62
  SQLite: t1a 4, t1b 2, t1c 1, t2a 5, t2b 3 - mean of 1 / place 0.23
SELECT task, entity, correct, ROW_NUMBER() OVER (ORDER BY score) AS place FROM scores
  alasql: t1a 1, t1b 2, t1c 3, t2a 4, t2b 5 - mean of 1 / place 0.62
  SQLite: t1a 2, t1b 4, t1c 5, t2a 1, t2b 3 - mean of 1 / place 0.75
SELECT task, entity, correct, ROW_NUMBER() OVER (PARTITION BY task ORDER BY score DESC) AS place FROM scores
  alasql: t1a 1, t1b 2, t1c 3, t2a 1, t2b 2 - mean of 1 / place 1.00
  SQLite: t1a 3, t1b 2, t1c 1, t2a 2, t2b 1 - mean of 1 / place 0.42
SELECT task, entity, correct, ROW_NUMBER() OVER (PARTITION BY task ORDER BY score DESC) AS place FROM (SELECT * FROM scores ORDER BY score DESC)
  alasql: t1a 1, t1b 2, t1c 1, t2a 1, t2b 1 - mean of 1 / place 1.00
  SQLite: t1a 3, t1b 2, t1c 1, t2a 2, t2b 1 - mean of 1 / place 0.42
END
cat > "$tmp/ask.cjs" <<'END'
const alasql = require('alasql');
const [scores, questions] = JSON.parse(process.argv[2]);
for (const question of questions) {
  console.log(JSON.stringify(alasql(question.replace('scores', '?'), [scores])));
}
END
cat > "$tmp/program.py" <<'END'
import json
import sqlite3
import subprocess
import sys

scores = [("t1", "a", 0.2, 1), ("t1", "b", 0.5, 0), ("t1", "c", 0.9, 0), ("t2", "a", 0.1, 1), ("t2", "b", 0.3, 0)]
columns = ("task", "entity", "score", "correct")
questions = []
for window in ("ORDER BY score DESC", "ORDER BY score", "PARTITION BY task ORDER BY score DESC"):
    questions.append(f"SELECT task, entity, correct, ROW_NUMBER() OVER ({window}) AS place FROM scores")
rows = "(SELECT * FROM scores ORDER BY score DESC)"
window = "PARTITION BY task ORDER BY score DESC"
questions.append(f"SELECT task, entity, correct, ROW_NUMBER() OVER ({window}) AS place FROM {rows}")

connection = sqlite3.connect(":memory:")
connection.row_factory = sqlite3.Row
connection.execute(f"CREATE TABLE scores ({', '.join(columns)})")
connection.executemany("INSERT INTO scores VALUES (?, ?, ?, ?)", scores)
right = [[dict(row) for row in connection.execute(question)] for question in questions]

table = [dict(zip(columns, row, strict=True)) for row in scores]
command = ["node", sys.argv[1], json.dumps([table, questions])]
lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
for question, line, expected in zip(questions, lines, right, strict=True):
    print(question)
    for name, answer in (("alasql", json.loads(line)), ("SQLite", expected)):
        places = {row["task"] + row["entity"]: row["place"] for row in answer}
        found = [1 / row["place"] for row in answer if row["correct"]]
        print(f"  {name}:", ", ".join(f"{key} {places[key]}" for key in sorted(places)), f"- mean of 1 / place {sum(found) / 2:.2f}")
END
python3 "$tmp/program.py" "$tmp/ask.cjs" > "$tmp/now"
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: rows are no longer numbered as seen"; exit 1; }
echo "as seen"
