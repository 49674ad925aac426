#!/usr/bin/env bash
# RR@1 is 1 where P@1 is 0: one call ranks equal scores both ways, by the document's name forwards and backwards.
#
# Seen 2026-11-28 with Python 3.11.7: ir-measures 0.4.3; pytrec-eval-terrier 0.5.11, numpy 2.4.6, scipy 1.17.1, pandas 2.3.3.
# Guess, written after a hint at it: RR and RR@10 of a query with four documents are equal, whatever its scores.
# Behaviour: RR, AP, P, Success and nDCG are computed by trec_eval, which puts the document whose name is last first among
#   equal scores; RR with a cut-off by a script of MS MARCO, which puts the first name first. Of four documents of the same
#   score, the right one being the first by name, RR is 0.25 and RR@10 is 1.
# Documented? No: the page of measures says RR@k and which provider has it, nothing on equal scores.
# Why it matters: a model that scores everything alike, or in few steps, gets another MRR by adding a cut-off that cuts
#   nothing off; RR@1 and P@1 of the same run are then not the same number.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile --prefer-binary \
  'ir-measures==0.4.3' 'pytrec-eval-terrier==0.5.11' 'numpy==2.4.6' 'scipy==1.17.1' 'pandas==2.3.3'

cat > "$tmp/seen" <<'END'
a is right: RR 0.25, RR@10 1.0, RR@1 1.0, P@1 0.0, Success@1 0.0
d is right: RR 1.0, RR@10 0.25, RR@1 0.0, P@1 1.0, Success@1 1.0
END
"$tmp/venv/bin/python" -W ignore - > "$tmp/now" <<'END'
import ir_measures
from ir_measures import RR, P, Success

run = {"q": dict.fromkeys("abcd", 1.0)}
measures = [RR, RR @ 10, RR @ 1, P @ 1, Success @ 1]
for right in "ad":
    found = ir_measures.calc_aggregate(measures, {"q": {right: 1}}, run)
    print(f"{right} is right:", ", ".join(f"{each} {found[each]}" for each in measures))
END
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: equal scores are no longer ranked as seen"; exit 1; }
echo "as seen"
