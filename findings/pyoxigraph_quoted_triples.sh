#!/usr/bin/env bash
# A Turtle file with a quoted triple loads in pyoxigraph 0.4 and 0.5, as two triples and as three.
#
# Seen 2026-11-28 with Python 3.11.7: pyoxigraph 0.4.11 and 0.5.13.
# Guess before running: the same two triples in both: a statement, and one about it.
# Behaviour: 0.4 follows RDF-star, where << s p o >> is the subject itself. 0.5 follows RDF 1.2, where the same text means
#   a new blank node that "reifies" the triple: one more triple, and the query that used to find the qualifier finds nothing.
# Documented? It follows from the two specifications. The docstrings of Store and Turtle name neither the change nor the
#   new meaning, and there is no warning.
# Why it matters: statements with qualifiers (as in WD50K) are exchanged like this. The numbers of triples and of entities
#   grow with every statement, and with them the candidates of a ranking.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
python3 -m venv "$tmp/venv"
python="$tmp/venv/bin/python"

cat > "$tmp/seen" <<'END'
0.4.11: 2 triples, 0 with a blank subject; the subject of :year is a Triple
0.5.13: 3 triples, 2 with a blank subject; the subject of :year is a BlankNode
END
cat > "$tmp/program.py" <<'END'
import pyoxigraph as ox

text = "@prefix : <http://x/> .\n:Curie :won :Nobel .\n<< :Curie :won :Nobel >> :year 1903 .\n"
store = ox.Store()
store.load(text.encode(), ox.RdfFormat.TURTLE)
blank = sum(isinstance(quad.subject, ox.BlankNode) for quad in store)
year = ox.NamedNode("http://x/year")
kinds = [type(quad.subject).__name__ for quad in store.quads_for_pattern(None, year, None)]
print(f"{ox.__version__}: {len(store)} triples, {blank} with a blank subject; the subject of :year is a {kinds[0]}")
END
for version in 0.4.11 0.5.13; do
  "$python" -m pip install -q --no-compile "pyoxigraph==$version"
  "$python" "$tmp/program.py" >> "$tmp/now"
done
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: quoted triples are no longer read as seen"; exit 1; }
echo "as seen"
