#!/usr/bin/env bash
# In Oxigraph the product of two quotients has no value: no F1 of precision 2/3, no variance, no mean over the models.
#
# Seen 2026-12-01 with Python 3.11.7: pyoxigraph 0.5.13, rdflib 7.6.0.
# Guess before running: (1/3) * (1/3) has a value, to 18 digits (85 %). The variance had come up without one in a battery of
#   queries, of which the guess was that two stores agree (80 %).
# Behaviour: a quotient of integers is a decimal of 18 digits after the point. Two decimals whose digits do not end, multiplied,
#   are an overflow, however small, and so an error, which in SPARQL is no value: 2/3 * 1/3 has none, 3/4 * 3/4 has. 1/3 * 1/3 is
#   read as (1/3 * 1) / 3 and has one. The average of a column with one such error has none, and a bound column leaves it out.
# Documented? "Nearly 18 digits before and 18 digits after the point", and no value "in case of overflow": no word on products.
# Why it matters: F1, variances and products of shares are computed from counts in a query. The models whose shares end (3 of 4)
#   keep theirs, the others are without, at the end of the order, and a maximum or count over the table is of the rest.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile --prefer-binary 'pyoxigraph==0.5.13' 'rdflib==7.6.0'

cat > "$tmp/seen" <<'END'
(1/3) * (1/3): Oxigraph None; rdflib 0.1111
1/3 * 1/3: Oxigraph 0.1111; rdflib 0.1111
(3/4) * (3/4): Oxigraph 0.5625; rdflib 0.5625
mean rank: Oxigraph 186.2; rdflib 186.2
variance of ranks: Oxigraph None; rdflib 1.337e+05
the same of ranks as doubles: Oxigraph 1.337e+05; rdflib 1.337e+05
F1 of each model, best first: Oxigraph B 0.75, C None, A None; rdflib B 0.75, A 0.4444, C 0.375
as a harmonic mean: Oxigraph B 0.75, A 0.4444, C 0.375; rdflib B 0.75, A 0.4444, C 0.375
models with an F1, and their mean: Oxigraph 1 None; rdflib 3 0.5231
END
cat > "$tmp/program.py" <<'END'
import pyoxigraph
import rdflib

RANKS = [1, 2, 4, 10, 100, 1000]
COUNTS = {"A": (3, 2, 6), "B": (4, 3, 4), "C": (7, 3, 9)}
PREFIXES = "PREFIX : <urn:x:> PREFIX xsd: <http://www.w3.org/2001/XMLSchema#> "
text = "@prefix : <urn:x:> .\n"
text += "".join(f":q{place} :rank {rank} .\n" for place, rank in enumerate(RANKS))
for name, (found, right, known) in COUNTS.items():
    text += f':{name} :name "{name}" ; :found {found} ; :right {right} ; :known {known} .\n'
store = pyoxigraph.Store()
store.load(text.encode(), format=pyoxigraph.RdfFormat.TURTLE)
graph = rdflib.Graph().parse(data=text, format="turtle")


def write(term):
    """Return a short text of a term of either library."""
    if term is None:
        return "None"
    value = term.value if isinstance(term, pyoxigraph.Literal) else str(term)
    if value.isalpha():
        return value
    return f"{float(value):.4g}"


def ask(title, query):
    """Print what both libraries answer."""
    answers = []
    for name, rows in (("Oxigraph", store.query(PREFIXES + query)), ("rdflib", graph.query(PREFIXES + query))):
        answers.append(f"{name} {', '.join(' '.join(write(term) for term in row) for row in rows)}")
    print(f"{title}: {'; '.join(answers)}")


for product in ("(1/3) * (1/3)", "1/3 * 1/3", "(3/4) * (3/4)"):
    ask(product, f"SELECT ({product} AS ?x) {{}}")
ask("mean rank", "SELECT (AVG(?r) AS ?x) { ?q :rank ?r }")
ask("variance of ranks", "SELECT (AVG(?r * ?r) - AVG(?r) * AVG(?r) AS ?x) { ?q :rank ?r }")
ask(
    "the same of ranks as doubles",
    "SELECT (AVG(?r * ?r) - AVG(?r) * AVG(?r) AS ?x) { ?q :rank ?k BIND(xsd:double(?k) AS ?r) }",
)
MODELS = "?m :name ?name ; :found ?n ; :right ?k ; :known ?l BIND(?k/?n AS ?p) BIND(?k/?l AS ?r) BIND({} AS ?f)"
F1, HARMONIC = MODELS.format("2 * ?p * ?r / (?p + ?r)"), MODELS.format("2 / (1/?p + 1/?r)")
ask("F1 of each model, best first", f"SELECT ?name ?f {{ {F1} }} ORDER BY DESC(?f) DESC(?name)")
ask("as a harmonic mean", f"SELECT ?name ?f {{ {HARMONIC} }} ORDER BY DESC(?f) DESC(?name)")
ask("models with an F1, and their mean", f"SELECT (COUNT(?f) AS ?c) (AVG(?f) AS ?x) {{ {F1} }}")
END
"$tmp/venv/bin/python" "$tmp/program.py" > "$tmp/now"
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: products of quotients are no longer as seen"; exit 1; }
echo "as seen"
