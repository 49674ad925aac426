#!/usr/bin/env bash
# rdflib leaves out the rows of a result in which nothing is bound, and counts them in len(): three of four models have a row.
#
# Seen 2026-11-29 with Python 3.11.7: rdflib 7.6.0, pyoxigraph 0.5.13.
# Guess before running: values in the order of the recommendation, with the missing one first, and one row without a value for
#   MAX over nothing, in both.
# Behaviour: so in Oxigraph. In rdflib, iterating over ?mrr of an OPTIONAL gives three rows for four models, len() of the same
#   result is 4, and MAX over nothing gives no row where COUNT gives one. With ?model next to it, all four rows are there.
#   The rows do differ in what they are averaged to: AVG over three of four values is 0.3 in rdflib and missing in Oxigraph.
# Documented? No: "if SELECT, iterating will yield lists of ResultRow objects".
# Why it matters: a missing score is a query without a hit or a run that failed. In a column of scores without names, which one
#   plots or averages, the loss does not show; zipped with a list of models, each score belongs to the wrong one.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile 'rdflib==7.6.0' 'pyoxigraph==0.5.13'

cat > "$tmp/seen" <<'END'
?mrr, rdflib (len 4): 1.0e-01, 5.0e-01, 3.0e-01
?mrr, Oxigraph: none, 1.0e-01, 5.0e-01, 3.0e-01
?model ?mrr, rdflib (len 4): ComplEx none, DistMult 1.0e-01, RotatE 5.0e-01, TransE 3.0e-01
?model ?mrr, Oxigraph: ComplEx none, DistMult 1.0e-01, RotatE 5.0e-01, TransE 3.0e-01
(MAX(?auc) AS ?best), rdflib (len 1): no row
(MAX(?auc) AS ?best), Oxigraph: none
(AVG(?mrr) AS ?mean), rdflib (len 1): 3.0e-01
(AVG(?mrr) AS ?mean), Oxigraph: none
END
cat > "$tmp/program.py" <<'END'
import pyoxigraph
import rdflib

BASE = "http://example.org/"
turtle = f"@prefix : <{BASE}> . :ComplEx a :Model . :DistMult a :Model ; :mrr 1.0e-1 ."
turtle += " :RotatE a :Model ; :mrr 5.0e-1 . :TransE a :Model ; :mrr 3.0e-1 ."
graph = rdflib.Graph().parse(data=turtle, format="turtle")
store = pyoxigraph.Store()
store.load(turtle.encode(), format=pyoxigraph.RdfFormat.TURTLE)


def write(value):
    if value is None:
        return "none"
    text = str(value)
    return text.removeprefix(BASE) if text.startswith(BASE) else f"{float(text):.1e}"


def listed(rows):
    return ", ".join(" ".join(map(write, row)) for row in rows) or "no row"


for selected in ("?mrr", "?model ?mrr", "(MAX(?auc) AS ?best)", "(AVG(?mrr) AS ?mean)"):
    which = "{ ?model :auc ?auc }" if "auc" in selected else "{ ?model a :Model OPTIONAL { ?model :mrr ?mrr } }"
    order = "" if "AS" in selected else "ORDER BY ?model"
    query = f"PREFIX : <{BASE}> SELECT {selected} {which} {order}"
    result = graph.query(query)
    print(f"{selected}, rdflib (len {len(result)}): {listed(result)}")
    rows = [[None if value is None else value.value for value in row] for row in store.query(query)]
    print(f"{selected}, Oxigraph: {listed(rows)}")
END
"$tmp/venv/bin/python" "$tmp/program.py" > "$tmp/now"
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: rows without values are no longer as seen"; exit 1; }
echo "as seen"
