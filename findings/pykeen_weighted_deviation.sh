#!/usr/bin/env bash
# PyKEEN's macro evaluator: the standard deviation of ranks ignores the weights, and the median absolute deviation is on another scale.
#
# Seen 2026-11-30 with Python 3.11.7: pykeen 1.11.1; torch 2.13.0 (CPU), numpy 2.4.6, pandas 3.1.1.
# Guess before running: weights of one change no metric (85 %), and a weight of 2 counts as the same rank twice in a mean, a median
#   and a deviation (80 %); the macro and the micro evaluator differ in the standard deviation on Nations (82 %).
# Behaviour: standard deviation and variance take the weights and do not use them, so the macro and the micro evaluator report the same
#   number to the last digit. The median absolute deviation without weights is multiplied by 1.4826, the weighted one is not:
#   weights of one lower it by a third.
# Documented? Hardly: an attribute of the two classes, supports_weights, is False, but the evaluator passes weights and reports the result
#   beside the others. It is True of the median absolute deviation. Its docstring does not mention the factor.
# Why it matters: a table of macro averages has a deviation beside each mean rank. The mean is weighted by the frequency of the pairs and
#   the deviation is not, or it is on another scale than that of the micro average in the row above.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile --prefer-binary 'pykeen==1.11.1' 'torch==2.13.0' 'numpy==2.4.6' 'pandas==3.1.1'

cat > "$tmp/seen" <<'END'
ranks 1 2 3 4 10, no weights, weights of one, weights 1 1 1 1 4, the last rank four times:
  ArithmeticMeanRank: 4.000 4.000 6.250 6.250
  MedianRank: 3.000 3.000 7.000 7.000
  StandardDeviation: 3.162 3.162 3.162 3.832
  Variance: 10.000 10.000 10.000 14.688
  MedianAbsoluteDeviation: 1.483 1.000 3.000 4.448
Nations, micro and macro:
  arithmetic_mean_rank: 5.423 5.810
  standard_deviation: 2.955 2.955
  variance: 8.732 8.732
  median_absolute_deviation: 2.965 2.000
END
cat > "$tmp/program.py" <<'END'
import numpy as np
from pykeen.datasets import Nations
from pykeen.evaluation import MacroRankBasedEvaluator, RankBasedEvaluator
from pykeen.metrics.ranking import rank_based_metric_resolver
from pykeen.models import TransE

ranks = np.array([1.0, 2.0, 3.0, 4.0, 10.0])
weights = np.array([1.0, 1.0, 1.0, 1.0, 4.0])
repeated = np.repeat(ranks, weights.astype(int))
print("ranks 1 2 3 4 10, no weights, weights of one, weights 1 1 1 1 4, the last rank four times:")
for name in ("ArithmeticMeanRank", "MedianRank", "StandardDeviation", "Variance", "MedianAbsoluteDeviation"):
    metric = rank_based_metric_resolver.make(name)
    values = [metric(ranks=ranks), metric(ranks=ranks, weights=np.ones(5)), metric(ranks=ranks, weights=weights)]
    values.append(metric(ranks=repeated))
    print(f"  {name}:", *(f"{value:.3f}" for value in values))

print("Nations, micro and macro:")
data = Nations()
known = [data.training.mapped_triples]
model = TransE(triples_factory=data.training, random_seed=0)
results = []
for evaluator in (RankBasedEvaluator(), MacroRankBasedEvaluator()):
    results.append(
        evaluator.evaluate(
            model, data.testing.mapped_triples, batch_size=32, additional_filter_triples=known, use_tqdm=False
        )
    )
for name in ("arithmetic_mean_rank", "standard_deviation", "variance", "median_absolute_deviation"):
    values = [result.get_metric(f"both.realistic.{name}") for result in results]
    print(f"  {name}:", *(f"{value:.3f}" for value in values))
END
"$tmp/venv/bin/python" -W ignore "$tmp/program.py" 2> "$tmp/log" > "$tmp/now" || { cat "$tmp/log"; exit 1; }
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: deviations and weights are no longer as seen"; exit 1; }
echo "as seen"
