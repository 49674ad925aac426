#!/usr/bin/env bash
# Of four scores of which three are numbers, COUNT(?score + 0) is 4 in rdflib and nothing in Oxigraph.
#
# Seen 2026-12-01 with Python 3.11.7: rdflib 7.6.0, pyoxigraph 0.5.13.
# Guess before running: an expression that is an error in a row is left out of COUNT, so 3 (85 %), in both, although
#   a count beside an average had come up empty in a battery of queries.
# Behaviour: rdflib counts the rows in which the expression is an error too, by 1 / "n/a" as by + and a cast. In Oxigraph an error
#   in one row makes the whole count one. If the expression is bound first, both count 3. Averages: the other way about, rdflib
#   leaves the text out, Oxigraph has no average.
# Documented? No. SPARQL 1.1 counts how often an expression "has a bound, and non-error value".
# Why it matters: the denominators of Hits@k, "how many models report an MRR" and shares of missing ranks are counts of an
#   expression; with "n/a" in the column, or a division by 0, the share is too low in one store and missing in the other.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile --prefer-binary 'rdflib==7.6.0' 'pyoxigraph==0.5.13'

cat > "$tmp/seen" <<'END'
COUNT(?score): rdflib 4, Oxigraph 4
COUNT(?score + 0): rdflib 4, Oxigraph None
COUNT(1 / ?score): rdflib 4, Oxigraph None
COUNT(xsd:decimal(?score)): rdflib 4, Oxigraph None
COUNT(?number) after BIND(?score + 0 AS ?number): rdflib 3, Oxigraph 3
AVG(?score): rdflib 0.6, Oxigraph None
END
cat > "$tmp/program.py" <<'END'
import pyoxigraph
import rdflib

SCORES = ["0.5", '"n/a"', "0.6", "0.7"]
PREFIXES = "PREFIX : <urn:x:> PREFIX xsd: <http://www.w3.org/2001/XMLSchema#> "
text = "@prefix : <urn:x:> .\n" + "".join(f":m{place} :mrr {score} .\n" for place, score in enumerate(SCORES))
store = pyoxigraph.Store()
store.load(text.encode(), format=pyoxigraph.RdfFormat.TURTLE)
graph = rdflib.Graph().parse(data=text, format="turtle")


def ask(aggregate, bind=""):
    """Print the value of an aggregate over all scores in both libraries."""
    query = f"{PREFIXES} SELECT ({aggregate} AS ?x) {{ ?m :mrr ?score {bind} }}"
    [[first]] = graph.query(query)
    [[second]] = store.query(query)
    title = f"{aggregate} after {bind}" if bind else aggregate
    print(f"{title}: rdflib {first}, Oxigraph {second and second.value}")


ask("COUNT(?score)")
ask("COUNT(?score + 0)")
ask("COUNT(1 / ?score)")
ask("COUNT(xsd:decimal(?score))")
ask("COUNT(?number)", "BIND(?score + 0 AS ?number)")
ask("AVG(?score)")
END
"$tmp/venv/bin/python" "$tmp/program.py" > "$tmp/now"
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: counts of expressions are no longer as seen"; exit 1; }
echo "as seen"
