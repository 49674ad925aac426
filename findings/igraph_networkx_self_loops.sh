#!/usr/bin/env bash
# PageRank of one undirected graph with a self-loop: networkx and igraph put different entities first.
#
# Seen 2026-11-28 with Python 3.11.7: networkx 3.6.1, igraph 1.0.0, numpy 2.4.6, scipy 1.17.1.
# Guess before running: equal to the solver's tolerance, as with sinks, parallel edges and personalisation (which are).
# Behaviour: on the path a - b - c with a loop at c, networkx walks the loop as one of c's two edges, igraph as two of three.
#   So b is first in networkx and c in igraph. Without the loop both agree. networkx itself counts the loop twice in degree().
# Documented? Neither docstring of pagerank says how a loop counts.
# Why it matters: PageRank is a baseline for link prediction and exposes shortcuts of inductive benchmarks; knowledge graphs
#   do have self-loops, and made undirected they give another ranking of the candidates in each library.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile 'networkx==3.6.1' 'igraph==1.0.0' 'numpy==2.4.6' 'scipy==1.17.1'

cat > "$tmp/seen" <<'END'
without loop, networkx: a 0.2568, b 0.4865, c 0.2568; first b
without loop, igraph: a 0.2568, b 0.4865, c 0.2568; first b
with loop at c, networkx: a 0.2195, b 0.3988, c 0.3817; first b
with loop at c, igraph: a 0.1974, b 0.3469, c 0.4556; first c
degree of c with the loop: 3 3
END
"$tmp/venv/bin/python" - > "$tmp/now" <<'END'
import igraph
import networkx

path, loop = [(0, 1), (1, 2)], (2, 2)
for name, edges in (("without loop", path), ("with loop at c", [*path, loop])):
    graph = networkx.Graph(edges)
    ours = networkx.pagerank(graph, tol=1e-12, max_iter=1000)
    theirs = igraph.Graph(edges=edges).pagerank()
    rows = {"networkx": [ours[node] for node in range(3)], "igraph": theirs}
    for library, values in rows.items():
        listed = ", ".join(f"{node} {value:.4f}" for node, value in zip("abc", values))
        print(f"{name}, {library}: {listed}; first {max(zip(values, 'abc'))[1]}")
print("degree of c with the loop:", networkx.Graph([*path, loop]).degree(2), igraph.Graph(edges=[*path, loop]).degree(2))
END
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: PageRank with a self-loop is no longer as seen"; exit 1; }
echo "as seen"
