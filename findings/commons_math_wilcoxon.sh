#!/usr/bin/env bash
# Apache Commons Math: Wilcoxon's p is 0.001 or 0.77 by which model is named first, 0.008 for a model against itself, and NaN for 61,244 queries.
#
# Seen 2026-11-30 with Debian 12 and Java 17 (JDK): libcommons-math3-java 3.6.1-3; Python 3.11.7.
# Guess before running: 70,000 differences that cancel out have p above 0.05 (55 %), and pairs without a difference are dropped (50 %).
# Behaviour: the expected sum of ranks is computed from N (N + 1) in 32 bits, so it is wrong from 46,341 pairs on: p is NaN where that is
#   negative, and else 0 or another number. Pairs without a difference are ranked as well, and count for the first sample.
# Documented? In part: the page asks for differences of a continuous distribution, so for no equal pairs, and does not say what becomes of
#   them. The tracker's MATH-1233 has samples that are equal throughout. The page names no limit for the normal approximation, the only
#   method for more than 30 pairs.
# Why it matters: the test set of CoDEx-L has 61,244 queries on both sides, that of ogbl-wikikg2 over a million, and two models give many
#   of them the same rank. Equal ones then speak for the model that is named first.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
(cd "$tmp" && apt-get download -qq -o APT::Sandbox::User=root libcommons-math3-java=3.6.1-3 && dpkg -x ./*.deb root)

cat > "$tmp/seen" <<'END'
8 equal pairs: Commons Math p = 0.0078, as second sample 0.0078; without the equal pairs p = 1.0000
6 pairs better, 6 equal: Commons Math p = 0.0005, as second sample 0.1763; without the equal pairs p = 0.0312
5 pairs better, 1 worse, 12 equal: Commons Math p = 0.0010, as second sample 0.7660; without the equal pairs p = 0.1562
20000 pairs, every second one better: Commons Math p = 0.9951, as second sample 0.9951; without the equal pairs p = 0.9951
46340 pairs, every second one better: Commons Math p = 0.9968, as second sample 0.9968; without the equal pairs p = 0.9968
46341 pairs, every second one better: Commons Math p = nan, as second sample nan; without the equal pairs p = 0.9968
61244 pairs, every second one better: Commons Math p = nan, as second sample nan; without the equal pairs p = 0.9972
70000 pairs, every second one better: Commons Math p = 0.0000, as second sample 0.0000; without the equal pairs p = 0.9974
END
cat > "$tmp/Test.java" <<'END'
import java.util.Scanner;
import org.apache.commons.math3.stat.inference.WilcoxonSignedRankTest;

public class Test {
    public static void main(String[] arguments) {
        Scanner numbers = new Scanner(System.in);
        double[] first = new double[numbers.nextInt()];
        double[] second = new double[first.length];
        for (int i = 0; i < first.length; i++) {
            first[i] = numbers.nextInt();
        }
        boolean exact = first.length <= 30;
        WilcoxonSignedRankTest test = new WilcoxonSignedRankTest();
        System.out.println(test.wilcoxonSignedRankTest(first, second, exact));
        System.out.println(test.wilcoxonSignedRankTest(second, first, exact));
    }
}
END
cat > "$tmp/program.py" <<'END'
import itertools
import math
import statistics
import subprocess
import sys


def test(differences):
    """Return the p-value of Wilcoxon's test of distinct whole differences without zeros."""
    ranks = list(range(1, len(differences) + 1))
    assert sorted(abs(difference) for difference in differences) == ranks
    expected = sum(ranks) / 2
    distance = abs(sum(difference for difference in differences if difference > 0) - expected)
    if len(ranks) > 20:
        deviation = math.sqrt(sum(rank**2 for rank in ranks)) / 2
        return 2 * statistics.NormalDist().cdf(-distance / deviation)
    sums = [sum(chosen) for chosen in itertools.product(*[(0, rank) for rank in ranks])]
    return sum(abs(total - expected) >= distance for total in sums) / len(sums)


def show(name, differences, zeros=0):
    numbers = " ".join(str(number) for number in [len(differences) + zeros, *differences, *[0] * zeros])
    answer = subprocess.run(sys.argv[1:], check=True, capture_output=True, text=True, input=numbers).stdout
    first, second = [float(p) for p in answer.split()]
    print(f"{name}: Commons Math p = {first:.4f}, as second sample {second:.4f}; without the equal pairs p = {test(differences):.4f}")


show("8 equal pairs", [], 8)
show("6 pairs better, 6 equal", [1, 2, 3, 4, 5, 6], 6)
show("5 pairs better, 1 worse, 12 equal", [1, 2, -3, 4, 5, 6], 12)
for count in (20_000, 46_340, 46_341, 61_244, 70_000):
    differences = [size if size % 2 == 1 else -size for size in range(1, count + 1)]
    show(f"{count} pairs, every second one better", differences)
END
python3 "$tmp/program.py" java -cp "$tmp/root/usr/share/java/commons-math3.jar" "$tmp/Test.java" > "$tmp/now"
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: p is no longer as seen"; exit 1; }
echo "as seen"
