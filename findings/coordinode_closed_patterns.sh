#!/usr/bin/env bash
# CoordiNode: the pattern (a)-->(b)-->(a) matches every path of two edges, so each relation is as symmetric as it has such paths.
#
# Seen 2026-11-30 with Python 3.11.7: coordinode-embedded 4.0.1; kuzu 0.11.3, networkx 3.6.1.
# Guess before running: a name that comes twice in a pattern is one node: two answers for a symmetric pair (80 %).
# Behaviour: the second place of the name matches any node, silently, in one pattern, in a triangle, in a loop (a)-->(a), and over two
#   MATCH clauses; with a comma it is all pairs of edges. RETURN shows the last node of the path under that name. WHERE c = a, id(c) = id(a) and
#   WHERE (b)-->(a) are right.
# Documented? No: the package says that it speaks Cypher, where a bound name is bound.
# Why it matters: how many triples have their inverse in the graph, and how many triangles close, is what a paper says of leakage and of
#   rules. Here one symmetric pair among 79 edges is counted as 105 matches, not 2, and of rings of three edges there are 113, not none.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile --prefer-binary 'coordinode-embedded==4.0.1' 'kuzu==0.11.3' 'networkx==3.6.1'

cat > "$tmp/seen" <<'END'
edges (a)-->(b): CoordiNode 79, Kuzu 79
paths (a)-->(b)-->(c): CoordiNode 105, Kuzu 105
and back (a)-->(b)-->(a): CoordiNode 105, Kuzu 2
by WHERE c.number = a.number: CoordiNode 2, Kuzu 2
by a second MATCH (b)-->(a): CoordiNode 105, Kuzu 2
by WHERE (b)-->(a): CoordiNode 2, Kuzu 2
loops (a)-->(a): CoordiNode 79, Kuzu 0
rings (a)-->(b)-->(c)-->(a): CoordiNode 113, Kuzu 0
END
cat > "$tmp/program.py" <<'END'
import sys

import kuzu
import networkx
from coordinode_embedded import LocalClient

edges = [*networkx.karate_club_graph().edges, (1, 0)]
coordinode = LocalClient(f"{sys.argv[1]}/coordinode")
connection = kuzu.Connection(kuzu.Database(f"{sys.argv[1]}/kuzu"))
connection.execute("CREATE NODE TABLE Member(number INT64, PRIMARY KEY(number))")
connection.execute("CREATE REL TABLE Knows(FROM Member TO Member)")
writes = [f"CREATE (:Member {{number: {number}}})" for number in range(34)]
writes += [
    f"MATCH (a:Member {{number: {head}}}), (b:Member {{number: {tail}}}) CREATE (a)-[:Knows]->(b)"
    for head, tail in edges
]
for write in writes:
    coordinode.cypher(write)
    connection.execute(write)

for label, pattern in (
    ("edges (a)-->(b)", "MATCH (a:Member)-[:Knows]->(b:Member)"),
    ("paths (a)-->(b)-->(c)", "MATCH (a:Member)-[:Knows]->(b:Member)-[:Knows]->(c:Member)"),
    ("and back (a)-->(b)-->(a)", "MATCH (a:Member)-[:Knows]->(b:Member)-[:Knows]->(a)"),
    (
        "by WHERE c.number = a.number",
        "MATCH (a:Member)-[:Knows]->(b:Member)-[:Knows]->(c:Member) WHERE c.number = a.number",
    ),
    ("by a second MATCH (b)-->(a)", "MATCH (a:Member)-[:Knows]->(b:Member) MATCH (b)-[:Knows]->(a)"),
    ("by WHERE (b)-->(a)", "MATCH (a:Member)-[:Knows]->(b:Member) WHERE (b)-[:Knows]->(a)"),
    ("loops (a)-->(a)", "MATCH (a:Member)-[:Knows]->(a)"),
    ("rings (a)-->(b)-->(c)-->(a)", "MATCH (a:Member)-[:Knows]->(b:Member)-[:Knows]->(c:Member)-[:Knows]->(a)"),
):
    query = f"{pattern} RETURN count(*) AS matches"
    [found] = coordinode.cypher(query)
    [[expected]] = connection.execute(query).get_all()
    print(f"{label}: CoordiNode {found['matches']}, Kuzu {expected}")
END
"$tmp/venv/bin/python" "$tmp/program.py" "$tmp" > "$tmp/now"
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: closed patterns no longer match as seen"; exit 1; }
echo "as seen"
