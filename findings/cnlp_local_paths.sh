#!/usr/bin/env bash
# complex-network-link-prediction: the local path index of order 3 counts common neighbours only, and that of order 4 skips length 3.
#
# Seen 2026-11-30 with Python 3.11.7: complex-network-link-prediction 1.3; networkx 3.6.1, numpy 2.4.6, scipy 1.17.1.
# Guess before running: the index is that of its formula (75 %); of the nine similarities by common neighbours likewise (85 %, right).
# Behaviour: order 3 stops before the first power of epsilon. From order 4 on, each step squares the matrix instead of multiplying it by
#   the adjacency: epsilon weighs walks of length 4, its square those of length 8. The ends of a path of three steps, which have
#   no walk of even length, have the index 0 at any order.
# Documented? Not so: the formula of the docstring is A^2 + epsilon A^3 + ... + epsilon^(n-2) A^n, with n the "maximal order".
# Why it matters: length 3 is why the index is used instead of common neighbours. With order 3, a comparison of the two finds no
#   difference at any epsilon, and the table reads as if the method did not help.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile --prefer-binary \
  'complex-network-link-prediction==1.3' 'networkx==3.6.1' 'numpy==2.4.6' 'scipy==1.17.1'

cat > "$tmp/seen" <<'END'
ends of a path: common neighbours 0, order 3 0.0000 for 0.0100, order 4 0.0000 for 0.0100, order 5 0.0000 for 0.0100
two of the karate club: common neighbours 6, order 3 6.0000 for 6.2200, order 4 8.4000 for 6.2440, order 5 56.7156 for 6.2454
END
cat > "$tmp/program.py" <<'END'
import networkx as nx
import numpy as np
from cnlp.similarity_methods.local_similarity import common_neighbors
from cnlp.similarity_methods.quasi_local_similarity import local_path_index

epsilon = 0.01


def sum_powers(matrix, order):
    """Sum the powers of the adjacency matrix from the second to the order, as the docstring does."""
    return sum(epsilon ** (n - 2) * np.linalg.matrix_power(matrix, n) for n in range(2, order + 1))


path = nx.path_graph(4)
club = nx.karate_club_graph()
for title, graph, (one, other) in (("ends of a path", path, (0, 3)), ("two of the karate club", club, (2, 33))):
    adjacency = nx.to_numpy_array(graph, weight=None)
    shared = common_neighbors(graph).toarray()
    values = [f"common neighbours {max(shared[one, other], shared[other, one]):.0f}"]
    for order in (3, 4, 5):
        found = local_path_index(graph, epsilon, order).toarray()
        value = max(found[one, other], found[other, one])
        values.append(f"order {order} {value:.4f} for {sum_powers(adjacency, order)[one, other]:.4f}")
    print(f"{title}:", ", ".join(values))
END
"$tmp/venv/bin/python" -W ignore "$tmp/program.py" > "$tmp/now"
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: the index is no longer as seen"; exit 1; }
echo "as seen"
