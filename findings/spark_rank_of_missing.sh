#!/usr/bin/env bash
# Spark's pandas API: a model without a mean rank has rank 1, and all others are one place lower.
#
# Seen 2026-11-30 with Python 3.11.7 and Java 17: pyspark 4.3.0, pandas 2.3.3, numpy 2.4.6, pyarrow 21.0.0. It needs Java 17 or later.
# Guess before running: nothing but order and approximations differs from pandas, in groups or not (55 %, of a list of methods); once
#   groups had been seen to differ, that columns do not (90 %).
# Behaviour: rank() of a column, of a table and of groups takes a missing value for the smallest one, by every method, and there is no
#   na_option. pandas gives it no rank. Ascending, it is first and moves the rest; descending, it is last, and counts in a mean of
#   ranks. Several missing values tie.
# Documented? No: the docstrings have the parameters and examples without gaps. An open pull request (58254) adds na_option, and says that
#   defaults stay as they are.
# Why it matters: ranks per data set and their mean over data sets are how models are compared. A model that was not run on a data set
#   wins it, wherever lower is better, and the mean rank of every other model is one too high there.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile --prefer-binary 'pyspark==4.3.0' 'pandas==2.3.3' 'numpy==2.4.6' 'pyarrow==21.0.0'

cat > "$tmp/seen" <<'END'
mean ranks 3340 nan 2300 5261 177 323 nan 244
column: Spark 7 1.5 6 8 3 5 1.5 4; pandas 5 nan 4 6 1 3 nan 2
column, descending: Spark 2 7.5 3 1 6 4 7.5 5; pandas 2 nan 3 1 6 4 nan 5
table: Spark 7 1.5 6 8 3 5 1.5 4; pandas 5 nan 4 6 1 3 nan 2
groups: Spark 3 1 2 4 2 4 1 3; pandas 2 nan 1 3 1 3 nan 2
groups, dense: Spark 3 1 2 4 2 4 1 3; pandas 2 nan 1 3 1 3 nan 2
groups, descending: Spark 2 4 3 1 3 1 4 2; pandas 2 nan 3 1 3 1 nan 2
mean over data sets: Spark a 2.5 b 2.5 c 1.5 d 3.5
mean over data sets: pandas a 1.5 b 3 c 1 d 2.5
END
cat > "$tmp/program.py" <<'END'
import pandas as pd
import pyspark.pandas
from pyspark.sql import SparkSession

settings = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").config("spark.sql.shuffle.partitions", "1")
settings.getOrCreate().sparkContext.setLogLevel("OFF")

table = pd.DataFrame({
    "dataset": ["WN18RR"] * 4 + ["FB15k-237"] * 4,
    "model": ["a", "b", "c", "d"] * 2,
    "mean_rank": [3340.0, None, 2300.0, 5261.0, 177.0, 323.0, None, 244.0],
})


def show(ranks):
    return " ".join(f"{rank:g}" for rank in ranks.sort_index().to_list())


frames = {"Spark": pyspark.pandas.from_pandas(table), "pandas": table}
print("mean ranks", " ".join(f"{value:g}" for value in table["mean_rank"]))
for label, ranks in (
    ("column", lambda frame: frame["mean_rank"].rank()),
    ("column, descending", lambda frame: frame["mean_rank"].rank(ascending=False)),
    ("table", lambda frame: frame[["mean_rank"]].rank()["mean_rank"]),
    ("groups", lambda frame: frame.groupby("dataset")["mean_rank"].rank()),
    ("groups, dense", lambda frame: frame.groupby("dataset")["mean_rank"].rank(method="dense")),
    ("groups, descending", lambda frame: frame.groupby("dataset")["mean_rank"].rank(ascending=False)),
):
    print(f"{label}:", "; ".join(f"{name} {show(ranks(frame))}" for name, frame in frames.items()))
for name, frame in frames.items():
    ranks = frame.groupby("dataset")["mean_rank"].rank().sort_index().to_list()
    of_model = pd.Series(ranks).groupby(table["model"]).mean()
    print(f"mean over data sets: {name}", " ".join(f"{model} {rank:g}" for model, rank in of_model.items()))
END
"$tmp/venv/bin/python" -W ignore "$tmp/program.py" > "$tmp/now" 2> "$tmp/log" || { tail "$tmp/log"; exit 1; }
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: missing values are no longer ranked as seen"; exit 1; }
echo "as seen"
