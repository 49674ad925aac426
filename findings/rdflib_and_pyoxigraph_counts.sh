#!/usr/bin/env bash
# The same N-Triples file of eight distinct lines has six triples in rdflib and five in Oxigraph.
#
# Seen 2026-11-28 with Python 3.11.7: rdflib 7.6.0, pyoxigraph 0.5.13.
# Guess before running: all eight in both, as RDF compares literals by their text and datatype.
# Behaviour: both rewrite literals on loading, and what becomes alike is one triple. Both merge 1 and 01. Oxigraph also merges
#   0.50 with 0.5 and the two ways to write a string; rdflib keeps those apart and merges a date with and without a time zone.
# Documented? rdflib: a switch, NORMALIZE_LITERALS, whose text does not say that triples merge. pyoxigraph: not in the
#   docstrings of Store and Literal.
# Why it matters: a count of triples, of duplicates or of the triples to filter depends on the tool that read the file, and
#   a literal printed by the one may not be found by the other.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile 'rdflib==7.6.0' 'pyoxigraph==0.5.13'

cat > "$tmp/seen" <<'END'
8 lines: rdflib 6 triples, Oxigraph 5
integer: rdflib ['1'], Oxigraph ['1']
decimal: rdflib ['0.5', '0.50'], Oxigraph ['0.5']
date: rdflib ['1990-01-01'], Oxigraph ['1990-01-01', '1990-01-01Z']
string: rdflib ['s', 's'], Oxigraph ['s']
END
"$tmp/venv/bin/python" - > "$tmp/now" <<'END'
import pyoxigraph as ox
import rdflib

XSD = "http://www.w3.org/2001/XMLSchema#"
values = {
    "integer": (f'"1"^^<{XSD}integer>', f'"01"^^<{XSD}integer>'),
    "decimal": (f'"0.5"^^<{XSD}decimal>', f'"0.50"^^<{XSD}decimal>'),
    "date": (f'"1990-01-01"^^<{XSD}date>', f'"1990-01-01Z"^^<{XSD}date>'),
    "string": ('"s"', f'"s"^^<{XSD}string>'),
}
lines = [f"<http://x/a> <http://x/{name}> {value} ." for name, pair in values.items() for value in pair]
text = "\n".join(lines) + "\n"
graph = rdflib.Graph().parse(data=text, format="nt")
store = ox.Store()
store.load(text.encode(), ox.RdfFormat.N_TRIPLES)
print(f"{len(lines)} lines: rdflib {len(graph)} triples, Oxigraph {len(store)}")
for name in values:
    in_graph = sorted(str(value) for value in graph.objects(None, rdflib.URIRef(f"http://x/{name}")))
    in_store = sorted(quad.object.value for quad in store.quads_for_pattern(None, ox.NamedNode(f"http://x/{name}"), None))
    print(f"{name}: rdflib {in_graph}, Oxigraph {in_store}")
END
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: the triples are no longer merged as seen"; exit 1; }
echo "as seen"
