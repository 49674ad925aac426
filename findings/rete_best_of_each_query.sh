#!/usr/bin/env bash
# In a rete graph every candidate is the best of its query: NOT EXISTS does not see the score that it compares with.
#
# Seen 2026-12-01 with Python 3.11.7: rete-graph 0.3.6, rdflib 7.6.0, pyoxigraph 0.5.13.
# Guess before running: FILTER EXISTS with a comparison of an inner and an outer value answers as Oxigraph does (80 %; one of a
#   battery of queries).
# Behaviour: the pattern in EXISTS is joined with the outer row, so ?query is the same in both, but a FILTER in it does not see the
#   outer variables that its own pattern lacks. ?other > ?score is an error, nothing exists, and NOT EXISTS is always true. With
#   OPTIONAL and !BOUND the answer is right.
# Documented? No: "SPARQL" queries, without a word on EXISTS. SPARQL substitutes the values of the row in the whole pattern.
# Why it matters: "no candidate of the query has a higher score" is the usual way to ask for the first of each query. Here Hits@1 of
#   any model is 1, and the rank of a right answer by EXISTS is 1 always.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile --prefer-binary \
  'rete-graph==0.3.6' 'rdflib==7.6.0' 'pyoxigraph==0.5.13'

cat > "$tmp/seen" <<'END'
best of each query by NOT EXISTS: rdflib Bonn Lyon, Oxigraph Bonn Lyon, rete Bonn Graz Lyon Oslo Rome
not the best, by EXISTS: rdflib Graz Oslo Rome, Oxigraph Graz Oslo Rome, rete nothing
with another candidate, by EXISTS: rdflib Bonn Graz Lyon Oslo Rome, Oxigraph Bonn Graz Lyon Oslo Rome, rete nothing
best of each query by OPTIONAL: rdflib Bonn Lyon, Oxigraph Bonn Lyon, rete Bonn Lyon
right answers, and those that are first: rdflib 2 1, Oxigraph 2 1, rete 2 2
END
cat > "$tmp/program.py" <<'END'
import pyoxigraph
import rdflib
import rete_graph

CANDIDATES = [("q1", "Lyon", 0.9), ("q1", "Rome", 0.7), ("q1", "Graz", 0.5), ("q2", "Bonn", 0.8), ("q2", "Oslo", 0.6)]
text = "@prefix : <urn:x:> .\n"
text += "".join(f':{name} :of :{query} ; :score {score} ; :name "{name}" .\n' for query, name, score in CANDIDATES)
text += ":Lyon :is :right .\n:Oslo :is :right .\n"
store = pyoxigraph.Store()
store.load(text.encode(), format=pyoxigraph.RdfFormat.TURTLE)
graph = rdflib.Graph().parse(data=text, format="turtle")
rete = rete_graph.open(rete_graph.build(text, "ttl"))


def ask(title, query):
    """Print what the three answer, in the order of the alphabet."""
    query = "PREFIX : <urn:x:> " + query
    rows = {
        "rdflib": [[str(term) for term in row] for row in graph.query(query)],
        "Oxigraph": [[term.value for term in row] for row in store.query(query)],
        "rete": [[term.value for term in row.values()] for row in rete.query(query)],
    }
    found = {name: sorted(" ".join(row) for row in answer) for name, answer in rows.items()}
    print(f"{title}:", ", ".join(f"{name} {' '.join(answer) or 'nothing'}" for name, answer in found.items()))


CANDIDATE = "?c :of ?query ; :score ?score ; :name ?name"
BETTER = "?k :of ?query ; :score ?other FILTER(?other > ?score)"
ask("best of each query by NOT EXISTS", f"SELECT ?name {{ {CANDIDATE} FILTER NOT EXISTS {{ {BETTER} }} }}")
ask("not the best, by EXISTS", f"SELECT ?name {{ {CANDIDATE} FILTER EXISTS {{ {BETTER} }} }}")
ask(
    "with another candidate, by EXISTS",
    f"SELECT ?name {{ {CANDIDATE} FILTER EXISTS {{ ?k :of ?query FILTER(?k != ?c) }} }}",
)
ask("best of each query by OPTIONAL", f"SELECT ?name {{ {CANDIDATE} OPTIONAL {{ {BETTER} }} FILTER(!BOUND(?k)) }}")
ask(
    "right answers, and those that are first",
    "SELECT (COUNT(*) AS ?n) (SUM(?first) AS ?hits)"
    f"{{ {CANDIDATE} ; :is :right BIND(IF(NOT EXISTS {{ {BETTER} }}, 1, 0) AS ?first) }}",
)
END
"$tmp/venv/bin/python" "$tmp/program.py" > "$tmp/now"
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: the best of each query is no longer as seen"; exit 1; }
echo "as seen"
