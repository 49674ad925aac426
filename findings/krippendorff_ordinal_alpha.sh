#!/usr/bin/env bash
# Krippendorff's alpha of the same relevance grades, as ordinal data, is 0.80 in one package and 0.83 in the other.
#
# Seen 2026-11-29 with Python 3.11.7: krippendorff 0.9.0, irrCAC 0.4.4, scipy 1.12.0, pandas 2.3.3, numpy 1.26.4.
# Guess before running: equal, as alpha is one published definition; nominal, ordinal and interval alike.
# Behaviour: nominal and interval are equal to the last digit that irrCAC keeps. Its ordinal weights are Gwet's, which go by
#   the number of grades between two; Krippendorff's go by how many ratings lie between, and so by the data.
# Documented? irrCAC's method cites Krippendorff and does not say that "ordinal" is another distance; the docstring of the
#   weights has their formula. krippendorff's has a name only.
# Why it matters: pooled relevance judgements are graded, and alpha says whether they are good enough to rank systems by.
#   0.80 is the customary limit, and the two packages fall on both sides of values near it.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile --prefer-binary \
  'krippendorff==0.9.0' 'irrCAC==0.4.4' 'pandas==2.3.3' 'scipy==1.12.0' 'numpy==1.26.4'

cat > "$tmp/seen" <<'END'
nominal: krippendorff 0.6753, irrCAC 0.6753
interval: krippendorff 0.8621, irrCAC 0.8621
ordinal: krippendorff 0.8049, irrCAC 0.8331
END
"$tmp/venv/bin/python" -W ignore - > "$tmp/now" <<'END'
import krippendorff
import pandas as pd
from irrCAC.raw import CAC

nan = float("nan")
grades = pd.DataFrame(
    {
        "first": [1, 2, 3, 3, 2, 1, 4, 1, 2, nan],
        "second": [1, 2, 3, 3, 2, 2, 4, 1, 2, 5],
        "third": [nan, 3, 3, 3, 2, 3, 4, 2, 2, 5],
    }
)
for level, weights in (("nominal", "identity"), ("interval", "quadratic"), ("ordinal", "ordinal")):
    one = krippendorff.alpha(grades.T.to_numpy(), level_of_measurement=level)
    other = CAC(grades, weights=weights).krippendorff()["est"]["coefficient_value"]
    print(f"{level}: krippendorff {one:.4f}, irrCAC {other:.4f}")
END
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: the alphas are no longer as seen"; exit 1; }
echo "as seen"
