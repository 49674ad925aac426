#!/usr/bin/env bash
# RobustRankAggregPy: Pearson's, Tippett's, Stouffer's and Mudholkar and George's method give the numbers and the order of Fisher's.
#
# Seen 2026-12-01 with Python 3.11.7: robustrankaggregpy 0.4.0; scipy 1.17.1, numpy 2.4.6, pandas 3.1.1.
# Guess before running: every method ranks first what is first in three lists (85 %, so it was, and five had the same numbers); after
#   that, of an item that is first once and last twice, Tippett's number is not Fisher's (35 %).
# Behaviour: the name of the method is checked and not passed on to SciPy's combine_pvalues, whose default is Fisher's.
# Documented? No: the docstring lists eleven methods, five of them as those of SciPy's combine_pvalues. No issue found.
# Why it matters: a ranking of models over data sets is called robust if several methods of aggregation agree. Five of eleven agree here
#   because they are one. By Tippett's, the model that is first once and last twice is level with the best; here it is fourth of five.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile --prefer-binary 'robustrankaggregpy==0.4.0' 'scipy==1.17.1' 'numpy==2.4.6' 'pandas==3.1.1'

cat > "$tmp/seen" <<'END'
fisher
  robustrankaggregpy: ComplEx 0.415, RotatE 0.415, DistMult 0.770, TransE 0.781, RESCAL 0.989
  SciPy: ComplEx 0.415, RotatE 0.415, DistMult 0.770, TransE 0.781, RESCAL 0.989
pearson
  robustrankaggregpy: ComplEx 0.415, RotatE 0.415, DistMult 0.770, TransE 0.781, RESCAL 0.989
  SciPy: ComplEx 0.230, RotatE 0.230, DistMult 0.585, RESCAL 1.000, TransE 1.000
tippett
  robustrankaggregpy: ComplEx 0.415, RotatE 0.415, DistMult 0.770, TransE 0.781, RESCAL 0.989
  SciPy: ComplEx 0.488, RotatE 0.488, TransE 0.488, DistMult 0.784, RESCAL 0.992
stouffer
  robustrankaggregpy: ComplEx 0.415, RotatE 0.415, DistMult 0.770, TransE 0.781, RESCAL 0.989
  SciPy: ComplEx 0.314, RotatE 0.314, DistMult 0.686, RESCAL 1.000, TransE 1.000
mudholkar_george
  robustrankaggregpy: ComplEx 0.415, RotatE 0.415, DistMult 0.770, TransE 0.781, RESCAL 0.989
  SciPy: ComplEx 0.323, RotatE 0.323, DistMult 0.677, RESCAL 1.000, TransE 1.000
END
cat > "$tmp/program.py" <<'END'
from robustrankaggregpy.aggregate_ranks import aggregate_ranks
from scipy import stats

# Models from best to worst on three data sets
LISTS = [
    ["TransE", "ComplEx", "RotatE", "DistMult", "RESCAL"],
    ["ComplEx", "RotatE", "DistMult", "RESCAL", "TransE"],
    ["RotatE", "DistMult", "ComplEx", "RESCAL", "TransE"],
]
RANKS = {model: [ranking.index(model) / 5 + 0.2 for ranking in LISTS] for model in LISTS[0]}
for method in ("fisher", "pearson", "tippett", "stouffer", "mudholkar_george"):
    found = aggregate_ranks(rank_lists=LISTS, method=method)
    expected = {model: float(stats.combine_pvalues(ranks, method=method).pvalue) for model, ranks in RANKS.items()}
    print(method)
    for name, values in (("robustrankaggregpy", dict(found)), ("SciPy", expected)):
        order = sorted(values, key=lambda model: (round(values[model], 9), model))
        print(f"  {name}: {', '.join(f'{model} {values[model]:.3f}' for model in order)}")
END
"$tmp/venv/bin/python" "$tmp/program.py" > "$tmp/now"
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: the numbers are no longer as seen"; exit 1; }
echo "as seen"
