#!/usr/bin/env bash
# baycomp: one win and nine equal scores make a model the better one with probability 1.00; of models equal throughout it says nan.
#
# Seen 2026-11-29 with Python 3.11.7: baycomp 1.0.3; numpy 2.4.6, scipy 1.17.1, matplotlib 3.11.2.
# Guess before running, of the sign test: an equal score counts as half a win for each, so a few wins among many equal scores
#   are less than certain; of models equal throughout, the two probabilities sum to 1.
# Behaviour: without a region of practical equivalence (rope=0, the default), the sign test leaves out every draw in which equal
#   scores have the largest share, and counts who wins the rest: one win decides, however little it weighs, and if no draw is left,
#   it is 0 / 0. The signed-rank test halves the share of equal scores, so one win decides as well; of equal models it compares
#   1/2 with 1/2, rounded, which favours the first, whichever that is. With a rope of 0.001 all is as one would expect.
# Documented? No. That the sign test puts its prior on the rope, yes; of equal scores neither docstring says anything.
# Why it matters: MRR and Hits@k are compared as printed, with three digits, so equal scores are common, and a difference in
#   the last digit on one of ten data sets becomes a certainty.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile --prefer-binary \
  'baycomp==1.0.3' 'numpy==2.4.6' 'scipy==1.17.1' 'matplotlib==3.11.2'

cat > "$tmp/seen" <<'END'
rope 0, 1 win, 9 equal: sign test 1.00, signed-rank test 1.00
rope 0, 5 wins, 5 equal: sign test 1.00, signed-rank test 1.00
rope 0, 10 equal: sign test nan, signed-rank test favours the first
rope 0.001, 1 win, 9 equal: sign test 0.00, signed-rank test 0.04
rope 0.001, 5 wins, 5 equal: sign test 0.38, signed-rank test 0.89
rope 0.001, 10 equal: sign test 0.00, signed-rank test 0.00
END
cat > "$tmp/program.py" <<'END'
import baycomp
import numpy as np

other = np.array([296, 331, 337, 344, 358, 366, 392, 401, 434, 476]) / 1000  # MRR on ten data sets
for rope in (0, 0.001):
    for name, wins in (("1 win, 9 equal", 1), ("5 wins, 5 equal", 5), ("10 equal", 0)):
        first = other.copy()
        first[:wins] += 0.002
        sign = baycomp.SignTest.probs(first, other, rope=rope, random_state=1)[0]
        rank = baycomp.SignedRankTest.probs(first, other, rope=rope, random_state=1)[0]
        by_rank = f"{rank:.2f}"
        if wins == 0 and rank > 0.6:  # by how much depends on rounding
            by_rank = "favours the first"
        print(f"rope {rope}, {name}: sign test {sign:.2f}, signed-rank test {by_rank}")
END
"$tmp/venv/bin/python" -W ignore "$tmp/program.py" > "$tmp/now"
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: equal scores no longer count as seen"; exit 1; }
echo "as seen"
