#!/usr/bin/env bash
# Kuzu: after count(DISTINCT ...) in a grouped query, the sum, the mean and the count to its right are lost.
#
# Seen 2026-11-30 with Python 3.11.7: kuzu 0.11.3; ladybug 0.22.0.
# Guess before running, of a query for the facts of each head: its mean of whole numbers is a double (85 %). Nobody thought that it could
#   be missing. A sum without the DISTINCT is 3 (90 %, and it is), and so is Ladybug's sum beside it (88 %, and it is).
# Behaviour: for each group, what stands to the left of the aggregate with DISTINCT is right. To its right, sums, means and extremes are
#   missing and counts 0. Without groups all are right. Ladybug, which continues Kuzu, has it right.
# Documented? No, the order of the columns has no meaning in Cypher.
# Why it matters: distinct tails of a head beside the number of its facts is the usual statistic of a knowledge graph, and the ratio of the
#   two is how functional a relation is. A missing value looks like a head without facts, and a count of 0 like an empty relation.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile --prefer-binary 'kuzu==0.11.3' 'ladybug==0.22.0'

cat > "$tmp/seen" <<'END'
kuzu
  x.name, sum(r.w), avg(r.w), count(r.w): [['a', 3, 1.5, 2]]
  x.name, count(DISTINCT y), sum(r.w), avg(r.w), max(r.w), count(r.w): [['a', 1, None, None, None, 0]]
  x.name, sum(r.w), avg(r.w), max(r.w), count(r.w), count(DISTINCT y): [['a', 3, 1.5, 2, 2, 1]]
  count(DISTINCT y), sum(r.w): [[1, 3]]
ladybug
  x.name, sum(r.w), avg(r.w), count(r.w): [['a', 3, 1.5, 2]]
  x.name, count(DISTINCT y), sum(r.w), avg(r.w), max(r.w), count(r.w): [['a', 1, 3, 1.5, 2, 2]]
  x.name, sum(r.w), avg(r.w), max(r.w), count(r.w), count(DISTINCT y): [['a', 3, 1.5, 2, 2, 1]]
  count(DISTINCT y), sum(r.w): [[1, 3]]
END
cat > "$tmp/program.py" <<'END'
import importlib
import sys
from decimal import Decimal


def show(value):
    """Show a sum, which is a Decimal, as the whole number that it is."""
    return int(value) if isinstance(value, Decimal) else value


_, name, folder = sys.argv
library = importlib.import_module(name)
connection = library.Connection(library.Database(f"{folder}/{name}"))
for statement in (
    "CREATE NODE TABLE Entity(name STRING, PRIMARY KEY(name))",
    "CREATE REL TABLE Fact(FROM Entity TO Entity, w INT64)",
    "CREATE (:Entity {name: 'a'}), (:Entity {name: 'b'})",
    "MATCH (a:Entity {name: 'a'}), (b:Entity {name: 'b'}) CREATE (a)-[:Fact {w: 1}]->(b), (a)-[:Fact {w: 2}]->(b)",
):
    connection.execute(statement)
print(name)
for columns in (
    "x.name, sum(r.w), avg(r.w), count(r.w)",
    "x.name, count(DISTINCT y), sum(r.w), avg(r.w), max(r.w), count(r.w)",
    "x.name, sum(r.w), avg(r.w), max(r.w), count(r.w), count(DISTINCT y)",
    "count(DISTINCT y), sum(r.w)",
):
    rows = connection.execute(f"MATCH (x:Entity)-[r:Fact]->(y:Entity) RETURN {columns}").get_all()
    print(f"  {columns}:", [[show(value) for value in row] for row in rows])
END
for library in kuzu ladybug; do "$tmp/venv/bin/python" "$tmp/program.py" "$library" "$tmp"; done > "$tmp/now"
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: aggregates beside DISTINCT are no longer as seen"; exit 1; }
echo "as seen"
