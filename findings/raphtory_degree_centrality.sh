#!/usr/bin/env bash
# Raphtory: the best-linked entity of any graph has a degree centrality of 1; networkx gives 0.52 for the same entity of the karate club.
#
# Seen 2026-11-30 with Python 3.11.7: raphtory 0.17.0, networkx 3.6.1.
# Guess before running: the degree over the number of other entities, as in networkx (72 %).
# Behaviour: the degree is divided by the largest degree that occurs in the graph. The order of the entities is that of networkx;
#   the size is not, and differs from it by another factor in each graph: 33 / 17 in the club, 1 in a star, 99 / 2 in a ring of 100.
# Documented? Otherwise: "normalized by dividing each result with the maximum possible degree. Graphs with self-loops can have values
#   of centrality greater than 1" (its docstring), in nearly the words of networkx; by a degree that occurs, none can.
# Why it matters: degree centrality, or one model's share of hits in the best-linked entities, is compared between data sets and between
#   snapshots of one graph. Here a ring, where nothing stands out, is as central as a star, and an entity falls as another grows.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile --prefer-binary 'raphtory==0.17.0' 'networkx==3.6.1'

cat > "$tmp/seen" <<'END'
karate club: Raphtory at most 1.000, networkx at most 0.515, ratios [1.941]
star of 100: Raphtory at most 1.000, networkx at most 1.000, ratios [1.0]
ring of 100: Raphtory at most 1.000, networkx at most 0.020, ratios [49.5]
ring and a self-loop: Raphtory at most 1.000, networkx at most 0.040, ratios [24.75, 33.0]
END
cat > "$tmp/program.py" <<'END'
import networkx
import raphtory

graphs = {
    "karate club": networkx.karate_club_graph(),
    "star of 100": networkx.star_graph(99),
    "ring of 100": networkx.cycle_graph(100),
    "ring and a self-loop": networkx.Graph([*networkx.cycle_graph(100).edges, (0, 0)]),
}
for name, graph in graphs.items():
    copy = raphtory.Graph()
    for first, second in graph.edges:
        copy.add_edge(1, first, second)
    result = raphtory.algorithms.degree_centrality(copy)
    values = {node.name: state["degree_centrality"] for node, state in result.items()}
    exact = {str(node): value for node, value in networkx.degree_centrality(graph).items()}
    ratios = sorted({round(values[node] / exact[node], 3) for node in exact})
    print(f"{name}: Raphtory at most {max(values.values()):.3f}, networkx at most {max(exact.values()):.3f}, ratios {ratios}")
END
"$tmp/venv/bin/python" -W ignore "$tmp/program.py" > "$tmp/now"
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: degree centrality is no longer as seen"; exit 1; }
echo "as seen"
