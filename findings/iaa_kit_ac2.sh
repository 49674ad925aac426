#!/usr/bin/env bash
# iaa-kit: AC2 of two judges who agree on 19 of 20 documents is 0, as is kappa, and alpha of ordinal grades is that of numbers.
#
# Seen 2026-11-30 with Python 3.11.7: iaa-kit 0.1.2; irrCAC 0.4.4, krippendorff 0.9.0, scikit-learn 1.9.1, numpy 2.4.6.
# Guess before running: kappas, AC1, AC2 and alpha equal those of the other packages (60 %); after a first difference: AC2 near 0.9 (40 %).
# Behaviour: ac2 gives the weighted kappa, to the last digit. Its chance is that of kappa, not that of Gwet's AC, which does not grow
#   with the share of the commonest grade; ac1 is right. The ordinal alpha squares the differences of grades, as the interval alpha does.
# Documented? The README promises Gwet AC1/AC2 and a choice of scale; no docstring has a formula.
# Why it matters: relevance judgements are mostly "not relevant", and AC was made for that. AC1 of these judges is 0.95, and the
#   same judges have AC2 0.00 as soon as grades are weighted.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile --prefer-binary \
  'iaa-kit==0.1.2' 'irrCAC==0.4.4' 'krippendorff==0.9.0' 'scikit-learn==1.9.1' 'pandas==2.3.3' 'scipy==1.12.0' 'numpy==1.26.4'

cat > "$tmp/seen" <<'END'
19 of 20 documents: AC1 0.947 (irrCAC 0.947), AC2 0.000 (irrCAC 0.947), linear kappa 0.000 (scikit-learn 0.000)
  alpha, nominal: 0.000 (krippendorff 0.000)
  alpha, ordinal: 0.000 (krippendorff 0.000)
  alpha, interval: 0.000 (krippendorff 0.000)
grades 0 to 3: AC1 0.699 (irrCAC 0.699), AC2 0.735 (irrCAC 0.862), linear kappa 0.735 (scikit-learn 0.735)
  alpha, nominal: 0.531 (krippendorff 0.531)
  alpha, ordinal: 0.888 (krippendorff 0.757)
  alpha, interval: 0.888 (krippendorff 0.888)
END
cat > "$tmp/program.py" <<'END'
import iaa_kit
import krippendorff
import pandas as pd
from irrCAC.raw import CAC
from sklearn.metrics import cohen_kappa_score

pairs = {
    "19 of 20 documents": ([0] * 20, [0] * 19 + [1]),
    "grades 0 to 3": ([0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 3], [0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 3, 3]),
}
for title, (first, second) in pairs.items():
    frame = pd.DataFrame({"first": first, "second": second})
    gwet = [CAC(frame, weights=weights).gwet()["est"]["coefficient_value"] for weights in ("identity", "linear")]
    kappa = cohen_kappa_score(first, second, weights="linear")
    print(
        f"{title}: AC1 {iaa_kit.ac1(first, second):.3f} (irrCAC {gwet[0]:.3f}), AC2 {iaa_kit.ac2(first, second):.3f}"
        f" (irrCAC {gwet[1]:.3f}), linear kappa {iaa_kit.weighted_kappa(first, second):.3f} (scikit-learn {kappa:.3f})"
    )
    items = [list(pair) for pair in zip(first, second)]
    for scale in ("nominal", "ordinal", "interval"):
        other = krippendorff.alpha([first, second], level_of_measurement=scale)
        print(f"  alpha, {scale}: {iaa_kit.alpha_value(items, scale=scale):.3f} (krippendorff {other:.3f})")
END
"$tmp/venv/bin/python" -W ignore "$tmp/program.py" > "$tmp/now"
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: AC2 and alpha are no longer as seen"; exit 1; }
echo "as seen"
