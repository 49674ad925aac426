#!/usr/bin/env bash
# scipy: three equally good models differ with p = 0, and two clearly different ones with p = 1, if their scores are half precision.
#
# Seen 2026-11-30 with Python 3.11.7: scipy 1.17.1, numpy 2.4.6.
# Guess before running: the p-value of the same numbers as doubles, to 5 % (Mann-Whitney and Kruskal-Wallis 80 %, Wilcoxon 78 %,
#   Friedman 85 %), since all four see nothing but ranks. Right for Spearman, Kendall and Brunner-Munzel.
# Behaviour: ranks, their sums and squares are kept in the type of the scores. In half precision whole numbers end at 65,504, and
#   above 2,048 not every one exists. Kruskal-Wallis is wrong from 20 scores a model on, the other three by 200 queries;
#   single precision is right here. NumPy warns of an overflow (hidden here), and the result is a number all the same.
# Documented? No, the docstrings of the four name no type. An open issue of scipy reports Mann-Whitney since 1.17.0.
# Why it matters: scores of neural models are often stored in half precision, and these tests are the ones recommended where
#   scores are not normal. p = 0 ends in the table as a significant difference, p = 1 as none.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile --prefer-binary 'scipy==1.17.1' 'numpy==2.4.6'

cat > "$tmp/seen" <<'END'
three models alike, Kruskal-Wallis, 20 queries: p = 0 as float16, 1 as float32, 1 as float64
three models alike, Friedman, 20 queries: p = 0.83 as float16, 0.86 as float32, 0.86 as float64
the second better by 0.25, Wilcoxon, 20 queries: p = 1.9e-06 as float16, 1.9e-06 as float32, 1.9e-06 as float64
the second better by 0.25, Mann-Whitney, 20 queries: p = 0.072 as float16, 0.072 as float32, 0.072 as float64
three models alike, Kruskal-Wallis, 200 queries: p = 0 as float16, 1 as float32, 1 as float64
three models alike, Friedman, 200 queries: p = 0 as float16, 0.98 as float32, 0.98 as float64
the second better by 0.25, Wilcoxon, 200 queries: p = 1 as float16, 1.4e-34 as float32, 1.4e-34 as float64
the second better by 0.25, Mann-Whitney, 200 queries: p = 1 as float16, 8.5e-09 as float32, 8.5e-09 as float64
END
cat > "$tmp/program.py" <<'END'
import numpy as np
from scipy import stats


def score(queries, gains):
    """Return the scores of models that are better than the first by the gains."""
    place = np.arange(queries)
    return [(np.sin(7 * place) / 2 + np.sin(3 * place + n) / 4 + gain).astype(np.float16) for n, gain in enumerate(gains)]


def measure(name, test, models):
    """Print the p-value of the scores in three precisions."""
    values = []
    for kind in (np.float16, np.float32, np.float64):
        values.append(f"{test(*[model.astype(kind) for model in models]).pvalue:.2g} as {kind.__name__}")
    print(f"{name}, {len(models[0])} queries: p =", ", ".join(values))


for queries in (20, 200):
    equal = score(queries, (0, 0, 0))
    measure("three models alike, Kruskal-Wallis", stats.kruskal, equal)
    measure("three models alike, Friedman", stats.friedmanchisquare, equal)
    better = score(queries, (0, 0.25))
    measure("the second better by 0.25, Wilcoxon", stats.wilcoxon, better)
    measure("the second better by 0.25, Mann-Whitney", stats.mannwhitneyu, better)
END
"$tmp/venv/bin/python" -W ignore "$tmp/program.py" > "$tmp/now"
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: the tests are no longer as seen"; exit 1; }
echo "as seen"
