#!/usr/bin/env bash
# confidenceinterval: 95 % intervals of macro recall and precision are a fifth too narrow, and those of macro F1 up to 1.75 times too wide.
#
# Seen 2026-11-30 with Python 3.11.7: confidenceinterval 1.0.5; scikit-learn 1.7.2, statsmodels 0.15.0, scipy 1.17.1, numpy 2.4.6.
# Guess before running: intervals equal those of statsmodels (proportions, which they do), DeLong's (AUC, likewise) and the delta method
#   (75 %); after a first look at macro F1: 92 to 98 % of samples (30 %).
# Behaviour: intervals of macro recall and precision have 0.78 to 0.81 times the width of the delta method's for the same table of
#   counts, and hold the truth in 86 to 90 % of samples; those of macro F1 have 1.4 to 1.75 times that width, and hold it in all
#   samples. It is so at any number of answers. Micro averages are right.
# Documented? The README says that all three are computed analytically, F1 after Takahashi et al. (2022), the others by the delta method.
#   Upstream's issue 2 was of another macro F1, a constant [0, 1] in a file that is gone.
# Why it matters: relation prediction and triple classification report macro averages. Two models with the same macro recall are found
#   different far too often, and two different ones far too seldom by macro F1.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile --prefer-binary \
  'confidenceinterval==1.0.5' 'scikit-learn==1.7.2' 'statsmodels==0.15.0' 'pandas==2.3.3' 'scipy==1.17.1' 'numpy==2.4.6'

cat > "$tmp/seen" <<'END'
2 classes, 200 answers, widths over those of the delta method: recall held in 89%, width 0.81; precision held in 89%, width 0.81; f1 held in 100%, width 1.75
2 classes, 1000 answers, widths over those of the delta method: recall held in 90%, width 0.81; precision held in 90%, width 0.81; f1 held in 100%, width 1.75
3 classes, 200 answers, widths over those of the delta method: recall held in 86%, width 0.78; precision held in 87%, width 0.78; f1 held in 100%, width 1.44
3 classes, 1000 answers, widths over those of the delta method: recall held in 88%, width 0.78; precision held in 86%, width 0.78; f1 held in 100%, width 1.44
END
cat > "$tmp/program.py" <<'END'
import confidenceinterval
import numpy as np

SAMPLES, Z = 400, 1.959964


def macro(shares, name):
    """Return a macro average of a table of shares, right classes in rows."""
    recall = np.diag(shares) / shares.sum(axis=1)
    precision = np.diag(shares) / shares.sum(axis=0)
    f1 = 2 * recall * precision / (recall + precision)
    return {"recall": recall, "precision": precision, "f1": f1}[name].mean()


def half_width(shares, size, name):
    """Return that of an interval by the delta method."""
    step, flat = 1e-6, shares.ravel()
    slopes = []
    for i in range(flat.size):
        moved = flat.copy()
        moved[i] += step
        slopes.append((macro(moved.reshape(shares.shape), name) - macro(shares, name)) / step)
    slopes = np.array(slopes)
    variance = flat @ slopes**2 - (flat @ slopes) ** 2
    return Z * np.sqrt(variance / size)


for shares in ([[0.3, 0.2], [0.2, 0.3]], [[0.25, 0.1, 0.05], [0.1, 0.15, 0.05], [0.05, 0.05, 0.2]]):
    shares = np.array(shares)
    classes = len(shares)
    for size in (200, 1000):
        random = np.random.RandomState(size)
        cells = [random.choice(classes**2, size, p=shares.ravel()) for _ in range(SAMPLES)]
        words = []
        for name in ("recall", "precision", "f1"):
            score = getattr(confidenceinterval, f"{name}_score")
            ends = np.array([score(cell // classes, cell % classes, average="macro")[1] for cell in cells])
            truth = macro(shares, name)
            held = np.mean((ends[:, 0] <= truth) & (truth <= ends[:, 1]))
            ratio = np.mean(ends[:, 1] - ends[:, 0]) / 2 / half_width(shares, size, name)
            words.append(f"{name} held in {held:.0%}, width {ratio:.2f}")
        print(f"{classes} classes, {size} answers, widths over those of the delta method: {'; '.join(words)}")
END
"$tmp/venv/bin/python" -W ignore "$tmp/program.py" > "$tmp/now"
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: the intervals of macro averages are no longer as seen"; exit 1; }
echo "as seen"
