#!/usr/bin/env bash
# graphology: a second relation between two entities moves the closeness of a third, and gives all five the same betweenness.
#
# Seen 2026-11-30 with Node.js 20.20 and Python 3.11.7: graphology 0.26.0, graphology-metrics 2.4.2 (npm); networkx 3.6.1.
# Guess before running: closeness of a directed graph as in networkx (60 %); betweenness of a simple graph as in networkx (85 %), and
#   with parallel edges too (55 %).
# Behaviour: no shortest path changes when an edge is there twice, so neither should (networkx). In graphology the closeness of the
#   entity at the far end rises from 0.40 to 0.57, or 0.67 if the graph is undirected, and unweighted betweenness is 6 for all, the
#   ends included. In undirected graphs a self-loop does the same, and disturbs weighted betweenness as well. Otherwise betweenness
#   with weights of 1 is right, and PageRank was right in nine small graphs.
# Documented? No: the README says of density that multigraphs and self-loops are counted, and nothing on these. HITS and modularity
#   refuse multigraphs. There is a note about self-loops in the source.
# Why it matters: a knowledge graph is a multigraph, and centrality ranks its entities, or is a feature and a baseline of link
#   prediction. Which pair has the second relation does not matter; entities that have nothing to do with it change places.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile --prefer-binary 'networkx==3.6.1'
npm install --prefix "$tmp" --silent --no-audit --no-fund --ignore-scripts graphology@0.26.0 graphology-metrics@2.4.2 > "$tmp/log" 2>&1 ||
  { cat "$tmp/log"; exit 1; }

cat > "$tmp/seen" <<'END'
directed path a-b-c-d-e
  closeness: graphology 0.00 1.00 0.67 0.50 0.40; networkx 0.00 1.00 0.67 0.50 0.40
  betweenness: graphology 0 3 4 3 0, weighted 0 3 4 3 0; networkx 0 3 4 3 0
directed with a-b twice
  closeness: graphology 0.00 1.00 0.67 0.50 0.57; networkx 0.00 1.00 0.67 0.50 0.40
  betweenness: graphology 6 6 6 6 6, weighted 0 3 4 3 0; networkx 0 3 4 3 0
directed with d-e twice
  closeness: graphology 0.00 1.00 0.67 0.50 0.57; networkx 0.00 1.00 0.67 0.50 0.40
  betweenness: graphology 6 6 6 6 6, weighted 0 3 4 3 0; networkx 0 3 4 3 0
directed with a-a
  closeness: graphology 0.00 1.00 0.67 0.50 0.40; networkx 0.00 1.00 0.67 0.50 0.40
  betweenness: graphology 0 3 4 3 0, weighted 0 3 4 3 0; networkx 0 3 4 3 0
undirected path a-b-c-d-e
  closeness: graphology 0.40 0.57 0.67 0.57 0.40; networkx 0.40 0.57 0.67 0.57 0.40
  betweenness: graphology 0 3 4 3 0, weighted 0 3 4 3 0; networkx 0 3 4 3 0
undirected with a-b twice
  closeness: graphology 0.40 0.57 0.67 0.67 0.67; networkx 0.40 0.57 0.67 0.57 0.40
  betweenness: graphology 0.5 2 2.5 2 0.5, weighted 0 3 4 3 0; networkx 0 3 4 3 0
undirected with d-e twice
  closeness: graphology 0.40 0.57 0.67 0.67 0.67; networkx 0.40 0.57 0.67 0.57 0.40
  betweenness: graphology 0.5 2 2.5 2 0.5, weighted 0 3 4 3 0; networkx 0 3 4 3 0
undirected with a-a
  closeness: graphology 0.40 0.57 0.67 0.67 0.67; networkx 0.40 0.57 0.67 0.57 0.40
  betweenness: graphology 0.5 2 2.5 2 0.5, weighted 1 2 2.25 1.75 0.75; networkx 0 3 4 3 0
END
cat > "$tmp/ask.cjs" <<'END'
const Graph = require('graphology');
const {betweenness, closeness} = require('graphology-metrics/centrality');

const [type, edges] = JSON.parse(process.argv[2]);
const graph = new Graph({type, multi: true});
for (const [head, tail] of edges) {
  graph.mergeNode(head);
  graph.mergeNode(tail);
  graph.addEdge(head, tail, {weight: 1});
}
const answers = [
  closeness(graph),
  betweenness(graph, {getEdgeWeight: null, normalized: false}),
  betweenness(graph, {getEdgeWeight: 'weight', normalized: false})];
console.log(JSON.stringify(answers));
END
cat > "$tmp/program.py" <<'END'
import json
import subprocess
import sys

import networkx

PATH = ["ab", "bc", "cd", "de"]


def show(values):
    return " ".join(f"{values[entity]:g}" for entity in "abcde")


def show_closeness(values):
    return " ".join(f"{values[entity]:.2f}" for entity in "abcde")


for directed in (True, False):
    for label, more in (("path a-b-c-d-e", []), ("with a-b twice", ["ab"]), ("with d-e twice", ["de"]), ("with a-a", ["aa"])):
        edges = PATH + more
        kind = "directed" if directed else "undirected"
        command = ["node", sys.argv[1], json.dumps([kind, [list(edge) for edge in edges]])]
        answer = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        closeness, betweenness, weighted = json.loads(answer)
        graph = networkx.MultiDiGraph(edges) if directed else networkx.MultiGraph(edges)
        close = networkx.closeness_centrality(graph, wf_improved=False)
        between = networkx.betweenness_centrality(graph, normalized=False)
        print(f"{kind} {label}")
        print(f"  closeness: graphology {show_closeness(closeness)}; networkx {show_closeness(close)}")
        print(f"  betweenness: graphology {show(betweenness)}, weighted {show(weighted)}; networkx {show(between)}")
END
"$tmp/venv/bin/python" "$tmp/program.py" "$tmp/ask.cjs" > "$tmp/now"
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: centralities are no longer as seen"; exit 1; }
echo "as seen"
