#!/usr/bin/env bash
# openskill: models of mean ranks 170.2 and 170.9 are tied in the Plackett-Luce model; 170.9 and 171.1 are not.
#
# Seen 2026-11-29 with Python 3.11.7: openskill 6.2.0.
# Guess before running: ranks= and scores= are two ways to give one order, so ranks and the negative of them as scores agree.
# Behaviour: the Plackett-Luce model cuts ranks down to whole numbers, and those that become equal are a draw. Given as
#   scores, the same numbers are put in order first, and differ. The models by Bradley and Terry and by Thurstone and
#   Mosteller do not cut ranks.
# Documented? No: ranks are "a list of floats where the lower values represent winners"; the docstring does not mention a cut.
# Why it matters: tables of link prediction have a mean rank for each data set, and such a rating makes one order of them. A
#   model gains nothing where it leads by less than a whole rank, and of adjusted mean rank indices, all below 1, nobody wins.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile 'openskill==6.2.0'

cat > "$tmp/seen" <<'END'
PlackettLuce, [170.2, 170.9, 300.4]: as ranks 25.72, 25.72, 23.57; as scores 27.87, 25.72, 21.41
PlackettLuce, [170.9, 171.1, 300.4]: as ranks 27.87, 25.72, 21.41; as scores 27.87, 25.72, 21.41
PlackettLuce, [0.21, 0.34, 0.55]: as ranks 25.00, 25.00, 25.00; as scores 27.87, 25.72, 21.41
BradleyTerryFull, [170.2, 170.9, 300.4]: as ranks 30.27, 25.00, 19.73; as scores 30.27, 25.00, 19.73
BradleyTerryFull, [170.9, 171.1, 300.4]: as ranks 30.27, 25.00, 19.73; as scores 30.27, 25.00, 19.73
BradleyTerryFull, [0.21, 0.34, 0.55]: as ranks 30.27, 25.00, 19.73; as scores 30.27, 25.00, 19.73
ThurstoneMostellerFull, [170.2, 170.9, 300.4]: as ranks 33.46, 25.00, 16.54; as scores 33.46, 25.00, 16.54
ThurstoneMostellerFull, [170.9, 171.1, 300.4]: as ranks 33.46, 25.00, 16.54; as scores 33.46, 25.00, 16.54
ThurstoneMostellerFull, [0.21, 0.34, 0.55]: as ranks 33.46, 25.00, 16.54; as scores 33.46, 25.00, 16.54
END
cat > "$tmp/program.py" <<'END'
from openskill import models


def rate(model, **order):
    """Return the ratings of three new players after one game."""
    teams = model.rate([[model.rating()] for _ in range(3)], **order)
    return ", ".join(f"{team[0].mu:.2f}" for team in teams)


for name in ("PlackettLuce", "BradleyTerryFull", "ThurstoneMostellerFull"):
    model = getattr(models, name)()
    for ranks in ([170.2, 170.9, 300.4], [170.9, 171.1, 300.4], [0.21, 0.34, 0.55]):
        by_scores = rate(model, scores=[-rank for rank in ranks])
        print(f"{name}, {ranks}: as ranks {rate(model, ranks=ranks)}; as scores {by_scores}")
END
"$tmp/venv/bin/python" "$tmp/program.py" > "$tmp/now"
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: ranks are no longer cut as seen"; exit 1; }
echo "as seen"
