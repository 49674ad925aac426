#!/usr/bin/env bash
# pandas: the deviation of a million scores around 1000 is 0.029, and more than 9 once Bottleneck is installed.
#
# Seen 2026-11-29 with Python 3.11.7: pandas 3.1.1, numpy 2.4.6, bottleneck 1.6.0.
# Guess before running: the same mean (80 %, right), deviation and variance (75 %) to four digits, as pandas keeps Bottleneck from
#   the sums that it gets wrong.
# Behaviour: pandas keeps it from sum, mean and prod only. std and var are left to it, which add up single-precision numbers
#   one by one to get the mean, so the mean is off, and the deviation is taken from there. sem is
#   right, and so is all of a float64 column. The error grows with the number of rows: it is below 1 % at 1,000.
# Documented? pandas: Bottleneck accelerates "certain types of nan"; its option says to use it if it is installed. Bottleneck calls
#   its algorithm the "more stable" one. Both have open or closed issues on it (bottleneck 443, 462; pandas 57505).
# Why it matters: scores and ranks are kept as float32. Installing a package that speeds pandas up changes the spread of the same
#   column, an interval of mean and deviation, and a z-score, in one environment and not in the next.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile --prefer-binary 'pandas==3.1.1' 'numpy==2.4.6'

cat > "$tmp/seen" <<'END'
without Bottleneck:
    1,000 scores: mean right, std right, var right, sem right
1,000,000 scores: mean right, std right, var right, sem right
the same as float64: std right
20,000,000 ranks: mean right, std right
with Bottleneck:
    1,000 scores: mean right, std right, var right, sem right
1,000,000 scores: mean right, std over 300 times too large, var over 100,000 times too large, sem right
the same as float64: std right
20,000,000 ranks: mean right, std 2 % too small
END
cat > "$tmp/program.py" <<'END'
import numpy as np
import pandas as pd


def judge(value, exact):
    """Say how far a value is from the exact one: coarsely, as the order of additions differs by machine."""
    ratio = value / exact
    if abs(ratio - 1) < 0.01:
        return "right"
    for times in (100_000, 300):
        if ratio > times:
            return f"over {times:,} times too large"
    return f"{1 - ratio:.0%} too small".replace("%", " %")


generator = np.random.default_rng(0)
for size in (1_000, 1_000_000):
    scores = pd.Series((1000 + generator.random(size) / 10).astype("float32"))
    exact = scores.to_numpy().astype("float64")
    deviation = exact.std(ddof=1)
    values = {
        "mean": (scores.mean(), exact.mean()),
        "std": (scores.std(), deviation),
        "var": (scores.var(), deviation**2),
        "sem": (scores.sem(), deviation / size**0.5),
    }
    print(f"{size:9,} scores:", ", ".join(f"{name} {judge(*pair)}" for name, pair in values.items()))
print("the same as float64: std", judge(scores.astype("float64").std(), deviation))
ranks = pd.Series(generator.integers(1, 14_541, 20_000_000).astype("float32"))
exact = ranks.to_numpy().astype("float64")
print(f"20,000,000 ranks: mean {judge(ranks.mean(), exact.mean())}, std {judge(ranks.std(), exact.std(ddof=1))}")
END
{
  echo "without Bottleneck:"
  "$tmp/venv/bin/python" "$tmp/program.py"
  "$tmp/venv/bin/pip" install -q --no-compile --prefer-binary 'bottleneck==1.6.0' 'numpy==2.4.6'
  echo "with Bottleneck:"
  "$tmp/venv/bin/python" "$tmp/program.py"
} > "$tmp/now"
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: the deviation no longer depends on Bottleneck as seen"; exit 1; }
echo "as seen"
