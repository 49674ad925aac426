#!/usr/bin/env bash
# ClickHouse: the MRR of three data sets, weighted by their numbers of queries, is 0, and their mean rank of 3.84 is 3.32.
#
# Seen 2026-11-30 with Python 3.11.7: chdb 4.4.0 (ClickHouse 26.9.2.1), pyarrow 26.0.1.
# Guess before running: avgWeighted of 0.1, 0.2 and 0.3 with weights 1, 2 and 3 is 0.233 (60 %, of a table, after an array within a query
#   had given 0, which nobody had foreseen).
# Behaviour: if the weights are integers, every value is cut to an integer before it is weighted. If they are floating-point numbers, all
#   is right, as is the sum of products over the sum of weights. A mean of ranks from 1 on is too low by what is cut, so it looks right.
# Documented? The page says that values and weights may be integers or floating-point numbers, of different types, and that the result
#   is a Float64. Two open issues of 2025 (80550, 80802) report it, and one of August 2026 was closed (117352).
# Why it matters: numbers of queries are integers, and the MRR of all queries is the mean over relations or data sets with them as
#   weights. Below 1 it is always 0, and a mean over mean ranks is only somewhat too low.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile --prefer-binary 'chdb==4.4.0' 'chdb-core==26.9.0' 'pyarrow==26.0.1'

cat > "$tmp/seen" <<'END'
weights of UInt16: MRR 0.000 (0.290 by sums), mean rank 3.322 (3.842 by sums)
weights of UInt32: MRR 0.000 (0.290 by sums), mean rank 3.322 (3.842 by sums)
weights of Int64: MRR 0.000 (0.290 by sums), mean rank 3.322 (3.842 by sums)
weights of Float32: MRR 0.290 (0.290 by sums), mean rank 3.842 (3.842 by sums)
weights of Float64: MRR 0.290 (0.290 by sums), mean rank 3.842 (3.842 by sums)
END
cat > "$tmp/program.py" <<'END'
import json

import chdb

ROWS = "(0.338, 2.9, 5000), (0.476, 1.7, 3134), (0.25, 4.4, 20466)"
columns = [f"avgWeighted({name}, queries), sum({name} * queries) / sum(queries)" for name in ("mrr", "mean_rank")]
for kind in ("UInt16", "UInt32", "Int64", "Float32", "Float64"):
    table = f"values('mrr Float64, mean_rank Float64, queries {kind}', {ROWS})"
    answer = json.loads(str(chdb.query(f"SELECT {', '.join(columns)} FROM {table}", "JSONCompact")))
    mrr, right_mrr, mean_rank, right_mean_rank = answer["data"][0]
    print(f"weights of {kind}: MRR {mrr:.3f} ({right_mrr:.3f} by sums), mean rank {mean_rank:.3f} ({right_mean_rank:.3f} by sums)")
END
"$tmp/venv/bin/python" -W ignore "$tmp/program.py" > "$tmp/now"
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: weighted means are no longer as seen"; exit 1; }
echo "as seen"
