#!/usr/bin/env bash
# Vega, Arquero: of four models with the same score, one has a cumulative share of 0.25 and is in the first half, three have 1.
#
# Seen 2026-11-30 with Node.js 20.20 and Python 3.11.7: vega-transforms 5.2.2, vega-dataflow 6.1.3, vega-util 2.1.3, arquero 7.2.1 (npm);
#   sqlite3 of Python.
# Guess before running: percent_rank with ties as in SQL (85 %, and it is), ntile as in SQL (55 %). That equal scores could differ in
#   cume_dist, nobody thought.
# Behaviour: both look for the end of a run of equal values from its second row on. If the first row of a window is tied, it alone is
#   counted without its peers: of a scores tied at the top, one has 1 / n and the others a / n. Ties further down are right.
#   ntile is the rounded-up multiple of cume_dist, so its buckets are not those of SQL, and the tied best are torn apart.
# Documented? Of cume_dist, that it gives a cumulative distribution value. Of ntile, that it gives a quantile. Neither names ties.
# Why it matters: the share of models or candidates at least as good is what a chart of many results shows. Which of the tied best
#   comes out ahead is the order of the rows in the file.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
npm install --prefix "$tmp" --silent --no-audit --no-fund --ignore-scripts \
  vega-transforms@5.2.2 vega-dataflow@6.1.3 vega-util@2.1.3 arquero@7.2.1 > "$tmp/log" 2>&1 || { cat "$tmp/log"; exit 1; }

cat > "$tmp/seen" <<'END'
scores 0.5, 0.5, 0.5, 0.5
  cume_dist: SQLite 1.00 1.00 1.00 1.00; Vega 0.25 1.00 1.00 1.00; Arquero 0.25 1.00 1.00 1.00
  ntile(2): SQLite 1 1 2 2; Vega 1 2 2 2; Arquero 1 2 2 2
  percent_rank: SQLite 0.00 0.00 0.00 0.00; Vega 0.00 0.00 0.00 0.00; Arquero 0.00 0.00 0.00 0.00
scores 0.5, 0.5, 0.5, 0.4, 0.3, 0.2
  cume_dist: SQLite 0.50 0.50 0.50 0.67 0.83 1.00; Vega 0.17 0.50 0.50 0.67 0.83 1.00; Arquero 0.17 0.50 0.50 0.67 0.83 1.00
  ntile(2): SQLite 1 1 1 2 2 2; Vega 1 1 1 2 2 2; Arquero 1 1 1 2 2 2
  percent_rank: SQLite 0.00 0.00 0.00 0.60 0.80 1.00; Vega 0.00 0.00 0.00 0.60 0.80 1.00; Arquero 0.00 0.00 0.00 0.60 0.80 1.00
scores 0.5, 0.4, 0.4, 0.4, 0.3, 0.2
  cume_dist: SQLite 0.17 0.67 0.67 0.67 0.83 1.00; Vega 0.17 0.67 0.67 0.67 0.83 1.00; Arquero 0.17 0.67 0.67 0.67 0.83 1.00
  ntile(2): SQLite 1 1 1 2 2 2; Vega 1 2 2 2 2 2; Arquero 1 2 2 2 2 2
  percent_rank: SQLite 0.00 0.20 0.20 0.20 0.80 1.00; Vega 0.00 0.20 0.20 0.20 0.80 1.00; Arquero 0.00 0.20 0.20 0.20 0.80 1.00
END
cat > "$tmp/ask.mjs" <<'END'
import * as aq from 'arquero';
import {Dataflow, changeset} from 'vega-dataflow';
import {collect, window} from 'vega-transforms';
import {compare} from 'vega-util';

const names = ['cume_dist', 'ntile', 'percent_rank'];

function askVega(scores) {
  const flow = new Dataflow();
  const source = flow.add(collect);
  const result = flow.add(window, {
    pulse: source, sort: compare('score', 'descending'), ops: names, params: [null, 2, null], fields: [null, null, null], as: names});
  const rows = flow.add(collect, {pulse: result});
  flow.pulse(source, changeset().insert(scores.map((score) => ({score})))).run();
  return rows.value;
}

function askArquero(scores) {
  const {op} = aq;
  const table = aq.table({score: scores}).orderby(aq.desc('score'));
  return table.derive({cume_dist: op.cume_dist(), ntile: op.ntile(2), percent_rank: op.percent_rank()}).objects();
}

for (const scores of JSON.parse(process.argv[2])) {
  const answers = [askVega(scores), askArquero(scores)];
  console.log(JSON.stringify(answers.map((rows) => names.map((name) => rows.map((row) => row[name])))));
}
END
cat > "$tmp/program.py" <<'END'
import json
import sqlite3
import subprocess
import sys

scores = [[0.5] * 4, [0.5, 0.5, 0.5, 0.4, 0.3, 0.2], [0.5, 0.4, 0.4, 0.4, 0.3, 0.2]]
functions = ("cume_dist()", "ntile(2)", "percent_rank()")
connection = sqlite3.connect(":memory:")
command = ["node", sys.argv[1], json.dumps(scores)]
lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
for values, line in zip(scores, lines, strict=True):
    print("scores", ", ".join(map(str, values)))
    rows = " UNION ALL ".join(f"SELECT {value} AS score" for value in values)
    for number, function in enumerate(functions):
        question = f"SELECT {function} OVER (ORDER BY score DESC) AS x FROM ({rows}) ORDER BY score DESC, x"
        answers = {"SQLite": [x for (x,) in connection.execute(question)]}
        answers["Vega"], answers["Arquero"] = (answer[number] for answer in json.loads(line))
        shape = "d" if function == "ntile(2)" else ".2f"
        shown = (f"{name} {' '.join(format(x, shape) for x in answer)}" for name, answer in answers.items())
        print(f"  {function.removesuffix('()')}:", "; ".join(shown))
END
python3 "$tmp/program.py" "$tmp/ask.mjs" > "$tmp/now"
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: equal scores are no longer as seen"; exit 1; }
echo "as seen"
