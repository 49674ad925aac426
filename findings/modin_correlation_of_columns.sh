#!/usr/bin/env bash
# Modin: with one MRR missing, MRR correlates to 0.35 with itself; taken as two columns, MRR and Hits@10 correlate to nan.
#
# Seen 2026-11-30 with Python 3.11.7: modin 0.37.1 (its own engine without parallelism, and Ray 2.60 once), pandas 2.3.3, numpy 2.4.6.
# Guess before running: corr and cov as in pandas, with missing values too (80 %, of a list of methods).
# Behaviour: a table's corr adds sums over blocks of rows. If some blocks have gaps and others have none, and the names of the columns
#   are not in alphabetical order, sums of one column are added to those of another. A table's cov takes the means of all values of a
#   column, not of complete pairs, and can have the wrong sign. A column's corr and cov are nan if the other has another name, as it
#   is aligned by name first. Two columns without names, or a table without gaps, are right.
# Documented? No: missing values are said to be left out, as in pandas.
# Why it matters: whether two metrics order runs alike is what such a correlation is for. nan is seen, and replaced by the table's corr,
#   where a run without an MRR among 200 is enough. As a block is what a processor core gets, the answer depends on the machine.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile --prefer-binary 'modin==0.37.1' 'pandas==2.3.3' 'numpy==2.4.6'

cat > "$tmp/seen" <<'END'
nothing missing: Modin table 0.98, 1.00 and 0.0209, columns nan and nan; pandas table 0.98, 1.00 and 0.0209, columns 0.98 and 0.0209
one MRR missing: Modin table 0.92, 0.35 and 0.0210, columns nan and nan; pandas table 0.98, 1.00 and 0.0210, columns 0.98 and 0.0210
every tenth of the first half missing: Modin table 0.93, 0.32 and 0.0194, columns nan and nan; pandas table 0.98, 1.00 and 0.0206, columns 0.98 and 0.0206
every tenth missing: Modin table 0.98, 1.00 and 0.0184, columns nan and nan; pandas table 0.98, 1.00 and 0.0208, columns 0.98 and 0.0208
MRR above 0.3 missing: Modin table 0.95, 1.00 and -0.0048, columns nan and nan; pandas table 0.95, 1.00 and 0.0073, columns 0.95 and 0.0073
one MRR missing, Hits@10 as the first column: 0.98
two columns without names: 0.98 and 0.0209
END
cat > "$tmp/program.py" <<'END'
import modin.pandas
import numpy as np
import pandas as pd

number = 200
position = np.arange(number)
mrr = (1 + position * 37 % number) / 400
hits = mrr + position * 61 % 80 / 800
table = pd.DataFrame({"MRR": mrr, "Hits@10": hits})


def show(frame):
    """Show the correlations of MRR with Hits@10 and with itself, and its covariance, of the table and of two columns."""
    correlations = frame.corr()
    of_table = [correlations.loc["MRR", name] for name in ("Hits@10", "MRR")] + [frame.cov().loc["MRR", "Hits@10"]]
    of_columns = [frame["MRR"].corr(frame["Hits@10"]), frame["MRR"].cov(frame["Hits@10"])]
    return f"table {of_table[0]:.2f}, {of_table[1]:.2f} and {of_table[2]:.4f}, columns {of_columns[0]:.2f} and {of_columns[1]:.4f}"


for label, kept in (
    ("nothing missing", position >= 0),
    ("one MRR missing", position != 7),
    ("every tenth of the first half missing", (position % 10 != 7) | (position >= 100)),
    ("every tenth missing", position % 10 != 7),
    ("MRR above 0.3 missing", mrr <= 0.3),
):
    gaps = table.assign(MRR=table["MRR"].where(kept))
    print(f"{label}: Modin {show(modin.pandas.DataFrame(gaps))}; pandas {show(gaps)}")
gaps = table.assign(MRR=table["MRR"].where(position != 7))
in_order = modin.pandas.DataFrame(gaps[["Hits@10", "MRR"]]).corr().loc["MRR", "Hits@10"]
print(f"one MRR missing, Hits@10 as the first column: {in_order:.2f}")
first, second = (modin.pandas.Series(table[name].to_numpy()) for name in table.columns)
print(f"two columns without names: {first.corr(second):.2f} and {first.cov(second):.4f}")
END
MODIN_ENGINE=python MODIN_NPARTITIONS=2 "$tmp/venv/bin/python" -W ignore "$tmp/program.py" > "$tmp/now"
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: correlations are no longer as seen"; exit 1; }
echo "as seen"
