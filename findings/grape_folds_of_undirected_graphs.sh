#!/usr/bin/env bash
# GRAPE: five folds of an undirected graph test half of its edges, and of the negative edges asked for, half come.
#
# Seen 2026-11-30 with Python 3.11.7: grape 0.2.5 (ensmallen 0.8.100), networkx 3.6.1, pandas 2.3.3.
# Guess before running: five folds of a fifth each, that together are the graph (70 %).
# Behaviour: in an undirected graph each of k folds has 1 / 2k of the edges, and the rest is always in the training graph; k = 2
#   trains on three quarters. The number of negative edges counts both directions of each. In a directed graph, and in holdouts
#   by share of either kind, the numbers are right, and get_number_of_edges has each undirected edge once.
# Documented? No: "the edges are splitted into k chunks", and "number of negatives edges to include".
# Why it matters: a cross-validation that leaves half of the edges untested trains with 90 % of the graph where the paper says 80 %,
#   and each model is better for it. Accuracy and average precision at "one negative an edge" are those at one for two.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile --prefer-binary \
  'grape==0.2.5' 'ensmallen==0.8.100' 'embiggen==0.11.96' 'networkx==3.6.1' 'pandas==2.3.3' 'numpy==2.4.6'

cat > "$tmp/seen" <<'END'
directed graph of 254 edges
  2 folds: test 127 127, train 127 127; in any test fold 254
  5 folds: test 51 51 51 51 50, train 203 203 203 203 204; in any test fold 254
  share 0.8: test 51, train 203
  254 negative edges: 254
undirected graph of 254 edges
  2 folds: test 64 64, train 190 190; in any test fold 128
  5 folds: test 26 26 26 26 25, train 228 228 228 228 229; in any test fold 129
  share 0.8: test 51, train 203
  254 negative edges: 127
END
cat > "$tmp/program.py" <<'END'
import warnings

import networkx
import pandas as pd

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from ensmallen import Graph

pairs = pd.DataFrame(networkx.les_miserables_graph().edges, columns=["first", "second"])


def list_edges(graph):
    """Return the edges of a graph, each once."""
    return {tuple(sorted(edge)) for edge in graph.get_directed_edge_node_names()}


for directed in (True, False):
    graph = Graph.from_pd(
        edges_df=pairs, edge_src_column="first", edge_dst_column="second", directed=directed, name="Les Miserables"
    )
    print("directed" if directed else "undirected", "graph of", graph.get_number_of_edges(), "edges")
    for folds in (2, 5):
        parts = [graph.get_edge_prediction_kfold(folds, place, random_state=42) for place in range(folds)]
        train = " ".join(str(len(list_edges(train))) for train, _ in parts)
        test = " ".join(str(len(list_edges(test))) for _, test in parts)
        tested = set().union(*(list_edges(test) for _, test in parts))
        print(f"  {folds} folds: test {test}, train {train}; in any test fold {len(tested)}")
    train, test = graph.random_holdout(train_size=0.8, random_state=42)
    print(f"  share 0.8: test {len(list_edges(test))}, train {len(list_edges(train))}")
    negative = graph.sample_negative_graph(number_of_negative_samples=254, random_state=42)
    print(f"  254 negative edges: {negative.get_number_of_edges()}")
END
"$tmp/venv/bin/python" "$tmp/program.py" > "$tmp/now" 2> "$tmp/log" || { cat "$tmp/log"; exit 1; }
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: folds and negative edges are no longer as seen"; exit 1; }
echo "as seen"
