#!/usr/bin/env bash
# GrandCypher: a model without a score counts as 0 in the mean of scores, though not in the least and the largest one.
#
# Seen 2026-11-30 with Python 3.11.7: grand-cypher 1.2.0, networkx 3.6.1; kuzu 0.11.3.
# Guess before running: count and avg leave missing values out, as in Cypher (80 %; of Kuzu 85 %, right).
# Behaviour: COUNT counts the missing ones too, and AVG divides the sum by that count: 0.4, 0.5, 0.6 and two models without a score have a
#   mean of 0.3, below the least of them. It makes no difference whether the attribute is absent or None. MIN, MAX and SUM are
#   those of the three.
# Documented? No. In Cypher they leave null out, and so does Kuzu.
# Why it matters: not every model of a survey has every metric. The mean MRR falls with each that has none, and a query that asks for the
#   extremes as well shows a mean outside of them.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile --prefer-binary 'grand-cypher==1.2.0' 'networkx==3.6.1' 'kuzu==0.11.3'

cat > "$tmp/seen" <<'END'
three scores: GrandCypher COUNT 3, MIN 0.40, AVG 0.50, MAX 0.60, SUM 1.50; Kuzu COUNT 3, MIN 0.40, AVG 0.50, MAX 0.60, SUM 1.50
and two models without: GrandCypher COUNT 5, MIN 0.40, AVG 0.30, MAX 0.60, SUM 1.50; Kuzu COUNT 3, MIN 0.40, AVG 0.50, MAX 0.60, SUM 1.50
END
cat > "$tmp/program.py" <<'END'
import sys

import kuzu
import networkx as nx
from grandcypher import GrandCypher

graph = nx.DiGraph()
connection = kuzu.Connection(kuzu.Database(f"{sys.argv[1]}/database"))
connection.execute("CREATE NODE TABLE Model(name STRING, mrr DOUBLE, PRIMARY KEY(name))")


def show(name, run):
    """Show the five aggregates that a database finds."""
    values = []
    for function in ("COUNT", "MIN", "AVG", "MAX", "SUM"):
        value = run(f"{function}(m.mrr)")
        values.append(f"{function} {value}" if function == "COUNT" else f"{function} {value:.2f}")
    return f"{name} {', '.join(values)}"


def run_grandcypher(call):
    """Return the value of an aggregate over the nodes of the networkx graph."""
    [[value]] = GrandCypher(graph).run(f"MATCH (m) RETURN {call}").values()
    return value


def run_kuzu(call):
    """Return the value of an aggregate over the nodes of the table."""
    [[value]] = connection.execute(f"MATCH (m:Model) RETURN {call}").get_all()
    return value


for title, models in (
    ("three scores", {"a": 0.4, "b": 0.5, "c": 0.6}),
    ("and two models without", {"d": None, "e": None}),
):
    for name, mrr in models.items():
        graph.add_node(name, mrr=mrr)
        connection.execute("CREATE (:Model {name: $name, mrr: CAST($mrr AS DOUBLE)})", {"name": name, "mrr": mrr})
    print(f"{title}:", "; ".join((show("GrandCypher", run_grandcypher), show("Kuzu", run_kuzu))))
END
"$tmp/venv/bin/python" "$tmp/program.py" "$tmp" > "$tmp/now"
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: missing scores no longer count as seen"; exit 1; }
echo "as seen"
