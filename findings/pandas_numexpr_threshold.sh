#!/usr/bin/env bash
# pandas: none of 1,000,001 float32 scores of 0.3 equals 0.3, and all of 1,000,000 do, once NumExpr is installed.
#
# Seen 2026-11-29 with Python 3.11.7: pandas 3.1.1, numpy 2.4.6, numexpr 2.14.2.
# Guess before running: the rows that a comparison keeps do not depend on how many there are. Written down (80 %) for DataFrame, query
#   and isin only after a Series had differed; a DataFrame does too.
# Behaviour: above 1,000,000 elements pandas hands comparisons and arithmetic to NumExpr, if it is there. NumPy takes the number 0.3 as
#   float32, like the column; NumExpr takes it as float64 and widens the column, so 0.3 becomes 0.30000001192... and is
#   greater. `* 0.1` makes float64 out of float32 for the same reason. query() of a small table and a large one agree.
# Documented? pandas: NumExpr accelerates large arrays; not that results differ. The type of arithmetic is in an open issue (61951).
# Why it matters: scores are float32, and a threshold, or the answer's score out of a JSON file, is a Python number. Candidates that tie with
#   the answer are counted as better above a million rows and not below, so its rank is the pessimistic one in the
#   whole file, and the optimistic one in any part of it that is looked at.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile --prefer-binary 'pandas==3.1.1' 'numpy==2.4.6'

cat > "$tmp/seen" <<'END'
without NumExpr:
1,000,000 rows: == 0.3 1,000,000, > 0.3 0, in a table 1,000,000, by query 1,000,000, times 0.1 float32
1,000,001 rows: == 0.3 1,000,001, > 0.3 0, in a table 1,000,001, by query 1,000,001, times 0.1 float32
with NumExpr:
1,000,000 rows: == 0.3 1,000,000, > 0.3 0, in a table 1,000,000, by query 1,000,000, times 0.1 float32
1,000,001 rows: == 0.3 0, > 0.3 1,000,001, in a table 0, by query 1,000,001, times 0.1 float64
END
cat > "$tmp/program.py" <<'END'
import numpy as np
import pandas as pd

for size in (1_000_000, 1_000_001):
    table = pd.DataFrame({"score": np.full(size, 0.3, dtype="float32")})
    score = table["score"]
    counts = {
        "== 0.3": (score == 0.3).sum(),
        "> 0.3": (score > 0.3).sum(),
        "in a table": (table == 0.3)["score"].sum(),
        "by query": len(table.query("score == 0.3")),
    }
    text = ", ".join(f"{name} {count:,}" for name, count in counts.items())
    print(f"{size:,} rows: {text}, times 0.1 {(score * 0.1).dtype}")
END
{
  echo "without NumExpr:"
  "$tmp/venv/bin/python" "$tmp/program.py"
  "$tmp/venv/bin/pip" install -q --no-compile --prefer-binary 'numexpr==2.14.2' 'numpy==2.4.6'
  echo "with NumExpr:"
  "$tmp/venv/bin/python" "$tmp/program.py"
} > "$tmp/now"
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: comparisons no longer depend on the number of rows as seen"; exit 1; }
echo "as seen"
