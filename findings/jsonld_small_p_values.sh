#!/usr/bin/env bash
# jsonld.js: a p-value of 1e-7 in JSON-LD becomes the integer 0 in RDF, and 1.5e-7 the double that it is.
#
# Seen 2026-11-29 with Node.js 20.20 and Python 3.11.7: jsonld 9.0.0 (npm); pyld 3.3.0, pyoxigraph 0.5.13, rdflib 7.6.0.
# Guess before running: a number that is not whole becomes an xsd:double (92 %, of 0.331 in jsonld.js, and of 1e-7 in PyLD and Oxigraph).
# Behaviour: jsonld.js looks for a point in the text of a number to tell whether it is whole. JavaScript writes numbers below 1e-6 with an
#   exponent, and with a point only where more than one digit is left: 1e-7, 2e-9 and -1e-8 have none, so they are rounded
#   to whole numbers. 0.00001 is written out, and right. Typed as xsd:double in the context, all are right.
# Documented? In the recommendation (JSON-LD 1.1 API, object to RDF): a number with a fraction is an xsd:double. Of the package, no.
# Why it matters: a p-value rounded to one digit, as tables give it, is 0 and certain, and its neighbours are not. Counts below it
#   ("p < 0.001") are right, so nothing looks wrong, until it is multiplied by the number of comparisons, and stays 0.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile --prefer-binary 'pyld==3.3.0' 'pyoxigraph==0.5.13' 'rdflib==7.6.0'
npm install --prefix "$tmp" --silent --no-audit --no-fund --ignore-scripts jsonld@9.0.0 > "$tmp/log" 2>&1 ||
  { cat "$tmp/log"; exit 1; }

cat > "$tmp/seen" <<'END'
0.331: jsonld.js 0.331 double, PyLD 0.331 double, Oxigraph 0.331 double, rdflib 0.331 double
1e-05: jsonld.js 1e-05 double, PyLD 1e-05 double, Oxigraph 1e-05 double, rdflib 1e-05 double
1.5e-07: jsonld.js 1.5e-07 double, PyLD 1.5e-07 double, Oxigraph 1.5e-07 double, rdflib 1.5e-07 double
1e-07: jsonld.js 0 integer, PyLD 1e-07 double, Oxigraph 1e-07 double, rdflib 1e-07 double
2e-09: jsonld.js 0 integer, PyLD 2e-09 double, Oxigraph 2e-09 double, rdflib 2e-09 double
-1e-08: jsonld.js 0 integer, PyLD -1e-08 double, Oxigraph -1e-08 double, rdflib -1e-08 double
2e-09, typed in the context: jsonld.js 2e-09 double, PyLD 2e-09 double, Oxigraph 2e-09 double, rdflib 2e-09 double
END
cat > "$tmp/convert.mjs" <<'END'
import jsonld from 'jsonld';

for (const document of JSON.parse(process.argv[2])) {
  const text = await jsonld.toRDF(document, {format: 'application/n-quads'});
  console.log(text.trim());
}
END
cat > "$tmp/program.py" <<'END'
import json
import subprocess
import sys

import pyoxigraph
import rdflib
from pyld import jsonld

XSD = "http://www.w3.org/2001/XMLSchema#"


def show(line):
    """Show the number and the type of the literal in a line of N-Triples."""
    literal = next(pyoxigraph.parse(line.encode(), format=pyoxigraph.RdfFormat.N_QUADS)).object
    number = float(literal.value)
    return f"{number or 0:g} {literal.datatype.value.removeprefix(XSD)}"


numbers = [0.331, 1e-5, 1.5e-7, 1e-7, 2e-9, -1e-8]
base = "http://example.org/"
documents = {f"{number}": {"@id": base + "test", base + "p": number} for number in numbers}
typed = {"p": {"@id": base + "p", "@type": XSD + "double"}}
documents["2e-09, typed in the context"] = {"@context": typed, "@id": base + "test", "p": 2e-9}
command = ["node", sys.argv[1], json.dumps(list(documents.values()))]
lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
for (name, document), line in zip(documents.items(), lines, strict=True):
    text = json.dumps(document)
    quad = next(pyoxigraph.parse(text.encode(), format=pyoxigraph.RdfFormat.JSON_LD))
    graph = rdflib.Graph().parse(data=text, format="json-ld")
    literals = {
        "jsonld.js": line,
        "PyLD": jsonld.to_rdf(document, {"format": "application/n-quads"}),
        "Oxigraph": f"{quad.subject} {quad.predicate} {quad.object} .",
        "rdflib": graph.serialize(format="nt"),
    }
    print(f"{name}:", ", ".join(f"{library} {show(text)}" for library, text in literals.items()))
END
"$tmp/venv/bin/python" -W ignore "$tmp/program.py" "$tmp/convert.mjs" > "$tmp/now"
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: small numbers are no longer as seen"; exit 1; }
echo "as seen"
