#!/usr/bin/env bash
# CLES: of three data sets on which the second model wins throughout, the paired effect size is 67 %, and 100 % if it loses throughout.
#
# Seen 2026-12-01 with Python 3.11.7: CLES 0.1.3, numpy 2.4.6.
# Guess before running: the paired effect size of equal scores is that of chance, a half (40 %, as the rule for ties was in doubt);
#   after it was not, that of a win on all of three data sets is 100 % (50 %).
# Behaviour: the n differences are compared with n - 1 zeros and the count is divided by n squared, so 1 / n of all comparisons are lost.
#   The result is then reflected at 50 %, so the loss adds to the effect if the first model wins, and to equal scores as well.
# Documented? No: the docstring says 50 to 100. No issue found.
# Why it matters: two models with equal scores on three data sets have the same effect size as a win on all three, 67 %. The error falls
#   with the number of data sets, of which a table of models has three to ten.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile --prefer-binary 'CLES==0.1.3' 'numpy==2.4.6'

cat > "$tmp/seen" <<'END'
3 data sets, all better: paired 66.7, one sample of differences 100.0, expected 100.0
3 data sets, all worse: paired 100.0, one sample of differences 100.0, expected 100.0
3 data sets, equal: paired 66.7, one sample of differences 50.0, expected 50.0
5 data sets, all better: paired 80.0, one sample of differences 100.0, expected 100.0
5 data sets, all worse: paired 100.0, one sample of differences 100.0, expected 100.0
5 data sets, equal: paired 60.0, one sample of differences 50.0, expected 50.0
10 data sets, all better: paired 90.0, one sample of differences 100.0, expected 100.0
10 data sets, all worse: paired 100.0, one sample of differences 100.0, expected 100.0
10 data sets, equal: paired 55.0, one sample of differences 50.0, expected 50.0
100 data sets, all better: paired 99.0, one sample of differences 100.0, expected 100.0
100 data sets, all worse: paired 100.0, one sample of differences 100.0, expected 100.0
100 data sets, equal: paired 50.5, one sample of differences 50.0, expected 50.0
END
cat > "$tmp/program.py" <<'END'
import numpy as np
from CLES import CLES_1samp, CLES_2paired

for count in (3, 5, 10, 100):
    first = np.linspace(0.2, 0.6, count)
    for name, second in (("all better", first + 0.01), ("all worse", first - 0.01), ("equal", first)):
        exact = np.mean((second > first) + 0.5 * (second == first))
        reflected = 100 * (abs(exact - 0.5) + 0.5)
        one_sample = CLES_1samp(second - first)
        print(f"{count} data sets, {name}: paired {CLES_2paired(first, second):.1f}, one sample of differences {one_sample:.1f}, expected {reflected:.1f}")
END
"$tmp/venv/bin/python" "$tmp/program.py" > "$tmp/now"
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: effect sizes are no longer as seen"; exit 1; }
echo "as seen"
