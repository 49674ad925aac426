#!/usr/bin/env bash
# evalica: the eigenvector scores rank the model that loses most first, and its other six methods rank it last.
#
# Seen 2026-11-29 with Python 3.11.7: evalica 0.4.2; numpy 2.4.6, pandas 3.1.1, scipy 1.17.1.
# Guess before running: if a mostly beats b, and b mostly beats c, all seven methods order them a, b, c (88 %).
# Behaviour: eigen computes the principal eigenvector of the matrix of wins with rows and columns exchanged: a score is the sum of the
#   scores of those one has lost to. So the weaker of two models has more, and the scores, sorted from high to low, start
#   with the last model. The command gives it rank 1. Both solvers, the Rust and the Python one, do so.
# Documented? No: "the eigenvalue-based scores", in one list of methods with the others, and with reference to Bonacich, whose
#   centrality is high for who is chosen or wins.
# Why it matters: leaderboards of language models are made from such comparisons, with one call per method. One of seven columns is
#   upside down, and a mean over methods, or a rank correlation between them, takes it as it is.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile --prefer-binary \
  'evalica==0.4.2' 'numpy==2.4.6' 'pandas==3.1.1' 'scipy==1.17.1'

cat > "$tmp/seen" <<'END'
counting: a b c d e
average_win_rate: a b c d e
bradley_terry: a b c d e
newman: a b c d e
elo: a b c d e
pagerank: a b c d e
eigen: e d c b a
eigen in Python: e d c b a
eigenvector of wins (numpy): a b c d e
eigenvector of losses (numpy): e d c b a
command, eigen: e 1, d 2, c 3, b 4, a 5
END
cat > "$tmp/program.py" <<'END'
import csv
import subprocess
import sys
from itertools import combinations
from pathlib import Path

import evalica
import numpy as np

folder = Path(sys.argv[1])
models = "abcde"
strength = dict(zip(models, (16, 8, 4, 2, 1), strict=True))
wins = np.zeros((5, 5))
left, right, winners = [], [], []
for first, second in combinations(models, 2):
    won = round(60 * strength[first] / (strength[first] + strength[second]))
    for game in range(60):
        left.append(first)
        right.append(second)
        winners.append(evalica.Winner.X if game * won % 60 < won else evalica.Winner.Y)
        pair = (first, second) if winners[-1] == evalica.Winner.X else (second, first)
        wins[models.index(pair[0]), models.index(pair[1])] += 1

for method in ("counting", "average_win_rate", "bradley_terry", "newman", "elo", "pagerank", "eigen"):
    result = getattr(evalica, method)(left, right, winners)
    print(f"{method}:", *result.scores.index)
print("eigen in Python:", *evalica.eigen(left, right, winners, solver="naive").scores.index)
for name, matrix in (("wins", wins), ("losses", wins.T)):
    values, vectors = np.linalg.eig(matrix)
    vector = np.abs(vectors[:, values.real.argmax()].real)
    print(f"eigenvector of {name} (numpy):", *(models[i] for i in np.argsort(-vector)))

with (folder / "games.csv").open("w", newline="") as file:
    writer = csv.writer(file)
    writer.writerow(["left", "right", "winner"])
    words = {evalica.Winner.X: "left", evalica.Winner.Y: "right"}
    writer.writerows(zip(left, right, (words[winner] for winner in winners), strict=True))
command = [str(folder / "venv/bin/evalica"), "-i", str(folder / "games.csv"), "-o", str(folder / "ranks.csv")]
subprocess.run([*command, "pairwise", "eigen"], check=True)
with (folder / "ranks.csv").open() as file:
    rows = list(csv.reader(file))[1:]
print("command, eigen:", ", ".join(f"{row[0]} {row[-1]}" for row in rows))
END
"$tmp/venv/bin/python" -W ignore "$tmp/program.py" "$tmp" > "$tmp/now"
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: the eigenvector scores are no longer reversed"; exit 1; }
echo "as seen"
