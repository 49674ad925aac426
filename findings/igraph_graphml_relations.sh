#!/usr/bin/env bash
# A knowledge graph from networkx, read by igraph: the relations become the names of entities.
#
# Seen 2026-11-28 with Python 3.11.7: networkx 3.6.1, igraph 1.0.0, numpy 2.4.6.
# Guess before running: both keep the keys of parallel edges in GraphML, and the same number of edges.
# Behaviour: networkx writes the key of an edge, here its relation, as the edge's id, and reads it back. igraph gives the edge
#   attribute "id" the ids of the nodes instead: the first edge has the first node's, and so on, and none where they run out.
#   Writing it again, igraph keeps 15 digits: 0.30000000000000004 comes back to networkx as 0.3, and now ties with 0.3.
# Documented? networkx says that the key of an edge is its id in the file; igraph's docstring only that it reads the format.
# Why it matters: GraphML is what the two share. The counts of nodes and edges are right, so nothing looks wrong, but the
#   relations that filters and per-relation results rest on are gone, and scores that differed are tied.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile 'networkx==3.6.1' 'igraph==1.0.0' 'numpy==2.4.6'

cat > "$tmp/seen" <<'END'
networkx: 4 nodes, [('capital_of', 0.30000000000000004), ('located_in', 0.3), ('neighbor_of', 0.8), ('capital_of', 0.9), ('neighbor_of', 0.7)]
igraph: 4 nodes, [('Vienna', 0.30000000000000004), ('Austria', 0.3), ('Berlin', 0.8), ('Germany', 0.9), ('', 0.7)]
networkx again: [0.3, 0.3, 0.8, 0.9, 0.7]
END
cat > "$tmp/program.py" <<'END'
import sys

import igraph
import networkx

first, second = f"{sys.argv[1]}/networkx.graphml", f"{sys.argv[1]}/igraph.graphml"
graph = networkx.MultiDiGraph()
for head, relation, tail, score in (
    ("Vienna", "capital_of", "Austria", 0.1 + 0.2),
    ("Vienna", "located_in", "Austria", 0.3),
    ("Berlin", "capital_of", "Germany", 0.9),
    ("Austria", "neighbor_of", "Germany", 0.8),
    ("Germany", "neighbor_of", "Austria", 0.7),
):
    graph.add_edge(head, tail, key=relation, score=score)
networkx.write_graphml(graph, first)
back = networkx.read_graphml(first)
edges = [(key, edge["score"]) for _, _, key, edge in back.edges(keys=True, data=True)]
print("networkx:", back.number_of_nodes(), "nodes,", edges)
read = igraph.Graph.Read_GraphML(first)
print("igraph:", read.vcount(), "nodes,", list(zip(read.es["id"], read.es["score"])))
read.write_graphml(second)
again = networkx.read_graphml(second)
print("networkx again:", [edge["score"] for _, _, edge in again.edges(data=True)])
END
"$tmp/venv/bin/python" "$tmp/program.py" "$tmp" > "$tmp/now"
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: ids of edges or scores are no longer read as seen"; exit 1; }
echo "as seen"
