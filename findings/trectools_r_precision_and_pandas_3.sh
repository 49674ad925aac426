#!/usr/bin/env bash
# trectools' R-precision rises from 0.67 to 1 when pandas goes from 2 to 3; the file and trectools stay the same.
#
# Seen 2026-11-28 with Python 3.11.7: trectools 0.0.50 with pandas 2.3.3 and with pandas 3.1.1; numpy 2.4.6, scipy 1.17.1.
# Guess before running: the mean over queries as in trec_eval, 0.67, with any pandas that it installs with.
# Behaviour: pandas 3 leaves the grouping column out of what groupby.apply hands over. trectools loses the query there,
#   joins by document alone, and credits a query with what another one found. MAP does not pass through apply and is the same.
# Documented? pandas announced the change of apply; trectools asks for pandas 0.15 or later.
# Why it matters: a better number from the same run file, without an error. With queries
#   that the run lacks it was 3 (of at most 1).
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT

cat > "$tmp/seen" <<'END'
pandas 2.3.3: RPrec 0.6667  per query q1 1.0, q2 nan, q3 1.0  MAP 0.8333
pandas 3.1.1: RPrec 1.0000  per query q1 1.0, q2 1.0, q3 1.0  MAP 0.8333
END
cat > "$tmp/program.py" <<'END'
import warnings

import pandas as pd

warnings.simplefilter("ignore")
from trectools import TrecEval, TrecQrel, TrecRun

lists = {"q1": "abc", "q2": "bac", "q3": "cab"}  # what was found, best first
rows = [(q, "Q0", doc, i + 1, 9.0 - i, "model") for q, docs in lists.items() for i, doc in enumerate(docs)]
run, qrel = TrecRun(), TrecQrel()
run.run_data = pd.DataFrame(rows, columns=["query", "q0", "docid", "rank", "score", "system"])
right = [("q1", "0", "a", 1), ("q2", "0", "a", 1), ("q3", "0", "c", 1)]
qrel.qrels_data = pd.DataFrame(right, columns=["query", "q0", "docid", "rel"])
evaluation = TrecEval(run, qrel)
each = evaluation.get_rprec(per_query=True).iloc[:, 0]
listed = ", ".join(f"{query} {value}" for query, value in each.items())
print(f"pandas {pd.__version__}: RPrec {evaluation.get_rprec():.4f}  per query {listed}  MAP {evaluation.get_map():.4f}")
END
python3 -m venv "$tmp/venv"
python="$tmp/venv/bin/python"
for pandas in 2.3.3 3.1.1; do
  "$python" -m pip install -q --no-compile --prefer-binary \
    'trectools==0.0.50' "pandas==$pandas" 'numpy==2.4.6' 'scipy==1.17.1' 'scikit-learn==1.9.1' 'matplotlib==3.11.2' \
    'sarge==0.1.8' 'bs4==0.0.2' 'lxml==6.1.3'
  "$python" "$tmp/program.py" >> "$tmp/now"
done
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: R-precision no longer depends on pandas as seen"; exit 1; }
echo "as seen"
