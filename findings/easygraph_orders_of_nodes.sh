#!/usr/bin/env bash
# EasyGraph: the fast graph gives constraint in one order of nodes, betweenness in another, and node 1 the effective size of node 0.
#
# Seen 2026-11-30 with Python 3.11.7: Python-EasyGraph 1.6.3; networkx 3.6.1, numpy 1.26.4, torch 2.14.1 (it is imported).
# Guess before running: all centralities of both graphs of EasyGraph equal those of networkx (65 %); after a first difference: right
#   values in the order of the graph's nodes (60 %).
# Behaviour: a Graph answers with a dict. A GraphC, its counterpart in C++, answers with an array: betweenness, closeness and PageRank in
#   the order in which nodes were added, constraint and hierarchy in the order of GraphC.nodes, which is another. Effective size takes
#   numbers of nodes for places from 1 on, so entities that are numbered from 0 get each other's, and the first one nan.
# Documented? No: the docstrings promise a dict of nodes for constraint and effective size, and name no order.
# Why it matters: whoever asks whether rank metrics go with the place of an entity in the graph joins such columns by position.
#   The join is right for some measures and wrong for others, and no length or type differs.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile --prefer-binary \
  'Python-EasyGraph==1.6.3' 'networkx==3.6.1' 'numpy==1.26.4' 'torch==2.14.1' 'scipy==1.17.1' 'pandas==3.0.6'

cat > "$tmp/seen" <<'END'
correlation of Graph and GraphC, joined in the order of adding: betweenness 1.00, closeness 1.00, constraint 0.11, hierarchy 0.18
correlation of Graph and GraphC, joined in the order of nodes: betweenness 0.34, closeness 0.16, constraint 1.00, hierarchy 1.00
Graph and networkx agree on constraint: True
effective size of 0, 1, 2 and 3: Graph 13.75 6.33 7.80 2.67, GraphC nan 13.75 6.33 7.80
END
cat > "$tmp/program.py" <<'END'
import easygraph
import networkx
import numpy as np

club = networkx.karate_club_graph()
slow, fast = easygraph.Graph(), easygraph.GraphC()
for graph in (slow, fast):
    graph.add_nodes(sorted(club))
    graph.add_edges(list(club.edges))


def values(measure, graph):
    """Return what a measure says, as an array."""
    answer = measure(graph)
    return np.array(list(answer.values()) if isinstance(answer, dict) else list(answer))


measures = (
    ("betweenness", easygraph.betweenness_centrality),
    ("closeness", easygraph.closeness_centrality),
    ("constraint", easygraph.constraint),
    ("hierarchy", easygraph.hierarchy),
)
for title, order in (("adding", sorted(club)), ("nodes", list(fast.nodes))):
    words = [
        f"{name} {np.corrcoef(values(measure, slow)[order], values(measure, fast))[0, 1]:.2f}"
        for name, measure in measures
    ]
    print(f"correlation of Graph and GraphC, joined in the order of {title}: {', '.join(words)}")
other = networkx.constraint(club)
print("Graph and networkx agree on constraint:", np.allclose(values(easygraph.constraint, slow), [other[i] for i in sorted(club)]))
nodes = [0, 1, 2, 3]
size = easygraph.effective_size(slow)
print(
    f"effective size of 0, 1, 2 and 3: Graph {' '.join(f'{size[i]:.2f}' for i in nodes)},"
    f" GraphC {' '.join(f'{found:.2f}' for found in easygraph.effective_size(fast, nodes=nodes))}"
)
END
"$tmp/venv/bin/python" -W ignore "$tmp/program.py" > "$tmp/now"
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: the centralities of both graphs are no longer as seen"; exit 1; }
echo "as seen"
