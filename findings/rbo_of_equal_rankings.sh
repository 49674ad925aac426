#!/usr/bin/env bash
# The rank-biased overlap of a ranking with itself is 0.41 for five models and 0.65 for ten, in the package rbo.
#
# Seen 2026-11-28 with Python 3.11.7: rbo 0.1.3, numpy 1.26.4 (it asks for less than 2).
# Guess before running: 1 for two equal lists, whatever their length.
# Behaviour: rbo(p=0.9) sums the weights down to the end of the list only, so equal lists of n reach 1 - 0.9^n, and a
#   swap of the first two among ten scores more than five in perfect agreement. ext=True and rbo_ext give 1.
# Documented? The docstring points at equation (7) of the paper, for lists without end; that equal lists do not reach 1 is
#   not said.
# Why it matters: lists of models are short. Overlaps of leaderboards of different length, or of "the top 5" with "the top
#   10", are not comparable, and a low value does not mean that the rankings differ.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile 'rbo==0.1.3' 'numpy==1.26.4' 'tqdm==4.70.1'

cat > "$tmp/seen" <<'END'
five models, equal: rbo 0.4095, extrapolated 1.0000
ten models, equal: rbo 0.6513, extrapolated 1.0000
ten models, first two swapped: rbo 0.5513, extrapolated 0.9000
END
"$tmp/venv/bin/python" - > "$tmp/now" <<'END'
from rbo import RankingSimilarity

models = list("abcdefghij")
swapped = [models[1], models[0], *models[2:]]
for name, first, second in (
    ("five models, equal", models[:5], models[:5]),
    ("ten models, equal", models, models),
    ("ten models, first two swapped", models, swapped),
):
    overlap = RankingSimilarity(first, second)
    print(f"{name}: rbo {overlap.rbo(p=0.9):.4f}, extrapolated {overlap.rbo_ext(p=0.9):.4f}")
END
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: the overlap is no longer as seen"; exit 1; }
echo "as seen"
