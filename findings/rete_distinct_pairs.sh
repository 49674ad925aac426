#!/usr/bin/env bash
# In a rete graph COUNT(DISTINCT *) counts every row, and AVG(DISTINCT ?x) is the average of all values.
#
# Seen 2026-12-01 with Python 3.11.7: rete-graph 0.3.6, rdflib 7.6.0, pyoxigraph 0.5.13.
# Guess before running: as in Oxigraph, each row and each value once (80 % each, two of a battery of queries).
# Behaviour: DISTINCT has an effect in COUNT(DISTINCT ?x), GROUP_CONCAT and SELECT DISTINCT. In COUNT(DISTINCT *), SUM and AVG it is
#   read and has none.
# Documented? No.
# Why it matters: the difference of COUNT(*) and COUNT(DISTINCT *) over two relations is the number of pairs that have both, which
#   is how near-duplicate relations are found that leak test triples into training. Here there never are any.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile --prefer-binary \
  'rete-graph==0.3.6' 'rdflib==7.6.0' 'pyoxigraph==0.5.13'

cat > "$tmp/seen" <<'END'
pairs of two relations: rdflib 5, Oxigraph 5, rete 5
COUNT(DISTINCT *): rdflib 3, Oxigraph 3, rete 5
rows of SELECT DISTINCT: rdflib 3, Oxigraph 3, rete 3
pairs that have both relations: rdflib 2, Oxigraph 2, rete 0
COUNT(DISTINCT ?score): rdflib 2, Oxigraph 2, rete 2
SUM(DISTINCT ?score): rdflib 0.7, Oxigraph 0.7, rete 1.6
AVG(DISTINCT ?score): rdflib 0.35, Oxigraph 0.35, rete 0.32
END
cat > "$tmp/program.py" <<'END'
import pyoxigraph
import rdflib
import rete_graph

text = """@prefix : <urn:x:> .
:Lyon :located_in :France . :Bonn :located_in :Germany . :Oslo :located_in :Norway .
:Lyon :part_of :France . :Bonn :part_of :Germany .
:A :score 0.5 . :B :score 0.5 . :C :score 0.2 . :D :score 0.2 . :E :score 0.2 .
"""
store = pyoxigraph.Store()
store.load(text.encode(), format=pyoxigraph.RdfFormat.TURTLE)
graph = rdflib.Graph().parse(data=text, format="turtle")
rete = rete_graph.open(rete_graph.build(text, "ttl"))
PAIRS = "{ ?h :located_in ?t } UNION { ?h :part_of ?t }"


def ask(title, wanted, pattern):
    """Print the one value that the three answer."""
    query = f"PREFIX : <urn:x:> SELECT ({wanted} AS ?x) {{ {pattern} }}"
    [[first]] = graph.query(query)
    [[second]] = store.query(query)
    [row] = rete.query(query)
    print(f"{title}: rdflib {first}, Oxigraph {second.value}, rete {row['x'].value}")


ask("pairs of two relations", "COUNT(*)", PAIRS)
ask("COUNT(DISTINCT *)", "COUNT(DISTINCT *)", PAIRS)
ask("rows of SELECT DISTINCT", "COUNT(*)", f"SELECT DISTINCT ?h ?t {{ {PAIRS} }}")
ask("pairs that have both relations", "COUNT(*) - COUNT(DISTINCT *)", PAIRS)
for name in ("COUNT", "SUM", "AVG"):
    ask(f"{name}(DISTINCT ?score)", f"{name}(DISTINCT ?score)", "?m :score ?score")
END
"$tmp/venv/bin/python" "$tmp/program.py" > "$tmp/now"
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: distinct rows and values are no longer as seen"; exit 1; }
echo "as seen"
