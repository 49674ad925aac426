#!/usr/bin/env bash
# pandas: the rank of low < medium < high is by the alphabet in a table, so high is the lowest, and by the order declared in a column.
#
# Seen 2026-11-30 with Python 3.11.7: pandas 3.1.1; modin 0.37.1 (its own engine without parallelism) with pandas 2.3.3; numpy 2.4.6.
# Guess before running: ranks of an ordered category by its order in Modin as in pandas (80 %). pandas was taken for the right answer.
#   After Modin's column and a table of pandas 2.3.3 had been seen to differ, that pandas 3.1.1 is right (35 %).
# Behaviour: DataFrame.rank takes the names of the categories for values, with or without other columns, and along rows too. Series.rank
#   and groupby().rank() take their order. Modin ranks columns as pandas ranks tables. Sorting, maximum and groups of pandas are right.
# Documented? The user guide says of ordered categories that sorting, minimum and maximum follow their order. Of rank, nothing. For Series
#   it was reported and mended in 2017 (issue 15420).
# Why it matters: graded judgements are such a category, and table.rank() ranks all columns at once, as for Spearman's correlation or a
#   mean rank over metrics. Here it is -0.49 in place of 1. Grades that happen to be in alphabetical order show nothing.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
python3 -m venv "$tmp/modin"
"$tmp/venv/bin/pip" install -q --no-compile --prefer-binary 'pandas==3.1.1' 'numpy==2.4.6'
"$tmp/modin/bin/pip" install -q --no-compile --prefer-binary 'modin==0.37.1' 'pandas==2.3.3' 'numpy==2.4.6'

cat > "$tmp/seen" <<'END'
pandas, table: low 150.5 medium 251 high 50; correlation with the ranks of scores -0.49
pandas, table of one column: low 150.5 medium 251 high 50
pandas, column: low 51.5 medium 152 high 251
pandas, in one group: low 51.5 medium 152 high 251
modin, table: low 150.5 medium 251 high 50; correlation with the ranks of scores -0.49
modin, table of one column: low 150.5 medium 251 high 50
modin, column: low 150.5 medium 251 high 50
modin, in one group: low 51.5 medium 152 high 251
END
cat > "$tmp/program.py" <<'END'
import sys

import numpy as np
import pandas as pd

GRADES = ["low", "medium", "high"]


def ranks_of(grades, ranks):
    """Show the rank of each grade."""
    rank_of = dict(zip(grades, ranks, strict=True))
    return " ".join(f"{grade} {rank_of[grade]:g}" for grade in GRADES)


if sys.argv[1] == "modin":
    from modin.pandas import DataFrame
else:
    from pandas import DataFrame

position = np.arange(300)
grades = pd.Categorical.from_codes(position * 37 % 100 % 3, GRADES, ordered=True)
table = DataFrame(pd.DataFrame({"grade": grades, "score": grades.codes / 2}))
column = table["grade"]
of_table = table.rank()
print(f"{sys.argv[1]}, table: {ranks_of(grades, of_table['grade'])}; correlation with the ranks of scores {np.corrcoef(of_table.T)[0, 1]:.2f}")
print(f"{sys.argv[1]}, table of one column: {ranks_of(grades, table[['grade']].rank()['grade'])}")
print(f"{sys.argv[1]}, column: {ranks_of(grades, column.rank())}")
print(f"{sys.argv[1]}, in one group: {ranks_of(grades, table.groupby(position * 0)['grade'].rank())}")
END
"$tmp/venv/bin/python" -W ignore "$tmp/program.py" pandas > "$tmp/now"
MODIN_ENGINE=python MODIN_NPARTITIONS=2 "$tmp/modin/bin/python" -W ignore "$tmp/program.py" modin >> "$tmp/now"
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: ranks of grades are no longer as seen"; exit 1; }
echo "as seen"
