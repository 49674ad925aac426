#!/usr/bin/env bash
# bpref of one run: nan in ranx and a number in trec_eval, if one query has no document that was judged as not relevant.
#
# Seen 2026-11-28 with Python 3.11.7: ranx 0.3.21, pytrec-eval-terrier 0.5.11; numpy 2.4.6, numba 0.68.1, pandas 3.1.1.
# Guess before running: equal, as all other metrics that both have were (ndcg, map, mrr, recall, R-precision, precision).
# Behaviour: bpref divides by the smaller of the counts of right and wrong judged documents. Where that is 0, trec_eval counts
#   the right documents found over R, ranx divides 0 by 0, and the mean over all queries is nan as well.
# Documented? No: ranx's text gives the formula with R alone as the divisor, which would not be 0.
# Why it matters: one such query removes the number of the whole run. A graph's test set names right answers only, so bpref
#   of link prediction is nan throughout, while another library prints something that looks like recall.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile --prefer-binary \
  'ranx==0.3.21' 'pytrec-eval-terrier==0.5.11' 'numpy==2.4.6' 'numba==0.68.1' 'pandas==3.1.1' 'scipy==1.17.1'

cat > "$tmp/seen" <<'END'
bpref: ranx nan [0.5, nan], trec_eval 0.5833 [0.5, 0.6667]
map: ranx 0.5833 [0.5, 0.6667], trec_eval 0.5833 [0.5, 0.6667]
END
"$tmp/venv/bin/python" -W ignore - > "$tmp/now" <<'END'
import pytrec_eval
from ranx import Qrels, Run, evaluate

judged = {"q1": {"a": 1, "b": 0, "c": 1}, "q2": {"a": 1, "b": 1, "c": 1}}
run = {query: {"a": 9.0, "b": 8.0, "x": 7.0} for query in judged}
for name in ("bpref", "map"):
    runx = Run(run)
    mean = evaluate(Qrels(judged), runx, name)
    theirs = pytrec_eval.RelevanceEvaluator(judged, {name}).evaluate(run)
    values = [theirs[query][name] for query in judged]
    print(f"{name}: ranx {mean:.4f} {[round(float(v), 4) for v in runx.scores[name].values()]}, ", end="")
    print(f"trec_eval {sum(values) / 2:.4f} {[round(v, 4) for v in values]}")
END
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: bpref is no longer as seen"; exit 1; }
echo "as seen"
