#!/usr/bin/env bash
# Ladybug: the mean score of the three best candidates is the mean of the first three, whatever they score; listed, they are the best.
#
# Seen 2026-11-30 with Python 3.11.7: ladybug 0.22.0; kuzu 0.11.3.
# Guess before running: WITH ... ORDER BY ... LIMIT passes the best rows on, in a list of numbers, which was too plain to write down; of
#   the mean over nodes, once the list had been seen to fail, 30 %; of kuzu, 50 %. The list of the best is right (85 %, and it is).
# Behaviour: an aggregate without groups that follows WITH, ORDER BY and LIMIT gets the first rows of the table, as many as the limit
#   says. The sort is left out, as an aggregate does not depend on the order of its rows, but which rows they are does. SKIP, and WHERE
#   after the limit, are affected alike. With a group, or without an aggregate, the same WITH sorts. Kuzu has it right.
# Documented? No. Leaving out the sort came as a speed-up of count(*) after a limit (pull request 726 of July 2026), where it is right. No
#   issue on it was found.
# Why it matters: Hits@k, precision at k and the mean of the best k are an aggregate after such a limit. They come out as those of k rows
#   in the order of loading, so a model looks like chance, or perfect if the right answers were loaded first.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile --prefer-binary 'kuzu==0.11.3' 'ladybug==0.22.0'

cat > "$tmp/seen" <<'END'
ladybug
  WITH n ORDER BY n.score DESC LIMIT 3 RETURN n.name, n.score: b 0.9; f 0.8; d 0.7
  WITH n ORDER BY n.score DESC LIMIT 3 RETURN avg(n.score), min(n.score), count(*): 0.5 0.1 3
  WITH n ORDER BY n.score DESC LIMIT 3 RETURN sum(n.correct) * 1.0 / count(*): 0.67
  WITH n ORDER BY n.score DESC LIMIT 3 RETURN n.correct, count(*), max(n.score) ORDER BY n.correct: 0 3 0.9
  WITH n ORDER BY n.score DESC SKIP 1 LIMIT 2 RETURN avg(n.score): 0.7
  WITH n ORDER BY n.score DESC LIMIT 3 WHERE n.correct = 0 RETURN count(*): 1
kuzu
  WITH n ORDER BY n.score DESC LIMIT 3 RETURN n.name, n.score: b 0.9; f 0.8; d 0.7
  WITH n ORDER BY n.score DESC LIMIT 3 RETURN avg(n.score), min(n.score), count(*): 0.8 0.7 3
  WITH n ORDER BY n.score DESC LIMIT 3 RETURN sum(n.correct) * 1.0 / count(*): 0
  WITH n ORDER BY n.score DESC LIMIT 3 RETURN n.correct, count(*), max(n.score) ORDER BY n.correct: 0 3 0.9
  WITH n ORDER BY n.score DESC SKIP 1 LIMIT 2 RETURN avg(n.score): 0.75
  WITH n ORDER BY n.score DESC LIMIT 3 WHERE n.correct = 0 RETURN count(*): 3
END
cat > "$tmp/program.py" <<'END'
import importlib
import sys

CANDIDATES = (("a", 0.1, 1), ("b", 0.9, 0), ("c", 0.5, 1), ("d", 0.7, 0), ("e", 0.3, 1), ("f", 0.8, 0))

_, name, folder = sys.argv
library = importlib.import_module(name)
connection = library.Connection(library.Database(f"{folder}/{name}"))
connection.execute("CREATE NODE TABLE Candidate(name STRING, score DOUBLE, correct INT64, PRIMARY KEY(name))")
for candidate, score, correct in CANDIDATES:
    connection.execute(f"CREATE (:Candidate {{name: '{candidate}', score: {score}, correct: {correct}}})")
print(name)
for question in (
    "WITH n ORDER BY n.score DESC LIMIT 3 RETURN n.name, n.score",
    "WITH n ORDER BY n.score DESC LIMIT 3 RETURN avg(n.score), min(n.score), count(*)",
    "WITH n ORDER BY n.score DESC LIMIT 3 RETURN sum(n.correct) * 1.0 / count(*)",
    "WITH n ORDER BY n.score DESC LIMIT 3 RETURN n.correct, count(*), max(n.score) ORDER BY n.correct",
    "WITH n ORDER BY n.score DESC SKIP 1 LIMIT 2 RETURN avg(n.score)",
    "WITH n ORDER BY n.score DESC LIMIT 3 WHERE n.correct = 0 RETURN count(*)",
):
    rows = connection.execute(f"MATCH (n:Candidate) {question}").get_all()
    shown = (" ".join(format(value, ".2g") if isinstance(value, float) else str(value) for value in row) for row in rows)
    print(f"  {question}: {'; '.join(shown)}")
END
for library in ladybug kuzu; do "$tmp/venv/bin/python" "$tmp/program.py" "$library" "$tmp"; done > "$tmp/now"
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: aggregates of the best are no longer as seen"; exit 1; }
echo "as seen"
