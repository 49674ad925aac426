#!/usr/bin/env bash
# networkx: the HITS authorities of three facts in a row are negative or above 1, and others at every call.
#
# Seen 2026-11-29 with Python 3.11.7: networkx 3.6.1, numpy 2.4.6, scipy 1.17.1; igraph 1.0.0, scikit-network 0.33.5, rustworkx 0.18.1.
# Guess before running: the same values when called again (85 %). None below 0 in any graph (92 %) was written down when one had been
#   seen while other scores were compared; of the other libraries, before they were run (90 %, right).
# Behaviour: hits takes the first right singular vector of the adjacency matrix, from a random start, and divides it by its sum. If
#   the largest singular value is repeated, that is any vector of a plane or more, of any sign, and its sum can be near 0: we saw
#   values of 6.6, and of 2e15. It is so in a path, in two hubs with as many tails each, and in a connected graph of eight nodes.
#   igraph and scikit-network are random there as well, but not negative; rustworkx has one answer. With one hub
#   larger than the others all agree.
# Documented? No: the docstring of networkx describes power iteration from a starting value, which would stay positive. Not that values
#   can be negative, nor that they are random.
# Why it matters: a directed knowledge graph, taken one relation at a time, consists of such paths and stars. Which entity is the greatest
#   authority, and the sign of its score, is then drawn by chance, while all scores sum to 1.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile --prefer-binary \
  'networkx==3.6.1' 'numpy==2.4.6' 'scipy==1.17.1' 'igraph==1.0.0' 'rustworkx==0.18.1' 'scikit-network==0.33.5'

cat > "$tmp/seen" <<'END'
path: networkx several answers, some below 0; igraph several answers, none below 0; scikit-network several answers, none below 0; rustworkx one answer, none below 0
two hubs: networkx several answers, some below 0; igraph several answers, none below 0; scikit-network several answers, none below 0; rustworkx one answer, none below 0
connected: networkx several answers, some below 0; igraph several answers, none below 0; scikit-network several answers, none below 0; rustworkx one answer, none below 0
one larger hub: networkx one answer, none below 0; igraph one answer, none below 0; scikit-network one answer, none below 0; rustworkx one answer, none below 0
END
cat > "$tmp/program.py" <<'END'
import igraph
import networkx as nx
import numpy as np
import rustworkx
from scipy.sparse import csr_matrix
from sknetwork.ranking import HITS


def spread(answers):
    """Say whether the answers differ, and whether one has a value below zero."""
    different = len({tuple(answer.round(6) + 0.0) for answer in answers}) > 1
    number = "several answers" if different else "one answer"
    signs = "some" if np.min(answers) < -1e-6 else "none"
    return f"{number}, {signs} below 0"


graphs = {
    "path": "ab bc cd",
    "two hubs": "hx hy hz ku kv kw",
    "connected": "ab bc ca cd de af fg eh",
    "one larger hub": "hx hy hz ku kv",
}
for name, edges in graphs.items():
    graph = nx.DiGraph()
    graph.add_edges_from(edges.split())
    nodes = sorted(graph)
    places = [(nodes.index(head), nodes.index(tail)) for head, tail in graph.edges]
    first = igraph.Graph(len(nodes), places, directed=True)
    second = rustworkx.PyDiGraph()
    second.add_nodes_from(nodes)
    second.add_edges_from_no_data(places)
    matrix = csr_matrix(nx.to_scipy_sparse_array(graph, nodelist=nodes))
    answers = {"networkx": [], "igraph": [], "scikit-network": [], "rustworkx": []}
    for _ in range(100):
        authorities = nx.hits(graph)[1]
        answers["networkx"].append(np.array([authorities[node] for node in nodes]))
        answers["igraph"].append(np.array(first.authority_score()))
        answers["scikit-network"].append(HITS().fit(matrix).scores_col_)
        authorities = rustworkx.hits(second)[1]
        answers["rustworkx"].append(np.array([authorities[node] for node in range(len(nodes))]))
    print(f"{name}:", "; ".join(f"{library} {spread(seen)}" for library, seen in answers.items()))
END
"$tmp/venv/bin/python" -W ignore "$tmp/program.py" > "$tmp/now"
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: the authorities are no longer as seen"; exit 1; }
echo "as seen"
