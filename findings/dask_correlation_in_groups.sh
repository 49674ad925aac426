#!/usr/bin/env bash
# dask: with a missing value, the correlation in a group of four is -3.6, and with one in five missing, 0.44 in place of 0.92.
#
# Seen 2026-11-30 with Python 3.11.7: dask 2026.8.0, pandas 2.3.3, numpy 2.4.6, pyarrow 21.0.0.
# Guess before running: correlations with missing values agree with pandas (75 %, of columns with and without groups).
# Behaviour: groupby().corr() and .cov() multiply the columns where both have a value, but subtract the product of their sums over all
#   values that each has, and divide by the geometric mean of the two numbers of values. The further the means are from zero, the
#   more that is off, and nothing keeps it within -1 and 1. Without missing values it agrees with pandas. corr() without groups
#   leaves out incomplete pairs, and is right.
# Documented? No. The docstring is that of pandas, where missing values are left out. An open pull request (12575) of the same two
#   functions names ddof and wide frames, not this.
# Why it matters: do two metrics order models alike, per data set? The tables of papers have gaps, and one missing number among four
#   turns a correlation of -1 into -3.6. In larger groups it stays in range, so nothing looks wrong.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile --prefer-binary 'dask[dataframe]==2026.8.0' 'pandas==2.3.3' 'numpy==2.4.6' 'pyarrow==21.0.0'

cat > "$tmp/seen" <<'END'
four models: dask -1 and -3.33, correlation of all rows -1.00; pandas -1 and -3.33, correlation of all rows -1.00
four models, one without an MRR: dask -3.64 and -14.3, correlation of all rows -1.00; pandas -1 and -4.67, correlation of all rows -1.00
four models, one without a mean rank: dask -2.44 and -9.57, correlation of all rows -1.00; pandas -1 and -4.67, correlation of all rows -1.00
1,000 mean ranks of two runs: dask 0.916 and 6.82e+04, correlation of all rows 0.92; pandas 0.916 and 6.82e+04, correlation of all rows 0.92
1,000 mean ranks, one in 100 missing in one run: dask 0.905 and 6.74e+04, correlation of all rows 0.92; pandas 0.916 and 6.81e+04, correlation of all rows 0.92
1,000 mean ranks, one in 20 missing in one run: dask 0.808 and 6.03e+04, correlation of all rows 0.92; pandas 0.916 and 6.84e+04, correlation of all rows 0.92
1,000 mean ranks, one in 5 missing in one run: dask 0.442 and 3.33e+04, correlation of all rows 0.92; pandas 0.919 and 7.03e+04, correlation of all rows 0.92
END
cat > "$tmp/program.py" <<'END'
import dask
import dask.dataframe
import numpy as np
import pandas as pd

dask.config.set(scheduler="sync")


def compare(label, table):
    """Print the correlations and covariances of the first two columns, per data set and of all rows."""
    parts = dask.dataframe.from_pandas(table, npartitions=2)
    first, second = names = list(table.columns[:2])
    answers = {}
    for library, frame in (("dask", parts), ("pandas", table)):
        groups = frame.groupby("dataset")[names]
        found = (groups.corr(), groups.cov(), frame[names].corr())
        correlation, covariance, of_all = (matrix.compute() if library == "dask" else matrix for matrix in found)
        each = [f"{matrix.loc[('a', first), second]:.3g}" for matrix in (correlation, covariance)]
        answers[library] = f"{' and '.join(each)}, correlation of all rows {of_all.loc[first, second]:.2f}"
    print(f"{label}: dask {answers['dask']}; pandas {answers['pandas']}")


ranks = pd.DataFrame({"mrr": [0.5, 0.4, 0.3, 0.2], "rank": [100.0, 120.0, 140.0, 160.0], "dataset": "a"})
compare("four models", ranks)
compare("four models, one without an MRR", ranks.assign(mrr=[0.5, 0.4, None, 0.2]))
compare("four models, one without a mean rank", ranks.assign(rank=[100.0, 120.0, None, 160.0]))

generator = np.random.default_rng(0)
first = generator.uniform(100, 1_000, 2_000)
second = first + generator.uniform(-200, 200, 2_000)
table = pd.DataFrame({"first": first, "second": second, "dataset": ["a", "b"] * 1_000})
compare("1,000 mean ranks of two runs", table)
for share in (100, 20, 5):
    gaps = table.assign(first=table["first"].where(generator.random(2_000) > 1 / share))
    compare(f"1,000 mean ranks, one in {share} missing in one run", gaps)
END
"$tmp/venv/bin/python" -W ignore "$tmp/program.py" > "$tmp/now"
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: correlations in groups are no longer as seen"; exit 1; }
echo "as seen"
