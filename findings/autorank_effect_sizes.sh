#!/usr/bin/env bash
# autorank: effect sizes "in comparison to the highest mean value" are those against the lowest, and the worst model has 0, "negligible".
#
# Seen 2026-11-30 with Python 3.11.7: autorank 1.3.0; statsmodels 0.14.5, scipy 1.17.1, pandas 3.1.1, numpy 2.4.6.
# Guess before running: Cohen's d, Cliff's delta and mean ranks by their formulas, against the best model (75 %); the best model first in the
#   table, for both orders (90 %).
# Behaviour: the first row is what the others are compared with, and rows are sorted by mean rank from high to low where larger values are
#   better. Mean ranks and p are right: rank 1 is the best model, in the last row. With order="ascending" the best one is first.
# Documented? The other way round: against "the highest mean value" or "the highest ranking approach" (docstring). Upstream's pull
#   request 46 of May 2026 (closed) reports it.
# Why it matters: with MRR and Hits@10, where larger is better, the tables that autorank writes for papers tell how far each model is from
#   the worst. "Large" is then the best model, and a paper that quotes its effect size as one of the second against the best is wrong.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile --prefer-binary \
  'autorank==1.3.0' 'statsmodels==0.14.5' 'scipy==1.17.1' 'pandas==3.1.1' 'numpy==2.4.6'

cat > "$tmp/seen" <<'END'
descending: C (mean rank 2.90, cohen_d 0.00, negligible), B (mean rank 1.95, cohen_d -1.02, large), A (mean rank 1.15, cohen_d -1.53, large)
ascending: C (mean rank 1.10, cohen_d 0.00, negligible), B (mean rank 2.05, cohen_d -1.02, large), A (mean rank 2.85, cohen_d -1.53, large)
own cohen_d against A: A 0.00, B 0.54, C 1.53
own cohen_d against C: A -1.53, B -1.02, C 0.00
descending: C (mean rank 2.90, cliff_delta 0.00, negligible), B (mean rank 1.95, cliff_delta -0.55, large), A (mean rank 1.15, cliff_delta -0.74, large)
ascending: C (mean rank 1.10, cliff_delta 0.00, negligible), B (mean rank 2.05, cliff_delta -0.55, large), A (mean rank 2.85, cliff_delta -0.74, large)
own cliff_delta against A: A 0.00, B 0.28, C 0.73
own cliff_delta against C: A -0.73, B -0.55, C 0.00
END
cat > "$tmp/program.py" <<'END'
import contextlib
import io

import numpy as np
import pandas as pd
from autorank import autorank

random = np.random.RandomState(1)
dataset = random.normal(0.3, 0.02, size=20)
mrr = pd.DataFrame(
    {name: dataset + gain + random.normal(0, 0.02, size=20) for name, gain in (("A", 0.05), ("B", 0.03), ("C", 0.0))}
)


def cohen(one, two):
    """Return the difference of means over the pooled deviation."""
    return (one.mean() - two.mean()) / np.sqrt((one.var() + two.var()) / 2)


def cliff(one, two):
    """Return the share of pairs won less that of pairs lost."""
    return np.sign(one.to_numpy()[:, None] - two.to_numpy()).mean()


for mode, effect in (("parametric", cohen), ("nonparametric", cliff)):
    name = {"parametric": "cohen_d", "nonparametric": "cliff_delta"}[mode]
    for order in ("descending", "ascending"):
        with contextlib.redirect_stdout(io.StringIO()):
            result = autorank(mrr, order=order, force_mode=mode, effect_size=name)
        rows = [
            f"{model} (mean rank {row['meanrank']:.2f}, {name} {row['effect_size']:.2f}, {row['magnitude']})"
            for model, row in result.rankdf.iterrows()
        ]
        print(f"{order}: {', '.join(rows)}")
    for best in ("A", "C"):
        print(f"own {name} against {best}: {', '.join(f'{model} {effect(mrr[best], mrr[model]):.2f}' for model in 'ABC')}")
END
"$tmp/venv/bin/python" -W ignore "$tmp/program.py" > "$tmp/now"
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: the effect sizes are no longer as seen"; exit 1; }
echo "as seen"
