#!/usr/bin/env bash
# dask: the standard deviation of 32-bit ranks in a group is twice what it is on Kinships and FB15k-237, and a third of it on YAGO3-10.
#
# Seen 2026-11-30 with Python 3.11.7: dask 2026.8.0, pandas 2.3.3, numpy 2.4.6, pyarrow 21.0.0.
# Guess before running: deviations in groups agree with pandas to 1e-3 (75 %, of single precision); of 32-bit ranks up to 123,182, once
#   8 bits had been seen to fail, 25 %.
# Behaviour: groupby().std() and .var() take the sum of a group, its square and the sum of squares in 32 bits, if the column has 32, and
#   these wrap: the square as soon as the sum is above 46,340, which 1,000 ranks of 47 are. Of 16 bits, squares wrap above 181. A
#   variance below zero becomes 0. The same column without groups is right, as are 64 bits, floats, means and sums.
# Documented? No. The docstring is that of pandas.
# Why it matters: ranks are stored in 32 bits, and the deviation of a relation's ranks gives the error of its mean rank. It is off by a
#   factor of two or three that looks plausible, and the mean printed next to it is right. Small tests do not show it.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile --prefer-binary 'dask[dataframe]==2026.8.0' 'pandas==2.3.3' 'numpy==2.4.6' 'pyarrow==21.0.0'

cat > "$tmp/seen" <<'END'
Kinships, 3000 ranks from 1 to 104 in two groups
  int64: dask 30 30 (means 52 52, deviation of all 30); pandas 30 30 (means 52 52, deviation of all 30)
  int32: dask 62 60 (means 52 52, deviation of all 30); pandas 30 30 (means 52 52, deviation of all 30)
  uint32: dask 30 60 (means 52 52, deviation of all 30); pandas 30 30 (means 52 52, deviation of all 30)
  int16: dask 30 30 (means 52 52, deviation of all 30); pandas 30 30 (means 52 52, deviation of all 30)
FB15k-237, 3000 ranks from 1 to 14541 in two groups
  int64: dask 4201 4199 (means 7265 7270, deviation of all 4199); pandas 4201 4199 (means 7265 7270, deviation of all 4199)
  int32: dask 8395 8397 (means 7265 7270, deviation of all 4199); pandas 4201 4199 (means 7265 7270, deviation of all 4199)
  uint32: dask 8394 8397 (means 7265 7270, deviation of all 4199); pandas 4201 4199 (means 7265 7270, deviation of all 4199)
  int16: dask 0 0 (means 7265 7270, deviation of all 4199); pandas 4201 4199 (means 7265 7270, deviation of all 4199)
CoDEx-L, 3000 ranks from 1 to 77951 in two groups
  int64: dask 22457 22535 (means 38536 39235, deviation of all 22503); pandas 22457 22535 (means 38536 39235, deviation of all 22503)
  int32: dask 16026 17404 (means 38536 39235, deviation of all 22503); pandas 22457 22535 (means 38536 39235, deviation of all 22503)
  uint32: dask 36636 36625 (means 38536 39235, deviation of all 22503); pandas 22457 22535 (means 38536 39235, deviation of all 22503)
YAGO3-10, 3000 ranks from 1 to 123182 in two groups
  int64: dask 35622 35517 (means 61417 61300, deviation of all 35553); pandas 35622 35517 (means 61417 61300, deviation of all 35553)
  int32: dask 13533 13838 (means 61417 61300, deviation of all 35553); pandas 35622 35517 (means 61417 61300, deviation of all 35553)
  uint32: dask 40244 40740 (means 61417 61300, deviation of all 35553); pandas 35622 35517 (means 61417 61300, deviation of all 35553)
END
cat > "$tmp/program.py" <<'END'
import dask
import dask.dataframe
import numpy as np
import pandas as pd

dask.config.set(scheduler="sync")
number = 3_000
position = np.arange(number)
for name, candidates in (("Kinships", 104), ("FB15k-237", 14_541), ("CoDEx-L", 77_951), ("YAGO3-10", 123_182)):
    ranks = 1 + position * 7_919 % candidates
    print(f"{name}, {number} ranks from 1 to {candidates} in two groups")
    for kind in ("int64", "int32", "uint32", "int16"):
        if candidates > np.iinfo(kind).max:
            continue
        table = pd.DataFrame({"relation": np.where(position % 5 < 2, "a", "b"), "rank": ranks.astype(kind)})
        parts = dask.dataframe.from_pandas(table, npartitions=3)
        answers = {}
        for library, frame in (("dask", parts), ("pandas", table)):
            groups = frame.groupby("relation")["rank"]
            found = (groups.std(), groups.mean(), frame["rank"].std())
            deviations, means, deviation = dask.compute(*found) if library == "dask" else found
            shown = " ".join(f"{deviations[relation]:.0f}" for relation in "ab")
            answers[library] = f"{shown} (means {means['a']:.0f} {means['b']:.0f}, deviation of all {deviation:.0f})"
        print(f"  {kind}: dask {answers['dask']}; pandas {answers['pandas']}")
END
"$tmp/venv/bin/python" -W ignore "$tmp/program.py" > "$tmp/now"
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: deviations in groups are no longer as seen"; exit 1; }
echo "as seen"
