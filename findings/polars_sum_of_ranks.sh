#!/usr/bin/env bash
# polars' ranks are UInt32: their sum and the difference of two models' ranks wrap around; their mean does not.
#
# Seen 2026-11-28 with Python 3.11.7: polars 2.1.0.
# Guess before running: the type is UInt32, but the sum is widened to 64 bits and the difference becomes negative.
# Behaviour: the ranks of 200,000 candidates sum to 2,820,230,816 in place of 20,000,100,000, as a Series and in group_by;
#   rank 1 minus rank 3 is 4,294,967,294. mean() gives the right 100,000.5. With method "average" the ranks are floats.
# Documented? That sum() widens types of 8 and 16 bits, yes; so by omission. The text of rank() does not name its type.
# Why it matters: a mean rank over two sides as sum / count, a rank sum for a U statistic, or the differences of paired
#   ranks for a sign test come out wrong, without an error, and only at a size that no small test has.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile 'polars==2.1.0'

cat > "$tmp/seen" <<'END'
type UInt32, sum 2820230816, exact 20000100000, in group_by 2820230816
mean 100000.5
differences of ranks [2, 0, 4294967294], type UInt32
average ranks: type Float64, sum 20000100000.0
END
"$tmp/venv/bin/python" - > "$tmp/now" <<'END'
import polars as pl

n = 200_000
scores = pl.Series("score", range(n))
ranks = scores.rank("min").alias("rank")
grouped = pl.DataFrame([ranks]).group_by(pl.lit(0)).agg(pl.col("rank").sum())["rank"].item()
print(f"type {ranks.dtype}, sum {ranks.sum()}, exact {n * (n + 1) // 2}, in group_by {grouped}")
print(f"mean {ranks.mean()}")
models = pl.DataFrame({"a": [0.9, 0.5, 0.1], "b": [0.2, 0.4, 0.6]}).select(pl.all().rank("min", descending=True))
difference = models.select(pl.col("b") - pl.col("a")).to_series()
print(f"differences of ranks {difference.to_list()}, type {difference.dtype}")
average = scores.rank("average")
print(f"average ranks: type {average.dtype}, sum {average.sum()}")
END
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: sums and differences of ranks are no longer as seen"; exit 1; }
echo "as seen"
