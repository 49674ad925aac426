#!/usr/bin/env bash
# mathjs: the smallest of the p-values 3e-16, 1e-18 and 2e-17 is 3e-16, as it comes first, and three entity ids in a row are two.
#
# Seen 2026-11-30 with Node.js 20.20 and Python 3.11.7: mathjs 15.2.0 (npm).
# Guess before running: setDistinct of ids of 13 digits keeps all (65 %), and their median and mode are right (85 %).
# Behaviour: min, max, sort, median, quantileSeq and the set functions compare as the operators do: numbers that differ by less than
#   1e-12 of their size, or by less than 1e-15, are equal. Then the first of a list is its minimum and its maximum, nothing is sorted,
#   and a set drops all but one of its neighbours. mode compares exactly. With relTol 1e-300 and absTol 0 all are right.
# Documented? Of larger, smaller and equal, and of the options relTol and absTol, as of the relational functions. Of min, max, sort,
#   median and the set functions, no: there it says the minimum, sorted, distinct.
# Why it matters: p-values of two models on thousands of queries are far below 1e-15, and the best pair is then the first in the table.
#   Ids of 13 digits, as of a clock in milliseconds, are counted as fewer entities, and one that is there is not found to be new.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
npm install --prefix "$tmp" --silent --no-audit --no-fund --ignore-scripts mathjs@15.2.0 > "$tmp/log" 2>&1 ||
  { cat "$tmp/log"; exit 1; }

cat > "$tmp/seen" <<'END'
p = 3e-16, 1e-18, 2e-17
  min: mathjs 3e-16 (exact 1e-18), Python 1e-18
  max: mathjs 3e-16 (exact 3e-16), Python 3e-16
  median: mathjs 3e-16 (exact 2e-17), Python 2e-17
  sort: mathjs 3e-16 1e-18 2e-17 (exact 1e-18 2e-17 3e-16), Python 1e-18 2e-17 3e-16
  setDistinct: mathjs 3e-16 (exact 1e-18 2e-17 3e-16), Python 1e-18 2e-17 3e-16
p, the last first = 2e-17, 1e-18, 3e-16
  min: mathjs 2e-17 (exact 1e-18), Python 1e-18
  max: mathjs 2e-17 (exact 3e-16), Python 3e-16
  median: mathjs 2e-17 (exact 2e-17), Python 2e-17
  sort: mathjs 2e-17 1e-18 3e-16 (exact 1e-18 2e-17 3e-16), Python 1e-18 2e-17 3e-16
  setDistinct: mathjs 2e-17 (exact 1e-18 2e-17 3e-16), Python 1e-18 2e-17 3e-16
ids = 1700000000003, 1700000000001, 1700000000002
  min: mathjs 1700000000001 (exact 1700000000001), Python 1700000000001
  max: mathjs 1700000000003 (exact 1700000000003), Python 1700000000003
  median: mathjs 1700000000003 (exact 1700000000002), Python 1700000000002
  sort: mathjs 1700000000001 1700000000003 1700000000002 (exact 1700000000001 1700000000002 1700000000003), Python 1700000000001 1700000000002 1700000000003
  setDistinct: mathjs 1700000000001 1700000000003 (exact 1700000000001 1700000000002 1700000000003), Python 1700000000001 1700000000002 1700000000003
ids in [1700000000003] and not in [1700000000001, 1700000000002]: mathjs [] (exact [1700000000003]), Python [1700000000003]
END
cat > "$tmp/ask.mjs" <<'END'
import {all, create} from 'mathjs';

const usual = create(all);
const exact = create(all, {relTol: 1e-300, absTol: 0});
for (const [name, ...values] of JSON.parse(process.argv[2])) {
  console.log(JSON.stringify([usual, exact].map((math) => math[name](...structuredClone(values)))));
}
END
cat > "$tmp/program.py" <<'END'
import json
import statistics
import subprocess
import sys

functions = {"min": min, "max": max, "median": statistics.median, "sort": sorted, "setDistinct": lambda values: sorted(set(values))}
p_values = [3e-16, 1e-18, 2e-17]
ids = [1700000000003, 1700000000001, 1700000000002]
lists = {"p": p_values, "p, the last first": p_values[::-1], "ids": ids}


def show(answer):
    return " ".join(map(str, answer)) if isinstance(answer, list) else str(answer)


def ask(questions):
    command = ["node", sys.argv[1], json.dumps(questions)]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return [json.loads(line) for line in text.splitlines()]


for label, values in lists.items():
    print(f"{label} = {', '.join(map(str, values))}")
    for name, (usual, exact) in zip(functions, ask([[name, values] for name in functions]), strict=True):
        right = functions[name](values)
        print(f"  {name}: mathjs {show(usual)} (exact {show(exact)}), Python {show(right)}")
new, known = ids[:1], ids[1:]
[(usual, exact)] = ask([["setDifference", new, known]])
print(f"ids in {new} and not in {known}: mathjs {usual} (exact {exact}), Python {sorted(set(new) - set(known))}")
END
python3 "$tmp/program.py" "$tmp/ask.mjs" > "$tmp/now"
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: comparisons are no longer as seen"; exit 1; }
echo "as seen"
