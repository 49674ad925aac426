#!/usr/bin/env bash
# dcor: the distance correlation of the ranks of 123,182 entities with themselves is 0; of 40,943 entities, or as floats, it is 1.
#
# Seen 2026-11-30 with Python 3.11.7: dcor 0.7; numpy 2.4.6, numba 0.68.1, scipy 1.17.1.
# Guess before running: 1, for 5,000 ranks in steps of 1,000 (80 %). The ranks of entities came after that.
# Behaviour: 64-bit integers are multiplied and summed as such, and wrap around. The squared covariance of a column with itself is
#   then below 0, and such a correlation is reported as 0. As floats the same ranks are right.
# Documented? No: "random vector" (docstring of distance_correlation). A warning, hidden here, says that integers are computed
#   without compilation, and nothing of the result.
# Why it matters: ranks are integers. Whoever asks whether entities of YAGO3-10 (123,182) ranked by degree are also ranked first by a
#   model is told that the two are independent, and gets the right number for WN18 (40,943).
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile --prefer-binary 'dcor==0.7' 'numpy==2.4.6' 'numba==0.68.1' 'scipy==1.17.1'

cat > "$tmp/seen" <<'END'
5000 entities, ranks in steps of 1 as int64: with themselves 1.00 (squared covariance 1.1e+06), with ranks up to 999 steps lower 0.98
5000 entities, ranks in steps of 1 as float64: with themselves 1.00 (squared covariance 1.1e+06), with ranks up to 999 steps lower 0.98
5000 entities, ranks in steps of 1000 as int64: with themselves 0.00 (squared covariance -3.3e+12), with ranks up to 999 steps lower 0.00
5000 entities, ranks in steps of 1000 as float64: with themselves 1.00 (squared covariance 1.1e+12), with ranks up to 999 steps lower 0.98
40943 entities, ranks in steps of 1 as int64: with themselves 1.00 (squared covariance 7.5e+07), with ranks up to 999 steps lower 1.00
40943 entities, ranks in steps of 1 as float64: with themselves 1.00 (squared covariance 7.5e+07), with ranks up to 999 steps lower 1.00
123182 entities, ranks in steps of 1 as int64: with themselves 0.00 (squared covariance -1.8e+09), with ranks up to 999 steps lower 0.00
123182 entities, ranks in steps of 1 as float64: with themselves 1.00 (squared covariance 6.7e+08), with ranks up to 999 steps lower 1.00
END
cat > "$tmp/program.py" <<'END'
import dcor
import numpy as np

for entities, step in ((5_000, 1), (5_000, 1_000), (40_943, 1), (123_182, 1)):
    ranks = step * np.arange(1, entities + 1)
    for column in (ranks, ranks.astype(float)):
        covariance = dcor.distance_covariance_sqr(column, column)
        near = column + step * (column / step % 1_000).astype(column.dtype)
        print(
            f"{entities} entities, ranks in steps of {step} as {column.dtype}:"
            f" with themselves {dcor.distance_correlation(column, column):.2f} (squared covariance {covariance:.2g}),"
            f" with ranks up to 999 steps lower {dcor.distance_correlation(column, near):.2f}"
        )
END
"$tmp/venv/bin/python" -W ignore "$tmp/program.py" > "$tmp/now"
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: the distance correlations are no longer as seen"; exit 1; }
echo "as seen"
