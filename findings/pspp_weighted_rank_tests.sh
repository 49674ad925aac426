#!/usr/bin/env bash
# PSPP: the chi-square of Kruskal and Wallis is negative, with p = 1, and Mann and Whitney's U too, if the rows are counts.
#
# Seen 2026-11-30 with Debian 12: pspp 1.6.2-2; Python 3.11.7.
# Guess before running: Mann and Whitney's test under WEIGHT BY is that of the repeated rows (75 %).
# Behaviour: N is the sum of the weights, and the ranks are nearly those of the rows without weights: mean ranks of 1.92 and 4.58 for weights
#   of 2, where the repeated rows have 3.83 and 9.17. Both formulas need ranks up to N. Weights of 1 are right.
# Documented? The manual says the contrary on the page of WEIGHT: a row of weight w has the output of w equal rows. The pages of the tests
#   name no exception.
# Why it matters: grades of judges and ranks of models are kept as counts, one row a grade. Two models that differ with p = 0.008 have
#   p = 1 by one test and a U that no data can have by the other.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
mkdir -p "$tmp/debs/partial"
apt-get install --reinstall -y -qq -d --no-install-recommends -o Dir::Cache::archives="$tmp/debs" -o APT::Sandbox::User=root -o Debug::NoLocking=1 \
  pspp=1.6.2-2 > "$tmp/log" 2>&1 || { cat "$tmp/log"; exit 1; }
for package in "$tmp"/debs/*.deb; do dpkg -x "$package" "$tmp/root"; done
libraries=$tmp/root/usr/lib/x86_64-linux-gnu

cat > "$tmp/seen" <<'END'
6 rows of weight 1: Kruskal-Wallis chi-square 3.23, p .072; Mann-Whitney U .50, Z -1.80, p .072
12 rows of weight 1: Kruskal-Wallis chi-square 7.11, p .008; Mann-Whitney U 2.00, Z -2.67, p .008
6 rows of weight 2: Kruskal-Wallis chi-square -27.80, p 1.000; Mann-Whitney U -9.50, Z -4.42, p .000
60 rows of weight 1: Kruskal-Wallis chi-square 38.14, p .000; Mann-Whitney U 50.00, Z -6.18, p .000
6 rows of weight 10: Kruskal-Wallis chi-square -180.83, p 1.000; Mann-Whitney U -413.50, Z -12.77, p .000
END
cat > "$tmp/program.py" <<'END'
import re
import subprocess
import sys

GRADES = [(1, 1), (1, 1), (2, 1), (2, 2), (3, 2), (10, 2)]  # grade and model


def test(name, weight, repeats):
    rows = [f"{grade} {model} {weight}" for grade, model in GRADES for _ in range(repeats)]
    commands = [
        "DATA LIST LIST NOTABLE /grade model times.",
        "BEGIN DATA",
        *rows,
        "END DATA.",
        "WEIGHT BY times.",
        "NPAR TESTS /K-W grade BY model (1, 2) /M-W grade BY model (1, 2).",
    ]
    command = [sys.argv[1], "-o", "-", "-O", "format=csv", "-"]
    output = subprocess.run(command, check=True, capture_output=True, text=True, input="\n".join(commands)).stdout
    chi_square = re.search(r"^Chi-Square,(.*)$", output, re.M)[1]
    p = re.search(r"^Asymp. Sig.,(.*)$", output, re.M)[1]
    u, _, z, sig = re.search(r"^,Mann-Whitney U,.*\ngrade,(.*)$", output, re.M)[1].split(",")
    print(f"{name}: Kruskal-Wallis chi-square {chi_square}, p {p}; Mann-Whitney U {u}, Z {z}, p {sig}")


test("6 rows of weight 1", 1, 1)
test("12 rows of weight 1", 1, 2)
test("6 rows of weight 2", 2, 1)
test("60 rows of weight 1", 1, 10)
test("6 rows of weight 10", 10, 1)
END
LD_LIBRARY_PATH=$libraries:$libraries/pspp python3 "$tmp/program.py" "$tmp/root/usr/bin/pspp" > "$tmp/now"
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: tests are no longer as seen"; exit 1; }
echo "as seen"
