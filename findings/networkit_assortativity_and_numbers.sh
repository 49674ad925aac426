#!/usr/bin/env bash
# NetworKit: the degree assortativity of the same graph is 0.15 or -0.17, by the numbers of the nodes.
#
# Seen 2026-11-30 with Python 3.11.7: networkit 11.3; networkx 3.6.1, igraph 1.0.0, numpy 2.4.6.
# Guess before running: equal to networkx (80 %); after a first difference: the same for every numbering (60 %).
# Behaviour: the correlation of two columns, one for each end of an edge, in which every edge of an undirected graph is once, with
#   its higher number first. networkx and igraph count each edge in both directions, and the numbers of the nodes do not matter.
# Documented? The docstring says that edges count in both directions for a partition, and nothing of the order for numbers. Upstream's
#   issue 1161 (closed) has a difference from networkx, and was taken for one of definition; the numbering is not in it.
# Why it matters: entities are customarily numbered by their frequency, where it is worst. Whether hubs link to hubs is reported of
#   benchmark graphs, as popularity is what rank metrics reward: of the same graph one paper says that they do, another that they do not.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile --prefer-binary \
  'networkit==11.3' 'networkx==3.6.1' 'igraph==1.0.0' 'numpy==2.4.6' 'scipy==1.17.1'

cat > "$tmp/seen" <<'END'
Les Miserables, by name: networkit -0.143, networkx -0.165, igraph -0.165
Les Miserables, most frequent first: networkit 0.153, networkx -0.165, igraph -0.165
Les Miserables, of four random numberings: networkit -0.153 -0.167 -0.166 -0.163, networkx -0.165
women and events, by name: networkit -0.325, networkx -0.337, igraph -0.337
women and events, most frequent first: networkit 0.198, networkx -0.337, igraph -0.337
women and events, of four random numberings: networkit -0.345 -0.298 -0.354 -0.337, networkx -0.337
END
cat > "$tmp/program.py" <<'END'
import igraph
import networkit
import networkx
import numpy as np


def coefficients(graph, order):
    """Return degree assortativity by three libraries, with nodes numbered in this order."""
    number = {node: i for i, node in enumerate(order)}
    edges = [(number[u], number[v]) for u, v in graph.edges]
    own = networkit.Graph(len(number))
    for u, v in edges:
        own.addEdge(u, v)
    assortativity = networkit.correlation.Assortativity(own, [float(own.degree(i)) for i in range(len(number))])
    return (
        assortativity.run().getCoefficient(),
        networkx.degree_assortativity_coefficient(networkx.Graph(edges)),
        igraph.Graph(n=len(number), edges=edges).assortativity_degree(directed=False),
    )


graphs = (
    ("Les Miserables", networkx.les_miserables_graph()),
    ("women and events", networkx.davis_southern_women_graph()),
)
for title, graph in graphs:
    by_name = sorted(graph)
    by_degree = sorted(by_name, key=graph.degree, reverse=True)
    for how, order in (("by name", by_name), ("most frequent first", by_degree)):
        one, two, three = coefficients(graph, order)
        print(f"{title}, {how}: networkit {one:.3f}, networkx {two:.3f}, igraph {three:.3f}")
    found = []
    for seed in range(4):
        shuffled = np.random.RandomState(seed).permutation(len(by_name))
        found.append(coefficients(graph, [by_name[i] for i in shuffled]))
    values = " ".join(f"{one:.3f}" for one, _, _ in found)
    print(f"{title}, of four random numberings: networkit {values}, networkx {found[0][1]:.3f}")
END
"$tmp/venv/bin/python" "$tmp/program.py" > "$tmp/now"
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: the assortativity is no longer as seen"; exit 1; }
echo "as seen"
