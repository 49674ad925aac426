#!/usr/bin/env bash
# Formula.js: T.TEST has the same p for paired and unpaired samples, equal and unequal variances, one tail and two.
#
# Seen 2026-11-30 with Node.js 20.20 and Python 3.11.7: @formulajs/formulajs 4.6.1, hyperformula 3.5.0 (npm); scipy 1.17.1, numpy 2.4.6.
# Guess before running: one tail has half the p of two tails (65 %), and type 3 another p than type 2 (65 %). That type 1 has the p of
#   unpaired samples came first, unguessed.
# Behaviour: the arguments tails and type are taken and ignored. The p is that of two unpaired samples, two tails and equal variances.
#   HyperFormula, the other spreadsheet in JavaScript, and SciPy agree on all six.
# Documented? In part: the comment at the function names two data sets and no tails and type. The table of functions marks T.TEST as
#   implemented and links to Excel's page, where all four arguments are required.
# Why it matters: two models are compared on the same queries or data sets, so the test is paired. Here one that wins on all six data
#   sets differs with p = 0.025, and T.TEST(new, old, 2, 1) is 0.61.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
npm install --prefix "$tmp" --silent --no-audit --no-fund --ignore-scripts @formulajs/formulajs@4.6.1 hyperformula@3.5.0 > "$tmp/log" 2>&1 ||
  { cat "$tmp/log"; exit 1; }
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile 'scipy==1.17.1' 'numpy==2.4.6'

cat > "$tmp/seen" <<'END'
T.TEST(new, old, 2, 1), paired: Formula.js 0.6126, HyperFormula 0.0252, SciPy 0.0252
T.TEST(new, old, 2, 2), equal variances: Formula.js 0.6126, HyperFormula 0.6126, SciPy 0.6126
T.TEST(new, old, 2, 3), unequal variances: Formula.js 0.6126, HyperFormula 0.6132, SciPy 0.6132
T.TEST(new, old, 1, 1), paired: Formula.js 0.6126, HyperFormula 0.0126, SciPy 0.0126
T.TEST(new, old, 1, 2), equal variances: Formula.js 0.6126, HyperFormula 0.3063, SciPy 0.3063
T.TEST(new, old, 1, 3), unequal variances: Formula.js 0.6126, HyperFormula 0.3066, SciPy 0.3066
END
cat > "$tmp/ask.cjs" <<'END'
const {T} = require('@formulajs/formulajs');
const {HyperFormula} = require('hyperformula');
const [first, second] = JSON.parse(process.argv[2]);
const sheet = HyperFormula.buildFromArray(first.map((value, row) => [value, second[row]]), {licenseKey: 'gpl-v3'});
const answers = [];
for (const tails of [2, 1]) {
  for (const type of [1, 2, 3]) {
    const formula = `=T.TEST(A1:A${first.length}, B1:B${first.length}, ${tails}, ${type})`;
    answers.push([tails, type, T.TEST(first, second, tails, type), sheet.calculateFormula(formula, 0)]);
  }
}
console.log(JSON.stringify(answers));
END
cat > "$tmp/program.py" <<'END'
import json
import subprocess
import sys

from scipy import stats

NEW = [0.338, 0.476, 0.250, 0.577, 0.441, 0.309]  # MRR of two models on six data sets
OLD = [0.321, 0.428, 0.241, 0.502, 0.404, 0.297]
NAMES = {1: "paired", 2: "equal variances", 3: "unequal variances"}
command = ["node", sys.argv[1], json.dumps([NEW, OLD])]
answers = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
for tails, kind, formula_js, hyper_formula in answers:
    alternative = "greater" if tails == 1 else "two-sided"
    if kind == 1:
        expected = stats.ttest_rel(NEW, OLD, alternative=alternative).pvalue
    else:
        expected = stats.ttest_ind(NEW, OLD, equal_var=kind == 2, alternative=alternative).pvalue
    print(f"T.TEST(new, old, {tails}, {kind}), {NAMES[kind]}: Formula.js {formula_js:.4f}, HyperFormula {hyper_formula:.4f}, SciPy {expected:.4f}")
END
"$tmp/venv/bin/python" "$tmp/program.py" "$tmp/ask.cjs" > "$tmp/now"
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: p is no longer as seen"; exit 1; }
echo "as seen"
