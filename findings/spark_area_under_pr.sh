#!/usr/bin/env bash
# Spark: a perfect ranking of 100,000 candidates with one right answer has an area under the precision-recall curve of 0.01.
#
# Seen 2026-11-29 with Python 3.11.7 and Java 17: pyspark 4.3.0, numpy 2.4.6. It needs Java 17 or later on the machine.
# Guess before running: the areas with the default of 1,000 bins agree with the exact ones to three digits (80 %, of ROC, where 0.9905
#   stood for 0.9900); after that, for one right answer ranked first, at least 0.5 in place of 1 (55 %).
# Behaviour: BinaryClassificationEvaluator merges neighbouring scores until about 1,000 thresholds are left. The right answer shares
#   a bin with the 99 candidates below it, whose precision is 1/100: the area is 0.01 for every rank within the bin. ROC is 0.9995.
#   Up to 1,000 different scores nothing is merged. With numBins=0 all are exact.
# Documented? The parameter: curves are down-sampled for the area, 0 turns that off, and 1,000 is the default. Not that it matters.
# Why it matters: link prediction has one right answer among many candidates. The better the model, the more is lost, down to
#   1 % of the true area; models that rank the answer 1st and 50th are equal; and a test on 1,000 rows shows nothing.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile --prefer-binary 'pyspark==4.3.0' 'numpy==2.4.6'

cat > "$tmp/seen" <<'END'
1,000 candidates, answer 1st: PR 1.00 (exact 1.00), ROC 1.0000 (exact 1.0000)
14,541 candidates, answer 1st: PR 0.07 (exact 1.00), ROC 0.9996 (exact 1.0000)
100,000 candidates, answer 1st: PR 0.01 (exact 1.00), ROC 0.9995 (exact 1.0000)
100,000 candidates, answer 50th: PR 0.01 (exact 0.01), ROC 0.9995 (exact 0.9995)
100,000 candidates, answer 5th: PR 0.01 (exact 0.10), ROC 0.9995 (exact 1.0000)
END
cat > "$tmp/program.py" <<'END'
from pyspark.ml.evaluation import BinaryClassificationEvaluator
from pyspark.sql import SparkSession

spark = (
    SparkSession.builder.master("local[1]")
    .config("spark.ui.enabled", "false")
    .config("spark.driver.host", "127.0.0.1")
    .config("spark.driver.bindAddress", "127.0.0.1")
    .config("spark.sql.shuffle.partitions", "1")
    .getOrCreate()
)
places = {"1st": 1, "50th": 50, "5th": 5}
for size, name in ((1_000, "1st"), (14_541, "1st"), (100_000, "1st"), (100_000, "50th"), (100_000, "5th")):
    rows = [(float(-place), float(place == places[name])) for place in range(1, size + 1)]
    table = spark.createDataFrame(rows, "rawPrediction double, label double")
    area = {
        (metric, bins): BinaryClassificationEvaluator(metricName=metric, numBins=bins).evaluate(table)
        for metric in ("areaUnderPR", "areaUnderROC")
        for bins in (1000, 0)
    }
    print(
        f"{size:,} candidates, answer {name}:",
        f"PR {area['areaUnderPR', 1000]:.2f} (exact {area['areaUnderPR', 0]:.2f}),",
        f"ROC {area['areaUnderROC', 1000]:.4f} (exact {area['areaUnderROC', 0]:.4f})",
    )
END
PYSPARK_PYTHON="$tmp/venv/bin/python" "$tmp/venv/bin/python" "$tmp/program.py" > "$tmp/now" 2> "$tmp/log" ||
  { cat "$tmp/log"; exit 1; }
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: the areas are no longer as seen"; exit 1; }
echo "as seen"
