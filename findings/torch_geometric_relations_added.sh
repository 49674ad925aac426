#!/usr/bin/env bash
# PyTorch Geometric adds the numbers of relations: a pair with relations 1 and 2, made undirected, has relation 3.
#
# Seen 2026-12-01 with Python 3.11.7: torch-geometric 2.8.1, torch 2.13.0 (CPU), numpy 2.4.6.
# Guess before running: ToUndirected leaves no relation on a pair that it did not have (80 %), and RandomLinkSplit each edge its
#   relation (85 %).
# Behaviour: ToUndirected merges edges of the same two entities, and edge_type is added up like a weight. RandomLinkSplit for an
#   undirected graph keeps the edge from the lower to the higher entity and copies its edge_type to the way back: an inverse relation
#   becomes the relation itself. is_undirected(), which is asked before, compares edge_attr and not edge_type. coalesce() merges
#   edges and leaves edge_type as long as it was.
# Documented? That ToUndirected merges "edge features" by "add": yes. That edge_type is one of them, and the rest: no.
# Why it matters: edge_type is where the library's own knowledge graphs and R-GCN have the relation. Messages pass along relations
#   that the graph does not have, relation 3 is trained on pairs of 1 and 2, and without an error while the sum is in range.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile --prefer-binary \
  'torch-geometric==2.8.1' 'torch==2.13.0' 'numpy==2.4.6'

cat > "$tmp/seen" <<'END'
graph: Bonn-1-Germany, Bonn-2-Germany, Lyon-1-France, France-2-Lyon, Oslo-0-Norway
ToUndirected: Bonn-3-Germany, Germany-3-Bonn, Lyon-3-France, France-3-Lyon, Oslo-0-Norway, Norway-0-Oslo
coalesce: 4 edges, 5 relations
graph with inverses: Bonn-0-Germany, Germany-4-Bonn, Lyon-1-France, France-5-Lyon
undirected: True
train of RandomLinkSplit: Bonn-0-Germany, Germany-0-Bonn, Lyon-1-France, France-1-Lyon
END
cat > "$tmp/program.py" <<'END'
import torch
from torch_geometric.data import Data
from torch_geometric.transforms import RandomLinkSplit, ToUndirected

NAMES = ["Bonn", "Germany", "Lyon", "France", "Oslo", "Norway"]


def build(*triples):
    """Return a graph of triples of head, relation and tail."""
    ends = [[NAMES.index(triple[place]) for triple in triples] for place in (0, 2)]
    relations = torch.tensor([relation for _, relation, _ in triples])
    return Data(edge_index=torch.tensor(ends), edge_type=relations, num_nodes=len(NAMES))


def show(title, graph):
    """Print the triples of a graph in the order of their heads."""
    edges = zip(*graph.edge_index.tolist(), graph.edge_type.tolist(), strict=True)
    print(f"{title}:", ", ".join(f"{NAMES[head]}-{relation}-{NAMES[tail]}" for head, tail, relation in sorted(edges)))


graph = build(
    ("Bonn", 1, "Germany"),
    ("Bonn", 2, "Germany"),
    ("Lyon", 1, "France"),
    ("France", 2, "Lyon"),
    ("Oslo", 0, "Norway"),
)
show("graph", graph)
show("ToUndirected", ToUndirected()(graph))
merged = graph.coalesce()
print(f"coalesce: {merged.num_edges} edges, {len(merged.edge_type)} relations")
inverses = build(("Bonn", 0, "Germany"), ("Germany", 4, "Bonn"), ("Lyon", 1, "France"), ("France", 5, "Lyon"))
show("graph with inverses", inverses)
print("undirected:", inverses.is_undirected())
train, _, _ = RandomLinkSplit(num_val=0, num_test=0, is_undirected=True)(inverses)
show("train of RandomLinkSplit", train)
END
"$tmp/venv/bin/python" -W ignore "$tmp/program.py" > "$tmp/now"
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: relations are no longer added"; exit 1; }
echo "as seen"
