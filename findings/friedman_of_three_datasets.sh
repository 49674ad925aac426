#!/usr/bin/env bash
# Three data sets on which three models come in the same order make p = 0 in pingouin's Friedman test and two post-hoc tests.
#
# Seen 2026-11-29 with Python 3.11.7: pingouin 0.7.0, scikit-posthocs 0.17.1; scipy 1.17.1, pandas 3.1.1.
# Guess, written down after runs with six data sets had shown p = 0: about 0.1 for two data sets, as they agree with
#   probability 1/6 under chance; a little less for three.
# Behaviour: the F statistic of ranks, (n - 1) W / (1 - W), is infinite where all data sets agree (W = 1), and so is the t of Conover's
#   and Durbin's comparisons, which divides by a variance that is 0. p is 0.0, for three data sets (probability 1/36) as for six.
# Documented? pingouin recommends method="f" for small samples, where chi square is too conservative. Not that it is 0 here;
#   scikit-posthocs does not say so of Conover's test either.
# Why it matters: papers on few benchmarks rank a few models and ask whether the order is luck. The answer from three benchmarks
#   is "certainly not", and a correction for many comparisons leaves 0 as it is.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile --prefer-binary \
  'pingouin==0.7.0' 'scikit-posthocs==0.17.1' 'scipy==1.17.1' 'numpy==2.4.6' 'pandas==3.1.1'

cat > "$tmp/seen" <<'END'
3 data sets: F inf, p 0.0; chi square p 0.050; by counting 0.0278; first against second: Conover 0.0, Durbin 0.0, Nemenyi 0.438
6 data sets: F inf, p 0.0; chi square p 0.002; by counting 0.0001; first against second: Conover 0.0, Durbin 0.0, Nemenyi 0.193
END
"$tmp/venv/bin/python" -W ignore - > "$tmp/now" <<'END'
import pandas as pd
import pingouin
import scikit_posthocs

for count in (3, 6):
    mrr = pd.DataFrame([[0.31 + 0.01 * i, 0.33 + 0.01 * i, 0.34 + 0.01 * i] for i in range(count)])
    f = pingouin.friedman(mrr, method="f")
    chi = pingouin.friedman(mrr, method="chisq")
    pairs = [
        test(mrr.to_numpy()).to_numpy()[0, 1]
        for test in (
            scikit_posthocs.posthoc_conover_friedman,
            scikit_posthocs.posthoc_durbin,
            scikit_posthocs.posthoc_nemenyi_friedman,
        )
    ]
    print(
        f"{count} data sets: F {f['F'].iloc[0]}, p {f['p_unc'].iloc[0]}; chi square p {chi['p_unc'].iloc[0]:.3f};"
        f" by counting {6.0 ** (1 - count):.4f}; first against second:"
        f" Conover {pairs[0]}, Durbin {pairs[1]}, Nemenyi {pairs[2]:.3f}"
    )
END
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: p of few data sets are no longer as seen"; exit 1; }
echo "as seen"
