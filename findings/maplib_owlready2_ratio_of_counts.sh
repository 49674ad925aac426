#!/usr/bin/env bash
# SPARQL in maplib and owlready2: Hits@10 as SUM(?hit) / COUNT(?hit) is 0, and the mean of 1 / ?rank is Hits@1.
#
# Seen 2026-11-29 with Python 3.11.7: maplib 0.20.26, owlready2 0.51, rdflib 7.6.0, pyoxigraph 0.5.13; polars 2.1.0, pyarrow 23.0.1
#   (without fastapi, which maplib asks for and does not need here).
# Guess before running: 5 / 2 is 2.5 in all four, as the recommendation says that whole numbers divide to a decimal.
# Behaviour: so in rdflib and Oxigraph. maplib and owlready2 cut the quotient of two whole numbers down to a whole number, without
#   an error. AVG(?hit) and 1.0 / ?rank are right; 1.0 / ?rank has twelve decimals in maplib.
# Documented? In the SPARQL recommendation ("operator mapping"): the quotient of two xsd:integer is an xsd:decimal. maplib's stubs
#   say nothing of division, and owlready2's sparql has no docstring.
# Why it matters: ranks and hits are whole numbers, so this is how MRR and Hits@k are written as a query. A Hits@10 of 0 is
#   conspicuous; an MRR that counts first places alone, 0.25 in place of 0.45, is not.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile --no-deps \
  'maplib==0.20.26' 'owlready2==0.51' 'rdflib==7.6.0' 'pyparsing==3.2.5' 'pyoxigraph==0.5.13' \
  'polars==2.1.0' 'polars-runtime-32==2.1.0' 'pyarrow==23.0.1'

cat > "$tmp/seen" <<'END'
5 / 2: rdflib 2.5000, Oxigraph 2.5000, maplib 2.0000, owlready2 2.0000
SUM(?hit) / COUNT(?hit): rdflib 0.7500, Oxigraph 0.7500, maplib 0.0000, owlready2 0.0000
AVG(?hit): rdflib 0.7500, Oxigraph 0.7500, maplib 0.7500, owlready2 0.7500
AVG(1 / ?rank): rdflib 0.4458, Oxigraph 0.4458, maplib 0.2500, owlready2 0.2500
AVG(1.0 / ?rank): rdflib 0.4458, Oxigraph 0.4458, maplib 0.4458, owlready2 0.4458
END
cat > "$tmp/program.py" <<'END'
from pathlib import Path

import maplib
import owlready2
import pyoxigraph
import rdflib

BASE = "http://example.org/"
file = Path(__file__).with_name("ranks.nt")
graph = rdflib.Graph()
for number, rank in enumerate([1, 4, 30, 2]):
    query = rdflib.URIRef(f"{BASE}query{number}")
    graph.add((query, rdflib.URIRef(BASE + "rank"), rdflib.Literal(rank)))
    graph.add((query, rdflib.URIRef(BASE + "hit"), rdflib.Literal(int(rank <= 10))))
graph.serialize(file, format="nt", encoding="utf-8")
store = pyoxigraph.Store()
store.load(path=str(file), format=pyoxigraph.RdfFormat.N_TRIPLES)
model = maplib.Model()
model.read(str(file), format="ntriples")
world = owlready2.World()
world.get_ontology(f"file://{file}").load()
pattern = f"?query <{BASE}rank> ?rank ; <{BASE}hit> ?hit"
for value in ("5 / 2", "SUM(?hit) / COUNT(?hit)", "AVG(?hit)", "AVG(1 / ?rank)", "AVG(1.0 / ?rank)"):
    text = f"SELECT ({value} AS ?value) {{ {'' if value == '5 / 2' else pattern} }}"
    values = {
        "rdflib": next(iter(graph.query(text)))[0],
        "Oxigraph": next(store.query(text))["value"].value,
        "maplib": model.query(text)["value"][0],
        "owlready2": next(iter(world.sparql(text)))[0],
    }
    print(f"{value}:", ", ".join(f"{name} {float(number):.4f}" for name, number in values.items()))
END
"$tmp/venv/bin/python" -W ignore "$tmp/program.py" > "$tmp/now"
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: quotients of whole numbers are no longer as seen"; exit 1; }
echo "as seen"
