#!/usr/bin/env bash
# Cozo: an entity that reaches no other has an infinite closeness, and one that reaches a single other is more central than most.
#
# Seen 2026-11-30 with Python 3.11.7: cozo-embedded 0.7.6, pycozo 0.7.6; networkx 3.6.1.
# Guess before running: the values of networkx (45 %); the ends of a pair below the middle of the path next to it (70 %).
# Behaviour: with r entities reached, itself among them, the value is r * r / ((n - 1) * sum of distances), where networkx has r - 1 for r.
#   So a leaf has 1 / 0, the hub of a star 1.56, the ends of a pair four times their value, and those of a triangle 2.25 times. In a
#   connected, undirected graph all values are too large by one factor, and the order is right.
# Documented? Nothing was found about it, in the package, its pages or issues. networkx names its formula.
# Why it matters: centrality ranks the entities of a knowledge graph, where most relations end in entities that have none of their own
#   (dates, types, places). Sorted by closeness these come first, and the mean of the column is infinite.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile --prefer-binary \
  'cozo-embedded==0.7.6' 'pycozo==0.7.6' 'networkx==3.6.1'

cat > "$tmp/seen" <<'END'
a hub and its four leaves
  Cozo hub 1.562, leaf0 inf, leaf1 inf, leaf2 inf, leaf3 inf
  networkx hub 1.000, leaf0 0.000, leaf1 0.000, leaf2 0.000, leaf3 0.000
path a-b-c-d, directed
  Cozo a 0.889, b 1.000, c 1.333, d inf
  networkx a 0.500, b 0.444, c 0.333, d 0.000
path of six and a pair, undirected
  Cozo a 0.343, b 0.468, c 0.571, d 0.571, e 0.468, f 0.343, x 0.571, y 0.571
  networkx a 0.238, b 0.325, c 0.397, d 0.397, e 0.325, f 0.238, x 0.143, y 0.143
path of six and a triangle, undirected
  Cozo a 0.300, b 0.409, c 0.500, d 0.500, e 0.409, f 0.300, x 0.562, y 0.562, z 0.562
  networkx a 0.208, b 0.284, c 0.347, d 0.347, e 0.284, f 0.208, x 0.250, y 0.250, z 0.250
END
cat > "$tmp/program.py" <<'END'
import networkx
from pycozo.client import Client

client = Client(engine="mem", dataframe=False)
star = [("hub", f"leaf{number}") for number in range(4)]
pair = [("one", "other")]
ring = [("x", "y"), ("y", "z"), ("z", "x")]
graphs = (
    ("a hub and its four leaves", star, False),
    ("path a-b-c-d, directed", [("a", "b"), ("b", "c"), ("c", "d")], False),
    ("path of six and a pair, undirected", [*zip("abcde", "bcdef"), ("x", "y")], True),
    ("path of six and a triangle, undirected", [*zip("abcde", "bcdef"), *ring], True),
)
for title, edges, undirected in graphs:
    option = ", undirected: true" if undirected else ""
    script = f"edge[head, tail] <- $edges\n?[entity, value] <~ ClosenessCentrality(edge[head, tail]{option})"
    found = dict(client.run(script, {"edges": [list(edge) for edge in edges]})["rows"])
    graph = networkx.Graph(edges) if undirected else networkx.DiGraph(edges).reverse()
    expected = networkx.closeness_centrality(graph)
    print(title)
    for name, values in (("Cozo", found), ("networkx", expected)):
        print(f"  {name}", ", ".join(f"{entity} {values[entity]:.3f}" for entity in sorted(graph)))
END
"$tmp/venv/bin/python" "$tmp/program.py" > "$tmp/now"
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: closeness is no longer as seen"; exit 1; }
echo "as seen"
