#!/usr/bin/env bash
# rustworkx and igraph: a second relation between the same two entities doubles the paths through them; networkx counts one.
#
# Seen 2026-11-30 with Python 3.11.7: rustworkx 0.18.1, igraph 1.0.0, networkx 3.6.1; numpy 2.4.6.
# Guess before running: the betweenness that the graph has with one edge per pair, in rustworkx (75 %). Right of its closeness.
# Behaviour: in a ring of four all are equally central. With a second edge between two of them, those two are twice as central as
#   the others in rustworkx and igraph, where parallel edges are paths of their own, and as central as before in networkx, of
#   whose MultiGraph the edges count once. Directed graphs likewise.
# Documented? No: rustworkx and networkx give the same formula, with "the number of shortest paths" (their docstrings).
# Why it matters: in a knowledge graph, entities are often joined by more than one relation, or by a relation and its inverse. Which ones are
#   central, or may be sampled or removed as such, then depends on the library.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile --prefer-binary \
  'rustworkx==0.18.1' 'igraph==1.0.0' 'networkx==3.6.1' 'numpy==2.4.6'

cat > "$tmp/seen" <<'END'
ring of four, undirected
  rustworkx: [0.167, 0.167, 0.167, 0.167]
  igraph: [0.167, 0.167, 0.167, 0.167]
  networkx: [0.167, 0.167, 0.167, 0.167]
ring of four, directed
  rustworkx: [0.0, 0.083, 0.083, 0.0]
  igraph: [0.0, 0.083, 0.083, 0.0]
  networkx: [0.0, 0.083, 0.083, 0.0]
second relation of 0 and 1, undirected
  rustworkx: [0.222, 0.222, 0.111, 0.111]
  igraph: [0.222, 0.222, 0.111, 0.111]
  networkx: [0.167, 0.167, 0.167, 0.167]
second relation of 0 and 1, directed
  rustworkx: [0.0, 0.111, 0.056, 0.0]
  igraph: [0.0, 0.111, 0.056, 0.0]
  networkx: [0.0, 0.083, 0.083, 0.0]
END
cat > "$tmp/program.py" <<'END'
import igraph
import networkx
import rustworkx

ring = [(0, 1), (1, 3), (0, 2), (2, 3)]
for name, edges in (("ring of four", ring), ("second relation of 0 and 1", [(0, 1), *ring])):
    for directed in (False, True):
        graph = rustworkx.PyDiGraph() if directed else rustworkx.PyGraph()
        graph.add_nodes_from(range(4))
        graph.extend_from_edge_list(edges)
        other = networkx.MultiDiGraph(edges) if directed else networkx.MultiGraph(edges)
        pairs = 6 if directed else 3
        results = {
            "rustworkx": rustworkx.betweenness_centrality(graph),
            "igraph": [value / pairs for value in igraph.Graph(4, edges, directed=directed).betweenness()],
            "networkx": networkx.betweenness_centrality(other),
        }
        print(f"{name}, {'directed' if directed else 'undirected'}")
        for library, values in results.items():
            print(f"  {library}:", [round(values[node], 3) for node in range(4)])
END
"$tmp/venv/bin/python" -W ignore "$tmp/program.py" > "$tmp/now"
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: betweenness is no longer as seen"; exit 1; }
echo "as seen"
