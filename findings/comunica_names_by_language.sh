#!/usr/bin/env bash
# Comunica: which models with equal scores are the best three, and how many names come before "b", depends on the language of the machine.
#
# Seen 2026-11-30 with Node.js 20.20 and Python 3.11.7: @comunica/query-sparql-rdfjs 5.4.1, n3 2.13.12 (npm); pyoxigraph 0.5.13.
# Guess before running: the order of names, MIN and MAX are the same under English, Swedish and C locales (65 %); FILTER with < agrees with
#   ORDER BY (70 %, and it does).
# Behaviour: strings are compared with localeCompare, in ORDER BY, MIN, MAX, < and =, by the rules of the language that LC_ALL or LANG
#   names. In Swedish, Ä and Ö follow Z, in English they are next to A and O. Oxigraph compares code points.
# Documented? Not in the README of the package. SPARQL 1.1 compares strings by code points (operator mapping, fn:compare).
# Why it matters: a query that breaks ties by name looks reproducible. Here it returns other models on a colleague's machine, and a filter
#   that splits entities by name into training and test gives other sets, with no random seed to blame.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile --prefer-binary 'pyoxigraph==0.5.13'
npm install --prefix "$tmp" --silent --no-audit --no-fund --ignore-scripts @comunica/query-sparql-rdfjs@5.4.1 n3@2.13.12 > "$tmp/log" 2>&1 ||
  { cat "$tmp/log"; exit 1; }

cat > "$tmp/seen" <<'END'
SELECT ?x { ?model :name ?x ; :mrr ?mrr } ORDER BY DESC(?mrr) ?x
  Comunica en_US.UTF-8: a-c, ab, Ähnlich, Ångström, bilinear, Boxe, Öresund, Zeta
  Comunica sv_SE.UTF-8: a-c, ab, bilinear, Boxe, Zeta, Ångström, Ähnlich, Öresund
  Oxigraph: Boxe, Zeta, a-c, ab, bilinear, Ähnlich, Ångström, Öresund
SELECT ?x { ?model :name ?x ; :mrr ?mrr } ORDER BY DESC(?mrr) DESC(?x) LIMIT 3
  Comunica en_US.UTF-8: Zeta, Öresund, Boxe
  Comunica sv_SE.UTF-8: Öresund, Ähnlich, Ångström
  Oxigraph: Öresund, Ångström, Ähnlich
SELECT (MAX(?name) AS ?x) { ?model :name ?name }
  Comunica en_US.UTF-8: Zeta
  Comunica sv_SE.UTF-8: Öresund
  Oxigraph: Öresund
SELECT (COUNT(*) AS ?x) { ?model :name ?name FILTER(?name < "b") }
  Comunica en_US.UTF-8: 4
  Comunica sv_SE.UTF-8: 2
  Oxigraph: 4
END
cat > "$tmp/ask.mjs" <<'END'
import {QueryEngine} from '@comunica/query-sparql-rdfjs';
import {Parser, Store} from 'n3';

const [data, questions] = JSON.parse(process.argv[2]);
const store = new Store(new Parser().parse(data));
const engine = new QueryEngine();
for (const question of questions) {
  const rows = await (await engine.queryBindings(question, {sources: [store]})).toArray();
  console.log(rows.map((row) => row.get('x').value).join(', '));
}
END
cat > "$tmp/program.py" <<'END'
import json
import os
import subprocess
import sys

import pyoxigraph

PREFIX = "PREFIX : <http://example.org/>"
NAMES = ("ab", "Boxe", "a-c", "Ångström", "bilinear", "Ähnlich", "Zeta", "Öresund")
data = "@prefix : <http://example.org/> .\n"
data += "\n".join(f':model{number} :name "{name}" ; :mrr 0.3 .' for number, name in enumerate(NAMES))
store = pyoxigraph.Store()
store.load(data.encode(), format=pyoxigraph.RdfFormat.TURTLE)
questions = [
    f"{PREFIX} SELECT ?x {{ ?model :name ?x ; :mrr ?mrr }} ORDER BY DESC(?mrr) ?x",
    f"{PREFIX} SELECT ?x {{ ?model :name ?x ; :mrr ?mrr }} ORDER BY DESC(?mrr) DESC(?x) LIMIT 3",
    f"{PREFIX} SELECT (MAX(?name) AS ?x) {{ ?model :name ?name }}",
    f'{PREFIX} SELECT (COUNT(*) AS ?x) {{ ?model :name ?name FILTER(?name < "b") }}',
]
answers = {}
for language in ("en_US.UTF-8", "sv_SE.UTF-8"):
    command = ["node", sys.argv[1], json.dumps([data, questions])]
    environment = {**os.environ, "LC_ALL": language, "LANG": language}
    found = subprocess.run(command, check=True, capture_output=True, text=True, encoding="utf-8", env=environment).stdout
    answers[f"Comunica {language}"] = found.splitlines()
answers["Oxigraph"] = [", ".join(row["x"].value for row in store.query(question)) for question in questions]
for number, question in enumerate(questions):
    print(question.removeprefix(PREFIX).strip())
    for name, lines in answers.items():
        print(f"  {name}: {lines[number]}")
END
PYTHONUTF8=1 "$tmp/venv/bin/python" "$tmp/program.py" "$tmp/ask.mjs" > "$tmp/now"
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: names are no longer compared as seen"; exit 1; }
echo "as seen"
